// SPDX-License-Identifier: GPL-2.0-or-later
/* See perf_data_file.h; the layout is that of tools/perf/Documentation/perf.data-file-format.txt.
 */
#include "tests/support/perf_data_file.h"

#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct header {
	char magic[8];
	uint64_t size;
	uint64_t attr_size;
	struct perf_data_section attrs;
	struct perf_data_section data;
	struct perf_data_section event_types;
	uint64_t features[4];
};

static bool complain(const char *path, const char *what)
{
	fprintf(stderr, "%s: %s\n", path, what);
	return false;
}

static bool read_bytes(const char *path, struct perf_data_file *file)
{
	FILE *stream = fopen(path, "rb");
	size_t capacity = 1 << 16, got;

	if (!stream)
		return complain(path, "cannot be opened");
	file->bytes = xmalloc(capacity);
	while ((got = fread(file->bytes + file->size, 1, capacity - file->size, stream)) > 0) {
		file->size += got;
		if (file->size == capacity) {
			capacity *= 2;
			file->bytes = xrealloc_array(file->bytes, capacity, 1);
		}
	}
	fclose(stream);
	return true;
}

static bool section_fits(const struct perf_data_file *file, const struct perf_data_section *section)
{
	return section->offset <= file->size && section->size <= file->size - section->offset;
}

/* Returns the bytes of a record, of which `left` are there, with the AUX data behind AUXTRACE. */
static uint64_t whole_size(const uint8_t *record, const struct perf_event_header *header,
			   uint64_t left)
{
	uint64_t more = 0;

	if (header->type == PERF_RECORD_AUXTRACE && left >= sizeof(struct perf_record_auxtrace))
		memcpy(&more, record + sizeof(*header), sizeof(more));
	return more > left ? left + 1 : header->size + more;
}

static bool records_whole(const struct perf_data_file *file)
{
	uint64_t left = file->data.size;

	while (left) {
		const uint8_t *record = file->bytes + file->data.offset + file->data.size - left;
		struct perf_event_header header;

		if (left < sizeof(header))
			return false;
		memcpy(&header, record, sizeof(header));
		if (header.size < sizeof(header) || whole_size(record, &header, left) > left)
			return false;
		left -= whole_size(record, &header, left);
	}
	return true;
}

bool perf_data_open(const char *path, struct perf_data_file *file)
{
	struct header header;

	*file = (struct perf_data_file){ 0 };
	if (!read_bytes(path, file))
		return false;
	if (file->size < sizeof(header))
		return complain(path, "is shorter than a header");
	memcpy(&header, file->bytes, sizeof(header));
	if (memcmp(header.magic, "PERFILE2", 8) || header.size != sizeof(header))
		return complain(path, "has no header of a perf.data file");
	file->attr_size = header.attr_size;
	file->attrs = header.attrs;
	file->data = header.data;
	file->features = header.features[0];
	if (!section_fits(file, &file->attrs) || !section_fits(file, &file->data))
		return complain(path, "has a section beyond its end");
	return records_whole(file) || complain(path, "has a record that is not whole");
}

void perf_data_close(struct perf_data_file *file)
{
	free(file->bytes);
	*file = (struct perf_data_file){ 0 };
}

const struct perf_event_header *perf_data_next(const struct perf_data_file *file, uint32_t type,
					       uint64_t *offset)
{
	while (*offset < file->data.size) {
		/* sections and records have sizes that are multiples of 8, and malloc aligns the
		 * bytes, so this is aligned */
		const struct perf_event_header *header =
			(const void *)(file->bytes + file->data.offset + *offset);

		*offset += whole_size((const uint8_t *)header, header, file->data.size - *offset);
		if (header->type == type)
			return header;
	}
	return NULL;
}

size_t perf_data_count(const struct perf_data_file *file, uint32_t type)
{
	uint64_t offset = 0;
	size_t count = 0;

	while (perf_data_next(file, type, &offset))
		count++;
	return count;
}

const uint8_t *perf_data_feature(const struct perf_data_file *file, unsigned int feature,
				 size_t *size)
{
	struct perf_data_section table = { .offset = file->data.offset + file->data.size,
					   .size = sizeof(struct perf_data_section) };
	struct perf_data_section section;

	if (!(file->features & 1ULL << feature))
		return NULL;
	for (unsigned int i = 0; i < feature; i++)
		table.offset += file->features & 1ULL << i ? sizeof(section) : 0;
	if (!section_fits(file, &table))
		return NULL;
	memcpy(&section, file->bytes + table.offset, sizeof(section));
	if (!section_fits(file, &section))
		return NULL;
	*size = section.size;
	return file->bytes + section.offset;
}

bool perf_data_attr(const struct perf_data_file *file, size_t index, struct perf_event_attr *attr,
		    size_t *ids)
{
	struct perf_data_section section;

	if (file->attr_size < sizeof(*attr) + sizeof(section) ||
	    (index + 1) * file->attr_size > file->attrs.size)
		return false;
	memcpy(attr, file->bytes + file->attrs.offset + index * file->attr_size, sizeof(*attr));
	memcpy(&section,
	       file->bytes + file->attrs.offset + (index + 1) * file->attr_size - sizeof(section),
	       sizeof(section));
	if (!section_fits(file, &section))
		return false;
	*ids = section.size / sizeof(uint64_t);
	return true;
}
