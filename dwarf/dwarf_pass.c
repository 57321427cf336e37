// SPDX-License-Identifier: GPL-2.0-or-later
/* A quick pass over the DIEs of a C unit: see dwarf_pass.h. */
#include "dwarf/dwarf_pass.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf_die.h"
#include "dwarf/function.h"
#include "profiler/base/hash.h"

/* Children nested deeper are not followed. */
#define NESTING_MAX 256

/* ---- units ---- */

/* The unit as it is without being prepared: what that reads stays, and is not needed for a look alone. */
static struct unit copy_of(const struct unit *unit)
{
	return (struct unit){
		.file = unit->file,
		.offset = unit->offset,
		.end = unit->end,
		.first_die = unit->first_die,
		.abbrev_offset = unit->abbrev_offset,
		.version = unit->version,
		.kind = unit->kind,
		.address_size = unit->address_size,
		.offset_size = unit->offset_size,
	};
}

/* The root says whether the names of the unit are those of its file level. Moves to its first child. */
static bool pass_root(struct pass *pass)
{
	const struct dwarf_section_data *strings = &pass->unit.file->sections.section[SECTION_STR];
	struct plan_values values = { 0 };
	struct pass_die root;

	if (!pass_die_at(pass, pass->unit.first_die, &root) || root.plan->tag != DW_TAG_compile_unit ||
	    !pass->plans.steps[root.plan - pass->plans.plans].has_children ||
	    plan_has(root.plan, FIELD_DWO_NAME) || !plan_has(root.plan, FIELD_LANGUAGE) || !strings->size ||
	    strings->data[strings->size - 1])
		return false;
	pass->at = plan_walk(&pass->plans, root.plan, root.attributes, pass->end, &values);
	pass->unit.str_offsets_base = values.value[FIELD_STR_OFFSETS_BASE];
	pass->unit.addr_base = values.value[FIELD_ADDR_BASE];
	pass->unit.addr_sections = &pass->unit.file->sections;
	return pass->at && unit_language(values.value[FIELD_LANGUAGE]) == LANGUAGE_C;
}

bool pass_start(struct pass *pass, const struct unit *unit, pass_choice choose)
{
	const struct dwarf_section_data *abbrevs = &unit->file->sections.section[SECTION_ABBREV];
	const struct dwarf_section_data *section = unit_section(unit);

	if (unit->broken || unit->in_types || unit->type_die || unit->abbrev_offset >= abbrevs->size)
		return false;
	pass->unit = copy_of(unit);
	pass->section = section->data;
	pass->section_end = section->data + section->size;
	pass->end = section->data + unit->end;
	pass->depth = 0;
	if (!plan_table_read(&pass->plans, &pass->unit) || !pass_root(pass))
		return false;
	pass->short_codes = pass->plans.count < 0x7f ? pass->plans.count : 0x7f;
	for (size_t i = 0; i < pass->plans.count; i++) {
		struct plan_step *step = &pass->plans.steps[i];

		choose(&pass->plans, &pass->plans.plans[i], step);
		step->simple =
			step->size >= 0 && (!step->has_children || (step->sibling >= 0 && !step->within));
	}
	return true;
}

void pass_deinit(struct pass *pass)
{
	plan_table_deinit(&pass->plans);
}

/* ---- moving ---- */

/* Where a step from a DIE leads to. */
struct landing {
	const uint8_t *at; /* behind its attributes; NULL: they cannot be read */
	bool inside;       /* that is its first child; else it has none, or they are passed */
};

/* `at`: the attributes of a DIE of the plan. Where it tells its sibling its children are passed. */
static inline struct landing step_over(const struct pass *pass, size_t index, const uint8_t *at, bool within)
{
	const struct plan_step *step = &pass->plans.steps[index];
	const struct plan *plan = &pass->plans.plans[index];
	bool asks = step->has_children && !within && plan_has(plan, FIELD_SIBLING);
	uint64_t offset = pass->unit.offset;
	struct plan_values values;
	const uint8_t *behind;
	uint32_t word;

	if (step->size >= 0 && (!asks || step->sibling >= 0)) {
		behind = step->size <= pass->end - at ? at + step->size : NULL;
		if (behind && asks) {
			memcpy(&word, at + step->sibling, sizeof(word));
			offset += word;
		}
	} else {
		behind = plan_walk(&pass->plans, plan, at, pass->end, asks ? &values : NULL);
		if (behind && asks)
			offset += values.value[FIELD_SIBLING];
	}
	if (!behind || !asks)
		return (struct landing){ behind, step->has_children };
	if (offset > (uint64_t)(at - pass->section) && offset < pass->unit.end)
		return (struct landing){ pass->section + offset, false };
	return (struct landing){ behind, true };
}

/* Behind all children, of which the first is at `at`; NULL: they cannot be read. */
static const uint8_t *skip_children(const struct pass *pass, const uint8_t *at)
{
	for (size_t depth = 1; depth;) {
		struct uleb code = uleb_read(at, pass->end);
		struct landing landing;

		at = code.next;
		if (!code.value && at < pass->end) {
			depth--;
			continue;
		}
		if (code.value - 1 >= pass->plans.count)
			return NULL;
		landing = step_over(pass, code.value - 1, at, false);
		at = landing.at;
		if (!at || depth >= NESTING_MAX)
			return NULL;
		depth += landing.inside;
	}
	return at;
}

bool pass_step(struct pass *pass, struct pass_die *die)
{
	const uint8_t *at = pass->at, *end = pass->end;

	pass->at = end;
	while (at && at < end) {
		const uint8_t *start = at;
		struct uleb code = uleb_read(at, end);
		size_t index = code.value - 1;
		struct landing landing;

		at = code.next;
		if (!code.value && pass->depth) {
			pass->depth--;
			continue;
		}
		if (index >= pass->plans.count)
			break;
		landing = step_over(pass, index, at, pass->plans.steps[index].within);
		if (!landing.at)
			break;
		if (landing.inside && pass->plans.steps[index].within)
			pass->depth++;
		else if (landing.inside)
			landing.at = skip_children(pass, landing.at);
		*die = (struct pass_die){ &pass->plans.plans[index], code.next,
					  (uint64_t)(start - pass->section) };
		pass->at = landing.at ? landing.at : end;
		return true;
	}
	return false;
}

/* ---- a DIE ---- */

bool pass_die_at(const struct pass *pass, uint64_t offset, struct pass_die *die)
{
	if (offset < pass->unit.first_die || offset >= pass->unit.end)
		return false;

	struct uleb code = uleb_read(pass->section + offset, pass->end);

	if (code.value - 1 >= pass->plans.count)
		return false;
	*die = (struct pass_die){ &pass->plans.plans[code.value - 1], code.next, offset };
	return true;
}

bool pass_values(const struct pass *pass, const struct pass_die *die, struct plan_values *values)
{
	*values = (struct plan_values){ 0 };
	return plan_walk(&pass->plans, die->plan, die->attributes, pass->end, values);
}

static struct pass_text text_at(const struct pass *pass, uint64_t offset)
{
	const struct dwarf_section_data *section = &pass->unit.file->sections.section[SECTION_STR];

	/* each string is there once; the section ends in NUL, and so ends all of them */
	if (offset >= section->size)
		return (struct pass_text){ 0 };
	return (struct pass_text){ (const char *)section->data + offset, offset };
}

struct pass_text pass_text(const struct pass *pass, const struct plan *plan, enum plan_field field,
			   uint64_t value, const uint8_t *bytes)
{
	const struct dwarf_section_data *offsets = &pass->unit.file->sections.section[SECTION_STR_OFFSETS];
	const char *string = (const char *)bytes;
	struct cursor cursor;

	switch (plan_attribute(&pass->plans, plan, field)->form) {
	case DW_FORM_strp: return text_at(pass, value);
	case DW_FORM_string:
		return (struct pass_text){ string, hash_bytes(string, strlen(string)) | UINT64_C(1) << 63 };
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		cursor = bytes_cursor(offsets->data, offsets->size);
		cursor_skip(&cursor, pass->unit.str_offsets_base);
		cursor_skip(&cursor, value * pass->unit.offset_size);
		return text_at(pass, cursor_word(&cursor, pass->unit.offset_size));
	}
	return (struct pass_text){ 0 };
}
