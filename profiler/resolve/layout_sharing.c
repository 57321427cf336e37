// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements layout_find_sharing(): the verdicts of dtprof c2c on the lines that hold objects of a
 * type, as facts of its layout.
 *
 *   fields of one object   the fields that threads disturb: each gets lines of its own
 *   other objects          objects of different threads share a line: the type is aligned
 */
#include "profiler/resolve/layout_facts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/access.h"
#include "dwarf/types/type.h"
#include "profiler/resolve/sharing_uses.h"
#include "report/c2c/sharing.h"

/* Returns the type's row with the most samples that are disturbed; NULL: the line has none. */
static const struct sharing_row *disturbed_row(const struct sharing_line *line, const void *type)
{
	const struct sharing_row *best = NULL;

	for (size_t i = 0; i < line->row_count; i++) {
		const struct sharing_row *row = &line->rows[i];

		if (row->disturbed && row->first->type_id &&
		    type_canonical(row->first->type_id) == type &&
		    (!best || row->disturbed > best->disturbed))
			best = row;
	}
	return best;
}

static bool is_added(const struct advice_type *facts, uint32_t member)
{
	for (size_t i = 0; i < facts->sharing_count; i++)
		if (facts->sharings[i].member == member)
			return true;
	return false;
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

/* Adds the members of the type that threads disturb. The member of the line's first thread may
 * stay. */
static void add_members(struct advice_type *facts, const struct sharing_line *line,
			const void *type, struct arena *arena)
{
	int32_t first_thread = line->thread_count ? line->threads[0].tid : 0;

	for (size_t i = 0; i < line->row_count; i++) {
		const struct sharing_row *row = &line->rows[i];
		int member = row->first->type_id && type_canonical(row->first->type_id) == type
				     ? member_of(facts, row)
				     : -1;
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		if (member < 0 || !row->disturbed || row->first->tid == first_thread ||
		    is_added(facts, (uint32_t)member))
			continue;
		strbuf_add_format(&text,
				  "False sharing: '%s' shares a line with fields that another "
				  "thread uses at the same time (dtprof c2c report)",
				  facts->members[member].name);
		add_sharing(facts, text.data, (uint32_t)member, arena);
	}
}

/* Adds a line with false sharing in which a row of the type is disturbed. */
static void add_line(struct advice_type *facts, const struct sharing *sharing,
		     const struct sharing_line *line, const void *type, struct arena *arena)
{
	uint64_t disturbed = 0;

	for (size_t i = 0; i < line->row_count; i++)
		if (line->rows[i].first->type_id &&
		    type_canonical(line->rows[i].first->type_id) == type)
			disturbed += line->rows[i].cost;
	facts->shared.waits += sharing->cost ? (double)disturbed / (double)sharing->cost : 0;
	if (line->whole_gain > 1)
		facts->shared.saved += 1 - 1 / line->whole_gain;
	if (line->kind == SHARING_ONE_OBJECT)
		add_members(facts, line, type, arena);
	else
		facts->shared.objects = true;
}

static void add_type(struct advice_type *facts, const struct sharing *sharing, const void *type,
		     struct arena *arena)
{
	for (size_t i = 0; i < sharing->line_count; i++) {
		const struct sharing_line *line = &sharing->lines[i];

		if ((line->verdict == SHARING_FALSE || line->verdict == SHARING_BOTH) &&
		    disturbed_row(line, type))
			add_line(facts, sharing, line, type, arena);
	}
}

struct error *layout_find_sharing(const struct resolution *resolution,
				  const struct sample_counts *counts,
				  const struct layout_facts_options *options, struct advice *advice)
{
	struct operands operands = { 0 };
	struct sharing_uses uses = { 0 };
	struct sharing *sharing;
	struct error *error;

	if (!sharing_has_line_size(options->cacheline))
		return NULL;
	RETURN_ERROR(operands_init(&operands, options->dso, false));
	error = sharing_uses_init(&uses, resolution->session, resolution, counts, &operands,
				  options->cacheline);
	operands_deinit(&operands);
	if (!error) {
		sharing = sharing_create(
			&(struct sharing_input){ .uses = uses.items,
						 .count = uses.count,
						 .cacheline = options->cacheline,
						 .totals = uses.totals,
						 .total_count = uses.total_count,
						 .has_latencies = uses.has_latencies });
		for (size_t i = 0; i < advice->type_count; i++)
			add_type(&advice->types[i], sharing, advice->types[i].id, &advice->arena);
		sharing_destroy(sharing);
	}
	sharing_uses_deinit(&uses);
	return error;
}
