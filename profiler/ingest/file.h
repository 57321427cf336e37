/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of a file: mapped if possible, spooled if it is a pipe. */
#ifndef DTPROF_INGEST_FILE_H
#define DTPROF_INGEST_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"

/* ---- spools ---- */

/*
 * Collects bytes that come in parts: those of a pipe, or the contents of compressed records.
 *
 * A small amount stays in memory. A larger one goes to an unnamed file in $TMPDIR, so memory does
 * not grow with it and nothing is left behind.
 */
struct spool {
	uint8_t *buffer; /* the bytes that are not in the file yet */
	size_t used;
	size_t capacity;
	int fd;           /* -1: no file yet */
	uint64_t written; /* bytes in the file */
	void *mapping;    /* of the file, after spool_finish() */
	size_t mapped;    /* its bytes */
};

#define SPOOL_INIT                                                                                 \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* Copies the bytes into the spool. */
struct error *spool_add(struct spool *spool, const void *data, size_t size)
	__attribute__((warn_unused_result));
/* Returns the number of bytes added so far. */
static inline uint64_t spool_size(const struct spool *spool)
{
	return spool->written + spool->used;
}
/*
 * Sets *data to all bytes, which belong to the spool. *data is never NULL. Call it once, at the
 * end.
 */
struct error *spool_finish(struct spool *spool, const uint8_t **data, size_t *size)
	__attribute__((warn_unused_result));
void spool_deinit(struct spool *spool);

/* ---- files ---- */

struct perf_file {
	const uint8_t *data;
	size_t size;
	char *name;       /* for messages; "standard input" for "-" */
	int64_t modified; /* time of the last change (time(2)); 0: a pipe */
	void *mapping;    /* NULL: the bytes are in the spool, or not owned */
	struct spool spool;
};

/*
 * Opens a file, the file `data` of a folder, or standard input ("-"). Without `force`, files that
 * belong to neither this user nor root are refused, because their contents decide which files are
 * opened.
 */
struct error *perf_file_open(const char *path, bool force, struct perf_file *file);
/* Opens the file FOLDER/NAME, which must be an ordinary one. */
struct error *perf_file_open_inside(const char *folder, const char *name, bool force,
				    struct perf_file *file);
/* Makes a file of bytes in memory, which must outlive it. */
void perf_file_open_memory(const void *data, size_t size, struct perf_file *file);
/* Closes a file, also one that is all zero because it was never opened. */
void perf_file_close(struct perf_file *file);

/* Lets the kernel drop the bytes from memory. They are read again if they are needed. */
void perf_file_done_with(const struct perf_file *file);

#endif
