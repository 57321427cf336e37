// SPDX-License-Identifier: GPL-2.0-or-later
/* Sections, segments and bytes by address, and which bytes are constant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/elf_writer.h"

static const char zeros[256];

static void the_section_that_holds_an_address(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	struct written_image written;
	struct elf_section section;
	size_t available = 0;

	(void)state;
	elf_writer_section(writer, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x3000, "data", 4);
	elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, "text",
			   4);
	elf_writer_section(writer, ".tdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS, 0x2000,
			   "tls!", 4);
	elf_writer_section(writer, ".tbss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS, 0x2004,
			   NULL, 0x1000);
	elf_writer_section(writer, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x3004, NULL, 0x100);
	elf_writer_section(writer, ".comment", SHT_PROGBITS, 0, 0, "not in memory", 13);
	written = written_image_open(writer);

	assert_false(elf_image_section_at(written.image, 0, &section));
	assert_false(elf_image_section_at(written.image, 0xfff, &section));
	assert_true(elf_image_section_at(written.image, 0x1003, &section));
	assert_string_equal(section.name, ".text");
	assert_true(section.executable && !section.writable && !section.thread_local_);
	assert_int_equal(section.address, 0x1000);
	assert_int_equal(section.size, 4);
	assert_false(elf_image_section_at(written.image, 0x1004, &section));
	assert_true(elf_image_section_at(written.image, 0x2000, &section));
	assert_true(section.thread_local_);
	/* .tbss takes no addresses, although its header's range includes 0x3000 */
	assert_false(elf_image_section_at(written.image, 0x2500, &section));
	assert_true(elf_image_section_at(written.image, 0x3000, &section));
	assert_string_equal(section.name, ".data");
	assert_true(elf_image_section_at(written.image, 0x3103, &section));
	assert_string_equal(section.name, ".bss");
	assert_false(elf_image_section_at(written.image, 0x3104, &section));
	assert_true(elf_image_section_named(written.image, ".tbss", &section));
	assert_false(elf_image_section_named(written.image, ".rodata", &section));

	assert_memory_equal(elf_image_bytes(written.image, 0x3001, &available), "ata", 3);
	assert_int_equal(available, 3);
	assert_null(elf_image_bytes(written.image, 0x3004, &available));
	assert_null(elf_image_bytes(written.image, 0x5000, &available));
	written_image_close(&written);
}

static void reads_stay_within_a_section(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	struct written_image written;
	char buffer[8] = "unread";

	(void)state;
	elf_writer_section(writer, ".rodata", SHT_PROGBITS, SHF_ALLOC, 0x1000, "abcdefgh", 8);
	elf_writer_section(writer, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x1008, "12345678",
			   8);
	written = written_image_open(writer);
	assert_false(elf_image_read(written.image, 0x1004, buffer, 5, false));
	assert_false(elf_image_read(written.image, 0x1004, buffer, SIZE_MAX, false));
	assert_string_equal(buffer, "unread");
	assert_true(elf_image_read(written.image, 0x1004, buffer, 4, true));
	assert_memory_equal(buffer, "efgh", 4);
	assert_true(elf_image_read(written.image, 0x1008, buffer, 8, false));
	assert_memory_equal(buffer, "12345678", 8);
	assert_false(elf_image_read(written.image, 0x1008, buffer, 8, true));
	written_image_close(&written);
}

static void relocated_constants_are_read_as_relocated(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	unsigned int relro = elf_writer_section(writer, ".data.rel.ro", SHT_PROGBITS,
						SHF_ALLOC | SHF_WRITE, 0x2000, zeros, 64);
	unsigned int imported;
	struct written_image written;
	uint64_t value = 0;

	(void)state;
	elf_writer_segment(writer, PT_GNU_RELRO, PF_R, relro, 0, 48, 1);
	imported = elf_writer_dynamic_symbol(writer, "imported", STT_OBJECT, STB_GLOBAL, SHN_UNDEF,
					     0, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2008, R_X86_64_RELATIVE, 0, 0x1234);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2018, R_X86_64_64, imported, 0);
	written = written_image_open(writer);
	assert_true(elf_image_read(written.image, 0x2000, &value, 8,
				   true)); /* no relocation: unchanged */
	assert_int_equal(value, 0);
	assert_true(elf_image_read(written.image, 0x2008, &value, 8, true));
	assert_int_equal(value, 0x1234);
	assert_true(
		elf_image_read(written.image, 0x2008, &value, 8, false)); /* what the file has */
	assert_int_equal(value, 0);
	assert_false(elf_image_read(written.image, 0x2008, &value, 4, true));
	assert_false(elf_image_read(written.image, 0x200c, &value, 8, true));
	assert_false(elf_image_read(written.image, 0x2004, &value, 8, true));
	assert_true(elf_image_read(written.image, 0x2010, &value, 8, true));
	assert_false(elf_image_read(written.image, 0x2018, &value, 8, true));
	assert_true(elf_image_read(written.image, 0x2028, &value, 8, true));
	assert_false(
		elf_image_read(written.image, 0x2030, &value, 8, true)); /* after PT_GNU_RELRO */
	written_image_close(&written);
}

static void kernel_rodata_is_constant_except_for_initialized_variables(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_EXEC);
	unsigned int rodata =
		elf_writer_section(writer, ".rodata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
				   0xffffffff82000000, zeros, 0x60);
	struct written_image written;
	char byte;

	(void)state;
	elf_writer_symbol(writer, "__start_ro_after_init", STT_NOTYPE, STB_GLOBAL, rodata,
			  0xffffffff82000020, 0);
	elf_writer_symbol(writer, "__end_ro_after_init", STT_NOTYPE, STB_GLOBAL, rodata,
			  0xffffffff82000040, 0);
	written = written_image_open(writer);
	assert_true(elf_image_read(written.image, 0xffffffff8200001f, &byte, 1, true));
	assert_false(elf_image_read(written.image, 0xffffffff82000020, &byte, 1, true));
	assert_false(elf_image_read(written.image, 0xffffffff8200003f, &byte, 1, true));
	assert_true(elf_image_read(written.image, 0xffffffff82000040, &byte, 1, true));
	written_image_close(&written);
}

static void file_offsets_of_executable_segments(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	unsigned int rodata =
		elf_writer_section(writer, ".rodata", SHT_PROGBITS, SHF_ALLOC, 0x200040, zeros, 32);
	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, 0x401060, zeros, 128);
	struct written_image written;
	uint64_t address;

	(void)state;
	elf_writer_segment(writer, PT_LOAD, PF_R, rodata, 0, 0, 4096);
	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, text, 0, 0, 4096);
	written = written_image_open(writer);
	assert_true(elf_image_offset_to_address(written.image, 0x60, &address));
	assert_int_equal(address, 0x401060);
	assert_true(elf_image_offset_to_address(written.image, 0x60 + 127, &address));
	assert_int_equal(address, 0x401060 + 127);
	/* the page that the segment begins in is mapped as a whole */
	assert_true(elf_image_offset_to_address(written.image, 0x40, &address));
	assert_int_equal(address, 0x401040);
	assert_true(elf_image_offset_to_address(written.image, 0xfff, &address));
	assert_int_equal(address, 0x401fff);
	assert_false(elf_image_offset_to_address(written.image, 0x1000, &address));
	assert_false(elf_image_offset_to_address(written.image, UINT64_MAX, &address));
	written_image_close(&written);
}

/* The order is that in which a module is loaded: code, read-only data, writable data; sections that
 * only its initialization needs come last. */
static void relocatable_files_are_laid_out_as_modules_are(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_REL);
	unsigned int init = elf_writer_section(writer, ".init.text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, 0, "\xc3", 1);
	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, 0, zeros, 9);
	unsigned int bss =
		elf_writer_section(writer, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0, NULL, 24);
	unsigned int aligned = elf_writer_section(writer, ".bss.aligned", SHT_NOBITS,
						  SHF_ALLOC | SHF_WRITE, 0, NULL, 8);
	unsigned int cold = elf_writer_section(writer, ".text.unlikely", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, 0, "\xcc\xc3", 2);
	struct elf_section section, other;
	struct written_image written;
	const struct symbol *symbol;
	uint64_t base, address;
	size_t available = 0;

	(void)state;
	elf_writer_section_details(writer, text, 0, 0, 0, 16);
	elf_writer_section_details(writer, cold, 0, 0, 0, 4);
	elf_writer_section_details(writer, aligned, 0, 0, 0, 64);
	elf_writer_symbol(writer, "function", STT_FUNC, STB_GLOBAL, text, 4, 4);
	elf_writer_symbol(writer, "init", STT_FUNC, STB_LOCAL, init, 0, 1);
	elf_writer_symbol(writer, "variable", STT_OBJECT, STB_LOCAL, bss, 8, 8);
	written = written_image_open(writer);
	base = elf_image_load_base(written.image);
	assert_int_not_equal(base, 0);

	assert_true(elf_image_section_named(written.image, ".text", &section));
	assert_int_equal(section.address, base);
	assert_true(elf_image_section_named(written.image, ".text.unlikely", &section));
	assert_int_equal(section.address, base + 12);
	assert_int_equal(elf_image_bytes(written.image, base + 13, &available)[0], 0xc3);
	assert_true(elf_image_section_named(written.image, ".bss", &section));
	assert_int_equal(section.address % 4096, 0);
	assert_null(elf_image_bytes(written.image, section.address, &available));
	assert_true(elf_image_section_named(written.image, ".bss.aligned", &other));
	assert_int_equal(other.address, section.address + 64);
	assert_true(elf_image_section_named(written.image, ".init.text", &other));
	assert_true(other.address > section.address);
	/* the first section lies after the header of 64 bytes */
	assert_true(elf_image_offset_to_address(written.image, 64, &address));
	assert_int_equal(address, other.address);
	assert_false(elf_image_offset_to_address(written.image, written.size, &address));

	symbol = elf_image_function_at(written.image, base + 5);
	assert_non_null(symbol);
	assert_string_equal(symbol->name, "function");
	assert_int_equal(symbol->address, base + 4);
	assert_string_equal(elf_image_function_at(written.image, other.address)->name, "init");
	assert_string_equal(elf_image_object_at(written.image, section.address + 15)->name,
			    "variable");
	written_image_close(&written);
}

static void sections_that_pass_the_end_of_the_address_space_hold_nothing(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	struct written_image written;
	struct elf_section section;

	(void)state;
	elf_writer_section(writer, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, UINT64_MAX - 4, NULL,
			   100);
	written = written_image_open(writer);
	assert_false(elf_image_section_at(written.image, UINT64_MAX, &section));
	assert_false(elf_image_section_at(written.image, 3, &section));
	written_image_close(&written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_section_that_holds_an_address),
		cmocka_unit_test(reads_stay_within_a_section),
		cmocka_unit_test(relocated_constants_are_read_as_relocated),
		cmocka_unit_test(kernel_rodata_is_constant_except_for_initialized_variables),
		cmocka_unit_test(file_offsets_of_executable_segments),
		cmocka_unit_test(relocatable_files_are_laid_out_as_modules_are),
		cmocka_unit_test(sections_that_pass_the_end_of_the_address_space_hold_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
