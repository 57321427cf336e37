/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the machine says of itself in small text files under /sys and /proc.
 *
 * All paths are taken below a root: "" on the real machine, a directory with a copied tree in tests. A file
 * that is not there is an answer (NULL), not an error: what a machine lacks is how machines are told apart.
 */
#ifndef DTPROF_RECORD_SYSFS_H
#define DTPROF_RECORD_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The whole file ROOT/PATH (at most 1 MB) without trailing newlines, to be freed; NULL: cannot be read. */
char *sysfs_read(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A decimal or 0x number in a file. */
bool sysfs_read_number(int64_t *result, const char *root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool sysfs_exists(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct name_list {
	char **names;
	size_t count;
	size_t capacity;
};

/* The entries of a directory, sorted, without those that begin with a dot; empty if it cannot be read. */
struct name_list sysfs_list(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));
void name_list_add(struct name_list *list, const char *name);
void name_list_release(struct name_list *list);

#define _cleanup_names_ __attribute__((cleanup(name_list_release)))

/* The name of `names` that may have been meant (base/nearest.h), or NULL. */
const char *nearest_name(const char *wanted, const struct name_list *names);

#endif
