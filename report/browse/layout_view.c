// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The layout of a type as a table of the browser: members with their figures, holes and padding,
 * and a rule with the share of each cacheline where it begins.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/browse/view.h"
#include "report/print/print.h"
#include "report/print/struct_layout.h"
#include "report/text.h"

/* Columns of the table. */
enum {
	COLUMN_SHARE,
	COLUMN_BAR,
	COLUMN_LOADS,
	COLUMN_STORES,
	COLUMN_LATENCY,
	COLUMN_OFFSET,
	COLUMN_SIZE,
	COLUMN_MEMBER,
	COLUMN_THREADS
};

struct layout_maker {
	struct browse_view *view;
	const struct annotated_type *type;
	uint64_t cacheline;
	enum browse_weight weight;
	uint64_t whole; /* of the type */
	bool unicode;
	uint64_t next_line; /* the first cacheline that has no rule yet */
	struct strbuf path; /* of the member that is being added */
};

static uint64_t weight_of(const struct layout_maker *maker, const struct access_count *counts)
{
	return browse_figures_of(&counts[0]).by[maker->weight];
}

/* ---- rules ---- */

static void add_rule(struct layout_maker *maker, uint32_t depth, const char *text)
{
	struct browse_row *row = browse_add_row(maker->view, ROW_RULE);

	row->depth = depth;
	row->cells[0].text = arena_strdup(&maker->view->texts, text);
}

static void add_cacheline_rule(struct layout_maker *maker, uint64_t number, uint32_t depth)
{
	const struct annotated_type *type = maker->type;
	const char *dash = maker->unicode ? "\u2500\u2500" : "--";
	uint64_t weight = 0;
	_cleanup_free_ char *text = NULL;

	for (size_t i = 0; i < type->cacheline_count; i++)
		if (type->cachelines[i].number == number)
			weight = weight_of(maker, type->cachelines[i].counts);
	text = xasprintf("%6.2f%% %s cacheline %" PRIu64 " at +%" PRIu64 " %s%s%s%s%s%s%s%s",
			 percent(weight, maker->whole), dash, number, number * maker->cacheline,
			 dash, dash, dash, dash, dash, dash, dash, dash);
	add_rule(maker, depth, text);
}

/* Adds a rule for the cacheline of a member that begins in a new one. Lines that a long member
 * passes over get none. */
static void pass_cachelines(struct layout_maker *maker, int64_t offset, uint32_t depth)
{
	uint64_t number;

	if (!maker->cacheline || offset < 0)
		return;
	number = (uint64_t)offset / maker->cacheline;
	if (number < maker->next_line)
		return;
	add_cacheline_rule(maker, number, depth);
	maker->next_line = number + 1;
}

static void add_gap(struct layout_maker *maker, struct layout_gap gap, uint32_t depth,
		    const char *what)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!gap.bits && !gap.bytes)
		return;
	strbuf_add_repeated(&text, ' ', 32);
	if (gap.bytes)
		strbuf_add_format(&text, "/* %s of %" PRIu64 " byte%s */", what, gap.bytes,
				  gap.bytes == 1 ? "" : "s");
	else
		strbuf_add_format(&text, "/* %s of %" PRIu64 " bit%s */", what, gap.bits,
				  gap.bits == 1 ? "" : "s");
	add_rule(maker, depth, text.data);
}

/* ---- members ---- */

static const char *declaration(struct layout_maker *maker, const struct annotated_line *line)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *type = line->base ? line->base : line->type,
		   *name = line->declarator ? line->declarator : line->name;

	strbuf_add_string(&text, type ? type : "");
	if (name && *name)
		strbuf_add_format(&text, "%s%s", text.length ? " " : "", name);
	if (line->bit_size)
		strbuf_add_format(&text, ":%" PRIu32, line->bit_size);
	return arena_strdup(&maker->view->texts, text.data);
}

static const char *thread_text(struct layout_maker *maker, const struct annotated_line *line)
{
	size_t writers = 0;
	_cleanup_free_ char *text = NULL;

	if (!line->thread_count)
		return "";
	for (size_t i = 0; i < line->thread_count; i++)
		writers += line->threads[i].stores > 0;
	text = writers ? xasprintf("%zu, %zu writing", line->thread_count, writers)
		       : xasprintf("%zu, none writing", line->thread_count);
	return arena_strdup(&maker->view->texts, text);
}

static struct browse_field *add_field(struct layout_maker *maker, const struct annotated_line *line)
{
	struct browse_view *view = maker->view;
	uint64_t bits = line->bit_offset + (line->bit_size ? line->bit_size : line->size * 8);
	struct browse_field *field;

	array_reserve(view->fields, view->item_count, view->item_capacity);
	field = &view->fields[view->item_count++];
	/* an array without a bound has no size, and all that lies behind it */
	*field = (struct browse_field){ .first = line->offset + line->bit_offset / 8,
					.end = bits ? line->offset + (int64_t)((bits + 7) / 8)
						    : INT64_MAX,
					.path = arena_strdup(&view->texts, maker->path.data) };
	return field;
}

static void add_member(struct layout_maker *maker, const struct annotated_line *line)
{
	const struct access_count *count = &line->counts[0];
	struct browse_row *row;
	double share = percent(weight_of(maker, line->counts), maker->whole);

	add_field(maker, line);
	row = browse_add_row(maker->view, ROW_ITEM);
	row->item = maker->view->item_count - 1;
	row->depth = line->depth;
	row->opens = line->opens;
	row->cells[COLUMN_SHARE].number = row->cells[COLUMN_BAR].number =
		count->samples ? share : -1;
	row->cells[COLUMN_LOADS].number = (double)count->loads;
	row->cells[COLUMN_STORES].number = (double)count->stores;
	row->cells[COLUMN_LATENCY].number =
		count->samples ? (double)count->weight / (double)count->samples : 0;
	row->cells[COLUMN_OFFSET].number = (double)(line->offset + line->bit_offset / 8);
	row->cells[COLUMN_SIZE].number = (double)line->size;
	row->cells[COLUMN_MEMBER].text = declaration(maker, line);
	row->cells[COLUMN_THREADS].text = thread_text(maker, line);
	row->named = count->samples && !line->opens;
}

static void add_record(struct layout_maker *maker, size_t record);

static void add_lines(struct layout_maker *maker, size_t index)
{
	const struct annotated_line *line = &maker->type->lines[index];
	size_t start = maker->path.length;

	if (line->depth && line->name)
		strbuf_add_format(&maker->path, "%s%s", start ? "." : "", line->name);
	if (!line->opens && line->size)
		pass_cachelines(maker, line->offset, line->depth);
	add_member(maker, line);
	if (line->opens)
		add_record(maker, index);
	maker->path.length = start;
	if (maker->path.capacity)
		maker->path.data[start] = '\0';
}

/* Adds the members of a record, sorted by offset, and the holes between them. */
static void add_record(struct layout_maker *maker, size_t record)
{
	const struct annotated_line *outer = &maker->type->lines[record];
	struct layout_fill fill = { 0 };
	size_t count;
	_cleanup_free_ size_t *members = layout_members(maker->type, record, &count);
	/* members of unions, and variants, share their bytes */
	bool filled = count && !outer->is_union && !outer->element_size;

	for (size_t i = 0; i < count; i++) {
		const struct annotated_line *line = &maker->type->lines[members[i]];

		filled = filled && !line->is_variant;
		if (filled && !layout_is_empty(maker->type, members[i])) {
			add_gap(maker, layout_gap(&fill, line, outer->offset, outer->size),
				line->depth, "hole");
			layout_take(&fill, line, outer->offset);
		}
		add_lines(maker, members[i]);
	}
	if (filled)
		add_gap(maker, layout_gap(&fill, NULL, outer->offset, outer->size),
			outer->depth + 1, "padding");
}

/* ---- the view ---- */

static void add_columns(struct browse_view *view, bool has_latency, bool has_threads)
{
	browse_add_column(view, (struct browse_column){ "Share", CELL_SHARE, 7, 0, 0, false });
	browse_add_column(view, (struct browse_column){ "", CELL_BAR, 8, 0, 72, false });
	browse_add_column(view, (struct browse_column){ "Loads", CELL_COUNT, 8, 0, 60, false });
	browse_add_column(view, (struct browse_column){ "Stores", CELL_COUNT, 8, 0, 60, false });
	browse_add_column(view, (struct browse_column){ "Latency", CELL_MEAN, 7, 0,
							has_latency ? 90 : UINT32_MAX, false });
	browse_add_column(view, (struct browse_column){ "Offset", CELL_OFFSET, 6, 0, 0, false });
	browse_add_column(view, (struct browse_column){ "Size", CELL_OFFSET, 5, 0, 0, false });
	browse_add_column(view, (struct browse_column){ "Member", CELL_TEXT, 0, 2, 0, false });
	browse_add_column(view, (struct browse_column){ "Threads", CELL_TEXT, 16, 0,
							has_threads ? 100 : UINT32_MAX, false });
}

static void add_facts(const struct layout_maker *maker, struct strbuf *text)
{
	const struct annotated_type *type = maker->type;
	uint64_t size = type->lines[0].size;
	const char *slash;

	strbuf_add_format(text, "%" PRIu64 " bytes, ", size);
	text_add_grouped(text, type->samples);
	strbuf_add_string(text, " samples");
	if (maker->cacheline && size)
		strbuf_add_format(text, ", %zu of %" PRIu64 " cachelines used",
				  type->cacheline_count,
				  (size + maker->cacheline - 1) / maker->cacheline);
	if (type->addressed && type->objects) {
		strbuf_add_string(text, ", ");
		text_add_grouped(text, type->objects);
		strbuf_add_string(text, " objects seen");
	}
	slash = strrchr(type->object, '/');
	strbuf_add_format(text, ", of %s", slash ? slash + 1 : type->object);
}

/* Adds what was seen of false sharing, below the layout. */
static void add_sharings(struct layout_maker *maker)
{
	for (size_t i = 0; i < maker->type->sharing_count; i++) {
		const struct annotated_sharing *sharing = &maker->type->sharings[i];
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		if (!i)
			add_rule(maker, 0, "False sharing that was seen:");
		strbuf_add_format(&text, "  %zu thread%s write%s %s while %zu other%s use%s",
				  sharing->writer_count, sharing->writer_count == 1 ? "" : "s",
				  sharing->writer_count == 1 ? "s" : "", sharing->field,
				  sharing->thread_count, sharing->thread_count == 1 ? "" : "s",
				  sharing->thread_count == 1 ? "s" : "");
		for (size_t k = 0; k < sharing->neighbour_count; k++)
			strbuf_add_format(&text, "%s %s", k ? "," : "", sharing->neighbours[k]);
		strbuf_add_format(&text, ": %" PRIu64 " cachelines", sharing->cachelines);
		add_rule(maker, 0, text.data);
	}
}

void browse_fill_layout(struct browse_view *view, const struct annotated_type *type,
			uint64_t cacheline, enum browse_weight weight, bool unicode)
{
	struct layout_maker maker = { .view = view,
				      .type = type,
				      .cacheline = cacheline,
				      .weight = weight,
				      .unicode = unicode,
				      .path = STRBUF_INIT };
	_cleanup_strbuf_ struct strbuf facts = STRBUF_INIT;
	bool threads = false;

	if (!type->line_count)
		return;
	for (size_t i = 0; i < type->line_count; i++)
		threads |= type->lines[i].thread_count > 1;
	maker.whole = weight_of(&maker, type->lines[0].counts);
	add_facts(&maker, &facts);
	if (!view->column_count) {
		add_columns(view, type->lines[0].counts[0].weight > 0, threads);
		view->title = xstrdup(type->name);
		view->facts = xstrdup(facts.data);
	} else {
		add_rule(&maker, 0, "");
		strbuf_add_string(&facts, " (another type of this name)");
		add_rule(&maker, 0, facts.data);
	}
	add_lines(&maker, 0);
	add_sharings(&maker);
	strbuf_deinit(&maker.path);
}
