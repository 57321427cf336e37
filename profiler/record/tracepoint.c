// SPDX-License-Identifier: GPL-2.0-or-later
/* Tracepoints: see event.h. */
#include "profiler/record/event.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/record/writer.h"
#include "profiler/record/sysfs.h"

/* ---- events ---- */

static const char *const tracing_directories[] = { "/sys/kernel/tracing",
						   "/sys/kernel/debug/tracing" };

static bool has_events(const char *root, const char *directory)
{
	_cleanup_names_ struct name_list systems = sysfs_list(root, "%s/events", directory);

	return systems.count > 0;
}

/* Returns where /proc/mounts ("device directory type options") has a tracefs. */
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
	for (size_t i = 0; i < COUNT_OF(tracing_directories); i++) {
		if (has_events(root, tracing_directories[i]))
			return xstrdup(tracing_directories[i]);
	}
	return mounted_directory(root);
}

static struct error *add_tracepoint(struct event_list *list, const char *root,
				    const char *directory, const char *system, const char *name)
{
	int64_t id;

	if (!sysfs_read_number(&id, root, "%s/events/%s/%s/id", directory, system, name))
		return error_create(ERROR_PERMISSION,
				    "tracepoint '%s:%s': cannot read %s/events/%s/%s/id", system,
				    name, directory, system, name);

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
	_cleanup_names_ struct name_list names =
		sysfs_list(root, "%s/events/%s", directory, system);
	const char *nearest =
		names.count ? nearest_name(name, &names) : nearest_name(system, &systems);

	if (!names.count)
		return nearest ? error_create(ERROR_NOT_FOUND,
					      "unknown event '%s:%s' (nearest system of "
					      "tracepoints: '%s')",
					      system, name, nearest)
			       : error_create(ERROR_NOT_FOUND, "unknown event '%s:%s'", system,
					      name);
	return nearest ? error_create(ERROR_NOT_FOUND,
				      "unknown tracepoint '%s:%s' (nearest: '%s:%s')", system, name,
				      system, nearest)
		       : error_create(ERROR_NOT_FOUND, "unknown tracepoint '%s:%s'", system, name);
}

static struct error *add_matching_tracepoints(struct event_list *list, const char *root,
					      const char *directory, const char *system,
					      const char *name)
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
				RETURN_ERROR(add_tracepoint(list, root, directory, systems.names[i],
							    names.names[j]));
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
		return error_create(
			ERROR_NOT_FOUND,
			"unknown event '%s' (tracepoints would be in /sys/kernel/tracing, which "
			"is not mounted or "
			"not readable: mount -t tracefs nodev /sys/kernel/tracing)",
			text);
	return add_matching_tracepoints(list, root, directory, system, name);
}

/* ---- formats, for the file ---- */

/* The tracing data while it is built. */
struct builder {
	const struct event_list *list;
	const char *root;
	const char *directory; /* of tracefs */
	struct strbuf *content;
};

/*
 * Puts the size and content of a file below tracefs, with the final newline that sysfs_read()
 * drops.
 */
static struct error *put_file(const struct builder *builder, const char *path)
{
	_cleanup_free_ char *text = sysfs_read(builder->root, "%s/%s", builder->directory, path);

	if (!text)
		return error_create(ERROR_PERMISSION,
				    "cannot read %s/%s, which describes the recorded tracepoints",
				    builder->directory, path);
	feature_put_u64(builder->content, strlen(text) + 1);
	strbuf_add(builder->content, text, strlen(text));
	strbuf_add_char(builder->content, '\n');
	return NULL;
}

/* Returns the recorded tracepoints of a system, or the systems if `system` is NULL. */
static struct name_list recorded_names(const struct event_list *list, const char *system)
{
	struct name_list names = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		const char *tracepoint = list->items[i].tracepoint;
		const char *slash = tracepoint ? strchr(tracepoint, '/') : NULL;

		if (!slash)
			continue;
		_cleanup_free_ char *own = xstrndup(tracepoint, slash - tracepoint);

		if (!system)
			name_list_add_once(&names, own);
		else if (strcmp(own, system) == 0)
			name_list_add_once(&names, slash + 1);
	}
	return names;
}

static struct error *put_formats(const struct builder *builder, const char *system)
{
	_cleanup_names_ struct name_list names = recorded_names(builder->list, system);

	feature_put_u32(builder->content, names.count);
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_free_ char *path =
			xasprintf("events/%s/%s/format", system, names.names[i]);

		RETURN_ERROR(put_file(builder, path));
	}
	return NULL;
}

static struct error *put_systems(const struct builder *builder)
{
	_cleanup_names_ struct name_list systems = recorded_names(builder->list, NULL);

	/* perf_event_open(2) cannot record ftrace's own events, so there are none. */
	feature_put_u32(builder->content, 0);
	feature_put_u32(builder->content, systems.count);
	for (size_t i = 0; i < systems.count; i++) {
		strbuf_add(builder->content, systems.names[i], strlen(systems.names[i]) + 1);
		RETURN_ERROR(put_formats(builder, systems.names[i]));
	}
	return NULL;
}

/* Puts the strings that formats refer to by address. */
static void put_printk_formats(const struct builder *builder)
{
	_cleanup_free_ char *text =
		sysfs_read(builder->root, "%s/printk_formats", builder->directory);
	size_t length = text && *text ? strlen(text) : 0;

	feature_put_u32(builder->content, length ? length + 1 : 0);
	strbuf_add(builder->content, text, length);
	if (length)
		strbuf_add_char(builder->content, '\n');
}

struct error *tracing_data_read(const struct event_list *list, const char *root,
				struct strbuf *content)
{
	/* trace-cmd.dat.v6(5): magic number, "tracing", version. The NUL belongs to it. */
	static const char magic[] = "\x17\x08\x44tracing0.6";
	struct builder builder = { .list = list, .root = root, .content = content };
	_cleanup_names_ struct name_list systems = recorded_names(list, NULL);
	const uint8_t big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, long_size = sizeof(long);

	if (!systems.count)
		return NULL;
	_cleanup_free_ char *directory = tracepoint_directory(root);

	if (!directory)
		return error_create(ERROR_NOT_FOUND, "tracefs is not mounted any more");
	builder.directory = directory;
	strbuf_add(content, magic, sizeof(magic));
	strbuf_add_char(content, big_endian);
	strbuf_add_char(content, long_size);
	feature_put_u32(content, sysconf(_SC_PAGESIZE));
	strbuf_add(content, "header_page", sizeof("header_page"));
	RETURN_ERROR(put_file(&builder, "events/header_page"));
	strbuf_add(content, "header_event", sizeof("header_event"));
	RETURN_ERROR(put_file(&builder, "events/header_event"));
	RETURN_ERROR(put_systems(&builder));
	feature_put_u32(content, 0); /* kallsyms: readers find the kernel by its build id */
	put_printk_formats(&builder);
	feature_put_u64(content, 0); /* saved_cmdlines: COMM records have the names */
	return NULL;
}
