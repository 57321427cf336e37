// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Predicts how much faster threads would be without false sharing, as Cheetah computes it (Liu and
 * Liu, "Cheetah: Detecting False Sharing Efficiently and Effectively", CGO 2016, section 3):
 *
 *     cost of thread t without it = cost(t) - cost of its accesses to the line + number of these *
 *                                   usual cost
 *
 * and the program is as fast as the slowest of the threads that run side by side, after the time in
 * which other threads run alone.
 *
 * With latencies, the usual cost of an access is the mean of the thread's other accesses.
 *
 * Samples of a timer do not count accesses, and a store is not waited for where it is made: the
 * wait falls on whatever needs the store buffer later. So some of the samples beside the contended
 * accesses wait for the line as well, which nothing tells apart, and the gain is a lower bound. The
 * usual cost of each contended instruction is estimated:
 *
 *   - A load that also accesses other lines uses each address equally often. A store does, too,
 *     but those to other lines wait for the contended ones before them.
 *   - Another instruction costs the median of the function's other instructions, as if all sampled
 *     ones were executed equally often, and a load at least what the other loads cost on average.
 *
 * Threads that run the same function on contended lines make the same accesses, so each is taken to
 * spend the same part of its time there on them. The samples of a single thread would mislead: one
 * of several objects side by side may have one field in the line and another one all of its fields;
 * and a store waits for contended stores before it, whatever line it goes to.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "report/c2c/sharing.h"

/* The samples in other lines that an instruction needs for its usual cost to be known. */
#define OTHER_SAMPLES_MIN 8
/* A store costs at most this many times the median of other instructions, because the samples of a
 * loop pile up at a few of its instructions. */
#define STORE_COST 2
/* A larger gain is not predicted from samples of a timer: hardly any are left to compare with. */
#define GAIN_MAX 10

/* The cost of a thread, of its contended accesses, and of these without false sharing. */
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

	for (size_t i = 0; i < forecasts->use_count; i++) {
		const struct sharing_use *use = &forecasts->uses[i];

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
	if (forecast->usual > forecast->contended)
		forecast->usual = forecast->contended;
}

/* ---- costs by samples of a timer ---- */

struct accesses {
	double cost;
	uint64_t samples, addresses;
};

/* An instruction with memory accesses. */
struct instruction {
	uint64_t ip;
	bool reads;
	struct accesses contended, other;
};

/* Loads by instructions that are not contended. */
struct loads {
	double cost;
	size_t insns;
};

/* A function's samples of the threads that contend there. */
struct function_cost {
	double all, contended, usual;
	bool known; /* `usual` is known */
};

static int compare_by_function(const void *left, const void *right, void *data)
{
	const struct forecasts *forecasts = data;
	const struct sharing_use *a = &forecasts->uses[*(const uint32_t *)left],
				 *b = &forecasts->uses[*(const uint32_t *)right];

	if (a->function != b->function) {
		int order = strcmp(a->function ? a->function : "", b->function ? b->function : "");

		if (order)
			return order;
	}
	COMPARE(a->tid, b->tid);
	COMPARE(a, b);
	return 0;
}

static int compare_by_instruction(const void *left, const void *right, void *data)
{
	const struct forecasts *forecasts = data;
	uint32_t i = *(const uint32_t *)left, j = *(const uint32_t *)right;
	const struct sharing_use *a = &forecasts->uses[i], *b = &forecasts->uses[j];

	COMPARE(a->ip, b->ip);
	COMPARE(forecasts->contended[i], forecasts->contended[j]);
	COMPARE(a->address, b->address);
	COMPARE(i, j);
	return 0;
}

/* Returns the instruction whose uses begin at order[*next], and moves *next to those of the next
 * one. */
static struct instruction next_instruction(const struct forecasts *forecasts, const uint32_t *order,
					   size_t count, size_t *next)
{
	const struct sharing_use *last = NULL;
	struct instruction insn = { .ip = forecasts->uses[order[*next]].ip };

	for (; *next < count && forecasts->uses[order[*next]].ip == insn.ip; ++*next) {
		const struct sharing_use *use = &forecasts->uses[order[*next]];
		struct accesses *accesses =
			forecasts->contended[order[*next]] ? &insn.contended : &insn.other;

		accesses->cost += (double)use->cost;
		accesses->addresses += !accesses->samples || last->address != use->address;
		accesses->samples += use->samples;
		insn.reads |= use->reads;
		last = use;
	}
	return insn;
}

static void add_loads(const struct instruction *insns, size_t count, struct loads *loads)
{
	for (size_t i = 0; i < count; i++)
		if (insns[i].reads && !insns[i].contended.samples) {
			loads->cost += insns[i].other.cost;
			loads->insns++;
		}
}

/* Costs of a function's instructions that access no contended line. */
struct other_costs {
	double *insns; /* of each sampled one */
	size_t count;
	struct loads loads;
};

static int compare_costs(const void *left, const void *right)
{
	const double *a = left, *b = right;

	COMPARE(*a, *b);
	return 0;
}

/* Returns the median, which a few instructions that wait do not change; sorts the costs for it. */
static double median_cost(const struct other_costs *others)
{
	qsort(others->insns, others->count, sizeof(*others->insns), compare_costs);
	return others->insns[others->count / 2];
}

/* Returns the usual cost of a contended instruction, or a negative number if it is not known. */
static double usual_cost(const struct instruction *insn, const struct other_costs *others)
{
	double usual = -1;

	if (insn->reads && insn->other.samples >= OTHER_SAMPLES_MIN)
		return insn->other.cost / (double)insn->other.addresses *
		       (double)insn->contended.addresses;
	if (others->count)
		usual = (insn->reads ? 1 : STORE_COST) * median_cost(others);
	if (insn->reads && others->loads.insns)
		usual = fmax(usual, others->loads.cost / (double)others->loads.insns);
	return usual;
}

/* Returns the costs of a function, `rest` of which are those of samples without a use. `others` has
 * room for all instructions and has those without a use already. */
static struct function_cost sum_instructions(const struct instruction *insns, size_t count,
					     double rest, struct other_costs *others,
					     const struct loads *of_all)
{
	struct function_cost sum = { .all = rest, .known = true };

	add_loads(insns, count, &others->loads);
	if (!others->loads.insns)
		others->loads = *of_all;
	for (size_t i = 0; i < count; i++)
		if (!insns[i].contended.samples)
			others->insns[others->count++] = insns[i].other.cost;
	for (size_t i = 0; i < count; i++) {
		const struct accesses *contended = &insns[i].contended;
		double usual;

		sum.all += contended->cost + insns[i].other.cost;
		sum.contended += contended->cost;
		if (!contended->samples)
			continue;
		usual = usual_cost(&insns[i], others);
		sum.known &= usual >= 0;
		sum.usual += usual < 0 ? 0 : fmin(usual, contended->cost);
	}
	return sum;
}

/* Returns the instructions of the uses order[0 .. count), which this sorts. The caller frees them.
 */
static struct instruction *list_instructions(const struct forecasts *forecasts, uint32_t *order,
					     size_t count, size_t *insn_count)
{
	struct instruction *insns = xcalloc(count, sizeof(*insns));

	*insn_count = 0;
	qsort_r(order, count, sizeof(*order), compare_by_instruction, (void *)forecasts);
	for (size_t next = 0; next < count;)
		insns[(*insn_count)++] = next_instruction(forecasts, order, count, &next);
	return insns;
}

static struct forecast *forecast_of(const struct forecasts *forecasts, int32_t tid)
{
	for (size_t i = 0; i < forecasts->count; i++)
		if (forecasts->items[i].tid == tid)
			return &forecasts->items[i];
	return NULL;
}

/* Removes the uses of threads that do not contend from order[0 .. count), which is sorted by
 * thread. Returns how many are left. */
static size_t keep_contending(const struct forecasts *forecasts, uint32_t *order, size_t count)
{
	size_t kept = 0, end;

	for (size_t first = 0; first < count; first = end) {
		bool contends = false;

		for (end = first; end < count && forecasts->uses[order[end]].tid ==
							 forecasts->uses[order[first]].tid;
		     end++)
			contends |= forecasts->contended[order[end]];
		if (!contends)
			continue;
		memmove(order + kept, order + first, (end - first) * sizeof(*order));
		kept += end - first;
	}
	return kept;
}

static bool same_name(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The uses of one function by the threads that contend there, and its instructions. */
struct function_uses {
	uint32_t *order;
	size_t count;
	struct instruction *insns;
	size_t insn_count;
};

/* Returns whether the rest is of this function and of a thread that contends there. */
static bool is_rest_of(const struct forecasts *forecasts, const struct function_uses *function,
		       const struct sharing_rest *rest)
{
	if (rest->pid != forecasts->pid ||
	    !same_name(rest->function, forecasts->uses[function->order[0]].function))
		return false;
	for (size_t i = 0; i < function->count; i++)
		if (forecasts->uses[function->order[i]].tid == rest->tid)
			return true;
	return false;
}

static int compare_rests(const void *left, const void *right)
{
	const struct sharing_rest *a = *(const struct sharing_rest *const *)left,
				  *b = *(const struct sharing_rest *const *)right;

	COMPARE(a->ip, b->ip);
	COMPARE(a->tid, b->tid);
	return 0;
}

/* Returns the cost of the function's samples without a known address. Adds to `others` those of
 * their instructions that have no use. */
static double sum_rests(const struct forecasts *forecasts, const struct function_uses *function,
			struct other_costs *others)
{
	_cleanup_free_ const struct sharing_rest **rests =
		xcalloc(forecasts->rest_count, sizeof(*rests));
	size_t count = 0, i = 0, end;
	double sum = 0;

	for (size_t k = 0; k < forecasts->rest_count; k++)
		if (is_rest_of(forecasts, function, &forecasts->rests[k]))
			rests[count++] = &forecasts->rests[k];
	if (count)
		qsort(rests, count, sizeof(*rests), compare_rests);
	for (size_t k = 0; k < count; k = end) {
		double cost = 0;

		for (end = k; end < count && rests[end]->ip == rests[k]->ip; end++)
			cost += (double)rests[end]->cost;
		sum += cost;
		/* the function's instructions are in order, too */
		while (i < function->insn_count && function->insns[i].ip < rests[k]->ip)
			i++;
		if (i == function->insn_count || function->insns[i].ip != rests[k]->ip)
			others->insns[others->count++] = cost;
	}
	return sum;
}

static void add_cost(struct forecast *forecast, double spent, const struct function_cost *cost)
{
	if (!forecast)
		return;
	forecast->contended += spent * cost->contended / cost->all;
	forecast->usual += spent * cost->usual / cost->all;
	forecast->known &= cost->known;
}

/* Adds to the forecasts what their threads spend in a function. */
static void add_function(const struct forecasts *forecasts, const struct function_uses *function,
			 const struct function_cost *cost)
{
	if (!(cost->all > 0))
		return;
	for (size_t i = 0; i < function->count; i++) {
		const struct sharing_use *use = &forecasts->uses[function->order[i]];

		add_cost(forecast_of(forecasts, use->tid), (double)use->cost, cost);
	}
	for (size_t i = 0; i < forecasts->rest_count; i++)
		if (is_rest_of(forecasts, function, &forecasts->rests[i]))
			add_cost(forecast_of(forecasts, forecasts->rests[i].tid),
				 (double)forecasts->rests[i].cost, cost);
}

static void estimate_by_samples(const struct forecasts *forecasts)
{
	_cleanup_free_ uint32_t *order = xcalloc(forecasts->use_count, sizeof(*order));
	struct function_uses *functions = NULL;
	size_t count = 0, function_count = 0, capacity = 0, end;
	struct loads loads = { 0 };

	for (size_t i = 0; i < forecasts->use_count; i++)
		if (forecasts->uses[i].pid == forecasts->pid && !forecasts->uses[i].implied)
			order[count++] = (uint32_t)i;
	if (count)
		qsort_r(order, count, sizeof(*order), compare_by_function, (void *)forecasts);
	for (size_t first = 0; first < count; first = end) {
		for (end = first; end < count && same_name(forecasts->uses[order[end]].function,
							   forecasts->uses[order[first]].function);)
			end++;

		struct function_uses function = { .order = order + first,
						  .count = keep_contending(forecasts, order + first,
									   end - first) };

		if (!function.count)
			continue;
		function.insns = list_instructions(forecasts, function.order, function.count,
						   &function.insn_count);
		add_loads(function.insns, function.insn_count, &loads);
		array_reserve(functions, function_count, capacity);
		functions[function_count++] = function;
	}
	for (size_t i = 0; i < function_count; i++) {
		_cleanup_free_ double *insns =
			xcalloc(functions[i].insn_count + forecasts->rest_count, sizeof(*insns));
		struct other_costs others = { .insns = insns };
		double rest = sum_rests(forecasts, &functions[i], &others);
		struct function_cost cost = sum_instructions(
			functions[i].insns, functions[i].insn_count, rest, &others, &loads);

		add_function(forecasts, &functions[i], &cost);
		free(functions[i].insns);
	}
	free(functions);
}

/* ---- gains ---- */

static double largest(double a, double b)
{
	return a > b ? a : b;
}

/* Returns how many times as fast `after` is as `before`; 0: more than `most`. */
static double gain_of(double before, double after, double most)
{
	return after > 0 && before <= after * most ? before / after : 0;
}

/* Predicts the gains of a process. All contended lines are mended at once, so their gain is one
 * figure. */
static void predict_process(struct sharing *sharing, const struct forecasts *forecasts,
			    bool has_latencies)
{
	double most = has_latencies ? INFINITY : GAIN_MAX;
	double alone = 0, slowest = 0, slowest_then = 0, least_then = 0;
	bool known = true;

	for (size_t i = 0; i < forecasts->count; i++) {
		const struct forecast *forecast = &forecasts->items[i];
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
	for (size_t i = 0; i < sharing->line_count; i++) {
		struct sharing_line *line = &sharing->lines[i];

		if (line->pid != forecasts->pid || line->verdict != SHARING_FALSE)
			continue;
		line->gain_at_least = !has_latencies;
		line->gain_at_most = has_latencies ? gain_of(slowest, least_then, GAIN_MAX) : 0;
		line->gain = known ? gain_of(slowest, slowest_then, most) : 0;
		if (line->gain > 0)
			line->whole_gain = gain_of(alone + slowest, alone + slowest_then, most);
	}
}

/* Sets the threads of the process and what they cost. */
static void list_threads(const struct sharing_input *input, struct forecasts *forecasts)
{
	for (size_t i = 0; i < input->total_count; i++) {
		const struct sharing_total *total = &input->totals[i];

		if (total->pid == forecasts->pid)
			forecasts->items[forecasts->count++] = (struct forecast){
				.tid = total->tid, .total = (double)total->cost, .known = true
			};
	}
}

void sharing_predict(struct sharing *sharing, const struct sharing_input *input)
{
	for (size_t i = 0; i < sharing->line_count; i++) {
		bool done = sharing->lines[i].verdict != SHARING_FALSE;

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
		predict_process(sharing, &forecasts, input->has_latencies);
	}
}
