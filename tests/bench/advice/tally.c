// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Votes are counted for candidates that are found by a remainder.
 *
 * case: candidate split 400000 24000000
 * case: candidate split 40 40000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct candidate {
	uint64_t votes;
	uint32_t weight;
};
struct person {
	char name[48];
	uint64_t since;
};
static struct person *people;
#define PERSON(i) people[i]
#else
struct candidate {
	char name[48];
	uint64_t votes;
	uint64_t since;
	uint32_t weight;
};
#define PERSON(i) all[i]
#endif
static struct candidate *all;
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]);
	uint64_t votes = atol(v[2]), r = 88172645463325252u, sum = 0;
	all = calloc(n, sizeof(*all));
#ifdef NEW
	people = calloc(n, sizeof(*people));
#endif
	for (uint32_t i = 0; i < n; i++) {
		all[i].weight = 1 + i % 3;
		PERSON(i).since = i;
		PERSON(i).name[0] = 'a';
	}
	for (uint64_t i = 0; i < votes; i++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		struct candidate *x = &all[r % n];
		x->votes += x->weight;
	}
	for (uint32_t i = 0; i < n; i++)
		sum += all[i].votes * (i + 1) + PERSON(i).since + PERSON(i).name[0];
	printf("%lu\n", sum);
	return c < 0;
}
