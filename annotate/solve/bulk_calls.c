// SPDX-License-Identifier: GPL-2.0-or-later
/* The objects that arguments of calls point to: the memory that bulk memory functions access, or
 * the object that a function the caller names works on. */

#include <fnmatch.h>

#include "annotate/companion/accesses.h"
#include "annotate/facts/bulk.h"
#include "annotate/solve/solve_function.h"
#include "base/memory.h"
#include "base/text.h"
#include "disasm/cfg.h"

/* The function that a call goes to, whatever the state. */
struct call_target {
	uint64_t address; /* 0: not known, or in another object */
	const char *name; /* NULL: not known */
};

static struct call_target find_called(const struct elf_image *image,
				      const struct function *function, const struct insn *insn)
{
	const struct operand *target = &insn->operands[0];
	const struct call_site *site =
		function ? function_call_site(function, insn->address + insn->length) : NULL;
	struct call_target called = { 0 };

	if (target->kind == OPERAND_IMMEDIATE)
		called.address = (uint64_t)target->value;
	else if (target->kind != OPERAND_MEMORY || !target->absolute ||
		 !elf_image_slot(image, (uint64_t)target->value, &called.name, &called.address))
		called.address = 0;
	if (!called.name && called.address)
		called.name = elf_image_plt_import(image, called.address);
	if (called.name)
		return called;
	const struct symbol *symbol =
		called.address ? elf_image_function_at(image, called.address) : NULL;

	if (symbol && (symbol->address == called.address || starts_with(symbol->name, GO_DEVICE)))
		called.name = symbol->name;
	else if (site && site->callee)
		called.name = site->callee->name;
	return called;
}

const struct bulk_function *type_resolver_bulk(const struct elf_image *image,
					       const struct insn *insn, bool kernel)
{
	const struct call_target called = find_called(image, NULL, insn);

	return called.name ? bulk_function_named(called.name, kernel) : NULL;
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

static bool is_named(const char *name, const char *wanted)
{
	return strchr(wanted, '*') ? !fnmatch(wanted, name, 0) : !strcmp(name, wanted);
}

/* Sets what is asked about the argument, and the name of the function, if an instruction calls or
 * jumps to a function that is meant. */
static bool is_meant(const struct worker *worker, const struct function *function,
		     const struct insn *insn, struct type_resolver_call *call,
		     struct access_question *question)
{
	/* a function that takes no number of bytes */
	static const struct bulk_function other = { .length = BULK_NO_ARGUMENT };
	const struct call_target called = find_called(worker->image, function, insn);

	if (!call->callees) {
		question->bulk =
			called.name ? bulk_function_named(called.name, worker->kernel) : NULL;
		if (!question->bulk)
			return false;
		call->callee = question->bulk->name;
		question->argument = bulk_argument(question->bulk, &call->access);
		return true;
	}
	bool pointer = call->indirect && insn->operation == OP_CALL && !called.address &&
		       !called.name && insn->operands[0].kind != OPERAND_IMMEDIATE;

	array_each (const struct type_resolver_callee, callee, call->callees, call->callee_count) {
		if (pointer)
			; /* the caller knows */
		else if (callee->name
				 ? !called.name || !is_named(called.name, callee->name)
				 : called.address < callee->low || called.address >= callee->high)
			continue;
		call->callee = called.name ? called.name : "";
		question->bulk = &other;
		question->argument = call->argument;
		return true;
	}
	return false;
}

/* Returns the one jump of the code to a function that is meant, or -1. */
static int64_t find_jump(const struct worker *worker, const struct cfg *code,
			 const struct type_resolver_call *call)
{
	int64_t found = -1;

	for (size_t i = 0; i < code->insn_count; i++) {
		struct type_resolver_call copy = *call;
		struct access_question question;

		if (code->insns[i].operation != OP_JUMP ||
		    !is_meant(worker, NULL, &code->insns[i], &copy, &question))
			continue;
		if (found >= 0)
			return -1;
		found = (int64_t)i;
	}
	return found;
}

/* Returns whether the function that was found to be called undoes what is asked about. */
static bool is_undone(const struct type_resolver_call *call)
{
	return any_of(i, 0, call->callee_count,
		      call->callees[i].undoes && call->callees[i].name &&
			      !strcmp(call->callees[i].name, call->callee));
}

/* Returns the call of a function that is meant which control comes by last up to an instruction,
 * or first after it; -1: there is none; -2: there are several, on several ways, or the nearest one
 * undoes what is asked about. */
static int64_t find_call_near(const struct worker *worker, const struct function *function,
			      const struct cfg *code, const struct type_resolver_call *call,
			      size_t from, bool after)
{
	_cleanup_free_ bool *seen = xcalloc(code->block_count, sizeof(*seen));
	_cleanup_free_ uint32_t *queue = xcalloc(code->block_count + 1, sizeof(*queue));
	size_t count = 1;
	int64_t found = -1;

	queue[0] = cfg_block_of(code, from);
	for (size_t i = 0; i < count; i++) {
		const struct basic_block *block = &code->blocks[queue[i]];
		size_t first = i || !after ? block->first : from + 1,
		       end = i || after ? block->first + block->count : from + 1;
		int64_t hit = -1;

		for (size_t at = first; at < end && hit < 0; at++) {
			struct type_resolver_call copy = *call;
			struct access_question question;
			size_t insn = after ? at : first + end - 1 - at;

			if (code->insns[insn].operation == OP_CALL &&
			    is_meant(worker, function, &code->insns[insn], &copy, &question))
				hit = (int64_t)insn;
			if (hit >= 0 && (is_undone(&copy) != after || (found >= 0 && found != hit)))
				return -2;
		}
		if (hit >= 0) {
			found = hit;
			continue;
		}
		if (after) {
			each_successor (to, code, block)
				if (!seen[to])
					seen[queue[count++] = to] = true;
		} else {
			each_predecessor (to, code, block)
				if (!seen[to])
					seen[queue[count++] = to] = true;
		}
	}
	return found;
}

/* Returns the call of a function that is meant which control comes by last before the address, or
 * else first after it; negative: there is none, or it is not known which. */
static int64_t find_nearest_call(const struct worker *worker, const struct function *function,
				 const struct cfg *code, const struct type_resolver_call *call)
{
	int64_t from = bulk_calls_find_call(code, call), found;

	if (from < 0)
		return -1;
	found = find_call_near(worker, function, code, call, (size_t)from, false);
	return found != -1 ? found
			   : find_call_near(worker, function, code, call, (size_t)from, true);
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
	access->index_start = 0;
	access->how = answer->how;
	access->rule = answer->rule;
	access->range = answer->range;
	access->size = 0;
	access->bits = 0;
	if (call->callees || call->object) {
		access->memory = answer->memory;
		access->object_address = answer->object_address;
		access->object_size = answer->object_size;
	}
}

/* Asks for the arguments of all calls of functions that are meant. */
static void bulk_calls_ask_calls(struct worker *worker, const struct function *function,
				 const struct cfg *code, struct type_resolver_call *calls,
				 size_t count, bool jumps)
{
	_cleanup_free_ struct access_question *questions = xcalloc(count, sizeof(*questions));
	_cleanup_free_ size_t *question_of = xcalloc(count, sizeof(*question_of));
	size_t asked = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t insn = jumps ? find_jump(worker, code, &calls[i])
			       : calls[i].nearest
				       ? find_nearest_call(worker, function, code, &calls[i])
				       : bulk_calls_find_call(code, &calls[i]);

		question_of[i] = SIZE_MAX;
		if (insn < 0)
			continue;
		if (jumps && all_of(k, 0, (size_t)insn, code->insns[k].operation == OP_NOP)) {
			calls[i].forwards = is_meant(worker, function, &code->insns[insn],
						     &calls[i], &questions[asked]);
			continue;
		}
		if (!is_meant(worker, function, &code->insns[insn], &calls[i], &questions[asked])) {
			if (calls[i].through)
				calls[i].called =
					find_called(worker->image, function, &code->insns[insn])
						.address;
			continue;
		}
		if (questions[asked].argument == BULK_NO_ARGUMENT)
			continue;
		questions[asked].address = code->insns[insn].address;
		question_of[i] = asked++;
	}
	for (size_t i = 0; worker->answers && i < asked; i++)
		companion_argument(worker->answers, questions[i].address, questions[i].argument,
				   &questions[i].answer);
	if (asked && worker->reader && !worker->answers)
		worker_find_answers(worker, questions, asked);
	for (size_t i = 0; i < count; i++) {
		const struct access_question *question =
			question_of[i] == SIZE_MAX ? NULL : &questions[question_of[i]];

		if (!calls[i].callee)
			continue;
		take_argument(&calls[i], question ? &question->answer : NULL,
			      !worker->reader || !function);
		if (question)
			calls[i].source = question->source;
	}
	for (size_t i = 0; i < asked; i++)
		strbuf_deinit(&questions[i].trace);
}

void solve_function_calls(struct worker *worker, struct type_resolver_call *calls, size_t count,
			  bool jumps)
{
	struct open_function open = { 0 };

	worker_open_function(worker, calls[0].address - (!jumps && !calls[0].at_call), &open);
	if (open.code)
		bulk_calls_ask_calls(worker, open.function, open.code, calls, count, jumps);
	worker_leave_function(worker, &open);
	open_function_deinit(&open);
}
