// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements companion_cache.h. A file server is all that companions need.
 */
#include "profiler/objects/companion_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/web.h"
#include "dwarf/companion/companion.h"

uint64_t companion_cache_size = UINT64_C(2) << 30;

/* ---- the folder ---- */

/* Opens the folder of the cache, as own_folder_open() does. */
static int open_cache_folder(bool make, char **path)
{
	return own_folder_open(getenv("XDG_CACHE_HOME"), ".cache", "dtprof/companions", make, path);
}

char *companion_cache_folder(void)
{
	char *path;
	_cleanup_close_ int folder _unused_ = open_cache_folder(false, &path);

	return path;
}

char *companion_cached(const struct build_id *id)
{
	char text[2 * BUILD_ID_SIZE + 1];
	_cleanup_free_ char *folder = companion_cache_folder();

	build_id_format(id, text);
	return folder ? xasprintf("%s/%s" COMPANION_SUFFIX, folder, text) : NULL;
}

struct error *companion_cache_make(void)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int made = open_cache_folder(true, &path);

	return made < 0 ? error_create(ERROR_PERMISSION,
				       "the cache %s cannot be made, or others may write there",
				       path ?: "in $HOME")
			: NULL;
}

void companion_cache_drop(const struct build_id *id)
{
	_cleanup_close_ int folder = open_cache_folder(false, NULL);
	_cleanup_free_ char *path = companion_cached(id);

	if (folder >= 0 && path)
		(void)unlinkat(folder, base_name(path), 0);
}

/* Files of the cache that are no companions are removed after so many seconds. */
#define LEFT_SECONDS 86400

/* A companion in the cache. */
struct cached_companion {
	char *name;
	uint64_t bytes;
	struct timespec written;
};

COMPARISON(compare_age, struct cached_companion,
	   ASCENDING(written.tv_sec) ASCENDING(written.tv_nsec) BY_TEXT(name))

void companion_cache_trim(void)
{
	int descriptor = open_cache_folder(false, NULL);
	DIR *folder = descriptor < 0 ? NULL : fdopendir(descriptor);
	_cleanup_free_ struct cached_companion *files = NULL;
	size_t count = 0, capacity = 0;
	uint64_t all = 0;
	time_t now = time(NULL);
	struct stat status;

	if (!folder) {
		if (descriptor >= 0)
			close(descriptor);
		return;
	}
	for (const struct dirent *entry; (entry = readdir(folder));) {
		if (fstatat(descriptor, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(status.st_mode))
			continue;
		if (!ends_with(entry->d_name, COMPANION_SUFFIX)) {
			/* a marker that is too old, or a part that was left by a kill */
			if (status.st_mtime < now - LEFT_SECONDS)
				(void)unlinkat(descriptor, entry->d_name, 0);
			continue;
		}
		array_add(files, count, capacity) =
			(struct cached_companion){ xstrdup(entry->d_name), (uint64_t)status.st_size,
						   status.st_mtim };
		all += (uint64_t)status.st_size;
	}
	array_sort(files, count, compare_age);
	for (size_t i = 0; i < count; i++) {
		if (all > companion_cache_size && i + 1 < count &&
		    !unlinkat(descriptor, files[i].name, 0))
			all -= files[i].bytes;
		free(files[i].name);
	}
	closedir(folder);
}

/* ---- servers ---- */

/* No companion is larger: that of a kernel with 220 MB of debug information has 16 MB. */
#define FETCHED_MAX (UINT64_C(1) << 30)
/* A server that has no companion is not asked again for so many seconds. */
#define MISSING_SECONDS 600
#define MISSING_SUFFIX  ".missing"

enum { HTTP_ERRORS = 400, HTTP_NOT_FOUND = 404 };

/* A file that is being fetched. */
struct fetched {
	int fd;
	uint64_t bytes;
	bool too_large;
	int unwritten; /* errno */
};

static bool keep_bytes(const void *bytes, size_t size, void *data)
{
	struct fetched *fetched = data;

	ssize_t written = 0;

	fetched->bytes += size;
	fetched->too_large = fetched->bytes > FETCHED_MAX;
	if (!fetched->too_large)
		written = write(fetched->fd, bytes, size);
	if (!fetched->too_large && written != (ssize_t)size)
		fetched->unwritten = written < 0 ? errno : ENOSPC;
	return !fetched->too_large && !fetched->unwritten;
}

/* Returns a number of seconds; `otherwise`: the text, which may be NULL, is none. */
static long seconds_of(const char *text, long otherwise)
{
	char *rest;
	long seconds = text ? strtol(text, &rest, 10) : 0;

	return text && rest != text && !*rest && seconds > 0 && seconds < 1000000 ? seconds
										  : otherwise;
}

/* Fetches a file. Sets *found to false if the server does not have it. */
static struct error *fetch(struct web *web, const char *url, struct fetched *fetched, bool *found)
{
	struct web_request request = {
		.url = url,
		.redirects = true,
		.files = true,
		.patience = seconds_of(getenv("DEBUGINFOD_TIMEOUT"), 90),
		.longest = seconds_of(getenv("DEBUGINFOD_MAXTIME"), 0),
		.keep = keep_bytes,
		.data = fetched,
	};
	long status;

	*found = false;
	RETURN_ERROR(web_ask(web, &request, &status));
	if (fetched->too_large)
		return error_other("%s has more than %llu MB", url,
				   (unsigned long long)(FETCHED_MAX >> 20));
	if (fetched->unwritten)
		return error_errno(fetched->unwritten, "%s cannot be kept", url);
	*found = status < HTTP_ERRORS;
	if (status >= HTTP_ERRORS && status != HTTP_NOT_FOUND)
		return error_other("%s: the server answers %ld", url, status);
	return NULL;
}

/* Returns whether the servers are known not to have the companion. */
static bool is_missing(int folder, const char *marker)
{
	struct stat status;
	time_t now = time(NULL);

	return !fstatat(folder, marker, &status, AT_SYMLINK_NOFOLLOW) && status.st_mtime <= now &&
	       now - status.st_mtime < MISSING_SECONDS;
}

/* Fetches the companion from the first server that has it, into an open file. Sets *found. */
static struct error *fetch_from_any(struct web *web, const char *urls, const char *id,
				    struct fetched *fetched, bool *found)
{
	_cleanup_free_ char *list = xstrdup(urls);
	struct error *first = NULL;
	char *rest;

	*found = false;
	for (char *url = strtok_r(list, " ", &rest); url && !*found;
	     url = strtok_r(NULL, " ", &rest)) {
		size_t length = strlen(url);
		/* a policy of verification is no server */
		if (starts_with(url, "ima:"))
			continue;
		while (length && url[length - 1] == '/')
			url[--length] = '\0';

		_cleanup_free_ char *whole = xasprintf("%s/buildid/%s/dtprof", url, id);

		/* without what another server gave before it failed */
		if (ftruncate(fetched->fd, 0) || lseek(fetched->fd, 0, SEEK_SET))
			break;
		fetched->bytes = 0;

		struct error *error = fetch(web, whole, fetched, found);

		if (first)
			error_destroy(error);
		else
			first = error;
	}
	if (*found) {
		error_destroy(first);
		return NULL;
	}
	return first;
}

/* Opens a file to fetch into, without a name if possible: nothing is left. Sets *named. */
static int open_part(int folder, const char *part, bool *named)
{
	int file = openat(folder, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);

	*named = file < 0;
	return file >= 0 ? file
			 : openat(folder, part,
				  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
}

static bool keep_part(int file, int folder, const char *part, bool named, const char *name)
{
	_cleanup_free_ char *link = xasprintf(OPEN_FILE_FOLDER "%d", file);

	return (named || !linkat(AT_FDCWD, link, folder, part, AT_SYMLINK_FOLLOW)) &&
	       !renameat(folder, part, folder, name);
}

struct error *companion_fetch(const struct build_id *id, char **path)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	char text[2 * BUILD_ID_SIZE + 1];
	bool found = false, named;

	*path = NULL;
	if (!urls || !*urls || id->size < 2)
		return NULL;
	_cleanup_close_ int folder = open_cache_folder(true, NULL);

	build_id_format(id, text);
	_cleanup_free_ char *name = xasprintf("%s" COMPANION_SUFFIX, text),
			    *marker = xasprintf("%s" MISSING_SUFFIX, text),
			    *part = xasprintf("%s.%d", text, (int)getpid());

	/* without libcurl there is no debuginfod, either, which says so */
	struct web *web = NULL;

	if (folder >= 0 && !is_missing(folder, marker))
		error_destroy(web_open("a companion", &web));
	if (!web)
		return NULL;
	_cleanup_close_ int file = open_part(folder, part, &named);
	struct fetched fetched = { .fd = file };

	struct error *error = file < 0 ? NULL : fetch_from_any(web, urls, text, &fetched, &found);

	web_close(web);
	if (file < 0)
		return error;

	if (found && keep_part(file, folder, part, named, name)) {
		*path = companion_cached(id);
		companion_cache_trim();
		return NULL;
	}
	unlinkat(folder, part, 0);
	if (!error && !found) {
		_cleanup_close_ int made =
			openat(folder, marker,
			       O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);

		if (made >= 0)
			(void)futimens(made, NULL);
	}
	return error;
}
