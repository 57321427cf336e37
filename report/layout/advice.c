// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements advice.h: the order of the steps, which members are used together, and the proposals.
 */
#include "report/layout/advice.h"

#include <math.h>

#include "base/strbuf.h"
#include "base/text.h"
#include "report/layout/lines.h"

const char *const advice_kind_names[PROPOSAL_KINDS + 1] = {
	[PROPOSAL_KEEP] = "keep",   [PROPOSAL_REORDER] = "reorder", [PROPOSAL_SHRINK] = "shrink",
	[PROPOSAL_SPLIT] = "split", [PROPOSAL_PEEL] = "peel",       [PROPOSAL_PAD] = "pad",
};

const char *const advice_verdict_names[] = { "gain", "no gain", "cannot tell" };
const char *const advice_walk_names[] = { "same", "stream", "chase", "scattered" };

static uint64_t member_end(const struct advice_member *member)
{
	return member->flags & MEMBER_LAST ? UINT64_MAX : member->offset + member->size;
}

int advice_member_at(const struct advice_type *type, uint64_t offset)
{
	for (size_t i = 0; i < type->member_count; i++)
		if (offset >= type->members[i].offset && offset < member_end(&type->members[i]))
			return (int)i;
	return -1;
}

bool advice_uses_member(const struct advice_type *type, const struct advice_use *use,
			uint32_t member)
{
	const struct advice_member *m = &type->members[member];

	return use->offset < member_end(m) && m->offset < use->offset + use->size;
}

void advice_add_constraint(struct advice_type *type, struct arena *arena, enum advice_risk risk,
			   const char *text)
{
	struct advice_constraint *all;

	if (any_of(i, 0, type->constraint_count,
		   type->constraints[i].risk == risk && !strcmp(type->constraints[i].text, text)))
		return;
	all = arena_alloc(arena, (type->constraint_count + 1) * sizeof(*all));
	if (type->constraint_count)
		memcpy(all, type->constraints, type->constraint_count * sizeof(*all));
	all[type->constraint_count++] =
		(struct advice_constraint){ .text = arena_strdup(arena, text), .risk = risk };
	type->constraints = all;
}

uint64_t advice_region_samples(const struct advice_type *type)
{
	return sum_over(uint64_t, i, 0, type->region_count, type->regions[i].samples);
}

/* The effort in the source that each kind of proposal takes, in steps. Among equally good proposals
 * the one with the least effort comes first. */
static const int effort[PROPOSAL_KINDS] = {
	[PROPOSAL_KEEP] = 0, [PROPOSAL_REORDER] = 1, [PROPOSAL_SHRINK] = 1,
	[PROPOSAL_PAD] = 2,  [PROPOSAL_SPLIT] = 3,   [PROPOSAL_PEEL] = 4,
};

/* The further gain that a proposal needs for each step of `effort` that it costs more. */
#define EFFORT_GAIN 0.05

/* Returns the middle of the range that is promised; 0: none is. */
static double promised_gain(const struct advice_proposal *proposal)
{
	const struct advice_prediction *prediction = &proposal->prediction;

	return prediction->verdict == VERDICT_GAIN && proposal->part_count
		       ? sqrt(prediction->whole.low * prediction->whole.high)
		       : 0;
}

/* The same for each line of a visit beyond the first: how far lines arrive together is least known.
 * A stream has less than one for each element. */
#define LINES_GAIN 0.05

static double merit(const struct advice_proposal *proposal)
{
	return promised_gain(proposal) - EFFORT_GAIN * effort[proposal->kind] -
	       LINES_GAIN * fmax(proposal->prediction.new_lines - 1, 0);
}

/* Returns the lines that a layout spares L1, by the share of the time in which it does. */
static double spared_lines(const struct advice_proposal *proposal)
{
	const struct advice_spared *spared = &proposal->prediction.spared;

	return (spared->old - spared->new) * spared->share;
}

static int compare_proposals(const void *left, const void *right)
{
	const struct advice_proposal *a = left, *b = right;
	const bool gains = a->prediction.verdict == VERDICT_GAIN;

	COMPARE(b->prediction.verdict == VERDICT_GAIN, gains);
	if (gains)
		COMPARE(merit(b), merit(a));
	COMPARE(spared_lines(b), spared_lines(a));
	DESCENDING(prediction.whole.high)
	COMPARE(effort[a->kind], effort[b->kind]);
	ASCENDING(kind)
	return 0;
}

static const struct advice_proposal *first_proposal(const struct advice_type *type)
{
	static const struct advice_proposal none = { 0 };

	return type->proposal_count ? type->proposals : &none;
}

/* Compares types by their best proposals: by the time that they gain, then by the lines of L1.
 * Those of the system's libraries come last, as nobody changes them for one program. */
COMPARISON(compare_types, struct advice_type,
	   ASCENDING(is_foreign)
		   BY(promised_gain(first_proposal(b)), promised_gain(first_proposal(a)))
			   BY(spared_lines(first_proposal(b)), spared_lines(first_proposal(a)))
				   DESCENDING(samples) BY_TEXT(name) BY_TEXT(object))

void advice_make(struct advice *advice)
{
	array_each (struct advice_type, type, advice->types, advice->type_count) {
		affinity_make(type, &advice->arena);
		lone_make(type, &advice->machine, &advice->arena);
		proposal_make(type, &advice->machine, &advice->arena);
		if (type->size > ADVICE_SIZE_MAX)
			continue;
		replay_predict(type, &advice->machine, &type->current, &advice->arena);
		for (size_t k = 0; k < type->proposal_count; k++)
			replay_predict(type, &advice->machine, &type->proposals[k], &advice->arena);
		advice_sort_proposals(type);
	}
	array_sort(advice->types, advice->type_count, compare_types);
}

void advice_sort_proposals(struct advice_type *type)
{
	array_sort(type->proposals, type->proposal_count, compare_proposals);
}

/* ---- affinity ---- */

/* Only generated records have more members; they get no affinities. */
#define AFFINITY_MEMBERS_MAX 2000

/* The visits of a region that count for its uses. */
enum visits {
	VISITS_ALL,    /* all, even if some leave out the use */
	VISITS_MOST,   /* as many as make it, at most, by samples */
	VISITS_ALWAYS, /* all, but only if none leaves it out */
};

/* Returns in which share of a region's visits through one base it uses the member. */
static double visits_using(const struct advice_type *type, const struct advice_region *region,
			   uint32_t base, uint32_t member, enum visits visits)
{
	double share = 0;

	array_each (const struct advice_use, use, region->uses, region->use_count)
		if (use->base == base && !advice_use_is_rare(use) &&
		    advice_uses_member(type, use, member) &&
		    !(visits == VISITS_ALWAYS && (use->sometimes || use->not_last)))
			share += visits == VISITS_MOST && use->sometimes && use->most > 0
					 ? use->most
					 : 1;
	return fmin(share, 1);
}

/* Returns in which share of its visits the region uses both members (or one, if they are equal)
 * through one base. */
static double used_together(const struct advice_type *type, const struct advice_region *region,
			    uint32_t first, uint32_t second, enum visits visits)
{
	double share = 0;

	for (size_t i = 0; i < region->use_count && share < 1; i++) {
		uint32_t base = region->uses[i].base;

		if (advice_uses_member(type, &region->uses[i], first))
			share = fmax(share, fmin(visits_using(type, region, base, first, visits),
						 visits_using(type, region, base, second, visits)));
	}
	return share;
}

/* Returns the weight of the two members' affinity, 0 to 1. */
static double affinity_between(const struct advice_type *type, uint32_t first, uint32_t second,
			       enum visits visits)
{
	uint64_t total = advice_region_samples(type);
	double together = sum_over(double, i, 0, type->region_count,
				   (double)type->regions[i].samples *used_together(
					   type, &type->regions[i], first, second, visits));

	return total ? together / (double)total : 0;
}

double affinity_use(const struct advice_type *type, uint32_t member)
{
	uint64_t total = advice_region_samples(type), used = 0;

	array_each (const struct advice_region, region, type->regions, type->region_count) {
		for (size_t k = 0; k < region->use_count; k++) {
			if ((region->uses[k].walk == WALK_SAME &&
			     region->uses[k].outer == WALK_SAME) ||
			    advice_use_is_rare(&region->uses[k]) ||
			    !advice_uses_member(type, &region->uses[k], member))
				continue;
			used += region->samples;
			break;
		}
	}
	return total ? (double)used / (double)total : 0;
}

double advice_most_factor(const struct advice_objects *objects, double bytes)
{
	double factor = objects->estimate > 0 ? objects->most / objects->estimate : 1;

	/* small objects may share lines */
	if (objects->room > 0 && factor * bytes > objects->room)
		factor = objects->room / bytes;
	return factor > 1 ? factor : 1;
}

COMPARISON(compare_affinities, struct advice_affinity,
	   DESCENDING(most) DESCENDING(always) ASCENDING(first) ASCENDING(second))

/* Returns whether the member shares bytes with another one, as those of unions and of a record's
 * variants do: they are used where the other is, and never with it. */
static bool is_overlaid(const struct advice_type *type, uint32_t member)
{
	const struct advice_member *own = &type->members[member];

	return any_of(i, 0, type->member_count,
		      i != member && type->members[i].offset < own->offset + own->size &&
			      own->offset < type->members[i].offset + type->members[i].size);
}

void affinity_make(struct advice_type *type, struct arena *arena)
{
	_cleanup_free_ struct advice_affinity *found = NULL;
	_cleanup_free_ bool *used = xcalloc(type->member_count + 1, sizeof(*used));
	size_t count = 0, capacity = 0;

	if (type->member_count > AFFINITY_MEMBERS_MAX)
		return;
	for (uint32_t i = 0; i < type->member_count; i++)
		for (size_t k = 0; k < type->region_count && !used[i]; k++)
			used[i] = used_together(type, &type->regions[k], i, i, VISITS_ALL) > 0 &&
				  !is_overlaid(type, i);
	for (uint32_t i = 0; i < type->member_count; i++) {
		for (uint32_t k = i + 1; k < type->member_count && used[i]; k++) {
			double weight = used[k] ? affinity_between(type, i, k, VISITS_ALL) : 0;

			if (weight <= 0)
				continue;
			array_add(found, count, capacity) = (struct advice_affinity){
				i, k, weight, affinity_between(type, i, k, VISITS_MOST),
				affinity_between(type, i, k, VISITS_ALWAYS)
			};
		}
	}
	if (!count)
		return;
	array_sort(found, count, compare_affinities);
	type->affinities = arena_copy(arena, found, count * sizeof(*found));
	type->affinity_count = count;
}

/* ---- members that are alone in a line ---- */

#define LONE_MIN 0.05 /* of the samples of the type's regions: rarer ones are left out */

/* The visits of a region in which a member is alone: those that surely are made, those that are if
 * each visit but for those of conditions makes its uses, or all that may be. */
enum lone_visits { LONE_SURE, LONE_LIKELY, LONE_PERHAPS, LONE_VISITS };

/* Returns whether the use touches the member and no other one. */
static bool is_of_member(const struct advice_use *use, const struct advice_member *member)
{
	return use->offset >= member->offset &&
	       use->offset + use->size <= member->offset + member->size;
}

/* Returns the bits of the lines from `start` to `end` that a use touches: of the object at `begin`,
 * and in a stream, of the elements beside it. */
static uint64_t lines_beside(const struct advice_use *use, uint64_t begin, uint64_t start,
			     uint64_t end, uint64_t cacheline)
{
	const uint64_t step = use->walk == WALK_STREAM ? (uint64_t)llabs(use->step) : 0;
	uint64_t bits = 0;

	for (uint64_t line = start; line <= end; line++)
		for (int64_t element = step ? -1 : 0; element <= (step ? 1 : 0); element++) {
			int64_t at = (int64_t)(begin + use->offset) + element * (int64_t)step;

			if (at < (int64_t)((line + 1) * cacheline) &&
			    at + (int64_t)use->size > (int64_t)(line * cacheline))
				bits |= UINT64_C(1) << (line - start);
		}
	return bits;
}

/* Returns whether iterations of the region touch a line for this member alone, and others, too, of
 * objects that begin `begin` bytes behind a line's start. A search ends at an object of which it
 * may leave out uses. */
static bool is_lone(const struct advice_type *type, const struct advice_region *region,
		    uint32_t member, uint64_t begin, uint64_t cacheline, enum lone_visits visits)
{
	const struct advice_member *own = &type->members[member];
	uint64_t start = (begin + own->offset) / cacheline,
		 end = (begin + own->offset + own->size - 1) / cacheline;

	array_each (const struct advice_use, use, region->uses, region->use_count) {
		bool elsewhere = false;
		uint64_t beside = 0; /* bits of the member's lines that other members are used in */

		if ((use->walk == WALK_SAME && use->outer == WALK_SAME) ||
		    advice_use_is_rare(use) || (use->sometimes && visits < LONE_PERHAPS) ||
		    (use->not_last && visits == LONE_SURE) || !is_of_member(use, own))
			continue;
		array_each (const struct advice_use, other, region->uses, region->use_count) {
			if (other->base != use->base || advice_use_is_rare(other) ||
			    is_of_member(other, own))
				continue;
			bool left_out = other->sometimes || other->not_last;

			elsewhere |= !(left_out && visits == LONE_SURE) &&
				     ((begin + other->offset) / cacheline < start ||
				      (begin + other->offset + other->size - 1) / cacheline > end);
			if (!(left_out && visits == LONE_PERHAPS))
				beside |= lines_beside(other, begin, start, end, cacheline);
		}
		if (elsewhere && __builtin_popcountll(beside) <= (int)(end - start))
			return true;
	}
	return false;
}

/* Returns in which share of the objects the region touches a line for this member alone: of those
 * that were seen, or of an array's elements, which begin at each place in a line equally often. */
static double lone_share(const struct advice_type *type, const struct advice_region *region,
			 uint32_t member, uint64_t cacheline, enum lone_visits visits)
{
	const uint64_t *seen = type->objects.alignments;
	const uint64_t unit = common_divisor(type->size, cacheline);
	uint64_t begin;
	bool even = type->objects.array && lines_begin_alike(&type->objects, unit, &begin);
	double lone = 0, all = 0;

	for (uint64_t at = 0; at < cacheline && at < COUNT_OF(type->objects.alignments); at++) {
		double weight = even ? at % unit == begin : (double)seen[at];

		all += weight;
		if (weight > 0 && is_lone(type, region, member, at, cacheline, visits))
			lone += weight;
	}
	return all > 0 ? lone / all : is_lone(type, region, member, 0, cacheline, visits);
}

COMPARISON(compare_lone, struct advice_lone, DESCENDING(weight) DESCENDING(most) ASCENDING(member))

void lone_make(struct advice_type *type, const struct advice_machine *machine, struct arena *arena)
{
	_cleanup_free_ struct advice_lone *found = xcalloc(type->member_count + 1, sizeof(*found));
	uint64_t total = advice_region_samples(type);
	size_t count = 0;

	if (type->size <= machine->cacheline)
		return;
	for (uint32_t i = 0; i < type->member_count; i++) {
		double samples[LONE_VISITS] = { 0 };

		/* a large member has lines of its own in any place */
		if (type->members[i].size > machine->cacheline / 2 ||
		    type->members[i].flags & (MEMBER_FIRST | MEMBER_LAST))
			continue;
		array_each (const struct advice_region, region, type->regions, type->region_count)
			for (enum lone_visits visits = 0; visits < LONE_VISITS; visits++)
				samples[visits] +=
					(double)region->samples *
					lone_share(type, region, i, machine->cacheline, visits);
		if (total && samples[LONE_LIKELY] >= LONE_MIN * (double)total)
			found[count++] =
				(struct advice_lone){ i,
						      type->members[i].offset / machine->cacheline,
						      samples[LONE_SURE] / (double)total,
						      samples[LONE_PERHAPS] / (double)total };
	}
	if (!count)
		return;
	array_sort(found, count, compare_lone);
	type->lone = arena_copy(arena, found, count * sizeof(*found));
	type->lone_count = count;
}

/* ---- the graph ---- */

/* Appends the text in double quotes, in DOT's form. */
static void advice_add_quoted(const char *text, struct strbuf *buffer)
{
	strbuf_add_char(buffer, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			strbuf_add_char(buffer, '\\');
		strbuf_add_char(buffer, *text);
	}
	strbuf_add_char(buffer, '"');
}

void affinity_print_dot(const struct advice_type *type, struct strbuf *buffer)
{
	size_t start = buffer->length;

	strbuf_add_string(buffer, "graph ");
	advice_add_quoted(type->name, buffer);
	strbuf_add_string(buffer, " {");
	strbuf_end_line(buffer, start);
	array_indexed (const struct advice_member, member, i, type->members, type->member_count) {
		strbuf_add_char(buffer, '\t');
		start = buffer->length;
		strbuf_add_format(buffer, "m%zu [label=", i);
		_cleanup_strbuf_ struct strbuf label = STRBUF_INIT;

		strbuf_add_format(&label, "%s (%.1f%%)", member->name,
				  type->samples
					  ? 100.0 * (double)member->samples / (double)type->samples
					  : 0);
		advice_add_quoted(label.data, buffer);
		strbuf_add_string(buffer, "];");
		strbuf_end_line(buffer, start);
	}
	array_each (const struct advice_affinity, pair, type->affinities, type->affinity_count) {
		strbuf_add_format(buffer,
				  "\tm%u -- m%u [weight=%.0f, penwidth=%.1f, label=\"%.0f%%\"];\n",
				  pair->first, pair->second, 1 + 100 * pair->most,
				  1 + 5 * pair->most, 100 * pair->most);
	}
	for (size_t i = 0; i < type->near_count; i++)
		strbuf_add_format(buffer,
				  "\tm%u -- m%u [style=dashed, constraint=false, label=\"%.0f%% in "
				  "time\"];\n",
				  type->nears[i].first, type->nears[i].second,
				  100.0 * (double)type->nears[i].samples /
					  (double)type->near_samples);
	strbuf_add_string(buffer, "}\n");
}

/* ---- proposals ---- */

/*
 * Other layouts of a record with the same members:
 *
 *   reorder  members that are used together side by side, in the fewest lines
 *   shrink   the same order as far as holes allow, without holes
 *   split    the used members in one record, the others in a second one
 *   peel     an array of records becomes one array for each group of members used together
 *   pad      a member that several threads share by writing gets lines of its own
 *
 * Members that are pinned stay first or last in the first part. Proposals that change nothing are
 * not made. replay.c decides whether one is advised.
 *
 * Each proposal is an order of the members, cut into parts, that lay_out() turns into offsets as a
 * C compiler would. Orders are greedy: the member that is used most comes first, and each next one
 * is that which is used most together with those already placed.
 */

#define PARTS_MAX    64   /* most records that one is cut into */
#define USED_MIN     0.02 /* by affinity_use(): members that are used less are cold */
#define POINTER_SIZE 8
#define MEMBERS_MAX  1000 /* larger records are generated; nobody lays them out by hand */

/* The order of members that a proposal is made of. */
struct sequence {
	uint32_t *members;
	size_t count;
};

/* ---- offsets ---- */

/* Appends the members to a part, each at the next offset that its alignment allows. With `fill`, a
 * hole takes the next member in the sequence that fits into it. */
static void lay_out(const struct advice_type *type, const struct sequence *sequence,
		    uint32_t part_number, bool fill, struct advice_part *part,
		    struct advice_placed *placed, size_t *placed_count)
{
	_cleanup_free_ bool *done = xcalloc(sequence->count + 1, sizeof(*done));
	uint64_t end = part->pointer ? part->pointer_offset + POINTER_SIZE : 0;

	if (part->pointer && part->align < POINTER_SIZE)
		part->align = POINTER_SIZE;
	for (size_t i = 0; i < sequence->count; i++) {
		while (!done[i]) {
			size_t next = i;
			const struct advice_member *member = &type->members[sequence->members[i]];
			uint64_t hole = round_up(end, member->align) - end;

			for (size_t k = i + 1; fill && hole && k < sequence->count && next == i;
			     k++) {
				const struct advice_member *other =
					&type->members[sequence->members[k]];

				if (!done[k] && !(other->flags & MEMBER_LAST) && other->size &&
				    round_up(end, other->align) - end + other->size <= hole)
					next = k;
			}
			member = &type->members[sequence->members[next]];
			end = round_up(end, member->align);
			placed[(*placed_count)++] =
				(struct advice_placed){ .member = sequence->members[next],
							.part = part_number,
							.offset = end };
			end += member->size;
			raise_to(part->align, member->align);
			raise_to(part->align, member->unit);
			done[next] = true;
		}
	}
	part->size = round_up(end, part->align);
}

static struct advice_proposal *add_proposal(struct advice_type *type, enum advice_kind kind,
					    size_t part_count, struct arena *arena)
{
	struct advice_proposal *all =
		arena_alloc(arena, (type->proposal_count + 1) * sizeof(*type->proposals));
	struct advice_proposal *proposal = &all[type->proposal_count];

	if (type->proposal_count)
		memcpy(all, type->proposals, type->proposal_count * sizeof(*all));
	type->proposals = all;
	type->proposal_count++;
	*proposal = (struct advice_proposal){
		.kind = kind,
		.parts = arena_alloc(arena, part_count * sizeof(*proposal->parts)),
		.part_count = part_count,
		.placed = arena_alloc(arena, (type->member_count + 1) * sizeof(*proposal->placed)),
	};
	for (size_t i = 0; i < part_count; i++)
		proposal->parts[i] = (struct advice_part){ .name = type->tag,
							   .align = !i && type->explicit_align
									    ? type->explicit_align
									    : 1 };
	return proposal;
}

static void make_current(struct advice_type *type, struct arena *arena)
{
	struct advice_part *part = arena_alloc(arena, sizeof(*part));

	*part = (struct advice_part){ .name = type->tag, .size = type->size, .align = type->align };
	type->current = (struct advice_proposal){
		.kind = PROPOSAL_KEEP,
		.parts = part,
		.part_count = 1,
		.placed =
			arena_alloc(arena, (type->member_count + 1) * sizeof(struct advice_placed)),
	};
	for (uint32_t i = 0; i < type->member_count; i++)
		type->current.placed[i] = (struct advice_placed){ i, 0, type->members[i].offset };
}

/* ---- orders ---- */

COMPARISON(compare_indices, uint32_t, BY_VALUE)

/* Moves the pinned members to the ends of the sequence. The others keep their order. */
static void keep_pinned(const struct advice_type *type, struct sequence *sequence)
{
	_cleanup_free_ uint32_t *sorted = xcalloc(sequence->count + 1, sizeof(*sorted));
	size_t count = 0;

	for (int round = 0; round < 3; round++) {
		size_t begin = count;

		for (size_t i = 0; i < sequence->count; i++) {
			uint32_t flags = type->members[sequence->members[i]].flags;
			int place = flags & MEMBER_FIRST ? 0 : flags & MEMBER_LAST ? 2 : 1;

			if (place == round)
				sorted[count++] = sequence->members[i];
		}
		/* several pinned members are in the order of the declaration */
		if (round != 1 && count > begin)
			qsort(sorted + begin, count - begin, sizeof(*sorted), compare_indices);
	}
	memcpy(sequence->members, sorted, count * sizeof(*sorted));
}

/* How much each member is used. */
struct usage {
	double *used; /* of each member */
	bool *hot;
	size_t hot_count;
};

static void usage_init(struct usage *usage, const struct advice_type *type)
{
	*usage = (struct usage){ .used = xcalloc(type->member_count + 1, sizeof(double)),
				 .hot = xcalloc(type->member_count + 1, sizeof(bool)) };
	for (uint32_t i = 0; i < type->member_count; i++) {
		usage->used[i] = affinity_use(type, i);
		usage->hot[i] = usage->used[i] >= USED_MIN;
		usage->hot_count += usage->hot[i];
	}
}

static double affinity_to(const struct advice_type *type, const bool *placed, uint32_t member)
{
	double sum = 0;

	array_each (const struct advice_affinity, pair, type->affinities, type->affinity_count) {
		if ((pair->first == member && placed[pair->second]) ||
		    (pair->second == member && placed[pair->first]))
			sum += pair->weight;
	}
	return sum;
}

/* Sets the sequence to hot members, in the order of use together, then cold ones. */
static void order_by_affinity(const struct advice_type *type, const struct usage *usage,
			      struct sequence *sequence)
{
	_cleanup_free_ bool *placed = xcalloc(type->member_count + 1, sizeof(*placed));

	sequence->count = 0;
	while (sequence->count < usage->hot_count) {
		uint32_t best = UINT32_MAX;
		double best_affinity = -1;

		for (uint32_t i = 0; i < type->member_count; i++) {
			double affinity;

			if (placed[i] || !usage->hot[i])
				continue;
			affinity = affinity_to(type, placed, i);
			if (affinity > best_affinity ||
			    (affinity == best_affinity && usage->used[i] > usage->used[best])) {
				best = i;
				best_affinity = affinity;
			}
		}
		placed[best] = true;
		sequence->members[sequence->count++] = best;
	}
	for (uint32_t i = 0; i < type->member_count; i++)
		if (!placed[i])
			sequence->members[sequence->count++] = i;
	keep_pinned(type, sequence);
}

/* Returns whether the layout is the current one. */
static bool is_current(const struct advice_type *type, const struct advice_proposal *proposal)
{
	if (proposal->part_count != 1 || proposal->parts[0].size != type->size)
		return false;
	return !any_of(i, 0, type->member_count,
		       proposal->placed[i].offset !=
			       type->members[proposal->placed[i].member].offset);
}

/* ---- the kinds ---- */

static void propose_reorder(struct advice_type *type, const struct usage *usage,
			    struct sequence *sequence, struct arena *arena)
{
	struct advice_proposal *proposal = add_proposal(type, PROPOSAL_REORDER, 1, arena);
	size_t placed = 0;

	order_by_affinity(type, usage, sequence);
	lay_out(type, sequence, 0, true, &proposal->parts[0], proposal->placed, &placed);
	if (proposal->parts[0].size > type->size)
		type->proposal_count--;
	else if (is_current(type, &type->proposals[type->proposal_count - 1]))
		type->proposal_count--;
}

static void propose_shrink(struct advice_type *type, struct sequence *sequence, struct arena *arena)
{
	struct advice_proposal *proposal = add_proposal(type, PROPOSAL_SHRINK, 1, arena);
	size_t placed = 0;

	sequence->count = type->member_count;
	for (uint32_t i = 0; i < type->member_count; i++)
		sequence->members[i] = i;
	keep_pinned(type, sequence);
	lay_out(type, sequence, 0, true, &proposal->parts[0], proposal->placed, &placed);
	if (proposal->parts[0].size < type->size)
		return;
	/* in the order of falling alignment there is no hole at all */
	placed = 0;
	for (size_t i = 1; i < sequence->count; i++)
		for (size_t k = i; k > 0; k--) {
			uint32_t *pair = &sequence->members[k - 1];

			if (type->members[pair[0]].align >= type->members[pair[1]].align)
				break;
			exchange(pair[0], pair[1]);
		}
	keep_pinned(type, sequence);
	proposal->parts[0] =
		(struct advice_part){ .name = type->tag, .align = type->explicit_align ?: 1 };
	lay_out(type, sequence, 0, true, &proposal->parts[0], proposal->placed, &placed);
	if (proposal->parts[0].size >= type->size)
		type->proposal_count--;
}

static const char *part_name(const struct advice_type *type, const char *suffix,
			     struct arena *arena)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	strbuf_add_format(&name, "%s_%s", type->tag, suffix);
	return arena_strdup(arena, name.data);
}

/* Adds a pointer to the second part, last, as members may have to be first. */
static void add_pointer(const struct advice_type *type, struct advice_proposal *proposal)
{
	struct advice_part *part = &proposal->parts[0];
	uint64_t end = 0;

	for (size_t i = 0; i < type->member_count && !proposal->placed[i].part; i++)
		end = proposal->placed[i].offset + type->members[proposal->placed[i].member].size;
	part->pointer = true;
	part->pointer_offset = round_up(end, POINTER_SIZE);
	raise_to(part->align, POINTER_SIZE);
	part->size = round_up(part->pointer_offset + POINTER_SIZE, part->align);
}

struct advice_proposal proposal_by_pointer(const struct advice_type *type,
					   const struct advice_machine *machine,
					   const struct advice_proposal *proposal,
					   struct arena *arena)
{
	struct advice_proposal result = *proposal;

	result.parts =
		arena_copy(arena, proposal->parts, proposal->part_count * sizeof(*proposal->parts));
	if (!proposal->parts[0].pointer) {
		add_pointer(type, &result);
		replay_predict(type, machine, &result, arena);
	}
	return result;
}

static void propose_split(struct advice_type *type, const struct usage *usage,
			  struct sequence *sequence, struct arena *arena)
{
	struct advice_proposal *proposal;
	struct sequence part = { 0 };
	size_t placed = 0;
	uint64_t cold_bytes = sum_over(uint64_t, i, 0, type->member_count,
				       usage->hot[i] ? 0 : type->members[i].size);

	/* a pointer to the cold part must be worth its bytes */
	if (!usage->hot_count || usage->hot_count == type->member_count ||
	    cold_bytes <= 2 * POINTER_SIZE ||
	    (any_of(i, 0, type->member_count,
		    (type->members[i].flags & (MEMBER_FIRST | MEMBER_LAST)) && !usage->hot[i])))
		return;
	order_by_affinity(type, usage, sequence);
	proposal = add_proposal(type, PROPOSAL_SPLIT, 2, arena);
	part = (struct sequence){ sequence->members, usage->hot_count };
	/* the cold half of an array's elements has the same index, so no pointer is needed */
	lay_out(type, &part, 0, true, &proposal->parts[0], proposal->placed, &placed);
	part = (struct sequence){ sequence->members + usage->hot_count,
				  type->member_count - usage->hot_count };
	proposal->parts[1].name = part_name(type, "cold", arena);
	lay_out(type, &part, 1, true, &proposal->parts[1], proposal->placed, &placed);
	if (!type->objects.array)
		add_pointer(type, proposal);
	if (proposal->parts[0].size >= type->size)
		type->proposal_count--;
}

/* Returns whether nearly the same regions use both members, each through the same bases. */
static bool same_regions(const struct advice_type *type, const struct usage *usage, uint32_t first,
			 uint32_t second)
{
	double together = affinity_between(type, first, second, VISITS_ALL),
	       least = usage->used[first];

	raise_to(least, usage->used[second]);
	return least > 0 && together >= 0.9 * least;
}

/* Returns the first member's name that fits an identifier, else "part" and the number. */
static const char *word_of(const struct advice_type *type, const struct sequence *sequence,
			   size_t number, struct arena *arena)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < sequence->count; i++) {
		const char *name = type->members[sequence->members[i]].name;

		if (is_c_identifier(name))
			return name;
	}
	strbuf_add_format(&text, "part%zu", number);
	return arena_strdup(arena, text.data);
}

/* Cuts an array that loops stream through into one for each group of their members. */
static void propose_peel(struct advice_type *type, const struct usage *usage,
			 struct sequence *sequence, struct arena *arena)
{
	_cleanup_free_ uint32_t *group = xcalloc(type->member_count + 1, sizeof(*group));
	size_t group_count = 0, placed = 0;

	if (!advice_any_use(type, use->walk == WALK_STREAM) || !type->objects.array ||
	    usage->hot_count < 2 ||
	    any_of(i, 0, type->member_count, type->members[i].flags & (MEMBER_FIRST | MEMBER_LAST)))
		return;
	order_by_affinity(type, usage, sequence);
	for (size_t i = 0; i < usage->hot_count; i++) {
		uint32_t member = sequence->members[i];

		for (size_t k = 0; k < i && !group[member]; k++)
			if (same_regions(type, usage, member, sequence->members[k]))
				group[member] = group[sequence->members[k]];
		if (!group[member])
			group[member] = (uint32_t)++group_count;
	}
	bool has_cold = usage->hot_count < type->member_count;
	size_t part_count = group_count + has_cold;

	if (group_count < 2 || part_count > PARTS_MAX)
		return;
	struct advice_proposal *proposal = add_proposal(type, PROPOSAL_PEEL, part_count, arena);
	_cleanup_free_ uint32_t *members = xcalloc(type->member_count + 1, sizeof(*members));

	for (size_t number = 0; number < part_count; number++) {
		struct sequence part = { members, 0 };

		for (size_t i = 0; i < type->member_count; i++) {
			uint32_t member = sequence->members[i];

			if (group[member] == (number < group_count ? number + 1 : 0))
				part.members[part.count++] = member;
		}
		proposal->parts[number].name = part_name(
			type, number >= group_count ? "rest" : word_of(type, &part, number, arena),
			arena);
		lay_out(type, &part, (uint32_t)number, true, &proposal->parts[number],
			proposal->placed, &placed);
	}
}

/* Moves members that several threads write to cachelines of their own at the end of the record. If
 * objects share lines with each other, the record gets a line's alignment. */
static void propose_pad(struct advice_type *type, const struct advice_machine *machine,
			struct arena *arena)
{
	_cleanup_free_ bool *shared = xcalloc(type->member_count + 1, sizeof(*shared));
	struct advice_proposal *proposal;
	uint64_t end = 0;
	size_t placed = 0;

	for (size_t i = 0; i < type->sharing_count; i++)
		if (!(type->members[type->sharings[i].member].flags & (MEMBER_FIRST | MEMBER_LAST)))
			shared[type->sharings[i].member] = true;
	for (uint32_t i = 0; i < type->member_count; i++)
		if (type->members[i].flags & MEMBER_LAST)
			return;
	proposal = add_proposal(type, PROPOSAL_PAD, 1, arena);
	proposal->parts[0].align = machine->cacheline;
	for (int round = 0; round < 2; round++) {
		array_indexed (const struct advice_member, member, i, type->members,
			       type->member_count) {
			if (shared[i] != (round == 1))
				continue;
			end = round_up(end, round ? machine->cacheline : member->align);
			proposal->placed[placed++] = (struct advice_placed){ i, 0, end };
			end += member->size;
		}
	}
	proposal->parts[0].size = round_up(end, proposal->parts[0].align);
}

const struct advice_proposal *proposal_move_out(struct advice_type *type, const bool *moved,
						const struct advice_part *part, struct arena *arena)
{
	_cleanup_free_ uint32_t *members = xcalloc(type->member_count + 1, sizeof(*members));
	struct advice_proposal *proposal;
	struct advice_part *kept;
	size_t placed = 0;

	for (uint32_t i = 0; i < type->member_count; i++)
		if (type->members[i].flags & MEMBER_LAST ||
		    (moved[i] && type->members[i].flags & MEMBER_FIRST))
			return NULL;
	proposal = add_proposal(type, PROPOSAL_SPLIT, 2, arena);
	kept = &proposal->parts[0];
	for (uint32_t number = 0; number < 2; number++) {
		struct sequence sequence = { members, 0 };

		for (uint32_t i = 0; i < type->member_count; i++)
			if (moved[i] == (number == 1))
				members[sequence.count++] = i;
		/* the first one gets the alignment of its record */
		if (number && sequence.count && part->align) {
			type->members[members[0]].flags |= MEMBER_ALIGNED;
			type->members[members[0]].align = part->align;
		}
		lay_out(type, &sequence, number, false, &proposal->parts[number], proposal->placed,
			&placed);
	}
	add_pointer(type, proposal);
	kept->pointer_name = part->pointer_name;
	proposal->parts[1].name = part_name(type, part->name, arena);
	return proposal;
}

void proposal_make(struct advice_type *type, const struct advice_machine *machine,
		   struct arena *arena)
{
	_cleanup_free_ uint32_t *members = xcalloc(type->member_count + 1, sizeof(*members));
	struct sequence sequence = { members, 0 };
	struct usage usage;

	make_current(type, arena);
	if (type->refusal || !type->member_count || type->member_count > MEMBERS_MAX)
		return;
	if (type->sharing_count || type->shared.objects)
		propose_pad(type, machine, arena);
	if (type->member_count < 2)
		return;
	usage_init(&usage, type);
	if (!type->is_rust || type->keeps_order) {
		propose_reorder(type, &usage, &sequence, arena);
		propose_shrink(type, &sequence, arena);
	}
	propose_split(type, &usage, &sequence, arena);
	propose_peel(type, &usage, &sequence, arena);
	free_all(usage.used, usage.hot);
}
