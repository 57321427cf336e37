// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print_hierarchy.h"

#include <string.h>

#define HIERARCHY_INDENT 3

static unsigned int key_width(const struct printer *printer, const struct key *key)
{
	const struct key_list *columns = &printer->table->layout->columns;

	for (size_t i = 0; i < columns->count; i++)
		if (columns->keys[i] == key)
			return printer->widths[i];
	return 0;
}

static size_t level_indent(const struct printer *printer)
{
	return (printer->table->layout->level_count - 1) * HIERARCHY_INDENT;
}

/* "Command+Shared Object / Symbol"; returns its width, or the widest level's if that is more. */
static size_t add_level_headings(const struct printer *printer)
{
	const struct layout *layout = printer->table->layout;
	size_t start = printer->buffer->length, widest = 0;

	for (size_t level = 0; level < layout->level_count; level++) {
		const struct key_list *keys = &layout->levels[level];
		size_t width = level * HIERARCHY_INDENT + keys->count - 1; /* the plus signs */

		if (level)
			strbuf_add_string(printer->buffer, " / ");
		for (size_t i = 0; i < keys->count; i++) {
			const char *header = keys->keys[i]->header;

			if (i)
				strbuf_add_char(printer->buffer, '+');
			strbuf_add_string(printer->buffer, header + strspn(header, " "));
			width += key_width(printer, keys->keys[i]);
		}
		if (width > widest)
			widest = width;
	}

	size_t written = printer->buffer->length - start;

	return written > widest ? written : widest;
}

static void print_hierarchy_headings(const struct printer *printer)
{
	const struct key_list *columns = &printer->table->layout->columns;
	struct strbuf *buffer = printer->buffer;
	size_t indent = printer->options->separator ? 0 : level_indent(printer);
	bool first = true;

	strbuf_add_string(buffer, "# ");
	strbuf_add_repeated(buffer, ' ', indent);
	for (size_t i = 0; i < columns->count; i++) {
		if (columns->keys[i]->identity)
			continue;
		print_separator(printer, first, first ? "" : "  ");
		print_column_heading(printer, columns->keys[i], printer->widths[i]);
		first = false;
	}
	print_separator(printer, first, "  ");

	size_t width = add_level_headings(printer);

	strbuf_add_string(buffer, "\n# ");
	strbuf_add_repeated(buffer, '.', indent);
	first = true;
	for (size_t i = 0; i < columns->count; i++) {
		if (columns->keys[i]->identity)
			continue;
		print_separator(printer, first, first ? "" : "..");
		strbuf_add_repeated(buffer, '.', printer->widths[i]);
		first = false;
	}
	print_separator(printer, first, "  ");
	strbuf_add_repeated(buffer, '.', width);
	strbuf_add_string(buffer, "\n#\n");
}

static void add_level_cells(struct printer *printer, uint32_t row, const struct key_list *keys)
{
	struct strbuf *buffer = printer->buffer;

	for (size_t i = 0; i < keys->count; i++) {
		if (i)
			print_separator(printer, false, "  ");

		size_t start =
			print_cell(printer, row, keys->keys[i], key_width(printer, keys->keys[i]), false);
		size_t blanks = strspn(buffer->data + start, " ");

		/* numbers stand at the left here */
		memmove(buffer->data + start, buffer->data + start + blanks,
			buffer->length - start - blanks + 1);
		buffer->length -= blanks;
	}
}

static void print_hierarchy_row(struct printer *printer, uint32_t row)
{
	const struct table *table = printer->table;
	const struct layout *layout = table->layout;
	size_t level = table->rows[row].level;
	bool first = true;

	strbuf_add_repeated(printer->buffer, ' ', level * HIERARCHY_INDENT);
	for (size_t i = 0; i < layout->columns.count; i++) {
		if (layout->columns.keys[i]->identity)
			continue;
		print_separator(printer, first, "  ");
		print_cell(printer, row, layout->columns.keys[i], printer->widths[i], true);
		first = false;
	}
	if (!printer->options->separator)
		strbuf_add_repeated(printer->buffer, ' ', level_indent(printer));
	print_separator(printer, first, "  ");
	add_level_cells(printer, row, &layout->levels[level]);
	strbuf_add_char(printer->buffer, '\n');
	print_row_callgraph(printer, row);
}

/* Says that a row has children, though all are below the limit. */
static void print_no_entry(struct printer *printer, size_t level)
{
	const struct key_list *columns = &printer->table->layout->columns;
	bool aligned = !printer->options->separator;
	size_t indent = level * HIERARCHY_INDENT + (aligned ? level_indent(printer) + 2 : 0);

	for (size_t i = 0; i < columns->count; i++)
		if (!columns->keys[i]->identity)
			indent += printer->widths[i] + (aligned ? 2 : 0);
	strbuf_add_repeated(printer->buffer, ' ', indent);
	strbuf_add_format(printer->buffer, "no entry >= %.2f%%\n", printer->options->percent_limit);
}

/* As deep as there are levels, of which there are at most LAYOUT_KEYS. */
static void print_children(struct printer *printer, uint32_t parent)
{
	const struct table *table = printer->table;
	const struct table_row *row = &table->rows[parent];
	bool any = false;

	for (uint32_t i = 0; i < row->child_count; i++) {
		uint32_t child = table->sorted[row->first_child + i];

		if (!table_is_shown(table, child, printer->options->percent_limit))
			continue;
		print_hierarchy_row(printer, child);
		print_children(printer, child);
		any = true;
	}
	if (!any && row->child_count && parent != ROW_ROOT)
		print_no_entry(printer, row->level + 1);
}

void print_hierarchy(struct printer *printer)
{
	if (!printer->options->quiet)
		print_hierarchy_headings(printer);
	print_children(printer, ROW_ROOT);
}
