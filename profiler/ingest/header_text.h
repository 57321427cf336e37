/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `report --header` prints of a file: its features and events, in perf's words. */
#ifndef DTPROF_INGEST_HEADER_TEXT_H
#define DTPROF_INGEST_HEADER_TEXT_H

#include <stdbool.h>

#include "profiler/base/strbuf.h"

struct session;

/* `full` (perf's -I): long lists, too. Lines end in newlines. Control characters of the file become '?'. */
void session_header_text(const struct session *session, bool full, struct strbuf *text);

#endif
