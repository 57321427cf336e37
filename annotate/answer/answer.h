/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a state to an access. */
#pragma once

#include "annotate/facts/bulk.h"
#include "annotate/flow/solver.h"

/* ---- answer.c */
struct access solver_answer(struct solver *solver, const struct state *state, uint32_t insn,
			    bool store);
/* Sets the bits that an access uses, if they tell members apart. Where they are not known and there
 * are bitfields, these are all bits, up to a word's. */
void solver_set_bits(struct solver *solver, uint32_t insn, bool store, struct access *answer);
/* Sets what tells the member that an answer is to. */
void solver_judge_member(struct solver *solver, const struct state *state, uint32_t insn,
			 bool store, struct access *answer);
/* Answers for the memory that an argument of `insn`, a call of the function, points to, from the
 * state before it. Arguments are numbered from 0. Where the memory is outside of the known type,
 * its first word is asked about. ACCESS_TYPE is found by HOW_BULK. Sets *source to the argument's.
 */
struct access solver_answer_argument(struct solver *solver, const struct state *state,
				     uint32_t insn, const struct bulk_function *function,
				     uint8_t argument, struct pointer_source *source);

/* ---- union_evidence.c */
/* Sets the candidates of an answer of kind ACCESS_TYPE, if it is in a union (union_member.h).
 * `state` is the one before the instruction. */
void union_evidence_judge(struct solver *solver, const struct state *state, uint32_t insn,
			  bool store, struct access *access, uint64_t *also);

/* Adds to the evidence what an instruction shows of the value that it moves. `written`: registers
 * that may not be what they are in the state. */
void union_evidence_value(struct solver *solver, const struct state *state, uint32_t insn,
			  const struct operand *operand, uint64_t written,
			  struct union_evidence *evidence);

/* ---- union_words.c */
/* Adds to the evidence the record of which the instruction moves one word, from the union to where
 * a call gets it in registers, or to the union from there. */
void union_words_find(struct solver *solver, const struct state *state, uint32_t insn,
		      const struct operand *operand, const struct union_place *place,
		      struct union_evidence *evidence);

/* ---- shown_record.c */
/* Answers an access that is unknown by the value that it moves: of the records to which the pointer
 * may be cast, one has a member there that agrees. False: it is not known. */
bool shown_record_find(struct solver *solver, const struct state *state, uint32_t insn, bool store,
		       struct access *access);

/* True if what is known of the value that an access moves speaks against the member of the record
 * that the access's pointer was taken to be cast to. */
bool shown_record_contradicts(struct solver *solver, const struct state *state, uint32_t insn,
			      const struct operand *operand, const struct access *access);

/* ---- trace.c: how an answer was found, for --debug type-profile */

struct trace;

struct trace *trace_create(struct solver *solver);
void trace_destroy(struct trace *trace);

/* Tell the trace that the walk enters a block, that it is at an instruction (with the state before
 * it), and that an answer was found, whose account is appended to *text. */
void trace_block(struct trace *trace, uint32_t block);
void trace_instruction(struct trace *trace, const struct state *state, uint32_t insn);
void trace_answer(struct trace *trace, const struct state *state, uint32_t insn,
		  const struct access *access, struct strbuf *text);
