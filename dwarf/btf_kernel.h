/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Global variables of the Linux kernel whose types its BTF does not tell (pahole writes per-cpu variables
 * alone unless it is asked for all), but its headers do. Private to dwarf/.
 */
#ifndef DTPROF_DWARF_BTF_KERNEL_H
#define DTPROF_DWARF_BTF_KERNEL_H

/* What the headers declare a variable of this name as, in C, with gcc's names of integers; an array ends with
 * "[]", and its length is the variable's. NULL: not known. */
const char *btf_kernel_type(const char *name);

#endif
