// SPDX-License-Identifier: GPL-2.0-or-later
/* Records of all types: those that have no meaning here are skipped by their size, and the others
 * have their effect. */
#include "tests/support/unit.h"

#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/sample.h"
#include "tests/support/opened_session.h"
#include "tests/support/perf_records.h"
#include "tests/support/session_memory.h"

#define USER   PERF_RECORD_MISC_USER
#define FIELDS (COUNT_PLACE | COUNT_COMM)

/* True for types of records that change how others are read, or where they are; these have tests of
 * their own. */
static bool changes_what_follows(uint32_t type)
{
	switch (type) {
	case PERF_RECORD_SAMPLE:
	case PERF_RECORD_HEADER_ATTR:
	case PERF_RECORD_HEADER_TRACING_DATA:
	case PERF_RECORD_AUXTRACE:
	case PERF_RECORD_COMPRESSED:
	case RECORD_COMPRESSED2: return true;
	default: return false;
	}
}

/* Every known type, and some future ones, with bodies that make no sense. */
static void every_record_is_passed_over_by_its_size(void **state)
{
	static const char bytes[] = { '\0', '\1', '\x7f', '\xff' };

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++) {
		_cleanup_perf_image_ struct perf_image image;
		_cleanup_opened_ struct opened_session opened;
		uint64_t counts[SESSION_RECORD_TYPES];
		unsigned int samples = 0;
		size_t size;

		perf_records_process(&image, 0);
		for (uint32_t type = 0; type < 200; type++) {
			if (changes_what_follows(type))
				continue;
			for (size_t length = 0; length < 8 * (type % 16 + 1); length++)
				strbuf_add_char(&image.body, bytes[i]);
			perf_image_record(&image, type, (uint16_t)(i * 0x1003));
			add_sample(&image, 100 + type, 10, 10, 0x1000, USER);
			samples++;
		}
		_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

		opened_from_memory(&opened, data, size, FIELDS);
		assert_int_equal(opened_samples(&opened), samples);
		for (size_t j = 0; j < opened.counts->count; j++)
			assert_string_equal(opened.counts->entries[j].dso->short_name, "prog");
		session_count_records(opened.session, counts);
		assert_int_equal(counts[PERF_RECORD_STAT], 1);
		assert_int_equal(counts[PERF_RECORD_TEXT_POKE], 1);
		assert_int_equal(counts[PERF_RECORD_SAMPLE], samples);
	}
}

/* Returns the samples of a level ('k', '.', 'g', 'u' or 'H') in this DSO; "-" stands for none. */
static uint64_t samples_of(const struct sample_counts *counts, char level, const char *dso)
{
	uint64_t samples = 0;

	for (size_t i = 0; i < counts->count; i++) {
		const struct counted *entry = &counts->entries[i];

		if (entry->level == level &&
		    !strcmp(entry->dso ? entry->dso->short_name : "-", dso))
			samples += entry->samples;
	}
	return samples;
}

static void add_guest_kernel_map(struct perf_image *image)
{
	put32(&image->body, UINT32_MAX), put32(&image->body, 0);
	put64(&image->body, 0xffffffff81000000), put64(&image->body, 0x1000000);
	put64(&image->body, 0xffffffff81000000);
	put_string(&image->body, "[guest.kernel.kallsyms]_text");
	put32(&image->body, UINT32_MAX), put32(&image->body, 0);
	put64(&image->body, 0);
	perf_image_record(image, PERF_RECORD_MMAP, PERF_RECORD_MISC_GUEST_KERNEL);
}

/* Addresses of a virtual machine, or of the hypervisor, belong to no object of this machine. */
static void guests_and_the_hypervisor_have_levels_of_their_own(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	size_t size;

	(void)state;
	perf_records_process(&image, 1);
	add_kernel_map(&image, 0, 0xffffffff81000000, 0x1000000, "[kernel.kallsyms]_text");
	add_guest_kernel_map(&image);
	for (int i = 0; i < 2; i++)
		add_sample(&image, 5, 10, 10, 0xffffffff81000010, PERF_RECORD_MISC_KERNEL);
	for (int i = 0; i < 3; i++)
		add_sample(&image, 5, 10, 10, 0xffffffff81000010, PERF_RECORD_MISC_GUEST_KERNEL);
	for (int i = 0; i < 4; i++)
		add_sample(&image, 5, 10, 10, 0x1000, PERF_RECORD_MISC_GUEST_USER);
	for (int i = 0; i < 5; i++)
		add_sample(&image, 5, 10, 10, 0x1000, PERF_RECORD_MISC_HYPERVISOR);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_int_equal(opened_samples(&opened), 15);
	assert_int_equal(samples_of(opened.counts, '.', "prog"), 1);
	assert_int_equal(samples_of(opened.counts, 'k', "[kernel.kallsyms]"), 2);
	assert_int_equal(samples_of(opened.counts, 'g', "[guest.kernel.kallsyms]"), 3);
	assert_int_equal(samples_of(opened.counts, 'u', "-"), 4);
	assert_int_equal(samples_of(opened.counts, 'H', "-"), 5);
}

/* MMAP2 may have a build id instead of the inode; for other maps the tools' BUILD_ID records have
 * it. */
static void build_ids_are_taken_from_where_they_are(void **state)
{
	static const uint8_t id[20] = { 0xab, 0xcd, 1, 2, 3 };
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	size_t size;

	(void)state;
	perf_records_process(&image, 0);
	put32(&image.body, 10), put32(&image.body, 10);
	put64(&image.body, 0x800000), put64(&image.body, 0x1000), put64(&image.body, 0);
	put32(&image.body, 20); /* bytes of the id, three reserved */
	strbuf_add(&image.body, id, sizeof(id));
	put32(&image.body, PROT_READ | PROT_EXEC), put32(&image.body, MAP_PRIVATE);
	put_string(&image.body, "/lib/by-map.so");
	put32(&image.body, 10), put32(&image.body, 10), put64(&image.body, 2);
	perf_image_record(&image, PERF_RECORD_MMAP2, USER | PERF_RECORD_MISC_MMAP_BUILD_ID);
	put32(&image.body, UINT32_MAX);
	strbuf_add(&image.body, id, sizeof(id)),
		put32(&image.body, 8); /* its length, which is valid because a bit of misc is set */
	put_string(&image.body, "/nowhere/prog");
	perf_image_record(&image, PERF_RECORD_HEADER_BUILD_ID,
			  USER | PERF_RECORD_MISC_BUILD_ID_SIZE);
	add_sample(&image, 5, 10, 10, 0x800010, USER);
	add_sample(&image, 5, 10, 10, 0x1000, USER);
	_cleanup_free_ uint8_t *data = perf_image_pipe(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_int_equal(opened_samples(&opened), 2);
	for (size_t i = 0; i < 2; i++) {
		const struct dso *dso = opened.counts->entries[i].dso;

		assert_int_equal(dso->build_id.size, strcmp(dso->short_name, "prog") ? 20 : 8);
		assert_memory_equal(dso->build_id.bytes, id, dso->build_id.size);
	}
}

/* A control group's number has a path. */
static void control_groups_have_names(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	struct session *session;
	size_t size;

	(void)state;
	perf_records_process(&image, 1);
	put64(&image.body, 77), put_string(&image.body, "/first");
	perf_image_record(&image, PERF_RECORD_CGROUP, 0);
	put64(&image.body, 78), put_string(&image.body, "/second");
	perf_image_record(&image, PERF_RECORD_CGROUP, 0);
	put64(&image.body, 77), put_string(&image.body, "/again");
	perf_image_record(&image, PERF_RECORD_CGROUP, 0);
	put64(&image.body, 80), strbuf_add(&image.body, "/a\0redis:7\0\0\0\0\0", 16);
	perf_image_record(&image, PERF_RECORD_CGROUP, CGROUP_HAS_IMAGE);
	put64(&image.body, 81), strbuf_add(&image.body, "/a\0trailer\0\0\0\0\0", 16);
	perf_image_record(&image, PERF_RECORD_CGROUP, 0);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	assert_null(session_open_memory(data, size, NULL, &session));
	assert_string_equal(session_cgroup_name(session, 77), "/again");
	assert_string_equal(session_cgroup_name(session, 78), "/second");
	assert_null(session_cgroup_name(session, 79));
	assert_string_equal(session_cgroup_name(session, 80), "/a");
	assert_string_equal(session_cgroup_image(session, 80), "redis:7");
	assert_null(session_cgroup_image(session, 81));
	assert_null(session_cgroup_image(session, 79));
	session_close(session);
}

/* `perf stat record` writes counts and no samples. */
static void a_recording_of_counts_alone(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_opened_ struct opened_session opened;
	size_t size;

	(void)state;
	perf_image_init(&image);
	perf_records_event(&image);
	put64(&image.body, 1), put64(&image.body, 0),
		put64(&image.body, 1); /* one setting: AGGR_MODE 1 */
	perf_image_record(&image, PERF_RECORD_STAT_CONFIG, 0);
	put64(&image.body, 1);
	put32(&image.body, 0), put32(&image.body, 10);
	put64(&image.body, 1000), put64(&image.body, 5), put64(&image.body, 5);
	perf_image_record(&image, PERF_RECORD_STAT, 0);
	put64(&image.body, 1), put64(&image.body, 2000);
	perf_image_record(&image, PERF_RECORD_STAT_ROUND, 0);
	_cleanup_free_ uint8_t *data = perf_image_file(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	assert_int_equal(opened_samples(&opened), 0);
	assert_int_equal(opened.warnings.length, 0);
}

/* The features of a pipe are records. Its header is that of the same file, except for the places of
 * its parts. */
static void a_pipe_has_the_header_of_the_file(void **state)
{
	static const char *const lines[] = { "# hostname : machine\n", "# nrcpus online : 2\n",
					     "# total memory : 12345 kB\n" };
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	(void)state;
	perf_records_process(&image, 1);
	put32(&image.features[FEATURE_HOSTNAME], 8),
		put_string(&image.features[FEATURE_HOSTNAME], "machine");
	put32(&image.features[FEATURE_NRCPUS], 4), put32(&image.features[FEATURE_NRCPUS], 2);
	put64(&image.features[FEATURE_TOTAL_MEM], 12345);
	put64(&image.features[63], 1); /* of a future perf */
	for (int pipe = 0; pipe < 2; pipe++) {
		_cleanup_free_ uint8_t *data =
			pipe ? perf_image_pipe(&image, &size) : perf_image_file(&image, &size);
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		_cleanup_opened_ struct opened_session opened;

		opened_from_memory(&opened, data, size, FIELDS);
		assert_int_equal(opened_samples(&opened), 1);
		assert_int_equal(opened.warnings.length, 0);
		session_header_text(opened.session, &text);
		for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
			assert_non_null(strstr(text.data, lines[i]));
	}
}

/* perf ends the features of a pipe with an empty one, whose number is the first that it does not
 * know. */
static void the_end_of_a_pipes_features_is_no_feature(void **state)
{
	_cleanup_perf_image_ struct perf_image image;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_opened_ struct opened_session opened;
	size_t size;

	(void)state;
	perf_records_process(&image, 1);
	put64(&image.body, FEATURE_CPU_DOMAIN_INFO);
	perf_image_record(&image, PERF_RECORD_HEADER_FEATURE, 0);
	_cleanup_free_ uint8_t *data = perf_image_pipe(&image, &size);

	opened_from_memory(&opened, data, size, FIELDS);
	session_header_text(opened.session, &text);
	assert_null(strstr(text.data, "CPU_DOMAIN_INFO"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_record_is_passed_over_by_its_size),
		cmocka_unit_test(guests_and_the_hypervisor_have_levels_of_their_own),
		cmocka_unit_test(build_ids_are_taken_from_where_they_are),
		cmocka_unit_test(control_groups_have_names),
		cmocka_unit_test(a_recording_of_counts_alone),
		cmocka_unit_test(a_pipe_has_the_header_of_the_file),
		cmocka_unit_test(the_end_of_a_pipes_features_is_no_feature),
	};

	return cmocka_run_group_tests_name("records", tests, NULL, NULL);
}
