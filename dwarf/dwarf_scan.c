// SPDX-License-Identifier: GPL-2.0-or-later
/* The names of C units: see dwarf_scan.h. */
#include "dwarf/dwarf_scan.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

static bool kind_of_tag(unsigned int tag, uint8_t *kind)
{
	switch (tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type: *kind = NAME_RECORD; return true;
	case DW_TAG_enumeration_type: *kind = NAME_ENUM; return true;
	case DW_TAG_typedef:
	case DW_TAG_base_type: *kind = NAME_TYPEDEF; return true;
	case DW_TAG_subprogram: *kind = NAME_FUNCTION; return true;
	case DW_TAG_variable: *kind = NAME_VARIABLE; return true;
	}
	return false;
}

static bool is_type(uint8_t kind)
{
	return kind != NAME_FUNCTION && kind != NAME_VARIABLE;
}

/* Names of what only its own unit sees, and of types that are declared alone, are not looked for. */
static void choose_names(const struct plan_table *table, struct plan *plan, struct plan_step *step)
{
	bool specifies = plan_has(plan, FIELD_SPECIFICATION);

	if (!kind_of_tag(plan->tag, &plan->kind) || (!specifies && !plan_has(plan, FIELD_NAME)))
		return;
	if (is_type(plan->kind) && plan_has(plan, FIELD_DECLARATION) &&
	    plan_attribute(table, plan, FIELD_DECLARATION)->form == DW_FORM_flag_present)
		return;
	plan->plain = !specifies && !plan_has(plan, FIELD_LINKAGE_NAME) &&
		      plan_attribute(table, plan, FIELD_NAME)->form == DW_FORM_strp;
	step->wanted = specifies || plan_has(plan, is_type(plan->kind) ? FIELD_NAME : FIELD_EXTERNAL);
}

/* ---- names, each once ---- */

/* Identities are odd. */
static size_t slot_of(uint64_t identity, size_t mask)
{
	return identity >> 1 & mask;
}

static void grow_slots(struct name_scan *scan)
{
	size_t count = scan->slot_count ? 2 * scan->slot_count : 4096;

	free(scan->slots);
	scan->slots = xcalloc_table(count, sizeof(*scan->slots));
	scan->slot_count = count;
	for (size_t i = 0; i < scan->count; i++) {
		size_t slot = slot_of(scan->names[i].identity, count - 1);

		while (scan->slots[slot])
			slot = (slot + 1) & (count - 1);
		scan->slots[slot] = scan->names[i].identity;
	}
}

/* The name is hashed only where the identity is new. */
static void add(struct name_scan *scan, uint64_t identity, uint8_t kind, uint64_t die, const char *name)
{
	if (2 * scan->count >= scan->slot_count)
		grow_slots(scan);

	size_t mask = scan->slot_count - 1, slot = slot_of(identity, mask);

	for (; scan->slots[slot]; slot = (slot + 1) & mask)
		if (scan->slots[slot] == identity)
			return;
	if (!*name || scan->count >= UINT32_MAX - 1)
		return;
	array_reserve(scan->names, scan->count, scan->capacity);
	scan->names[scan->count++] = (struct scanned_name){
		.identity = identity,
		.die = die,
		.hash = name_hash(name),
		.kind = kind,
	};
	scan->slots[slot] = identity;
}

/* ---- DIEs ---- */

/* What tells the definitions of one name apart: of types their size and their line, of others whether they
 * are declarations. */
static uint64_t shape_of_type(uint64_t size, uint64_t line)
{
	return size << 32 ^ line;
}

/* `name`: of equal names equal. Never 0. */
static uint64_t identity_of(const struct pass *pass, uint64_t name, uint8_t kind, uint64_t shape)
{
	return hash_combine(name, hash_mix(shape) + ((uint64_t)pass->unit.file->index << 8 | kind)) | 1;
}

struct named {
	const struct plan *plan; /* of the DIE that has the names */
	const struct plan_values *values;
};

static void add_text(struct name_scan *names, const struct pass *pass, const struct pass_die *die,
		     const struct plan_values *values, struct named in, enum plan_field field)
{
	if (!plan_has(in.plan, field))
		return;

	uint8_t kind = die->plan->kind;
	uint64_t shape = is_type(kind)
				 ? shape_of_type(values->value[FIELD_BYTE_SIZE], values->value[FIELD_LINE])
				 : values->value[FIELD_DECLARATION];
	struct pass_text text =
		pass_text(pass, in.plan, field, in.values->value[field], in.values->bytes[field]);

	if (text.string)
		add(names, identity_of(pass, text.key, kind, shape), kind,
		    unit_reference(&pass->unit, die->offset), text.string);
}

/* What the values of the DIE itself say of a name that others may see. */
static bool is_visible(uint8_t kind, uint64_t declaration, uint64_t external)
{
	return is_type(kind) ? !declaration : external != 0;
}

/* Nearly all names: in .debug_str, and in a DIE of a fixed size. False: it is another one. */
static bool take_plain_name(struct name_scan *names, const struct pass *pass, const struct pass_die *die)
{
	const struct plan *plan = die->plan;
	const uint8_t *at = die->attributes;
	const struct dwarf_section_data *strings = &pass->unit.file->sections.section[SECTION_STR];
	uint64_t declaration, shape, string;

	if (!plan->plain || !pass_is_fixed(pass, die))
		return false;
	declaration = plan_value(plan, FIELD_DECLARATION, at);
	if (!is_visible(plan->kind, declaration, plan_value(plan, FIELD_EXTERNAL, at)))
		return true;
	shape = is_type(plan->kind) ? shape_of_type(plan_value(plan, FIELD_BYTE_SIZE, at),
						    plan_value(plan, FIELD_LINE, at))
				    : declaration;
	string = plan_value(plan, FIELD_NAME, at);
	if (string < strings->size)
		add(names, identity_of(pass, string, plan->kind, shape), plan->kind,
		    unit_reference(&pass->unit, die->offset), (const char *)strings->data + string);
	return true;
}

static void take_name(struct name_scan *names, const struct pass *pass, const struct pass_die *die)
{
	struct plan_values values, specified_values;
	struct pass_die specified;
	struct named in = { die->plan, &values };

	if (!pass_values(pass, die, &values))
		return;
	if (plan_has(die->plan, FIELD_SPECIFICATION) && !plan_has(die->plan, FIELD_NAME)) {
		if (!pass_die_at(pass, pass->unit.offset + values.value[FIELD_SPECIFICATION], &specified) ||
		    !pass_values(pass, &specified, &specified_values))
			return;
		in = (struct named){ specified.plan, &specified_values };
	}
	if (!is_visible(die->plan->kind, values.value[FIELD_DECLARATION],
			values.value[FIELD_EXTERNAL] | in.values->value[FIELD_EXTERNAL]))
		return;
	add_text(names, pass, die, &values, in, FIELD_NAME);
	add_text(names, pass, die, &values, in, FIELD_LINKAGE_NAME);
}

bool scan_names(struct pass *pass, const struct unit *unit, struct name_scan *names)
{
	struct pass_die die;

	if (!pass_start(pass, unit, choose_names))
		return false;
	while (pass_next(pass, &die))
		if (!take_plain_name(names, pass, &die))
			take_name(names, pass, &die);
	return true;
}

void name_scan_deinit(struct name_scan *scan)
{
	free(scan->names);
	free(scan->slots);
	*scan = (struct name_scan){ 0 };
}
