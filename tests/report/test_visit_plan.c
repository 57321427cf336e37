// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Visit plans: which bytes and lines a replay touches in both layouts, in which order, and the
 * verdict on what it measures. Nothing is timed here.
 */
#include "tests/support/unit.h"

#include <math.h>
#include <string.h>

#include "report/layout/visit_plan.h"

#define KB   1024ULL
#define MB   (1024 * KB)
#define ROOM (256 * MB)

/* Records of 128 bytes: a loop uses "key" and "next", in different lines, and nothing else. */
struct records {
	struct advice advice;
	struct advice_type type;
	struct advice_member members[3];
	struct advice_region region;
	struct advice_use uses[3];
	uint64_t lines[2];
};

static void records_init(struct records *records, enum advice_walk walk, bool array)
{
	*records = (struct records){
		.advice.machine = { .cacheline = 64, .sizes = { 32 * KB, 1 * MB, 32 * MB } },
		.type = { .name = "struct record",
			  .keyword = "struct",
			  .tag = "record",
			  .object = "prog",
			  .prelude = "",
			  .size = 128,
			  .align = 8,
			  .samples = 950,
			  .total = 1000,
			  .own_total = 1000,
			  .member_count = 3,
			  .region_count = 1,
			  .line_count = 2,
			  .objects = { .addressed = 950,
				       .seen = 900,
				       .estimate = 100000,
				       .most = 100000,
				       .array = array } },
		.members = { { .name = "key", .declaration = "long key;", .size = 8, .align = 8 },
			     { .name = "text",
			       .declaration = "char text[112];",
			       .offset = 8,
			       .size = 112,
			       .align = 1 },
			     { .name = "next",
			       .declaration = "struct record *next;",
			       .offset = 120,
			       .size = 8,
			       .align = 8 } },
		.region = { .function = "find",
			    .loop = true,
			    .cycles = 3,
			    .samples = 1000,
			    .charged = 950,
			    .use_count = 2 },
		.uses = { { .walk = walk, .size = 8, .samples = 500, .next = "next" },
			  { .walk = walk, .offset = 120, .size = 8, .samples = 450 } },
	};
	if (walk == WALK_STREAM)
		records->uses[0].step = records->uses[1].step = 128;
	records->type.members = records->members;
	records->type.regions = &records->region;
	records->region.uses = records->uses;
	records->type.line_samples = records->lines;
	records->advice.types = &records->type;
	records->advice.type_count = 1;
	advice_make(&records->advice);
}

static struct advice_proposal *proposal_of(struct records *records, enum advice_kind kind)
{
	for (size_t i = 0; i < records->type.proposal_count; i++)
		if (records->type.proposals[i].kind == kind)
			return &records->type.proposals[i];
	fail_msg("no such proposal");
	return NULL;
}

static void make_plan(struct records *records, enum advice_kind kind, struct visit_plan *plan)
{
	visit_plan_make(&records->type, &records->advice.machine, proposal_of(records, kind),
			records->type.objects.estimate, ROOM, plan);
}

static void test_a_list_is_chased_in_both_layouts(void **state)
{
	struct records records;
	struct visit_plan plan;
	const struct visit_base *old, *new;

	(void)state;
	records_init(&records, WALK_CHASE, false);
	make_plan(&records, PROPOSAL_REORDER, &plan);
	assert_null(plan.refusal);
	assert_int_equal(plan.objects, 100000);
	assert_int_equal(plan.program_count, 1);
	old = &plan.programs[0].bases[0][0];
	new = &plan.programs[0].bases[1][0];
	assert_int_equal(old->walk, WALK_CHASE);
	assert_true(old->next_pointer && new->next_pointer);
	assert_int_equal(old->next_offset, 120);
	assert_true(new->next_offset <= 8);
	/* what leads to the next object is loaded anyway */
	assert_int_equal(old->touch_count, 1);
	assert_int_equal(old->touches[0].offset, 0);
	/* malloc() puts a word before each object */
	assert_int_equal(plan.layouts[0].parts[0].distance, 144);
	arena_deinit(&records.advice.arena);
}

/* An unrolled loop goes to several objects in an iteration: each visit is of one, in a part of it.
 */
static void test_an_unrolled_loop(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	/* the third time, an object is touched on two ways through the loop */
	for (int unrolled = 0; unrolled < 3; unrolled++) {
		records_init(&records, WALK_STREAM, true);
		records.uses[1] = records.uses[2] = records.uses[0];
		records.uses[0].step = records.uses[1].step = records.uses[2].step = 256;
		records.region.use_count = 1 + (size_t)unrolled;
		make_plan(&records, PROPOSAL_SPLIT, &plan);
		assert_float_equal(plan.programs[0].cycles, unrolled ? 1.5 : 3, 0.01);
		assert_int_equal(plan.programs[0].bases[0][0].step, unrolled ? 1 : 2);
		arena_deinit(&records.advice.arena);
	}
}

/* Visits that leave out what is used sometimes still touch something, also if all the rest lies
 * beside what leads to the next object. */
static void test_a_list_is_touched_by_each_visit(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_CHASE, false);
	records.region.use_count = 3;
	records.uses[0].next = records.uses[1].next = "key";
	records.uses[2] = (struct advice_use){
		.walk = WALK_CHASE, .offset = 80, .size = 1, .samples = 20, .sometimes = true
	};
	advice_make(&records.advice);
	make_plan(&records, PROPOSAL_REORDER, &plan);
	assert_null(plan.refusal);
	assert_true(plan.programs[0].bases[0][0].always_count);
	assert_true(plan.programs[0].bases[1][0].always_count);
	arena_deinit(&records.advice.arena);
}

/* Pointers that would overlap are one. */
static void test_two_chases_have_room_for_their_pointers(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_CHASE, false);
	records.uses[0].next = NULL;
	records.uses[1].base = 1;
	records.uses[1].offset = 4;
	records.uses[1].size = 4;
	make_plan(&records, PROPOSAL_REORDER, &plan);
	assert_int_equal(plan.programs[0].base_count, 2);
	for (int side = 0; side < 2; side++) {
		const struct visit_base *bases = plan.programs[0].bases[side];

		assert_int_equal(bases[0].next_offset, bases[1].next_offset);
		assert_int_equal(bases[0].next_pointer, bases[1].next_pointer);
	}
	arena_deinit(&records.advice.arena);
}

/* Objects in no order that are touched alike are one base, visited several times. */
static void test_objects_alike_are_one_base(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_SCATTERED, true);
	records.uses[1] = records.uses[0];
	records.uses[1].base = 1;
	records.uses[1].samples = 450;
	make_plan(&records, PROPOSAL_SPLIT, &plan);
	assert_int_equal(plan.programs[0].base_count, 1);
	/* the time of one object */
	assert_float_equal(plan.programs[0].cycles, records.region.cycles / 2, 0.01);
	/* nothing waits for the second one: it is the first one, found again */
	records.uses[1].samples = 0;
	records.uses[1].offset = 120;
	make_plan(&records, PROPOSAL_SPLIT, &plan);
	assert_int_equal(plan.programs[0].base_count, 1);
	assert_float_equal(plan.programs[0].cycles, records.region.cycles, 0.01);
	/* beside a stream */
	records.uses[1] = records.uses[0];
	records.uses[1].base = 1;
	records.uses[1].samples = 450;
	records.region.uses = (struct advice_use[]){
		records.uses[0],
		records.uses[1],
		{ .base = 2, .walk = WALK_STREAM, .step = 128, .size = 8, .samples = 50 }
	};
	records.region.use_count = 3;
	make_plan(&records, PROPOSAL_SPLIT, &plan);
	assert_int_equal(plan.programs[0].base_count, 2);
	assert_int_equal(plan.programs[0].bases[1][0].repeat, 2);
	assert_float_equal(visit_lines(&plan, &plan.programs[0], 0, 64), 3, 0.01);
	arena_deinit(&records.advice.arena);
}

static void test_lines_of_a_stream(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_STREAM, true);
	records.type.objects.alignments[0] = 950;
	make_plan(&records, PROPOSAL_SPLIT, &plan);
	assert_null(plan.refusal);
	assert_int_equal(plan.layouts[1].part_count, 2);
	assert_false(plan.layouts[1].parts[1].through);
	/* key and next are in two lines of 128 bytes, and then in 16 bytes side by side */
	assert_float_equal(visit_lines(&plan, &plan.programs[0], 0, 64), 2, 0.05);
	assert_float_equal(visit_lines(&plan, &plan.programs[0], 1, 64), 0.25, 0.05);
	/* if records begin in the middle of a line, "next" is in that of the next "key" */
	records.type.objects.alignments[0] = 0;
	records.type.objects.alignments[16] = 950;
	make_plan(&records, PROPOSAL_SPLIT, &plan);
	assert_float_equal(visit_lines(&plan, &plan.programs[0], 0, 64), 1, 0.05);
	arena_deinit(&records.advice.arena);
}

/* Elements of an array, found by an index in the one before: the cold part is another array. */
static void test_parts_that_are_found_by_number(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_CHASE, true);
	make_plan(&records, PROPOSAL_REORDER, &plan);
	assert_true(plan.programs[0].bases[1][0].next_pointer);
	arena_deinit(&records.advice.arena);
	records_init(&records, WALK_STREAM, true);
	records.uses[0].walk = records.uses[1].walk = WALK_CHASE;
	make_plan(&records, PROPOSAL_SPLIT, &plan);
	assert_true(plan.programs[0].bases[0][0].next_pointer);
	assert_false(plan.programs[0].bases[1][0].next_pointer);
	arena_deinit(&records.advice.arena);
}

static void test_a_cold_part_behind_a_pointer(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_SCATTERED, false);
	make_plan(&records, PROPOSAL_SPLIT, &plan);
	assert_null(plan.refusal);
	assert_true(plan.layouts[1].parts[1].through);
	assert_int_equal(plan.layouts[1].parts[1].pointer, 16);
	/* it is not touched, so one part has all touches */
	for (uint32_t i = 0; i < plan.programs[0].bases[1][0].touch_count; i++)
		assert_int_equal(plan.programs[0].bases[1][0].touches[i].part, 0);
	arena_deinit(&records.advice.arena);
}

static void test_uses_that_iterations_leave_out(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_SCATTERED, false);
	records.uses[1].sometimes = true;
	make_plan(&records, PROPOSAL_REORDER, &plan);
	assert_int_equal(plan.programs[0].bases[0][0].always_count, 1);
	assert_int_equal(plan.programs[0].bases[0][0].touch_count, 2);
	assert_float_equal(visit_lines(&plan, &plan.programs[0], 0, 64), 1.5, 0.2);
	arena_deinit(&records.advice.arena);
}

/* A use that hardly an iteration makes takes no part. */
static void test_uses_that_are_rare(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_SCATTERED, false);
	records.uses[1].sometimes = true;
	records.uses[1].most = 0.01;
	make_plan(&records, PROPOSAL_REORDER, &plan);
	assert_int_equal(plan.programs[0].bases[0][0].touch_count, 1);
	arena_deinit(&records.advice.arena);
}

/* A search that goes on by one of two pointers, as what it compares decides. */
static void test_ways_down_a_tree(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_CHASE, false);
	records.region.choices = 1;
	records.region.use_count = 3;
	records.uses[1].sometimes = records.uses[1].leads = true;
	records.uses[2] = records.uses[1];
	records.uses[2].offset = 64; /* in "text" */
	make_plan(&records, PROPOSAL_REORDER, &plan);
	for (int layout = 0; layout < 2; layout++) {
		const struct visit_base *base = &plan.programs[0].bases[layout][0];

		assert_true(base->tree && base->by_jump);
		assert_int_equal(base->always_count, 1);
		assert_int_not_equal(base->next_offset, base->other_offset);
	}
	assert_int_equal(plan.programs[0].bases[0][0].next_offset, 120);
	assert_int_equal(plan.programs[0].bases[0][0].other_offset, 64);
	/* compilers may choose without a jump */
	records.region.choices = 0;
	make_plan(&records, PROPOSAL_REORDER, &plan);
	assert_false(plan.programs[0].bases[0][0].by_jump);
	arena_deinit(&records.advice.arena);
}

/* A use of more bytes than its member has stays within the object. */
static void test_uses_beyond_the_object(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_SCATTERED, true);
	records.uses[1].reach = 4096;
	make_plan(&records, PROPOSAL_REORDER, &plan);
	for (int layout = 0; layout < 2; layout++) {
		const struct visit_base *base = &plan.programs[0].bases[layout][0];

		for (uint32_t i = 0; i < base->touch_count; i++)
			assert_true(base->touches[i].offset + (base->touches[i].places - 1) *
								      base->touches[i].stride <
				    128);
	}
	arena_deinit(&records.advice.arena);
}

static void test_plans_that_cannot_be_made(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_CHASE, false);
	records.type.objects.estimate = 0;
	make_plan(&records, PROPOSAL_REORDER, &plan);
	assert_non_null(strstr(plan.refusal, "how many objects"));
	records.type.objects.estimate = 1000;
	visit_plan_make(&records.type, &records.advice.machine,
			proposal_of(&records, PROPOSAL_REORDER), 1000, 0, &plan);
	assert_non_null(strstr(plan.refusal, "memory"));
	records.uses[0].walk = records.uses[1].walk = WALK_SAME;
	make_plan(&records, PROPOSAL_REORDER, &plan);
	assert_non_null(strstr(plan.refusal, "no code"));
	arena_deinit(&records.advice.arena);
}

static void test_more_objects_than_memory(void **state)
{
	struct records records;
	struct visit_plan plan;

	(void)state;
	records_init(&records, WALK_CHASE, false);
	/* 144 bytes each */
	visit_plan_make(&records.type, &records.advice.machine,
			proposal_of(&records, PROPOSAL_REORDER), 100000, 2 * MB, &plan);
	assert_null(plan.refusal);
	assert_in_range(plan.objects, 10000, 15000);
	assert_true(plan.layouts[0].bytes < 3 * MB && plan.layouts[1].bytes < 3 * MB);
	arena_deinit(&records.advice.arena);
}

/* Returns the proposal after a replay that measured this range. */
static struct advice_proposal *judge_beside(struct records *records, struct advice_range formula,
					    double low, double high)
{
	struct visit_plan plan;
	struct advice_proposal *proposal = proposal_of(records, PROPOSAL_REORDER);
	struct replayed_visit visits[VISIT_REGIONS] = {
		{ .known = true, .range = { low, high }, .middle = sqrt(low * high) }
	};

	proposal->prediction.whole = formula;
	proposal->prediction.verdict = formula.low > 1.1 && !proposal->prediction.unknown
					       ? VERDICT_GAIN
					       : VERDICT_CANNOT_TELL;
	proposal->prediction.reason = "either";
	make_plan(records, PROPOSAL_REORDER, &plan);
	visit_judge(&records->type, &plan, visits, proposal, &records->advice.arena);
	return proposal;
}

static struct advice_proposal *judge(struct records *records, double low, double high)
{
	return judge_beside(records, (struct advice_range){ 1.2, 1.6 }, low, high);
}

static void test_verdicts(void **state)
{
	_cleanup_strbuf_ struct strbuf page = STRBUF_INIT;
	struct records records;
	struct advice_proposal *proposal;

	(void)state;
	records_init(&records, WALK_CHASE, false);
	/* both say that it is faster */
	proposal = judge(&records, 1.4, 1.5);
	assert_int_equal(proposal->prediction.verdict, VERDICT_GAIN);
	assert_true(proposal->prediction.replay.whole.low < proposal->prediction.replay.middle);
	assert_true(proposal->prediction.replay.whole.high > proposal->prediction.replay.middle);
	assert_float_equal(proposal->prediction.replay.middle, 1.45, 0.05);
	assert_float_equal(proposal->prediction.whole.low, 1.19, 0.01);
	assert_float_equal(proposal->prediction.whole.high, 1.42, 0.02);
	assert_non_null(strstr(proposal->prediction.reason,
			       "the formula says 1.20 to 1.60, and the replay 1.3"));
	advice_print(&records.type, &records.advice.machine, &page);
	assert_non_null(strstr(page.data, "measured by"));
	assert_non_null(strstr(page.data, "(range"));
	/* both are faster, but do not agree how much: between them, by the time that is left */
	proposal = judge(&records, 2.5, 3);
	assert_int_equal(proposal->prediction.verdict, VERDICT_GAIN);
	assert_float_equal(proposal->prediction.whole.low, 1.41, 0.03);
	assert_float_equal(proposal->prediction.whole.high, 1.83, 0.06);
	/* one expects less than the other one's low end */
	proposal = judge(&records, 1.15, 1.4);
	assert_float_equal(proposal->prediction.whole.low, 1.12, 0.02);
	assert_float_equal(proposal->prediction.whole.high, 1.33, 0.02);
	/* one promises something, and the other does not exclude it */
	proposal = judge_beside(&records, (struct advice_range){ 1.05, 1.1 }, 1.12, 1.2);
	assert_int_equal(proposal->prediction.verdict, VERDICT_GAIN);
	assert_float_equal(proposal->prediction.whole.low, 1.06, 0.02);
	assert_true(proposal->prediction.whole.high > 1.1);
	proposal = judge_beside(&records, (struct advice_range){ 1.14, 1.24 }, 0.96, 1.08);
	assert_int_equal(proposal->prediction.verdict, VERDICT_GAIN);
	assert_float_equal(proposal->prediction.whole.low, 1.02, 0.01);
	assert_non_null(strstr(proposal->prediction.reason, "and the replay 0.9"));
	/* its jumps may take all of the time: none is promised if the lines are near */
	proposal = judge_beside(&records, (struct advice_range){ 1, 1.33 }, 1.01, 1.4);
	assert_int_equal(proposal->prediction.verdict, VERDICT_GAIN);
	proposal->prediction.old_set = 300 * KB;
	proposal = judge_beside(&records, (struct advice_range){ 1, 1.33 }, 1.01, 1.4);
	assert_int_equal(proposal->prediction.verdict, VERDICT_CANNOT_TELL);
	/* nor is all of a gain, which other instructions may hide */
	proposal->prediction.old_set = 300 * KB;
	proposal = judge_beside(&records, (struct advice_range){ 1.2, 1.5 }, 1.3, 1.5);
	assert_int_equal(proposal->prediction.verdict, VERDICT_GAIN);
	assert_float_equal(proposal->prediction.whole.low, 1.08, 0.02);
	proposal->prediction.old_set = 12 * MB;
	/* it says that there is none */
	proposal = judge_beside(&records, (struct advice_range){ 1.14, 1.24 }, 0.98, 1);
	assert_int_equal(proposal->prediction.verdict, VERDICT_CANNOT_TELL);
	/* "at least 1.00" would promise nothing */
	proposal = judge_beside(&records, (struct advice_range){ 1, 2.9 }, 1.05, 3);
	assert_int_equal(proposal->prediction.verdict, VERDICT_GAIN);
	strbuf_reset(&page);
	advice_print(&records.type, &records.advice.machine, &page);
	assert_null(strstr(page.data, "at least 1.00"));
	proposal->prediction.whole.low = 1;
	strbuf_reset(&page);
	advice_print(&records.type, &records.advice.machine, &page);
	assert_non_null(strstr(page.data, "Expected: 1.00 or more times faster"));
	/* one has a loss */
	proposal = judge(&records, 0.6, 0.7);
	assert_int_equal(proposal->prediction.verdict, VERDICT_CANNOT_TELL);
	assert_non_null(strstr(proposal->prediction.reason, "the replay measures 0.5"));
	/* neither a gain nor a loss is excluded */
	proposal = judge(&records, 0.8, 1.3);
	assert_int_equal(proposal->prediction.verdict, VERDICT_CANNOT_TELL);
	/* too few samples remain too few */
	records.region.samples = records.region.charged = 20;
	records.type.samples = records.type.total = records.type.own_total = 20;
	advice_make(&records.advice);
	proposal = judge(&records, 1.4, 1.5);
	assert_int_equal(proposal->prediction.verdict, VERDICT_CANNOT_TELL);
	arena_deinit(&records.advice.arena);
}

/* Visits that go to few of the elements gain less: those are in caches already. */
static void test_few_elements_are_visited(void **state)
{
	_cleanup_strbuf_ struct strbuf page = STRBUF_INIT;
	struct records records;
	struct visit_plan plan;
	double low;

	(void)state;
	records_init(&records, WALK_SCATTERED, true);
	low = proposal_of(&records, PROPOSAL_SPLIT)->prediction.whole.low;
	records.type.objects.often = 2000;
	advice_make(&records.advice);
	assert_true(proposal_of(&records, PROPOSAL_SPLIT)->prediction.whole.low < low);
	advice_print(&records.type, &records.advice.machine, &page);
	assert_non_null(strstr(page.data, "about 100000 elements side by side,\n  of which "
					  "visits go to at least 2000, by the addresses of 950 "
					  "samples;\n  the lines of them that hot code uses: at "
					  "most "));
	/* the reason is about the lines of all, as the heading is */
	records.type.objects.often = 30000;
	advice_make(&records.advice);
	assert_non_null(strstr(proposal_of(&records, PROPOSAL_SPLIT)->prediction.reason,
			       "from at most 6348 KB (L3) to at most 1562 KB (L3)"));
	/* and the replay does not go to few of them */
	make_plan(&records, PROPOSAL_SPLIT, &plan);
	assert_non_null(strstr(plan.refusal, "as a binary search does"));
	arena_deinit(&records.advice.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_list_is_chased_in_both_layouts),
		cmocka_unit_test(test_an_unrolled_loop),
		cmocka_unit_test(test_a_list_is_touched_by_each_visit),
		cmocka_unit_test(test_two_chases_have_room_for_their_pointers),
		cmocka_unit_test(test_objects_alike_are_one_base),
		cmocka_unit_test(test_lines_of_a_stream),
		cmocka_unit_test(test_parts_that_are_found_by_number),
		cmocka_unit_test(test_a_cold_part_behind_a_pointer),
		cmocka_unit_test(test_uses_that_iterations_leave_out),
		cmocka_unit_test(test_uses_that_are_rare),
		cmocka_unit_test(test_ways_down_a_tree),
		cmocka_unit_test(test_uses_beyond_the_object),
		cmocka_unit_test(test_plans_that_cannot_be_made),
		cmocka_unit_test(test_more_objects_than_memory),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_few_elements_are_visited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
