// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Values of unions as arguments: see union_arguments.h.
 *
 * A parameter has a type and a name. Bulk functions are known by their names (bulk.h). What comes
 * after the parameters of one like printf is told by the text of the format.
 */
#include "annotate/answer/union_arguments.h"

#include "annotate/code/code.h"
#include "annotate/facts/arguments.h"
#include "annotate/facts/bulk.h"
#include "annotate/facts/schedule.h"
#include "annotate/flow/solver.h"
#include "base/text.h"

/* Notes that the value points to bytes. */
static void add_text(struct findings *findings)
{
	struct union_evidence *evidence = findings->evidence;

	findings_class(findings, VALUE_CLASS_POINTER);
	if (evidence->access_count < UNION_ACCESSES_MAX)
		evidence->accesses[evidence->access_count++] =
			(struct union_dereference){ .size = 1 };
}

/* Notes that the value is an argument of a bulk function: compilers know these without a prototype.
 * The string functions are of bytes. */
static void find_in_bulk(const struct solver *solver, const struct union_call *call,
			 const struct bulk_function *function, struct findings *findings)
{
	const struct convention *convention = solver->abi->call;
	const uint8_t pointers[] = { function->writes, function->reads, function->other };

	for (size_t i = 0; i < COUNT_OF(pointers); i++) {
		const uint8_t reg = bulk_register(function, convention, pointers[i]);

		if (reg == REG_NONE)
			continue;
		findings->moved |= call->sum & REG_BIT(reg);
		if (!(call->value & REG_BIT(reg)))
			continue;
		findings->evidence->is_memory = true;
		if (starts_with(function->name, "st"))
			add_text(findings);
		else
			findings_class(findings, VALUE_CLASS_POINTER);
	}
	if (bulk_register(function, convention, function->length) != REG_NONE &&
	    call->value & REG_BIT(bulk_register(function, convention, function->length)))
		findings_class(findings, VALUE_CLASS_NUMBER);
}

/* Returns the name of a parameter of a called function. Compilers write none where a function is
 * only declared; the definition has them. NULL: none is known. */
static const char *name_of_parameter(const struct solver *solver, const struct call_cache *callee,
				     const struct prototype *prototype, size_t parameter)
{
	const char *name = prototype->parameters[parameter].name;
	const struct prototype *definition =
		name || !callee->target || !solver->reader
			? NULL
			: debug_reader_prototype_at(solver->reader, callee->target, callee->target);

	return definition && parameter < definition->parameter_count
		       ? definition->parameters[parameter].name
		       : name;
}

/* ---- formats */

/* The number of the format among the arguments of the C library's functions, which compilers know
 * without a prototype. */
static const struct format_function {
	const char *name;
	uint8_t format;
} format_functions[] = {
	{ "printf", 0 },
	{ "fprintf", 1 },
	{ "sprintf", 1 },
	{ "snprintf", 2 },
	{ "asprintf", 1 },
	{ "dprintf", 1 },
	{ "__printf_chk", 1 },
	{ "__fprintf_chk", 2 },
	{ "__sprintf_chk", 3 },
	{ "__snprintf_chk", 4 },
	{ "__asprintf_chk", 2 },
	{ "__dprintf_chk", 2 },
	{ "syslog", 1 },
	{ "__syslog_chk", 2 },
	{ "error", 2 },
	{ "warnx", 0 },
	{ "errx", 1 },
	{ "warn", 0 },
	{ "err", 1 },
};

/* True for a pointer to characters. */
static bool is_text(const struct type *type)
{
	const struct type *bare = type_strip(type), *target;

	if (!type_is_pointer(bare))
		return false;
	target = type_strip(type_target(bare));
	return target->kind == TYPE_INTEGER && target->name && strcmp(target->name, "char") == 0;
}

/* Returns the number of the argument register that has the format, which is the last one with a
 * parameter; SIZE_MAX: the function gets none. */
static size_t format_argument(struct solver *solver, const struct call_cache *callee,
			      const struct prototype *prototype)
{
	struct argument_walk arguments;
	struct argument argument = { 0 };
	const char *name = callee->target ? solver_callee_name(solver, NULL, callee->target) : NULL;

	for (size_t i = 0; name && i < COUNT_OF(format_functions); i++)
		if (*name == *format_functions[i].name &&
		    strcmp(name, format_functions[i].name) == 0)
			return format_functions[i].format;
	if (!prototype || !prototype->variadic || (name && strstr(name, "scan")))
		return SIZE_MAX;
	arguments_begin(&arguments, solver->abi, prototype);
	while (arguments_next(&arguments, &argument))
		continue;
	return arguments.next && !arguments.lost && is_text(argument.type) &&
			       argument.registers[0] ==
				       solver->abi->call->arguments[arguments.next - 1]
		       ? arguments.next - 1
		       : SIZE_MAX;
}

/* Returns the argument register that has the text which the called function translates; REG_NONE:
 * it translates none. */
static uint8_t translated_register(struct solver *solver, uint32_t insn)
{
	const uint8_t *arguments = solver->abi->call->arguments;
	const uint64_t target = solver_callee(solver, insn)->target;
	const char *name = target ? solver_callee_name(solver, NULL, target) : NULL;

	if (!name || !ends_with(name, "gettext"))
		return REG_NONE;
	return strcmp(name, "gettext") == 0                                      ? arguments[0]
	       : strcmp(name, "dgettext") == 0 || strcmp(name, "dcgettext") == 0 ? arguments[1]
										 : REG_NONE;
}

/* Returns the constant text whose address, or whose translation's, a register has at the call, of
 * at most *size bytes; NULL: it is not known. It is looked for in the block. */
static const char *constant_text(struct solver *solver, const struct union_call *call, uint8_t reg,
				 size_t *size)
{
	const struct cfg *code = solver->code;
	const uint32_t first = code->blocks[cfg_block_of(code, call->insn)].first;
	const struct value *value = &call->state->values[reg];
	uint64_t address = 0;

	if (!(call->written & REG_BIT(reg)) && value->kind == VALUE_ADDRESS && !value->stride)
		address = (uint64_t)value->offset;
	for (uint32_t at = call->insn; !address && at-- > first && reg_is_general(reg);) {
		const struct insn *insn = &code->insns[at];
		const struct operand *from = &insn->operands[1];

		if (!(schedule_written(solver->abi->call, insn) & REG_BIT(reg)))
			continue;
		if (insn->operation == OP_CALL && reg == solver->abi->call->results[0])
			reg = translated_register(solver, at);
		else if (insn->operation == OP_MOVE && operand_is_general(from))
			reg = from->reg;
		else if ((insn->operation == OP_LEA && from->pc_relative) ||
			 (insn->operation == OP_MOVE && from->kind == OPERAND_IMMEDIATE &&
			  solver->options.image_is_fixed))
			address = (uint64_t)from->value;
		else
			return NULL;
	}
	return address ? (const char *)elf_image_bytes(solver->image, address, size) : NULL;
}

/* A walk over the conversions of a format. */
struct format_walk {
	const char *at, *end;
	bool open; /* it is in a conversion, behind a width or a precision */
};

/* Returns the letter of the next conversion that has an argument in a general register, or '*' for
 * a width or precision that is one; 0: there is none, or one that C does not have. */
static char next_conversion(struct format_walk *format)
{
	while (format->at < format->end && *format->at) {
		const char letter = *format->at++;

		if (letter == '%' || !format->open) {
			format->open = letter == '%' && !format->open;
		} else if (!strchr("-+ #'.0123456789hlqjzt", letter)) {
			format->open = letter == '*';
			if (!strchr("eEfFgGaAm", letter))
				return strchr("*diouxXcspn", letter) ? letter : 0;
		}
	}
	return 0;
}

/* Notes that the value is printed. */
static void find_in_format(struct solver *solver, const struct union_call *call,
			   const struct call_cache *callee, const struct prototype *prototype,
			   struct findings *findings)
{
	const struct convention *convention = solver->abi->call;
	size_t number = format_argument(solver, callee, prototype), size = 0;
	const char *text =
		number < convention->argument_count
			? constant_text(solver, call, convention->arguments[number], &size)
			: NULL;
	struct format_walk format = { .at = text, .end = text + size };

	while (text && ++number < convention->argument_count) {
		const char conversion = next_conversion(&format);

		if (!conversion)
			return;
		if (!(call->value & REG_BIT(convention->arguments[number])))
			continue;
		if (conversion == 's')
			add_text(findings);
		else
			findings_class(findings, conversion == 'p' || conversion == 'n'
							 ? VALUE_CLASS_POINTER
							 : VALUE_CLASS_NUMBER);
	}
}

void union_arguments_find(struct solver *solver, const struct union_call *call,
			  const struct prototype *prototype, struct findings *findings)
{
	const struct call_cache *callee = solver_callee(solver, call->insn);
	struct argument_walk arguments;
	struct argument argument;

	if (callee->bulk)
		find_in_bulk(solver, call, callee->bulk, findings);
	if (solver->abi->flatten || solver->abi->passing || callee->own_convention)
		return;
	if (call->value)
		find_in_format(solver, call, callee, prototype, findings);
	if (!prototype || !prototype->prototyped || callee->clone)
		return;
	arguments_begin(&arguments, solver->abi, prototype);
	while (arguments_next(&arguments, &argument)) {
		if (argument.registers[0] == REG_NONE)
			continue;
		if (call->sum & REG_BIT(argument.registers[0]))
			findings_sum_type(findings, argument.type);
		if (!(call->value & REG_BIT(argument.registers[0])))
			continue;
		findings_name(findings,
			      name_of_parameter(solver, callee, prototype, arguments.index - 1));
		findings_type(findings, argument.type, call->size);
	}
}
