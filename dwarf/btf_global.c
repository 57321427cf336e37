/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Variables: BTF_KIND_DATASEC says where in which section each BTF_KIND_VAR is. */
#include <elf.h>
#include <linux/btf.h>
#include <string.h>

#include "dwarf/btf_kernel.h"
#include "dwarf/btf_object.h"
#include "profiler/base/search.h"

static int compare_variables(const void *left, const void *right)
{
	const struct btf_variable *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->id < b->id ? -1 : a->id > b->id;
}

static void add_section(struct btf_object *object, struct btf_record *record, size_t *capacity)
{
	struct elf_section section;
	struct btf_item item;

	if (!record->name || !elf_image_section_named(object->image, record->name, &section))
		return;
	while (btf_record_next(record, &item)) {
		if (item.offset >= section.size || !item.size || item.size > section.size - item.offset ||
		    item.type == BTF_NOWHERE)
			continue;
		array_reserve(object->variables, object->variable_count, *capacity);
		object->variables[object->variable_count++] = (struct btf_variable){
			.address = section.address + item.offset, .size = item.size, .id = item.type
		};
	}
}

/* Those of the file itself: the base's sections are the kernel's. */
void btf_object_find_variables(struct btf_object *object)
{
	const struct btf_file *file = object->btf->file;
	struct elf_section section;
	struct btf_record record;
	size_t capacity = 0;

	object->is_kernel = elf_image_type(object->image) == ET_EXEC &&
			    elf_image_section_named(object->image, ".data..percpu", &section);

	for (uint32_t id = btf_file_first(file); id < btf_file_end(file); id++) {
		if (btf_record_at(file, id, &record) && record.kind == BTF_KIND_DATASEC)
			add_section(object, &record, &capacity);
	}
	if (object->variable_count)
		qsort(object->variables, object->variable_count, sizeof(*object->variables),
		      compare_variables);
}

static bool describe(struct btf_object *object, const struct btf_variable *variable, struct global *result)
{
	struct btf_record record;

	if (!btf_record_at(object->btf->file, variable->id, &record) || record.kind != BTF_KIND_VAR)
		return false;
	*result = (struct global){
		.name = record.name,
		.type = btf_type(&object->types, record.type),
		.address = variable->address,
		.size = variable->size,
	};
	return true;
}

/* The one type of this name; NULL: none, or several. */
static const struct type *type_named(struct btf_object *object, const char *name)
{
	static const struct {
		const char *gcc;
		const char *clang;
	} integers[] = { { "long unsigned int", "unsigned long" }, { "long int", "long" } };
	const uint32_t kinds = BTF_NAMED_KINDS | 1u << BTF_KIND_INT;
	const struct type *type;

	if (btf_object_types_of(object, name, kinds, &type, 1) == 1)
		return type;
	for (size_t i = 0; i < sizeof(integers) / sizeof(*integers); i++) {
		if (strcmp(integers[i].gcc, name) == 0 &&
		    btf_object_types_of(object, integers[i].clang, kinds, &type, 1) == 1)
			return type;
	}
	return NULL;
}

/* An array of as many as there is room for in `size` bytes. */
static const struct type *array_of(const struct type *element, uint64_t size)
{
	uint64_t count = size / element->size;
	struct type_key key = {
		.kind = TYPE_ARRAY, .target = element, .size = count * element->size, .array_count = count
	};

	type_table_lock(element->table);

	const struct type *array = type_table_intern(element->table, &key);

	type_table_unlock(element->table);
	return array;
}

/* What a kernel's headers declare the variable of a symbol as: it must be in the BTF, and fit. */
static bool declared(struct btf_object *object, const struct symbol *symbol, struct global *result)
{
	const char *name = object->is_kernel ? btf_kernel_type(symbol->name) : NULL;
	bool is_array = name && strlen(name) > 2 && strcmp(name + strlen(name) - 2, "[]") == 0;
	_cleanup_free_ char *element = is_array ? xstrndup(name, strlen(name) - 2) : NULL;
	const struct type *type = name ? type_named(object, is_array ? element : name) : NULL;

	if (!type || !type->size || type->size > symbol->size)
		return false;
	if (is_array)
		type = array_of(type, symbol->size);
	*result = (struct global){
		.name = symbol->name, .type = type, .address = symbol->address, .size = type->size
	};
	return true;
}

static bool declared_at(struct btf_object *object, uint64_t address, struct global *result)
{
	const struct symbol *symbol = elf_image_object_at(object->image, address);

	return symbol && declared(object, symbol, result) && address - result->address < result->size;
}

bool btf_object_global_at(struct btf_object *object, uint64_t address, struct global *result)
{
	size_t after = partition_point(0, object->variable_count, i, object->variables[i].address <= address);
	const struct btf_variable *variable = after ? &object->variables[after - 1] : NULL;

	if (variable && address - variable->address < variable->size && describe(object, variable, result))
		return true;
	return declared_at(object, address, result);
}

bool btf_object_global_named(struct btf_object *object, const char *name, struct global *result)
{
	const struct btf_variable *found = NULL;
	uint32_t ids[BTF_NAMESAKES];
	size_t count = btf_names_find(&object->btf->names, name, 1u << BTF_KIND_VAR, ids);

	if (count != 1)
		return false; /* static ones of several units: which of them is not known */
	for (size_t i = 0; i < object->variable_count; i++) {
		if (object->variables[i].id == ids[0])
			found = &object->variables[i];
	}
	return found && describe(object, found, result);
}
