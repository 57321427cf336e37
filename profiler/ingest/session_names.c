// SPDX-License-Identifier: GPL-2.0-or-later
/* What the features say of events and objects: names, groups, build ids. */
#include <string.h>
#include <sys/utsname.h>

#include "profiler/base/cursor.h"
#include "profiler/ingest/attr.h"
#include "profiler/ingest/session_private.h"
#include "profiler/ingest/tracepoint/formats.h"
#include "profiler/ingest/vdso.h"

static struct cursor feature_cursor(const struct session *session, enum feature feature)
{
	const struct feature_section *section = &session->header.features[feature];

	return cursor_of(section->data, section->data ? section->size : 0, session->header.swap);
}

/* A length, and as many bytes, of which a NUL ends the string; NULL: broken. */
static const char *feature_string(struct cursor *cursor)
{
	uint32_t length = cursor_u32(cursor);
	const char *string = cursor_bytes(cursor, length);

	return string && memchr(string, '\0', length) ? string : NULL;
}

/* EVENT_DESC: count, attr size, and for each event its attr, count of ids, name, ids. */
static void take_event_names(struct session *session)
{
	struct cursor cursor = feature_cursor(session, FEATURE_EVENT_DESC);
	uint32_t count = cursor_u32(&cursor);
	uint32_t size = cursor_u32(&cursor);

	for (uint32_t i = 0; i < count && !cursor.failed; i++) {
		cursor_skip(&cursor, size);
		uint32_t ids = cursor_u32(&cursor);
		const char *name = feature_string(&cursor);
		uint32_t event = i;

		for (uint32_t id = 0; id < ids && !cursor.failed; id++) {
			uint32_t found = event_table_find(&session->events, cursor_u64(&cursor));

			if (found != EVENT_NONE && !cursor.failed)
				event = found;
		}
		if (!cursor.failed && name)
			event_table_name(&session->events, event, name);
	}
}

/* GROUP_DESC: count, and for each group its name, the leader's index, and the number of members. */
static void take_groups(struct session *session)
{
	struct cursor cursor = feature_cursor(session, FEATURE_GROUP_DESC);
	uint32_t count = cursor_u32(&cursor);

	for (uint32_t i = 0; i < count && !cursor.failed; i++) {
		const char *name = feature_string(&cursor);
		uint32_t leader = cursor_u32(&cursor);
		uint32_t members = cursor_u32(&cursor);
		size_t events = session->events.count;

		if (cursor.failed || leader >= events || members > events - leader)
			return;
		if (name && strcmp(name, "{anon_group}") != 0)
			session->events.events[leader].group_name = arena_strdup(&session->arena, name);
		/* Groups do not overlap: an event that is in one stays there, so that this ends. */
		for (uint32_t e = leader + 1;
		     e < leader + members && session->events.events[e].group_leader == e; e++)
			session->events.events[e].group_leader = leader;
	}
}

static void take_fields(struct session *session, const struct tracepoint_names *names, struct event *event)
{
	const struct tracepoint_format *format = tracepoint_format_find(names, event->attr.config);

	if (!format)
		return;
	event->format = format->text;
	event->format_size = format->size;
	event->long_size = names->long_size;
	event->fields = tracepoint_fields_parse(format->text, format->size, names->long_size == 4 ? 4 : 8,
						&session->arena, &event->field_count);
}

static void take_tracepoints(struct session *session)
{
	const struct feature_section *section = &session->header.features[FEATURE_TRACING_DATA];

	if (!section->data)
		return;
	struct tracepoint_names names;

	tracepoint_names_read(&names, section->data, section->size);
	for (uint32_t i = 0; i < session->events.count; i++) {
		struct event *event = &session->events.events[i];

		if (event->attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		take_fields(session, &names, event);

		const char *name = event->name ? NULL : tracepoint_names_find(&names, event->attr.config);

		if (name)
			event_table_name(&session->events, i, name);
	}
	tracepoint_names_deinit(&names);
}

static void take_made_names(struct session *session)
{
	for (uint32_t i = 0; i < session->events.count; i++) {
		if (session->events.events[i].name)
			continue;
		_cleanup_free_ char *name = event_name_from_attr(&session->events.events[i].attr);

		event_table_name(&session->events, i, name);
	}
}

/* A build id's record: pid, 20 bytes of id, its length and three bytes to align, file name. */
static bool build_id_record(struct session *session, const uint8_t *record, size_t size, bool without_pid,
			    bool take)
{
	struct cursor cursor = cursor_of(record, size, session->header.swap);
	struct build_id build_id = { .size = BUILD_ID_SIZE };

	cursor_skip(&cursor, 4);
	uint16_t misc = cursor_u16(&cursor);

	cursor_skip(&cursor, without_pid ? 2 : 6);
	const uint8_t *id = cursor_bytes(&cursor, 24);
	const char *name = cursor_string(&cursor);
	uint16_t mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	bool kernel = mode == PERF_RECORD_MISC_KERNEL || mode == PERF_RECORD_MISC_GUEST_KERNEL;

	if (!id || !name)
		return false;
	if (misc & PERF_RECORD_MISC_BUILD_ID_SIZE && id[20] <= BUILD_ID_SIZE)
		build_id.size = id[20];
	memcpy(build_id.bytes, id, build_id.size);
	/* Files of before 2.6.34 have no pid there: it shows in the kernel's name, four bytes of which are
	 * gone. */
	if (!without_pid && !strcmp(name, "nel.kallsyms]"))
		return false;
	if (take && build_id.size)
		dso_table_add_build_id(&session->timeline.dsos, name, kernel, &build_id);
	return true;
}

void session_take_build_id(struct session *session, const uint8_t *record, size_t size)
{
	(void)build_id_record(session, record, size, false, true);
}

/* Goes over all records of the section; false: one is not as expected. */
static bool build_id_section(struct session *session, bool without_pid, bool take)
{
	struct cursor cursor = feature_cursor(session, FEATURE_BUILD_ID);
	bool good = true;

	while (good && cursor_left(&cursor) >= RECORD_HEADER_SIZE) {
		const uint8_t *record = cursor.data + cursor.position;
		struct record_header header = record_header(record, session->header.swap);

		good = header.size >= RECORD_HEADER_SIZE && cursor_bytes(&cursor, header.size) &&
		       build_id_record(session, record, header.size, without_pid, take);
	}
	return good;
}

static void take_build_ids(struct session *session)
{
	bool without_pid = !build_id_section(session, false, false) && build_id_section(session, true, false);

	(void)build_id_section(session, without_pid, true);
}

static bool feature_is(const struct session *session, enum feature feature, const char *expected)
{
	struct cursor cursor = feature_cursor(session, feature);
	const char *string = feature_string(&cursor);

	return string && !strcmp(string, expected);
}

/*
 * The vdso is in no file, so that its build id is often not recorded. On the machine and kernel of the
 * recording it is the one that this process has.
 */
static void take_vdso_build_id(struct session *session)
{
	struct elf_image *image = NULL;
	struct utsname machine;

	if (uname(&machine) != 0 || !feature_is(session, FEATURE_HOSTNAME, machine.nodename) ||
	    !feature_is(session, FEATURE_OSRELEASE, machine.release))
		return;
	struct error *error = vdso_image_open(&image);

	if (!error && elf_image_build_id(image)->size)
		dso_table_add_build_id(&session->timeline.dsos, "[vdso]", false, elf_image_build_id(image));
	if (!error)
		elf_image_close(image);
	error_destroy(error);
}

/* Which kernel it was. */
static void take_release(struct session *session)
{
	struct cursor cursor = feature_cursor(session, FEATURE_OSRELEASE);
	const char *release = feature_string(&cursor);

	session->timeline.dsos.release = release && *release ? arena_strdup(&session->arena, release) : NULL;
}

void session_take_features(struct session *session)
{
	take_release(session);
	take_event_names(session);
	take_tracepoints(session);
	take_made_names(session);
	take_groups(session);
	take_build_ids(session);
	take_vdso_build_id(session);
}
