/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The records of processes, for a perf_image whose only event is perf_records_event(). */
#pragma once

#include <stdbool.h>

#include "tests/support/perf_image.h"

/* Adds the only event: samples have instruction, thread, time and period; other records have thread
 * and time (sample_id_all). */
void perf_records_event(struct perf_image *image);

/* Initializes an image of one process, 10 "prog" in /nowhere/prog, with `count` samples at 1000
 * addresses. */
void perf_records_process(struct perf_image *image, unsigned int count);

void add_comm(struct perf_image *image, uint64_t time, int pid, int tid, const char *name,
	      bool exec);
/* Adds an executable map of the file `name`, from file offset 0 on. */
void add_map(struct perf_image *image, uint64_t time, int pid, uint64_t start, uint64_t length,
	     const char *name);
/* Adds a map of the kernel. */
void add_kernel_map(struct perf_image *image, uint64_t time, uint64_t start, uint64_t length,
		    const char *name);
void add_fork(struct perf_image *image, uint64_t time, int pid, int tid, int parent_pid,
	      int parent_tid);
void add_exit(struct perf_image *image, uint64_t time, int pid, int tid);
void add_ksymbol(struct perf_image *image, uint64_t time, uint64_t start, uint32_t length,
		 bool gone, const char *name);
/* Adds the namespaces of a process; their inodes are `first` and the numbers after it. */
void add_namespaces(struct perf_image *image, uint64_t time, int pid, int tid, uint64_t first);
/* Adds a sample; `mode` is PERF_RECORD_MISC_USER or the like. */
void add_sample(struct perf_image *image, uint64_t time, int pid, int tid, uint64_t ip,
		uint16_t mode);
