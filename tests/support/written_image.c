// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/written_image.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

struct written_image written_image_open(struct elf_writer *writer)
{
	struct written_image written = { 0 };
	struct error *error;

	written.bytes = elf_writer_finish(writer, &written.size);
	error = elf_image_open_memory(written.bytes, written.size, "written", &written.image);
	if (error)
		fail_msg("%s", error->message);
	return written;
}

void written_image_close(struct written_image *written)
{
	elf_image_close(written->image);
	free(written->bytes);
}
