// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements script_counts.h.
 *
 * A STAT record has the count of one event in one thread on one processor since the start. The
 * record STAT_ROUND ends an interval: all counts are printed with its time, also those that had no
 * record in this interval. As in perf, recordings of `perf stat -I` show what each interval added.
 * STAT records name threads by their index in the record THREAD_MAP, and -1 stands for all threads
 * or processors.
 */
#include "profiler/commands/script_counts.h"

#include <inttypes.h>
#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "report/json.h"

#define TASK_NAME_SIZE 16 /* in THREAD_MAP */

struct event_id {
	uint64_t id;
	uint32_t event;
};

struct stat_values {
	uint64_t value, enabled, running;
};

/* Sorted by event, thread and processor. */
struct stat_count {
	uint32_t event, thread;
	int32_t cpu;
	struct stat_values latest, before; /* before this interval */
};

struct stat_reader {
	enum output_format format;
	const struct event *events;
	struct event_id *ids; /* sorted */
	size_t id_count;
	int32_t *threads; /* of THREAD_MAP */
	size_t thread_count;
	struct stat_count *counts;
	size_t count, capacity;
	bool has_heading, by_interval;
	struct strbuf text;
	struct error *error; /* the first; records after it are not read */
};

bool session_has_counts(const struct session *session)
{
	uint64_t counts[SESSION_RECORD_TYPES];

	session_count_records(session, counts);
	return counts[PERF_RECORD_STAT];
}

/* ---- reading ---- */

static int compare_ids(const void *left, const void *right)
{
	const struct event_id *a = left, *b = right;

	return a->id < b->id ? -1 : a->id > b->id;
}

static void find_ids(struct stat_reader *reader, size_t event_count)
{
	size_t capacity = 0;

	for (size_t i = 0; i < event_count; i++)
		for (size_t k = 0; k < reader->events[i].id_count; k++) {
			array_reserve(reader->ids, reader->id_count, capacity);
			reader->ids[reader->id_count++] =
				(struct event_id){ reader->events[i].ids[k], (uint32_t)i };
		}
	if (reader->id_count)
		qsort(reader->ids, reader->id_count, sizeof(*reader->ids), compare_ids);
}

static struct cursor contents(const struct record_view *record)
{
	struct cursor cursor = cursor_of(record->data, record->size, record->swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	return cursor;
}

static void read_threads(struct stat_reader *reader, const struct record_view *record)
{
	struct cursor cursor = contents(record);
	uint64_t count = cursor_u64(&cursor);
	size_t capacity = 0;

	reader->thread_count = 0;
	free(reader->threads);
	reader->threads = NULL;
	while (count-- && cursor_left(&cursor) >= sizeof(uint64_t) + TASK_NAME_SIZE) {
		array_reserve(reader->threads, reader->thread_count, capacity);
		reader->threads[reader->thread_count++] = (int32_t)cursor_u64(&cursor);
		cursor_skip(&cursor, TASK_NAME_SIZE);
	}
}

static int compare_counts(const struct stat_count *a, const struct stat_count *b)
{
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	return a->cpu < b->cpu ? -1 : a->cpu > b->cpu;
}

/* Reads the options of perf stat: pairs of a tag and a value. */
static void read_options(struct stat_reader *reader, const struct record_view *record)
{
	struct cursor cursor = contents(record);
	uint64_t count = cursor_u64(&cursor);

	while (count-- && cursor_left(&cursor) >= 2 * sizeof(uint64_t)) {
		uint64_t tag = cursor_u64(&cursor), value = cursor_u64(&cursor);

		if (tag == PERF_STAT_CONFIG_TERM__INTERVAL)
			reader->by_interval = value != 0;
	}
}

/* Puts a count in the place of the one before it. */
static void keep_count(struct stat_reader *reader, const struct stat_count *count)
{
	size_t low = 0, high = reader->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_counts(&reader->counts[middle], count) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == reader->count || compare_counts(&reader->counts[low], count)) {
		array_reserve(reader->counts, reader->count, reader->capacity);
		memmove(&reader->counts[low + 1], &reader->counts[low],
			(reader->count++ - low) * sizeof(*count));
		reader->counts[low] = *count;
	}
	reader->counts[low].latest = count->latest;
}

static void read_count(struct stat_reader *reader, const struct record_view *record)
{
	struct cursor cursor = contents(record);
	struct event_id wanted = { .id = cursor_u64(&cursor) };
	struct stat_count count = { .cpu = (int32_t)cursor_u32(&cursor) };
	const struct event_id *found;

	count.thread = cursor_u32(&cursor);
	if (cursor_left(&cursor) < 3 * sizeof(uint64_t)) {
		reader->error = error_create(
			ERROR_FORMAT, "%s: the count at 0x%" PRIx64 " is shorter than its fields",
			record->file, record->offset);
		return;
	}
	found = reader->id_count ? bsearch(&wanted, reader->ids, reader->id_count, sizeof(wanted),
					   compare_ids)
				 : NULL;
	if (!found) {
		reader->error = error_create(ERROR_FORMAT,
					     "%s: the count at 0x%" PRIx64
					     " belongs to no event of the file (id %" PRIu64 ")",
					     record->file, record->offset, wanted.id);
		return;
	}
	count.event = found->event;
	count.latest.value = cursor_u64(&cursor);
	count.latest.enabled = cursor_u64(&cursor);
	count.latest.running = cursor_u64(&cursor);
	keep_count(reader, &count);
}

/* ---- printing ---- */

static int32_t thread_of(const struct stat_reader *reader, const struct stat_count *count)
{
	return count->thread < reader->thread_count ? reader->threads[count->thread] : -1;
}

static void print_heading(struct stat_reader *reader)
{
	if (reader->format == OUTPUT_CSV)
		printf("cpu,thread,value,enabled,running,time,event\n");
	else if (reader->format == OUTPUT_TEXT)
		printf("%3s %8s %15s %15s %15s %15s %s\n", "CPU", "THREAD", "VAL", "ENA", "RUN",
		       "TIME", "EVENT");
	reader->has_heading = true;
}

/* Returns what is printed: with intervals, what was added in this one. */
static struct stat_values shown_values(const struct stat_reader *reader,
				       const struct stat_count *count)
{
	struct stat_values values = count->latest;

	if (reader->by_interval) {
		values.value -= count->before.value;
		values.enabled -= count->before.enabled;
		values.running -= count->before.running;
	}
	return values;
}

static void print_json(const struct stat_reader *reader, const struct stat_count *count,
		       uint64_t time)
{
	struct stat_values values = shown_values(reader, count);
	struct json json = JSON_INIT(write_stdout, NULL);

	json.compact = true;
	json_object(&json, NULL);
	json_signed(&json, "cpu", count->cpu);
	json_signed(&json, "thread", thread_of(reader, count));
	json_unsigned(&json, "value", values.value);
	json_unsigned(&json, "enabled", values.enabled);
	json_unsigned(&json, "running", values.running);
	json_unsigned(&json, "time", time);
	json_string(&json, "event", reader->events[count->event].name);
	json_end(&json);
	json_finish(&json);
}

static void print_count(struct stat_reader *reader, const struct stat_count *count, uint64_t time)
{
	const char *name = reader->events[count->event].name;
	struct stat_values values = shown_values(reader, count);
	struct strbuf *text = &reader->text;

	if (reader->format == OUTPUT_CSV) {
		strbuf_add_format(text, "%d,%d,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",",
				  count->cpu, thread_of(reader, count), values.value,
				  values.enabled, values.running, time);
		csv_add_text(text, name);
	} else {
		strbuf_add_format(
			text, "%3d %8d %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " %15" PRIu64 " %s",
			count->cpu, thread_of(reader, count), values.value, values.enabled,
			values.running, time, name);
	}
	strbuf_end_line(text, 0);
	fwrite(text->data, 1, text->length, stdout);
	strbuf_reset(text);
}

static void print_round(struct stat_reader *reader, const struct record_view *record)
{
	struct cursor cursor = contents(record);
	uint64_t time;

	cursor_skip(&cursor, sizeof(uint64_t)); /* whether it is the last */
	time = cursor_u64(&cursor);
	if (!reader->has_heading)
		print_heading(reader);
	for (size_t i = 0; i < reader->count; i++) {
		if (reader->format == OUTPUT_JSON)
			print_json(reader, &reader->counts[i], time);
		else
			print_count(reader, &reader->counts[i], time);
		reader->counts[i].before = reader->counts[i].latest;
	}
}

static void read_record(const struct record_view *record, void *data)
{
	struct stat_reader *reader = data;

	if (reader->error)
		return;
	switch (record->type) {
	case PERF_RECORD_THREAD_MAP: read_threads(reader, record); break;
	case PERF_RECORD_STAT_CONFIG: read_options(reader, record); break;
	case PERF_RECORD_STAT: read_count(reader, record); break;
	case PERF_RECORD_STAT_ROUND: print_round(reader, record); break;
	default: break;
	}
}

struct error *script_print_counts(struct session *session, enum output_format format)
{
	size_t event_count;
	struct stat_reader reader = { .format = format,
				      .events = session_events(session, &event_count),
				      .text = STRBUF_INIT };

	find_ids(&reader, event_count);
	session_each_view(session, read_record, &reader);
	free(reader.ids);
	free(reader.threads);
	free(reader.counts);
	strbuf_deinit(&reader.text);
	return reader.error;
}
