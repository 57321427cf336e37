// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements records.h. */
#include "profiler/commands/records.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/mman.h>

#include "profiler/base/memory.h"

/* Maps are indented below their task's name, which follows three columns of numbers. */
#define MAP_INDENT 30

static void add_count(struct strbuf *text, const char *name, uint64_t count, uint64_t total)
{
	strbuf_add_format(text, "%20s events: %10" PRIu64, name, count);
	if (total)
		strbuf_add_format(text, "  (%4.1f%%)", 100.0 * count / total);
	strbuf_add_char(text, '\n');
}

void print_record_stats(const struct session *session, struct strbuf *text)
{
	uint64_t counts[SESSION_RECORD_TYPES], total = 0;
	size_t count;
	const struct event *events = session_events(session, &count);

	session_count_records(session, counts);
	for (uint32_t type = 0; type < SESSION_RECORD_TYPES; type++)
		total += counts[type];
	strbuf_add_string(text, "\nAggregated stats:\n");
	add_count(text, "TOTAL", total, 0);
	for (uint32_t type = 0; type < SESSION_RECORD_TYPES; type++)
		if (counts[type])
			add_count(text,
				  session_record_name(type) ? session_record_name(type)
							    : "(another)",
				  counts[type], total);
	for (size_t i = 0; i < count; i++) {
		size_t start = text->length;

		if (!events[i].samples)
			continue;
		strbuf_add_format(text, "%s stats:", events[i].name);
		strbuf_end_line(text, start);
		add_count(text, "SAMPLE", events[i].samples, 0);
	}
}

/* A map is private unless it has MAP_SHARED, as in /proc/PID/maps. perf prints both as shared. */
static void add_maps(const struct session *session, const struct session_task *task,
		     struct strbuf *text)
{
	_cleanup_free_ struct session_map *maps = NULL;
	size_t count;

	session_task_maps(session, task, &maps, &count);
	for (size_t i = 0; i < count; i++) {
		const struct session_map *map = &maps[i];
		size_t start = text->length;

		strbuf_add_format(
			text, "%*s  %" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " %" PRIu64 " %s",
			MAP_INDENT + (int)task->level, "", map->start, map->last + 1,
			map->protection & PROT_READ ? 'r' : '-',
			map->protection & PROT_WRITE ? 'w' : '-',
			map->protection & PROT_EXEC ? 'x' : '-',
			map->flags & MAP_SHARED ? 's' : 'p', map->file_offset, map->inode,
			map->path);
		strbuf_end_line(text, start);
	}
}

void print_tasks(const struct session *session, bool with_maps, struct strbuf *text)
{
	_cleanup_free_ struct session_task *tasks = NULL;
	size_t count;

	session_tasks(session, &tasks, &count);
	strbuf_add_format(text, "# %8s %8s %8s  %s\n", "pid", "tid", "ppid", "comm");
	for (size_t i = 0; i < count; i++) {
		const char *name = session_last_name(session, tasks[i].tid);
		size_t start = text->length;
		char number[16];

		snprintf(number, sizeof(number), ":%d", tasks[i].tid);
		if (!name)
			name = tasks[i].tid ? number : "swapper";
		strbuf_add_format(text, "  %8d %8d %8d |%*s%s", tasks[i].pid, tasks[i].tid,
				  tasks[i].parent, (int)tasks[i].level, "", name);
		strbuf_end_line(text, start);
		if (with_maps)
			add_maps(session, &tasks[i], text);
	}
}
