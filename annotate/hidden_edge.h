/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Edges of a kernel's flow of control that its instructions do not show: a static branch is a nop that
 * becomes a jump, or a jump that becomes a nop, when its key is switched (arch/x86/include/asm/jump_label.h).
 */
#ifndef DTPROF_ANNOTATE_HIDDEN_EDGE_H
#define DTPROF_ANNOTATE_HIDDEN_EDGE_H

#include <stddef.h>

#include "dwarf/elf/image.h"

/* What is behind the instruction at `from` may be the one at `to`, too. */
struct hidden_edge {
	uint64_t from;
	uint64_t to;
};

struct hidden_edges {
	struct hidden_edge *items; /* sorted by `from` */
	size_t count;
	size_t capacity;
};

/* Of a kernel or a module; none where the image has no list of them. */
void hidden_edges_find(struct hidden_edges *edges, const struct elf_image *image);
void hidden_edges_release(struct hidden_edges *edges);
/* Those from [low, high). */
const struct hidden_edge *hidden_edges_from(const struct hidden_edges *edges, uint64_t low, uint64_t high,
					    size_t *count);

#endif
