// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Virtual tables of C++, as the classes declare them (Itanium C++ ABI 2.5).
 *
 * A class declares the slots of its virtual functions, and where the table has the offsets of its
 * virtual bases. Its first base class at offset 0 shares the table and declares what comes first in
 * it. No compiler gives the slots of destructors: they are the two that are left over.
 */
#include <dwarf.h>

#include "dwarf/dwarf/object.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/type_table.h"
#include "base/memory.h"
#include "base/text.h"

#define WORD 8

/* The distance to the object's top and the type information precede the functions. */
#define TOP_DISTANCE  (2 * WORD)
#define INFO_DISTANCE (1 * WORD)

/* At most this many levels of base classes are followed, and a table has at most this many entries
 * before its first function, and as many after it. Real programs stay far below both. */
#define BASES_MAX   16
#define ENTRIES_MAX 4096

/* ---- the declarations of a class ---- */

struct virtual_method {
	uint64_t slot; /* in the virtual table, from the first function */
	uint64_t die;  /* reference; 0: several functions have the slot */
};

/* The declarations of one class that concern its table, in the order of the DIEs. */
struct virtual_methods {
	struct virtual_method *items;
	size_t count, capacity;
	const char *destructor; /* name of a virtual destructor; NULL: there is none */
	struct virtual_base *bases;
	size_t base_count, base_capacity;
};

/* Reads the slot of a virtual function: a constant, also as an expression. False: none. */
static bool read_slot(const struct die *method, uint64_t *slot)
{
	const uint8_t *bytes;
	size_t size;

	if (die_unsigned(method, SLOT_VIRTUAL_SLOT, slot))
		return true;
	if (!die_block(method, SLOT_VIRTUAL_SLOT, &bytes, &size) || !size)
		return false;
	if (size == 1 && *bytes >= DW_OP_lit0 && *bytes <= DW_OP_lit31)
		*slot = *bytes - DW_OP_lit0;
	else if (size == 2 && *bytes == DW_OP_const1u)
		*slot = bytes[1];
	else if (size > 1 && *bytes == DW_OP_constu)
		*slot = uleb_read(bytes + 1, bytes + size).value;
	else
		return false;
	return true;
}

/* Reads where the table has the offset of a virtual base. The base is at this + *(*this - N), which
 * gcc and clang write as dup, deref, const N, minus, deref, plus. False: it is no such base. */
static bool read_distance(const struct die *base, int64_t *distance)
{
	static const uint8_t end[] = { DW_OP_minus, DW_OP_deref, DW_OP_plus };
	const uint8_t *bytes;
	size_t size;
	uint64_t number;

	if (!die_block(base, SLOT_MEMBER_LOCATION, &bytes, &size) || size < 3 + sizeof(end) ||
	    bytes[0] != DW_OP_dup || bytes[1] != DW_OP_deref ||
	    memcmp(bytes + size - sizeof(end), end, sizeof(end)) != 0)
		return false;
	size -= sizeof(end);
	if (bytes[2] >= DW_OP_lit0 && bytes[2] <= DW_OP_lit31 && size == 3)
		number = bytes[2] - DW_OP_lit0;
	else if (bytes[2] == DW_OP_const1u && size == 4)
		number = bytes[3];
	else if (bytes[2] == DW_OP_const2u && size == 5)
		number = bytes[3] | (uint64_t)bytes[4] << 8;
	else if (bytes[2] == DW_OP_constu)
		number = uleb_read(bytes + 3, bytes + size).value;
	else
		return false;
	*distance = (int64_t)number;
	return number > TOP_DISTANCE && number % WORD == 0 && number / WORD < ENTRIES_MAX;
}

static bool is_destructor(const struct die *method)
{
	const char *name = die_name(method);

	return name && *name == '~';
}

static void add_method(struct virtual_methods *methods, uint64_t slot, uint64_t die)
{
	for (size_t i = 0; i < methods->count; i++)
		if (methods->items[i].slot == slot) {
			methods->items[i].die = 0;
			return;
		}
	array_add(methods->items, methods->count, methods->capacity) =
		(struct virtual_method){ slot, die };
}

static void add_base(struct dwarf_object *object, struct virtual_methods *methods,
		     const struct die *die)
{
	struct virtual_base base;

	if (!read_distance(die, &base.distance))
		return;
	base.type = dwarf_type(&object->types, die_type_target(die));
	array_add(methods->bases, methods->base_count, methods->base_capacity) = base;
}

/* Returns what a class itself declares for its table. Free with destroy_methods(). */
static struct virtual_methods *find_methods(struct dwarf_object *object, uint64_t class)
{
	struct virtual_methods *methods = xcalloc(1, sizeof(*methods));
	uint64_t slot, virtuality;
	struct die record;

	if (!die_at(object->files, class, &record))
		return methods;

	children_each (die, &record) {
		if (die.tag == DW_TAG_inheritance)
			add_base(object, methods, &die);
		if (die.tag != DW_TAG_subprogram)
			continue;
		/* a destructor has two slots; gcc gives neither, clang gives 0 */
		if (is_destructor(&die)) {
			if (die_unsigned(&die, SLOT_VIRTUALITY, &virtuality) &&
			    virtuality != DW_VIRTUALITY_none)
				methods->destructor = die_name(&die);
		} else if (read_slot(&die, &slot) && slot < ENTRIES_MAX) {
			add_method(methods, slot, die_reference(&die));
		}
	}
	return methods;
}

static void destroy_methods(void *value)
{
	struct virtual_methods *methods = value;

	free_all(methods->items, methods->bases, methods);
}

/* Returns what a class itself declares for its table; NULL: it is no class with a declaration. */
static const struct virtual_methods *methods_of(struct dwarf_object *object,
						const struct type *class)
{
	struct virtual_methods *methods;

	if (!class->source || !type_is_record(class) || (class->flags & TYPE_DECLARATION))
		return NULL;
	methods = concurrent_map_find(&object->methods, class->source);
	if (!methods) {
		struct virtual_methods *mine = find_methods(object, class->source);

		methods = type_table_publish(object->types.table, &object->methods, class->source,
					     mine);
		if (methods != mine)
			destroy_methods(mine);
	}
	return methods;
}

const struct prototype *dwarf_virtual_method(struct debug_reader *reader, const struct type *class,
					     uint64_t slot)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	const struct virtual_methods *methods = methods_of(object, class);

	for (size_t i = 0; methods && i < methods->count; i++)
		if (methods->items[i].slot == slot && methods->items[i].die) {
			const struct dwarf_prototype *found =
				dwarf_prototype(object, methods->items[i].die);

			return found ? &found->prototype : NULL;
		}
	return NULL;
}

/* ---- tables ---- */

struct table_maker {
	struct dwarf_object *object;
	char **functions; /* names by slot; NULL: not known */
	size_t function_count, function_capacity;
	struct virtual_base *bases;
	size_t base_count, base_capacity;
	/* the first of the two slots of the destructor, counted from 1; 0: not known */
	size_t destructor;
};

/* Makes `name` that of the slot, instead of a base class's function. Takes the name. */
static void name_slot(struct table_maker *maker, uint64_t slot, char *name)
{
	while (maker->function_count <= slot)
		array_add(maker->functions, maker->function_count, maker->function_capacity) = NULL;
	if (!name)
		return;
	free(maker->functions[slot]);
	maker->functions[slot] = name;
}

/* Returns the name of a method with that of its class; NULL: it has none. */
static char *method_name(struct dwarf_object *object, const struct type *class, uint64_t reference)
{
	struct die method;

	if (!reference || !die_at(object->files, reference, &method))
		return NULL;
	const char *linkage = die_string(&method, SLOT_LINKAGE_NAME), *name = die_name(&method);
	char *text = linkage ? symbol_demangle(linkage) : NULL;

	return text || !name ? text : xasprintf("%s::%s", class->name, name);
}

/* Names the two slots of a destructor. If no base class has one, they are the two that are left
 * over between other functions, or those after them. */
static void name_destructor(struct table_maker *maker, const struct type *class, const char *name)
{
	char **functions = maker->functions;
	size_t slot = maker->destructor ? maker->destructor - 1 : 0;
	size_t count = maker->destructor ? 0 : maker->function_count;

	while (slot < count && (functions[slot] || (slot + 1 < count && functions[slot + 1])))
		slot++;
	name_slot(maker, slot, xasprintf("%s::%s", class->name, name));
	name_slot(maker, slot + 1, xasprintf("%s::%s [deleting]", class->name, name));
	maker->destructor = slot + 1;
}

/* True if an object of the class begins with a pointer to a virtual table. */
static bool begins_with_table(const struct type *class, unsigned int depth)
{
	members_each (member, type_members, class) {
		if (member->offset)
			continue;
		if (member->is_artificial && member->name && starts_with(member->name, "_vptr"))
			return true;
		if (member->is_base && depth < BASES_MAX &&
		    begins_with_table(type_strip(member->type), depth + 1))
			return true;
	}
	return false;
}

/* Gathers the entries of a class's table, those of the base class that shares it first. */
static void gather(struct table_maker *maker, const struct type *class, unsigned int depth)
{
	const struct virtual_methods *methods = methods_of(maker->object, class);
	size_t count;
	const struct member *members = type_members(class, &count);

	for (size_t i = 0; i < count && depth < BASES_MAX; i++) {
		const struct type *base = type_strip(members[i].type);

		if (!members[i].is_base || members[i].offset || !begins_with_table(base, depth))
			continue;
		gather(maker, base, depth + 1);
		break;
	}
	for (size_t i = 0; methods && i < methods->count; i++)
		name_slot(maker, methods->items[i].slot,
			  method_name(maker->object, class, methods->items[i].die));
	if (methods && methods->destructor)
		name_destructor(maker, class, methods->destructor);
	for (size_t i = 0; methods && i < methods->base_count; i++)
		array_add(maker->bases, maker->base_count, maker->base_capacity) =
			methods->bases[i];
}

/* Returns the declared virtual base at this distance; NULL: there is none. */
static const struct virtual_base *base_at(const struct table_maker *maker, int64_t distance)
{
	for (size_t i = maker->base_count; i--;)
		if (maker->bases[i].distance == distance)
			return &maker->bases[i];
	return NULL;
}

/* Returns the only type of this name; void: there is none, or several. */
static const struct type *type_or_void(struct debug_reader *reader, const char *name)
{
	const struct type *found;

	return dwarf_types_named(reader, name, &found, 1) == 1
		       ? found
		       : dwarf_object_of(reader)->types.table->void_type;
}

/* Returns the type of the entry at this distance from the functions. */
static const struct type *entry_type(struct debug_reader *reader, int64_t distance)
{
	struct type_table *table = dwarf_object_of(reader)->types.table;
	const struct type_key offset = {
		.kind = TYPE_INTEGER, .size = WORD, .name = "long", .flags = TYPE_SIGNED
	};

	if (distance > INFO_DISTANCE)
		return type_table_find(table, &offset);
	return type_pointer_to(distance == INFO_DISTANCE ? type_or_void(reader, "std::type_info")
							 : table->void_type);
}

/* Returns the name of the entry at this distance from the functions. */
static char *entry_name(const struct table_maker *maker, int64_t distance)
{
	const struct virtual_base *base = base_at(maker, distance);
	size_t slot = (size_t)(-distance / WORD);

	if (distance == TOP_DISTANCE)
		return xstrdup("offset_to_top");
	if (distance == INFO_DISTANCE)
		return xstrdup("type_info");
	if (base)
		return xasprintf("vbase_offset(%s)", type_name_interned(base->type));
	if (distance > 0)
		return xstrdup("offset");
	return maker->functions && maker->functions[slot] ? xstrdup(maker->functions[slot])
							  : xasprintf("function %zu", slot);
}

/* Returns the record of the table whose functions begin at `functions`. */
static const struct type *make_table(struct debug_reader *reader, const struct table_maker *maker,
				     const struct type *class, int64_t functions)
{
	size_t count = (size_t)functions / WORD + maker->function_count;
	_cleanup_free_ struct member *members = xcalloc(count, sizeof(*members));
	_cleanup_free_ char **names = xcalloc(count, sizeof(*names));
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct type_key key = { .kind = TYPE_CLASS, .flags = TYPE_SCOPED, .size = count * WORD };

	for (size_t i = 0; i < count; i++) {
		int64_t offset = (int64_t)i * WORD;

		names[i] = entry_name(maker, functions - offset);
		members[i] = (struct member){ .name = names[i],
					      .type = entry_type(reader, functions - offset),
					      .offset = offset,
					      .is_artificial = true };
	}
	strbuf_add_format(&name, VIRTUAL_TABLE_PREFIX "%s", class->name);
	key.name = name.data;
	const struct type *type =
		type_table_make_record(dwarf_object_of(reader)->types.table, &key, members, count);

	for (size_t i = 0; i < count; i++)
		free(names[i]);
	return type;
}

/* Reads a class's table. The result is in the arena of the types. */
static struct virtual_table *read_table(struct debug_reader *reader, const struct type *class)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	struct type_table *types = object->types.table;
	struct table_maker maker = { .object = object };
	struct virtual_table table = { .class = class, .functions = TOP_DISTANCE };

	gather(&maker, class, 0);
	for (size_t i = 0; i < maker.base_count; i++)
		raise_to(table.functions, maker.bases[i].distance);
	table.type = make_table(reader, &maker, class, table.functions);
	for (size_t i = 0; i < maker.function_count; i++)
		free(maker.functions[i]);
	free(maker.functions);
	type_table_lock(types);
	struct virtual_table *result = arena_copy(&types->arena, &table, sizeof(table));

	result->base_count = maker.base_count;
	result->bases =
		arena_copy(&types->arena, maker.bases, maker.base_count * sizeof(*maker.bases));
	type_table_unlock(types);
	free(maker.bases);
	return result;
}

const struct virtual_table *dwarf_virtual_table(struct debug_reader *reader,
						const struct type *class)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	struct virtual_table *table;

	if (!class->source || !class->name || !methods_of(object, class))
		return NULL;
	table = concurrent_map_find(&object->tables, class->source);
	if (!table && begins_with_table(class, 0)) {
		struct type_table *types = object->types.table;

		table = type_table_publish(types, &object->tables, class->source,
					   read_table(reader, class));
		type_table_publish(types, &object->tables_by_type, (uint64_t)table->type->id + 1,
				   table);
	}
	return table;
}

const struct virtual_table *dwarf_virtual_table_of(struct debug_reader *reader,
						   const struct type *type)
{
	return concurrent_map_find(&dwarf_object_of(reader)->tables_by_type,
				   (uint64_t)type->id + 1);
}

void dwarf_virtual_tables_deinit(struct dwarf_object *object)
{
	concurrent_map_clear(&object->methods, destroy_methods);
	concurrent_map_deinit(&object->tables);
	concurrent_map_deinit(&object->tables_by_type);
}
