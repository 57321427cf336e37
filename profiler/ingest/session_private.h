/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the session's own files only: session.c, stream.c, records.c, header_text.c, count*.c. */
#ifndef DTPROF_INGEST_SESSION_PRIVATE_H
#define DTPROF_INGEST_SESSION_PRIVATE_H

#include "profiler/ingest/file.h"
#include "profiler/ingest/header.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/timeline.h"

/* Where a part of a decompressed stream comes from. */
struct stream_piece {
	size_t begin; /* in the stream; up to the next piece */
	uint64_t
		offset; /* in the file: of the bytes themselves, or of the compressed record that held them */
	uint64_t within; /* of the first byte in what that record holds */
	bool compressed;
};

/* Records one after the other. */
struct stream {
	const uint8_t *data;
	size_t size;
	uint64_t base;    /* position of data[0]: its offset in the file, and no two streams overlap */
	uint64_t offset;  /* of data[0] in the file */
	const char *name; /* the file's, for messages */
	bool cut;         /* its end was lost, which has been said */
	/* of a decompressed one, by `begin`; none: it is the file's own bytes */
	struct stream_piece *pieces;
	size_t piece_count;
	size_t piece_capacity;
};

/* A piece of a stream that begins and ends between records. */
struct chunk {
	uint32_t stream;
	size_t begin;
	size_t end;
	uint64_t clock; /* the youngest time of a state record before it: for samples without a time */
};

struct session {
	struct session_options options;
	struct perf_file file;
	struct perf_file *more_files; /* of a folder: data.0, data.1 ... */
	size_t more_count;
	struct spool *spools; /* what compressed records held, one a stream or none */
	struct perf_header header;
	struct event_table events;
	struct stream *streams;
	size_t stream_count;
	size_t stream_capacity;
	struct chunk *chunks;
	size_t chunk_count;
	size_t chunk_capacity;
	struct state_record *states; /* until the timeline is built */
	size_t state_count;
	size_t state_capacity;
	struct timeline timeline;
	struct parallelism parallelism;
	struct session_totals totals;
	struct hash_map cgroup_by_id; /* -> index in cgroup_names */
	const char **cgroup_names;    /* of the arena */
	size_t cgroup_count, cgroup_capacity;
	uint64_t first_bad; /* position of the first of totals.bad_samples; after session_each_sample() */
	bool losses_said;   /* samples that did not count */
	bool by_position;   /* records have no times: what stands first was first */
	struct arena arena;
};

/* Returns a cursor over the bytes of a feature; without any if the file does not have it. */
static inline struct cursor feature_cursor(const struct session *session, enum feature feature)
{
	const struct feature_section *section = &session->header.features[feature];

	return cursor_of(section->data, section->data ? section->size : 0, session->header.swap);
}

void session_warn(const struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Its name must live as long as the session. */
void session_add_stream(struct session *session, const struct stream *stream);
/* stream.c: the files beside the one with the header, if `path` is a folder and not NULL; says which
 * are missing. */
struct error *session_open_folder(struct session *session, const char *path);

/* Where in the file the byte at `offset` of the stream is, or the compressed record that holds it. */
uint64_t stream_file_offset(const struct stream *stream, size_t offset);
/* "FILE: offset N", or which byte of which compressed record it is; lives as long as the session. */
const char *stream_place(struct session *session, const struct stream *stream, size_t offset);

/* A record's header, its size not yet checked. */
struct record_header {
	uint32_t type;
	uint16_t misc;
	uint16_t size;
};

static inline struct record_header record_header(const uint8_t *data, bool swap)
{
	struct record_header header;

	__builtin_memcpy(&header, data, sizeof(header));
	if (swap) {
		header.type = __builtin_bswap32(header.type);
		header.misc = __builtin_bswap16(header.misc);
		header.size = __builtin_bswap16(header.size);
	}
	return header;
}

/* Bytes that follow the record without being part of its size: AUX traces and tracing data. */
uint64_t record_extra(const uint8_t *record, const struct record_header *header, bool swap);

/* A record as it stands, its size checked. */
struct raw_record {
	uint32_t type;
	uint16_t misc;
	const uint8_t *data; /* with its header */
	size_t size;
};

/* records.c: all records, in the order of the file. */
void session_each_record(const struct session *session,
			 void (*visit)(const struct session *session, const struct raw_record *record,
				       void *data),
			 void *data);

/* Pass 1: all records but samples, of all streams. */
struct error *session_collect(struct session *session);

/* stream.c: stream `index` with its compressed records replaced by what they hold. */
struct error *session_decompress(struct session *session, uint32_t index);

/* session.c: whether the file says that it was recorded on x86-64, or does not say where. */
bool session_may_be_x86_64(const struct session *session);
/* PERF_RECORD_CGROUP */
void session_take_cgroup(struct session *session, const uint8_t *record, size_t size);

/* Processors that the recorded machine could have; 0: the file does not say. */
uint32_t session_processors(const struct session *session);

void session_take_build_id(struct session *session, const uint8_t *record, size_t size);

/* "FILE: offset N" of a position; lives as long as the session. */
const char *session_position_text(struct session *session, uint64_t position);
/* The comm of a thread without a name, ":TID". */
uint32_t session_thread_comm(struct session *session, int32_t tid);
/* The file address of an offset in the dso's file (or of an address, where there is none; dso may be NULL).
 */
uint64_t session_file_address(struct session *session, struct dso *dso, uint64_t offset);

/* The moment of a sample. `clock` is the chunk's, kept up to date with its state records. */
static inline struct moment session_moment(const struct session *session, bool has_time, uint64_t time,
					   uint64_t clock, uint64_t position)
{
	if (session->by_position)
		return (struct moment){ position, position };
	return (struct moment){ has_time ? time : clock, position };
}

/* The time of a record that is no sample; false: it has none. */
bool session_record_time(const struct session *session, const uint8_t *record, size_t size, uint64_t *time);

/* For loops over records: the processor itself does not read ahead into the next page. So many bytes are some
 * thirty samples, which take longer than memory does. */
static inline void record_read_ahead(const uint8_t *record)
{
	__builtin_prefetch(record + 2048);
}

/* Whether the timeline is made of such records. */
static inline bool record_is_state(uint32_t type)
{
	const uint64_t states = 1ULL << PERF_RECORD_MMAP | 1ULL << PERF_RECORD_MMAP2 |
				1ULL << PERF_RECORD_COMM | 1ULL << PERF_RECORD_FORK |
				1ULL << PERF_RECORD_EXIT | 1ULL << PERF_RECORD_KSYMBOL |
				1ULL << PERF_RECORD_NAMESPACES;

	return type < 64 && states >> type & 1;
}

#endif
