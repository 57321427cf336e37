/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function from bytes to answers: decoded, solved, asked. Private to annotate/. */
#ifndef DTPROF_ANNOTATE_SOLUTION_H
#define DTPROF_ANNOTATE_SOLUTION_H

#include "annotate/access.h"
#include "annotate/hidden_edge.h"
#include "annotate/thunk.h"
#include "disasm/decoder.h"
#include "dwarf/debug.h"
#include "profiler/base/hash.h"
#include "profiler/base/strbuf.h"

struct solver;
struct flow;

/* One thread's tools. Zero-initialized is closed. */
struct worker {
	const struct elf_image *image;
	struct debug_reader *reader; /* NULL: no debug information */
	struct decoder *decoder;     /* NULL: not open */
	struct solver *solver;
	struct flow *flow;
	const struct thunks *thunks; /* of the image */
	const struct hidden_edges *hidden_edges;
	struct hash_map named_returns; /* see no_return.h */
	bool kernel;                   /* the image is a kernel, or a module of one */
	bool want_story;
	bool fused; /* as in struct annotator_options */
};

/* For functions of this object; no more than once does anything. `debug` may be NULL. */
struct error *worker_open(struct worker *worker, const struct elf_image *image, struct debug_object *debug,
			  bool no_infer, bool want_story);
void worker_close(struct worker *worker);

/* Of an asked-for instruction; `story` is only filled if the worker wants it. */
struct question {
	uint64_t address;
	bool store;
	bool asked; /* while the function is solved: `answer` is one */
	struct access answer;
	struct strbuf story;
};

/* Answer questions about addresses of one function: they are sorted, and all in the code that holds the first
 * of them. */
struct error *solution_answer(struct worker *worker, struct question *questions, size_t count);

#endif
