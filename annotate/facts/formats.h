/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arguments that the format of printf() and its like asks for (C11 7.21.6.1). Private to
 * annotate/. */
#ifndef DTPROF_ANNOTATE_FACTS_FORMATS_H
#define DTPROF_ANNOTATE_FACTS_FORMATS_H

#include <stdbool.h>

enum print_format_kind {
	FORMAT_NUMBER,
	FORMAT_FLOAT, /* in no general register */
	FORMAT_TEXT,  /* a pointer to bytes */
	FORMAT_WORD,  /* a pointer, or a number that a pointer may have been cast to */
};

struct print_format {
	const char *rest;
	bool inside; /* of a conversion */
};

/* Finds the kind of the next argument. False: there is none, or it is not known. */
bool print_format_next(struct print_format *format, enum print_format_kind *kind);

#endif
