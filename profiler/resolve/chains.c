// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains: their frames, and the frames of functions that were inlined.
 *
 * As in perf, an inlined function is a frame of its own, called by the function around it and named
 * by the debug information. The number of a frame's caller is smaller than its own, so one pass in
 * the order of numbers sees callers first.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/debug.h"
#include "profiler/base/memory.h"
#include "profiler/base/parallel.h"
#include "profiler/base/strbuf.h"
#include "profiler/resolve/private.h"

#define INLINED_MAX 64 /* inlined calls at one address; deeper ones are left out */
#define PIECE_SIZE  64 /* places that a thread takes at a time */

/*
 * The frames that replace a place in a chain, outermost first. Empty: the place is its own frame.
 */
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

static const char *intern(const struct frame_finder *finder, const char *text)
{
	return string_pool_intern(&finder->resolution->strings, text);
}

/* Sets the source line of a frame to the line that made `call`. */
static void set_line(const struct frame_finder *finder, const struct inlined_call *call,
		     struct result_place *frame)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *file = NULL, *slash;

	if (!(finder->options->needs & NEED_SOURCE_LINE))
		return;
	if (call->call_file != UINT64_MAX && finder->readers[0])
		file = debug_reader_call_file(finder->readers[0], frame->address, call->call_file);
	slash = file && !finder->options->full_source_path ? strrchr(file, '/') : NULL;
	file = slash ? slash + 1 : file;
	if (file)
		strbuf_add_format(&text, "%s:%" PRIu64, file, call->call_line);
	else
		strbuf_add_string(&text, "??:0");
	frame->source_file = intern(finder, file ? file : "");
	frame->source_line = intern(finder, text.data);
}

/*
 * Sets the name of the frame of an inlined call. As in perf, a function that was inlined into
 * itself is not a frame of its own.
 */
static void set_name(const struct frame_finder *finder, const struct inlined_call *call,
		     struct result_place *frame)
{
	const char *name = resolve_symbol_name(finder->resolution, call->name ? call->name : "??");

	if (name == frame->symbol)
		return;
	frame->symbol = name;
	frame->inlined = true;
}

/*
 * Finds the inlined calls of one piece of the object's places. The result does not depend on the
 * thread.
 */
static void find_calls(size_t piece, unsigned int thread, void *data)
{
	struct frame_finder *finder = data;
	size_t end =
		(piece + 1) * PIECE_SIZE < finder->count ? (piece + 1) * PIECE_SIZE : finder->count;
	struct inlined_call calls[INLINED_MAX];

	if (!finder->readers[thread])
		error_destroy(debug_reader_open(finder->debug, &finder->readers[thread]));
	if (!finder->readers[thread])
		return;
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
	const char *problem;

	finder->debug = dso_debug(finder->resolution->places[numbers[0]].dso, &finder->options->dso,
				  &problem);
	if (!finder->debug)
		return;
	finder->numbers = numbers;
	finder->count = count;
	finder->readers = xcalloc(finder->threads, sizeof(*finder->readers));
	error_destroy(debug_reader_open(finder->debug, &finder->readers[0]));
	finder->calls = xcalloc(count, sizeof(*finder->calls));
	parallel_for((count + PIECE_SIZE - 1) / PIECE_SIZE, finder->threads, find_calls, finder);
	for (size_t i = 0; i < count; i++) {
		if (finder->calls[i].count)
			make_frames(finder, numbers[i], &finder->calls[i]);
		free(finder->calls[i].items);
	}
	for (unsigned int i = 0; i < finder->threads; i++)
		debug_reader_close(finder->readers[i]);
	free(finder->readers);
	free(finder->calls);
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
	array_reserve(resolution->frames, resolution->frame_count, resolution->frame_capacity);
	resolution->frames[resolution->frame_count] = (struct result_frame){
		.place = place, .caller = caller, .level = counted->level, .ip = counted->ip
	};
	return (uint32_t)resolution->frame_count++;
}

void resolve_frames(struct resolution *resolution, const struct sample_counts *counts,
		    const uint32_t *place_of_frame, const struct resolve_options *options)
{
	struct frame_finder finder = { .resolution = resolution,
				       .options = options,
				       .threads = options->threads ? options->threads
								   : parallel_default_threads() };
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

void resolve_parents(struct resolution *resolution, const struct resolve_options *options)
{
	resolution->parents = xcalloc(resolution->frame_count, sizeof(*resolution->parents));
	for (size_t i = 1; i < resolution->frame_count; i++) {
		const struct result_frame *frame = &resolution->frames[i];
		const char *symbol = frame->place->symbol;
		bool matches = symbol && !frame->place->inlined &&
			       !regexec(options->parent, symbol, 0, NULL, 0);
		const char *above = resolution->parents[frame->caller];

		resolution->parents[i] =
			matches && !(above && options->caller_first) ? symbol : above;
	}
}

/* As in perf with callers below, the outermost caller that matches is kept. */
void resolve_kept_callers(struct resolution *resolution, const struct resolve_options *options)
{
	resolution->kept = xcalloc(resolution->frame_count + 1, sizeof(*resolution->kept));
	for (uint32_t i = 1; i < resolution->frame_count; i++) {
		const struct result_frame *frame = &resolution->frames[i];
		const char *symbol = frame->place->symbol;

		resolution->kept[i] = resolution->kept[frame->caller];
		if (!resolution->kept[i] && symbol &&
		    !regexec(options->ignore_callees, symbol, 0, NULL, 0))
			resolution->kept[i] = i;
	}
}
