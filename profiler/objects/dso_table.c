// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements dso_table.h. DSOs have the names that perf shows for them. */
#include "profiler/objects/dso_table.h"

#include <stdio.h>
#include <string.h>

#include "profiler/base/text.h"
#include "profiler/objects/dso_btf.h"
#include "profiler/objects/symbol_map.h"

#define KERNEL_NAME       "[kernel.kallsyms]"
#define GUEST_KERNEL_NAME "[guest.kernel.kallsyms"

bool dso_name_is_anonymous(const char *name)
{
	return !strcmp(name, "//anon") || starts_with(name, "/dev/zero") ||
	       starts_with(name, "/anon_hugepage") || starts_with(name, "[stack") ||
	       starts_with(name, "/SYSV") || starts_with(name, "[heap]");
}

/* Returns whether a name is "/tmp/perf-PID.map". Longer names that begin like it are files. */
static bool dso_name_is_jit(const char *name, int *pid)
{
	const char *number = name + strlen(JIT_MAP_PREFIX);
	int end = 0;

	return starts_with(name, JIT_MAP_PREFIX) && *number >= '0' && *number <= '9' &&
	       sscanf(number, "%9d.map%n", pid, &end) == 1 && end && !number[end];
}

static bool dso_name_is_vdso(const char *name)
{
	return !strcmp(name, "[vdso]") || !strcmp(name, "[vdso32]") || !strcmp(name, "[vdsox32]");
}

/*
 * Sets *result to "[snd_hda]" for "/lib/modules/.../snd-hda.ko.xz". Returns false if it is not the
 * file of a module.
 */
static bool module_short_name(const char *path, char **result)
{
	const char *base = base_name(path);
	const char *extension = strstr(base, ".ko");

	if (!extension || extension == base || (extension[3] && extension[3] != '.'))
		return false;
	char *name = xasprintf("[%.*s]", (int)(extension - base), base);

	for (char *at = name; *at; at++)
		if (*at == '-')
			*at = '_';
	*result = name;
	return true;
}

struct dso_names {
	enum dso_kind kind;
	char *long_name;
	char *short_name;
};

static struct dso_names dso_kernel_names(const struct dso_origin *origin)
{
	struct dso_names names = { .kind = DSO_MODULE };

	/*
	 * The map's offset is the address of the symbol after the bracket:
	 * "[kernel.kallsyms]_text".
	 */
	if (starts_with(origin->name, "[kernel.kallsyms")) {
		names.kind = DSO_KERNEL;
		names.long_name = xstrdup(KERNEL_NAME);
	} else if (starts_with(origin->name, GUEST_KERNEL_NAME)) {
		const char *end = strchr(origin->name, ']');

		names.kind = DSO_GUEST_KERNEL;
		names.long_name = end ? xstrndup(origin->name, (size_t)(end + 1 - origin->name))
				      : xstrdup(origin->name);
	} else {
		names.kind = origin->guest     ? DSO_GUEST_KERNEL
			     : origin->ksymbol ? DSO_KSYMBOL
					       : DSO_MODULE;
		names.long_name = xstrdup(origin->name);
		if (module_short_name(origin->name, &names.short_name))
			return names;
		names.short_name = xstrdup(base_name(origin->name));
		return names;
	}
	names.short_name = xstrdup(names.long_name);
	return names;
}

static struct dso_names dso_user_names(const struct dso_origin *origin)
{
	struct dso_names names = { .kind = DSO_USER, .long_name = xstrdup(origin->name) };
	int pid;

	if (origin->anonymous_code) {
		free(names.long_name);
		names.long_name = xasprintf(JIT_MAP_PREFIX "%d.map", origin->pid);
	}
	if (dso_name_is_vdso(names.long_name)) {
		names.kind = DSO_VDSO;
		names.short_name = xstrdup(names.long_name);
	} else if (dso_name_is_jit(names.long_name, &pid)) {
		names.kind = DSO_ANONYMOUS;
		names.short_name = xasprintf("[JIT] tid %d", pid);
	} else {
		if (dso_name_is_anonymous(names.long_name) || names.long_name[0] == '[')
			names.kind = DSO_ANONYMOUS;
		names.short_name = xstrdup(base_name(names.long_name));
	}
	return names;
}

struct known_build_id {
	const char *name;
	bool kernel;
	uint32_t next; /* index of the next one with the same hash, or UINT32_MAX */
	struct build_id build_id;
};

static const struct known_build_id *dso_table_find_build_id(const struct dso_table *table,
							    const char *name, bool kernel)
{
	const uint32_t *head = hash_map_find(&table->known_by_hash,
					     hash_combine(hash_bytes(name, strlen(name)), kernel));

	for (uint32_t i = head ? *head : UINT32_MAX; i != UINT32_MAX; i = table->known[i].next)
		if (table->known[i].kernel == kernel && !strcmp(table->known[i].name, name))
			return &table->known[i];
	return NULL;
}

void dso_table_add_build_id(struct dso_table *table, const char *name, bool kernel,
			    const struct build_id *build_id)
{
	bool created;

	if (dso_table_find_build_id(table, name, kernel))
		return;
	uint32_t *head =
		hash_map_insert(&table->known_by_hash,
				hash_combine(hash_bytes(name, strlen(name)), kernel), &created);

	array_reserve(table->known, table->known_count, table->known_capacity);
	table->known[table->known_count] = (struct known_build_id){
		.name = arena_strdup(&table->arena, name),
		.kernel = kernel,
		.next = created ? UINT32_MAX : *head,
		.build_id = *build_id,
	};
	*head = (uint32_t)table->known_count++;
}

/* Sets the build id that a DSO's map lacks. The DSO's hash stays the one without a build id. */
static void dso_table_apply_build_id(const struct dso_table *table, struct dso *dso)
{
	const struct known_build_id *known =
		dso_table_find_build_id(table, dso->long_name, dso_is_kernel(dso));

	if (known)
		dso->build_id = known->build_id;
}

static struct dso *dso_table_add(struct dso_table *table, const struct dso_names *names,
				 const struct build_id *build_id)
{
	struct dso *dso = arena_alloc(&table->arena, sizeof(*dso));

	array_reserve(table->dsos, table->count, table->capacity);
	array_reserve(table->next, table->count, table->next_capacity);
	array_reserve(table->next_of_name, table->count, table->next_of_name_capacity);
	dso->id = (uint32_t)table->count;
	dso->kind = names->kind;
	dso->long_name = arena_strdup(&table->arena, names->long_name);
	dso->short_name = arena_strdup(&table->arena, names->short_name);
	dso->build_id = *build_id;
	dso->release = table->release;
	if (dso->kind == DSO_KERNEL && !table->kernel)
		table->kernel = dso;
	if (dso->kind == DSO_MODULE && !table->bases)
		table->bases = btf_bases_create();
	dso->bases = table->bases;
	table->dsos[table->count] = dso;
	table->next[table->count] = UINT32_MAX;
	bool created;
	uint32_t *head = hash_map_insert(
		&table->by_name, hash_bytes(dso->long_name, strlen(dso->long_name)), &created);

	table->next_of_name[table->count] = created ? UINT32_MAX : *head;
	*head = dso->id;
	table->count++;
	return dso;
}

struct dso *dso_table_get(struct dso_table *table, const struct dso_origin *origin)
{
	static const struct build_id none;
	struct dso_names names = origin->kernel ? dso_kernel_names(origin) : dso_user_names(origin);
	const struct build_id *build_id = origin->build_id ? origin->build_id : &none;
	uint64_t hash =
		hash_combine(hash_bytes(names.long_name, strlen(names.long_name)), names.kind);
	bool created;
	struct dso *dso = NULL;

	hash = hash_combine(hash, hash_bytes(build_id->bytes, build_id->size));
	uint32_t *head = hash_map_insert(&table->by_hash, hash, &created);
	uint32_t i = created ? UINT32_MAX : *head;

	for (; i != UINT32_MAX; i = table->next[i]) {
		dso = table->dsos[i];
		if (dso->kind == names.kind && !strcmp(dso->long_name, names.long_name) &&
		    (!build_id->size || build_id_equal(&dso->build_id, build_id)))
			break;
	}
	if (i == UINT32_MAX) {
		uint32_t first = created ? UINT32_MAX : *head;

		dso = dso_table_add(table, &names, build_id);
		if (!build_id->size)
			dso_table_apply_build_id(table, dso);
		table->next[dso->id] = first;
		*head = dso->id;
	}
	free(names.long_name);
	free(names.short_name);
	return dso;
}

struct dso *dso_table_with_build_id(const struct dso_table *table, struct dso *dso)
{
	const uint32_t *head =
		dso->kind == DSO_USER && !dso->build_id.size
			? hash_map_find(&table->by_name,
					hash_bytes(dso->long_name, strlen(dso->long_name)))
			: NULL;
	struct dso *whole = NULL;

	for (uint32_t i = head ? *head : UINT32_MAX; i != UINT32_MAX; i = table->next_of_name[i]) {
		struct dso *other = table->dsos[i];

		if (other->kind != dso->kind || !other->build_id.size ||
		    strcmp(other->long_name, dso->long_name) != 0)
			continue;
		if (whole)
			return dso;
		whole = other;
	}
	return whole ? whole : dso;
}

void dso_table_set_kernel_map(struct dso_table *table, struct dso *dso,
			      const struct kernel_map *map)
{
	const char *end = strchr(map->name, ']');

	if (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE)
		dso->kernel = table->kernel;
	if ((dso->kind == DSO_MODULE || dso->kind == DSO_KSYMBOL) && !dso->load_address) {
		dso->load_address = map->start;
		dso->text_size = map->length;
	}
	if ((dso->kind != DSO_KERNEL && dso->kind != DSO_GUEST_KERNEL) || dso->reference_symbol ||
	    !end || !end[1])
		return;
	dso->reference_symbol = arena_strdup(&table->arena, end + 1);
	dso->reference_address = map->offset;
	dso->text_size = map->length;
}

void dso_table_deinit(struct dso_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		dso_files_destroy(table->dsos[i]->files);
	btf_bases_destroy(table->bases);
	free(table->dsos);
	free(table->next);
	free(table->known);
	free(table->next_of_name);
	hash_map_deinit(&table->by_hash);
	hash_map_deinit(&table->by_name);
	hash_map_deinit(&table->known_by_hash);
	arena_deinit(&table->arena);
	*table = (struct dso_table){ 0 };
}
