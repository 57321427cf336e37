/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function being solved: what the parts of the solver share. Private to annotate/.
 *
 *     solve_function.c  one function, from bytes to answers
 *     flow.c            the fixed point over the blocks, and the join where paths meet
 *     transfer.c        what one instruction does to a state: loads, stores, computations
 *     address.c         the address of a memory operand
 *     meet.c            where a declared value meets the tracked one
 *     callee.c, call.c  what a call calls, and what it changes
 *     stack.c           objects in stack memory
 *     infer.c           what values are used as
 *     contents.c        what memory holds that nothing declares
 *     rules/            the guesses, as one table, and the code that runs its stages
 *     overlays.c        records in the bytes, or in a union, of another record
 *     answer.c          the access of one instruction, from the state before it
 *     trace.c           how an answer was found, for --debug type-profile
 */
#ifndef DTPROF_ANNOTATE_FLOW_SOLVER_H
#define DTPROF_ANNOTATE_FLOW_SOLVER_H

#include "annotate/access.h"
#include "annotate/code/spill_slots.h"
#include "annotate/cxx/call_objects.h"
#include "annotate/cxx/table_places.h"
#include "annotate/evidence/alternatives.h"
#include "annotate/evidence/contents.h"
#include "annotate/evidence/distant.h"
#include "annotate/evidence/tags.h"
#include "annotate/evidence/uses.h"
#include "annotate/facts/abi.h"
#include "annotate/facts/facts.h"
#include "annotate/facts/initializers.h"
#include "annotate/facts/kept.h"
#include "annotate/facts/lives.h"
#include "annotate/facts/schedule.h"
#include "annotate/facts/scope_types.h"
#include "annotate/rule.h"
#include "annotate/types/field.h"
#include "annotate/types/union_member.h"
#include "annotate/values/origins.h"
#include "annotate/values/value.h"
#include "disasm/cfg.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"

/* A thunk: compiler-made code that moves `this` and jumps to a virtual function. It has no DIE.
 */
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
	uint64_t round;     /* struct solver's, at that time: the entry is valid for the function */
	bool clone;         /* its parameters are not the declared ones */
	bool returns_first; /* it returns its first argument */
	bool thread_local_address; /* it returns the address of the thread-local variable that its
				    * first argument names */
	bool makes_frame;          /* sanitizer_makes_frame() */
	uint64_t clobbered;        /* registers that the call may change */
	/* its convention is not the ABI's: it changes no other register, and only memory that it is
	 * given */
	bool own_convention;
	bool by_state; /* it is called through a pointer */
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

/* The most tests of interfaces in memory that are noted for a function. */
#define GO_TESTS_MAX 256

/* An interface whose first word is tested in memory (go.h). */
struct go_test {
	uint32_t block;       /* runs only if the word is that of the type */
	uint32_t insn;        /* reads the word */
	struct value address; /* of the second word */
	struct value data;    /* the second word's value in `block` */
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
};

/* Answers that are kept, because they are asked for again. */
struct solver_caches {
	struct field_cache *fields;
	struct known_global *globals;            /* fixed_object.c; NULL: none so far */
	struct initialized_members initializers; /* of the object */
	struct scope_types *scope_types;       /* of the function; built when it is first needed */
	struct variant_search *variant_search; /* variants.h; NULL: not needed so far */
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
	bool gather;          /* in the pass after the fixed point that gathers uses */
	bool gathered;        /* uses have been gathered, so evidence.call_objects is complete */
	bool wants_calls;     /* an answer needs evidence.call_objects: gather, and solve again */
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
	struct untyped_accesses untyped;      /* accesses to memory of no known type */
	/* records whose pointers move by their size, so that p[-1] and p[2] may be meant */
	const struct type **walked;
	uint32_t walked_count, walked_capacity;
	/* something wider than a byte is read before a byte (rule text-header) */
	bool casts_headers;
	bool casts_bytes; /* something wider is read through a pointer to bytes */
	struct word_records words;
};

/* The places of values and objects, as the code of the function shows. */
struct solver_places {
	struct lives lives;                     /* when variables of C++ are made */
	struct kept kept;                       /* registers that calls keep */
	struct spill_slots spill_slots;         /* places to which registers are spilled */
	struct table_places table_places;       /* objects with virtual tables */
	struct imported_tables imported_tables; /* virtual tables of libraries */
};

/* The places and tests that Go's compiler makes. */
struct solver_go {
	const struct type *goroutine; /* what the runtime's register points to, when it is known */
	bool goroutine_searched;
	int64_t passed_end; /* the bytes above the stack pointer in which calls pass arguments; 0:
			     * not computed yet */
	struct go_link links[GO_LINKS_MAX]; /* the frame's addresses of its own places */
	size_t link_count;
	struct go_iterator iterators[GO_ITERATORS_MAX];
	size_t iterator_count;
	struct go_test *tests; /* room for GO_TESTS_MAX; NULL: there was none so far */
	size_t test_count;
};

/* How the last answer was found. */
struct solver_result {
	/* the origin of the address, where the last answer was not found; 0: it has none */
	uint32_t unanswered;
	int64_t unanswered_offset; /* of that address from the origin's value */
	/* the same, of a pointer to a record that has no field where the access goes */
	uint32_t unanswered_object;
	uint8_t rule; /* enum rule_id that decided last; RULE_NONE where an answer begins */
	/* a bit for each rule about values that applied since the trace cleared this */
	uint64_t fired;
	struct strbuf *trace; /* --debug: text about the last pass; NULL: none is wanted */
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

/* ---- address.c */
struct value solver_address(struct solver *solver, const struct state *state,
			    const struct operand *operand);
/* True if the number is an address in the object's memory. That is possible only if the code is
 * linked to a fixed address. */
bool solver_is_image_address(const struct solver *solver, int64_t number);
/* Returns the variable that is the sum of a memory operand's base and index at this instruction, or
 * is in memory there (`in_memory`). If the instruction leaves both registers as they are, the fact
 * may also begin after it. NULL: none. */
const struct sum_fact *solver_sum_at(const struct solver *solver, const struct insn *insn,
				     const struct operand *operand, bool in_memory);

/* ---- fixed_object.c */
/* Finds the variable at an ADDRESS, or at a FRAME of thread-local or per-cpu variables, as a
 * pointer into it. False: none. */
bool solver_fixed_object(struct solver *solver, const struct value *address, struct value *object);
/* Finds the global that covers a fixed address, as a pointer into it. False: none. */
bool solver_global(struct solver *solver, int64_t address, struct value *pointer);
/* The same for an ADDRESS that may have an index in it. */
bool solver_indexed_global(struct solver *solver, const struct value *address,
			   struct value *pointer);
/* Finds the contents of a slot that the dynamic linker fills: the address of a symbol, or a
 * thread-local offset. Only the type of a thread-local variable of another DSO is known, so that a
 * pointer to the variable stands for its offset; only accesses relative to the thread pointer use
 * it. False: it is no such slot. */
bool solver_slot(struct solver *solver, int64_t address, struct value *value);
/* Finds the object that a GOT entry is: a pointer to the variable whose address it will hold.
 * False: no GOT entry is there. */
bool solver_got_entry(struct solver *solver, int64_t address, struct value *value);
/* Finds the thread-local variable whose module and offset the dynamic linker puts into the two
 * slots at the address `slots`, the argument of __tls_get_addr(). False: nothing is known of it. */
bool solver_thread_local_slots(struct solver *solver, const struct value *slots,
			       struct value *variable);

/* ---- stack.c */
/*
 * Returns the variable that has this byte of the stack at `address` or `next_address`; NULL if
 * there is none. *offset becomes the offset into it. solver_stack_object() also finds objects
 * without a name to which a pointer variable is said to point; such an object may be a part of
 * something larger, so only its type counts.
 */
const struct stack_fact *solver_stack_variable(struct solver *solver, const struct state *state,
					       uint64_t address, uint64_t next_address,
					       uint8_t frame, int64_t at, int64_t *offset);
const struct stack_fact *solver_stack_object(struct solver *solver, const struct state *state,
					     uint64_t address, uint64_t next_address, uint8_t frame,
					     int64_t at, uint64_t size, int64_t *offset);
/* Returns the object that `this` or a reference says begins just there, `at` bytes from the CFA,
 * anywhere in the function; NULL: none. */
const struct stack_fact *solver_stack_class(const struct solver *solver, int64_t at);
/* Notes that an address in stack memory is given away: calls may change what lies there. */
void solver_escape_stack(struct solver *solver, const struct state *state,
			 const struct value *value, uint64_t address);
/* The same, if the value is such an address. */
static inline void solver_escape(struct solver *solver, const struct state *state,
				 const struct value *value, uint64_t address)
{
	if (value->kind == VALUE_FRAME && value->frame <= FRAME_LAST_OTHER)
		solver_escape_stack(solver, state, value, address);
}

/* ---- rules/stages.c */
/* Finds the field that an access of `size` bytes at `address`, a VALUE_POINTER, goes to, or the
 * reason why it is not known. *how becomes HOW_INFERRED if a rule inferred it; solver->result.rule
 * is set if a rule decided. */
enum access_reason solver_field(struct solver *solver, const struct value *address, uint64_t size,
				struct field_ref *field, uint8_t *how);

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
void solver_transfer(struct solver *solver, struct state *state, uint32_t insn);

/* ---- meet.c */
/* Reconciles the tracked value of a register with the declared one (DWARF's). A weak declaration
 * says only that the value points into something. */
struct value solver_combine(struct solver *solver, struct value flow, struct value said, bool weak);
/* Puts a fact about a register into the state. */
void solver_apply_fact(struct solver *solver, struct state *state, uint8_t reg,
		       const struct register_fact *fact);

/* True for code that probably was written in assembly. BTF has functions by their symbols, and
 * gives those of assembly no prototype. */
static inline bool solver_is_assembly(const struct solver *solver)
{
	return !solver->function ||
	       (solver->function->arguments_by_abi && !solver->function->prototype);
}

/* ---- callee.c */
/* Returns what an instruction calls, whatever the state. */
const struct call_cache *solver_callee(struct solver *solver, uint32_t insn);
/* Rule virtual-call: returns the virtual function that is called through the operand, by its slot
 * in the table of the object's class; NULL: not known. An overriding function may be called instead
 * of it, which has the same arguments, and whose result is the same or of a derived class. */
const struct prototype *solver_virtual_callee(struct solver *solver, const struct state *state,
					      const struct operand *target);
/* True for a clone, whose parameters the compiler has changed: its declaration does not say what is
 * in the registers. */
bool solver_is_clone(const struct solver *solver, uint64_t target);
/* Returns the name of the function at `target`, or of the prototype; NULL: not known. */
const char *solver_callee_name(struct solver *solver, const struct prototype *prototype,
			       uint64_t target);

/* ---- call.c */
/* True if only prototypes and uses say what values are (BTF). */
static inline bool solver_has_no_variables(const struct solver *solver)
{
	return solver->function && solver->function->arguments_by_abi;
}

/* Applies a call to the state. A tail call (`tail`) only notes its arguments. */
void solver_call(struct solver *solver, struct state *state, uint32_t insn, bool tail);
void solver_return(struct solver *solver, struct state *state);
/* Sets the parameters in the state at the function's entry where only the ABI says where they are.
 */
void solver_arguments(struct solver *solver, struct state *state);
/* Sets the register that has the runtime's record of the running goroutine, in code of Go's own
 * compiler. It is never written there. */
void solver_goroutine(struct solver *solver, struct state *state);
/* Adds the parameters that are passed in memory to the facts; must follow facts_build(). */
void solver_stack_arguments(struct solver *solver);
/* Finds out whether code without a function is a thunk (rule thunk). */
void solver_find_thunk(struct solver *solver);
/* Returns the address that callers pass for a result in memory; UNKNOWN if the function returns no
 * record in memory. */
struct value solver_result_place(const struct solver *solver);

/* ---- variable_places.c */
/* Rule own-place: adds to the facts the places on the stack of variables whose locations do not
 * give them. Must follow facts_build(). */
void variable_places_find(struct solver *solver);
/* Finds the place, in bytes from the CFA, that a memory operand of the instruction addresses, by
 * the frame information. False: it is not known. */
bool solver_frame_place(const struct solver *solver, const struct insn *insn,
			const struct operand *operand, int64_t *place);

/* ---- answer.c */
struct access solver_answer(struct solver *solver, const struct state *state, uint32_t insn,
			    bool store);
/* Answers for the memory that an argument of the call `insn` points to, from the state before it.
 * Arguments are numbered from 0; `length` is the one with the number of bytes, or
 * BULK_NO_ARGUMENT. ACCESS_TYPE is found by HOW_BULK. */
struct access solver_answer_argument(struct solver *solver, const struct state *state,
				     uint32_t insn, uint8_t argument, uint8_t length);

/* ---- union_evidence.c */
/* Sets the candidates of an answer of kind ACCESS_TYPE, if it is in a union (union_member.h).
 * `state` is the one before the instruction. */
void union_evidence_judge(struct solver *solver, const struct state *state, uint32_t insn,
			  bool store, struct access *access);
/* ---- union_siblings.c */
/* Adds the other accesses through the register of a memory operand of the instruction. */
void union_evidence_siblings(const struct solver *solver, uint32_t insn,
			     const struct operand *operand, struct union_evidence *evidence);

/* ---- overlays.c */
/* Adds to the evidence the records that variables say are around the memory operand. */
void overlay_views(const struct solver *solver, const struct state *state,
		   const struct operand *operand, uint64_t address,
		   struct union_evidence *evidence);
/* Sets the overlay of an answer of kind ACCESS_TYPE, if it is to one. */
void overlay_judge(struct solver *solver, const struct state *state, uint32_t insn, bool store,
		   struct access *access);

/* ---- distant_places.c */

/* Returns the place of the argument in a register at the entry. */
struct distant_place solver_place_of_argument(const struct solver *solver, uint8_t reg);
/* Finds the place of a field, as this unit's functions see it. False if the function has no
 * variables, or if the field is not in a record. */
bool solver_place_of_member(const struct solver *solver, const struct field_ref *field,
			    struct distant_place *place);
/* Finds the place of the result of the call `index`. False: the result is no pointer to void, or
 * the function is not in this DSO. */
bool solver_place_of_result(struct solver *solver, uint32_t index, struct distant_place *place);
/* Finds the place that an origin's value comes from. False: it comes from none. */
bool solver_place_of_origin(struct solver *solver, uint32_t id, struct distant_place *place);
/* True for a pointer to a function if `function` is set, otherwise for a pointer to void. */
bool distant_points_to(const struct type *type, bool function);
/* Returns the distant fact of a member; NULL: it is not among the facts, or none are known yet. */
const struct distant_fact *solver_distant_fact(const struct solver *solver,
					       const struct field_ref *field);
/* Adds the places from which the value of an origin may come. Valid after the last pass that
 * gathers uses. */
void solver_distant_places(struct solver *solver, uint32_t origin, struct distant_places *places);

/* ---- distant_values.c: facts of other functions, distant.h */

/* Replace an unknown value by what other functions say of its place: the argument in a register at
 * the entry; what is loaded from a field. */
void solver_distant_argument(const struct solver *solver, uint8_t reg, struct value *value);
void solver_distant_member(struct solver *solver, const struct field_ref *field,
			   struct value *value);
/* The same for the result of the call `index`. */
void solver_distant_result(struct solver *solver, uint32_t index, struct value *value);

/* ---- flow.c */

struct data_flow;

/* Creates the state with which one thread solves functions, one after the other. Most of its memory
 * is used again for the next function. */
struct data_flow *flow_create(struct solver *solver);
void flow_destroy(struct data_flow *flow);

/*
 * Solves one function, whose code and facts the solver has:
 *
 *   flow_start()   begins. `every`: values that the function does not use are tracked, too.
 *   flow_want()    names a block whose state is asked for.
 *   flow_solve()   finds the fixed point of the wanted blocks and of those that lead to them.
 *   flow_learn()   gathers from the whole function what values are used as. If it returns true,
 *                  more is known now: call flow_solve() again, which then solves all blocks.
 *   flow_finish()  ends the work on the function.
 *
 * If flow_is_too_large() after any of these, the function has met a budget of work or memory: its
 * states are incomplete, and nothing may be answered from them.
 */
void flow_start(struct data_flow *flow, bool every);
void flow_want(struct data_flow *flow, uint32_t block);
void flow_solve(struct data_flow *flow);
bool flow_learn(struct data_flow *flow);
/* True if the function gives away the address of something on its stack for which no variable is
 * declared. Valid after flow_solve(). */
bool flow_gives_away_unnamed(struct data_flow *flow);
void flow_finish(struct data_flow *flow);
bool flow_is_too_large(const struct data_flow *flow);

/* Sees the state before an instruction of a block. Returns false if it has seen enough of the
 * block. */
typedef bool (*flow_visitor)(struct solver *solver, const struct state *state, uint32_t insn,
			     void *data);

/* Calls visit() with the state before each instruction of a block that was wanted. Valid after
 * flow_solve(). */
void flow_visit(struct data_flow *flow, uint32_t block, flow_visitor visit, void *data);
/* Notes the test of a tag, if there is one, of the edge between two blocks that were solved
 * (tags.h). */
void flow_note_edge(struct data_flow *flow, uint32_t from, uint32_t to);
/* The same for all edges of the block that was visited last. */
void flow_note_edges(struct data_flow *flow, uint32_t block);

/* ---- trace.c: how an answer was found, for --debug type-profile */

struct trace;

struct trace *trace_create(struct solver *solver);
void trace_destroy(struct trace *trace);

/* Tell the trace that the walk enters a block, that it is at an instruction (with the state before
 * it), and that an answer was found, whose account is appended to *text. */
void trace_block(struct trace *trace, uint32_t block);
void trace_instruction(struct trace *trace, const struct state *state, uint32_t insn);
void trace_answer(struct trace *trace, const struct state *state, uint32_t insn,
		  const struct access *access, struct strbuf *text);

/* ---- used_bits.c: bitfields in one byte are told apart by the bits that the code uses */

/*
 * Returns the bits of `operand`, a memory operand of instruction `index`; bit 0 is the lowest of
 * its first byte. 0: not known, or none of them. Without a solver, nothing is known but the code.
 *
 * For a load these are the bits that shifts, masks and tests leave of the value. If the value is
 * stored to the same memory again with some bits changed, they are the changed bits, for the load
 * and for the store.
 */
uint64_t used_bits(struct solver *solver, const struct cfg *code, uint32_t index,
		   const struct operand *operand);

#endif
