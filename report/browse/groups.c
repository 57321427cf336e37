// SPDX-License-Identifier: GPL-2.0-or-later
/* Tables of entries: types, functions, threads and objects with their figures. */
#include "profiler/base/memory.h"
#include "report/browse/view.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/hash.h"
#include "report/print/print.h"

/* ---- which entries ---- */

bool browse_zoom_accepts(const struct browse_zoom *zoom, const struct result_place *place,
			 uint32_t event, int32_t tid, bool kernel)
{
	if (event != zoom->event || (zoom->has_thread && tid != zoom->tid) ||
	    (zoom->kernel && !kernel))
		return false;
	if (zoom->dso && (!place->dso || strcmp(zoom->dso, place->dso) != 0))
		return false;
	if (!zoom->type)
		return true;
	if (!place->type || strcmp(place->type, zoom->type) != 0)
		return false;
	return zoom->first == zoom->end ||
	       (place->offset >= zoom->first && place->offset < zoom->end);
}

static bool accepts(const struct browse_zoom *zoom, const struct browse_entry *entry)
{
	return browse_zoom_accepts(zoom, entry->place, entry->event, entry->tid, entry->kernel);
}

static void add_entry(struct browse_figures *figures, const struct browse_entry *entry)
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
		if (accepts(zoom, &source->entries[i]))
			add_entry(&sum, &source->entries[i]);
	return sum;
}

/* ---- groups ---- */

/* The words in which the entries of a group agree. Equal strings are equal pointers (result.h). */
struct group_key {
	uint64_t words[3];
};

/* Groups by their keys. Groups whose keys have one hash are a chain. */
struct grouper {
	struct hash_map first; /* group number + 1, by hash */
	struct group_key *keys;
	uint32_t *next;
	struct browse_group *groups;
	size_t count, key_capacity, next_capacity, capacity;
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

static uint32_t add_group(struct grouper *grouper, const struct group_key *key,
			  const struct browse_entry *entry)
{
	size_t count = grouper->count;

	array_reserve(grouper->keys, count, grouper->key_capacity);
	array_reserve(grouper->next, count, grouper->next_capacity);
	array_reserve(grouper->groups, count, grouper->capacity);
	grouper->keys[count] = *key;
	grouper->next[count] = 0;
	grouper->groups[count] = (struct browse_group){ .place = entry->place,
							.comm = entry->comm,
							.tid = entry->tid };
	return (uint32_t)++grouper->count;
}

/* Returns the group of the key, which is made if there is none. */
static struct browse_group *group_of(struct grouper *grouper, const struct group_key *key,
				     const struct browse_entry *entry)
{
	uint64_t hash = hash_combine(hash_combine(key->words[0], key->words[1]), key->words[2]);
	bool created;
	uint32_t *slot = hash_map_insert(&grouper->first, hash, &created), number = *slot;

	while (number && memcmp(&grouper->keys[number - 1], key, sizeof(*key)) != 0)
		number = grouper->next[number - 1];
	if (!number) {
		number = add_group(grouper, key, entry);
		grouper->next[number - 1] = created ? 0 : *slot;
		*slot = number;
	}
	return &grouper->groups[number - 1];
}

static void grouper_deinit(struct grouper *grouper)
{
	hash_map_deinit(&grouper->first);
	free(grouper->keys);
	free(grouper->next);
	free(grouper->groups);
}

/* ---- hottest fields ---- */

#define NO_FIELD_TEXT "(no field)"

/* Sets the hottest field of each type. The first of several equal ones in the alphabet wins, so
 * that the order of the entries has no influence. */
static void find_hottest(struct browse_view *view, const struct browse_source *source,
			 enum browse_weight weight, struct grouper *types)
{
	struct grouper fields = { 0 };

	for (size_t i = 0; i < source->entry_count; i++) {
		const struct browse_entry *entry = &source->entries[i];
		struct group_key key = { { (uintptr_t)entry->place->type,
					   (uintptr_t)entry->place->field } };

		if (accepts(&view->zoom, entry) && entry->place->typed)
			add_entry(&group_of(&fields, &key, entry)->figures, entry);
	}
	for (size_t i = 0; i < fields.count; i++) {
		const struct browse_group *field = &fields.groups[i];
		struct group_key key = { { (uintptr_t)field->place->type } };
		struct browse_entry entry = { .place = field->place };
		struct browse_group *type = group_of(types, &key, &entry);
		const char *name = field->place->field ? field->place->field : NO_FIELD_TEXT;
		uint64_t most = field->figures.by[weight];

		if (type->hottest &&
		    (most < type->hottest_weight ||
		     (most == type->hottest_weight && strcmp(name, type->hottest) >= 0)))
			continue;
		type->hottest = name;
		type->hottest_weight = most;
		type->hottest_share = percent(most, type->figures.by[weight]);
	}
	grouper_deinit(&fields);
}

/* ---- rows ---- */

static const char *group_name(enum browse_view_kind kind, const struct browse_group *group,
			      struct arena *texts)
{
	_cleanup_free_ char *thread = NULL;

	switch (kind) {
	case VIEW_TYPES: return group->place->type ? group->place->type : "(unknown)";
	case VIEW_THREADS:
		thread = xasprintf("%" PRId32 ":%s", group->tid, group->comm ? group->comm : "");
		return arena_strdup(texts, thread);
	case VIEW_OBJECTS: return group->place->dso ? group->place->dso : "[unknown]";
	default: return group->place->symbol ? group->place->symbol : "[unknown]";
	}
}

struct group_order {
	enum browse_view_kind kind;
	enum browse_weight weight;
};

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Orders groups with equal figures by what they are, so that the order of entries has no
 * influence. */
static int compare_names(enum browse_view_kind kind, const struct browse_group *a,
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
	return order ? order
		     : (a->place->symbol_address > b->place->symbol_address) -
			       (a->place->symbol_address < b->place->symbol_address);
}

static int compare_groups(const void *left, const void *right, void *data)
{
	const struct browse_group *a = left, *b = right;
	const struct group_order *order = data;
	const enum browse_weight by[] = { order->weight, WEIGH_PERIOD, WEIGH_SAMPLES };

	for (size_t i = 0; i < COUNT_OF(by); i++)
		if (a->figures.by[by[i]] != b->figures.by[by[i]])
			return a->figures.by[by[i]] < b->figures.by[by[i]] ? 1 : -1;
	return compare_names(order->kind, a, b);
}

static void add_columns(struct browse_view *view, bool has_latency)
{
	static const char *const names[] = { "Type", "Function", "Thread", "Object", "Function" };
	bool functions = view->kind == VIEW_FUNCTIONS || view->kind == VIEW_USERS;

	browse_add_column(view, (struct browse_column){ "Share", CELL_SHARE, 7, 0, 0, false });
	browse_add_column(view, (struct browse_column){ "", CELL_BAR, 10, 0, 110, false });
	browse_add_column(view, (struct browse_column){ "Samples", CELL_COUNT, 9, 0, 0, false });
	browse_add_column(view, (struct browse_column){ "Loads", CELL_COUNT, 9, 0, 90, false });
	browse_add_column(view, (struct browse_column){ "Stores", CELL_COUNT, 9, 0, 90, false });
	if (has_latency)
		browse_add_column(view,
				  (struct browse_column){ "Latency", CELL_MEAN, 7, 0, 100, false });
	browse_add_column(view,
			  (struct browse_column){ names[view->kind], CELL_TEXT, 0, 4, 0, false });
	if (functions)
		browse_add_column(view,
				  (struct browse_column){ "Object", CELL_TEXT, 0, 1, 76, false });
	if (view->kind == VIEW_TYPES)
		browse_add_column(view, (struct browse_column){ "Hottest field", CELL_TEXT, 0, 3,
								76, false });
}

static void add_group_row(struct browse_view *view, size_t index, enum browse_weight weight,
			  uint64_t whole, bool has_latency)
{
	const struct browse_group *group = &view->groups[index];
	struct browse_row *row = browse_add_row(view, ROW_ITEM);
	const struct browse_figures *figures = &group->figures;
	uint64_t samples = figures->by[WEIGH_SAMPLES];
	size_t next = 0;

	row->item = index;
	row->named = view->kind == VIEW_TYPES && group->place->typed;
	row->cells[next++].number = percent(figures->by[weight], whole);
	row->cells[next++].number = percent(figures->by[weight], whole);
	row->cells[next++].number = (double)samples;
	row->cells[next++].number = (double)figures->by[WEIGH_LOADS];
	row->cells[next++].number = (double)figures->by[WEIGH_STORES];
	if (has_latency)
		row->cells[next++].number =
			samples ? (double)figures->by[WEIGH_LATENCY] / (double)samples : 0;
	row->cells[next++].text = group_name(view->kind, group, &view->texts);
	if (view->kind == VIEW_FUNCTIONS || view->kind == VIEW_USERS)
		row->cells[next++].text = group->place->dso ? group->place->dso : "[unknown]";
	if (view->kind == VIEW_TYPES && group->hottest &&
	    strcmp(group->hottest, NO_FIELD_TEXT) != 0) {
		_cleanup_free_ char *text =
			xasprintf("%5.1f%% %s", group->hottest_share, group->hottest);

		row->cells[next++].text = arena_strdup(&view->texts, text);
	}
}

void browse_fill_groups(struct browse_view *view, const struct browse_source *source,
			enum browse_weight weight, uint64_t whole)
{
	struct grouper grouper = { 0 };
	uint64_t sum = 0;

	for (size_t i = 0; i < source->entry_count; i++) {
		const struct browse_entry *entry = &source->entries[i];
		struct group_key key = key_of(view->kind, entry);

		if (accepts(&view->zoom, entry))
			add_entry(&group_of(&grouper, &key, entry)->figures, entry);
	}
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
	add_columns(view, source->has_latency);
	for (size_t i = 0; i < view->item_count; i++)
		add_group_row(view, i, weight, whole ? whole : sum, source->has_latency);
}
