/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/dwarf_handle.h"

#include <stdlib.h>

#include "dwarf/dwarf_alt.h"
#include "profiler/base/memory.h"

/* A unit's abbreviations take about 20 KB in libdw. */
#define UNITS_KEPT 256

/* A unit as one thread's handle knows it. */
struct unit_root {
	Dwarf_Die die; /* addr NULL: libdw cannot read the unit */
	bool used;
};

struct thread_handle {
	struct dwarf_handle handle;
	struct unit_root *roots; /* by the number of the unit; NULL: not opened */
	size_t used_count;
};

void dwarf_handle_open(struct dwarf_handle *handle, const struct dwarf_sections *sections)
{
	*handle = (struct dwarf_handle){ 0 };
	if (!sections->elf)
		return;
	elf_version(EV_CURRENT);
	/* elf_memory() takes char *, but only reads: nothing in the image is compressed */
	handle->elf = elf_memory((char *)sections->elf, sections->elf_size);
	handle->dwarf = handle->elf ? dwarf_begin_elf(handle->elf, DWARF_C_READ, NULL) : NULL;
}

void dwarf_handle_close(struct dwarf_handle *handle)
{
	dwarf_end(handle->dwarf);
	elf_end(handle->elf);
	*handle = (struct dwarf_handle){ 0 };
}

/* libdw reads the headers of units in their order, and gives up at each that it does not understand: asking
 * again makes it go on behind that one. */
static void find_roots(struct thread_handle *thread, const struct dwarf_file *file)
{
	Dwarf *dwarf = thread->handle.dwarf;
	size_t skipped = 0;
	uint64_t start = 0;

	for (size_t i = 0; i < file->unit_count; i++) {
		const struct unit *unit = &file->units[i];
		Dwarf_Die *die = &thread->roots[i].die;

		if (unit->broken) {
			skipped++;
			continue;
		}
		for (size_t tries = skipped + 1; tries; tries--)
			if ((unit->in_types ? dwarf_offdie_types : dwarf_offdie)(dwarf, unit->first_die, die))
				break;
		skipped = 0;
		/* a check: offsets are those of the section that libdw reads, too */
		if ((const uint8_t *)die->addr != unit_section(unit)->data + unit->first_die)
			*die = (Dwarf_Die){ 0 };
		if (!unit->in_types)
			dwarf_file_passed(file, &start, unit->end);
	}
}

static void open_thread(struct thread_handle *thread, const struct dwarf_file *file);

static struct thread_handle *thread_handle(struct dwarf_file *file)
{
	uint64_t self = (uint64_t)pthread_self();
	struct thread_handle *thread = concurrent_map_find(&file->handles, self);

	/* a thread that began after another had ended may have its number, and then takes over its handle */
	if (!thread) {
		thread = xcalloc(1, sizeof(*thread));
		pthread_mutex_lock(&file->files->lock);
		concurrent_map_insert(&file->handles, self, thread);
		pthread_mutex_unlock(&file->files->lock);
	}
	if (!thread->roots)
		open_thread(thread, file);
	return thread;
}

static void open_thread(struct thread_handle *thread, const struct dwarf_file *file)
{
	thread->roots = xcalloc(file->unit_count ? file->unit_count : 1, sizeof(*thread->roots));
	dwarf_handle_open(&thread->handle, &file->sections);
	if (!thread->handle.dwarf)
		return;
	if (file->alt)
		dwarf_setalt(thread->handle.dwarf, thread_handle(file->alt)->handle.dwarf);
	find_roots(thread, file);
}

static void close_thread(struct thread_handle *thread)
{
	dwarf_handle_close(&thread->handle);
	free(thread->roots);
	*thread = (struct thread_handle){ 0 };
}

const Dwarf_Die *dwarf_handle_unit(const struct unit *unit)
{
	struct thread_handle *thread = thread_handle(unit->file);
	struct unit_root *root = &thread->roots[unit->number];

	if (!root->used) {
		root->used = true;
		thread->used_count++;
	}
	return root->die.addr ? &root->die : NULL;
}

void dwarf_handles_trim(struct dwarf_files *files)
{
	struct dwarf_file *main = dwarf_files_main(files);
	struct thread_handle *thread = concurrent_map_find(&main->handles, (uint64_t)pthread_self());

	/* a supplementary file's handle may stay, and does: all others refer to it */
	if (thread && thread->used_count > UNITS_KEPT)
		close_thread(thread);
}

static void destroy_thread(void *value)
{
	struct thread_handle *thread = value;

	close_thread(thread);
	free(thread);
}

void dwarf_file_close_handles(struct dwarf_file *file)
{
	concurrent_map_each(&file->handles, destroy_thread);
	concurrent_map_release(&file->handles);
}
