/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF has no build id. That it is of this object is seen by what both know: where variables are (a kernel of
 * another version or configuration has its per-cpu ones elsewhere), and what functions are called (names of a
 * module's BTF on top of another kernel's come from the wrong places).
 */
#include <elf.h>
#include <linux/btf.h>
#include <string.h>

#include "dwarf/btf_object.h"

/* Fewer say nothing: a clone may have taken a name with it. */
#define FEWEST_FUNCTIONS 4

/* Of names that occur once. */
struct agreement {
	size_t same;
	size_t other;
};

static bool is_variable(const struct symbol *symbol)
{
	return symbol->type == STT_OBJECT || symbol->type == STT_NOTYPE;
}

static struct agreement compare_variables(const struct btf_object *object)
{
	struct agreement result = { 0 };
	struct btf_record record;

	for (size_t i = 0; i < object->variable_count; i++) {
		const struct btf_variable *variable = &object->variables[i];

		if (!btf_record_at(object->btf->file, variable->id, &record) || !record.name)
			continue;
		const struct symbol *symbol = elf_image_symbol_named(object->image, record.name);

		if (!symbol || !is_variable(symbol))
			continue;
		if (symbol->address == variable->address)
			result.same++;
		else
			result.other++;
	}
	return result;
}

static struct agreement compare_functions(const struct btf_object *object)
{
	const struct btf_file *file = object->btf->file;
	struct agreement result = { 0 };
	struct btf_record record;

	for (uint32_t id = btf_file_first(file); id < btf_file_end(file); id++) {
		if (!btf_record_at(file, id, &record) || record.kind != BTF_KIND_FUNC || !record.name)
			continue;
		if (btf_object_has_function(object, record.name))
			result.same++;
		else
			result.other++;
	}
	return result;
}

struct error *btf_object_check(const struct btf_object *object)
{
	struct agreement variables = compare_variables(object), functions = { 0 };

	if (variables.other > variables.same)
		return error_create(
			ERROR_FORMAT,
			"%s is not the BTF of %s: of %zu variables that both have, %zu are elsewhere "
			"in it",
			btf_path(object->btf), elf_image_path(object->image),
			variables.same + variables.other, variables.other);
	if (object->btf->base)
		functions = compare_functions(object);
	if (functions.other > functions.same && functions.other >= FEWEST_FUNCTIONS)
		return error_create(
			ERROR_FORMAT, "%s does not go on from %s: of its %zu functions, %zu are not in %s",
			btf_path(object->btf), btf_path(object->btf->base), functions.same + functions.other,
			functions.other, elf_image_path(object->image));
	return NULL;
}
