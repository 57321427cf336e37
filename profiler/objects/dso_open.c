// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements dso_open.h.
 *
 * A path in a perf.data file says nothing about what is there now: it is opened for reading only if
 * it is an ordinary file, and used only if its build id is the recorded one.
 */
#include "profiler/objects/dso_open.h"

#include <ctype.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <time.h>

#include "dwarf/elf/image.h"
#include "base/memory.h"
#include "base/cursor.h"
#include "base/files.h"
#include "base/text.h"
#include "profiler/objects/archive.h"
#include "profiler/objects/kernel.h"

/* ---- perf's cache by build id ---- */

const char *build_id_folder;

/* FOLDER/.build-id/XX/REST is a link to the folder with the files of a build id. In older versions
 * of perf it is a link to the file itself, and does not tell what kind of file that is. */

/* Returns whether the file is a list of symbols: an address begins it, as no object. */
static bool is_symbol_list(const char *path)
{
	unsigned char first;

	return ordinary_file_begin(path, &first, 1) && isxdigit(first);
}

/* Returns whether the only file that the older layout has for a build id may be the wanted one,
 * `name`. That file is the object, or the kernel's symbols. */
static bool old_layout_may_have(const char *path, const char *name)
{
	if (!strcmp(name, "kallsyms"))
		return is_symbol_list(path);
	return (!strcmp(name, "elf") || !strcmp(name, "vdso")) && !is_symbol_list(path);
}

/* Returns the cache that is used if the user names none, unless it is that of another user: $HOME
 * may be one's (sudo, su). The caller frees it. */
static char *own_cache(void)
{
	const char *home = getenv("HOME");
	char *path = home ? xasprintf("%s/.debug", home) : NULL;

	if (path && folder_believe(path))
		return path;
	free(path);
	return NULL;
}

/* See dso_path_cached(). */
static char *build_id_cache_path(const struct dso *dso, const struct build_id *build_id,
				 const char *name)
{
	_cleanup_free_ char *folder = build_id_folder ? xstrdup(build_id_folder) : own_cache();
	char *packed = dso->archive ? recording_archive_path(dso->archive, build_id, name) : NULL;
	const struct build_id_text id = build_id_text(build_id);

	if (packed || !folder || build_id->size < 2)
		return packed;
	char *place = xasprintf("%s/.build-id/%.2s/%s", folder, id.hex, id.hex + 2);

	if (ordinary_file_exists(place) && old_layout_may_have(place, name))
		return place;
	char *path = xasprintf("%s/%s", place, name);

	free(place);
	if (ordinary_file_exists(path))
		return path;
	free(path);
	return NULL;
}

/* ---- debuginfod ---- */

#define DEBUGINFOD_LIBRARY "libdebuginfod.so.1"

struct debuginfod_client;

/* The library's, as in <elfutils/debuginfod.h>. The second returns a descriptor, or -errno. */
typedef struct debuginfod_client *(*begin_function)(void);
typedef int (*find_function)(struct debuginfod_client *client, const unsigned char *build_id,
			     int size, char **path);
typedef void (*end_function)(struct debuginfod_client *client);

/* Sets *path to the servers' file of a build id; leaves it if they have none. */
static struct error *debuginfod_ask(void *library, enum debuginfod_kind kind,
				    const struct build_id *build_id, char **path)
{
	begin_function begin = (begin_function)dlsym(library, "debuginfod_begin");
	end_function end = (end_function)dlsym(library, "debuginfod_end");
	find_function find = (find_function)dlsym(library, kind == DEBUGINFOD_EXECUTABLE
								   ? "debuginfod_find_executable"
								   : "debuginfod_find_debuginfo");
	char *found = NULL;

	if (!begin || !end || !find)
		return error_create(ERROR_UNSUPPORTED,
				    DEBUGINFOD_LIBRARY " is not the library of elfutils");
	struct debuginfod_client *client = begin();

	if (!client)
		return NULL;
	int descriptor = find(client, build_id->bytes, build_id->size, &found);

	end(client);
	if (descriptor >= 0) {
		close(descriptor);
		*path = found;
	}
	return NULL;
}

/* Returns the folder in which the library keeps files, as it chooses it, or NULL; the caller frees
 * it. Its first *believed_from bytes are what the environment says. */
static char *find_debuginfod_cache(size_t *believed_from)
{
	const char *chosen = getenv("DEBUGINFOD_CACHE_PATH"), *cache = getenv("XDG_CACHE_HOME"),
		   *home = getenv("HOME");
	char *old = home ? xasprintf("%s/.debuginfod_client_cache", home) : NULL;
	const char *root = chosen ?: cache ?: home;

	/* versions before 0.182 made the old one, and later ones use it where it is */
	if (!chosen && old && !access(old, F_OK)) {
		*believed_from = strlen(home);
		return old;
	}
	free(old);
	*believed_from = root ? strlen(root) : 0;
	if (chosen)
		return xstrdup(chosen);
	return cache  ? xasprintf("%s/debuginfod_client", cache)
	       : home ? xasprintf("%s/.cache/debuginfod_client", home)
		      : NULL;
}

char *dso_debuginfod_cache(void)
{
	size_t believed_from;

	return find_debuginfod_cache(&believed_from);
}

/* The library writes to its cache and reads what is there: root must not do so in the home of
 * another user, which sudo and su may leave in the environment. */
static struct error *believe_debuginfod_cache(void)
{
	size_t end;
	_cleanup_free_ char *path = find_debuginfod_cache(&end);
	struct stat status;
	const char *why;

	for (; path; end += strcspn(path + end, "/")) {
		char next = path[end];

		path[end] = '\0';
		why = stat(path, &status) ? NULL : file_distrust(&status);
		if (why)
			return error_create(ERROR_PERMISSION,
					    "debuginfod's servers are not asked: %s is %s", path,
					    why);
		path[end] = next;
		if (!next)
			break;
		end++;
	}
	return NULL;
}

/* Asks the servers of $DEBUGINFOD_URLS (debuginfod_find_debuginfo(3)). Sets *path to the file,
 * which the caller frees, or to NULL if no server is named or none has it. The library is loaded
 * when it is first needed; ERROR_NOT_FOUND: servers are named, but the library is not installed. */
static struct error *debuginfod_fetch(enum debuginfod_kind kind, const struct build_id *build_id,
				      char **path)
{
	const char *urls = getenv("DEBUGINFOD_URLS");

	*path = NULL;
	if (!urls || !*urls || !build_id->size)
		return NULL;
	RETURN_ERROR(believe_debuginfod_cache());
	/* The library starts threads that cannot be stopped, so it stays loaded. */
	void *library = dlopen(DEBUGINFOD_LIBRARY, RTLD_NOW | RTLD_NODELETE);

	if (!library)
		return error_create(ERROR_NOT_FOUND,
				    "DEBUGINFOD_URLS is set, but " DEBUGINFOD_LIBRARY
				    " is not installed (package libdebuginfod1)");
	struct error *error = debuginfod_ask(library, kind, build_id, path);

	dlclose(library);
	return error;
}

bool dso_has_debuginfod(void)
{
	void *library = dlopen(DEBUGINFOD_LIBRARY, RTLD_LAZY | RTLD_NODELETE);

	if (library)
		dlclose(library);
	return library;
}

/* ---- paths ---- */

char *dso_path_cached(const struct dso *dso, const char *name)
{
	return build_id_cache_path(dso, &dso->build_id, name);
}

/* Returns the length of the folder in "DIR,flat". */
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

	if (length && !strncmp(path, root, length) && path[length] == '/')
		length = 0;
	if (!length)
		return xstrdup(path);
	const char *slash = flat ? strrchr(path, '/') : NULL;

	return xasprintf("%.*s/%s", (int)length, root, slash ? slash + 1 : path + (*path == '/'));
}

char *dso_path_merged(const char *path)
{
	static const char *const folders[] = { "/lib/",    "/lib32/", "/lib64/",
					       "/libx32/", "/bin/",   "/sbin/" };
	static const char debug[] = "/usr/lib/debug";
	size_t before = starts_with(path, debug) ? strlen(debug) : 0;
	const char *rest = path + before;
	bool merged = starts_with(rest, "/usr/");

	rest += merged ? strlen("/usr") : 0;
	for (size_t i = 0; i < COUNT_OF(folders); i++)
		if (starts_with(rest, folders[i]))
			return xasprintf("%.*s%s%s", (int)before, path, merged ? "" : "/usr", rest);
	return NULL;
}

#define DELETED " (deleted)" /* ends the names of files that were deleted when they were mapped */

/* Returns whether the kernel marked the file as deleted when it was mapped. */
static bool dso_is_deleted(const struct dso *dso)
{
	return ends_with(dso->long_name, DELETED) && strcmp(dso->long_name, DELETED) != 0;
}

/* Returns the length of the name of the file without that mark. */
static size_t dso_name_length(const struct dso *dso)
{
	return strlen(dso->long_name) - (dso_is_deleted(dso) ? strlen(DELETED) : 0);
}

/* Returns whether the process that mapped the file lives in another mount namespace or under
 * another root. False: it sees the same files as this process, or has ended. Its number may belong
 * to another process by now, so without a build id the namespace must be the recorded one. */
static bool dso_in_other_namespace(const struct dso *dso)
{
	char namespace[64];
	char root[64];
	struct stat status;

	if (dso->pid <= 0 || dso->long_name[0] != '/')
		return false;
	snprintf(namespace, sizeof(namespace), "/proc/%d/ns/mnt", dso->pid);
	snprintf(root, sizeof(root), "/proc/%d/root", dso->pid);
	if (same_file(namespace, "/proc/self/ns/mnt", true) && same_file(root, "/", true))
		return false;
	return dso->build_id.size ||
	       (stat(namespace, &status) == 0 && status.st_ino == dso->mount_namespace);
}

/* Returns the path of the file in the mount namespace of the process that mapped it
 * (/proc/PID/root), or NULL if that is dtprof's own namespace. The caller frees it. */
static char *dso_path_in_namespace(const struct dso *dso)
{
	return dso_in_other_namespace(dso) ? xasprintf("/proc/%d/root%.*s", dso->pid,
						       (int)dso_name_length(dso), dso->long_name)
					   : NULL;
}

/* Returns `path` below --symfs, with or without /usr before it, whichever is there. To be freed. */
static char *dso_path_present(const char *symfs, const char *path)
{
	char *there = dso_path_in(symfs, path);
	_cleanup_free_ char *merged = symfs && access(there, F_OK) ? dso_path_merged(path) : NULL;
	char *other = merged ? dso_path_in(symfs, merged) : NULL;

	if (!other || access(other, F_OK)) {
		free(other);
		return there;
	}
	free(there);
	return other;
}

/* Returns `path` if a file exists there. Otherwise frees it and returns NULL. */
static char *path_if_exists(char *path)
{
	struct stat status;

	if (path && stat(path, &status) == 0)
		return path;
	free(path);
	return NULL;
}

/* Returns the debug file of the build id below /usr/lib/debug (of --symfs, then of this machine) or
 * in perf's cache, or NULL. The caller frees the path. */
static char *dso_path_debug(const struct dso *dso, const struct dso_options *options)
{
	const struct build_id_text id = build_id_text(&dso->build_id);
	char *found = NULL;

	if (dso->build_id.size < 2)
		return NULL;
	_cleanup_free_ char *path =
		xasprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", id.hex, id.hex + 2);

	if (options && options->symfs)
		found = path_if_exists(dso_path_in(options->symfs, path));
	if (!found)
		found = path_if_exists(xstrdup(path));
	return found ?: dso_path_cached(dso, "debug");
}

/* ---- the object ---- */

struct elf_image *dso_check_image(const struct dso *dso, const char *path, struct elf_image *image,
				  struct error *error, char **problem)
{
	if (error) {
		free(*problem);
		*problem = xstrdup(error->message);
		error_destroy(error);
		return NULL;
	}
	const struct build_id *found = elf_image_build_id(image);

	if (!dso->build_id.size || elf_image_is_build(image, &dso->build_id))
		return image;
	free(*problem);
	*problem = xasprintf("%s has build id %s, but %s was recorded: not used", path,
			     found->size ? build_id_text(found).hex : "(none)",
			     build_id_text(&dso->build_id).hex);
	elf_image_close(image);
	return NULL;
}

struct elf_image *dso_try_image(const struct dso *dso, const char *path, char **problem)
{
	struct elf_image *image = NULL;
	struct error *error = elf_image_open(path, &image);

	return dso_check_image(dso, path, image, error, problem);
}

/* Returns whether the file at `path` has another inode than the one that was mapped. The kernel's
 * records of maps and stat(2) do not agree on the inodes of an overlay of folders. */
static bool has_other_inode(const struct dso *dso, const char *path, const struct stat *status)
{
	struct statfs system;

	return dso->inode && status->st_ino != dso->inode &&
	       !(statfs(path, &system) == 0 && system.f_type == OVERLAYFS_SUPER_MAGIC);
}

static int64_t time_in_ns(const struct timespec *time)
{
	return time->tv_sec * (int64_t)NS_PER_S + time->tv_nsec;
}

/* Returns why the file of the image is not the recorded one, one clause, or NULL. */
static const char *disagreement(struct dso *dso, const struct elf_image *image)
{
	const struct stat *status = elf_image_file(image);

	if (dso->build_id.size || !status->st_ino)
		return NULL;

	bool other = has_other_inode(dso, elf_image_path(image), status);
	int64_t changed = time_in_ns(&status->st_mtim);

	if (dso->ambiguous && (other || !dso->inode))
		return "several of this name were";
	if (dso->recorded_elsewhere && (other || !dso->inode)) {
		dso->unsure = true;
		return NULL;
	}
	if (other)
		return "it has another inode";
	if (!dso->recorded_until)
		return NULL;
	if (changed > dso->recorded_until)
		return "it was changed since the recording";
	/* cp -p and rsync -t give a file its source's time; chmod and ln change the inode's */
	dso->unsure |= time_in_ns(&status->st_ctim) > dso->recorded_until;
	return NULL;
}

struct elf_image *dso_judged_image(struct dso *dso, struct elf_image *image, char **problem)
{
	const char *why = image ? disagreement(dso, image) : NULL;

	if (!why)
		return image;
	if (!*problem)
		*problem = xasprintf(
			"%s may not be the recorded file (no build id was recorded, "
			"and %s): not used; give the folder of the right one with --symfs",
			elf_image_path(image), why);
	elf_image_close(image);
	return NULL;
}

/* As dso_try_image(); dso->refused: an object with another build id, or without any. */
static struct elf_image *dso_try_user_image(struct dso *dso, const char *path, char **problem)
{
	struct elf_image *opened = NULL;
	struct error *error = elf_image_open(path, &opened);
	bool is_object = !error, unread = error && error->code == ERROR_OTHER;
	struct elf_image *image = dso_check_image(dso, path, opened, error, problem);

	dso->refused |= is_object && !image;
	dso->unread = unread;
	return image;
}

/* Opens the file that is at the path of the recorded one now. */
static struct elf_image *dso_try_present_image(struct dso *dso, const char *path, char **problem)
{
	struct elf_image *opened = dso_try_user_image(dso, path, problem);
	struct elf_image *image = dso_judged_image(dso, opened, problem);

	dso->refused |= opened && !image;
	return image;
}

/* Opens the vDSO of this machine, or the copy that perf kept, for example from before an update of
 * the kernel. Without a build id, nothing tells whether this machine's vDSO is the one that ran.
 * The vDSO of 32-bit programs is not in this process. */
static struct elf_image *dso_open_vdso(const struct dso *dso, char **problem)
{
	_cleanup_free_ char *cached = dso_path_cached(dso, "vdso");
	bool own = dso->build_id.size && strcmp(dso->long_name, "[vdso]") == 0;
	struct elf_image *image = NULL;

	if (own) {
		struct error *error = vdso_image_open(&image);

		image = dso_check_image(dso, "this machine's [vdso]", image, error, problem);
	} else {
		*problem = xasprintf("%s is not an object file, and its build id was not recorded",
				     dso->long_name);
	}
	return image || !cached ? image : dso_try_image(dso, cached, problem);
}

/* Appends a message to *problem, which may be NULL. */
static void dso_add_problem(char **problem, const struct error *error)
{
	char *both =
		*problem ? xasprintf("%s; %s", *problem, error->message) : xstrdup(error->message);

	free(*problem);
	*problem = both;
}

struct elf_image *dso_fetch_image(const struct dso *dso, enum debuginfod_kind kind, char **problem)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_error_ struct error *error = debuginfod_fetch(kind, &dso->build_id, &path);

	if (error)
		dso_add_problem(problem, error);
	return path ? dso_try_image(dso, path, problem) : NULL;
}

/* Opens an object at its recorded path, as its process sees it, in perf's cache, or from a server.
 * A file below --symfs, or of an archive, is the recorded one by the word of the user. A deleted
 * file may be at its path again. */
static struct elf_image *dso_open_user_image(struct dso *dso, const struct dso_options *options,
					     char **problem)
{
	const char *symfs = options ? options->symfs : NULL;
	_cleanup_free_ char *name = xstrndup(dso->long_name, dso_name_length(dso));
	_cleanup_free_ char *path = dso_path_present(symfs, name);
	_cleanup_free_ char *inside = options && options->symfs ? NULL : dso_path_in_namespace(dso);
	_cleanup_free_ char *cached = dso_path_cached(dso, "elf");
	_cleanup_free_ char *packed =
		!dso->build_id.size && dso->archive
			? recording_archive_object(dso->archive, dso->long_name)
			: NULL;
	struct elf_image *image = NULL;
	struct stat status;

	/* Without a build id, a file of this name in our own namespace may be a different one. */
	if (packed)
		image = dso_try_user_image(dso, packed, problem);
	else if (dso_is_deleted(dso) &&
		 (symfs || dso->build_id.size ? stat(path, &status) < 0 : true))
		*problem = xasprintf("%s was deleted or replaced while it ran", dso->long_name);
	else if (inside && !dso->build_id.size)
		image = dso_try_present_image(dso, inside, problem);
	else
		image = symfs ? dso_try_user_image(dso, path, problem)
			      : dso_try_present_image(dso, path, problem);
	if (!image && inside && dso->build_id.size && stat(inside, &status) == 0)
		image = dso_try_user_image(dso, inside, problem);
	if (!image && cached)
		image = dso_try_user_image(dso, cached, problem);
	return image ?: dso_fetch_image(dso, DEBUGINFOD_EXECUTABLE, problem);
}

struct elf_image *dso_open_image(struct dso *dso, const struct dso_options *options,
				 char **symbol_source, char **problem)
{
	switch (dso->kind) {
	case DSO_KERNEL:
	case DSO_GUEST_KERNEL: return dso_open_kernel(dso, options, symbol_source, problem);
	case DSO_USER: return dso_open_user_image(dso, options, problem);
	case DSO_VDSO: return dso_open_vdso(dso, problem);
	case DSO_MODULE: return dso_open_module(dso, options, problem);
	default: break;
	}
	*problem = xasprintf("%s is not an object file", dso->long_name);
	return NULL;
}

/* Returns when a process began, in ns since 1970, or 0 if there is none with this number. */
static int64_t process_start(int32_t pid)
{
	struct timespec now, running;
	uint64_t ticks;

	if (!process_stat(pid, PROCESS_STAT_START, &ticks) || clock_gettime(CLOCK_REALTIME, &now) ||
	    clock_gettime(CLOCK_BOOTTIME, &running))
		return 0;
	return (now.tv_sec - running.tv_sec) * (int64_t)NS_PER_S + now.tv_nsec - running.tv_nsec +
	       (int64_t)(ticks * (NS_PER_S / (unsigned long)sysconf(_SC_CLK_TCK)));
}

/* Judges a map of symbols, which has a path that other processes have had since. It is not the
 * recorded process's if its number belongs to a process that began later. A map that was made after
 * the recording may be the recorded process's: some are written on demand. */
static struct error *judge_jit_map(struct dso *dso)
{
	int64_t until = dso->recorded_until;
	struct statx status;

	if (statx(AT_FDCWD, dso->long_name, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &status))
		return NULL;
	bool younger =
		status.stx_mask & STATX_BTIME &&
		status.stx_btime.tv_sec * (int64_t)NS_PER_S + status.stx_btime.tv_nsec > until;
	int64_t start = process_start(dso->pid);

	dso->unsure = dso->recorded_elsewhere || (until && younger && !start);
	if (dso->recorded_elsewhere || !until || !younger || start <= until)
		return NULL;
	return error_create(ERROR_FORMAT,
			    "%s is of another process, which began after the recording: not used "
			    "(use -f to override)",
			    dso->long_name);
}

struct error *dso_read_jit_map(struct dso *dso, const struct dso_options *options,
			       struct symbol_map *map)
{
	bool force = options && options->force;
	bool inside = !(options && options->symfs) && dso_in_other_namespace(dso);
	struct error *error = inside ? jit_map_read_in_namespace(dso->pid, force, map) : NULL;

	if (map->count)
		return error;
	struct error *outside = force ? NULL : judge_jit_map(dso);

	if (!outside)
		outside = jit_map_read(dso->long_name, force, map);

	/* If the second map does not exist, report the problem of the first. */
	if (error && outside && outside->code == ERROR_NOT_FOUND) {
		error_destroy(outside);
		return error;
	}
	error_destroy(error);
	return outside;
}

/* ---- its debug file ---- */

/* Sets *path to an installed debug file of the image; leaves it NULL if there is none. */
static struct error *find_installed_debug_file(const struct elf_image *image,
					       const struct dso_options *options, char **path)
{
	_cleanup_free_ char *in_symfs =
		options && options->symfs ? dso_path_in(options->symfs, "/usr/lib/debug") : NULL;
	_cleanup_free_ char *beside = dso_kernel_debug_folder(options);
	const char *const given[] = { in_symfs, "/usr/lib/debug", beside };
	const char *directories[COUNT_OF(given) + 1] = { 0 }; /* ends in NULL */

	for (size_t i = 0, count = 0; i < COUNT_OF(given); i++)
		if (given[i])
			directories[count++] = given[i];
	return elf_image_find_debug_file(image, directories, path);
}

/* Opens the file at `path` if it has the image's build id. `whose` is for messages. */
static struct error *open_with_build_id(const struct elf_image *image, const char *path,
					const char *whose, struct elf_image **result)
{
	struct elf_image *found = NULL;

	RETURN_ERROR(elf_image_open(path, &found));
	if (!build_id_equal(elf_image_build_id(found), elf_image_build_id(image))) {
		elf_image_close(found);
		return error_create(ERROR_FORMAT, "%s from %s has another build id than %s", path,
				    whose, elf_image_path(image));
	}
	*result = found;
	return NULL;
}

static struct error *fetch_debug_file(const struct elf_image *image, struct elf_image **result)
{
	_cleanup_free_ char *path = NULL;

	RETURN_ERROR(debuginfod_fetch(DEBUGINFOD_DEBUG_INFO, elf_image_build_id(image), &path));
	return path ? open_with_build_id(image, path, "a debuginfod server", result) : NULL;
}

static struct error *open_cached_debug_file(const struct dso *dso, const struct elf_image *image,
					    const char *name, struct elf_image **result)
{
	_cleanup_free_ char *path = build_id_cache_path(dso, elf_image_build_id(image), name);

	/* The object itself may be from the cache. */
	return path && strcmp(path, elf_image_path(image)) != 0
		       ? open_with_build_id(image, path, "perf's cache", result)
		       : NULL;
}

static bool has_full_symbols(const struct elf_image *image)
{
	struct elf_section section;

	return elf_image_section_named(image, ".symtab", &section);
}

/* Searches perf's cache for debug information. The cache has debug files, and objects as they ran.
 * Such an object is usually stripped, but the user may have added an unstripped one (perf
 * buildid-cache -a). *result may be set even if an error is returned. */
static struct error *search_cache_for_debug_file(const struct dso *dso,
						 const struct elf_image *image,
						 struct elf_image **result)
{
	static const char *const names[] = { "debug", "elf" };
	struct error *error = NULL;

	for (size_t i = 0; i < COUNT_OF(names) && (!*result || !elf_image_has_debug_info(*result));
	     i++) {
		struct elf_image *found = NULL;
		struct error *problem = open_cached_debug_file(dso, image, names[i], &found);

		error_destroy(error ? problem : NULL);
		error = error ?: problem;
		if (!found)
			continue;
		bool better = elf_image_has_debug_info(found) ||
			      (!*result && has_full_symbols(found) && !has_full_symbols(image));

		elf_image_close(better ? *result : found);
		*result = better ? found : *result;
	}
	return error;
}

struct error *dso_open_debug_file(const struct dso *dso, const struct elf_image *image,
				  const struct dso_options *options, struct elf_image **result)
{
	_cleanup_free_ char *path = NULL;
	struct elf_image *cached = NULL;

	*result = NULL;
	RETURN_ERROR(find_installed_debug_file(image, options, &path));
	if (path)
		return elf_image_open(path, result);
	if (elf_image_has_debug_info(image))
		return NULL;

	struct error *error = search_cache_for_debug_file(dso, image, &cached);

	/* Types from a server are worth more than symbols alone. */
	if (!cached || !elf_image_has_debug_info(cached)) {
		struct error *fetch_error = fetch_debug_file(image, result);

		error_destroy(error ? fetch_error : NULL);
		error = error ?: fetch_error;
	}
	if (*result)
		elf_image_close(cached);
	else
		*result = cached;
	if (!*result)
		return error;
	error_destroy(error);
	return NULL;
}

struct elf_image *dso_open_lost_debug(const struct dso *dso, const struct dso_options *options)
{
	_cleanup_free_ char *path = dso_path_debug(dso, options);
	_cleanup_free_ char *problem = NULL;

	return path ? dso_try_image(dso, path, &problem)
		    : dso_fetch_image(dso, DEBUGINFOD_DEBUG_INFO, &problem);
}

/* ---- BTF ---- */

/* ---- BTF that modules share ---- */

struct btf_base {
	struct btf *btf;
	struct elf_image *image; /* contains `btf`; NULL: the BTF opened its file itself */
};

struct btf_bases {
	/* Protects the members below, also while a file is read, for which others wait. */
	pthread_mutex_t lock;
	struct btf_base *items; /* in no order; btf_path() tells them apart */
	size_t count, capacity;
};

struct btf_bases *btf_bases_create(void)
{
	struct btf_bases *bases = xcalloc(1, sizeof(*bases));

	pthread_mutex_init(&bases->lock, NULL);
	return bases;
}

void btf_bases_destroy(struct btf_bases *bases)
{
	if (!bases)
		return;
	for (size_t i = 0; i < bases->count; i++) {
		btf_close(bases->items[i].btf);
		elf_image_close(bases->items[i].image);
	}
	pthread_mutex_destroy(&bases->lock);
	free_all(bases->items, bases);
}

static struct error *open_kernel_memory(const char *path, const char *symbols,
					struct btf_base *base)
{
	RETURN_ERROR(kcore_open_btf(path, symbols, &base->image));

	struct error *error = btf_open_image(base->image, NULL, &base->btf);

	if (error)
		elf_image_close(base->image);
	return error;
}

static struct error *find_or_open_base(struct btf_bases *bases, const char *path,
				       const char *symbols, const struct btf **result)
{
	struct btf_base base = { 0 };

	for (size_t i = 0; i < bases->count; i++) {
		if (strcmp(btf_path(bases->items[i].btf), path) == 0) {
			*result = bases->items[i].btf;
			return NULL;
		}
	}
	if (symbols && elf_is_core(path))
		RETURN_ERROR(open_kernel_memory(path, symbols, &base));
	else
		RETURN_ERROR(btf_open(path, NULL, &base.btf));
	array_add(bases->items, bases->count, bases->capacity) = base;
	*result = base.btf;
	return NULL;
}

struct error *btf_bases_open(struct btf_bases *bases, const char *path, const char *symbols,
			     const struct btf **result)
{
	pthread_mutex_lock(&bases->lock);
	struct error *error = find_or_open_base(bases, path, symbols, result);

	pthread_mutex_unlock(&bases->lock);
	return error;
}

/* ---- the BTF of an object ---- */

static bool is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Returns the file that --btf names for "vmlinux" or a module, or NULL. In a folder it is the file
 * of that name. If --btf is a file, that is the kernel's, and those of modules are beside it. The
 * caller frees the path. */
static char *given_path(const struct dso_options *options, const char *name)
{
	const char *given = options->btf, *slash;
	char *path;

	if (!given)
		return NULL;
	if (!is_folder(given) && strcmp(name, "vmlinux") == 0)
		return xstrdup(given);
	if (is_folder(given))
		path = xasprintf("%s/%s", given, name);
	else if ((slash = strrchr(given, '/')))
		path = xasprintf("%.*s/%s", (int)(slash - given), given, name);
	else
		path = xstrdup(name);
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/* Returns the error for an object without BTF, of the name "/vmlinux" or "". */
static struct error *no_btf_error(const char *path, const char *name)
{
	return error_create(ERROR_NO_DEBUG_INFO,
			    "no debug information and no BTF for %s: install its -dbg package, or "
			    "give the kernel's BTF with --btf (a copy of " RUNNING_KERNEL_BTF "%s)",
			    path, name);
}

static struct error *open_kernel(const struct dso *dso, const struct elf_image *image,
				 const struct dso_options *options, struct btf **result)
{
	_cleanup_free_ char *given = given_path(options, "vmlinux");

	if (given)
		return btf_open(given, NULL, result);

	struct error *error = image ? btf_open_image(image, NULL, result) : NULL;

	if (image && (!error || error->code != ERROR_NO_DEBUG_INFO))
		return error;
	error_destroy(error);
	if (running_kernel_is(&dso->build_id))
		return btf_open(RUNNING_KERNEL_BTF "/vmlinux", NULL, result);
	return no_btf_error(image ? elf_image_path(image) : dso->long_name, "/vmlinux");
}

/* Finds the BTF of a module's kernel: --btf's, the running one's if it has it, or -k's. */
static struct error *open_module_base(const char *name, const struct dso *dso,
				      const struct elf_image *image,
				      const struct dso_options *options, const struct btf **result)
{
	_cleanup_free_ char *given = given_path(options, "vmlinux");

	if (given)
		return btf_bases_open(dso->bases, given, NULL, result);
	if (running_kernel_has_module(name, &dso->build_id))
		return btf_bases_open(dso->bases, RUNNING_KERNEL_BTF "/vmlinux", NULL, result);
	if (options->vmlinux) {
		struct error *error =
			btf_bases_open(dso->bases, options->vmlinux,
				       dso_kernel_memory_symbols(dso, options), result);

		if (!error || error->code != ERROR_NO_DEBUG_INFO)
			return error;
		error_destroy(error);
	}
	return no_btf_error(elf_image_path(image), "");
}

static struct error *open_module(const struct dso *dso, const struct elf_image *image,
				 const struct dso_options *options, struct btf **result)
{
	_cleanup_free_ char *name = dso_module_name(dso);
	_cleanup_free_ char *given = given_path(options, name);
	const struct btf *base = NULL;

	RETURN_ERROR(open_module_base(name, dso, image, options, &base));
	if (given)
		return btf_open(given, base, result);
	return btf_open_image(image, base, result);
}

struct error *dso_btf_open(const struct dso *dso, const struct elf_image *image,
			   const struct dso_options *options, struct btf **result)
{
	static const struct dso_options none;

	options = options ?: &none;
	switch (dso->kind) {
	case DSO_KERNEL:
	case DSO_GUEST_KERNEL: return open_kernel(dso, image, options, result);
	case DSO_MODULE: return open_module(dso, image, options, result);
	default: return btf_open_image(image, NULL, result);
	}
}
