// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/source_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/base/ordinary_file.h"

#define SIZE_MAX_READ (64U << 20) /* no source is larger */

struct source_file {
	char *path;
	char *text; /* NULL: it cannot be read; its newlines are made NULs */
	const char **lines;
	size_t line_count;
};

/* What debug information names may be anything: a device, a pipe. Only ordinary files are read. */
static char *read_file(const char *path, size_t *size)
{
	int fd _cleanup_close_ = -1;
	struct stat status;
	struct error *error _cleanup_error_ = ordinary_file_open(path, &fd, &status);

	if (error || status.st_size > SIZE_MAX_READ)
		return NULL;

	char *text = xcalloc(1, (size_t)status.st_size + 1);
	size_t done = 0;

	while (done < (size_t)status.st_size) {
		ssize_t got = read(fd, text + done, (size_t)status.st_size - done);

		if (got <= 0)
			break;
		done += (size_t)got;
	}
	text[done] = '\0';
	*size = done;
	return text;
}

static void cut_lines(struct source_file *file, size_t size)
{
	size_t capacity = 0;

	for (char *line = file->text, *end = file->text + size; line < end;) {
		char *newline = memchr(line, '\n', (size_t)(end - line));

		array_reserve(file->lines, file->line_count, capacity);
		file->lines[file->line_count++] = line;
		if (!newline)
			break;
		*newline = '\0';
		if (newline > line && newline[-1] == '\r')
			newline[-1] = '\0';
		line = newline + 1;
	}
}

static struct source_file *find_or_read(struct source_files *files, const char *path)
{
	for (size_t i = 0; i < files->count; i++)
		if (!strcmp(files->items[i].path, path))
			return &files->items[i];
	array_reserve(files->items, files->count, files->capacity);

	struct source_file *file = &files->items[files->count++];
	size_t size;

	*file = (struct source_file){ .path = xstrdup(path), .text = read_file(path, &size) };
	if (file->text)
		cut_lines(file, size);
	return file;
}

const char *source_files_line(struct source_files *files, const char *path, unsigned int number)
{
	const struct source_file *file = find_or_read(files, path);

	return number && number <= file->line_count ? file->lines[number - 1] : NULL;
}

void source_files_release(struct source_files *files)
{
	for (size_t i = 0; i < files->count; i++) {
		free(files->items[i].path);
		free(files->items[i].text);
		free(files->items[i].lines);
	}
	free(files->items);
	*files = (struct source_files){ 0 };
}
