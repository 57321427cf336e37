/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branch stacks in samples (-b, -j): the last branches that were taken, by LBR or BRS. */
#ifndef DTPROF_RECORD_BRANCH_H
#define DTPROF_RECORD_BRANCH_H

#include <linux/perf_event.h>
#include <stdint.h>

#include "profiler/base/error.h"

/* What --call-graph lbr records: the calls of user space that have not returned. */
#define BRANCH_CALL_STACK                                                                                    \
	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_CYCLES |            \
	 PERF_SAMPLE_BRANCH_NO_FLAGS)

/* "any_call,u" as attr.branch_sample_type; NULL: any branch. */
struct error *branch_filter_parse(const char *text, uint64_t *filter);

#endif
