/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about x86-64: where arguments and results are (System V psABI x86-64, 3.2.3), functions
 * with conventions of their own, retpolines and return thunks, static branches, and the frames of
 * assembly. x86.c has them.
 *
 * To add an architecture, give each function here a second body. struct decoder (disasm/) must
 * deliver its instructions, and the solver's other parts name %rsp, %rbp and the segments: `grep
 * REG_ annotate` shows where.
 */
#ifndef DTPROF_ANNOTATE_ARCH_H
#define DTPROF_ANNOTATE_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/insn.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"

/* Registers that a call may change (psABI figure 3.4). */
#define CALL_CLOBBERED                                                                                       \
	(REG_BIT(REG_RAX) | REG_BIT(REG_RCX) | REG_BIT(REG_RDX) | REG_BIT(REG_RSI) | REG_BIT(REG_RDI) |      \
	 REG_BIT(REG_R8) | REG_BIT(REG_R9) | REG_BIT(REG_R10) | REG_BIT(REG_R11))
#define VECTOR_REGISTERS (UINT64_MAX << REG_XMM0 & (REG_BIT(REG_COUNT) - 1))

#define ARGUMENT_REGISTERS 6
extern const uint8_t argument_registers[ARGUMENT_REGISTERS];

enum argument_class { ARGUMENT_NONE, ARGUMENT_INTEGER, ARGUMENT_SSE, ARGUMENT_MEMORY };

/* Classifies the one or two eightbytes of a type. False if it is passed in memory. */
bool argument_classes(const struct type *type, enum argument_class classes[2]);

/* How one parameter is passed (psABI 3.2.3, "Passing"). */
struct argument {
	const struct type *type;
	uint8_t registers[2]; /* general registers, by eightbyte; REG_NONE: that eightbyte is elsewhere */
	int64_t stack_offset; /* from the CFA, of an argument in memory; otherwise -1 */
};

/* A walk over the parameters of a prototype, in their order. */
struct argument_walk {
	const struct prototype *prototype;
	size_t index;  /* of the next parameter */
	size_t next;   /* of argument_registers */
	int64_t stack; /* bytes in memory taken so far, from the CFA on */
};

void arguments_begin(struct argument_walk *walk, const struct prototype *prototype);
/* Returns false if there are no more. */
bool arguments_next(struct argument_walk *walk, struct argument *argument);

/* True if the address of the room for the result is a hidden first argument. A long double is
 * returned in an x87 register. */
bool arguments_return_in_memory(const struct prototype *prototype);

/*
 * ---- functions with conventions of their own
 *
 * They are written in assembly and called by inline assembly, or by code that the compiler inserts,
 * which say what they change.
 */

/* Finds the registers (REG_BITs) that a call to the function of this name changes. False if it
 * keeps to the ABI. */
bool convention_of(const char *name, bool kernel, uint64_t *clobbered);

/*
 * ---- thunks: retpolines and return thunks
 *
 * Code that is jumped to or called in place of one instruction: a jump or call through a register,
 * or a return. (gcc's and clang's -mindirect-branch=thunk-extern, -mretpoline-external-thunk,
 * -mfunction-return=thunk-extern; the kernel's arch/x86/lib/retpoline.S.)
 */

struct thunk {
	uint64_t address;
	uint8_t reg; /* the register that is jumped or called through; REG_NONE: a return */
};

/* The return thunk, and the retpolines of 15 registers for calls, for jumps and for both. */
#define THUNKS_MAX 46

struct thunks {
	struct thunk items[THUNKS_MAX]; /* sorted by address */
	size_t count;
};

/* Finds the thunks by the names of the image's symbols. */
void thunks_find(struct thunks *thunks, const struct elf_image *image);
/* Returns the thunk that starts at `address`; NULL: none. */
const struct thunk *thunks_at(const struct thunks *thunks, uint64_t address);

/*
 * ---- static branches
 *
 * A static branch is a nop that becomes a jump, or a jump that becomes a nop, when its key is
 * switched (the kernel's arch/x86/include/asm/jump_label.h). Its second way is an edge that the
 * instructions do not show.
 */

/* The instruction at `to` may follow the one at `from`. */
struct static_branch {
	uint64_t from;
	uint64_t to;
};

struct static_branches {
	struct static_branch *items; /* sorted by `from` */
	size_t count;
	size_t capacity;
};

/* Finds the static branches of a kernel or module. There are none if the image has no list of them. */
void static_branches_find(struct static_branches *edges, const struct elf_image *image);
void static_branches_deinit(struct static_branches *edges);
/* Returns the static branches from [low, high). */
const struct static_branch *static_branches_from(const struct static_branches *edges, uint64_t low,
						 uint64_t high, size_t *count);

#endif
