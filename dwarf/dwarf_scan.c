/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A quick pass over the DIEs of C units, by plans of their abbreviations: see dwarf_scan.h. */
#include "dwarf/dwarf_scan.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_location.h"
#include "dwarf/function.h"
#include "profiler/base/memory.h"

/* Children nested deeper are not followed. */
#define MAXIMUM_NESTING 256

enum action { ACTION_PASS, ACTION_NAME };

struct pass {
	struct scan *scan;
	struct name_scan *names;         /* or NULL */
	struct variable_list *variables; /* or NULL */
	struct unit unit;                /* a copy: the unit itself may not be prepared */
	const uint8_t *section;
	const uint8_t *end; /* of the unit */
};

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
static void choose_actions(struct plan_table *table)
{
	for (size_t i = 0; i < table->count; i++) {
		struct plan *plan = &table->plans[i];
		bool specifies = plan_has(plan, FIELD_SPECIFICATION);

		plan->action = ACTION_PASS;
		if (!kind_of_tag(plan->tag, &plan->kind) || (!specifies && !plan_has(plan, FIELD_NAME)))
			continue;
		if (is_type(plan->kind) && plan_has(plan, FIELD_DECLARATION) &&
		    plan_attribute(table, plan, FIELD_DECLARATION)->form == DW_FORM_flag_present)
			continue;
		if (specifies || plan_has(plan, is_type(plan->kind) ? FIELD_NAME : FIELD_EXTERNAL))
			plan->action = ACTION_NAME;
	}
}

/* ---- names ---- */

static void grow_slots(struct name_scan *scan)
{
	size_t count = scan->slot_count ? 2 * scan->slot_count : 4096;

	free(scan->slots);
	scan->slots = xcalloc(count, sizeof(*scan->slots));
	scan->slot_count = count;
	for (size_t i = 0; i < scan->count; i++) {
		size_t slot = scan->names[i].identity & (count - 1);

		while (scan->slots[slot])
			slot = (slot + 1) & (count - 1);
		scan->slots[slot] = (uint32_t)i + 1;
	}
}

/* The name is hashed only where the identity is new. */
static void add(struct name_scan *scan, uint64_t identity, uint8_t kind, uint64_t die, const char *name)
{
	if (2 * scan->count >= scan->slot_count)
		grow_slots(scan);

	size_t mask = scan->slot_count - 1, slot = identity & mask;

	for (; scan->slots[slot]; slot = (slot + 1) & mask)
		if (scan->names[scan->slots[slot] - 1].identity == identity)
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
	scan->slots[slot] = (uint32_t)scan->count;
}

struct text {
	const char *string; /* NULL: none */
	uint64_t key;       /* of equal strings equal */
};

static struct text text_at(const struct pass *pass, uint64_t offset)
{
	const struct dwarf_section_data *section = &pass->unit.file->sections.section[SECTION_STR];

	/* each string is there once; the section ends in NUL, and so ends all of them */
	if (offset >= section->size)
		return (struct text){ 0 };
	return (struct text){ (const char *)section->data + offset, offset };
}

static struct text text_of(const struct pass *pass, const struct plan *plan, const struct plan_values *values,
			   enum plan_field field)
{
	const struct plan_attribute *attribute = plan_attribute(&pass->scan->plans, plan, field);
	const struct dwarf_section_data *offsets = &pass->unit.file->sections.section[SECTION_STR_OFFSETS];
	struct cursor cursor;

	switch (attribute->form) {
	case DW_FORM_strp: return text_at(pass, values->value[field]);
	case DW_FORM_string: {
		const char *string = (const char *)values->bytes[field];

		return (struct text){ string, hash_bytes(string, strlen(string)) | UINT64_C(1) << 63 };
	}
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
		cursor = bytes_cursor(offsets->data, offsets->size);
		cursor_skip(&cursor, pass->unit.str_offsets_base);
		cursor_skip(&cursor, values->value[field] * pass->unit.offset_size);
		return text_at(pass, cursor_word(&cursor, pass->unit.offset_size));
	}
	return (struct text){ 0 };
}

/* What tells the definitions of one name apart: their size and their line. */
static uint64_t identity_of(const struct pass *pass, const struct text *name, uint8_t kind,
			    const struct plan_values *values)
{
	uint64_t shape = is_type(kind) ? values->value[FIELD_BYTE_SIZE] << 32 ^ values->value[FIELD_LINE]
				       : values->value[FIELD_DECLARATION];

	return hash_combine(name->key, hash_mix(shape) + ((uint64_t)pass->unit.file->index << 8 | kind));
}

/* The DIE that is specified, if it is in the unit; false: it is not. */
static bool read_specified(const struct pass *pass, uint64_t offset, const struct plan **plan,
			   struct plan_values *values)
{
	const uint8_t *at;

	offset += pass->unit.offset;
	if (offset < pass->unit.first_die || offset >= pass->unit.end)
		return false;
	at = pass->section + offset;
	*plan = plan_find(&pass->scan->plans, &at, pass->end);
	*values = (struct plan_values){ 0 };
	return *plan && plan_step(&pass->scan->plans, *plan, at, pass->end, values);
}

static void add_text(struct pass *pass, const struct plan *named, const struct plan_values *in,
		     enum plan_field field, const struct plan *plan, const struct plan_values *values,
		     uint64_t position)
{
	if (!plan_has(named, field))
		return;

	struct text text = text_of(pass, named, in, field);

	if (text.string)
		add(pass->names, identity_of(pass, &text, plan->kind, values), plan->kind,
		    unit_reference(&pass->unit, position), text.string);
}

/* `at` is known to be readable where the size is fixed. */
static bool load_values(const struct pass *pass, const struct plan *plan, const uint8_t *at,
			struct plan_values *values)
{
	static const enum plan_field needed[] = { FIELD_NAME,       FIELD_LINKAGE_NAME,  FIELD_BYTE_SIZE,
						  FIELD_LINE,       FIELD_SPECIFICATION, FIELD_EXTERNAL,
						  FIELD_DECLARATION };

	if (plan->size < 0)
		return plan_step(&pass->scan->plans, plan, at, pass->end, values);
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++)
		if (plan_has(plan, needed[i]))
			values->value[needed[i]] = plan_load(&pass->scan->plans, plan, needed[i], at);
	return true;
}

static void take_name(struct pass *pass, const struct plan *plan, const uint8_t *at, uint64_t position)
{
	struct plan_values values = { 0 }, specified;
	const struct plan *named = plan;
	const struct plan_values *in = &values;

	if (!load_values(pass, plan, at, &values))
		return;
	if (plan_has(plan, FIELD_SPECIFICATION) && !plan_has(plan, FIELD_NAME)) {
		if (!read_specified(pass, values.value[FIELD_SPECIFICATION], &named, &specified))
			return;
		in = &specified;
	}
	if (is_type(plan->kind) ? values.value[FIELD_DECLARATION]
				: !values.value[FIELD_EXTERNAL] && !in->value[FIELD_EXTERNAL])
		return;
	add_text(pass, named, in, FIELD_NAME, plan, &values, position);
	add_text(pass, named, in, FIELD_LINKAGE_NAME, plan, &values, position);
}

/* ---- moving ---- */

/* Where the sibling of a DIE is that has children; NULL: it does not tell. `at`: its attributes. */
static inline const uint8_t *sibling_of(const struct pass *pass, const struct plan *plan, const uint8_t *at)
{
	struct plan_values values = { 0 };
	uint64_t offset;

	if (!plan_has(plan, FIELD_SIBLING))
		return NULL;
	if (plan->size >= 0 && plan->width[FIELD_SIBLING] == 4)
		offset = (uint64_t)at[plan->at[FIELD_SIBLING]] |
			 (uint64_t)at[plan->at[FIELD_SIBLING] + 1] << 8 |
			 (uint64_t)at[plan->at[FIELD_SIBLING] + 2] << 16 |
			 (uint64_t)at[plan->at[FIELD_SIBLING] + 3] << 24;
	else if (plan->size >= 0)
		offset = plan_load(&pass->scan->plans, plan, FIELD_SIBLING, at);
	else if (plan_step(&pass->scan->plans, plan, at, pass->end, &values))
		offset = values.value[FIELD_SIBLING];
	else
		return NULL;
	offset += pass->unit.offset;
	return offset > (uint64_t)(at - pass->section) && offset < pass->unit.end ? pass->section + offset
										  : NULL;
}

/* Behind the attributes at `at`; NULL: they cannot be read. */
static inline const uint8_t *behind(const struct pass *pass, const struct plan *plan, const uint8_t *at)
{
	if (plan->size < 0)
		return plan_step(&pass->scan->plans, plan, at, pass->end, NULL);
	return plan->size <= pass->end - at ? at + plan->size : NULL;
}

/* Behind all children, of which the first is at `at`; NULL: they cannot be read. */
static const uint8_t *skip_children(const struct pass *pass, const uint8_t *at)
{
	for (size_t depth = 1; depth;) {
		const struct plan *plan =
			at < pass->end ? plan_find(&pass->scan->plans, &at, pass->end) : NULL;
		const uint8_t *attributes = at, *sibling;

		if (!plan) {
			if (at >= pass->end)
				return NULL;
			depth--;
			continue;
		}
		at = behind(pass, plan, attributes);
		if (!at || depth >= MAXIMUM_NESTING)
			return NULL;
		sibling = plan->has_children ? sibling_of(pass, plan, attributes) : NULL;
		if (sibling)
			at = sibling;
		else
			depth += plan->has_children;
	}
	return at;
}

static void pass_names(struct pass *pass, const uint8_t *at)
{
	while (at && at < pass->end) {
		uint64_t position = (uint64_t)(at - pass->section);
		const struct plan *plan = plan_find(&pass->scan->plans, &at, pass->end);
		const uint8_t *attributes = at, *sibling;

		if (!plan)
			return;
		at = behind(pass, plan, attributes);
		if (at && plan->has_children) {
			sibling = sibling_of(pass, plan, attributes);
			at = sibling ? sibling : skip_children(pass, at);
		}
		if (at && plan->action == ACTION_NAME)
			take_name(pass, plan, attributes, position);
	}
}

/* ---- functions and variables ---- */

static void pass_level(struct pass *pass, const uint8_t *at, void (*visit)(void *data, uint64_t offset),
		       void *data)
{
	while (at && at < pass->end) {
		uint64_t position = (uint64_t)(at - pass->section);
		const struct plan *plan = plan_find(&pass->scan->plans, &at, pass->end);
		const uint8_t *attributes = at, *sibling;

		if (!plan)
			return;
		at = behind(pass, plan, attributes);
		if (at && (plan->tag == DW_TAG_subprogram || plan->tag == DW_TAG_variable))
			visit(data, position);
		if (at && plan->has_children) {
			sibling = sibling_of(pass, plan, attributes);
			at = sibling ? sibling : skip_children(pass, at);
		}
	}
}

/* ---- static variables ---- */

static void take_variable(struct pass *pass, const struct plan *plan, const uint8_t *at, uint64_t position)
{
	struct plan_values values = { 0 };
	struct location location;

	if (plan_step(&pass->scan->plans, plan, at, pass->end, &values) && values.bytes[FIELD_LOCATION] &&
	    location_is_static(&pass->unit, values.bytes[FIELD_LOCATION], values.value[FIELD_LOCATION],
			       &location))
		variable_list_add(pass->variables,
				  &(struct variable_entry){ .address = (uint64_t)location.offset,
							    .thread_local_ = location.kind == LOCATION_TLS,
							    .die = unit_reference(&pass->unit, position) });
}

static bool holds_variables(unsigned int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_inlined_subroutine;
}

/* All DIEs but those in types, which in C have no variables in them. */
static void pass_variables(struct pass *pass, const uint8_t *at)
{
	size_t depth = 1;

	while (depth && at && at < pass->end) {
		uint64_t position = (uint64_t)(at - pass->section);
		const struct plan *plan = plan_find(&pass->scan->plans, &at, pass->end);
		const uint8_t *attributes = at, *sibling;

		if (!plan) {
			depth--;
			continue;
		}
		at = behind(pass, plan, attributes);
		if (at && plan->tag == DW_TAG_variable && plan_has(plan, FIELD_LOCATION))
			take_variable(pass, plan, attributes, position);
		if (!at || !plan->has_children)
			continue;
		sibling = holds_variables(plan->tag) ? NULL : sibling_of(pass, plan, attributes);
		if (sibling)
			at = sibling;
		else
			depth++;
	}
}

void variable_list_add(struct variable_list *list, const struct variable_entry *variable)
{
	array_reserve(list->items, list->count, list->capacity);
	list->items[list->count++] = *variable;
	list->thread_local_count += variable->thread_local_;
}

/* ---- units ---- */

/* The root says whether the names of the unit are those of its file level. *first is its first child. */
static bool is_plain(struct pass *pass, const uint8_t **first)
{
	const struct dwarf_section_data *strings = &pass->unit.file->sections.section[SECTION_STR];
	const uint8_t *at = pass->section + pass->unit.first_die;
	const struct plan *root = plan_find(&pass->scan->plans, &at, pass->end);
	struct plan_values values = { 0 };

	if (!root || root->tag != DW_TAG_compile_unit || !root->has_children ||
	    plan_has(root, FIELD_DWO_NAME) || !plan_has(root, FIELD_LANGUAGE) || !strings->size ||
	    strings->data[strings->size - 1])
		return false;
	*first = plan_step(&pass->scan->plans, root, at, pass->end, &values);
	pass->unit.str_offsets_base = values.value[FIELD_STR_OFFSETS_BASE];
	pass->unit.addr_base = values.value[FIELD_ADDR_BASE];
	pass->unit.addr_sections = &pass->unit.file->sections;
	return *first && unit_language(values.value[FIELD_LANGUAGE]) == LANGUAGE_C;
}

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

static bool start_pass(struct pass *pass, const struct unit *unit, const uint8_t **first)
{
	const struct dwarf_section_data *abbrevs = &unit->file->sections.section[SECTION_ABBREV];

	if (unit->broken || unit->in_types || unit->type_die || unit->abbrev_offset >= abbrevs->size)
		return false;
	pass->unit = copy_of(unit);
	pass->section = unit_section(unit)->data;
	pass->end = pass->section + unit->end;
	if (!plan_table_read(&pass->scan->plans, &pass->unit) || !is_plain(pass, first))
		return false;
	choose_actions(&pass->scan->plans);
	return true;
}

bool scan_names(struct scan *scan, struct unit *unit, struct name_scan *names)
{
	struct pass pass = { .scan = scan, .names = names };
	const uint8_t *first;

	if (!start_pass(&pass, unit, &first))
		return false;
	pass_names(&pass, first);
	return true;
}

bool scan_variables(struct scan *scan, struct unit *unit, struct variable_list *variables)
{
	struct pass pass = { .scan = scan, .variables = variables };
	const uint8_t *first;

	if (!start_pass(&pass, unit, &first))
		return false;
	pass_variables(&pass, first);
	return true;
}

bool scan_level(struct scan *scan, struct unit *unit, void (*visit)(void *data, uint64_t offset), void *data)
{
	struct pass pass = { .scan = scan };
	const uint8_t *first;

	if (!start_pass(&pass, unit, &first))
		return false;
	pass_level(&pass, first, visit, data);
	return true;
}

void scan_release(struct scan *scan)
{
	plan_table_release(&scan->plans);
}

void name_scan_release(struct name_scan *scan)
{
	free(scan->names);
	free(scan->slots);
	*scan = (struct name_scan){ 0 };
}
