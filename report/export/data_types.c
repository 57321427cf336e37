// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Histograms of types by offset, in the JSON that perf writes (perf report -s type
 * --data-type-json=FILE) and pahole reads (--perf-data-type): for each object the types, and for
 * each type and event the samples at each offset, loads and stores apart. The form is that of
 * perf's and pahole's development trees of October 2026, after perf 7.2.
 */
#include "report/export/export.h"

#include "base/memory.h"
#include "report/json.h"

/* The samples at one offset of a type. */
struct type_count {
	const char *object; /* path; "": none */
	const char *type;
	uint64_t size;  /* of the type; 0: not known */
	uint64_t shape; /* tells types of one name and size apart */
	uint32_t event;
	int64_t offset;
	uint64_t samples, period, loads, stores;
};

COMPARISON(by_type, struct type_count,
	   BY_TEXT(object) BY_TEXT(type) ASCENDING(size) ASCENDING(shape) ASCENDING(event)
		   ASCENDING(offset))

static bool is_same_type(const struct type_count *a, const struct type_count *b)
{
	return !strcmp(a->object, b->object) && !strcmp(a->type, b->type) && a->size == b->size &&
	       a->shape == b->shape;
}

/* Collects the rows whose type is known, and sorts them. */
static struct type_count *collect_types(const struct export_profile *profile, size_t *count)
{
	struct type_count *counts = xcalloc(profile->row_count + 1, sizeof(*counts));

	*count = 0;
	array_each (const struct export_row, row, profile->rows, profile->row_count) {
		if (!row->place || !row->place->typed)
			continue;
		counts[(*count)++] = (struct type_count){
			.object = row->place->dso_path ?: "",
			.type = row->place->type,
			.size = row->type_size,
			.shape = row->type_shape,
			.event = row->event,
			.offset = row->span.size ? row->span.offset : row->place->offset,
			.samples = row->samples,
			.period = row->period,
			.loads = row->loads,
			.stores = row->stores,
		};
	}
	array_sort(counts, *count, by_type);
	return counts;
}

/* Returns the part of a period of `samples`: loads and stores have the same periods. */
static uint64_t share_of_period(const struct type_count *sum, uint64_t samples)
{
	return sum->samples
		       ? (uint64_t)((double)sum->period * (double)samples / (double)sum->samples +
				    0.5)
		       : 0;
}

static void write_offset(const struct type_count *sum, struct json *json)
{
	json_object(json, NULL);
	json_signed(json, "offset", sum->offset);
	json_unsigned(json, "nr_samples_load", sum->loads);
	json_unsigned(json, "period_load", share_of_period(sum, sum->loads));
	json_unsigned(json, "nr_samples_store", sum->stores);
	json_unsigned(json, "period_store", share_of_period(sum, sum->stores));
	json_end(json);
}

/* Writes the histogram of one event, which begins at `first`. Returns the index after it. */
static size_t write_histogram(const struct export_profile *profile, const struct type_count *counts,
			      size_t count, size_t first, struct json *json)
{
	uint64_t samples = 0, period = 0;
	size_t end = first;

	for (; end < count && is_same_type(&counts[first], &counts[end]) &&
	       counts[end].event == counts[first].event;
	     end++) {
		samples += counts[end].samples;
		period += counts[end].period;
	}
	json_object(json, NULL);
	json_string(json, "event", profile->events[counts[first].event].name);
	json_unsigned(json, "total_samples", samples);
	json_unsigned(json, "total_period", period);
	json_array(json, "samples");
	for (size_t i = first, next; i < end; i = next) {
		struct type_count sum = counts[i];

		for (next = i + 1; next < end && counts[next].offset == sum.offset; next++) {
			sum.samples += counts[next].samples;
			sum.period += counts[next].period;
			sum.loads += counts[next].loads;
			sum.stores += counts[next].stores;
		}
		write_offset(&sum, json);
	}
	json_end(json);
	json_end(json);
	return end;
}

static size_t write_one_type(const struct export_profile *profile, const struct type_count *counts,
			     size_t count, size_t first, struct json *json)
{
	size_t next = first;

	json_object(json, NULL);
	json_string(json, "type", counts[first].type);
	if (counts[first].size)
		json_unsigned(json, "size", counts[first].size);
	json_array(json, "histograms");
	while (next < count && is_same_type(&counts[first], &counts[next]))
		next = write_histogram(profile, counts, count, next, json);
	json_end(json);
	json_end(json);
	return next;
}

static size_t write_object(const struct export_profile *profile, const struct type_count *counts,
			   size_t count, size_t first, struct json *json)
{
	const char *path = *counts[first].object ? counts[first].object : NULL;
	size_t next = first;

	json_object(json, NULL);
	json_string(json, "dso", path);
	json_string(json, "build_id", export_build_id(profile, path));
	json_array(json, "types");
	while (next < count && !strcmp(counts[first].object, counts[next].object))
		next = write_one_type(profile, counts, count, next, json);
	json_end(json);
	json_end(json);
	return next;
}

static struct error *write_data_types(const struct export_profile *profile, export_sink *sink,
				      void *data)
{
	struct json json = JSON_INIT(sink, data);
	size_t count;
	_cleanup_free_ struct type_count *counts = collect_types(profile, &count);

	json.printable = true;
	json_object(&json, NULL);
	json_object(&json, "machine");
	json_string(&json, "hostname", profile->hostname);
	json_unsigned(&json, "cacheline_size", profile->cacheline);
	json_end(&json);
	json_array(&json, "dsos");
	for (size_t i = 0; i < count;)
		i = write_object(profile, counts, count, i, &json);
	json_finish(&json);
	return NULL;
}

const struct export_format export_data_types = {
	.name = "data-type-json",
	.summary = "types by offset, for pahole --perf-data-type, as perf's\n"
		   "development tree writes them (JSON)",
	.write = write_data_types,
};
