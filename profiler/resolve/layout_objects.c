// SPDX-License-Identifier: GPL-2.0-or-later
/* The objects of each type, as data addresses of samples show them: see layout_private.h. */

#include <math.h>

#include "base/hash.h"
#include "base/memory.h"
#include "profiler/ingest/session.h"
#include "profiler/resolve/layout_private.h"
#include "report/layout/lines.h"

#define ENDS_SHARE    0.95       /* of an estimate: a limit above is about the number itself */
#define PACE_GAP      5000000    /* ns between samples of one pass through an array, at most */
#define REGION_NONE   UINT32_MAX /* an access of no region */
#define PACE_PAIRS    12         /* pairs of samples that are needed to believe a pace */
#define PASS_SAMPLES  4          /* samples of a pass at least, if there is one, */
#define PASS_RATE     20         /* bytes in a ns, as one processor reads them at most, */
#define PASS_PAIRS    40         /* and pairs of samples that are needed to say so */
#define NEAR_SAMPLES  16         /* samples before one that are compared with it */
#define ADDRESSED_MIN 8          /* samples with addresses that are needed to count objects */
#define ARRAY_OBJECTS 8          /* distinct objects that are needed to recognize an array */
#define ALLOCATED     16         /* bytes of which allocated memory is a multiple */
#define RARELY_MET    1.25       /* times as many objects as samples find if some are met rarely */
#define ODD_OBJECTS   4          /* one of so many has an odd number of elements before it */
#define AGREEING      0.9        /* of the objects: as good as all */

/* ---- objects ---- */

COMPARISON(compare_objects, struct addressed_sample,
	   ASCENDING(type) ASCENDING(pid) ASCENDING(object))

/* True if code finds objects as elements: a loop goes through them in order, or an index leads to
 * them. Objects that are allocated one by one may lie side by side, too, but are not an array. */
static bool has_elements(const struct advice_type *facts)
{
	return advice_any_use(facts, use->walk == WALK_STREAM || use->indexed);
}

/* Returns whether objects have sizes of their own, because the record ends in a flexible array. */
static bool is_variable(const struct advice_type *facts)
{
	return any_of(i, 0, facts->member_count, facts->members[i].flags & MEMBER_LAST);
}

/* Returns how many objects are multiples of `step` apart, and the rest of their addresses that they
 * have in common. Some samples have addresses of other data: right is what most agree on. */
static size_t multiples_apart(const uint64_t *distinct, size_t count, uint64_t step,
			      uint64_t *common)
{
	uint64_t rest = 0;
	size_t votes = 0, agree = 0;

	for (size_t i = 0; i < count; i++) {
		if (!votes)
			rest = distinct[i] % step;
		votes += distinct[i] % step == rest ? 1 : -1;
	}
	for (size_t i = 0; i < count; i++)
		agree += distinct[i] % step == rest;
	*common = rest;
	return agree;
}

static bool are_multiples_apart(const uint64_t *distinct, size_t count, uint64_t step)
{
	uint64_t rest;

	return (double)multiples_apart(distinct, count, step, &rest) >= AGREEING * (double)count;
}

double objects_as_elements(const uint64_t *distinct, size_t count, uint64_t size)
{
	_cleanup_free_ uint64_t *elements = xcalloc(count, sizeof(*elements));
	uint64_t rest;
	size_t found = 0;

	(void)multiples_apart(distinct, count, size, &rest);
	for (size_t i = 0; i < count; i++)
		if (distinct[i] % size == rest)
			elements[found++] = distinct[i];
	return objects_in_arrays(elements, found, size);
}

#define SPREAD_OBJECTS 16 /* so many elements are not all a multiple of several ones apart */

/* Returns whether objects lie as elements do: nearly all are multiples of the size apart, but not
 * of several times the size. Memory is allocated in multiples of 16 bytes, which tells nothing of
 * smaller objects whose size divides 16; and what an object lies in, or what is allocated with it,
 * may make a multiple of its size, such as 176 for objects of 88. */
static bool lie_as_elements(const uint64_t *distinct, size_t count, uint64_t size)
{
	static const uint64_t primes[] = { 2, 3, 5, 7, 11, 13 };
	size_t odd = 0;

	for (size_t i = 0; i < count; i++)
		odd += (distinct[i] - distinct[0]) / size % 2;
	lower_to(odd, count - odd);
	return are_multiples_apart(distinct, count, size) &&
	       (count < SPREAD_OBJECTS ||
		!any_of(i, 0, COUNT_OF(primes),
			are_multiples_apart(distinct, count, primes[i] * size))) &&
	       (ALLOCATED % size || odd * ODD_OBJECTS >= count);
}

#define PARTS       4   /* of the time of a recording */
#define PARTS_AGREE  1.1 /* counts that agree differ by this factor at most, */
#define GROWN_SHARE  0.8 /* of all elements: at most so many are in use after a copy */
#define PLACES_AGREE 1.25 /* and the memory that they are in */

/* The elements that samples met in one part of the time. */
struct met_elements {
	uint64_t first, last; /* addresses */
	double count;         /* of elements in use */
};

/* Returns whether both parts met about as many elements, and at about the same addresses. */
static bool same_elements(const struct met_elements *a, const struct met_elements *b)
{
	double both = fmin((double)a->last, (double)b->last) -
		      fmax((double)a->first, (double)b->first),
	       all = fmax((double)a->last, (double)b->last) -
		     fmin((double)a->first, (double)b->first);

	return both * PLACES_AGREE >= all &&
	       fmax(a->count, b->count) <= PARTS_AGREE * fmin(a->count, b->count);
}

/* Returns the number of elements in use at one time, of `all` that were met. An array that grows is
 * copied to other memory, and its elements are met in both: a part of the time and the next one
 * meet fewer, and the same ones. The parts of a single pass through an array do not. */
static double elements_at_once(const struct addressed_sample *seen, size_t count, uint64_t size,
			       double all)
{
	_cleanup_free_ uint64_t *objects = xcalloc(count, sizeof(*objects));
	uint64_t begin = UINT64_MAX, end = 0;
	struct met_elements parts[PARTS] = { 0 };
	double most = 0;

	for (size_t i = 0; i < count; i++) {
		begin = seen[i].time < begin ? seen[i].time : begin;
		end = seen[i].time > end ? seen[i].time : end;
	}
	for (uint64_t part = 0; part < PARTS; part++) {
		size_t met = 0;

		for (size_t i = 0; i < count; i++)
			if ((seen[i].time - begin) / ((end - begin) / PARTS + 1) == part &&
			    (!met || objects[met - 1] != seen[i].object))
				objects[met++] = seen[i].object;
		if (met < ADVICE_ADDRESSES)
			return all;
		parts[part] = (struct met_elements){ objects[0], objects[met - 1],
						     objects_as_elements(objects, met, size) };
		if (part && same_elements(&parts[part - 1], &parts[part]))
			most = fmax(most, fmin(parts[part - 1].count, parts[part].count));
	}
	return most > 0 && most < GROWN_SHARE * all ? most : all;
}

#define CHECKED_MAX 1000 /* objects whose maps are looked for */

/* Returns whether the recording has the maps that nearly all objects lie in. It has none of memory
 * that the process got later, unless maps of data were recorded. */
static bool are_in_maps(const struct facts_collector *collector, int32_t pid,
			const uint64_t *objects, size_t count)
{
	const struct session *session = collector->resolution->session;
	const size_t step = count / CHECKED_MAX + 1;
	size_t checked = 0, found = 0;

	for (size_t i = 0; i < count; i += step, checked++)
		found += session_mapped_bytes(session, pid, objects[i], objects[i]) > 0;
	return (double)found >= AGREEING * (double)checked;
}

/* Limits a count to what fits into the memory that the process had from the first object to the
 * last: addresses far apart may have nothing between them. */
static void limit_objects(const struct facts_collector *collector, const uint64_t *distinct,
			  int32_t pid, uint64_t size, struct advice_objects *objects)
{
	double bytes = (double)session_mapped_bytes(collector->resolution->session, pid,
						    distinct[0], distinct[objects->seen - 1]),
	       fit = bytes / (double)size;

	if (!bytes || fit < (double)objects->seen ||
	    !are_in_maps(collector, pid, distinct, objects->seen))
		return;
	objects->most = fmin(objects->most, fit);
	objects->room = fmin(objects->room, bytes);
}

/* The same. Where many objects are alone, others beside them may have met no sample, so that only
 * the memory limits their number, if it is known. */
static void limit_all(const struct facts_collector *collector, const uint64_t *distinct,
		      int32_t pid, uint64_t size, bool all_met, struct advice_objects *objects)
{
	const double most = objects->most, room = objects->room;

	if (!objects->array && !all_met && objects_are_alone(distinct, objects->seen))
		objects->most = objects->room = INFINITY;
	limit_objects(collector, distinct, pid, size, objects);
	if (isinf(objects->most)) {
		objects->most = most;
		objects->room = room;
	}
}

/* Returns how far apart objects that are no array lie at least: as elements of a pool do, or by
 * what malloc() takes for each, with a word of its own. Sets whether nothing lies between them. */
static uint64_t distance_of(const uint64_t *distinct, size_t count, uint64_t size, bool *exact)
{
	uint64_t chunk = round_up(size + sizeof(uint64_t), ALLOCATED);

	*exact = true;
	if (are_multiples_apart(distinct, count, chunk))
		return chunk;
	/* malloc() takes more than a multiple of 16 bytes, so these would lie as it likes */
	*exact = size % ALLOCATED && lie_as_elements(distinct, count, size);
	return *exact ? size : round_up(size, ALLOCATED);
}

/* Sets the number of objects that lie anywhere: by how often samples met the same ones, and by how
 * many fit between their addresses. `elements`: they may be those of an array. */
static void count_scattered(const uint64_t *distinct, uint64_t size, bool elements,
			    struct advice_objects *objects)
{
	uint64_t samples = objects->addressed, seen = objects->seen, again = samples - seen;
	double error = 2 * sqrt((double)again) + 1, high = INFINITY;
	bool exact;
	uint64_t apart = distance_of(distinct, seen, size, &exact),
		 fewer = (uint64_t)fmin((double)seen - 1, error);

	/* those of a small size may be elements of which samples met every second one */
	if (elements && size <= ALLOCATED) {
		apart = size;
		exact = false;
	}
	objects->estimate = objects_drawn_from(samples, seen);
	if (samples > seen)
		objects->least = fmax(objects_drawn_from(samples, seen - fewer), (double)seen);
	else
		objects->least = (double)seen;
	if ((double)again > error)
		high = objects_drawn_from(samples, seen + (uint64_t)error);
	if (seen < ARRAY_OBJECTS) {
		objects->most = objects->estimate;
		return;
	}
	objects->most = fmax(exact ? objects_as_elements(distinct, seen, apart)
				   : objects_in_arrays(distinct, seen, apart),
			     (double)seen);
	/* little but these lies between objects that were allocated one after another: perhaps
	 * others that take as much, or a multiple; that a few lie so may be by chance */
	if (exact && objects->least <= objects->most &&
	    objects->most <= fmax(high, RARELY_MET * objects->estimate)) {
		objects->estimate = objects->most;
		if (objects->addressed >= ADVICE_ADDRESSES) {
			objects->at_most = objects->least < ENDS_SHARE * objects->most;
			objects->least = objects->most;
		}
	}
}

/* Returns the bytes of the lines that a few objects lie in: several may be in one line. */
static double lines_of_few(const uint64_t *distinct, size_t count, uint64_t size,
			   uint64_t cacheline)
{
	uint64_t lines = 0, end = 0; /* of the last line that was counted */

	for (size_t i = 0; i < count; i++) {
		uint64_t first = distinct[i] / cacheline,
			 last = (distinct[i] + size - 1) / cacheline;

		first = first < end ? end : first;
		lines += last + 1 > first ? last + 1 - first : 0;
		end = last + 1 > end ? last + 1 : end;
	}
	return (double)(lines * cacheline);
}

#define ONCE_SHARE 20 /* fewer than one object in so many: all others were met again */

/* Sets the objects of a type that samples of one process show. */
static void find_objects(const struct facts_collector *collector, const struct chosen_type *wanted,
			 const struct addressed_sample *seen, size_t count,
			 struct advice_objects *objects)
{
	_cleanup_free_ uint64_t *distinct = xcalloc(count, sizeof(*distinct));
	uint64_t size = wanted->facts->size, cacheline = collector->options->cacheline, here = 0,
		 times[4] = { 0 }; /* objects by how often they were met: 3 times, or more */
	bool all_met;

	for (size_t i = 0; i < count; i++) {
		objects->addressed += seen[i].samples;
		if (!i || seen[i].object != seen[i - 1].object) {
			distinct[objects->seen++] = seen[i].object;
			here = 0;
		}
		here += seen[i].samples;
		if (i + 1 == count || seen[i].object != seen[i + 1].object)
			times[here < 3 ? here : 3]++;
		if (cacheline <= 64)
			objects->alignments[seen[i].object % cacheline] += seen[i].samples;
	}
	if (objects->addressed < ADDRESSED_MIN || !size)
		return;
	objects->array = has_elements(wanted->facts) && !is_variable(wanted->facts) &&
			 objects->seen >= ARRAY_OBJECTS &&
			 2 * wanted->facts->within <= wanted->facts->samples &&
			 lie_as_elements(distinct, objects->seen, size);
	if (objects->array)
		objects->estimate = objects->most = elements_at_once(
			seen, count, size, objects_as_elements(distinct, objects->seen, size));
	else
		count_scattered(distinct, size, has_elements(wanted->facts), objects);
	all_met = !objects->array && times[1] * ONCE_SHARE <= objects->seen;
	if (all_met)
		objects->most = objects->estimate;
	if (!objects->array && objects->seen >= ARRAY_OBJECTS)
		objects->room =
			objects_in_arrays(distinct, objects->seen, cacheline) * (double)cacheline;
	else if (!objects->array && objects->estimate < (double)objects->seen + 0.5)
		objects->room = lines_of_few(distinct, objects->seen, size, cacheline);
	if (!wanted->facts->is_kernel)
		limit_all(collector, distinct, seen->pid, size, all_met, objects);
	/* a stream meets elements in order, and so the same ones in each pass */
	if (objects->array && lines_are_visited(wanted->facts))
		objects->often = objects_met_often(objects->addressed, times[1], times[2],
						   objects->estimate);
	/* no more can have been drawn from than fit */
	if (objects->most < objects->estimate) {
		/* of an array, its ends beyond what samples hit may be all that the limit lacks */
		objects->at_most = objects->most < ENDS_SHARE * objects->estimate;
		objects->estimate = objects->most;
	}
	lower_to(objects->least, objects->estimate);
}

COMPARISON(compare_processes, struct advice_process, DESCENDING(samples) ASCENDING(pid))

/* Hands the processes of a type over to its facts, which are about the objects of the first one. */
static void keep_processes(struct facts_collector *collector, struct chosen_type *wanted)
{
	struct advice_type *facts = wanted->facts;

	if (!wanted->process_count)
		return;
	array_sort(wanted->processes, wanted->process_count, compare_processes);
	array_each (struct advice_process, process, wanted->processes, wanted->process_count) {
		const char *name = session_last_name(collector->resolution->session, process->pid);

		process->name = name ? arena_strdup(&collector->advice->arena, name) : NULL;
	}
	facts->processes = arena_copy(&collector->advice->arena, wanted->processes,
				      wanted->process_count * sizeof(*wanted->processes));
	facts->process_count = wanted->process_count;
	facts->objects = facts->processes[0].objects;
}

void layout_find_objects(struct facts_collector *collector)
{
	array_sort(collector->seen, collector->seen_count, compare_objects);
	for (size_t i = 0, end; i < collector->seen_count; i = end) {
		const struct addressed_sample *seen = &collector->seen[i];
		struct chosen_type *wanted = &collector->wanted[seen->type];
		const uint32_t *process = hash_map_find(&wanted->by_pid, (uint32_t)seen->pid);

		for (end = i; end < collector->seen_count &&
			      collector->seen[end].type == seen->type &&
			      collector->seen[end].pid == seen->pid;)
			end++;
		find_objects(collector, wanted, seen, end - i,
			     process ? &wanted->processes[*process].objects
				     : &wanted->facts->objects);
	}
	for (size_t i = 0; i < collector->wanted_count; i++)
		keep_processes(collector, &collector->wanted[i]);
}

/* ---- paces ---- */

COMPARISON(compare_paces, struct addressed_sample,
	   ASCENDING(type) ASCENDING(region) ASCENDING(tid) ASCENDING(time) ASCENDING(object))

COMPARISON(compare_doubles, double, BY_VALUE)

/* Returns the nanoseconds that a loop takes from one element to the next, if pairs of successive
 * samples agree on it. Returns 0 if they do not, as in loops that are faster than the samples.
 * `seen` has the samples of the loop in the order of thread and time. */
static double pace_of(const struct addressed_sample *seen, size_t count, uint64_t size)
{
	_cleanup_free_ double *paces = xcalloc(count + 1, sizeof(*paces));
	size_t pairs = 0, near = 0;
	double middle;

	for (size_t i = 1; i < count; i++) {
		uint64_t time = seen[i].time - seen[i - 1].time;
		/* negative: a pass in the other direction, or the next one */
		double distance = (double)(int64_t)(seen[i].object - seen[i - 1].object);

		if (seen[i].tid == seen[i - 1].tid && time && time <= PACE_GAP && distance != 0)
			paces[pairs++] = (double)time * (double)size / distance;
	}
	if (pairs < PACE_PAIRS)
		return 0;
	array_sort(paces, pairs, compare_doubles);
	middle = paces[pairs / 2];
	for (size_t i = 0; i < pairs; i++)
		near += paces[i] > 0.75 * middle && paces[i] < 1.25 * middle;
	return middle > 0 && near * 2 > pairs ? middle : 0;
}

/* Returns the region with this number among those of the type, if it is a loop; else NULL. */
static struct advice_region *loop_of(const struct advice_type *facts, uint32_t number)
{
	return array_find(i, facts->regions, facts->region_count,
			  facts->regions[i].number == number && facts->regions[i].loop);
}

/* Returns whether samples show that no pass goes through an array of `bytes`: it would take several
 * times as long as from one sample of a thread to the next, and most of these would go forward.
 * There is none through objects that are in several arrays (INFINITY). */
static bool passes_are_short(const struct addressed_sample *seen, size_t count, double bytes)
{
	size_t pairs = 0, within = 0, back = 0;

	for (size_t i = 1; i < count; i++) {
		double time = (double)(seen[i].time - seen[i - 1].time);

		if (seen[i].tid != seen[i - 1].tid)
			continue;
		pairs++;
		within += time * PASS_SAMPLES * PASS_RATE < bytes;
		back += seen[i].object < seen[i - 1].object;
	}
	return pairs >= PASS_PAIRS && within * 2 > pairs && back * 3 > pairs &&
	       back * 3 < 2 * pairs;
}

/* Sets whether streams of the region begin elsewhere each time: those with a pace do not, and those
 * of a loop that callers begin do if a pass through all objects would have a pace. */
static void find_begins(const struct advice_type *facts, struct advice_region *region,
			const struct addressed_sample *seen, size_t count)
{
	const struct advice_objects *objects = &facts->objects;
	bool called = !region->inner && !region->pace &&
		      passes_are_short(seen, count,
				       objects->array ? objects->estimate * (double)facts->size
						      : INFINITY);

	array_each (struct advice_use, use, region->uses, region->use_count)
		use->anew = !region->pace && (use->anew || called);
}

/* Sets the pace of a region with a stream. Objects that are visited at a pace without being a
 * stream lie in the order of the visits. Samples do not choose them at random: a few passes of
 * equal length find the same objects again, so find_objects() counts too few; how many there are
 * between its least number and those that fit is not known. */
static void take_pace(struct advice_type *facts, struct advice_region *region, double pace)
{
	if (any_of(i, 0, region->use_count, region->uses[i].walk == WALK_STREAM)) {
		region->pace = pace;
	} else if (pace > 0) {
		region->ordered = true;
		facts->objects.at_most |= facts->objects.most > 1.5 * facts->objects.estimate;
		facts->objects.estimate = facts->objects.most;
		if (facts->objects.at_most)
			facts->objects.least = 0;
	}
}

void layout_find_paces(struct facts_collector *collector)
{
	array_each (struct addressed_sample, seen, collector->seen, collector->seen_count) {
		const uint32_t *number = hash_map_find(
			&collector->regions, layout_charge_key(collector->wanted[seen->type].type,
							       seen->dso, seen->insn));

		seen->region = number ? *number : REGION_NONE;
	}
	array_sort(collector->seen, collector->seen_count, compare_paces);
	for (size_t i = 0, end; i < collector->seen_count; i = end) {
		const struct addressed_sample *seen = &collector->seen[i];
		struct advice_type *facts = collector->wanted[seen->type].facts;
		struct advice_region *region = loop_of(facts, seen->region);

		for (end = i; end < collector->seen_count &&
			      collector->seen[end].type == seen->type &&
			      collector->seen[end].region == seen->region;)
			end++;
		if (region) {
			take_pace(facts, region, pace_of(seen, end - i, facts->size));
			find_begins(facts, region, seen, end - i);
		}
	}
}

/* ---- members used at one time ---- */

COMPARISON(compare_times, struct addressed_sample,
	   ASCENDING(type) ASCENDING(tid) ASCENDING(time) ASCENDING(member))

COMPARISON(compare_nears, struct advice_near,
	   DESCENDING(samples) ASCENDING(first) ASCENDING(second))

/* The pairs of one type while they are counted. */
struct near_counter {
	struct hash_map by_pair;
	struct advice_near *pairs;
	size_t count, capacity;
	uint64_t samples;
};

static void add_near(struct near_counter *counter, uint32_t a, uint32_t b, uint64_t samples)
{
	uint32_t first = a < b ? a : b, second = a < b ? b : a;
	struct advice_near *pair =
		hash_map_item(&counter->by_pair, (uint64_t)first << 32 | second, counter->pairs,
			      counter->count, counter->capacity, NULL);

	pair->first = first;
	pair->second = second;
	pair->samples += samples;
}

/* Counts the member with others of the object that the thread has just accessed. */
static void count_near(struct near_counter *counter, const struct addressed_sample *all,
		       size_t number)
{
	const struct addressed_sample *seen = &all[number];
	int32_t known[NEAR_SAMPLES];
	size_t known_count = 0;
	bool any = false;

	for (size_t back = 1; back <= NEAR_SAMPLES && back <= number; back++) {
		const struct addressed_sample *before = &all[number - back];
		bool again = before->member == seen->member;

		if (before->type != seen->type || before->tid != seen->tid ||
		    seen->time - before->time > ADVICE_NEAR_NS)
			break;
		if (before->object != seen->object || before->member < 0)
			continue;
		any = true;
		if (again || any_of(i, 0, known_count, known[i] == before->member))
			continue;
		known[known_count++] = before->member;
		add_near(counter, (uint32_t)before->member, (uint32_t)seen->member, seen->samples);
	}
	counter->samples += any ? seen->samples : 0;
}

/* Sets the pairs of members of one object that a thread uses within a short time. */
void layout_find_nears(struct facts_collector *collector)
{
	struct arena *arena = &collector->advice->arena;

	array_sort(collector->seen, collector->seen_count, compare_times);
	for (size_t i = 0, end; i < collector->seen_count; i = end) {
		struct advice_type *facts = collector->wanted[collector->seen[i].type].facts;
		struct near_counter counter = { 0 };

		for (end = i; end < collector->seen_count &&
			      collector->seen[end].type == collector->seen[i].type;
		     end++)
			if (collector->seen[end].time && collector->seen[end].member >= 0)
				count_near(&counter, collector->seen, end);
		facts->near_samples = counter.samples;
		if (counter.count) {
			array_sort(counter.pairs, counter.count, compare_nears);
			facts->nears = arena_copy(arena, counter.pairs,
						  counter.count * sizeof(*counter.pairs));
			facts->near_count = counter.count;
		}
		free(counter.pairs);
		hash_map_deinit(&counter.by_pair);
	}
}

/*
 * ---- how many objects there are
 *
 * The number of objects of a type, judged by those that samples have met: see
 * layout_private.h.
 */

/* A gap between two objects that is this many times the mean of all smaller ones is no part of an
 * array. The largest of a thousand random gaps is about ten times their mean. */
#define GAP_FACTOR 32

#define SIGMAS 3 /* more objects that were met twice are no chance */

double objects_drawn_from(uint64_t samples, uint64_t distinct)
{
	double low = (double)distinct, high = (double)samples * (double)samples / 2 + 1;

	for (int i = 0; i < 60 && samples > distinct; i++) {
		/* (1 - 1/n)^s, the chance that an object is not drawn */
		double middle = (low + high) / 2, missed = exp(-(double)samples / middle);

		if (middle * (1 - missed) < (double)distinct)
			low = middle;
		else
			high = middle;
	}
	return samples > distinct ? (low + high) / 2 : high;
}

double objects_met_often(uint64_t samples, uint64_t once, uint64_t twice, double all)
{
	double expected = (double)samples * (double)samples / (2 * all),
	       least = (double)once * (double)once / (2 * fmax((double)twice, 1));

	return (double)twice > expected + SIGMAS * sqrt(expected) + SIGMAS && least < all / 2
		       ? least + (double)once + (double)twice
		       : 0;
}

COMPARISON(compare_gaps, uint64_t, BY_VALUE)

/* Returns the smallest gap that parts two arrays, or UINT64_MAX. The smaller half of the gaps parts
 * none: two neighbours that happen to be close would do. */
static uint64_t parting_gap(const uint64_t *objects, size_t count)
{
	size_t gaps = count - 1;
	_cleanup_free_ uint64_t *sorted = xcalloc(gaps + 1, sizeof(*sorted));
	double sum = 0;

	for (size_t i = 0; i < gaps; i++)
		sorted[i] = objects[i + 1] - objects[i];
	array_sort(sorted, gaps, compare_gaps);
	for (size_t i = 0; i < gaps; i++) {
		if (i > gaps / 2 && (double)sorted[i] * (double)i > GAP_FACTOR * sum)
			return sorted[i];
		sum += (double)sorted[i];
	}
	return UINT64_MAX;
}

#define LONE_OBJECTS 20 /* more than one object in so many is no chance */

bool objects_are_alone(const uint64_t *objects, size_t count)
{
	const uint64_t parting = parting_gap(objects, count);
	size_t alone = 0;

	for (size_t i = 0; i < count; i++)
		alone += (!i || objects[i] - objects[i - 1] >= parting) &&
			 (i + 1 == count || objects[i + 1] - objects[i] >= parting);
	return alone * LONE_OBJECTS > count;
}

double objects_in_arrays(const uint64_t *objects, size_t count, uint64_t size)
{
	uint64_t parting = parting_gap(objects, count);
	double elements = 0;

	for (size_t first = 0, end; first < count; first = end) {
		for (end = first + 1; end < count && objects[end] - objects[end - 1] < parting;)
			end++;
		uint64_t steps = (objects[end - 1] - objects[first]) / size; /* whole ones */
		double here = (double)(end - first);

		/* the ends of the array lie beyond the samples, unless all elements have one */
		elements += here > 1 ? fmax((double)steps * (here + 1) / (here - 1) - 1, here) : 1;
	}
	return elements;
}
