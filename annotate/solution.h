/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One function from bytes to answers: decoded, solved, asked. Private to annotate/. */
#ifndef DTPROF_ANNOTATE_SOLUTION_H
#define DTPROF_ANNOTATE_SOLUTION_H

#include "annotate/annotator.h"
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
	struct blame_skid skid;        /* of the late samples so far */
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

/* Samples of one instruction, and the accesses that they are charged to. */
struct sampled {
	struct annotator_sample sample;
	struct sampled_part *parts; /* to be freed, with their stories */
	size_t part_count;
};

struct sampled_part {
	uint64_t samples;
	uint64_t address; /* that is charged */
	uint8_t how;      /* enum blame_how */
	bool store;
	uint64_t callee;      /* not 0: they are still to be charged to what returned from this function */
	struct access answer; /* else */
	struct strbuf story;  /* of the first part that the instruction answers; else empty */
};

/* Fill in the parts of samples in one function: they are sorted by address, and all in the code that holds
 * the first of them. */
struct error *solution_answer(struct worker *worker, struct sampled *sampled, size_t count);
/*
 * The parts of samples that were taken right behind a return of the function at *returned's address;
 * `sampled` are the function's own samples, sorted. No parts: nothing is known of it.
 */
struct error *solution_returned(struct worker *worker, const struct sampled *sampled, size_t count,
				struct sampled *returned);
void sampled_release(struct sampled *sampled);

#endif
