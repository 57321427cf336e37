// SPDX-License-Identifier: GPL-2.0-or-later
/* PLT stubs of every form, and what GOT slots hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/elf_writer.h"

static const uint8_t zeros[0x1000];

#define BYTES(string) (string), sizeof(string) - 1

/*
 * A library whose PLT section at 0x1000 holds `code`; its GOT at 0x2000 has slots for puts
 * (0x2018), memcpy (0x2020), and by R_X86_64_GLOB_DAT for free (0x2028).
 */
static struct written_image with_plt(const char *section, const void *code, size_t size)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	unsigned int puts_symbol, memcpy_symbol, free_symbol;

	elf_writer_section(writer, section, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code,
			   size);
	elf_writer_section(writer, ".got.plt", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000, zeros,
			   0x30);
	puts_symbol =
		elf_writer_dynamic_symbol(writer, "puts", STT_FUNC, STB_GLOBAL, SHN_UNDEF, 0, 0);
	memcpy_symbol =
		elf_writer_dynamic_symbol(writer, "memcpy", STT_FUNC, STB_GLOBAL, SHN_UNDEF, 0, 0);
	free_symbol =
		elf_writer_dynamic_symbol(writer, "free", STT_FUNC, STB_GLOBAL, SHN_UNDEF, 0, 0);
	elf_writer_relocation(writer, ".rela.plt", 0, 0x2018, R_X86_64_JUMP_SLOT, puts_symbol, 0);
	elf_writer_relocation(writer, ".rela.plt", 0, 0x2020, R_X86_64_JUMP_SLOT, memcpy_symbol,
			      0x1020); /* ld -z mark-plt */
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2028, R_X86_64_GLOB_DAT, free_symbol, 0);
	return written_image_open(writer);
}

/* Stubs differ by linker and flags; each jumps through a slot. */
static void stubs_of_every_form_name_their_import(void **state)
{
	static const struct {
		const char *form;
		const char *section;
		const char *code;
		size_t size;
		struct {
			uint64_t address;
			uint32_t size;
			const char *import; /* NULL: the entry, ".plt" */
		} stubs[3];
		size_t count;
	} cases[] = {
		{ "lazy",
		  ".plt",
		  BYTES("\xff\x35\x02\x10\x00\x00\xff\x25\x04\x10\x00\x00\x0f\x1f\x40\x00"
			"\xff\x25\x02\x10\x00\x00\x68\x00\x00\x00\x00\xe9\xe0\xff\xff\xff"
			"\xff\x25\xfa\x0f\x00\x00\x68\x01\x00\x00\x00\xe9\xd0\xff\xff\xff"),
		  { { 0x1000, 16, NULL }, { 0x1010, 16, "puts" }, { 0x1020, 16, "memcpy" } },
		  3 },
		{ "IBT, the half that is called",
		  ".plt.sec",
		  BYTES("\xf3\x0f\x1e\xfa\xff\x25\x0e\x10\x00\x00\x66\x0f\x1f\x44\x00\x00"
			"\xf3\x0f\x1e\xfa\xf2\xff\x25\x05\x10\x00\x00\x0f\x1f\x44\x00\x00"),
		  { { 0x1000, 16, "puts" }, { 0x1010, 16, "memcpy" } },
		  2 },
		{ "IBT, the half that resolves",
		  ".plt",
		  BYTES("\xff\x35\x02\x10\x00\x00\xf2\xff\x25\x03\x10\x00\x00\x0f\x1f\x00"
			"\xf3\x0f\x1e\xfa\x68\x00\x00\x00\x00\xf2\xe9\xe1\xff\xff\xff\x90"
			"\xf3\x0f\x1e\xfa\x68\x01\x00\x00\x00\xe9\xd2\xff\xff\xff\x66\x90"),
		  { { 0x1000, 16, NULL }, { 0x1010, 16, "puts" }, { 0x1020, 16, "memcpy" } },
		  3 },
		{ "-z now",
		  ".plt.got",
		  BYTES("\xff\x25\x22\x10\x00\x00\x66\x90\xff\x25\x0a\x10\x00\x00\x66\x90"),
		  { { 0x1000, 8, "free" }, { 0x1008, 8, "puts" } },
		  2 },
		{ "mold",
		  ".plt",
		  BYTES("\xf3\x0f\x1e\xfa\x41\xbb\x00\x00\x00\x00\xff\x25\x08\x10\x00\x00"),
		  { { 0x1000, 16, "puts" } },
		  1 },
		{ "lld with retpolines",
		  ".plt",
		  BYTES("\x4c\x8b\x1d\x11\x10\x00\x00\xe8\x14\x00\x00\x00\xe9\x02\x00\x00"
			"\x00\x68\x00\x00\x00\x00\xe9\xe5\xff\xff\xff\xcc\xcc\xcc\xcc\xcc"
			"\x4c\x8b\x1d\xf9\x0f\x00\x00\xe9\xd4\xff\xff\xff\xcc\xcc\xcc\xcc"),
		  { { 0x1000, 32, "puts" }, { 0x1020, 16, "memcpy" } },
		  2 },
		{ "a slot without a relocation, a number without one",
		  ".plt",
		  BYTES("\xff\x25\x00\x00\x00\x00\x68\x00\x00\x00\x00\xe9\xe0\xff\xff\xff"
			"\xf3\x0f\x1e\xfa\x68\x02\x00\x00\x00\xf2\xe9\xe1\xff\xff\xff\x90"
			"\xf3\x0f\x1e\xfa\x68\xff\xff\xff\xff\xf2\xe9\xe1\xff\xff\xff\x90"),
		  { { 0 } },
		  0 },
		{ "cut short", ".plt", BYTES("\xff\x25\x12\x10\x00"), { { 0 } }, 0 },
		{ "not a PLT", ".text", BYTES("\xff\x25\x12\x10\x00\x00\x66\x90"), { { 0 } }, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct written_image written =
			with_plt(cases[i].section, cases[i].code, cases[i].size);
		size_t count;
		const struct symbol *symbols = elf_image_symbols(written.image, &count);

		print_message("%s\n", cases[i].form);
		assert_int_equal(count, cases[i].count);
		for (size_t j = 0; j < count; j++) {
			const char *import = cases[i].stubs[j].import;
			uint64_t address = cases[i].stubs[j].address;

			assert_int_equal(symbols[j].address, address);
			assert_int_equal(symbols[j].size, cases[i].stubs[j].size);
			assert_int_equal(symbols[j].type, STT_FUNC);
			assert_ptr_equal(elf_image_function_at(written.image, address + 7),
					 &symbols[j]);
			if (!import) {
				assert_string_equal(symbols[j].name, ".plt");
				assert_null(elf_image_plt_import(written.image, address));
				continue;
			}
			assert_string_equal(elf_image_plt_import(written.image, address), import);
			assert_int_equal(strncmp(symbols[j].name, import, strlen(import)), 0);
			assert_string_equal(symbols[j].name + strlen(import), "@plt");
			assert_null(elf_image_plt_import(written.image, address + 1));
		}
		written_image_close(&written);
	}
}

/* In a static program the relocation names the function that chooses the implementation; other
 * names may lead to that function as well. */
static void stubs_of_chosen_functions_have_their_callers_name(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_EXEC);
	struct written_image written;
	unsigned int text;
	uint64_t target = 1;
	const char *name;

	(void)state;
	elf_writer_section(
		writer, ".plt", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x401000,
		BYTES("\xff\x25\xfa\x1f\x00\x00\x66\x90\xff\x25\xfa\x1f\x00\x00\x66\x90"));
	text = elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
				  0x402000, zeros, 0x100);
	elf_writer_section(writer, ".got.plt", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x403000, zeros,
			   16);
	elf_writer_symbol(writer, "memset_ifunc", STT_FUNC, STB_LOCAL, text, 0x402000, 32);
	elf_writer_symbol(writer, "__libc_memset", STT_GNU_IFUNC, STB_GLOBAL, text, 0x402000, 32);
	elf_writer_symbol(writer, "memset", STT_GNU_IFUNC, STB_LOCAL, text, 0x402000, 32);
	elf_writer_relocation(writer, ".rela.plt", 0, 0x403000, R_X86_64_IRELATIVE, 0, 0x402000);
	elf_writer_relocation(writer, ".rela.plt", 0, 0x403008, R_X86_64_IRELATIVE, 0, 0x402010);
	written = written_image_open(writer);
	assert_string_equal(elf_image_plt_import(written.image, 0x401000), "memset");
	assert_string_equal(elf_image_function_at(written.image, 0x401007)->name, "memset@plt");
	assert_string_equal(elf_image_function_at(written.image, 0x401008)->name,
			    "*ABS*+0x402010@plt");
	assert_true(elf_image_slot(written.image, 0x403000, &name, &target));
	assert_string_equal(name, "memset");
	assert_int_equal(target, 0); /* its value is chosen when the program starts */
	assert_true(elf_image_slot(written.image, 0x403008, &name, &target));
	assert_null(name);
	written_image_close(&written);
}

static void slots_hold_what_their_relocation_says(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, 0x1000, zeros, 0x100);
	unsigned int data = elf_writer_section(writer, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
					       0x2000, zeros, 0x100);
	unsigned int imported, variable, chosen;
	struct elf_relocation relocation;
	struct written_image written;
	static const struct {
		uint64_t address;
		bool found;
		const char *name;
		uint64_t target;
	} expected[] = {
		{ 0x2000, true, "imported", 0 },
		{ 0x2008, true, "variable", 0x2080 },
		{ 0x2010, true, "variable", 0x2080 },
		{ 0x2018, true, NULL, 0x2084 }, /* variable + 4: does not hold its very address */
		{ 0x2020, true, NULL, 0 },      /* imported + 16 */
		{ 0x2028, true, NULL, 0x1010 }, /* relative */
		{ 0x2030, true, "chosen", 0 },  /* an STT_GNU_IFUNC of this object */
		{ 0x2038, false, NULL, 0 },     /* PC-relative */
		{ 0x2040, false, NULL, 0 },     /* thread-local */
		/* no relocation; the file's bytes there are no address */
		{ 0x2048, false, NULL, 0 },
		{ 0x2009, false, NULL, 0 }, /* within one */
		{ UINT64_MAX, false, NULL, 0 },
	};

	(void)state;
	imported = elf_writer_dynamic_symbol(writer, "imported", STT_OBJECT, STB_GLOBAL, SHN_UNDEF,
					     0, 0);
	variable = elf_writer_dynamic_symbol(writer, "variable", STT_OBJECT, STB_GLOBAL, data,
					     0x2080, 16);
	chosen = elf_writer_dynamic_symbol(writer, "chosen", STT_GNU_IFUNC, STB_GLOBAL, text,
					   0x1000, 16);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2040, R_X86_64_TPOFF64, imported, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2000, R_X86_64_GLOB_DAT, imported, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2008, R_X86_64_JUMP_SLOT, variable, 0x1030);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2010, R_X86_64_64, variable, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2018, R_X86_64_64, variable, 4);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2020, R_X86_64_64, imported, 16);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2028, R_X86_64_RELATIVE, 0, 0x1010);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2030, R_X86_64_GLOB_DAT, chosen, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2038, R_X86_64_PC64, variable, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2050, R_X86_64_64, 99,
			      0); /* no such symbol */
	written = written_image_open(writer);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		const char *name = "untouched";
		uint64_t target = 77;

		assert_int_equal(elf_image_slot(written.image, expected[i].address, &name, &target),
				 expected[i].found);
		if (!expected[i].found)
			continue;
		assert_int_equal(target, expected[i].target);
		if (expected[i].name)
			assert_string_equal(name, expected[i].name);
		else
			assert_null(name);
	}
	assert_true(elf_image_relocation_at(written.image, 0x2020, &relocation));
	assert_int_equal(relocation.kind, RELOCATION_ABSOLUTE);
	assert_string_equal(relocation.name, "imported");
	assert_int_equal(relocation.addend, 16);
	assert_false(relocation.defined);
	assert_false(elf_image_relocation_at(written.image, 0x2050, &relocation));
	written_image_close(&written);
}

static void packed_relative_relocations_are_slots(void **state)
{
	/* an address, then bitmaps of the words after it (bit 0 marks the bitmap) */
	static const uint64_t relr[] = { 0x2000, 1 | 1 << 1 | 1 << 3, 1 | 1 << 1 };
	uint64_t contents[80] = {
		[0] = 0x1110, [1] = 0x1220, [2] = 0x1330, [3] = 0x1440, [64] = 0x1550
	};
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	struct written_image written;
	uint64_t target, value;
	const char *name;

	(void)state;
	elf_writer_section(writer, ".data.rel.ro", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000,
			   contents, sizeof(contents));
	elf_writer_section(writer, ".relr.dyn", SHT_RELR, SHF_ALLOC, 0x3000, relr, sizeof(relr));
	written = written_image_open(writer);
	assert_true(elf_image_slot(written.image, 0x2000, &name, &target));
	assert_int_equal(target, 0x1110);
	assert_null(name);
	assert_true(elf_image_slot(written.image, 0x2008, &name, &target));
	assert_int_equal(target, 0x1220);
	assert_false(elf_image_slot(written.image, 0x2010, &name, &target));
	assert_true(elf_image_slot(written.image, 0x2018, &name, &target));
	assert_int_equal(target, 0x1440);
	assert_true(elf_image_slot(written.image, 0x2200, &name, &target)); /* 0x2008 + 63 words */
	assert_int_equal(target, 0x1550);
	assert_true(elf_image_read(written.image, 0x2010, &value, 8, false));
	assert_int_equal(value, 0x1330);
	written_image_close(&written);
}

/* A few bytes that claim to relocate everything must not take more memory than the file has. */
static void packed_relocations_are_bounded_by_the_file(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	struct written_image written;
	uint64_t relr[512] = { 0x2000 };
	uint64_t target;
	const char *name;

	(void)state;
	for (size_t i = 1; i < 512; i++)
		relr[i] = UINT64_MAX;
	elf_writer_section(writer, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000, zeros, 64);
	elf_writer_section(writer, ".relr.dyn", SHT_RELR, SHF_ALLOC, 0x9000, relr, sizeof(relr));
	written = written_image_open(writer);
	assert_true(elf_image_slot(written.image, 0x2038, &name, &target));
	assert_false(elf_image_slot(written.image, 0x2040, &name, &target));
	written_image_close(&written);
}

static void constant_slots_of_programs_at_fixed_addresses(void **state)
{
	uint64_t got[] = { 0x402010, 0, 0x777777, 0x401000 };

	(void)state;
	for (unsigned int pie = 0; pie < 2; pie++) {
		struct elf_writer *writer = elf_writer_create(pie ? ET_DYN : ET_EXEC);
		struct written_image written;
		const char *name;
		uint64_t target;

		elf_writer_section(writer, ".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x401000,
				   got, sizeof(got));
		elf_writer_section(writer, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x402000,
				   got, sizeof(got));
		written = written_image_open(writer);
		assert_int_equal(elf_image_slot(written.image, 0x401000, &name, &target), !pie);
		if (!pie)
			assert_int_equal(target, 0x402010);
		assert_false(
			elf_image_slot(written.image, 0x401008, &name, &target)); /* an empty one */
		assert_false(
			elf_image_slot(written.image, 0x401010, &name, &target)); /* no address */
		assert_false(elf_image_slot(written.image, 0x402000, &name,
					    &target)); /* a variable may change */
		written_image_close(&written);
	}
}

static void thread_local_slots(void **state)
{
	static const uint64_t got[] = { 0, 0, 0, 0, 0, 0, 0, 0x18, 0, 0, -16, 1, -0x29 };
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	unsigned int tdata, imported, own;
	struct written_image written;
	static const struct {
		uint64_t address;
		uint64_t offset;
		const char *name;
	} expected[] = {
		{ 0x2000, ELF_TLS_ELSEWHERE, "imported" }, /* initial exec */
		{ 0x2008, 0x10, "own" },
		{ 0x2010, 0x20, NULL },  /* a local variable: the addend alone */
		{ 0x2018, 0x10, "own" }, /* general dynamic: module and offset */
		{ 0x2020, 0x10, "own" }, /* ... its second half */
		{ 0x2030, 0x18, NULL },  /* local dynamic: the offset is a constant */
		{ 0x2040, 0x8, NULL },   /* TLSDESC */
		{ 0x2050, 0x18, NULL },  /* initial exec, which the linker knew: 0x28 - 16 */
	};
	const char *name;
	uint64_t offset;

	(void)state;
	elf_writer_section(writer, ".got", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x2000, got,
			   sizeof(got));
	tdata = elf_writer_section(writer, ".tdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS,
				   0x3000, zeros, 0x21);
	elf_writer_segment(writer, PT_TLS, PF_R, tdata, 0, 0x21, 8);
	imported =
		elf_writer_dynamic_symbol(writer, "imported", STT_TLS, STB_GLOBAL, SHN_UNDEF, 0, 0);
	own = elf_writer_dynamic_symbol(writer, "own", STT_TLS, STB_GLOBAL, tdata, 0x10, 8);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2000, R_X86_64_TPOFF64, imported, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2008, R_X86_64_TPOFF64, own, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2010, R_X86_64_TPOFF64, 0, 0x20);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2018, R_X86_64_DTPMOD64, own, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2020, R_X86_64_DTPOFF64, own, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2030, R_X86_64_DTPMOD64, 0, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x2040, R_X86_64_TLSDESC, 0, 8);
	written = written_image_open(writer);
	for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
		assert_true(elf_image_tls_slot(written.image, expected[i].address, &offset, &name));
		assert_int_equal(offset, expected[i].offset);
		if (expected[i].name)
			assert_string_equal(name, expected[i].name);
		else
			assert_null(name);
	}
	assert_false(elf_image_tls_slot(written.image, 0x2028, &offset, &name)); /* 0 */
	assert_false(elf_image_tls_slot(written.image, 0x2058, &offset, &name)); /* 1 */
	assert_false(
		elf_image_tls_slot(written.image, 0x2060, &offset, &name)); /* below the block */
	assert_false(elf_image_tls_slot(written.image, 0x3000, &offset, &name));
	written_image_close(&written);
}

static void relocations_of_relocatable_files_are_found_and_applied(void **state)
{
	struct elf_writer *writer = elf_writer_create(ET_REL);
	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, 0, zeros, 32);
	unsigned int data = elf_writer_section(writer, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE,
					       0, zeros, 32);
	unsigned int debug =
		elf_writer_section(writer, ".debug_info", SHT_PROGBITS, 0, 0, zeros, 32);
	unsigned int data_symbol =
		elf_writer_symbol(writer, "", STT_SECTION, STB_LOCAL, data, 0, 0);
	unsigned int function =
		elf_writer_symbol(writer, "function", STT_FUNC, STB_GLOBAL, text, 8, 8);
	unsigned int kmalloc =
		elf_writer_symbol(writer, "kmalloc", STT_NOTYPE, STB_GLOBAL, SHN_UNDEF, 0, 0);
	struct elf_relocation relocation;
	struct written_image written;
	struct elf_section section;
	const char *name;
	uint64_t target, value, offset;

	(void)state;
	elf_writer_relocation(writer, ".rela.text", text, 1, R_X86_64_PLT32, kmalloc, -4);
	elf_writer_relocation(writer, ".rela.text", text, 9, R_X86_64_PC32, data_symbol, 12);
	elf_writer_relocation(writer, ".rela.data", data, 16, R_X86_64_64, function, 0);
	elf_writer_relocation(writer, ".rela.debug_info", debug, 2, R_X86_64_64, function, 0);
	written = written_image_open(writer);
	assert_true(elf_image_section_named(written.image, ".text", &section));
	assert_true(elf_image_relocation_at(written.image, section.address + 1, &relocation));
	assert_string_equal(relocation.name, "kmalloc");
	assert_int_equal(relocation.addend, -4);
	assert_false(relocation.defined);
	assert_true(elf_image_relocation_at(written.image, section.address + 9, &relocation));
	assert_null(relocation.name);
	assert_true(elf_image_section_named(written.image, ".data", &section));
	assert_int_equal(relocation.target, section.address + 12);
	assert_true(elf_image_slot(written.image, section.address + 16, &name, &target));
	assert_string_equal(name, "function");
	assert_int_equal(target, elf_image_symbol_named(written.image, "function")->address);
	/* sections of the file are relocated to these addresses; an import has an address of its
	 * own */
	assert_true(elf_image_section_named(written.image, ".data", &section));
	assert_true(elf_image_read(written.image, section.address + 16, &value, 8, false));
	assert_int_equal(value, target);
	assert_true(elf_image_section_named(written.image, ".text", &section));
	value = 0;
	assert_true(elf_image_read(written.image, section.address + 9, &value, 4, true));
	assert_true(elf_image_relocation_at(written.image, section.address + 9, &relocation));
	assert_int_equal((uint32_t)value, (uint32_t)(relocation.target - (section.address + 9)));
	assert_true(elf_image_read(written.image, section.address + 1, &value, 4, false));
	target = section.address + 5 + (uint64_t)(int64_t)(int32_t)value;
	assert_string_equal(elf_image_plt_import(written.image, target), "kmalloc");
	assert_string_equal(elf_image_import_at(written.image, target + 8, &offset), "kmalloc");
	assert_int_equal(offset, 8);
	assert_null(elf_image_import_at(written.image, section.address, &offset));
	/* which is no constant */
	assert_false(elf_image_read(written.image, section.address + 1, &value, 4, true));
	assert_true(elf_image_read(written.image, section.address + 13, &value, 4, true));
	written_image_close(&written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stubs_of_every_form_name_their_import),
		cmocka_unit_test(stubs_of_chosen_functions_have_their_callers_name),
		cmocka_unit_test(slots_hold_what_their_relocation_says),
		cmocka_unit_test(packed_relative_relocations_are_slots),
		cmocka_unit_test(packed_relocations_are_bounded_by_the_file),
		cmocka_unit_test(constant_slots_of_programs_at_fixed_addresses),
		cmocka_unit_test(thread_local_slots),
		cmocka_unit_test(relocations_of_relocatable_files_are_found_and_applied),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
