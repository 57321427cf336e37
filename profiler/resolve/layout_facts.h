/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The facts about the use of records, from which report/layout/ makes advice: members, the regions
 * of code that use them, the objects that samples saw, and constraints on changes.
 *
 * Affinity comes from code: all accesses of a function that has samples are resolved, not only
 * those that samples are charged to. If several fields are in one line, only the first access
 * waits.
 */
#pragma once

#include "base/error.h"
#include "profiler/resolve/resolve.h"
#include "report/layout/advice.h"

struct layout_facts_options {
	const char
		*type; /* as type_name_matches() takes it; NULL: the types with the most samples */
	unsigned int most; /* types */
	/* without a `type`: samples also count for the records within the outermost one */
	bool parts;
	const struct dso_options *dso;
	bool no_infer;
	unsigned int threads;
	bool no_code;       /* leave out the regions of code, which takes most of the time */
	uint64_t cacheline; /* bytes */
	const struct memory_costs *costs; /* measured on the recorded machine; NULL: not known */
	const char *costs_source;
};

/* The needs of resolve(), as a set of enum result_need. Times must not be rounded. */
#define LAYOUT_FACTS_NEEDS                                                                         \
	(NEED_TYPE | NEED_FIELD_NAME | NEED_DSO | NEED_SYMBOL | NEED_PID | NEED_TID | NEED_CPU |   \
	 NEED_DATA_SOURCE | NEED_DATA_ADDRESS | NEED_ELEMENT | NEED_TIME)

/* The further need of the copies of each type. */
#define LAYOUT_COPIES_NEEDS NEED_COPY

/* Returns the offset of the first byte after the last member. */
uint64_t members_end(const struct member *members, size_t count);

/* Sets *result to the facts of the wanted types, those with the most samples first.
 * layout_facts_destroy() frees it. It has no type if no sample accesses one. */
struct error *layout_facts_create(const struct resolution *resolution,
				  const struct sample_counts *counts,
				  const struct layout_facts_options *options,
				  struct advice **result);
void layout_facts_destroy(struct advice *advice);

/* The further needs of layout_find_sharing() and of its predictions. */
#define LAYOUT_SHARING_NEEDS (NEED_DATA_RANGE | NEED_ADDRESS | NEED_WEIGHT | NEED_IP)

/* Adds the false sharing of each type to its facts, by the verdicts of report/c2c/sharing.h. The
 * operands are those that the samples were resolved with. */
struct error *layout_find_sharing(const struct resolution *resolution,
				  const struct sample_counts *counts, struct operands *operands,
				  uint64_t cacheline, struct advice *advice);

/* Sets the members, declarations and constraints of a type of debug information, without samples.
 * `type` is canonical; texts belong to the arena. */
void layout_facts_declare(const struct type *type, struct arena *arena, struct advice_type *result);
/* Sets the members' types in Rust or Go, and whether Rust's compiler keeps their order. */
void layout_facts_translate(const struct type *type, struct arena *arena,
			    struct advice_type *result);
/* The same, and sets the object and the lines, which are without samples, too. */
void layout_facts_place(const struct type *type, const char *object, uint64_t cacheline,
			struct arena *arena, struct advice_type *result);
