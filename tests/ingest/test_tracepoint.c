// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tracepoints: their print formats and their fields, with whole and damaged records and
 * descriptions.
 */
#include "tests/support/unit.h"

#include <string.h>

#include "profiler/ingest/tracepoint/field.h"
#include "profiler/ingest/tracepoint/print.h"
#include "tests/ingest/trace_cases.h"

struct parsed {
	struct arena arena;
	const struct tracepoint_field *fields;
	size_t field_count;
	const struct trace_program *program;
	struct strbuf problem;
};

static void parse(struct parsed *parsed, const char *fields, const char *print)
{
	_cleanup_free_ char *format = xasprintf(
		"name: made\nID: 12\nformat:\n%s%s\nprint fmt: %s\n", TRACE_COMMON, fields, print);
	/* neither fields nor program point into it */
	char *text;

	*parsed = (struct parsed){ .problem = STRBUF_INIT };
	text = arena_strdup(&parsed->arena, format);
	parsed->fields = tracepoint_fields_parse(text, strlen(text), 8, &parsed->arena,
						 &parsed->field_count);
	parsed->program =
		trace_program_parse(text, strlen(text), parsed->fields, parsed->field_count, 8,
				    &parsed->arena, &parsed->problem);
}

static void release(struct parsed *parsed)
{
	arena_deinit(&parsed->arena);
	strbuf_deinit(&parsed->problem);
}

static const char *find_work(void *data, uint64_t address, uint64_t *offset)
{
	(void)data;
	*offset = address & 0xff;
	return address >> 32 == 0xffffffff ? "work" : NULL;
}

static const struct trace_symbols symbols = { find_work, NULL };

/* Prints a copy on the heap of exactly that size, so that sanitizers see reads past its end. */
static bool print(const struct parsed *parsed, const char *data, size_t size, struct strbuf *text)
{
	_cleanup_free_ uint8_t *raw = xcalloc(1, 8 + size);

	memcpy(raw + 8, data, size);
	return trace_program_print(parsed->program, raw, 8 + size, false, &symbols, text);
}

static void test_whole_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < TRACE_CASES; i++) {
		struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
		struct parsed parsed;

		parse(&parsed, trace_cases[i].fields, trace_cases[i].print);
		if (!parsed.program)
			fail_msg("%s: %s", trace_cases[i].name, parsed.problem.data);
		assert_true(print(&parsed, trace_cases[i].data, trace_cases[i].size, &text));
		assert_string_equal(text.data, trace_cases[i].text);
		release(&parsed);
	}
}

/* A value that is not all in the record is not printed, and nothing beyond the record is read. */
static void test_damaged_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < TRACE_CASES; i++) {
		struct parsed parsed;

		parse(&parsed, trace_cases[i].fields, trace_cases[i].print);
		for (unsigned int size = 0; size < trace_cases[i].size; size++) {
			struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

			if (print(&parsed, trace_cases[i].data, size, &text))
				assert_true(text.length > 0);
			else
				assert_int_equal(text.length, 0);
		}
		for (unsigned int at = 0; at < trace_cases[i].size; at++) {
			struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
			_cleanup_free_ char *changed = xcalloc(1, trace_cases[i].size);

			memcpy(changed, trace_cases[i].data, trace_cases[i].size);
			changed[at] = (char)0xff;
			(void)print(&parsed, changed, trace_cases[i].size, &text);
		}
		release(&parsed);
	}
}

#define NUMBERS                                                                                    \
	"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"                                          \
	"\tfield:unsigned int b;\toffset:12;\tsize:4;\tsigned:0;\n"                                \
	"\tfield:long c;\toffset:16;\tsize:8;\tsigned:1;\n"                                        \
	"\tfield:u16 words[3];\toffset:24;\tsize:6;\tsigned:0;\n"                                  \
	"\tfield:__data_loc u32[] list;\toffset:32;\tsize:4;\tsigned:0;\n"

/* a is -3, b 7, c 1 << 40, words 1, 2, 3; list is 10, 20 */
static const char numbers[] = "\xfd\xff\xff\xff\7\0\0\0\0\0\0\0\0\1\0\0\1\0\2\0\3\0\0\0\44\0\10\0"
			      "\12\0\0\0\24\0\0";

/* Values follow the rules of C: precedence, signs, widths. */
static const struct {
	const char *arguments, *text;
} expressions[] = {
	{ "\"%d\", REC->a + 2 * 3", "3" },
	{ "\"%d\", 10 - 3 - 2", "5" },
	{ "\"%d\", 1 + 6 / 2 % 2", "2" },
	{ "\"%d\", 1 << 2 + 1", "8" },
	{ "\"%d\", REC->a < 0", "1" },
	{ "\"%d\", REC->a < REC->b", "0" }, /* as unsigned numbers */
	{ "\"%d\", (long)REC->a < (long)REC->b", "1" },
	{ "\"%d\", REC->a >> 1", "-2" },
	{ "\"%u\", (unsigned int)REC->a >> 28", "15" },
	{ "\"%d\", !REC->b || REC->a == -3 && REC->b != 8", "1" },
	{ "\"%d\", REC->b & 3 | 8 ^ 1", "11" },
	{ "\"%d\", ~REC->b & 0xff", "248" },
	{ "\"%lld\", (long long)REC->c / 1024", "1073741824" },
	{ "\"%d\", REC->a / -1 * (REC->a % 2)", "-3" },
	{ "\"%d %d\", REC->words[1], REC->words[REC->b - 5]", "2 3" },
	{ "\"%u\", ((u32 *)__get_dynamic_array(list))[1]", "20" },
	{ "\"%d\", __get_dynamic_array_len(list) / (int)sizeof(u32)", "2" },
	{ "\"%s\", REC->a ? REC->b ? \"both\" : \"a\" : \"none\"", "both" },
	{ "\"%d\", (s8)REC->b == 7 ? (int)(u8)REC->a : 0", "253" },
	{ "\"%x\", REC->a", "fffffffd" },
	{ "\"%hhx %hx\", REC->a, REC->a", "fd fffd" },
	{ "\"%*d|%-*d|\", 5, REC->b, 3, REC->b", "    7|7  |" },
	{ "\"%.2s|\", \"abc\"", "ab|" },
	{ "\"%d\", __builtin_expect(REC->b == 7, 1)", "1" },
	/* libtraceevent 1.7.1 and 1.8.4 read each of these in another way */
	{ "\"%d\", REC->b * (REC->b + 1)", "56" },
	{ "\"%d\", REC->b - 3 - 2", "2" },
	{ "\"%d\", REC->b & (8 | 1)", "1" },
	{ "\"%d\", REC->b + REC->b * 2 == 21", "1" },
	{ "\"%d\", REC->b ? 1 : 2 + REC->b", "1" },
	{ "\"%d\", REC->b == 6 ? 1 : REC->b == 7 ? 2 : 3", "2" },
	{ "\"%d\", REC->b * -1", "-7" },
	{ "\"%u\", (u8)~REC->b", "248" },
	/* and end with a signal at each of these */
	{ "\"%d\", REC->a ? REC->b : REC->words[1]", "7" },
	{ "\"%d\", REC->b ? REC->words[1] : 1", "2" },
};

static void test_expressions(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++) {
		struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
		struct parsed parsed;

		parse(&parsed, NUMBERS, expressions[i].arguments);
		if (!parsed.program)
			fail_msg("%s: %s", expressions[i].arguments, parsed.problem.data);
		assert_true(print(&parsed, numbers, sizeof(numbers), &text));
		if (strcmp(text.data, expressions[i].text) != 0)
			fail_msg("%s: %s, not %s", expressions[i].arguments, text.data,
				 expressions[i].text);
		release(&parsed);
	}
}

/* Records that do not fit their format. */
static void test_values_beyond(void **state)
{
	static const char *const arguments[] = {
		"\"%d\", REC->words[REC->b]", "\"%d\", 7 % (REC->b - 7)",
		"\"%s\", __print_hex(REC->words, REC->b)",
		"\"%s\", __print_array(REC->words, REC->a, 2)",
		"\"%d\", ((u32 *)__get_dynamic_array(list))[REC->a]"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(arguments) / sizeof(*arguments); i++) {
		struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
		struct parsed parsed;

		parse(&parsed, NUMBERS, arguments[i]);
		assert_non_null(parsed.program);
		assert_false(print(&parsed, numbers, sizeof(numbers), &text));
		release(&parsed);
	}
}

static const struct {
	const char *print, *problem;
} refused[] = {
	{ "REC->a", "it begins with no string" },
	{ "\"%d\"", "there are fewer arguments than conversions" },
	{ "\"%d\", REC->nothing", "it has no field 'nothing'" },
	{ "\"%s\", __print_flags(REC->nothing, \"\", { 1, \"x\" })", "it has no field 'nothing'" },
	{ "\"%d\", REC->a +", "it ends too early" },
	{ "\"%d\", (REC->a", "a ')' is missing" },
	{ "\"%d", "a string has no end" },
	{ "\"%s\", jiffies_to_text(REC->a)", "the function jiffies_to_text() is not known" },
	{ "\"%d\", XFS_FOO", "the value of XFS_FOO is not known" },
	{ "\"%pV\", REC->a", "the conversion %pV is not known" },
	{ "\"%n\", REC->a", "the conversion %n is not known" },
	{ "\"%100000d\", REC->a", "a column is too wide" },
	{ "\"%s\", __get_str(a)", "field 'a' is not dynamic" },
	{ "\"%d\", ((struct foo *)REC->c)[1]", "the elements of an array are not known" },
	{ "\"%s\", __print_symbolic(REC->a, { REC->b, \"x\" })",
	  "a value of a table is not a number" },
};

static void test_what_is_refused(void **state)
{
	struct strbuf deep _cleanup_strbuf_ = STRBUF_INIT;
	struct parsed parsed;

	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		parse(&parsed, NUMBERS, refused[i].print);
		assert_null(parsed.program);
		assert_string_equal(parsed.problem.data, refused[i].problem);
		release(&parsed);
	}
	strbuf_add_string(&deep, "\"%d\", ");
	strbuf_add_repeated(&deep, '(', 100000);
	parse(&parsed, NUMBERS, deep.data);
	assert_null(parsed.program);
	assert_string_equal(parsed.problem.data, "it is nested too deeply");
	release(&parsed);
	strbuf_reset(&deep);
	strbuf_add_string(&deep, "\"%d\", 1");
	for (int i = 0; i < 100000; i++)
		strbuf_add_string(&deep, "+1");
	parse(&parsed, NUMBERS, deep.data);
	assert_null(parsed.program);
	release(&parsed);
}

/* Records with false sizes and offsets: the eight bytes that all events have, then `data`. Thirteen
 * of them end libtraceevent's printing with a signal. */
#define HOSTILE_FIELDS                                                                             \
	"\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"                                          \
	"\tfield:__data_loc char[] s;\toffset:12;\tsize:4;\tsigned:0;\n"                           \
	"\tfield:char fixed[4];\toffset:16;\tsize:4;\tsigned:0;\n"                                 \
	"\tfield:__rel_loc u8[] r;\toffset:20;\tsize:4;\tsigned:0;\n"                              \
	"\tfield:__data_loc cpumask_t mask;\toffset:24;\tsize:4;\tsigned:0;\n"                     \
	"\tfield:__data_loc unsigned long[] longs;\toffset:28;\tsize:4;\tsigned:0;\n"              \
	"\tfield:char far[4];\toffset:999999999;\tsize:4;\tsigned:0;\n"                            \
	"\tfield:char huge[9];\toffset:8;\tsize:999999999;\tsigned:0;\n"

static const struct {
	const char *what, *print, *data;
	unsigned int size;
	const char *text; /* NULL: the record is refused */
} hostile[] = {
	{ "no record", "\"%d\", REC->n", DATA(""), NULL },
	{ "a record that ends within a number", "\"%d\", REC->n", DATA("\1\0\0"), NULL },
	{ "a string that begins after the record", "\"%s\", __get_str(s)",
	  DATA("\0\0\0\0\xff\xff\4\0"), NULL },
	{ "a string that ends after the record", "\"%s\", __get_str(s)",
	  DATA("\0\0\0\0\x10\0\xff\xff"
	       "abcd"),
	  NULL },
	{ "a string without an end", "\"%s|\", __get_str(s)",
	  DATA("\0\0\0\0\x10\0\4\0"
	       "abcd"),
	  "abcd|" },
	{ "an array of characters without an end", "\"%s|\", REC->fixed",
	  DATA("\0\0\0\0\0\0\0\0"
	       "wxyz"),
	  "wxyz|" },
	{ "an array that is cut off", "\"%s\", REC->fixed",
	  DATA("\0\0\0\0\0\0\0\0"
	       "wx"),
	  NULL },
	{ "a relative offset that wraps round",
	  "\"%s\", __print_hex(__get_rel_dynamic_array(r), 4)",
	  DATA("\0\0\0\0\0\0\0\0\0\0\0\0\xf0\xff\4\0"), NULL },
	{ "more bytes asked for than the array has",
	  "\"%s\", __print_hex(__get_dynamic_array(s), REC->n)",
	  DATA("\x7f\0\0\0\x10\0\2\0"
	       "ab"),
	  NULL },
	{ "a negative number of bytes", "\"%s\", __print_hex_str(__get_dynamic_array(s), REC->n)",
	  DATA("\xff\xff\xff\xff\x10\0\2\0"
	       "ab"),
	  NULL },
	{ "elements of no size", "\"%s\", __print_array(__get_dynamic_array(s), 1, REC->n)",
	  DATA("\0\0\0\0\x10\0\2\0"
	       "ab"),
	  NULL },
	{ "as many elements as overflow",
	  "\"%s\", __print_array(__get_dynamic_array(s), REC->n, 8)",
	  DATA("\0\0\0\x80\x10\0\2\0"
	       "ab"),
	  NULL },
	{ "a mask after the record", "\"%s\", __get_cpumask(mask)",
	  DATA("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x20\0\x00\x40"), NULL },
	{ "a mask of no whole word", "\"%s|\", __get_bitmask(mask)",
	  DATA("\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x1c\0\3\0abc"), "|" },
	{ "an index far outside", "\"%ld\", ((long *)__get_dynamic_array(longs))[REC->n]",
	  DATA("\xff\xff\xff\x7f\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x20\0\10\0"
	       "12345678"),
	  NULL },
	{ "an address of six bytes in four", "\"%pM\", REC->fixed",
	  DATA("\0\0\0\0\0\0\0\0"
	       "wxyz"),
	  NULL },
	{ "a division by what is zero", "\"%d %d\", 1 / REC->n, 1 % REC->n", DATA("\0\0\0\0"),
	  NULL },
	{ "a field far after the record", "\"%s %s\", REC->far, REC->huge", DATA("\0\0\0\0"),
	  NULL },
	{ "a symbol and flags of the largest number",
	  "\"%s %s\", __print_symbolic(REC->n, { 0, \"none\" }), __print_flags(REC->n, \"|\", { 0, "
	  "\"none\" "
	  "})",
	  DATA("\xff\xff\xff\xff"), "0xffffffff 0xffffffff" },
	{ "a column as wide as the record says", "\"%*d|\", REC->n, 1", DATA("\xff\xff\xff\x7f"),
	  "wide" },
};

static void test_hostile_records(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(hostile) / sizeof(*hostile); i++) {
		struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
		struct parsed parsed;
		bool printed;

		parse(&parsed, HOSTILE_FIELDS, hostile[i].print);
		if (!parsed.program)
			fail_msg("%s: %s", hostile[i].what, parsed.problem.data);
		printed = print(&parsed, hostile[i].data, hostile[i].size, &text);
		if (printed != !!hostile[i].text)
			fail_msg("%s: %s", hostile[i].what, printed ? text.data : "refused");
		if (printed && !strcmp(hostile[i].text, "wide"))
			assert_int_equal(text.length, 1001);
		else if (printed)
			assert_string_equal(text.data, hostile[i].text);
		release(&parsed);
	}
}

/* Formats that end libtraceevent's parser with a signal (1.7.1, 1.8.4) are refused, each with its
 * reason. */
static const struct {
	const char *print, *problem;
} deadly[] = {
	{ "\"%s\", __print_symbolic(REC->nothing, { 1, \"x\" })", "it has no field 'nothing'" },
	{ "\"%d\", REC->words[1][2]", "the elements of an array are not known" },
	{ "\"%d\", REC->words[1] @ 2", NULL },
	{ "\"%d\", sizeof(", "the size of a type is not known" },
	{ "\"%s\", __print_symbolic(REC->a, { 4 / 0, \"x\" })",
	  "a value of a table is not a number" },
};

static void test_deadly_formats(void **state)
{
	struct parsed parsed;

	(void)state;
	for (size_t i = 0; i < sizeof(deadly) / sizeof(*deadly); i++) {
		parse(&parsed, NUMBERS, deadly[i].print);
		if (deadly[i].problem) {
			assert_null(parsed.program);
			assert_string_equal(parsed.problem.data, deadly[i].problem);
		}
		release(&parsed);
	}
	/* a division by zero in the format is one in each record */
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	parse(&parsed, NUMBERS, "\"%d\", 4 / 0");
	assert_non_null(parsed.program);
	assert_false(print(&parsed, numbers, sizeof(numbers), &text));
	release(&parsed);
}

/* ---- fields ---- */

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
		uint64_t first;

		assert_string_equal(fields[i].name, expected[i].name);
		assert_int_equal(fields[i].is_common, i < 2);
		assert_true(
			tracepoint_field_text(&fields[i], raw, sizeof(raw), false, &text, &first));
		assert_string_equal(text.data, expected[i].text);
		if (i == 2)
			assert_true(first == 0x70643602010011ff);
	}
}

static void other_byte_order(void **state)
{
	static const uint8_t swapped[] = { 0, 12, 0, 0, 0xff, 0xff, 0xff, 0xfe };
	_cleanup_arena_ struct arena arena = { 0 };
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	size_t count;
	const struct tracepoint_field *fields =
		tracepoint_fields_parse(format, sizeof(format) - 1, 8, &arena, &count);
	uint64_t first;

	(void)state;
	assert_true(
		tracepoint_field_text(&fields[0], swapped, sizeof(swapped), true, &text, &first));
	strbuf_add_char(&text, ' ');
	assert_true(
		tracepoint_field_text(&fields[1], swapped, sizeof(swapped), true, &text, &first));
	assert_string_equal(text.data, "12 -2");
	assert_false(
		tracepoint_field_text(&fields[2], swapped, sizeof(swapped), true, &text, &first));
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
				uint64_t first;

				missing += !tracepoint_field_text(&fields[i], copy, size, false,
								  &text, &first);
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
			uint64_t first;

			assert_true(*fields[f].name);
			(void)tracepoint_field_text(&fields[f], raw, sizeof(raw), false, &text,
						    &first);
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
		cmocka_unit_test(test_whole_records),   cmocka_unit_test(test_damaged_records),
		cmocka_unit_test(test_expressions),     cmocka_unit_test(test_values_beyond),
		cmocka_unit_test(test_what_is_refused), cmocka_unit_test(test_hostile_records),
		cmocka_unit_test(test_deadly_formats),  cmocka_unit_test(values_are_as_described),
		cmocka_unit_test(other_byte_order),     cmocka_unit_test(damaged_data),
		cmocka_unit_test(damaged_format),       cmocka_unit_test(hostile_descriptions),
		cmocka_unit_test(long_descriptions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
