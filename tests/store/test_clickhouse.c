// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stores on a server answer as files do, keep each batch once whatever is killed when, and believe
 * no answer. A server of ClickHouse is started on a port of this machine, where there is one.
 */
#include "tests/support/unit.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/store/store.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

#define DAY     INT64_C(86400)
#define HOUR    3600
#define BATCHES 40
#define FACTS   60

static void assert_no_error(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

/* ---- the server ---- */

static pid_t server;
static unsigned int port, secure_port;

/* Returns a socket that listens at a port of this machine, and sets *number to it. */
static int listen_somewhere(unsigned int *number)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	assert_return_code(bind(fd, (struct sockaddr *)&address, size), errno);
	assert_return_code(listen(fd, 8), errno);
	assert_return_code(getsockname(fd, (struct sockaddr *)&address, &size), errno);
	*number = ntohs(address.sin_port);
	return fd;
}

/* Makes an authority, and a certificate of this machine that it signs. */
static bool make_certificates(void)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *command = xasprintf(
		"cd %s && openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.crt "
		"-days 2 -subj /CN=authority && openssl req -newkey rsa:2048 -nodes -keyout "
		"server.key -out server.csr -subj /CN=localhost && echo "
		"subjectAltName=IP:127.0.0.1 >names && openssl x509 -req -in server.csr -CA ca.crt "
		"-CAkey ca.key -CAcreateserial -days 2 -out server.crt -extfile names",
		scratch_folder());

	if (!process_exists("openssl"))
		return false;
	process_shell(command, &result);
	return !result.status;
}

static void write_configuration(void)
{
	unsigned int native;
	int sockets[] = { listen_somewhere(&port), listen_somewhere(&native),
			  listen_somewhere(&secure_port) };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_free_ char *secure = NULL;

	for (size_t i = 0; i < COUNT_OF(sockets); i++)
		close(sockets[i]);
	mkdir(scratch_file("data"), 0700);
	/* without a certificate the server does not listen there */
	if (!make_certificates())
		secure_port = 0;
	secure = secure_port ? xasprintf("<https_port>%1$u</https_port><openSSL><server>"
					 "<certificateFile>%2$s/server.crt</certificateFile>"
					 "<privateKeyFile>%2$s/server.key</privateKeyFile>"
					 "<verificationMode>none</verificationMode>"
					 "<loadDefaultCAFile>false</loadDefaultCAFile>"
					 "</server></openSSL>",
					 secure_port, scratch_folder())
			     : xstrdup("");
	strbuf_add_format(&text,
			  "<yandex><logger><level>error</level><log>%1$s/log</log><errorlog>%1$s/"
			  "errors</errorlog></logger><listen_host>127.0.0.1</listen_host>"
			  "<http_port>%2$u</http_port><tcp_port>%3$u</tcp_port>%4$s"
			  "<path>%1$s/data/</path><tmp_path>%1$s/tmp/</tmp_path>"
			  "<mark_cache_size>10000000</mark_cache_size>"
			  "<users_config>users.xml</users_config>"
			  "<default_profile>default</default_profile>"
			  "<default_database>default</default_database></yandex>",
			  scratch_folder(), port, native, secure);
	file_write(scratch_file("config.xml"), text.data, text.length);
	strbuf_reset(&text);
	strbuf_add_string(&text,
			  "<yandex><profiles><default/><reader><readonly>2</readonly></reader>"
			  "</profiles><quotas><default/></quotas><users>"
			  "<default><password/><networks><ip>127.0.0.1</ip></networks>"
			  "<profile>default</profile><quota>default</quota></default>"
			  "<reader><password>see it</password><networks><ip>127.0.0.1</ip>"
			  "</networks><profile>reader</profile><quota>default</quota></reader>"
			  "</users></yandex>");
	file_write(scratch_file("users.xml"), text.data, text.length);
}

/* Starts the server, and waits until it answers. */
static void start_server(void)
{
	_cleanup_free_ char *option = xasprintf("--config-file=%s", scratch_file("config.xml"));
	const char *const words[] = { "clickhouse-server", option, NULL };

	server = fork();
	assert_true(server >= 0);
	if (!server) {
		(void)!freopen("/dev/null", "w", stdout);
		(void)!freopen("/dev/null", "w", stderr);
		execvp(words[0], (char *const *)words);
		_exit(127);
	}
	for (int i = 0; i < 600; i++) {
		struct sockaddr_in address = { .sin_family = AF_INET,
					       .sin_port = htons((uint16_t)port),
					       .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
		    connected = connect(fd, (struct sockaddr *)&address, sizeof(address));

		close(fd);
		if (!connected)
			return;
		if (waitpid(server, NULL, WNOHANG) == server)
			break;
		usleep(100000);
	}
	server = 0;
	fail_msg("clickhouse-server does not start: see %s", scratch_file("errors"));
}

static void kill_server(void)
{
	if (server > 0) {
		kill(server, SIGKILL);
		waitpid(server, NULL, 0);
	}
	server = 0;
}

static void need_server(void)
{
	if (!process_exists("clickhouse-server"))
		skip_because("there is no clickhouse-server (Debian's package of this name)");
	if (!port)
		write_configuration();
	if (!server)
		start_server();
}

static int tear_down(void **state)
{
	kill_server();
	return scratch_tear_down(state);
}

static struct store *open_server(const char *database, bool create)
{
	_cleanup_free_ char *path = xasprintf("clickhouse://127.0.0.1:%u/%s", port, database);
	struct store *store;

	assert_no_error(
		store_open(&(struct store_place){ .path = path, .create = create }, &store));
	return store;
}

/* Returns the message of opening a store, to be freed. */
static char *message_of(const char *path, const char *credentials, bool create)
{
	struct store *store;
	struct error *error = store_open(
		&(struct store_place){ .path = path, .credentials = credentials, .create = create },
		&store);
	char *message = xstrdup(error ? error->message : "");

	error_destroy(error);
	store_close(store);
	return message;
}

/* ---- batches ---- */

/* Facts of a batch, which depend on its number alone. */
static void make_batch(unsigned int number, struct store_batch *batch, struct store_fact *facts)
{
	static const char *const hosts[] = { "one", "two", "three", "it's; \\'" },
				 *const types[] = { "struct item", "struct redisObject",
						    "std::map<int, int>", "(unknown)" },
				 *const fields[] = { "next", "", "ptr", "a\tb\\" },
				 *const functions[] = { "visit", "walk", "", "main" },
				 *const groups[] = { "", "/docker/a", "/system.slice/b.service" },
				 *const images[] = { "", "redis:7.2", "b.service" };
	unsigned int seed = number * 7919 + 1;

	*batch = (struct store_batch){ .host = hosts[number % 4],
				       .kernel = number % 3 ? "6.1" : "7.2",
				       .processor = number % 2 ? "" : "Xeon",
				       .time = 20000 * DAY + (number * 7 % 5) * DAY + number * 1111,
				       .samples = FACTS };
	snprintf(batch->id, sizeof(batch->id), "%032u", number);
	for (unsigned int i = 0; i < FACTS; i++) {
		seed = seed * 1103515245 + 12345;
		unsigned int r = seed >> 8;

		facts[i] = (struct store_fact){ .event = r % 5 ? "cycles" : "cache-misses",
						.object = r % 7 ? "/bin/a" : "/lib/b",
						.build = r % 7 ? "aa11" : "bb22",
						.type = types[r / 8 % 4],
						.field = r / 8 % 4 == 3 ? "" : fields[r / 32 % 4],
						.offset = r / 8 % 4 == 3
								  ? 0
								  : (int64_t)(r / 128 % 4) * 8 - 8,
						.function = functions[r / 512 % 4],
						.samples = 1 + r % 3,
						.period = 100 * (1 + r % 3),
						.latency = r % 11,
						.loads = 1,
						.stores = r % 3,
						.cgroup = groups[r / 2048 % 3],
						.image = images[r / 2048 % 3] };
	}
}

static struct error *add_batch(struct store *store, unsigned int number, bool *known)
{
	struct store_batch batch;
	struct store_fact facts[FACTS];

	make_batch(number, &batch, facts);
	return store_add(store, &batch, facts, FACTS, known);
}

static void add_batches(struct store *store, unsigned int first, unsigned int end, bool expected)
{
	bool known[BATCHES];

	for (unsigned int i = first; i < end; i++)
		assert_no_error(add_batch(store, i, &known[i]));
	assert_no_error(store_commit(store));
	for (unsigned int i = first; i < end; i++)
		assert_int_equal(known[i], expected);
}

static struct store *open_file_with_all(void)
{
	struct store *store;

	unlink(scratch_file("file"));
	assert_no_error(store_open(
		&(struct store_place){ .path = scratch_file("file"), .create = true }, &store));
	add_batches(store, 0, BATCHES, false);
	return store;
}

/* ---- answers ---- */

static void write_row(const struct store_row *row, struct strbuf *text)
{
	for (int i = 0; i < STORE_KEYS && row->keys[i]; i++)
		strbuf_add_format(text, "%s|", row->keys[i]);
	strbuf_add_format(text, "%d %d %d %d %d %d\n", (int)row->samples, (int)row->period,
			  (int)row->latency, (int)row->loads, (int)row->stores, (int)row->hosts);
}

static void write_rows(const struct store_answer *answer, struct strbuf *text)
{
	array_each (const struct store_row, row, answer->rows, answer->count)
		write_row(row, text);
}

static void ask_all(struct store *store, struct strbuf *text)
{
	static const enum store_key keys[][2] = {
		{ STORE_FIELD, STORE_HOST },   { STORE_TYPE, STORE_FUNCTION },
		{ STORE_OBJECT, STORE_BUILD }, { STORE_DAY, STORE_HOST },
		{ STORE_EVENT, STORE_TYPE },   { STORE_KERNEL, STORE_PROCESSOR },
		{ STORE_CGROUP, STORE_TYPE },  { STORE_IMAGE, STORE_FUNCTION },
	};
	static const char *const conditions[] = {
		"host like 't%' and build = aa or image = '' and sym = walk",
		"image != '' and type = item",
		"not (image in ('', nothing) or cgroup like '/docker/%') and field not in ('', "
		"next)",
	};
	struct store_where wheres[COUNT_OF(conditions)] = { 0 };
	const struct store_choice choices[] = {
		{ .since = 0 },
		{ .texts = { [STORE_TYPE] = "item" } },
		{ .texts = { [STORE_FIELD] = "*t*" } },
		{ .texts = { [STORE_FUNCTION] = "walk" } },
		{ .texts = { [STORE_OBJECT] = "b" } },
		{ .texts = { [STORE_BUILD] = "aa" } },
		{ .texts = { [STORE_HOST] = "t*" } },
		{ .texts = { [STORE_HOST] = "it's*" } },
		{ .texts = { [STORE_EVENT] = "cache*" } },
		{ .texts = { [STORE_CGROUP] = "/docker/*" } },
		{ .texts = { [STORE_CGROUP] = "/system*", [STORE_IMAGE] = "b*" } },
		{ .texts = { [STORE_TYPE] = "nothing" } },
		/* fields, groups and images may be "", which is no text of a server */
		{ .texts = { [STORE_FIELD] = "nothing" } },
		{ .texts = { [STORE_IMAGE] = "nothing" } },
		{ .texts = { [STORE_CGROUP] = "*" } },
		{ .where = &wheres[0] },
		{ .where = &wheres[1], .since = 20001 * DAY },
		{ .where = &wheres[2] },
		{ .since = 20002 * DAY },
		{ .since = 20001 * DAY + 5 * HOUR, .until = 20003 * DAY },
		{ .since = 20001 * DAY + 5001, .until = 20003 * DAY + 77 },
	};

	for (size_t i = 0; i < COUNT_OF(conditions); i++)
		assert_no_error(store_where_parse(conditions[i], &wheres[i]));
	for (size_t k = 0; k < COUNT_OF(keys); k++)
		for (size_t c = 0; c < COUNT_OF(choices); c++)
			for (unsigned int order = 0; order <= (c < 3 ? STORE_BY_KEYS : 0);
			     order++) {
				_cleanup_answer_ struct store_answer answer = { 0 };

				strbuf_add_format(text, "keys %zu, choice %zu, order %u\n", k, c,
						  order);
				assert_no_error(store_select(store, keys[k], 2, &choices[c], order,
							     0, &answer));
				write_rows(&answer, text);
				write_row(&answer.total, text);
			}
	_cleanup_answer_ struct store_answer batches = { 0 };

	assert_no_error(store_batches(store, &choices[6], &batches));
	write_rows(&batches, text);
	for (size_t i = 0; i < COUNT_OF(wheres); i++)
		store_where_deinit(&wheres[i]);
}

/* Writes what a brief answer has. */
static void write_brief(const struct store_row *row, struct strbuf *text)
{
	strbuf_add_format(text, "%s %d %d %d\n", row->keys[0] ?: "", (int)row->samples,
			  (int)row->period, row->keys[0] ? (int)row->hosts : 0);
}

static void assert_brief_same(struct store *file, struct store *other)
{
	static const enum store_key key[] = { STORE_FIELD };
	struct store *const stores[] = { file, other };
	struct strbuf texts[2] = { STRBUF_INIT, STRBUF_INIT };

	for (int i = 0; i < 2; i++) {
		_cleanup_answer_ struct store_answer answer = { 0 };

		assert_no_error(store_select(stores[i], key, 1,
					     &(struct store_choice){ .brief = true },
					     STORE_BY_PERIOD, 0, &answer));
		array_each (const struct store_row, row, answer.rows, answer.count)
			write_brief(row, &texts[i]);
		write_brief(&answer.total, &texts[i]);
		assert_int_equal(answer.total.loads, 0);
	}
	assert_string_equal(texts[0].data, texts[1].data);
	for (int i = 0; i < 2; i++)
		strbuf_deinit(&texts[i]);
}

static void assert_same(struct store *file, struct store *other)
{
	_cleanup_strbuf_ struct strbuf expected = STRBUF_INIT, text = STRBUF_INIT;

	assert_brief_same(file, other);
	ask_all(file, &expected);
	ask_all(other, &text);
	const char *a = expected.data, *b = text.data;

	/* the first line that differs tells more than both texts */
	while (strcmp(a, b) != 0) {
		size_t length = strcspn(a, "\n") + 1;

		if (strncmp(a, b, length) != 0)
			fail_msg("file: %.*s\nserver: %.*s", (int)strcspn(a, "\n"), a,
				 (int)strcspn(b, "\n"), b);
		a += length;
		b += length;
	}
}

static void a_server_answers_as_a_file_does(void **state)
{
	(void)state;
	need_server();
	struct store *file = open_file_with_all(), *store = open_server("same", true);

	add_batches(store, 0, BATCHES / 2, false);
	add_batches(store, 0, BATCHES / 2, true);
	store_close(store);
	store = open_server("same", true);
	add_batches(store, BATCHES / 2, BATCHES, false);
	assert_same(file, store);
	store_close(file);
	store_close(store);
}

static void the_same_batch_twice_at_once_counts_once(void **state)
{
	bool first, second;
	_cleanup_answer_ struct store_answer answer = { 0 };
	static const enum store_key key[] = { STORE_TYPE };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	(void)state;
	need_server();
	struct store *store = open_server("twice", true);

	assert_no_error(add_batch(store, 1, &first));
	assert_no_error(add_batch(store, 1, &second));
	assert_no_error(store_commit(store));
	assert_false(first);
	assert_true(second);
	assert_no_error(store_select(store, key, 1, &(struct store_choice){ 0 }, STORE_BY_SAMPLES,
				     0, &answer));
	write_rows(&answer, &text);
	assert_int_equal(answer.total.loads, FACTS);
	store_close(store);
}

/* Runs SQL on the server as another program does. */
static void run_sql(const char *sql)
{
	struct sockaddr_in server = { .sin_family = AF_INET,
				      .sin_port = htons((uint16_t)port),
				      .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	_cleanup_free_ char *request =
		xasprintf("POST / HTTP/1.0\r\nContent-Length: %zu\r\n\r\n%s", strlen(sql), sql);
	char answer[1024] = "";
	size_t size = 0;
	ssize_t got;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	assert_int_equal(connect(fd, (struct sockaddr *)&server, sizeof(server)), 0);
	assert_int_equal(write(fd, request, strlen(request)), (ssize_t)strlen(request));
	while ((got = read(fd, answer + size, sizeof(answer) - 1 - size)) > 0)
		size += (size_t)got;
	close(fd);
	if (!strstr(answer, " 200 OK\r\n"))
		fail_msg("%s: %s", sql, answer);
}

static void tables_of_another_version_are_refused(void **state)
{
	_cleanup_free_ char *path = NULL, *refused = NULL;

	(void)state;
	need_server();
	store_close(open_server("old", true));
	run_sql("ALTER TABLE old.batch DROP COLUMN samples");
	path = xasprintf("clickhouse://127.0.0.1:%u/old", port);
	refused = message_of(path, NULL, true);
	assert_non_null(strstr(refused, "has tables of another version of dtprof's stores"));
}

static void days_are_removed(void **state)
{
	static const enum store_key key[] = { STORE_TYPE };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t removed;
	_cleanup_answer_ struct store_answer answer = { 0 };

	(void)state;
	need_server();
	struct store *file = open_file_with_all(), *store = open_server("gone", true);

	add_batches(store, 0, BATCHES, false);
	assert_no_error(store_forget(file, 20002 * DAY, &removed));
	uint64_t expected = removed;

	assert_true(expected > 0);
	assert_no_error(store_forget(store, 20002 * DAY, &removed));
	assert_int_equal(removed, expected);
	assert_same(file, store);
	assert_no_error(store_forget(store, 30000 * DAY, &removed));
	assert_no_error(store_select(store, key, 1, &(struct store_choice){ 0 }, STORE_BY_SAMPLES,
				     0, &answer));
	write_rows(&answer, &text);
	assert_int_equal(answer.total.samples, 0);
	store_close(file);
	store_close(store);
}

/* Adds all batches until the server takes them, which a child kills a little later each time. */
static void add_and_kill(unsigned int delay)
{
	pid_t victim = server, killer = fork();
	_cleanup_free_ char *path = xasprintf("clickhouse://127.0.0.1:%u/kills", port);
	struct store *store;

	if (!killer) {
		usleep(delay);
		kill(victim, SIGKILL);
		_exit(0);
	}
	struct error *error = store_open(&(struct store_place){ .path = path }, &store);
	bool known[BATCHES];

	for (unsigned int i = 0; i < BATCHES && !error; i++) {
		error = add_batch(store, i, &known[i]);
		if (!error && i % 5 == 4)
			error = store_commit(store);
	}
	error_destroy(error);
	store_close(store);
	waitpid(killer, NULL, 0);
	waitpid(victim, NULL, 0);
	start_server();
}

static void a_kill_loses_and_doubles_nothing(void **state)
{
	/* KILLS=200 for a thorough run */
	const char *wanted = getenv("KILLS");
	unsigned int kills = wanted ? (unsigned int)atoi(wanted) : 3, seed = 12345;

	(void)state;
	need_server();
	struct store *store = open_server("kills", true), *file = open_file_with_all();

	store_close(store);
	for (unsigned int i = 0; i < kills; i++) {
		seed = seed * 1103515245 + 12345;
		add_and_kill((seed >> 8) % 150000);
	}
	store = open_server("kills", false);
	bool known[BATCHES];

	for (unsigned int i = 0; i < BATCHES; i++)
		assert_no_error(add_batch(store, i, &known[i]));
	assert_no_error(store_commit(store));
	assert_same(file, store);
	store_close(file);
	store_close(store);
}

/* ---- errors ---- */

static void a_database_without_tables_says_what_makes_them(void **state)
{
	(void)state;
	need_server();
	_cleanup_free_ char *path = xasprintf("clickhouse://127.0.0.1:%u/empty", port);
	_cleanup_free_ char *message = message_of(path, NULL, false);

	assert_non_null(strstr(message, "dtprof store init --store=clickhouse://127.0.0.1:"));
}

static void credentials_are_of_a_private_file(void **state)
{
	static const char text[] = "user reader\npassword see it\n";
	const char *file = scratch_file("credentials");

	(void)state;
	need_server();
	store_close(open_server("read", true));
	_cleanup_free_ char *path = xasprintf("clickhouse://127.0.0.1:%u/read", port);

	file_write(file, text, sizeof(text) - 1);
	chmod(file, 0644);
	_cleanup_free_ char *open_to_all = message_of(path, file, false);

	assert_non_null(strstr(open_to_all, "others may read the credentials"));
	chmod(file, 0600);
	_cleanup_free_ char *read = message_of(path, file, false);

	assert_string_equal(read, "");
	/* who may only read makes no tables, and adds nothing */
	_cleanup_free_ char *made = message_of(path, file, true);

	assert_non_null(strstr(made, "readonly"));
	file_write(file, "user reader\npassword wrong\n", 27);
	_cleanup_free_ char *refused = message_of(path, file, false);

	assert_non_null(strstr(refused, "password"));
	assert_null(strstr(refused, "wrong"));
	static const char *const others[] = { "clickhouse://192.0.2.1/read",
					      "clickhouse://localhost.invalid/read",
					      "clickhouse://127.0.0.1.invalid:8123/read" };

	for (size_t i = 0; i < COUNT_OF(others); i++) {
		_cleanup_free_ char *far = message_of(others[i], file, false);

		assert_non_null(strstr(far, "by TLS alone"));
	}
}

static void tls_believes_known_certificates_alone(void **state)
{
	const char *file = scratch_file("credentials");
	_cleanup_free_ char *text =
		xasprintf("user reader\npassword see it\nauthority %s\n", scratch_file("ca.crt"));

	(void)state;
	need_server();
	if (!secure_port)
		skip_because("there is no openssl, which makes a certificate");
	store_close(open_server("read", true));
	_cleanup_free_ char *path = xasprintf("clickhouses://127.0.0.1:%u/read", secure_port);

	file_write(file, text, strlen(text));
	chmod(file, 0600);
	_cleanup_free_ char *read = message_of(path, file, false);

	assert_string_equal(read, "");
	_cleanup_free_ char *made = message_of(path, file, true);

	assert_non_null(strstr(made, "readonly"));
	/* the system does not know this authority, and the certificate is of another name */
	file_write(file, text, strlen("user reader\npassword see it\n"));
	_cleanup_free_ char *unknown = message_of(path, file, false);

	assert_non_null(strstr(unknown, "certificate"));
	assert_null(strchr(unknown, '\n'));
	_cleanup_free_ char *other = xasprintf("clickhouses://localhost:%u/read", secure_port);

	file_write(file, text, strlen(text));
	_cleanup_free_ char *renamed = message_of(other, file, false);

	assert_non_null(strstr(renamed, "localhost"));
	assert_null(strstr(renamed, "see it"));
}

static void names_of_stores_are_checked(void **state)
{
	static const char *const names[] = {
		"clickhouse://",
		"clickhouse://host",
		"clickhouse://host/",
		"clickhouse://user:secret@host/db",
		"clickhouse://host:99999/db",
		"clickhouse://host:0/db",
		"clickhouse://host/db?query=DROP",
		"clickhouse://host/db;x",
		"clickhouse://host/1db",
		"clickhouse://ho st/db",
		"clickhouse://host:80:80/db/x",
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		_cleanup_free_ char *message = message_of(names[i], NULL, false);

		assert_non_null(strstr(message, "a store on a server is called"));
	}
}

/* Answers each connection with the same bytes, until it is killed. */
static pid_t start_liar(const char *body, size_t size, bool endless, unsigned int *number)
{
	int listener = listen_somewhere(number);
	pid_t child = fork();

	assert_true(child >= 0);
	if (child) {
		close(listener);
		return child;
	}
	signal(SIGPIPE, SIG_IGN);
	for (;;) {
		char request[65536];
		int fd = accept(listener, NULL, NULL);
		_cleanup_free_ char *head =
			endless ? xstrdup("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
				: xasprintf("HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n"
					    "Connection: close\r\n\r\n",
					    size);

		(void)!read(fd, request, sizeof(request));
		(void)!write(fd, head, strlen(head));
		while (write(fd, body, size) == (ssize_t)size && endless)
			;
		close(fd);
	}
}

static void answers_are_not_believed(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		bool endless;
		const char *message;
	} lies[] = {
		{ "", 0, false, "has no tables" },
		{ "x", 1, false, "malformed" },
		{ "\x04text\x04kind\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 20, false,
		  "malformed" },
		{ "\x04text\x04kind\x05UInt8", 16, false, "another version" },
		{ "\x04text\x04kind\x05UInt8", 16, true, "more than" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(lies); i++) {
		unsigned int number;
		pid_t liar = start_liar(lies[i].bytes, lies[i].size, lies[i].endless, &number);
		_cleanup_free_ char *path = xasprintf("clickhouse://127.0.0.1:%u/db", number);
		_cleanup_free_ char *message = message_of(path, NULL, false);

		kill(liar, SIGKILL);
		waitpid(liar, NULL, 0);
		if (strstr(message, "needs libcurl"))
			skip_because("there is no libcurl (libcurl4)");
		if (!strstr(message, lies[i].message))
			fail_msg("%s", message);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_server_answers_as_a_file_does),
		cmocka_unit_test(the_same_batch_twice_at_once_counts_once),
		cmocka_unit_test(tables_of_another_version_are_refused),
		cmocka_unit_test(days_are_removed),
		cmocka_unit_test(a_kill_loses_and_doubles_nothing),
		cmocka_unit_test(a_database_without_tables_says_what_makes_them),
		cmocka_unit_test(credentials_are_of_a_private_file),
		cmocka_unit_test(tls_believes_known_certificates_alone),
		cmocka_unit_test(names_of_stores_are_checked),
		cmocka_unit_test(answers_are_not_believed),
	};

	return cmocka_run_group_tests(tests, NULL, tear_down);
}
