/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Programs of compilers that few machines have, which are kept in tests/kept: that folder's
 * programs.txt lists them, and its build.sh makes them. Tests compile afresh where the compiler is.
 * A kept program has code, types and symbols; it cannot be run.
 */
#pragma once

#include <stdbool.h>

/* Unpacks what `command` ("rustc -g -O") made of a source into the file `path`. Returns false if
 * no such program is kept. */
bool kept_program(const char *source, const char *command, const char *path);
