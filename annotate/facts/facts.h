/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts: what the debug information says of a function's values, in the solver's terms: for each
 * register the variables that are in it, or are computed from it, by address; and the variables in
 * stack memory.
 *
 * Facts are built once for each function. They borrow from struct function, which must outlive
 * them.
 */
#pragma once

#include "annotate/facts/abi.h"
#include "annotate/types/field.h"
#include "annotate/values/value.h"
#include "disasm/cfg.h"
#include "disasm/insn.h"
#include "dwarf/types/function.h"
#include "dwarf/types/type.h"

struct solver;

/* ---- variables in stack memory */

#define NO_VARIABLE UINT32_MAX

/* A variable in stack memory: `size` bytes at `offset` from a base that is known at each address.
 */
struct stack_fact {
	uint64_t low; /* the location's range, which the scope's ranges limit further */
	uint64_t high;
	int64_t offset;
	uint64_t size;
	/* REG_NONE: the CFA is the base; otherwise this register's value at the access */
	uint8_t base_reg;
	uint32_t variable; /* NO_VARIABLE: none is declared, it was inferred */
	uint32_t depth;
	const struct type *type; /* canonical */
	uint8_t how;             /* HOW_VARIABLE or HOW_INFERRED */
	uint32_t piece_offset;   /* the location holds the variable from this byte on */
	/* `this` or a reference of C++ points to it: such an object is alive, whatever is declared
	 * there */
	bool is_self;
	/* the class is only declared: `size` is the distance to the next variable */
	bool open;
	/* of selves.methods: the method is a constructor or destructor */
	bool is_maker;
	/* of struct table_places: the class is only known by the method that stores the table */
	bool by_method;
	/* of selves.methods: the line of a constructor's call; 0: not known, or no constructor */
	uint32_t made_at;
	uint64_t reach; /* in a list that is sorted by `low`: the largest `high` up to here */
};

struct stack_fact_list {
	struct stack_fact *items;
	size_t count;
	size_t capacity;
};

/* The objects that `this` and references of C++ point to (selves.h). */
struct selves {
	/* The objects that they point to, sorted by `low`. If the pointer is in a register, that is
	 * `base_reg`, whose value says whether the object is on the stack. */
	struct stack_fact_list objects;
	/* Those that have a fixed place in the frame: each pair of class and place once. */
	struct stack_fact_list places;
	/* Each range of an inlined member function, sorted by `low`: `variable` is its `this`, or
	 * NO_VARIABLE, and `type` its class. They do not say where the object is. */
	struct stack_fact_list methods;
};

/* The pieces of the memory around one base. */
struct stack_base {
	uint8_t reg;    /* REG_NONE: the CFA is the base */
	uint32_t first; /* index of its first piece */
	uint32_t count;
};

/*
 * An index of facts about stack memory. The memory around each base is cut where facts begin and
 * end; the index has the numbers of the facts in each piece, in ascending order. If too many facts
 * overlap, it only lists all of them.
 */
struct stack_index {
	struct stack_base *bases;
	size_t base_count;
	struct stack_piece *pieces;
	uint32_t piece_count;
	uint32_t unsorted; /* the numbers that are listed without pieces */
	uint32_t *numbers;
};

/* The facts must stay as they are while the index is used. */
void stack_index_build(struct stack_index *index, const struct stack_fact *facts, size_t count);
void stack_index_deinit(struct stack_index *index);

/* Numbers of facts, in ascending order. */
struct stack_run {
	const uint32_t *next;
	const uint32_t *end;
};

/* Facts that may cover one byte: one run for each base, and one without pieces. */
struct stack_candidates {
	unsigned int count;
	struct stack_run runs[REG_COUNT + 2];
};

/* Starts with the facts that the index lists without pieces. */
void stack_candidates_start(struct stack_candidates *candidates, const struct stack_index *index);
/* Adds the facts that have the byte at this offset from the base. */
void stack_candidates_add(struct stack_candidates *candidates, const struct stack_index *index,
			  const struct stack_base *base, int64_t offset);

/* Gives the candidates in the order of their numbers. Returns false if there are no more. */
static inline bool stack_candidates_next(struct stack_candidates *candidates, uint32_t *number)
{
	struct stack_run *first = NULL;

	array_each (struct stack_run, run, candidates->runs, candidates->count) {
		if (run->next < run->end && (!first || *run->next < *first->next))
			first = run;
	}
	if (first)
		*number = *first->next++;
	return first;
}

/* ---- all facts of a function */

/* The offset of the promise in a coroutine's frame, unless its alignment is stricter. The addresses
 * of the functions that resume and destroy the coroutine are before it (gcc and clang). */
#define COROUTINE_PROMISE 16

/* A fact of one register: its value is `value` in [low, high). A value that is no pointer holds
 * only the declared type. */
struct register_fact {
	uint64_t low;
	uint64_t high;
	/* the largest `high` of this fact and of all before it in the register's list */
	uint64_t reach;
	struct value value; /* how = HOW_VARIABLE */
	uint32_t variable;  /* index in function->variables */
	uint32_t depth;     /* of its scope */
	bool word;          /* the variable is a record of one word (field_is_word_record()) */
	/* the location has no range; gcc also writes such locations for registers in which it did
	 * not track the variable */
	bool everywhere;
	bool weak; /* the variable is only a part of the object that the register points into */
	bool not_at_entry; /* the register's value at the function's entry is not this */
	bool is_this;      /* the variable is `this` of a method */
};

/* A variable that is the sum reg + index * scale + offset, or is in memory at that address. */
struct sum_fact {
	uint64_t low;
	uint64_t high;
	int64_t offset;
	uint8_t reg;
	uint8_t index;
	uint8_t scale;
	bool in_memory;
	uint32_t variable;
	uint32_t depth;
	const struct type *type; /* the declared type of the variable */
};

/* The object at a fixed address that a variable points to: the text of `const char *digits =
 * "0123"`. */
struct address_fact {
	uint64_t low;
	uint64_t high;
	int64_t address;
	uint32_t variable;
	const struct type *type; /* canonical */
};

struct facts {
	const struct abi *abi;
	const struct function *function; /* NULL: none, and no fact is of a variable */
	/* the compiler did not track the variables: a location names the register that was chosen
	 * for a variable, wherever the variable is not in it, too */
	bool untracked;
	struct register_fact *registers[REG_COUNT]; /* sorted by low */
	size_t register_counts[REG_COUNT];
	struct stack_fact *stack;
	size_t stack_count;
	uint64_t stack_bases;           /* REG_BITs of the base registers of `stack` */
	struct stack_index stack_index; /* of `stack` */
	/* sanitizer_frame.c: the place of the variables that AddressSanitizer watches, from the
	 * CFA; 0: not seen so far. Whether `stack` has them */
	int64_t sanitizer_frame;
	bool has_sanitizer_frame;
	/* the function's, by address, view and variable; NULL: not asked for so far */
	struct arrival *arrivals;
	/* Objects on the stack that pointers (`this` of inlined functions) are said to point to.
	 * They may have no name of their own. `variable` is the pointer. */
	struct stack_fact *pointed;
	size_t pointed_count;
	struct stack_index pointed_index;
	struct selves selves;
	struct sum_fact *sums;
	size_t sum_count;
	struct address_fact *addresses;
	size_t address_count;
};

void facts_build(struct facts *facts, const struct abi *abi, const struct function *function,
		 const struct cfg *code);
/* Adds a fact of no variable. facts_index_stack() must follow the last of them. */
void facts_add_stack(struct facts *facts, const struct stack_fact *fact);
void facts_index_stack(struct facts *facts);
void facts_deinit(struct facts *facts);

/* Returns the best fact of `reg` at `address`: facts with a pointer first; of these one whose type
 * contains the others, then one whose scope is not over, then the newest of the innermost scope.
 * NULL: none. */
const struct register_fact *facts_register(const struct facts *facts, uint8_t reg,
					   uint64_t address);

/* Returns the variable of `size` bytes in memory at base + offset, at `address` or at
 * `next_address`, the innermost of several; NULL if there is none or they disagree. */
const struct stack_fact *facts_in_memory(const struct facts *facts, uint8_t base, int64_t offset,
					 uint64_t size, uint64_t address, uint64_t next_address);

/* Returns the variable that gets the value of a register first, which the code before `address` has
 * left there. NULL: that is not known, or there are several of different types. */
const struct variable *facts_receiver(struct facts *facts, uint8_t reg, uint64_t address);
/* True if `fact` is of a parameter, and the value has the type of another parameter of the same
 * inlined function that begins to be in `reg` at the same place. Neither is a cast of the other,
 * and compilers list parameters in different orders. */
bool facts_agree_with_twin(const struct facts *facts, uint8_t reg, const struct register_fact *fact,
			   const struct value *value);

/* Lists the types to which the variables that are said to be in `reg` at `address` point, each
 * once. Returns their number, or `limit` if there are more. */
size_t facts_pointees(const struct facts *facts, uint8_t reg, uint64_t address,
		      const struct type **pointees, size_t limit);

#define FACTS_RECORDS_MAX 8

/* Lists the records that variables say are around reg + displacement at `address`: each with the
 * offset of that place in it, those of the innermost scope first. Returns their number, or `limit`,
 * at most FACTS_RECORDS_MAX, if there are more. */
size_t facts_records_around(const struct facts *facts, uint8_t reg, int64_t displacement,
			    uint64_t address, struct field_ref *records, size_t limit);

/* Lists the records that variables at `code` say are around a fixed address in the same way, the
 * last declared first. */
size_t facts_records_at(const struct facts *facts, int64_t address, uint64_t code,
			struct field_ref *records, size_t limit);

/* A fact of one register, and the addresses [low, high) at which facts_register() returns it. */
struct fact_window {
	const struct register_fact *fact;
	uint64_t low;
	uint64_t high; /* 0: an empty window */
	bool varies;   /* the scopes decided between several types of one pointer */
};

/* True if the window's fact is the answer of facts_register() at `address`, too. Callers that
 * ask at one address after the other look here first. */
static inline bool fact_window_holds(const struct fact_window *window, uint64_t address)
{
	return address >= window->low && address < window->high;
}

void fact_window_move(struct fact_window *window, const struct facts *facts, uint8_t reg,
		      uint64_t address);

/* Returns the best of the facts of `reg` that hold at `address`, for an instruction at `code`. The
 * scope around `code` decides between two types of one pointer; it may have ended at `address`. */
const struct register_fact *facts_register_for_code(const struct facts *facts, uint8_t reg,
						    uint64_t address, uint64_t code);

/* Returns the variable that is the sum of a memory operand's base, scaled index and an offset of
 * its own (or is in memory there), at `address` or at `next_address`; the innermost of several.
 * NULL: none. */
const struct sum_fact *facts_of_sum(const struct facts *facts, const struct operand *operand,
				    bool in_memory, uint64_t address, uint64_t next_address);

/* Returns the object at this address that variables point to; NULL if there is none or they
 * disagree. */
const struct type *facts_at_address(const struct facts *facts, int64_t address);

/* Returns the newest fact of `reg` at `address` whose pointer is still within its record when
 * `displacement` is added, or in bytes that begin `end` bytes after the register's address or
 * later; NULL: none. */
const struct register_fact *facts_register_reaching(const struct facts *facts, uint8_t reg,
						    uint64_t address, int64_t displacement,
						    int64_t end);

/* Returns how many bytes of code are between `address` and the nearest address at which the fact
 * holds. 0: it is there now. UINT64_MAX: it is nowhere. */
uint64_t facts_distance(const struct facts *facts, const struct stack_fact *fact, uint64_t address);

/* Returns the best fact of `reg` at `address` whose pointee may lie in a buffer of `whole`, and has
 * a better answer to the access than bytes; NULL: there is none. */
const struct register_fact *facts_register_cast(const struct facts *facts, uint8_t reg,
						uint64_t address, const struct type *whole,
						int64_t offset, uint64_t size);

/* Returns the record that the variable is whose `size` bytes at `offset` come into `reg` at an
 * address in [low, high]; canonical. NULL: none. */
const struct type *facts_record_in_parts(const struct facts *facts, uint8_t reg, uint64_t low,
					 uint64_t high, int64_t offset, uint64_t size);

/* True if the variable's scope holds `address`. */
bool facts_in_scope(const struct facts *facts, uint32_t variable, uint64_t address);

/* ---- the places of variables on the stack: variable_places.c */

/* Adds to the facts the places on the stack of variables whose locations do not
 * give them. Must follow facts_build(). */
void variable_places_find(struct solver *solver);
/* Finds the place, in bytes from the CFA, that a memory operand of the instruction addresses, by
 * the frame information. False: it is not known. */
bool solver_frame_place(const struct solver *solver, const struct insn *insn,
			const struct operand *operand, int64_t *place);
