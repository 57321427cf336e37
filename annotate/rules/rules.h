/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of the type engine: every guess that goes beyond what the debug information says, as
 * one ordered table (rules.c). Documentation/measurements.md has what each rule is worth.
 *
 * To add a rule:
 *
 *  1. Write the case into tests/annotate/ and see it fail.
 *  2. Add an identifier to enum rule_id. Its place in the enum is its place in the order: the
 * stages run from top to bottom, and within a stage the first rule that applies decides.
 *  3. Add the row to the table in rules.c: name, reason, example in C, what must hold (`needs`),
 * the function that decides, and what follows (`verdict`). The function goes beside the others of
 * its stage (declared.c, outside.c, undeclared.c, values.c, or the file that runs the stage). A
 * guard has no function: the algorithm that it belongs to asks rule_is_on().
 *  4. Measure it on whole programs, once as it is and once with --no-rule=NAME. A rule that does
 * not gain clearly more right answers than wrong ones does not stay.
 */
#ifndef DTPROF_ANNOTATE_RULES_RULES_H
#define DTPROF_ANNOTATE_RULES_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* The point of the engine at which a rule is tried, and the file that does so. The stages of an
 * access run in this order. */
enum rule_stage {
	STAGE_BASE,     /* the value of a memory operand's registers (address.c) */
	STAGE_MEET,     /* the declared type of a register meets the tracked one (meet.c) */
	STAGE_LOAD,     /* the value that a load gives (values.c) */
	STAGE_USE,      /* what values are used as, all over a function (infer.c) */
	STAGE_STACK,    /* which object a byte of the stack belongs to (stack.c) */
	STAGE_LAYOUT,   /* where in a type an offset may be (field.c) */
	STAGE_BEFORE,   /* an access through a pointer, before its type is looked at */
	STAGE_DECLARED, /* the type of the pointer has room for the access */
	STAGE_INDEXED,  /* it has none, and the address has an index in it */
	STAGE_OUTSIDE,  /* it has none, and the offset is a constant */
	STAGE_LAST,     /* a field was found by one of the stages above */
	STAGE_ANSWER,   /* the answer for one instruction (answer.c) */
	STAGE_COUNT,
};

/* In the order of the table. RULE_NONE: what the debug information declares. */
enum rule_id {
	RULE_NONE,
	/* STAGE_BASE */
	RULE_LATER_VARIABLE,
	RULE_NEIGHBOUR_VARIABLE,
	RULE_ALLOCATED_ONCE,
	RULE_VIRTUAL_TABLE,
	RULE_THUNK,
	RULE_FOLDED_FUNCTION,
	RULE_VIRTUAL_BASE,
	RULE_VIRTUAL_CALL,
	RULE_TYPE_WORD,
	RULE_TESTED_TYPE,
	RULE_CALLED_CLOSURE,
	RULE_MAP_ITERATOR,
	RULE_ARRAY_OF_SLICE,
	RULE_WRITE_BARRIER,
	RULE_MADE_METHOD,
	RULE_BOXED_VALUE,
	RULE_RESULT_PLACE,
	RULE_LIBRARY_THREAD_LOCAL,
	RULE_KEPT_REGISTER,
	RULE_SPILL_SLOT,
	RULE_DISTANT_ARGUMENT,
	RULE_DISTANT_MEMBER,
	RULE_DISTANT_RESULT,
	RULE_UNITS_AGREE,
	/* STAGE_MEET */
	RULE_TRACKED_WHOLE,
	RULE_DECLARED_WHOLE,
	RULE_MEMBER_OF_TRACKED,
	RULE_ANY_ELEMENT,
	RULE_SAME_SIZE_INTEGER,
	RULE_COUNTED_INDEX,
	/* STAGE_LOAD */
	RULE_CLASS_TABLE,
	RULE_RUST_VECTOR,
	RULE_STORED_FUNCTOR,
	RULE_INFERRED_LOAD,
	RULE_PRIVATE_DATA,
	RULE_CONTAINER_NODE,
	RULE_COROUTINE_HANDLE,
	RULE_MEMORY_VARIABLE,
	RULE_TAGGED_POINTER,
	/* STAGE_USE */
	RULE_UNION_POINTER,
	RULE_INITIALIZED_MEMBER,
	RULE_ONE_WORD_RECORD,
	RULE_MEMBER_TYPES,
	RULE_MEMBER_KIN,
	RULE_OBJECT_BY_USE,
	RULE_MISREAD_ORIGIN,
	RULE_LINK_KIN,
	RULE_POINTER_ARRAY,
	RULE_RECORD_ARRAY,
	RULE_STORED_CLASS,
	/* STAGE_STACK */
	RULE_OBJECT_AT_CALL,
	RULE_NOT_MADE_YET,
	RULE_DECLARED_LATER,
	RULE_POINTED_OBJECT,
	RULE_MADE_TOGETHER,
	RULE_OWN_OBJECT,
	RULE_OWN_BUFFER,
	RULE_INCOMPLETE_VARIABLE,
	RULE_STORED_TABLE,
	RULE_PART_BY_TABLE,
	RULE_FITTING_OBJECT,
	RULE_OWN_PLACE,
	RULE_OUTSIDE_RANGE,
	/* STAGE_LAYOUT */
	RULE_INDEX_FROM_ONE,
	RULE_INDEX_FROM_CHARACTER,
	RULE_ONE_ELEMENT_TAIL,
	RULE_WHOLE_ELEMENTS,
	RULE_FAR_WORD,
	RULE_PADDING,
	RULE_ASKEW,
	RULE_SIBLING_CLASS,
	/* STAGE_BEFORE */
	RULE_INNER_NODE,
	RULE_MOVED_VALUE,
	RULE_WORD_OF_BYTES,
	RULE_BYTE_OF_PLACE,
	RULE_SCALED_BYTES,
	RULE_CAST_OF_BYTES,
	RULE_LINK_AROUND,
	RULE_BEFORE_ARRAY,
	/* STAGE_DECLARED */
	RULE_BUFFER_CAST,
	RULE_CAST_BYTES,
	RULE_FREE_LIST,
	RULE_MADE_IN_PLACE,
	RULE_HEAD_CAST,
	RULE_DISPUTED_TYPE,
	RULE_LOST_CAST,
	RULE_FAR_SCALAR,
	RULE_NARROW_STORE,
	RULE_WIDE_BYTE,
	RULE_MISFIT,
	RULE_FAR_POINTER,
	/* STAGE_INDEXED */
	RULE_UNKNOWN_OFFSET,
	RULE_EITHER_MEMBER,
	RULE_INDEXED_RECORD,
	/* STAGE_OUTSIDE */
	RULE_TEXT_HEADER,
	RULE_BYTE_BEFORE,
	RULE_ALTERNATIVE_TYPE,
	RULE_TAG_VALUE,
	RULE_SECOND_USE,
	RULE_WALKED_ARRAY,
	RULE_END_OF_VECTOR,
	RULE_AROUND_PART,
	RULE_ENCLOSING_RECORD,
	RULE_ENCLOSING_IN_SCOPE,
	RULE_UNIT_CAST,
	RULE_UNIT_RECORD,
	RULE_FURTHER_ELEMENT,
	RULE_CAST_DOWN,
	RULE_REPEATED_HEAD,
	RULE_AFTER_RECORD,
	RULE_OLD_FLEXIBLE_ARRAY,
	RULE_SLICE_ELEMENT,
	RULE_METHOD_TABLE,
	RULE_CAPTURED_VARIABLE,
	/* STAGE_LAST */
	RULE_PART_OF_INTEGER,
	RULE_READ_IN_WORDS,
	RULE_PART_OF_POINTER,
	RULE_OPEN_BUFFER,
	/* STAGE_ANSWER */
	RULE_BIT_OF_WORD,
	RULE_CLEARED_PADDING,
	RULE_NAMED_CLASS,
	RULE_UNLOCATED_VARIABLE,
	RULE_PLACELESS_ARRAY,
	RULE_EITHER_VARIABLE,
	RULE_BULK_ARGUMENT,
	RULE_OFFSET_TABLE,
	RULE_FLOAT_CONSTANT,
	RULE_COPIED_OBJECT,
	RULE_CONSTANT_OBJECT,
	RULE_KNOWN_VARIANT,
	RULE_STORED_POINTER,
	RULE_LOADED_POINTER,
	RULE_COUNT,
};

/* The consequence if a rule applies. */
enum rule_verdict {
	RULE_GUARD,   /* the code that asks for the rule decides */
	RULE_ANSWERS, /* the rule's function has set the answer */
	RULE_INFERS,  /* the same, and it is marked as inferred */
	RULE_REFUSES, /* there is no answer, for the reason `refusal` */
	RULE_DOUBTS,  /* the declared type is wrong: go on as if the access was outside of it */
	RULE_KEEPS,   /* STAGE_MEET: the tracked type stands */
	RULE_TAKES,   /* STAGE_MEET: the declared type stands */
};

struct pointer_access;
struct loaded_value;
struct value;

struct rule {
	const char *name;    /* as --no-rule and the listings have it */
	const char *reason;  /* one line: why it is likely to be right */
	const char *example; /* in C, where C can say it */
	uint8_t stage;       /* enum rule_stage */
	uint8_t verdict;     /* enum rule_verdict */
	uint8_t refusal;     /* enum access_reason; RULE_REFUSES */
	/* enum access_trait bits that must all hold; stages of struct pointer_access */
	uint32_t needs;
	union {                                                /* the condition; NULL: RULE_GUARD */
		bool (*access)(struct pointer_access *access); /* STAGE_BEFORE to STAGE_LAST */
		bool (*meet)(const struct value *tracked,
			     const struct value *declared); /* STAGE_MEET */
		bool (*load)(struct loaded_value *load);    /* STAGE_LOAD */
	} applies;
};

/* The table, indexed by enum rule_id. */
extern const struct rule rules[RULE_COUNT];

/* Returns the first rule of a stage. The stage ends before the first rule of the next one. */
enum rule_id rules_first(enum rule_stage stage);

/* Rules that are switched off: an option of the process (--no-rule). It is set before the first
 * function is solved and never changed afterwards. */
extern bool rules_off[RULE_COUNT];

static inline bool rule_is_on(enum rule_id rule)
{
	return !rules_off[rule];
}

/* Returns one short phrase for lists, such as "an access outside the type". */
const char *rule_stage_name(enum rule_stage stage);
/* Returns the name as --no-rule takes it; NULL for RULE_NONE. */
const char *rule_name(enum rule_id rule);
/* Switches off the rules whose names are in a comma-separated list. The error names the first one
 * that is no rule. */
struct error *rules_switch_off(const char *names);
/* Switches all rules on again. */
void rules_switch_on(void);

#endif
