/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Languages of source code, as far as debug information tells them apart. All versions of a
 * language are one. */
#pragma once

#include "base/memory.h"

/* clang-format off */
#define LANGUAGES(X)                            \
	X(LANGUAGE_C, "C")                      \
	X(LANGUAGE_CXX, "C++")                  \
	X(LANGUAGE_RUST, "Rust")                \
	X(LANGUAGE_GO, "Go")                    \
	X(LANGUAGE_FORTRAN, "Fortran")          \
	X(LANGUAGE_ADA, "Ada")                  \
	X(LANGUAGE_PASCAL, "Pascal")            \
	X(LANGUAGE_D, "D")                      \
	X(LANGUAGE_SWIFT, "Swift")              \
	X(LANGUAGE_OCAML, "OCaml")              \
	X(LANGUAGE_HASKELL, "Haskell")          \
	X(LANGUAGE_CRYSTAL, "Crystal")          \
	X(LANGUAGE_ZIG, "Zig")                  \
	X(LANGUAGE_OBJECTIVE_C, "Objective-C")  \
	X(LANGUAGE_ALGOL_68, "Algol 68")        \
	X(LANGUAGE_COBOL, "COBOL")              \
	X(LANGUAGE_JULIA, "Julia")              \
	X(LANGUAGE_MODULA, "Modula")            \
	X(LANGUAGE_ASSEMBLER, "assembler")      \
	X(LANGUAGE_OTHER, "(another)")
/* clang-format on */

#define LANGUAGE_ENUMERATOR(language, name) language,

enum language { LANGUAGES(LANGUAGE_ENUMERATOR) LANGUAGE_COUNT };

/* Returns the name that reports print. It is never NULL. */
static inline const char *language_name(enum language language)
{
#define LANGUAGE_NAME(language, name) name,
	static const char *const names[] = { LANGUAGES(LANGUAGE_NAME) };
#undef LANGUAGE_NAME

	_Static_assert(COUNT_OF(names) == LANGUAGE_COUNT, "a name for each language");
	return names[language < LANGUAGE_COUNT ? language : LANGUAGE_OTHER];
}

/* True if layouts read sources in the language, or if it is not known. */
static inline bool language_is_read(enum language language)
{
	return language == LANGUAGE_C || language == LANGUAGE_CXX ||
	       language == LANGUAGE_OBJECTIVE_C || language == LANGUAGE_ASSEMBLER ||
	       language == LANGUAGE_OTHER;
}

/* True if capitals and small letters of type names are the same. Compilers write either. */
static inline bool language_ignores_case(enum language language)
{
	return language == LANGUAGE_FORTRAN || language == LANGUAGE_ADA ||
	       language == LANGUAGE_PASCAL || language == LANGUAGE_ALGOL_68 ||
	       language == LANGUAGE_COBOL;
}
