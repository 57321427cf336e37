// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How much faster threads would be without false sharing, as Cheetah computes it (Liu and Liu,
 * "Cheetah: Detecting False Sharing Efficiently and Effectively", CGO 2016, section 3):
 *
 *     cost of thread t without it = cost(t) - cost of its accesses to the line + number of these *
 * usual cost
 *
 * and the program is as fast as the slowest of the threads that run side by side, behind what other
 * threads do alone.
 *
 * The usual cost of an access is that of the thread's other accesses: with latencies, their mean.
 * Samples of a timer do not count accesses. There, each instruction of the function is taken to be
 * executed equally often, so that one with a contended access would have as many samples as one
 * with another access has on average.
 */
#include <stdlib.h>

#include "profiler/base/memory.h"
#include "report/c2c/sharing_private.h"

/* The cost of a thread, and what it would be. */
struct forecast {
	int32_t tid;
	double total, contended, usual;
};

/* Sets contended[i] for the uses of lines with false sharing. */
static void mark_contended(const struct sharing *sharing, bool *contended)
{
	for (size_t i = 0; i < sharing->line_count; i++) {
		const struct sharing_line *line = &sharing->lines[i];

		for (size_t use = 0; line->verdict == SHARING_FALSE && use < line->use_count; use++)
			contended[line->first_use + use] = true;
	}
}

/* The instructions of one function with memory accesses, by a thread. */
struct instruction {
	const char *function;
	uint64_t ip;
	double contended, other;
};

struct instructions {
	struct instruction *items;
	size_t count, capacity;
};

static int compare_instructions(const void *left, const void *right)
{
	const struct instruction *a = left, *b = right;

	if (a->function != b->function)
		return (uintptr_t)a->function < (uintptr_t)b->function ? -1 : 1;
	return a->ip < b->ip ? -1 : a->ip > b->ip;
}

static void merge(struct instructions *list)
{
	size_t kept = 0;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare_instructions);
	for (size_t i = 0; i < list->count; i++) {
		if (kept && !compare_instructions(&list->items[kept - 1], &list->items[i])) {
			list->items[kept - 1].contended += list->items[i].contended;
			list->items[kept - 1].other += list->items[i].other;
		} else {
			list->items[kept++] = list->items[i];
		}
	}
	list->count = kept;
}

/* Returns what the contended instructions would cost if they were like the others of their
 * functions. */
static double usual_by_instruction(const struct instructions *list)
{
	double usual = 0;
	size_t end;

	for (size_t first = 0; first < list->count; first = end) {
		double contended = 0, other = 0, contended_count = 0, other_count = 0, part;

		for (end = first;
		     end < list->count && list->items[end].function == list->items[first].function;
		     end++) {
			bool is_contended_one = list->items[end].contended > list->items[end].other;

			contended += list->items[end].contended;
			contended_count += is_contended_one;
			other += is_contended_one ? 0 : list->items[end].other;
			other_count += !is_contended_one;
		}
		part = other_count ? other / other_count * contended_count : 0;
		usual += part < contended ? part : contended;
	}
	return usual;
}

/* Fills in what thread forecast->tid spends on contended lines, and would spend without
 * contention. */
static void examine_thread(const struct sharing_input *input, const bool *is_contended, int32_t pid,
			   struct forecast *forecast)
{
	struct instructions list = { 0 };
	double other = 0, other_samples = 0, samples = 0;

	for (size_t i = 0; i < input->count; i++) {
		const struct sharing_use *use = &input->uses[i];
		bool contended;

		if (use->pid != pid || use->tid != forecast->tid || use->implied)
			continue;
		contended = is_contended[i];
		array_reserve(list.items, list.count, list.capacity);
		list.items[list.count++] =
			(struct instruction){ .function = use->function,
					      .ip = use->ip,
					      .contended = contended ? (double)use->cost : 0,
					      .other = contended ? 0 : (double)use->cost };
		if (contended) {
			forecast->contended += (double)use->cost;
			samples += (double)use->samples;
		} else if (!use->hitm) {
			other += (double)use->cost;
			other_samples += (double)use->samples;
		}
	}
	merge(&list);
	forecast->usual = !input->has_latencies ? usual_by_instruction(&list)
			  : other_samples       ? other / other_samples * samples
						: 0;
	if (forecast->usual > forecast->contended)
		forecast->usual = forecast->contended;
	free(list.items);
}

static double largest(double a, double b)
{
	return a > b ? a : b;
}

/* All threads of a process together: contended lines are mended at once, so their gain is one
 * figure. */
static void predict_process(struct sharing *sharing, const struct sharing_input *input,
			    const bool *contended, int32_t pid)
{
	double alone = 0, slowest = 0, slowest_then = 0, gain = 0;
	bool known = true;

	for (size_t i = 0; i < input->total_count; i++) {
		const struct sharing_total *total = &input->totals[i];
		struct forecast forecast = { .tid = total->tid, .total = (double)total->cost };

		if (total->pid != pid)
			continue;
		examine_thread(input, contended, pid, &forecast);
		if (!(forecast.contended > 0)) {
			alone = largest(alone, forecast.total);
			continue;
		}

		known &= forecast.usual > 0;

		double then = forecast.total - forecast.contended + forecast.usual;

		slowest = largest(slowest, forecast.total);
		slowest_then = largest(slowest_then, then);
	}
	/* nothing tells what the accesses would cost */
	if (!known)
		return;
	if (slowest_then > 0)
		gain = slowest / slowest_then;
	for (size_t i = 0; i < sharing->line_count; i++) {
		struct sharing_line *line = &sharing->lines[i];

		if (line->pid != pid || line->verdict != SHARING_FALSE)
			continue;
		line->gain = gain;
		line->whole_gain =
			alone + slowest_then > 0 ? (alone + slowest) / (alone + slowest_then) : 0;
	}
}

void sharing_predict(struct sharing *sharing, const struct sharing_input *input)
{
	_cleanup_free_ bool *contended = xcalloc(input->count, sizeof(*contended));

	mark_contended(sharing, contended);
	for (size_t i = 0; i < sharing->line_count; i++)
		if (sharing->lines[i].verdict == SHARING_FALSE && !(sharing->lines[i].gain > 0))
			predict_process(sharing, input, contended, sharing->lines[i].pid);
}
