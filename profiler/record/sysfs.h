/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small text files of the kernel under /sys and /proc.
 *
 * All paths are taken below a root: "" on the real machine, a folder with a copied tree in tests. A
 * missing file is not an error but an answer (NULL, false, an empty list), since machines differ in
 * what they have.
 */
#ifndef DTPROF_RECORD_SYSFS_H
#define DTPROF_RECORD_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Returns the content of ROOT/PATH, at most 1 MB, without trailing newlines, to be freed; NULL if
 * it cannot be read.
 */
char *sysfs_read(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reads a decimal or 0x number. Returns false, and leaves *result alone, if there is none. */
bool sysfs_read_number(int64_t *result, const char *root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool sysfs_exists(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A list of strings, which it owns. A zero-initialized list is empty. */
struct name_list {
	char **names;
	size_t count;
	size_t capacity;
};

/*
 * Returns the sorted entries of a folder, without those that begin with a dot; empty if it cannot
 * be read.
 */
struct name_list sysfs_list(const char *root, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Adds a copy of the name. */
void name_list_add(struct name_list *list, const char *name);
/* Adds a copy of the name, unless the list has it. */
void name_list_add_once(struct name_list *list, const char *name);
bool name_list_has(const struct name_list *list, const char *name);
void name_list_deinit(struct name_list *list);

#define _cleanup_names_ __attribute__((cleanup(name_list_deinit)))

/* Returns the name that may have been meant by `wanted` (base/words.h), or NULL. */
const char *nearest_name(const char *wanted, const struct name_list *names);

#endif
