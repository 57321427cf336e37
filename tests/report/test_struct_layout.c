// SPDX-License-Identifier: GPL-2.0-or-later
/* Holes, padding and gaps between bitfields: the cases that pahole prints, and those that it does
 * not. */
#include "tests/support/unit.h"

#include <string.h>

#include "base/memory.h"
#include "report/print/annotated.h"
#include "tests/support/files.h"

static const struct access_count none[1];

#define RECORD(bytes)                                                                              \
	{                                                                                          \
		.type = "struct t", .size = bytes, .opens = true, .counts = none                   \
	}
#define MEMBER(declared, called, at, bytes)                                                        \
	{                                                                                          \
		.type = declared, .base = declared, .name = called, .declarator = called,          \
		.depth = 1, .offset = at, .size = bytes, .unit = bytes, .counts = none             \
	}
#define BITS(called, at, bit, bits, bytes)                                                         \
	{                                                                                          \
		.type = "int", .base = "int", .name = called, .declarator = called, .depth = 1,    \
		.offset = at, .size = 1, .bit_offset = bit, .bit_size = bits, .unit = bytes,       \
		.counts = none                                                                     \
	}

static void assert_layout_in_lines(const struct annotated_line *lines, size_t count,
				   uint64_t cacheline, const char *name)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	_cleanup_free_ char *path = xasprintf("tests/report/golden/layout-%s.txt", name);
	static const char *const events[] = { "loads" };
	struct annotated_type type = { .name = "t",
				       .object = "o",
				       .events = events,
				       .event_count = 1,
				       .lines = lines,
				       .line_count = count };
	struct annotated_options options = { .columns = { { &field_percent }, 1 },
					     .cacheline = cacheline };

	print_struct_layout(&type, &options, &text);

	assert_golden(path, text.data);
}

static void assert_layout(const struct annotated_line *lines, size_t count, const char *name)
{
	assert_layout_in_lines(lines, count, 0, name);
}

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

static void test_holes_and_padding(void **state)
{
	static const struct annotated_line lines[] = { RECORD(24), MEMBER("char", "a", 0, 1),
						       MEMBER("long", "b", 8, 8),
						       MEMBER("char", "c", 16, 1) };

	(void)state;
	assert_layout(lines, COUNT_OF(lines), "holes-and-padding");
}

static void test_bitfields(void **state)
{
	/* struct { unsigned a : 3, : 4, b : 9; char c; unsigned d : 5; } */
	static const struct annotated_line lines[] = { RECORD(8), BITS("a", 0, 0, 3, 4),
						       BITS("b", 0, 7, 9, 4),
						       MEMBER("char", "c", 2, 1),
						       BITS("d", 4, 0, 5, 4) };

	(void)state;
	assert_layout(lines, COUNT_OF(lines), "bitfields");
}

/* As in pahole, the sum of the members is left out if all of them are bitfields. */
static void test_only_bitfields(void **state)
{
	/* struct { unsigned a : 3, : 4, b : 9; } */
	static const struct annotated_line lines[] = { RECORD(4), BITS("a", 0, 0, 3, 4),
						       BITS("b", 0, 7, 9, 4) };
	static const char *const events[] = { "loads" };
	struct annotated_type type = { .name = "t",
				       .object = "o",
				       .events = events,
				       .event_count = 1,
				       .lines = lines,
				       .line_count = COUNT_OF(lines) };
	struct annotated_options options = { .columns = { { &field_percent }, 1 } };
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	print_struct_layout(&type, &options, &text);
	assert_non_null(strstr(text.data, "sum bitfield members: 12 bits, bit holes: 1"));
	assert_null(strstr(text.data, "sum members"));
}

static void assert_gap(struct layout_gap gap, uint64_t bits, uint64_t bytes)
{
	assert_int_equal(gap.bits, bits);
	assert_int_equal(gap.bytes, bytes);
}

static void test_gaps(void **state)
{
	static const struct annotated_line first = MEMBER("int", "a", 0, 4),
					   across = BITS("b", 7, 6, 12, 4),
					   last = MEMBER("int", "c", 12, 4);
	struct layout_fill fill = { 0 };

	(void)state;
	layout_take(&fill, &first, 0);
	assert_int_equal(fill.end, 32);
	/* A bitfield packed across the end of its storage unit occupies the bytes in which it has
	 * bits. */
	assert_int_equal(layout_unit_start(&across, 0), 32);
	assert_gap(layout_gap(&fill, &across, 0, 0), 6, 3);
	layout_take(&fill, &across, 0);
	assert_int_equal(fill.end, 74);
	assert_gap(layout_gap(&fill, &last, 0, 0), 6, 2);
	layout_take(&fill, &last, 0);
	assert_gap(layout_gap(&fill, NULL, 0, 16), 0, 0);
	/* A member that overlaps others leaves no gap and closes none. */
	assert_gap(layout_gap(&fill, &first, 0, 0), 0, 0);
	layout_take(&fill, &first, 0);
	assert_int_equal(fill.end, 128);
	/* Positions in a nested record count from its start. */
	fill = (struct layout_fill){ 0 };
	assert_gap(layout_gap(&fill, &last, 8, 0), 0, 4);
}

/* A flag of one byte in the 4-byte unit of the bitfield before it: the rest of the 4 bytes is
 * unused. */
static void test_a_smaller_unit_in_a_bitfield_s(void **state)
{
	static const struct annotated_line number = BITS("mode", 0, 0, 2, 4),
					   flag = BITS("on", 1, 0, 1, 1),
					   next = MEMBER("int", "c", 4, 4);
	struct layout_fill fill = { 0 };

	(void)state;
	layout_take(&fill, &number, 0);
	layout_take(&fill, &flag, 0);
	assert_gap(layout_gap(&fill, &next, 0, 0), 23, 0);
}

#define NESTED(declared, called, at, bytes)                                                        \
	{                                                                                          \
		.type = declared, .base = declared, .name = called, .declarator = called,          \
		.depth = 1, .offset = at, .size = bytes, .opens = true, .counts = none             \
	}
#define INNER(declared, called, at, bytes)                                                         \
	{                                                                                          \
		.type = declared, .base = declared, .name = called, .declarator = called,          \
		.depth = 2, .offset = at, .size = bytes, .unit = bytes, .counts = none             \
	}

/* Cacheline boundaries are marked in each member of a union. No member has padding, since the
 * others use it. */
static void test_unions(void **state)
{
	struct annotated_line lines[] = { RECORD(96), NESTED("union", "u", 0, 80),
					  INNER("char", "text[80]", 0, 80),
					  INNER("long", "words[10]", 0, 80),
					  MEMBER("long", "end", 80, 8) };
	struct annotated_line padded[] = { RECORD(16), NESTED("struct pair", "p", 0, 16),
					   INNER("long", "a", 0, 8), INNER("int", "b", 8, 4),
					   MEMBER("long", "other", 0, 8) };

	(void)state;
	lines[1].is_union = true;
	assert_layout_in_lines(lines, COUNT_OF(lines), 64, "unions");
	padded[0].is_union = true;
	assert_layout(padded, COUNT_OF(padded), "structs-in-a-union");
}

static void test_boundaries_in_members_of_a_union(void **state)
{
	struct annotated_line lines[] = { RECORD(72),
					  NESTED("union", "", 0, 72),
					  NESTED("struct", "a", 0, 72),
					  INNER("char", "x[65]", 0, 65),
					  INNER("char", "y", 65, 1),
					  NESTED("struct", "b", 0, 72),
					  INNER("long", "z[8]", 0, 64),
					  INNER("long", "w", 64, 8) };

	(void)state;
	lines[1].is_union = true;
	for (size_t i = 2; i < COUNT_OF(lines); i++)
		lines[i].depth++;
	assert_layout_in_lines(lines, COUNT_OF(lines), 64, "boundaries-in-members-of-a-union");
}

/* Padding in the elements of an array is shown but not added up, since pahole does not look
 * there. */
static void test_padding_in_elements(void **state)
{
	struct annotated_line lines[] = { RECORD(32), NESTED("struct pair", "pairs[2]", 0, 32),
					  INNER("long", "a", 0, 8), INNER("int", "b", 8, 4) };

	(void)state;
	lines[1].element_size = 16;
	assert_layout(lines, COUNT_OF(lines), "padding-in-elements");
}

/* Virtual bases lie in what looks like padding. */
static void test_virtual_bases(void **state)
{
	static const struct annotated_line lines[] = { RECORD(32), MEMBER("long", "own", 0, 8) };
	static const char *const events[] = { "loads" };
	struct annotated_type type = { .name = "t",
				       .object = "o",
				       .events = events,
				       .event_count = 1,
				       .virtual_bases = "shop::Root",
				       .lines = lines,
				       .line_count = COUNT_OF(lines) };
	struct annotated_options options = { .columns = { { &field_percent }, 1 } };
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	print_struct_layout(&type, &options, &text);
	assert_non_null(strstr(
		text.data,
		"/* virtual bases, and padding: 24 (shop::Root, where the vtable tells) */\n"));
	assert_null(strstr(text.data, "/* padding:"));
	strbuf_reset(&text);
	print_annotated_type(&type, &options, &text);
	assert_non_null(
		strstr(text.data, "    shop::Root (virtual base, where the vtable tells);\n"));
}

/* An array is listed in each cacheline in which its elements are accessed, and for all of its
 * cachelines together with the accesses whose element is not known. */
static void test_heat_of_an_array(void **state)
{
	static const struct access_count five[] = { { .samples = 5, .period = 5 } },
					 three[] = { { .samples = 3, .period = 3 } },
					 one[] = { { .samples = 1, .period = 1 } };
	static const struct annotated_spread spread[] = { { 0, 1, .samples = 1 },
							  { 0, 0, .samples = 3 },
							  { 1, 1, .samples = 1 } };
	static const struct annotated_cacheline cachelines[] = { { 0, 0, three },
								 { 1, 1, one },
								 { 0, 1, one } };
	static const char *const events[] = { "loads" };
	struct annotated_line lines[] = { RECORD(128), MEMBER("int", "grid[32]", 0, 128) };
	struct annotated_type type = { .name = "t",
				       .object = "o",
				       .samples = 5,
				       .events = events,
				       .event_count = 1,
				       .lines = lines,
				       .line_count = COUNT_OF(lines),
				       .cachelines = cachelines,
				       .cacheline_count = COUNT_OF(cachelines) };
	struct annotated_options options = { .columns = { { &field_percent }, 1 },
					     .cacheline = 64 };
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	lines[0].counts = lines[1].counts = five;
	lines[1].spread = spread;
	lines[1].spread_count = COUNT_OF(spread);
	print_struct_layout(&type, &options, &text);
	assert_non_null(strstr(text.data, " Percent  cacheline  fields\n"
					  "   60.00          0  grid[32] 60.00%\n"
					  "   20.00          1  grid[32] 20.00%\n"
					  "   20.00        0-1  somewhere in grid[32] 20.00%\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_holes_and_padding),
		cmocka_unit_test(test_bitfields),
		cmocka_unit_test(test_only_bitfields),
		cmocka_unit_test(test_gaps),
		cmocka_unit_test(test_a_smaller_unit_in_a_bitfield_s),
		cmocka_unit_test(test_unions),
		cmocka_unit_test(test_boundaries_in_members_of_a_union),
		cmocka_unit_test(test_padding_in_elements),
		cmocka_unit_test(test_virtual_bases),
		cmocka_unit_test(test_heat_of_an_array),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
