/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counted samples as uses of memory, for the verdicts on cachelines (report/c2c/sharing.h). */
#pragma once

#include "profiler/ingest/session.h"
#include "profiler/ingest/sleeps.h"
#include "profiler/resolve/operands.h"
#include "profiler/resolve/resolve.h"
#include "report/c2c/sharing.h"

/* The needs of verdicts: a set of enum result_need. Times must not be rounded. */
#define SHARING_VERDICT_NEEDS                                                                      \
	(NEED_TYPE | NEED_FIELD_NAME | NEED_DSO | NEED_SYMBOL | NEED_PID | NEED_TID | NEED_CPU |   \
	 NEED_DATA_SOURCE | NEED_DATA_ADDRESS | NEED_DATA_RANGE | NEED_ELEMENT | NEED_TIME)
/* The same with predictions, which go by instruction and cost. */
#define SHARING_USES_NEEDS (SHARING_VERDICT_NEEDS | NEED_ADDRESS | NEED_WEIGHT | NEED_IP)

struct sharing_uses {
	/* Those witnessed are accesses that samples elsewhere witness (witness.h). */
	struct sharing_input input;
	size_t capacity, rest_capacity, witnessed_capacity;
	uint64_t samples;         /* of all entries with details, also without a data address, */
	uint64_t left_out;        /* and of those without details (struct count_options) */
	struct string_pool names; /* of implied fields */
	struct sleeps sleeps;     /* of threads, if context switches were recorded */
};

/* Makes uses of the samples whose data address is known. sharing_uses_deinit() frees them, also
 * after an error. The resolution has their strings. */
struct error *sharing_uses_init(struct sharing_uses *uses, const struct session *session,
				const struct resolution *resolution,
				const struct sample_counts *counts, struct operands *operands,
				uint64_t cacheline);
void sharing_uses_deinit(struct sharing_uses *uses);

/* Returns the verdicts, which point into `uses`. The caller frees them with sharing_destroy(). */
struct sharing *sharing_uses_judge(struct sharing_uses *uses);

/* Sets the cures of those lines that a change of one type's layout would mend. Texts are allocated
 * in `texts`. The verdicts must be those on uses that sharing_uses_init() made. */
void sharing_find_cures(struct sharing *sharing, struct arena *texts);

/* Returns the address of the instruction that made the access, which may not be the sampled one. */
uint64_t sharing_access_ip(const struct result *result, const struct resolved_place *place);
