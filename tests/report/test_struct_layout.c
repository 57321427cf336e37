// SPDX-License-Identifier: GPL-2.0-or-later
/* Holes, padding and gaps between bitfields: the cases that pahole prints, and those that it has no word for.
 */
#include "tests/support/unit.h"

#include <string.h>

#include "report/struct_layout.h"

static const struct access_count none[1];

#define RECORD(bytes)                                                                                        \
	{                                                                                                    \
		.type = "struct t", .size = bytes, .opens = true, .counts = none                             \
	}
#define MEMBER(declared, called, at, bytes)                                                                  \
	{                                                                                                    \
		.type = declared, .base = declared, .name = called, .declarator = called, .depth = 1,        \
		.offset = at, .size = bytes, .unit = bytes, .counts = none                                   \
	}
#define BITS(called, at, bit, bits, bytes)                                                                   \
	{                                                                                                    \
		.type = "int", .base = "int", .name = called, .declarator = called, .depth = 1,              \
		.offset = at, .size = 1, .bit_offset = bit, .bit_size = bits, .unit = bytes, .counts = none  \
	}

static void assert_layout(const struct annotated_line *lines, size_t count, const char *expected)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	static const char *const events[] = { "loads" };
	struct annotated_type type = { .name = "t",
				       .object = "o",
				       .events = events,
				       .event_count = 1,
				       .lines = lines,
				       .line_count = count };
	struct annotated_options options = { .columns = { { &field_percent }, 1 } };

	print_struct_layout(&type, &options, &text);

	const char *body = strstr(text.data, "{\n");

	assert_non_null(body);
	assert_string_equal(body + 2, expected);
}

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

static void test_holes_and_padding(void **state)
{
	static const struct annotated_line lines[] = { RECORD(24), MEMBER("char", "a", 0, 1),
						       MEMBER("long", "b", 8, 8),
						       MEMBER("char", "c", 16, 1) };

	(void)state;
	assert_layout(lines, COUNT_OF(lines),
		      "    0.00          char                       a;                    /*     0     1 */\n"
		      "\n"
		      "                  /* XXX 7 bytes hole, try to pack */\n"
		      "\n"
		      "    0.00          long                       b;                    /*     8     8 */\n"
		      "    0.00          char                       c;                    /*    16     1 */\n"
		      "\n"
		      "                  /* size: 24, members: 3 */\n"
		      "                  /* sum members: 10, holes: 1, sum holes: 7 */\n"
		      "                  /* padding: 7 */\n"
		      "          };\n"
		      "\n");
}

static void test_bitfields(void **state)
{
	/* unsigned a : 3, : 4, b : 9; char c; unsigned d : 5 */
	static const struct annotated_line lines[] = { RECORD(8), BITS("a", 0, 0, 3, 4),
						       BITS("b", 0, 7, 9, 4), MEMBER("char", "c", 2, 1),
						       BITS("d", 4, 0, 5, 4) };

	(void)state;
	assert_layout(
		lines, COUNT_OF(lines),
		"    0.00          int                        a:3;                  /*     0: 0  4 */\n"
		"\n"
		"                  /* XXX 4 bits hole, try to pack */\n"
		"\n"
		"    0.00          int                        b:9;                  /*     0: 7  4 */\n"
		"    0.00          char                       c;                    /*     2     1 */\n"
		"\n"
		"                  /* XXX 1 byte hole, try to pack */\n"
		"\n"
		"    0.00          int                        d:5;                  /*     4: 0  4 */\n"
		"\n"
		"                  /* size: 8, members: 4 */\n"
		"                  /* sum members: 1, holes: 1, sum holes: 1 */\n"
		"                  /* sum bitfield members: 17 bits, bit holes: 1, sum bit holes: 4 bits */\n"
		"                  /* bit_padding: 27 bits */\n"
		"          };\n"
		"\n");
}

static void assert_gap(struct layout_gap gap, uint64_t bits, uint64_t bytes)
{
	assert_int_equal(gap.bits, bits);
	assert_int_equal(gap.bytes, bytes);
}

static void test_gaps(void **state)
{
	static const struct annotated_line first = MEMBER("int", "a", 0, 4), across = BITS("b", 7, 6, 12, 4),
					   last = MEMBER("int", "c", 12, 4);
	struct layout_fill fill = { 0 };
	uint64_t start, end;

	(void)state;
	layout_take(&fill, &first, 0);
	assert_int_equal(fill.end, 32);
	/* packed over the end of its storage unit: it is taken for the bytes that it has bits in */
	layout_bit_unit(&across, 0, &start, &end);
	assert_int_equal(start, 56);
	assert_int_equal(end, 80);
	assert_gap(layout_gap(&fill, &across, 0, 0), 6, 3);
	layout_take(&fill, &across, 0);
	assert_int_equal(fill.end, 74);
	assert_gap(layout_gap(&fill, &last, 0, 0), 6, 2);
	layout_take(&fill, &last, 0);
	assert_gap(layout_gap(&fill, NULL, 0, 16), 0, 0);
	/* what lies over others leaves no gap, and takes none back */
	assert_gap(layout_gap(&fill, &first, 0, 0), 0, 0);
	layout_take(&fill, &first, 0);
	assert_int_equal(fill.end, 128);
	/* nested: places count from the record */
	fill = (struct layout_fill){ 0 };
	assert_gap(layout_gap(&fill, &last, 8, 0), 0, 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holes_and_padding),
		cmocka_unit_test(test_bitfields),
		cmocka_unit_test(test_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
