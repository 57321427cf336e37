/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A function whose code is to be shown: its samples, its instructions and what they access. */
#ifndef DTPROF_COMMANDS_CODE_FUNCTION_H
#define DTPROF_COMMANDS_CODE_FUNCTION_H

#include "annotate/access.h"
#include "annotate/access_count.h"
#include "disasm/decoder.h"
#include "disasm/insn.h"
#include "profiler/commands/resolve.h"

/* Samples at one address, of one event. */
struct code_sample {
	uint64_t address;
	uint32_t event; /* in its group */
	bool charged;   /* samples that are charged to the instruction there, wherever they were taken */
	struct access_count count;
};

struct code_function {
	struct dso *dso;
	const char *symbol; /* as shown; the resolution's */
	uint64_t address;
	uint32_t group;              /* of events */
	struct code_sample *samples; /* by address */
	size_t sample_count;
	struct access_count total; /* of all events of the group, as sampled */

	/* after code_function_decode() */
	const uint8_t *bytes; /* the image's; NULL: there is no code, `problem` says why */
	const char *problem;
	struct insn *insns;
	size_t insn_count;
	struct access
		*accesses; /* of each instruction, after code_functions_resolve(); NULL: not asked for */
};

/* Find the code and decode it. */
void code_function_decode(struct code_function *function, struct decoder *decoder,
			  const struct dso_options *options);
void code_function_release(struct code_function *function);

/* The types of all memory accesses of decoded functions. */
struct error *code_functions_resolve(struct code_function *functions, size_t count,
				     const struct dso_options *dso_options, bool no_infer,
				     unsigned int threads);

#endif
