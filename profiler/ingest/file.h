/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of one file: mapped where it can be, spooled where it is a pipe. */
#ifndef DTPROF_INGEST_FILE_H
#define DTPROF_INGEST_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"
#include "profiler/ingest/spool.h"

struct perf_file {
	const uint8_t *data;
	size_t size;
	char *name;       /* for messages; "standard input" for "-" */
	int64_t modified; /* when it was last written, time(2); 0: a pipe, which does not tell */
	void *mapping;
	struct spool spool;
};

/*
 * "-" is standard input. Without `force` a file that belongs neither to this user nor to root is refused:
 * what it says decides which files are opened.
 */
struct error *perf_file_open(const char *path, bool force, struct perf_file *file);
/* A file of a folder that was recorded as one; only if it is an ordinary file. */
struct error *perf_file_open_inside(const char *folder, const char *name, bool force, struct perf_file *file);
void perf_file_open_memory(const void *data, size_t size, struct perf_file *file);
/* Also of one that is all zero. */
void perf_file_close(struct perf_file *file);

/* The bytes are not needed for now, and need not stay in memory. */
void perf_file_done_with(const struct perf_file *file);

#endif
