// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements session.h, except for what goes through records (records.c) or counts samples
 * (count.c).
 */
#include "profiler/ingest/session.h"

#include <inttypes.h>
#include <time.h>
#include <sys/utsname.h>

#include "base/cursor.h"
#include "base/memory.h"
#include "profiler/ingest/header.h"
#include "profiler/ingest/session_private.h"
#include "profiler/ingest/tracepoint.h"
#include "profiler/objects/archive.h"
#include "profiler/objects/kernel.h"

/* ---- the machine, and its control groups ---- */

/* Reads NRCPUS: the number of processors that could exist, and of those that were online. */
uint32_t session_processors(const struct session *session)
{
	struct cursor cursor = feature_cursor(session, FEATURE_NRCPUS);

	return cursor_u32(&cursor);
}

/* Sets *name to the output of uname -m on the recorded machine, or NULL, and *number to the machine
 * in its ELF headers, or EM_NONE. ARCH is a length with padding, then the bytes with a NUL;
 * E_MACHINE is a number. */
static void recorded_machine(const struct session *session, const char **name, uint32_t *number)
{
	struct cursor arch = feature_cursor(session, FEATURE_ARCH);
	struct cursor machine = feature_cursor(session, FEATURE_E_MACHINE);

	cursor_skip(&arch, 4);
	*name = cursor_string(&arch);
	*number = cursor_u32(&machine);
}

const struct arch *session_arch(const struct session *session)
{
	const char *name;
	uint32_t number;

	recorded_machine(session, &name, &number);
	if (name)
		return arch_named(name);
	if (number == EM_NONE)
		return arch_default();
	return number <= UINT16_MAX ? arch_of_machine((uint16_t)number) : NULL;
}

bool session_is_aarch64(const struct session *session)
{
	const char *name;
	uint32_t number;

	recorded_machine(session, &name, &number);
	return (name && !strcmp(name, "aarch64")) || number == EM_AARCH64;
}

bool session_clock(const struct session *session, struct session_clock *clock)
{
	struct cursor cursor = feature_cursor(session, FEATURE_CLOCK_DATA);

	cursor_skip(&cursor, 4); /* version */

	bool same = cursor_u32(&cursor) == CLOCK_REALTIME;

	clock->wall = cursor_u64(&cursor);
	clock->reference = cursor_u64(&cursor);
	if (same) /* the clock was read twice, one after the other */
		clock->reference = clock->wall;
	return !cursor.failed;
}

/* True if samples have the register that calls leave the return address in. */
static bool has_link(const struct session *session, const struct perf_event_attr *attr)
{
	const struct arch *arch = session_arch(session);
	uint64_t registers =
		(attr->sample_type & PERF_SAMPLE_REGS_USER ? attr->sample_regs_user : 0) |
		(attr->sample_type & PERF_SAMPLE_REGS_INTR ? attr->sample_regs_intr : 0);

	return arch && arch->perf_link && registers >> arch->perf_link & 1;
}

bool session_has_callers(const struct session *session)
{
	return session_any_event(session, event,
				 event_is_embedded(event) || has_link(session, &event->attr) ||
					 event->attr.sample_type &
						 (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER |
						  PERF_SAMPLE_BRANCH_STACK));
}

struct dso *session_caller(struct session *session, uint64_t caller, uint64_t *address)
{
	uint64_t id = caller >> CALLER_DSO_SHIFT;
	struct dso *dso = id && id <= session->timeline.dsos.count
				  ? session->timeline.dsos.dsos[id - 1]
				  : NULL;

	if (dso)
		*address = session_file_address(session, dso, CALLER_OFFSET(caller));
	return dso;
}

bool session_has_chains(const struct session *session)
{
	return session_any_event(session, event,
				 event->attr.sample_type & PERF_SAMPLE_CALLCHAIN ||
					 event_is_embedded(event));
}

bool session_has_blocked_time(const struct session *session)
{
	return session_any_event(session, event, event->off_cpu);
}

const char *session_last_name(const struct session *session, int32_t tid)
{
	struct task_view view;

	timeline_task(&session->timeline, tid, tid, MOMENT_NEVER, &view);
	return view.comm == COMM_NONE ? NULL : session->timeline.comms.names[view.comm];
}

/*
 * Sizes of cachelines outside of these bounds are ignored. Those of real machines are from 16 to
 * 256.
 */
#define CACHELINE_MIN 8
#define CACHELINE_MAX 4096
/* Caches above these bounds are ignored. Real ones are far below. */
#define CACHE_SETS_MAX (1U << 24)
#define CACHE_WAYS_MAX (1U << 10)

static bool is_likely_line_size(uint64_t size)
{
	return size >= CACHELINE_MIN && size <= CACHELINE_MAX && has_one_bit(size);
}

/* Returns the line size of the first cache of level 1, or 0. CACHE: version, number of caches; for
 * each its level, line size, sets, ways, and type, size and processors as strings. */
static uint64_t line_size_of_first_cache(const struct session *session)
{
	struct cursor cursor = feature_cursor(session, FEATURE_CACHE);

	cursor_skip(&cursor, 4);
	for (uint32_t left = cursor_u32(&cursor); left && !cursor.failed; left--) {
		uint32_t level = cursor_u32(&cursor), size = cursor_u32(&cursor);

		if (!cursor.failed && level == 1 && is_likely_line_size(size))
			return size;
		cursor_skip(&cursor, 8);
		for (int i = 0; i < 3; i++)
			(void)feature_string(&cursor);
	}
	return 0;
}

/* Newer versions of perf write the size of a cacheline as a feature of its own; older ones have it
 * with each cache of the CACHE feature (tools/perf/Documentation/perf.data-file-format.txt). */
uint64_t session_cacheline(const struct session *session)
{
	struct cursor cursor = feature_cursor(session, FEATURE_CLN_SIZE);
	uint32_t size = cursor_u32(&cursor);

	return !cursor.failed && is_likely_line_size(size) ? size
							   : line_size_of_first_cache(session);
}

uint64_t session_cache_size(const struct session *session, uint32_t wanted)
{
	struct cursor cursor = feature_cursor(session, FEATURE_CACHE);

	cursor_skip(&cursor, 4);
	for (uint32_t left = cursor_u32(&cursor); left && !cursor.failed; left--) {
		uint32_t level = cursor_u32(&cursor), line = cursor_u32(&cursor),
			 sets = cursor_u32(&cursor), ways = cursor_u32(&cursor),
			 length = cursor_u32(&cursor);
		const char *type = cursor_bytes(&cursor, length);
		bool of_code = type && length && type[0] == 'I'; /* "Instruction" */

		(void)feature_string(&cursor);
		(void)feature_string(&cursor);
		if (!cursor.failed && level == wanted && !of_code && is_likely_line_size(line) &&
		    sets <= CACHE_SETS_MAX && ways <= CACHE_WAYS_MAX)
			return (uint64_t)line * sets * ways;
	}
	return 0;
}

/* ---- events and objects ---- */

/* Reads EVENT_DESC: number of events, size of an attr; for each attr, ids' number, name, ids. */
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

/* Reads GROUP_DESC: number of groups; for each name, leader's index, number of members. */
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
		if (name && strcmp(name, GROUP_NAME_NONE) != 0)
			session->events.events[leader].group_name =
				arena_strdup(&session->arena, name);
		/* Groups do not overlap: stop at an event that is in another one. */
		for (uint32_t e = leader + 1;
		     e < leader + members && session->events.events[e].group_leader == e; e++)
			session->events.events[e].group_leader = leader;
	}
}

/* Parses the description of an event that is a tracepoint, if the file has one. */
static void take_fields(struct session *session, const struct tracepoint_names *names,
			struct event *event)
{
	const struct tracepoint_format *format = tracepoint_format_find(names, event->attr.config);

	if (!format)
		return;
	event->is_described = true;
	event->fields =
		tracepoint_fields_parse(format->text, format->size, names->long_size == 4 ? 4 : 8,
					&session->arena, &event->field_count);
}

/* Takes the descriptions of tracepoints, and the names of those that have none yet. */
static void take_tracepoints(struct session *session)
{
	const struct feature_section *section = &session->header.features[FEATURE_TRACING_DATA];

	if (!section->data)
		return;
	struct tracepoint_names names;

	tracepoint_names_read(&names, section->data, section->size);
	array_indexed (struct event, event, i, session->events.events, session->events.count) {
		if (event->attr.type != PERF_TYPE_TRACEPOINT)
			continue;
		take_fields(session, &names, event);

		const char *name =
			event->name ? NULL : tracepoint_names_find(&names, event->attr.config);

		if (name)
			event_table_name(&session->events, i, name);
	}
	tracepoint_names_deinit(&names);
}

/* Warns of tracepoints whose fields cannot be read: some recorders leave their formats out. */
static void warn_of_missing_formats(struct session *session)
{
	const struct event *first = NULL;
	size_t missing = 0;

	array_each (const struct event, event, session->events.events, session->events.count) {
		if (event->attr.type != PERF_TYPE_TRACEPOINT || event->is_described)
			continue;
		first = first ?: event;
		missing++;
	}
	if (missing && session->totals.samples)
		session_warn(session,
			     "%s: the formats of %zu tracepoint%s (%s%s) are missing from the "
			     "tracing data: %s fields cannot be read",
			     session->file.name, missing, missing == 1 ? "" : "s", first->name,
			     missing == 1 ? "" : " ...", missing == 1 ? "its" : "their");
}

static void make_missing_names(struct session *session)
{
	for (uint32_t i = 0; i < session->events.count; i++) {
		if (session->events.events[i].name)
			continue;
		struct perf_event_attr attr = session->events.events[i].attr;

		/* recorders leave guests out of every event, so the name does not say so */
		if ((session->header.unfinished || session->header.interrupted) &&
		    !attr.exclude_host)
			attr.exclude_guest = 0;
		_cleanup_free_ char *name = event_name_from_attr(&attr);

		event_table_name(&session->events, i, name);
	}
}

/* Reads all records of BUILD_ID by session_take_build_id(). False at the first bad one. */
static bool build_id_section(struct session *session, bool without_pid, bool take)
{
	struct cursor cursor = feature_cursor(session, FEATURE_BUILD_ID);
	bool good = true;

	while (good && cursor_left(&cursor) >= RECORD_HEADER_SIZE) {
		const uint8_t *record = cursor.data + cursor.position;
		struct record_header header = record_header(record, session->header.swap);

		good = header.size >= RECORD_HEADER_SIZE && cursor_bytes(&cursor, header.size) &&
		       session_take_build_id(session, record, header.size, without_pid, take);
	}
	return good;
}

static void take_build_ids(struct session *session)
{
	bool without_pid =
		!build_id_section(session, false, false) && build_id_section(session, true, false);

	(void)build_id_section(session, without_pid, true);
}

static bool feature_is(const struct session *session, enum feature feature, const char *expected)
{
	struct cursor cursor = feature_cursor(session, feature);
	const char *string = feature_string(&cursor);

	return string && !strcmp(string, expected);
}

bool session_is_here(const struct session *session)
{
	struct utsname machine;

	return uname(&machine) == 0 && feature_is(session, FEATURE_HOSTNAME, machine.nodename) &&
	       feature_is(session, FEATURE_OSRELEASE, machine.release);
}

const char *session_memory_costs(const struct session *session)
{
	struct cursor version = feature_cursor(session, FEATURE_VERSION);
	size_t length = cursor_u32(&version);
	const char *bytes = cursor_bytes(&version, length), *costs;
	struct cursor text = cursor_of(bytes, bytes ? length : 0, false);

	/* they follow dtprof's version in the same string; perf fills it up with zeros */
	cursor_string(&text);
	costs = cursor_string(&text);
	return costs && *costs ? costs : NULL;
}

/* Sets the build id of the vDSO, which is in no file, so that its build id is often not recorded.
 * If the recording is from this machine and kernel, it is the vDSO of this process. */
static void take_vdso_build_id(struct session *session)
{
	struct elf_image *image = NULL;

	if (!session_is_here(session))
		return;
	_cleanup_error_ struct error *error = vdso_image_open(&image);

	if (!error && elf_image_build_id(image)->size)
		dso_table_add_build_id(&session->timeline.dsos, "[vdso]", false,
				       elf_image_build_id(image));
	if (!error)
		elf_image_close(image);
}

/* Reads OSRELEASE: the release of the recorded kernel. */
static void take_release(struct session *session)
{
	struct cursor cursor = feature_cursor(session, FEATURE_OSRELEASE);
	const char *release = feature_string(&cursor);

	session->timeline.dsos.release =
		release && *release ? arena_strdup(&session->arena, release) : NULL;
}

/* Takes when and where the recording was made, by which files without build ids are judged. */
static void take_origin(struct session *session)
{
	struct cursor cursor = feature_cursor(session, FEATURE_HOSTNAME);
	const char *host = feature_string(&cursor);
	struct utsname machine;

	/* an archive has the time of the recording, however it is read */
	session->timeline.dsos.recorded_until =
		session->file.pipe && !session->archive ? 0 : session->file.modified;
	if (uname(&machine) != 0)
		return;
	cursor = feature_cursor(session, FEATURE_ARCH);
	const char *arch = feature_string(&cursor);

	session->timeline.dsos.recorded_elsewhere = (host && strcmp(host, machine.nodename) != 0) ||
						    (arch && strcmp(arch, machine.machine) != 0);
}

/* Takes BPF programs with their code and types. perf, too, reads none of the other byte order. */
static void take_bpf_programs(struct session *session)
{
	struct bpf_programs *programs = &session->timeline.dsos.programs;
	const struct cursor infos = feature_cursor(session, FEATURE_BPF_PROG_INFO),
			    btf = feature_cursor(session, FEATURE_BPF_BTF);

	programs->arch = session_arch(session);
	if (infos.swap || !infos.size || !programs->arch)
		return;
	if (!bpf_programs_add(programs, infos) ||
	    (btf.size && !bpf_programs_add_btf(programs, btf)))
		session_warn(session, "%s: a BPF program is damaged: some have no code or types",
			     session->file.name);
}

/* Takes names, groups and build ids from the features, once all are there. */
static void session_take_features(struct session *session)
{
	take_release(session);
	take_origin(session);
	take_event_names(session);
	take_tracepoints(session);
	make_missing_names(session);
	warn_of_missing_formats(session);
	take_groups(session);
	take_build_ids(session);
	take_bpf_programs(session);
	take_vdso_build_id(session);
}

/* ---- modules ---- */

#define MODULE_LINE_MAX 65536 /* a module may be used by all others, which its line names */

/* Adds the modules of --modules, a copy of /proc/modules (proc(5)), if maps lack them. */
static struct error *session_add_modules(struct session *session)
{
	const char *path = session->options.dso.modules;
	char line[MODULE_LINE_MAX];
	size_t count = 0;
	bool is_text = true;
	FILE *file = path ? fopen(path, "re") : NULL;

	if (!path)
		return NULL;
	if (!file)
		return error_errno(errno, "cannot open %s", path);
	/* "virtio_blk 28672 1 - Live 0xffffffffc0410000": name, size, users, state, address */
	while (is_text && fgets(line, sizeof(line), file)) {
		char name[64];
		uint64_t size, address;
		size_t length = strlen(line);

		/* a device or a sparse file may have one line without an end */
		is_text = (length && line[length - 1] == '\n') || feof(file);
		if (!is_text ||
		    sscanf(line, "%63s %" SCNu64 " %*s %*s %*s 0x%" SCNx64, name, &size,
			   &address) != 3 ||
		    !address)
			continue;
		_cleanup_free_ char *bracketed = xasprintf("[%s]", name);

		timeline_add_module(&session->timeline, bracketed, address, size);
		count++;
	}
	RETURN_ERROR(read_file_close(file, path));
	if (!is_text)
		return error_create(ERROR_FORMAT, "%s is not a list of modules", path);
	if (!count)
		return error_create(ERROR_FORMAT,
				    "%s has no addresses of modules: only root may read them; make "
				    "the copy of /proc/modules as root",
				    path);
	return NULL;
}

/* ---- maps ---- */

bool session_maps_together(const struct session *session, const struct dso *a, const struct dso *b)
{
	const struct timeline *timeline = &session->timeline;

	for (uint32_t space = 0; space < timeline->space_count; space++) {
		struct map_view view = { .last = UINT64_MAX };
		bool has_a = false, has_b = false;

		do {
			timeline_map(timeline, space, view.last + 1, MOMENT_NEVER, &view);

			const struct dso *dso =
				view.map == MAP_NONE ? NULL : timeline->maps[view.map].dso;

			has_a |= dso == a;
			has_b |= dso == b;
		} while (view.last != UINT64_MAX && !(has_a && has_b));
		if (has_a && has_b)
			return true;
	}
	return false;
}

/* Returns the map of an address at the end of the recording, or NULL. */
static const struct map *last_map(const struct timeline *timeline, uint32_t space, uint64_t address)
{
	struct map_view view;

	timeline_map(timeline, space, address, MOMENT_NEVER, &view);
	return view.map == MAP_NONE ? NULL : &timeline->maps[view.map];
}

uint64_t session_mapped_bytes(const struct session *session, int32_t pid, uint64_t first,
			      uint64_t last)
{
	const struct timeline *timeline = &session->timeline;
	const struct map *low, *high;
	struct task_view task;
	struct map_view view;
	uint64_t bytes = 0;

	timeline_task(timeline, pid, pid, MOMENT_NEVER, &task);
	if (task.space == SPACE_NONE)
		return 0;
	low = last_map(timeline, task.space, first);
	high = last_map(timeline, task.space, last);
	if (!low || !high)
		return 0;
	for (uint64_t at = low->start; at <= high->last; at = view.last + 1) {
		uint64_t end;

		timeline_map(timeline, task.space, at, MOMENT_NEVER, &view);
		end = view.last < high->last ? view.last : high->last;
		bytes += view.map == MAP_NONE ? 0 : end - at + 1;
		if (view.last == UINT64_MAX)
			break;
	}
	return bytes;
}

/* ---- opening ---- */

static void session_main_stream(struct session *session)
{
	const struct perf_header *header = &session->header;
	const struct perf_file *file = &session->file;
	struct stream stream = {
		.data = file->data + header->data_offset,
		.size = header->data_size,
		.base = header->data_offset,
		.offset = header->data_offset,
		.name = file->name,
		.cut = header->unfinished || header->interrupted ||
		       header->data_claimed > header->data_size,
	};

	if (header->unfinished)
		session_warn(session,
			     "%s: the size of the data was never written (was record killed?): "
			     "everything up to the end of the file is read",
			     file->name);
	else if (header->interrupted)
		session_warn(session,
			     "%s: the recording was not finished (its recorder was killed, or "
			     "still runs): it is shown as far as it was written",
			     file->name);
	else if (stream.cut)
		session_warn_incomplete(
			session,
			"%s: truncated: the file ends at offset %zu, its data at offset %" PRIu64,
			file->name, file->size, header->data_offset + header->data_claimed);
	/* A file without its end lacks its features as well. One warning is enough. */
	if (header->lost_features && !stream.cut)
		session_warn(session,
			     "%s: truncated: %u of the header's features (names of events, build "
			     "ids ...) lie beyond the file's %zu bytes",
			     file->name, header->lost_features, file->size);
	session_add_stream(session, &stream);
}

/* Returns whether times order the records. Without sample_id_all only samples have any. */
static bool session_has_times(const struct session *session)
{
	return session_any_event(session, event,
				 event->attr.sample_id_all &&
					 event->attr.sample_type & PERF_SAMPLE_TIME);
}

static void session_build_timeline(struct session *session)
{
	session->by_position = !session_has_times(session);
	for (size_t i = 0; session->by_position && i < session->state_count; i++)
		session->states[i].moment.time = session->states[i].moment.position;
	timeline_build(&session->timeline, session->states, session->state_count,
		       session->header.swap);
	/* these records are all over the file */
	perf_file_done_with_part(&session->file, session->file.data,
				 session->file.data + session->file.size);
	free(session->states);
	session->states = NULL;
	if (session->timeline.bad_records)
		session_warn(session,
			     "%zu records of processes are shorter than their fields, and were "
			     "skipped; the first: %s",
			     session->timeline.bad_records,
			     session_position_text(session, session->timeline.first_bad));
	if (session->timeline.outside)
		session_warn(session,
			     "%s was recorded in a PID namespace: processes outside of it have no "
			     "ids (0), and their code no names",
			     session->file.name);
	if (session->timeline.cut_forks)
		session_warn(session,
			     "%zu processes were forked more than %d deep without exec: the maps "
			     "of their first ancestors are not searched",
			     session->timeline.cut_forks, ADDRESS_SPACE_DEPTH_MAX);
}

/* Unpacks the file if it is an archive, and puts the recording in its place. */
static struct error *session_unpack(struct session *session)
{
	struct perf_file *file = &session->file;
	const void *data;
	int64_t modified;
	size_t size;

	if (!recording_archive_probe(file->data, file->size))
		return NULL;
	RETURN_ERROR(
		recording_archive_unpack(file->data, file->size, file->name, &session->archive));
	data = recording_archive_data(session->archive, &size, &modified);
	perf_file_replace(file, data, size, modified * NS_PER_S);
	session->timeline.dsos.archive = session->archive;
	return NULL;
}

struct contention_reading {
	struct contentions contentions;
	bool swap;
};

static struct error *take_contention(const struct sample *sample, void *data)
{
	struct contention_reading *reading = data;

	contentions_add(&reading->contentions, sample, reading->swap);
	return NULL;
}

/* Reads the waits for the kernel's locks. The session has none until all are read, so that no
 * sample is taken as one. */
static struct error *read_contentions(struct session *session)
{
	struct contention_reading reading = { .swap = session->header.swap };
	struct error *error = NULL;

	if (contentions_init(&reading.contentions, session->events.events, session->events.count))
		error = session_each_sample(session, take_contention, &reading);
	contentions_sort(&reading.contentions);
	session->contentions = reading.contentions;
	return error;
}

/* Finds the events of blocked time: dtprof's, whose periods switches tell, and perf's; and those of
 * waits for locks, if they are asked for. */
static struct error *find_off_cpu_events(struct session *session)
{
	bool switches = false, lock_time = session->options.lock_time;

	array_each (struct event, event, session->events.events, session->events.count) {
		bool is_switch = event->attr.type == PERF_TYPE_SOFTWARE &&
				 event->attr.config == PERF_COUNT_SW_CONTEXT_SWITCHES;

		event->off_cpu = !strcmp(event->name, OFF_CPU_EVENT) ||
				 (lock_time && (is_switch || !strcmp(event->name, EVENT_BEGIN)));
		switches |= event_needs_sleeps(event);
	}
	if (switches)
		sleeps_read(session, &session->sleeps);
	return lock_time ? read_contentions(session) : NULL;
}

/* Reads everything but the samples of a file that is open. `folder` is NULL if it is in none. */
static struct error *session_load(struct session *session, const char *folder)
{
	const struct perf_file *file = &session->file;

	RETURN_ERROR(session_unpack(session));
	RETURN_ERROR(header_parse(file->data, file->size, file->name, &session->header,
				  &session->events));
	session_main_stream(session);
	RETURN_ERROR(session_open_folder(session, folder));
	session->spools = xcalloc(session->stream_count, sizeof(*session->spools));
	for (size_t i = 0; i < session->stream_count; i++)
		session->spools[i] = (struct spool)SPOOL_INIT;
	RETURN_ERROR(session_collect(session));
	session_take_features(session);
	if (!session->events.count)
		return error_create(ERROR_FORMAT, "%s: no event is declared%s", file->name,
				    session->totals.samples ? ", but there are samples" : "");
	if (session->events.count > 1 && !session->events.layouts[0].id && session->totals.samples)
		session_warn(
			session,
			"%s: the samples do not say which event they belong to: all count as '%s'",
			file->name, session->events.events[0].name);
	RETURN_ERROR(session_add_modules(session));
	session_build_timeline(session);
	RETURN_ERROR(find_off_cpu_events(session));
	return session_decode_spe(session);
}

struct error *session_open(const char *path, const struct session_options *options,
			   struct session **result)
{
	struct session *session = xcalloc(1, sizeof(*session));

	if (options)
		session->options = *options;
	timeline_init(&session->timeline);
	struct error *error = perf_file_open(path, session->options.force, &session->file);

	/* The name is another one if perf_file_open() found 'data' in a folder. */
	bool folder = !error && strcmp(path, "-") != 0 && strcmp(path, session->file.name) != 0;

	if (!error)
		error = session_load(session, folder ? path : NULL);
	if (error)
		session_close(session);
	else
		*result = session;
	return error;
}

const void *session_recording(const struct session *session, size_t *size, int64_t *modified)
{
	*size = session->file.size;
	*modified = session->file.modified;
	return session->file.data;
}

void session_close(struct session *session)
{
	if (!session)
		return;
	timeline_deinit(&session->timeline);
	sleeps_deinit(&session->sleeps);
	contentions_deinit(&session->contentions);
	event_table_deinit(&session->events);
	for (size_t i = 0; session->spools && i < session->stream_count; i++)
		spool_deinit(&session->spools[i]);
	for (size_t i = 0; i < session->stream_count; i++)
		free(session->streams[i].pieces);
	for (size_t i = 0; i < session->more_count; i++)
		perf_file_close(&session->more_files[i]);
	perf_file_close(&session->file);
	recording_archive_close(session->archive);
	free_all(session->spools, session->more_files, session->streams, session->chunks,
		 session->states);
	hash_map_deinit(&session->cgroup_by_id);
	free(session->cgroups);
	arena_deinit(&session->arena);
	free(session);
}

const struct event *session_events(const struct session *session, size_t *count)
{
	if (count)
		*count = session->events.count;
	return session->events.events;
}

const struct session_totals *session_totals(const struct session *session)
{
	return &session->totals;
}

struct dso *const *session_dsos(const struct session *session, size_t *count)
{
	*count = session->timeline.dsos.count;
	return session->timeline.dsos.dsos;
}

const char *session_comm(const struct session *session, uint32_t comm)
{
	return comm < session->timeline.comms.count ? session->timeline.comms.names[comm] : "";
}

const char *session_position_text(struct session *session, uint64_t position)
{
	const struct stream *stream = &session->streams[0];

	for (size_t i = 1; i < session->stream_count; i++)
		if (position >= session->streams[i].base)
			stream = &session->streams[i];
	return stream_place(session, stream, position - stream->base);
}

/* ---- the nodes of the recorded machine ---- */

/* Layouts of the features: tools/perf/Documentation/perf.data-file-format.txt. */

#define NODES_MAX 1024 /* twice what any kernel is built for */
#define CPUS_MAX  NUMBER_SET_SIZE

/* Adds the processors of a list such as "0-3,8" to a node. A malformed list adds none. */
static void take_cpus(struct session_nodes *nodes, int32_t node, const char *list)
{
	struct number_set set = { 0 };
	_cleanup_error_ struct error *error = number_set_parse(&set, list, "");

	for (uint32_t cpu = 0; !error && cpu < nodes->cpu_count; cpu++)
		if (number_set_has(&set, cpu) && nodes->of_cpu[cpu] < 0)
			nodes->of_cpu[cpu] = node;
}

/* Reads NUMA_TOPOLOGY: of each node, number, total and free memory, processors' list. */
static void take_nodes(const struct session *session, struct session_nodes *nodes)
{
	struct cursor cursor = feature_cursor(session, FEATURE_NUMA_TOPOLOGY);
	uint32_t count = cursor_u32(&cursor);

	for (uint32_t i = 0; i < count && i < NODES_MAX && !cursor.failed; i++) {
		cursor_skip(&cursor, 4 + 8 + 8);

		const char *cpus = feature_string(&cursor);

		if (cursor.failed)
			return;
		nodes->count = i + 1;
		if (cpus)
			take_cpus(nodes, (int32_t)i, cpus);
	}
}

/* Reads MEM_TOPOLOGY: version, bytes of a block, number of nodes; for each its number, the size of
 * its bitmap in bits, and the bitmap, which begins with its size once more. */
static void take_memory(const struct session *session, struct session_nodes *nodes)
{
	struct cursor cursor = feature_cursor(session, FEATURE_MEM_TOPOLOGY);

	cursor_skip(&cursor, 8);
	nodes->block_size = cursor_u64(&cursor);

	uint64_t count = cursor_u64(&cursor);

	if (cursor.failed || count > NODES_MAX)
		return;
	nodes->memory = xcalloc(count, sizeof(*nodes->memory));
	array_each (struct node_memory, memory, nodes->memory, count) {
		memory->node = (int32_t)cursor_u64(&cursor);
		cursor_skip(&cursor, 8);
		memory->block_count = cursor_u64(&cursor);

		uint64_t words = memory->block_count / 64 + (memory->block_count % 64 != 0);

		if (cursor.failed || words > cursor_left(&cursor) / 8)
			return;
		memory->blocks = xcalloc(words, sizeof(*memory->blocks));
		for (uint64_t word = 0; word < words; word++)
			memory->blocks[word] = cursor_u64(&cursor);
		nodes->memory_count++;
	}
}

void session_nodes_init(const struct session *session, struct session_nodes *nodes)
{
	uint32_t cpus = session_processors(session);

	*nodes = (struct session_nodes){ .cpu_count = cpus < CPUS_MAX ? cpus : CPUS_MAX };
	nodes->of_cpu = xcalloc(nodes->cpu_count, sizeof(*nodes->of_cpu));
	for (uint32_t cpu = 0; cpu < nodes->cpu_count; cpu++)
		nodes->of_cpu[cpu] = -1;
	take_nodes(session, nodes);
	take_memory(session, nodes);
}

void session_nodes_deinit(struct session_nodes *nodes)
{
	for (uint32_t i = 0; i < nodes->memory_count; i++)
		free(nodes->memory[i].blocks);
	free_all(nodes->memory, nodes->of_cpu);
	*nodes = (struct session_nodes){ 0 };
}

int32_t session_nodes_of_memory(const struct session_nodes *nodes, uint64_t physical_address)
{
	if (!nodes->block_size)
		return -1;

	uint64_t block = physical_address / nodes->block_size;

	array_each (const struct node_memory, memory, nodes->memory, nodes->memory_count) {
		if (block < memory->block_count && memory->blocks[block / 64] >> block % 64 & 1)
			return memory->node;
	}
	return -1;
}
