// SPDX-License-Identifier: GPL-2.0-or-later
/* The policy: in which languages the rules are believed. See policy.h. */
#include "annotate/policy.h"

const uint8_t rule_languages[RULE_COUNT] = {
	[RULE_UNKNOWN_OFFSET] = IN_C | IN_KERNEL,
	[RULE_INDEXED_RECORD] = IN_C,
	[RULE_SIBLING_CLASS] = IN_CXX,
	[RULE_WIDE_BYTE] = IN_CXX,
	[RULE_ENCLOSING_IN_SCOPE] = IN_C | IN_KERNEL,
	[RULE_UNIT_RECORD] = IN_C,
	[RULE_FURTHER_ELEMENT] = IN_C,
	[RULE_REPEATED_HEAD] = IN_C,
	/* A kernel's units have the types of all their headers, and only cast to most of them.
	 * Reading them would take a quarter of a report's time. */
	[RULE_WORD_OF_BYTES] = (uint8_t)~IN_KERNEL,
	[RULE_BYTE_OF_PLACE] = (uint8_t)~IN_KERNEL,
	[RULE_CAST_DOWN] = (uint8_t)~IN_KERNEL,
	/* the bytes after a record of a kernel or of C++ mostly belong to a larger one around it */
	[RULE_OLD_FLEXIBLE_ARRAY] = IN_C | IN_RUST | IN_GO | IN_OTHER,
	[RULE_SLICE_ELEMENT] = IN_GO,
	[RULE_METHOD_TABLE] = IN_GO,
};
