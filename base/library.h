/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The libraries of the program, and those that are loaded when they are needed. */
#pragma once

/* Ends the program with a message, as the dynamic linker does if a library is missing at the start.
 * Implemented in memory.c. */
void end_without_library(const char *message) __attribute__((noreturn));

/* Gives back the memory of the relocations of all libraries, which only the loader reads. Call it
 * when one with many was loaded. */
void libraries_drop_relocations(void);
