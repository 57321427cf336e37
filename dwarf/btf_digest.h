/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a module's .BTF.base stands for in the BTF of the kernel that runs. Private to dwarf/. */
#ifndef DTPROF_DWARF_BTF_DIGEST_H
#define DTPROF_DWARF_BTF_DIGEST_H

#include "dwarf/btf_file.h"

/*
 * For each id of the digest the base's type of the same name, kind and (where the digest gives one) size;
 * BTF_NOWHERE where there is none, or several. An array of btf_file_end(digest) ids, to be freed by the
 * caller.
 */
uint32_t *btf_digest_resolve(const struct btf_file *digest, const struct btf_file *base);

#endif
