// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols that a stripped object carries along in .gnu_debugdata, as distributions put them there.
 */
#include "tests/support/unit.h"

#include <lzma.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/elf_writer.h"

static const uint8_t zeros[0x1000];
static const uint8_t first_id[] = { 1, 2, 3, 4 }, other_id[] = { 1, 2, 3, 5 };

/* Bytes to be freed. */
struct bytes {
	uint8_t *data;
	size_t size;
};

static struct bytes packed(struct bytes content)
{
	struct bytes result = { xmalloc(content.size + 1024), 0 };

	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, NULL, content.data,
						 content.size, result.data, &result.size,
						 content.size + 1024),
			 LZMA_OK);
	free(content.data);
	return result;
}

static struct bytes finished(struct elf_writer *writer)
{
	struct bytes result;

	result.data = elf_writer_finish(writer, &result.size);
	return result;
}

/* Returns a writer with .text at 0x1000, which the embedded file has without contents. */
static struct elf_writer *writer_of(uint16_t type, uint32_t text_type)
{
	struct elf_writer *writer = elf_writer_create(type);

	elf_writer_section(writer, ".text", text_type, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
			   text_type == SHT_NOBITS ? NULL : zeros, sizeof(zeros));
	return writer;
}

static struct elf_writer *stripped(void)
{
	struct elf_writer *writer = writer_of(ET_DYN, SHT_PROGBITS);

	elf_writer_dynamic_symbol(writer, "shown", STT_FUNC, STB_GLOBAL, 1, 0x1100, 0x40);
	return writer;
}

static struct elf_writer *symbols(void)
{
	struct elf_writer *writer = writer_of(ET_DYN, SHT_NOBITS);

	elf_writer_symbol(writer, "unsized", STT_FUNC, STB_LOCAL, 1, 0x10c0, 0);
	elf_writer_symbol(writer, "hidden", STT_FUNC, STB_LOCAL, 1, 0x1200, 0x20);
	return writer;
}

static void add_section(struct elf_writer *writer, struct bytes contents)
{
	elf_writer_section(writer, ".gnu_debugdata", SHT_PROGBITS, 0, 0, contents.data,
			   contents.size);
	free(contents.data);
}

/* The image of `writer` with `contents` as its section, and the image that is embedded there. */
struct opened {
	struct written_image outer;
	struct elf_image *embedded;
	struct error *error;
};

static struct opened open_with(struct elf_writer *writer, struct bytes contents)
{
	struct opened opened;

	if (contents.data)
		add_section(writer, contents);
	opened.outer = written_image_open(writer);
	opened.error = elf_image_open_embedded(opened.outer.image, &opened.embedded);
	return opened;
}

static void close_both(struct opened *opened)
{
	elf_image_close(opened->embedded);
	written_image_close(&opened->outer);
	error_destroy(opened->error);
}

static void expect_function(const struct elf_image *image, uint64_t address, const char *name)
{
	const struct symbol *symbol = elf_image_function_at(image, address);

	if (!name)
		assert_null(symbol);
	else
		assert_string_equal(symbol ? symbol->name : "(none)", name);
}

static void expect_nothing(struct elf_writer *writer, struct bytes contents)
{
	struct opened opened = open_with(writer, contents);

	assert_null(opened.error);
	assert_null(opened.embedded);
	close_both(&opened);
}

static void expect_error(struct elf_writer *writer, struct bytes contents, const char *text)
{
	struct opened opened = open_with(writer, contents);

	assert_null(opened.embedded);
	assert_non_null(opened.error);
	if (!strstr(opened.error->message, text) ||
	    !strstr(opened.error->message, ": .gnu_debugdata"))
		fail_msg("not \"%s\": %s", text, opened.error->message);
	close_both(&opened);
}

static void functions_that_are_not_exported(void **state)
{
	struct opened opened = open_with(stripped(), packed(finished(symbols())));

	(void)state;
	assert_null(opened.error);
	expect_function(opened.outer.image, 0x1200, NULL);
	expect_function(opened.embedded, 0x1200, "hidden");
	expect_function(opened.embedded, 0x121f, "hidden");
	expect_function(opened.embedded, 0x1220, NULL);
	close_both(&opened);
}

/* Only the next symbol, which is in the other table, shows where it ends. */
static void a_function_without_a_size_ends_at_the_next(void **state)
{
	struct opened opened = open_with(stripped(), packed(finished(symbols())));

	(void)state;
	expect_function(opened.embedded, 0x10ff, "unsized");
	expect_function(opened.embedded, 0x1100, "shown");
	expect_function(opened.embedded, 0x1140, NULL);
	close_both(&opened);
}

static void they_are_not_asked_for_where_there_is_a_symbol_table(void **state)
{
	struct elf_writer *full = stripped(), *object = writer_of(ET_REL, SHT_PROGBITS);

	(void)state;
	elf_writer_symbol(full, "own", STT_FUNC, STB_LOCAL, 1, 0x1300, 0x20);
	expect_nothing(full, packed(finished(symbols())));
	expect_nothing(stripped(), (struct bytes){ 0 });
	/* addresses of a relocatable file are not those of the outer file */
	expect_nothing(object, packed(finished(symbols())));
}

static void symbols_of_another_file_are_errors(void **state)
{
	struct elf_writer *outer = stripped(), *embedded = symbols();
	struct opened opened;

	(void)state;
	elf_writer_build_id(outer, first_id, sizeof(first_id));
	elf_writer_build_id(embedded, other_id, sizeof(other_id));
	expect_error(outer, packed(finished(embedded)), "was made of another file");
	expect_error(stripped(), packed(finished(writer_of(ET_EXEC, SHT_NOBITS))), "another file");
	embedded = symbols();
	elf_writer_set_narrow(embedded);
	expect_error(stripped(), packed(finished(embedded)), "another file");
	/* not all files have a build id */
	outer = stripped();
	elf_writer_build_id(outer, first_id, sizeof(first_id));
	opened = open_with(outer, packed(finished(symbols())));
	assert_non_null(opened.embedded);
	close_both(&opened);
}

static struct bytes copy_of(const void *data, size_t size)
{
	struct bytes copy = { xmalloc(size + 1), size };

	memcpy(copy.data, data, size);
	return copy;
}

static void other_contents_are_errors(void **state)
{
	struct bytes whole = packed(finished(symbols()));

	(void)state;
	expect_error(stripped(), copy_of("", 0), "not compressed with xz");
	expect_error(stripped(), copy_of("\x1f\x8b\x08\0\0\0\0\0", 8), "not compressed with xz");
	expect_error(stripped(), copy_of(whole.data, whole.size / 2), "bad xz data");
	expect_error(stripped(), packed(copy_of("no object at all", 16)), "not an ELF file");
	expect_error(stripped(),
		     packed(copy_of("\x7f"
				    "ELF",
				    4)),
		     "ELF");
	free(whole.data);
}

/* 64 MB of zeros take 10 kB in the file. */
static void contents_that_grow_without_end_are_errors(void **state)
{
	struct bytes content = { xcalloc(64 << 20, 1), 64 << 20 };

	(void)state;
	expect_error(stripped(), packed(content), "make more than");
}

/* An image that is embedded in an embedded image is not read. */
static void symbols_within_embedded_symbols_are_not_read(void **state)
{
	struct elf_writer *inner = writer_of(ET_DYN, SHT_NOBITS);
	struct opened opened;

	(void)state;
	add_section(inner, packed(finished(symbols())));
	opened = open_with(stripped(), packed(finished(inner)));
	assert_null(opened.error);
	assert_non_null(opened.embedded);
	expect_function(opened.embedded, 0x1100, "shown");
	expect_function(opened.embedded, 0x1200, NULL);
	close_both(&opened);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_that_are_not_exported),
		cmocka_unit_test(a_function_without_a_size_ends_at_the_next),
		cmocka_unit_test(they_are_not_asked_for_where_there_is_a_symbol_table),
		cmocka_unit_test(symbols_of_another_file_are_errors),
		cmocka_unit_test(other_contents_are_errors),
		cmocka_unit_test(contents_that_grow_without_end_are_errors),
		cmocka_unit_test(symbols_within_embedded_symbols_are_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
