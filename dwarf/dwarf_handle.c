// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_handle.h"

#include <stdlib.h>

#include "profiler/base/memory.h"

struct dwarf_handle *dwarf_handle_create(void)
{
	struct dwarf_handle *handle = xcalloc(1, sizeof(*handle));

	pthread_mutex_init(&handle->lock, NULL);
	return handle;
}

void dwarf_handle_destroy(struct dwarf_handle *handle)
{
	dwarf_end(handle->dwarf);
	elf_end(handle->elf);
	free(handle->roots);
	pthread_mutex_destroy(&handle->lock);
	free(handle);
}

/* libdw reads the headers of units in their order, and gives up at each that it does not understand: asking
 * again makes it go on behind that one. */
static void find_roots(struct dwarf_handle *handle, const struct dwarf_file *file)
{
	size_t skipped = 0;
	uint64_t start = 0;

	for (size_t i = 0; i < file->unit_count; i++) {
		const struct unit *unit = &file->units[i];
		Dwarf_Die *die = &handle->roots[i];

		/* a header that was found bad when the file was opened is not shown to libdw again */
		if (unit->first_die == unit->end) {
			skipped++;
			continue;
		}
		for (size_t tries = skipped + 1; tries; tries--)
			if ((unit->in_types ? dwarf_offdie_types : dwarf_offdie)(handle->dwarf,
										 unit->first_die, die))
				break;
		skipped = 0;
		/* a check: offsets are those of the section that libdw reads, too */
		if ((const uint8_t *)die->addr != unit_section(unit)->data + unit->first_die)
			*die = (Dwarf_Die){ 0 };
		if (!unit->in_types)
			dwarf_file_passed(file, &start, unit->end);
	}
}

static void open_handle(struct dwarf_handle *handle, const struct dwarf_file *file)
{
	const struct dwarf_sections *sections = &file->sections;

	handle->opened = true;
	elf_version(EV_CURRENT);
	/* elf_memory() takes char *, but only reads: nothing in the image is compressed */
	handle->elf = elf_memory((char *)sections->elf, sections->elf_size);
	handle->dwarf = handle->elf ? dwarf_begin_elf(handle->elf, DWARF_C_READ, NULL) : NULL;
	if (!handle->dwarf || !file->unit_count)
		return;
	handle->roots = xcalloc(file->unit_count, sizeof(*handle->roots));
	find_roots(handle, file);
}

struct dwarf_handle *dwarf_handle_lock(const struct dwarf_file *file)
{
	struct dwarf_handle *handle = file->handle;

	pthread_mutex_lock(&handle->lock);
	if (!handle->opened)
		open_handle(handle, file);
	return handle;
}

void dwarf_handle_unlock(struct dwarf_handle *handle)
{
	pthread_mutex_unlock(&handle->lock);
}
