// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements measure_memory_costs().
 *
 * Each loop is timed over sets of lines that grow from 8 KB to beyond L3. The time in 8 KB, where
 * all lines are in L1, is what the loop itself takes, and is taken off. The least of several runs
 * counts: whatever else happens makes a run only longer.
 *
 * Lines in no order come from a linear congruential generator with a full period, which visits each
 * line of a power of two once, needs no memory, and takes the same few cycles in all sets. If lines
 * are chased, what was loaded (always 0) is a part of the next number. Else nothing waits for it: a
 * sum would take the room of further loads in the processor.
 */
#include "profiler/machine/cached_costs.h"

#include <math.h>
#include <sys/mman.h>
#include <time.h>

#include "base/memory.h"

#define LINE         64 /* bytes of a step: shorter lines are then fetched in pairs */
#define WORDS        (LINE / sizeof(uint64_t))
#define LARGEST      ((uint64_t)256 << 20) /* the last point that is measured */
#define L3_FACTOR    4 /* times the largest cache: nearly nothing of it is left there */
#define LEAST        ((uint64_t)64 << 20)
#define MEMORY_SHARE 4 /* the buffer takes one part in so many of the free memory at most */
#define RUNS         9
#define NEAR_RUNS    30 /* in sets that whatever else runs drives out of L1 and L2 */
#define NEAR         ((uint64_t)1 << 20)
#define FILLED       ((uint64_t)32 << 20) /* less of a larger set is in caches anyway */
#define RUN_NS       500000.0             /* of one run */
#define STEPS_MIN    4096
#define PAIRS        101
#define PAIR_STEPS   ((uint64_t)1 << 15) /* some 0.3 ms: shorter than a processor's turn */

double measure_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* ---- loops: each visits `steps` lines of the first `lines` ones ---- */

static void walk_stream(uint64_t *buffer, uint64_t lines, uint64_t steps)
{
	uint64_t a = 0, b = 0;

	for (uint64_t done = 0; done < steps; done += lines)
		for (uint64_t i = 0; i < lines; i += 2) {
			a += buffer[i * WORDS];
			b += buffer[(i + 1) * WORDS];
			KEEP(a);
			KEEP(b);
		}
}

static void walk_sparse(uint64_t *buffer, uint64_t lines, uint64_t steps)
{
	uint64_t a = 0, b = 0;

	/* half as many lines as the set has: two passes are as many steps */
	for (uint64_t done = 0; done < steps; done += lines / 2)
		for (uint64_t i = 0; i < lines; i += 4) {
			a += buffer[i * WORDS];
			b += buffer[(i + 2) * WORDS];
			KEEP(a);
			KEEP(b);
		}
}

static void walk_written(uint64_t *buffer, uint64_t lines, uint64_t steps)
{
	for (uint64_t done = 0; done < steps; done += lines)
		for (uint64_t i = 0; i < lines; i += 2) {
			uint64_t a = buffer[i * WORDS], b = buffer[(i + 1) * WORDS];

			KEEP(a);
			KEEP(b);
			buffer[i * WORDS] = a;
			buffer[(i + 1) * WORDS] = b;
		}
}

/* Runs go on where the last one ended: lines that it has visited are in caches. */
static uint64_t generator;

/* The upper bits of the state are the more random ones. */
#define LINE_OF(state, lines) ((state) >> (64 - (unsigned int)__builtin_ctzll(lines)))

/* One of SPREAD lines, chosen so that all sets of the caches have as many. */
#define SPREAD_LINE(line) ((line)*SPREAD + (((line) >> 4 ^ (line) >> 10) & (SPREAD - 1)))

/* Defines a loop in no order over the lines that `place` makes of numbers below `lines`. */
#define DEFINE_WALKS(chase, scattered, place)                                                      \
	static void chase(uint64_t *buffer, uint64_t lines, uint64_t steps)                        \
	{                                                                                          \
		uint64_t state = generator;                                                        \
                                                                                                   \
		for (uint64_t i = 0; i < steps; i++) {                                             \
			uint64_t loaded = buffer[place(LINE_OF(state, lines)) * WORDS];            \
                                                                                                   \
			KEEP(loaded);                                                              \
			state = state * MULTIPLIER + INCREMENT + loaded;                           \
		}                                                                                  \
		generator = state;                                                                 \
	}                                                                                          \
	static void scattered(uint64_t *buffer, uint64_t lines, uint64_t steps)                    \
	{                                                                                          \
		uint64_t state = generator;                                                        \
                                                                                                   \
		for (uint64_t i = 0; i < steps; i++) {                                             \
			uint64_t loaded = buffer[place(LINE_OF(state, lines)) * WORDS];            \
                                                                                                   \
			KEEP(loaded);                                                              \
			state = state * MULTIPLIER + INCREMENT;                                    \
		}                                                                                  \
		generator = state;                                                                 \
	}

#define SAME_LINE(line) (line)

DEFINE_WALKS(walk_chase, walk_scattered, SAME_LINE)
DEFINE_WALKS(walk_chase_spread, walk_scattered_spread, SPREAD_LINE)

static void fill_spread(uint64_t *buffer, uint64_t lines)
{
	for (uint64_t line = 0; line < lines; line++) {
		uint64_t loaded = buffer[SPREAD_LINE(line) * WORDS];

		KEEP(loaded);
	}
}

static void walk_pairs(uint64_t *buffer, uint64_t lines, uint64_t steps)
{
	uint64_t state = generator;

	for (uint64_t i = 0; i < steps; i++) {
		uint64_t line = LINE_OF(state, lines), one = buffer[line * WORDS],
			 two = buffer[((line + 1) & (lines - 1)) * WORDS];

		KEEP(one);
		KEEP(two);
		state = state * MULTIPLIER + INCREMENT;
	}
	generator = state;
}

typedef void walk(uint64_t *buffer, uint64_t lines, uint64_t steps);

/* Returns the least ns of a step over the first `lines` lines. */
static double time_walk(walk *walk, uint64_t *buffer, uint64_t lines)
{
	uint64_t steps = lines > STEPS_MIN ? lines : STEPS_MIN;
	bool passes = walk == walk_stream || walk == walk_sparse || walk == walk_written;
	int runs = lines * LINE <= NEAR ? NEAR_RUNS : RUNS;
	double least = INFINITY;

	if (!passes)
		steps = STEPS_MIN;
	for (int run = 0; run < runs; run++) {
		double start, time;

		/* Whatever else runs has taken the caches since. A pass in order fills them; one in
		 * no order over a large set would take too long. */
		if (lines * LINE <= FILLED || !run) {
			if (walk == walk_chase_spread || walk == walk_scattered_spread)
				fill_spread(buffer, lines);
			else
				walk_stream(buffer, lines, lines);
		}
		start = measure_time();
		walk(buffer, lines, steps);
		time = measure_time() - start;
		least = fmin(least, time / (double)steps);
		if (time < RUN_NS / 2 && run < runs - 1) {
			/* the clock is too coarse for so few steps, and the set not in its cache */
			steps *= passes ? 2 : 4;
			least = INFINITY;
			run = steps > UINT64_C(1) << 32 ? run : -1;
		}
	}
	return least;
}

/* An addition to what was added before takes one cycle. */
double measure_cycle(void)
{
	enum { ADDITIONS = 2000000 };
	double least = INFINITY;

	for (int run = 0; run < RUNS; run++) {
		double start = measure_time();
		uint64_t value = (uint64_t)run;

		for (int i = 0; i < ADDITIONS; i += 8) {
			value += 3;
			KEEP(value);
			value += 3;
			KEEP(value);
			value += 3;
			KEEP(value);
			value += 3;
			KEEP(value);
			value += 3;
			KEEP(value);
			value += 3;
			KEEP(value);
			value += 3;
			KEEP(value);
			value += 3;
			KEEP(value);
		}
		least = fmin(least, (measure_time() - start) / ADDITIONS);
	}
	return least;
}

/* Returns the bytes of the largest set: far more than caches, if there is the memory. */
static uint64_t largest_set(void)
{
	long cache = sysconf(_SC_LEVEL3_CACHE_SIZE), pages = sysconf(_SC_AVPHYS_PAGES);
	uint64_t wanted = cache > 0 ? L3_FACTOR * (uint64_t)cache : LARGEST,
		 room = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / MEMORY_SHARE
				  : 0,
		 size = CURVE_FIRST;

	if (wanted < LEAST)
		wanted = LEAST;
	if (wanted > LARGEST)
		wanted = LARGEST;
	while (size < wanted && 2 * size <= room)
		size *= 2;
	return size;
}

static void measure_curve(walk *walk, uint64_t *buffer, uint64_t size, double ns[CURVE_POINTS])
{
	bool spread = walk == walk_chase_spread || walk == walk_scattered_spread;
	double own = 0, last = 0;

	for (int point = 0; point < CURVE_POINTS; point++) {
		uint64_t bytes = memory_costs_bytes(point);

		if (bytes * (spread ? SPREAD : 1) <= size) {
			double time = time_walk(walk, buffer, bytes / LINE);

			own = point ? own : time;
			last = fmax(time - own, 0);
		}
		ns[point] = last;
	}
	/* a larger set is never faster: what took longer was disturbed */
	for (int point = CURVE_POINTS - 2; point >= 0; point--)
		ns[point] = fmin(ns[point], ns[point + 1]);
}

COMPARISON(compare_ratios, double, BY_VALUE)

/* Returns the cost of a line beside one that is visited in no order, as a share of that one's.
 * Other programs change what memory costs from one millisecond to the next, so that only visits
 * right after each other are compared. */
static double measure_beside(uint64_t *buffer, uint64_t lines)
{
	double ratios[PAIRS];

	for (int pair = 0; pair < PAIRS; pair++) {
		double start = measure_time(), one, two;

		walk_scattered(buffer, lines, PAIR_STEPS);
		one = measure_time() - start;
		start = measure_time();
		walk_pairs(buffer, lines, PAIR_STEPS);
		two = measure_time() - start;
		ratios[pair] = two / fmax(one, 1);
	}
	array_sort(ratios, PAIRS, compare_ratios);
	return fmin(fmax(ratios[PAIRS / 2] - 1, 0), 1);
}

bool measure_memory_costs(struct memory_costs *costs)
{
	static walk *const walks[CURVE_COUNT] = { walk_stream,          walk_sparse,
						  walk_written,         walk_chase,
						  walk_scattered,       walk_chase_spread,
						  walk_scattered_spread };
	uint64_t size = largest_set();
	uint64_t *buffer;

	*costs = (struct memory_costs){ 0 };
	if (size < LEAST)
		return false;
	buffer = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (buffer == MAP_FAILED)
		return false;
	/* pages that were never written are all one page of zeros */
	for (uint64_t at = 0; at < size / sizeof(*buffer); at += 512)
		((volatile uint64_t *)buffer)[at] = 0;
	costs->cycle = measure_cycle();
	for (int curve = 0; curve < CURVE_COUNT; curve++)
		measure_curve(walks[curve], buffer, size, costs->ns[curve]);
	costs->beside = measure_beside(buffer, size / LINE);
	costs->known = true;
	munmap(buffer, size);
	return true;
}
