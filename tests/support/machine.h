/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processor, one instruction at a time: a child process that is stepped with given registers.
 * The registers and memory that it changes show what the instruction does, whatever manuals say.
 */
#ifndef DTPROF_TESTS_SUPPORT_MACHINE_H
#define DTPROF_TESTS_SUPPORT_MACHINE_H

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

/* NULL: processes cannot be traced here. */
struct machine *machine_create(void);
void machine_destroy(struct machine *machine);

/* The child's memory, at the same address here; the page behind it can not be accessed. */
uint8_t *machine_data(struct machine *machine);
/* Returns the address at which instructions run. */
uint64_t machine_code(const struct machine *machine);

/*
 * All mask registers (AVX-512) let everything through. Run the instruction at `bytes` (15 of them,
 * with whatever follows) with `registers`, which are replaced by what is left. Gives 0, or the
 * signal that it raised, or -1 if the child is lost. *length: how far the instruction pointer
 * moved.
 */
int machine_step(struct machine *machine, const uint8_t *bytes, struct machine_registers *registers,
		 uint64_t *length);

#endif
