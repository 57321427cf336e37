/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings that a test or a fuzz target has in memory. */
#pragma once

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/files.h"
#include "profiler/ingest/session.h"

/* Opens a file of these bytes, as session_open() does. */
static inline struct error *session_open_memory(const void *data, size_t size,
						const struct session_options *options,
						struct session **result)
{
	int fd = memfd_create("memory", MFD_CLOEXEC);
	struct error *error;
	char path[40];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	error = fd < 0 || file_write_all(fd, data, size, -1)
			? error_other("no memory for a recording")
			: session_open(path, options, result);
	if (fd >= 0)
		close(fd);
	return error;
}
