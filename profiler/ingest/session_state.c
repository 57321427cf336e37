// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of a session into which the reading of files, streams and records puts what it finds:
 * warnings, streams, control groups, build ids. They know nothing of how it is read. */

#include "base/cursor.h"
#include "base/memory.h"
#include "profiler/ingest/header.h"
#include "profiler/ingest/session_private.h"

/* ---- messages ---- */

void session_warn(const struct session *session, const char *format, ...)
{
	va_list arguments;

	if (!session->options.warn)
		return;
	va_start(arguments, format);
	_cleanup_free_ char *message = xvasprintf(format, arguments);

	va_end(arguments);
	session->options.warn(session->options.warn_data, message);
}

void session_warn_incomplete(struct session *session, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *message = xvasprintf(format, arguments);

	va_end(arguments);
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
	static const char *const names[SESSION_RECORD_TYPES] = {
		[PERF_RECORD_MMAP] = "MMAP",
		[PERF_RECORD_LOST] = "LOST",
		[PERF_RECORD_COMM] = "COMM",
		[PERF_RECORD_EXIT] = "EXIT",
		[PERF_RECORD_THROTTLE] = "THROTTLE",
		[PERF_RECORD_UNTHROTTLE] = "UNTHROTTLE",
		[PERF_RECORD_FORK] = "FORK",
		[PERF_RECORD_READ] = "READ",
		[PERF_RECORD_SAMPLE] = "SAMPLE",
		[PERF_RECORD_MMAP2] = "MMAP2",
		[PERF_RECORD_AUX] = "AUX",
		[PERF_RECORD_ITRACE_START] = "ITRACE_START",
		[PERF_RECORD_LOST_SAMPLES] = "LOST_SAMPLES",
		[PERF_RECORD_SWITCH] = "SWITCH",
		[PERF_RECORD_SWITCH_CPU_WIDE] = "SWITCH_CPU_WIDE",
		[PERF_RECORD_NAMESPACES] = "NAMESPACES",
		[PERF_RECORD_KSYMBOL] = "KSYMBOL",
		[PERF_RECORD_BPF_EVENT] = "BPF_EVENT",
		[PERF_RECORD_CGROUP] = "CGROUP",
		[PERF_RECORD_TEXT_POKE] = "TEXT_POKE",
		[PERF_RECORD_AUX_OUTPUT_HW_ID] = "AUX_OUTPUT_HW_ID",
		[RECORD_CALLCHAIN_DEFERRED] = "CALLCHAIN_DEFERRED",
		[PERF_RECORD_HEADER_ATTR] = "ATTR",
		[PERF_RECORD_HEADER_EVENT_TYPE] = "EVENT_TYPE",
		[PERF_RECORD_HEADER_TRACING_DATA] = "TRACING_DATA",
		[PERF_RECORD_HEADER_BUILD_ID] = "BUILD_ID",
		[PERF_RECORD_FINISHED_ROUND] = "FINISHED_ROUND",
		[PERF_RECORD_ID_INDEX] = "ID_INDEX",
		[PERF_RECORD_AUXTRACE_INFO] = "AUXTRACE_INFO",
		[PERF_RECORD_AUXTRACE] = "AUXTRACE",
		[PERF_RECORD_AUXTRACE_ERROR] = "AUXTRACE_ERROR",
		[PERF_RECORD_THREAD_MAP] = "THREAD_MAP",
		[PERF_RECORD_CPU_MAP] = "CPU_MAP",
		[PERF_RECORD_STAT_CONFIG] = "STAT_CONFIG",
		[PERF_RECORD_STAT] = "STAT",
		[PERF_RECORD_STAT_ROUND] = "STAT_ROUND",
		[PERF_RECORD_EVENT_UPDATE] = "EVENT_UPDATE",
		[PERF_RECORD_TIME_CONV] = "TIME_CONV",
		[PERF_RECORD_HEADER_FEATURE] = "FEATURE",
		[PERF_RECORD_COMPRESSED] = "COMPRESSED",
		[PERF_RECORD_FINISHED_INIT] = "FINISHED_INIT",
		[RECORD_COMPRESSED2] = "COMPRESSED2",
	};

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
