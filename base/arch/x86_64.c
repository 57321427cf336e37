// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of x86-64: see arch.h. */
#include "base/arch/x86_64.h"

#include <elf.h>
#include <string.h>

/* ---- registers */

/* clang-format off */
static const char *const reg_names[REG_COUNT + 1] = {
	"rax",   "rdx",   "rcx",   "rbx",   "rsi",   "rdi",   "rbp",   "rsp",
	"r8",    "r9",    "r10",   "r11",   "r12",   "r13",   "r14",   "r15",
	[REG_RIP] = "rip",
	[REG_XMM0] =
	"xmm0",  "xmm1",  "xmm2",  "xmm3",  "xmm4",  "xmm5",  "xmm6",  "xmm7",
	"xmm8",  "xmm9",  "xmm10", "xmm11", "xmm12", "xmm13", "xmm14", "xmm15",
	"xmm16", "xmm17", "xmm18", "xmm19", "xmm20", "xmm21", "xmm22", "xmm23",
	"xmm24", "xmm25", "xmm26", "xmm27", "xmm28", "xmm29", "xmm30", "xmm31",
};

/* System V psABI x86-64, figure 3.36. xmm16 to xmm31 have 67 to 82, after the control registers. */
#define X REG_NONE
#define V(n) REG_XMM0 + (n)
static const uint8_t dwarf_registers[] = {
	/*  0 */ REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
	/*  8 */ REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	/* 16 */ REG_RIP,
	/* 17 */ V(0),    V(1),    V(2),    V(3),    V(4),    V(5),    V(6),    V(7),
	/* 25 */ V(8),    V(9),    V(10),   V(11),   V(12),   V(13),   V(14),   V(15),
	/* 33 */ X, X, X, X, X, X, X, X, /* st0 */
	/* 41 */ X, X, X, X, X, X, X, X, /* mm0 */
	/* 49 */ X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, /* flags, segments, control */
	/* 67 */ V(16),   V(17),   V(18),   V(19),   V(20),   V(21),   V(22),   V(23),
	/* 75 */ V(24),   V(25),   V(26),   V(27),   V(28),   V(29),   V(30),   V(31),
};
#undef V
#undef X

/* <asm/perf_regs.h>; the same in recordings that another machine reads. */
enum {
	PERF_AX, PERF_BX, PERF_CX, PERF_DX, PERF_SI, PERF_DI, PERF_BP, PERF_SP, PERF_IP, PERF_FLAGS, PERF_CS, PERF_SS,
	PERF_R8 = 16, PERF_R9, PERF_R10, PERF_R11, PERF_R12, PERF_R13, PERF_R14, PERF_R15,
};

static const uint8_t perf_numbers[REG_GENERAL_COUNT] = {
	[REG_RAX] = PERF_AX,  [REG_RBX] = PERF_BX,  [REG_RCX] = PERF_CX,  [REG_RDX] = PERF_DX,
	[REG_RSI] = PERF_SI,  [REG_RDI] = PERF_DI,  [REG_RBP] = PERF_BP,  [REG_RSP] = PERF_SP,
	[REG_R8]  = PERF_R8,  [REG_R9]  = PERF_R9,  [REG_R10] = PERF_R10, [REG_R11] = PERF_R11,
	[REG_R12] = PERF_R12, [REG_R13] = PERF_R13, [REG_R14] = PERF_R14, [REG_R15] = PERF_R15,
};

/* The registers that samples can record. The kernel refuses DS to GS in 64-bit samples. */
static const struct sampled_register sampled_registers[] = {
	{ "AX", PERF_AX },       { "BX", PERF_BX },   { "CX", PERF_CX },   { "DX", PERF_DX },
	{ "SI", PERF_SI },       { "DI", PERF_DI },   { "BP", PERF_BP },   { "SP", PERF_SP },
	{ "IP", PERF_IP },       { "FLAGS", PERF_FLAGS }, { "CS", PERF_CS }, { "SS", PERF_SS },
	{ "R8", PERF_R8 },       { "R9", PERF_R9 },   { "R10", PERF_R10 }, { "R11", PERF_R11 },
	{ "R12", PERF_R12 },     { "R13", PERF_R13 }, { "R14", PERF_R14 }, { "R15", PERF_R15 },
};

/* ---- relocations (psABI, table 4.9) */

#define TYPE(name, kind, size)    [R_X86_64_##name] = { RELOCATION_##kind, size, false }
#define TYPE_IN(name, kind, size) [R_X86_64_##name] = { RELOCATION_##kind, size, true }

static const struct relocation_type relocations[] = {
	TYPE_IN(64,                ABSOLUTE,         8),
	TYPE_IN(32,                ABSOLUTE,         4),
	TYPE_IN(32S,               ABSOLUTE,         4),
	TYPE_IN(16,                ABSOLUTE,         2),
	TYPE_IN(8,                 ABSOLUTE,         1),
	TYPE_IN(PC64,              PC_RELATIVE,      8),
	TYPE_IN(PC32,              PC_RELATIVE,      4),
	TYPE_IN(PLT32,             PC_RELATIVE,      4),
	TYPE_IN(PC16,              PC_RELATIVE,      2),
	TYPE_IN(PC8,               PC_RELATIVE,      1),
	TYPE(GLOB_DAT,             GOT_SLOT,         8),
	TYPE(JUMP_SLOT,            GOT_SLOT,         8),
	TYPE(RELATIVE,             BASE_RELATIVE,    8),
	TYPE(IRELATIVE,            INDIRECT,         8),
	TYPE(DTPMOD64,             TLS_MODULE,       8),
	TYPE(DTPOFF64,             TLS_OFFSET,       8),
	TYPE(TPOFF64,              TLS_FROM_POINTER, 8),
	TYPE(TLSDESC,              TLS_DESCRIPTOR,   16),
	TYPE(NONE,                 NONE,             0),
	TYPE(COPY,                 OTHER,            8),
	TYPE(GOT32,                OTHER,            4),
	TYPE(GOTPCREL,             OTHER,            4),
	TYPE(TLSGD,                OTHER,            4),
	TYPE(TLSLD,                OTHER,            4),
	TYPE(DTPOFF32,             OTHER,            4),
	TYPE(GOTTPOFF,             OTHER,            4),
	TYPE(TPOFF32,              OTHER,            4),
	TYPE(GOTPC32,              OTHER,            4),
	TYPE(SIZE32,               OTHER,            4),
	TYPE(GOTPC32_TLSDESC,      OTHER,            4),
	TYPE(GOTPCRELX,            OTHER,            4),
	TYPE(REX_GOTPCRELX,        OTHER,            4),
	TYPE(GOTOFF64,             OTHER,            8),
	TYPE(GOT64,                OTHER,            8),
	TYPE(GOTPCREL64,           OTHER,            8),
	TYPE(GOTPC64,              OTHER,            8),
	TYPE(GOTPLT64,             OTHER,            8),
	TYPE(PLTOFF64,             OTHER,            8),
	TYPE(SIZE64,               OTHER,            8),
	TYPE(TLSDESC_CALL,         OTHER,            8),
	[39] = { RELOCATION_OTHER, 8, false }, /* the MPX forms of PC32 and PLT32 */
	[40] = { RELOCATION_OTHER, 8, false },
	TYPE(RELATIVE64,           OTHER,            8),
};

/* clang-format on */

/*
 * ---- PLT stubs
 *
 * psABI, "Procedure Linkage Table"; binutils bfd/elf64-x86-64.c; lld ELF/Arch/X86_64.cpp.
 */

#define STUB_SIZE 16

/* The bytes of a stub that have not been read yet. */
struct stub_bytes {
	const uint8_t *next;
	size_t left;
};

/* Skips the next `length` bytes if they are equal to `bytes`; returns false otherwise. */
static bool take_bytes(struct stub_bytes *code, const char *bytes, size_t length)
{
	if (code->left < length || memcmp(code->next, bytes, length) != 0)
		return false;
	code->next += length;
	code->left -= length;
	return true;
}

#define TAKE(code, bytes) take_bytes((code), (bytes), sizeof(bytes) - 1)

static bool take_operand(struct stub_bytes *code, uint32_t *operand)
{
	if (code->left < sizeof(*operand))
		return false;
	memcpy(operand, code->next, sizeof(*operand));
	code->next += sizeof(*operand);
	code->left -= sizeof(*operand);
	return true;
}

/* Returns true for the first entry of a lazy PLT: it pushes GOT[1] and jumps through GOT[2]. */
static bool is_plt_entry(struct stub_bytes code)
{
	uint32_t operand;

	return TAKE(&code, "\xff\x35") && take_operand(&code, &operand) &&
	       (TAKE(&code, "\xff\x25") || TAKE(&code, "\xf2\xff\x25"));
}

/* Stubs have 8 bytes if they are only the jump (.plt.got without IBT), or else 16 or 32. */
static size_t stub_size(const uint8_t *bytes, size_t left)
{
	if (left >= 8 && !memcmp(bytes, "\xff\x25", 2) && !memcmp(bytes + 6, "\x66\x90", 2))
		return 8; /* xchg %ax,%ax: padding */
	if (left >= 2 * STUB_SIZE && !memcmp(bytes, "\x4c\x8b\x1d", 3) && bytes[7] == 0xe8)
		return 2 * STUB_SIZE; /* a lazy retpoline: mov, call */
	return left < STUB_SIZE ? left : STUB_SIZE;
}

static struct plt_stub plt_stub(const uint8_t *bytes, size_t left, uint64_t address)
{
	struct plt_stub stub = { .size = (uint8_t)stub_size(bytes, left) };
	struct stub_bytes code = { bytes, stub.size };
	uint32_t operand;

	(void)address;
	if (left >= STUB_SIZE && is_plt_entry(code)) {
		stub.kind = PLT_ENTRY;
		return stub;
	}
	TAKE(&code, "\xf3\x0f\x1e\xfa"); /* endbr64 */
	if (TAKE(&code, "\x68")) {       /* push $number; then a jump to the first stub */
		if (take_operand(&code, &stub.number) &&
		    (TAKE(&code, "\xe9") || TAKE(&code, "\xf2\xe9")))
			stub.kind = PLT_NUMBER;
		return stub;
	}
	/* mov $number, %r11d: mold */
	if (TAKE(&code, "\x41\xbb") && !take_operand(&code, &operand))
		return stub;
	/* [bnd] jmp *slot(%rip), or mov slot(%rip), %r11 before a retpoline */
	if ((TAKE(&code, "\xff\x25") || TAKE(&code, "\xf2\xff\x25") ||
	     TAKE(&code, "\x4c\x8b\x1d")) &&
	    take_operand(&code, &operand)) {
		stub.kind = PLT_SLOT;
		stub.slot = code.next - bytes + (int32_t)operand;
	}
	return stub;
}

/* ---- the architecture */

/* clang-format off */

#define BITS(a, b, c, d, e) (REG_BIT(a) | REG_BIT(b) | REG_BIT(c) | REG_BIT(d) | REG_BIT(e))

static const char *const segment_names[SEGMENT_COUNT_MAX] = { "", [SEGMENT_FS] = "fs:", [SEGMENT_GS] = "gs:" };

const struct arch arch_x86_64 = {
	.name = "x86_64",
	.elf_machine = EM_X86_64,
	.pointer_size = 8,
	.relocations = relocations,
	.relocation_count = sizeof(relocations) / sizeof(*relocations),
	.relative_relocation = R_X86_64_RELATIVE,
	.plt_stub = plt_stub,

	.general_count = REG_R15 + 1,
	.reg_names = reg_names,
	.dwarf_registers = dwarf_registers,
	.dwarf_register_count = sizeof(dwarf_registers),
	.whole_write = 4, /* Intel SDM vol. 1, 3.4.1.1 */

	.insn_length_max = 15, /* Intel SDM vol. 2, 2.3.11 */
	.exchange_compared = REG_RAX,
	.repeat_counter = REG_RCX,

	.stack_pointer = REG_RSP,
	.frame_pointer = REG_RBP,
	.entry_cfa = 8, /* the return address was pushed (psABI, figure 3.3) */
	.frame = {
		.count = 17,
		.stack_pointer = REG_RSP,
		.frame_pointer = REG_RBP,
		.return_address = 16,
		.preserved = BITS(REG_RBX, REG_R12, REG_R13, REG_R14, REG_R15) | REG_BIT(REG_RBP),
	},

	/* psABI 3.2.3 and figure 3.4 */
	.call = {
		.arguments = { REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9 },
		.argument_count = 6,
		.results = { REG_RAX, REG_RDX },
		.result_place = REG_RDI,
		.static_chain = REG_R10,
		.clobbered = BITS(REG_RAX, REG_RCX, REG_RDX, REG_RSI, REG_RDI) |
			     REG_BIT(REG_R8) | REG_BIT(REG_R9) | REG_BIT(REG_R10) |
			     REG_BIT(REG_R11),
		.preserved = BITS(REG_RBX, REG_R12, REG_R13, REG_R14, REG_R15) | REG_BIT(REG_RBP) |
			     REG_BIT(REG_RSP),
	},
	/* psABI, appendix A.2.1; the instruction itself takes rcx and r11 (SDM vol. 2, SYSCALL) */
	.system_call = {
		.arguments = { REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9 },
		.argument_count = 6,
		.results = { REG_RAX, REG_NONE },
		.result_place = REG_NONE,
		.static_chain = REG_NONE,
		.clobbered = REG_BIT(REG_RAX) | REG_BIT(REG_RCX) | REG_BIT(REG_R11),
		.preserved = X86_GENERAL & ~(REG_BIT(REG_RAX) | REG_BIT(REG_RCX) | REG_BIT(REG_R11)),
	},

	/* abi-internal.md of Go 1.17 and later, "amd64 architecture". r11 has a ninth argument. */
	.go_call = {
		.arguments = { REG_RAX, REG_RBX, REG_RCX, REG_RDI, REG_RSI, REG_R8, REG_R9, REG_R10 },
		.argument_count = 8,
		.flat_general = 9,
		.flat_vector = 15,
		.zeroed = REG_RDI,
		.copied_to = REG_RDI,
		.copied_from = REG_RSI,
		.results = { REG_RAX, REG_RBX },
		.result_place = REG_NONE,
		.static_chain = REG_RDX, /* the closure */
		.clobbered = X86_GENERAL & ~BITS(REG_RSP, REG_RBP, REG_R14, REG_R14, REG_R14),
		.preserved = REG_BIT(REG_RBP) | REG_BIT(REG_RSP) | REG_BIT(REG_R14),
	},
	.goroutine = REG_R14,

	.segment_names = segment_names,
	.thread_segment = SEGMENT_FS,
	.per_cpu_segment = SEGMENT_GS,
	.stack_guard = 0x28,

	.perf_numbers = perf_numbers,
	.perf_stack_pointer = PERF_SP,
	.perf_pc = PERF_IP,
	.sampled_registers = sampled_registers,
	.sampled_register_count = sizeof(sampled_registers) / sizeof(*sampled_registers),
	.kernel_stack = 0x4000, /* arch/x86/include/asm/page_64_types.h, THREAD_SIZE */

	.retire_width = 8, /* Intel's Golden Cove and AMD's Zen 3 and later */
	.sanitizer_shadow = 0x7fff8000,
	.interrupt_shadow = true, /* Intel SDM vol. 2, STI */
};
/* clang-format on */
