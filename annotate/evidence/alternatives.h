/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pointers with several pointees.
 *
 * A union may declare pointers of several types at one place (page->mapping, skb->dev). If a
 * pointer is loaded from there, the accesses through it show its type if all of them go to whole
 * members of just one pointee and cannot go anywhere in the others. For a member that is a pointer
 * to void, the pointees are those that other functions name.
 */
#pragma once

#include "annotate/types/field.h"
#include "annotate/values/origins.h"
#include "annotate/values/value.h"
#include "base/hash.h"

struct solver;

/* A pointer has at most this many pointees. A union with more kinds of pointers is not tried. Sets
 * of pointees are 32 bits. */
#define ALTERNATIVES_MAX 31

/* An origin that gives such a pointer. */
struct alternatives {
	uint32_t origin;
	uint32_t count;
	const struct type *pointees[ALTERNATIVES_MAX];
	uint32_t possible; /* a bit for each pointee: all accesses may go into it */
	uint32_t whole;    /* a bit for each pointee: all accesses go to whole members of it */
	uint32_t elements; /* the same, of elements of an array of them */
	int64_t low, high; /* the least and the greatest offset of the accesses */
	uint32_t added;    /* a bit for each pointee that no member declares: a cast type */
	uint32_t chosen;   /* the bit of the one that is left; only while conclusions are drawn */
	uint32_t left;     /* of a pointer out of a union: those among which none was chosen */
	bool accessed;     /* since conclusions were drawn last */
	/* the member that has the pointer; NULL: it may be a variable. The pointees of a pointer to
	 * void are looked up when it
	 * is first accessed; until then `pending` is set. */
	const struct type *record;
	int64_t offset;
	bool pending;
	bool word;      /* a record of one word: unions of the unit may show its pointees */
	bool distant;   /* distant facts gave them (distant.h) */
	bool unlocated; /* they are those of variables without a location */
	bool lone;      /* such a variable is static, and only one place is accessed, which
			 * shows nothing */
	uint32_t met; /* a bit for each pointee whose pointer comes to a join that this one meets */
};

/* A known pointer, to a `type`, is an input of the join that is this origin. */
struct joined_pointer {
	uint32_t join;
	const struct type *type;
};

/* The solver owns it. Zero-initialized is empty. */
struct alternative_list {
	struct alternatives *items;
	uint32_t count, capacity;
	struct hash_map index; /* origin -> index in `items`, plus 1 */
	struct joined_pointer *joined;
	uint32_t joined_count, joined_capacity;
};

/* Notes that the unknown value is the pointer at this field, and gives it the type of the union
 * that begins there: the pointers that meet in a join may come out of one union in several objects.
 * A pointer that can have only one type is left out. */
void alternatives_note(struct solver *solver, struct value *value, const struct field_ref *field);
/* Notes that the origin gives the pointer at this field, and that other functions of the unit may
 * name several types for it (distant.h). They are looked up at the first access. */
void alternatives_note_distant(struct solver *solver, uint32_t origin,
			       const struct field_ref *field);

/* Returns what is known of the origin's pointees, or NULL. */
struct alternatives *alternatives_find(const struct alternative_list *list, uint32_t origin);
/* True if the origin gives a pointer out of a union that declares several. */
bool alternatives_of_union(const struct alternative_list *list, uint32_t origin);

/* Notes the types to which the variables point that the compiler may have put in the register of an
 * unknown value: the value has at most one of them. */
void alternatives_note_variables(struct solver *solver, uint32_t origin,
				 const struct type *const *pointees, size_t count);
/* Notes that the origin gives a record of one word (field_is_word_record()): a number, or a pointer
 * whose pointees are looked up at the first access. */
void alternatives_note_word(struct solver *solver, uint32_t origin, const struct type *record);
/* An access through such a pointer. */
struct pointer_use {
	uint64_t size; /* bytes */
	bool vector;   /* it may be to several members */
	bool stored;   /* something is written that is not the result of an operation on bits */
};

/* Notes an access to an address that is known only by its origin. */
void alternatives_access(struct solver *solver, const struct value *address,
			 const struct pointer_use *use);
/* Notes that a known pointer is an input of a join, of which nothing else is known. A loop's
 * variable has one type: a pointer out of a union that meets it there is another such pointer. */
void alternatives_note_joined(struct alternative_list *list, uint32_t join,
			      const struct value *pointer);
/* Notes a use for each origin for which just one pointee is left: its own accesses and uses, or
 * those of other pointers from the same member, exclude all others. Forgets the accesses. */
void alternatives_use(struct alternative_list *list, struct origins *origins);
/* Concludes that the pointer points to this type, if the type is among the alternatives that are
 * left. */
bool alternatives_tell(const struct alternatives *alternatives, struct origins *origins,
		       const struct type *pointee);
