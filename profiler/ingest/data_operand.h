/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How the address of an instruction's data is made of the registers before it, and the address itself.
 *
 * A sample of a timer or of a counter's interrupt has the registers of an instruction that has not run yet,
 * so that its operand is exact; so is that of an earlier one, as long as its registers were not changed
 * since. Whoever can decode instructions gives a finder; ingest decodes none.
 */
#ifndef DTPROF_INGEST_DATA_OPERAND_H
#define DTPROF_INGEST_DATA_OPERAND_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/ingest/dso.h"
#include "profiler/ingest/sample.h"

#define DATA_OPERAND_NO_REGISTER 0xff

struct data_operand {
	/* registers tell the address: there is a memory operand, and no part of it is a segment's base or a
	 * vector */
	bool known;
	bool relative; /* the displacement is a file address: it moves with the object */
	uint8_t base;  /* number in <asm/perf_regs.h>, or DATA_OPERAND_NO_REGISTER */
	uint8_t index;
	uint8_t scale;
	int64_t displacement;
	uint64_t insn; /* file address of the sampled instruction */
	/* file addresses that the object takes up in memory, from its first segment to the end of its last,
	 * also where the operand is not known; empty: not known */
	uint64_t start;
	uint64_t end;
};

/* How to find the operand of an instruction; called by one thread at a time, once for each instruction. */
struct data_operand_finder {
	/* `store`: which of two operands is meant, as for types. `late`: the sample was taken by an
	 * interrupt, and is of what was waited for. */
	void (*find)(void *data, struct dso *dso, uint64_t insn, bool store, bool late,
		     struct data_operand *operand);
	void *data;
};

/* `ip` is where the instruction ran. False: a register that it needs was not taken. */
bool data_operand_address(const struct data_operand *operand, const struct sample_registers *registers,
			  uint64_t ip, uint64_t *address);

#endif
