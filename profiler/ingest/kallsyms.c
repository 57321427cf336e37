// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of a kernel by a file of the form of /proc/kallsyms: see kallsyms.h. */
#include "profiler/ingest/kallsyms.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare_addresses(const void *left, const void *right)
{
	const struct symbol *a = left;
	const struct symbol *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* Text symbols alone; addresses are all 0 for whom kernel.kptr_restrict hides them from. */
static bool parse_line(struct jit_map *map, const char *line, struct symbol *symbol)
{
	char *end;

	*symbol = (struct symbol){ .type = STT_FUNC, .binding = STB_GLOBAL };
	symbol->address = strtoull(line, &end, 16);
	if (end == line || !symbol->address || end[0] != ' ' || !end[1] || !strchr("tTwW", end[1]) ||
	    end[2] != ' ')
		return false;
	size_t length = strcspn(end + 3, "\t\n");

	if (!length)
		return false;
	symbol->name = arena_strndup(&map->arena, end + 3, length);
	return true;
}

struct error *kallsyms_read(const char *path, struct jit_map *map)
{
	_cleanup_free_ char *line = NULL;
	size_t line_size = 0;
	size_t capacity = 0;
	FILE *file = fopen(path, "re");

	*map = (struct jit_map){ 0 };
	if (!file)
		return error_errno(errno, "cannot open %s", path);
	while (getline(&line, &line_size, file) > 0) {
		array_reserve(map->symbols, map->count, capacity);
		if (parse_line(map, line, &map->symbols[map->count]))
			map->count++;
	}
	fclose(file);
	if (!map->count)
		return error_create(ERROR_FORMAT, "%s has no addresses of functions", path);
	qsort(map->symbols, map->count, sizeof(*map->symbols), compare_addresses);
	for (size_t i = 0; i + 1 < map->count; i++)
		map->symbols[i].size = map->symbols[i + 1].address - map->symbols[i].address;
	return NULL;
}
