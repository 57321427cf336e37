/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The nodes of the recorded machine (NUMA): which processors and which physical memory each has. */
#ifndef DTPROF_INGEST_SESSION_NODES_H
#define DTPROF_INGEST_SESSION_NODES_H

#include <stdint.h>

#include "profiler/ingest/session.h"

struct node_memory {
	int32_t node;
	uint64_t *blocks;     /* bitmap of the memory blocks that it has */
	uint64_t block_count; /* bits of the bitmap */
};

struct session_nodes {
	uint32_t count;      /* 0: the file does not say */
	int32_t *of_cpu;     /* index of each processor's node; -1: none */
	uint32_t cpu_count;  /* processors that there can be */
	uint64_t block_size; /* bytes; 0: the file does not say where memory is */
	struct node_memory *memory;
	uint32_t memory_count;
};

/*
 * Reads the features NRCPUS, NUMA_TOPOLOGY and MEM_TOPOLOGY. Malformed parts are left out. The
 * caller frees *nodes with session_nodes_deinit().
 */
void session_nodes_init(const struct session *session, struct session_nodes *nodes);
void session_nodes_deinit(struct session_nodes *nodes);

/* Returns the node that has a physical address, or -1. */
int32_t session_nodes_of_memory(const struct session_nodes *nodes, uint64_t physical_address);

#endif
