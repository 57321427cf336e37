// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements companion_cache.h. A file server is all that companions need.
 */
#include "profiler/objects/companion_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <time.h>

#include "base/cursor.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/web.h"
#include "dwarf/companion/companion.h"
#include "profiler/objects/dso_open.h"

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
	_cleanup_free_ char *folder = companion_cache_folder();

	return folder ? xasprintf("%s/%s" COMPANION_SUFFIX, folder, build_id_text(id).hex) : NULL;
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

/* Removes a companion that proved to be none of the build. */
static void companion_cache_drop(const struct build_id *id)
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

/*
 * Asks the servers of $DEBUGINFOD_URLS for /buildid/ID/dtprof, a companion, and keeps it in the
 * cache. Sets *path, which the caller frees, or to NULL if no server is named or none has it; that
 * is remembered for ten minutes. An error says why the first server that failed did:
 * $DEBUGINFOD_TIMEOUT (seconds, 90) is how long it may be silent, and $DEBUGINFOD_MAXTIME how long
 * it may take.
 */
static struct error *companion_fetch(const struct build_id *id, char **path)
{
	const char *urls = getenv("DEBUGINFOD_URLS");
	bool found = false, named;

	*path = NULL;
	if (!urls || !*urls || id->size < 2)
		return NULL;
	_cleanup_close_ int folder = open_cache_folder(true, NULL);
	const struct build_id_text text = build_id_text(id);
	_cleanup_free_ char *name = xasprintf("%s" COMPANION_SUFFIX, text.hex),
			    *marker = xasprintf("%s" MISSING_SUFFIX, text.hex),
			    *part = xasprintf("%s.%d", text.hex, (int)getpid());

	/* without libcurl there is no debuginfod, either, which says so */
	struct web *web = NULL;

	if (folder >= 0 && !is_missing(folder, marker))
		error_destroy(web_open("a companion", &web));
	if (!web)
		return NULL;
	_cleanup_close_ int file = open_part(folder, part, &named);
	struct fetched fetched = { .fd = file };

	struct error *error =
		file < 0 ? NULL : fetch_from_any(web, urls, text.hex, &fetched, &found);

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

/*
 * ---- the companion of a DSO
 *
 * Finds the companion of a DSO (Documentation/companion.md). One that was not named by the user
 * decides alone what is reported of an object, so it is believed only if nobody but the user or
 * root can have written it.
 */

/* Returns "xx/yyyy.dtp", the name in a folder of companions of a build id; to be freed. */
static char *companion_name(const struct build_id *id)
{
	const struct build_id_text text = build_id_text(id);

	return xasprintf("%.2s/%s" COMPANION_SUFFIX, text.hex, text.hex + 2);
}

struct companion_search {
	const struct elf_image *image;
	struct debug_object *found;
	struct error *problem; /* why the first one that is there is not used */
};

/* Opens the companion at a path, if there is a file, and takes it if it is of this build. Frees
 * the path. Returns whether the search has ended. */
static bool try_companion(struct companion_search *search, char *path, bool named)
{
	_cleanup_free_ char *owned = path;
	_cleanup_close_ int fd = -1;
	char opened[sizeof(OPEN_FILE_FOLDER) + 16];
	struct elf_image *file;
	struct stat status;
	struct error *error;

	if (!path || !ordinary_file_exists(path))
		return false;
	error = named ? ordinary_file_open(path, &fd, &status) : believed_file_open(path, &fd);
	if (!error) {
		snprintf(opened, sizeof(opened), OPEN_FILE_FOLDER "%d", fd);
		error = elf_image_open(opened, &file);
		if (error)
			error = error_prefix(error, "%s", path);
	}
	if (!error &&
	    !build_id_equal(elf_image_build_id(file), elf_image_build_id(search->image))) {
		elf_image_close(file);
		return false;
	}
	if (!error)
		error = companion_open(search->image, file, path, &search->found);
	if (search->problem)
		error_destroy(error);
	else
		search->problem = error;
	return search->found;
}

/* Tries the file, or the folder, that the user has named. The companions of a folder have the name
 * of their build id, or one that `dtprof index` gives: that of the object as it was mapped, as it
 * is read, or as a kernel is called whose boot image or memory is read. */
static bool try_named(struct companion_search *search, const struct dso *dso, const char *named)
{
	struct stat status;

	if (stat(named, &status) || !S_ISDIR(status.st_mode))
		return try_companion(search, xstrdup(named), true);
	const char *file = base_name(elf_image_path(search->image));
	bool boot = starts_with(file, "vmlinuz");
	_cleanup_free_ char *kernel = xasprintf("vmlinux%s", boot ? file + strlen("vmlinuz") : "");
	_cleanup_free_ char *name = companion_name(elf_image_build_id(search->image));
	const struct build_id_text id = build_id_text(elf_image_build_id(search->image));
	const char *const files[] = { id.hex, base_name(dso->short_name), file, kernel };
	bool found = try_companion(search, xasprintf("%s/%s", named, name), true);

	for (size_t i = 0; i < COUNT_OF(files) && !found; i++)
		found = try_companion(search, xasprintf("%s/%s" COMPANION_SUFFIX, named, files[i]),
				      true);
	return found;
}

/* Tries the places where companions are. */
static bool try_places(struct companion_search *search, const struct dso_options *options)
{
	static const char system[] = "/usr/lib/debug/.dtprof";
	_cleanup_free_ char *name = companion_name(elf_image_build_id(search->image));
	_cleanup_free_ char *path = xasprintf("%s/%s", system, name);

	return try_companion(search,
			     xasprintf("%s" COMPANION_SUFFIX, elf_image_path(search->image)),
			     false) ||
	       (options && options->symfs &&
		try_companion(search, dso_path_in(options->symfs, path), false)) ||
	       try_companion(search, xstrdup(path), false) ||
	       try_companion(search, companion_cached(elf_image_build_id(search->image)), false);
}

/* Asks the servers, if there is no debug information on this machine: what is here is quicker. */
static void try_servers(struct companion_search *search, const struct dso_options *options)
{
	char *path = NULL;
	struct error *error;

	if (elf_image_has_debug_info(search->image))
		return;
	error = elf_image_find_debug_file(search->image, NULL, &path);
	bool local = path;

	free(path);
	error_destroy(error);
	if (local || (options && options->symfs))
		return;
	error = companion_fetch(elf_image_build_id(search->image), &path);
	if (search->problem)
		error_destroy(error);
	else
		search->problem = error;
	if (path && !try_companion(search, path, false))
		companion_cache_drop(elf_image_build_id(search->image));
}

struct error *dso_open_companion(const struct dso *dso, const struct elf_image *image,
				 const struct dso_options *options, struct debug_object **result)
{
	struct companion_search search = { .image = image };

	*result = NULL;
	if (elf_image_build_id(image)->size < 2 || (options && options->no_companion))
		return NULL;
	if (!(options && options->companion && try_named(&search, dso, options->companion)) &&
	    !try_companion(&search, dso_path_cached(dso, "companion"), true) &&
	    !try_places(&search, options) && dso->kind == DSO_USER)
		try_servers(&search, options);
	*result = search.found;
	if (!search.found)
		return search.problem;
	error_destroy(search.problem);
	return NULL;
}
