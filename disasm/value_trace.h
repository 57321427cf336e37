/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces a register's value backward from an instruction to its origin, as far as jump tables need it.
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
void value_trace_deinit(struct value_trace *trace);

#define TRACE_DEFINITIONS_MAX 64

/* Instructions that wrote a register last before another one. */
struct trace_definitions {
	uint32_t insns[TRACE_DEFINITIONS_MAX];
	unsigned int count;
	bool complete; /* there are no others, and none is missing on any path */
};

/* A block without predecessors that is not the entry is passed over: it is reached by an edge that is not
 * known yet. */
void value_trace_definitions(struct value_trace *trace, uint32_t insn, uint8_t reg,
			     struct trace_definitions *definitions);
/* The one instruction that wrote `reg` last before `insn`, on all paths, or -1. */
int64_t value_trace_definition(struct value_trace *trace, uint32_t insn, uint8_t reg);
#define TRACE_CONSTANTS_MAX 8

struct trace_constants {
	uint64_t values[TRACE_CONSTANTS_MAX]; /* distinct */
	unsigned int count;
};

/*
 * The constants that `reg` may have before `insn`; other values that it may have are left out, for they can
 * come along edges that are none: behind calls that do not return, of which the caller does not know.
 */
void value_trace_constants(struct value_trace *trace, uint32_t insn, uint8_t reg,
			   struct trace_constants *constants);

/* How many values an index can have. */
struct index_bound {
	uint64_t count; /* 0: not known */
	bool exact; /* from a bounds check: the table has that many entries; else it has at most that many */
	uint8_t scale; /* what the register traced is a multiple of */
};

/* The bound of the index that `reg` holds before `insn`. */
struct index_bound value_trace_bound(struct value_trace *trace, uint32_t insn, uint8_t reg);

#endif
