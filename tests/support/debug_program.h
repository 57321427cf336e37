/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small program that is compiled while the test runs, and a reader of its debug information. A
 * test asserts what the source says (names, offsets, kinds), never addresses.
 */
#pragma once

#include <stdbool.h>

#include "dwarf/debug.h"

struct debug_program {
	char *folder;
	char *path;
	struct elf_image *image;
	struct debug_object *object;
	struct debug_reader *reader;
};

struct debug_source {
	const char *name; /* "a.c" */
	const char *text; /* NULL: the text of the file of this name in tests/dwarf/sources/ */
};

/*
 * Compiles the sources, up to one without a name, together: COMPILER FLAGS -o prog NAMES. Returns
 * false if there is no such compiler, nor a program that it made (kept.h), or if it cannot compile
 * an empty file with these flags. Fails the running test if the sources do not compile.
 */
bool debug_program_build(struct debug_program *program, const char *compiler, const char *flags,
			 const struct debug_source *sources);
/* The same, but runs a shell command in the program's folder before it opens the program. Returns
 * false if the command fails, too. */
bool debug_program_build_with(struct debug_program *program, const char *compiler,
			      const char *flags, const struct debug_source *sources,
			      const char *command);
void debug_program_close(struct debug_program *program);

/* The compiler, its flags, and a command as above or NULL. */
typedef const char *debug_form[3];
/* Builds the sources in each form that the compilers here know, prints which, and calls `check`
 * with the program. Skips the running test if there is no such form. */
void debug_program_each_form(const debug_form *forms, size_t count,
			     const struct debug_source *sources,
			     void (*check)(struct debug_program *program));

/* Returns the function of this name; fails the running test if there is none. */
struct function *debug_program_function(struct debug_program *program, const char *name);
/* Returns the first type of this name. */
const struct type *debug_program_type(struct debug_program *program, const char *name);
/* Returns the variable of this name, or NULL. */
const struct variable *function_variable(const struct function *function, const char *name);
/* Returns the member of this name, or NULL. */
const struct member *type_member(const struct type *type, const char *name);

/* Return type_name() and type_declaration(). The text is valid until the fourth call after this
 * one. */
const char *name_of(const struct type *type);
const char *declaration_of(const struct type *type);
