/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tags: members whose values tell what an object is, or which member of a union is in use. Private
 * to annotate/.
 *
 *     if (node->tag == NODE_CALL)                  the test
 *             use(((struct call *)node)->name);    the object is a struct call: TAG_OBJECT
 *     if (value->flags & IS_TEXT)
 *             use(((struct text *)value->any)->length);   what the member `any` points to
 *
 * A *test* is an edge after a comparison of a tag with a constant, on which the tag has that value.
 * It holds in the code that the edge dominates, until the object is passed to a call, which may
 * change the tag. If something behind the test declares the record (a variable of its type that
 * gets the pointer, a parameter, a store), the function gives evidence. If an access behind a test
 * of the same value has no answer, its function learns from that (rule tag-value, distant.h).
 *
 * Objects are told apart by their origins (infer.h). A store of a constant to a tag counts as a
 * test, too. A pointer to the static record that describes an object's type is such a tag.
 */
#pragma once

#include "annotate/evidence/distant.h"
#include "annotate/values/value.h"

struct basic_block;
struct cfg;
struct pointer_access;
struct solver;
struct state;

/* The most tests of a function that are kept, and the most uses of objects. Some switches of
 * interpreters have several hundred cases. */
#define TAG_NOTES_MAX 4096

struct tag_test {
	uint32_t block;  /* the first that the edge dominates */
	uint32_t insn;   /* the store of the tag; UINT32_MAX: it is an edge */
	uint32_t origin; /* of the pointer to the object */
	int64_t start;   /* of the record with the tag, from where that pointer points */
	struct distant_place object; /* the target is TAG_OBJECT */
	struct distant_place member; /* the target is not set */
	/* the object's type before the test, and the tag's offset and size in it; size 0: the tag
	 * is a bit-field */
	const struct type *type;
	int64_t offset;
	uint32_t size;
};

/* The object of this origin is passed to a call (`type` is NULL), or used as a `type`. */
struct tag_use {
	uint32_t insn;
	uint32_t origin;
	const struct type *type;
};

/* The tests of one function. The solver owns it; zero-initialized is empty. */
struct tags {
	bool on;      /* the walk over blocks notes tests and calls */
	bool casting; /* it also notes uses as records */
	struct tag_test *tests;
	size_t test_count, test_capacity;
	struct tag_use *uses;
	size_t use_count, use_capacity;
	/* by block, as cfg_find_dominators() gives them; NULL: not found yet */
	uint32_t *dominators, *position;
};

/* Finds the instruction that sets the flags on which the branch at the end of a block depends, near
 * it. False: there is none. */
bool tags_find_flags(const struct cfg *code, const struct basic_block *block, uint32_t *insn);

/* Facts that an edge gives about the operand that was compared. */
enum edge_says {
	EDGE_NOTHING,
	EDGE_EQUAL,     /* it is the constant; of a test of bits: they are all clear */
	EDGE_DIFFERENT, /* it is not the constant; of a test of bits: one of them is set */
	EDGE_CARRY,     /* bt: the bit is set */
};

/* Returns what the edge from a block says. */
enum edge_says tags_edge_says(const struct cfg *code, uint32_t from, uint32_t to);
/* Finds the comparison of a word with a register that shows the two to be equal on the edge between
 * two blocks, to the second of which nothing else leads. False: there is none, whatever the state.
 */
bool tags_find_equality(const struct cfg *code, uint32_t from, uint32_t to, uint32_t *compare);

/* Forgets the tests of the last round, or of the last function. */
void tags_restart(struct tags *tags);
void tags_clear(struct tags *tags);
void tags_deinit(struct tags *tags);

/* Notes the tests that the edge between two blocks makes, from the state before it. They replace
 * those that were noted for this edge before. */
void tags_note_edge(struct solver *solver, const struct state *state, uint32_t from, uint32_t to);
/* Notes a store of a constant to a tag, from the state before the instruction. */
void tags_note_store(struct solver *solver, const struct state *state, uint32_t insn);
/* Notes the objects that the call `insn` gets. */
void tags_note_call(struct solver *solver, const struct state *state, uint32_t insn);
/* Notes that a value is used as a pointer to a record, by the instruction solver->pass.current. */
void tags_note_cast(struct solver *solver, const struct value *value, const struct type *record);

/* Calls edge(data, from, to) for all edges that dominate an instruction and may be tests. */
void tags_each_edge(struct solver *solver, uint32_t insn,
		    void (*edge)(void *data, uint32_t from, uint32_t to), void *data);
/* Adds the places that would tell what the object of this origin is at an instruction. Leaves out
 * tests for 0, which bytes of code do not show. */
void tags_want_object(struct solver *solver, uint32_t origin, uint32_t insn,
		      struct distant_places *places);
/* Adds the places that would tell what a loaded pointer points to, if only its origin is known.
 * Leaves out the same tests. */
void tags_want_member(struct solver *solver, uint32_t origin, struct distant_places *places);
/* Returns the instruction that loaded such a pointer from a member of an object; UINT32_MAX: it was
 * not loaded from one. */
uint32_t tags_load_of(const struct solver *solver, uint32_t origin);

/* True if distant facts are known, and the current instruction, which loads from an address, is
 * behind a test of all bits of a tag of the object there. */
bool tags_has_test(struct solver *solver, const struct value *address);
/* Replaces the unknown value that is loaded from an address by what facts say of it, behind tests
 * of the object's tags. */
void tags_learn_member(struct solver *solver, const struct value *address, struct value *value);

/* Returns a constant without its lowest zero bytes. The constant of a test of a single byte has
 * none. */
static inline uint64_t tags_number(uint64_t constant)
{
	while (constant && !(constant & 0xff))
		constant >>= 8;
	return constant;
}

/* True if the code may test or store a tag of one of the places in `facts`; with `function`, of one
 * about which that function is asked. */
bool tags_may_show(const struct solver *solver, const struct distant_facts *facts,
		   uint64_t function);
/* Adds the function's evidence on the tags that it is asked about. */
void tags_collect(struct solver *solver, const struct distant_question *question,
		  struct distant_evidence_list *list);

/* Rule tag-value: returns the type of the object at `address`, an origin's value and a constant, as
 * the tests of its tag tell where the current instruction accesses `size` bytes of it; NULL: they
 * tell nothing, or disagree. */
const struct type *tags_type_at(struct solver *solver, const struct value *address, uint64_t size);
