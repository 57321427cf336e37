/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comma-separated values: RFC 4180, but lines end with a newline alone. */
#ifndef DTPROF_REPORT_CSV_H
#define DTPROF_REPORT_CSV_H

#include "profiler/base/strbuf.h"

/* One value, quoted where it must be; bytes that are no UTF-8 become U+FFFD. NULL: empty. */
void csv_add_text(struct strbuf *buffer, const char *text);

#endif
