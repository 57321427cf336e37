/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The story of an answer, for --debug type-profile: where the base register's value came from. Private to
 * annotate/. */
#ifndef DTPROF_ANNOTATE_STORY_H
#define DTPROF_ANNOTATE_STORY_H

#include "annotate/solver.h"
#include "profiler/base/strbuf.h"

struct story;

struct story *story_create(struct solver *solver);
void story_destroy(struct story *story);

/* The walk enters a block; sees an instruction with the state before it; is asked for one. */
void story_block(struct story *story, uint32_t block);
void story_instruction(struct story *story, const struct state *state, uint32_t insn);
void story_tell(struct story *story, const struct state *state, uint32_t insn, const struct access *access,
		struct strbuf *text);

#endif
