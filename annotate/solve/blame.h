/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The blame pass: it chooses the instruction that a late sample is charged to.
 *
 * An interrupt is taken at the end of an instruction: the processor first retires the oldest one,
 * and reports the address of the next. A sample of a timer therefore names the instruction after
 * the one that was waited for. Documentation/blame.md has the rules with their sources; blame.c
 * applies them.
 *
 * Private to annotate/.
 */
#pragma once

#include "annotate/solve/type_resolver.h"
#include "disasm/cfg.h"

/* The meaning of a charge. */
enum blame_what {
	BLAME_ACCESS,         /* its memory access was waited for */
	BLAME_COMPUTATION,    /* no access was waited for: the samples stay where they are */
	BLAME_OWN_TIME,       /* it takes long by itself: `own_time` */
	BLAME_INTERRUPTS_OFF, /* interrupts were held back until it enabled them */
	/* a direct call: the samples are those of its callee, which has just returned */
	BLAME_CALLEE,
	BLAME_RETURN, /* a call whose callee is not known */
};

/* A part of the samples of one instruction. */
struct blame_charge {
	uint32_t insn;    /* instruction that the samples are charged to */
	uint8_t how;      /* enum blame_how */
	uint8_t what;     /* enum blame_what */
	uint8_t own_time; /* enum own_time, with BLAME_OWN_TIME */
	double share;     /* of the samples of the sampled one; those of its charges sum up to 1 */
};

struct blame_charges {
	struct blame_charge *items;
	size_t count, capacity;
};

/* One function's late samples. */
struct blame {
	const struct cfg *code;
	const uint64_t *samples; /* by instruction */
	bool kernel;
	bool enables_interrupts; /* the function does nothing else */
	/* whether a comparison of memory retires together with the branch after it: [0] a
	 * comparison with a register, [1] one with a constant */
	bool fuses[2];
	uint32_t *blocks;         /* by instruction: its block */
	uint64_t *block_samples;  /* by block: the sum of `samples` */
	uint32_t *before;         /* by block: the last instruction of the heaviest predecessor */
	uint8_t *kinds;           /* by instruction: what it accesses */
	uint64_t frame_registers; /* REG_BITs of the registers that point into the function's own
				     frame */
};

/* `code` and `samples` stay the caller's, and must outlive *blame. */
void blame_init(struct blame *blame, const struct cfg *code, const uint64_t *samples, bool kernel);
/* Appends the charges of samples at instruction `sampled`: one or more. `came_from` is as in struct
 * type_resolver_sample. */
void blame_sampled(const struct blame *blame, uint32_t sampled, uint64_t came_from,
		   struct blame_charges *charges);
/* Appends the charges of `samples` samples taken right after a return of this function. Appends
 * none if it does not return. Their `sampled` is the return. */
void blame_returned(const struct blame *blame, uint64_t samples, struct blame_charges *charges);
/* Adds the function's samples after loads to *skid. */
void blame_measure(const struct blame *blame, struct blame_skid *skid);
void blame_deinit(struct blame *blame);
void blame_charges_deinit(struct blame_charges *charges);
