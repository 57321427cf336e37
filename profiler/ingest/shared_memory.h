/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that processes share: the same bytes, at whatever addresses processes map them.
 *
 * Such memory is known by what is mapped, and not by who maps it: by the device, the inode and the
 * offset, which the kernel also gives to memory without a file (MAP_SHARED | MAP_ANONYMOUS,
 * shmget(), memfd_create()). All other memory of a process is its own, though other processes have
 * memory at the same addresses.
 */
#ifndef DTPROF_INGEST_SHARED_MEMORY_H
#define DTPROF_INGEST_SHARED_MEMORY_H

#include "profiler/ingest/session.h"

struct shared_place {
	uint64_t device, inode, generation, offset;
};

struct shared_memory_finder;

struct shared_memory_finder *shared_memory_finder_create(const struct session *session);
void shared_memory_finder_destroy(struct shared_memory_finder *finder);

/* Sets *place to that of an address at a time. False: the process's own, or not known. */
bool shared_memory_find(struct shared_memory_finder *finder, uint64_t task, uint64_t time,
			uint64_t address, struct shared_place *place);

#endif
