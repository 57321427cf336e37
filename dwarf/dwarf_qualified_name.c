/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names with their namespaces and classes: "a::b<int>::c". */
#include <dwarf.h>

#include "dwarf/dwarf_index.h"
#include "dwarf/dwarf_type.h"
#include "dwarf/function.h"

#define MAXIMUM_NESTING 64

static const char *container_name(const struct container *container)
{
	if (container->name)
		return container->name;
	if (container->tag == DW_TAG_namespace)
		return "(anonymous namespace)";
	return NULL; /* members of a nameless class are named by the one around it */
}

static void add_containers(struct unit *unit, uint64_t offset, struct strbuf *buffer)
{
	const struct unit_index *index = unit_index_get(unit);
	const struct container *container = unit_index_container(index, offset);
	const char *names[MAXIMUM_NESTING];
	size_t count = 0;

	/* what is local to a function is named by itself */
	while (container && container->tag != DW_TAG_subprogram && count < MAXIMUM_NESTING) {
		if (container_name(container))
			names[count++] = container_name(container);
		container = container->parent < index->container_count ? &index->containers[container->parent]
								       : NULL;
	}
	while (count) {
		strbuf_add_string(buffer, names[--count]);
		strbuf_add_string(buffer, "::");
	}
}

bool dwarf_qualified_name(struct dwarf_types *types, const struct die *die, struct strbuf *buffer)
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
		add_containers(die->unit, die->offset, buffer);
	strbuf_add_string(buffer, name);
	return true;
}
