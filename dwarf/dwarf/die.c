// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads DIEs by the layouts of their abbreviations, and decodes the values of their attributes: see
 * die.h. */
#include "dwarf/dwarf/die.h"

#include <dwarf.h>

#include "dwarf/dwarf/unit.h"
#include "base/memory.h"

/* Returns a form's bytes in every DIE of a unit of these sizes; -1: they vary (DWARF 5, 7.5.6). */
static int form_fixed_size(unsigned int form, uint8_t version, uint8_t offset_size,
			   uint8_t address_size)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const: return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1: return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2: return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3: return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4: return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8: return 8;
	case DW_FORM_data16: return 16;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt: return offset_size;
	case DW_FORM_ref_addr: return version <= 2 ? address_size : offset_size;
	case DW_FORM_addr: return address_size;
	}
	return -1;
}

struct uleb uleb_read_long(const uint8_t *at, const uint8_t *end)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; at < end;) {
		uint8_t byte = *at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
		if (!(byte & 0x80))
			return (struct uleb){ value, at };
	}
	return (struct uleb){ 0, end };
}

static uint64_t read_size(const uint8_t *at, int size)
{
	uint64_t value = 0;

	memcpy(&value, at, (size_t)size);
	return value;
}

/* The bytes of a block or string. Of a LEB128 number, whose value is not needed: no bytes, and `at`
 * is its end. In both cases the value ends at `at` + `length`. */
struct form_extent {
	uint64_t length;   /* not checked against the end */
	const uint8_t *at; /* NULL: the form is unknown, or the value does not fit */
};

/* Returns the extent of a value at `at` whose form has no fixed size. */
static struct form_extent form_extent(unsigned int form, const uint8_t *at, const uint8_t *end)
{
	size_t left = (size_t)(end - at);
	struct uleb number;

	switch (form) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
		number = uleb_read(at, end);
		return (struct form_extent){ number.value, number.next };
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4: {
		int size = form == DW_FORM_block1 ? 1 : form == DW_FORM_block2 ? 2 : 4;

		if (left < (size_t)size)
			break;
		return (struct form_extent){ read_size(at, size), at + size };
	}
	case DW_FORM_string: return (struct form_extent){ strnlen((const char *)at, left) + 1, at };
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index: return (struct form_extent){ 0, uleb_read(at, end).next };
	}
	return (struct form_extent){ 0 };
}

/* Deeper children are not skipped: so the work stays linear even if each level skips. */
#define NESTING_MAX 256

/* ---- attributes ---- */

/* Attributes of Go (cmd/internal/dwarf). */
#define AT_GO_KEY         0x2901 /* DW_AT_go_key */
#define AT_LOCATION_VIEWS 0x2137 /* DW_AT_GNU_locviews */
#define AT_GO_ELEMENT     0x2902 /* DW_AT_go_elem */
#define AT_GO_WORD        0x2904 /* DW_AT_go_runtime_type */

#define RETURN_SLOT(slot, name)                                                                    \
	case name: return slot;

static inline uint8_t die_slot_of(uint64_t name)
{
	switch (name) {
		DIE_ATTRIBUTES(RETURN_SLOT)
	case DW_AT_MIPS_linkage_name: return SLOT_LINKAGE_NAME;
	case DW_AT_GNU_addr_base: return SLOT_ADDR_BASE;
	case DW_AT_GNU_dwo_name: return SLOT_DWO_NAME;
	case DW_AT_GNU_dwo_id: return SLOT_SIGNATURE;
	}
	return SLOT_COUNT;
}

struct cursor unit_cursor(const struct unit *unit, uint64_t offset)
{
	struct cursor cursor = cursor_of(unit_section(unit)->data, unit->end, false);

	if (offset > unit->end || offset < unit->first_die)
		cursor.failed = true;
	else
		cursor.position = offset;
	return cursor;
}

/*
 * ---- abbreviations ----
 *
 * The abbreviations of a unit are found once, when its first DIE is read. They and the layouts are
 * kept, and serve all threads without a lock.
 */

#define ATTRIBUTES_MAX UINT8_MAX
/* The most abbreviations that are kept, of all units of a file. A unit has fewer abbreviations than
 * bytes, unless it shares them with others; the largest programs have some millions. */
#define ABBREVIATIONS_MAX(info_size) (((size_t)1 << 22) + (info_size) / 4)
/* The most abbreviations that libdw may read before those of root DIEs, in all units of a file.
 * Compilers write a root's abbreviation first. */
#define ROOT_ABBREVIATIONS_MAX ((size_t)1 << 22)

struct abbreviation {
	const uint8_t *at; /* of the tag; then DW_CHILDREN_*, then the attributes */
	uint32_t size;
	bool in_order;                   /* its code is its index + 1 */
	const struct die_layout *layout; /* atomic; NULL: not known yet */
};

struct abbreviations {
	struct abbreviation *items;
	size_t count, capacity;
	struct hash_map by_code; /* index of those that do not have the code index + 1 */
};

/* One attribute of an abbreviation. */
struct attribute_form {
	uint64_t name, form;
	const uint8_t *constant; /* DW_FORM_implicit_const: where the value is */
	const uint8_t *next;     /* NULL: it cannot be read */
};

static struct attribute_form attribute_form_read(const uint8_t *at, const uint8_t *end)
{
	struct uleb name = uleb_read(at, end), form = uleb_read(name.next, end);
	const uint8_t *constant = form.next;

	if (form.value == DW_FORM_implicit_const)
		form.next = uleb_read(form.next, end).next;
	return (struct attribute_form){
		.name = name.value,
		.form = form.value,
		.constant = constant,
		.next = form.next < end && form.value <= UINT16_MAX ? form.next : NULL,
	};
}

/* Returns the end of the attributes at `at`, or NULL if they cannot be read. */
static const uint8_t *skip_attributes(const uint8_t *at, const uint8_t *end)
{
	for (int i = 0; end - at >= 2 && i <= ATTRIBUTES_MAX; i++) {
		struct attribute_form attribute;

		if (!at[0] && !at[1])
			return at + 2;
		/* nearly all numbers have one byte, and constants one or two */
		if (!((at[0] | at[1]) & 0x80) && at[1] != DW_FORM_implicit_const) {
			at += 2;
			continue;
		}
		if (end - at >= 5 && !((at[0] | at[1] | (at[2] & at[3])) & 0x80)) {
			at += 3 + (at[2] >> 7);
			continue;
		}
		attribute = attribute_form_read(at, end);
		if (!attribute.next)
			return NULL;
		at = attribute.next;
	}
	return NULL;
}

/* Reads the abbreviation at `at`. Returns its end; NULL: the table ends, or is damaged. */
static const uint8_t *abbreviation_read(const uint8_t *at, const uint8_t *end, uint64_t *code,
					struct abbreviation *abbreviation)
{
	struct uleb number = uleb_read(at, end), tag = uleb_read(number.next, end);
	const uint8_t *next =
		number.value && tag.next < end ? skip_attributes(tag.next + 1, end) : NULL;

	*code = number.value;
	*abbreviation = (struct abbreviation){
		.at = number.next,
		.size = next ? (uint32_t)(next - number.next) : 0,
	};
	return next;
}

/* Reads the abbreviations up to the first one that cannot be read. */
static struct abbreviations *find_abbreviations(const struct unit *unit)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_ABBREV];
	struct abbreviations *found = xcalloc(1, sizeof(*found));
	const uint8_t *at = section->data, *end = at + section->size;
	size_t max = ABBREVIATIONS_MAX(unit_section(unit)->size);
	struct abbreviation abbreviation;
	uint64_t code;
	bool created;

	if (unit->abbrev_offset >= section->size ||
	    __atomic_load_n(&unit->file->abbreviation_count, __ATOMIC_RELAXED) > max)
		return found;
	at += unit->abbrev_offset;
	while (found->count < max && (at = abbreviation_read(at, end, &code, &abbreviation))) {
		abbreviation.in_order = code == found->count + 1;
		if (!abbreviation.in_order) {
			uint32_t *index = hash_map_insert(&found->by_code, code, &created);

			if (created)
				*index = (uint32_t)found->count;
		}
		array_add(found->items, found->count, found->capacity) = abbreviation;
	}
	array_fit(found->items, found->count, found->capacity);
	__atomic_add_fetch(&unit->file->abbreviation_count, found->count, __ATOMIC_RELAXED);
	return found;
}

bool unit_root_is_near(const struct unit *unit)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_ABBREV];
	const uint8_t *info = unit_section(unit)->data, *at = section->data;
	uint64_t code = uleb_read(info + unit->first_die, info + unit->end).value, passed_code = 0;
	struct abbreviation abbreviation;
	size_t passed = 0;

	if (unit->abbrev_offset >= section->size)
		return true;
	at += unit->abbrev_offset;
	while (passed_code != code && passed <= ROOT_ABBREVIATIONS_MAX &&
	       (at = abbreviation_read(at, section->data + section->size, &passed_code,
				       &abbreviation)))
		passed++;
	return __atomic_add_fetch(&unit->file->root_abbreviations, passed, __ATOMIC_RELAXED) <=
	       ROOT_ABBREVIATIONS_MAX;
}

static void abbreviations_destroy(struct dwarf_file *file, struct abbreviations *abbreviations)
{
	if (!abbreviations)
		return;
	__atomic_sub_fetch(&file->abbreviation_count, abbreviations->count, __ATOMIC_RELAXED);
	free(abbreviations->items);
	hash_map_deinit(&abbreviations->by_code);
	free(abbreviations);
}

void unit_abbreviations_destroy(struct unit *unit)
{
	abbreviations_destroy(unit->file, unit->abbreviations);
}

static struct abbreviations *read_abbreviations(struct unit *unit)
{
	struct abbreviations *all = find_abbreviations(unit), *first = NULL;

	if (__atomic_compare_exchange_n(&unit->abbreviations, &first, all, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return all;
	abbreviations_destroy(unit->file, all); /* another thread was faster */
	return first;
}

static inline struct abbreviations *abbreviations_of(struct unit *unit)
{
	return __atomic_load_n(&unit->abbreviations, __ATOMIC_ACQUIRE) ?: read_abbreviations(unit);
}

size_t unit_abbreviations_in_order(struct unit *unit)
{
	const struct abbreviations *all = abbreviations_of(unit);

	return all->by_code.count ? 0 : all->count;
}

static struct abbreviation *find_abbreviation(struct unit *unit, uint64_t code)
{
	struct abbreviations *all = abbreviations_of(unit);
	const uint32_t *index;

	if (code - 1 < all->count && all->items[code - 1].in_order)
		return &all->items[code - 1];
	index = hash_map_find(&all->by_code, code);
	return index ? &all->items[*index] : NULL;
}

/* The largest size of all attributes that counts as fixed. */
#define FIXED_SIZE_MAX ((uint64_t)INT16_MAX)

/* A layout that is being worked out. */
struct layout_draft {
	struct layout_step steps[ATTRIBUTES_MAX + 1];
	uint64_t size;            /* so far; more than FIXED_SIZE_MAX where it varies */
	unsigned int varying;     /* values without a fixed size */
	uint64_t before, after;   /* bytes of the others, before and after the first of these */
	uint64_t sibling;         /* `after` at DW_AT_sibling */
	struct die_layout layout; /* without its own steps */
};

static void add_step(struct layout_draft *draft, const struct layout_step *step)
{
	struct die_layout *layout = &draft->layout;
	uint16_t *skip = layout->count ? &draft->steps[layout->count - 1].skip : &layout->skip;

	if (step->slot == SLOT_COUNT && step->size >= 0 && *skip < UINT16_MAX - UINT8_MAX) {
		*skip = (uint16_t)(*skip + step->size);
	} else {
		layout->step_of[step->slot] = (uint8_t)layout->count;
		draft->steps[layout->count] = *step;
		draft->steps[layout->count++].at = (uint16_t)draft->size;
	}
	if (step->slot != SLOT_COUNT)
		layout->present |= UINT64_C(1) << step->slot;
	draft->size += step->size < 0 ? FIXED_SIZE_MAX + 1 : (uint64_t)step->size;
	if (step->slot == SLOT_SIBLING && step->form == DW_FORM_ref4)
		draft->sibling = draft->varying ? draft->after : UINT64_MAX;
	if (step->size >= 0) {
		*(draft->varying ? &draft->after : &draft->before) += (uint64_t)step->size;
		return;
	}
	layout->varying_form = step->form;
	draft->varying++;
}

/* Notes the bytes around the only value without a fixed size, in a layout with just one. */
static void finish_varying(struct layout_draft *draft)
{
	struct die_layout *layout = &draft->layout;

	if (draft->varying != 1 || layout->varying_form == DW_FORM_indirect ||
	    draft->before + draft->after > FIXED_SIZE_MAX) {
		layout->varying_form = 0;
		return;
	}
	layout->before = (uint16_t)draft->before;
	layout->after = (uint16_t)draft->after;
	if (draft->sibling < draft->after)
		layout->sibling_from_end = (int16_t)(draft->after - draft->sibling);
}

/* Finds the place of an unsigned number in DIEs of the layout. False: no fixed size. */
static bool find_number(const struct layout_draft *draft, enum attribute_slot slot,
			const uint8_t *end, struct layout_number *number)
{
	const struct layout_step *step = &draft->steps[draft->layout.step_of[slot]];
	struct uleb constant;

	*number = (struct layout_number){ 0 };
	if (!layout_has(&draft->layout, slot))
		return true;
	number->at = step->at;
	switch (step->form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_strp: number->mask = UINT64_MAX >> (64 - 8 * step->size); return true;
	case DW_FORM_implicit_const:
		constant = uleb_read(step->constant, end);
		number->constant = constant.value;
		return !(constant.next[-1] & 0x40); /* the number is signed: not negative */
	}
	return false;
}

/* Finds the numbers that decide whether DIEs look the same. False: not all places are known. */
static bool find_look(struct layout_draft *draft, const uint8_t *end)
{
	struct die_layout *layout = &draft->layout;

	return layout->size >= 0 && layout_has(layout, SLOT_NAME) &&
	       draft->steps[layout->step_of[SLOT_NAME]].form == DW_FORM_strp &&
	       find_number(draft, SLOT_NAME, end, &layout->look.name) &&
	       find_number(draft, SLOT_BYTE_SIZE, end, &layout->look.size) &&
	       find_number(draft, SLOT_DECLARED_LINE, end, &layout->look.line);
}

static void read_layout(const struct unit *unit, const uint8_t *at, const uint8_t *end,
			struct layout_draft *draft)
{
	struct uleb tag = uleb_read(at, end);

	draft->size = draft->before = draft->after = 0;
	draft->varying = 0;
	draft->sibling = UINT64_MAX;
	draft->layout = (struct die_layout){
		.abbreviation = at,
		.tag = tag.value > UINT16_MAX ? 0 : (uint16_t)tag.value,
		.has_children = *tag.next == DW_CHILDREN_yes,
		.version = unit->version,
		.offset_size = unit->offset_size,
		.address_size = unit->address_size,
	};
	for (at = tag.next + 1; at[0] || at[1];) {
		struct attribute_form attribute = attribute_form_read(at, end);
		struct layout_step step = {
			.constant = attribute.form == DW_FORM_implicit_const ? attribute.constant
									     : NULL,
			.form = (uint16_t)attribute.form,
			.slot = die_slot_of(attribute.name),
			.size = (int8_t)form_fixed_size((unsigned int)attribute.form, unit->version,
							unit->offset_size, unit->address_size),
		};

		add_step(draft, &step);
		at = attribute.next;
	}
	draft->layout.size = draft->size > FIXED_SIZE_MAX ? -1 : (int16_t)draft->size;
	draft->layout.abbreviation_size = (uint32_t)(at + 2 - draft->layout.abbreviation);
	finish_varying(draft);
	draft->layout.has_look = find_look(draft, at + 2);
}

/* True if it is the layout of the same bytes in a unit whose forms have the same sizes. */
static bool is_layout_of(const struct die_layout *layout, const struct unit *unit,
			 const uint8_t *abbreviation, size_t size)
{
	return layout->abbreviation_size == size && layout->version == unit->version &&
	       layout->offset_size == unit->offset_size &&
	       layout->address_size == unit->address_size &&
	       !memcmp(layout->abbreviation, abbreviation, size);
}

static uint64_t layout_key(const struct unit *unit, const uint8_t *abbreviation, size_t size)
{
	uint64_t sizes = (uint64_t)unit->version << 16 | (uint64_t)unit->offset_size << 8 |
			 unit->address_size;

	return hash_combine(hash_bytes(abbreviation, size), sizes) | 1;
}

/* Copies the layout to the file. Call it under the file's lock. */
static const struct die_layout *keep_layout(struct dwarf_file *file,
					    const struct layout_draft *draft)
{
	size_t size = draft->layout.count * sizeof(*draft->steps);
	struct die_layout *kept = arena_alloc(&file->layouts, sizeof(*kept) + size);

	*kept = draft->layout;
	memcpy(kept->steps, draft->steps, size);
	return kept;
}

static const struct die_layout *layout_of(const struct unit *unit,
					  const struct abbreviation *abbreviation)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_ABBREV];
	const uint8_t *at = abbreviation->at, *end = section->data + section->size;
	size_t size = abbreviation->size;
	uint64_t key = layout_key(unit, at, size);
	struct dwarf_file *file = unit->file;
	const struct die_layout *known = concurrent_map_find(&file->layout_of, key);
	struct layout_draft draft;

	if (known && is_layout_of(known, unit, at, size))
		return known;
	read_layout(unit, at, end, &draft);
	pthread_mutex_lock(&file->layout_lock);
	known = concurrent_map_find(&file->layout_of,
				    key); /* another thread may have been faster */

	const struct die_layout *layout =
		known && is_layout_of(known, unit, at, size) ? known : keep_layout(file, &draft);

	if (!known)
		concurrent_map_insert(&file->layout_of, key, (void *)layout);
	pthread_mutex_unlock(&file->layout_lock);
	return layout;
}

const struct die_layout *unit_layout(struct unit *unit, uint64_t code)
{
	struct abbreviation *abbreviation = find_abbreviation(unit, code);
	const struct die_layout *layout =
		abbreviation ? __atomic_load_n(&abbreviation->layout, __ATOMIC_ACQUIRE) : NULL;

	if (!layout && abbreviation) {
		layout = layout_of(unit, abbreviation);
		__atomic_store_n(&abbreviation->layout, layout, __ATOMIC_RELEASE);
	}
	return layout;
}

/* ---- reading ---- */

/* Returns the end of the value at `at`; NULL: outside of the unit, or of an unknown form. */
static inline const uint8_t *end_of_value(unsigned int form, int size, const uint8_t *at,
					  const uint8_t *end)
{
	struct form_extent extent = { (uint64_t)size, at };

	if (size < 0)
		extent = form_extent(form, at, end);
	return extent.at && extent.length <= (uint64_t)(end - extent.at) ? extent.at + extent.length
									 : NULL;
}

/* Reads an attribute whose form is in the DIE (DW_FORM_indirect). Returns its end, or NULL. */
static const uint8_t *read_indirect(const struct unit *unit, const uint8_t *at, const uint8_t *end,
				    struct attribute *attribute)
{
	struct uleb form = uleb_read(at, end);

	if (form.value > UINT16_MAX || form.value == DW_FORM_implicit_const)
		return NULL;
	*attribute = (struct attribute){ form.next, (uint16_t)form.value };
	return end_of_value(attribute->form,
			    form_fixed_size(attribute->form, unit->version, unit->offset_size,
					    unit->address_size),
			    form.next, end);
}

/* Finds the attributes one by one, as sizes vary. Returns their end, or NULL. */
static const uint8_t *find_attributes(const struct unit *unit, const struct die_layout *layout,
				      const uint8_t *at, const uint8_t *end, struct die *die)
{
	if (layout->skip > end - at)
		return NULL;
	at += layout->skip;
	array_each (const struct layout_step, step, layout->steps, layout->count) {
		struct attribute *attribute = &die->slots[step->slot];

		*attribute = (struct attribute){ step->constant ?: at, step->form };
		at = step->form == DW_FORM_indirect ? read_indirect(unit, at, end, attribute)
						    : end_of_value(step->form, step->size, at, end);
		if (!at || step->skip > end - at)
			return NULL;
		at += step->skip;
	}
	return at;
}

const uint8_t *layout_end(const struct die_layout *layout, const uint8_t *attributes,
			  const uint8_t *end)
{
	if (layout->before > end - attributes)
		return NULL;
	attributes = end_of_value(layout->varying_form, -1, attributes + layout->before, end);
	return attributes && layout->after <= end - attributes ? attributes + layout->after : NULL;
}

/* Sets an attribute of a DIE whose attributes begin at `at`, and whose layout has a fixed size. */
static inline void set_slot(struct die *die, const struct layout_step *step, const uint8_t *at)
{
	die->slots[step->slot] = (struct attribute){ step->constant ?: at + step->at, step->form };
}

const uint8_t *die_read_layout(struct unit *unit, uint64_t offset, const struct die_layout *layout,
			       const uint8_t *at, struct die *die)
{
	const uint8_t *start = unit_section(unit)->data, *end = start + unit->end;

	if (layout->size < 0) {
		at = find_attributes(unit, layout, at, end, die);
		if (!at)
			return NULL;
	} else {
		if (layout->size > end - at)
			return NULL;
		array_each (const struct layout_step, step, layout->steps, layout->count) {
			set_slot(die, step, at);
		}
		at += layout->size;
	}
	die->unit = unit;
	die->offset = offset;
	die->tag = layout->tag;
	die->has_children = layout->has_children;
	die->present = layout->present;
	die->next = (uint64_t)(at - start);
	return at;
}

/* Returns the end of the attributes, without finding them; NULL: they have to be found one by one.
 */
static const uint8_t *end_of_attributes(const struct die_layout *layout, const uint8_t *at,
					const uint8_t *end)
{
	if (layout->size >= 0)
		return layout->size <= end - at ? at + layout->size : NULL;
	return layout->varying_form ? layout_end(layout, at, end) : NULL;
}

static void set_bare(struct die *die, struct unit *unit, uint64_t offset, uint64_t next)
{
	die->unit = unit;
	die->offset = offset;
	die->present = 0;
	die->tag = 0;
	die->has_children = false;
	die->next = next;
}

bool die_read_some(struct unit *unit, struct cursor *cursor, uint64_t slots, struct die *die)
{
	if (!cursor_left(cursor))
		return false;

	uint64_t offset = cursor->position, code = cursor_uleb(cursor);

	if (!code) {
		set_bare(die, unit, offset, cursor->position);
		return !cursor->failed;
	}
	if (cursor->failed)
		return false;

	const struct die_layout *layout = unit_layout(unit, code);
	const uint8_t *start = cursor->data, *values = start + cursor->position, *end = NULL;

	if (layout)
		slots &= layout->present;
	if (layout && (!slots || (slots != layout->present && layout->size >= 0)))
		end = end_of_attributes(layout, values, start + unit->end);
	if (end) {
		set_bare(die, unit, offset, (uint64_t)(end - start));
		die->tag = layout->tag;
		die->has_children = layout->has_children;
		die->present = slots;
		for (; slots; slots &= slots - 1)
			set_slot(die, &layout->steps[layout->step_of[__builtin_ctzll(slots)]],
				 values);
	} else if (!layout || !die_read_layout(unit, offset, layout, values, die)) {
		cursor->failed = true;
		return false;
	}
	cursor->position = die->next;
	return true;
}

bool die_read(struct unit *unit, struct cursor *cursor, struct die *die)
{
	return die_read_some(unit, cursor, UINT64_MAX, die);
}

bool die_follow_sibling(const struct die *die, struct cursor *cursor)
{
	uint64_t sibling = die_has(die, SLOT_SIBLING) ? die_local_target(die, SLOT_SIBLING) : 0;

	if (sibling <= cursor->position)
		return false;
	cursor->position = sibling;
	return true;
}

void die_skip_children(const struct die *die, struct cursor *cursor)
{
	struct die child;

	if (!die->has_children || die_follow_sibling(die, cursor))
		return;
	for (size_t depth = 1; depth;) {
		if (!die_read_some(die->unit, cursor, DIE_SLOT(SLOT_SIBLING), &child) ||
		    depth > NESTING_MAX) {
			cursor->failed = true;
			return;
		}
		if (!child.tag)
			depth--;
		else if (child.has_children && !die_follow_sibling(&child, cursor))
			depth++;
	}
}

bool die_root(struct unit *unit, struct die *root)
{
	struct cursor cursor = unit_cursor(unit, unit->first_die);

	return die_read(unit, &cursor, root);
}

bool die_next_child(const struct die *parent, struct cursor *cursor, struct die *child)
{
	if (!parent->has_children || !die_read(parent->unit, cursor, child) || !child->tag)
		return false;
	die_skip_children(child, cursor);
	return true;
}

/* ---- values ---- */

uint64_t die_number(const struct die *die, enum attribute_slot slot)
{
	const struct attribute *attribute = &die->slots[slot];
	const struct unit *unit = die->unit;
	uint64_t value = 0;
	int size;

	/* its length was checked when the DIE was read */
	if (attribute->form == DW_FORM_ref4) {
		memcpy(&value, attribute->bytes, 4);
		return value;
	}
	size = form_fixed_size(attribute->form, unit->version, unit->offset_size,
			       unit->address_size);
	if (size < 0)
		return uleb_read(attribute->bytes, unit_section(unit)->data + unit->end).value;
	memcpy(&value, attribute->bytes, size < 8 ? (size_t)size : 8);
	return value;
}

/* The most bytes of a string: names of C++'s templates have up to 60,000. Without a limit, each DIE
 * could have one string of a megabyte, or another end of it, for a name. */
#define STRING_MIN  ((size_t)64 << 10)
#define STRING_PART 16 /* of the section; the limit is one or the other */

/* Returns a string of a section; NULL: it is not all there, or too long, unlike in libdw. */
static const char *section_string(const struct dwarf_file *file, enum dwarf_section number,
				  uint64_t offset)
{
	const struct dwarf_section_data *section = &file->sections.section[number];

	if (offset >= section->size)
		return NULL;

	size_t left = section->size - offset, part = section->size / STRING_PART,
	       most = part > STRING_MIN ? part : STRING_MIN;
	const char *string = (const char *)section->data + offset;

	return memchr(string, 0, left < most ? left : most) ? string : NULL;
}

/* Returns the string of an index, or NULL. libdw cannot be used, because version 0.188 gives all
 * units of a .dwp file the first one's share of .debug_str_offsets. */
static const char *indexed_string(const struct unit *unit, uint64_t index)
{
	const struct dwarf_section_data *offsets =
		&unit->file->sections.section[SECTION_STR_OFFSETS];
	struct cursor cursor = cursor_of(offsets->data, offsets->size, false);

	if (index > offsets->size)
		return NULL;
	cursor_skip(&cursor, unit->str_offsets_base);
	cursor_skip(&cursor, index * unit->offset_size);

	uint64_t offset = cursor_word(&cursor, unit->offset_size);

	return cursor.failed ? NULL : section_string(unit->file, SECTION_STR, offset);
}

const char *die_string(const struct die *die, enum attribute_slot slot)
{
	if (!die_has(die, slot))
		return NULL;

	const struct dwarf_file *file = die->unit->file;

	switch (die->slots[slot].form) {
	case DW_FORM_string: return (const char *)die->slots[slot].bytes;
	case DW_FORM_strp: return section_string(file, SECTION_STR, die_number(die, slot));
	case DW_FORM_line_strp:
		return section_string(file, SECTION_LINE_STR, die_number(die, slot));
	case DW_FORM_strx:
	case DW_FORM_strx1:
	case DW_FORM_strx2:
	case DW_FORM_strx3:
	case DW_FORM_strx4:
	case DW_FORM_GNU_str_index: return indexed_string(die->unit, die_number(die, slot));
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
		return file->alt ? section_string(file->alt, SECTION_STR, die_number(die, slot))
				 : NULL;
	}
	return NULL;
}

void die_name_ahead(const struct die *die)
{
	const struct dwarf_section_data *strings = &die->unit->file->sections.section[SECTION_STR];
	uint32_t offset;

	if (!die_has(die, SLOT_NAME) || die->slots[SLOT_NAME].form != DW_FORM_strp ||
	    die->unit->offset_size != sizeof(offset))
		return;
	memcpy(&offset, die->slots[SLOT_NAME].bytes, sizeof(offset));
	if (offset < strings->size)
		__builtin_prefetch(strings->data + offset);
}

/* Reads a number with a sign in LEB128, which may be in the DIE's abbreviation. */
static int64_t read_sleb(const struct die *die, enum attribute_slot slot)
{
	const struct attribute *attribute = &die->slots[slot];
	const struct dwarf_section_data *section =
		attribute->form == DW_FORM_implicit_const
			? &die->unit->file->sections.section[SECTION_ABBREV]
			: unit_section(die->unit);
	struct cursor cursor =
		cursor_of(attribute->bytes,
			  (size_t)(section->data + section->size - attribute->bytes), false);

	return cursor_sleb(&cursor);
}

bool die_unsigned(const struct die *die, enum attribute_slot slot, uint64_t *value)
{
	if (!die_has(die, slot))
		return false;
	switch (die->slots[slot].form) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
	case DW_FORM_udata: *value = die_number(die, slot); return true;
	case DW_FORM_sdata:
	case DW_FORM_implicit_const: *value = (uint64_t)read_sleb(die, slot); return true;
	}
	return false;
}

bool die_signed(const struct die *die, enum attribute_slot slot, int64_t *value)
{
	uint64_t number;

	if (!die_unsigned(die, slot, &number))
		return false;
	switch (die->slots[slot].form) {
	case DW_FORM_data1: *value = (int8_t)number; break;
	case DW_FORM_data2: *value = (int16_t)number; break;
	case DW_FORM_data4: *value = (int32_t)number; break;
	default: *value = (int64_t)number;
	}
	return true;
}

bool die_value(const struct die *die, enum attribute_slot slot, int64_t *value)
{
	switch (die_has(die, slot) ? die->slots[slot].form : 0) {
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_udata: return die_unsigned(die, slot, (uint64_t *)value);
	}
	return die_signed(die, slot, value);
}

bool die_flag(const struct die *die, enum attribute_slot slot)
{
	uint64_t number;

	switch (die_has(die, slot) ? die->slots[slot].form : 0) {
	case DW_FORM_flag_present: return true;
	case DW_FORM_flag: return *die->slots[slot].bytes;
	}
	/* some compilers write a constant */
	return die_unsigned(die, slot, &number) && number;
}

/* sysv_abi, which is another convention only in functions for Windows */
#define CONVENTION_SYSV 0xc2

bool die_has_own_convention(const struct die *die)
{
	uint64_t convention;

	return die_unsigned(die, SLOT_CALLING_CONVENTION, &convention) &&
	       convention != DW_CC_normal && convention != DW_CC_program &&
	       convention != CONVENTION_SYSV;
}

bool unit_indexed_address(const struct unit *unit, uint64_t index, uint64_t *address)
{
	const struct dwarf_sections *sections = unit->addr_sections ?: &unit->file->sections;
	const struct dwarf_section_data *addresses = &sections->section[SECTION_ADDR];
	struct cursor cursor = cursor_of(addresses->data, addresses->size, false);

	if (index > addresses->size)
		return false;
	cursor_skip(&cursor, unit->addr_base);
	cursor_skip(&cursor, index * unit->address_size);

	uint64_t found = cursor_word(&cursor, unit->address_size);

	if (cursor.failed)
		return false;
	*address = found;
	return true;
}

bool die_address(const struct die *die, enum attribute_slot slot, uint64_t *address)
{
	if (!die_has(die, slot))
		return false;
	switch (die->slots[slot].form) {
	case DW_FORM_addr: *address = die_number(die, slot); return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case DW_FORM_GNU_addr_index:
		/* the addresses of a split unit are in the skeleton's file */
		return unit_indexed_address(die->unit, die_number(die, slot), address);
	}
	return false;
}

bool die_block(const struct die *die, enum attribute_slot slot, const uint8_t **bytes, size_t *size)
{
	const struct attribute *attribute = &die->slots[slot];
	const uint8_t *end = unit_section(die->unit)->data + die->unit->end;
	struct form_extent extent = { 0 };

	switch (die_has(die, slot) ? attribute->form : 0) {
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
	case DW_FORM_block:
	case DW_FORM_exprloc: extent = form_extent(attribute->form, attribute->bytes, end); break;
	case DW_FORM_data16: extent = (struct form_extent){ 16, attribute->bytes }; break;
	}
	if (!extent.at || extent.length > (uint64_t)(end - extent.at))
		return false;
	*bytes = extent.at;
	*size = extent.length;
	return true;
}

bool die_section_offset(const struct die *die, enum attribute_slot slot, uint64_t *offset)
{
	if (!die_has(die, slot))
		return false;
	switch (die->slots[slot].form) {
	case DW_FORM_data4: /* before DWARF 4 there was no form of its own */
	case DW_FORM_data8:
		if (die->unit->version >= 4)
			return false;
		/* fall through */
	case DW_FORM_sec_offset: *offset = die_number(die, slot); return true;
	}
	return false;
}

bool die_list_index(const struct die *die, enum attribute_slot slot, uint64_t *index)
{
	if (!die_has(die, slot) || (die->slots[slot].form != DW_FORM_loclistx &&
				    die->slots[slot].form != DW_FORM_rnglistx))
		return false;
	*index = die_number(die, slot);
	return true;
}

uint64_t die_local_target(const struct die *die, enum attribute_slot slot)
{
	const struct unit *unit = die->unit;
	uint64_t offset;

	switch (die->slots[slot].form) {
	case DW_FORM_ref1:
	case DW_FORM_ref2:
	case DW_FORM_ref4:
	case DW_FORM_ref8:
	case DW_FORM_ref_udata:
		offset = unit->offset + die_number(die, slot);
		return offset >= unit->first_die && offset < unit->end ? offset : 0;
	}
	return 0;
}
