// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads any bytes as a core file, and the memory that it has. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "profiler/commands/print_memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* No range has more bytes than the file. */
static void read_ranges(const struct process_memory *memory, size_t size)
{
	uint8_t bytes[512];

	for (size_t i = 0; i < memory->count; i++) {
		const struct memory_range *range = &memory->ranges[i];
		const struct memory_range *file = process_memory_file_at(memory, range->start);

		if ((file && !file->path) || (i && range[-1].start > range->start) ||
		    process_memory_read(memory, range->start, bytes, sizeof(bytes)) > size * 64)
			abort();
		(void)process_memory_read(memory, range->end - 1, bytes, sizeof(bytes));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct process_memory memory = { .file = -1 };
	int file = memfd_create("core", MFD_CLOEXEC);
	_cleanup_free_ char *path = xasprintf(OPEN_FILE_FOLDER "%d", file);
	struct error *error;

	if (file < 0 || write(file, data, size) != (ssize_t)size)
		abort();
	error = process_memory_open_core(path, &memory);
	if (!error)
		read_ranges(&memory, size);
	error_destroy(error);
	process_memory_close(&memory);
	close(file);
	return 0;
}
