/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answer for one instruction: the type and offset that its memory access goes to and how that
 * was found, or the one reason why it is not known. */
#pragma once

#include "dwarf/types/type.h"

enum access_kind {
	/* a memory access whose type was not found: `reason` says why. "(unknown)" */
	ACCESS_UNKNOWN,
	ACCESS_TYPE,  /* `type` at `offset`, found as `how` says */
	ACCESS_STACK, /* push, pop, call, ret: the stack itself. "(stack operation)" */
	/* a stack slot that belongs to no variable; `type` is the type of the value in it, or NULL.
	 * "(stack spill)" */
	ACCESS_SPILL,
	ACCESS_CANARY, /* the stack protector's word. "(stack canary)" */
	/* shadow memory and variables of AddressSanitizer. "(sanitizer)" */
	ACCESS_SANITIZER,
	/* the entry of a switch's table, or a PLT stub's slot, for the jump that follows.
	 * "(jump table)" */
	ACCESS_JUMP_TABLE,
	/* a number or text that the compiler keeps in read-only memory. "(constant)" */
	ACCESS_LITERAL,
	/* in a bulk memory function (bulk.h), and the type of the caller's argument is not known:
	 * `reason` says why. "(bulk memory)" */
	ACCESS_BULK,
	ACCESS_NO_MEMORY, /* the instruction accesses none. "(no memory access)" */
	ACCESS_OWN_TIME,  /* the instruction itself takes long: `own_time`. "(division)" ... */
	/* the sample was held back until interrupts were enabled, so it belongs to no access.
	 * "(interrupts were off)" */
	ACCESS_INTERRUPTS_OFF,
	/* there is no instruction to look at: no object file, no symbol. `reason` says why;
	 * "(unknown)" */
	ACCESS_NO_CODE,
};

/* How a type was found. */
enum access_how {
	HOW_NONE,
	/* a DWARF variable is in the base register, or is the memory itself, right here */
	HOW_VARIABLE,
	HOW_TRACKED, /* by data flow from a variable, parameter, load or call */
	HOW_GLOBAL,  /* a global or static variable by its address */
	HOW_PER_CPU,
	HOW_TLS,
	HOW_INFERRED, /* backward: from what the value is used as later */
	HOW_BTF,      /* forward, with the types of BTF */
	HOW_BULK,     /* in a bulk memory function: the argument that its caller passed */
	HOW_EXACT,    /* the compiler said so (annotate/exact/) */
	HOW_COUNT,
};

/* The reason why a type was not found: the first of these that holds. */
enum access_reason {
	REASON_NONE,
	REASON_NO_OBJECT,     /* no object file for the address */
	REASON_NO_DEBUG_INFO, /* the object has none */
	/* the debug information has no function there (assembly, a unit without -g) */
	REASON_NO_FUNCTION,
	REASON_LINES_ONLY,  /* the debug information of the unit has no types, only lines */
	REASON_NO_TYPES,    /* the same, and its compiler or assembler never describes types */
	REASON_NO_CODE,     /* the object's bytes cannot be read or decoded there */
	REASON_UNREACHED,   /* no known path reaches the instruction */
	REASON_NO_VALUE,    /* nothing is known of the base register */
	REASON_CONFLICT,    /* the paths that meet here disagree on the base register */
	REASON_SCALAR_BASE, /* the base holds an integer, used as an address */
	/* the base is a void pointer, or one to a type that is only declared */
	REASON_VOID_POINTER,
	REASON_OUTSIDE, /* the offset lies outside the type that the base points to */
	/* the access does not fit what is declared there, and no variable says what it is */
	REASON_CAST,
	REASON_NO_GLOBAL,       /* a fixed address that no variable covers */
	REASON_NO_THREAD_LOCAL, /* an %fs: or %gs: address that no variable covers */
	REASON_STACK,           /* stack memory of no known variable, at an address that varies */
	/* nothing is known of the base, and BTF does not know the function's arguments: clones,
	 * functions that share their name */
	REASON_NO_ARGUMENTS,
	REASON_MAX, /* the function is too large to be solved */
	/* the sample's data address is not in the variable or the stack that was found */
	REASON_ADDRESS,
	/* the sample was taken after the access, and the instruction that made it is not known */
	REASON_TRAP_UNKNOWN,
	/* the linker has made one function of several, whose arguments have different types */
	REASON_FOLDED,
	REASON_INDEX,
	REASON_CALLER, /* in a bulk memory function whose caller is not known */
	REASON_COUNT,
};

/* The memory that the answer names: a data address can be checked against it. */
enum access_memory {
	ACCESS_MEMORY_ANY,    /* whatever a pointer points to; thread-local and per-cpu variables */
	ACCESS_MEMORY_STACK,  /* of the thread that runs */
	ACCESS_MEMORY_STATIC, /* the variable at object_address */
};

/* A record that lies in bytes, or in a union, of another one. */
struct access_overlay {
	const struct type *type; /* canonical; NULL: none */
	int64_t offset;          /* of the access in it */
	uint64_t candidates;     /* as `union_candidates` of struct access */
};

/* The way by which a pointer came. If it was loaded: from `offset` bytes into a record, or from the
 * variable at this file address. */
struct pointer_source {
	const struct type *record; /* canonical; NULL: a variable */
	int64_t offset;            /* 0 without a record: not known */
	bool indexed;              /* it was moved by an index */
	/* the number, from 1, of the argument of the function that it is; 0: it is none */
	uint8_t argument;
	/* the number, from 1, of the parameter on the stack that it was read from; 0: of none */
	uint8_t parameter;
	/* the record that the pointer was to from which an index computed it; NULL: not known */
	const struct type *base;
	/* Go: the local variable that it is the address of, which was moved to the heap; NULL: none
	 */
	const char *variable;
	uint64_t call; /* the address of the call whose result it is; 0: of none */
};

/* The most nested enums whose variants an access keeps. */
#define ACCESS_VARIANTS 2

struct access {
	uint64_t address;        /* of the instruction, a file address */
	const struct type *type; /* canonical; ACCESS_TYPE, and ACCESS_SPILL where known */
	int64_t offset;          /* bytes into `type`; within its size */
	uint16_t size;           /* bytes accessed; 0: not fixed (rep, xsave) */
	uint8_t kind;            /* enum access_kind */
	uint8_t how;             /* enum access_how */
	uint8_t reason;          /* enum access_reason */
	uint8_t memory;          /* enum access_memory; of answers that are found */
	uint8_t own_time;        /* enum own_time; ACCESS_OWN_TIME */
	/* enum rule_id that found or refused the type; RULE_NONE: the declarations did */
	uint8_t rule;
	/* without an answer, in code without a function: the argument, counted from 1, whose
	 * register is the operand's base; 0: the base is another register */
	uint8_t base_argument;
	bool read;
	bool write;
	/* the address has a variable index, so that `offset` stands for other elements, too */
	bool indexed;
	/* nothing tells which bits the code uses or changes: those of any bitfield that is stored
	 * together with the ones here */
	bool any_bits;
	/* indexed: the index register has all that is variable within an object, and without it the
	 * address is `offset` - `index_start` bytes into an object of `type` */
	bool index_alone;
	/* indexed: what the index adds is a multiple of this */
	uint32_t stride;
	/* index_alone: the bytes of `offset` that are in the index register */
	int64_t index_start;
	/* HOW_BULK: the bytes from `offset` on that the function works on, within the type; 0: not
	 * known */
	uint32_t range;
	/* the bits, from `offset` on, that the code uses or changes (bit 0 is the lowest); 0: all,
	 * or not known. Where there are bitfields, "not known" is all bits, up to a word's */
	uint64_t bits;
	/* Rust: the enum variants that the access is known to go to, canonical, the outermost
	 * first; NULL: no more */
	const struct type *variants[ACCESS_VARIANTS];
	/* in a union: the candidates that the access may go to (union_fit()); 0: not judged yet */
	uint64_t union_candidates;
	/* those of them, and others, that are left before mere hints choose */
	uint64_t union_unhinted;
	/* all those whose place and size are those of the access, or may be */
	uint64_t union_possible;
	/* the record whose member is accessed, where `type` has bytes or a union that does not name
	 * it. Where `type` is a scalar, either of two members is: access_other_member() */
	struct access_overlay overlay;
	uint64_t object_address; /* ACCESS_MEMORY_STATIC: file address of the variable, */
	uint64_t object_size;    /* and its bytes; 0: not known */
};

/* Returns "variable", "tracked" and so on, as --type-stat prints them. */
const char *access_how_name(enum access_how how);
/* Returns one short phrase, such as "nothing known of the base register". */
const char *access_reason_name(enum access_reason reason);
/* Makes the answer ACCESS_UNKNOWN for this reason: it proved wrong, or it cannot be found. */
void access_fail(struct access *access, enum access_reason reason);
/* True if the samples of this answer are known not to have waited for a memory access. */
bool access_is_none(const struct access *access);
/* Returns the text of the column `type`: type_name(), or "(stack operation)" and so on. It is valid
 * as long as the type's table. */
const char *access_type_name(const struct access *access);
