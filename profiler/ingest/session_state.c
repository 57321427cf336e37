// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of a session into which the reading of files, streams and records puts what it finds:
 * warnings, streams, control groups, build ids. They know nothing of how it is read. */

#include "base/cursor.h"
#include "base/memory.h"
#include "profiler/ingest/session_private.h"

/* ---- messages ---- */

void session_warn(const struct session *session, const char *format, ...)
{
	VARIADIC_TEXT(message, format);

	if (session->options.warn)
		session->options.warn(session->options.warn_data, message);
}

void session_warn_incomplete(struct session *session, const char *format, ...)
{
	VARIADIC_TEXT(message, format);

	session->totals.incomplete = true;
	if (!session->totals.incomplete_why)
		session->totals.incomplete_why = arena_strdup(&session->arena, message);
	session_warn(session, "%s", message);
}

void session_add_stream(struct session *session, const struct stream *stream)
{
	array_add(session->streams, session->stream_count, session->stream_capacity) = *stream;
}

uint32_t session_thread_comm(struct session *session, int32_t tid)
{
	char name[16]; /* ":-2147483648" has 12 letters */

	snprintf(name, sizeof(name), ":%d", tid);
	return comm_table_get(&session->timeline.comms, name);
}

uint64_t session_file_address(struct session *session, struct dso *dso, uint64_t offset)
{
	return dso ? dso_file_address(dso, &session->options.dso, offset) : offset;
}

/* ---- control groups and build ids ---- */

/* Takes a PERF_RECORD_CGROUP: id, path, image (CGROUP_HAS_IMAGE). */
void session_take_cgroup(struct session *session, const uint8_t *record, size_t size)
{
	struct cursor cursor = cursor_of(record, size, session->header.swap);

	cursor_skip(&cursor, sizeof(uint32_t));

	uint16_t misc = cursor_u16(&cursor);

	cursor_skip(&cursor, sizeof(uint16_t));

	uint64_t id = cursor_u64(&cursor);
	const char *path = cursor_string(&cursor), *image;

	if (cursor.failed || !path)
		return;
	path = arena_strdup(&session->arena, path);
	image = misc & CGROUP_HAS_IMAGE ? cursor_string(&cursor) : NULL;
	*hash_map_item(&session->cgroup_by_id, id, session->cgroups, session->cgroup_count,
		       session->cgroup_capacity, NULL) = (struct session_cgroup){
		.name = path, .image = image ? arena_strdup(&session->arena, image) : NULL
	};
}

const char *session_cgroup_name(const struct session *session, uint64_t cgroup)
{
	const uint32_t *index = hash_map_find(&session->cgroup_by_id, cgroup);

	return index ? session->cgroups[*index].name : NULL;
}

const char *session_cgroup_image(const struct session *session, uint64_t cgroup)
{
	const uint32_t *index = hash_map_find(&session->cgroup_by_id, cgroup);

	return index ? session->cgroups[*index].image : NULL;
}

/* Bytes of the build id in a record, with its length and padding. */
#define BUILD_ID_RECORD_BYTES 24

bool session_take_build_id(struct session *session, const uint8_t *record, size_t size,
			   bool without_pid, bool take)
{
	struct cursor cursor = cursor_of(record, size, session->header.swap);
	struct build_id build_id = { .size = BUILD_ID_SIZE };

	cursor_skip(&cursor, 4);
	uint16_t misc = cursor_u16(&cursor);

	cursor_skip(&cursor, without_pid ? 2 : 6);
	const uint8_t *id = cursor_bytes(&cursor, BUILD_ID_RECORD_BYTES);
	const char *name = cursor_string(&cursor);
	uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;

	if (!id || !name)
		return false;
	if (misc & PERF_RECORD_MISC_BUILD_ID_SIZE && id[BUILD_ID_SIZE] <= BUILD_ID_SIZE)
		build_id.size = id[BUILD_ID_SIZE];
	memcpy(build_id.bytes, id, build_id.size);
	/* Files from before Linux 2.6.34 have no pid. They are recognized by the kernel's name,
	 * which lacks its first four bytes then. */
	if (!without_pid && !strcmp(name, "nel.kallsyms]"))
		return false;
	if (take && build_id.size)
		dso_table_add_build_id(&session->timeline.dsos, name, kernel, &build_id);
	return true;
}

/* ---- records ---- */

const char *session_record_name(uint32_t type)
{
#define NAMED(name)  [PERF_RECORD_##name] = #name
#define HEADER(name) [PERF_RECORD_HEADER_##name] = #name
#define LATER(name)  [RECORD_##name] = #name
	/* clang-format off */
	static const char *const names[SESSION_RECORD_TYPES] = {
		NAMED(MMAP), NAMED(LOST), NAMED(COMM), NAMED(EXIT), NAMED(THROTTLE),
		NAMED(UNTHROTTLE), NAMED(FORK), NAMED(READ), NAMED(SAMPLE), NAMED(MMAP2),
		NAMED(AUX), NAMED(ITRACE_START), NAMED(LOST_SAMPLES), NAMED(SWITCH),
		NAMED(SWITCH_CPU_WIDE), NAMED(NAMESPACES), NAMED(KSYMBOL), NAMED(BPF_EVENT),
		NAMED(CGROUP), NAMED(TEXT_POKE), NAMED(AUX_OUTPUT_HW_ID), LATER(CALLCHAIN_DEFERRED),
		HEADER(ATTR), HEADER(EVENT_TYPE), HEADER(TRACING_DATA), HEADER(BUILD_ID),
		NAMED(FINISHED_ROUND), NAMED(ID_INDEX), NAMED(AUXTRACE_INFO), NAMED(AUXTRACE),
		NAMED(AUXTRACE_ERROR), NAMED(THREAD_MAP), NAMED(CPU_MAP), NAMED(STAT_CONFIG),
		NAMED(STAT), NAMED(STAT_ROUND), NAMED(EVENT_UPDATE), NAMED(TIME_CONV),
		HEADER(FEATURE), NAMED(COMPRESSED), NAMED(FINISHED_INIT), LATER(COMPRESSED2)
	};
	/* clang-format on */

	return type < SESSION_RECORD_TYPES ? names[type] : NULL;
}

size_t record_tracing_data_inside(const uint8_t *record, size_t size, bool swap)
{
	struct cursor cursor = cursor_of(record, size, swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	uint32_t data = cursor_u32(&cursor);

	return !cursor.failed && data <= cursor_left(&cursor) ? data : 0;
}

uint64_t record_extra(const uint8_t *record, const struct record_header *header, bool swap)
{
	struct cursor cursor = cursor_of(record, header->size, swap);

	cursor_skip(&cursor, RECORD_HEADER_SIZE);
	if (header->type == PERF_RECORD_AUXTRACE)
		return cursor_u64(&cursor);
	if (header->type != PERF_RECORD_HEADER_TRACING_DATA ||
	    record_tracing_data_inside(record, header->size, swap))
		return 0;
	return cursor_u32(&cursor);
}
