// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print_json.h"

#include <string.h>

#include "profiler/base/memory.h"
#include "report/cell_text.h"
#include "report/keys.h"

struct json_printer {
	const struct table *table;
	const struct print_options *options;
	struct json *json;
	struct strbuf text;
};

static double share(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

static void add_columns(const struct table *table, struct json *json)
{
	const struct key_list *columns = &table->layout->columns;

	json_array(json, "columns");
	for (size_t i = 0; i < columns->count; i++) {
		const char *header = layout_header(table->layout, columns->keys[i]);

		json_object(json, NULL);
		json_string(json, "name", columns->keys[i]->name);
		json_string(json, "heading", header + strspn(header, " "));
		json_bool(json, "figure", !columns->keys[i]->identity);
		json_end(json);
	}
	json_end(json);
}

static void add_coverage(const struct coverage *coverage, struct json *json)
{
	json_object(json, "coverage");
	json_unsigned(json, "samples", coverage->samples);
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

/* As in the text: where some are known. */
static void add_data_addresses(const struct coverage *coverage, struct json *json)
{
	if (!coverage->recorded && !coverage->computed)
		return;
	json_object(json, "data_addresses");
	json_unsigned(json, "recorded", coverage->recorded);
	json_unsigned(json, "computed", coverage->computed);
	json_end(json);
}

static void add_more_figures(const struct more_figures *more, const struct figures *figures, uint64_t total,
			     struct json *json)
{
	static const char *const levels[LEVELS] = { "percent_sys", "percent_us", "percent_guest_sys",
						    "percent_guest_us" };
	static const char *const weights[WEIGHTS] = { "mean_weight1", "mean_weight2", "mean_weight3" };

	for (int i = 0; i < LEVELS; i++)
		json_double(json, levels[i], share(more->level_periods[i], total));
	for (int i = 0; i < WEIGHTS; i++)
		json_double(json, weights[i],
			    figures->samples ? (double)more->weights[i] / figures->samples : 0);
}

/* Shares by class, of the breakdowns that are columns. */
static void add_breakdowns(const struct json_printer *printer, const struct row_view *row, uint32_t event)
{
	const struct table *table = printer->table;
	const struct key_list *columns = &table->layout->columns;

	for (size_t i = 0; i < columns->count; i++) {
		const struct breakdown *breakdown = columns->keys[i]->breakdown;

		if (!breakdown)
			continue;
		json_object(printer->json, columns->keys[i]->name);
		for (unsigned int part = 0; part < breakdown->count; part++)
			if (breakdown_shows(breakdown, part, table->more, table->event_count))
				json_double(printer->json, breakdown->names[part],
					    share(row->more[event].parts[breakdown->first + part],
						  table->totals[event]));
		json_end(printer->json);
	}
}

static void add_latencies(const struct json_printer *printer, const struct row_view *row, uint32_t event)
{
	const struct table *table = printer->table;

	if (layout_has(table->layout, &key_latency_share))
		json_double(printer->json, "latency_percent",
			    share(row->more[event].latency, table->more[event].latency));
	if (layout_has(table->layout, &key_latency_children))
		json_double(printer->json, "latency_children_percent",
			    share(row->more[event].latency_children, table->more[event].latency));
}

static void add_figures(const struct json_printer *printer, const struct row_view *row)
{
	struct json *json = printer->json;

	json_array(json, "figures");
	for (uint32_t event = 0; event < row->event_count; event++) {
		uint64_t total = printer->table->totals[event];

		json_object(json, NULL);
		json_unsigned(json, "samples", row->figures[event].samples);
		json_unsigned(json, "period", row->figures[event].period);
		json_double(json, "percent", share(row->figures[event].period, total));
		if (row->children) {
			json_unsigned(json, "children_period", row->children[event]);
			json_double(json, "children_percent", share(row->children[event], total));
		}
		if (row->more)
			add_more_figures(&row->more[event], &row->figures[event], total, json);
		add_latencies(printer, row, event);
		add_breakdowns(printer, row, event);
		json_end(json);
	}
	json_end(json);
}

static void add_keys(struct json_printer *printer, uint32_t row, const struct row_view *view)
{
	const struct layout *layout = printer->table->layout;
	const struct key_list *keys =
		layout->level_count ? &layout->levels[printer->table->rows[row].level] : &layout->columns;

	json_object(printer->json, "keys");
	for (size_t i = 0; i < keys->count; i++) {
		const struct key *key = keys->keys[i];

		if (!key->identity)
			continue;
		if (key->json) {
			key->json(view, key->name, printer->json);
			continue;
		}
		cell_text(printer->table, row, key, printer->options, &printer->text);
		json_string(printer->json, key->name, printer->text.data);
	}
	json_end(printer->json);
}

static void add_chain(const struct shown_chain *chain, void *data)
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

/* Rows below a row, as deep as there are levels. */
static void add_rows(struct json_printer *printer, uint32_t parent)
{
	const struct table *table = printer->table;

	json_array(printer->json, "rows");
	for (uint32_t i = 0; i < table->rows[parent].child_count; i++) {
		uint32_t row = table->sorted[table->rows[parent].first_child + i];
		struct row_view view = table_view(table, row);

		if (!table_is_shown(table, row, printer->options->percent_limit))
			continue;
		json_object(printer->json, NULL);
		add_figures(printer, &view);
		add_keys(printer, row, &view);
		if (table->callgraph && printer->options->callgraph && table->rows[row].last_chain) {
			json_array(printer->json, "chains");
			each_chain(table, row, add_chain, printer);
			json_end(printer->json);
		}
		if (table->layout->level_count && table->rows[row].level + 1 < table->layout->level_count)
			add_rows(printer, row);
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
	json_array(json, "events");
	for (uint32_t event = 0; event < table->event_count; event++) {
		json_object(json, NULL);
		json_string(json, "name", machine->events[event]);
		json_unsigned(json, "total", table->totals[event]);
		json_end(json);
	}
	json_end(json);
	json_unsigned(json, "samples", table->total_samples);
	if (machine->has_types)
		add_coverage(machine->coverage, json);
	add_data_addresses(machine->coverage, json);
	add_columns(table, json);
	add_rows(&printer, ROW_ROOT);
	json_end(json);
	strbuf_release(&printer.text);
}
