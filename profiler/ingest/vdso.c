// SPDX-License-Identifier: GPL-2.0-or-later
/* The code that this machine's kernel maps into each process: see vdso.h. */
#include "profiler/ingest/vdso.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"

/* Where it lies in this process; false: the kernel maps none. */
static bool vdso_range(FILE *maps, uintptr_t *start, uintptr_t *end)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	while (getline(&line, &size, maps) > 0)
		if (strstr(line, " [vdso]") && sscanf(line, "%" SCNxPTR "-%" SCNxPTR, start, end) == 2)
			return true;
	return false;
}

struct error *vdso_image_open(struct elf_image **result)
{
	uintptr_t start;
	uintptr_t end;
	FILE *maps = fopen("/proc/self/maps", "re");

	if (!maps)
		return error_errno(errno, "cannot open /proc/self/maps");
	bool found = vdso_range(maps, &start, &end);

	fclose(maps);
	if (!found || end <= start)
		return error_create(ERROR_NOT_FOUND, "this kernel has no [vdso]");
	return elf_image_open_memory((const void *)start, end - start, "[vdso]", result);
}
