/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function being solved: the state that the rooms of annotate/ share. Each has a header of its
 * own for what it does with it. Private to annotate/.
 */
#pragma once

#include "annotate/access.h"
#include "annotate/code/spill_slots.h"
#include "annotate/cxx/call_objects.h"
#include "annotate/cxx/table_places.h"
#include "annotate/evidence/alternatives.h"
#include "annotate/evidence/distant.h"
#include "annotate/evidence/tags.h"
#include "annotate/evidence/uses.h"
#include "annotate/facts/abi.h"
#include "annotate/facts/facts.h"
#include "annotate/facts/lives.h"
#include "annotate/facts/schedule.h"
#include "annotate/facts/scope_types.h"
#include "annotate/policy.h"
#include "annotate/types/field.h"
#include "annotate/types/union_member.h"
#include "annotate/values/origins.h"
#include "annotate/values/value.h"
#include "disasm/cfg.h"
#include "disasm/copies.h"
#include "disasm/liveness.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"

/* A thunk: compiler-made code that moves `this` and jumps to a virtual function. It has no DIE, or
 * one without parameters. */
struct method_thunk {
	const struct prototype *prototype; /* of that function; NULL: the code is no thunk */
	int64_t self;     /* at the entry, `this` points this many bytes into the object */
	bool self_varies; /* `self` is not known */
};

/* Stack memory whose address was given away: a call may change it. */
struct escape {
	uint8_t frame;
	int64_t low;
	int64_t high;
	bool unnamed; /* it belongs to no variable, so its end is not known */
};

/* The value that an instruction loaded the last time. A block is walked until nothing changes, and
 * mostly the same is loaded again. */
struct load_cache {
	struct value address;
	struct value result;
	uint64_t round; /* struct solver's, at that time: the entry is valid in this round only */
	uint64_t size;
};

/* The callee of an instruction, whatever the state. */
struct call_cache {
	const struct prototype *prototype; /* NULL: not known, or known by the state alone */
	uint64_t target;                   /* 0: not a direct call */
	const struct bulk_function *bulk;  /* NULL: it is no bulk memory function */
	uint64_t round;     /* struct solver's, at that time: the entry is valid for the function */
	bool clone;         /* its parameters are not the declared ones */
	bool returns_first; /* it returns its first argument */
	bool has_length;    /* the third argument is the length of the memory at the others */
	bool thread_local_address; /* it returns the address of the thread-local variable that its
				    * first argument names */
	/* the address of the descriptor of the thread-local variable whose distance from the thread
	 * pointer the call returns; 0: it is another call */
	int64_t descriptor;
	uint64_t clobbered; /* registers that the call may change */
	/* its convention is not the ABI's: it changes no other register, and only memory that it is
	 * given */
	bool own_convention;
	bool by_state; /* it is called through a pointer */
	/* it may give memory for the variables that AddressSanitizer watches, instead of that on
	 * the stack */
	bool watched_frame;
};

/* The virtual tables of libraries that a function uses (virtual_table.h). Their names belong to the
 * image. To be freed. */
struct imported_tables {
	struct symbol *items; /* with made-up addresses */
	size_t count, capacity;
};

/* The most iterators of maps whose pointers outlive calls; functions have few. */
#define GO_ITERATORS_MAX 16

/* A place on the stack that holds the address of another one, both as distances from the CFA. */
struct go_link {
	int64_t place, target;
};

/* The most links that are kept for a function. */
#define GO_LINKS_MAX 32

/* The place of an iterator of a map (go.h). */
struct go_iterator {
	int64_t offset; /* from the base `frame` */
	uint8_t frame;
};

/* The results of the returns of a function that were seen so far (rust_note_return()). */
enum returned {
	RETURNS_NOTHING,        /* no return was seen */
	RETURNS_FIRST_ARGUMENT, /* all return what the first register had at the entry */
	RETURNS_ANYTHING,
};

/* The same for all functions of the object. */
struct solver_options {
	bool infer;
	bool kernel;         /* the object is a kernel, or a module of one */
	bool check;          /* assert that all states are sound */
	bool image_is_fixed; /* addresses in the code are absolute numbers (ET_EXEC) */
	uint64_t *bit_work;  /* of all functions of the object, see used_bits(); NULL: no limit */
};

/* Answers that are kept, because they are asked for again. */
struct solver_caches {
	struct field_cache *fields;
	struct known_global *globals;          /* fixed_object.c; NULL: none so far */
	struct named_objects *named;           /* of the function; fixed_object.c; NULL as above */
	struct scope_types *scope_types;       /* of the function; built when it is first needed */
	struct variant_search *variant_search; /* variants.h; NULL: not needed so far */
	struct believed_rules *believed;       /* stages.h */
};

/* The stack frame of the function. */
struct solver_frame {
	const struct frame_row *rows;
	size_t row_count;
	struct escape *escapes;
	uint32_t escape_count, escape_capacity;
};

/* Tables by instruction and by block. */
struct solver_tables {
	struct load_cache *loads;
	struct call_cache *calls;
	size_t insn_capacity; /* of the two above */
	/* The block that an exception out of this call, or this static branch, continues at; 0:
	 * none. NULL: no instruction has one. */
	uint32_t *extra_edges;
	struct state *entries; /* a block's entry state, by block */
	size_t block_capacity;
	struct schedule schedule; /* of the facts */
};

/* The pass over the function that is made now. */
struct solver_pass {
	/* the work on this function so far: about one for each instruction that is walked over; and
	 * for the bits of operands (used_bits()) */
	uint64_t work, bit_work;
	uint64_t round;       /* counts each time that any function was solved */
	uint64_t first_round; /* the first round of this function */
	uint32_t current;     /* the instruction that is looked at */
	bool goes_back;       /* flow_push_edge(): the edge leads to code before it, as in loops */
	bool gather;          /* in the pass after the fixed point that gathers uses */
	bool wants_calls;     /* an answer needs evidence.call_objects: gather, and solve again */
	bool gathered;        /* uses have been gathered, so evidence.call_objects is complete */
	/* solving again would teach nothing more, so the types in scope may be used */
	bool last_resort;
	/* evidence for other functions is being collected: the use of one of a union's pointers
	 * then counts only if something is declared as that type */
	bool collecting;
	uint8_t returns; /* enum returned, in the pass that gathers uses */
};

/* Evidence: uses of values, all over the function. */
struct solver_evidence {
	struct alternative_list alternatives; /* pointers out of unions */
	struct object_uses objects;           /* objects that nothing declares */
	struct call_objects call_objects;     /* objects whose addresses calls get */
	/* records whose pointers move by their size, so that p[-1] and p[2] may be meant */
	const struct type **walked;
	uint32_t walked_count, walked_capacity;
	/* something wider than a byte is read before a byte (rule text-header) */
	bool casts_headers;
	bool casts_bytes; /* something wider is read through a pointer to bytes */
};

/* The places of values and objects, as the code of the function shows. */
struct solver_places {
	struct lives lives;             /* when variables of C++ are made */
	struct liveness kept;           /* what the blocks read, after calls that keep registers */
	uint64_t kept_round;            /* first_round for the function whose blocks these are */
	struct spill_slots spill_slots; /* places to which registers are spilled */
	struct table_places table_places;       /* objects with virtual tables */
	struct imported_tables imported_tables; /* virtual tables of libraries */
};

/* The places and tests that Go's compiler makes. */
struct solver_go {
	int64_t passed_end; /* the bytes above the stack pointer in which calls pass arguments; 0:
			     * not computed yet */
	struct code_copies copies;          /* nothing is allocated: not found yet */
	struct go_link links[GO_LINKS_MAX]; /* the frame's addresses of its own places */
	size_t link_count;
	struct go_iterator iterators[GO_ITERATORS_MAX];
	size_t iterator_count;
};

/* How the last answer was found. */
struct solver_result {
	/* the origin of the address, where the last answer was not found; 0: it has none */
	uint32_t unanswered;
	int64_t unanswered_offset; /* of that address from the origin's value */
	/* the same, of a pointer to a record that has no field where the access goes */
	uint32_t unanswered_object;
	bool wants_calls; /* pass.wants_calls, for this answer */
	uint8_t rule;     /* enum rule_id that decided last; RULE_NONE where an answer begins */
	/* a bit for each rule about values that applied since the trace cleared this */
	uint64_t fired;
	struct strbuf *trace;      /* --debug: text about the last pass; NULL: none is wanted */
	struct strbuf *candidates; /* the same about the candidates for the last address */
};

struct solver {
	/* the object */
	const struct arch *arch; /* of the code */
	const struct elf_image *image;
	struct debug_reader *reader;         /* NULL: no debug information */
	const struct distant_facts *distant; /* NULL: none are known yet */
	struct solver_options options;
	struct solver_caches caches;
	/* the function */
	const struct abi *abi;
	const struct function *function; /* NULL: none for this code */
	const struct cfg *code;
	struct facts facts; /* empty without a function */
	struct method_thunk thunk;
	struct solver_frame frame;
	/* its solution */
	struct solver_pass pass;
	struct solver_tables tables;
	struct origins origins;
	struct tags tags; /* tests of tags (tags.h) */
	struct solver_evidence evidence;
	struct solver_places places;
	struct solver_go go;
	struct solver_result result;
};

/* ---- solver.c */

/* Makes a solver for functions of the image, with its ABI. `reader` may be NULL. */
void solver_init(struct solver *solver, const struct abi *abi, const struct elf_image *image,
		 struct debug_reader *reader, const struct solver_options *options);
/* Forgets the function, for the next one. Most memory is used again. */
void solver_clear(struct solver *solver);
void solver_deinit(struct solver *solver);
/* Makes room for a function of this many instructions and blocks. */
void solver_tables_reserve(struct solver_tables *tables, size_t insn_count, size_t block_count);
/* Frees the room. */
void solver_tables_deinit(struct solver_tables *tables);

/* ---- queries */

/* A list of types of the function's unit. */
struct unit_type_list {
	const struct type *const *items;
	size_t count;
};

static inline struct unit_type_list solver_unit_types(const struct solver *solver,
						      enum unit_list list)
{
	struct unit_type_list types = { 0 };

	types.items = debug_reader_unit_list(solver->reader, list, solver->code->insns[0].address,
					     &types.count);
	return types;
}

/* True for code that probably was written in assembly. BTF has functions by their symbols, and
 * gives those of assembly no prototype. */
static inline bool solver_is_assembly(const struct solver *solver)
{
	return !solver->function ||
	       (solver->function->arguments_by_abi && !solver->function->prototype);
}

/* True if only prototypes and uses say what values are (BTF). */
static inline bool solver_has_no_variables(const struct solver *solver)
{
	return solver->function && solver->function->arguments_by_abi;
}

/* True if the instruction leaves all values as they are. */
static inline bool solver_passes_over(const struct insn *insn)
{
	switch (insn->operation) {
	case OP_COMPARE:
	case OP_TEST:
	case OP_NOP:
	case OP_JUMP:
	case OP_BRANCH:
	case OP_TRAP: return true;
	default: return false;
	}
}
