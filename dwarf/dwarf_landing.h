/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where an exception that comes out of a call goes: the call-site table of the language-specific data area
 * that an FDE refers to (.gcc_except_table; C++ and Rust have the same form).
 */
#ifndef DTPROF_DWARF_DWARF_LANDING_H
#define DTPROF_DWARF_DWARF_LANDING_H

#include "dwarf/dwarf_frame.h"
#include "dwarf/elf/image.h"
#include "dwarf/function.h"

struct landing_pads {
	struct landing_pad *items;
	size_t count;
	size_t capacity;
};

/* Append those of the function part that `entry` is of. What is damaged has none from there on. */
void landing_pads_read(const struct elf_image *image, const struct frame_entry *entry,
		       struct landing_pads *pads);

#endif
