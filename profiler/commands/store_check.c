// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof store check: rules of `dtprof check` over the heat of a fleet.
 *
 * Layouts are those of programs on this machine. Heat is that of the programs' builds in the store,
 * which knows fields by type, offset and name: each row is found in the debug information again,
 * and counts for the records within the type, too, as with a recording. Rows that fit no type, or
 * several of one name, are left out and counted. A store does not know which threads write.
 */
#include <inttypes.h>

#include "base/hash.h"
#include "base/memory.h"
#include "dwarf/debug.h"
#include "profiler/cli/output.h"
#include "profiler/commands/check_rules.h"
#include "profiler/commands/store.h"
#include "profiler/objects/dso.h"
#include "profiler/resolve/layout_facts.h"

#define SAME_NAME_MAX 64 /* types of one name in an object */
#define WITHIN_MAX    32 /* records within each other */

/* The facts of a program's types, while rows are added to them. */
struct store_heat {
	struct arena *arena;
	struct advice_type *types;
	size_t count, capacity;
	uint64_t cacheline;
	struct debug_reader *reader; /* of the program, */
	const char *object;          /* and its path */
	struct hash_map places;      /* by type: the place in `types` */
	uint64_t total, unplaced;    /* samples with a type; those that were left out */
};

/* Returns the only record of this name, as the reader has it; NULL: there is none, or several. */
static const struct type *record_named(struct debug_reader *reader, const char *name)
{
	const struct type *all[SAME_NAME_MAX], *found = NULL;
	size_t count = debug_reader_types_named(reader, name, all, SAME_NAME_MAX);

	for (size_t i = 0; i < count && i < SAME_NAME_MAX; i++) {
		const struct type *type = type_strip(all[i]);

		if (!type_is_record(type) || type->flags & TYPE_DECLARATION)
			continue;
		if (found && type_shape(found) != type_shape(type))
			return NULL;
		found = found ?: type;
	}
	return count <= SAME_NAME_MAX ? found : NULL;
}

/* Returns the facts of a type, which this call makes if they are new. */
static struct advice_type *facts_of(struct store_heat *heat, const struct type *type)
{
	bool created;
	struct advice_type *facts = hash_map_item(&heat->places, (uintptr_t)type, heat->types,
						  heat->count, heat->capacity, &created);

	if (created)
		layout_facts_place(type, heat->object, heat->cacheline, heat->arena, facts);
	return facts;
}

/* Counts a row for a record: its line and its member. In an array it is somewhere, because the
 * store knows fields without indexes. */
static void count_row(struct store_heat *heat, struct advice_type *facts, uint64_t offset,
		      const struct store_row *row, bool somewhere)
{
	int member = advice_member_at(facts, offset);
	uint64_t line = offset / heat->cacheline;

	facts->samples += row->samples;
	if (member >= 0) {
		facts->members[member].samples += row->samples;
		facts->members[member].loads += row->loads;
		facts->members[member].stores += row->stores;
	}
	if (somewhere || line >= facts->line_count)
		facts->somewhere += row->samples;
	else
		facts->line_samples[line] += row->samples;
}

/* Returns the member that has the byte, or NULL. */
static const struct member *member_at(const struct type *record, uint64_t offset)
{
	size_t count;
	const struct member *members = type_members(record, &count);

	return array_find(i, members, count,
			  members[i].offset >= 0 && (uint64_t)members[i].offset <= offset &&
				  offset - (uint64_t)members[i].offset < members[i].size);
}

/* Counts a row for a record and those within it that have the byte. */
static void count_within(struct store_heat *heat, const struct type *record, uint64_t offset,
			 const struct store_row *row)
{
	for (int depth = 0; record && depth < WITHIN_MAX; depth++) {
		const struct member *member = member_at(record, offset);
		const struct type *inner = member ? type_strip(member->type) : NULL;
		bool array = inner && inner->kind == TYPE_ARRAY;
		struct advice_type *facts = facts_of(heat, record);
		uint64_t first = member ? (uint64_t)member->offset : 0,
			 last = member ? first + member->size - 1 : 0;

		facts->within += depth ? row->samples : 0;
		count_row(heat, facts, offset, row,
			  array && first / heat->cacheline != last / heat->cacheline);
		while (inner && inner->kind == TYPE_ARRAY)
			inner = type_strip(type_target(inner));
		/* the members of a union are many things at one place */
		if (!inner || inner->kind != TYPE_STRUCT)
			return;
		uint64_t size = type_size_or(inner, 0);

		offset -= (uint64_t)member->offset;
		offset = size ? offset % size : offset;
		record = inner;
	}
}

static void take_row(struct store_heat *heat, const struct store_row *row)
{
	const char *type = row->keys[0], *field = row->keys[1];
	size_t length = strlen(type);
	int64_t offset;

	/* "(unknown)" and the like have no offset */
	if (*type == '(' || strncmp(field, type, length) != 0)
		return;
	offset = strtoll(field + length, NULL, 10);
	heat->total += row->samples;

	const struct type *record = record_named(heat->reader, type);

	if (record && offset >= 0 && (uint64_t)offset < type_size_or(record, 0))
		count_within(heat, record, (uint64_t)offset, row);
	else
		heat->unplaced += row->samples;
}

/* Adds the samples of a program's build. */
static struct error *read_heat(struct store *store, const struct store_choice *given,
			       const struct build_id *id, struct store_heat *heat)
{
	static const enum store_key keys[] = { STORE_TYPE, STORE_FIELD };
	struct store_choice choice = *given;
	_cleanup_answer_ struct store_answer answer = { 0 };

	if (!id || !id->size)
		return error_other("%s has no build id, by which the store knows its samples",
				   heat->object);
	const struct build_id_text build = build_id_text(id);

	choice.texts[STORE_BUILD] = build.hex;
	RETURN_ERROR(
		store_select(store, keys, COUNT_OF(keys), &choice, STORE_BY_SAMPLES, 0, &answer));
	array_each (const struct store_row, row, answer.rows, answer.count)
		take_row(heat, row);
	if (!answer.total.samples)
		warning("the store has no samples of %s (build %s)", heat->object, build.hex);
	return NULL;
}

COMPARISON(compare_heat, struct advice_type, DESCENDING(samples) BY_TEXT(name))

struct store_heat_source {
	struct store *store;
	const struct store_choice *choice;
};

/* Sets the checker's facts to the heat of its objects. */
static struct error *add_heat(struct rule_checker *checker, void *data)
{
	const struct store_heat_source *source = data;
	struct advice *advice = xcalloc(1, sizeof(*advice));
	struct store_heat heat = { .arena = &advice->arena, .cacheline = checker->cacheline };
	struct error *error = NULL;

	checker->facts = advice;
	checker->no_threads = true;
	for (size_t i = 0; i < checker->object_count && !error; i++) {
		const struct elf_image *image = dso_image(checker->objects[i].dso, NULL, NULL);

		heat.reader = checker->objects[i].reader;
		heat.object = checker->objects[i].dso->long_name;
		error = read_heat(source->store, source->choice,
				  image ? elf_image_build_id(image) : NULL, &heat);
	}
	array_sort(heat.types, heat.count, compare_heat);
	advice->types = arena_copy(&advice->arena, heat.types, heat.count * sizeof(*heat.types));
	advice->type_count = heat.count;
	free(heat.types);
	hash_map_deinit(&heat.places);
	if (heat.unplaced)
		warning("%" PRIu64 " of %" PRIu64 " samples are left out: there is no type of "
			"their name, or there are several",
			heat.unplaced, heat.total);
	return error;
}

struct error *store_check(struct store *store, struct store_request *request, int count,
			  char **words)
{
	struct store_heat_source source = { store, &request->choice };

	return check_files(&(struct check_request){ .input = &request->input,
						    .rules = words[0],
						    .programs = words + 1,
						    .count = count - 1,
						    .json = request->json,
						    .add_heat = add_heat,
						    .data = &source },
			   &request->found, NULL);
}
