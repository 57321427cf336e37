/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A few lines of source, compiled as a shared object, and what the type engine says of one function in it: so
 * that a test states the code that it means, and asserts types and members, never addresses or registers.
 */
#ifndef DTPROF_TESTS_SNIPPET_H
#define DTPROF_TESTS_SNIPPET_H

#include <stdbool.h>

#include "profiler/base/strbuf.h"
#include "tests/support/btf_writer.h"

struct snippet {
	const char *source;
	const char *language; /* "c" (NULL means that, too), "c++" or "rust" */
	const char *compiler; /* "gcc", "clang" ...; NULL: cc, c++, rustc */
	const char *flags;    /* "-O2 -gdwarf-5"; -g is always there; NULL: -O2; rustc: "-C opt-level=3" */
	const char *function; /* the answers wanted are this one's, and its cold parts' */
	bool no_infer;
	bool fused;  /* as of samples: struct type_resolver_options */
	bool kernel; /* linked as a vmlinux is: at a fixed address, with a section of per-cpu variables */
	const char *per_cpu_start; /* where that begins; NULL: at 0 */
	/* Writes the BTF of the source, which types are then from; NULL: they are from DWARF. */
	void (*btf)(struct btf_writer *writer);
};

/*
 * One line for each memory operand of the function, in order of address: "struct node +8 (key)", "int +0",
 * "(stack operation)",
 * "(unknown): reason"; each followed by a tab and the name of how it was found. Left out: instructions
 * without memory, and push, pop, call, ret. *code gets the text of all its instructions, a line each. False:
 * there is no such compiler. Fails the running test if something does not compile.
 */
bool snippet_answers(const struct snippet *snippet, struct strbuf *answers, struct strbuf *code);

#define EXPECTED 8

/* What a pattern that compilers make must give, with each compiler that is here. */
struct expectation {
	struct snippet snippet;
	bool gcc_only;       /* what another compiler says of it in its debug information is too little */
	const char *code[4]; /* gcc's code must have each of these in its text: the pattern is there */
	const char *found[EXPECTED];     /* each must be among the answers (as the start of a line) */
	const char *forbidden[EXPECTED]; /* none of these may start a line */
};

/* Of C or C++. Fails the running test, or skips it where there is no compiler. */
void snippet_check(const struct expectation *expectation);

/* The answers must have a line that starts as each of `found`, and none that starts as any of `forbidden`;
 * both end with NULL. Fails the running test, or says that it was skipped where there is no such compiler and
 * returns false. */
bool snippet_expect(const struct snippet *snippet, const char *const *found, const char *const *forbidden);
/* The same, of lists that end after `count` or with NULL; false: there is no such compiler, which is not
 * said. */
bool snippet_holds(const struct snippet *snippet, const char *const *found, const char *const *forbidden,
		   size_t count);

#endif
