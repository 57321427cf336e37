/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A store: what many recordings tell of types and fields, in one file of SQLite, or in a database
 * of ClickHouse for many machines.
 *
 * A batch is what was added of one recording. Its facts are sums by event, object, function and
 * field; sums by day, host, object, event and field are kept beside them, which answer most
 * questions. Both change in one transaction: after a crash, a batch is there as a whole or not at
 * all, and one that is added again changes nothing.
 *
 * Texts of a store are data: values are bound, and no SQL is made of them.
 */
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"

struct store;

/* Beginnings of the names of stores on servers: "clickhouse://HOST[:PORT]/DATABASE". */
#define STORE_SERVER     "clickhouse://"
#define STORE_SERVER_TLS "clickhouses://"

struct store_place {
	const char *path;        /* of a file, or the name of one on a server */
	const char *credentials; /* file with the server's user and password; NULL: none */
	const char *cluster;     /* of servers that the tables are made on; NULL: one server */
	bool create; /* makes the store if there is none: a file with mode 0600, tables */
};

/* Returns the port of the server that a store of this name is on; 0: it is a file. */
unsigned int store_port(const char *path);

/* Opens the store. Refuses a file that is no store, one of a newer version, and one that somebody
 * else may have written. Call store_close() in any case. */
struct error *store_open(const struct store_place *place, struct store **result);
void store_close(struct store *store); /* NULL is allowed */

/* ---- adding ---- */

struct store_batch {
	char id[33];                           /* the same for the same recording */
	const char *host, *kernel, *processor; /* "": not known */
	int64_t time;                          /* of the recording, in seconds since 1970 */
	uint64_t samples;
};

struct store_fact {
	const char *event;
	const char *object, *build; /* path, and build id in hexadecimal; "": not known */
	const char *type, *field;   /* field "": none */
	int64_t offset;             /* of the access in the type */
	const char *function;       /* "": not known */
	uint64_t samples, period, latency, loads, stores;
	const char *cgroup, *image; /* path, and image or unit; NULL: not known */
};

/* Adds a batch. Facts that are alike are added up. Sets *known if it is there already, in which
 * case nothing changes. Servers take several at a time: the batch is there, and *known is set,
 * when store_commit() was called; after an error it may be there or not, and can be added again. */
struct error *store_add(struct store *store, const struct store_batch *batch,
			const struct store_fact *facts, size_t count, bool *known);
struct error *store_commit(struct store *store);

/* Removes the batches of days that ended before a time; *removed says how many. */
struct error *store_forget(struct store *store, int64_t before, uint64_t *removed);

/* ---- asking ---- */

/* The columns that rows are made of. */
enum store_key {
	STORE_TYPE,
	STORE_FIELD, /* "struct client +40 (lock)" */
	STORE_FUNCTION,
	STORE_OBJECT,
	STORE_BUILD,
	STORE_HOST,
	STORE_EVENT,
	STORE_KERNEL,
	STORE_PROCESSOR,
	STORE_CGROUP,
	STORE_IMAGE, /* of the container, or the service of systemd */
	STORE_DAY,
	STORE_KEYS,
};

enum store_key store_key_named(const char *name, size_t length);
const char *store_key_name(enum store_key key);

/* Returns the name of a key among conditions: as store_key_name(), but a field is one by its name.
 */
const char *store_choice_name(enum store_key key);

/* Tests of texts, and what stands between them, as in SQL. */
enum store_sign { STORE_TEST, STORE_AND, STORE_OR, STORE_NOT, STORE_OPEN, STORE_CLOSE };

struct store_term {
	enum store_sign sign;
	enum store_key key; /* of a test, */
	const char *wanted; /* and what its text is to match, as in store_choice */
};

struct store_where {
	struct store_term terms[200];
	size_t count;
	struct arena arena; /* of the texts */
};

/* Reads a condition: "build = 83f6 and (host like 'web%' or not image in (redis:7, redis:8))". Call
 * store_where_deinit() in any case. */
struct error *store_where_parse(const char *text, struct store_where *where);
void store_where_deinit(struct store_where *where);

/* Texts by key, and a condition; NULL and 0: all. Names of types are as type_name_matches() takes
 * them, other texts are shell patterns, a build id may be cut off; [STORE_FIELD] is a field's name.
 */
struct store_choice {
	const char *texts[STORE_DAY];
	const struct store_where *where;
	int64_t since, until; /* seconds since 1970; whole days are answered faster */
	/* Rows need samples, hosts and what they are sorted by alone, the total no hosts: a server
	 * leaves the rest 0, which is faster. */
	bool brief;
};

/* Returns whether a choice asks for types, fields or functions: it leaves out rows. */
bool store_chooses_rows(const struct store_choice *choice);

#define STORE_SUMS 6

struct store_row {
	const char *keys[STORE_KEYS]; /* those that were asked for, in this order */
	union {
		struct {
			uint64_t samples, period, latency, loads, stores, hosts;
		};
		uint64_t sums[STORE_SUMS];
	};
	uint64_t numbers[STORE_KEYS + 2]; /* of the keys: a field may have three */
};

/* The order of rows: the first ones are places of sums. */
enum store_order {
	STORE_BY_SAMPLES,
	STORE_BY_PERIOD,
	STORE_BY_LATENCY,
	STORE_BY_HOSTS,
	STORE_BY_KEYS
};

/* An answer: rows, the sums of all chosen facts, and, for the kinds of store, its question and the
 * texts of rows by their numbers. Zero is empty. */
struct store_answer {
	struct store_row *rows;
	size_t count, capacity;
	struct store_row total;
	const enum store_key *keys;
	size_t key_count;
	enum store_order order;
	size_t most;
	struct number_texts {
		struct arena arena;
		struct hash_map places;
		const char **items;
		size_t count, capacity;
	} texts;
};

void store_answer_deinit(struct store_answer *answer);
#define _cleanup_answer_ __attribute__((cleanup(store_answer_deinit)))

/* Adds the rows of the chosen facts to an empty answer, sorted, `most` of them (0: all). In its
 * total, texts of types, fields and functions, and the parts of a condition that have them (joined
 * by "and"), do not count, so that shares are those of all. */
struct error *store_select(struct store *store, const enum store_key *keys, size_t key_count,
			   const struct store_choice *choice, enum store_order order, size_t most,
			   struct store_answer *answer);

/* Adds a row for each batch to an empty answer, the latest first: keys[0..3] are time, host,
 * kernel, CPU. */
struct error *store_batches(struct store *store, const struct store_choice *choice,
			    struct store_answer *answer);
