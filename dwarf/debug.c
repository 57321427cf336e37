// SPDX-License-Identifier: GPL-2.0-or-later
/* Passes each query to the kind of debug information that the object has. */
#include "dwarf/debug.h"

#include "dwarf/btf/btf.h"
#include "dwarf/dwarf/object.h"
#include "dwarf/types/operations.h"

struct error *debug_object_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct debug_object **result)
{
	return dwarf_object_open(image, debug_image, result);
}

struct error *debug_object_open_btf(const struct elf_image *image, const struct btf *btf,
				    struct debug_object **result)
{
	return btf_object_open(image, btf, result);
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

const char *debug_object_format(const struct debug_object *object)
{
	return object->operations->format;
}

struct error *debug_reader_open(struct debug_object *object, struct debug_reader **result)
{
	*result = object->operations->open_reader();
	(*result)->object = object;
	return NULL;
}

const char *debug_reader_format(const struct debug_reader *reader)
{
	return debug_object_format(reader->object);
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

struct error *debug_reader_function(struct debug_reader *reader, uint64_t address,
				    struct function **result)
{
	*result = operations_of(reader)->function(reader, address);
	return NULL;
}

bool debug_reader_function_entry(struct debug_reader *reader, uint64_t address, uint64_t *entry)
{
	return operations_of(reader)->function_entry(reader, address, entry);
}

const struct prototype *debug_reader_prototype_at(struct debug_reader *reader, uint64_t address,
						  uint64_t from_address)
{
	return operations_of(reader)->prototype_at(reader, address, from_address);
}

const struct prototype *debug_reader_prototype_named(struct debug_reader *reader, const char *name,
						     uint64_t from_address)
{
	return operations_of(reader)->prototype_named(reader, name, from_address);
}

const struct prototype *debug_reader_virtual_method(struct debug_reader *reader,
						    const struct type *class, uint64_t slot)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->virtual_method ? operations->virtual_method(reader, class, slot) : NULL;
}

const struct virtual_table *debug_reader_virtual_table(struct debug_reader *reader,
						       const struct type *class)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->virtual_table ? operations->virtual_table(reader, class) : NULL;
}

const struct virtual_table *debug_reader_virtual_table_of(struct debug_reader *reader,
							  const struct type *type)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->virtual_table_of ? operations->virtual_table_of(reader, type) : NULL;
}

bool debug_reader_global_at(struct debug_reader *reader, uint64_t address, uint64_t from_address,
			    struct global *result)
{
	return operations_of(reader)->global_at(reader, address, from_address, result);
}

bool debug_reader_global_named(struct debug_reader *reader, const char *name, uint64_t from_address,
			       struct global *result)
{
	return operations_of(reader)->global_named(reader, name, from_address, result);
}

bool debug_reader_tls_at(struct debug_reader *reader, uint64_t offset, struct global *result)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->tls_at && operations->tls_at(reader, offset, result);
}

size_t debug_reader_types_named(struct debug_reader *reader, const char *name,
				const struct type **types, size_t capacity)
{
	return operations_of(reader)->types_named(reader, name, types, capacity);
}

size_t debug_reader_types_called(struct debug_reader *reader, const char *name,
				 const struct type **types, size_t capacity)
{
	return operations_of(reader)->types_called(reader, name, types, capacity);
}

const struct type *const *debug_reader_flexible_records(struct debug_reader *reader,
							uint64_t address, size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->flexible_records ? operations->flexible_records(reader, address, count)
					    : NULL;
}

bool debug_reader_may_define(struct debug_reader *reader, uint64_t address, const char *name)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->may_define && operations->may_define(reader, address, name);
}

const struct type *const *debug_reader_records(struct debug_reader *reader, uint64_t address,
					       size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->records ? operations->records(reader, address, count) : NULL;
}

const struct type *const *debug_reader_holders(struct debug_reader *reader, uint64_t address,
					       size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->holders ? operations->holders(reader, address, count) : NULL;
}

const struct type *const *debug_reader_elements(struct debug_reader *reader, uint64_t address,
						size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->elements ? operations->elements(reader, address, count) : NULL;
}

size_t debug_reader_records_of_size(struct debug_reader *reader, uint64_t address, uint64_t size)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->records_of_size ? operations->records_of_size(reader, address, size) : 0;
}

const struct inline_cast *debug_reader_inline_casts(struct debug_reader *reader, uint64_t address,
						    size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->inline_casts ? operations->inline_casts(reader, address, count) : NULL;
}

const uint64_t *debug_reader_unit_functions(struct debug_reader *reader, uint64_t address,
					    struct arena *arena, size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->unit_functions
		       ? operations->unit_functions(reader, address, arena, count)
		       : NULL;
}

enum unit_types debug_reader_unit_types(struct debug_reader *reader, uint64_t address)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->unit_types ? operations->unit_types(reader, address) : UNIT_HAS_TYPES;
}

const struct type *const *debug_reader_placeless_pointees(struct debug_reader *reader,
							  uint64_t address, size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->placeless_pointees
		       ? operations->placeless_pointees(reader, address, count)
		       : NULL;
}

const struct type *const *debug_reader_cast_types(struct debug_reader *reader, uint64_t address,
						  size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->cast_types ? operations->cast_types(reader, address, count) : NULL;
}

const struct type *debug_reader_go_type(struct debug_reader *reader, uint64_t word,
					enum go_part part)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->go_type ? operations->go_type(reader, word, part) : NULL;
}

size_t debug_reader_inlined(struct debug_reader *reader, uint64_t address,
			    struct inlined_call *calls, size_t capacity)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->inlined ? operations->inlined(reader, address, calls, capacity) : 0;
}

const char *debug_reader_call_file(struct debug_reader *reader, uint64_t address, uint64_t number)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->call_file ? operations->call_file(reader, address, number) : NULL;
}

bool debug_reader_line(struct debug_reader *reader, uint64_t address, const char **file,
		       unsigned int *line)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->line && operations->line(reader, address, file, line);
}

bool debug_reader_type_place(struct debug_reader *reader, const struct type *type,
			     struct type_place *place)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->type_place && operations->type_place(reader, type, place);
}

const char *const *debug_reader_source_files(struct debug_reader *reader, struct arena *arena,
					     size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->source_files ? operations->source_files(reader, arena, count) : NULL;
}

const struct frame_row *debug_reader_frame_rows(struct debug_reader *reader, uint64_t low,
						uint64_t high, struct arena *arena, size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->frame_rows ? operations->frame_rows(reader, low, high, arena, count)
				      : NULL;
}

const struct exception_edge *debug_reader_exception_edges(struct debug_reader *reader, uint64_t low,
							  struct arena *arena, size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->exception_edges ? operations->exception_edges(reader, low, arena, count)
					   : NULL;
}
