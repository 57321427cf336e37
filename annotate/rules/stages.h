/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The input of the rules of each stage, and their functions. For the table and the stages alone. */
#pragma once

#include "annotate/flow/solver.h"
#include "annotate/policy.h"
#include "annotate/rules/rules.h"
#include "annotate/types/candidates.h"

/* Properties of an access through a pointer. They are found once, so that most rules need not be
 * called. */
enum access_trait {
	ACCESS_CONSTANT = 1 << 0,     /* the address has no index in it */
	ACCESS_RECORD = 1 << 1,       /* the pointer is to a struct, union or class */
	ACCESS_SCALAR = 1 << 2,       /* it is to an integer, enumeration or pointer */
	ACCESS_BYTE = 1 << 3,         /* it is to something of one byte */
	ACCESS_ALTERNATIVE = 1 << 4,  /* the address has a second type */
	ACCESS_ORIGIN = 1 << 5,       /* it is known where the pointer came from */
	ACCESS_INFERRED = 1 << 6,     /* its type was inferred */
	ACCESS_DECLARED = 1 << 7,     /* its type was not inferred */
	ACCESS_UNDECLARED = 1 << 8,   /* the function has no variables (BTF) */
	ACCESS_KERNEL = 1 << 9,       /* the object is a kernel or a module */
	ACCESS_MAY_INFER = 1 << 10,   /* inference is wanted, and the function is known */
	ACCESS_LAST_RESORT = 1 << 11, /* nothing more can be learned by solving again */
	ACCESS_WORD = 1 << 12,        /* it is of one to eight bytes */
	ACCESS_NOT_GLOBAL = 1 << 13,  /* the pointer is not just the address of a variable */
	ACCESS_ALIASED = 1 << 14,     /* the code is compiled without strict aliasing */
	ACCESS_CONTENDED = 1 << 15,   /* the types in scope that would do differ */
	ACCESS_BEFORE = 1 << 16,      /* the address is before the pointer's type */
	ACCESS_ANY_BYTE = 1 << 17,    /* its index counts bytes */
	ACCESS_UNFOLLOWED = 1 << 18   /* the function's variables were not followed */
};

/* One access through a pointer, on its way through the stages. */
struct pointer_access {
	struct solver *solver;
	const struct value *address;   /* VALUE_POINTER */
	uint64_t size;                 /* bytes; 0: not known */
	struct field_ref *field;       /* the answer, valid if `reason` is REASON_NONE */
	enum access_reason reason;     /* the outcome so far */
	uint32_t traits;               /* enum access_trait */
	int64_t alternative_offset;    /* of the access in the second type */
	struct candidates *candidates; /* of the rule that is tried */
};

/* ---- helpers of rules */

/* An access that is farther from an object than this many times its size is to another object. */
#define OBJECT_SIZES_MAX 16

/* Returns the memory operand of the instruction; NULL if it has none. Of two, it is the one that is
 * read. */
const struct operand *access_operand(const struct pointer_access *access);
uint64_t access_code_address(const struct pointer_access *access);
/* Returns how the access fits the pointee; valid until the next query. */
const struct fit *access_fit(const struct pointer_access *access);
/* Adds the field at an offset of `type` as a candidate. */
void access_add(struct pointer_access *access, const struct type *type, int64_t offset);
/* Returns the access as one that goes to bytes outside of the pointee. */
struct outside_access access_outside(const struct pointer_access *access);
/* True if the program is compiled without strict aliasing, so that it may use the pointee as
 * another type. False for booleans, and for variables on the stack, which are what they are
 * declared as. */
bool access_is_cast_freely(const struct pointer_access *access);
/* True if the access fits an element of an array of the pointee: it goes to a whole member, or
 * within a union to no more than one member. */
bool access_may_be_element(const struct pointer_access *access);
/* True if only the register that the compiler chose for a variable says what an unknown value is:
 * it may have another one, so that nothing past the variable's record is known. */
bool access_is_not_followed(const struct pointer_access *access);

/*
 * ---- rules for accesses through pointers
 *
 * The table says why each is likely to be right, and has an example; its function is the exact
 * condition, or adds the candidates. Its `needs` in the table have been checked before it is
 * called.
 */

/* free_list.c */
rule_source rule_free_list;

/* casts.c */
rule_source rule_word_of_bytes, rule_byte_of_place, rule_cast_down, rule_header_before;
rule_access rule_scaled_bytes, rule_sum_past_bytes;

/* declared.c */
rule_source rule_buffer_cast, rule_cast_bytes, rule_made_in_place, rule_head_cast,
	rule_folded_address, rule_tail_queue, rule_unfollowed_cast;
rule_access rule_cast_of_bytes, rule_before_array, rule_far_scalar, rule_unfollowed_part,
	rule_wide_byte, rule_misfit, rule_far_pointer, rule_part_of_integer, rule_open_buffer;

/* outside.c */
rule_source rule_tag_value, rule_unknown_offset, rule_described_element, rule_either_member,
	rule_text_header, rule_byte_before, rule_alternative_type, rule_second_use,
	rule_walked_array, rule_element_of_vector, rule_enclosing_record, rule_unit_cast,
	rule_value_cast, rule_after_record, rule_slice_element, rule_one_element, rule_unit_record,
	rule_further_element, rule_indexed_record, rule_repeated_head, rule_captured_variable,
	rule_inner_node, rule_moved_value;

/* The situations in which rules of STAGE_ANSWER are asked, by what is known of an instruction's
 * address. `needs` of a rule has one or more. */
enum answer_situation {
	ANSWER_ANY = 1 << 0,         /* there is one; first of all */
	ANSWER_NO_BASE = 1 << 1,     /* nothing says what the base points to */
	ANSWER_NO_VARIABLE = 1 << 2, /* it is fixed, and no variable is there */
	ANSWER_DECLARED = 1 << 3,    /* the answer is a field, in query->access */
	ANSWER_REUSED = 1 << 4,      /* the memory is in use as another object */
};

/* The answer for one instruction, which the rules of STAGE_ANSWER look for. */
struct answer_query {
	struct solver *solver;
	const struct state *state;
	const struct insn *insn;
	const struct operand *operand;
	const struct value *address; /* of the operand */
	struct access *access;       /* the size and direction, and the answer so far */
	enum access_reason reason;   /* why the base is not known; ANSWER_NO_BASE */
	enum answer_situation situation;
	struct candidates *candidates; /* of the rule that is tried */
};

/* answers.c */
rule_answer rule_stored_class, rule_named_class, rule_unlocated_variable, rule_offset_table,
	rule_float_constant;
rule_refusal rule_stored_function, rule_loaded_pointer;

/* values.c: two pointers at one address, to different types. */
rule_meet rule_tracked_whole, rule_declared_whole, rule_member_of_tracked;

/* In `needs` of a rule of STAGE_LOAD: it is believed of bytes, too, which have no type. */
#define LOAD_BYTES 1

/* A value that is read from a field of a declared type. */
struct loaded_value {
	struct solver *solver;
	const struct value *address;   /* where it is read */
	const struct field_ref *field; /* the field that it is read from */
	const struct type *type;       /* the type that is declared there; NULL: bytes */
	struct value value;            /* what the type says; the rules change it */
	/* what is known of the load whatever the type: an inferred value, or its origin */
	const struct value *unknown;
};

/* values.c */
/* Finds the address of a virtual base of C++, which the instruction makes: the sum of the object's
 * address and of the offset in the object's virtual table. False: it is something else. */
bool rule_virtual_base(struct solver *solver, uint32_t index, const struct value *a,
		       const struct value *b, struct value *sum);
/* Gives the facts about iterators of libstdc++ the alternative types of their nodes. */
void rules_name_nodes(struct solver *solver);
/* The same for what a call returns: an iterator, or the neighbour of the node that `argument`
 * points to. `type` is that of the result. */
void rules_name_result(const struct solver *solver, const struct type *type,
		       const struct value *argument, struct value *result);
rule_load rule_rust_vector, rule_inferred_load, rule_private_data, rule_container_node,
	rule_coroutine_handle, rule_stored_functor, rule_class_table;

/* ---- stages.c */
/* Finds the rules that are believed in the solver's function, before any is tried there. */
void rules_believe(struct solver *solver);
/* True if the rule is believed in the solver's function. */
bool rules_have(const struct solver *solver, enum rule_id rule);
/* Finds the field that an access of `size` bytes at `address`, a VALUE_POINTER, goes to, or the
 * reason why it is not known. *how becomes HOW_INFERRED if a rule inferred it; solver->result.rule
 * is set if a rule decided. */
enum access_reason solver_field(struct solver *solver, const struct value *address, uint64_t size,
				struct field_ref *field, uint8_t *how);
/* Runs STAGE_ANSWER. Returns the first rule whose candidates have one choice, *field; NULL: none
 * has. */
const struct rule *rules_answer(struct answer_query *query, enum answer_situation situation,
				struct field_ref *field);
/* Returns the rule of STAGE_ANSWER that refuses the field of query->access; NULL: none does. */
const struct rule *rules_refuse(const struct answer_query *query);
/* Runs STAGE_MEET. Returns the verdict of the first rule that applies; RULE_EVIDENCE if none does.
 */
enum rule_verdict rules_apply_to_meeting(struct solver *solver, const struct value *tracked,
					 const struct value *declared);
/* Runs STAGE_LOAD: the first rule that applies changes load->value. Without a type, only rules that
 * need LOAD_BYTES are tried. False: none applies. */
bool rules_apply_to_load(struct loaded_value *load);
