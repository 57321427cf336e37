// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements names.h. */
#include "profiler/cli/names.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <unistd.h>

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

struct error *name_unknown(enum chosen_by kind, const char *option, const char *word,
			   const struct input *input)
{
	struct sample_names names = collect_names(kind, input);
	struct error *error = no_such_name(kind, option, word, &names);

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

/* ---- sort keys for fields of tracepoints ---- */

/* Sort keys of tracepoint fields: words of --sort and --fields that name them are rewritten. */

#define SEPARATORS ", {}"

/* The state of rewriting one option. */
struct chooser {
	struct trace_keys *keys;
	const struct event *events;
	size_t event_count;
	const char *option; /* for messages */
	bool in_group;      /* after a '{' that the user wrote */
	struct strbuf text; /* rewritten so far */
};

/* Returns whether the event has fields. Samples recorded without their data have none. */
static bool has_fields(const struct event *event)
{
	return event->field_count && event->attr.sample_type & PERF_SAMPLE_RAW;
}

bool trace_keys_of(const struct session *session)
{
	return session_any_event(session, event, has_fields(event));
}

struct error *trace_keys_lack(const struct session *session, struct error *unknown)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	for (size_t i = 0; i < count; i++)
		if (events[i].attr.type == PERF_TYPE_TRACEPOINT)
			return error_prefix(unknown,
					    "fields of tracepoints cannot be keys, since the file "
					    "lacks their %s",
					    events[i].field_count ? "data (PERF_SAMPLE_RAW)"
								  : "formats");
	if (!strstr(unknown->message, "'trace_fields'"))
		return unknown;
	error_destroy(unknown);
	return error_create(ERROR_NOT_FOUND, "trace_fields: the file has no tracepoints");
}

/* Returns a unique name for a key: events may share names, or have separators in them. */
static const char *key_name(struct trace_keys *keys, const struct event *event,
			    const struct tracepoint_field *field)
{
	_cleanup_free_ char *name = xasprintf("%s.%s", event->name, field->name);
	const struct key *other;

	for (char *letter = name; *letter; letter++)
		if (!isgraph((unsigned char)*letter) || strchr(SEPARATORS "\"", *letter))
			*letter = '_';

	struct error *error = key_find(name, strlen(name), "", false, keys->list, &other);

	if (error) {
		error_destroy(error);
		return arena_strdup(&keys->arena, name);
	}

	return arena_format(&keys->arena, "%s#%zu", name, keys->count);
}

/* Names the field in the rewritten text, and makes a key for it if there is none. */
static struct error *add_field(struct chooser *chooser, const struct event *event,
			       const struct tracepoint_field *field)
{
	struct trace_keys *keys = chooser->keys;
	size_t length = chooser->text.length, i = 0;

	if (length && !strchr(SEPARATORS "+", chooser->text.data[length - 1]))
		strbuf_add_char(&chooser->text, ',');
	while (i < keys->count &&
	       (keys->choices[i].event != event->index || keys->choices[i].field != field))
		i++;
	if (i == TRACE_KEYS_MAX)
		return error_other("%s: more than %d fields of tracepoints; name fewer",
				   chooser->option, TRACE_KEYS_MAX);
	if (i == keys->count) {
		const char *name = key_name(keys, event, field);

		keys->keys[i] = trace_key((unsigned int)i, name, field->name);
		keys->list[i] = &keys->keys[i];
		keys->choices[i] = (struct trace_choice){ event->index, field };
		keys->count++;
	}
	strbuf_add_string(&chooser->text, keys->keys[i].name);
	return NULL;
}

/* Adds all fields of the event, or those called `name`, and counts them in *found. */
static struct error *add_fields(struct chooser *chooser, const struct event *event,
				const char *name, size_t *found)
{
	for (size_t i = 0; has_fields(event) && i < event->field_count; i++) {
		const struct tracepoint_field *field = &event->fields[i];

		if (name ? strcmp(field->name, name) != 0 : field->is_common)
			continue;
		RETURN_ERROR(add_field(chooser, event, field));
		++*found;
		if (name)
			break;
	}
	return NULL;
}

/* Returns whether `name` is the event's full name, or the part after the colon. */
static bool is_called(const struct event *event, const char *name)
{
	const char *colon = strchr(event->name, ':');

	return !strcmp(event->name, name) || (colon && !strcmp(colon + 1, name));
}

/* Finds an event by its name, or by a part of it that is unique. */
static struct error *find_event(const struct chooser *chooser, const char *name,
				const struct event **result)
{
	const struct event *part = NULL;

	for (size_t i = 0; i < chooser->event_count; i++)
		if (is_called(&chooser->events[i], name)) {
			*result = &chooser->events[i];
			return NULL;
		}
	array_each (const struct event, event, chooser->events, chooser->event_count) {
		if (!*name || !strstr(event->name, name))
			continue;
		if (part)
			return error_other("%s: the event '%s' is ambiguous: %s or %s",
					   chooser->option, name, part->name, event->name);
		part = event;
	}
	if (!part)
		return error_other("%s: the file has no event '%s' (--header-only lists them)",
				   chooser->option, name);
	*result = part;
	return NULL;
}

static struct error *no_such_field(const struct chooser *chooser, const struct event *event,
				   const char *name)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;

	if (!event->field_count)
		return error_other("%s: the file does not describe fields of %s", chooser->option,
				   event->name);
	if (!has_fields(event))
		return error_other(
			"%s: samples of %s were recorded without their data (PERF_SAMPLE_RAW)",
			chooser->option, event->name);
	for (size_t i = 0; i < event->field_count; i++)
		if (!event->fields[i].is_common)
			strbuf_add_format(&names, "%s%s", names.length ? ", " : "",
					  event->fields[i].name);
	return error_other("%s: %s has no field '%s', but %s", chooser->option, event->name, name,
			   names.length ? names.data : "no others");
}

/* Adds "EVENT.FIELD". Names of events may contain dots, so the last dot separates the two. */
static struct error *add_of_event(struct chooser *chooser, char *word, char *dot, size_t *found)
{
	const struct event *event = NULL;
	const char *field = dot + 1;

	*dot = '\0';
	RETURN_ERROR(find_event(chooser, word, &event));
	assert(event);
	RETURN_ERROR(add_fields(chooser, event, strcmp(field, "*") != 0 ? field : NULL, found));
	return *found ? NULL : no_such_field(chooser, event, field);
}

/* Adds fields of all events: those called `name`, or all (NULL). */
static struct error *add_of_all(struct chooser *chooser, const char *name, size_t *found)
{
	for (size_t i = 0; i < chooser->event_count; i++)
		RETURN_ERROR(add_fields(chooser, &chooser->events[i], name, found));
	return NULL;
}

/* Adds the fields that a word names. The word must not name a general key. */
static struct error *add_word(struct chooser *chooser, char *word)
{
	char *slash = strrchr(word, '/'), *dot;
	size_t found = 0;

	if (slash && !strcmp(slash, "/raw"))
		*slash = '\0'; /* perf's; values are always raw here */
	dot = strrchr(word, '.');
	if (!chooser->in_group)
		strbuf_add_char(&chooser->text,
				'{'); /* each word is one level of the hierarchy, as in perf */
	if (dot)
		RETURN_ERROR(add_of_event(chooser, word, dot, &found));
	else
		RETURN_ERROR(add_of_all(chooser, strcmp(word, "trace_fields") != 0 ? word : NULL,
					&found));
	if (!found)
		strbuf_add_string(&chooser->text, word); /* layout_parse() reports the error */
	if (!chooser->in_group)
		strbuf_add_char(&chooser->text, '}');
	return NULL;
}

static bool is_key_of_all(const char *word)
{
	const struct key *key;
	_cleanup_error_ struct error *error = key_find(word, strlen(word), "", false, NULL, &key);
	bool found = !error;

	return found;
}

static struct error *rewrite(struct chooser *chooser, const char **option_text)
{
	const char *text = *option_text;

	strbuf_reset(&chooser->text);
	chooser->in_group = false;
	while (text && *text) {
		size_t between = strspn(text, SEPARATORS "+");
		size_t length = strcspn(text + between, SEPARATORS);
		_cleanup_free_ char *word = xstrndup(text + between, length);

		strbuf_add(&chooser->text, text, between);
		for (size_t i = 0; i < between; i++)
			chooser->in_group = text[i] == '{' || (chooser->in_group && text[i] != '}');
		if (!length || is_key_of_all(word))
			strbuf_add_string(&chooser->text, word);
		else
			RETURN_ERROR(add_word(chooser, word));
		text += between + length;
	}
	if (text)
		*option_text = arena_strdup(&chooser->keys->arena,
					    chooser->text.length ? chooser->text.data : "");
	return NULL;
}

struct error *trace_keys_choose(struct trace_keys *keys, const struct session *session,
				struct layout_options *options)
{
	struct chooser chooser = { .keys = keys, .text = STRBUF_INIT, .option = "--sort" };

	if (!trace_keys_of(session))
		return NULL;
	chooser.events = session_events(session, &chooser.event_count);

	struct error *error = rewrite(&chooser, &options->sort);

	chooser.option = "--fields";
	if (!error)
		error = rewrite(&chooser, &options->fields);
	chooser.option = "--sort-by";
	if (!error)
		error = rewrite(&chooser, &options->sort_by);
	if (!error)
		error = rewrite(&chooser, &options->default_sort);
	options->more_keys = keys->list;
	strbuf_deinit(&chooser.text);
	return error;
}

void trace_keys_deinit(struct trace_keys *keys)
{
	arena_deinit(&keys->arena);
}
