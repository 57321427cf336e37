/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines of an annotated type: itself, then its members (annotate/member.h), each with the accesses that
 * fall in it. Members of a union share their bytes and so their accesses; of bitfields in one byte each gets
 * those whose instructions use its bits, and all get those of which that is not known.
 */
#ifndef DTPROF_ANNOTATE_HISTOGRAM_LINES_H
#define DTPROF_ANNOTATE_HISTOGRAM_LINES_H

#include "annotate/histogram.h"
#include "annotate/member.h"

/* Some of a line's accesses: those of one accessor, or of one element of an array. */
struct histogram_part {
	uint32_t line;
	struct accessor by;
	int64_t element;                   /* of an array; ELEMENT_ANY: by a variable index; ELEMENT_NONE */
	const struct access_count *counts; /* by event */
};

#define ELEMENT_ANY  (-1)
#define ELEMENT_NONE (-2)

struct histogram_line {
	struct member_line member;
	const struct access_count *counts; /* by event: of all spots within the member */
	/* of lines without members, the type itself included: its accessors */
	const struct histogram_part *parts;
	size_t part_count;
	/* of arrays: their elements that are accessed by a constant index, and the rest */
	const struct histogram_part *elements;
	size_t element_count;
};

struct histogram_lines {
	struct histogram_line *lines;
	size_t count;
	struct access_count *counts;
	struct histogram_part *parts, *elements;
	struct access_count *part_counts, *element_counts;
};

/* *result is to be released. */
void histogram_lines(const struct histogram *histogram, uint32_t event_count, struct histogram_lines *result);
void histogram_lines_release(struct histogram_lines *lines);

#endif
