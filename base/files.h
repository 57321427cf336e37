/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that root and others share: whose files are believed, and how results are written.
 *
 * dtprof runs as root in folders that others may write to. A file is believed if nobody but the
 * user or root can have written it. A result gets its name only when it is complete, so that a full
 * disk, a signal or an error never leaves a part of one, and never destroys what was there.
 */
#pragma once

#include <stdio.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/strbuf.h"

/* Returns NULL if the file is believed, else the reason as the end of a sentence ("not owned by
 * current user or root"). It is believed if its owner is the effective user or root, and no other
 * may write it. The group of a user alone, which has the user's number, is no other. */
const char *file_distrust(const struct stat *status);

/* Returns NULL if nobody but the user or root can change or replace what is in a folder, else the
 * reason as above: it and all folders around it are believed. `sticky`: it may be one of everybody
 * in which only owners replace what is there, such as /tmp, as those around it may. */
const char *folder_distrust(const char *path, bool sticky);

/* Opens a regular file that is believed for reading. Returns ERROR_PERMISSION with the reason if it
 * is not believed, ERROR_FORMAT if it is not a regular file. The last part of the path may be a
 * link, since what it leads to is judged. The caller closes *fd, which is -1 after an error. */
struct error *believed_file_open(const char *path, int *fd);

/* Opens the folder `path` below the descriptor `at`, and with `make` makes it and those above it.
 * Returns -1 if there is none, or if one of them is a link or is not believed: root must not write
 * where a link in the folder of another user leads. The caller closes the descriptor. */
int believed_folder_open(int at, const char *path, bool make);

/* Opens the user's folder `name` of a kind: in the one that a variable of freedesktop.org's base
 * directories has `chosen` ($XDG_CACHE_HOME), else `below` $HOME (".cache"); with `make` makes it.
 * Returns -1 if there is none, or if it is not believed: sudo and su may leave another user's home
 * in the environment. *path, to be freed, is its path, NULL without a home; or `path` is NULL. */
int own_folder_open(const char *chosen, const char *below, const char *name, bool make,
		    char **path);

/* Closes a file that was read to its end, or as far as was wanted. Returns an error if the reading
 * failed: functions of stdio(3) return the same at an error as at the end. `path` is for the
 * message. Call it right after the reading, because of errno. */
struct error *read_file_close(FILE *file, const char *path);

#define NOBODY 65534 /* the user and group whose rights everybody has */

/* The reader of a source file that debug information names. */
struct source_rights {
	const char *root; /* sources below this folder are read in any case; NULL: there is none */
	/* The owner of the program that names them. NOBODY: from elsewhere, or not known. */
	uid_t user;
	gid_t group;
};

/* Opens a source file, or returns ERROR_PERMISSION. A line table can name any file, so root reads
 * only what the user may read who called it by sudo, else the owner of the program. A program from
 * elsewhere gets only what everybody may read. *fd is to be closed, or -1. */
struct error *source_file_open(const char *path, const struct source_rights *rights, int *fd,
			       struct stat *status);

/* Appends the rest of a file or stream, and stops when there are more than `most` bytes. It is read
 * to its end, because files in /proc and /sys do not give their size. Returns false if it cannot be
 * read; errno says why. */
bool file_read_all(int fd, size_t most, struct strbuf *bytes);

/* Reads bytes at an offset, fewer only where the file ends or cannot be read (errno says why).
 * Returns how many. */
size_t file_read_at(int fd, void *buffer, size_t size, uint64_t offset);

/* Returns whether there are `size` bytes at the offset, and reads them. */
static inline bool file_has_at(int fd, void *buffer, size_t size, uint64_t offset)
{
	return file_read_at(fd, buffer, size, offset) == size;
}

/* Writes all bytes, at an offset, or (-1) where the file is. Returns 0, or an errno value. */
int file_write_all(int fd, const void *bytes, size_t size, int64_t offset);

/* Allows this process as many open files as the system lets it have. The soft limit is usually
 * 1024, and anybody may raise it to the hard one. Returns false if nothing changes. */
bool raise_file_limit(void);

/*
 * Reads a source file that source_file_open() opens, of at most `max` bytes. The caller frees
 * *text, which has a NUL after its end, and is NULL after an error.
 */
struct error *source_file_read(const char *path, const struct source_rights *rights, size_t max,
			       char **text, size_t *length);

/* Returns how many bytes may be unpacked from a packed file of `size` bytes, over all of its parts.
 * A ratio of each part is no bound: a file may have many, and each may claim the most. No debug
 * information, kernel or recording comes near this. */
static inline uint64_t unpacked_max(uint64_t size)
{
	const uint64_t small = (uint64_t)64 << 20, ratio = 64;

	return size < (UINT64_MAX - small) / ratio ? small + size * ratio : UINT64_MAX;
}

/* Fields of /proc/PID/stat by their numbers in proc(5). */
enum process_stat_field {
	PROCESS_STAT_FLAGS = 9,
	PROCESS_STAT_START = 22, /* in clock ticks since the machine started */
};

#define PROCESS_EXITING 0x4 /* of the flags: it has begun to end (PF_EXITING of linux/sched.h) */

/* Sets *value to the field. Returns false if there is no such process, or it cannot be seen. */
bool process_stat(int32_t pid, enum process_stat_field field, uint64_t *value);

/* Modes of results. A recording's has addresses and names of others: for its owner alone. */
#define OUTPUT_PRIVATE 0600
#define OUTPUT_PUBLIC  0666 /* less the umask */

/* A stream whose failed writes are remembered. stdio writes when its buffer is full, so the errno
 * of a failed write is often gone when the stream is asked for its state. */
struct written {
	int fd;
	int error_number; /* errno of the first write that failed; 0: none */
};

/* Returns a stream that writes to written->fd and does not close it; NULL with errno on failure. */
FILE *written_open(struct written *written);

/* A file that is being written. It has no name, or a temporary one where the file system has no
 * files without names, until output_file_close() gives it `path`. A path that is not a regular file
 * (a terminal, a pipe, /dev/null) is written in place. */
struct output_file {
	FILE *stream; /* of `written`; fileno() does not know it */
	struct written *written;
	char *path;
	char *temporary; /* NULL: it has no name */
	bool in_place;
};

/* Opens a device, a pipe or an open file of this process, as open(2) does with these flags. If a
 * regular file has taken its place meanwhile, returns -1, and errno is ESTALE. */
int in_place_open(const char *path, int flags);
/* Opens `path` for writing. Returns ERROR_OTHER if it is `input` (or NULL), which is read. */
struct error *output_file_open(const char *path, const char *input, mode_t mode,
			       struct output_file *output);

/* Closes the file, which replaces the one at its path if all of it was written and `wanted` is set.
 * Else the path is left as it was, and so is a file that this process has read (file_was_read()). A
 * zeroed struct is left as it is. */
struct error *output_file_close(struct output_file *output, bool wanted);

/* ---- /proc/kallsyms, or System.map ---- */

/* Opens a list of symbols, a regular file or pipe. *fd is -1 after an error. */
struct error *symbols_file_open(const char *path, int *fd);

struct kernel_symbol {
	uint64_t address; /* 0: hidden */
	char type;        /* as nm(1) has it */
	const char *name;
	const char *module; /* "[ext4]", "[bpf]"; "" for the kernel itself */
};

/* Calls `take` for each symbol of the file until it returns false. */
struct error *kallsyms_each(const char *path,
			    bool (*take)(void *data, const struct kernel_symbol *symbol),
			    void *data);

/* A symbol of the kernel itself whose address is wanted. */
struct kallsyms_mark {
	const char *name;
	uint64_t address; /* result; 0: there is none */
};

/* Sets the addresses of `marks`, which are 0, to those in the file. */
struct error *kallsyms_find(const char *path, struct kallsyms_mark *marks, size_t count);
