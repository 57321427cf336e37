// SPDX-License-Identifier: GPL-2.0-or-later
/* Stores: what is added once is there once, also after a crash, and questions have its sums. */
#include "tests/support/unit.h"

#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/store/store_private.h"
#include "tests/support/files.h"

#define DAY 86400

static const struct store_fact facts[] = {
	{ "cycles", "/bin/a", "aa11", "struct item", "hits", 8, "visit", 10, 100, 5, 7, 3, "", "" },
	{ "cycles", "/bin/a", "aa11", "struct item", "hits", 8, "walk", 2, 20, 0, 2, 0, "", "" },
	{ "cycles", "/bin/a", "aa11", "struct item", "next", 16, "walk", 6, 60, 0, 6, 0, "", "" },
	{ "cycles", "/lib/b", "bb22", "(unknown)", "", 0, "", 2, 20, 0, 0, 0, "", "" },
	/* as the first one */
	{ "cycles", "/bin/a", "aa11", "struct item", "hits", 8, "visit", 1, 10, 1, 1, 0, "", "" },
};

static void assert_no_error(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

static struct store *open_new(const char *name)
{
	struct store *store;

	unlink(scratch_file(name));
	assert_no_error(store_open(
		&(struct store_place){ .path = scratch_file(name), .create = true }, &store));
	return store;
}

static bool add(struct store *store, const char *id, const char *host, int64_t time)
{
	struct store_batch batch = {
		.host = host, .kernel = "6.1", .processor = "", .time = time, .samples = 21
	};
	bool known;

	snprintf(batch.id, sizeof(batch.id), "%s", id);
	assert_no_error(store_add(store, &batch, facts, COUNT_OF(facts), &known));
	return known;
}

/* Adds "KEY KEY samples hosts; " of a row to a text. */
static void write_row(const struct store_row *row, struct strbuf *text)
{
	for (size_t i = 0; row->keys[i]; i++)
		strbuf_add_format(text, "%s ", row->keys[i]);
	strbuf_add_format(text, "%d %d; ", (int)row->samples, (int)row->hosts);
}

static void assert_rows(struct store *store, const enum store_key *keys, size_t count,
			const struct store_choice *choice, size_t most, const char *expected,
			uint64_t all)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_answer_ struct store_answer answer = { 0 };

	assert_no_error(store_select(store, keys, count, choice, STORE_BY_SAMPLES, most, &answer));
	array_each (const struct store_row, row, answer.rows, answer.count)
		write_row(row, &text);
	assert_string_equal(text.data, expected);
	assert_int_equal(answer.total.samples, all);
}

#define CHOICE(...) (&(const struct store_choice){ __VA_ARGS__ })
#define ALL         CHOICE(0)
#define ROWS(store, choice, most, expected, all, ...)                                              \
	assert_rows(store, (const enum store_key[]){ __VA_ARGS__ },                                \
		    COUNT_OF(((const enum store_key[]){ __VA_ARGS__ })), choice, most, expected,   \
		    all)

static void facts_are_added_up(void **state)
{
	struct store *store = open_new("sums");

	(void)state;
	assert_false(add(store, "1", "one", 10 * DAY + 5));
	assert_false(add(store, "2", "two", 11 * DAY));
	ROWS(store, ALL, 0,
	     "struct item +8 (hits) 26 2; struct item +16 (next) 12 2; (unknown) 4 2; ", 42,
	     STORE_FIELD);
	ROWS(store, ALL, 2, "visit 22 2; walk 16 2; ", 42, STORE_FUNCTION);
	ROWS(store, ALL, 0, "1970-01-11 one 21 1; 1970-01-12 two 21 1; ", 42, STORE_DAY,
	     STORE_HOST);
	ROWS(store, ALL, 0, "/bin/a aa11 38 2; /lib/b bb22 4 2; ", 42, STORE_OBJECT, STORE_BUILD);
	store_close(store);
}

/* Questions leave out the names of hosts while each host has one row. */
static void a_host_with_another_kernel_counts_once(void **state)
{
	struct store *store = open_new("kernels");
	struct store_batch batch = { .id = "3", .host = "one", .kernel = "7.2", .processor = "" };
	bool known;

	(void)state;
	assert_false(add(store, "1", "one", 0));
	assert_false(add(store, "2", "two", 0));
	ROWS(store, ALL, 1, "struct item 38 2; ", 42, STORE_TYPE);
	assert_no_error(store_add(store, &batch, facts, 1, &known));
	ROWS(store, ALL, 1, "struct item 48 2; ", 52, STORE_TYPE);
	ROWS(store, CHOICE(.brief = true), 1, "struct item 48 2; ", 52, STORE_TYPE);
	ROWS(store, ALL, 0, "6.1 42 2; 7.2 10 1; ", 52, STORE_KERNEL);
	store_close(store);
}

/* Rows of a day and of another one are not in the order of hosts. */
static void a_host_of_several_days_counts_once(void **state)
{
	struct store *store = open_new("days");

	(void)state;
	for (int day = 0; day < 3; day++) {
		assert_false(
			add(store, (const char[]){ 'a', (char)('0' + day), 0 }, "one", day * DAY));
		assert_false(
			add(store, (const char[]){ 'b', (char)('0' + day), 0 }, "two", day * DAY));
	}
	ROWS(store, ALL, 1, "struct item 114 2; ", 126, STORE_TYPE);
	ROWS(store, CHOICE(.since = DAY + 1), 0, "visit 22 2; walk 16 2;  4 2; ", 42,
	     STORE_FUNCTION);
	store_close(store);
}

static void an_answer_is_bounded(void **state)
{
	static const enum store_key key[] = { STORE_FIELD };
	struct store *store = open_new("bounded");
	_cleanup_answer_ struct store_answer answer = { 0 };
	struct error *error;

	(void)state;
	assert_false(add(store, "1", "one", 0));
	store->rows = 3;
	ROWS(store, ALL, 1, "struct item +8 (hits) 13 1; ", 21, STORE_FIELD);
	store->rows = 2;
	error = store_select(store, key, 1, ALL, STORE_BY_SAMPLES, 1, &answer);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "more rows than stores of its size"));
	error_destroy(error);
	store_close(store);
}

static void what_is_known_changes_nothing(void **state)
{
	struct store *store = open_new("twice");

	(void)state;
	assert_false(add(store, "1", "one", 0));
	assert_true(add(store, "1", "one", 0));
	ROWS(store, ALL, 0, "struct item 19 1; (unknown) 2 1; ", 21, STORE_TYPE);
	store_close(store);
	assert_no_error(store_open(
		&(struct store_place){ .path = scratch_file("twice"), .create = true }, &store));
	assert_true(add(store, "1", "one", 0));
	ROWS(store, ALL, 0, "visit 11 1; walk 8 1;  2 1; ", 21, STORE_FUNCTION);
	store_close(store);
}

static void choices_leave_out_the_rest(void **state)
{
	struct store *store = open_new("choices");

	(void)state;
	add(store, "1", "one", 10 * DAY);
	add(store, "2", "two", 11 * DAY + 3600);
	/* shares are those of all types, and of the chosen recordings and objects */
	ROWS(store, CHOICE(.texts = { [STORE_TYPE] = "item" }), 0, "struct item 38 2; ", 42,
	     STORE_TYPE);
	ROWS(store, CHOICE(.texts = { [STORE_FIELD] = "n*" }), 0, "struct item +16 (next) 12 2; ",
	     42, STORE_FIELD);
	ROWS(store, CHOICE(.texts = { [STORE_FUNCTION] = "walk" }), 0, "struct item 16 2; ", 42,
	     STORE_TYPE);
	ROWS(store, CHOICE(.texts = { [STORE_HOST] = "t*" }), 0, "two 21 1; ", 21, STORE_HOST);
	ROWS(store, CHOICE(.texts = { [STORE_OBJECT] = "b" }), 0, "/lib/b 4 2; ", 4, STORE_OBJECT);
	ROWS(store, CHOICE(.texts = { [STORE_BUILD] = "aa" }), 0, "aa11 38 2; ", 38, STORE_BUILD);
	ROWS(store, CHOICE(.since = 11 * DAY), 0, "two 21 1; ", 21, STORE_HOST);
	ROWS(store, CHOICE(.since = 11 * DAY + 1, .until = 12 * DAY), 0, "two 21 1; ", 21,
	     STORE_HOST);
	ROWS(store, CHOICE(.until = 11 * DAY), 0, "one 21 1; ", 21, STORE_HOST);
	ROWS(store, CHOICE(.texts = { [STORE_TYPE] = "'; DROP TABLE fact; --" }), 0, "", 42,
	     STORE_TYPE);
	store_close(store);
}

static void conditions_are_those_of_sql(void **state)
{
	static const struct {
		const char *condition, *rows;
		int all;
	} cases[] = {
		{ "host = one", "one 21 1; ", 21 },
		{ "host = 'o%'", "", 0 },
		{ "host like 'o%' and build = aa", "one 19 1; ", 19 },
		{ "host LIKE '_wo' OR host = \"one\"", "one 21 1; two 21 1; ", 42 },
		{ "not host like o%", "two 21 1; ", 21 },
		{ "host != 'one'", "two 21 1; ", 21 },
		{ "host not like '%o' and dso in (a, '/lib/c')", "one 19 1; ", 19 },
		{ "host in (one,two) and not (build = bb or kernel != 6.1)", "one 19 1; two 19 1; ",
		  38 },
		{ "dso not in (a, c)", "one 2 1; two 2 1; ", 4 },
		/* "and" goes before "or" */
		{ "host = one or host = two and build = bb", "one 21 1; two 2 1; ", 23 },
		/* those of rows do not change the shares of others */
		{ "type = item and host = one", "one 19 1; ", 21 },
		{ "(field = next or sym = visit) and host <> one", "two 17 1; ", 21 },
		{ "field = next or host = one", "one 21 1; two 6 1; ", 42 },
		{ "image = '' and host = 'it''s'", "", 0 },
		{ "host like 'o\\_e' or host like '\\two'", "two 21 1; ", 21 },
		{ "cgroup = '[*]' or event like 'c_cles' and build like 'b%2'",
		  "one 2 1; two 2 1; ", 4 },
	};
	struct store *store = open_new("where");

	(void)state;
	add(store, "1", "one", 10 * DAY);
	add(store, "2", "two", 11 * DAY + 3600);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct store_where where = { 0 };

		assert_no_error(store_where_parse(cases[i].condition, &where));
		ROWS(store, CHOICE(.where = &where), 0, cases[i].rows, cases[i].all, STORE_HOST);
		store_where_deinit(&where);
	}
	store_close(store);
}

static void wrong_conditions_are_named(void **state)
{
	static const char *const cases[][2] = {
		{ "", "--where: the columns are type, field, sym, dso, build, host, event, kernel, "
		      "cpu, cgroup and image (days: --since), and nothing follows" },
		{ "hosts = a", "(days: --since), not 'hosts'" },
		{ "typeoff = a", "(days: --since), not 'typeoff'" },
		{ "day = 2026-11-01", "(days: --since), not 'day'" },
		{ "host", "--where: host takes =, !=, like, in, not like and not in, and nothing "
			  "follows" },
		{ "host not = a", "not like and not in, not '='" },
		{ "host =", "--where: host is compared with a text, and nothing follows" },
		{ "host = 'a", "host is compared with a text, not ''a'" },
		{ "host = a b", "--where: a test is followed by 'and' or 'or', not 'b'" },
		{ "(host = a",
		  "--where: a test is followed by 'and', 'or' or ')', and nothing follows" },
		{ "host = a)", "not ')'" },
		{ "host in a", "--where: host in needs a list (A, B), not 'a'" },
		{ "host in (a b)", "--where: a list of host ends with ), not 'b'" },
		{ "host in ()", "host is compared with a text, not ')'" },
		{ "host = a and", "and nothing follows" },
		{ "host = a; DROP TABLE fact", "not 'DROP'" },
	};
	_cleanup_strbuf_ struct strbuf large = STRBUF_INIT;

	(void)state;
	for (size_t i = 0; i <= COUNT_OF(cases); i++) {
		struct store_where where = { 0 };

		for (int n = 0; i == COUNT_OF(cases) && n < 1000; n++)
			strbuf_add_string(&large, "(");
		struct error *error =
			store_where_parse(large.length ? large.data : cases[i][0], &where);

		assert_non_null(error);
		const char *expected = large.length ? "at most" : cases[i][1];

		if (!strstr(error->message, expected))
			fail_msg("%s\n%s", error->message, expected);
		error_destroy(error);
		store_where_deinit(&where);
	}
}

static void days_that_are_past_go(void **state)
{
	struct store *store = open_new("days");
	uint64_t removed;

	(void)state;
	add(store, "1", "one", 10 * DAY);
	add(store, "2", "one", 11 * DAY);
	assert_no_error(store_forget(store, 11 * DAY + 7, &removed));
	assert_int_equal(removed, 1);
	ROWS(store, ALL, 0, "1970-01-12 21 1; ", 21, STORE_DAY);
	ROWS(store, ALL, 0, "visit 11 1; walk 8 1;  2 1; ", 21, STORE_FUNCTION);
	assert_false(add(store, "1", "one", 10 * DAY));
	store_close(store);
}

/* Returns the number that a question to SQLite has. */
static int number_in(const char *path, const char *sql)
{
	sqlite3 *database;
	sqlite3_stmt *statement;
	int number;

	assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(database, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	number = sqlite3_column_int(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_close(database);
	return number;
}

/* Adds batches for ever, and tells of each in the pipe when it was added. */
static void add_for_ever(const char *path, int pipe, int first)
{
	struct store *store;

	error_destroy(store_open(&(struct store_place){ .path = path, .create = true }, &store));
	for (;; first++) {
		char id[16];

		snprintf(id, sizeof(id), "%d", first);
		add(store, id, "host", (int64_t)first * 3600);
		if (write(pipe, &first, sizeof(first)) != sizeof(first))
			_exit(1);
	}
}

static void nothing_is_lost_or_doubled_by_a_kill(void **state)
{
	const char *path = scratch_file("killed");
	int last = 0;

	(void)state;
	for (int round = 0; round < 20; round++) {
		int ends[2], number;
		pid_t child;

		assert_int_equal(pipe(ends), 0);
		child = fork();
		assert_true(child >= 0);
		if (!child)
			add_for_ever(path, ends[1], last + 1);
		close(ends[1]);
		usleep(1000 + 3700 * (useconds_t)round % 20000);
		/* a busy machine may not have added one in any round */
		if (round == 19)
			assert_int_equal(read(ends[0], &last, sizeof(last)), sizeof(last));
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		while (read(ends[0], &number, sizeof(number)) == sizeof(number))
			last = number;
		close(ends[0]);

		struct store *store;

		assert_no_error(
			store_open(&(struct store_place){ .path = path, .create = true }, &store));
		store_close(store);

		int batches = number_in(path, "SELECT count(*) FROM batch");

		/* one may have been added that was not told of; it is not added again */
		assert_in_range(batches, last, last + 1);
		last = batches;
		assert_int_equal(number_in(path, "SELECT ifnull(sum(samples), 0) FROM fact"),
				 21 * batches);
		assert_int_equal(number_in(path, "SELECT ifnull(sum(samples), 0) FROM daily"),
				 21 * batches);
	}
	assert_true(last > 0);
}

static void assert_refused(const char *path, bool create, const char *expected)
{
	struct store *store;
	struct error *error =
		store_open(&(struct store_place){ .path = path, .create = create }, &store);

	assert_non_null(error);
	if (!strstr(error->message, expected))
		fail_msg("'%s' is not in '%s'", expected, error->message);
	error_destroy(error);
	store_close(store);
}

/* SQLite opens files beside the store by their names, so nobody else may write to its folder. */
static void a_folder_of_others_is_refused(void **state)
{
	const char *folder = scratch_file("shared");
	_cleanup_free_ char *path = xasprintf("%s/store", folder);
	const char *link = scratch_file("link");
	struct store *store;

	(void)state;
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_no_error(store_open(&(struct store_place){ .path = path, .create = true }, &store));
	store_close(store);
	/* a link leads to a store whose folder is judged */
	assert_int_equal(symlink(path, link), 0);
	assert_no_error(store_open(&(struct store_place){ .path = link, .create = true }, &store));
	store_close(store);
	assert_int_equal(chmod(folder, 01777), 0);
	assert_refused(path, true, "writable by others");
	assert_refused(link, true, "writable by others");
}

/* A view or a computed column is a program, and a table without its index takes any time. */
static void other_tables_are_refused(void **state)
{
	static const char *const changes[] = {
		"CREATE TABLE other(a)",
		"DROP INDEX batch_day",
		"DROP TABLE daily; CREATE VIEW daily AS SELECT 1 AS day",
		"ALTER TABLE text ADD COLUMN more TEXT AS (hex(text)) VIRTUAL",
		"CREATE TRIGGER other AFTER INSERT ON text BEGIN DELETE FROM batch; END",
	};
	const char *path = scratch_file("tables");
	sqlite3 *database;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(changes); i++) {
		store_close(open_new("tables"));
		assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
		assert_int_equal(sqlite3_exec(database, changes[i], NULL, NULL, NULL), SQLITE_OK);
		sqlite3_close(database);
		assert_refused(path, true, "is no store of dtprof");
	}
}

static void what_is_no_store_is_refused(void **state)
{
	static const char text[] =
		"not a database, but long enough to be judged by its beginning ......";
	const char *path = scratch_file("other");
	struct stat status;
	sqlite3 *database;

	(void)state;
	assert_refused(scratch_file("absent"), false, "absent");
	file_write(path, text, sizeof(text) - 1);
	assert_refused(path, true, "not a database");
	store_close(open_new("mode"));
	assert_int_equal(stat(scratch_file("mode"), &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(sqlite3_open(scratch_file("mode"), &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, "PRAGMA user_version = 7", NULL, NULL, NULL),
			 SQLITE_OK);
	assert_refused(scratch_file("mode"), true, "has version 7 of stores");
	assert_int_equal(sqlite3_exec(database, "PRAGMA application_id = 3", NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(database);
	assert_refused(scratch_file("mode"), true, "is no store of dtprof");
	assert_int_equal(chmod(scratch_file("mode"), 0666), 0);
	assert_refused(scratch_file("mode"), true, "writable by others");
}

/* Adds the facts once more, in a control group. */
static void add_in_group(struct store *store, const char *id, const char *cgroup, const char *image)
{
	struct store_fact own[COUNT_OF(facts)];
	struct store_batch batch = {
		.host = "one", .kernel = "6.1", .processor = "", .time = 11 * DAY, .samples = 21
	};
	bool known;

	memcpy(own, facts, sizeof(own));
	for (size_t i = 0; i < COUNT_OF(own); i++) {
		own[i].cgroup = cgroup;
		own[i].image = image;
	}
	snprintf(batch.id, sizeof(batch.id), "%s", id);
	assert_no_error(store_add(store, &batch, own, COUNT_OF(own), &known));
}

static void assert_groups(struct store *store)
{
	ROWS(store, CHOICE(.texts = { [STORE_IMAGE] = "redis:*" }), 0, "/docker/a redis:7.2 42 1; ",
	     42, STORE_CGROUP, STORE_IMAGE);
	ROWS(store,
	     CHOICE(.texts = { [STORE_CGROUP] = "/system.slice/*", [STORE_FUNCTION] = "walk" }), 0,
	     "walk 8 1; ", 21, STORE_FUNCTION);
	ROWS(store, CHOICE(.texts = { [STORE_IMAGE] = "redis:*" }), 0,
	     "struct item 38 1; (unknown) 4 1; ", 42, STORE_TYPE);
	ROWS(store, CHOICE(.texts = { [STORE_CGROUP] = "" }), 0, "/bin/a 19 1; /lib/b 2 1; ", 21,
	     STORE_OBJECT);
	ROWS(store, ALL, 0, "/bin/a 76 1; /lib/b 8 1; ", 84, STORE_OBJECT);
}

static void groups_and_images_are_told_apart(void **state)
{
	struct store *store = open_new("groups");

	(void)state;
	add(store, "1", "one", 10 * DAY);
	add_in_group(store, "2", "/docker/a", "redis:7.2");
	add_in_group(store, "3", "/docker/a", "redis:7.2");
	add_in_group(store, "4", "/system.slice/a.service", "a.service");
	assert_groups(store);
	store_close(store);
}

static void other_versions_are_refused(void **state)
{
	struct store *store = open_new("first");
	sqlite3 *database;

	(void)state;
	store_close(store);
	assert_int_equal(sqlite3_open(scratch_file("first"), &database), SQLITE_OK);
	assert_int_equal(sqlite3_exec(database, "PRAGMA user_version = 1", NULL, NULL, NULL),
			 SQLITE_OK);
	sqlite3_close(database);
	struct error *error =
		store_open(&(struct store_place){ .path = scratch_file("first") }, &store);

	assert_non_null(error);
	assert_non_null(strstr(error->message, "has version 1 of stores, and this dtprof reads "
					       "version 2"));
	error_destroy(error);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(facts_are_added_up),
		cmocka_unit_test(a_host_with_another_kernel_counts_once),
		cmocka_unit_test(a_host_of_several_days_counts_once),
		cmocka_unit_test(an_answer_is_bounded),
		cmocka_unit_test(what_is_known_changes_nothing),
		cmocka_unit_test(choices_leave_out_the_rest),
		cmocka_unit_test(conditions_are_those_of_sql),
		cmocka_unit_test(wrong_conditions_are_named),
		cmocka_unit_test(days_that_are_past_go),
		cmocka_unit_test(groups_and_images_are_told_apart),
		cmocka_unit_test(other_versions_are_refused),
		cmocka_unit_test(nothing_is_lost_or_doubled_by_a_kill),
		cmocka_unit_test(what_is_no_store_is_refused),
		cmocka_unit_test(a_folder_of_others_is_refused),
		cmocka_unit_test(other_tables_are_refused),
	};

	return cmocka_run_group_tests_name("store", tests, NULL, scratch_tear_down);
}
