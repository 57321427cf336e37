/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A test of the type engine as a source file: what it compiles, and the answers that stand beside
 * the accesses. tests/README.md describes the form.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum case_language {
	CASE_C,
	CASE_CXX,
	CASE_RUST,
	CASE_ASSEMBLY,
};

/* One compiler with its flags, and the engine's options: a word of a `// RUN:` line. */
struct case_run {
	char *name; /* of `// RUN name:`, else NULL */
	char *compiler;
	char *flags;    /* for the compiler */
	char *no_rules; /* rules that are switched off, with commas; NULL: none */
	bool no_infer;
	bool fused; /* asks only at conditional jumps, as for samples there */
};

/* An answer as a case states it: "struct node +8 (key) [inferred]". */
struct case_answer {
	char *text;  /* "struct node +8 (key)"; "none" for an access of unknown type */
	bool prefix; /* it ended in "...": answers may be longer */
	/* "inferred, rule misfit": the answer must have all of these; NULL: it may have any */
	char *marks;
	char *source; /* the expectation as it is in the source */
};

/* EXPECT and MAY: `required` answers must be given, others may. */
struct case_expectation {
	unsigned int line; /* of the access; 0: any access of function `function` */
	char *label;       /* the runs that it is about: a run's name or compiler; NULL: all */
	char *function;    /* EXPECT-IN; else NULL */
	bool required;
	struct case_answer answer;
};

struct case_file {
	char *path;
	char *name;  /* the path's last part */
	char *about; /* the sentence after `// CASE:` */
	enum case_language language;
	bool kernel;         /* linked as a vmlinux is */
	bool fixed;          /* linked as an executable that is not position-independent */
	char *per_cpu_start; /* the address of its section of per-cpu variables; NULL: 0 */
	bool btf;            /* the engine reads BTF, which is made from the DWARF as pahole does */
	char **unprototyped; /* functions that the BTF leaves out */
	size_t unprototyped_count;
	struct case_run *runs;
	size_t run_count;
	struct case_expectation *expectations;
	size_t expectation_count;
	/* texts that gcc's code must contain, or else the case does not show what it is about */
	char **code;
	size_t code_count;
	char **forbidden; /* no answer in a tested function may begin with one of these */
	size_t forbidden_count;
	char **rules; /* names of rules of the engine; the case fails without each of them */
	size_t rule_count;
	char *since; /* "rustc 1.95": older ones lay types out in another way; NULL: any will do */
	char **before; /* "gcc 16": this version and newer ones write other code */
	size_t before_count;
	char **lines; /* the text, without newlines */
	size_t line_count;
};

/* Reads a case. Returns NULL, or what is wrong as "PATH:LINE: message", to be freed by the caller;
 * case_file_deinit() frees the case in both events. */
char *case_file_read(const char *path, struct case_file *file);
void case_file_deinit(struct case_file *file);

/* Returns whether an expectation is about the run. Expectations with the run's name as label
 * replace the others of the line; those with its compiler as label are added to them. */
bool case_expectation_holds(const struct case_file *file,
			    const struct case_expectation *expectation, const struct case_run *run);

/* Returns the part of a line before its comment. *length is without white space at the end. */
const char *case_line_code(const char *line, size_t *length);
