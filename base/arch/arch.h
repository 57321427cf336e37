/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts of an architecture, as tables: registers, the stack, calls, memory that belongs to a
 * thread or a processor, relocations, samples, and how instructions retire, which decides where
 * late samples land. Each fact is stated once, with its source. No other code names a register or
 * an instruction of an architecture; tests/lint/dependencies.sh checks that, by the words of x86.
 *
 * To add an architecture (arm64 is the one that was added so):
 *   1. Facts. NAME.h beside this file has its register numbers, NAME.c its struct arch. The list
 *      in arch.c leads to it from e_machine, and arch_host() there if dtprof is to run on
 *      it. Masks have a bit for each of 32 general and 32 vector registers, and no other. Fields of
 *      what it does not have are REG_NONE, SEGMENT_ABSENT or 0.
 *   2. Instructions. disasm/NAME/ has its decoder, a struct decoder_ops (disasm/insn.h), which
 *      disasm/insn.c lists. The decoder resets every field of struct insn. An instruction with more
 *      than one effect (writeback, pairs, compare and branch) is decoded as several, which are its
 *      parts (struct insn, `part`): the engine then needs no new kind of effect. A zero register is
 *      the constant 0. Conditions have x86's numbers.
 *   3. Types and symbols. annotate/facts/NAME.c has a struct abi (annotate/facts/abi.h), which
 *      annotate/facts/abi.c lists: how arguments are classified, functions with conventions of
 *      their own, thunks, static branches, frames of assembly. find_call and assembly_frame may be
 *      NULL. An argument has at most two general registers.
 *   4. Files. A kernel's alternatives (dwarf/elf/x86/alternatives.c) and ORC tables
 *      (dwarf/unwind/x86/orc.c) are those of x86-64; others have their own or none.
 *   5. Tests. Instructions go into tests/disasm/; tests/annotate/cases/ are the same sources for
 *      all. tests/annotate/test_arch.c runs the solver on an architecture that does not exist,
 *      and so shows the minimum that the solver needs. Cases with CODE lines are x86's. A tool that
 *      compares a decoder with the disassembler's own lists of registers finds most mistakes, on
 *      either side.
 *   6. Elsewhere. git grep x86 finds what is x86's outside of these files: the variables of a
 *      kernel that BTF leaves out (dwarf/btf/object.c), vsyscalls (profiler/resolve/object.c). The
 *      checks of architecture words in tests/lint/dependencies.sh get the new one's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers have the same numbers in operands, states and masks: general registers from 0 on, then
 * vector registers of any width. An architecture may leave numbers unused. A part of a register
 * (%eax, %xmm0 of %ymm0) is the register with the operand's size. */
enum {
	REG_GENERAL_COUNT = 32,
	REG_VECTOR = REG_GENERAL_COUNT, /* the first vector register */
	REG_VECTOR_COUNT = 32,
	REG_COUNT = REG_VECTOR + REG_VECTOR_COUNT,
	/* the program counter: in no mask or operand: an operand relative to it has its address */
	REG_PC = REG_COUNT,
	REG_NONE = 0xff,
};

/* Empty for REG_NONE and REG_PC. */
#define REG_BIT(reg) ((unsigned int)(reg) < 64U ? UINT64_C(1) << ((reg)&63) : 0)
#define GENERAL_MASK (REG_BIT(REG_GENERAL_COUNT) - 1)
#define VECTOR_MASK  (~GENERAL_MASK)

typedef uint32_t general_set;
_Static_assert(sizeof(general_set) * 8 >= REG_GENERAL_COUNT, "a bit for each general register");
_Static_assert(REG_COUNT == 64, "a bit for each register, and no other bit in a mask");

static inline bool reg_is_general(uint8_t reg)
{
	return reg < REG_GENERAL_COUNT;
}

static inline bool reg_is_vector(uint8_t reg)
{
	return reg >= REG_VECTOR && reg < REG_COUNT;
}

/* The segment of a memory operand; values below SEGMENT_COUNT_MAX are the architecture's. */
enum { SEGMENT_NONE, SEGMENT_COUNT_MAX = 4, SEGMENT_ABSENT = 0xff };

/* The most registers that a convention passes arguments in. */
#define ARGUMENT_REGISTERS_MAX 16

/* A calling convention. Masks are REG_BITs; REG_NONE where there is no such register. */
struct convention {
	/* general registers that pass integers and pointers, in order */
	uint8_t arguments[ARGUMENT_REGISTERS_MAX];
	uint8_t argument_count;
	/* where each scalar has a register of its own: the numbers of registers for them, of which
	 * `arguments` may lack the last ones, and the bytes between the stack pointer at a call and
	 * the arguments in memory */
	uint8_t flat_general, flat_vector, flat_memory;
	/* 0 except in Go: the registers that point to the memory that runtime.duffzero and duffcopy
	 * write, and to the memory that duffcopy reads */
	uint8_t zeroed, copied_to, copied_from;
	/* the first and second word of a result, and of an exception at a landing pad */
	uint8_t results[2];
	/* holds the address for a result in memory: the hidden first argument */
	uint8_t result_place;
	uint8_t static_chain; /* holds the frame of the function around a nested one */
	/* general registers that a call may change; it may change all vector registers */
	uint64_t clobbered;
	/* general registers that a call preserves, with the stack pointer: what it pushes, such as
	 * the return address, it has popped again when it returns */
	uint64_t preserved;
};

/* A register that samples can record, general or not. */
struct sampled_register {
	const char *name; /* perf's name, which options take */
	/* enum perf_event_..._regs of <asm/perf_regs.h>: the bit of sample_regs_user */
	uint8_t number;
};

/* The DWARF numbers of the registers in call frame information: the first `count`. */
#define FRAME_REGISTERS_MAX 33

struct frame_registers {
	uint8_t count; /* at most FRAME_REGISTERS_MAX */
	uint8_t stack_pointer;
	uint8_t frame_pointer;
	/* the program counter. CIEs may have the caller's in the column of another register */
	uint8_t return_address;
	/* return addresses have so many bits, and a signature above them; 0: all are address */
	uint8_t address_bits;
	/* a bit for each number: registers that are preserved unless a rule says otherwise */
	uint64_t preserved;
};

/* The value that a relocation computes. */
enum relocation_kind {
	RELOCATION_NONE,
	RELOCATION_OTHER,
	RELOCATION_ABSOLUTE,    /* symbol + addend */
	RELOCATION_PC_RELATIVE, /* symbol + addend - place */
	/* symbol: the dynamic linker stores it in a slot of the GOT, or of its part for the PLT */
	RELOCATION_GOT_SLOT,
	RELOCATION_BASE_RELATIVE, /* addend, from where the object is loaded */
	RELOCATION_INDIRECT,      /* the result of the resolver at the addend (IFUNC) */
	/* the module of a thread-local variable; its offset is in the next word */
	RELOCATION_TLS_MODULE,
	RELOCATION_TLS_OFFSET,       /* the offset of a thread-local variable in its module */
	RELOCATION_TLS_FROM_POINTER, /* its distance from the thread pointer */
	RELOCATION_TLS_DESCRIPTOR,
};

struct relocation_type {
	uint8_t kind;   /* enum relocation_kind */
	uint8_t size;   /* bytes that the linker or the dynamic linker writes */
	bool in_object; /* occurs in what a linker reads: object files, kernel modules */
};

enum plt_kind {
	PLT_OTHER,
	PLT_ENTRY,  /* enters the dynamic linker: the first one of a lazy PLT */
	PLT_SLOT,   /* jumps through a GOT slot */
	PLT_NUMBER, /* pushes the number of its relocation */
};

/* A stub of the procedure linkage table. */
struct plt_stub {
	uint8_t kind;    /* enum plt_kind */
	uint8_t size;    /* bytes up to the next stub, at least 1 and at most those that are left */
	int64_t slot;    /* PLT_SLOT: its distance from the stub */
	uint32_t number; /* PLT_NUMBER */
};

struct arch {
	/* ---- object files */
	const char *name;                          /* of messages and of perf's header: "x86_64" */
	uint16_t elf_machine;                      /* e_machine */
	uint8_t pointer_size;                      /* bytes */
	const struct relocation_type *relocations; /* by type */
	uint32_t relocation_count; /* types from here on are RELOCATION_OTHER and write a pointer */
	uint32_t relative_relocation; /* the type that an entry of SHT_RELR has */
	/* Puts the value of a relocation of this type into the instruction at `place`, whose bytes
	 * these are, if its field has bits of the value and room for it. NULL: fields of
	 * instructions are whole bytes. */
	void (*relocate_insn)(uint32_t type, uint64_t value, uint64_t place, uint8_t *bytes);
	/* Returns the PLT stub that begins at `bytes`, which are those at `address`. `left` bytes
	 * can be read, at least one. */
	struct plt_stub (*plt_stub)(const uint8_t *bytes, size_t left, uint64_t address);

	/* ---- registers */
	uint8_t general_count;          /* general registers have the numbers below */
	const char *const *reg_names;   /* by register, REG_COUNT; that of REG_PC follows */
	const uint8_t *dwarf_registers; /* our number, by DWARF's number; REG_NONE: not tracked */
	uint8_t dwarf_register_count;
	/* A write of at least this many bytes to a general register clears its other bytes. */
	uint8_t whole_write;

	/* ---- instructions; REG_NONE: no instruction uses such a register implicitly */
	uint8_t insn_length_max; /* bytes */
	/* compare-and-exchange: compares with it, and loads it on failure */
	uint8_t exchange_compared;
	uint8_t repeat_counter; /* of repeated string instructions */

	/* ---- the stack: it grows down */
	uint8_t stack_pointer;
	uint8_t frame_pointer; /* in functions that keep one */
	uint8_t entry_cfa; /* the CFA minus the stack pointer at a function's first instruction */
	/* bytes at the thread pointer, before the main program's thread-local variables (TLS
	 * variant I); 0: the variables end at the thread pointer (variant II) */
	uint8_t thread_control_block;
	struct frame_registers frame;

	/* ---- calls */
	struct convention call;        /* of functions, also of the kernel's */
	struct convention system_call; /* of the kernel's system calls */
	struct convention go_call;     /* of functions that Go's own compiler made: ABIInternal */
	/* the register that holds the address of the running goroutine's record in code of that
	 * compiler; REG_NONE: none */
	uint8_t goroutine;

	/* ---- segments */
	const char *const
		*segment_names;  /* by segment, SEGMENT_COUNT_MAX: "fs:"; "" for SEGMENT_NONE */
	uint8_t thread_segment;  /* relative to the thread pointer, stored at its address 0 */
	uint8_t per_cpu_segment; /* relative to a processor's per-cpu variables, in the kernel */
	/* The stack protector's word in both segments (-mstack-protector-guard=tls), by offset. */
	int64_t stack_guard;
	/* the distance of a program's shadow memory of AddressSanitizer (gcc's
	 * asan_shadow_offset hook; compiler-rt's asan_mapping.h) */
	int64_t sanitizer_shadow;

	/* ---- samples */
	const uint8_t *perf_numbers; /* by general register: its number in samples */
	uint8_t perf_stack_pointer, perf_pc;
	/* that of the register in which a call leaves the return address; 0: the stack has it */
	uint8_t perf_link;
	/* upper bits of a pointer that are no part of the address; those of an address are as the
	 * bit below them */
	uint8_t tag_bits;
	const struct sampled_register *sampled_registers;
	size_t sampled_register_count;
	uint32_t kernel_stack; /* bytes: THREAD_SIZE */

	/* ---- late samples (annotate/solve/blame.h) */
	uint8_t retire_width; /* instructions that can retire in one cycle */
	/* An instruction that enables interrupts, and accesses no memory, delays them by one. */
	bool interrupt_shadow;
};

/* Returns the architecture for an object file's e_machine, or NULL if it is not supported. */
const struct arch *arch_of_machine(uint16_t elf_machine);
/* Returns the architecture that perf names so (uname -m), or NULL if it is not supported. */
const struct arch *arch_named(const char *name);
/* Returns the architecture that is assumed if a recording does not name its machine. */
const struct arch *arch_default(void);

/* Returns the architecture of this machine. */
const struct arch *arch_host(void);

/* Returns our number for a DWARF register number; REG_NONE: not tracked (x87, mask, segment). */
static inline uint8_t arch_reg_from_dwarf(const struct arch *arch, unsigned int number)
{
	return number < arch->dwarf_register_count ? arch->dwarf_registers[number] : REG_NONE;
}

/* Returns the offset from the CFA at which the memory of a function's own frame ends. If calls push
 * the return address, it lies between there and the CFA. */
static inline int64_t arch_frame_end(const struct arch *arch)
{
	return -(int64_t)arch->entry_cfa;
}

static inline general_set arch_general_registers(const struct arch *arch)
{
	return (general_set)(REG_BIT(arch->general_count) - 1);
}

/* Returns the name of a register, such as "rax" or "xmm3"; "none" if it has no name. */
static inline const char *arch_reg_name(const struct arch *arch, uint8_t reg)
{
	return reg <= REG_PC && arch->reg_names[reg] ? arch->reg_names[reg] : "none";
}

extern const struct arch arch_x86_64, arch_arm64;
