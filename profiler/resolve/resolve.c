// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps of resolving, and the results.
 *
 * resolve() numbers the distinct places of samples and callers, has each object's places looked up
 * together (object.c), splits and checks the entries, and makes the frames of call chains. The
 * number of a place is its index in resolution->places; later steps append places and never
 * renumber one.
 */
#include "profiler/resolve/resolve.h"

#include <assert.h>
#include <inttypes.h>

#include "dwarf/debug.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/strbuf.h"
#include "profiler/resolve/operands.h"
#include "profiler/ingest/slices.h"
#include "profiler/resolve/private.h"

/* ---- where the data is ---- */

/* Returns the object and the symbol of an entry's data address. */
static struct result_data data_of_entry(struct resolution *resolution, const struct counted *entry,
					const struct dso_options *options)
{
	struct dso *dso = entry->data_dso;
	struct result_data data = {
		.dso = string_pool_intern(&resolution->strings,
					  dso ? dso->short_name : "[unknown]"),
		.dso_path = dso ? string_pool_intern(&resolution->strings, dso->long_name) : NULL,
		.address = dso ? entry->data_file_address : entry->data_address,
		.is_private = !dso || dso->kind == DSO_ANONYMOUS,
	};
	const struct symbol *symbol = dso ? dso_data_symbol_at(dso, options, data.address) : NULL;

	if (!symbol)
		return data;
	data.symbol = resolve_symbol_name(resolution, symbol->name);
	data.symbol_address = symbol->address;
	data.is_variable = symbol_is_data(symbol);
	return data;
}

/* Returns the data address in the file of its object; if it has none, the data address. */
static uint64_t file_address_of(const struct counted *entry)
{
	return entry->data_dso ? entry->data_file_address : entry->data_address;
}

/* Sets resolution->entries.data and data_of: the objects and symbols of data addresses. */
static void resolve_data(struct resolution *resolution, const struct sample_counts *counts,
			 const struct dso_options *options)
{
	struct hash_index index = { 0 }; /* of entries, each the first with its address */
	size_t count = 0, capacity = 0;
	uint32_t *data_of = xcalloc(counts->count, sizeof(*data_of));

	array_indexed (const struct counted, entry, i, counts->entries, counts->count) {
		uint64_t address = file_address_of(entry);
		uint64_t hash = hash_combine((uintptr_t)entry->data_dso, address);

		data_of[i] = UINT32_MAX;
		hash_index_each (first, &index, hash)
			if (counts->entries[first].data_dso == entry->data_dso &&
			    file_address_of(&counts->entries[first]) == address)
				data_of[i] = data_of[first];
		if (data_of[i] != UINT32_MAX)
			continue;
		data_of[i] = (uint32_t)count;
		array_add(resolution->entries.data, count, capacity) =
			data_of_entry(resolution, entry, options);
		hash_index_add(&index, hash, (uint32_t)i);
	}
	resolution->entries.data_of = data_of;
	hash_index_deinit(&index);
}

/* ---- whether the data can be of its type ---- */

static enum address_verdict verdict_of(const struct access *access, const struct counted *entry)
{
	if (!entry->data_known || (access->kind != ACCESS_TYPE && access->kind != ACCESS_SPILL))
		return VERDICT_NONE;
	switch (access->memory) {
	case ACCESS_MEMORY_STACK:
		if (entry->data_stack == DATA_STACK_UNKNOWN)
			return VERDICT_NONE;
		return entry->data_stack == DATA_STACK_ON ? VERDICT_AGREES : VERDICT_CONTRADICTS;
	case ACCESS_MEMORY_STATIC:
		if (!access->object_size)
			return VERDICT_NONE;
		return entry->check_in_object && entry->check_address - access->object_address <
							 access->object_size
			       ? VERDICT_AGREES
			       : VERDICT_CONTRADICTS;
	default: return VERDICT_NONE;
	}
}

/* Returns the twin without a type, for entries with another address. There is room. */
static uint32_t place_without_type(struct resolution *resolution, uint32_t place)
{
	uint32_t *twins = resolution->memory->twins;

	if (!twins[place]) {
		assert(resolution->place_count < resolution->place_capacity);
		struct resolved_place *twin = &resolution->places[resolution->place_count];

		*twin = resolution->places[place];
		twin->samples = 0;
		access_fail(&twin->access, REASON_ADDRESS);

		struct shown_words words = shown_words_of(resolution);

		resolved_place_show_access(&words, twin);
		twins[place] = (uint32_t)resolution->place_count++;
	}
	return twins[place];
}

/* Makes room for the twins, because places stay from now on: frames point to them. Slices may have
 * them of all places. */
static void reserve_twins(struct resolution *resolution, const struct sample_counts *counts,
			  const struct resolve_options *options)
{
	size_t count = resolution->place_count, twins = 0;

	for (size_t i = 0; i < counts->count && !options->slices; i++)
		twins += verdict_of(&entry_place(resolution, i)->access, &counts->entries[i]) ==
			 VERDICT_CONTRADICTS;
	count += options->slices || twins > count ? count : twins;
	resolve_memory_of(resolution)->twins =
		xcalloc(resolution->place_count, sizeof(*resolution->memory->twins));
	if (count <= resolution->place_capacity)
		return;
	resolution->places = xrealloc_array(resolution->places, count, sizeof(*resolution->places));
	resolution->place_capacity = count;
}

/* Compares each entry's data address with the variable or the stack that its type was found by.
 * Entries that contradict it move to a place of their own, which has no type. */
static void resolve_verdicts(struct resolution *resolution, const struct sample_counts *counts)
{
	resolution->entries.verdicts =
		xcalloc(counts->count, sizeof(*resolution->entries.verdicts));
	array_indexed (const struct counted, entry, i, counts->entries, counts->count) {
		uint32_t place = resolution->entries.place_of[i];
		enum address_verdict verdict = verdict_of(&resolution->places[place].access, entry);

		resolution->entries.verdicts[i] = verdict;
		if (verdict == VERDICT_CONTRADICTS)
			resolution->entries.place_of[i] = place_without_type(resolution, place);
	}
}

/* ---- call chains ---- */

/*
 * Call chains: their frames, and the frames of functions that were inlined.
 *
 * As in perf, an inlined function is a frame of its own, called by the function around it and named
 * by the debug information. The number of a frame's caller is smaller than its own, so one pass in
 * the order of numbers sees callers first.
 */

#define INLINED_MAX 64 /* inlined calls at one address; deeper ones are left out */
#define PIECE_SIZE  64 /* places that a thread takes at a time */

/* The frames that replace a place in a chain, outermost first. Empty: itself. */
struct place_frames {
	const struct result_place *items;
	size_t count;
};

/* The calls that were inlined at a place. */
struct inlined_calls {
	struct inlined_call *items; /* to be freed */
	size_t count;
};

struct frame_finder {
	struct resolution *resolution;
	const struct resolve_options *options;
	unsigned int threads;
	struct place_frames *of_place; /* by place number */
	/* The object that is being looked at: */
	const uint32_t *numbers; /* the numbers of its places */
	size_t count;
	struct debug_object *debug;
	struct debug_reader *
		*readers; /* one per thread, opened when first needed; the first is open */
	struct inlined_calls *calls; /* by index in numbers */
};

static bool may_have_inlined(const struct resolved_place *place)
{
	return place->dso && place->shown.symbol &&
	       (place->dso->kind == DSO_USER || place->dso->kind == DSO_KERNEL ||
		place->dso->kind == DSO_MODULE || place->dso->kind == DSO_VDSO);
}

/* Sets the source line of a frame to the line that made `call`. */
static void set_line(const struct frame_finder *finder, const struct inlined_call *call,
		     struct result_place *frame)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *file = NULL;

	if (!(finder->options->needs & NEED_SOURCE_LINE))
		return;
	if (call->call_file != UINT64_MAX && finder->readers[0])
		file = debug_reader_call_file(finder->readers[0], frame->address, call->call_file);
	if (file) {
		file = resolve_shown_path(finder->options, file);
		strbuf_add_format(&text, "%s:%" PRIu64, file, call->call_line);
	} else {
		strbuf_add_string(&text, "??:0");
	}
	frame->source_file = string_pool_intern(&finder->resolution->strings, file ?: "");
	frame->source_line = string_pool_intern(&finder->resolution->strings, text.data);
}

/* Sets the name of an inlined call's frame: as in perf, not for one in itself. */
static void set_name(const struct frame_finder *finder, const struct inlined_call *call,
		     struct result_place *frame)
{
	const char *name = resolve_symbol_name(finder->resolution, call->name ?: "??");

	if (name == frame->symbol)
		return;
	frame->symbol = name;
	frame->inlined = true;
}

/* Finds the inlined calls of a piece of the object's places, whatever the thread. */
static void find_calls(size_t piece, unsigned int thread, void *data)
{
	struct frame_finder *finder = data;
	size_t end =
		(piece + 1) * PIECE_SIZE < finder->count ? (piece + 1) * PIECE_SIZE : finder->count;
	struct inlined_call calls[INLINED_MAX];

	if (!finder->readers[thread])
		finder->readers[thread] = debug_reader_open(finder->debug);
	for (size_t i = piece * PIECE_SIZE; i < end; i++) {
		const struct resolved_place *place =
			&finder->resolution->places[finder->numbers[i]];
		struct inlined_calls *found = &finder->calls[i];

		found->count = debug_reader_inlined(finder->readers[thread], place->shown.address,
						    calls, INLINED_MAX);
		if (!found->count)
			continue;
		found->items = xcalloc(found->count, sizeof(*found->items));
		memcpy(found->items, calls, found->count * sizeof(*found->items));
	}
}

/* Makes the frames of a place with inlined calls, the outermost first. */
static void make_frames(struct frame_finder *finder, uint32_t number,
			const struct inlined_calls *calls)
{
	struct resolution *resolution = finder->resolution;
	const struct resolved_place *place = &resolution->places[number];
	struct result_place *frames =
		arena_alloc(&resolution->inlined_places, (calls->count + 1) * sizeof(*frames));

	for (size_t i = 0; i <= calls->count; i++) {
		frames[i] = place->shown;
		if (i)
			set_name(finder, &calls->items[i - 1], &frames[i]);
		if (i < calls->count)
			set_line(finder, &calls->items[i], &frames[i]);
	}
	finder->of_place[number] =
		(struct place_frames){ .items = frames, .count = calls->count + 1 };
}

/* Makes the frames of one object's places. */
static void find_inlined(struct frame_finder *finder, const uint32_t *numbers, size_t count)
{
	finder->debug =
		dso_debug(finder->resolution->places[numbers[0]].dso, &finder->options->dso, NULL);
	if (!finder->debug)
		return;
	finder->numbers = numbers;
	finder->count = count;
	finder->readers = xcalloc(finder->threads, sizeof(*finder->readers));
	finder->readers[0] = debug_reader_open(finder->debug);
	finder->calls = xcalloc(count, sizeof(*finder->calls));
	parallel_for((count + PIECE_SIZE - 1) / PIECE_SIZE, finder->threads, find_calls, finder);
	for (size_t i = 0; i < count; i++) {
		if (finder->calls[i].count)
			make_frames(finder, numbers[i], &finder->calls[i]);
		free(finder->calls[i].items);
	}
	for (unsigned int i = 0; i < finder->threads; i++)
		debug_reader_close(finder->readers[i]);
	free_all(finder->readers, finder->calls);
}

static int compare_by_dso(const void *left, const void *right, void *data)
{
	const struct resolved_place *places = data;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	if (places[a].dso != places[b].dso)
		return places[a].dso->id < places[b].dso->id ? -1 : 1;
	return a < b ? -1 : a > b;
}

/* Makes the frames of inlined calls, object by object, so that only one is read at a time. */
static void find_all_inlined(struct frame_finder *finder, const struct sample_counts *counts,
			     const uint32_t *place_of_frame)
{
	struct resolution *resolution = finder->resolution;
	_cleanup_free_ bool *seen = xcalloc(resolution->place_count, sizeof(*seen));
	_cleanup_free_ uint32_t *order = xcalloc(resolution->place_count, sizeof(*order));
	size_t count = 0;

	for (size_t i = 1; i < counts->frame_count; i++) {
		uint32_t number = place_of_frame[i];

		if (!seen[number] && may_have_inlined(&resolution->places[number]))
			order[count++] = number;
		seen[number] = true;
	}
	qsort_r(order, count, sizeof(*order), compare_by_dso, resolution->places);
	for (size_t start = 0, end; start < count; start = end) {
		for (end = start + 1; end < count && resolution->places[order[end]].dso ==
							     resolution->places[order[start]].dso;)
			end++;
		find_inlined(finder, order + start, end - start);
	}
}

static uint32_t add_frame(struct resolution *resolution, const struct result_place *place,
			  uint32_t caller, const struct counted_frame *counted)
{
	array_add(resolution->frames, resolution->frame_count, resolution->frame_capacity) =
		(struct result_frame){
			.place = place, .caller = caller, .level = counted->level, .ip = counted->ip
		};
	return (uint32_t)resolution->frame_count - 1;
}

/* Makes the frames of all chains, also inlined ones, from place_of_frame. */
static void resolve_frames(struct resolution *resolution, const struct sample_counts *counts,
			   const uint32_t *place_of_frame, const struct resolve_options *options)
{
	struct frame_finder finder = { .resolution = resolution,
				       .options = options,
				       .threads = options->threads ?: parallel_default_threads() };
	_cleanup_free_ struct place_frames *of_place =
		xcalloc(resolution->place_count, sizeof(*of_place));

	if (!counts->frame_count)
		return;
	finder.of_place = of_place;
	if (!options->no_inline)
		find_all_inlined(&finder, counts, place_of_frame);
	/* Number 0 means no frame, in both arrays. */
	resolution->frame_of = xcalloc(counts->frame_count, sizeof(*resolution->frame_of));
	add_frame(resolution, NULL, 0, &(struct counted_frame){ 0 });
	for (size_t i = 1; i < counts->frame_count; i++) {
		const struct place_frames *inlined = &of_place[place_of_frame[i]];
		uint32_t frame = resolution->frame_of[counts->frames[i].caller];

		if (!inlined->count)
			frame = add_frame(resolution, &resolution->places[place_of_frame[i]].shown,
					  frame, &counts->frames[i]);
		for (size_t at = 0; at < inlined->count; at++)
			frame = add_frame(resolution, &inlined->items[at], frame,
					  &counts->frames[i]);
		resolution->frame_of[i] = frame;
	}
}

/* ---- places ---- */

/* The parts of a place's identity besides its object and address. */
struct place_kind {
	bool store, after, late;
	uint8_t stands; /* enum frame_address */
	int64_t came_from;
};

static bool is_place(const struct resolved_place *place, const struct dso *dso, uint64_t address,
		     struct place_kind kind)
{
	return place->dso == dso && place->sampled == address &&
	       place->counted_store == kind.store && place->after == kind.after &&
	       place->late == kind.late && place->stands == kind.stands &&
	       place->came_from == kind.came_from;
}

/* Returns the number of a place; adds it if it is new. */
static uint32_t place_number(struct place_finder *finder, struct dso *dso, uint64_t address,
			     struct place_kind kind)
{
	struct resolution *resolution = finder->resolution;
	uint64_t hash = hash_combine(hash_combine((uintptr_t)dso, address),
				     (uint64_t)kind.came_from << 5 | (uint64_t)kind.stands << 3 |
					     kind.late << 2 | kind.store << 1 | kind.after);

	hash_index_each (number, &finder->index, hash)
		if (is_place(&resolution->places[number], dso, address, kind))
			return number;
	hash_index_add(&finder->index, hash, (uint32_t)resolution->place_count);
	array_add(resolution->places, resolution->place_count, resolution->place_capacity) =
		(struct resolved_place){ .dso = dso,
					 .store = kind.store,
					 .counted_store = kind.store,
					 .after = kind.after,
					 .late = kind.late,
					 .stands = kind.stands,
					 .came_from = kind.came_from,
					 .sampled = address,
					 .shown = { .address = address } };
	return (uint32_t)resolution->place_count - 1;
}

/* Returns for each event whether its samples are late, unless a sample says that it is exact. */
static bool *late_events(const struct session *session, enum blame_mode mode)
{
	size_t count;
	const struct event *events = session_events(session, &count);
	bool *late = xcalloc(count, sizeof(*late));

	for (size_t i = 0; i < count; i++) {
		const struct perf_event_attr *attr = &events[i].attr;
		bool of_processor = attr->type != PERF_TYPE_SOFTWARE &&
				    attr->type != PERF_TYPE_TRACEPOINT &&
				    attr->type != PERF_TYPE_BREAKPOINT;

		late[i] = mode != BLAME_SAMPLED &&
			  (event_is_late(&events[i]) || (mode == BLAME_RETIRED && of_processor));
	}
	return late;
}

static size_t witnessed_count(const struct resolve_options *options)
{
	return options->operands ? options->operands->witnesses.access_count : 0;
}

/* Adds the places of the accesses that samples are witnesses of. */
static void add_witnessed(struct resolution *resolution, const struct resolve_options *options,
			  struct place_finder *finder)
{
	size_t count = witnessed_count(options);

	resolution->witnessed_of = xcalloc(count, sizeof(*resolution->witnessed_of));
	array_indexed (const struct witnessed_access, access, i,
		       options->operands->witnesses.accesses, count) {
		uint32_t number = place_number(finder, access->dso, access->insn,
					       (struct place_kind){ .store = access->write });

		resolution->places[number].witnessed = true;
		resolution->witnessed_of[i] = number;
	}
}

/* Room for this many places is reserved at once, because growing copies them. */
#define PLACES_RESERVED 65536

static void resolve_entry_places(struct resolution *resolution, const struct sample_counts *counts,
				 const struct resolve_options *options)
{
	struct resolution_entries *entries = &resolution->entries;
	struct place_finder *finder = &resolution->memory->finder;
	_cleanup_free_ bool *late = late_events(
		resolution->session, options->needs & NEED_TYPE ? options->blame : BLAME_SAMPLED);

	entries->place_of = xcalloc(counts->count, sizeof(*entries->place_of));
	array_indexed (const struct counted, entry, i, counts->entries, counts->count) {
		struct place_kind kind = { .store = entry->store,
					   .after = entry->after,
					   .late = late[entry->event] && !entry->exact &&
						   !entry->after };

		kind.came_from = kind.late ? entry->came_from : 0;
		entries->place_of[i] = place_number(finder, entry->dso, entry->address, kind);
	}
}

/* Sets the samples of places to those of their entries. */
static void count_places(struct resolution *resolution, const struct sample_counts *counts)
{
	for (size_t i = 0; i < resolution->place_count; i++)
		resolution->places[i].samples = 0;
	for (size_t i = 0; i < counts->count; i++)
		entry_place(resolution, i)->samples += counts->entries[i].samples;
}

/* Makes the places of all entries and frames, and counts their samples. */
static void resolve_places(struct resolution *resolution, const struct sample_counts *counts,
			   const struct resolve_options *options, uint32_t **place_of_frame)
{
	struct place_finder *finder = &resolve_memory_of(resolution)->finder;

	/* each entry and each frame has a place, and an entry perhaps a source */
	size_t most = 2 * counts->count + counts->frame_count + witnessed_count(options);

	*finder = (struct place_finder){ .resolution = resolution };
	resolution->place_capacity = most < PLACES_RESERVED ? most : PLACES_RESERVED;
	resolution->places =
		xrealloc_array(NULL, resolution->place_capacity, sizeof(*resolution->places));
	/* mostly each entry has a place of its own */
	if (counts->count <= resolution->place_capacity)
		parallel_get_pages(resolution->places, counts->count * sizeof(*resolution->places),
				   options->threads ?: parallel_default_threads());
	resolve_entry_places(resolution, counts, options);
	count_places(resolution, counts);
	*place_of_frame = xcalloc(counts->frame_count, sizeof(**place_of_frame));
	for (size_t i = 1; i < counts->frame_count; i++)
		(*place_of_frame)[i] =
			place_number(finder, counts->frames[i].dso, counts->frames[i].address,
				     (struct place_kind){ .stands = counts->frames[i].stands });
	if (options->needs & NEED_TYPE && options->needs & NEED_DATA_RANGE)
		add_witnessed(resolution, options, finder);
	array_fit(resolution->places, resolution->place_count, resolution->place_capacity);
}

/* ---- results ---- */

struct result resolution_result(const struct resolution *resolution,
				const struct sample_counts *counts, size_t entry)
{
	const struct counted *counted = &counts->entries[entry];
	uint32_t chain = resolution->frame_of ? resolution->frame_of[counted->chain] : 0;
	const struct resolved_place *place = entry_place(resolution, entry);
	struct result result = {
		.place = &place->shown,
		.span = span_of_sample(place, counted),
		.data = resolution->entries.data_of
				? &resolution->entries.data[resolution->entries.data_of[entry]]
				: NULL,
		.event = counted->event,
		.level = counted->level,
		.comm = resolution->entries.comms[counted->comm],
		.thread = resolution->needs & NEED_TID
				  ? session_last_name(resolution->session, counted->tid)
				  : NULL,
		.process = resolution->needs & NEED_PID
				   ? session_last_name(resolution->session, counted->pid)
				   : NULL,
		.pid = counted->pid,
		.tid = counted->tid,
		.cpu = counted->cpu,
		.weight = counted->weight,
		.cgroup_name = session_cgroup_name(resolution->session, counted->cgroup),
		.data_source = counted->data_source,
		.data_address = counted->data_address,
		.data_begin = counted->data_begin,
		.data_end = counted->data_end,
		.data_last = counted->data_last,
		.data_kept = counted->data_kept,
		.data_known = counted->data_known,
		.data_shared = counted->data_shared,
		.data_computed = counted->data_computed,
		.trace_text = counted->trace_text,
		.chain = chain,
		.samples = counted->samples,
		.period = counted->period,
#define COPY(NAME, type, member) .member = counted->member,
		COUNTED_FIELDS(COPY, COPY, NO_FIELD)
#undef COPY
	};

	if (resolution->wait_of && resolution->wait_of[counted->chain])
		result.place = &resolution->waits[resolution->wait_of[counted->chain] - 1];
	return result;
}

/* ---- objects ---- */

#define NEED_PLACE (NEED_ADDRESS | NEED_SYMBOL | NEED_SOURCE_LINE | NEED_TYPE | NEED_LANGUAGE)

uint64_t resolve_count_fields(uint64_t needs)
{
	/* clang-format off */
	static const struct {
		uint64_t need, fields;
	} table[] = {
#define SAME_NAME(NAME, ...) { NEED_##NAME, COUNT_##NAME },
		SAME_NAME(COMM) SAME_NAME(PID) SAME_NAME(TID) SAME_NAME(CPU) SAME_NAME(WEIGHT)
		SAME_NAME(DSO) SAME_NAME(PLACE) SAME_NAME(DATA_SOURCE) SAME_NAME(CHAIN)
		SAME_NAME(DATA_ADDRESS) COUNTED_FIELDS(SAME_NAME, SAME_NAME, NO_FIELD)
		SAME_NAME(TRACE_TEXT) SAME_NAME(DATA_RANGE) SAME_NAME(ELEMENT)
#undef SAME_NAME
		{ NEED_TYPE, COUNT_STORE | COUNT_DATA_CHECK | COUNT_CALLER },
	};
	/* clang-format on */
	uint64_t fields = 0;

	for (size_t i = 0; i < COUNT_OF(table); i++)
		if (needs & table[i].need)
			fields |= table[i].fields;
	return fields;
}

/* Interns the names of comms, so that equal names are one pointer. */
static void find_comms(struct resolution *resolution, const struct session *session,
		       const struct sample_counts *counts)
{
	uint32_t count = 0;

	for (size_t i = 0; i < counts->count; i++)
		if (counts->entries[i].comm >= count)
			count = counts->entries[i].comm + 1;
	resolution->entries.comms = xcalloc(count, sizeof(*resolution->entries.comms));
	for (size_t i = 0; i < counts->count; i++) {
		uint32_t comm = counts->entries[i].comm;

		if (!resolution->entries.comms[comm])
			resolution->entries.comms[comm] = string_pool_intern(
				&resolution->strings, session_comm(session, comm));
	}
}

/* Returns the number of the place's object. Places in no object come first. */
static uint64_t place_object_number(const struct resolved_place *place)
{
	return place->dso ? place->dso->id + UINT64_C(1) : 0;
}

static int compare_places(const void *left, const void *right, void *data)
{
	const struct resolved_place *places = data;
	const struct resolved_place *a = &places[*(const uint32_t *)left],
				    *b = &places[*(const uint32_t *)right];
	uint64_t dso = place_object_number(a), other = place_object_number(b);

	COMPARE(dso, other);
	COMPARE(a->shown.address, b->shown.address);
	COMPARE(a->store, b->store);
	COMPARE(a->after, b->after);
	COMPARE(a->late, b->late);
	COMPARE(a->stands, b->stands);
	COMPARE(a->came_from, b->came_from);
	return 0;
}

/* At most one problem is of no object. */
COMPARISON(compare_problems, struct resolve_problem,
	   DESCENDING(samples) BY(a->dso ? a->dso->id + 1 : 0, b->dso ? b->dso->id + 1 : 0))

/* The objects of all places, in order, each with its places. */
struct object_list {
	struct resolved_object *items;
	size_t count, capacity;
};

/* Lists the objects of the places. `order` has the places sorted by object. */
static void list_objects(struct resolution *resolution, const struct resolve_options *options,
			 const uint32_t *order, struct object_list *list)
{
	size_t count = resolution->place_count;

	for (size_t start = 0, end; start < count; start = end) {
		struct dso *dso = resolution->places[order[start]].dso;

		for (end = start + 1; end < count && resolution->places[order[end]].dso == dso;
		     end++)
			;
		array_add(list->items, list->count, list->capacity) =
			(struct resolved_object){ .resolution = resolution,
						  .options = options,
						  .dso = dso,
						  .order = order + start,
						  .count = end - start };
	}
}

/* The parts of an object's files that are read before its places are resolved. */
struct object_needs {
	bool symbols, debug;
};

static struct object_needs needs_of(const struct resolved_object *object)
{
	uint64_t needs = object->options->needs;
	bool has_samples = false, late = false;

	for (size_t i = 0; i < object->count && !(has_samples && late); i++) {
		has_samples |= resolved_object_place(object, i)->samples != 0;
		late |= resolved_object_place(object, i)->late;
	}
	/* names of the kernel's functions tell which late samples were held back */
	return (struct object_needs){
		.symbols = needs & (NEED_SYMBOL | NEED_SOURCE_LINE | NEED_CHAIN) ||
			   (late && object->dso && object->dso->kind == DSO_KERNEL),
		.debug = needs & (NEED_SOURCE_LINE | NEED_LANGUAGE) ||
			 (needs & NEED_TYPE && has_samples),
	};
}

static void open_object(size_t number, unsigned int thread _unused_, void *data)
{
	const struct resolved_object *object = &((const struct object_list *)data)->items[number];
	struct object_needs needs = needs_of(object);

	if (object->dso && (needs.symbols || needs.debug))
		(void)dso_image(object->dso, &object->options->dso, NULL);
}

/* Reads the files of one object: its symbol table, or the rest. Each thread takes one of the two at
 * a time, because for a kernel each takes long. */
static void prepare_object(size_t number, unsigned int thread _unused_, void *data)
{
	const struct resolved_object *object =
		&((const struct object_list *)data)->items[number / 2];
	struct object_needs needs = needs_of(object);

	if (!object->dso)
		return;
	if (number % 2)
		dso_read_symbols(object->dso, needs.symbols, needs.debug);
	else
		dso_prepare(object->dso, &object->options->dso, needs.symbols, needs.debug);
}

/* Sets `order` to the numbers of the places by object and address. Few of them are at one address,
 * so that comparing is rarely needed. */
static void order_places(const struct resolution *resolution, uint32_t *order)
{
	const struct resolved_place *places = resolution->places;
	size_t count = resolution->place_count;
	_cleanup_free_ struct sort_key *first = xrealloc_array(NULL, count + 1, sizeof(*first));
	_cleanup_free_ struct sort_key *second = xrealloc_array(NULL, count + 1, sizeof(*second));

	for (size_t i = 0; i < count; i++)
		first[i] = (struct sort_key){ places[i].shown.address, i };
	struct sort_key *keys = sort_keys(first, second, count);

	for (size_t i = 0; i < count; i++)
		keys[i].key = place_object_number(&places[keys[i].index]);
	keys = sort_keys(keys, keys == first ? second : first, count);
	for (size_t i = 0; i < count; i++)
		order[i] = (uint32_t)keys[i].index;
	if (any_of(i, 1, count, compare_places(&order[i - 1], &order[i], resolution->places) > 0))
		qsort_r(order, count, sizeof(*order), compare_places, resolution->places);
}

static struct error *resolve_objects(struct resolution *resolution,
				     const struct resolve_options *options)
{
	unsigned int threads = options->threads ?: parallel_default_threads();
	size_t count = resolution->place_count, object_count;
	_cleanup_free_ uint32_t *order = xcalloc(count, sizeof(*order));
	_cleanup_free_ struct resolved_object *items = NULL;
	struct object_list list = { 0 };

	order_places(resolution, order);
	list_objects(resolution, options, order, &list);
	items = list.items;
	if (options->progress)
		options->progress("Reading objects", NULL);
	object_count = list.count;
	parallel_for(object_count, threads, open_object, &list);
	parallel_for(2 * object_count, threads, prepare_object, &list);
	for (size_t i = 0; i < object_count; i++) {
		const struct dso *dso = items[i].dso;

		if (options->progress)
			options->progress("Looking up samples", dso ? dso->short_name : NULL);

		struct error *error = resolve_object(&items[i]);

		if (error)
			return error_prefix(error, "%s", dso ? dso->long_name : "[unknown]");
	}
	array_sort(resolution->problems, resolution->problem_count, compare_problems);
	return NULL;
}

struct error *resolve(struct session *session, struct sample_counts *counts,
		      const struct resolve_options *options, struct resolution **result)
{
	struct resolution *resolution = xcalloc(1, sizeof(*resolution));
	_cleanup_free_ uint32_t *place_of_frame = NULL;

	resolution->session = session;
	resolution->needs = options->needs;
	resolution->no_demangle = options->no_demangle;
	find_comms(resolution, session, counts);
	resolve_places(resolution, counts, options, &place_of_frame);

	struct error *error = resolve_objects(resolution, options);

	if (error) {
		resolution_destroy(resolution);
		return error;
	}
	if (options->needs & NEED_TYPE) {
		resolve_charges(resolution, counts, options);
		error = resolve_bulk(resolution, session, counts, options);
		if (error) {
			resolution_destroy(resolution);
			return error;
		}
		resolve_elsewhere(resolution, options);
		if (options->needs & NEED_COPY)
			error = resolve_copies(resolution, counts, options);
		if (error) {
			resolution_destroy(resolution);
			return error;
		}
		reserve_twins(resolution, counts, options);
		resolve_verdicts(resolution, counts);
		count_places(resolution, counts);
	}
	if (options->needs & NEED_DATA_ADDRESS)
		resolve_data(resolution, counts, &options->dso);
	resolve_frames(resolution, counts, place_of_frame, options);
	if (options->needs & NEED_TYPE && session_has_blocked_time(session))
		error = resolve_waiting(resolution, counts, options);
	if (error) {
		resolution_destroy(resolution);
		return error;
	}
	*result = resolution;
	return NULL;
}

static void entries_deinit(struct resolution_entries *entries)
{
	free_all(entries->comms, entries->place_of, entries->verdicts, entries->data,
		 entries->data_of);
	*entries = (struct resolution_entries){ 0 };
}

/* Resolves the entries of a slice, whose places and frames are known. */
static void resolve_slice(struct resolution *resolution, struct sample_counts *counts,
			  const struct resolve_options *options)
{
	size_t count = resolution->place_count;

	find_comms(resolution, resolution->session, counts);
	resolve_entry_places(resolution, counts, options);
	assert(resolution->place_count == count);
	if (options->needs & NEED_TYPE) {
		resolve_charges(resolution, counts, options);
		resolve_bulk_entries(resolution, counts);
		resolve_verdicts(resolution, counts);
	}
	if (options->needs & NEED_DATA_ADDRESS)
		resolve_data(resolution, counts, &options->dso);
}

struct error *resolve_slices(struct resolution *resolution, const struct sample_counts *outline,
			     struct slices *slices, const struct resolve_options *options,
			     struct error *(*visit)(struct sample_counts *counts, void *data),
			     void *data)
{
	struct resolution_entries kept = resolution->entries;
	struct sample_counts *counts;
	struct error *error = NULL;

	/* the turns begin anew */
	for (size_t i = 0; i < resolution->memory->parts_count; i++)
		resolution->memory->parts[i].turn = 0;
	resolution->entries = (struct resolution_entries){ 0 };
	while (!error && (counts = slices_next(slices))) {
		resolve_slice(resolution, counts, options);
		counts->frames = outline->frames;
		counts->frame_count = outline->frame_count;
		error = visit(counts, data);
		counts->frames = NULL;
		sample_counts_destroy(counts);
		entries_deinit(&resolution->entries);
	}
	resolution->entries = kept;
	return error;
}

void resolution_destroy(struct resolution *resolution)
{
	if (!resolution)
		return;
	entries_deinit(&resolution->entries);
	resolve_memory_destroy(resolution->memory);
	free_all(resolution->places, resolution->witnessed_of, resolution->frames,
		 resolution->frame_of);
	arena_deinit(&resolution->inlined_places);
	free_all(resolution->wait_of, resolution->waits, resolution->declared,
		 resolution->problems);
	string_pool_deinit(&resolution->strings);
	free(resolution);
}
