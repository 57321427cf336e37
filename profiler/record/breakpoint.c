// SPDX-License-Identifier: GPL-2.0-or-later
/* Addresses of breakpoints in processes and the kernel: see breakpoint.h. */
#include "profiler/record/breakpoint.h"

#include <elf.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/elf/image.h"
#include "profiler/base/memory.h"
#include "profiler/record/process_map.h"

bool breakpoint_pending(const struct event_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].symbol)
			return true;
	}
	return false;
}

/* What was added to the object's addresses when it was loaded, by one of its executable maps. */
static struct error *load_bias(const char *path, const struct process_map *map, uint64_t *bias)
{
	struct elf_image *image;
	uint64_t address;
	bool found;

	RETURN_ERROR(elf_image_open(path, &image));
	found = elf_image_offset_to_address(image, map->offset, &address);
	*bias = found ? map->start - address : 0;
	elf_image_close(image);
	return found ? NULL : error_create(ERROR_FORMAT, "%s: its map is of none of its segments", map->path);
}

/* The first object of the process, in the order of its maps, that knows the name. */
static struct error *find_in_process(pid_t pid, const char *name, struct named_place *place)
{
	_cleanup_process_maps_ struct process_maps maps = { 0 };
	struct error *last = NULL;

	RETURN_ERROR(process_maps_read(pid, &maps));
	for (size_t i = 0; i < maps.count; i++) {
		const struct process_map *map = &maps.items[i];
		uint64_t bias;

		if (!(map->protection & PROCESS_MAP_EXECUTE) || *map->path != '/')
			continue;
		_cleanup_free_ char *path = xasprintf("/proc/%d/root%s", pid, map->path);

		error_free(last);
		last = breakpoint_find(path, name, place);
		/* Not here, or not an object that can be read: the next may have it. */
		if (last && last->code != ERROR_OTHER)
			continue;
		if (!last)
			last = load_bias(path, map, &bias);
		if (!last)
			place->address += bias;
		return last;
	}
	error_free(last);
	return error_create(
		ERROR_NOT_FOUND,
		"breakpoint '%s': no object of process %d has a variable or function of that name", name,
		pid);
}

/* Kernel symbols have no sizes in kallsyms. */
static struct error *find_in_kernel(const char *root, const char *name, struct named_place *place)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/kallsyms", root);
	_cleanup_free_ char *line = NULL;
	FILE *file = fopen(path, "re");
	size_t capacity = 0;
	bool found = false;

	while (file && !found && getline(&line, &capacity, file) > 0) {
		uint64_t address;
		char type, symbol[256];

		found = sscanf(line, "%lx %c %255s", &address, &type, symbol) == 3 && address &&
			strcmp(symbol, name) == 0;
		if (found)
			*place = (struct named_place){ .address = address };
	}
	if (file)
		fclose(file);
	return found ? NULL
		     : error_create(ERROR_NOT_FOUND,
				    "breakpoint '%s': the kernel has no symbol of that name that may be seen",
				    name);
}

/* The hardware watches 1, 2, 4 or 8 bytes at a multiple of that: what of the place can be watched, from its
 * start. */
static uint64_t watched_length(const struct named_place *place)
{
	uint64_t length = sizeof(long);

	while (length > 1 && ((place->size && length > place->size) || place->address % length))
		length /= 2;
	return length;
}

static struct error *resolve(struct event_spec *spec, const char *root, const struct thread_ids *processes)
{
	struct named_place place = { 0 };

	if (!processes->count)
		RETURN_ERROR(find_in_kernel(root, spec->symbol, &place));
	for (size_t i = 0; i < processes->count; i++) {
		struct named_place other = { 0 };

		RETURN_ERROR(find_in_process(processes->ids[i], spec->symbol, &other));
		if (i && other.address != place.address)
			return error_create(
				ERROR_OTHER,
				"breakpoint '%s' is at another address in each process: record one at a time",
				spec->symbol);
		place = other;
	}
	spec->attr.bp_addr = place.address;
	if (!spec->attr.bp_len)
		spec->attr.bp_len = watched_length(&place);
	free(spec->symbol);
	spec->symbol = NULL;
	return NULL;
}

struct error *breakpoint_resolve(struct event_list *list, const char *root,
				 const struct thread_ids *processes)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->items[i].symbol)
			RETURN_ERROR(resolve(&list->items[i], root, processes));
	}
	return NULL;
}
