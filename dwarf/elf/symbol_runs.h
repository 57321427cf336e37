/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The symbols of an image by their addresses. symbols.c collects drafts of them, of which a list is
 * made; no other file uses it.
 *
 * The entries of a table are read once, only to put them into blocks: parts of sections that have
 * some symbols each. Blocks whose symbols share no address with those of others are a run, which is
 * sorted by address and read from the file when an address in it is asked for: few symbols of a
 * large file are.
 */
#pragma once

#include "dwarf/elf/image_private.h"

#define LONGEST_SYMBOL_NAME 65536 /* bytes; longer ones are ignored */

/* A symbol: the index counts the entries of the table, and then those in `made`. */
struct symbol_draft {
	uint32_t block, index;
};

struct symbol_block {
	uint64_t lowest; /* address of a symbol; UINT64_MAX: there is none */
	uint64_t end;    /* the highest end of those that have a size */
	uint32_t count;
};

/* Zero-initialized is empty, with one block. */
struct symbol_drafts {
	struct symbol_draft *items;
	size_t count, capacity;
	struct elf_symbol_table table;
	struct symbol *made;
	size_t made_count, made_capacity;
	const struct elf_image *image; /* that has the sections; NULL: there is one block */
	unsigned int shift;            /* bytes of a block */
	/* first block of each section, by its number; UINT32_MAX: it takes up no addresses */
	uint32_t *part_block;
	const struct elf_part *code; /* the largest section of code, which most ask for; or NULL */
	bool overlap;                /* sections do */
	struct symbol_block *blocks;
	size_t block_count;
};

/* Makes a symbol of an entry of a table that is in a section. */
static inline struct symbol symbol_of(const struct elf_symbol *entry, const char *name)
{
	return (struct symbol){
		.address = entry->value,
		.size = entry->size,
		.name = name,
		.type = entry->type,
		.binding = entry->binding,
	};
}

void symbol_drafts_init(struct symbol_drafts *drafts, const struct elf_image *image,
			size_t symbols);
void symbol_drafts_deinit(struct symbol_drafts *drafts);
/* Adds a symbol of the table. A size of 0 is not known. */
void symbol_drafts_note(struct symbol_drafts *drafts, uint64_t address, uint64_t size,
			size_t index);
/* Adds those from `index` on of the usual kinds, of which no more than the entry has to be looked
 * at. Returns the index of the first that may be another. */
size_t symbol_drafts_note_usual(struct symbol_drafts *drafts, size_t index);
/* Adds a symbol that is not as in the table. Without a size it ends at `limit` at the latest. */
void symbol_drafts_add(struct symbol_drafts *drafts, struct symbol symbol, uint64_t limit);

/* A run of blocks. */
struct symbol_run {
	size_t first;    /* index of its first symbol */
	uint64_t lowest; /* that symbol's address */
	_Atomic(bool) read;
	_Atomic(struct symbol_cover *) functions;
	_Atomic(struct symbol_cover *) objects;
};

struct symbol_runs {
	struct symbol_drafts drafts;
	uint32_t *indices;       /* of the drafts, by block */
	uint32_t *run_of;        /* number of a block's run */
	struct symbol_run *runs; /* and behind them the end of the last one */
	size_t run_count;
	struct symbol *symbols; /* those of runs that were read */
	_Atomic(bool) read;     /* all of them were */
};

/* Makes a list that has a copy of *drafts. It does not own what that points to. */
void symbol_runs_init(struct symbol_runs *list, const struct symbol_drafts *drafts);
void symbol_runs_deinit(struct symbol_runs *list);
/* Reads all symbols. Call it under the lock that the functions below get. */
void symbol_runs_read(struct symbol_runs *list);
/* Returns the symbols that begin at an address, the best first. */
const struct symbol *symbol_runs_at(struct symbol_runs *list, uint64_t address,
				    pthread_mutex_t *lock, size_t *count);
/* Returns the symbol that covers an address, of the functions or of the data; or NULL. */
const struct symbol *symbol_runs_covering(struct symbol_runs *list, uint64_t address, bool data,
					  pthread_mutex_t *lock);
