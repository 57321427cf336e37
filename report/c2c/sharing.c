// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Verdicts on lines: see sharing.h, which says what they mean.
 *
 * Uses are sorted by line, then by time. For each line the threads are listed, with how often each
 * used and wrote each byte. Then each pair of threads is compared: whether their samples alternate,
 * and which bytes both use. Finally each use gets one of four classes:
 *
 *     shared     a contending thread uses some of its bytes, too, and one of both writes them
 *     disturbed  a contending thread uses other bytes of the line, and one of both writes
 *     unsure     as disturbed, but the other thread may also use these bytes: see may_use(), or
 *                has too few samples there; or
 *                a thread polls them, so that some thread writes them, and no sample shows which
 *     alone      all other uses
 *
 * and the verdict follows from how many samples of which threads are in each class.
 */
#include "report/c2c/sharing.h"

#include <assert.h>

#include "base/hash.h"
#include "base/memory.h"

/* The threads of a line that are compared with each other: those with the most samples. */
#define THREADS_MAX 32
/* Two threads run side by side only if samples change between them this often. */
#define TURNS_MIN 6
/* They run side by side if a change comes at least once in this many samples of the thread with
 * fewer samples. Threads that run all the time change about once a sample; phases of a program last
 * longer than this. */
#define TURN_SAMPLES_MAX 8
/* They also run side by side if at least one in this many of those samples is near in time to a
 * sample of the other thread: on a busy machine both wait for long. */
#define NEAR_PART 10
/* The samples of two threads of a function for different bytes: see may_use(). */
#define SAME_CODE_MIN 40
/* A thread does not use a byte that so few samples have: the address was wrong. */
#define STRAY_PART 200
/* A thread with more than this many times the samples of another one hardly waits for it, because
 * each move of a line costs both about the same. */
#define SIDE_PART 20
/* True sharing is the verdict with this many times the samples of the other kind. That is less than
 * SHARING_PREVAILS, because threads that fight for a lock also wait for the fields beside it, and
 * to move these alone gains nothing. */
#define TRUE_PREVAILS 3

enum use_class { USE_ALONE, USE_SHARED, USE_DISTURBED, USE_UNSURE };

/* Whether the samples of two threads alternate, and on how many processors. */
enum relation { RELATION_NONE, RELATION_ONE_CPU, RELATION_TWO_CPUS };

/* A thread and its uses of one line. */
struct line_user {
	int32_t tid;
	uint64_t samples, stores;
	uint64_t sampled, sampled_stores; /* the same, without implied uses */
	uint32_t used[SHARING_LINE_MAX], wrote[SHARING_LINE_MAX]; /* samples of each byte */
	const struct sharing_use *seen[SHARING_LINE_MAX]; /* one of an object that is known */
	uint64_t classes[4];
};

/* The samples of a thread in a function on an object. */
struct code_use {
	int32_t tid;
	const char *function, *type;
	uint64_t base, samples;
};

/* One line while its verdict is looked for. */
struct examined {
	const struct sharing_input *input;
	const struct sharing_use *uses; /* by time */
	uint8_t *classes;               /* enum use_class of each use */
	size_t count;
	uint64_t address, size;
	struct line_user *users; /* by samples, at most THREADS_MAX */
	size_t user_count;
	struct code_use *codes;
	size_t code_count;
	bool polled[SHARING_LINE_MAX]; /* bytes that a thread waits for */
	uint8_t relations[THREADS_MAX][THREADS_MAX];
	uint64_t turns;
};

/* ---- orders ---- */

static int sharing_compare_uses(const void *left, const void *right, void *data)
{
	const struct sharing_use *a = left, *b = right;
	uint64_t mask = -*(const uint64_t *)data;

	COMPARE(a->pid, b->pid);
	COMPARE(a->address & mask, b->address & mask);
	COMPARE(a->time, b->time);
	COMPARE(a->tid, b->tid);
	COMPARE(a->address, b->address);
	COMPARE(a->ip, b->ip);
	COMPARE(a->size, b->size);
	COMPARE(a->writes, b->writes);
	return 0;
}

COMPARISON(compare_users, struct line_user, DESCENDING(samples) ASCENDING(tid))

/* ---- threads ---- */

/* Sets [*begin, *end) to the bytes of the use within the line. */
static void bytes_of(const struct examined *line, const struct sharing_use *use, uint64_t *begin,
		     uint64_t *end)
{
	*begin = use->address - line->address;
	*end = *begin + use->size < line->size ? *begin + use->size : line->size;
}

static struct line_user *find_user(const struct examined *line, int32_t tid)
{
	return array_find(i, line->users, line->user_count, line->users[i].tid == tid);
}

static void count_use(struct examined *line, const struct sharing_use *use, struct line_user *user)
{
	uint64_t begin, end;

	bytes_of(line, use, &begin, &end);
	user->samples += use->samples;
	user->stores += use->writes ? use->samples : 0;
	user->sampled += use->implied ? 0 : use->samples;
	user->sampled_stores += use->writes && !use->implied ? use->samples : 0;
	for (uint64_t byte = begin; byte < end; byte++) {
		user->used[byte] += (uint32_t)use->samples;
		user->wrote[byte] += use->writes ? (uint32_t)use->samples : 0;
		line->polled[byte] |= use->polls;
		if (use->base != SHARING_NO_BASE)
			user->seen[byte] = use;
	}
}

static bool is_code_of(const struct code_use *code, const struct sharing_use *use)
{
	return code->tid == use->tid && code->function == use->function &&
	       code->type == use->type && code->base == use->base;
}

/* Adds a use to the samples of its code. `index` has the numbers of codes by their hashes. */
static void count_code(struct examined *line, const struct sharing_use *use, struct hash_map *index,
		       size_t *capacity)
{
	uint64_t key = hash_combine(hash_combine((uint64_t)use->tid, (uintptr_t)use->function),
				    (uintptr_t)use->type);
	bool created = true;
	uint32_t *number;

	for (key = hash_combine(key, use->base);; key++) {
		number = hash_map_insert(index, key, &created);
		assert(created || line->codes);
		if (created || is_code_of(&line->codes[*number], use))
			break;
	}
	if (created) {
		*number = (uint32_t)line->code_count;
		array_add(line->codes, line->code_count, *capacity) =
			(struct code_use){ .tid = use->tid,
					   .function = use->function,
					   .type = use->type,
					   .base = use->base };
	}
	line->codes[*number].samples += use->samples;
}

static void list_users(struct examined *line)
{
	size_t capacity = 0, code_capacity = 0;
	struct hash_map by_tid = { 0 }, by_code = { 0 };

	for (size_t i = 0; i < line->count; i++) {
		struct line_user *user =
			hash_map_item(&by_tid, (uint32_t)line->uses[i].tid, line->users,
				      line->user_count, capacity, NULL);

		user->tid = line->uses[i].tid;
		count_use(line, &line->uses[i], user);
		count_code(line, &line->uses[i], &by_code, &code_capacity);
	}
	hash_map_deinit(&by_tid);
	hash_map_deinit(&by_code);
	array_sort(line->users, line->user_count, compare_users);
	lower_to(line->user_count, THREADS_MAX);
}

/* ---- pairs of threads ---- */

COMPARISON(compare_gaps, uint64_t, BY_VALUE)

/* Returns the usual time between two samples of a thread in the line. */
static uint64_t usual_gap(const struct examined *line, int32_t tid)
{
	_cleanup_free_ uint64_t *gaps = xcalloc(line->count, sizeof(*gaps));
	const struct sharing_use *last = NULL;
	size_t count = 0;

	for (size_t i = 0; i < line->count; i++) {
		if (line->uses[i].tid != tid || (last && last->time == line->uses[i].time))
			continue;
		if (last)
			gaps[count++] = line->uses[i].time - last->time;
		last = &line->uses[i];
	}
	if (!count)
		return 0;
	array_sort(gaps, count, compare_gaps);
	return gaps[count / 2];
}

/* Returns whether the thread of the earlier use slept at the later one. */
static bool slept_until(const struct examined *line, const struct sharing_use *earlier,
			const struct sharing_use *later)
{
	const struct sharing_input *input = line->input;

	return input->slept && input->slept(input->slept_data, earlier->tid, later->time);
}

/* Returns whether a use is at most `gap` after another thread's, on another processor, and that
 * thread had not gone to sleep. */
static bool is_near(const struct examined *line, const struct sharing_use *earlier,
		    const struct sharing_use *later, uint64_t gap)
{
	return later->time - earlier->time <= gap && later->cpu != earlier->cpu &&
	       !slept_until(line, earlier, later);
}

/* Returns how many samples of `tid` have one of `other` elsewhere within `gap`. */
static uint64_t samples_near(const struct examined *line, int32_t tid, int32_t other, uint64_t gap)
{
	const struct sharing_use *before = NULL, *pending = NULL;
	uint64_t near = 0;

	array_each (const struct sharing_use, use, line->uses, line->count) {
		if (use->tid == other) {
			/* the next sample decides on the last one of `tid` */
			near += pending && is_near(line, pending, use, gap);
			pending = NULL;
			before = use;
		} else if (use->tid == tid) {
			bool after_other = before && is_near(line, before, use, gap);

			near += after_other;
			pending = after_other ? NULL : use;
		}
	}
	return near;
}

/* Returns whether the threads run at one time: see TURN_SAMPLES_MAX and NEAR_PART. */
static bool run_side_by_side(const struct examined *line, const struct line_user *a,
			     const struct line_user *b, uint64_t across)
{
	const struct line_user *fewer = a->samples < b->samples ? a : b, *more = fewer == a ? b : a;
	uint64_t gap, near;

	if (across < TURNS_MIN)
		return false;
	if (across * TURN_SAMPLES_MAX >= fewer->samples)
		return true;
	gap = usual_gap(line, a->tid) + usual_gap(line, b->tid);
	near = samples_near(line, fewer->tid, more->tid, gap);
	return near >= SHARING_SIDE_MIN && near * NEAR_PART >= fewer->samples;
}

static enum relation relation_of(struct examined *line, const struct line_user *a,
				 const struct line_user *b)
{
	const struct sharing_use *last = NULL;
	uint64_t turns = 0, across = 0, slept = 0,
		 fewer = a->samples < b->samples ? a->samples : b->samples;

	array_each (const struct sharing_use, use, line->uses, line->count) {
		if (use->tid != a->tid && use->tid != b->tid)
			continue;
		if (last && last->tid != use->tid) {
			bool asleep = slept_until(line, last, use);

			turns++;
			slept += asleep;
			across +=
				!asleep && (last->cpu < 0 || use->cpu < 0 || last->cpu != use->cpu);
		}
		last = use;
	}
	/* threads that migrate are on one processor for a part of the time */
	if (run_side_by_side(line, a, b, across)) {
		line->turns += across;
		return RELATION_TWO_CPUS;
	}
	/* one hands the line over to the other, on any processor */
	if (slept * 2 > turns)
		return RELATION_NONE;
	/* on one processor a thread has several samples in a turn; a few turns may be on others, at
	 * the start, or all the time where the scheduler moves threads about */
	return turns >= TURNS_MIN && (across * TURN_SAMPLES_MAX <= turns ||
				      (turns - across) * TURN_SAMPLES_MAX >= fewer)
		       ? RELATION_ONE_CPU
		       : RELATION_NONE;
}

static void compare_pairs_of_users(struct examined *line)
{
	for (size_t a = 0; a < line->user_count; a++)
		for (size_t b = a + 1; b < line->user_count; b++)
			line->relations[a][b] = line->relations[b][a] =
				(uint8_t)relation_of(line, &line->users[a], &line->users[b]);
}

static bool counts_as_used(uint32_t samples, const struct line_user *user)
{
	return samples > user->samples / STRAY_PART;
}

/* Returns whether the other thread uses bytes of `use`, too, and one of them writes. */
static bool is_shared(const struct examined *line, const struct sharing_use *use,
		      const struct line_user *user, const struct line_user *other)
{
	uint64_t begin, end;

	bytes_of(line, use, &begin, &end);
	return any_of(byte, begin, end,
		      counts_as_used(other->used[byte], other) &&
			      counts_as_used(user->used[byte], user) &&
			      (other->wrote[byte] || user->wrote[byte]));
}

/*
 * Returns whether a thread waits for some bytes of `use` to change. A barrier's flag is an example:
 * time is spent at it until another thread arrives, not because of what others write beside it.
 */
static bool is_polled(const struct examined *line, const struct sharing_use *use)
{
	uint64_t begin, end;

	bytes_of(line, use, &begin, &end);
	return any_of(byte, begin, end, line->polled[byte]);
}

/* Returns whether a sample shows `other` to use a byte of `use` in the same object, even if there
 * are too few to count. A reader that waits for a sequence number before it reads is an example. */
static bool was_seen(const struct examined *line, const struct sharing_use *use,
		     const struct line_user *other)
{
	uint64_t begin, end;

	bytes_of(line, use, &begin, &end);
	return any_of(byte, begin, end,
		      use->base != SHARING_NO_BASE && other->seen[byte] &&
			      other->seen[byte]->base == use->base &&
			      other->seen[byte]->type == use->type);
}

/* True if `other` may use the bytes of `use` although no sample shows it: it runs the same function
 * on the same object. A queue is an example: the thread that puts and the one that takes both run
 * lock(), and a thread with few samples in it may only seem never to write the lock's owner. */
static bool may_use(const struct examined *line, const struct sharing_use *use,
		    const struct line_user *user, const struct line_user *other)
{
	uint64_t same = 0;

	if (!use->function || use->base == SHARING_NO_BASE)
		return false;
	array_each (const struct code_use, code, line->codes, line->code_count) {
		if (code->tid == other->tid && code->function == use->function &&
		    code->base == use->base && code->type == use->type)
			same += code->samples;
	}
	return same &&
	       (same < SAME_CODE_MIN || user->used[use->address - line->address] < SAME_CODE_MIN);
}

static enum use_class class_of(const struct examined *line, const struct sharing_use *use,
			       size_t user, enum relation least)
{
	const struct line_user *own = &line->users[user];
	enum use_class class = USE_ALONE;

	array_indexed (const struct line_user, other, i, line->users, line->user_count) {
		if (i == user || line->relations[user][i] < least)
			continue;
		if (is_shared(line, use, own, other))
			return USE_SHARED;
		if (!other->stores && !use->writes)
			continue;
		if (is_polled(line, use) || was_seen(line, use, other) ||
		    may_use(line, use, own, other))
			class = USE_UNSURE;
		else if (class == USE_ALONE)
			class = USE_DISTURBED;
	}
	return class;
}

static void classify(struct examined *line, enum relation least)
{
	for (size_t i = 0; i < line->user_count; i++)
		memset(line->users[i].classes, 0, sizeof(line->users[i].classes));
	for (size_t i = 0; i < line->count; i++) {
		struct line_user *user = find_user(line, line->uses[i].tid);

		line->classes[i] = user ? (uint8_t)class_of(line, &line->uses[i],
							    (size_t)(user - line->users), least)
					: USE_ALONE;
		if (user)
			user->classes[line->classes[i]] += line->uses[i].samples;
	}
}

/* ---- verdicts ---- */

/* Returns whether two related threads make up false sharing: one writes, the other is disturbed. */
static bool has_false_sharing(const struct examined *line, enum relation least)
{
	for (size_t a = 0; a < line->user_count; a++)
		for (size_t b = 0; b < line->user_count; b++)
			if (a != b && line->relations[a][b] >= least &&
			    line->users[a].stores >= SHARING_SIDE_MIN &&
			    line->users[b].classes[USE_DISTURBED] >= SHARING_SIDE_MIN &&
			    line->users[b].samples * SIDE_PART >= line->users[a].samples &&
			    line->users[a].samples * SIDE_PART >= line->users[b].samples)
				return true;
	return false;
}

static bool has_true_sharing(const struct examined *line, enum relation least)
{
	for (size_t a = 0; a < line->user_count; a++)
		for (size_t b = a + 1; b < line->user_count; b++)
			if (line->relations[a][b] >= least &&
			    line->users[a].classes[USE_SHARED] >= SHARING_SIDE_MIN &&
			    line->users[b].classes[USE_SHARED] >= SHARING_SIDE_MIN)
				return true;
	return false;
}

static uint64_t class_samples(const struct examined *line, enum use_class class)
{
	return sum_over(uint64_t, i, 0, line->user_count, line->users[i].classes[class]);
}

/* Returns the verdict if threads contend, else SHARING_PRIVATE. */
static enum sharing_verdict verdict_at(struct examined *line, enum relation least)
{
	bool related = false;

	for (size_t a = 0; a < line->user_count; a++)
		for (size_t b = a + 1; b < line->user_count; b++)
			related |= line->relations[a][b] >= least &&
				   (line->users[a].stores || line->users[b].stores);
	if (!related)
		return SHARING_PRIVATE;
	classify(line, least);

	uint64_t shared = class_samples(line, USE_SHARED),
		 disturbed = class_samples(line, USE_DISTURBED);
	bool is_true = has_true_sharing(line, least), is_false = has_false_sharing(line, least);

	if (is_false && disturbed >= SHARING_PREVAILS * shared)
		return SHARING_FALSE;
	if (is_true && shared >= TRUE_PREVAILS * disturbed)
		return SHARING_TRUE;
	if (is_false && is_true)
		return SHARING_BOTH;
	return is_true ? SHARING_TRUE : is_false ? SHARING_FALSE : SHARING_FEW;
}

/* Returns whether threads probably contend for the line, but have too few samples to alternate
 * often: one of them writes, or HITM shows that the line moved. */
static bool is_too_little(const struct examined *line)
{
	uint64_t fewer = line->user_count > 1 ? line->users[1].samples : 0,
		 stores = sum_over(uint64_t, i, 0, line->user_count, line->users[i].stores),
		 hitm = sum_over(
			 uint64_t, i, 0, line->count,
			 line->uses[i].hitm && !line->uses[i].implied ? line->uses[i].samples : 0);

	return hitm || (fewer && fewer < SHARING_SIDE_MIN && stores &&
			line->users[0].samples >= SHARING_SIDE_MIN);
}

static enum sharing_verdict verdict_of(struct examined *line)
{
	enum sharing_verdict verdict;

	if (line->user_count < 2)
		return is_too_little(line) ? SHARING_FEW : SHARING_PRIVATE;
	compare_pairs_of_users(line);
	verdict = verdict_at(line, RELATION_TWO_CPUS);
	if (verdict != SHARING_PRIVATE)
		return verdict;
	verdict = verdict_at(line, RELATION_ONE_CPU);
	if (verdict == SHARING_FALSE || verdict == SHARING_BOTH)
		return SHARING_LATENT_CPU;
	if (verdict == SHARING_TRUE)
		return SHARING_LATENT_TRUE;
	memset(line->classes, 0, line->count);
	return is_too_little(line) ? SHARING_FEW : SHARING_PRIVATE;
}

/* ---- the result ---- */

static int compare_for_rows(const void *left, const void *right, void *data)
{
	const struct examined *line = data;
	const struct sharing_use *a = &line->uses[*(const uint32_t *)left],
				 *b = &line->uses[*(const uint32_t *)right];

	ASCENDING(address)
	ASCENDING(size)
	ASCENDING(tid)
	ASCENDING(base)
	BY_TEXT(type)
	BY_TEXT(field)
	return compare_texts(a->function, b->function);
}

COMPARISON(sharing_compare_rows, struct sharing_row,
	   ASCENDING(first->address) ASCENDING(first->size) DESCENDING(samples)
		   ASCENDING(first->tid) BY_TEXT(first->function) BY_TEXT(first->field))

/* As compare_for_rows(), and within a row by caller. */
static int compare_in_rows(const void *left, const void *right, void *data)
{
	const struct examined *line = data;
	int order = compare_for_rows(left, right, data);

	return order
		       ?: compare_texts(line->uses[*(const uint32_t *)left].caller,
					line->uses[*(const uint32_t *)right].caller);
}

/* The samples of a row that have one caller, while the row is made. */
struct called {
	const char *caller;
	uint64_t samples, most;
};

static void count_caller(struct sharing_row *row, const struct sharing_use *use,
			 struct called *called)
{
	if (!use->caller)
		return;
	if (called->caller != use->caller)
		*called = (struct called){ .caller = use->caller, .most = called->most };
	called->samples += use->samples;
	row->other_callers |= row->caller && row->caller != use->caller;
	if (called->samples > called->most) {
		called->most = called->samples;
		row->caller = use->caller;
	}
}

void sharing_row_add(struct sharing_row *row, const struct sharing_use *use)
{
	/* the samples that others are witnesses of name no variable */
	if (!row->first || (!row->first->variable && use->variable))
		row->first = use;
	row->samples += use->samples;
	row->reads |= use->reads;
	row->writes |= use->writes;
	row->loads += use->reads && !use->implied ? use->samples : 0;
	row->stores += use->writes && !use->implied ? use->samples : 0;
	row->hitm += use->hitm && !use->implied ? use->samples : 0;
	row->cost += use->cost;
}

static void make_rows(const struct examined *examined, struct sharing_line *line)
{
	struct called called = { 0 };
	_cleanup_free_ uint32_t *order = xcalloc(examined->count, sizeof(*order));
	size_t capacity = 0;

	for (size_t i = 0; i < examined->count; i++)
		order[i] = (uint32_t)i;
	qsort_r(order, examined->count, sizeof(*order), compare_in_rows, (void *)examined);
	for (size_t i = 0; i < examined->count; i++) {
		const struct sharing_use *use = &examined->uses[order[i]];

		if (!i || compare_for_rows(&order[i - 1], &order[i], (void *)examined) != 0) {
			array_add(line->rows, line->row_count, capacity) =
				(struct sharing_row){ .first = use };
			called = (struct called){ 0 };
		}

		struct sharing_row *row = &line->rows[line->row_count - 1];

		sharing_row_add(row, use);
		count_caller(row, use, &called);
		row->shared += examined->classes[order[i]] == USE_SHARED ? use->samples : 0;
		row->disturbed += examined->classes[order[i]] == USE_DISTURBED ? use->samples : 0;
	}
	array_sort(line->rows, line->row_count, sharing_compare_rows);
}

#define CPUS_MAX 1024 /* samples on higher processors are not counted */

static void count_cpus(const struct examined *line, struct sharing_thread *thread)
{
	_cleanup_free_ uint64_t *samples = xcalloc(CPUS_MAX, sizeof(*samples));

	thread->cpu = -1;
	for (size_t i = 0; i < line->count; i++)
		if (line->uses[i].tid == thread->tid && line->uses[i].cpu >= 0 &&
		    line->uses[i].cpu < CPUS_MAX)
			samples[line->uses[i].cpu] += line->uses[i].samples;
	for (int32_t cpu = 0; cpu < CPUS_MAX; cpu++) {
		thread->cpus += samples[cpu] != 0;
		if (samples[cpu] && (thread->cpu < 0 || samples[cpu] > samples[thread->cpu]))
			thread->cpu = cpu;
	}
}

static void make_threads(const struct examined *examined, struct sharing_line *line)
{
	line->threads = xcalloc(examined->user_count, sizeof(*line->threads));
	line->thread_count = examined->user_count;
	array_indexed (const struct line_user, user, i, examined->users, examined->user_count) {
		line->threads[i] = (struct sharing_thread){ .tid = user->tid,
							    .samples = user->sampled,
							    .stores = user->sampled_stores };
		count_cpus(examined, &line->threads[i]);
	}
}

static bool have_common_bytes(const struct sharing_row *a, const struct sharing_row *b)
{
	return a->first->address < b->first->address + b->first->size &&
	       b->first->address < a->first->address + a->first->size;
}

/* Returns what the falsely shared bytes belong to. The row with the most disturbed samples decides,
 * together with the largest row of other bytes that another thread is disturbed at or writes. */
static enum sharing_kind kind_of(const struct sharing_line *line)
{
	const struct sharing_row *first = NULL, *second = NULL;

	for (size_t i = 0; i < line->row_count; i++)
		if (line->rows[i].disturbed &&
		    (!first || line->rows[i].disturbed > first->disturbed))
			first = &line->rows[i];
	for (size_t i = 0; i < line->row_count && first; i++)
		if ((line->rows[i].disturbed || line->rows[i].writes) &&
		    line->rows[i].first->tid != first->first->tid &&
		    !have_common_bytes(&line->rows[i], first) &&
		    (!second || line->rows[i].samples > second->samples))
			second = &line->rows[i];
	if (!first || !second || !first->first->type || first->first->type != second->first->type)
		return SHARING_UNLIKE;
	if (first->first->variable != second->first->variable)
		return SHARING_UNLIKE;
	if (first->first->base == SHARING_NO_BASE || second->first->base == SHARING_NO_BASE)
		return first->first->field == second->first->field ? SHARING_ELEMENTS
								   : SHARING_ONE_TYPE;
	return first->first->base == second->first->base ? SHARING_ONE_OBJECT : SHARING_NEIGHBOURS;
}

static struct sharing_line make_line(struct examined *examined, enum sharing_verdict verdict)
{
	struct sharing_line line = { .verdict = verdict,
				     .pid = examined->uses[0].pid,
				     .address = examined->address,
				     .turns = examined->turns };

	for (size_t i = 0; i < examined->count; i++) {
		line.samples += examined->uses[i].implied ? 0 : examined->uses[i].samples;
		line.elsewhere += examined->uses[i].elsewhere ? examined->uses[i].samples : 0;
		line.cost += examined->uses[i].cost;
		line.hitm += examined->uses[i].hitm ? examined->uses[i].samples : 0;
	}
	make_rows(examined, &line);
	make_threads(examined, &line);
	for (size_t i = 0; i < line.row_count; i++) {
		line.shared += line.rows[i].shared;
		line.disturbed += line.rows[i].disturbed;
	}
	line.kind = kind_of(&line);
	return line;
}

/* Finds the verdict of one line, whose uses are all[first .. first + count). */
static void examine(struct sharing *sharing, const struct sharing_input *input, size_t first,
		    size_t count)
{
	const struct sharing_use *uses = input->uses + first;
	struct examined examined = { .input = input,
				     .uses = uses,
				     .classes = xcalloc(count, 1),
				     .count = count,
				     .address = uses[0].address & -sharing->cacheline,
				     .size = sharing->cacheline };

	list_users(&examined);

	enum sharing_verdict verdict = verdict_of(&examined);

	if (verdict == SHARING_PRIVATE) {
		sharing->private_lines++;
	} else {
		struct sharing_line line = make_line(&examined, verdict);

		if (verdict == SHARING_FALSE)
			memset(sharing->contended + first, true, count);
		line.first_use = first;
		sharing_add(sharing, &line);
	}
	free_all(examined.users, examined.codes, examined.classes);
}

void sharing_add_example(struct sharing *sharing, const struct sharing_use *all,
			 struct sharing_span example, uint64_t alike, uint64_t samples)
{
	struct examined examined = { .uses = all + example.first,
				     .classes = xcalloc(example.count, 1),
				     .count = example.count,
				     .address = all[example.first].address & -sharing->cacheline,
				     .size = sharing->cacheline };
	struct sharing_line line;

	list_users(&examined);
	memset(examined.relations, RELATION_TWO_CPUS, sizeof(examined.relations));
	classify(&examined, RELATION_TWO_CPUS);
	line = make_line(&examined, SHARING_FALSE);
	line.alike = alike;
	line.cost = line.samples ? line.cost * samples / line.samples : 0;
	line.samples = samples;
	sharing_add(sharing, &line);
	free_all(examined.users, examined.codes, examined.classes);
}

static int verdict_rank(enum sharing_verdict verdict)
{
	return verdict == SHARING_PRIVATE      ? 3
	       : verdict == SHARING_FEW        ? 2
	       : verdict >= SHARING_LATENT_CPU ? 1
					       : 0;
}

COMPARISON(sharing_compare_lines, struct sharing_line,
	   COMPARE(verdict_rank(a->verdict), verdict_rank(b->verdict));
	   DESCENDING(hitm) DESCENDING(cost) DESCENDING(samples) ASCENDING(pid) ASCENDING(address)
		   ASCENDING(verdict))

void sharing_add(struct sharing *sharing, const struct sharing_line *line)
{
	array_add(sharing->lines, sharing->line_count, sharing->line_capacity) = *line;
}

struct sharing *sharing_create(const struct sharing_input *input)
{
	struct sharing *sharing = xcalloc(1, sizeof(*sharing));
	struct sharing_use *uses = input->uses;
	size_t count = input->count, end;
	uint64_t cacheline = input->cacheline, mask = -cacheline;

	sharing->cacheline = cacheline;
	sharing->contended = xcalloc(count, sizeof(*sharing->contended));
	if (count)
		qsort_r(uses, count, sizeof(*uses), sharing_compare_uses, &cacheline);
	for (size_t first = 0; first < count; first = end) {
		for (end = first; end < count && uses[end].pid == uses[first].pid &&
				  (uses[end].address & mask) == (uses[first].address & mask);
		     end++) {
			sharing->samples += uses[end].implied ? 0 : uses[end].samples;
			sharing->cost += uses[end].cost;
		}
		examine(sharing, input, first, end - first);
	}
	sharing_find_groups(sharing, uses, count);
	sharing_find_latent(sharing, input);
	sharing_predict(sharing, input);
	array_sort(sharing->lines, sharing->line_count, sharing_compare_lines);
	return sharing;
}

void sharing_destroy(struct sharing *sharing)
{
	if (!sharing)
		return;
	for (size_t i = 0; i < sharing->line_count; i++) {
		free_all(sharing->lines[i].rows, sharing->lines[i].threads,
			 sharing->lines[i].locks);
	}
	free_all(sharing->lines, sharing->contended, sharing);
}

const char *sharing_verdict_name(enum sharing_verdict verdict)
{
	static const char *const names[SHARING_VERDICTS] = {
		[SHARING_FALSE] = "false sharing",
		[SHARING_TRUE] = "true sharing",
		[SHARING_BOTH] = "true and false sharing",
		[SHARING_LATENT_CPU] = "latent false sharing",
		[SHARING_LATENT_TRUE] = "latent true sharing",
		[SHARING_LATENT_PLACE] = "latent false sharing",
		[SHARING_FEW] = "too few samples",
		[SHARING_PRIVATE] = "not shared",
	};

	return names[verdict];
}

const char *sharing_kind_name(enum sharing_kind kind)
{
	static const char *const names[] = { [SHARING_ONE_OBJECT] = "fields of one object",
					     [SHARING_NEIGHBOURS] = "neighbouring objects",
					     [SHARING_ELEMENTS] = "elements of an array",
					     [SHARING_ONE_TYPE] = "objects of one type",
					     [SHARING_UNLIKE] = "unlike objects side by side" };

	return names[kind];
}
