/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bulk memory functions: memset(), memcpy(), the string functions and spin locks of the C library,
 * clear_page() and copy_user() of kernels. They are written in assembly or in vectors of bytes, so
 * that nothing in them has a type. What they access is an argument of their caller.
 */
#pragma once

#include "annotate/access.h"
#include "base/arch/arch.h"

#define BULK_NO_ARGUMENT 0xff

/* Go's runtime.duffzero and duffcopy are entered in the middle, as many words from their end as
 * there are to clear or to copy. */
#define GO_DEVICE "runtime.duff"

/* Arguments are numbered from 0. */
struct bulk_function {
	const char *name;
	uint8_t writes; /* the argument that points to what it writes */
	uint8_t reads;  /* the argument that points to what it reads */
	uint8_t other;  /* of comparisons: the argument that points to the second thing it reads */
	uint8_t length; /* the argument with the number of bytes */
	bool kernel;    /* a kernel's own */
};

/* Returns the function of this symbol, which may name a variant of it
 * ("__memmove_avx_unaligned_erms", "clear_page_rep"); NULL if it is not in the table. */
const struct bulk_function *bulk_function_named(const char *symbol, bool kernel)
	__attribute__((nonnull));
/* Returns the argument that an access in the function goes to, by its base register and by whether
 * it reads or writes. */
uint8_t bulk_argument(const struct bulk_function *function, const struct access *access);
/* Returns the register of an argument, or REG_NONE. */
uint8_t bulk_register(const struct bulk_function *function, const struct convention *call,
		      uint8_t argument);
