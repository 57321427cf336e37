/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files whose paths come from other files: from a perf.data file, or from debug information. Whoever wrote
 * those may have named anything; to open a device can already do something, to open a FIFO waits for its
 * writer.
 */
#ifndef DTPROF_BASE_ORDINARY_FILE_H
#define DTPROF_BASE_ORDINARY_FILE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "profiler/base/error.h"

/*
 * For reading, if it is an ordinary file; what is none is not opened, and ERROR_FORMAT. *fd is the caller's
 * to close, -1 with an error; *status is the file's.
 */
struct error *ordinary_file_open(const char *path, int *fd, struct stat *status);
/* Whether there is one, now. */
bool ordinary_file_exists(const char *path);

#endif
