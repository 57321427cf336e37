/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Questions to stores that have files of their own: store_diff.c and store_check.c. */
#pragma once

#include "profiler/cli/input.h"
#include "profiler/store/store.h"

struct store_request {
	struct store_choice choice;
	struct input_options input;
	unsigned int entries; /* 0: all */
	double level;         /* percent: of comparisons of builds that are alike, with a change */
	bool all, json;
	bool found; /* the answer: a field rose, or a rule is broken */
};

/* Show the fields whose share changed between two builds, or rose. */
struct error *store_diff(struct store *store, struct store_request *request, int count,
			 char **builds);
struct error *store_regress(struct store *store, struct store_request *request, int count,
			    char **builds);

/* Checks a file of rules against programs and the heat of their builds. */
struct error *store_check(struct store *store, struct store_request *request, int count,
			  char **words);
