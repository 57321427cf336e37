/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters of dtprof script that are shared objects with the interface of perf-dlfilter(1). Such a
 * library runs for each sample, decides whether its line is printed, and may print something
 * itself.
 *
 * The library is code that the user names, and it runs with all rights of the process.
 */
#ifndef DTPROF_COMMANDS_DLFILTER_H
#define DTPROF_COMMANDS_DLFILTER_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/error.h"
#include "profiler/cli/input.h"
#include "report/result.h"

struct dlfilter;

/* The options --dlfilter and --dlarg. */
struct dlfilter_options {
	const char *file; /* NULL: no filter */
	char **arguments;
	size_t count, capacity;
};

/* OPTION_CALL of --dlarg; `options` is a struct dlfilter_options. */
struct error *dlfilter_add_argument(void *options, const char *argument);
void dlfilter_options_deinit(struct dlfilter_options *options);

/*
 * Loads the library. A file without a "/" is looked for in the current folder, then where perf has
 * its filters, then as the dynamic linker does. The caller frees *result with dlfilter_close().
 */
struct error *dlfilter_open(const struct dlfilter_options *options, struct dlfilter **result);
/* `filter` may be NULL. */
void dlfilter_close(struct dlfilter *filter);

/* Returns whether the library has filter_event_early(), which sees all samples. */
bool dlfilter_is_early(const struct dlfilter *filter);

/*
 * Calls the library's start(). `input` has been counted with NEED_POSITION, NEED_TIME and
 * NEED_COMM, and must outlive the filter.
 */
struct error *dlfilter_start(struct dlfilter *filter, const struct input_options *options,
			     struct input *input);
/* Calls the library's stop(). */
struct error *dlfilter_stop(struct dlfilter *filter);

/* The two moments at which a library sees a sample. */
enum dlfilter_stage {
	DLFILTER_EARLY, /* before other filters */
	DLFILTER_LATE,  /* after them, for samples that they have left */
};

/*
 * Calls filter_event_early() or filter_event() of the library, if it has that function. `accepted`
 * tells whether the other filters keep the sample. Sets *keeps to whether the library keeps it.
 */
struct error *dlfilter_check(struct dlfilter *filter, enum dlfilter_stage stage,
			     const struct result *result, bool accepted, bool *keeps);

/*
 * Prints the filters in the current folder and in perf's folders with their descriptions, and if
 * `verbose` with the long ones. Only files that belong to the user or to root, and that nobody else
 * can write, are loaded for this.
 */
void dlfilter_list(bool verbose);

#endif
