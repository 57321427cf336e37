/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A quick pass over the DIEs at file level: see dwarf_scan.h.
 *
 * For each abbreviation it is found out once where the few attributes that matter lie, so that most DIEs cost
 * a few loads. Those whose attributes have no fixed place, or that need a look at another DIE, are read as
 * usual.
 */
#include "dwarf/dwarf_scan.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_die.h"
#include "dwarf/dwarf_location.h"
#include "dwarf/function.h"
#include "profiler/base/memory.h"

enum action {
	ACTION_PASS, /* has no name that is looked for */
	ACTION_TAKE, /* all is at fixed places */
	ACTION_READ,
};

struct field {
	uint16_t offset; /* behind the abbreviation's code */
	uint8_t size;    /* bytes; 0: not there */
};

struct plan {
	bool known;
	uint8_t action;
	uint8_t kind; /* enum name_kind */
	bool declaration;
	bool has_children;
	bool has_location;      /* of a variable, and no list */
	bool holds_no_variable; /* in its children */
	bool name_is_index;     /* into .debug_str_offsets */
	int32_t size;           /* of all attributes; -1: not fixed */
	struct field name;
	struct field byte_size;
	struct field line;
	struct field sibling;
};

struct pass {
	struct name_scan *scan;          /* or NULL */
	struct variable_list *variables; /* or NULL */
	struct unit unit;                /* a copy, with the abbreviations */
	struct plan *plans;
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

/* Bytes of a form whose value can be loaded as a word; 0: another. */
static uint8_t word_size(const struct unit *unit, unsigned int form)
{
	switch (form) {
	case DW_FORM_data1:
	case DW_FORM_ref1: return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2: return 2;
	case DW_FORM_data4:
	case DW_FORM_ref4: return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8: return 8;
	case DW_FORM_strp: return unit->offset_size;
	case DW_FORM_strx1: return 1;
	case DW_FORM_strx2: return 2;
	case DW_FORM_strx3: return 3;
	case DW_FORM_strx4: return 4;
	}
	return 0;
}

static const struct abbrev_attribute *attribute_of(const struct abbrev *abbrev, enum attribute_slot slot)
{
	for (uint32_t i = 0; i < abbrev->attribute_count; i++)
		if (abbrev->attributes[i].slot == slot)
			return &abbrev->attributes[i];
	return NULL;
}

static bool is_flagged(const struct abbrev *abbrev, enum attribute_slot slot)
{
	const struct abbrev_attribute *flag = attribute_of(abbrev, slot);

	return flag && flag->form == DW_FORM_flag_present;
}

static void place_fields(const struct unit *unit, const struct abbrev *abbrev, struct plan *plan)
{
	uint16_t offset = abbrev->skip;

	for (uint32_t i = 0; i < abbrev->attribute_count; i++) {
		const struct abbrev_attribute *attribute = &abbrev->attributes[i];
		struct field field = { offset, word_size(unit, attribute->form) };

		switch (attribute->slot) {
		case SLOT_NAME:
			plan->name = field;
			plan->name_is_index = attribute->form != DW_FORM_strp;
			break;
		case SLOT_BYTE_SIZE: plan->byte_size = field; break;
		case SLOT_DECLARED_LINE: plan->line = field; break;
		case SLOT_SIBLING: plan->sibling = field; break;
		}
		offset = (uint16_t)(offset + attribute->skip +
				    form_fixed_size(attribute->form, unit->version, unit->offset_size,
						    unit->address_size));
	}
	if (plan->action == ACTION_TAKE && !plan->name.size)
		plan->action = ACTION_READ;
}

static uint8_t action_of(const struct abbrev *abbrev, uint8_t kind)
{
	const struct abbrev_attribute *external = attribute_of(abbrev, SLOT_EXTERNAL);

	/* what the name and the flag are of stands elsewhere */
	if (attribute_of(abbrev, SLOT_SPECIFICATION) || attribute_of(abbrev, SLOT_LINKAGE_NAME))
		return ACTION_READ;
	if (!attribute_of(abbrev, SLOT_NAME))
		return ACTION_PASS;
	if (is_type(kind)) {
		if (is_flagged(abbrev, SLOT_DECLARATION))
			return ACTION_PASS;
		return attribute_of(abbrev, SLOT_DECLARATION) ? ACTION_READ : ACTION_TAKE;
	}
	if (!external)
		return ACTION_PASS;
	if (external->form != DW_FORM_flag_present ||
	    (attribute_of(abbrev, SLOT_DECLARATION) && !is_flagged(abbrev, SLOT_DECLARATION)))
		return ACTION_READ;
	return ACTION_TAKE;
}

static bool is_expression(const struct abbrev_attribute *location)
{
	return location && location->form != DW_FORM_sec_offset && location->form != DW_FORM_loclistx;
}

static void make_plan(const struct unit *unit, const struct abbrev *abbrev, struct plan *plan)
{
	*plan = (struct plan){
		.known = true,
		.has_children = abbrev->has_children,
		.size = abbrev->fixed_size,
		.declaration = is_flagged(abbrev, SLOT_DECLARATION),
	};
	plan->has_location =
		abbrev->tag == DW_TAG_variable && is_expression(attribute_of(abbrev, SLOT_LOCATION));
	plan->holds_no_variable = abbrev->tag != DW_TAG_subprogram && abbrev->tag != DW_TAG_lexical_block &&
				  abbrev->tag != DW_TAG_inlined_subroutine;
	if (kind_of_tag(abbrev->tag, &plan->kind))
		plan->action = action_of(abbrev, plan->kind);
	if (plan->size >= 0)
		place_fields(unit, abbrev, plan);
	else if (plan->action == ACTION_TAKE)
		plan->action = ACTION_READ;
}

static uint64_t load_field(const uint8_t *attributes, struct field field)
{
	uint64_t value = 0;

	memcpy(&value, attributes + field.offset, field.size);
	return value;
}

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

/* The name is asked for only where the identity is new. */
static void add(struct name_scan *scan, uint64_t identity, uint8_t kind, uint64_t die, const char *name)
{
	if (2 * scan->count >= scan->slot_count)
		grow_slots(scan);

	size_t mask = scan->slot_count - 1, slot = identity & mask;

	for (; scan->slots[slot]; slot = (slot + 1) & mask)
		if (scan->names[scan->slots[slot] - 1].identity == identity)
			return;
	if (!name || !*name || scan->count >= UINT32_MAX - 1)
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

/* What tells the definitions of one name apart: their size, their line and the length of what is in them. */
static uint64_t identity_of(const struct pass *pass, uint64_t name, uint8_t kind, bool declaration,
			    uint64_t size, uint64_t line, uint64_t length)
{
	uint64_t identity =
		hash_combine(name, (uint64_t)pass->unit.file->index << 8 | (uint64_t)kind << 1 | declaration);

	return is_type(kind) ? hash_combine(hash_combine(identity, size), line << 32 | length) : identity;
}

/* Where the name is in .debug_str, in which each string is once. */
static bool name_offset(const struct unit *unit, const struct plan *plan, const uint8_t *attributes,
			uint64_t *offset)
{
	const struct dwarf_section_data *offsets = &unit->file->sections.section[SECTION_STR_OFFSETS];
	struct cursor cursor = bytes_cursor(offsets->data, offsets->size);

	*offset = load_field(attributes, plan->name);
	if (!plan->name_is_index)
		return true;
	cursor_skip(&cursor, unit->str_offsets_base);
	cursor_skip(&cursor, *offset * unit->offset_size);
	*offset = cursor_word(&cursor, unit->offset_size);
	return !cursor.failed;
}

static const char *string_at(const struct unit *unit, uint64_t offset)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_STR];

	/* a section that ends in NUL ends all its strings */
	return offset < section->size && !section->data[section->size - 1]
		       ? (const char *)section->data + offset
		       : NULL;
}

static void take(struct pass *pass, const struct plan *plan, uint64_t die, const uint8_t *attributes,
		 uint64_t length)
{
	uint64_t name;

	if (!name_offset(&pass->unit, plan, attributes, &name))
		return;
	uint64_t identity = identity_of(pass, name, plan->kind, plan->declaration,
					load_field(attributes, plan->byte_size),
					load_field(attributes, plan->line), length);

	add(pass->scan, identity, plan->kind, unit_reference(&pass->unit, die), string_at(&pass->unit, name));
}

/* The DIE that `die` specifies, if that is in the unit, too; else itself. */
static struct die specified(struct pass *pass, const struct die *die)
{
	uint64_t target = die_target(die, SLOT_SPECIFICATION) & REFERENCE_OFFSET_MASK;
	struct cursor cursor = unit_cursor(&pass->unit, target);
	struct die declared;

	return target && die_read(&pass->unit, &cursor, &declared) && declared.tag == die->tag ? declared
											       : *die;
}

/* The slow way; the identity of such a name is that of its text. */
static void read_name(struct pass *pass, const struct plan *plan, uint64_t position)
{
	struct unit *unit = &pass->unit;
	struct cursor cursor = unit_cursor(unit, position);
	uint64_t size = 0, line = 0;
	struct die die, declared;
	bool declaration;

	if (!die_read(unit, &cursor, &die))
		return;
	declaration = die_flag(&die, SLOT_DECLARATION);
	declared = specified(pass, &die);
	if (is_type(plan->kind) ? declaration
				: !die_flag(&die, SLOT_EXTERNAL) && !die_flag(&declared, SLOT_EXTERNAL))
		return;
	die_unsigned(&die, SLOT_BYTE_SIZE, &size);
	die_unsigned(&die, SLOT_DECLARED_LINE, &line);

	const char *names[] = { die_name(&die), die_string(&die, SLOT_LINKAGE_NAME) };

	names[0] = names[0] ? names[0] : die_name(&declared);
	names[1] = names[1] ? names[1] : die_string(&declared, SLOT_LINKAGE_NAME);
	for (size_t i = 0; i < 2; i++) {
		if (!names[i])
			continue;
		uint64_t key = hash_bytes(names[i], strlen(names[i])) | UINT64_C(1) << 63;

		add(pass->scan, identity_of(pass, key, plan->kind, declaration, size, line, 0), plan->kind,
		    unit_reference(unit, position), names[i]);
	}
}

/* Moves past the children of the DIE at `position`, behind whose attributes the cursor is. */
static bool pass_children(struct pass *pass, const struct plan *plan, const uint8_t *attributes,
			  size_t position, struct cursor *cursor)
{
	struct unit *unit = &pass->unit;

	if (plan->size >= 0 && plan->sibling.size) {
		uint64_t sibling = unit->offset + load_field(attributes, plan->sibling);

		if (sibling > cursor->position && sibling < unit->end) {
			cursor->position = sibling;
			return true;
		}
	}
	struct cursor again = unit_cursor(unit, position);
	struct die die;

	if (!die_read(unit, &again, &die))
		return false;
	die_skip_children(&die, &again);
	cursor->position = again.position;
	return !again.failed;
}

/* The plan of the DIE at the cursor, which is moved behind it; NULL: none (the end of a list of children), or
 * it cannot be read. */
static const struct plan *pass_attributes(struct pass *pass, struct cursor *cursor,
					  const uint8_t **attributes)
{
	size_t position = cursor->position;
	uint64_t code = cursor_uleb(cursor);
	const struct abbrev *abbrev = code ? abbrev_table_find(pass->unit.abbrevs, code) : NULL;

	if (!abbrev) {
		cursor->failed = cursor->failed || code;
		return NULL;
	}

	struct plan *plan = &pass->plans[abbrev - pass->unit.abbrevs->abbrevs];

	*attributes = cursor->data + cursor->position;
	if (!plan->known)
		make_plan(&pass->unit, abbrev, plan);
	if (plan->size >= 0) {
		cursor_skip(cursor, (size_t)plan->size);
	} else {
		uint64_t sibling;

		cursor->position = position;
		die_skim(&pass->unit, cursor, &sibling);
	}
	return cursor->failed ? NULL : plan;
}

/* One DIE of the file level; false: there are no more. */
static bool pass_die(struct pass *pass, struct cursor *cursor)
{
	size_t position = cursor->position;
	const uint8_t *attributes;
	const struct plan *plan = pass_attributes(pass, cursor, &attributes);

	if (!plan)
		return false;
	if (plan->has_children && !pass_children(pass, plan, attributes, position, cursor))
		return false;
	if (plan->action == ACTION_TAKE)
		take(pass, plan, position, attributes, cursor->position - position);
	else if (plan->action == ACTION_READ)
		read_name(pass, plan, position);
	return true;
}

static void read_variable(struct pass *pass, uint64_t position)
{
	struct cursor cursor = unit_cursor(&pass->unit, position);
	const uint8_t *expression;
	struct location location;
	struct die die;
	size_t size;

	if (die_read(&pass->unit, &cursor, &die) && die_block(&die, SLOT_LOCATION, &expression, &size) &&
	    location_is_static(&pass->unit, expression, size, &location))
		variable_list_add(pass->variables,
				  &(struct variable_entry){ .address = (uint64_t)location.offset,
							    .thread_local_ = location.kind == LOCATION_TLS,
							    .die = unit_reference(&pass->unit, position) });
}

/* All DIEs but those in types, which have no variables in them in C. */
static void pass_variables(struct pass *pass, struct cursor *cursor)
{
	size_t depth = 1;

	while (depth && cursor_left(cursor)) {
		size_t position = cursor->position;
		const uint8_t *attributes;
		const struct plan *plan = pass_attributes(pass, cursor, &attributes);

		if (!plan) {
			depth--;
			continue;
		}
		if (plan->has_location)
			read_variable(pass, position);
		if (plan->has_children && plan->holds_no_variable)
			pass_children(pass, plan, attributes, position, cursor);
		else
			depth += plan->has_children;
	}
}

static void pass_unit(struct pass *pass, struct cursor *cursor)
{
	pass->plans = xcalloc(pass->unit.abbrevs->count + 1, sizeof(*pass->plans));
	if (pass->variables)
		pass_variables(pass, cursor);
	else
		while (cursor_left(cursor) && pass_die(pass, cursor))
			;
	free(pass->plans);
}

/* The root says whether the names of the unit are those of its file level. The cursor is then at its first
 * child. */
static bool is_plain(struct unit *unit, struct cursor *cursor)
{
	struct die root;
	uint64_t language = 0;

	*cursor = unit_cursor(unit, unit->first_die);
	return die_read(unit, cursor, &root) && root.tag == DW_TAG_compile_unit && root.has_children &&
	       !die_has(&root, SLOT_DWO_NAME) && die_unsigned(&root, SLOT_LANGUAGE, &language) &&
	       unit_language(language) == LANGUAGE_C && string_at(unit, 0) &&
	       (!die_has(&root, SLOT_STR_OFFSETS_BASE) ||
		die_section_offset(&root, SLOT_STR_OFFSETS_BASE, &unit->str_offsets_base)) &&
	       (!die_has(&root, SLOT_ADDR_BASE) ||
		die_section_offset(&root, SLOT_ADDR_BASE, &unit->addr_base));
}

static bool scan_unit(struct pass *pass, struct unit *unit)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_ABBREV];
	bool prepared = __atomic_load_n(&unit->prepared, __ATOMIC_ACQUIRE);
	struct abbrev_table *own = NULL;
	struct cursor cursor;

	if (unit->broken || unit->in_types || unit->type_die || unit->abbrev_offset >= section->size)
		return false;
	/* what a unit is prepared with stays: that is not done for a look at it alone */
	pass->unit = (struct unit){
		.file = unit->file,
		.offset = unit->offset,
		.end = unit->end,
		.first_die = unit->first_die,
		.version = unit->version,
		.kind = unit->kind,
		.address_size = unit->address_size,
		.offset_size = unit->offset_size,
		.abbrevs = prepared ? unit->abbrevs : NULL,
	};
	if (!pass->unit.abbrevs)
		pass->unit.abbrevs = own =
			abbrev_table_read(section->data, section->size, unit->abbrev_offset, unit->version,
					  unit->offset_size, unit->address_size);

	bool plain = is_plain(&pass->unit, &cursor);

	if (plain)
		pass_unit(pass, &cursor);
	abbrev_table_destroy(own);
	return plain;
}

bool name_scan_unit(struct name_scan *scan, struct unit *unit)
{
	return scan_unit(&(struct pass){ .scan = scan }, unit);
}

bool variable_scan_unit(struct variable_list *variables, struct unit *unit)
{
	return scan_unit(&(struct pass){ .variables = variables }, unit);
}

void variable_list_add(struct variable_list *list, const struct variable_entry *variable)
{
	array_reserve(list->items, list->count, list->capacity);
	list->items[list->count++] = *variable;
	list->thread_local_count += variable->thread_local_;
}

void name_scan_release(struct name_scan *scan)
{
	free(scan->names);
	free(scan->slots);
	*scan = (struct name_scan){ 0 };
}
