/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The answer for one instruction: which type and offset its memory access goes to and how that was found, or
 * the one reason why it is not known.
 */
#ifndef DTPROF_ANNOTATE_ACCESS_H
#define DTPROF_ANNOTATE_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "dwarf/type.h"

enum access_kind {
	ACCESS_UNKNOWN, /* a memory access whose type was not found: `reason` says why. "(unknown)" */
	ACCESS_TYPE,    /* `type` at `offset`, found as `how` says */
	ACCESS_STACK,   /* push, pop, call, ret: the stack itself. "(stack operation)" */
	ACCESS_SPILL, /* a stack slot that is no variable's; `type` is the kept value's type, or NULL. "(stack
			 spill)" */
	ACCESS_CANARY,         /* the stack protector's word. "(stack canary)" */
	ACCESS_JUMP_TABLE,     /* the entry of a switch's table that the next jump goes by. "(jump table)" */
	ACCESS_NO_MEMORY,      /* the instruction accesses none. "(no memory access)" */
	ACCESS_OWN_TIME,       /* the instruction takes long by itself: `own_time`. "(division)" ... */
	ACCESS_INTERRUPTS_OFF, /* the sample was held back until interrupts were enabled: it belongs to no
				  access. "(interrupts were off)" */
	ACCESS_NO_CODE, /* there is no instruction to look at: no object file, no symbol. `reason` says why;
			   "(unknown)" */
};

/* How a type was found. */
enum access_how {
	HOW_NONE,
	HOW_VARIABLE, /* a DWARF variable is in the base register, or is the memory itself, right here */
	HOW_TRACKED,  /* by data flow from a variable, parameter, load, call ... */
	HOW_GLOBAL,   /* a global or static variable by its address */
	HOW_PER_CPU,
	HOW_TLS,
	HOW_INFERRED, /* backward: from what the value is used as later */
	HOW_BTF,      /* forward, with types from BTF */
	HOW_COUNT,
};

/* Why a type was not found: the first of these that holds. */
enum access_reason {
	REASON_NONE,
	REASON_NO_OBJECT,     /* no object file for the address */
	REASON_NO_DEBUG_INFO, /* the object has none */
	REASON_NO_FUNCTION,   /* the debug information has no function there (assembly, a unit without -g) */
	REASON_NO_CODE,       /* the object's bytes cannot be read or decoded there */
	REASON_UNREACHED,     /* no flow of control reaches the instruction as far as we can see */
	REASON_NO_VALUE,      /* nothing is known of the base register */
	REASON_CONFLICT,      /* the paths that meet here disagree on the base register */
	REASON_SCALAR_BASE,   /* the base holds an integer, used as an address */
	REASON_VOID_POINTER,  /* the base is a void pointer, or one to a type that is only declared */
	REASON_OUTSIDE,       /* the offset lies outside the type that the base points to */
	REASON_CAST, /* the access does not fit what is declared there, and no variable says what it is */
	REASON_NO_GLOBAL,       /* a fixed address that no variable covers */
	REASON_NO_THREAD_LOCAL, /* an %fs: or %gs: address that no variable covers */
	REASON_STACK,           /* stack memory of no known variable, at an address that varies */
	REASON_NO_ARGUMENTS,    /* nothing is known of the base, in a function of whose arguments BTF says
				   nothing:    clones, and functions that share their name */
	REASON_LIMIT,           /* the function is larger than the solver takes on */
	REASON_ADDRESS, /* the sample's data address is not in the variable or the stack that was found */
	REASON_BEHIND,  /* the sample was taken behind the access, and the instruction that made it is not
			   known */
	REASON_COUNT,
};

/* Which memory the answer says that is: what an address can be held against. */
enum access_memory {
	ACCESS_MEMORY_ANY,    /* whatever a pointer points to; thread-local and per-cpu variables */
	ACCESS_MEMORY_STACK,  /* of the thread that runs */
	ACCESS_MEMORY_STATIC, /* the variable at object_address */
};

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
	uint8_t rule;            /* enum rule_id that found or refused it; RULE_NONE: what is declared did */
	bool read;
	bool write;
	bool indexed;  /* at an index that varies: `offset` stands for more elements than that one */
	uint64_t bits; /* which bits of the bytes from `offset` on the code looks at or changes (bit 0: the
			  lowest one there); 0: not known, all of them */
	uint64_t object_address; /* ACCESS_MEMORY_STATIC: file address of the variable, */
	uint64_t object_size;    /* and its bytes; 0: not known */
};

/* "variable", "tracked", ... as --type-stat prints them */
const char *access_how_name(enum access_how how);
/* "nothing known of the base register", ... one short phrase */
const char *access_reason_name(enum access_reason reason);
/* Answers for accesses that are known not to be what was found, or cannot be looked for. */
void access_fail(struct access *access, enum access_reason reason);
/* True if the time of samples with this answer is known not to be a memory access's. */
bool access_is_none(const struct access *access);
/* What the `type` column shows: type_name(), or "(stack operation)" and so on. Valid as long as the type's
 * table. */
const char *access_type_name(const struct access *access);

#endif
