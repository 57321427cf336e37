// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads any bytes as the items of a companion, whose checksums and packed blocks are right: that is
 * what a hostile companion is. A piece of input is its section and its lane (a byte each), the
 * distance of the item's key from the one before (two bytes), its size (a byte) and its bytes. It
 * ends the item, unless the highest bit of the lane says that others follow. Input that
 * begins as ELF is a whole companion.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/companion/accesses.h"
#include "base/memory.h"
#include "dwarf/companion/build.h"
#include "dwarf/companion/companion.h"
#include "dwarf/debug.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ASKED_MAX 256 /* so that one input takes little time */

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
	type_label_interned(type);
	check(type_strip(type)->kind != TYPE_TYPEDEF);
	check(type_canonical(type_canonical(type)) == type_canonical(type));
	type_array_count(type);

	const struct member *members = type_members(type, &count);

	for (size_t i = 0; i < count; i++)
		check(members[i].type);

	const struct parameter *parameters = type_parameters(type, &count);

	for (size_t i = 0; i < count; i++)
		check(parameters[i].type);
	type_enumerators(type, &count);
	type_virtual_bases(type, &count);
	type_alignment(type);
}

static void ask_at(struct debug_reader *reader, struct companion_answers *answers, uint64_t address)
{
	struct function *function;
	struct global global;
	struct inlined_call calls[16];
	_cleanup_arena_ struct arena arena = { 0 };
	const char *file;
	unsigned int line;
	uint64_t entry;
	size_t count = 0;
	struct access access = companion_access(answers, address, address & 1, true);

	check(access.kind != ACCESS_TYPE || access.type);
	if (access.type)
		ask_type(access.type);
	companion_argument(answers, address, 0, &access);
	function = debug_reader_function(reader, address);
	/* the end of a function that is known by its symbol is not told: it has no entry */
	check(function || !debug_reader_function_entry(reader, address, &entry, NULL));
	check(!function || function->range_count);
	function_destroy(function);
	if (debug_reader_global_at(reader, address, 0, &global))
		ask_type(global.type);
	if (debug_reader_line(reader, address, &file, &line))
		check(strlen(file) < SIZE_MAX);
	check(debug_reader_inlined(reader, address, calls, COUNT_OF(calls)) <= COUNT_OF(calls));
	debug_reader_exception_edges(reader, address, &arena, &count);
}

static void ask(struct debug_object *object)
{
	struct companion *companion = companion_of(object);
	struct companion_answers answers;
	struct debug_reader *reader;
	const struct type *types[4];
	struct type_place place;
	_cleanup_arena_ struct arena arena = { 0 };
	size_t count;

	companion_answers_open(&answers, companion);
	reader = debug_reader_open(object);
	for (uint64_t i = 1; i < ASKED_MAX; i++) {
		const struct type *type = companion_type(companion, i);

		companion_string(companion, i);
		if (!type)
			continue;
		ask_type(type);
		debug_reader_type_place(reader, type, &place);
	}
	for (uint64_t address = 0; address < ASKED_MAX; address++)
		ask_at(reader, &answers, address);
	debug_reader_types_named(reader, "struct a", types, COUNT_OF(types));
	debug_reader_types_called(reader, "a::b", types, COUNT_OF(types));
	debug_reader_source_files(reader, &arena, &count);
	companion_answers_close(&answers);
	debug_reader_close(reader);
}

static void run(const struct elf_image *image, const void *bytes, size_t size)
{
	struct elf_image *file;
	struct debug_object *object;
	struct error *error = elf_image_open_memory(bytes, size, "companion", &file);

	if (!error)
		error = companion_open(image, file, "companion", &object);
	if (!error) {
		ask(object);
		debug_object_close(object);
	}
	error_destroy(error);
}

/* Makes a companion of the items in the input. */
static void add_items(struct companion_builder *builder, const uint8_t *data, size_t size)
{
	struct cursor input = cursor_of(data, size, false);
	uint64_t keys[COMPANION_PART_COUNT] = { 0 };

	while (cursor_left(&input)) {
		enum companion_part part = cursor_u8(&input) % COMPANION_PART_COUNT;
		uint8_t lane = cursor_u8(&input);
		uint64_t step = cursor_u16(&input);
		size_t length = cursor_u8(&input), left = cursor_left(&input);
		const void *bytes = cursor_bytes(&input, length < left ? length : left);
		struct companion_writer *writer = companion_builder_part(builder, part);

		if (!bytes)
			return;
		keys[part] += step;
		strbuf_add(&writer->lanes[(lane & 0x7f) % companion_part_lanes(part)], bytes,
			   length < left ? length : left);
		if (!(lane & 0x80))
			companion_writer_end_item(writer, keys[part]);
	}
}

/* Returns an object with a build id, which companions are of. */
static struct elf_image *make_object(struct elf_composition *composition)
{
	static const uint8_t note[] = { 4, 0, 0,   0,   4,   0, 0, 0, 3, 0,
					0, 0, 'G', 'N', 'U', 0, 1, 2, 3, 4 };
	Elf64_Shdr section = { .sh_type = SHT_NOTE, .sh_size = sizeof(note) };
	struct elf_image *image = NULL;
	size_t offset = elf_composition_add(composition, ".note.gnu.build-id", &section);

	memcpy(composition->data + offset, note, sizeof(note));
	elf_composition_finish(composition, ET_DYN, EM_X86_64);
	error_destroy(
		elf_image_open_memory(composition->data, composition->size, "object", &image));
	check(image);
	return image;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_composition composition = { 0 };
	struct elf_image *image = make_object(&composition);

	if (size > 4 && memcmp(data, ELFMAG, SELFMAG) == 0) {
		run(image, data, size);
	} else {
		struct companion_builder *builder = companion_builder_create(image, NULL, NULL);
		_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;

		add_items(builder, data, size);
		companion_builder_finish(builder, NULL, 0, 1, &file);
		companion_builder_destroy(builder);
		run(image, file.data, file.length);
	}
	elf_image_close(image);
	free(composition.data);
	return 0;
}
