// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout that mends a line, by what `dtprof layout` proposes for its type (report/layout/):
 *
 *   fields of one object     pad: what is written and disturbed gets lines of its own; of many
 *                            objects split: it moves to a record of its own, which is kept apart
 *   neighbouring objects     align: the type gets the alignment of a line, and so the size of some
 *   a counter (true sharing) copy: each thread has one, and the value is their sum
 *
 * In other lines there is no single type whose layout could be changed.
 */
#include <inttypes.h>

#include "dwarf/types/type.h"
#include "profiler/resolve/layout_facts.h"
#include "profiler/resolve/sharing_uses.h"
#include "report/layout/advice.h"

/* Objects of a type with contended lines, from which on padding each would cost too much memory. */
#define SPLIT_OBJECTS_MIN 16
/* A counter is read at most once in this many of the samples that add to it. */
#define COUNTER_READS_PART 10

/* A type for which a cure is looked for. */
struct cure_search {
	struct sharing_line *line;
	struct advice_machine machine;
	struct advice_type facts;
	struct arena *texts;
};

/* Returns the written row of a known type with the most samples, to change; or NULL. */
static const struct sharing_row *row_to_mend(const struct sharing_line *line)
{
	const struct sharing_row *best = NULL;

	array_each (const struct sharing_row, row, line->rows, line->row_count)
		if (row->first->type_id && row->writes && (!best || row->samples > best->samples))
			best = row;
	return best;
}

/* Adds the members that threads write, or that are disturbed by writes, as falsely shared ones. */
static void add_sharings(struct cure_search *search, const void *type)
{
	const struct sharing_line *line = search->line;
	struct advice_sharing *sharings =
		arena_alloc(search->texts, line->row_count * sizeof(*sharings));
	int32_t first_thread = line->thread_count ? line->threads[0].tid : 0;

	for (size_t i = 0; i < line->row_count; i++) {
		const struct sharing_use *use = line->rows[i].first;
		bool known = false;
		int member;

		/* what the thread with the most samples uses may stay where it is */
		if (use->type_id != type || use->base == SHARING_NO_BASE ||
		    use->tid == first_thread)
			continue;
		member = advice_member_at(&search->facts, use->address - use->base);
		for (size_t k = 0; k < search->facts.sharing_count; k++)
			known |= member >= 0 && sharings[k].member == (uint32_t)member;
		if (member >= 0 && !known)
			sharings[search->facts.sharing_count++] =
				(struct advice_sharing){ .text = "", .member = (uint32_t)member };
	}
	search->facts.sharings = sharings;
}

static const struct advice_proposal *propose_pad(struct cure_search *search, const void *type)
{
	add_sharings(search, type);
	proposal_make(&search->facts, &search->machine, search->texts);
	return array_find(i, search->facts.proposals, search->facts.proposal_count,
			  search->facts.proposals[i].kind == PROPOSAL_PAD);
}

/* Moves to another record the members to which padding would give lines of their own. */
static const struct advice_proposal *propose_split(struct cure_search *search, const void *type)
{
	_cleanup_free_ bool *moved = xcalloc(search->facts.member_count + 1, sizeof(*moved));

	add_sharings(search, type);
	for (size_t i = 0; i < search->facts.sharing_count; i++)
		moved[search->facts.sharings[i].member] = true;
	if (!search->facts.sharing_count)
		return NULL;
	return proposal_move_out(&search->facts, moved,
				 &(struct advice_part){ .name = "apart", .pointer_name = "apart" },
				 search->texts);
}

/* Moves the counters in `type`, which threads only add to, to a record that each thread has a copy
 * of. Returns NULL if threads use what they share for much else. */
static const struct advice_proposal *propose_copy(struct cure_search *search, const void *type)
{
	_cleanup_free_ bool *moved = xcalloc(search->facts.member_count + 1, sizeof(*moved));
	const struct sharing_line *line = search->line;
	uint64_t added = 0, others = 0;

	array_each (const struct sharing_row, row, line->rows, line->row_count) {
		int member;

		if (!row->shared)
			continue;
		member = row->first->type_id == type && row->first->base != SHARING_NO_BASE
				 ? advice_member_at(&search->facts,
						    row->first->address - row->first->base)
				 : -1;
		if (!row->first->adds || member < 0) {
			others += row->writes ? row->samples * COUNTER_READS_PART : row->samples;
			continue;
		}
		added += row->samples;
		moved[member] = true;
	}
	if (!added || others * COUNTER_READS_PART > added)
		return NULL;
	return proposal_move_out(&search->facts, moved,
				 &(struct advice_part){ .name = "of_thread",
							.align = search->machine.cacheline,
							.pointer_name = "of_threads" },
				 search->texts);
}

/* Returns the layout as it is, with the alignment of a line. */
static const struct advice_proposal *propose_align(struct cure_search *search)
{
	struct advice_type *facts = &search->facts;
	struct advice_proposal *current = &facts->current;

	proposal_make(facts, &search->machine, search->texts);
	if (!current->part_count)
		return NULL;
	facts->explicit_align = search->machine.cacheline;
	current->parts[0].align = search->machine.cacheline;
	current->parts[0].size = round_up(facts->size, search->machine.cacheline);
	return current;
}

/* ---- the cure ---- */

static const char *const cure_names[] = { "pad", "align", "split", "copy" };
static const char *const cure_reasons[] = {
	"fields of different threads are in different lines",
	"objects of different threads are in different lines",
	"fields of different threads are in different records",
	"each thread has a record of its own, and their sum is the value",
};

enum cure { CURE_PAD, CURE_ALIGN, CURE_SPLIT, CURE_COPY, CURE_NONE };

/* Returns how many objects of the type are in lines with fields of one object that contend. */
static size_t contended_objects(const struct sharing *sharing, const void *type)
{
	_cleanup_free_ uint64_t *bases = xcalloc(sharing->line_count + 1, sizeof(*bases));
	size_t count = 0, known;

	for (size_t i = 0; i < sharing->line_count; i++) {
		const struct sharing_row *row = row_to_mend(&sharing->lines[i]);

		if (!row || row->first->type_id != type ||
		    sharing->lines[i].kind != SHARING_ONE_OBJECT)
			continue;
		for (known = 0; known < count && bases[known] != row->first->base;)
			known++;
		if (known == count)
			bases[count++] = row->first->base;
	}
	return count;
}

static enum cure cure_of(const struct sharing *sharing, const struct sharing_line *line,
			 const void *type)
{
	if (line->verdict == SHARING_TRUE || line->verdict == SHARING_LATENT_TRUE)
		return CURE_COPY;
	switch (line->kind) {
	case SHARING_ONE_OBJECT:
		return contended_objects(sharing, type) < SPLIT_OBJECTS_MIN ? CURE_PAD : CURE_SPLIT;
	case SHARING_NEIGHBOURS:
	case SHARING_ONE_TYPE: return CURE_ALIGN;
	default: return CURE_NONE;
	}
}

static const struct advice_proposal *propose(struct cure_search *search, enum cure cure,
					     const void *type)
{
	switch (cure) {
	case CURE_PAD: return propose_pad(search, type);
	case CURE_ALIGN: return propose_align(search);
	case CURE_SPLIT: return propose_split(search, type);
	case CURE_COPY: return propose_copy(search, type);
	default: return NULL;
	}
}

/* Returns whether the text of a cure names the member. */
static bool sharing_cures_is_named(const struct cure_search *search,
				   const struct advice_proposal *proposal,
				   const struct advice_placed *placed)
{
	if (proposal->part_count > 1)
		return placed->part;
	return proposal->kind == PROPOSAL_PAD &&
	       placed->offset != search->facts.members[placed->member].offset &&
	       placed->offset % search->machine.cacheline == 0;
}

/* Returns "struct stats 16 -> 128 bytes: 'received' at 64", or with a second record "struct stats
 * 16 -> 16 bytes: 'received' in struct stats_apart". */
static const char *summary_of(const struct cure_search *search,
			      const struct advice_proposal *proposal)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const struct advice_type *facts = &search->facts;
	bool any = false;

	strbuf_add_format(&text, "%s %" PRIu64 " -> %" PRIu64 " bytes", facts->name, facts->size,
			  proposal->parts[0].size);
	array_each (const struct advice_placed, placed, proposal->placed, facts->member_count) {
		if (!sharing_cures_is_named(search, proposal, placed))
			continue;
		strbuf_add_format(&text, "%s '%s'", any ? "," : ":",
				  facts->members[placed->member].name);
		if (proposal->part_count == 1)
			strbuf_add_format(&text, " at %" PRIu64, placed->offset);
		any = true;
	}
	if (proposal->part_count > 1)
		strbuf_add_format(&text, " in %s", proposal->parts[1].name);
	return arena_strdup(search->texts, text.data);
}

static void find_cure(const struct sharing *sharing, struct sharing_line *line, struct arena *texts)
{
	struct cure_search search = { .line = line,
				      .machine = { .cacheline = sharing->cacheline },
				      .texts = texts };
	const struct sharing_row *row = row_to_mend(line);
	enum cure cure = row ? cure_of(sharing, line, row->first->type_id) : CURE_NONE;
	const struct advice_proposal *proposal;
	_cleanup_strbuf_ struct strbuf source = STRBUF_INIT;
	struct sharing_cure *result;
	const struct type *type;

	if (cure == CURE_NONE)
		return;
	type = type_canonical(row->first->type_id);
	if (!type_is_record(type_strip(type)))
		return;
	layout_facts_declare(type, texts, &search.facts);
	if (search.facts.refusal || !search.facts.member_count)
		return;
	proposal = propose(&search, cure, row->first->type_id);
	if (!proposal)
		return;

	struct advice_proposal shown = *proposal;

	if (cure == CURE_ALIGN)
		shown.kind = PROPOSAL_PAD;
	shown.prediction.reason = cure_reasons[cure];
	emit_c(&search.facts, &shown, &search.machine, 0, &source);
	result = arena_alloc(texts, sizeof(*result));
	*result = (struct sharing_cure){ .kind = cure_names[cure],
					 .old_size = search.facts.size,
					 .new_size = proposal->parts[0].size,
					 .summary = summary_of(&search, proposal),
					 .source = arena_strdup(texts, source.data) };
	line->cure = result;
}

void sharing_find_cures(struct sharing *sharing, struct arena *texts)
{
	for (size_t i = 0; i < sharing->line_count; i++)
		if (sharing->lines[i].verdict != SHARING_FEW)
			find_cure(sharing, &sharing->lines[i], texts);
}
