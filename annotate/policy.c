// SPDX-License-Identifier: GPL-2.0-or-later
/* The policy: in which languages the rules are believed. See policy.h. */
#include "annotate/policy.h"

const uint8_t rule_languages[RULE_COUNT] = {
	[RULE_RUST_VECTOR] = IN_RUST,
	/* the code may be a part of a function that the debug information does not have */
	[RULE_CONTAINER_NODE] = IN_CXX | IN_OTHER,
	[RULE_ONE_WORD_RECORD] = IN_C,
	[RULE_SHOWN_RECORD] = IN_C,
	[RULE_INNER_NODE] = IN_RUST | IN_OTHER,
	[RULE_MOVED_VALUE] = IN_RUST,
	[RULE_HEADER_BEFORE] = IN_C,
	[RULE_FOLDED_ADDRESS] = IN_C,
	[RULE_SUM_PAST_BYTES] = IN_C | IN_CXX,
	[RULE_MADE_IN_PLACE] = IN_CXX,
	[RULE_TAIL_QUEUE] = IN_C,
	[RULE_UNKNOWN_OFFSET] = IN_C | IN_KERNEL,
	[RULE_DESCRIBED_ELEMENT] = IN_OTHER,
	[RULE_INDEXED_RECORD] = IN_C,
	[RULE_WIDE_BYTE] = IN_C | IN_CXX,
	[RULE_UNIT_RECORD] = IN_C | IN_CXX,
	[RULE_FURTHER_ELEMENT] = IN_C,
	[RULE_REPEATED_HEAD] = IN_C,
	[RULE_VALUE_CAST] = IN_C,
	/* A kernel's units have the types of all their headers, and only cast to most of them.
	 * Reading them would take a quarter of a report's time. */
	[RULE_WORD_OF_BYTES] = (uint8_t)~IN_KERNEL,
	[RULE_BYTE_OF_PLACE] = (uint8_t)~IN_KERNEL,
	[RULE_CAST_DOWN] = (uint8_t)~IN_KERNEL,
	[RULE_SLICE_ELEMENT] = IN_GO,
	[RULE_CAPTURED_VARIABLE] = IN_GO,
};

const uint8_t fact_languages[FACT_COUNT] = {
	[FACT_SELVES] = IN_CXX,
	[FACT_TEMPORARIES] = IN_CXX,
	[FACT_ADDRESSED_NUMBERS] = IN_C | IN_CXX | IN_KERNEL,
	[FACT_REUSED_PLACES] = IN_CXX | IN_GO,
	[FACT_SHARED_PLACES] = IN_RUST,
	[FACT_NAMELESS_OBJECTS] = IN_RUST | IN_CXX,
	[FACT_VARIANTS] = IN_RUST,
	[FACT_SCOPED_LOCATIONS] = IN_GO,
	[FACT_SPILLED_ARGUMENTS] = IN_GO,
	[FACT_FIRST_MEMBERS] = IN_C,
	[FACT_FEW_RECORDS] = IN_C,
	[FACT_UNTRACKED] = IN_C | IN_CXX,
	[FACT_RECORDS_AROUND] = IN_CXX,
	[FACT_MANGLED] = IN_CXX,
	[FACT_VIRTUAL] = IN_CXX,
	[FACT_MERGED_FUNCTIONS] = IN_C | IN_CXX,
	[FACT_CONSTANT_OBJECTS] = IN_RUST,
	[FACT_GO_CONVENTION] = IN_GO,
	[FACT_RUST_CONVENTION] = IN_RUST,
};
