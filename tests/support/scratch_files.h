/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One scratch folder for all tests of a program. */
#ifndef DTPROF_TESTS_SCRATCH_FILES_H
#define DTPROF_TESTS_SCRATCH_FILES_H

/* It is made when it is first asked for. */
const char *scratch_folder(void);
/* The path of NAME in it. */
const char *scratch_file(const char *name);
/* For cmocka's group: removes the folder with all in it; paths of it are not valid any more. */
int scratch_tear_down(void **state);

#endif
