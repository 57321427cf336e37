// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits from events of contention, and the tables of them. */
#include "tests/support/unit.h"

#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "report/lock/lock_waits.h"

/* An event of thread 7 on processor 0. */
static struct lock_event event_at(bool begin, uint64_t time, uint64_t lock, uint32_t flags)
{
	return (struct lock_event){ .begin = begin,
				    .time = time,
				    .lock = lock,
				    .flags = flags,
				    .pid = 7,
				    .tid = 7,
				    .comm = "worker",
				    .chain = 1 };
}

static void narrow_tables_shorten_names(void **state)
{
	struct lock_table_options options = { .view = LOCK_BY_FIELD,
					      .columns = { LOCK_CONTENDED, LOCK_WAIT_TOTAL,
							   LOCK_WAIT_MAX, LOCK_AVG_WAIT },
					      .column_count = 4,
					      .callers = 1,
					      .width = 80,
					      .headings = true };
	struct lock_wait wait = {
		.name = "struct a_long_name_of_a_struct_with_more +112 (and_a_long_member)",
		.caller = "a_function_that_waits_for_a_lock_of_a_struct+0x5"
	};
	struct lock_waits waits = { .items = &wait, .count = 1 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	size_t columns = 0;

	(void)state;
	lock_table_fit(&options, false);
	/* the last columns are left out for the name */
	assert_int_equal(options.column_count, 2);
	lock_table_text(&waits, &options, &text);
	for (const char *at = text.data; *at; at++) {
		columns = *at == '\n' ? 0 : columns + 1;
		assert_true(columns <= 80);
	}
	assert_non_null(strstr(text.data, "struct a_long"));
	assert_non_null(strstr(text.data, "..."));
	/* chosen columns stay, and a wide terminal has room for all */
	options.column_count = 4;
	lock_table_fit(&options, true);
	assert_int_equal(options.column_count, 4);
	options = (struct lock_table_options){ .columns = { LOCK_CONTENDED, LOCK_WAIT_TOTAL },
					       .column_count = 2,
					       .width = 120 };
	lock_table_fit(&options, false);
	assert_false(options.narrow);
}

static void add(struct lock_waits *waits, bool begin, uint64_t time, uint64_t lock, uint32_t flags)
{
	struct lock_event event = event_at(begin, time, lock, flags);

	lock_waits_add(waits, &event);
}

static void a_wait_ends_at_the_next_end_of_its_lock(void **state)
{
	struct lock_waits waits = { 0 };

	(void)state;
	add(&waits, false, 5, 0xa, 0); /* began before the recording */
	add(&waits, true, 10, 0xa, LOCK_SPIN);
	add(&waits, true, 20, 0xb, LOCK_SPIN); /* in an interrupt */
	add(&waits, false, 27, 0xb, 0);
	add(&waits, false, 40, 0xa, 0);
	add(&waits, true, 50, 0xa, LOCK_SPIN);
	add(&waits, false, 60, 0xa, 0);
	assert_int_equal(waits.count, 2);
	assert_int_equal(waits.unbegun, 1);
	assert_int_equal(waits.open, 0);
	assert_int_equal(waits.items[0].lock, 0xa);
	assert_int_equal(waits.items[0].sums.contended, 2);
	assert_int_equal(waits.items[0].sums.acquired, 2);
	assert_int_equal(waits.items[0].sums.total, 40);
	assert_int_equal(waits.items[0].sums.most, 30);
	assert_int_equal(waits.items[0].sums.least, 10);
	assert_int_equal(waits.items[1].sums.total, 7);
	lock_waits_deinit(&waits);
}

static void a_mutex_that_stops_to_spin_goes_on_waiting(void **state)
{
	struct lock_waits waits = { 0 };

	(void)state;
	add(&waits, true, 10, 0xa, LOCK_MUTEX | LOCK_SPIN);
	add(&waits, true, 15, 0xa, LOCK_MUTEX);
	add(&waits, false, 30, 0xa, 0);
	assert_int_equal(waits.count, 1);
	assert_int_equal(waits.items[0].sums.contended, 1);
	assert_int_equal(waits.items[0].sums.total, 20);
	assert_int_equal(waits.lost, 0);
	lock_waits_deinit(&waits);
}

static void a_second_begin_says_that_an_end_was_lost(void **state)
{
	struct lock_waits waits = { 0 };

	(void)state;
	add(&waits, true, 10, 0xa, LOCK_READ);
	add(&waits, true, 1000, 0xa, LOCK_READ);
	add(&waits, false, 1005, 0xa, 0);
	add(&waits, true, 2000, 0xa, LOCK_READ);
	assert_int_equal(waits.items[0].sums.contended, 3);
	assert_int_equal(waits.items[0].sums.acquired, 1);
	assert_int_equal(waits.items[0].sums.total, 5);
	assert_int_equal(waits.lost, 1);
	assert_int_equal(waits.open, 1);
	lock_waits_deinit(&waits);
}

static void who_sleeps_for_a_lock_waits_for_no_other_one(void **state)
{
	struct lock_waits waits = { 0 };

	(void)state;
	add(&waits, true, 10, 0xa, LOCK_MUTEX | LOCK_SPIN);
	add(&waits, true, 20, 0xb, LOCK_SPIN); /* inside */
	add(&waits, false, 25, 0xb, 0);
	add(&waits, true, 1000, 0xc, LOCK_READ);
	add(&waits, false, 1005, 0xc, 0);
	add(&waits, false, 2000, 0xa, 0); /* of another wait, whose begin was lost */
	assert_int_equal(waits.items[0].sums.acquired, 0);
	assert_int_equal(waits.items[1].sums.total, 5);
	assert_int_equal(waits.items[2].sums.total, 5);
	assert_int_equal(waits.lost, 1);
	assert_int_equal(waits.open, 0);
	/* who writes to a percpu-rwsem waits for RCU meanwhile */
	add(&waits, true, 3000, 0xd, LOCK_PER_CPU | LOCK_WRITE);
	add(&waits, true, 3010, 0xe, LOCK_MUTEX);
	add(&waits, false, 3020, 0xe, 0);
	add(&waits, false, 3100, 0xd, 0);
	assert_int_equal(waits.items[3].sums.total, 100);
	assert_int_equal(waits.lost, 1);
	lock_waits_deinit(&waits);
}

static void idle_threads_of_processors_are_different_ones(void **state)
{
	struct lock_waits waits = { 0 };
	struct lock_event event = event_at(true, 10, 0xa, LOCK_SPIN);

	(void)state;
	event.tid = event.pid = 0;
	lock_waits_add(&waits, &event);
	event.cpu = 1;
	event.time = 12;
	lock_waits_add(&waits, &event);
	event.begin = false;
	event.time = 20;
	lock_waits_add(&waits, &event);
	event.cpu = 0;
	event.time = 30;
	lock_waits_add(&waits, &event);
	assert_int_equal(waits.count, 1);
	assert_int_equal(waits.items[0].sums.total, 28);
	assert_int_equal(waits.lost, 0);
	lock_waits_deinit(&waits);
}

/* Threads 1 and 2 wait for a lock that 3 has; 2 comes while 1 waits, 4 when 2 has the lock. */
static void who_waited_last_holds_the_lock(void **state)
{
	static const struct {
		bool begin, failed;
		uint64_t time;
		int32_t tid;
		uint32_t flags;
	} events[] = {
		{ true, false, 10, 1, LOCK_WRITE },  { true, false, 20, 2, LOCK_WRITE },
		{ false, false, 30, 1, 0 },          { true, false, 35, 5, LOCK_WRITE },
		{ false, true, 40, 5, 0 },           { false, false, 50, 2, 0 },
		{ true, false, 100, 4, LOCK_READ },  { false, false, 110, 4, 0 },
		{ true, false, 120, 1, LOCK_WRITE }, { false, false, 150, 1, 0 },
	};
	static const struct lock_table_options options = { .view = LOCK_BY_FIELD,
							   .sort = LOCK_WAIT_TOTAL,
							   .columns = { LOCK_CONTENDED,
									LOCK_WAIT_TOTAL },
							   .column_count = 2,
							   .callers = 1 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	struct lock_waits waits = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(events); i++) {
		struct lock_event event =
			event_at(events[i].begin, events[i].time, 0xa, events[i].flags);

		event.tid = events[i].tid;
		event.failed = events[i].failed;
		lock_waits_add(&waits, &event);
	}
	/* 2 waited 20 ns after 1 had the lock, 4 waited 10 ns after 2 had it; of readers, several
	 * may have it */
	assert_int_equal(waits.items[0].tid, 1);
	assert_int_equal(waits.items[0].held.acquired, 1);
	assert_int_equal(waits.items[0].held.total, 20);
	assert_int_equal(waits.items[1].tid, 2);
	assert_int_equal(waits.items[1].held.total, 10);
	assert_int_equal(waits.items[2].held.total, 0);
	assert_int_equal(waits.items[3].held.total, 0);
	for (size_t i = 0; i < waits.count; i++)
		waits.items[i].name = "lock", waits.items[i].caller = "writes+0x5";
	lock_table_text(&waits, &options, &text);
	assert_string_equal(text.data,
			    "         5        95 ns         rwsem      1   lock\n"
			    "         4        85 ns       rwsem:W            writes+0x5\n"
			    "         2        30 ns          held            writes+0x5\n");
	/* the same by thread: nobody waited after 4 and 5 */
	struct lock_table_options owners = options;

	owners.view = LOCK_BY_THREAD;
	owners.holders = owners.headings = true;
	strbuf_truncate(&text, 0);
	lock_waits_of_holders(&waits);
	lock_table_text(&waits, &owners, &text);
	assert_string_equal(text.data, " contended   total wait          pid   owner\n\n"
				       "         1        20 ns            1   worker\n"
				       "         1        10 ns            2   worker\n");
	lock_waits_deinit(&waits);
}

static void waits_are_counted_by_their_times_and_groups(void **state)
{
	static const uint64_t ends[] = { 999, 1000, 2500, 9000000000 };
	static const struct lock_table_options options = { .view = LOCK_BY_CGROUP,
							   .columns = { LOCK_CONTENDED },
							   .column_count = 1,
							   .headings = true,
							   .times = true };
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	struct lock_waits waits = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		struct lock_event event = event_at(true, i * 10000000000, 0xa, LOCK_SPIN);

		event.tid = i == 3 ? 8 : 7;
		event.cgroup = i == 3 ? "/batch" : "/web";
		lock_waits_add(&waits, &event);
		event.begin = false;
		event.time += ends[i];
		lock_waits_add(&waits, &event);
	}
	lock_table_text(&waits, &options, &text);
	assert_string_equal(text.data, " contended    cgroup\n\n"
				       "         3    /web\n"
				       "         1   <   1.00 us ####################\n"
				       "         2   <   3.00 us "
				       "########################################\n"
				       "         1    /batch\n"
				       "         1  >=   3.00 s  "
				       "########################################\n");
	lock_waits_deinit(&waits);
}

static void kinds_have_perfs_names(void **state)
{
	const char *bad;
	uint64_t kinds;

	(void)state;
	assert_string_equal(lock_kind_name(LOCK_READ, true), "rwsem:R");
	assert_string_equal(lock_kind_name(LOCK_READ, false), "rwsem");
	assert_string_equal(lock_kind_name(LOCK_PER_CPU | LOCK_WRITE, true), "pcpu-sem:W");
	assert_string_equal(lock_kind_name(LOCK_MUTEX | LOCK_SPIN, true), "mutex");
	assert_string_equal(lock_kind_name(LOCK_MUTEX | LOCK_READ, true), "unknown");
	assert_true(lock_kinds_parse("rwsem,mutex", &kinds, &bad));
	assert_true(lock_kind_is_in(LOCK_WRITE, kinds));
	assert_true(lock_kind_is_in(LOCK_MUTEX | LOCK_SPIN, kinds));
	assert_false(lock_kind_is_in(LOCK_SPIN, kinds));
	assert_true(lock_kinds_parse("rwlock:R", &kinds, &bad));
	assert_false(lock_kind_is_in(LOCK_SPIN | LOCK_WRITE, kinds));
	assert_false(lock_kinds_parse("mutex,rwsemi", &kinds, &bad));
	assert_string_equal(bad, "rwsemi");
}

static void names_cannot_move_the_cursor(void **state)
{
	static const struct lock_table_options options = { .view = LOCK_BY_THREAD,
							   .sort = LOCK_CONTENDED,
							   .columns = { LOCK_CONTENDED },
							   .column_count = 1 };
	struct lock_event event = event_at(true, 10, 0xa, LOCK_SPIN);
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	struct lock_waits waits = { 0 };

	(void)state;
	event.comm = "\033[2Jx\ny";
	lock_waits_add(&waits, &event);
	lock_table_text(&waits, &options, &text);
	assert_string_equal(text.data, "         1            7   ?[2Jx?y\n");
	lock_waits_deinit(&waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(narrow_tables_shorten_names),
		cmocka_unit_test(a_wait_ends_at_the_next_end_of_its_lock),
		cmocka_unit_test(a_mutex_that_stops_to_spin_goes_on_waiting),
		cmocka_unit_test(a_second_begin_says_that_an_end_was_lost),
		cmocka_unit_test(who_sleeps_for_a_lock_waits_for_no_other_one),
		cmocka_unit_test(idle_threads_of_processors_are_different_ones),
		cmocka_unit_test(who_waited_last_holds_the_lock),
		cmocka_unit_test(waits_are_counted_by_their_times_and_groups),
		cmocka_unit_test(kinds_have_perfs_names),
		cmocka_unit_test(names_cannot_move_the_cursor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
