// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Points with a hole after each char.
 *
 * case: point reorder 1000 700000
 * case: point reorder 4000000 80
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct point {
	double b, d, f;
	char a, c, e;
};
#else
struct point {
	char a;
	double b;
	char c;
	double d;
	char e;
	double f;
};
#endif
static struct point *p;
__attribute__((noinline)) static double total(long n)
{
	double s = 0, t = 0;
	for (long i = 0; i < n; i++) {
		if (p[i].a)
			s += p[i].b + p[i].d;
		if (p[i].c)
			t += p[i].f;
	}
	return s + t;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	double s = 0;
	p = calloc(n, sizeof(*p));
	for (long i = 0; i < n; i++) {
		p[i].a = p[i].c = 1;
		p[i].b = i;
		p[i].f = 2;
		p[i].e = 0;
	}
	for (int k = 0; k < atoi(argv[2]); k++)
		s += total(n);
	printf("%g\n", s);
}
