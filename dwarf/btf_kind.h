/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kinds of BTF by their numbers (Documentation/bpf/btf.rst): linux/btf.h of older systems lacks the newer
 * ones. */
#ifndef DTPROF_DWARF_BTF_KIND_H
#define DTPROF_DWARF_BTF_KIND_H

enum {
	KIND_FLOAT = 16,
	KIND_DECL_TAG = 17,
	KIND_TYPE_TAG = 18,
	KIND_ENUM64 = 19,
};

#endif
