// SPDX-License-Identifier: GPL-2.0-or-later
/* The input is a tracepoint's description, a zero byte, and a record of it. */
#include <stdint.h>
#include <string.h>

#include "profiler/ingest/tracepoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_arena_ struct arena arena = { 0 };
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	const uint8_t *end = memchr(data, 0, size);
	size_t length = end ? (size_t)(end - data) : size, rest = end ? size - length - 1 : 0,
	       count;
	const char *format = arena_strndup(&arena, (const char *)data, length);
	/* a copy of exactly its size, so that a sanitizer sees a read past its end */
	_cleanup_free_ uint8_t *record = xcalloc(1, rest ? rest : 1);
	const struct tracepoint_field *fields =
		tracepoint_fields_parse(format, length, 8, &arena, &count);

	if (rest)
		memcpy(record, end + 1, rest);
	(void)tracepoint_fields_text(fields, count, record, rest, false, &text);
	(void)tracepoint_fields_text(fields, count, record, rest, true, &text);
	return 0;
}
