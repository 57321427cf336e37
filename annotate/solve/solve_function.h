/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Solves one function: decodes it, charges its late samples to instructions (blame.h), and finds
 * the accesses of all samples. Private to annotate/. */
#pragma once

#include "annotate/access.h"
#include "annotate/answer/tag_union.h"
#include "annotate/evidence/distant.h"
#include "annotate/exact/exact.h"
#include "annotate/facts/abi.h"
#include "annotate/solve/type_resolver.h"
#include "disasm/insn.h"
#include "dwarf/debug.h"
#include "base/hash.h"
#include "base/strbuf.h"

struct companion_answers;
struct solver;
struct data_flow;

/* A function with this many bytes of code, or more, is solved before the others. It takes long, and
 * threads without work would wait for it at the end. */
#define LARGE_FUNCTION 8192

/* At most this many accesses are kept for each place that a function wants. */
#define DISTANT_WANTED_MAX 8

/* A place that the function with this entry wants to know (distant.h). */
struct distant_wanted {
	uint64_t function;
	struct distant_place place;
	/* the accesses without an answer; access_count is DISTANT_WANTED_MAX + 1 if there are more
	 */
	struct distant_read accesses[DISTANT_WANTED_MAX];
	uint8_t access_count;
};

/* One thread's tools. A zero-initialized worker is closed. */
struct worker {
	const struct elf_image *image;
	struct debug_reader *reader; /* NULL: no debug information */
	struct decoder *decoder;     /* NULL: not open */
	struct solver *solver;
	struct data_flow *flow;
	/* The answers, if a companion of the object has them: nothing is solved then, and `solver`
	 * and `flow` are NULL. */
	struct companion_answers *answers;
	struct exact_reader exact; /* what the compiler said of the object's accesses */
	const struct static_branches *static_branches;
	struct hash_map named_returns; /* see struct caller (no_return.h) */
	struct hash_map thunks;        /* by address of code: thunk_at()'s register + 1; 0: none */
	bool kernel;                   /* the image is a kernel, or a module of one */
	struct blame_skid skid;        /* of the late samples so far */
	/* places of values without which accesses had no answer, by function */
	struct distant_wanted *wanted;
	size_t wanted_count, wanted_capacity;
	/* accesses to unions whose members are not known, and which may be told by tags */
	struct wanted_union *unions;
	size_t union_count, union_capacity;
	bool want_trace;
	bool fused;         /* as in the options of the type resolver */
	bool check;         /* as in the options of the type resolver */
	uint64_t *bit_work; /* as in struct solver_options */
};

/* Opens the worker for functions of this object; does nothing if it is open. `debug` may be NULL.
 */
void worker_open(struct worker *worker, const struct elf_image *image, struct debug_object *debug,
		 bool no_infer, bool want_trace);
void worker_close(struct worker *worker);

/* An instruction that is asked for. `trace` is filled only if the worker wants it. */
struct access_question {
	uint64_t address;
	bool store;
	bool asked; /* `answer` has been found; only valid while the function is solved */
	/* Not NULL: `address` is that of a call, and the question is what this argument points to.
	 */
	const struct bulk_function *bulk;
	uint8_t argument;
	/* the rule that may answer from distant facts; RULE_NONE: none */
	uint8_t distant;
	uint32_t origin; /* of the address, if there is no answer; 0: it has none */
	uint32_t object; /* the same, if the address is that of a record that has no such field */
	int64_t offset;  /* of the address from the origin's value */
	struct pointer_source source; /* of the argument; see struct type_resolver_call */
	struct access answer;
	/* the answer by the value (shown_record_find()), if no other is found */
	struct access shown;
	struct strbuf trace;
};

struct sampled_part {
	uint64_t samples;
	uint64_t address; /* of the instruction that is charged */
	uint8_t how;      /* enum blame_how */
	bool store;
	uint8_t argument; /* as in struct type_resolver_sample */
	uint8_t distant;  /* as in struct access_question */
	/* not 0: the samples are still to be charged to what returned from this function */
	uint64_t callee;
	struct access answer; /* if `callee` is 0 */
	struct strbuf trace;  /* of the first part with this instruction; empty in the others */
};

/* Samples of one instruction, and the accesses that they are charged to. */
struct sampled {
	struct type_resolver_sample sample;
	struct sampled_part *parts; /* with their traces; the first one is mostly the only one */
	size_t part_count;
	struct sampled_part first; /* parts[0], if there are no others */
};

/* A function that has been read. */
struct open_function {
	struct function *function; /* NULL: the debug information has none */
	struct cfg *code;          /* NULL: none that could be solved, for the reason in `none` */
	struct access none;
	struct arena arena; /* of what both use */
};

/* Prepares the worker's solver for the function at `address`. Reads and decodes it, unless *open
 * has it from the last time; at first *open is zero. Afterwards call
 * worker_leave_function(). */
void worker_open_function(struct worker *worker, uint64_t address, struct open_function *open);
/* The solver is done with the function, which may be opened again. */
void worker_leave_function(struct worker *worker, const struct open_function *open);
void open_function_deinit(struct open_function *open);

/* Fills in the parts of samples in one function, which *open is or becomes. They are sorted by
 * address and all in the code that holds the first of them. */
void solve_function_answer(struct worker *worker, struct open_function *open,
			   struct sampled *sampled, size_t count);
/* Fills in the parts of samples in a function that is not solved: it is too large. */
void solve_function_refuse(struct sampled *sampled, size_t count);
/* Fills in the parts of samples that were taken right after a return of the function at *returned's
 * address. `sampled` are the function's own samples, sorted. *returned has no parts if nothing is
 * known of it. */
void solve_function_returned(struct worker *worker, struct open_function *open,
			     const struct sampled *sampled, size_t count, struct sampled *returned);
/* Answers again where there was no answer, with the facts of other functions. */
void solve_function_again(struct worker *worker, struct open_function *open,
			  struct sampled *sampled, size_t count, const struct distant_facts *facts);
/* Adds the evidence of the function at an address on the places that are in `facts`. */
void solve_function_evidence(struct worker *worker, struct open_function *open, uint64_t address,
			     const struct distant_facts *facts, struct distant_evidence_list *list);
/* Answers for `count` calls in the function that has the first one. They are sorted by address.
 * With `jumps`, all addresses are the function's entry, and the answers are for its one jump to a
 * bulk memory function (a tail call). */
void solve_function_calls(struct worker *worker, struct type_resolver_call *calls, size_t count,
			  bool jumps);
void sampled_deinit(struct sampled *sampled);

/* Concludes what a pointer loaded from a union points to, by the evidence for the member that is
 * loaded, where the accesses through it do not tell. True if something new was concluded. */
bool union_loads_tell(struct worker *worker);

/* Answers all questions about the function that was opened. They are sorted. */
void worker_find_answers(struct worker *worker, struct access_question *questions, size_t count);
