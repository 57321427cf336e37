// SPDX-License-Identifier: GPL-2.0-or-later
/* Makes a perf.data file or pipe in memory: see perf_image.h. */
#include "tests/support/perf_image.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/files.h"

#define HEADER_SIZE      104
#define PIPE_HEADER_SIZE 16
#define RECORD_ATTR      64
#define RECORD_FEATURE   80

void put16(struct strbuf *buffer, uint16_t value)
{
	strbuf_add(buffer, &value, sizeof(value));
}

void put32(struct strbuf *buffer, uint32_t value)
{
	strbuf_add(buffer, &value, sizeof(value));
}

void put64(struct strbuf *buffer, uint64_t value)
{
	strbuf_add(buffer, &value, sizeof(value));
}

static void pad(struct strbuf *buffer)
{
	while (buffer->length % 8)
		strbuf_add_char(buffer, '\0');
}

void put_string(struct strbuf *buffer, const char *string)
{
	strbuf_add(buffer, string, strlen(string) + 1);
	pad(buffer);
}

void perf_image_init(struct perf_image *image)
{
	*image = (struct perf_image){
		.body = STRBUF_INIT,
		.records = STRBUF_INIT,
		.version = 2,
		.attr_size = sizeof(struct perf_event_attr),
	};
	for (size_t i = 0; i < PERF_IMAGE_FEATURES; i++)
		image->features[i] = (struct strbuf)STRBUF_INIT;
}

void perf_image_deinit(struct perf_image *image)
{
	strbuf_deinit(&image->body);
	strbuf_deinit(&image->records);
	free(image->events);
	for (size_t i = 0; i < PERF_IMAGE_FEATURES; i++)
		strbuf_deinit(&image->features[i]);
}

void perf_image_event(struct perf_image *image, const struct perf_event_attr *attr,
		      const uint64_t *ids, size_t count)
{
	array_reserve(image->events, image->event_count, image->event_capacity);

	size_t i = image->event_count++;

	image->events[i] = (struct perf_image_event){ .attr = *attr, .id_count = count };
	if (count)
		memcpy(image->events[i].ids, ids, count * sizeof(*ids));
}

static void add_record(struct strbuf *into, uint32_t type, uint16_t misc, struct strbuf *body)
{
	pad(body);
	put32(into, type);
	put16(into, misc);
	put16(into, (uint16_t)(8 + body->length));
	strbuf_add(into, body->data, body->length);
	strbuf_reset(body);
}

void perf_image_record(struct perf_image *image, uint32_t type, uint16_t misc)
{
	add_record(&image->records, type, misc, &image->body);
}

/* Appends the attr in as many bytes as the image's attrs have. */
static void put_attr(struct strbuf *buffer, const struct perf_image *image, size_t event)
{
	struct perf_event_attr attr = image->events[event].attr;
	size_t size = image->attr_size < sizeof(attr) ? image->attr_size : sizeof(attr);

	attr.size = (uint32_t)image->attr_size;
	strbuf_add(buffer, &attr, size);
	for (size_t i = size; i < image->attr_size; i++)
		strbuf_add_char(buffer, '\0');
}

static void put_ids(struct strbuf *buffer, const struct perf_image *image, size_t event)
{
	strbuf_add(buffer, image->events[event].ids, 8 * image->events[event].id_count);
}

static void put_features(struct strbuf *file, const struct perf_image *image)
{
	size_t count = 0;

	for (size_t i = 0; i < PERF_IMAGE_FEATURES; i++)
		count += image->features[i].length != 0;
	uint64_t offset = file->length + 16 * count;

	for (size_t i = 0; i < PERF_IMAGE_FEATURES; i++) {
		if (!image->features[i].length)
			continue;
		put64(file, offset);
		put64(file, image->features[i].length);
		offset += image->features[i].length;
	}
	for (size_t i = 0; i < PERF_IMAGE_FEATURES; i++)
		strbuf_add(file, image->features[i].data, image->features[i].length);
}

/* The order is header, ids, attrs, data, features, as in files of perf record. */
uint8_t *perf_image_file(const struct perf_image *image, size_t *size)
{
	struct strbuf file = STRBUF_INIT;
	uint64_t entry = image->attr_size + 16;
	uint64_t features = 0;
	uint64_t ids = HEADER_SIZE;
	uint64_t attrs = ids;

	for (size_t i = 0; i < image->event_count; i++)
		attrs += 8 * image->events[i].id_count;
	for (size_t i = 0; i < PERF_IMAGE_FEATURES; i++)
		features |= (uint64_t)(image->features[i].length != 0) << i;
	strbuf_add(&file, image->version == 1 ? "PERFFILE" : "PERFILE2", 8);
	put64(&file, HEADER_SIZE);
	put64(&file, entry);
	put64(&file, attrs);
	put64(&file, entry * image->event_count);
	put64(&file, attrs + entry * image->event_count);
	put64(&file, image->records.length);
	put64(&file, 0);
	put64(&file, 0);
	put64(&file, features);
	for (int i = 0; i < 3; i++)
		put64(&file, 0);
	for (size_t i = 0; i < image->event_count; i++)
		put_ids(&file, image, i);
	for (size_t i = 0; i < image->event_count; i++) {
		put_attr(&file, image, i);
		put64(&file, ids);
		put64(&file, 8 * image->events[i].id_count);
		ids += 8 * image->events[i].id_count;
	}
	strbuf_add(&file, image->records.data, image->records.length);
	put_features(&file, image);
	*size = file.length;
	return (uint8_t *)strbuf_detach(&file);
}

uint8_t *perf_image_pipe(const struct perf_image *image, size_t *size)
{
	struct strbuf pipe = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf body = STRBUF_INIT;

	strbuf_add(&pipe, image->version == 1 ? "PERFFILE" : "PERFILE2", 8);
	put64(&pipe, PIPE_HEADER_SIZE);
	for (size_t i = 0; i < image->event_count; i++) {
		put_attr(&body, image, i);
		put_ids(&body, image, i);
		add_record(&pipe, RECORD_ATTR, 0, &body);
	}
	for (size_t i = 0; i < PERF_IMAGE_FEATURES; i++) {
		if (!image->features[i].length)
			continue;
		put64(&body, i);
		strbuf_add(&body, image->features[i].data, image->features[i].length);
		add_record(&pipe, RECORD_FEATURE, 0, &body);
	}
	strbuf_add(&pipe, image->records.data, image->records.length);
	*size = pipe.length;
	return (uint8_t *)strbuf_detach(&pipe);
}

void put_sized(struct strbuf *data, const char *text)
{
	put64(data, strlen(text));
	strbuf_add_string(data, text);
}

void put_tracing_head(struct strbuf *data)
{
	strbuf_add(data, "\027\010\104tracing0.6\0\0\010", 16);
	put32(data, 4096);
	strbuf_add(data, "header_page\0", 12);
	put_sized(data, "page");
	strbuf_add(data, "header_event\0", 13);
	put_sized(data, "event");
}

void perf_image_timer(const char *path, const char *program, const uint64_t (*chains)[4],
		      size_t chain_count)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.sample_period = 1000,
					.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID |
						       PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
						       PERF_SAMPLE_CALLCHAIN };
	const uint16_t level = program ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL;
	const uint64_t base = program ? 0x400000 : PERF_IMAGE_KERNEL;
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	perf_image_init(&image);
	perf_image_event(&image, &attr, NULL, 0);
	put32(&image.body, program ? 10 : UINT32_MAX), put32(&image.body, program ? 10 : 0);
	put64(&image.body, base), put64(&image.body, 0x100000);
	put64(&image.body, program ? 0 : PERF_IMAGE_KERNEL);
	put_string(&image.body, program ?: "[kernel.kallsyms]_text");
	perf_image_record(&image, PERF_RECORD_MMAP, level);
	for (size_t i = 0; i < chain_count; i++) {
		uint64_t count = 0;

		while (count < COUNT_OF(*chains) && chains[i][count])
			count++;
		put64(&image.body, chains[i][0]);
		put32(&image.body, 10), put32(&image.body, 10);
		put64(&image.body, 100 * i);
		put64(&image.body, 1000 + i);
		put64(&image.body, 1 + count);
		put64(&image.body,
		      program ? (uint64_t)PERF_CONTEXT_USER : (uint64_t)PERF_CONTEXT_KERNEL);
		for (uint64_t k = 0; k < count; k++)
			put64(&image.body, chains[i][k]);
		perf_image_record(&image, PERF_RECORD_SAMPLE, level);
	}
	_cleanup_free_ uint8_t *bytes = perf_image_file(&image, &size);

	file_write(path, bytes, size);
}
