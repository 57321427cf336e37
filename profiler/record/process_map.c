// SPDX-License-Identifier: GPL-2.0-or-later
/* Maps of a process: see process_map.h. */
#include "profiler/record/process_map.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "profiler/base/memory.h"

/* "7f0-7f8 r-xp 00001000 fd:01 1234   /path with spaces"; see proc(5). */
static bool parse_line(const char *line, struct process_map *map)
{
	char permissions[5];
	int path = 0;

	*map = (struct process_map){ 0 };
	if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &map->start, &map->end, permissions, &map->offset,
		   &map->major, &map->minor, &map->inode, &path) < 7 ||
	    strlen(permissions) != 4 || map->end <= map->start)
		return false;
	map->protection = (permissions[0] == 'r' ? PROT_READ : 0) | (permissions[1] == 'w' ? PROT_WRITE : 0) |
			  (permissions[2] == 'x' ? PROT_EXEC : 0);
	map->flags = permissions[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	map->path = xstrdup(path && line[path] ? line + path : "//anon");
	return true;
}

struct error *process_maps_read(pid_t pid, struct process_maps *maps)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/maps", pid);
	_cleanup_free_ char *line = NULL;
	FILE *file = fopen(path, "re");
	size_t capacity = 0;
	ssize_t length;

	if (!file)
		return error_errno(errno, "cannot read %s", path);
	while ((length = getline(&line, &capacity, file)) > 0) {
		struct process_map map;

		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (!parse_line(line, &map))
			continue;
		array_reserve(maps->items, maps->count, maps->capacity);
		maps->items[maps->count++] = map;
	}
	fclose(file);
	return NULL;
}

void process_maps_release(struct process_maps *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		free(maps->items[i].path);
	free(maps->items);
	*maps = (struct process_maps){ 0 };
}
