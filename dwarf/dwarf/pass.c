// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans of abbreviations, and passes over units by them. Forms: DWARF 5, section 7.5.6. */
#include "dwarf/dwarf/pass.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/types/function.h"
#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

/* ---- plans ---- */

#define NAMES 256

/* enum plan_field + 1 by DW_AT_*; 0: none */
static const uint8_t fields[NAMES] = {
	[DW_AT_sibling] = FIELD_SIBLING + 1,
	[DW_AT_name] = FIELD_NAME + 1,
	[DW_AT_linkage_name] = FIELD_LINKAGE_NAME + 1,
	[DW_AT_byte_size] = FIELD_BYTE_SIZE + 1,
	[DW_AT_decl_line] = FIELD_LINE + 1,
	[DW_AT_specification] = FIELD_SPECIFICATION + 1,
	[DW_AT_type] = FIELD_TYPE + 1,
	[DW_AT_external] = FIELD_EXTERNAL + 1,
	[DW_AT_declaration] = FIELD_DECLARATION + 1,
	[DW_AT_location] = FIELD_LOCATION + 1,
	[DW_AT_low_pc] = FIELD_CODE + 1,
	[DW_AT_ranges] = FIELD_CODE + 1,
	[DW_AT_language] = FIELD_LANGUAGE + 1,
	[DW_AT_str_offsets_base] = FIELD_STR_OFFSETS_BASE + 1,
	[DW_AT_addr_base] = FIELD_ADDR_BASE + 1,
	[DW_AT_dwo_name] = FIELD_DWO_NAME + 1,
};

static uint8_t field_of(uint64_t name)
{
	if (name < NAMES)
		return (uint8_t)(fields[name] - 1);
	switch (name) {
	case DW_AT_MIPS_linkage_name: return FIELD_LINKAGE_NAME;
	case DW_AT_GNU_addr_base: return FIELD_ADDR_BASE;
	case DW_AT_GNU_dwo_name: return FIELD_DWO_NAME;
	}
	return FIELD_NONE;
}

static void forget_plans(struct plan_table *table)
{
	hash_map_clear(&table->known_by_bytes);
	table->known_count = table->known_attributes = 0;
}

/* Computes the sizes of forms. The units of a file mostly have the same, so this is done once. */
static void find_form_sizes(struct plan_table *table, const struct unit *unit)
{
	if (table->version == unit->version && table->offset_size == unit->offset_size &&
	    table->address_size == unit->address_size)
		return;
	forget_plans(table);
	table->version = unit->version;
	table->offset_size = unit->offset_size;
	table->address_size = unit->address_size;
	for (unsigned int form = 0; form < PLAN_FORMS; form++)
		table->form_size[form] = (int8_t)form_fixed_size(
			form, unit->version, unit->offset_size, unit->address_size);
}

static int size_of_form(const struct plan_table *table, uint64_t form)
{
	return form < PLAN_FORMS ? table->form_size[form]
				 : form_fixed_size((unsigned int)form, table->version,
						   table->offset_size, table->address_size);
}

static void add_field(struct plan *plan, const struct plan_attribute *attribute, uint64_t offset)
{
	uint8_t field = attribute->field;

	plan->fields |= (uint16_t)(1u << field);
	plan->number[field] = plan->count;
	if (field >= FIELDS_PLACED)
		return;
	plan->at[field] = (uint16_t)offset;
	plan->width[field] = (uint32_t)attribute->size < 8 ? (uint8_t)attribute->size : 8;
	if (field < FIELDS_CONSTANT)
		plan->constant[field] = attribute->size ? 0 : attribute->constant;
}

static inline void add_attribute(struct plan_table *table, struct plan *plan,
				 struct plan_attribute attribute)
{
	array_reserve(table->attributes, table->attribute_count, table->attribute_capacity);
	table->attributes[table->attribute_count++] = attribute;
	plan->count++;
}

/* A larger size counts as varying. */
#define FIXED_SIZE INT16_MAX

/* Reads the attributes of an abbreviation. */
static void read_attributes(struct plan_table *table, const uint8_t *at, struct plan *plan)
{
	uint64_t total = 0, skipped = 0;

	plan->first = (uint32_t)table->attribute_count;
	for (;;) {
		uint64_t name, form, constant = 1;

		/* nearly all numbers are of one byte */
		if (table->end - at >= 4 && !((at[0] | at[1] | at[2]) & 0x80)) {
			name = at[0];
			form = at[1];
			at += 2;
			if (form == DW_FORM_implicit_const)
				constant = *at++;
		} else {
			struct attribute_form attribute = attribute_form_read(at, table->end);

			name = attribute.name;
			form = attribute.form;
			at = attribute.next;
			if (form == DW_FORM_implicit_const)
				constant = uleb_read(attribute.constant, table->end)
						   .value; /* its sign does not matter */
		}

		bool is_last = !(name | form);
		int size = size_of_form(table, form);
		uint8_t field = field_of(name);

		if (field == FIELD_NONE && size >= 0 && !is_last) {
			total += (uint64_t)size;
			skipped += (uint64_t)size;
			continue;
		}
		if (skipped)
			add_attribute(table, plan,
				      (struct plan_attribute){ .field = FIELD_NONE,
							       .size = (int32_t)skipped });
		skipped = 0;
		if (is_last)
			break;

		struct plan_attribute attribute = {
			.form = (uint16_t)form,
			.field = field,
			.size = size,
			.constant = (uint32_t)constant,
		};

		if (field != FIELD_NONE)
			add_field(plan, &attribute, total);
		add_attribute(table, plan, attribute);
		total += size < 0 ? FIXED_SIZE + 1 : (uint64_t)size;
	}
	plan->size = total > FIXED_SIZE ? -1 : (int16_t)total;
}

static struct plan_step step_of(const struct plan *plan, bool has_children)
{
	bool known =
		plan->size >= 0 && plan_has(plan, FIELD_SIBLING) && plan->width[FIELD_SIBLING] == 4;

	return (struct plan_step){
		.size = plan->size,
		.sibling = known ? (int16_t)plan->at[FIELD_SIBLING] : -1,
		.has_children = has_children,
	};
}

/* Enough for most units. */
#define FIRST_PLANS 128

static void add_room(struct plan_table *table)
{
	table->capacity = table->capacity ? 2 * table->capacity : FIRST_PLANS;
	table->plans = xrealloc_array(table->plans, table->capacity, sizeof(*table->plans));
	table->steps = xrealloc_array(table->steps, table->capacity, sizeof(*table->steps));
	table->tags = xrealloc_array(table->tags, table->capacity, sizeof(*table->tags));
	table->sizes = xrealloc_array(table->sizes, table->capacity, sizeof(*table->sizes));
}

/* The most bytes of an abbreviation, whose attributes have two at least, so that a plan can count
 * them. */
#define ABBREVIATION_SIZE_MAX (2 * UINT8_MAX)

/* Finds the unit's abbreviations. The table's memory is used again. False: they cannot be read, or
 * are not numbered from 1. */
static bool plan_table_read(struct plan_table *table, const struct unit *unit)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_ABBREV];
	const uint8_t *at = section->data + unit->abbrev_offset, *next;
	struct abbreviation abbreviation;

	find_form_sizes(table, unit);
	table->end = section->data + section->size;
	table->count = 0;
	table->attribute_count = table->known_attributes;
	while ((next = abbreviation_read(at, table->end, &abbreviation))) {
		if (abbreviation.code != table->count + 1 || next - at > ABBREVIATION_SIZE_MAX)
			return false;
		if (table->count >= table->capacity)
			add_room(table);
		table->tags[table->count] = abbreviation.at;
		table->sizes[table->count] = (uint16_t)(next - abbreviation.at);
		table->plans[table->count].built = false;
		table->steps[table->count++].simple = false;
		at = next;
	}
	return at < table->end && !*at;
}

/* Makes the plan of a DIE and the step over it, and has the pass choose. */
static void make_plan(struct pass *pass, size_t index)
{
	struct plan_table *table = &pass->plans;
	struct plan *plan = &table->plans[index];
	struct plan_step *step = &table->steps[index];
	struct uleb tag = uleb_read(table->tags[index], table->end);

	*plan = (struct plan){
		.tag = tag.value > UINT16_MAX ? 0 : (uint16_t)tag.value,
		.built = true,
	};
	read_attributes(table, tag.next + 1, plan);
	*step = step_of(plan, *tag.next == DW_CHILDREN_yes);
	pass->choose(table, plan, step);
	step->simple =
		step->size >= 0 && (!step->has_children || (step->sibling >= 0 && !step->within));
}

/* The most plans that are kept. The 2,172 units of a kernel have about 2,900 different ones. */
#define KNOWN_PLANS_MAX 8192

/* Finds or makes the plan of a DIE and the step over it, unless that was done before. */
static void build_plan(struct pass *pass, size_t index)
{
	struct plan_table *table = &pass->plans;

	if (table->plans[index].built)
		return;

	const uint8_t *tag = table->tags[index];
	size_t size = table->sizes[index];
	uint64_t hash = hash_bytes(tag, size);
	const uint32_t *number = hash_map_find(&table->known_by_bytes, hash);
	const struct known_plan *known = number ? &table->known[*number] : NULL;
	bool created;

	if (known && known->size == size && !memcmp(known->tag, tag, size)) {
		table->plans[index] = known->plan;
		table->steps[index] = known->step;
		return;
	}
	make_plan(pass, index);
	if (known || table->known_count >= KNOWN_PLANS_MAX)
		return;
	array_reserve(table->known, table->known_count, table->known_capacity);
	*hash_map_insert(&table->known_by_bytes, hash, &created) = (uint32_t)table->known_count;
	table->known[table->known_count++] =
		(struct known_plan){ tag, (uint16_t)size, table->plans[index],
				     table->steps[index] };
	table->known_attributes = table->attribute_count;
}

static void plan_table_deinit(struct plan_table *table)
{
	free(table->plans);
	free(table->steps);
	free(table->tags);
	free(table->sizes);
	free(table->attributes);
	free(table->known);
	hash_map_deinit(&table->known_by_bytes);
	*table = (struct plan_table){ 0 };
}

static uint64_t word_at(const uint8_t *at, int size)
{
	uint64_t value = 0;

	memcpy(&value, at, size < 8 ? (size_t)size : 8);
	return value;
}

const uint8_t *plan_walk(const struct plan_table *table, const struct plan *plan, const uint8_t *at,
			 const uint8_t *end, struct plan_values *values)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct plan_attribute *attribute = &table->attributes[plan->first + i];
		uint64_t length = (uint64_t)attribute->size;

		if (attribute->size < 0 && attribute->form == DW_FORM_exprloc && at < end &&
		    !(*at & 0x80)) {
			length = *at++; /* the usual one */
		} else if (attribute->size < 0) {
			struct form_extent value = form_extent(attribute->form, at, end);

			length = value.length;
			at = value.at;
		}
		if (!at || length > (uint64_t)(end - at))
			return NULL;
		if (values && attribute->field != FIELD_NONE) {
			values->value[attribute->field] = attribute->size < 0 ? length
							  : attribute->size > 0
								  ? word_at(at, attribute->size)
								  : attribute->constant;
			values->bytes[attribute->field] = attribute->size < 0 ? at : NULL;
		}
		at += length;
	}
	return at;
}

/* Deeper children end the pass. */
#define NESTING_MAX 256

/* ---- units ---- */

/* Returns a copy that is not prepared: what unit_prepare() reads would stay, and the pass does not
 * need it. */
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

/* Moves to the first child of the root. False: the root says that names may be outside of the file
 * scope. */
static bool pass_root(struct pass *pass)
{
	const struct dwarf_section_data *strings = &pass->unit.file->sections.section[SECTION_STR];
	struct plan_values values = { 0 };
	struct pass_die root;

	if (!pass_die_at(pass, pass->unit.first_die, &root) ||
	    root.plan->tag != DW_TAG_compile_unit ||
	    !pass->plans.steps[root.plan - pass->plans.plans].has_children ||
	    plan_has(root.plan, FIELD_DWO_NAME) || !plan_has(root.plan, FIELD_LANGUAGE) ||
	    !strings->size || strings->data[strings->size - 1])
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

	if (unit->broken || unit->in_types || unit->type_die ||
	    unit->abbrev_offset >= abbrevs->size)
		return false;
	pass->unit = copy_of(unit);
	pass->section = section->data;
	pass->section_end = section->data + section->size;
	pass->end = section->data + unit->end;
	pass->depth = 0;
	if (pass->choose != choose)
		forget_plans(&pass->plans);
	pass->choose = choose;
	if (!plan_table_read(&pass->plans, &pass->unit) || !pass_root(pass))
		return false;
	pass->short_codes = pass->plans.count < 0x7f ? pass->plans.count : 0x7f;
	return true;
}

void pass_deinit(struct pass *pass)
{
	plan_table_deinit(&pass->plans);
}

/* ---- moving ---- */

/* The end of a step from a DIE. */
struct step_end {
	const uint8_t *at; /* NULL: the DIE cannot be read */
	bool inside;       /* `at` is the first child; else there is none, or all were passed */
};

/*
 * Steps over the DIE whose attributes are at `at`, and over its children if it has DW_AT_sibling.
 */
static inline struct step_end step_over(struct pass *pass, size_t index, const uint8_t *at,
					bool within)
{
	const struct plan_step *step = &pass->plans.steps[index];
	const struct plan *plan = &pass->plans.plans[index];
	bool asks = step->has_children && !within && plan_has(plan, FIELD_SIBLING);
	uint64_t offset = pass->unit.offset;
	struct plan_values values;
	const uint8_t *next;
	uint32_t word;

	if (step->size >= 0 && (!asks || step->sibling >= 0)) {
		next = step->size <= pass->end - at ? at + step->size : NULL;
		if (next && asks) {
			memcpy(&word, at + step->sibling, sizeof(word));
			offset += word;
		}
	} else {
		next = plan_walk(&pass->plans, plan, at, pass->end, asks ? &values : NULL);
		if (next && asks)
			offset += values.value[FIELD_SIBLING];
	}
	if (!next || !asks)
		return (struct step_end){ next, step->has_children };
	if (offset > (uint64_t)(at - pass->section) && offset < pass->unit.end)
		return (struct step_end){ pass->section + offset, false };
	return (struct step_end){ next, true };
}

/*
 * Returns the end of all children, the first of which is at `at`, or NULL if they cannot be read.
 */
static const uint8_t *skip_children(struct pass *pass, const uint8_t *at)
{
	for (size_t depth = 1; depth;) {
		struct uleb code = uleb_read(at, pass->end);
		struct step_end reached;

		at = code.next;
		if (!code.value && at < pass->end) {
			depth--;
			continue;
		}
		if (code.value - 1 >= pass->plans.count)
			return NULL;
		build_plan(pass, code.value - 1);
		reached = step_over(pass, code.value - 1, at, false);
		at = reached.at;
		if (!at || depth >= NESTING_MAX)
			return NULL;
		depth += reached.inside;
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
		struct step_end reached;

		at = code.next;
		if (!code.value && pass->depth) {
			pass->depth--;
			continue;
		}
		if (index >= pass->plans.count)
			break;
		build_plan(pass, index);
		reached = step_over(pass, index, at, pass->plans.steps[index].within);
		if (!reached.at)
			break;
		if (reached.inside && pass->plans.steps[index].within)
			pass->depth++;
		else if (reached.inside)
			reached.at = skip_children(pass, reached.at);
		*die = (struct pass_die){ &pass->plans.plans[index], code.next,
					  (uint64_t)(start - pass->section) };
		pass->at = reached.at ? reached.at : end;
		return true;
	}
	return false;
}

/* ---- a DIE ---- */

bool pass_die_at(struct pass *pass, uint64_t offset, struct pass_die *die)
{
	if (offset < pass->unit.first_die || offset >= pass->unit.end)
		return false;

	struct uleb code = uleb_read(pass->section + offset, pass->end);

	if (code.value - 1 >= pass->plans.count)
		return false;
	build_plan(pass, code.value - 1);
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

	/* each string is there once, so its offset is its key; the NUL at the section's end ends
	 * all */
	if (offset >= section->size)
		return (struct pass_text){ 0 };
	return (struct pass_text){ (const char *)section->data + offset, offset };
}

struct pass_text pass_text(const struct pass *pass, const struct plan *plan, enum plan_field field,
			   uint64_t value, const uint8_t *bytes)
{
	const struct dwarf_section_data *offsets =
		&pass->unit.file->sections.section[SECTION_STR_OFFSETS];
	const char *string = (const char *)bytes;
	struct cursor cursor;

	switch (plan_attribute(&pass->plans, plan, field)->form) {
	case DW_FORM_strp: return text_at(pass, value);
	case DW_FORM_string:
		return (struct pass_text){ string,
					   hash_bytes(string, strlen(string)) | UINT64_C(1) << 63 };
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		cursor = cursor_of(offsets->data, offsets->size, false);
		cursor_skip(&cursor, pass->unit.str_offsets_base);
		cursor_skip(&cursor, value * pass->unit.offset_size);
		return text_at(pass, cursor_word(&cursor, pass->unit.offset_size));
	}
	return (struct pass_text){ 0 };
}
