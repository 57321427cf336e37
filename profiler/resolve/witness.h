/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses that samples are witnesses of, besides the one they are charged to.
 *
 *     for (i = 0; i < count; i++)
 *             sums->x += points[i].x;
 *
 * Nobody waits for the store to sums->x in a line of its own, so hardly a sample is there. But each
 * sample of the loop shows that the thread is in it, and has `sums` in a register.
 *
 * A sample is a witness of an access if
 *
 * - the access is made whenever the sampled instruction runs: it is in the same basic block; or
 *   in the innermost loop around the sample, and all iterations make it, or it comes before the
 *   sample on all ways through the loop;
 * - its address is a general register and a constant, and the sample has the register's value at
 *   the access: nothing changes it in between, or in the loop.
 *
 * A register that a loop counts up is left out. It passes over many objects, which have samples of
 * their own.
 */
#pragma once

#include "disasm/insn.h"
#include "base/error.h"
#include "base/hash.h"
#include "profiler/ingest/session.h"
#include "profiler/objects/dso.h"

struct resolution;

/* An instruction that accesses memory. */
struct witnessed_access {
	struct dso *dso;
	uint64_t insn; /* file address */
	uint8_t size;  /* bytes */
	bool read, write;
};

/* One access that the samples at an instruction are witnesses of. */
struct witnessed {
	uint32_t access;      /* index in struct witnesses */
	uint8_t kept;         /* index of the sample's kept register, */
	int64_t displacement; /* and what is added to it */
};

/* The accesses that the samples at one instruction are witnesses of. */
struct witness {
	const struct dso *dso;
	uint64_t sampled; /* file address */
	/* numbers in <asm/perf_regs.h>, or DATA_OPERAND_NO_REGISTER */
	uint8_t registers[DATA_KEPT_MAX];
	size_t first, count; /* of `items` in struct witnesses */
};

struct witnesses {
	struct witness *all;
	size_t count, capacity;
	struct witnessed *items;
	size_t item_count, item_capacity;
	struct witnessed_access *accesses; /* each instruction once */
	size_t access_count, access_capacity;
	struct hash_map by_sample, by_access; /* indexes of `all` and `accesses` */
};

/* Finds what the late samples of a resolution are witnesses of. Functions with fewer samples than a
 * side of a verdict needs are left out. May change the decoder's architecture. */
struct error *witnesses_find(struct witnesses *witnesses, struct decoder **decoder,
			     const struct dso_options *options,
			     const struct resolution *resolution);
/* Returns what samples at an instruction are witnesses of, or NULL. */
const struct witness *witnesses_at(const struct witnesses *witnesses, const struct dso *dso,
				   uint64_t sampled);
void witnesses_deinit(struct witnesses *witnesses);
