// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads any bytes as .dtprof.exact and .dtprof.exact.paths; the first two bytes are the size of the
 * former. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/exact/exact.h"
#include "annotate/exact/names.h"
#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define ASKED_MAX 4096 /* addresses, so that one input takes little time */

static void add_section(struct elf_composition *file, const char *name, const uint8_t *bytes,
			size_t size)
{
	Elf64_Shdr section = { .sh_type = SHT_PROGBITS, .sh_size = size, .sh_addralign = 1 };
	size_t at = elf_composition_add(file, name, &section);

	if (size)
		memcpy(file->data + at, bytes, size);
}

static void ask(const struct exact *exact)
{
	struct exact_reader reader;
	struct exact_path path;
	size_t count;

	exact_reader_init(&reader, exact, NULL);
	for (uint64_t end = 0; end < ASKED_MAX; end++) {
		struct access access = { .kind = ACCESS_UNKNOWN, .size = 8, .read = true };
		const struct exact_operand *operands = exact_operands(&reader, end, &count);

		for (size_t i = 0; i < count; i++)
			if (exact_path_parse(operands[i].path, &path) &&
			    path.type + path.type_length >= path.members)
				abort();
		if (exact_apply(&reader, end, &access))
			abort(); /* there are no types */
	}
	exact_reader_deinit(&reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct elf_composition file = { 0 };
	struct elf_image *image;
	size_t first;

	if (size < 2)
		return 0;
	first = (size_t)data[0] | (size_t)data[1] << 8;
	first = first < size - 2 ? first : size - 2;
	add_section(&file, EXACT_SECTION, data + 2, first);
	add_section(&file, EXACT_PATHS, data + 2 + first, size - 2 - first);
	elf_composition_finish(&file, ET_DYN, EM_X86_64);
	struct error *error = elf_image_open_memory(file.data, file.size, "input", &image);

	if (!error) {
		struct exact *exact = exact_open(image);

		if (exact)
			ask(exact);
		exact_close(exact);
		elf_image_close(image);
	}
	error_destroy(error);
	free(file.data);
	return 0;
}
