/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of a tracepoint's raw data, by its description (Documentation/trace/events.rst of the
 * kernel).
 */
#pragma once

#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"

struct tracepoint_field {
	const char *name;
	uint32_t offset; /* bytes, in the raw data */
	uint32_t size;   /* bytes; for a dynamic array, of the word that says where it is */
	bool is_common;  /* every event has it, such as common_pid */
	bool is_signed;
	bool is_pointer;
	bool is_long; /* its type has "long" in its name */
	bool is_array;
	bool is_string;   /* an array of characters or of bytes */
	bool is_dynamic;  /* __data_loc, __rel_loc: size << 16 | offset */
	bool is_relative; /* __rel_loc: the offset counts from the end of the field */
};

/* Longer descriptions are not read. The longest of the 2,323 of a Linux 6.18 has 5,523 bytes. */
#define TRACEPOINT_FORMAT_MAX 65536

/* Returns the fields that `format` describes, in the arena, or NULL if there are none. Lines that
 * describe no field are left out. `long_size` is the size of a long on the recorded machine, in
 * bytes. One thread at a time: libtraceevent's parser is static. */
const struct tracepoint_field *tracepoint_fields_parse(const char *format, size_t size,
						       unsigned int long_size, struct arena *arena,
						       size_t *count);

/* Adds " name=value" for each field that is present and not common. False if there is none. */
bool tracepoint_fields_text(const struct tracepoint_field *fields, size_t count, const uint8_t *raw,
			    size_t size, bool swap, struct strbuf *text);

/* Sets *value to the field, a number; a signed one is sign-extended. False if the data does not
 * have all of it, or the field is no number. */
bool tracepoint_field_any_number(const struct tracepoint_field *field, const uint8_t *raw,
				 size_t size, bool swap, uint64_t *value);
static inline bool tracepoint_field_number(const struct tracepoint_field *field, const uint8_t *raw,
					   size_t size, bool swap, uint64_t *value)
{
	uint32_t word;

	/* others than most are */
	if ((field->size != sizeof(*value) && field->size != sizeof(word)) || field->is_array ||
	    field->is_dynamic || swap || !raw || size < sizeof(*value) ||
	    field->offset > size - sizeof(*value))
		return tracepoint_field_any_number(field, raw, size, swap, value);
	if (field->size == sizeof(*value)) {
		memcpy(value, raw + field->offset, sizeof(*value));
		return true;
	}
	memcpy(&word, raw + field->offset, sizeof(word));
	*value = field->is_signed ? (uint64_t)(int32_t)word : word;
	return true;
}

/* ---- descriptions ---- */

/* Names and descriptions of tracepoints by id, from the tracing data of a file. Tracing data has
 * the files of /sys/kernel/tracing in the form of trace-cmd.dat.v6(5). */

/* The text of a description; it points into the data that it was read from. */
struct tracepoint_format {
	const char *text;
	size_t size;
};

struct tracepoint_names {
	struct hash_map by_id; /* id -> index in names and formats */
	const char **names;    /* "sched:sched_switch" */
	struct tracepoint_format *formats;
	unsigned int long_size; /* bytes of the recorded machine's longs */
	size_t count;
	size_t capacity, format_capacity;
	struct arena arena;
};

/* Reads up to the first malformed part. `data` must outlive `names`, which the caller frees. */
void tracepoint_names_read(struct tracepoint_names *names, const void *data, size_t size);
/* Returns "SYSTEM:NAME", or NULL. */
const char *tracepoint_names_find(const struct tracepoint_names *names, uint64_t id);
/* Returns the description, or NULL. */
const struct tracepoint_format *tracepoint_format_find(const struct tracepoint_names *names,
						       uint64_t id);
void tracepoint_names_deinit(struct tracepoint_names *names);
