/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The member of a union that an access goes to, judged by what the access shows.
 *
 * The members of a union at an offset are a tree, because they may have unions in them. The leaves
 * of the tree (scalars, bit-fields, elements of arrays, padding) are the *candidates*. They are
 * numbered in the order of the declarations, and a set of them is a bit mask. union_fit() returns
 * those that fit best; where these are in several members, the name of the field ends at the union.
 *
 * All functions are pure and read only the types.
 */
#pragma once

#include "annotate/types/field.h"
#include "dwarf/types/type.h"

/* A union with more candidates at one place says nothing about them. */
#define UNION_CANDIDATES_MAX 64

/* The class of the value that an access moves. */
enum value_class {
	VALUE_CLASS_ANY,
	VALUE_CLASS_DATA,   /* no address of code; nothing more is known */
	VALUE_CLASS_NUMBER, /* the code computes with it as with an integer */
	VALUE_CLASS_FLOAT,  /* the instruction computes with floating-point numbers, or moves one */
	VALUE_CLASS_POINTER, /* it is an address, or used as one */
	VALUE_CLASS_CODE,    /* it is called */
};

/* Another access to the same object. */
struct union_sibling {
	int64_t offset; /* from the first access */
	uint32_t size;
	uint32_t insn;
	uint8_t operand;  /* of the instruction */
	bool after;       /* it comes after the first access */
	bool tested;      /* and after a test of another part of the object */
	bool several;     /* it may be to several members: of constants, or of a vector register */
	uint64_t written; /* registers that are written between the two */
};

/* An access to what the value points to. */
struct union_dereference {
	int64_t offset;
	uint32_t size;
	uint8_t scale; /* of an index that is added to the value; 0: there is none */
	/* the same of what is loaded or stored there as of the value itself (union_evidence) */
	uint8_t value_class;
	const struct type *type, *pointee;
};

#define UNION_VIEWS_MAX    8
#define UNION_SIBLINGS_MAX 16
#define UNION_ACCESSES_MAX 8
#define UNION_NAMES_MAX    4

/* The evidence that an access gives. Members that are 0 say nothing. */
struct union_evidence {
	uint64_t size;           /* bytes accessed; 0: not known, */
	uint64_t least;          /* but at least these; 0: not known either */
	bool lanes;              /* a vector register is moved, which may have several numbers */
	const struct type *type; /* the value is said to be of this type; NULL: not known */
	/* the same, if another type is that of a pointer to what the object begins with */
	const struct type *whole;
	const struct type *pointee; /* the same, of what it points to */
	/* the names of what has the value before it or after it: variables and parameters */
	const char *names[UNION_NAMES_MAX];
	uint8_t value_class; /* enum value_class */
	uint64_t tested;     /* the instruction tests these bits of it; 0: it does something else */
	bool has_sign;       /* the code takes it for a number with a sign */
	bool is_memory;      /* the bytes to which it points are read or written */
	bool unscaled;       /* something is added to it that no code has multiplied */
	bool cast;    /* `type` is of a parameter to which the caller may have cast a pointer */
	int64_t step; /* this constant is added to it; 0: none is known */
	/* accesses to what it points to */
	struct union_dereference accesses[UNION_ACCESSES_MAX];
	uint8_t access_count;
	/* records that variables point to, with the offset of the access in each */
	struct field_ref views[UNION_VIEWS_MAX];
	uint8_t view_count;
	bool is_copy; /* a word of such a record is moved, whatever members it has */
	const char *functions[UNION_NAMES_MAX]; /* that the code is from */
	/* other accesses to the object, while it has the same member */
	struct union_sibling siblings[UNION_SIBLINGS_MAX];
	uint8_t sibling_count;
	struct union_sibling copy; /* moves the value from or to another such union; size 0: none */
	/* an index adds multiples of this many bytes; 0: there is no index, or it is one of an
	 * array around the union */
	uint32_t stride;
	uint8_t scale; /* the instruction multiplies the index by this; 0: there is none */
	/* with an index: the instruction adds it to the start of the array, and this many bytes of
	 * the offset are of the index */
	bool from_start;
	int64_t counted;
	/* the access is after the end of the object as declared: in an array without a size */
	bool beyond;
};

/* The place of an access in a union. */
struct union_place {
	const struct type *type; /* the union; NULL: none */
	int64_t offset;
	uint64_t bits;    /* as in struct access */
	uint64_t element; /* bytes of an element of the innermost array around it; 0: no array */
};

/* Returns the place of an access in the outermost union that has it in more than one member. */
struct union_place union_outermost(const struct type *type, int64_t offset, uint64_t bits);

/* The most structs around a union that are listed. */
#define UNION_AROUND_MAX 6

/* The structs on the way to a union, the outermost first, and its offset in each; of elements of an
 * array, only those in the element. */
struct union_around {
	struct field_ref structs[UNION_AROUND_MAX];
	unsigned int count;
};

/* The same, with the structs on the way, which are added to those that are listed already. No union
 * is found if there are too many. */
struct union_place union_outermost_in(const struct type *type, int64_t offset, uint64_t bits,
				      struct union_around *around);

/* The kinds of evidence, in their order. */
enum union_stage {
	UNION_BY_PLACE,  /* size, bits and views */
	UNION_BY_VALUE,  /* what is known of the value */
	UNION_BY_CODE,   /* the functions around */
	UNION_BY_OTHERS, /* siblings */
	UNION_BY_HINTS,  /* types of integers: a tag is believed before them */
	UNION_STAGES,
};

struct union_candidate {
	const struct type *type; /* of the scalar or element; a record: nothing more is known */
	/* of the innermost member that has one, and of the next one around it; NULL: none */
	const char *name, *outer;
	const struct member *named; /* the member that has the name; NULL: none has one */
	const struct type *record;  /* the innermost record around it */
	int64_t within;             /* offset of the access in the scalar */
	uint8_t cover;              /* how well the access covers it */
	uint8_t viewed; /* how deep in the union the innermost record of a view has it; 0:
			 * none does */
	uint8_t index;  /* how well it agrees with an index (enum in union_member.c) */
	uint8_t hold;   /* how well its members agree with the other accesses, too (the same) */
	bool second;    /* it only describes bytes of a nameless struct again */
	bool nameless;  /* it is in a nameless struct of the outermost union */
	uint8_t names;  /* how many members on the way to it have names */
};

/* The candidates at a place, judged by one kind of evidence after the other. */
struct union_search {
	const struct union_place *place;
	const struct union_evidence *evidence; /* becomes more from stage to stage */
	struct union_candidate items[UNION_CANDIDATES_MAX];
	unsigned int count; /* UNION_CANDIDATES_MAX + 1: there are more */
	unsigned int steps;
	uint64_t left; /* the candidates that still fit; 0: there are none, or too many */
};

/* Starts a search that has no place and no candidates. */
void union_search_start(struct union_search *search, const struct union_evidence *evidence);
/* Adds the candidates at an offset of a type, as of one more member of a union. */
void union_search_add(struct union_search *search, const struct type *type, int64_t offset);
/* True if all that is left is the same member: of one name, type and place in it. */
bool union_search_is_same(const struct union_search *search);
/* True if the value is known to be of the types of all that is left. */
bool union_search_is_typed(const struct union_search *search);
/* Returns candidates that are not left, but to which the access may be as well: nothing excludes
 * them but the size, or the class, of the value. `loads`: the access loads a register, which may
 * need a part of a number. `several`: it may move several members at once. */
uint64_t union_search_also(const struct union_search *search, bool loads, bool several);
/* Returns the candidates that the access may be to: a scalar, a part or several, unless the type of
 * the value is known. */
uint64_t union_search_possible(const struct union_search *search);
/* Collects all candidates at a place. */
void union_search_begin(struct union_search *search, const struct union_place *place,
			const struct union_evidence *evidence);
/* True if an access of this size may be to several members of one of the union's members. */
bool union_has_several(const struct union_place *place, uint64_t size);
/* True if a place has nothing but pointers, whichever member of a union it is. */
bool union_has_only_pointers(const struct field_ref *field);
/* Leaves those that fit best by evidence of one kind. */
void union_search_narrow(struct union_search *search, enum union_stage stage);
/* Returns the candidates at a place that fit all of the evidence best; 0 as above. */
uint64_t union_fit(const struct union_place *place, const struct union_evidence *evidence);

/* The union's members that have candidates of a place, each with its candidates. */
struct union_ranges {
	size_t count;
	const struct member *members; /* of the union */
	struct {
		size_t member;
		uint64_t candidates;
	} items[UNION_CANDIDATES_MAX];
};

void union_ranges_find(const struct union_place *place, struct union_ranges *ranges);

/*
 * Returns the one member that has all candidates of a set; NULL: they are in several members.
 * `ranges` are those of the place of the candidates, or of a place in one of its unions. *first is
 * the number of the first candidate in that place, and becomes that of the first one in the member.
 */
const struct member *union_choose(const struct union_ranges *ranges, uint64_t candidates,
				  unsigned int *first);

/* The members of a union beyond these are not told apart. */
#define UNION_MEMBERS_MAX 64

/* Returns the members of a union that have candidates of a set, as a mask in the order of their
 * declarations. */
uint64_t union_members(const struct union_ranges *ranges, uint64_t candidates);
/* Returns those candidates of a set that are in these members. */
uint64_t union_keep(const struct union_ranges *ranges, uint64_t candidates, uint64_t members);

/* Members with a leading underscore stand in for those of the same name without it, which other
 * code uses for both. If `chosen` is one candidate with such a name, returns those among `all` that
 * it stands in for, if there are some; otherwise `chosen`. */
uint64_t union_plain(const struct union_place *place, uint64_t all, uint64_t chosen);

/* Returns the name that all candidates of the set have in common, if they are also of one type and
 * begin at one place: the members of a common initial sequence (C11 6.5.2.3p6). NULL otherwise.
 * *outer becomes the name of the member around it, if that is common, too, or NULL. */
const char *union_common_name(const struct union_place *place, uint64_t candidates,
			      const char **outer);
