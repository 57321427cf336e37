// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements names.h. */
#include "profiler/commands/names.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"
#include "profiler/base/units.h"
#include "profiler/base/words.h"
#include "profiler/commands/output.h"

#define NAMES_LISTED 5

/* ---- the names that samples have ---- */

struct sample_name {
	const char *name;
	uint64_t samples;
};

struct sample_names {
	struct sample_name *items; /* those with the most samples first */
	size_t count, capacity;
};

static const char *name_of(enum chosen_by kind, const struct result *result)
{
	switch (kind) {
	case NAME_COMM: return result->comm;
	case NAME_DSO: return result->place->dso;
	case NAME_SYMBOL: return result->place->symbol;
	default: return result->place->typed ? result->place->type : NULL;
	}
}

static int compare_names(const void *left, const void *right)
{
	const struct sample_name *a = left, *b = right;

	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Names are interned, so that each is one pointer. */
static struct sample_names collect_names(enum chosen_by kind, const struct input *input)
{
	struct sample_names names = { 0 };
	struct hash_map indexes = { 0 };

	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		const char *name = name_of(kind, &result);
		bool created;

		if (!name)
			continue;
		uint32_t *index = hash_map_insert(&indexes, (uintptr_t)name, &created);

		if (created) {
			array_reserve(names.items, names.count, names.capacity);
			names.items[names.count] = (struct sample_name){ .name = name };
			*index = (uint32_t)names.count++;
		}
		names.items[*index].samples += result.samples;
	}
	hash_map_deinit(&indexes);
	if (names.count)
		qsort(names.items, names.count, sizeof(*names.items), compare_names);
	return names;
}

/* ---- one word ---- */

static bool means(enum chosen_by kind, const char *word, const char *name)
{
	return kind == NAME_TYPE ? type_name_matches(word, name) : !strcmp(word, name);
}

/* A DSO may also be given by its path. */
static bool is_path(const struct input *input, const char *word)
{
	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);

		if (result.place->dso_path && !strcmp(result.place->dso_path, word))
			return true;
	}
	return false;
}

/* Returns the name that all types that resemble the word have, without arguments of templates;
 * NULL: there is none, or several. The caller frees it. */
static char *only_resembling(const struct sample_names *names, const char *word)
{
	char *only = NULL;

	for (size_t i = 0; i < names->count; i++) {
		_cleanup_free_ char *base = type_name_resembling(word, names->items[i].name);

		if (!base)
			continue;
		if (only && strcmp(only, base)) {
			free(only);
			return NULL;
		}
		free(only);
		only = xstrdup(base);
	}
	return only;
}

/* Returns whether one of both names contains the other, whatever the case. */
static bool is_part(const char *word, const char *name)
{
	return strcasestr(name, word) || strcasestr(word, name);
}

static void list_names(enum chosen_by kind, const struct sample_names *names, const char *word,
		       struct strbuf *text)
{
	struct nearest nearest = { .word = word };
	const char *listed[NAMES_LISTED];
	size_t count = 0;

	for (size_t i = 0; i < names->count && count < NAMES_LISTED; i++) {
		_cleanup_free_ char *base =
			kind == NAME_TYPE ? type_name_resembling(word, names->items[i].name) : NULL;

		const char *name = type_name_without_keyword(names->items[i].name);

		if (kind == NAME_TYPE && strchr("*]", name[strlen(name) - 1]) &&
		    !strpbrk(word, "*]"))
			continue; /* pointers and arrays are seldom meant */
		if (base || is_part(word, name))
			listed[count++] = name;
		else
			nearest_consider(&nearest, name);
	}
	if (!count && nearest.best)
		listed[count++] = nearest.best;
	if (count == 1) {
		strbuf_add_format(text, "; did you mean '%s'?", listed[0]);
		return;
	}
	strbuf_add_string(text, count ? "; near are " : "; those with the most samples are ");
	if (!count)
		for (; count < NAMES_LISTED && count < names->count; count++)
			listed[count] = names->items[count].name;
	for (size_t i = 0; i < count; i++)
		strbuf_add_format(text, "%s'%s'",
				  !i              ? ""
				  : i + 1 < count ? ", "
						  : " and ",
				  listed[i]);
}

static struct error *no_such_name(enum chosen_by kind, const char *option, const char *word,
				  const struct sample_names *names)
{
	static const char *const words[] = {
		[NAME_COMM] = "is of a command",
		[NAME_DSO] = "is in a program or library",
		[NAME_SYMBOL] = "is in a function",
		[NAME_TYPE] = "is known to access a type",
	};
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_add_format(&text, "%s%sno sample %s '%s'", option, *option ? ": " : "", words[kind],
			  word);
	if (names->count)
		list_names(kind, names, word, &text);
	return error_create(ERROR_NOT_FOUND, "%s", text.data);
}

struct error *name_check(enum chosen_by kind, const char *option, const char *word,
			 const struct input *input, char **instead)
{
	struct sample_names names = collect_names(kind, input);
	struct error *error = NULL;
	bool found = kind == NAME_DSO && is_path(input, word);

	for (size_t i = 0; i < names.count && !found; i++)
		found = means(kind, word, names.items[i].name);
	if (!found && kind == NAME_TYPE)
		*instead = only_resembling(&names, word);
	if (!found && (kind != NAME_TYPE || !*instead))
		error = no_such_name(kind, option, word, &names);
	free(names.items);
	return error;
}

/* ---- all of them ---- */

/* Returns whether the word means something besides types: "(unknown)". */
static bool is_no_type(const char *word)
{
	return word[0] == '(' || word[strcspn(word, "*?[")];
}

static struct error *list_check(enum chosen_by kind, const char *option, struct word_list *list,
				const struct input *input)
{
	_cleanup_error_ struct error *first = NULL;
	size_t found = 0;

	for (size_t i = 0; i < list->count; i++) {
		_cleanup_free_ char *instead = NULL;
		struct error *error = NULL;

		if (kind != NAME_TYPE || !is_no_type(list->words[i]))
			error = name_check(kind, option, list->words[i], input, &instead);
		if (instead) {
			warning("%s: no type '%s' is accessed: taking '%s'", option, list->words[i],
				instead);
			free(list->words[i]);
			list->words[i] = xstrdup(instead);
		}
		found += !error;
		if (error && !first)
			first = error;
		else
			error_destroy(error);
	}
	if (!first)
		return NULL;
	if (found) {
		warning("%s", first->message);
		return NULL;
	}

	struct error *error = first;

	first = NULL;
	return error;
}

struct error *names_check(struct filter *filter, const struct input *input)
{
	if (!input->counts->count)
		return NULL;
	RETURN_ERROR(list_check(NAME_COMM, "--comms", &filter->comms, input));
	RETURN_ERROR(list_check(NAME_DSO, "--dsos", &filter->dsos, input));
	RETURN_ERROR(list_check(NAME_SYMBOL, "--symbols", &filter->symbols, input));
	return list_check(NAME_TYPE, "--types", &filter->types, input);
}

struct error *times_check(const struct sample_choice *choice, const char *time,
			  const struct input *input)
{
	struct time_range whole;

	if (!choice->range_count || input->counts->count ||
	    !session_sample_times(input->session, &whole))
		return NULL;
	return error_create(ERROR_NOT_FOUND,
			    "--time: no sample is in %s; there are samples from %" PRIu64
			    ".%06" PRIu64 " to %" PRIu64 ".%06" PRIu64,
			    time, whole.first / NS_PER_S, whole.first % NS_PER_S / NS_PER_US,
			    whole.last / NS_PER_S, whole.last % NS_PER_S / NS_PER_US);
}

struct error *parse_words_option(void *value, const char *argument)
{
	word_list_parse(value, argument);
	return NULL;
}

struct error *parse_pids_option(void *value, const char *argument)
{
	return word_list_parse_numbers(value, argument, "--pid");
}

struct error *parse_tids_option(void *value, const char *argument)
{
	return word_list_parse_numbers(value, argument, "--tid");
}
