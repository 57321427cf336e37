// SPDX-License-Identifier: GPL-2.0-or-later
/* Interns texts and values of tracepoints (count.h). */
#include <string.h>

#include "profiler/ingest/count.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session_private.h"

/* ---- texts of whole records ---- */

/* How the records of an event are printed. */
struct trace_event {
	bool parsed;                         /* `program` is set */
	const struct trace_program *program; /* NULL: print the fields one by one */
};

void trace_texts_init(struct trace_texts *texts, struct session *session, bool raw)
{
	*texts = (struct trace_texts){ .session = session, .raw = raw, .text = STRBUF_INIT };
	texts->events = xcalloc(session->events.count, sizeof(*texts->events));
	array_reserve(texts->texts, texts->count, texts->capacity);
	texts->texts[texts->count++] = NULL;
}

void trace_texts_deinit(struct trace_texts *texts)
{
	arena_deinit(&texts->arena);
	free(texts->events);
	string_pool_deinit(&texts->pool);
	hash_map_deinit(&texts->numbers);
	free(texts->texts);
	strbuf_deinit(&texts->text);
	*texts = (struct trace_texts){ 0 };
}

/* Returns how the records of an event are printed. Parses the print format the first time. */
static const struct trace_event *trace_event_of(struct trace_texts *texts,
						const struct event *event)
{
	struct trace_event *result = &texts->events[event->index];
	_cleanup_strbuf_ struct strbuf problem = STRBUF_INIT;

	if (result->parsed)
		return result;
	result->parsed = true;
	if (texts->raw || !event->field_count)
		return result;
	result->program =
		trace_program_parse(event->format, event->format_size, event->fields,
				    event->field_count, event->long_size, &texts->arena, &problem);
	if (!result->program)
		session_warn(
			texts->session,
			"%s: the text of its records is not known, so their fields are shown one "
			"by one; the problem with its print format: %s",
			event->name, problem.data);
	return result;
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
	symbol = place.dso
			 ? dso_symbol_at(place.dso, &question->session->options.dso, place.address)
			 : NULL;
	if (!symbol)
		return NULL;
	*offset = place.address - symbol->address;
	return symbol->name;
}

/* Sets texts->text to the text of a sample. Returns false if it has none. */
static bool make_text(struct trace_texts *texts, const struct sample *sample)
{
	const struct event *event = sample->event;
	const struct trace_program *program = trace_event_of(texts, event)->program;
	struct symbol_question question = { texts->session, sample };
	const struct trace_symbols symbols = { find_symbol, &question };
	bool swap = texts->session->header.swap;

	strbuf_reset(&texts->text);
	if (!event->field_count || !sample->raw.data)
		return false;
	if (!program)
		return tracepoint_fields_text(event->fields, event->field_count, sample->raw.data,
					      sample->raw.size, swap, &texts->text);
	return trace_program_print(program, sample->raw.data, sample->raw.size, swap, &symbols,
				   &texts->text);
}

uint32_t trace_texts_add(struct trace_texts *texts, const struct sample *sample)
{
	bool created;

	if (!make_text(texts, sample))
		return 0;

	const char *text = string_pool_intern(&texts->pool, texts->text.data);
	uint32_t *number = hash_map_insert(&texts->numbers, (uintptr_t)text, &created);

	if (created) {
		array_reserve(texts->texts, texts->count, texts->capacity);
		*number = (uint32_t)texts->count;
		texts->texts[texts->count++] = text;
	}
	return *number;
}

/*
 * Adds the word after "NAME=" in the text of a sample to `value`. Returns false if the text does
 * not have that.
 */
static bool trace_texts_value(struct trace_texts *texts, const struct sample *sample,
			      const char *name, struct strbuf *value)
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

/* ---- values of fields ---- */

void trace_table_init(struct trace_table *table, const struct trace_choice *choices, size_t count,
		      struct trace_texts *texts)
{
	*table = (struct trace_table){
		.choices = choices, .choice_count = count, .texts = texts, .text = STRBUF_INIT
	};
	table->numbers = xcalloc(count ? count : 1, sizeof(*table->numbers));
	/* Number 0 means no value. */
	array_reserve(table->values, table->value_count, table->value_capacity);
	table->values[table->value_count++] = (struct traced_value){ 0 };
	array_reserve(table->nodes, table->node_count, table->node_capacity);
	table->nodes[table->node_count++] = (struct trace_path){ 0 };
}

void trace_table_deinit(struct trace_table *table)
{
	for (size_t i = 0; i < table->choice_count; i++)
		hash_map_deinit(&table->numbers[i]);
	free(table->numbers);
	free(table->values);
	free(table->nodes);
	hash_map_deinit(&table->node_of);
	string_pool_deinit(&table->pool);
	strbuf_deinit(&table->text);
	*table = (struct trace_table){ 0 };
}

static const char *intern(struct trace_table *table)
{
	return string_pool_intern(&table->pool, table->text.data);
}

/*
 * Returns the text for a value. As in perf, that is what follows "NAME=" in the text of the record,
 * or else the value itself.
 */
static const char *text_of_value(struct trace_table *table, const struct trace_choice *choice,
				 const struct sample *sample, const char *value)
{
	if (choice->raw)
		return value;
	strbuf_reset(&table->text);
	return trace_texts_value(table->texts, sample, choice->field->name, &table->text)
		       ? intern(table)
		       : value;
}

/* Returns the number of a sample's value of one of the chosen fields; 0 if it has none. */
static uint32_t value_number(struct trace_table *table, size_t choice, const struct sample *sample,
			     bool swap)
{
	const struct trace_choice *wanted = &table->choices[choice];
	uint64_t first;
	bool created;

	strbuf_reset(&table->text);
	if (wanted->event != sample->event->index ||
	    !tracepoint_field_text(wanted->field, sample->raw.data, sample->raw.size, swap,
				   &table->text, &first))
		return 0;

	const char *value = intern(table);
	uint32_t *number = hash_map_insert(&table->numbers[choice], (uintptr_t)value, &created);

	if (created) {
		array_reserve(table->values, table->value_count, table->value_capacity);
		*number = (uint32_t)table->value_count;
		table->values[table->value_count++] =
			(struct traced_value){ value, text_of_value(table, wanted, sample, value),
					       first };
	}
	return *number;
}

uint32_t trace_table_add(struct trace_table *table, const struct sample *sample, bool swap)
{
	uint32_t node = 0;

	for (size_t i = 0; i < table->choice_count; i++) {
		uint32_t value = value_number(table, i, sample, swap);
		bool created;
		uint32_t *below =
			hash_map_insert(&table->node_of, (uint64_t)node << 32 | value, &created);

		if (created) {
			array_reserve(table->nodes, table->node_count, table->node_capacity);
			*below = (uint32_t)table->node_count;
			table->nodes[table->node_count++] = (struct trace_path){ node, value };
		}
		node = *below;
	}
	return node;
}

void trace_table_values(const struct trace_table *table, uint32_t number,
			struct traced_value *values)
{
	for (size_t i = table->choice_count; i-- > 0; number = table->nodes[number].before)
		values[i] = table->values[table->nodes[number].value];
}
