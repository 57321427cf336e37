// SPDX-License-Identifier: GPL-2.0-or-later
/* Indices of parts of C units, from quick passes. */
#include <dwarf.h>
#include <stdlib.h>

#include "dwarf/dwarf_index_build.h"
#include "profiler/base/memory.h"

static void choose_level(const struct plan_table *table, struct plan *plan, struct plan_step *step)
{
	(void)table;
	step->wanted = plan->tag == DW_TAG_subprogram || plan->tag == DW_TAG_variable;
}

/* What has no place has but its names: most are declarations. False: it has more. */
static bool add_declaration(struct index_builder *builder, const struct pass *pass,
			    const struct pass_die *die, enum name_kind kind)
{
	static const enum plan_field names[] = { FIELD_NAME, FIELD_LINKAGE_NAME };
	const struct plan *plan = die->plan;

	if (plan_has(plan, FIELD_CODE) || plan_has(plan, FIELD_LOCATION) ||
	    plan_has(plan, FIELD_SPECIFICATION) || !pass_is_fixed(pass, die))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!plan_has(plan, names[i]))
			continue;

		struct pass_text text =
			pass_text(pass, plan, names[i], plan_value(plan, names[i], die->attributes), NULL);

		index_add_name(builder, text.string, kind, unit_reference(builder->unit, die->offset));
	}
	return true;
}

static void add_level(struct index_builder *builder, const struct pass *pass, const struct pass_die *die)
{
	enum name_kind kind = die->plan->tag == DW_TAG_subprogram ? NAME_FUNCTION : NAME_VARIABLE;

	if (add_declaration(builder, pass, die, kind))
		return;

	struct cursor cursor = unit_cursor(builder->unit, die->offset);

	if (!die_read(builder->unit, &cursor, &builder->die))
		return;
	if (kind == NAME_FUNCTION)
		index_add_function(builder);
	else
		index_add_variable(builder);
	index_add_names(builder, kind);
}

struct unit_index *index_build_level(struct unit *unit)
{
	struct index_builder builder = { .unit = unit, .index = xcalloc(1, sizeof(*builder.index)) };
	struct pass pass = { 0 };
	struct pass_die die;
	bool plain = pass_start(&pass, unit, choose_level);

	while (plain && pass_next(&pass, &die))
		add_level(&builder, &pass, &die);
	pass_deinit(&pass);
	if (plain)
		return index_finish(&builder);
	index_destroy(builder.index);
	return NULL;
}

struct unit_index *index_build_statics(struct unit *unit)
{
	struct unit_index *index = xcalloc(1, sizeof(*index));
	struct pass pass = { 0 };
	bool plain = scan_variables(&pass, unit, &index->variables);

	pass_deinit(&pass);
	if (plain) {
		variable_list_sort(&index->variables);
		return index;
	}
	index_destroy(index);
	return NULL;
}
