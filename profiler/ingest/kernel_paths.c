// SPDX-License-Identifier: GPL-2.0-or-later
/* Where the files of a kernel are: see kernel_paths.h. */
#include "profiler/ingest/kernel_paths.h"

#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/ingest/build_id_cache.h"
#include "profiler/ingest/dso_open.h"
#include "profiler/ingest/dso_paths.h"

#define DEBUG_FOLDER "/usr/lib/debug"
/* Folders of modules are not nested deeper. */
#define DEPTH_MAX 16

static void add(struct path_list *list, const char *symfs, const char *path)
{
	array_reserve(list->paths, list->count, list->capacity);
	list->paths[list->count++] = dso_path_in(symfs, path);
}

static void add_formatted(struct path_list *list, const char *symfs, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static void add_formatted(struct path_list *list, const char *symfs, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *path = xvasprintf(format, arguments);

	va_end(arguments);
	add(list, symfs, path);
}

static void add_cached(struct path_list *list, const struct build_id *build_id, const char *cache,
		       const char *name)
{
	_cleanup_free_ char *path = build_id_cache_path(cache, build_id, name);

	if (path)
		add(list, NULL, path);
}

void path_list_deinit(struct path_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->paths[i]);
	free(list->paths);
	*list = (struct path_list){ 0 };
}

/* A release is part of a path: it must not lead elsewhere. */
static bool is_plain(const char *release)
{
	return release && *release && *release != '.' && !strchr(release, '/');
}

void kernel_paths_vmlinux(const char *release, const struct build_id *build_id, const char *symfs,
			  const char *cache, struct path_list *list)
{
	char text[2 * BUILD_ID_SIZE + 1];

	if (is_plain(release)) {
		add_formatted(list, symfs, DEBUG_FOLDER "/boot/vmlinux-%s", release);
		add_formatted(list, symfs, DEBUG_FOLDER "/lib/modules/%s/vmlinux", release);
		add_formatted(list, symfs, DEBUG_FOLDER "/boot/vmlinux-%s.debug", release);
		add_formatted(list, symfs, DEBUG_FOLDER "/usr/lib/modules/%s/vmlinux", release);
	}
	if (build_id->size >= 2) {
		build_id_format(build_id, text);
		add_formatted(list, symfs, DEBUG_FOLDER "/.build-id/%.2s/%s.debug", text, text + 2);
		add_cached(list, build_id, cache, "vmlinux");
		add_cached(list, build_id, cache, "elf");
		/* as perf: the one of the folder that one is in; the build id tells whether it is the one */
		add(list, symfs, "vmlinux");
	}
	if (is_plain(release)) {
		add_formatted(list, symfs, "/lib/modules/%s/build/vmlinux", release);
		add_formatted(list, symfs, "/boot/vmlinux-%s", release);
		add_formatted(list, symfs, "/lib/modules/%s/vmlinux", release);
	}
}

/* ---- modules ---- */

/* "kernel/fs/ext4/ext4.ko" of "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz"; NULL: not such a path. To be
 * freed. */
static char *path_in_release(const char *path, const char *release)
{
	_cleanup_free_ char *folder = is_plain(release) ? xasprintf("/lib/modules/%s/", release) : NULL;
	const char *found = folder ? strstr(path, folder) : NULL;
	const char *end = found ? strstr(found, ".ko") : NULL;

	return end ? xstrndup(found + strlen(folder), (size_t)(end + 3 - (found + strlen(folder)))) : NULL;
}

/* The folder that the file is in; NULL: the current one. To be freed. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash - path)) : NULL;
}

/* Where the module of this place is, in all trees that there may be of the release. */
static void add_trees(struct path_list *list, const char *place, const char *release, const char *vmlinux,
		      const char *symfs)
{
	_cleanup_free_ char *folder = vmlinux ? folder_of(vmlinux) : NULL;

	add_formatted(list, symfs, DEBUG_FOLDER "/lib/modules/%s/%s", release, place);
	add_formatted(list, symfs, DEBUG_FOLDER "/lib/modules/%s/%s.debug", release, place);
	add_formatted(list, symfs, DEBUG_FOLDER "/usr/lib/modules/%s/%s.debug", release, place);
	if (!vmlinux)
		return;
	/* .../boot/vmlinux-6.1 and .../lib/modules/6.1/...; .../lib/modules/6.1/vmlinux; the folder of a
	 * build */
	add_formatted(list, NULL, "%s/../lib/modules/%s/%s", folder ? folder : ".", release, place);
	add_formatted(list, NULL, "%s/%s", folder ? folder : ".", place);
	add_formatted(list, NULL, "%s/%s.debug", folder ? folder : ".", place);
	if (!strncmp(place, "kernel/", 7))
		add_formatted(list, NULL, "%s/%s", folder ? folder : ".", place + 7);
}

/* Whether "snd-hda.ko.xz" is the module "snd_hda": the file's name may have '-' where the module's has '_'.
 */
static bool is_file_of(const char *file, const char *module)
{
	size_t length = strlen(module);

	if (strlen(file) < length + 3)
		return false;
	for (size_t i = 0; i < length; i++)
		if ((file[i] == '-' ? '_' : file[i]) != (module[i] == '-' ? '_' : module[i]))
			return false;
	return !strncmp(file + length, ".ko", 3) && (!file[length + 3] || file[length + 3] == '.');
}

/* The module's file somewhere below `folder`, of several the first by name; NULL: none. To be freed. */
static char *find_below(const char *folder, const char *module)
{
	char *const roots[] = { (char *)folder, NULL };
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	char *found = NULL;
	FTSENT *entry;

	while (walk && !found && (entry = fts_read(walk))) {
		if (entry->fts_info == FTS_D && entry->fts_level > DEPTH_MAX)
			fts_set(walk, entry, FTS_SKIP);
		if ((entry->fts_info == FTS_F || entry->fts_info == FTS_NSOK) &&
		    is_file_of(entry->fts_name, module))
			found = xstrdup(entry->fts_path);
	}
	if (walk)
		fts_close(walk);
	return found;
}

/* A module of which the recording has the name alone. */
static void add_named(struct path_list *list, const char *module, const char *release, const char *vmlinux,
		      const char *symfs)
{
	_cleanup_free_ char *beside = vmlinux ? folder_of(vmlinux) : NULL;
	char *trees[] = {
		xasprintf("/lib/modules/%s", release),
		xasprintf(DEBUG_FOLDER "/lib/modules/%s", release),
		vmlinux ? xasprintf("%s/../lib/modules/%s", beside ? beside : ".", release) : NULL,
	};

	for (size_t i = 0; i < 3 && trees[i]; i++) {
		_cleanup_free_ char *tree = dso_path_in(i < 2 ? symfs : NULL, trees[i]);
		_cleanup_free_ char *found = find_below(tree, module);

		if (found)
			add(list, NULL, found);
		free(trees[i]);
	}
}

void kernel_paths_module(const char *name, const char *release, const char *vmlinux, const char *symfs,
			 struct path_list *list)
{
	_cleanup_free_ char *place = path_in_release(name, release);

	if (*name == '[') {
		_cleanup_free_ char *module = xstrndup(name + 1, strcspn(name + 1, "]"));

		if (is_plain(release) && !strchr(module, '/'))
			add_named(list, module, release, vmlinux, symfs);
		return;
	}
	add(list, symfs, name);
	if (place)
		add_trees(list, place, release, vmlinux, symfs);
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length >= end_length && !strcmp(text + length - end_length, end);
}

char *kernel_debug_package(const char *release)
{
	static const char *const ubuntu[] = { "-generic", "-lowlatency", "-azure", "-aws",
					      "-gcp",     "-kvm",        "-oracle" };
	static const char *const red_hat[] = { ".fc", ".el", ".amzn" };

	if (!is_plain(release))
		return NULL;
	for (size_t i = 0; i < sizeof(ubuntu) / sizeof(*ubuntu); i++)
		if (ends_with(release, ubuntu[i]))
			return xasprintf("linux-image-unsigned-%s-dbgsym", release);
	for (size_t i = 0; i < sizeof(red_hat) / sizeof(*red_hat); i++)
		if (strstr(release, red_hat[i]))
			return xasprintf("kernel-debuginfo-%s", release);
	if (ends_with(release, "-amd64"))
		return xasprintf("linux-image-%s-dbg", release);
	if (ends_with(release, "-default"))
		return xstrdup("kernel-default-debuginfo");
	return NULL;
}
