/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys of the fields of tracepoints: which there are, each file says for itself. */
#ifndef DTPROF_REPORT_KEY_TRACE_H
#define DTPROF_REPORT_KEY_TRACE_H

#include "report/key.h"

#define TRACE_KEYS 64 /* of one report */

/* The key of the value result.traces[index]; `name` and `header` must outlive it. index < TRACE_KEYS. */
struct key trace_key(unsigned int index, const char *name, const char *header);

#endif
