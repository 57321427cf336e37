/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory operands of sampled instructions, for computing data addresses from registers. */
#ifndef DTPROF_RESOLVE_OPERANDS_H
#define DTPROF_RESOLVE_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/decoder.h"
#include "profiler/base/error.h"
#include "profiler/base/hash.h"
#include "profiler/ingest/data_operand.h"
#include "profiler/ingest/dso.h"

struct operands {
	struct decoder *decoder;
	const struct dso_options *dso; /* the caller's */
	bool late;                     /* late samples are charged to what was waited for */
	/* the accesses that late samples may have waited for, each found once; by object and address */
	struct hash_map known;
	struct waited *waited;
	size_t count, capacity;
};

struct error *operands_init(struct operands *operands, const struct dso_options *dso, bool late);
void operands_release(struct operands *operands);
/* For struct session_options; good as long as `operands` is. */
struct data_operand_finder operands_finder(struct operands *operands);
/*
 * The instruction whose operand is given for a late sample at `address`: the nearest load before it in a
 * straight line, or the sampled instruction itself. The sample may turn out to be of another one, by a jump
 * or by what other samples say: its data address then means nothing.
 */
uint64_t operands_waited(struct operands *operands, struct dso *dso, uint64_t address);

/* The instruction that a sample is behind: where the processor traps only when the access was made. */

/*
 * From *address, where control was found, to the instruction that was executed before it, which is the one
 * that ends there: decoded from the start of its function. False, and *address as it was: the bytes are not
 * there, or none ends there, or what does goes on somewhere else or accesses no memory, so that control came
 * by another way; or a repeated string instruction stands at *address, which may have trapped in the middle.
 */
bool insn_before(struct dso *dso, const struct dso_options *options, bool store, uint64_t *address);

#endif
