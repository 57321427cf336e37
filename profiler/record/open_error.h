/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why an event cannot be opened, and what to do. */
#ifndef DTPROF_RECORD_OPEN_ERROR_H
#define DTPROF_RECORD_OPEN_ERROR_H

#include "profiler/record/event.h"
#include "profiler/record/rights.h"

/* `error_number` is the errno of perf_event_open(2) for this event. */
struct error *open_error(int error_number, const struct event_spec *spec, const struct rights *rights,
			 bool system_wide);

#endif
