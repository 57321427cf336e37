/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Source files by line, as far as they can be read here. */
#ifndef DTPROF_COMMANDS_SOURCE_FILE_H
#define DTPROF_COMMANDS_SOURCE_FILE_H

#include <stddef.h>

struct source_file;

/* Zero-initialized is empty. Each file is read once, also if it cannot be. */
struct source_files {
	struct source_file *items;
	size_t count, capacity;
};

/* Line `number` (from 1) without its newline; NULL: no such file, or it has no such line. Lives as long as
 * `files`. */
const char *source_files_line(struct source_files *files, const char *path, unsigned int number);
void source_files_release(struct source_files *files);

#endif
