// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements replay_predict(). The steps of a prediction: which lines an iteration touches
 * (touches_init()), how large all lines in use are (lines_in_use(), both in lines.h), what a line
 * costs then (costs.h), what an iteration takes (iteration()) and gains (region_gain()), each under
 * many assumptions (assumption_at()), and which range of gains is likely then (likely_range()).
 */
#include "report/layout/costs.h"

#include <inttypes.h>
#include <math.h>

#define GAIN_MIN      1.03  /* of the program: less is lost in the noise of measurements */
#define SAMPLES_MIN   50    /* in regions of the type */
#define CHARGED_MIN   10    /* samples charged to the type */
#define CHOICE_CYCLES 0.5   /* a processor takes one jump a cycle, and half of the choices jump */
#define JUMP_CYCLES   20    /* of a jump that the processor guessed wrong */
#define JUMPS_BEHIND  2     /* times the time of jumps that samples show right after them */
#define JUMPS_AFTER   0.25  /* of the samples of a loop follow jumps, */
#define JUMPS_ALONE   0.1   /* and of no access: its jumps are guessed wrong, */
#define JUMPS_MORE    0.25  /* in this share of its choices more than others */
#define ALL_SHARE     0.8   /* of the samples: as good as all */
#define SAME_LINES    0.01  /* smaller differences in the lines of a visit do not count */
#define ABOUT_LINES   1.1   /* times as many lines of a visit: about as many */
#define SAME_ROOM     0.9   /* of the bytes in use: as good as all of them */
#define BEHIND_JUMPS  0.1   /* of all samples: enough to change an answer */
#define FULL_FROM     0.8   /* of a cache: stacks and other data may push lines out of it */
#define NEAR_GAIN     1.12  /* whole program: lines that stay in L2 are often not waited for */
#define NEAR_CHASE    1.25  /* whole program: a chase in L2 that other instructions do not hide */
#define SPARED_MIN    0.1   /* of the lines: fewer are not worth a change without a gain */
#define SPARED_REGION 0.005 /* of the type's samples, to count for the lines that L1 is spared */
#define VISIT_GAIN    1.09  /* whole program: the lines of a visit overlap more than is known, */
#define PAGES_GAIN    1.25  /* and in as many pages as now, page walks are most of the wait */
#define OFTEN_LINES   0.75  /* of a search's waits for lines, if it meets some elements often */
#define SURE          0.95  /* of the lines: as good as all of them */
#define NO_LOSS       0.995 /* whole program: as much is lost in code that hardly runs */
#define TIME_LEFT_MIN 0.02  /* of the time of a region or program: no layout saves more */
#define TAIL          0.1   /* of the combinations: left out at each end of a range */
#define WEIGHT_ERROR  1e-9
#define PAD_LEAST     0.1 /* least share saved of the time that waits for falsely shared lines */
#define PAD_MOST      0.9 /* largest share of all time that is saved */
#define WIDE          1.3 /* the ends of a range differ by this factor: its cause is said */

/* A part of the time in which lines come from L2: six loops of 1 to 2 cycles took 0.55 to 1.5 of
 * it. */
#define ARRIVING_LEAST 0.4 /* this, */
#define ARRIVING       0.8 /* and up to so much more */

/* ---- assumptions ---- */

/* Facts that are not known. Several values of each are tried. */
enum unknown {
	UNKNOWN_COSTS,
	UNKNOWN_L3,
	UNKNOWN_COMPUTING,
	UNKNOWN_OVERLAP,
	UNKNOWN_OBJECTS,
	UNKNOWN_RARE,
	UNKNOWN_COUNT,
};

static const char *const unknown_names[UNKNOWN_COUNT] = {
	[UNKNOWN_COSTS] = "how long the machine waits for a line",
	[UNKNOWN_L3] = "how much room other data leaves in the caches",
	[UNKNOWN_COMPUTING] = "how much of the time is computation",
	[UNKNOWN_OVERLAP] = "how many lines arrive while the loop computes",
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
	struct cost_assumption cost;
	double computing; /* factor of the region's cycles */
	double missed;    /* share of the region's choices that the processor guesses wrong, */
	double seen;      /* and a factor of the time at their targets, the most that it takes */
	double serial;    /* share of the cycles in which no line of a stream arrives */
	double lines;     /* share of the waits of a search that are for lines, */
	double waits;     /* factor of the samples' share: of those charged that really waited */
	double rare;      /* share of iterations without the uses that some leave out */
	/* of one region */
	double jumps; /* its choices that are guessed wrong, in one iteration */
};

/* Leaves one choice for each unknown that no region depends on; no range changes. */
static void drop_idle_choices(struct choices choices[UNKNOWN_COUNT], const struct advice_type *type)
{
	static const struct choices one = { { { 0, 1 } }, 1 };

	if (!advice_any_use(type, use->walk == WALK_STREAM))
		choices[UNKNOWN_OVERLAP] = one;
	if (!advice_any_use(type, use->sometimes))
		choices[UNKNOWN_RARE] = one;
}

/* Sets the values to try on this machine. There may be `many` times the least number of objects. */
static void choices_init(struct choices choices[UNKNOWN_COUNT],
			 const struct advice_machine *machine, const struct advice_type *type,
			 double many)
{
	double l3 = (double)machine->sizes[LEVEL_L3], own = own_cache_size(machine, LEVEL_L3);

	choices[UNKNOWN_COSTS] = (struct choices){ { { 0, 0.25 }, { 0.5, 0.5 }, { 1, 0.25 } }, 3 };
	/* the least values suppose that instructions never wait for execution units */
	choices[UNKNOWN_COMPUTING] =
		(struct choices){ { { 0.9, 0.25 }, { 1.1, 0.5 }, { 1.5, 0.25 } }, 3 };
	choices[UNKNOWN_OVERLAP] =
		(struct choices){ { { 0, 0.25 }, { 0.5, 0.5 }, { 1, 0.25 } }, 3 };
	/* Other data and programs take of L3, and what was measured had all for itself. With none
	 * taken, the low ends of 3 of 12 programs were too high; with half of it, none was. */
	if (machine->costs.known)
		choices[UNKNOWN_L3] = (struct choices){ { { 1, 0.2 }, { 2, 0.8 } }, 2 };
	else
		choices[UNKNOWN_L3] =
			own < l3 ? (struct choices){ { { own, 0.4 },
						       { sqrt(own * l3), 0.4 },
						       { l3, 0.2 } },
						     3 }
				 : (struct choices){
					   { { l3, 0.7 }, { l3 / 2, 0.2 }, { l3 / 4, 0.1 } }, 3
				   };
	choices[UNKNOWN_OBJECTS] = (struct choices){ { { 0, 1 } }, 1 };
	if (many > 1)
		choices[UNKNOWN_OBJECTS] =
			(struct choices){ { { 0, 0.25 }, { 0.5, 0.5 }, { 1, 0.25 } }, 3 };
	choices[UNKNOWN_RARE] =
		(struct choices){ { { 0.1, 0.25 }, { 0.5, 0.5 }, { 0.9, 0.25 } }, 3 };
	drop_idle_choices(choices, type);
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
	struct assumption result = { .weight = 1 };
	double values[UNKNOWN_COUNT];

	for (int i = 0; i < UNKNOWN_COUNT; i++) {
		const struct choice *choice = &choices[i].items[number % choices[i].count];

		result.chosen[i] = (uint8_t)(number % choices[i].count);
		result.weight *= choice->weight;
		values[i] = choice->value;
		number /= choices[i].count;
	}
	result.cost = (struct cost_assumption){ .share = values[UNKNOWN_COSTS],
						.l3 = values[UNKNOWN_L3],
						.many = values[UNKNOWN_OBJECTS] };
	result.computing = values[UNKNOWN_COMPUTING];
	/* a jump that depends on random data is guessed wrong half of the time */
	result.missed = (double[]){ 0, 0.15, 0.4 }[result.chosen[UNKNOWN_COMPUTING]];
	result.lines = (double[]){ 0.85, 0.7, 0.55 }[result.chosen[UNKNOWN_COSTS]];
	result.seen = (double[]){ 0.3, 0.9, 1.5 }[result.chosen[UNKNOWN_COMPUTING]];
	result.serial = values[UNKNOWN_OVERLAP];
	/* time that a late sample charges to an access may be computation after it */
	result.waits = 1 - 0.25 * result.chosen[UNKNOWN_COMPUTING];
	result.rare = values[UNKNOWN_RARE];
	return result;
}

/* ---- one iteration ---- */

/*
 * Returns the cost in ns of lines that nothing fetched ahead. The code waits for the first line of
 * an object. The lines beside it come with it for a part of the cost: they are in the same page,
 * and processors fetch neighbours. Other lines arrive meanwhile, too; only in a loop of independent
 * visits do they wait for each other. A jump that compares the object's data and is guessed wrong
 * ends the overlap: what was fetched after it is dropped, so this visit is waited for like a step
 * of a chase.
 */
static double visit_cost(const struct advice_machine *machine, const struct advice_region *region,
			 const struct touch *touch, const struct line_set *set,
			 const struct assumption *assumption)
{
	const struct cost_assumption *costs = &assumption->cost;
	bool waits = touch->walk == WALK_CHASE || !region->loop;
	double one = line_cost(machine, touch, touch->walk, touch->walk, set, costs).all,
	       other = line_cost(machine, touch, WALK_SCATTERED, WALK_SCATTERED, set, costs).all,
	       chased = line_cost(machine, touch, touch->walk, WALK_CHASE, set, costs).all,
	       /* outside of loops, the jump may be one of a caller's */
		jumps = region->loop ? fmin(assumption->jumps, 1) : assumption->missed,
	       beside = cost_beside(machine, waits, costs) * other,
	       rest = touch->groups - (touch->first ? 1 : 0);

	if (waits)
		other = beside;
	one += jumps * (chased - one);
	/* sums of shares are not exact */
	if (touch->first && touch->groups < 1 - WEIGHT_ERROR)
		return one * touch->lines;
	return (touch->first ? one : 0) + rest * other + (touch->lines - touch->groups) * beside;
}

/* The time of one iteration of a region, in ns. */
struct iteration {
	double time;
	double memory; /* the time for lines alone */
};

static struct iteration one_iteration(const struct advice_machine *machine,
				      const struct advice_region *region,
				      const struct touches *touches, const struct line_set *set,
				      const struct assumption *assumption)
{
	double streams = 0, far = 0, others = 0,
	       cycles = fmax(region->cycles, 1 + CHOICE_CYCLES * region->choices),
	       computing = (cycles * assumption->computing + assumption->jumps * JUMP_CYCLES) *
			   cycle_time(machine),
	       issue = fmin(region->issue * assumption->computing * cycle_time(machine), computing);

	array_each (const struct touch, touch, touches->items, touches->count) {
		if (touch->walk == WALK_STREAM) {
			struct line_cost cost = line_cost(machine, touch, WALK_STREAM, WALK_STREAM,
							  set, &assumption->cost);

			streams += touch->often * touch->lines * cost.all;
			far += touch->often * touch->lines * cost.far;
		} else {
			others +=
				touch->often * visit_cost(machine, region, touch, set, assumption);
		}
	}
	/* Other instructions hide the latency of L2. But lines come into L1 only while it serves no
	 * instructions: they add to a loop that issues all the time. One that waits for its own
	 * results, or for jumps, has time for them. */
	double arriving = fmin(fmax(streams - far - (computing - issue), 0), issue);

	return (struct iteration){
		.time = fmax(streams, computing) + assumption->serial * fmin(far, computing) +
			(ARRIVING_LEAST + ARRIVING * assumption->serial) * arriving + others,
		.memory = streams + others
	};
}

/* Returns the mean of iterations with and without what some leave out: touches[0], [1]. */
static struct iteration iteration(const struct advice_machine *machine,
				  const struct advice_region *region,
				  const struct touches touches[2], const struct line_set *set,
				  const struct assumption *assumption)
{
	struct iteration all = one_iteration(machine, region, &touches[0], set, assumption),
			 few = one_iteration(machine, region, &touches[1], set, assumption);
	double rare = assumption->rare;

	return (struct iteration){ .time = (1 - rare) * all.time + rare * few.time,
				   .memory = (1 - rare) * all.memory + rare * few.memory };
}

/* ---- one region ---- */

/* Returns the speed-up of a region: `waits` of its time is for lines, times `ratio`. */
static double gain_of_share(double waits, double ratio)
{
	double left = 1 - waits * (1 - ratio);

	return 1 / (left < TIME_LEFT_MIN ? TIME_LEFT_MIN : left);
}

/* The comparison of two layouts. */
struct comparison {
	struct replay old, new;
	struct line_set old_set, new_set; /* at least */
	double old_sure, new_sure;        /* lines_sure() */
	double least;                     /* gain of the whole program under any assumption */
};

/* The lines of a region with both layouts: of all uses, and without optional ones. */
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

/* Returns whether samples show that a loop's jumps are guessed wrong: they follow jumps, and many
 * wait for no access. In two loops whose jumps depended on random flags, 28 and 44 % followed jumps
 * and 15 and 19 % waited for no access; in loops of predictable jumps, one of the two was low. */
static bool jumps_are_wrong(const struct advice_region *region)
{
	double samples = (double)region->samples,
	       alone = samples - (double)region->charged - (double)region->others;

	return (double)region->after_jumps > JUMPS_AFTER * samples && alone > JUMPS_ALONE * samples;
}

/* Sets what the samples of a region tell about its jumps and its computation. The instructions that
 * follow a jump that was guessed wrong have samples of its cost. Samples with other causes are
 * there, too, and some of the cost is hidden while lines arrive. */
static void assume_region(const struct comparison *comparison, const struct advice_region *region,
			  const struct touches *old, struct assumption *assumption)
{
	double after = (double)region->after_jumps,
	       jump = JUMP_CYCLES * cycle_time(comparison->old.machine);

	struct iteration plain =
		iteration(comparison->old.machine, region, old, &comparison->old_set, assumption);
	double share = fmin((after + 2 * sqrt(after) + 1) / (double)region->samples, 1),
	       time = JUMPS_BEHIND * plain.time * share / fmax(1 - share, TIME_LEFT_MIN);

	double most = 0;

	array_each (const struct advice_use, use, region->uses, region->use_count)
		if (use->sometimes && !advice_use_is_rare(use))
			most = fmax(most, use->most > 0 ? use->most : 1);
	assumption->rare = fmax(assumption->rare, 1 - fmin(most, 1));
	if (jumps_are_wrong(region))
		assumption->missed += JUMPS_MORE;
	assumption->jumps =
		fmin(region->choices * assumption->missed, assumption->seen * time / jump);
}

/* Returns whether jumps of a loop compare objects that are visited in no order, or those of lists
 * that are searched, or begun by a loop around it, as in the buckets of a hash table. Samples at
 * the load that such a jump waits for are of three causes: the line, the computation that led to
 * it, and the jumps before it that were guessed wrong. */
static bool compares_scattered(const struct advice_region *region)
{
	bool lists = region->searches || (region->inner && region->choices > 0);

	return region->loop && (lists || region->choices > 0 || region->inner) &&
	       any_of(i, 0, region->use_count, ({
			      const struct advice_use *use = &region->uses[i];
			      enum advice_walk walk = use->walk ?: use->outer;

			      walk == WALK_SCATTERED || (lists && walk == WALK_CHASE);
		      }));
}

/* Returns the gain of a region whose other accesses, to other types, take as long as now. */
static double gain_beside(const struct advice_region *region, double gain)
{
	double others = (double)region->others / (double)region->samples;

	return gain > 1 ? 1 / (others + (1 - others) / gain) : gain;
}

static double region_gain(const struct comparison *comparison, const struct advice_region *region,
			  const struct replayed_region *replayed, struct assumption assumption)
{
	const struct advice_machine *machine = comparison->old.machine;
	double charged = (double)region->charged, samples = (double)region->samples,
	       most = (charged + 2 * sqrt(charged) + 1) / samples;
	lower_to(most, 1 - TIME_LEFT_MIN);
	assume_region(comparison, region, replayed->old, &assumption);

	struct iteration old =
		iteration(machine, region, replayed->old, &comparison->old_set, &assumption);

	struct iteration new =
		iteration(machine, region, replayed->new, &comparison->new_set, &assumption);
	double ratio = old.memory > 0 ? new.memory / old.memory : 1,
	       cap = gain_of_share(most, ratio), gain;

	if (region->loop && region->cycles > 0 && !region->calls && new.time > 0)
		gain = gain_beside(region, old.time / new.time);
	else
		gain = gain_of_share(assumption.waits * charged / samples, ratio);
	if (compares_scattered(region) && ratio < 1 && assumption.lines < 1) {
		double lines = assumption.lines *
			       (comparison->old.type->objects.often > 0 ? OFTEN_LINES : 1);

		gain = fmin(gain, gain_of_share(lines * charged / samples, ratio));
	}
	/* samples do not limit a loss: the code may wait for lines that it does not wait for now */
	return gain > cap && cap >= 1 ? cap : gain;
}

/* ---- ranges ---- */

/* The ends of a range move outwards by these shares of their gains, because no machine is quite
 * like the model. The high end moves further, because the model leaves out two effects of a denser
 * layout: it needs fewer pages, and compilers use vector instructions for fields side by side. */
#define MODEL_ERROR_LOW     0.25
#define MODEL_ERROR_HIGH    0.5
#define MEASURED_ERROR_LOW  0.4  /* the same if the costs of lines were measured, */
#define MEASURED_ERROR_HIGH 0.05 /* with the pages */
/* Nearly all of the time is saved: the computation that is left may be so much more of it. */
#define LARGE_GAIN  2.2
#define LEFT_BESIDE 0.08

double replay_whole_gain(const struct advice_type *type, const double *gains, uint64_t total)
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
	bool measured; /* the costs of lines were */
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

	*outcomes = (struct outcomes){ .type = type,
				       .measured = comparison->old.machine->costs.known,
				       .columns = regions + EXTRA_COLUMNS };
	choices_init(outcomes->choices, comparison->old.machine, type, comparison->old_set.most);
	outcomes->count = combination_count(outcomes->choices);
	outcomes->gains = xcalloc(outcomes->count * outcomes->columns, sizeof(double));
	outcomes->assumptions = xcalloc(outcomes->count, sizeof(struct assumption));
	for (size_t k = 0; k < regions; k++)
		replay_region(comparison, &type->regions[k], &replayed[k]);
	for (size_t i = 0; i < outcomes->count; i++) {
		double *gains = &outcomes->gains[i * outcomes->columns];

		outcomes->assumptions[i] = assumption_at(outcomes->choices, i);
		array_indexed (const struct advice_region, region, k, type->regions, regions)
			gains[k] = region->samples && region->use_count
					   ? region_gain(comparison, region, &replayed[k],
							 outcomes->assumptions[i])
					   : 1;
		gains[regions + COLUMN_WHOLE] = replay_whole_gain(type, gains, type->total);
		gains[regions + COLUMN_OWN] = replay_whole_gain(type, gains, type->own_total);
	}
	for (size_t k = 0; k < regions; k++)
		replayed_region_deinit(&replayed[k]);
}

struct weighted {
	double gain, weight;
};

COMPARISON(compare_weighted, struct weighted, ASCENDING(gain))

static struct advice_range likely_range(const struct outcomes *outcomes, size_t column)
{
	double low = outcomes->measured ? MEASURED_ERROR_LOW : MODEL_ERROR_LOW,
	       high = outcomes->measured ? MEASURED_ERROR_HIGH : MODEL_ERROR_HIGH;
	_cleanup_free_ struct weighted *sorted = xcalloc(outcomes->count, sizeof(*sorted));
	struct advice_range range = { 0 };
	double sum = 0;

	for (size_t i = 0; i < outcomes->count; i++)
		sorted[i] = (struct weighted){ outcomes->gains[i * outcomes->columns + column],
					       outcomes->assumptions[i].weight };
	array_sort(sorted, outcomes->count, compare_weighted);
	for (size_t i = 0; i < outcomes->count; i++) {
		/* sums of weights are not exact */
		if (sum <= TAIL + WEIGHT_ERROR)
			range.low = sorted[i].gain;
		if (sum < 1 - TAIL - WEIGHT_ERROR)
			range.high = sorted[i].gain;
		sum += sorted[i].weight;
	}
	if (range.low > LARGE_GAIN)
		range.low = 1 / (1 / range.low + LEFT_BESIDE);
	else
		range.low -= low * fabs(range.low - 1);
	range.high += high * fabs(range.high - 1);
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

	array_indexed (const struct assumption, assumption, i, outcomes->assumptions,
		       outcomes->count) {
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

/* The options that tell the facts that are missing. */
#define MEASURE ": --replay measures the visits, and dtprof try the program"

const char *advice_size_text(double bytes, char text[32])
{
	if (bytes < 10 * 1024)
		snprintf(text, 32, "%.0f bytes", bytes);
	else if (bytes < 10 * 1024 * 1024)
		snprintf(text, 32, "%.0f KB", bytes / 1024);
	else
		snprintf(text, 32, "%.0f MB", bytes / (1024 * 1024));
	return text;
}

/* Writes the lines of a visit with `digits` after the point to the text, and returns it: "1.25", or
 * "1.01-1.25" if visits may leave some of them out. */
static const char *lines_text(double few, double all, int digits, char text[32])
{
	if (few < SURE * all)
		snprintf(text, 32, "%.*f-%.*f", digits, few, digits, all);
	else
		snprintf(text, 32, "%.*f", digits, all);
	return text;
}

const char *advice_visit_text(const struct advice_prediction *prediction, bool new, int digits,
			      char text[32])
{
	return new ? lines_text(prediction->new_few, prediction->new_lines, digits, text)
		   : lines_text(prediction->old_few, prediction->old_lines, digits, text);
}

static const char *const level_names[] = { "L1", "L2", "L3", "memory" };

#define UNKNOWN_MAX 0.5 /* share of samples without a known type; nothing is predicted above it */
#define TOTAL_MIN   500 /* fewer samples do not show that a share is small */

/* Returns whether code with the type takes too little time, with unknown types' share. */
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
		return arena_format(arena,
				    "%.1f%% of the samples wait for accesses of no known type, "
				    "which may be of this one",
				    100 * (double)type->unknown / (double)type->total);
	if (samples < SAMPLES_MIN)
		return arena_format(
			arena,
			"too few samples: %" PRIu64 " are in code that uses the type, and %d are "
			"needed; record %.0f times as long",
			samples, SAMPLES_MIN, ceil(SAMPLES_MIN / (double)(samples ?: 1)));
	return NULL;
}

/* Returns the bytes that have to stay in a cache for the code that uses the type, on average. */
static double room_in_use(struct replay *replay, const struct line_set *set)
{
	double room = 0, all = 0;

	array_each (const struct advice_region, region, replay->type->regions,
		    replay->type->region_count) {
		struct touches touches;

		touches_init(&touches, replay, region);
		array_each (const struct touch, touch, touches.items, touches.count) {
			double weight = (double)region->samples * touch->often * touch->lines;

			room += weight * (touch->room ?: 1) * set->l1;
			all += weight;
		}
		touches_deinit(&touches);
	}
	return all > 0 ? room / all : set->l1;
}

/* Returns whether a visit touches fewer lines with the new layout; or about as many, while those
 * that are used often take less room in caches: a line has the fields of several objects. */
static bool saves_lines(struct comparison *comparison, const struct advice_prediction *prediction)
{
	return prediction->old_lines > prediction->new_lines + SAME_LINES ||
	       (prediction->new_lines <= ABOUT_LINES * prediction->old_lines + SAME_LINES &&
		room_in_use(&comparison->new, &comparison->new_set) <
			SAME_ROOM * room_in_use(&comparison->old, &comparison->old_set));
}

/* Returns why a layout with these figures gains nothing. */
static const char *no_gain_reason(struct comparison *comparison, const struct advice_type *type,
				  const struct advice_prediction *prediction, struct arena *arena)
{
	const struct advice_machine *machine = comparison->old.machine;
	double share = (double)advice_region_samples(type) / (double)type->total;
	char set[32], room[32], before[32], after[32];
	double most = comparison->old_set.l1 * comparison->old_set.most;
	int level = cache_level_of(machine, most);

	if (!advice_any_use(type, use->walk >= WALK_STREAM))
		return "each loop uses one object, whose lines stay in L1";
	if (is_elsewhere(type))
		return arena_format(
			arena,
			"time is spent elsewhere: %.1f%% of the samples are in code that uses it",
			100 * share);
	if (fabs(prediction->old_lines - prediction->new_lines) <= SAME_LINES &&
	    !saves_lines(comparison, prediction))
		return arena_format(arena,
				    "a visit by one function touches %s line%s with either layout",
				    advice_visit_text(prediction, false, 1, before),
				    prediction->old_lines < 1.05 ? "" : "s");
	advice_visit_text(prediction, false, 2, before);
	advice_visit_text(prediction, true, 2, after);
	if (prediction->old_lines < prediction->new_lines)
		return arena_format(arena,
				    "a visit by one function would touch %s lines in place of %s",
				    after, before);
	if (type->samples < CHARGED_MIN)
		return arena_format(
			arena, "nothing waits for it: %" PRIu64 " sample%s charged to its fields",
			type->samples, type->samples == 1 ? " is" : "s are");
	if (comparison->old_set.l1 > 0 && level < LEVEL_MEMORY)
		return arena_format(
			arena, "%s %s in use %s in %s (%s%s)%s",
			comparison->old_set.most > 1.05 || comparison->old_sure < SURE ? "at most"
										       : "the",
			advice_size_text(most, set),
			most > FULL_FROM * own_cache_size(machine, level) ? "would just fit"
									  : "stay",
			level_names[level], advice_size_text(own_cache_size(machine, level), room),
			own_cache_size(machine, level) < machine->sizes[level]
				? " of it for this program"
				: "",
			level <= LEVEL_L2 ? "; fewer instructions, or misses of L1, are not "
					    "predicted"
					  : "");
	if (lines_walk_share(type, WALK_CHASE) > ALL_SHARE)
		return arena_format(arena,
				    "each step waits for one line: the others of the object arrive "
				    "at the same time, %s in place of %s",
				    after, before);
	if (prediction->whole.high < 1.005)
		return arena_format(arena,
				    "less than 1%% faster: %.1f%% of the samples wait for it",
				    100 * (double)type->samples / (double)type->total);
	return arena_format(arena,
			    "at most %.2f times faster: %.1f%% of the samples wait for it, and a "
			    "visit by one function touches %s lines in place of %s",
			    prediction->whole.high,
			    100 * (double)type->samples / (double)type->total, after, before);
}

/* Returns the number of objects above which the lines in use do not fit into L2. */
static double objects_beyond(const struct comparison *comparison, uint64_t cacheline)
{
	struct replay old = comparison->old;
	double lines = lines_of_object(&old, cacheline, REGION_SHARE);

	return lines > 0 ? (double)comparison->old.machine->sizes[LEVEL_L2] /
				   (lines * (double)cacheline)
			 : 0;
}

/*
 * Returns whether all lines in use stay in L2, and other instructions hide most of its latency:
 * moving lines into L1 was measured to make programs 0.7 to 1.6 times as fast, whatever was
 * predicted. They do not hide that of a chase, if it is most of the time.
 */
static bool stays_near(const struct comparison *comparison, const struct advice_type *type,
		       const struct advice_prediction *prediction)
{
	double most = comparison->old_set.l1 * comparison->old_set.most;

	if (comparison->old.machine->costs.known &&
	    lines_walk_share(type, WALK_CHASE) > ALL_SHARE && prediction->whole.low >= NEAR_CHASE)
		return false;
	return comparison->old_set.l1 > 0 &&
	       cache_level_of(comparison->old.machine, most) <= LEVEL_L2;
}

/* Objects that are visited in no known order may still be visited together with those beside them,
 * as the fields around one on a map are: the prediction leaves out that they then share lines. */
static const char *cannot_tell_reason(const struct comparison *comparison,
				      const struct advice_type *type,
				      const struct advice_prediction *prediction,
				      struct arena *arena)
{
	const struct advice_machine *machine = comparison->old.machine;
	bool shares = type->objects.array && lines_are_visited(type) &&
		      comparison->new.proposal->parts[0].size <= machine->cacheline / 2;

	return arena_format(
		arena,
		"%.2f to %.2f times faster by the formula, which may be wrong by more%s"
		"%s%s" MEASURE,
		prediction->whole.low, prediction->whole.high,
		prediction->width ? "; it depends most on " : "", prediction->width ?: "",
		shares ? ", and more if objects side by side are visited together" : "");
}

/*
 * Returns the share of all samples, 0 to 1, that are in loops which visit objects of the type in no
 * order, but are charged to no access. A jump that compares a field may have waited for it there:
 * samples of jumps that were guessed wrong look the same.
 */
static double behind_jumps(const struct advice_type *type)
{
	double samples = 0;

	array_each (const struct advice_region, region, type->regions, type->region_count) {
		if (region->loop && region->choices > 0 &&
		    region->samples > region->charged + region->others &&
		    any_of(k, 0, region->use_count, region->uses[k].walk >= WALK_CHASE))
			samples += (double)(region->samples - region->charged - region->others);
	}
	return type->total ? samples / (double)type->total : 0;
}

static const char *gain_reason(struct comparison *comparison,
			       const struct advice_prediction *prediction, struct arena *arena)
{
	const struct advice_machine *machine = comparison->old.machine;
	const struct line_set *old = &comparison->old_set, *new = &comparison->new_set;
	/* if visits go to an unknown share of the elements, the heading has the lines of all */
	bool all = comparison->old.type->objects.often > 0;
	double old_bytes = old->l1 * (all ? old->most : 1),
	       new_bytes = new->l1 *(all ? new->most : 1);
	char before[32], after[32], old_lines[32], new_lines[32];
	const char *old_most = comparison->old_sure < SURE ? "at most " : "",
		   *new_most = comparison->new_sure < SURE ? "at most " : "";

	advice_visit_text(prediction, false, 2, old_lines);
	advice_visit_text(prediction, true, 2, new_lines);
	if (prediction->new_lines > prediction->old_lines)
		return arena_format(
			arena,
			"the lines that are used most of the time shrink from %s%s to %s%s, "
			"while a visit touches %s in place of %s",
			old_most, advice_size_text(room_in_use(&comparison->old, old), before),
			new_most, advice_size_text(room_in_use(&comparison->new, new), after),
			new_lines, old_lines);
	advice_size_text(old_bytes, before);
	advice_size_text(new_bytes, after);
	if (old->crowding > new->crowding)
		return arena_format(arena,
				    "the lines in use, %s%s, have one of %.0f sets of the caches, "
				    "as objects are a multiple of %" PRIu64
				    " bytes apart; the new ones, %s%s, have %s",
				    old_most, before, old->crowding,
				    (uint64_t)old->crowding * machine->cacheline, new_most, after,
				    new->crowding > 1 ? "fewer" : "all sets");
	if (!strcmp(before, after))
		return arena_format(arena, "the lines that a visit touches shrink from %s to %s",
				    old_lines, new_lines);
	return arena_format(
		arena,
		"the lines in use shrink from %s%s (%s) to %s%s (%s), those of a visit from "
		"%s to %s",
		old_most, before, level_names[cache_level_of(machine, old_bytes)], new_most, after,
		level_names[cache_level_of(machine, new_bytes)], old_lines, new_lines);
}

/* Returns the low end of a gain that is advised. */
static double least_promise(const struct comparison *comparison, const struct advice_type *type)
{
	const struct replay *old = &comparison->old, *new = &comparison->new;

	if (!lines_are_visited(type))
		return GAIN_MIN;
	return (double)lines_distance(new, new->proposal->parts) <
			       SAME_ROOM * (double)lines_distance(old, old->proposal->parts)
		       ? VISIT_GAIN
		       : PAGES_GAIN;
}

/* Sets the verdict. Returns the reason for it. */
static const char *find_verdict(struct comparison *comparison, const struct advice_type *type,
				struct advice_prediction *prediction, struct arena *arena)
{
	const struct advice_machine *machine = comparison->old.machine;
	const char *unknown = too_little(type, arena);
	double most = comparison->old_set.l1 * comparison->old_set.most;
	bool near = stays_near(comparison, type, prediction),
	     no_use = is_elsewhere(type) || !advice_any_use(type, use->walk >= WALK_STREAM) ||
		      type->samples < CHARGED_MIN;
	char before[32];

	prediction->unknown = unknown || no_use || !prediction->old_set;
	prediction->verdict = VERDICT_CANNOT_TELL;
	if (unknown)
		return unknown;
	if (no_use || prediction->whole.high < (near ? NEAR_GAIN : GAIN_MIN) ||
	    !saves_lines(comparison, prediction)) {
		prediction->verdict = VERDICT_NO_GAIN;
		return no_gain_reason(comparison, type, prediction, arena);
	}
	if (near)
		return arena_format(
			arena,
			"%s %s in use stay in %s, near enough for other instructions to hide most "
			"of the wait: at most %.2f times faster by its lines alone, or "
			"slower" MEASURE,
			comparison->old_set.most > 1.05 || comparison->old_sure < SURE ? "at most"
										       : "the",
			advice_size_text(most, before), level_names[cache_level_of(machine, most)],
			prediction->whole.high);
	if (!prediction->old_set)
		return arena_format(arena,
				    "how many objects are in use is not known, as no sample has "
				    "the address of its data (record registers with -I); it would "
				    "pay beyond about %.0f objects, which no longer fit in L2",
				    objects_beyond(comparison, machine->cacheline));
	if (prediction->whole.low >= least_promise(comparison, type) &&
	    comparison->least >= NO_LOSS) {
		prediction->verdict = VERDICT_GAIN;
		return gain_reason(comparison, prediction, arena);
	}
	if (prediction->whole.low < 1 - 0.01 || prediction->whole.low >= GAIN_MIN ||
	    prediction->whole.high >= NEAR_GAIN)
		return cannot_tell_reason(comparison, type, prediction, arena);
	prediction->verdict = VERDICT_NO_GAIN;
	return no_gain_reason(comparison, type, prediction, arena);
}

/* Sets the verdict. No gain is excluded while samples that follow jumps may have waited, too; if
 * they have, a promised gain is larger. */
static void judge(struct comparison *comparison, const struct advice_type *type,
		  struct advice_prediction *prediction, struct arena *arena)
{
	prediction->reason = find_verdict(comparison, type, prediction, arena);
	if (prediction->verdict != VERDICT_NO_GAIN || behind_jumps(type) < BEHIND_JUMPS ||
	    stays_near(comparison, type, prediction) || !saves_lines(comparison, prediction))
		return;
	prediction->verdict = VERDICT_CANNOT_TELL;
	prediction->reason =
		arena_format(arena,
			     "%.0f%% of the samples follow jumps in loops that use it, and may "
			     "have waited for what the jumps compare" MEASURE,
			     100 * behind_jumps(type));
}

/* Sets the lines that L1 need not fetch, if the layout is one record with no gain in time. Misses
 * of L1 that L2 serves are mostly hidden, so that they are no time; simulators count them. Objects
 * that L1 has room for are pushed out of it by other data, all lines that code uses in the
 * meantime. */
static void find_spared(struct comparison *comparison, const struct advice_type *type,
			struct advice_proposal *proposal, struct arena *arena)
{
	struct advice_prediction *prediction = &proposal->prediction;
	uint64_t cacheline = comparison->old.machine->cacheline;
	struct advice_spared spared = { .old = prediction->old_lines,
					.new = prediction->new_lines };

	if (comparison->old_set.l1 * comparison->old_set.most <=
	    (double)comparison->old.machine->sizes[LEVEL_L1])
		spared = (struct advice_spared){
			.object = true,
			.old = lines_of_object(&comparison->old, cacheline, SPARED_REGION),
			.new = lines_of_object(&comparison->new, cacheline, SPARED_REGION),
		};
	if (prediction->verdict == VERDICT_GAIN || proposal->part_count > 1 ||
	    spared.new > (1 - SPARED_MIN) * spared.old ||
	    prediction->new_lines > prediction->old_lines + SAME_LINES ||
	    type->samples < CHARGED_MIN || is_elsewhere(type) || too_little(type, arena))
		return;
	spared.share = (double)advice_region_samples(type) / (double)type->total;
	prediction->spared = spared;
}

/* Returns the lines of one object that code touches when it visits the object, averaged over the
 * regions by their samples; `few`: without those that visits may leave out. An iteration may visit
 * several objects. */
static double lines_per_visit(struct replay *replay, bool few)
{
	double lines = 0, samples = 0;

	replay->rare = few;
	replay->whole = true;
	array_each (const struct advice_region, region, replay->type->regions,
		    replay->type->region_count) {
		struct touches touches;

		touches_init(&touches, replay, region);
		if (touches.lines > 0) {
			lines += touches.lines / touches.visits * (double)region->samples;
			samples += (double)region->samples;
		}
		touches_deinit(&touches);
	}
	replay->rare = replay->whole = false;
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
	free_all(outcomes.gains, outcomes.assumptions);
	return least;
}

/* Predicts what a program gains without the false sharing of a type: at least half of what the
 * verdicts on its lines expect, and at most twice the time that samples wait there: a store that
 * waits for a line delays accesses to other lines, too. Code that needs a line for itself in each
 * access gains at least a tenth of that time; plain loads and stores go on for long after a line
 * has arrived, so that the processor may hide all of the wait. */
static void predict_pad(const struct advice_type *type, const struct advice_machine *machine,
			struct advice_prediction *prediction, struct arena *arena)
{
	const struct advice_shared *shared = &type->shared;
	double least = advice_any_use(type, use->atomic) ? PAD_LEAST * shared->waits : 0;

	prediction->whole = prediction->own = (struct advice_range){
		gain_of_share(fmax(shared->saved / 2, least), 0),
		gain_of_share(fmin(fmax(2 * shared->waits, shared->saved), PAD_MOST), 0)
	};
	if (prediction->whole.low < GAIN_MIN) {
		prediction->verdict = VERDICT_CANNOT_TELL;
		prediction->reason = "the samples do not show what sharing a line costs: count "
				     "HITM events, or measure (--replay, dtprof try)";
		return;
	}
	prediction->verdict = VERDICT_GAIN;
	prediction->width = "what an access costs without false sharing";
	prediction->reason = arena_format(
		arena,
		"%s of different threads share lines, where %.0f%% of the samples are; with "
		"_Alignas(%" PRIu64 ") they do not (dtprof c2c report)",
		shared->objects ? "objects" : "fields", 100 * shared->waits, machine->cacheline);
}

/* If no address tells how many objects there are, the best case is assumed: none is in a cache. */
#define SET_UNKNOWN 1e15

/* Small objects share lines: no more are in use than lie between their addresses. */
static void limit_sets(struct comparison *comparison, double room)
{
	double share = room / comparison->old_set.l1;

	if (room <= 0 || share >= 1)
		return;
	comparison->old_set.l1 *= share;
	comparison->old_set.beyond *= share;
	comparison->new_set.l1 *= share;
	comparison->new_set.beyond *= share;
}

/* Leaves the lines of those objects that visits go to: they lie among the others. */
static void limit_often(const struct comparison *comparison, double lines, double often,
			struct line_set *set)
{
	double share = lines * (double)comparison->old.machine->cacheline * often / set->l1;

	if (often <= 0 || share <= 0 || share >= 1)
		return;
	set->l1 *= share;
	set->beyond *= share;
	set->most /= share;
}

void replay_predict(const struct advice_type *type, const struct advice_machine *machine,
		    struct advice_proposal *proposal, struct arena *arena)
{
	_cleanup_free_ struct part_bytes *old_parts =
		xcalloc(type->current.part_count + 1, sizeof(*old_parts));
	_cleanup_free_ struct part_bytes *new_parts =
		xcalloc(proposal->part_count + 1, sizeof(*new_parts));
	struct comparison comparison = {
		.old = { type, machine, &type->current, old_parts, false, false },
		.new = { type, machine, proposal, new_parts, false, false },
	};
	struct advice_prediction *prediction = &proposal->prediction;
	double count = type->objects.estimate;

	comparison.old_set = comparison.new_set =
		(struct line_set){ SET_UNKNOWN, SET_UNKNOWN, SET_UNKNOWN, 1, 1 };
	if (count > 0) {
		comparison.old_set = lines_in_use(&comparison.old, count);
		comparison.new_set = lines_in_use(&comparison.new, count);
	}
	limit_sets(&comparison, type->objects.room);
	comparison.old_set.most = comparison.new_set.most =
		advice_most_factor(&type->objects, comparison.old_set.l1);
	comparison.old_sure = lines_are_some(type) ? 0 : lines_sure(&comparison.old);
	comparison.new_sure = lines_are_some(type) ? 0 : lines_sure(&comparison.new);
	*prediction = (struct advice_prediction){
		.regions =
			arena_alloc(arena, (type->region_count + 1) * sizeof(*prediction->regions)),
		.old_lines = lines_per_visit(&comparison.old, false),
		.new_lines = lines_per_visit(&comparison.new, false),
		.old_few = lines_per_visit(&comparison.old, true),
		.new_few = lines_per_visit(&comparison.new, true),
		.old_set = count > 0 ? (uint64_t)comparison.old_set.l1 : 0,
		.new_set = count > 0 ? (uint64_t)comparison.new_set.l1 : 0,
		.least_set = count > 0 ? (uint64_t)(comparison.old_set.l1 * comparison.old_sure *
						    (type->objects.least ?: count) / count)
				       : 0,
	};
	limit_often(&comparison, prediction->old_lines, type->objects.often, &comparison.old_set);
	limit_often(&comparison, prediction->new_lines, type->objects.often, &comparison.new_set);
	comparison.least = predict_ranges(&comparison, type, proposal, prediction);
	if (proposal->kind == PROPOSAL_PAD) {
		predict_pad(type, machine, prediction, arena);
		return;
	}
	judge(&comparison, type, prediction, arena);
	find_spared(&comparison, type, proposal, arena);
}
