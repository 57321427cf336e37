/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The events that perf_event_open(2) itself names: hardware, software and cache events, under perf's names.
 */
#ifndef DTPROF_RECORD_EVENT_NAMES_H
#define DTPROF_RECORD_EVENT_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/record/sysfs.h"

/* type is PERF_TYPE_HARDWARE, PERF_TYPE_SOFTWARE or PERF_TYPE_HW_CACHE. */
bool event_name_find(const char *name, uint32_t *type, uint64_t *config);
/* The name that perf gives to such an event, to be freed; NULL if there is none. */
char *event_name_of(uint32_t type, uint64_t config);
/* All names of a type in a fixed order. */
struct name_list event_name_list(uint32_t type);

#endif
