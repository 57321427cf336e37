/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole files, a scratch folder, and the real recordings beside the project. The running cmocka
 * test fails if a file cannot be read or written. */
#ifndef DTPROF_TESTS_FILES_H
#define DTPROF_TESTS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* To be freed by the caller. */
uint8_t *file_read(const char *path, size_t *size);
void file_write(const char *path, const void *bytes, size_t size);
void file_copy(const char *from, const char *to);

/* Fails the running test, and prints the text, if it is not that of the file. With UPDATE_GOLDEN in
 * the environment, writes the file instead. */
void assert_golden(const char *path, const char *text);

/* A name that perf takes for the map of a just-in-time compiler, of no process that there can be:
 * one for each number below 8 and running test. To be freed, and the file removed, by the caller.
 */
char *jit_map_path(unsigned int number);

/* Real perf.data files, those that fuzzers made, and perf's tables of the first. */
#define PERFDATA "../shared/perfdata"

/* For each NAME.data in the folder, by name; `name` has no ".data". False, and that is said, where
 * there is no such folder. */
bool each_data_file(const char *folder, void (*visit)(const char *name, void *data), void *data);

/* One scratch folder for all tests of a program. It is made when it is first asked for. */
const char *scratch_folder(void);
/* Returns the path of `name` in it, valid until the folder is removed. */
const char *scratch_file(const char *name);
/* For cmocka's group: removes the folder with all in it. */
int scratch_tear_down(void **state);

#endif
