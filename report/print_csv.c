// SPDX-License-Identifier: GPL-2.0-or-later
/* One line a row: the table, figures for each of its events, keys. A chain is a line of its own below its
 * row. */
#include <inttypes.h>
#include <string.h>

#include "report/cell_text.h"
#include "report/csv.h"
#include "report/keys.h"
#include "report/print_json.h"

#define FLUSH_AFTER ((size_t)1 << 16)

struct csv_printer {
	const struct table *table;
	const struct machine_table *machine;
	const struct print_options *options;
	struct strbuf *buffer;
	void (*flush)(struct strbuf *buffer);
	struct strbuf text;
	struct strbuf keys; /* of the row at hand, as they stand in its line */
};

static void add_heading(struct csv_printer *printer)
{
	static const char *const figures[] = { "samples", "period", "percent" };
	const struct table *table = printer->table;
	const struct key_list *columns = &table->layout->columns;

	strbuf_add_string(printer->buffer, "table,level,chain");
	for (uint32_t event = 0; event < table->event_count; event++) {
		for (size_t i = 0; i < sizeof(figures) / sizeof(*figures); i++) {
			strbuf_add_char(printer->buffer, ',');
			strbuf_reset(&printer->text);
			strbuf_add_string(&printer->text, figures[i]);
			if (table->event_count > 1)
				strbuf_add_format(&printer->text, ":%s", printer->machine->events[event]);
			csv_add_text(printer->buffer, printer->text.data);
		}
		if (table->children)
			strbuf_add_string(printer->buffer, ",children_percent");
	}
	for (size_t i = 0; i < columns->count; i++)
		if (columns->keys[i]->identity || columns->keys[i]->wants_more)
			strbuf_add_format(printer->buffer, ",%s", columns->keys[i]->name);
	strbuf_add_char(printer->buffer, '\n');
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void add_row_start(const struct csv_printer *printer, uint32_t row)
{
	csv_add_text(printer->buffer, printer->machine->group);
	strbuf_add_format(printer->buffer, ",%" PRIu32 ",", printer->table->rows[row].level);
}

static void add_figures(const struct csv_printer *printer, uint32_t row)
{
	struct row_view view = table_view(printer->table, row);

	for (uint32_t event = 0; event < view.event_count; event++) {
		uint64_t total = printer->table->totals[event];

		strbuf_add_format(printer->buffer, ",%" PRIu64 ",%" PRIu64 ",%.6g",
				  view.figures[event].samples, view.figures[event].period,
				  share(view.figures[event].period, total));
		if (view.children)
			strbuf_add_format(printer->buffer, ",%.6g", share(view.children[event], total));
	}
}

/* The row that stands for a key: of a hierarchy the one of its level at or above; ROW_ROOT: it is below. */
static uint32_t row_of_key(const struct table *table, uint32_t row, const struct key *key)
{
	const struct layout *layout = table->layout;

	if (!layout->level_count)
		return row;
	for (; row != ROW_ROOT; row = table->rows[row].parent) {
		const struct key_list *keys = &layout->levels[table->rows[row].level];

		for (size_t i = 0; i < keys->count; i++)
			if (keys->keys[i] == key)
				return row;
	}
	return ROW_ROOT;
}

static void find_keys(struct csv_printer *printer, uint32_t row)
{
	const struct table *table = printer->table;
	const struct key_list *columns = &table->layout->columns;

	strbuf_reset(&printer->keys);
	for (size_t i = 0; i < columns->count; i++) {
		const struct key *key = columns->keys[i];
		uint32_t from = key->identity ? row_of_key(table, row, key) : row;

		if (!key->identity && !key->wants_more)
			continue;
		strbuf_add_char(&printer->keys, ',');
		if (from == ROW_ROOT)
			continue;
		cell_text(table, from, key, printer->options, &printer->text);
		csv_add_text(&printer->keys, printer->text.data);
	}
}

static void add_chain(const struct shown_chain *chain, void *data)
{
	struct csv_printer *printer = data;

	strbuf_reset(&printer->text);
	for (size_t i = 0; i < chain->count; i++) {
		if (i)
			strbuf_add_char(&printer->text, ';');
		chain_tree_add_name(chain->tree, chain->nodes[i], &printer->text);
	}
	csv_add_text(printer->buffer, printer->machine->group);
	strbuf_add_string(printer->buffer, ",,");
	csv_add_text(printer->buffer, printer->text.data);
	for (uint32_t event = 0; event < printer->table->event_count; event++) {
		/* a group's graph is that of its first event */
		if (event)
			strbuf_add_string(printer->buffer, ",,,");
		else
			strbuf_add_format(printer->buffer, ",%" PRIu64 ",%" PRIu64 ",%.6g", chain->samples,
					  chain->period, share(chain->period, printer->table->totals[0]));
		if (printer->table->children)
			strbuf_add_char(printer->buffer, ',');
	}
	strbuf_add(printer->buffer, printer->keys.data, printer->keys.length);
	strbuf_add_char(printer->buffer, '\n');
}

/* Rows below a row, as deep as there are levels. */
static void add_rows(struct csv_printer *printer, uint32_t parent)
{
	const struct table *table = printer->table;

	for (uint32_t i = 0; i < table->rows[parent].child_count; i++) {
		uint32_t row = table->sorted[table->rows[parent].first_child + i];

		if (!table_is_shown(table, row, printer->options->percent_limit))
			continue;
		find_keys(printer, row);
		add_row_start(printer, row);
		add_figures(printer, row);
		strbuf_add(printer->buffer, printer->keys.data, printer->keys.length);
		strbuf_add_char(printer->buffer, '\n');
		if (table->callgraph && printer->options->callgraph && table->rows[row].last_chain)
			each_chain(table, row, add_chain, printer);
		if (printer->buffer->length >= FLUSH_AFTER)
			printer->flush(printer->buffer);
		add_rows(printer, row);
	}
}

void print_table_csv(const struct table *table, const struct machine_table *machine,
		     const struct print_options *options, bool heading, struct strbuf *buffer,
		     void (*flush)(struct strbuf *buffer))
{
	struct csv_printer printer = { .table = table,
				       .machine = machine,
				       .options = options,
				       .buffer = buffer,
				       .flush = flush,
				       .text = STRBUF_INIT,
				       .keys = STRBUF_INIT };

	if (heading)
		add_heading(&printer);
	add_rows(&printer, ROW_ROOT);
	strbuf_release(&printer.text);
	strbuf_release(&printer.keys);
}
