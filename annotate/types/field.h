/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Field references: a type and an offset into it. This file says which field an access goes to,
 * what is at an offset, and which type contains which.
 *
 * All functions are pure and read only the types. Records that contain themselves can come from
 * damaged debug information, so each walk down has a limit of depth.
 */
#pragma once

#include "annotate/access.h"
#include "annotate/types/fit.h"
#include "dwarf/types/type.h"

struct field_ref {
	const struct type *type; /* canonical */
	int64_t offset;
};

/* Returns the canonical type that a pointer type points to; NULL if `type` is no pointer, or if
 * what it points to has no size. */
const struct type *field_pointee(const struct type *type);
bool field_is_void_pointer(const struct type *type);

/* True for a C++ class that the debug information only declares. Compilers describe a class in the
 * object that has its virtual table or constructs it (clang), which may be another one. In C a type
 * that is only declared is opaque: code that accesses its members has cast the pointer. */
bool field_is_named_only(const struct type *type);
/* Returns the class if the pointer points to such a class, canonical; NULL otherwise. */
const struct type *field_named_class(const struct type *pointer);

/* Returns the size in bytes of the type without typedefs and qualifiers. */
static inline uint64_t field_size(const struct type *type)
{
	return type_size_or(type, 0);
}

/* True if a type without typedefs and qualifiers is neither a record nor an array. */
static inline bool field_is_scalar(const struct type *bare)
{
	return !type_is_record(bare) && bare->kind != TYPE_ARRAY;
}

/* True if an access of `size` bytes at the start of a scalar is to all of it. x86 loads and stores
 * 10 bytes of a long double; the others are padding (psABI 3.1.2). */
static inline bool field_is_whole(const struct type *bare, uint64_t size)
{
	uint64_t all = field_size(bare);

	return size == all || (bare->kind == TYPE_FLOAT && size == 10 && all > size);
}

/* True if the types are equal except for typedefs and qualifiers. */
bool field_same_type(const struct type *a, const struct type *b);

/* True if an object of `outer` has a subobject of type `inner` at `offset`, other than itself.
 * Elements of arrays count. */
bool field_contains(const struct type *outer, int64_t offset, const struct type *inner);

/* Calls `visit` for each record that has the byte at `offset` of `type`: the type itself, and those
 * in it, in no certain order. `within` is the byte's offset in the record. */
void field_each_record(const struct type *type, int64_t offset,
		       void (*visit)(void *data, const struct type *record, int64_t within),
		       void *data);

/* True if `integer` is an integer and an object of `outer` has one of that size at `offset`, of
 * either sign. C11 6.5p7 lets a member be accessed so, and the kernel's cmpxchg() takes all
 * integers through `u32 *` or `u64 *`. Elements of arrays do not count: a pointer to one is there
 * for the array, not for the record. */
bool field_has_integer(const struct type *outer, int64_t offset, const struct type *integer);

/* True if that subobject only describes bytes of `outer` a second time: a union's alternative
 * beside a nameless struct whose members are the outer record's own (struct page in struct folio).
 * A pointer to either is as good as one to the other. */
bool field_is_view(const struct type *outer, int64_t offset, const struct type *inner);

/* True if an object of `outer` begins with a union, of which `inner` is (in) one member and no such
 * view: a pointer to it tells the member, where one to `outer` leaves it open. A member as large as
 * the union `outer` is none: arrays of the union are walked by pointers to either. Behind other
 * members a union is better told by the whole: the address gives both. */
bool field_tells_member(const struct type *outer, const struct type *inner);

/* An address with an index may be this many elements before the array: indexes that begin at 1,
 * array[count - 2], and loops that look ahead make such addresses. */
#define FIELD_ELEMENTS_BEFORE_MAX 4

/* True if the indexes of an array may begin at this number instead of 0: it is a small number, or a
 * printable character of ASCII. */
bool field_is_first_index(int64_t number);

/* True if the index is not counted from 0, so that the address without it is outside of the only
 * array in the record whose elements are `stride` bytes. *offset becomes the same place in the
 * first element. */
bool field_only_array(const struct type *type, int64_t *offset, uint32_t stride);

/* True if a variable index may mean either of two members: a later element of one array, or the
 * first of the next with an index that is one less. `offset` is the place of the former; it is the
 * same code, whichever the program means. */
bool field_index_fits_two(const struct type *type, int64_t offset, const uint64_t *strides,
			  size_t count, uint64_t size);

/* True if that subobject is an element of an array. */
bool field_is_element(const struct type *outer, int64_t offset, const struct type *inner);
/* True if two offsets are at the same place in different elements of one array of the type. */
bool field_are_elements(const struct type *type, int64_t low, int64_t high);

/* Finds the field that an access of `size` bytes at offset + stride * x of an object of `type` goes
 * to: the outermost type and an offset within it. All elements of an array of objects are one
 * field. Returns REASON_NONE, or the reason why there is no such field. */
enum access_reason field_find(const struct type *type, int64_t offset, uint32_t stride,
			      uint64_t size, struct field_ref *field);

/*
 * Finds the one stride that stands for all of an address, none of which divides another: those
 * before the last are indexes of outer arrays, which choose an element and do not matter for what
 * is in it. Each must be a multiple of the size of an array's elements on the way from `type` to
 * the offset; the type itself may be the element of an array. *offset becomes that in the element
 * of `type`. False: the arrays of the type do not have such elements there.
 */
bool field_last_stride(const struct type *type, const uint64_t *strides, size_t count,
		       uint64_t size, int64_t *offset, uint32_t *stride);

/* Two arrays of a record, one after the other, whose elements are equally large. */
struct array_pair {
	int64_t first, second; /* where they begin */
	int64_t size;          /* of an element */
	/* other members are before the second one: `first` is FIELD_PAIR_MAX elements before it */
	bool alone;
};

#define FIELD_PAIR_MAX 64

/* Finds the array that has the byte at `offset` outside of its first element, and the next one. An
 * index with this stride, which is less by a number, may be meant for the second. False: the record
 * has no two such arrays there. */
bool field_array_pair(const struct type *type, int64_t offset, uint32_t stride,
		      struct array_pair *pair);
/* True if an access of `size` bytes is in the first of several elements of `stride` bytes of a
 * record's array. */
bool field_is_first_element(const struct type *type, int64_t offset, uint32_t stride,
			    uint64_t size);

/* Finds the one record of `records` whose flexible array has elements like `element`, and that has
 * a whole member of `size` bytes at `offset` (negative) from the start of that array; or else an
 * integer there whose low half is accessed. Returns false if there is none, or more than one. */
bool field_in_header(const struct type *const *records, size_t count, const struct type *element,
		     int64_t offset, uint64_t size, struct field_ref *field);

/* Returns the innermost struct or union that holds `offset` in a member that is no record; NULL if
 * there is none, or if a union's members disagree. */
const struct type *field_innermost_record(const struct type *type, int64_t offset);

/* True for a word that is nothing but bytes, in which libraries move objects of any type (Rust's
 * mem::swap()). */
bool field_is_piece(const struct type *type);

/* Returns the type of the scalar (or pointer) of `size` bytes at `offset`; NULL if there is none,
 * or if the alternatives of a union disagree. */
static inline const struct type *field_scalar(const struct type *type, int64_t offset,
					      uint64_t size)
{
	return fit_at(type, offset, size).scalar;
}

/* True if `type` is larger than `head` and begins with the same members, under the same names. */
bool field_is_head(const struct type *head, const struct type *type);
/* Returns the first of the records in the set `heads` with which most of the others begin, as a set
 * of one; 0: there is none. NULL: no record. A union has a pointer to such a record for code that
 * need not know more. */
uint64_t field_head_of(const struct type *const *records, size_t count, uint64_t heads);
/* True for a record of C whose only member is an integer as large as a pointer. Programs that box
 * numbers and pointers in one word declare it as such a record, so that the compiler does not
 * convert it to an integer (rule one-word-record). */
bool field_is_word_record(const struct type *type);

/* True if the bytes have a part of a bitfield, in any alternative of a union. */
bool field_has_bitfield(const struct type *type, int64_t offset, uint64_t size);

/*
 * True if `stride` is the power of two in the size of a record, and no array in the record has such
 * large elements. Compilers multiply an index by the size's odd factor and shift the product, of
 * which nothing but the shift may be known:
 *
 *	p[(low + high) / 2].key; // 96 bytes: ((low + high & ~1) + (low + high) / 2) << 5
 */
bool field_is_shift_of_size(const struct type *record, uint32_t stride);

/* True if a `part` at `offset` of `whole` could be laid out in a buffer of bytes there, and `whole`
 * goes on after it. Accesses outside of the buffer then belong to `whole` (io_uring's commands in
 * struct io_kiocb). */
bool field_keeps(const struct type *whole, int64_t offset, const struct type *part);

/* True if a `type` could be laid out in a buffer that begins in `whole`, and has something better
 * than bytes for such an access. */
bool field_unpacks(const struct type *type, const struct type *whole, int64_t offset,
		   uint64_t size);

/*
 * ---- a cache of answers
 *
 * A function and its neighbours access few types, and the same members again and again. One solver
 * has one cache for all its functions; the answers depend on the types alone, which live as long as
 * their object does.
 */

struct field_cache;

/* The caller owns the result: field_cache_destroy(). */
struct field_cache *field_cache_create(void);
void field_cache_destroy(struct field_cache *cache);

/* See field_find(). Without a cache (NULL), nothing is kept. */
enum access_reason field_cache_find(struct field_cache *cache, const struct type *type,
				    int64_t offset, uint32_t stride, uint64_t size,
				    struct field_ref *field);
/* See field_contains(). */
bool field_cache_contains(struct field_cache *cache, const struct type *outer, int64_t offset,
			  const struct type *inner);
/* See fit_at(). The result is valid until the next query. */
const struct fit *field_cache_fit(struct field_cache *cache, const struct type *type,
				  int64_t offset, uint64_t size);

/* True for an array of elements of this size. */
static inline bool field_is_array_of(const struct type *type, uint64_t size)
{
	const struct type *bare = type_strip(type);

	return bare->kind == TYPE_ARRAY && field_size(type_target(bare)) == size;
}

/* Returns the last member of a record; NULL: it has none. */
static inline const struct member *field_last_member(const struct type *record)
{
	size_t count;
	const struct member *members = type_members(record, &count);

	return count ? &members[count - 1] : NULL;
}

/* True if the record ends in an array of one element, and the address starts after that element: a
 * further one is meant. *offset becomes that of the same field in the one element. */
bool field_past_one_element(const struct type *record, int64_t *offset, uint32_t stride,
			    uint64_t access_size);

/* Returns the element type of an array, and makes *offset relative to the element that contains it;
 * NULL if there is none. */
const struct type *field_element_at(const struct type *array, int64_t *offset);

/* True for a link: a record that exists to be a member of others (struct list_head, hlist_node,
 * rb_node), of pointers, at least one of which points to such a record, with at most one more word
 * (a tree's colour). */
bool field_is_link(const struct type *type);

/* True if a bitfield (as in struct member) has one of the bits that an access at `offset` uses. */
bool field_bits_overlap(int64_t member_offset, uint32_t bit_offset, uint32_t bit_size,
			int64_t offset, uint64_t bits);
