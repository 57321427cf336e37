// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The tables of c2c report as text. Each column is a row of a table here: its headings, its width
 * and a function that appends the cell. A heading of the first line may span the columns that
 * follow it.
 */
#include "report/c2c/c2c_table.h"

#include "base/memory.h"
#include "report/key/keys.h"
#include "report/print/print.h"
#include "report/text.h"

#define RULE         "=================================================\n"
#define SYMBOL_WIDTH 30 /* longer symbols and source lines are cut without --full-symbols */
#define NODE_WIDTH   4

/* The widths that depend on the contents. */
struct widths {
	size_t node; /* "Node" of the data: the same in all tables */
	size_t thread, symbol, dso, source;
};

struct c2c_view {
	const struct c2c_table *table;
	const struct c2c_print_options *options;
	struct strbuf *buffer;
	const struct c2c_line *line; /* NULL: cells are of lines, not of rows */
	struct widths widths;
	uint64_t index; /* of the line */
};

struct column {
	const char *first; /* heading in the first line; NULL: none */
	unsigned int span; /* columns after this one that the first heading also spans */
	const char *second;
	unsigned int width; /* 0: see width_of() */
	void (*cell)(const struct c2c_view *view, const struct c2c_row *row, struct strbuf *cell);
};

/* ---- cells ---- */

#define CELL(id)                                                                                   \
	static void id##_cell(const struct c2c_view *view _unused_,                                \
			      const struct c2c_row *row _unused_, struct strbuf *cell _unused_)

#define COUNT_CELL(id, value)                                                                      \
	CELL(id)                                                                                   \
	{                                                                                          \
		const struct c2c_count *count = &row->count;                                       \
		strbuf_add_format(cell, "%" PRIu64, (uint64_t)(value));                            \
	}

COUNT_CELL(tot_hitm, c2c_hitm(count))
COUNT_CELL(lcl_hitm, count->lcl_hitm)
COUNT_CELL(rmt_hitm, count->rmt_hitm)
COUNT_CELL(tot_peer, c2c_peer(count))
COUNT_CELL(lcl_peer, count->lcl_peer)
COUNT_CELL(rmt_peer, count->rmt_peer)
COUNT_CELL(records, c2c_known_records(count))
COUNT_CELL(loads, c2c_known_loads(count))
COUNT_CELL(stores, count->stores)
COUNT_CELL(st_l1_hit, count->st_l1_hit)
COUNT_CELL(st_l1_miss, count->st_l1_miss)
COUNT_CELL(st_unknown, count->st_unknown)
COUNT_CELL(ld_buffer, count->ld_buffer)
COUNT_CELL(ld_l1, count->ld_l1)
COUNT_CELL(ld_l2, count->ld_l2)
COUNT_CELL(ld_llc, count->ld_llc)
COUNT_CELL(rmt_hit, count->rmt_hit)
COUNT_CELL(lcl_dram, count->lcl_dram)
COUNT_CELL(rmt_dram, count->rmt_dram)

CELL(physical)
{
	strbuf_add_number(cell, row->physical_changes);
}

static void add_percent(uint64_t part, uint64_t whole, struct strbuf *cell)
{
	strbuf_add_format(cell, "%.2f%%", percent_of(part, whole));
}

/* Appends the line's share of the HITM or peer accesses of all samples. */
CELL(share)
{
	enum c2c_display display = view->table->options.display;

	add_percent(c2c_displayed(&row->count, display),
		    c2c_displayed(&view->table->total, display), cell);
}

#define SHARE_CELL(name)                                                                           \
	CELL(name##_share)                                                                         \
	{                                                                                          \
		add_percent(row->count.name, view->line->whole.count.name, cell);                  \
	}

SHARE_CELL(lcl_hitm)
SHARE_CELL(rmt_hitm)
SHARE_CELL(lcl_peer)
SHARE_CELL(rmt_peer)
SHARE_CELL(st_l1_hit)
SHARE_CELL(st_l1_miss)
SHARE_CELL(st_unknown)

#define MEAN_CELL(id, kind)                                                                        \
	CELL(id)                                                                                   \
	{                                                                                          \
		strbuf_add_format(cell, "%.0f", row->means[kind].mean);                            \
	}

MEAN_CELL(mean_rmt_hitm, C2C_MEAN_RMT_HITM)
MEAN_CELL(mean_lcl_hitm, C2C_MEAN_LCL_HITM)
MEAN_CELL(mean_rmt_peer, C2C_MEAN_RMT_PEER)
MEAN_CELL(mean_lcl_peer, C2C_MEAN_LCL_PEER)
MEAN_CELL(mean_load, C2C_MEAN_LOAD)

CELL(nothing)
{
}

CELL(index)
{
	strbuf_add_format(cell, "%" PRIu64, view->index);
}

CELL(line_address)
{
	strbuf_add_format(cell, "0x%" PRIx64, row->first.address & -view->table->options.cacheline);
}

CELL(offset)
{
	strbuf_add_format(cell, "0x%" PRIx64,
			  row->first.address & (view->table->options.cacheline - 1));
}

CELL(code)
{
	strbuf_add_format(cell, "0x%" PRIx64, row->first.ip);
}

CELL(pid)
{
	strbuf_add_format(cell, "%d", row->first.pid);
}

static uint32_t set_size(const uint64_t *set, size_t words)
{
	return sum_over(uint32_t, i, 0, words, (uint32_t)__builtin_popcountll(set[i]));
}

CELL(cpu_count)
{
	strbuf_add_format(cell, "%u", set_size(row->cpus, view->table->cpu_words));
}

/* Appends "0,2-3". */
static void add_set(const uint64_t *set, size_t words, struct strbuf *text)
{
	size_t start = text->length;

	for (uint32_t i = 0, end; i < words * 64; i = end + 1) {
		for (end = i; end < words * 64 && c2c_set_has(set, end);)
			end++;
		if (end == i)
			continue;
		strbuf_add_format(text, "%s%u", text->length > start ? "," : "", i);
		if (end - i > 1)
			strbuf_add_format(text, "-%u", end - 1);
	}
}

CELL(memory_node)
{
	size_t start = cell->length;

	add_set(row->memory_nodes, view->table->node_words, cell);
	if (cell->length == start)
		strbuf_add_string(cell, "N/A");
}

/* Returns the result for the sort keys of dtprof report, whose cells are a row's texts. */
static struct result result_of(const struct c2c_row *row)
{
	return (struct result){ .place = row->first.place,
				.level = row->first.level,
				.comm = row->first.thread,
				.thread = row->first.thread,
				.pid = row->first.pid,
				.tid = row->first.tid };
}

static size_t add_key(const struct key *key, const struct c2c_view *view, const struct c2c_row *row,
		      size_t most, struct strbuf *cell)
{
	struct result result = result_of(row);
	struct row_view shown = { .result = &result };
	struct cell_format format = { .verbose = view->options->verbose };
	size_t start = cell->length, fitting;

	format.width = key->width(key, &shown, &format);
	key->cell(key, &shown, &format, cell);
	strbuf_trim(cell, start);
	fitting = text_fitting(cell->data + start, cell->length - start, most);
	strbuf_truncate(cell, start + fitting);
	return text_columns(cell->data + start, fitting);
}

static size_t limit(const struct c2c_view *view)
{
	return view->options->full_symbols ? SIZE_MAX : SYMBOL_WIDTH;
}

CELL(thread)
{
	strbuf_add_format(cell, "%7d:%s", row->first.tid, row->first.thread ?: "");
}

CELL(symbol)
{
	add_key(&key_symbol, view, row, limit(view), cell);
}

CELL(dso)
{
	add_key(&key_dso, view, row, SIZE_MAX, cell);
}

static const char *source_line(const struct c2c_row *row)
{
	return row->first.place->source_line ?: "";
}

CELL(source)
{
	const char *text = source_line(row);

	strbuf_add(cell, text, text_fitting(text, strlen(text), limit(view)));
}

/* ---- the nodes of the processors ---- */

#define NODE_CELL_WIDTH 21 /* "-N": " 0{ 2  33.3%    n/a}" and a space */

static void print_c2c_add_share(uint64_t part, uint64_t whole, const char *end, struct strbuf *cell)
{
	if (whole)
		strbuf_add_format(cell, "%5.1f%%%s", 100.0 * (double)part / (double)whole, end);
	else
		strbuf_add_format(cell, "%6s%s", "n/a", end);
}

static void print_c2c_add_node(const struct c2c_view *view, const struct c2c_row *row,
			       uint32_t node, const uint64_t *cpus, struct strbuf *cell)
{
	const struct c2c_count none = { 0 }, *count = row->by_node ? &row->by_node[node] : &none;
	enum c2c_display display = view->table->options.display;
	size_t words = view->table->cpu_words;

	strbuf_add_format(cell, "%2u", node);
	if (view->options->node_info == 1) {
		strbuf_add_format(cell, "{%2u ", set_size(cpus, words));
		print_c2c_add_share(c2c_displayed(count, display),
				    c2c_displayed(&row->count, display), " ", cell);
		print_c2c_add_share(count->stores, row->count.stores, "}", cell);
	} else if (view->options->node_info > 1) {
		strbuf_add_char(cell, '{');
		add_set(cpus, words, cell);
		strbuf_add_char(cell, '}');
	}
}

CELL(node)
{
	const struct c2c_nodes *nodes = &view->table->options.nodes;
	size_t words = view->table->cpu_words;
	_cleanup_free_ uint64_t *cpus = xcalloc(words, sizeof(*cpus));
	bool first = true;

	for (uint32_t node = 0; node < nodes->count; node++) {
		bool any = false;

		for (uint32_t cpu = 0; cpu < nodes->cpu_count; cpu++) {
			bool in =
				nodes->of_cpu[cpu] == (int32_t)node && c2c_set_has(row->cpus, cpu);

			cpus[cpu / 64] &= ~(UINT64_C(1) << cpu % 64);
			cpus[cpu / 64] |= (uint64_t)in << cpu % 64;
			any |= in;
		}
		if (!any) {
			if (view->options->node_info == 1)
				strbuf_add_format(cell, "%*s", NODE_CELL_WIDTH, " ");
			continue;
		}
		if (!first)
			strbuf_add_char(cell, ' ');
		print_c2c_add_node(view, row, node, cpus, cell);
		first = false;
	}
}

/* ---- columns ---- */

#define SPAN(first_, span_, second_, width_, cell_)                                                \
	{                                                                                          \
		.first = first_, .span = span_, .second = second_, .width = width_,                \
		.cell = cell_##_cell                                                               \
	}
#define PLAIN(second_, width_, cell_)        SPAN(NULL, 0, second_, width_, cell_)
#define BOTH(first_, second_, width_, cell_) SPAN(first_, 0, second_, width_, cell_)

#define COLUMNS_MAX 32

struct columns {
	struct column items[COLUMNS_MAX];
	size_t count;
	char line_heading[64], data_heading[64]; /* whose dashes depend on widths */
};

static void add_columns(struct columns *columns, const struct column *more, size_t count)
{
	for (size_t i = 0; i < count && columns->count < COLUMNS_MAX; i++)
		columns->items[columns->count++] = more[i];
}

#define ADD(columns, ...)                                                                          \
	do {                                                                                       \
		static const struct column added_[] = { __VA_ARGS__ };                             \
		add_columns(columns, added_, COUNT_OF(added_));                                    \
	} while (0)

/* Writes "----- Cacheline ----" with `width` characters in all. */
static void dashes(char *text, size_t size, const char *heading, size_t width)
{
	size_t length = strlen(heading), before = width / 2 - length / 2 - 1;

	if (width >= size)
		width = size - 1;
	memset(text, '-', width);
	text[before] = ' ';
	memcpy(text + before + 1, heading, length);
	text[before + 1 + length] = ' ';
	text[width] = '\0';
}

static void line_columns(const struct c2c_view *view, struct columns *columns)
{
	static const struct column shares[] = {
		[C2C_TOTAL_HITM] = BOTH("Tot", "Hitm", 7, share),
		[C2C_LOCAL_HITM] = BOTH("Lcl", "Hitm", 7, share),
		[C2C_REMOTE_HITM] = BOTH("Rmt", "Hitm", 7, share),
		[C2C_PEER] = BOTH("Peer", "Snoop", 7, share),
	};
	enum c2c_display display = view->table->options.display;
	bool peer = display == C2C_PEER, two = view->table->options.cacheline > 64;

	*columns = (struct columns){ 0 };
	dashes(columns->line_heading, sizeof(columns->line_heading),
	       two ? "Double-Cacheline" : "Cacheline", 18 + view->widths.node + 6 + 4);
	ADD(columns, PLAIN("Index", 5, index), SPAN("", 2, "Address", 18, line_address),
	    PLAIN("Node", 0, memory_node), PLAIN("PA cnt", 6, physical));
	columns->items[1].first = columns->line_heading;
	add_columns(columns, &shares[display], 1);
	if (peer)
		ADD(columns, SPAN("------- Load Peer -------", 2, "Total", 7, tot_peer),
		    PLAIN("Local", 7, lcl_peer), PLAIN("Remote", 7, rmt_peer));
	else
		ADD(columns, SPAN("------- Load Hitm -------", 2, "Total", 7, tot_hitm),
		    PLAIN("LclHitm", 7, lcl_hitm), PLAIN("RmtHitm", 7, rmt_hitm));
	ADD(columns, BOTH("Total", "records", 7, records), BOTH("Total", "Loads", 7, loads),
	    BOTH("Total", "Stores", 7, stores),
	    SPAN("--------- Stores --------", 2, "L1Hit", 7, st_l1_hit),
	    PLAIN("L1Miss", 7, st_l1_miss), PLAIN("N/A", 7, st_unknown),
	    SPAN("----- Core Load Hit -----", 2, "FB", 7, ld_buffer), PLAIN("L1", 7, ld_l1),
	    PLAIN("L2", 7, ld_l2), SPAN("- LLC Load Hit --", 1, "LclHit", 8, ld_llc),
	    PLAIN("LclHitm", 7, lcl_hitm), SPAN("- RMT Load Hit --", 1, "RmtHit", 8, rmt_hit),
	    PLAIN("RmtHitm", 7, rmt_hitm), SPAN("--- Load Dram ----", 1, "Lcl", 8, lcl_dram),
	    PLAIN("Rmt", 8, rmt_dram));
}

/* Sets the columns of the title, the one row that stands above the rows of a line. */
static void title_columns(const struct c2c_view *view, struct columns *columns)
{
	*columns = (struct columns){ 0 };
	ADD(columns, PLAIN("Num", 5, index));
	if (view->table->options.display == C2C_PEER)
		ADD(columns, PLAIN("Rmt", 7, rmt_peer), PLAIN("Lcl", 7, lcl_peer));
	else
		ADD(columns, PLAIN("Rmt", 7, rmt_hitm), PLAIN("Lcl", 7, lcl_hitm));
	ADD(columns, PLAIN("L1 Hit", 7, st_l1_hit), PLAIN("L1 Miss", 7, st_l1_miss),
	    PLAIN("N/A", 7, st_unknown), PLAIN("Address", 18, line_address));
}

static const char *node_heading(const struct c2c_view *view)
{
	switch (view->options->node_info) {
	case 0: return "Node";
	case 1:
		return view->table->options.display == C2C_PEER ? "Node{cpus %peers %stores}"
								: "Node{cpus %hitms %stores}";
	default: return "Node{cpu list}";
	}
}

static void row_columns(const struct c2c_view *view, struct columns *columns)
{
	unsigned int parts = view->table->options.parts;
	bool peer = view->table->options.display == C2C_PEER;

	*columns = (struct columns){ 0 };
	dashes(columns->data_heading, sizeof(columns->data_heading), "Data address",
	       18 + view->widths.node + 6 + 4);
	ADD(columns, PLAIN("Num", 5, nothing));
	if (peer)
		ADD(columns, SPAN("-- Peer Snoop --", 1, "Rmt", 7, rmt_peer_share),
		    PLAIN("Lcl", 7, lcl_peer_share));
	else
		ADD(columns, SPAN("----- HITM -----", 1, "RmtHitm", 7, rmt_hitm_share),
		    PLAIN("LclHitm", 7, lcl_hitm_share));
	ADD(columns, SPAN("------- Store Refs ------", 2, "L1 Hit", 7, st_l1_hit_share),
	    PLAIN("L1 Miss", 7, st_l1_miss_share), PLAIN("N/A", 7, st_unknown_share),
	    SPAN("", 2, "Offset", 18, offset), PLAIN("Node", 0, memory_node),
	    PLAIN("PA cnt", 6, physical));
	columns->items[6].first = columns->data_heading;
	if (parts & C2C_PID)
		ADD(columns, PLAIN("Pid", 7, pid));
	if (parts & C2C_TID)
		ADD(columns, PLAIN("Tid", 0, thread));
	if (parts & C2C_CODE)
		ADD(columns, PLAIN("Code address", 18, code));
	if (peer)
		ADD(columns, SPAN("---------- cycles ----------", 2, "rmt peer", 8, mean_rmt_peer),
		    PLAIN("lcl peer", 8, mean_lcl_peer));
	else
		ADD(columns, SPAN("---------- cycles ----------", 2, "rmt hitm", 8, mean_rmt_hitm),
		    PLAIN("lcl hitm", 8, mean_lcl_hitm));
	ADD(columns, PLAIN("load", 8, mean_load), BOTH("Total", "records", 7, records),
	    BOTH("cpu", "cnt", 8, cpu_count));
	if (parts & C2C_CODE)
		ADD(columns, PLAIN("Symbol", 0, symbol));
	if (parts & (C2C_CODE | C2C_DSO))
		ADD(columns, BOTH("Shared", "Object", 0, dso));
	if (parts & C2C_CODE && !view->options->no_source)
		ADD(columns, PLAIN("Source:Line", 0, source));
	ADD(columns, PLAIN("", NODE_WIDTH, node));
	columns->items[columns->count - 1].second = node_heading(view);
}

static bool is_text(const struct column *column)
{
	return column->cell == thread_cell || column->cell == symbol_cell ||
	       column->cell == dso_cell || column->cell == source_cell;
}

static size_t width_of(const struct c2c_view *view, const struct column *column)
{
	const struct widths *widths = &view->widths;

	return column->cell == memory_node_cell ? widths->node
	       : column->cell == thread_cell    ? widths->thread
	       : column->cell == symbol_cell    ? widths->symbol
	       : column->cell == dso_cell       ? widths->dso
	       : column->cell == source_cell    ? widths->source
						: column->width;
}

/* ---- headings and rows ---- */

static void add_heading(const struct c2c_view *view, const struct columns *columns, bool second)
{
	bool first = true;

	strbuf_add_string(view->buffer, "# ");
	for (size_t i = 0; i < columns->count; i++) {
		const struct column *column = &columns->items[i];
		const char *text = second ? column->second : column->first;

		strbuf_add_format(view->buffer, "%s%*s", first ? "" : "  ",
				  (int)width_of(view, column), text ?: "");
		first = false;
		if (!second)
			i += column->span;
	}
	strbuf_add_char(view->buffer, '\n');
}

static void add_headings(const struct c2c_view *view, const struct columns *columns)
{
	add_heading(view, columns, false);
	add_heading(view, columns, true);
	strbuf_add_string(view->buffer, "# ");
	for (size_t i = 0; i < columns->count; i++) {
		if (i)
			strbuf_add_string(view->buffer, "  ");
		for (size_t dot = width_of(view, &columns->items[i]); dot; dot--)
			strbuf_add_char(view->buffer, '.');
	}
	strbuf_add_string(view->buffer, "\n#\n");
}

static void add_row(const struct c2c_view *view, const struct columns *columns,
		    const struct c2c_row *row)
{
	struct strbuf *buffer = view->buffer;
	size_t line = buffer->length;
	_cleanup_strbuf_ struct strbuf cell = STRBUF_INIT;

	array_each (const struct column, column, columns->items, columns->count) {
		size_t width = width_of(view, column);

		strbuf_add_string(buffer, "  ");
		strbuf_reset(&cell);
		column->cell(view, row, &cell);
		if (column->cell == node_cell)
			strbuf_add_string(buffer, cell.length ? cell.data : "");
		else if (is_text(column))
			text_add_columns(buffer, cell.length ? cell.data : "", width);
		else
			strbuf_add_format(buffer, "%*s", (int)width, cell.length ? cell.data : "");
	}
	strbuf_end_line(buffer, line);
}

/* ---- widths ---- */

static void widen(size_t *width, size_t least)
{
	raise_to(*width, least);
}

static void widen_nodes(struct c2c_view *view, const struct c2c_row *row)
{
	_cleanup_strbuf_ struct strbuf cell = STRBUF_INIT;

	memory_node_cell(view, row, &cell);
	widen(&view->widths.node, cell.length);
}

/* Sets the widths of the columns to what the rows of the line need, hidden ones included. */
static void measure_rows(struct c2c_view *view, const struct c2c_line *line)
{
	struct widths *widths = &view->widths;

	widths->thread = widths->symbol = widths->dso = widths->source = 0;
	array_each (const struct c2c_row, row, line->rows, line->row_count) {
		_cleanup_strbuf_ struct strbuf cell = STRBUF_INIT;

		widen(&widths->thread,
		      8 + text_columns(row->first.thread ?: "", strlen(row->first.thread ?: "")));
		/* a row without a symbol has 16 digits after its level and two spaces, and needs as
		 * many columns for its object */
		if (!row->first.place->symbol) {
			widen(&widths->symbol, 22);
			widen(&widths->dso, 16);
		} else {
			widen(&widths->symbol, add_key(&key_symbol, view, row, SIZE_MAX, &cell));
			widen(&widths->dso, add_key(&key_dso, view, row, SIZE_MAX, &cell));
		}
		if (!view->options->no_source)
			widen(&widths->source,
			      text_columns(source_line(row), strlen(source_line(row))));
	}
	widen(&widths->source, strlen("Source:Line"));
	lower_to(widths->symbol, limit(view));
	lower_to(widths->source, limit(view));
}

static void measure_nodes(struct c2c_view *view)
{
	widen(&view->widths.node, NODE_WIDTH);
	array_each (const struct c2c_line, line, view->table->lines, view->table->line_count) {
		if (!line->shown)
			continue;
		widen_nodes(view, &line->whole);
		for (size_t row = 0; row < line->row_count; row++)
			widen_nodes(view, &line->rows[row]);
	}
}

/* ---- the parts ---- */

static void add_count(struct strbuf *buffer, const char *label, uint64_t value)
{
	strbuf_add_format(buffer, "  %-34s: %10" PRIu64 "\n", label, value);
}

static void add_miss_share(struct strbuf *buffer, const char *label, uint64_t part, uint64_t misses)
{
	if (misses)
		strbuf_add_format(buffer, "  %-34s: %10.1f%%\n", label,
				  100.0 * (double)part / (double)misses);
	else
		strbuf_add_format(buffer, "  %-34s: %10s%%\n", label,
				  "-nan"); /* as perf prints 0/0 */
}

static void add_title(struct strbuf *buffer, const char *title)
{
	strbuf_add_format(buffer, RULE "%-49s\n" RULE, title);
}

/* Appends the derived counts that stand below the count of this name. */
static void add_derived(const struct c2c_count *total, const char *name, struct strbuf *buffer)
{
	uint64_t misses = c2c_llc_misses(total);

	if (!strcmp(name, "ld_llc"))
		add_count(buffer, "Load LLC hit", total->ld_llc + total->lcl_hitm);
	if (!strcmp(name, "ld_shared"))
		add_count(buffer, "Load LLC Misses", misses);
	if (!strcmp(name, "rmt_peer")) {
		add_miss_share(buffer, "LLC Misses to Local DRAM", total->lcl_dram, misses);
		add_miss_share(buffer, "LLC Misses to Remote DRAM", total->rmt_dram, misses);
		add_miss_share(buffer, "LLC Misses to Remote cache (HIT)", total->rmt_hit, misses);
		add_miss_share(buffer, "LLC Misses to Remote cache (HITM)", total->rmt_hitm,
			       misses);
	}
}

/* Appends the counts of the whole recording, as "Trace Event Information" has them. */
static void print_c2c_events(const struct c2c_count *total, struct strbuf *buffer)
{
	add_title(buffer, "            Trace Event Information");
#define C2C_SHOW(name, label)                                                                      \
	if (label)                                                                                 \
		add_count(buffer, label, total->name);                                             \
	add_derived(total, #name, buffer);
	C2C_COUNTS(C2C_SHOW)
#undef C2C_SHOW
}

static void add_shared(const struct c2c_view *view)
{
	const struct c2c_count *shared = &view->table->shared;
	struct strbuf *buffer = view->buffer;

	add_title(buffer, "    Global Shared Cache Line Event Information");
	add_count(buffer, "Total Shared Cache Lines", view->table->shared_lines);
	add_count(buffer, "Load HITs on shared lines", shared->loads);
	add_count(buffer, "Fill Buffer Hits on shared lines", shared->ld_buffer);
	add_count(buffer, "L1D hits on shared lines", shared->ld_l1);
	add_count(buffer, "L2D hits on shared lines", shared->ld_l2);
	add_count(buffer, "LLC hits on shared lines", shared->ld_llc + shared->lcl_hitm);
	add_count(buffer, "Load hits on peer cache or nodes", c2c_peer(shared));
	add_count(buffer, "Locked Access on shared lines", shared->locks);
	add_count(buffer, "Blocked Access on shared lines",
		  shared->blocked_data + shared->blocked_addr);
	add_count(buffer, "Store HITs on shared lines", shared->stores);
	add_count(buffer, "Store L1D hits on shared lines", shared->st_l1_hit);
	add_count(buffer, "Store No available memory level", shared->st_unknown);
	add_count(buffer, "Total Merged records", c2c_hitm(shared) + shared->stores);
}

static void add_details(const struct c2c_view *view)
{
	static const char *const displays[] = { [C2C_TOTAL_HITM] = "Total HITMs",
						[C2C_LOCAL_HITM] = "Local HITMs",
						[C2C_REMOTE_HITM] = "Remote HITMs",
						[C2C_PEER] = "Peer Snoop" };
	struct strbuf *buffer = view->buffer;

	add_title(buffer, "                 c2c details");
	for (size_t i = 0; i < view->options->event_count; i++) {
		size_t start = buffer->length;

		strbuf_add_format(buffer, "%-36s: %s", i ? "" : "  Events",
				  view->options->events[i]);
		strbuf_end_line(buffer, start);
	}
	strbuf_add_format(buffer, "  %-34s: %s\n", "Cachelines sort on",
			  displays[view->table->options.display]);
	strbuf_add_format(buffer, "  %-34s: offset,%s\n", "Cacheline data grouping",
			  view->table->options.parts_text);
}

static void print_c2c_add_lines(struct c2c_view *view)
{
	struct columns columns;

	add_title(view->buffer, "           Shared Data Cache Line Table");
	strbuf_add_string(view->buffer, "#\n");
	if (view->options->on_terminal &&
	    !any_of(i, 0, view->table->line_count, view->table->lines[i].shown)) {
		strbuf_add_string(
			view->buffer,
			"# no cacheline has accesses that -d counts; --show-all shows all lines\n");
		return;
	}
	line_columns(view, &columns);
	add_headings(view, &columns);
	view->index = 0;
	for (size_t i = 0; i < view->table->line_count; i++) {
		if (!view->table->lines[i].shown)
			continue;
		add_row(view, &columns, &view->table->lines[i].whole);
		view->index++;
	}
}

/* Appends the call graph of a row, with percentages of the line's period. */
static void print_c2c_add_callers(const struct c2c_view *view, const struct c2c_row *row)
{
	if (view->table->options.callgraph)
		print_callgraph(view->table->options.callgraph, row->last_chain,
				&(struct callgraph_print){ .total = view->line->whole.period,
							   .row_total = row->period },
				view->buffer);
}

#define TITLE_RULE "  ----------------------------------------------------------------------\n"

static void add_pareto(struct c2c_view *view)
{
	struct columns titles, columns;

	add_title(view->buffer, "      Shared Cache Line Distribution Pareto");
	strbuf_add_string(view->buffer, "#\n");
	title_columns(view, &titles);
	row_columns(view, &columns);
	view->index = 0;
	array_each (const struct c2c_line, line, view->table->lines, view->table->line_count) {
		if (!line->shown)
			continue;
		view->line = line;
		measure_rows(view, line);
		if (view->index)
			strbuf_add_char(view->buffer, '\n');
		else
			add_headings(view, &columns);
		strbuf_add_string(view->buffer, TITLE_RULE);
		add_row(view, &titles, &line->whole);
		strbuf_add_string(view->buffer, TITLE_RULE);
		for (size_t row = 0; row < line->row_count; row++)
			if (!line->rows[row].hidden) {
				add_row(view, &columns, &line->rows[row]);
				print_c2c_add_callers(view, &line->rows[row]);
			}
		view->index++;
	}
}

void print_c2c(const struct c2c_table *table, const struct c2c_print_options *options,
	       struct strbuf *buffer)
{
	struct c2c_view view = { .table = table, .options = options, .buffer = buffer };

	measure_nodes(&view);
	print_c2c_events(&table->total, buffer);
	strbuf_add_char(buffer, '\n');
	add_shared(&view);
	strbuf_add_char(buffer, '\n');
	add_details(&view);
	if (options->stats_only)
		return;
	strbuf_add_char(buffer, '\n');
	print_c2c_add_lines(&view);
	strbuf_add_char(buffer, '\n');
	add_pareto(&view);
}
