// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print.h"

#include <inttypes.h>
#include <string.h>

#include "profiler/base/printable.h"
#include "report/print_cell.h"
#include "report/print_hierarchy.h"

static unsigned int breakdown_width(const struct printer *printer, const struct breakdown *breakdown)
{
	unsigned int width = 0;

	for (unsigned int i = 0; i < breakdown->count; i++)
		if (breakdown_shows(breakdown, i, printer->table->more, printer->table->event_count))
			width += BREAKDOWN_WIDTH;
	return width;
}

static unsigned int column_width(const struct printer *printer, size_t column)
{
	const struct table *table = printer->table;
	const struct key_list *columns = &table->layout->columns;
	const struct key *key = columns->keys[column];
	unsigned int chosen = columns->widths[column], width = strlen(layout_header(table->layout, key));

	if (key->breakdown)
		return breakdown_width(printer, key->breakdown);
	if (!key->identity) {
		if (width < key->event_width * table->event_count)
			width = key->event_width * table->event_count;
		return chosen > width || (chosen && table->event_count == 1) ? chosen : width;
	}
	if (chosen)
		return chosen;
	for (uint32_t row = 1; key->width && row < table->row_count; row++) {
		struct row_view view = table_view(table, row);
		unsigned int wanted = key->width(&view, &printer->format);

		if (printer->options->max_name && wanted > printer->options->max_name)
			wanted = printer->options->max_name;
		if (wanted > width)
			width = wanted;
	}
	return width;
}

/* "---------- Snoop -----------", or right-aligned where there is no room for that. */
static void add_title(struct strbuf *buffer, const char *title, unsigned int width)
{
	size_t length = strlen(title) + 2;

	if (width <= BREAKDOWN_WIDTH || width < length + 2) {
		strbuf_add_format(buffer, "%*.*s", (int)width, (int)width, title);
		return;
	}
	strbuf_add_repeated(buffer, '-', (width - length) / 2);
	strbuf_add_format(buffer, " %s ", title);
	strbuf_add_repeated(buffer, '-', width - length - (width - length) / 2);
}

static bool has_breakdown(const struct key_list *columns)
{
	for (size_t i = 0; i < columns->count; i++)
		if (columns->keys[i]->breakdown)
			return true;
	return false;
}

/* A line above the headings: what the columns side by side divide. */
static void print_titles(const struct printer *printer)
{
	const struct key_list *columns = &printer->table->layout->columns;

	strbuf_add_string(printer->buffer, "# ");
	for (size_t i = 0; i < columns->count; i++) {
		if (i)
			print_separator(printer, false, "  ");
		if (columns->keys[i]->breakdown)
			add_title(printer->buffer, columns->keys[i]->breakdown->title, printer->widths[i]);
		else
			strbuf_add_repeated(printer->buffer, ' ', printer->widths[i]);
	}
	strbuf_add_char(printer->buffer, '\n');
}

static void print_flat_headings(const struct printer *printer)
{
	const struct key_list *columns = &printer->table->layout->columns;

	if (has_breakdown(columns))
		print_titles(printer);
	strbuf_add_string(printer->buffer, "# ");
	for (size_t i = 0; i < columns->count; i++) {
		if (i)
			print_separator(printer, false, "  ");
		print_column_heading(printer, columns->keys[i], printer->widths[i]);
	}
	strbuf_add_char(printer->buffer, '\n');
	if (printer->options->separator)
		return;
	strbuf_add_string(printer->buffer, "# ");
	for (size_t i = 0; i < columns->count; i++) {
		if (i)
			strbuf_add_string(printer->buffer, "  ");
		strbuf_add_repeated(printer->buffer, '.', printer->widths[i]);
	}
	strbuf_add_string(printer->buffer, "\n#\n");
}

static void print_flat(struct printer *printer)
{
	const struct table *table = printer->table;
	const struct table_row *root = &table->rows[ROW_ROOT];
	const struct key_list *columns = &table->layout->columns;

	if (!printer->options->quiet)
		print_flat_headings(printer);
	for (uint32_t i = 0; i < root->child_count; i++) {
		uint32_t row = table->sorted[root->first_child + i];

		if (!table_is_shown(table, row, printer->options->percent_limit))
			continue;
		for (size_t column = 0; column < columns->count; column++) {
			print_separator(printer, column == 0, "  ");
			print_cell(printer, row, columns->keys[column], printer->widths[column],
				   column + 1 < columns->count);
		}
		strbuf_add_char(printer->buffer, '\n');
		print_row_callgraph(printer, row);
	}
}

void print_table(const struct table *table, const struct print_options *options, struct strbuf *buffer)
{
	struct printer printer = { .table = table, .options = options, .buffer = buffer };

	printer.format = (struct cell_format){ .separated = options->separator,
					       .hexadecimal = options->hexadecimal,
					       .nanoseconds = options->nanoseconds,
					       .verbose = options->verbose,
					       .colour = options->colour,
					       .totals = table->totals,
					       .more_totals = table->more };
	for (size_t i = 0; i < table->layout->columns.count; i++)
		printer.widths[i] = column_width(&printer, i);
	if (!table->layout->level_count) {
		print_flat(&printer);
		return;
	}
	print_hierarchy(&printer);
}

/* 25123 as "25K": as perf shortens it, exactly 1000 stays */
static uint64_t shorten(uint64_t number, char *unit)
{
	static const char units[] = " KMG";
	size_t i = 0;

	while (number > 1000 && i + 1 < sizeof(units) - 1) {
		number /= 1000;
		i++;
	}
	*unit = units[i];
	return number;
}

void print_table_heading(const struct table *table, const struct table_heading *heading,
			 struct strbuf *buffer)
{
	char unit;
	uint64_t samples = shorten(table->total_samples, &unit), period = 0;
	size_t start = buffer->length;

	for (uint32_t i = 0; i < table->event_count; i++)
		period += table->totals[i];
	strbuf_add_format(buffer, "# Samples: %" PRIu64 "%c of event%s '%s'", samples, unit,
			  heading->plural ? "s" : "", heading->event);
	if (heading->time)
		strbuf_add_format(buffer, " (time slices: %s)", heading->time);
	strbuf_end_line(buffer, start);
	if (!heading->weighing)
		strbuf_add_format(buffer, "# Event count (approx.): %" PRIu64 "\n", period);
	else
		strbuf_add_format(buffer, "# Total %s : %" PRIu64 "\n", heading->weighing, period);
	if (heading->weighing && heading->sort)
		strbuf_add_format(buffer, "# Sort order   : %s\n", heading->sort);
	if (heading->socket)
		strbuf_add_format(buffer, "# Processor Socket: %u\n", *heading->socket);
	strbuf_add_string(buffer, "#\n");
}
