// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements table.h. Rows are found by a hash table over their identity words (open addressing).
 * The words are not kept: there may be millions of rows. They follow from a row's first result.
 */
#include "report/table.h"

#include <ctype.h>

#include "base/hash.h"
#include "base/memory.h"
#include "report/key/keys.h"

/* Returns the keys that group rows of `level`. A flat table has one level of all. */
static const struct key_list *level_keys(const struct table *table, size_t level)
{
	return table->layout->level_count ? &table->layout->levels[level] : &table->layout->columns;
}

static size_t level_count(const struct table *table)
{
	return table->layout->level_count ?: 1;
}

static void clear_row(void *array, size_t first, size_t count, size_t size)
{
	if (array)
		memset((char *)array + first * size, 0, count * size);
}

#define MANY_ROWS 65536

/* Adds a row without figures. `result` may be NULL. */
static uint32_t new_row(struct table *table, const struct result *result)
{
	if (table->row_count >= table->row_capacity) {
		/* Growing copies the rows, so it is done in large steps until there are many. */
		table->row_capacity *= table->row_capacity < MANY_ROWS ? 4 : 2;
		if (!table->row_capacity)
			table->row_capacity = 16;
		table->rows =
			xrealloc_array(table->rows, table->row_capacity, sizeof(*table->rows));
		table->figures = xrealloc_array(table->figures, table->row_capacity,
						table->event_count * sizeof(*table->figures));
		if (table->more)
			table->more = xrealloc_array(table->more, table->row_capacity,
						     table->event_count * sizeof(*table->more));
		if (table->children)
			table->children =
				xrealloc_array(table->children, table->row_capacity,
					       table->event_count * sizeof(*table->children));
	}

	size_t row = table->row_count++;

	table->rows[row] = (struct table_row){ 0 };
	if (result)
		table->rows[row].result = *result;
	clear_row(table->more, row * table->event_count, table->event_count, sizeof(*table->more));
	clear_row(table->children, row * table->event_count, table->event_count,
		  sizeof(*table->children));
	memset(table->figures + (size_t)row * table->event_count, 0,
	       table->event_count * sizeof(*table->figures));
	return row;
}

/* Returns whether any key reads struct more_figures. */
static bool wants_more(const struct layout *layout)
{
	return any_of(i, 0, layout->columns.count, layout->columns.keys[i]->wants_more) ||
	       any_of(i, 0, layout->order.count, layout->order.keys[i]->wants_more);
}

struct table *table_create(const struct layout *layout, uint32_t event_count)
{
	struct table *table = xcalloc(1, sizeof(*table));

	table->layout = layout;
	table->event_count = event_count;
	table->totals = xcalloc(event_count, sizeof(*table->totals));
	if (wants_more(layout))
		table->more = xcalloc(1, event_count * sizeof(*table->more));
	new_row(table, NULL);
	return table;
}

void table_keep_chains(struct table *table, const struct callgraph_options *options,
		       const struct result_frame *frames, size_t frame_count)
{
	table->callgraph = callgraph_create(options, frames, frame_count);
	if (options->children)
		table->children =
			xcalloc(table->row_capacity, table->event_count * sizeof(*table->children));
}

void table_destroy(struct table *table)
{
	if (!table)
		return;
	free_all(table->rows, table->figures, table->more, table->children);
	callgraph_destroy(table->callgraph);
	free(table->totals);
	hash_index_deinit(&table->index);
	free_all(table->sorted, table);
}

/* Fills in the identity words of a level's keys. Returns their size in bytes. */
static size_t identify(const struct table *table, const struct result *result, size_t level,
		       uint64_t words[KEY_WORDS * LAYOUT_KEYS_MAX])
{
	const struct key_list *keys = level_keys(table, level);
	size_t bytes = keys->count * KEY_WORDS * sizeof(*words);

	memset(words, 0, bytes);
	for (size_t i = 0; i < keys->count; i++)
		if (keys->keys[i]->identity)
			keys->keys[i]->identity(keys->keys[i], result, words + i * KEY_WORDS);
	return bytes;
}

/* True if a row of this parent has the identity words. */
static bool is_row_of(const struct table *table, const struct table_row *row, uint32_t parent,
		      const uint64_t *words, size_t bytes)
{
	uint64_t own[KEY_WORDS * LAYOUT_KEYS_MAX];

	if (row->parent != parent)
		return false;
	identify(table, &row->result, row->level, own);
	return memcmp(own, words, bytes) == 0;
}

static uint32_t find_or_create(struct table *table, const struct result *result, uint32_t parent,
			       size_t level)
{
	uint64_t words[KEY_WORDS * LAYOUT_KEYS_MAX];
	size_t bytes = identify(table, result, level, words);
	uint64_t hash = hash_combine(hash_bytes(words, bytes), parent);

	hash_index_each (found, &table->index, hash)
		if (is_row_of(table, &table->rows[found], parent, words, bytes))
			return found;

	uint32_t row = new_row(table, result);

	table->rows[row].parent = parent;
	table->rows[row].level = (uint32_t)level;
	hash_index_add(&table->index, hash, row);
	return row;
}

void table_add_filtered(struct table *table, const struct result *result, uint32_t event)
{
	table->totals[event] += result->period;
	table->total_samples += result->samples;
}

static void add_more_figures(struct more_figures *more, const struct result *result)
{
	more->weights[0] += result->weight * result->samples;
	more->weights[1] += result->weight2 * result->samples;
	more->weights[2] += result->weight3 * result->samples;
	breakdown_add(more->parts, result);
}

/* Adds the result to the row's figures with callees. Returns false and adds nothing if this result
 * was added before: a chain may contain a function several times. */
static bool add_to_children(struct table *table, uint32_t row, const struct result *result,
			    uint32_t event)
{
	if (table->rows[row].stamp == table->stamp)
		return false;
	table->rows[row].stamp = table->stamp;
	if (table->children)
		table->children[(size_t)row * table->event_count + event] += result->period;
	return true;
}

static void note_chain(struct table *table, uint32_t row, size_t from, const struct result *result,
		       uint32_t event)
{
	struct table_row *into = &table->rows[row];
	size_t depth = table->callgraph->path_count - from;

	if (event)
		return;
	callgraph_note(table->callgraph, &into->last_chain, from, result);
	if (into->chain_depth < depth)
		into->chain_depth = (uint32_t)depth;
}

/* Adds the result to the rows of all its callers. Only for flat tables. */
static void table_add_callers(struct table *table, const struct result *result, uint32_t event)
{
	const struct callgraph *graph = table->callgraph;

	for (size_t i = 0; i < graph->path_count; i++) {
		const struct result_frame *frame = &graph->frames[graph->path[i]];
		struct result caller = *result;
		uint32_t row;

		if (table->symbol_part &&
		    (!frame->place->symbol || !strstr(frame->place->symbol, table->symbol_part)))
			continue;

		caller.place = frame->place;
		caller.level = frame->level;
		caller.ip = frame->ip;
		row = find_or_create(table, &caller, ROW_ROOT, 0);
		if (add_to_children(table, row, result, event))
			note_chain(table, row, i, result, event);
	}
}

void table_add(struct table *table, const struct result *result, uint32_t event)
{
	uint32_t row = ROW_ROOT;

	table_add_filtered(table, result, event);
	if (table->more)
		add_more_figures(&table->more[event], result); /* the total, in ROW_ROOT */
	table->stamp++;
	for (size_t level = 0; level < level_count(table); level++) {
		row = find_or_create(table, result, row, level);

		size_t index = (size_t)row * table->event_count + event;
		struct figures *figures = &table->figures[index];

		figures->samples += result->samples;
		figures->period += result->period;
		if (table->more)
			add_more_figures(&table->more[index], result);
		add_to_children(table, row, result, event);
	}
	if (!table->callgraph)
		return;
	callgraph_take_path(table->callgraph, result->chain);
	note_chain(table, row, 0, result, event);
	if (table->children)
		table_add_callers(table, result, event);
}

void table_add_to_callers(struct table *table, const struct result *result, uint32_t event)
{
	table->stamp++;
	callgraph_take_path(table->callgraph, result->chain);
	table_add_callers(table, result, event);
}

bool table_is_shown(const struct table *table, uint32_t row, double limit)
{
	size_t first = (size_t)row * table->event_count;
	uint64_t period = table->children ? table->children[first] : table->figures[first].period;
	uint64_t total = table->totals[0];

	return !total || 100.0 * period / total >= limit;
}

struct row_view table_view(const struct table *table, uint32_t row)
{
	size_t first = (size_t)row * table->event_count;

	return (struct row_view){
		.result = &table->rows[row].result,
		.figures = table->figures + first,
		.more = table->more ? table->more + first : NULL,
		.children = table->children ? table->children + first : NULL,
		.event_count = table->event_count,
		.chain_depth = table->rows[row].chain_depth,
		.caller_first = table->callgraph && table->callgraph->options->caller_first,
	};
}

/* Compares rows with one parent. A flat table sorts by all keys of the order, a hierarchy by the
 * figures among them and then by the level's own keys. */
static int compare_siblings(const void *left, const void *right, void *data)
{
	const struct table *table = data;
	uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
	struct row_view view = table_view(table, a), other = table_view(table, b);
	const struct key_list *order = &table->layout->order,
			      *own = level_keys(table, table->rows[a].level);
	bool flat = !table->layout->level_count;

	for (size_t i = 0; i < order->count; i++) {
		int first = flat || !order->keys[i]->identity
				    ? order->keys[i]->order(order->keys[i], &view, &other)
				    : 0;

		if (first)
			return -first;
	}
	for (size_t i = 0; !flat && i < own->count; i++) {
		int first = own->keys[i]->order(own->keys[i], &view, &other);

		if (first)
			return -first;
	}
	/* Fall back to the order of their first results, which does not depend on threads. */
	return a < b ? -1 : a > b;
}

void table_sort(struct table *table)
{
	uint32_t next = 0;

	free(table->sorted);
	table->sorted = xcalloc(table->row_count, sizeof(*table->sorted));
	for (uint32_t row = 0; row < table->row_count; row++)
		table->rows[row].child_count = 0;
	for (uint32_t row = 1; row < table->row_count; row++)
		table->rows[table->rows[row].parent].child_count++;
	for (uint32_t row = 0; row < table->row_count; row++) {
		table->rows[row].first_child = next;
		next += table->rows[row].child_count;
		table->rows[row].child_count = 0;
	}
	for (uint32_t row = 1; row < table->row_count; row++) {
		struct table_row *parent = &table->rows[table->rows[row].parent];

		table->sorted[parent->first_child + parent->child_count++] = row;
	}
	for (uint32_t row = 0; row < table->row_count; row++)
		if (table->rows[row].child_count > 1)
			qsort_r(table->sorted + table->rows[row].first_child,
				table->rows[row].child_count, sizeof(*table->sorted),
				compare_siblings, table);
}

/* ---- layouts: -s, -F, -w and the like as keys and columns ---- */

static bool list_has(const struct key_list *list, const struct key *key)
{
	return any_of(i, 0, list->count, list->keys[i] == key);
}

/* Adds the key if it is new; so LAYOUT_KEYS_MAX, above their number, is enough room. */
static void list_add(struct key_list *list, const struct key *key)
{
	if (!list_has(list, key))
		list->keys[list->count++] = key;
}

static void list_add_all(struct key_list *list, const struct key_list *more)
{
	for (size_t i = 0; i < more->count; i++)
		list_add(list, more->keys[i]);
}

static void list_remove(struct key_list *list, const struct key *key)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->keys[i] == key)
			continue;
		list->keys[kept] = list->keys[i];
		list->widths[kept++] = list->widths[i];
	}
	list->count = kept;
}

/* Adds an attribute to the hierarchy: a new level, or the last one within braces. */
static void add_level(struct layout *layout, const struct key *key, bool new_level)
{
	if (!key->identity)
		return;
	for (size_t i = 0; i < layout->level_count; i++)
		if (list_has(&layout->levels[i], key))
			return;
	if (new_level || !layout->level_count)
		layout->level_count++;
	list_add(&layout->levels[layout->level_count - 1], key);
}

static struct error *parse_keys(const char *text, const char *option, bool is_fields,
				struct key_list *list, struct layout *levels)
{
	bool in_group = false, level_open = false;

	while (*text) {
		text += strspn(text, ", ");
		if (*text == '{' && !in_group) {
			in_group = true;
			level_open = false;
			text++;
			continue;
		}
		if (*text == '}' && in_group) {
			in_group = false;
			text++;
			continue;
		}

		size_t length = strcspn(text, ", {}");
		const struct key *key;

		if (!length) {
			if (*text)
				return error_other("%s: a '%c' that does not fit", option, *text);
			break;
		}
		RETURN_ERROR(key_find(text, length, option, is_fields, &key));
		list_add(list, key);
		if (levels) {
			add_level(levels, key, !in_group || !level_open);
			level_open = in_group && (level_open || key->identity);
		}
		text += length;
	}
	if (in_group)
		return error_other("%s: '{' without '}'", option);
	return NULL;
}

static struct error *parse_widths(const char *text, struct key_list *columns)
{
	for (size_t i = 0; *text && i < columns->count; i++) {
		char *end;
		unsigned long width = strtoul(text, &end, 10);

		if (!isdigit((unsigned char)*text) || width > 100000 || (*end && *end != ','))
			return error_other(
				"--column-widths takes numbers separated by commas, not '%s'",
				text);
		columns->widths[i] = width;
		text = end + (*end == ',');
	}
	return NULL;
}

/* Returns whether -F names all columns, as it does without a '+'. */
static bool has_strict_fields(const struct layout_options *options)
{
	return options->fields && options->fields[0] != '+';
}

static struct error *parse_sort(const struct layout_options *options, struct layout *layout)
{
	const char *sort = options->sort ?: has_strict_fields(options) ? "" : options->default_sort;

	if (sort[0] == '+') {
		RETURN_ERROR(
			parse_keys(options->default_sort, "--sort", false, &layout->order, layout));
		sort++;
		if (!sort[strspn(sort, ", ")])
			return error_other("--sort: no key after the '+'");
	}
	return parse_keys(sort, "--sort", false, &layout->order, layout);
}

/* Applies --sort-by, of shown figures and keys: others would split rows. */
static struct error *sort_first_by(const struct layout_options *options, struct layout *layout)
{
	struct key_list first = { 0 }, rest = layout->order;

	RETURN_ERROR(parse_keys(options->sort_by, "--sort-by", true, &first, NULL));
	for (size_t i = 0; i < first.count; i++)
		if (first.keys[i]->identity && !list_has(&layout->columns, first.keys[i]))
			return error_other("--sort-by: '%s' is not among the columns",
					   first.keys[i]->name);
	layout->order = first;
	list_add_all(&layout->order, &rest);
	return NULL;
}

/* Puts the shares before the keys of the sort order, unless the user has named a share there. */
static void put_shares_first(const struct layout_options *options, struct key_list *order)
{
	struct key_list sort = *order;

	if (any_of(i, 0, sort.count, strstr(sort.keys[i]->name, "overhead")))
		return;
	*order = (struct key_list){ 0 };
	if (options->children)
		list_add(order, &key_children);
	list_add(order, &key_overhead);
	list_add_all(order, &sort);
}

struct error *layout_parse(const struct layout_options *options, struct layout *layout)
{
	struct layout parsed = { 0 };
	struct key_list fields = { 0 };

	if (options->sort && !options->sort[strspn(options->sort, ", ")])
		return error_other("--sort: keys are missing");
	RETURN_ERROR(parse_sort(options, &parsed));
	if (options->sort && options->sort[0] != '+' && !has_strict_fields(options) &&
	    parsed.order.count)
		parsed.callgraph_root = parsed.order.keys[0];
	if (options->fields)
		RETURN_ERROR(parse_keys(options->fields + (options->fields[0] == '+'), "--fields",
					true, &fields, &parsed));
	if (!has_strict_fields(options)) {
		parsed.children = options->children;
		put_shares_first(options, &parsed.order);
		if (list_has(&parsed.order, &key_children))
			list_add(&parsed.columns, &key_children);
		if (list_has(&parsed.order, &key_overhead))
			list_add(&parsed.columns, &key_overhead);
		if (options->show_samples)
			list_add(&parsed.columns, &key_sample);
		if (options->show_period)
			list_add(&parsed.columns, &key_period);
	}
	list_add_all(&parsed.columns, &fields);
	list_add_all(&parsed.order, &fields);
	list_add_all(&parsed.columns, &parsed.order);
	if (options->sort_by)
		RETURN_ERROR(sort_first_by(options, &parsed));
	if (!options->hierarchy)
		parsed.level_count = 0;
	if (options->widths)
		RETURN_ERROR(parse_widths(options->widths, &parsed.columns));
	*layout = parsed;
	return NULL;
}

uint64_t layout_needs(const struct layout *layout)
{
	uint64_t needs = 0;

	for (size_t i = 0; i < layout->columns.count; i++)
		needs |= layout->columns.keys[i]->needs;
	for (size_t i = 0; i < layout->order.count; i++)
		needs |= layout->order.keys[i]->needs;
	return needs;
}

const char *layout_header(const struct layout *layout, const struct key *key)
{
	return key == &key_overhead && layout->children ? "Self" : key->header;
}

void layout_remove(struct layout *layout, const struct key *key)
{
	size_t kept = 0;

	list_remove(&layout->order, key);
	list_remove(&layout->columns, key);
	for (size_t i = 0; i < layout->level_count; i++) {
		list_remove(&layout->levels[i], key);
		if (layout->levels[i].count)
			layout->levels[kept++] = layout->levels[i];
	}
	layout->level_count = kept;
}
