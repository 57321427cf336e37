/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an access fits a type: what the type has where the access goes. fit_at() is pure, and looks
 * at all alternatives of unions on one walk down the type.
 */
#pragma once

#include "dwarf/types/type.h"

/* The deepest nesting of records and arrays that is followed. Real programs stay far below it; only
 * damaged debug information has cycles. */
#define TYPE_DEPTH_MAX 24

/* From the best to the worst. In a union, the best of its alternatives counts. */
enum fit_kind {
	FIT_MEMBER,  /* all of a scalar */
	FIT_ELEMENT, /* all of a scalar in an array */
	FIT_BITS,    /* a bitfield */
	FIT_BYTES,   /* bytes of an array of bytes */
	FIT_PART,    /* a part of a scalar that is no pointer, or several elements of an array */
	FIT_SEVERAL, /* several members, from the start of one of them */
	FIT_PART_OF_POINTER, /* a part of a pointer: no program accesses that */
	FIT_CUT,             /* the end of one member, and what follows it */
	FIT_PADDING,         /* bytes that no member has */
	FIT_OUTSIDE,         /* bytes that the type does not have */
	FIT_KINDS,
};

/* An array of integers in which an access stays; `room` is 0 if there is none. */
struct fit_array {
	int64_t within; /* offset of the access in it */
	uint64_t room;  /* its size */
};

struct fit {
	uint8_t kind; /* enum fit_kind */
	/* of all the scalars of the access's size that begin there: */
	bool whole;  /* there is one */
	bool number; /* one is an integer */
	/* their type: a pointer goes before others. NULL: none, or pointers that differ */
	const struct type *scalar;
	const struct type *bits;   /* the bitfield with the byte's first bit; NULL: none */
	struct fit_array bytes;    /* an array of bytes around the access */
	struct fit_array integers; /* the same of any integers of up to eight bytes */
	bool buffer;   /* there is one, and nothing wider in any alternative of a union */
	bool open;     /* the bytes are the start or the end of their record */
	bool wide;     /* something wider than a byte has the first byte */
	bool holds;    /* the access stays within one member or scalar */
	bool covered;  /* a member has the first byte */
	bool in_union; /* it is in a union */
	/* the access is to a part of an element of an array of scalars that is in no union:
	 * `cut_element` says that it is no part of one integer */
	bool part_of_element, cut_element;
	/* of a number of two bytes in an array, in some alternative of a union */
	bool low_byte, high_byte;
};

/* Says what `type` has for an access of `size` bytes at `offset`. */
struct fit fit_at(const struct type *type, int64_t offset, uint64_t size);
/* Returns a word for the kind, for --debug. */
const char *fit_name(uint8_t kind);
