// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads any bytes as an ELF file with debug information, and makes all queries, with addresses and
 * names from the file itself. */
#include <stdint.h>
#include <stdlib.h>

#include "dwarf/debug.h"
#include "dwarf/dwarf/index.h"
#include "dwarf/dwarf/object.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ASKED_MAX 256 /* of each kind, so that one input takes little time */

static void check(bool condition)
{
	if (!condition)
		abort();
}

static void ask_type(const struct type *type, unsigned int depth)
{
	size_t count;

	check(type);
	type_name_interned(type);
	check(type_strip(type)->kind != TYPE_TYPEDEF);
	check(type_canonical(type_canonical(type)) == type_canonical(type));
	type_array_count(type);
	if (!depth)
		return;
	if (type_target(type))
		ask_type(type_target(type), depth - 1);

	const struct member *members = type_members(type, &count);

	for (size_t i = 0; i < count && i < 32; i++)
		ask_type(members[i].type, depth - 1);

	const struct parameter *parameters = type_parameters(type, &count);

	for (size_t i = 0; i < count && i < 32; i++)
		ask_type(parameters[i].type, depth - 1);
}

static void check_function(const struct function *function)
{
	for (size_t i = 0; i < function->scope_count; i++)
		check(function->scopes[i].parent <= i);
	for (size_t i = 0; i < function->variable_count; i++) {
		const struct variable *variable = &function->variables[i];

		check(variable->scope < function->scope_count &&
		      (variable->location_count || !(variable->flags & VARIABLE_PARAMETER)));
		ask_type(variable->type, 2);
		for (size_t j = 0; j < variable->location_count; j++) {
			check(variable->locations[j].low < variable->locations[j].high);
			check(!j || variable->locations[j - 1].low <= variable->locations[j].low);
		}
	}
	for (size_t i = 0; i < function->frame_row_count; i++)
		check(function->frame_rows[i].low < function->frame_rows[i].high);
	for (size_t i = 1; i < function->call_site_count; i++)
		check(function->call_sites[i - 1].return_address <=
		      function->call_sites[i].return_address);
}

/* Scopes are inside those before them, and rows ascend. */
static void ask_places(struct debug_reader *reader, uint64_t address)
{
	struct arena arena = { 0 };
	size_t count;
	const struct function_outline *outline = debug_reader_outline(reader, address, &arena);
	const struct source_row *rows =
		debug_reader_source_rows(reader, address, address + 64, &arena, &count);

	for (size_t i = 0; outline && i < outline->scope_count; i++)
		check(outline->scopes[i].parent == UINT32_MAX || outline->scopes[i].parent < i);
	for (size_t i = 1; i < count; i++)
		check(rows[i - 1].address < rows[i].address);
	arena_deinit(&arena);
}

static void ask_at(struct debug_reader *reader, uint64_t address)
{
	struct function *function;
	struct global global;
	const char *file;
	unsigned int line;
	uint64_t entry;

	function = debug_reader_function(reader, address);
	/* one that has no address in the debug information is found by its symbol */
	check(function || !debug_reader_function_entry(reader, address, &entry, NULL));
	if (function)
		check_function(function);
	function_destroy(function);
	debug_reader_prototype_at(reader, address, 0);
	if (debug_reader_global_at(reader, address, 0, &global))
		ask_type(global.type, 2);
	debug_reader_tls_at(reader, address, &global);
	debug_reader_line(reader, address, &file, &line);
	ask_places(reader, address);
}

static void ask_name(struct debug_reader *reader, const char *name)
{
	const struct type *types[4];
	struct global global;
	size_t count = debug_reader_types_named(reader, name, types, 4);

	for (size_t i = 0; i < count && i < 4; i++)
		ask_type(types[i], 3);
	debug_reader_prototype_named(reader, name, 0x1000);
	debug_reader_global_named(reader, name, 0, &global);
}

static void ask_exception_edges(struct debug_reader *reader, uint64_t low)
{
	struct arena arena = { 0 };
	size_t count;
	const struct exception_edge *pads =
		debug_reader_exception_edges(reader, low, &arena, &count);

	for (size_t i = 0; i < count; i++)
		check(pads[i].low >= low && pads[i].low < pads[i].high);
	arena_deinit(&arena);
}

static void ask_unit(struct debug_object *object, struct debug_reader *reader, struct unit *unit,
		     size_t *asked)
{
	const struct unit_index *index = unit_index_get(unit);
	struct die die;

	for (size_t i = 0; i < index->function_count && *asked < ASKED_MAX; i++, ++*asked) {
		ask_at(reader, index->functions[i].low);
		ask_exception_edges(reader, index->functions[i].low);
	}
	for (size_t i = 0; i < index->variables.count && *asked < 2 * ASKED_MAX; i++, ++*asked)
		ask_at(reader, index->variables.items[i].address);
	for (size_t i = 0; i < index->name_count && *asked < 3 * ASKED_MAX; i++, ++*asked) {
		if (die_at(((struct dwarf_object *)object)->files, index->names[i].die, &die) &&
		    die_name(&die))
			ask_name(reader, die_name(&die));
	}
}

static void ask(struct debug_object *object)
{
	struct dwarf_file *file = dwarf_files_main(((struct dwarf_object *)object)->files);
	struct debug_reader *reader;
	struct arena arena = { 0 };
	size_t asked = 0, count;

	reader = debug_reader_open(object);
	for (size_t i = 0; i < file->unit_count && i < ASKED_MAX; i++)
		ask_unit(object, reader, &file->units[i], &asked);
	ask_at(reader, 0);
	ask_at(reader, UINT64_MAX);
	debug_reader_frame_rows(reader, 0, UINT64_MAX, &arena, &count);
	arena_deinit(&arena);
	debug_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct debug_object *object;
	struct elf_image *image;
	struct error *error = elf_image_open_memory(data, size, "fuzz", &image);

	if (error) {
		error_destroy(error);
		return 0;
	}
	error = debug_object_open(image, image, &object);
	if (!error) {
		ask(object);
		debug_object_close(object);
	}
	error_destroy(error);
	elf_image_close(image);
	return 0;
}
