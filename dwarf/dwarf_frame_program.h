/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The instructions of call frame information (DWARF 5, section 6.4.2): where at each address the CFA is, and
 * where each register of the caller. Private to dwarf/.
 */
#ifndef DTPROF_DWARF_DWARF_FRAME_PROGRAM_H
#define DTPROF_DWARF_DWARF_FRAME_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/dwarf_section.h"
#include "profiler/base/cursor.h"

/* DWARF numbers: rax to r15, and 16, the return address (x86-64 psABI, figure 3.36). */
#define FRAME_REGISTERS       17
#define FRAME_REGISTER_SP     7
#define FRAME_REGISTER_RETURN 16

struct frame_cie {
	uint64_t offset; /* in its section, for the FDEs to find it */
	bool eh_frame;
	bool usable;
	bool has_augmentation_data;
	bool signal_frame; /* 'S': what these functions return to was interrupted, not calling */
	uint8_t address_size;
	uint8_t encoding;      /* of the addresses in FDEs */
	uint8_t lsda_encoding; /* of what they refer to for exceptions; PE_OMIT: nothing */
	uint64_t return_register;
	uint64_t code_alignment;
	int64_t data_alignment;
	const uint8_t *instructions;
	uint32_t size;
};

enum frame_rule_kind {
	FRAME_RULE_NONE,          /* what the ABI says; of the CFA: not known */
	FRAME_RULE_UNDEFINED,     /* lost; of the return address: there is no caller */
	FRAME_RULE_SAME,          /* unchanged */
	FRAME_RULE_AT,            /* stored at CFA + offset */
	FRAME_RULE_IS,            /* CFA + offset */
	FRAME_RULE_REGISTER,      /* in register `reg`; the CFA: that + offset */
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
	struct frame_rule cfa; /* NONE, REGISTER or IS_EXPRESSION */
	struct frame_rule registers[FRAME_REGISTERS];
};

struct frame_program {
	const struct frame_cie *cie;
	const struct dwarf_section_data *section; /* that both are in */
	const uint8_t *instructions;              /* the FDE's */
	uint32_t size;
	uint64_t low; /* the addresses that it is for */
	uint64_t high;
};

/* An address as the CIE has it encoded. */
uint64_t frame_encoded_address(struct cursor *cursor, const struct frame_cie *cie, uint64_t section_address);

/*
 * Calls back for each row that meets [low, high), in the order of the addresses, with the part that does: all
 * of what the program and that range have in common is covered. Where instructions cannot be read, nothing is
 * known from there on.
 */
void frame_program_run(const struct frame_program *program, uint64_t low, uint64_t high,
		       void (*visit)(void *data, uint64_t low, uint64_t high,
				     const struct frame_state *state),
		       void *data);

#endif
