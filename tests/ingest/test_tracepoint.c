// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Fields of tracepoints, with whole and damaged records and descriptions.
 */
#include "tests/support/unit.h"

#include <string.h>

#include "profiler/ingest/tracepoint.h"

/* A format as in /sys/kernel/tracing/events/.../format. */
static const char format[] =
	"name: work\nID: 12\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"
	"\n"
	"\tfield:void * lock_addr;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:char comm[4];\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc char[] name;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long state;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:short delta;\toffset:32;\tsize:2;\tsigned:1;\n"
	"\tfield:u8 bytes[3];\toffset:34;\tsize:3;\tsigned:0;\n"
	"\tfield:__rel_loc u8[] data;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:struct odd odd;\toffset:44;\tsize:3;\tsigned:0;\n"
	"\nprint fmt: \"%p field:int no; offset:0; size:4;\", REC->lock_addr\n";

static const uint8_t raw[] = {
	12,   0,    0,    0,    0x2a, 0,    0,    0,    /* common_type, common_pid */
	0x70, 0x64, 0x36, 0x02, 0x01, 0,    0x11, 0xff, /* lock_addr */
	's',  'h',  0,    'x',  48,   0,    4,    0,    /* comm; name: 4 bytes at 48 */
	0x02, 0x01, 0,    0,    0,    0,    0,    0,    /* state */
	0xfe, 0xff, 1,    2,    0xff, 0,    0,    0,    /* delta, bytes */
	8,    0,    2,    0,    7,    8,    9,    0,    /* data: 2 bytes at 44 + 8; odd */
	'a',  'b',  'c',  0,    1,    0xfe,
};

static const struct {
	const char *name, *text;
} expected[] = {
	{ "common_type", "12" },
	{ "common_pid", "42" },
	{ "lock_addr", "0xff11000102366470" },
	{ "comm", "sh" },
	{ "name", "abc" },
	{ "state", "0x102" },
	{ "delta", "-2" },
	{ "bytes", "ARRAY[01, 02, ff]" },
	{ "data", "ARRAY[01, fe]" },
	{ "odd", "ARRAY[07, 08, 09]" },
};

static void values_are_as_described(void **state)
{
	_cleanup_arena_ struct arena arena = { 0 };
	size_t count;
	const struct tracepoint_field *fields =
		tracepoint_fields_parse(format, sizeof(format) - 1, 8, &arena, &count);

	(void)state;
	assert_int_equal(count, sizeof(expected) / sizeof(*expected));
	for (size_t i = 0; i < count; i++) {
		struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
		bool common = i < 2;
		_cleanup_free_ char *wanted =
			xasprintf(" %s=%s", expected[i].name, expected[i].text);

		assert_string_equal(fields[i].name, expected[i].name);
		assert_int_equal(fields[i].is_common, common);
		assert_int_equal(
			tracepoint_fields_text(&fields[i], 1, raw, sizeof(raw), false, &text),
			!common);
		assert_string_equal(text.data, common ? "" : wanted);
	}
}

static void other_byte_order(void **state)
{
	static const uint8_t swapped[] = { 0, 12, 0, 0, 0xff, 0xff, 0xff, 0xfe };
	_cleanup_arena_ struct arena arena = { 0 };
	size_t count;
	const struct tracepoint_field *fields =
		tracepoint_fields_parse(format, sizeof(format) - 1, 8, &arena, &count);
	uint64_t value;

	(void)state;
	assert_true(tracepoint_field_number(&fields[0], swapped, sizeof(swapped), true, &value));
	assert_int_equal(value, 12);
	assert_true(tracepoint_field_number(&fields[1], swapped, sizeof(swapped), true, &value));
	assert_int_equal((int64_t)value, -2);
	assert_false(tracepoint_field_number(&fields[2], swapped, sizeof(swapped), true, &value));
}

/* Each byte of the values replaced, and the end cut off: nothing outside is read. */
static void damaged_data(void **state)
{
	_cleanup_arena_ struct arena arena = { 0 };
	size_t count, missing = 0;
	const struct tracepoint_field *fields =
		tracepoint_fields_parse(format, sizeof(format) - 1, 8, &arena, &count);

	(void)state;
	for (size_t size = 0; size <= sizeof(raw); size++) {
		_cleanup_free_ uint8_t *copy = xmalloc(size ? size : 1);

		memcpy(copy, raw, size);
		for (size_t damaged = 0; damaged < size; damaged++) {
			copy[damaged] ^= 0xf5;
			for (size_t i = 0; i < count; i++) {
				struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

				missing += !tracepoint_fields_text(&fields[i], 1, copy, size, false,
								   &text);
			}
			copy[damaged] ^= 0xf5;
		}
	}
	assert_true(missing > 0);
}

/* A damaged description gives either fields that lie within the data, or none. */
static void damaged_format(void **state)
{
	static const char damage[] = { '\0', ';', '[', ']', '9', '\n', ' ', '-' };

	(void)state;
	for (size_t i = 0; i < (sizeof(format) - 1) * sizeof(damage); i++) {
		_cleanup_arena_ struct arena arena = { 0 };
		size_t at = i / sizeof(damage), size = i % 3 ? sizeof(format) - 1 : at, count;
		_cleanup_free_ char *copy = xmalloc(size ? size : 1);

		memcpy(copy, format, size);
		if (at < size)
			copy[at] = damage[i % sizeof(damage)];

		const struct tracepoint_field *fields =
			tracepoint_fields_parse(copy, size, 8, &arena, &count);

		assert_true(count <= sizeof(expected) / sizeof(*expected) + 1);
		for (size_t f = 0; f < count; f++) {
			struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

			assert_true(*fields[f].name);
			(void)tracepoint_fields_text(&fields[f], 1, raw, sizeof(raw), false, &text);
		}
	}
}

/* A line that libtraceevent does not understand, or that makes it crash or leak memory, loses only
 * its own field. */
static void hostile_descriptions(void **state)
{
	static const char *const lines[] = {
		"\tfield:char name[",
		"\tfield:char name[\1];\toffset:8;\tsize:4;\tsigned:0;",
		"\tfield:char \"name[4];\toffset:8;\tsize:4;\tsigned:0;",
		"\tfield:__attribute__((user)) x;\toffset:8;\tsize:4;\tsigned:0;",
		"\tfield:__attribute__((((;\toffset:8;\tsize:4;\tsigned:0;",
		"\tfield:char[4] name;\toffset:8;\tsize:4;\tsigned:0;",
		"\tfield:unsigned LOCAL_PR_FMT;\toffset:8;\tsize:4;\tsigned:0;",
		"\tfield:lonely;\toffset:8;\tsize:4;\tsigned:0;",
		"\tfield:char name[4][4];\toffset:8;\tsize:16;\tsigned:0;",
		"\tfield:void (*call)(int);\toffset:8;\tsize:8;\tsigned:0;",
		"\tfield:int x;\toffset:9999999999;\tsize:4;\tsigned:0;",
		"\tfield:int x;\toffset:-8;\tsize:4;\tsigned:0;",
		"\tfield:int x;\tsize:4;\toffset:8;\tsigned:0;",
		"\tfield:int \xff\xff;\toffset:8;\tsize:4;\tsigned:0;",
		"ID: 99999999999999999999",
		"format:",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
		_cleanup_arena_ struct arena arena = { 0 };
		_cleanup_free_ char *text =
			xasprintf("name: x\nID: 1\nformat:\n\tfield:int "
				  "a;\toffset:0;\tsize:4;\tsigned:1;\n\n%s\n"
				  "\tfield:char *__attribute__((btf_type_tag(\"user\"))) "
				  "b;\toffset:8;\tsize:8;\tsigned:0;\n"
				  "\nprint fmt: \"\"\n",
				  lines[i]);
		size_t count;
		const struct tracepoint_field *fields =
			tracepoint_fields_parse(text, strlen(text), 8, &arena, &count);

		assert_true(count == 2);
		assert_string_equal(fields[0].name, "a");
		assert_string_equal(fields[1].name, "b");
		assert_true(fields[1].is_pointer);
	}
}

/* Descriptions and their lines have a limited length. */
static void long_descriptions(void **state)
{
	_cleanup_arena_ struct arena arena = { 0 };
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	size_t count;

	(void)state;
	strbuf_add_string(&text,
			  "format:\n\tfield:int a;\toffset:0;\tsize:4;\tsigned:1;\n\tfield:int ");
	strbuf_add_repeated(&text, 'x', 10000);
	strbuf_add_string(&text, ";\toffset:0;\tsize:4;\tsigned:1;\n");
	(void)tracepoint_fields_parse(text.data, text.length, 8, &arena, &count);
	assert_int_equal(count, 1);
	strbuf_add_repeated(&text, '\n', TRACEPOINT_FORMAT_MAX);
	assert_null(tracepoint_fields_parse(text.data, text.length, 8, &arena, &count));
	assert_int_equal(count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_as_described),
		cmocka_unit_test(other_byte_order),
		cmocka_unit_test(damaged_data),
		cmocka_unit_test(damaged_format),
		cmocka_unit_test(hostile_descriptions),
		cmocka_unit_test(long_descriptions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
