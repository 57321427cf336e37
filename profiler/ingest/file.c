// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements file.h. */
#include "profiler/ingest/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/base/ordinary_file.h"

/* ---- spools ---- */

/* Bytes of a spool's buffer: its first size, and the size from which on it is written to a file. */
#define SPOOL_FIRST_CAPACITY ((size_t)64 << 10)
#define SPOOL_MEMORY_MAX     ((size_t)4 << 20)

static const char *spool_directory(void)
{
	const char *directory = getenv("TMPDIR");

	return directory && *directory ? directory : "/tmp";
}

static struct error *spool_create_file(struct spool *spool)
{
	const char *directory = spool_directory();

	spool->fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (spool->fd >= 0)
		return NULL;
	/* Some file systems lack O_TMPFILE. */
	_cleanup_free_ char *path = xasprintf("%s/dtprof-XXXXXX", directory);

	spool->fd = mkostemp(path, O_CLOEXEC);
	if (spool->fd < 0)
		return error_errno(
			errno,
			"cannot create a temporary file in %s (set TMPDIR to a folder with room)",
			directory);
	unlink(path);
	return NULL;
}

static struct error *spool_flush(struct spool *spool)
{
	if (spool->fd < 0)
		RETURN_ERROR(spool_create_file(spool));
	for (size_t done = 0; done < spool->used;) {
		ssize_t count = write(spool->fd, spool->buffer + done, spool->used - done);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return error_errno(count ? errno : ENOSPC,
					   "cannot write to a temporary file in %s (set TMPDIR to "
					   "a folder with room)",
					   spool_directory());
		done += (size_t)count;
	}
	spool->written += spool->used;
	spool->used = 0;
	return NULL;
}

/* Makes room for at least one more byte. */
static struct error *spool_reserve(struct spool *spool)
{
	if (spool->used < spool->capacity)
		return NULL;
	if (spool->capacity == SPOOL_MEMORY_MAX)
		return spool_flush(spool);
	spool->capacity = spool->capacity ? 4 * spool->capacity : SPOOL_FIRST_CAPACITY;
	spool->buffer = xrealloc_array(spool->buffer, spool->capacity, 1);
	return NULL;
}

struct error *spool_add(struct spool *spool, const void *data, size_t size)
{
	const uint8_t *bytes = data;

	while (size) {
		RETURN_ERROR(spool_reserve(spool));
		size_t room = spool->capacity - spool->used;
		size_t part = size < room ? size : room;

		memcpy(spool->buffer + spool->used, bytes, part);
		spool->used += part;
		bytes += part;
		size -= part;
	}
	return NULL;
}

/* Adds everything up to the end of `fd`; `name` is for messages. */
static struct error *spool_read(struct spool *spool, int fd, const char *name)
{
	for (;;) {
		RETURN_ERROR(spool_reserve(spool));
		ssize_t count =
			read(fd, spool->buffer + spool->used, spool->capacity - spool->used);

		if (count < 0 && errno == EINTR)
			continue;
		if (count < 0)
			return error_errno(errno, "cannot read %s", name);
		if (count == 0)
			return NULL;
		spool->used += (size_t)count;
	}
}

struct error *spool_finish(struct spool *spool, const uint8_t **data, size_t *size)
{
	if (spool->fd < 0) {
		RETURN_ERROR(spool_reserve(spool)); /* for a pointer that is not NULL */
		*data = spool->buffer;
		*size = spool->used;
		return NULL;
	}
	RETURN_ERROR(spool_flush(spool));
	void *mapping = mmap(NULL, spool->written, PROT_READ, MAP_PRIVATE, spool->fd, 0);

	if (mapping == MAP_FAILED)
		return error_errno(errno, "cannot map a temporary file in %s", spool_directory());
	spool->mapping = mapping;
	spool->mapped = spool->written;
	free(spool->buffer);
	spool->buffer = NULL;
	spool->capacity = 0;
	*data = mapping;
	*size = spool->mapped;
	return NULL;
}

void spool_deinit(struct spool *spool)
{
	if (spool->mapping)
		munmap(spool->mapping, spool->mapped);
	if (spool->fd >= 0)
		close(spool->fd);
	free(spool->buffer);
	*spool = (struct spool)SPOOL_INIT;
}

/* ---- files ---- */

static struct error *perf_file_map(struct perf_file *file, int fd, uint64_t size)
{
	/*
	 * If somebody shortens the file meanwhile, reading it raises SIGBUS (commands/bus_error.h).
	 * Copying it would cost more.
	 */
	void *mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (mapping == MAP_FAILED)
		return error_errno(errno, "cannot map %s", file->name);
	file->mapping = mapping;
	file->data = mapping;
	file->size = size;
	return NULL;
}

/* Maps a file from its start, and spools everything else. */
static struct error *perf_file_load(struct perf_file *file, int fd, bool force)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return error_errno(errno, "cannot read %s", file->name);
	if (S_ISDIR(status.st_mode))
		return error_create(ERROR_FORMAT,
				    "%s is a folder without a file 'data': not perf data",
				    file->name);
	if (S_ISREG(status.st_mode) && fd != STDIN_FILENO && !force && status.st_uid != 0 &&
	    status.st_uid != geteuid())
		return error_create(
			ERROR_PERMISSION,
			"file %s not owned by current user or root (use -f to override)",
			file->name);
	if (S_ISREG(status.st_mode) && status.st_size == 0)
		return error_create(ERROR_FORMAT, "%s is empty: not perf data", file->name);
	file->modified = status.st_mtime;
	if (S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_CUR) == 0)
		return perf_file_map(file, fd, (uint64_t)status.st_size);
	RETURN_ERROR(spool_read(&file->spool, fd, file->name));
	return spool_finish(&file->spool, &file->data, &file->size);
}

/* Closes the file if there is an error. Returns the error. */
static struct error *perf_file_finish(struct perf_file *file, struct error *error)
{
	if (error)
		perf_file_close(file);
	return error;
}

struct error *perf_file_open_inside(const char *folder, const char *name, bool force,
				    struct perf_file *file)
{
	_cleanup_close_ int opened = -1;
	struct stat status;

	*file = (struct perf_file){ .spool = SPOOL_INIT, .name = xasprintf("%s/%s", folder, name) };
	struct error *error = ordinary_file_open(file->name, &opened, &status);

	return perf_file_finish(file, error ? error : perf_file_load(file, opened, force));
}

struct error *perf_file_open(const char *path, bool force, struct perf_file *file)
{
	_cleanup_free_ char *data = xasprintf("%s/data", path);
	_cleanup_close_ int opened = -1;

	/* A folder of `perf record --threads`: 'data' has the header. */
	if (access(data, F_OK) == 0)
		return perf_file_open_inside(path, "data", force, file);
	*file = (struct perf_file){ .spool = SPOOL_INIT };
	if (strcmp(path, "-") == 0) {
		file->name = xstrdup("standard input");
		return perf_file_finish(file, perf_file_load(file, STDIN_FILENO, force));
	}
	file->name = xstrdup(path);
	opened = open(path, O_RDONLY | O_CLOEXEC);
	if (opened < 0)
		return perf_file_finish(file, error_errno(errno, "cannot open %s", path));
	return perf_file_finish(file, perf_file_load(file, opened, force));
}

void perf_file_open_memory(const void *data, size_t size, struct perf_file *file)
{
	*file = (struct perf_file){
		.data = data, .size = size, .name = xstrdup("memory"), .spool = SPOOL_INIT
	};
}

void perf_file_close(struct perf_file *file)
{
	if (file->mapping)
		munmap(file->mapping, file->size);
	if (file->name) /* a file that is all zero was never opened */
		spool_deinit(&file->spool);
	free(file->name);
	*file = (struct perf_file){ .spool = SPOOL_INIT };
}

void perf_file_done_with(const struct perf_file *file)
{
	if (file->mapping)
		(void)madvise(file->mapping, file->size, MADV_DONTNEED);
}
