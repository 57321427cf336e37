/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files whose paths come from a perf.data file or from debug information.
 *
 * Such a path may name anything. Opening a device may have side effects and opening a FIFO blocks,
 * so only regular files are opened.
 */
#ifndef DTPROF_BASE_ORDINARY_FILE_H
#define DTPROF_BASE_ORDINARY_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "profiler/base/error.h"

/*
 * Opens `path` for reading and sets *status to the file's. Returns ERROR_FORMAT if it is not a
 * regular file. The caller closes *fd, which is -1 after an error.
 */
struct error *ordinary_file_open(const char *path, int *fd, struct stat *status);
/* Returns whether `path` is a regular file at the moment. */
bool ordinary_file_exists(const char *path);

#endif
