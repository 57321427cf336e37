/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/elf_symbol_drafts.h"

#include <elf.h>
#include <string.h>

#include "profiler/base/memory.h"

bool symbol_is_function(const struct symbol *symbol)
{
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC || symbol->type == STT_NOTYPE;
}

/*
 * Which of several symbols at an address is shown: as perf chooses, so that names agree. In this order: one
 * that has a size, not a label, not weak, global, with few leading underscores, a long name, not the kernel's
 * old aliases of system calls.
 */
static uint64_t rank_of(const struct symbol *symbol)
{
	size_t length = strlen(symbol->name);
	size_t underscores = strspn(symbol->name, "_");
	uint64_t rank = !symbol_is_function(symbol);

	rank = rank << 1 | !symbol->size;
	rank = rank << 1 | (symbol->type == STT_NOTYPE);
	rank = rank << 1 | (symbol->binding == STB_WEAK);
	rank = rank << 1 | (symbol->binding != STB_GLOBAL);
	rank = rank << 8 | (underscores < 255 ? underscores : 255);
	rank = rank << 17 | (length < LONGEST_SYMBOL_NAME ? LONGEST_SYMBOL_NAME - length : 0);
	return rank << 1 | (!strncmp(symbol->name, "SyS", 3) || !strncmp(symbol->name, "compat_SyS", 10));
}

void symbol_drafts_add(struct symbol_drafts *drafts, struct symbol symbol, uint64_t limit)
{
	struct symbol_draft *draft;

	if (symbol.size > UINT64_MAX - symbol.address)
		symbol.size = UINT64_MAX - symbol.address;
	array_reserve(drafts->drafts, drafts->count, drafts->capacity);
	draft = &drafts->drafts[drafts->count];
	*draft = (struct symbol_draft){
		.symbol = symbol,
		.limit = limit,
		.rank = rank_of(&symbol) << 32 | (uint32_t)drafts->count,
	};
	drafts->count++;
}

/* What drafts are sorted by: small, because sorting moves it often. */
struct key {
	uint64_t address;
	size_t index; /* of its draft */
};

/* By one byte of the address; those that have the same stay as they are. False: all have the same, and
 * nothing was done. */
static bool sort_by_byte(const struct key *keys, struct key *sorted, size_t count, unsigned int shift)
{
	size_t next[256] = { 0 }, start = 0;

	for (size_t i = 0; i < count; i++)
		next[keys[i].address >> shift & 0xff]++;
	if (next[keys[0].address >> shift & 0xff] == count)
		return false;
	for (size_t i = 0; i < 256; i++) {
		size_t here = next[i];

		next[i] = start;
		start += here;
	}
	for (size_t i = 0; i < count; i++)
		sorted[next[keys[i].address >> shift & 0xff]++] = keys[i];
	return true;
}

/* The keys, which lie in either of the two arrays then. */
static struct key *sort_by_address(struct key *keys, struct key *other, size_t count)
{
	for (unsigned int shift = 0; count && shift < 64; shift += 8) {
		struct key *from = keys;

		if (!sort_by_byte(keys, other, count, shift))
			continue;
		keys = other;
		other = from;
	}
	return keys;
}

static int compare_ranks(const void *left, const void *right)
{
	const struct symbol_draft *a = left, *b = right;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* Symbols by the tens of thousands, of which few are at one address. */
void symbol_drafts_sort(struct symbol_drafts *drafts)
{
	size_t count = drafts->count;
	_cleanup_free_ struct key *first = xcalloc(count + 1, sizeof(*first));
	_cleanup_free_ struct key *second = xcalloc(count + 1, sizeof(*second));
	struct symbol_draft *sorted = xcalloc(count + 1, sizeof(*sorted));
	const struct key *keys;

	for (size_t i = 0; i < count; i++)
		first[i] = (struct key){ drafts->drafts[i].symbol.address, i };
	keys = sort_by_address(first, second, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = drafts->drafts[keys[i].index];
	for (size_t start = 0, end; start < count; start = end) {
		for (end = start + 1; end < count && keys[end].address == keys[start].address;)
			end++;
		if (end - start > 1)
			qsort(sorted + start, end - start, sizeof(*sorted), compare_ranks);
	}
	free(drafts->drafts);
	drafts->drafts = sorted;
	drafts->capacity = count + 1;
}

/* [first, last] are at one address, the next symbol is at `next`. */
static void end_group(struct symbol_draft *first, struct symbol_draft *last, uint64_t next)
{
	uint64_t sizes[2] = { 0, 0 }; /* of the best sized object and function */

	for (struct symbol_draft *draft = first; draft <= last; draft++) {
		uint64_t *size = &sizes[symbol_is_function(&draft->symbol)];
		uint64_t end = draft->limit < next ? draft->limit : next;

		if (draft->symbol.size) {
			*size = *size ? *size : draft->symbol.size;
			continue;
		}
		if (*size)
			draft->symbol.size = *size;
		else if (end > draft->symbol.address)
			draft->symbol.size = end - draft->symbol.address;
	}
}

void symbol_drafts_find_ends(struct symbol_drafts *drafts)
{
	uint64_t next = UINT64_MAX;
	size_t first;

	for (size_t end = drafts->count; end > 0; end = first) {
		uint64_t address = drafts->drafts[end - 1].symbol.address;

		for (first = end - 1; first && drafts->drafts[first - 1].symbol.address == address;)
			first--;
		end_group(&drafts->drafts[first], &drafts->drafts[end - 1], next);
		next = address;
	}
}

struct symbol *symbol_drafts_finish(const struct symbol_drafts *drafts, size_t *count)
{
	struct symbol *symbols = xcalloc(drafts->count + 1, sizeof(*symbols));

	for (size_t i = 0; i < drafts->count; i++)
		symbols[i] = drafts->drafts[i].symbol;
	*count = drafts->count;
	return symbols;
}

void symbol_drafts_release(struct symbol_drafts *drafts)
{
	free(drafts->drafts);
	*drafts = (struct symbol_drafts){ 0 };
}
