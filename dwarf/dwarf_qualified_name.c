// SPDX-License-Identifier: GPL-2.0-or-later
/* Names with their namespaces, classes and template arguments: "a::b<int>::c". */
#include <dwarf.h>

#include "dwarf/dwarf_index.h"
#include "dwarf/dwarf_type.h"
#include "dwarf/function.h"

#define NESTING_MAX 64

static bool is_record(const struct container *container)
{
	return container->tag == DW_TAG_structure_type || container->tag == DW_TAG_class_type ||
	       container->tag == DW_TAG_union_type;
}

/* A class around a name. Where it has its own type unit, that knows how it is called. */
static void add_record(struct dwarf_types *types, struct unit *unit, const struct container *container,
		       struct strbuf *buffer, int depth)
{
	struct die die;

	if (!die_at(types->files, unit_reference(unit, container->start), &die))
		return;
	if (die_has(&die, SLOT_SIGNATURE) && !die_at(types->files, die_target(&die, SLOT_SIGNATURE), &die))
		return;
	if (!die_name(&die) || !*die_name(&die))
		return; /* members of a nameless class are named by the one around it */
	strbuf_add_string(buffer, die_name(&die));
	dwarf_template_arguments(types, &die, buffer, depth);
	strbuf_add_string(buffer, "::");
}

static void add_containers(struct dwarf_types *types, struct unit *unit, uint64_t offset,
			   struct strbuf *buffer, int depth)
{
	const struct unit_index *index = unit_index_get(unit);
	const struct container *container = unit_index_container(index, offset);
	const struct container *around[NESTING_MAX];
	size_t count = 0;

	/* what is local to a function is named by itself */
	while (container && container->tag != DW_TAG_subprogram && count < NESTING_MAX) {
		around[count++] = container;
		container = container->parent < index->container_count ? &index->containers[container->parent]
								       : NULL;
	}
	while (count) {
		container = around[--count];
		if (is_record(container)) {
			add_record(types, unit, container, buffer, depth);
		} else if (container->name || container->tag == DW_TAG_namespace) {
			strbuf_add_string(buffer,
					  container->name ? container->name : "(anonymous namespace)");
			strbuf_add_string(buffer, "::");
		}
	}
}

bool dwarf_qualified_name_within(struct dwarf_types *types, const struct die *die, struct strbuf *buffer,
				 int depth)
{
	const char *name = die_name(die);
	struct die declared;

	/* a class that is defined outside of the scope that declares it, as in gcc's type units: the
	 * declaration has its place */
	if (die_has(die, SLOT_SPECIFICATION) &&
	    die_at(types->files, die_target(die, SLOT_SPECIFICATION), &declared) && die_name(&declared)) {
		die = &declared;
		name = die_name(die);
	}
	if (!name || !*name)
		return false;
	if (die->tag != DW_TAG_base_type &&
	    (die->unit->language == LANGUAGE_CXX || die->unit->language == LANGUAGE_RUST))
		add_containers(types, die->unit, die->offset, buffer, depth);
	strbuf_add_string(buffer, name);
	if (die->tag != DW_TAG_base_type)
		dwarf_template_arguments(types, die, buffer, depth);
	return true;
}

bool dwarf_qualified_name(struct dwarf_types *types, const struct die *die, struct strbuf *buffer)
{
	return dwarf_qualified_name_within(types, die, buffer, 0);
}
