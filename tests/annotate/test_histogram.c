// SPDX-License-Identifier: GPL-2.0-or-later
/* Counts of a type's fields, from accesses at offsets. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "annotate/types/histogram.h"
#include "annotate/types/member.h"
#include "tests/annotate/made_types.h"

static struct made_types types;
static const struct type *integer, *word, *slot, *table;
static const int object, other_object;

static int set_up(void **state)
{
	(void)state;
	made_types_init(&types);
	integer = made_integer(&types, "int", 4);
	word = made_integer(&types, "long int", 8);
	slot = MADE_STRUCT(&types, "slot", 16, { .name = "key", .type = word },
			   { .name = "next", .type = word, .offset = 8 });
	table = MADE_STRUCT(&types, "table", 40, { .name = "count", .type = word },
			    { .name = "slots", .type = made_array(&types, slot, 2), .offset = 8 },
			    { .name = "tail", .type = made_array(&types, slot, 0), .offset = 40 });
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	made_types_deinit(&types);
	return 0;
}

static void add(struct histograms *histograms, const void *where, const struct type *type,
		int64_t offset, uint32_t event, uint64_t samples)
{
	struct access access = { .kind = ACCESS_TYPE, .type = type, .offset = offset };
	struct access_count count = { .samples = samples, .period = 10 * samples };

	histograms_add(histograms, where, &access, &(struct access_span){ offset, 0 },
		       (struct accessor){ 0 }, event, &count);
}

/* Returns the line after `line` and all its members. */
static size_t end_of(const struct histogram_lines *lines, size_t line)
{
	size_t end = line + 1;

	while (end < lines->count &&
	       lines->lines[end].member.depth > lines->lines[line].member.depth)
		end++;
	return end;
}

/* True if each access to a record is to one of its members: it has neither variants nor base
 * classes, and its members share no bytes unless it is a union. */
static bool is_apart(const struct histogram_lines *lines, size_t record)
{
	const struct member_line *before = NULL;
	bool overlap = type_strip(lines->lines[record].member.type)->kind == TYPE_UNION;

	for (size_t i = record + 1, end = end_of(lines, record); i < end; i = end_of(lines, i)) {
		const struct member_line *line = &lines->lines[i].member;

		if (line->is_variant || line->is_base || line->is_discriminant ||
		    (before && !overlap && !line->is_unit && !line->bit_size &&
		     line->offset < before->offset + (int64_t)before->size))
			return false;
		before = line->is_unit ? before : line;
	}
	return true;
}

/* Makes the lines of a type: the samples of each struct's members add up to at most its own. */
static void sound_lines(const struct histogram *histogram, uint32_t event_count,
			struct histogram_lines *lines)
{
	histogram_lines(histogram, event_count, lines);
	for (size_t record = 0; record < lines->count; record++)
		for (uint32_t event = 0; event < event_count && is_apart(lines, record); event++) {
			uint64_t sum = 0;

			for (size_t i = record + 1, end = end_of(lines, record); i < end;
			     i = end_of(lines, i))
				sum += lines->lines[i].counts[event].samples;
			assert_true(sum <= lines->lines[record].counts[event].samples);
		}
}

static void assert_counts(const struct histogram_lines *lines, size_t line, const char *name,
			  uint64_t loads, uint64_t stores)
{
	if (name)
		assert_string_equal(lines->lines[line].member.name, name);
	assert_int_equal(lines->lines[line].counts[0].samples, loads);
	assert_int_equal(lines->lines[line].counts[0].period, 10 * loads);
	assert_int_equal(lines->lines[line].counts[1].samples, stores);
}

static void test_fields_and_events(void **state)
{
	struct histograms *histograms = histograms_create(2);
	struct histogram_lines lines;

	(void)state;
	add(histograms, &object, table, 0, 0, 5);
	add(histograms, &object, table, 4, 1, 1);
	add(histograms, &object, table, 24, 0, 3); /* slots[1].key */
	add(histograms, &object, table, 8, 0, 4);  /* slots[0].key */
	add(histograms, &object, table, 16, 1, 2); /* slots[0].next */
	add(histograms, &object, table, 64, 1, 7); /* tail[1].next */
	assert_int_equal(histograms->count, 1);
	assert_int_equal(histograms->items[0].samples, 22);
	sound_lines(&histograms->items[0], 2, &lines);
	assert_int_equal(lines.count, 8);
	assert_counts(&lines, 0, NULL, 12, 10);
	assert_counts(&lines, 1, "count", 5, 1);
	assert_counts(&lines, 2, "slots", 7, 2);
	assert_counts(&lines, 3, "key", 7, 0);
	assert_counts(&lines, 4, "next", 0, 2);
	assert_counts(&lines, 5, "tail", 0, 7);
	assert_counts(&lines, 6, "key", 0, 0);
	assert_counts(&lines, 7, "next", 0, 7);
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

/* An access counts for one member of a union, or for the union alone. */
static void test_members_of_unions(void **state)
{
	const struct type *pair = MADE_STRUCT(&types, NULL, 8, { .name = "low", .type = integer },
					      { .name = "high", .type = integer, .offset = 4 });
	const struct type *value =
		MADE_UNION(&types, "value", 8, { .name = "whole", .type = word },
			   { .name = "half", .type = integer }, { .name = "pair", .type = pair });
	const struct type *holder =
		MADE_STRUCT(&types, "holder", 16, { .name = "v", .type = value, .offset = 8 });
	struct histograms *histograms = histograms_create(2);
	struct histogram_lines lines;
	const struct {
		int64_t offset;
		uint16_t size;
		uint64_t candidates, samples;
	} accesses[] = {
		{ 8, 8, 0, 1 },      /* whole, by its size */
		{ 8, 4, 0, 2 },      /* half or low */
		{ 8, 4, 1 << 2, 4 }, /* low, by its evidence */
		{ 12, 4, 0, 8 },     /* high */
		{ 8, 0, 0, 16 },     /* nothing is known */
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(accesses); i++) {
		struct access access = { .kind = ACCESS_TYPE,
					 .type = holder,
					 .offset = accesses[i].offset,
					 .size = accesses[i].size,
					 .union_candidates = accesses[i].candidates };
		struct access_count count = { .samples = accesses[i].samples,
					      .period = 10 * accesses[i].samples };

		histograms_add(histograms, &object, &access,
			       &(struct access_span){ access.offset, 0 }, (struct accessor){ 0 }, 0,
			       &count);
	}
	sound_lines(&histograms->items[0], 2, &lines);
	assert_int_equal(lines.count, 7);
	assert_counts(&lines, 0, NULL, 31, 0);
	assert_counts(&lines, 1, "v", 31, 0);
	assert_counts(&lines, 2, "whole", 1, 0);
	assert_counts(&lines, 3, "half", 0, 0);
	assert_counts(&lines, 4, "pair", 12, 0);
	assert_counts(&lines, 5, "low", 4, 0);
	assert_counts(&lines, 6, "high", 8, 0);
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

static void test_empty_bases_have_no_accesses(void **state)
{
	const struct type *inner = MADE_STRUCT(&types, "Inner", 1, { .type = NULL });
	const struct type *empty =
		MADE_STRUCT(&types, "Empty", 1, { .type = inner, .is_base = true });
	const struct type *derived =
		MADE_STRUCT(&types, "Derived", 8, { .type = empty, .is_base = true },
			    { .name = "value", .type = word });
	struct histograms *histograms = histograms_create(2);
	struct histogram_lines lines;

	(void)state;
	add(histograms, &object, derived, 0, 0, 3);
	sound_lines(&histograms->items[0], 2, &lines);
	assert_counts(&lines, 0, NULL, 3, 0);
	assert_counts(&lines, 1, NULL, 0, 0);
	assert_counts(&lines, 2, NULL, 0, 0);
	assert_counts(&lines, 3, "value", 3, 0);
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

static void test_members_in_the_padding_of_a_base(void **state)
{
	const struct type *root = MADE_STRUCT(&types, "Root", 16, { .name = "id", .type = word },
					      { .name = "tag", .type = integer, .offset = 8 });
	const struct type *base =
		MADE_STRUCT(&types, "Base", 16, { .type = root, .is_base = true });
	const struct type *derived =
		MADE_STRUCT(&types, "Derived", 24, { .type = base, .is_base = true },
			    { .name = "more", .type = integer, .offset = 12 },
			    { .name = "last", .type = word, .offset = 16 });
	struct histograms *histograms = histograms_create(2);
	struct histogram_lines lines;

	(void)state;
	add(histograms, &object, derived, 8, 0, 1);
	add(histograms, &object, derived, 12, 0, 2);
	add(histograms, &object, derived, 16, 0, 4);
	sound_lines(&histograms->items[0], 2, &lines);
	assert_int_equal(lines.count, 7);
	assert_counts(&lines, 0, NULL, 7, 0);
	assert_counts(&lines, 1, NULL, 1, 0);
	assert_counts(&lines, 2, NULL, 1, 0);
	assert_counts(&lines, 4, "tag", 1, 0);
	assert_counts(&lines, 5, "more", 2, 0);
	assert_counts(&lines, 6, "last", 4, 0);
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

static void test_scalars_have_one_line(void **state)
{
	struct histograms *histograms = histograms_create(2);
	struct histogram_lines lines;

	(void)state;
	add(histograms, &object, integer, 0, 1, 9);
	sound_lines(&histograms->items[0], 2, &lines);
	assert_int_equal(lines.count, 1);
	assert_int_equal(lines.lines[0].member.size, 4);
	assert_counts(&lines, 0, NULL, 0, 9);
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

static void test_order_and_objects(void **state)
{
	struct histograms *histograms = histograms_create(1);

	(void)state;
	add(histograms, &object, table, 0, 0, 2);
	add(histograms, &object, slot, 0, 0, 2);
	add(histograms, &other_object, slot, 0, 0, 5);
	add(histograms, &object, integer, 0, 0, 1);
	histograms_sort(histograms);
	assert_int_equal(histograms->count, 4);
	assert_ptr_equal(histograms->items[0].object, &other_object);
	assert_ptr_equal(histograms->items[1].type, slot);
	assert_ptr_equal(histograms->items[2].type, table);
	assert_ptr_equal(histograms->items[3].type, integer);
	/* still found after sorting */
	add(histograms, &object, integer, 0, 0, 1);
	assert_int_equal(histograms->count, 4);
	assert_int_equal(histograms->items[3].samples, 2);
	histograms_destroy(histograms);
}

static void test_many_offsets_and_types(void **state)
{
	const struct type *array = made_array(&types, integer, 4096);
	struct histograms *histograms = histograms_create(1);
	struct histogram_lines lines;

	(void)state;
	for (int round = 0; round < 2; round++)
		for (int i = 0; i < 4096; i++)
			add(histograms, &object, array, (i * 37 % 4096) * 4, 0, 1);
	for (int i = 1; i < 200; i++)
		add(histograms, &object, made_array(&types, integer, i), 0, 0, 1);
	assert_int_equal(histograms->count, 200);
	assert_int_equal(histograms->items[0].spot_count, 4096);
	for (size_t i = 0; i < 4096; i++) {
		assert_int_equal(histograms->items[0].spots[i].offset, 4 * i);
		assert_int_equal(histograms->items[0].counts[i].samples, 2);
	}
	sound_lines(&histograms->items[0], 1, &lines);
	assert_int_equal(lines.lines[0].counts[0].samples, 8192);
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

static void add_access(struct histograms *histograms, struct access access, const char *symbol,
		       uint64_t samples)
{
	struct access_count count = { .samples = samples, .period = 10 * samples };

	struct access_span span = { access.offset, 0 };

	access.kind = ACCESS_TYPE;
	if (access.indexed)
		span = (struct access_span){ 8, 32 };
	histograms_add(histograms, &object, &access, &span, (struct accessor){ .symbol = symbol },
		       0, &count);
}

static void test_variants_of_enums(void **state)
{
	const struct type *circle = MADE_STRUCT(&types, "shape::Circle", 16,
						{ .name = "radius", .type = word, .offset = 8 });
	const struct type *square = MADE_STRUCT(&types, "shape::Square", 16,
						{ .name = "side", .type = word, .offset = 8 });
	const struct type *shape =
		MADE_STRUCT(&types, "shape", 16, { .type = integer, .is_artificial = true },
			    { .name = "Circle", .type = circle, .is_variant = true },
			    { .name = "Square", .type = square, .is_variant = true });
	struct histograms *histograms = histograms_create(2);
	struct histogram_lines lines;

	(void)state;
	add_access(histograms, (struct access){ .type = shape, .offset = 8 }, "f", 1);
	add_access(histograms,
		   (struct access){ .type = shape, .offset = 8, .variants = { square } }, "f", 4);
	add_access(histograms, (struct access){ .type = shape }, "f", 2);
	sound_lines(&histograms->items[0], 2, &lines);
	assert_counts(&lines, 0, NULL, 7, 0);
	assert_counts(&lines, 1, NULL, 2, 0);
	/* the one of which nothing is known may be of either */
	assert_counts(&lines, 3, "radius", 1, 0);
	assert_counts(&lines, 5, "side", 5, 0);
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

static void assert_counts_of(const struct histogram_lines *lines, size_t index, const char *name,
			     uint64_t samples)
{
	assert_in_range(index, 0, lines->count - 1);
	if (name)
		assert_string_equal(lines->lines[index].member.name, name);
	assert_int_equal(lines->lines[index].counts[0].samples, samples);
}

/* The lines of a struct's members add up to the struct's. */
static void test_bitfields_of_one_byte(void **state)
{
	const struct type *flags =
		MADE_STRUCT(&types, "flags", 4, { .name = "low", .type = integer, .bit_size = 3 },
			    { .name = "middle", .type = integer, .bit_offset = 3, .bit_size = 5 },
			    { .name = "next", .type = integer, .offset = 1, .bit_size = 1 });
	struct histograms *histograms = histograms_create(1);
	struct histogram_lines lines;

	(void)state;
	add_access(histograms, (struct access){ .type = flags, .size = 4, .bits = 0x6 }, NULL, 1);
	add_access(histograms, (struct access){ .type = flags, .size = 4, .bits = 0xf8 }, NULL, 2);
	add_access(histograms, (struct access){ .type = flags, .size = 4, .bits = 0x100 }, NULL, 4);
	/* bits not known: the bitfields of the byte together */
	add_access(histograms, (struct access){ .type = flags, .size = 4 }, NULL, 8);
	/* more than one of them */
	add_access(histograms, (struct access){ .type = flags, .size = 4, .bits = 0x10c }, NULL,
		   16);
	/* any of those that are stored together */
	add_access(histograms,
		   (struct access){
			   .type = flags, .size = 1, .offset = 1, .bits = 0xff, .any_bits = true },
		   NULL, 32);
	sound_lines(&histograms->items[0], 1, &lines);
	assert_int_equal(lines.count, 7);
	assert_counts_of(&lines, 0, NULL, 63);
	assert_counts_of(&lines, 1, "low", 1);
	assert_counts_of(&lines, 2, "middle", 2);
	assert_counts_of(&lines, 3, "low..middle", 8);
	assert_counts_of(&lines, 4, "next", 4);
	assert_counts_of(&lines, 5, "low, middle, next", 16);
	assert_counts_of(&lines, 6, "low..next", 32);
	assert_true(lines.lines[5].member.is_unit && !lines.lines[4].member.is_unit);
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

/* clang -O0 copies all words of a record with bitfields, of which each has its own. */
static void test_bitfields_of_two_words(void **state)
{
	const struct type *words = MADE_STRUCT(
		&types, "words", 16, { .name = "kind", .type = integer, .bit_size = 20 },
		{ .name = "time", .type = integer, .offset = 2, .bit_offset = 4, .bit_size = 44 },
		{ .name = "low", .type = integer, .offset = 8, .bit_size = 20 },
		{ .name = "high", .type = integer, .offset = 10, .bit_offset = 4, .bit_size = 44 });
	const struct access copied = {
		.type = words, .size = 8, .offset = 8, .bits = UINT64_MAX, .any_bits = true
	};
	_cleanup_strbuf_ struct strbuf field = STRBUF_INIT;
	struct histograms *histograms = histograms_create(1);
	struct histogram_lines lines;

	(void)state;
	add_access(histograms, copied, NULL, 8);
	sound_lines(&histograms->items[0], 1, &lines);
	assert_int_equal(lines.count, 6);
	assert_counts_of(&lines, 0, NULL, 8);
	assert_counts_of(&lines, 2, "time", 0);
	assert_counts_of(&lines, 5, "low..high", 8);
	assert_true(access_member_path(&copied, &field));
	assert_string_equal(field.data, "low..high");
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

/* A vector's or a merged store is to each member that it covers, by its bytes. */
static void test_accesses_to_several_members(void **state)
{
	const struct type *pair = MADE_STRUCT(&types, NULL, 8, { .name = "low", .type = integer },
					      { .name = "high", .type = integer, .offset = 4 });
	const struct type *item =
		MADE_STRUCT(&types, "item", 40, { .name = "link", .type = word },
			    { .name = "pair", .type = pair, .offset = 8 },
			    { .name = "count", .type = integer, .offset = 16 },
			    { .name = "flag", .type = integer, .offset = 20, .bit_size = 8 },
			    { .name = "rest", .type = made_array(&types, word, 2), .offset = 24 });
	struct histograms *histograms = histograms_create(1);
	struct histogram_lines lines;

	(void)state;
	/* link, low and high; an odd number is not lost */
	add_access(histograms, (struct access){ .type = item, .size = 16 }, NULL, 401);
	/* count and flag, and three bytes of padding */
	add_access(histograms,
		   (struct access){ .type = item, .size = 8, .offset = 16, .bits = UINT64_MAX },
		   NULL, 50);
	/* flag alone */
	add_access(histograms,
		   (struct access){ .type = item, .size = 8, .offset = 16, .bits = 0xffULL << 32 },
		   NULL, 1000);
	/* high, count */
	add_access(histograms, (struct access){ .type = item, .size = 8, .offset = 12 }, NULL, 8);
	/* elements are of one member */
	add_access(histograms, (struct access){ .type = item, .size = 16, .offset = 24 }, NULL, 3);
	sound_lines(&histograms->items[0], 1, &lines);
	assert_counts_of(&lines, 0, NULL, 1462);
	assert_counts_of(&lines, 1, "link", 201);
	assert_counts_of(&lines, 2, "pair", 200 + 4);
	assert_counts_of(&lines, 3, "low", 100);
	assert_counts_of(&lines, 4, "high", 100 + 4);
	assert_counts_of(&lines, 5, "count", 40 + 4);
	assert_counts_of(&lines, 6, "flag", 10 + 1000);
	assert_counts_of(&lines, 7, "rest", 3);
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

static void test_who_accesses_a_field(void **state)
{
	struct histograms *histograms = histograms_create(1);
	struct histogram_lines lines;
	static const char *const reader = "reader", *const writer = "writer";

	(void)state;
	add_access(histograms, (struct access){ .type = slot, .offset = 8 }, writer, 1);
	add_access(histograms, (struct access){ .type = slot, .offset = 8 }, reader, 2);
	add_access(histograms, (struct access){ .type = slot, .offset = 12 }, reader, 4);
	add_access(histograms, (struct access){ .type = slot }, writer, 8);
	sound_lines(&histograms->items[0], 1, &lines);
	assert_int_equal(lines.lines[0].parts.count, 0);
	assert_int_equal(lines.lines[1].parts.count, 1);
	assert_int_equal(lines.lines[2].parts.count, 2);
	assert_string_equal(lines.lines[2].parts.items[0].by.symbol, "reader");
	assert_int_equal(lines.lines[2].parts.items[0].counts[0].samples, 6);
	assert_string_equal(lines.lines[2].parts.items[1].by.symbol, "writer");
	assert_int_equal(lines.lines[2].parts.items[1].counts[0].samples, 1);
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

static void test_elements_of_arrays(void **state)
{
	struct histograms *histograms = histograms_create(1);
	struct histogram_lines lines;

	(void)state;
	add_access(histograms, (struct access){ .type = table, .offset = 8 }, NULL, 1);
	add_access(histograms, (struct access){ .type = table, .offset = 32 }, NULL, 2);
	add_access(histograms, (struct access){ .type = table, .offset = 8, .indexed = true }, NULL,
		   4);
	add_access(histograms, (struct access){ .type = table, .offset = 72 }, NULL, 8);
	sound_lines(&histograms->items[0], 1, &lines);
	assert_int_equal(lines.lines[1].elements.count, 0);
	assert_int_equal(lines.lines[2].elements.count, 3);
	assert_int_equal(lines.lines[2].elements.items[0].element, ELEMENT_ANY);
	assert_int_equal(lines.lines[2].elements.items[0].counts[0].samples, 4);
	assert_int_equal(lines.lines[2].elements.items[1].element, 0);
	assert_int_equal(lines.lines[2].elements.items[2].element, 1);
	assert_int_equal(lines.lines[2].elements.items[2].counts[0].samples, 2);
	/* an array without a declared size has elements, too */
	assert_int_equal(lines.lines[5].elements.count, 1);
	assert_int_equal(lines.lines[5].elements.items[0].element, 2);
	/* the members of elements are in the elements that were accessed */
	assert_int_equal(lines.lines[3].places.count, 2);
	assert_int_equal(lines.lines[3].places.items[0].span.offset, 8);
	assert_int_equal(lines.lines[3].places.items[0].span.size, 0);
	assert_int_equal(lines.lines[3].places.items[1].span.offset, 8);
	assert_int_equal(lines.lines[3].places.items[1].span.size, 32);
	assert_int_equal(lines.lines[3].places.items[1].counts[0].samples, 4);
	assert_int_equal(lines.lines[4].places.count, 1);
	assert_int_equal(lines.lines[4].places.items[0].span.offset, 32);
	assert_int_equal(lines.lines[6].places.count, 1);
	assert_int_equal(lines.lines[6].places.items[0].span.offset, 72);
	histogram_lines_deinit(&lines);
	histograms_destroy(histograms);
}

struct found_parts {
	const struct type *wanted[2];
	char text[200];
};

static bool is_wanted_part(void *data, const struct type *type)
{
	const struct found_parts *found = data;

	return type == found->wanted[0] || type == found->wanted[1];
}

static void note_found(void *data, const struct type *type, const char *field, uint64_t samples)
{
	struct found_parts *found = data;
	size_t length = strlen(found->text);

	snprintf(found->text + length, sizeof(found->text) - length, "%s in %s: %d\n", type->name,
		 field, (int)samples);
}

/* An access counts for the records in which it is, and for one member of a union at most. */
static void test_parts_of_records(void **state)
{
	const struct type *left = MADE_STRUCT(&types, "left", 16, { .name = "a", .type = integer },
					      { .name = "b", .type = word, .offset = 8 });
	const struct type *right =
		MADE_STRUCT(&types, "right", 16, { .name = "c", .type = integer },
			    { .name = "d",
			      .type = MADE_UNION(&types, NULL, 8, { .name = "w", .type = word },
						 { .name = "f", .type = integer }),
			      .offset = 8 });
	const struct type *both = MADE_UNION(&types, "both", 16, { .name = "l", .type = left },
					     { .name = "r", .type = right });
	const struct type *holder =
		MADE_STRUCT(&types, "holder", 72, { .name = "first", .type = word },
			    { .name = "u", .type = made_array(&types, both, 2), .offset = 8 },
			    { .name = "rest", .type = made_array(&types, left, 0), .offset = 40 });
	struct histograms *histograms = histograms_create(1), *parts = histograms_create(1);
	struct found_parts found = { .wanted = { left, right } };
	const struct part_choice choice = { &found, is_wanted_part, note_found };
	struct histogram_lines lines;
	const struct {
		int64_t offset;
		uint16_t size;
		uint64_t candidates, samples;
	} accesses[] = {
		{ 0, 8, 0, 1 },        /* first */
		{ 8, 4, 0, 2 },        /* u[0].l.a or u[0].r.c */
		{ 8, 4, 1 << 0, 4 },   /* u[0].l.a */
		{ 24, 4, 1 << 1, 8 },  /* u[1].r.c */
		{ 32, 4, 1 << 2, 16 }, /* u[1].r.d.f */
		{ 64, 8, 0, 32 },      /* rest[1].b */
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(accesses); i++) {
		struct access access = { .kind = ACCESS_TYPE,
					 .type = holder,
					 .offset = accesses[i].offset,
					 .size = accesses[i].size,
					 .union_candidates = accesses[i].candidates };
		struct access_count count = { .samples = accesses[i].samples };

		histograms_add(histograms, &object, &access,
			       &(struct access_span){ access.offset, 0 }, (struct accessor){ 0 }, 0,
			       &count);
	}
	histograms_add_parts(parts, &histograms->items[0], &choice);
	assert_string_equal(found.text, "left in u.l: 4\nright in u.r: 8\nright in u.r: 16\n"
					"left in rest: 32\n");
	assert_int_equal(parts->count, 2);
	sound_lines(&parts->items[0], 1, &lines);
	assert_int_equal(lines.lines[1].counts[0].samples, 4);  /* a */
	assert_int_equal(lines.lines[2].counts[0].samples, 32); /* b */
	histogram_lines_deinit(&lines);
	sound_lines(&parts->items[1], 1, &lines);
	assert_int_equal(lines.lines[1].counts[0].samples, 8);  /* c */
	assert_int_equal(lines.lines[2].counts[0].samples, 16); /* d */
	assert_int_equal(lines.lines[3].counts[0].samples, 0);  /* w */
	assert_int_equal(lines.lines[4].counts[0].samples, 16); /* f */
	histogram_lines_deinit(&lines);
	histograms_destroy(parts);
	histograms_destroy(histograms);
}

static void test_figures_are_summed(void **state)
{
	struct histograms *histograms = histograms_create(1);
	struct access access = { .kind = ACCESS_TYPE, .type = slot };
	struct access_span span = { 0 };
	struct access_count
		count = { .samples = 2, .weight = 50, .weight_max = 30, .l1 = 1, .hitm = 1 },
		more = { .samples = 1, .weight = 7, .weight_max = 7, .ram = 1, .tlb_misses = 1 };

	(void)state;
	histograms_add(histograms, &object, &access, &span, (struct accessor){ 0 }, 0, &count);
	histograms_add(histograms, &object, &access, &span, (struct accessor){ 0 }, 0, &more);
	assert_int_equal(histograms->items[0].totals[0].samples, 3);
	assert_int_equal(histograms->items[0].totals[0].weight, 57);
	assert_int_equal(histograms->items[0].totals[0].weight_max, 30);
	assert_int_equal(histograms->items[0].totals[0].l1, 1);
	assert_int_equal(histograms->items[0].totals[0].ram, 1);
	assert_int_equal(histograms->items[0].totals[0].hitm, 1);
	assert_int_equal(histograms->items[0].totals[0].tlb_misses, 1);
	histograms_destroy(histograms);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields_and_events),
		cmocka_unit_test(test_members_of_unions),
		cmocka_unit_test(test_empty_bases_have_no_accesses),
		cmocka_unit_test(test_members_in_the_padding_of_a_base),
		cmocka_unit_test(test_scalars_have_one_line),
		cmocka_unit_test(test_order_and_objects),
		cmocka_unit_test(test_many_offsets_and_types),
		cmocka_unit_test(test_variants_of_enums),
		cmocka_unit_test(test_bitfields_of_one_byte),
		cmocka_unit_test(test_bitfields_of_two_words),
		cmocka_unit_test(test_accesses_to_several_members),
		cmocka_unit_test(test_who_accesses_a_field),
		cmocka_unit_test(test_elements_of_arrays),
		cmocka_unit_test(test_parts_of_records),
		cmocka_unit_test(test_figures_are_summed),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
