/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a register's value comes from, looked for backward from an instruction: what jump tables need, and no
 * more.
 *
 * "Before insn" is the state in which the instruction runs.
 */
#ifndef DTPROF_DISASM_VALUE_TRACE_H
#define DTPROF_DISASM_VALUE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/code.h"

/* A tracer of one function. Its work is bounded: after that every answer is "not known". */
struct value_trace {
	const struct code *code;
	uint32_t *visited; /* per block: the search that came by last */
	uint32_t *stack;   /* blocks to look at */
	uint32_t search;
	uint32_t budget; /* blocks that may still be looked at */
};

void value_trace_init(struct value_trace *trace, const struct code *code);
void value_trace_release(struct value_trace *trace);

/* The instruction that wrote `reg` last before `insn`, on all paths, or -1. */
int64_t value_trace_definition(struct value_trace *trace, uint32_t insn, uint8_t reg);
/* The constant that `reg` has before `insn`, on all paths. */
bool value_trace_constant(struct value_trace *trace, uint32_t insn, uint8_t reg, uint64_t *value);

/* How many values an index can have. */
struct index_bound {
	uint64_t count; /* 0: not known */
	bool exact; /* from a bounds check: the table has that many entries; else it has at most that many */
	uint8_t scale; /* what the register traced is a multiple of */
};

/* The bound of the index that `reg` holds before `insn`. */
struct index_bound value_trace_bound(struct value_trace *trace, uint32_t insn, uint8_t reg);

#endif
