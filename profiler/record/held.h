/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files that processes have mapped, as their processes see them.
 *
 * A name in the record of a map may be that of another file by now, or of none: a deleted file, a
 * memfd, a file of a container. Only the recorder can still read such a file, and only while it is
 * mapped; so it holds the descriptor until the recording ends and the file can be copied.
 */
#pragma once

#include <sys/types.h>

#include "dwarf/elf/image.h"

struct mapped_file {
	pid_t pid;
	uint64_t start, end;
	const char *path;   /* as in the map */
	uint64_t inode;     /* 0: not known */
	struct build_id id; /* size 0: not known */
};

/* Opens a mapped file by its name in the file system of the process, through the map, or as the
 * program of the process, by inode and build id. Returns the descriptor, or -1. */
int mapped_file_open(const struct mapped_file *file);

struct held_file {
	struct build_id id;
	int fd;
};

/* Zero-initialized is empty. */
struct held_files {
	struct held_file *items;
	size_t count, capacity;
	bool all;   /* hold every file, not only those without a name in this process's folders */
	bool full;  /* no more are held: descriptors are needed for other things */
	pid_t pid;  /* the process that was asked about last, */
	bool apart; /* and whether it sees other folders than this process */
};

/* Holds a mapped file that is not held yet, if it has a build id, or is found by its process alone.
 * Sets file->id if it is not known; a file without a build id gets one of its content. */
void held_files_add(struct held_files *files, struct mapped_file *file);
/* Returns the descriptor of the file with this build id, or -1. It belongs to `files`. */
int held_files_find(const struct held_files *files, const struct build_id *id);
void held_files_deinit(struct held_files *files);
