// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements layout.h: parses -s, -F, -w and the like into the keys that rows are sorted by and the
 * columns.
 */
#include "report/layout.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "report/key/keys.h"

static bool list_has(const struct key_list *list, const struct key *key)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->keys[i] == key)
			return true;
	return false;
}

/* Adds the key unless it is there already; so LAYOUT_KEYS_MAX, more than there are keys, is enough
 * room. */
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

/* Adds an attribute to the hierarchy: as a new level, or to the last one if it is in the same
 * braces. */
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

static struct error *parse_keys(const char *text, const char *option, const struct key *const *more,
				bool is_fields, struct key_list *list, struct layout *levels)
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
				return error_create(ERROR_OTHER, "%s: a '%c' that does not fit",
						    option, *text);
			break;
		}
		RETURN_ERROR(key_find(text, length, option, is_fields, more, &key));
		list_add(list, key);
		if (levels) {
			add_level(levels, key, !in_group || !level_open);
			level_open = in_group && (level_open || key->identity);
		}
		text += length;
	}
	if (in_group)
		return error_create(ERROR_OTHER, "%s: '{' without '}'", option);
	return NULL;
}

static struct error *parse_widths(const char *text, struct key_list *columns)
{
	for (size_t i = 0; *text && i < columns->count; i++) {
		char *end;
		unsigned long width = strtoul(text, &end, 10);

		if (!isdigit((unsigned char)*text) || width > 100000 || (*end && *end != ','))
			return error_create(
				ERROR_OTHER,
				"--column-widths takes numbers with commas between, not '%s'",
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
	const char *sort = options->sort                ? options->sort
			   : has_strict_fields(options) ? ""
							: options->default_sort;

	if (sort[0] == '+') {
		RETURN_ERROR(parse_keys(options->default_sort, "--sort", options->more_keys, false,
					&layout->order, layout));
		sort++;
		if (!sort[strspn(sort, ", ")])
			return error_create(ERROR_OTHER, "--sort: no key after the '+'");
	}
	return parse_keys(sort, "--sort", options->more_keys, false, &layout->order, layout);
}

/* Applies --sort-by. It may only name figures and keys that are shown: any other key would split
 * rows. */
static struct error *sort_first_by(const struct layout_options *options, struct layout *layout)
{
	struct key_list first = { 0 }, rest = layout->order;

	RETURN_ERROR(
		parse_keys(options->sort_by, "--sort-by", options->more_keys, true, &first, NULL));
	for (size_t i = 0; i < first.count; i++)
		if (first.keys[i]->identity && !list_has(&layout->columns, first.keys[i]))
			return error_create(ERROR_OTHER, "--sort-by: '%s' is not among the columns",
					    first.keys[i]->name);
	layout->order = first;
	list_add_all(&layout->order, &rest);
	return NULL;
}

static bool has_share(const struct key_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		if (strstr(list->keys[i]->name, "overhead") ||
		    !strncmp(list->keys[i]->name, "latency", 7))
			return true;
	return false;
}

/* Puts the shares before the keys of the sort order, unless the user has named a share there. */
static void put_shares_first(const struct layout_options *options, struct key_list *order)
{
	struct key_list sort = *order;

	if (!options->latency_first && has_share(&sort))
		return;
	*order = (struct key_list){ 0 };
	if (options->children && options->latency_first)
		list_add(order, &key_latency_children);
	if (options->children)
		list_add(order, &key_children);
	if (options->children && options->latency)
		list_add(order, &key_latency_children);
	if (options->latency_first)
		list_add(order, &key_latency_share);
	list_add(order, &key_overhead);
	if (options->latency)
		list_add(order, &key_latency_share);
	list_add_all(order, &sort);
}

/* Makes the shares in the sort order the first columns, in perf's order. */
static void add_share_columns(const struct layout_options *options, const struct key_list *order,
			      struct key_list *columns)
{
	const struct key *const shares[] = {
		options->latency_first ? &key_latency_children : &key_children,
		options->latency_first ? &key_children : &key_latency_children,
		options->latency_first ? &key_latency_share : &key_overhead,
		options->latency_first ? &key_overhead : &key_latency_share,
	};

	for (size_t i = 0; i < COUNT_OF(shares); i++)
		if (list_has(order, shares[i]))
			list_add(columns, shares[i]);
}

struct error *layout_parse(const struct layout_options *options, struct layout *layout)
{
	struct layout parsed = { 0 };
	struct key_list fields = { 0 };

	if (options->sort && !options->sort[strspn(options->sort, ", ")])
		return error_create(ERROR_OTHER, "--sort: keys are missing");
	RETURN_ERROR(parse_sort(options, &parsed));
	if (options->sort && options->sort[0] != '+' && !has_strict_fields(options) &&
	    parsed.order.count)
		parsed.callgraph_root = parsed.order.keys[0];
	if (options->fields)
		RETURN_ERROR(parse_keys(options->fields + (options->fields[0] == '+'), "--fields",
					options->more_keys, true, &fields, &parsed));
	if (!has_strict_fields(options)) {
		parsed.children = options->children;
		put_shares_first(options, &parsed.order);
		add_share_columns(options, &parsed.order, &parsed.columns);
		if (options->show_levels) {
			list_add(&parsed.columns, &key_system);
			list_add(&parsed.columns, &key_user);
		}
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

bool layout_wants_more(const struct layout *layout)
{
	for (size_t i = 0; i < layout->columns.count; i++)
		if (layout->columns.keys[i]->wants_more)
			return true;
	for (size_t i = 0; i < layout->order.count; i++)
		if (layout->order.keys[i]->wants_more)
			return true;
	return false;
}

const char *layout_header(const struct layout *layout, const struct key *key)
{
	return key == &key_overhead && layout->children ? "Self" : key->header;
}

bool layout_has(const struct layout *layout, const struct key *key)
{
	return list_has(&layout->columns, key);
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

void layout_remove_latency(struct layout *layout)
{
	layout_remove(layout, &key_latency_share);
	layout_remove(layout, &key_latency_children);
}
