// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of the generic events: see event_names.h. */
#include "profiler/record/event_names.h"

#include <linux/perf_event.h>
#include <string.h>
#include <strings.h>

#include "profiler/base/memory.h"

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

struct generic_event {
	uint32_t type;
	uint32_t config;
	const char *name;
	const char *alias;
};

static const struct generic_event generic_events[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cycles", "cpu-cycles" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "instructions", NULL },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "cache-references", NULL },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "cache-misses", NULL },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "branches", "branch-instructions" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, "branch-misses", NULL },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "bus-cycles", NULL },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "stalled-cycles-frontend",
	  "idle-cycles-frontend" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND, "stalled-cycles-backend",
	  "idle-cycles-backend" },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES, "ref-cycles", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, "cpu-clock", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, "task-clock", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, "page-faults", "faults" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, "context-switches", "cs" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, "cpu-migrations", "migrations" },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN, "minor-faults", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, "major-faults", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS, "alignment-faults", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS, "emulation-faults", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY, "dummy", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, "bpf-output", NULL },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES, "cgroup-switches", NULL },
};

/* config of a cache event is cache | operation << 8 | result << 16: perf_event_open(2). */
static const char *const cache_names[][3] = {
	[PERF_COUNT_HW_CACHE_L1D] = { "L1-dcache", "l1d", "L1-data" },
	[PERF_COUNT_HW_CACHE_L1I] = { "L1-icache", "l1i", "L1-instruction" },
	[PERF_COUNT_HW_CACHE_LL] = { "LLC", "L2", NULL },
	[PERF_COUNT_HW_CACHE_DTLB] = { "dTLB", "d-tlb", "Data-TLB" },
	[PERF_COUNT_HW_CACHE_ITLB] = { "iTLB", "i-tlb", "Instruction-TLB" },
	[PERF_COUNT_HW_CACHE_BPU] = { "branch", "bpu", "btb" },
	[PERF_COUNT_HW_CACHE_NODE] = { "node", NULL, NULL },
};

static const struct {
	const char *suffix;
	uint8_t operation;
	uint8_t result;
} cache_suffixes[] = {
	{ "-loads", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-load-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-stores", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-store-misses", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-prefetches", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-prefetch-misses", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_MISS },
	/* other spellings of the above, after the names that are listed */
	{ "-load", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-load-refs", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-misses", PERF_COUNT_HW_CACHE_OP_READ, PERF_COUNT_HW_CACHE_RESULT_MISS },
	{ "-store", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-store-refs", PERF_COUNT_HW_CACHE_OP_WRITE, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
	{ "-prefetch", PERF_COUNT_HW_CACHE_OP_PREFETCH, PERF_COUNT_HW_CACHE_RESULT_ACCESS },
};
#define LISTED_SUFFIXES 6

/* What a cache has: instruction caches are not written, branch predictors and the iTLB not prefetched. */
static bool cache_has(uint64_t cache, uint8_t operation)
{
	switch (cache) {
	case PERF_COUNT_HW_CACHE_L1I: return operation != PERF_COUNT_HW_CACHE_OP_WRITE;
	case PERF_COUNT_HW_CACHE_ITLB:
	case PERF_COUNT_HW_CACHE_BPU: return operation == PERF_COUNT_HW_CACHE_OP_READ;
	default: return true;
	}
}

static bool find_cache_event(const char *name, uint64_t *config)
{
	for (size_t cache = 0; cache < COUNT_OF(cache_names); cache++) {
		for (size_t i = 0; i < 3 && cache_names[cache][i]; i++) {
			size_t length = strlen(cache_names[cache][i]);

			if (strncasecmp(name, cache_names[cache][i], length))
				continue;
			for (size_t j = 0; j < COUNT_OF(cache_suffixes); j++) {
				if (strcasecmp(name + length, cache_suffixes[j].suffix) ||
				    !cache_has(cache, cache_suffixes[j].operation))
					continue;
				*config = cache | cache_suffixes[j].operation << 8 |
					  cache_suffixes[j].result << 16;
				return true;
			}
		}
	}
	return false;
}

bool event_name_find(const char *name, uint32_t *type, uint64_t *config)
{
	for (size_t i = 0; i < COUNT_OF(generic_events); i++) {
		const struct generic_event *event = &generic_events[i];

		if (strcmp(name, event->name) && (!event->alias || strcmp(name, event->alias)))
			continue;
		*type = event->type;
		*config = event->config;
		return true;
	}
	if (!find_cache_event(name, config))
		return false;
	*type = PERF_TYPE_HW_CACHE;
	return true;
}

char *event_name_of(uint32_t type, uint64_t config)
{
	for (size_t i = 0; i < COUNT_OF(generic_events); i++) {
		if (generic_events[i].type == type && generic_events[i].config == config)
			return xstrdup(generic_events[i].name);
	}
	if (type != PERF_TYPE_HW_CACHE || (config & 0xff) >= COUNT_OF(cache_names))
		return NULL;
	for (size_t i = 0; i < LISTED_SUFFIXES; i++) {
		if (config >> 8 == (uint64_t)(cache_suffixes[i].operation | cache_suffixes[i].result << 8))
			return xasprintf("%s%s", cache_names[config & 0xff][0], cache_suffixes[i].suffix);
	}
	return NULL;
}

struct name_list event_name_list(uint32_t type)
{
	struct name_list names = { 0 };

	for (size_t i = 0; i < COUNT_OF(generic_events); i++) {
		if (generic_events[i].type == type)
			name_list_add(&names, generic_events[i].name);
	}
	for (size_t cache = 0; type == PERF_TYPE_HW_CACHE && cache < COUNT_OF(cache_names); cache++) {
		for (size_t i = 0; i < LISTED_SUFFIXES; i++) {
			if (!cache_has(cache, cache_suffixes[i].operation))
				continue;
			_cleanup_free_ char *name =
				xasprintf("%s%s", cache_names[cache][0], cache_suffixes[i].suffix);

			name_list_add(&names, name);
		}
	}
	return names;
}
