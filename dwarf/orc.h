/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ORC, the unwind tables that objtool puts into x86-64 Linux kernels (Documentation/x86/orc-unwinder.rst of
 * the kernel): the only frame information of their assembly, and what tells where exception entries keep the
 * registers.
 */
#ifndef DTPROF_DWARF_ORC_H
#define DTPROF_DWARF_ORC_H

#include "dwarf/elf/image.h"
#include "dwarf/function.h"

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
