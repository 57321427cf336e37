// SPDX-License-Identifier: GPL-2.0-or-later
/* Threads and processes: see target.h. */
#include "profiler/record/target.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <pwd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/record/sysfs.h"

/* ---- threads and processes ---- */

bool target_given(const struct target *target)
{
	return target->pids || target->tids || target->user || target->system_wide;
}

void thread_ids_add(struct thread_ids *threads, pid_t id)
{
	array_add(threads->ids, threads->count, threads->capacity) = id;
}

COMPARISON(compare_ids, pid_t, BY_VALUE)

void thread_ids_sort(struct thread_ids *threads)
{
	array_unique(threads->ids, threads->count, compare_ids);
}

void thread_ids_deinit(struct thread_ids *threads)
{
	free(threads->ids);
	*threads = (struct thread_ids){ 0 };
}

static bool parse_id(const char *text, pid_t *id)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (!isdigit((unsigned char)*text) || *end || value <= 0 || value > INT_MAX)
		return false;
	*id = value;
	return true;
}

/* Adds the ids that a folder of /proc lists: the names that are numbers. */
static void list_ids(const char *directory, struct thread_ids *ids)
{
	_cleanup_names_ struct name_list names = sysfs_list("", "%s", directory);
	pid_t id;

	for (size_t i = 0; i < names.count; i++)
		if (parse_id(names.names[i], &id))
			thread_ids_add(ids, id);
}

struct error *process_threads(pid_t pid, struct thread_ids *threads)
{
	_cleanup_free_ char *directory = xasprintf("/proc/%d/task", pid);
	size_t before = threads->count;

	list_ids(directory, threads);
	return threads->count > before
		       ? NULL
		       : error_create(ERROR_NOT_FOUND, "no process with id %d", pid);
}

struct error *all_processes(struct thread_ids *processes)
{
	list_ids("/proc", processes);
	if (!processes->count)
		return error_create(ERROR_NOT_FOUND,
				    "/proc is not mounted: the running processes cannot be read");
	thread_ids_sort(processes);
	return NULL;
}

/* Returns a number of /proc/ID/status, or 0 if the thread or process is gone. */
static pid_t status_number(pid_t id, const char *name)
{
	_cleanup_free_ char *status = sysfs_read("", "/proc/%d/status", id);
	const char *line = status ? strstr(status, name) : NULL;

	return line ? atoi(line + strlen(name)) : 0;
}

/* Drops the threads that have ended and that nobody waited for (zombies): the kernel opens no
 * counter for these. */
static void drop_ended(struct thread_ids *threads)
{
	size_t kept = 0;

	for (size_t i = 0; i < threads->count; i++) {
		_cleanup_free_ char *status = sysfs_read("", "/proc/%d/status", threads->ids[i]);

		if (status && !strstr(status, "\nState:\tZ") && !strstr(status, "\nState:\tX"))
			threads->ids[kept++] = threads->ids[i];
	}
	threads->count = kept;
}

pid_t process_parent(pid_t pid)
{
	return status_number(pid, "\nPPid:");
}

static bool has_id(const struct thread_ids *ids, pid_t id)
{
	return ids->count && bsearch(&id, ids->ids, ids->count, sizeof(id), compare_ids);
}

struct error *add_descendants(struct thread_ids *processes)
{
	_cleanup_thread_ids_ struct thread_ids all = { 0 };
	size_t before;

	RETURN_ERROR(all_processes(&all));
	/* Each round adds one generation. */
	do {
		_cleanup_thread_ids_ struct thread_ids children = { 0 };

		before = processes->count;
		for (size_t i = 0; i < all.count; i++)
			if (has_id(processes, process_parent(all.ids[i])))
				thread_ids_add(&children, all.ids[i]);
		for (size_t i = 0; i < children.count; i++)
			thread_ids_add(processes, children.ids[i]);
		thread_ids_sort(processes);
	} while (processes->count > before);
	return NULL;
}

/* Adds the ids of a list, "12,34". `option` is for messages. */
static struct error *parse_ids(const char *list, const char *option, struct thread_ids *ids)
{
	_cleanup_free_ char *copy = xstrdup(list);
	char *save = NULL;
	pid_t id;

	for (char *item = strtok_r(copy, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		if (!parse_id(item, &id))
			return error_other("%s: '%s' is not a process or thread id", option, item);
		thread_ids_add(ids, id);
	}
	return ids->count ? NULL : error_other("%s: no id is given", option);
}

struct error *user_find(const char *user, uid_t *uid)
{
	struct passwd *entry = getpwnam(user);
	char *end;
	unsigned long number = entry ? entry->pw_uid : strtoul(user, &end, 10);

	if (!entry && (!isdigit((unsigned char)*user) || *end || number > UINT32_MAX))
		return error_create(ERROR_NOT_FOUND, "no user '%s'", user);
	*uid = (uid_t)number;
	return NULL;
}

static struct error *add_user(const char *user, struct thread_ids *threads)
{
	_cleanup_thread_ids_ struct thread_ids processes = { 0 };
	uid_t uid = 0;

	RETURN_ERROR(user_find(user, &uid));
	RETURN_ERROR(all_processes(&processes));
	for (size_t i = 0; i < processes.count; i++) {
		_cleanup_free_ char *path = xasprintf("/proc/%d", processes.ids[i]);
		struct stat status;

		if (stat(path, &status) == 0 && status.st_uid == uid)
			/* A process that has ended meanwhile has no threads. */
			error_destroy(process_threads(processes.ids[i], threads));
	}
	drop_ended(threads);
	return threads->count ? NULL
			      : error_create(ERROR_NOT_FOUND, "user '%s' has no process", user);
}

struct error *target_threads(const struct target *target, struct thread_ids *threads)
{
	_cleanup_thread_ids_ struct thread_ids given = { 0 };

	if (target->pids) {
		RETURN_ERROR(parse_ids(target->pids, "-p", &given));
		for (size_t i = 0; i < given.count; i++)
			RETURN_ERROR(process_threads(given.ids[i], threads));
		drop_ended(threads);
		if (!threads->count)
			return error_create(ERROR_NOT_FOUND, "-p %s: the process has ended",
					    target->pids);
	} else if (target->tids) {
		RETURN_ERROR(parse_ids(target->tids, "-t", threads));
	} else if (target->user) {
		RETURN_ERROR(add_user(target->user, threads));
	} else {
		thread_ids_add(threads, -1);
	}
	thread_ids_sort(threads);
	return NULL;
}

void thread_processes(const struct thread_ids *threads, struct thread_ids *processes)
{
	for (size_t i = 0; i < threads->count; i++) {
		pid_t process = threads->ids[i] > 0 ? status_number(threads->ids[i], "\nTgid:") : 0;

		if (process > 0)
			thread_ids_add(processes, process);
	}
	thread_ids_sort(processes);
}

uint64_t threads_time(const struct thread_ids *threads)
{
	uint64_t time = 0;

	/* "ran waited turns", in ns: Documentation/scheduler/sched-stats.rst of the kernel */
	for (size_t i = 0; i < threads->count; i++) {
		_cleanup_free_ char *text = sysfs_read("", "/proc/%d/schedstat", threads->ids[i]);

		time += text ? strtoull(text, NULL, 10) : 0;
	}
	return time;
}

/* ---- maps ---- */

/* Parses "7f0-7f8 r-xp 00001000 fd:01 1234   /path with spaces": proc(5). */
static bool parse_line(const char *line, struct process_map *map)
{
	char permissions[5];
	int path = 0;

	*map = (struct process_map){ 0 };
	if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu %n", &map->start, &map->end, permissions,
		   &map->offset, &map->major, &map->minor, &map->inode, &path) < 7 ||
	    strlen(permissions) != 4 || map->end <= map->start)
		return false;
	map->protection = (permissions[0] == 'r' ? PROT_READ : 0) |
			  (permissions[1] == 'w' ? PROT_WRITE : 0) |
			  (permissions[2] == 'x' ? PROT_EXEC : 0);
	map->flags = permissions[3] == 's' ? MAP_SHARED : MAP_PRIVATE;
	/* [anon:NAME] is a name that the program gave: the kernel writes //anon */
	bool file = path && line[path] && !starts_with(line + path, "[anon:");

	map->path = xstrdup(file ? line + path : "//anon");
	return true;
}

struct error *process_maps_read(pid_t pid, struct process_maps *maps)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/maps", pid);
	_cleanup_free_ char *line = NULL;
	FILE *file = fopen(path, "re");
	size_t capacity = 0;
	ssize_t length;

	if (!file)
		return error_errno(errno, "cannot read %s", path);
	while ((length = getline(&line, &capacity, file)) > 0) {
		struct process_map map;

		if (line[length - 1] == '\n')
			line[length - 1] = '\0';
		if (!parse_line(line, &map))
			continue;
		array_add(maps->items, maps->count, maps->capacity) = map;
	}
	return read_file_close(file, path);
}

void process_maps_deinit(struct process_maps *maps)
{
	for (size_t i = 0; i < maps->count; i++)
		free(maps->items[i].path);
	free(maps->items);
	*maps = (struct process_maps){ 0 };
}

/* ---- symbols of the kernel ---- */

struct error *kernel_symbols_each(const char *root,
				  bool (*take)(void *data, const struct kernel_symbol *symbol),
				  void *data)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/kallsyms", root);

	return kallsyms_each(path, take, data);
}

/* ---- control groups ---- */

char *cgroup_mount_point(const char *root, bool controller)
{
	_cleanup_free_ char *path = xasprintf("%s/proc/mounts", root);
	FILE *mounts = setmntent(path, "re");
	char *unified = NULL, *first = NULL;
	struct mntent *mount;

	while (mounts && (mount = getmntent(mounts))) {
		if (!unified && strcmp(mount->mnt_type, "cgroup2") == 0)
			unified = xasprintf("%s%s", root, mount->mnt_dir);
		if (controller && !first && strcmp(mount->mnt_type, "cgroup") == 0 &&
		    hasmntopt(mount, "perf_event"))
			first = xasprintf("%s%s", root, mount->mnt_dir);
	}
	if (mounts)
		endmntent(mounts);
	if (!first)
		return unified;
	free(unified);
	return first;
}

/* Returns the folder of a control group, or NULL if no hierarchy is mounted. */
static char *group_path(const char *root, const char *group, bool controller)
{
	_cleanup_free_ char *mount = cgroup_mount_point(root, controller);

	return mount ? xasprintf("%s%s%s", mount, *group == '/' ? "" : "/", group) : NULL;
}

static struct error *no_hierarchy(void)
{
	return error_create(ERROR_UNSUPPORTED,
			    "no hierarchy of control groups is mounted (cgroup2)");
}

struct error *cgroup_id(const char *root, const char *path, uint64_t *id)
{
	_cleanup_free_ char *full = group_path(root, path, false);
	struct stat status;

	if (!full)
		return no_hierarchy();
	if (stat(full, &status) || !S_ISDIR(status.st_mode))
		return error_create(ERROR_NOT_FOUND,
				    "no control group '%s' (there is no folder %s)", path, full);
	/* kernfs uses the id of a group as the inode of its folder. */
	*id = status.st_ino;
	return NULL;
}

struct error *cgroup_open(const char *root, const char *path, int *fd)
{
	_cleanup_free_ char *full = group_path(root, path, true);

	if (!full)
		return no_hierarchy();
	*fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd >= 0)
		return NULL;
	return errno == ENOENT ? error_create(ERROR_NOT_FOUND,
					      "-G: no control group '%s' (there is no folder %s)",
					      path, full)
			       : error_errno(errno, "-G: control group %s", full);
}
