// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Questions to stores in files.
 *
 * A question is put together of fixed texts of SQL; what the user gives is bound. It groups by
 * numbers, and looks texts up for the groups alone.
 */
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/store/store_private.h"

/* Tests of a choice and of its condition, times and a limit. */
#define VALUES_MAX (STORE_KEYS + COUNT_OF(((struct store_where *)0)->terms) + 3)

#define HOST_KEYS (1U << STORE_HOST | 1U << STORE_KERNEL | 1U << STORE_PROCESSOR)
#define OBJECT_KEYS                                                                                \
	(1U << STORE_OBJECT | 1U << STORE_BUILD | 1U << STORE_CGROUP | 1U << STORE_IMAGE)

static const struct store_column {
	const char *by;             /* the number that rows are grouped by; NULL: the day */
	const char *before, *after; /* SQL around that number which gives its text */
	const char *chosen;         /* the number that choices are about, if it is another one */
} columns[STORE_KEYS] = {
#define OF_TEXT "(SELECT shown(text) FROM text WHERE id = ", ")", NULL
	[STORE_TYPE] = { "fi.type", OF_TEXT },
	[STORE_FIELD] = { "f.field",
			  "(SELECT CASE WHEN substr(t.text, 1, 1) = '(' THEN shown(t.text) ELSE "
			  "shown(t.text) || ' ' || format('%+d', x.offset) || ' (' || CASE WHEN "
			  "n.text = '' THEN 'no field' ELSE shown(n.text) END || ')' END FROM "
			  "field x JOIN text t ON t.id = x.type "
			  "JOIN text n ON n.id = x.field WHERE x.id = ",
			  ")", "fi.field" },
	[STORE_FUNCTION] = { "f.function", OF_TEXT },
	[STORE_OBJECT] = { "ob.path", OF_TEXT },
	[STORE_BUILD] = { "ob.build", OF_TEXT },
	[STORE_HOST] = { "h.name", OF_TEXT },
	[STORE_EVENT] = { "f.event", OF_TEXT },
	[STORE_KERNEL] = { "h.kernel", OF_TEXT },
	[STORE_PROCESSOR] = { "h.processor", OF_TEXT },
	[STORE_CGROUP] = { "ob.cgroup", OF_TEXT },
	[STORE_IMAGE] = { "ob.image", OF_TEXT },
	[STORE_DAY] = { .before = "date(", .after = " * 86400, 'unixepoch')" },
#undef OF_TEXT
};

/* ---- the choice ---- */

static const char by_name[] = "different(h.name)";

/* SQL with the values that are bound to its question marks. */
struct store_question {
	struct strbuf sql;
	struct question_value {
		const char *text; /* NULL: the number */
		int64_t number;
	} values[VALUES_MAX];
	int count;
	bool daily;        /* it is put to the sums by day */
	const char *hosts; /* how many there are; by their names, it asks for their rows */
};

static void add_condition(struct store_question *question, const char *sql, const char *text,
			  int64_t number)
{
	strbuf_add(&question->sql, sql, strlen(sql));
	question->values[question->count++] = (struct question_value){ text, number };
}

static struct error *add_file_test(const struct store_term *test, void *data)
{
	struct store_question *question = data;
	const struct store_column *column = &columns[test->key];

	strbuf_add_format(&question->sql, "%s IN (SELECT id FROM text WHERE matches(%d, ",
			  column->chosen ?: column->by, test->key);
	add_condition(question, "?, text))", test->wanted, 0);
	return NULL;
}

/* Adds the times of a choice. */
static void choose_times(struct store_question *question, const struct store_choice *choice)
{
	bool daily = question->daily;

	if (choice->since)
		add_condition(question, daily ? " AND f.day >= ?" : " AND b.time >= ?", NULL,
			      daily ? store_day(choice->since) : choice->since);
	if (choice->until)
		add_condition(question, daily ? " AND f.day < ?" : " AND b.time < ?", NULL,
			      daily ? store_day(choice->until) : choice->until);
}

/* Adds what chooses recordings and objects. */
static struct error *choose_rest(struct store_question *question, const struct store_choice *choice)
{
	choose_times(question, choice);
	return store_add_conditions(choice, false, &question->sql, add_file_test, question);
}

/* Returns whether the sums by day have the answer. */
static bool daily_has(const enum store_key *keys, size_t count, const struct store_choice *choice)
{
	return !(store_chosen_keys(choice) & 1U << STORE_FUNCTION) &&
	       choice->since % STORE_DAY_SECONDS == 0 && choice->until % STORE_DAY_SECONDS == 0 &&
	       !any_of(i, 0, count, keys[i] == STORE_FUNCTION);
}

/* Adds the tables: those of types, objects and hosts for what asks for them alone. */
static void add_from(struct store_question *question, bool types, bool objects)
{
	strbuf_add_string(&question->sql, question->daily
						  ? " FROM daily f"
						  : " FROM fact f JOIN batch b ON b.id = f.batch");
	if (question->hosts == by_name)
		strbuf_add_format(&question->sql, " JOIN host h ON h.id = %c.host",
				  question->daily ? 'f' : 'b');
	if (types)
		strbuf_add_string(&question->sql, " JOIN field fi ON fi.id = f.field");
	if (objects)
		strbuf_add_string(&question->sql, " JOIN object ob ON ob.id = f.object");
	strbuf_add_string(&question->sql, " WHERE 1");
}

static struct error *question_prepare(struct store *store, const struct store_question *question,
				      sqlite3_stmt **statement)
{
	RETURN_ERROR(store_prepare(store, question->sql.data, statement));
	for (int i = 0; i < question->count; i++)
		if (question->values[i].text)
			sqlite3_bind_text(*statement, i + 1, question->values[i].text, -1,
					  SQLITE_STATIC);
		else
			sqlite3_bind_int64(*statement, i + 1, question->values[i].number);
	return NULL;
}

/* ---- what SQL asks of C ---- */

/* Counts a text that a question reads. Returns false if there were too many. */
static bool count_text(sqlite3_context *context, sqlite3_value *text)
{
	struct store *store = sqlite3_user_data(context);
	uint64_t length = (uint64_t)sqlite3_value_bytes(text);

	if (length > store->texts) {
		sqlite3_result_error(context, "it has more text than stores of its size do", -1);
		return false;
	}
	store->texts -= length;
	return true;
}

static void shown(sqlite3_context *context, int count _unused_, sqlite3_value **arguments)
{
	if (count_text(context, arguments[0]))
		sqlite3_result_value(context, arguments[0]);
}

/* Answers whether the third text, of a column by its key, is as the second one wants it. */
static void matches(sqlite3_context *context, int count _unused_, sqlite3_value **arguments)
{
	if (!count_text(context, arguments[2]))
		return;
	const char *wanted = (const char *)sqlite3_value_text(arguments[1]),
		   *text = (const char *)sqlite3_value_text(arguments[2]);
	enum store_key key = (enum store_key)sqlite3_value_int(arguments[0]);

	sqlite3_result_int(context, wanted && text && store_text_matches(key, wanted, text));
}

/* Counts numbers that differ, in a third of the time of count(DISTINCT). */
static void different(sqlite3_context *context, int count _unused_, sqlite3_value **arguments)
{
	struct hash_map *seen = sqlite3_aggregate_context(context, sizeof(*seen));

	if (seen)
		hash_map_insert(seen, (uint64_t)sqlite3_value_int64(arguments[0]), NULL);
}

static void count_different(sqlite3_context *context)
{
	struct hash_map *seen = sqlite3_aggregate_context(context, 0);

	sqlite3_result_int64(context, seen ? (int64_t)seen->count : 0);
	if (seen)
		hash_map_deinit(seen);
}

struct error *store_add_functions(struct store *store)
{
	static const struct {
		const char *name;
		int arguments;
		void (*call)(sqlite3_context *context, int count, sqlite3_value **arguments);
		void (*end)(sqlite3_context *context); /* of a sum; NULL: it is none */
	} functions[] = { { "shown", 1, shown, NULL },
			  { "matches", 3, matches, NULL },
			  { "different", 1, different, count_different } };

	for (size_t i = 0; i < COUNT_OF(functions); i++)
		if (sqlite3_create_function(store->database, functions[i].name,
					    functions[i].arguments,
					    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
					    store, functions[i].end ? NULL : functions[i].call,
					    functions[i].end ? functions[i].call : NULL,
					    functions[i].end) != SQLITE_OK)
			return store_problem(store, "the store cannot be read");
	return NULL;
}

/* ---- rows ---- */

/* Takes the sums that begin at a column. */
static void take_sums(sqlite3_stmt *statement, int first, struct store_row *row)
{
	for (int i = 0; i < STORE_SUMS; i++)
		row->sums[i] = (uint64_t)sqlite3_column_int64(statement, first + i);
}

/* The sums of all rows, in each row. */
#define TOTALS "sum(s0) OVER (), sum(s1) OVER (), sum(s2) OVER (), "

/* Puts a question, calls `visit` for its rows until it returns false, and frees the question. A row
 * has texts, then sums; if `total` is set, TOTALS before them. */
static struct error *visit_rows(struct store *store, struct store_question *question,
				size_t key_count, struct store_row *total, store_visit *visit,
				void *data)
{
	struct store_row row = { 0 };
	sqlite3_stmt *statement = NULL;
	int state = SQLITE_DONE, totals = total ? 3 : 0;
	struct error *error = question_prepare(store, question, &statement);

	while (!error && (state = sqlite3_step(statement)) == SQLITE_ROW) {
		for (size_t i = 0; i < key_count; i++)
			row.keys[i] = (const char *)sqlite3_column_text(statement, (int)i) ?: "";
		take_sums(statement, (int)key_count + totals, &row);
		for (int i = 0; i < totals; i++)
			total->sums[i] =
				(uint64_t)sqlite3_column_int64(statement, (int)key_count + i);
		if (!visit(&row, data))
			break;
	}
	if (!error && state != SQLITE_DONE && state != SQLITE_ROW)
		error = store_problem(store, "the store cannot be read");
	sqlite3_finalize(statement);
	strbuf_deinit(&question->sql);
	return error;
}

static struct error *select_total(struct store *store, const struct store_choice *choice,
				  enum store_order order, struct store_question question,
				  struct store_row *total)
{
	sqlite3_stmt *statement = NULL;

	strbuf_add_string(&question.sql, "SELECT ");
	store_add_sums(choice, order, "f.", choice->brief ? "0" : question.hosts, "0",
		       &question.sql);
	add_from(&question, false, store_chosen_keys(choice) & OBJECT_KEYS);
	struct error *error = choose_rest(&question, choice);

	if (!error)
		error = question_prepare(store, &question, &statement);
	if (!error && sqlite3_step(statement) == SQLITE_ROW)
		take_sums(statement, 0, total);
	else if (!error)
		error = store_problem(store, "the store cannot be read");
	sqlite3_finalize(statement);
	strbuf_deinit(&question.sql);
	return error;
}

/* Makes the question for rows: texts of the groups, which an inner question makes of numbers. */
static struct error *ask_rows(struct store_question *question, const enum store_key *keys,
			      size_t key_count, const struct store_choice *choice,
			      enum store_order order, size_t most, const char *totals)
{
	struct strbuf *sql = &question->sql;
	unsigned int chosen = store_chosen_keys(choice);
	bool types = chosen & (1U << STORE_TYPE | 1U << STORE_FIELD),
	     objects = chosen & OBJECT_KEYS;

	strbuf_add_string(sql, "SELECT ");
	for (size_t i = 0; i < key_count; i++) {
		strbuf_add_format(sql, "%sk%zu%s, ", columns[keys[i]].before, i,
				  columns[keys[i]].after);
		types |= keys[i] == STORE_TYPE;
		objects |= OBJECT_KEYS & 1U << keys[i];
	}
	strbuf_add_format(sql, "%ss0, s1, s2, s3, s4, s5 FROM (SELECT ", totals);
	for (size_t i = 0; i < key_count; i++)
		strbuf_add_format(sql, "%s AS k%zu, ",
				  columns[keys[i]].by ? columns[keys[i]].by
				  : question->daily   ? "f.day"
						      : "b.day",
				  i);
	store_add_sums(choice, order, "f.", question->hosts, "0", sql);
	add_from(question, types, objects);
	RETURN_ERROR(choose_rest(question, choice));
	RETURN_ERROR(store_add_conditions(choice, true, sql, add_file_test, question));
	strbuf_add_string(sql, " GROUP BY");
	for (size_t i = 0; i < key_count; i++)
		strbuf_add_format(sql, "%s k%zu", i ? "," : "", i);
	strbuf_add_format(sql, ") ORDER BY %s", store_orders[order]);
	for (size_t i = 0; i < key_count; i++)
		strbuf_add_format(sql, "%s%zu", i ? ", " : "", i + 1);
	add_condition(question, " LIMIT ?", NULL, most ? (int64_t)most : -1);
	return NULL;
}

struct error *file_select(struct store *store, const enum store_key *keys, size_t key_count,
			  const struct store_choice *choice, enum store_order order, size_t most,
			  struct store_row *total, store_visit *visit, void *data)
{
	struct store_question question = { .sql = STRBUF_INIT,
					   .daily = daily_has(keys, key_count, choice) };

	bool names = !question.daily || store_chosen_keys(choice) & HOST_KEYS ||
		     any_of(i, 0, key_count, HOST_KEYS & 1U << keys[i]) ||
		     !store_number(store, "SELECT count(*) = count(DISTINCT name) FROM host");

	question.hosts = names ? by_name : "different(f.host)";
	/* rows that are left out count for the total, which needs no hosts in a short answer */
	bool whole = choice->brief && !store_chooses_rows(choice);

	*total = (struct store_row){ 0 };
	if (!whole)
		RETURN_ERROR(select_total(store, choice, order, question, total));
	struct error *error =
		ask_rows(&question, keys, key_count, choice, order, most, whole ? TOTALS : "");

	return error ?: visit_rows(store, &question, key_count, whole ? total : NULL, visit, data);
}

struct error *file_batches(struct store *store, const struct store_choice *choice,
			   store_visit *visit, void *data)
{
	struct store_question question = { .sql = STRBUF_INIT };

	strbuf_add_string(
		&question.sql,
		"SELECT datetime(b.time, 'unixepoch'), shown(n.text), "
		"shown(k.text), shown(p.text), b.samples, 0, 0, 0, 0, 0 "
		"FROM batch b JOIN host h ON h.id = b.host JOIN text n ON n.id = h.name "
		"JOIN text k ON k.id = h.kernel JOIN text p ON p.id = h.processor WHERE 1");
	store_add_conditions(
		&(struct store_choice){ .texts = { [STORE_HOST] = choice->texts[STORE_HOST] } },
		false, &question.sql, add_file_test, &question);
	choose_times(&question, choice);
	strbuf_add_string(&question.sql, " ORDER BY b.time DESC, b.id DESC");

	return visit_rows(store, &question, 4, NULL, visit, data);
}
