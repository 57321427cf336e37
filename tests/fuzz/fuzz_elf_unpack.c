// SPDX-License-Identifier: GPL-2.0-or-later
/* Unpacks any bytes as a boot image, as a compressed module, and as a compressed section. */
#include <stdint.h>
#include <stdlib.h>

#include "dwarf/elf/image_private.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t check(struct error *error, uint8_t *unpacked, size_t unpacked_size)
{
	uint8_t sum = 0;

	if (error && unpacked)
		abort();
	/* all of it is there */
	for (size_t i = 0; unpacked && i < unpacked_size; i += 64)
		sum ^= unpacked[i];
	free(unpacked);
	error_destroy(error);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *unpacked = NULL;
	size_t unpacked_size = 0;
	struct error *error = elf_unpack(data, size, "fuzz", &unpacked, &unpacked_size);
	uint8_t sum = check(error, unpacked, unpacked_size);

	error = elf_unpack_section(data, size, "fuzz", &unpacked, &unpacked_size);
	sum ^= check(error, unpacked, unpacked_size);
	return sum & 0; /* the sum is always 0; it is computed so that the bytes are read */
}
