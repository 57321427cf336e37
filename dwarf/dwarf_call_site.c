/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call sites and what is passed at them (DWARF 5, section 3.4; before that gcc's DW_TAG_GNU_call_site). */
#include "dwarf/dwarf_call_site.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_location.h"
#include "profiler/base/memory.h"

#define MAXIMUM_CALL_SITES ((size_t)1 << 20)

bool dwarf_is_call_site(const struct die *die)
{
	return die->tag == DW_TAG_call_site || die->tag == DW_TAG_GNU_call_site;
}

static void add_parameter(struct call_site_builder *builder, const struct die *die)
{
	struct call_parameter parameter = { .reg = 0xff };
	struct location place;
	struct location_list list = { .items = &place, .capacity = 1, .limit = 1 };
	const uint8_t *expression;
	size_t size;

	if (!die_block(die, SLOT_LOCATION, &expression, &size))
		return;
	location_of_expression(die->unit, expression, size, 0, UINT64_MAX, &list);
	if (list.count == 1 && place.kind == LOCATION_REGISTER)
		parameter.reg = place.reg;
	if (!die_block(die, SLOT_CALL_VALUE, &expression, &size))
		return;
	location_of_value(die->unit, expression, size, &parameter.value);
	array_reserve(builder->parameters, builder->parameter_count, builder->parameter_capacity);
	builder->parameters[builder->parameter_count++] = parameter;
}

static size_t add_parameters(struct call_site_builder *builder, const struct die *site, struct cursor *cursor)
{
	size_t first = builder->parameter_count;
	struct die die;

	while (site->has_children && die_read(site->unit, cursor, &die) && die.tag) {
		die_skip_children(&die, cursor);
		if (die.tag == DW_TAG_call_site_parameter || die.tag == DW_TAG_GNU_call_site_parameter)
			add_parameter(builder, &die);
	}
	return builder->parameter_count - first;
}

void dwarf_call_site_add(struct call_site_builder *builder, struct debug_object *object,
			 const struct die *die, struct cursor *cursor)
{
	bool gnu = die->tag == DW_TAG_GNU_call_site;
	struct call_site site = { .tail_call = die_flag(die, SLOT_CALL_TAIL) };
	uint64_t origin = die_target(die, gnu ? SLOT_ORIGIN : SLOT_CALL_ORIGIN);

	site.parameter_count = add_parameters(builder, die, cursor);
	if (!die_address(die, gnu ? SLOT_LOW_PC : SLOT_CALL_RETURN_PC, &site.return_address) ||
	    builder->count >= MAXIMUM_CALL_SITES) {
		builder->parameter_count -= site.parameter_count;
		return;
	}
	if (origin) {
		const struct dwarf_prototype *callee = dwarf_prototype(object, origin);

		site.callee = callee ? &callee->prototype : NULL;
	}
	array_reserve(builder->items, builder->count, builder->capacity);
	builder->items[builder->count++] = site;
}

static int by_address(const void *left, const void *right)
{
	const struct call_site *a = left, *b = right;

	if (a->return_address != b->return_address)
		return a->return_address < b->return_address ? -1 : 1;
	return a->parameters < b->parameters ? -1 : a->parameters > b->parameters;
}

void dwarf_call_sites_finish(struct call_site_builder *builder, struct function *function)
{
	const struct call_parameter *parameters = arena_copy(&function->arena, builder->parameters,
							     builder->parameter_count * sizeof(*parameters));
	struct call_site *sites =
		arena_copy(&function->arena, builder->items, builder->count * sizeof(*sites));

	/* parameters are in the order of their sites */
	for (size_t i = 0; i < builder->count; i++) {
		sites[i].parameters = parameters;
		parameters += sites[i].parameter_count;
	}
	if (builder->count)
		qsort(sites, builder->count, sizeof(*sites), by_address);
	function->call_sites = sites;
	function->call_site_count = builder->count;
}
