// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of the browser: which rows are seen, in which order, and their lines of text. */
#include "report/browse/view.h"

#include "base/text.h"
#include "report/text.h"

#define INDENT         2  /* columns for each level of members */
#define TEXT_WIDTH_MIN 12 /* columns of a flexible column */
#define NATURAL_MIN    80 /* columns of a view that is written to a file */
#define NATURAL_MAX    4000

const char *const browse_weight_names[BROWSE_WEIGHTS] = { "period", "samples", "latency", "loads",
							  "stores" };

/* ---- rows ---- */

struct browse_row *browse_add_row(struct browse_view *view, enum browse_row_kind kind)
{
	struct browse_row *row;

	row = &array_add(view->rows, view->row_count, view->row_capacity);
	*row = (struct browse_row){ .kind = kind };
	for (size_t i = 0; i < BROWSE_COLUMNS_MAX; i++)
		row->cells[i].number = -1;
	return row;
}

void browse_add_column(struct browse_view *view, const char *name, enum browse_cell_kind kind,
		       unsigned int width, unsigned int weight, unsigned int from, bool cut_end)
{
	if (view->column_count < BROWSE_COLUMNS_MAX)
		view->columns[view->column_count++] =
			(struct browse_column){ name, kind, width, weight, from, cut_end };
}

void browse_view_empty(struct browse_view *view)
{
	free_all(view->title, view->facts, view->rows, view->groups, view->fields, view->insns,
		 view->shown);
	arena_deinit(&view->texts);
	view->title = view->facts = NULL;
	view->rows = NULL;
	view->groups = NULL;
	view->fields = NULL;
	view->insns = NULL;
	view->shown = NULL;
	view->row_count = view->row_capacity = view->item_count = view->item_capacity =
		view->shown_count = 0;
	view->column_count = 0;
}

void browse_view_deinit(struct browse_view *view)
{
	browse_view_empty(view);
	free_all(view->filter, view->search);
	*view = (struct browse_view){ 0 };
}

struct browse_row *browse_row_at(const struct browse_view *view, size_t index)
{
	return index < view->shown_count ? &view->rows[view->shown[index]] : NULL;
}

/* ---- which rows are seen ---- */

static bool has_text(const struct browse_view *view, const struct browse_row *row, const char *text)
{
	for (uint32_t i = 0; i < BROWSE_COLUMNS_MAX; i++) {
		bool is_text = row->kind != ROW_ITEM ? !i : view->columns[i].kind == CELL_TEXT;

		if (is_text && row->cells[i].text && strcasestr(row->cells[i].text, text))
			return true;
	}
	return false;
}

static bool is_seen(const struct browse_view *view, const struct browse_row *row)
{
	if (view->no_source && row->kind == ROW_SOURCE)
		return false;
	/* members are nested, so other orders show only members without members of their own */
	if (view->kind == VIEW_LAYOUT && view->sorted != NO_COLUMN &&
	    (row->kind != ROW_ITEM || row->opens))
		return false;
	/* a call graph is seen with its group */
	if (row->caller)
		row = &view->rows[row->group_row];
	return !view->filter || (row->kind == ROW_ITEM && has_text(view, row, view->filter));
}

struct order {
	const struct browse_view *view;
	uint32_t column;
};

static int view_compare_rows(const void *left, const void *right, void *data)
{
	const struct order *order = data;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	const struct browse_row *rows = order->view->rows;
	/* rows of call graphs stay with their groups, in the order in which they were made */
	bool table = order->view->kind <= VIEW_USERS;
	const struct browse_cell *x = &rows[table ? rows[a].group_row : a].cells[order->column];
	const struct browse_cell *y = &rows[table ? rows[b].group_row : b].cells[order->column];
	int sign = order->view->ascending ? 1 : -1, result;

	if (table && rows[a].group_row == rows[b].group_row)
		return (a > b) - (a < b);

	if (order->view->columns[order->column].kind == CELL_TEXT)
		result = strcmp(x->text ?: "", y->text ?: "");
	else
		result = (x->number > y->number) - (x->number < y->number);
	/* equal rows keep the order in which they were made, which is that of the weight */
	return result ? sign * result : (a > b) - (a < b);
}

void browse_move_to(struct browse_view *view, size_t row)
{
	size_t best = 0, distance = SIZE_MAX;

	for (size_t i = 0; i < view->shown_count; i++) {
		size_t other = view->shown[i], away = other > row ? other - row : row - other;

		if (away < distance) {
			best = i;
			distance = away;
		}
	}
	view->cursor = best;
}

void browse_arrange(struct browse_view *view)
{
	bool had = view->cursor < view->shown_count;
	size_t row = had ? view->shown[view->cursor] : view->cursor;
	uint32_t folded_depth = UINT32_MAX;

	free(view->shown);
	view->shown = xcalloc(view->row_count + 1, sizeof(*view->shown));
	view->shown_count = 0;
	array_indexed (const struct browse_row, each, i, view->rows, view->row_count) {
		bool flat =
			view->kind == VIEW_LAYOUT && (view->sorted != NO_COLUMN || view->filter);

		if (each->depth <= folded_depth)
			folded_depth = UINT32_MAX;
		if (each->depth > folded_depth && !flat)
			continue;
		if (is_seen(view, each))
			view->shown[view->shown_count++] = (uint32_t)i;
		if (each->folded && folded_depth == UINT32_MAX)
			folded_depth = each->depth;
	}
	if (view->sorted != NO_COLUMN && view->sorted < view->column_count && view->shown_count)
		qsort_r(view->shown, view->shown_count, sizeof(*view->shown), view_compare_rows,
			&(struct order){ view, view->sorted });
	/* a list in a new order is shown from its top */
	if (browse_is_table(view) && !had)
		view->cursor = row < view->shown_count ? row
			       : view->shown_count     ? view->shown_count - 1
						       : 0;
	else
		browse_move_to(view, row);
}

/* ---- the cursor, folds and marks ---- */

void browse_move(struct browse_view *view, int64_t by)
{
	int64_t to = (int64_t)view->cursor + by, last = (int64_t)view->shown_count - 1;

	view->cursor = to < 0 || last < 0 ? 0 : to > last ? (size_t)last : (size_t)to;
}

void browse_reverse_order(struct browse_view *view)
{
	if (!browse_is_table(view) && view->kind != VIEW_LAYOUT)
		return;
	if (view->sorted == NO_COLUMN)
		view->sorted = 0;
	view->ascending = !view->ascending;
	browse_arrange(view);
	view->cursor = 0;
}

size_t browse_rows_below(const struct browse_view *view, size_t row)
{
	size_t end = row + 1;

	while (end < view->row_count && view->rows[end].depth > view->rows[row].depth)
		end++;
	return end;
}

void browse_fold(struct browse_view *view)
{
	size_t i = view->cursor < view->shown_count ? view->shown[view->cursor] : 0;

	if (view->kind != VIEW_LAYOUT || view->sorted != NO_COLUMN || !view->row_count)
		return;
	for (uint32_t depth = view->rows[i].depth; i && !view->rows[i].opens; i--)
		if (view->rows[i - 1].opens && view->rows[i - 1].depth < depth) {
			i--;
			break;
		}
	if (!view->rows[i].opens)
		return;
	view->rows[i].folded = !view->rows[i].folded;
	browse_arrange(view);
	browse_move_to(view, i);
}

bool browse_matches(const struct browse_view *view, size_t index)
{
	const struct browse_row *row = browse_row_at(view, index);

	return any_of(i, 0, BROWSE_COLUMNS_MAX,
		      row->cells[i].text && strcasestr(row->cells[i].text, view->search));
}

size_t browse_next_hottest(const struct browse_view *view, size_t row, int step)
{
	double now = -1, best = step > 0 ? -1 : 1e9;
	size_t found = SIZE_MAX;

	if (view->rows[row].kind == ROW_ITEM)
		now = view->insns[view->rows[row].item].weight;
	if (now <= 0)
		now = step > 0 ? 1e9 : 0;
	for (size_t i = 0; i < view->row_count; i++) {
		double weight = view->rows[i].kind == ROW_ITEM
					? view->insns[view->rows[i].item].weight
					: -1;
		bool after = step > 0 ? weight < now || (weight == now && i > row)
				      : weight > now || (weight == now && i < row);
		bool nearer = step > 0 ? weight > best : weight <= best;

		if (weight <= 0 || i == row || !after || !nearer)
			continue;
		best = weight;
		found = i;
	}
	return found;
}

void browse_toggle_source(struct browse_view *view)
{
	view->no_source = !view->no_source;
	browse_arrange(view);
}

/* ---- widths ---- */

static bool is_flexible(const struct browse_column *column)
{
	return column->kind == CELL_TEXT && !column->width;
}

static bool is_visible(const struct browse_column *column, const struct browse_screen *screen)
{
	return screen->columns >= column->from;
}

/* Sets the width of each column; 0: it is not shown. */
static void column_widths(const struct browse_view *view, const struct browse_screen *screen,
			  unsigned int widths[BROWSE_COLUMNS_MAX])
{
	unsigned int used = 0, parts = 0, left;

	array_indexed (const struct browse_column, column, i, view->columns, view->column_count) {
		widths[i] = is_visible(column, screen) ? column->width : 0;
		used += widths[i] ? widths[i] + 1 : 0;
		if (is_flexible(column) && is_visible(column, screen)) {
			parts += column->weight;
			used++;
		}
	}
	left = screen->columns > used ? screen->columns - used : 0;
	for (uint32_t i = 0; i < view->column_count; i++)
		if (is_flexible(&view->columns[i]) && is_visible(&view->columns[i], screen)) {
			widths[i] = left * view->columns[i].weight / (parts ?: 1);
			widths[i] = widths[i] < TEXT_WIDTH_MIN ? TEXT_WIDTH_MIN : widths[i];
		}
}

static size_t indent_of(const struct browse_view *view, const struct browse_row *row)
{
	bool tree =
		view->kind == VIEW_LAYOUT ? view->sorted == NO_COLUMN : row->caller || row->opens;

	return tree ? (size_t)row->depth * INDENT + INDENT : 0;
}

unsigned int browse_natural_width(const struct browse_view *view)
{
	size_t width = NATURAL_MIN, widest = 0, fixed = 0, parts = 0, least = 0;

	for (uint32_t i = 0; i < view->column_count; i++) {
		fixed += view->columns[i].width + 1;
		if (!is_flexible(&view->columns[i]))
			continue;
		parts += view->columns[i].weight;
		least = least && least < view->columns[i].weight ? least : view->columns[i].weight;
		array_each (const struct browse_row, row, view->rows, view->row_count) {
			const char *text = row->kind == ROW_ITEM ? row->cells[i].text : NULL;
			size_t columns =
				text ? text_columns(text, strlen(text)) + indent_of(view, row) : 0;

			widest = columns > widest ? columns : widest;
		}
	}
	/* each flexible column gets at least what the widest text needs */
	if (least)
		width = fixed + widest * parts / least + parts;
	return (unsigned int)(width < NATURAL_MIN   ? NATURAL_MIN
			      : width > NATURAL_MAX ? NATURAL_MAX
						    : width);
}

/* ---- lines of text that is safe to show, in spans of styles ---- */

/* Appends `text` as it may be shown: one line, valid UTF-8 or ASCII, and no character that a
 * terminal acts on or that changes the direction of text. */
static void browse_printable(struct strbuf *buffer, const char *text, bool unicode)
{
	size_t length = strlen(text), size;

	for (size_t i = 0; i < length; i += size ?: 1) {
		size = utf8_sequence(text + i, length - i);

		/* nor separators of lines and paragraphs, and the byte order mark */
		uint32_t code = size ? utf8_code_point(text + i, size) : 0;
		bool shown = size && !utf8_is_control(text + i, size) && code != 0x2028 &&
			     code != 0x2029 && code != 0xfeff && (size == 1 || unicode);

		if (shown)
			strbuf_add(buffer, text + i, size);
		else
			strbuf_add_char(buffer, text[i] == '\t' ? ' ' : '?');
	}
}

static void begin_span(struct browse_line *line, enum browse_style style)
{
	size_t last = line->span_count - 1;

	if (line->span_count && line->spans[last].style == style)
		return;
	if (line->span_count < BROWSE_SPANS_MAX)
		line->spans[line->span_count++] = (struct browse_span){ line->text.length, style };
}

static void pad_line(struct browse_line *line, size_t taken, size_t columns)
{
	strbuf_add_repeated(&line->text, ' ', taken < columns ? columns - taken : 0);
}

/* Appends text as browse_line_add() does. With `cut_end` longer text loses its end. */
static void add_span(struct browse_line *line, const struct browse_screen *screen,
		     enum browse_style style, const char *text, unsigned int columns, bool cut_end)
{
	struct strbuf *buffer = &line->text;
	size_t start = buffer->length, length;

	begin_span(line, style);
	browse_printable(buffer, text, screen->unicode);
	if (!columns)
		return;
	length = buffer->length - start;
	if (!cut_end) {
		text_shorten_name(buffer, start, columns, screen->unicode ? "\u2026" : "..");
	} else if (text_columns(buffer->data + start, length) > columns) {
		buffer->length = start + text_fitting(buffer->data + start, length, columns - 1);
		strbuf_add_string(buffer, screen->unicode ? "\u2026" : ">");
	}
	pad_line(line, text_columns(buffer->data + start, buffer->length - start), columns);
}

void browse_line_add(struct browse_line *line, const struct browse_screen *screen,
		     enum browse_style style, const char *text, unsigned int columns)
{
	add_span(line, screen, style, text, columns, false);
}

static void add_right(struct browse_line *line, const struct browse_screen *screen,
		      enum browse_style style, const char *text, unsigned int columns)
{
	begin_span(line, style);
	pad_line(line, text_columns(text, strlen(text)), columns);
	browse_line_add(line, screen, style, text, 0);
}

void browse_heading_line(const struct browse_view *view, const struct browse_screen *screen,
			 struct browse_line *line)
{
	unsigned int widths[BROWSE_COLUMNS_MAX] = { 0 };

	column_widths(view, screen, widths);
	array_indexed (const struct browse_column, column, i, view->columns, view->column_count) {
		const char *mark = i != view->sorted                    ? ""
				   : view->ascending && screen->unicode ? "\u25b2"
				   : view->ascending                    ? "^"
				   : screen->unicode                    ? "\u25bc"
									: "v";
		_cleanup_free_ char *name = xasprintf("%s%s", column->name, mark);

		if (!widths[i])
			continue;
		if (column->kind == CELL_TEXT || column->kind == CELL_BAR)
			browse_line_add(line, screen, STYLE_HEADING, name, widths[i]);
		else
			add_right(line, screen, STYLE_HEADING, name, widths[i]);
		if (i + 1 < view->column_count)
			browse_line_add(line, screen, STYLE_HEADING, " ", 0);
	}
	browse_line_end(line, screen);
}

/* Appends a bar of `width` columns for a share in percent. */
static void bar_text(double share, unsigned int width, bool unicode, struct strbuf *text)
{
	static const char *const eighths[] = { "",       "\u258f", "\u258e", "\u258d",
					       "\u258c", "\u258b", "\u258a", "\u2589" };
	unsigned int parts = (unsigned int)(share < 0 ? 0 : share * width * 8 / 100 + 0.5);

	/* a part of a column for the smallest share that counts as warm */
	if (!parts && share >= 0.5)
		parts = 1;
	lower_to(parts, width * 8);
	for (unsigned int i = 0; i < parts / 8; i++)
		strbuf_add_string(text, unicode ? "\u2588" : "#");
	if (unicode)
		strbuf_add_string(text, eighths[parts % 8]);
	else if (parts % 8)
		strbuf_add_char(text, parts % 8 >= 4 ? '=' : '-');
}

static void cell_text(const struct browse_column *column, const struct browse_cell *cell,
		      bool unicode, struct strbuf *text)
{
	if (cell->number < 0)
		return;
	switch (column->kind) {
	case CELL_SHARE: strbuf_add_format(text, "%.2f%%", cell->number); break;
	case CELL_BAR: bar_text(cell->number, column->width, unicode, text); break;
	case CELL_COUNT:
		if (cell->number > 0)
			text_add_grouped(text, (uint64_t)cell->number);
		break;
	case CELL_OFFSET: strbuf_add_format(text, "%.0f", cell->number); break;
	case CELL_MEAN:
		if (cell->number > 0)
			strbuf_add_format(text, "%.1f", cell->number);
		break;
	case CELL_TEXT: break;
	}
}

static enum browse_style share_style(double share)
{
	return share >= 5 ? STYLE_HOT : share >= 0.5 ? STYLE_WARM : STYLE_PLAIN;
}

static enum browse_style text_style(const struct browse_view *view, const struct browse_row *row,
				    const struct browse_cell *cell)
{
	if (view->search && cell->text && strcasestr(cell->text, view->search))
		return STYLE_FOUND;
	return row->kind != ROW_ITEM ? STYLE_DIM : row->named ? STYLE_NAME : STYLE_PLAIN;
}

static void add_shifted(const struct browse_view *view, const struct browse_screen *screen,
			enum browse_style style, const char *text, unsigned int width, bool cut_end,
			struct browse_line *line)
{
	_cleanup_strbuf_ struct strbuf whole = STRBUF_INIT;

	if (view->shift) {
		browse_printable(&whole, text, screen->unicode);
		text = whole.data + text_fitting(whole.data, whole.length, view->shift);
	}
	add_span(line, screen, style, text, width, cut_end || view->shift);
}

static void add_text_cell(const struct browse_view *view, const struct browse_screen *screen,
			  const struct browse_row *row, uint32_t column, unsigned int width,
			  struct browse_line *line)
{
	const struct browse_cell *cell = &row->cells[column];
	unsigned int indent = (unsigned int)indent_of(view, row);
	/* the first text of a row shows its place in the tree */
	bool first = view->columns[column].weight > 1 &&
		     (!column || view->columns[column - 1].kind != CELL_TEXT);

	if (first && indent && indent + TEXT_WIDTH_MIN <= width) {
		browse_line_add(line, screen, STYLE_PLAIN, "", indent - INDENT);
		browse_line_add(line, screen, STYLE_PLAIN,
				row->opens ? row->folded ? "+" : "-" : "", INDENT);
		width -= indent;
	}
	add_shifted(view, screen, text_style(view, row, cell), cell->text ?: "", width,
		    view->columns[column].cut_end, line);
}

static void add_cell(const struct browse_view *view, const struct browse_screen *screen,
		     const struct browse_row *row, uint32_t column, unsigned int width,
		     struct browse_line *line)
{
	const struct browse_cell *cell = &row->cells[column];
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	cell_text(&view->columns[column], cell, screen->unicode, &text);
	switch (view->columns[column].kind) {
	case CELL_TEXT: add_text_cell(view, screen, row, column, width, line); break;
	case CELL_BAR:
		browse_line_add(line, screen, share_style(cell->number), text.data, width);
		break;
	case CELL_SHARE:
		add_right(line, screen, share_style(cell->number), text.data, width);
		break;
	default: add_right(line, screen, STYLE_PLAIN, text.data, width); break;
	}
}

void browse_row_line(const struct browse_view *view, const struct browse_screen *screen,
		     size_t index, struct browse_line *line)
{
	const struct browse_row *row = browse_row_at(view, index);
	unsigned int widths[BROWSE_COLUMNS_MAX] = { 0 }, before = 0, used = 0;

	line->selected = index == view->cursor;
	column_widths(view, screen, widths);
	for (uint32_t i = 0; i < view->column_count && !is_flexible(&view->columns[i]); i++)
		before += widths[i] ? widths[i] + 1 : 0;
	if (row->kind != ROW_ITEM) {
		browse_line_add(line, screen, STYLE_PLAIN, "",
				row->kind == ROW_SOURCE ? before : 0);
		used = row->kind == ROW_SOURCE ? before : 0;
		add_shifted(view, screen, text_style(view, row, &row->cells[0]), row->cells[0].text,
			    screen->columns > used ? screen->columns - used : 1, true, line);
	}
	for (uint32_t i = 0; i < view->column_count && row->kind == ROW_ITEM; i++) {
		if (!widths[i])
			continue;
		add_cell(view, screen, row, i, widths[i], line);
		browse_line_add(line, screen, STYLE_PLAIN, " ", 0);
	}
	browse_line_end(line, screen);
}

void browse_line_reset(struct browse_line *line)
{
	strbuf_reset(&line->text);
	line->span_count = 0;
	line->selected = false;
}

void browse_line_end(struct browse_line *line, const struct browse_screen *screen)
{
	strbuf_truncate(&line->text,
			text_fitting(line->text.data, line->text.length, screen->columns));
	while (line->span_count && line->spans[line->span_count - 1].start >= line->text.length)
		line->span_count--;
}
