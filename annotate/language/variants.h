/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The variant of a Rust enum that an access goes to. */
#pragma once

#include "annotate/flow/solver.h"

/*
 * Sets access->variants of an ACCESS_TYPE by instruction `insn`: for each enum on its path, the
 * variant that the code around the access shows. An entry stays NULL if the code shows none.
 */
void variants_find(struct solver *solver, uint32_t insn, bool store, struct access *access);

/* Returns the type of a word that is loaded from a field: in an enum, what the variant has there,
 * if variants_ask_loads() has found it for this instruction; otherwise `declared`. */
const struct type *variants_loaded(struct solver *solver, const struct field_ref *field,
				   uint64_t size, const struct type *declared);

/* Looks for the variants of the loads that variants_loaded() was asked for. True if one more is
 * known: the function is to be solved again. */
bool variants_ask_loads(struct solver *solver);

/* The most addresses of static objects that are told apart in a tag that points to them. */
#define TAG_ADDRESSES_MAX 12

/* The tag of a union (tag_union.h). */
struct tag_question {
	const struct type *type; /* an integer, an enum, or a pointer to a record */
	int64_t apart;           /* bytes from the tag to the access */
	uint8_t size;            /* of the tag */
	uint64_t mask;           /* its bits there */
	bool store;              /* the access stores: tests tell what was there before */
	/* that the tag can have: numbers; of an enum, the places of its constants in their order;
	 * of a pointer, the places of its addresses, and after them that of all other ones */
	struct tag_values all;
	uint64_t addresses[TAG_ADDRESSES_MAX];
};

/* Finds the values that the tag of an object may have where instruction `insn` accesses the object
 * by an operand. False: nothing tests the tag or stores a known value to it, or only few values are
 * excluded. */
bool variants_tag_values(struct solver *solver, uint32_t insn, const struct operand *operand,
			 const struct tag_question *tag, struct tag_values *result);

/* Frees what is kept of the function. `search` may be NULL. */
void variants_clear(struct variant_search *search);
/* Frees all that is kept, also what outlives one function. */
void variants_destroy(struct variant_search *search);
