/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a perf.data file of one event, as perf record would leave it after recording memory loads: so that a
 * test states the samples that it means, and needs neither the right to record nor a PMU.
 *
 * The format is the one of tools/perf/Documentation/perf.data-file-format.txt in the kernel's sources.
 */
#ifndef DTPROF_TESTS_PERF_DATA_WRITER_H
#define DTPROF_TESTS_PERF_DATA_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"

struct perf_data_writer {
	struct strbuf records;
	struct strbuf build_ids; /* records of the build id feature */
	uint64_t time;           /* ns, goes on by 1000 with each record */
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
	bool store; /* else a load */
};

void perf_data_writer_init(struct perf_data_writer *writer);
void perf_data_writer_deinit(struct perf_data_writer *writer);

void perf_data_add_comm(struct perf_data_writer *writer, uint32_t pid, uint32_t tid, const char *comm);
/* An executable map of the file `path`. */
void perf_data_add_map(struct perf_data_writer *writer, uint32_t pid, uint64_t start, uint64_t length,
		       uint64_t offset, const char *path);
void perf_data_add_build_id(struct perf_data_writer *writer, const char *path, const uint8_t *bytes,
			    uint8_t size);
void perf_data_add_sample(struct perf_data_writer *writer, const struct written_sample *sample);

struct error *perf_data_write(const struct perf_data_writer *writer, const char *path)
	__attribute__((warn_unused_result));

#endif
