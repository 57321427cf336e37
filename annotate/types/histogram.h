/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often each type is accessed, by offset and event; and the lines of an annotated type: the
 * type itself, then its members (member.h), each with the accesses that fall in it.
 *
 * An access counts for one member of a union; if it is not known for which, it counts for the union
 * and for none of them. A bitfield gets only the accesses whose instructions use its bits and no
 * other bitfield's. Those that use several, or of which this is not known, have a line of their own
 * after the last of these bitfields (is_unit). An access to several members counts for each of them
 * by its bytes. So the lines of a record's members never add up to more than the record's.
 */
#pragma once

#include "annotate/access.h"
#include "annotate/access_count.h"
#include "annotate/types/member.h"
#include "base/hash.h"

/* The code and thread that made an access, if the caller asks for them. Accesses by different
 * accessors are counted apart. */
struct accessor {
	const char *symbol; /* of the function, interned; NULL: not told apart */
	int32_t thread;     /* tid or cpu; 0: not told apart */
};

/* The properties of accesses that are counted together. */
struct access_spot {
	int64_t offset; /* in the type; of an access somewhere in an array: of any element */
	uint64_t bits;  /* of the bytes there: as in struct access */
	uint64_t union_candidates; /* as in struct access */
	uint16_t size;             /* as in struct access */
	bool any_bits;             /* as in struct access */
	struct access_span span;   /* its size is 0 if the access is known to be at `offset` */
	bool range;                /* all of `span` is accessed, which counts for no member */
	const struct type *variants[ACCESS_VARIANTS]; /* as in struct access */
	struct accessor by;
};

/* The accesses to one type of one object. */
struct histogram {
	const struct type *type;
	const void *object;          /* whatever histograms_add() was given */
	uint64_t samples;            /* of all events */
	struct access_count *totals; /* by event */
	struct access_spot *spots;   /* sorted by offset */
	struct access_count *counts; /* by spot and event: counts[i * event_count + event] */
	size_t spot_count, spot_capacity;
};

struct histograms {
	uint32_t event_count;
	struct histogram *items;
	size_t count, capacity;
	struct hash_index by_type; /* and object */
};

struct histograms *histograms_create(uint32_t event_count);
void histograms_destroy(struct histograms *histograms);

/* Adds the samples of an access, which must be of kind ACCESS_TYPE, to these bytes of its type. One
 * with a range counts for the type, and for no member. */
void histograms_add(struct histograms *histograms, const void *object, const struct access *access,
		    const struct access_span *span, struct accessor by, uint32_t event,
		    const struct access_count *count);
/* The types whose objects count within others, and who is told where they are. */
struct part_choice {
	void *data;
	bool (*counts)(void *data, const struct type *type);
	/* `field` of the record around it has the object, or an array with it */
	void (*found)(void *data, const struct type *type, const char *field, uint64_t samples);
};

/* Adds the accesses to objects of chosen types within the type of `whole` to the histograms of
 * these types. An access that may be to several members of a union is to none of them. */
void histograms_add_parts(struct histograms *histograms, const struct histogram *whole,
			  const struct part_choice *choice);
/* Adds all that is counted in a histogram to that of the same type. */
void histograms_merge(struct histograms *histograms, const struct histogram *other);
/* Sorts by samples, most first; equal ones by name of the type, then in the order in which they
 * were added. */
void histograms_sort(struct histograms *histograms);

/* ---- lines of an annotated type */

/* A part of a line's accesses: those of one accessor, or of one element of an array. */
struct histogram_part {
	struct accessor by;
	/* of an array; ELEMENT_ANY: accesses by a variable index; ELEMENT_NONE: elements are not
	 * told apart */
	int64_t element;
	struct access_span span;           /* of a place: where the accesses are */
	const struct access_count *counts; /* by event */
};

#define ELEMENT_ANY  (-1)
#define ELEMENT_NONE (-2)

struct histogram_parts {
	const struct histogram_part *items;
	size_t count;
};

struct histogram_line {
	struct member_line member;
	const struct access_count *counts; /* by event: of all spots within the member */
	/* the accessors; only for lines without members, the type itself included, and for unions,
	 * where these are the accessors whose member is not known */
	struct histogram_parts parts;
	/* of arrays: the elements that are accessed by a constant index, and the rest */
	struct histogram_parts elements;
	/* of the same lines as `parts`: where their accesses are, in the elements of all arrays
	 * around the member */
	struct histogram_parts places;
};

struct histogram_lines {
	struct histogram_line *lines;
	size_t count;
	struct access_count *counts;
	struct arena
		arena; /* the names of lines that are units, and what the lines have lists of */
};

/* Sets *result to the lines of the type, which the caller releases. */
void histogram_lines(const struct histogram *histogram, uint32_t event_count,
		     struct histogram_lines *result);
void histogram_lines_deinit(struct histogram_lines *lines);
