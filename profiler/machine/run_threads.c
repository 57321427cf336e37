// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements run_threads() of run_visits.h.
 *
 * Each thread works in slices of some microseconds, and publishes how many batches of iterations it
 * has done. Only slices count in which the other thread went on all the time: if it did not, since
 * another program had its processor, nothing disturbed this one.
 */
#include "profiler/machine/run_visits.h"

#include <math.h>
#include <sched.h>
#include <stdatomic.h>
#include <time.h>

#include "base/parallel.h"
#include "profiler/machine/cached_costs.h"

#define LINE         64
#define SLICE_NS     20000.0
#define BATCHES      16  /* of a slice */
#define BATCHES_MIN  4   /* that the other thread does in a slice that counts: it may be slower */
#define SLICES       300 /* with each layout in a turn, and so many turns */
#define TURNS        4
#define TURN_NS      6e8 /* a turn ends after this time */
#define SLICES_MIN   20  /* of all turns that count */
#define CHAIN_CYCLES 3   /* of a multiplication */
#define TOUCH_INSNS  3   /* that the replay takes for a touch itself */

/* Both threads see this; each has a line that only it writes. */
struct thread_state {
	_Alignas(LINE) _Atomic uint64_t batches;
	_Atomic bool ended;
	_Alignas(LINE) char rest[LINE]; /* lines are fetched in pairs */
};

struct thread_times {
	double ns[TURNS * SLICES]; /* of an iteration */
	size_t count;
};

struct thread_run {
	const struct thread_plan *plan;
	uint8_t *memory;
	int layout;
	struct thread_state states[2];
	struct thread_times times[2][2]; /* of both threads with both layouts */
	cpu_set_t processors[2];
	uint64_t chains[2];
	uint64_t iterations[2]; /* of a batch */
};

static double wall_time(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

/* ---- the code ---- */

/* The places of one thread's accesses. */
struct thread_places {
	uintptr_t loads[THREAD_TOUCHES], stores[THREAD_TOUCHES], atomics[THREAD_TOUCHES];
	uint32_t load_count, store_count, atomic_count;
};

static void set_places(const struct thread_run *run, size_t thread, struct thread_places *places)
{
	const struct thread_code *code = &run->plan->codes[thread];

	*places = (struct thread_places){ 0 };
	array_each (const struct thread_touch, touch, code->touches, code->touch_count) {
		uintptr_t place = (uintptr_t)run->memory + touch->offsets[run->layout];

		/* objects may be of any alignment */
		if (touch->atomic)
			places->atomics[places->atomic_count++] = place & ~(uintptr_t)3;
		else if (touch->write)
			places->stores[places->store_count++] = place;
		else
			places->loads[places->load_count++] = place;
	}
}

/* Few instructions beside the accesses: they take room in the processor, which hides the wait for a
 * line behind the accesses that it has in flight. */
static void run_iterations(const struct thread_run *run, size_t thread, uint64_t count)
{
	struct thread_places places;
	uint64_t value = 1;

	set_places(run, thread, &places);
	for (; count; count--) {
		for (uint32_t i = 0; i < places.load_count; i++)
			(void)*(volatile uint8_t *)places.loads[i];
		for (uint32_t i = 0; i < places.store_count; i++)
			*(volatile uint8_t *)places.stores[i] = 1;
		for (uint32_t i = 0; i < places.atomic_count; i++)
			__atomic_fetch_add((uint32_t *)places.atomics[i], 1, __ATOMIC_SEQ_CST);
		for (uint64_t chain = run->chains[thread]; chain; chain--) {
			value *= MULTIPLIER;
			KEEP(value);
		}
	}
}

/* ---- slices ---- */

/* Works for a turn. Slices with the other thread at work add to the times. */
static void run_turn(size_t thread, unsigned int number, void *data)
{
	struct thread_run *run = data;
	struct thread_state *own = &run->states[thread], *other = &run->states[!thread];
	struct thread_times *times = &run->times[thread][run->layout];
	size_t first = times->count;
	double begin = wall_time();

	(void)number;
	(void)sched_setaffinity(0, sizeof(run->processors[thread]), &run->processors[thread]);
	while (wall_time() - begin < TURN_NS &&
	       !(times->count - first >= SLICES && atomic_load(&other->ended))) {
		uint64_t before = atomic_load(&other->batches);
		double start = wall_time(), time;

		for (int batch = 0; batch < BATCHES; batch++) {
			run_iterations(run, thread, run->iterations[thread]);
			atomic_fetch_add_explicit(&own->batches, 1, memory_order_relaxed);
		}
		time = wall_time() - start;
		if (atomic_load(&other->batches) - before >= BATCHES_MIN &&
		    times->count - first < SLICES)
			times->ns[times->count++] =
				time / BATCHES / (double)run->iterations[thread];
		if (times->count - first >= SLICES)
			atomic_store(&own->ended, true);
	}
	atomic_store(&own->ended, true);
}

/* Sets the computation of an iteration, and how many iterations a batch has. */
static void fit_thread(struct thread_run *run, size_t thread)
{
	const struct thread_code *code = &run->plan->codes[thread];
	double least = INFINITY, own = code->touch_count * TOUCH_INSNS / (double)ADVICE_ISSUE_WIDTH;

	run->chains[thread] = (uint64_t)fmax((code->cycles - own) / CHAIN_CYCLES, 0);
	for (int i = 0; i < 20; i++) {
		double start = wall_time();

		run_iterations(run, thread, 1000);
		least = fmin(least, (wall_time() - start) / 1000);
	}
	run->iterations[thread] = (uint64_t)fmax(SLICE_NS / BATCHES / least, 1);
}

/* ---- times ---- */

COMPARISON(compare_slices, double, BY_VALUE)

/* Returns the time of a slice at this place among all, 0 to 1. Those that were interrupted are the
 * last ones. */
static double time_at(const struct thread_times *times, double place)
{
	return times->ns[(size_t)(place * (double)(times->count - 1))];
}

static double gain_of_thread(const struct thread_code *code, double old, double new)
{
	double ratio = new / old;

	/* what is computed between the accesses is not known */
	if (!code->cycles)
		return 1 / fmax(1 - code->waits * (1 - ratio), 0.05);
	return 1 / fmax(ratio, 1 - code->waits);
}

static void set_visit(struct thread_run *run, size_t thread, struct replayed_visit *visit)
{
	const struct thread_code *code = &run->plan->codes[thread];
	struct thread_times *olds = &run->times[thread][0], *news = &run->times[thread][1];

	array_sort(olds->ns, olds->count, compare_slices);
	array_sort(news->ns, news->count, compare_slices);
	*visit = (struct replayed_visit){
		.known = true,
		.region = code->region,
		.old = time_at(olds, 0.4),
		.new = time_at(news, 0.4),
		.still = time_at(news, 0),
		.old_lines = 1,
		.new_lines = 1,
		.noise = fmax(time_at(olds, 0.5) / time_at(olds, 0.3),
			      time_at(news, 0.5) / time_at(news, 0.3)) -
			 1,
	};
	visit->middle = gain_of_thread(code, visit->old, visit->new);
	visit->range.low = gain_of_thread(code, time_at(olds, 0.3), time_at(news, 0.5));
	visit->range.high = gain_of_thread(code, time_at(olds, 0.5), time_at(news, 0.3));
}

/* Sets two processors of those that this thread may use. Returns false if there is only one. */
static bool choose_processors(const cpu_set_t *allowed, cpu_set_t chosen[2])
{
	int count = 0;

	for (int cpu = 0; cpu < CPU_SETSIZE && count < 2; cpu++)
		if (CPU_ISSET(cpu, allowed)) {
			CPU_ZERO(&chosen[count]);
			CPU_SET(cpu, &chosen[count++]);
		}
	return count == 2;
}

const char *run_threads(const struct thread_plan *plan, struct replayed_visit visits[2])
{
	_cleanup_free_ struct thread_run *run = aligned_alloc(LINE, round_up(sizeof(*run), LINE));
	_cleanup_free_ uint8_t *memory = aligned_alloc(LINE, THREAD_BYTES);
	cpu_set_t allowed;

	if (!run || !memory || sched_getaffinity(0, sizeof(allowed), &allowed))
		return "there is too little memory, or no processor is known";
	*run = (struct thread_run){ .plan = plan, .memory = memory };
	memset(memory, 0, THREAD_BYTES);
	if (!choose_processors(&allowed, run->processors))
		return "there is only one processor";
	for (size_t thread = 0; thread < 2; thread++)
		fit_thread(run, thread);
	for (int turn = 0; turn < TURNS; turn++)
		for (run->layout = 0; run->layout < 2; run->layout++) {
			for (int thread = 0; thread < 2; thread++)
				run->states[thread].ended = false;
			parallel_for(2, 2, run_turn, run);
		}
	(void)sched_setaffinity(0, sizeof(allowed), &allowed);
	for (size_t thread = 0; thread < 2; thread++) {
		if (run->times[thread][0].count < SLICES_MIN ||
		    run->times[thread][1].count < SLICES_MIN)
			return "two threads did not run at one time: the machine is busy";
		set_visit(run, thread, &visits[thread]);
	}
	if (plan->codes[0].region == plan->codes[1].region) {
		replayed_visit_add(&visits[0], &visits[1]);
		visits[1] = visits[0];
	}
	return NULL;
}
