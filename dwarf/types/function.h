/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The declarations of one concrete function: its ranges, its scopes, its variables and where each
 * lives at each address, its frame information, its call sites. debug_reader_function() builds it
 * once; then it is immutable. The caller owns it (function_destroy()). Types and prototypes that
 * it points to live as long as the debug_object.
 *
 * Addresses are file addresses, as in the object's own symbol table.
 */
#pragma once

#include "dwarf/types/language.h"
#include "dwarf/types/type.h"
#include "base/memory.h"

struct address_range {
	uint64_t low;
	uint64_t high; /* exclusive */
};

/* The place of a variable, or, for the kinds whose comments say "value", the value of one that has
 * no place in memory. `reg` is a DWARF register number. */
enum location_kind {
	LOCATION_REGISTER, /* in reg (DW_OP_regN) */
	LOCATION_MEMORY,   /* in memory at reg + offset (DW_OP_bregN) */
	LOCATION_FRAME,    /* in memory at frame base + offset (DW_OP_fbreg) */
	LOCATION_CFA,      /* in memory at CFA + offset (DW_OP_call_frame_cfa [plus]) */
	LOCATION_ADDRESS,  /* in memory at `offset`, a file address (DW_OP_addr, addrx) */
	LOCATION_TLS,      /* in thread-local memory, at `offset` in the module's TLS block */
	/* in memory at *(reg + offset) + offset2 (DW_OP_bregN, deref [, plus_uconst]) */
	LOCATION_INDIRECT,
	LOCATION_FRAME_INDIRECT, /* in memory at *(frame base + offset) + offset2 */
	LOCATION_REGISTER_VALUE, /* value is reg + offset (DW_OP_bregN, stack_value) */
	LOCATION_FRAME_VALUE,    /* value is frame base + offset */
	LOCATION_CFA_VALUE,      /* value is CFA + offset */
	LOCATION_ADDRESS_VALUE,  /* value is the address `offset` */
	LOCATION_MEMORY_VALUE,   /* value is *(reg + offset) + offset2 (breg, deref, stack_value) */
	LOCATION_CONSTANT,       /* value is a number: `offset`, if an expression gives it */
	LOCATION_ENTRY_VALUE,    /* value is what reg held at entry, + offset (DW_OP_entry_value) */
	LOCATION_IMPLICIT_POINTER, /* value points `offset` bytes into an object that is nowhere */
	LOCATION_SCALED,           /* value is computed from reg alone, but not as reg + constant */
	LOCATION_OTHER,            /* any other expression */
	/* value is reg + reg2 * scale + offset: p + i (scale 1: either may be the pointer) */
	LOCATION_SUM,
	LOCATION_SUM_MEMORY, /* in memory at such an address: p[i] */
};

struct location {
	/* where it is valid: [low, high); 0 and UINT64_MAX: everywhere in the variable's scope */
	uint64_t low;
	uint64_t high;
	uint8_t kind; /* enum location_kind */
	uint8_t reg;  /* DWARF number; 0xff: none, or more than 254 */
	/* LOCATION_SUM, LOCATION_SUM_MEMORY; perhaps only its low half counts, sign-extended */
	uint8_t reg2;
	uint8_t scale; /* of reg2 */
	int64_t offset;
	int64_t offset2;
	/* the part of the variable that this describes (DW_OP_piece); piece_size 0: all of it */
	uint32_t piece_offset; /* bytes into the variable */
	uint32_t piece_size;
};

enum variable_flag {
	VARIABLE_PARAMETER = 1,  /* formal parameter, of the function or of an inlined one */
	VARIABLE_ARTIFICIAL = 2, /* `this` and the like */
};

struct variable {
	const char *name;                 /* may be NULL */
	const struct type *type;          /* never NULL */
	uint32_t scope;                   /* index in scopes */
	uint32_t flags;                   /* enum variable_flag */
	uint32_t parameter_index;         /* VARIABLE_PARAMETER: position in its function, from 0 */
	uint32_t line;                    /* of the declaration in the source; 0: not known */
	const struct location *locations; /* sorted by low */
	size_t location_count;            /* 0: only the type is known */
};

/* A register begins to have the value of a variable. Where code gives a value to one variable after
 * the other without an instruction, gcc counts the views of the address (DW_AT_GNU_locviews). */
struct arrival {
	uint64_t address;
	uint32_t variable; /* index in variables */
	uint16_t view;
	uint8_t reg; /* DWARF number */
};

/* The argument of an inlined function is the word at `offset` from what the code loads from the
 * place at `outer` from somewhere, or from register `reg`. The next such load from `address` on
 * gets it. gcc says so for the moment before the load, often as a range without bytes. */
struct passed_word {
	uint64_t address;
	int64_t offset;
	int64_t outer;
	bool loaded;             /* `outer` counts, not `reg` */
	uint8_t reg;             /* DWARF number */
	const struct type *type; /* of the parameter */
	uint32_t scope;          /* the inlined function's */
};

struct scope {
	uint32_t parent;  /* index; the function itself is scope 0, its own parent */
	uint32_t depth;   /* 0 for the function */
	bool inlined;     /* DW_TAG_inlined_subroutine; otherwise a lexical block or the function */
	uint32_t line;    /* inlined: line of the call in the source; 0: not known */
	const char *name; /* of the inlined function; else NULL */
	const struct prototype *prototype; /* the same */
	uint64_t source;                   /* DIE offset */
	const struct address_range *ranges;
	size_t range_count;
};

static inline bool scope_has(const struct scope *scope, uint64_t address)
{
	return any_of(i, 0, scope->range_count,
		      address >= scope->ranges[i].low && address < scope->ranges[i].high);
}

static inline bool scope_is_inlined_at(const struct scope *scope, uint64_t address)
{
	return scope->inlined && scope_has(scope, address);
}

/* Walks over the scopes of inlined functions around an address, the innermost first:
 * inlined_each (scope, function, address) */
#define inlined_each(scope, function, address)                                                     \
	for (const struct scope *scope = (function)->scopes + (function)->scope_count;             \
	     scope - (function)->scopes > 1 && scope--;)                                           \
		if (scope_is_inlined_at(scope, address))

/* The function as its callers see it. Owned by the debug_object. */
struct prototype {
	const char *name;               /* may be NULL */
	const struct type *return_type; /* the first one in Go; void: TYPE_VOID; NULL: not known */
	const struct parameter *parameters;
	size_t parameter_count;
	bool variadic;
	bool no_return; /* DW_AT_noreturn */
	/* the parameters are known, and where a call passes them (false for K&R declarations, which
	 * do not give them, and for functions with a calling convention of their own) */
	bool prototyped;
	/* Rust: the index of the first parameter that has bytes but no location in the function's
	 * code: the compiler may pass it in another way. parameter_count or more: there is none */
	size_t lost_parameter;
};

struct call_site {
	uint64_t return_address;        /* DW_AT_call_return_pc: the address after the call */
	const struct prototype *callee; /* DW_AT_call_origin; NULL: not known (indirect) */
};

/* At a function's entry, a register points to an object of a type. */
struct passed_pointer {
	const struct type *type;
	uint8_t reg;
};

enum cfa_kind {
	CFA_REGISTER, /* CFA = reg + offset */
	/* CFA = *(reg + offset) + offset2: realigned (DW_CFA_def_cfa_expression: breg, deref) */
	CFA_INDIRECT,
	CFA_UNKNOWN, /* other expressions (PLT stubs), or no frame information */
};

struct frame_row {
	uint64_t low, high;
	uint8_t kind; /* enum cfa_kind */
	uint8_t reg;  /* DWARF number */
	int64_t offset;
	int64_t offset2;
	/* the lowest distance from the CFA at which the row has a register; 0: none is saved */
	int64_t saved;
};

/* An exception that leaves a call in [low, high) continues at the landing pad `pad`. */
struct exception_edge {
	uint64_t low, high, pad;
};

enum frame_base_kind {
	FRAME_BASE_CFA,      /* DW_OP_call_frame_cfa */
	FRAME_BASE_REGISTER, /* DW_OP_regN / bregN: reg + offset */
	FRAME_BASE_NONE,     /* none, or another expression */
};

struct function {
	const char *name;
	const char *unit_name;   /* the CU's DW_AT_name */
	uint64_t unit_source;    /* the CU's DIE offset */
	uint8_t language;        /* enum language */
	bool no_strict_aliasing; /* code may access an object through a pointer to another type */
	/* the compiler did not follow variables: a location only names the chosen register */
	bool untracked;
	const struct address_range *ranges; /* ranges[0].low is the entry */
	size_t range_count;
	const struct prototype *prototype;
	/* at the entry, parameters are where the psABI puts them; the only variables are arguments
	 * of inlined calls */
	bool arguments_by_abi;
	struct {
		uint8_t kind; /* enum frame_base_kind */
		uint8_t reg;
		int64_t offset;
	} frame_base;
	const struct scope *scopes;
	size_t scope_count;
	const struct variable
		*variables; /* in DIE order, those of inner scopes after those of outer ones */
	size_t variable_count;
	const struct arrival *arrivals; /* by variable; only where views are counted */
	size_t arrival_count;
	const struct passed_word *passed; /* sorted by address */
	size_t passed_count;
	const struct call_site *call_sites; /* sorted by return_address */
	size_t call_site_count;
	bool all_no_returns; /* call_sites has every call that never returns */
	/* in companions: records that arguments point to, where code goes on from there */
	const struct passed_pointer *passed_pointers;
	size_t passed_pointer_count;
	const struct frame_row *frame_rows; /* sorted by low; from .eh_frame or .debug_frame */
	size_t frame_row_count;
	struct arena arena; /* owns everything above except types and prototypes */
};

void function_destroy(struct function *function);
/* Returns the call that returns to this address, or NULL. */
const struct call_site *function_call_site(const struct function *function,
					   uint64_t return_address);

/* Whether a unit describes types. */
enum unit_types {
	UNIT_HAS_TYPES,
	UNIT_LINES_ONLY, /* none: it was compiled with -g1, or Rust's debuginfo=1 */
	UNIT_NEVER_TYPES /* none: its compiler or assembler writes none at any level of -g */
};

/* A variable with static storage (global, static, or static in a function), or a piece of one that
 * the compiler keeps in pieces, each in a place of its own. */
struct global {
	const char *name;
	const struct type *type; /* of the whole variable */
	uint64_t address;        /* file address; of a thread-local one: offset in the TLS block */
	uint64_t size; /* bytes: of the type or the piece, or of the symbol if neither has one */
	bool thread_local_;
	bool piece;
	uint64_t piece_offset; /* bytes of the variable before `address` */
};

struct inlined_call {
	/* of the callee: linkage name, else plain name, or NULL. Owned by the object */
	const char *name;
	uint64_t
		call_file; /* of the call: number in the unit's line table; UINT64_MAX: not known */
	uint64_t call_line;
};

/* A scope in a function: an inlined call, or a block around some. */
struct inlined_scope {
	bool inlined;
	uint32_t parent;          /* index of a scope before it; UINT32_MAX: the function */
	struct inlined_call call; /* if it is one */
	const struct address_range *ranges;
	size_t range_count;
};

/* All of a function but its variables. */
struct function_outline {
	const char *name;                   /* may be NULL. Owned by the object */
	uint8_t language;                   /* enum language */
	const struct address_range *ranges; /* ranges[0].low is the entry */
	size_t range_count;
	const struct inlined_scope *scopes; /* those around others first */
	size_t scope_count;
};

/* A row of source lines. It holds up to the next one. */
struct source_row {
	uint64_t address;
	const char *file; /* whole path; NULL: the line is not known. Owned by the object */
	unsigned int line;
};

/* An inline function with one parameter, a pointer to a record, that returns another. */
struct inline_cast {
	const struct prototype *prototype;
	const struct type *from, *to; /* the records, canonical */
	bool declared; /* declared inline in the source; always false with clang, which omits it */
	bool fetches;  /* it has neither variables nor blocks, so it only fetches its result */
};

/* A record inside an object: a variable that points to it is a register plus `offset`. */
struct inner_record {
	const struct type *type; /* canonical */
	int64_t offset;          /* above 0 */
};

/* Two records that pointers with one value point to: variables that had the same register at the
 * same time. */
struct value_cast {
	const struct type *from, *to; /* the smaller and the larger one, canonical */
};

/* Lists of what the debug information of a unit has. Each is found when it is first asked for, and
 * owned by the object. */
enum unit_list {
	/* records with members that the unit defines */
	UNIT_RECORDS,
	/* those that end in a flexible array ([], [0]): a pointer to such an array may point into
	 * one of them */
	UNIT_FLEXIBLE_RECORDS,
	/* those that have records as members: a pointer to such a member may be cast to them */
	UNIT_HOLDERS,
	/* records of which the unit declares arrays with more than one element, each once: a
	 * pointer to such a record may be to the first of several */
	UNIT_ELEMENTS,
	/* records that functions of the unit get or return as a whole, each once */
	UNIT_VALUES,
	/* records to which a unit in C only casts pointers: nothing else in its debug information
	 * leads to them */
	UNIT_CAST_TYPES,
	/* struct inline_cast: functions that take a pointer to one record and return a pointer to
	 * another, and that the unit inlines anywhere. They show which records the unit casts to
	 * which (container_of, private data) where nothing is left of the call. */
	UNIT_INLINE_CASTS,
	/* enums outside of functions and records, without typedefs */
	UNIT_ENUMS,
	/* struct inner_record: records that variables point to, a constant number of bytes after
	 * the address that a register has; each once */
	UNIT_INNER_RECORDS,
	/* records to which static variables of the unit point that have no place: the compiler
	 * keeps them in registers of the one function that uses them */
	UNIT_PROMOTED_RECORDS,
	/* struct value_cast: records of different sizes, each pair once */
	UNIT_VALUE_CASTS,
	UNIT_LISTS
};

/* The place of a type's declaration in the source. The texts are owned by the object. */
struct type_place {
	const char *file; /* whole path */
	unsigned int line;
	const char *folder; /* in which the compiler ran; NULL: not known */
};

/* Gets what debug_reader_each() goes over, which lives as long as the object, and `data`. */
struct debug_visitor {
	void *data;
	void (*type)(void *data, const struct type *type);
	void (*function)(void *data, const char *name, const struct prototype *prototype,
			 bool external);
	void (*variable)(void *data, const struct global *variable, bool external);
};
