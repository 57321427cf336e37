// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Making sort keys of tracepoint fields: the words of --sort and --fields that name fields are
 * rewritten one by one.
 */
#include "profiler/commands/trace_keys.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

#include "profiler/base/strbuf.h"

#define SEPARATORS ", {}"

/* The state of rewriting one option. */
struct chooser {
	struct trace_keys *keys;
	const struct event *events;
	size_t event_count;
	const char *option; /* for messages */
	bool all_raw;
	bool raw;           /* the current word asks for raw values */
	bool in_group;      /* after a '{' that the user wrote */
	struct strbuf text; /* rewritten so far */
};

/* True if the event has fields. Samples recorded without their data have none. */
static bool has_fields(const struct event *event)
{
	return event->field_count && event->attr.sample_type & PERF_SAMPLE_RAW;
}

bool trace_keys_of(const struct session *session)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	for (size_t i = 0; i < count; i++)
		if (has_fields(&events[i]))
			return true;
	return false;
}

/*
 * Returns a unique name for a key. Events of one file may share a name, and names may contain what
 * separates keys.
 */
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

	_cleanup_free_ char *numbered = xasprintf("%s#%zu", name, keys->count);

	return arena_strdup(&keys->arena, numbered);
}

/* Name the field in the rewritten text, and make a key for it if there is none. */
static struct error *add_field(struct chooser *chooser, const struct event *event,
			       const struct tracepoint_field *field)
{
	struct trace_keys *keys = chooser->keys;
	size_t length = chooser->text.length;
	size_t i = 0;

	if (length && !strchr(SEPARATORS "+", chooser->text.data[length - 1]))
		strbuf_add_char(&chooser->text, ',');
	while (i < keys->count &&
	       (keys->choices[i].event != event->index || keys->choices[i].field != field ||
		keys->choices[i].raw != chooser->raw))
		i++;
	if (i == TRACE_KEYS_MAX)
		return error_create(ERROR_OTHER,
				    "%s: more than %d fields of tracepoints; name fewer",
				    chooser->option, TRACE_KEYS_MAX);
	if (i == keys->count) {
		const char *name = key_name(keys, event, field);

		keys->keys[i] = trace_key((unsigned int)i, name, field->name);
		keys->list[i] = &keys->keys[i];
		keys->choices[i] = (struct trace_choice){ event->index, field, chooser->raw };
		keys->count++;
	}
	strbuf_add_string(&chooser->text, keys->keys[i].name);
	return NULL;
}

static bool has_name(const struct tracepoint_field *field, const char *name)
{
	return !strcmp(field->name, name);
}

/* Add all fields of the event, or those called `name`; counts them in *found. */
static struct error *add_fields(struct chooser *chooser, const struct event *event,
				const char *name, size_t *found)
{
	for (size_t i = 0; has_fields(event) && i < event->field_count; i++) {
		const struct tracepoint_field *field = &event->fields[i];

		if (name ? !has_name(field, name) : field->is_common)
			continue;
		RETURN_ERROR(add_field(chooser, event, field));
		++*found;
		if (name)
			break;
	}
	return NULL;
}

/* True if `name` is the event's full name, or the part after the colon. */
static bool is_called(const struct event *event, const char *name)
{
	const char *colon = strchr(event->name, ':');

	return !strcmp(event->name, name) || (colon && !strcmp(colon + 1, name));
}

/* Find an event by its name, or by a part of it that is unique. */
static struct error *find_event(const struct chooser *chooser, const char *name,
				const struct event **result)
{
	const struct event *part = NULL;

	for (size_t i = 0; i < chooser->event_count; i++)
		if (is_called(&chooser->events[i], name)) {
			*result = &chooser->events[i];
			return NULL;
		}
	for (size_t i = 0; i < chooser->event_count; i++) {
		const struct event *event = &chooser->events[i];

		if (!*name || !strstr(event->name, name))
			continue;
		if (part)
			return error_create(ERROR_OTHER,
					    "%s: the event '%s' is ambiguous: %s or %s",
					    chooser->option, name, part->name, event->name);
		part = event;
	}
	if (!part)
		return error_create(ERROR_OTHER,
				    "%s: the file has no event '%s' (--header-only lists them)",
				    chooser->option, name);
	*result = part;
	return NULL;
}

static struct error *no_such_field(const struct chooser *chooser, const struct event *event,
				   const char *name)
{
	_cleanup_strbuf_ struct strbuf names = STRBUF_INIT;

	if (!event->field_count)
		return error_create(ERROR_OTHER, "%s: the file does not describe fields of %s",
				    chooser->option, event->name);
	if (!has_fields(event))
		return error_create(
			ERROR_OTHER,
			"%s: samples of %s were recorded without their data (PERF_SAMPLE_RAW)",
			chooser->option, event->name);
	for (size_t i = 0; i < event->field_count; i++)
		if (!event->fields[i].is_common)
			strbuf_add_format(&names, "%s%s", names.length ? ", " : "",
					  event->fields[i].name);
	return error_create(ERROR_OTHER, "%s: %s has no field '%s', but %s", chooser->option,
			    event->name, name, names.length ? names.data : "no others");
}

/* Add "EVENT.FIELD". Names of events may contain dots, so the last one counts. */
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

/* Add fields of all events: those called `name`, or all (NULL). */
static struct error *add_of_all(struct chooser *chooser, const char *name, size_t *found)
{
	for (size_t i = 0; i < chooser->event_count; i++)
		RETURN_ERROR(add_fields(chooser, &chooser->events[i], name, found));
	return NULL;
}

/* Add the fields that a word names which is no general key. */
static struct error *add_word(struct chooser *chooser, char *word)
{
	char *slash = strrchr(word, '/'), *dot;
	size_t found = 0;

	chooser->raw = chooser->all_raw;
	if (slash && !strcmp(slash, "/raw")) {
		chooser->raw = true;
		*slash = '\0';
	}
	dot = strrchr(word, '.');
	if (!chooser->in_group)
		strbuf_add_char(&chooser->text,
				'{'); /* a word is one level of the hierarchy, as in perf */
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
	struct error *error = key_find(word, strlen(word), "", false, NULL, &key);
	bool found = !error;

	error_destroy(error);
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
				struct layout_options *options, bool raw)
{
	struct chooser chooser = {
		.keys = keys, .text = STRBUF_INIT, .option = "--sort", .all_raw = raw
	};

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
