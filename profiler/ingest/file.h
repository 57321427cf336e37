/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of a file: mapped where that is possible, spooled where it is a pipe. */
#ifndef DTPROF_INGEST_FILE_H
#define DTPROF_INGEST_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"

/* ---- spools ---- */

/*
 * Bytes that come one after the other and are wanted as one piece: what a pipe gives, what compressed records
 * hold.
 *
 * Small ones stay in memory; larger ones go to a file in $TMPDIR that has no name, so that memory does not
 * grow with them and nothing is left behind.
 */

struct spool {
	uint8_t *buffer; /* what is not in the file yet; all of it, as long as there is no file */
	size_t used;
	size_t capacity;
	int fd; /* -1: none yet */
	uint64_t written;
	void *mapping; /* after spool_finish() */
	size_t mapped;
};

#define SPOOL_INIT                                                                                           \
	{                                                                                                    \
		.fd = -1                                                                                     \
	}

struct error *spool_add(struct spool *spool, const void *data, size_t size)
	__attribute__((warn_unused_result));
static inline uint64_t spool_size(const struct spool *spool)
{
	return spool->written + spool->used;
}
/* No more to come. *data belongs to the spool; never NULL. */
struct error *spool_finish(struct spool *spool, const uint8_t **data, size_t *size)
	__attribute__((warn_unused_result));
void spool_deinit(struct spool *spool);

/* ---- files ---- */

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
