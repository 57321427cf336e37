// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads any bytes as BTF, with all types, names, functions and variables that they declare. Input
 * that begins as ELF is an object with BTF sections. Other input is a kernel's BTF, and then the
 * same bytes are a module's on top of it.
 */
#include <linux/btf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/btf/btf_private.h"
#include "dwarf/debug.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ASKED_MAX 512 /* so that one input takes little time */

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void ask_type(const struct type *type)
{
	size_t count;

	check(type);
	type_name_interned(type);
	check(type_strip(type)->kind != TYPE_TYPEDEF);
	check(type_canonical(type_canonical(type)) == type_canonical(type));
	type_array_count(type);

	const struct member *members = type_members(type, &count);

	for (size_t i = 0; i < count; i++)
		check(members[i].type && members[i].offset >= 0);

	const struct parameter *parameters = type_parameters(type, &count);

	for (size_t i = 0; i < count; i++)
		check(parameters[i].type);
}

static void ask_name(struct debug_reader *reader, const char *name)
{
	const struct type *types[4];
	const struct prototype *prototype = debug_reader_prototype_named(reader, name, 0);
	struct global global;

	debug_reader_types_named(reader, name, types, 4);
	if (debug_reader_global_named(reader, name, 0, &global))
		ask_type(global.type);
	check(!prototype || !prototype->parameter_count || prototype->parameters);
}

static void ask_at(struct debug_reader *reader, uint64_t address)
{
	struct function *function;
	struct global global;
	uint64_t entry;

	function = debug_reader_function(reader, address);
	check(!function == !debug_reader_function_entry(reader, address, &entry, NULL));
	check(!function || (function->range_count && function->scope_count == 1));
	function_destroy(function);
	debug_reader_prototype_at(reader, address, 0);
	if (debug_reader_global_at(reader, address, 0, &global))
		ask_type(global.type);
}

static void ask(const struct elf_image *image, const struct btf *btf, const struct btf_file *file)
{
	struct debug_object *object;
	struct debug_reader *reader;
	struct btf_record record;
	size_t count;

	error_destroy(btf_object_open(image, btf, &object));
	reader = debug_reader_open(object);
	for (uint32_t id = 1; id < btf_file_end(file) && id < ASKED_MAX; id++) {
		check(btf_record_at(file, id, &record));
		if (record.name)
			ask_name(reader, record.name);
	}

	const struct symbol *symbols = elf_image_symbols(image, &count);

	for (size_t i = 0; i < count && i < ASKED_MAX; i++)
		ask_at(reader, symbols[i].address);
	for (uint64_t address = 0; address < 64; address += 8)
		ask_at(reader, address);
	debug_reader_close(reader);
	debug_object_close(object);
}

static void ask_types(const struct btf *btf, const struct btf_file *file)
{
	struct btf_types types;

	btf_types_init(&types, btf);
	for (uint32_t id = 0; id <= btf_file_end(file); id++)
		ask_type(btf_type(&types, id));
	btf_types_deinit(&types);
}

static void run(const struct elf_image *image, const struct btf *btf)
{
	ask_types(btf, btf->file);
	if (image)
		ask(image, btf, btf->file);
}

static void run_image(const uint8_t *data, size_t size)
{
	struct elf_image *image;
	struct btf *base = NULL, *btf;
	struct error *error = elf_image_open_memory(data, size, "fuzz", &image);

	if (error) {
		error_destroy(error);
		return;
	}
	/* the kernel, and a module on top of it */
	error = btf_open_image(image, NULL, &base);
	if (!error) {
		run(image, base);
		error = btf_open_image(image, base, &btf);
		if (!error) {
			run(image, btf);
			btf_close(btf);
		}
	}
	error_destroy(error);
	btf_close(base);
	elf_image_close(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct btf *base, *btf;

	if (size > 4 && !memcmp(data,
				"\x7f"
				"ELF",
				4)) {
		run_image(data, size);
		return 0;
	}
	struct error *error = btf_open_memory(data, size, NULL, "fuzz", &base);

	if (!error) {
		run(NULL, base);
		error = btf_open_memory(data, size, base, "fuzz", &btf);
		if (!error) {
			run(NULL, btf);
			btf_close(btf);
		}
		btf_close(base);
	}
	error_destroy(error);
	return 0;
}
