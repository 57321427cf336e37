/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiles a case as one of its runs says, and asks the engine for the answer to each of its
 * accesses. */
#pragma once

#include "annotate/access.h"
#include "base/strbuf.h"
#include "tests/support/case_file.h"

struct case_found {
	/* of the case; 0: not known. In an inlined function, a line of its body if that is in the
	 * case, else the line of the call */
	unsigned int line;
	size_t function; /* index of the function; its parts (.cold, .isra.0) have its index */
	char *text;      /* "struct node +8 (key)", "(unknown): the reason", "(stack spill)" */
	char *insn;      /* the instruction, for messages */
	uint8_t kind;    /* enum access_kind */
	uint8_t how;     /* enum access_how */
	uint8_t rule;    /* enum rule_id */
	uint16_t size;   /* bytes accessed; 0: not fixed */
	bool read, write;
};

struct case_function {
	char *name;
	struct strbuf code; /* the text of its instructions, a line each */
};

struct case_answers {
	struct case_function *functions;
	size_t function_count;
	struct case_found *found; /* in the order of functions and addresses */
	size_t found_count;
};

/* Returns the path of the object that a run is compiled to. Runs with the same compiler, flags and
 * link share it. To be freed by the caller. */
char *case_object_path(const struct case_file *file, const struct case_run *run,
		       const char *folder);

/* Compiles the run. Returns NULL, or the command and what the compiler said, to be freed by the
 * caller. */
char *case_compile(const struct case_file *file, const struct case_run *run, const char *object);

/* The same without the compiler: unpacks what one made elsewhere (kept.h). Returns false if nothing
 * is kept. */
bool case_unpack(const struct case_file *file, const struct case_run *run, const char *object);

/* Asks about all accesses in the object's functions. Fails the running test if it cannot be read.
 */
void case_answers_read(const struct case_file *file, const struct case_run *run, const char *object,
		       struct case_answers *answers);
void case_answers_deinit(struct case_answers *answers);

/* Returns whether the answer is the stated one. */
bool case_answer_matches(const struct case_answer *stated, const struct case_found *found);
