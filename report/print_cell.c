// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print_cell.h"

#include <string.h>

#include "profiler/base/printable.h"
#include "report/keys.h"
#include "report/print_callgraph.h"

/* What colours add is no width. */
static size_t visible_width(const char *text, size_t length)
{
	size_t width = 0;

	for (size_t i = 0; i < length;) {
		const char *escape = memchr(text + i, '\033', length - i);
		size_t plain = escape ? (size_t)(escape - text) - i : length - i;

		width += text_columns(text + i, plain);
		i += plain;
		while (i < length && text[i++] != 'm')
			;
	}
	return width;
}

/* A name in its full width, which then loses its middle. */
static void add_shortened(struct printer *printer, const struct row_view *view, const struct key *key)
{
	struct strbuf *buffer = printer->buffer;
	size_t start = buffer->length, limit = printer->options->max_name;
	unsigned int wanted = key->width ? key->width(view, &printer->format) : 0;

	if (printer->format.width < wanted)
		printer->format.width = wanted;
	key->cell(view, &printer->format, buffer);
	while (buffer->length > start && buffer->data[buffer->length - 1] == ' ')
		buffer->data[--buffer->length] = '\0';
	text_shorten(buffer, start, limit);
}

size_t print_cell(struct printer *printer, uint32_t row, const struct key *key, unsigned int width, bool pad)
{
	struct strbuf *buffer = printer->buffer;
	size_t start = buffer->length;
	struct row_view view = table_view(printer->table, row);
	const char *separator = printer->options->separator;

	printer->format.width = width;
	if (key->identity && printer->options->max_name)
		add_shortened(printer, &view, key);
	else
		key->cell(&view, &printer->format, buffer);
	if (key->identity)
		make_printable(buffer->data + start, buffer->length - start);
	if (separator)
		for (char *found = buffer->data + start; (found = strchr(found, separator[0]));)
			*found = '.';

	size_t written = visible_width(buffer->data + start, buffer->length - start);

	if (pad && written < width)
		strbuf_add_repeated(buffer, ' ', width - written);
	return start;
}

void print_separator(const struct printer *printer, bool first, const char *plain)
{
	const char *separator = printer->options->separator;

	if (!separator)
		strbuf_add_string(printer->buffer, plain);
	else if (!first)
		strbuf_add_string(printer->buffer, separator);
}

void print_row_callgraph(const struct printer *printer, uint32_t row)
{
	const struct table *table = printer->table;
	size_t place = (size_t)row * table->event_count;
	const struct key *first = table->layout->callgraph_root;

	if (!table->callgraph || !printer->options->callgraph)
		return;
	print_callgraph(
		table->callgraph, table->rows[row].last_chain,
		&(struct callgraph_print){
			.total = table->totals[0],
			.row_total = table->children ? table->children[place] : table->figures[place].period,
			.skip = first == &key_symbol ? table->rows[row].result.place : NULL,
			.colour = printer->options->colour,
			.max_name = printer->options->max_name,
			.separator = printer->options->separator },
		printer->buffer);
}

static bool is_right_aligned(const struct key *key)
{
	return !key->identity || key->right_heading;
}

static void add_class_names(const struct printer *printer, const struct breakdown *breakdown)
{
	for (unsigned int i = 0; i < breakdown->count; i++)
		if (breakdown_shows(breakdown, i, printer->table->more, printer->table->event_count))
			strbuf_add_format(printer->buffer, "%*s", BREAKDOWN_WIDTH, breakdown->names[i]);
}

void print_column_heading(const struct printer *printer, const struct key *key, unsigned int width)
{
	if (key->breakdown) {
		add_class_names(printer, key->breakdown);
		return;
	}
	strbuf_add_format(printer->buffer, is_right_aligned(key) ? "%*.*s" : "%-*.*s", (int)width, (int)width,
			  layout_header(printer->table->layout, key));
}
