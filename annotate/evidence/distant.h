/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distant facts: what the other functions of an object say about a value that the function at hand
 * leaves unknown.
 *
 * A value has a *place*: an argument of a function, a member of a record that is declared as a
 * pointer to void or as a union of pointers, or an object with a certain tag or a pointer in it
 * (tags.h). If an access of a sampled function has no answer because nothing is known of the value
 * at a place, the place is *wanted*. The functions that know something of it are then solved: for
 * an argument the callers, for a member the functions of the same unit that store to it or use what
 * they load from it, for a tag those that test or store it. If all that know the type agree, it is
 * a fact. If they name several types for a member, the accesses may choose among these. In both
 * cases the sampled function is solved again.
 *
 * A fact depends on the object's code, not on the order of threads: each function's evidence is
 * kept apart, and is merged in the order of addresses.
 */
#pragma once

#include "annotate/values/value.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/type.h"
#include "base/hash.h"

struct abi;
struct debug_reader;
struct field_ref;
struct solver;

/* The places whose values other functions may know: an argument of a function, a member of a
 * record, an object with a tag, or a member of such an object (tags.h),
 * a union with a tag beside it (tag_union.h).
 */
enum distant_kind {
	DISTANT_ARGUMENT,
	DISTANT_MEMBER,
	DISTANT_TAG,
	DISTANT_UNION,
	DISTANT_KIND_COUNT
};

/* The target of a DISTANT_TAG for the type of the object that has the tag. */
#define TAG_OBJECT (-1)

struct distant_place {
	uint8_t kind; /* enum distant_kind */
	/* DISTANT_UNION: the tag is a pointer to a static object, whose address is in `mask` */
	bool pointer;
	uint8_t reg; /* DISTANT_ARGUMENT: the register that it is passed in */
	/* the function's entry; DISTANT_MEMBER, DISTANT_TAG, DISTANT_UNION: the DIE offset of the
	 * unit whose functions count */
	uint64_t code;
	/* DISTANT_MEMBER: the innermost record that has the member, canonical, and the member's
	 * offset there. DISTANT_TAG: the same for the tag; but if the target is TAG_OBJECT and the
	 * tag is a named enumeration, the enumeration, and the offset in it of the lowest byte that
	 * was tested. DISTANT_UNION: a struct that has both, and the union's offset there */
	const struct type *record;
	int64_t offset;
	/* DISTANT_TAG: the bits of the tag that were tested, and their value; ~0: any but 0.
	 * DISTANT_UNION: the bits that the tag has; and how many unions are around the union */
	uint64_t mask, tag;
	/* DISTANT_TAG: the offset in `record` of the pointer whose pointee is wanted; TAG_OBJECT:
	 * the type of the object itself is wanted. DISTANT_UNION: the offset of the tag */
	int64_t target;
	/* DISTANT_MEMBER, DISTANT_TAG, DISTANT_UNION: an address in that unit. It is no part of the
	 * place's identity. */
	uint64_t address;
};

/* The values of a union's tag that are told apart: from 0 on. */
#define TAG_VALUES_MAX 128

/* A set of them. */
struct tag_values {
	uint64_t bits[TAG_VALUES_MAX / 64];
};

static inline void tag_values_add(struct tag_values *values, unsigned int value)
{
	values->bits[value / 64] |= UINT64_C(1) << (value % 64);
}

static inline bool tag_values_has(const struct tag_values *values, unsigned int value)
{
	return values->bits[value / 64] >> (value % 64) & 1;
}

static inline unsigned int tag_values_count(const struct tag_values *values)
{
	_Static_assert(TAG_VALUES_MAX == 128, "two words");
	return (unsigned int)(__builtin_popcountll(values->bits[0]) +
			      __builtin_popcountll(values->bits[1]));
}

/* One function's evidence on a place. */
struct distant_evidence {
	struct distant_place place;
	/* DISTANT_UNION: with these values of the tag, one of these members of the union is
	 * accessed (a mask, in the order of their declarations) */
	struct tag_values values;
	uint64_t members;
	uint64_t hinted; /* those of them that hints choose */
	/* POINTER: the value is this pointer; UNKNOWN: the function uses the place but does not say
	 * what its value is; BOTTOM: the value is the one at `same`; NUMBER: the function reads
	 * `stride` bytes, `offset` bytes after where the value points */
	struct value value;
	struct distant_place same;
};

/* Zero-initialized is empty. */
struct distant_evidence_list {
	struct distant_evidence *items;
	size_t count, capacity;
};

/* Adds a piece of evidence at the end of the list. */
void distant_evidence_add(struct distant_evidence_list *list,
			  const struct distant_evidence *evidence);

/* Zero-initialized is empty. */
struct distant_places {
	struct distant_place *items;
	size_t count, capacity;
};

/* True if both are one place, whichever CU describes its record. */
bool distant_place_is_same(const struct distant_place *a, const struct distant_place *b);

/* Adds a place that is not in the list yet. */
void distant_places_add(struct distant_places *places, const struct distant_place *place);
void distant_places_deinit(struct distant_places *places);

/* Finds the place of a field: the innermost record that has it, down to the first union, whose
 * alternatives are not told apart. False if the field is not in a record. */
bool distant_member_place(const struct field_ref *field, struct distant_place *place);

/* The most types, and reads, of one member that are kept. */
#define DISTANT_TYPES_MAX 16
#define DISTANT_READS_MAX 32

/* A read of `size` bytes through a member. */
struct distant_read {
	int64_t offset; /* from where the member points */
	uint32_t size;
};

struct distant_fact {
	struct distant_place place;
	struct value value; /* POINTER: the fact; BOTTOM: no evidence; UNKNOWN: evidence disagrees
			     */
	struct distant_places same; /* the value is that of these places, too */
	uint32_t witnesses;         /* functions that said what the value is */
	bool sampled;               /* not all functions that may know it were asked */
	bool asked;                 /* the evidence was collected */
	/* These functions are asked, in the order of their addresses, or all callers. Functions
	 * that are solved for other places may have evidence, too: it does not count, so that a
	 * fact is the same whatever else is asked for. */
	uint64_t *functions;
	size_t function_count;
	bool callers;
	bool misread; /* a read does not go to a field of the value's type */
	/* DISTANT_MEMBER, DISTANT_TAG: the records to which it points according to the evidence,
	 * and the reads through it */
	const struct type *types[DISTANT_TYPES_MAX];
	struct distant_read reads[DISTANT_READS_MAX];
	uint8_t type_count, read_count;
	bool too_many; /* `types` is incomplete: there are more, or a pointer is to a part of one */
	/* DISTANT_UNION: by value of the tag, the members on which the evidence agrees; 0: it
	 * disagrees. UINT64_MAX: there is none. NULL: there is none for any value */
	uint64_t *members;
	struct tag_votes **votes; /* by value of the tag, for those on which not all agrees */
	/* the same of hints, and the function that gave the first one; UINT64_MAX: several did */
	uint64_t *hinted, *hint_by;
};

/* How much evidence there is for a value of a tag, and how much of it has a member. */
struct tag_votes {
	uint16_t count;
	uint16_t with[64];
};

/* The places that were wanted, and what is known of them. Zero-initialized is empty. */
struct distant_facts {
	struct distant_fact *items; /* in the order in which they were wanted */
	size_t count, capacity;
	struct hash_map index; /* hash of the place -> index + 1 */
	/* entry of a function of which arguments are among the places -> index of the last + 1 */
	struct hash_map called;
};

/* The places that a function is asked about. */
struct distant_question {
	const struct distant_facts *facts;
	uint64_t function; /* its entry */
	/* it is asked about unions; about those within others; about their tags that are pointers
	 */
	bool unions, inner_unions, pointer_tags;
};

/* True if the fact names the value's type, and enough functions agree on it. */
bool distant_fact_is_known(const struct distant_fact *fact);
/* True if the fact names several types of a member, and each read through it fits one of them. */
bool distant_fact_has_types(const struct distant_fact *fact);
/* True if an access through the member may tell which of these types is there: some of them have a
 * scalar where it goes, and others do not. */
bool distant_fact_may_choose(const struct distant_fact *fact, const struct distant_read *access);
/* True if no function says what a member points to, but they read enough through it to tell. */
bool distant_fact_is_read_only(const struct distant_fact *fact);
/* Chooses what such a member points to: the one of `types` that has fields for all reads, if none
 * of the others has fields for half of them. */
void distant_fact_choose(struct distant_fact *fact, const struct type *const *types, size_t count);
/* Returns the fact of a place, which is added if it is new. Valid until the next one is added. */
struct distant_fact *distant_facts_add(struct distant_facts *facts,
				       const struct distant_place *place);
/* Returns what is known of a place; NULL if the place is not among them. */
const struct distant_fact *distant_facts_find(const struct distant_facts *facts,
					      const struct distant_place *place);
/* True if the evidence of the function with this entry counts for the fact. */
bool distant_fact_asks(const struct distant_fact *fact, uint64_t function);
/* True if a function is asked about a place; about any place of a kind; about the arguments that it
 * passes to a function. */
bool distant_asks(const struct distant_question *question, const struct distant_place *place);
bool distant_asks_kind(const struct distant_question *question, enum distant_kind kind);
bool distant_asks_call(const struct distant_question *question, uint64_t target);
/* Sets what the question says of unions. */
void distant_find_unions(struct distant_question *question);
/* Merges the evidence of one function. Must be called in the order of functions. */
void distant_facts_merge(struct distant_facts *facts, const struct distant_evidence_list *list);
/* Ends a round of questions: nobody is asked about a place twice. */
void distant_facts_end_round(struct distant_facts *facts);
/* Passes facts on between places that have the same value. */
void distant_facts_conclude(struct distant_facts *facts);
void distant_facts_deinit(struct distant_facts *facts);

/* A direct call or jump. */
struct distant_call {
	uint64_t address; /* of the instruction */
	uint64_t target;
};

/* Finds what may be a direct call or jump to one of the `count` sorted targets, in all of the
 * image's code. The code is not decoded. Returns an array, sorted by address, which the caller
 * frees. */
struct distant_call *distant_find_calls(const struct elf_image *image, const struct abi *abi,
					const uint64_t *targets, size_t count, size_t *call_count);

/* ---- the places in a solved function: distant_places.c */

/* Finds the place of a field, as this unit's functions see it. False if the function has no
 * variables, or if the field is not in a record. */
bool solver_place_of_member(const struct solver *solver, const struct field_ref *field,
			    struct distant_place *place);
/* Finds the place that an origin's value comes from. False: it comes from none. */
bool solver_place_of_origin(struct solver *solver, uint32_t id, struct distant_place *place);
/* Returns the distant fact of a member; NULL: it is not among the facts, or none are known yet. */
const struct distant_fact *solver_distant_fact(const struct solver *solver,
					       const struct field_ref *field);
/* Adds the places from which the value of an origin may come. Valid after the last pass that
 * gathers uses. */
void solver_distant_places(struct solver *solver, uint32_t origin, struct distant_places *places);

/* Replace an unknown value by what other functions say of its place: the argument in a register at
 * the entry; what is loaded from a field. */
void solver_distant_argument(const struct solver *solver, uint8_t reg, struct value *value);
void solver_distant_member(struct solver *solver, const struct field_ref *field,
			   struct value *value);
