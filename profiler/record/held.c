// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements held.h. */
#include "profiler/record/held.h"

#include <sys/resource.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/record/ring.h"

/* Opens `path` if it is regular, of the inode and build id of `file`. Returns it, or -1. */
static int open_if_right(const char *path, const struct mapped_file *file)
{
	struct build_id id = { 0 };
	struct stat status;
	int fd;
	_cleanup_error_ struct error *error = ordinary_file_open(path, &fd, &status);

	if (!error && (!file->inode || status.st_ino == file->inode) &&
	    (!file->id.size || (build_id_of_file(fd, &id) && build_id_equal(&id, &file->id))))
		return fd;
	closep(&fd);
	return -1;
}

/* The link of a map is the mapped file itself, whatever inode its file system shows. */
int mapped_file_open(const struct mapped_file *file)
{
	struct mapped_file by_link = *file;
	_cleanup_free_ char *name = xasprintf("/proc/%d/root%s", file->pid, file->path);
	_cleanup_free_ char *link =
		xasprintf("/proc/%d/map_files/%lx-%lx", file->pid, file->start, file->end);
	_cleanup_free_ char *program = xasprintf("/proc/%d/exe", file->pid);
	int fd = file->inode || file->id.size ? open_if_right(name, file) : -1;

	by_link.inode = 0;
	if (fd < 0)
		fd = open_if_right(link, &by_link);
	return fd < 0 && (file->inode || file->id.size) ? open_if_right(program, file) : fd;
}

/* ---- files that are held ---- */

/* Most files that are held. Recordings of a program need a few dozen. */
#define HELD_FILES_MAX 256
/* Descriptors that are left for others. */
#define OTHER_FILES 64

/* Returns whether the process has other folders than this one: a container, a chroot. */
static bool lives_apart(struct held_files *files, pid_t pid)
{
	_cleanup_free_ char *namespace = xasprintf("/proc/%d/ns/mnt", pid);
	_cleanup_free_ char *root = xasprintf("/proc/%d/root", pid);

	if (files->pid != pid) {
		files->pid = pid;
		files->apart = !same_file(namespace, "/proc/self/ns/mnt", true) ||
			       !same_file(root, "/", true);
	}
	return files->apart;
}

/* Returns whether the file is not found by its name here, but only by its process. */
static bool is_hidden(struct held_files *files, const struct mapped_file *file)
{
	return ends_with(file->path, " (deleted)") || lives_apart(files, file->pid);
}

/* Larger files without a build id get no other. */
#define CONTENT_MAX (256 << 20)

/* Sets the id of a file without a build id to that of its content, so that it can be kept. One that
 * others find by its name keeps its lack. */
static bool make_id(int fd, struct mapped_file *file)
{
	_cleanup_free_ uint8_t *chunk = xmalloc(CONTENT_CHUNK);
	struct build_id id = { 0 };
	_cleanup_free_ char *opened = xasprintf(OPEN_FILE_FOLDER "%d", fd);
	struct stat held;
	off_t at = 0;

	if (fstat(fd, &held) || held.st_size > CONTENT_MAX || same_file(file->path, opened, false))
		return false;
	while (at < held.st_size) {
		size_t size = held.st_size - at < CONTENT_CHUNK ? (size_t)(held.st_size - at)
								: CONTENT_CHUNK;

		if (!file_has_at(fd, chunk, size, at))
			return false;
		build_id_add_content(&id, chunk, size);
		at += size;
	}
	file->id = id;
	return at > 0;
}

int held_files_find(const struct held_files *files, const struct build_id *id)
{
	for (size_t i = 0; i < files->count; i++)
		if (build_id_equal(&files->items[i].id, id))
			return files->items[i].fd;
	return -1;
}

void held_files_add(struct held_files *files, struct mapped_file *file)
{
	struct rlimit limit;

	if (files->full || *file->path != '/' || file->path[1] == '/' || file->pid <= 0 ||
	    (file->id.size && held_files_find(files, &file->id) >= 0))
		return;

	bool hidden = is_hidden(files, file);

	if (!hidden && !files->all)
		return;

	int fd = mapped_file_open(file);

	if (fd < 0)
		return;
	if ((!file->id.size && !build_id_of_file(fd, &file->id) &&
	     !(hidden && make_id(fd, file))) ||
	    held_files_find(files, &file->id) >= 0) {
		close(fd);
		return;
	}
	array_add(files->items, files->count, files->capacity) =
		(struct held_file){ .id = file->id, .fd = fd };
	files->full =
		files->count >= HELD_FILES_MAX || (getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
						   (rlim_t)fd + OTHER_FILES >= limit.rlim_cur);
}

void held_files_deinit(struct held_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		close(files->items[i].fd);
	free(files->items);
	*files = (struct held_files){ 0 };
}
