// SPDX-License-Identifier: GPL-2.0-or-later
/* Passes each query to the kind of debug information that the object has. */
#include "dwarf/debug.h"

#include "base/memory.h"
#include "dwarf/btf/encode.h"
#include "dwarf/companion/companion.h"
#include "dwarf/dwarf/object.h"
#include "dwarf/types/operations.h"

struct error *debug_object_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct debug_object **result)
{
	return dwarf_object_open(image, debug_image, result);
}

void debug_object_close(struct debug_object *object)
{
	if (object)
		object->operations->close(object);
}

void debug_object_prepare(struct debug_object *object)
{
	if (object->operations->prepare)
		object->operations->prepare(object);
}

void debug_object_separate_units(struct debug_object *object)
{
	if (object->operations->separate_units)
		object->operations->separate_units(object);
}

struct debug_reader *debug_reader_open(struct debug_object *object)
{
	struct debug_reader *reader = object->operations->open_reader();

	reader->object = object;
	return reader;
}

const char *debug_reader_format(const struct debug_reader *reader)
{
	return reader->object->operations->format;
}

void debug_reader_close(struct debug_reader *reader)
{
	if (reader)
		reader->object->operations->close_reader(reader);
}

static const struct debug_operations *operations_of(const struct debug_reader *reader)
{
	return reader->object->operations;
}

/* Asks the kind of debug information for an operation; `otherwise` if it has none. */
#define ASK(operation, otherwise, reader, ...)                                                     \
	(operations_of(reader)->operation ? operations_of(reader)->operation(reader, __VA_ARGS__)  \
					  : (otherwise))

struct function *debug_reader_function(struct debug_reader *reader, uint64_t address)
{
	return operations_of(reader)->function(reader, address);
}

bool debug_object_bulk_symbol(struct debug_object *object, uint64_t address, const char **symbol)
{
	struct companion *companion = companion_of(object);

	*symbol = companion ? companion_bulk_symbol(companion, address) : NULL;
	return companion != NULL;
}

const struct function_outline *debug_reader_outline(struct debug_reader *reader, uint64_t address,
						    struct arena *arena)
{
	const struct function_outline *known = ASK(outline, NULL, reader, address, arena);
	struct function_outline *outline;
	struct function *function = known ? NULL : operations_of(reader)->function(reader, address);

	if (!function)
		return known;
	outline = arena_alloc(arena, sizeof(*outline));
	*outline = (struct function_outline){
		.name = function->name,
		.language = function->language,
		.ranges = arena_copy(arena, function->ranges,
				     function->range_count * sizeof(*function->ranges)),
		.range_count = function->range_count,
	};
	function_destroy(function);
	return outline;
}

bool debug_reader_function_entry(struct debug_reader *reader, uint64_t address, uint64_t *entry,
				 uint64_t *size)
{
	uint64_t ignored;

	return operations_of(reader)->function_entry(reader, address, entry, size ?: &ignored);
}

#define FORWARD(result, operation, otherwise, parameters, ...)                                     \
	result debug_reader_##operation(struct debug_reader *reader, ALL_OF parameters)            \
	{                                                                                          \
		return ASK(operation, otherwise, reader, __VA_ARGS__);                             \
	}
#define FORWARD_LIST(result, operation, parameters, ...)                                           \
	result debug_reader_##operation(struct debug_reader *reader, ALL_OF parameters)            \
	{                                                                                          \
		*count = 0;                                                                        \
		return ASK(operation, NULL, reader, __VA_ARGS__);                                  \
	}
DEBUG_QUERIES(FORWARD, FORWARD_LIST)

static const void *unit_list(struct debug_reader *reader, enum unit_list list, uint64_t address,
			     size_t *count)
{
	*count = 0;
	return ASK(unit_list, NULL, reader, list, address, count);
}

const struct type *const *debug_reader_unit_list(struct debug_reader *reader, enum unit_list list,
						 uint64_t address, size_t *count)
{
	return unit_list(reader, list, address, count);
}

const struct inline_cast *debug_reader_inline_casts(struct debug_reader *reader, uint64_t address,
						    size_t *count)
{
	return unit_list(reader, UNIT_INLINE_CASTS, address, count);
}

const struct value_cast *debug_reader_value_casts(struct debug_reader *reader, uint64_t address,
						  size_t *count)
{
	return unit_list(reader, UNIT_VALUE_CASTS, address, count);
}

const struct inner_record *debug_reader_inner_records(struct debug_reader *reader, uint64_t address,
						      size_t *count)
{
	return unit_list(reader, UNIT_INNER_RECORDS, address, count);
}

bool debug_reader_each(struct debug_reader *reader, const struct debug_visitor *visitor)
{
	if (!operations_of(reader)->each)
		return false;
	operations_of(reader)->each(reader, visitor);
	return true;
}

/* ---- BTF of a whole object ---- */

struct btf_writing {
	struct btf_encoder *encoder;
	const struct elf_image *image;
};

static void visit_type(void *data, const struct type *type)
{
	struct btf_writing *writing = data;

	btf_encoder_add_type(writing->encoder, type);
}

static void visit_function(void *data, const char *name, const struct prototype *prototype,
			   bool external)
{
	struct btf_writing *writing = data;

	btf_encoder_add_function(writing->encoder, name, prototype, external);
}

/* Finds a thread-local variable's section by its offset in the block of .tdata and .tbss. */
static bool thread_section(const struct elf_image *image, uint64_t offset,
			   struct elf_section *section, uint64_t *in_section)
{
	struct elf_section data = { 0 };
	bool has_data = elf_image_section_named(image, ".tdata", &data);

	*in_section = offset;
	if (has_data && offset < data.size) {
		*section = data;
		return true;
	}
	if (!elf_image_section_named(image, ".tbss", section))
		return false;
	/* .tbss begins where it would be loaded after .tdata, with its alignment */
	if (has_data && section->address > data.address)
		*in_section -= section->address - data.address;
	return true;
}

static void visit_variable(void *data, const struct global *variable, bool external)
{
	struct btf_writing *writing = data;
	struct elf_section section;
	uint64_t offset;

	if (variable->thread_local_) {
		if (!thread_section(writing->image, variable->address, &section, &offset))
			return;
	} else {
		if (!elf_image_section_at(writing->image, variable->address, &section))
			return;
		offset = variable->address - section.address;
	}
	btf_encoder_add_variable(writing->encoder, section.name, section.size, variable, offset,
				 external);
}

struct error *debug_object_write_btf(struct debug_object *object, const struct elf_image *image,
				     void **data, size_t *size, struct btf_losses *losses)
{
	struct btf_writing writing = { btf_encoder_create(), image };
	struct debug_visitor visitor = { &writing, visit_type, visit_function, visit_variable };
	struct debug_reader *reader = debug_reader_open(object);
	struct error *error = debug_reader_each(reader, &visitor)
				      ? btf_encoder_finish(writing.encoder, data, size, losses)
				      : error_create(ERROR_UNSUPPORTED,
						     "%s: its debug information is BTF already",
						     elf_image_path(image));

	debug_reader_close(reader);
	btf_encoder_destroy(writing.encoder);
	return error;
}
