/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A perf.data file that was opened and counted, with the warnings and errors about it. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/strbuf.h"
#include "profiler/ingest/session.h"

/* It must not move between opening and closing, because the session points to `warnings`. */
struct opened_session {
	struct session *session; /* NULL: see `error` */
	struct error *error;
	struct strbuf warnings; /* a line each */
	struct sample_counts *counts;
};

/* Opens the file and counts by `fields` (enum count_field). `data` must outlive *opened. */
void opened_from_memory(struct opened_session *opened, const uint8_t *data, size_t size,
			uint64_t fields);
void opened_from_path(struct opened_session *opened, const char *path, uint64_t fields);
void opened_close(struct opened_session *opened);
/* Returns the sum of all counts; there must have been no error. */
uint64_t opened_samples(const struct opened_session *opened);

#define _cleanup_opened_ __attribute__((cleanup(opened_close)))
