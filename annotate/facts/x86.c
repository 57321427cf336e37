// SPDX-License-Identifier: GPL-2.0-or-later
/* The facts of x86-64 that need types or symbols: see abi.h. */

#include "annotate/facts/abi.h"
#include "annotate/flow/solver.h"
#include "annotate/types/field.h"
#include "base/arch/x86_64.h"
#include "dwarf/unwind/unwind.h"
#include "base/memory.h"

/* ---- arguments and results */

/* Returns the class of one eightbyte of a type of at most 16 bytes (psABI 3.2.3,
 * "Classification"). */
static enum argument_class classify_part(const struct type *type, int64_t base, int64_t eightbyte,
					 unsigned int depth)
{
	const struct type *bare = type_strip(type);

	if (depth > 8)
		return ARGUMENT_MEMORY;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = type_target(bare);
		uint64_t size = field_size(element);
		enum argument_class result = ARGUMENT_NONE;

		for (uint64_t at = 0; size && at < type_size_or(bare, 0); at += size) {
			enum argument_class part =
				classify_part(element, base + (int64_t)at, eightbyte, depth + 1);

			result = part > result || part == ARGUMENT_INTEGER ? part : result;
		}
		return result;
	}
	if (!type_is_record(bare)) {
		if (base / 8 != eightbyte && !(type_size_or(bare, 0) > 8 && eightbyte > base / 8))
			return ARGUMENT_NONE;
		if (bare->kind == TYPE_FLOAT)
			return type_size_or(bare, 0) > 8 ? ARGUMENT_MEMORY : ARGUMENT_VECTOR;
		return ARGUMENT_INTEGER;
	}
	enum argument_class result = ARGUMENT_NONE;

	members_each (member, type_members, bare) {
		enum argument_class part =
			classify_part(member->type, base + member->offset, eightbyte, depth + 1);

		if (part == ARGUMENT_MEMORY || result == ARGUMENT_MEMORY)
			result = ARGUMENT_MEMORY;
		else if (part == ARGUMENT_INTEGER || result == ARGUMENT_INTEGER)
			result = ARGUMENT_INTEGER;
		else if (part != ARGUMENT_NONE)
			result = part;
	}
	return result;
}

/* Classifies the two eightbytes of a type. A long double counts as passed in memory; it is returned
 * in an x87 register, which is not modelled. */
static bool classify(const struct type *type, enum argument_class classes[2])
{
	uint64_t size = field_size(type);

	classes[0] = classes[1] = ARGUMENT_NONE;
	if (size > 16)
		return false;
	classes[0] = classify_part(type, 0, 0, 0);
	if (size > 8)
		classes[1] = classify_part(type, 0, 1, 0);
	return classes[0] != ARGUMENT_MEMORY && classes[1] != ARGUMENT_MEMORY;
}

/* ---- functions with conventions of their own */

static const struct own_convention conventions[] = {
	/* calls that -pg puts at a function's start: they save all that they use (gcc) */
	{ "__fentry__", false, 0 },
	{ "mcount", false, 0 },
	/* arch/x86/include/asm/uaccess.h: rax has the address, rdx gets the value */
	{ "__get_user_#", true, RAX | RDX },
	{ "__get_user_nocheck_#", true, RAX | RDX },
	/* rax has the value, rcx the address and later the error code */
	{ "__put_user_#", true, RCX | RBX },
	{ "__put_user_nocheck_#", true, RCX | RBX },
	/* arch/x86/include/asm/uaccess_64.h */
	{ "clear_user_original", true, RAX | RCX | RDI },
	{ "clear_user_rep_good", true, RAX | RCX | RDI },
	{ "clear_user_erms", true, RAX | RCX | RDI },
	{ "rep_stos_alternative", true, RAX | RCX | RDI },
	{ "rep_movs_alternative", true, RAX | RCX | RSI | RDI },
	/* arch/x86/include/asm/page_64.h */
	{ "clear_page_orig", true, RAX | RCX | RDI },
	{ "clear_page_rep", true, RAX | RCX | RDI },
	{ "clear_page_erms", true, RAX | RCX | RDI },
	/* arch/x86/include/asm/arch_hweight.h */
	{ "__sw_hweight#", true, RAX },
	/* arch/x86/include/asm/paravirt.h, PV_CALLEE_SAVE_REGS_THUNK */
	{ "__raw_callee_save_*", true, RAX },
	/* arch/x86/include/asm/preempt.h; arch/x86/entry/thunk_64.S saves everything */
	{ "preempt_schedule_thunk", true, 0 },
	{ "preempt_schedule_notrace_thunk", true, 0 },
	{ "__SCT__preempt_schedule", true, 0 },
	{ "__SCT__preempt_schedule_notrace", true, 0 },
	/* arch/x86/lib/cmpxchg16b_emu.S, cmpxchg8b_emu.S */
	{ "this_cpu_cmpxchg16b_emu", true, RAX | RDX },
	{ "this_cpu_cmpxchg8b_emu", true, RAX | RDX },
	{ "cmpxchg8b_emu", true, RAX | RDX },
};

/* ---- thunks (the kernel's arch/x86/lib/retpoline.S) */

/* For jumps and calls; with CONFIG_CALL_DEPTH_TRACKING one for each. */
static const char *const indirect_thunks[] = { "__x86_indirect_thunk_%s",
					       "__x86_indirect_call_thunk_%s",
					       "__x86_indirect_jump_thunk_%s", NULL };

/* ---- static branches (arch/x86/include/asm/jump_label.h) */

#define JUMP_SHORT 0xeb
#define JUMP_NEAR  0xe9

static unsigned int jump_length(const uint8_t *bytes, size_t available)
{
	(void)available; /* at least one */
	return *bytes == JUMP_SHORT ? 2 : *bytes == JUMP_NEAR ? 5 : 0;
}

/* call rel32 */
#define CALL_NEAR 0xe8

/* Returns the next of the two opcodes (0xe8 and 0xe9) from `from` on; `size`: there is none. The
 * code is searched a word at a time, because all of it is searched. */
static size_t find_near(const uint8_t *code, size_t size, size_t from)
{
	const uint64_t ones = UINT64_MAX / UINT8_MAX;

	for (uint64_t word; from + sizeof(word) <= size; from += sizeof(word)) {
		memcpy(&word, code + from, sizeof(word));
		word = (word | ones) ^ (ones * (CALL_NEAR | JUMP_NEAR));
		word = (word - ones) & ~word & ones << 7; /* the lowest bit: the first byte of 0 */
		if (word)
			return from + (size_t)__builtin_ctzll(word) / 8;
	}
	while (from < size && (code[from] | 1) != (CALL_NEAR | JUMP_NEAR))
		from++;
	return from;
}

static size_t x86_find_call(const uint8_t *code, size_t size, size_t from, int64_t *target)
{
	const size_t at = find_near(code, size, from);
	int32_t distance;

	if (at + 1 + sizeof(distance) > size)
		return size;
	memcpy(&distance, code + at + 1, sizeof(distance));
	*target = (int64_t)(at + 1 + sizeof(distance)) + distance;
	return at;
}

/* mov r64, r/m64 and mov r/m64, r64 differ in one bit. */
#define MOV_STORE 0x89
#define MOV_LOAD  0x8b

/* True if an operand's ModRM byte, and what follows it, is memory at a distance from a register
 * other than %rsp and %rip (Intel SDM 2A, 2.1.5). `bytes` has at least six. */
static bool is_at_distance(const uint8_t *bytes, bool extended_base, int64_t distance)
{
	uint8_t mode = *bytes >> 6, base = *bytes & 7;
	bool indexed = base == 4;
	int32_t wide;

	bytes++;
	if (indexed)
		base = *bytes++ & 7;
	if (indexed && base == 4 && !extended_base)
		return false;
	switch (mode) {
	case 0: return base != 5 && !distance;
	case 1: return (int8_t)*bytes == distance;
	case 2: memcpy(&wide, bytes, sizeof(wide)); return wide == distance;
	default: return false;
	}
}

/* Opcodes of one byte, and those after 0x0f, that have memory operands: comparisons and
 * computations, moves of integers and of floating-point numbers, calls. */
#define TWO_BYTES 0x0f
static const bool access_opcodes[256] = {
	[0x01] = true, [0x03] = true, [0x29] = true,          [0x2b] = true,
	[0x39] = true, [0x3b] = true, [0x63] = true,          [0x80] = true,
	[0x81] = true, [0x83] = true, [0x88 ... 0x8b] = true, [0xc6] = true,
	[0xc7] = true, [0xf6] = true, [0xf7] = true,          [0xff] = true,
};
static const bool access_opcodes_2[256] = {
	[0x10] = true, [0x11] = true, [0x28] = true, [0x29] = true, [0x2e] = true, [0x2f] = true,
	[0x58] = true, [0x59] = true, [0x5c] = true, [0x5e] = true, [0x6e] = true, [0x7e] = true,
	[0xb6] = true, [0xb7] = true, [0xbe] = true, [0xbf] = true, [0xd6] = true,
};

static bool x86_is_access(const uint8_t *bytes, int64_t distance)
{
	if (*bytes == TWO_BYTES)
		return access_opcodes_2[bytes[1]] && is_at_distance(bytes + 2, true, distance);
	return access_opcodes[*bytes] && is_at_distance(bytes + 1, true, distance);
}

static bool x86_is_move(const uint8_t *bytes, int64_t distance)
{
	return (bytes[0] & 0xf8) == 0x48 && (bytes[1] & ~(MOV_STORE ^ MOV_LOAD)) == MOV_STORE &&
	       is_at_distance(bytes + 2, bytes[0] & 1, distance);
}

static bool has_bytes(const uint8_t *code, size_t size, int64_t distance,
		      bool (*is)(const uint8_t *bytes, int64_t distance))
{
	/* REX.W, opcode, ModRM, SIB, displacement; what is after the end does not matter */
	uint8_t last[16] = { 0 };
	const size_t length = 8;

	for (size_t i = 0; i < size; i++) {
		const uint8_t *at = code + i;

		if (i + length > size) {
			memcpy(last, at, size - i);
			memset(last + (size - i), 0, length);
			at = last;
		}
		if (is(at, distance))
			return true;
	}
	return false;
}

static bool may_move(const uint8_t *code, size_t size, int64_t distance)
{
	return has_bytes(code, size, distance, x86_is_move);
}

static bool may_access(const uint8_t *code, size_t size, int64_t distance)
{
	return has_bytes(code, size, distance, x86_is_access);
}

/* The forms of instructions that end with a constant of `size` bytes. `extension` is the part of
 * the ModRM byte that belongs to the opcode; MODRM_NONE: there is no such byte. */
#define MODRM_NONE 0xff
#define SIZE_16    0x66 /* a prefix */

static const struct constant_form {
	uint8_t opcode, extension, size;
} constant_forms[] = {
	{ 0x80, 7, 1 },          { 0x81, 7, 4 },          { 0x83, 7, 1 }, /* cmp */
	{ 0x80, 4, 1 },          { 0x81, 4, 4 },          { 0x83, 4, 1 }, /* and */
	{ 0xf6, 0, 1 },          { 0xf7, 0, 4 },                          /* test */
	{ 0xc6, 0, 1 },          { 0xc7, 0, 4 },                          /* mov to memory */
	{ 0x3c, MODRM_NONE, 1 }, { 0x3d, MODRM_NONE, 4 },                 /* cmp with %eax */
	{ 0xa8, MODRM_NONE, 1 }, { 0xa9, MODRM_NONE, 4 },                 /* test of %eax */
	{ 0x24, MODRM_NONE, 1 }, { 0x25, MODRM_NONE, 4 },                 /* and of %eax */
};

/* The opcodes of constant_forms, and of jumps by tables. */
static const bool begins_constant_form[256] = {
	[0x24] = true, [0x25] = true, [0x3c] = true, [0x3d] = true, [0x80] = true,
	[0x81] = true, [0x83] = true, [0xa8] = true, [0xa9] = true, [0xc6] = true,
	[0xc7] = true, [0xf6] = true, [0xf7] = true, [0xff] = true,
};

/* Returns the length of a ModRM byte with its SIB byte and displacement (Intel SDM 2A, 2.1.5). */
static size_t operand_length(const uint8_t *bytes)
{
	uint8_t mode = *bytes >> 6, base = *bytes & 7;
	size_t length = 1;

	if (mode == 3)
		return length;
	if (base == 4) {
		base = bytes[1] & 7;
		length++;
	}
	if (mode == 0)
		return length + (base == 5 ? 4 : 0);
	return length + (mode == 1 ? 1 : 4);
}

/* True if the `size` bytes at `bytes`, without their lowest zero bytes, are `number`. */
static bool x86_is_number(const uint8_t *bytes, size_t size, uint64_t number)
{
	uint32_t wide = 0;

	memcpy(&wide, bytes, size);
	return tags_number(wide) == number;
}

static bool may_compare(const uint8_t *code, size_t size, uint64_t number)
{
	/* opcode, ModRM, SIB, displacement and constant */
	const size_t length = 11;

	for (size_t i = 0; i + 2 < size; i++) {
		uint8_t bytes[16] = { 0 };

		if (!begins_constant_form[code[i]])
			continue;
		/* jmp *table(,%reg,8) and jmp *%reg */
		if (code[i] == 0xff && (code[i + 1] == 0x24 || (code[i + 1] & 0xf8) == 0xe0))
			return true;
		array_each (const struct constant_form, form, constant_forms,
			    COUNT_OF(constant_forms)) {
			bool modrm = form->extension != MODRM_NONE;

			if (code[i] != form->opcode ||
			    (modrm && (code[i + 1] >> 3 & 7) != form->extension))
				continue;
			memcpy(bytes, code + i, size - i < length ? size - i : length);
			size_t at = 1 + (modrm ? operand_length(bytes + 1) : 0);
			size_t wide =
				form->size == 4 && i && code[i - 1] == SIZE_16 ? 2 : form->size;

			if (x86_is_number(bytes + at, wide, number))
				return true;
		}
	}
	return false;
}

/* ---- interrupts */

/* arch/x86/include/asm/irqflags.h and paravirt.h, arch/x86/xen/xen-asm.S */
static const char *const interrupt_enablers[] = {
	"native_irq_enable",
	"pv_native_irq_enable",
	"native_restore_fl",
	"xen_irq_enable",
	"xen_irq_enable_direct",
	"xen_restore_fl_direct",
	"__raw_callee_save_xen_irq_enable",
	"__raw_callee_save_xen_restore_fl",
	"pvm_irq_enable",
	"pvm_restore_fl",
	NULL,
};

/* ---- frames of assembly */

/* Returns the kernel's struct pt_regs if its layout is that of x86-64; NULL otherwise. */
static const struct type *find_registers(const struct solver *solver)
{
	const struct type *types[8];
	size_t count = debug_reader_types_named(solver->reader, "pt_regs", types, 8);

	for (size_t i = 0; i < count && i < 8; i++) {
		members_each (member, type_members, type_strip(types[i]))
			if (member->name && strcmp(member->name, "ip") == 0 &&
			    member->offset == PT_REGS_IP_OFFSET)
				return type_canonical(types[i]);
	}
	return NULL;
}

static void add_registers(struct solver *solver, const struct type *registers,
			  const struct orc_row *row)
{
	uint32_t absent = row->frame == ORC_REGS_PARTIAL ? PT_REGS_IP_OFFSET : 0;

	facts_add_stack(&solver->facts,
			&(struct stack_fact){ .low = row->row.low,
					      .high = row->row.high,
					      .offset = absent,
					      .size = field_size(registers) - absent,
					      .base_reg = REG_NONE,
					      .variable = NO_VARIABLE,
					      .type = registers,
					      .how = HOW_VARIABLE,
					      .piece_offset = absent });
}

/* Finds the rows in objtool's ORC table, and the structs pt_regs that they say are on the stack. */
static void assembly_frame(struct solver *solver, struct arena *arena)
{
	const struct insn *last = &solver->code->insns[solver->code->insn_count - 1];
	uint64_t low = solver->code->insns[0].address, high = last->address + last->length;
	const struct type *registers = NULL;
	size_t count;
	const struct orc_row *orc = orc_rows(solver->image, low, high, arena, &count);
	struct frame_row *rows = count ? arena_alloc(arena, count * sizeof(*rows)) : NULL;

	for (size_t i = 0; i < count; i++) {
		rows[i] = orc[i].row;
		if (orc[i].frame != ORC_CALL && !registers)
			registers = find_registers(solver);
		if (orc[i].frame != ORC_CALL && registers)
			add_registers(solver, registers, &orc[i]);
	}
	facts_index_stack(&solver->facts);
	solver->frame.rows = rows;
	solver->frame.row_count = count;
}

/* ---- Go */

/* Functions in assembly of Go's runtime (runtime/asm_amd64.s, duff_amd64.s). The write barriers
 * save all registers except r11, in which those of later versions return a buffer. */
static const struct own_convention go_conventions[] = {
	{ "runtime.gcWriteBarrier", false, REG_BIT(REG_R11) },
	{ "runtime.gcWriteBarrier*", false, REG_BIT(REG_R11) },
	{ "runtime.wbZero", false, 0 },
	{ "runtime.wbMove", false, 0 },
	/* the code around it saves and restores arguments; it preserves the context register
	 * itself */
	{ "runtime.morestack", false,
	  X86_GENERAL &
		  ~(REG_BIT(REG_RSP) | REG_BIT(REG_RBP) | REG_BIT(REG_R14) | REG_BIT(REG_RDX)) },
	{ "runtime.duffzero", false, RDI },
	{ "runtime.duffcopy", false, RSI | RDI },
};

/* Members of struct abi that code of all languages has. */
#define CODE                                                                                       \
	.arch = &arch_x86_64, .classify = classify, .jump_length = jump_length,                    \
	.find_call = x86_find_call, .may_move = may_move, .may_access = may_access,                \
	.may_compare = may_compare

static const struct abi abi_go_x86_64 = {
	.call = &arch_x86_64.go_call,
	GO_RUNTIME,
	.conventions = go_conventions,
	.convention_count = COUNT_OF(go_conventions),
	CODE,
};

static const struct abi abi_rust_x86_64 = {
	.call = &arch_x86_64.call,
	.passing = abi_pass_rust,
	CODE,
};

const struct abi abi_x86_64 = {
	.call = &arch_x86_64.call,
	.go = &abi_go_x86_64,
	.rust = &abi_rust_x86_64,
	.conventions = conventions,
	.convention_count = COUNT_OF(conventions),
	.callee_save_record = "paravirt_callee_save", /* arch/x86/include/asm/paravirt_types.h */
	.thunk_prefix = "__x86_",
	.return_thunk = "__x86_return_thunk",
	.indirect_thunks = indirect_thunks,
	CODE,
	.per_cpu_offset = "this_cpu_off", /* arch/x86/include/asm/percpu.h */
	.interrupt_enablers = interrupt_enablers,
	.assembly_frame = assembly_frame,
};
