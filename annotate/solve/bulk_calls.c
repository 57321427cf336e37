// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory that calls of bulk memory functions access: what their arguments point to. */
#include <stdlib.h>
#include <string.h>

#include "annotate/flow/solver.h"
#include "annotate/solve/bulk.h"
#include "annotate/solve/solve_function.h"
#include "base/memory.h"
#include "disasm/cfg.h"

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
static int64_t bulk_calls_find_call(const struct cfg *code, const struct type_resolver_call *call)
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
static void bulk_calls_ask_calls(struct worker *worker, const struct function *function,
				 struct type_resolver_call *calls, size_t count, bool jumps)
{
	const struct cfg *code = worker->solver->code;
	_cleanup_free_ struct access_question *questions = xcalloc(count, sizeof(*questions));
	_cleanup_free_ size_t *question_of = xcalloc(count, sizeof(*question_of));
	int64_t jump = jumps ? find_jump(worker, code) : -1;
	size_t asked = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t insn = jumps ? jump : bulk_calls_find_call(code, &calls[i]);
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
		bulk_calls_ask_calls(worker, function, calls, count, jumps);
		worker_clear(worker);
		cfg_destroy(code);
	}
	function_destroy(function);
	return NULL;
}
