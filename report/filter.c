// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements filter.h. */
#include "report/filter.h"

#include "base/memory.h"
#include "base/text.h"
#include "base/strbuf.h"
#include "base/type_name.h"
#include "report/key/keys.h"

void word_list_parse(struct name_list *list, const char *text)
{
	name_list_deinit(list);
	each_word (word, length, text)
		if (length)
			array_add(list->names, list->count, list->capacity) =
				xstrndup(word, length);
}

struct error *word_list_parse_numbers(struct name_list *list, const char *text, const char *option)
{
	word_list_parse(list, text);
	for (size_t i = 0; i < list->count; i++) {
		const char *word = list->names[i];
		size_t digits = strspn(word, "0123456789");

		if (word[digits] || digits > 10)
			return error_other("%s takes numbers separated by commas, not '%s'", option,
					   word);
	}
	return NULL;
}

void filter_deinit(struct filter *filter)
{
	name_list_deinit(&filter->comms);
	name_list_deinit(&filter->dsos);
	name_list_deinit(&filter->symbols);
	name_list_deinit(&filter->pids);
	name_list_deinit(&filter->tids);
	name_list_deinit(&filter->types);
}

uint64_t filter_needs(const struct filter *filter)
{
	return (filter->comms.count ? NEED_COMM : 0) |
	       /* The level, which tells guests, comes with the object. */
	       (filter->dsos.count || !filter->guests ? NEED_DSO : 0) |
	       (filter->symbols.count ? NEED_SYMBOL : 0) | (filter->pids.count ? NEED_PID : 0) |
	       (filter->tids.count ? NEED_TID : 0) | (filter->types.count ? NEED_TYPE : 0) |
	       (filter->symbol_part || filter->resolved ? NEED_SYMBOL | NEED_ADDRESS : 0);
}

static bool has_word(const struct name_list *list, const char *word)
{
	return word && any_of(i, 0, list->count, !strcmp(list->names[i], word));
}

static bool has_number(const struct name_list *list, int32_t number)
{
	return any_of(i, 0, list->count, strtoll(list->names[i], NULL, 10) == number);
}

bool filter_accepts(const struct filter *filter, const struct result *result)
{
	const struct result_place *place = result->place;

	if ((result->level == 'g' || result->level == 'u') && !filter->guests)
		return false;
	return (!filter->comms.count || has_word(&filter->comms, result->comm)) &&
	       (!filter->dsos.count || has_word(&filter->dsos, place->dso) ||
		has_word(&filter->dsos, place->dso_path)) &&
	       (!filter->symbols.count || has_word(&filter->symbols, place->symbol)) &&
	       (!filter->pids.count || has_number(&filter->pids, result->pid)) &&
	       (!filter->tids.count || has_number(&filter->tids, result->tid)) &&
	       (!filter->types.count ||
		any_of(i, 0, filter->types.count,
		       place->type && type_name_matches(filter->types.names[i], place->type))) &&
	       (!filter->symbol_part ||
		(place->symbol && strstr(place->symbol, filter->symbol_part))) &&
	       (!filter->resolved || place->symbol);
}

static const struct name_list *list_for(const struct filter *filter, const struct key *key)
{
	if (key == &key_comm)
		return &filter->comms;
	if (key == &key_dso)
		return &filter->dsos;
	return key == &key_symbol ? &filter->symbols : NULL;
}

void filter_elide(const struct filter *filter, struct layout *layout, bool screen,
		  struct strbuf *text)
{
	const struct key *elided[LAYOUT_KEYS_MAX];
	size_t elided_count = 0, attributes = 0;

	for (size_t i = 0; i < layout->columns.count; i++) {
		const struct key *key = layout->columns.keys[i];
		const struct name_list *list = list_for(filter, key);

		attributes += key->identity != NULL;
		if (!list || list->count != 1)
			continue;
		strbuf_add_format(text, screen ? ", %s %s" : "# %s: %s\n", key->name,
				  list->names[0]);
		elided[elided_count++] = key;
	}
	for (size_t i = 0; i < elided_count && elided_count < attributes; i++)
		layout_remove(layout, elided[i]);
}
