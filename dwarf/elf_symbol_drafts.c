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
	uint64_t rank;
	size_t index; /* of its draft */
};

static int compare(const void *left, const void *right)
{
	const struct key *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

void symbol_drafts_sort(struct symbol_drafts *drafts)
{
	_cleanup_free_ struct key *keys = xcalloc(drafts->count + 1, sizeof(*keys));
	struct symbol_draft *sorted = xcalloc(drafts->count + 1, sizeof(*sorted));

	for (size_t i = 0; i < drafts->count; i++)
		keys[i] = (struct key){ drafts->drafts[i].symbol.address, drafts->drafts[i].rank, i };
	qsort(keys, drafts->count, sizeof(*keys), compare);
	for (size_t i = 0; i < drafts->count; i++)
		sorted[i] = drafts->drafts[keys[i].index];
	free(drafts->drafts);
	drafts->drafts = sorted;
	drafts->capacity = drafts->count + 1;
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
