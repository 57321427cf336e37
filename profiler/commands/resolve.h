/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From counted samples to results: every distinct place (object, file address, load or store) is looked up
 * once, for its symbol, source line and type, whatever the number of samples.
 */
#ifndef DTPROF_COMMANDS_RESOLVE_H
#define DTPROF_COMMANDS_RESOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/access.h"
#include "profiler/base/error.h"
#include "profiler/base/hash.h"
#include "profiler/ingest/dso.h"
#include "profiler/ingest/session.h"
#include "report/result.h"

struct resolve_options {
	unsigned int needs; /* set of enum result_need */
	struct dso_options dso;
	bool no_infer;
	bool full_source_path;
	unsigned int threads; /* 0: as many as there are processors */
	/* --debug type-profile: as in struct annotator_options, and the object that the stories to come are
	 * of */
	void (*story_object)(void *data, const struct dso *dso);
	void (*story)(void *data, uint64_t address, const char *text);
	void *story_data;
};

struct resolved_place {
	struct result_place shown;
	struct dso *dso; /* NULL: none */
	bool store;
	struct access access; /* with NEED_TYPE */
	uint64_t samples;
};

/* Why an object's types or symbols could not be had. */
struct resolve_problem {
	const struct dso *dso;
	const char *message; /* belongs to the dso, or to the resolution */
	uint64_t samples;
};

struct resolution {
	struct resolved_place *places;
	size_t place_count;
	const char **comms;               /* by comm id */
	uint32_t *place_of;               /* for each counted entry */
	struct resolve_problem *problems; /* those with the most samples first */
	size_t problem_count, problem_capacity;
	struct string_pool strings;
};

/* The set of enum count_field that results with these needs are counted by. */
unsigned int resolve_count_fields(unsigned int needs);

struct error *resolve(struct session *session, const struct sample_counts *counts,
		      const struct resolve_options *options, struct resolution **result);
void resolution_destroy(struct resolution *resolution);

/* The result of one counted entry, for report/. */
struct result resolution_result(const struct resolution *resolution, const struct sample_counts *counts,
				size_t entry);

#endif
