/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of resolve(), which resolve.c takes in this order: the places of each object (object.c), the
 * charges of late samples and the data addresses (entries.c), call chains (chains.c).
 */
#ifndef DTPROF_RESOLVE_PRIVATE_H
#define DTPROF_RESOLVE_PRIVATE_H

#include "profiler/resolve/resolve.h"

/*
 * Cut the entries of late places into entries of the accesses that they are charged to. Places have the
 * samples of their entries afterwards.
 */
void resolve_charges(struct resolution *resolution, struct sample_counts *counts,
		     const struct resolve_options *options);

/*
 * Make the frames of all call chains, with those of inlined functions. place_of_frame gives the place of each
 * counted frame.
 */
void resolve_frames(struct resolution *resolution, const struct sample_counts *counts,
		    const uint32_t *place_of_frame, const struct resolve_options *options);
/* --ignore-callees: for each frame the caller that its samples go to. After resolve_frames(). */
void resolve_ignored(struct resolution *resolution, const struct resolve_options *options);
/* --parent: for each frame the caller that matches. After resolve_frames(). */
void resolve_parents(struct resolution *resolution, const struct resolve_options *options);

/* Where the data of each counted entry is: resolution->data and data_of. */
void resolve_data(struct resolution *resolution, const struct sample_counts *counts,
		  const struct dso_options *options);

/*
 * Hold each entry's data address against the variable or the stack that its type was found by. Entries that
 * contradict get a place of their own, which has no type.
 */
void resolve_verdicts(struct resolution *resolution, const struct sample_counts *counts);

/* The places in one object, which are looked up together. */
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

/* place->shown's type, field, access, how, offset and typed, from place->access. */
void resolve_show_access(struct string_pool *strings, struct resolved_place *place);

#endif
