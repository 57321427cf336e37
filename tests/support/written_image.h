/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens the file that an elf_writer made, for tests. */
#ifndef DTPROF_TESTS_WRITTEN_IMAGE_H
#define DTPROF_TESTS_WRITTEN_IMAGE_H

#include "dwarf/elf/image.h"
#include "tests/support/elf_writer.h"

struct written_image {
	uint8_t *bytes;
	size_t size;
	struct elf_image *image;
};

/* Finishes `writer` and opens its file. Fails the running test if the image cannot be opened. */
struct written_image written_image_open(struct elf_writer *writer);
void written_image_close(struct written_image *written);

#endif
