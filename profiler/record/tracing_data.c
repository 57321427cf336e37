// SPDX-License-Identifier: GPL-2.0-or-later
/* Formats of tracepoints: see tracing_data.h. Numbers are of this machine's byte order, which the header
 * tells. */
#include "profiler/record/tracing_data.h"

#include <string.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/record/sysfs.h"
#include "profiler/record/tracepoint.h"

struct builder {
	const struct event_list *list;
	const char *root;
	const char *directory; /* of tracefs */
	struct strbuf *content;
};

static void put_u32(struct strbuf *content, uint32_t value)
{
	strbuf_add(content, &value, sizeof(value));
}

static void put_u64(struct strbuf *content, uint64_t value)
{
	strbuf_add(content, &value, sizeof(value));
}

/* Size and content of a file below tracefs; the final newline that sysfs_read() drops belongs to it. */
static struct error *put_file(const struct builder *builder, const char *path)
{
	_cleanup_free_ char *text = sysfs_read(builder->root, "%s/%s", builder->directory, path);

	if (!text)
		return error_create(ERROR_PERMISSION,
				    "cannot read %s/%s, which describes the recorded tracepoints",
				    builder->directory, path);
	put_u64(builder->content, strlen(text) + 1);
	strbuf_add(builder->content, text, strlen(text));
	strbuf_add_char(builder->content, '\n');
	return NULL;
}

static void add_once(struct name_list *list, const char *name)
{
	for (size_t i = 0; i < list->count; i++) {
		if (strcmp(list->names[i], name) == 0)
			return;
	}
	name_list_add(list, name);
}

/* The tracepoints of a system that are recorded; system NULL: the systems themselves. */
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
			add_once(&names, own);
		else if (strcmp(own, system) == 0)
			add_once(&names, slash + 1);
	}
	return names;
}

static struct error *put_formats(const struct builder *builder, const char *system)
{
	_cleanup_names_ struct name_list names = recorded_names(builder->list, system);

	put_u32(builder->content, names.count);
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_free_ char *path = xasprintf("events/%s/%s/format", system, names.names[i]);

		RETURN_ERROR(put_file(builder, path));
	}
	return NULL;
}

static struct error *put_systems(const struct builder *builder)
{
	_cleanup_names_ struct name_list systems = recorded_names(builder->list, NULL);

	/* No events of the function tracer itself: they cannot be recorded by perf_event_open(2). */
	put_u32(builder->content, 0);
	put_u32(builder->content, systems.count);
	for (size_t i = 0; i < systems.count; i++) {
		strbuf_add(builder->content, systems.names[i], strlen(systems.names[i]) + 1);
		RETURN_ERROR(put_formats(builder, systems.names[i]));
	}
	return NULL;
}

/* The strings that formats point to by address, without which their messages cannot be printed. */
static void put_printk_formats(const struct builder *builder)
{
	_cleanup_free_ char *text = sysfs_read(builder->root, "%s/printk_formats", builder->directory);
	size_t length = text && *text ? strlen(text) : 0;

	put_u32(builder->content, length ? length + 1 : 0);
	strbuf_add(builder->content, text, length);
	if (length)
		strbuf_add_char(builder->content, '\n');
}

struct error *tracing_data_read(const struct event_list *list, const char *root, struct strbuf *content)
{
	static const char magic[] = "\x17\x08\x44tracing0.6"; /* with its NUL */
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
	put_u32(content, sysconf(_SC_PAGESIZE));
	strbuf_add(content, "header_page", sizeof("header_page"));
	RETURN_ERROR(put_file(&builder, "events/header_page"));
	strbuf_add(content, "header_event", sizeof("header_event"));
	RETURN_ERROR(put_file(&builder, "events/header_event"));
	RETURN_ERROR(put_systems(&builder));
	put_u32(content, 0); /* kallsyms: the kernel map is found by its build id */
	put_printk_formats(&builder);
	put_u64(content, 0); /* saved_cmdlines: COMM records tell the names */
	return NULL;
}
