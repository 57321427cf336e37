// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements html_page.h. The assembler includes the sources of the page, so the program carries
 * them.
 */
#include "report/html/html_page.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "report/json.h"

// clang-format off
#define INCLUDE_FILE(name, path) \
	__asm__(".pushsection .rodata\n" \
		#name ": .incbin \"" path "\"\n" \
		".byte 0\n" \
		".popsection\n"); \
	extern const char name[] __attribute__((visibility("hidden")))
// clang-format on

INCLUDE_FILE(html_page_frame, "report/html/page.html");
INCLUDE_FILE(html_page_style, "report/html/page.css");
INCLUDE_FILE(html_advice_script, "report/html/advice.js");
INCLUDE_FILE(html_sharing_script, "report/html/sharing.js");
INCLUDE_FILE(html_page_script, "report/html/page.js");

#define LINE_BYTES 57 /* 76 characters of base64 */

struct html_page {
	FILE *file;
	char *path;
	struct html_pack *pack;
	struct gzip_sink *gzip;   /* of the packed document */
	uint8_t rest[LINE_BYTES]; /* compressed bytes that do not fill a line yet */
	size_t rest_length;
	const char *tail; /* the part of the frame that follows the data */
	int error_number; /* of the first failed write; 0: none */
};

static void write_bytes(struct html_page *page, const char *bytes, size_t length)
{
	if (!page->error_number && fwrite(bytes, 1, length, page->file) != length)
		page->error_number = errno;
}

static void write_base64_line(struct html_page *page, const uint8_t *bytes, size_t length)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char line[(LINE_BYTES + 2) / 3 * 4 + 1];
	size_t used = 0;

	for (size_t i = 0; i < length; i += 3) {
		uint32_t group = (uint32_t)bytes[i] << 16 |
				 (i + 1 < length ? (uint32_t)bytes[i + 1] << 8 : 0) |
				 (i + 2 < length ? bytes[i + 2] : 0);

		line[used++] = digits[group >> 18];
		line[used++] = digits[group >> 12 & 63];
		line[used++] = i + 1 < length ? digits[group >> 6 & 63] : '=';
		line[used++] = i + 2 < length ? digits[group & 63] : '=';
	}
	line[used++] = '\n';
	write_bytes(page, line, used);
}

/* A gzip_receiver: `into` is a struct html_page. */
static void add_compressed(void *into, const char *bytes, size_t length)
{
	struct html_page *page = into;

	while (length) {
		size_t part = LINE_BYTES - page->rest_length;

		if (part > length)
			part = length;
		memcpy(page->rest + page->rest_length, bytes, part);
		page->rest_length += part;
		bytes += part;
		length -= part;
		if (page->rest_length < LINE_BYTES)
			break;
		write_base64_line(page, page->rest, LINE_BYTES);
		page->rest_length = 0;
	}
}

/* Writes the frame up to @DATA@, with the style and the script in their places. */
static void write_head(struct html_page *page)
{
	const char *rest = html_page_frame, *data = strstr(rest, "@DATA@"),
		   *style = strstr(rest, "@STYLE@");

	write_bytes(page, rest, (size_t)(style - rest));
	write_bytes(page, html_page_style, strlen(html_page_style));
	rest = style + strlen("@STYLE@");
	write_bytes(page, rest, (size_t)(data - rest));
	page->tail = data + strlen("@DATA@");
}

static void write_tail(struct html_page *page)
{
	/* one script: its first part has "use strict", and its last part starts it */
	const char *const parts[] = { html_advice_script, html_sharing_script, html_page_script };
	const char *script = strstr(page->tail, "@SCRIPT@");

	write_bytes(page, page->tail, (size_t)(script - page->tail));
	for (size_t i = 0; i < COUNT_OF(parts); i++)
		write_bytes(page, parts[i], strlen(parts[i]));
	script += strlen("@SCRIPT@");
	write_bytes(page, script, strlen(script));
}

struct error *html_page_open(const char *path, struct html_page **result)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return error_errno(errno, "cannot create '%s'", path);

	struct html_page *page = xcalloc(1, sizeof(*page));
	struct error *error = gzip_sink_create(add_compressed, page, GZIP_SMALLEST, &page->gzip);

	if (error) {
		fclose(file);
		free(page);
		return error;
	}
	page->pack = html_pack_create(gzip_sink_add, page->gzip);
	page->file = file;
	page->path = xstrdup(path);
	write_head(page);
	*result = page;
	return NULL;
}

void html_page_add(void *page, const char *text, size_t length)
{
	html_pack_add(((struct html_page *)page)->pack, text, length);
}

struct error *html_page_close(struct html_page *page, bool wanted)
{
	html_pack_destroy(page->pack);

	struct error *error = gzip_sink_destroy(page->gzip);
	struct stat status;
	/* only a file can be removed if it is left incomplete */
	bool ordinary = !fstat(fileno(page->file), &status) && S_ISREG(status.st_mode);

	if (page->rest_length)
		write_base64_line(page, page->rest, page->rest_length);
	write_tail(page);
	if (fclose(page->file) && !page->error_number)
		page->error_number = errno;
	if (!error && page->error_number)
		error = error_errno(page->error_number, "cannot write '%s'", page->path);
	if ((error || !wanted) && ordinary)
		unlink(page->path);
	free(page->path);
	free(page);
	return error;
}
