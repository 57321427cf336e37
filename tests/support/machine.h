/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs single instructions on the processor: a child process is stepped with given registers. The
 * registers and memory that change show what an instruction does, whatever manuals say.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MACHINE_DATA_SIZE 0x20000
#define VECTOR_BYTES      64

struct machine_registers {
	uint64_t general[16]; /* by enum reg */
	uint8_t vectors[32][VECTOR_BYTES];
};

struct machine;

/* Returns NULL if processes cannot be traced here. */
struct machine *machine_create(void);
void machine_destroy(struct machine *machine);

/* Returns the child's memory, which has the same address in this process; the page after it cannot
 * be accessed. */
uint8_t *machine_data(struct machine *machine);
/* Returns the address at which instructions run. */
uint64_t machine_code(const struct machine *machine);

/*
 * Runs the instruction at `bytes` (15 bytes, with whatever follows it) with `registers`, which
 * become those after it. Returns 0, the signal that it raised, or -1 if the child is lost. Sets
 * *length to the distance by which the instruction pointer moved. All bits of the mask registers
 * (AVX-512) are set.
 */
int machine_step(struct machine *machine, const uint8_t *bytes, struct machine_registers *registers,
		 uint64_t *length);
