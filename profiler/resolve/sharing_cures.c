// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout that mends a line, by what `dtprof layout` proposes for its type (report/layout/):
 *
 *   fields of one object     pad: what is written and disturbed gets lines of its own
 *   neighbouring objects     align: the type gets the alignment of a line, and so the size of some
 *
 * Other lines have no one type whose layout could be changed.
 */
#include <inttypes.h>
#include <string.h>

#include "annotate/access.h"
#include "dwarf/types/type.h"
#include "profiler/resolve/layout_facts.h"
#include "profiler/resolve/sharing_uses.h"
#include "report/layout/advice.h"

/* A type whose cure is looked for. */
struct patient {
	struct sharing_line *line;
	struct advice_machine machine;
	struct advice_type facts;
	struct arena *texts;
};

/* Returns a row whose type is to be changed, or NULL: of a written field that disturbs. */
static const struct sharing_row *row_to_mend(const struct sharing_line *line)
{
	const struct sharing_row *best = NULL;

	for (size_t i = 0; i < line->row_count; i++) {
		const struct sharing_row *row = &line->rows[i];

		if (row->first->type_id && row->writes && (!best || row->samples > best->samples))
			best = row;
	}
	return best;
}

/* Adds the members that threads write, or that are disturbed by writes, as falsely shared ones. */
static void add_sharings(struct patient *patient, const void *type)
{
	const struct sharing_line *line = patient->line;
	struct advice_sharing *sharings =
		arena_alloc(patient->texts, line->row_count * sizeof(*sharings));
	int32_t first_thread = line->thread_count ? line->threads[0].tid : 0;

	for (size_t i = 0; i < line->row_count; i++) {
		const struct sharing_use *use = line->rows[i].first;
		bool known = false;
		int member;

		/* what the thread with the most samples uses may stay where it is */
		if (use->type_id != type || use->base == SHARING_NO_BASE ||
		    use->tid == first_thread)
			continue;
		member = advice_member_at(&patient->facts, use->address - use->base);
		for (size_t k = 0; k < patient->facts.sharing_count; k++)
			known |= member >= 0 && sharings[k].member == (uint32_t)member;
		if (member >= 0 && !known)
			sharings[patient->facts.sharing_count++] =
				(struct advice_sharing){ .text = "", .member = (uint32_t)member };
	}
	patient->facts.sharings = sharings;
}

static const struct advice_proposal *pad(struct patient *patient, const void *type)
{
	add_sharings(patient, type);
	proposal_make(&patient->facts, &patient->machine, patient->texts);
	for (size_t i = 0; i < patient->facts.proposal_count; i++)
		if (patient->facts.proposals[i].kind == PROPOSAL_PAD)
			return &patient->facts.proposals[i];
	return NULL;
}

/* Returns the layout as it is, with the alignment of a line. */
static const struct advice_proposal *align(struct patient *patient)
{
	struct advice_type *facts = &patient->facts;
	struct advice_proposal *current = &facts->current;

	proposal_make(facts, &patient->machine, patient->texts);
	if (!current->part_count)
		return NULL;
	facts->explicit_align = patient->machine.cacheline;
	current->parts[0].align = patient->machine.cacheline;
	current->parts[0].size = round_up(facts->size, patient->machine.cacheline);
	return current;
}

/* Returns "struct stats grows from 16 to 128 bytes: 'received' at 64". */
static const char *summary_of(const struct patient *patient, const struct advice_proposal *proposal)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const struct advice_type *facts = &patient->facts;
	bool any = false;

	strbuf_add_format(&text, "%s %" PRIu64 " -> %" PRIu64 " bytes", facts->name, facts->size,
			  proposal->parts[0].size);
	for (size_t i = 0; i < facts->member_count; i++) {
		const struct advice_placed *placed = &proposal->placed[i];
		const struct advice_member *member = &facts->members[placed->member];

		if (proposal->kind != PROPOSAL_PAD || placed->offset == member->offset ||
		    placed->offset % patient->machine.cacheline)
			continue;
		strbuf_add_format(&text, "%s '%s' at %" PRIu64, any ? "," : ":", member->name,
				  placed->offset);
		any = true;
	}
	return arena_strdup(patient->texts, text.data);
}

static void find_cure(struct sharing_line *line, uint64_t cacheline, struct arena *texts)
{
	struct patient patient = { .line = line,
				   .machine = { .cacheline = cacheline },
				   .texts = texts };
	const struct sharing_row *row = row_to_mend(line);
	bool pads = line->kind == SHARING_ONE_OBJECT;
	const struct advice_proposal *proposal;
	_cleanup_strbuf_ struct strbuf source = STRBUF_INIT;
	struct sharing_cure *cure;
	const struct type *type;

	if (!row || (!pads && line->kind != SHARING_NEIGHBOURS && line->kind != SHARING_ONE_TYPE))
		return;
	type = type_canonical(row->first->type_id);
	if (!type_is_record(type_strip(type)))
		return;
	layout_facts_declare(type, texts, &patient.facts);
	if (patient.facts.refusal || !patient.facts.member_count)
		return;
	proposal = pads ? pad(&patient, row->first->type_id) : align(&patient);
	if (!proposal)
		return;

	struct advice_proposal shown = *proposal;

	shown.kind = PROPOSAL_PAD;
	shown.prediction.reason = pads ? "fields of different threads are in different lines"
				       : "objects of different threads are in different lines";
	emit_c(&patient.facts, &shown, &patient.machine, &source);
	cure = arena_alloc(texts, sizeof(*cure));
	*cure = (struct sharing_cure){ .kind = pads ? "pad" : "align",
				       .old_size = patient.facts.size,
				       .new_size = proposal->parts[0].size,
				       .summary = summary_of(&patient, proposal),
				       .source = arena_strdup(texts, source.data) };
	line->cure = cure;
}

void sharing_find_cures(struct sharing *sharing, struct arena *texts)
{
	for (size_t i = 0; i < sharing->line_count; i++) {
		enum sharing_verdict verdict = sharing->lines[i].verdict;

		if (verdict != SHARING_TRUE && verdict != SHARING_FEW)
			find_cure(&sharing->lines[i], sharing->cacheline, texts);
	}
}
