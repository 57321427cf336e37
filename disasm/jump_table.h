/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Jump tables: where an indirect jump of a switch, or of a computed goto, goes. */
#pragma once

#include "disasm/cfg.h"

struct jump_table {
	uint32_t insn;         /* the jump */
	uint32_t target_first; /* in targets of the set */
	uint32_t target_count;
	bool complete; /* every entry that the bounds check lets through is a target */
};

/* The tables of one function, by instruction. Zero-initialized is empty. */
struct jump_tables {
	struct jump_table *items;
	size_t count, capacity;
	size_t sorted; /* the first of them, found in earlier rounds, are sorted by instruction */
	bool changed;  /* this round found something */
	uint32_t *targets; /* instructions */
	size_t target_count;
	size_t target_capacity;
	struct cfg_table *places; /* one for each table */
	size_t place_count;
	size_t place_capacity;
	struct cfg_case *cases;
	size_t case_count, case_capacity;
};

/* Looks for unknown tables of jumps along the edges of `code`. True: it found any. */
bool jump_tables_read(const struct cfg *code, const struct cfg_request *request,
		      struct jump_tables *tables);
/* Returns the table of a jump; NULL: none is known. */
struct jump_table *jump_tables_find(const struct jump_tables *tables, uint32_t insn);
void jump_tables_deinit(struct jump_tables *tables);
