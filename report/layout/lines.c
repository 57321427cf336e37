// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements lines.h: which bytes of which part a base touches (lines_of_base()), how many lines
 * these are (add_touches()), and how large all lines in use are (lines_in_use()).
 */
#include "report/layout/lines.h"

#include <math.h>

#define ELEMENTS    64 /* elements over which lines are averaged */
#define PLACES_MAX  64 /* places of a range over which lines are averaged */
#define ALLOCATED   16 /* alignment of malloc() on 64-bit systems */
#define PAGE_BYTES  4096
#define PAGE_LINES  64   /* caches that are found by addresses within a page have as many sets */
#define OUTER_SHARE 0.25 /* of iterations reach another object that an outer loop moves to */
#define SAME_PLACE  0.9  /* of the samples: as good as all objects begin there in their line */

/* ---- lines ---- */

static void lines_add_bytes(struct part_bytes *bytes, struct replay_bytes range)
{
	if (bytes->count < BYTES_MAX && range.size)
		bytes->items[bytes->count++] = range;
}

/* Returns how many places within its reach the range can have. */
static uint64_t place_count(const struct replay_bytes *used)
{
	return used->reach > used->size ? used->reach / used->size : 1;
}

/* Marks the lines that the ranges touch in an object that begins `start` bytes after the beginning
 * of line 0. A range that can have several places is at the one with the number `place`. */
static void mark_lines(uint64_t start, const struct replay_bytes *used, size_t count,
		       uint64_t place, uint64_t cacheline, uint8_t *marks, size_t mark_count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t offset = used[i].offset + place % place_count(&used[i]) * used[i].size,
			 first = (start + offset) / cacheline,
			 last = (start + offset + used[i].size - 1) / cacheline;

		for (uint64_t line = first; line <= last && line < mark_count; line++)
			marks[line] = 1;
	}
}

static double average_lines(const struct replay_bytes *used, size_t count, uint64_t step,
			    uint64_t size, uint64_t start, uint64_t cacheline)
{
	size_t mark_count = (start + step * (ELEMENTS - 1) + size) / cacheline + 1, lines = 0;
	_cleanup_free_ uint8_t *marks = xcalloc(mark_count, 1);

	for (uint64_t i = 0; i < ELEMENTS; i++)
		mark_lines(start + i * step, used, count, i, cacheline, marks, mark_count);
	for (size_t i = 0; i < mark_count; i++)
		lines += marks[i];
	/* a line that the last element shares with further ones was a whole one */
	double least = (double)step * ELEMENTS / (double)cacheline;

	if (step < cacheline && (double)lines > least && (double)lines <= least + 1)
		return least / ELEMENTS;
	return (double)lines / ELEMENTS;
}

double replay_stream_lines(const struct replay_bytes *used, size_t count, uint64_t size,
			   uint64_t begin, uint64_t cacheline)
{
	return count && size ? average_lines(used, count, size, size, begin, cacheline) : 0;
}

bool lines_begin_alike(const struct advice_objects *objects, uint64_t unit, uint64_t *begin)
{
	uint64_t seen[COUNT_OF(objects->alignments)] = { 0 }, all = 0, best = 0;

	if (!unit || unit > COUNT_OF(seen))
		return false;
	for (uint64_t at = 0; at < COUNT_OF(seen); at++) {
		seen[at % unit] += objects->alignments[at];
		all += objects->alignments[at];
	}
	for (uint64_t at = 0; at < unit; at++)
		best = seen[at] > seen[best] ? at : best;
	if (!all || (double)seen[best] < SAME_PLACE * (double)all)
		return false;
	*begin = best;
	return true;
}

uint64_t lines_array_begin(const struct advice_type *type, const struct advice_part *part,
			   uint64_t cacheline)
{
	uint64_t unit = common_divisor(type->size, cacheline), begin = ALLOCATED;

	if (part->align > ALLOCATED)
		return 0;
	/* how far the elements begin from a multiple of `unit` is known; malloc() puts large arrays
	 * behind a line's first ALLOCATED bytes */
	if (!lines_begin_alike(&type->objects, unit, &begin) || begin == ALLOCATED % unit)
		begin = ALLOCATED;
	return round_up(begin, part->align ?: 1) % cacheline;
}

bool lines_begin_at_lines(const struct advice_type *type, const struct advice_part *part,
			  uint64_t cacheline)
{
	bool seen = any_of(i, 0, COUNT_OF(type->objects.alignments), type->objects.alignments[i]);
	uint64_t begin = 0;

	if (!seen || part->align >= cacheline)
		return true;
	if (type->objects.array)
		return part->size % cacheline == 0 && !lines_array_begin(type, part, cacheline);
	return part->size == type->size && !part->pointer &&
	       lines_begin_alike(&type->objects, cacheline, &begin) && !begin;
}

/* Lines of one object, and the groups of neighbouring lines among them. */
struct line_count {
	double lines, groups;
};

/* Adds `weight` times an object's lines from `start`, averaged over its ranges' places. */
static void count_lines(const struct part_bytes *bytes, uint64_t size, uint64_t start,
			uint64_t cacheline, double weight, struct line_count *count)
{
	size_t mark_count = (start + size) / cacheline + 1;
	_cleanup_free_ uint8_t *marks = xcalloc(mark_count, 1);
	uint64_t places = 1;

	for (size_t i = 0; i < bytes->count; i++)
		raise_to(places, place_count(&bytes->items[i]));
	lower_to(places, PLACES_MAX);
	weight /= (double)places;
	for (uint64_t place = 0; place < places; place++) {
		memset(marks, 0, mark_count);
		mark_lines(start, bytes->items, bytes->count, place, cacheline, marks, mark_count);
		for (size_t i = 0; i < mark_count; i++) {
			count->lines += weight * marks[i];
			count->groups += marks[i] && (!i || !marks[i - 1]) ? weight : 0;
		}
	}
}

/* Returns the lines that a visit of one object touches, on average over the places in a line where
 * objects of this part begin: those that were seen, if the size is still the old one. */
static struct line_count visit_lines(const struct advice_type *type, const struct advice_part *part,
				     const struct part_bytes *bytes, uint64_t cacheline)
{
	uint64_t step = type->objects.array ? common_divisor(part->size, cacheline) : ALLOCATED,
		 seen = 0;
	struct line_count count = { 0 };

	if (!bytes->count || !part->size)
		return count;
	for (uint64_t at = 0; at < cacheline && cacheline <= 64; at++)
		seen += part->size == type->size ? type->objects.alignments[at] : 0;
	for (uint64_t at = 0; at < cacheline && seen; at++)
		if (type->objects.alignments[at])
			count_lines(bytes, part->size, at, cacheline,
				    (double)type->objects.alignments[at] / (double)seen, &count);
	if (seen)
		return count;
	if (part->align > step && part->align <= cacheline)
		step = part->align;
	uint64_t begin = type->objects.array ? lines_array_begin(type, part, cacheline) % step : 0;
	for (uint64_t at = begin; at < cacheline; at += step)
		count_lines(bytes, part->size, at, cacheline, (double)step / (double)cacheline,
			    &count);
	return count;
}

/* ---- uses in a layout ---- */

/* Adds the bytes that the use touches to the parts that have them in the proposal. `anywhere`: all
 * bytes that the use reaches, not only those of one iteration. */
static void place_bytes(const struct advice_type *type, const struct advice_proposal *proposal,
			const struct advice_use *use, bool anywhere, struct part_bytes *parts)
{
	uint64_t offset = use->offset,
		 size = anywhere && use->reach > use->size ? use->reach : use->size,
		 reach = anywhere ? 0 : use->reach;

	array_each (const struct advice_placed, placed, proposal->placed, type->member_count) {
		const struct advice_member *member = &type->members[placed->member];
		uint64_t low = offset > member->offset ? offset : member->offset,
			 high = offset + size < member->offset + member->size
					? offset + size
					: member->offset + member->size;

		if (low >= high)
			continue;
		lines_add_bytes(&parts[placed->part],
				(struct replay_bytes){ placed->offset + low - member->offset,
						       high - low, reach, use->write,
						       use->sometimes });
		parts[placed->part].written |= use->write;
		/* a part that is reached through a pointer costs the pointer */
		for (uint32_t before = 0; before < placed->part; before++)
			if (proposal->parts[before].pointer)
				lines_add_bytes(
					&parts[before],
					(struct replay_bytes){
						.offset = proposal->parts[before].pointer_offset,
						.size = sizeof(uint64_t),
						.sometimes = use->sometimes });
	}
}

/* Returns how often a base touches the same bytes: in so many objects, if a loop is unrolled. */
static uint64_t times_touched(const struct advice_region *region, uint32_t base)
{
	uint64_t most = 1;

	array_each (const struct advice_use, use, region->uses, region->use_count) {
		uint64_t times = 0;

		array_each (const struct advice_use, other, region->uses, region->use_count)
			times += other->base == base && use->base == base && !other->inner &&
				 other->offset == use->offset && other->size == use->size &&
				 other->write == use->write;
		most = times > most ? times : most;
	}
	return most;
}

struct base_visit lines_of_base(struct replay *replay, const struct advice_region *region,
				uint32_t base)
{
	const struct advice_type *type = replay->type;
	struct base_visit visit = { .step = type->size, .often = OUTER_SHARE };
	enum advice_walk outer = WALK_SAME;

	for (size_t i = 0; i < replay->proposal->part_count; i++)
		replay->parts[i].count = 0, replay->parts[i].written = false;
	array_each (const struct advice_use, use, region->uses, region->use_count) {
		if (use->base != base || use->before || (replay->rare && use->sometimes) ||
		    (replay->whole ? use->within : use->inner) || advice_use_is_rare(use))
			continue;
		raise_to(visit.walk, use->walk);
		raise_to(outer, use->outer);
		if (use->step)
			visit.step = (uint64_t)llabs(use->step);
		/* a walk through an array within the object: so many iterations are about one */
		if (use->walk == WALK_SAME && use->step && use->size)
			visit.often = fmin(visit.often, (double)visit.step / (double)use->size);
		struct advice_use made = *use;

		if (replay->rare && replay->whole && use->element)
			made.size = use->element;
		place_bytes(type, replay->proposal, &made, false, replay->parts);
	}
	visit.chased = visit.walk == WALK_CHASE;
	visit.ordered = region->ordered && visit.walk >= WALK_CHASE;
	if (visit.walk == WALK_SAME)
		visit.walk = outer;
	else
		visit.often = 1;
	/* an unrolled loop goes to all of the objects in a step, on several ways perhaps */
	if (visit.walk == WALK_STREAM && visit.step > type->size && visit.step % type->size == 0 &&
	    visit.step <= times_touched(region, base) * type->size) {
		visit.often *= (double)visit.step / (double)type->size;
		visit.step = type->size;
	}
	return visit;
}

uint32_t lines_base_count(const struct advice_region *region)
{
	uint32_t count = 0;

	for (size_t i = 0; i < region->use_count; i++)
		if (region->uses[i].base >= count)
			count = region->uses[i].base + 1;
	return count;
}

/* Sets the bytes that the regions with at least this share of the samples use of each part. */
static void parts_in_use(struct replay *replay, double least)
{
	const struct advice_type *type = replay->type;

	for (size_t i = 0; i < replay->proposal->part_count; i++)
		replay->parts[i].count = 0;
	array_each (const struct advice_region, region, type->regions, type->region_count) {
		if ((double)region->samples < least * (double)advice_region_samples(type))
			continue;
		for (size_t k = 0; k < region->use_count; k++)
			if ((region->uses[k].walk != WALK_SAME ||
			     region->uses[k].outer != WALK_SAME) &&
			    !region->uses[k].inner && !advice_use_is_rare(&region->uses[k]))
				place_bytes(type, replay->proposal, &region->uses[k], true,
					    replay->parts);
	}
}

/* Returns how many blocks of this part of an object the bytes touch. */
static double blocks_of_part(const struct replay *replay, size_t number, uint64_t block)
{
	const struct advice_part *part = &replay->proposal->parts[number];
	const struct part_bytes *bytes = &replay->parts[number];

	return replay->type->objects.array
		       ? replay_stream_lines(
				 bytes->items, bytes->count, part->size,
				 lines_array_begin(replay->type, part, replay->machine->cacheline),
				 block)
		       : visit_lines(replay->type, part, bytes, block).lines;
}

double lines_of_object(struct replay *replay, uint64_t block, double least)
{
	parts_in_use(replay, least);
	return sum_over(double, i, 0, replay->proposal->part_count,
			blocks_of_part(replay, i, block));
}

double lines_sure(struct replay *replay)
{
	const struct advice_type *type = replay->type;
	uint64_t cacheline = replay->machine->cacheline;
	double all = lines_of_object(replay, cacheline, REGION_SHARE), sure = 0;
	bool rare = replay->rare;

	replay->rare = replay->whole = true;
	array_each (const struct advice_region, region, type->regions, type->region_count)
		for (uint32_t base = 0; base < lines_base_count(region); base++) {
			double lines = 0;

			if ((double)region->samples <
				    REGION_SHARE * (double)advice_region_samples(type) ||
			    lines_of_base(replay, region, base).walk == WALK_SAME)
				continue;
			for (size_t i = 0; i < replay->proposal->part_count; i++)
				lines += blocks_of_part(replay, i, cacheline);
			sure = fmax(sure, lines);
		}
	replay->rare = rare;
	replay->whole = false;
	return all > 0 ? fmin(sure / all, 1) : 1;
}

double lines_walk_share(const struct advice_type *type, enum advice_walk walk)
{
	uint64_t here = 0, all = 0;

	array_each (const struct advice_region, region, type->regions, type->region_count)
		array_each (const struct advice_use, use, region->uses, region->use_count) {
			all += use->samples;
			here += use->walk == walk ? use->samples : 0;
		}
	return (double)here / (double)all;
}

uint64_t lines_distance(const struct replay *replay, const struct advice_part *part)
{
	const struct advice_proposal *proposal = replay->proposal;

	return replay->type->objects.array
		       ? part->size
		       : sum_over(uint64_t, i, 0, proposal->part_count,
				  round_up(proposal->parts[i].size + sizeof(uint64_t), ALLOCATED));
}

/* Returns in how many times fewer sets of L1 the used lines of a part lie than in all of them.
 * Elements of a multiple of 128 bytes, say, have a field in every second line at most. The part's
 * bytes are those of all uses. */
static double part_crowding(const struct replay *replay, const struct advice_part *part,
			    const struct part_bytes *bytes)
{
	uint64_t cacheline = replay->machine->cacheline, used = 0;
	uint64_t cycle = common_divisor(part->size / cacheline, PAGE_LINES);
	double covered;

	if (part->size % cacheline || cycle < 2)
		return 1;
	array_each (const struct replay_bytes, range, bytes->items, bytes->count) {
		uint64_t first = range->offset / cacheline,
			 last = (range->offset + range->size - 1) / cacheline;

		for (uint64_t line = first; line <= last && line < first + cycle; line++)
			used |= UINT64_C(1) << line % cycle;
	}
	covered = __builtin_popcountll(used);
	return covered ? (double)cycle / covered : 1;
}

/* Sets the memory that objects are spread over, and the crowding, by the bytes of all uses. */
static void spread_lines(const struct replay *replay, double count, struct line_set *set)
{
	bool array = replay->type->objects.array;
	double lines = 0, crowded = 0;

	array_indexed (const struct advice_part, part, i, replay->proposal->parts,
		       replay->proposal->part_count) {
		uint64_t apart = lines_distance(replay, part);

		if (!replay->parts[i].count || !part->size)
			continue;
		lines += 1;
		crowded += array ? part_crowding(replay, part, &replay->parts[i]) : 1;
		/* further pages of a large object are not touched */
		set->pages += count * (double)(apart < PAGE_BYTES ? apart : PAGE_BYTES);
		if (!array)
			break;
	}
	raise_to(set->pages, set->l1);
	set->crowding = lines > 0 ? crowded / lines : 1;
}

/* Caches keep lines that are used often, so those of a part that is used less take none of the room
 * of the others. Samples of the code that uses a part, for each of its lines, tell how often. */
static void set_rooms(struct replay *replay)
{
	const struct advice_type *type = replay->type;
	size_t count = replay->proposal->part_count;
	_cleanup_free_ double *lines = xcalloc(count, sizeof(*lines)),
			      *often = xcalloc(count, sizeof(*often));
	double all = 0;

	parts_in_use(replay, REGION_SHARE);
	for (size_t i = 0; i < count; i++)
		all += lines[i] = blocks_of_part(replay, i, replay->machine->cacheline);
	array_each (const struct advice_region, region, type->regions, type->region_count) {
		for (uint32_t base = 0; base < lines_base_count(region); base++) {
			bool moves = lines_of_base(replay, region, base).walk != WALK_SAME;

			for (size_t i = 0; i < count && moves; i++)
				if (replay->parts[i].count && lines[i] > 0)
					often[i] += (double)region->samples / lines[i];
		}
	}
	for (size_t i = 0; i < count; i++) {
		replay->parts[i].room = 0;
		for (size_t k = 0; k < count && all > 0; k++)
			replay->parts[i].room += often[k] >= often[i] ? lines[k] / all : 0;
	}
}

/* L2 gets lines in pairs, and the second line of a pair is often not used ("spatial prefetcher" in
 * Intel's manual, "up/down prefetcher" in AMD's): a list of 120-byte nodes took as long with two
 * lines of a node in use as with one, even when L2 had room for one line of each node but not for
 * two. A stream uses both. */
struct line_set lines_in_use(struct replay *replay, double count)
{
	uint64_t cacheline = replay->machine->cacheline;
	struct line_set set = { .most = 1 };

	set.beyond = lines_are_visited(replay->type)
			     ? lines_of_object(replay, 2 * cacheline, REGION_SHARE) * 2 *
				       (double)cacheline * count
			     : 0;
	set.l1 = lines_of_object(replay, cacheline, REGION_SHARE) * (double)cacheline * count;
	spread_lines(replay, count, &set);
	/* pairs of objects side by side are the same ones: no more lines than memory are in use */
	set.beyond = fmax(fmin(set.beyond, set.pages), set.l1);
	set_rooms(replay);
	return set;
}

/* ---- lines of a region ---- */

void touches_deinit(struct touches *touches)
{
	free(touches->items);
}

/* Takes off the lines that a loop which ended at the objects has touched: they are in L1. */
static void take_before(struct replay *replay, const struct advice_region *region, uint32_t base,
			size_t number, struct line_count *lines)
{
	const struct advice_part *part = &replay->proposal->parts[number];
	uint64_t cacheline = replay->machine->cacheline;
	_cleanup_free_ struct part_bytes *parts =
		xcalloc(replay->proposal->part_count, sizeof(*parts));
	struct part_bytes *before = &parts[number];
	double first;

	array_each (const struct advice_use, use, region->uses, region->use_count)
		if (use->base == base && use->before)
			place_bytes(replay->type, replay->proposal, use, false, parts);
	if (!before->count)
		return;
	first = visit_lines(replay->type, part, before, cacheline).lines;
	for (size_t i = 0; i < replay->parts[number].count; i++)
		lines_add_bytes(before, replay->parts[number].items[i]);
	lines->lines = visit_lines(replay->type, part, before, cacheline).lines - first;
	lines->groups = fmin(lines->groups, lines->lines);
}

/* Adds what an iteration touches through one base. */
static void add_touches(struct replay *replay, const struct advice_region *region, uint32_t base,
			struct touches *touches)
{
	const struct advice_type *type = replay->type;
	uint64_t cacheline = replay->machine->cacheline;
	struct base_visit visit = lines_of_base(replay, region, base);
	enum advice_walk walk = visit.ordered ? WALK_STREAM : visit.walk;
	uint64_t elements = type->size && visit.step >= type->size ? visit.step / type->size : 1;
	bool first = true;

	for (size_t i = 0; i < replay->proposal->part_count && walk != WALK_SAME; i++) {
		const struct advice_part *part = &replay->proposal->parts[i];
		const struct part_bytes *bytes = &replay->parts[i];

		if (!bytes->count)
			continue;
		struct line_count lines = { 0 };
		uint64_t apart =
			visit.ordered ? lines_distance(replay, part) : part->size * elements;

		if (walk != WALK_STREAM) {
			lines = visit_lines(type, part, bytes, cacheline);
			take_before(replay, region, base, i, &lines);
		} else
			lines.lines = average_lines(
				bytes->items, bytes->count, apart, part->size,
				type->objects.array ? lines_array_begin(type, part, cacheline) : 0,
				cacheline);
		touches->items[touches->count] =
			(struct touch){ .walk = walk,
					.first = first,
					.lines = lines.lines,
					.groups = lines.groups,
					.often = visit.often,
					.density = lines.lines * (double)cacheline / (double)apart,
					.room = bytes->room,
					.chased = visit.ordered && visit.chased,
					.written = bytes->written };
		touches->lines += visit.often * touches->items[touches->count++].lines;
		first = false;
	}
	touches->visits += first ? 0 : visit.often;
}

void touches_init(struct touches *touches, struct replay *replay,
		  const struct advice_region *region)
{
	uint32_t bases = lines_base_count(region);

	*touches = (struct touches){ .items = xcalloc(bases * replay->proposal->part_count + 1,
						      sizeof(struct touch)) };
	for (uint32_t base = 0; base < bases; base++)
		add_touches(replay, region, base, touches);
}
