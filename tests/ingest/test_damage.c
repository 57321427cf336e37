// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Damaged files: real ones, and one that is made here, are truncated at many places and have single
 * bytes changed. Each must soon end in a result or an error, and under the sanitizers without a
 * wrong read. The messages are counted, without their numbers. DTPROF_DAMAGE=CUTS,FLIPS sets how
 * many places are tried.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/ingest/session.h"
#include "tests/support/files.h"
#include "tests/support/perf_records.h"
#include "tests/support/session_memory.h"

#define SECONDS_A_FILE 5
#define CLASSES        200

static unsigned int cuts = 6;
static unsigned int flips = 24;

static struct {
	char text[160];
	unsigned int count;
} classes[CLASSES];
static size_t class_count;
static bool said; /* anything of the present file */

/* Count a message under its words. */
static void classify(const char *kind, const char *message)
{
	char text[160];
	size_t length = (size_t)snprintf(text, sizeof(text), "%s: ", kind);

	for (; *message && length < sizeof(text) - 1; message++)
		if (*message < '0' || *message > '9' || text[length - 1] != 'N')
			text[length++] = *message >= '0' && *message <= '9' ? 'N' : *message;
	text[length] = '\0';
	for (size_t i = 0; i < class_count; i++)
		if (!strcmp(classes[i].text, text)) {
			classes[i].count++;
			return;
		}
	if (class_count < CLASSES) {
		memcpy(classes[class_count].text, text, sizeof(text));
		classes[class_count++].count = 1;
	}
}

static void take_warning(void *data, const char *message)
{
	(void)data;
	said = true;
	classify("warning", message);
}

static void use(struct session *session)
{
	struct sample_counts *counts = NULL;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct error *error = session_count(
		session, COUNT_PLACE | COUNT_COMM | COUNT_TID | COUNT_DATA_SOURCE, &counts);

	if (error) {
		said = true;
		classify("error", error->message);
		error_destroy(error);
	}
	session_header_text(session, &text);
	sample_counts_destroy(counts);
}

static void read_damaged(const uint8_t *data, size_t size)
{
	struct session_options options = { .threads = 1, .warn = take_warning };
	struct session *session;
	/* exactly as large as the file, so that a sanitizer sees a read past its end */
	_cleanup_free_ uint8_t *copy = xmalloc(size ? size : 1);

	memcpy(copy, data, size);
	said = false;
	alarm(SECONDS_A_FILE); /* whose signal ends the test */
	struct error *error = session_open_memory(copy, size, &options, &session);

	if (error) {
		said = true;
		assert_int_not_equal(strlen(error->message), 0);
		classify("error", error->message);
		error_destroy(error);
	} else {
		use(session);
		session_close(session);
	}
	if (!said)
		classify("nothing said", "");
	alarm(0);
}

static void damage(uint8_t *data, size_t size)
{
	uint64_t random = size;

	for (unsigned int i = 0; i < cuts; i++)
		read_damaged(data, size * i / cuts);
	for (unsigned int i = 0; i < flips; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		/* Half of the changes are in headers and attrs: these are short, and much depends
		 * on them. */
		size_t at = (size_t)(random >> 16) % (i % 2 || size < 4096 ? size : 4096);
		uint8_t original = data[at];

		data[at] = (uint8_t)(original ^ (1 + (random >> 8 & 0xfe)));
		read_damaged(data, size);
		data[at] = original;
	}
}

static void report(void)
{
	for (size_t i = 0; i < class_count; i++)
		print_message("%6u %s\n", classes[i].count, classes[i].text);
}

static void a_made_file(void **state)
{
	struct perf_image image;
	size_t size;

	(void)state;
	perf_image_init(&image);
	perf_records_event(&image);
	for (int i = 0; i < 40; i++) {
		add_comm(&image, (uint64_t)i, i, i, "prog", i % 3 == 0);
		add_map(&image, (uint64_t)i, i, 0x1000, 0x1000, "/nowhere/prog");
		add_fork(&image, (uint64_t)i, i + 1, i + 1, i, i);
		add_sample(&image, (uint64_t)i, i, i, 0x1000, PERF_RECORD_MISC_USER);
	}
	for (int pipe = 0; pipe < 2; pipe++) {
		_cleanup_free_ uint8_t *data =
			pipe ? perf_image_pipe(&image, &size) : perf_image_file(&image, &size);

		damage(data, size);
	}
	perf_image_deinit(&image);
}

static void damage_file(const char *name, void *data)
{
	_cleanup_free_ char *path = xasprintf(PERFDATA "/files/%s.data", name);
	size_t size;
	_cleanup_free_ uint8_t *bytes = file_read(path, &size);

	(void)data;
	damage(bytes, size);
}

static void real_files(void **state)
{
	(void)state;
	each_data_file(PERFDATA "/files", damage_file, NULL);
	report();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_made_file),
		cmocka_unit_test(real_files),
	};
	const char *numbers = getenv("DTPROF_DAMAGE");

	if (numbers && sscanf(numbers, "%u,%u", &cuts, &flips) != 2)
		return 2;
	return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
