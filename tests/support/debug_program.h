/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A small program, compiled while the test runs, and a reader of its debug information: so
 * that a test states source, and asserts what the source says (names, offsets, kinds), never
 * addresses.
 */
#ifndef DTPROF_TESTS_DEBUG_PROGRAM_H
#define DTPROF_TESTS_DEBUG_PROGRAM_H

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
	const char *text; /* NULL: that of the file of this name in tests/dwarf/sources/ */
};

/*
 * `sources` ends in one without a name; they are compiled together: COMPILER FLAGS -o prog NAMES.
 * False: there is no such compiler, or it does not know these flags (which is found out by
 * compiling nothing with them). Fails the running test if the sources do not compile.
 */
bool debug_program_build(struct debug_program *program, const char *compiler, const char *flags,
			 const struct debug_source *sources);
/* Then a shell command in the program's folder, and only then it is opened. False: the command
 * fails. */
bool debug_program_build_with(struct debug_program *program, const char *compiler,
			      const char *flags, const struct debug_source *sources,
			      const char *command);
void debug_program_close(struct debug_program *program);

/* Compiler, flags, and a command as above or NULL. */
typedef const char *debug_form[3];
/* Build the sources in each form that can be had here, say which, and check the program. Skips the
 * running test where there is none. */
void debug_program_each_form(const debug_form *forms, size_t count,
			     const struct debug_source *sources,
			     void (*check)(struct debug_program *program));

/* The test fails where there is none. */
struct function *debug_program_function(struct debug_program *program, const char *name);
/* The first type of that name. */
const struct type *debug_program_type(struct debug_program *program, const char *name);
/* NULL: the function has no variable of that name. */
const struct variable *function_variable(const struct function *function, const char *name);
/* NULL: the record has no member of that name. */
const struct member *type_member(const struct type *type, const char *name);

/* type_name() and type_declaration(), valid until the fourth call after. */
const char *name_of(const struct type *type);
const char *declaration_of(const struct type *type);

#endif
