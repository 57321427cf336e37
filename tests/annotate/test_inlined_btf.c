// SPDX-License-Identifier: GPL-2.0-or-later
/* Arguments of inlined calls are known where BTF says that they are (BTF_KIND_LOCSEC, in the form
 * of linux-next): in a register, at a distance from one, or in memory; in .BTF, or in a section
 * that continues it. */
#include "tests/support/unit.h" /* first: cmocka and the headers that it needs */

#include <stdlib.h>
#include <string.h>

#include "annotate/solve/type_resolver.h"
#include "base/memory.h"
#include "dwarf/btf/btf.h"
#include "dwarf/debug.h"
#include "tests/support/btf_writer.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

enum { LOC_PARAM = 20, LOC_PROTO = 21, LOCSEC = 22 };
enum { SIGNED = 1, CONSTANT = 2, REGISTER = 8, DEREF = 16, OFFSET = 32 };

/* rax, of which nothing else is known, has the argument; at `site` a call of get(struct node *) is
 * inlined, whose code reads node->value, 8 bytes into it. */
static const char source[] = ".globl outer, site\n"
			     ".type outer, @function\n"
			     "outer: mov (%rdi), %rax\n"
			     "mov (%rdi), %rdx\n"
			     "site: mov 8(%rax), %ecx\n"
			     "mov 8(%rdx), %ecx\n"
			     "ret\n"
			     ".size outer, . - outer\n";

/* The words of a BTF_KIND_LOC_PARAM: flags, and values. */
struct argument {
	uint32_t flags, count, values[2];
};

struct inlined_program {
	struct elf_image *image;
	uint64_t site;
	uint32_t offset; /* of the site in .text */
};

static void open_program(struct inlined_program *program, const char *path)
{
	struct elf_section text;

	assert_null(elf_image_open(path, &program->image));
	program->site = elf_image_symbol_named(program->image, "site")->address;
	assert_true(elf_image_section_named(program->image, ".text", &text));
	program->offset = (uint32_t)(program->site - text.address);
}

static const char *build_program(void)
{
	_cleanup_process_ struct process_result result = { 0 };
	const char *assembler = scratch_file("source.s"), *path = scratch_file("program");

	need_compiler("gcc");
	file_write(assembler, source, strlen(source));
	shell_must(&result, "gcc -nostdlib -static -Wl,-e,outer -o %s %s", path, assembler);
	return path;
}

/* Ids in the BTF that write_types() begins. */
struct written_types {
	uint32_t pointer, function;
};

static struct written_types write_types(struct btf_writer *writer)
{
	uint32_t number = btf_writer_integer(writer, "int", 4, BTF_INT_SIGNED);
	uint32_t node = btf_writer_record(writer, BTF_KIND_STRUCT, "node", 16, 2);

	btf_writer_member(writer, "key", number, 32);
	btf_writer_member(writer, "value", number, 64);

	struct written_types types = { .pointer = btf_writer_pointer(writer, node) };
	uint32_t anything = btf_writer_pointer(writer, 0);

	btf_writer_function(writer, "outer", number, &anything, 1);
	types.function = btf_writer_function(writer, "get", number, &types.pointer, 1);
	return types;
}

/* Writes that get() is inlined at an offset in .text, with its argument there. */
static void write_call(struct btf_writer *writer, uint32_t function, uint32_t offset,
		       const struct argument *argument)
{
	uint32_t place = btf_writer_type(writer, NULL, LOC_PARAM, false, argument->count, 8);

	btf_writer_word(writer, argument->flags);
	for (uint32_t i = 0; i < argument->count; i++)
		btf_writer_word(writer, argument->values[i]);
	uint32_t places = btf_writer_type(writer, NULL, LOC_PROTO, false, 1, 0);

	btf_writer_word(writer, place);
	btf_writer_type(writer, "inline.text", LOCSEC, false, 1, 0);
	btf_writer_word(writer, function);
	btf_writer_word(writer, places);
	btf_writer_word(writer, offset);
}

/* Returns what the instruction at the site accesses; the caller closes *object before the BTF. */
static struct access answer_at(const struct inlined_program *program, const struct btf *btf,
			       struct debug_object **object)
{
	struct type_resolver_sample sample = { .address = program->site, .samples = 1 };
	struct type_resolver_options options = { .threads = 1 };
	struct type_resolver_charges charges;
	struct type_resolver *resolver;
	struct access access;

	assert_null(btf_object_open(program->image, btf, object));
	assert_null(type_resolver_create(program->image, *object, &options, &resolver));
	type_resolver_charge(resolver, &sample, 1, &charges);
	assert_int_equal(charges.count, 1);
	access = charges.items[0].access;
	free(charges.items);
	type_resolver_destroy(resolver);
	return access;
}

/* Asserts the field at the site, in the BTF that was opened; NULL: none is known. */
static void check_field(const struct inlined_program *program, struct btf *btf, const char *type,
			int64_t offset)
{
	struct debug_object *object;
	struct access access = answer_at(program, btf, &object);

	if (type) {
		assert_int_equal(access.kind, ACCESS_TYPE);
		assert_string_equal(type_name_interned(access.type), type);
		assert_int_equal(access.offset, offset);
	} else {
		assert_int_not_equal(access.kind, ACCESS_TYPE);
	}
	debug_object_close(object);
	btf_close(btf);
}

/* The same with .BTF that says where the argument of get() is. */
static void check_argument(const struct inlined_program *program, struct argument argument,
			   const char *type, int64_t offset)
{
	struct btf_writer *writer = btf_writer_create(NULL, false);
	struct written_types types = write_types(writer);
	struct btf *btf;
	size_t size;

	write_call(writer, types.function, program->offset, &argument);
	_cleanup_free_ uint8_t *bytes = btf_writer_finish(writer, &size);

	assert_null(btf_open_memory(bytes, size, NULL, "memory", &btf));
	check_field(program, btf, type, offset);
}

static void arguments_have_the_types_of_the_callee(void **state)
{
	struct inlined_program program;

	(void)state;
	open_program(&program, build_program());
	check_argument(&program, (struct argument){ REGISTER, 1, { 0 } }, "struct node", 8);
	check_argument(&program, (struct argument){ REGISTER | SIGNED, 1, { 0 } }, "struct node",
		       8);
	/* the argument is rax + 4 */
	check_argument(&program, (struct argument){ REGISTER | OFFSET, 2, { 0, 4 } }, "struct node",
		       4);
	/* nothing is said of rax */
	check_argument(&program, (struct argument){ REGISTER, 1, { 12 } }, NULL, 0);
	check_argument(&program, (struct argument){ CONSTANT, 1, { 0 } }, NULL, 0);
	check_argument(&program, (struct argument){ REGISTER, 2, { 0, 1 } }, NULL, 0);
	check_argument(&program, (struct argument){ REGISTER, 1, { UINT32_MAX } }, NULL, 0);
	check_argument(&program, (struct argument){ REGISTER, 0, { 0 } }, NULL, 0);
	elf_image_close(program.image);
}

/* Ids that lead nowhere, and an offset behind the section. */
static void damaged_places_are_passed(void **state)
{
	static const struct argument argument = { REGISTER, 1, { 0 } };
	struct inlined_program program;

	(void)state;
	open_program(&program, build_program());
	for (size_t i = 0; i < 4; i++) {
		struct btf_writer *writer = btf_writer_create(NULL, false);
		struct written_types types = write_types(writer);
		const uint32_t functions[] = { 0, UINT32_MAX, types.pointer, types.function };
		struct btf *btf;
		size_t size;

		write_call(writer, functions[i], i == 3 ? UINT32_MAX : program.offset, &argument);
		_cleanup_free_ uint8_t *bytes = btf_writer_finish(writer, &size);

		assert_null(btf_open_memory(bytes, size, NULL, "memory", &btf));
		check_field(&program, btf, NULL, 0);
	}
	elf_image_close(program.image);
}

/* Adds a section with the BTF that was written to the program. */
static void add_section(const char *path, const char *name, uint8_t *bytes, size_t size)
{
	_cleanup_process_ struct process_result result = { 0 };
	const char *file = scratch_file("section");

	file_write(file, bytes, size);
	shell_must(&result, "objcopy --add-section %s=%s %s", name, file, path);
	free(bytes);
}

static void places_are_in_a_section_of_their_own(void **state)
{
	static const struct argument argument = { REGISTER, 1, { 0 } };
	static const char *const names[] = { ".BTF.inline", ".BTF.extra" };

	(void)state;
	if (!process_exists("objcopy"))
		skip_because("no objcopy (binutils)");
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct btf_writer *base = btf_writer_create(NULL, false), *more;
		struct written_types types = write_types(base);
		const char *path = build_program();
		struct inlined_program program;
		struct btf *btf;
		size_t size, more_size;

		open_program(&program, path);
		elf_image_close(program.image);
		more = btf_writer_create(base, false);
		write_call(more, types.function, program.offset, &argument);
		uint8_t *more_bytes = btf_writer_finish(more, &more_size);
		uint8_t *bytes = btf_writer_finish(base, &size);

		add_section(path, ".BTF", bytes, size);
		add_section(path, names[i], more_bytes, more_size);
		open_program(&program, path);
		assert_null(btf_open_image(program.image, NULL, &btf));
		check_field(&program, btf, "struct node", 8);
		elf_image_close(program.image);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_have_the_types_of_the_callee),
		cmocka_unit_test(damaged_places_are_passed),
		cmocka_unit_test(places_are_in_a_section_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, scratch_tear_down);
}
