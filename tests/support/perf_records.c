// SPDX-License-Identifier: GPL-2.0-or-later
/* The records of processes: see perf_records.h. */
#include "tests/support/perf_records.h"

#include <sys/mman.h>

#define PERF_RECORD_NAMESPACES 16
#define PERF_RECORD_KSYMBOL    17
#define NAMESPACES             7

void perf_records_event(struct perf_image *image)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_type =
			PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.sample_id_all = 1,
		.sample_period = 1,
	};

	perf_image_event(image, &attr, NULL, 0);
}

/* Pads the body, and adds the fields of sample_id_all. */
static void end_record(struct perf_image *image, uint32_t type, uint16_t misc, uint64_t time,
		       int pid, int tid)
{
	while (image->body.length % 8)
		strbuf_add_char(&image->body, '\0');
	put32(&image->body, (uint32_t)pid);
	put32(&image->body, (uint32_t)tid);
	put64(&image->body, time);
	perf_image_record(image, type, misc);
}

void add_comm(struct perf_image *image, uint64_t time, int pid, int tid, const char *name,
	      bool exec)
{
	put32(&image->body, (uint32_t)pid);
	put32(&image->body, (uint32_t)tid);
	put_string(&image->body, name);
	end_record(image, PERF_RECORD_COMM, exec ? PERF_RECORD_MISC_COMM_EXEC : 0, time, pid, tid);
}

void add_map(struct perf_image *image, uint64_t time, int pid, uint64_t start, uint64_t length,
	     const char *name)
{
	put32(&image->body, (uint32_t)pid);
	put32(&image->body, (uint32_t)pid);
	put64(&image->body, start);
	put64(&image->body, length);
	for (int i = 0; i < 3; i++) /* offset, device, inode */
		put64(&image->body, 0);
	put64(&image->body, 0); /* generation */
	put32(&image->body, PROT_READ | PROT_EXEC);
	put32(&image->body, MAP_PRIVATE);
	put_string(&image->body, name);
	end_record(image, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER, time, pid, pid);
}

void add_kernel_map(struct perf_image *image, uint64_t time, uint64_t start, uint64_t length,
		    const char *name)
{
	put32(&image->body, UINT32_MAX);
	put32(&image->body, 0);
	put64(&image->body, start);
	put64(&image->body, length);
	put64(&image->body, start);
	put_string(&image->body, name);
	end_record(image, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, time, -1, 0);
}

static void add_task(struct perf_image *image, uint32_t type, uint64_t time, const int ids[4])
{
	for (int i = 0; i < 4; i++)
		put32(&image->body, (uint32_t)ids[i]);
	put64(&image->body, time);
	end_record(image, type, 0, time, ids[0], ids[2]);
}

void add_fork(struct perf_image *image, uint64_t time, int pid, int tid, int parent_pid,
	      int parent_tid)
{
	add_task(image, PERF_RECORD_FORK, time, (int[]){ pid, parent_pid, tid, parent_tid });
}

void add_exit(struct perf_image *image, uint64_t time, int pid, int tid)
{
	add_task(image, PERF_RECORD_EXIT, time, (int[]){ pid, pid, tid, tid });
}

void add_ksymbol(struct perf_image *image, uint64_t time, uint64_t start, uint32_t length,
		 bool gone, const char *name)
{
	put64(&image->body, start);
	put32(&image->body, length);
	put16(&image->body, 1); /* PERF_RECORD_KSYMBOL_TYPE_BPF */
	put16(&image->body, gone);
	put_string(&image->body, name);
	end_record(image, PERF_RECORD_KSYMBOL, 0, time, -1, 0);
}

void add_sample(struct perf_image *image, uint64_t time, int pid, int tid, uint64_t ip,
		uint16_t mode)
{
	put64(&image->body, ip);
	put32(&image->body, (uint32_t)pid);
	put32(&image->body, (uint32_t)tid);
	put64(&image->body, time);
	put64(&image->body, 1); /* period */
	perf_image_record(image, PERF_RECORD_SAMPLE, mode);
}

void perf_records_process(struct perf_image *image, unsigned int count)
{
	perf_image_init(image);
	perf_records_event(image);
	add_comm(image, 1, 10, 10, "prog", false);
	add_map(image, 1, 10, 0x1000, 0x100000, "/nowhere/prog");
	for (unsigned int i = 0; i < count; i++)
		add_sample(image, 2 + i, 10, 10, 0x1000 + i % 1000, PERF_RECORD_MISC_USER);
}

void add_namespaces(struct perf_image *image, uint64_t time, int pid, int tid, uint64_t first)
{
	put32(&image->body, (uint32_t)pid);
	put32(&image->body, (uint32_t)tid);
	put64(&image->body, NAMESPACES);
	for (uint64_t i = 0; i < NAMESPACES; i++) {
		put64(&image->body, 3); /* device */
		put64(&image->body, first + i);
	}
	end_record(image, PERF_RECORD_NAMESPACES, 0, time, pid, tid);
}
