// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects in the order in which they were allocated, of which a loop uses three fields.
 *
 * compiler: clang
 * case: task reorder 200000 150
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct task {
	int state;
	int priority;
	long deadline;
	char name[72];
	char command[80];
	void *arguments[6];
	long created;
	long started;
};
#else
struct task {
	int state;
	char name[72];
	long deadline;
	char command[80];
	void *arguments[6];
	int priority;
	long created;
	long started;
};
#endif
static struct task **tasks;
__attribute__((noinline)) static long urgent(long n, long now)
{
	long most = -1, best = -1;
	for (long i = 0; i < n; i++) {
		struct task *t = tasks[i];
		long urgency = t->priority * 100 + (now - t->deadline) * t->state;
		if (urgency > most)
			most = urgency, best = i;
	}
	return best;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	tasks = calloc(n, sizeof(*tasks));
	for (long i = 0; i < n; i++) {
		tasks[i] = calloc(1, sizeof(**tasks));
		tasks[i]->state = i % 5 > 0, tasks[i]->priority = (int)(i * 7 % 20);
		tasks[i]->deadline = i * 31 % 977;
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += urgent(n, k);
	printf("%ld\n", sum);
}
