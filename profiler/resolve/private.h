/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The steps of resolve(). resolve.c takes them in this order: the places of each object (object.c),
 * the charges of late samples and the data addresses (entries.c), call chains (chains.c).
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

/*
 * Makes the frames of all call chains, including those of inlined functions. place_of_frame has the
 * place of each counted frame.
 */
void resolve_frames(struct resolution *resolution, const struct sample_counts *counts,
		    const uint32_t *place_of_frame, const struct resolve_options *options);
/*
 * Finds for each frame the caller that keeps its samples (--ignore-callees). Call it after
 * resolve_frames().
 */
void resolve_kept_callers(struct resolution *resolution, const struct resolve_options *options);
/* Finds for each frame the caller that matches --parent. Call it after resolve_frames(). */
void resolve_parents(struct resolution *resolution, const struct resolve_options *options);

/* Sets resolution->data and data_of: the objects and symbols of data addresses. */
void resolve_data(struct resolution *resolution, const struct sample_counts *counts,
		  const struct dso_options *options);

/*
 * Compares each entry's data address with the variable or the stack that its type was found by.
 * Entries that contradict it move to a place of their own, which has no type.
 */
void resolve_verdicts(struct resolution *resolution, const struct sample_counts *counts);

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
