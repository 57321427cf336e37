/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shared by resolve.c, which takes the steps of resolve(), and object.c, which looks up the places
 * of one object.
 */
#ifndef DTPROF_RESOLVE_PRIVATE_H
#define DTPROF_RESOLVE_PRIVATE_H

#include "profiler/resolve/resolve.h"

/*
 * Splits the entries of late places among the accesses that they are charged to, and drops data
 * addresses that were computed for another access. Sets the samples of all places to the sum of
 * their entries. May replace counts->entries.
 */
void resolve_charges(struct resolution *resolution, struct sample_counts *counts,
		     const struct resolve_options *options);

/* The places of one object, which are looked up together. */
struct resolved_object {
	struct resolution *resolution;
	const struct resolve_options *options;
	struct dso *dso;
	const uint32_t *order; /* the numbers of its places, by address */
	size_t count;
	/* Numbers of places added while charging: the further shares of late samples. */
	uint32_t *added;
	size_t added_count, added_capacity;
	const char *problem; /* why there are no types; owned by the DSO; NULL: nothing is wrong */
};

static inline struct resolved_place *resolved_object_place(const struct resolved_object *object,
							   size_t i)
{
	return &object->resolution->places[object->order[i]];
}

/*
 * Sets the names, symbols, source lines and types that are needed of the object's places. Adds a
 * problem to the resolution if something is missing.
 */
struct error *resolve_object(struct resolved_object *object);

/* Sets the members of place->shown that follow from place->access, such as type and field. */
void resolved_place_show_access(struct string_pool *strings, struct resolved_place *place);

#endif
