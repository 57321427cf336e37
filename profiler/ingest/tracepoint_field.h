/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a tracepoint's raw data holds, by the description of its format that the tracing data
 * carries (Documentation/trace/events.rst of the kernel's sources).
 */
#ifndef DTPROF_INGEST_TRACEPOINT_FIELD_H
#define DTPROF_INGEST_TRACEPOINT_FIELD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"

struct tracepoint_field {
	const char *name;
	uint32_t offset;       /* bytes, in the raw data */
	uint32_t size;         /* bytes; of a dynamic array: of the word that says where it is */
	uint32_t element_size; /* bytes, of an array; 0: not known */
	bool is_common;        /* every event has it: common_pid ... */
	bool is_signed;
	bool is_pointer;
	bool is_long; /* of a type with "long" in its name */
	bool is_array;
	bool is_string;   /* an array of characters or of bytes */
	bool is_dynamic;  /* __data_loc, __rel_loc: size << 16 | offset */
	bool is_relative; /* __rel_loc: the offset is from the field's end on */
};

/* Longer descriptions are not read. The longest of the 2,323 of a Linux 6.18 has 5,523 bytes. */
#define TRACEPOINT_FORMAT_MAX 65536

/*
 * Returns the fields that `format` describes, read by libtraceevent, in the arena; NULL if there
 * are none. Lines that describe no field are left out. `long_size` is the size of a long on the
 * recorded machine, in bytes. Must not be called by several threads at once, because
 * libtraceevent's parser has static variables.
 */
const struct tracepoint_field *tracepoint_fields_parse(const char *format, size_t size,
						       unsigned int long_size, struct arena *arena,
						       size_t *count);

/*
 * Where in the `size` bytes of `raw` the value is, and how many bytes it has; a dynamic field's is
 * what it points to. False: they do not have all of it.
 */
bool tracepoint_field_bytes(const struct tracepoint_field *field, const uint8_t *raw, size_t size, bool swap,
			    const uint8_t **bytes, size_t *length);
/* A number of 1, 2, 4 or 8 bytes, extended by its sign. */
uint64_t tracepoint_number(const uint8_t *bytes, uint32_t size, bool swap, bool is_signed);
/* " name=value" for each field that is not common and is there; false: none is. */
bool tracepoint_fields_text(const struct tracepoint_field *fields, size_t count, const uint8_t *raw,
			    size_t size, bool swap, struct strbuf *text);

/*
 * The field's value in the `size` bytes of `raw`, as perf prints it: numbers decimal, pointers and
 * unsigned longs hexadecimal, arrays as ARRAY[01, 02] or, where they are printable, as text. False:
 * the data does not have all of it. *first: its first eight bytes as a big-endian number, which
 * perf orders rows by.
 */
bool tracepoint_field_text(const struct tracepoint_field *field, const uint8_t *raw, size_t size, bool swap,
			   struct strbuf *text, uint64_t *first);

#endif
