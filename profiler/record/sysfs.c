// SPDX-License-Identifier: GPL-2.0-or-later
/* Small text files of the machine: see sysfs.h. */
#include "profiler/record/sysfs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/base/words.h"
#include "profiler/base/strbuf.h"

/* Bytes that are read of a file. A list of kernel modules or mounts has a tenth of this. */
#define FILE_SIZE_MAX (1 << 20)

static char *rooted_path(const char *root, const char *format, va_list arguments)
{
	char *path = xvasprintf(format, arguments);
	char *rooted = xasprintf("%s%s", root, path);

	free(path);
	return rooted;
}

static char *read_whole(const char *path)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char block[4096];
	ssize_t length;

	if (fd < 0)
		return NULL;
	while ((length = read(fd, block, sizeof(block))) > 0 && text.length < FILE_SIZE_MAX)
		strbuf_add(&text, block, length);
	if (length < 0)
		return NULL;
	while (text.length && text.data[text.length - 1] == '\n')
		text.data[--text.length] = '\0';
	return text.length ? strbuf_detach(&text) : xstrdup("");
}

char *sysfs_read(const char *root, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *path = rooted_path(root, format, arguments);
	va_end(arguments);
	return read_whole(path);
}

bool sysfs_read_number(int64_t *result, const char *root, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *path = rooted_path(root, format, arguments);
	va_end(arguments);
	_cleanup_free_ char *text = read_whole(path);
	char *end;

	if (!text || !*text)
		return false;
	errno = 0;
	long long value = strtoll(text, &end, 0);

	if (errno || end == text || (*end && !isspace((unsigned char)*end)))
		return false;
	*result = value;
	return true;
}

bool sysfs_exists(const char *root, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *path = rooted_path(root, format, arguments);
	va_end(arguments);
	return access(path, F_OK) == 0;
}

static int compare_names(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

struct name_list sysfs_list(const char *root, const char *format, ...)
{
	struct name_list list = { 0 };
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *path = rooted_path(root, format, arguments);
	va_end(arguments);
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		return list;
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] != '.')
			name_list_add(&list, entry->d_name);
	}
	closedir(directory);
	if (list.count)
		qsort(list.names, list.count, sizeof(*list.names), compare_names);
	return list;
}

void name_list_add(struct name_list *list, const char *name)
{
	array_reserve(list->names, list->count, list->capacity);
	list->names[list->count++] = xstrdup(name);
}

bool name_list_has(const struct name_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->names[i], name) == 0)
			return true;
	}
	return false;
}

void name_list_add_once(struct name_list *list, const char *name)
{
	if (!name_list_has(list, name))
		name_list_add(list, name);
}

void name_list_deinit(struct name_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct name_list){ 0 };
}

const char *nearest_name(const char *wanted, const struct name_list *names)
{
	struct nearest nearest = { .word = wanted };

	for (size_t i = 0; i < names->count; i++)
		nearest_consider(&nearest, names->names[i]);
	return nearest.best;
}
