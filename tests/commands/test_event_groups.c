// SPDX-License-Identifier: GPL-2.0-or-later
/* Events that share a table, and the title of the table, which is perf's. */
#include "tests/support/unit.h"

#include <string.h>

#include "profiler/cli/input.h"
#include "profiler/ingest/format.h"
#include "tests/support/opened_session.h"
#include "tests/support/perf_image.h"

struct case_of_groups {
	const char *leader;  /* the second event's name if it leads the third one, or NULL */
	const char *samples; /* the events' samples, a digit for each: "1" for the first event */
	struct grouping grouping;
	const char *titles; /* titles of the groups */
};

#define LED "instructions"
#define AUX "cpu/mem-loads-aux/"
#define NONE                                                                                       \
	{                                                                                          \
		.none = true                                                                       \
	}
#define ALL                                                                                        \
	{                                                                                          \
		.all = true                                                                        \
	}

static const struct case_of_groups cases[] = {
	{ NULL, "123", { 0 }, "event 'cycles', event 'instructions', event 'branches', " },
	{ NULL, "123", NONE, "events 'cycles', event 'instructions', event 'branches', " },
	{ NULL, "123", ALL, "events 'cycles, instructions, branches', " },
	{ NULL, "1", NONE, "events 'cycles', " },
	{ NULL, "1", ALL, "events 'cycles', " },
	{ NULL, "3", NONE, "event 'branches', " },
	{ LED, "123", { 0 }, "event 'cycles', events 'anon group { instructions, branches }', " },
	{ LED, "123", ALL, "event 'cycles', events 'anon group { instructions, branches }', " },
	{ LED, "123", NONE, "event 'cycles', events 'instructions', event 'branches', " },
	{ LED, "2", { 0 }, "events 'anon group { instructions }', " },
	{ LED, "2", NONE, "events 'instructions', " },
	{ LED, "3", { 0 }, "event 'branches', " },
	{ AUX, "23", { 0 }, "event '" AUX "', event 'branches', " },
};

static void open_events(const struct case_of_groups *test, struct opened_session *opened,
			uint8_t **data)
{
	static const uint64_t configs[] = { PERF_COUNT_HW_CPU_CYCLES, PERF_COUNT_HW_INSTRUCTIONS,
					    PERF_COUNT_HW_BRANCH_INSTRUCTIONS };
	struct perf_event_attr attr = { .type = PERF_TYPE_HARDWARE,
					.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP };
	_cleanup_perf_image_ struct perf_image image;
	size_t size;

	perf_image_init(&image);
	for (uint64_t i = 0; i < 3; i++) {
		attr.config = configs[i];
		perf_image_event(&image, &attr, (uint64_t[]){ i + 1 }, 1);
	}
	for (const char *id = test->samples; *id; id++) {
		put64(&image.body, (uint64_t)(*id - '0')), put64(&image.body, 0x1000);
		perf_image_record(&image, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	}
	if (test->leader) {
		struct strbuf *names = &image.features[FEATURE_EVENT_DESC];

		attr.config = configs[1];
		put32(names, 1), put32(names, sizeof(attr));
		strbuf_add(names, &attr, sizeof(attr));
		put32(names, 1), put32(names, (uint32_t)strlen(test->leader) + 1);
		strbuf_add(names, test->leader, strlen(test->leader) + 1), put64(names, 2);

		struct strbuf *groups = &image.features[FEATURE_GROUP_DESC];

		put32(groups, 1), put32(groups, 16);
		strbuf_add(groups, "{anon_group}\0\0\0\0", 16);
		put32(groups, 1), put32(groups, 2);
	}
	*data = perf_image_file(&image, &size);
	opened_from_memory(opened, *data, size, COUNT_PLACE);
	assert_null(opened->error);
}

static void titles(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		_cleanup_free_ uint8_t *data = NULL;
		_cleanup_opened_ struct opened_session opened;
		struct event_groups groups;

		open_events(&cases[i], &opened, &data);
		event_groups_init(&groups, opened.session, &cases[i].grouping);
		for (size_t j = 0; j < groups.count; j++) {
			strbuf_add_format(&text, "event%s '", groups.groups[j].plural ? "s" : "");
			event_group_name(&groups.groups[j], opened.session, &text);
			strbuf_add_string(&text, "', ");
		}
		event_groups_deinit(&groups);
		assert_string_equal(text.data, cases[i].titles);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(titles),
	};

	return cmocka_run_group_tests_name("event_groups", tests, NULL, NULL);
}
