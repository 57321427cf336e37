// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints tables as text (print.h), flat and as hierarchies. Widths, padding and wording are those
 * of perf 7.2, except with print_options.screen: then columns are as wide as their cells, and the
 * widest ones shrink until a line fits the terminal.
 */
#include "report/print/print.h"

#include "base/strbuf.h"
#include "base/memory.h"
#include "report/key/keys.h"
#include "report/text.h"

#define HIERARCHY_INDENT 3

struct table_printer {
	const struct table *table;
	const struct print_options *options;
	struct strbuf *buffer;
	struct cell_format format;
	unsigned int widths[LAYOUT_KEYS_MAX]; /* for each of layout->columns */
	unsigned int
		cells[LAYOUT_KEYS_MAX]; /* on a screen: of its widest cell, without the heading */
};

/* ---- cells ---- */

/* Appends a cell in its full width and then shortens it to max_name columns. */
static void add_shortened(struct table_printer *printer, const struct row_view *view,
			  const struct key *key)
{
	struct strbuf *buffer = printer->buffer;
	size_t start = buffer->length, limit = printer->options->max_name;
	unsigned int wanted = key->width ? key->width(key, view, &printer->format) : 0;

	raise_to(printer->format.width, wanted);
	key->cell(key, view, &printer->format, buffer);
	strbuf_trim(buffer, start);
	text_shorten(buffer, start, limit);
}

/* Appends a cell without the blanks around it, in as many columns as it wants. */
static void add_natural(struct table_printer *printer, const struct row_view *view,
			const struct key *key)
{
	struct strbuf *buffer = printer->buffer;
	size_t start = buffer->length, blanks;

	printer->format.width = key->width ? key->width(key, view, &printer->format) : 0;
	key->cell(key, view, &printer->format, buffer);
	strbuf_trim(buffer, start);
	blanks = strspn(buffer->data + start, " ");
	memmove(buffer->data + start, buffer->data + start + blanks,
		buffer->length - start - blanks + 1);
	buffer->length -= blanks;
}

/* Appends a cell of an attribute for a screen, in at most `width` columns. */
static void add_fitted(struct table_printer *printer, const struct row_view *view,
		       const struct key *key, unsigned int width)
{
	struct strbuf *buffer = printer->buffer;
	size_t start = buffer->length, natural;

	add_natural(printer, view, key);
	natural = text_columns(buffer->data + start, buffer->length - start);
	if (natural > width) {
		text_shorten_name(buffer, start, width, printer->options->ellipsis);
	}
}

/* Returns whether the type is in a column, or a level, before this one. */
static bool follows_type(const struct table_printer *printer, const struct key *key)
{
	const struct key_list *columns = &printer->table->layout->columns;

	for (size_t i = 0;
	     printer->options->screen && i < columns->count && columns->keys[i] != key; i++)
		if (columns->keys[i] == &key_type)
			return true;
	return false;
}

/* Appends a cell, padded if `pad`, with dots for separators. Returns its start. */
static size_t print_cell(struct table_printer *printer, uint32_t row, const struct key *key,
			 unsigned int width, bool pad)
{
	struct strbuf *buffer = printer->buffer;
	size_t start = buffer->length;
	struct row_view view = table_view(printer->table, row);
	const char *separator = printer->options->separator;

	printer->format.width = width;
	printer->format.type_shown = follows_type(printer, key);
	if (key->identity && printer->options->screen)
		add_fitted(printer, &view, key, width);
	else if (key->identity && printer->options->max_name)
		add_shortened(printer, &view, key);
	else
		key->cell(key, &view, &printer->format, buffer);
	if (key->identity)
		make_printable(buffer->data + start, buffer->length - start);
	if (separator)
		for (char *found = buffer->data + start; (found = strchr(found, separator[0]));)
			*found = '.';

	size_t written = text_visible_columns(buffer->data + start, buffer->length - start);

	if (pad && written < width)
		strbuf_add_repeated(buffer, ' ', width - written);
	return start;
}

/* Appends what precedes a cell: -t's separator but for the first, or `plain`. */
static void print_separator(const struct table_printer *printer, bool first, const char *plain)
{
	const char *separator = printer->options->separator;

	if (!separator)
		strbuf_add_string(printer->buffer, plain);
	else if (!first)
		strbuf_add_string(printer->buffer, separator);
}

static void print_row_callgraph(const struct table_printer *printer, uint32_t row)
{
	const struct table *table = printer->table;
	size_t index = (size_t)row * table->event_count;
	const struct key *first = table->layout->callgraph_root;

	if (!table->callgraph || !printer->options->callgraph)
		return;
	print_callgraph(
		table->callgraph, table->rows[row].last_chain,
		&(struct callgraph_print){
			.total = table->totals[0],
			.row_total = table->children ? table->children[index]
						     : table->figures[index].period,
			.skip = first == &key_symbol ? table->rows[row].result.place : NULL,
			.colour = printer->options->colour,
			.max_name = printer->options->max_name,
			.line_width = printer->options->screen ? printer->options->line_width : 0,
			.ellipsis = printer->options->ellipsis,
			.separator = printer->options->separator },
		printer->buffer);
}

static void add_class_names(const struct table_printer *printer, const struct breakdown *breakdown)
{
	for (unsigned int i = 0; i < breakdown->count; i++)
		if (breakdown_shows(breakdown, i, printer->table->more,
				    printer->table->event_count))
			strbuf_add_format(printer->buffer, "%*s", BREAKDOWN_WIDTH,
					  breakdown->names[i]);
}

static void print_column_heading(const struct table_printer *printer, const struct key *key,
				 unsigned int width)
{
	if (key->breakdown) {
		add_class_names(printer, key->breakdown);
		return;
	}
	const char *text = layout_header(printer->table->layout, key);
	int length = (int)width;

	/* no first letter of a word alone */
	if (printer->options->screen && width > 2 && strlen(text) > width && text[width - 2] == ' ')
		length -= 2;
	strbuf_add_format(printer->buffer, key->identity ? "%-*.*s" : "%*.*s", (int)width, length,
			  text);
}

/* ---- hierarchies ---- */

static unsigned int key_width(const struct table_printer *printer, const struct key *key)
{
	const struct key_list *columns = &printer->table->layout->columns;

	for (size_t i = 0; i < columns->count; i++)
		if (columns->keys[i] == key)
			return printer->widths[i];
	return 0;
}

static size_t level_indent(const struct table_printer *printer)
{
	return (printer->table->layout->level_count - 1) * HIERARCHY_INDENT;
}

/* Appends "Command+Shared Object / Symbol". Returns its or the widest level's width. */
static size_t add_level_headings(const struct table_printer *printer)
{
	const struct layout *layout = printer->table->layout;
	size_t start = printer->buffer->length, widest = 0;

	array_indexed (const struct key_list, keys, level, layout->levels, layout->level_count) {
		size_t width = level * HIERARCHY_INDENT + keys->count - 1; /* with the plus signs */

		if (level)
			strbuf_add_string(printer->buffer, " / ");
		for (size_t i = 0; i < keys->count; i++) {
			const char *header = keys->keys[i]->header;

			if (i)
				strbuf_add_char(printer->buffer, '+');
			strbuf_add_string(printer->buffer, header + strspn(header, " "));
			width += key_width(printer, keys->keys[i]);
		}
		raise_to(widest, width);
	}

	size_t written = printer->buffer->length - start;

	return written > widest ? written : widest;
}

/* Ends a line of cells; on a screen without the blanks that empty cells leave. */
static void print_end_row(const struct table_printer *printer)
{
	struct strbuf *buffer = printer->buffer;

	if (printer->options->screen)
		strbuf_trim(buffer, 0);
	strbuf_add_char(buffer, '\n');
}

#define FLUSH_BYTES (256 * 1024)

/* Hands over what is printed, after a row, if it is much. */
static void flush_rows(const struct table_printer *printer)
{
	if (printer->options->flush && printer->buffer->length >= FLUSH_BYTES)
		printer->options->flush(printer->buffer);
}

/* Begins a line of headings: with "# ", or in bold letters on a screen. */
static void begin_heading(const struct table_printer *printer)
{
	if (!printer->options->screen)
		strbuf_add_string(printer->buffer, "# ");
	else if (printer->options->colour)
		strbuf_add_string(printer->buffer, "\033[1m");
}

static void end_heading(const struct table_printer *printer)
{
	print_end_row(printer);
	if (!printer->options->screen || !printer->options->colour)
		return;
	printer->buffer->length--;
	strbuf_add_string(printer->buffer, COLOUR_RESET "\n");
}

static void print_hierarchy_headings(const struct table_printer *printer)
{
	const struct key_list *columns = &printer->table->layout->columns;
	struct strbuf *buffer = printer->buffer;
	size_t indent = printer->options->separator ? 0 : level_indent(printer);
	bool first = true;

	begin_heading(printer);
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

	end_heading(printer);
	if (printer->options->screen)
		return;
	strbuf_add_string(buffer, "# ");
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

static void add_level_cells(struct table_printer *printer, uint32_t row,
			    const struct key_list *keys)
{
	struct strbuf *buffer = printer->buffer;

	for (size_t i = 0; i < keys->count; i++) {
		if (i)
			print_separator(printer, false, "  ");

		size_t start =
			print_cell(printer, row, keys->keys[i], key_width(printer, keys->keys[i]),
				   printer->options->screen && i + 1 < keys->count);
		size_t blanks = strspn(buffer->data + start, " ");

		/* In a hierarchy numbers are left-aligned. */
		memmove(buffer->data + start, buffer->data + start + blanks,
			buffer->length - start - blanks + 1);
		buffer->length -= blanks;
	}
}

static void print_hierarchy_row(struct table_printer *printer, uint32_t row)
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
	print_end_row(printer);
	print_row_callgraph(printer, row);
}

/* Prints a line for a row whose children are all below the limit. */
static void print_no_entry(struct table_printer *printer, size_t level)
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

/* Returns whether --max-rows allows no row in addition to `rows`. */
static bool is_full(const struct table_printer *printer, uint64_t rows)
{
	return printer->options->max_rows && rows >= printer->options->max_rows;
}

/* Returns whether a row of the last level tells a screen's reader nothing new: it is an offset in
 * something that has no type, as its parent says. */
static bool is_repetition(const struct table_printer *printer, uint32_t row)
{
	const struct table *table = printer->table;
	const struct table_row *child = &table->rows[row];
	const struct key_list *keys = &table->layout->levels[child->level];

	return printer->options->screen && child->level && !child->child_count &&
	       !child->result.place->typed && keys->count == 1 &&
	       (keys->keys[0] == &key_typeoff || keys->keys[0] == &key_typecln) &&
	       follows_type(printer, keys->keys[0]);
}

/* Recursion is bounded by the number of levels, at most LAYOUT_KEYS_MAX. */
static void print_children(struct table_printer *printer, uint32_t parent)
{
	const struct table *table = printer->table;
	const struct table_row *row = &table->rows[parent];
	uint64_t printed = 0;
	bool any = false;

	for (uint32_t i = 0; i < row->child_count && !is_full(printer, printed); i++) {
		uint32_t child = table->sorted[row->first_child + i];

		if (!table_is_shown(table, child, printer->options->percent_limit))
			continue;
		any = true;
		printed++;
		if (is_repetition(printer, child))
			continue;
		print_hierarchy_row(printer, child);
		flush_rows(printer);
		print_children(printer, child);
	}
	if (!any && row->child_count && parent != ROW_ROOT)
		print_no_entry(printer, row->level + 1);
}

static void print_hierarchy(struct table_printer *printer)
{
	if (!printer->options->quiet)
		print_hierarchy_headings(printer);
	print_children(printer, ROW_ROOT);
}

/* ---- flat tables, headings ---- */

static unsigned int breakdown_width(const struct table_printer *printer,
				    const struct breakdown *breakdown)
{
	return BREAKDOWN_WIDTH *
	       sum_over(unsigned int, i, 0, breakdown->count,
			breakdown_shows(breakdown, (unsigned int)i, printer->table->more,
					printer->table->event_count));
}

static unsigned int column_width(const struct table_printer *printer, size_t column)
{
	const struct table *table = printer->table;
	const struct key_list *columns = &table->layout->columns;
	const struct key *key = columns->keys[column];
	unsigned int chosen = columns->widths[column],
		     width = strlen(layout_header(table->layout, key));

	if (key->breakdown)
		return breakdown_width(printer, key->breakdown);
	if (!key->identity) {
		raise_to(width, key->event_width * table->event_count);
		return chosen > width || (chosen && table->event_count == 1) ? chosen : width;
	}
	if (chosen)
		return chosen;
	for (uint32_t row = 1; key->width && !printer->options->screen && row < table->row_count;
	     row++) {
		struct row_view view = table_view(table, row);
		unsigned int wanted = key->width(key, &view, &printer->format);

		if (printer->options->max_name && wanted > printer->options->max_name)
			wanted = printer->options->max_name;
		raise_to(width, wanted);
	}
	return width;
}

/* ---- widths on a screen ---- */

#define LEAST_WIDTH   4 /* of a column that shrinks */
#define LEAST_HEADING 8 /* columns of a heading that stay if its cells are narrower */

/* Sets each attribute's width to that of its widest cell. */
static void print_measure(struct table_printer *printer)
{
	const struct table *table = printer->table;
	const struct key_list *columns = &table->layout->columns;
	_cleanup_strbuf_ struct strbuf cell = STRBUF_INIT;
	struct strbuf *buffer = printer->buffer;

	// cppcheck-suppress autoVariables ; it is restored below
	printer->buffer = &cell;
	for (size_t i = 0; i < columns->count; i++) {
		const struct key *key = columns->keys[i];

		printer->format.type_shown = follows_type(printer, key);
		for (uint32_t row = 1;
		     key->identity && !columns->widths[i] && row < table->row_count; row++) {
			struct row_view view = table_view(table, row);

			if (!table_is_shown(table, row, printer->options->percent_limit))
				continue;
			strbuf_reset(&cell);
			add_natural(printer, &view, key);

			size_t width = text_columns(cell.data, cell.length);

			if (printer->options->max_name && width > printer->options->max_name)
				width = printer->options->max_name;
			if (width > printer->cells[i])
				printer->cells[i] = (unsigned int)width;
		}
	}
	for (size_t i = 0; i < columns->count; i++)
		raise_to(printer->widths[i], printer->cells[i]);
	printer->buffer = buffer;
}

/* Returns whether the column shrinks: figures do not, nor columns of a chosen width. */
static bool shrinks(const struct table_printer *printer, size_t column)
{
	const struct key_list *columns = &printer->table->layout->columns;

	return columns->keys[column]->identity && !columns->widths[column];
}

/* True if the column is wider than its cells, because of its heading, and may be narrower. */
static bool has_wide_heading(const struct table_printer *printer, size_t column)
{
	unsigned int least =
		printer->cells[column] > LEAST_HEADING ? printer->cells[column] : LEAST_HEADING;

	return shrinks(printer, column) && printer->widths[column] > least;
}

/* Shrinks those of `list`'s columns that only their headings make wide, then the widest, until all
 * of them have at most `available` columns of the terminal together. */
static void print_fit(struct table_printer *printer, const struct key_list *list, size_t available)
{
	const struct key_list *columns = &printer->table->layout->columns;
	size_t members[LAYOUT_KEYS_MAX], count = 0, total = 0;
	unsigned int limit = 0;
	bool wide = true;

	for (size_t i = 0; i < columns->count; i++)
		for (size_t j = 0; j < list->count; j++)
			if (columns->keys[i] == list->keys[j]) {
				members[count++] = i;
				total += printer->widths[i];
			}
	while (total > available && wide) {
		wide = false;
		for (size_t i = 0; i < count && total > available; i++)
			if (has_wide_heading(printer, members[i])) {
				printer->widths[members[i]]--;
				total--;
				wide = true;
			}
	}
	for (size_t i = 0; i < count; i++)
		if (shrinks(printer, members[i]) && printer->widths[members[i]] > limit)
			limit = printer->widths[members[i]];
	for (; total > available && limit > LEAST_WIDTH; limit--)
		for (size_t i = 0; i < count; i++)
			if (shrinks(printer, members[i]) && printer->widths[members[i]] == limit) {
				printer->widths[members[i]]--;
				total--;
			}
}

static void fit_widths(struct table_printer *printer)
{
	const struct layout *layout = printer->table->layout;
	size_t width = printer->options->line_width, figures = 0;

	print_measure(printer);
	if (!width)
		return;
	if (!layout->level_count) {
		size_t gaps = 2 * (layout->columns.count - 1);

		print_fit(printer, &layout->columns, width > gaps ? width - gaps : 0);
		return;
	}
	for (size_t i = 0; i < layout->columns.count; i++)
		if (!layout->columns.keys[i]->identity)
			figures += printer->widths[i] + 2;
	for (size_t level = 0; level < layout->level_count; level++) {
		size_t taken = level * HIERARCHY_INDENT + figures +
			       2 * layout->levels[level].count +
			       (layout->level_count - 1) * HIERARCHY_INDENT;

		print_fit(printer, &layout->levels[level], width > taken ? width - taken : 0);
	}
}

/* Appends "---------- Snoop -----------", or the title alone where room is short. */
static void print_add_title(struct strbuf *buffer, const char *title, unsigned int width)
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

/* Prints a line above the headings with the titles of breakdowns. */
static void print_titles(const struct table_printer *printer)
{
	const struct key_list *columns = &printer->table->layout->columns;

	strbuf_add_string(printer->buffer, printer->options->screen ? "" : "# ");
	for (size_t i = 0; i < columns->count; i++) {
		if (i)
			print_separator(printer, false, "  ");
		if (columns->keys[i]->breakdown)
			print_add_title(printer->buffer, columns->keys[i]->breakdown->title,
					printer->widths[i]);
		else
			strbuf_add_repeated(printer->buffer, ' ', printer->widths[i]);
	}
	strbuf_add_char(printer->buffer, '\n');
}

static void print_flat_headings(const struct table_printer *printer)
{
	const struct key_list *columns = &printer->table->layout->columns;

	if (any_of(i, 0, columns->count, columns->keys[i]->breakdown))
		print_titles(printer);
	begin_heading(printer);
	for (size_t i = 0; i < columns->count; i++) {
		if (i)
			print_separator(printer, false, "  ");
		print_column_heading(printer, columns->keys[i], printer->widths[i]);
	}
	end_heading(printer);
	if (printer->options->separator || printer->options->screen)
		return;
	strbuf_add_string(printer->buffer, "# ");
	for (size_t i = 0; i < columns->count; i++) {
		if (i)
			strbuf_add_string(printer->buffer, "  ");
		strbuf_add_repeated(printer->buffer, '.', printer->widths[i]);
	}
	strbuf_add_string(printer->buffer, "\n#\n");
}

static void print_flat(struct table_printer *printer)
{
	const struct table *table = printer->table;
	const struct table_row *root = &table->rows[ROW_ROOT];
	const struct key_list *columns = &table->layout->columns;
	uint64_t printed = 0;

	if (!printer->options->quiet)
		print_flat_headings(printer);
	for (uint32_t i = 0; i < root->child_count && !is_full(printer, printed); i++) {
		uint32_t row = table->sorted[root->first_child + i];

		if (!table_is_shown(table, row, printer->options->percent_limit))
			continue;
		printed++;
		for (size_t column = 0; column < columns->count; column++) {
			print_separator(printer, column == 0,
					column || !printer->options->screen ? "  " : "");
			print_cell(printer, row, columns->keys[column], printer->widths[column],
				   column + 1 < columns->count);
		}
		print_end_row(printer);
		print_row_callgraph(printer, row);
		flush_rows(printer);
	}
}

void print_table(const struct table *table, const struct print_options *options,
		 struct strbuf *buffer)
{
	struct table_printer printer = { .table = table, .options = options, .buffer = buffer };

	printer.format = (struct cell_format){ .separated = options->separator,
					       .hexadecimal = options->hexadecimal,
					       .nanoseconds = options->nanoseconds,
					       .verbose = options->verbose,
					       .colour = options->colour,
					       .totals = table->totals,
					       .more_totals = table->more };
	for (size_t i = 0; i < table->layout->columns.count; i++)
		printer.widths[i] = column_width(&printer, i);
	if (options->screen)
		fit_widths(&printer);
	if (!table->layout->level_count) {
		print_flat(&printer);
		return;
	}
	print_hierarchy(&printer);
}

/* Shortens 25123 to 25 and 'K'. As in perf, exactly 1000 stays as it is. */
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
	strbuf_add_string(buffer, "#\n");
}

/* Appends the shares of samples with code, of accesses among these, and of types among these. If
 * the line would be wider than the screen, with a name of `name` columns before it, only the last
 * one, so that the name of the event stays. */
static void add_coverage(const struct coverage *coverage, size_t name, size_t width,
			 struct strbuf *buffer)
{
	double typed = percent_of(coverage->typed, coverage->accesses);
	size_t end = buffer->length;

	strbuf_add_format(buffer, ", with code %.1f%%, accesses %.1f%%, typed %.1f%%",
			  percent_of(coverage->with_code, coverage->samples),
			  percent_of(coverage->accesses, coverage->with_code), typed);
	if (!width || name + text_columns(buffer->data, buffer->length) <= width)
		return;
	strbuf_truncate(buffer, end);
	strbuf_add_format(buffer, ", accesses typed %.1f%%", typed);
}

void print_screen_heading(const struct table *table, const struct table_heading *heading,
			  const struct print_options *options, struct strbuf *buffer)
{
	const struct coverage *coverage = heading->coverage;
	_cleanup_strbuf_ struct strbuf rest = STRBUF_INIT;
	size_t start = buffer->length, width = options->line_width;

	strbuf_add_string(&rest, ": ");
	text_add_grouped(&rest, table->total_samples);
	strbuf_add_format(&rest, " sample%s", table->total_samples == 1 ? "" : "s");
	strbuf_add_string(&rest, heading->chosen ?: "");
	if (heading->time)
		strbuf_add_format(&rest, ", time %s", heading->time);
	if (heading->weighing)
		strbuf_add_format(&rest, ", by %s", heading->weighing);
	strbuf_add_string(buffer, heading->event);
	if (coverage)
		add_coverage(coverage, text_columns(buffer->data + start, buffer->length - start),
			     width, &rest);

	size_t taken = text_columns(rest.data, rest.length);

	if (width)
		text_shorten_name(buffer, start,
				  width > taken + LEAST_WIDTH ? width - taken : LEAST_WIDTH,
				  options->ellipsis);
	strbuf_add(buffer, rest.data, rest.length);
	if (width)
		text_shorten_name(buffer, start, width, options->ellipsis);
	strbuf_end_line(buffer, start);
}

/* ---- how many samples have a type ---- */

/* Counts samples for a reason, of which there is room for more than exist. */
static void add_reason(struct coverage *coverage, const char *text, uint64_t samples)
{
	size_t i = 0;

	while (i < coverage->reason_count && coverage->reasons[i].text != text)
		i++;
	if (i == COVERAGE_REASONS_MAX)
		i--;
	else if (i == coverage->reason_count)
		coverage->reasons[coverage->reason_count++].text = text;
	coverage->reasons[i].samples += samples;
}

void coverage_add(struct coverage *coverage, const struct result *result)
{
	coverage->samples += result->samples;
	if (result->data_known)
		*(result->data_computed ? &coverage->computed : &coverage->recorded) +=
			result->samples;
	if (result->place->charged)
		coverage->charged += result->samples;
	if (result->place->interrupts_off)
		coverage->held_back += result->samples;
	if (result->place->no_code)
		return;
	coverage->with_code += result->samples;
	if (result->place->no_memory)
		return;
	coverage->accesses += result->samples;
	if (result->place->typed)
		coverage->typed += result->samples;
	else
		add_reason(coverage, result->place->how, result->samples);
}

void coverage_sort(struct coverage *coverage)
{
	for (size_t i = 1; i < coverage->reason_count; i++)
		for (size_t j = i;
		     j && (coverage->reasons[j - 1].samples < coverage->reasons[j].samples ||
			   (coverage->reasons[j - 1].samples == coverage->reasons[j].samples &&
			    strcmp(coverage->reasons[j - 1].text, coverage->reasons[j].text) > 0));
		     j--) {
			__typeof__(*coverage->reasons) other = coverage->reasons[j];

			coverage->reasons[j] = coverage->reasons[j - 1];
			coverage->reasons[j - 1] = other;
		}
}

const char *coverage_reason(const struct coverage *coverage, size_t reason, size_t *length)
{
	const char *text = coverage->reasons[reason].text;

	*length = strlen(text);
	if (*length < 2 || text[0] != '(' || text[*length - 1] != ')')
		return text;
	*length -= 2;
	return text + 1;
}

void print_charges(const struct coverage *coverage, struct strbuf *buffer)
{
	if (coverage->charged)
		strbuf_add_format(buffer,
				  "# %.1f%% of the samples were charged to the access that the "
				  "sampled instruction waited for\n",
				  percent_of(coverage->charged, coverage->samples));
	if (coverage->held_back)
		strbuf_add_format(buffer,
				  "# %.1f%% of the samples were held back while interrupts were "
				  "off: they belong to no access\n",
				  percent_of(coverage->held_back, coverage->samples));
	if (coverage->charged || coverage->held_back)
		strbuf_add_string(buffer, "#\n");
}

void print_address_coverage(const struct coverage *coverage, struct strbuf *buffer)
{
	if (coverage->computed || coverage->recorded)
		strbuf_add_format(buffer,
				  "# Data addresses: %" PRIu64 " recorded, %" PRIu64
				  " computed from registers\n#\n",
				  coverage->recorded, coverage->computed);
}

void print_coverage(const struct coverage *coverage, struct strbuf *buffer)
{
	strbuf_add_format(buffer,
			  "# Samples: %" PRIu64 ", of which with code: %" PRIu64
			  " (%.1f%%), of which memory accesses: %" PRIu64
			  " (%.1f%%), of which with a type: %" PRIu64 " (%.1f%%)\n",
			  coverage->samples, coverage->with_code,
			  percent_of(coverage->with_code, coverage->samples), coverage->accesses,
			  percent_of(coverage->accesses, coverage->with_code), coverage->typed,
			  percent_of(coverage->typed, coverage->accesses));
	for (size_t i = 0; i < coverage->reason_count; i++) {
		size_t length;
		const char *text = coverage_reason(coverage, i, &length);

		strbuf_add_format(buffer, "# %11" PRIu64 " (%4.1f%%)  %.*s\n",
				  coverage->reasons[i].samples,
				  percent_of(coverage->reasons[i].samples, coverage->accesses),
				  (int)length, text);
	}
	strbuf_add_string(buffer, "#\n");
}
