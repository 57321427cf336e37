// SPDX-License-Identifier: GPL-2.0-or-later
/* Demangles any string. */
#include <stdint.h>
#include <stdlib.h>

#include "dwarf/elf/image.h"
#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *name = xstrndup((const char *)data, size);

	free(symbol_demangle(name));
	free(name);
	return 0;
}
