// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The places of inlined calls (BTF_KIND_LOCSEC of linux-next): for each its address, the function,
 * and where its arguments are. A call becomes a scope of one address with the arguments as
 * variables, which are where BTF says when the address is reached; data flow goes on from there.
 *
 * The records are in .BTF, or in a file that continues it: .BTF.inline, in older versions
 * .BTF.extra.
 */
#include "dwarf/btf/btf_private.h"

#include <linux/btf.h>

#include "base/text.h"

/* The bits of a BTF_KIND_LOC_PARAM: its first word. The register and an offset follow. */
enum { ARGUMENT_SIGNED = 1, ARGUMENT_REGISTER = 8, ARGUMENT_DEREF = 16, ARGUMENT_OFFSET = 32 };

/* More registers have no number here; the frame's base is one of them. */
#define REGISTERS_MAX 254

COMPARISON(compare_inlined, struct btf_inlined, ASCENDING(address) ASCENDING(function))

/* Adds the calls of one section: ".text", or "inline.text". */
static void add_calls(const struct elf_image *image, struct btf_record *record,
		      struct btf_inlined_calls *calls)
{
	const char *name = record->name ?: "";
	struct elf_section section;

	if (starts_with(name, "inline."))
		name += strlen("inline");
	if (!elf_image_section_named(image, name, &section))
		return;
	for (uint32_t i = 0; i < record->count; i++) {
		struct btf_inlined call = { .function = cursor_u32(&record->rest),
					    .locations = cursor_u32(&record->rest) };
		uint32_t offset = cursor_u32(&record->rest);

		call.address = section.address + offset;
		if (offset < section.size)
			array_add(calls->items, calls->count, calls->capacity) = call;
	}
}

void btf_inlined_find(const struct elf_image *image, const struct btf *btf,
		      struct btf_inlined_calls *calls)
{
	struct btf_record record;

	calls->file = btf->inlined ?: btf->file;
	for (uint32_t id = btf_file_first(calls->file); id < btf_file_end(calls->file); id++)
		if (btf_record_at(calls->file, id, &record) && record.kind == KIND_LOCSEC)
			add_calls(image, &record, calls);
	array_sort(calls->items, calls->count, compare_inlined);
}

/* Reads where an argument is. False: it is a constant, or in several registers, or not known. */
static bool read_argument(const struct btf_file *file, uint32_t id, struct location *location)
{
	struct btf_record record;

	if (!id || !btf_record_at(file, id, &record) || record.kind != KIND_LOC_PARAM)
		return false;
	uint32_t flags = cursor_u32(&record.rest) & ~(uint32_t)ARGUMENT_SIGNED;
	uint32_t reg = record.count ? cursor_u32(&record.rest) : UINT32_MAX;
	bool offset = flags & ARGUMENT_OFFSET;

	if (!(flags & ARGUMENT_REGISTER) || reg > REGISTERS_MAX || record.count != 1U + offset ||
	    flags & ~(uint32_t)(ARGUMENT_REGISTER | ARGUMENT_DEREF | ARGUMENT_OFFSET))
		return false;
	location->reg = (uint8_t)reg;
	location->offset = offset ? (int32_t)cursor_u32(&record.rest) : 0;
	location->kind = flags & ARGUMENT_DEREF ? LOCATION_MEMORY
			 : offset               ? LOCATION_REGISTER_VALUE
						: LOCATION_REGISTER;
	return true;
}

/* The scopes and the variables of a function, as they are made. */
struct call_scopes {
	struct scope *scopes;
	size_t scope_count, scope_capacity;
	struct variable *variables;
	size_t variable_count, variable_capacity;
};

/* Adds a call and those of its arguments that have a place. */
static void add_call_scope(struct btf_types *types, const struct btf_inlined_calls *calls,
			   const struct btf_inlined *call, struct arena *arena,
			   struct call_scopes *all)
{
	struct address_range range = { call->address, call->address + 1 };
	struct btf_record function, prototype, locations;
	struct btf_item parameter;

	if (!btf_record_at(calls->file, call->function, &function) ||
	    !btf_record_at(calls->file, function.type, &prototype) ||
	    prototype.kind != BTF_KIND_FUNC_PROTO ||
	    !btf_record_at(calls->file, call->locations, &locations) ||
	    locations.kind != KIND_LOC_PROTO)
		return;
	array_add(all->scopes, all->scope_count, all->scope_capacity) =
		(struct scope){ .depth = 1,
				.inlined = true,
				.name = function.name,
				.ranges = arena_copy(arena, &range, sizeof(range)),
				.range_count = 1 };
	for (uint32_t i = 0; i < locations.count && btf_record_next(&prototype, &parameter); i++) {
		struct location location = { .low = range.low, .high = range.high };

		/* types of arguments are in .BTF itself */
		if (!read_argument(calls->file, cursor_u32(&locations.rest), &location) ||
		    !parameter.type || parameter.type >= btf_file_end(types->btf->file))
			continue;
		array_add(all->variables, all->variable_count, all->variable_capacity) =
			(struct variable){ .name = parameter.name,
					   .type = btf_type(types, parameter.type),
					   .scope = (uint32_t)all->scope_count - 1,
					   .flags = VARIABLE_PARAMETER | VARIABLE_INLINED,
					   .parameter_index = i,
					   .locations =
						   arena_copy(arena, &location, sizeof(location)),
					   .location_count = 1 };
	}
}

void btf_inlined_add(struct btf_types *types, const struct btf_inlined_calls *calls,
		     struct function *function)
{
	struct call_scopes all = { 0 };

	array_add(all.scopes, all.scope_count, all.scope_capacity) = function->scopes[0];
	array_each (const struct address_range, range, function->ranges, function->range_count)
		for (size_t i = partition_point(0, calls->count, k,
						calls->items[k].address < range->low);
		     i < calls->count && calls->items[i].address < range->high; i++)
			add_call_scope(types, calls, &calls->items[i], &function->arena, &all);
	function->scopes =
		arena_copy(&function->arena, all.scopes, all.scope_count * sizeof(*all.scopes));
	function->scope_count = all.scope_count;
	function->variables = arena_copy(&function->arena, all.variables,
					 all.variable_count * sizeof(*all.variables));
	function->variable_count = all.variable_count;
	free_all(all.scopes, all.variables);
}
