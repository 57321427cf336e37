/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of C++ and Rust functions as their authors wrote them. */
#ifndef DTPROF_DWARF_DEMANGLE_H
#define DTPROF_DWARF_DEMANGLE_H

/*
 * `name` as a reader knows it, as perf shows it: without parameters and return type in C++, without the hash
 * in Rust (both its manglings). Of a PLT stub ("...@plt") the name before the suffix. To be freed by the
 * caller; NULL where it is not mangled, or stands for more text than anybody reads. Thread-safe.
 */
char *demangle(const char *name);

#endif
