// SPDX-License-Identifier: GPL-2.0-or-later
/* Abbreviations for a quick pass: see dwarf_plan.h. Forms: DWARF 5, section 7.5.6. */
#include "dwarf/dwarf_plan.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"

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

/* What units of one file have in common is found out once. */
static void find_form_sizes(struct plan_table *table, const struct unit *unit)
{
	if (table->version == unit->version && table->offset_size == unit->offset_size &&
	    table->address_size == unit->address_size)
		return;
	table->version = unit->version;
	table->offset_size = unit->offset_size;
	table->address_size = unit->address_size;
	for (unsigned int form = 0; form < PLAN_FORMS; form++)
		table->form_size[form] =
			(int8_t)form_fixed_size(form, unit->version, unit->offset_size, unit->address_size);
}

static int size_of_form(const struct plan_table *table, uint64_t form)
{
	return form < PLAN_FORMS ? table->form_size[form]
				 : form_fixed_size((unsigned int)form, table->version, table->offset_size,
						   table->address_size);
}

/* One attribute of an abbreviation. */
struct specification {
	uint64_t name, form;
	uint64_t constant;
	const uint8_t *next; /* NULL: it cannot be read */
};

static struct specification read_specification(const uint8_t *at, const uint8_t *end)
{
	struct uleb name = uleb_read(at, end), form = uleb_read(name.next, end), constant = { 1, form.next };

	if (form.value == DW_FORM_implicit_const)
		constant = uleb_read(form.next, end); /* its sign does not matter here */
	return (struct specification){ name.value, form.value, constant.value,
				       constant.next < end ? constant.next : NULL };
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

/* False: there are more than are counted. */
static inline bool add_attribute(struct plan_table *table, struct plan *plan, struct plan_attribute attribute)
{
	array_reserve(table->attributes, table->attribute_count, table->attribute_capacity);
	table->attributes[table->attribute_count++] = attribute;
	return plan->count++ < UINT8_MAX;
}

/* More than this, or not the same for all DIEs, are no fixed size. */
#define FIXED_SIZE INT16_MAX

/* The end of the abbreviation; NULL: it cannot be read. */
static const uint8_t *read_attributes(struct plan_table *table, const uint8_t *at, const uint8_t *end,
				      struct plan *plan)
{
	uint64_t total = 0, skipped = 0;

	plan->first = (uint32_t)table->attribute_count;
	for (;;) {
		uint64_t name, form, constant = 1;

		/* nearly all numbers are of one byte */
		if (end - at >= 4 && !((at[0] | at[1] | at[2]) & 0x80)) {
			name = at[0];
			form = at[1];
			at += 2;
			if (form == DW_FORM_implicit_const)
				constant = *at++;
		} else {
			struct specification specification = read_specification(at, end);

			name = specification.name;
			form = specification.form;
			constant = specification.constant;
			at = specification.next;
			if (!at || form > UINT16_MAX)
				return NULL;
		}

		bool is_last = !(name | form);
		int size = size_of_form(table, form);
		uint8_t field = field_of(name);

		if (field == FIELD_NONE && size >= 0 && !is_last) {
			total += (uint64_t)size;
			skipped += (uint64_t)size;
			continue;
		}
		if (skipped) {
			struct plan_attribute skip = { .field = FIELD_NONE, .size = (int32_t)skipped };

			if (skipped > INT32_MAX || !add_attribute(table, plan, skip))
				return NULL;
			skipped = 0;
		}
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
		if (!add_attribute(table, plan, attribute))
			return NULL;
		total += size < 0 ? FIXED_SIZE + 1 : (uint64_t)size;
	}
	plan->size = total > FIXED_SIZE ? -1 : (int16_t)total;
	return at;
}

static struct plan_step step_of(const struct plan *plan, bool has_children)
{
	bool known = plan->size >= 0 && plan_has(plan, FIELD_SIBLING) && plan->width[FIELD_SIBLING] == 4;

	return (struct plan_step){
		.size = plan->size,
		.sibling = known ? (int16_t)plan->at[FIELD_SIBLING] : -1,
		.has_children = has_children,
	};
}

/* As many as most units have. */
#define FIRST_PLANS 128

static void add_room(struct plan_table *table)
{
	table->capacity = table->capacity ? 2 * table->capacity : FIRST_PLANS;
	table->plans = xrealloc_array(table->plans, table->capacity, sizeof(*table->plans));
	table->steps = xrealloc_array(table->steps, table->capacity, sizeof(*table->steps));
}

bool plan_table_read(struct plan_table *table, const struct unit *unit)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_ABBREV];
	const uint8_t *at = section->data + unit->abbrev_offset, *end = section->data + section->size;

	find_form_sizes(table, unit);
	table->count = table->attribute_count = 0;
	while (at < end) {
		struct uleb code = uleb_read(at, end);

		if (!code.value)
			return true;

		struct uleb tag = uleb_read(code.next, end);

		if (tag.next == end || code.value != table->count + 1)
			return false;
		if (table->count >= table->capacity)
			add_room(table);

		struct plan *plan = &table->plans[table->count];

		*plan = (struct plan){ .tag = tag.value > UINT16_MAX ? 0 : (uint16_t)tag.value };
		at = read_attributes(table, tag.next + 1, end, plan);
		if (!at)
			return false;
		table->steps[table->count++] = step_of(plan, *tag.next == DW_CHILDREN_yes);
	}
	return false;
}

void plan_table_deinit(struct plan_table *table)
{
	free(table->plans);
	free(table->steps);
	free(table->attributes);
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

		if (attribute->size < 0 && attribute->form == DW_FORM_exprloc && at < end && !(*at & 0x80)) {
			length = *at++; /* nearly all that tell it */
		} else if (attribute->size < 0) {
			struct form_extent value = form_extent(attribute->form, at, end);

			length = value.length;
			at = value.at;
		}
		if (!at || length > (uint64_t)(end - at))
			return NULL;
		if (values && attribute->field != FIELD_NONE) {
			values->value[attribute->field] = attribute->size < 0   ? length
							  : attribute->size > 0 ? word_at(at, attribute->size)
										: attribute->constant;
			values->bytes[attribute->field] = attribute->size < 0 ? at : NULL;
		}
		at += length;
	}
	return at;
}
