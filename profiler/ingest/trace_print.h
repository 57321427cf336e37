/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text that the kernel makes of a tracepoint's record, by the print format of the event's description. */
#ifndef DTPROF_INGEST_TRACE_PRINT_H
#define DTPROF_INGEST_TRACE_PRINT_H

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"
#include "profiler/ingest/tracepoint_field.h"

struct trace_program;

/*
 * From the whole description of the event. In the arena, and so are the fields that it points to. NULL: there
 * is no print format, or something in it is not known, which *problem then says.
 */
const struct trace_program *trace_program_parse(const char *format, size_t size,
						const struct tracepoint_field *fields, size_t field_count,
						unsigned int long_size, struct arena *arena,
						struct strbuf *problem);

/* Names of functions, for %pS and the like; all may be NULL. */
struct trace_symbols {
	/* The name of the kernel's function at `address`, and where in it that is; NULL: not known. */
	const char *(*find)(void *data, uint64_t address, uint64_t *offset);
	void *data;
};

/* False: the record does not hold what the format asks for; `text` is then as before. */
bool trace_program_print(const struct trace_program *program, const uint8_t *raw, size_t size, bool swap,
			 const struct trace_symbols *symbols, struct strbuf *text);

#endif
