// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * False sharing that is spread over so many lines that none of them has enough samples for a
 * verdict: arrays of numbers in which each thread has elements of its own, and elements of
 * different threads share lines.
 *
 *     for (i = thread; i < count; i += threads)
 *             sums[i] += ...
 *
 * Each pair of numbers of a line that two threads use is evidence: they are the same bytes, or
 * different ones. If threads used elements at random, some of these pairs would have the same
 * bytes; how many follows from all bytes that are used. Clearly fewer of them mean false sharing.
 *
 * Only numbers are looked at. Objects are handed from one thread to another, which looks the same
 * in lines with two samples.
 */
#include <math.h>

#include "report/c2c/sharing.h"

#define GROUP_THREADS_MAX 32   /* of one group */
#define MEMBERS_MAX       1024 /* uses that are compared with each other */
/* Two threads run side by side if the samples of a group change at least GROUP_TURNS_MIN times, and
 * once in GROUP_TURN_PART samples of the one with fewer. */
#define GROUP_TURNS_MIN 6
#define GROUP_TURN_PART 8
/* A verdict needs fewer pairs with the same bytes than random use of elements would give: this few
 * must have a lower probability than this. */
#define BY_CHANCE_MAX 0.01

/* The uses of the numbers of one type in a process. */
struct use_group {
	int32_t pid;
	const char *type;
	int32_t tids[GROUP_THREADS_MAX];
	uint64_t samples[GROUP_THREADS_MAX];
	size_t thread_count;
	uint32_t turns[GROUP_THREADS_MAX][GROUP_THREADS_MAX];
	/* the pairs, and the uses that they are made of */
	uint64_t same, different;
	struct sharing_span *lines; /* with pairs of different bytes */
	size_t line_count, line_capacity;
	uint64_t line_samples;
	const struct sharing_use *members[MEMBERS_MAX];
	size_t member_count;
	size_t best; /* the line with the most pairs of different bytes */
	uint64_t best_pairs;
};

struct use_groups {
	struct use_group *items;
	size_t count, capacity;
};

static bool is_number(const struct sharing_use *use)
{
	return use->type && !use->field && !use->polls;
}

ADDRESS_COMPARISON(compare_order, struct sharing_use,
		   ASCENDING(pid) BY_TEXT(type) ASCENDING(time) ASCENDING(tid))

/* Returns the thread's number within the group, or GROUP_THREADS_MAX. */
static size_t thread_of(const struct use_group *group, int32_t tid)
{
	for (size_t i = 0; i < group->thread_count; i++)
		if (group->tids[i] == tid)
			return i;
	return GROUP_THREADS_MAX;
}

static bool on_two_cpus(const struct sharing_use *a, const struct sharing_use *b)
{
	return a->cpu < 0 || b->cpu < 0 || a->cpu != b->cpu;
}

/* Counts the turns of the threads. The uses are those of one group, by time. */
static void count_turns(struct use_group *group, const struct sharing_use *const *uses,
			size_t count)
{
	const struct sharing_use *last = NULL;
	size_t last_thread = 0;

	for (size_t i = 0; i < count; i++) {
		size_t thread = thread_of(group, uses[i]->tid);

		if (thread == GROUP_THREADS_MAX && group->thread_count < GROUP_THREADS_MAX) {
			thread = group->thread_count++;
			group->tids[thread] = uses[i]->tid;
		}
		if (thread == GROUP_THREADS_MAX)
			continue;
		group->samples[thread] += uses[i]->samples;
		if (last && thread != last_thread && on_two_cpus(last, uses[i])) {
			group->turns[thread][last_thread]++;
			group->turns[last_thread][thread]++;
		}
		last = uses[i];
		last_thread = thread;
	}
}

static void list_groups(const struct sharing_use *uses, size_t count, struct use_groups *groups)
{
	_cleanup_free_ const struct sharing_use **order = xcalloc(count, sizeof(*order));
	size_t used = 0, end;

	for (size_t i = 0; i < count; i++)
		if (is_number(&uses[i]) && !uses[i].implied)
			order[used++] = &uses[i];
	array_sort(order, used, compare_order);
	for (size_t first = 0; first < used; first = end) {
		struct use_group *group;

		for (end = first; end < used && order[end]->pid == order[first]->pid &&
				  !strcmp(order[end]->type, order[first]->type);)
			end++;
		group = &array_add(groups->items, groups->count, groups->capacity);
		*group = (struct use_group){ .pid = order[first]->pid, .type = order[first]->type };
		count_turns(group, order + first, end - first);
	}
}

static struct use_group *sharing_groups_group_of(const struct use_groups *groups,
						 const struct sharing_use *use)
{
	return array_find(i, groups->items, groups->count,
			  groups->items[i].pid == use->pid &&
				  !strcmp(groups->items[i].type, use->type));
}

static bool sharing_groups_run_side_by_side(const struct use_group *group, int32_t tid,
					    int32_t other)
{
	size_t a = thread_of(group, tid), b = thread_of(group, other);
	uint64_t fewer;

	if (a == GROUP_THREADS_MAX || b == GROUP_THREADS_MAX)
		return false;
	fewer = group->samples[a] < group->samples[b] ? group->samples[a] : group->samples[b];
	return group->turns[a][b] >= GROUP_TURNS_MIN &&
	       (uint64_t)group->turns[a][b] * GROUP_TURN_PART >= fewer;
}

static bool overlap(uint64_t a, uint64_t a_size, uint64_t b, uint64_t b_size)
{
	return a < b + b_size && b < a + a_size;
}

static void add_member(struct use_group *group, const struct sharing_use *use)
{
	if (group->member_count < MEMBERS_MAX)
		group->members[group->member_count++] = use;
}

/* The bytes of a line that a thread uses as one number. */
struct used_number {
	const struct sharing_use *use; /* the first one */
	bool writes;
};

#define LINE_NUMBERS_MAX 32 /* of one line that are compared */

/* Lists each number of each thread once. Returns how many there are. */
static size_t list_numbers(const struct sharing_use *uses, size_t count,
			   struct used_number numbers[LINE_NUMBERS_MAX])
{
	size_t used = 0, k;

	for (size_t i = 0; i < count; i++) {
		if (!is_number(&uses[i]))
			continue;
		for (k = 0; k < used && (numbers[k].use->tid != uses[i].tid ||
					 numbers[k].use->address != uses[i].address ||
					 numbers[k].use->size != uses[i].size);)
			k++;
		if (k == LINE_NUMBERS_MAX)
			break;
		if (k == used)
			numbers[used++] = (struct used_number){ .use = &uses[i] };
		numbers[k].writes |= uses[i].writes;
	}
	return used;
}

/* Adds a pair of one line. Returns whether threads contend with different bytes. */
static bool add_pair(struct use_group *group, const struct used_number *a,
		     const struct used_number *b)
{
	bool same;

	if (a->use->tid == b->use->tid || !on_two_cpus(a->use, b->use) ||
	    !(a->writes || b->writes) ||
	    !sharing_groups_run_side_by_side(group, a->use->tid, b->use->tid))
		return false;
	same = overlap(a->use->address, a->use->size, b->use->address, b->use->size);
	group->same += same;
	group->different += !same;
	add_member(group, a->use);
	add_member(group, b->use);
	return !same;
}

static void sharing_groups_add_line(struct use_groups *groups, const struct sharing_use *uses,
				    size_t first, size_t count)
{
	struct used_number numbers[LINE_NUMBERS_MAX];
	size_t used = list_numbers(uses + first, count, numbers);
	struct use_group *group = used > 1 ? sharing_groups_group_of(groups, numbers[0].use) : NULL;
	uint64_t different = 0, samples = 0;

	if (!group)
		return;
	for (size_t i = 0; i < used; i++)
		for (size_t k = i + 1; k < used; k++)
			if (!strcmp(numbers[i].use->type, group->type) &&
			    !strcmp(numbers[k].use->type, group->type))
				different += add_pair(group, &numbers[i], &numbers[k]);
	if (!different)
		return;
	for (size_t i = first; i < first + count; i++)
		samples += is_number(&uses[i]) && !uses[i].implied ? uses[i].samples : 0;
	group->line_samples += samples;
	if (different > group->best_pairs) {
		group->best_pairs = different;
		group->best = group->line_count;
	}
	array_add(group->lines, group->line_count, group->line_capacity) =
		(struct sharing_span){ first, count };
}

/* Returns the share of all pairs of members that overlap within a line. */
static double same_by_chance(const struct use_group *group, uint64_t cacheline)
{
	uint64_t same = 0, pairs = 0;

	for (size_t i = 0; i < group->member_count; i++)
		for (size_t j = i + 1; j < group->member_count; j++) {
			const struct sharing_use *a = group->members[i], *b = group->members[j];

			same += overlap(a->address % cacheline, a->size, b->address % cacheline,
					b->size);
			pairs++;
		}
	return pairs ? (double)same / (double)pairs : 0;
}

double sharing_probability_of_at_most(uint64_t most, double mean)
{
	double term = exp(-mean), sum = term;

	for (uint64_t i = 1; i <= most; i++) {
		term *= mean / (double)i;
		sum += term;
	}
	return sum;
}

static bool sharing_groups_has_false_sharing(const struct use_group *group, uint64_t cacheline)
{
	double expected;

	if (group->different < SHARING_SIDE_MIN ||
	    group->different < SHARING_PREVAILS * group->same)
		return false;
	expected = same_by_chance(group, cacheline) * (double)(group->same + group->different);
	return sharing_probability_of_at_most(group->same, expected) < BY_CHANCE_MAX;
}

/* Returns whether the line whose uses begin with `first` has a verdict of its own. */
static bool is_judged(const struct sharing *sharing, size_t lines, size_t first, size_t *next)
{
	/* lines were judged in the order of their uses */
	while (*next < lines && sharing->lines[*next].first_use < first)
		++*next;
	return *next < lines && sharing->lines[*next].first_use == first &&
	       sharing->lines[*next].verdict <= SHARING_LATENT_CPU;
}

void sharing_find_groups(struct sharing *sharing, const struct sharing_use *uses, size_t count)
{
	struct use_groups groups = { 0 };
	uint64_t mask = -sharing->cacheline;
	size_t lines = sharing->line_count, next = 0, end;

	list_groups(uses, count, &groups);
	for (size_t first = 0; first < count && groups.count; first = end) {
		for (end = first; end < count && uses[end].pid == uses[first].pid &&
				  (uses[end].address & mask) == (uses[first].address & mask);)
			end++;
		if (!is_judged(sharing, lines, first, &next))
			sharing_groups_add_line(&groups, uses, first, end - first);
	}
	array_each (const struct use_group, group, groups.items, groups.count) {
		if (sharing_groups_has_false_sharing(group, sharing->cacheline)) {
			sharing_add_example(sharing, uses, group->lines[group->best],
					    group->line_count, group->line_samples);
			for (size_t k = 0; k < group->line_count; k++)
				memset(sharing->contended + group->lines[k].first, true,
				       group->lines[k].count);
		}
		free(group->lines);
	}
	free(groups.items);
}
