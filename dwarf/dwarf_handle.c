/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_handle.h"

#include <stdlib.h>

#include "dwarf/dwarf_alt.h"
#include "profiler/base/memory.h"

/* A unit's abbreviations take about 20 KB in libdw. */
#define UNITS_KEPT 1024

struct dwarf_handle {
	Elf *elf;
	Dwarf *dwarf;            /* NULL: libdw cannot read the file */
	struct unit_root *roots; /* by the number of the unit; NULL: not opened */
	size_t used_count;       /* units that were read */
};

/* libdw reads the headers of units in their order, and gives up at each that it does not understand: asking
 * again makes it go on behind that one. */
static void find_roots(struct dwarf_handle *handle, const struct dwarf_file *file)
{
	size_t skipped = 0;
	uint64_t start = 0;

	for (size_t i = 0; i < file->unit_count; i++) {
		const struct unit *unit = &file->units[i];
		Dwarf_Die *die = &handle->roots[i].die;

		if (unit->broken) {
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

static inline struct dwarf_handle *thread_handle(struct dwarf_file *file);

static void open_handle(struct dwarf_handle *handle, const struct dwarf_file *file)
{
	const struct dwarf_sections *sections = &file->sections;

	handle->roots = xcalloc(file->unit_count ? file->unit_count : 1, sizeof(*handle->roots));
	elf_version(EV_CURRENT);
	/* elf_memory() takes char *, but only reads: nothing in the image is compressed */
	handle->elf = elf_memory((char *)sections->elf, sections->elf_size);
	handle->dwarf = handle->elf ? dwarf_begin_elf(handle->elf, DWARF_C_READ, NULL) : NULL;
	if (!handle->dwarf)
		return;
	if (file->alt)
		dwarf_setalt(handle->dwarf, thread_handle(file->alt)->dwarf);
	find_roots(handle, file);
}

static void close_handle(struct dwarf_handle *handle)
{
	dwarf_end(handle->dwarf);
	elf_end(handle->elf);
	free(handle->roots);
	*handle = (struct dwarf_handle){ 0 };
}

struct dwarf_handle *dwarf_handle_create(struct dwarf_file *file)
{
	struct dwarf_handle *handle = xcalloc(1, sizeof(*handle));

	open_handle(handle, file);
	return handle;
}

void dwarf_handle_destroy(struct dwarf_handle *handle)
{
	if (!handle)
		return;
	close_handle(handle);
	free(handle);
}

struct unit_root *dwarf_handle_root(struct dwarf_handle *handle, const struct unit *unit)
{
	struct unit_root *root = &handle->roots[unit->number];

	if (!root->used) {
		root->used = true;
		handle->used_count++;
	}
	return root->die.addr ? root : NULL;
}

/* ---- of threads ---- */

/* A thread that begins after another has ended may have its number, and then takes over its handle. */
static struct dwarf_handle *find_thread(struct dwarf_file *file, uint64_t self, struct thread_slot *slot)
{
	struct dwarf_handle *handle = concurrent_map_find(&file->handles, self);

	if (handle)
		return handle;
	handle = xcalloc(1, sizeof(*handle));
	pthread_mutex_lock(&file->files->lock);
	concurrent_map_insert(&file->handles, self, handle);
	if (!slot->thread) {
		slot->handle = handle;
		__atomic_store_n(&slot->thread, self, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&file->files->lock);
	return handle;
}

static inline struct dwarf_handle *thread_handle(struct dwarf_file *file)
{
	uint64_t self = (uint64_t)pthread_self();
	struct thread_slot *slot = &file->recent[(self >> 12 ^ self >> 23) % THREAD_SLOTS];
	struct dwarf_handle *handle;

	if (__atomic_load_n(&slot->thread, __ATOMIC_ACQUIRE) == self)
		handle = slot->handle;
	else
		handle = find_thread(file, self, slot);
	if (!handle->roots)
		open_handle(handle, file);
	return handle;
}

Dwarf *dwarf_file_libdw(struct dwarf_file *file)
{
	return thread_handle(file)->dwarf;
}

struct unit_root *dwarf_unit_root(const struct unit *unit)
{
	return dwarf_handle_root(thread_handle(unit->file), unit);
}

void dwarf_handles_trim(struct dwarf_files *files)
{
	struct dwarf_file *main = dwarf_files_main(files);
	struct dwarf_handle *handle = concurrent_map_find(&main->handles, (uint64_t)pthread_self());

	/* a supplementary file's handle stays: the others refer to it */
	if (handle && handle->used_count > UNITS_KEPT)
		close_handle(handle);
}

static void destroy_handle(void *handle)
{
	dwarf_handle_destroy(handle);
}

void dwarf_file_close_handles(struct dwarf_file *file)
{
	concurrent_map_each(&file->handles, destroy_handle);
	concurrent_map_release(&file->handles);
}
