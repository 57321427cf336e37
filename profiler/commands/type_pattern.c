// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/type_pattern.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "report/type_match.h"

#define TYPES_MAX 256 /* of one name in one object */

static struct error *add_types_of(struct type_pattern *pattern, struct debug_object *debug)
{
	const struct type *found[TYPES_MAX];
	struct debug_reader *reader;

	RETURN_ERROR(debug_reader_open(debug, &reader));

	size_t count =
		debug_reader_types_named(reader, type_name_without_keyword(pattern->text), found, TYPES_MAX);

	for (size_t i = 0; i < count && i < TYPES_MAX; i++) {
		array_reserve(pattern->types, pattern->count, pattern->capacity);
		pattern->types[pattern->count++] = type_canonical(found[i]);
	}
	debug_reader_close(reader);
	return NULL;
}

static bool has_wildcard(const char *text)
{
	return text[strcspn(text, "*?[")] != '\0';
}

struct error *type_pattern_init(struct type_pattern *pattern, const char *text,
				const struct resolution *resolution, const struct dso_options *dso_options)
{
	uint32_t dso_count = 0;

	*pattern = (struct type_pattern){ .text = text };
	if (!text || has_wildcard(text))
		return NULL;
	for (size_t i = 0; i < resolution->place_count; i++)
		if (resolution->places[i].dso && resolution->places[i].dso->id >= dso_count)
			dso_count = resolution->places[i].dso->id + 1;

	bool *asked _cleanup_free_ = xcalloc(dso_count, sizeof(*asked));

	for (size_t i = 0; i < resolution->place_count; i++) {
		const struct resolved_place *place = &resolution->places[i];
		const char *problem;
		struct debug_object *debug;

		if (place->access.kind != ACCESS_TYPE || !place->dso || asked[place->dso->id])
			continue;
		asked[place->dso->id] = true;
		debug = dso_debug(place->dso, dso_options, &problem);
		if (debug)
			RETURN_ERROR(add_types_of(pattern, debug));
	}
	return NULL;
}

void type_pattern_release(struct type_pattern *pattern)
{
	free(pattern->types);
	*pattern = (struct type_pattern){ 0 };
}

bool type_pattern_matches(const struct type_pattern *pattern, const struct type *type)
{
	if (!pattern->text || type_name_matches(pattern->text, type_name_interned(type)))
		return true;
	while (type_strip(type)->kind == TYPE_ARRAY)
		type = type_canonical(type_target(type_strip(type)));
	for (size_t i = 0; i < pattern->count; i++)
		if (pattern->types[i] == type)
			return true;
	return false;
}
