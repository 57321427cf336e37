// SPDX-License-Identifier: GPL-2.0-or-later
/* What a file says of the machine and its control groups, for sort keys. */
#include <elf.h>
#include <string.h>

#include "profiler/ingest/session_private.h"

/* PERF_RECORD_CGROUP: id, path */
void session_take_cgroup(struct session *session, const uint8_t *record, size_t size)
{
	struct cursor cursor = cursor_of(record, size, session->header.swap);
	bool created;

	cursor_skip(&cursor, RECORD_HEADER_SIZE);

	uint64_t id = cursor_u64(&cursor);
	const char *path = cursor_string(&cursor);

	if (cursor.failed || !path)
		return;

	uint32_t *index = hash_map_insert(&session->cgroup_by_id, id, &created);

	if (created) {
		*index = (uint32_t)session->cgroup_count;
		array_reserve(session->cgroup_names, session->cgroup_count, session->cgroup_capacity);
		session->cgroup_count++;
	}
	session->cgroup_names[*index] = arena_strdup(&session->arena, path);
}

const char *session_cgroup_name(const struct session *session, uint64_t cgroup)
{
	const uint32_t *index = hash_map_find(&session->cgroup_by_id, cgroup);

	return index ? session->cgroup_names[*index] : NULL;
}

static struct cursor feature_cursor(const struct session *session, enum feature feature)
{
	const struct feature_section *section = &session->header.features[feature];

	return cursor_of(section->data, section->data ? section->size : 0, session->header.swap);
}

/* FEATURE_NRCPUS: those that there can be, those that were online */
uint32_t session_processors(const struct session *session)
{
	struct cursor cursor = feature_cursor(session, FEATURE_NRCPUS);

	return cursor_u32(&cursor);
}

/* FEATURE_ARCH is what uname -m said: a string's length with padding, and the bytes with a NUL.
 * FEATURE_E_MACHINE is the machine of an ELF header. */
bool session_may_be_x86_64(const struct session *session)
{
	struct cursor name = feature_cursor(session, FEATURE_ARCH);
	struct cursor number = feature_cursor(session, FEATURE_E_MACHINE);

	cursor_skip(&name, 4);
	const char *architecture = cursor_string(&name);
	uint32_t machine = cursor_u32(&number);

	if (architecture)
		return !strcmp(architecture, "x86_64");
	return number.failed || machine == EM_NONE || machine == EM_X86_64;
}

/* Two lists of strings, of a length and as many bytes each; then a core and a socket id a processor. */
int32_t session_cpu_socket(const struct session *session, int32_t cpu)
{
	struct cursor cursor = feature_cursor(session, FEATURE_CPU_TOPOLOGY);
	uint32_t cpus = session_processors(session);

	if (cpu < 0 || (uint32_t)cpu >= cpus)
		return -1;
	for (int list = 0; list < 2; list++) {
		uint32_t count = cursor_u32(&cursor);

		for (uint32_t i = 0; i < count && !cursor.failed; i++)
			cursor_skip(&cursor, cursor_u32(&cursor));
	}
	if (cursor.failed || cursor_left(&cursor) / 8 < cpus)
		return -1;
	cursor_skip(&cursor, 8 * (size_t)cpu + 4);
	return (int32_t)cursor_u32(&cursor);
}

bool session_has_switches(const struct session *session)
{
	return session->parallelism.has_switches;
}

const char *session_last_name(const struct session *session, int32_t tid)
{
	struct task_view view;

	timeline_task(&session->timeline, tid, tid, MOMENT_NEVER, &view);
	return view.comm == COMM_NONE ? NULL : session->timeline.comms.names[view.comm];
}
