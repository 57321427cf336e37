// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Predicts how much faster threads would be without false sharing, as Cheetah computes it (Liu and
 * Liu, "Cheetah: Detecting False Sharing Efficiently and Effectively", CGO 2016, section 3):
 *
 *     cost of thread t without it = cost(t) - cost of its accesses to the line + number of these *
 *                                   usual cost
 *
 * The process takes as long as the slowest of the threads that contend. Before these it takes as
 * long as the slowest of the other threads, as if those ran alone.
 *
 * With latencies, the usual cost of an access is the mean of the thread's other accesses, except
 * those that found a line modified in another cache.
 *
 * Samples of a timer give only an upper bound. They do not count accesses, so nothing tells what an
 * access costs: a loop that spends all its time at one store may wait for the line, for the store
 * before it, or for a mispredicted branch. A store is not waited for where it is made, either: the
 * wait falls on whatever needs the store buffer later. So all time that a thread spends in
 * functions with contended accesses may be waiting, and no more.
 */
#include <math.h>

#include "base/memory.h"
#include "report/c2c/sharing.h"

/* A larger upper bound is not given: hardly any time is left that is known to be work. */
#define GAIN_MAX 10

/* The cost of a thread, the part of it that may be waiting for contended lines, and what would be
 * left of this part without false sharing. */
struct forecast {
	int32_t tid;
	double total, contended, usual;
	bool known; /* `usual` is known */
};

/* All threads of a process. */
struct forecasts {
	const struct sharing_use *uses;
	size_t use_count;
	const bool *contended; /* of each use */
	const struct sharing_rest *rests;
	size_t rest_count;
	int32_t pid;
	struct forecast *items;
	size_t count;
};

/* ---- costs by latency ---- */

static void estimate_by_latency(const struct forecasts *forecasts, struct forecast *forecast)
{
	double other = 0;
	uint64_t other_samples = 0, samples = 0;

	array_indexed (const struct sharing_use, use, i, forecasts->uses, forecasts->use_count) {
		if (use->pid != forecasts->pid || use->tid != forecast->tid || use->implied)
			continue;
		if (forecasts->contended[i]) {
			forecast->contended += (double)use->cost;
			samples += use->samples;
		} else if (!use->hitm) {
			other += (double)use->cost;
			other_samples += use->samples;
		}
	}
	forecast->known = other > 0;
	if (!forecast->known)
		return;
	forecast->usual = other / (double)other_samples * (double)samples;
	lower_to(forecast->usual, forecast->contended);
}

/* ---- costs by samples of a timer ---- */

/* A function in which a thread accesses a contended line. */
struct contention {
	int32_t tid;
	const char *function;
};

COMPARISON(compare_contentions, struct contention,
	   ASCENDING(tid) BY((uintptr_t)a->function, (uintptr_t)b->function))

/* Adds a cost to the thread's `contended` if it accesses a contended line in this function. */
static void add_cost(const struct forecasts *forecasts, const struct contention *contentions,
		     size_t count, struct contention from, uint64_t cost)
{
	if (!count || !bsearch(&from, contentions, count, sizeof(from), compare_contentions))
		return;
	for (size_t i = 0; i < forecasts->count; i++)
		if (forecasts->items[i].tid == from.tid)
			forecasts->items[i].contended += (double)cost;
}

/* Sets `contended` of all threads to the time that may be waiting. `usual` stays unknown. */
static void estimate_by_samples(const struct forecasts *forecasts)
{
	_cleanup_free_ struct contention *contentions =
		xcalloc(forecasts->use_count, sizeof(*contentions));
	size_t count = 0;

	array_indexed (const struct sharing_use, use, i, forecasts->uses, forecasts->use_count) {
		if (use->pid == forecasts->pid && forecasts->contended[i])
			contentions[count++] = (struct contention){ use->tid, use->function };
	}
	array_sort(contentions, count, compare_contentions);
	array_each (const struct sharing_use, use, forecasts->uses, forecasts->use_count) {
		if (use->pid == forecasts->pid && !use->implied)
			add_cost(forecasts, contentions, count,
				 (struct contention){ use->tid, use->function }, use->cost);
	}
	array_each (const struct sharing_rest, rest, forecasts->rests, forecasts->rest_count) {
		if (rest->pid == forecasts->pid)
			add_cost(forecasts, contentions, count,
				 (struct contention){ rest->tid, rest->function }, rest->cost);
	}
}

/* ---- gains ---- */

static double largest(double a, double b)
{
	return a > b ? a : b;
}

/* Returns how many times as fast `after` is as `before`, or 0 if this is more than `most`. */
static double gain_of(double before, double after, double most)
{
	return after > 0 && before <= after * most ? before / after : 0;
}

/*
 * Returns whether the two threads that contend most may have run in turn only: together they did
 * not run for clearly longer than one thread could have. If both were running for most of the time,
 * they were so at one time for at least half of the smaller one's.
 */
static bool maybe_in_turn(const struct forecasts *forecasts, const struct sharing_input *input)
{
	const struct forecast *most = NULL, *second = NULL;
	uint64_t first = UINT64_MAX, last = 0;

	if (input->slept || input->has_latencies)
		return false;
	array_each (const struct forecast, forecast, forecasts->items, forecasts->count) {
		if (!(forecast->contended > 0))
			continue;
		if (!most || forecast->total > most->total) {
			second = most;
			most = forecast;
		} else if (!second || forecast->total > second->total) {
			second = forecast;
		}
	}
	array_each (const struct sharing_use, use, forecasts->uses, forecasts->use_count) {
		if (use->pid != forecasts->pid || use->implied)
			continue;
		first = use->time < first ? use->time : first;
		last = use->time > last ? use->time : last;
	}
	return !input->has_run_times || !second ||
	       2 * (most->total + second->total - (double)(last - first)) < second->total;
}

/* Predicts the gains of a process: all contended lines are mended at once. */
static void predict_process(struct sharing *sharing, const struct forecasts *forecasts,
			    const struct sharing_input *input)
{
	double alone = 0, slowest = 0, slowest_then = 0, least_then = 0;
	bool known = true, in_turn = maybe_in_turn(forecasts, input);

	array_each (const struct forecast, forecast, forecasts->items, forecasts->count) {
		double least = forecast->total - forecast->contended;

		if (!(forecast->contended > 0)) {
			alone = largest(alone, forecast->total);
			continue;
		}
		known &= forecast->known;
		slowest = largest(slowest, forecast->total);
		slowest_then = largest(slowest_then, least + forecast->usual);
		least_then = largest(least_then, least);
	}
	array_each (struct sharing_line, line, sharing->lines, sharing->line_count) {
		if (line->pid != forecasts->pid || line->verdict != SHARING_FALSE)
			continue;
		line->timed = !input->has_latencies;
		line->maybe_in_turn = in_turn;
		line->gain_at_most = gain_of(slowest, least_then, GAIN_MAX);
		line->gain = known ? gain_of(slowest, slowest_then, INFINITY) : 0;
		if (line->gain > 0)
			line->whole_gain = gain_of(alone + slowest, alone + slowest_then, INFINITY);
	}
}

/* Lists the threads of the process with their costs. */
static void list_threads(const struct sharing_input *input, struct forecasts *forecasts)
{
	array_each (const struct sharing_total, total, input->totals, input->total_count) {
		if (total->pid == forecasts->pid)
			forecasts->items[forecasts->count++] =
				(struct forecast){ .tid = total->tid,
						   .total = (double)total->cost };
	}
}

void sharing_predict(struct sharing *sharing, const struct sharing_input *input)
{
	for (size_t i = 0; i < sharing->line_count; i++) {
		/* the threads of memory that processes share are not those of one process */
		bool done = sharing->lines[i].verdict != SHARING_FALSE || sharing->lines[i].pid < 0;

		for (size_t k = 0; k < i && !done; k++)
			done = sharing->lines[k].verdict == SHARING_FALSE &&
			       sharing->lines[k].pid == sharing->lines[i].pid;
		if (done)
			continue;

		_cleanup_free_ struct forecast *items = xcalloc(input->total_count, sizeof(*items));
		struct forecasts forecasts = { .uses = input->uses,
					       .use_count = input->count,
					       .contended = sharing->contended,
					       .rests = input->rests,
					       .rest_count = input->rest_count,
					       .pid = sharing->lines[i].pid,
					       .items = items };

		list_threads(input, &forecasts);
		for (size_t k = 0; k < forecasts.count && input->has_latencies; k++)
			estimate_by_latency(&forecasts, &forecasts.items[k]);
		if (!input->has_latencies)
			estimate_by_samples(&forecasts);
		predict_process(sharing, &forecasts, input);
	}
}
