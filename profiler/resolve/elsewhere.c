// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Classes of C++ that one DSO only declares and another one defines: see resolve_elsewhere() in
 * private.h.
 *
 * Compilers describe a class with virtual functions in the unit that has its virtual table, and
 * programs use such classes of libraries. The DSO that has the table is found by its symbol.
 */

#include "annotate/types/field.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/resolve/private.h"

#define TABLE     "_ZTV"
#define WORD      8
#define FUNCTIONS (2 * WORD) /* the offset of the first function in most tables */
#define SLOTS_MAX 64         /* the slots that are searched for a function with a symbol */

COMPARISON(compare_names, struct declared_class, BY_TEXT(name))

/* Lists the classes that places access and their DSOs only declare, each once, sorted by name. */
static void list_classes(struct resolution *resolution)
{
	array_each (const struct resolved_place, place, resolution->places,
		    resolution->place_count) {
		if (!resolved_place_is_declared(place))
			continue;
		array_add(resolution->declared, resolution->declared_count,
			  resolution->declared_capacity) = (struct declared_class){
			.name = string_pool_intern(&resolution->strings,
						   type_strip(place->access.type)->name),
		};
	}
	array_unique(resolution->declared, resolution->declared_count, compare_names);
}

struct declared_class *resolution_declared_class(const struct resolution *resolution,
						 const char *name)
{
	const struct declared_class key = { .name = name };

	return resolution->declared_count
		       ? bsearch(&key, resolution->declared, resolution->declared_count,
				 sizeof(*resolution->declared), compare_names)
		       : NULL;
}

/* Finds the function whose address the table has at an offset. False: the table has none there.
 * *function becomes NULL if the function is in another DSO. */
static bool function_in_table(const struct elf_image *image, const struct symbol *table,
			      uint64_t offset, const struct symbol **function)
{
	uint64_t target;
	const char *name;

	*function = NULL;
	if (!elf_image_slot(image, table->address + offset, &name, &target)) {
		/* a program that is not position-independent has the address itself */
		if (!elf_image_read(image, table->address + offset, &target, sizeof(target), false))
			return false;
		*function = elf_image_function_at(image, target);
		return *function;
	}
	if (target)
		*function = elf_image_function_at(image, target);
	return true;
}

/* Sets the DSO of a class's table, and the first function in the table that this DSO has. A copy of
 * the table, which the linker has put into the program, is empty in the file: it does not count. */
static void note_table(struct declared_class *class, struct dso *dso, const struct elf_image *image,
		       const struct symbol *table)
{
	uint64_t end = table->size < SLOTS_MAX * WORD ? table->size : SLOTS_MAX * WORD;
	const struct symbol *function;

	for (uint64_t offset = FUNCTIONS; offset + WORD <= end; offset += WORD) {
		if (!function_in_table(image, table, offset, &function))
			continue;
		class->dso = dso;
		if (function && !starts_with(function->name, "__cxa_")) {
			class->function = function->name;
			class->address = function->address;
			return;
		}
	}
}

/* Returns the only definition of a class in a DSO's debug information; NULL: there is none. */
static const struct type *definition_in(struct dso *dso, const struct resolve_options *options,
					struct declared_class *class)
{
	const struct type *found[2];
	struct debug_object *debug = dso_debug(dso, &options->dso, NULL);
	struct debug_reader *reader = debug ? debug_reader_open(debug) : NULL;
	unsigned int line;

	class->has_debug_info = debug;
	if (!debug)
		return NULL;
	size_t count = debug_reader_types_named(reader, class->name, found, COUNT_OF(found));
	bool defined = count == 1 && !(type_strip(found[0])->flags & TYPE_DECLARATION);

	if (!defined && class->function &&
	    !debug_reader_line(reader, class->address, &class->file, &line))
		class->file = NULL;
	debug_reader_close(reader);
	return defined ? type_canonical(found[0]) : NULL;
}

/* Looks in one DSO for the tables of the classes that are not defined yet. */
static void search_dso(struct resolution *resolution, struct dso *dso,
		       const struct resolve_options *options)
{
	size_t count;
	const struct elf_image *image = dso_image(dso, &options->dso, NULL);
	const struct symbol *symbols = image ? elf_image_symbols(image, &count) : NULL;

	for (size_t i = 0; symbols && i < count; i++) {
		if (!starts_with(symbols[i].name, TABLE) || !symbol_is_data(&symbols[i]))
			continue;
		_cleanup_free_ char *text = symbol_demangle(symbols[i].name);

		if (!text || !starts_with(text, VIRTUAL_TABLE_PREFIX))
			continue;
		struct declared_class *class =
			resolution_declared_class(resolution, text + strlen(VIRTUAL_TABLE_PREFIX));

		if (!class || class->type)
			continue;
		struct declared_class found = { .name = class->name };

		note_table(&found, dso, image, &symbols[i]);
		if (!found.dso)
			continue;
		found.type = definition_in(dso, options, &found);
		if (found.type || !class->dso)
			*class = found;
	}
}

/* The DSOs of a definition and of a place, and whether a process has both. */
struct dso_pair {
	const struct dso *a, *b;
	bool together;
};

struct dso_pairs {
	struct dso_pair *items;
	size_t count, capacity;
};

static bool are_together(const struct session *session, struct dso_pairs *pairs,
			 const struct dso *a, const struct dso *b)
{
	for (size_t i = 0; i < pairs->count; i++)
		if (pairs->items[i].a == a && pairs->items[i].b == b)
			return pairs->items[i].together;
	array_reserve(pairs->items, pairs->count, pairs->capacity);
	pairs->items[pairs->count] =
		(struct dso_pair){ a, b, session_maps_together(session, a, b) };
	return pairs->items[pairs->count++].together;
}

/* Replaces the declared class of each place by its definition, if the access fits that. */
static void use_definitions(struct resolution *resolution)
{
	struct shown_words words = shown_words_of(resolution);
	struct dso_pairs pairs = { 0 };

	array_each (struct resolved_place, place, resolution->places, resolution->place_count) {
		struct field_ref field;

		if (!resolved_place_is_declared(place))
			continue;
		const struct declared_class *class =
			resolution_declared_class(resolution, type_strip(place->access.type)->name);

		if (!class || !class->type || class->dso == place->dso ||
		    !are_together(resolution->session, &pairs, class->dso, place->dso) ||
		    field_find(class->type, place->access.offset, 0, place->access.size, &field) !=
			    REASON_NONE)
			continue;
		place->access.type = field.type;
		place->access.offset = field.offset;
		place->type_dso = class->dso;
		resolved_place_show_access(&words, place);
	}
	free(pairs.items);
}

void resolve_elsewhere(struct resolution *resolution, const struct resolve_options *options)
{
	size_t count;
	struct dso *const *dsos = session_dsos(resolution->session, &count);

	list_classes(resolution);
	if (!resolution->declared_count)
		return;
	for (size_t i = 0; i < count; i++)
		if (dsos[i]->kind == DSO_USER)
			search_dso(resolution, dsos[i], options);
	use_definitions(resolution);
}
