/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles for other programs: samples with their types, fields and stacks, in the formats that
 * those programs read.
 *
 * A row stands for samples that agree in everything that it says. All strings are interned in one
 * pool, as in struct result, so equal strings are equal pointers; they outlive the export.
 */
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "report/result.h"

struct export_object {
	const char *path;     /* as in struct result_place */
	const char *build_id; /* hexadecimal */
};

struct export_event {
	const char *name;
	bool is_time; /* periods are nanoseconds; else they are events */
};

struct export_row {
	uint32_t event; /* index in export_profile.events */
	uint64_t samples, period, latency, loads, stores;
	const char *comm; /* of the thread */
	int32_t pid, tid;
	const struct result_place *place; /* of the access; with NEED_TYPE and NEED_SOURCE_LINE */
	struct access_span
		span;        /* its bytes in the type; formats have an offset if its size is 0 */
	uint64_t type_size;  /* bytes of the type; 0: not known */
	uint64_t type_shape; /* tells types of one name and size in an object apart */
	/* With a timed format: the start of the slice of time that the samples are in, in ns. */
	uint64_t time;
	uint32_t chain;        /* number of the innermost frame; 0: only `place` is known */
	uint64_t data_address; /* if it was asked for; 0: not known */
};

struct export_profile {
	const struct export_event *events;
	size_t event_count;
	const struct export_row *rows;
	size_t row_count;
	const struct result_frame *frames; /* by number */
	const struct export_object *objects;
	size_t object_count;
	bool type_frames;     /* of pprof: the field and the type are frames below the function */
	uint64_t start;       /* time of the first sample, in ns of the recording's clock */
	uint64_t time_slice;  /* length of the slices of export_row.time, in ns */
	uint64_t duration;    /* between the first and the last sample, in ns; 0: not known */
	const char *command;  /* the recorded command line, or NULL */
	const char *hostname; /* of the recorded machine, or NULL */
	uint64_t cacheline;   /* bytes of its cachelines */
	uint64_t wall;        /* time of the first sample, in ns since 1970; 0: not known */
	uint64_t recording;   /* tells recordings apart */
};

/* Receives the bytes of the output in order. */
typedef void export_sink(void *data, const char *bytes, size_t length);

struct export_format {
	const char *name;
	const char *summary;
	bool binary; /* not for terminals */
	bool timed;  /* rows are divided by time, too */
	bool dated;  /* shows the times of the recording; set if timed */
	struct error *(*write)(const struct export_profile *profile, export_sink *sink, void *data);
};

/* One frame of a row's stack. */
struct export_frame {
	const char *name;
	const struct result_place *place; /* NULL: a type or a field, which has no code */
	bool innermost;                   /* the frame of the access itself */
};

/* more than any kernel records: sysctl perf_event_max_stack is 127 */
#define EXPORT_FRAMES_MAX 1024

/* Fills in a row's frames, the leaf first: with type_frames the field, then the type. */
size_t export_stack(const struct export_profile *profile, const struct export_row *row,
		    struct export_frame frames[EXPORT_FRAMES_MAX]);

/* Returns the number in "file.c:12", or 0. */
uint32_t export_line(const struct result_place *place);

/* Returns the build id of the object at `path`, or NULL if it is not known. `path` may be NULL. */
const char *export_build_id(const struct export_profile *profile, const char *path);

/* Returns a copy of a text (NULL: "") as all formats have it. Control characters are '?', because
 * readers such as `go tool pprof` write names to terminals as they are. Bytes that are not UTF-8
 * are U+FFFD, because a string of Protocol Buffers may not have them. */
char *export_text(struct arena *arena, const char *text);

/* A growing array of messages for protobuf-c. Zero is empty; the caller frees `items`. */
struct message_list {
	void **items;
	size_t count, capacity;
};

/* Adds a zeroed message of `size` bytes of the arena, and returns it. */
void *message_list_new(struct message_list *list, struct arena *arena, size_t size);

/* Numbers of texts, from 0 in the order in which they are met, and what belongs to each: an item
 * by number. Zero-initialized is empty. */
struct numbering {
	struct string_pool pool;
	struct hash_map numbers;
	void **items;
	size_t count, capacity;
};

/* Returns the number of `text`. *created: it is asked for the first time, and its item is NULL. */
uint32_t numbering_get(struct numbering *numbering, const char *text, bool *created);
/* Sets *number to that of the text that the format makes. Returns the zeroed item of `size` bytes
 * that it gets if it is asked for the first time, else NULL. */
void *numbering_new(struct numbering *numbering, size_t size, uint32_t *number, const char *format,
		    ...) __attribute__((format(printf, 4, 5)));
/* Returns the number of `text`, whose item is its export_text(). NULL is "". */
uint32_t numbering_text(struct numbering *numbering, const char *text);
void numbering_deinit(struct numbering *numbering);

/* Judges the answer of a receiver of OpenTelemetry's profiles, with the status of HTTP: returns an
 * error if it did not take all of them. Sets *again if it asks for another attempt. */
struct error *export_otlp_answer(long status, const void *bytes, size_t size, bool *again);

extern const struct export_format export_pprof, export_speedscope, export_folded, export_csv,
	export_firefox, export_otlp, export_data_types;
