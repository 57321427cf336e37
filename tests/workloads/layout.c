// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records that are walked in each way that dtprof layout tells apart: an array in order, a list, a skip list,
 * objects in no order, and one object in a loop.
 *
 * layout [COUNT [PASSES]]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

struct neuron {
	double I, W, X, V, U, P, Q, R;
};

typedef struct {
	uint64_t low;
	char tag;
} mark;

struct entry {
	uint32_t flags : 3, level : 5;
	struct entry *next;
	char name[40];
	union {
		long count;
		double ratio;
	};
	mark marks[2];
	long (*hash)(const struct entry *, const mark *);
	long key;
};

struct totals {
	long sum, count;
};

/* Debug information leaves out the unnamed bitfield, and the alignment of `own`. */
struct mixed {
	uint32_t low : 3;
	uint32_t : 0;
	uint32_t high : 2;
	uint32_t after;
	char group[0];
	short inside;
	struct {
		char locked;
		long owner;
	} __attribute__((aligned(64))) own;
	long count;
};

/* A node of a skip list: the loop that looks for a place has the next node in two registers. */
struct step {
	struct node *forward;
	long span;
};

struct node {
	const char *name;
	long score;
	struct step steps[2];
};

struct tower {
	long height;
	char label[88];
	struct tower *next[8];
};

/* A cursor has the node of a list that is looked at. Debug information leaves out what has no name. */
struct page {
	long number;
	char text[80];
	struct page *following;
	unsigned long : 64, : 64;
};

struct cursor {
	long turns;
	struct page *at;
};

struct weight {
	long grams;
	char label[72];
	struct weight *next;
};

/* a visit uses the number and any one cell */
struct board {
	long number;
	int cells[16][16];
};

/* Six bytes: objects that are allocated one by one are not multiples of them apart. */
struct shade {
	unsigned char red, green, blue, alpha;
	unsigned short depth;
};

static struct neuron *neurons;
static long count = 1000;

NOINLINE double sum_of_x(void)
{
	double sum = 0;

	for (long i = 0; i < count; i++)
		sum += neurons[i].X;
	return sum;
}

NOINLINE void activate(double factor)
{
	for (long i = 0; i < count; i++)
		neurons[i].W = neurons[i].I + factor * neurons[i].U;
}

NOINLINE struct entry *find(struct entry *entry, long key)
{
	for (; entry; entry = entry->next)
		if (entry->key == key)
			return entry;
	return NULL;
}

NOINLINE long read_on(struct cursor *cursor)
{
	long sum = 0;

	while (cursor->at) {
		sum += cursor->at->number;
		cursor->turns++;
		cursor->at = cursor->at->following;
	}
	return sum;
}

/* The page that the cursor is at stays. */
NOINLINE long read_again(struct cursor *cursor, long rounds)
{
	long sum = 0;

	while (rounds--) {
		sum += cursor->at->number;
		cursor->turns++;
	}
	return sum;
}

/* The pointer is copied before the next one replaces it. With `early` clear, it is used before. */
static inline long weigh_all(const struct weight *weight, int early)
{
	const struct weight *copy;
	long sum = 0;

	while (weight) {
		__asm__("" : "=r"(copy) : "0"(weight));
		if (!early) {
			sum += copy->grams;
			__asm__("" : "+r"(weight) : "r"(sum));
		}
		weight = weight->next;
		if (early) {
			__asm__("" : "+r"(copy) : "r"(weight));
			sum += copy->grams;
		}
	}
	return sum;
}

NOINLINE long weigh(const struct weight *weight)
{
	return weigh_all(weight, 0);
}

NOINLINE long weigh_early(const struct weight *weight)
{
	return weigh_all(weight, 1);
}

NOINLINE double jump(const int *order)
{
	double sum = 0;

	for (long i = 0; i < count; i++)
		sum += neurons[order[i]].P;
	return sum;
}

NOINLINE void add_up(struct totals *totals, const long *values)
{
	for (long i = 0; i < count; i++) {
		totals->sum += values[i];
		totals->count++;
	}
}

NOINLINE long mix(struct mixed *mixed)
{
	mixed->high = mixed->low;
	mixed->after += mixed->inside;
	mixed->own.owner = mixed->count;
	return mixed->group[0] + mixed->own.locked;
}

NOINLINE int compare(const char *left, const char *right)
{
	while (*left && *left == *right)
		left++, right++;
	return *left - *right;
}

/* A call whose registers the compiler does not know. */
static int (*volatile compare_names)(const char *, const char *) = compare;

NOINLINE long seek(struct node *node, long score, const char *name)
{
	long span = 0;

	while (node->steps[1].forward && (node->steps[1].forward->score < score ||
					  (node->steps[1].forward->score == score &&
					   compare_names(node->steps[1].forward->name, name) < 0))) {
		span += node->steps[1].span;
		node = node->steps[1].forward;
	}
	return span;
}

NOINLINE long climb(struct tower *tower, long height)
{
	for (int level = 7; level >= 0; level--)
		while (tower->next[level] && tower->next[level]->height <= height)
			tower = tower->next[level];
	return tower->height;
}

/*
 * Compilers copy the step to the next patient to the end of both branches: two instructions, of
 * which either may have run.
 */
struct patient {
	struct patient *after;
	int hours, beds;
};

NOINLINE void admit(struct patient *patient)
{
	patient->beds = 1;
}

/* A call whose registers the compiler does not know. */
static void (*volatile admit_one)(struct patient *) = admit;

NOINLINE void wait_longer(struct patient *patient, int *free_beds)
{
	while (patient) {
		if (*free_beds > 0) {
			--*free_beds;
			admit_one(patient);
		} else {
			patient->hours++;
		}
		patient = patient->after;
	}
}

NOINLINE long look_up(const struct board *boards, const int *order)
{
	long sum = 0;

	for (long i = 0; i + 1 < count; i++) {
		const struct board *board = &boards[order[i] % 16];

		sum += board->number + board->cells[order[i + 1] % 16][order[i] / 16 % 16];
	}
	return sum;
}

NOINLINE long depth_of_all(const struct shade *shades, const int *order)
{
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += shades[order[i]].depth;
	return sum;
}

int main(int argc, char **argv)
{
	struct entry *first = NULL;
	struct node nodes[2] = { { "a", 1, { { NULL, 1 }, { &nodes[1], 1 } } }, { "b", 2, { { NULL, 1 } } } };
	struct totals totals = { 0, 0 };
	struct mixed mixed = { 0 };
	struct patient patient = { NULL, 0, 0 };
	struct tower tower = { 1, "", { NULL } };
	int beds = 1;
	double sum = 0;
	int *order;
	struct shade *shades;
	long *values, passes = argc > 2 ? atol(argv[2]) : 10;
	struct board *boards;

	if (argc > 1)
		count = atol(argv[1]);
	neurons = calloc(count, sizeof(*neurons));
	order = calloc(count, sizeof(*order));
	shades = calloc(count, sizeof(*shades));
	values = calloc(count, sizeof(*values));
	boards = calloc(16, sizeof(*boards));
	for (long i = 0; i < count; i++)
		order[i] = (int)(i * 7919 % count);
	for (long i = 0; i < 100; i++) {
		struct entry *entry = calloc(1, sizeof(*entry));

		entry->key = i;
		entry->next = first;
		first = entry;
	}
	for (long pass = 0; pass < passes; pass++) {
		struct page pages[2] = { { .following = &pages[1] }, { .number = pass } };
		struct cursor cursor = { 0, pages };

		sum += (double)(read_again(&cursor, 2) + read_on(&cursor));
		sum += sum_of_x() + jump(order);
		activate(sum);
		sum += find(first, pass % 100) != NULL;
		sum += (double)seek(nodes, 2, "b");
		sum += (double)mix(&mixed);
		add_up(&totals, values);
		wait_longer(&patient, &beds);
		sum += (double)climb(&tower, 2) + (double)look_up(boards, order);
		sum += (double)depth_of_all(shades, order);
	}
	printf("%g %ld\n", sum, totals.count);
	return 0;
}

struct alarm {
	int left, period;
	long rung;
	int room, tone;
	char name[40];
};

/* Few alarms ring, and only those need more than one field. */
NOINLINE long ring(struct alarm *alarms, long now)
{
	long rung = 0;

	for (long i = 0; i < count; i++) {
		if (__builtin_expect(--alarms[i].left != 0, 1))
			continue;
		alarms[i].left = alarms[i].period;
		alarms[i].rung = now;
		alarms[i].tone ^= alarms[i].room;
		rung++;
	}
	return rung;
}
