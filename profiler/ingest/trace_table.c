// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/ingest/trace_table.h"

#include "profiler/ingest/sample.h"
#include "profiler/ingest/trace_text.h"

void trace_table_init(struct trace_table *table, const struct trace_choice *choices, size_t count,
		      struct trace_texts *texts)
{
	*table = (struct trace_table){
		.choices = choices, .choice_count = count, .texts = texts, .text = STRBUF_INIT
	};
	table->numbers = xcalloc(count ? count : 1, sizeof(*table->numbers));
	/* number 0 of each: nothing */
	array_reserve(table->values, table->value_count, table->value_capacity);
	table->values[table->value_count++] = (struct traced_value){ 0 };
	array_reserve(table->nodes, table->node_count, table->node_capacity);
	table->nodes[table->node_count++] = (struct trace_node){ 0 };
}

void trace_table_release(struct trace_table *table)
{
	for (size_t i = 0; i < table->choice_count; i++)
		hash_map_release(&table->numbers[i]);
	free(table->numbers);
	free(table->values);
	free(table->nodes);
	hash_map_release(&table->node_of);
	string_pool_release(&table->pool);
	strbuf_release(&table->text);
	*table = (struct trace_table){ 0 };
}

static const char *intern(struct trace_table *table)
{
	return string_pool_intern(&table->pool, table->text.length ? table->text.data : "");
}

/* As perf: a value that is part of the record's text is shown as it stands there. */
static const char *shown(struct trace_table *table, const struct trace_choice *choice,
			 const struct sample *sample, const char *value)
{
	if (choice->raw)
		return value;
	strbuf_reset(&table->text);
	return trace_texts_value(table->texts, sample, choice->field->name, &table->text) ? intern(table)
											  : value;
}

static uint32_t value_number(struct trace_table *table, size_t choice, const struct sample *sample, bool swap)
{
	const struct trace_choice *wanted = &table->choices[choice];
	uint64_t first;
	bool created;

	strbuf_reset(&table->text);
	if (wanted->event != sample->event->index ||
	    !tracepoint_field_text(wanted->field, sample->raw.data, sample->raw.size, swap, &table->text,
				   &first))
		return 0;

	const char *value = intern(table);
	uint32_t *number = hash_map_insert(&table->numbers[choice], (uintptr_t)value, &created);

	if (created) {
		array_reserve(table->values, table->value_count, table->value_capacity);
		*number = (uint32_t)table->value_count;
		table->values[table->value_count++] =
			(struct traced_value){ value, shown(table, wanted, sample, value), first };
	}
	return *number;
}

uint32_t trace_table_add(struct trace_table *table, const struct sample *sample, bool swap)
{
	uint32_t node = 0;

	for (size_t i = 0; i < table->choice_count; i++) {
		uint32_t value = value_number(table, i, sample, swap);
		bool created;
		uint32_t *below = hash_map_insert(&table->node_of, (uint64_t)node << 32 | value, &created);

		if (created) {
			array_reserve(table->nodes, table->node_count, table->node_capacity);
			*below = (uint32_t)table->node_count;
			table->nodes[table->node_count++] = (struct trace_node){ node, value };
		}
		node = *below;
	}
	return node;
}

void trace_table_values(const struct trace_table *table, uint32_t number, struct traced_value *values)
{
	for (size_t i = table->choice_count; i-- > 0; number = table->nodes[number].before)
		values[i] = table->values[table->nodes[number].value];
}
