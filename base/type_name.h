/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of types as users write them. */
#pragma once

#include "base/strbuf.h"

/*
 * Returns whether a user who asks for `wanted` means the type `name`.
 *
 * `wanted` is a name as in C, C++ or Rust, or a shell pattern: "list", "struct list", "app::list",
 * "list<a::item>", "list<*", or as in Ada, Go, Nim or Pascal, whose compilers may have changed it
 * ("Pkg.Node" is "pkg__node"). It may omit "struct" and leading parts of a qualified name. Without
 * template arguments it matches all instances of the template; without brackets it also matches
 * arrays of the type. "struct" alone matches all structs without a name, such as
 * "struct {hits, misses}". Spaces and the spelling of integer types are ignored ("unsigned long" is
 * "long unsigned int"), and so is the place of "const" ("list<const char *>").
 */
bool type_name_matches(const char *wanted, const char *name);

/* The text of a user who asks for types, prepared for being compared with many names. */
struct meant_type {
	const char *text; /* as it was given; not owned */
	bool wild;        /* a shell pattern */
	bool plain;       /* a word of small letters */
	bool strange;     /* no shell pattern, and no such words, whatever keyword is before it */
	struct strbuf normal;
};

void meant_type_init(struct meant_type *pattern, const char *wanted);
void meant_type_deinit(struct meant_type *pattern);
/* Returns what type_name_matches() returns for the text of the pattern. */
bool meant_type_matches(const struct meant_type *pattern, const char *name);

/* Returns the type `name` without template arguments at its end, if its last part is the same as
 * that of `wanted` but for case, underscores and template arguments ("item" and "app::Item<int>");
 * else NULL. The caller frees it. */
char *type_name_resembling(const char *wanted, const char *name);

/* Returns how many letters, digits and underscores `text` begins with. */
size_t type_name_word_length(const char *text);

/* Appends the integer type that begins at `text` in one spelling: "unsigned long", as clang writes
 * it, or gcc's "long unsigned int". Returns the text after it, or NULL if none begins there. */
const char *type_name_take_integer(const char *text, bool as_gcc, struct strbuf *buffer);

/* Returns the part of a name after the last "::", or '.' of Go, outside of brackets: the name in
 * the scope that declares it. */
const char *type_name_last_part(const char *name);

/* Returns `name` without a leading "struct ", "union ", "enum " or "class ". */
const char *type_name_without_keyword(const char *name);
