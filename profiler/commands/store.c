// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof store: what many recordings tell of types and fields, kept in one file of SQLite, or in a
 * database of ClickHouse.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <time.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/cli/input.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/sandbox.h"
#include "profiler/commands/annotate.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/html.h"
#include "profiler/commands/store.h"
#include "report/json.h"
#include "report/text.h"

#define DAY 86400

static struct {
	struct store_request request;
	const char *store; /* NULL: the user's own */
	const char *credentials, *cluster;
	const char *since, *until, *condition;
	struct store_where where; /* the same */
	const char *keys;         /* -s */
	unsigned int by;          /* enum store_order */
	const char *keep;
	const char *html; /* the file of a page; NULL: none */
	bool csv, no_types;
	bool store_failed; /* not what was to be added to it */
} options = { .request.level = 1 };

/* ---- where the store is ---- */

/* Sets *path to that of the user's own store, to be freed; `make` makes its folder. */
static struct error *own_store(bool make, char **path)
{
	_cleanup_free_ char *name = NULL;
	_cleanup_close_ int folder =
		own_folder_open(getenv("XDG_DATA_HOME"), ".local/share", "dtprof", make, &name);

	if (folder < 0)
		return error_create(make ? ERROR_PERMISSION : ERROR_NOT_FOUND,
				    "there is no folder %s that is believed; --store names a file",
				    name ?: "of $HOME");
	*path = xasprintf("%s/store.db", name);
	return NULL;
}

/* Opens the store, and enters the sandbox: from now on, the folder of a file alone can be written
 * to, or the server alone be asked. */
static struct error *open_store(bool create, bool init, struct store **store)
{
	_cleanup_free_ char *own = NULL;
	struct error *error = options.store ? NULL : own_store(create, &own);
	struct store_place place = { .path = options.store ?: own,
				     .credentials = options.credentials,
				     .cluster = options.cluster };

	*store = NULL;
	if (error)
		return error;
	unsigned int port = store_port(place.path);

	if (!port && (place.credentials || place.cluster))
		return error_other("--credentials and --cluster are for stores on servers "
				   "(--store=" STORE_SERVER "HOST/DATABASE)");
	/* the tables of a server are not made in passing */
	place.create = port ? init : create;
	if (port)
		sandbox_for_server(port, options.html, options.request.input.verbose);
	else
		sandbox_for(place.path, options.html, options.request.input.verbose);
	error = store_open(&place, store);
	return error && error->code == ERROR_NOT_FOUND && !port
		       ? error_prefix(error, "there is no store yet: 'dtprof store add' makes it")
		       : error;
}

/* ---- times ---- */

/* Sets *time to that of "90m", "24h", "7d" or "2w" ago, or of the day "2026-11-01" (UTC). */
static struct error *parse_moment(const char *option, const char *text, int64_t *moment)
{
	struct tm date = { 0 };
	char *end;
	double ago;

	if (!text)
		return NULL;
	end = strptime(text, "%Y-%m-%d", &date);
	if (end && !*end) {
		*moment = (int64_t)timegm(&date);
		return NULL;
	}
	if (option_quantity(text, &option_times, &ago) && !ends_with(text, "s")) {
		*moment = (int64_t)time(NULL) - (int64_t)ago;
		if (ends_with(text, "d") || ends_with(text, "w"))
			*moment -= *moment % DAY;
		return NULL;
	}
	return error_other("--%s takes a number of minutes, hours, days or weeks (90m, 24h, 7d, "
			   "2w) or a day (2026-11-01), not '%s'",
			   option, text);
}

static struct error *parse_choice(void)
{
	if (options.condition) {
		RETURN_ERROR(store_where_parse(options.condition, &options.where));
		options.request.choice.where = &options.where;
	}
	RETURN_ERROR(parse_moment("since", options.since, &options.request.choice.since));
	return parse_moment("until", options.until, &options.request.choice.until);
}

/* ---- adding ---- */

struct stored_facts {
	struct store_fact *items;
	size_t count, capacity;
	struct arena texts;
	const struct dso *dso; /* the last one, */
	const char *build;     /* and its build id as text */
};

/* Returns the image of a control group's container, else the service of systemd that is the last
 * one in its path; "": neither. */
static const char *image_text(const struct session *session, struct stored_facts *facts,
			      const struct result *result)
{
	static const char service[] = ".service";
	const char *image = session_cgroup_image(session, result->cgroup);
	const char *path = result->cgroup_name ?: "", *found = "";

	if (image)
		return image;
	for (size_t length; *path; path += length) {
		path += *path == '/';
		length = strcspn(path, "/");
		if (length > strlen(service) &&
		    !memcmp(path + length - strlen(service), service, strlen(service)))
			found = arena_strndup(&facts->texts, path, length);
	}
	return found;
}

/* Returns the build id of a place's object as text: as recorded, else that of the shown file. */
static const char *build_text(struct stored_facts *facts, struct dso *dso)
{
	const struct elf_image *image;
	const struct build_id *id = dso ? &dso->build_id : NULL;

	if (!dso || dso == facts->dso)
		return dso ? facts->build : "";
	image = id->size ? NULL : dso_image(dso, &options.request.input.dso, NULL);
	id = image ? elf_image_build_id(image) : id;
	facts->dso = dso;
	facts->build = "";
	if (id->size)
		facts->build = arena_strdup(&facts->texts, build_id_text(id).hex);
	return facts->build;
}

/* Makes a fact of each counted entry. */
static void collect_facts(const struct input *input, struct stored_facts *facts)
{
	const struct event *events = session_events(input->session, NULL);
	const struct resolution *resolution = input->resolution;

	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(resolution, input->counts, i);
		const struct resolved_place *place = entry_place(resolution, i);
		struct access_count count =
			count_accesses(&input->counts->entries[i], &place->access);
		const struct result_place *shown = result.place;

		array_add(facts->items, facts->count, facts->capacity) = (struct store_fact){
			.event = events[result.event].name,
			.object = place->dso ? place->dso->long_name : "",
			.build = build_text(facts, place->dso),
			.type = options.no_types ? "(types left out)"
						 : shown->type ?: "(unknown)",
			.field = shown->typed && shown->field ? shown->field : "",
			.offset = shown->typed ? result.span.offset : 0,
			.function = shown->symbol ?: "",
			.samples = count.samples,
			.period = count.period,
			.latency = count.weight,
			.loads = count.loads,
			.stores = count.stores,
			.cgroup = result.cgroup_name ?: "",
			.image = image_text(input->session, facts, &result),
		};
	}
}

/* Returns when a recording was made, in seconds since 1970: by its clock, else by its file. */
static int64_t recorded_at(const struct session *session, int64_t modified)
{
	struct session_clock clock;

	return (session_clock(session, &clock) ? (int64_t)clock.wall : modified) / 1000000000;
}

static struct error *add_resolved(struct store *store, struct input *input, bool *known)
{
	struct stored_facts facts = { 0 };
	_cleanup_free_ char *host = header_value(input->session, "hostname");
	_cleanup_free_ char *kernel = header_value(input->session, "os release");
	_cleanup_free_ char *processor = header_value(input->session, "cpudesc");
	size_t size;
	int64_t modified;
	const void *bytes = session_recording(input->session, &size, &modified);
	struct store_batch batch = { .host = host ?: "",
				     .kernel = kernel ?: "",
				     .processor = processor ?: "",
				     .time = recorded_at(input->session, modified),
				     .samples = session_totals(input->session)->samples };

	snprintf(batch.id, sizeof(batch.id), "%016" PRIx64 "%016" PRIx64, hash_bytes(bytes, size),
		 (uint64_t)size);
	collect_facts(input, &facts);

	struct error *error = store_add(store, &batch, facts.items, facts.count, known);

	options.store_failed = error != NULL;
	free(facts.items);
	arena_deinit(&facts.texts);
	return error;
}

/* A recording on its way to the store. */
struct added {
	char *path;
	bool known;
};

static struct error *add_file(struct store *store, const char *path, struct added *added)
{
	_cleanup_input_ struct input input = { 0 };
	uint64_t types = options.no_types ? 0 : NEED_TYPE | NEED_FIELD_NAME | NEED_ELEMENT;

	if (path)
		options.request.input.path = path;
	RETURN_ERROR(input_open(&options.request.input, &input));
	RETURN_ERROR(input_resolve(&options.request.input,
				   &(struct input_needs){ .needs = types | NEED_SYMBOL | NEED_DSO |
								   NEED_WEIGHT | NEED_DATA_SOURCE |
								   NEED_CGROUP },
				   &input));
	input_warn_if_empty(&input);
	RETURN_ERROR(add_resolved(store, &input, &added->known));
	added->path = xstrdup(input.path);
	return NULL;
}

/* Adds the recordings: those before one that cannot be read stay. */
static struct error *add_recordings(struct store *store, struct store_request *request _unused_,
				    int count, char **paths)
{
	struct added *added = xcalloc((size_t)count + 1, sizeof(*added));
	struct error *error = NULL, *lost;
	int done = 0;

	for (int i = 0; (i < count || !i) && !error; i++) {
		error = add_file(store, count ? paths[i] : NULL, &added[i]);
		done += !error;
	}
	lost = store_commit(store);
	options.store_failed |= lost != NULL;
	for (int i = 0; i < done; i++) {
		if (!lost && !options.request.input.quiet)
			note("%s: %s", added[i].path,
			     added[i].known ? "is in the store already" : "was added to the store");
		free(added[i].path);
	}
	free(added);
	if (error && lost)
		error_destroy(lost);
	return error ?: lost;
}

static struct error *store_init(struct store *store _unused_,
				struct store_request *request _unused_, int count _unused_,
				char **words _unused_)
{
	if (!options.request.input.quiet)
		note("the store is there");
	return NULL;
}

/* ---- tables ---- */

/* Rows on their way to text, JSON or comma-separated values. */
struct store_table {
	enum store_key keys[STORE_KEYS];
	size_t key_count;
	struct store_answer answer;
	struct strbuf text;
	struct json own, *json;
	unsigned int width; /* of the terminal; 0: none */
};

static struct error *parse_keys(const char *text, struct store_table *table)
{
	each_word (word, length, text) {
		enum store_key key = store_key_named(word, length);

		if (key == STORE_KEYS || table->key_count == STORE_KEYS)
			return error_other("-s takes type, typeoff, sym, dso, build, host, event, "
					   "kernel, cpu, cgroup, image and day, not '%.*s'",
					   (int)length, word);
		table->keys[table->key_count++] = key;
	}
	return table->key_count ? NULL : error_other("-s names no column");
}

static const char *const sum_names[STORE_SUMS] = { "samples", "period", "latency",
						   "loads",   "stores", "hosts" };

static void add_row_json(struct store_table *table, const struct store_row *row)
{
	struct json *json = table->json;

	json_object(json, NULL);
	for (size_t i = 0; i < table->key_count; i++)
		json_string(json, store_key_name(table->keys[i]), row->keys[i]);
	for (size_t i = 0; i < STORE_SUMS; i++)
		json_unsigned(json, sum_names[i], row->sums[i]);
	json_end(json);
}

static void add_row_csv(struct store_table *table, const struct store_row *row)
{
	for (size_t i = 0; i < table->key_count; i++) {
		csv_add_text(&table->text, row->keys[i]);
		strbuf_add_char(&table->text, ',');
	}
	for (size_t i = 0; i < STORE_SUMS; i++)
		strbuf_add_format(&table->text, "%s%" PRIu64, i ? "," : "", row->sums[i]);
	strbuf_add_char(&table->text, '\n');
}

/* Returns the share of a row, in percent, of what rows are sorted by. */
static double share_of(const struct store_table *table, const struct store_row *row)
{
	unsigned int sum = options.by < STORE_BY_HOSTS ? options.by : STORE_BY_SAMPLES;

	return percent_of(row->sums[sum], table->answer.total.sums[sum]);
}

static void add_row_text(struct store_table *table, const struct store_row *row)
{
	size_t start = table->text.length;

	strbuf_add_format(&table->text, "%8.2f%%  %10" PRIu64 "  %5" PRIu64, share_of(table, row),
			  row->samples, row->hosts);
	for (size_t i = 0; i < table->key_count; i++) {
		const char *slash =
			table->keys[i] == STORE_OBJECT ? strrchr(row->keys[i], '/') : NULL;

		strbuf_add_format(&table->text, "  %s", slash ? slash + 1 : row->keys[i]);
	}
	if (table->width)
		text_shorten_name(&table->text, start, table->width, terminal_ellipsis());
	strbuf_add_char(&table->text, '\n');
}

static void add_row(struct store_table *table, const struct store_row *row)
{
	if (options.request.json)
		add_row_json(table, row);
	else if (options.csv)
		add_row_csv(table, row);
	else
		add_row_text(table, row);
}

/* Begins the document of rows, as a member of this name of the page, or NULL. */
static void begin_table_json(struct json *json, const char *member)
{
	json_start(json, member, "dtprof-store", 1);
	json_array(json, "rows");
}

static void end_table_json(const struct store_table *table)
{
	json_end(table->json);
	json_unsigned(table->json, "samples", table->answer.total.samples);
	json_unsigned(table->json, "hosts", table->answer.total.hosts);
	json_end(table->json);
}

static void begin_table(struct store_table *table)
{
	if (options.request.json) {
		begin_table_json(table->json, NULL);
		return;
	}
	if (options.csv) {
		for (size_t i = 0; i < table->key_count; i++)
			strbuf_add_format(&table->text, "%s,", store_key_name(table->keys[i]));
		strbuf_add_string(&table->text, "samples,period,latency,loads,stores,hosts\n");
		return;
	}
	if (options.request.input.quiet)
		return;
	strbuf_add_format(&table->text, "# %7s  %10s  %5s", "Share", "Samples", "Hosts");
	for (size_t i = 0; i < table->key_count; i++)
		strbuf_add_format(&table->text, "  %s", store_key_name(table->keys[i]));
	strbuf_add_string(&table->text, "\n#\n");
}

static void end_table(struct store_table *table)
{
	if (options.request.json) {
		end_table_json(table);
		json_finish(table->json);
	}
	pager_start();
	print_text(&table->text);
	strbuf_deinit(&table->text);
}

static struct error *samples_or_error(const struct store_table *table)
{
	return table->answer.total.samples
		       ? NULL
		       : error_create(ERROR_NOT_FOUND, "the store has no samples of this choice");
}

/* Adds the chosen rows to a table, and frees them; its total stays. */
static struct error *select_rows(struct store *store, enum store_order order,
				 struct store_table *table,
				 void (*add)(struct store_table *table,
					     const struct store_row *row))
{
	struct error *error =
		store_select(store, table->keys, table->key_count, &options.request.choice, order,
			     options.request.entries, &table->answer);

	if (!error)
		array_each (const struct store_row, row, table->answer.rows, table->answer.count)
			add(table, row);
	store_answer_deinit(&table->answer);
	return error ?: samples_or_error(table);
}

/* Writes the page. Its script groups rows, so all are there. */
static struct error *write_store_page(struct store *store)
{
	struct store_table table = { 0 };
	struct html_document document;

	RETURN_ERROR(parse_keys("event,type,typeoff,dso", &table));
	RETURN_ERROR(html_open(&document, options.html, "store", NULL));
	table.json = &document.json;
	begin_table_json(table.json, "store");
	struct error *error = select_rows(store, STORE_BY_SAMPLES, &table, add_row_json);

	end_table_json(&table);
	return html_close(&document, error, options.request.input.quiet);
}

static struct error *show_rows(struct store *store, const char *keys)
{
	struct store_table table = { .text = STRBUF_TEXT,
				     .own = JSON_INIT(write_stdout, NULL),
				     .json = &table.own,
				     .width = terminal_width() };

	if (options.html &&
	    (options.request.json || options.csv || options.keys || options.request.entries ||
	     store_chooses_rows(&options.request.choice)))
		return error_other("--html cannot be combined with --json, --csv, -s, -n, or with "
				   "types, fields and functions: the page chooses rows itself");
	if (options.html)
		return write_store_page(store);
	RETURN_ERROR(parse_keys(options.keys ?: keys, &table));
	begin_table(&table);
	options.request.choice.brief = !options.request.json && !options.csv;
	struct error *error = select_rows(store, options.by, &table, add_row);

	end_table(&table);
	return error;
}

static struct error *store_top(struct store *store, struct store_request *request,
			       int count _unused_, char **words _unused_)
{
	if (!options.html && !request->entries)
		request->entries = 20;
	return show_rows(store, "typeoff");
}

static struct error *store_report(struct store *store, struct store_request *request _unused_,
				  int count _unused_, char **words _unused_)
{
	return show_rows(store, "type,typeoff");
}

/* ---- history ---- */

static struct error *ask_days(struct store *store, const struct store_choice *choice,
			      struct store_answer *days)
{
	static const enum store_key key[] = { STORE_DAY };

	return store_select(store, key, 1, choice, STORE_BY_KEYS, 0, days);
}

/* Returns the row of a day, or NULL. */
static const struct store_row *row_of_day(const struct store_answer *days, const char *day)
{
	size_t next = partition_point(0, days->count, i, strcmp(days->rows[i].keys[0], day) < 0);

	return next < days->count && !strcmp(days->rows[next].keys[0], day) ? &days->rows[next]
									    : NULL;
}

/* Prints the days of all samples, with what those of some are of them. */
static void print_days(const struct store_answer *all, const struct store_answer *some)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	struct json json = JSON_INIT(write_stdout, NULL);

	if (options.request.json)
		json_array(&json, NULL);
	else if (!options.request.input.quiet)
		strbuf_add_string(&text, "# Day           Share     Samples  Hosts\n#\n");
	array_each (const struct store_row, day, all->rows, all->count) {
		const struct store_row *row = row_of_day(some, day->keys[0]);
		uint64_t samples = row ? row->samples : 0, hosts = row ? row->hosts : 0;

		if (!options.request.json) {
			strbuf_add_format(&text, "%s  %8.2f%%  %10" PRIu64 "  %5" PRIu64 "\n",
					  day->keys[0], percent_of(samples, day->samples), samples,
					  hosts);
			continue;
		}
		json_object(&json, NULL);
		json_string(&json, "day", day->keys[0]);
		json_unsigned(&json, "samples", samples);
		json_unsigned(&json, "of", day->samples);
		json_unsigned(&json, "hosts", hosts);
		json_end(&json);
	}
	if (options.request.json)
		json_finish(&json);
	pager_start();
	print_text(&text);
}

/* Shows the days of a type, or of "type.field": the shortest type that has samples. */
static struct error *store_history(struct store *store, struct store_request *request,
				   int count _unused_, char **words)
{
	struct store_choice choice = request->choice;
	_cleanup_free_ char *type = xstrdup(words[0]);
	_cleanup_answer_ struct store_answer all = { 0 }, some = { 0 };

	choice.brief = true;
	RETURN_ERROR(ask_days(store, &choice, &all));
	for (char *dot = type; dot && !some.count; dot = strchr(dot + 1, '.')) {
		bool whole = dot == type;

		if (!whole)
			*dot = '\0';
		choice.texts[STORE_TYPE] = type;
		choice.texts[STORE_FIELD] = whole ? NULL : dot + 1;
		store_answer_deinit(&some);
		RETURN_ERROR(ask_days(store, &choice, &some));
		if (!whole)
			*dot = '.';
	}
	if (!some.count)
		return error_create(ERROR_NOT_FOUND, "the store has no samples of '%s'", words[0]);
	print_days(&all, &some);
	return NULL;
}

/* ---- batches ---- */

static struct error *store_list(struct store *store, struct store_request *request _unused_,
				int count _unused_, char **words _unused_)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	_cleanup_answer_ struct store_answer answer = { 0 };

	if (!options.request.input.quiet)
		strbuf_add_string(&text,
				  "# Time (UTC)             Samples  Host  Kernel  Processor\n#\n");
	RETURN_ERROR(store_batches(store, &options.request.choice, &answer));
	array_each (const struct store_row, row, answer.rows, answer.count)
		strbuf_add_format(&text, "%s  %10" PRIu64 "  %s  %s  %s\n", row->keys[0],
				  row->samples, row->keys[1], row->keys[2], row->keys[3]);
	pager_start();
	print_text(&text);
	return NULL;
}

static struct error *store_gc(struct store *store, struct store_request *request _unused_,
			      int count _unused_, char **words _unused_)
{
	int64_t before = 0;
	uint64_t removed;

	if (!options.keep)
		return error_other("--keep=90d says how long recordings are kept");
	RETURN_ERROR(parse_moment("keep", options.keep, &before));
	RETURN_ERROR(store_forget(store, before, &removed));
	if (!options.request.input.quiet)
		note("%" PRIu64 " recording%s removed", removed, removed == 1 ? " was" : "s were");
	return NULL;
}

/* ---- the command ---- */

// clang-format off
#define STORE_SPECS \
	GROUP("Store"), \
	OPTION(STRING, 0, "store", &options.store, "FILE|URL", "the store ($XDG_DATA_HOME/dtprof/store.db, else\n~/.local/share/dtprof/store.db), or\nclickhouse://HOST[:PORT]/DATABASE"), \
	OPTION(STRING, 0, "credentials", &options.credentials, "FILE", "user and password for a server, of a file that\nothers cannot read")
#define TIME_SPECS \
	OPTION(STRING, 0, "since", &options.since, "TIME", "recordings from then on: 90m, 24h, 7d, 2w, 2026-11-01"), \
	OPTION(STRING, 0, "until", &options.until, "TIME", "recordings before then"), \
	OPTION(STRING, 0, "host", &options.request.choice.texts[STORE_HOST], "PATTERN", "of these hosts")
#define PLACE_SPECS \
	GROUP("Choosing samples"), \
	TIME_SPECS, \
	OPTION(STRING, 0, "event", &options.request.choice.texts[STORE_EVENT], "PATTERN", "of these events"), \
	OPTION(STRING, 0, "cgroup", &options.request.choice.texts[STORE_CGROUP], "PATTERN", "of these control groups"), \
	OPTION(STRING, 0, "image", &options.request.choice.texts[STORE_IMAGE], "PATTERN", "of containers of these images, or these services"), \
	OPTION(STRING, 0, "where", &options.condition, "CONDITION", "as in SQL: \"build = 83f6 and host like 'web%'\"")
#define CHOICE_SPECS \
	PLACE_SPECS, \
	OPTION(STRING, 0, "build", &options.request.choice.texts[STORE_BUILD], "ID", "of objects whose build id begins so"), \
	OPTION(STRING, 0, "dso", &options.request.choice.texts[STORE_OBJECT], "PATTERN", "of objects with this path or name")
#define FIELD_SPECS \
	OPTION(STRING, 0, "type", &options.request.choice.texts[STORE_TYPE], "NAME", "only these types"), \
	OPTION(STRING, 0, "field", &options.request.choice.texts[STORE_FIELD], "PATTERN", "only these fields"), \
	OPTION(STRING, 0, "sym", &options.request.choice.texts[STORE_FUNCTION], "PATTERN", "only these functions")
#define OUTPUT_SPECS \
	GROUP("Output"), \
	FLAG('q', "quiet", &options.request.input.quiet, "print no headings"), \
	FLAG(0, "json", &options.request.json, "print JSON (Documentation/json.md)")

static const struct option_spec init_specs[] = {
	STORE_SPECS,
	OPTION(STRING, 0, "cluster", &options.cluster, "NAME", "make the tables of a server of this cluster"),
	FLAG('q', "quiet", &options.request.input.quiet, "print nothing"),
	OPTIONS_END,
};
static const struct option_spec add_specs[] = {
	STORE_SPECS,
	FLAG(0, "no-types", &options.no_types, "add functions alone, which needs little memory"),
	GROUP("Input"),
	INPUT_OPTION_SPECS(options.request.input),
	OPTIONS_END,
};
static const struct option_spec store_report_specs[] = {
	STORE_SPECS,
	CHOICE_SPECS,
	FIELD_SPECS,
	GROUP("Rows"),
	OPTION(STRING, 's', "sort", &options.keys, "KEYS", "type, typeoff, sym, dso, build, host, event, kernel, cpu, cgroup,\nimage, day"),
	OPTION(ENUM, 0, "by", WORDS(options.by, "samples", "period", "latency", "hosts"), "WHAT", "sort by samples, period, latency or hosts"),
	OPTION(UNSIGNED, 'n', "entries", &options.request.entries, "N", "show so many rows"),
	OUTPUT_SPECS,
	FLAG(0, "csv", &options.csv, "print comma-separated values"),
	OPTION(STRING, 0, "html", &options.html, "FILE", "write a page for browsers, with types and fields"),
	OPTIONS_END,
};
static const struct option_spec history_specs[] = {
	STORE_SPECS,
	CHOICE_SPECS,
	OUTPUT_SPECS,
	OPTIONS_END,
};
static const struct option_spec store_diff_specs[] = {
	STORE_SPECS,
	PLACE_SPECS,
	GROUP("Rows"),
	FLAG(0, "all", &options.request.all, "also those that changed within noise"),
	OPTION(PERCENT, 0, "level", &options.request.level, "PERCENT", "so many comparisons of builds that are alike may show\na change (1)"),
	OPTION(UNSIGNED, 'n', "entries", &options.request.entries, "N", "show so many rows"),
	OUTPUT_SPECS,
	OPTIONS_END,
};
static const struct option_spec store_check_specs[] = {
	STORE_SPECS,
	PLACE_SPECS,
	OUTPUT_SPECS,
	OPTIONS_END,
};
static const struct option_spec store_list_specs[] = {
	STORE_SPECS,
	GROUP("Choosing recordings"),
	TIME_SPECS,
	FLAG('q', "quiet", &options.request.input.quiet, "print no headings"),
	OPTIONS_END,
};
static const struct option_spec gc_specs[] = {
	STORE_SPECS,
	OPTION(STRING, 0, "keep", &options.keep, "TIME", "how long recordings are kept: 90d, 12w"),
	FLAG('q', "quiet", &options.request.input.quiet, "print nothing"),
	OPTIONS_END,
};
#define COMMAND(word, words, text, specs) { .name = "store " word, .synopsis = words, .summary = text, .options = specs }

static const struct store_command {
	struct command_usage usage;
	int least, most; /* words */
	struct error *(*run)(struct store *store, struct store_request *request, int count, char **words);
} store_commands[] = {
	{ COMMAND("init", "[OPTIONS]", "Make an empty store, or its tables on a server; one that is there stays.", init_specs), 0, 0, store_init },
	{ COMMAND("add", "[OPTIONS] [FILE...]", "Add recordings to the store; one that is there already changes nothing.", add_specs), 0, INT_MAX, add_recordings },
	{ COMMAND("top", "[OPTIONS]", "Show the fields with the most samples of all recordings.", store_report_specs), 0, 0, store_top },
	{ COMMAND("report", "[OPTIONS]", "Show the samples of all recordings by these columns.", store_report_specs), 0, 0, store_report },
	{ COMMAND("diff", "[OPTIONS] BUILD BUILD", "Show the fields whose share changed from one build to another one.", store_diff_specs), 2, 2, store_diff },
	{ COMMAND("regress", "[OPTIONS] BUILD BUILD", "Show the fields whose share rose beyond what hosts differ by. Status 1: one did.", store_diff_specs), 2, 2, store_regress },
	{ COMMAND("check", "[OPTIONS] RULES PROGRAM...", "Check layouts, and the heat of these builds in the store, against a file of rules. Status 1: a rule is broken.", store_check_specs), 2, INT_MAX, store_check },
	{ COMMAND("history", "[OPTIONS] TYPE[.FIELD]", "Show the share of a type or a field day by day.", history_specs), 1, 1, store_history },
	{ COMMAND("list", "[OPTIONS]", "List the recordings in the store.", store_list_specs), 0, 0, store_list },
	{ COMMAND("gc", "--keep=TIME [OPTIONS]", "Remove recordings of days that are past.", gc_specs), 0, 0, store_gc },
};
// clang-format on

static int run_store(const struct store_command *command, int argc, char **argv)
{
	bool init = command->run == store_init, adds = init || command->run == add_recordings,
	     judges = command->run == store_regress ||
		      command->run == store_check; /* 1 is a finding, and errors have 2 */
	struct store *store;
	struct error *error;
	int rest, status;

	if (!command_begin(argc, argv, &command->usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	error = rest < command->least || rest > command->most
			? error_other("usage: dtprof %s %s", command->usage.name,
				      command->usage.synopsis)
			: parse_choice();
	if (error)
		return command_fail_usage(error);
	error = open_store(adds, init, &store);
	options.store_failed = error != NULL;
	if (!error)
		error = command->run(store, &options.request, rest, argv);
	status = error ? command_fail(error) : options.request.found && judges;
	status += error && judges;
	if (status == EXIT_FAILURE && adds && options.store_failed)
		status = EXIT_LATER;
	store_close(store);
	store_where_deinit(&options.where);
	return status;
}

int command_store(int argc, char **argv)
{
	static const struct option_spec specs[] = {
		OPTIONS_END,
	};
	static const struct command_usage usage = {
		.name = "store",
		.synopsis = "init|add|top|report|diff|regress|check|history|list|gc [OPTIONS]",
		.summary = "Keep what many recordings tell of types and fields, and ask about all "
			   "of them ('dtprof store add --help' and so on).",
		.options = specs,
	};
	int rest, status;

	for (size_t i = 0; argc > 1 && i < COUNT_OF(store_commands); i++)
		if (!strcmp(argv[1], store_commands[i].usage.name + strlen("store ")))
			return run_store(&store_commands[i], argc - 1, argv + 1);
	if (!command_begin(argc, argv, &usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	return command_fail_usage(error_other(
		"store takes init, add, top, report, diff, regress, check, history, list or gc"));
}
