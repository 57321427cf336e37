// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/tracing_data.h"

#include <string.h>

#include "tests/support/perf_image.h"

void put_sized(struct strbuf *data, const char *text)
{
	put64(data, strlen(text));
	strbuf_add_string(data, text);
}

void put_tracing_head(struct strbuf *data)
{
	strbuf_add(data, "\027\010\104tracing0.6\0\0\010", 16);
	put32(data, 4096);
	strbuf_add(data, "header_page\0", 12);
	put_sized(data, "page");
	strbuf_add(data, "header_event\0", 13);
	put_sized(data, "event");
}
