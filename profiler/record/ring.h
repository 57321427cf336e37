/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ring buffers that the kernel fills with records: perf_event_open(2), "MMAP layout"; and what
 * record learns from the records on their way to the file, such as the objects that were mapped.
 *
 * The ring buffers of libperf cannot do what is needed here: see Documentation/design.md.
 */
#pragma once

#include <linux/perf_event.h>

#include "dwarf/elf/image.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/strbuf.h"

/* ---- objects ---- */

/* The objects whose code was mapped, each once, with build ids (note NT_GNU_BUILD_ID). */

struct object {
	char *name;         /* as in the map records */
	struct build_id id; /* size 0: not known yet */
	bool kernel;
};

/* The table owns its names. A zero-initialized table is empty. */
struct object_table {
	struct object *objects;
	uint32_t count, capacity;
	struct hash_index index; /* of the objects, by name */
};

/* Adds an object, or an id (may be NULL) to it; a later one wins: a new file. */
void object_table_add(struct object_table *table, const char *name, bool kernel,
		      const struct build_id *id);
/* Reads missing build ids from the files as they are now, and appends the content of the feature
 * BUILD_ID. Objects without a build id are left out. */
void object_table_finish(struct object_table *table, const char *root, struct strbuf *content);
void object_table_deinit(struct object_table *table);

/* Sets *id to an ELF file's build id. False: it has none. It may contain anything. */
bool build_id_of_file(int fd, struct build_id *id);
bool build_id_of_path(const char *path, struct build_id *id);
/* Finds the file offset of `address` in the code of an ELF file, one of whose maps begins at
 * `start` with the offset `offset`. Both are page-aligned. False: no code of the file. */
bool code_offset_of_file(int fd, uint64_t start, uint64_t offset, uint64_t address,
			 uint64_t *result);
/* Sets *id to the build id of the vDSO of this process, which all 64-bit processes share. */
bool build_id_of_vdso(struct build_id *id);

/* ---- rings ---- */

struct ring {
	int fd;  /* of the event that was mapped; not owned */
	int cpu; /* -1: the ring of a thread */
	int tid; /* -1: all threads */
	struct perf_event_mmap_page *page;
	uint8_t *data;
	uint64_t size;  /* of the data: a power of two */
	uint64_t tail;  /* everything before it has been consumed */
	uint64_t seen;  /* ring_has_new_code() has looked at everything before it */
	bool overwrite; /* written backward and never full: attr.write_backward */
	uint8_t *aux;   /* the AUX area, which a processor writes its trace into; NULL: none */
	uint64_t aux_size, aux_tail; /* as `size` and `tail` */
};

/* Whole records that can be consumed; in two parts if they wrap. */
struct ring_span {
	const uint8_t *data[2];
	size_t size[2];
	uint64_t end; /* for ring_consume() */
};

/* Maps a ring of `pages` pages, a power of two. `fd` must stay open as long as the ring. */
struct error *ring_open(int fd, unsigned int pages, bool overwrite, struct ring *ring);
/* Maps the AUX area of an event that writes one, of `pages` pages, a power of two. ring_close()
 * unmaps it. */
struct error *ring_open_aux(struct ring *ring, unsigned int pages);
void ring_close(struct ring *ring);

/* Sets *span to the records that can be read. Returns false if there are none. */
bool ring_peek(struct ring *ring, struct ring_span *span);
/* Returns whether code was mapped in records that no call has seen yet. They stay in the ring. Of a
 * ring that is overwritten nothing is known. */
bool ring_has_new_code(struct ring *ring);
/* Stops or restarts the kernel's writing; overwritten rings are read when paused. */
struct error *ring_pause(struct ring *ring, bool pause);
/* Returns the span's memory to the kernel. It must not be used afterwards. */
void ring_consume(struct ring *ring, const struct ring_span *span);

/* The same for the AUX area, whose bytes are no records. The processor writes packets as a whole.
 */
bool ring_peek_aux(const struct ring *ring, struct ring_span *span);
void ring_consume_aux(struct ring *ring, const struct ring_span *span);

/* ---- what the records say ---- */

/* The result of scanning records. Only the headers of most records are read. */
struct record_scan {
	size_t sample_time_offset; /* attr_sample_time_offset(), the same for all events */
	uint64_t samples;
	uint64_t first_time; /* of samples, ns; 0: none yet */
	uint64_t last_time;
	uint64_t lost_records; /* sum of PERF_RECORD_LOST */
	uint64_t lost_samples; /* sum of PERF_RECORD_LOST_SAMPLES */
	uint64_t throttles;
	struct object_table objects;
	struct bpf_keep *bpf;    /* takes the BPF programs that are loaded; NULL: none */
	struct held_files *held; /* takes the files of maps; NULL: they are not held */
};

/* Adds the records of a span, or of a buffer of whole records, to the scan. */
void record_scan_span(struct record_scan *scan, const struct ring_span *span);
void record_scan_buffer(struct record_scan *scan, const void *records, size_t size);
/* Returns the offset in the span at which the whole records from `offset` on have at least `size`
 * bytes, or its end. *samples is the number of samples among them. */
size_t record_scan_cut(const struct ring_span *span, size_t offset, size_t size, uint64_t *samples);
