/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decoding around samples: the memory operands that data addresses are computed from, and the
 * instruction before a sample.
 *
 * ingest computes data addresses while it counts, and decodes nothing. It asks a finder, which is a
 * struct operands, once for each sampled instruction and thread.
 */
#pragma once

#include <pthread.h>

#include "disasm/insn.h"
#include "base/error.h"
#include "base/hash.h"
#include "profiler/ingest/session.h"
#include "profiler/objects/dso.h"
#include "profiler/resolve/witness.h"

struct operands {
	struct decoder *decoder; /* for the functions below, of one thread */
	/* The finder may be called by several threads. This guards `spare`, `known` and `waited`,
	 * and the opening of files; no thread decodes while it holds the lock. */
	pthread_mutex_t lock;
	struct decoder **spare; /* decoders that no thread uses at the moment */
	size_t spare_count, spare_capacity;
	const struct dso_options *dso; /* not owned */
	/* events are late, so that samples are charged to the access that they waited for */
	bool late;
	/* The access that a late sample may have waited for, by object and address. */
	struct hash_map known;
	/* With operands_charge(): the charged access by object and address, in `charges`. */
	struct hash_map charged;
	struct operand_charge *charges;
	size_t charge_count, charge_capacity;
	/* With operands_charge(): the instructions whose samples tell elements of an array, by
	 * object and sampled address, as index in `indexed`. */
	struct hash_map elements;
	struct indexed_insn *indexed;
	size_t indexed_count, indexed_capacity;
	bool charging; /* operands_charge() was called */
	/* with operands_charge() */
	struct witnesses witnesses;
	struct waited_access *waited;
	size_t count, capacity;
};

/* `dso` must outlive the operands. `late` is as in the struct. */
struct error *operands_init(struct operands *operands, const struct dso_options *dso, bool late);
void operands_deinit(struct operands *operands);
/* Returns the finder for struct session_options. It is valid as long as `operands`. */
struct data_operand_finder operands_finder(struct operands *operands);
/* Returns the address of the instruction whose operand the finder gives for a late sample at
 * `address`: the nearest load before it in a straight line, or `address` itself. If another one
 * proves to have been waited for, the computed address means nothing. */
uint64_t operands_waited(struct operands *operands, struct dso *dso, uint64_t address);

/*
 * From now on the finder gives, for a late sample, the operand of the access that most samples of
 * its address were charged to, according to an earlier resolution of the same samples. It is
 * recovered along the straight line from there to the sample, or once around a loop; where its
 * registers were overwritten on the way, it is not known. Also finds what samples are witnesses of.
 */
struct error *operands_charge(struct operands *operands, const struct resolution *resolution);

/* Returns whether the load at `address` is followed by a store to the same place, as in
 * `object->count++` for a volatile count: in a straight line, which changes the registers of the
 * address by constants only. Samples wait for the load, so such a store has none. */
bool operands_stores_back(struct operands *operands, struct dso *dso, uint64_t address);

/* Returns whether the instruction only adds to memory, without result: `lock add`, `incq`. */
bool operands_adds(struct operands *operands, struct dso *dso, uint64_t address);

/* Returns whether the load at `address` only waits until its memory changes: see loop_polls(). */
bool operands_polls(struct operands *operands, struct dso *dso, uint64_t address);

/* An access that is made whenever another one is, through the same pointer. */
struct beside {
	uint64_t insn; /* address of the instruction */
	int64_t delta; /* its data address minus the other one's */
	uint8_t size;  /* bytes */
	bool read, write;
};

#define BESIDE_MAX 16

/* Fills in the accesses of the basic block of the access at `address` that have the same base
 * register, no index, and no write to that register in between. Returns their number; 0 if the
 * access itself has no base or an index. */
size_t operands_beside(struct operands *operands, struct dso *dso, uint64_t address,
		       struct beside result[BESIDE_MAX]);

/*
 * Moves *address back to the instruction before it, for events that trap only after the access
 * (breakpoints). The function is decoded from its start to find the instruction that ends there.
 * Returns false and leaves *address alone if there are no bytes, if no instruction ends there, if
 * that instruction transfers control or accesses no memory (so control came another way), or if
 * *address is a repeated string instruction, which may have trapped in its middle.
 */
bool insn_before(struct dso *dso, const struct dso_options *options, bool store, uint64_t *address);
