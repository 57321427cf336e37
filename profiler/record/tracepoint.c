// SPDX-License-Identifier: GPL-2.0-or-later
/* Tracepoints as events: see tracepoint.h. */
#include "profiler/record/tracepoint.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

#include "profiler/base/memory.h"

static const char *const tracing_directories[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };

static bool has_events(const char *root, const char *directory)
{
	_cleanup_names_ struct name_list systems = sysfs_list(root, "%s/events", directory);

	return systems.count > 0;
}

/* A tracefs that is mounted elsewhere, by /proc/mounts: "device directory type options". */
static char *mounted_directory(const char *root)
{
	_cleanup_free_ char *mounts = sysfs_read(root, "/proc/mounts");
	char *save = NULL;

	for (char *line = mounts ? strtok_r(mounts, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		char *rest = line, *device = strsep(&rest, " "), *directory = strsep(&rest, " ");
		const char *type = strsep(&rest, " ");
		bool debugfs = type && strcmp(type, "debugfs") == 0;

		if (!device || !directory || !type || (!debugfs && strcmp(type, "tracefs")))
			continue;
		_cleanup_free_ char *path = xasprintf("%s%s", directory, debugfs ? "/tracing" : "");

		if (has_events(root, path))
			return xstrdup(path);
	}
	return NULL;
}

char *tracepoint_directory(const char *root)
{
	for (size_t i = 0; i < sizeof(tracing_directories) / sizeof(*tracing_directories); i++) {
		if (has_events(root, tracing_directories[i]))
			return xstrdup(tracing_directories[i]);
	}
	return mounted_directory(root);
}

static struct error *add_one(struct event_list *list, const char *root, const char *directory,
			     const char *system, const char *name)
{
	int64_t id;

	if (!sysfs_read_number(&id, root, "%s/events/%s/%s/id", directory, system, name))
		return error_create(ERROR_PERMISSION, "tracepoint '%s:%s': cannot read %s/events/%s/%s/id",
				    system, name, directory, system, name);

	_cleanup_free_ char *full = xasprintf("%s:%s", system, name);
	struct event_spec *spec = event_list_add(list, full);

	spec->attr.type = PERF_TYPE_TRACEPOINT;
	spec->attr.config = id;
	spec->attr.sample_period = 1;
	spec->rate_given = true;
	spec->tracepoint = xasprintf("%s/%s", system, name);
	return NULL;
}

static struct error *no_such_tracepoint(const char *root, const char *directory, const char *system,
					const char *name)
{
	_cleanup_names_ struct name_list systems = sysfs_list(root, "%s/events", directory);
	_cleanup_names_ struct name_list names = sysfs_list(root, "%s/events/%s", directory, system);
	const char *nearest = names.count ? nearest_name(name, &names) : nearest_name(system, &systems);

	if (!names.count)
		return nearest ? error_create(ERROR_NOT_FOUND,
					      "unknown event '%s:%s' (nearest system of tracepoints: '%s')",
					      system, name, nearest)
			       : error_create(ERROR_NOT_FOUND, "unknown event '%s:%s'", system, name);
	return nearest ? error_create(ERROR_NOT_FOUND, "unknown tracepoint '%s:%s' (nearest: '%s:%s')",
				      system, name, system, nearest)
		       : error_create(ERROR_NOT_FOUND, "unknown tracepoint '%s:%s'", system, name);
}

static struct error *add_matching(struct event_list *list, const char *root, const char *directory,
				  const char *system, const char *name)
{
	_cleanup_names_ struct name_list systems = sysfs_list(root, "%s/events", directory);
	size_t before = list->count;

	for (size_t i = 0; i < systems.count; i++) {
		if (fnmatch(system, systems.names[i], 0))
			continue;
		_cleanup_names_ struct name_list names =
			sysfs_list(root, "%s/events/%s", directory, systems.names[i]);

		for (size_t j = 0; j < names.count; j++) {
			if (fnmatch(name, names.names[j], 0) == 0 &&
			    sysfs_exists(root, "%s/events/%s/%s/id", directory, systems.names[i],
					 names.names[j]))
				RETURN_ERROR(
					add_one(list, root, directory, systems.names[i], names.names[j]));
		}
	}
	return list->count > before ? NULL : no_such_tracepoint(root, directory, system, name);
}

struct error *tracepoint_add(struct event_list *list, const char *root, const char *text,
			     const char **modifiers)
{
	size_t system_length = strcspn(text, ":");
	const char *rest = text + system_length + 1;
	size_t name_length = strcspn(rest, ":");
	_cleanup_free_ char *system = xstrndup(text, system_length);
	_cleanup_free_ char *name = xstrndup(rest, name_length);
	_cleanup_free_ char *directory = tracepoint_directory(root);

	*modifiers = rest[name_length] ? rest + name_length + 1 : "";
	if (strchr(system, '/') || strchr(name, '/') || !*system || !*name)
		return error_create(ERROR_OTHER, "'%s' is not SYSTEM:TRACEPOINT", text);
	if (!directory)
		return error_create(ERROR_NOT_FOUND,
				    "unknown event '%s' (tracepoints would be in /sys/kernel/tracing, which "
				    "is not mounted or "
				    "not readable: mount -t tracefs nodev /sys/kernel/tracing)",
				    text);
	return add_matching(list, root, directory, system, name);
}
