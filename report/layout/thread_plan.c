// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements thread_plan.h: which code two threads run (choose_codes()), where it accesses their
 * objects in both layouts (code_make()), and the verdict on what was measured.
 */
#include "report/layout/thread_plan.h"

#include <math.h>

#define GAIN_MIN 1.05 /* of the program: a replay is not quite the program */
#define KEPT     0.6  /* of the time that the replay saves: programs do more between accesses */
#define ERROR    0.1  /* of the gain: the high end moves outwards by it */

/* ---- the code of two threads ---- */

static uint64_t member_line(const struct advice_type *type, uint32_t member, uint64_t cacheline)
{
	return type->members[member].offset / cacheline;
}

/* Returns whether the region writes a member that gets a line of its own. */
static bool writes_moved(const struct advice_type *type, const struct advice_region *region)
{
	return any_of(i, 0, region->use_count,
		      region->uses[i].write &&
			      any_of(k, 0, type->sharing_count,
				     advice_uses_member(type, &region->uses[i],
							type->sharings[k].member)));
}

/* Returns whether the region uses a member in the line of one that another region, `writer`, writes
 * and that gets a line of its own. */
static bool is_disturbed_by(const struct advice_type *type, const struct advice_region *region,
			    const struct advice_region *writer, uint64_t cacheline)
{
	for (size_t k = 0; k < type->sharing_count; k++) {
		uint32_t moved = type->sharings[k].member;

		if (!any_of(i, 0, writer->use_count,
			    writer->uses[i].write &&
				    advice_uses_member(type, &writer->uses[i], moved)))
			continue;
		for (uint32_t m = 0; m < type->member_count; m++)
			if (m != moved &&
			    member_line(type, m, cacheline) ==
				    member_line(type, moved, cacheline) &&
			    any_of(i, 0, region->use_count,
				   advice_uses_member(type, &region->uses[i], m)))
				return true;
	}
	return false;
}

static const struct advice_region *most_sampled(const struct advice_region *one,
						const struct advice_region *other)
{
	return !one || other->charged > one->charged ? other : one;
}

/* Sets the regions with the most samples of two threads that disturb each other. If only objects
 * side by side share lines, both run the code with the most writes, each on its own object. */
static bool choose_codes(const struct advice_type *type, uint64_t cacheline,
			 const struct advice_region *chosen[2])
{
	chosen[0] = chosen[1] = NULL;
	array_each (const struct advice_region, region, type->regions, type->region_count) {
		bool writes = type->sharing_count
				      ? writes_moved(type, region)
				      : any_of(i, 0, region->use_count, region->uses[i].write);

		if (writes && region->charged)
			chosen[0] = most_sampled(chosen[0], region);
	}
	if (!chosen[0])
		return false;
	if (!type->sharing_count) {
		chosen[1] = chosen[0];
		return true;
	}
	array_each (const struct advice_region, region, type->regions, type->region_count)
		if (region != chosen[0] && region->charged &&
		    is_disturbed_by(type, region, chosen[0], cacheline))
			chosen[1] = most_sampled(chosen[1], region);
	/* several threads run the same code */
	if (!chosen[1] && is_disturbed_by(type, chosen[0], chosen[0], cacheline))
		chosen[1] = chosen[0];
	return chosen[1];
}

/* ---- accesses ---- */

static void code_add_touch(struct thread_code *code, const struct thread_touch *touch)
{
	if (code->touch_count < THREAD_TOUCHES &&
	    !any_of(i, 0, code->touch_count,
		    code->touches[i].offsets[0] == touch->offsets[0] &&
			    code->touches[i].write == touch->write))
		code->touches[code->touch_count++] = *touch;
}

/* Sets the accesses of a region to the object with this number: loads, then stores. */
static void code_make(const struct advice_type *type, const struct advice_proposal *proposal,
		      const struct advice_region *region, uint64_t object, uint64_t begin,
		      struct thread_code *code)
{
	double samples = (double)region->samples, charged = (double)region->charged;

	*code = (struct thread_code){
		.region = (uint32_t)(region - type->regions),
		.cycles = region->loop && !region->calls ? region->cycles : 0,
		.waits = fmin((charged + 2 * sqrt(charged) + 1) / samples, 1),
	};
	code->instructions = code->cycles > 0 ? ADVICE_ISSUE_WIDTH * region->issue : 0;
	for (int write = 0; write < 2; write++)
		array_each (const struct advice_use, use, region->uses, region->use_count) {
			int member = advice_member_at(type, use->offset);
			struct thread_touch touch = { .write = use->write, .atomic = use->atomic };

			/* an atomic access is one of its load and its store */
			if (use->write != write || member < 0 || (use->atomic && !write) ||
			    use->inner || advice_use_is_rare(use))
				continue;
			touch.offsets[0] = begin + object * type->size + use->offset;
			array_each (const struct advice_placed, placed, proposal->placed,
				    type->member_count)
				if (placed->member == (uint32_t)member)
					touch.offsets[1] = object * proposal->parts[0].size +
							   placed->offset + use->offset -
							   type->members[member].offset;
			code_add_touch(code, &touch);
		}
}

void thread_plan_make(const struct advice_type *type, const struct advice_machine *machine,
		      const struct advice_proposal *proposal, struct thread_plan *plan)
{
	uint64_t cacheline = machine->cacheline, begin = 0;
	const struct advice_region *chosen[2];

	*plan = (struct thread_plan){ 0 };
	for (uint64_t at = 1; at < cacheline && at < COUNT_OF(type->objects.alignments); at++)
		if (type->objects.alignments[at] > type->objects.alignments[begin])
			begin = at;
	if (!choose_codes(type, cacheline, chosen))
		plan->refusal = "no code is known that disturbs the code of another thread";
	else if (2 * proposal->parts[0].size + cacheline > THREAD_BYTES)
		plan->refusal = "its objects are too large";
	for (int i = 0; i < 2 && !plan->refusal; i++)
		code_make(type, proposal, chosen[i], type->sharing_count ? 0 : (uint64_t)i, begin,
			  &plan->codes[i]);
}

/* ---- the verdict ---- */

/* Shares of the most time that both threads can have run at once: not known, as samples have only
 * the time of each. At the low end, in the middle and at the high end. */
static const double overlaps[] = { 0.5, 0.75, 1 };

/* Returns the gain of one thread's region, which the replay has measured for when both threads run:
 * the other one disturbs it for no longer than that runs itself. */
static double overlapped_gain(const struct advice_type *type, const struct thread_plan *plan,
			      int thread, double gain, double overlap)
{
	double own = (double)type->regions[plan->codes[thread].region].samples,
	       other = (double)type->regions[plan->codes[!thread].region].samples;

	return 1 / (1 - overlap * fmin(other / own, 1) * (1 - 1 / gain));
}

void thread_plan_judge(const struct advice_type *type, const struct thread_plan *plan,
		       const struct replayed_visit visits[2], struct advice_proposal *proposal,
		       struct arena *arena)
{
	struct advice_prediction *prediction = &proposal->prediction;
	struct advice_replay *replay = &prediction->replay;
	_cleanup_free_ double *gains = xcalloc(type->region_count + 1, sizeof(*gains));
	double whole[3], own[3];

	replay->tried = true;
	replay->refusal = plan->refusal;
	if (plan->refusal)
		return;
	for (int end = 0; end < 3; end++) {
		for (size_t i = 0; i < type->region_count; i++)
			gains[i] = 1;
		for (int i = 0; i < 2; i++)
			gains[visits[i].region] = overlapped_gain(type, plan, i,
								  end == 0   ? visits[i].range.low
								  : end == 1 ? visits[i].middle
									     : visits[i].range.high,
								  overlaps[end]);
		whole[end] = replay_whole_gain(type, gains, type->total);
		own[end] = replay_whole_gain(type, gains, type->own_total);
	}
	replay->middle = whole[1];
	replay->whole = (struct advice_range){ whole[0], whole[2] + ERROR * fabs(whole[2] - 1) };
	replay->own = (struct advice_range){ own[0], own[2] + ERROR * fabs(own[2] - 1) };
	replay->objects = plan->codes[0].region == plan->codes[1].region ? 2 : 1;
	for (int i = 0; i < 2; i++) {
		replay->noise = fmax(replay->noise, visits[i].noise);
		if (!i || plan->codes[1].region != plan->codes[0].region)
			replay->share += (double)type->regions[plan->codes[i].region].samples /
					 (double)advice_region_samples(type);
	}
	replay->visits = arena_copy(arena, visits, 2 * sizeof(*visits));
	replay->visit_count = 2;
	double low = 1 / (1 - KEPT * (1 - 1 / replay->whole.low));

	prediction->width = NULL;
	prediction->verdict = replay->whole.high < GAIN_MIN ? VERDICT_NO_GAIN
			      : low < GAIN_MIN              ? VERDICT_CANNOT_TELL
							    : VERDICT_GAIN;
	prediction->reason = arena_format(
		arena,
		"two threads that access it as sampled take %.2f and %.2f ns in place of "
		"%.2f and %.2f for an iteration",
		visits[0].new, visits[1].new, visits[0].old, visits[1].old);
	if (prediction->verdict != VERDICT_GAIN)
		return;
	prediction->whole = (struct advice_range){ low, replay->whole.high };
	prediction->own = (struct advice_range){ 1 / (1 - KEPT * (1 - 1 / replay->own.low)),
						 replay->own.high };
}
