/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/debug.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_function.h"
#include "dwarf/dwarf_object.h"
#include "profiler/base/memory.h"

struct debug_reader {
	struct debug_object *object;
	struct function_scratch scratch;
};

static void open_frames(struct debug_object *object)
{
	const struct dwarf_section_data *eh_frame = &object->image_sections.section[SECTION_EH_FRAME];
	struct dwarf_file *main = dwarf_files_main(object->files);

	if (!eh_frame->data)
		eh_frame = &main->sections.section[SECTION_EH_FRAME];
	frame_table_init(&object->frames, eh_frame, &main->sections.section[SECTION_FRAME], main);
}

static struct error *open_files(const struct elf_image *image, const struct elf_image *debug_image,
				struct dwarf_files **files, struct dwarf_sections *image_sections)
{
	size_t size;
	const void *data = elf_image_data(debug_image, &size);

	RETURN_ERROR(dwarf_files_open(data, size, elf_image_path(debug_image), files));
	*image_sections = (struct dwarf_sections){ 0 };
	if (image == debug_image)
		return NULL;

	const char *path = elf_image_path(image);

	data = elf_image_data(image, &size);
	return dwarf_sections_read(data, size, path, false, image_sections);
}

struct error *debug_object_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct debug_object **result)
{
	struct dwarf_files *files = NULL;
	struct dwarf_sections image_sections;
	struct error *error = open_files(image, debug_image, &files, &image_sections);

	if (!error && !dwarf_files_main(files)->unit_count)
		error = error_create(ERROR_NO_DEBUG_INFO, "%s: no debug information (.debug_info)",
				     elf_image_path(debug_image));
	if (error) {
		dwarf_files_close(files);
		return error;
	}

	struct debug_object *object = xcalloc(1, sizeof(*object));

	object->image = image;
	object->debug_image = debug_image;
	object->files = files;
	object->image_sections = image_sections;
	object->names = dwarf_names_create(files);
	dwarf_types_init(&object->types, files, object->names);
	dwarf_spans_build(object);
	open_frames(object);
	*result = object;
	return NULL;
}

void debug_object_close(struct debug_object *object)
{
	if (!object)
		return;
	free(object->spans);
	concurrent_map_release(&object->prototypes);
	frame_table_release(&object->frames);
	dwarf_types_release(&object->types);
	dwarf_names_destroy(object->names);
	dwarf_files_close(object->files);
	dwarf_sections_release(&object->image_sections);
	free(object);
}

const char *debug_object_format(const struct debug_object *object)
{
	(void)object;
	return "dwarf";
}

struct error *debug_reader_open(struct debug_object *object, struct debug_reader **result)
{
	*result = xcalloc(1, sizeof(**result));
	(*result)->object = object;
	return NULL;
}

void debug_reader_close(struct debug_reader *reader)
{
	if (!reader)
		return;
	function_scratch_release(&reader->scratch);
	free(reader);
}

struct error *debug_reader_function(struct debug_reader *reader, uint64_t address, struct function **result)
{
	const struct function_entry *entry = dwarf_function_entry(reader->object, address);

	*result = entry ? dwarf_function_build(reader->object, &reader->scratch, entry->die) : NULL;
	return NULL;
}

bool debug_reader_function_entry(struct debug_reader *reader, uint64_t address, uint64_t *entry)
{
	const struct function_entry *found = dwarf_function_entry(reader->object, address);

	if (found)
		*entry = found->entry;
	return found;
}

const struct frame_row *debug_reader_frame_rows(struct debug_reader *reader, uint64_t low, uint64_t high,
						struct arena *arena, size_t *count)
{
	struct frame_rows *rows = &reader->scratch.rows;

	rows->count = 0;
	frame_table_rows(&reader->object->frames, low, high, rows);
	*count = rows->count;
	return frame_rows_copy(rows, arena);
}
