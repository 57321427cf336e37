// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements script_fields.h. */
#include "profiler/commands/script_fields.h"

#include "base/memory.h"
#include "base/text.h"
#include "report/key/key.h"

const struct script_field_info script_fields[FIELD_COUNT] = {
#define FIELD_INFO(id, ...) [FIELD_##id] = { __VA_ARGS__ },
	SCRIPT_FIELDS(FIELD_INFO)
#undef FIELD_INFO
};

static struct error *script_fields_find_field(const char *word, size_t length, uint64_t *bits)
{
	_cleanup_free_ char *name = xstrndup(word, length);
	struct nearest nearest = { .word = name };

	for (size_t i = 0; i < FIELD_COUNT; i++) {
		if (!strcmp(name, script_fields[i].name)) {
			*bits = FIELD_BIT(i);
			return NULL;
		}
		nearest_consider(&nearest, script_fields[i].name);
	}
	if (nearest.best)
		return error_other("unknown field '%s'; did you mean '%s'?", name, nearest.best);
	return error_other("unknown field '%s' (dtprof script --help lists them)", name);
}

struct error *script_fields_parse(void *data, const char *text)
{
	struct field_choice *choice = data;
	bool first = true;

	for (; *text; first = false) {
		size_t length = strcspn(text, ",");
		char sign = *text == '+' || *text == '-' ? *text : '\0';
		uint64_t bits = 0;

		RETURN_ERROR(script_fields_find_field(text + !!sign, length - !!sign, &bits));
		if (!sign && first)
			*choice = (struct field_choice){ .is_set = true };
		if (!sign && !choice->is_set)
			return error_other("fields with and without a sign cannot be combined");
		*(sign == '-' ? &choice->removed : sign ? &choice->added : &choice->set) |= bits;
		*(sign == '-' ? &choice->added : &choice->removed) &= ~bits;
		text += length + (text[length] == ',');
	}
	return first ? error_other("fields are missing") : NULL;
}

/* Returns the fields that samples of the event have: recorded ones, or computed. */
static uint64_t recorded_fields(const struct event *event)
{
	uint64_t bits = UINT64_MAX >> (64 - FIELD_COUNT);

	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (script_fields[i].sample_type &&
		    !(event->attr.sample_type & script_fields[i].sample_type))
			bits &= ~FIELD_BIT(i);
	return event->attr.type == PERF_TYPE_TRACEPOINT ? bits : bits & ~FIELD_BIT(FIELD_TRACE);
}

struct error *script_fields_check(const struct field_choice *choice, const struct event *events,
				  size_t count, bool clock)
{
	uint64_t wanted = choice->set | choice->added, had = 0;

	for (size_t i = 0; i < count; i++)
		had |= recorded_fields(&events[i]);
	had &= clock ? UINT64_MAX : ~FIELD_BIT(FIELD_TOD);
	for (size_t i = 0; i < FIELD_COUNT; i++)
		if (script_fields[i].option && wanted & ~had & FIELD_BIT(i))
			return error_create(ERROR_NOT_FOUND,
					    "-F: the samples have no '%s' (dtprof record %s)",
					    script_fields[i].name, script_fields[i].option);
	return NULL;
}

/* Returns whether perf shows what was recorded of the data without being asked: for events of the
 * processor's own PMU that have no general name. */
static bool shows_data(const struct event *event)
{
	return event->attr.type == PERF_TYPE_RAW || starts_with(event->name, "cpu_core/") ||
	       starts_with(event->name, "cpu_atom/");
}

/* Returns the fields that perf shows without -F. */
static uint64_t default_fields(const struct event *event, bool chains)
{
	uint64_t bits = FIELD_BIT(FIELD_COMM) | FIELD_BIT(FIELD_TID) | FIELD_BIT(FIELD_CPU) |
			FIELD_BIT(FIELD_TIME) | FIELD_BIT(FIELD_EVENT);
	uint64_t code = FIELD_BIT(FIELD_IP) | FIELD_BIT(FIELD_SYM) | FIELD_BIT(FIELD_SYMOFF) |
			FIELD_BIT(FIELD_DSO);
	uint64_t data = FIELD_BIT(FIELD_DATA_SRC) | FIELD_BIT(FIELD_WEIGHT) |
			FIELD_BIT(FIELD_INS_LAT) | FIELD_BIT(FIELD_RETIRE_LAT) |
			FIELD_BIT(FIELD_PHYS_ADDR) | FIELD_BIT(FIELD_DATA_PAGE_SIZE) |
			FIELD_BIT(FIELD_CODE_PAGE_SIZE);

	if (event->attr.sample_type & PERF_SAMPLE_ADDR)
		data |= FIELD_BIT(FIELD_ADDR);
	if (event->attr.type == PERF_TYPE_TRACEPOINT)
		return bits | FIELD_BIT(FIELD_TRACE) |
		       (event->attr.sample_type & PERF_SAMPLE_CALLCHAIN && chains ? code : 0);
	return (bits | code | (shows_data(event) ? data : 0) | FIELD_BIT(FIELD_PERIOD)) &
	       recorded_fields(event);
}

uint64_t script_fields_of(const struct field_choice *choice, const struct event *event, bool chains)
{
	uint64_t bits = choice->is_set ? choice->set : default_fields(event, chains);

	return ((bits | choice->added) & ~choice->removed) & recorded_fields(event);
}
