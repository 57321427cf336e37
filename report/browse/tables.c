// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of entries: types, functions, threads and objects with their figures. */
#include "base/memory.h"

#include <inttypes.h>

#include "base/hash.h"
#include "base/text.h"
#include "report/browse/view.h"
#include "report/print/annotated.h"
#include "report/text.h"

/* ---- which entries ---- */

/* Returns whether bytes of a type are those of the zoom; true if the zoom has no type. */
static bool zoom_has_bytes(const struct browse_zoom *zoom, const char *type, int64_t offset)
{
	if (!zoom->type)
		return true;
	return type && !strcmp(type, zoom->type) &&
	       (zoom->first == zoom->end || (offset >= zoom->first && offset < zoom->end));
}

bool browse_zoom_accepts(const struct browse_zoom *zoom, const struct result_place *place,
			 uint32_t event, int32_t tid, bool kernel)
{
	if (event != zoom->event || (zoom->has_thread && tid != zoom->tid) ||
	    (zoom->kernel && !kernel))
		return false;
	if (zoom->dso && (!place->dso || strcmp(zoom->dso, place->dso) != 0))
		return false;
	return zoom_has_bytes(zoom, place->type, place->offset);
}

bool browse_accepts(const struct browse_zoom *zoom, const struct browse_entry *entry)
{
	return browse_zoom_accepts(zoom, entry->place, entry->event, entry->tid, entry->kernel);
}

void browse_add_figures(struct browse_figures *figures, const struct browse_entry *entry)
{
	figures->by[WEIGH_PERIOD] += entry->period;
	figures->by[WEIGH_SAMPLES] += entry->samples;
	figures->by[WEIGH_LATENCY] += entry->latency;
	figures->by[WEIGH_LOADS] += entry->loads;
	figures->by[WEIGH_STORES] += entry->stores;
}

struct browse_figures browse_sum(const struct browse_source *source, const struct browse_zoom *zoom)
{
	struct browse_figures sum = { 0 };

	for (size_t i = 0; i < source->entry_count; i++)
		if (browse_accepts(zoom, &source->entries[i]))
			browse_add_figures(&sum, &source->entries[i]);
	return sum;
}

/* ---- groups ---- */

/* The words in which the entries of a group agree. Equal strings are equal pointers (result.h). */
struct group_key {
	uint64_t words[3];
};

/* Groups by their keys. */
struct grouper {
	struct hash_index index;
	struct group_key *keys;
	struct browse_group *groups;
	size_t count, key_capacity, capacity;
};

static struct group_key key_of(enum browse_view_kind kind, const struct browse_entry *entry)
{
	const struct result_place *place = entry->place;

	switch (kind) {
	case VIEW_TYPES: return (struct group_key){ { (uintptr_t)place->type } };
	case VIEW_THREADS:
		return (struct group_key){ { (uint64_t)entry->tid, (uintptr_t)entry->comm } };
	case VIEW_OBJECTS: return (struct group_key){ { (uintptr_t)place->dso } };
	default:
		return (struct group_key){ { (uintptr_t)place->symbol, (uintptr_t)place->dso,
					     place->symbol ? place->symbol_address : 0 } };
	}
}

/* Returns the group of the key, which is made if there is none. */
static struct browse_group *group_of(struct grouper *grouper, const struct group_key *key,
				     const struct browse_entry *entry)
{
	uint64_t hash = hash_combine(hash_combine(key->words[0], key->words[1]), key->words[2]);
	size_t count = grouper->count;

	hash_index_each (i, &grouper->index, hash)
		if (!memcmp(&grouper->keys[i], key, sizeof(*key)))
			return &grouper->groups[i];
	hash_index_add(&grouper->index, hash, (uint32_t)count);
	array_reserve(grouper->keys, count, grouper->key_capacity);
	grouper->keys[count] = *key;
	array_add(grouper->groups, grouper->count, grouper->capacity) = (struct browse_group){
		.place = entry->place, .comm = entry->comm, .tid = entry->tid
	};
	return &grouper->groups[count];
}

static void grouper_deinit(struct grouper *grouper)
{
	hash_index_deinit(&grouper->index);
	free_all(grouper->keys, grouper->groups);
}

/* ---- hottest fields ---- */

#define NO_FIELD_TEXT "(no field)"

/* Sets the hottest field of each type. Of several equal ones the first in the alphabet is taken, so
 * that the order of the entries has no influence. */
static void find_hottest(struct browse_view *view, const struct browse_source *source,
			 enum browse_weight weight, struct grouper *types)
{
	struct grouper fields = { 0 };

	array_each (const struct browse_entry, entry, source->entries, source->entry_count) {
		struct group_key key = { { (uintptr_t)entry->place->type,
					   (uintptr_t)entry->place->field } };

		if (browse_accepts(&view->zoom, entry) && entry->place->typed)
			browse_add_figures(&group_of(&fields, &key, entry)->figures, entry);
	}
	array_each (const struct browse_group, field, fields.groups, fields.count) {
		struct group_key key = { { (uintptr_t)field->place->type } };
		struct browse_entry entry = { .place = field->place };
		struct browse_group *type = group_of(types, &key, &entry);
		const char *name = field->place->field ?: NO_FIELD_TEXT;
		uint64_t most = field->figures.by[weight];

		if (type->hottest &&
		    (most < type->hottest_weight ||
		     (most == type->hottest_weight && strcmp(name, type->hottest) >= 0)))
			continue;
		type->hottest = name;
		type->hottest_weight = most;
		type->hottest_share = percent_of(most, type->figures.by[weight]);
	}
	grouper_deinit(&fields);
}

/* ---- rows ---- */

static const char *group_name(enum browse_view_kind kind, const struct browse_group *group,
			      struct arena *texts)
{
	switch (kind) {
	case VIEW_TYPES: return group->place->type ?: "(unknown)";
	case VIEW_THREADS:
		return arena_format(texts, "%" PRId32 ":%s", group->tid, group->comm ?: "");
	case VIEW_OBJECTS: return group->place->dso ?: "[unknown]";
	default: return group->place->symbol ?: "[unknown]";
	}
}

struct group_order {
	enum browse_view_kind kind;
	enum browse_weight weight;
};

/* Orders groups with equal figures by names and identities, not by entries. */
static int tables_compare_names(enum browse_view_kind kind, const struct browse_group *a,
				const struct browse_group *b)
{
	int order;

	if (kind == VIEW_THREADS)
		return a->tid != b->tid ? (a->tid > b->tid) - (a->tid < b->tid)
					: compare_texts(a->comm, b->comm);
	if (kind == VIEW_TYPES)
		return compare_texts(a->place->type, b->place->type);
	order = kind == VIEW_OBJECTS ? 0 : compare_texts(a->place->symbol, b->place->symbol);
	if (!order)
		order = compare_texts(a->place->dso, b->place->dso);
	return order
		       ?: (a->place->symbol_address > b->place->symbol_address) -
				  (a->place->symbol_address < b->place->symbol_address);
}

static int compare_groups(const void *left, const void *right, void *data)
{
	const struct browse_group *a = left, *b = right;
	const struct group_order *order = data;
	const enum browse_weight by[] = { order->weight, WEIGH_PERIOD, WEIGH_SAMPLES };

	for (size_t i = 0; i < COUNT_OF(by); i++)
		DESCENDING(figures.by[by[i]])
	return tables_compare_names(order->kind, a, b);
}

/* ---- events that were recorded as a group ---- */

#define COMPANION_WIDTH_MAX 14 /* columns of another event; longer names lose their end */

/* Returns the event at `index` among the others of the event's group; NULL if there are fewer. */
static const struct browse_event *browse_companion(const struct browse_source *source,
						   uint32_t event, uint32_t index)
{
	return array_find(i, source->events, source->event_count,
			  i != event && source->events[i].group == source->events[event].group &&
				  !index--);
}

static uint32_t companion_count(const struct browse_source *source, uint32_t event)
{
	uint32_t count = 0;

	while (count < BROWSE_COMPANIONS_MAX && browse_companion(source, event, count))
		count++;
	return count;
}

/* Sets the groups' shares of another event, and adds rows for groups that only that event has. */
static void add_companion(const struct browse_view *view, const struct browse_source *source,
			  enum browse_weight weight, bool of_event, uint32_t index,
			  struct grouper *grouper)
{
	const struct browse_event *event = browse_companion(source, view->zoom.event, index);
	struct browse_zoom zoom = view->zoom;
	uint64_t sum = 0;

	zoom.event = (uint32_t)(event - source->events);
	array_each (const struct browse_entry, entry, source->entries, source->entry_count) {
		struct group_key key = key_of(view->kind, entry);
		struct browse_figures figures = { 0 };

		if (!browse_accepts(&zoom, entry))
			continue;
		browse_add_figures(&figures, entry);
		group_of(grouper, &key, entry)->companions[index] += (double)figures.by[weight];
		sum += figures.by[weight];
	}
	sum = of_event ? event->period : sum;
	for (size_t i = 0; i < grouper->count; i++)
		grouper->groups[i].companions[index] *= sum ? 100.0 / (double)sum : 0;
}

static void tables_add_columns(struct browse_view *view, const struct browse_source *source)
{
	static const char *const names[] = { "Type", "Function", "Thread", "Object", "Function" };

	browse_add_column(view, "Share", CELL_SHARE, 7, 0, 0, false);
	browse_add_column(view, "", CELL_BAR, 10, 0, 110, false);
	/* narrow screens have room for one */
	for (uint32_t i = 0; i < companion_count(source, view->zoom.event); i++) {
		const char *whole = browse_companion(source, view->zoom.event, i)->name;
		const char *name =
			arena_strndup(&view->texts, whole, strnlen(whole, COMPANION_WIDTH_MAX));
		unsigned int width = (unsigned int)strlen(name);

		browse_add_column(view, name, CELL_SHARE, width < 7 ? 7 : width, 0, i ? 130 : 0,
				  false);
	}
	browse_add_column(view, "Samples", CELL_COUNT, 9, 0, 0, false);
	browse_add_column(view, "Loads", CELL_COUNT, 9, 0, 90, false);
	browse_add_column(view, "Stores", CELL_COUNT, 9, 0, 90, false);
	if (source->has_latency)
		browse_add_column(view, "Latency", CELL_MEAN, 7, 0, 100, false);
	browse_add_column(view, names[view->kind], CELL_TEXT, 0, 4, 0, false);
	if (view->kind == VIEW_FUNCTIONS || view->kind == VIEW_USERS)
		browse_add_column(view, "Object", CELL_TEXT, 0, 1, 76, false);
	if (view->kind == VIEW_TYPES)
		browse_add_column(view, "Hottest field", CELL_TEXT, 0, 3, 76, false);
}

size_t browse_set_figures(struct browse_row *row, const struct browse_figures *figures,
			  enum browse_weight weight, const struct browse_view *view,
			  const struct browse_source *source)
{
	uint64_t samples = figures->by[WEIGH_SAMPLES];
	size_t next = 0;

	row->cells[next++].number = percent_of(figures->by[weight], view->whole);
	row->cells[next++].number = percent_of(figures->by[weight], view->whole);
	next += companion_count(source, view->zoom.event);
	row->cells[next++].number = (double)samples;
	row->cells[next++].number = (double)figures->by[WEIGH_LOADS];
	row->cells[next++].number = (double)figures->by[WEIGH_STORES];
	if (source->has_latency)
		row->cells[next++].number =
			samples ? (double)figures->by[WEIGH_LATENCY] / (double)samples : 0;
	return next;
}

static void add_group_row(struct browse_view *view, const struct browse_source *source,
			  size_t index, enum browse_weight weight)
{
	const struct browse_group *group = &view->groups[index];
	struct browse_row *row = browse_add_row(view, ROW_ITEM);
	size_t next = browse_set_figures(row, &group->figures, weight, view, source);

	row->item = index;
	row->group_row = (uint32_t)index;
	row->named = view->kind == VIEW_TYPES && group->place->typed;
	row->opens = row->folded = group->has_callers;
	for (uint32_t i = 0; i < companion_count(source, view->zoom.event); i++)
		row->cells[2 + i].number = group->companions[i];
	row->cells[next++].text = group_name(view->kind, group, &view->texts);
	if (view->kind == VIEW_FUNCTIONS || view->kind == VIEW_USERS)
		row->cells[next++].text = group->place->dso ?: "[unknown]";
	if (view->kind == VIEW_TYPES && group->hottest &&
	    strcmp(group->hottest, NO_FIELD_TEXT) != 0)
		row->cells[next++].text = arena_format(&view->texts, "%5.1f%% %s",
						       group->hottest_share, group->hottest);
}

void browse_fill_groups(struct browse_view *view, const struct browse_source *source,
			enum browse_weight weight, uint64_t whole)
{
	struct grouper grouper = { 0 };
	uint64_t sum = 0;

	array_each (const struct browse_entry, entry, source->entries, source->entry_count) {
		struct group_key key = key_of(view->kind, entry);
		struct browse_group *group;

		if (!browse_accepts(&view->zoom, entry))
			continue;
		group = group_of(&grouper, &key, entry);
		browse_add_figures(&group->figures, entry);
		group->has_callers |= source->frames && entry->chain;
	}
	for (uint32_t i = 0; i < companion_count(source, view->zoom.event); i++)
		add_companion(view, source, weight, whole != 0, i, &grouper);
	if (view->kind == VIEW_TYPES)
		find_hottest(view, source, weight, &grouper);
	view->groups = grouper.groups;
	grouper.groups = NULL;
	view->item_count = grouper.count;
	grouper_deinit(&grouper);
	for (size_t i = 0; i < view->item_count; i++)
		sum += view->groups[i].figures.by[weight];
	if (view->item_count)
		qsort_r(view->groups, view->item_count, sizeof(*view->groups), compare_groups,
			&(struct group_order){ view->kind, weight });
	view->whole = whole ?: sum;
	tables_add_columns(view, source);
	for (size_t i = 0; i < view->item_count; i++)
		add_group_row(view, source, i, weight);
}

bool browse_same_group(enum browse_view_kind kind, const struct browse_entry *a,
		       const struct browse_entry *b)
{
	struct group_key x = key_of(kind, a), y = key_of(kind, b);

	return !memcmp(&x, &y, sizeof(x));
}

/* ---- the layout of a type ---- */

/* The layout of a type as a table of the browser: members with their figures, holes and padding,
 * and a rule with the share of each cacheline where it begins. */

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

/* Adds a rule with the share of a cacheline, or of an array in several ones. */
static void add_share(struct layout_maker *maker, uint64_t weight, const char *words,
		      uint64_t number, uint32_t depth)
{
	const char *dash = maker->unicode ? "\u2500\u2500" : "--";
	_cleanup_free_ char *text =
		xasprintf("%6.2f%% %s %s at +%" PRIu64 " %s%s%s%s%s%s%s%s",
			  percent_of(weight, maker->whole), dash, words, number * maker->cacheline,
			  dash, dash, dash, dash, dash, dash, dash, dash);

	add_rule(maker, depth, text);
}

/* Adds the rule of a cacheline, and those of arrays in it with samples somewhere. */
static void add_cacheline_rule(struct layout_maker *maker, uint64_t number, uint32_t depth)
{
	const struct annotated_type *type = maker->type;
	_cleanup_free_ char *words = xasprintf("cacheline %" PRIu64, number);
	uint64_t weight = 0;

	for (size_t i = 0; i < type->cacheline_count; i++)
		if (type->cachelines[i].first == number && type->cachelines[i].last == number)
			weight = weight_of(maker, type->cachelines[i].counts);
	add_share(maker, weight, words, number, depth);
	array_each (const struct annotated_cacheline, lines, type->cachelines,
		    type->cacheline_count) {
		_cleanup_strbuf_ struct strbuf several = STRBUF_INIT;

		if (lines->first != number || lines->last == number)
			continue;
		strbuf_add_string(&several, "somewhere in cachelines ");
		text_add_lines(&several, lines->first, lines->last);
		add_share(maker, weight_of(maker, lines->counts), several.data, number, depth);
	}
}

/* Adds the rules of cachelines before `number` with accesses, but no member's start. */
static void pass_lines_within(struct layout_maker *maker, uint64_t number, uint32_t depth)
{
	const struct annotated_type *type = maker->type;

	for (size_t i = 0; i < type->cacheline_count && maker->cacheline; i++) {
		uint64_t line = type->cachelines[i].first;

		if (line < maker->next_line || line >= number)
			continue;
		add_cacheline_rule(maker, line, depth);
		maker->next_line = line + 1;
	}
}

/* Adds a rule for the cacheline in which a member begins, if it is a new one, and before it for
 * those within the member before that have accesses. */
static void pass_cachelines(struct layout_maker *maker, int64_t offset, uint32_t depth)
{
	uint64_t number;

	if (!maker->cacheline || offset < 0)
		return;
	number = (uint64_t)offset / maker->cacheline;
	if (number < maker->next_line)
		return;
	pass_lines_within(maker, number, depth);
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
	const char *type = line->base ?: line->type, *name = line->declarator ?: line->name;

	if (line->is_unit) {
		strbuf_add_format(&text, "/* %s */", line->name);
		return arena_strdup(&maker->view->texts, text.data);
	}
	strbuf_add_string(&text, type ?: "");
	if (name && *name)
		strbuf_add_format(&text, "%s%s", text.length ? " " : "", name);
	if (line->bit_size)
		strbuf_add_format(&text, ":%" PRIu32, line->bit_size);
	return arena_strdup(&maker->view->texts, text.data);
}

static const char *thread_text(struct layout_maker *maker, const struct annotated_line *line)
{
	struct arena *texts = &maker->view->texts;
	size_t writers = 0;

	if (!line->thread_count)
		return "";
	for (size_t i = 0; i < line->thread_count; i++)
		writers += line->threads[i].stores > 0;
	return writers ? arena_format(texts, "%zu, %zu writing", line->thread_count, writers)
		       : arena_format(texts, "%zu, none writing", line->thread_count);
}

static void tables_add_field(struct layout_maker *maker, const struct annotated_line *line)
{
	struct browse_view *view = maker->view;
	uint64_t bits = line->bit_offset + (line->bit_size ?: line->size * 8);

	/* an array without a bound has no size; all bytes after its start are its own */
	array_add(view->fields, view->item_count, view->item_capacity) =
		(struct browse_field){ .first = line->offset + line->bit_offset / 8,
				       .end = bits ? line->offset + (int64_t)((bits + 7) / 8)
						   : INT64_MAX,
				       .path = arena_strdup(&view->texts, maker->path.data) };
}

static void tables_add_member(struct layout_maker *maker, const struct annotated_line *line)
{
	const struct access_count *count = &line->counts[0];
	struct browse_row *row;
	double share = percent_of(weight_of(maker, line->counts), maker->whole);
	int64_t first_byte = line->offset + (int64_t)(line->bit_offset / 8);

	tables_add_field(maker, line);
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
	row->cells[COLUMN_OFFSET].number = (double)first_byte;
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
	if (!line->opens && line->size && !line->is_unit)
		pass_cachelines(maker, line->offset, line->depth);
	tables_add_member(maker, line);
	if (line->opens)
		add_record(maker, index);
	strbuf_truncate(&maker->path, start);
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
		if (filled && !line->is_unit && !layout_is_empty(maker->type, members[i])) {
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

static void add_layout_columns(struct browse_view *view, bool has_latency, bool has_threads)
{
	browse_add_column(view, "Share", CELL_SHARE, 7, 0, 0, false);
	browse_add_column(view, "", CELL_BAR, 8, 0, 72, false);
	browse_add_column(view, "Loads", CELL_COUNT, 8, 0, 60, false);
	browse_add_column(view, "Stores", CELL_COUNT, 8, 0, 60, false);
	browse_add_column(view, "Latency", CELL_MEAN, 7, 0, has_latency ? 90 : UINT32_MAX, false);
	browse_add_column(view, "Offset", CELL_OFFSET, 6, 0, 0, false);
	browse_add_column(view, "Size", CELL_OFFSET, 5, 0, 0, false);
	browse_add_column(view, "Member", CELL_TEXT, 0, 2, 0, false);
	browse_add_column(view, "Threads", CELL_TEXT, 16, 0, has_threads ? 100 : UINT32_MAX, false);
}

static void add_facts(const struct layout_maker *maker, struct strbuf *text)
{
	const struct annotated_type *type = maker->type;
	uint64_t size = type->lines[0].size;
	if (type->lines[0].is_unsized)
		strbuf_add_string(text, "size unknown, ");
	else
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
	strbuf_add_format(text, ", of %s", base_name(type->object));
}

#define WHOLES_SHOWN 3

/* Adds the records that objects of the type are parts of, above the layout. */
static void add_wholes(struct layout_maker *maker)
{
	const struct annotated_type *type = maker->type;

	for (size_t i = 0; i < type->whole_count && i < WHOLES_SHOWN; i++) {
		const struct annotated_whole *whole = &type->wholes[i];
		_cleanup_free_ char *text =
			xasprintf("%6.2f%% in %s%s%s%s", percent_of(whole->samples, type->samples),
				  whole->type, *whole->field ? " (" : "", whole->field,
				  *whole->field ? ")" : "");

		add_rule(maker, 0, text);
	}
	if (type->whole_count > WHOLES_SHOWN) {
		_cleanup_free_ char *more =
			xasprintf("and in %zu more", type->whole_count - WHOLES_SHOWN);

		add_rule(maker, 0, more);
	}
}

/* Adds the false sharing that was found, below the layout. */
static void add_sharings(struct layout_maker *maker)
{
	array_indexed (const struct annotated_sharing, sharing, i, maker->type->sharings,
		       maker->type->sharing_count) {
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
		strbuf_add_format(&text, ": %" PRIu64 " cachelines%s", sharing->cachelines,
				  sharing->latent ? ", latent" : "");
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
		add_layout_columns(view, type->lines[0].counts[0].weight > 0, threads);
		view->title = xstrdup(type->name);
		view->facts = xstrdup(facts.data);
	} else {
		add_rule(&maker, 0, "");
		strbuf_add_string(&facts, " (another type of this name)");
		add_rule(&maker, 0, facts.data);
	}
	add_wholes(&maker);
	add_lines(&maker, 0);
	add_sharings(&maker);
	strbuf_deinit(&maker.path);
}

/* ---- code ---- */

struct code_maker {
	struct browse_view *view;
	const struct code_listing *listing;
	enum browse_weight weight;
	bool has_charges;
};

/* Returns the share of the function's samples in percent, or -1 without samples. Latencies, loads
 * and stores are not known for each address, so all weights but the period count samples. */
static double tables_share_of(const struct code_maker *maker, const struct access_count *counts)
{
	const struct access_count *total = &maker->listing->totals[0];

	if (!counts || !counts[0].samples)
		return -1;
	return maker->weight == WEIGH_PERIOD ? percent_of(counts[0].period, total->period)
					     : percent_of(counts[0].samples, total->samples);
}

static void tables_add_source(struct code_maker *maker, const struct code_line *line)
{
	struct browse_row *row = browse_add_row(maker->view, ROW_SOURCE);

	row->cells[0].text = arena_strdup(&maker->view->texts, line->source);
	row->item = SIZE_MAX;
}

static const char *tables_type_text(struct code_maker *maker, const struct code_type *type)
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
	/* marks the targets of the function's jumps */
	const char *mark = line->is_target ? ">" : " ";

	strbuf_add_format(&text, "%s %-7s %s", mark, line->mnemonic, line->operands);
	if (line->target)
		strbuf_add_string(&text, line->target < line->address ? " (up)" : " (down)");
	if (line->reference)
		strbuf_add_format(&text, "  %s", line->reference);
	return arena_strdup(&maker->view->texts, text.data);
}

static void add_insn(struct code_maker *maker, const struct code_line *line)
{
	struct browse_view *view = maker->view;
	double charged = tables_share_of(maker, line->charged),
	       sampled = tables_share_of(maker, line->counts);
	struct browse_row *row = browse_add_row(view, ROW_ITEM);
	size_t next = 0;

	array_reserve(view->insns, view->item_count, view->item_capacity);
	view->insns[view->item_count] = (struct browse_insn){
		.type = line->type.typed ? arena_strdup(&view->texts, line->type.name) : NULL,
		.offset = line->type.offset,
		.weight = maker->has_charges ? charged : sampled,
		.address = line->address,
		.target = line->target,
	};
	row->item = view->item_count++;
	if (maker->has_charges)
		row->cells[next++].number = charged;
	row->cells[next++].number = sampled;
	row->cells[next++].text = arena_format(&view->texts, "%" PRIx64, line->address);
	row->cells[next++].text = insn_text(maker, line);
	row->cells[next++].text = tables_type_text(maker, &line->type);
}

static void add_code_columns(struct code_maker *maker, unsigned int address_width)
{
	struct browse_view *view = maker->view;

	if (maker->has_charges)
		browse_add_column(view, "Charged", CELL_SHARE, 7, 0, 0, false);
	browse_add_column(view, maker->has_charges ? "Sampled" : "Share", CELL_SHARE, 7, 0, 0,
			  false);
	browse_add_column(view, "Address", CELL_TEXT, address_width, 0, 70, false);
	browse_add_column(view, "Source and instruction", CELL_TEXT, 0, 5, 0, true);
	browse_add_column(view, "Type and field", CELL_TEXT, 0, 4, 0, false);
}

size_t browse_hottest_row(const struct browse_view *view, const struct browse_zoom *zoom)
{
	size_t best = SIZE_MAX;
	double most = -2;

	for (size_t i = 0; i < view->row_count; i++) {
		const struct browse_insn *insn =
			view->rows[i].kind == ROW_ITEM ? &view->insns[view->rows[i].item] : NULL;

		if (!insn || (zoom && !zoom_has_bytes(zoom, insn->type, insn->offset)) ||
		    insn->weight <= most)
			continue;
		best = i;
		most = insn->weight;
	}
	if (best != SIZE_MAX)
		return best;
	return zoom ? browse_hottest_row(view, NULL) : 0;
}

void browse_fill_code(struct browse_view *view, const struct code_listing *listing,
		      enum browse_weight weight)
{
	struct code_maker maker = { .view = view, .listing = listing, .weight = weight };
	_cleanup_strbuf_ struct strbuf facts = STRBUF_INIT;
	_cleanup_free_ char *last = NULL;
	for (size_t i = 0; i < listing->line_count; i++)
		maker.has_charges |= listing->lines[i].charged != NULL;
	last = xasprintf("%" PRIx64,
			 listing->line_count ? listing->lines[listing->line_count - 1].address : 0);
	add_code_columns(&maker, (unsigned int)(strlen(last) < 7 ? 7 : strlen(last)));
	for (size_t i = 0; i < listing->line_count; i++)
		if (listing->lines[i].source)
			tables_add_source(&maker, &listing->lines[i]);
		else
			add_insn(&maker, &listing->lines[i]);
	text_add_grouped(&facts, listing->samples);
	strbuf_add_format(&facts, " samples, of %s", base_name(listing->object));
	view->title = xstrdup(listing->symbol);
	view->facts = strbuf_detach(&facts);
	view->cursor = 0;
	browse_arrange(view);
	browse_move_to(view, browse_hottest_row(view, &view->zoom));
}

/* ---- plain text ---- */

void browse_fill_text(struct browse_view *view, const char *text)
{
	browse_add_column(view, "", CELL_TEXT, 0, 1, 0, false);
	while (*text) {
		size_t length = strcspn(text, "\n");
		struct browse_row *row = browse_add_row(view, ROW_ITEM);

		row->cells[0].text = arena_strndup(&view->texts, text, length);
		text += length + (text[length] == '\n');
	}
}
