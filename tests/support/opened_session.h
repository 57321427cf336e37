/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A perf.data file, opened and counted, with all that was said of it. */
#ifndef DTPROF_TESTS_OPENED_SESSION_H
#define DTPROF_TESTS_OPENED_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "profiler/base/strbuf.h"
#include "profiler/ingest/session.h"

/* Between opening and closing it must stay where it is: warnings are taken into it. */
struct opened_session {
	struct session *session; /* NULL: see `error` */
	struct error *error;
	struct strbuf warnings; /* a line each */
	struct sample_counts *counts;
};

/* Counted under `fields` (enum count_field); `data` must outlive it. */
void opened_from_memory(struct opened_session *opened, const uint8_t *data, size_t size,
			uint64_t fields);
void opened_from_path(struct opened_session *opened, const char *path, uint64_t fields);
void opened_close(struct opened_session *opened);
/* The sum over all counts; there must have been no error. */
uint64_t opened_samples(const struct opened_session *opened);

#define _cleanup_opened_ __attribute__((cleanup(opened_close)))

#endif
