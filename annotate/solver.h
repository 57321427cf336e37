/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One function being solved: what the parts of the solver share. Private to annotate/.
 *
 *     flow.c          the fixed point over blocks
 *     gather.c        what values are used as
 *     join.c          where paths meet
 *     transfer.c      what one instruction does to a state
 *     combine.c       where a variable's type meets what has flowed
 *     address.c       addresses of memory operands
 *     fixed_object.c  globals, thread-local and per-cpu variables
 *     memory.c        loads and stores
 *     stack.c         variables in stack memory
 *     rules/          the guesses, as a table: where an access through a pointer goes
 *     cast.c          accesses that do not fit what is declared
 *     link.c          what a list's or tree's node is a member of
 *     callee.c        what a call calls
 *     call.c          arguments, results, clobbers
 *     answer.c        the access of one instruction, from the state before it
 */
#ifndef DTPROF_ANNOTATE_SOLVER_H
#define DTPROF_ANNOTATE_SOLVER_H

#include "annotate/access.h"
#include "annotate/alternatives.h"
#include "annotate/cast.h"
#include "annotate/facts.h"
#include "annotate/link.h"
#include "annotate/object_use.h"
#include "annotate/origin.h"
#include "annotate/place.h"
#include "annotate/place_memo.h"
#include "annotate/rules/rules.h"
#include "annotate/schedule.h"
#include "annotate/state.h"
#include "annotate/value.h"
#include "annotate/vocabulary.h"
#include "disasm/code.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"

/* Stack memory whose address has been given away: a call may change it. */
struct escape {
	uint8_t frame;
	int64_t low;
	int64_t high;
};

/* A block is walked until nothing changes: mostly, the same is loaded again. */
struct load_memo {
	struct value address;
	struct value result;
	uint64_t round; /* of the solver, that this was found in: it holds in no other */
	uint64_t size;
};

/* What is called by an instruction, whatever the state. */
struct call_memo {
	const struct prototype *prototype; /* NULL: not known, or known by the state alone */
	uint64_t target;                   /* 0: not direct */
	uint64_t round;                    /* that this was found in: it holds for the function */
	bool clone;                        /* its parameters are not the declared ones */
	bool returns_first;                /* its first argument */
	uint64_t clobbered;                /* registers that it may change */
	bool own_convention; /* not the ABI's: it changes no other register, and of memory what it is given */
	bool by_state;       /* called through a pointer */
};

struct solver {
	const struct elf_image *image;
	struct debug_reader *reader;     /* NULL: no debug information */
	const struct function *function; /* NULL: none for this code */
	struct facts facts;              /* empty without a function */
	const struct code *code;
	const struct frame_row *frame_rows;
	size_t frame_row_count;
	struct schedule schedule; /* of the facts */
	uint64_t round;           /* counts the times that a function was solved, over all of them */
	uint64_t first_round;     /* of this function */
	/* By instruction: what was loaded the last time, from where; and what is called. */
	struct load_memo *loads;
	struct call_memo *calls;
	/* By instruction: the block that an exception out of this call, or this static branch, goes on at;
	 * 0: none. NULL: none at all. */
	uint32_t *landings;
	uint32_t current;      /* instruction that is looked at */
	struct state *entries; /* a block's entry state, by block */
	struct origins origins;
	struct alternative_list alternatives; /* pointers out of unions */
	struct object_uses objects;           /* where no variables are declared */
	struct escape *escapes;
	uint32_t escape_count, escape_capacity;
	const struct type *
		*walked; /* records that pointers move over by whole ones: p[-1] and p[2] are meant */
	uint32_t walked_count, walked_capacity;
	bool casts_headers; /* something wider than it is read in front of a byte: see answer.c */
	bool casts_bytes;   /* something wider is read through a pointer to bytes */
	struct word_records words;
	struct vocabulary *vocabulary; /* built where it is first needed */
	struct place_memo *places;     /* looked at last */
	uint8_t rule;                  /* enum rule_id that decided last; RULE_NONE where an answer begins */
	uint64_t fired; /* rules of values that applied since the trace cleared this, a bit each */
	bool infer;
	bool last_resort;     /* nothing more can be learned: what is left is to ask the scopes */
	bool gather;          /* the pass after the fixed point that looks for uses */
	bool kernel;          /* the object is a kernel, or a module of one */
	bool image_is_fixed;  /* addresses in the code are absolute numbers (ET_EXEC) */
	struct strbuf *story; /* --debug: what happens to values, in the last pass; or NULL */
};

/* join.c: join `from` into the entry of `block`, of the general registers those that are `wanted` (REG_BITs;
 * of the others nothing is known there); true if that changed it. To `settle`, what differs is given up. */
bool solver_join(struct solver *solver, struct state *into, const struct state *from, uint32_t block,
		 uint64_t wanted, bool settle);

/* address.c */
struct value solver_address(struct solver *solver, const struct state *state, const struct operand *operand);
/* The same; or the object without a name that a pointer variable says is there. Nothing but a type: it may be
 * a part of something larger. */
const struct stack_fact *solver_stack_object(struct solver *solver, const struct state *state,
					     uint64_t address, uint64_t next_address, uint8_t frame,
					     int64_t at, int64_t *offset);
/* Is this number an address in the object's memory? Only where code is linked to a fixed address can numbers
 * be. */
bool solver_is_image_address(const struct solver *solver, int64_t number);
/* What a variable says of a memory operand's base and index together at this instruction, and behind it if
 * they are the same there: that it is there (`in_memory`), or has that value. NULL: none does. */
const struct sum_fact *solver_sum_at(const struct solver *solver, const struct insn *insn,
				     const struct operand *operand, bool in_memory);

/* fixed_object.c */
/* The variable at an ADDRESS, or at a FRAME of thread-local or per-cpu variables, as a pointer into it;
 * false: none. */
bool solver_fixed_object(struct solver *solver, const struct value *address, struct value *object);
/* The global that covers a fixed address, as a pointer into it; false: none. */
bool solver_global(struct solver *solver, int64_t address, struct value *pointer);
/* The same for an ADDRESS that may have an index in it. */
bool solver_indexed_global(struct solver *solver, const struct value *address, struct value *pointer);
/* What a slot that the dynamic linker fills holds: the address of a symbol, or a thread-local offset. False:
 * it is none. */
bool solver_slot(struct solver *solver, int64_t address, struct value *value);
/* A GOT entry, as an object: a pointer to the variable that it will hold the address of. False: it is none.
 */
bool solver_got_entry(struct solver *solver, int64_t address, struct value *value);

/* memory.c */
struct value solver_load(struct solver *solver, const struct state *state, const struct operand *operand,
			 uint32_t insn, unsigned int value_index);
/* Load of `size` bytes `delta` bytes past the operand's address. */
struct value solver_load_part(struct solver *solver, const struct state *state, const struct operand *operand,
			      int64_t delta, uint64_t size, uint32_t insn, unsigned int value_index);
void solver_store(struct solver *solver, struct state *state, const struct operand *operand, uint64_t address,
		  int64_t delta, uint64_t size, const struct value *value);
/*
 * *value has its lowest bits cut off. Where a union has a pointer beside a number, it is the number that was
 * loaded, a pointer with tags in it: what the one function inlined to get at it returns. False: no such word.
 */
bool solver_untag(const struct solver *solver, struct value *value);

/* stack.c */
/* The stack variable at this place as seen at an address; NULL: none. *offset is the offset into it. */
const struct stack_fact *solver_stack_variable(struct solver *solver, const struct state *state,
					       uint64_t address, uint64_t next_address, uint8_t frame,
					       int64_t at, int64_t *offset);
/* An address in stack memory is given away: calls may change what lies there. */
void solver_escape_stack(struct solver *solver, const struct state *state, const struct value *value,
			 uint64_t address);
/* The same, if the value is one. */
static inline void solver_escape(struct solver *solver, const struct state *state, const struct value *value,
				 uint64_t address)
{
	if (value->kind == VALUE_FRAME && value->frame <= FRAME_LAST_OTHER)
		solver_escape_stack(solver, state, value, address);
}

/* rules/pointer_access.c */
/* A pointer to `object` is what is wanted where `value` is given. */
void solver_note_use(struct solver *solver, const struct value *value, const struct type *object);
/* A pointer to a record of this type is seen `apart` bytes from where another is. */
void solver_note_walk(struct solver *solver, const struct type *type, int64_t apart);
bool solver_is_walked(const struct solver *solver, const struct type *type);
/*
 * Where an access of `size` bytes at `address`, a VALUE_POINTER, goes: the place, or the reason why it is not
 * known. *how becomes HOW_INFERRED where a rule inferred it; solver->rule is set if one decided.
 */
enum access_reason solver_place(struct solver *solver, const struct value *address, uint64_t size,
				struct place *place, uint8_t *how);

/* transfer.c */
/* Does the instruction leave all values as they are? */
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

/* combine.c */
/* Which of two accounts of one value to go on with: what has flowed here, or what a variable says; a weak one
 * only says that the value points into something. */
struct value solver_combine(struct solver *solver, struct value flow, struct value said, bool weak);
/* What a variable says of a register is put into the state. */
void solver_apply_fact(struct solver *solver, struct state *state, uint8_t reg,
		       const struct register_fact *fact);

/* Code that no compiler made, as far as is known: BTF has functions by their symbols, assembly's without a
 * prototype. */
static inline bool solver_is_assembly(const struct solver *solver)
{
	return !solver->function || (solver->function->arguments_by_abi && !solver->function->prototype);
}

/* callee.c */
/* What is called by an instruction, whatever the state. */
const struct call_memo *solver_callee(struct solver *solver, uint32_t insn);
/* The function type that the pointer called through is declared with, in this state, as a prototype (in
 * *storage, or with the debug information); NULL: not known. *clobbered is changed where it has a convention
 * of its own. */
const struct prototype *solver_called_through(struct solver *solver, const struct state *state,
					      const struct operand *target, struct prototype *storage,
					      uint64_t *clobbered);
/* Is the function at this address one whose parameters the compiler has changed? The declaration then does
 * not say what is in the registers. */
bool solver_is_clone(const struct solver *solver, uint64_t address);

/* Nothing says what a value is but prototypes, and what is done with it: BTF. */
static inline bool solver_has_no_variables(const struct solver *solver)
{
	return solver->function && solver->function->arguments_by_abi;
}

/* call.c */
void solver_call(struct solver *solver, struct state *state, uint32_t insn, bool tail);
void solver_return(struct solver *solver, struct state *state);
/* Where nothing but the ABI says it: what the parameters are in the state at entry. */
void solver_arguments(struct solver *solver, struct state *state);
/* Those that are passed in memory, as facts of the stack; after facts_build(). */
void solver_stack_arguments(struct solver *solver);
/* What rdi is at entry if the function returns a record in memory: where that is to go. UNKNOWN: it does not.
 */
struct value solver_result_place(const struct solver *solver);

/* answer.c */
struct access solver_answer(struct solver *solver, const struct state *state, uint32_t insn, bool store);

#endif
