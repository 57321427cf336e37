/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a perf.data file such as perf record writes for memory accesses, with the samples that a
 * test gives. It needs neither the right to record nor a PMU.
 *
 * The format is the one of tools/perf/Documentation/perf.data-file-format.txt in the kernel's
 * sources.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/strbuf.h"

#define WRITTEN_EVENTS 2

/* The machine that the file says it was recorded on. */
struct written_machine {
	const char *arch;                   /* "x86_64" */
	const char *events[WRITTEN_EVENTS]; /* names; NULL: no more */
	uint32_t cpus;
	/* The processors of each node, as a list ("0-1"); node_count 0: the file does not say. */
	const char *node_cpus[4];
	uint32_t node_count;
	bool chains; /* samples have call chains */
	/* bytes of each node; the nodes follow each other from address 0 on; at most 64 blocks of 2
	 * MB */
	uint64_t node_memory;
};

struct perf_data_writer {
	const struct written_machine *machine; /* NULL: x86_64 and one event, nothing else */
	struct strbuf records;
	struct strbuf build_ids; /* records of the build id feature */
	uint64_t time;           /* ns; each record adds 1000 */
	uint64_t samples;
};

struct written_sample {
	uint64_t ip;
	uint64_t address; /* data address; 0: not known */
	uint32_t pid;
	uint32_t tid;
	uint32_t cpu;
	uint64_t period;
	uint64_t weight;
	bool store;           /* else a load */
	uint64_t data_source; /* 0: an L1 hit of a load, or of a store with `store` */
	/* With a machine: */
	uint64_t physical_address;
	unsigned int event;  /* index */
	uint64_t callers[4]; /* return addresses, innermost first, with chains; 0: no more */
	bool kernel;         /* the instruction is the kernel's */
};

/* Prepares a writer. If writer->machine is set, then before the first record. */
void perf_data_writer_init(struct perf_data_writer *writer);
void perf_data_writer_deinit(struct perf_data_writer *writer);

void perf_data_add_comm(struct perf_data_writer *writer, uint32_t pid, uint32_t tid,
			const char *comm);
/* Adds an executable map of the file `path`. Paths such as "//anon" and "[heap]" mean memory
 * without a file. */
void perf_data_add_map(struct perf_data_writer *writer, uint32_t pid, uint64_t start,
		       uint64_t length, uint64_t offset, const char *path);
/* Adds a map of data. An inode of 0 means that it is not known. */
struct written_data_map {
	uint32_t pid;
	uint64_t start, length, offset, inode;
	bool shared;
	const char *path;
};
void perf_data_add_data_map(struct perf_data_writer *writer, const struct written_data_map *map);
void perf_data_add_fork(struct perf_data_writer *writer, uint32_t pid, uint32_t parent);
void perf_data_add_build_id(struct perf_data_writer *writer, const char *path, const uint8_t *bytes,
			    uint8_t size);
void perf_data_add_sample(struct perf_data_writer *writer, const struct written_sample *sample);

struct error *perf_data_write(const struct perf_data_writer *writer, const char *path)
	__attribute__((warn_unused_result));
