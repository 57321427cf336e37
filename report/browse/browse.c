// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The browser's state: the stack of views, what keys do, and the lines of the screen.
 *
 * Enter puts a view on the stack and ESC takes it off. Each view has its own zoom, so what was
 * chosen for one view holds for those above it only. A view is filled when it is opened; after a
 * change of the event or the weight, the views below are filled again when they are shown.
 */
#include "report/browse/browse.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/type_name.h"
#include "report/browse/view.h"
#include "report/text.h"

#define VIEWS_MAX         64  /* deeper paths are cycles */
#define FRAME_ROWS        4   /* title, facts, headings, last line */
#define SHIFT_STEP        8   /* columns by which [ and ] move texts */
#define SAME_NAME_MAX     16  /* layouts of types that have one name in several objects */
#define CALLERS_SHARE_MIN 0.5 /* percent; E unfolds the callers of rows from here on */
#define INPUT_MAX         200 /* bytes of a filter or a search */

enum prompt { PROMPT_NONE, PROMPT_FILTER, PROMPT_SEARCH };

struct browser {
	const struct browse_source *source;
	struct browse_screen screen;
	enum browse_weight weight;
	struct browse_view views[VIEWS_MAX];
	size_t depth; /* number of views; at least 1 */
	enum prompt prompt;
	struct strbuf input, message, text;
	struct browse_line *lines;
	size_t line_count;
};

static struct browse_view *top_view(struct browser *browser)
{
	return &browser->views[browser->depth - 1];
}

void browser_message(struct browser *browser, const char *format, ...)
{
	va_list arguments;

	strbuf_reset(&browser->message);
	va_start(arguments, format);
	strbuf_add_vformat(&browser->message, format, arguments);
	va_end(arguments);
}

/* ---- help ---- */

/* The keys, those of perf's browsers where perf has them. */
static const struct {
	const char *key, *what;
} keys[] = {
	{ "Up, Down, PgUp, PgDn, Space, Home, End", "move" },
	{ "Enter, Right",
	  "open: the layout of a type, the functions that use a field, the code of a function, the "
	  "type that an instruction accesses, the target of a jump" },
	{ "ESC, Left", "go back; a filter is removed first" },
	{ "q, Ctrl-C", "leave the browser" },
	{ "TAB, Shift-TAB",
	  "next or previous event; in code, the next hottest instruction or the one before" },
	{ "1, 2, 3, 4, 5", "types, functions, threads, objects, shared cachelines" },
	{ "w", "weigh by periods, samples, latency, loads or stores" },
	{ "<, >", "sort by the column on the left or right" },
	{ "r", "reverse the order" },
	{ "/", "tables: show rows with a text only; layouts and code: search" },
	{ "n, N", "next or previous match" },
	{ "d", "zoom into the object of a function, or choose one" },
	{ "t", "choose a thread to zoom into" },
	{ "k", "zoom into the kernel, or out of it" },
	{ "a", "code of a function" },
	{ "+", "unfold or fold a member, or one level of a row's callers" },
	{ "e", "the same, with all levels of the callers" },
	{ "E, C", "unfold or fold all members, or all callers" },
	{ "H", "code: go to the hottest instruction" },
	{ "s", "code: hide or show source lines" },
	{ "[, ]", "move texts to the side" },
	{ "c", "copy the line to the terminal's clipboard (OSC 52)" },
	{ "P", "write what the view shows to the file dtprof.hist.N" },
	{ "i", "information about the recording" },
	{ "h, ?, F1", "these keys" },
};

/* ---- filling views ---- */

/* Returns the period that is 100 percent in a table: that of the whole event, or 0 for the sum of
 * the table if only a part of the samples was chosen. */
static uint64_t whole_of(const struct browser *browser, const struct browse_view *view)
{
	const struct browse_zoom *zoom = &view->zoom;

	if (zoom->type || zoom->has_thread || zoom->kernel || zoom->dso ||
	    browser->weight != WEIGH_PERIOD)
		return 0;
	return browser->source->events[zoom->event].period;
}

/* The data of the callbacks that fill a view. */
struct filling {
	struct browser *browser;
	struct browse_view *view;
	size_t count; /* of calls */
};

static void receive_type(void *data, const struct annotated_type *type)
{
	struct filling *filling = data;

	if (filling->count++ < SAME_NAME_MAX)
		browse_fill_layout(filling->view, type, filling->browser->source->cacheline,
				   filling->browser->weight, filling->browser->screen.unicode);
}

static void receive_code(void *data, const struct code_listing *listing)
{
	struct filling *filling = data;

	if (!filling->count++)
		browse_fill_code(filling->view, listing, filling->browser->weight);
}

static struct error *fill_layout(struct browser *browser, struct browse_view *view)
{
	const struct browse_source *source = browser->source;
	struct filling filling = { browser, view, 0 };

	RETURN_ERROR(source->open_type(source->data, &view->zoom, receive_type, &filling));
	if (!filling.count)
		return error_create(ERROR_NOT_FOUND, "No sample of this event accesses %s",
				    view->zoom.type);
	return NULL;
}

static struct error *fill_code(struct browser *browser, struct browse_view *view)
{
	const struct browse_source *source = browser->source;
	struct filling filling = { browser, view, 0 };
	const char *symbol = view->place->symbol;

	RETURN_ERROR(
		source->open_code(source->data, &view->zoom, view->place, receive_code, &filling));
	return filling.count ? NULL
			     : error_create(ERROR_NOT_FOUND, "There is no code of %s", symbol);
}

static struct error *fill_sharing(struct browser *browser, struct browse_view *view)
{
	const struct browse_source *source = browser->source;
	const struct browse_shared_line *lines;
	size_t count;

	RETURN_ERROR(source->open_sharing(source->data, &lines, &count));
	if (!count)
		return error_create(ERROR_NOT_FOUND,
				    "No cacheline that threads share has enough samples");
	browse_fill_sharing(view, lines, count);
	view->lines = lines;
	return NULL;
}

/* Makes the rows of a view. After an error it has none. */
static struct error *fill(struct browser *browser, struct browse_view *view)
{
	struct error *error = NULL;
	size_t cursor = view->cursor;

	if (view->kind == VIEW_TEXT) {
		browse_arrange(view);
		return NULL;
	}
	browse_view_empty(view);
	view->stale = false;
	switch (view->kind) {
	case VIEW_LAYOUT: error = fill_layout(browser, view); break;
	case VIEW_CODE: error = fill_code(browser, view); break;
	case VIEW_SHARING: error = fill_sharing(browser, view); break;
	case VIEW_LINE: browse_fill_line(view, view->line); break;
	default:
		browse_fill_groups(view, browser->source, browser->weight, whole_of(browser, view));
		break;
	}
	if (view->kind != VIEW_CODE) {
		view->cursor = cursor;
		browse_arrange(view);
	}
	return error;
}

static void pop_view(struct browser *browser)
{
	browse_view_deinit(top_view(browser));
	browser->depth--;
}

/* Fills the view on top; if that fails, the views below it come back, with a message. */
static void refresh(struct browser *browser)
{
	struct error *error;

	while ((error = fill(browser, top_view(browser))) && browser->depth > 1) {
		browser_message(browser, "%s", error->message);
		error_destroy(error);
		pop_view(browser);
	}
	error_destroy(error);
}

static void go_back(struct browser *browser)
{
	pop_view(browser);
	if (top_view(browser)->stale)
		refresh(browser);
}

/* Puts a view on the stack, and returns it without rows; refresh() fills it. */
static struct browse_view *push_view(struct browser *browser, enum browse_view_kind kind,
				     struct browse_zoom zoom)
{
	struct browse_view *view;

	if (browser->depth == VIEWS_MAX) {
		/* forget the oldest view but the first */
		browse_view_deinit(&browser->views[1]);
		memmove(&browser->views[1], &browser->views[2],
			(VIEWS_MAX - 2) * sizeof(*browser->views));
		browser->depth--;
	}
	view = &browser->views[browser->depth++];
	*view = (struct browse_view){ .kind = kind, .zoom = zoom, .sorted = NO_COLUMN };
	return view;
}

static void refresh_all(struct browser *browser)
{
	for (size_t i = 0; i < browser->depth; i++)
		browser->views[i].stale = true;
	refresh(browser);
}

/* ---- opening ---- */

static void open_text(struct browser *browser, const char *title, const char *text)
{
	struct browse_view *view = push_view(browser, VIEW_TEXT, top_view(browser)->zoom);

	browse_fill_text(view, text);
	view->title = xstrdup(title);
	browse_arrange(view);
}

static void open_table(struct browser *browser, enum browse_view_kind kind, struct browse_zoom zoom)
{
	push_view(browser, kind, zoom);
	refresh(browser);
}

/* Moves the cursor to the smallest member that has the byte `offset` of the type. */
static void move_to_offset(struct browse_view *view, int64_t offset)
{
	size_t best = 0;
	int64_t smallest = INT64_MAX;

	array_indexed (const struct browse_row, row, i, view->rows, view->row_count) {
		const struct browse_field *field =
			row->kind == ROW_ITEM ? &view->fields[row->item] : NULL;

		if (!field || offset < field->first || offset >= field->end ||
		    field->end - field->first > smallest)
			continue;
		smallest = field->end - field->first;
		best = i;
	}
	browse_move_to(view, best);
}

/* Opens a type's layout, with the cursor at an offset; a negative one: the first row. */
static void open_layout(struct browser *browser, const char *type, int64_t offset)
{
	struct browse_zoom zoom = top_view(browser)->zoom;
	size_t depth = browser->depth;

	zoom.type = type;
	zoom.first = zoom.end = 0;
	open_table(browser, VIEW_LAYOUT, zoom);
	if (offset >= 0 && browser->depth > depth)
		move_to_offset(top_view(browser), offset);
}

static void open_code(struct browser *browser, const struct result_place *place)
{
	if (!place->symbol) {
		browser_message(browser, "The function has no name, so its code cannot be found");
		return;
	}
	push_view(browser, VIEW_CODE, top_view(browser)->zoom)->place = place;
	refresh(browser);
}

/* Returns the type of an entry that is called `name`, as the entries have it; NULL: none is. */
static const char *type_called(const struct browser *browser, const char *name)
{
	const struct browse_source *source = browser->source;

	for (size_t i = 0; i < source->entry_count; i++)
		if (source->entries[i].place->typed &&
		    !strcmp(source->entries[i].place->type, name))
			return source->entries[i].place->type;
	return NULL;
}

static void open_insn(struct browser *browser, const struct browse_insn *insn)
{
	struct browse_view *view = top_view(browser);
	const char *type = insn->type ? type_called(browser, insn->type) : NULL;

	if (type) {
		open_layout(browser, type, insn->offset);
		return;
	}
	for (size_t i = 0; insn->target && i < view->row_count; i++)
		if (view->rows[i].kind == ROW_ITEM &&
		    view->insns[view->rows[i].item].address == insn->target) {
			browse_move_to(view, i);
			return;
		}
	browser_message(browser, insn->type
					 ? "No sample accesses this type"
					 : "This instruction accesses no type and does not jump");
}

static void open_field(struct browser *browser, const struct browse_field *field)
{
	struct browse_zoom zoom = top_view(browser)->zoom;

	/* the type itself is used by all functions */
	zoom.first = *field->path ? field->first : 0;
	zoom.end = *field->path ? field->end : 0;
	open_table(browser, VIEW_USERS, zoom);
	if (top_view(browser)->kind == VIEW_USERS && !top_view(browser)->row_count) {
		go_back(browser);
		browser_message(browser, "No sample accesses this field");
		return;
	}
	free(top_view(browser)->facts);
	top_view(browser)->facts =
		xasprintf("%s%s%s", zoom.type, *field->path ? " : " : "", field->path);
}

static void open_group(struct browser *browser, const struct browse_group *group)
{
	const struct browse_view *view = top_view(browser);
	struct browse_zoom zoom = view->zoom;

	switch (view->kind) {
	case VIEW_TYPES:
		if (group->place->typed)
			open_layout(browser, group->place->type, -1);
		else
			browser_message(browser,
					"This is not a type: 2 shows the functions, i the reasons");
		return;
	case VIEW_THREADS:
		zoom.has_thread = true;
		zoom.tid = group->tid;
		zoom.comm = group->comm;
		open_table(browser, VIEW_TYPES, zoom);
		return;
	case VIEW_OBJECTS:
		zoom.dso = group->place->dso;
		open_table(browser, VIEW_TYPES, zoom);
		return;
	default: open_code(browser, group->place); return;
	}
}

static void open_line(struct browser *browser, const struct browse_shared_line *line)
{
	push_view(browser, VIEW_LINE, top_view(browser)->zoom)->line = line;
	refresh(browser);
}

static void open_row(struct browser *browser)
{
	struct browse_view *view = top_view(browser);
	const struct browse_row *row = browse_row_at(view, view->cursor);

	if (!row || row->kind != ROW_ITEM || view->kind == VIEW_TEXT)
		return;
	switch (view->kind) {
	case VIEW_LAYOUT: open_field(browser, &view->fields[row->item]); break;
	case VIEW_CODE: open_insn(browser, &view->insns[row->item]); break;
	case VIEW_SHARING: open_line(browser, &view->lines[row->item]); break;
	case VIEW_LINE: break;
	default:
		if (row->caller)
			open_code(browser, row->caller);
		else
			open_group(browser, &view->groups[row->item]);
		break;
	}
}

bool browser_open_type(struct browser *browser, const char *type)
{
	struct browse_view *view = top_view(browser);

	for (size_t i = 0; view->kind == VIEW_TYPES && i < view->item_count; i++) {
		const struct browse_group *group = &view->groups[i];

		if (!group->place->typed || !type_name_matches(type, group->place->type))
			continue;
		browse_move_to(view, i);
		open_layout(browser, group->place->type, -1);
		return true;
	}
	return false;
}

bool browser_open_function(struct browser *browser, const char *symbol)
{
	struct browse_view *view = top_view(browser);

	for (size_t i = 0; view->kind == VIEW_FUNCTIONS && i < view->item_count; i++) {
		const struct result_place *place = view->groups[i].place;

		if (!place->symbol || strcmp(place->symbol, symbol) != 0)
			continue;
		browse_move_to(view, i);
		open_code(browser, place);
		return true;
	}
	return false;
}

/* ---- what keys do ---- */

/* Shows another table in place of the one on top, or above a layout, code or text. */
static void switch_table(struct browser *browser, enum browse_view_kind kind)
{
	struct browse_zoom zoom = top_view(browser)->zoom;

	zoom.type = NULL;
	zoom.first = zoom.end = 0;
	if (top_view(browser)->kind <= VIEW_OBJECTS || top_view(browser)->kind == VIEW_SHARING)
		pop_view(browser);
	open_table(browser, kind, zoom);
}

static void switch_event(struct browser *browser, int step)
{
	size_t count = browser->source->event_count;
	uint32_t event = top_view(browser)->zoom.event;

	if (count < 2) {
		browser_message(browser, "The recording has one event");
		return;
	}
	event = (uint32_t)((event + count + (size_t)step) % count);
	for (size_t i = 0; i < browser->depth; i++)
		browser->views[i].zoom.event = event;
	refresh_all(browser);
}

/* Changes to the next weight that any sample has. */
static void switch_weight(struct browser *browser)
{
	struct browse_zoom zoom = { .event = top_view(browser)->zoom.event };
	struct browse_figures sum = browse_sum(browser->source, &zoom);

	for (unsigned int i = 1; i <= BROWSE_WEIGHTS; i++) {
		enum browse_weight next =
			(enum browse_weight)((browser->weight + i) % BROWSE_WEIGHTS);

		if (!sum.by[next])
			continue;
		browser->weight = next;
		break;
	}
	refresh_all(browser);
}

static bool sorts(const struct browser *browser, const struct browse_view *view, uint32_t column)
{
	return column == NO_COLUMN || (view->columns[column].kind != CELL_BAR &&
				       view->columns[column].from <= browser->screen.columns);
}

/* Sorts by the next column in direction `step`; after the last, in the rows' order. */
static void switch_order(struct browser *browser, int step)
{
	struct browse_view *view = top_view(browser);
	uint32_t count = view->column_count + 1;
	uint32_t place = view->sorted == NO_COLUMN ? 0 : view->sorted + 1; /* 0: their own order */

	if (!browse_is_table(view) && view->kind != VIEW_LAYOUT) {
		browser_message(browser, "Code is in the order of its addresses");
		return;
	}
	do {
		place = (place + count + (uint32_t)step) % count;
		view->sorted = place ? place - 1 : NO_COLUMN;
	} while (!sorts(browser, view, view->sorted));
	view->ascending =
		view->sorted != NO_COLUMN && (view->columns[view->sorted].kind == CELL_TEXT ||
					      view->columns[view->sorted].kind == CELL_OFFSET);
	browse_arrange(view);
	view->cursor = 0;
}

static void zoom_object(struct browser *browser)
{
	struct browse_view *view = top_view(browser);
	const struct browse_row *row = browse_row_at(view, view->cursor);
	bool functions = view->kind == VIEW_FUNCTIONS || view->kind == VIEW_USERS;
	struct browse_zoom zoom = view->zoom;

	if (!functions || !row || zoom.dso) {
		zoom.type = NULL;
		zoom.dso = NULL;
		open_table(browser, VIEW_OBJECTS, zoom);
		return;
	}
	zoom.dso = view->groups[row->item].place->dso;
	open_table(browser, view->kind, zoom);
}

static void zoom_thread(struct browser *browser)
{
	struct browse_zoom zoom = top_view(browser)->zoom;

	zoom.type = NULL;
	zoom.has_thread = false;
	open_table(browser, VIEW_THREADS, zoom);
}

static void zoom_kernel(struct browser *browser)
{
	struct browse_zoom zoom = top_view(browser)->zoom;

	if (top_view(browser)->kind > VIEW_USERS)
		return;
	zoom.kernel = !zoom.kernel;
	open_table(browser, top_view(browser)->kind, zoom);
	if (zoom.kernel && !top_view(browser)->row_count) {
		go_back(browser);
		browser_message(browser, "No sample was taken in the kernel");
	}
}

/* Unfolds the callers of a row, all levels or one, or folds them. */
static void fold_callers(struct browser *browser, bool all)
{
	struct browse_view *view = top_view(browser);
	size_t row = view->cursor < view->shown_count ? view->shown[view->cursor] : 0;
	bool folded;

	if (!view->row_count)
		return;
	if (!view->rows[row].opens) {
		browser_message(browser,
				browser->source->frames
					? "No callers of this are known"
					: "The samples have no call chains (dtprof record -g)");
		return;
	}
	folded = !view->rows[row].folded;
	browse_add_callers(view, browser->source, browser->weight, row);
	for (size_t i = row + 1; all && i < browse_rows_below(view, row); i++)
		view->rows[i].folded = false;
	view->rows[row].folded = folded;
	browse_arrange(view);
	browse_move_to(view, row);
}

/* Folds all records but the type itself, or unfolds them; of a table the callers of all rows. */
static void fold_all(struct browser *browser, bool folded)
{
	struct browse_view *view = top_view(browser);
	bool layout = view->kind == VIEW_LAYOUT;

	for (size_t i = 0; i < view->row_count && view->kind <= VIEW_USERS && !folded; i++)
		if (view->rows[i].cells[0].number >= CALLERS_SHARE_MIN)
			browse_add_callers(view, browser->source, browser->weight, i);
	for (size_t i = 0; i < view->row_count; i++)
		if (view->rows[i].opens)
			view->rows[i].folded = folded && (!layout || view->rows[i].depth > 0);
	browse_arrange(view);
}

/* Moves to the next match of the search, or to the previous one, and wraps around at the end. */
static void find(struct browser *browser, int step, bool here)
{
	struct browse_view *view = top_view(browser);
	size_t count = view->shown_count;

	if (!view->search) {
		browser_message(browser, "There is no text to search for: / asks for one");
		return;
	}
	for (size_t i = here ? 0 : 1; i <= count && count; i++) {
		size_t away = step > 0 ? i : count - i % count;
		size_t index = (view->cursor + away) % count;

		if (!browse_matches(view, index))
			continue;
		view->cursor = index;
		return;
	}
	browser_message(browser, "Nothing has the text '%s'", view->search);
}

static void move_to_hottest(struct browser *browser, int step)
{
	struct browse_view *view = top_view(browser);
	size_t row = view->cursor < view->shown_count ? view->shown[view->cursor] : 0, next;

	if (!view->row_count)
		return;
	next = browse_next_hottest(view, row, step);
	if (next == SIZE_MAX) {
		browser_message(browser, step > 0 ? "This was the coldest instruction with samples"
						  : "This is the hottest instruction");
		return;
	}
	browse_move_to(view, next);
}

/* ---- what a view is called ---- */

#define TITLE_NAME_MIN 24 /* columns: a shorter name would say less than what follows it */

/* Appends the title of a view, its name cut for at most `columns`; 0: as it is. */
static void title_text(const struct browser *browser, const struct browse_view *view,
		       unsigned int columns, struct strbuf *text)
{
	static const char *const names[] = {
		"Types",  "Functions", "Threads", "Objects",           "Used by functions",
		"Layout", "Code",      "",        "Shared cachelines", "Cacheline"
	};
	const struct browse_event *event = &browser->source->events[view->zoom.event];
	_cleanup_strbuf_ struct strbuf weight = STRBUF_INIT;

	if (view->kind == VIEW_TEXT) {
		strbuf_add_string(text, view->title);
		return;
	}
	strbuf_add_string(text, names[view->kind]);
	if (view->kind < VIEW_SHARING)
		strbuf_add_format(&weight, ", by %s of %s", browse_weight_names[browser->weight],
				  event->name);
	if (view->kind < VIEW_SHARING && browser->source->event_count > 1)
		strbuf_add_format(&weight, " (%" PRIu32 "/%zu)", view->zoom.event + 1,
				  browser->source->event_count);
	if (view->title) {
		strbuf_add_string(text, ": ");
		size_t start = text->length, others = start + weight.length;

		strbuf_add_string(text, view->title);
		if (columns >= others + TITLE_NAME_MIN)
			text_shorten_name(text, start, columns - others,
					  browser->screen.unicode ? "\u2026" : "..");
	}
	strbuf_add_string(text, weight.data);
}

static void facts_text(const struct browser *browser, const struct browse_view *view,
		       struct strbuf *text)
{
	const struct browse_event *event = &browser->source->events[view->zoom.event];
	const struct browse_zoom *zoom = &view->zoom;
	size_t start = text->length;

	if (zoom->has_thread)
		strbuf_add_format(text, "thread %" PRId32 ":%s, ", zoom->tid, zoom->comm ?: "");
	if (zoom->dso)
		strbuf_add_format(text, "object %s, ", zoom->dso);
	if (zoom->kernel)
		strbuf_add_string(text, "kernel, ");
	if (view->filter)
		strbuf_add_format(text, "with '%s', ", view->filter);
	if (view->facts)
		strbuf_add_string(text, view->facts);
	else if (text->length == start && view->kind != VIEW_TEXT) {
		text_add_grouped(text, event->samples);
		strbuf_add_format(text, " samples%s%s", event->coverage ? ", " : "",
				  event->coverage ?: "");
	} else if (view->kind != VIEW_TEXT) {
		struct browse_figures sum = browse_sum(browser->source, zoom);

		text_add_grouped(text, sum.by[WEIGH_SAMPLES]);
		strbuf_add_string(text, " samples");
	}
}

/* ---- texts that leave the browser ---- */

static void add_trimmed(struct strbuf *text, const struct browse_line *line)
{
	size_t start = text->length;

	strbuf_add(text, line->text.data, line->text.length);
	strbuf_trim(text, start);
}

static enum browse_outcome copy_line(struct browser *browser)
{
	const struct browse_view *view = top_view(browser);
	struct browse_screen wide = { browse_natural_width(view), 1, browser->screen.unicode };
	struct browse_line line = { .text = STRBUF_INIT };

	if (!browse_row_at(view, view->cursor))
		return BROWSE_GO_ON;
	browse_row_line(view, &wide, view->cursor, &line);
	strbuf_reset(&browser->text);
	add_trimmed(&browser->text, &line);
	strbuf_deinit(&line.text);
	return BROWSE_COPY;
}

/* Makes the text of the whole view, with columns as wide as their contents. */
static enum browse_outcome save_view(struct browser *browser)
{
	const struct browse_view *view = top_view(browser);
	struct browse_screen wide = { browse_natural_width(view), 1, browser->screen.unicode };
	struct browse_line line = { .text = STRBUF_INIT };

	strbuf_reset(&browser->text);
	title_text(browser, view, 0, &browser->text);
	strbuf_add_char(&browser->text, '\n');
	facts_text(browser, view, &browser->text);
	strbuf_add_string(&browser->text, "\n\n");
	browse_heading_line(view, &wide, &line);
	add_trimmed(&browser->text, &line);
	for (size_t i = 0; i < view->shown_count; i++) {
		strbuf_add_char(&browser->text, '\n');
		browse_line_reset(&line);
		browse_row_line(view, &wide, i, &line);
		add_trimmed(&browser->text, &line);
	}
	strbuf_add_char(&browser->text, '\n');
	strbuf_deinit(&line.text);
	return BROWSE_SAVE;
}

const char *browser_text(const struct browser *browser)
{
	return browser->text.data;
}

/* ---- the prompt ---- */

static void begin_prompt(struct browser *browser)
{
	const struct browse_view *view = top_view(browser);
	const char *now = browse_is_table(view) ? view->filter : view->search;

	browser->prompt = browse_is_table(view) ? PROMPT_FILTER : PROMPT_SEARCH;
	strbuf_reset(&browser->input);
	strbuf_add_string(&browser->input, now ?: "");
}

static void end_prompt(struct browser *browser)
{
	struct browse_view *view = top_view(browser);
	char **into = browser->prompt == PROMPT_FILTER ? &view->filter : &view->search;

	free(*into);
	*into = browser->input.length ? xstrdup(browser->input.data) : NULL;
	if (browser->prompt == PROMPT_SEARCH && *into) {
		find(browser, 1, true);
	} else if (browser->prompt == PROMPT_FILTER) {
		browse_arrange(view);
		view->cursor = 0;
	}
	browser->prompt = PROMPT_NONE;
}

static void prompt_key(struct browser *browser, int key)
{
	struct strbuf *input = &browser->input;

	switch (key) {
	case BROWSE_ESCAPE: browser->prompt = PROMPT_NONE; break;
	case BROWSE_ENTER: end_prompt(browser); break;
	case BROWSE_BACKSPACE:
		/* a character of UTF-8 is removed whole */
		while (input->length &&
		       ((unsigned char)input->data[input->length - 1] & 0xc0) == 0x80)
			input->length--;
		strbuf_truncate(input, input->length - (input->length > 0));
		break;
	case 'U' - '@': strbuf_reset(input); break;
	default:
		if (key >= ' ' && key < 0x100 && input->length < INPUT_MAX)
			strbuf_add_char(input, (char)key);
	}
}

/* ---- keys ---- */

static void escape(struct browser *browser)
{
	struct browse_view *view = top_view(browser);

	if (view->filter) {
		free(view->filter);
		view->filter = NULL;
		browse_arrange(view);
	} else if (browser->depth > 1) {
		go_back(browser);
	} else {
		browser_message(browser, "q leaves the browser");
	}
}

static bool navigation_key(struct browser *browser, int key)
{
	struct browse_view *view = top_view(browser);
	int64_t page =
		(int64_t)browser->screen.rows > FRAME_ROWS ? browser->screen.rows - FRAME_ROWS : 1;

	switch (key) {
	case BROWSE_UP: browse_move(view, -1); return true;
	case BROWSE_DOWN: browse_move(view, 1); return true;
	case BROWSE_PAGE_UP: browse_move(view, -page); return true;
	case ' ':
	case BROWSE_PAGE_DOWN: browse_move(view, page); return true;
	case BROWSE_HOME: browse_move(view, -(int64_t)view->shown_count); return true;
	case BROWSE_END: browse_move(view, (int64_t)view->shown_count); return true;
	case '[': view->shift -= view->shift < SHIFT_STEP ? view->shift : SHIFT_STEP; return true;
	case ']': view->shift += SHIFT_STEP; return true;
	default: return false;
	}
}

static bool view_key(struct browser *browser, int key)
{
	struct browse_view *view = top_view(browser);
	bool code = view->kind == VIEW_CODE;

	switch (key) {
	case BROWSE_TAB: code ? move_to_hottest(browser, 1) : switch_event(browser, 1); return true;
	case BROWSE_BACK_TAB:
		code ? move_to_hottest(browser, -1) : switch_event(browser, -1);
		return true;
	case '<': switch_order(browser, -1); return true;
	case '>': switch_order(browser, 1); return true;
	case 'r': browse_reverse_order(view); return true;
	case 'e':
	case '+':
		if (view->kind <= VIEW_USERS)
			fold_callers(browser, key == 'e');
		else
			browse_fold(view);
		return true;
	case 'E': fold_all(browser, false); return true;
	case 'C': fold_all(browser, true); return true;
	case '/': begin_prompt(browser); return true;
	case 'n': find(browser, 1, false); return true;
	case 'N': find(browser, -1, false); return true;
	default: break;
	}
	if (!code)
		return false;
	if (key == 'H')
		browse_move_to(view, browse_hottest_row(view, NULL));
	else if (key == 's')
		browse_toggle_source(view);
	return key == 'H' || key == 's';
}

static void open_help(struct browser *browser)
{
	unsigned int columns = browser->screen.columns > 20 ? browser->screen.columns : 20;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < COUNT_OF(keys); i++) {
		strbuf_add_format(&text, "%s\n    ", keys[i].key);
		text_add_wrapped(&text, keys[i].what, 4, columns, 4);
		strbuf_add_char(&text, '\n');
	}
	open_text(browser, "Keys", text.data);
}

static void other_key(struct browser *browser, int key)
{
	switch (key) {
	case BROWSE_ENTER:
	case BROWSE_RIGHT: open_row(browser); break;
	case BROWSE_LEFT:
	case BROWSE_BACKSPACE:
	case BROWSE_ESCAPE: escape(browser); break;
	case '1':
	case '2':
	case '3':
	case '4': switch_table(browser, (enum browse_view_kind)(VIEW_TYPES + key - '1')); break;
	case '5': open_table(browser, VIEW_SHARING, top_view(browser)->zoom); break;
	case 'w': switch_weight(browser); break;
	case 'd': zoom_object(browser); break;
	case 't': zoom_thread(browser); break;
	case 'k': zoom_kernel(browser); break;
	case 'a':
		if (top_view(browser)->kind == VIEW_FUNCTIONS ||
		    top_view(browser)->kind == VIEW_USERS)
			open_row(browser);
		break;
	case 'i': open_text(browser, "Recording", browser->source->information); break;
	case 'h':
	case '?':
	case BROWSE_HELP: open_help(browser); break;
	default:
		if (key > ' ' && key < 0x7f)
			browser_message(browser, "'%c' is not a key: ? shows the keys", key);
	}
}

enum browse_outcome browser_key(struct browser *browser, int key)
{
	strbuf_reset(&browser->message);
	if (browser->prompt != PROMPT_NONE) {
		prompt_key(browser, key);
		return BROWSE_GO_ON;
	}
	switch (key) {
	case 'q':
	case 'C' - '@': return BROWSE_QUIT;
	case 'c': return copy_line(browser);
	case 'P': return save_view(browser);
	default: break;
	}
	if (!navigation_key(browser, key) && !view_key(browser, key))
		other_key(browser, key);
	return BROWSE_GO_ON;
}

/* ---- the screen ---- */

static void last_text(const struct browser *browser, const struct browse_view *view,
		      struct strbuf *text)
{
	static const char *const hints[] = {
		"Enter:layout 2:functions /:filter w:weight <>:sort t:thread d:object ?:keys q",
		"Enter:code 1:types /:filter w:weight <>:sort t:thread d:object ?:keys q:leave",
		"Enter:zoom /:filter <>:sort ESC:back ?:keys q:leave",
		"Enter:zoom /:filter <>:sort ESC:back ?:keys q:leave",
		"Enter:code /:filter <>:sort ESC:back ?:keys q:leave",
		"Enter:who uses it e:fold <>:sort w:weight /:search ESC:back ?:keys q:leave",
		"Enter:type TAB:next hottest H:hottest s:source /:search ESC:back ?:keys",
		"ESC:back q:leave",
		"Enter:who uses it /:filter <>:sort ESC:back ?:keys q:leave",
		"/:filter <>:sort ESC:back ?:keys q:leave",
	};

	if (browser->prompt != PROMPT_NONE)
		strbuf_add_format(text, "%s: %s",
				  browser->prompt == PROMPT_FILTER ? "Rows with" : "Search",
				  browser->input.data);
	else
		strbuf_add_string(text, browser->message.length ? browser->message.data
								: hints[view->kind]);
}

/* Scrolls so that the cursor is on the screen; in code, so that lines around it are, too. */
static void scroll(struct browse_view *view, size_t rows)
{
	lower_to(view->top, view->cursor);
	if (view->cursor >= view->top + rows)
		view->top = view->kind == VIEW_CODE && view->cursor > view->top + rows
				    ? view->cursor - rows / 2
				    : view->cursor - rows + 1;
	if (view->top + rows > view->shown_count)
		view->top = view->shown_count > rows ? view->shown_count - rows : 0;
}

static struct browse_line *line_at(struct browser *browser, size_t index)
{
	browse_line_reset(&browser->lines[index]);
	return &browser->lines[index];
}

/* Makes a line of one text that is as wide as the screen. */
static void bar_line(struct browser *browser, size_t index, enum browse_style style,
		     const char *text)
{
	struct browse_line *line = line_at(browser, index);

	browse_line_add(line, &browser->screen, style, text, 0);
	browse_line_end(line, &browser->screen);
	if (style == STYLE_TITLE)
		strbuf_add_repeated(&line->text, ' ',
				    browser->screen.columns -
					    text_columns(line->text.data, line->text.length));
}

/* Frees the lines. There are always enough for the frame, even if the screen has fewer. */
static void free_lines(struct browser *browser)
{
	for (size_t i = 0; browser->lines && i < browser->line_count + FRAME_ROWS; i++)
		strbuf_deinit(&browser->lines[i].text);
	free(browser->lines);
	browser->lines = NULL;
}

static void reserve_lines(struct browser *browser)
{
	free_lines(browser);
	browser->line_count = browser->screen.rows;
	browser->lines = xcalloc(browser->line_count + FRAME_ROWS, sizeof(*browser->lines));
	for (size_t i = 0; i < browser->line_count + FRAME_ROWS; i++)
		browser->lines[i] = (struct browse_line){ .text = STRBUF_INIT };
}

const struct browse_line *browser_render(struct browser *browser, size_t *count)
{
	struct browse_view *view = top_view(browser);
	size_t rows = browser->line_count > FRAME_ROWS ? browser->line_count - FRAME_ROWS : 0, last;
	_cleanup_strbuf_ struct strbuf title = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf facts = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf hint = STRBUF_INIT;

	*count = browser->line_count;
	title_text(browser, view, browser->screen.columns, &title);
	facts_text(browser, view, &facts);
	last_text(browser, view, &hint);
	bar_line(browser, 0, STYLE_TITLE, title.data);
	bar_line(browser, 1, STYLE_PLAIN, facts.data);
	browse_heading_line(view, &browser->screen, line_at(browser, 2));
	scroll(view, rows ?: 1);
	for (size_t i = 0; i < rows; i++) {
		struct browse_line *line = line_at(browser, i + 3);

		if (view->top + i < view->shown_count)
			browse_row_line(view, &browser->screen, view->top + i, line);
	}
	last = browser->line_count ? browser->line_count - 1 : 0;
	bar_line(browser, last, browser->prompt != PROMPT_NONE ? STYLE_PLAIN : STYLE_DIM,
		 hint.data);
	return browser->lines;
}

/* ---- life cycle ---- */

void browser_resize(struct browser *browser, unsigned int columns, unsigned int rows, bool unicode)
{
	browser->screen = (struct browse_screen){ columns, rows, unicode };
	reserve_lines(browser);
}

struct browser *browser_create(const struct browse_source *source, enum browse_start start,
			       enum browse_weight weight)
{
	struct browser *browser = xcalloc(1, sizeof(*browser));
	struct browse_zoom zoom = { 0 };

	browser->source = source;
	browser->weight = weight;
	browser->input = browser->message = browser->text = (struct strbuf)STRBUF_INIT;
	browser_resize(browser, 80, 24, false);
	open_table(browser, (enum browse_view_kind)start, zoom);
	return browser;
}

void browser_destroy(struct browser *browser)
{
	if (!browser)
		return;
	while (browser->depth)
		pop_view(browser);
	free_lines(browser);
	strbuf_deinit(&browser->input);
	strbuf_deinit(&browser->message);
	strbuf_deinit(&browser->text);
	free(browser);
}
