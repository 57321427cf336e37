// SPDX-License-Identifier: GPL-2.0-or-later
/* Verdicts on cachelines, from uses that each test states. Thread 1 is on processor 0, thread 2 on
 * processor 1. */
#include "tests/support/unit.h"

#include <string.h>

#include "report/c2c/sharing.h"

#define LINE   UINT64_C(0x10000) /* address of a line */
#define USES   4000
#define PERIOD 1000000 /* ns between two samples of a thread */

static struct sharing_use uses[USES];
static size_t use_count;
static struct sharing_rest rests[8];
static size_t rest_count;

static const char counters[] = "struct counters", hits[] = "hits", limit[] = "limit", add[] = "add",
		  get[] = "get";

static int set_up(void **state)
{
	(void)state;
	use_count = 0;
	rest_count = 0;
	return 0;
}

/* A use of 8 bytes of an object at LINE; each test changes the members that matter to it. */
static struct sharing_use use_of(int32_t tid, uint64_t offset, bool writes)
{
	return (struct sharing_use){ .address = LINE + offset,
				     .base = LINE,
				     .type_size = 64,
				     .samples = 1,
				     .cost = 1,
				     .type = counters,
				     .field = tid == 1 ? hits : limit,
				     .function = tid == 1 ? add : get,
				     .ip = (uint64_t)tid,
				     .pid = 7,
				     .tid = tid,
				     .cpu = tid - 1,
				     .size = 8,
				     .reads = true,
				     .writes = writes };
}

/* Adds `count` samples, one each PERIOD from `start` on. */
static void add_uses(struct sharing_use use, size_t count, uint64_t start)
{
	assert_true(use_count + count <= USES);
	for (size_t i = 0; i < count; i++) {
		use.time = start + i * PERIOD;
		uses[use_count++] = use;
	}
}

static struct sharing *examine(void)
{
	return sharing_create(
		&(struct sharing_input){ .uses = uses, .count = use_count, .cacheline = 64 });
}

/* Asserts that there is one line with this verdict, or with SHARING_PRIVATE none. */
static struct sharing *assert_verdict(enum sharing_verdict verdict)
{
	struct sharing *sharing = examine();

	if (verdict == SHARING_PRIVATE) {
		assert_int_equal(sharing->line_count, 0);
		return sharing;
	}
	assert_int_equal(sharing->line_count, 1);
	assert_string_equal(sharing_verdict_name(sharing->lines[0].verdict),
			    sharing_verdict_name(verdict));
	assert_int_equal(sharing->lines[0].verdict, verdict);
	return sharing;
}

static void test_fields_of_one_object(void **state)
{
	(void)state;
	add_uses(use_of(1, 0, true), 100, 0);
	add_uses(use_of(2, 8, false), 50, 500);

	struct sharing *sharing = assert_verdict(SHARING_FALSE);

	assert_int_equal(sharing->lines[0].kind, SHARING_ONE_OBJECT);
	assert_int_equal(sharing->lines[0].disturbed, 150);
	assert_int_equal(sharing->lines[0].row_count, 2);
	assert_string_equal(sharing->lines[0].rows[0].first->field, "hits");
	assert_string_equal(sharing->lines[0].rows[1].first->field, "limit");
	assert_int_equal(sharing->lines[0].rows[1].stores, 0);
	sharing_destroy(sharing);
}

/* A reader waits for a sequence number, and hardly has samples at the value that it reads then. The
 * writer's stores to the value are not known to be beside what the reader uses. */
static void test_rarely_seen(void **state)
{
	(void)state;
	add_uses(use_of(1, 0, true), 400, 0);
	add_uses(use_of(1, 8, true), 400, 100);
	add_uses(use_of(2, 0, false), 400, 500);
	add_uses(use_of(2, 8, false), 1, 700);
	sharing_destroy(assert_verdict(SHARING_TRUE));
}

static void test_objects(void **state)
{
	struct sharing_use other = use_of(2, 40, true);

	(void)state;
	/* objects of 32 bytes, next to each other */
	other.base = LINE + 32;
	add_uses(use_of(1, 8, true), 100, 0);
	add_uses(other, 100, 500);

	struct sharing *sharing = assert_verdict(SHARING_FALSE);

	assert_int_equal(sharing->lines[0].kind, SHARING_NEIGHBOURS);
	sharing_destroy(sharing);

	/* an object of another type */
	for (size_t i = 0; i < use_count; i++)
		if (uses[i].tid == 2)
			uses[i].type = "struct list";
	sharing = assert_verdict(SHARING_FALSE);
	assert_int_equal(sharing->lines[0].kind, SHARING_UNLIKE);
	sharing_destroy(sharing);
}

static void test_same_bytes(void **state)
{
	(void)state;
	add_uses(use_of(1, 0, true), 100, 0);
	add_uses(use_of(2, 4, false), 100, 500);

	struct sharing *sharing = assert_verdict(SHARING_TRUE);

	assert_int_equal(sharing->lines[0].shared, 200);
	sharing_destroy(sharing);
}

/* A lock that both take, and a counter of thread 1 that thread 2 never uses. */
static void test_both(void **state)
{
	struct sharing_use lock = use_of(1, 0, true), lock2 = use_of(2, 0, true),
			   count = use_of(1, 16, true);

	(void)state;
	count.function = "count";
	add_uses(lock, 100, 0);
	add_uses(lock2, 100, 500);
	add_uses(count, 100, 700);
	add_uses(use_of(2, 32, false), 100, 900);
	sharing_destroy(assert_verdict(SHARING_BOTH));
}

static void test_no_writer(void **state)
{
	(void)state;
	add_uses(use_of(1, 0, false), 100, 0);
	add_uses(use_of(2, 8, false), 100, 500);
	sharing_destroy(assert_verdict(SHARING_PRIVATE));
}

static void test_one_thread(void **state)
{
	(void)state;
	add_uses(use_of(1, 0, true), 100, 0);
	add_uses(use_of(1, 8, true), 100, 500);
	sharing_destroy(assert_verdict(SHARING_PRIVATE));
}

/* Each thread has the line for a while: memory that was passed on, or freed and allocated again. */
static void test_one_after_the_other(void **state)
{
	(void)state;
	add_uses(use_of(1, 0, true), 100, 0);
	add_uses(use_of(2, 8, true), 100, UINT64_C(100) * PERIOD);
	add_uses(use_of(1, 0, true), 100, UINT64_C(200) * PERIOD);
	sharing_destroy(assert_verdict(SHARING_PRIVATE));
}

/* A busy machine lets each run for forty samples at a time; in every third of these times the other
 * runs, too. */
static void test_busy_machine(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 9; i++) {
		add_uses(use_of(1, 0, true), 40, 160 * i * PERIOD);
		add_uses(use_of(2, 8, true), 40, (160 * i + 80) * PERIOD);
	}
	/* so far they never ran at the same time */
	struct sharing *sharing = examine();

	assert_true(!sharing->line_count || sharing->lines[0].verdict == SHARING_FEW);
	sharing_destroy(sharing);
	for (uint64_t i = 0; i < 9; i += 3)
		add_uses(use_of(2, 8, true), 40, 160 * i * PERIOD + 500);
	sharing_destroy(assert_verdict(SHARING_FALSE));
}

static void test_few_samples(void **state)
{
	(void)state;
	add_uses(use_of(1, 0, true), 100, 0);
	add_uses(use_of(2, 8, false), SHARING_SIDE_MIN - 1, 500);
	sharing_destroy(assert_verdict(SHARING_FEW));
}

/* Each line of a large array is used a few times: there is no verdict. */
static void test_random_access(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 1000; i++) {
		struct sharing_use use = use_of(1 + (int32_t)(i & 1), 0, true);

		use.address = use.base = LINE + i * 7919 % 997 * 64;
		add_uses(use, 1, i * PERIOD);
	}
	sharing_destroy(assert_verdict(SHARING_PRIVATE));
}

static void test_one_processor(void **state)
{
	struct sharing_use other = use_of(2, 8, true);

	(void)state;
	other.cpu = 0;
	for (uint64_t i = 0; i < 10; i++) {
		add_uses(use_of(1, 0, true), 4, 8 * i * PERIOD);
		add_uses(other, 4, (8 * i + 4) * PERIOD);
	}
	sharing_destroy(assert_verdict(SHARING_LATENT_CPU));
}

/* The scheduler moved both threads to one processor after a while. */
static void test_soon_one_processor(void **state)
{
	struct sharing_use first = use_of(1, 0, true), other = use_of(2, 8, true);

	(void)state;
	add_uses(first, 2, 0);
	add_uses(other, 1, 500);
	first.cpu = other.cpu = 0;
	for (uint64_t i = 1; i < 30; i++) {
		add_uses(first, 4, 8 * i * PERIOD);
		add_uses(other, 4, (8 * i + 4) * PERIOD);
	}
	sharing_destroy(assert_verdict(SHARING_LATENT_CPU));
}

/* Both threads append to one queue. Thread 2 has few samples, none of them at the tail. That does
 * not show that it never uses the tail, since it runs the same function on the same object. */
static void test_same_function(void **state)
{
	struct sharing_use lock = use_of(1, 0, true), lock2 = use_of(2, 0, true),
			   tail = use_of(1, 16, true);

	(void)state;
	lock2.function = tail.function = lock.function = "put";
	add_uses(lock, 60, 0);
	add_uses(lock2, 20, 500);
	add_uses(tail, 60, 700);

	struct sharing *sharing = assert_verdict(SHARING_TRUE);

	assert_int_equal(sharing->lines[0].disturbed, 0);
	sharing_destroy(sharing);
}

/* HITM shows that a line moved, even if only one thread was sampled. */
static void test_hitm(void **state)
{
	struct sharing_use use = use_of(1, 0, false);

	(void)state;
	use.hitm = true;
	add_uses(use, 3, 0);
	sharing_destroy(assert_verdict(SHARING_FEW));
}

/*
 * Two objects of 64 bytes; threads write bytes 24 to 64 of each. At offset 0 of a line they share
 * none; at 8, 16, 24 and 32 they do; at 40, 48 and 56 they do not.
 */
static void add_objects(uint64_t base)
{
	for (int32_t thread = 1; thread <= 2; thread++)
		for (uint64_t field = 24; field < 64; field += 8) {
			struct sharing_use use = use_of(thread, 0, true);

			use.base = base + (uint64_t)(thread - 1) * 64;
			use.address = use.base + field;
			use.function = add;
			add_uses(use, 20, (uint64_t)thread * 100 + field);
		}
}

static void test_places(void **state)
{
	(void)state;
	for (uint64_t begin = 0; begin < 64; begin += 8) {
		bool shares = begin >= 8 && begin <= 32, found = false;
		struct sharing *sharing;

		use_count = 0;
		add_objects(LINE + begin);
		sharing = examine();
		for (size_t i = 0; i < sharing->line_count; i++) {
			const struct sharing_line *line = &sharing->lines[i];

			assert_int_equal(line->verdict == SHARING_FALSE, shares);
			assert_int_equal(line->verdict == SHARING_LATENT_PLACE, !shares);
			found = true;
			if (shares)
				continue;
			assert_int_equal(line->offsets, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4);
			assert_int_equal(line->base, LINE + begin);
			assert_int_equal(line->distance, 64);
		}
		assert_true(found);
		sharing_destroy(sharing);
	}
}

/* Threads poll the same number, and each writes an object beside it: the number alone is not an
 * array. */
static void test_number_beside_objects(void **state)
{
	struct sharing *sharing;

	(void)state;
	for (int32_t thread = 1; thread <= 2; thread++) {
		struct sharing_use number = use_of(thread, 0, false);

		number.base = SHARING_NO_BASE;
		number.type = "int";
		number.field = NULL;
		number.size = 4;
		add_uses(number, 50, (uint64_t)thread * 100);
		add_uses(use_of(thread, 8 * (uint64_t)thread, true), 20,
			 (uint64_t)thread * 100 + 7);
	}
	sharing = assert_verdict(SHARING_FALSE);
	assert_int_equal(sharing->lines[0].kind, SHARING_UNLIKE);
	sharing_destroy(sharing);
}

/* Both threads store to the line all the time, but no sample is at these stores: the samples are at
 * other instructions of the loops. */
static void test_elsewhere(void **state)
{
	struct sharing *sharing;

	(void)state;
	for (int32_t thread = 1; thread <= 2; thread++) {
		struct sharing_use use = use_of(thread, 8 * (uint64_t)thread, true);

		use.implied = use.elsewhere = true;
		use.cost = 0;
		add_uses(use, 50, (uint64_t)thread * 100);
	}
	sharing = assert_verdict(SHARING_FALSE);
	assert_int_equal(sharing->lines[0].samples, 0);
	assert_int_equal(sharing->lines[0].elsewhere, 100);

	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	print_sharing(sharing,
		      &(struct sharing_print_options){
			      .cost = "the samples", .percent_limit = 0.5, .all_samples = 200 },
		      &text);
	assert_non_null(strstr(text.data, ": 0.0% of the samples, 50.0% beside it"));
	assert_non_null(strstr(text.data, "gain not predicted: a timer's samples"));
	sharing_destroy(sharing);
}

/* Threads wait at a barrier for a flag, which is written too rarely for a sample. The fields beside
 * it are not to blame for the time that passes. */
static void test_polled_flag(void **state)
{
	struct sharing_use store = use_of(1, 16, true);

	(void)state;
	for (int32_t thread = 1; thread <= 2; thread++) {
		struct sharing_use flag = use_of(thread, 0, false);

		flag.polls = true;
		add_uses(flag, 50, (uint64_t)thread * 100);
	}
	store.function = "broadcast";
	add_uses(store, 12, 500);
	sharing_destroy(assert_verdict(SHARING_FEW));
	/* a sample at the store to the flag shows the true sharing */
	add_uses(use_of(2, 0, true), 1, 900);
	sharing_destroy(assert_verdict(SHARING_TRUE));
}

/* Samples elsewhere tell which bytes threads use, but not that anybody waits for them. */
static void test_witnessed(void **state)
{
	(void)state;
	for (uint64_t begin = 0; begin < 64; begin += 16) {
		bool shares = begin == 16 || begin == 32;
		struct sharing *sharing;

		use_count = 0;
		add_objects(LINE + begin);
		sharing = sharing_create(&(struct sharing_input){
			.witnessed = uses, .witnessed_count = use_count, .cacheline = 64 });
		assert_int_equal(sharing->line_count, !shares);
		if (!shares)
			assert_int_equal(sharing->lines[0].verdict, SHARING_LATENT_PLACE);
		sharing_destroy(sharing);
	}
}

/* The rows of two objects tell loads from stores, and name the variable that one use knows of. */
static void test_rows_of_places(void **state)
{
	struct sharing_use use = use_of(1, 56, true);
	struct sharing *sharing;

	(void)state;
	use.base = LINE + 48;
	use.type_size = 16;
	add_uses(use, 20, 0);
	use.variable = "slots";
	add_uses(use, 1, 2000);
	use = use_of(2, 72, false);
	use.base = LINE + 64;
	use.type_size = 16;
	add_uses(use, 30, 100);
	sharing = assert_verdict(SHARING_LATENT_PLACE);

	const struct sharing_line *line = &sharing->lines[0];

	assert_int_equal(line->row_count, 2);
	assert_string_equal(line->rows[0].first->variable, "slots");
	assert_int_equal(line->rows[0].loads, 21);
	assert_int_equal(line->rows[0].stores, 21);
	assert_int_equal(line->rows[1].loads, 30);
	assert_int_equal(line->rows[1].stores, 0);
	assert_int_equal(line->threads[0].stores, 21);
	assert_int_equal(line->threads[1].stores, 0);
	sharing_destroy(sharing);
}

/* On one processor nobody waits, wherever the objects are. */
static void test_witnessed_on_one_processor(void **state)
{
	struct sharing *sharing;

	(void)state;
	add_objects(LINE + 16);
	for (size_t i = 0; i < use_count; i++)
		uses[i].cpu = 3;
	uses[5].cpu = 1; /* before it was pinned */
	sharing = sharing_create(&(struct sharing_input){
		.witnessed = uses, .witnessed_count = use_count, .cacheline = 64 });
	assert_int_equal(sharing->line_count, 1);
	assert_int_equal(sharing->lines[0].verdict, SHARING_LATENT_CPU);
	assert_int_equal(sharing->lines[0].kind, SHARING_NEIGHBOURS);
	/* bytes 48 to 64 of the first object, and 24 to 48 of the second one */
	assert_int_equal(sharing->lines[0].address, LINE + 64);
	assert_int_equal(sharing->lines[0].row_count, 2 + 3);
	sharing_destroy(sharing);
}

/* Nothing moves objects that are aligned on purpose. An alignment below the line's size leaves
 * fewer places. */
static void test_aligned_objects(void **state)
{
	struct sharing *sharing;

	(void)state;
	add_objects(LINE);
	for (size_t i = 0; i < use_count; i++)
		uses[i].alignment = 64;
	sharing_destroy(assert_verdict(SHARING_PRIVATE));
	for (size_t i = 0; i < use_count; i++)
		uses[i].alignment = 32;
	sharing = examine(); /* at offset 32 they would */
	assert_int_equal(sharing->line_count, 1);
	assert_int_equal(sharing->lines[0].verdict, SHARING_LATENT_PLACE);
	sharing_destroy(sharing);
	/* two lines are fetched together: 64 bytes are not enough */
	use_count = 0;
	add_objects(LINE);
	for (size_t i = 0; i < use_count; i++)
		uses[i].alignment = 64;
	sharing = sharing_create(
		&(struct sharing_input){ .uses = uses, .count = use_count, .cacheline = 128 });
	assert_int_equal(sharing->line_count, 1);
	assert_int_equal(sharing->lines[0].verdict, SHARING_FALSE);
	sharing_destroy(sharing);
}

/* Bytes that a thread reads rarely, such as the address of its data, have no more samples than
 * wrong addresses would give them. */
static void test_rare_bytes(void **state)
{
	struct sharing_use rare = use_of(2, 0, false);
	struct sharing *sharing;

	(void)state;
	add_objects(LINE); /* 100 samples each; bytes 24 to 64 are written */
	rare.base = LINE + 64;
	rare.address = rare.base + 8;
	add_uses(rare, 1, 1700);
	sharing = examine();
	assert_int_equal(sharing->line_count, 1);
	assert_int_equal(sharing->lines[0].offsets, 1 << 1 | 1 << 2 | 1 << 3 | 1 << 4);
	sharing_destroy(sharing);

	add_uses(rare, 9, 2700);
	sharing = examine();
	assert_int_equal(sharing->line_count, 1);
	/* bytes 72 to 80 share a line with 24 to 64 at more places */
	assert_int_equal(sharing->lines[0].offsets, 0x7e);
	sharing_destroy(sharing);
}

/* Objects that are far enough apart wherever they begin have no verdict. */
static void test_padded_objects(void **state)
{
	struct sharing_use other = use_of(2, 0, true);

	(void)state;
	other.base = LINE + 128;
	other.address = LINE + 128;
	other.type_size = 128;
	add_uses(other, 100, 500);
	other = use_of(1, 0, true);
	other.type_size = 128;
	add_uses(other, 100, 0);
	sharing_destroy(assert_verdict(SHARING_PRIVATE));
}

/* Asserts how many times as fast the threads of the line and the whole process would be without
 * false sharing, in hundredths. */
static void assert_gains(struct sharing_total *totals, size_t total_count, int gain, int whole_gain)
{
	struct sharing *sharing =
		sharing_create(&(struct sharing_input){ .uses = uses,
							.count = use_count,
							.cacheline = 64,
							.totals = totals,
							.total_count = total_count,
							.has_latencies = true });

	assert_int_equal(sharing->lines[0].verdict, SHARING_FALSE);
	assert_int_equal((int)(sharing->lines[0].gain * 100 + 0.5), gain);
	assert_int_equal((int)(sharing->lines[0].whole_gain * 100 + 0.5), whole_gain);
	sharing_destroy(sharing);
}

/*
 * Cheetah's arithmetic: two threads of 1000 each spend 800 in 80 accesses to the line, and 10 in
 * two other ones. At 5 an access these would cost 400, so that the threads would take 600: 1000 /
 * 600 = 1.67. Thread 3 ran alone for 400: 1400 / 1000 = 1.4.
 */
static void test_prediction(void **state)
{
	struct sharing_total totals[] = { { 7, 1, 1000 }, { 7, 2, 1000 }, { 7, 3, 400 } };

	(void)state;
	for (int32_t thread = 1; thread <= 2; thread++) {
		struct sharing_use contended = use_of(thread, (uint64_t)thread * 8, true),
				   other = use_of(thread, 4096 + (uint64_t)thread * 4096, false);

		contended.cost = 10;
		other.cost = 5;
		add_uses(contended, 80, (uint64_t)thread * 100);
		add_uses(other, 2, (uint64_t)thread * 100);
	}
	assert_gains(totals, COUNT_OF(totals), 167, 140);
}

/*
 * One object takes nearly all of the time: 4707 accesses to it take 102988 of 106389 cycles. At 3.2
 * cycles each they would take 15062, so that the whole would take 18463: 5.76 times the speed. Here
 * are a tenth of the accesses, in thousandths of a cycle.
 */
static void test_prediction_for_one_object(void **state)
{
	const uint64_t accesses = 471, cycles = UINT64_C(106389000) * accesses / 4707;
	struct sharing_total totals[] = { { 7, 1, cycles }, { 7, 2, cycles } };

	(void)state;
	for (int32_t thread = 1; thread <= 2; thread++) {
		struct sharing_use contended = use_of(thread, (uint64_t)thread * 8, true),
				   other = use_of(thread, 4096 + (uint64_t)thread * 4096, false);

		contended.cost = 102988000 / 4707;
		other.cost = 3200;
		add_uses(contended, accesses, (uint64_t)thread * 100);
		add_uses(other, 10, (uint64_t)thread * 100);
	}
	assert_gains(totals, COUNT_OF(totals), 576, 576);
}

/* ---- prediction by samples of a timer ---- */

static const char sum_function[] = "sum";

/* Adds samples of an instruction of sum(), which both threads run. */
static void add_timed(int32_t tid, uint64_t ip, uint64_t address, bool writes, size_t count)
{
	struct sharing_use use = use_of(tid, address - LINE, writes);

	use.base = SHARING_NO_BASE;
	use.function = sum_function;
	use.ip = ip;
	use.reads = !writes;
	add_uses(use, count, ip * 1000 + (uint64_t)tid * 100);
}

/* Asserts the gains of the first line, in hundredths, if each thread took 100. */
static void assert_timed_gains(int gain, int at_most, const char *text)
{
	struct sharing_total totals[] = { { 7, 1, 100 }, { 7, 2, 100 } };
	struct strbuf shown _cleanup_strbuf_ = STRBUF_INIT;
	struct sharing *sharing =
		sharing_create(&(struct sharing_input){ .uses = uses,
							.count = use_count,
							.cacheline = 64,
							.totals = totals,
							.total_count = 2,
							.rests = rests,
							.rest_count = rest_count });

	assert_int_equal(sharing->lines[0].verdict, SHARING_FALSE);
	assert_int_equal((int)(sharing->lines[0].gain * 100 + 0.5), gain);
	assert_int_equal((int)(sharing->lines[0].gain_at_most * 100 + 0.5), at_most);
	print_sharing(sharing,
		      &(struct sharing_print_options){ .cost = "the samples", .all_samples = 200 },
		      &shown);
	if (!strstr(shown.data, text))
		fail_msg("no '%s':\n%s", text, shown.data);
	/* add_timed() does not tell where the object begins */
	assert_non_null(strstr(shown.data, "  bytes of struct counters from 0x"));
	sharing_destroy(sharing);
}

/* Numbers have no member that could be aligned: neighbours in an array are padded, others aligned.
 */
static void test_help_for_numbers(void **state)
{
	static const char *const helps[] = { "_Alignas(64) on the first member of struct counters",
					     "(pad to 64 bytes)", "_Alignas, aligned_alloc" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(helps); i++) {
		struct strbuf shown _cleanup_strbuf_ = STRBUF_INIT;

		use_count = 0;
		for (int32_t thread = 1; thread <= 2; thread++) {
			struct sharing_use use = use_of(thread, (uint64_t)thread * 8, true);

			use.base = use.address;
			use.type_size = 8;
			use.element_size = i == 1 ? 8 : 0;
			use.field = i ? NULL : use.field;
			add_uses(use, 100, (uint64_t)thread * 500);
		}
		struct sharing *sharing = examine();

		assert_int_equal(sharing->lines[0].kind, SHARING_NEIGHBOURS);
		print_sharing(sharing, &(struct sharing_print_options){ .all_samples = 200 },
			      &shown);
		assert_non_null(strstr(shown.data, helps[i]));
		sharing_destroy(sharing);
	}
}

/* Adds samples without a known address to a function of a thread. */
static void add_rest(int32_t tid, uint64_t ip, const char *function, uint64_t cost)
{
	rests[rest_count++] = (struct sharing_rest){
		.pid = 7, .tid = tid, .ip = ip, .function = function, .cost = cost
	};
}

/* All of sum() may be waiting, with the samples that have no address, and nothing else: 100 / 50.
 */
static void test_bound_by_functions(void **state)
{
	(void)state;
	for (int32_t thread = 1; thread <= 2; thread++) {
		add_timed(thread, 1, LINE + (uint64_t)thread * 8, true, 30);
		add_timed(thread, 2, LINE + (uint64_t)thread * 4096, false, 10);
		add_rest(thread, 3, sum_function, 10);
		add_rest(thread, 4, "other", 50);
	}
	assert_timed_gains(0, 200, "these threads at most 2.0 times as");
}

/* Another thread that runs sum() on memory of its own does not wait there. The slowest of the two
 * that contend decides: 100 / 60. */
static void test_bound_by_threads(void **state)
{
	(void)state;
	add_timed(1, 1, LINE + 8, true, 80);
	add_timed(2, 1, LINE + 16, true, 40);
	add_timed(3, 1, LINE + 8192, true, 90);
	assert_timed_gains(0, 167, "these threads at most 1.7 times as");
}

/* Less than a tenth of the time is known to be work. */
static void test_no_bound(void **state)
{
	(void)state;
	add_timed(1, 1, LINE + 8, true, 95);
	add_timed(2, 1, LINE + 16, true, 95);
	assert_timed_gains(0, 0, "gain not predicted: a timer's samples do not tell");
}

/* Samples of a timer that came every 100 ns of a thread do not tell whether the threads ran at one
 * time, unless both together ran for longer than one could. */
static void test_maybe_in_turn(void **state)
{
	static const struct {
		uint64_t total; /* of each of the threads, of 99500 ns between the samples */
		bool in_turn;
	} rows[] = { { 49000, true }, { 60000, true }, { 70000, false }, { 99000, false } };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct sharing_total totals[] = { { 7, 1, rows[i].total },
						  { 7, 2, rows[i].total } };
		struct sharing_input input = { .uses = uses,
					       .cacheline = 64,
					       .totals = totals,
					       .total_count = 2,
					       .has_run_times = true };
		struct strbuf shown _cleanup_strbuf_ = STRBUF_INIT;

		use_count = 0;
		add_uses(use_of(1, 0, true), 100, 0);
		add_uses(use_of(2, 8, true), 100, 500);
		for (size_t k = 0; k < use_count; k++)
			uses[k].time = uses[k].time / PERIOD * 1000 + uses[k].time % PERIOD;
		input.count = use_count;
		struct sharing *sharing = sharing_create(&input);

		assert_int_equal(sharing->lines[0].verdict, SHARING_FALSE);
		assert_int_equal(sharing->lines[0].maybe_in_turn, rows[i].in_turn);
		print_sharing(sharing, &(struct sharing_print_options){ .all_samples = 200 },
			      &shown);
		assert_int_equal(strstr(shown.data, "no gain if one of them always waits") != NULL,
				 rows[i].in_turn);
		sharing_destroy(sharing);
	}
}

/* Thread 2 sleeps whenever thread 1 has a sample, or with NULL neither ever does. */
static bool sleeps_in_turn(const void *asleep, int32_t tid, uint64_t time)
{
	return asleep && (time % PERIOD == 0) == (tid == 2);
}

static void test_slept(void **state)
{
	static const char asleep[] = "";

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		use_count = 0;
		add_uses(use_of(1, 0, true), 100, 0);
		add_uses(use_of(2, 8, true), 100, 500);
		/* whether or not the scheduler has moved them to one processor meanwhile */
		for (size_t k = 0; k < use_count && i; k++)
			uses[k].cpu = 0;
		struct sharing_input input = {
			.uses = uses, .count = use_count, .cacheline = 64, .slept = sleeps_in_turn
		};
		struct sharing *sharing = sharing_create(&input);

		assert_int_equal(sharing->lines[0].verdict, i ? SHARING_LATENT_CPU : SHARING_FALSE);
		assert_false(sharing->lines[0].maybe_in_turn);
		sharing_destroy(sharing);
		input.slept_data = asleep;
		sharing = sharing_create(&input);
		assert_int_equal(sharing->line_count, 0);
		sharing_destroy(sharing);
	}
}

/* The text fits a terminal of 80 columns, names the contents of the line, and counts what is left
 * out. */
static void test_text(void **state)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct sharing *sharing;

	(void)state;
	add_uses(use_of(1, 0, true), 100, 0);
	add_uses(use_of(2, 8, false), 50, 500);
	sharing = examine();
	print_sharing(sharing,
		      &(struct sharing_print_options){ .cost = "the samples", .all_samples = 200 },
		      &text);
	assert_non_null(strstr(text.data, "# 150 of 200 samples have a data address"));
	assert_non_null(strstr(text.data,
			       "1. false sharing, fields of one object: 100.0% of the samples\n"));
	assert_non_null(strstr(text.data, "struct counters.hits"));
	assert_non_null(strstr(text.data, "struct counters.limit"));
	for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
		assert_true(strcspn(line, "\n") <= 80);
	sharing_destroy(sharing);
}

/* The writer is shown with the function that it disturbs. Samples are divided by how often each
 * function writes. */
static void test_functions(void **state)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct sharing *sharing;

	(void)state;
	add_uses(use_of(1, 0, true), 100, 0);
	add_uses(use_of(2, 8, false), 50, 500);
	sharing = examine();
	print_sharing_functions(sharing, &(struct sharing_print_options){ .cost = "the samples" },
				&text);
	assert_non_null(
		strstr(text.data, "       50      1  false  get                         add\n"));
	/* no other function writes, so nothing disturbs the writer */
	assert_null(strstr(text.data, "  add                         get\n"));
	sharing_destroy(sharing);
}

static void test_functions_with_long_names(void **state)
{
	static const char *const names[] = { "writes_with_a_name_that_is_too_long_for_its_column",
					     "reads_with_a_name_that_is_too_long_for_its_column" };
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct sharing *sharing;

	(void)state;
	add_uses(use_of(1, 0, true), 100, 0);
	add_uses(use_of(2, 8, false), 50, 500);
	for (size_t i = 0; i < use_count; i++)
		uses[i].function = names[uses[i].tid - 1];
	sharing = examine();
	print_sharing_functions(sharing, &(struct sharing_print_options){ .width = 80 }, &text);
	assert_non_null(strstr(text.data, "writes_with"));
	for (const char *line = text.data; *line; line += strcspn(line, "\n") + 1)
		assert_in_range(strcspn(line, "\n"), 1, 80);
	/* where there is no terminal, nothing is cut */
	strbuf_reset(&text);
	print_sharing_functions(sharing, &(struct sharing_print_options){ 0 }, &text);
	print_sharing(sharing, &(struct sharing_print_options){ .cost = "the samples" }, &text);
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		const char *first = strstr(text.data, names[i]);

		assert_non_null(first);
		assert_non_null(strstr(first + 1, names[i]));
	}
	assert_null(strstr(text.data, "..."));
	sharing_destroy(sharing);
}

/* The callers of a row's function are named by the samples that have them. */
static void test_callers(void **state)
{
	static const char often[] = "often", seldom[] = "seldom";
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct sharing_use use = use_of(1, 0, true);
	struct sharing *sharing;

	(void)state;
	use.caller = seldom;
	add_uses(use, 40, 0);
	use.caller = often;
	add_uses(use, 50, 40 * PERIOD);
	add_uses(use_of(1, 0, true), 60, 90 * PERIOD);
	add_uses(use_of(2, 8, false), 100, 500);
	sharing = examine();
	print_sharing(sharing, &(struct sharing_print_options){ .cost = "the samples" }, &text);
	assert_non_null(strstr(text.data, "add from often and others\n"));
	assert_non_null(strstr(text.data, "get\n"));
	sharing_destroy(sharing);
}

/* Two threads count in the same bytes by turns, on one processor: on two they would contend. */
static void test_same_bytes_on_one_processor(void **state)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct sharing_use other = use_of(2, 0, true);
	struct sharing *sharing;

	(void)state;
	other.cpu = 0;
	for (uint64_t i = 0; i < 10; i++) {
		add_uses(use_of(1, 0, true), 4, 8 * i * PERIOD);
		add_uses(other, 4, (8 * i + 4) * PERIOD);
	}
	sharing = assert_verdict(SHARING_LATENT_TRUE);
	print_sharing(sharing, &(struct sharing_print_options){ .cost = "the samples" }, &text);
	assert_non_null(strstr(text.data, "1. latent true sharing: "));
	assert_non_null(strstr(text.data, "these threads ran on CPU 0. It would be on two."));
	assert_non_null(strstr(text.data, "layout cannot mend this"));
	sharing_destroy(sharing);
}

/* A variable has the type's objects as elements only if it is an array of them. A use that names no
 * variable does not hide one that does. */
static void test_names_of_variables(void **state)
{
	static const char locks[] = "locks";
	static const struct {
		uint64_t offset;
		uint32_t element;
		const char *text;
	} cases[] = { { 192, 64, ", locks[3]\n" },   { 0, 64, ", locks[0]\n" },
		      { 0, 0, ", locks\n" },         { 192, 0, ", locks+192\n" },
		      { 192, 192, ", locks+192\n" }, { 100, 64, ", locks+100\n" } };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
		struct sharing_use use = use_of(1, 0, true);
		struct sharing *sharing;

		use_count = 0;
		add_uses(use, 1, 0);
		use.variable = locks;
		use.variable_offset = cases[i].offset;
		use.element_size = cases[i].element;
		add_uses(use, 100, PERIOD);
		use.tid = 2;
		use.cpu = 1;
		add_uses(use, 100, 500);
		sharing = assert_verdict(SHARING_TRUE);
		print_sharing(sharing, &(struct sharing_print_options){ .cost = "the samples" },
			      &text);
		if (!strstr(text.data, cases[i].text))
			fail_msg("no %s in %s", cases[i].text, text.data);
		sharing_destroy(sharing);
	}
}

static void keep(void *data, const char *text, size_t length)
{
	strbuf_add(data, text, length);
}

static void test_machine_readable(void **state)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct strbuf csv _cleanup_strbuf_ = STRBUF_INIT;
	struct json json = JSON_INIT(keep, &text);
	struct sharing_print_options options = { .cost = "the samples", .all_samples = 200 };
	struct sharing *sharing;

	(void)state;
	add_uses(use_of(1, 0, true), 100, 0);
	add_uses(use_of(2, 8, false), 50, 500);
	sharing = examine();
	json_object(&json, NULL);
	print_sharing_json(sharing, &options, &json);
	json_end(&json);
	json_finish(&json);
	assert_non_null(strstr(text.data, "\"verdict\": \"false\""));
	assert_non_null(strstr(text.data, "\"kind\": \"one-object\""));
	assert_non_null(strstr(text.data, "\"field\": \"limit\""));
	assert_non_null(strstr(text.data, "\"samples\": 200"));
	print_sharing_csv(sharing, &options, &csv);
	assert_non_null(strstr(
		csv.data,
		"false,one-object,7,0x10000,0,8,struct counters,hits,0x10000,,1,100,100,100,0,0,"
		"100,add,,\n"));
	assert_non_null(strstr(
		csv.data,
		"false,one-object,7,0x10000,8,8,struct counters,limit,0x10000,,2,50,50,0,0,0,50,"
		"get,,\n"));
	sharing_destroy(sharing);
}

/* The scheduler moves the threads: they take turns on one processor, sometimes on another one. */
static void test_threads_that_move(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < 100; i++) {
		struct sharing_use one = use_of(1, 0, true), other = use_of(2, 8, true);

		one.cpu = i % 10 < 2;
		other.cpu = i % 10 == 0;
		add_uses(one, 4, i * 20 * PERIOD);
		add_uses(other, 4, (i * 20 + 10) * PERIOD);
	}

	struct sharing *sharing = assert_verdict(SHARING_LATENT_CPU);
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	print_sharing(sharing,
		      &(struct sharing_print_options){ .cost = "the samples", .all_samples = 800 },
		      &text);
	assert_non_null(strstr(text.data, "hardly shared here"));
	sharing_destroy(sharing);
}

/* ---- false sharing that is spread over many lines ---- */

#define LINES 128

/* Adds a use of a number, which has neither a field nor an object. */
static void add_number(int32_t tid, uint64_t address, uint64_t time)
{
	struct sharing_use use = use_of(tid, 0, true);

	use.address = address;
	use.size = 4;
	use.type = "int";
	use.field = NULL;
	use.base = SHARING_NO_BASE;
	add_uses(use, 1, time);
}

/* Two samples of each line: each thread uses every other number of an array. */
static void test_numbers_in_turns(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < LINES; i++) {
		uint64_t line = LINE + i * 64;

		add_number(1, line + i * 8 % 64, i * PERIOD);
		add_number(2, line + (i * 24 + 4) % 64, i * PERIOD + 500);
	}

	struct sharing *sharing = assert_verdict(SHARING_FALSE);

	assert_int_equal(sharing->lines[0].kind, SHARING_ELEMENTS);
	assert_int_equal(sharing->lines[0].alike, LINES);
	assert_int_equal(sharing->lines[0].samples, 2 * LINES);
	sharing_destroy(sharing);
}

/* Two samples of each line at any of its numbers, as of random swaps. */
static void test_numbers_at_random(void **state)
{
	uint64_t random = 1;

	(void)state;
	for (uint64_t i = 0; i < LINES; i++)
		for (int32_t thread = 1; thread <= 2; thread++) {
			random = random * UINT64_C(6364136223846793005) + 1442695040888963407U;
			add_number(thread, LINE + i * 64 + (random >> 40) % 4 * 16,
				   i * PERIOD + (uint64_t)thread * 500);
		}
	sharing_destroy(assert_verdict(SHARING_PRIVATE));
}

/* One thread fills an array, and then another one reads it. */
static void test_numbers_handed_over(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < LINES; i++) {
		add_number(1, LINE + i * 64, i * PERIOD);
		add_number(2, LINE + i * 64 + 8, (LINES + i) * PERIOD);
	}
	sharing_destroy(assert_verdict(SHARING_PRIVATE));
}

/* ---- the verdicts as one type sees them ---- */

static const int counters_id, lists_id;

/* Gives the uses their types: struct list to those of thread `list_tid`. */
static void add_type_ids(int32_t list_tid)
{
	for (size_t i = 0; i < use_count; i++) {
		bool is_list = uses[i].tid == list_tid;

		uses[i].type = is_list ? "struct list" : counters;
		uses[i].type_id = is_list ? &lists_id : &counters_id;
	}
}

static struct annotated_type show(const struct sharing *sharing, const int *type,
				  struct arena *texts)
{
	struct annotated_type shown = { 0 };

	sharing_show_type(sharing, uses, use_count, type, texts, &shown);
	return shown;
}

static void test_type_fields(void **state)
{
	struct sharing_use other = use_of(2, 40, true);
	struct arena texts = { 0 };

	(void)state;
	other.base = LINE + 32;
	other.field = hits;
	add_uses(use_of(1, 8, true), 100, 0);
	add_uses(other, 100, 500);
	add_type_ids(0);

	struct sharing *sharing = assert_verdict(SHARING_FALSE);
	struct annotated_type shown = show(sharing, &counters_id, &texts);

	assert_true(shown.addressed);
	assert_int_equal(shown.objects, 2);
	assert_int_equal(shown.aligned_objects, 1);
	assert_int_equal(shown.sharing_count, 1);
	assert_string_equal(shown.sharings[0].field, "'hits'");
	assert_int_equal(shown.sharings[0].writer_count, 2);
	assert_int_equal(shown.sharings[0].thread_count, 2);
	assert_int_equal(shown.sharings[0].neighbour_count, 1);
	assert_string_equal(shown.sharings[0].neighbours[0], "'hits' of another object");
	assert_int_equal(shown.sharings[0].cachelines, 1);
	assert_false(shown.sharings[0].latent);
	arena_deinit(&texts);
	sharing_destroy(sharing);
}

/* The reader's type has no written field. */
static void test_type_of_the_reader(void **state)
{
	struct arena texts = { 0 };

	(void)state;
	add_uses(use_of(1, 0, true), 100, 0);
	add_uses(use_of(2, 8, false), 100, 500);
	add_type_ids(2);

	struct sharing *sharing = assert_verdict(SHARING_FALSE);
	struct annotated_type writers = show(sharing, &counters_id, &texts),
			      readers = show(sharing, &lists_id, &texts);

	assert_int_equal(writers.sharing_count, 1);
	assert_string_equal(writers.sharings[0].neighbours[0], "'limit' of struct list");
	assert_int_equal(writers.sharings[0].threads[0], 2);
	assert_int_equal(readers.sharing_count, 0);
	assert_int_equal(readers.objects, 1);
	arena_deinit(&texts);
	sharing_destroy(sharing);
}

static void test_type_with_latent_sharing(void **state)
{
	struct arena texts = { 0 };

	(void)state;
	add_uses(use_of(1, 0, true), 100, 0);
	add_uses(use_of(2, 8, false), 100, 500);
	add_type_ids(0);
	for (size_t i = 0; i < use_count; i++)
		uses[i].cpu = 0;

	struct sharing *sharing = assert_verdict(SHARING_LATENT_CPU);
	struct annotated_type shown = show(sharing, &counters_id, &texts);

	assert_int_equal(shown.sharing_count, 1);
	assert_true(shown.sharings[0].latent);
	arena_deinit(&texts);
	sharing_destroy(sharing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_fields_of_one_object, set_up),
		cmocka_unit_test_setup(test_rarely_seen, set_up),
		cmocka_unit_test_setup(test_objects, set_up),
		cmocka_unit_test_setup(test_same_bytes, set_up),
		cmocka_unit_test_setup(test_both, set_up),
		cmocka_unit_test_setup(test_no_writer, set_up),
		cmocka_unit_test_setup(test_one_thread, set_up),
		cmocka_unit_test_setup(test_one_after_the_other, set_up),
		cmocka_unit_test_setup(test_busy_machine, set_up),
		cmocka_unit_test_setup(test_few_samples, set_up),
		cmocka_unit_test_setup(test_random_access, set_up),
		cmocka_unit_test_setup(test_one_processor, set_up),
		cmocka_unit_test_setup(test_callers, set_up),
		cmocka_unit_test_setup(test_same_bytes_on_one_processor, set_up),
		cmocka_unit_test_setup(test_names_of_variables, set_up),
		cmocka_unit_test_setup(test_soon_one_processor, set_up),
		cmocka_unit_test_setup(test_same_function, set_up),
		cmocka_unit_test_setup(test_hitm, set_up),
		cmocka_unit_test_setup(test_places, set_up),
		cmocka_unit_test_setup(test_number_beside_objects, set_up),
		cmocka_unit_test_setup(test_elsewhere, set_up),
		cmocka_unit_test_setup(test_polled_flag, set_up),
		cmocka_unit_test_setup(test_witnessed, set_up),
		cmocka_unit_test_setup(test_rows_of_places, set_up),
		cmocka_unit_test_setup(test_witnessed_on_one_processor, set_up),
		cmocka_unit_test_setup(test_padded_objects, set_up),
		cmocka_unit_test_setup(test_prediction, set_up),
		cmocka_unit_test_setup(test_prediction_for_one_object, set_up),
		cmocka_unit_test_setup(test_help_for_numbers, set_up),
		cmocka_unit_test_setup(test_bound_by_functions, set_up),
		cmocka_unit_test_setup(test_bound_by_threads, set_up),
		cmocka_unit_test_setup(test_no_bound, set_up),
		cmocka_unit_test_setup(test_maybe_in_turn, set_up),
		cmocka_unit_test_setup(test_slept, set_up),
		cmocka_unit_test_setup(test_text, set_up),
		cmocka_unit_test_setup(test_functions, set_up),
		cmocka_unit_test_setup(test_functions_with_long_names, set_up),
		cmocka_unit_test_setup(test_machine_readable, set_up),
		cmocka_unit_test_setup(test_type_fields, set_up),
		cmocka_unit_test_setup(test_type_of_the_reader, set_up),
		cmocka_unit_test_setup(test_type_with_latent_sharing, set_up),
		cmocka_unit_test_setup(test_aligned_objects, set_up),
		cmocka_unit_test_setup(test_rare_bytes, set_up),
		cmocka_unit_test_setup(test_threads_that_move, set_up),
		cmocka_unit_test_setup(test_numbers_in_turns, set_up),
		cmocka_unit_test_setup(test_numbers_at_random, set_up),
		cmocka_unit_test_setup(test_numbers_handed_over, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
