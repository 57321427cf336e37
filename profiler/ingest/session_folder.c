// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings that are a folder (`perf record --threads`): 'data' with the header, and beside it records
 * alone in data.0, data.1 and so on, one a thread that recorded.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profiler/base/memory.h"
#include "profiler/ingest/session_private.h"

/* Positions of other streams than the file's own begin at multiples of this. */
#define STREAM_POSITIONS (1ULL << 44)

/* The N of each data.N. */
struct file_numbers {
	unsigned int *numbers;
	size_t count, capacity;
};

static void file_numbers_add(struct file_numbers *list, const char *name)
{
	unsigned int number;
	char written[24];

	if (sscanf(name, "data.%9u", &number) != 1)
		return;
	snprintf(written, sizeof(written), "data.%u", number);
	if (strcmp(name, written) != 0)
		return;
	array_reserve(list->numbers, list->count, list->capacity);
	list->numbers[list->count++] = number;
}

static int compare_numbers(const void *left, const void *right)
{
	unsigned int a = *(const unsigned int *)left, b = *(const unsigned int *)right;

	return a < b ? -1 : a > b;
}

static struct error *file_numbers_read(struct file_numbers *list, const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	if (!directory)
		return error_errno(errno, "cannot list %s", path);
	while ((entry = readdir(directory)))
		file_numbers_add(list, entry->d_name);
	closedir(directory);
	if (list->count)
		qsort(list->numbers, list->count, sizeof(*list->numbers), compare_numbers);
	return NULL;
}

/* The last ones may be missing as well: nothing says how many there were. */
static void warn_of_gaps(const struct session *session, const char *path, const struct file_numbers *list)
{
	unsigned int last = list->numbers[list->count - 1], first = 0;
	size_t missing = last + 1 - list->count;

	if (!missing)
		return;
	while (list->numbers[first] == first)
		first++;
	if (missing == 1)
		session_warn(session, "%s/data.%u is missing: what it held is not counted", path, first);
	else
		session_warn(session,
			     "%s: %zu of data.0 to data.%u are missing, the first is data.%u: what they held "
			     "is not counted",
			     path, missing, last, first);
}

static struct error *open_file(struct session *session, const char *path, unsigned int number)
{
	_cleanup_free_ char *name = xasprintf("data.%u", number);
	struct perf_file file;

	RETURN_ERROR(perf_file_open_inside(path, name, session->options.force, &file));
	session->more_files = xrealloc_array(session->more_files, session->more_count + 1, sizeof(file));
	session->more_files[session->more_count++] = file;
	session_add_stream(session, &(struct stream){
					    .data = file.data,
					    .size = file.size,
					    .base = session->stream_count * STREAM_POSITIONS,
					    .name = file.name,
				    });
	return NULL;
}

/* A thread that had nothing to write leaves an empty file. */
static bool is_empty(const char *path, unsigned int number)
{
	_cleanup_free_ char *name = xasprintf("%s/data.%u", path, number);
	struct stat status;

	return stat(name, &status) == 0 && S_ISREG(status.st_mode) && !status.st_size;
}

static struct error *open_files(struct session *session, const char *path, const struct file_numbers *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (!is_empty(path, list->numbers[i]))
			RETURN_ERROR(open_file(session, path, list->numbers[i]));
	return NULL;
}

struct error *session_open_folder(struct session *session, const char *path)
{
	struct file_numbers list = { 0 };
	struct error *error = path ? file_numbers_read(&list, path) : NULL;

	if (!error && list.count) {
		warn_of_gaps(session, path, &list);
		error = open_files(session, path, &list);
	} else if (!error && session->header.features[FEATURE_DIR_FORMAT].data) {
		session_warn(session,
			     "%s: what was recorded is in files data.0, data.1 ... beside it, %s: it is not "
			     "counted",
			     session->file.name,
			     path ? "which are missing" : "which are read if the folder is given");
	}
	free(list.numbers);
	return error;
}
