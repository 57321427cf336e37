// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements run_visits.h.
 *
 * An iteration goes to the next object, loads a byte at each of its touches, and computes. The loop
 * is compiled for each order of visits and each small number of touches, so that it takes no more
 * instructions than a program's own loop would; whatever does not fit is run by the general one.
 * The loop's own time is known: it is timed with a few objects, whose lines stay in L1, too.
 */
#include "profiler/machine/run_visits.h"

#include <math.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "profiler/machine/cached_costs.h"

#define ROOM         ((uint64_t)768 << 20) /* bytes of one layout, at most, */
#define MEMORY_SHARE 4                     /* and one part in so many of the free memory */
#define FEW          192                   /* lines that stay in L1, */
#define FEW_LEAST    4                     /* and objects that have them */
#define LINE         64                    /* bytes */
#define PAIRS        5                     /* at least; */
#define PAIRS_MAX    10 /* more while the least times of one layout differ by more than */
#define UNSTEADY     1.05
#define LEAST_TIMES  3   /* of one layout: whatever else runs made the others longer */
#define SLICE_NS     2e6 /* of one timed run, */
#define SLICES       3   /* of which so many follow each other: the least counts */
#define STILL_NS     4e5 /* with few objects */
#define WARM_NS      2e7 /* of visits that are not timed, before those that are, */
#define WARM_PASSES  4   /* and times the objects: those in no order leave out some */
#define FITTINGS     2   /* steps in which the computation is found, */
#define FITTING_RUNS 2   /* each by so many runs */
#define CHAIN_MAX    2048
#define FILL_MAX     1024
#define CHAIN_CYCLES 3  /* of a multiplication */
#define FILL         4  /* instructions of a round of compute() that wait for nothing */
#define LIST_LENGTH  4  /* powers of 2 */
#define LIST_SHORT   2
#define JUMP_CYCLES  20 /* of a jump that the processor guessed wrong */
#define JUMPS_MAX    4
#define JUMPS_BEHIND 1.5 /* times the samples right after them: later instructions wait, too */

/* Shares of the instructions of a loop that access the type: so much of its samples is charged to
 * it even if nothing waits. Neither is known, so both are tried. */
static const double own_shares[] = { 0.1, 0.45 };

/* Times the computation that is known: more of it is in what only some iterations run, and in
 * instructions that take longer than is known. */
static const double computing[] = { 1, 1.25 };

/* Shares of the visits that leave out what is not in all paths of a loop. */
static const double rare_shares[] = { 0.25, 0.75 };

/* ---- memory ---- */

/* Sets a layout of a few objects, whose lines are in all sets of L1. */
static void few_layout_make(const struct visit_layout *layout, uint64_t count,
			    struct visit_layout *few)
{
	uint64_t at = 0;

	*few = *layout;
	for (uint32_t i = 0; i < few->part_count; i++) {
		struct visit_part *part = &few->parts[i];

		if (part->distance >= LINE)
			part->distance = (round_up(part->distance, LINE) / LINE | 1) * LINE;
		/* parts of one object keep their distance, if objects are allocated one by one */
		if (i && part->begin >= layout->parts[i - 1].begin + layout->parts[i - 1].distance)
			part->begin = at + part->begin % 4096;
		at = round_up(part->begin + count * part->distance, 4096);
	}
	few->bytes = at + 4096;
}

/* One layout of all objects, or of a few. */
struct replay_memory {
	const struct visit_layout *layout;
	uint8_t *bytes; /* NULL: none */
	uint64_t objects;
};

static bool memory_open(struct replay_memory *memory, const struct visit_layout *layout,
			uint64_t objects)
{
	*memory = (struct replay_memory){ .layout = layout, .objects = objects };
	memory->bytes = mmap(NULL, layout->bytes, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory->bytes == MAP_FAILED)
		memory->bytes = NULL;
	return memory->bytes;
}

static void memory_close(struct replay_memory *memory)
{
	if (memory->bytes)
		munmap(memory->bytes, memory->layout->bytes);
}

static uint64_t next_random(uint64_t *state)
{
	*state = *state * MULTIPLIER + INCREMENT;
	return *state;
}

/* Returns a number below `limit`. The upper bits of the state are the more random ones. */
static inline uint64_t below(uint64_t state, uint64_t limit)
{
	return (uint64_t)((unsigned __int128)state * limit >> 64);
}

/* Writes what leads from one object to another. */
static void link_object(const struct replay_memory *memory, const struct visit_base *base,
			uint32_t from, uint32_t part, uint64_t offset, uint32_t to)
{
	uint8_t *place = memory->bytes + visit_place(memory->layout, part, from) + offset;
	uint64_t address =
		(uintptr_t)memory->bytes + visit_place(memory->layout, base->next_part, to);

	if (base->next_pointer)
		memcpy(place, &address, sizeof(address));
	else
		memcpy(place, &to, sizeof(to));
}

/* Writes what leads to each next object: in memory's order, or in a random circle; or to two in a
 * tree of least depth, and from its leaves back to its root. */
static void link_objects(const struct replay_memory *memory, const struct visit_base *base)
{
	uint64_t count = memory->objects, state = 1;
	_cleanup_free_ uint32_t *order = xcalloc(count, sizeof(*order));

	for (uint64_t i = 0; i < count; i++)
		order[i] = (uint32_t)i;
	for (uint64_t i = count - 1; i > 0 && !base->ordered; i--) {
		uint64_t other = below(next_random(&state), i + 1);

		exchange(order[i], order[other]);
	}
	for (uint64_t i = 0; i < count; i++) {
		uint64_t next = base->tree ? 2 * i + 1 : i + 1;

		link_object(memory, base, order[i], base->next_part, base->next_offset,
			    order[next < count ? next : 0]);
		if (base->tree)
			link_object(memory, base, order[i], base->other_part, base->other_offset,
				    order[next + 1 < count ? next + 1 : 0]);
	}
}

/* Writes random bytes where visits touch, and the pointers from part to part. */
static void fill_objects(const struct replay_memory *memory, const struct visit_base *base)
{
	const struct visit_layout *layout = memory->layout;
	uint64_t state = 2;

	for (uint64_t i = 0; i < memory->objects; i++) {
		array_each (const struct visit_touch, touch, base->touches, base->touch_count) {
			/* one byte of each line, if there are many places */
			for (uint64_t k = 0; k < touch->places;
			     k += touch->stride && touch->stride < LINE ? LINE / touch->stride : 1)
				memory->bytes[visit_place(layout, touch->part, i) + touch->offset +
					      k * touch->stride] =
					(uint8_t)(next_random(&state) >> 56);
		}
		for (uint32_t part = 1; part < layout->part_count; part++) {
			uint64_t address = (uintptr_t)memory->bytes + visit_place(layout, part, i);

			if (layout->parts[part].through)
				memcpy(memory->bytes + visit_place(layout, part - 1, i) +
					       layout->parts[part].pointer,
				       &address, sizeof(address));
		}
	}
}

/* Makes the objects that a program visits. Pointers come last, as other bytes may lie in them. */
static void memory_fill(const struct replay_memory *memory, const struct visit_base *bases,
			uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		fill_objects(memory, &bases[i]);
	for (uint32_t i = 0; i < count; i++)
		if (bases[i].walk == WALK_CHASE)
			link_objects(memory, &bases[i]);
}

/* ---- visits ---- */

/* Each kind of visit is compiled by itself, with its constants. */
#define INLINED static inline __attribute__((always_inline))

/* The places of touches in the first object, and how far those of the next one are from them. Loops
 * have a copy, as whatever they load again takes room in the processor that visits need. */
struct touch_walk {
	uint32_t count;
	uintptr_t places[VISIT_TOUCHES];
	uint64_t steps[VISIT_TOUCHES];
	uint64_t offsets[VISIT_TOUCHES]; /* from the first place */
	bool writes[VISIT_TOUCHES];
	bool through[VISIT_TOUCHES]; /* the place has a pointer to the part with the touch */
};

/* A base on its way through a memory. */
struct walker {
	const struct visit_base *base;
	const struct replay_memory *memory;
	/* its number; ORDER_POINTER: the address of its part with what leads to the next one */
	uint64_t object;
	uint64_t state; /* of random numbers */
	struct touch_walk walk;
};

/* How the lists end that a chase follows. Whether those of a loop in a loop are long or short, and
 * whether the processor guesses their ends, is not known: each is tried. Those that are searched
 * end. */
enum list_ends {
	LISTS_ENDLESS,
	LISTS_EQUAL, /* after LIST_LENGTH objects, as the processor guesses */
	LISTS_SHORT, /* by chance, LIST_SHORT objects on average: each end is guessed wrong */
	LIST_ENDS,
};

/* Returns whether the list ends at the object from which `loaded` comes. */
INLINED bool list_ends(enum list_ends lists, uint64_t visits, uint64_t loaded, uint64_t state)
{
	return lists == LISTS_EQUAL   ? !(visits & (LIST_LENGTH - 1))
	       : lists == LISTS_SHORT ? !((loaded ^ state >> 40) & (LIST_SHORT - 1))
				      : false;
}

/* The computation of one iteration. */
struct replay_work {
	uint64_t chain;     /* multiplications, each of the result of the one before, */
	uint64_t fill;      /* and rounds of FILL instructions */
	uint32_t jumps;     /* that depend on what was loaded, */
	uint64_t threshold; /* and of 256, those that are guessed wrong */
	enum list_ends lists;
};

enum visit_order {
	ORDER_STREAM,
	ORDER_SCATTERED,
	ORDER_POINTER,
	ORDER_INDEX,
	ORDER_POINTER_TREE,
	ORDER_INDEX_TREE,
	ORDER_COUNT
};

static enum visit_order order_of(const struct visit_base *base)
{
	if (base->walk == WALK_CHASE && base->tree)
		return base->next_pointer ? ORDER_POINTER_TREE : ORDER_INDEX_TREE;
	if (base->walk == WALK_CHASE)
		return base->next_pointer ? ORDER_POINTER : ORDER_INDEX;
	return base->walk == WALK_STREAM || base->ordered ? ORDER_STREAM : ORDER_SCATTERED;
}

static bool order_is_pointer(enum visit_order order)
{
	return order == ORDER_POINTER || order == ORDER_POINTER_TREE;
}

/* The place of a touch is added to that of the object if pointers lead from one to the next, else
 * to its number times the distance. */
static void touch_walk_init(struct walker *walker)
{
	const struct visit_base *base = walker->base;
	const struct visit_layout *layout = walker->memory->layout;
	bool pointer = order_is_pointer(order_of(base));

	walker->walk.count = base->touch_count;
	for (uint32_t t = 0; t < base->touch_count; t++) {
		const struct visit_touch *touch = &base->touches[t];
		bool through = layout->parts[touch->part].through;
		uint32_t part = touch->part - through;
		uint64_t offset = through ? layout->parts[touch->part].pointer : touch->offset;

		walker->walk.places[t] = offset + (pointer ? 0
							   : (uintptr_t)walker->memory->bytes +
								     layout->parts[part].begin);
		walker->walk.steps[t] = pointer ? 1 : layout->parts[part].distance;
		walker->walk.offsets[t] = walker->walk.places[t] - walker->walk.places[0];
		walker->walk.through[t] = through;
		walker->walk.writes[t] = touch->write;
	}
}

static bool has_one_part(const struct visit_base *base)
{
	return !any_of(t, 0, base->touch_count, base->touches[t].part != base->touches[0].part);
}

/* Always 0, which the compiler does not know. */
static volatile uint64_t zero;

/* Computes from `value` on. Instructions that wait for nothing take room in the processor's window,
 * and so of visits that would be under way. */
INLINED uint64_t compute(uint64_t value, uint64_t chain, uint64_t fill)
{
	for (; chain; chain--) {
		value *= MULTIPLIER;
		KEEP(value);
	}
	for (; fill; fill--)
		__asm__ volatile("nop\n\tnop" : "+r"(fill));
	return value;
}

/* Loads a byte, and stores it again if the visit writes it. */
INLINED uint64_t touch_byte(uintptr_t place, bool write)
{
	volatile uint8_t *byte = (volatile uint8_t *)place;
	uint64_t value = *byte;

	if (write)
		*byte = (uint8_t)value;
	return value;
}

/* Kinds of touches, for which loops are compiled: how many there are (the last digit; 0: any
 * number), and from 10 on, whether they are in several parts. `writes` is how many of them write,
 * which are the first ones; of any number, whether any does. */
#define KIND_COUNT(kind) ((kind) % 10)
#define KIND_PARTS(kind) ((kind) >= 10)
#define COUNT_MAX        4

/* Touches a byte of an object, whose place is known if all touches are in one part. */
INLINED uint64_t touch_one(const struct touch_walk *walk, uintptr_t place, uint64_t number,
			   uint32_t touch, int kind, uint32_t writes)
{
	return touch_byte(KIND_PARTS(kind) ? walk->places[touch] + number * walk->steps[touch]
					   : place + walk->offsets[touch],
			  KIND_COUNT(kind) ? touch < writes : writes && walk->writes[touch]);
}

INLINED uint64_t touch_bytes(const struct touch_walk *walk, uint64_t number, int kind,
			     uint32_t writes)
{
	uint32_t count = KIND_COUNT(kind);
	uintptr_t place = walk->places[0] + number * walk->steps[0];
	uint64_t loaded = touch_one(walk, place, number, 0, kind, writes);

	if (count >= 2)
		loaded += touch_one(walk, place, number, 1, kind, writes);
	if (count >= 3)
		loaded += touch_one(walk, place, number, 2, kind, writes);
	if (count >= 4)
		loaded += touch_one(walk, place, number, 3, kind, writes);
	for (uint32_t t = 1; !count && t < walk->count; t++)
		loaded += touch_one(walk, place, number, t, kind, writes);
	return loaded;
}

/* Computes as after each visit, and takes jumps that depend on what was loaded. Nothing adds up
 * what visits load: sums that wait for each other take the room of further loads in the processor,
 * and visits in no order took 1.3 times as long as those of programs. */
INLINED void do_work(const struct replay_work *work, uint64_t loaded, uint64_t *state,
		     uint64_t *sum)
{
	*sum = compute(*sum, work->chain, work->fill);
	for (uint32_t jump = 0; jump < work->jumps; jump++) {
		/* no chain of multiplications: it would take longer than a visit of a stream */
		*state += INCREMENT;
		if (((loaded ^ *state >> 40) & 255) < work->threshold)
			__asm__ volatile("nop" : "+r"(*sum));
	}
}

/* Visits elements of arrays in order. The last three arguments are constants. */
INLINED uint64_t visit_stream(struct walker *walker, const struct replay_work *work,
			      uint64_t visits, int kind, uint32_t writes, bool works)
{
	const struct replay_work own = *work;
	const struct visit_base *base = walker->base;
	const uint64_t objects = walker->memory->objects,
		       step = base->step < objects ? base->step : 1;
	uint64_t sum = 0, state = walker->state;
	struct touch_walk walk = walker->walk;

	for (uint32_t t = 0; t < base->touch_count; t++) {
		walk.places[t] += walker->object * walk.steps[t];
		walk.steps[t] *= step;
	}
	while (visits) {
		uint64_t rest = objects - walker->object,
			 left = step == 1 ? rest : (rest + step - 1) / step,
			 run = left < visits ? left : visits;

		for (uint64_t i = 0; i < run; i++) {
			uint64_t loaded = touch_bytes(&walk, i, kind, writes);

			if (works)
				do_work(&own, loaded, &state, &sum);
		}
		visits -= run;
		walker->object += run * step;
		for (uint32_t t = 0; t < base->touch_count; t++)
			walk.places[t] += run * walk.steps[t];
		if (walker->object < objects)
			continue;
		/* the next pass begins with the first object */
		for (uint32_t t = 0; t < base->touch_count; t++)
			walk.places[t] -= walker->object / step * walk.steps[t];
		walker->object = 0;
	}
	walker->state = state;
	return sum;
}

/* Visits objects that are found by random numbers. */
INLINED uint64_t visit_scattered(struct walker *walker, const struct replay_work *work,
				 uint64_t visits, int kind, uint32_t writes, bool works)
{
	const struct replay_work own = *work;
	const struct visit_base *base = walker->base;
	const uint64_t objects = walker->memory->objects, none = base->dependent ? zero : 0;
	const bool dependent = base->dependent;
	uint64_t sum = 0, state = walker->state;
	struct touch_walk walk = walker->walk;

	for (; visits; visits--) {
		uint64_t object = below(state, objects),
			 loaded = touch_bytes(&walk, object, kind, writes);

		state = state * MULTIPLIER + INCREMENT;
		if (dependent) {
			state += loaded & none;
			KEEP(state);
		}
		if (works)
			do_work(&own, loaded, &state, &sum);
	}
	walker->state = state;
	return sum;
}

/* Visits objects that are found by a pointer or an index in the one before. */
INLINED uint64_t visit_chase(struct walker *walker, const struct replay_work *work, uint64_t visits,
			     int kind, bool pointer, uint32_t writes, bool works)
{
	const struct replay_work own = *work;
	const struct visit_part *part = &walker->memory->layout->parts[walker->base->next_part];
	const uintptr_t first = (uintptr_t)walker->memory->bytes + part->begin;
	const uint64_t objects = walker->memory->objects, distance = part->distance,
		       next = walker->base->next_offset;
	uint64_t sum = 0, state = walker->state, object = walker->object;
	struct touch_walk walk = walker->walk;

	for (; visits; visits--) {
		uint64_t loaded = touch_bytes(&walk, object, kind, writes);

		uintptr_t place = pointer ? object + next : first + next + object * distance;
		uint32_t number;

		memcpy(&number, (const void *)place, sizeof(number));
		if (pointer)
			memcpy(&object, (const void *)place, sizeof(object));
		else
			object = number;
		if (!works)
			continue;
		do_work(&own, loaded, &state, &sum);
		if (own.lists)
			state = state * MULTIPLIER + INCREMENT;
		if (list_ends(own.lists, visits, loaded, state)) {
			object = below(state, objects);
			object = pointer ? first + object * distance : object;
			KEEP(object);
		}
	}
	walker->state = state;
	walker->object = object;
	return sum;
}

/* Visits objects on paths down a tree: the loaded value decides which of two places comes next, by
 * a jump that no processor can predict, or without a jump. */
INLINED uint64_t visit_tree(struct walker *walker, const struct replay_work *work, uint64_t visits,
			    int kind, bool pointer, uint32_t writes, bool works)
{
	const struct replay_work own = *work;
	const struct visit_base *base = walker->base;
	const struct visit_part *parts = walker->memory->layout->parts;
	const uintptr_t bytes = (uintptr_t)walker->memory->bytes,
			first = bytes + parts[base->next_part].begin + base->next_offset,
			second = bytes + parts[base->other_part].begin + base->other_offset;
	const uint64_t distance = parts[base->next_part].distance,
		       others = parts[base->other_part].distance;
	const bool by_jump = base->by_jump;
	uint64_t sum = 0, state = walker->state, object = walker->object;
	struct touch_walk walk = walker->walk;

	for (; visits; visits--) {
		uint64_t loaded = touch_bytes(&walk, object, kind, writes);
		uintptr_t one = pointer ? object + base->next_offset : first + object * distance,
			  two = pointer ? object + base->other_offset : second + object * others;
		uint32_t number;

		state = state * MULTIPLIER + INCREMENT;
		loaded = (loaded ^ state >> 40) & 1;
		if (!by_jump) {
			one = loaded ? two : one;
			KEEP(one);
		} else if (loaded) {
			__asm__ volatile("nop" : "+r"(sum));
			one = two;
		}
		memcpy(&number, (const void *)one, sizeof(number));
		if (pointer)
			memcpy(&object, (const void *)one, sizeof(object));
		else
			object = number;
		if (works)
			do_work(&own, loaded, &state, &sum);
	}
	walker->state = state;
	walker->object = object;
	return sum;
}

typedef uint64_t visit_loop(struct walker *walker, const struct replay_work *work, uint64_t visits);

/* Loops by the number of writes, without and with work. */
struct loop_variants {
	visit_loop *loops[COUNT_MAX + 1][2];
};

#define DEFINE_LOOP(name, call)                                                                    \
	static uint64_t name(struct walker *walker, const struct replay_work *work,                \
			     uint64_t visits)                                                      \
	{                                                                                          \
		return call;                                                                       \
	}
#define DEFINE_WRITES(writes, name, function, ...)                                                 \
	DEFINE_LOOP(name##_##writes##0,                                                            \
		    function(walker, work, visits, __VA_ARGS__, writes, false))                    \
	DEFINE_LOOP(name##_##writes##1, function(walker, work, visits, __VA_ARGS__, writes, true))
#define DEFINE_WRITES_1(...)  DEFINE_WRITES(0, __VA_ARGS__) DEFINE_WRITES(1, __VA_ARGS__)
#define DEFINE_WRITES_2(...)  DEFINE_WRITES_1(__VA_ARGS__) DEFINE_WRITES(2, __VA_ARGS__)
#define DEFINE_WRITES_3(...)  DEFINE_WRITES_2(__VA_ARGS__) DEFINE_WRITES(3, __VA_ARGS__)
#define DEFINE_WRITES_4(...)  DEFINE_WRITES_3(__VA_ARGS__) DEFINE_WRITES(4, __VA_ARGS__)
#define VARIANT(writes, name) [writes] = { name##_##writes##0, name##_##writes##1 }
#define VARIANTS_1(name)      VARIANT(0, name), VARIANT(1, name)
#define VARIANTS_2(name)      VARIANTS_1(name), VARIANT(2, name)
#define VARIANTS_3(name)      VARIANTS_2(name), VARIANT(3, name)
#define VARIANTS_4(name)      VARIANTS_3(name), VARIANT(4, name)

/* Defines the loops of a name, for up to `most` writes. */
#define DEFINE_VARIANTS(name, most, ...)                                                           \
	DEFINE_WRITES_##most(name, __VA_ARGS__) static const struct loop_variants name = {         \
		{ VARIANTS_##most(name) }                                                          \
	};

DEFINE_VARIANTS(stream_any, 1, visit_stream, 0)
DEFINE_VARIANTS(stream_1, 1, visit_stream, 1)
DEFINE_VARIANTS(stream_2, 2, visit_stream, 2)
DEFINE_VARIANTS(stream_3, 3, visit_stream, 3)
DEFINE_VARIANTS(stream_4, 4, visit_stream, 4)
DEFINE_VARIANTS(stream_parts, 1, visit_stream, 10)
DEFINE_VARIANTS(stream_parts_2, 2, visit_stream, 12)
DEFINE_VARIANTS(stream_parts_3, 3, visit_stream, 13)
DEFINE_VARIANTS(stream_parts_4, 4, visit_stream, 14)
DEFINE_VARIANTS(scattered_any, 1, visit_scattered, 0)
DEFINE_VARIANTS(scattered_1, 1, visit_scattered, 1)
DEFINE_VARIANTS(scattered_2, 2, visit_scattered, 2)
DEFINE_VARIANTS(scattered_3, 3, visit_scattered, 3)
DEFINE_VARIANTS(scattered_parts, 1, visit_scattered, 10)
DEFINE_VARIANTS(scattered_parts_2, 2, visit_scattered, 12)
DEFINE_VARIANTS(index_any, 1, visit_chase, 0, false)
DEFINE_VARIANTS(index_1, 1, visit_chase, 1, false)
DEFINE_VARIANTS(index_2, 2, visit_chase, 2, false)
DEFINE_VARIANTS(index_3, 3, visit_chase, 3, false)
DEFINE_VARIANTS(index_parts, 1, visit_chase, 10, false)
DEFINE_VARIANTS(pointer_any, 1, visit_chase, 0, true)
DEFINE_VARIANTS(pointer_1, 1, visit_chase, 1, true)
DEFINE_VARIANTS(pointer_2, 2, visit_chase, 2, true)
DEFINE_VARIANTS(pointer_3, 3, visit_chase, 3, true)

DEFINE_VARIANTS(pointer_tree_any, 1, visit_tree, 0, true)
DEFINE_VARIANTS(pointer_tree_1, 1, visit_tree, 1, true)
DEFINE_VARIANTS(index_tree_any, 1, visit_tree, 0, false)
DEFINE_VARIANTS(index_tree_1, 1, visit_tree, 1, false)
DEFINE_VARIANTS(index_tree_parts, 1, visit_tree, 10, false)

/* The loops for touches of one part, and of several, by their number; 0: any. A part that is not
 * found through another one is the only one of objects that pointers lead to. */
static const struct loop_variants *const loops[ORDER_COUNT][2][COUNT_MAX + 1] = {
	[ORDER_STREAM] = { { &stream_any, &stream_1, &stream_2, &stream_3, &stream_4 },
			   { &stream_parts, NULL, &stream_parts_2, &stream_parts_3,
			     &stream_parts_4 } },
	[ORDER_SCATTERED] = { { &scattered_any, &scattered_1, &scattered_2, &scattered_3 },
			      { &scattered_parts, NULL, &scattered_parts_2 } },
	[ORDER_INDEX] = { { &index_any, &index_1, &index_2, &index_3 }, { &index_parts } },
	[ORDER_POINTER] = { { &pointer_any, &pointer_1, &pointer_2, &pointer_3 },
			    { &pointer_any } },
	[ORDER_POINTER_TREE] = { { &pointer_tree_any, &pointer_tree_1 }, { &pointer_tree_any } },
	[ORDER_INDEX_TREE] = { { &index_tree_any, &index_tree_1 }, { &index_tree_parts } },
};

/* Returns the loop for a number of touches, of which so many write. */
static visit_loop *loop_of(const struct visit_base *base, uint32_t writes, bool works)
{
	const struct loop_variants *const *all = loops[order_of(base)][!has_one_part(base)];
	uint32_t count =
		base->touch_count <= COUNT_MAX && all[base->touch_count] ? base->touch_count : 0;

	return all[count]->loops[count ? writes : writes > 0][works];
}

/* Returns whether visits always touch the same places of parts found by themselves. */
static bool is_simple(const struct visit_base *base, const struct visit_layout *layout)
{
	return !any_of(t, 0, base->touch_count,
		       layout->parts[base->touches[t].part].through || base->touches[t].places > 1);
}

/* Returns whether the way down a tree goes on by the other place, which depends on what was loaded.
 */
static inline bool goes_on_by_other(struct walker *walker, uint64_t loaded)
{
	walker->state = walker->state * MULTIPLIER + INCREMENT;
	return (loaded ^ walker->state >> 40) & 1;
}

/* Moves to another object, and touches it. Returns what was loaded. */
static inline uint64_t visit_once(struct walker *walker, enum visit_order order, uint64_t before)
{
	const struct visit_base *base = walker->base;
	uint64_t objects = walker->memory->objects, number = walker->object, loaded = 0;

	if (order == ORDER_STREAM) {
		number += base->step;
		number = number < objects ? number : 0;
	} else if (order == ORDER_SCATTERED) {
		walker->state = walker->state * MULTIPLIER + INCREMENT;
		if (base->dependent) {
			walker->state += before & zero;
			KEEP(walker->state);
		}
		number = below(walker->state, objects);
	} else if (order_is_pointer(order)) {
		uint64_t offset = base->next_offset;

		if (base->tree && goes_on_by_other(walker, before))
			offset = base->other_offset;
		memcpy(&walker->object, (const void *)(number + offset), sizeof(walker->object));
	}
	if (!order_is_pointer(order))
		walker->object = number;
	for (uint32_t t = 0; t < base->touch_count; t++) {
		const struct visit_touch *touch = &base->touches[t];
		uintptr_t place = walker->walk.places[t] + number * walker->walk.steps[t];

		if (walker->walk.through[t]) {
			memcpy(&place, (const void *)place, sizeof(place));
			place += touch->offset;
		}
		if (touch->places > 1) {
			walker->state = walker->state * MULTIPLIER + INCREMENT;
			place += below(walker->state, touch->places) * touch->stride;
		}
		loaded += touch_byte(place, touch->write);
	}
	if (order == ORDER_INDEX || order == ORDER_INDEX_TREE) {
		bool other = base->tree && goes_on_by_other(walker, loaded);
		uint32_t next;

		memcpy(&next,
		       walker->memory->bytes +
			       visit_place(walker->memory->layout,
					   other ? base->other_part : base->next_part, number) +
			       (other ? base->other_offset : base->next_offset),
		       sizeof(next));
		walker->object = next;
	}
	return loaded;
}

/* The iterations of one program in one memory. */
struct replay_side {
	struct replay_memory memory;
	struct visit_base bases[VISIT_BASES];
	struct walker walkers[VISIT_BASES];
	enum visit_order orders[VISIT_BASES];
	uint32_t walker_count;
	bool alone;      /* a compiled loop makes the visits, */
	uint32_t writes; /* with so many touches that write */
};

/* Goes to an object by its number. */
static void walker_go(struct walker *walker, uint64_t number)
{
	walker->object = number;
	if (order_is_pointer(order_of(walker->base)))
		walker->object =
			(uintptr_t)walker->memory->bytes +
			visit_place(walker->memory->layout, walker->base->next_part, number);
}

/* Puts the touches that write before the others. Returns their number. */
static uint32_t writes_first(struct touch_walk *walk)
{
	const struct touch_walk all = *walk;
	uint32_t at = 0, writes = 0;

	for (int write = 1; write >= 0; write--) {
		for (uint32_t t = 0; t < all.count; t++) {
			if (all.writes[t] != write)
				continue;
			walk->places[at] = all.places[t];
			walk->steps[at] = all.steps[t];
			walk->writes[at++] = write;
		}
		writes = write ? at : writes;
	}
	for (uint32_t t = 0; t < walk->count; t++)
		walk->offsets[t] = walk->places[t] - walk->places[0];
	return writes;
}

/* Begins, each base at another object. `few`: without what visits touch only sometimes. */
static void side_begin(struct replay_side *side, const struct visit_base *bases, uint32_t count,
		       bool few)
{
	side->walker_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct visit_base *base = &side->bases[i];
		struct walker *walker = &side->walkers[i];

		*base = bases[i];
		base->touch_count = few || base->tree ? base->always_count : base->touch_count;
		side->orders[i] = order_of(base);
		*walker = (struct walker){
			.base = base,
			.memory = &side->memory,
			.state = MULTIPLIER * (i + 1),
		};
		walker_go(walker, side->memory.objects * i / count);
		touch_walk_init(walker);
	}
	side->writes = 0;
	side->alone = count == 1 && is_simple(side->bases, side->memory.layout);
	if (side->alone)
		side->writes = writes_first(&side->walkers[0].walk);
}

/* Ends the lists that walkers follow, and begins others. */
static void side_begin_lists(struct replay_side *side)
{
	for (uint32_t i = 0; i < side->walker_count; i++) {
		struct walker *walker = &side->walkers[i];

		walker->state = walker->state * MULTIPLIER + INCREMENT;
		if (side->orders[i] >= ORDER_POINTER)
			walker_go(walker, below(walker->state, side->memory.objects));
	}
}

static void side_run(struct replay_side *side, const struct replay_work *work, uint64_t visits)
{
	uint64_t sum = 0, loaded = 0, state = visits;

	if (side->alone) {
		bool works = work->chain || work->fill || work->jumps || work->lists;

		sum = loop_of(side->bases, side->writes, works)(side->walkers, work, visits);
		KEEP(sum);
		return;
	}
	for (; visits; visits--) {
		for (uint32_t i = 0; i < side->walker_count; i++)
			for (uint32_t k = 0; k < side->bases[i].repeat; k++)
				loaded = visit_once(&side->walkers[i], side->orders[i], loaded);
		do_work(work, loaded, &state, &sum);
		if (work->lists)
			state = state * MULTIPLIER + INCREMENT;
		if (list_ends(work->lists, visits, loaded, state))
			side_begin_lists(side);
	}
}

/* ---- times ---- */

/* Returns the ns of one visit: the least mean of visits for `length` ns, after others for up to
 * `warm` ns have brought what stays in caches there. */
static double time_visits(struct replay_side *side, const struct replay_work *work, double warm,
			  double length)
{
	uint64_t visits = 256, done = 0;
	double start = measure_time(), time = 0, least = INFINITY, begin;

	do {
		side_run(side, work, visits);
		done += visits;
		time = measure_time() - start;
		visits = time < length / 4 ? visits * 2 : visits;
	} while (time < warm && done < WARM_PASSES * side->memory.objects);
	visits = (uint64_t)fmax(length / (time / (double)done), 64);
	for (int slice = 0; slice < SLICES; slice++) {
		begin = measure_time();
		side_run(side, work, visits);
		least = fmin(least, (measure_time() - begin) / (double)visits);
	}
	return least;
}

/* The sides of one program: today's and the proposed layout, with all and with few objects. */
struct replay_sides {
	const struct visit_program *program;
	struct replay_side all[2], few[2];
	struct replay_work works[2]; /* the same, but for what the replay's own loop does */
	double rare;   /* share of the visits without what they touch only sometimes */
	double others; /* share of the time in which other accesses are waited for */
	struct visit_layout few_layouts[2];
	double cycle;    /* ns */
	double jump;     /* ns of a visit of a stream, for jumps; its lines arrive meanwhile, */
	double still[2]; /* as they do while it computes: ns with all lines in L1 */
};

static void sides_begin(struct replay_sides *sides, int layout, bool few)
{
	const struct visit_program *program = sides->program;

	side_begin(&sides->all[layout], program->bases[layout], program->base_count, few);
	side_begin(&sides->few[layout], program->bases[layout], program->base_count, few);
}

/* Returns the least ns of a visit if all lines are in L1. */
static double still_time(struct replay_sides *sides, int layout)
{
	double least = INFINITY;

	sides_begin(sides, layout, false);
	for (int run = 0; run < 3; run++)
		least = fmin(least, time_visits(&sides->few[layout], &sides->works[layout],
						STILL_NS / 4, STILL_NS / 4));
	return least + sides->jump;
}

/* Sets how long jumps make each visit of a stream, for this share of the time. */
static void set_jumps(struct replay_sides *sides, double time)
{
	sides->jump = JUMPS_BEHIND * time;
	for (int layout = 0; layout < 2; layout++)
		sides->still[layout] = still_time(sides, layout);
}

static double whole_time(struct replay_sides *sides, int layout)
{
	const struct replay_work *work = &sides->works[layout];
	double time;

	sides_begin(sides, layout, false);
	time = time_visits(&sides->all[layout], work, WARM_NS, SLICE_NS);
	if (sides->rare) {
		sides_begin(sides, layout, true);
		time += sides->rare *
			(time_visits(&sides->all[layout], work, WARM_NS, SLICE_NS) - time);
	}
	return fmax(time, sides->still[layout]);
}

/* Returns the least of several times with today's layout: what else runs only makes them longer. */
static double least_whole_time(struct replay_sides *sides)
{
	double least = INFINITY;

	for (int run = 0; run < FITTING_RUNS; run++)
		least = fmin(least, whole_time(sides, 0));
	return least;
}

/* Returns the share of the time without other accesses in which the program waits, by samples. */
static double share_of(double others, double waits, double own)
{
	double share = fmin(waits / fmax(1 - others, 0.02), 1);

	return fmin(fmax((share - own) / (1 - own), 0), 0.98);
}

/* Instructions of the replay's own loop for one visit, without those that touch, */
static const uint32_t loop_instructions[ORDER_COUNT] = {
	[ORDER_STREAM] = 3, [ORDER_SCATTERED] = 8,    [ORDER_POINTER] = 4,
	[ORDER_INDEX] = 5,  [ORDER_POINTER_TREE] = 9, [ORDER_INDEX_TREE] = 11,
};

#define TOUCH_INSTRUCTIONS 2 /* a touch, */
#define WORK_INSTRUCTIONS  6 /* and what do_work() takes besides rounds */

/* Returns the rounds of instructions that a visit has in the program, but not in the replay: a
 * program loads each member, wherever it lies, and the replay only what lies apart. */
static uint64_t rounds_left(const struct replay_sides *sides, int layout, double more)
{
	const struct visit_program *program = sides->program;
	double own = 0, rounds;

	array_each (const struct visit_base, base, program->bases[layout], program->base_count) {
		uint32_t writes = 0;

		for (uint32_t t = 0; t < base->touch_count; t++)
			writes += base->touches[t].write;
		own += (loop_instructions[order_of(base)] + writes +
			TOUCH_INSTRUCTIONS * base->touch_count) *
		       base->repeat;
	}
	rounds = (program->instructions * more - own - WORK_INSTRUCTIONS) / FILL;
	return (uint64_t)fmin(fmax(rounds + 0.5, 0), FILL_MAX);
}

/* Sets as much computation as makes the replay wait for this share of its time. */
static void fit_share(struct replay_sides *sides, double share)
{
	for (int step = 0; step < FITTINGS; step++) {
		double still = still_time(sides, 0), all = least_whole_time(sides),
		       more = ((1 - share) * all - still) / (CHAIN_CYCLES * sides->cycle),
		       chain = (double)sides->works[0].chain + more;

		sides->works[0].chain = (uint64_t)(fmin(fmax(chain, 0), CHAIN_MAX) + 0.5);
		sides->works[1].chain = sides->works[0].chain;
	}
}

/* Sets the computation of an iteration: that of the code, times `more`; if the code is not known,
 * so much that the replay waits for this share of its time. `jumps`: samples right after jumps are
 * of jumps that were guessed wrong, not of what the jumps waited for. */
static void fit_work(struct replay_sides *sides, double share, double more, bool jumps)
{
	const struct visit_program *program = sides->program;
	bool streams = true, tree = false;

	array_each (const struct visit_base, base, program->bases[0], program->base_count) {
		tree |= base->tree;
		streams &= order_of(base) == ORDER_STREAM;
	}
	for (int layout = 0; layout < 2; layout++) {
		struct replay_work *work = &sides->works[layout];

		work->fill = rounds_left(sides, layout, more);
		work->chain = (uint64_t)fmin(program->cycles * more / CHAIN_CYCLES, CHAIN_MAX);
	}
	if (jumps && !tree && program->after_jumps > 0 && program->choices > 0) {
		double time = program->after_jumps * least_whole_time(sides),
		       missed = time / (JUMP_CYCLES * sides->cycle);

		/* lines of a stream are fetched ahead, whatever is guessed */
		if (streams)
			set_jumps(sides, time);
		for (int layout = 0; layout < 2 && !streams; layout++) {
			struct replay_work *work = &sides->works[layout];

			work->jumps = (uint32_t)fmin(ceil(program->choices), JUMPS_MAX);
			work->threshold = (uint64_t)(256 * fmin(missed / work->jumps, 0.5));
		}
	}
	if (!program->cycles)
		fit_share(sides, share);
}

/* The least times of one layout, in ascending order. */
struct least_times {
	double ns[LEAST_TIMES];
};

static void least_times_add(struct least_times *times, double ns)
{
	for (int i = 0; i < LEAST_TIMES; i++) {
		double larger = fmax(times->ns[i], ns);

		times->ns[i] = fmin(times->ns[i], ns);
		ns = larger;
	}
}

/* Returns how many times the least time the others are. */
static double least_times_spread(const struct least_times *times)
{
	return times->ns[LEAST_TIMES - 1] / times->ns[0];
}

/* Returns the gain of the region: other accesses stay as now, and so does the time in which samples
 * show no wait, all but this share. */
static double gain_of_times(const struct replay_sides *sides, double share, double old, double new)
{
	return 1 / (sides->others + (1 - sides->others) * fmax(new / old, 1 - share));
}

/* Times both layouts in turns, and adds to `visit` what this share of the time gains. */
static void compare_layouts(struct replay_sides *sides, double share, struct replayed_visit *visit)
{
	const int last = LEAST_TIMES - 1;
	struct least_times times[2];

	for (int i = 0; i < LEAST_TIMES; i++)
		times[0].ns[i] = times[1].ns[i] = INFINITY;
	for (int pair = 0;
	     pair < PAIRS || (pair < PAIRS_MAX && fmax(least_times_spread(&times[0]),
						       least_times_spread(&times[1])) > UNSTEADY);
	     pair++)
		for (int turn = 0; turn < 2; turn++)
			least_times_add(&times[(pair + turn) % 2],
					whole_time(sides, (pair + turn) % 2));
	const double *olds = times[0].ns, *news = times[1].ns;

	replayed_visit_add(
		visit,
		&(struct replayed_visit){
			.region = visit->region,
			.old = olds[last / 2],
			.new = news[last / 2],
			.still = still_time(sides, 0),
			.range = { gain_of_times(sides, share, olds[0], news[last]),
				   gain_of_times(sides, share, olds[last], news[0]) },
			.middle = gain_of_times(sides, share, olds[last / 2], news[last / 2]),
			.noise =
				fmax(least_times_spread(&times[0]), least_times_spread(&times[1])) -
				1,
			.known = true,
		});
}

static void run_program(struct replay_sides *sides, const struct visit_program *program,
			struct replayed_visit *visit)
{
	enum visit_lists lists = LISTS_NONE;
	bool rare = true;

	*visit = (struct replayed_visit){ .region = program->region };
	sides->program = program;
	for (uint32_t i = 0; i < program->base_count; i++) {
		const struct visit_base *old = &program->bases[0][i], *new = &program->bases[1][i];

		raise_to(lists, old->lists);
		rare &= !old->tree && old->always_count && new->always_count &&
			old->always_count < old->touch_count;
	}
	for (int layout = 0; layout < 2; layout++) {
		const struct visit_base *bases = program->bases[layout];

		memory_fill(&sides->all[layout].memory, bases, program->base_count);
		memory_fill(&sides->few[layout].memory, bases, program->base_count);
	}
	for (enum list_ends ends = lists == LISTS_SEARCHED; ends < (lists ? LIST_ENDS : 1); ends++)
		for (size_t i = 0; i < COUNT_OF(own_shares); i++) {
			double error = (i ? -1 : 1) * program->waits_error, share;

			sides->works[0] = sides->works[1] = (struct replay_work){ .lists = ends };
			sides->jump = sides->still[0] = sides->still[1] = 0;
			sides->rare = rare ? rare_shares[i] : 0;
			/* samples at other accesses are of waits, or of computation */
			sides->others = i ? 0 : program->others;
			share = share_of(sides->others, program->waits + error, own_shares[i]);
			fit_work(sides, share, computing[i], i);
			compare_layouts(sides, share, visit);
		}
}

uint64_t run_visits_room(void)
{
	long pages = sysconf(_SC_AVPHYS_PAGES);
	uint64_t room =
		pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) / MEMORY_SHARE : 0;

	return room < ROOM ? room : ROOM;
}

/* Returns how many objects have all the lines that visits touch in L1. */
static uint64_t few_objects(const struct visit_plan *plan)
{
	uint64_t touches = 1, few;

	for (size_t i = 0; i < plan->program_count; i++)
		for (uint32_t b = 0; b < plan->programs[i].base_count; b++)
			for (int layout = 0; layout < 2; layout++) {
				uint32_t count = plan->programs[i].bases[layout][b].touch_count;

				touches = count > touches ? count : touches;
			}
	few = FEW / touches > FEW_LEAST ? FEW / touches : FEW_LEAST;
	return plan->objects < few ? plan->objects : few;
}

bool run_visits(const struct visit_plan *plan, struct replayed_visit visits[VISIT_REGIONS])
{
	_cleanup_free_ struct replay_sides *sides = xcalloc(1, sizeof(*sides));
	uint64_t few = few_objects(plan);
	bool opened = true;

	for (int layout = 0; layout < 2; layout++) {
		const struct visit_layout *memory = &plan->layouts[layout];

		opened &= memory_open(&sides->all[layout].memory, memory, plan->objects);
		few_layout_make(memory, few, &sides->few_layouts[layout]);
		opened &= memory_open(&sides->few[layout].memory, &sides->few_layouts[layout], few);
	}
	sides->cycle = measure_cycle();
	for (size_t i = 0; i < plan->program_count && opened; i++)
		run_program(sides, &plan->programs[i], &visits[i]);
	for (int layout = 0; layout < 2; layout++) {
		memory_close(&sides->all[layout].memory);
		memory_close(&sides->few[layout].memory);
	}
	return opened;
}
