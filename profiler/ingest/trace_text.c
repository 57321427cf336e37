// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/ingest/trace_text.h"

#include <string.h>

#include "profiler/ingest/sample.h"
#include "profiler/ingest/session_private.h"

/* How records of an event are printed. */
struct trace_event {
	bool known;                          /* it was looked at */
	const struct trace_program *program; /* NULL: fields one by one */
};

void trace_texts_init(struct trace_texts *texts, struct session *session, bool raw)
{
	*texts = (struct trace_texts){ .session = session, .raw = raw, .text = STRBUF_INIT };
	texts->events = xcalloc(session->events.count, sizeof(*texts->events));
	array_reserve(texts->texts, texts->count, texts->capacity);
	texts->texts[texts->count++] = NULL;
}

void trace_texts_release(struct trace_texts *texts)
{
	arena_release(&texts->arena);
	free(texts->events);
	string_pool_release(&texts->pool);
	hash_map_release(&texts->numbers);
	free(texts->texts);
	strbuf_release(&texts->text);
	*texts = (struct trace_texts){ 0 };
}

static const struct trace_event *look_at(struct trace_texts *texts, const struct event *event)
{
	struct trace_event *known = &texts->events[event->index];
	struct strbuf problem _cleanup_strbuf_ = STRBUF_INIT;

	if (known->known)
		return known;
	known->known = true;
	if (texts->raw || !event->field_count)
		return known;
	known->program = trace_program_parse(event->format, event->format_size, event->fields,
					     event->field_count, event->long_size, &texts->arena, &problem);
	if (!known->program)
		session_warn(
			texts->session,
			"%s: the text of its records is not known, their fields are shown one by one; of its "
			"print format: %s",
			event->name, problem.length ? problem.data : "");
	return known;
}

struct symbol_question {
	struct session *session;
	const struct sample *sample;
};

static const char *find_symbol(void *data, uint64_t address, uint64_t *offset)
{
	const struct symbol_question *question = data;
	const struct symbol *symbol;
	struct place place;

	session_locate(question->session, question->sample, 'k', address, &place);
	symbol = place.dso ? dso_symbol_at(place.dso, &question->session->options.dso, place.address) : NULL;
	if (!symbol)
		return NULL;
	*offset = place.address - symbol->address;
	return symbol->name;
}

/* Into texts->text. */
static bool make_text(struct trace_texts *texts, const struct sample *sample)
{
	const struct event *event = sample->event;
	const struct trace_event *known = look_at(texts, event);
	struct symbol_question question = { texts->session, sample };
	const struct trace_symbols symbols = { find_symbol, &question };
	bool swap = texts->session->header.swap;

	strbuf_reset(&texts->text);
	if (!event->field_count || !sample->raw.data)
		return false;
	if (!known->program)
		return tracepoint_fields_text(event->fields, event->field_count, sample->raw.data,
					      sample->raw.size, swap, &texts->text);
	return trace_program_print(known->program, sample->raw.data, sample->raw.size, swap, &symbols,
				   &texts->text);
}

uint32_t trace_texts_add(struct trace_texts *texts, const struct sample *sample)
{
	bool created;

	if (!make_text(texts, sample))
		return 0;

	const char *text = string_pool_intern(&texts->pool, texts->text.length ? texts->text.data : "");
	uint32_t *number = hash_map_insert(&texts->numbers, (uintptr_t)text, &created);

	if (created) {
		array_reserve(texts->texts, texts->count, texts->capacity);
		*number = (uint32_t)texts->count;
		texts->texts[texts->count++] = text;
	}
	return *number;
}

bool trace_texts_value(struct trace_texts *texts, const struct sample *sample, const char *name,
		       struct strbuf *value)
{
	size_t length = strlen(name);

	if (!make_text(texts, sample) || !texts->text.length)
		return false;
	for (const char *word = texts->text.data; word; word = strchr(word, ' ')) {
		word += *word == ' ';
		if (strncmp(word, name, length) != 0 || word[length] != '=')
			continue;
		word += length + 1;
		strbuf_add(value, word, strcspn(word, " "));
		return true;
	}
	return false;
}
