// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/type_pattern.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"

#define TYPES_MAX 256 /* of one name in one object */

const char *type_name_without_keyword(const char *name)
{
	static const char *const keywords[] = { "struct ", "union ", "enum ", "class " };

	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
		size_t length = strlen(keywords[i]);

		if (strncmp(name, keywords[i], length) == 0)
			return name + length;
	}
	return name;
}

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

/* "Node" for "list::Node", "Node<int>" for "list<a::b>::Node<int>": what a reader of the class would call it.
 */
static bool is_end_of_qualified_name(const char *name, const char *end)
{
	size_t length = strlen(name), end_length = strlen(end);

	return length > end_length + 2 && strcmp(name + length - end_length, end) == 0 &&
	       strncmp(name + length - end_length - 2, "::", 2) == 0;
}

bool type_pattern_matches(const struct type_pattern *pattern, const struct type *type)
{
	const char *name = type_name_interned(type);

	if (!pattern->text)
		return true;

	const char *bare = type_name_without_keyword(name),
		   *wanted = type_name_without_keyword(pattern->text);

	if (strcmp(bare, wanted) == 0 || is_end_of_qualified_name(bare, wanted) ||
	    fnmatch(pattern->text, name, 0) == 0 || fnmatch(pattern->text, bare, 0) == 0)
		return true;
	for (size_t i = 0; i < pattern->count; i++)
		if (pattern->types[i] == type)
			return true;
	return false;
}
