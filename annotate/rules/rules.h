/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of the type engine: every guess that goes beyond what the debug information says, as
 * one ordered table (rules.c). Documentation/measurements.md has what each rule is worth.
 *
 * To add a rule:
 *
 *  1. Write the case into tests/annotate/ and see it fail.
 *  2. Add an identifier to enum rule_id (annotate/rule.h). Its place in the enum is its place in
 * the order: the stages run from top to bottom, and within a stage the first rule that applies
 * decides.
 *  3. Add the row to the table in rules.c: name, reason, example in C, what must hold (`needs`),
 * the function that adds candidates, which of their fits are believed (`fits`), and what follows
 * (`verdict`). If it holds in some languages only, these are in the table of policy.c. The function
 * goes beside the others of its stage (declared.c, outside.c, answers.c, values.c, or
 * the file that runs the stage). Evidence about values has no function: it is given to
 * origins_use_by() in the name of the rule.
 *  4. Measure it on whole programs, once as it is and once with --no-rule=NAME. A rule that does
 * not gain clearly more right answers than wrong ones does not stay.
 */
#pragma once

#include <stdint.h>

#include "annotate/rule.h"
#include "base/error.h"

/* The point of the engine at which a rule is tried, and the file that does so. The stages of an
 * access run in this order. */
enum rule_stage {
	STAGE_BASE,     /* the value of a memory operand's registers (address.c) */
	STAGE_MEET,     /* the declared type of a register meets the tracked one (meet.c) */
	STAGE_LOAD,     /* the value that a load gives (values.c) */
	STAGE_USE,      /* what values are used as, all over a function (infer.c) */
	STAGE_BEFORE,   /* an access through a pointer, before its type is looked at */
	STAGE_DECLARED, /* the type of the pointer has room for the access */
	STAGE_INDEXED,  /* it has none, and the address has an index in it */
	STAGE_OUTSIDE,  /* it has none, and the offset is a constant */
	STAGE_LAST,     /* a field was found by one of the stages above */
	STAGE_ANSWER,   /* the answer for one instruction (answer.c) */
	STAGE_COUNT,
};

/* The consequence if a rule applies. */
enum rule_verdict {
	RULE_EVIDENCE, /* it names evidence; STAGE_MEET: no rule applies */
	RULE_ANSWERS,  /* the answer is chosen among the candidates of the rule */
	RULE_INFERS,   /* the same, and it is marked as inferred */
	RULE_REFUSES,  /* there is no answer, for the reason `refusal` */
	RULE_DOUBTS,   /* the declared type is wrong: go on as if the access was outside of it */
	RULE_KEEPS,    /* STAGE_MEET: the tracked type stands */
	RULE_TAKES,    /* STAGE_MEET: the declared type stands */
};

struct answer_query;
struct pointer_access;
struct loaded_value;
struct value;

/* The functions of rules: each adds candidates, or says whether the rule applies. */
typedef void rule_source(struct pointer_access *access);
typedef bool rule_access(struct pointer_access *access); /* it refuses, or doubts */
typedef bool rule_meet(const struct value *tracked, const struct value *declared);
typedef bool rule_load(struct loaded_value *load);
typedef void rule_answer(struct answer_query *query);
typedef bool rule_refusal(const struct answer_query *query); /* of all candidates */

struct rule {
	const char *name;    /* as --no-rule and the listings have it */
	const char *reason;  /* one line: why it is likely to be right */
	const char *example; /* in C, where C can say it */
	uint8_t stage;       /* enum rule_stage */
	uint8_t verdict;     /* enum rule_verdict */
	uint8_t refusal;     /* enum access_reason; RULE_REFUSES, or of candidates that differ */
	bool contradicted;   /* no answer if it is a pointer, and one to another record is moved */
	uint32_t fits;       /* those of its candidates that are believed; 0: all */
	/* enum access_trait bits that must all hold; STAGE_ANSWER: enum answer_situation;
	 * STAGE_LOAD: LOAD_BYTES */
	uint32_t needs;
	union { /* the condition; NULL: RULE_EVIDENCE */
		rule_access *access;
		rule_source *source;
		rule_meet *meet;       /* STAGE_MEET */
		rule_load *load;       /* STAGE_LOAD */
		rule_answer *answer;   /* STAGE_ANSWER */
		rule_refusal *refuses; /* the same */
	} applies;
};

/* The table, indexed by enum rule_id. */
extern const struct rule rules[RULE_COUNT];

/* Returns the first rule of a stage. The stage ends before the first rule of the next one. */
enum rule_id rules_first(enum rule_stage stage);

/* Returns one short phrase for lists, such as "an access outside the type". */
const char *rule_stage_name(enum rule_stage stage);
/* Returns the name as --no-rule takes it; NULL for RULE_NONE. */
const char *rule_name(enum rule_id rule);
/* Switches off the rules whose names are in a comma-separated list. The error names the first one
 * that is no rule. */
struct error *rules_switch_off(const char *names);
