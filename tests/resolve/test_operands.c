// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The operand that a late sample's data address is computed from: that of the nearest load before
 * it, provided that its address registers can be recovered. Code is given as bytes, next to the
 * assembler's text.
 */
#include "tests/support/unit.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "profiler/objects/dso.h"
#include "profiler/resolve/operands.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define TEXT         UINT64_C(0x1000)
#define NOPS         64 /* before the code of each case */
#define CODE         (TEXT + NOPS)

/* The sampled instruction, which follows the code of each case. */
static const uint8_t sampled[] = { 0x48, 0x8b, 0x51, 0x18 }; /* mov 24(%rcx),%rdx */

/* Numbers of <asm/perf_regs.h> of x86. */
enum { AX = 0, CX = 2, DI = 5, NONE = DATA_OPERAND_NO_REGISTER };

struct operand_case {
	const char *assembly;
	const char *bytes;
	int waited; /* offset of the instruction that was waited for; -1: the sampled instruction */
	bool known;
	uint8_t base, index;
	int64_t displacement;
};

/* clang-format off */
static const struct operand_case cases[] = {
	{ "mov 8(%rdi),%rax", "48 8b 47 08", 0, true, DI, NONE, 8 },
	{ "mov 8(%rdi),%rax; not %rax", "48 8b 47 08 48 f7 d0", 0, true, DI, NONE, 8 },
	{ "mov 8(%rdi,%rcx,4),%eax", "8b 44 8f 08", 0, true, DI, CX, 8 },
	{ "cmp (%rdi),%rax; jne", "48 3b 07 75 00", 0, true, DI, NONE, 0 },
	{ "lock addq $1,(%rdi)", "f0 48 83 07 01", 0, true, DI, NONE, 0 },
	{ "mov (%rdi),%rax; mov 16(%rcx),%rdx", "48 8b 07 48 8b 51 10", 3, true, CX, NONE, 16 },
	/* registers changed by a constant */
	{ "mov 8(%rdi),%rax; add $8,%rdi", "48 8b 47 08 48 83 c7 08", 0, true, DI, NONE, 0 },
	{ "mov 8(%rdi),%rax; sub $16,%rdi", "48 8b 47 08 48 83 ef 10", 0, true, DI, NONE, 24 },
	{ "mov (%rdi),%rax; lea 32(%rdi),%rdi", "48 8b 07 48 8d 7f 20", 0, true, DI, NONE, -32 },
	{ "mov (%rdi),%rax; add $8,%rdi; add $8,%rdi", "48 8b 07 48 83 c7 08 48 83 c7 08", 0, true, DI, NONE, -16 },
	{ "mov 8(%rdi,%rcx,4),%eax; inc %rcx", "8b 44 8f 08 48 ff c1", 0, true, DI, CX, 4 },
	/* registers that cannot be recovered */
	{ "mov 8(%rax),%rax", "48 8b 40 08", 0, false, NONE, NONE, 0 },
	{ "mov 8(%rax),%rax; add $8,%rax", "48 8b 40 08 48 83 c0 08", 0, false, NONE, NONE, 0 },
	{ "mov (%rdi),%rax; add $8,%edi", "48 8b 07 83 c7 08", 0, false, NONE, NONE, 0 },
	{ "mov (%rdi),%rax; add %rcx,%rdi", "48 8b 07 48 01 cf", 0, false, NONE, NONE, 0 },
	{ "mov (%rdi),%rax; mov %rcx,%rdi", "48 8b 07 48 89 cf", 0, false, NONE, NONE, 0 },
	{ "mov (%rdi),%rax; lea 8(%rcx),%rdi", "48 8b 07 48 8d 79 08", 0, false, NONE, NONE, 0 },
	{ "mov (%rdi),%rax; lea (%rdi,%rcx),%rdi", "48 8b 07 48 8d 3c 0f", 0, false, NONE, NONE, 0 },
	{ "mov (%rdi,%rcx,4),%ecx", "8b 0c 8f", 0, false, NONE, NONE, 0 },
	{ "mov %fs:8(%rdi),%rax", "64 48 8b 47 08", 0, false, NONE, NONE, 0 },
	/* stores and other instructions that are never waited for are skipped */
	{ "mov (%rdi),%rax; mov %rax,16(%rcx)", "48 8b 07 48 89 41 10", 0, true, DI, NONE, 0 },
	{ "mov (%rdi),%rax; mov 8(%rsp),%rdx", "48 8b 07 48 8b 54 24 08", 0, true, DI, NONE, 0 },
	{ "mov (%rdi),%rax; pop %rdx", "48 8b 07 5a", 0, true, DI, NONE, 0 },
	{ "mov (%rdi),%rax; nopl 0(%rax)", "48 8b 07 0f 1f 40 00", 0, true, DI, NONE, 0 },
	{ "mov (%rdi),%rax; prefetcht0 (%rcx)", "48 8b 07 0f 18 09", 0, true, DI, NONE, 0 },
	{ "mov (%rdi),%rax; lea 8(%rcx),%rdx", "48 8b 07 48 8d 51 08", 0, true, DI, NONE, 0 },
	/* no load before it in a straight line */
	{ "not %rax", "48 f7 d0", -1, true, CX, NONE, 24 },
	{ "mov (%rdi),%rax; call", "48 8b 07 e8 00 00 00 00", -1, true, CX, NONE, 24 },
	{ "mov (%rdi),%rax; jmp", "48 8b 07 eb 00", -1, true, CX, NONE, 24 },
	{ "mov (%rdi),%rax; ret", "48 8b 07 c3", -1, true, CX, NONE, 24 },
	{ "mov (%rdi),%rax; div %rcx", "48 8b 07 48 f7 f1", -1, true, CX, NONE, 24 },
	{ "mov (%rdi),%rax; pause", "48 8b 07 f3 90", -1, true, CX, NONE, 24 },
	/* seven instructions between, then eight */
	{ "mov (%rdi),%rax; 7 * nop", "48 8b 07 90 90 90 90 90 90 90", 0, true, DI, NONE, 0 },
	{ "mov (%rdi),%rax; 8 * nop", "48 8b 07 90 90 90 90 90 90 90 90", -1, true, CX, NONE, 24 },
};
/* clang-format on */

struct object {
	char *folder;
	struct dso_table table;
	struct dso *dso;
	struct dso_options options;
	struct operands operands;
};

static void must(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

static void open_path(struct object *object, const char *path, bool late)
{
	object->dso = dso_table_get(&object->table, &(struct dso_origin){ .name = path });
	must(operands_init(&object->operands, &object->options, late));
}

/* Open an object with this code at TEXT. */
static void open_code(struct object *object, const uint8_t *code, size_t code_size, bool late)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, TEXT, code, code_size);
	size_t size;

	*object = (struct object){ .folder = scratch_create() };
	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, text, TEXT, code_size, 16);

	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);
	_cleanup_free_ char *path = xasprintf("%s/object", object->folder);

	file_write(path, bytes, size);
	open_path(object, path, late);
}

static void close_object(struct object *object)
{
	operands_deinit(&object->operands);
	dso_table_deinit(&object->table);
	if (object->folder)
		scratch_remove(object->folder);
}

/*
 * Open an object with nops, the code of a case and the sampled instruction. Returns the address of
 * the latter.
 */
static uint64_t open_case(struct object *object, const char *text, bool late)
{
	uint8_t code[NOPS + 32];
	size_t size = NOPS;
	char *end;

	memset(code, 0x90, NOPS);
	for (unsigned long byte = strtoul(text, &end, 16); end != text;
	     byte = strtoul(text, &end, 16)) {
		code[size++] = (uint8_t)byte;
		text = end;
	}
	memcpy(code + size, sampled, sizeof(sampled));
	open_code(object, code, size + sizeof(sampled), late);
	return TEXT + size;
}

static struct data_operand operand_at(struct object *object, uint64_t address, bool late)
{
	struct data_operand_finder finder = operands_finder(&object->operands);
	struct data_operand operand = { 0 };

	finder.find(finder.data, object->dso, address, false, late, &operand);
	return operand;
}

static void check_case(const struct operand_case *row)
{
	struct object object;
	uint64_t address = open_case(&object, row->bytes, true);
	uint64_t expected = row->waited < 0 ? address : CODE + (uint64_t)row->waited;
	uint64_t waited = operands_waited(&object.operands, object.dso, address);
	struct data_operand operand = operand_at(&object, address, true);

	if (waited != expected)
		fail_msg("%s: waited for %#llx instead of %#llx", row->assembly,
			 (unsigned long long)waited, (unsigned long long)expected);
	if (operand.known != row->known)
		fail_msg("%s: the address %s", row->assembly,
			 row->known ? "is not known" : "is known");
	if (operand.known && (operand.base != row->base || operand.index != row->index ||
			      operand.displacement != row->displacement))
		fail_msg("%s: base %u, index %u, displacement %lld", row->assembly, operand.base,
			 operand.index, (long long)operand.displacement);
	close_object(&object);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		check_case(&cases[i]);
}

/* A displacement relative to the instruction becomes a file address. */
static void test_relative_to_the_instruction(void **state)
{
	struct object object;
	uint64_t address =
		open_case(&object, "48 8b 05 00 01 00 00", true); /* mov 0x100(%rip),%rax */
	struct data_operand operand = operand_at(&object, address, true);

	(void)state;
	assert_int_equal(operands_waited(&object.operands, object.dso, address), CODE);
	assert_true(operand.known && operand.relative);
	assert_int_equal(operand.displacement, CODE + 7 + 0x100);
	close_object(&object);
}

/* Exact samples, and all samples if none are charged, keep the sampled instruction. */
static void test_own_operand(void **state)
{
	(void)state;
	for (int late = 0; late < 2; late++) {
		struct object object;
		uint64_t address = open_case(&object, "48 8b 47 08", !late);
		struct data_operand operand = operand_at(&object, address, late);

		assert_true(operand.known);
		assert_int_equal(operand.base, CX);
		assert_int_equal(operand.displacement, 24);
		close_object(&object);
	}
}

/* The array that an element is of begins where the address would be with index 0, also if the index
 * has changed since. */
static void test_index_changes(void **state)
{
	static const struct {
		const char *bytes;
		int64_t change;
	} rows[] = {
		{ "8b 44 8f 08", 0 },             /* mov 8(%rdi,%rcx,4),%eax */
		{ "8b 44 8f 08 48 ff c1", -4 },   /* inc %rcx */
		{ "8b 44 8f 08 48 83 c7 08", 0 }, /* add $8,%rdi */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct object object;
		uint64_t address = open_case(&object, rows[i].bytes, true);
		struct data_operand operand = operand_at(&object, address, true);

		assert_true(operand.known);
		assert_int_equal(operand.index_change, rows[i].change);
		close_object(&object);
	}
}

/* After an interrupt, a register has the remaining count of a string instruction. */
static void test_repeated_string(void **state)
{
	static const uint8_t code[] = { 0x90, 0xf3, 0x48, 0xab, 0x48, 0xab }; /* rep stos; stos */
	struct object object;
	struct data_operand repeated, single;

	(void)state;
	open_code(&object, code, sizeof(code), false);
	repeated = operand_at(&object, TEXT + 1, false);
	single = operand_at(&object, TEXT + 4, false);
	assert_true(repeated.known && single.known);
	assert_int_equal(repeated.base, DI);
	assert_int_equal(repeated.repeat, CX);
	assert_int_equal(repeated.size, 8);
	assert_int_equal(single.size, 0);
	close_object(&object);
}

/* No code precedes the first instruction of a section. */
static void test_start_of_the_code(void **state)
{
	struct object object;

	(void)state;
	open_code(&object, sampled, sizeof(sampled), true);
	assert_int_equal(operands_waited(&object.operands, object.dso, TEXT), TEXT);
	assert_int_equal(operand_at(&object, TEXT, true).base, CX);
	assert_int_equal(operands_waited(&object.operands, object.dso, 0x900000), 0x900000);
	assert_false(operand_at(&object, 0x900000, true).known);
	close_object(&object);
}

/* ---- decoding that begins between instructions ---- */

struct steps {
	/* samples: all; those whose decoding found the function's instructions; the others */
	size_t asked, within, off;
};

/*
 * Decode a function from its start. The instructions that are waited for must be among the decoded
 * ones.
 */
static void count_steps(struct object *object, const struct elf_image *image,
			const struct symbol *function, struct steps *steps)
{
	size_t available;
	const uint8_t *bytes = elf_image_code(image, function->address, &available);
	_cleanup_free_ bool *starts = xcalloc(function->size, sizeof(*starts));

	for (uint64_t at = 0; bytes && at < function->size;) {
		struct insn insn;
		uint64_t address = function->address + at,
			 waited = operands_waited(&object->operands, object->dso, address);

		steps->asked++;
		if (waited >= function->address && waited < address) {
			steps->within++;
			steps->off += !starts[waited - function->address];
		}
		decoder_decode(object->operands.decoder, bytes + at, function->size - at, address,
			       &insn);
		starts[at] = true;
		at += insn.length;
	}
}

/*
 * The functions of this program itself have instructions of all lengths. If there is no load in
 * step, decoding out of step may find one. No sample is charged to such a load, and its address is
 * dropped.
 */
static void test_falls_into_step(void **state)
{
	struct object object = { 0 };
	struct steps steps = { 0 };
	const char *problem;
	size_t count;

	(void)state;
	open_path(&object, "/proc/self/exe", true);

	const struct elf_image *image = dso_image(object.dso, &object.options, &problem);

	assert_non_null(image);
	const struct symbol *symbols = elf_image_symbols(image, &count);

	for (size_t i = 0; i < count && steps.asked < 20000; i++)
		if (symbols[i].type == STT_FUNC && symbols[i].size > 200)
			count_steps(&object, image, &symbols[i], &steps);
	assert_true(steps.within > 1000);
	assert_true(steps.off * 10 <= steps.within);
	close_object(&object);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_relative_to_the_instruction),
		cmocka_unit_test(test_own_operand),
		cmocka_unit_test(test_index_changes),
		cmocka_unit_test(test_repeated_string),
		cmocka_unit_test(test_start_of_the_code),
		cmocka_unit_test(test_falls_into_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
