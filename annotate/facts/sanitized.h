/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code that AddressSanitizer has instrumented: see sanitized.c. */
#ifndef DTPROF_ANNOTATE_FACTS_SANITIZED_H
#define DTPROF_ANNOTATE_FACTS_SANITIZED_H

#include <stdbool.h>
#include <stdint.h>

struct arch;
struct solver;
struct value;

/* Adds to the facts the places of the variables that the function keeps in a frame of the
 * sanitizer. Must follow facts_build(). */
void sanitizer_find_places(struct solver *solver);
/* True if the function of this name allocates a copy of such a frame, or returns NULL. */
bool sanitizer_makes_frame(const char *callee);
/* True for the address of shadow memory. */
bool sanitizer_is_shadow(const struct arch *arch, const struct value *address);
/* True for the address of a variable of the sanitizer's own. */
bool sanitizer_is_variable(const struct solver *solver, uint64_t address);

#endif
