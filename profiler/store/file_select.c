// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Questions to stores in files.
 *
 * A question is put together of fixed texts of SQL; what the user gives is bound. Rows of the
 * chosen table are grouped here by numbers, in a quarter of the time that SQLite takes, which sorts
 * them first; texts are looked up for the groups alone.
 */

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

static const char by_name[] = "h.name";

/* SQL with the values that are bound to its question marks. */
struct store_question {
	struct strbuf sql;
	struct question_value {
		const char *text; /* NULL: the number */
		int64_t number;
	} values[VALUES_MAX];
	int count;
	bool daily;        /* it is put to the sums by day */
	const char *hosts; /* the column that tells them apart; by their names, it asks for their
			      rows */
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

struct error *store_add_functions(struct store *store)
{
	static const struct {
		const char *name;
		int arguments;
		void (*call)(sqlite3_context *context, int count, sqlite3_value **arguments);
	} functions[] = { { "shown", 1, shown }, { "matches", 3, matches } };

	for (size_t i = 0; i < COUNT_OF(functions); i++)
		if (sqlite3_create_function(store->database, functions[i].name,
					    functions[i].arguments,
					    SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY,
					    store, functions[i].call, NULL, NULL) != SQLITE_OK)
			return store_problem(store, "the store cannot be read");
	return NULL;
}

/* ---- rows ---- */

/* Rows of a question on their way to sums. */
struct row_groups {
	struct store_answer *answer;
	size_t sums[STORE_SUMS], sum_count; /* those that are asked for */
	bool judged;                        /* rows say last whether they are shown */
	struct hash_index groups;           /* of its rows, by their numbers */
	struct hash_map hosts; /* by the place of a row, plus 1, and the host; by 0: of all */
	uint64_t last_host;
};

/* Returns the row that has these numbers as keys, which may be new. */
static struct store_row *group_of(struct row_groups *grouping, const uint64_t *numbers)
{
	struct store_answer *answer = grouping->answer;
	size_t size = answer->key_count * sizeof(*numbers);
	uint64_t hash = hash_bytes(numbers, size);

	hash_index_each (item, &grouping->groups, hash)
		if (!memcmp(answer->rows[item].numbers, numbers, size))
			return &answer->rows[item];
	hash_index_add(&grouping->groups, hash, (uint32_t)answer->count);

	struct store_row *row = &array_add(answer->rows, answer->count, answer->capacity);

	*row = (struct store_row){ 0 };
	memcpy(row->numbers, numbers, size);
	return row;
}

static void add_sums_to(const struct row_groups *grouping, const uint64_t *sums,
			struct store_row *row)
{
	for (size_t i = 0; i < grouping->sum_count; i++)
		row->sums[grouping->sums[i]] += sums[i];
}

/* Returns whether the row of this place has not had this host. */
static bool is_new_host(struct row_groups *grouping, uint64_t place, uint64_t host)
{
	bool created;

	hash_map_insert(&grouping->hosts, hash_combine(place, host), &created);
	return created;
}

/* Adds the row that a statement has: numbers of keys, host, sums, and whether it is shown. */
static void group_row(struct row_groups *grouping, sqlite3_stmt *statement)
{
	struct store_answer *answer = grouping->answer;
	struct store_row *total = &answer->total;
	uint64_t values[STORE_KEYS + STORE_SUMS + 1];
	size_t keys = answer->key_count, count = keys + 1 + grouping->sum_count;
	uint64_t host;

	for (size_t i = 0; i < count + grouping->judged; i++)
		values[i] = (uint64_t)sqlite3_column_int64(statement, (int)i);
	host = values[keys];
	/* the rows of a recording follow each other */
	if (!total->samples || host != grouping->last_host)
		total->hosts += is_new_host(grouping, 0, host);
	grouping->last_host = host;
	add_sums_to(grouping, &values[keys + 1], total);
	if (grouping->judged && !values[count])
		return;
	struct store_row *row = group_of(grouping, values);

	row->hosts += is_new_host(grouping, (uint64_t)(row - answer->rows) + 1, host);
	add_sums_to(grouping, &values[keys + 1], row);
}

/* Makes the question for rows, which are grouped afterwards. */
static struct error *ask_rows(struct store_question *question, struct row_groups *grouping,
			      const struct store_choice *choice)
{
	const struct store_answer *answer = grouping->answer;
	struct strbuf *sql = &question->sql;
	unsigned int chosen = store_chosen_keys(choice);
	bool types = chosen & (1U << STORE_TYPE | 1U << STORE_FIELD),
	     objects = chosen & OBJECT_KEYS;

	strbuf_add_string(sql, "SELECT ");
	for (size_t i = 0; i < answer->key_count; i++) {
		enum store_key key = answer->keys[i];

		strbuf_add_format(sql, "%s, ",
				  columns[key].by   ? columns[key].by
				  : question->daily ? "f.day"
						    : "b.day");
		types |= key == STORE_TYPE;
		objects |= OBJECT_KEYS >> key & 1;
	}
	strbuf_add_string(sql, question->hosts);
	for (size_t i = 0; i < COUNT_OF(store_sum_columns); i++)
		if (store_wants_sum(choice, answer->order, i)) {
			strbuf_add_format(sql, ", f.%s", store_sum_columns[i]);
			grouping->sums[grouping->sum_count++] = i;
		}
	grouping->judged = store_chooses_rows(choice);
	if (grouping->judged)
		strbuf_add_string(sql, ", 1");
	RETURN_ERROR(store_add_conditions(choice, true, sql, add_file_test, question));
	add_from(question, types, objects);
	return choose_rest(question, choice);
}

static struct error *group_rows(struct store *store, const struct store_question *question,
				struct row_groups *grouping)
{
	sqlite3_stmt *statement = NULL;
	int state = SQLITE_DONE;
	struct error *error = question_prepare(store, question, &statement);

	while (!error && (state = sqlite3_step(statement)) == SQLITE_ROW) {
		group_row(grouping, statement);
		if (grouping->answer->count > store->rows)
			error = error_create(ERROR_FORMAT,
					     "%s: it has more rows than stores of its size do",
					     store->path);
	}
	if (!error && state != SQLITE_DONE)
		error = store_problem(store, "the store cannot be read");
	sqlite3_finalize(statement);
	return error;
}

static struct error *set_key_texts(struct store *store, struct store_answer *answer, size_t place)
{
	struct number_texts *texts = &answer->texts;
	const struct store_column *column = &columns[answer->keys[place]];
	_cleanup_free_ char *sql = xasprintf("SELECT %s?%s", column->before, column->after);
	sqlite3_stmt *statement = NULL;
	struct error *error = store_prepare(store, sql, &statement);

	for (size_t i = 0; i < answer->count && !error; i++) {
		uint64_t number = answer->rows[i].numbers[place];
		bool created;
		const char **text =
			hash_map_item(&texts->places, hash_combine(place, number), texts->items,
				      texts->count, texts->capacity, &created);

		if (created) {
			sqlite3_bind_int64(statement, 1, (int64_t)number);
			if (sqlite3_step(statement) != SQLITE_ROW)
				error = store_problem(store, "the store cannot be read");
			else
				*text = arena_strdup(&texts->arena,
						     (const char *)sqlite3_column_text(statement, 0)
							     ?: "");
			sqlite3_reset(statement);
		}
		answer->rows[i].keys[place] = *text;
	}
	sqlite3_finalize(statement);
	return error;
}

struct error *file_select(struct store *store, const struct store_choice *choice,
			  struct store_answer *answer)
{
	size_t count = answer->key_count;
	struct store_question question = { .sql = STRBUF_INIT,
					   .daily = daily_has(answer->keys, count, choice) };
	struct row_groups grouping = { .answer = answer };
	bool names = !question.daily || store_chosen_keys(choice) & HOST_KEYS ||
		     any_of(i, 0, count, HOST_KEYS >> answer->keys[i] & 1) ||
		     !store_number(store, "SELECT count(*) = count(DISTINCT name) FROM host");

	question.hosts = names ? by_name : "f.host";
	struct error *error = ask_rows(&question, &grouping, choice);

	if (!error)
		error = group_rows(store, &question, &grouping);
	for (size_t i = 0; i < count && !error; i++)
		error = set_key_texts(store, answer, i);
	hash_index_deinit(&grouping.groups);
	hash_map_deinit(&grouping.hosts);
	strbuf_deinit(&question.sql);
	return error;
}

struct error *file_batches(struct store *store, const struct store_choice *choice,
			   struct store_answer *answer)
{
	struct store_question question = { .sql = STRBUF_INIT };

	*answer = (struct store_answer){ 0 };
	strbuf_add_string(
		&question.sql,
		"SELECT datetime(b.time, 'unixepoch'), shown(n.text), "
		"shown(k.text), shown(p.text), b.samples "
		"FROM batch b JOIN host h ON h.id = b.host JOIN text n ON n.id = h.name "
		"JOIN text k ON k.id = h.kernel JOIN text p ON p.id = h.processor WHERE 1");
	struct error *error = store_add_conditions(
		&(struct store_choice){ .texts = { [STORE_HOST] = choice->texts[STORE_HOST] } },
		false, &question.sql, add_file_test, &question);

	choose_times(&question, choice);
	strbuf_add_string(&question.sql, " ORDER BY b.time DESC, b.id DESC");

	sqlite3_stmt *statement = NULL;
	int state = SQLITE_DONE;

	if (!error)
		error = question_prepare(store, &question, &statement);
	while (!error && (state = sqlite3_step(statement)) == SQLITE_ROW) {
		struct store_row *row = &array_add(answer->rows, answer->count, answer->capacity);

		*row = (struct store_row){ .samples =
						   (uint64_t)sqlite3_column_int64(statement, 4) };
		for (int i = 0; i < 4; i++)
			row->keys[i] =
				arena_strdup(&answer->texts.arena,
					     (const char *)sqlite3_column_text(statement, i) ?: "");
	}
	if (!error && state != SQLITE_DONE)
		error = store_problem(store, "the store cannot be read");
	sqlite3_finalize(statement);
	strbuf_deinit(&question.sql);
	return error;
}
