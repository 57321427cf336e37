// SPDX-License-Identifier: GPL-2.0-or-later
/* The machine's best memory event: see event_default.h. */
#include "profiler/record/event_default.h"

#include <stdio.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"

#define DEVICES "/sys/bus/event_source/devices"

static bool has_memory_events(const char *root, const char *pmu)
{
	return sysfs_exists(root, DEVICES "/%s/events/mem-loads", pmu) ||
	       sysfs_exists(root, DEVICES "/%s/events/mem-stores", pmu);
}

enum memory_source memory_source_find(const char *root)
{
	_cleanup_names_ struct name_list cores = pmu_core_names(root);

	for (size_t i = 0; i < cores.count; i++) {
		if (has_memory_events(root, cores.names[i]))
			return MEMORY_SOURCE_INTEL;
	}
	if (sysfs_exists(root, DEVICES "/ibs_op/type"))
		return MEMORY_SOURCE_AMD;
	return MEMORY_SOURCE_CLOCK;
}

const char *memory_source_reason(enum memory_source source)
{
	switch (source) {
	case MEMORY_SOURCE_INTEL: return "precise load and store events of the CPU";
	case MEMORY_SOURCE_AMD: return "instruction based sampling of the CPU";
	case MEMORY_SOURCE_CLOCK: break;
	}
	return "this machine offers no hardware memory event: a timer (cpu-clock) with the registers at the "
	       "interrupt, "
	       "which tells time, not misses";
}

/*
 * From Sapphire Rapids and Alder Lake on, mem-loads counts only in a group behind mem-loads-aux; the kernel
 * has the event where that is so (arch/x86/events/intel/core.c: PMU_FL_MEM_LOADS_AUX).
 */
static void add_intel_events(struct strbuf *text, const char *root, const char *pmu, unsigned int operations,
			     unsigned int latency)
{
	bool aux = sysfs_exists(root, DEVICES "/%s/events/mem-loads-aux", pmu);
	char terms[32] = "";

	if (sysfs_exists(root, DEVICES "/%s/format/ldlat", pmu))
		snprintf(terms, sizeof(terms), ",ldlat=%u", latency);
	if (operations & MEMORY_LOADS && sysfs_exists(root, DEVICES "/%s/events/mem-loads", pmu)) {
		strbuf_add_string(text, text->length ? "," : "");
		if (aux)
			strbuf_add_format(text, "{%s/mem-loads-aux/,", pmu);
		strbuf_add_format(text, "%s/mem-loads%s/P%s", pmu, terms, aux ? "}" : "");
	}
	if (operations & MEMORY_STORES && sysfs_exists(root, DEVICES "/%s/events/mem-stores", pmu))
		strbuf_add_format(text, "%s%s/mem-stores/P", text->length ? "," : "", pmu);
}

char *memory_source_events(const char *root, enum memory_source source, unsigned int operations,
			   unsigned int latency)
{
	_cleanup_names_ struct name_list cores = pmu_core_names(root);
	struct strbuf text = STRBUF_INIT;

	if (source == MEMORY_SOURCE_AMD)
		return xstrdup("ibs_op//");
	if (source == MEMORY_SOURCE_CLOCK)
		return xstrdup("cpu-clock");
	for (size_t i = 0; i < cores.count; i++)
		add_intel_events(&text, root, cores.names[i], operations, latency);
	return text.length ? strbuf_detach(&text) : xstrdup("");
}
