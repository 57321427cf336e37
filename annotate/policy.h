/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The languages in which each rule is believed, and in which facts hold, as tables (policy.c). */
#pragma once

#include "annotate/rule.h"
#include "dwarf/types/function.h"

/* The languages that rules tell apart. A kernel is one of its own: it is compiled without strict
 * aliasing, and its units declare thousands of records. */
enum {
	IN_C = 1 << 0,
	IN_KERNEL = 1 << 1,
	IN_CXX = 1 << 2,
	IN_RUST = 1 << 3,
	IN_GO = 1 << 4,
	IN_OTHER = 1 << 5, /* other languages, and code without debug information */
};

/* The set of languages of each rule; 0: all. */
extern const uint8_t rule_languages[RULE_COUNT];

/* Facts about languages and their compilers. */
enum language_fact {
	/* member functions have `this`, and references are not assigned again */
	FACT_SELVES,
	/* objects without a name are on the stack; gcc and clang give one place to several */
	FACT_TEMPORARIES,
	/* the address of a number on the stack is taken if that is a variable or temporary: nothing
	 * has the address of a spill slot */
	FACT_ADDRESSED_NUMBERS,
	/* unnamed objects, or variables, use the same memory one after the other */
	FACT_REUSED_PLACES,
	/* LLVM lets many unnamed objects share one place, so that one use says nothing of others */
	FACT_SHARED_PLACES,
	/* functions pass on the addresses of objects that have no name, and so no known size */
	FACT_NAMELESS_OBJECTS,
	/* a member that overlaps others is told by an enum's variant, and never by a tag beside it
	 */
	FACT_VARIANTS,
	/* the location of a variable holds in its scope alone */
	FACT_SCOPED_LOCATIONS,
	/* each argument has a place of its own in the caller's frame, to which it is spilled */
	FACT_SPILLED_ARGUMENTS,
	/* a pointer to a scalar may be to the first member of any record */
	FACT_FIRST_MEMBERS,
	/* a unit has few records of one size: no templates */
	FACT_FEW_RECORDS,
	/* gcc may give a variable one register for all of a function */
	FACT_UNTRACKED,
	/* a pointer before the elements of an array of scalars is to what is around it */
	FACT_RECORDS_AROUND,
	/* classes have virtual functions and virtual bases */
	FACT_VIRTUAL,
	/* functions of several types may have the same code, which a linker keeps once */
	FACT_MERGED_FUNCTIONS,
	/* LLVM keeps constants of objects in memory without variables */
	FACT_CONSTANT_OBJECTS,
	/* functions get arguments and give results by a convention of the language */
	FACT_GO_CONVENTION,
	FACT_RUST_CONVENTION,
	/* symbols have mangled names */
	FACT_MANGLED,
	FACT_COUNT,
};

/* The set of languages of each fact. */
extern const uint8_t fact_languages[FACT_COUNT];

/* Returns the language of a function, which may be NULL. A kernel is one whatever its C is. */
static inline unsigned int policy_language(const struct function *function, bool kernel)
{
	switch (function ? function->language : LANGUAGE_OTHER) {
	case LANGUAGE_C: return kernel ? IN_KERNEL : IN_C;
	case LANGUAGE_CXX: return IN_CXX;
	case LANGUAGE_RUST: return IN_RUST;
	case LANGUAGE_GO: return IN_GO;
	default: return kernel ? IN_KERNEL : IN_OTHER;
	}
}

/* True if the rule is switched on, and is believed in this language. */
static inline bool rule_is_in(enum rule_id rule, unsigned int language)
{
	return rule_is_on(rule) && (!rule_languages[rule] || rule_languages[rule] & language);
}

/* True if the fact holds for the language of a function, which may be NULL. */
static inline bool language_has(const struct function *function, enum language_fact fact)
{
	return fact_languages[fact] & policy_language(function, false);
}
