// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements clickhouse.h: questions.
 *
 * The server groups and sums numbers. What the user chooses by names becomes lists of the numbers
 * of texts: all texts of the kind are read, and compared here, as for a file. The texts of the rows
 * are read last.
 */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/hash.h"
#include "base/memory.h"
#include "profiler/store/clickhouse.h"

/* Texts that are asked for at once: a query of the servers' default limit has 12,000 numbers. */
#define TEXTS_AT_ONCE 10000

static const struct {
	enum text_kind kind; /* of the one number; 0: see key_numbers() */
	const char *sql;     /* the numbers that rows are grouped by */
} key_columns[STORE_KEYS] = {
	[STORE_TYPE] = { TEXT_TYPE, "type" },
	[STORE_FIELD] = { 0, "type, offset, field" },
	[STORE_FUNCTION] = { TEXT_FUNCTION, "function" },
	[STORE_OBJECT] = { TEXT_OBJECT, "object" },
	[STORE_BUILD] = { TEXT_BUILD, "build" },
	[STORE_HOST] = { TEXT_HOST, "host" },
	[STORE_EVENT] = { TEXT_EVENT, "event" },
	[STORE_KERNEL] = { TEXT_KERNEL, "kernel" },
	[STORE_PROCESSOR] = { TEXT_PROCESSOR, "processor" },
	[STORE_CGROUP] = { TEXT_CGROUP, "cgroup" },
	[STORE_IMAGE] = { TEXT_IMAGE, "image" },
	[STORE_DAY] = { 0, "toUInt64(day)" },
};

static size_t key_numbers(enum store_key key)
{
	return key == STORE_FIELD ? 3 : 1;
}

/* ---- texts ---- */

static const char *text_of(const struct number_texts *texts, uint64_t number)
{
	const uint32_t *place = number ? hash_map_find(&texts->places, number) : NULL;

	return place && *place ? texts->items[*place - 1] : number ? "(name not there)" : "";
}

/* Adds the texts of an answer: numbers and texts. */
static struct error *take_texts(const struct store *store, const struct strbuf *answer,
				struct number_texts *texts)
{
	for (struct cursor cursor = cursor_of(answer->data, answer->length, false);
	     cursor_left(&cursor);) {
		uint64_t number = le64toh(cursor_u64(&cursor));
		const char *text = clickhouse_text(&cursor, &texts->arena);

		if (!text)
			return clickhouse_malformed(store);
		uint32_t *place = hash_map_insert(&texts->places, number, NULL);

		if (*place)
			continue;
		array_add(texts->items, texts->count, texts->capacity) = text;
		*place = (uint32_t)texts->count;
	}
	return NULL;
}

/* Reads the texts of the numbers that were inserted into `places` with 0. */
static struct error *read_texts(struct store *store, const uint64_t *numbers, size_t count,
				struct number_texts *texts)
{
	for (size_t first = 0; first < count; first += TEXTS_AT_ONCE) {
		_cleanup_strbuf_ struct strbuf sql = STRBUF_INIT, answer = STRBUF_INIT;

		strbuf_add_string(&sql, "SELECT hash, text FROM text WHERE hash IN ");
		add_number_list(&sql, numbers + first,
				count - first < TEXTS_AT_ONCE ? count - first : TEXTS_AT_ONCE);
		strbuf_add_string(&sql, " FORMAT RowBinary");
		RETURN_ERROR(clickhouse_ask(store, sql.data, &answer));
		RETURN_ERROR(take_texts(store, &answer, texts));
	}
	return NULL;
}

/* ---- the choice ---- */

/* A choice on its way to SQL. */
struct server_question {
	struct store *store;
	struct strbuf *sql;
};

/* Adds "COLUMN IN (numbers of the texts that match)". */
static struct error *add_server_test(const struct store_term *test, void *data)
{
	struct server_question *question = data;
	enum text_kind kind = test->key == STORE_FIELD ? TEXT_FIELD : key_columns[test->key].kind;
	_cleanup_strbuf_ struct strbuf query = STRBUF_INIT, answer = STRBUF_INIT;
	struct number_texts texts = { 0 };
	_cleanup_free_ uint64_t *chosen = NULL;
	size_t count = 0, capacity = 0;

	strbuf_add_format(&query, "SELECT hash, text FROM text WHERE kind = %d FORMAT RowBinary",
			  kind);
	RETURN_ERROR(clickhouse_ask(question->store, query.data, &answer));
	struct error *error = take_texts(question->store, &answer, &texts);
	struct cursor cursor = cursor_of(answer.data, error ? 0 : answer.length, false);

	/* the number of "", which is no row of that table */
	if (store_text_matches(test->key, test->wanted, ""))
		array_add(chosen, count, capacity) = 0;
	while (cursor_left(&cursor)) {
		uint64_t number = le64toh(cursor_u64(&cursor));

		cursor_skip(&cursor, cursor_uleb(&cursor));
		if (store_text_matches(test->key, test->wanted, text_of(&texts, number)))
			array_add(chosen, count, capacity) = number;
	}
	if (count) {
		strbuf_add_format(question->sql, "%s IN ",
				  kind == TEXT_FIELD ? "field" : key_columns[test->key].sql);
		add_number_list(question->sql, chosen, count);
	} else {
		strbuf_add_char(question->sql, '0');
	}
	number_texts_deinit(&texts);
	return error;
}

/* Adds the times of a choice; sums of hours or days are chosen by times that are such. */
static void add_times(struct strbuf *sql, const struct store_choice *choice)
{
	const struct {
		int64_t time;
		const char *compare;
	} ends[] = { { choice->since, ">=" }, { choice->until, "<" } };

	for (size_t i = 0; i < COUNT_OF(ends); i++)
		if (ends[i].time > 0 && ends[i].time < UINT32_MAX)
			strbuf_add_format(sql,
					  " AND day %s toDate(%" PRId64 ") AND time %s "
					  "toDateTime(%" PRId64 ")",
					  i ? "<=" : ">=", store_day(ends[i].time), ends[i].compare,
					  ends[i].time);
}

/* Adds what chooses recordings and objects, or rows. */
static struct error *choose_samples(struct store *store, struct strbuf *sql,
				    const struct store_choice *choice, bool rows)
{
	return store_add_conditions(choice, rows, sql, add_server_test,
				    &(struct server_question){ store, sql });
}

/* Returns the smallest table that has the answer. */
static const char *table_for(const enum store_key *keys, size_t count,
			     const struct store_choice *choice)
{
	int table = SUMS_TABLES - 1;

	while (table > SUMS_FACT && (choice->since % clickhouse_sums[table].seconds ||
				     choice->until % clickhouse_sums[table].seconds))
		table--;
	return clickhouse_sums[(store_chosen_keys(choice) & 1U << STORE_FUNCTION) ||
					       any_of(i, 0, count, keys[i] == STORE_FUNCTION)
				       ? SUMS_FACT
				       : table]
		.table;
}

/* ---- rows ---- */

static const char *const orders[] = {
	[STORE_BY_SAMPLES] = "s0 DESC, ",
	[STORE_BY_PERIOD] = "s1 DESC, ",
	[STORE_BY_LATENCY] = "s2 DESC, ",
	[STORE_BY_HOSTS] = "s5 DESC, s0 DESC, ",
	[STORE_BY_KEYS] = "",
};

#define NO_SUM "toUInt64(0)" /* a server reads the columns that are asked for alone */
#define HOSTS  "uniqExact(host)"

/* Adds the sums as s0 to s4, and the number of hosts as s5. */
static void add_sums(const struct store_choice *choice, enum store_order order, const char *hosts,
		     struct strbuf *sql)
{
	for (size_t i = 0; i < COUNT_OF(store_sum_columns); i++)
		if (store_wants_sum(choice, order, i))
			strbuf_add_format(sql, "sum(%s) AS s%zu, ", store_sum_columns[i], i);
		else
			strbuf_add_format(sql, NO_SUM " AS s%zu, ", i);
	strbuf_add_format(sql, "%s AS s5", hosts);
}

static void clickhouse_take_sums(struct cursor *cursor, struct store_row *row)
{
	for (size_t i = 0; i < STORE_SUMS; i++)
		row->sums[i] = le64toh(cursor_u64(cursor));
}

static struct error *take_rows(const struct store *store, const struct strbuf *bytes,
			       struct store_answer *answer)
{
	size_t numbers = sum_over(size_t, i, 0, answer->key_count, key_numbers(answer->keys[i]));

	for (struct cursor cursor = cursor_of(bytes->data, bytes->length, false);
	     cursor_left(&cursor);) {
		struct store_row row = { 0 };

		for (size_t i = 0; i < numbers; i++)
			row.numbers[i] = le64toh(cursor_u64(&cursor));
		clickhouse_take_sums(&cursor, &row);
		if (cursor.failed)
			return clickhouse_malformed(store);
		array_add(answer->rows, answer->count, answer->capacity) = row;
	}
	return NULL;
}

static struct error *read_row_texts(struct store *store, struct store_answer *answer)
{
	_cleanup_free_ uint64_t *wanted = NULL;
	size_t count = 0, capacity = 0;

	array_each (const struct store_row, row, answer->rows, answer->count)
		for (size_t i = 0, n = 0; i < answer->key_count;
		     n += key_numbers(answer->keys[i++]))
			for (size_t k = 0; k < key_numbers(answer->keys[i]); k++) {
				bool created = false;

				/* the second number of a field is its offset */
				if (answer->keys[i] != STORE_DAY && k != 1 && row->numbers[n + k])
					hash_map_insert(&answer->texts.places, row->numbers[n + k],
							&created);
				if (created)
					array_add(wanted, count, capacity) = row->numbers[n + k];
			}
	return read_texts(store, wanted, count, &answer->texts);
}

/* Returns "struct client +40 (lock)", as files give it. */
static const char *field_text(struct store_answer *answer, const uint64_t *numbers)
{
	const char *type = text_of(&answer->texts, numbers[0]),
		   *field = text_of(&answer->texts, numbers[2]);

	return *type == '(' ? type
			    : arena_format(&answer->texts.arena, "%s %+" PRId64 " (%s)", type,
					   (int64_t)numbers[1], *field ? field : "no field");
}

static const char *day_text(struct store_answer *answer, uint64_t day)
{
	time_t seconds = (time_t)((day & UINT16_MAX) * STORE_DAY_SECONDS);
	struct tm date;

	gmtime_r(&seconds, &date);
	return arena_format(&answer->texts.arena, "%04d-%02d-%02d", date.tm_year + 1900,
			    date.tm_mon + 1, date.tm_mday);
}

static void set_texts(struct store_answer *answer)
{
	array_each (struct store_row, row, answer->rows, answer->count)
		for (size_t i = 0, n = 0; i < answer->key_count;
		     n += key_numbers(answer->keys[i++]))
			row->keys[i] = answer->keys[i] == STORE_FIELD
					       ? field_text(answer, &row->numbers[n])
				       : answer->keys[i] == STORE_DAY
					       ? day_text(answer, row->numbers[n])
					       : text_of(&answer->texts, row->numbers[n]);
}

/* Makes the question for rows. */
static struct error *clickhouse_ask_rows(struct store *store, const struct store_choice *choice,
					 const struct store_answer *answer, struct strbuf *bytes)
{
	_cleanup_strbuf_ struct strbuf sql = STRBUF_INIT, keys = STRBUF_INIT;

	for (size_t i = 0; i < answer->key_count; i++)
		strbuf_add_format(&keys, "%s%s", i ? ", " : "", key_columns[answer->keys[i]].sql);
	strbuf_add_format(&sql, "SELECT %s, ", keys.data);
	add_sums(choice, answer->order, HOSTS, &sql);
	strbuf_add_format(&sql, " FROM %s WHERE event != 0",
			  table_for(answer->keys, answer->key_count, choice));
	add_times(&sql, choice);
	RETURN_ERROR(choose_samples(store, &sql, choice, false));
	RETURN_ERROR(choose_samples(store, &sql, choice, true));
	strbuf_add_format(&sql, " GROUP BY %s ORDER BY %s%s", keys.data, orders[answer->order],
			  keys.data);
	if (answer->most)
		strbuf_add_format(&sql, " LIMIT %zu", answer->most);
	strbuf_add_string(&sql, " FORMAT RowBinary");
	return clickhouse_ask(store, sql.data, bytes);
}

static struct error *clickhouse_select_total(struct store *store, const struct store_choice *choice,
					     struct store_answer *answer)
{
	_cleanup_strbuf_ struct strbuf sql = STRBUF_INIT, bytes = STRBUF_INIT;

	strbuf_add_string(&sql, "SELECT ");
	add_sums(choice, answer->order, choice->brief ? NO_SUM : HOSTS, &sql);
	strbuf_add_format(&sql, " FROM %s WHERE event != 0",
			  table_for(answer->keys, answer->key_count, choice));
	add_times(&sql, choice);
	RETURN_ERROR(choose_samples(store, &sql, choice, false));
	strbuf_add_string(&sql, " FORMAT RowBinary");
	RETURN_ERROR(clickhouse_ask(store, sql.data, &bytes));
	struct cursor cursor = cursor_of(bytes.data, bytes.length, false);

	clickhouse_take_sums(&cursor, &answer->total);
	return cursor.failed ? clickhouse_malformed(store) : NULL;
}

struct error *clickhouse_select(struct store *store, const struct store_choice *choice,
				struct store_answer *answer)
{
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;

	RETURN_ERROR(clickhouse_select_total(store, choice, answer));
	RETURN_ERROR(clickhouse_ask_rows(store, choice, answer, &bytes));
	RETURN_ERROR(take_rows(store, &bytes, answer));
	RETURN_ERROR(read_row_texts(store, answer));
	set_texts(answer);
	return NULL;
}

/* ---- batches ---- */

struct error *clickhouse_batches(struct store *store, const struct store_choice *choice,
				 struct store_answer *answer)
{
	static const enum store_key keys[] = { STORE_HOST, STORE_KERNEL, STORE_PROCESSOR };
	_cleanup_strbuf_ struct strbuf sql = STRBUF_INIT, bytes = STRBUF_INIT;

	*answer = (struct store_answer){ .keys = keys, .key_count = COUNT_OF(keys) };

	strbuf_add_string(&sql, "SELECT host, kernel, processor, any(samples), toUInt64(time), "
				"batch, toUInt64(0), toUInt64(0), toUInt64(0) FROM batch WHERE 1");
	add_times(&sql, choice);
	RETURN_ERROR(choose_samples(
		store, &sql,
		&(struct store_choice){ .texts = { [STORE_HOST] = choice->texts[STORE_HOST] } },
		false));
	/* a batch may be there twice until the server merges its parts */
	strbuf_add_string(&sql,
			  " GROUP BY batch, time, host, kernel, processor ORDER BY time DESC, "
			  "batch FORMAT RowBinary");
	RETURN_ERROR(clickhouse_ask(store, sql.data, &bytes));
	RETURN_ERROR(take_rows(store, &bytes, answer));
	RETURN_ERROR(read_row_texts(store, answer));
	set_texts(answer);
	array_each (struct store_row, row, answer->rows, answer->count) {
		time_t seconds = (time_t)(row->period & UINT32_MAX);
		struct tm date;
		char when[32];

		gmtime_r(&seconds, &date);
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &date);
		memmove(&row->keys[1], row->keys, COUNT_OF(keys) * sizeof(*row->keys));
		row->keys[0] = arena_strdup(&answer->texts.arena, when);
		row->period = row->latency = 0;
	}
	return NULL;
}
