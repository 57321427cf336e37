/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a type's name is the one that somebody asked for. */
#ifndef DTPROF_REPORT_TYPE_MATCH_H
#define DTPROF_REPORT_TYPE_MATCH_H

#include <stdbool.h>

/*
 * `wanted` is a name as C, C++ and Rust write it, or a pattern as for the shell; with or without "struct" in
 * front, and of a qualified name any part up to its end: "list", "struct list", "app::list", "list<a::item>",
 * "list<*". A name without arguments means all instances of the template, and one without brackets arrays of
 * the type, too. Blanks do not matter, nor do the
 * spellings of integers ("unsigned long" is "long unsigned int").
 */
bool type_name_matches(const char *wanted, const char *name);

/* "struct list_head" without its first word. */
const char *type_name_without_keyword(const char *name);

#endif
