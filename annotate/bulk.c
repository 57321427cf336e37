// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bulk memory functions: the table of bulk.h, and the arguments of their calls
 * (solve_function_calls() of solve_function.h).
 */
#include "annotate/bulk.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/solve_function.h"
#include "annotate/solver.h"
#include "disasm/cfg.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- the table */

#define NONE BULK_NO_ARGUMENT

/* C11 7.24, POSIX strings.h and string.h, the kernel's arch/x86/lib. */
/* clang-format off */
static const struct bulk_function functions[] = {
	/* name             writes reads other length kernel */
	{ "memcpy",         0,     1,    NONE, 2,     false },
	{ "memmove",        0,     1,    NONE, 2,     false },
	{ "mempcpy",        0,     1,    NONE, 2,     false },
	{ "memccpy",        0,     1,    NONE, 3,     false },
	{ "bcopy",          1,     0,    NONE, 2,     false },
	{ "memset",         0,     NONE, NONE, 2,     false },
	{ "bzero",          0,     NONE, NONE, 1,     false },
	{ "explicit_bzero", 0,     NONE, NONE, 1,     false },
	{ "memcmp",         NONE,  0,    1,    2,     false },
	{ "memcmpeq",       NONE,  0,    1,    2,     false },
	{ "bcmp",           NONE,  0,    1,    2,     false },
	{ "memchr",         NONE,  0,    NONE, NONE,  false },
	{ "memrchr",        NONE,  0,    NONE, NONE,  false },
	{ "rawmemchr",      NONE,  0,    NONE, NONE,  false },
	{ "strlen",         NONE,  0,    NONE, NONE,  false },
	{ "strnlen",        NONE,  0,    NONE, NONE,  false },
	{ "strcpy",         0,     1,    NONE, NONE,  false },
	{ "stpcpy",         0,     1,    NONE, NONE,  false },
	{ "strncpy",        0,     1,    NONE, NONE,  false },
	{ "stpncpy",        0,     1,    NONE, NONE,  false },
	{ "strcat",         0,     1,    NONE, NONE,  false },
	{ "strncat",        0,     1,    NONE, NONE,  false },
	{ "strcmp",         NONE,  0,    1,    NONE,  false },
	{ "strncmp",        NONE,  0,    1,    NONE,  false },
	{ "strcasecmp",     NONE,  0,    1,    NONE,  false },
	{ "strncasecmp",    NONE,  0,    1,    NONE,  false },
	{ "strchr",         NONE,  0,    NONE, NONE,  false },
	{ "strrchr",        NONE,  0,    NONE, NONE,  false },
	{ "strchrnul",      NONE,  0,    NONE, NONE,  false },
	{ "strspn",         NONE,  0,    1,    NONE,  false },
	{ "strcspn",        NONE,  0,    1,    NONE,  false },
	{ "strpbrk",        NONE,  0,    1,    NONE,  false },
	{ "strstr",         NONE,  0,    1,    NONE,  false },
	{ "clear_page",     0,     NONE, NONE, NONE,  true },
	{ "copy_page",      0,     1,    NONE, NONE,  true },
	{ "clear_user",     0,     NONE, NONE, 1,     true },
	{ "copy_user",      0,     1,    NONE, 2,     true },
	{ "copy_mc",        0,     1,    NONE, 2,     true },
	{ "rep_movs",       0,     1,    NONE, NONE,  true },
	{ "rep_stos",       0,     NONE, NONE, NONE,  true },
};

/* Functions of Go's runtime (runtime/memmove_amd64.s, memclr_amd64.s, duff_amd64.s;
 * internal/bytealg). Arguments are counted in registers: a string has two, a slice three. */
static const struct bulk_function go_functions[] = {
	{ "runtime.memmove",                   0,    1,    NONE, 2,    false },
	{ "runtime.memclrNoHeapPointers",      0,    NONE, NONE, 1,    false },
	{ "runtime.memequal",                  NONE, 0,    1,    2,    false },
	{ "memeqbody",                         NONE, 0,    1,    2,    false },
	{ "runtime.cmpstring",                 NONE, 0,    2,    1,    false },
	{ "internal/bytealg.Compare",          NONE, 0,    3,    1,    false },
	{ "cmpbody",                           NONE, 0,    2,    NONE, false },
	{ "internal/bytealg.IndexByteString",  NONE, 0,    NONE, 1,    false },
	{ "internal/bytealg.IndexByte",        NONE, 0,    NONE, 1,    false },
	{ "indexbytebody",                     NONE, 0,    NONE, 1,    false },
	{ "runtime.duffzero",                  3,    NONE, NONE, NONE, false },
	{ "runtime.duffcopy",                  3,    4,    NONE, NONE, false },
};

/* The words that name a variant. */
static const char *const variants[] = {
	"alternative", "avx", "avx2", "avx512", "back", "bsf", "chk", "enhanced", "erms", "evex",
	"evex512", "fast", "fragile", "generic", "good", "movbe", "no", "nocache", "orig", "original",
	"pminub", "regs", "rep", "rtm", "short", "sse2", "sse4", "sse42", "ssse3", "string",
	"unaligned", "unrolled", "vzeroupper", "1", "2",
};
/* clang-format on */

static bool is_variant(const char *word, size_t length)
{
	for (size_t i = 0; i < COUNT_OF(variants); i++)
		if (strlen(variants[i]) == length && strncmp(variants[i], word, length) == 0)
			return true;
	return false;
}

/* True if the text is "" or "_WORD_WORD...", all of them words of variants. */
static bool names_variant(const char *text)
{
	while (*text == '_') {
		const char *word = text + 1;
		size_t length = strcspn(word, "_");

		if (!is_variant(word, length))
			return false;
		text = word + length;
	}
	return !*text;
}

const struct bulk_function *bulk_function_named(const char *symbol, bool kernel)
{
	for (size_t i = 0; i < COUNT_OF(go_functions); i++) {
		size_t length = strlen(go_functions[i].name);

		/* Go's linker adds .abi0 to the names of functions with arguments in memory, and
		 * <> to those of functions that are local to a file */
		if (strncmp(symbol, go_functions[i].name, length) == 0 &&
		    (!symbol[length] || starts_with(symbol + length, ".abi0") ||
		     starts_with(symbol + length, "<>")))
			return &go_functions[i];
	}
	symbol += strspn(symbol, "_");
	for (size_t i = 0; i < COUNT_OF(functions); i++) {
		size_t length = strlen(functions[i].name);

		if ((kernel || !functions[i].kernel) &&
		    strncmp(symbol, functions[i].name, length) == 0 &&
		    names_variant(symbol + length))
			return &functions[i];
	}
	return NULL;
}

uint8_t bulk_argument(const struct bulk_function *function, const struct access *access)
{
	uint8_t base = access->base_argument ? access->base_argument - 1 : BULK_NO_ARGUMENT;

	if (base != BULK_NO_ARGUMENT &&
	    ((base == function->writes && access->write) ||
	     ((base == function->reads || base == function->other) && access->read)))
		return base;
	if (access->write && function->writes != BULK_NO_ARGUMENT)
		return function->writes;
	return access->read ? function->reads : BULK_NO_ARGUMENT;
}

/* ---- calls */

/* Returns the name of the function that a call goes to, whatever the state; NULL: not known. */
static const char *called_name(const struct worker *worker, const struct function *function,
			       const struct insn *insn)
{
	const struct operand *target = &insn->operands[0];
	const struct call_site *site =
		function ? function_call_site(function, insn->address + insn->length) : NULL;
	const char *name = NULL;
	uint64_t address = 0;

	if (target->kind == OPERAND_IMMEDIATE)
		address = (uint64_t)target->value;
	else if (target->kind != OPERAND_MEMORY || !target->absolute ||
		 !elf_image_slot(worker->image, (uint64_t)target->value, &name, &address))
		address = 0;
	if (!name && address)
		name = elf_image_plt_import(worker->image, address);
	if (name)
		return name;
	const struct symbol *symbol =
		address ? elf_image_function_at(worker->image, address) : NULL;

	if (symbol && symbol->address == address)
		return symbol->name;
	return site && site->callee ? site->callee->name : NULL;
}

/* Returns the instruction of a call, or -1. */
static int64_t find_call(const struct cfg *code, const struct type_resolver_call *call)
{
	int64_t at = call->at_call ? cfg_find(code, call->address) : -1;

	if (call->at_call)
		return at >= 0 && code->insns[at].operation == OP_CALL ? at : -1;
	for (uint64_t length = 2; length <= code->arch->insn_length_max; length++) {
		int64_t insn = cfg_find(code, call->address - length);

		if (insn >= 0 && code->insns[insn].operation == OP_CALL &&
		    code->insns[insn].length == length)
			return insn;
	}
	return -1;
}

/* Returns the bulk memory function that an instruction calls or jumps to; NULL: none. */
static const struct bulk_function *called_bulk(const struct worker *worker,
					       const struct function *function,
					       const struct insn *insn)
{
	const char *name = called_name(worker, function, insn);

	return name ? bulk_function_named(name, worker->kernel) : NULL;
}

/* Returns the one jump of the code to a bulk memory function, or -1. */
static int64_t find_jump(const struct worker *worker, const struct cfg *code)
{
	int64_t found = -1;

	for (size_t i = 0; i < code->insn_count; i++) {
		if (code->insns[i].operation != OP_JUMP ||
		    !called_bulk(worker, NULL, &code->insns[i]))
			continue;
		if (found >= 0)
			return -1;
		found = (int64_t)i;
	}
	return found;
}

/* Makes the answer for the argument of a call that of the call; NULL: there is none. `no_debug`:
 * the caller has no debug information. */
static void take_argument(struct type_resolver_call *call, const struct access *answer,
			  bool no_debug)
{
	struct access *access = &call->access;

	if (!answer || answer->kind != ACCESS_TYPE) {
		access->kind = ACCESS_BULK;
		access->reason = answer && answer->reason ? answer->reason
				 : no_debug               ? REASON_NO_DEBUG_INFO
							  : REASON_CALLER;
		return;
	}
	access->kind = ACCESS_TYPE;
	access->reason = REASON_NONE;
	access->type = answer->type;
	access->offset = answer->offset;
	access->indexed = answer->indexed;
	access->stride = answer->stride;
	access->index_alone = false;
	access->how = answer->how;
	access->rule = answer->rule;
	access->range = answer->range;
	access->size = 0;
	access->bits = 0;
}

/* Asks for the arguments of all calls of bulk memory functions. */
static void ask_calls(struct worker *worker, const struct function *function,
		      struct type_resolver_call *calls, size_t count, bool jumps)
{
	const struct cfg *code = worker->solver->code;
	_cleanup_free_ struct access_question *questions = xcalloc(count, sizeof(*questions));
	_cleanup_free_ size_t *question_of = xcalloc(count, sizeof(*question_of));
	int64_t jump = jumps ? find_jump(worker, code) : -1;
	size_t asked = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t insn = jumps ? jump : find_call(code, &calls[i]);
		const struct bulk_function *bulk =
			insn < 0 ? NULL : called_bulk(worker, function, &code->insns[insn]);

		question_of[i] = SIZE_MAX;
		if (insn >= 0 && !bulk && calls[i].through)
			insn_direct_target(&code->insns[insn], &calls[i].called);
		if (!bulk)
			continue;
		calls[i].callee = bulk->name;
		questions[asked].argument = bulk_argument(bulk, &calls[i].access);
		if (questions[asked].argument == BULK_NO_ARGUMENT)
			continue;
		questions[asked].address = code->insns[insn].address;
		questions[asked].bulk = bulk;
		question_of[i] = asked++;
	}
	if (asked && worker->reader && rule_is_on(RULE_BULK_ARGUMENT))
		worker_find_answers(worker, questions, asked);
	for (size_t i = 0; i < count; i++)
		if (calls[i].callee)
			take_argument(&calls[i],
				      question_of[i] == SIZE_MAX
					      ? NULL
					      : &questions[question_of[i]].answer,
				      !worker->reader || !function);
	for (size_t i = 0; i < asked; i++)
		strbuf_deinit(&questions[i].trace);
}

struct error *solve_function_calls(struct worker *worker, struct type_resolver_call *calls,
				   size_t count, bool jumps)
{
	_cleanup_arena_ struct arena arena = { 0 };
	struct function *function = NULL;
	uint64_t inside = calls[0].address - (!jumps && !calls[0].at_call);
	struct access none;

	if (worker->reader)
		RETURN_ERROR(debug_reader_function(worker->reader, inside, &function));

	struct cfg *code = worker_open_function(worker, function, inside, &arena, &none);

	if (code) {
		ask_calls(worker, function, calls, count, jumps);
		worker_clear(worker);
		cfg_destroy(code);
	}
	function_destroy(function);
	return NULL;
}
