// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The names of all units of an object.
 *
 * A large object (a kernel) has each of its types in thousands of units, so definitions that look
 * the same are taken once. The passes over C units look into no function, and keep nothing but the
 * names.
 */
#include "dwarf/dwarf/names.h"

#include <dwarf.h>

#include "dwarf/dwarf/index.h"
#include "dwarf/dwarf/pass.h"
#include "dwarf/dwarf/type.h"
#include "dwarf/types/language.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/type_name.h"

/* ---- the names of one unit ---- */

struct scanned_name {
	uint64_t identity; /* equal for DIEs of the same kind, name and shape */
	uint64_t die;      /* the first that has it */
	uint32_t hash;     /* name_hash() */
	uint8_t kind;      /* enum name_kind */
};

/* A name that is looked for only after some others: by then its slot is in the cache. */
struct waiting_name {
	uint64_t identity, die;
	const char *name;
	uint8_t kind;
};

#define WAITING_COUNT 8 /* a power of two */

/* Zero-initialized is empty. */
struct name_scan {
	struct waiting_name waiting[WAITING_COUNT]; /* a ring, from first_waiting on */
	size_t first_waiting, end_waiting;
	struct scanned_name *names; /* in the order of the units */
	size_t count, capacity;
	uint64_t *slots; /* identities, hashed; 0: free */
	size_t slot_count;
};

static bool is_type_kind(uint8_t kind)
{
	return kind != NAME_FUNCTION && kind != NAME_VARIABLE;
}

/* The kind of a step whose DIEs have to be read as a whole. Of all others the layout's look is
 * enough: they have no second name, and other units see them. */
#define KIND_WHOLE 0xff

static bool is_flag(const struct die_layout *layout, enum attribute_slot slot)
{
	return layout_has(layout, slot) && layout_form(layout, slot) == DW_FORM_flag_present;
}

static bool is_look_enough(const struct die_layout *layout, uint8_t kind)
{
	return layout->has_look && !layout_has(layout, SLOT_SPECIFICATION) &&
	       !layout_has(layout, SLOT_LINKAGE_NAME) &&
	       (is_type_kind(kind) ? !layout_has(layout, SLOT_DECLARATION)
				   : is_flag(layout, SLOT_EXTERNAL) &&
					     is_flag(layout, SLOT_DECLARATION) ==
						     layout_has(layout, SLOT_DECLARATION));
}

/* Chooses DIEs with names, but no declared types, and nothing that its unit alone sees. */
static void choose_names(struct pass_step *step)
{
	const struct die_layout *layout = step->layout;
	bool is_named = layout_has(layout, SLOT_NAME);
	uint8_t kind;

	if (!name_kind_of_tag(layout->tag, &kind))
		return;
	step->kind = is_look_enough(layout, kind) ? kind : KIND_WHOLE;
	if (is_type_kind(kind) && is_flag(layout, SLOT_DECLARATION))
		return;
	step->wanted = layout_has(layout, SLOT_SPECIFICATION) ||
		       (is_named && (is_type_kind(kind) || layout_has(layout, SLOT_EXTERNAL)));
}

/* ---- a set of names ---- */

/* Returns the slot of an identity. Identities are odd. */
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

/* Adds a name whose identity is not in the set yet. Names that are in the set are never hashed. */
static void add_scanned(struct name_scan *scan, uint64_t identity, uint8_t kind, uint64_t die,
			const char *name)
{
	if (2 * scan->count >= scan->slot_count)
		grow_slots(scan);

	size_t mask = scan->slot_count - 1, slot = slot_of(identity, mask);

	for (; scan->slots[slot]; slot = (slot + 1) & mask)
		if (scan->slots[slot] == identity)
			return;
	if (!*name || scan->count >= UINT32_MAX - 1)
		return;
	array_add(scan->names, scan->count, scan->capacity) = (struct scanned_name){
		.identity = identity,
		.die = die,
		.hash = name_hash(name),
		.kind = kind,
	};
	scan->slots[slot] = identity;
}

static void add_first_waiting(struct name_scan *scan)
{
	const struct waiting_name *name = &scan->waiting[scan->first_waiting++ % WAITING_COUNT];

	add_scanned(scan, name->identity, name->kind, name->die, name->name);
}

static void add_waiting(struct name_scan *scan)
{
	while (scan->first_waiting != scan->end_waiting)
		add_first_waiting(scan);
}

/* Like add_scanned(), but adds the name some time before the scan ends. */
static void add_later(struct name_scan *scan, uint64_t identity, uint8_t kind, uint64_t die,
		      const char *name)
{
	if (scan->end_waiting - scan->first_waiting == WAITING_COUNT)
		add_first_waiting(scan);
	if (scan->slots)
		__builtin_prefetch(&scan->slots[slot_of(identity, scan->slot_count - 1)]);
	scan->waiting[scan->end_waiting++ % WAITING_COUNT] =
		(struct waiting_name){ identity, die, name, kind };
}

/* ---- DIEs ---- */

/* Returns the shape of a type. Definitions of one name are told apart by it. The shape of functions
 * and variables is whether they are only declared. */
static uint64_t shape_of_type(uint64_t size, uint64_t line)
{
	return size << 32 ^ line;
}

/* Returns a number that is equal for DIEs of the same name (a key), kind and shape. Never 0. */
static uint64_t identity_of(const struct pass *pass, uint64_t name, uint8_t kind, uint64_t shape)
{
	uint64_t place = (uint64_t)pass->unit.file->index << 8 | kind;

	/* both factors are odd, so sums differ if only one of the three values does */
	return hash_mix(name + shape * HASH_GOLDEN_RATIO + place * UINT64_C(0xc2b2ae3d27d4eb4f)) |
	       1;
}

static void take_text(struct name_scan *names, const struct pass *pass, const struct die *die,
		      uint8_t kind, uint64_t shape, const char *text)
{
	const struct dwarf_section_data *strings = &pass->unit.file->sections.section[SECTION_STR];
	uint64_t key;

	if (!text)
		return;
	/* .debug_str has each string once, so its offset is the key */
	key = (uint64_t)(text - (const char *)strings->data);
	if (key >= strings->size)
		key = hash_bytes(text, strlen(text)) | UINT64_C(1) << 63;
	add_later(names, identity_of(pass, key, kind, shape), kind, die_reference(die), text);
}

/* Returns the DIE with the names: `die`, or what it specifies, in *other; or NULL. */
static const struct die *named_die(struct pass *pass, const struct die *die, struct die *other)
{
	if (die_has(die, SLOT_NAME))
		return die;

	uint64_t target = die_target(die, SLOT_SPECIFICATION) & REFERENCE_OFFSET_MASK;
	struct cursor cursor = unit_cursor(&pass->unit, target);

	return die_read(&pass->unit, &cursor, other) ? other : NULL;
}

static void take_name(struct name_scan *names, struct pass *pass, const struct pass_die *at)
{
	const struct die *named = NULL;
	uint64_t size = 0, line = 0;
	struct die die, other;
	uint8_t kind;

	if (pass_read(&pass->unit, at, &die) && name_kind_of_tag(die.tag, &kind))
		named = named_die(pass, &die, &other);
	if (!named)
		return;

	bool declaration = die_flag(&die, SLOT_DECLARATION);

	if (!(is_type_kind(kind)
		      ? !declaration
		      : die_flag(&die, SLOT_EXTERNAL) || die_flag(named, SLOT_EXTERNAL) != 0))
		return;
	die_unsigned(&die, SLOT_BYTE_SIZE, &size);
	die_unsigned(&die, SLOT_DECLARED_LINE, &line);

	uint64_t shape = is_type_kind(kind) ? shape_of_type(size, line) : declaration;

	take_text(names, pass, &die, kind, shape, die_name(named));
	take_text(names, pass, &die, kind, shape, die_string(named, SLOT_LINKAGE_NAME));
}

/* The same for a DIE whose look is enough. False: it is too near to the unit's end. */
static bool take_look(struct name_scan *names, const struct pass *pass, const struct pass_die *at)
{
	const struct dwarf_section_data *strings = &pass->unit.file->sections.section[SECTION_STR];
	const struct die_layout *layout = at->step->layout;
	const struct layout_look *look = &layout->look;
	uint8_t kind = at->step->kind;

	if ((size_t)(pass->end - at->attributes) < (size_t)layout->size + sizeof(uint64_t))
		return false;

	uint64_t name = layout_number_read(&look->name, at->attributes);
	uint64_t shape = is_type_kind(kind)
				 ? shape_of_type(layout_number_read(&look->size, at->attributes),
						 layout_number_read(&look->line, at->attributes))
				 : layout_has(layout, SLOT_DECLARATION);

	if (name < strings->size)
		add_later(names, identity_of(pass, name, kind, shape), kind,
			  unit_reference(&pass->unit, at->offset),
			  (const char *)strings->data + name);
	return true;
}

/* Adds the unit's types, external functions and variables. False: pass_start() forbids it. */
static bool scan_names(struct pass *pass, const struct unit *unit, struct name_scan *names)
{
	struct pass_die die;

	if (!pass_start(pass, unit, choose_names))
		return false;
	while (pass_next(pass, &die))
		if (die.step->kind == KIND_WHOLE || !take_look(names, pass, &die))
			take_name(names, pass, &die);
	add_waiting(names);
	return true;
}

static void name_scan_deinit(struct name_scan *scan)
{
	free_all(scan->names, scan->slots);
	*scan = (struct name_scan){ 0 };
}

/* ---- the names of all units ---- */

/* The most definitions of one name that are compared. If there are more, none is taken. */
#define DEFINITIONS_MAX 4096
/* Units that a thread takes at once. */
#define BATCH 64

struct name_link {
	uint64_t die;
	uint64_t identity; /* as in struct scanned_name, or 0 */
	uint32_t next;     /* in links, + 1; 0: last */
	uint32_t last;     /* in the first link of a key: the last one + 1 */
};

/* DIEs by hash and kind of their name, in the order of the files. */
struct name_table {
	struct hash_map heads; /* hash << 3 | kind -> first link + 1 */
	struct name_link *links;
	size_t count, capacity;
};

/* The names and variables that one thread found in its units, in their order. */
struct share {
	struct share *next;
	struct name_scan names;
	struct unit **whole; /* units that had to be read as a whole */
	size_t whole_count, whole_capacity;
	size_t next_name, next_whole; /* for merging */
	struct variable_list variables;
};

/* A pass over all units of the main file by all who wait. The lock guards all but `done`. */
struct joint_pass {
	bool done; /* atomic */
	size_t next_unit;
	size_t readers; /* threads that have a share */
	struct share *shares;
};

struct dwarf_names {
	struct dwarf_files *files;
	bool separate; /* dwarf_names_separate() */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	/* C units: names of the file scope; other units: all names */
	struct joint_pass file_scope_pass;
	struct name_table file_scope;
	struct variable_list file_scope_variables; /* of other units than C */
	/* with those in functions; built if asked for */
	bool all_built; /* atomic */
	struct name_table all;
	/* the types among them; built if asked for */
	bool types_built;
	struct named_type {
		uint64_t reference;
		const char *name;
		bool ignores_case; /* its language does */
	} * types;
	size_t type_count;
	struct joint_pass all_variables_pass;
	struct variable_list all_variables;
};

struct dwarf_names *dwarf_names_create(struct dwarf_files *files)
{
	struct dwarf_names *names = xcalloc(1, sizeof(*names));

	names->files = files;
	pthread_mutex_init(&names->lock, NULL);
	pthread_cond_init(&names->changed, NULL);
	return names;
}

static void name_table_deinit(struct name_table *table)
{
	hash_map_deinit(&table->heads);
	free(table->links);
}

static void shares_destroy(struct joint_pass *joint)
{
	for (struct share *share = joint->shares, *next; share; share = next) {
		next = share->next;
		name_scan_deinit(&share->names);
		free(share->whole);
		variable_list_deinit(&share->variables);
		free(share);
	}
	joint->shares = NULL;
}

void dwarf_names_destroy(struct dwarf_names *names)
{
	if (!names)
		return;
	name_table_deinit(&names->file_scope);
	name_table_deinit(&names->all);
	free(names->types);
	shares_destroy(&names->file_scope_pass);
	shares_destroy(&names->all_variables_pass);
	variable_list_deinit(&names->file_scope_variables);
	variable_list_deinit(&names->all_variables);
	pthread_cond_destroy(&names->changed);
	pthread_mutex_destroy(&names->lock);
	free(names);
}

/* Adds a name. One with an identity is added once, one without (0) always. */
static void add_name(struct name_table *table, uint32_t hash, uint8_t kind, uint64_t die,
		     uint64_t identity)
{
	uint64_t key = (uint64_t)hash << 3 | kind;
	bool created;

	if (table->count >= UINT32_MAX - 1)
		return;

	uint32_t *head = hash_map_insert(&table->heads, key, &created);
	uint32_t link = (uint32_t)table->count + 1;

	for (uint32_t at = identity ? *head : 0; at; at = table->links[at - 1].next)
		if (table->links[at - 1].identity == identity)
			return;
	array_add(table->links, table->count, table->capacity) =
		(struct name_link){ .die = die, .identity = identity };
	if (created)
		*head = link;
	else
		table->links[table->links[*head - 1].last - 1].next = link;
	table->links[*head - 1].last = link;
}

static void add_whole_unit(struct name_table *table, struct unit *unit)
{
	const struct unit_index *index = unit_index_get(unit);

	for (size_t i = 0; i < index->name_count; i++)
		add_name(table, index->names[i].hash, index->names[i].kind, index->names[i].die, 0);
}

/* ---- passes over all units ---- */

typedef void (*read_unit)(struct unit *unit, struct pass *pass, struct share *share);

static void read_batch(struct dwarf_file *main, size_t first, read_unit read, struct pass *pass,
		       struct share *share)
{
	size_t end = first + BATCH < main->unit_count ? first + BATCH : main->unit_count;
	uint64_t start = main->units[first].offset;

	for (size_t i = first; i < end; i++) {
		struct unit *unit = &main->units[i];

		if (!unit->in_types)
			dwarf_file_passed(main, &start, unit->offset);
		read(unit, pass, share);
	}
	if (!main->units[end - 1].in_types)
		dwarf_file_done_with(main, start, main->units[end - 1].end);
}

/* Reads units as long as there are any. The lock is held before and after, not in between. */
static void take_part(struct dwarf_names *names, struct joint_pass *joint, read_unit read)
{
	struct dwarf_file *main = dwarf_files_main(names->files);
	struct share *share = xcalloc(1, sizeof(*share));
	struct pass pass = { 0 };

	joint->readers++;
	while (joint->next_unit < main->unit_count) {
		size_t first = joint->next_unit;

		joint->next_unit += BATCH;
		pthread_mutex_unlock(&names->lock);
		read_batch(main, first, read, &pass, share);
		pthread_mutex_lock(&names->lock);
	}
	joint->readers--;
	share->next = joint->shares;
	joint->shares = share;
	pass_deinit(&pass);
}

/* Takes part in a pass and returns when it is done. The last thread that reads merges what all have
 * found; the result must not depend on which thread read which units. */
static void ensure_joint(struct dwarf_names *names, struct joint_pass *joint, read_unit read,
			 void (*merge)(struct dwarf_names *names))
{
	if (__atomic_load_n(&joint->done, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&names->lock);
	if (!joint->done)
		take_part(names, joint, read);
	if (!joint->readers && !joint->done) {
		merge(names);
		shares_destroy(joint);
		__atomic_store_n(&joint->done, true, __ATOMIC_RELEASE);
		pthread_cond_broadcast(&names->changed);
	}
	while (!joint->done)
		pthread_cond_wait(&names->changed, &names->lock);
	pthread_mutex_unlock(&names->lock);
}

/* ---- the file scope ---- */

static void read_names(struct unit *unit, struct pass *pass, struct share *share)
{
	if (scan_names(pass, unit, &share->names))
		return;
	unit_index_get(unit);
	array_add(share->whole, share->whole_count, share->whole_capacity) = unit;
}

/* Returns the reference at which a share goes on, or UINT64_MAX at its end. */
static uint64_t share_position(const struct share *share)
{
	const struct unit *unit =
		share->next_whole < share->whole_count ? share->whole[share->next_whole] : NULL;
	uint64_t name = share->next_name < share->names.count
				? share->names.names[share->next_name].die
				: UINT64_MAX;
	uint64_t whole = unit ? unit_reference(unit, unit->offset) : UINT64_MAX;

	return name < whole ? name : whole;
}

static void merge_next(struct dwarf_names *names, struct share *share)
{
	const struct scanned_name *name = share->next_name < share->names.count
						  ? &share->names.names[share->next_name]
						  : NULL;

	if (name && name->die == share_position(share)) {
		add_name(&names->file_scope, name->hash, name->kind, name->die, name->identity);
		share->next_name++;
		return;
	}
	struct unit *unit = share->whole[share->next_whole++];

	add_whole_unit(&names->file_scope, unit);
	variable_list_append(&names->file_scope_variables, &unit_index_get(unit)->variables);
}

/* Merges the names of all threads in the order of the units. */
static void merge_shares(struct dwarf_names *names)
{
	size_t most = 0;

	/* there are at least as many names as in the largest share, and mostly a third more */
	for (const struct share *share = names->file_scope_pass.shares; share; share = share->next)
		most = share->names.count > most ? share->names.count : most;
	hash_map_reserve(&names->file_scope.heads, most + most / 3);
	for (;;) {
		struct share *first = NULL;
		uint64_t position = UINT64_MAX;

		for (struct share *share = names->file_scope_pass.shares; share;
		     share = share->next) {
			uint64_t at = share_position(share);

			if (at < position) {
				first = share;
				position = at;
			}
		}
		if (!first)
			break;
		merge_next(names, first);
	}
}

/* Adds the units of alternate and split files, and of modules, that no unit of the main file stands
 * for. The units of a split file come through their skeletons, except its type units. */
static void add_other_files(struct dwarf_names *names, struct name_table *table,
			    struct variable_list *variables)
{
	struct dwarf_files *files = names->files;

	for (size_t i = 1; i < __atomic_load_n(&files->count, __ATOMIC_ACQUIRE); i++) {
		struct dwarf_file *file = files->files[i];

		for (size_t j = 0; j < file->unit_count; j++) {
			if ((file->split || file->units[j].skeleton) && !file->units[j].type_die)
				continue;
			add_whole_unit(table, &file->units[j]);
			variable_list_append(variables,
					     &unit_index_get(&file->units[j])->variables);
		}
	}
}

static void merge_file_scope(struct dwarf_names *names)
{
	merge_shares(names);
	add_other_files(names, &names->file_scope, &names->file_scope_variables);
	variable_list_sort(&names->file_scope_variables);
	dwarf_file_done_with_abbrevs(dwarf_files_main(names->files));
}

static void ensure_built(struct dwarf_names *names)
{
	ensure_joint(names, &names->file_scope_pass, read_names, merge_file_scope);
}

void dwarf_names_prepare(struct dwarf_names *names)
{
	if (!names->separate)
		ensure_built(names);
}

void dwarf_names_separate(struct dwarf_names *names)
{
	names->separate = true;
}

bool dwarf_names_are_separate(const struct dwarf_names *names)
{
	return names->separate;
}

/* ---- all names ---- */

/* Adds the main file's units (a skeleton has its split unit's index), then those of other files. */
static void build_all(struct dwarf_names *names)
{
	struct dwarf_file *main = dwarf_files_main(names->files);
	struct variable_list ignored = { 0 };

	for (size_t i = 0; i < main->unit_count; i++)
		add_whole_unit(&names->all, &main->units[i]);
	add_other_files(names, &names->all, &ignored);
	variable_list_deinit(&ignored);
}

static void ensure_all(struct dwarf_names *names)
{
	if (__atomic_load_n(&names->all_built, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&names->lock);
	if (!names->all_built) {
		build_all(names);
		__atomic_store_n(&names->all_built, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&names->lock);
}

static void read_variables(struct unit *unit, struct pass *pass, struct share *share)
{
	if (!scan_variables(pass, unit, &share->variables))
		variable_list_append(&share->variables, &unit_index_get(unit)->variables);
}

static void merge_variables(struct dwarf_names *names)
{
	struct variable_list *all = &names->all_variables;
	struct name_table ignored = { 0 };

	for (const struct share *share = names->all_variables_pass.shares; share;
	     share = share->next)
		variable_list_append(all, &share->variables);
	add_other_files(names, &ignored, all);
	name_table_deinit(&ignored);
	variable_list_sort(all);
}

/* ---- looking up ---- */

static bool has_string(const struct die *die, enum attribute_slot slot, const char *name)
{
	const char *string = die_string(die, slot);

	return string && strcmp(string, name) == 0;
}

bool dwarf_die_is_named(struct dwarf_files *files, const struct die *die, const char *name)
{
	const struct die *declared;
	struct die other;

	if (has_string(die, SLOT_NAME, name) || has_string(die, SLOT_LINKAGE_NAME, name))
		return true;
	return !die_has(die, SLOT_NAME) && die_has(die, SLOT_SPECIFICATION) &&
	       (declared = die_integrate(files, die, SLOT_NAME, &other)) &&
	       (has_string(declared, SLOT_NAME, name) ||
		has_string(declared, SLOT_LINKAGE_NAME, name));
}

/* Finds the next DIE of the name and reads it into *die. Returns its link, or NULL. */
static const struct name_link *next_link(const struct dwarf_names *names,
					 const struct name_table *table, const char *name,
					 enum name_kind kind, uint32_t *position, struct die *die)
{
	if (!*position) {
		const uint32_t *head =
			hash_map_find(&table->heads, (uint64_t)name_hash(name) << 3 | kind);

		*position = head ? *head : UINT32_MAX;
	}
	while (*position != UINT32_MAX) {
		const struct name_link *link = &table->links[*position - 1];

		*position = link->next ?: UINT32_MAX;
		if (die_at(names->files, link->die, die) &&
		    dwarf_die_is_named(names->files, die, name))
			return link;
	}
	return NULL;
}

static uint64_t next_in(const struct dwarf_names *names, const struct name_table *table,
			const char *name, enum name_kind kind, uint32_t *position)
{
	struct die die;
	const struct name_link *link = next_link(names, table, name, kind, position, &die);

	return link ? link->die : 0;
}

uint64_t dwarf_names_next(struct dwarf_names *names, const char *name, enum name_kind kind,
			  uint32_t *position)
{
	ensure_built(names);
	return next_in(names, &names->file_scope, name, kind, position);
}

uint64_t dwarf_names_next_of_all(struct dwarf_names *names, const char *name, enum name_kind kind,
				 uint32_t *position)
{
	ensure_all(names);
	return next_in(names, &names->all, name, kind, position);
}

static bool names_is_type(const struct die *die)
{
	switch (die->tag) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
	case DW_TAG_typedef: return true;
	default: return false;
	}
}

/* Reads the names of all types, for comparing them with what users write. */
static void build_types(struct dwarf_names *names)
{
	size_t capacity = 0;

	for (uint32_t i = 0; i < names->all.count; i++) {
		uint64_t reference = names->all.links[i].die;
		const char *name;
		struct die die;

		if (!die_at(names->files, reference, &die) || !names_is_type(&die) ||
		    !(name = die_name(&die)))
			continue;
		array_add(names->types, names->type_count, capacity) =
			(struct named_type){ reference, name,
					     language_ignores_case(die.unit->language) };
	}
}

static void ensure_types(struct dwarf_names *names)
{
	ensure_all(names);
	pthread_mutex_lock(&names->lock);
	if (!names->types_built)
		build_types(names);
	names->types_built = true;
	pthread_mutex_unlock(&names->lock);
}

uint64_t dwarf_names_next_meant(struct dwarf_names *names, const struct meant_type *wanted,
				uint32_t *position, const char **meant)
{
	if (!*position)
		ensure_types(names);
	while (*position < names->type_count) {
		const struct named_type *type = &names->types[(*position)++];

		*meant = meant_type_matches(wanted, type->name) ? wanted->text : type->name;
		if (*meant == wanted->text ||
		    (type->ignores_case && strcasecmp(wanted->text, type->name) == 0))
			return type->reference;
	}
	return 0;
}

uint64_t dwarf_names_next_type(struct dwarf_names *names, uint32_t *position)
{
	struct die die;
	uint8_t kind;

	ensure_built(names);
	while (*position < names->file_scope.count) {
		uint64_t reference = names->file_scope.links[(*position)++].die;

		if (die_at(names->files, reference, &die) && name_kind_of_tag(die.tag, &kind) &&
		    is_type_kind(kind))
			return reference;
	}
	return 0;
}

static bool is_local(const struct die *die)
{
	const struct unit_index *index = unit_index_get(die->unit);
	const struct container *container = unit_index_container(index, die->offset);

	for (int i = 0; container && i < 64; i++) {
		if (container->tag == DW_TAG_subprogram)
			return true;
		container = container->parent < index->container_count
				    ? &index->containers[container->parent]
				    : NULL;
	}
	return false;
}

static enum name_kind kind_of(const struct die *die)
{
	return die->tag == DW_TAG_enumeration_type ? NAME_ENUM : NAME_RECORD;
}

/* Several units have one definition from one line of a header. Else the members decide. */
static bool same_definition(struct dwarf_types *types, const struct die *left,
			    const struct die *right)
{
	uint64_t left_size = 0, right_size = 0, left_line = 0, right_line = 0;

	die_unsigned(left, SLOT_BYTE_SIZE, &left_size);
	die_unsigned(right, SLOT_BYTE_SIZE, &right_size);
	if (left_size != right_size)
		return false;
	die_unsigned(left, SLOT_DECLARED_LINE, &left_line);
	die_unsigned(right, SLOT_DECLARED_LINE, &right_line);
	return left_line == right_line ||
	       dwarf_fingerprint(types, left) == dwarf_fingerprint(types, right);
}

uint64_t dwarf_names_definition(struct dwarf_names *names, struct dwarf_types *types,
				const struct die *declaration, const char *qualified_name)
{
	const char *name = die_name(declaration);
	uint64_t found = 0;
	uint32_t position = 0;
	int tried = 0;
	const struct name_link *link;
	struct die first, die;

	if (!name || names->separate)
		return 0;
	ensure_built(names);
	while ((link = next_link(names, &names->file_scope, name, kind_of(declaration), &position,
				 &die))) {
		_cleanup_strbuf_ struct strbuf candidate = STRBUF_INIT;

		if (tried++ >= DEFINITIONS_MAX)
			return 0;
		/* scanned names are of the file scope, so their units need no index */
		if (die_has(&die, SLOT_SIGNATURE) || (!link->identity && is_local(&die)) ||
		    !dwarf_qualified_name(types, &die, &candidate) ||
		    strcmp(candidate.data, qualified_name) != 0)
			continue;
		if (found && !same_definition(types, &first, &die))
			return 0;
		if (!found) {
			found = link->die;
			first = die;
		}
	}
	return found;
}

const struct variable_list *dwarf_names_variables(struct dwarf_names *names, bool all)
{
	if (all)
		ensure_joint(names, &names->all_variables_pass, read_variables, merge_variables);
	else
		ensure_built(names);
	return all ? &names->all_variables : &names->file_scope_variables;
}
