/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the frame of a function to that of its caller: by call frame information, and by ORC, the
 * unwind tables of the kernel.
 *
 * Registers and memory come from a sample and may hold anything. All memory is read through struct
 * unwind_memory, and the work of each step is bounded. A table is not thread-safe: each thread has
 * its own.
 */
#pragma once

#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"
#include "base/error.h"

struct unwind_frame {
	const struct frame_registers *numbers;   /* the architecture's */
	uint64_t registers[FRAME_REGISTERS_MAX]; /* by DWARF's number */
	uint64_t known;                          /* a bit for each register */
	/* the pc is that of an instruction that has not run yet: a sample's own, or one that a
	 * signal interrupted; else the pc is a return address */
	bool exact;
};

static inline bool unwind_register(const struct unwind_frame *frame, unsigned int number,
				   uint64_t *value)
{
	if (number >= FRAME_REGISTERS_MAX || !(frame->known >> number & 1))
		return false;
	*value = frame->registers[number];
	return true;
}

/* A number that no frame has is ignored. */
static inline void unwind_set_register(struct unwind_frame *frame, unsigned int number,
				       uint64_t value)
{
	if (number >= FRAME_REGISTERS_MAX)
		return;
	frame->registers[number] = value;
	frame->known |= UINT64_C(1) << number;
}

/* The memory of a thread; `read` returns false for bytes that are not known. */
struct unwind_memory {
	bool (*read)(void *data, uint64_t address, void *buffer, size_t size);
	void *data;
};

enum unwind_step {
	UNWIND_CALLER,  /* the frame is now the caller's */
	UNWIND_END,     /* this is the outermost frame */
	UNWIND_UNKNOWN, /* no frame information covers the address */
	UNWIND_FAILED,  /* the frame information needs memory or registers that are not known */
};

struct unwind_table;

/* `debug_image`, for its .debug_frame, may be NULL. Both must outlive the table. */
struct error *unwind_table_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct unwind_table **result);
void unwind_table_close(struct unwind_table *table);

/* Moves the frame to the caller (UNWIND_CALLER), or leaves it as it is. `address` is the file
 * address of the frame's instruction; in memory it was at `address` + `bias`. */
enum unwind_step unwind_step(struct unwind_table *table, uint64_t address, uint64_t bias,
			     const struct unwind_memory *memory, struct unwind_frame *frame);

/* The same by the frame pointer, for code without frame information that keeps one. */
enum unwind_step unwind_step_by_frame_pointer(const struct unwind_memory *memory,
					      struct unwind_frame *frame);

/*
 * ---- ORC ----
 *
 * The unwind tables that objtool puts into x86-64 Linux kernels (the kernel's
 * Documentation/arch/x86/orc-unwinder.rst). They are the only frame information for the kernel's
 * assembly, and say where exception entries keep the registers.
 */

enum orc_frame {
	ORC_CALL, /* the usual CFA: the stack pointer before the call */
	ORC_REGS, /* the CFA is the start of a struct pt_regs on the stack */
	/* the same, but so far only the part is there that the processor pushes: from `ip` on */
	ORC_REGS_PARTIAL,
};

struct orc_row {
	struct frame_row row; /* CFA_REGISTER, of rsp or rbp */
	enum orc_frame frame;
};

/* Offset of `ip` in struct pt_regs (arch/x86/include/uapi/asm/ptrace.h). */
#define PT_REGS_IP_OFFSET 128

/* Returns the rows of [low, high) that have entries, sorted and allocated in `arena`. */
struct orc_row *orc_rows(const struct elf_image *image, uint64_t low, uint64_t high,
			 struct arena *arena, size_t *count);
