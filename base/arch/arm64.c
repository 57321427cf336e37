// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of arm64: see arch.h. "AAPCS64" and "AAELF64" are Arm's documents of its ABI
 * (github.com/ARM-software/abi-aa); "ARM" is the Architecture Reference Manual. */
#include "base/arch/arm64.h"

#include <elf.h>
#include <string.h>

/* ---- registers */

/* clang-format off */
static const char *const reg_names[REG_COUNT + 1] = {
	"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
	"x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp",
	"v0",  "v1",  "v2",  "v3",  "v4",  "v5",  "v6",  "v7",  "v8",  "v9",  "v10", "v11", "v12", "v13", "v14", "v15",
	"v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31",
	[REG_PC] = "pc",
};

/* DWARF for the Arm 64-bit Architecture, table 3. */
#define X REG_NONE
#define R(n) REG_X0 + (n)
#define V(n) REG_V0 + (n)
static const uint8_t dwarf_registers[] = {
	/*  0 */ R(0),  R(1),  R(2),  R(3),  R(4),  R(5),  R(6),  R(7),
	/*  8 */ R(8),  R(9),  R(10), R(11), R(12), R(13), R(14), R(15),
	/* 16 */ R(16), R(17), R(18), R(19), R(20), R(21), R(22), R(23),
	/* 24 */ R(24), R(25), R(26), R(27), R(28), R(29), R(30), REG_SP,
	/* 32 */ REG_PC, X, X, X, X, X, X, X, /* ELR, RA_SIGN_STATE, thread pointers */
	/* 40 */ X, X, X, X, X, X, X, X,
	/* 48 */ X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, /* SVE's predicates */
	/* 64 */ V(0),  V(1),  V(2),  V(3),  V(4),  V(5),  V(6),  V(7),
	/* 72 */ V(8),  V(9),  V(10), V(11), V(12), V(13), V(14), V(15),
	/* 80 */ V(16), V(17), V(18), V(19), V(20), V(21), V(22), V(23),
	/* 88 */ V(24), V(25), V(26), V(27), V(28), V(29), V(30), V(31),
};
#undef V
#undef R
#undef X

/* <asm/perf_regs.h> of arm64: x0 to x30 have their own numbers. */
enum { PERF_LR = 30, PERF_SP, PERF_PC };

static const uint8_t perf_numbers[REG_GENERAL_COUNT] = {
	0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, PERF_SP,
};

static const struct sampled_register sampled_registers[] = {
	{ "x0", 0 },   { "x1", 1 },   { "x2", 2 },   { "x3", 3 },   { "x4", 4 },   { "x5", 5 },
	{ "x6", 6 },   { "x7", 7 },   { "x8", 8 },   { "x9", 9 },   { "x10", 10 }, { "x11", 11 },
	{ "x12", 12 }, { "x13", 13 }, { "x14", 14 }, { "x15", 15 }, { "x16", 16 }, { "x17", 17 },
	{ "x18", 18 }, { "x19", 19 }, { "x20", 20 }, { "x21", 21 }, { "x22", 22 }, { "x23", 23 },
	{ "x24", 24 }, { "x25", 25 }, { "x26", 26 }, { "x27", 27 }, { "x28", 28 }, { "x29", 29 },
	{ "lr", PERF_LR },  { "sp", PERF_SP },  { "pc", PERF_PC },
};

/* ---- relocations (AAELF64, "Relocation codes") */

#define TYPE(name, kind, size)    [R_AARCH64_##name] = { RELOCATION_##kind, size, false }
#define TYPE_IN(name, kind, size) [R_AARCH64_##name] = { RELOCATION_##kind, size, true }

/* Those of instructions, from 263 on, write 4 bytes. */
static const struct relocation_type relocations[] = {
	TYPE_IN(ABS64,     ABSOLUTE,         8),
	TYPE_IN(ABS32,     ABSOLUTE,         4),
	TYPE_IN(ABS16,     ABSOLUTE,         2),
	TYPE_IN(PREL64,    PC_RELATIVE,      8),
	TYPE_IN(PREL32,    PC_RELATIVE,      4),
	TYPE_IN(PREL16,    PC_RELATIVE,      2),
	[263 ... 1023] = { RELOCATION_OTHER, 4, false },
	TYPE(COPY,         OTHER,            8),
	TYPE(GLOB_DAT,     GOT_SLOT,         8),
	TYPE(JUMP_SLOT,    GOT_SLOT,         8),
	TYPE(RELATIVE,     BASE_RELATIVE,    8),
	TYPE(TLS_DTPMOD,   TLS_MODULE,       8),
	TYPE(TLS_DTPREL,   TLS_OFFSET,       8),
	TYPE(TLS_TPREL,    TLS_FROM_POINTER, 8),
	TYPE(TLSDESC,      TLS_DESCRIPTOR,   16),
	TYPE(IRELATIVE,    INDIRECT,         8),
};

/* clang-format on */

/* Returns whether a field of this many bits, with a sign, has room for the value. */
static bool has_room(int64_t value, unsigned int bits)
{
	return value >= -(INT64_C(1) << (bits - 1)) && value < INT64_C(1) << (bits - 1);
}

#define FIRST_LOW R_AARCH64_ADD_ABS_LO12_NC

/* AAELF64, "Static AArch64 relocations". Loads and stores count in multiples of their size. */
static void relocate_insn(uint32_t type, uint64_t value, uint64_t place, uint8_t *bytes)
{
	static const uint8_t scales[] = {
		[R_AARCH64_ADD_ABS_LO12_NC - FIRST_LOW] = 1,
		[R_AARCH64_LDST8_ABS_LO12_NC - FIRST_LOW] = 1,
		[R_AARCH64_LDST16_ABS_LO12_NC - FIRST_LOW] = 2,
		[R_AARCH64_LDST32_ABS_LO12_NC - FIRST_LOW] = 4,
		[R_AARCH64_LDST64_ABS_LO12_NC - FIRST_LOW] = 8,
		[R_AARCH64_LDST128_ABS_LO12_NC - FIRST_LOW] = 16,
	};
	const bool pages =
		type == R_AARCH64_ADR_PREL_PG_HI21 || type == R_AARCH64_ADR_PREL_PG_HI21_NC;
	int64_t distance = (int64_t)(pages ? (value >> 12) - (place >> 12) : value - place);
	uint32_t insn, mask, field;

	memcpy(&insn, bytes, sizeof(insn));
	if ((pages || type == R_AARCH64_ADR_PREL_LO21) && has_room(distance, 21)) {
		mask = 3U << 29 | 0x7ffffU << 5;
		field = ((uint32_t)distance & 3) << 29 | ((uint32_t)distance >> 2 & 0x7ffff) << 5;
	} else if ((type == R_AARCH64_CALL26 || type == R_AARCH64_JUMP26) &&
		   has_room(distance, 28)) {
		mask = 0x3ffffff;
		field = (uint32_t)distance >> 2 & mask;
	} else if (type >= FIRST_LOW && type - FIRST_LOW < sizeof(scales) &&
		   scales[type - FIRST_LOW]) {
		mask = 0xfffU << 10;
		field = (uint32_t)(value & 0xfff) / scales[type - FIRST_LOW] << 10;
	} else {
		return;
	}
	insn = (insn & ~mask) | field;
	memcpy(bytes, &insn, sizeof(insn));
}

/*
 * ---- PLT stubs
 *
 * binutils bfd/elfnn-aarch64.c; lld ELF/Arch/AArch64.cpp. A stub has "adrp x16", "ldr x17" and
 * "add x16", with "bti c" before or "autia1716" after them, and "br x17".
 */

#define BTI_C      0xd503245fU
#define NOP        0xd503201fU
#define BR_X17     0xd61f0220U
#define STP_PUSH   0xa9bf7bf0U /* stp x16, x30, [sp, #-16]! */
#define ADRP_X16   0x90000010U
#define ADRP_MASK  0x9f00001fU
#define LOAD_X17   0xf9400211U /* ldr x17, [x16, #0] */
#define LOAD_MASK  0xffc003ffU
#define ENTRY_SIZE 32

static uint32_t word_at(const uint8_t *bytes, size_t left, size_t offset)
{
	uint32_t word = 0;

	if (offset + sizeof(word) <= left)
		memcpy(&word, bytes + offset, sizeof(word));
	return word;
}

static struct plt_stub arm64_plt_stub(const uint8_t *bytes, size_t left, uint64_t address)
{
	struct plt_stub stub = { .size = left < 4 ? (uint8_t)left : 4 };
	size_t at = word_at(bytes, left, 0) == BTI_C ? 4 : 0;

	if (word_at(bytes, left, at) == STP_PUSH) {
		stub.kind = PLT_ENTRY;
		stub.size = left < ENTRY_SIZE ? (uint8_t)left : ENTRY_SIZE;
		return stub;
	}
	uint32_t page = word_at(bytes, left, at), load = word_at(bytes, left, at + 4);

	if ((page & ADRP_MASK) != ADRP_X16 || (load & LOAD_MASK) != LOAD_X17)
		return stub;
	int64_t pages = (int32_t)(((page >> 5 & 0x7ffff) << 2 | (page >> 29 & 3)) << 11) >> 11;
	uint64_t slot = ((address + at) & ~UINT64_C(0xfff)) + (uint64_t)pages * 4096 +
			(load >> 10 & 0xfff) * 8;

	for (at += 8; at + 4 <= left && at < 20 && word_at(bytes, left, at) != BR_X17; at += 4)
		;
	for (at += 4; word_at(bytes, left, at) == NOP && at < 24; at += 4)
		;
	stub.kind = PLT_SLOT;
	stub.slot = (int64_t)(slot - address);
	stub.size = (uint8_t)(at < left ? at : left);
	return stub;
}

/* ---- the architecture */

static const char *const segment_names[SEGMENT_COUNT_MAX] = { "", [SEGMENT_TPIDR] = "tpidr:" };

/* The processor may leave x18 to the platform; user space of Linux has it as one more temporary
 * register, and the kernel keeps a shadow stack in it or does not use it. */
const struct arch arch_arm64 = {
	.name = "aarch64",
	.elf_machine = EM_AARCH64,
	.pointer_size = 8,
	.relocations = relocations,
	.relocation_count = sizeof(relocations) / sizeof(*relocations),
	.relative_relocation = R_AARCH64_RELATIVE,
	.relocate_insn = relocate_insn,
	.plt_stub = arm64_plt_stub,

	.general_count = REG_GENERAL_COUNT,
	.reg_names = reg_names,
	.dwarf_registers = dwarf_registers,
	.dwarf_register_count = sizeof(dwarf_registers),
	.whole_write = 4, /* ARM B1.2.1: a write of w0 clears the upper half of x0 */

	.insn_length_max = 4,
	.exchange_compared = REG_NONE,
	.repeat_counter = REG_NONE,

	.stack_pointer = REG_SP,
	.frame_pointer = REG_X29,
	.entry_cfa = 0,
	.thread_control_block = 16, /* AAELF64, "Thread-local storage": two words, variant I */
	.frame = {
		.count = 33,
		.stack_pointer = 31,
		.frame_pointer = 29,
		.return_address = 32,
		/* pointer authentication signs them (ARM D8.10). The recording does not say how
		 * many bits addresses have: more than 48 only where a program asks for them */
		.address_bits = 48,
		/* x30 is a leaf function's return address */
		.preserved = X_BITS(REG_X19, REG_X30),
	},

	/* AAPCS64 6.1.1, 6.8.2 and 6.9 */
	.call = {
		.arguments = { 0, 1, 2, 3, 4, 5, 6, 7 },
		.argument_count = 8,
		.results = { 0, 1 },
		.result_place = REG_X8,
		.static_chain = REG_X18,
		.clobbered = X_BITS(REG_X0, REG_X18) | REG_BIT(REG_X30),
		.preserved = X_BITS(REG_X19, REG_X29) | REG_BIT(REG_SP),
	},
	/* arch/arm64/kernel/entry.S and syscall(2): x8 has the number, and x0 is changed */
	.system_call = {
		.arguments = { 0, 1, 2, 3, 4, 5 },
		.argument_count = 6,
		.results = { 0, REG_NONE },
		.result_place = REG_NONE,
		.static_chain = REG_NONE,
		.clobbered = REG_BIT(REG_X0),
		.preserved = GENERAL_MASK & ~REG_BIT(REG_X0),
	},
	/* cmd/compile/abi-internal.md of Go 1.18 and later, "arm64 architecture"; the caller has a
	 * place for the callee's x30 below arguments in memory */
	.go_call = {
		.arguments = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
		.argument_count = 16,
		.flat_general = 16,
		.flat_vector = 16,
		.flat_memory = 8,
		.zeroed = 20, /* runtime/mkduff.go */
		.copied_to = 21,
		.copied_from = 20,
		.results = { 0, 1 },
		.result_place = REG_NONE,
		.static_chain = 26, /* the closure */
		.clobbered = GENERAL_MASK & ~(REG_BIT(REG_SP) | REG_BIT(REG_X29) |
					      REG_BIT(REG_X28) | REG_BIT(REG_X18)),
		.preserved = REG_BIT(REG_SP) | REG_BIT(REG_X29) | REG_BIT(REG_X28) |
			     REG_BIT(REG_X18),
	},
	.goroutine = REG_X28,

	.segment_names = segment_names,
	.thread_segment = SEGMENT_TPIDR,
	.per_cpu_segment = SEGMENT_ABSENT,
	.stack_guard = -1, /* it is the variable __stack_chk_guard */

	.perf_numbers = perf_numbers,
	.perf_stack_pointer = PERF_SP,
	.perf_pc = PERF_PC,
	.perf_link = PERF_LR,
	.tag_bits = 8, /* ARM D8.8: tags of memory, of KASAN, and of programs */
	.sampled_registers = sampled_registers,
	.sampled_register_count = sizeof(sampled_registers) / sizeof(*sampled_registers),
	.kernel_stack = 0x4000, /* arch/arm64/include/asm/memory.h, MIN_THREAD_SHIFT */

	.retire_width = 8, /* Neoverse N1 and later */
	.sanitizer_shadow = INT64_C(1) << 36,
	.interrupt_shadow = false,
};
