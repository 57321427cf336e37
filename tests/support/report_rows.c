// SPDX-License-Identifier: GPL-2.0-or-later
/* The lines of `dtprof report -t '|'`: see report_rows.h. */
#include "tests/support/report_rows.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Removes spaces at the ends, and replaces several spaces by one, in place. */
static char *squeeze(char *text)
{
	char *out = text;

	for (const char *in = text; *in; in++) {
		if (!isspace((unsigned char)*in))
			*out++ = *in;
		else if (out > text && out[-1] != ' ')
			*out++ = ' ';
	}
	while (out > text && out[-1] == ' ')
		out--;
	*out = '\0';
	return text;
}

static void parse_line(struct report_rows *rows, char *line)
{
	struct report_row row = { 0 };
	char *column = strsep(&line, "|");

	row.percent = strtod(column, NULL);
	for (size_t i = 0; i < REPORT_COLUMNS; i++) {
		column = strsep(&line, "|");
		row.columns[i] = column ? squeeze(column) : "";
	}
	array_reserve(rows->items, rows->count, rows->capacity);
	rows->items[rows->count++] = row;
}

void report_rows_parse(struct report_rows *rows, const char *text)
{
	*rows = (struct report_rows){ .text = xstrdup(text) };

	char *rest = rows->text;
	char *line;

	while ((line = strsep(&rest, "\n"))) {
		if (*line != '#' && line[strspn(line, " \t")])
			parse_line(rows, line);
	}
}

void report_rows_deinit(struct report_rows *rows)
{
	free(rows->items);
	free(rows->text);
}
