/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decoding around samples: the memory operands that data addresses are computed from, and the
 * instruction before a sample.
 *
 * ingest computes data addresses while it counts, and decodes nothing. It asks a finder, which is a
 * struct operands, once for each sampled instruction and thread.
 */
#ifndef DTPROF_RESOLVE_OPERANDS_H
#define DTPROF_RESOLVE_OPERANDS_H

#include <stdbool.h>
#include <stdint.h>

#include "disasm/insn.h"
#include "profiler/base/error.h"
#include "profiler/base/hash.h"
#include "profiler/ingest/session.h"
#include "profiler/objects/dso.h"

struct operands {
	struct decoder *decoder;
	const struct dso_options *dso; /* not owned */
	bool late;                     /* late samples are charged to the access they waited for */
	/*
	 * The access that a late sample may have waited for, by object and address. Each is found
	 * once.
	 */
	struct hash_map known;
	struct waited *waited;
	size_t count, capacity;
};

struct error *operands_init(struct operands *operands, const struct dso_options *dso, bool late);
void operands_deinit(struct operands *operands);
/* Returns the finder for struct session_options. Valid as long as `operands`. */
struct data_operand_finder operands_finder(struct operands *operands);
/*
 * Returns the address of the instruction whose operand the finder gives for a late sample at
 * `address`: the nearest load before it in a straight line, or `address` itself. Other samples or a
 * jump may show later that another instruction was waited for; the computed data address is then
 * meaningless.
 */
uint64_t operands_waited(struct operands *operands, struct dso *dso, uint64_t address);

/*
 * Move *address back to the instruction before it, for events that trap only after the access
 * (breakpoints). The function is decoded from its start to find the instruction that ends there.
 * Returns false and leaves *address alone if there are no bytes, if no instruction ends there, if
 * that instruction transfers control or accesses no memory (so control came another way), or if
 * *address is a repeated string instruction, which may have trapped in its middle.
 */
bool insn_before(struct dso *dso, const struct dso_options *options, bool store, uint64_t *address);

#endif
