// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the files of a dso may be: see dso_paths.h. */
#include "profiler/ingest/dso_paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profiler/base/memory.h"
#include "profiler/ingest/build_id_cache.h"

char *dso_path_cached(const struct dso *dso, const struct dso_options *options, const char *name)
{
	return build_id_cache_path(options ? options->build_id_folder : NULL, &dso->build_id, name);
}

/* How long the folder is in "DIR,flat". */
static size_t folder_length(const char *root, bool *flat)
{
	const char *comma = strrchr(root, ',');
	size_t length = strlen(root);

	*flat = comma && !strcmp(comma, ",flat");
	if (*flat || (comma && !strcmp(comma, ",hierarchy")))
		length = (size_t)(comma - root);
	while (length && root[length - 1] == '/')
		length--;
	return length;
}

char *dso_path_in(const char *root, const char *path)
{
	bool flat = false;
	size_t length = root ? folder_length(root, &flat) : 0;

	/* A path that lies under the root already is not moved there twice. */
	if (length && !strncmp(path, root, length) && path[length] == '/')
		length = 0;
	if (!length)
		return xstrdup(path);
	const char *slash = flat ? strrchr(path, '/') : NULL;

	return xasprintf("%.*s/%s", (int)length, root, slash ? slash + 1 : path + (*path == '/'));
}

bool dso_is_deleted(const struct dso *dso)
{
	static const char mark[] = " (deleted)";
	size_t length = strlen(dso->long_name);

	return length >= sizeof(mark) && !strcmp(dso->long_name + length - (sizeof(mark) - 1), mark);
}

static bool same_file(const char *left, const char *right)
{
	struct stat a, b;

	/* what cannot be seen is not known to differ */
	return stat(left, &a) < 0 || stat(right, &b) < 0 || (a.st_dev == b.st_dev && a.st_ino == b.st_ino);
}

bool dso_is_inside(const struct dso *dso)
{
	char namespace[64];
	char root[64];
	struct stat status;

	if (dso->pid <= 0 || dso->long_name[0] != '/')
		return false;
	snprintf(namespace, sizeof(namespace), "/proc/%d/ns/mnt", dso->pid);
	snprintf(root, sizeof(root), "/proc/%d/root", dso->pid);
	if (same_file(namespace, "/proc/self/ns/mnt") && same_file(root, "/"))
		return false;
	return dso->build_id.size || (stat(namespace, &status) == 0 && status.st_ino == dso->mount_namespace);
}

char *dso_path_inside(const struct dso *dso)
{
	return dso_is_inside(dso) ? xasprintf("/proc/%d/root%s", dso->pid, dso->long_name) : NULL;
}

/* `path` if there is such a file; takes it. */
static char *if_there(char *path)
{
	struct stat status;

	if (path && stat(path, &status) == 0)
		return path;
	free(path);
	return NULL;
}

char *dso_path_debug(const struct dso *dso, const struct dso_options *options)
{
	char text[2 * BUILD_ID_SIZE + 1];
	char *found = NULL;

	if (dso->build_id.size < 2)
		return NULL;
	build_id_format(&dso->build_id, text);
	_cleanup_free_ char *path = xasprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", text, text + 2);

	if (options && options->symfs)
		found = if_there(dso_path_in(options->symfs, path));
	if (!found)
		found = if_there(xstrdup(path));
	return found ? found : dso_path_cached(dso, options, "debug");
}
