// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads any bytes as an ELF image, and makes all queries, at all addresses that the file names. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/elf/image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define STEPS 1024 /* addresses that are tried in one section */

static void ask_at(const struct elf_image *image, uint64_t address)
{
	struct elf_relocation relocation;
	struct elf_section section;
	uint8_t buffer[16];
	size_t available = 0;
	uint64_t target;
	const char *name;
	const uint8_t *bytes = elf_image_bytes(image, address, &available);
	volatile uint8_t last;

	if (bytes && available)
		last = bytes[available - 1];
	(void)last;
	elf_image_read(image, address, buffer, sizeof(buffer), false);
	elf_image_read(image, address, buffer, 8, true);
	elf_image_section_at(image, address, &section);
	elf_image_offset_to_address(image, address, &target);
	elf_image_slot(image, address, &name, &target);
	elf_image_tls_slot(image, address, &target, &name);
	elf_image_relocation_at(image, address, &relocation);
	elf_image_function_at(image, address);
	elf_image_object_at(image, address);
	elf_image_plt_import(image, address);
}

static void ask_section(const struct elf_image *image, const char *name)
{
	struct elf_section section;

	if (!elf_image_section_named(image, name, &section))
		return;
	for (uint64_t i = 0; i < STEPS && 8 * i < section.size; i++)
		ask_at(image, section.address + 8 * i);
	ask_at(image, section.address + section.size - 1);
}

static void ask_symbols(const struct elf_image *image, const struct symbol *symbols, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct symbol *symbol = &symbols[i];
		const struct symbol *named = elf_image_symbol_named(image, symbol->name);

		if (!named || strcmp(named->name, symbol->name) != 0)
			abort();
		if (symbol->size > UINT64_MAX - symbol->address)
			abort();
		if (i && symbol->address < symbols[i - 1].address)
			abort();
		ask_at(image, symbol->address);
		ask_at(image, symbol->address + symbol->size);
	}
}

/* Asks about addresses before symbols are read, and after. */
static void ask_address(const struct elf_image *image)
{
	uint64_t address = 0;
	bool found = elf_image_symbol_address(image, "main", &address);
	const struct symbol *named = elf_image_symbol_named(image, "main");

	if (named && (!found || named->address != address))
		abort();
}

static void find_files(const struct elf_image *image)
{
	const char *const nowhere[] = { NULL };
	char *path;

	error_destroy(elf_image_find_debug_file(image, nowhere, &path));
	free(path);
	error_destroy(elf_image_find_alt_file(image, nowhere, &path));
	free(path);
}

/* The embedded image has the same symbols, and more. */
static void ask_embedded(const struct elf_image *image)
{
	struct elf_image *embedded;
	struct error *error = elf_image_open_embedded(image, &embedded);
	size_t count;

	if (error && embedded)
		abort();
	error_destroy(error);
	if (!embedded)
		return;
	const struct symbol *symbols = elf_image_symbols(embedded, &count);

	ask_symbols(embedded, symbols, count);
	elf_image_close(embedded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const sections[] = { ".text",   ".plt",     ".plt.got",     ".plt.sec",
						".got",    ".got.plt", ".data",        ".bss",
						".rodata", ".tbss",    ".data.rel.ro", "" };
	struct build_id build_id;
	struct elf_image *image;
	struct error *error;
	uint64_t tls_size, alignment;
	size_t count;

	build_id_from_notes(data, size, &build_id);
	error = elf_image_open_memory(data, size, "fuzz", &image);
	if (error) {
		error_destroy(error);
		return 0;
	}
	elf_image_build_id(image);
	elf_image_has_debug_info(image);
	elf_image_tls_segment(image, &tls_size, &alignment);
	ask_address(image);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		ask_section(image, sections[i]);
	const struct symbol *symbols = elf_image_symbols(image, &count);

	ask_symbols(image, symbols, count);
	symbols = elf_image_tls_symbols(image, &count);
	ask_symbols(image, symbols, count);
	ask_at(image, 0);
	ask_at(image, UINT64_MAX);
	find_files(image);
	ask_embedded(image);
	elf_image_close(image);
	return 0;
}
