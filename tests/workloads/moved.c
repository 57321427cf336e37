// SPDX-License-Identifier: GPL-2.0-or-later
/* A record in two layouts: with -DNEW its key has moved, and a member is new. */
#include <stdio.h>
#include <stdlib.h>

struct record {
	long id;
#ifdef NEW
	long key;
	char name[112];
	long extra;
#else
	char name[112];
	long key;
#endif
	struct record *next;
};

__attribute__((noinline)) long sum_keys(struct record *record)
{
	long sum = 0;

	for (; record; record = record->next)
		sum += record->key ^ record->id;
	return sum;
}

int main(void)
{
	struct record last = { .id = 1, .key = 2 }, first = { .id = 3, .key = 4, .next = &last };

	printf("%ld\n", sum_keys(&first));
	return 0;
}
