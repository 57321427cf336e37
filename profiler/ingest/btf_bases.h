/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF of kernels that several modules go on from, each read once: it may have to be unpacked from a boot
 * image. Private to the files behind a dso.
 */
#ifndef DTPROF_INGEST_BTF_BASES_H
#define DTPROF_INGEST_BTF_BASES_H

#include "dwarf/btf/btf.h"

struct btf_bases;

/* Owned by the caller: btf_bases_destroy(), after all that goes on from one of them is closed. */
struct btf_bases *btf_bases_create(void);
void btf_bases_destroy(struct btf_bases *bases);

/* What btf_open() gives for the path, which may also be a kernel's memory, if `symbols` (NULL: none) is the
 * file of its symbols (kcore.h); it stays theirs. For several threads at once. */
struct error *btf_bases_open(struct btf_bases *bases, const char *path, const char *symbols,
			     const struct btf **result);

#endif
