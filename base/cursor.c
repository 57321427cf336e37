// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements cursor.h: opening files. */
#include "base/cursor.h"

#include <fcntl.h>
#include <limits.h>
#include <pthread.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"

/* Returns the descriptor that a path of OPEN_FILE_FOLDER names, or -1. */
static int descriptor_of(const char *path)
{
	char *end;
	long number;

	if (!starts_with(path, OPEN_FILE_FOLDER))
		return -1;
	path += strlen(OPEN_FILE_FOLDER);
	number = strtol(path, &end, 10);
	return end == path || *end || number < 0 || number > INT_MAX ? -1 : (int)number;
}

/* Sets *status as stat(2) does, also for paths of OPEN_FILE_FOLDER where /proc is not mounted. */
static int file_status(const char *path, struct stat *status)
{
	int result = stat(path, status);

	if (result && errno == ENOENT && descriptor_of(path) >= 0)
		result = fstat(descriptor_of(path), status);
	return result;
}

/* Opens the regular file of `place`, a descriptor that only refers to it (O_PATH). What the path
 * names by now does not matter. Returns -1 if that is not possible: /proc is not mounted. */
static int reopen(int place)
{
	char link[sizeof(OPEN_FILE_FOLDER) + 12];

	snprintf(link, sizeof(link), OPEN_FILE_FOLDER "%d", place);
	return open(link, O_RDONLY | O_CLOEXEC);
}

/* Opens the file for reading. Where it cannot be judged before it is opened, this at least does not
 * block on a FIFO, and does not acquire a controlling terminal. */
static int file_open(int folder, const char *path, int place)
{
	int fd = place >= 0 ? reopen(place) : -1;

	if (fd < 0)
		fd = openat(folder, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 && errno == ENOENT && descriptor_of(path) >= 0) {
		fd = fcntl(descriptor_of(path), F_DUPFD_CLOEXEC, 0);
		if (fd >= 0)
			(void)lseek(fd, 0, SEEK_SET);
	}
	return fd;
}

/* ---- the folder that is believed ---- */

static struct {
	pthread_mutex_t lock;
	char *path;
	int fd; /* -1: it is not believed */
} believed = { .lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1 };

bool folder_believe(const char *path)
{
	struct stat status;

	pthread_mutex_lock(&believed.lock);
	if (!believed.path || strcmp(believed.path, path) != 0) {
		closep(&believed.fd);
		free(believed.path);
		believed.path = xstrdup(path);
		believed.fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (believed.fd >= 0 && (fstat(believed.fd, &status) || file_distrust(&status))) {
			close(believed.fd);
			believed.fd = -1;
		}
	}
	bool result = believed.fd >= 0;

	pthread_mutex_unlock(&believed.lock);
	return result;
}

/* Returns the descriptor from which the path is opened, and the rest of the path. */
static int start_of(const char *path, const char **rest)
{
	int folder = AT_FDCWD;

	*rest = path;
	pthread_mutex_lock(&believed.lock);
	if (believed.fd >= 0 && starts_with(path, believed.path) &&
	    path[strlen(believed.path)] == '/') {
		folder = believed.fd;
		*rest = path + strlen(believed.path);
		*rest += strspn(*rest, "/");
	}
	pthread_mutex_unlock(&believed.lock);
	return folder;
}

static struct error *open_regular(int folder, const char *name, const char *path, int *fd,
				  struct stat *status)
{
	_cleanup_close_ int place = openat(folder, name, O_PATH | O_CLOEXEC);
	struct error *error = NULL;

	*fd = -1;
	if (place >= 0 ? fstat(place, status) : folder != AT_FDCWD || file_status(name, status))
		return error_errno(errno, "%s", path);
	if (S_ISREG(status->st_mode)) {
		*fd = file_open(folder, name, place);
		if (*fd < 0 || fstat(*fd, status))
			error = error_errno(errno, "%s", path);
	}
	if (!error && !S_ISREG(status->st_mode))
		error = error_create(ERROR_FORMAT, "%s: not a regular file", path);
	if (error) {
		closep(fd);
		*fd = -1;
	}
	return error;
}

/* ---- the files that were read ---- */

static struct {
	pthread_mutex_t lock;
	struct read_file {
		dev_t device;
		ino_t inode;
	} * items;
	size_t count, capacity;
} read_files = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool is_listed(const struct stat *status)
{
	for (size_t i = read_files.count; i-- > 0;)
		if (read_files.items[i].inode == status->st_ino &&
		    read_files.items[i].device == status->st_dev)
			return true;
	return false;
}

static void list_read_file(const struct stat *status)
{
	pthread_mutex_lock(&read_files.lock);
	if (!is_listed(status)) {
		array_add(read_files.items, read_files.count, read_files.capacity) =
			(struct read_file){ status->st_dev, status->st_ino };
	}
	pthread_mutex_unlock(&read_files.lock);
}

bool file_was_read(const struct stat *status)
{
	pthread_mutex_lock(&read_files.lock);
	bool result = is_listed(status);

	pthread_mutex_unlock(&read_files.lock);
	return result;
}

struct error *ordinary_file_open_in(int folder, const char *name, const char *path, int *fd,
				    struct stat *status)
{
	RETURN_ERROR(open_regular(folder, name, path, fd, status));
	list_read_file(status);
	return NULL;
}

size_t ordinary_file_begin(const char *path, void *bytes, size_t size)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	const char *rest;
	int folder = start_of(path, &rest);
	_cleanup_error_ struct error *error = open_regular(folder, rest, path, &fd, &status);
	ssize_t count = error ? -1 : read(fd, bytes, size);

	return count < 0 ? 0 : (size_t)count;
}

struct error *ordinary_file_open(const char *path, int *fd, struct stat *status)
{
	const char *rest;
	int folder = start_of(path, &rest);

	return ordinary_file_open_in(folder, rest, path, fd, status);
}

bool ordinary_file_exists(const char *path)
{
	struct stat status;

	return file_status(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool same_file(const char *left, const char *right, bool unknown)
{
	struct stat a, b;

	if (stat(left, &a) < 0 || stat(right, &b) < 0)
		return unknown;
	return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

const char *temporary_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder && *folder ? folder : "/tmp";
}

struct error *temporary_file_error(int number)
{
	return error_errno(
		number, "cannot write to a temporary file in %s (set TMPDIR to a folder with room)",
		temporary_folder());
}

struct error *temporary_file_open(int *fd)
{
	*fd = open(temporary_folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*fd >= 0)
		return NULL;
	/* Some file systems lack O_TMPFILE. */
	_cleanup_free_ char *path = xasprintf("%s/dtprof-XXXXXX", temporary_folder());

	*fd = mkostemp(path, O_CLOEXEC);
	if (*fd < 0)
		return error_errno(
			errno,
			"cannot create a temporary file in %s (set TMPDIR to a folder with room)",
			temporary_folder());
	unlink(path);
	return NULL;
}
