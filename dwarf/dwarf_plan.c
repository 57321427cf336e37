/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Abbreviations for a quick pass: see dwarf_plan.h. Forms: DWARF 5, section 7.5.6. */
#include "dwarf/dwarf_plan.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_abbrev.h"
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
	[DW_AT_external] = FIELD_EXTERNAL + 1,
	[DW_AT_declaration] = FIELD_DECLARATION + 1,
	[DW_AT_location] = FIELD_LOCATION + 1,
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

static bool read_attributes(struct plan_table *table, const uint8_t **at, const uint8_t *end,
			    struct plan *plan)
{
	uint32_t offset = 0;

	plan->first = (uint32_t)table->attribute_count;
	for (;;) {
		uint64_t name = plan_uleb(at, end), form = plan_uleb(at, end), constant = 1;

		if (form == DW_FORM_implicit_const)
			constant = plan_uleb(at, end); /* its sign does not matter here */
		if (*at == end || form > UINT16_MAX)
			return false;
		if (!name && !form)
			break;

		int size = size_of_form(table, form);
		uint8_t field = field_of(name);

		array_reserve(table->attributes, table->attribute_count, table->attribute_capacity);
		table->attributes[table->attribute_count++] = (struct plan_attribute){
			.form = (uint16_t)form,
			.field = field,
			.size = (int8_t)size,
			.constant = (uint32_t)constant,
		};
		if (field != FIELD_NONE) {
			plan->fields |= (uint16_t)(1u << field);
			plan->at[field] = (uint16_t)offset;
			plan->number[field] = (uint8_t)plan->count;
			plan->width[field] = (int8_t)size;
		}
		if (size < 0 || offset > INT16_MAX)
			plan->size = -1;
		else
			offset += (uint32_t)size;
		if (++plan->count > UINT8_MAX)
			return false;
	}
	if (plan->size >= 0)
		plan->size = (int32_t)offset;
	return true;
}

bool plan_table_read(struct plan_table *table, const struct unit *unit)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_ABBREV];
	const uint8_t *at = section->data + unit->abbrev_offset, *end = section->data + section->size;

	find_form_sizes(table, unit);
	table->count = table->attribute_count = 0;
	while (at < end) {
		uint64_t code = plan_uleb(&at, end);
		struct plan plan = { 0 };

		if (!code)
			return true;

		uint64_t tag = plan_uleb(&at, end);

		if (at == end || code != table->count + 1)
			return false;
		plan.tag = tag > UINT16_MAX ? 0 : (uint16_t)tag;
		plan.has_children = *at++ == DW_CHILDREN_yes;
		if (!read_attributes(table, &at, end, &plan))
			return false;
		array_reserve(table->plans, table->count, table->capacity);
		table->plans[table->count++] = plan;
	}
	return false;
}

void plan_table_release(struct plan_table *table)
{
	free(table->plans);
	free(table->attributes);
	*table = (struct plan_table){ 0 };
}

static uint64_t word_at(const uint8_t *at, int size)
{
	uint64_t value = 0;

	memcpy(&value, at, size < 8 ? (size_t)size : 8);
	return value;
}

/* The length of a value that tells it itself; false: a form that is not known, and so is all behind it. */
static bool block_length(unsigned int form, const uint8_t **at, const uint8_t *end, uint64_t *length)
{
	size_t left = (size_t)(end - *at);

	switch (form) {
	case DW_FORM_exprloc:
	case DW_FORM_block: *length = plan_uleb(at, end); return true;
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4: {
		int size = form == DW_FORM_block1 ? 1 : form == DW_FORM_block2 ? 2 : 4;

		if (left < (size_t)size)
			return false;
		*length = word_at(*at, size);
		*at += size;
		return true;
	}
	case DW_FORM_string: *length = strnlen((const char *)*at, left) + 1; return *length <= left;
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index:
		plan_uleb(at, end);
		*length = 0;
		return true;
	}
	return false;
}

const uint8_t *plan_step(const struct plan_table *table, const struct plan *plan, const uint8_t *at,
			 const uint8_t *end, struct plan_values *values)
{
	for (uint32_t i = 0; i < plan->count; i++) {
		const struct plan_attribute *attribute = &table->attributes[plan->first + i];
		uint64_t length = attribute->size < 0 ? 0 : (uint64_t)attribute->size, value = 0;

		if (attribute->size < 0 && !block_length(attribute->form, &at, end, &length))
			return NULL;
		if (length > (uint64_t)(end - at))
			return NULL;
		if (values && attribute->field != FIELD_NONE) {
			value = attribute->size < 0   ? length
				: attribute->size > 0 ? word_at(at, attribute->size)
						      : attribute->constant;
			values->value[attribute->field] = value;
			values->bytes[attribute->field] = attribute->size < 0 ? at : NULL;
		}
		at += length;
	}
	return at;
}
