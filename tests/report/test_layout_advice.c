// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Advice on layouts from facts that are written down here: what is proposed, when a gain is
 * predicted, and when it is not.
 */
#include "tests/support/unit.h"

#include <math.h>

#include "report/layout/advice.h"
#include "report/layout/costs.h"
#include "report/layout/lines.h"

#define KB 1024ULL
#define MB (1024 * KB)

/* An array of records of eight doubles, as in a simulation of neurons; its loops use one field
 * each. */
struct neurons {
	struct advice advice;
	struct advice_type type;
	struct advice_member members[8];
	struct advice_region regions[2];
	struct advice_use uses[2];
	uint64_t line; /* samples of the record's only one */
};

static const char *const names[8] = { "I", "W", "X", "V", "U", "P", "Q", "R" };

static void neurons_init(struct neurons *neurons, double count)
{
	static const char *const declarations[8] = { "double I;", "double W;", "double X;",
						     "double V;", "double U;", "double P;",
						     "double Q;", "double R;" };

	*neurons = (struct neurons){
		.advice.machine = { .cacheline = 64,
				    .sizes = { 32 * KB, 1 * MB, 32 * MB, 0 },
				    .source = "the recording" },
		.type = { .name = "struct neuron",
			  .keyword = "struct",
			  .tag = "neuron",
			  .object = "net",
			  .prelude = "",
			  .size = 64,
			  .align = 8,
			  .samples = 1900,
			  .total = 2000,
			  .own_total = 2000,
			  .member_count = 8,
			  .region_count = 2,
			  .objects = { .addressed = 1900,
				       .seen = 1800,
				       .estimate = count,
				       .most = count,
				       .array = true } },
	};
	for (int i = 0; i < 8; i++)
		neurons->members[i] = (struct advice_member){ .name = names[i],
							      .declaration = declarations[i],
							      .offset = 8U * i,
							      .size = 8,
							      .align = 8 };
	neurons->members[2].samples = neurons->members[5].samples = 950;
	neurons->line = 1900;
	neurons->type.line_samples = &neurons->line;
	neurons->type.line_count = 1;
	neurons->uses[0] = (struct advice_use){
		.walk = WALK_STREAM, .step = 64, .offset = 16, .size = 8, .samples = 950
	};
	neurons->uses[1] = (struct advice_use){
		.walk = WALK_STREAM, .step = 64, .offset = 40, .size = 8, .samples = 950
	};
	for (int i = 0; i < 2; i++)
		neurons->regions[i] = (struct advice_region){ .function = i ? "norm" : "sum",
							      .line = "net.c:7",
							      .loop = true,
							      .cycles = 3,
							      .samples = 1000,
							      .charged = 950,
							      .uses = &neurons->uses[i],
							      .use_count = 1 };
	neurons->type.members = neurons->members;
	neurons->type.regions = neurons->regions;
	neurons->advice.types = &neurons->type;
	neurons->advice.type_count = 1;
}

static const struct advice_proposal *proposal_of(const struct advice_type *type,
						 enum advice_kind kind)
{
	for (size_t i = 0; i < type->proposal_count; i++)
		if (type->proposals[i].kind == kind)
			return &type->proposals[i];
	return NULL;
}

static void test_a_large_array_is_peeled(void **state)
{
	struct neurons neurons;
	const struct advice_proposal *best;

	(void)state;
	neurons_init(&neurons, 1000000);
	advice_make(&neurons.advice);
	/* to keep only the used fields together gains, too, but each loop uses one of them */
	assert_int_equal(neurons.type.proposals[0].kind, PROPOSAL_PEEL);
	assert_int_equal(proposal_of(&neurons.type, PROPOSAL_SPLIT)->prediction.verdict,
			 VERDICT_GAIN);
	best = proposal_of(&neurons.type, PROPOSAL_PEEL);
	assert_non_null(best);
	assert_int_equal(best->prediction.verdict, VERDICT_GAIN);
	assert_true(best->prediction.whole.low > 1.4 && best->prediction.whole.high < 6);
	assert_true(best->prediction.whole.low <= best->prediction.whole.high);
	/* X, P, and all fields that no loop uses */
	assert_int_equal(best->part_count, 3);
	assert_int_equal(best->parts[0].size, 8);
	assert_int_equal(best->parts[2].size, 48);
	arena_deinit(&neurons.advice.arena);
}

static void test_an_array_in_l2_is_left_alone(void **state)
{
	struct neurons neurons;

	(void)state;
	neurons_init(&neurons, 10000);
	advice_make(&neurons.advice);
	for (size_t i = 0; i < neurons.type.proposal_count; i++)
		assert_int_equal(neurons.type.proposals[i].prediction.verdict, VERDICT_NO_GAIN);
	assert_non_null(
		strstr(proposal_of(&neurons.type, PROPOSAL_PEEL)->prediction.reason, "stay in L2"));
	/* caches are not all that makes loops over smaller elements faster */
	assert_non_null(strstr(proposal_of(&neurons.type, PROPOSAL_PEEL)->prediction.reason,
			       "fewer instructions, or misses of L1, are not predicted"));
	arena_deinit(&neurons.advice.arena);
}

static void test_an_unknown_number_of_objects_is_said(void **state)
{
	struct neurons neurons;
	const struct advice_proposal *peel;

	(void)state;
	neurons_init(&neurons, 0);
	advice_make(&neurons.advice);
	peel = proposal_of(&neurons.type, PROPOSAL_PEEL);
	assert_int_equal(peel->prediction.verdict, VERDICT_CANNOT_TELL);
	assert_non_null(strstr(peel->prediction.reason, "16384 objects"));
	arena_deinit(&neurons.advice.arena);
}

static void test_few_samples_tell_nothing(void **state)
{
	struct neurons neurons;

	(void)state;
	neurons_init(&neurons, 1000000);
	neurons.type.samples = 18;
	neurons.type.total = 20;
	for (int i = 0; i < 2; i++) {
		neurons.regions[i].samples = 10;
		neurons.regions[i].charged = neurons.uses[i].samples = 9;
	}
	advice_make(&neurons.advice);
	for (size_t i = 0; i < neurons.type.proposal_count; i++) {
		assert_int_equal(neurons.type.proposals[i].prediction.verdict, VERDICT_CANNOT_TELL);
		assert_non_null(
			strstr(neurons.type.proposals[i].prediction.reason, "too few samples"));
	}
	arena_deinit(&neurons.advice.arena);
}

/* Samples that do not wait for the type cannot be saved, however few lines it touches. */
static void test_time_spent_elsewhere(void **state)
{
	struct neurons neurons;

	(void)state;
	neurons_init(&neurons, 1000000);
	neurons.type.total = 1000000;
	advice_make(&neurons.advice);
	for (size_t i = 0; i < neurons.type.proposal_count; i++)
		assert_int_equal(neurons.type.proposals[i].prediction.verdict, VERDICT_NO_GAIN);
	assert_non_null(strstr(neurons.type.proposals[0].prediction.reason, "elsewhere"));
	arena_deinit(&neurons.advice.arena);
}

static void test_a_loop_that_computes_gains_nothing(void **state)
{
	struct neurons neurons;

	(void)state;
	neurons_init(&neurons, 1000000);
	neurons.regions[0].cycles = neurons.regions[1].cycles = 40;
	advice_make(&neurons.advice);
	for (size_t i = 0; i < neurons.type.proposal_count; i++)
		assert_int_not_equal(neurons.type.proposals[i].prediction.verdict, VERDICT_GAIN);
	arena_deinit(&neurons.advice.arena);
}

/* It is not known how often iterations make a use that is conditional. */
static void test_uses_that_are_left_out(void **state)
{
	struct neurons neurons;
	const struct advice_prediction *prediction;

	(void)state;
	neurons_init(&neurons, 1000000);
	neurons.uses[0].sometimes = neurons.uses[1].sometimes = true;
	advice_make(&neurons.advice);
	prediction = &proposal_of(&neurons.type, PROPOSAL_PEEL)->prediction;
	assert_true(prediction->whole.high > 1.3 * prediction->whole.low);
	assert_string_equal(prediction->width, "how often iterations leave out fields");
	arena_deinit(&neurons.advice.arena);
}

/* Returns the prediction of visits in no order to two words of each object, `apart` bytes apart. */
static struct advice_prediction predict_layout(uint32_t processors, double count, uint64_t apart,
					       bool ordered)
{
	struct neurons neurons;
	struct advice_prediction prediction;

	neurons_init(&neurons, count);
	neurons.advice.machine.processors = processors;
	neurons.type.objects.array = false;
	neurons.members[3].size += apart;
	for (int i = 4; i < 8; i++)
		neurons.members[i].offset += apart;
	neurons.type.size = 64 + apart;
	neurons.uses[0].walk = neurons.uses[1].walk = WALK_SCATTERED;
	neurons.uses[1].offset += apart;
	neurons.regions[0].use_count = 2;
	neurons.regions[0].samples = 2000;
	neurons.regions[0].charged = 1950;
	neurons.regions[0].ordered = ordered;
	neurons.type.region_count = 1;
	advice_make(&neurons.advice);
	prediction = proposal_of(&neurons.type, PROPOSAL_REORDER)->prediction;
	arena_deinit(&neurons.advice.arena);
	return prediction;
}

static struct advice_prediction predict_visits(uint32_t processors, double count, uint64_t apart)
{
	return predict_layout(processors, count, apart, false);
}

/* A stream of lines comes in advance, so that one line less saves less. */
static void test_visits_in_order(void **state)
{
	struct advice_prediction visited = predict_layout(16, 2000000, 64, false),
				 ordered = predict_layout(16, 2000000, 64, true);

	(void)state;
	assert_true(visited.whole.low > 1.1);
	assert_true(ordered.whole.low < visited.whole.low);
}

/* Lines that a stream leaves out are fetched, too: a line of it costs more. */
static void test_a_stream_with_gaps(void **state)
{
	const struct advice_machine machine = { .cacheline = 64,
						.sizes = { 32 * 1024, MB, 32 * MB } };
	const struct line_set memory = { 1e9, 1e9, 1e9, 1, 1 }, near = { 1e5, 1e5, 1e5, 1, 1 };
	const struct cost_assumption assumption = { 0.5, 32.0 * MB, 1 };
	struct touch all = { .walk = WALK_STREAM, .lines = 2, .density = 1 },
		     most = { .walk = WALK_STREAM, .lines = 2, .density = 0.8 },
		     half = { .walk = WALK_STREAM, .lines = 1, .density = 0.5 },
		     list = { .walk = WALK_STREAM, .lines = 1, .density = 0.5, .chased = true };
	double costs[] = {
		line_cost(&machine, &all, WALK_STREAM, WALK_STREAM, &memory, &assumption).all,
		line_cost(&machine, &most, WALK_STREAM, WALK_STREAM, &memory, &assumption).all,
		line_cost(&machine, &half, WALK_STREAM, WALK_STREAM, &memory, &assumption).all,
		line_cost(&machine, &list, WALK_STREAM, WALK_STREAM, &memory, &assumption).all,
	};

	(void)state;
	assert_true(costs[0] < costs[1] && costs[1] < costs[2] && costs[2] < costs[3]);
	/* two lines side by side cost about as much as one of them alone */
	assert_true(costs[2] > 1.5 * costs[0] && costs[2] < 3 * costs[0]);
	/* L2 is near enough */
	assert_true(line_cost(&machine, &half, WALK_STREAM, WALK_STREAM, &near, &assumption).all <
		    costs[0]);
}

/*
 * 13 MB of lines of 100,000 objects shrink to 6 MB. Both fit into an L3 of 32 MB. But two
 * processors that report such an L3 share it with others, and perhaps only the 6 MB stay in it.
 */
static void test_l3_of_a_virtual_machine(void **state)
{
	struct advice_prediction whole = predict_visits(16, 100000, 64),
				 shared = predict_visits(2, 100000, 64);

	(void)state;
	assert_true(shared.whole.high > whole.whole.high);
}

/* 6 MB stay in L3, which is far away from a core of a processor with 260 MB of it. */
static void test_l3_of_a_mesh_is_slow(void **state)
{
	struct neurons near, mesh;

	(void)state;
	neurons_init(&near, 100000);
	advice_make(&near.advice);
	neurons_init(&mesh, 100000);
	mesh.advice.machine.sizes[LEVEL_L3] = 260 * MB;
	advice_make(&mesh.advice);
	assert_true(proposal_of(&mesh.type, PROPOSAL_PEEL)->prediction.whole.low >
		    proposal_of(&near.type, PROPOSAL_PEEL)->prediction.whole.low);
	assert_int_equal(proposal_of(&mesh.type, PROPOSAL_PEEL)->prediction.verdict, VERDICT_GAIN);
	arena_deinit(&near.advice.arena);
	arena_deinit(&mesh.advice.arena);
}

/* Sets what may be measured on a machine with 32 KB, 1 MB and 32 MB of caches. */
static void costs_init(struct memory_costs *costs)
{
	*costs = (struct memory_costs){ .known = true, .cycle = 0.27, .beside = 0.5 };
	for (int point = 0; point < CURVE_POINTS; point++) {
		uint64_t bytes = memory_costs_bytes(point);
		double chase = bytes <= 32 * KB  ? 0
			       : bytes <= 1 * MB ? 3
			       : bytes <= 8 * MB ? 20
						 : 120,
		       stream = bytes <= 32 * KB   ? 0
				: bytes <= 16 * MB ? 0.4
						   : 3;

		costs->ns[CURVE_STREAM][point] = costs->ns[CURVE_WRITTEN][point] = stream;
		costs->ns[CURVE_SPARSE][point] = 2 * stream;
		costs->ns[CURVE_CHASE][point] = chase;
		costs->ns[CURVE_CHASE_SPREAD][point] = 1.5 * chase;
		costs->ns[CURVE_SCATTERED][point] = chase / 12;
		costs->ns[CURVE_SCATTERED_SPREAD][point] = chase / 8;
	}
}

/* Returns the gain of a list whose objects all lie in one line in place of two. */
static double gain_of_list(bool inner, double choices, bool searches)
{
	struct neurons neurons;
	double low;

	neurons_init(&neurons, 100000);
	costs_init(&neurons.advice.machine.costs);
	neurons.uses[0].walk = neurons.uses[1].walk = WALK_CHASE;
	neurons.uses[0].step = neurons.uses[1].step = 0;
	neurons.regions[0].inner = inner;
	neurons.regions[0].choices = choices;
	neurons.regions[0].searches = searches;
	advice_make(&neurons.advice);
	low = neurons.type.proposals[0].prediction.whole.low;
	arena_deinit(&neurons.advice.arena);
	return low;
}

/* A loop that follows short lists, such as the buckets of a hash table, and compares what it finds,
 * spends a part of its waits on jumps that were guessed wrong. */
static void test_short_lists_that_are_compared(void **state)
{
	(void)state;
	assert_true(gain_of_list(true, 1, false) < gain_of_list(false, 1, false));
	assert_true(gain_of_list(true, 0, false) > gain_of_list(true, 1, false));
	/* the jumps may be those that end the loop, and the loop around it another function's */
	assert_true(gain_of_list(false, 0, true) < gain_of_list(false, 0, false));
}

/* A scan of the keys in an object that a loop around it finds waits for the jump that ends it, too.
 */
static void test_searches_within_objects(void **state)
{
	struct advice_range ranges[2];

	(void)state;
	for (int searches = 0; searches < 2; searches++) {
		struct neurons neurons;

		neurons_init(&neurons, 100000);
		costs_init(&neurons.advice.machine.costs);
		for (int i = 0; i < 2; i++) {
			neurons.uses[i].walk = WALK_SAME;
			neurons.uses[i].outer = WALK_CHASE;
			neurons.uses[i].step = 0;
		}
		neurons.regions[0].searches = searches;
		advice_make(&neurons.advice);
		ranges[searches] = neurons.type.proposals[0].prediction.whole;
		arena_deinit(&neurons.advice.arena);
	}
	assert_true(ranges[1].low < ranges[0].low && ranges[1].high < ranges[0].high);
}

/* On a machine that was measured, L3 is as large as it was then, and slow lines gain more. */
static void test_a_machine_that_was_measured(void **state)
{
	struct advice_range ranges[2];

	(void)state;
	for (int slow = 0; slow < 2; slow++) {
		struct neurons neurons;
		const struct advice_proposal *peel;

		neurons_init(&neurons, 1000000);
		neurons.advice.machine.processors = 2;
		costs_init(&neurons.advice.machine.costs);
		for (int point = 0; point < CURVE_POINTS; point++)
			neurons.advice.machine.costs.ns[CURVE_STREAM][point] *= slow ? 4 : 1;
		advice_make(&neurons.advice);
		peel = proposal_of(&neurons.type, PROPOSAL_PEEL);
		assert_int_equal(peel->prediction.verdict, VERDICT_GAIN);
		assert_true(!peel->prediction.width || !strstr(peel->prediction.width, "L3"));
		ranges[slow] = peel->prediction.whole;
		arena_deinit(&neurons.advice.arena);
	}
	assert_true(ranges[1].low > ranges[0].low);
}

/*
 * A walk through `count` records of `size` bytes, each found through the one before, which is one
 * element of an array. Returns what is said of a split.
 */
static struct advice_prediction predict_walk(double count, uint64_t size)
{
	struct neurons neurons;
	const struct advice_proposal *split;
	struct advice_prediction prediction;

	neurons_init(&neurons, count);
	costs_init(&neurons.advice.machine.costs);
	neurons.uses[0].walk = WALK_CHASE;
	neurons.type.region_count = 1;
	neurons.regions[0].samples = neurons.type.total = neurons.type.own_total = 1000;
	neurons.members[7].size += size - 64;
	neurons.type.size = size;
	advice_make(&neurons.advice);
	split = proposal_of(&neurons.type, PROPOSAL_SPLIT);
	assert_non_null(split);
	prediction = split->prediction;
	assert_true(prediction.verdict != VERDICT_GAIN || strstr(prediction.reason, "sets of the"));
	arena_deinit(&neurons.advice.arena);
	return prediction;
}

/* 400 lines have room in L1, but not in every second set of it. */
static void test_a_stride_that_leaves_out_sets(void **state)
{
	(void)state;
	assert_int_equal(predict_walk(400, 128).verdict, VERDICT_GAIN);
	assert_int_not_equal(predict_walk(400, 136).verdict, VERDICT_GAIN);
	assert_int_not_equal(predict_walk(100, 128).verdict, VERDICT_GAIN);
}

/* A loop over an array in each element, in a loop through the elements: their order is known. */
static void test_a_loop_within_a_stream(void **state)
{
	struct neurons neurons;
	struct part_bytes parts[1];
	struct touches touches;

	(void)state;
	neurons_init(&neurons, 1000000);
	neurons.uses[0] = (struct advice_use){
		.walk = WALK_SAME, .outer = WALK_STREAM, .step = 8, .size = 24, .samples = 950
	};
	neurons.type.region_count = 1;
	advice_make(&neurons.advice);
	touches_init(&touches,
		     &(struct replay){ &neurons.type, &neurons.advice.machine,
				       &neurons.type.current, parts, false, false },
		     &neurons.regions[0]);
	assert_int_equal(touches.count, 1);
	assert_int_equal(touches.items[0].walk, WALK_STREAM);
	/* one in three iterations goes on to the next element, or fewer */
	assert_true(touches.items[0].often < 0.34);
	touches_deinit(&touches);
	arena_deinit(&neurons.advice.arena);
}

/* Pairs of lines of objects that lie side by side are the same ones. */
static void test_no_more_lines_than_memory(void **state)
{
	struct neurons neurons;
	struct part_bytes parts[1];
	struct line_set set;

	(void)state;
	neurons_init(&neurons, 10000);
	neurons.type.objects.array = false;
	neurons.uses[0].walk = neurons.uses[1].walk = WALK_CHASE;
	advice_make(&neurons.advice);
	set = lines_in_use(&(struct replay){ &neurons.type, &neurons.advice.machine,
					     &neurons.type.current, parts, false, false },
			   10000);
	/* 64 bytes and a word of malloc()'s own */
	assert_true(set.beyond <= 10000 * 80.0 || set.beyond <= set.l1);
	assert_true(set.beyond >= set.l1);
	arena_deinit(&neurons.advice.arena);
}

/* A loop through an array of 64 bytes in an object needs another object every 64 iterations. */
static void test_a_loop_within_an_object(void **state)
{
	struct neurons neurons;
	double lines[2];

	(void)state;
	for (int inside = 0; inside < 2; inside++) {
		struct part_bytes parts[1];
		struct replay replay;
		struct touches touches;

		neurons_init(&neurons, 1000000);
		neurons.uses[0] = (struct advice_use){ .walk = WALK_SAME,
						       .outer = WALK_SCATTERED,
						       .step = inside ? 1 : 0,
						       .size = 64,
						       .samples = 950 };
		neurons.type.region_count = 1;
		advice_make(&neurons.advice);
		replay = (struct replay){
			&neurons.type, &neurons.advice.machine, &neurons.type.current, parts, false,
			false
		};
		touches_init(&touches, &replay, &neurons.regions[0]);
		lines[inside] = touches.lines;
		touches_deinit(&touches);
		arena_deinit(&neurons.advice.arena);
	}
	assert_true(lines[1] > 0 && lines[1] < lines[0] / 10);
}

/* Fewer lines of an object make a walk no faster while its pages are as many as before. */
static void test_pages_are_waited_for(void **state)
{
	struct advice_machine machine = { .cacheline = 64, .sizes = { 32 * KB, MB, 32 * MB } };
	const struct line_set dense = { 4e6, 4e6, 4e6, 1, 1 }, spread = { 4e6, 4e6, 16e6, 1, 1 };
	const struct cost_assumption assumption = { 0.5, 1, 1 };
	const struct touch touch = { .walk = WALK_CHASE, .lines = 1 };

	(void)state;
	costs_init(&machine.costs);
	assert_true(
		line_cost(&machine, &touch, WALK_CHASE, WALK_CHASE, &spread, &assumption).all >
		1.4 * line_cost(&machine, &touch, WALK_CHASE, WALK_CHASE, &dense, &assumption).all);
}

/* Visits in no order to one word each: a line a visit with either layout, but a line of the new
 * one has eight objects. */
static void one_word_init(struct neurons *neurons)
{
	neurons_init(neurons, 2000000);
	neurons->uses[0].walk = WALK_SCATTERED;
	neurons->type.region_count = 1;
	neurons->regions[0].samples = 2000;
	neurons->regions[0].charged = neurons->uses[0].samples = 1950;
}

static void test_a_smaller_table_gains(void **state)
{
	struct neurons neurons;
	const struct advice_proposal *split;

	(void)state;
	one_word_init(&neurons);
	advice_make(&neurons.advice);
	split = proposal_of(&neurons.type, PROPOSAL_SPLIT);
	assert_non_null(split);
	assert_true(split->prediction.new_lines > split->prediction.old_lines - 0.01);
	assert_int_equal(split->prediction.verdict, VERDICT_GAIN);
	arena_deinit(&neurons.advice.arena);
}

/* Samples behind the jump that compares the word may have waited for it: a gain is not excluded,
 * and one that others show is larger. */
static void test_samples_behind_jumps(void **state)
{
	(void)state;
	for (int waits = 0; waits < 2; waits++) {
		struct neurons neurons;

		one_word_init(&neurons);
		neurons.regions[0].charged = neurons.uses[0].samples = waits ? 1600 : 20;
		neurons.regions[0].choices = 1;
		advice_make(&neurons.advice);
		assert_int_equal(proposal_of(&neurons.type, PROPOSAL_SPLIT)->prediction.verdict,
				 waits ? VERDICT_GAIN : VERDICT_CANNOT_TELL);
		arena_deinit(&neurons.advice.arena);
	}
}

/* A search reads one word of each object that it visits, and other code sometimes all of them: the
 * array of the words stays in caches as if the others were not there. */
static void test_an_array_that_is_searched_has_the_cache(void **state)
{
	struct neurons neurons;
	const struct advice_proposal *peel;

	(void)state;
	one_word_init(&neurons);
	neurons.type.region_count = 2;
	neurons.regions[0].samples = 1800;
	neurons.regions[0].charged = neurons.uses[0].samples = 1750;
	neurons.regions[1].samples = 200;
	neurons.regions[1].charged = neurons.uses[1].samples = 150;
	neurons.uses[1].offset = 0;
	neurons.uses[1].size = 64;
	advice_make(&neurons.advice);
	peel = proposal_of(&neurons.type, PROPOSAL_PEEL);
	assert_non_null(peel);
	assert_int_equal(peel->prediction.verdict, VERDICT_GAIN);
	assert_true(peel->prediction.regions[0].low > 1.2);
	arena_deinit(&neurons.advice.arena);
}

/* A line beside the one that is waited for comes with it; one that is far away does not. */
static void test_lines_side_by_side_are_one_wait(void **state)
{
	struct advice_prediction near = predict_visits(2, 2000000, 64),
				 far = predict_visits(2, 2000000, 512);

	(void)state;
	assert_true(near.whole.low + 0.3 < far.whole.low);
	assert_true(near.whole.high + 0.3 < far.whole.high);
}

/* Returns the prediction of splitting the word of 4 from objects that are visited, which a change
 * of the region makes. */
static struct advice_range predict_word(void (*change)(struct advice_region *region))
{
	struct neurons neurons;
	struct advice_range range;

	one_word_init(&neurons);
	if (change)
		change(&neurons.regions[0]);
	advice_make(&neurons.advice);
	range = proposal_of(&neurons.type, PROPOSAL_SPLIT)->prediction.regions[0];
	arena_deinit(&neurons.advice.arena);
	return range;
}

static void compare_the_word(struct advice_region *region)
{
	region->choices = 1;
}

/* Samples at a load that a jump waits for are in part of jumps before it that were guessed wrong.
 */
static void test_wrong_guesses_are_no_waits_for_lines(void **state)
{
	struct advice_range plain = predict_word(NULL), jumps = predict_word(compare_the_word);

	(void)state;
	assert_true(jumps.low < plain.low && jumps.high < plain.high);
}

/* Returns the range of the stream of neurons if a jump depends on them: of its 1,000 samples so
 * many follow the jump, wait for the type, and wait for others. */
static struct advice_range predict_jumps(uint64_t after, uint64_t charged, uint64_t others)
{
	struct neurons neurons;
	struct advice_range range;

	neurons_init(&neurons, 1000000);
	neurons.regions[0].choices = 1;
	neurons.regions[0].samples = 1000;
	neurons.regions[0].after_jumps = after;
	neurons.regions[0].charged = charged;
	neurons.regions[0].others = others;
	advice_make(&neurons.advice);
	range = proposal_of(&neurons.type, PROPOSAL_PEEL)->prediction.regions[0];
	arena_deinit(&neurons.advice.arena);
	return range;
}

/*
 * A jump that is guessed wrong has samples where it leads. Without any, the loop computes little,
 * and the range is narrow. If many wait for no access, too, less is promised. What waits for other
 * types takes as long as before.
 */
static void test_samples_after_jumps(void **state)
{
	struct advice_range none = predict_jumps(0, 950, 0), after = predict_jumps(500, 950, 0);

	(void)state;
	assert_true(log(none.high / none.low) < 0.8 * log(after.high / after.low));
	assert_true(predict_jumps(500, 850, 0).low < 0.9 * after.low);
	assert_true(predict_jumps(0, 600, 400).high < 0.9 * predict_jumps(0, 600, 0).high);
}

/* A field is named for moving if the code that uses it uses nothing else of its line. */
static void test_a_field_alone_in_a_line(void **state)
{
	struct neurons neurons;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	(void)state;
	neurons_init(&neurons, 1000);
	for (int i = 5; i < 8; i++)
		neurons.members[i].offset += 64;
	neurons.type.size = 128;
	neurons.uses[0].step = neurons.uses[1].step = 128;
	neurons.uses[1].offset += 64;
	neurons.regions[0].use_count = 2;
	neurons.type.region_count = 1;
	advice_make(&neurons.advice);
	/* X of line 0 and P of line 1 are both alone; in the order of the record */
	assert_int_equal(neurons.type.lone_count, 2);
	assert_int_equal(neurons.type.lone[1].member, 5);
	assert_int_equal(neurons.type.lone[1].line, 1);
	advice_print(&neurons.type, &neurons.advice.machine, &text);
	assert_non_null(strstr(text.data, "Alone in a line: X (line 0, 100%"));
	/* elements that begin within a line have no lines of their own */
	neurons.type.objects.alignments[32] = 900;
	advice_print(&neurons.type, &neurons.advice.machine, &text);
	assert_non_null(strstr(text.data, "128 bytes, 3 lines"));
	assert_non_null(strstr(text.data, "Alone in a line: X (100%"));
	arena_deinit(&neurons.advice.arena);
	/* a field that the same code uses lies beside it */
	neurons_init(&neurons, 1000);
	advice_make(&neurons.advice);
	assert_int_equal(neurons.type.lone_count, 0);
	arena_deinit(&neurons.advice.arena);
}

/* Elements that are followed by their indexes are in an array already. */
static void test_indexes_are_proposed_for_pointers(void **state)
{
	(void)state;
	for (int array = 0; array < 2; array++) {
		struct neurons neurons;
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		neurons_init(&neurons, 1000);
		neurons.type.objects.array = array;
		neurons.uses[0].walk = WALK_CHASE;
		advice_make(&neurons.advice);
		advice_print(&neurons.type, &neurons.advice.machine, &text);
		assert_non_null(strstr(text.data, "Pointer chase"));
		assert_int_equal(strstr(text.data, "An array") != NULL, !array);
		arena_deinit(&neurons.advice.arena);
	}
}

/* Samples of unknown type are not assumed to be time spent elsewhere. */
static void test_samples_of_no_known_type(void **state)
{
	struct neurons neurons;
	const struct advice_prediction *prediction;

	(void)state;
	neurons_init(&neurons, 1000000);
	neurons.type.total = neurons.type.own_total = 200000;
	neurons.type.unknown = 190000;
	advice_make(&neurons.advice);
	prediction = &proposal_of(&neurons.type, PROPOSAL_PEEL)->prediction;
	assert_int_equal(prediction->verdict, VERDICT_CANNOT_TELL);
	assert_non_null(strstr(prediction->reason, "no known type"));
	arena_deinit(&neurons.advice.arena);
}

/* An object that stays the same in a short loop is used as often as the loop is run. */
static void test_an_object_of_an_inner_loop_is_used(void **state)
{
	struct neurons neurons;

	(void)state;
	neurons_init(&neurons, 1000000);
	neurons.uses[0].walk = WALK_SAME;
	assert_true(affinity_use(&neurons.type, 2) < 0.01);
	neurons.uses[0].outer = WALK_SCATTERED;
	assert_true(affinity_use(&neurons.type, 2) > 0.4);
}

static void test_one_object_stays_in_l1(void **state)
{
	struct neurons neurons;

	(void)state;
	neurons_init(&neurons, 1);
	neurons.uses[0].walk = neurons.uses[1].walk = WALK_SAME;
	advice_make(&neurons.advice);
	for (size_t i = 0; i < neurons.type.proposal_count; i++)
		assert_int_equal(neurons.type.proposals[i].prediction.verdict, VERDICT_NO_GAIN);
	arena_deinit(&neurons.advice.arena);
}

/* L1 gets the lines again of an object that other data has pushed out: fewer, if what code uses
 * lies side by side. No time is promised, and types that gain time come first. */
static void test_fewer_lines_of_l1(void **state)
{
	struct neurons neurons, gains;
	struct advice_type types[2];
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const struct advice_spared *spared;

	(void)state;
	neurons_init(&neurons, 1);
	neurons.type.size = 192;
	neurons.type.objects.array = false;
	neurons.type.align = 64;
	neurons.type.objects.alignments[0] = 1;
	neurons.members[5].offset = 128;
	for (int i = 0; i < 2; i++)
		neurons.uses[i] = (struct advice_use){ .walk = WALK_SAME,
						       .outer = WALK_SCATTERED,
						       .offset = i ? 128 : 16,
						       .size = 8,
						       .samples = 950 };
	neurons_init(&gains, 1000000);
	types[0] = neurons.type;
	types[1] = gains.type;
	gains.advice.types = types;
	gains.advice.type_count = 2;
	advice_make(&gains.advice);
	assert_int_equal(types[0].proposals[0].prediction.verdict, VERDICT_GAIN);
	spared = &types[1].proposals[0].prediction.spared;
	assert_int_equal(types[1].proposals[0].kind, PROPOSAL_REORDER);
	assert_int_equal(types[1].proposals[0].prediction.verdict, VERDICT_NO_GAIN);
	assert_true(spared->object && fabs(spared->old - 2) < 0.01 && fabs(spared->new - 1) < 0.01);
	advice_print(&types[1], &gains.advice.machine, &text);
	assert_non_null(strstr(text.data, "\nNo gain in time.\nFewer L1 misses: reorder"));
	assert_non_null(strstr(text.data, "\n  reorder to 64 bytes: no gain in time: "));
	/* nobody changes the C library for a program */
	types[0].is_foreign = true;
	advice_make(&gains.advice);
	assert_true(types[1].is_foreign);
	arena_deinit(&gains.advice.arena);
}

/* A list of 500 nodes that shrinks from L2 into L1 was measured to get slower. */
static void test_what_is_in_l2_is_not_moved_to_l1(void **state)
{
	struct neurons neurons;

	(void)state;
	neurons_init(&neurons, 500);
	neurons.type.objects.array = false;
	neurons.uses[0].walk = neurons.uses[1].walk = WALK_CHASE;
	neurons.members[0].size = 600;
	for (int i = 1; i < 8; i++)
		neurons.members[i].offset = 592 + 8U * i;
	neurons.type.size = 656;
	neurons.uses[0].offset = neurons.members[2].offset;
	neurons.uses[1].offset = 0;
	advice_make(&neurons.advice);
	assert_true(neurons.type.proposal_count > 0);
	for (size_t i = 0; i < neurons.type.proposal_count; i++)
		assert_int_equal(neurons.type.proposals[i].prediction.verdict, VERDICT_NO_GAIN);
	arena_deinit(&neurons.advice.arena);
}

/* Pinned members stay where they are in every proposal, and each proposal has all members once. */
static void test_proposals_keep_all_members(void **state)
{
	struct neurons neurons;

	(void)state;
	neurons_init(&neurons, 1000000);
	neurons.type.objects.array = false;
	neurons.uses[0].walk = neurons.uses[1].walk = WALK_CHASE;
	neurons.members[0].flags = MEMBER_FIRST;
	neurons.members[7].flags = MEMBER_LAST;
	advice_make(&neurons.advice);
	for (size_t i = 0; i < neurons.type.proposal_count; i++) {
		const struct advice_proposal *proposal = &neurons.type.proposals[i];
		unsigned int seen = 0;

		for (size_t k = 0; k < 8; k++)
			seen |= 1U << proposal->placed[k].member;
		assert_int_equal(seen, 0xff);
		assert_int_equal(proposal->placed[0].member, 0);
		assert_int_equal(proposal->placed[0].offset, 0);
		if (proposal->part_count == 1)
			assert_int_equal(proposal->placed[7].member, 7);
	}
	arena_deinit(&neurons.advice.arena);
}

/* A member that threads write and share gets a line of its own; timer samples cannot tell what that
 * gains. */
static void test_a_shared_member_is_padded(void **state)
{
	struct neurons neurons;
	struct advice_sharing sharing = { "False sharing: 'X' is written", 2 };
	const struct advice_proposal *pad;

	(void)state;
	neurons_init(&neurons, 1);
	neurons.uses[0].walk = neurons.uses[1].walk = WALK_SAME;
	neurons.type.sharings = &sharing;
	neurons.type.sharing_count = 1;
	advice_make(&neurons.advice);
	pad = proposal_of(&neurons.type, PROPOSAL_PAD);
	assert_non_null(pad);
	assert_int_equal(pad->prediction.verdict, VERDICT_CANNOT_TELL);
	assert_int_equal(pad->placed[7].member, 2);
	assert_int_equal(pad->placed[7].offset, 64);
	assert_int_equal(pad->parts[0].size, 128);
	arena_deinit(&neurons.advice.arena);
}

/* If objects of different threads share a line, the type is aligned to lines; no member moves. */
static void test_objects_that_share_lines_are_aligned(void **state)
{
	struct neurons neurons;
	const struct advice_proposal *pad;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	(void)state;
	neurons_init(&neurons, 2);
	neurons.type.shared = (struct advice_shared){ .objects = true, .waits = 0.3, .saved = 0.3 };
	advice_make(&neurons.advice);
	pad = &neurons.type.proposals[0];
	assert_int_equal(pad->kind, PROPOSAL_PAD);
	assert_int_equal(pad->prediction.verdict, VERDICT_GAIN);
	assert_true(pad->prediction.whole.low > 1.1 && pad->prediction.whole.high < 3);
	for (size_t i = 0; i < neurons.type.member_count; i++)
		assert_int_equal(pad->placed[i].offset,
				 neurons.members[pad->placed[i].member].offset);
	assert_int_equal(pad->parts[0].align, 64);
	emit_c(&neurons.type, pad, &neurons.advice.machine, 0, &text);
	assert_non_null(strstr(text.data, "_Alignas(64) double I;"));
	arena_deinit(&neurons.advice.arena);
}

/* Instantiations of one template are one message, in which each has its own verdict. */
static void test_instantiations_are_one_message(void **state)
{
	static const char *const type_names[] = { "struct map<int, std::pair<int> >::node",
						  "struct map<long>::node", "struct map<int>::root",
						  "struct node" };
	struct neurons neurons[4];
	struct advice_type types[4];
	struct advice advice = { .types = types, .type_count = 4 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	(void)state;
	for (int i = 0; i < 4; i++) {
		neurons_init(&neurons[i], i == 1 ? 1000000 : 100);
		neurons[i].type.name = type_names[i];
		advice_make(&neurons[i].advice);
		types[i] = neurons[i].type;
		assert_int_equal(advice_is_later_instance(&advice, (size_t)i), i == 1);
	}
	advice_print_instances(&advice, 0, &text);
	assert_non_null(strstr(text.data, "struct map<long>::node: 64 bytes"));
	assert_non_null(strstr(text.data, "times faster"));
	assert_null(strstr(text.data, "root"));
	strbuf_reset(&text);
	advice_print_instances(&advice, 3, &text);
	assert_int_equal(text.length, 0);
	for (int i = 0; i < 4; i++)
		arena_deinit(&neurons[i].advice.arena);
}

static void test_holes_are_filled(void **state)
{
	struct neurons neurons;
	const struct advice_proposal *shrink;

	(void)state;
	neurons_init(&neurons, 1000000);
	/* char, hole of 7, double, char, hole of 7 ... */
	for (int i = 0; i < 8; i += 2)
		neurons.members[i].size = neurons.members[i].align = 1;
	advice_make(&neurons.advice);
	shrink = proposal_of(&neurons.type, PROPOSAL_SHRINK);
	assert_non_null(shrink);
	assert_int_equal(shrink->parts[0].size, 40);
	arena_deinit(&neurons.advice.arena);
}

static void test_affinity_counts_each_base_by_itself(void **state)
{
	struct neurons neurons;
	struct advice_use both[2];

	(void)state;
	neurons_init(&neurons, 1000000);
	both[0] = neurons.uses[0];
	both[1] = neurons.uses[1];
	neurons.regions[0].uses = both;
	neurons.regions[0].use_count = 2;
	affinity_make(&neurons.type, &neurons.advice.arena);
	assert_int_equal(neurons.type.affinity_count, 1);
	assert_int_equal(neurons.type.affinities[0].first, 2);
	assert_int_equal(neurons.type.affinities[0].second, 5);
	assert_true(neurons.type.affinities[0].weight == 0.5);
	/* another variant of the record has a member there */
	neurons.members[6].offset = neurons.members[5].offset;
	neurons.type.affinity_count = 0;
	affinity_make(&neurons.type, &neurons.advice.arena);
	assert_int_equal(neurons.type.affinity_count, 0);
	neurons.members[6].offset = 48;
	/* another element of the array is another object */
	both[1].base = 1;
	neurons.type.affinity_count = 0;
	affinity_make(&neurons.type, &neurons.advice.arena);
	assert_int_equal(neurons.type.affinity_count, 0);
	arena_deinit(&neurons.advice.arena);
}

static void test_lines_of_a_stream(void **state)
{
	const struct replay_bytes one = { .offset = 16, .size = 8 },
				  two[] = { { .size = 8 }, { .offset = 120, .size = 8 } },
				  any = { .offset = 96, .size = 8, .reach = 64 };

	(void)state;
	/* one field in a line, in two lines, and eight in a line */
	assert_true(replay_stream_lines(&one, 1, 64, 0, 64) == 1);
	assert_true(replay_stream_lines(two, 2, 128, 0, 64) == 2);
	/* the end of an element is in the line of the next one's beginning */
	assert_true(replay_stream_lines(two, 2, 128, 16, 64) < 1.05);
	/* eight bytes of 64, which lie in two lines */
	assert_true(replay_stream_lines(&any, 1, 192, 0, 64) == 1);
	assert_true(replay_stream_lines(&(struct replay_bytes){ .size = 8 }, 1, 8, 0, 64) ==
		    1.0 / 8);
	/* 57 bytes apart: every line of the array is used, and none twice */
	assert_true(replay_stream_lines(&one, 1, 56, 0, 64) > 0.85);
	assert_true(replay_stream_lines(&one, 1, 56, 0, 64) <= 1);
}

/* The lines of a visit are those of one object, however many objects an iteration visits. */
static void test_a_visit_is_of_one_object(void **state)
{
	struct neurons neurons;
	struct advice_use uses[6];
	const struct advice_proposal *best;

	(void)state;
	neurons_init(&neurons, 1000000);
	for (uint32_t i = 0; i < 6; i++)
		uses[i] = (struct advice_use){ .walk = WALK_SCATTERED,
					       .base = i,
					       .offset = 16 + i % 2 * 8,
					       .size = 8,
					       .samples = 158 };
	neurons.regions[0].uses = neurons.regions[1].uses = uses;
	neurons.regions[0].use_count = neurons.regions[1].use_count = 6;
	advice_make(&neurons.advice);
	best = proposal_of(&neurons.type, PROPOSAL_SPLIT);
	assert_non_null(best);
	/* 64 bytes in an array: an object lies in two lines at most, and a field in one */
	assert_true(best->prediction.old_lines >= 1 && best->prediction.old_lines <= 1.01);
	assert_true(best->prediction.new_lines <= 2);
	arena_deinit(&neurons.advice.arena);
}

static void test_c_has_assertions(void **state)
{
	struct neurons neurons;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	(void)state;
	neurons_init(&neurons, 1000000);
	advice_make(&neurons.advice);
	emit_c(&neurons.type, proposal_of(&neurons.type, PROPOSAL_PEEL), &neurons.advice.machine, 0,
	       &text);
	assert_non_null(strstr(text.data, "struct neuron_X {\n\tdouble X;\n};\n"));
	assert_non_null(
		strstr(text.data, "_Static_assert(sizeof(struct neuron_X) == 8, \"size\");"));
	assert_non_null(strstr(text.data, "__builtin_offsetof(struct neuron_rest, R) == 40"));
	strbuf_reset(&text);
	emit_rules(&neurons.type, &neurons.advice.machine, &text);
	assert_non_null(strstr(text.data, "sizeof(neuron) <= 64\n"));
	assert_non_null(strstr(text.data, "neuron.X in line 0\n"));
	assert_non_null(strstr(text.data, "heat of neuron in <= 1 lines\n"));
	/* nor can a rule be judged if it is not known in which line most samples are */
	strbuf_reset(&text);
	neurons.line = 400;
	neurons.type.somewhere = 1500;
	emit_rules(&neurons.type, &neurons.advice.machine, &text);
	assert_null(strstr(text.data, "heat of neuron"));
	assert_non_null(strstr(text.data, "# no rule on heat: 1500 samples are somewhere in"));
	/* the next recording might have too few samples to judge it */
	strbuf_reset(&text);
	neurons.type.samples = 100;
	emit_rules(&neurons.type, &neurons.advice.machine, &text);
	assert_null(strstr(text.data, "heat of neuron"));
	assert_non_null(strstr(text.data, "# no rule on heat: it takes 120 samples\n"));
	strbuf_reset(&text);
	neurons.type.size = 0;
	emit_rules(&neurons.type, &neurons.advice.machine, &text);
	assert_null(strstr(text.data, "sizeof"));
	assert_non_null(strstr(text.data, "# no rules on size and heat: the size is not constant"));
	arena_deinit(&neurons.advice.arena);
}

/* A field that code writes is not called read only, although no sample is at the write. */
static void test_a_write_without_samples_is_one(void **state)
{
	struct neurons neurons;
	_cleanup_strbuf_ struct strbuf read = STRBUF_TEXT, written = STRBUF_INIT;

	(void)state;
	neurons_init(&neurons, 1000000);
	neurons.members[2].readers = 2;
	advice_make(&neurons.advice);
	advice_print(&neurons.type, &neurons.advice.machine, &read);
	assert_non_null(strstr(read.data, "\nSeveral threads use:\n  X: read by 2, not written by code with samples"));
	neurons.uses[0].write = true;
	advice_print(&neurons.type, &neurons.advice.machine, &written);
	assert_non_null(strstr(written.data, "X: read by 2, no sample is at a write of it"));
	arena_deinit(&neurons.advice.arena);
}

/* The order of visits is not that of a function which gets a pointer or a number. */
static void test_code_without_a_loop_has_no_order(void **state)
{
	struct neurons neurons;
	_cleanup_strbuf_ struct strbuf looped = STRBUF_INIT, called = STRBUF_INIT;

	(void)state;
	neurons_init(&neurons, 1000000);
	neurons.uses[0].walk = WALK_SCATTERED;
	advice_make(&neurons.advice);
	advice_print(&neurons.type, &neurons.advice.machine, &looped);
	assert_non_null(strstr(looped.data, "scattered sum"));
	neurons.regions[0].loop = false;
	advice_print(&neurons.type, &neurons.advice.machine, &called);
	assert_non_null(strstr(called.data, "no loop   sum"));
	arena_deinit(&neurons.advice.arena);
}

/* Only the low end of a range is promised: many programs gain more than the high end. */
static void test_a_range_promises_its_low_end(void **state)
{
	struct neurons neurons;
	struct advice_proposal *peel;
	_cleanup_strbuf_ struct strbuf wide = STRBUF_INIT, narrow = STRBUF_INIT;

	(void)state;
	neurons_init(&neurons, 1000000);
	advice_make(&neurons.advice);
	peel = &neurons.type.proposals[0];
	peel->prediction.whole = (struct advice_range){ 1.5, 3.2 };
	peel->prediction.width = "the jumps";
	advice_print(&neurons.type, &neurons.advice.machine, &wide);
	assert_non_null(strstr(wide.data, "Expected: at least 1.50 times faster"));
	assert_null(strstr(wide.data, "1.50 to 3.20"));
	peel->prediction.whole.high = 2.9;
	advice_print(&neurons.type, &neurons.advice.machine, &narrow);
	assert_non_null(strstr(narrow.data, "Expected: at least 1.50 times faster"));
	arena_deinit(&neurons.advice.arena);
}

/* Addresses that lie far apart, with nothing known of what is between them. */
static void test_a_range_that_tells_nothing(void **state)
{
	struct neurons neurons;
	_cleanup_strbuf_ struct strbuf narrow = STRBUF_INIT, wide = STRBUF_INIT;

	(void)state;
	neurons_init(&neurons, 5300);
	neurons.type.objects.array = false;
	neurons.type.objects.most = 9000;
	advice_make(&neurons.advice);
	advice_print(&neurons.type, &neurons.advice.machine, &narrow);
	assert_non_null(strstr(narrow.data, "about 5300 to 9000 objects in use, by the addresses"));
	neurons.type.objects.most = 2236415;
	advice_print(&neurons.type, &neurons.advice.machine, &wide);
	assert_non_null(strstr(wide.data,
			       "objects in use: cannot tell, at least 5300: the "
			       "addresses of 1900 samples\n  lie far apart, with room "
			       "for 2236415;\n  the lines of them that hot code uses: at "
			       "least "));
	assert_null(strstr(wide.data, " to 2236415"));
	neurons.type.objects.most = 9000;
	neurons.type.objects.addressed = 9;
	advice_print(&neurons.type, &neurons.advice.machine, &wide);
	assert_non_null(strstr(wide.data, "at least 5300, by the addresses of 9 samples"));
	arena_deinit(&neurons.advice.arena);
}

static void test_text_fits_a_terminal(void **state)
{
	struct neurons neurons;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	(void)state;
	neurons_init(&neurons, 1000000);
	advice_make(&neurons.advice);
	neurons.type.objects.most = 1e12;
	advice_print(&neurons.type, &neurons.advice.machine, &text);
	assert_non_null(strstr(text.data, "Advice: peel."));
	for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	arena_deinit(&neurons.advice.arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_large_array_is_peeled),
		cmocka_unit_test(test_visits_in_order),
		cmocka_unit_test(test_a_stream_with_gaps),
		cmocka_unit_test(test_an_array_in_l2_is_left_alone),
		cmocka_unit_test(test_l3_of_a_mesh_is_slow),
		cmocka_unit_test(test_short_lists_that_are_compared),
		cmocka_unit_test(test_searches_within_objects),
		cmocka_unit_test(test_a_machine_that_was_measured),
		cmocka_unit_test(test_a_stride_that_leaves_out_sets),
		cmocka_unit_test(test_pages_are_waited_for),
		cmocka_unit_test(test_a_loop_within_a_stream),
		cmocka_unit_test(test_no_more_lines_than_memory),
		cmocka_unit_test(test_a_loop_within_an_object),
		cmocka_unit_test(test_a_smaller_table_gains),
		cmocka_unit_test(test_samples_behind_jumps),
		cmocka_unit_test(test_an_array_that_is_searched_has_the_cache),
		cmocka_unit_test(test_an_unknown_number_of_objects_is_said),
		cmocka_unit_test(test_few_samples_tell_nothing),
		cmocka_unit_test(test_time_spent_elsewhere),
		cmocka_unit_test(test_a_loop_that_computes_gains_nothing),
		cmocka_unit_test(test_uses_that_are_left_out),
		cmocka_unit_test(test_l3_of_a_virtual_machine),
		cmocka_unit_test(test_lines_side_by_side_are_one_wait),
		cmocka_unit_test(test_instantiations_are_one_message),
		cmocka_unit_test(test_objects_that_share_lines_are_aligned),
		cmocka_unit_test(test_a_field_alone_in_a_line),
		cmocka_unit_test(test_indexes_are_proposed_for_pointers),
		cmocka_unit_test(test_wrong_guesses_are_no_waits_for_lines),
		cmocka_unit_test(test_samples_after_jumps),
		cmocka_unit_test(test_samples_of_no_known_type),
		cmocka_unit_test(test_an_object_of_an_inner_loop_is_used),
		cmocka_unit_test(test_one_object_stays_in_l1),
		cmocka_unit_test(test_fewer_lines_of_l1),
		cmocka_unit_test(test_what_is_in_l2_is_not_moved_to_l1),
		cmocka_unit_test(test_proposals_keep_all_members),
		cmocka_unit_test(test_a_shared_member_is_padded),
		cmocka_unit_test(test_holes_are_filled),
		cmocka_unit_test(test_affinity_counts_each_base_by_itself),
		cmocka_unit_test(test_lines_of_a_stream),
		cmocka_unit_test(test_a_visit_is_of_one_object),
		cmocka_unit_test(test_c_has_assertions),
		cmocka_unit_test(test_a_write_without_samples_is_one),
		cmocka_unit_test(test_a_range_promises_its_low_end),
		cmocka_unit_test(test_code_without_a_loop_has_no_order),
		cmocka_unit_test(test_a_range_that_tells_nothing),
		cmocka_unit_test(test_text_fits_a_terminal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
