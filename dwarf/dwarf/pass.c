// SPDX-License-Identifier: GPL-2.0-or-later
/* Quick passes over the DIEs of C units: see pass.h. */
#include "dwarf/dwarf/pass.h"

#include <dwarf.h>

#include "dwarf/types/function.h"
#include "base/memory.h"

/* ---- units ---- */

/* Returns a copy of the unit that is not prepared. The pass does not need what unit_prepare()
 * reads, and in the unit itself it would stay in memory. If the unit has its abbreviations already,
 * the copy shares them. */
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
		.abbreviations = __atomic_load_n(&unit->abbreviations, __ATOMIC_ACQUIRE),
	};
}

static void leave_unit(struct pass *pass)
{
	if (pass->owns_abbreviations)
		unit_abbreviations_destroy(&pass->unit);
	pass->owns_abbreviations = false;
}

/* Moves to the first child of the root. False: names may be outside of the file scope. */
static bool pass_root(struct pass *pass)
{
	const struct dwarf_section_data *strings = &pass->unit.file->sections.section[SECTION_STR];
	struct cursor cursor = unit_cursor(&pass->unit, pass->unit.first_die);
	uint64_t language;
	struct die root;

	if (!die_read(&pass->unit, &cursor, &root) || root.tag != DW_TAG_compile_unit ||
	    !root.has_children || die_has(&root, SLOT_DWO_NAME) ||
	    !die_unsigned(&root, SLOT_LANGUAGE, &language) || !strings->size ||
	    strings->data[strings->size - 1])
		return false;
	pass->at = pass->section + cursor.position;
	die_section_offset(&root, SLOT_STR_OFFSETS_BASE, &pass->unit.str_offsets_base);
	die_section_offset(&root, SLOT_ADDR_BASE, &pass->unit.addr_base);
	language = unit_language(language);
	return language == LANGUAGE_C || language == LANGUAGE_ASSEMBLER;
}

bool pass_start(struct pass *pass, const struct unit *unit, pass_choice choose)
{
	const struct dwarf_section_data *section = unit_section(unit);

	leave_unit(pass);
	if (unit->broken || unit->in_types || unit->type_die)
		return false;
	pass->unit = copy_of(unit);
	pass->owns_abbreviations = !pass->unit.abbreviations;
	pass->section = section->data;
	pass->end = section->data + unit->end;
	pass->depth = 0;
	pass->choose = choose;
	pass->count = unit_abbreviations_in_order(&pass->unit);
	if (pass->count > pass->capacity) {
		pass->capacity = pass->count;
		pass->steps = xrealloc_array(pass->steps, pass->capacity, sizeof(*pass->steps));
	}
	if (!pass->count || !pass_root(pass))
		return false;
	memset(pass->steps, 0, pass->count * sizeof(*pass->steps));
	pass->short_codes = pass->count < 0x7f ? pass->count : 0x7f;
	return true;
}

void pass_deinit(struct pass *pass)
{
	leave_unit(pass);
	free(pass->steps);
	*pass = (struct pass){ 0 };
}

/* ---- moving ---- */

/* Returns the step over DIEs with this abbreviation code, or NULL if there are none. */
static const struct pass_step *step_of(struct pass *pass, uint64_t code)
{
	if (code - 1 >= pass->count)
		return NULL;

	struct pass_step *step = &pass->steps[code - 1];

	if (step->layout)
		return step;

	const struct die_layout *layout = unit_layout(&pass->unit, code);
	const struct layout_step *sibling = &layout->steps[layout->step_of[SLOT_SIBLING]];
	bool known = layout->size >= 0 && layout_has(layout, SLOT_SIBLING) &&
		     sibling->form == DW_FORM_ref4;

	*step = (struct pass_step){
		.layout = layout,
		.size = layout->size,
		.sibling = known ? (int16_t)sibling->at : -1,
		.has_children = layout->has_children,
	};
	pass->choose(step);
	step->simple =
		step->size >= 0 && (!step->has_children || (step->sibling >= 0 && !step->within));
	return step;
}

/* Returns the position that four bytes refer to, or NULL if it is not after `at` in the unit. */
static const uint8_t *sibling_at(const struct pass *pass, const uint8_t *at, const uint8_t *bytes)
{
	uint32_t word;
	uint64_t sibling;

	memcpy(&word, bytes, sizeof(word));
	sibling = pass->unit.offset + word;
	return sibling > (uint64_t)(at - pass->section) && sibling < pass->unit.end
		       ? pass->section + sibling
		       : NULL;
}

/* Like step_over(), for a DIE with one value of varying size, which it reads; or NULL. */
static const uint8_t *step_over_varying(const struct pass *pass, const struct pass_die *from)
{
	const struct pass_step *step = from->step;
	const struct die_layout *layout = step->layout;
	const uint8_t *end;

	if (!layout->varying_form ||
	    (step->has_children && !step->within && !layout->sibling_from_end))
		return NULL;
	end = layout_end(layout, from->attributes, pass->end);
	if (!end || step->within || !step->has_children)
		return end;
	return sibling_at(pass, end, end - layout->sibling_from_end);
}

/* Returns where the pass goes on after the DIE: at its first child if the pass looks into its
 * children, else after its children. NULL: it cannot be read. */
static const uint8_t *step_over(struct pass *pass, const struct pass_die *from)
{
	const struct pass_step *step = from->step;
	const uint8_t *next;
	struct cursor cursor;
	struct die die;

	if (step->within && step->has_children)
		pass->depth++;
	if (step->size >= 0 && (step->within || !step->has_children))
		return step->size <= pass->end - from->attributes ? from->attributes + step->size
								  : NULL;
	next = step_over_varying(pass, from);
	if (next)
		return next;
	if (!pass_read(&pass->unit, from, &die))
		return NULL;
	cursor = unit_cursor(&pass->unit, die.next);
	if (!step->within)
		die_skip_children(&die, &cursor);
	return cursor.failed ? pass->end : pass->section + cursor.position;
}

bool pass_step(struct pass *pass, struct pass_die *die)
{
	const uint8_t *at = pass->at, *end = pass->end;

	pass->at = end;
	while (at < end) {
		struct uleb code = uleb_read(at, end);
		const uint8_t *next;

		if (!code.value && pass->depth) {
			pass->depth--;
			at = code.next;
			continue;
		}
		*die = (struct pass_die){ step_of(pass, code.value), code.next,
					  (uint64_t)(at - pass->section) };
		next = die->step ? step_over(pass, die) : NULL;
		pass->at = next ?: end;
		return next;
	}
	return false;
}
