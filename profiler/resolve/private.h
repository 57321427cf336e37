/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For the files of this room alone: the steps that resolve.c takes in resolve(), and what several
 * of them ask for.
 */
#pragma once

#include "base/text.h"
#include "profiler/resolve/resolve.h"

/* Returns the path of a source file as it is shown: its last part, unless all of it is wanted. */
static inline const char *resolve_shown_path(const struct resolve_options *options,
					     const char *path)
{
	return options->full_source_path ? path : base_name(path);
}

/* ---- what slices need of the outline ---- */

/* Finds places by their objects and addresses. */
struct place_finder {
	struct resolution *resolution;
	struct hash_index index; /* of the places */
};

struct charge_part {
	uint32_t place;
	uint64_t samples; /* summed over all entries */
};

/* The places that the samples of a late place are charged to. */
struct charge_parts {
	struct charge_part *items;
	size_t count, capacity;
	uint64_t samples; /* of the whole place */
	uint64_t turn;    /* entries split so far */
};

/* A place in a bulk memory function together with a caller. */
struct bulk_place {
	struct dso *dso; /* of the caller */
	uint64_t caller; /* as in struct counted */
	uint64_t address;
	uint32_t place; /* of the sample */
	uint32_t twin;  /* the place for this caller; 0: there is none */
};

/* How entries came to their places, so that further entries come to the same ones. */
struct resolve_memory {
	struct place_finder finder;
	struct charge_parts *parts; /* by place; NULL: no sample is charged to several accesses */
	size_t parts_count;
	struct bulk_place *bulk; /* sorted by place and caller */
	size_t bulk_count;
	uint32_t *twins; /* by place: the one without a type; 0: there is none yet */
};

/* Returns the memory of a resolution, which begins with the first call. */
struct resolve_memory *resolve_memory_of(struct resolution *resolution);
void resolve_memory_destroy(struct resolve_memory *memory);

/* Splits the entries of late places among the accesses that they are charged to, and drops data
 * addresses that were computed for another access. May replace counts->entries. */
void resolve_charges(struct resolution *resolution, struct sample_counts *counts,
		     const struct resolve_options *options);

/* Gives samples in bulk functions the types of callers' arguments. Adds places. */
struct error *resolve_bulk(struct resolution *resolution, struct session *session,
			   const struct sample_counts *counts,
			   const struct resolve_options *options);
/* Moves entries to the places that resolve_bulk() has added. */
void resolve_bulk_entries(struct resolution *resolution, const struct sample_counts *counts);

/* Resolves classes that a DSO only declares: accesses get the definition of another DSO of the
 * process. Notes which DSO has the virtual table of each such class. */
void resolve_elsewhere(struct resolution *resolution, const struct resolve_options *options);

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

/* Sets the names, symbols, source lines and types that are needed of the object's places. Adds a
 * problem to the resolution if something is missing. */
struct error *resolve_object(struct resolved_object *object);

/* A string that stays where it is, and the pool's copy of it. */
struct shown_word {
	const char *text;
	const char *interned;
};

/* Bytes of larger accesses are written out each time. */
#define SHOWN_SIZES 65

/* The fields that are remembered: most places access those that others access, too. */
#define SHOWN_FIELDS 1024

struct shown_field {
	struct access access; /* without the members that do not tell the field */
	const char *field;    /* NULL: it has none */
	bool known;
};

/* The words of the place that was shown last: neighbouring ones have mostly the same. Types
 * must not be freed before the last place is shown. */
struct shown_words {
	struct string_pool *strings;
	struct shown_word type, bare_type, how, rule, blame;
	const char *accesses[4][SHOWN_SIZES]; /* by direction and size; NULL: none yet */
	struct shown_field *fields;           /* SHOWN_FIELDS, where many are shown; or NULL */
	bool no_field;                        /* nobody asks for the names of fields */
};

/* Returns words for places of the resolution, of which none was shown; `fields` is NULL. */
static inline struct shown_words shown_words_of(struct resolution *resolution)
{
	return (struct shown_words){ .strings = &resolution->strings,
				     .no_field = !(resolution->needs & NEED_FIELD_NAME) };
}

/* Sets the members of place->shown that follow from place->access, such as type and field. */
void resolved_place_show_access(struct shown_words *words, struct resolved_place *place);

/* ---- code ---- */

struct cfg;
struct decoder;

/* Decodes a function whose code has no more bytes than are *left, and takes them from there.
 * *result stays NULL if it has more, or none. */
struct error *resolve_code(const struct elf_image *image, struct decoder *decoder,
			   const struct function *function, uint64_t *left, struct cfg **result);
/* Finds the copies that places are part of, for NEED_COPY, and sets the places' `copy`. */
struct error *resolve_copies(struct resolution *resolution, const struct sample_counts *counts,
			     const struct resolve_options *options);

/* ---- bytes of the type ---- */

/* Returns the array of the access's type that its index moves in, or the bytes that it goes over.
 * The size is 0 if it is at one offset, as if each object had another index. */
struct access_span span_of_array(const struct access *access);
/* Returns the bytes of the type that a sample accessed. This is the one place that makes them of an
 * offset in a type and a data address: lines, elements and objects follow from it. */
struct access_span span_of_sample(const struct resolved_place *place,
				  const struct counted *counted);
/* The same for the record that layout_record_of() gives for the access, and the offset in it. */
struct access_span span_in_record(const struct resolved_place *place, const struct counted *counted,
				  const struct type *record, uint64_t offset);

/* ---- types whose objects are allocated with an alignment ---- */

struct aligned_type {
	const struct type *type; /* without typedefs and qualifiers */
	uint64_t alignment;      /* bytes */
};

struct aligned_types {
	struct aligned_type *items; /* to be freed */
	size_t count, capacity;
};

/* Adds the types that are used by functions of the DSO which ask for memory of a certain alignment.
 * Reads all of its code if it calls aligned_alloc() or the like, and nothing else. */
struct error *aligned_types_find(struct dso *dso, const struct dso_options *options,
				 struct aligned_types *types);
/* Returns the alignment that was asked for, or 0. */
uint64_t aligned_types_alignment(const struct aligned_types *types, const struct type *type);

/* Sets resolution->waits and wait_of for the entries of `counts` whose events are of blocked time
 * (user_locks.c). The resolution has symbols and frames. */
struct error *resolve_waiting(struct resolution *resolution, const struct sample_counts *counts,
			      const struct resolve_options *options);
