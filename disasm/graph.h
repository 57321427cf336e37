/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Blocks and edges of decoded instructions. */
#ifndef DTPROF_DISASM_GRAPH_H
#define DTPROF_DISASM_GRAPH_H

#include "disasm/code.h"
#include "disasm/flow.h"
#include "disasm/jump_table.h"

/* Fill blocks and edges of `code`, in place of those that are there, with the jump tables known so far:
 * blocks begin where these lead, from then on. */
void graph_build(struct code *code, struct flow *flow, const struct jump_tables *tables);

/* Fill `order`. */
void graph_order(struct code *code);

#endif
