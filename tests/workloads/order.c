// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code that depends on the order of a record's members, in each way that its machine code shows.
 * tests/whole/test_whole_layout.c removes the source before it asks.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))

struct base {
	int kind, users;
};

/* begins with another record, as a pointer to which it is passed */
struct derived {
	struct base base;
	char name[72];
	long value;
};

struct link {
	struct link *next, *before;
};

/* found by a node of a list */
struct task {
	long id;
	char name[80];
	struct link run;
	long weight;
};

/* several members are copied at once */
struct state {
	long total;
	char name[72];
	long first, others[20], last;
	long count;
};

/* an index leads from x to the next ones */
struct point {
	long tag;
	double x, y, z;
	double weight;
};

/* compared as a whole */
struct key {
	long high;
	char name[72];
	long low;
};

/* none of these */
struct plain {
	struct base base;
	long values[4];
	long sum;
};

NOINLINE long value_of(const struct base *base)
{
	const struct derived *derived = (const struct derived *)base;

	return base->kind == 3 ? derived->value : base->users;
}

NOINLINE long weights(const struct link *head)
{
	long sum = 0;

	for (const struct link *l = head->next; l != head; l = l->next) {
		const struct task *task =
			(const struct task *)((const char *)l - offsetof(struct task, run));

		sum += task->weight + task->id;
	}
	return sum;
}

NOINLINE void take_over(struct state *to, const struct state *from)
{
	memmove(&to->first, &from->first, 22 * sizeof(long));
	to->count += to->total;
}

NOINLINE double length_of(const struct point *point, long dimensions)
{
	double sum = 0;

	for (long i = 0; i < dimensions; i++)
		sum += (&point->x)[i];
	return sum * point->weight;
}

NOINLINE int is_same(struct key *a, const struct key *b)
{
	a->low++;
	return memcmp(a, b, sizeof(*a)) == 0;
}

NOINLINE long add_values(struct plain *plain, long count)
{
	for (long i = 0; i < count; i++)
		plain->sum += plain->values[i];
	plain->base.users++;
	return plain->sum;
}

int main(int argc, char **argv)
{
	static struct derived derived;
	static struct task task;
	static struct state states[2];
	static struct point point;
	static struct key keys[2];
	static struct plain plain;
	struct link head = { &task.run, &task.run };

	(void)argv;
	task.run = (struct link){ &head, &head };
	take_over(&states[0], &states[1]);
	printf("%ld\n", value_of(&derived.base) + weights(&head) +
				(long)length_of(&point, argc) + is_same(&keys[0], &keys[1]) +
				add_values(&plain, argc));
	return 0;
}
