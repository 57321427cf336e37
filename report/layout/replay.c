// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements replay_predict(). The steps of a prediction: which bytes of which part a base touches
 * (base_bytes()), how many lines these are (add_touches()), how large all lines in use are
 * (object_lines()), what a line costs then (line_cost()), what an iteration takes (iteration()) and
 * gains (region_gain()), each under many assumptions (assumption_at()), and which range of gains is
 * likely then (likely_range()).
 */
#include "report/layout/advice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stdarg.h>
#include <string.h>

#include "profiler/base/strbuf.h"

/*
 * Nanoseconds that one line costs more than one in L1, by where it is: the ends of the range that
 * machines of today differ in. Sources: Intel 64 and IA-32 Architectures Optimization Reference
 * Manual, "Cache hierarchy" (4 to 5 cycles for L1, 14 for L2, 40 to 70 for L3); loops over arrays
 * of 16 KB to 256 MB, timed on Zen 4 at 3.6 GHz, gave 0.3, 0.6 and 2.5 ns for streams, 3, 13 and
 * 110 to 180 ns for chases, and 0.1, 1 and 7 to 10 ns for visits in no order that do not depend on
 * each other.
 */
static const struct line_costs {
	double low, high;
} line_costs[][LEVEL_COUNT] = {
	[WALK_SAME] = { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } },
	[WALK_STREAM] = { { 0, 0 }, { 0.2, 0.5 }, { 0.5, 1 }, { 2.2, 3.2 } },
	[WALK_CHASE] = { { 0, 0 }, { 2.5, 4 }, { 11, 38 }, { 80, 190 } },
	[WALK_SCATTERED] = { { 0, 0 }, { 0.2, 1 }, { 1, 5 }, { 7, 14 } },
};

#define NS_PER_CYCLE  0.30 /* at 3.3 GHz */
#define WRITE_COST    1.5  /* a line that is written is also written back to L3 or memory */
#define GAIN_MIN      1.03 /* of the program: less is lost in the noise of measurements */
#define SAMPLES_MIN   50   /* in regions of the type */
#define CHARGED_MIN   10   /* samples charged to the type */
#define ELEMENTS      64   /* elements over which lines are averaged */
#define ALLOCATED     16   /* alignment of malloc() on 64-bit systems */
#define BYTES_MAX     512  /* ranges of bytes that one base touches */
#define REGION_SHARE  0.05 /* of the type's samples, to count for the lines in use */
#define FITS_BELOW    0.8  /* of a cache's size: lines in use that all stay in it */
#define MISSES_FROM   1.5  /* of a cache's size: lines in use that are gone when needed again */
#define CHASE_MISSES  1.0  /* the same for a chase: what comes next was used longest ago */
#define PACE_WAITS    1.3  /* times the computation: a longer pace shows that the loop waits */
#define SCALE_MAX     2.0  /* a measured pace changes the assumed costs by at most this factor */
#define OUTER_SHARE   0.25 /* of iterations reach another object that an outer loop moves to */
#define HIDDEN        0.5  /* of the cost of lines that arrive while another one is waited for */
#define ALL_SHARE     0.8  /* of the samples: as good as all */
#define SAME_LINES    0.01 /* smaller differences in the lines of a visit do not count */
#define NEAR_GAIN     1.1  /* whole program: lines that stay in L2 are often not waited for */
#define TIME_LEFT_MIN 0.02 /* of the time of a region or program: no layout saves more */
#define TAIL          0.1  /* of the combinations: left out at each end of a range */
#define WEIGHT_ERROR  1e-9
#define PAD_LEAST     0.1 /* of the time waited for falsely shared lines: saved at least, */
#define PAD_MOST      0.9 /* and share of all time that is saved at most */
#define WIDE          1.3 /* the ends of a range differ by this factor: its cause is said */

/*
 * Bytes of L3 that a core of a server processor has for itself when all of them are busy: 1.4 to
 * 2.5 MB (Intel since Skylake-SP) to 4 MB (AMD since Zen 2). A machine that shows more of it for
 * each of its processors is a virtual one: the rest belongs to others.
 */
#define L3_PER_PROCESSOR (4.0 * 1024 * 1024)

/* ---- lines ---- */

/* The bytes of one part that a base touches in an iteration. */
struct part_bytes {
	struct replay_bytes items[BYTES_MAX];
	size_t count;
	bool written;
};

static void add_bytes(struct part_bytes *bytes, uint64_t offset, uint64_t size)
{
	if (bytes->count < BYTES_MAX && size)
		bytes->items[bytes->count++] = (struct replay_bytes){ offset, size };
}

/* Adds the lines, relative to `start`, to a bitmap of the lines from 0 on. */
static void mark_lines(uint64_t start, const struct replay_bytes *used, size_t count,
		       uint64_t cacheline, uint8_t *marks, size_t mark_count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t first = (start + used[i].offset) / cacheline,
			 last = (start + used[i].offset + used[i].size - 1) / cacheline;

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
		mark_lines(start + i * step, used, count, cacheline, marks, mark_count);
	for (size_t i = 0; i < mark_count; i++)
		lines += marks[i];
	/* the last element's part of a line that more elements would share is counted as a whole
	 * one */
	double least = (double)step * ELEMENTS / (double)cacheline;

	if (step < cacheline && (double)lines > least && (double)lines <= least + 1)
		return least / ELEMENTS;
	return (double)lines / ELEMENTS;
}

double replay_stream_lines(const struct replay_bytes *used, size_t count, uint64_t size,
			   uint64_t cacheline)
{
	return count && size ? average_lines(used, count, size, size, 0, cacheline) : 0;
}

/* Lines of one object, and the groups of neighbouring lines among them. */
struct line_count {
	double lines, groups;
};

/* Adds the lines of an object that begins at `start`, `weight` times. */
static void count_lines(const struct part_bytes *bytes, uint64_t size, uint64_t start,
			uint64_t cacheline, double weight, struct line_count *count)
{
	size_t mark_count = (start + size) / cacheline + 1;
	_cleanup_free_ uint8_t *marks = xcalloc(mark_count, 1);

	mark_lines(start, bytes->items, bytes->count, cacheline, marks, mark_count);
	for (size_t i = 0; i < mark_count; i++) {
		count->lines += weight * marks[i];
		count->groups += marks[i] && (!i || !marks[i - 1]) ? weight : 0;
	}
}

/*
 * Returns the lines that a visit of one object touches, on average over the places in a line where
 * objects of this part begin: those that were seen, if the size is still the old one.
 */
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
	for (uint64_t at = 0; at < cacheline; at += step)
		count_lines(bytes, part->size, at, cacheline, (double)step / (double)cacheline,
			    &count);
	return count;
}

/* ---- uses in a layout ---- */

/* Adds the bytes [offset, offset + size) of the old record to those of the parts where they are
 * now. */
static void place_bytes(const struct advice_type *type, const struct advice_proposal *proposal,
			uint64_t offset, uint64_t size, bool write, struct part_bytes *parts)
{
	for (size_t i = 0; i < type->member_count; i++) {
		const struct advice_placed *placed = &proposal->placed[i];
		const struct advice_member *member = &type->members[placed->member];
		uint64_t low = offset > member->offset ? offset : member->offset,
			 high = offset + size < member->offset + member->size
					? offset + size
					: member->offset + member->size;

		if (low >= high)
			continue;
		add_bytes(&parts[placed->part], placed->offset + low - member->offset, high - low);
		parts[placed->part].written |= write;
		/* a part that is reached through a pointer costs the pointer */
		for (uint32_t before = 0; before < placed->part; before++)
			if (proposal->parts[before].pointer)
				add_bytes(&parts[before], proposal->parts[before].pointer_offset,
					  sizeof(uint64_t));
	}
}

/* Sets the bytes that a base of the region touches in each part (`rare`: without the uses that
 * iterations may leave out), and how it walks in the loops
 * around the region. Returns how it walks in the region. */
static enum advice_walk base_bytes(const struct advice_type *type,
				   const struct advice_proposal *proposal,
				   const struct advice_region *region, uint32_t base, bool rare,
				   uint64_t *step, enum advice_walk *outer,
				   struct part_bytes *parts)
{
	enum advice_walk walk = WALK_SAME;

	*outer = WALK_SAME;

	*step = type->size;
	for (size_t i = 0; i < proposal->part_count; i++)
		parts[i].count = 0, parts[i].written = false;
	for (size_t i = 0; i < region->use_count; i++) {
		const struct advice_use *use = &region->uses[i];

		if (use->base != base || (rare && use->sometimes))
			continue;
		if (use->walk > walk)
			walk = use->walk;
		if (use->outer > *outer)
			*outer = use->outer;
		if (use->step)
			*step = (uint64_t)llabs(use->step);
		place_bytes(type, proposal, use->offset, use->size, use->write, parts);
	}
	return walk;
}

static uint32_t base_count(const struct advice_region *region)
{
	uint32_t count = 0;

	for (size_t i = 0; i < region->use_count; i++)
		if (region->uses[i].base >= count)
			count = region->uses[i].base + 1;
	return count;
}

/* The state of one prediction. */
struct replay {
	const struct advice_type *type;
	const struct advice_machine *machine;
	const struct advice_proposal *proposal;
	struct part_bytes *parts; /* room for those of the proposal */
	bool rare;                /* without the uses that iterations may leave out */
};

/* Returns the bytes of the lines of one object that regions of some weight use. */
static double object_lines(struct replay *replay)
{
	const struct advice_type *type = replay->type;
	uint64_t cacheline = replay->machine->cacheline;
	struct part_bytes *parts = replay->parts;
	double lines = 0;

	for (size_t i = 0; i < replay->proposal->part_count; i++)
		parts[i].count = 0;
	for (size_t i = 0; i < type->region_count; i++) {
		const struct advice_region *region = &type->regions[i];

		if ((double)region->samples < REGION_SHARE * (double)advice_region_samples(type))
			continue;
		for (size_t k = 0; k < region->use_count; k++)
			if (region->uses[k].walk != WALK_SAME || region->uses[k].outer != WALK_SAME)
				place_bytes(type, replay->proposal, region->uses[k].offset,
					    region->uses[k].size, false, parts);
	}
	for (size_t i = 0; i < replay->proposal->part_count; i++) {
		const struct advice_part *part = &replay->proposal->parts[i];

		lines += type->objects.array ? replay_stream_lines(parts[i].items, parts[i].count,
								   part->size, cacheline)
					     : visit_lines(type, part, &parts[i], cacheline).lines;
	}
	return lines;
}

/* ---- lines of a region ---- */

/* Lines of one part of an object that an iteration touches through one base. */
struct touch {
	enum advice_walk walk;
	bool first;    /* part of the object that it touches: code waits for its first line */
	double lines;  /* on average, */
	double groups; /* and groups of neighbouring ones */
	double often;  /* in this share of the iterations */
	bool written;
};

struct touches {
	struct touch *items;
	size_t count;
	double lines; /* of all bases that move */
};

static void touches_deinit(struct touches *touches)
{
	free(touches->items);
}

/* Adds what an iteration touches through one base. */
static void add_touches(struct replay *replay, const struct advice_region *region, uint32_t base,
			struct touches *touches)
{
	const struct advice_type *type = replay->type;
	uint64_t cacheline = replay->machine->cacheline, step;
	enum advice_walk outer, walk = base_bytes(type, replay->proposal, region, base,
						  replay->rare, &step, &outer, replay->parts);
	double often = walk == WALK_SAME ? OUTER_SHARE : 1;
	uint64_t elements = type->size && step >= type->size ? step / type->size : 1;
	bool first = true;

	if (walk == WALK_SAME)
		walk = outer == WALK_STREAM ? WALK_SCATTERED : outer;
	for (size_t i = 0; i < replay->proposal->part_count && walk != WALK_SAME; i++) {
		const struct advice_part *part = &replay->proposal->parts[i];
		const struct part_bytes *bytes = &replay->parts[i];

		if (!bytes->count)
			continue;
		struct line_count lines = { 0 };

		if (walk != WALK_STREAM)
			lines = visit_lines(type, part, bytes, cacheline);
		else
			lines.lines =
				average_lines(bytes->items, bytes->count, part->size * elements,
					      part->size, 0, cacheline);
		touches->items[touches->count] = (struct touch){ .walk = walk,
								 .first = first,
								 .lines = lines.lines,
								 .groups = lines.groups,
								 .often = often,
								 .written = bytes->written };
		touches->lines += often * touches->items[touches->count++].lines;
		first = false;
	}
}

static void touches_init(struct touches *touches, struct replay *replay,
			 const struct advice_region *region)
{
	uint32_t bases = base_count(region);

	*touches = (struct touches){ .items = xcalloc(bases * replay->proposal->part_count + 1,
						      sizeof(struct touch)) };
	for (uint32_t base = 0; base < bases; base++)
		add_touches(replay, region, base, touches);
}

/* ---- assumptions ---- */

/* Returns the bytes of a cache that are likely this program's own. */
static double own_size(const struct advice_machine *machine, int level)
{
	double size = (double)machine->sizes[level], usual = machine->processors * L3_PER_PROCESSOR;

	return level == LEVEL_L3 && usual > 0 && usual < size ? usual : size;
}

/* Facts that are not known. Several values of each are tried. */
enum unknown {
	UNKNOWN_COSTS,
	UNKNOWN_L3,
	UNKNOWN_COMPUTING,
	UNKNOWN_OBJECTS,
	UNKNOWN_RARE,
	UNKNOWN_COUNT,
};

static const char *const unknown_names[UNKNOWN_COUNT] = {
	[UNKNOWN_COSTS] = "how long the machine waits for a line",
	[UNKNOWN_L3] = "how much of L3 other programs leave",
	[UNKNOWN_COMPUTING] = "how much of the time is computation",
	[UNKNOWN_OBJECTS] = "how many objects are in use",
	[UNKNOWN_RARE] = "how often iterations leave out fields",
};

#define CHOICES_MAX 3

struct choice {
	double value, weight; /* the weights of all choices add up to 1 */
};

struct choices {
	struct choice items[CHOICES_MAX];
	size_t count;
};

/* One choice for everything that is not known. */
struct assumption {
	uint8_t chosen[UNKNOWN_COUNT]; /* index of the choice */
	double weight;
	double costs;     /* from the low (0) to the high end (1) of line_costs */
	double l3;        /* bytes of L3 that are this program's */
	double computing; /* factor of the region's cycles */
	double waits;     /* factor of the samples' share: of those charged that really waited */
	double many;      /* factor of the lines in use */
	double rare;      /* share of iterations without the uses that some leave out */
	double scale;     /* of the costs of lines, from a measured pace; 1: as assumed */
};

/* Sets the values to try on this machine. There may be `many` times the least number of objects. */
static void choices_init(struct choices choices[UNKNOWN_COUNT],
			 const struct advice_machine *machine, double many)
{
	double l3 = (double)machine->sizes[LEVEL_L3], own = own_size(machine, LEVEL_L3);

	choices[UNKNOWN_COSTS] = (struct choices){ { { 0, 0.25 }, { 0.5, 0.5 }, { 1, 0.25 } }, 3 };
	/* the least values suppose that instructions never wait for execution units */
	choices[UNKNOWN_COMPUTING] =
		(struct choices){ { { 0.9, 0.25 }, { 1.1, 0.5 }, { 1.5, 0.25 } }, 3 };
	choices[UNKNOWN_L3] =
		own < l3 ? (struct choices){ { { own, 0.9 }, { l3, 0.1 } }, 2 }
			 : (struct choices){ { { l3, 0.7 }, { l3 / 2, 0.2 }, { l3 / 4, 0.1 } }, 3 };
	choices[UNKNOWN_OBJECTS] = (struct choices){ { { 1, 1 } }, 1 };
	if (many > 1)
		choices[UNKNOWN_OBJECTS] =
			(struct choices){ { { 1, 0.25 }, { sqrt(many), 0.5 }, { many, 0.25 } }, 3 };
	choices[UNKNOWN_RARE] =
		(struct choices){ { { 0.1, 0.25 }, { 0.5, 0.5 }, { 0.9, 0.25 } }, 3 };
}

static size_t combination_count(const struct choices choices[UNKNOWN_COUNT])
{
	size_t count = 1;

	for (int i = 0; i < UNKNOWN_COUNT; i++)
		count *= choices[i].count;
	return count;
}

static struct assumption assumption_at(const struct choices choices[UNKNOWN_COUNT], size_t number)
{
	struct assumption result = { .weight = 1, .scale = 1 };
	double values[UNKNOWN_COUNT];

	for (int i = 0; i < UNKNOWN_COUNT; i++) {
		const struct choice *choice = &choices[i].items[number % choices[i].count];

		result.chosen[i] = (uint8_t)(number % choices[i].count);
		result.weight *= choice->weight;
		values[i] = choice->value;
		number /= choices[i].count;
	}
	result.costs = values[UNKNOWN_COSTS];
	result.l3 = values[UNKNOWN_L3];
	result.computing = values[UNKNOWN_COMPUTING];
	/* time that a late sample charges to an access may be computation after it */
	result.waits = 1 - 0.25 * result.chosen[UNKNOWN_COMPUTING];
	result.many = values[UNKNOWN_OBJECTS];
	result.rare = values[UNKNOWN_RARE];
	return result;
}

/* ---- costs ---- */

/*
 * Returns the share of accesses that hit a cache in a loop over `set` bytes. The program has `size`
 * bytes of it, and the whole cache has `limit`.
 */
static double hits(enum advice_walk walk, double set, double size, double limit)
{
	double full = FITS_BELOW * size, none = MISSES_FROM * size;

	/* visits in no order find what part of the lines the cache has room for */
	if (walk == WALK_SCATTERED && set > full)
		return full / set;
	if (walk == WALK_CHASE)
		none = CHASE_MISSES * size;
	/* a share of L3 is no wall: streams keep lines in the shares of others, too */
	else if (walk == WALK_STREAM && none < limit)
		none = limit;

	if (size <= 0)
		return 0;
	return set <= full ? 1 : set >= none ? 0 : (none - set) / (none - full);
}

static double line_cost(const struct advice_machine *machine, const struct touch *touch,
			enum advice_walk walk, double set, const struct assumption *assumption)
{
	double cost = 0, left = 1;

	for (int level = LEVEL_L1; level <= LEVEL_MEMORY; level++) {
		double size = level == LEVEL_L3 ? assumption->l3 : (double)machine->sizes[level],
		       here = level == LEVEL_MEMORY
				      ? left
				      : left * hits(walk, set, size, (double)machine->sizes[level]);
		const struct line_costs *costs = &line_costs[walk][level];

		if (costs->low > 0)
			cost += here * costs->low *
				pow(costs->high / costs->low, assumption->costs) *
				(touch->written && level >= LEVEL_L3 ? WRITE_COST : 1);
		left -= here;
	}
	return cost * assumption->scale;
}

/*
 * Returns the cost in ns of lines that nothing fetched ahead. The code waits for the first line of
 * an object. A line beside it comes with it nearly for free: it is in the same page, and processors
 * fetch neighbours ("spatial prefetcher" in Intel's manual; an array of 120-byte nodes visited in
 * no order was not faster with two lines of a node made one). Other lines arrive meanwhile, too;
 * only in a loop of independent visits do they wait for each other.
 */
static double visit_cost(const struct advice_machine *machine, const struct advice_region *region,
			 const struct touch *touch, double set, const struct assumption *assumption)
{
	double one = line_cost(machine, touch, touch->walk, set, assumption),
	       other = line_cost(machine, touch, WALK_SCATTERED, set, assumption),
	       beside = HIDDEN * assumption->costs * other,
	       rest = touch->groups - (touch->first ? 1 : 0);

	if (touch->walk == WALK_CHASE || !region->loop)
		other = beside;
	if (touch->first && touch->groups < 1)
		return one * touch->lines;
	return (touch->first ? one : 0) + rest * other + (touch->lines - touch->groups) * beside;
}

/* The time of one iteration of a region, in ns. */
struct iteration {
	double time;
	double memory; /* for lines */
};

static struct iteration one_iteration(const struct advice_machine *machine,
				      const struct advice_region *region,
				      const struct touches *touches, double set,
				      const struct assumption *assumption)
{
	double streams = 0, others = 0,
	       computing = region->cycles * NS_PER_CYCLE * assumption->computing;

	for (size_t i = 0; i < touches->count; i++) {
		const struct touch *touch = &touches->items[i];

		if (touch->walk == WALK_STREAM)
			streams += touch->often * touch->lines *
				   line_cost(machine, touch, WALK_STREAM, set, assumption);
		else
			others +=
				touch->often * visit_cost(machine, region, touch, set, assumption);
	}
	return (struct iteration){ .time = (streams > computing ? streams : computing) + others,
				   .memory = streams + others };
}

/* Returns the mean of iterations with and without the uses that some leave out: touches[0] and
 * touches[1]. */
static struct iteration iteration(const struct advice_machine *machine,
				  const struct advice_region *region,
				  const struct touches touches[2], double set,
				  const struct assumption *assumption)
{
	struct iteration all = one_iteration(machine, region, &touches[0], set, assumption),
			 few = one_iteration(machine, region, &touches[1], set, assumption);
	double rare = assumption->rare;

	return (struct iteration){ .time = (1 - rare) * all.time + rare * few.time,
				   .memory = (1 - rare) * all.memory + rare * few.memory };
}

/* ---- one region ---- */

/*
 * Returns how many times as fast a region gets. It spends the share `waits` of its time on lines,
 * whose cost is multiplied by `ratio`.
 */
static double gain_of_share(double waits, double ratio)
{
	double left = 1 - waits * (1 - ratio);

	return 1 / (left < TIME_LEFT_MIN ? TIME_LEFT_MIN : left);
}

/* The comparison of two layouts. */
struct comparison {
	struct replay old, new;
	double old_set, new_set; /* bytes of the lines in use, at least */
	double many;             /* most bytes, as a factor of the least */
	double least;            /* gain of the whole program under any assumption */
};

/* The lines of one region with both layouts: of all uses, and without those that iterations may
 * leave out. */
struct replayed_region {
	struct touches old[2], new[2];
};

static void replay_region(struct comparison *comparison, const struct advice_region *region,
			  struct replayed_region *replayed)
{
	for (int rare = 0; rare < 2; rare++) {
		comparison->old.rare = comparison->new.rare = rare;
		touches_init(&replayed->old[rare], &comparison->old, region);
		touches_init(&replayed->new[rare], &comparison->new, region);
	}
}

static void replayed_region_deinit(struct replayed_region *replayed)
{
	for (int rare = 0; rare < 2; rare++) {
		touches_deinit(&replayed->old[rare]);
		touches_deinit(&replayed->new[rare]);
	}
}

/*
 * Returns the factor between the assumed costs of lines and those by the measured pace; 1 if no
 * pace is known, or if it shows no waiting. Sets *paced to whether it shows waiting.
 */
static double measured_scale(const struct comparison *comparison,
			     const struct advice_region *region, const struct touches *old,
			     const struct assumption *assumption, bool *paced)
{
	struct iteration plain = iteration(comparison->old.machine, region, old,
					   comparison->old_set * assumption->many, assumption);

	*paced = region->pace > 0 && plain.memory > 0 &&
		 region->pace >= PACE_WAITS * region->cycles * NS_PER_CYCLE;
	if (!*paced)
		return 1;
	double scale = region->pace / plain.memory;

	return scale < 1 / SCALE_MAX ? 1 / SCALE_MAX : scale > SCALE_MAX ? SCALE_MAX : scale;
}

/* Returns the gain of a region under one assumption. */
static double region_gain(const struct comparison *comparison, const struct advice_region *region,
			  const struct replayed_region *replayed, struct assumption assumption)
{
	const struct advice_machine *machine = comparison->old.machine;
	double charged = (double)region->charged, samples = (double)region->samples,
	       most = (charged + 2 * sqrt(charged) + 1) / samples;
	/*
	 * If a stream is slower than the computation by its pace, the computation is done while the
	 * next line arrives: all samples are waits except those charged to something else.
	 */
	double overlapped = 1 - (double)region->others / samples;
	bool paced;

	if (overlapped > 1 - TIME_LEFT_MIN)
		overlapped = 1 - TIME_LEFT_MIN;
	if (most > 1 - TIME_LEFT_MIN)
		most = 1 - TIME_LEFT_MIN;
	assumption.scale = measured_scale(comparison, region, replayed->old, &assumption, &paced);

	struct iteration old = iteration(machine, region, replayed->old,
					 comparison->old_set * assumption.many, &assumption),
			 new = iteration(machine, region, replayed->new,
					 comparison->new_set * assumption.many, &assumption);
	double ratio = old.memory > 0 ? new.memory / old.memory : 1,
	       cap = gain_of_share(paced && overlapped > most ? overlapped : most, ratio), gain;

	if (region->loop && region->cycles > 0 && !region->calls && new.time > 0)
		gain = old.time / new.time;
	else
		gain = gain_of_share(assumption.waits * charged / samples, ratio);
	/* samples do not limit a loss: the code may wait for lines that it does not wait for now */
	return gain > cap && cap >= 1 ? cap : gain;
}

/* ---- ranges ---- */

/* A range is made wider by this share of its gain, as no machine is quite like the model. */
#define MODEL_ERROR 0.25

/* Returns the gain of a program of `total` samples. */
static double whole_gain(const struct advice_type *type, const double *gains, uint64_t total)
{
	double left = (double)total;

	for (size_t i = 0; i < type->region_count; i++)
		left += (double)type->regions[i].samples * (1 / gains[i] - 1);
	/* rounding, or samples that are counted in two regions, may leave nothing */
	if (!total || left < TIME_LEFT_MIN * (double)total)
		return 1;
	return (double)total / left;
}

/* The gains under all assumptions: `columns` for each. */
struct outcomes {
	const struct advice_type *type;
	struct choices choices[UNKNOWN_COUNT];
	size_t count, columns;
	double *gains;
	struct assumption *assumptions;
};

/* The columns after those of the regions. */
enum { COLUMN_WHOLE, COLUMN_OWN, EXTRA_COLUMNS };

static void outcomes_init(struct outcomes *outcomes, struct comparison *comparison,
			  const struct advice_type *type)
{
	size_t regions = type->region_count;
	_cleanup_free_ struct replayed_region *replayed = xcalloc(regions + 1, sizeof(*replayed));

	*outcomes = (struct outcomes){ .type = type, .columns = regions + EXTRA_COLUMNS };
	choices_init(outcomes->choices, comparison->old.machine, comparison->many);
	outcomes->count = combination_count(outcomes->choices);
	outcomes->gains = xcalloc(outcomes->count * outcomes->columns, sizeof(double));
	outcomes->assumptions = xcalloc(outcomes->count, sizeof(struct assumption));
	for (size_t k = 0; k < regions; k++)
		replay_region(comparison, &type->regions[k], &replayed[k]);
	for (size_t i = 0; i < outcomes->count; i++) {
		double *gains = &outcomes->gains[i * outcomes->columns];

		outcomes->assumptions[i] = assumption_at(outcomes->choices, i);
		for (size_t k = 0; k < regions; k++) {
			const struct advice_region *region = &type->regions[k];

			gains[k] = region->samples && region->use_count
					   ? region_gain(comparison, region, &replayed[k],
							 outcomes->assumptions[i])
					   : 1;
		}
		gains[regions + COLUMN_WHOLE] = whole_gain(type, gains, type->total);
		gains[regions + COLUMN_OWN] = whole_gain(type, gains, type->own_total);
	}
	for (size_t k = 0; k < regions; k++)
		replayed_region_deinit(&replayed[k]);
}

static void outcomes_deinit(struct outcomes *outcomes)
{
	free(outcomes->gains);
	free(outcomes->assumptions);
}

struct weighted {
	double gain, weight;
};

static int compare_weighted(const void *left, const void *right)
{
	const struct weighted *a = left, *b = right;

	return a->gain < b->gain ? -1 : a->gain > b->gain;
}

/* Returns the likely range of a column. */
static struct advice_range likely_range(const struct outcomes *outcomes, size_t column)
{
	_cleanup_free_ struct weighted *sorted = xcalloc(outcomes->count, sizeof(*sorted));
	struct advice_range range = { 0 };
	double sum = 0;

	for (size_t i = 0; i < outcomes->count; i++)
		sorted[i] = (struct weighted){ outcomes->gains[i * outcomes->columns + column],
					       outcomes->assumptions[i].weight };
	qsort(sorted, outcomes->count, sizeof(*sorted), compare_weighted);
	for (size_t i = 0; i < outcomes->count; i++) {
		/* sums of weights are not exact */
		if (sum <= TAIL + WEIGHT_ERROR)
			range.low = sorted[i].gain;
		if (sum < 1 - TAIL - WEIGHT_ERROR)
			range.high = sorted[i].gain;
		sum += sorted[i].weight;
	}
	range.low -= MODEL_ERROR * fabs(range.low - 1);
	range.high += MODEL_ERROR * fabs(range.high - 1);
	return range;
}

/* Returns the least gain of the whole program under any assumption. */
static double least_gain(const struct outcomes *outcomes)
{
	double least = INFINITY;

	for (size_t i = 0; i < outcomes->count; i++)
		least = fmin(least, outcomes->gains[i * outcomes->columns +
						    outcomes->type->region_count + COLUMN_WHOLE]);
	return least;
}

/* Returns how far the mean gains of the choices for one unknown are apart, as a logarithm. */
static double spread(const struct outcomes *outcomes, enum unknown unknown)
{
	double sums[CHOICES_MAX] = { 0 }, low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < outcomes->count; i++) {
		const struct assumption *assumption = &outcomes->assumptions[i];
		uint8_t chosen = assumption->chosen[unknown];

		sums[chosen] += assumption->weight /
				outcomes->choices[unknown].items[chosen].weight *
				log(outcomes->gains[i * outcomes->columns +
						    outcomes->type->region_count + COLUMN_WHOLE]);
	}
	for (size_t i = 0; i < outcomes->choices[unknown].count; i++) {
		low = fmin(low, sums[i]);
		high = fmax(high, sums[i]);
	}
	return high - low;
}

/* Returns what the width of the range depends on most, or NULL if the range is narrow. */
static const char *width_cause(const struct outcomes *outcomes, const struct advice_range *range)
{
	enum unknown most = 0;

	if (range->high < WIDE * range->low)
		return NULL;
	for (enum unknown i = 1; i < UNKNOWN_COUNT; i++)
		if (spread(outcomes, i) > spread(outcomes, most))
			most = i;
	return unknown_names[most];
}

/* ---- the verdict ---- */

static const char *format_text(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static const char *format_text(struct arena *arena, const char *format, ...)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	va_list arguments;

	va_start(arguments, format);
	strbuf_add_vformat(&text, format, arguments);
	va_end(arguments);
	return arena_strdup(arena, text.data);
}

static const char *size_text(double bytes, char text[32])
{
	if (bytes < 10 * 1024)
		snprintf(text, 32, "%.0f bytes", bytes);
	else if (bytes < 10 * 1024 * 1024)
		snprintf(text, 32, "%.0f KB", bytes / 1024);
	else
		snprintf(text, 32, "%.0f MB", bytes / (1024 * 1024));
	return text;
}

/* Returns the smallest level that holds this many bytes. */
static int level_of(const struct advice_machine *machine, double set)
{
	for (int level = LEVEL_L1; level < LEVEL_MEMORY; level++)
		if (set <= own_size(machine, level))
			return level;
	return LEVEL_MEMORY;
}

static const char *const level_names[] = { "L1", "L2", "L3", "memory" };

static bool any_walk(const struct advice_type *type, enum advice_walk least)
{
	for (size_t i = 0; i < type->region_count; i++)
		for (size_t k = 0; k < type->regions[i].use_count; k++)
			if (type->regions[i].uses[k].walk >= least)
				return true;
	return false;
}

/* Returns whether code waits for this type only where it follows pointers from one to the next. */
static bool all_chased(const struct advice_type *type)
{
	uint64_t chased = 0, all = 0;

	for (size_t i = 0; i < type->region_count; i++)
		for (size_t k = 0; k < type->regions[i].use_count; k++) {
			const struct advice_use *use = &type->regions[i].uses[k];

			all += use->samples;
			chased += use->walk == WALK_CHASE ? use->samples : 0;
		}
	return (double)chased > ALL_SHARE * (double)all;
}

#define UNKNOWN_MAX 0.5 /* share of samples without a known type; nothing is predicted above it */
#define TOTAL_MIN   500 /* fewer samples do not show that a share is small */

/*
 * Returns whether the code that uses the type takes too little time to matter, even with its share
 * of the samples that have no known type.
 */
static bool is_elsewhere(const struct advice_type *type)
{
	double samples = (double)advice_region_samples(type), total = (double)type->total,
	       known = total - (double)type->unknown;

	return type->total >= TOTAL_MIN &&
	       samples + 2 * sqrt(samples) < (1 - 1 / GAIN_MIN) * (known > 1 ? known : 1);
}

/* Returns the reason that too little is known for any prediction, or NULL. */
static const char *too_little(const struct advice_type *type, struct arena *arena)
{
	uint64_t samples = advice_region_samples(type);

	/* even all of them would be too little */
	if (is_elsewhere(type))
		return NULL;
	if (type->unknown > UNKNOWN_MAX * (double)type->total)
		return format_text(
			arena,
			"%.1f%% of the samples wait for accesses of no known type, which "
			"may be of this one",
			100 * (double)type->unknown / (double)type->total);
	if (samples < SAMPLES_MIN)
		return format_text(
			arena,
			"too few samples: %" PRIu64 " are in code that uses the type, and %d are "
			"needed; record %.0f times as long",
			samples, SAMPLES_MIN, ceil(SAMPLES_MIN / (double)(samples ? samples : 1)));
	return NULL;
}

/* Returns why a layout with these figures gains nothing. */
static const char *no_gain_reason(const struct comparison *comparison,
				  const struct advice_type *type,
				  const struct advice_prediction *prediction, struct arena *arena)
{
	const struct advice_machine *machine = comparison->old.machine;
	double share = (double)advice_region_samples(type) / (double)type->total;
	char set[32], room[32];
	double most = comparison->old_set * comparison->many;
	int level = level_of(machine, most);

	if (!any_walk(type, WALK_STREAM))
		return "each loop uses one object, whose lines stay in L1";
	if (is_elsewhere(type))
		return format_text(
			arena,
			"time is spent elsewhere: %.1f%% of the samples are in code that uses it",
			100 * share);
	if (fabs(prediction->old_lines - prediction->new_lines) <= SAME_LINES)
		return format_text(arena, "a visit touches %.1f line%s with either layout",
				   prediction->old_lines, prediction->old_lines < 1.05 ? "" : "s");
	if (prediction->old_lines < prediction->new_lines)
		return format_text(arena, "a visit would touch %.2f lines in place of %.2f",
				   prediction->new_lines, prediction->old_lines);
	if (type->samples < CHARGED_MIN)
		return format_text(arena,
				   "nothing waits for it: %" PRIu64
				   " samples are charged to its fields",
				   type->samples);
	if (comparison->old_set > 0 && level < LEVEL_MEMORY)
		return format_text(arena, "the %s in use stay in %s (%s)", size_text(most, set),
				   level_names[level], size_text(own_size(machine, level), room));
	if (all_chased(type))
		return format_text(arena,
				   "each step waits for one line: the others of the object arrive "
				   "at the same time, %.1f in place of %.1f",
				   prediction->new_lines, prediction->old_lines);
	if (prediction->whole.high < 1.005)
		return format_text(arena, "less than 1%% faster: %.1f%% of the samples wait for it",
				   100 * (double)type->samples / (double)type->total);
	return format_text(
		arena,
		"at most %.2f times faster: %.1f%% of the samples wait for it, and a visit touches "
		"%.2f lines in place of %.2f",
		prediction->whole.high, 100 * (double)type->samples / (double)type->total,
		prediction->new_lines, prediction->old_lines);
}

/* Returns the number of objects above which the lines in use do not fit into L2. */
static double objects_beyond(const struct comparison *comparison, uint64_t cacheline)
{
	struct replay old = comparison->old;
	double lines = object_lines(&old);

	return lines > 0 ? (double)comparison->old.machine->sizes[LEVEL_L2] /
				   (lines * (double)cacheline)
			 : 0;
}

/*
 * Returns whether all lines in use stay in L2. Other instructions hide most of its latency: moving
 * lines into L1 was measured to make programs 0.7 to 1.6 times as fast, whatever was predicted.
 */
static bool stays_near(const struct comparison *comparison)
{
	double most = comparison->old_set * comparison->many;

	return comparison->old_set > 0 && level_of(comparison->old.machine, most) <= LEVEL_L2;
}

static const char *cannot_tell_reason(const struct comparison *comparison,
				      const struct advice_prediction *prediction,
				      struct arena *arena)
{
	char least[32], most[32];

	if (comparison->many > 1.5)
		return format_text(arena,
				   "%.2f to %.2f times faster, as the %s to %s in use may or may "
				   "not stay in a "
				   "cache: measure before you change it",
				   prediction->whole.low, prediction->whole.high,
				   size_text(comparison->old_set, least),
				   size_text(comparison->old_set * comparison->many, most));
	return format_text(
		arena,
		"%.2f to %.2f times faster, as the %s in use may or may not stay in a cache: "
		"measure before you change it",
		prediction->whole.low, prediction->whole.high,
		size_text(comparison->old_set, least));
}

static void judge(const struct comparison *comparison, const struct advice_type *type,
		  struct advice_prediction *prediction, struct arena *arena)
{
	const struct advice_machine *machine = comparison->old.machine;
	const char *unknown = too_little(type, arena);
	char before[32], after[32];

	if (unknown) {
		prediction->verdict = VERDICT_CANNOT_TELL;
		prediction->reason = unknown;
		return;
	}
	bool near = stays_near(comparison);

	if (is_elsewhere(type) || prediction->whole.high < (near ? NEAR_GAIN : GAIN_MIN) ||
	    type->samples < CHARGED_MIN ||
	    prediction->old_lines <= prediction->new_lines + SAME_LINES ||
	    !any_walk(type, WALK_STREAM)) {
		prediction->verdict = VERDICT_NO_GAIN;
		prediction->reason = no_gain_reason(comparison, type, prediction, arena);
		return;
	}
	if (near) {
		prediction->verdict = VERDICT_CANNOT_TELL;
		prediction->reason = format_text(
			arena,
			"the %s in use stay in %s, near enough for other instructions to hide "
			"most of the wait: at most %.2f times faster, or slower",
			size_text(comparison->old_set * comparison->many, before),
			level_names[level_of(machine, comparison->old_set * comparison->many)],
			prediction->whole.high);
		return;
	}
	if (!prediction->old_set) {
		prediction->verdict = VERDICT_CANNOT_TELL;
		prediction->reason = format_text(arena,
						 "how many objects are in use is not known, as no "
						 "sample has the address of its data "
						 "(record registers with -I); it would pay beyond "
						 "about %.0f objects, which no longer "
						 "fit in L2",
						 objects_beyond(comparison, machine->cacheline));
		return;
	}
	if (prediction->whole.low < GAIN_MIN || comparison->least < 1) {
		prediction->verdict =
			prediction->whole.low >= 1 - 0.01 && prediction->whole.high < 1.1
				? VERDICT_NO_GAIN
				: VERDICT_CANNOT_TELL;
		prediction->reason = prediction->verdict == VERDICT_NO_GAIN
					     ? no_gain_reason(comparison, type, prediction, arena)
					     : cannot_tell_reason(comparison, prediction, arena);
		return;
	}
	prediction->verdict = VERDICT_GAIN;
	prediction->reason = format_text(arena,
					 "the lines in use shrink from %s (%s) to %s (%s), those "
					 "of a visit from %.2f to %.2f",
					 size_text(comparison->old_set, before),
					 level_names[level_of(machine, comparison->old_set)],
					 size_text(comparison->new_set, after),
					 level_names[level_of(machine, comparison->new_set)],
					 prediction->old_lines, prediction->new_lines);
}

/* Returns the lines that an iteration touches, averaged over the regions by their samples. */
static double lines_per_visit(struct replay *replay)
{
	double lines = 0, samples = 0;

	for (size_t i = 0; i < replay->type->region_count; i++) {
		const struct advice_region *region = &replay->type->regions[i];
		struct touches touches;

		touches_init(&touches, replay, region);
		if (touches.lines > 0) {
			lines += touches.lines * (double)region->samples;
			samples += (double)region->samples;
		}
		touches_deinit(&touches);
	}
	return samples > 0 ? lines / samples : 0;
}

/* Sets the ranges of the prediction. Returns the least gain under any assumption. */
static double predict_ranges(struct comparison *comparison, const struct advice_type *type,
			     const struct advice_proposal *proposal,
			     struct advice_prediction *prediction)
{
	struct outcomes outcomes;
	double least;

	if (proposal->kind == PROPOSAL_KEEP) {
		for (size_t i = 0; i < type->region_count; i++)
			prediction->regions[i] = (struct advice_range){ 1, 1 };
		prediction->whole = prediction->own = (struct advice_range){ 1, 1 };
		return 1;
	}
	outcomes_init(&outcomes, comparison, type);
	for (size_t i = 0; i < type->region_count; i++)
		prediction->regions[i] = likely_range(&outcomes, i);
	prediction->whole = likely_range(&outcomes, type->region_count + COLUMN_WHOLE);
	prediction->own = likely_range(&outcomes, type->region_count + COLUMN_OWN);
	prediction->width = width_cause(&outcomes, &prediction->whole);
	least = least_gain(&outcomes);
	outcomes_deinit(&outcomes);
	return least;
}

/* Returns the gain if this share of the time is saved. */
static double gain_of_saved(double saved)
{
	return 1 / (1 - (saved < 1 - TIME_LEFT_MIN ? saved : 1 - TIME_LEFT_MIN));
}

/*
 * Predicts what a program gains without the false sharing of a type: at least half of what the
 * verdicts on its lines expect, or a tenth of the time that samples wait there, and at most all of
 * that time.
 */
static void predict_pad(const struct advice_type *type, const struct advice_machine *machine,
			struct advice_prediction *prediction, struct arena *arena)
{
	const struct advice_shared *shared = &type->shared;

	prediction->whole = prediction->own = (struct advice_range){
		gain_of_saved(fmax(shared->saved / 2, PAD_LEAST * shared->waits)),
		gain_of_saved(fmin(fmax(shared->waits, shared->saved), PAD_MOST))
	};
	if (prediction->whole.low < GAIN_MIN) {
		prediction->verdict = VERDICT_CANNOT_TELL;
		prediction->reason = "the samples do not show what sharing a line costs: count "
				     "HITM events, or measure";
		return;
	}
	prediction->verdict = VERDICT_GAIN;
	prediction->width = "what an access costs without false sharing";
	prediction->reason = format_text(
		arena,
		"%s of different threads share lines, where %.0f%% of the time is waited; with "
		"_Alignas(%" PRIu64 ") they do not (dtprof c2c report)",
		shared->objects ? "objects" : "fields", 100 * shared->waits, machine->cacheline);
}

/* If no address tells how many objects there are, the best case is assumed: none is in a cache. */
#define SET_UNKNOWN 1e15

void replay_predict(const struct advice_type *type, const struct advice_machine *machine,
		    struct advice_proposal *proposal, struct arena *arena)
{
	_cleanup_free_ struct part_bytes *old_parts =
		xcalloc(type->current.part_count + 1, sizeof(*old_parts));
	_cleanup_free_ struct part_bytes *new_parts =
		xcalloc(proposal->part_count + 1, sizeof(*new_parts));
	struct comparison comparison = {
		.old = { type, machine, &type->current, old_parts, false },
		.new = { type, machine, proposal, new_parts, false },
	};
	struct advice_prediction *prediction = &proposal->prediction;
	double count = type->objects.estimate, line = (double)machine->cacheline;

	comparison.many = count > 0 && type->objects.most > count ? type->objects.most / count : 1;
	comparison.old_set = count > 0 ? object_lines(&comparison.old) * line * count : SET_UNKNOWN;
	comparison.new_set = count > 0 ? object_lines(&comparison.new) * line * count : SET_UNKNOWN;
	*prediction = (struct advice_prediction){
		.regions =
			arena_alloc(arena, (type->region_count + 1) * sizeof(*prediction->regions)),
		.old_lines = lines_per_visit(&comparison.old),
		.new_lines = lines_per_visit(&comparison.new),
		.old_set = count > 0 ? (uint64_t)comparison.old_set : 0,
		.new_set = count > 0 ? (uint64_t)comparison.new_set : 0,
	};
	comparison.least = predict_ranges(&comparison, type, proposal, prediction);
	if (proposal->kind == PROPOSAL_PAD) {
		predict_pad(type, machine, prediction, arena);
		return;
	}
	judge(&comparison, type, prediction, arena);
}
