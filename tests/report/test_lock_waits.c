// SPDX-License-Identifier: GPL-2.0-or-later
/* Waits from events of contention, and the tables of them. */
#include "tests/support/unit.h"

#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "report/lock/lock_table.h"

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
	assert_string_equal(text.data, "         1             7   ?[2Jx?y\n");
	lock_waits_deinit(&waits);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_wait_ends_at_the_next_end_of_its_lock),
		cmocka_unit_test(a_mutex_that_stops_to_spin_goes_on_waiting),
		cmocka_unit_test(a_second_begin_says_that_an_end_was_lost),
		cmocka_unit_test(idle_threads_of_processors_are_different_ones),
		cmocka_unit_test(kinds_have_perfs_names),
		cmocka_unit_test(names_cannot_move_the_cursor),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
