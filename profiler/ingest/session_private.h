/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a session, for the files that implement session.h: session.c (opening, features),
 * stream.c (files, folders, decompression), records.c (loops over records), session_text.c and
 * count*.c.
 */
#pragma once

#include "base/arch/arch.h"
#include "base/error.h"
#include "profiler/ingest/header.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/contentions.h"
#include "profiler/ingest/sleeps.h"
#include "profiler/ingest/timeline.h"

/* ---- spools ---- */

/*
 * Collects bytes that come in parts: those of a pipe, or the contents of compressed records.
 *
 * A small amount stays in memory. A larger one goes to an unnamed file in $TMPDIR, so memory does
 * not grow with it and nothing is left behind.
 */
struct spool {
	uint8_t *buffer; /* the bytes that are not in the file yet */
	size_t used;
	size_t capacity;
	int fd;           /* -1: no file yet */
	uint64_t written; /* bytes in the file */
	void *mapping;    /* of the file, after spool_finish() */
	size_t mapped;    /* its bytes */
};

#define SPOOL_INIT                                                                                 \
	{                                                                                          \
		.fd = -1                                                                           \
	}

/* Returns the number of bytes added so far. */
static inline uint64_t spool_size(const struct spool *spool)
{
	return spool->written + spool->used;
}
/* Sets *data to all bytes, which are the spool's; never NULL. Call it once, at the end. */
struct error *spool_finish(struct spool *spool, const uint8_t **data, size_t *size)
	__attribute__((warn_unused_result));
/* Copies the bytes into the spool. */
struct error *spool_add(struct spool *spool, const void *data, size_t size);
void spool_deinit(struct spool *spool);

/* ---- files: mapped if possible, spooled if they are pipes ---- */

struct perf_file {
	const uint8_t *data;
	size_t size;
	char *name;       /* for messages; "standard input" for "-" */
	int64_t modified; /* time of the last change, in ns since 1970; 0: not known */
	bool pipe;        /* the time of the last change is not that of a recording's end */
	void *mapping;    /* NULL: the bytes are in the spool, or not owned */
	struct spool spool;
};

/* Opens a file, the file `data` of a folder, or standard input ("-"). Without `force`, files that
 * belong to neither this user nor root are refused: they decide which files are opened. */
struct error *perf_file_open(const char *path, bool force, struct perf_file *file);
/* Replaces a file's bytes by others, which must outlive it, and its time of change. */
void perf_file_replace(struct perf_file *file, const void *data, size_t size, int64_t modified);
/* Closes a file, also one that is all zero because it was never opened. */
void perf_file_close(struct perf_file *file);

/* Lets the kernel drop the bytes from memory. They are read again if they are needed. */
void perf_file_done_with(const struct perf_file *file);
/* The same for a part of the file. */
void perf_file_done_with_part(const struct perf_file *file, const uint8_t *begin,
			      const uint8_t *end);

/* The source of a part of a decompressed stream. */
struct stream_piece {
	size_t begin;    /* offset in the stream; the piece ends where the next one begins */
	uint64_t offset; /* in the file: of the bytes, or of the compressed record that held them */
	uint64_t within; /* offset of the first byte in the decompressed contents of that record */
	bool compressed;
};

/* A sequence of records: the data of a file, or of one of the files of a folder. */
struct stream {
	const uint8_t *data;
	size_t size;
	/* The position of data[0]. Positions order records; those of two streams do not overlap. */
	uint64_t base;
	uint64_t offset;  /* of data[0] in the file */
	const char *name; /* the file's name, for messages */
	bool cut;         /* the end is missing, and a warning has said so */
	bool made;        /* its samples are made of AUX data; they are not in the file */
	/* For a decompressed stream, sorted by `begin`. None: the stream is the file's bytes. */
	struct stream_piece *pieces;
	size_t piece_count, piece_capacity;
};

/* Positions of further streams begin at multiples of this, more than any file has. */
#define STREAM_POSITIONS (1ULL << 44)

/* Bytes of records that a thread takes at a time: many, but enough pieces for all. */
#define CHUNK_SIZE ((size_t)1 << 20)

/* Maps the pages of the chunk that begins at `offset` at once, for half the cost of one by one.
 * Older kernels refuse. */
void stream_map_ahead(const struct stream *stream, size_t offset);

/* A part of a stream that consists of whole records. */
struct chunk {
	uint32_t stream;
	size_t begin, end;
	uint64_t clock; /* latest time of a state record before it, for samples without a time */
};

struct session {
	struct session_options options;
	struct perf_file file;
	struct recording_archive *archive; /* that has the file; NULL: it is in none */
	struct perf_file *more_files;      /* the files of a folder: data.0, data.1 ... */
	size_t more_count;
	struct spool *spools; /* contents of compressed records, one for each stream; NULL: none */
	struct perf_header header;
	struct event_table events;
	struct stream *streams;
	size_t stream_count, stream_capacity;
	struct chunk *chunks;
	size_t chunk_count, chunk_capacity;
	struct state_record *states; /* until the timeline is built */
	size_t state_count;
	size_t state_capacity;
	struct timeline timeline;
	struct session_totals totals;
	struct hash_map cgroup_by_id; /* id -> index in cgroups */
	struct session_cgroup {
		const char *name, *image; /* in the arena; image NULL: not known */
	} * cgroups;
	size_t cgroup_count, cgroup_capacity;
	struct sleeps sleeps; /* if an event's samples need them for their periods */
	struct contentions contentions; /* if waits for locks stand for their time */
	uint64_t first_bad;   /* position of the first bad sample; after session_each_sample() */
	bool losses_said;     /* a warning has said how many samples were not counted */
	bool by_position;     /* records have no times, so their positions order them */
	bool has_deferred;    /* chains follow in records of their own */
	struct time_range sample_times; /* after session_sample_times() has walked the samples */
	bool sample_times_known;
	struct arena arena;
};

/* Returns whether the switches tell the periods of the event's samples. */
static inline bool event_needs_sleeps(const struct event *event)
{
	return event->off_cpu && event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
}

/* Returns whether perf's BPF program made the event's samples: they are in the raw data. */
static inline bool event_is_embedded(const struct event *event)
{
	return event->off_cpu && event->attr.type == PERF_TYPE_SOFTWARE &&
	       event->attr.config == PERF_COUNT_SW_BPF_OUTPUT &&
	       event->attr.sample_type & PERF_SAMPLE_RAW;
}

/* Returns a cursor over the bytes of a feature, empty if the file does not have it. */
static inline struct cursor feature_cursor(const struct session *session, enum feature feature)
{
	const struct feature_section *section = &session->header.features[feature];

	return cursor_of(section->data, section->data ? section->size : 0, session->header.swap);
}

/* Returns the next string of a feature, which is a length and as many bytes. Returns NULL if the
 * bytes have no NUL. If fewer are left, sets cursor->failed as well. */
static inline const char *feature_string(struct cursor *cursor)
{
	uint32_t length = cursor_u32(cursor);
	const char *string = cursor_bytes(cursor, length);

	return string && memchr(string, '\0', length) ? string : NULL;
}

/* Passes a warning on to the options' warn(), as one line. */
void session_warn_incomplete(struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void session_warn(const struct session *session, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a stream. Its name must live as long as the session. */
void session_add_stream(struct session *session, const struct stream *stream);
/* Opens the files beside the header's if `path` is a folder; warns if some miss. Or NULL. */
struct error *session_open_folder(struct session *session, const char *path);

/* Returns the offset in the file of a byte of the stream, or of its compressed record. */
uint64_t stream_file_offset(const struct stream *stream, size_t offset);
/* Returns "FILE: at offset 0x138: MMAP2 (10)", or the compressed record. The session's. */
const char *stream_place(struct session *session, const struct stream *stream, size_t offset);

/* A record's header, its size not yet checked. */
struct record_header {
	uint32_t type;
	uint16_t misc, size;
};

static inline struct record_header record_header(const uint8_t *data, bool swap)
{
	struct record_header header;

	memcpy(&header, data, sizeof(header));
	if (swap) {
		header.type = bswap_32(header.type);
		header.misc = bswap_16(header.misc);
		header.size = bswap_16(header.size);
	}
	return header;
}

/* Reads the header of the record at `offset`. Returns false if no whole record begins there. Extra
 * bytes after the record (record_extra()) are not checked. */
static inline bool stream_record(const struct stream *stream, size_t offset, bool swap,
				 struct record_header *header)
{
	size_t left = stream->size - offset;

	if (left < RECORD_HEADER_SIZE)
		return false;
	*header = record_header(stream->data + offset, swap);
	return header->size >= RECORD_HEADER_SIZE && header->size <= left;
}

/* Returns the bytes that follow the record beyond its size (AUX traces, tracing data). */
uint64_t record_extra(const uint8_t *record, const struct record_header *header, bool swap);
/* Returns the bytes of tracing data that are in the record itself, at its end, or 0. perf writes
 * them after the record, which then has only their size. */
size_t record_tracing_data_inside(const uint8_t *record, size_t size, bool swap);

/* A record whose size has been checked. */
struct raw_record {
	uint32_t type;
	uint16_t misc;
	const uint8_t *data; /* including its header */
	size_t size;
};

/* Calls `visit` for all records of the file, in their order. */
void session_each_record(const struct session *session,
			 void (*visit)(const struct session *session,
				       const struct raw_record *record, void *data),
			 void *data);

/* Takes all records except samples from all streams, and counts the samples (pass 1). */
struct error *session_collect(struct session *session);

/* Replaces the compressed records of stream `index` by their contents. */
struct error *session_decompress(struct session *session, uint32_t index);

/* Calls `visit` for each sample of a chunk, until it returns an error. */
struct error *session_chunk_samples(struct session *session, size_t chunk,
				    struct error *(*visit)(const struct sample *sample, void *data),
				    void *data);
/* Returns the time of a sample's record alone; 0: it has none, UINT64_MAX: broken. */
uint64_t session_plain_time(const struct session *session, const uint8_t *record, size_t size);

/*
 * Makes samples of the records that Arm's Statistical Profiling Extension (SPE) wrote into AUX
 * data, by the options' itrace. They become events and a stream of the session, as perf inject
 * would write them, so that all that reads samples reads these. Call it when the timeline is there.
 * Warns of the traces of other processors. Returns an error if the options ask for what SPE does
 * not have.
 */
struct error *session_decode_spe(struct session *session);

/* Takes a PERF_RECORD_CGROUP. */
void session_take_cgroup(struct session *session, const uint8_t *record, size_t size);

/* Reads a record of a build id: pid, 20 bytes of id, its length, three bytes of padding, name of
 * the file. With `take`, stores it. Returns false if the record is not of this form. */
bool session_take_build_id(struct session *session, const uint8_t *record, size_t size,
			   bool without_pid, bool take);

/* Returns the text of stream_place() for a position of the session. */
const char *session_position_text(struct session *session, uint64_t position);
/* Returns the comm id of ":TID", for a thread without a name. */
uint32_t session_thread_comm(struct session *session, int32_t tid);
/* Returns the file address of an offset in the DSO's file; the offset itself if `dso` is NULL. */
uint64_t session_file_address(struct session *session, struct dso *dso, uint64_t offset);

/* Returns the moment of a sample: `clock` is its chunk's, advanced since by state records. */
static inline struct moment session_moment(const struct session *session, bool has_time,
					   uint64_t time, uint64_t clock, uint64_t position)
{
	if (session->by_position)
		return (struct moment){ position, position };
	return (struct moment){ has_time ? time : clock, position };
}

static inline struct moment sample_moment(const struct session *session,
					  const struct sample *sample)
{
	return session_moment(session, true, sample->clock, sample->clock, sample->position);
}

/* Sets *time to the time of a record that is not a sample. Returns false if it has none. */
bool session_record_time(const struct session *session, const uint8_t *record, size_t size,
			 uint64_t *time);

/* Fetches as much as a record has, further ahead in its stream, because the processor does not
 * fetch ahead into the next page. Counting the samples up to there takes longer than the fetch. Of
 * a long record the copy of a stack, at its end, is not read in all loops. */
static inline void record_read_ahead(const uint8_t *record, size_t size)
{
	for (size_t at = 0; at < size && at < 256; at += 64)
		__builtin_prefetch(record + 2048 + at);
}

/* True if records of this type change the state of processes, and so belong to the timeline. */
static inline bool record_is_state(uint32_t type)
{
	const uint64_t states = 1ULL << PERF_RECORD_MMAP | 1ULL << PERF_RECORD_MMAP2 |
				1ULL << PERF_RECORD_COMM | 1ULL << PERF_RECORD_FORK |
				1ULL << PERF_RECORD_EXIT | 1ULL << PERF_RECORD_KSYMBOL |
				1ULL << PERF_RECORD_NAMESPACES;

	return type < 64 && states >> type & 1;
}
