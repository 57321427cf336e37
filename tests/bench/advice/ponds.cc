// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A search tree of ponds by number, with what is known of each beside its links.
 *
 * case: Pond split 250000 3
 * case: Pond split 250 130
 */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
struct Life {
	char owner[32];
	double depth, area;
	uint64_t fed[3];
};
struct Pond {
	uint64_t number;
#ifdef NEW
	Pond *left, *right;
	Life *life;
#else
	char owner[32];
	double depth, area;
	Pond *left;
	uint64_t fed[3];
	Pond *right;
#endif
};
static Pond *root;
static uint64_t seed = 11;
static uint64_t draw()
{
	seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
	return seed >> 20;
}
__attribute__((noinline)) static Pond *find(uint64_t number)
{
	Pond *p = root;
	while (p && p->number != number)
		p = number < p->number ? p->left : p->right;
	return p;
}
static void add(uint64_t number)
{
	Pond **at = &root;
	while (*at)
		at = number < (*at)->number ? &(*at)->left : &(*at)->right;
	*at = (Pond *)calloc(1, sizeof(Pond));
	(*at)->number = number;
#ifdef NEW
	(*at)->life = (Life *)calloc(1, sizeof(Life));
	(*at)->life->depth = number % 9;
#else
	(*at)->depth = number % 9;
#endif
}
int main(int argc, char **argv)
{
	uint64_t n = atol(argv[1]), rounds = atol(argv[2]), found = 0;
	for (uint64_t i = 0; i < n; i++)
		add(draw() % (2 * n));
	for (uint64_t i = 0; i < rounds * 100000; i++)
		found += find(draw() % (2 * n)) != nullptr;
	printf("%lu\n", (unsigned long)found);
	return argc < 0;
}
