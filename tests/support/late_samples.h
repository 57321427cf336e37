/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Checks which accesses samples are charged to, in a program made of one source file
 * (tests/annotate/late). Instructions are named by what they access or do, so that a test does not
 * depend on their addresses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/solve/type_resolver.h"

/* An instruction: the first one of the function that meets all conditions here. */
struct late_spot {
	const char *function; /* NULL: "f" */
	const char
		*access; /* "struct node.key", "(stack spill)", as struct late_charge; NULL: any */
	uint8_t operation;  /* enum operation; 0: any */
	uint8_t own_time;   /* enum own_time; 0: any */
	bool target;        /* then: the target of the first branch from there on */
	unsigned int after; /* then: this many instructions farther on */
};

struct late_given {
	struct late_spot spot;
	uint64_t samples;
	bool exact; /* not late */
};

#define LATE_ANY_HOW BLAME_HOW_COUNT

struct late_charge {
	size_t of;        /* index in `given` */
	const char *what; /* type and members, or the text of access_type_name() for others */
	uint64_t samples; /* of all such charges */
	uint8_t how;      /* enum blame_how, or LATE_ANY_HOW */
};

#define LATE_MAX 8

struct late_case {
	const char *source; /* a file of tests/annotate/late, without ".c", with a function f */
	const char *flags;  /* NULL: -O2 */
	struct late_given given[LATE_MAX];     /* up to the first without samples */
	struct late_charge expected[LATE_MAX]; /* up to the first without `what` */
};

/*
 * Checks the case with gcc and with clang. Skips the running test if neither is installed. Also
 * checks that the charges of the given samples add up to these.
 */
void late_samples_check(const struct late_case *test);
/* The tear-down of a cmocka group: removes what was compiled last. */
int late_samples_tear_down(void **state);
