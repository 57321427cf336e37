// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements replay_predict(). The steps of a prediction: which bytes of which part a base touches
 * (part_bytes()), how many lines these are (stream_lines(), visit_lines()), how large all lines in
 * use are (line_set()), what a line costs then (line_cost()), what an iteration takes
 * (iteration()), and how sure that is (predict_region()).
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
 * Nanoseconds that one line costs, by where it is: the ends of the range that machines of today
 * differ in. Only their ratios to each other and to the computation matter. Sources: Intel 64 and
 * IA-32 Architectures Optimization Reference Manual, "Cache hierarchy" (4 to 5 cycles for L1, 14
 * for L2, 40 to 70 for L3); a loop over arrays of 32 KB to 256 MB, timed on Zen 4 at 3 GHz, gave
 * 0.3, 0.6, 0.7 and 2.3 ns for streams, and 1.4, 5, 15 to 100 and 190 ns for chases.
 */
static const struct line_costs {
	double low, high;
} line_costs[][LEVEL_COUNT] = {
	[WALK_SAME] = { { 0, 0 }, { 0, 0 }, { 0, 0 }, { 0, 0 } },
	[WALK_STREAM] = { { 0.1, 0.3 }, { 0.4, 0.7 }, { 0.6, 1.1 }, { 2.2, 3.2 } },
	[WALK_CHASE] = { { 1.3, 2 }, { 4, 6 }, { 12, 40 }, { 80, 190 } },
	[WALK_SCATTERED] = { { 0.3, 0.6 }, { 1, 2 }, { 2, 6 }, { 8, 15 } },
};

#define NS_PER_CYCLE  0.30 /* at 3.3 GHz */
#define CYCLES_UNSURE 1.5  /* the computation takes at most so many times the least it can take */
#define WRITE_COST    1.5  /* a line that is written is also written back */
#define GAIN_MIN      1.03 /* whole program: less is lost in the noise of most measurements */
#define SAMPLES_MIN   50   /* in regions of the type */
#define CHARGED_MIN   10   /* samples charged to the type */
#define ELEMENTS      64   /* elements over which lines are averaged */
#define ALLOCATED     16   /* alignment of malloc() on 64-bit systems */
#define BYTES_MAX     512  /* ranges of bytes that one base touches */
#define REGION_SHARE                                                                               \
	0.05           /* of the type's samples: smaller regions do not make the lines in use      \
			*/
#define FITS_BELOW 0.8 /* of a cache's size: lines in use that all stay in it */
#define MISSES_FROM                                                                                \
	1.5 /* of a cache's size: lines in use that are gone when they are needed again */
#define PACE_WAITS                                                                                 \
	1.3 /* times the computation: a measured pace beyond it shows that the loop waits */
#define SCALE_MAX 2.0 /* a measured pace changes the assumed costs by at most this factor */
#define OUTER_SHARE                                                                                \
	0.25 /* of iterations reach another object of those that stay the same in a loop: short    \
		loops in loops */
#define SAME_LINES 0.01 /* lines of a visit: a smaller difference is none */
#define TIME_LEFT_MIN                                                                              \
	0.02 /* of the time of a region or program: no layout saves more than the rest */

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

static double lines_at(const struct part_bytes *bytes, uint64_t size, uint64_t start,
		       uint64_t cacheline)
{
	size_t mark_count = (start + size) / cacheline + 1, lines = 0;
	_cleanup_free_ uint8_t *marks = xcalloc(mark_count, 1);

	mark_lines(start, bytes->items, bytes->count, cacheline, marks, mark_count);
	for (size_t i = 0; i < mark_count; i++)
		lines += marks[i];
	return (double)lines;
}

/*
 * Returns the lines that a visit of one object touches, on average over the places in a line where
 * objects of this part begin: those that were seen, if the size is still the old one.
 */
static double visit_lines(const struct advice_type *type, const struct advice_part *part,
			  const struct part_bytes *bytes, uint64_t cacheline)
{
	uint64_t step = type->objects.array ? common_divisor(part->size, cacheline) : ALLOCATED,
		 seen = 0;
	double sum = 0;
	size_t count = 0;

	if (!bytes->count || !part->size)
		return 0;
	if (part->size == type->size && cacheline <= 64) {
		for (uint64_t at = 0; at < cacheline; at++) {
			if (!type->objects.alignments[at])
				continue;
			sum += (double)type->objects.alignments[at] *
			       lines_at(bytes, part->size, at, cacheline);
			seen += type->objects.alignments[at];
		}
		if (seen)
			return sum / (double)seen;
	}
	if (part->align > step && part->align <= cacheline)
		step = part->align;
	for (uint64_t at = 0; at < cacheline; at += step, count++)
		sum += lines_at(bytes, part->size, at, cacheline);
	return sum / (double)count;
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
	bool rare;                /* no iteration makes the uses that some leave out */
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
					     : visit_lines(type, part, &parts[i], cacheline);
	}
	return lines;
}

/* ---- costs ---- */

/* One choice among what is not known: the costs of lines, the share of L3, the computation. */
struct assumption {
	bool slow;        /* the high end of line_costs */
	bool many;        /* as many objects as there may be */
	bool small_l3;    /* only a quarter of L3 is this program's */
	double computing; /* factor of the region's cycles */
	double scale;     /* of the costs of lines, from a measured pace; 1: as assumed */
};

/* Returns the share of accesses that hit a cache of `size` bytes in a loop over `set` bytes. */
static double hits(double set, double size)
{
	double full = FITS_BELOW * size, none = MISSES_FROM * size;

	if (size <= 0)
		return 0;
	return set <= full ? 1 : set >= none ? 0 : (none - set) / (none - full);
}

static double line_cost(const struct advice_machine *machine, enum advice_walk walk, double set,
			const struct assumption *assumption)
{
	double cost = 0, left = 1;

	for (int level = LEVEL_L1; level <= LEVEL_MEMORY; level++) {
		double size = (double)machine->sizes[level];

		if (level == LEVEL_L3 && assumption->small_l3)
			size /= 4;

		double here = level == LEVEL_MEMORY ? left : left * hits(set, size);
		const struct line_costs *costs = &line_costs[walk][level];

		cost += here * (assumption->slow ? costs->high : costs->low);
		left -= here;
	}
	return cost * assumption->scale;
}

/* The time of one iteration of a region. */
struct iteration {
	double time;   /* ns */
	double memory; /* ns for lines */
	double lines;  /* of all bases that move */
};

/*
 * Returns the cost in ns of `lines` lines of one part of an object that nothing fetched ahead. The
 * code waits for the `first` part's first line. The other lines arrive meanwhile and cost nothing,
 * unless there are so many that they wait for each other; in a loop of independent visits they
 * always do.
 */
static double object_cost(const struct replay *replay, const struct advice_region *region,
			  enum advice_walk walk, double lines, bool first, double set,
			  const struct assumption *assumption)
{
	double one = line_cost(replay->machine, walk, set, assumption),
	       more = line_cost(replay->machine, WALK_SCATTERED, set, assumption);

	if (!assumption->slow && (walk == WALK_CHASE || !region->loop))
		more = 0;
	if (!first)
		return lines * more;
	return lines < 1 ? one * lines : one + (lines - 1) * more;
}

static struct iteration iteration(struct replay *replay, const struct advice_region *region,
				  double set, const struct assumption *assumption)
{
	const struct advice_type *type = replay->type;
	uint64_t cacheline = replay->machine->cacheline;
	struct iteration result = { 0 };
	double streams = 0, others = 0;

	for (uint32_t base = 0; base < base_count(region); base++) {
		uint64_t step;
		enum advice_walk outer,
			walk = base_bytes(type, replay->proposal, region, base, replay->rare, &step,
					  &outer, replay->parts);
		double often = walk == WALK_SAME ? OUTER_SHARE : 1;
		bool first = true;

		if (walk == WALK_SAME)
			walk = outer == WALK_STREAM ? WALK_SCATTERED : outer;

		for (size_t i = 0; i < replay->proposal->part_count && walk != WALK_SAME; i++) {
			const struct advice_part *part = &replay->proposal->parts[i];
			const struct part_bytes *bytes = &replay->parts[i];
			uint64_t elements =
				type->size && step >= type->size ? step / type->size : 1;
			double lines = walk == WALK_STREAM
					       ? average_lines(bytes->items, bytes->count,
							       part->size * elements, part->size, 0,
							       cacheline)
					       : visit_lines(type, part, bytes, cacheline);

			if (!bytes->count)
				continue;
			double cost = lines * line_cost(replay->machine, walk, set, assumption) *
				      (bytes->written ? WRITE_COST : 1);

			if (walk != WALK_STREAM)
				cost = object_cost(replay, region, walk, lines, first, set,
						   assumption) *
				       (bytes->written ? WRITE_COST : 1);
			first = false;
			*(walk == WALK_STREAM ? &streams : &others) += often * cost;
			result.lines += often * lines;
		}
	}
	double computing = region->cycles * NS_PER_CYCLE * assumption->computing;

	result.memory = streams + others;
	result.time = (streams > computing ? streams : computing) + others;
	return result;
}

/* ---- one region ---- */

/*
 * Returns the gain of a region, times faster. The share `waits` of its time is spent on lines, and
 * these cost `ratio` times what they did.
 */
static double gain_of_share(double waits, double ratio)
{
	double left = 1 - waits * (1 - ratio);

	return 1 / (left < TIME_LEFT_MIN ? TIME_LEFT_MIN : left);
}

static void widen(struct advice_range *range, double gain)
{
	if (gain < range->low)
		range->low = gain;
	if (gain > range->high)
		range->high = gain;
}

/* The two layouts that are compared. */
struct comparison {
	struct replay old, new;
	double old_set, new_set; /* bytes of the lines in use, at least */
	double many;             /* factor to what they are at most */
};

/*
 * Returns the factor between the assumed costs of lines and those by the measured pace; 1 if no
 * pace is known, or if it shows no waiting. Sets *paced to whether it shows waiting.
 */
static double measured_scale(struct comparison *comparison, const struct advice_region *region,
			     const struct assumption *assumption, bool *paced)
{
	struct assumption plain = *assumption;

	plain.scale = 1;

	double many = assumption->many ? comparison->many : 1;
	struct iteration old =
		iteration(&comparison->old, region, comparison->old_set * many, &plain);
	double computing = region->cycles * NS_PER_CYCLE;

	*paced = region->pace > 0 && old.memory > 0 && region->pace >= PACE_WAITS * computing;
	if (!*paced)
		return 1;
	double scale = region->pace / old.memory;

	return scale < 1 / SCALE_MAX ? 1 / SCALE_MAX : scale > SCALE_MAX ? SCALE_MAX : scale;
}

/* The assumptions that have two ends. A prediction is made for each combination of ends. */
enum {
	ASSUME_SLOW = 1 << 0,
	ASSUME_SMALL_L3 = 1 << 1,
	ASSUME_COMPUTING = 1 << 2,
	ASSUME_MANY = 1 << 3,
	ASSUME_RARE = 1 << 4,
	ASSUMED_ENDS = 1 << 5,
};

/* Returns the range of a region's gain over all assumptions. */
static struct advice_range predict_region(struct comparison *comparison,
					  const struct advice_region *region)
{
	struct advice_range range = { INFINITY, 0 };
	double charged = (double)region->charged, waits = charged / (double)region->samples,
	       most = (charged + 2 * sqrt(charged) + 1) / (double)region->samples;

	/*
	 * If the pace shows that a stream takes longer than the computation, the computation is
	 * done while the next line arrives: all samples wait but those charged to something else.
	 */
	double overlapped = 1 - (double)region->others / (double)region->samples;
	bool paced;

	if (!region->samples || !region->use_count)
		return (struct advice_range){ 1, 1 };
	if (overlapped > 1 - TIME_LEFT_MIN)
		overlapped = 1 - TIME_LEFT_MIN;
	if (most > 1 - TIME_LEFT_MIN)
		most = 1 - TIME_LEFT_MIN;
	for (int ends = 0; ends < ASSUMED_ENDS; ends++) {
		struct assumption assumption = { .slow = ends & ASSUME_SLOW,
						 .small_l3 = ends & ASSUME_SMALL_L3,
						 .many = ends & ASSUME_MANY,
						 .computing = ends & ASSUME_COMPUTING
								      ? CYCLES_UNSURE
								      : 1,
						 .scale = 1 };
		double many = assumption.many ? comparison->many : 1;

		comparison->old.rare = comparison->new.rare = ends &ASSUME_RARE;
		assumption.scale = measured_scale(comparison, region, &assumption, &paced);

		struct iteration old = iteration(&comparison->old, region,
						 comparison->old_set * many, &assumption);
		struct iteration new = iteration(&comparison->new, region,
						 comparison->new_set * many, &assumption);
		double ratio = old.memory > 0 ? new.memory / old.memory : 1,
		       cap = gain_of_share(paced && overlapped > most ? overlapped : most, ratio),
		       gain;

		if (region->loop && region->cycles > 0 && !region->calls && new.time > 0)
			gain = old.time / new.time;
		else
			gain = gain_of_share(ends & ASSUME_COMPUTING ? waits / 2 : waits, ratio);
		/* a loss is not limited by the samples: lines may be waited for that are not now */
		widen(&range, gain > cap && cap >= 1 ? cap : gain);
	}
	return range;
}

/* A range is made wider by this share of its gain, as no machine is quite like the model. */
#define MODEL_ERROR 0.25

/* Returns the gain of a program of `total` samples. */
static struct advice_range whole_gain(const struct advice_type *type,
				      const struct advice_range *regions, uint64_t total)
{
	double low = (double)total, high = (double)total;
	struct advice_range range;

	for (size_t i = 0; i < type->region_count; i++) {
		double samples = (double)type->regions[i].samples;

		low += samples / regions[i].low - samples;
		high += samples / regions[i].high - samples;
	}
	/* rounding, or samples that are counted in two regions, may leave nothing */
	if (!total || low < TIME_LEFT_MIN * (double)total || high < TIME_LEFT_MIN * (double)total)
		return (struct advice_range){ 1, 1 };
	range = (struct advice_range){ (double)total / low, (double)total / high };
	range.low -= MODEL_ERROR * fabs(range.low - 1);
	range.high += MODEL_ERROR * fabs(range.high - 1);
	return range;
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
		if (hits(set, (double)machine->sizes[level]) > 0.5)
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

#define UNKNOWN_MAX 0.5 /* of the samples: with more of no known type nothing is predicted */
#define TOTAL_MIN   500 /* samples from which on a small share is known to be small */

/*
 * Returns whether the code that uses the type cannot take a share of the time that matters, if it
 * has the same share of the samples of no known type.
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
				   level_names[level],
				   size_text((double)machine->sizes[level], room));
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

/* Returns the number of objects from which on the lines in use leave the L2 cache. */
static double objects_beyond(const struct comparison *comparison, uint64_t cacheline)
{
	struct replay old = comparison->old;
	double lines = object_lines(&old);

	return lines > 0 ? (double)comparison->old.machine->sizes[LEVEL_L2] /
				   (lines * (double)cacheline)
			 : 0;
}

/*
 * Returns whether all lines in use stay in L2. Its latency is short enough for other instructions
 * to hide, and moving lines into L1 was measured to slow programs down as often as not.
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
	if (is_elsewhere(type) || stays_near(comparison) || prediction->whole.high < GAIN_MIN ||
	    type->samples < CHARGED_MIN ||
	    prediction->old_lines <= prediction->new_lines + SAME_LINES ||
	    !any_walk(type, WALK_STREAM)) {
		prediction->verdict = VERDICT_NO_GAIN;
		prediction->reason = no_gain_reason(comparison, type, prediction, arena);
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
	if (prediction->whole.low < GAIN_MIN) {
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
	const struct assumption assumption = { .computing = 1, .scale = 1 };
	double lines = 0, samples = 0;

	for (size_t i = 0; i < replay->type->region_count; i++) {
		const struct advice_region *region = &replay->type->regions[i];
		struct iteration one = iteration(replay, region, 0, &assumption);

		if (one.lines <= 0)
			continue;
		lines += one.lines * (double)region->samples;
		samples += (double)region->samples;
	}
	return samples > 0 ? lines / samples : 0;
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
	for (size_t i = 0; i < type->region_count; i++)
		prediction->regions[i] = proposal->kind == PROPOSAL_KEEP
						 ? (struct advice_range){ 1, 1 }
						 : predict_region(&comparison, &type->regions[i]);
	prediction->whole = whole_gain(type, prediction->regions, type->total);
	prediction->own = whole_gain(type, prediction->regions, type->own_total);
	if (proposal->kind == PROPOSAL_PAD) {
		prediction->verdict = VERDICT_CANNOT_TELL;
		prediction->reason =
			"timer samples do not show what sharing a line costs: count HITM events "
			"or measure";
		return;
	}
	judge(&comparison, type, prediction, arena);
}
