/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Call frame information (DWARF 5, section 6.4; .eh_frame: LSB Core, section 10.6): for each
 * address, the CFA and where the caller's registers are.
 *
 * All FDEs of .eh_frame and .debug_frame are indexed when the first is asked for. The instructions
 * of an FDE are run when its function is asked for. If both sections have a function, that of
 * .eh_frame is used.
 */
#pragma once

#include "dwarf/dwarf/sections.h"
#include "dwarf/dwarf/unit.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"
#include "base/cursor.h"
#include "base/memory.h"

struct frame_cie {
	uint64_t offset; /* in its section, by which FDEs refer to it */
	bool eh_frame;
	bool usable, has_augmentation_data;
	/* 'S': the caller of these functions was interrupted by a signal: it is not at a call */
	bool signal_frame;
	uint8_t address_size;
	uint8_t encoding;      /* of the addresses in FDEs */
	uint8_t lsda_encoding; /* of the LSDA addresses in FDEs; PE_OMIT: they have none */
	uint64_t return_register;
	uint64_t code_alignment;
	int64_t data_alignment;
	const uint8_t *instructions;
	uint32_t size;
};

enum frame_rule_kind {
	FRAME_RULE_NONE,          /* as the ABI says; for the CFA: not known */
	FRAME_RULE_UNDEFINED,     /* lost; for the return address: there is no caller */
	FRAME_RULE_SAME,          /* unchanged */
	FRAME_RULE_AT,            /* stored at CFA + offset */
	FRAME_RULE_IS,            /* CFA + offset */
	FRAME_RULE_REGISTER,      /* in register `reg`; for the CFA: reg + offset */
	FRAME_RULE_AT_EXPRESSION, /* stored at the expression's value */
	FRAME_RULE_IS_EXPRESSION, /* the expression's value */
};

struct frame_rule {
	uint8_t kind; /* enum frame_rule_kind */
	uint8_t reg;  /* 0xff: more than 254 */
	uint32_t expression_size;
	int64_t offset;
	const uint8_t *expression; /* in the section */
};

struct frame_state {
	struct frame_rule cfa;                            /* NONE, REGISTER or IS_EXPRESSION */
	struct frame_rule registers[FRAME_REGISTERS_MAX]; /* by DWARF's number */
};

struct frame_entry {
	uint64_t low, high;
	const uint8_t *instructions;
	uint32_t size;
	const struct frame_cie *cie;
	uint64_t lsda; /* address of the LSDA, the data for exceptions; 0: none */
};

struct frame_table {
	pthread_mutex_t lock;
	bool built; /* atomic */
	const struct dwarf_section_data *eh_frame;
	const struct dwarf_section_data *debug_frame;
	struct unit unit; /* made for the expressions, which are in no unit */
	/* of FDEs: the address where they begin, and 2 * offset + whether they are in .eh_frame;
	 * sorted; at one address in the order of the file, those of .eh_frame first */
	struct sort_key *keys;
	size_t count, capacity;
	struct frame_cie *cies;
	size_t cie_count, cie_capacity;
};

/* Initializes the table of these sections, which must outlive it. `file` is for the expressions of
 * rows; NULL: the caller never asks for rows. */
void frame_table_init(struct frame_table *table, const struct dwarf_section_data *eh_frame,
		      const struct dwarf_section_data *debug_frame, struct dwarf_file *file);
void frame_table_deinit(struct frame_table *table);
/* Builds the table's index. Other functions do this when they first need it. Thread-safe. */
void frame_table_build(struct frame_table *table);

struct frame_rows {
	struct frame_row *items;
	size_t count, capacity;
};

/* Sorts the rows by address and copies them to the arena. */
const struct frame_row *frame_rows_copy(struct frame_rows *rows, struct arena *arena);

/* Appends the rows for [low, high), sorted. Addresses without an FDE have none. Thread-safe. */
void frame_table_rows(struct frame_table *table, uint64_t low, uint64_t high,
		      struct frame_rows *rows);

/* Finds the state at `address` in the first FDE that covers it. The state is all 0 if it is not
 * known. Returns the FDE's CIE, or NULL if there is no FDE. Thread-safe. */
const struct frame_cie *frame_table_state(struct frame_table *table, uint64_t address,
					  struct frame_state *state);

/* Returns the exception edges of the part that begins at `low`, in call order, in `arena`. */
const struct exception_edge *frame_table_exception_edges(struct frame_table *table,
							 const struct elf_image *image,
							 uint64_t low, struct arena *arena,
							 size_t *count);
