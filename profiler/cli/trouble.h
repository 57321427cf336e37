/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Says what a report lacks: objects without debug information, files that are gone, a kernel
 * without types. Each kind of trouble is one line, with its samples and what to do.
 */
#pragma once

#include "base/strbuf.h"
#include "profiler/cli/input.h"

/* The samples that a report shows, by object. Zero-initialized: no samples yet. */
struct shown_samples {
	uint64_t *of_dso; /* by the object's id + 1; 0: in no object */
	size_t count;
	uint64_t total;
};

/* Adds the samples of a counted entry to those shown. */
void shown_samples_add(struct shown_samples *shown, const struct input *input, size_t entry);
void shown_samples_deinit(struct shown_samples *shown);

/* Appends the lines, each with a newline, for objects whose samples are shown. If `shown` is NULL,
 * all samples are. With -v, lists of names are complete, and each line is followed by one for each
 * object, with the reason and its path. On a screen, lines leave out what manual pages explain. A
 * line longer than `width` is wrapped; 0: never. */
void trouble_text(const struct input_options *options, const struct input *input,
		  const struct shown_samples *shown, bool screen, unsigned int width,
		  struct strbuf *text);

/* Prints these lines, after an empty one, below the output on a terminal; none with -q. */
void trouble_print(const struct input_options *options, const struct input *input,
		   unsigned int width);
