/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The member that an offset falls in, and the members of a type as a flat list. */
#pragma once

#include "annotate/access.h"
#include "annotate/types/union_member.h"
#include "dwarf/types/type.h"
#include "base/strbuf.h"

/*
 * Appends the path of the member at `offset` of `type`, as perf does: "i_readcount.counter".
 * Anonymous members are left out; arrays have their name alone ("slots"), and structs in arrays the
 * member ("slots.next"). If several members of a union fit an access of `size` bytes (0: not known)
 * equally well, the path ends at the union, or with the name that they share; so it does at an enum
 * if several variants have members there. False, and nothing is appended, if there is no member
 * ("no field").
 */
bool member_path(const struct type *type, int64_t offset, uint64_t size, struct strbuf *buffer);

/* The same for an ACCESS_TYPE. The path ends with the bitfields whose bits it uses ("type, lru");
 * if this is not known, with the first and the last one that it may use ("type..lru"). Among an
 * enum's variants and a union's members, the one that the access is known to go to wins. An index
 * may go into a flexible array that other members follow, or into these: the array whose elements
 * have the index's stride wins, and if both have, the path ends before them. */
bool access_member_path(const struct access *access, struct strbuf *buffer);

/* True if an access is to all of its `size` bytes, and not to some of their bits. */
bool access_is_to_all_bytes(const struct access *access);
/* The same for a reader: an access to several members, as a vector's or a merged store, has the
 * path of the record that they are all of, or ends with their names ("count, next"). */
bool access_members_path(const struct access *access, struct strbuf *buffer);

/* The part of a type that a number of bytes are. */
struct member_part {
	const struct type *type; /* canonical */
	uint64_t count;          /* elements of an array; 1: a single object */
	int64_t offset;          /* of the bytes in it */
	bool whole;              /* they are all of it, but for padding at its end */
};

/* The most members of an access that are all named: the bits of a byte. */
#define MEMBER_NAMES_MAX 8

/* The names of an access's members on their way into a text. */
struct member_names {
	struct strbuf *to;
	size_t start; /* of the names in it */
	const char *first, *last;
	unsigned int count;
};

/* Appends a name, which must stay until the end. */
void member_names_add(struct member_names *names, const char *name);
/* Leaves the first and the last one ("type..lru") if they are too many, or if the access is not
 * known to be to each. */
void member_names_end(struct member_names *names, bool each);

/* Finds the part of `type` that the `size` bytes at `offset` are: the outermost one that is just as
 * large, or several elements of an array. If there is none, it is the innermost record that has all
 * of the bytes, and more. `type` may itself be the element of an array. Appends the path of the
 * part, or nothing for the type itself. False: there is no record that has them. */
bool member_part_find(const struct type *type, int64_t offset, uint64_t size,
		      struct member_part *part, struct strbuf *path);

/* An enum of Rust that an access goes to. */
struct member_enum {
	const struct type *type; /* the record with the variants */
	int64_t offset;          /* of the access in it */
};

/* Finds the first enum on an ACCESS_TYPE's path whose variant the path does not name, although
 * several variants have members there. False: there is none. */
bool member_open_enum(const struct access *access, struct member_enum *found);

/* True if two bitfields (as in struct member), neighbours in the order of their declaration, are
 * stored together: less than a byte is between them, and the second does not begin a word. A
 * compiler may access them together. */
bool member_bits_adjoin(int64_t offset, uint32_t bit_offset, uint32_t bit_size, int64_t next_offset,
			uint32_t next_bit_offset);
/* True if the type ends in an array without a count, also within other records: it goes on as far
 * as the memory does. */
bool member_has_flexible_end(const struct type *type);
/* Returns the first byte with bits that an access at `offset` uses. */
static inline int64_t member_first_byte(int64_t offset, uint64_t bits)
{
	return offset + (bits ? __builtin_ctzll(bits) / 8 : 0);
}

/* Appends "[2][5]": the indexes of an array's element from its number over all dimensions, also of
 * arrays in arrays. `element` < 0 gives "[*][*]". */
void member_element(const struct type *array, int64_t element, struct strbuf *buffer);

/* An access on its way down from its type to a member. Zero-initialized but for the members at the
 * top. */
struct member_search {
	uint64_t size;                      /* bytes accessed; 0: not known */
	bool whole;                         /* see member_is_whole() */
	uint64_t bits;                      /* of the bytes from the offset on; 0: not known */
	bool any_bits;                      /* ACCESS_TYPE: as in struct access */
	const struct type *const *variants; /* ACCESS_VARIANTS: of struct access; NULL: none */
	uint64_t candidates;                /* as `union_candidates` of struct access */
	struct union_place place;           /* in the outermost union so far */
	unsigned int first; /* the number of the first candidate below the last union */
	unsigned int steps;
	uint32_t stride; /* of the access's index; 0: it has none, or this is not known */
};

/* True if the access ends its way down at a member of this type, which begins at its offset: xsave
 * and fxsave have a whole record as their operand. */
static inline bool member_is_whole(const struct member_search *search, const struct type *type,
				   int64_t offset)
{
	return search->whole && !offset && type_strip(type)->kind == TYPE_STRUCT;
}

/* Returns the member of a union, at `offset` of which the access is, that it goes to. NULL: there
 * is none, or it may be one of several. A search must be asked for each union on its way, the
 * outermost first. */
const struct member *member_of_union(const struct type *record, int64_t offset,
				     struct member_search *search);

/* The records that an ACCESS_TYPE goes into, one within the other. */
struct access_records {
	const struct type *type;     /* canonical; of an array of records, one element */
	int64_t offset;              /* of the access in the record */
	const struct member *member; /* which has the record; NULL: the outermost one */
	struct member_search search; /* private */
	unsigned int depth;          /* private: damaged records may be within themselves */
};

/* Begins with the outermost record. False if the access is to none. */
bool access_records_begin(const struct access *access, struct access_records *records);
/* Goes on to the record in this one. False if there is none, or if a union's member is not known.
 */
bool access_records_next(struct access_records *records);

/* Returns the distance from the member of access->overlay to the other one that a condition may
 * choose in its place; 0: there is one member. */
uint32_t access_other_member(const struct access *access);

/* One line of an annotated type. */
struct member_line {
	const struct type *type;
	const char *name;              /* NULL: anonymous */
	int64_t offset;                /* bytes from the start of the whole type */
	uint64_t size;                 /* bytes */
	uint32_t bit_offset, bit_size; /* bitfield: see struct member */
	uint32_t depth;                /* 0: the type itself, 1: its members */
	uint64_t element_size; /* of arrays: bytes of one element, over all dimensions; else 0 */
	bool has_members;      /* its members follow, one deeper */
	bool is_base;
	bool is_variant;      /* a variant of a Rust enum: it has only the bytes of its members */
	bool is_discriminant; /* it says which variant there is */
	/* bitfields that accesses use together ("type, lru"), or of which they use some
	 * ("type..lru"); no member itself */
	bool is_unit;
};

/* Lists the type itself, then all its members, depth first, with nested records opened (in arrays,
 * the first element stands for all). *lines must be freed by the caller. */
void member_lines(const struct type *type, struct member_line **lines, size_t *count);

/* True if a text is a member's own name, without the underscores or the "m_" that mark members. */
bool member_is_named(const char *text, const char *name);
/* True if the function is named after the member, as one that only fetches it or sets it; a library
 * puts its own name and that of the object before that. `outer`: the name of the member around it,
 * or NULL. */
bool member_is_accessor(const char *function, const char *outer, const char *name);
