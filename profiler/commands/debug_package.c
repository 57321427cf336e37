// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements debug_package.h: dpkg's lists of files (INFO/PACKAGE[:ARCHITECTURE].list, a path a
 * line) are read directly, which takes some milliseconds; dpkg-query(1) takes ten times as long.
 */
#include "profiler/commands/debug_package.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"

#define LIST_SUFFIX ".list"

/* Returns the text of a file of this system, which the caller frees; NULL: it cannot be read. */
static char *read_text(const char *path, size_t *length)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t capacity = 0;
	ssize_t got = file ? getdelim(&text, &capacity, '\0', file) : -1;

	if (file)
		fclose(file);
	if (got < 0) {
		free(text);
		return NULL;
	}
	*length = (size_t)got;
	return text;
}

/* Returns the name of the folder of lists; $DPKG_ADMINDIR is dpkg's own variable. */
static char *list_folder(void)
{
	const char *admin = getenv("DPKG_ADMINDIR");

	return xasprintf("%s/info", admin && *admin ? admin : "/var/lib/dpkg");
}

static bool has_line(const char *text, size_t length, const char *line)
{
	size_t line_length = strlen(line);
	const char *at = text, *end = text + length;

	while ((at = memmem(at, (size_t)(end - at), line, line_length))) {
		const char *behind = at + line_length;

		if ((at == text || at[-1] == '\n') && (behind == end || *behind == '\n'))
			return true;
		at++;
	}
	return false;
}

/* Packages from before /usr was merged list /lib/..., where the file is also /usr/lib/.... */
static bool lists(const char *text, size_t length, const char *path)
{
	return has_line(text, length, path) ||
	       (!strncmp(path, "/usr/", 5) && has_line(text, length, path + 4));
}

/* Debian makes NAME-dbgsym for each package; a few sources have older packages of their own. */
static char *debug_package_of(const char *package)
{
	static const char *const own[] = { "libc6", "libc6-i386", "libc6-x32" };

	for (size_t i = 0; i < COUNT_OF(own); i++)
		if (!strcmp(package, own[i]))
			return xstrdup("libc6-dbg");
	return xasprintf("%s-dbgsym", package);
}

static void search_list(const char *folder, const char *file, const char *const *paths,
			size_t count, char **names)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, file);
	size_t length = 0;
	_cleanup_free_ char *text = read_text(path, &length);

	for (size_t i = 0; text && i < count; i++) {
		if (names[i] || !lists(text, length, paths[i]))
			continue;
		/* "libc6:amd64.list"; version numbers of packages may have dots */
		size_t colon = strcspn(file, ":"), name = strlen(file) - strlen(LIST_SUFFIX);
		_cleanup_free_ char *package = xstrndup(file, colon < name ? colon : name);

		names[i] = debug_package_of(package);
	}
}

static bool is_list(const char *name)
{
	size_t length = strlen(name), suffix = strlen(LIST_SUFFIX);

	return length > suffix && !strcmp(name + length - suffix, LIST_SUFFIX);
}

void debug_packages_find(const char *const *paths, size_t count, char **names)
{
	_cleanup_free_ char *folder = list_folder();
	DIR *lists_folder = opendir(folder);
	struct dirent *entry;
	size_t missing = count;

	memset(names, 0, count * sizeof(*names));
	while (lists_folder && missing && (entry = readdir(lists_folder))) {
		if (!is_list(entry->d_name))
			continue;
		search_list(folder, entry->d_name, paths, count, names);
		missing = 0;
		for (size_t i = 0; i < count; i++)
			missing += !names[i];
	}
	if (lists_folder)
		closedir(lists_folder);
}

const char *debug_package_server(void)
{
	static const struct {
		const char *line, *server;
	} servers[] = {
		{ "ID=debian", "https://debuginfod.debian.net" },
		{ "ID=ubuntu", "https://debuginfod.ubuntu.com" },
		{ "ID=fedora", "https://debuginfod.fedoraproject.org" },
		{ "ID=arch", "https://debuginfod.archlinux.org" },
	};
	size_t length = 0;
	_cleanup_free_ char *text = read_text("/etc/os-release", &length);

	for (size_t i = 0; text && i < COUNT_OF(servers); i++)
		if (has_line(text, length, servers[i].line))
			return servers[i].server;
	return "https://debuginfod.elfutils.org";
}
