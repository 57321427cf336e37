// SPDX-License-Identifier: GPL-2.0-or-later
/* Hostile debug information, which would cost much time or memory. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "dwarf/debug.h"
#include "base/strbuf.h"
#include "tests/support/elf_writer.h"

#define UNITS         1000
#define ABBREVIATIONS 20000

static void add_uleb(struct strbuf *bytes, unsigned int value)
{
	for (; value >= 0x80; value >>= 7)
		strbuf_add_char(bytes, (char)(value | 0x80));
	strbuf_add_char(bytes, (char)value);
}

/* A table whose only used abbreviation, 1, is the last one. */
static void add_abbreviations(struct strbuf *bytes)
{
	static const char root[] = { 1, 0x11, 0, 0x13, 0x0b, 0, 0, 0 };

	for (unsigned int i = 0; i < ABBREVIATIONS; i++) {
		add_uleb(bytes, i + 2);
		strbuf_add(bytes, "\x34\0\0\0", 4); /* a variable without attributes */
	}
	strbuf_add(bytes, root, sizeof(root));
}

/* Units that have only a root DIE (DWARF 4, section 7.5.1.1), which libdw reads at once. */
static void add_units(struct strbuf *bytes)
{
	static const char unit[] = { 9, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 12 };

	for (unsigned int i = 0; i < UNITS; i++)
		strbuf_add(bytes, unit, sizeof(unit));
}

static uint8_t *write_file(size_t *size)
{
	_cleanup_strbuf_ struct strbuf info = STRBUF_INIT, abbreviations = STRBUF_INIT;
	struct elf_writer *writer = elf_writer_create(ET_DYN);

	add_abbreviations(&abbreviations);
	add_units(&info);
	elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, "\xc3",
			   1);
	elf_writer_section(writer, ".debug_abbrev", SHT_PROGBITS, 0, 0, abbreviations.data,
			   abbreviations.length);
	elf_writer_section(writer, ".debug_info", SHT_PROGBITS, 0, 0, info.data, info.length);
	return elf_writer_finish(writer, size);
}

static long most_memory(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_maxrss; /* KB */
}

/* Each unit needs the whole table to find its root DIE, and libdw keeps a copy for each: 2.4 GB
 * here if nothing limits it. */
static void test_units_that_share_a_long_table(void **state)
{
	long before = most_memory();
	struct elf_image *image;
	struct debug_object *object = NULL;
	size_t size;
	uint8_t *bytes = write_file(&size);

	(void)state;
	assert_null(elf_image_open_memory(bytes, size, "hostile", &image));
	error_destroy(debug_object_open(image, image, &object));
	if (object)
		debug_object_close(object);
	elf_image_close(image);
	free(bytes);
	if (HAS_ADDRESS_SANITIZER)
		skip_because("the sanitizer keeps memory that was freed");
	assert_true(most_memory() - before < 768 * 1024);
}

/* Returns why an object with this .debug_info (none if `size` is 0) and the link to an alternate
 * file that is not there has no debug information. */
static struct error *refusal(const void *info, size_t size)
{
	static const char link[] = "/nowhere/.dwz/shop.debug\0\1\2\3\4\5\6\7\10";
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	struct elf_image *image;
	struct debug_object *object;
	size_t file_size;

	elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, "\xc3",
			   1);
	elf_writer_section(writer, ".gnu_debugaltlink", SHT_PROGBITS, 0, 0, link, sizeof(link) - 1);
	if (size)
		elf_writer_section(writer, ".debug_info", SHT_PROGBITS, 0, 0, info, size);

	uint8_t *bytes = elf_writer_finish(writer, &file_size);

	assert_null(elf_image_open_memory(bytes, file_size, "test", &image));

	struct error *error = debug_object_open(image, image, &object);

	assert_non_null(error);
	elf_image_close(image);
	free(bytes);
	return error;
}

/* strip leaves the link, and a package may lack the file that it leads to: both are a lack of debug
 * information, and nothing is broken. */
static void test_links_that_are_left(void **state)
{
	static const char five[] = { 12, 0, 0, 0, 5, 0, 1, 8, 0, 0, 0, 0, 1, 0, 0, 0 };

	(void)state;
	for (size_t size = 0; size <= sizeof(five); size += sizeof(five)) {
		_cleanup_error_ struct error *error = refusal(five, size);

		assert_int_equal(error->code, ERROR_NO_DEBUG_INFO);
		assert_int_equal(!strstr(error->message, "shop.debug"), !size);
	}
}

/* A newer version of DWARF is named, because nothing of it can be read. */
static void test_newer_dwarf(void **state)
{
	static const char six[] = { 12, 0, 0, 0, 6, 0, 1, 8, 0, 0, 0, 0, 1, 0, 0, 0 };
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	_cleanup_error_ struct error *error = NULL;
	struct debug_object *object;
	struct elf_image *image;
	size_t size;

	(void)state;
	elf_writer_section(writer, ".debug_info", SHT_PROGBITS, 0, 0, six, sizeof(six));

	uint8_t *bytes = elf_writer_finish(writer, &size);

	assert_null(elf_image_open_memory(bytes, size, "test", &image));
	error = debug_object_open(image, image, &object);
	assert_non_null(error);
	assert_int_equal(error->code, ERROR_UNSUPPORTED);
	assert_non_null(strstr(error->message, "DWARF 6"));
	elf_image_close(image);
	free(bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units_that_share_a_long_table),
		cmocka_unit_test(test_links_that_are_left),
		cmocka_unit_test(test_newer_dwarf),
	};

	return cmocka_run_group_tests_name("debug_hostile", tests, NULL, NULL);
}
