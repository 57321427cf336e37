// SPDX-License-Identifier: GPL-2.0-or-later
/* Hostile debug information, which would cost much time or memory. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "dwarf/debug.h"
#include "profiler/base/strbuf.h"
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units_that_share_a_long_table),
	};

	return cmocka_run_group_tests_name("debug_hostile", tests, NULL, NULL);
}
