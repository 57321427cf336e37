// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Thread plans: which code of which threads a replay of a pad runs, where it accesses their objects
 * in both layouts, and the verdict on what it measures. Nothing is timed here.
 */
#include "tests/support/unit.h"

#include <string.h>

#include "report/layout/thread_plan.h"

/* A record of 48 bytes: one function writes "at", another one reads "size" beside it. */
struct jobs {
	struct advice advice;
	struct advice_type type;
	struct advice_member members[3];
	struct advice_region regions[2];
	struct advice_use writes[2], reads[1];
	struct advice_sharing sharing;
	uint64_t lines[1];
};

static void jobs_init(struct jobs *jobs)
{
	*jobs = (struct jobs){
		.advice.machine = { .cacheline = 64, .sizes = { 32 << 10, 1 << 20, 32 << 20 } },
		.type = { .name = "struct job",
			  .keyword = "struct",
			  .tag = "job",
			  .object = "prog",
			  .prelude = "",
			  .size = 48,
			  .align = 8,
			  .samples = 900,
			  .total = 1000,
			  .own_total = 1000,
			  .member_count = 3,
			  .region_count = 2,
			  .line_count = 1,
			  .sharing_count = 1,
			  .shared = { .waits = 0.9 },
			  .objects = { .addressed = 900, .seen = 1, .estimate = 1, .most = 1 } },
		.members = { { .name = "size", .declaration = "long size;", .size = 8, .align = 8 },
			     { .name = "at",
			       .declaration = "long at;",
			       .offset = 8,
			       .size = 8,
			       .align = 8 },
			     { .name = "name",
			       .declaration = "char name[32];",
			       .offset = 16,
			       .size = 32,
			       .align = 1 } },
		.regions = { { .function = "work",
			       .loop = true,
			       .cycles = 4,
			       .samples = 500,
			       .charged = 450,
			       .use_count = 2 },
			     { .function = "watch",
			       .loop = true,
			       .cycles = 2,
			       .samples = 500,
			       .charged = 450,
			       .use_count = 1 } },
		.writes = { { .offset = 8, .size = 8 }, { .offset = 8, .size = 8, .write = true } },
		.reads = { { .size = 8 } },
		.sharing = { "False sharing: 'at'", 1 },
	};
	jobs->type.objects.alignments[16] = 900;
	jobs->type.members = jobs->members;
	jobs->type.regions = jobs->regions;
	jobs->regions[0].uses = jobs->writes;
	jobs->regions[1].uses = jobs->reads;
	jobs->type.sharings = &jobs->sharing;
	jobs->type.line_samples = jobs->lines;
	jobs->advice.types = &jobs->type;
	jobs->advice.type_count = 1;
}

static struct advice_proposal *pad_of(struct jobs *jobs)
{
	advice_make(&jobs->advice);
	for (size_t i = 0; i < jobs->type.proposal_count; i++)
		if (jobs->type.proposals[i].kind == PROPOSAL_PAD)
			return &jobs->type.proposals[i];
	fail_msg("no pad is proposed");
	return NULL;
}

static void test_a_writer_and_its_neighbour(void **state)
{
	struct jobs jobs;
	struct thread_plan plan;

	(void)state;
	jobs_init(&jobs);
	thread_plan_make(&jobs.type, &jobs.advice.machine, pad_of(&jobs), &plan);
	assert_null(plan.refusal);
	assert_int_equal(plan.codes[0].region, 0);
	assert_int_equal(plan.codes[1].region, 1);
	assert_int_equal(plan.codes[0].touch_count, 2);
	assert_int_equal(plan.codes[1].touch_count, 1);
	/* loads come first; objects begin where they did, and at a line */
	assert_false(plan.codes[0].touches[0].write);
	assert_true(plan.codes[0].touches[1].write);
	assert_int_equal(plan.codes[0].touches[1].offsets[0], 16 + 8);
	assert_int_equal(plan.codes[1].touches[0].offsets[0], 16);
	assert_int_equal(plan.codes[0].touches[1].offsets[1], 64);
	assert_int_equal(plan.codes[1].touches[0].offsets[1], 0);
	/* a locked instruction is one access */
	jobs.writes[0].atomic = jobs.writes[1].atomic = true;
	thread_plan_make(&jobs.type, &jobs.advice.machine, pad_of(&jobs), &plan);
	assert_int_equal(plan.codes[0].touch_count, 1);
	assert_true(plan.codes[0].touches[0].atomic);
	/* nobody writes */
	jobs.writes[1].write = false;
	thread_plan_make(&jobs.type, &jobs.advice.machine, pad_of(&jobs), &plan);
	assert_non_null(plan.refusal);
	arena_deinit(&jobs.advice.arena);
}

/* Objects side by side: both threads run one code, each on its own object. */
static void test_objects_side_by_side(void **state)
{
	struct jobs jobs;
	struct thread_plan plan;

	(void)state;
	jobs_init(&jobs);
	jobs.type.sharing_count = 0;
	jobs.type.shared.objects = true;
	thread_plan_make(&jobs.type, &jobs.advice.machine, pad_of(&jobs), &plan);
	assert_null(plan.refusal);
	assert_int_equal(plan.codes[1].region, 0);
	assert_int_equal(plan.codes[1].touches[0].offsets[0] - plan.codes[0].touches[0].offsets[0],
			 48);
	assert_int_equal(plan.codes[1].touches[0].offsets[1] - plan.codes[0].touches[0].offsets[1],
			 64);
	arena_deinit(&jobs.advice.arena);
}

/* Samples of plain loads and stores do not tell what a shared line costs; locked instructions need
 * the line each time. */
static void test_what_the_formula_promises(void **state)
{
	struct jobs jobs;

	(void)state;
	jobs_init(&jobs);
	assert_int_equal(pad_of(&jobs)->prediction.verdict, VERDICT_CANNOT_TELL);
	jobs.writes[1].atomic = true;
	assert_int_equal(pad_of(&jobs)->prediction.verdict, VERDICT_GAIN);
	arena_deinit(&jobs.advice.arena);
}

/* Returns the verdict if both threads take so many times as long now. */
static enum advice_verdict verdict_at(struct jobs *jobs, double gain)
{
	struct advice_proposal *pad = pad_of(jobs);
	struct thread_plan plan;
	struct replayed_visit visits[2];

	for (uint32_t i = 0; i < 2; i++)
		visits[i] = (struct replayed_visit){ .known = true,
						     .region = i,
						     .old = 2 * gain,
						     .new = 2,
						     .middle = gain,
						     .range = { 0.98 * gain, 1.02 * gain } };
	thread_plan_make(&jobs->type, &jobs->advice.machine, pad, &plan);
	thread_plan_judge(&jobs->type, &plan, visits, pad, &jobs->advice.arena);
	assert_true(pad->prediction.replay.tried);
	assert_true(pad->prediction.verdict != VERDICT_GAIN ||
		    pad->prediction.whole.low < pad->prediction.replay.whole.low);
	return pad->prediction.verdict;
}

static void test_thread_verdicts(void **state)
{
	struct jobs jobs;

	(void)state;
	jobs_init(&jobs);
	assert_int_equal(verdict_at(&jobs, 1), VERDICT_NO_GAIN);
	assert_int_equal(verdict_at(&jobs, 1.1), VERDICT_CANNOT_TELL);
	assert_int_equal(verdict_at(&jobs, 4), VERDICT_GAIN);
	/* the writer runs for a short time only, and disturbs the other one for no longer */
	jobs.regions[0].samples = jobs.regions[0].charged = 50;
	jobs.regions[1].samples = 950;
	assert_int_equal(verdict_at(&jobs, 4), VERDICT_CANNOT_TELL);
	arena_deinit(&jobs.advice.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_writer_and_its_neighbour),
		cmocka_unit_test(test_objects_side_by_side),
		cmocka_unit_test(test_what_the_formula_promises),
		cmocka_unit_test(test_thread_verdicts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
