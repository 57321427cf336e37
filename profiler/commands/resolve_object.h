/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For resolve.c only: the places in one object, which are looked up together. */
#ifndef DTPROF_COMMANDS_RESOLVE_OBJECT_H
#define DTPROF_COMMANDS_RESOLVE_OBJECT_H

#include "profiler/commands/resolve.h"

struct resolved_object {
	struct resolution *resolution;
	const struct resolve_options *options;
	struct dso *dso;
	const uint32_t *order; /* its places, by address */
	size_t count;
	uint32_t *added; /* places that samples of these are charged to beside them */
	size_t added_count, added_capacity;
	const char *problem;
};

static inline struct resolved_place *resolved_object_place(const struct resolved_object *object, size_t i)
{
	return &object->resolution->places[object->order[i]];
}

/* Fill in what is shown of its places: names, symbols, source lines and types, as far as they are needed.
 * What could not be had is added to the resolution's problems. */
struct error *resolve_object(struct resolved_object *object);

#endif
