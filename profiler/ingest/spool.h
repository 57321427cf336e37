/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes that come one after the other and are wanted as one piece: what a pipe gives, what compressed records
 * hold.
 *
 * Small ones stay in memory; larger ones go to a file in $TMPDIR that has no name, so that memory does not
 * grow with them and nothing is left behind.
 */
#ifndef DTPROF_INGEST_SPOOL_H
#define DTPROF_INGEST_SPOOL_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/base/error.h"

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
/* Everything until the end of `fd`; `name` is for messages. */
struct error *spool_read(struct spool *spool, int fd, const char *name) __attribute__((warn_unused_result));
static inline uint64_t spool_size(const struct spool *spool)
{
	return spool->written + spool->used;
}
/* No more to come. *data belongs to the spool; never NULL. */
struct error *spool_finish(struct spool *spool, const uint8_t **data, size_t *size)
	__attribute__((warn_unused_result));
void spool_deinit(struct spool *spool);

#endif
