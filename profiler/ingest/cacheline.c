// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The size of the recorded machine's cachelines: newer perf writes it as a feature of its own, older ones
 * have it with each cache of the CACHE feature (tools/perf/Documentation/perf.data-file-format.txt).
 */
#include "profiler/base/cursor.h"
#include "profiler/ingest/session_private.h"

#define CACHELINE_MIN 8
#define CACHELINE_MAX 4096

static bool is_likely(uint64_t size)
{
	return size >= CACHELINE_MIN && size <= CACHELINE_MAX && !(size & (size - 1));
}

static struct cursor feature_cursor(const struct session *session, unsigned int feature)
{
	const struct feature_section *section = &session->header.features[feature];

	return cursor_of(section->data, section->data ? section->size : 0, session->header.swap);
}

static void skip_string(struct cursor *cursor)
{
	cursor_skip(cursor, cursor_u32(cursor));
}

/* Version, number of caches; of each: level, line size, sets, ways; type, size and cpus as strings. */
static uint64_t size_of_first_cache(const struct session *session)
{
	struct cursor cursor = feature_cursor(session, FEATURE_CACHE);

	cursor_skip(&cursor, 4);
	for (uint32_t left = cursor_u32(&cursor); left && !cursor.failed; left--) {
		uint32_t level = cursor_u32(&cursor), size = cursor_u32(&cursor);

		if (!cursor.failed && level == 1 && is_likely(size))
			return size;
		cursor_skip(&cursor, 8);
		for (int i = 0; i < 3; i++)
			skip_string(&cursor);
	}
	return 0;
}

uint64_t session_cacheline(const struct session *session)
{
	struct cursor cursor = feature_cursor(session, FEATURE_CACHELINE_SIZE);
	uint32_t size = cursor_u32(&cursor);

	return !cursor.failed && is_likely(size) ? size : size_of_first_cache(session);
}
