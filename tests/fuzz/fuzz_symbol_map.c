// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads any text as the map of a just-in-time compiler and as the symbols of a kernel or module.
 * The first byte of the input chooses. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/objects/symbol_map.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[] = "/tmp/dtprof-fuzz-XXXXXX";
static int file = -1;

static void remove_file(void)
{
	unlink(path);
}

/* Writes the bytes to the file at the path. */
static void write_input(const uint8_t *data, size_t size)
{
	if (file < 0) {
		file = mkstemp(path);
		if (file < 0)
			abort();
		atexit(remove_file);
	}
	if (ftruncate(file, 0) || pwrite(file, data, size, 0) != (ssize_t)size)
		abort();
}

/* Symbols are sorted, have names, and are found at their own addresses. */
static void check(const struct symbol_map *map)
{
	for (size_t i = 0; i < map->count; i++) {
		const struct symbol *symbol = &map->symbols[i];

		if (!symbol->name || (i && symbol[-1].address > symbol->address))
			abort();
		(void)symbol_map_find(map, symbol->address);
		(void)symbol_map_find(map, symbol->address + symbol->size);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct symbol_map map = { 0 };
	struct error *error;

	if (!size)
		return 0;

	uint8_t choice = data[0];
	const struct kallsyms_place place = {
		.module = choice & 2 ? "m" : NULL,
		.reference_symbol = choice & 4 ? "_text" : NULL,
		.reference_address = 0xffffffff81000000,
		.kernel_end = choice & 8 ? 0xffffffff82000000 : 0,
		.load_address = choice & 2 ? 0xffffffffc0000000 : 0xffffffff81000000,
		.end = choice & 2 ? 0x10000 : 0xffffffff82000000,
		.with_data = choice & 16,
	};

	write_input(data + 1, size - 1);
	error = choice & 1 ? jit_map_read(path, true, &map) : kallsyms_read(path, &place, &map);
	if (!error)
		check(&map);
	error_destroy(error);
	symbol_map_deinit(&map);
	return 0;
}
