/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Build ids: where they are in a file, and as text. */
#include <string.h>

#include "dwarf/elf_image_private.h"
#include "profiler/base/cursor.h"

/* Names and descriptions are padded to 4 bytes. (Notes of 8-byte alignment, which x86-64 has for GNU
 * properties, read the same way: their descriptions are multiples of 8.) */
static size_t padding(uint32_t size)
{
	return -size & 3;
}

const uint8_t *build_id_note_find(const void *notes, size_t size, size_t *length)
{
	struct cursor cursor = cursor_of(notes, size, false);

	while (cursor_left(&cursor)) {
		uint32_t name_size = cursor_u32(&cursor);
		uint32_t description_size = cursor_u32(&cursor);
		uint32_t type = cursor_u32(&cursor);
		const uint8_t *name = cursor_bytes(&cursor, name_size);
		const uint8_t *description;

		cursor_skip(&cursor, padding(name_size));
		description = cursor_bytes(&cursor, description_size);
		if (cursor.failed)
			return NULL;
		if (type == NT_GNU_BUILD_ID && name_size == sizeof("GNU") &&
		    !memcmp(name, "GNU", sizeof("GNU")) && description_size) {
			*length = description_size;
			return description;
		}
		cursor_skip(&cursor, padding(description_size));
	}
	return NULL;
}

static struct build_id first_bytes(const uint8_t *bytes, size_t length)
{
	struct build_id build_id = { .size = length < BUILD_ID_SIZE ? length : BUILD_ID_SIZE };

	memcpy(build_id.bytes, bytes, build_id.size);
	return build_id;
}

bool build_id_from_notes(const void *notes, size_t size, struct build_id *build_id)
{
	size_t length = 0;
	const uint8_t *bytes = build_id_note_find(notes, size, &length);

	*build_id = (struct build_id){ 0 };
	if (bytes)
		*build_id = first_bytes(bytes, length);
	return bytes;
}

static bool take_notes(struct elf_image *image, const uint8_t *notes, size_t size)
{
	image->build_id = build_id_note_find(notes, size, &image->build_id_size);
	if (image->build_id)
		image->build_id_head = first_bytes(image->build_id, image->build_id_size);
	return image->build_id;
}

/* From the sections first: in a separate debug file the segments no longer say where their contents are. */
void elf_build_id_load(struct elf_image *image)
{
	for (size_t i = 1; i < image->part_count; i++) {
		const struct elf_part *part = &image->parts[i];

		if (part->type == SHT_NOTE && part->contents && take_notes(image, part->contents, part->size))
			return;
	}
	for (size_t i = 0; i < image->segment_count && !image->part_count; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (segment->type == PT_NOTE && segment->offset <= image->size &&
		    segment->file_size <= image->size - segment->offset &&
		    take_notes(image, image->data + segment->offset, segment->file_size))
			return;
	}
}

void build_id_format(const struct build_id *build_id, char text[2 * BUILD_ID_SIZE + 1])
{
	static const char digits[] = "0123456789abcdef";
	size_t size = build_id->size < BUILD_ID_SIZE ? build_id->size : BUILD_ID_SIZE;

	for (size_t i = 0; i < size; i++) {
		text[2 * i] = digits[build_id->bytes[i] >> 4];
		text[2 * i + 1] = digits[build_id->bytes[i] & 15];
	}
	text[2 * size] = 0;
}

bool build_id_equal(const struct build_id *left, const struct build_id *right)
{
	return left->size == right->size && !memcmp(left->bytes, right->bytes, left->size);
}
