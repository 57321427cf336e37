/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples in the order of their times, a bounded number at a time, for what is shown sample by
 * sample: memory does not grow with the recording.
 *
 * First all samples are counted by what places and frames need (count_options.outline). Then each
 * slice is counted by all fields. Its frames have the numbers that they have in the outline, so
 * that what was resolved for the outline holds for each slice.
 */
#pragma once

#include "profiler/ingest/session.h"

/* About how many samples a slice has: each takes some 1 KB until the next slice. */
#define SLICE_SAMPLES ((size_t)1 << 17)

struct slices;

/* `options` are the outline's, with all fields counted; both must outlive the slices. */
struct slices *slices_create(struct session *session, const struct count_options *options,
			     const struct sample_counts *outline);
/* Returns the next samples, which sample_counts_destroy() frees; NULL: there are no more. Those of
 * one time are in one slice, unless they are more than a slice has. */
struct sample_counts *slices_next(struct slices *slices);
void slices_destroy(struct slices *slices);
