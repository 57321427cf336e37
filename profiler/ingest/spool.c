// SPDX-License-Identifier: GPL-2.0-or-later
/* Bytes that come one after the other: see spool.h. */
#include "profiler/ingest/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "profiler/base/memory.h"

#define SPOOL_IN_MEMORY ((size_t)4 << 20)
#define SPOOL_FIRST     ((size_t)64 << 10)

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
	/* Not every file system has O_TMPFILE. */
	_cleanup_free_ char *path = xasprintf("%s/dtprof-XXXXXX", directory);

	spool->fd = mkostemp(path, O_CLOEXEC);
	if (spool->fd < 0)
		return error_errno(errno,
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
			return error_errno(
				count ? errno : ENOSPC,
				"cannot write to a temporary file in %s (set TMPDIR to a folder with room)",
				spool_directory());
		done += (size_t)count;
	}
	spool->written += spool->used;
	spool->used = 0;
	return NULL;
}

/* Room for at least one more byte. */
static struct error *spool_reserve(struct spool *spool)
{
	if (spool->used < spool->capacity)
		return NULL;
	if (spool->capacity == SPOOL_IN_MEMORY)
		return spool_flush(spool);
	spool->capacity = spool->capacity ? 4 * spool->capacity : SPOOL_FIRST;
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

struct error *spool_read(struct spool *spool, int fd, const char *name)
{
	for (;;) {
		RETURN_ERROR(spool_reserve(spool));
		ssize_t count = read(fd, spool->buffer + spool->used, spool->capacity - spool->used);

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
		RETURN_ERROR(spool_reserve(spool)); /* so that there is a pointer, if to nothing */
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
