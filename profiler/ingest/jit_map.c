// SPDX-License-Identifier: GPL-2.0-or-later
/* What a just-in-time compiler says of the code that it made: see jit_map.h. */
#include "profiler/ingest/jit_map.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/base/memory.h"

/* Names are longer in no runtime that is known: what is behind is left out. */
#define MAP_LINE_MAX 16384
#define READ_SIZE    65536
/* Many times what a runtime writes in days; reading on would take minutes, in a file that is mostly holes. */
#define FILE_MAX ((off_t)4 << 30)

struct jit_line {
	struct symbol symbol;
	size_t order; /* in the file */
};

static int jit_line_compare(const void *left, const void *right)
{
	const struct jit_line *a = left;
	const struct jit_line *b = right;

	if (a->symbol.address != b->symbol.address)
		return a->symbol.address < b->symbol.address ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static bool jit_map_line(struct jit_map *map, const char *line, struct symbol *symbol)
{
	char *end;

	*symbol = (struct symbol){ .type = STT_FUNC, .binding = STB_GLOBAL };
	symbol->address = strtoull(line, &end, 16);
	if (end == line || *end != ' ')
		return false;
	const char *size = end;

	symbol->size = strtoull(size, &end, 16);
	if (end == size || *end != ' ')
		return false;
	end += strspn(end, " ");
	size_t length = strcspn(end, "\n");

	if (!length)
		return false;
	symbol->name = arena_strndup(&map->arena, end, length);
	return true;
}

/* Code is made anew at addresses that were in use before: the file's last word holds. */
static void jit_map_fill(struct jit_map *map, struct jit_line *lines, size_t count)
{
	if (!count)
		return;
	qsort(lines, count, sizeof(*lines), jit_line_compare);
	map->symbols = xcalloc(count, sizeof(*map->symbols));
	for (size_t i = 0; i < count; i++) {
		if (map->count && map->symbols[map->count - 1].address == lines[i].symbol.address)
			map->count--;
		map->symbols[map->count++] = lines[i].symbol;
	}
}

/* `name` in `folder`; `path` is for messages. */
static struct error *jit_map_open(int folder, const char *name, const char *path, bool force, FILE **file)
{
	_cleanup_close_ int descriptor = -1;
	struct stat status;

	/* what is no file is not opened: that alone may do something */
	if (fstatat(folder, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return error_errno(errno, "cannot open %s", path);
	if (S_ISREG(status.st_mode)) {
		descriptor = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
		if (descriptor < 0 || fstat(descriptor, &status) < 0)
			return error_errno(errno, "cannot open %s", path);
	}
	if (!S_ISREG(status.st_mode))
		return error_create(ERROR_FORMAT, "%s is no ordinary file", path);
	if (status.st_size > FILE_MAX)
		return error_create(ERROR_FORMAT, "%s is no map of symbols: it is larger than 4 GB", path);
	if (!force && status.st_uid != 0 && status.st_uid != geteuid())
		return error_create(ERROR_PERMISSION,
				    "%s not owned by current user or root: not used (use -f to override)",
				    path);
	if (!(*file = fdopen(descriptor, "r")))
		return error_errno(errno, "cannot read %s", path);
	descriptor = -1;
	return NULL;
}

/* Closes the file. */
static struct error *jit_map_parse(FILE *file, const char *path, struct jit_map *map)
{
	_cleanup_free_ struct jit_line *lines = NULL;
	struct error *error = NULL;
	char line[MAP_LINE_MAX];
	bool whole = true;
	size_t number = 0; /* of the line */
	size_t count = 0;
	size_t capacity = 0;

	setvbuf(file, NULL, _IOFBF, READ_SIZE);
	while (!error && fgets(line, sizeof(line), file)) {
		bool begins = whole;
		size_t length = strlen(line);

		number += begins;
		whole = length && line[length - 1] == '\n';
		/* fgets() would have gone on, if not for a NUL: a hole has billions */
		if (!whole && length < sizeof(line) - 1 && !feof(file))
			error = error_create(ERROR_FORMAT, "%s is no text at line %zu: not read further",
					     path, number);
		if (!begins || error)
			continue;
		array_reserve(lines, count, capacity);
		lines[count].order = count;
		if (jit_map_line(map, line, &lines[count].symbol))
			count++;
	}
	fclose(file);
	jit_map_fill(map, lines, count);
	return error;
}

struct error *jit_map_read(const char *path, bool force, struct jit_map *map)
{
	FILE *file = NULL;

	*map = (struct jit_map){ 0 };
	RETURN_ERROR(jit_map_open(AT_FDCWD, path, path, force, &file));
	return jit_map_parse(file, path, map);
}

/* The number that a process has in its own namespace: the last of "NStgid: 4711 1" (proc_pid_status(5)). */
static struct error *number_inside(int32_t pid, int *number)
{
	static const char key[] = "NStgid:";
	_cleanup_free_ char *line = NULL;
	char path[64];
	size_t size = 0;
	bool found = false;

	snprintf(path, sizeof(path), "/proc/%" PRId32 "/status", pid);

	FILE *file = fopen(path, "re");

	if (!file)
		return error_errno(errno, "cannot open %s", path);
	while (!found && getline(&line, &size, file) > 0) {
		const char *last = strrchr(line, '\t');

		found = !strncmp(line, key, sizeof(key) - 1) && last && sscanf(last, "%d", number) == 1;
	}
	fclose(file);
	return found ? NULL : error_create(ERROR_NOT_FOUND, "%s has no %s", path, key);
}

struct error *jit_map_read_inside(int32_t pid, bool force, struct jit_map *map)
{
	_cleanup_close_ int root = -1, folder = -1;
	char path[96], name[32];
	FILE *file = NULL;
	int number;

	*map = (struct jit_map){ 0 };
	RETURN_ERROR(number_inside(pid, &number));
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/root", pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* a link in there would lead to files out here */
	if (root >= 0)
		folder = openat(root, "tmp", O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	snprintf(name, sizeof(name), "perf-%d.map", number);
	snprintf(path, sizeof(path), "/proc/%" PRId32 "/root/tmp/%s", pid, name);
	if (folder < 0)
		return error_create(ERROR_NOT_FOUND, "cannot open the folder of %s", path);
	RETURN_ERROR(jit_map_open(folder, name, path, force, &file));
	return jit_map_parse(file, path, map);
}

const struct symbol *jit_map_find(const struct jit_map *map, uint64_t address)
{
	size_t low = 0;
	size_t high = map->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (map->symbols[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || address - map->symbols[low - 1].address >= map->symbols[low - 1].size)
		return NULL;
	return &map->symbols[low - 1];
}

void jit_map_deinit(struct jit_map *map)
{
	free(map->symbols);
	arena_deinit(&map->arena);
	*map = (struct jit_map){ 0 };
}
