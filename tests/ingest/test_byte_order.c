// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of the other byte order give the same results as their originals. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/sample.h"
#include "tests/support/byte_order.h"
#include "tests/support/files.h"
#include "tests/support/perf_image.h"
#include "tests/support/session_memory.h"

#define ALL_FIELDS                                                                                 \
	(COUNT_PLACE | COUNT_COMM | COUNT_PID | COUNT_TID | COUNT_CPU | COUNT_WEIGHT |             \
	 COUNT_DATA_SOURCE | COUNT_DATA_ADDRESS | COUNT_STORE)

static struct error *add_sample(const struct sample *sample, void *data)
{
	struct strbuf *text = data;

	strbuf_add_format(text, "sample %s %x %llx %llx %d %d %llx", sample->event->name,
			  sample->misc, (unsigned long long)sample->id,
			  (unsigned long long)sample->ip, sample->pid, sample->tid,
			  (unsigned long long)sample->time);
	for (uint64_t i = 0; i < sample->callchain.count; i++)
		strbuf_add_format(text, " %llx",
				  (unsigned long long)sample_word(&sample->callchain, i));
	for (uint64_t i = 0; i < sample->branches.entries.count; i++)
		strbuf_add_format(text, " %llx",
				  (unsigned long long)sample_word(&sample->branches.entries, i));
	for (uint64_t i = 0; i < sample->user_registers.values.count; i++)
		strbuf_add_format(
			text, " %llx",
			(unsigned long long)sample_word(&sample->user_registers.values, i));
	strbuf_add_format(text, " raw %llu stack %llu\n", (unsigned long long)sample->raw.size,
			  (unsigned long long)sample->user_stack.bytes.size);
	return NULL;
}

/* Describes all contents of the session as text. */
static void describe(const uint8_t *data, size_t size, struct strbuf *text)
{
	struct session_options options = { .threads = 2 };
	struct sample_counts *counts;
	struct session *session;
	size_t events;

	struct error *error = session_open_memory(data, size, &options, &session);

	if (error) {
		strbuf_add_string(text, error->message);
		error_destroy(error);
		return;
	}
	error = session_count(session, ALL_FIELDS, &counts);
	assert_null(error);
	for (size_t i = 0; i < counts->count; i++) {
		const struct counted *c = &counts->entries[i];

		strbuf_add_format(text, "%u %c %d %s %d %d %d %s %llx %llx %llx %llx %llu %llu\n",
				  c->event, c->level, c->store, session_comm(session, c->comm),
				  c->pid, c->tid, c->cpu, c->dso ? c->dso->long_name : "-",
				  (unsigned long long)c->address, (unsigned long long)c->weight,
				  (unsigned long long)c->data_source,
				  (unsigned long long)c->data_address,
				  (unsigned long long)c->samples, (unsigned long long)c->period);
	}
	const struct event *event = session_events(session, &events);

	for (size_t i = 0; i < events; i++)
		strbuf_add_format(text, "event %s of %u\n", event[i].name, event[i].group_leader);
	error = session_each_sample(session, add_sample, text);
	assert_null(error);
	strbuf_add_format(text, "lost %llu %llu\n",
			  (unsigned long long)session_totals(session)->lost_events,
			  (unsigned long long)session_totals(session)->lost_samples);
	session_header_text(session, text);
	sample_counts_destroy(counts);
	session_close(session);
}

/* Removes lines about BPF programs, which are not decoded in the other byte order, and when the
 * file was written. */
static void without_what_differs(struct strbuf *text)
{
	char *from = text->data;
	char *to = text->data;

	while (from && *from) {
		char *end = strchr(from, '\n');
		size_t length = end ? (size_t)(end - from) + 1 : strlen(from);

		if (!starts_with(from, "# bpf_prog_info") && !starts_with(from, "# captured on")) {
			memmove(to, from, length);
			to += length;
		}
		from += length;
	}
	*to = '\0';
}

static void assert_same_text(const char *left, const char *right)
{
	size_t line = 0;
	size_t i = 0;

	for (; left[i] && left[i] == right[i]; i++)
		if (left[i] == '\n')
			line = i + 1;
	if (left[i] == right[i])
		return;
	print_error("%.*s\n%.*s\n", (int)strcspn(left + line, "\n"), left + line,
		    (int)strcspn(right + line, "\n"), right + line);
	fail();
}

/* False: the file cannot be converted. */
static bool says_the_same_in_either_order(const uint8_t *data, size_t size)
{
	_cleanup_strbuf_ struct strbuf original = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf reversed = STRBUF_INIT;
	_cleanup_free_ uint8_t *copy = xmalloc(size);

	memcpy(copy, data, size);
	if (!byte_order_reverse(copy, size))
		return false;
	describe(data, size, &original);
	describe(copy, size, &reversed);
	without_what_differs(&original);
	without_what_differs(&reversed);
	assert_same_text(original.data, reversed.data);
	return true;
}

static void made_image(struct perf_image *image)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.sample_period = 77,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR | PERF_SAMPLE_CPU |
			       PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW |
			       PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_DATA_SRC |
			       PERF_SAMPLE_REGS_INTR,
		.sample_regs_intr = 0x5,
		.exclude_kernel = 1,
		.precise_ip = 2,
		.sample_id_all = 1,
	};

	perf_image_init(image);
	perf_image_event(image, &attr, (uint64_t[]){ 10, 11 }, 2);
	attr.config = PERF_COUNT_HW_CACHE_MISSES;
	perf_image_event(image, &attr, (uint64_t[]){ 12 }, 1);
	for (unsigned int i = 0; i < 10; i++) {
		struct strbuf *body = &image->body;

		put64(body, 10 + i % 3);
		put64(body, 0x401000 + i);
		put32(body, 100);
		put32(body, 101 + i % 2);
		put64(body, 1000 + i);
		put64(body, 0x7fff0000 + i);
		put32(body, i);
		put32(body, 0);
		put64(body, 5 + i);
		put64(body, 2); /* callchain */
		put64(body, PERF_CONTEXT_USER);
		put64(body, 0x401000 + i);
		put32(body, 12); /* raw */
		strbuf_add(body, "raw bytes...", 12);
		put32(body, 200 + i); /* weight */
		put16(body, 3);
		put16(body, 4);
		put64(body, i % 2 ? 0x4 : 0x2); /* store, load */
		put64(body, PERF_SAMPLE_REGS_ABI_64);
		put64(body, 1);
		put64(body, 2);
		perf_image_record(image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	}
	put32(&image->features[7], 4);
	put32(&image->features[7], 2);
	put64(&image->features[10], 12345);
	put32(&image->features[3],
	      8); /* without a host name the bitmap would be read as one of 32-bit words */
	put_string(&image->features[3], "machine");
}

static void made_file_and_pipe(void **state)
{
	(void)state;
	for (int version = 1; version <= 2; version++) {
		_cleanup_perf_image_ struct perf_image image;
		size_t size;

		made_image(&image);
		image.version = version;
		_cleanup_free_ uint8_t *file = perf_image_file(&image, &size);

		assert_true(says_the_same_in_either_order(file, size));
		_cleanup_free_ uint8_t *pipe = perf_image_pipe(&image, &size);

		assert_true(says_the_same_in_either_order(pipe, size));
	}
}

/* Compares the file that is made here, so that the comparison is known to find something. */
static void made_file_is_read(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t size;

	(void)state;
	made_image(&image);
	_cleanup_free_ uint8_t *file = perf_image_file(&image, &size);

	assert_true(byte_order_reverse(file, size));
	describe(file, size, &text);
	assert_non_null(strstr(
		text.data,
		"sample instructions:uhpp 2 a 401000 100 101 3e8 fffffffffffffe00 401000 raw 12"));
	assert_non_null(strstr(text.data, "sample cache-misses:uhpp 2 c 401002"));
	assert_non_null(strstr(text.data, "1 . 1 :102"));
	assert_non_null(strstr(text.data, "# nrcpus online : 2"));
	assert_non_null(strstr(text.data, "# total memory : 12345 kB"));
}

static void turn_file(const char *name, void *data)
{
	_cleanup_free_ char *path = xasprintf(PERFDATA "/files/%s.data", name);
	unsigned int *turned = data;
	size_t size;

	if (strstr(name, "compressed"))
		return;
	print_message("%s\n", name);
	_cleanup_free_ uint8_t *bytes = file_read(path, &size);

	*turned += says_the_same_in_either_order(bytes, size);
}

static void real_files(void **state)
{
	unsigned int turned = 0;

	(void)state;
	each_data_file(PERFDATA "/files", turn_file, &turned);
	assert_true(turned >= 30);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(made_file_is_read),
		cmocka_unit_test(made_file_and_pipe),
		cmocka_unit_test(real_files),
	};

	return cmocka_run_group_tests_name("byte order", tests, NULL, NULL);
}
