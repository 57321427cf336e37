/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events that a PMU of this machine describes: PMU/terms/. */
#ifndef DTPROF_RECORD_EVENT_PMU_H
#define DTPROF_RECORD_EVENT_PMU_H

#include "profiler/record/event.h"

/*
 * Add PMU/terms/modifiers; *modifiers points into `text`, behind the second slash. The PMU may be a pattern
 * as "uncore_cha_*", which adds one event for each that it matches.
 */
struct error *event_add_pmu(struct event_list *list, const char *root, const char *text,
			    const char **modifiers);
/* Add the event that a core PMU names in sysfs, as "mem-loads"; *found tells whether there is one. */
struct error *event_add_alias(struct event_list *list, const char *root, const char *name, bool *found);
/* Memory events whose samples have an address, its source and a weight. */
bool event_is_memory(const struct pmu *pmu, const char *event);

#endif
