/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses in memory that processes share, for the verdicts on cachelines.
 *
 * While uses are made of a sample, such an address is replaced by one that no process can have: it
 * is the same for all processes that share the memory, and another one for each memory. When all
 * uses are made, they get the addresses that one of the processes has, to be shown.
 */
#pragma once

#include "profiler/ingest/session.h"
#include "report/c2c/sharing.h"
#include "report/result.h"

struct shared_object;

struct shared_addresses {
	struct placer *placer;
	struct shared_object *objects;
	size_t count, capacity;
	uint64_t kept[DATA_KEPT_MAX]; /* of the last result */
};

void shared_addresses_init(struct shared_addresses *shared, const struct session *session);
void shared_addresses_deinit(struct shared_addresses *shared);

/* Replaces the addresses in the result. result->data_kept is valid until the next call. */
void shared_addresses_replace(struct shared_addresses *shared, struct result *result);

/* Gives the result the process and the data address that the owner of the memory has, if that is
 * shared: objects in it are those of one process, whoever accesses them. */
void shared_addresses_own(struct shared_addresses *shared, struct result *result);

/* Sets the processes of a use, by its address, which is one of the result. */
void shared_addresses_place(const struct shared_addresses *shared, const struct result *result,
			    struct sharing_use *use);

/* Gives the uses addresses of their owners. */
void shared_addresses_restore(const struct shared_addresses *shared, struct sharing_use *uses,
			      size_t count);
