// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of events that have none in the file, as perf makes them from the attr. */
#include <inttypes.h>

#include "profiler/base/strbuf.h"
#include "profiler/ingest/event_table.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* PERF_COUNT_HW_*, PERF_COUNT_SW_* and PERF_COUNT_HW_CACHE_*, perf_event_open(2) */
static const char *const hardware_names[] = {
	"cycles",        "instructions", "cache-references",        "cache-misses",           "branches",
	"branch-misses", "bus-cycles",   "stalled-cycles-frontend", "stalled-cycles-backend", "ref-cycles",
};
static const char *const software_names[] = {
	"cpu-clock",        "task-clock",   "page-faults",  "context-switches",
	"cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
	"emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};
static const char *const cache_names[] = {
	"L1-dcache", "L1-icache", "LLC", "dTLB", "iTLB", "branch", "node"
};
static const char *const cache_operations[] = { "load", "store", "prefetch" };
static const char *const cache_accesses[] = { "loads", "stores", "prefetches" };

static void name_modifiers(struct strbuf *name, const struct perf_event_attr *attr)
{
	size_t before = name->length;

	strbuf_add_char(name, ':');
	if (attr->exclude_kernel || attr->exclude_user || attr->exclude_hv) {
		if (!attr->exclude_kernel)
			strbuf_add_char(name, 'k');
		if (!attr->exclude_user)
			strbuf_add_char(name, 'u');
		if (!attr->exclude_hv)
			strbuf_add_char(name, 'h');
	}
	for (unsigned int i = 0; i < attr->precise_ip; i++)
		strbuf_add_char(name, 'p');
	if (attr->exclude_host || attr->exclude_guest) {
		if (!attr->exclude_host)
			strbuf_add_char(name, 'H');
		if (!attr->exclude_guest)
			strbuf_add_char(name, 'G');
	}
	if (name->length == before + 1) {
		name->length = before;
		name->data[before] = '\0';
	}
}

static void name_cache(struct strbuf *name, uint64_t config)
{
	uint64_t cache = config & 0xff;
	uint64_t operation = config >> 8 & 0xff;
	uint64_t result = config >> 16 & 0xff;

	if (cache >= COUNT_OF(cache_names))
		strbuf_add_string(name, "unknown-ext-hardware-cache-type");
	else if (operation >= COUNT_OF(cache_operations))
		strbuf_add_string(name, "unknown-ext-hardware-cache-op");
	else if (result > 1)
		strbuf_add_string(name, "unknown-ext-hardware-cache-result");
	else if (result)
		strbuf_add_format(name, "%s-%s-misses", cache_names[cache], cache_operations[operation]);
	else
		strbuf_add_format(name, "%s-%s", cache_names[cache], cache_accesses[operation]);
}

static void name_breakpoint(struct strbuf *name, const struct perf_event_attr *attr)
{
	strbuf_add_format(name, "mem:0x%" PRIx64 ":", (uint64_t)attr->bp_addr);
	if (attr->bp_type & 1) /* HW_BREAKPOINT_R, _W, _X */
		strbuf_add_char(name, 'r');
	if (attr->bp_type & 2)
		strbuf_add_char(name, 'w');
	if (attr->bp_type & 4)
		strbuf_add_char(name, 'x');
}

char *event_name_from_attr(const struct perf_event_attr *attr)
{
	struct strbuf name = STRBUF_INIT;
	uint64_t config = attr->config & UINT32_MAX; /* the upper half names the PMU on hybrid machines */

	switch (attr->type) {
	case PERF_TYPE_HARDWARE:
		strbuf_add_string(&name, config < COUNT_OF(hardware_names) ? hardware_names[config]
									   : "unknown-hardware");
		break;
	case PERF_TYPE_SOFTWARE:
		strbuf_add_string(&name, attr->config < COUNT_OF(software_names)
						 ? software_names[attr->config]
						 : "unknown-software");
		break;
	case PERF_TYPE_HW_CACHE: name_cache(&name, config); break;
	case PERF_TYPE_RAW: strbuf_add_format(&name, "raw 0x%" PRIx64, (uint64_t)attr->config); break;
	case PERF_TYPE_BREAKPOINT: name_breakpoint(&name, attr); break;
	case PERF_TYPE_TRACEPOINT:
		strbuf_add_format(&name, "unknown tracepoint id=0x%" PRIx64, (uint64_t)attr->config);
		return strbuf_detach(&name);
	default: strbuf_add_format(&name, "unknown attr type: %u", attr->type); return strbuf_detach(&name);
	}
	name_modifiers(&name, attr);
	return strbuf_detach(&name);
}
