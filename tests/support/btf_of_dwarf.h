/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes BTF from an object's DWARF, as pahole does for kernels: the prototypes of its functions,
 * its per-cpu variables, and all types that these need; no other variables.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "dwarf/debug.h"

/* Returns the BTF, to be freed by the caller. Functions named in left_out[] get no prototype. */
uint8_t *btf_of_dwarf(const struct elf_image *image, struct debug_object *object,
		      char *const *left_out, size_t left_out_count, size_t *size);
