// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Real perf.data files of fifteen years: the samples of each event, by comm and dso, as perf 7.2
 * counts them.
 *
 * The files and perf's tables lie beside the project; without them the tests are skipped.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/ingest/header.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session.h"
#include "tests/support/files.h"
#include "tests/support/unit.h"

#define ROW_TEXT 512

/* One line of a table: samples of an event by comm and dso. */
struct row {
	char key[ROW_TEXT]; /* "comm|dso" */
	uint64_t samples;
};

struct table {
	char name[ROW_TEXT]; /* of the event */
	uint64_t period;
	bool has_period;
	struct row *rows;
	size_t count;
	size_t capacity;
	bool used;
};

struct tables {
	struct table *items;
	size_t count;
	size_t capacity;
	bool none; /* perf gave no table */
};

static void tables_deinit(struct tables *tables)
{
	for (size_t i = 0; i < tables->count; i++)
		free(tables->items[i].rows);
	free(tables->items);
	*tables = (struct tables){ 0 };
}

static struct table *tables_add(struct tables *tables, const char *name)
{
	array_reserve(tables->items, tables->count, tables->capacity);
	struct table *table = &tables->items[tables->count++];

	*table = (struct table){ 0 };
	snprintf(table->name, sizeof(table->name), "%.500s", name);
	return table;
}

static void table_add(struct table *table, const char *key, uint64_t samples)
{
	if (!samples)
		return;
	for (size_t i = 0; i < table->count; i++)
		if (!strcmp(table->rows[i].key, key)) {
			table->rows[i].samples += samples;
			return;
		}
	array_reserve(table->rows, table->count, table->capacity);
	snprintf(table->rows[table->count].key, ROW_TEXT, "%s", key);
	table->rows[table->count++].samples = samples;
}

/* Parses "# Samples: 13  of events 'anon group { a, b }'", which begins a table for each event.
 * Returns the number of events. */
static size_t expect_events(struct tables *tables, const char *line)
{
	const char *quote = strchr(line, '\'');
	char names[2 * ROW_TEXT];
	size_t count = 0;

	assert_non_null(quote);
	snprintf(names, sizeof(names), "%s", quote + 1);
	*strrchr(names, '\'') = '\0';
	char *brace = strstr(line, "of events") ? strchr(names, '{') : NULL;

	if (!brace) {
		tables_add(tables, names);
		return 1;
	}
	*strrchr(brace, '}') = '\0';
	for (char *name = strtok(brace + 1, ","); name; name = strtok(NULL, ",")) {
		while (*name == ' ')
			name++;
		name[strcspn(name, " ")] = '\0';
		tables_add(tables, name);
		count++;
	}
	return count;
}

/* Parses "88.77%|485|comm|dso", which has one more column with children, and the counts of several
 * events between blanks. */
static void expect_row(struct tables *tables, size_t group, char *line)
{
	char *columns[8];
	size_t count = 0;

	if (line[strspn(line, " 0123456789.")] != '%' || line[0] == '|')
		return;
	for (char *column = strtok(line, "|"); column && count < 8; column = strtok(NULL, "|"))
		columns[count++] = column;
	if (count < 4)
		return;
	char key[2 * ROW_TEXT];
	char *samples = columns[count - 3];

	snprintf(key, sizeof(key), "%s|%s", columns[count - 2], columns[count - 1]);
	for (size_t i = 0; i < group; i++)
		table_add(&tables->items[tables->count - group + i], key,
			  strtoull(samples, &samples, 10));
}

static bool expect_read(const char *name, struct tables *tables)
{
	char path[ROW_TEXT];
	char line[16384];
	size_t group = 0;

	*tables = (struct tables){ 0 };
	snprintf(path, sizeof(path), PERFDATA "/expected/%s.comm_dso", name);
	FILE *file = fopen(path, "r");

	if (!file)
		return false;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strstr(line, "gives no table"))
			tables->none = true;
		else if (!strncmp(line, "# Samples: ", 11))
			group = expect_events(tables, line);
		else if (!strncmp(line, "# Event count (approx.): ", 25) && group == 1) {
			tables->items[tables->count - 1].period = strtoull(line + 25, NULL, 10);
			tables->items[tables->count - 1].has_period = true;
		} else if (line[0] != '#')
			expect_row(tables, group, line);
	}
	fclose(file);
	return true;
}

struct found {
	struct session *session;
	struct tables tables; /* one for each event, by index */
};

static void found_add(struct found *found, uint32_t event, const char *comm, const struct dso *dso,
		      uint64_t samples)
{
	char key[ROW_TEXT];

	snprintf(key, sizeof(key), "%s|%s", comm, dso ? dso->short_name : "[unknown]");
	table_add(&found->tables.items[event], key, samples);
}

/* Returns whether perf's tables of the file count the branches of samples, not the samples. */
static bool has_branches(const struct session *session)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	for (size_t i = 0; i < count; i++)
		if (events[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			return true;
	return false;
}

static void found_count(struct found *found)
{
	struct sample_counts *counts;
	size_t events;
	const struct event *event = session_events(found->session, &events);

	assert_null(session_count(found->session, COUNT_DSO | COUNT_COMM, &counts));
	for (size_t i = 0; i < events; i++)
		tables_add(&found->tables, event[i].name)->period = event[i].period;
	for (size_t i = 0; i < counts->count; i++) {
		const struct counted *counted = &counts->entries[i];

		/* perf shows guests' samples with --guest only. */
		if (counted->level != 'g' && counted->level != 'u')
			found_add(found, counted->event,
				  session_comm(found->session, counted->comm), counted->dso,
				  counted->samples);
	}
	sample_counts_destroy(counts);
}

static unsigned int compare_rows(const char *name, const struct table *expected,
				 const struct table *found)
{
	unsigned int differences = 0;

	for (size_t side = 0; side < 2; side++) {
		const struct table *of = side ? found : expected;
		const struct table *in = side ? expected : found;

		for (size_t i = 0; i < of->count; i++) {
			uint64_t other = 0;

			for (size_t j = 0; j < in->count; j++)
				if (!strcmp(in->rows[j].key, of->rows[i].key))
					other = in->rows[j].samples;
			if (other == of->rows[i].samples || (side && other))
				continue;
			differences++;
			print_error("%s: %s: %s: expected %" PRIu64 ", found %" PRIu64 "\n", name,
				    expected->name, of->rows[i].key,
				    side ? other : of->rows[i].samples,
				    side ? of->rows[i].samples : other);
		}
	}
	if (expected->has_period && expected->period != found->period) {
		differences++;
		print_error("%s: %s: expected a period of %" PRIu64 ", found %" PRIu64 "\n", name,
			    expected->name, expected->period, found->period);
	}
	return differences;
}

/* Returns true for names of events that perf makes from hardware traces, which are not decoded
 * here. */
static bool is_synthesized(const char *name)
{
	return !strcmp(name, "psb") || !strcmp(name, "cbr");
}

/*
 * If a pipe describes events before it declares them, perf misses their names and makes up its own.
 */
static bool found_has_name(const struct found *found, size_t index, const char *name)
{
	size_t count;
	const struct event *event = &session_events(found->session, &count)[index];
	_cleanup_free_ char *made = event_name_from_attr(&event->attr);

	return !strcmp(event->name, name) || !strcmp(made, name);
}

static unsigned int compare_tables(const char *name, struct tables *expected, struct found *found)
{
	unsigned int differences = 0;

	for (size_t i = 0; i < expected->count; i++) {
		struct table *match = NULL;

		if (is_synthesized(expected->items[i].name))
			continue;
		for (size_t j = 0; j < found->tables.count && !match; j++)
			if (!found->tables.items[j].used && found->tables.items[j].count &&
			    found_has_name(found, j, expected->items[i].name))
				match = &found->tables.items[j];
		if (!match && !expected->items[i].count)
			continue;
		if (!match) {
			print_error("%s: no samples of event %s\n", name, expected->items[i].name);
			differences++;
			continue;
		}
		match->used = true;
		differences += compare_rows(name, &expected->items[i], match);
	}
	for (size_t j = 0; j < found->tables.count; j++)
		if (!found->tables.items[j].used && found->tables.items[j].count &&
		    !expected->none) {
			print_error("%s: event %s is not in perf's tables\n", name,
				    found->tables.items[j].name);
			differences++;
		}
	return differences;
}

static void print_warning(void *data, const char *message)
{
	(void)data;
	print_message("  warning: %s\n", message);
}

static unsigned int compare_file(const char *name, unsigned int threads)
{
	struct session_options options = { .force = true,
					   .threads = threads,
					   .warn = print_warning };
	struct found found = { 0 };
	struct tables expected;
	char path[ROW_TEXT];
	unsigned int differences = 0;

	snprintf(path, sizeof(path), PERFDATA "/files/%s.data", name);
	struct error *error = session_open(path, &options, &found.session);
	bool has_expected = expect_read(name, &expected);

	if (error) {
		print_error("%s: %s\n", name, error->message);
		error_destroy(error);
		tables_deinit(&expected);
		return 1;
	}
	found_count(&found);
	if (has_expected && !has_branches(found.session))
		differences = compare_tables(name, &expected, &found);
	session_close(found.session);
	tables_deinit(&found.tables);
	tables_deinit(&expected);
	return differences;
}

struct tally {
	unsigned int files;
	unsigned int agree;
	unsigned int threads;
};

static void compare_visit(const char *name, void *data)
{
	struct tally *tally = data;

	print_message("%s\n", name);
	tally->files++;
	tally->agree += compare_file(name, tally->threads) == 0;
}

static void real_files_count_as_in_perf(void **state)
{
	struct tally tally = { .threads = 1 };

	(void)state;
	each_data_file(PERFDATA "/files", compare_visit, &tally);
	print_message("%u of %u files agree with perf\n", tally.agree, tally.files);
	assert_int_equal(tally.agree, tally.files);
}

/* Asserts the number of memory loads of each weight, as perf's --mem-mode prints them:
 * "14.43%|1|...|249" */
static void assert_weights(const struct sample_counts *counts, FILE *table)
{
	char line[1024];
	unsigned int rows = 0;

	while (fgets(line, sizeof(line), table)) {
		char *samples = strchr(line, '|');
		char *weight = strrchr(line, '|');
		uint64_t found = 0;
		uint64_t expected = 0;

		if (line[0] == '#' || !samples || samples == weight)
			continue;
		uint64_t value = strtoull(weight + 1, NULL, 10);

		/* Rows of one weight that differ in other columns are one row here, so each is
		 * searched in all of them. */
		for (size_t i = 0; i < counts->count; i++)
			found +=
				counts->entries[i].weight == value ? counts->entries[i].samples : 0;
		expected = strtoull(samples + 1, NULL, 10);
		if (found < expected)
			fail_msg("%llu samples of weight %llu, not %llu", (unsigned long long)found,
				 (unsigned long long)value, (unsigned long long)expected);
		rows++;
	}
	assert_true(rows > 5);
}

static void weights_are_as_in_perf(void **state)
{
	struct session_options options = { .force = true, .threads = 1 };
	struct session *session;
	struct sample_counts *counts;
	FILE *table = fopen(PERFDATA "/expected/perf.data.weight_struct.mem", "r");
	uint64_t total = 0;

	(void)state;
	if (!table)
		skip_because("no %s", PERFDATA "/expected/perf.data.weight_struct.mem");
	struct error *error =
		session_open(PERFDATA "/files/perf.data.weight_struct.data", &options, &session);

	assert_null(error);
	error = session_count(session, COUNT_WEIGHT | COUNT_DATA_SOURCE, &counts);
	assert_null(error);
	assert_weights(counts, table);
	for (size_t i = 0; i < counts->count; i++)
		total += counts->entries[i].event == 0 ? counts->entries[i].weight_total : 0;
	assert_int_equal(total, 1725); /* "# Total weight" of the table */
	sample_counts_destroy(counts);
	session_close(session);
	fclose(table);
}

static void hostile_visit(const char *name, void *data)
{
	struct session_options options = { .force = true, .threads = 2, .warn = print_warning };
	struct sample_counts *counts = NULL;
	struct session *session;
	char path[ROW_TEXT];
	unsigned int *files = data;

	snprintf(path, sizeof(path), PERFDATA "/hostile/%s.data", name);
	struct error *error = session_open(path, &options, &session);

	++*files;
	if (!error) {
		error = session_count(session, COUNT_PLACE | COUNT_COMM | COUNT_WEIGHT, &counts);
		print_message("%s: read, %zu different samples\n", name,
			      counts ? counts->count : 0);
		sample_counts_destroy(counts);
		session_close(session);
	}
	if (error) {
		print_message("%s\n", error->message);
		assert_int_not_equal(strlen(error->message), 0);
		error_destroy(error);
	}
}

static void hostile_files_give_an_error_or_a_result(void **state)
{
	unsigned int files = 0;

	(void)state;
	each_data_file(PERFDATA "/hostile", hostile_visit, &files);
	assert_int_not_equal(files, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(real_files_count_as_in_perf),
		cmocka_unit_test(weights_are_as_in_perf),
		cmocka_unit_test(hostile_files_give_an_error_or_a_result),
	};

	return cmocka_run_group_tests_name("perfdata", tests, NULL, NULL);
}
