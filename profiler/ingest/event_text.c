// SPDX-License-Identifier: GPL-2.0-or-later
/* Events with all fields of their attr, as text: see feature_text.h. */
#include <inttypes.h>

#include "profiler/ingest/attr.h"
#include "profiler/ingest/feature_text.h"
#include "profiler/ingest/tracepoint/formats.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct bit_name {
	uint64_t bit;
	const char *name;
};

static const struct bit_name sample_types[] = {
	{ PERF_SAMPLE_IP, "IP" },
	{ PERF_SAMPLE_TID, "TID" },
	{ PERF_SAMPLE_TIME, "TIME" },
	{ PERF_SAMPLE_ADDR, "ADDR" },
	{ PERF_SAMPLE_READ, "READ" },
	{ PERF_SAMPLE_CALLCHAIN, "CALLCHAIN" },
	{ PERF_SAMPLE_ID, "ID" },
	{ PERF_SAMPLE_CPU, "CPU" },
	{ PERF_SAMPLE_PERIOD, "PERIOD" },
	{ PERF_SAMPLE_STREAM_ID, "STREAM_ID" },
	{ PERF_SAMPLE_RAW, "RAW" },
	{ PERF_SAMPLE_BRANCH_STACK, "BRANCH_STACK" },
	{ PERF_SAMPLE_REGS_USER, "REGS_USER" },
	{ PERF_SAMPLE_STACK_USER, "STACK_USER" },
	{ PERF_SAMPLE_IDENTIFIER, "IDENTIFIER" },
	{ PERF_SAMPLE_REGS_INTR, "REGS_INTR" },
	{ PERF_SAMPLE_DATA_SRC, "DATA_SRC" },
	{ PERF_SAMPLE_WEIGHT, "WEIGHT" },
	{ PERF_SAMPLE_TRANSACTION, "TRANSACTION" },
	{ PERF_SAMPLE_PHYS_ADDR, "PHYS_ADDR" },
	{ PERF_SAMPLE_AUX, "AUX" },
	{ PERF_SAMPLE_CGROUP, "CGROUP" },
	{ PERF_SAMPLE_DATA_PAGE_SIZE, "DATA_PAGE_SIZE" },
	{ PERF_SAMPLE_CODE_PAGE_SIZE, "CODE_PAGE_SIZE" },
	{ PERF_SAMPLE_WEIGHT_STRUCT, "WEIGHT_STRUCT" },
};

static const struct bit_name read_formats[] = {
	{ PERF_FORMAT_TOTAL_TIME_ENABLED, "TOTAL_TIME_ENABLED" },
	{ PERF_FORMAT_TOTAL_TIME_RUNNING, "TOTAL_TIME_RUNNING" },
	{ PERF_FORMAT_ID, "ID" },
	{ PERF_FORMAT_GROUP, "GROUP" },
	{ PERF_FORMAT_LOST, "LOST" },
};

static const char *const branch_types[] = {
	"USER",     "KERNEL",    "HV",        "ANY",      "ANY_CALL",   "ANY_RETURN", "IND_CALL",
	"ABORT_TX", "IN_TX",     "NO_TX",     "COND",     "CALL_STACK", "IND_JUMP",   "CALL",
	"NO_FLAGS", "NO_CYCLES", "TYPE_SAVE", "HW_INDEX", "PRIV_SAVE",  "COUNTERS",
};

/* Flags of the attr by the number of their bit, perf_event_open(2). precise_ip has two. */
#define PRECISE_BIT 15
static const char *const attr_flags[] = {
	"disabled",
	"inherit",
	"pinned",
	"exclusive",
	"exclude_user",
	"exclude_kernel",
	"exclude_hv",
	"exclude_idle",
	"mmap",
	"comm",
	"freq",
	"inherit_stat",
	"enable_on_exec",
	"task",
	"watermark",
	"precise_ip",
	NULL,
	"mmap_data",
	"sample_id_all",
	"exclude_host",
	"exclude_guest",
	"exclude_callchain_kernel",
	"exclude_callchain_user",
	"mmap2",
	"comm_exec",
	"use_clockid",
	"context_switch",
	"write_backward",
	"namespaces",
	"ksymbol",
	"bpf_event",
	"aux_output",
	"cgroup",
	"text_poke",
	"build_id",
	"inherit_thread",
	"remove_on_exec",
	"sigtrap",
	"defer_callchain",
	"defer_output",
};

static const char *const type_names[] = {
	"PERF_TYPE_HARDWARE", "PERF_TYPE_SOFTWARE", "PERF_TYPE_TRACEPOINT",
	"PERF_TYPE_HW_CACHE", "PERF_TYPE_RAW",      "PERF_TYPE_BREAKPOINT",
};

static const char *const hardware_names[] = {
	"PERF_COUNT_HW_CPU_CYCLES",
	"PERF_COUNT_HW_INSTRUCTIONS",
	"PERF_COUNT_HW_CACHE_REFERENCES",
	"PERF_COUNT_HW_CACHE_MISSES",
	"PERF_COUNT_HW_BRANCH_INSTRUCTIONS",
	"PERF_COUNT_HW_BRANCH_MISSES",
	"PERF_COUNT_HW_BUS_CYCLES",
	"PERF_COUNT_HW_STALLED_CYCLES_FRONTEND",
	"PERF_COUNT_HW_STALLED_CYCLES_BACKEND",
	"PERF_COUNT_HW_REF_CPU_CYCLES",
};

static const char *const software_names[] = {
	"PERF_COUNT_SW_CPU_CLOCK",        "PERF_COUNT_SW_TASK_CLOCK",
	"PERF_COUNT_SW_PAGE_FAULTS",      "PERF_COUNT_SW_CONTEXT_SWITCHES",
	"PERF_COUNT_SW_CPU_MIGRATIONS",   "PERF_COUNT_SW_PAGE_FAULTS_MIN",
	"PERF_COUNT_SW_PAGE_FAULTS_MAJ",  "PERF_COUNT_SW_ALIGNMENT_FAULTS",
	"PERF_COUNT_SW_EMULATION_FAULTS", "PERF_COUNT_SW_DUMMY",
	"PERF_COUNT_SW_BPF_OUTPUT",       "PERF_COUNT_SW_CGROUP_SWITCHES",
};

/* The three lowest bytes of a cache event's config: which cache, what was done, with what result. */
static const char *const cache_names[] = {
	"PERF_COUNT_HW_CACHE_L1D",  "PERF_COUNT_HW_CACHE_L1I",  "PERF_COUNT_HW_CACHE_LL",
	"PERF_COUNT_HW_CACHE_DTLB", "PERF_COUNT_HW_CACHE_ITLB", "PERF_COUNT_HW_CACHE_BPU",
	"PERF_COUNT_HW_CACHE_NODE",
};

static const char *const cache_operations[] = {
	"PERF_COUNT_HW_CACHE_OP_READ",
	"PERF_COUNT_HW_CACHE_OP_WRITE",
	"PERF_COUNT_HW_CACHE_OP_PREFETCH",
};

static const char *const cache_results[] = {
	"PERF_COUNT_HW_CACHE_RESULT_ACCESS",
	"PERF_COUNT_HW_CACHE_RESULT_MISS",
};

static void add_bits(struct strbuf *text, const char *label, uint64_t value, const struct bit_name *names,
		     size_t count)
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

/* What the file itself says of the numbers in an attr, whatever they mean on the machine that reads it. */
struct attr_names {
	struct cursor pmus;                  /* the list of PMUs */
	struct hash_map pmu_by_type;         /* -> where in it the name begins */
	struct tracepoint_names tracepoints; /* none without tracing data */
};

static void attr_names_read(struct attr_names *names, const struct session *session)
{
	const struct feature_section *section = &session->header.features[FEATURE_PMU_MAPPINGS];
	const struct feature_section *tracing = &session->header.features[FEATURE_TRACING_DATA];
	struct cursor cursor =
		cursor_of(section->data, section->data ? section->size : 0, session->header.swap);
	uint32_t count = cursor_u32(&cursor);

	*names = (struct attr_names){ .pmus = cursor };
	tracepoint_names_read(&names->tracepoints, tracing->data, tracing->data ? tracing->size : 0);
	for (uint32_t i = 0; i < count && !cursor.failed; i++) {
		uint32_t type = cursor_u32(&cursor);
		uint32_t length = cursor_u32(&cursor);
		size_t position = cursor.position;
		const char *name = cursor_bytes(&cursor, length);
		bool created;

		if (name && position <= UINT32_MAX && memchr(name, '\0', length))
			*hash_map_insert(&names->pmu_by_type, type, &created) = (uint32_t)position;
	}
}

static void attr_names_deinit(struct attr_names *names)
{
	hash_map_deinit(&names->pmu_by_type);
	tracepoint_names_deinit(&names->tracepoints);
}

/* False: not in the list. */
static bool add_pmu_name(struct strbuf *text, const struct attr_names *names, uint32_t type)
{
	const uint32_t *position = hash_map_find(&names->pmu_by_type, type);

	if (position)
		text_add_printable(text, (const char *)names->pmus.data + *position);
	return position;
}

static void add_type(struct strbuf *text, const struct attr_names *names, uint32_t type)
{
	_cleanup_strbuf_ struct strbuf pmu = STRBUF_INIT;

	strbuf_add_format(text, ", type = %u", type);
	/* raw events are the processor's, which is a PMU like others */
	if ((type == PERF_TYPE_RAW || type >= COUNT_OF(type_names)) && add_pmu_name(&pmu, names, type))
		strbuf_add_format(text, " (%s)", pmu.data);
	else if (type < COUNT_OF(type_names))
		strbuf_add_format(text, " (%s)", type_names[type]);
}

/* " (NAME)", with the PMU that the upper half of the config chooses: " (PMU/NAME/)" */
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
	unsigned int cache = config & 0xff, operation = config >> 8 & 0xff, result = config >> 16 & 0xff;
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
	text_add_printable(text, name);
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
		add_name_at_pmu(text, names, (uint32_t)(attr->config >> 32), hardware_names[number]);
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

	memcpy(&flags, (const char *)attr + offsetof(struct perf_event_attr, read_format) + 8, sizeof(flags));
	for (size_t i = 0; i < COUNT_OF(attr_flags); i++) {
		uint64_t mask = i == PRECISE_BIT ? 3 : 1;

		if (attr_flags[i])
			add_number(text, attr_flags[i], flags >> i & mask);
	}
}

static void add_attr(struct strbuf *text, const struct attr_names *names, const struct perf_event_attr *attr)
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

static void print_event(struct feature_printer *printer, const struct attr_names *names, size_t size)
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
		strbuf_add_format(printer->text, "%s%" PRIu64, id ? ", " : ", id = { ", cursor_u64(cursor));
	if (ids)
		strbuf_add_string(printer->text, " }");
	add_attr(printer->text, names, &attr);
	strbuf_add_char(printer->text, '\n');
}

/* EVENT_DESC: count, attr size; for each event attr, count of ids, name, ids */
void print_events(struct feature_printer *printer)
{
	uint32_t count = cursor_u32(&printer->cursor);
	uint32_t size = cursor_u32(&printer->cursor);
	struct attr_names names;

	attr_names_read(&names, printer->session);
	for (uint32_t i = 0; i < count && !printer->cursor.failed; i++)
		print_event(printer, &names, size);
	attr_names_deinit(&names);
}

void print_groups(struct feature_printer *printer)
{
	const struct event_table *events = &printer->session->events;

	for (size_t i = 0; i < events->count; i++) {
		const struct event *leader = &events->events[i];
		size_t next = i + 1;

		if (next >= events->count || events->events[next].group_leader != i)
			continue;
		strbuf_add_string(printer->text, "# group: ");
		text_add_printable(printer->text, leader->group_name ? leader->group_name : "");
		strbuf_add_char(printer->text, '{');
		text_add_printable(printer->text, leader->name);
		for (; next < events->count && events->events[next].group_leader == i; next++) {
			strbuf_add_char(printer->text, ',');
			text_add_printable(printer->text, events->events[next].name);
		}
		strbuf_add_string(printer->text, "}\n");
	}
}
