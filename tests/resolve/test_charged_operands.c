// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code besides the sampled instruction: the operand of the access that a sample is charged to, the
 * last access of its loop, and the accesses that are made with it. Code is given as bytes, next to
 * the assembler's text.
 */
#include "tests/support/unit.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/objects/dso.h"
#include "profiler/resolve/operands.h"
#include "profiler/resolve/resolve.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define TEXT         UINT64_C(0x1000)
#define CODE_MAX     64

/* Numbers of <asm/perf_regs.h> of x86. */
enum { SI = 4, DI = 5 };

struct object {
	char *folder;
	struct dso_table table;
	struct dso *dso;
	struct dso_options options;
	struct operands operands;
};

/* Open an object with one function, which has this code. */
static void open_code(struct object *object, const char *text)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	uint8_t code[CODE_MAX];
	size_t size = 0, file_size;
	unsigned int section;
	char *end;

	for (unsigned long byte = strtoul(text, &end, 16); end != text;
	     byte = strtoul(text, &end, 16)) {
		code[size++] = (uint8_t)byte;
		text = end;
	}
	section = elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT,
				     code, size);
	elf_writer_symbol(writer, "function", STT_FUNC, STB_GLOBAL, section, TEXT, size);
	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, section, TEXT, size, 16);
	*object = (struct object){ .folder = scratch_create() };

	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &file_size);
	_cleanup_free_ char *path = xasprintf("%s/object", object->folder);

	file_write(path, bytes, file_size);
	object->dso = dso_table_get(&object->table, &(struct dso_origin){ .name = path });

	struct error *error = operands_init(&object->operands, &object->options, true);

	if (error)
		fail_msg("%s", error->message);
}

static void close_object(struct object *object)
{
	operands_deinit(&object->operands);
	dso_table_deinit(&object->table);
	scratch_remove(object->folder);
}

/* ---- the operand of the charged access ---- */

static const struct charge_case {
	const char *assembly, *bytes;
	unsigned int charged, sampled; /* offsets of instructions */
	bool known;
	uint8_t base;
	int64_t displacement;
} charge_cases[] = {
	{ "movups %xmm2,16(%rdi); nop; nop", "0f 11 57 10 90 90", 0, 5, true, DI, 16 },
	{ "mov (%rsi),%rax; add $2,%rsi; nop", "48 8b 06 48 83 c6 02 90", 0, 7, true, SI, -2 },
	{ "mov %rax,(%rdi); mov %rcx,%rdi; nop", "48 89 07 48 89 cf 90", 0, 6, false, 0, 0 },
	{ "mov %rax,(%rdi); call; nop", "48 89 07 e8 00 00 00 00 90", 0, 8, false, 0, 0 },
	{ "mov %rax,(%rdi); jmp; nop", "48 89 07 eb 00 90", 0, 5, false, 0, 0 },
	/* once through a loop: */
	{ "loop, another register changes", "48 8b 06 48 83 c6 02 48 89 47 10 75 f3", 7, 0, true,
	  DI, 16 },
	{ "loop, from its end", "48 8b 06 48 83 c6 02 48 89 47 10 75 f3", 7, 3, true, DI, 16 },
	/* 0: mov (%rsi),%rax; add $2,%rsi; mov %rax,8(%rsi); jne 0 */
	{ "loop, its register changes after the sample", "48 8b 06 48 83 c6 02 48 89 46 08 75 f3",
	  7, 0, true, SI, 8 },
	{ "the sampled instruction itself", "48 8b 3f 48 89 47 08 75 f7", 3, 3, true, DI, 8 },
	{ "list, its register is overwritten", "90 48 8b 3f 90 48 89 47 08 75 f5", 5, 4, false, 0,
	  0 },
	{ "no loop", "90 90 48 89 47 08 c3", 2, 0, false, 0, 0 },
};

static struct data_operand operand_at(struct object *object, uint64_t address)
{
	struct data_operand_finder finder = operands_finder(&object->operands);
	struct data_operand operand = { 0 };

	finder.find(finder.data, object->dso, address, false, true, &operand);
	return operand;
}

static void test_charged_operand(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(charge_cases); i++) {
		const struct charge_case *row = &charge_cases[i];
		struct object object;
		struct data_operand operand;

		open_code(&object, row->bytes);

		struct resolved_place places[] = {
			/* the access with the most samples counts */
			{ .dso = object.dso,
			  .late = true,
			  .sampled = TEXT + row->sampled,
			  .samples = 1,
			  .access = { .address = TEXT, .kind = ACCESS_TYPE } },
			{ .dso = object.dso,
			  .late = true,
			  .sampled = TEXT + row->sampled,
			  .samples = 9,
			  .access = { .address = TEXT + row->charged,
				      .kind = ACCESS_TYPE,
				      .write = true } },
		};

		assert_null(operands_charge(
			&object.operands,
			&(struct resolution){ .places = places, .place_count = COUNT(places) }));
		operand = operand_at(&object, TEXT + row->sampled);
		if (operands_waited(&object.operands, object.dso, TEXT + row->sampled) !=
		    TEXT + row->charged)
			fail_msg("%s: another instruction was waited for", row->assembly);
		if (operand.known != row->known)
			fail_msg("%s: the address %s", row->assembly,
				 row->known ? "is not known" : "is known");
		if (operand.known &&
		    (operand.base != row->base || operand.displacement != row->displacement))
			fail_msg("%s: base %u, displacement %lld", row->assembly, operand.base,
				 (long long)operand.displacement);
		close_object(&object);
	}
}

/* ---- the last access of a loop ---- */

/*
 * The loops are those of
 *
 *     for (; p != end; p++)             p in %rdi, end in %rsi
 *             sum += *p;
 *
 * or with an index in %rcx, and others whose end samples cannot tell.
 */
static const struct loop_case {
	const char *assembly, *bytes;
	unsigned int access, sampled; /* offsets of instructions */
	bool ends, of_index;
	uint8_t limit;
	int64_t displacement;
} loop_cases[] = {
	{ "movsd (%rdi),%xmm0; add $8,%rdi; cmp %rdi,%rsi; jne",
	  "f2 0f 10 07 48 83 c7 08 48 39 fe 75 f3", 0, 0, true, false, SI, -8 },
	{ "the same, sampled at its jump", "f2 0f 10 07 48 83 c7 08 48 39 fe 75 f3", 0, 11, true,
	  false, SI, -8 },
	{ "the same, sampled after it", "f2 0f 10 07 48 83 c7 08 48 39 fe 75 f3 90", 0, 13, false,
	  false, 0, 0 },
	{ "add $8,%rdi; movsd %xmm0,-8(%rdi); cmp %rdi,%rsi; jne",
	  "48 83 c7 08 f2 0f 11 47 f8 48 39 fe 75 f2", 4, 4, true, false, SI, -8 },
	{ "mov (%rdi,%rcx,4),%eax; add $1,%rcx; cmp %rsi,%rcx; jb",
	  "8b 04 8f 48 83 c1 01 48 39 f1 72 f4", 0, 0, true, true, SI, -4 },
	{ "mov (%rdi,%rcx,4),%eax; inc %rcx; cmp $100,%rcx; jne",
	  "8b 04 8f 48 ff c1 48 83 f9 64 75 f4", 0, 0, true, true, DATA_OPERAND_NO_REGISTER, 396 },
	{ "movsd (%rdi),%xmm0; add $8,%rdi; cmp %rdi,%rsi; movsd %xmm0,(%rdx); jne",
	  "f2 0f 10 07 48 83 c7 08 48 39 fe f2 0f 11 02 75 ef", 0, 4, true, false, SI, -8 },
	{ "cmp %rax,%rdx; je 8; mov %eax,4(%rdi); 8: add $8,%rdi; cmp %rdi,%rsi; jne",
	  "48 39 c2 74 03 89 47 04 48 83 c7 08 48 39 fe 75 ef", 5, 8, true, false, SI, -4 },
	{ "another exit: mov (%rdi),%eax; test; je out; add $4,%rdi; cmp %rdi,%rsi; jne",
	  "8b 07 85 c0 74 09 48 83 c7 04 48 39 fe 75 f1", 0, 0, false, false, 0, 0 },
	{ "another end each time: mov (%rdi),%eax; add $4,%rdi; mov %rax,%rsi; cmp; jne",
	  "8b 07 48 83 c7 04 48 89 c6 48 39 fe 75 f2", 0, 0, false, false, 0, 0 },
	{ "a call: mov (%rdi),%eax; call; add $4,%rdi; cmp %rdi,%rsi; jne",
	  "8b 07 e8 a9 ff ff ff 48 83 c7 04 48 39 fe 75 f0", 0, 0, false, false, 0, 0 },
	{ "downward: mov (%rdi),%eax; sub $4,%rdi; cmp %rdi,%rsi; jne",
	  "8b 07 48 83 ef 04 48 39 fe 75 f5", 0, 0, false, false, 0, 0 },
	{ "a list: mov (%rdi),%rdi; cmp %rdi,%rsi; jne", "48 8b 3f 48 39 fe 75 f8", 0, 0, false,
	  false, 0, 0 },
	{ "counted: movsd (%rdi),%xmm0; add $8,%rdi; sub $1,%rcx; jne",
	  "f2 0f 10 07 48 83 c7 08 48 83 e9 01 75 f2", 0, 0, false, false, 0, 0 },
	{ "no loop", "f2 0f 10 07 48 83 c7 08 48 39 fe c3", 0, 0, false, false, 0, 0 },
};

static void charge_to(struct object *object, unsigned int access, unsigned int sampled)
{
	struct resolved_place place = {
		.dso = object->dso,
		.late = true,
		.sampled = TEXT + sampled,
		.samples = 1,
		.access = { .address = TEXT + access, .kind = ACCESS_TYPE, .write = true }
	};

	assert_null(operands_charge(&object->operands,
				    &(struct resolution){ .places = &place, .place_count = 1 }));
}

static void test_end_of_loop(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(loop_cases); i++) {
		const struct loop_case *row = &loop_cases[i];
		struct object object;
		struct data_operand operand;

		open_code(&object, row->bytes);
		charge_to(&object, row->access, row->sampled);
		operand = operand_at(&object, TEXT + row->sampled);
		if (operand.ends != row->ends)
			fail_msg("%s: the end %s", row->assembly,
				 row->ends ? "is not known" : "is known");
		if (operand.ends &&
		    (operand.limits_index != row->of_index || operand.limit != row->limit ||
		     operand.last_displacement != row->displacement))
			fail_msg("%s: limit %u, displacement %lld", row->assembly, operand.limit,
				 (long long)operand.last_displacement);
		close_object(&object);
	}
}

/* ---- stores after loads ---- */

static void test_stores_back(void **state)
{
	static const struct {
		const char *assembly, *bytes;
		bool stores;
	} rows[] = {
		{ "mov (%rdi),%rax; add $1,%rax; mov %rax,(%rdi)",
		  "48 8b 07 48 83 c0 01 48 89 07 c3", true },
		{ "mov 8(%rdi),%rax; inc; mov %rax,8(%rdi)", "48 8b 47 08 48 ff c0 48 89 47 08 c3",
		  true },
		{ "mov (%rdi),%rax; mov %rax,8(%rdi)", "48 8b 07 48 89 47 08 c3", false },
		{ "mov (%rdi),%rax; add $8,%rdi; mov %rax,-8(%rdi)",
		  "48 8b 07 48 83 c7 08 48 89 47 f8 c3", true },
		{ "mov (%rdi),%rax; add $8,%rdi; mov %rax,(%rdi)",
		  "48 8b 07 48 83 c7 08 48 89 07 c3", false },
		{ "mov (%rdi,%rcx,8),%rax; inc %rcx; mov %rax,-8(%rdi,%rcx,8)",
		  "48 8b 04 cf 48 ff c1 48 89 44 cf f8 c3", true },
		{ "mov (%rdi),%rax; mov %rcx,%rdi; mov %rax,(%rdi)",
		  "48 8b 07 48 89 cf 48 89 07 c3", false },
		{ "mov (%rdi),%rdi; mov %rax,(%rdi)", "48 8b 3f 48 89 07 c3", false },
		{ "mov (%rdi),%rax; jne; mov %rax,(%rdi)", "48 8b 07 75 00 48 89 07 c3", false },
		{ "mov (%rdi),%rax; ret", "48 8b 07 c3", false },
		{ "mov %rax,(%rdi): no load", "48 89 07 48 89 07 c3", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct object object;

		open_code(&object, rows[i].bytes);
		if (operands_stores_back(&object.operands, object.dso, TEXT) != rows[i].stores)
			fail_msg("%s: wrong", rows[i].assembly);
		close_object(&object);
	}
}

static void test_polls(void **state)
{
	static const struct {
		const char *assembly, *bytes;
		uint64_t access;
		bool polls;
	} rows[] = {
		{ "mov (%rdi),%eax; test; je", "8b 07 85 c0 74 fa c3", 0, true },
		{ "pause; cmpl $0,(%rdi); jne", "f3 90 83 3f 00 75 f9 c3", 2, true },
		{ "mov (%rdi),%eax; test; jne out; pause; jmp", "8b 07 85 c0 75 04 f3 90 eb f6 c3",
		  0, true },
		{ "mov (%rsp),%rax; inc; mov %rax,(%rsp); mov (%rdi),%eax; test; je",
		  "48 8b 04 24 48 ff c0 48 89 04 24 8b 07 85 c0 74 ef c3", 11, true },
		{ "mov (%rdi),%rdi; test; jne: a list", "48 8b 3f 48 85 ff 75 f8 c3", 0, false },
		{ "mov (%rdi),%eax; mov %eax,(%rsi); test; je: a copy",
		  "8b 07 89 06 85 c0 74 f8 c3", 0, false },
		{ "mov (%rdi),%eax; add $4,%rdi; test; je: a search",
		  "8b 07 48 83 c7 04 85 c0 74 f6 c3", 0, false },
		{ "mov (%rdi),%eax; test; call; je", "8b 07 85 c0 e8 00 00 00 00 74 f5 c3", 0,
		  false },
		{ "mov (%rdi),%eax; ret: no loop", "8b 07 c3", 0, false },
		{ "mov (%rdi),%eax; add %eax,%edx; dec %ecx; jne: a sum",
		  "8b 07 01 c2 ff c9 75 f8 c3", 0, false },
		{ "mov (%rdi),%eax; test; je out; dec %ecx; jne: a limit of turns",
		  "8b 07 85 c0 74 04 ff c9 75 f6 c3", 0, true },
		{ "mov (%rdi),%eax; and $1,%eax; cmp %esi,%eax; je",
		  "8b 07 83 e0 01 39 f0 74 f7 c3", 0, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct object object;

		open_code(&object, rows[i].bytes);
		if (operands_polls(&object.operands, object.dso, TEXT + rows[i].access) !=
		    rows[i].polls)
			fail_msg("%s: wrong", rows[i].assembly);
		close_object(&object);
	}
}

static void test_adds(void **state)
{
	static const struct {
		const char *assembly, *bytes;
		bool adds;
	} rows[] = {
		{ "lock addq $1,(%rdx)", "f0 48 83 02 01 c3", true },
		{ "incq (%rdi)", "48 ff 07 c3", true },
		{ "lock sub %rax,(%rdi)", "f0 48 29 07 c3", true },
		{ "add (%rdi),%rax: a load", "48 03 07 c3", false },
		{ "lock xadd %rax,(%rdi): keeps the result", "f0 48 0f c1 07 c3", false },
		{ "xchg %rax,(%rdi)", "48 87 07 c3", false },
		{ "lock cmpxchg %rcx,(%rdi)", "f0 48 0f b1 0f c3", false },
		{ "mov %rax,(%rdi)", "48 89 07 c3", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct object object;

		open_code(&object, rows[i].bytes);
		if (operands_adds(&object.operands, object.dso, TEXT) != rows[i].adds)
			fail_msg("%s: wrong", rows[i].assembly);
		close_object(&object);
	}
}

/* ---- accesses beside one ---- */

/*
 *  0: mov 8(%rdi),%rax; test %rax,%rax; jle 27     not in the block of the loop
 *  9: movups %xmm2,24(%rdi)
 * 13: mov %r8,56(%rdi)
 * 17: movups %xmm1,40(%rdi)
 * 21: cmp %rsi,%rcx; jne 9; mov (%rdi),%rax; ret
 */
#define LOOP                                                                                       \
	"48 8b 47 08 48 85 c0 7e 10 0f 11 57 18 4c 89 47 38 0f 11 4f 28 48 39 f1 75 ef 48 8b 07 "  \
	"c3"

static void test_beside(void **state)
{
	struct object object;
	struct beside beside[BESIDE_MAX];

	(void)state;
	open_code(&object, LOOP);
	assert_int_equal(operands_beside(&object.operands, object.dso, TEXT + 13, beside), 2);
	assert_int_equal(beside[0].insn, TEXT + 9);
	assert_int_equal(beside[0].delta, 24 - 56);
	assert_int_equal(beside[0].size, 16);
	assert_true(beside[0].write && !beside[0].read);
	assert_int_equal(beside[1].insn, TEXT + 17);
	assert_int_equal(beside[1].delta, 40 - 56);
	/* alone in its block */
	assert_int_equal(operands_beside(&object.operands, object.dso, TEXT, beside), 0);
	assert_int_equal(operands_beside(&object.operands, object.dso, TEXT + 26, beside), 0);
	/* not an instruction, not in a function */
	assert_int_equal(operands_beside(&object.operands, object.dso, TEXT + 14, beside), 0);
	assert_int_equal(operands_beside(&object.operands, object.dso, TEXT + 0x500, beside), 0);
	close_object(&object);
}

/* 0: mov %eax,0x106; 6: mov 0x10e,%rax, both relative to the program counter; 13: mov (%rdi),%rax
 */
static void test_beside_static_data(void **state)
{
	struct object object;
	struct beside beside[BESIDE_MAX];

	(void)state;
	open_code(&object, "89 05 00 01 00 00 48 8b 05 01 01 00 00 48 8b 07 c3");
	assert_int_equal(operands_beside(&object.operands, object.dso, TEXT, beside), 1);
	assert_int_equal(beside[0].insn, TEXT + 6);
	assert_int_equal(beside[0].delta, 8);
	assert_true(beside[0].read && !beside[0].write);
	assert_int_equal(operands_beside(&object.operands, object.dso, TEXT + 13, beside), 0);
	close_object(&object);
}

/* 0: mov (%rdi),%rax; 3: mov 8(%rdi),%rdi; 7: mov 16(%rdi),%rcx: the third one has another base */
static void test_beside_another_base(void **state)
{
	struct object object;
	struct beside beside[BESIDE_MAX];

	(void)state;
	open_code(&object, "48 8b 07 48 8b 7f 08 48 8b 4f 10 c3");
	assert_int_equal(operands_beside(&object.operands, object.dso, TEXT, beside), 1);
	assert_int_equal(beside[0].delta, 8);
	assert_true(beside[0].read && !beside[0].write);
	assert_int_equal(operands_beside(&object.operands, object.dso, TEXT + 7, beside), 0);
	close_object(&object);
}

/* ---- accesses that samples are witnesses of ---- */

enum { BX = 1 };

static const struct witness_case {
	const char *assembly, *bytes;
	unsigned int sampled, made; /* offsets of instructions */
	bool known;                 /* the sample is a witness of the access */
	uint8_t reg;
	int64_t displacement;
} witness_cases[] = {
#define POINTS "48 0f be 06 48 83 c6 02 48 01 47 08 48 39 f1 75 ef c3"
	{ "0: movsbq (%rsi),%rax; add $2,%rsi; add %rax,8(%rdi); cmp; jne 0", POINTS, 0, 8, true,
	  DI, 8 },
	{ "the same, sampled at its jump", POINTS, 15, 8, true, DI, 8 },
	{ "the same, sampled after it", POINTS, 17, 8, false, 0, 0 },
	{ "the same, the pointer that counts", POINTS, 8, 0, false, 0, 0 },
#define CONDITIONAL "48 8b 06 48 85 c0 74 04 48 01 47 08 48 83 c6 08 48 39 f1 75 eb c3"
	{ "0: mov (%rsi),%rax; test; je 12; add %rax,8(%rdi); 12: add; cmp; jne 0", CONDITIONAL, 0,
	  8, false, 0, 0 },
	{ "the same, sampled after the condition", CONDITIONAL, 12, 8, false, 0, 0 },
	{ "the same, sampled under the condition", CONDITIONAL, 8, 8, true, DI, 8 },
#define FIRST "48 89 07 48 85 c0 74 03 48 03 06 48 83 c6 08 48 39 f1 75 ec c3"
	{ "0: mov %rax,(%rdi); test; je 11; add (%rsi),%rax; 11: add; cmp; jne 0", FIRST, 8, 0,
	  true, DI, 0 },
	{ "the same, sampled in its last block", FIRST, 15, 0, true, DI, 0 },
#define LOADED "48 8b 3a 48 89 47 08 48 83 e9 01 75 f3 c3"
	{ "0: mov (%rdx),%rdi; mov %rax,8(%rdi); sub $1,%rcx; jne 0", LOADED, 3, 3, true, DI, 8 },
	{ "the same, the pointer is of the last turn", LOADED, 0, 3, false, 0, 0 },
#define LEFT "48 8b 06 48 85 c0 74 0a 48 89 47 08 48 83 c6 08 eb ee c3"
	{ "0: mov (%rsi),%rax; test; je out; mov %rax,8(%rdi); add; jmp 0", LEFT, 0, 8, false, 0,
	  0 },
	{ "the same, sampled after the exit", LEFT, 12, 8, true, DI, 8 },
#define CALLS "90 48 89 03 48 89 07 e8 f3 ff ff ff 90 c3"
	{ "1: mov %rax,(%rbx); mov %rax,(%rdi); call; 12: nop", CALLS, 12, 1, true, BX, 0 },
	{ "the same, a register that the call may change", CALLS, 12, 4, false, 0, 0 },
	{ "the same, sampled before the call", CALLS, 0, 4, true, DI, 0 },
	{ "nop; mov %rax,8(%rsp): the stack", "90 48 89 44 24 08 c3", 0, 1, false, 0, 0 },
	{ "mov %rsp,%rbp; nop; mov %rax,8(%rbp): a frame", "48 89 e5 90 48 89 45 08 c3", 3, 4,
	  false, 0, 0 },
	{ "nop; mov %rax,(%rdi,%rcx,8): an index", "90 48 89 04 cf c3", 0, 1, false, 0, 0 },
	{ "nop; add %rax,8(%rdi) only after the sample", "90 48 01 47 08 c3", 0, 1, true, DI, 8 },
};

/* Sets *item to what samples at an address are witnesses of. Returns false if they are not. */
static bool find_witnessed(struct object *object, uint64_t sampled, uint64_t made,
			   struct witnessed *item)
{
	const struct witnesses *witnesses = &object->operands.witnesses;
	const struct witness *witness = witnesses_at(witnesses, object->dso, sampled);

	for (size_t i = 0; witness && i < witness->count; i++) {
		*item = witnesses->items[witness->first + i];
		if (witnesses->accesses[item->access].insn == made)
			return true;
	}
	return false;
}

static void check_witness(const struct witness_case *row, uint64_t samples, bool known)
{
	struct object object;
	struct witnessed item = { 0 };

	open_code(&object, row->bytes);

	struct resolved_place place = {
		.dso = object.dso, .late = true, .sampled = TEXT + row->sampled, .samples = samples
	};
	struct data_operand operand;

	assert_null(operands_charge(&object.operands,
				    &(struct resolution){ .places = &place, .place_count = 1 }));
	operand = operand_at(&object, TEXT + row->sampled);
	if (find_witnessed(&object, TEXT + row->sampled, TEXT + row->made, &item) != known)
		fail_msg("%s: sample at %u is %s of the access at %u", row->assembly, row->sampled,
			 known ? "no witness" : "a witness", row->made);
	if (known &&
	    (operand.kept[item.kept] != row->reg || item.displacement != row->displacement))
		fail_msg("%s: register %u, displacement %lld", row->assembly,
			 operand.kept[item.kept], (long long)item.displacement);
	close_object(&object);
}

static void test_witnesses(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(witness_cases); i++)
		check_witness(&witness_cases[i], 8, witness_cases[i].known);
	/* no verdict goes by so few samples */
	check_witness(&witness_cases[0], 7, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_charged_operand),
		cmocka_unit_test(test_end_of_loop),
		cmocka_unit_test(test_stores_back),
		cmocka_unit_test(test_adds),
		cmocka_unit_test(test_polls),
		cmocka_unit_test(test_beside),
		cmocka_unit_test(test_beside_static_data),
		cmocka_unit_test(test_beside_another_base),
		cmocka_unit_test(test_witnesses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
