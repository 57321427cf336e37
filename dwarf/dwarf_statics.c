// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_statics.h"

#include <dwarf.h>
#include <stdlib.h>

#include "dwarf/dwarf_location.h"
#include "profiler/base/memory.h"

void variable_list_add(struct variable_list *list, const struct variable_entry *variable)
{
	array_reserve(list->items, list->count, list->capacity);
	list->items[list->count++] = *variable;
	list->thread_local_count += variable->thread_local_;
}

void variable_list_append(struct variable_list *list, const struct variable_list *others)
{
	for (size_t i = 0; i < others->count; i++)
		variable_list_add(list, &others->items[i]);
}

static int by_address(const void *left, const void *right)
{
	const struct variable_entry *a = left, *b = right;

	if (a->thread_local_ != b->thread_local_)
		return a->thread_local_ ? 1 : -1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->die < b->die ? -1 : a->die > b->die;
}

void variable_list_sort(struct variable_list *list)
{
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_address);
}

void variable_list_deinit(struct variable_list *list)
{
	free(list->items);
	*list = (struct variable_list){ 0 };
}

/* A list is no static place. */
static bool is_expression(unsigned int form)
{
	return form == DW_FORM_exprloc || form == DW_FORM_block || form == DW_FORM_block1 ||
	       form == DW_FORM_block2 || form == DW_FORM_block4;
}

/* In C types have no variables in them. */
static void choose_variables(const struct plan_table *table, struct plan *plan, struct plan_step *step)
{
	step->wanted = plan->tag == DW_TAG_variable && plan_has(plan, FIELD_LOCATION) &&
		       is_expression(plan_attribute(table, plan, FIELD_LOCATION)->form);
	step->within = plan->tag == DW_TAG_subprogram || plan->tag == DW_TAG_lexical_block ||
		       plan->tag == DW_TAG_inlined_subroutine;
}

bool scan_variables(struct pass *pass, const struct unit *unit, struct variable_list *variables)
{
	struct plan_values values;
	struct location location;
	struct pass_die die;

	if (!pass_start(pass, unit, choose_variables))
		return false;
	while (pass_next(pass, &die)) {
		if (!pass_values(pass, &die, &values) || !values.bytes[FIELD_LOCATION] ||
		    !location_is_static(&pass->unit, values.bytes[FIELD_LOCATION],
					values.value[FIELD_LOCATION], &location))
			continue;
		variable_list_add(variables,
				  &(struct variable_entry){ .address = (uint64_t)location.offset,
							    .thread_local_ = location.kind == LOCATION_TLS,
							    .die = unit_reference(&pass->unit, die.offset) });
	}
	return true;
}
