// SPDX-License-Identifier: GPL-2.0-or-later
/* Code, and plain text, as tables of the browser. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/browse/view.h"
#include "report/print/print.h"
#include "report/text.h"

/* ---- code ---- */

struct code_maker {
	struct browse_view *view;
	const struct code_listing *listing;
	enum browse_weight weight;
	bool has_charges;
};

/* Returns the share of the function's samples in percent, or -1 without samples. Latencies, loads
 * and stores are not known of addresses, so all weights but the period count samples. */
static double share_of(const struct code_maker *maker, const struct access_count *counts)
{
	const struct access_count *total = &maker->listing->totals[0];

	if (!counts || !counts[0].samples)
		return -1;
	return maker->weight == WEIGH_PERIOD ? percent(counts[0].period, total->period)
					     : percent(counts[0].samples, total->samples);
}

static void add_source(struct code_maker *maker, const struct code_line *line)
{
	struct browse_row *row = browse_add_row(maker->view, ROW_SOURCE);

	row->cells[0].text = arena_strdup(&maker->view->texts, line->source);
	row->item = SIZE_MAX;
}

static const char *type_text(struct code_maker *maker, const struct code_type *type)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!type->name)
		return "";
	strbuf_add_string(&text, type->name);
	if (type->typed)
		strbuf_add_format(&text, " +%" PRId64, type->offset);
	if (type->field)
		strbuf_add_format(&text, " (%s)", type->field);
	return arena_strdup(&maker->view->texts, text.data);
}

static const char *insn_text(struct code_maker *maker, const struct code_line *line)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	/* a mark where jumps of the function lead to */
	const char *mark = line->is_target ? ">" : " ";

	strbuf_add_format(&text, "%s %-7s %s", mark, line->mnemonic, line->operands);
	if (line->jump == JUMP_INSIDE)
		strbuf_add_string(&text, line->target < line->address ? " (up)" : " (down)");
	if (line->reference)
		strbuf_add_format(&text, "  %s", line->reference);
	return arena_strdup(&maker->view->texts, text.data);
}

static void add_insn(struct code_maker *maker, const struct code_line *line)
{
	struct browse_view *view = maker->view;
	double charged = share_of(maker, line->charged), sampled = share_of(maker, line->counts);
	_cleanup_free_ char *address = xasprintf("%" PRIx64, line->address);
	struct browse_row *row = browse_add_row(view, ROW_ITEM);
	size_t next = 0;

	array_reserve(view->insns, view->item_count, view->item_capacity);
	view->insns[view->item_count] = (struct browse_insn){
		.type = line->type.typed ? arena_strdup(&view->texts, line->type.name) : NULL,
		.offset = line->type.offset,
		.weight = maker->has_charges ? charged : sampled,
		.address = line->address,
		.target = line->jump == JUMP_INSIDE ? line->target : 0,
	};
	row->item = view->item_count++;
	if (maker->has_charges)
		row->cells[next++].number = charged;
	row->cells[next++].number = sampled;
	row->cells[next++].text = arena_strdup(&view->texts, address);
	row->cells[next++].text = insn_text(maker, line);
	row->cells[next++].text = type_text(maker, &line->type);
}

static void add_columns(struct code_maker *maker, unsigned int address_width)
{
	struct browse_view *view = maker->view;

	if (maker->has_charges)
		browse_add_column(view,
				  (struct browse_column){ "Charged", CELL_SHARE, 7, 0, 0, false });
	browse_add_column(view, (struct browse_column){ maker->has_charges ? "Sampled" : "Share",
							CELL_SHARE, 7, 0, 0, false });
	browse_add_column(
		view, (struct browse_column){ "Address", CELL_TEXT, address_width, 0, 70, false });
	browse_add_column(
		view, (struct browse_column){ "Source and instruction", CELL_TEXT, 0, 5, 0, true });
	browse_add_column(view,
			  (struct browse_column){ "Type and field", CELL_TEXT, 0, 4, 0, false });
}

/* Returns whether an instruction accesses what the zoom is of; any does if it is of no type. */
static bool is_asked_for(const struct browse_zoom *zoom, const struct browse_insn *insn)
{
	if (!zoom->type)
		return true;
	return insn->type && !strcmp(insn->type, zoom->type) &&
	       (zoom->first == zoom->end ||
		(insn->offset >= zoom->first && insn->offset < zoom->end));
}

/* Returns the row of the instruction with the largest share that the zoom asks for, else the
 * largest. */
static size_t hottest_row(const struct browse_view *view, const struct browse_zoom *zoom)
{
	static const struct browse_zoom any = { 0 };
	size_t best = SIZE_MAX;
	double most = -2;

	for (size_t i = 0; i < view->row_count; i++) {
		const struct browse_insn *insn =
			view->rows[i].kind == ROW_ITEM ? &view->insns[view->rows[i].item] : NULL;

		if (!insn || !is_asked_for(zoom, insn) || insn->weight <= most)
			continue;
		best = i;
		most = insn->weight;
	}
	if (best != SIZE_MAX)
		return best;
	return zoom->type ? hottest_row(view, &any) : 0;
}

void browse_fill_code(struct browse_view *view, const struct code_listing *listing,
		      enum browse_weight weight)
{
	struct code_maker maker = { .view = view, .listing = listing, .weight = weight };
	_cleanup_strbuf_ struct strbuf facts = STRBUF_INIT;
	_cleanup_free_ char *last = NULL;
	const char *slash;

	for (size_t i = 0; i < listing->line_count; i++)
		maker.has_charges |= listing->lines[i].charged != NULL;
	last = xasprintf("%" PRIx64,
			 listing->line_count ? listing->lines[listing->line_count - 1].address : 0);
	add_columns(&maker, (unsigned int)(strlen(last) < 7 ? 7 : strlen(last)));
	for (size_t i = 0; i < listing->line_count; i++)
		if (listing->lines[i].source)
			add_source(&maker, &listing->lines[i]);
		else
			add_insn(&maker, &listing->lines[i]);
	text_add_grouped(&facts, listing->samples);
	slash = strrchr(listing->object, '/');
	strbuf_add_format(&facts, " samples, of %s", slash ? slash + 1 : listing->object);
	view->title = xstrdup(listing->symbol);
	view->facts = strbuf_detach(&facts);
	view->cursor = 0;
	browse_arrange(view);
	browse_move_to(view, hottest_row(view, &view->zoom));
}

/* ---- plain text ---- */

void browse_fill_text(struct browse_view *view, const char *text)
{
	browse_add_column(view, (struct browse_column){ "", CELL_TEXT, 0, 1, 0, false });
	while (*text) {
		size_t length = strcspn(text, "\n");
		struct browse_row *row = browse_add_row(view, ROW_ITEM);

		row->cells[0].text = arena_strndup(&view->texts, text, length);
		text += length + (text[length] == '\n');
	}
}
