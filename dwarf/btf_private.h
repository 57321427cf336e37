/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of a struct btf; private to dwarf/. */
#ifndef DTPROF_DWARF_BTF_PRIVATE_H
#define DTPROF_DWARF_BTF_PRIVATE_H

#include "dwarf/btf.h"
#include "dwarf/btf_file.h"
#include "dwarf/btf_names.h"

struct btf {
	const struct btf *base;
	struct btf_file *file;
	struct btf_names names;
	char *path;
	void *storage;           /* the bytes, if they were read from a file that is no ELF file; or NULL */
	struct elf_image *image; /* that was opened for its section, or NULL */
};

/* As btf_names_find(); if there is none, those of the base. */
size_t btf_find(const struct btf *btf, const char *name, uint32_t kinds, uint32_t ids[BTF_NAMESAKES]);

#endif
