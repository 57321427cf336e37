// SPDX-License-Identifier: GPL-2.0-or-later
/* Names and descriptions of tracepoints by id: see formats.h. */
#include "profiler/ingest/tracepoint/formats.h"

#include <stdio.h>
#include <string.h>

#include "profiler/base/cursor.h"

/* Returns the rest of the line that begins with "KEY: ", or NULL. */
static const char *format_value(const char *text, size_t size, const char *key, size_t *length)
{
	size_t key_length = strlen(key);

	while (size > key_length) {
		const char *end = memchr(text, '\n', size);
		size_t line = end ? (size_t)(end - text) : size;

		if (line > key_length && !memcmp(text, key, key_length)) {
			*length = line - key_length;
			return text + key_length;
		}
		if (!end)
			break;
		text += line + 1;
		size -= line + 1;
	}
	return NULL;
}

static void take_format(struct tracepoint_names *names, const char *system, const char *text, size_t size)
{
	size_t name_length = 0;
	size_t id_length = 0;
	const char *name = format_value(text, size, "name: ", &name_length);
	const char *id_text = format_value(text, size, "ID: ", &id_length);
	char digits[24];
	bool created;

	if (!name || !id_text || id_length >= sizeof(digits))
		return;
	memcpy(digits, id_text, id_length);
	digits[id_length] = '\0';
	uint32_t *index = hash_map_insert(&names->by_id, strtoull(digits, NULL, 10), &created);

	if (!created)
		return;
	_cleanup_free_ char *full =
		xasprintf("%s:%.*s", system, (int)(name_length > 1024 ? 1024 : name_length), name);

	*index = (uint32_t)names->count;
	array_reserve(names->names, names->count, names->capacity);
	array_reserve(names->formats, names->count, names->format_capacity);
	names->formats[names->count] = (struct tracepoint_format){ text, size };
	names->names[names->count++] = arena_strdup(&names->arena, full);
}

static const char *take_sized(struct cursor *cursor, size_t *size)
{
	uint64_t length = cursor_u64(cursor);
	const char *text = length <= cursor_left(cursor) ? cursor_bytes(cursor, length) : NULL;

	if (!text)
		cursor->failed = true;
	*size = text ? length : 0;
	return text;
}

/* Skips the head, "header_page", "header_event" and the formats of ftrace's own events. */
static bool take_head(struct cursor *cursor, unsigned int *long_size)
{
	static const char magic[] = "\027\010\104tracing";
	const char *bytes = cursor_bytes(cursor, sizeof(magic) - 1);
	size_t size;

	if (!bytes || memcmp(bytes, magic, sizeof(magic) - 1) != 0)
		return false;
	(void)cursor_string(cursor);           /* version */
	cursor->swap = cursor_u8(cursor) != 0; /* written big-endian; this program runs on x86 */
	*long_size = cursor_u8(cursor);
	cursor_skip(cursor, 4); /* size of a page */
	for (int i = 0; i < 2; i++) {
		(void)cursor_string(cursor);
		(void)take_sized(cursor, &size);
	}
	uint32_t count = cursor_u32(cursor);

	for (uint32_t i = 0; i < count && !cursor->failed; i++)
		(void)take_sized(cursor, &size);
	return !cursor->failed;
}

void tracepoint_names_read(struct tracepoint_names *names, const void *data, size_t size)
{
	struct cursor cursor = cursor_of(data, size, false);

	*names = (struct tracepoint_names){ 0 };
	if (!take_head(&cursor, &names->long_size))
		return;
	uint32_t systems = cursor_u32(&cursor);

	for (uint32_t s = 0; s < systems && !cursor.failed; s++) {
		const char *system = cursor_string(&cursor);
		uint32_t count = cursor_u32(&cursor);

		for (uint32_t i = 0; i < count && !cursor.failed; i++) {
			size_t length;
			const char *text = take_sized(&cursor, &length);

			if (text && system)
				take_format(names, system, text, length);
		}
	}
}

const char *tracepoint_names_find(const struct tracepoint_names *names, uint64_t id)
{
	const uint32_t *index = hash_map_find(&names->by_id, id);

	return index ? names->names[*index] : NULL;
}

const struct tracepoint_format *tracepoint_format_find(const struct tracepoint_names *names, uint64_t id)
{
	const uint32_t *index = hash_map_find(&names->by_id, id);

	return index ? &names->formats[*index] : NULL;
}

void tracepoint_names_deinit(struct tracepoint_names *names)
{
	hash_map_deinit(&names->by_id);
	arena_deinit(&names->arena);
	free(names->names);
	free(names->formats);
}
