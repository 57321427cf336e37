// SPDX-License-Identifier: GPL-2.0-or-later
/* Goes over all types, functions and variables of an object, for those that write them elsewhere
 * (debug_reader_each()). */
#include <dwarf.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/index.h"
#include "dwarf/dwarf/object.h"
#include "dwarf/dwarf/pass.h"

/* Chooses the types that have no name at the file scope of C: enums without a name, whose constants
 * are what they are for, and definitions in functions. */
static void choose_hidden(struct pass_step *step)
{
	const struct die_layout *layout = step->layout;
	uint8_t kind;

	switch (layout->tag) {
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block: step->within = true; return;
	}
	step->wanted = name_kind_of_tag(layout->tag, &kind) &&
		       (kind == NAME_RECORD || kind == NAME_ENUM || kind == NAME_TYPEDEF) &&
		       layout->tag != DW_TAG_base_type && !layout_has(layout, SLOT_DECLARATION);
	step->kind = kind == NAME_ENUM && !layout_has(layout, SLOT_NAME);
}

static void each_hidden_type(struct dwarf_object *object, struct pass *pass, struct unit *unit,
			     const struct debug_visitor *visitor)
{
	struct pass_die die;

	if (!pass_start(pass, unit, choose_hidden))
		return;
	while (pass_next(pass, &die))
		if (pass->depth || die.step->kind)
			visitor->type(visitor->data,
				      dwarf_type(&object->types, unit_reference(unit, die.offset)));
}

static void each_type(struct dwarf_object *object, const struct debug_visitor *visitor)
{
	struct dwarf_file *main = dwarf_files_main(object->files);
	struct pass pass = { 0 };
	uint32_t position = 0;
	uint64_t reference;

	while ((reference = dwarf_names_next_type(object->names, &position)))
		visitor->type(visitor->data, dwarf_type(&object->types, reference));
	for (size_t i = 0; i < main->unit_count; i++)
		each_hidden_type(object, &pass, &main->units[i], visitor);
	pass_deinit(&pass);
}

static bool is_external(struct dwarf_object *object, const struct die *die)
{
	struct die other;
	const struct die *declared = die_integrate(object->files, die, SLOT_EXTERNAL, &other);

	return declared && die_flag(declared, SLOT_EXTERNAL);
}

/* True if the function's symbol is called like it, and not like a clone of it whose parameters the
 * compiler has changed (name.isra.0, name.constprop.0). */
static bool has_symbol(const struct dwarf_object *object, uint64_t entry, const char *name)
{
	const struct symbol *symbol = elf_image_function_at(object->image, entry);
	size_t length = strlen(name);

	return !symbol || symbol->address != entry || strncmp(symbol->name, name, length) != 0 ||
	       symbol->name[length] != '.';
}

static void visit_code(struct dwarf_object *object, const struct function_entry *entry,
		       const struct debug_visitor *visitor)
{
	const struct dwarf_prototype *prototype = dwarf_prototype(object, entry->die);
	const struct die *linked;
	struct die die, other;

	if (!prototype || !die_at(object->files, entry->die, &die))
		return;
	linked = die_integrate(object->files, &die, SLOT_LINKAGE_NAME, &other);

	const char *name =
		linked ? die_string(linked, SLOT_LINKAGE_NAME) : prototype->prototype.name;

	if (name && has_symbol(object, entry->entry, name))
		visitor->function(visitor->data, name, &prototype->prototype,
				  is_external(object, &die));
}

/* Goes over the functions of one unit. One of several ranges is an entry for each. */
static void each_function(struct dwarf_object *object, struct unit *unit,
			  const struct debug_visitor *visitor)
{
	const struct unit_index *index = unit_file_scope_get(unit);

	for (size_t i = 0; i < index->function_count; i++)
		if (index->functions[i].low == index->functions[i].entry)
			visit_code(object, &index->functions[i], visitor);
}

static void each_variable(struct dwarf_object *object, const struct debug_visitor *visitor)
{
	const struct variable_list *list = dwarf_names_variables(object->names, true);
	struct die die;

	array_indexed (const struct variable_entry, entry, i, list->items, list->count) {
		const struct global *global =
			entry->piece_size ? NULL : dwarf_indexed_global(object, entry);

		/* of several DIEs of one variable, the first counts */
		if (!global || !global->name || !die_at(object->files, entry->die, &die) ||
		    (i && list->items[i - 1].address == entry->address &&
		     list->items[i - 1].thread_local_ == entry->thread_local_))
			continue;
		visitor->variable(visitor->data, global, is_external(object, &die));
	}
}

void dwarf_each(struct debug_reader *reader, const struct debug_visitor *visitor)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	struct dwarf_file *main = dwarf_files_main(object->files);

	each_type(object, visitor);
	for (size_t i = 0; visitor->function && i < main->unit_count; i++)
		if (unit_with_dies(&main->units[i]))
			each_function(object, &main->units[i], visitor);
	if (visitor->variable)
		each_variable(object, visitor);
}
