// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Kilns: those that are too hot are counted, then all cool down.
 *
 * case: kiln split 350000 250
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct book {
	char maker[56];
	uint64_t built, fired[2];
};
struct kiln {
#ifdef NEW
	float heat, limit, loss;
#else
	float heat;
	char maker[56];
	float limit;
	uint64_t built, fired[2];
	float loss;
#endif
};
static struct kiln *kilns;
#ifdef NEW
static struct book *books;
#define BOOK(i) books[i]
#else
#define BOOK(i) kilns[i]
#endif
__attribute__((noinline)) static uint64_t hot(uint32_t n)
{
	uint64_t count = 0;
	for (uint32_t i = 0; i < n; i++)
		count += kilns[i].heat > kilns[i].limit;
	return count;
}
__attribute__((noinline)) static void cool(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		kilns[i].heat -= kilns[i].loss;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]);
	uint64_t sum = 0;
	kilns = calloc(n, sizeof(*kilns));
#ifdef NEW
	books = calloc(n, sizeof(*books));
#endif
	for (uint32_t i = 0; i < n; i++) {
		kilns[i].heat = 1000 + i % 200;
		kilns[i].limit = 1000 + i % 150;
		kilns[i].loss = 0.1f;
		BOOK(i).built = i;
		BOOK(i).maker[0] = 'k';
	}
	for (uint32_t k = 0; k < rounds; k++) {
		sum += hot(n);
		cool(n);
	}
	for (uint32_t i = 0; i < n; i++)
		sum += BOOK(i).built;
	printf("%lu\n", sum);
	return c < 0;
}
