// SPDX-License-Identifier: GPL-2.0-or-later
/* The bytes of one file: see file.h. */
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

static struct error *perf_file_map(struct perf_file *file, int fd, uint64_t size)
{
	/* SIGBUS if somebody shortens it meanwhile is the price of not copying it: commands/bus_error.h. */
	void *mapping = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);

	if (mapping == MAP_FAILED)
		return error_errno(errno, "cannot map %s", file->name);
	file->mapping = mapping;
	file->data = mapping;
	file->size = size;
	return NULL;
}

static struct error *perf_file_load(struct perf_file *file, int fd, bool force)
{
	struct stat status;

	if (fstat(fd, &status) < 0)
		return error_errno(errno, "cannot read %s", file->name);
	if (S_ISDIR(status.st_mode))
		return error_create(ERROR_FORMAT, "%s is a folder without a file 'data': not perf data",
				    file->name);
	if (S_ISREG(status.st_mode) && fd != STDIN_FILENO && !force && status.st_uid != 0 &&
	    status.st_uid != geteuid())
		return error_create(ERROR_PERMISSION,
				    "file %s not owned by current user or root (use -f to override)",
				    file->name);
	if (S_ISREG(status.st_mode) && status.st_size == 0)
		return error_create(ERROR_FORMAT, "%s is empty: not perf data", file->name);
	if (S_ISREG(status.st_mode))
		file->modified = status.st_mtime;
	if (S_ISREG(status.st_mode) && lseek(fd, 0, SEEK_CUR) == 0)
		return perf_file_map(file, fd, (uint64_t)status.st_size);
	RETURN_ERROR(spool_read(&file->spool, fd, file->name));
	return spool_finish(&file->spool, &file->data, &file->size);
}

/* With an error, which it returns, the file is closed. */
static struct error *perf_file_finish(struct perf_file *file, struct error *error)
{
	if (error)
		perf_file_close(file);
	return error;
}

struct error *perf_file_open_inside(const char *folder, const char *name, bool force, struct perf_file *file)
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

	/* `perf record --threads` writes a folder, in which 'data' is the file with the header */
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
	if (file->name) /* else it was never opened, and the spool is no spool */
		spool_deinit(&file->spool);
	free(file->name);
	*file = (struct perf_file){ .spool = SPOOL_INIT };
}

void perf_file_done_with(const struct perf_file *file)
{
	if (file->mapping)
		(void)madvise(file->mapping, file->size, MADV_DONTNEED);
}
