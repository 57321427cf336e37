// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * False sharing that only luck prevents: objects that lie side by side, each used by one thread,
 * and that share no line only because of the place where the first of them happens to begin.
 *
 *     struct sums { long count, x, y, xx, xy, yy; } *sums = malloc(threads * sizeof(*sums));
 *
 * 48 bytes each: if sums begins 0 or 16 bytes after the start of a line, sums[0] and sums[1] share
 * a line.
 *
 * The bytes of an object that its thread uses are known from the samples. So it can be computed,
 * for each place where an allocator may put the first object, whether a line would have bytes that
 * one thread writes and other bytes that the other one uses.
 */

#include "base/memory.h"
#include "report/c2c/sharing.h"

#define OBJECT_MAX 65536 /* bytes of an object that is looked at */
#define STEP       8     /* of the places that are tried; `offsets` has a bit for each */
#define ALIGNMENT  16 /* of objects in memory: malloc, arrays (System V psABI for x86-64, 3.1.2) */
/* A thread is taken to use bytes of an object if they have as many samples as each side of a
 * verdict needs, and more than wrong addresses (one in STRAY_PART) explain. */
#define STRAY_PART 200
/* Wrong addresses do not explain samples if that is less probable than this. */
#define BY_CHANCE_MAX 0.01

/* Bytes of an object that were used together, and how often. */
struct used_bytes {
	uint64_t offset, size; /* in the object */
	struct sharing_row row;
};

struct used_object {
	const struct sharing_use *first;
	uint64_t begin, end; /* times of the first and last use */
	uint64_t samples;
	struct sharing_row row;   /* of all uses */
	bool several;             /* several threads use it */
	int32_t cpu;              /* nearly all uses were on this one; -1: on several */
	struct used_bytes *bytes; /* those that count as used */
	size_t count;
};

struct used_objects {
	struct used_object *items;
	size_t count, capacity;
};

ADDRESS_COMPARISON(latent_compare_uses, struct sharing_use,
		   ASCENDING(pid) BY_TEXT(type) ASCENDING(base) ASCENDING(tid) ASCENDING(time)
			   ASCENDING(address))

static bool is_object(const struct sharing_use *use, uint64_t cacheline)
{
	return use->type && use->base != SHARING_NO_BASE && use->type_size &&
	       use->type_size <= OBJECT_MAX && use->address >= use->base &&
	       use->address - use->base < use->type_size && use->alignment < cacheline;
}

ADDRESS_COMPARISON(compare_bytes, struct sharing_use,
		   ASCENDING(address) ASCENDING(size) ASCENDING(writes) ASCENDING(time))

static bool is_stray(uint64_t samples, const struct used_object *object)
{
	double mean = (double)object->samples / STRAY_PART;

	return !samples || 1 - sharing_probability_of_at_most(samples - 1, mean) >= BY_CHANCE_MAX;
}

/* Lists the bytes that the uses order[0 .. count) are of, and sorts the uses for it. */
static void list_bytes(struct used_object *object, const struct sharing_use **order, size_t count)
{
	uint64_t size = object->first->type_size;
	size_t end;

	array_sort(order, count, compare_bytes);
	object->bytes = xcalloc(count, sizeof(*object->bytes));
	for (size_t first = 0; first < count; first = end) {
		const struct sharing_use *use = order[first];
		struct used_bytes *bytes = &object->bytes[object->count];

		*bytes = (struct used_bytes){ .offset = use->address - object->first->base,
					      .size = use->size };
		lower_to(bytes->size, size - bytes->offset);
		for (end = first; end < count && order[end]->address == use->address &&
				  order[end]->size == use->size;
		     end++)
			sharing_row_add(&bytes->row, order[end]);
		object->count += bytes->row.samples >= SHARING_SIDE_MIN &&
				 !is_stray(bytes->row.samples, object);
	}
}

/* At most one in this many samples is on another processor: a thread may start there. */
#define ELSEWHERE_PART 8

/* Returns the processor that nearly all uses were on, or -1. */
static int32_t find_cpu(const struct sharing_use *const *order, size_t count)
{
	uint64_t lead = 0, samples = 0, elsewhere = 0;
	int32_t cpu = -1;

	/* a majority is left if each other use takes one away (Boyer and Moore, MJRTY) */
	for (size_t i = 0; i < count; i++) {
		if (order[i]->cpu == cpu) {
			lead += order[i]->samples;
		} else if (order[i]->samples > lead) {
			lead = order[i]->samples - lead;
			cpu = order[i]->cpu;
		} else {
			lead -= order[i]->samples;
		}
	}
	for (size_t i = 0; i < count; i++) {
		samples += order[i]->samples;
		elsewhere += order[i]->cpu != cpu ? order[i]->samples : 0;
	}
	return elsewhere * ELSEWHERE_PART <= samples ? cpu : -1;
}

static bool same_object(const struct sharing_use *a, const struct sharing_use *b)
{
	return a->pid == b->pid && a->type == b->type && a->base == b->base;
}

/* Adds the uses order[0 .. count) of one object by one thread, and changes their order. Threads
 * with a handful of samples are left out: they may make the object or collect its results. */
static void add_object(const struct sharing_use **order, size_t count, struct used_objects *list)
{
	struct used_object *last = list->count ? &list->items[list->count - 1] : NULL;
	uint64_t samples =
		sum_over(uint64_t, i, 0, count, order[i]->implied ? 0 : order[i]->samples);

	if (samples < SHARING_SIDE_MIN)
		return;
	if (last && same_object(last->first, order[0])) {
		last->several = true;
		return;
	}
	last = &array_add(list->items, list->count, list->capacity);
	/* uses are sorted by time */
	*last = (struct used_object){ .first = order[0],
				      .begin = order[0]->time,
				      .end = order[count - 1]->time,
				      .samples = samples,
				      .cpu = find_cpu(order, count) };
	for (size_t i = 0; i < count; i++)
		sharing_row_add(&last->row, order[i]);
	list_bytes(last, order, count);
}

static void list_objects(const struct sharing_input *input, struct used_objects *list)
{
	size_t count = input->count + input->witnessed_count, used = 0, end;
	_cleanup_free_ const struct sharing_use **order = xcalloc(count, sizeof(*order));

	for (size_t i = 0; i < count; i++) {
		const struct sharing_use *use =
			i < input->count ? &input->uses[i] : &input->witnessed[i - input->count];

		if (is_object(use, input->cacheline))
			order[used++] = use;
	}
	array_sort(order, used, latent_compare_uses);
	for (size_t first = 0; first < used; first = end) {
		for (end = first; end < used && same_object(order[end], order[first]) &&
				  order[end]->tid == order[first]->tid;)
			end++;
		add_object(order + first, end - first, list);
	}
}

/* Returns whether one would write to a line of the other if `a` began at this byte of it. */
static bool would_share(const struct used_object *a, const struct used_object *b, uint64_t begin,
			uint64_t cacheline)
{
	uint64_t distance = b->first->base - a->first->base;

	array_each (const struct used_bytes, own, a->bytes, a->count) {
		uint64_t first = (begin + own->offset) / cacheline,
			 last = (begin + own->offset + own->size - 1) / cacheline;

		array_each (const struct used_bytes, other, b->bytes, b->count) {
			uint64_t at = begin + distance + other->offset;

			if ((own->row.writes || other->row.writes) && at / cacheline <= last &&
			    (at + other->size - 1) / cacheline >= first)
				return true;
		}
	}
	return false;
}

/* Returns whether a line between the start of `a` and the end of `b` has a verdict of sharing. */
static bool is_known(const struct sharing *sharing, const struct used_object *a,
		     const struct used_object *b)
{
	uint64_t begin = a->first->base & -sharing->cacheline,
		 end = b->first->base + b->first->type_size;

	array_each (const struct sharing_line, line, sharing->lines, sharing->line_count) {
		if (line->pid == a->first->pid && line->address >= begin && line->address < end &&
		    line->verdict <= SHARING_LATENT_CPU)
			return true;
	}
	return false;
}

/* Returns whether the objects belong to two threads that ran at one time. */
static bool are_of_two_threads(const struct used_object *a, const struct used_object *b)
{
	return !a->several && !b->several && a->first->tid != b->first->tid &&
	       a->samples >= SHARING_SIDE_MIN && b->samples >= SHARING_SIDE_MIN &&
	       a->begin < b->end && b->begin < a->end;
}

/* Returns whether the two share a line where they are, but no sample shows it: their threads ran on
 * one processor, so neither waited for the other one. */
static bool is_latent_here(const struct sharing *sharing, const struct used_object *a,
			   const struct used_object *b)
{
	return are_of_two_threads(a, b) && a->cpu >= 0 && a->cpu == b->cpu &&
	       would_share(a, b, a->first->base % sharing->cacheline, sharing->cacheline) &&
	       !is_known(sharing, a, b);
}

/* Sets *offsets to the places at which the two would share a line, as in struct sharing_line.
 * Returns whether this is worth a verdict: they share none where they are, but would at another
 * place that an allocator may choose. */
static bool latent_is_latent(const struct sharing *sharing, const struct used_object *a,
			     const struct used_object *b, uint64_t *offsets)
{
	uint64_t line = sharing->cacheline, here = a->first->base % line,
		 step = a->first->alignment > ALIGNMENT ? a->first->alignment : ALIGNMENT;

	*offsets = 0;
	if (!are_of_two_threads(a, b))
		return false;
	for (uint64_t begin = 0; begin < line && begin / STEP < 64; begin += STEP)
		if (would_share(a, b, begin, line))
			*offsets |= UINT64_C(1) << begin / STEP;
	if (!*offsets || would_share(a, b, here, line))
		return false;
	for (uint64_t begin = here % step; begin < line; begin += step)
		if (would_share(a, b, begin, line))
			return !is_known(sharing, a, b);
	return false;
}

static void add_thread(struct sharing_line *line, const struct used_object *object)
{
	struct sharing_thread *thread = &line->threads[line->thread_count++];

	*thread = (struct sharing_thread){ .tid = object->first->tid,
					   .samples = object->samples,
					   .stores = object->row.stores,
					   .cpu = object->first->cpu,
					   .cpus = 1 };
}

static struct sharing_line latent_make_line(const struct used_object *a,
					    const struct used_object *b, uint64_t cacheline,
					    uint64_t offsets)
{
	struct sharing_line line = { .verdict = SHARING_LATENT_PLACE,
				     .kind = SHARING_NEIGHBOURS,
				     .pid = a->first->pid,
				     .address = a->first->base & -cacheline,
				     .samples = a->samples + b->samples,
				     .base = a->first->base,
				     .distance = b->first->base - a->first->base,
				     .offsets = offsets,
				     .pairs = 1,
				     .rows = xcalloc(2, sizeof(struct sharing_row)),
				     .row_count = 2,
				     .threads = xcalloc(2, sizeof(struct sharing_thread)) };

	line.rows[0] = a->row;
	line.rows[1] = b->row;
	add_thread(&line, a);
	add_thread(&line, b);
	return line;
}

/* Adds a row for each of the object's used bytes that begin in the line. Returns whether any used
 * bytes are in the line, and sets *written if any of these are written. */
static bool latent_add_bytes(struct sharing_line *line, const struct used_object *object,
			     uint64_t cacheline, bool *written)
{
	bool any = false;

	array_each (const struct used_bytes, bytes, object->bytes, object->count) {
		uint64_t address = object->first->base + bytes->offset;

		if (address + bytes->size <= line->address || address >= line->address + cacheline)
			continue;
		any = true;
		*written |= bytes->row.writes;
		if (address < line->address)
			continue;

		struct sharing_row *row = &line->rows[line->row_count++];

		*row = bytes->row;
		row->disturbed = row->samples;
	}
	return any;
}

/* Adds the first line that two objects share if their threads ran on one processor. */
static void add_line_here(struct sharing *sharing, const struct used_object *a,
			  const struct used_object *b)
{
	uint64_t cacheline = sharing->cacheline, end = a->first->base + a->first->type_size;
	struct sharing_line line = { .verdict = SHARING_LATENT_CPU,
				     .kind = SHARING_NEIGHBOURS,
				     .pid = a->first->pid,
				     .samples = a->samples + b->samples,
				     .rows = xcalloc(a->count + b->count, sizeof(*line.rows)),
				     .threads = xcalloc(2, sizeof(*line.threads)) };

	for (line.address = b->first->base & -cacheline; line.address < end;
	     line.address += cacheline) {
		bool written = false;

		line.row_count = 0;
		if (latent_add_bytes(&line, a, cacheline, &written) &&
		    latent_add_bytes(&line, b, cacheline, &written) && written)
			break;
	}
	add_thread(&line, a);
	add_thread(&line, b);
	sharing_add(sharing, &line);
}

void sharing_find_latent(struct sharing *sharing, const struct sharing_input *input)
{
	struct used_objects list = { 0 };
	size_t known = sharing->line_count;

	list_objects(input, &list);
	array_indexed (const struct used_object, a, i, list.items, list.count) {
		for (size_t j = i + 1; j < list.count; j++) {
			const struct used_object *b = &list.items[j];
			struct sharing_line *last =
				sharing->line_count > known
					? &sharing->lines[sharing->line_count - 1]
					: NULL;
			uint64_t offsets;

			if (b->first->pid != a->first->pid || b->first->type != a->first->type ||
			    b->first->base - a->first->base >=
				    a->first->type_size + sharing->cacheline)
				break;
			if (is_latent_here(sharing, a, b))
				add_line_here(sharing, a, b);
			if (!latent_is_latent(sharing, a, b, &offsets))
				continue;
			/* one line of output for all pairs of a type */
			if (last && last->pid == a->first->pid &&
			    last->rows[0].first->type == a->first->type) {
				last->pairs++;
				last->samples += b->samples;
				continue;
			}

			struct sharing_line line =
				latent_make_line(a, b, sharing->cacheline, offsets);

			sharing_add(sharing, &line);
		}
	}
	for (size_t i = 0; i < list.count; i++)
		free(list.items[i].bytes);
	free(list.items);
}
