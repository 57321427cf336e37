// SPDX-License-Identifier: GPL-2.0-or-later
/* Call sites (DWARF 5, section 3.4; before that gcc's DW_TAG_GNU_call_site). */
#include "dwarf/dwarf_call_site.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/search.h"

#define CALL_SITES_MAX ((size_t)1 << 20)

bool dwarf_is_call_site(const struct die *die)
{
	return die->tag == DW_TAG_call_site || die->tag == DW_TAG_GNU_call_site;
}

void dwarf_call_site_add(struct call_site_builder *builder, struct debug_object *object,
			 const struct die *die, struct cursor *cursor)
{
	bool gnu = die->tag == DW_TAG_GNU_call_site;
	struct call_site site = { .tail_call = die_flag(die, SLOT_CALL_TAIL) };
	uint64_t origin = die_target(die, gnu ? SLOT_ORIGIN : SLOT_CALL_ORIGIN);

	die_skip_children(die, cursor);
	if (!die_address(die, gnu ? SLOT_LOW_PC : SLOT_CALL_RETURN_PC, &site.return_address) ||
	    builder->count >= CALL_SITES_MAX)
		return;
	if (origin) {
		const struct dwarf_prototype *callee = dwarf_prototype(object, origin);

		site.callee = callee ? &callee->prototype : NULL;
	}
	array_reserve(builder->items, builder->count, builder->capacity);
	builder->items[builder->count] = (struct found_call_site){ site, builder->count };
	builder->count++;
}

static int by_address(const void *left, const void *right)
{
	const struct found_call_site *a = left, *b = right;

	if (a->site.return_address != b->site.return_address)
		return a->site.return_address < b->site.return_address ? -1 : 1;
	return a->number < b->number ? -1 : 1;
}

void dwarf_call_sites_finish(struct call_site_builder *builder, struct function *function)
{
	struct call_site *sites = arena_alloc(&function->arena, builder->count * sizeof(*sites));

	bool sorted = true;

	for (size_t i = 1; i < builder->count && sorted; i++)
		sorted = builder->items[i - 1].site.return_address <= builder->items[i].site.return_address;
	if (!sorted)
		qsort(builder->items, builder->count, sizeof(*builder->items), by_address);
	for (size_t i = 0; i < builder->count; i++)
		sites[i] = builder->items[i].site;
	function->call_sites = sites;
	function->call_site_count = builder->count;
}

const struct call_site *function_call_site(const struct function *function, uint64_t return_address)
{
	const struct call_site *sites = function->call_sites;
	size_t count = function->call_site_count;
	size_t index = partition_point(0, count, i, sites[i].return_address < return_address);

	return index < count && sites[index].return_address == return_address ? &sites[index] : NULL;
}
