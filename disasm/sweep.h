/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions of a function's ranges, one after the other. */
#ifndef DTPROF_DISASM_SWEEP_H
#define DTPROF_DISASM_SWEEP_H

#include "disasm/code.h"

/* Fill insns and spans of `code`, decoding each range from end to end. */
void sweep_ranges(struct decoder *decoder, const struct code_request *request, struct code *code);

/*
 * The same, where that misses the target of a jump (data among the code): the flow of control, followed from
 * the entry and the leaders, decides where instructions start.
 */
void sweep_by_flow(struct decoder *decoder, const struct code_request *request, struct code *code);

#endif
