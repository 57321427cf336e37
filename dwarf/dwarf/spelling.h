/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The names of templates as compilers write them: "Two<One<long int>, One<char*> >" is gcc's,
 * and "Two<One<long>, One<char *>>" is clang's. */
#ifndef DTPROF_DWARF_DWARF_SPELLING_H
#define DTPROF_DWARF_DWARF_SPELLING_H

#include "base/strbuf.h"

enum name_spelling { SPELLING_GCC, SPELLING_CLANG, SPELLINGS };

/* Appends the name with blanks and integer types as the compiler writes them. */
void spelling_add(const char *name, enum name_spelling spelling, struct strbuf *text);

#endif
