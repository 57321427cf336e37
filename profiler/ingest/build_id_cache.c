// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * FOLDER/.build-id/XX/REST is a link to the folder that the files of a build id are in. Of older perfs it is
 * one to the file itself, which says nothing of its kind.
 */
#include "profiler/ingest/build_id_cache.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/base/ordinary_file.h"

/* A list of symbols begins with an address, which no object does, compressed or not. */
static bool is_symbol_list(const char *path)
{
	struct stat status;
	unsigned char first;
	int file;
	struct error *error = ordinary_file_open(path, &file, &status);

	if (error) {
		error_destroy(error);
		return false;
	}
	bool result = read(file, &first, 1) == 1 && isxdigit(first);

	close(file);
	return result;
}

/* In the older layout there is one file of a build id: the object, or the kernel's symbols. */
static bool may_be(const char *path, const char *name)
{
	if (!strcmp(name, "kallsyms"))
		return is_symbol_list(path);
	return (!strcmp(name, "elf") || !strcmp(name, "vdso")) && !is_symbol_list(path);
}

char *build_id_cache_path(const char *folder, const struct build_id *build_id, const char *name)
{
	const char *home = getenv("HOME");
	char text[2 * BUILD_ID_SIZE + 1];

	if ((!folder && !home) || build_id->size < 2)
		return NULL;
	build_id_format(build_id, text);
	char *place = xasprintf("%s%s/.build-id/%.2s/%s", folder ? folder : home, folder ? "" : "/.debug",
				text, text + 2);

	if (ordinary_file_exists(place) && may_be(place, name))
		return place;
	char *path = xasprintf("%s/%s", place, name);

	free(place);
	if (ordinary_file_exists(path))
		return path;
	free(path);
	return NULL;
}
