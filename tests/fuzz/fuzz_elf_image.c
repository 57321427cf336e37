// SPDX-License-Identifier: GPL-2.0-or-later
/* An ELF file from anywhere: sections, symbols, imports and relocations, each asked for around what the file
 * names. */
#include <stdint.h>
#include <stdlib.h>

#include "dwarf/elf_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void ask(const struct elf_image *image, uint64_t address)
{
	struct elf_section section;
	uint64_t value;
	const char *name;
	size_t available;
	uint8_t buffer[16];
	const uint8_t *bytes = elf_image_bytes(image, address, &available);
	volatile uint8_t sink = 0;

	/* all that it says is there must be readable */
	if (bytes && available)
		sink = (uint8_t)(bytes[0] + bytes[available - 1]);
	(void)sink;
	(void)elf_image_read(image, address, buffer, sizeof(buffer), true);
	(void)elf_image_section_at(image, address, &section);
	(void)elf_image_function_at(image, address);
	(void)elf_image_object_at(image, address);
	(void)elf_image_plt_import(image, address);
	(void)elf_image_slot(image, address, &name, &value);
	(void)elf_image_tls_slot(image, address, &value, &name);
	(void)elf_image_offset_to_address(image, address, &value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_image *image;
	struct error *error = elf_image_open_memory(data, size, "input", &image);
	uint64_t tls_size, alignment;
	size_t count;

	if (error) {
		error_free(error);
		return 0;
	}

	const struct symbol *symbols = elf_image_symbols(image, &count);

	for (size_t i = 0; i < count && i < 256; i++) {
		ask(image, symbols[i].address);
		ask(image, symbols[i].address + symbols[i].size);
		(void)elf_image_symbol_named(image, symbols[i].name);
	}
	ask(image, 0);
	ask(image, UINT64_MAX);
	(void)elf_image_build_id(image);
	(void)elf_image_has_debug_info(image);
	(void)elf_image_tls_segment(image, &tls_size, &alignment);
	elf_image_close(image);
	return 0;
}
