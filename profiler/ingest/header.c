// SPDX-License-Identifier: GPL-2.0-or-later
/* The file header: see header.h; tools/perf/Documentation/perf.data-file-format.txt. */
#include "profiler/ingest/header.h"

#include <inttypes.h>

#include "profiler/base/cursor.h"
#include "profiler/ingest/attr.h"

struct section {
	uint64_t offset;
	uint64_t size;
};

static struct section section_take(struct cursor *cursor)
{
	struct section section;

	section.offset = cursor_u64(cursor);
	section.size = cursor_u64(cursor);
	return section;
}

static bool section_is_within(const struct section *section, size_t size)
{
	return section->offset <= size && section->size <= size - section->offset;
}

/* The size fields of both headers are small numbers in the right byte order. */
static bool header_size_is_plausible(uint64_t size)
{
	return size >= PIPE_HEADER_SIZE && size <= 4096;
}

static struct error *header_magic(struct cursor *cursor, const char *name, struct perf_header *header)
{
	uint64_t magic = cursor_u64(cursor);

	if (magic == PERF_MAGIC_V2 || magic == bswap_64(PERF_MAGIC_V2)) {
		header->version = 2;
		header->swap = magic != PERF_MAGIC_V2;
	} else if (magic == PERF_MAGIC_V1) {
		/* Version 1 was a string: its byte order shows in the sizes. */
		uint64_t size = cursor_u64(cursor);

		cursor->position -= cursor->failed ? 0 : 8;
		header->version = 1;
		header->swap = !header_size_is_plausible(size) && header_size_is_plausible(bswap_64(size));
	} else {
		return error_create(ERROR_FORMAT,
				    "%s is not a perf.data file: it does not begin with PERFILE2", name);
	}
	cursor->swap = header->swap;
	header->size = cursor_u64(cursor);
	if (cursor->failed)
		return error_create(ERROR_FORMAT, "%s: truncated in the file header, at offset %zu", name,
				    cursor->size);
	return NULL;
}

static struct error *header_attr(const uint8_t *data, size_t size, uint64_t offset, uint64_t entry_size,
				 const char *name, bool swap, struct event_table *events)
{
	struct cursor cursor =
		cursor_of(data + offset + entry_size - FILE_SECTION_SIZE, FILE_SECTION_SIZE, swap);
	struct section ids = section_take(&cursor);
	struct perf_event_attr attr;

	if (!attr_parse(data + offset, entry_size - FILE_SECTION_SIZE, swap, &attr))
		return error_create(ERROR_FORMAT, "%s: bad event attribute at offset %" PRIu64 ": size %zu",
				    name, offset, attr_size(data + offset, swap));
	if (!section_is_within(&ids, size))
		return error_create(ERROR_FORMAT,
				    "%s: event ids at offset %" PRIu64 " of %" PRIu64
				    " bytes are beyond the file's %zu",
				    name, ids.offset, ids.size, size);
	event_table_add(events, &attr, data + ids.offset, ids.size / 8, swap);
	return NULL;
}

static struct error *header_attrs(const uint8_t *data, size_t size, const struct section *attrs,
				  uint64_t entry_size, const char *name, bool swap,
				  struct event_table *events)
{
	if (entry_size < PERF_ATTR_SIZE_VER0 + FILE_SECTION_SIZE || entry_size > UINT16_MAX)
		return error_create(ERROR_FORMAT,
				    "%s: event attributes of %" PRIu64 " bytes (file header, offset 16)",
				    name, entry_size);
	if (!section_is_within(attrs, size))
		return error_create(ERROR_FORMAT,
				    "%s: event attributes at offset %" PRIu64 " of %" PRIu64
				    " bytes are beyond the file's %zu",
				    name, attrs->offset, attrs->size, size);
	/* Each id belongs to one event, so that all together are no longer than the file. */
	uint64_t ids = 0;

	for (uint64_t done = 0; attrs->size - done >= entry_size; done += entry_size) {
		RETURN_ERROR(header_attr(data, size, attrs->offset + done, entry_size, name, swap, events));
		ids += events->events[events->count - 1].id_count;
		if (ids > size / 8)
			return error_create(ERROR_FORMAT,
					    "%s: event attributes at offset %" PRIu64 ": their ids overlap",
					    name, attrs->offset + done);
	}
	if (!events->count)
		return error_create(ERROR_FORMAT, "%s: no events in the file header", name);
	return NULL;
}

/* The bitmap is of unsigned longs: where a 32-bit machine of the other byte order wrote it, words of 32 bits.
 */
static bool header_has_feature(const uint8_t *bitmap, bool swap, unsigned int feature)
{
	unsigned int byte = feature / 8;

	if (swap)
		byte = byte / 8 * 8 + (7 - byte % 8);
	return bitmap[byte] >> (feature % 8) & 1;
}

static bool header_has_feature32(const uint8_t *bitmap, unsigned int feature)
{
	unsigned int byte = feature / 8;

	return bitmap[byte / 4 * 4 + (3 - byte % 4)] >> (feature % 8) & 1;
}

/* Features are told by their place in the bitmap; their table stands behind the data. Those that lie beyond
 * the file's end are left out and counted. */
static void header_features(const uint8_t *data, size_t size, const uint8_t *bitmap,
			    struct perf_header *header)
{
	uint64_t table = header->data_offset + header->data_size;
	struct cursor cursor = cursor_of(data, size, header->swap);
	/* Every writer has a host name: a bitmap without is one of 32-bit words. */
	bool words = header->swap && !header_has_feature(bitmap, true, FEATURE_HOSTNAME) &&
		     header_has_feature32(bitmap, FEATURE_HOSTNAME);

	if (header->unfinished || table > size)
		return;
	cursor.position = table;
	for (unsigned int i = 1; i < FEATURE_BITS; i++) {
		if (!(words ? header_has_feature32(bitmap, i) : header_has_feature(bitmap, header->swap, i)))
			continue;
		struct section section = section_take(&cursor);

		if (cursor.failed || !section_is_within(&section, size))
			header->lost_features++;
		else
			header->features[i] = (struct feature_section){
				.data = data + section.offset,
				.size = section.size,
				.offset = section.offset,
			};
	}
}

/* The data's place; what lies beyond the file was lost with its end, and is told by the walk. */
static struct error *header_data(const struct section *section, size_t size, const char *name,
				 struct perf_header *header)
{
	if (section->offset > size)
		return error_create(ERROR_FORMAT,
				    "%s: the data begins at offset %" PRIu64 ", beyond the file's %zu bytes",
				    name, section->offset, size);
	header->data_offset = section->offset;
	header->data_claimed = section->size;
	header->data_size = size - section->offset;
	header->unfinished = section->size == 0;
	if (section->size && section->size < header->data_size)
		header->data_size = section->size;
	return NULL;
}

struct error *header_parse(const uint8_t *data, size_t size, const char *name, struct perf_header *header,
			   struct event_table *events)
{
	struct cursor cursor = cursor_of(data, size, false);

	*header = (struct perf_header){ 0 };
	RETURN_ERROR(header_magic(&cursor, name, header));
	if (header->size == PIPE_HEADER_SIZE) {
		header->pipe = true;
		header->data_offset = PIPE_HEADER_SIZE;
		header->data_size = size - PIPE_HEADER_SIZE;
		header->data_claimed = header->data_size;
		return NULL;
	}
	uint64_t entry_size = cursor_u64(&cursor);
	struct section attrs = section_take(&cursor);
	struct section records = section_take(&cursor);

	(void)section_take(&cursor); /* event types, of which nobody makes use any more */
	if (cursor.failed)
		return error_create(ERROR_FORMAT, "%s: truncated in the file header, at offset %zu", name,
				    size);
	if (header->size != FILE_HEADER_SIZE_V0 && header->size < FILE_HEADER_SIZE)
		return error_create(ERROR_FORMAT, "%s: a file header of %" PRIu64 " bytes (offset 8)", name,
				    header->size);
	RETURN_ERROR(header_data(&records, size, name, header));
	RETURN_ERROR(header_attrs(data, size, &attrs, entry_size, name, header->swap, events));
	const uint8_t *bitmap = cursor_bytes(&cursor, FEATURE_BITS / 8);

	if (header->size >= FILE_HEADER_SIZE && bitmap)
		header_features(data, size, bitmap, header);
	return NULL;
}
