/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What counted samples of one access add to the figures of a field. */
#ifndef DTPROF_COMMANDS_FIELD_COUNT_H
#define DTPROF_COMMANDS_FIELD_COUNT_H

#include "annotate/access.h"
#include "annotate/access_count.h"
#include "profiler/ingest/session.h"

struct access_count field_count(const struct counted *counted, const struct access *access);

#endif
