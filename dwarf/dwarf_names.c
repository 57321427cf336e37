/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_names.h"

#include <dwarf.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_type.h"
#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"

/* More definitions of one name than this are not compared. */
#define MAXIMUM_DEFINITIONS 4096

struct name_link {
	uint64_t die;
	uint32_t next; /* in links, + 1; 0: last */
};

struct dwarf_names {
	struct dwarf_files *files;
	pthread_mutex_t lock;
	bool built;            /* atomic */
	struct hash_map heads; /* hash << 3 | kind -> first link + 1 */
	struct hash_map tails; /* the same -> last link + 1 */
	struct name_link *links;
	size_t link_count, link_capacity;
	struct variable_entry *variables;
	size_t variable_count, variable_capacity;
	size_t thread_local_count;
};

struct dwarf_names *dwarf_names_create(struct dwarf_files *files)
{
	struct dwarf_names *names = xcalloc(1, sizeof(*names));

	names->files = files;
	pthread_mutex_init(&names->lock, NULL);
	return names;
}

void dwarf_names_destroy(struct dwarf_names *names)
{
	if (!names)
		return;
	hash_map_release(&names->heads);
	hash_map_release(&names->tails);
	free(names->links);
	free(names->variables);
	pthread_mutex_destroy(&names->lock);
	free(names);
}

static void add_name(struct dwarf_names *names, const struct name_entry *entry)
{
	uint64_t key = (uint64_t)entry->hash << 3 | entry->kind;
	bool created;

	if (names->link_count >= UINT32_MAX - 1)
		return;
	array_reserve(names->links, names->link_count, names->link_capacity);
	names->links[names->link_count++] = (struct name_link){ .die = entry->die };

	uint32_t link = (uint32_t)names->link_count;
	uint32_t *head = hash_map_insert(&names->heads, key, &created);

	if (created)
		*head = link;

	uint32_t *tail = hash_map_insert(&names->tails, key, &created);

	if (!created)
		names->links[*tail - 1].next = link;
	*tail = link;
}

static void add_unit(struct dwarf_names *names, struct unit *unit)
{
	const struct unit_index *index = unit_index_get(unit);

	for (size_t i = 0; i < index->name_count; i++)
		add_name(names, &index->names[i]);
	for (size_t i = 0; i < index->variable_count; i++) {
		array_reserve(names->variables, names->variable_count, names->variable_capacity);
		names->variables[names->variable_count++] = index->variables[i];
		names->thread_local_count += index->variables[i].thread_local_;
	}
}

static int by_address(const void *left, const void *right)
{
	const struct variable_entry *a = left, *b = right;

	if (a->thread_local_ != b->thread_local_)
		return a->thread_local_ ? 1 : -1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->die < b->die ? -1 : a->die > b->die;
}

/* The main file's units (a skeleton gives its split unit's index), then those of supplementary files. */
static void build(struct dwarf_names *names)
{
	struct dwarf_files *files = names->files;
	struct dwarf_file *main = dwarf_files_main(files);

	for (size_t i = 0; i < main->unit_count; i++)
		add_unit(names, &main->units[i]);
	for (size_t i = 1; i < __atomic_load_n(&files->count, __ATOMIC_ACQUIRE); i++) {
		struct dwarf_file *file = files->files[i];

		/* split units come through their skeletons: but not their type units */
		for (size_t j = 0; j < file->unit_count; j++) {
			if (!file->split || file->units[j].type_die)
				add_unit(names, &file->units[j]);
		}
	}
	if (names->variable_count)
		qsort(names->variables, names->variable_count, sizeof(*names->variables), by_address);
	hash_map_release(&names->tails);
}

static void ensure_built(struct dwarf_names *names)
{
	if (__atomic_load_n(&names->built, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&names->lock);
	if (!names->built) {
		build(names);
		__atomic_store_n(&names->built, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&names->lock);
}

static bool has_string(const struct die *die, enum attribute_slot slot, const char *name)
{
	const char *string = die_string(die, slot);

	return string && strcmp(string, name) == 0;
}

bool dwarf_die_is_named(struct dwarf_files *files, const struct die *die, const char *name)
{
	struct die declared;

	if (has_string(die, SLOT_NAME, name) || has_string(die, SLOT_LINKAGE_NAME, name))
		return true;
	return !die_has(die, SLOT_NAME) && die_has(die, SLOT_SPECIFICATION) &&
	       die_integrate(files, die, SLOT_NAME, &declared) &&
	       (has_string(&declared, SLOT_NAME, name) || has_string(&declared, SLOT_LINKAGE_NAME, name));
}

uint64_t dwarf_names_next(struct dwarf_names *names, const char *name, enum name_kind kind,
			  uint32_t *position)
{
	struct die die;

	ensure_built(names);
	if (!*position) {
		const uint32_t *head = hash_map_find(&names->heads, (uint64_t)name_hash(name) << 3 | kind);

		*position = head ? *head : UINT32_MAX;
	}
	while (*position != UINT32_MAX) {
		const struct name_link *link = &names->links[*position - 1];

		*position = link->next ? link->next : UINT32_MAX;
		if (die_at(names->files, link->die, &die) && dwarf_die_is_named(names->files, &die, name))
			return link->die;
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
		container = container->parent < index->container_count ? &index->containers[container->parent]
								       : NULL;
	}
	return false;
}

static enum name_kind kind_of(const struct die *die)
{
	return die->tag == DW_TAG_enumeration_type ? NAME_ENUM : NAME_RECORD;
}

/* One definition as several units have it is on one line of a header; where the line differs, the members
 * tell. */
static bool same_definition(struct dwarf_types *types, const struct die *left, const struct die *right)
{
	uint64_t left_size = 0, right_size = 0, left_line = 0, right_line = 0;

	die_unsigned(left, SLOT_BYTE_SIZE, &left_size);
	die_unsigned(right, SLOT_BYTE_SIZE, &right_size);
	if (left_size != right_size)
		return false;
	die_unsigned(left, SLOT_DECLARED_LINE, &left_line);
	die_unsigned(right, SLOT_DECLARED_LINE, &right_line);
	return left_line == right_line || dwarf_fingerprint(types, left) == dwarf_fingerprint(types, right);
}

uint64_t dwarf_names_definition(struct dwarf_names *names, struct dwarf_types *types,
				const struct die *declaration, const char *qualified_name)
{
	const char *name = die_name(declaration);
	uint64_t found = 0, reference;
	uint32_t position = 0;
	int tried = 0;
	struct die first, die;

	if (!name)
		return 0;
	while ((reference = dwarf_names_next(names, name, kind_of(declaration), &position))) {
		_cleanup_strbuf_ struct strbuf candidate = STRBUF_INIT;

		if (tried++ >= MAXIMUM_DEFINITIONS)
			return 0;
		if (!die_at(names->files, reference, &die) || die_has(&die, SLOT_SIGNATURE) ||
		    is_local(&die) || !dwarf_qualified_name(types, &die, &candidate) ||
		    strcmp(candidate.data, qualified_name) != 0)
			continue;
		if (found && !same_definition(types, &first, &die))
			return 0;
		if (!found) {
			found = reference;
			first = die;
		}
	}
	return found;
}

const struct variable_entry *dwarf_names_variables(struct dwarf_names *names, size_t *count,
						   size_t *thread_local_count)
{
	ensure_built(names);
	*count = names->variable_count;
	*thread_local_count = names->thread_local_count;
	return names->variables;
}
