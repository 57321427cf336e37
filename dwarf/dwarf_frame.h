/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information (DWARF 5, section 6.4; .eh_frame: LSB Core, chapter 10.6).
 *
 * All FDEs of .eh_frame and .debug_frame are indexed when the first is asked for; only those of functions
 * that are asked for are run. Where both sections have a function .eh_frame counts.
 */
#ifndef DTPROF_DWARF_DWARF_FRAME_H
#define DTPROF_DWARF_DWARF_FRAME_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/dwarf_frame_program.h"
#include "dwarf/dwarf_section.h"
#include "dwarf/dwarf_unit.h"
#include "dwarf/function.h"
#include "profiler/base/memory.h"

struct frame_entry {
	uint64_t low;
	uint64_t high;
	const uint8_t *instructions;
	uint32_t size;
	uint32_t cie;  /* index */
	uint64_t lsda; /* address of the data for exceptions; 0: none */
};

struct frame_table {
	pthread_mutex_t lock;
	bool built; /* atomic */
	const struct dwarf_section_data *eh_frame;
	const struct dwarf_section_data *debug_frame;
	struct unit unit; /* stands for the unit that expressions of CFI do not have */
	struct frame_entry
		*entries; /* sorted by low; those of .eh_frame are before others with the same low */
	size_t count;
	size_t capacity;
	struct frame_cie *cies;
	size_t cie_count;
	size_t cie_capacity;
};

/* The sections must outlive the table; `file` is for the expressions of rows (NULL: no rows are asked for).
 */
void frame_table_init(struct frame_table *table, const struct dwarf_section_data *eh_frame,
		      const struct dwarf_section_data *debug_frame, struct dwarf_file *file);
void frame_table_deinit(struct frame_table *table);

struct frame_rows {
	struct frame_row *items;
	size_t count;
	size_t capacity;
};

/* Sort them by address, and copy them. */
const struct frame_row *frame_rows_copy(struct frame_rows *rows, struct arena *arena);

/* Append the rows for [low, high), sorted; addresses that no FDE covers have none. Thread-safe. */
void frame_table_rows(struct frame_table *table, uint64_t low, uint64_t high, struct frame_rows *rows);

/*
 * The state at `address`, and the CIE that it goes back to; NULL: no FDE covers it. The first FDE counts. The
 * state is all 0 where it is not known. Thread-safe.
 */
const struct frame_cie *frame_table_state(struct frame_table *table, uint64_t address,
					  struct frame_state *state);

/* The first FDE that begins at `address`, .eh_frame's if both sections have one; NULL: none. Thread-safe. */
const struct frame_entry *frame_table_entry(struct frame_table *table, uint64_t address);

#endif
