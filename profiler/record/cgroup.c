// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Control groups: see cgroup.h. cgroups(7) says where they are mounted, and which controllers
 * where.
 */
#include "profiler/record/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <mntent.h>
#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/base/memory.h"

/* Groups within groups. No service manager nests them as deep. */
#define GROUP_DEPTH_MAX 64

/*
 * Returns where version 2 is mounted or, with `controller`, version 1's hierarchy of perf_event if
 * there is one, to be freed; NULL if nowhere.
 */
static char *mount_point(const char *root, bool controller)
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

static struct error *group_path(const char *root, const char *group, bool controller, char **path)
{
	_cleanup_free_ char *mount = mount_point(root, controller);

	if (!mount)
		return error_create(ERROR_UNSUPPORTED,
				    "no hierarchy of control groups is mounted (cgroup2)");
	*path = xasprintf("%s%s%s", mount, *group == '/' ? "" : "/", group);
	return NULL;
}

struct error *cgroup_id(const char *root, const char *path, uint64_t *id)
{
	_cleanup_free_ char *full = NULL;
	struct stat status;

	RETURN_ERROR(group_path(root, path, false, &full));
	if (stat(full, &status) || !S_ISDIR(status.st_mode))
		return error_create(ERROR_NOT_FOUND,
				    "no control group '%s' (there is no folder %s)", path, full);
	/* kernfs uses the id of a group as the inode of its folder. */
	*id = status.st_ino;
	return NULL;
}

struct error *cgroup_open(const char *root, const char *path, int *fd)
{
	_cleanup_free_ char *full = NULL;

	RETURN_ERROR(group_path(root, path, true, &full));
	*fd = open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd >= 0)
		return NULL;
	return errno == ENOENT ? error_create(ERROR_NOT_FOUND,
					      "-G: no control group '%s' (there is no folder %s)",
					      path, full)
			       : error_errno(errno, "-G: control group %s", full);
}

struct error *cgroup_assign(struct event_list *events, const char *groups)
{
	bool single = !strchr(groups, ',');
	const char *at = groups;

	for (size_t i = 0; i < events->count; i++) {
		size_t length = strcspn(at, ",");

		if (events->items[i].follower)
			continue;
		events->items[i].cgroup = length ? xstrndup(at, length) : NULL;
		if (single)
			continue;
		if (!at[length])
			at += length; /* events after the last name belong to no group */
		else
			at += length + 1;
	}
	for (size_t i = 0; i < events->count; i++) {
		const char *own = events->items[i].cgroup,
			   *leading = events->items[events->items[i].leader].cgroup;

		if (!own != !leading || (own && strcmp(own, leading)))
			return error_create(ERROR_OTHER,
					    "-G: events that are counted together must be of one "
					    "control group");
	}
	return *at && !single ? error_create(ERROR_OTHER, "-G: more control groups than events")
			      : NULL;
}

static void add_group(const char *name, uint64_t id, const struct synthesis_options *options,
		      struct strbuf *records)
{
	struct perf_record_cgroup record = { .header = { .type = PERF_RECORD_CGROUP }, .id = id };
	size_t start = records->length;

	strbuf_add(records, &record, offsetof(struct perf_record_cgroup, path));
	strbuf_add(records, name, strnlen(name, PATH_MAX - 1));
	strbuf_add_char(records, '\0');
	synthesize_end(records, start, options);
}

/* Adds a group and, after it, the groups in it. `name` begins after the mount point. */
static void add_groups(const char *mount, const char *name, unsigned int depth,
		       const struct synthesis_options *options, struct strbuf *records)
{
	_cleanup_names_ struct name_list entries = sysfs_list(mount, "%s", name);
	_cleanup_free_ char *folder = xasprintf("%s%s", mount, name);
	struct stat status;

	if (stat(folder, &status) || !S_ISDIR(status.st_mode))
		return;
	add_group(*name ? name : "/", status.st_ino, options, records);
	for (size_t i = 0; depth < GROUP_DEPTH_MAX && i < entries.count; i++) {
		_cleanup_free_ char *child = xasprintf("%s/%s", name, entries.names[i]);
		_cleanup_free_ char *path = xasprintf("%s%s", mount, child);

		if (lstat(path, &status) == 0 && S_ISDIR(status.st_mode))
			add_groups(mount, child, depth + 1, options, records);
	}
}

void synthesize_cgroups(const char *root, const struct synthesis_options *options,
			struct strbuf *records)
{
	_cleanup_free_ char *mount = mount_point(root, false);

	if (mount)
		add_groups(mount, "", 0, options, records);
}
