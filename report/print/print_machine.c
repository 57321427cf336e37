// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints tables for programs, as JSON and as comma-separated values (print.h). */

#include "base/memory.h"
#include "report/json.h"
#include "report/key/keys.h"
#include "report/print/print.h"

/* Sets `text` to the text of an attribute's cell, without the spaces that align it. */
static void print_machine_cell_text(const struct table *table, uint32_t row, const struct key *key,
				    const struct print_options *options, struct strbuf *text)
{
	struct row_view view = table_view(table, row);
	struct cell_format format = { .hexadecimal = options->hexadecimal,
				      .nanoseconds = options->nanoseconds,
				      .verbose = options->verbose,
				      .totals = table->totals,
				      .more_totals = table->more };
	unsigned int width = key->width ? key->width(key, &view, &format) : 0;

	format.width = text_width(key->header);
	raise_to(format.width, width);
	strbuf_reset(text);
	key->cell(key, &view, &format, text);

	size_t blanks = strspn(text->data, " ");

	if (blanks) {
		memmove(text->data, text->data + blanks, text->length - blanks + 1);
		text->length -= blanks;
	}
	strbuf_trim(text, 0);
}

/* A chain of a row that is above the graph's threshold. */
struct shown_chain {
	const struct chain_tree *tree;
	const uint32_t *nodes; /* of the tree, in the order of the graph */
	size_t count;
	uint64_t samples, period;
};

struct ended {
	uint32_t node;
	uint64_t period;
};

COMPARISON(compare_ended, struct ended, DESCENDING(period) ASCENDING(node))

static void visit_chain(const struct chain_tree *tree, uint32_t node,
			void (*visit)(const struct shown_chain *chain, void *data), void *data)
{
	struct shown_chain chain = { .tree = tree,
				     .samples = tree->nodes[node].samples,
				     .period = tree->nodes[node].period };
	_cleanup_free_ uint32_t *nodes = NULL;
	size_t capacity = 0;

	for (uint32_t at = node; at != CHAIN_TREE_ROOT; at = tree->nodes[at].parent)
		array_add(nodes, chain.count, capacity) = at;
	for (size_t i = 0; i < chain.count / 2; i++) {
		uint32_t other = nodes[i];

		nodes[i] = nodes[chain.count - 1 - i];
		nodes[chain.count - 1 - i] = other;
	}
	chain.nodes = nodes;
	visit(&chain, data);
}

/* Calls `visit` for each chain of a row above the threshold, the most frequent first. */
static void each_chain(const struct table *table, uint32_t row,
		       void (*visit)(const struct shown_chain *chain, void *data), void *data)
{
	struct chain_tree tree;
	uint64_t least = (uint64_t)(table->totals[0] * table->callgraph->options->threshold / 100);
	_cleanup_free_ struct ended *ended = NULL;
	size_t count = 0;

	chain_tree_init(&tree, table->callgraph, table->rows[row].last_chain);
	ended = xcalloc(tree.count, sizeof(*ended));
	for (uint32_t node = 1; node < tree.count; node++)
		if (tree.nodes[node].samples && tree.nodes[node].period >= least)
			ended[count++] = (struct ended){ node, tree.nodes[node].period };
	array_sort(ended, count, compare_ended);
	for (size_t i = 0; i < count; i++)
		visit_chain(&tree, ended[i].node, visit, data);
	chain_tree_deinit(&tree);
}

/* ---- JSON ---- */

struct json_printer {
	const struct table *table;
	const struct print_options *options;
	struct json *json;
	struct strbuf text;
};

static void print_machine_add_columns(const struct table *table, struct json *json)
{
	const struct key_list *columns = &table->layout->columns;

	json_each (json, "columns", const struct key *const, key, columns->keys, columns->count) {
		const char *header = layout_header(table->layout, *key);

		json_string(json, "name", (*key)->name);
		json_string(json, "heading", header + strspn(header, " "));
		json_bool(json, "figure", !(*key)->identity);
	}
}

static void print_machine_add_coverage(const struct coverage *coverage, struct json *json)
{
	json_object(json, "coverage");
	json_unsigned(json, "samples", coverage->samples);
	json_unsigned(json, "with_code", coverage->with_code);
	json_unsigned(json, "memory_accesses", coverage->accesses);
	json_unsigned(json, "typed", coverage->typed);
	if (coverage->charged || coverage->held_back) {
		json_unsigned(json, "charged", coverage->charged);
		json_unsigned(json, "interrupts_off", coverage->held_back);
	}
	json_array(json, "reasons");
	for (size_t i = 0; i < coverage->reason_count; i++) {
		size_t length;
		const char *reason = coverage_reason(coverage, i, &length);
		_cleanup_free_ char *text = xstrndup(reason, length);

		json_object(json, NULL);
		json_string(json, "reason", text);
		json_unsigned(json, "samples", coverage->reasons[i].samples);
		json_end(json);
	}
	json_end(json);
	json_end(json);
}

/* Adds the numbers of data addresses if any are known. */
static void add_data_addresses(const struct coverage *coverage, struct json *json)
{
	if (!coverage->recorded && !coverage->computed)
		return;
	json_object(json, "data_addresses");
	json_unsigned(json, "recorded", coverage->recorded);
	json_unsigned(json, "computed", coverage->computed);
	json_end(json);
}

static void print_machine_add_more_figures(const struct more_figures *more,
					   const struct figures *figures, struct json *json)
{
	static const char *const weights[WEIGHTS] = { "mean_weight1", "mean_weight2",
						      "mean_weight3" };

	for (int i = 0; i < WEIGHTS; i++)
		json_double(json, weights[i],
			    figures->samples ? (double)more->weights[i] / figures->samples : 0);
}

/* Adds the shares of each class for each breakdown among the columns. */
static void add_breakdowns(const struct json_printer *printer, const struct row_view *row,
			   uint32_t event)
{
	const struct table *table = printer->table;
	const struct key_list *columns = &table->layout->columns;

	for (size_t i = 0; i < columns->count; i++) {
		const struct breakdown *breakdown = columns->keys[i]->breakdown;

		if (!breakdown || !row->more)
			continue;
		json_object(printer->json, columns->keys[i]->name);
		for (unsigned int part = 0; part < breakdown->count; part++)
			if (breakdown_shows(breakdown, part, table->more, table->event_count))
				json_double(
					printer->json, breakdown->names[part],
					percent_of(row->more[event].parts[breakdown->first + part],
						   table->totals[event]));
		json_end(printer->json);
	}
}

/*
 * A row of a table of more events than this has figures only for the events that it has samples of:
 * else the document would grow with the square of the number of events. Groups of a real machine
 * are far smaller.
 */
#define DENSE_EVENTS_MAX 64

static bool has_figures(const struct row_view *row, uint32_t event)
{
	return row->event_count <= DENSE_EVENTS_MAX || row->figures[event].samples ||
	       row->figures[event].period || (row->children && row->children[event]);
}

static void add_json_figures(const struct json_printer *printer, const struct row_view *row)
{
	struct json *json = printer->json;

	json_array(json, "figures");
	for (uint32_t event = 0; event < row->event_count; event++) {
		uint64_t total = printer->table->totals[event];

		if (!has_figures(row, event))
			continue;
		json_object(json, NULL);
		if (row->event_count > 1)
			json_unsigned(json, "event", event);
		json_unsigned(json, "samples", row->figures[event].samples);
		json_unsigned(json, "period", row->figures[event].period);
		json_double(json, "percent", percent_of(row->figures[event].period, total));
		if (row->children) {
			json_unsigned(json, "children_period", row->children[event]);
			json_double(json, "children_percent",
				    percent_of(row->children[event], total));
		}
		if (row->more)
			print_machine_add_more_figures(&row->more[event], &row->figures[event],
						       json);
		add_breakdowns(printer, row, event);
		json_end(json);
	}
	json_end(json);
}

static void add_json_keys(struct json_printer *printer, uint32_t row, const struct row_view *view)
{
	const struct layout *layout = printer->table->layout;
	const struct key_list *keys = layout->level_count
					      ? &layout->levels[printer->table->rows[row].level]
					      : &layout->columns;

	json_object(printer->json, "keys");
	for (size_t i = 0; i < keys->count; i++) {
		const struct key *key = keys->keys[i];

		if (!key->identity)
			continue;
		if (key->json) {
			key->json(key, view, printer->json);
			continue;
		}
		print_machine_cell_text(printer->table, row, key, printer->options, &printer->text);
		json_string(printer->json, key->name, printer->text.data);
	}
	json_end(printer->json);
}

static void add_json_chain(const struct shown_chain *chain, void *data)
{
	struct json_printer *printer = data;

	json_object(printer->json, NULL);
	json_unsigned(printer->json, "samples", chain->samples);
	json_unsigned(printer->json, "period", chain->period);
	json_array(printer->json, "frames");
	for (size_t i = 0; i < chain->count; i++) {
		strbuf_reset(&printer->text);
		chain_tree_add_name(chain->tree, chain->nodes[i], &printer->text);
		json_string(printer->json, NULL, printer->text.data);
	}
	json_end(printer->json);
	json_end(printer->json);
}

/* Adds the rows below `parent`. Recursion is bounded by the number of levels. */
static void add_json_rows(struct json_printer *printer, uint32_t parent)
{
	const struct table *table = printer->table;

	json_array(printer->json, "rows");
	for (uint32_t i = 0; i < table->rows[parent].child_count; i++) {
		uint32_t row = table->sorted[table->rows[parent].first_child + i];
		struct row_view view = table_view(table, row);

		if (!table_is_shown(table, row, printer->options->percent_limit))
			continue;
		json_object(printer->json, NULL);
		add_json_figures(printer, &view);
		add_json_keys(printer, row, &view);
		if (table->callgraph && printer->options->callgraph &&
		    table->rows[row].last_chain) {
			json_array(printer->json, "chains");
			each_chain(table, row, add_json_chain, printer);
			json_end(printer->json);
		}
		if (table->layout->level_count &&
		    table->rows[row].level + 1 < table->layout->level_count)
			add_json_rows(printer, row);
		json_end(printer->json);
	}
	json_end(printer->json);
}

void print_table_json(const struct table *table, const struct machine_table *machine,
		      const struct print_options *options, struct json *json)
{
	struct json_printer printer = {
		.table = table, .options = options, .json = json, .text = STRBUF_INIT
	};

	json_object(json, NULL);
	json_string(json, "name", machine->group);
	json_each (json, "events", const char *const, event, machine->events, table->event_count) {
		json_string(json, "name", *event);
		json_unsigned(json, "total", table->totals[event - machine->events]);
	}
	json_unsigned(json, "samples", table->total_samples);
	if (machine->has_types)
		print_machine_add_coverage(machine->coverage, json);
	add_data_addresses(machine->coverage, json);
	print_machine_add_columns(table, json);
	add_json_rows(&printer, ROW_ROOT);
	json_end(json);
	strbuf_deinit(&printer.text);
}

/* ---- comma-separated values ---- */

#define FLUSH_AFTER ((size_t)1 << 16)

struct csv_printer {
	const struct table *table;
	const struct machine_table *machine;
	const struct print_options *options;
	struct strbuf *buffer;
	void (*flush)(struct strbuf *buffer);
	struct strbuf text;
	struct strbuf keys; /* the key columns of the current row */
};

static void print_machine_add_csv_heading(struct csv_printer *printer)
{
	static const char *const figures[] = { "samples", "period", "percent" };
	const struct table *table = printer->table;
	const struct key_list *columns = &table->layout->columns;

	strbuf_add_string(printer->buffer, "table,level,chain");
	for (uint32_t event = 0; event < table->event_count; event++) {
		for (size_t i = 0; i < COUNT_OF(figures); i++) {
			strbuf_add_char(printer->buffer, ',');
			strbuf_reset(&printer->text);
			strbuf_add_string(&printer->text, figures[i]);
			if (table->event_count > 1)
				strbuf_add_format(&printer->text, ":%s",
						  printer->machine->events[event]);
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

static void add_csv_figures(const struct csv_printer *printer, uint32_t row)
{
	struct row_view view = table_view(printer->table, row);

	for (uint32_t event = 0; event < view.event_count; event++) {
		uint64_t total = printer->table->totals[event];

		strbuf_add_format(printer->buffer, ",%" PRIu64 ",%" PRIu64 ",%.6g",
				  view.figures[event].samples, view.figures[event].period,
				  percent_of(view.figures[event].period, total));
		if (view.children)
			strbuf_add_format(printer->buffer, ",%.6g",
					  percent_of(view.children[event], total));
	}
}

/* Returns the row that has the value of `key`: in a hierarchy the row itself or one above it, or
 * ROW_ROOT if the key belongs to a deeper level. */
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

static void find_csv_keys(struct csv_printer *printer, uint32_t row)
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
		print_machine_cell_text(table, from, key, printer->options, &printer->text);
		csv_add_text(&printer->keys, printer->text.data);
	}
}

static void add_csv_chain(const struct shown_chain *chain, void *data)
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
		/* Only a group's first event has a call graph. */
		if (event)
			strbuf_add_string(printer->buffer, ",,,");
		else
			strbuf_add_format(printer->buffer, ",%" PRIu64 ",%" PRIu64 ",%.6g",
					  chain->samples, chain->period,
					  percent_of(chain->period, printer->table->totals[0]));
		if (printer->table->children)
			strbuf_add_char(printer->buffer, ',');
	}
	strbuf_add(printer->buffer, printer->keys.data, printer->keys.length);
	strbuf_add_char(printer->buffer, '\n');
}

/* Adds the rows below `parent`. Recursion is bounded by the number of levels. */
static void add_csv_rows(struct csv_printer *printer, uint32_t parent)
{
	const struct table *table = printer->table;

	for (uint32_t i = 0; i < table->rows[parent].child_count; i++) {
		uint32_t row = table->sorted[table->rows[parent].first_child + i];

		if (!table_is_shown(table, row, printer->options->percent_limit))
			continue;
		find_csv_keys(printer, row);
		csv_add_text(printer->buffer, printer->machine->group);
		strbuf_add_format(printer->buffer, ",%" PRIu32 ",",
				  printer->table->rows[row].level);
		add_csv_figures(printer, row);
		strbuf_add(printer->buffer, printer->keys.data, printer->keys.length);
		strbuf_add_char(printer->buffer, '\n');
		if (table->callgraph && printer->options->callgraph && table->rows[row].last_chain)
			each_chain(table, row, add_csv_chain, printer);
		if (printer->buffer->length >= FLUSH_AFTER)
			printer->flush(printer->buffer);
		add_csv_rows(printer, row);
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
		print_machine_add_csv_heading(&printer);
	add_csv_rows(&printer, ROW_ROOT);
	strbuf_deinit(&printer.text);
	strbuf_deinit(&printer.keys);
}
