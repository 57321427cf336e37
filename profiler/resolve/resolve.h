/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From counted samples to results: every distinct place (object, file address, load or store) is looked up
 * once, for its symbol, source line and type, whatever the number of samples.
 */
#ifndef DTPROF_RESOLVE_RESOLVE_H
#define DTPROF_RESOLVE_RESOLVE_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/access.h"
#include "annotate/annotator.h"
#include "profiler/base/error.h"
#include "profiler/base/hash.h"
#include "profiler/ingest/dso.h"
#include "profiler/ingest/session.h"
#include "report/result.h"

/* Which samples are charged to the access that they waited for (--blame). */
enum blame_mode {
	BLAME_AUTO,    /* those of events that are late */
	BLAME_RETIRED, /* all that are not known to be exact */
	BLAME_SAMPLED, /* none */
};

struct operands;

struct resolve_options {
	unsigned int needs; /* set of enum result_need */
	struct dso_options dso;
	bool no_infer;
	bool no_demangle; /* symbols as the object has them */
	bool no_inline;   /* frames of inlined functions are left out */
	bool full_source_path;
	enum blame_mode blame;     /* with NEED_TYPE */
	struct operands *operands; /* that the samples' data addresses were computed with */
	unsigned int threads;      /* 0: as many as there are processors */
	const regex_t
		*ignore_callees; /* samples are those of the outermost caller that matches; NULL: none */
	const regex_t *parent;   /* with NEED_PARENT: what makes a caller the parent */
	const struct trace_choice *traces; /* with NEED_TRACE: those that were counted by */
	size_t trace_count;
	bool caller_first; /* the outermost caller that matches, as perf has it with --children */
	/* Called as work goes on: the step, and the object or NULL. NULL: nobody wants to know. */
	void (*progress)(const char *what, const char *which);
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
	bool after;        /* the samples were taken behind the access */
	bool late;         /* the samples were taken behind what was waited for, and are charged to that */
	bool lost;         /* with `after`: the instruction of the access is not known */
	uint8_t blame;     /* enum blame_how; with NEED_TYPE */
	int64_t came_from; /* late: as in struct counted */
	uint32_t
		next_part; /* late: of its samples, as many as are not this place's are that one's; 0: none */
	uint64_t sampled;  /* file address that its samples were taken at */
	struct access access; /* with NEED_TYPE */
	uint64_t samples;     /* 0: it is a caller's alone, of which no type is asked */
};

/* Whether a sample's data address is in the variable, or the stack, that its type was found by. */
enum address_verdict {
	VERDICT_NONE, /* no address, or nothing to hold it against */
	VERDICT_AGREES,
	VERDICT_CONTRADICTS, /* its place has no type then, for REASON_ADDRESS */
};

/* Why an object's types or symbols could not be had. */
struct resolve_problem {
	const struct dso *dso;
	const char *message; /* belongs to the dso, or to the resolution */
	uint64_t samples;
};

struct resolution {
	struct resolved_place *places;
	size_t place_count, place_capacity;
	const char **comms;          /* by comm id */
	uint32_t *place_of;          /* for each counted entry */
	uint8_t *verdicts;           /* the same, enum address_verdict; with NEED_TYPE */
	struct result_data *data;    /* distinct places of data; with NEED_DATA_ADDRESS */
	uint32_t *data_of;           /* for each counted entry; NULL without */
	struct result_frame *frames; /* of call chains, by number */
	size_t frame_count, frame_capacity;
	uint32_t *frame_of; /* for each counted frame its number here, where functions that were inlined have
			       frames, too */
	struct arena inlined_places; /* of those */
	const char **parents;        /* by the number here; NULL: none is asked for */
	uint32_t *kept;   /* by frame number: the caller whose callees are ignored; 0: none. Or NULL */
	int32_t *sockets; /* by processor */
	struct result_trace *traces; /* trace_count for each counted entry */
	size_t trace_count;
	const struct session *session;
	unsigned int needs; /* as in the options, and so: */
	bool no_demangle;
	struct blame_skid skid;           /* of all late samples */
	struct resolve_problem *problems; /* those with the most samples first */
	size_t problem_count, problem_capacity;
	struct string_pool strings;
};

/* A symbol's name as it is shown, interned. */
const char *resolve_symbol_name(struct resolution *resolution, const char *symbol);

/* The set of enum count_field that results with these needs are counted by. */
unsigned int resolve_count_fields(unsigned int needs);

/* Entries of *counts whose samples are charged to several accesses become several. */
struct error *resolve(struct session *session, struct sample_counts *counts,
		      const struct resolve_options *options, struct resolution **result);
void resolution_destroy(struct resolution *resolution);

/* The result of one counted entry, for report/. */
struct result resolution_result(const struct resolution *resolution, const struct sample_counts *counts,
				size_t entry);

#endif
