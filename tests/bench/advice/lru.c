// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A cache of pages with a hash table and a list of the last use.
 *
 * case: page reorder 500 10000000
 * case: page reorder 200000 3000000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct page {
	struct page *chain;
	long number;
	struct page *newer, *older;
	long hits;
	char data[72];
};
#else
struct page {
	struct page *chain;
	char data[72];
	long number;
	struct page *newer, *older;
	long hits;
};
#endif
static struct page **table, list;
static long buckets;
__attribute__((noinline)) static struct page *get(long number)
{
	struct page *page = table[number * 0x9E3779B97F4A7C15UL % buckets];
	while (page && page->number != number)
		page = page->chain;
	return page;
}
__attribute__((noinline)) static void use(struct page *page)
{
	page->hits++;
	page->newer->older = page->older;
	page->older->newer = page->newer;
	page->older = list.older;
	page->newer = &list;
	list.older->newer = page;
	list.older = page;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long x = 1;
	buckets = n;
	table = calloc(buckets, sizeof(*table));
	list.newer = list.older = &list;
	for (long i = 0; i < n; i++) {
		struct page *page = calloc(1, sizeof(*page));
		struct page **bucket = &table[i * 0x9E3779B97F4A7C15UL % buckets];
		page->number = i;
		page->chain = *bucket;
		*bucket = page;
		page->older = page->newer = page;
		use(page);
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		struct page *page = get((long)((x >> 33) % n));
		sum += page->number;
		use(page);
	}
	printf("%ld\n", sum);
}
