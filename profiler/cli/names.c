// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements names.h. */
#include "profiler/cli/names.h"

#include <ctype.h>
#include <inttypes.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/type_name.h"
#include "profiler/cli/output.h"
#include "report/text.h"

#define NAMES_LISTED 5
#define NAME_COLUMNS 60 /* of a listed name on a terminal */

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

COMPARISON(compare_names, struct sample_name, DESCENDING(samples) BY_TEXT(name))

/* Returns the names that samples have. They are interned, so that each name is one pointer. */
static struct sample_names collect_names(enum chosen_by kind, const struct input *input)
{
	struct sample_names names = { 0 };
	struct hash_map indexes = { 0 };

	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		const char *name = name_of(kind, &result);

		if (!name)
			continue;
		struct sample_name *item = hash_map_item(&indexes, (uintptr_t)name, names.items,
							 names.count, names.capacity, NULL);

		item->name = name;
		item->samples += result.samples;
	}
	hash_map_deinit(&indexes);
	array_sort(names.items, names.count, compare_names);
	return names;
}

/* ---- one word ---- */

/* True if the word is the path of a DSO with samples, which may be given instead of its name. */
static bool is_path(const struct input *input, const char *word)
{
	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);

		if (result.place->dso_path && !strcmp(result.place->dso_path, word))
			return true;
	}
	return false;
}

/* Returns the one name, without template arguments, of the types that resemble the word; NULL if
 * there is none, or more than one, or if the word has template arguments: all instances are not
 * what it asks for. The caller frees it. */
static char *only_resembling(const struct sample_names *names, const char *word)
{
	char *only = NULL;

	if (strpbrk(word, "<["))
		return NULL;
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

/* Returns whether the name contains the word, or is a part of it between other characters than
 * letters ("client" of "client_st"; "int" is no part of "clint"). Case is ignored. */
static bool is_part(const char *word, const char *name)
{
	const char *found = strcasestr(word, name);

	return strcasestr(name, word) ||
	       (found && !(found > word && isalnum((unsigned char)found[-1])) &&
		!isalnum((unsigned char)found[strlen(name)]));
}

/* Returns the name without the scopes around it: "Item" of "shop::Item". */
static const char *without_scopes(const char *name)
{
	const char *last = name;
	size_t depth = 0;

	for (const char *at = name; *at; at++) {
		depth += *at == '<' || *at == '(';
		depth -= depth && (*at == '>' || *at == ')');
		if (!depth && (*at == ':' || *at == '.') && at[1])
			last = at + 1;
	}
	return last;
}

static void list_names(enum chosen_by kind, const struct sample_names *names, const char *word,
		       struct strbuf *text)
{
	struct nearest nearest = { .word = word };
	const char *listed[NAMES_LISTED];
	size_t count = 0;
	bool whole = false; /* a listed name has all of the word */

	if (kind == NAME_TYPE)
		nearest.word = word = type_name_without_keyword(word);
	for (size_t i = 0; i < names->count && count < NAMES_LISTED; i++) {
		_cleanup_free_ char *base =
			kind == NAME_TYPE ? type_name_resembling(word, names->items[i].name) : NULL;

		const char *name = type_name_without_keyword(names->items[i].name);

		if (kind == NAME_TYPE && strchr("*]", name[strlen(name) - 1]) &&
		    !strpbrk(word, "*]"))
			continue; /* pointers and arrays are seldom meant */
		if (base || is_part(word, name)) {
			whole |= base || strcasestr(name, word);
			listed[count++] = name;
		} else {
			nearest_consider(&nearest, name);
		}
		if (kind == NAME_TYPE)
			nearest_consider(&nearest, without_scopes(name));
	}
	/* a misspelt letter is likelier than one word too many */
	if (!whole && nearest.best) {
		listed[0] = nearest.best;
		count = 1;
	}
	if (count == 1) {
		strbuf_add_format(text, "; did you mean '%s'?", listed[0]);
		return;
	}
	strbuf_add_string(text, count ? "; near are " : "; those with the most samples are ");
	if (!count)
		for (; count < NAMES_LISTED && count < names->count; count++)
			listed[count] = names->items[count].name;
	for (size_t i = 0; i < count; i++) {
		size_t start;

		strbuf_add_string(text, !i ? "'" : i + 1 < count ? ", '" : " and '");
		start = text->length;
		strbuf_add_string(text, listed[i]);
		/* whole names of C++ would fill a screen */
		if (isatty(STDERR_FILENO))
			text_shorten_name(text, start, NAME_COLUMNS, terminal_ellipsis());
		strbuf_add_char(text, '\'');
	}
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

	if (!*word)
		return error_other("%s%sthe name is empty", option, *option ? ": " : "");
	strbuf_add_format(&text, "%s%sno sample %s '%s'", option, *option ? ": " : "", words[kind],
			  word);
	if (names->count)
		list_names(kind, names, word, &text);
	return error_create(ERROR_NOT_FOUND, "%s", text.data);
}

struct error *name_unknown(enum chosen_by kind, const char *word, const struct input *input)
{
	struct sample_names names = collect_names(kind, input);
	struct error *error = no_such_name(kind, "", word, &names);

	free(names.items);
	return error;
}

struct error *name_check(enum chosen_by kind, const char *option, const char *word,
			 const struct input *input, char **instead)
{
	struct sample_names names = collect_names(kind, input);
	struct error *error = NULL;
	bool found = kind == NAME_DSO && is_path(input, word);

	for (size_t i = 0; i < names.count && !found; i++)
		found = kind == NAME_TYPE ? type_name_matches(word, names.items[i].name)
					  : !strcmp(word, names.items[i].name);
	if (!found && kind == NAME_TYPE)
		*instead = only_resembling(&names, word);
	if (!found && (kind != NAME_TYPE || !*instead))
		error = no_such_name(kind, option, word, &names);
	free(names.items);
	return error;
}

/* ---- all of them ---- */

/* Returns whether the word may stand for no type: "(unknown)", or a pattern. */
static bool is_no_type(const char *word)
{
	return word[0] == '(' || word[strcspn(word, "*?[")];
}

static struct error *list_check(enum chosen_by kind, const char *option, struct name_list *list,
				const struct input *input)
{
	_cleanup_error_ struct error *first = NULL;
	size_t found = 0;

	for (size_t i = 0; i < list->count; i++) {
		_cleanup_free_ char *instead = NULL;
		struct error *error = NULL;

		if (kind != NAME_TYPE || !is_no_type(list->names[i]))
			error = name_check(kind, option, list->names[i], input, &instead);
		if (instead) {
			warning("%s: no type '%s' is accessed: taking '%s'", option, list->names[i],
				instead);
			free(list->names[i]);
			list->names[i] = xstrdup(instead);
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

struct error *times_check(const struct sample_choice *choice, const struct input *input)
{
	struct time_range whole;

	if (!choice->range_count || input->counts->count ||
	    !session_sample_times(input->session, &whole))
		return NULL;
	return error_create(ERROR_NOT_FOUND,
			    "--time: no sample is in %s; there are samples from %" PRIu64
			    ".%06" PRIu64 " to %" PRIu64 ".%06" PRIu64,
			    choice->time, whole.first / NS_PER_S,
			    whole.first % NS_PER_S / NS_PER_US, whole.last / NS_PER_S,
			    whole.last % NS_PER_S / NS_PER_US);
}

struct error *parse_words_option(void *value, const char *argument)
{
	struct name_list *list = value;

	word_list_parse(list, argument);
	return list->count ? NULL : error_other("needs a name");
}

struct error *parse_pids_option(void *value, const char *argument)
{
	return word_list_parse_numbers(value, argument, "--pid");
}

struct error *parse_tids_option(void *value, const char *argument)
{
	return word_list_parse_numbers(value, argument, "--tid");
}
