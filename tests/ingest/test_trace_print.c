// SPDX-License-Identifier: GPL-2.0-or-later
/* Print formats of tracepoints: what is printed of whole records, of damaged ones, and what is refused. */
#include "tests/support/unit.h"

#include <string.h>

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
	_cleanup_free_ char *format =
		xasprintf("name: made\nID: 12\nformat:\n%s%s\nprint fmt: %s\n", TRACE_COMMON, fields, print);
	/* neither fields nor program point into it */
	char *text;

	*parsed = (struct parsed){ .problem = STRBUF_INIT };
	text = arena_strdup(&parsed->arena, format);
	parsed->fields = tracepoint_fields_parse(text, strlen(text), 8, &parsed->arena, &parsed->field_count);
	parsed->program = trace_program_parse(text, strlen(text), parsed->fields, parsed->field_count, 8,
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

/* On the heap, of just that size, so that sanitizers see what is read beyond. */
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

/* Nothing is printed of what is not all there, and nothing is read beyond it. */
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

#define NUMBERS                                                                                              \
	"\tfield:int a;\toffset:8;\tsize:4;\tsigned:1;\n"                                                    \
	"\tfield:unsigned int b;\toffset:12;\tsize:4;\tsigned:0;\n"                                          \
	"\tfield:long c;\toffset:16;\tsize:8;\tsigned:1;\n"                                                  \
	"\tfield:u16 words[3];\toffset:24;\tsize:6;\tsigned:0;\n"                                            \
	"\tfield:__data_loc u32[] list;\toffset:32;\tsize:4;\tsigned:0;\n"

/* a is -3, b 7, c 1 << 40, words 1, 2, 3; list is 10, 20 */
static const char numbers[] = "\xfd\xff\xff\xff\7\0\0\0\0\0\0\0\0\1\0\0\1\0\2\0\3\0\0\0\44\0\10\0"
			      "\12\0\0\0\24\0\0";

/* By C's rules: precedence, signs, widths. */
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
	/* libtraceevent 1.7.1 and 1.8.4 read each of these otherwise */
	{ "\"%d\", REC->b * (REC->b + 1)", "56" },
	{ "\"%d\", REC->b - 3 - 2", "2" },
	{ "\"%d\", REC->b & (8 | 1)", "1" },
	{ "\"%d\", REC->b + REC->b * 2 == 21", "1" },
	{ "\"%d\", REC->b ? 1 : 2 + REC->b", "1" },
	{ "\"%d\", REC->b == 6 ? 1 : REC->b == 7 ? 2 : 3", "2" },
	{ "\"%d\", REC->b * -1", "-7" },
	{ "\"%u\", (u8)~REC->b", "248" },
	/* and ends by a signal at each of these */
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
			fail_msg("%s: %s, not %s", expressions[i].arguments, text.data, expressions[i].text);
		release(&parsed);
	}
}

/* What a record alone can make wrong. */
static void test_values_beyond(void **state)
{
	static const char *const arguments[] = { "\"%d\", REC->words[REC->b]", "\"%d\", 7 % (REC->b - 7)",
						 "\"%s\", __print_hex(REC->words, REC->b)",
						 "\"%s\", __print_array(REC->words, REC->a, 2)",
						 "\"%d\", ((u32 *)__get_dynamic_array(list))[REC->a]" };

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
	{ "\"%s\", __get_str(a)", "field 'a' is no dynamic one" },
	{ "\"%d\", ((struct foo *)REC->c)[1]", "the elements of an array are not known" },
	{ "\"%s\", __print_symbolic(REC->a, { REC->b, \"x\" })", "a value of a table is no number" },
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

/*
 * Records that lie about what they hold: eight bytes that all events have, then `data`. Thirteen of such end
 * libtraceevent's printing by a signal.
 */
#define HOSTILE_FIELDS                                                                                       \
	"\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"                                                    \
	"\tfield:__data_loc char[] s;\toffset:12;\tsize:4;\tsigned:0;\n"                                     \
	"\tfield:char fixed[4];\toffset:16;\tsize:4;\tsigned:0;\n"                                           \
	"\tfield:__rel_loc u8[] r;\toffset:20;\tsize:4;\tsigned:0;\n"                                        \
	"\tfield:__data_loc cpumask_t mask;\toffset:24;\tsize:4;\tsigned:0;\n"                               \
	"\tfield:__data_loc unsigned long[] longs;\toffset:28;\tsize:4;\tsigned:0;\n"                        \
	"\tfield:char far[4];\toffset:999999999;\tsize:4;\tsigned:0;\n"                                      \
	"\tfield:char huge[9];\toffset:8;\tsize:999999999;\tsigned:0;\n"

static const struct {
	const char *what, *print, *data;
	unsigned int size;
	const char *text; /* NULL: the record is refused */
} hostile[] = {
	{ "no record", "\"%d\", REC->n", DATA(""), NULL },
	{ "a record that ends within a number", "\"%d\", REC->n", DATA("\1\0\0"), NULL },
	{ "a string that begins behind the record", "\"%s\", __get_str(s)", DATA("\0\0\0\0\xff\xff\4\0"),
	  NULL },
	{ "a string that ends behind the record", "\"%s\", __get_str(s)",
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
	{ "a relative offset that wraps round", "\"%s\", __print_hex(__get_rel_dynamic_array(r), 4)",
	  DATA("\0\0\0\0\0\0\0\0\0\0\0\0\xf0\xff\4\0"), NULL },
	{ "more bytes asked for than the array has", "\"%s\", __print_hex(__get_dynamic_array(s), REC->n)",
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
	{ "as many elements as overflow", "\"%s\", __print_array(__get_dynamic_array(s), REC->n, 8)",
	  DATA("\0\0\0\x80\x10\0\2\0"
	       "ab"),
	  NULL },
	{ "a mask behind the record", "\"%s\", __get_cpumask(mask)",
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
	{ "a division by what is zero", "\"%d %d\", 1 / REC->n, 1 % REC->n", DATA("\0\0\0\0"), NULL },
	{ "a field far behind the record", "\"%s %s\", REC->far, REC->huge", DATA("\0\0\0\0"), NULL },
	{ "a symbol and flags of the largest number",
	  "\"%s %s\", __print_symbolic(REC->n, { 0, \"none\" }), __print_flags(REC->n, \"|\", { 0, \"none\" "
	  "})",
	  DATA("\xff\xff\xff\xff"), "0xffffffff 0xffffffff" },
	{ "a column as wide as the record says", "\"%*d|\", REC->n, 1", DATA("\xff\xff\xff\x7f"), "wide" },
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

/* Formats that end libtraceevent's parser by a signal (1.7.1, 1.8.4) are refused, each with its reason. */
static const struct {
	const char *print, *problem;
} deadly[] = {
	{ "\"%s\", __print_symbolic(REC->nothing, { 1, \"x\" })", "it has no field 'nothing'" },
	{ "\"%d\", REC->words[1][2]", "the elements of an array are not known" },
	{ "\"%d\", REC->words[1] @ 2", NULL },
	{ "\"%d\", sizeof(", "the size of a type is not known" },
	{ "\"%s\", __print_symbolic(REC->a, { 4 / 0, \"x\" })", "a value of a table is no number" },
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
	/* a division by zero in the format itself is one of each record */
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	parse(&parsed, NUMBERS, "\"%d\", 4 / 0");
	assert_non_null(parsed.program);
	assert_false(print(&parsed, numbers, sizeof(numbers), &text));
	release(&parsed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whole_records),   cmocka_unit_test(test_damaged_records),
		cmocka_unit_test(test_expressions),     cmocka_unit_test(test_values_beyond),
		cmocka_unit_test(test_what_is_refused), cmocka_unit_test(test_hostile_records),
		cmocka_unit_test(test_deadly_formats),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
