/* SPDX-License-Identifier: GPL-2.0-or-later */

#ifndef DTPROF_DWARF_UNWIND_UNWIND_H
#define DTPROF_DWARF_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"
#include "profiler/base/error.h"

/*
 * From a function's registers to those of its caller, by the call frame information of the object that it is
 * in.
 *
 * Registers and memory are those of a sample, and may hold anything: nothing is read but through
 * unwind_memory, and each step is bounded. Not thread-safe: one table a thread.
 */

struct unwind_frame {
	const struct frame_registers *numbers;   /* the architecture's */
	uint64_t registers[FRAME_REGISTERS_MAX]; /* by DWARF's number */
	uint32_t known;                          /* a bit for each register */
	/* the pc is that of an instruction which has not run yet: a sample's own, or where a signal struck;
	 * else it is where a call returns to */
	bool exact;
};

static inline bool unwind_register(const struct unwind_frame *frame, unsigned int number, uint64_t *value)
{
	if (number >= FRAME_REGISTERS_MAX || !(frame->known >> number & 1))
		return false;
	*value = frame->registers[number];
	return true;
}

static inline void unwind_set_register(struct unwind_frame *frame, unsigned int number, uint64_t value)
{
	frame->registers[number] = value;
	frame->known |= 1U << number;
}

/* What a thread had in its memory; false: these bytes are not known. */
struct unwind_memory {
	bool (*read)(void *data, uint64_t address, void *buffer, size_t size);
	void *data;
};

enum unwind_step {
	UNWIND_CALLER,  /* the frame is now the caller's */
	UNWIND_END,     /* there is none: the outermost frame */
	UNWIND_UNKNOWN, /* no frame information covers the address */
	UNWIND_FAILED,  /* what it says cannot be had: memory or registers that are not known */
};

struct unwind_table;

/* `debug_image` is the separate debug file, for its .debug_frame; NULL: none. Both must outlive the table. */
struct error *unwind_table_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct unwind_table **result);
void unwind_table_close(struct unwind_table *table);

/* `address` is the file address of the instruction that the frame is at, `bias` how much higher it ran. The
 * frame is changed by UNWIND_CALLER alone. */
enum unwind_step unwind_step(struct unwind_table *table, uint64_t address, uint64_t bias,
			     const struct unwind_memory *memory, struct unwind_frame *frame);

/* The same by the frame pointer, where there is no frame information: right only where the function keeps
 * one. */
enum unwind_step unwind_step_by_frame_pointer(const struct unwind_memory *memory, struct unwind_frame *frame);

/*
 * ORC, the unwind tables that objtool puts into x86-64 Linux kernels (Documentation/x86/orc-unwinder.rst of
 * the kernel): the only frame information of their assembly, and what tells where exception entries keep the
 * registers.
 */

enum orc_frame {
	ORC_CALL,         /* the CFA as ever: what the stack pointer was before the call */
	ORC_REGS,         /* the CFA stands for the start of a struct pt_regs on the stack */
	ORC_REGS_PARTIAL, /* the same, of which only what the processor pushes is there yet: from `ip` on */
};

struct orc_row {
	struct frame_row row; /* CFA_REGISTER, of rsp or rbp */
	enum orc_frame frame;
};

/* The bytes in front of `ip` in struct pt_regs (arch/x86/include/uapi/asm/ptrace.h). */
#define PT_REGS_IP_OFFSET 128

/* What holds in [low, high), by address; what is not told of is left out. Written to `arena`. */
struct orc_row *orc_rows(const struct elf_image *image, uint64_t low, uint64_t high, struct arena *arena,
			 size_t *count);

#endif
