// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements clickhouse.h: the connection, the tables, and what is added to them.
 *
 * A server has no transaction over several tables, but a block that is inserted into one partition
 * of one table is there as a whole or not at all. So the rows of a batch are one block of each
 * table, and hold a marker: a row without an event whose type is the batch. Before rows are
 * inserted, each table is asked for the marker; a table that has it gets nothing. The table `batch`
 * comes last. Whatever is killed when, adding the same recordings again completes what is missing,
 * and doubles nothing. (Sums that materialized views make would need the same question: a server
 * that dies between a table and its view loses the sums.)
 *
 * Replicas may not have a row yet that another one has, so a cluster gets each batch by itself: its
 * block is then the same each time, and the replicas find blocks that are alike by their hashes.
 *
 * Sources: ClickHouse's documentation, "HTTP interface", "Data replication", "RowBinary", which
 * hold from 18.16 on.
 */
#include "profiler/store/clickhouse.h"

#include <ctype.h>
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/web.h"

#define LOCAL "_local" /* behind the names of a shard's own tables */

#define ANSWER_MAX  (256 << 20) /* bytes */
#define MESSAGE_MAX 300         /* characters of a server's message that are shown */
#define PATIENCE    30          /* seconds to connect, and without a byte */
/* A query of the default limit of servers (max_query_size), less what stands around its lists. */
#define QUERY_SMALL 250000
/* Batches are inserted together up to so many, and so many rows: a block each is slow. */
#define GROUP_BATCHES 1024
#define GROUP_ROWS    300000

const struct clickhouse_sums clickhouse_sums[SUMS_TABLES] = {
	[SUMS_FACT] = { "fact", 0 },
	[SUMS_HOURLY] = { "hourly", 3600 },
	[SUMS_DAILY] = { "daily", STORE_DAY_SECONDS },
};

/* A row of the tables of sums. The marker of a batch has its number in place of the type. */
struct sums_row {
	uint16_t day;
	uint32_t time;
	uint64_t event, type;
	int64_t offset;
	uint64_t field, object, build, function, host, kernel, processor, cgroup, image;
	uint64_t sums[5]; /* samples, period, latency, loads, stores */
} __attribute__((packed));

#define SUMS_COLUMNS                                                                               \
	"day Date, time DateTime, event UInt64, type UInt64, offset Int64, field UInt64, "         \
	"object UInt64, build UInt64, function UInt64, host UInt64, kernel UInt64, "               \
	"processor UInt64, cgroup UInt64, image UInt64, samples UInt64, period UInt64, latency "   \
	"UInt64, loads UInt64, "                                                                   \
	"stores UInt64"
/* Columns that were added later come last: a table's first ones are its primary key. */
#define SUMS_ORDER                                                                                 \
	"(event, type, offset, field, object, build, function, host, kernel, processor, time, "    \
	"cgroup, image)"

/* The same as SUMS_ORDER. */
COMPARISON(compare_sums, struct sums_row,
	   ASCENDING(event) ASCENDING(type) ASCENDING(offset) ASCENDING(field) ASCENDING(object)
		   ASCENDING(build) ASCENDING(function) ASCENDING(host) ASCENDING(kernel)
			   ASCENDING(processor) ASCENDING(time) ASCENDING(cgroup) ASCENDING(image))

struct batch_row {
	uint16_t day;
	uint32_t time;
	uint64_t batch, host, kernel, processor, samples;
} __attribute__((packed));

/* The tables. On a cluster, those of the names with "_local" behind them are the shards' own, and
 * the rest shows all of them. */
static const struct {
	const char *name, *columns, *engine, *sums, *partition, *order, *shard;
} tables[] = {
	{ "text", "kind UInt8, hash UInt64, text String", "ReplacingMergeTree", "", "",
	  "(kind, hash)", "hash" },
	{ "fact", SUMS_COLUMNS, "MergeTree", "", "PARTITION BY day ", SUMS_ORDER, "host" },
#define SUMMED "(samples, period, latency, loads, stores)"
	{ "hourly", SUMS_COLUMNS, "SummingMergeTree", SUMMED, "PARTITION BY day ", SUMS_ORDER,
	  "host" },
	{ "daily", SUMS_COLUMNS, "SummingMergeTree", SUMMED, "PARTITION BY day ", SUMS_ORDER,
	  "host" },
#undef SUMMED
	{ "batch",
	  "day Date, time DateTime, batch UInt64, host UInt64, kernel UInt64, processor UInt64, "
	  "samples UInt64",
	  "ReplacingMergeTree", "", "PARTITION BY day ", "batch", "host" },
};

struct waiting_batch {
	bool *known;
	size_t first, count; /* its rows */
	struct batch_row row;
};

struct clickhouse {
	struct web *web;
	char *url; /* with the database */
	char *database;
	struct web_user user;
	char *cluster; /* NULL: one server */
	/* what was added and not committed: batches of one day */
	struct waiting_batch *batches;
	size_t batch_count, batch_capacity;
	struct sums_row *rows;
	size_t row_count, row_capacity;
	struct waiting_text {
		uint64_t hash;
		enum text_kind kind;
		const char *text;
	} * texts;
	size_t text_count, text_capacity;
	struct arena arena;   /* of the texts */
	struct hash_map seen; /* texts that the server has, or that wait */
};

/* ---- requests ---- */

struct limited_answer {
	struct strbuf *bytes;
	bool too_large;
};

static bool keep_answer(const void *bytes, size_t size, void *data)
{
	struct limited_answer *answer = data;

	answer->too_large = size > ANSWER_MAX - answer->bytes->length;
	if (!answer->too_large)
		strbuf_add(answer->bytes, bytes, size);
	return !answer->too_large;
}

/* Sends a body to the server, with options of the URL before it. */
static struct error *send_body(struct store *store, const char *url, const void *body, size_t size,
			       struct strbuf *answer)
{
	const struct clickhouse *server = store->server;
	struct limited_answer kept = { .bytes = answer };
	struct web_request request = {
		.url = url,
		.body = body,
		.size = size,
		.user = &server->user,
		.patience = PATIENCE,
		.keep = keep_answer,
		.data = &kept,
	};
	long status;

	struct error *error = web_ask(server->web, &request, &status);

	if (error)
		return error_prefix(error, "%s", store->path);
	if (status == 200 && !kept.too_large)
		return NULL;
	if (status == 200)
		return error_other("%s: the answer has more than %d MB; ask for fewer rows (-n, "
				   "--type, --since)",
				   store->path, ANSWER_MAX >> 20);
	size_t length = answer->length ? strcspn(answer->data, "\n") : 0;

	return error_create(status == 401 || status == 403 ? ERROR_PERMISSION : ERROR_OTHER,
			    "%s answers %ld: %.*s", store->path, status,
			    (int)(length < MESSAGE_MAX ? length : MESSAGE_MAX),
			    answer->length ? answer->data : "");
}

struct error *clickhouse_ask(struct store *store, const char *sql, struct strbuf *answer)
{
	size_t length = strlen(sql);
	_cleanup_strbuf_ struct strbuf url = STRBUF_INIT;

	strbuf_add_format(&url, "%s&database=%s", store->server->url, store->server->database);
	if (length > QUERY_SMALL)
		strbuf_add_format(&url, "&max_query_size=%zu", length + 1);

	strbuf_reset(answer);
	return send_body(store, url.data, sql, length, answer);
}

struct error *clickhouse_malformed(const struct store *store)
{
	return error_create(ERROR_FORMAT, "%s: the answer is cut off or malformed", store->path);
}

/* Runs SQL that names its database: a request for one that is not there is refused, so the URL does
 * not name it. Replaces the answer. */
__attribute__((format(printf, 3, 4))) static struct error *run_sql(struct store *store,
								   struct strbuf *answer,
								   const char *format, ...)
{
	VARIADIC_TEXT(sql, format);

	strbuf_reset(answer);
	return send_body(store, store->server->url, sql, strlen(sql), answer);
}

/* Inserts rows of RowBinary as one block. */
static struct error *insert_rows(struct store *store, const char *table, const void *rows,
				 size_t size, size_t count)
{
	_cleanup_strbuf_ struct strbuf answer = STRBUF_INIT;
	_cleanup_free_ char *url = xasprintf(
		"%s&database=%s&max_insert_block_size=%zu%s&query=INSERT%%20INTO%%20%s%%20FORMAT"
		"%%20RowBinary",
		store->server->url, store->server->database, count + 1,
		store->server->cluster ? "&insert_distributed_sync=1" : "", table);

	return count ? send_body(store, url, rows, size, &answer) : NULL;
}

void add_number_list(struct strbuf *sql, const uint64_t *numbers, size_t count)
{
	strbuf_add_char(sql, '(');
	for (size_t i = 0; i < count; i++) {
		if (i)
			strbuf_add_char(sql, ',');
		strbuf_add_number(sql, numbers[i]);
	}
	strbuf_add(sql, count ? ")" : "0)", count ? 1 : 2);
}

/* ---- texts ---- */

/* Returns the number of a text: FNV-1a, mixed, which no machine and no version may change. That of
 * "" is 0. */
static uint64_t text_hash(const char *text)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	if (!*text)
		return 0;
	for (; *text; text++)
		hash = (hash ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return hash_mix(hash) ?: 1;
}

/* Returns the number of a text that is stored with the batches that wait. */
static uint64_t stored_text(struct clickhouse *server, enum text_kind kind, const char *text)
{
	uint64_t hash = text_hash(text);
	bool created = false;

	if (hash)
		hash_map_insert(&server->seen, hash_combine(kind, hash), &created);
	if (created)
		array_add(server->texts, server->text_count, server->text_capacity) =
			(struct waiting_text){ hash, kind, arena_strdup(&server->arena, text) };
	return htole64(hash);
}

/* Adds the length that stands before a text in RowBinary: LEB128. */
static void add_length(struct strbuf *rows, size_t length)
{
	for (; length > 127; length >>= 7)
		strbuf_add_char(rows, (char)((length & 127) | 128));
	strbuf_add_char(rows, (char)length);
}

/* Inserts the texts that wait and that the server does not have. */
static struct error *send_texts(struct store *store)
{
	struct clickhouse *server = store->server;
	_cleanup_strbuf_ struct strbuf sql = STRBUF_INIT, answer = STRBUF_INIT, rows = STRBUF_INIT;
	_cleanup_free_ uint64_t *hashes = xcalloc(server->text_count + 1, sizeof(*hashes));
	_cleanup_map_ struct hash_map there = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < server->text_count; i++)
		hashes[i] = server->texts[i].hash;
	strbuf_add_string(&sql, "SELECT kind, hash FROM text WHERE hash IN ");
	add_number_list(&sql, hashes, server->text_count);
	strbuf_add_string(&sql, " FORMAT RowBinary");
	RETURN_ERROR(clickhouse_ask(store, sql.data, &answer));
	for (struct cursor cursor = cursor_of(answer.data, answer.length, false);
	     cursor_left(&cursor);) {
		uint64_t kind = cursor_u8(&cursor);

		hash_map_insert(&there, hash_combine(kind, le64toh(cursor_u64(&cursor))), NULL);
	}
	array_each (const struct waiting_text, text, server->texts, server->text_count) {
		uint64_t hash = htole64(text->hash);

		if (hash_map_find(&there, hash_combine(text->kind, text->hash)))
			continue;
		strbuf_add_char(&rows, (char)text->kind);
		strbuf_add(&rows, &hash, sizeof(hash));
		add_length(&rows, strlen(text->text));
		strbuf_add(&rows, text->text, strlen(text->text));
		count++;
	}
	return insert_rows(store, "text", rows.data, rows.length, count);
}

/* ---- adding ---- */

/* Asks which tables already have each of the waiting batches: for each batch, *has gets a bit for
 * each table of sums and a bit for the table `batch`. */
static struct error *find_markers(struct store *store, uint8_t *has)
{
	struct clickhouse *server = store->server;
	_cleanup_strbuf_ struct strbuf sql = STRBUF_INIT, answer = STRBUF_INIT, list = STRBUF_INIT;
	_cleanup_free_ uint64_t *numbers = xcalloc(server->batch_count, sizeof(*numbers));
	unsigned int day = le16toh(server->batches[0].row.day);

	for (size_t i = 0; i < server->batch_count; i++)
		numbers[i] = le64toh(server->batches[i].row.batch);
	add_number_list(&list, numbers, server->batch_count);
	for (int i = 0; i < SUMS_TABLES; i++)
		strbuf_add_format(&sql,
				  "SELECT toUInt8(%d), type FROM %s WHERE day = toDate(%u) AND "
				  "event = 0 AND type IN %s UNION ALL ",
				  i, clickhouse_sums[i].table, day, list.data);
	strbuf_add_format(&sql,
			  "SELECT toUInt8(%d), batch FROM batch WHERE day = toDate(%u) AND batch "
			  "IN %s FORMAT RowBinary",
			  SUMS_TABLES, day, list.data);
	RETURN_ERROR(clickhouse_ask(store, sql.data, &answer));
	for (struct cursor cursor = cursor_of(answer.data, answer.length, false);
	     cursor_left(&cursor);) {
		unsigned int table = cursor_u8(&cursor);
		uint64_t number = le64toh(cursor_u64(&cursor));

		if (cursor.failed || table > SUMS_TABLES)
			return clickhouse_malformed(store);
		for (size_t i = 0; i < server->batch_count; i++)
			if (numbers[i] == number)
				has[i] |= (uint8_t)(1U << table);
	}
	return NULL;
}

/* Makes one row of sorted rows that are alike. Returns how many are left. */
static size_t sum_rows(struct sums_row *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 1; i < count; i++) {
		bool alike = !compare_sums(&rows[kept], &rows[i]);

		kept += !alike;
		for (size_t k = 0; k < COUNT_OF(rows->sums) && alike; k++)
			rows[kept].sums[k] =
				htole64(le64toh(rows[kept].sums[k]) + le64toh(rows[i].sums[k]));
		if (!alike)
			rows[kept] = rows[i];
	}
	return count ? kept + 1 : 0;
}

/* Inserts the rows of the batches whose bit is not set into a table of sums. A block that is sorted
 * and summed leaves the server little to do. */
static struct error *send_sums(struct store *store, int table, const uint8_t *has)
{
	struct clickhouse *server = store->server;
	uint32_t seconds = (uint32_t)clickhouse_sums[table].seconds;
	_cleanup_free_ struct sums_row *rows = xcalloc(server->row_count + 1, sizeof(*rows));
	size_t count = 0;

	array_indexed (const struct waiting_batch, batch, i, server->batches, server->batch_count) {
		if (has[i] & 1U << table)
			continue;
		memcpy(&rows[count], &server->rows[batch->first], batch->count * sizeof(*rows));
		for (size_t end = count + batch->count; count < end; count++)
			if (seconds) {
				uint32_t time = le32toh(rows[count].time);

				rows[count].time = htole32(time - time % seconds);
				rows[count].function = 0;
			}
	}
	array_sort(rows, count, compare_sums);
	count = sum_rows(rows, count);
	return insert_rows(store, clickhouse_sums[table].table, rows, count * sizeof(*rows), count);
}

static struct error *send_batches(struct store *store, const uint8_t *has)
{
	struct clickhouse *server = store->server;
	_cleanup_free_ struct batch_row *rows = xcalloc(server->batch_count, sizeof(*rows));
	size_t count = 0;

	for (size_t i = 0; i < server->batch_count; i++) {
		*server->batches[i].known = has[i] >> SUMS_TABLES & 1;
		if (!*server->batches[i].known)
			rows[count++] = server->batches[i].row;
	}
	return insert_rows(store, "batch", rows, count * sizeof(*rows), count);
}

struct error *clickhouse_commit(struct store *store)
{
	struct clickhouse *server = store->server;
	_cleanup_free_ uint8_t *has = xcalloc(server->batch_count + 1, 1);
	struct error *error = NULL;

	if (!server->batch_count)
		return NULL;
	if (server->text_count)
		error = send_texts(store);
	if (!error)
		error = find_markers(store, has);
	for (int table = 0; table < SUMS_TABLES && !error; table++)
		error = send_sums(store, table, has);
	if (!error)
		error = send_batches(store, has);
	server->batch_count = server->row_count = server->text_count = 0;
	return error;
}

static void add_row(struct clickhouse *server, const struct batch_row *batch,
		    const struct store_fact *fact)
{
	array_add(server->rows, server->row_count, server->row_capacity) = (struct sums_row){
		.day = batch->day,
		.time = batch->time,
		.event = stored_text(server, TEXT_EVENT, *fact->event ? fact->event : "?"),
		.type = stored_text(server, TEXT_TYPE, fact->type),
		.offset = (int64_t)htole64((uint64_t)fact->offset),
		.field = stored_text(server, TEXT_FIELD, fact->field),
		.object = stored_text(server, TEXT_OBJECT, fact->object),
		.build = stored_text(server, TEXT_BUILD, fact->build),
		.function = stored_text(server, TEXT_FUNCTION, fact->function),
		.host = batch->host,
		.kernel = batch->kernel,
		.processor = batch->processor,
		.cgroup = stored_text(server, TEXT_CGROUP, fact->cgroup ?: ""),
		.image = stored_text(server, TEXT_IMAGE, fact->image ?: ""),
		.sums = { htole64(fact->samples), htole64(fact->period), htole64(fact->latency),
			  htole64(fact->loads), htole64(fact->stores) },
	};
}

struct error *clickhouse_add(struct store *store, const struct store_batch *batch,
			     const struct store_fact *facts, size_t count, bool *known)
{
	struct clickhouse *server = store->server;
	int64_t day = store_day(batch->time);
	uint64_t number;

	*known = false;
	if (batch->time < 0 || batch->time > UINT32_MAX)
		return error_create(ERROR_FORMAT,
				    "a recording of the year %" PRId64 " is not stored",
				    1970 + batch->time / 31556952);
	number = htole64(text_hash(batch->id));
	if (server->batch_count &&
	    (server->cluster || server->batch_count == GROUP_BATCHES ||
	     server->row_count + count > GROUP_ROWS || le16toh(server->batches[0].row.day) != day ||
	     any_of(i, 0, server->batch_count, server->batches[i].row.batch == number)))
		RETURN_ERROR(clickhouse_commit(store));
	struct waiting_batch waiting = {
		.known = known,
		.first = server->row_count,
		.count = count + 1,
		.row = { .day = htole16((uint16_t)day),
			 .time = htole32((uint32_t)batch->time),
			 .batch = number,
			 .host = stored_text(server, TEXT_HOST, batch->host),
			 .kernel = stored_text(server, TEXT_KERNEL, batch->kernel),
			 .processor = stored_text(server, TEXT_PROCESSOR, batch->processor),
			 .samples = htole64(batch->samples) },
	};

	/* sums leave out rows that are 0 */
	array_add(server->rows, server->row_count, server->row_capacity) =
		(struct sums_row){ .day = waiting.row.day,
				   .time = waiting.row.time,
				   .type = waiting.row.batch,
				   .host = waiting.row.host,
				   .sums = { htole64(1) } };
	array_each (const struct store_fact, fact, facts, count)
		add_row(server, &waiting.row, fact);
	array_add(server->batches, server->batch_count, server->batch_capacity) = waiting;
	return NULL;
}

/* ---- removing ---- */

/* Drops the partition of a day from all tables; on a cluster, from those of the server's shard. */
static struct error *drop_day(struct store *store, unsigned int day)
{
	_cleanup_strbuf_ struct strbuf answer = STRBUF_INIT;
	time_t seconds = (time_t)day * STORE_DAY_SECONDS;
	struct tm date;

	gmtime_r(&seconds, &date);
	/* the table of the batches comes last: if this stops half-way, the day is dropped again */
	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		if (!*tables[i].partition)
			continue;
		RETURN_ERROR(run_sql(store, &answer,
				     "ALTER TABLE %s.%s%s DROP PARTITION '%04d-%02d-%02d'",
				     store->server->database, tables[i].name,
				     store->server->cluster ? LOCAL : "", date.tm_year + 1900,
				     date.tm_mon + 1, date.tm_mday));
	}
	return NULL;
}

struct error *clickhouse_forget(struct store *store, int64_t before, uint64_t *removed)
{
	_cleanup_strbuf_ struct strbuf sql = STRBUF_INIT, answer = STRBUF_INIT;
	int64_t day = store_day(before);

	*removed = 0;
	strbuf_add_format(&sql,
			  "SELECT day, uniqExact(batch) FROM batch%s WHERE day < toDate(%u) GROUP "
			  "BY day ORDER BY day FORMAT RowBinary",
			  store->server->cluster ? LOCAL : "",
			  day < 0            ? 0
			  : day < UINT16_MAX ? (unsigned int)day
					     : UINT16_MAX);
	RETURN_ERROR(clickhouse_ask(store, sql.data, &answer));
	for (struct cursor cursor = cursor_of(answer.data, answer.length, false);
	     cursor_left(&cursor);) {
		unsigned int partition = le16toh(cursor_u16(&cursor));
		uint64_t batches = le64toh(cursor_u64(&cursor));

		if (cursor.failed)
			return clickhouse_malformed(store);
		RETURN_ERROR(drop_day(store, partition));
		*removed += batches;
	}
	return NULL;
}

/* ---- opening ---- */

static bool is_word(const char *text, size_t length, const char *others)
{
	return length && length < 256 &&
	       all_of(i, 0, length,
		      isalnum((unsigned char)text[i]) || (text[i] && strchr(others, text[i])));
}

/* Takes "clickhouse://HOST[:PORT]/DATABASE" apart. */
static struct error *parse_place(const char *path, struct clickhouse *server)
{
	bool secure = starts_with(path, STORE_SERVER_TLS);
	unsigned int port = store_port(path);
	const char *host = path + strlen(secure ? STORE_SERVER_TLS : STORE_SERVER),
		   *end = host + strcspn(host, "/"), *database = *end ? end + 1 : end,
		   *colon = memrchr(host, ':', (size_t)(end - host));

	if (colon && memchr(colon, ']', (size_t)(end - colon)))
		colon = NULL;
	if (!is_word(host, (size_t)((colon ?: end) - host), ".-_[]:") || port > UINT16_MAX ||
	    !is_word(database, strlen(database), "_") || isdigit((unsigned char)*database))
		return error_other("a store on a server is called %sHOST[:PORT]/DATABASE (or %s "
				   "for TLS), without a user, whom --credentials names; not '%s'",
				   STORE_SERVER, STORE_SERVER_TLS, path);
	server->database = xstrdup(database);
	server->url = xasprintf("%s://%.*s:%u/?wait_end_of_query=1", secure ? "https" : "http",
				(int)((colon ?: end) - host), host, port);
	return NULL;
}

/* Returns the columns of a table, compressed by a third of what LZ4 takes if that may be asked for;
 * to be freed. */
static char *columns_text(const char *columns, bool codecs)
{
	struct strbuf text = STRBUF_INIT;

	for (size_t length; *columns; columns += length + 2 * (columns[length] == ',')) {
		length = strcspn(columns, ",");
		strbuf_add_format(&text, "%s%.*s%s", text.length ? ", " : "", (int)length, columns,
				  codecs ? " CODEC(ZSTD(1))" : "");
	}
	return strbuf_detach(&text);
}

/* Makes a table, and on a server of a cluster what shows that of all shards. (Statements ON CLUSTER
 * end Debian's 18.16 server by a signal.) */
static struct error *make_table(struct store *store, size_t i, const char *cluster, bool codecs)
{
	const char *database = store->server->database;
	_cleanup_free_ char *columns = columns_text(tables[i].columns, codecs);
	_cleanup_strbuf_ struct strbuf answer = STRBUF_INIT;

	if (!cluster)
		return run_sql(store, &answer,
			       "CREATE TABLE IF NOT EXISTS %s.%s (%s) ENGINE = %s(%s) %sORDER "
			       "BY %s",
			       database, tables[i].name, columns, tables[i].engine, tables[i].sums,
			       tables[i].partition, tables[i].order);
	RETURN_ERROR(run_sql(store, &answer,
			     "CREATE TABLE IF NOT EXISTS %s.%s" LOCAL " (%s) ENGINE = Replicated%s("
			     "'/clickhouse/tables/{shard}/%s/%s', '{replica}'%s%s) %sORDER BY %s "
			     "SETTINGS replicated_deduplication_window = 10000",
			     database, tables[i].name, columns, tables[i].engine, database,
			     tables[i].name, *tables[i].sums ? ", " : "", tables[i].sums,
			     tables[i].partition, tables[i].order));
	return run_sql(store, &answer,
		       "CREATE TABLE IF NOT EXISTS %s.%s (%s) ENGINE = Distributed(%s, %s, %s" LOCAL
		       ", %s)",
		       database, tables[i].name, tables[i].columns, cluster, database,
		       tables[i].name, tables[i].shard);
}

/* Makes the database and its tables, unless they are there. */
static struct error *make_tables(struct store *store, const char *cluster)
{
	_cleanup_strbuf_ struct strbuf answer = STRBUF_INIT;
	bool codecs;

	if (cluster && !is_word(cluster, strlen(cluster), "_"))
		return error_other("--cluster takes letters, digits and _");
	RETURN_ERROR(run_sql(store, &answer, "CREATE DATABASE IF NOT EXISTS %s",
			     store->server->database));
	/* columns may be compressed as they ask for by servers from 19.1 on; others do it as their
	 * configuration says */
	RETURN_ERROR(
		run_sql(store, &answer,
			"SELECT toUInt8(count()) FROM system.columns WHERE database = 'system' "
			"AND table = 'columns' AND name = 'compression_codec' FORMAT RowBinary"));
	if (answer.length != 1)
		return clickhouse_malformed(store);
	codecs = answer.data[0];
	for (size_t i = 0; i < COUNT_OF(tables); i++)
		RETURN_ERROR(make_table(store, i, cluster, codecs));
	return NULL;
}

const char *clickhouse_text(struct cursor *cursor, struct arena *arena)
{
	uint64_t length = cursor_uleb(cursor);
	const char *text = length <= cursor_left(cursor) ? cursor_bytes(cursor, length) : NULL;

	return text ? arena_strndup(arena, text, length) : NULL;
}

/* Adds the columns that a table has to its text. */
static struct error *read_columns(struct store *store, struct strbuf *columns)
{
	_cleanup_strbuf_ struct strbuf answer = STRBUF_INIT;
	_cleanup_arena_ struct arena arena = { 0 };

	RETURN_ERROR(run_sql(store, &answer,
			     "SELECT table, name, type FROM system.columns WHERE database = '%s' "
			     "FORMAT RowBinary",
			     store->server->database));
	for (struct cursor cursor = cursor_of(answer.data, answer.length, false);
	     cursor_left(&cursor);) {
		const char *table = clickhouse_text(&cursor, &arena),
			   *name = clickhouse_text(&cursor, &arena),
			   *type = clickhouse_text(&cursor, &arena);

		if (!table || !name || !type)
			return clickhouse_malformed(store);
		for (size_t i = 0; i < COUNT_OF(tables); i++)
			if (!strcmp(table, tables[i].name)) {
				if (columns[i].length)
					strbuf_add_string(&columns[i], ", ");
				strbuf_add(&columns[i], name, strlen(name));
				strbuf_add_char(&columns[i], ' ');
				strbuf_add(&columns[i], type, strlen(type));
			}
	}
	return NULL;
}

/* Checks that the database has the tables of a store of this version. */
static struct error *check_tables(struct store *store)
{
	struct strbuf columns[COUNT_OF(tables)];
	size_t missing = 0, others = 0;

	for (size_t i = 0; i < COUNT_OF(tables); i++)
		columns[i] = (struct strbuf)STRBUF_INIT;
	struct error *error = read_columns(store, columns);

	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		missing += !columns[i].length;
		others += columns[i].length && strcmp(columns[i].data, tables[i].columns) != 0;
		strbuf_deinit(&columns[i]);
	}
	if (error)
		return error;
	if (missing == COUNT_OF(tables))
		return error_other("%s has no tables of a store: 'dtprof store init --store=%s' "
				   "makes them",
				   store->path, store->path);
	return missing || others
		       ? error_create(ERROR_UNSUPPORTED,
				      "%s has tables of another version of dtprof's stores: a new "
				      "database is made by 'dtprof store init'",
				      store->path)
		       : NULL;
}

/* Finds the cluster whose shards the tables show: "Distributed(CLUSTER, ...)". */
static struct error *find_cluster(struct store *store)
{
	static const char engine[] = "Distributed(";
	_cleanup_strbuf_ struct strbuf answer = STRBUF_INIT;
	_cleanup_arena_ struct arena arena = { 0 };

	RETURN_ERROR(
		run_sql(store, &answer,
			"SELECT engine_full FROM system.tables WHERE database = '%s' AND name = "
			"'fact' FORMAT RowBinary",
			store->server->database));
	struct cursor cursor = cursor_of(answer.data, answer.length, false);
	const char *text = clickhouse_text(&cursor, &arena);

	if (!text)
		return clickhouse_malformed(store);
	if (!starts_with(text, engine))
		return NULL;
	/* newer servers write it between quotes */
	text += strlen(engine);
	text += *text == '\'';
	size_t length = strcspn(text, "',");

	if (!is_word(text, length, "_"))
		return clickhouse_malformed(store);
	store->server->cluster = xstrndup(text, length);
	return NULL;
}

void clickhouse_close(struct store *store)
{
	_cleanup_free_ struct clickhouse *server = store->server;

	web_close(server->web);
	free_all(server->url, server->database);
	web_user_deinit(&server->user);
	free_all(server->cluster, server->batches, server->rows, server->texts);
	arena_deinit(&server->arena);
	hash_map_deinit(&server->seen);
}

struct error *clickhouse_open(const struct store_place *place, struct store *store)
{
	struct clickhouse *server = store->server = xcalloc(1, sizeof(*server));

	RETURN_ERROR(parse_place(place->path, server));
	if (place->credentials)
		RETURN_ERROR(web_user_read(place->credentials, &server->user));

	struct error *error = web_open("a store on a server", &server->web);

	if (error)
		return error_prefix(error, "%s", place->path);
	if (place->create)
		RETURN_ERROR(make_tables(store, place->cluster));
	RETURN_ERROR(check_tables(store));
	return find_cluster(store);
}
