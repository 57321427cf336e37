// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements costs.h: what was measured on the machine, or tables for machines of its kind with the
 * choice of the caches that have room for the lines in use.
 */
#include "report/layout/costs.h"

#include <math.h>

#define FITS_BELOW   0.8 /* of a cache's size: lines in use that all stay in it */
#define MISSES_FROM  1.5 /* of a cache's size: lines in use that are gone when needed again */
#define CHASE_MISSES 1.0 /* the same for a chase: what comes next was used longest ago */
#define SPARSE_BELOW 0.5 /* of the lines that a stream passes: it costs the most for each */
#define CHASED       1.7 /* times the cost of such lines, if each step finds the next one */

struct cost_range {
	double low, high;
};

/* Nanoseconds that one line costs more than one in L1, by where it is: the ends of the range within
 * which machines of one kind differ. `write` multiplies the cost of a line that is also written. */
struct machine_costs {
	struct cost_range lines[WALK_SCATTERED + 1][LEVEL_COUNT];
	/* a line of a stream that leaves out most of the lines that it passes */
	struct cost_range sparse[LEVEL_COUNT];
	double write[LEVEL_COUNT];
	/* a line beside the first one of a visit, as a share of the cost of a visit in no order */
	struct cost_range beside;
};

/*
 * Machines whose cores share a small L3, a few cycles away from each other: desktop processors, and
 * the core complexes of AMD's. Sources: Intel 64 and IA-32 Architectures Optimization Reference
 * Manual, "Cache hierarchy" (4 to 5 cycles for L1, 14 for L2, 40 to 70 for L3); loops over arrays
 * of 16 KB to 256 MB, timed on Zen 4 at 3.6 GHz, gave 0.3 (0.8 if the stream leaves out lines), 0.6
 * and 2.5 ns for streams, 3, 13 to 15 and 110 to 180 ns for chases, and 0.1, 0.2 to 1 and 7
 * to 10 ns for visits in no order that do not depend on each other.
 *
 * A stream in memory that uses every second, third or fourth line took 6.4 to 7.2 ns for each, two
 * of three lines 3.0 to 4.9 ns and three of four 5.8 ns, but all of them 2.0 to 3.0: prefetchers
 * fetch the lines after those used. A list whose objects lie in order takes as long as a stream if
 * it uses all lines, else 11 to 13 ns for each.
 */
static const struct machine_costs near_costs = {
	.lines = {
		[WALK_STREAM] = { { 0, 0 }, { 0.2, 0.9 }, { 0.5, 1 }, { 2.2, 3.2 } },
		[WALK_CHASE] = { { 0, 0 }, { 2.5, 4 }, { 10, 25 }, { 80, 190 } },
		[WALK_SCATTERED] = { { 0, 0 }, { 0.2, 1 }, { 0.6, 4 }, { 7, 14 } },
	},
	.sparse = { { 0, 0 }, { 0.2, 0.9 }, { 0.7, 1.2 }, { 4.5, 7.5 } },
	.write = { 1, 1, 1.5, 1.5 },
	.beside = { 0, 0.5 },
};

/*
 * The slices of a large L3 lie on a mesh across the whole processor, and a core has few requests to
 * it at a time: L3 is nearly as slow as memory, also for streams. The same loops on a server
 * processor of 2023 with 260 MB of L3, in a virtual machine, gave 0.4, 2.4 and 5 to 6.3 ns for
 * streams, 4, 130 and 145 to 215 ns for chases, 0.6, 3 to 5.4 and 11 to 20 ns for visits in no
 * order (1.4 times as long with a second line beside the first one), and 1.4, 2.7 and 5.5 ns for
 * streams that write: L1 hands a written line to L2 before it gets another one. Streams that leave
 * out lines were not timed there: the lines that are fetched beside them are assumed to be lost.
 */
static const struct machine_costs mesh_costs = {
	.lines = {
		[WALK_STREAM] = { { 0, 0 }, { 0.2, 0.5 }, { 1.7, 3 }, { 4.5, 6.5 } },
		[WALK_CHASE] = { { 0, 0 }, { 2.5, 4 }, { 60, 140 }, { 110, 215 } },
		[WALK_SCATTERED] = { { 0, 0 }, { 0.2, 1 }, { 2.5, 5.5 }, { 11, 20 } },
	},
	.sparse = { { 0, 0 }, { 0.2, 0.9 }, { 2, 6 }, { 5, 13 } },
	.write = { 1, 3, 1.1, 1 },
	.beside = { 0.2, 0.5 },
};

#define MESH_L3 (128.0 * 1024 * 1024) /* bytes of one instance: no smaller one needs a mesh */

static const struct machine_costs *costs_of(const struct advice_machine *machine)
{
	return (double)machine->sizes[LEVEL_L3] > MESH_L3 ? &mesh_costs : &near_costs;
}

/* ---- caches ---- */

/*
 * Bytes of L3 that a core of a server processor has for itself when all of them are busy: 1.4 to
 * 2.5 MB (Intel since Skylake-SP) to 4 MB (AMD since Zen 2). A machine that shows more of it for
 * each of its processors is a virtual one: the rest belongs to others.
 */
#define L3_PER_PROCESSOR (4.0 * 1024 * 1024)

double own_cache_size(const struct advice_machine *machine, int level)
{
	double size = (double)machine->sizes[level], usual = machine->processors * L3_PER_PROCESSOR;

	return level == LEVEL_L3 && usual > 0 && usual < size ? usual : size;
}

int cache_level_of(const struct advice_machine *machine, double set)
{
	for (int level = LEVEL_L1; level < LEVEL_MEMORY; level++)
		if (set <= own_cache_size(machine, level))
			return level;
	return LEVEL_MEMORY;
}

/* Returns the share of accesses that hit a cache, 0 to 1, in a loop over `set` bytes. The program's
 * own part of the cache has `size` bytes, and the whole cache has `limit`. */
static double hits(enum advice_walk walk, double set, double size, double limit)
{
	double full = FITS_BELOW * size, none = MISSES_FROM * size;

	/* visits in no order hit by the share of the lines that the cache has room for */
	if (walk == WALK_SCATTERED && set > full)
		return full / set;
	if (walk == WALK_CHASE)
		none = CHASE_MISSES * size;
	/* a share of L3 is not a limit: streams keep lines in the shares of others, too */
	else if (walk == WALK_STREAM && none < limit)
		none = limit;

	if (size <= 0)
		return 0;
	return set <= full ? 1 : set >= none ? 0 : (none - set) / (none - full);
}

/* ---- costs ---- */

/* Returns the cost at `share` (0 to 1) between the ends, by their logarithms. */
static double between(struct cost_range range, double share)
{
	return range.low > 0 ? range.low * pow(range.high / range.low, share) : 0;
}

/* Returns the range of costs of a line of this level. */
static struct cost_range range_of(const struct machine_costs *costs, const struct touch *touch,
				  enum advice_walk walk, int level)
{
	struct cost_range dense = costs->lines[walk][level], sparse = costs->sparse[level];
	double share = fmin((1 - touch->density) / (1 - SPARSE_BELOW), 1);

	if (walk != WALK_STREAM || touch->density <= 0 || share <= 0)
		return dense;
	if (touch->chased)
		sparse = (struct cost_range){ CHASED * sparse.low, CHASED * sparse.high };
	return (struct cost_range){ dense.low + share * (sparse.low - dense.low),
				    dense.high + share * (sparse.high - dense.high) };
}

/* ---- measured costs ---- */

#define NS_PER_CYCLE 0.30 /* at 3.3 GHz */

double cycle_time(const struct advice_machine *machine)
{
	return machine->costs.known ? machine->costs.cycle : NS_PER_CYCLE;
}

#define SPREAD_MOST    1.5 /* by the logarithm: lines farther apart need no more of the TLB */
#define SPARSE_MORE    0.5 /* at most */
#define MEASURED_ERROR 1.2 /* times more or less: programs are not loops of measurements */

/* Returns the ns of a line in no order, over `bytes` of lines in `pages` bytes of memory. */
static double visit_at(const struct memory_costs *costs, enum advice_walk walk, double bytes,
		       double pages)
{
	bool chase = walk == WALK_CHASE;
	double dense = memory_costs_at(costs, chase ? CURVE_CHASE : CURVE_SCATTERED, bytes),
	       spread = memory_costs_at(costs, chase ? CURVE_CHASE_SPREAD : CURVE_SCATTERED_SPREAD,
					bytes),
	       share = pages > bytes ? log(pages / bytes) / log(SPREAD) : 0;

	return dense + fmin(share, SPREAD_MOST) * fmax(spread - dense, 0);
}

/* Returns the ns of a line of a stream over this many bytes. `more`: what gaps that are longer than
 * the measured ones cost, as a share. */
static double stream_at(const struct memory_costs *costs, const struct touch *touch, double bytes,
			double more)
{
	double dense = memory_costs_at(costs, touch->written ? CURVE_WRITTEN : CURVE_STREAM, bytes),
	       share = fmin((1 - touch->density) / (1 - SPARSE_BELOW), 1), sparse;

	if (touch->density <= 0 || share <= 0)
		return dense;
	sparse = memory_costs_at(costs, CURVE_SPARSE, bytes) * (touch->chased ? CHASED : 1) *
		 (1 + more);
	return dense + share * (sparse - dense);
}

/* The same as line_cost(). The curves tell which cache has room for the lines. */
static struct line_cost measured_cost(const struct advice_machine *machine,
				      const struct touch *touch, enum advice_walk walk,
				      const struct line_set *set,
				      const struct cost_assumption *assumption)
{
	const struct memory_costs *costs = &machine->costs;
	double many = pow(set->most, assumption->many) * (touch->room ?: 1),
	       l1 = set->l1 * many * set->crowding, beyond = set->beyond * many,
	       pages = set->pages * many, l2 = (double)machine->sizes[LEVEL_L2], middle, near, one;

	/* L3 finds its sets by more of the address */
	beyond = assumption->l3 * fmax(beyond, fmin(beyond * set->crowding, l2));
	if (l1 <= (double)machine->sizes[LEVEL_L1])
		beyond = l1;
	near = fmin(beyond, l2 / 2);
	if (walk == WALK_STREAM) {
		middle = stream_at(costs, touch, beyond, SPARSE_MORE * assumption->share);
		near = stream_at(costs, touch, near, SPARSE_MORE * assumption->share);
	} else {
		middle = visit_at(costs, walk, beyond, pages);
		near = visit_at(costs, walk, near, near);
	}
	one = middle * pow(MEASURED_ERROR, 2 * assumption->share - 1);
	return (struct line_cost){ .all = one,
				   .far = middle > near ? one * (1 - near / middle) : 0 };
}

struct line_cost line_cost(const struct advice_machine *machine, const struct touch *touch,
			   enum advice_walk order, enum advice_walk walk,
			   const struct line_set *set, const struct cost_assumption *assumption)
{
	const struct machine_costs *costs = costs_of(machine);
	struct line_cost cost = { 0 };
	double left = 1;

	if (machine->costs.known)
		return measured_cost(machine, touch, walk, set, assumption);
	for (int level = LEVEL_L1; level <= LEVEL_MEMORY; level++) {
		struct cost_range range = range_of(costs, touch, walk, level);
		double size = level == LEVEL_L3 ? assumption->l3 : (double)machine->sizes[level],
		       used = (level == LEVEL_L1 ? set->l1 : set->beyond) *
			      pow(set->most, assumption->many) * (touch->room ?: 1) *
			      (level <= LEVEL_L2 ? set->crowding : 1),
		       here = level == LEVEL_MEMORY ? left
						    : left * hits(order, used, size,
								  (double)machine->sizes[level]),
		       one = between(range, assumption->share);

		one *= here * (touch->written ? costs->write[level] : 1);
		cost.all += one;
		cost.far += level >= LEVEL_L3 ? one : 0;
		left -= here;
	}
	return cost;
}

double cost_beside(const struct advice_machine *machine, bool waits,
		   const struct cost_assumption *assumption)
{
	const struct machine_costs *costs = costs_of(machine);
	if (machine->costs.known)
		return machine->costs.beside * (waits ? assumption->share : 1);
	/* what a visit waits for takes far longer than a line that arrives meanwhile */
	double low = waits ? 0 : costs->beside.low;

	return low + (costs->beside.high - low) * assumption->share;
}
