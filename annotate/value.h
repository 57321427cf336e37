/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of the value in a register or stack slot at one place of a function: one element of the
 * lattice that the data flow works on.
 *
 *     BOTTOM    no path has come here yet
 *     NUMBER    offset + stride * x: a constant (stride 0), or a multiple of stride away from one; x is the
 * value `origin` where that is not 0, else any integer ADDRESS   offset + stride * x, and it is an address in
 * this object (a global) FRAME     offset + stride * x bytes from the base `frame` of this call's stack;
 * frame 0 is the CFA; some bases are not on the stack POINTER   the address of byte offset + stride * x of an
 * object of `type` (or of an array of such objects) UNKNOWN   the value `origin` (0: nothing is known) +
 * offset + stride * x; may be a pointer. `type`, if set, is the type that the value was declared with, and is
 * of no use for an access (an integer, void*)
 *
 * A POINTER whose offset counts from its origin keeps that, too: later uses may know a larger type (a header
 * cast down).
 *
 * `origin` names the instruction, entry or join that the value came from, so that what is learned of one copy
 * later holds for all of them (infer.h).
 */
#ifndef DTPROF_ANNOTATE_VALUE_H
#define DTPROF_ANNOTATE_VALUE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "dwarf/type.h"

enum value_kind {
	VALUE_BOTTOM,
	VALUE_NUMBER,
	VALUE_ADDRESS,
	VALUE_FRAME,
	VALUE_POINTER,
	VALUE_UNKNOWN,
};

/* Bases of VALUE_FRAME: the CFA, realigned frames and alloca (1 ..), and three that are not on the stack. */
enum {
	FRAME_CFA = 0,
	FRAME_FIRST_OTHER = 1,
	FRAME_LAST_OTHER = 12,
	/* what lies between a per-cpu variable's address in the object and one processor's copy of it (the
	 * kernel's this_cpu_off, __per_cpu_offset[cpu]): added to the address of one, it gives that variable
	 */
	FRAME_PER_CPU = 13,
	FRAME_TLS = 14,            /* this object's block of thread-local variables */
	FRAME_THREAD_POINTER = 15, /* %fs:0 */
};

struct value {
	/* POINTER: the object pointed to, canonical; others: see above, may be NULL */
	const struct type *type;
	/* POINTER: what the same address was said to be, too, and is if the type proves too small, `moved`
	 * bytes further on than in `type`; or NULL */
	const struct type *other;
	int64_t offset;
	uint32_t stride;
	uint32_t origin;
	/* ADDRESS: bytes that were added since it was the address of something; 0 also where not known.
	 * POINTER: what is to be added to `offset` for the offset in `other` */
	int32_t moved;
	uint8_t kind;  /* enum value_kind */
	uint8_t how;   /* POINTER: enum access_how */
	uint8_t frame; /* FRAME */
	bool conflict; /* UNKNOWN: because the paths that met here disagreed */
};

/* There is no padding between the members: equal values are equal bytes. */
_Static_assert(sizeof(struct value) == 40, "padding in struct value");

static inline struct value value_unknown(uint32_t origin)
{
	return (struct value){ .kind = VALUE_UNKNOWN, .origin = origin };
}

static inline struct value value_number(int64_t number)
{
	return (struct value){ .kind = VALUE_NUMBER, .offset = number };
}

static inline struct value value_any_number(void)
{
	return (struct value){ .kind = VALUE_NUMBER, .stride = 1 };
}

static inline struct value value_address(int64_t address)
{
	return (struct value){ .kind = VALUE_ADDRESS, .offset = address };
}

static inline struct value value_frame(uint8_t frame, int64_t offset)
{
	return (struct value){ .kind = VALUE_FRAME, .frame = frame, .offset = offset };
}

static inline struct value value_pointer(const struct type *object, int64_t offset, uint8_t how)
{
	return (struct value){ .kind = VALUE_POINTER, .type = object, .offset = offset, .how = how };
}

static inline bool value_is_constant(const struct value *value)
{
	return value->kind == VALUE_NUMBER && !value->stride;
}

/* A constant that no pointer has but NULL and error codes. */
static inline bool value_is_null(const struct value *value)
{
	return value_is_constant(value) && value->offset >= -4096 && value->offset <= 4096;
}

/* Eight of its bytes; copied one by one, for of a copy of the whole the compiler makes one on the stack. */
static inline uint64_t value_word(const struct value *value, size_t index)
{
	uint64_t word;

	memcpy(&word, (const char *)value + index * sizeof(word), sizeof(word));
	return word;
}

static inline bool value_equal(const struct value *a, const struct value *b)
{
	return !((value_word(a, 0) ^ value_word(b, 0)) | (value_word(a, 1) ^ value_word(b, 1)) |
		 (value_word(a, 2) ^ value_word(b, 2)) | (value_word(a, 3) ^ value_word(b, 3)) |
		 (value_word(a, 4) ^ value_word(b, 4)));
}

struct value value_add(struct value a, struct value b);
/* value_add() of a constant. */
static inline struct value value_displace(struct value a, int64_t bytes)
{
	if (a.kind != VALUE_POINTER && a.kind != VALUE_FRAME && a.kind != VALUE_UNKNOWN)
		return value_add(a, value_number(bytes));
	a.offset = (int64_t)((uint64_t)a.offset + (uint64_t)bytes);
	return a;
}
struct value value_subtract(struct value a, struct value b);
struct value value_multiply(struct value a, struct value b);
/* a * scale */
struct value value_scale(struct value a, uint32_t scale);
/* a & b: alignment keeps pointers, masks bound numbers */
struct value value_and(struct value a, struct value b);
struct value value_or(struct value a, struct value b);
/* The low `size` bytes, zero- or sign-extended: no pointer survives less than 8. */
struct value value_truncate(struct value a, unsigned int size);

/*
 * The value where two paths meet. `phi` is the origin of this join, for when the two have nothing in common.
 * The result is never above what repeated joins can reach: strides only shrink to divisors, so a fixed point
 * exists.
 */
struct value value_join(const struct value *a, const struct value *b, uint32_t phi);

/* The value of a variable or member of this declared type: a POINTER if it is one to something with a size.
 */
struct value value_of_type(const struct type *type, uint8_t how, uint32_t origin);

#endif
