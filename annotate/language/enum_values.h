/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of an enum's discriminant, and the variants that they select (private to annotate/).
 */
#ifndef DTPROF_ANNOTATE_LANGUAGE_ENUM_VALUES_H
#define DTPROF_ANNOTATE_LANGUAGE_ENUM_VALUES_H

#include "annotate/language/variant_run.h"

/* A value that the discriminant may have. */
struct enum_case {
	const struct member *variant;
	struct cell discriminant;
};

struct enum_cases {
	struct enum_case items[VARIANTS_MAX];
	size_t count;
};

/* Reads the discriminant's place and the variants. False: there is none, or the debug information
 * has two variants without a value. */
bool enum_values_read(const struct type *type, struct enum_values *values);
/* Lists the values that the discriminant may have. */
void enum_cases_list(const struct enum_values *values, struct enum_cases *cases);
/* Adds the variant that this discriminant selects to `selected`; all of them, if it is not known.
 */
void enum_select(const struct enum_values *values, const struct cell *discriminant,
		 uint8_t *selected);

#endif
