/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text that the kernel prints of a tracepoint's record, by the print format in the description
 * of the event.
 */
#ifndef DTPROF_INGEST_TRACEPOINT_PRINT_H
#define DTPROF_INGEST_TRACEPOINT_PRINT_H

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"
#include "profiler/ingest/tracepoint/field.h"

struct trace_program;

/*
 * Parses the print format in a whole description of an event, into the arena, which must also own
 * `fields`. Returns NULL if there is none, or if it has something unknown. *problem then says what,
 * as a clause ("it has no field 'x'"), and is empty otherwise.
 */
const struct trace_program *trace_program_parse(const char *format, size_t size,
						const struct tracepoint_field *fields,
						size_t field_count, unsigned int long_size,
						struct arena *arena, struct strbuf *problem);

/* Names of functions, for %pS and the like. */
struct trace_symbols {
	/*
	 * Returns the name of the kernel function at `address`, and the offset in it, or NULL. May
	 * be NULL itself.
	 */
	const char *(*find)(void *data, uint64_t address, uint64_t *offset);
	void *data;
};

/*
 * Adds the text of a record, the `size` bytes of `raw`. Returns false, and adds nothing, if the
 * record does not have what the format asks for. `symbols` may be NULL.
 */
bool trace_program_print(const struct trace_program *program, const uint8_t *raw, size_t size,
			 bool swap, const struct trace_symbols *symbols, struct strbuf *text);

#endif
