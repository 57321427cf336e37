// SPDX-License-Identifier: GPL-2.0-or-later
/* Stores in files of SQLite: the file, its tables, and what is added to them. */
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/store/store_private.h"

#define STORE_APPLICATION 0x64747066 /* "dtpf": application_id of the file's header */
#define STORE_VERSION     2          /* user_version */
#define STORE_WAIT        10000      /* ms that another process may hold the store */
/* Text of one value, and of one statement. */
#define STORE_TEXT_MAX (1 << 20)
/* Limits of SQLite for a file: a row has 20 bytes and takes some 100 steps. */
#define STEPS_SMALL 20000000
#define STEPS_RATIO 16 /* for each byte */
#define STEPS_FACT  4000
#define STEPS_TOLD  1000 /* steps from one call of count_steps() to the next */
#define HEAP_SMALL  (128 << 20)
#define HEAP_RATIO  8
#define ROWS_SMALL  100000
#define ROWS_RATIO  16 /* bytes for each row of an answer */

static const char schema[] =
	"CREATE TABLE text(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);"
	"CREATE TABLE object(id INTEGER PRIMARY KEY, path INTEGER NOT NULL, build INTEGER NOT NULL,"
	" cgroup INTEGER NOT NULL, image INTEGER NOT NULL, UNIQUE(path, build, cgroup, image));"
	"CREATE TABLE field(id INTEGER PRIMARY KEY, type INTEGER NOT NULL, offset INTEGER NOT NULL,"
	" field INTEGER NOT NULL, UNIQUE(type, offset, field));"
	"CREATE TABLE host(id INTEGER PRIMARY KEY, name INTEGER NOT NULL, kernel INTEGER NOT NULL,"
	" processor INTEGER NOT NULL, UNIQUE(name, kernel, processor));"
	"CREATE TABLE batch(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, host INTEGER NOT "
	"NULL,"
	" time INTEGER NOT NULL, day INTEGER NOT NULL, samples INTEGER NOT NULL);"
	"CREATE TABLE fact(batch INTEGER NOT NULL, event INTEGER NOT NULL, object INTEGER NOT NULL,"
	" field INTEGER NOT NULL, function INTEGER NOT NULL, samples INTEGER NOT NULL,"
	" period INTEGER NOT NULL, latency INTEGER NOT NULL, loads INTEGER NOT NULL,"
	" stores INTEGER NOT NULL, PRIMARY KEY(batch, event, object, field, function))"
	" WITHOUT ROWID;"
	"CREATE TABLE daily(day INTEGER NOT NULL, host INTEGER NOT NULL, event INTEGER NOT NULL,"
	" object INTEGER NOT NULL, field INTEGER NOT NULL, batches INTEGER NOT NULL,"
	" samples INTEGER NOT NULL, period INTEGER NOT NULL, latency INTEGER NOT NULL,"
	" loads INTEGER NOT NULL, stores INTEGER NOT NULL,"
	" PRIMARY KEY(day, host, event, object, field)) WITHOUT ROWID;"
	"CREATE INDEX batch_day ON batch(day);"
	"PRAGMA application_id = 1685352550; PRAGMA user_version = 2;";

_Static_assert(STORE_APPLICATION == 1685352550 && STORE_VERSION == 2, "as the schema says");

/* ---- the file ---- */

struct error *store_problem(struct store *store, const char *what)
{
	int code = sqlite3_errcode(store->database);

	if (code == SQLITE_NOMEM || (code == SQLITE_INTERRUPT && store->steps <= 0))
		return error_create(ERROR_FORMAT,
				    "%s: %s: it asks for more %s than stores of its size do",
				    store->path, what, code == SQLITE_NOMEM ? "memory" : "work");
	return error_other("%s: %s: %s", store->path, what, sqlite3_errmsg(store->database));
}

/* Runs statements without results. */
static struct error *store_run(struct store *store, const char *sql)
{
	return sqlite3_exec(store->database, sql, NULL, NULL, NULL) == SQLITE_OK
		       ? NULL
		       : store_problem(store, "the store cannot be used");
}

struct error *store_prepare(struct store *store, const char *sql, sqlite3_stmt **statement)
{
	return sqlite3_prepare_v2(store->database, sql, -1, statement, NULL) == SQLITE_OK
		       ? NULL
		       : store_problem(store, "the store cannot be read");
}

/* Returns the path without links, to be freed; NULL with errno: its folder is not there. */
static char *real_path(const char *path)
{
	char *real = realpath(path, NULL);
	_cleanup_free_ char *copy = xstrdup(path),
			    *folder = real ? NULL : realpath(dirname(copy), NULL);

	return real || !folder ? real : xasprintf("%s/%s", folder, base_name(path));
}

/* Makes an empty file that only its owner may read, or judges the one that is there. SQLite opens
 * it, and others beside it, by their paths, so nobody else may write to its folder. */
static struct error *judge_file(const char *path, bool create)
{
	_cleanup_free_ char *copy = xstrdup(path), *folder = xstrdup(dirname(copy));
	const char *why = folder_distrust(folder, false);
	_cleanup_close_ int fd = -1;

	if (why)
		return error_create(ERROR_PERMISSION,
				    "no store is used in %s: it, or a folder around it, is %s",
				    folder, why);
	if (create)
		fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd >= 0)
		return NULL;
	if (create && errno != EEXIST)
		return error_errno(errno, "cannot create %s", path);
	return believed_file_open(path, &fd);
}

int64_t store_number(struct store *store, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	int64_t number = -1;

	if (sqlite3_prepare_v2(store->database, sql, -1, &statement, NULL) == SQLITE_OK &&
	    sqlite3_step(statement) == SQLITE_ROW)
		number = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

/* Returns whether the file has the tables of the schema, and nothing else: texts that are computed,
 * and tables without an index, take any time. */
static bool has_schema(struct store *store)
{
	sqlite3_stmt *statement = NULL;
	int left = 0, state = SQLITE_ERROR;

	for (const char *at = schema; (at = strstr(at, "CREATE ")); at++)
		left++;
	if (sqlite3_prepare_v2(store->database,
			       "SELECT sql || ';' FROM sqlite_schema WHERE sql IS NOT NULL", -1,
			       &statement, NULL) == SQLITE_OK)
		while (left >= 0 && (state = sqlite3_step(statement)) == SQLITE_ROW) {
			const char *sql = (const char *)sqlite3_column_text(statement, 0);

			left = sql && strstr(schema, sql) ? left - 1 : -1;
		}
	sqlite3_finalize(statement);
	return state == SQLITE_DONE && !left;
}

/* Makes the tables of a new store, or checks that the file is one. */
static struct error *open_tables(struct store *store)
{
	int64_t application, version;

	RETURN_ERROR(store_run(store, "BEGIN IMMEDIATE"));
	application = store_number(store, "PRAGMA application_id");
	version = store_number(store, "PRAGMA user_version");
	if (!application && !version &&
	    !store_number(store, "SELECT count(*) FROM sqlite_schema")) {
		RETURN_ERROR(store_run(store, schema));
		return store_run(store, "COMMIT");
	}
	RETURN_ERROR(store_run(store, "ROLLBACK"));
	if (application == STORE_APPLICATION && version != STORE_VERSION)
		return error_create(ERROR_UNSUPPORTED,
				    "%s has version %" PRId64 " of stores, and this dtprof reads "
				    "version %d",
				    store->path, version, STORE_VERSION);
	return application == STORE_APPLICATION && has_schema(store)
		       ? NULL
		       : error_create(ERROR_FORMAT, "%s is no store of dtprof", store->path);
}

/* Ends a statement that takes more steps than the file is good for. */
static int count_steps(void *data)
{
	struct store *store = data;

	store->steps -= STEPS_TOLD;
	return store->steps <= 0;
}

/* Sets what may be done with a file of this size. */
static void set_budgets(struct store *store, uint64_t size)
{
	size = size < (UINT64_C(1) << 48) ? size : UINT64_C(1) << 48;
	store->steps = STEPS_SMALL + STEPS_RATIO * (int64_t)size;
	store->texts = unpacked_max(size);
	store->rows = ROWS_SMALL + size / ROWS_RATIO;
	sqlite3_hard_heap_limit64(HEAP_SMALL + HEAP_RATIO * (int64_t)size);
	sqlite3_progress_handler(store->database, STEPS_TOLD, count_steps, store);
}

static struct error *open_database(struct store *store)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE |
		    SQLITE_OPEN_NOFOLLOW;
	struct stat status;

	if (sqlite3_open_v2(store->path, &store->database, flags, NULL) != SQLITE_OK)
		return store_problem(store, "it cannot be opened");
	set_budgets(store, stat(store->path, &status) ? 0 : (uint64_t)status.st_size);
	sqlite3_busy_timeout(store->database, STORE_WAIT);
	/* no code of the file is run, and none of its texts is larger than a name */
	sqlite3_db_config(store->database, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_db_config(store->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_limit(store->database, SQLITE_LIMIT_LENGTH, STORE_TEXT_MAX);
	RETURN_ERROR(store_run(store, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; "
				      "PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY;"));
	return open_tables(store);
}

void file_close(struct store *store)
{
	sqlite3_close(store->database);
}

/* ---- adding ---- */

/* The statements that add a batch, which find the number of a row or make it. */
enum store_statement {
	FIND_TEXT,
	ADD_TEXT,
	FIND_OBJECT,
	ADD_OBJECT,
	FIND_FIELD,
	ADD_FIELD,
	FIND_HOST,
	ADD_HOST,
	ADD_BATCH,
	ADD_FACT,
	ADD_DAILY,
	STATEMENTS,
};

#define SUMS                                                                                       \
	" DO UPDATE SET samples = samples + excluded.samples, period = period + excluded.period,"  \
	" latency = latency + excluded.latency, loads = loads + excluded.loads,"                   \
	" stores = stores + excluded.stores"

static const char *const statements[STATEMENTS] = {
	[FIND_TEXT] = "SELECT id FROM text WHERE text = ?",
	[ADD_TEXT] = "INSERT INTO text(text) VALUES(?)",
	[FIND_OBJECT] = "SELECT id FROM object WHERE path = ? AND build = ? AND cgroup = ? AND "
			"image = ?",
	[ADD_OBJECT] = "INSERT INTO object(path, build, cgroup, image) VALUES(?, ?, ?, ?)",
	[FIND_FIELD] = "SELECT id FROM field WHERE type = ? AND offset = ? AND field = ?",
	[ADD_FIELD] = "INSERT INTO field(type, offset, field) VALUES(?, ?, ?)",
	[FIND_HOST] = "SELECT id FROM host WHERE name = ? AND kernel = ? AND processor = ?",
	[ADD_HOST] = "INSERT INTO host(name, kernel, processor) VALUES(?, ?, ?)",
	[ADD_BATCH] = "INSERT OR IGNORE INTO batch(host, time, day, samples, name)"
		      " VALUES(?, ?, ?, ?, ?)",
	[ADD_FACT] = "INSERT INTO fact VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
		     " ON CONFLICT" SUMS,
	[ADD_DAILY] = "INSERT INTO daily SELECT ?1, ?2, event, object, field, 1, sum(samples),"
		      " sum(period), sum(latency), sum(loads), sum(stores) FROM fact"
		      " WHERE batch = ?3 GROUP BY event, object, field"
		      " ON CONFLICT" SUMS ", batches = batches + 1",
};

struct store_adding {
	struct store *store;
	sqlite3_stmt *statements[STATEMENTS];
	struct hash_map
		texts; /* the places of texts among ids, by their addresses: facts share them */
	int64_t *ids;
	size_t count, capacity;
};

/* Runs a statement with numbers. Sets *id to the number in its first row; 0: it has none. */
static struct error *run_numbers(struct store_adding *adding, enum store_statement which,
				 const int64_t *numbers, size_t count, int64_t *id)
{
	sqlite3_stmt *statement = adding->statements[which];
	int state;

	for (size_t i = 0; i < count; i++)
		sqlite3_bind_int64(statement, (int)i + 1, numbers[i]);
	state = sqlite3_step(statement);
	*id = state == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : 0;
	sqlite3_reset(statement);
	return state == SQLITE_ROW || state == SQLITE_DONE
		       ? NULL
		       : store_problem(adding->store, "nothing was added");
}

/* Finds the row with these numbers, or adds it. The statement that adds follows the one that finds.
 */
static struct error *find_or_add(struct store_adding *adding, enum store_statement find,
				 const int64_t *numbers, size_t count, int64_t *id)
{
	int64_t none;

	RETURN_ERROR(run_numbers(adding, find, numbers, count, id));
	if (*id)
		return NULL;
	RETURN_ERROR(run_numbers(adding, find + 1, numbers, count, &none));
	*id = sqlite3_last_insert_rowid(adding->store->database);
	return NULL;
}

static struct error *text_id(struct store_adding *adding, const char *text, int64_t *id)
{
	bool created;
	int64_t *known = hash_map_item(&adding->texts, (uintptr_t)text, adding->ids, adding->count,
				       adding->capacity, &created);

	if (created) {
		for (int i = FIND_TEXT; i <= ADD_TEXT; i++)
			sqlite3_bind_text(adding->statements[i], 1, text, -1, SQLITE_STATIC);
		RETURN_ERROR(find_or_add(adding, FIND_TEXT, NULL, 0, known));
	}
	*id = *known;
	return NULL;
}

/* Finds the row that has these numbers; the first of them are the numbers of texts. */
static struct error *texts_id(struct store_adding *adding, enum store_statement find,
			      const char *const *texts, size_t count, int64_t *id)
{
	int64_t numbers[4];

	for (size_t i = 0; i < count; i++)
		RETURN_ERROR(text_id(adding, texts[i], &numbers[i]));
	return find_or_add(adding, find, numbers, count, id);
}

static struct error *add_fact(struct store_adding *adding, int64_t batch,
			      const struct store_fact *fact)
{
	int64_t event, object, field, function, none, type, name;

	RETURN_ERROR(text_id(adding, fact->event, &event));
	RETURN_ERROR(texts_id(adding, FIND_OBJECT,
			      (const char *const[]){ fact->object, fact->build, fact->cgroup ?: "",
						     fact->image ?: "" },
			      4, &object));
	RETURN_ERROR(text_id(adding, fact->type, &type));
	RETURN_ERROR(text_id(adding, fact->field, &name));
	RETURN_ERROR(find_or_add(adding, FIND_FIELD, (int64_t[]){ type, fact->offset, name }, 3,
				 &field));
	RETURN_ERROR(text_id(adding, fact->function, &function));

	int64_t values[] = { batch,
			     event,
			     object,
			     field,
			     function,
			     (int64_t)fact->samples,
			     (int64_t)fact->period,
			     (int64_t)fact->latency,
			     (int64_t)fact->loads,
			     (int64_t)fact->stores };

	return run_numbers(adding, ADD_FACT, values, COUNT_OF(values), &none);
}

/* Adds all of a batch in the open transaction. */
static struct error *add_batch(struct store_adding *adding, const struct store_batch *batch,
			       const struct store_fact *facts, size_t count, bool *known)
{
	sqlite3 *database = adding->store->database;
	int64_t day = store_day(batch->time), host, none, id;

	RETURN_ERROR(texts_id(adding, FIND_HOST,
			      (const char *const[]){ batch->host, batch->kernel, batch->processor },
			      3, &host));
	sqlite3_bind_text(adding->statements[ADD_BATCH], 5, batch->id, -1, SQLITE_STATIC);
	RETURN_ERROR(run_numbers(adding, ADD_BATCH,
				 (int64_t[]){ host, batch->time, day, (int64_t)batch->samples }, 4,
				 &none));
	*known = !sqlite3_changes(database);
	if (*known)
		return NULL;
	id = sqlite3_last_insert_rowid(database);
	for (size_t i = 0; i < count; i++)
		RETURN_ERROR(add_fact(adding, id, &facts[i]));
	return run_numbers(adding, ADD_DAILY, (int64_t[]){ day, host, id }, 3, &none);
}

struct error *file_add(struct store *store, const struct store_batch *batch,
		       const struct store_fact *facts, size_t count, bool *known)
{
	struct store_adding adding = { .store = store };
	struct error *error = store_run(store, "BEGIN IMMEDIATE");

	*known = false;
	store->steps += STEPS_FACT * (int64_t)count;
	for (size_t i = 0; i < STATEMENTS && !error; i++)
		error = store_prepare(store, statements[i], &adding.statements[i]);
	if (!error)
		error = add_batch(&adding, batch, facts, count, known);
	for (size_t i = 0; i < STATEMENTS; i++)
		sqlite3_finalize(adding.statements[i]);
	hash_map_deinit(&adding.texts);
	free(adding.ids);
	if (!error)
		error = store_run(store, "COMMIT");
	if (error)
		sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
	return error;
}

/* ---- removing ---- */

struct error *file_forget(struct store *store, int64_t before, uint64_t *removed)
{
	static const char *const steps[] = {
		"DELETE FROM fact WHERE batch IN (SELECT id FROM batch WHERE day < ?)",
		"DELETE FROM daily WHERE day < ?",
		"DELETE FROM batch WHERE day < ?",
	};
	struct error *error = store_run(store, "BEGIN IMMEDIATE");

	*removed = 0;
	for (size_t i = 0; i < COUNT_OF(steps) && !error; i++) {
		sqlite3_stmt *statement = NULL;

		error = store_prepare(store, steps[i], &statement);
		if (!error)
			sqlite3_bind_int64(statement, 1, store_day(before));
		if (!error && sqlite3_step(statement) != SQLITE_DONE)
			error = store_problem(store, "nothing was removed");
		sqlite3_finalize(statement);
		if (!error)
			*removed = (uint64_t)sqlite3_changes(store->database);
	}
	if (!error)
		error = store_run(store, "COMMIT");
	if (error)
		sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
	/* the file shrinks; names that nothing uses any more stay */
	return error ?: *removed ? store_run(store, "VACUUM") : NULL;
}

struct error *file_open(const struct store_place *place, struct store *store)
{
	_cleanup_free_ char *real = real_path(place->path);

	if (!real)
		return error_errno(errno, "cannot open %s", place->path);
	RETURN_ERROR(judge_file(real, place->create));
	free(store->path);
	store->path = real;
	real = NULL;
	RETURN_ERROR(open_database(store));
	return store_add_functions(store);
}
