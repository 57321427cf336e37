// SPDX-License-Identifier: GPL-2.0-or-later
/* Filters of branch stacks: see branch.h. Names are perf record's, bits perf_event_open(2)'s
 * branch_sample_type. */
#include "profiler/record/branch.h"

#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/words.h"
#include "profiler/ingest/format.h"

#define PRIVILEGES (PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | PERF_SAMPLE_BRANCH_HV)

static const struct {
	const char *name;
	uint64_t bits;
} filters[] = {
	{ "any", PERF_SAMPLE_BRANCH_ANY },
	{ "any_call", PERF_SAMPLE_BRANCH_ANY_CALL },
	{ "any_ret", PERF_SAMPLE_BRANCH_ANY_RETURN },
	{ "ind_call", PERF_SAMPLE_BRANCH_IND_CALL },
	{ "ind_jmp", PERF_SAMPLE_BRANCH_IND_JUMP },
	{ "call", PERF_SAMPLE_BRANCH_CALL },
	{ "cond", PERF_SAMPLE_BRANCH_COND },
	{ "u", PERF_SAMPLE_BRANCH_USER },
	{ "k", PERF_SAMPLE_BRANCH_KERNEL },
	{ "hv", PERF_SAMPLE_BRANCH_HV },
	{ "abort_tx", PERF_SAMPLE_BRANCH_ABORT_TX },
	{ "in_tx", PERF_SAMPLE_BRANCH_IN_TX },
	{ "no_tx", PERF_SAMPLE_BRANCH_NO_TX },
	{ "no_flags", PERF_SAMPLE_BRANCH_NO_FLAGS },
	{ "no_cycles", PERF_SAMPLE_BRANCH_NO_CYCLES },
	{ "save_type", PERF_SAMPLE_BRANCH_TYPE_SAVE },
	{ "stack", PERF_SAMPLE_BRANCH_CALL_STACK },
	{ "hw_index", 1ULL << 17 },
	{ "priv", 1ULL << 18 },
	{ "counter", BRANCH_COUNTERS },
};

#define FILTER_COUNT (sizeof(filters) / sizeof(*filters))

static struct error *add_filter(const char *name, uint64_t *filter)
{
	struct nearest nearest = { .word = name };

	for (size_t i = 0; i < FILTER_COUNT; i++) {
		if (strcmp(filters[i].name, name) == 0) {
			*filter |= filters[i].bits;
			return NULL;
		}
		nearest_consider(&nearest, filters[i].name);
	}
	return error_create(ERROR_NOT_FOUND,
			    "unknown branch filter '%s'%s%s%s (dtprof-record(1) has them all)", name,
			    nearest.best ? ", did you mean '" : "", nearest.best ? nearest.best : "",
			    nearest.best ? "'?" : "");
}

struct error *branch_filter_parse(const char *text, uint64_t *filter)
{
	_cleanup_free_ char *names = xstrdup(text ? text : "any");
	uint64_t result = 0;
	char *save = NULL;

	for (char *name = strtok_r(names, ",", &save); name; name = strtok_r(NULL, ",", &save))
		RETURN_ERROR(add_filter(name, &result));
	/* Where, without which branches, or none of it. */
	if (!(result & ~(uint64_t)PRIVILEGES))
		result |= PERF_SAMPLE_BRANCH_ANY;
	*filter = result;
	return NULL;
}
