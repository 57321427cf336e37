// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements visit_plan.h: the memory of both layouts (layout_make()), the visits of each region
 * (program_make()), and the verdict on what was measured (visit_judge()).
 */
#include "report/layout/visit_plan.h"

#include <math.h>

#include "report/layout/costs.h"

#define ALLOCATED    16   /* alignment of malloc() on 64-bit systems */
#define NEAR         16   /* bytes between ranges that are touched as one */
#define CROSSING_MIN 0.15 /* of the objects: fewer second lines are left out */
#define REGION_SHARE 0.05 /* of the samples in code that uses the type: a region that is run */
#define ELEMENTS     64   /* visits over which lines are averaged */
#define BASES_TRIED  16   /* of a region, those with the most samples first */
#define SOME_OBJECTS 1000 /* whose memory tells how much one takes */
#define OBJECTS_MAX  ((double)(UINT64_C(1) << 24)) /* more take seconds to write, */
#define CHASED_MAX   ((double)(UINT64_C(1) << 22)) /* and far longer to link in no order */
#define CACHES       8 /* times L3: of more memory, nearly nothing is in a cache either */

/* ---- memory ---- */

/* Sets where the parts of `count` objects lie. Elements of arrays have an array for each part; else
 * each object is followed by the parts that it points to, as malloc() puts them. */
static void layout_make(const struct replay *replay, uint64_t count, struct visit_layout *layout)
{
	const struct advice_type *type = replay->type;
	const struct advice_proposal *proposal = replay->proposal;
	uint64_t cacheline = replay->machine->cacheline, begin = ALLOCATED,
		 apart = lines_distance(replay, proposal->parts), at = 0;
	bool alike = lines_begin_alike(&type->objects, cacheline, &begin);

	*layout = (struct visit_layout){ .part_count = (uint32_t)proposal->part_count };
	/* objects of today's layout may have lines of their own, by their allocator */
	if (!type->objects.array && proposal == &type->current && alike)
		apart = round_up(type->size, cacheline);
	array_indexed (const struct advice_part, part, i, proposal->parts, layout->part_count) {
		struct visit_part *made = &layout->parts[i];

		made->size = part->size;
		made->through = i && proposal->parts[i - 1].pointer;
		made->pointer = i ? proposal->parts[i - 1].pointer_offset : 0;
		if (type->objects.array) {
			made->distance = part->size;
			made->begin = round_up(at, 4096) + lines_array_begin(type, part, cacheline);
			at = made->begin + count * part->size;
		} else {
			made->distance = apart;
			made->begin = round_up(at, ALLOCATED) +
				      (i || part->align > ALLOCATED ? 0 : begin);
			at = made->begin + part->size + sizeof(uint64_t);
		}
	}
	layout->bytes = type->objects.array ? at : layout->parts[0].begin + (count + 1) * apart;
	/* a touch is of a byte, but pointers are loaded as a whole */
	layout->bytes = round_up(layout->bytes + sizeof(uint64_t), 4096);
}

/* ---- visits ---- */

COMPARISON(compare_ranges, struct replay_bytes, ASCENDING(offset) ASCENDING(size))

/* Adds a touch, if it is within the part: uses may be of more bytes than their member has. */
static void add_touch(struct visit_base *base, const struct visit_part *memory,
		      struct visit_touch touch)
{
	if (base->touch_count >= VISIT_TOUCHES || touch.offset >= memory->size)
		return;
	if (touch.places > 1 && (memory->size - touch.offset) / touch.stride < touch.places)
		touch.places = (memory->size - touch.offset) / touch.stride;
	if (!touch.places)
		touch.places = 1;
	base->touches[base->touch_count++] = touch;
}

/* Returns in which share of the objects a range of a part has a line boundary inside of it. */
static double crossing_share(const struct visit_part *part, uint64_t offset, uint64_t size,
			     uint64_t cacheline)
{
	uint64_t unit = common_divisor(part->distance, cacheline),
		 room = unit - (part->begin + offset) % unit;

	return size > room ? (double)round_up(size - room, unit) / (double)cacheline : 0;
}

/* Adds the first and the last byte of a range, and one of each line between them. */
static void add_range_touches(const struct visit_part *memory, uint32_t part,
			      const struct replay_bytes *range, uint64_t cacheline,
			      struct visit_base *base)
{
	struct visit_touch touch = { .part = part, .places = 1 };

	touch.write = range->write;
	touch.sometimes = range->sometimes;
	if (range->reach > range->size) {
		touch.places = range->reach / range->size;
		touch.stride = range->size;
	}
	for (uint64_t at = 0; at < range->size; at += cacheline) {
		touch.offset = range->offset + at;
		add_touch(base, memory, touch);
	}
	touch.offset = range->offset + range->size - 1;
	/* each touch takes instructions, of which a processor has only so many under way */
	if (crossing_share(memory, range->offset, range->size, cacheline) > CROSSING_MIN)
		add_touch(base, memory, touch);
}

/* Adds the bytes that visits touch, always or sometimes; neighbours are one. */
static void add_part_touches(struct part_bytes *bytes, const struct visit_part *memory,
			     uint32_t part, bool sometimes, uint64_t cacheline,
			     struct visit_base *base)
{
	struct replay_bytes last = { 0 };

	array_sort(bytes->items, bytes->count, compare_ranges);
	array_each (const struct replay_bytes, range, bytes->items, bytes->count) {
		bool fixed = range->reach <= range->size && last.reach <= last.size;

		if (range->sometimes != sometimes)
			continue;
		if (last.size && fixed && range->write == last.write &&
		    range->offset <= last.offset + last.size + NEAR) {
			if (range->offset + range->size > last.offset + last.size)
				last.size = range->offset + range->size - last.offset;
			continue;
		}
		/* written bytes were read before */
		if (last.size && range->offset == last.offset && range->size == last.size &&
		    fixed) {
			last.write = true;
			continue;
		}
		if (last.size)
			add_range_touches(memory, part, &last, cacheline, base);
		last = *range;
	}
	if (last.size)
		add_range_touches(memory, part, &last, cacheline, base);
}

/* Returns the member of which `name` may be a part ("steps[1].forward"), or NULL. */
static const struct advice_placed *placed_named(const struct replay *replay, const char *name)
{
	size_t length = strcspn(name, "[.");

	array_each (const struct advice_placed, placed, replay->proposal->placed,
		    replay->type->member_count) {
		const char *member = replay->type->members[placed->member].name;

		if (!strcmp(member, name) || (!strncmp(member, name, length) && !member[length]))
			return placed;
	}
	return NULL;
}

/* Sets where the number or pointer is that leads from an object to the next one. */
static void find_next(const struct replay *replay, const struct advice_region *region,
		      uint32_t number, struct visit_base *base)
{
	const struct advice_placed *placed = NULL;
	uint64_t room = 0;

	array_each (const struct advice_use, use, region->uses, region->use_count)
		if (use->base == number && use->walk == WALK_CHASE && use->next && !placed)
			placed = placed_named(replay, use->next);
	if (placed) {
		base->next_part = placed->part;
		base->next_offset = placed->offset;
		room = replay->type->members[placed->member].size;
	} else if (base->touch_count) {
		base->next_part = base->touches[0].part;
		base->next_offset = base->touches[0].offset;
		room = sizeof(uint64_t);
	}
	base->next_pointer = room >= sizeof(uint64_t);
	/* parts in arrays of their own are found by the number of the object */
	for (size_t i = 1; i < replay->proposal->part_count; i++)
		base->next_pointer &= replay->proposal->parts[i - 1].pointer;
	uint64_t size = replay->proposal->parts[base->next_part].size,
		 least = base->next_pointer ? sizeof(uint64_t) : sizeof(uint32_t);

	if (base->next_offset + least > size)
		base->next_offset = size > least ? size - least : 0;
}

/* Sets the place of a use that leads to the next object. Returns whether it has room there. */
static bool place_lead(const struct replay *replay, const struct advice_use *use, uint64_t room,
		       uint32_t *part, uint64_t *offset)
{
	array_each (const struct advice_placed, placed, replay->proposal->placed,
		    replay->type->member_count) {
		const struct advice_member *member = &replay->type->members[placed->member];

		if (use->offset < member->offset || use->offset >= member->offset + member->size)
			continue;
		*part = placed->part;
		*offset = placed->offset + use->offset - member->offset;
		return *offset + room <= replay->proposal->parts[*part].size;
	}
	return false;
}

/* Sets whether a search goes down a tree: two pointers or indexes of an object lead to others, and
 * iterations leave out either. */
static void find_tree(const struct replay *replay, const struct advice_region *region,
		      uint32_t number, struct visit_base *base)
{
	const struct advice_use *leads[2] = { NULL };
	uint64_t room = base->next_pointer ? sizeof(uint64_t) : sizeof(uint32_t);

	array_each (const struct advice_use, use, region->uses, region->use_count) {
		if (use->base != number || !use->leads || !use->sometimes || use->size != room)
			continue;
		if (!leads[0])
			leads[0] = use;
		else if (!leads[1] && use->offset != leads[0]->offset)
			leads[1] = use;
	}
	base->tree = leads[1] && base->always_count &&
		     place_lead(replay, leads[0], room, &base->next_part, &base->next_offset) &&
		     place_lead(replay, leads[1], room, &base->other_part, &base->other_offset);
	base->by_jump = region->choices > 0;
}

/* Leaves out the touches of what leads to the next object, but for the last one, and for the last
 * one of those that each visit touches. */
static void drop_next(struct visit_base *base)
{
	uint64_t size = base->next_pointer ? sizeof(uint64_t) : sizeof(uint32_t);
	uint32_t count = 0, always = 0;

	array_indexed (struct visit_touch, touch, t, base->touches, base->touch_count) {
		bool next = touch->part == base->next_part && touch->places == 1 &&
			    touch->offset >= base->next_offset &&
			    touch->offset < base->next_offset + size;

		bool each = t < base->always_count;

		if (next && ((each ? always : count) ||
			     t + 1 < (each ? base->always_count : base->touch_count)))
			continue;
		touch->write &= !next;
		base->touches[count++] = *touch;
		always += each;
	}
	base->touch_count = count;
	base->always_count = always;
}

/* Sets an object of an iteration. Returns in which share it is another one; 0: never. */
static double base_make(struct replay *replay, const struct visit_layout *layout,
			const struct advice_region *region, uint32_t number,
			struct visit_base *base)
{
	struct base_visit visit = lines_of_base(replay, region, number);
	uint64_t size = replay->type->size;

	*base = (struct visit_base){
		.repeat = 1,
		.walk = visit.walk,
		.ordered = visit.ordered,
		.dependent = visit.walk == WALK_SCATTERED && !region->loop,
		.lists = visit.walk != WALK_CHASE ? LISTS_NONE
			 : region->searches       ? LISTS_SEARCHED
			 : region->inner          ? LISTS_PERHAPS
						  : LISTS_NONE,
		.step = size && visit.step >= size ? visit.step / size : 1,
	};
	for (int sometimes = 0; sometimes < 2; sometimes++) {
		for (uint32_t part = 0; part < replay->proposal->part_count; part++)
			add_part_touches(&replay->parts[part], &layout->parts[part], part,
					 sometimes, replay->machine->cacheline, base);
		if (!sometimes)
			base->always_count = base->touch_count;
	}
	if (visit.walk == WALK_SAME || !base->touch_count)
		return 0;
	if (base->walk == WALK_CHASE) {
		find_next(replay, region, number, base);
		find_tree(replay, region, number, base);
		if (!base->tree)
			drop_next(base);
	}
	return visit.often;
}

/* Several pointers cannot lie in the same bytes: a base follows those of one before it then. */
static void share_next(const struct visit_base *bases, struct visit_base *base)
{
	for (const struct visit_base *other = bases; other < base; other++)
		if (base->walk == WALK_CHASE && other->walk == WALK_CHASE &&
		    other->next_part == base->next_part &&
		    other->next_offset < base->next_offset + sizeof(uint64_t) &&
		    base->next_offset < other->next_offset + sizeof(uint64_t)) {
			base->next_offset = other->next_offset;
			base->next_pointer = other->next_pointer;
		}
}

/* Returns the samples that are charged to a base. */
static uint64_t base_samples(const struct advice_region *region, uint32_t number)
{
	uint64_t samples = 0;

	array_each (const struct advice_use, use, region->uses, region->use_count)
		samples += use->base == number ? use->samples : 0;
	return samples;
}

/* Returns whether two objects in no order are touched in the same places. */
static bool touched_alike(const struct visit_base *one, const struct visit_base *other)
{
	return one->walk == WALK_SCATTERED && other->walk == WALK_SCATTERED &&
	       one->ordered == other->ordered && one->touch_count == other->touch_count &&
	       one->always_count == other->always_count &&
	       !any_of(t, 0, one->touch_count,
		       one->touches[t].part != other->touches[t].part ||
			       one->touches[t].offset != other->touches[t].offset ||
			       one->touches[t].places != other->touches[t].places ||
			       one->touches[t].write != other->touches[t].write);
}

/* Adds the objects of a base to the visits. Alike ones of an unrolled loop, say, are one base. */
static void add_base(struct visit_program *program, const struct visit_base made[2])
{
	uint32_t number = 0;

	while (number < program->base_count &&
	       !(touched_alike(&program->bases[0][number], &made[0]) &&
		 touched_alike(&program->bases[1][number], &made[1])))
		number++;
	if (number == VISIT_BASES)
		return;
	for (int side = 0; side < 2; side++) {
		struct visit_base *base = &program->bases[side][number];

		if (number < program->base_count) {
			base->repeat++;
			continue;
		}
		*base = made[side];
		share_next(program->bases[side], base);
	}
	if (number == program->base_count)
		program->base_count++;
}

/* Sets the visits of one region. Returns false if none goes to another object. */
static bool program_make(struct replay sides[2], const struct visit_layout layouts[2],
			 const struct advice_region *region, struct visit_program *program)
{
	double samples = (double)region->samples, charged = (double)region->charged, often = 0;
	uint32_t count = lines_base_count(region);
	_cleanup_free_ bool *taken = xcalloc(count + 1, sizeof(*taken));

	for (int tried = 0; tried < BASES_TRIED; tried++) {
		struct visit_base made[2];
		uint32_t best = count;
		double share;

		/* the one with the most samples that is left */
		for (uint32_t base = 0; base < count; base++)
			if (!taken[base] && (best == count || base_samples(region, base) >
								      base_samples(region, best)))
				best = base;
		if (best == count)
			break;
		taken[best] = true;
		share = base_make(&sides[0], &layouts[0], region, best, &made[0]);
		/* objects in no order that nothing waits for are those of another base */
		if (!share || (program->base_count && made[0].walk == WALK_SCATTERED &&
			       !base_samples(region, best)))
			continue;
		base_make(&sides[1], &layouts[1], region, best, &made[1]);
		add_base(program, made);
		often = fmax(often, share);
	}
	if (!program->base_count)
		return false;
	if (program->base_count == 1) {
		often *= program->bases[0][0].repeat;
		program->bases[0][0].repeat = program->bases[1][0].repeat = 1;
	}
	program->cycles = region->loop && !region->calls ? region->cycles / often : 0;
	program->instructions =
		program->cycles > 0 ? ADVICE_ISSUE_WIDTH * region->issue / often : 0;
	program->choices = region->choices / often;
	program->waits = charged / samples;
	program->waits_error = (2 * sqrt(charged * (1 - charged / samples)) + 1) / samples;
	program->others = (double)region->others / samples;
	program->after_jumps = (double)region->after_jumps / samples;
	return true;
}

static void programs_make(struct replay sides[2], struct visit_plan *plan)
{
	const struct advice_type *type = sides[0].type;
	double all = (double)advice_region_samples(type);

	for (uint32_t i = 0; i < type->region_count && plan->program_count < VISIT_REGIONS; i++) {
		const struct advice_region *region = &type->regions[i];
		struct visit_program program = { .region = i };

		if (region->samples && region->charged && region->use_count &&
		    (double)region->samples >= REGION_SHARE * all &&
		    program_make(sides, plan->layouts, region, &program))
			plan->programs[plan->program_count++] = program;
	}
}

/* ---- the plan ---- */

#define SEARCHED 0.5 /* of the samples: visits in no order are what the replay is about */

/* Returns why there can be no plan, or NULL. */
static const char *refusal_of(const struct advice_type *type,
			      const struct advice_proposal *proposal, double count)
{
	if (!type->size || type->is_unsized || type->size > ADVICE_SIZE_MAX)
		return "the size of an object is not known";
	if (count < 1)
		return "how many objects are in use is not known, as no sample has the address of "
		       "its data";
	if (proposal->part_count > VISIT_PARTS)
		return "the proposal has too many parts";
	if (type->objects.often > 0 && lines_walk_share(type, WALK_SCATTERED) > SEARCHED)
		return "visits meet some elements far more often than others, as a binary search "
		       "does";
	return NULL;
}

void visit_plan_make(const struct advice_type *type, const struct advice_machine *machine,
		     const struct advice_proposal *proposal, double count, uint64_t most,
		     struct visit_plan *plan)
{
	_cleanup_free_ struct part_bytes *old = xcalloc(type->current.part_count + 1, sizeof(*old)),
					 *new = xcalloc(proposal->part_count + 1, sizeof(*new));
	struct replay sides[2] = { { type, machine, &type->current, old, false, false },
				   { type, machine, proposal, new, false, false } };
	uint64_t far = CACHES * machine->sizes[LEVEL_L3];
	double limit = INFINITY;

	*plan = (struct visit_plan){ .refusal = refusal_of(type, proposal, count),
				     .near = proposal->prediction.old_set <=
					     machine->sizes[LEVEL_L2] };
	if (plan->refusal)
		return;
	for (int side = 0; side < 2; side++) {
		double lines = lines_of_object(&sides[side], machine->cacheline, REGION_SHARE);

		layout_make(&sides[side], SOME_OBJECTS, &plan->layouts[side]);
		limit = fmin(limit,
			     (double)most * SOME_OBJECTS / (double)plan->layouts[side].bytes);
		/* more would be as slow */
		if (side && lines > 0 && far)
			count = fmin(count,
				     fmax((double)far / (lines * (double)machine->cacheline), 1));
	}
	programs_make(sides, plan);
	if (!plan->program_count) {
		plan->refusal = "no code with enough samples goes from one object to another";
		return;
	}
	for (size_t i = 0; i < plan->program_count; i++)
		for (uint32_t k = 0; k < plan->programs[i].base_count; k++)
			limit = fmin(limit, plan->programs[i].bases[0][k].walk == WALK_CHASE
						    ? CHASED_MAX
						    : OBJECTS_MAX);
	plan->objects = (uint64_t)fmin(count, limit);
	if (!plan->objects) {
		plan->refusal = "there is too little free memory";
		return;
	}
	for (int side = 0; side < 2; side++)
		layout_make(&sides[side], plan->objects, &plan->layouts[side]);
}

double visit_lines(const struct visit_plan *plan, const struct visit_program *program, int layout,
		   uint64_t cacheline)
{
	const struct visit_layout *memory = &plan->layouts[layout];
	uint64_t visits = plan->objects < ELEMENTS ? plan->objects : ELEMENTS;
	_cleanup_free_ uint64_t *lines = xcalloc(visits * VISIT_TOUCHES, sizeof(*lines));
	double sum = 0;

	array_each (const struct visit_base, base, program->bases[layout], program->base_count) {
		size_t count = 0;

		for (uint64_t i = 0; i < visits; i++) {
			/* only in a stream is a line used by several visits */
			count = base->walk == WALK_STREAM ? count : 0;
			array_each (const struct visit_touch, touch, base->touches,
				    base->touch_count) {
				uint64_t line =
					(visit_place(memory, touch->part,
						     i * base->step % plan->objects) +
					 touch->offset + i % touch->places * touch->stride) /
					cacheline;

				if (any_of(k, 0, count, lines[k] == line))
					continue;
				lines[count++] = line;
				sum += (touch->sometimes ? 0.5 : 1) * base->repeat;
			}
		}
	}
	return sum / (double)visits;
}

/* ---- the verdict ---- */

#define AGREE     1.05 /* ranges that are farther apart do not agree */
#define GAIN_MIN  1.05 /* of the program: a replay is not quite the program */
#define NARROWEST 1.03 /* either end is this far from the middle at least */
#define ERROR     0.1  /* of the gain: ends move outwards by it, for the same reason */
#define MEASURE   ": dtprof try measures the program"
#define NO_LOSS   0.99 /* of a low end, */
#define NO_JUMPS  1.01 /* of the replay's in L2, where jumps may take all of the time, */
#define LOSS      0.9  /* and of one that excludes no gain: the time may as well be noise */
#define LIKELY    1.12 /* of a gain that a replay and the formula both expect */
/* of a low end's gain: programs whose lines are in L2 hide more of them than is replayed */
#define NEAR_KEPT 0.5
#define SEARCHED  0.5 /* of the samples: visits in no order are what the replay is about */
#define REPLAYED  0.5 /* how much the replay counts where the formula counts the rest */
/* Computation of this share of all time may be hidden now, while lines are waited for, */
#define LEFT_UNKNOWN 0.08
#define LEFT_SAVED   0.28 /* but of no more than this share of what is saved */

void replayed_visit_add(struct replayed_visit *visit, const struct replayed_visit *other)
{
	if (!other->known)
		return;
	if (!visit->known) {
		*visit = *other;
		return;
	}
	visit->range.low = fmin(visit->range.low, other->range.low);
	visit->range.high = fmax(visit->range.high, other->range.high);
	visit->middle = sqrt(visit->middle * other->middle);
	visit->noise = fmax(visit->noise, other->noise);
}

/* Returns the range to print for a low end, a middle and a high end. */
static struct advice_range range_around(const double gains[3])
{
	return (struct advice_range){
		fmin(gains[0] - ERROR * fabs(gains[0] - 1), gains[1] / NARROWEST),
		fmax(gains[2] + ERROR * fabs(gains[2] - 1), gains[1] * NARROWEST)
	};
}

/* Sets the gains of the whole program. Regions that were not run gain as predicted. */
static void sum_gains(const struct advice_type *type, const struct visit_plan *plan,
		      const struct replayed_visit *visits, struct advice_prediction *prediction)
{
	struct advice_replay *replay = &prediction->replay;
	_cleanup_free_ double *gains = xcalloc(type->region_count + 1, sizeof(*gains));
	double whole[3], own[3], run = 0;

	for (int end = 0; end < 3; end++) {
		array_indexed (const struct advice_range, range, i, prediction->regions,
			       type->region_count)
			gains[i] = end == 0   ? range->low
				   : end == 1 ? sqrt(range->low * range->high)
					      : range->high;
		array_indexed (const struct replayed_visit, visit, i, visits, plan->program_count) {
			if (visit->known)
				gains[plan->programs[i].region] = end == 0   ? visit->range.low
								  : end == 1 ? visit->middle
									     : visit->range.high;
		}
		whole[end] = replay_whole_gain(type, gains, type->total);
		own[end] = replay_whole_gain(type, gains, type->own_total);
	}
	replay->middle = whole[1];
	replay->whole = range_around(whole);
	replay->own = range_around(own);
	for (size_t i = 0; i < plan->program_count; i++) {
		run += (double)type->regions[plan->programs[i].region].samples;
		replay->noise = fmax(replay->noise, visits[i].noise);
	}
	replay->share = run / (double)advice_region_samples(type);
	replay->objects = plan->objects;
}

/* Returns the range that the formula and the replay, whose middle is given, promise together: at
 * the low end the times that both leave, and computation beside them that neither knows; at the
 * high end the mean of the times in their middles. Of 19 old programs that were timed and
 * replayed on a busy machine all kept the low end, and 13 gained no more than the high end. */
static struct advice_range both_ranges(const struct advice_range *formula,
				       const struct advice_range *run, double middle)
{
	double most = (1 - REPLAYED) / formula->low + REPLAYED / run->low,
	       least = (1 / sqrt(formula->low * formula->high) + 1 / middle) / 2,
	       left = fmin(LEFT_UNKNOWN, LEFT_SAVED * fmax(1 - most, 0));

	return (struct advice_range){ 1 / fmax(most + left, least), 1 / least };
}

/* Promises what the formula and the replay say together. */
static void promise_both(const struct visit_plan *plan, struct advice_prediction *prediction,
			 struct arena *arena)
{
	const struct advice_replay *replay = &prediction->replay;
	const struct advice_range *formula = &prediction->whole, *run = &replay->whole;
	double kept = plan->near ? NEAR_KEPT : 1;

	prediction->reason =
		arena_format(arena, "the formula says %.2f to %.2f, and the replay %.2f to %.2f",
			     formula->low, formula->high, run->low, run->high);
	prediction->whole = both_ranges(formula, run, replay->middle);
	prediction->own = both_ranges(&prediction->own, &replay->own,
				      sqrt(replay->own.low * replay->own.high));
	prediction->whole.low = 1 + kept * fmax(prediction->whole.low - 1, 0);
	prediction->own.low = 1 + kept * fmax(prediction->own.low - 1, 0);
	prediction->width = NULL;
	for (size_t i = 0; i < plan->program_count; i++) {
		struct advice_range *range = &prediction->regions[plan->programs[i].region];

		if (replay->visits[i].known)
			*range = both_ranges(range, &replay->visits[i].range,
					     replay->visits[i].middle);
		range->low = fmin(range->low, 1 + kept * fmax(range->low - 1, 0));
	}
	prediction->verdict = VERDICT_GAIN;
}

/* Returns whether a gain is advised: one of both promises it, and the other one excludes neither
 * that there is a gain nor that it is as large; or both expect one, however large. */
static bool is_promised(const struct visit_plan *plan, const struct advice_prediction *prediction)
{
	const struct advice_range *formula = &prediction->whole, *run = &prediction->replay.whole;
	bool gain = prediction->verdict == VERDICT_GAIN;

	if (gain && run->low >= LOSS && run->high >= GAIN_MIN)
		return true;
	if (run->low >= GAIN_MIN && run->low <= AGREE * formula->high)
		return true;
	return formula->low >= NO_LOSS && run->low >= (plan->near ? NO_JUMPS : NO_LOSS) &&
	       fmin(formula->high, run->high) >= LIKELY && sqrt(run->low * run->high) >= LIKELY;
}

void visit_judge(const struct advice_type *type, const struct visit_plan *plan,
		 const struct replayed_visit *visits, struct advice_proposal *proposal,
		 struct arena *arena)
{
	struct advice_prediction *prediction = &proposal->prediction;
	struct advice_replay *replay = &prediction->replay;

	replay->tried = true;
	replay->refusal = plan->refusal;
	if (plan->refusal)
		return;
	sum_gains(type, plan, visits, prediction);
	replay->visits = arena_copy(arena, visits, plan->program_count * sizeof(*visits));
	replay->visit_count = plan->program_count;
	if (prediction->unknown)
		return;
	bool none = replay->whole.high<GAIN_MIN, promised = is_promised(plan, prediction),
				       differ = replay->whole.low>
				    AGREE *
			    prediction->whole.high ||
		    AGREE * replay->whole.high < prediction->whole.low;

	if (promised)
		promise_both(plan, prediction, arena);
	if (promised || (prediction->verdict == VERDICT_NO_GAIN && !differ))
		return;
	prediction->verdict = none && !differ ? VERDICT_NO_GAIN : VERDICT_CANNOT_TELL;
	prediction->reason =
		arena_format(arena,
			     "the replay measures %.2f to %.2f times, and the formula "
			     "predicts %.2f to %.2f%s",
			     replay->whole.low, replay->whole.high, prediction->whole.low,
			     prediction->whole.high, none && !differ ? "" : MEASURE);
}
