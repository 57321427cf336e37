/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The type resolver: types for the instructions of one object. Each function with an address that
 * was asked for is decoded and solved once, and gives the types of all its memory operands. */
#pragma once

#include "annotate/access.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"
#include "base/error.h"
#include "base/strbuf.h"

struct bulk_function;
struct insn;
struct type_resolver;

struct type_resolver_options {
	bool no_infer; /* leave HOW_INFERRED answers out */
	/* The addresses are those of samples: a conditional jump after a comparison of memory
	 * stands for the comparison, because the processor makes one operation of both
	 * (macro-fusion). perf does the same. */
	bool fused;
	bool check;           /* assert that all states are sound, which takes time: for tests */
	unsigned int threads; /* 0: parallel_default_threads() */
	/* --debug type-profile: if not NULL, gets the trace of each address that was asked for or
	 * charged, in order of address, from the calling thread. `text` is whole lines. Only one
	 * thread works then. */
	void (*trace)(void *data, uint64_t address, const char *text);
	void *trace_data;
	/* If not NULL, called by some thread with the addresses that were asked for, before any
	 * code is read: it may change the code (the kernel's alternatives). */
	void (*apply_alternatives)(void *data, const uint64_t *addresses, size_t count);
	void *apply_alternatives_data;
};

/* The instruction whose memory access a sample was charged to. */
enum blame_how {
	BLAME_AT,      /* the sampled instruction's own */
	BLAME_BEFORE,  /* that of an instruction retired before it in its block */
	BLAME_OPERAND, /* the load that it, or what retired before it, had to wait for */
	/* that of an instruction retired in a block, or a function, before its own */
	BLAME_PREDECESSOR,
	BLAME_NOTHING, /* none: no access was waited for */
	BLAME_HOW_COUNT,
};

/* Returns "at", "before" and so on, as the key `blame` shows them. */
const char *blame_how_name(enum blame_how how);

/*
 * True if the kernel's function of this name does nothing but enable interrupts: late samples in it
 * were held back. With `unlocks`, also for functions that release a lock first; most of their
 * samples were.
 */
bool blame_enables_interrupts(const char *function, bool unlocks);

/* Samples of one instruction. */
struct type_resolver_sample {
	uint64_t address;
	uint64_t samples;
	bool store; /* chooses between two memory operands of the instruction */
	/* taken by an interrupt: they are charged to what was waited for (Documentation/blame.md)
	 */
	bool late;
	/* late: address of the branch that led there, or one of the two below */
	uint64_t came_from;
	/* not 0: the address is that of a call or jump, and the answer is what the argument of this
	 * number, from 1 on, points to */
	uint8_t argument;
};

#define TYPE_RESOLVER_CAME_UNKNOWN 0
#define TYPE_RESOLVER_CAME_THROUGH UINT64_MAX /* no branch: the instruction before it ran */

/* Samples with the access that they are charged to: access.address, which may be in another
 * function. */
struct type_resolver_charge {
	size_t sample; /* index in samples[] */
	uint64_t samples;
	struct access access;
	bool store;
	uint8_t how; /* enum blame_how */
};

/* How far an event skids: late samples after loads, in a straight line up to the next load. */
struct blame_skid {
	uint64_t next;    /* at the next instruction */
	uint64_t further; /* at the seven instructions after that */
};

struct type_resolver_charges {
	struct type_resolver_charge *items; /* by `sample` */
	size_t count;
	struct blame_skid skid;
};

/* Functions that a call may go to: those in a range of file addresses, or that of a name, which
 * may be in another object; a name with a star is a pattern of fnmatch(3). */
struct type_resolver_callee {
	uint64_t low, high; /* [low, high) */
	const char *name;   /* NULL: the range counts */
	/* `nearest`: it undoes what the others do, so that it counts after the address alone, and
	 * nothing before it counts */
	bool undoes;
};

/* A call, and a question about one of its arguments. */
struct type_resolver_call {
	uint64_t address; /* the return address, */
	bool at_call;     /* or the call's own */
	/* The call that is meant is the one that control comes by last before the call at the
	 * address, or else first after it, in the same function. */
	bool nearest;
	/* A function of the object that was called there may have jumped to the function that is
	 * meant. False: it may as well have called others. */
	bool through;
	bool object; /* the answer has the memory and the variable that the object is, too */
	/* The functions that are meant, and the number of their argument, from 0. NULL: the bulk
	 * memory functions (bulk.h), and the argument that `access` goes to. */
	const struct type_resolver_callee *callees;
	size_t callee_count;
	uint8_t argument;
	/* A call through a pointer whose value is not known here goes to one that is meant. */
	bool indirect;
	/* in: the access in the bulk memory function. Out: of kind ACCESS_TYPE, what the argument
	 * points to; of kind ACCESS_BULK, that is not known; otherwise another function is called,
	 * or none */
	struct access access;
	/* out, with `callees`: of the pointer that the argument is, or was computed from */
	struct pointer_source source;
	const char *callee; /* out: the (standard) name of the function; NULL: none */
	uint64_t called;    /* out, without a callee: the function that was called; 0: none */
	bool forwards;      /* out: it is a jump to one that is meant, and nothing else */
};

/* `image` and `debug` (NULL: no debug information, and everything is unknown for that reason) stay
 * the caller's and must outlive the resolver. */
struct error *type_resolver_create(const struct elf_image *image, struct debug_object *debug,
				   const struct type_resolver_options *options,
				   struct type_resolver **result);
void type_resolver_destroy(struct type_resolver *resolver);

/* Answers for `count` addresses of instructions, in their order, duplicates allowed, into
 * results[]. `stores`, if not NULL, says of each address whether the sample was a store: it chooses
 * between two memory operands of one instruction. */
void type_resolver_resolve(struct type_resolver *resolver, const uint64_t *addresses,
			   const bool *stores, size_t count, struct access *results);

/* Returns whether the image is a kernel, or a module of one. */
bool type_resolver_is_kernel(const struct elf_image *image);
/* Returns the bulk memory function that a call or jump goes to; NULL: it goes to none. */
const struct bulk_function *type_resolver_bulk(const struct elf_image *image,
					       const struct insn *insn, bool kernel);

/* The same for samples; each sample is in exactly one charge. Samples that are not late have one
 * charge: that of their own instruction (or, with `fused`, of the comparison before it), for each
 * address once with each value of `late` and `store`. charges->items must be freed. */
void type_resolver_charge(struct type_resolver *resolver,
			  const struct type_resolver_sample *samples, size_t count,
			  struct type_resolver_charges *charges);

/* Answers for `count` calls in the object. */
void type_resolver_calls(struct type_resolver *resolver, struct type_resolver_call *calls,
			 size_t count);
