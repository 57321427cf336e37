/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_alt.h"

#include <pthread.h>

#include "dwarf/elf_image.h"

struct dwarf_file *dwarf_file_alt(struct dwarf_file *file)
{
	return __atomic_load_n(&file->alt, __ATOMIC_ACQUIRE);
}
