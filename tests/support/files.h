/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files, a scratch folder, and the real recordings beside the project. The running cmocka
 * test fails if a file cannot be read or written. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Returns the contents, which the caller frees. */
uint8_t *file_read(const char *path, size_t *size);
void file_write(const char *path, const void *bytes, size_t size);
void file_copy(const char *from, const char *to);

/* Fails the running test, and prints the text, if it is not the text of the file. With
 * UPDATE_GOLDEN in the environment, writes the file instead. */
void assert_golden(const char *path, const char *text);

/* Returns a path that perf takes for the map of a just-in-time compiler, with the id of a process
 * that cannot exist: another one for each number below 8 and for each running test. The caller
 * frees the path and removes the file. */
char *jit_map_path(unsigned int number);

/* Real perf.data files and perf's tables of them, and perf.data files that fuzzers made. */
#define PERFDATA "../shared/perfdata"

/* Calls `visit` for each NAME.data in the folder, in the order of names; `name` is without ".data".
 * Skips the running test if there is no such folder. */
void each_data_file(const char *folder, void (*visit)(const char *name, void *data), void *data);

/* Returns the scratch folder of the test program, which the first call makes. */
const char *scratch_folder(void);
/* Returns the path of `name` in it, which is valid until the folder is removed. */
const char *scratch_file(const char *name);
/* The tear-down of a cmocka group: removes the folder with its contents. */
int scratch_tear_down(void **state);
