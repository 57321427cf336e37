// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/csv.h"

#include <string.h>

#include "report/json.h"

void csv_add_text(struct strbuf *buffer, const char *text)
{
	text = text ? text : "";

	bool quoted = strpbrk(text, ",\"\r\n") || *text == ' ';
	size_t left = strlen(text);

	if (quoted)
		strbuf_add_char(buffer, '"');
	while (left) {
		size_t size = utf8_sequence(text, left);

		if (*text == '"')
			strbuf_add_char(buffer, '"');
		if (size)
			strbuf_add(buffer, text, size);
		else
			strbuf_add_string(buffer, "\xef\xbf\xbd");
		text += size ? size : 1;
		left -= size ? size : 1;
	}
	if (quoted)
		strbuf_add_char(buffer, '"');
}
