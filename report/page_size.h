/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes of pages in perf's words. */
#ifndef DTPROF_REPORT_PAGE_SIZE_H
#define DTPROF_REPORT_PAGE_SIZE_H

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* "4K", "2M", as perf writes it; "N/A": it was not recorded. */
#define PAGE_SIZE_TEXT 24
static inline const char *page_size_text(uint64_t size, char text[PAGE_SIZE_TEXT])
{
	size_t unit = 0;

	if (!size)
		return "N/A";
	for (; size / 1024 > 1 && unit < 3; unit++)
		size /= 1024;
	snprintf(text, PAGE_SIZE_TEXT, "%" PRIu64 "%c", size, "BKMG"[unit]);
	return text;
}

#endif
