/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tags beside unions: which member of a union is in use, by the value of a tag. Private to
 * annotate/.
 *
 *     struct value { enum kind kind; union { long number; struct text *text; } u; };
 *
 *     case KIND_TEXT: return text_length(value->u.text);    KIND_TEXT: u.text
 *     case KIND_TEXT: return value->u.text;                 which one? KIND_TEXT: u.text
 *
 * A tag is an integer or enum of the record that has the union, or a pointer to a record of which
 * there are static objects (`value->class == &text_class`), each of which is a value. The values
 * that it may have at an access are those with which the access is reached from a test of the tag,
 * or those that may be stored to it (variants_tag_values()). Accesses whose member other evidence
 * shows give evidence; it is kept as a set of members for each value, and all of it must agree. An
 * access about which nothing else tells enough then goes to the members that belong to its values.
 *
 * This is a distant fact (distant.h) of the unit: its functions that may access the union are
 * asked. An access that wants it is kept with its values, so that its function is not solved again.
 */
#pragma once

#include "annotate/access.h"
#include "annotate/evidence/distant.h"

struct solver;
struct state;

/* An access to a union whose member is not known, with the values of its tag. */
struct wanted_union {
	uint64_t address; /* of the instruction */
	bool store;
	struct distant_place place;
	struct tag_values values;
	uint64_t named; /* the members that the values' names tell: tag_names_members() */
};

/* The most tags of a union that are asked about. */
#define TAGS_MAX 8

/* Finds what would tell the union's member of an answer. Returns how many there are: none if it is
 * known, or no tag is tested. */
size_t tag_union_want(struct solver *solver, uint32_t insn, bool store, const struct access *answer,
		      struct wanted_union wanted[TAGS_MAX]);
/* Leaves those candidates in the answer that the facts say. */
void tag_union_learn(const struct wanted_union *wanted, const struct distant_facts *facts,
		     struct access *answer);

/* Returns the member of a union, as a mask, that has the name of all of these values of a tag. 0:
 * they have the names of different members; UINT64_MAX: not all have one. */
uint64_t tag_names_members(const struct solver *solver, const struct type *record,
			   const struct type *tag, const struct tag_values *values);

/* True if the function may be asked about unions. */
bool tag_union_may_show(const struct solver *solver);
/* True if an instruction of such a function may have evidence. */
bool tag_union_may_collect(const struct solver *solver, const struct insn *insn);
/* Adds the evidence of an instruction on the unions that its function is asked about. */
void tag_union_collect(struct solver *solver, const struct state *state, uint32_t insn,
		       const struct distant_question *question, struct distant_evidence_list *list);
