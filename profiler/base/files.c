// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements files.h. */
#include "profiler/base/files.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "profiler/base/cursor.h"
#include "profiler/base/memory.h"
#include "profiler/base/text.h"

const char *file_distrust(const struct stat *status)
{
	if (status->st_uid != 0 && status->st_uid != geteuid())
		return "not owned by current user or root";
	if (status->st_mode & S_IWOTH)
		return "writable by others";
	if ((status->st_mode & S_IWGRP) && status->st_gid != status->st_uid)
		return "writable by a group";
	return NULL;
}

struct error *believed_file_open(const char *path, int *fd)
{
	const char *why;
	struct stat status;

	RETURN_ERROR(ordinary_file_open(path, fd, &status));
	why = file_distrust(&status);
	if (!why)
		return NULL;
	close(*fd);
	*fd = -1;
	return error_create(ERROR_PERMISSION, "%s is %s", path, why);
}

/* ---- results */

/* Attempts to find a temporary name that is free. */
#define NAME_TRIES_MAX 100

static struct error *cannot_create(const char *path, int number)
{
	return error_errno(number, "cannot create '%s'", path);
}

/* Opens a file without a name in the folder of `path`; -1: the file system has none. */
static int open_nameless(const char *path, mode_t mode)
{
	_cleanup_free_ char *copy = xstrdup(path);

	return open(dirname(copy), O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

/* Returns a new name beside the path for the attempt `number`. */
static char *temporary_name(const char *path, unsigned int number)
{
	return xasprintf("%s.%d.%u", path, (int)getpid(), number);
}

static int open_named(struct output_file *output, mode_t mode)
{
	int fd = -1;

	for (unsigned int i = 0; i < NAME_TRIES_MAX && fd < 0; i++) {
		output->temporary = temporary_name(output->path, i);
		fd = open(output->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  mode);
		if (fd >= 0)
			break;
		free(output->temporary);
		output->temporary = NULL;
		if (errno != EEXIST)
			break;
	}
	return fd;
}

/*
 * Returns whether the path leads to something that is written in place: a device, a pipe, or an
 * open file of this process (/dev/stdout). A link to a regular file is replaced itself: somebody
 * else may have laid it.
 */
static bool is_in_place(const char *path)
{
	struct stat status;

	if (starts_with(path, "/dev/") || starts_with(path, "/proc/"))
		return true;
	return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

struct error *output_file_open(const char *path, const char *input, mode_t mode,
			       struct output_file *output)
{
	int fd;

	*output = (struct output_file){ 0 };
	if (!*path)
		return error_create(ERROR_OTHER, "the name of the output is empty");
	if (input && same_file(path, input, false))
		return error_create(ERROR_OTHER,
				    "'%s' is the recording that is read: the output needs another "
				    "name",
				    path);
	output->in_place = is_in_place(path);
	output->path = xstrdup(path);
	if (output->in_place) {
		fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	} else {
		fd = open_nameless(path, mode);
		if (fd < 0)
			fd = open_named(output, mode);
	}
	if (fd >= 0)
		output->stream = fdopen(fd, "w");
	if (!output->stream) {
		struct error *error = cannot_create(path, errno);

		if (fd >= 0)
			close(fd);
		free(output->path);
		output->path = NULL;
		return error;
	}
	return NULL;
}

/* Gives the file without a name a temporary one beside its path. Returns 0 or errno. */
static int give_name(struct output_file *output)
{
	_cleanup_free_ char *link = xasprintf(OPEN_FILE_FOLDER "%d", fileno(output->stream));
	int number = EEXIST;

	for (unsigned int i = 0; i < NAME_TRIES_MAX && number == EEXIST; i++) {
		char *name = temporary_name(output->path, i);

		number = linkat(AT_FDCWD, link, AT_FDCWD, name, AT_SYMLINK_FOLLOW) ? errno : 0;
		if (number == ENOENT) /* no /proc here */
			number = linkat(fileno(output->stream), "", AT_FDCWD, name, AT_EMPTY_PATH)
					 ? errno
					 : 0;
		if (number)
			free(name);
		else
			output->temporary = name;
	}
	return number;
}

/* Writes what is left and lets the file take its path. Returns 0 or errno. */
static int keep(struct output_file *output)
{
	if (fflush(output->stream) || ferror(output->stream))
		return errno ? errno : EIO;
	if (output->in_place)
		return 0;
	if (fsync(fileno(output->stream)) && errno != EINVAL)
		return errno;
	if (!output->temporary) {
		int number = give_name(output);

		if (number)
			return number;
	}
	if (rename(output->temporary, output->path))
		return errno;
	free(output->temporary);
	output->temporary = NULL;
	return 0;
}

struct error *output_file_close(struct output_file *output, bool wanted)
{
	struct error *error = NULL;
	int number;

	if (!output->stream)
		return NULL;
	errno = 0;
	number = wanted ? keep(output) : 0;
	if (fclose(output->stream) && wanted && !number)
		number = errno;
	if (number)
		error = error_errno(number, "cannot write '%s'", output->path);
	if (output->temporary)
		unlink(output->temporary);
	free(output->temporary);
	free(output->path);
	*output = (struct output_file){ 0 };
	return error;
}
