// SPDX-License-Identifier: GPL-2.0-or-later
/* The words for answers, and answers that are refused: see access.h. */
#include "annotate/access.h"

#include "base/memory.h"
#include "disasm/insn.h"

const char *access_how_name(enum access_how how)
{
	static const char *const names[HOW_COUNT] = {
		[HOW_NONE] = "none",         [HOW_VARIABLE] = "variable",
		[HOW_TRACKED] = "tracked",   [HOW_GLOBAL] = "global",
		[HOW_PER_CPU] = "per-cpu",   [HOW_TLS] = "thread-local",
		[HOW_INFERRED] = "inferred", [HOW_BTF] = "btf",
		[HOW_BULK] = "bulk",         [HOW_EXACT] = "exact",
	};

	return (unsigned int)how < HOW_COUNT ? names[how] : "none";
}

const char *access_reason_name(enum access_reason reason)
{
	static const char *const names[REASON_COUNT] = {
		[REASON_NONE] = "none",
		[REASON_NO_OBJECT] = "no object file for the address",
		[REASON_NO_DEBUG_INFO] = "no debug information in the object",
		[REASON_LINES_ONLY] = "line tables only in the debug information",
		[REASON_NO_TYPES] = "no types in the debug information",
		[REASON_NO_FUNCTION] = "no function in the debug information",
		[REASON_NO_CODE] = "no instruction could be decoded",
		[REASON_UNREACHED] = "no known path reaches the instruction",
		[REASON_NO_VALUE] = "nothing known of the base register",
		[REASON_CONFLICT] = "paths disagree on the base register",
		[REASON_SCALAR_BASE] = "an integer as the base",
		[REASON_VOID_POINTER] = "a pointer to void or to an undefined type",
		[REASON_OUTSIDE] = "the offset is outside the type",
		[REASON_NO_GLOBAL] = "no variable at the address",
		[REASON_NO_THREAD_LOCAL] = "no thread-local or per-cpu variable there",
		[REASON_STACK] = "stack memory of no known variable",
		[REASON_CAST] = "the access is not to what is declared there",
		[REASON_NO_ARGUMENTS] = "the function's arguments are not known",
		[REASON_MAX] = "the function is too large",
		[REASON_ADDRESS] = "the data address is elsewhere",
		[REASON_TRAP_UNKNOWN] = "the instruction that trapped is not known",
		[REASON_FOLDED] = "functions of several types share the code",
		[REASON_INDEX] = "the index may be into either of two arrays",
		[REASON_CALLER] = "the caller of the memory function is not known",
	};

	return (unsigned int)reason < REASON_COUNT ? names[reason] : "none";
}

void access_fail(struct access *access, enum access_reason reason)
{
	access->kind = ACCESS_UNKNOWN;
	access->reason = (uint8_t)reason;
	access->how = HOW_NONE;
	access->memory = ACCESS_MEMORY_ANY;
	access->type = NULL;
	access->offset = 0;
}

bool access_is_none(const struct access *access)
{
	return access->kind == ACCESS_NO_MEMORY || access->kind == ACCESS_OWN_TIME ||
	       access->kind == ACCESS_INTERRUPTS_OFF;
}

static const char *own_time_name(enum own_time reason)
{
	static const char *const names[] = {
		[OWN_TIME_NONE] = "(no memory access)",
		[OWN_TIME_DIVISION] = "(division)",
		[OWN_TIME_SQUARE_ROOT] = "(square root)",
		[OWN_TIME_SERIALIZING] = "(serializing instruction)",
		[OWN_TIME_PAUSE] = "(pause)",
		[OWN_TIME_SYSTEM_CALL] = "(system call)",
		[OWN_TIME_HALT] = "(halt)",
		[OWN_TIME_BRANCH] = "(branch)",
		[OWN_TIME_INTERRUPTS_ON] = "(interrupts were off)",
	};

	return (unsigned int)reason < COUNT_OF(names) ? names[reason] : names[OWN_TIME_NONE];
}

const char *access_type_name(const struct access *access)
{
	switch (access->kind) {
	case ACCESS_TYPE: return type_label_interned(access->type);
	case ACCESS_STACK: return "(stack operation)";
	case ACCESS_SPILL: return "(stack spill)";
	case ACCESS_CANARY: return "(stack canary)";
	case ACCESS_SANITIZER: return "(sanitizer)";
	case ACCESS_JUMP_TABLE: return "(jump table)";
	case ACCESS_LITERAL: return "(constant)";
	case ACCESS_BULK: return "(bulk memory)";
	case ACCESS_NO_MEMORY: return "(no memory access)";
	case ACCESS_OWN_TIME: return own_time_name(access->own_time);
	case ACCESS_INTERRUPTS_OFF: return own_time_name(OWN_TIME_INTERRUPTS_ON);
	default: return "(unknown)";
	}
}
