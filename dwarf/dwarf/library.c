// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The C library's declarations, for units that use them without describing them.
 *
 * gcc describes each declared variable and function that a unit uses. clang describes no variable
 * of another object (clang/lib/CodeGen/CGDebugInfo.cpp: EmitExternalVariable() is for BPF alone),
 * and no function that it knows itself or whose name is reserved (EmitFuncDeclForCallSite()). What
 * programs access through the results of these functions would have no type: `errno`, the tables of
 * isalpha() and tolower(), what strchr() finds. Their types are fixed by ISO C (7.21.1, 7.24.5), by
 * POSIX (getopt(), environ) and by the Linux Standard Base (__errno_location(), __ctype_b_loc()),
 * which glibc and musl keep.
 */
#include "dwarf/dwarf/object.h"
#include "dwarf/types/type_table.h"
#include "base/memory.h"

struct library_declaration {
	const char *name;
	const char *base;
	uint8_t pointers; /* to the base: 2 for a pointer to a pointer */
};

static const struct library_declaration variables[] = {
	{ "stdin", "FILE", 1 },   { "stdout", "FILE", 1 },    { "stderr", "FILE", 1 },
	{ "environ", "char", 2 }, { "__environ", "char", 2 }, { "optarg", "char", 1 },
	{ "optind", "int", 0 },   { "opterr", "int", 0 },     { "optopt", "int", 0 },
};

/* The types are those of the results. */
static const struct library_declaration functions[] = {
	{ "__errno_location", "int", 1 },
	{ "__ctype_b_loc", "unsigned short", 2 },
	{ "__ctype_tolower_loc", "int", 2 },
	{ "__ctype_toupper_loc", "int", 2 },
	{ "strchr", "char", 1 },
	{ "strrchr", "char", 1 },
	{ "strpbrk", "char", 1 },
	{ "strstr", "char", 1 },
	{ "strtok", "char", 1 },
	{ "strdup", "char", 1 },
	{ "strndup", "char", 1 },
};

/* Returns the type of this name as compilers describe it; NULL: it is another one. */
static const struct type *make_type(struct dwarf_object *object, const char *name)
{
	static const struct {
		const char *name;
		struct type_key key;
	} types[] = {
		{ "int", { .kind = TYPE_INTEGER, .name = "int", .size = 4, .flags = TYPE_SIGNED } },
		{ "unsigned short", { .kind = TYPE_INTEGER, .name = "unsigned short", .size = 2 } },
		{ "FILE", { .kind = TYPE_STRUCT, .name = "_IO_FILE", .flags = TYPE_DECLARATION } },
	};

	for (size_t i = 0; i < COUNT_OF(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return type_table_find(object->types.table, &types[i].key);
	return NULL;
}

/* Returns the declared type; NULL: nothing in the object is called so, or several types are. */
static const struct type *library_type(struct debug_reader *reader,
				       const struct library_declaration *declaration)
{
	const struct type *found[2];
	size_t count = dwarf_types_named(reader, declaration->base, found, 2);
	const struct type *type = count == 1 ? found[0]
				  : count    ? NULL
					  : make_type(dwarf_object_of(reader), declaration->base);

	for (uint8_t i = 0; type && i < declaration->pointers; i++)
		type = type_pointer_to(type);
	return type;
}

/* Returns the declaration of this name, as far as the unit's language takes it from C's headers. */
static const struct library_declaration *find_declaration(
	const struct library_declaration *declarations, size_t count, const char *name,
	const struct unit *unit)
{
	if (!unit || (unit->language != LANGUAGE_C && unit->language != LANGUAGE_CXX))
		return NULL;
	return array_find(i, declarations, count, strcmp(declarations[i].name, name) == 0);
}

bool dwarf_library_variable(struct debug_reader *reader, const char *name, uint64_t from_address,
			    struct global *result)
{
	const struct library_declaration *declaration =
		find_declaration(variables, COUNT_OF(variables), name,
				 dwarf_source_unit_at(dwarf_object_of(reader), from_address));
	const struct type *type = declaration ? library_type(reader, declaration) : NULL;

	if (!type)
		return false;
	*result = (struct global){ .name = declaration->name,
				   .type = type,
				   .size = type_size_or(type, 0) };
	return true;
}

const struct prototype *dwarf_library_prototype(struct debug_reader *reader, const char *name,
						uint64_t from_address)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	const struct library_declaration *declaration = find_declaration(
		functions, COUNT_OF(functions), name, dwarf_source_unit_at(object, from_address));

	if (!declaration)
		return NULL;
	/* no DIE is so far behind */
	uint64_t key = UINT64_MAX - (uint64_t)(declaration - functions);
	struct dwarf_prototype *found = concurrent_map_find(&object->prototypes, key);
	struct dwarf_prototype made = { .prototype = { .name = declaration->name,
						       .lost_parameter = SIZE_MAX } };

	if (found)
		return &found->prototype;
	made.prototype.return_type = library_type(reader, declaration);
	type_table_lock(object->types.table);
	found = concurrent_map_find(&object->prototypes, key);
	if (!found) {
		found = arena_copy(&object->types.table->arena, &made, sizeof(made));
		concurrent_map_insert(&object->prototypes, key, found);
	}
	type_table_unlock(object->types.table);
	return &found->prototype;
}
