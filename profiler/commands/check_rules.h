/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verdicts on rules (report/layout/rules.h), by the debug information of objects and by a
 * recording. */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "profiler/cli/input.h"
#include "report/layout/advice.h"
#include "report/layout/rules.h"

enum rule_verdict_kind { RULE_KEPT, RULE_BROKEN, RULE_UNKNOWN, RULE_VERDICTS };

struct rule_checker {
	uint64_t cacheline;
	struct checked_object {
		struct dso *dso;
		struct debug_reader *reader;
	} * objects;
	size_t object_count, object_capacity;
	struct advice *facts; /* of all types with samples; NULL: there is no recording */
	bool no_threads;      /* they do not tell which threads write */
	size_t missed;        /* how often no object had a type of the name that was looked for */
	enum rule_verdict_kind verdict; /* of the last rule, and */
	struct strbuf reason;           /* why */
};

/* A file of rules, programs, and where samples come from: a recording (the input's), or a function
 * that sets checker->facts when the programs are open. */
struct check_request {
	struct input_options *input;
	const char *rules; /* path; "-": the standard input */
	char **programs;
	int count;
	uint64_t cacheline; /* 0: that of the recording, or 64 */
	bool json;
	struct error *(*add_heat)(struct rule_checker *checker, void *data); /* NULL: none */
	void *data;
};

/* Prints the verdicts of `dtprof check`. Sets *broken if a rule is; *incomplete if not all of the
 * recording could be read (NULL: there is none). */
struct error *check_files(const struct check_request *request, bool *broken, bool *incomplete);

/* Adds the objects of a resolved recording, and its samples. */
struct error *rule_checker_record(struct rule_checker *checker, const struct input *input,
				  const struct input_options *options);
void rule_checker_deinit(struct rule_checker *checker);

/* Appends the rules of a text, each with its line, that are kept. A rule about a name that another
 * object has, too, gets the name of its `object`. The others become comments that say why they were
 * left out; so does `name` if no rule is left. */
void rules_add_kept(struct rule_checker *checker, const char *text, const char *name,
		    const char *object, struct strbuf *buffer);
