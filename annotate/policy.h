/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The languages in which each rule is believed, as one table (policy.c). */
#ifndef DTPROF_ANNOTATE_POLICY_H
#define DTPROF_ANNOTATE_POLICY_H

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

/* Returns the language of a function, which may be NULL. */
static inline unsigned int policy_language(const struct function *function, bool kernel)
{
	if (kernel)
		return IN_KERNEL;
	switch (function ? function->language : LANGUAGE_OTHER) {
	case LANGUAGE_C: return IN_C;
	case LANGUAGE_CXX: return IN_CXX;
	case LANGUAGE_RUST: return IN_RUST;
	case LANGUAGE_GO: return IN_GO;
	default: return IN_OTHER;
	}
}

/* True if the rule is switched on, and is believed in this language. */
static inline bool rule_is_in(enum rule_id rule, unsigned int language)
{
	return rule_is_on(rule) && (!rule_languages[rule] || rule_languages[rule] & language);
}

#endif
