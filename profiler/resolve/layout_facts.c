// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements layout_facts.h.
 *
 * Three passes: the samples of each record (find_types()); members, threads and objects of the
 * types that are wanted (count_members()); and the code of all functions with samples
 * (layout_collect_code()), whose accesses are resolved together for each object.
 */
#include "profiler/resolve/layout_facts.h"

#include "annotate/access.h"
#include "annotate/types/member.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/type.h"
#include "base/hash.h"
#include "base/text.h"
#include "base/type_name.h"
#include "profiler/resolve/code_loops.h"
#include "profiler/resolve/layout_private.h"
#include "profiler/resolve/operands.h"
#include "profiler/resolve/private.h"
#include "profiler/resolve/record_sources.h"
#include "profiler/resolve/sharing_uses.h"
#include "report/c2c/sharing.h"

#define MINOR_SHARE   0.01       /* of all samples: types with fewer are left out, if they have */
#define MINOR_SAMPLES 10         /* fewer than this, too, or are of the system's libraries */
#define LINES_MAX     (1U << 16) /* larger records are arrays, whose lines nobody counts */

const char *function_shown_name(struct arena *arena, const char *name)
{
	_cleanup_free_ char *readable = name ? symbol_demangle(name) : NULL;

	return arena_strdup(arena, readable ?: name ?: "(no name)");
}

/* ---- which types ---- */

/* Returns whether a type has the name that was asked for, or none was. */
static bool is_named(struct facts_collector *collector, const struct type *type)
{
	const char *name = collector->options->type;
	uint32_t *known;
	bool created;

	if (!name)
		return true;
	known = hash_map_insert(&collector->named, (uintptr_t)type, &created);
	if (created)
		*known = type_name_matches(name, type_label_interned(type));
	return *known;
}

/* Begins with the record of layout_record_of(). */
static bool begin_records(struct facts_collector *collector, const struct access *access,
			  struct access_records *records)
{
	struct access either = *access;
	bool found;

	if (access_other_member(access)) {
		either.type = access->overlay.type;
		either.offset = access->overlay.offset;
	}
	found = access_records_begin(&either, records);
	while (found && !is_named(collector, records->type))
		found = access_records_next(records);
	return found;
}

const struct type *layout_record_of(struct facts_collector *collector, const struct access *access,
				    uint64_t *offset)
{
	struct access_records records;
	bool found = begin_records(collector, access, &records);

	*offset = found ? (uint64_t)records.offset : 0;
	return found ? records.type : NULL;
}

/* Returns a number for the type, never 0. */
static uint32_t hash_of_type(const struct type *type)
{
	return (uint32_t)hash_combine((uintptr_t)type, 0) | 1;
}

struct loop_member *layout_loop_members(const struct cfg *code, const struct access *accesses)
{
	struct loop_member *members = xcalloc(code->insn_count + 1, sizeof(*members));

	array_indexed (const struct access, access, i, accesses, code->insn_count) {
		struct access_records records;
		bool found = access->kind == ACCESS_TYPE && access_records_begin(access, &records);

		if (access->kind == ACCESS_TYPE && !access->indexed)
			members[i].outer = (uint32_t)hash_combine((uintptr_t)access->type,
								  (uint64_t)access->offset) |
					   1;
		if (found)
			members[i].whole = hash_of_type(records.type);
		for (; found; found = access_records_next(&records)) {
			members[i].inner = hash_of_type(records.type);
			members[i].offset = (uint32_t)records.offset;
			members[i].size = access->size;
		}
	}
	return members;
}

size_t layout_records_of(struct facts_collector *collector, const struct access *access,
			 struct layout_record *records)
{
	const struct layout_facts_options *options = collector->options;
	struct access_records at;
	size_t count = 0;

	if (access->kind != ACCESS_TYPE || !begin_records(collector, access, &at))
		return 0;
	do {
		if (count && !options->parts && type_strip(at.member->type)->kind != TYPE_ARRAY)
			continue;
		records[count++] =
			(struct layout_record){ at.type, (uint64_t)at.offset, at.member != NULL };
	} while ((options->parts || !options->type) && count < LAYOUT_RECORDS_MAX &&
		 access_records_next(&at));
	return count;
}

struct chosen_type *layout_wanted_find(const struct facts_collector *collector,
				       const struct type *type)
{
	const uint32_t *index = hash_map_find(&collector->by_type, (uintptr_t)type);

	return index ? &collector->wanted[*index] : NULL;
}

/* Returns whether a level, as in struct counted, is that of user space. */
static bool is_user(char level)
{
	return level == '.' || level == 'u';
}

/* Adds samples to a type, which becomes a wanted one. */
static void add_samples(struct facts_collector *collector, const struct type *type, struct dso *dso,
			uint64_t samples, bool within)
{
	bool created;
	struct chosen_type *wanted =
		hash_map_item(&collector->by_type, (uintptr_t)type, collector->wanted,
			      collector->wanted_count, collector->wanted_capacity, &created);

	if (created)
		*wanted = (struct chosen_type){ .type = type, .dso = dso };
	wanted->samples += samples;
	wanted->within += within ? samples : 0;
}

static void find_types(struct facts_collector *collector)
{
	const struct resolution *resolution = collector->resolution;

	for (size_t i = 0; i < collector->counts->count; i++) {
		const struct resolved_place *place = entry_place(resolution, i);
		uint64_t samples = collector->counts->entries[i].samples;
		struct dso *dso = resolved_place_type_dso(place);

		collector->total += samples;
		collector->user += is_user(collector->counts->entries[i].level) ? samples : 0;
		struct layout_record records[LAYOUT_RECORDS_MAX];
		size_t count = layout_records_of(collector, &place->access, records);

		for (size_t k = 0; k < count; k++)
			add_samples(collector, records[k].type, dso, samples, records[k].within);
	}
}

COMPARISON(compare_wanted, struct chosen_type,
	   DESCENDING(samples) BY(strcmp(type_name_interned(a->type), type_name_interned(b->type)),
				  0)
		   BY(strcmp(a->dso ? a->dso->long_name : "", b->dso ? b->dso->long_name : ""), 0))

/* Returns the samples of an object that are charged to accesses of no known type. */
static uint64_t unknown_samples(const struct facts_collector *collector, const struct dso *dso)
{
	const struct resolution *resolution = collector->resolution;
	uint64_t samples = 0;

	for (size_t i = 0; i < collector->counts->count; i++) {
		const struct resolved_place *place = entry_place(resolution, i);

		if (place->dso == dso && place->access.kind == ACCESS_UNKNOWN)
			samples += collector->counts->entries[i].samples;
	}
	return samples;
}

/* Returns whether the path is that of a library of the system. */
static bool is_system_library(const char *path)
{
	return (starts_with(path, "/lib") || starts_with(path, "/usr/lib")) &&
	       strstr(base_name(path), ".so");
}

/* Returns whether a type has so few samples that nobody would change it for them: hardly any, or a
 * small share if it is one of a library of the system. */
static bool is_minor(const struct facts_collector *collector, const struct chosen_type *wanted)
{
	return (double)wanted->samples < MINOR_SHARE * (double)collector->total &&
	       (wanted->samples < MINOR_SAMPLES ||
		is_system_library(wanted->dso ? wanted->dso->long_name : ""));
}

/* Leaves out the types that nobody has asked for, and that are not worth an advice. */
static void drop_minor_types(struct facts_collector *collector)
{
	size_t count = 0;

	if (collector->options->type || collector->options->parts)
		return;
	for (size_t i = 0; i < collector->wanted_count; i++)
		if (!is_minor(collector, &collector->wanted[i]))
			collector->wanted[count++] = collector->wanted[i];
	/* otherwise the first one says what the recording lacks */
	collector->wanted_count = count || !collector->wanted_count ? count : 1;
}

void layout_facts_place(const struct type *type, const char *object, uint64_t cacheline,
			struct arena *arena, struct advice_type *result)
{
	layout_facts_declare(type, arena, result);
	result->id = type;
	result->object = arena_strdup(arena, object);
	result->is_foreign = is_system_library(object);
	result->line_count = (result->size + cacheline - 1) / cacheline;
	if (result->line_count > LINES_MAX)
		result->line_count = 0;
	result->line_samples = arena_alloc(arena, (result->line_count + 1) * sizeof(uint64_t));
}

static void choose_types(struct facts_collector *collector)
{
	struct advice *advice = collector->advice;

	array_sort(collector->wanted, collector->wanted_count, compare_wanted);
	drop_minor_types(collector);
	lower_to(collector->wanted_count, collector->options->most);
	hash_map_clear(&collector->by_type);
	advice->types =
		arena_alloc(&advice->arena, (collector->wanted_count + 1) * sizeof(*advice->types));
	advice->type_count = collector->wanted_count;
	array_indexed (struct chosen_type, wanted, i, collector->wanted, collector->wanted_count) {
		*hash_map_insert(&collector->by_type, (uintptr_t)wanted->type, NULL) = (uint32_t)i;
		wanted->facts = &advice->types[i];
		layout_facts_place(wanted->type, wanted->dso ? wanted->dso->long_name : "[unknown]",
				   collector->options->cacheline, &advice->arena, wanted->facts);
		wanted->facts->samples = wanted->samples;
		wanted->facts->within = wanted->within;
		wanted->facts->total = collector->total;
		wanted->facts->unknown = unknown_samples(collector, wanted->dso);
		wanted->facts->is_kernel = wanted->dso && (wanted->dso->kind == DSO_KERNEL ||
							   wanted->dso->kind == DSO_MODULE);
		wanted->facts->own_total = wanted->facts->is_kernel
						   ? collector->total - collector->user
						   : collector->user;
	}
}

/* ---- members, threads, objects ---- */

static bool first_seen(struct chosen_type *wanted, uint32_t member, int64_t who, unsigned int what)
{
	bool created;

	hash_map_insert(&wanted->threads,
			hash_combine(hash_combine(member * 4 + what, (uint64_t)who), 1), &created);
	return created;
}

static void count_users(struct chosen_type *wanted, const struct result *result, uint32_t number,
			bool read, bool write)
{
	struct advice_member *member = &wanted->facts->members[number];

	/* threads of other processes have objects of their own */
	if (!wanted->facts->is_kernel && result->pid != wanted->pid)
		return;
	member->readers += read && first_seen(wanted, number, result->tid, 0);
	member->writers += write && first_seen(wanted, number, result->tid, 1);
	member->reader_cpus += read && first_seen(wanted, number, result->cpu, 2);
	member->writer_cpus += write && first_seen(wanted, number, result->cpu, 3);
}

static void add_charge(struct facts_collector *collector, const struct type *type,
		       const struct dso *dso, uint64_t address, uint64_t samples)
{
	*hash_map_item(&collector->charged, layout_charge_key(type, dso, address),
		       collector->charges, collector->charge_count, collector->charge_capacity,
		       NULL) += samples;
}

/* Whether the code at a place stores the loaded value back to where it was. */
enum stores_back { STORES_BACK_UNKNOWN, STORES_BACK_NO, STORES_BACK_YES };

/* Returns whether the access writes, or is the load of a change in several instructions: samples
 * wait at the load, and none is at the store. */
static bool changes_memory(struct operands *operands, const struct resolved_place *place,
			   uint8_t *stores_back)
{
	if (*stores_back == STORES_BACK_UNKNOWN)
		*stores_back = place->dso && place->access.read && !place->access.write &&
					       operands_stores_back(operands, place->dso,
								    place->access.address)
				       ? STORES_BACK_YES
				       : STORES_BACK_NO;
	return place->access.write || *stores_back == STORES_BACK_YES;
}

/* Counts samples for the line that they are known to be in. */
static void count_line(struct advice_type *facts, const struct access_span *span,
		       uint64_t cacheline, uint64_t samples)
{
	uint64_t line = access_span_first(span, cacheline);

	if (line != access_span_last(span, cacheline))
		facts->somewhere += samples;
	else if (line < facts->line_count)
		facts->line_samples[line] += samples;
}

struct record_sample {
	const struct type *type;
	uint64_t offset;
	size_t entry; /* number in the counts */
	const struct resolved_place *place;
	struct result result; /* shared_addresses_own() */
	int32_t pid;          /* that took the sample */
	bool writes;          /* not for count_process() */
};

static void count_process(struct facts_collector *collector, const struct record_sample *sample)
{
	const int32_t owner = sample->result.pid;
	struct chosen_type *wanted = layout_wanted_find(collector, sample->type);
	uint32_t *index;
	bool created;

	if (!wanted || wanted->facts->is_kernel)
		return;
	index = hash_map_insert(&wanted->by_pid, (uint32_t)owner, &created);
	if (created) {
		array_reserve(wanted->processes, wanted->process_count, wanted->process_capacity);
		*index = (uint32_t)wanted->process_count;
		wanted->processes[wanted->process_count++] =
			(struct advice_process){ .pid = owner };
	}
	wanted->processes[*index].samples += sample->result.samples;
	created = false;
	if (sample->pid != owner)
		hash_map_insert(&wanted->sharers,
				(uint64_t)(uint32_t)owner << 32 | (uint32_t)sample->pid, &created);
	wanted->processes[*index].sharers += created;
	wanted->processes[*index].placed |= sample->result.data_address;
}

static void count_member(struct chosen_type *wanted, const struct record_sample *sample,
			 uint32_t number, uint64_t samples)
{
	struct advice_member *member = &wanted->facts->members[number];
	bool read = sample->place->access.read;

	member->samples += samples;
	member->loads += read ? samples : 0;
	member->stores += sample->writes ? samples : 0;
	count_users(wanted, &sample->result, number, read, sample->writes);
}

/* Counts samples for the member at `offset`, or if the access is to the next ones, too, for each of
 * them by its bytes. What is left of a sample goes to another of them in the next entry. */
static void count_covered(struct chosen_type *wanted, const struct record_sample *sample,
			  uint64_t offset, uint32_t number)
{
	const struct access *access = &sample->place->access;
	const uint64_t size = access_is_to_all_bytes(access) ? access->size : 1;
	const uint64_t samples = sample->result.samples, left = sample->entry % size;
	uint64_t done = 0, end;

	for (; number < wanted->facts->member_count && done < size; number++, done = end) {
		const struct advice_member *next = &wanted->facts->members[number + 1];
		const bool last =
			number + 1 >= wanted->facts->member_count || next->offset >= offset + size;

		end = last || next->offset < offset ? size : next->offset - offset;
		count_member(wanted, sample, number,
			     (samples * end + left) / size - (samples * done + left) / size);
	}
}

/* Counts a sample for a type, if the type is wanted. */
static void count_sample(struct facts_collector *collector, const struct record_sample *sample)
{
	const struct result *result = &sample->result;
	const struct access *access = &sample->place->access;
	struct chosen_type *wanted = layout_wanted_find(collector, sample->type);
	struct access_span span;
	uint64_t object;
	uint32_t other = access_other_member(access);
	int number;

	if (!wanted)
		return;
	add_charge(collector, sample->type, sample->place->dso, access->address, result->samples);
	number = advice_member_at(wanted->facts, sample->offset);
	span = span_in_record(sample->place, &collector->counts->entries[sample->entry],
			      sample->type, sample->offset);
	count_line(wanted->facts, &span, collector->options->cacheline, result->samples);
	/* each of two members has half of the samples: those of every second entry */
	if (other && sample->entry % 2)
		number = advice_member_at(wanted->facts, sample->offset + other);
	if (number >= 0)
		count_covered(wanted, sample, sample->offset + (sample->entry % 2 ? other : 0),
			      (uint32_t)number);
	/* an address does not tell the object if the member is not known */
	if (other || access->memory == ACCESS_MEMORY_STACK ||
	    !access_span_object(&span, result->data_address, &object))
		return;
	array_add(collector->seen, collector->seen_count, collector->seen_capacity) =
		(struct addressed_sample){ .type = (uint32_t)(wanted - collector->wanted),
					   .pid = wanted->facts->is_kernel ? 0 : result->pid,
					   .tid = result->tid,
					   .insn = access->address,
					   .dso = sample->place->dso,
					   .time = result->time,
					   .object = object,
					   .member = number,
					   .samples = result->samples };
}

static void each_record(struct facts_collector *collector, struct record_sample *sample,
			void (*count)(struct facts_collector *collector,
				      const struct record_sample *sample))
{
	struct layout_record records[LAYOUT_RECORDS_MAX];
	size_t found = layout_records_of(collector, &sample->place->access, records);

	for (size_t i = 0; i < found; i++) {
		sample->type = records[i].type;
		sample->offset = records[i].offset;
		count(collector, sample);
	}
}

/* Sets the sample of an entry of the counts. Returns whether it is one of a wanted record. */
static bool find_record(struct facts_collector *collector, size_t entry,
			struct record_sample *sample)
{
	const struct resolution *resolution = collector->resolution;

	*sample = (struct record_sample){ .entry = entry, .place = entry_place(resolution, entry) };
	if (sample->place->access.kind != ACCESS_TYPE)
		return false;
	sample->type = layout_record_of(collector, &sample->place->access, &sample->offset);
	return sample->type && (!collector->options->type || collector->options->parts ||
				layout_wanted_find(collector, sample->type));
}

static void set_result(struct facts_collector *collector, struct record_sample *sample)
{
	sample->result = resolution_result(collector->resolution, collector->counts, sample->entry);
	sample->pid = sample->result.pid;
	shared_addresses_own(&collector->shared, &sample->result);
}

/* Gives the samples of a process that shows no object of its own to one whose objects it uses, too:
 * these samples lack an address. Returns whether there is one. */
static bool join_sharer(struct chosen_type *wanted, const struct advice_process *process)
{
	for (size_t i = 0; !process->placed && i < wanted->process_count; i++) {
		struct advice_process *owner = &wanted->processes[i];

		if (!hash_map_find(&wanted->sharers,
				   (uint64_t)(uint32_t)owner->pid << 32 | (uint32_t)process->pid))
			continue;
		owner->samples += process->samples;
		return true;
	}
	return false;
}

static void join_sharers(struct chosen_type *wanted)
{
	_cleanup_free_ bool *joined = xcalloc(wanted->process_count + 1, sizeof(*joined));
	size_t kept = 0;

	for (size_t i = 0; i < wanted->process_count; i++)
		joined[i] = join_sharer(wanted, &wanted->processes[i]);
	for (size_t i = 0; i < wanted->process_count; i++) {
		if (joined[i])
			continue;
		*hash_map_find(&wanted->by_pid, (uint32_t)wanted->processes[i].pid) =
			(uint32_t)kept;
		wanted->processes[kept++] = wanted->processes[i];
	}
	wanted->process_count = kept;
}

static void count_processes(struct facts_collector *collector)
{
	struct record_sample sample;

	for (size_t i = 0; i < collector->counts->count; i++)
		if (find_record(collector, i, &sample)) {
			set_result(collector, &sample);
			each_record(collector, &sample, count_process);
		}
	array_each (struct chosen_type, wanted, collector->wanted, collector->wanted_count) {
		uint64_t most = 0;

		join_sharers(wanted);
		for (size_t k = 0; k < wanted->process_count; k++) {
			if (wanted->processes[k].samples <= most)
				continue;
			most = wanted->processes[k].samples;
			wanted->pid = wanted->processes[k].pid;
		}
	}
}

static struct error *count_members(struct facts_collector *collector)
{
	const struct resolution *resolution = collector->resolution;
	_cleanup_free_ uint8_t *stores_back =
		xcalloc(resolution->place_count + 1, sizeof(*stores_back));
	struct operands operands = { 0 };

	RETURN_ERROR(operands_init(&operands, collector->options->dso, false));
	count_processes(collector);
	for (size_t i = 0; i < collector->counts->count; i++) {
		uint32_t number_of_place = resolution->entries.place_of[i];
		struct record_sample sample;
		bool found = find_record(collector, i, &sample);

		if (sample.place->access.kind != ACCESS_TYPE)
			continue;
		set_result(collector, &sample);
		add_charge(collector, NULL, sample.place->dso, sample.place->access.address,
			   sample.result.samples);
		if (!found)
			continue;
		sample.writes =
			changes_memory(&operands, sample.place, &stores_back[number_of_place]);
		each_record(collector, &sample, count_sample);
	}
	operands_deinit(&operands);
	return NULL;
}

/* ---- sources ---- */

/* Reads the sources of the wanted types, together for each object. */
static void read_sources(struct facts_collector *collector)
{
	_cleanup_free_ struct record_source *records =
		xcalloc(collector->wanted_count + 1, sizeof(*records));
	_cleanup_free_ bool *done = xcalloc(collector->wanted_count + 1, sizeof(*done));

	for (size_t i = 0; i < collector->wanted_count; i++) {
		struct dso *dso = collector->wanted[i].dso;
		struct debug_object *debug;
		struct source_rights rights;
		size_t count = 0;

		if (done[i] || !dso)
			continue;
		for (size_t k = i; k < collector->wanted_count; k++) {
			if (collector->wanted[k].dso != dso)
				continue;
			done[k] = true;
			records[count++] = (struct record_source){ collector->wanted[k].type,
								   collector->wanted[k].facts };
		}
		debug = dso_debug(dso, collector->options->dso, NULL);
		rights = dso_source_rights(dso, collector->options->dso);
		if (debug)
			record_sources_read(debug, records, count, &rights,
					    collector->options->threads, &collector->advice->arena);
	}
}

/* ---- the whole ---- */

COMPARISON(compare_regions, struct advice_region,
	   DESCENDING(samples) BY_TEXT(function) BY(strcmp(a->line ?: "", b->line ?: ""), 0))

/* ---- copies */

COMPARISON(compare_copies, struct advice_copy,
	   DESCENDING(samples) BY(strcmp(a->copy->text, b->copy->text), 0))

static void add_copy(struct chosen_type *wanted, const struct result_copy *copy, uint64_t samples)
{
	struct advice_type *facts = wanted ? wanted->facts : NULL;

	for (size_t i = 0; facts && i < facts->copy_count; i++)
		if (facts->copies[i].copy->text == copy->text) {
			facts->copies[i].samples += samples;
			return;
		}
	if (facts)
		array_add(facts->copies, facts->copy_count, wanted->copy_capacity) =
			(struct advice_copy){ copy, samples };
}

/* Adds the copies of objects of each type, and those whose samples access one. */
static void find_copies(struct facts_collector *collector)
{
	const struct resolution *resolution = collector->resolution;

	for (size_t i = 0; i < collector->counts->count; i++) {
		const struct resolved_place *place =
			&resolution->places[resolution->entries.place_of[i]];
		const struct result_copy *copy = place->shown.copy;
		uint64_t samples = collector->counts->entries[i].samples, offset;

		if (!copy || !copy->type)
			continue;
		const struct type *accessed =
			place->access.kind == ACCESS_TYPE
				? layout_record_of(collector, &place->access, &offset)
				: NULL;

		add_copy(layout_wanted_find(collector, copy->type_id), copy, samples);
		if (accessed && accessed != copy->type_id)
			add_copy(layout_wanted_find(collector, accessed), copy, samples);
	}
	for (size_t i = 0; i < collector->wanted_count; i++) {
		struct advice_type *facts = collector->wanted[i].facts;
		struct advice_copy *copies = facts->copies;

		if (!facts->copy_count)
			continue;
		qsort(copies, facts->copy_count, sizeof(*copies), compare_copies);
		facts->copies = arena_copy(&collector->advice->arena, copies,
					   facts->copy_count * sizeof(*copies));
		free(copies);
	}
}

static void finish_types(struct facts_collector *collector)
{
	for (size_t i = 0; i < collector->wanted_count; i++) {
		struct advice_type *facts = collector->wanted[i].facts;
		struct advice_region *regions = facts->regions;

		if (facts->region_count) {
			array_sort(regions, facts->region_count, compare_regions);
			facts->regions = arena_copy(&collector->advice->arena, regions,
						    facts->region_count * sizeof(*regions));
		}
		free(regions);
		collector->wanted[i].region_capacity = 0;
		if (advice_has_native(facts))
			layout_facts_translate(collector->wanted[i].type, &collector->advice->arena,
					       facts);
	}
}

static void collector_deinit(struct facts_collector *collector)
{
	for (size_t i = 0; i < collector->function_count; i++) {
		cfg_destroy(collector->functions[i].code);
		function_destroy(collector->functions[i].function);
	}
	for (size_t i = 0; i < collector->wanted_count; i++) {
		hash_map_deinit(&collector->wanted[i].threads);
		hash_map_deinit(&collector->wanted[i].by_pid);
		hash_map_deinit(&collector->wanted[i].sharers);
		free(collector->wanted[i].processes);
	}
	free_all(collector->functions, collector->wanted, collector->seen, collector->addresses,
		 collector->charges);
	hash_map_deinit(&collector->by_type);
	hash_map_deinit(&collector->named);
	shared_addresses_deinit(&collector->shared);
	free(collector->calls);
	hash_map_deinit(&collector->charged);
	free(collector->code_uses);
	hash_map_deinit(&collector->regions);
}

/* Sizes of caches, if the recording does not have them: of common server processors. */
static const uint64_t typical_sizes[LEVEL_COUNT] = { 32 << 10, 1 << 20, 32 << 20, 0 };

static void find_machine(struct facts_collector *collector)
{
	struct advice_machine *machine = &collector->advice->machine;

	*machine = (struct advice_machine){ .cacheline = collector->options->cacheline,
					    .processors = session_processors(
						    collector->resolution->session),
					    .source = "sizes of the recorded machine",
					    .costs_source = "a table for machines of its kind" };
	if (collector->options->costs && collector->options->costs->known) {
		machine->costs = *collector->options->costs;
		machine->costs_source = collector->options->costs_source;
	}
	for (int level = LEVEL_L1; level < LEVEL_MEMORY; level++)
		machine->sizes[level] =
			session_cache_size(collector->resolution->session, (uint32_t)level + 1);
	if (machine->sizes[LEVEL_L1] && machine->sizes[LEVEL_L2])
		return;
	memcpy(machine->sizes, typical_sizes, sizeof(typical_sizes));
	machine->source = "typical sizes, as the recording does not have them";
}

struct error *layout_facts_create(const struct resolution *resolution,
				  const struct sample_counts *counts,
				  const struct layout_facts_options *options,
				  struct advice **result)
{
	struct facts_collector collector = { .resolution = resolution,
					     .counts = counts,
					     .options = options,
					     .advice = xcalloc(1, sizeof(struct advice)) };
	struct error *error = NULL;

	shared_addresses_init(&collector.shared, resolution->session);
	find_machine(&collector);
	find_types(&collector);
	choose_types(&collector);
	error = count_members(&collector);
	if (!error && !options->no_code)
		read_sources(&collector);
	if (!error && collector.wanted_count && !options->no_code)
		error = layout_collect_code(&collector);
	layout_find_objects(&collector);
	finish_types(&collector);
	find_copies(&collector);
	if (!error) {
		layout_find_paces(&collector);
		layout_find_nears(&collector);
		*result = collector.advice;
	} else {
		layout_facts_destroy(collector.advice);
	}
	collector_deinit(&collector);
	return error;
}

void layout_facts_destroy(struct advice *advice)
{
	if (!advice)
		return;
	arena_deinit(&advice->arena);
	free(advice);
}

/*
 * ---- false sharing
 *
 * The verdicts of dtprof c2c on the lines that hold objects of a type, as facts of its layout:
 *
 *   fields of one object   the fields that threads disturb: each gets lines of its own
 *   other objects          objects of different threads share a line: the type is aligned
 */

/* Returns whether the row's uses are of objects of this type, which must be canonical. */
static bool is_row_of(const struct sharing_row *row, const void *type)
{
	return row->first->type_id && type_canonical(row->first->type_id) == type;
}

/* Returns the row of the type that has the most disturbed samples; NULL: the line has none. */
static const struct sharing_row *disturbed_row(const struct sharing_line *line, const void *type)
{
	const struct sharing_row *best = NULL;

	array_each (const struct sharing_row, row, line->rows, line->row_count) {
		if (row->disturbed && is_row_of(row, type) &&
		    (!best || row->disturbed > best->disturbed))
			best = row;
	}
	return best;
}

/* Returns the member that the row's bytes are in, or -1. */
static int member_of(const struct advice_type *facts, const struct sharing_row *row)
{
	const struct sharing_use *use = row->first;

	if (use->base == SHARING_NO_BASE || use->address < use->base)
		return -1;
	return advice_member_at(facts, use->address - use->base);
}

static void add_sharing(struct advice_type *facts, const char *text, uint32_t member,
			struct arena *arena)
{
	struct advice_sharing *all = arena_alloc(arena, (facts->sharing_count + 1) * sizeof(*all));

	if (facts->sharing_count)
		memcpy(all, facts->sharings, facts->sharing_count * sizeof(*all));
	all[facts->sharing_count++] = (struct advice_sharing){ arena_strdup(arena, text), member };
	facts->sharings = all;
}

static bool is_disturbed(const struct advice_type *facts, const struct sharing_line *line,
			 const void *type, uint32_t member)
{
	return any_of(i, 0, line->row_count,
		      line->rows[i].disturbed && is_row_of(&line->rows[i], type) &&
			      member_of(facts, &line->rows[i]) == (int)member);
}

/* Returns whether code uses members of the object in this line besides those that are disturbed.
 * It has no samples in the line, so its threads are not known. */
static bool has_other_members(const struct advice_type *facts, const struct sharing_line *line,
			      const void *type, uint64_t cacheline)
{
	const struct sharing_row *row = disturbed_row(line, type);

	if (!row || row->first->base == SHARING_NO_BASE)
		return false;
	return any_of(i, 0, facts->member_count,
		      (row->first->base + facts->members[i].offset) / cacheline ==
				      row->first->address / cacheline &&
			      advice_any_use(facts, advice_uses_member(facts, use, i)) &&
			      !is_disturbed(facts, line, type, i));
}

/* Adds the members of the type that threads disturb. That of the line's first thread may stay,
 * unless it writes there, and others may use what stays beside it. */
static void layout_facts_add_members(struct advice_type *facts, const struct sharing_line *line,
				     const void *type, uint64_t cacheline, struct arena *arena)
{
	int32_t first_thread = line->thread_count ? line->threads[0].tid : 0;
	bool others = has_other_members(facts, line, type, cacheline);

	array_each (const struct sharing_row, row, line->rows, line->row_count) {
		int member = is_row_of(row, type) ? member_of(facts, row) : -1;
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		if (member < 0 || !row->disturbed ||
		    (row->first->tid == first_thread && !(others && row->writes)) ||
		    (any_of(i, 0, facts->sharing_count,
			    facts->sharings[i].member == (uint32_t)member)))
			continue;
		strbuf_add_format(&text,
				  "False sharing: '%s' shares a line with fields that another "
				  "thread uses at the same time (dtprof c2c report)",
				  facts->members[member].name);
		add_sharing(facts, text.data, (uint32_t)member, arena);
	}
}

/* Returns whether threads disturb each other in one object's members, whatever is beside. */
static bool members_disturb(const struct advice_type *facts, const struct sharing_line *line,
			    const void *type)
{
	for (size_t i = 0; i < line->row_count; i++)
		for (size_t k = 0; k < i; k++) {
			const struct sharing_row *a = &line->rows[i], *b = &line->rows[k];

			if (a->disturbed && b->disturbed && is_row_of(a, type) &&
			    is_row_of(b, type) && a->first->tid != b->first->tid &&
			    a->first->base == b->first->base && (a->writes || b->writes) &&
			    member_of(facts, a) != member_of(facts, b))
				return true;
		}
	return false;
}

/* Adds a line with false sharing in which a row of the type is disturbed. */
static void add_line(struct advice_type *facts, const struct sharing *sharing,
		     const struct sharing_line *line, const void *type, uint64_t cacheline,
		     struct arena *arena)
{
	uint64_t disturbed = sum_over(uint64_t, i, 0, line->row_count,
				      is_row_of(&line->rows[i], type) ? line->rows[i].cost : 0);

	facts->shared.waits += sharing->cost ? (double)disturbed / (double)sharing->cost : 0;
	if (line->whole_gain > 1)
		facts->shared.saved += 1 - 1 / line->whole_gain;
	if (line->kind == SHARING_ONE_OBJECT || members_disturb(facts, line, type))
		layout_facts_add_members(facts, line, type, cacheline, arena);
	if (line->kind != SHARING_ONE_OBJECT)
		facts->shared.objects = true;
}

static void layout_facts_add_type(struct advice_type *facts, const struct sharing *sharing,
				  const void *type, uint64_t cacheline, struct arena *arena)
{
	array_each (const struct sharing_line, line, sharing->lines, sharing->line_count) {
		if ((line->verdict == SHARING_FALSE || line->verdict == SHARING_BOTH) &&
		    disturbed_row(line, type))
			add_line(facts, sharing, line, type, cacheline, arena);
	}
}

struct error *layout_find_sharing(const struct resolution *resolution,
				  const struct sample_counts *counts, struct operands *operands,
				  uint64_t cacheline, struct advice *advice)
{
	struct sharing_uses uses = { 0 };
	struct sharing *sharing;
	struct error *error;

	if (!sharing_has_line_size(cacheline))
		return NULL;
	error = sharing_uses_init(&uses, resolution->session, resolution, counts, operands,
				  cacheline);
	if (!error) {
		sharing = sharing_uses_judge(&uses);
		for (size_t i = 0; i < advice->type_count; i++)
			layout_facts_add_type(&advice->types[i], sharing, advice->types[i].id,
					      cacheline, &advice->arena);
		sharing_destroy(sharing);
	}
	sharing_uses_deinit(&uses);
	return error;
}
