#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
#
# Compares the advice of dtprof layout with its effect: each program is recorded, then built with the advised layout, and both are timed
# in turns.
#
#   [DTPROF=program] tests/bench/advice.sh [NAME...]
#
# Prints a line for each program: the verdict, the predicted range of the gain in user space, the measured median (user time of the
# old program divided by that of the new one, with the least and the most of RUNS=7 pairs), and whether that is what was
# predicted: "gain" in the range, "no gain" below 1.1. With -DNEW the programs have the intended layout; if something else is
# advised the line says so. Times of a busy machine mean little.
#
# The programs: arrays whose loops touch one field of a record (f1), the k nearest neighbours (nn: Rodinia's record), particles with
# hot and cold fields (part), holes (holes), records that are visited in no order (scat), lists (list, health), a hash table
# (hash), and one that computes (comp). Three were written after the model: rays against spheres (rays), a binary search
# (bisect), and a walk over the nodes of a graph (graph).
set -u
export LC_ALL=C
DTPROF=$(realpath "${DTPROF:-build/dtprof}")
RUNS=${RUNS:-7}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export DTPROF_CONFIG=
cd "$work" || exit 1

cat > f1.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
static double *I, *W, *X, *V, *U, *P, *Q, *R;
#define F(i, field) field[i]
#define ALL(n) I = malloc(n), W = malloc(n), X = malloc(n), V = malloc(n), U = malloc(n), P = malloc(n), Q = malloc(n), R = malloc(n)
#else
struct neuron { double I, W, X, V, U, P, Q, R; };
static struct neuron *f1;
#define F(i, field) f1[i].field
#define ALL(n) f1 = malloc(8 * (n))
#endif
static long n;
#define NI __attribute__((noinline))
NI static double norm(void) { double s = 0; for (long i = 0; i < n; i++) s += F(i, P) * F(i, P); return s; }
NI static double sum(void) { double s = 0; for (long i = 0; i < n; i++) s += F(i, X); return s; }
NI static void activate(double a) { for (long i = 0; i < n; i++) F(i, W) = F(i, I) + a * F(i, U); }
NI static long largest(void)
{
	long best = 0;
	double most = -1;
	for (long i = 0; i < n; i++)
		if (F(i, U) > most) { most = F(i, U); best = i; }
	return best;
}
int main(int argc, char **argv)
{
	double a = 0;
	n = atol(argv[1]);
	ALL(8 * n);
	for (long i = 0; i < n; i++) {
		F(i, I) = i & 7; F(i, W) = 1; F(i, X) = i & 3; F(i, V) = 2;
		F(i, U) = i * 7919 % 1000; F(i, P) = i % 10; F(i, Q) = 3; F(i, R) = 4;
	}
	for (long p = 0; p < atol(argv[2]); p++) {
		a += norm() * 1e-9 + largest() + sum() * 1e-9;
		if (p % 4 == 0) activate(a * 1e-9);
	}
	printf("%g\n", a);
}
END

cat > nn.c <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NEW
struct cold { char entry[49]; };
static double *dist;
static struct cold *cold;
#define DIST(i) dist[i]
#define ENTRY(i) cold[i].entry
#else
struct neighbor { char entry[49]; double dist; };
static struct neighbor *nearest;
#define DIST(i) nearest[i].dist
#define ENTRY(i) nearest[i].entry
#endif
__attribute__((noinline)) static int farthest(int k)
{
	double max = -1;
	int at = 0;
	for (int i = 0; i < k; i++)
		if (DIST(i) > max) { max = DIST(i); at = i; }
	return at;
}
int main(int argc, char **argv)
{
	int k = atoi(argv[1]);
	unsigned seed = 1;
	double s = 0;
#ifdef NEW
	dist = malloc(k * sizeof(double)); cold = calloc(k, sizeof(*cold));
#else
	nearest = calloc(k, sizeof(*nearest));
#endif
	for (int i = 0; i < k; i++) DIST(i) = 1e9;
	for (long r = 0; r < atol(argv[2]); r++) {
		double x = (seed = seed * 1103515245 + 12345) % 10000, y = (seed = seed * 1103515245 + 12345) % 10000;
		int at = farthest(k);
		if (sqrt(x * x + y * y) < DIST(at)) { DIST(at) = sqrt(x * x + y * y); memcpy(ENTRY(at), "storm", 6); }
	}
	for (int i = 0; i < k; i++) s += DIST(i);
	printf("%g\n", s);
}
END

cat > part.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct particle { double x, v; float mass; };
#else
struct particle { int id; double x; char label[48]; double history[6]; double v; float mass; };
#endif
static struct particle *p;
__attribute__((noinline)) static double step(long n, double dt)
{
	double e = 0;
	for (long i = 0; i < n; i++) { p[i].x += p[i].v * dt; e += p[i].mass * p[i].v; }
	return e;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	double e = 0;
	p = calloc(n, sizeof(*p));
	for (long i = 0; i < n; i++) { p[i].v = i; p[i].mass = 1; }
	for (int k = 0; k < atoi(argv[2]); k++) e += step(n, 1e-3);
	printf("%g\n", e);
}
END

cat > holes.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct point { double b, d, f; char a, c, e; };
#else
struct point { char a; double b; char c; double d; char e; double f; };
#endif
static struct point *p;
__attribute__((noinline)) static double total(long n)
{
	double s = 0, t = 0;
	for (long i = 0; i < n; i++) { if (p[i].a) s += p[i].b + p[i].d; if (p[i].c) t += p[i].f; }
	return s + t;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	double s = 0;
	p = calloc(n, sizeof(*p));
	for (long i = 0; i < n; i++) { p[i].a = p[i].c = 1; p[i].b = i; p[i].f = 2; p[i].e = 0; }
	for (int k = 0; k < atoi(argv[2]); k++) s += total(n);
	printf("%g\n", s);
}
END

cat > scat.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct row { long key, count; };
#else
struct row { long key; char text[112]; long count; };
#endif
static struct row *rows;
static unsigned *order;
__attribute__((noinline)) static long visit(long n)
{
	long s = 0;
	for (long i = 0; i < n; i++) { struct row *r = &rows[order[i]]; s += r->key; r->count++; }
	return s;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), s = 0;
	rows = aligned_alloc(128, (n * sizeof(*rows) + 127) & ~127UL);
	order = malloc(n * 4);
	for (long i = 0; i < n; i++) { rows[i].key = i; rows[i].count = 0; order[i] = i * 2654435761UL % n; }
	for (int k = 0; k < atoi(argv[2]); k++) s += visit(n);
	printf("%ld\n", s);
}
END

cat > list.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct rec { struct rec *next; long id, key; char name[112]; };
#else
struct rec { long id; char name[112]; long key; struct rec *next; };
#endif
__attribute__((noinline)) static long sum(struct rec *r) { long s = 0; for (; r; r = r->next) s += r->key ^ r->id; return s; }
int main(int argc, char **argv)
{
	long n = atol(argv[1]), s = 0;
	struct rec **a = calloc(n, sizeof(*a)), *first = NULL;
	for (long i = 0; i < n; i++) { a[i] = calloc(1, sizeof(*first)); a[i]->key = i; a[i]->id = i * 3; }
	for (long i = n - 1; i > 0; i--) { long j = (rand() * 32768L + rand()) % i; struct rec *t = a[i]; a[i] = a[j]; a[j] = t; }
	for (long i = 0; i < n; i++) { a[i]->next = first; first = a[i]; }
	for (int p = 0; p < atoi(argv[2]); p++) s += sum(first);
	printf("%ld\n", s);
}
END

cat > health.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct patient { struct patient *next; int time, time_left; int hosps; char name[64]; double history[8]; };
#else
struct patient { int hosps; int time; char name[64]; int time_left; double history[8]; struct patient *next; };
#endif
__attribute__((noinline)) static long walk(struct patient *p)
{
	long s = 0;
	for (; p; p = p->next) { p->time++; if (--p->time_left < 0) { p->time_left = 10; s++; } }
	return s;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), s = 0;
	struct patient **a = calloc(n, sizeof(*a)), *first = NULL;
	for (long i = 0; i < n; i++) a[i] = calloc(1, sizeof(*first));
	for (long i = n - 1; i > 0; i--) { long j = (rand() * 32768L + rand()) % i; struct patient *t = a[i]; a[i] = a[j]; a[j] = t; }
	for (long i = 0; i < n; i++) { a[i]->next = first; first = a[i]; }
	for (int p = 0; p < atoi(argv[2]); p++) s += walk(first);
	printf("%ld\n", s);
}
END

cat > hash.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct entry { long key; struct entry *next; char value[104]; };
#else
struct entry { long key; char value[104]; struct entry *next; };
#endif
static struct entry **table;
static long buckets;
#define HASH(key) ((key) * 0x9E3779B97F4A7C15UL >> 20)
__attribute__((noinline)) static struct entry *find(long key)
{
	struct entry *e = table[HASH(key) % buckets];
	while (e && e->key != key) e = e->next;
	return e;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), s = 0;
	unsigned long x = 1;
	buckets = n / 4 + 1;
	table = calloc(buckets, sizeof(*table));
	for (long i = 0; i < n; i++) {
		struct entry *e = malloc(sizeof(*e));
		e->key = i; e->next = table[HASH(i) % buckets]; table[HASH(i) % buckets] = e;
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		x = x * 6364136223846793005UL + 1;
		struct entry *e = find((x >> 33) % n);
		s += e ? e->key : 0;
	}
	printf("%ld\n", s);
}
END

cat > comp.c <<'END'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct params { double a, b, c, d; char pad[100], more[60]; };
#else
struct params { double a; char pad[100]; double b, c; char more[60]; double d; };
#endif
__attribute__((noinline)) static double run(struct params *p, long n)
{
	double s = 0;
	for (long i = 1; i < n; i++) { s += p->a / i + p->b * sqrt(i) - p->c; p->d = s; }
	return s;
}
int main(int argc, char **argv)
{
	struct params p = { .a = 1, .b = 2, .c = 3 };
	double s = 0;
	for (int k = 0; k < atoi(argv[2]); k++) s += run(&p, atol(argv[1]));
	printf("%g\n", s);
}
END

cat > rays.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct sphere { double x, y, z, radius; };
#else
struct sphere { char name[32]; double x, y, z, colour[3], shine, glass, radius; };
#endif
static struct sphere *all;
__attribute__((noinline)) static long hits(long n, double dx, double dy, double dz)
{
	long count = 0;
	for (long i = 0; i < n; i++) {
		const struct sphere *s = &all[i];
		double b = s->x * dx + s->y * dy + s->z * dz;
		double c = s->x * s->x + s->y * s->y + s->z * s->z - s->radius * s->radius;
		if (b > 0 && b * b > c) count++;
	}
	return count;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned seed = 7;
	all = calloc(n, sizeof(*all));
	for (long i = 0; i < n; i++) {
		all[i].x = (seed = seed * 1103515245 + 12345) % 1000; all[i].y = (seed = seed * 1103515245 + 12345) % 1000;
		all[i].z = (seed = seed * 1103515245 + 12345) % 1000; all[i].radius = seed % 17;
	}
	for (long k = 0; k < atol(argv[2]); k++) sum += hits(n, 0.1 * (k % 7), 0.2, 0.3);
	printf("%ld\n", sum);
}
END

cat > bisect.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct account { long number; };
#else
struct account { char owner[40]; long number; long balance; char note[40]; };
#endif
static struct account *all;
__attribute__((noinline)) static long find(long n, long number)
{
	long low = 0, high = n;
	while (low < high) {
		long middle = (low + high) / 2;
		if (all[middle].number < number) low = middle + 1; else high = middle;
	}
	return low;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long x = 1;
	all = calloc(n, sizeof(*all));
	for (long i = 0; i < n; i++) all[i].number = 3 * i;
	for (long k = 0; k < atol(argv[2]); k++) {
		x = x * 6364136223846793005UL + 1;
		sum += find(n, (x >> 33) % (3 * n));
	}
	printf("%ld\n", sum);
}
END

cat > graph.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#ifdef REORDER
struct node { int visited; int edges[4]; double distance; char label[88]; };
#elif defined(NEW)
struct node { int visited; int edges[4]; double distance; };
#else
struct node { int visited; char label[88]; int edges[4]; double distance; };
#endif
static struct node *all;
static int *queue;
__attribute__((noinline)) static double walk(long n, int round)
{
	long head = 0, tail = 0;
	double sum = 0;
	queue[tail++] = 0;
	all[0].visited = round;
	while (head < tail) {
		struct node *from = &all[queue[head++]];
		for (int e = 0; e < 4; e++) {
			struct node *to = &all[from->edges[e]];
			if (to->visited == round) continue;
			to->visited = round;
			to->distance = from->distance + 1;
			sum += to->distance;
			queue[tail++] = (int)(to - all);
		}
	}
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	unsigned long x = 1;
	double sum = 0;
	all = aligned_alloc(128, (n * sizeof(*all) + 127) & ~127UL);
	queue = malloc(n * sizeof(*queue));
	for (long i = 0; i < n; i++) {
		all[i].visited = 0; all[i].distance = 0;
		for (int e = 0; e < 4; e++) all[i].edges[e] = (int)(((x = x * 6364136223846793005UL + 1) >> 33) % n);
	}
	for (int k = 1; k <= atoi(argv[2]); k++) sum += walk(n, k);
	printf("%g\n", sum);
}
END

# Program, type, the change that -DNEW makes (graph has two: -DREORDER), arguments: about half a second each.
cases="f1 neuron peel 10000 24000
f1 neuron peel 100000 2400
f1 neuron peel 1000000 90
nn neighbor split 1024 800000
nn neighbor split 20000 40000
part particle split 2000 300000
part particle split 1000000 80
holes point reorder 1000 700000
holes point reorder 4000000 80
scat row split 500000 80
list rec reorder 500 400000
list rec reorder 100000 40
health patient reorder 1000 150000
health patient reorder 200000 20
hash entry reorder 200 20000000
hash entry reorder 400000 2000000
comp params reorder 1000000 150
rays sphere split 300 1500000
rays sphere split 400000 400
bisect account split 1000 9000000
bisect account split 2000000 600000
graph node split 1000 80000
graph node reorder 500000 10
graph node split 500000 10"

user_time() { # COMMAND...: seconds of processor time in user space
	local TIMEFORMAT=%U
	{ time "$@" >/dev/null 2>&1; } 2>&1
}

printf '%-6s %-16s %-12s %-16s %-22s %s\n' program arguments verdict predicted 'measured (least, most)' agrees
while read -r program type kind n passes; do
	[ $# = 0 ] || [[ " $* " = *" $program "* ]] || continue
	cc -O2 -g -o old $program.c -lm && cc -O2 -DNEW "-D${kind^^}" -o new $program.c -lm || exit 1
	if ! "$DTPROF" record -q -o data ./old "$n" "$passes" >/dev/null 2>&1; then
		echo "advice: this user may not record here: nothing compared"
		exit 0
	fi
	text=$("$DTPROF" layout -q -i data --type="$type" 2>/dev/null | tr '\n' ' ' | tr -s ' ')
	case $text in
	*"Advice: "*) verdict=$(sed 's/.*Advice: \([a-z]*\)\..*/\1/' <<< "$text") ;;
	*"cannot be told"*) verdict="cannot tell" ;;
	*"No gain"*) verdict="no gain" ;;
	*) verdict="nothing" ;;
	esac
	whole=$(sed -n 's/.*Expected: \([0-9.]*\( to [0-9.]*\)\?\) times.*/\1/p' <<< "$text")
	own=$(sed -n 's/.*as a whole (\([0-9.]*\( to [0-9.]*\)\?\) of.*/\1/p' <<< "$text")
	pairs=$(for ((i = 0; i < RUNS; i++)); do
		echo "$(user_time ./old "$n" "$passes") $(user_time ./new "$n" "$passes")"
	done | awk '$2 > 0 { print $1 / $2 }' | sort -n)
	awk -v program=$program -v arguments="$n $passes" -v verdict="$verdict" -v kind=$kind -v range="${own:-$whole}" '
		{ all[NR] = $1 }
		END {
			median = all[int((NR + 1) / 2)]
			split(range, ends, " to ")
			low = ends[1] + 0; high = ends[2] ? ends[2] + 0 : low
			if (range == "")
				agrees = verdict == "cannot tell" ? "-" : median < 1.1 ? "yes" : "NO"
			else
				agrees = median < 1 ? "NO, SLOWER" : median >= low && median <= high ? "yes" : "NO"
			if (range != "" && verdict != kind)
				agrees = agrees " (measured: " kind ")"
			printf "%-6s %-16s %-12s %-16s %.2f (%.2f, %.2f)      %s\n", program, arguments, verdict, range, median, all[1], all[NR], agrees
		}' <<< "$pairs"
done <<< "$cases"
