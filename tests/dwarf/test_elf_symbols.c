// SPDX-License-Identifier: GPL-2.0-or-later
/* Symbols: which ones are used, which of several is chosen, where they end, and how they are
 * found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/support/elf_writer.h"

static const uint8_t zeros[0x1000];

/* .text at 0x1000, .data at 0x3000, .bss at 0x4000, 0x1000 bytes each */
enum { TEXT = 1, DATA, BSS };

static struct elf_writer *program(void)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);

	elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, zeros,
			   sizeof(zeros));
	elf_writer_section(writer, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0x3000, zeros,
			   sizeof(zeros));
	elf_writer_section(writer, ".bss", SHT_NOBITS, SHF_ALLOC | SHF_WRITE, 0x4000, NULL, 0x1000);
	return writer;
}

static const char *function_at(const struct written_image *written, uint64_t address)
{
	const struct symbol *symbol = elf_image_function_at(written->image, address);

	return symbol ? symbol->name : "(none)";
}

static const char *object_at(const struct written_image *written, uint64_t address)
{
	const struct symbol *symbol = elf_image_object_at(written->image, address);

	return symbol ? symbol->name : "(none)";
}

static void of_aliases_the_one_that_perf_shows(void **state)
{
	static const struct {
		struct {
			const char *name;
			uint8_t type, binding;
			uint64_t size;
		} left, right;
		const char *chosen;
	} cases[] = {
		{ { "sized", STT_FUNC, STB_LOCAL, 8 },
		  { "unsized", STT_FUNC, STB_GLOBAL, 0 },
		  "sized" },
		{ { "label", STT_NOTYPE, STB_GLOBAL, 8 },
		  { "func", STT_FUNC, STB_LOCAL, 8 },
		  "func" },
		{ { "weak", STT_FUNC, STB_WEAK, 8 }, { "local", STT_FUNC, STB_LOCAL, 8 }, "local" },
		{ { "local_is_longer", STT_FUNC, STB_LOCAL, 8 },
		  { "global", STT_FUNC, STB_GLOBAL, 8 },
		  "global" },
		{ { "__long_name", STT_FUNC, STB_GLOBAL, 8 },
		  { "_x", STT_FUNC, STB_GLOBAL, 8 },
		  "_x" },
		{ { "open", STT_FUNC, STB_GLOBAL, 8 },
		  { "open64", STT_FUNC, STB_GLOBAL, 8 },
		  "open64" },
		{ { "SyS_read", STT_FUNC, STB_GLOBAL, 8 },
		  { "sys_read", STT_FUNC, STB_GLOBAL, 8 },
		  "sys_read" },
		{ { "table", STT_OBJECT, STB_GLOBAL, 8 },
		  { "code", STT_FUNC, STB_WEAK, 8 },
		  "code" },
		{ { "first", STT_FUNC, STB_GLOBAL, 8 },
		  { "other", STT_FUNC, STB_GLOBAL, 8 },
		  "first" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		/* in both orders of the table, except for the last case: the first of equal symbols
		 * is chosen */
		for (unsigned int swapped = 0;
		     swapped < (i + 1 < sizeof(cases) / sizeof(cases[0]) ? 2 : 1); swapped++) {
			struct elf_writer *writer = program();
			struct written_image written;
			size_t count;

			for (unsigned int j = 0; j < 2; j++) {
				bool right = j != swapped;

				elf_writer_symbol(
					writer, right ? cases[i].right.name : cases[i].left.name,
					right ? cases[i].right.type : cases[i].left.type,
					right ? cases[i].right.binding : cases[i].left.binding,
					TEXT, 0x1100,
					right ? cases[i].right.size : cases[i].left.size);
			}
			written = written_image_open(writer);
			assert_string_equal(function_at(&written, 0x1107), cases[i].chosen);
			assert_string_equal(elf_image_symbols(written.image, &count)[0].name,
					    cases[i].chosen);
			assert_int_equal(count, 2);
			written_image_close(&written);
		}
	}
}

static void only_functions_objects_and_labels_are_symbols(void **state)
{
	struct elf_writer *writer = program();
	unsigned int comment =
		elf_writer_section(writer, ".comment", SHT_PROGBITS, 0, 0, zeros, 16);
	struct written_image written;
	const struct symbol *symbols;
	size_t count;

	(void)state;
	elf_writer_symbol(writer, "", STT_SECTION, STB_LOCAL, TEXT, 0x1000, 0);
	elf_writer_symbol(writer, "file.c", STT_FILE, STB_LOCAL, SHN_ABS, 0, 0);
	elf_writer_symbol(writer, "absolute", STT_OBJECT, STB_GLOBAL, SHN_ABS, 0x3000, 8);
	elf_writer_symbol(writer, "imported", STT_FUNC, STB_GLOBAL, SHN_UNDEF, 0x1000, 8);
	elf_writer_symbol(writer, "common", STT_OBJECT, STB_GLOBAL, SHN_COMMON, 8, 8);
	elf_writer_symbol(writer, "", STT_FUNC, STB_GLOBAL, TEXT, 0x1000, 8);
	elf_writer_symbol(writer, "_edata", STT_NOTYPE, STB_GLOBAL, DATA, 0x3000, 0);
	elf_writer_symbol(writer, "remark", STT_OBJECT, STB_GLOBAL, comment, 0, 8);
	elf_writer_symbol(writer, ".Llocal", STT_NOTYPE, STB_LOCAL, TEXT, 0x1010, 0);
	elf_writer_symbol(writer, "hidden_label", STT_NOTYPE, STB_GLOBAL, TEXT, 0x1020, 0);
	elf_writer_symbol_visibility(writer, STV_HIDDEN);
	elf_writer_symbol(writer, "nowhere", STT_FUNC, STB_GLOBAL, 77, 0x1000, 8);
	elf_writer_symbol(writer, "label", STT_NOTYPE, STB_GLOBAL, TEXT, 0x1030, 0);
	elf_writer_symbol(writer, "chooser", STT_GNU_IFUNC, STB_GLOBAL, TEXT, 0x1040, 8);
	elf_writer_symbol(writer, "memcpy@@GLIBC_2.14", STT_FUNC, STB_GLOBAL, TEXT, 0x1050, 8);
	elf_writer_symbol(writer, "variable", STT_OBJECT, STB_LOCAL, BSS, 0x4000, 8);
	written = written_image_open(writer);
	symbols = elf_image_symbols(written.image, &count);
	assert_int_equal(count, 4);
	assert_string_equal(symbols[0].name, "label");
	assert_int_equal(symbols[0].size, 0x10);
	assert_string_equal(symbols[1].name, "chooser");
	assert_string_equal(symbols[2].name, "memcpy");
	assert_string_equal(symbols[3].name, "variable");
	assert_int_equal(symbols[3].type, STT_OBJECT);
	assert_int_equal(symbols[3].binding, STB_LOCAL);
	written_image_close(&written);
}

static void symbols_without_a_size_end_where_the_next_begins(void **state)
{
	struct elf_writer *writer = program();
	struct written_image written;

	(void)state;
	elf_writer_symbol(writer, "first", STT_FUNC, STB_GLOBAL, TEXT, 0x1000, 0);
	elf_writer_symbol(writer, "sized", STT_FUNC, STB_GLOBAL, TEXT, 0x1100, 0x10);
	elf_writer_symbol(writer, "alias", STT_FUNC, STB_GLOBAL, TEXT, 0x1100, 0);
	elf_writer_symbol(writer, "last", STT_FUNC, STB_GLOBAL, TEXT, 0x1200, 0);
	elf_writer_symbol(writer, "data", STT_OBJECT, STB_GLOBAL, DATA, 0x3000, 0);
	elf_writer_symbol(writer, "end", STT_OBJECT, STB_GLOBAL, DATA, 0x4000,
			  0); /* after its section */
	written = written_image_open(writer);
	assert_string_equal(function_at(&written, 0x10ff), "first");
	assert_string_equal(function_at(&written, 0x110f), "sized");
	assert_int_equal(elf_image_symbol_named(written.image, "alias")->size, 0x10);
	assert_string_equal(function_at(&written, 0x1110), "(none)");
	assert_string_equal(function_at(&written, 0x1fff), "last");
	assert_string_equal(function_at(&written, 0x2000), "(none)");
	assert_string_equal(object_at(&written, 0x3fff), "data");
	assert_string_equal(object_at(&written, 0x4000), "(none)");
	assert_int_equal(elf_image_symbol_named(written.image, "end")->size, 0);
	written_image_close(&written);
}

static void the_innermost_symbol_covers(void **state)
{
	struct elf_writer *writer = program();
	struct written_image written;

	(void)state;
	elf_writer_symbol(writer, "outer", STT_FUNC, STB_GLOBAL, TEXT, 0x1000, 0x100);
	elf_writer_symbol(writer, "inner", STT_FUNC, STB_LOCAL, TEXT, 0x1040, 0x10);
	elf_writer_symbol(writer, "place", STT_NOTYPE, STB_LOCAL, TEXT, 0x1080, 0);
	elf_writer_symbol(writer, "entry", STT_NOTYPE, STB_GLOBAL, TEXT, 0x1200, 0x100);
	elf_writer_symbol(writer, "entry_after", STT_NOTYPE, STB_GLOBAL, TEXT, 0x1280, 0);
	elf_writer_symbol(writer, "overlaps", STT_FUNC, STB_GLOBAL, TEXT, 0x1400, 0x100);
	elf_writer_symbol(writer, "overlapping", STT_FUNC, STB_GLOBAL, TEXT, 0x1480, 0x100);
	written = written_image_open(writer);
	assert_string_equal(function_at(&written, 0xfff), "(none)");
	assert_string_equal(function_at(&written, 0x103f), "outer");
	assert_string_equal(function_at(&written, 0x1040), "inner");
	assert_string_equal(function_at(&written, 0x104f), "inner");
	assert_string_equal(function_at(&written, 0x1050), "outer");
	/* a label in a function is no function of its own, a label in assembly begins one */
	assert_string_equal(function_at(&written, 0x1080), "outer");
	assert_non_null(elf_image_symbol_named(written.image, "place"));
	assert_string_equal(function_at(&written, 0x127f), "entry");
	assert_string_equal(function_at(&written, 0x1290), "entry_after");
	assert_string_equal(function_at(&written, 0x147f), "overlaps");
	assert_string_equal(function_at(&written, 0x1480), "overlapping");
	assert_string_equal(function_at(&written, 0x157f), "overlapping");
	written_image_close(&written);
}

static void sizes_past_the_end_of_the_address_space_are_cut(void **state)
{
	struct elf_writer *writer = program();
	struct written_image written;

	(void)state;
	elf_writer_symbol(writer, "endless", STT_FUNC, STB_GLOBAL, TEXT, 0x1000, UINT64_MAX);
	elf_writer_symbol(writer, "high", STT_FUNC, STB_GLOBAL, TEXT, UINT64_MAX - 1, UINT64_MAX);
	elf_writer_symbol(writer, "small", STT_FUNC, STB_GLOBAL, TEXT, 0x1010, 1);
	written = written_image_open(writer);
	assert_string_equal(function_at(&written, 0x1010), "small");
	assert_string_equal(function_at(&written, 0x1011), "endless");
	assert_string_equal(function_at(&written, UINT64_MAX - 2), "endless");
	assert_string_equal(function_at(&written, UINT64_MAX - 1), "high");
	assert_string_equal(function_at(&written, 0xfff), "(none)");
	written_image_close(&written);
}

static void both_tables_are_read(void **state)
{
	struct elf_writer *writer = program();
	struct written_image written;
	size_t count;

	(void)state;
	elf_writer_symbol(writer, "local", STT_FUNC, STB_LOCAL, TEXT, 0x1000, 16);
	elf_writer_symbol(writer, "shared@@V1", STT_FUNC, STB_GLOBAL, TEXT, 0x1010, 16);
	elf_writer_dynamic_symbol(writer, "shared", STT_FUNC, STB_GLOBAL, TEXT, 0x1010, 16);
	elf_writer_dynamic_symbol(writer, "dynamic", STT_FUNC, STB_GLOBAL, TEXT, 0x1020, 16);
	written = written_image_open(writer);
	elf_image_symbols(written.image, &count);
	assert_int_equal(count, 3);
	assert_string_equal(function_at(&written, 0x1000), "local");
	assert_string_equal(function_at(&written, 0x1010), "shared");
	assert_string_equal(function_at(&written, 0x1020), "dynamic");
	written_image_close(&written);
}

static void names_find_the_global_one_first(void **state)
{
	struct elf_writer *writer = program();
	struct written_image written;

	(void)state;
	elf_writer_symbol(writer, "twice", STT_FUNC, STB_LOCAL, TEXT, 0x1000, 8);
	elf_writer_symbol(writer, "twice", STT_FUNC, STB_GLOBAL, TEXT, 0x1100, 8);
	elf_writer_symbol(writer, "locals", STT_FUNC, STB_LOCAL, TEXT, 0x1300, 8);
	elf_writer_symbol(writer, "locals", STT_FUNC, STB_LOCAL, TEXT, 0x1200, 8);
	written = written_image_open(writer);
	assert_int_equal(elf_image_symbol_named(written.image, "twice")->address, 0x1100);
	assert_int_equal(elf_image_symbol_named(written.image, "locals")->address, 0x1200);
	assert_null(elf_image_symbol_named(written.image, "never"));
	assert_null(elf_image_symbol_named(written.image, ""));
	written_image_close(&written);
}

static void an_address_is_known_before_symbols_are_read(void **state)
{
	static const struct {
		const char *name;
		uint64_t address; /* 0: there is none */
	} cases[] = {
		{ "once", 0x1000 },    { "versioned", 0x1010 },
		{ "in_both", 0x1020 }, { "dynamic", 0x1030 },
		{ "twice", 0x1100 },   { "locals", 0x1200 },
		{ "imported", 0 },     { "onc", 0 },
		{ "once_more", 0 },    { "", 0 },
		{ "versioned@V1", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct elf_writer *writer = program();
		struct written_image written;
		uint64_t address = 1, again = 1;

		elf_writer_symbol(writer, "once", STT_FUNC, STB_LOCAL, TEXT, 0x1000, 8);
		elf_writer_symbol(writer, "versioned@@V1", STT_FUNC, STB_GLOBAL, TEXT, 0x1010, 8);
		elf_writer_symbol(writer, "in_both", STT_FUNC, STB_GLOBAL, TEXT, 0x1020, 8);
		elf_writer_symbol(writer, "twice", STT_FUNC, STB_LOCAL, TEXT, 0x1000, 8);
		elf_writer_symbol(writer, "twice", STT_FUNC, STB_GLOBAL, TEXT, 0x1100, 8);
		elf_writer_symbol(writer, "locals", STT_FUNC, STB_LOCAL, TEXT, 0x1300, 8);
		elf_writer_symbol(writer, "locals", STT_FUNC, STB_LOCAL, TEXT, 0x1200, 8);
		elf_writer_symbol(writer, "imported", STT_FUNC, STB_GLOBAL, SHN_UNDEF, 0, 8);
		elf_writer_dynamic_symbol(writer, "in_both", STT_FUNC, STB_GLOBAL, TEXT, 0x1020, 8);
		elf_writer_dynamic_symbol(writer, "dynamic", STT_FUNC, STB_GLOBAL, TEXT, 0x1030, 8);
		written = written_image_open(writer);
		assert_int_equal(elf_image_symbol_address(written.image, cases[i].name, &address),
				 cases[i].address != 0);
		if (cases[i].address)
			assert_int_equal(address, cases[i].address);

		const struct symbol *named = elf_image_symbol_named(written.image, cases[i].name);

		assert_int_equal(named ? named->address : 0, cases[i].address);
		assert_int_equal(elf_image_symbol_address(written.image, cases[i].name, &again),
				 named != NULL);
		assert_int_equal(again, named ? named->address : 1);
		written_image_close(&written);
	}
}

static void thread_local_symbols_are_apart(void **state)
{
	struct elf_writer *writer = program();
	unsigned int tdata =
		elf_writer_section(writer, ".tdata", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE | SHF_TLS,
				   0x5000, zeros, 0x800);
	struct written_image written;
	const struct symbol *symbols;
	size_t count;
	uint64_t size, alignment;

	(void)state;
	elf_writer_segment(writer, PT_TLS, PF_R, tdata, 0, 0x1200, 16);
	elf_writer_symbol(writer, "function", STT_FUNC, STB_GLOBAL, TEXT, 0x1000, 0x100);
	elf_writer_symbol(writer, "last", STT_TLS, STB_LOCAL, tdata, 0x1010, 0);
	elf_writer_symbol(writer, "errno@@GLIBC_PRIVATE", STT_TLS, STB_GLOBAL, tdata, 0x1000, 4);
	written = written_image_open(writer);
	elf_image_symbols(written.image, &count);
	assert_int_equal(count, 1);
	assert_string_equal(function_at(&written, 0x1003), "function");
	symbols = elf_image_tls_symbols(written.image, &count);
	assert_int_equal(count, 2);
	assert_string_equal(symbols[0].name, "errno");
	assert_int_equal(symbols[0].size, 4);
	assert_string_equal(symbols[1].name, "last");
	assert_int_equal(symbols[1].address, 0x1010);
	assert_int_equal(symbols[1].size, 0x1200 - 0x1010);
	assert_int_equal(elf_image_symbol_named(written.image, "errno")->type, STT_TLS);
	assert_true(elf_image_tls_segment(written.image, &size, &alignment));
	assert_int_equal(size, 0x1200);
	assert_int_equal(alignment, 16);
	written_image_close(&written);
}

/* A variable of a library that the program refers to directly lives in the program's own .bss
 * (R_X86_64_COPY). */
static void copied_variables_are_objects_of_the_program(void **state)
{
	struct elf_writer *writer = program();
	unsigned int stderr_symbol =
		elf_writer_dynamic_symbol(writer, "stderr", STT_OBJECT, STB_GLOBAL, BSS, 0x4020, 8);
	unsigned int long_name = elf_writer_dynamic_symbol(writer, "__environ", STT_OBJECT,
							   STB_GLOBAL, BSS, 0x4028, 8);
	struct written_image written;
	const char *name;
	uint64_t target;

	(void)state;
	elf_writer_dynamic_symbol(writer, "environ", STT_OBJECT, STB_WEAK, BSS, 0x4028, 8);
	elf_writer_dynamic_symbol(writer, "_environ", STT_OBJECT, STB_WEAK, BSS, 0x4028, 8);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x4020, R_X86_64_COPY, stderr_symbol, 0);
	elf_writer_relocation(writer, ".rela.dyn", 0, 0x4028, R_X86_64_COPY, long_name, 0);
	written = written_image_open(writer);
	assert_string_equal(object_at(&written, 0x4020), "stderr");
	assert_string_equal(object_at(&written, 0x402f), "__environ"); /* not weak */
	assert_false(elf_image_slot(written.image, 0x4020, &name, &target));
	written_image_close(&written);
}

static void programs_for_i386_have_symbols(void **state)
{
	struct elf_writer *writer = program();
	struct written_image written;
	struct elf_section section;
	const char *name;
	uint64_t target;

	(void)state;
	elf_writer_set_narrow(writer);
	elf_writer_symbol(writer, "main", STT_FUNC, STB_GLOBAL, TEXT, 0x1010, 0x20);
	elf_writer_symbol(writer, "counter", STT_OBJECT, STB_GLOBAL, DATA, 0x3004, 4);
	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, TEXT, 0, 0, 4096);
	elf_writer_build_id(writer, "\x12\x34", 2);
	written = written_image_open(writer);
	assert_string_equal(function_at(&written, 0x102f), "main");
	assert_string_equal(object_at(&written, 0x3007), "counter");
	assert_true(elf_image_section_at(written.image, 0x1010, &section));
	assert_string_equal(section.name, ".text");
	assert_true(elf_image_offset_to_address(written.image, 0x48, &target));
	assert_int_equal(target, 0x1008);
	assert_int_equal(elf_image_build_id(written.image)->size, 2);
	assert_false(elf_image_slot(written.image, 0x3000, &name, &target));
	written_image_close(&written);
}

static void names_outside_the_string_table_are_no_symbols(void **state)
{
	struct elf_writer *writer = program();
	struct elf_image *image;
	Elf64_Ehdr header;
	Elf64_Shdr section;
	uint8_t *bytes;
	size_t size, count;

	(void)state;
	elf_writer_symbol(writer, "first", STT_FUNC, STB_GLOBAL, TEXT, 0x1000, 8);
	elf_writer_symbol(writer, "second", STT_FUNC, STB_GLOBAL, TEXT, 0x1010, 8);
	bytes = elf_writer_finish(writer, &size);
	memcpy(&header, bytes, sizeof(header));
	for (size_t i = 0; i < header.e_shnum; i++) {
		memcpy(&section, bytes + header.e_shoff + i * sizeof(section), sizeof(section));
		if (section.sh_type == SHT_STRTAB && i + 1 < header.e_shnum)
			bytes[section.sh_offset + section.sh_size - 1] =
				'x'; /* the string "second" has no end now */
	}
	assert_null(elf_image_open_memory(bytes, size, "unterminated", &image));
	assert_string_equal(elf_image_symbols(image, &count)[0].name, "first");
	assert_int_equal(count, 1);
	elf_image_close(image);
	free(bytes);
}

/* Section numbers from SHN_LORESERVE on are in a table beside the symbols (gABI, SHT_SYMTAB_SHNDX).
 */
static void section_numbers_may_be_beside_the_symbols(void **state)
{
	struct elf_writer *writer = program();
	const uint32_t numbers[] = { 0, TEXT, 0 };
	unsigned int beside = elf_writer_section(writer, ".symtab_shndx", SHT_SYMTAB_SHNDX, 0, 0,
						 numbers, sizeof(numbers));
	struct written_image written;
	size_t count;

	(void)state;
	elf_writer_section_details(writer, beside, beside + 2, 0, 4,
				   4); /* .strtab and .symtab are the next two */
	elf_writer_symbol(writer, "far_away", STT_FUNC, STB_GLOBAL, SHN_XINDEX, 0x1000, 16);
	elf_writer_symbol(writer, "nowhere", STT_FUNC, STB_GLOBAL, SHN_XINDEX, 0x1010, 16);
	elf_writer_symbol(writer, "past_the_table", STT_FUNC, STB_GLOBAL, SHN_XINDEX, 0x1020, 16);
	written = written_image_open(writer);
	assert_string_equal(elf_image_symbols(written.image, &count)->name, "far_away");
	assert_int_equal(count, 1);
	written_image_close(&written);
}

/* Symbols of a few bytes must not each take a copy of a long name. */
static void made_names_are_bounded_by_the_file(void **state)
{
	enum { LENGTH = 60000, COUNT = 2000 };
	struct elf_writer *writer = program();
	_cleanup_free_ char *name = xmalloc(LENGTH + 3);
	struct elf_image *image;
	Elf64_Ehdr header;
	Elf64_Shdr section;
	Elf64_Sym symbol;
	uint8_t *bytes;
	size_t size, count;

	(void)state;
	memset(name, 'a', LENGTH);
	memcpy(name + LENGTH, "@V", 3);
	elf_writer_symbol(writer, name, STT_FUNC, STB_GLOBAL, TEXT, 0x1000, 1);
	for (unsigned int i = 1; i < COUNT; i++)
		elf_writer_symbol(writer, "", STT_FUNC, STB_GLOBAL, TEXT, 0x1000 + i, 1);
	bytes = elf_writer_finish(writer, &size);
	memcpy(&header, bytes, sizeof(header));
	for (size_t i = 0; i < header.e_shnum; i++) {
		memcpy(&section, bytes + header.e_shoff + i * sizeof(section), sizeof(section));
		for (size_t j = 1; section.sh_type == SHT_SYMTAB && j <= COUNT; j++) {
			memcpy(&symbol, bytes + section.sh_offset + j * sizeof(symbol),
			       sizeof(symbol));
			symbol.st_name = j; /* each name is the end of the preceding one */
			memcpy(bytes + section.sh_offset + j * sizeof(symbol), &symbol,
			       sizeof(symbol));
		}
	}
	assert_null(elf_image_open_memory(bytes, size, "names", &image));
	elf_image_symbols(image, &count);
	assert_in_range(count, 1, 20);
	elf_image_close(image);
	free(bytes);
}

/* Symbols that contain each other must not make a look-up slow: trying each would take minutes. */
static void nesting_does_not_make_lookups_slow(void **state)
{
	enum { DEPTH = 40000 };
	struct elf_writer *writer = program();
	struct written_image written;
	char name[16];

	(void)state;
	for (unsigned int i = 0; i < DEPTH; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		elf_writer_symbol(writer, name, STT_FUNC, STB_GLOBAL, TEXT, 0x10000 + i,
				  2 * (DEPTH - i));
	}
	written = written_image_open(writer);
	for (unsigned int i = 0; i < DEPTH; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		assert_string_equal(function_at(&written, 0x10000 + i), name);
		assert_string_equal(function_at(&written, 0x10000 + 2 * DEPTH - i - 1), name);
	}
	written_image_close(&written);
}

/* Symbols in the order of their numbers are not in that of their addresses. Each is asked for
 * alone, and then with all: the answers are the same symbols of the same list. */
static void symbols_are_the_same_one_by_one_and_all_together(void **state)
{
	enum { COUNT = 1000, STEP = 7, SIZE = 4 };
	struct elf_writer *writer = program();
	struct written_image written;
	const struct symbol *one[COUNT];
	char name[16];
	size_t count;

	(void)state;
	for (unsigned int i = 0; i < COUNT; i++) {
		unsigned int number = i * STEP % COUNT;

		snprintf(name, sizeof(name), "f%u", number);
		elf_writer_symbol(writer, name, STT_FUNC, STB_GLOBAL, TEXT, 0x1000 + SIZE * number,
				  number % 2 ? 0 : SIZE);
	}
	elf_writer_symbol(writer, "wide", STT_OBJECT, STB_GLOBAL, DATA, 0x3000, 0x1800);
	elf_writer_symbol(writer, "inner", STT_OBJECT, STB_GLOBAL, BSS, 0x4010, 0x10);
	elf_writer_symbol(writer, "behind", STT_OBJECT, STB_GLOBAL, BSS, 0x4900, 0x10);
	written = written_image_open(writer);
	for (unsigned int i = 0; i < COUNT; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		one[i] = elf_image_function_at(written.image, 0x1000 + SIZE * i + 1);
		assert_string_equal(one[i]->name, name);
		assert_int_equal(one[i]->size, i + 1 < COUNT ? SIZE : 0x1000 - SIZE * (COUNT - 1));
		assert_ptr_equal(elf_image_symbols_at(written.image, one[i]->address, &count),
				 one[i]);
		assert_int_equal(count, 1);
	}
	elf_image_symbols_at(written.image, 0x1001, &count);
	assert_int_equal(count, 0);
	assert_string_equal(object_at(&written, 0x47ff), "wide");
	assert_string_equal(object_at(&written, 0x401f), "inner");
	assert_string_equal(object_at(&written, 0x4800), "(none)");
	assert_string_equal(object_at(&written, 0x490f), "behind");
	const struct symbol *all = elf_image_symbols(written.image, &count);

	assert_int_equal(count, COUNT + 3);
	for (unsigned int i = 0; i < COUNT; i++)
		assert_ptr_equal(one[i], &all[i]);
	written_image_close(&written);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_aliases_the_one_that_perf_shows),
		cmocka_unit_test(only_functions_objects_and_labels_are_symbols),
		cmocka_unit_test(symbols_without_a_size_end_where_the_next_begins),
		cmocka_unit_test(the_innermost_symbol_covers),
		cmocka_unit_test(sizes_past_the_end_of_the_address_space_are_cut),
		cmocka_unit_test(both_tables_are_read),
		cmocka_unit_test(names_find_the_global_one_first),
		cmocka_unit_test(an_address_is_known_before_symbols_are_read),
		cmocka_unit_test(thread_local_symbols_are_apart),
		cmocka_unit_test(copied_variables_are_objects_of_the_program),
		cmocka_unit_test(programs_for_i386_have_symbols),
		cmocka_unit_test(names_outside_the_string_table_are_no_symbols),
		cmocka_unit_test(section_numbers_may_be_beside_the_symbols),
		cmocka_unit_test(made_names_are_bounded_by_the_file),
		cmocka_unit_test(nesting_does_not_make_lookups_slow),
		cmocka_unit_test(symbols_are_the_same_one_by_one_and_all_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
