/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Places within types: which object an offset falls in, what lies there, which type holds which. */
#ifndef DTPROF_ANNOTATE_PLACE_H
#define DTPROF_ANNOTATE_PLACE_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate/access.h"
#include "dwarf/type.h"

struct place {
	const struct type *type; /* canonical */
	int64_t offset;
};

/* The object type behind a pointer type, canonical; NULL if `type` is no pointer or points to nothing with a
 * size. */
const struct type *place_pointee(const struct type *type);

/*
 * Is this a class of C++ that is only declared in the debug information, although the code goes into its
 * objects? Compilers describe a class where its virtual table is, or is constructed (clang): maybe in another
 * object. (In C, what is only declared is opaque, and whoever goes through it has cast it.)
 */
bool place_is_named_only(const struct type *type);

/* Size in bytes behind typedefs and qualifiers. */
static inline uint64_t place_size(const struct type *type)
{
	return type_strip(type)->size;
}

/* Same type to a reader: equal but for typedefs and qualifiers. */
bool place_same_type(const struct type *a, const struct type *b);

/* Does an object of `outer` have, `offset` bytes in, a subobject of type `inner` (not itself)? Elements of
 * arrays count. */
bool place_contains(const struct type *outer, int64_t offset, const struct type *inner);

/*
 * Is `integer` an integer, and does an object of `outer` have one of that size just there, of whatever sign?
 * A member may be accessed so (C11 6.5p7), and the kernel's cmpxchg() takes all by a `u32 *` or `u64 *`.
 * Elements of arrays stand for themselves.
 */
bool place_has_integer(const struct type *outer, int64_t offset, const struct type *integer);

/*
 * Is that subobject a second account of the bytes that `outer` has there: an alternative of a union beside a
 * nameless struct, whose members are the outer record's own (struct page in struct folio)? A pointer to the
 * one is as good as to the other. place_part.c
 */
bool place_is_view(const struct type *outer, int64_t offset, const struct type *inner);

/* Is that subobject the element of an array? */
bool place_is_element(const struct type *outer, int64_t offset, const struct type *inner);

/*
 * The place that an access of `size` bytes at offset + stride * x of an object of `type` goes to: the
 * outermost type, and an offset within it. Elements of an array of objects are one place. REASON_NONE, or why
 * there is none. place_find.c
 */
enum access_reason place_find(const struct type *type, int64_t offset, uint32_t stride, uint64_t size,
			      struct place *place);

/* Does `type` end in an array of one record, and is `offset`, behind its end, a whole member of `size` bytes
 * of another such element? *place: that of the first element. place_find.c */
bool place_old_element(const struct type *type, int64_t offset, uint64_t size, struct place *place);

/*
 * The record of those in `records` that a pointer `offset` bytes (negative) from the start of its flexible
 * array, whose elements are like `element`, goes into with an access of `size` bytes to a whole member:
 * *place; false: none, or more than one.
 */
bool place_in_header(const struct type *const *records, size_t count, const struct type *element,
		     int64_t offset, uint64_t size, struct place *place);

/* The innermost struct or union that has this offset of an object of `type`, and holds it in a member that is
 * no record; NULL: none, or a union's members disagree. */
const struct type *place_innermost_record(const struct type *type, int64_t offset);

/*
 * The type of the scalar (or pointer) of `size` bytes at this place; NULL if there is none or if the
 * alternatives of a union disagree.
 */
const struct type *place_scalar(const struct type *type, int64_t offset, uint64_t size);

/* Would such an access be one to a part of a pointer, and to nothing that is a whole in any alternative of a
 * union? No program does that: what is accessed is something else. */
bool place_cuts_pointer(const struct type *type, int64_t offset, uint64_t size);

/* Does an access of `size` bytes at this place stay within one member (in any alternative of a union), or
 * within a scalar? One that takes several, or goes past the end, shows that another type is meant, unless
 * what is copied is larger than a register. place_part.c */
bool place_holds_access(const struct type *type, int64_t offset, uint64_t size);

/* Does such an access stay within an array of bytes, where no alternative of a union has anything wider?
 * place_buffer.c */
bool place_in_buffer(const struct type *type, int64_t offset, uint64_t size);

/* Could a `part` be laid out in a buffer of bytes of `whole`, `offset` bytes in? The two must share
 * what is in front of it. place_buffer.c */
bool place_lays_out(const struct type *whole, int64_t offset, const struct type *part);

/* The same, and the whole goes on behind it: what is not in the buffer is the whole's (io_uring's commands in
 * struct io_kiocb). place_buffer.c */
bool place_keeps(const struct type *whole, int64_t offset, const struct type *part);

/* Could a `type` be laid out in a buffer that begins in `whole` (place_lays_out()), and has it something
 * better than bytes for such an access? place_buffer.c */
bool place_unpacks(const struct type *type, const struct type *whole, int64_t offset, uint64_t size);

/* Is there an integer of that size at this place, in any alternative of a union? place_part.c */
bool place_may_be_number(const struct type *type, int64_t offset, uint64_t size);

#endif
