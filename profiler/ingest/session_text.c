// SPDX-License-Identifier: GPL-2.0-or-later
/* Texts on a session: `report --header` and `report --stats` (session.h). */
#include <inttypes.h>
#include <time.h>

#include "base/cursor.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profiler/ingest/header.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/session_private.h"
#include "profiler/ingest/tracepoint.h"

struct feature_printer {
	const struct session *session;
	struct strbuf *text;
	struct cursor cursor; /* over the bytes of the feature */
	const char *label;    /* of print_string() */
};

/* Adds the next string of the feature, made printable. Adds nothing if it is broken. */
static void feature_add_string(struct feature_printer *printer)
{
	const char *string = feature_string(&printer->cursor);

	if (string)
		strbuf_add_printable(printer->text, string);
}

static void print_string(struct feature_printer *printer)
{
	strbuf_add_format(printer->text, "# %s : ", printer->label);
	feature_add_string(printer);
	strbuf_add_char(printer->text, '\n');
}

static void print_nrcpus(struct feature_printer *printer)
{
	uint32_t available = cursor_u32(&printer->cursor);
	uint32_t online = cursor_u32(&printer->cursor);

	strbuf_add_format(printer->text, "# nrcpus online : %u\n# nrcpus avail : %u\n", online,
			  available);
}

static void print_total_memory(struct feature_printer *printer)
{
	strbuf_add_format(printer->text, "# total memory : %" PRIu64 " kB\n",
			  cursor_u64(&printer->cursor));
}

static void print_cmdline(struct feature_printer *printer)
{
	uint32_t count = cursor_u32(&printer->cursor);

	strbuf_add_string(printer->text, "# cmdline : ");
	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++) {
		feature_add_string(printer);
		strbuf_add_char(printer->text, ' ');
	}
	strbuf_add_char(printer->text, '\n');
}

static void print_pmu_mappings(struct feature_printer *printer)
{
	uint32_t count = cursor_u32(&printer->cursor);

	strbuf_add_string(printer->text,
			  count ? "# pmu mappings: " : "# pmu mappings: not available");
	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++) {
		uint32_t type = cursor_u32(&printer->cursor);

		if (i)
			strbuf_add_string(printer->text, ", ");
		feature_add_string(printer);
		strbuf_add_format(printer->text, " = %u", type);
	}
	strbuf_add_char(printer->text, '\n');
}

static void print_sample_time(struct feature_printer *printer)
{
	uint64_t first = cursor_u64(&printer->cursor);
	uint64_t last = cursor_u64(&printer->cursor);

	strbuf_add_string(printer->text, "# time of first sample : ");
	strbuf_add_seconds(printer->text, 0, first, false);
	strbuf_add_string(printer->text, "\n# time of last sample : ");
	strbuf_add_seconds(printer->text, 0, last, false);
	strbuf_add_format(printer->text, "\n# sample duration : %10.3f ms\n",
			  (double)(last - first) / NS_PER_MS);
}

static void print_clockid(struct feature_printer *printer)
{
	strbuf_add_format(printer->text, "# clockid frequency: %" PRIu64 " MHz\n",
			  cursor_u64(&printer->cursor) * 1000);
}

static void print_compressed(struct feature_printer *printer)
{
	cursor_skip(&printer->cursor, 4);
	uint32_t type = cursor_u32(&printer->cursor);
	uint32_t level = cursor_u32(&printer->cursor);
	uint32_t ratio = cursor_u32(&printer->cursor);

	strbuf_add_format(printer->text, "# compressed : %s, level = %u, ratio = %u\n",
			  type == 1 ? "Zstd" : "Unknown", level, ratio);
}

/* Returns perf's name of a clock of clock_gettime(2). */
static const char *clock_name(uint32_t clock)
{
	static const char *const names[] = {
		"realtime",      "monotonic",       "process_cputime_id", "thread_cputime_id",
		"monotonic_raw", "realtime_coarse", "monotonic_coarse",   "boottime",
	};

	if (clock == CLOCK_TAI)
		return "tai";
	return clock < COUNT_OF(names) ? names[clock] : "unknown";
}

static void print_clock_data(struct feature_printer *printer)
{
	cursor_skip(&printer->cursor, 4);
	uint32_t clock = cursor_u32(&printer->cursor);
	uint64_t wall = cursor_u64(&printer->cursor);
	uint64_t reference = cursor_u64(&printer->cursor);

	strbuf_add_format(printer->text,
			  "# clockid: %s (%u)\n# reference time: ", clock_name(clock), clock);
	strbuf_add_wall_time(printer->text, wall, false);
	strbuf_add_string(printer->text, " = ");
	strbuf_add_seconds(printer->text, 0, wall, false);
	strbuf_add_string(printer->text, " (TOD) = ");
	strbuf_add_seconds(printer->text, 0, reference, true);
	strbuf_add_format(printer->text, " (%s)\n", clock_name(clock));
}

/* ---- events ---- */

struct bit_name {
	uint64_t bit;
	const char *name;
};

/* clang-format off */
#define SAMPLE(name) { PERF_SAMPLE_##name, #name }
#define FORMAT(name) { PERF_FORMAT_##name, #name }

/* In the order in which perf names them. */
static const struct bit_name sample_types[] = {
	SAMPLE(IP), SAMPLE(TID), SAMPLE(TIME), SAMPLE(ADDR), SAMPLE(READ), SAMPLE(CALLCHAIN),
	SAMPLE(ID), SAMPLE(CPU), SAMPLE(PERIOD), SAMPLE(STREAM_ID), SAMPLE(RAW),
	SAMPLE(BRANCH_STACK), SAMPLE(REGS_USER), SAMPLE(STACK_USER), SAMPLE(IDENTIFIER),
	SAMPLE(REGS_INTR), SAMPLE(DATA_SRC), SAMPLE(WEIGHT), SAMPLE(TRANSACTION), SAMPLE(PHYS_ADDR),
	SAMPLE(AUX), SAMPLE(CGROUP), SAMPLE(DATA_PAGE_SIZE), SAMPLE(CODE_PAGE_SIZE),
	SAMPLE(WEIGHT_STRUCT)
};

static const struct bit_name read_formats[] = {
	FORMAT(TOTAL_TIME_ENABLED), FORMAT(TOTAL_TIME_RUNNING), FORMAT(ID), FORMAT(GROUP),
	FORMAT(LOST)
};

static const char *const branch_types[] = {
	"USER",     "KERNEL",    "HV",        "ANY",      "ANY_CALL",   "ANY_RETURN", "IND_CALL",
	"ABORT_TX", "IN_TX",     "NO_TX",     "COND",     "CALL_STACK", "IND_JUMP",   "CALL",
	"NO_FLAGS", "NO_CYCLES", "TYPE_SAVE", "HW_INDEX", "PRIV_SAVE",  "COUNTERS",
};

/* The attr's flags by their bits (perf_event_open(2)). precise_ip has two. */
#define PRECISE_IP_BIT 15
static const char *const attr_flags[] = {
	"disabled", "inherit", "pinned", "exclusive", "exclude_user", "exclude_kernel",
	"exclude_hv", "exclude_idle", "mmap", "comm", "freq", "inherit_stat", "enable_on_exec",
	"task", "watermark", "precise_ip", "", "mmap_data", "sample_id_all", "exclude_host",
	"exclude_guest", "exclude_callchain_kernel", "exclude_callchain_user", "mmap2", "comm_exec",
	"use_clockid", "context_switch", "write_backward", "namespaces", "ksymbol", "bpf_event",
	"aux_output", "cgroup", "text_poke", "build_id", "inherit_thread", "remove_on_exec",
	"sigtrap", "defer_callchain", "defer_output"
};

/* The next tables are indexed by the numbers of perf_event_open(2). */
static const char *const type_names[] = {
	"PERF_TYPE_HARDWARE", "PERF_TYPE_SOFTWARE", "PERF_TYPE_TRACEPOINT",
	"PERF_TYPE_HW_CACHE", "PERF_TYPE_RAW",      "PERF_TYPE_BREAKPOINT",
};

/* clang-format on */

#define HARDWARE(id, ...) "PERF_COUNT_HW_" #id,
#define SOFTWARE(id, ...) "PERF_COUNT_SW_" #id,
#define CACHE(id, ...)    "PERF_COUNT_HW_CACHE_" #id,
static const char *const hardware_names[] = { HARDWARE_EVENTS(HARDWARE) };
static const char *const software_names[] = { SOFTWARE_EVENTS(SOFTWARE) };
/* The three lowest bytes of the config of a cache event: the cache, the operation, the result. */
static const char *const cache_names[] = { EVENT_CACHES(CACHE) };
static const char *const cache_operations[] = { CACHE(OP_READ) CACHE(OP_WRITE) CACHE(OP_PREFETCH) };
static const char *const cache_results[] = { CACHE(RESULT_ACCESS) CACHE(RESULT_MISS) };

static void add_bits(struct strbuf *text, const char *label, uint64_t value,
		     const struct bit_name *names, size_t count)
{
	bool first = true;

	if (!value)
		return;
	strbuf_add_format(text, ", %s = ", label);
	for (size_t i = 0; i < count; i++) {
		if (!(value & names[i].bit))
			continue;
		strbuf_add_format(text, "%s%s", first ? "" : "|", names[i].name);
		first = false;
	}
}

static void add_branch_type(struct strbuf *text, uint64_t value)
{
	struct bit_name names[COUNT_OF(branch_types)];

	for (size_t i = 0; i < COUNT_OF(branch_types); i++)
		names[i] = (struct bit_name){ 1ULL << i, branch_types[i] };
	add_bits(text, "branch_sample_type", value, names, COUNT_OF(names));
}

/* The file's names of the numbers in an attr, which this machine may use otherwise. */
struct attr_names {
	struct cursor pmus;                  /* the feature with the PMUs */
	struct hash_map pmu_by_type;         /* type -> position of its name in the feature */
	struct tracepoint_names tracepoints; /* empty without tracing data */
};

static void attr_names_read(struct attr_names *names, const struct session *session)
{
	const struct feature_section *tracing = &session->header.features[FEATURE_TRACING_DATA];
	struct cursor cursor = feature_cursor(session, FEATURE_PMU_MAPPINGS);
	uint32_t count = cursor_u32(&cursor);

	*names = (struct attr_names){ .pmus = cursor };
	tracepoint_names_read(&names->tracepoints, tracing->data,
			      tracing->data ? tracing->size : 0);
	for (uint32_t i = 0; i < count && !cursor.failed; i++) {
		uint32_t type = cursor_u32(&cursor);
		uint32_t length = cursor_u32(&cursor);
		size_t position = cursor.position;
		const char *name = cursor_bytes(&cursor, length);

		if (name && position <= UINT32_MAX && memchr(name, '\0', length))
			*hash_map_insert(&names->pmu_by_type, type, NULL) = (uint32_t)position;
	}
}

/* Adds the name of a PMU. Returns false if it is not known. */
static bool add_pmu_name(struct strbuf *text, const struct attr_names *names, uint32_t type)
{
	const uint32_t *position = hash_map_find(&names->pmu_by_type, type);

	if (position)
		strbuf_add_printable(text, (const char *)names->pmus.data + *position);
	return position;
}

static void add_type(struct strbuf *text, const struct attr_names *names, uint32_t type)
{
	_cleanup_strbuf_ struct strbuf pmu = STRBUF_INIT;

	strbuf_add_format(text, ", type = %u", type);
	/* The processor of raw events is a PMU as well. */
	if ((type == PERF_TYPE_RAW || type >= COUNT_OF(type_names)) &&
	    add_pmu_name(&pmu, names, type))
		strbuf_add_format(text, " (%s)", pmu.data);
	else if (type < COUNT_OF(type_names))
		strbuf_add_format(text, " (%s)", type_names[type]);
}

/* Adds " (NAME)", or " (PMU/NAME/)" if the upper half of the config chooses a PMU. */
static void add_name_at_pmu(struct strbuf *text, const struct attr_names *names, uint32_t pmu_type,
			    const char *name)
{
	_cleanup_strbuf_ struct strbuf pmu = STRBUF_INIT;

	if (pmu_type && add_pmu_name(&pmu, names, pmu_type))
		strbuf_add_format(text, " (%s/%s/)", pmu.data, name);
	else
		strbuf_add_format(text, " (%s)", name);
}

static void add_cache_event(struct strbuf *text, const struct attr_names *names, uint64_t config)
{
	unsigned int cache = config & 0xff, operation = config >> 8 & 0xff,
		     result = config >> 16 & 0xff;
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	if (cache >= COUNT_OF(cache_names) || operation >= COUNT_OF(cache_operations) ||
	    result >= COUNT_OF(cache_results))
		return;
	strbuf_add_format(&name, "%s | %s | %s", cache_results[result], cache_operations[operation],
			  cache_names[cache]);
	add_name_at_pmu(text, names, (uint32_t)(config >> 32), name.data);
}

static void add_tracepoint(struct strbuf *text, const struct attr_names *names, uint64_t config)
{
	const char *name = tracepoint_names_find(&names->tracepoints, config);

	if (!name)
		return;
	strbuf_add_string(text, " (");
	strbuf_add_printable(text, name);
	strbuf_add_char(text, ')');
}

static void add_config(struct strbuf *text, const struct attr_names *names,
		       const struct perf_event_attr *attr)
{
	uint64_t number = attr->config & UINT32_MAX;

	strbuf_add_format(text, ", config = %#" PRIx64, (uint64_t)attr->config);
	if (attr->type == PERF_TYPE_SOFTWARE && attr->config < COUNT_OF(software_names))
		strbuf_add_format(text, " (%s)", software_names[attr->config]);
	else if (attr->type == PERF_TYPE_TRACEPOINT)
		add_tracepoint(text, names, attr->config);
	else if (attr->type == PERF_TYPE_HW_CACHE)
		add_cache_event(text, names, attr->config);
	else if (attr->type == PERF_TYPE_HARDWARE && number < COUNT_OF(hardware_names))
		add_name_at_pmu(text, names, (uint32_t)(attr->config >> 32),
				hardware_names[number]);
}

static void add_number(struct strbuf *text, const char *label, uint64_t value)
{
	if (value)
		strbuf_add_format(text, ", %s = %" PRIu64, label, value);
}

static void add_hexadecimal(struct strbuf *text, const char *label, uint64_t value)
{
	if (value)
		strbuf_add_format(text, ", %s = %#" PRIx64, label, value);
}

static void add_flags(struct strbuf *text, const struct perf_event_attr *attr)
{
	uint64_t flags;

	memcpy(&flags, (const char *)attr + ATTR_FLAGS_OFFSET, sizeof(flags));
	for (size_t i = 0; i < COUNT_OF(attr_flags); i++) {
		uint64_t mask = i == PRECISE_IP_BIT ? 3 : 1;

		if (*attr_flags[i])
			add_number(text, attr_flags[i], flags >> i & mask);
	}
}

static void add_attr(struct strbuf *text, const struct attr_names *names,
		     const struct perf_event_attr *attr)
{
	add_type(text, names, attr->type);
	add_number(text, "size", attr->size);
	add_config(text, names, attr);
	add_number(text, "{ sample_period, sample_freq }", attr->sample_period);
	add_bits(text, "sample_type", attr->sample_type, sample_types, COUNT_OF(sample_types));
	add_bits(text, "read_format", attr->read_format, read_formats, COUNT_OF(read_formats));
	add_flags(text, attr);
	add_number(text, "{ wakeup_events, wakeup_watermark }", attr->wakeup_events);
	add_number(text, "bp_type", attr->bp_type);
	add_hexadecimal(text, "{ bp_addr, config1 }", attr->bp_addr);
	add_hexadecimal(text, "{ bp_len, config2 }", attr->bp_len);
	add_branch_type(text, attr->branch_sample_type);
	add_hexadecimal(text, "sample_regs_user", attr->sample_regs_user);
	add_number(text, "sample_stack_user", attr->sample_stack_user);
	if (attr->clockid)
		strbuf_add_format(text, ", clockid = %d", attr->clockid);
	add_hexadecimal(text, "sample_regs_intr", attr->sample_regs_intr);
	add_number(text, "aux_watermark", attr->aux_watermark);
	add_number(text, "sample_max_stack", attr->sample_max_stack);
	add_number(text, "aux_sample_size", attr->aux_sample_size);
	add_number(text, "sig_data", attr->sig_data);
}

static void print_event(struct feature_printer *printer, const struct attr_names *names,
			size_t size)
{
	struct cursor *cursor = &printer->cursor;
	const void *bytes = cursor_bytes(cursor, size);
	uint32_t ids = cursor_u32(cursor);
	struct perf_event_attr attr;

	if (cursor->failed || !attr_parse(bytes, size, cursor->swap, &attr)) {
		cursor->failed = true;
		return;
	}
	strbuf_add_string(printer->text, "# event : name = ");
	feature_add_string(printer);
	strbuf_add_string(printer->text, ", ");
	for (uint32_t id = 0; id < ids && !cursor->failed; id++)
		strbuf_add_format(printer->text, "%s%" PRIu64, id ? ", " : ", id = { ",
				  cursor_u64(cursor));
	if (ids)
		strbuf_add_string(printer->text, " }");
	add_attr(printer->text, names, &attr);
	strbuf_add_char(printer->text, '\n');
}

/* Prints EVENT_DESC: for each event its attr, number of ids, name, ids. */
static void print_events(struct feature_printer *printer)
{
	uint32_t count = cursor_u32(&printer->cursor);
	uint32_t size = cursor_u32(&printer->cursor);
	struct attr_names names;

	attr_names_read(&names, printer->session);
	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++)
		print_event(printer, &names, size);
	hash_map_deinit(&names.pmu_by_type);
	tracepoint_names_deinit(&names.tracepoints);
}

static void print_groups(struct feature_printer *printer)
{
	const struct event_table *events = &printer->session->events;

	array_indexed (const struct event, leader, i, events->events, events->count) {
		size_t next = i + 1;

		if (next >= events->count || events->events[next].group_leader != i)
			continue;
		strbuf_add_string(printer->text, "# group: ");
		strbuf_add_printable(printer->text, leader->group_name ?: "");
		strbuf_add_char(printer->text, '{');
		strbuf_add_printable(printer->text, leader->name);
		for (; next < events->count && events->events[next].group_leader == i; next++) {
			strbuf_add_char(printer->text, ',');
			strbuf_add_printable(printer->text, events->events[next].name);
		}
		strbuf_add_string(printer->text, "}\n");
	}
}

/* ---- all features ---- */

#define FEATURE_NAME(name) #name,
static const char *const feature_names[] = { "", FEATURES(FEATURE_NAME) };

/* The features that are printed; others are only named, if the file lacks them. */
static const struct feature_kind {
	void (*print)(struct feature_printer *printer);
	const char *label; /* of print_string() */
} feature_kinds[COUNT_OF(feature_names)] = {
	[FEATURE_HOSTNAME] = { print_string, "hostname" },
	[FEATURE_OSRELEASE] = { print_string, "os release" },
	[FEATURE_VERSION] = { print_string, "perf version" },
	[FEATURE_ARCH] = { print_string, "arch" },
	[FEATURE_NRCPUS] = { print_nrcpus, NULL },
	[FEATURE_CPUDESC] = { print_string, "cpudesc" },
	[FEATURE_CPUID] = { print_string, "cpuid" },
	[FEATURE_TOTAL_MEM] = { print_total_memory, NULL },
	[FEATURE_CMDLINE] = { print_cmdline, NULL },
	[FEATURE_EVENT_DESC] = { print_events, NULL },
	[FEATURE_PMU_MAPPINGS] = { print_pmu_mappings, NULL },
	[FEATURE_GROUP_DESC] = { print_groups, NULL },
	[FEATURE_SAMPLE_TIME] = { print_sample_time, NULL },
	[FEATURE_CLOCKID] = { print_clockid, NULL },
	[FEATURE_COMPRESSED] = { print_compressed, NULL },
	[FEATURE_CLOCK_DATA] = { print_clock_data, NULL },
};

static void print_feature(const struct session *session, unsigned int feature, struct strbuf *text)
{
	const struct feature_section *section = &session->header.features[feature];
	struct feature_printer printer = {
		.session = session,
		.text = text,
		.cursor = cursor_of(section->data, section->size, session->header.swap),
		.label = feature_kinds[feature].label,
	};

	if (section->data && feature_kinds[feature].print)
		feature_kinds[feature].print(&printer);
}

static void print_file(const struct session *session, struct strbuf *text)
{
	const struct perf_header *header = &session->header;
	time_t modified = (time_t)(session->file.modified / NS_PER_S);
	char date[32];

	strbuf_add_string(text, "# ========\n");
	/* ctime_r() adds a newline to its 24 characters */
	if (modified && ctime_r(&modified, date))
		strbuf_add_format(text, "# captured on    : %.24s\n", date);
	strbuf_add_format(text, "# header version : %d\n", header->version - 1);
	strbuf_add_format(text, "# data offset    : %" PRIu64 "\n",
			  header->pipe ? 0 : header->data_offset);
	strbuf_add_format(text, "# data size      : %" PRIu64 "\n",
			  header->pipe ? 0 : header->data_claimed);
	strbuf_add_format(text, "# feat offset    : %" PRIu64 "\n",
			  header->pipe ? 0 : header->data_offset + header->data_claimed);
}

/* Lists the features that the file lacks. */
static void print_missing(const struct session *session, struct strbuf *text)
{
	strbuf_add_string(text, "# missing features: ");
	for (unsigned int i = 1; i < COUNT_OF(feature_kinds); i++)
		if (!session->header.features[i].data)
			strbuf_add_format(text, "%s ", feature_names[i]);
	strbuf_add_char(text, '\n');
}

void session_header_text(const struct session *session, struct strbuf *text)
{
	bool pipe = session->header.pipe;

	print_file(session, text);
	/* In a pipe, features come later, and none counts as missing. */
	if (pipe)
		strbuf_add_string(text, "# ========\n#\n");
	for (unsigned int i = 1; i < COUNT_OF(feature_kinds); i++)
		print_feature(session, i, text);
	if (pipe)
		return;
	print_missing(session, text);
	strbuf_add_string(text, "# ========\n#\n");
}

/* ---- counts of records ---- */

static void add_count(struct strbuf *text, const char *name, uint64_t count, uint64_t total)
{
	strbuf_add_format(text, "%20s events: %10" PRIu64, name, count);
	if (total)
		strbuf_add_format(text, "  (%4.1f%%)", 100.0 * count / total);
	strbuf_add_char(text, '\n');
}

void session_stats_text(const struct session *session, struct strbuf *text)
{
	uint64_t counts[SESSION_RECORD_TYPES], total;
	size_t count;
	const struct event *events = session_events(session, &count);

	session_count_records(session, counts);
	total = sum_over(uint64_t, type, 0, SESSION_RECORD_TYPES, counts[type]);
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
