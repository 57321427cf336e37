// SPDX-License-Identifier: GPL-2.0-or-later
/* Plans of each kind are run to their end, and both layouts get a time and a range. How long they
 * take is not judged. */
#include "tests/support/unit.h"

#include <math.h>

#include "base/memory.h"
#include "profiler/machine/run_visits.h"

#define OBJECTS 500

/* A plan of objects of 64 bytes, in one part or, in the second layout, in two. */
static void plan_init(struct visit_plan *plan, enum advice_walk walk, bool pointer, bool parts)
{
	*plan = (struct visit_plan){ .objects = OBJECTS, .program_count = 1 };
	for (int i = 0; i < 2; i++) {
		struct visit_layout *layout = &plan->layouts[i];
		struct visit_base *base = &plan->programs[0].bases[i][0];

		layout->part_count = i && parts ? 2 : 1;
		for (uint32_t k = 0; k < layout->part_count; k++)
			layout->parts[k] = (struct visit_part){ .size = 64,
								.begin = k * 65536,
								.distance = 64,
								.through = k && pointer,
								.pointer = 40 };
		layout->bytes = 2 * 65536;
		*base = (struct visit_base){ .walk = walk,
					     .step = 1,
					     .repeat = 1,
					     .touch_count = 2,
					     .always_count = 1,
					     .next_offset = 8,
					     .next_pointer = pointer };
		base->touches[0] = (struct visit_touch){ .offset = 0, .places = 1, .write = true };
		base->touches[1] = (struct visit_touch){
			.part = layout->part_count - 1, .offset = 32, .places = 1, .sometimes = true
		};
	}
	plan->programs[0].base_count = 1;
	plan->programs[0].waits = 0.8;
	plan->programs[0].choices = 1;
	plan->programs[0].after_jumps = 0.1;
	/* known computation, and one that follows from the share of waits */
	plan->programs[0].cycles = parts ? 3 : 0;
	plan->programs[0].instructions = parts ? 60 : 0;
}

static void run_plan(const struct visit_plan *plan)
{
	struct replayed_visit visits[VISIT_REGIONS] = { 0 };

	assert_true(run_visits(plan, visits));
	assert_true(visits[0].known);
	assert_true(visits[0].old > 0 && visits[0].new > 0 && visits[0].still > 0);
	assert_true(visits[0].range.low > 0 && isfinite(visits[0].range.high));
	assert_true(visits[0].range.low <= visits[0].middle &&
		    visits[0].middle <= visits[0].range.high);
}

static void test_each_order(void **state)
{
	struct visit_plan plan;

	(void)state;
	for (int parts = 0; parts < 2; parts++) {
		plan_init(&plan, WALK_STREAM, false, parts);
		run_plan(&plan);
		plan_init(&plan, WALK_SCATTERED, false, parts);
		plan.programs[0].bases[0][0].dependent = parts;
		run_plan(&plan);
		plan_init(&plan, WALK_CHASE, false, parts);
		plan.programs[0].bases[0][0].lists = LISTS_PERHAPS;
		run_plan(&plan);
		plan_init(&plan, WALK_CHASE, true, parts);
		plan.programs[0].bases[0][0].lists = LISTS_PERHAPS;
		run_plan(&plan);
	}
}

static void test_ways_down_a_tree(void **state)
{
	struct visit_plan plan;

	(void)state;
	for (int pointer = 0; pointer < 2; pointer++) {
		plan_init(&plan, WALK_CHASE, pointer, !pointer);
		for (int i = 0; i < 2; i++) {
			struct visit_base *base = &plan.programs[0].bases[i][0];

			base->tree = true;
			base->by_jump = pointer;
			base->other_offset = 24;
		}
		run_plan(&plan);
	}
	/* beside another object of each visit */
	plan.programs[0].base_count = 2;
	for (int i = 0; i < 2; i++) {
		plan.programs[0].bases[i][1] = plan.programs[0].bases[i][0];
		plan.programs[0].bases[i][1].walk = WALK_SCATTERED;
	}
	run_plan(&plan);
}

/* Loops are compiled for few touches, by how many of them write; others are run, too. */
static void test_numbers_of_touches(void **state)
{
	struct visit_plan plan;

	(void)state;
	for (uint32_t count = 3; count <= 5; count++) {
		plan_init(&plan, WALK_STREAM, false, count % 2);
		for (int i = 0; i < 2; i++) {
			struct visit_base *base = &plan.programs[0].bases[i][0];

			base->touch_count = base->always_count = count;
			for (uint32_t t = 0; t < count; t++)
				base->touches[t] =
					(struct visit_touch){ .part = t && i && count % 2,
							      .offset = 8 * t,
							      .places = 1,
							      .write = t > count - 3 };
		}
		run_plan(&plan);
	}
}

static void test_two_objects_in_one_visit(void **state)
{
	struct visit_plan plan;

	(void)state;
	plan_init(&plan, WALK_SCATTERED, false, false);
	plan.programs[0].base_count = 2;
	for (int i = 0; i < 2; i++) {
		struct visit_base *bases = plan.programs[0].bases[i];

		bases[1] = bases[0];
		bases[1].walk = WALK_STREAM;
		/* an array within the object */
		bases[1].touches[1].places = i ? 4 : 1;
		bases[1].touches[1].stride = 8;
	}
	run_plan(&plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_order),
		cmocka_unit_test(test_ways_down_a_tree),
		cmocka_unit_test(test_numbers_of_touches),
		cmocka_unit_test(test_two_objects_in_one_visit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
