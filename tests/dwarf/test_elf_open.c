// SPDX-License-Identifier: GPL-2.0-or-later
/* ELF files open as images; other files do not, and the error says why. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/support/process.h"
#include "tests/support/elf_writer.h"

static const uint8_t code[64];

static struct elf_writer *small_program(void)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	unsigned int text =
		elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
				   code, sizeof(code));

	elf_writer_symbol(writer, "main", STT_FUNC, STB_GLOBAL, text, 0x1000, 16);
	return writer;
}

static void expect_error(const void *data, size_t size, enum error_code error_code,
			 const char *part)
{
	struct elf_image *image = NULL;
	struct error *error = elf_image_open_memory(data, size, "file", &image);

	if (!error)
		fail_msg("opened, instead of \"%s\"", part);
	if (error->code != error_code || !strstr(error->message, part))
		fail_msg("error %d \"%s\" instead of %d \"%s\"", error->code, error->message,
			 error_code, part);
	assert_int_equal(strncmp(error->message, "file: ", 6), 0);
	assert_null(image);
	error_destroy(error);
}

static void files_that_are_no_elf_say_what_they_are(void **state)
{
	(void)state;
	expect_error("", 0, ERROR_FORMAT, "not an ELF file");
	expect_error("plain text", 10, ERROR_FORMAT, "not an ELF file");
	expect_error("#!/bin/sh", 9, ERROR_FORMAT, "a script");
	expect_error("\x1f\x8b\x08", 3, ERROR_FORMAT, "gzip-compressed");
	expect_error("MZ\x90", 3, ERROR_FORMAT, "vmlinux");
	expect_error("PERFILE2........", 16, ERROR_FORMAT, "a perf.data file");
	expect_error(ELFMAG, 4, ERROR_FORMAT, "ends within the ELF header");
}

/* Files are judged by the status that they had when they were opened. */
static void images_know_their_file(void **state)
{
	struct elf_image *image;
	struct stat status;
	/* an emulator's own file may be behind the link */
	_cleanup_free_ char *own = realpath("/proc/self/exe", NULL);

	(void)state;
	assert_non_null(own);
	assert_null(elf_image_open(own, &image));
	assert_int_equal(stat(own, &status), 0);
	assert_int_equal(elf_image_file(image)->st_dev, status.st_dev);
	assert_int_equal(elf_image_file(image)->st_ino, status.st_ino);
	assert_int_equal(elf_image_file(image)->st_mtim.tv_nsec, status.st_mtim.tv_nsec);
	elf_image_close(image);
}

static void elf_of_other_kinds_is_named(void **state)
{
	static const struct {
		size_t offset;
		uint8_t value;
		enum error_code code;
		const char *message;
	} cases[] = {
		{ EI_CLASS, 7, ERROR_FORMAT, "unknown ELF class 7" },
		{ EI_DATA, ELFDATA2MSB, ERROR_UNSUPPORTED, "big-endian" },
		{ offsetof(Elf64_Ehdr, e_machine), EM_RISCV, ERROR_UNSUPPORTED, "RISC-V" },
		{ offsetof(Elf64_Ehdr, e_machine), EM_386, ERROR_UNSUPPORTED, "ELF machine 3" },
		{ offsetof(Elf64_Ehdr, e_type), ET_CORE, ERROR_UNSUPPORTED, "a core file" },
		{ offsetof(Elf64_Ehdr, e_type), 9, ERROR_UNSUPPORTED, "file type 9" },
		{ offsetof(Elf64_Ehdr, e_shentsize), 32, ERROR_FORMAT,
		  "section headers of 32 bytes instead of 64" },
		{ offsetof(Elf64_Ehdr, e_shoff) + 3, 1, ERROR_FORMAT, "past the end" },
		{ offsetof(Elf64_Ehdr, e_shoff) + 7, 0xff, ERROR_FORMAT, "past the end" },
		{ offsetof(Elf64_Ehdr, e_shnum), 200, ERROR_FORMAT, "past the end" },
		{ offsetof(Elf64_Ehdr, e_shstrndx), 99, ERROR_FORMAT, "to name the sections" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t size;
		uint8_t *bytes = elf_writer_finish(small_program(), &size);

		bytes[cases[i].offset] = cases[i].value;
		if (cases[i].offset == offsetof(Elf64_Ehdr, e_machine))
			bytes[cases[i].offset + 1] = 0;
		expect_error(bytes, size, cases[i].code, cases[i].message);
		free(bytes);
	}
}

/* Change a field of section header `index`. */
static void patch_section(uint8_t *bytes, size_t index, size_t field, uint64_t value,
			  size_t value_size)
{
	Elf64_Ehdr header;

	memcpy(&header, bytes, sizeof(header));
	memcpy(bytes + header.e_shoff + index * sizeof(Elf64_Shdr) + field, &value, value_size);
}

static void section_headers_are_checked(void **state)
{
	static const struct {
		size_t section;
		size_t field;
		uint64_t value;
		size_t size;
		const char *message;
	} cases[] = {
		{ 1, offsetof(Elf64_Shdr, sh_size), 1 << 20, 8,
		  "section 1, 1048576 bytes at offset 64, ends past" },
		{ 1, offsetof(Elf64_Shdr, sh_size), UINT64_MAX, 8, "ends past the end" },
		{ 1, offsetof(Elf64_Shdr, sh_offset), UINT64_MAX - 8, 8, "ends past the end" },
		{ 1, offsetof(Elf64_Shdr, sh_name), 4000, 4, "the name of section 1" },
		{ 3, offsetof(Elf64_Shdr, sh_entsize), 16, 8,
		  ".symtab has entries of 16 bytes instead of 24" },
		{ 3, offsetof(Elf64_Shdr, sh_link), 1, 4, ".symtab has no string table" },
		{ 3, offsetof(Elf64_Shdr, sh_link), 77, 4, ".symtab has no string table" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t size;
		uint8_t *bytes = elf_writer_finish(small_program(), &size);

		patch_section(bytes, cases[i].section, cases[i].field, cases[i].value,
			      cases[i].size);
		expect_error(bytes, size, ERROR_FORMAT, cases[i].message);
		free(bytes);
	}
}

static void a_file_cut_anywhere_is_an_error(void **state)
{
	size_t size;
	uint8_t *bytes = elf_writer_finish(small_program(), &size);

	(void)state;
	for (size_t length = 0; length < size; length++) {
		uint8_t *cut = xmalloc(
			length + 1); /* its own block: a sanitizer sees what is read past its end */
		struct elf_image *image;
		struct error *error;

		memcpy(cut, bytes, length);
		error = elf_image_open_memory(cut, length, "cut", &image);
		assert_non_null(error);
		error_destroy(error);
		free(cut);
	}
	free(bytes);
}

/* gABI: if there are more sections than fit e_shnum, or if the string table's number does not fit,
 * section header 0 has the number. */
static void counts_may_be_in_the_first_section(void **state)
{
	size_t size;
	uint8_t *bytes = elf_writer_finish(small_program(), &size);
	struct elf_image *image;
	struct elf_section section;
	Elf64_Ehdr header;

	(void)state;
	memcpy(&header, bytes, sizeof(header));
	patch_section(bytes, 0, offsetof(Elf64_Shdr, sh_size), header.e_shnum, 8);
	patch_section(bytes, 0, offsetof(Elf64_Shdr, sh_link), header.e_shstrndx, 4);
	header.e_shnum = 0;
	header.e_shstrndx = SHN_XINDEX;
	memcpy(bytes, &header, sizeof(header));
	assert_null(elf_image_open_memory(bytes, size, "many", &image));
	assert_true(elf_image_section_named(image, ".text", &section));
	elf_image_close(image);
	/* it may also have the number of segments, which is wrong here */
	header.e_phnum = PN_XNUM;
	header.e_phoff = sizeof(header);
	memcpy(bytes, &header, sizeof(header));
	patch_section(bytes, 0, offsetof(Elf64_Shdr, sh_info), 0x10000, 4);
	expect_error(bytes, size, ERROR_FORMAT, "program headers");
	header.e_phnum = 0;
	memcpy(bytes, &header, sizeof(header));
	patch_section(bytes, 0, offsetof(Elf64_Shdr, sh_size), UINT64_MAX / 64, 8);
	expect_error(bytes, size, ERROR_FORMAT, "past the end");
	free(bytes);
}

static void expect_path_error(const char *path, enum error_code error_code, const char *part)
{
	struct elf_image *image;
	struct error *error = elf_image_open(path, &image);

	assert_non_null(error);
	assert_int_equal(error->code, error_code);
	assert_non_null(strstr(error->message, path));
	assert_non_null(strstr(error->message, part));
	error_destroy(error);
}

static void only_regular_files_are_opened(void **state)
{
	char *folder = scratch_create();
	_cleanup_free_ char *path = xasprintf("%s/fifo", folder);

	(void)state;
	expect_path_error(folder, ERROR_FORMAT, "not a regular file");
	assert_int_equal(mkfifo(path, 0600), 0);
	expect_path_error(path, ERROR_FORMAT,
			  "not a regular file"); /* and does not wait for a writer */
	unlink(path);
	expect_path_error(path, ERROR_NOT_FOUND, "No such file");
	fclose(fopen(path, "w"));
	expect_path_error(path, ERROR_FORMAT, "empty");
	scratch_remove(folder);
}

static void files_without_sections_have_code_by_their_segments(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, 0x1000, "\xc3\x90", 2);
	size_t size, available = 0, count;
	uint64_t address;
	struct elf_image *image;
	const uint8_t *bytes;
	uint8_t *file;
	Elf64_Ehdr header;

	(void)state;
	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, text, 0, 0, 16);
	elf_writer_build_id(writer, "0123456789abcdefghij", 20);
	file = elf_writer_finish(writer, &size);
	memcpy(&header, file, sizeof(header));
	header.e_shoff = 0;
	header.e_shnum = 0;
	memcpy(file, &header, sizeof(header));
	assert_null(elf_image_open_memory(file, size, "no sections", &image));
	bytes = elf_image_bytes(image, 0x1001, &available);
	assert_non_null(bytes);
	assert_int_equal(*bytes, 0x90);
	assert_int_equal(available, 1);
	assert_null(elf_image_bytes(image, 0x1002, &available));
	assert_true(elf_image_offset_to_address(image, 64, &address));
	assert_int_equal(address, 0x1000);
	assert_int_equal(elf_image_build_id(image)->size, 20);
	elf_image_symbols(image, &count);
	assert_int_equal(count, 0);
	elf_image_close(image);
	free(file);
}

static void debug_information_has_contents(void **state)
{
	static const struct {
		const char *section;
		uint32_t type;
		size_t size;
		bool expected;
	} cases[] = {
		{ ".debug_info", SHT_PROGBITS, 4, true },
		{ ".zdebug_info", SHT_PROGBITS, 4, true },
		{ ".debug_info", SHT_PROGBITS, 0, false },
		{ ".debug_info", SHT_NOBITS, 4, false }, /* stripped */
		{ ".debug_line", SHT_PROGBITS, 4, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct elf_writer *writer = small_program();
		struct written_image written;
		size_t size;

		elf_writer_section(writer, cases[i].section, cases[i].type, 0, 0,
				   cases[i].type == SHT_NOBITS ? NULL : code, cases[i].size);
		written = written_image_open(writer);
		assert_int_equal(elf_image_has_debug_info(written.image), cases[i].expected);
		assert_int_equal(elf_image_type(written.image), ET_DYN);
		assert_ptr_equal(elf_image_data(written.image, &size), written.bytes);
		assert_int_equal(size, written.size);
		assert_string_equal(elf_image_path(written.image), "written");
		written_image_close(&written);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_that_are_no_elf_say_what_they_are),
		cmocka_unit_test(images_know_their_file),
		cmocka_unit_test(elf_of_other_kinds_is_named),
		cmocka_unit_test(section_headers_are_checked),
		cmocka_unit_test(a_file_cut_anywhere_is_an_error),
		cmocka_unit_test(counts_may_be_in_the_first_section),
		cmocka_unit_test(only_regular_files_are_opened),
		cmocka_unit_test(debug_information_has_contents),
		cmocka_unit_test(files_without_sections_have_code_by_their_segments),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
