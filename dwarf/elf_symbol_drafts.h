/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols while they are collected: put in order, the best of several at one address first, and given an end.
 * Zero-initialized is empty.
 */
#ifndef DTPROF_DWARF_ELF_SYMBOL_DRAFTS_H
#define DTPROF_DWARF_ELF_SYMBOL_DRAFTS_H

#include "dwarf/elf_image.h"

#define LONGEST_SYMBOL_NAME 65536 /* bytes; a longer one is not taken for a name */

struct symbol_draft {
	struct symbol symbol;
	uint64_t limit; /* where it ends at the latest if it has no size: its section's end */
	uint64_t rank;  /* less is better, among those at the same address; its lower half is the order of
			   addition */
};

struct symbol_drafts {
	struct symbol_draft *drafts;
	size_t count;
	size_t capacity;
};

/* STT_FUNC, STT_GNU_IFUNC, or a label in code */
bool symbol_is_function(const struct symbol *symbol);

void symbol_drafts_add(struct symbol_drafts *drafts, struct symbol symbol, uint64_t limit);
void symbol_drafts_sort(struct symbol_drafts *drafts);
/* A symbol without a size is as large as its sized alias, or ends where the next one begins, or at its limit.
 * They must be sorted. */
void symbol_drafts_find_ends(struct symbol_drafts *drafts);
/* The symbols alone, *count of them, to be freed by the caller. */
struct symbol *symbol_drafts_finish(const struct symbol_drafts *drafts, size_t *count);
void symbol_drafts_release(struct symbol_drafts *drafts);

#endif
