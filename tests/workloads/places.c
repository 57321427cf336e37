// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes that only the address of an access tells: elements of arrays at a variable index, within
 * records and alone; stores that nothing else was waited for; records within records. `places N`
 * makes N rounds.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline))
#define PAGES    4096
#define SLOTS    126
#define ITEMS    20000
#define ENTRIES  4096

/* 512 bytes in 8 lines; the pages are at multiples of 64. */
struct page {
	long id;
	int slots[SLOTS];
};

/* As a page, but only ten slots are used: those from TENTH_FIRST on, which are in line 6. */
struct sheet {
	long id;
	unsigned int tenths[SLOTS];
};

#define TENTH_FIRST 100

struct counts {
	volatile long reads, writes;
};

struct person {
	long id, age;
	char name[48];
};

/* Each second item is used through its person alone. */
struct item {
	struct item *next;
	long hash;
	struct person person;
};

/* One object: the size of what is before its entries divides theirs. */
struct entry {
	long key, value;
};

struct table {
	long used;
	struct entry entries[];
};

static struct page *pages, page;
static struct sheet *sheets;
static struct table *table;
static struct counts counts;
static struct item *items;
static struct person **persons;

NOINLINE static long read_slot(const struct page *of, unsigned int i)
{
	return of->slots[i];
}

/* `page` is in one place, so an address alone tells the slot. */
NOINLINE static long read_static_slot(unsigned int i)
{
	return page.slots[i];
}

/* The index register has the constant, and the base register the sheet. */
NOINLINE static void count_tenth(struct sheet *of, unsigned int number, unsigned int i)
{
	of[number].tenths[TENTH_FIRST + i]++;
}

NOINLINE static long read_entry(const struct table *of, unsigned int i)
{
	return of->entries[i].key;
}

NOINLINE static void only_store(struct counts *to, long rounds)
{
	_Pragma("GCC unroll 1") while (rounds--) to->reads = rounds;
}

NOINLINE static void store_by_name(long rounds)
{
	_Pragma("GCC unroll 1") while (rounds--) counts.writes = rounds;
}

NOINLINE static long sum_of_ids(long rounds)
{
	long sum = 0;

	while (rounds--)
		for (const struct item *item = items; item; item = item->next)
			sum += item->person.id;
	return sum;
}

NOINLINE static long sum_of_ages(struct person **of, long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += of[i]->age;
	return sum;
}

static void make_items(void)
{
	persons = malloc(ITEMS * sizeof(*persons));
	for (long i = 0; i < ITEMS; i++) {
		struct item *item = calloc(1, sizeof(*item));

		item->person.id = i;
		item->next = items;
		items = item;
		persons[i] = &item->person;
	}
}

int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1, sum = 0;
	struct counts *heap = aligned_alloc(64, 64);
	uint64_t random = 1;

	pages = aligned_alloc(64, PAGES * sizeof(*pages));
	for (long i = 0; i < PAGES; i++)
		for (int k = 0; k < SLOTS; k++)
			pages[i].slots[k] = k;
	sheets = aligned_alloc(64, PAGES * sizeof(*sheets));
	memset(sheets, 0, PAGES * sizeof(*sheets));
	table = calloc(1, sizeof(*table) + ENTRIES * sizeof(*table->entries));
	make_items();
	printf("%lx %lx\n", (unsigned long)&heap->reads, (unsigned long)&counts.writes);
	while (rounds--) {
		for (int i = 0; i < 100000; i++) {
			random = random * 6364136223846793005ul + 1442695040888963407ul;
			sum += read_slot(&pages[(random >> 33) % PAGES], (random >> 20) % SLOTS);
			sum += read_static_slot((random >> 40) % SLOTS);
			count_tenth(sheets, (random >> 33) % PAGES, (random >> 20) % 10);
			sum += read_entry(table, (random >> 30) % ENTRIES);
		}
		only_store(heap, 500000);
		store_by_name(500000);
		for (int i = 0; i < 10; i++) {
			sum += sum_of_ids(1);
			__asm__ volatile("" ::: "memory");
			sum += sum_of_ages(persons, ITEMS);
			__asm__ volatile("" ::: "memory");
		}
	}
	printf("%ld\n", sum);
	return 0;
}
