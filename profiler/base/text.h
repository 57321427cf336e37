/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions about strings that the C library does not answer in one call. */
#ifndef DTPROF_BASE_TEXT_H
#define DTPROF_BASE_TEXT_H

#include <stdbool.h>
#include <string.h>

static inline bool starts_with(const char *string, const char *prefix)
{
	return strncmp(string, prefix, strlen(prefix)) == 0;
}

static inline bool ends_with(const char *string, const char *suffix)
{
	size_t length = strlen(string), suffix_length = strlen(suffix);

	return length >= suffix_length && strcmp(string + length - suffix_length, suffix) == 0;
}

/* Returns the last part of a path, or the whole path if it ends in a slash. */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

#endif
