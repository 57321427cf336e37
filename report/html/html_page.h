/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of `dtprof report --html`: one HTML file that needs nothing else.
 *
 * page.html is the frame, page.css its style and page.js draws the profile, which the page holds as
 * packed JSON (pack.h), compressed by gzip (RFC 1952) and written in base64 (RFC 4648). Base64 has
 * no character that HTML gives a meaning to, so no name in the profile can become markup.
 */
#ifndef DTPROF_REPORT_HTML_HTML_PAGE_H
#define DTPROF_REPORT_HTML_HTML_PAGE_H

#include <stddef.h>

#include "profiler/base/error.h"

struct html_page;

/*
 * Begins a page in the file `path`, which is created or emptied. The page is complete only after
 * html_page_close().
 */
struct error *html_page_open(const char *path, struct html_page **page);
/* Adds JSON. Has the form of `flush` in struct json; errors are kept for html_page_close(). */
void html_page_add(void *page, const char *text, size_t length);
/* Ends the page and frees it. After an error the file is removed, unless it is a device or a pipe.
 */
struct error *html_page_close(struct html_page *page);

#endif
