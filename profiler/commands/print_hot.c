// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof print --hot: the objects that samples hit most, as they are in memory: see print_live.h.
 */
#include <inttypes.h>

#include "base/memory.h"
#include "profiler/cli/input.h"
#include "profiler/cli/output.h"
#include "profiler/commands/print_live.h"

/* Returns an error if there is nothing to show, with the reason. */
static struct error *check_hot(const struct print_live *live, const struct input *input,
			       const struct hot_objects *hot)
{
	const char *type = live->expression;

	if (hot->count)
		return NULL;
	RETURN_ERROR(input_need_samples(input));
	if (live->memory->pid && !session_last_name(input->session, live->memory->pid))
		return error_create(ERROR_NOT_FOUND, "%s has no samples of process %d", input->path,
				    (int)live->memory->pid);
	return error_create(
		ERROR_NOT_FOUND,
		"%s: no sample has the address of an object of %s in %s; record data "
		"addresses (dtprof mem record) or registers (dtprof record --user-regs)",
		input->path, type ? type : "a struct", live->memory->name);
}

/* Prints how much of the recording the objects stand for. */
static void print_hot_heading(const struct hot_objects *hot)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	strbuf_add_format(&text,
			  "/* %" PRIu64 " samples of %s, %" PRIu64 " with the address of an "
			  "object: %zu of %zu objects */\n",
			  hot->samples, type_name_interned(hot->type), hot->addressed, hot->count,
			  hot->seen);
	print_text(&text);
}

/* Prints the objects, which have an open reader. */
static struct error *print_hot_objects(const struct print_live *live, const struct hot_objects *hot)
{
	_cleanup_arena_ struct arena names = { 0 };
	struct live_root *roots = arena_alloc(&names, hot->count * sizeof(*roots));
	struct print_live shown = *live;

	for (size_t i = 0; i < hot->count; i++) {
		const struct hot_object *object = &hot->objects[i];
		const char *name =
			arena_format(&names, "%zu. %.1f %%, %" PRIu64 " sample%s", i + 1,
				     100.0 * (double)object->samples / (double)hot->addressed,
				     object->samples, object->samples == 1 ? "" : "s");

		roots[i] = (struct live_root){ hot->type, object->address, name, object };
	}
	shown.roots = roots;
	shown.root_count = hot->count;
	if (!live->json)
		print_hot_heading(hot);
	return print_live(&shown);
}

struct error *print_hot(const struct print_live *live, const struct input_options *options,
			unsigned int most)
{
	const struct input_needs needs = { .needs = HOT_OBJECTS_NEEDS, .details = DETAILS_MAX };
	struct hot_objects hot = { 0 };
	struct input input = { 0 };
	struct error *error = input_open(options, &input);

	if (!error)
		error = input_resolve(options, &needs, &input);
	if (!error) {
		hot_objects_find(input.resolution, input.counts, live->expression,
				 live->memory->pid, most, &hot);
		error = check_hot(live, &input, &hot);
	}
	if (!error)
		error = print_hot_objects(live, &hot);
	hot_objects_deinit(&hot);
	input_close(&input);
	return error;
}
