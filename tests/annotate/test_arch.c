// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The solver on an architecture that does not exist. It has six general registers, no return
 * address on the stack, conventions unlike those of x86-64, and instructions of four bytes each.
 * All that the solver knows of it is its struct arch, its struct decoder_ops and its struct abi.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "annotate/answer/answer.h"
#include "annotate/flow/flow.h"
#include "annotate/flow/solver.h"
#include "annotate/rules/stages.h"
#include "tests/annotate/made_types.h"

/* ---- the architecture */

enum { T0, T1, T2, T3, T4, FP = T4, SP };

/* Arguments are in t3 and t2, a result is in t1; in x86-64's numbers these are rbx, rcx and rdx. */
static const struct arch toy_arch = {
	.name = "toy",
	.pointer_size = 8,
	.general_count = SP + 1,
	.reg_names = (const char *const[REG_COUNT + 1]){ "t0", "t1", "t2", "t3", "fp", "sp" },
	.dwarf_registers = (const uint8_t[]){ T0, T1, T2, T3, FP, SP },
	.dwarf_register_count = 6,
	.whole_write = 8,
	.insn_length_max = 4,
	.exchange_compared = T0,
	.repeat_counter = REG_NONE,
	.stack_pointer = SP,
	.frame_pointer = FP,
	.entry_cfa = 0,
	.call = { .arguments = { T3, T2 },
		  .argument_count = 2,
		  .results = { T1, T0 },
		  .result_place = T3,
		  .static_chain = REG_NONE,
		  .clobbered = REG_BIT(T0) | REG_BIT(T1) | REG_BIT(T2),
		  .preserved = REG_BIT(T3) | REG_BIT(FP) | REG_BIT(SP) },
	.system_call = { .clobbered = REG_BIT(T3) },
	.segment_names = (const char *const[SEGMENT_COUNT_MAX]){ "" },
	.thread_segment = SEGMENT_ABSENT,
	.per_cpu_segment = SEGMENT_ABSENT,
	.retire_width = 2,
};

static bool classify(const struct type *type, enum argument_class classes[2])
{
	classes[0] = ARGUMENT_INTEGER;
	classes[1] = ARGUMENT_NONE;
	return !type_is_record(type_strip(type));
}

static const char *const none[] = { NULL };

static const struct abi toy_abi = {
	.arch = &toy_arch,
	.call = &toy_arch.call,
	.classify = classify,
	.indirect_thunks = none,
	.interrupt_enablers = none,
};

/* The bytes of an instruction are its number in here. */
static const struct insn *program;

static void decode(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		   struct insn *insn)
{
	uint32_t number;

	(void)decoder;
	assert_true(size >= sizeof(number));
	memcpy(&number, bytes, sizeof(number));
	*insn = program[number];
	insn->address = address;
	insn->length = sizeof(number);
	if (insn->operation != OP_BRANCH)
		insn->condition = CONDITION_NONE;
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind == OPERAND_REGISTER) {
			insn->read |= (uint64_t)operand->read << operand->reg;
			insn->written |= (uint64_t)operand->write << operand->reg;
		} else if (operand->kind == OPERAND_MEMORY) {
			insn->read |= REG_BIT(operand->base);
		}
	}
}

static const struct decoder_ops toy_ops = { .decode = decode };
static struct decoder toy_decoder = { .ops = &toy_ops, .arch = &toy_arch };

#define START UINT64_C(0x1000)

/* ---- instructions */

/* clang-format off */
#define GET(number)      { .kind = OPERAND_REGISTER, .size = 8, .reg = number, .read = true }
#define SET(number)      { .kind = OPERAND_REGISTER, .size = 8, .reg = number, .write = true }
#define AT(number, from) .kind = OPERAND_MEMORY, .size = 8, .base = number, .index = REG_NONE, .scale = 1, \
			 .value = from
#define TO(index)        { .kind = OPERAND_IMMEDIATE, .size = 8, .value = (int64_t)(START + 4 * (index)) }
#define OPERANDS(...)    (sizeof((struct operand[]){ __VA_ARGS__ }) / sizeof(struct operand))
#define INSN(what, ...)  { .operation = what, .operand_count = OPERANDS(__VA_ARGS__), .operands = { __VA_ARGS__ } }

#define LOAD(to, base, offset)    INSN(OP_MOVE, SET(to), { AT(base, offset), .read = true })
#define STORE(base, offset, from) INSN(OP_MOVE, { AT(base, offset), .write = true }, GET(from))
#define MOVE(to, from)            INSN(OP_MOVE, SET(to), GET(from))
#define CALL(through)             INSN(OP_CALL, GET(through))
#define SYSTEM_CALL               { .operation = OP_SYSTEM_CALL, .written = REG_BIT(T3) }
#define BRANCH(index)             INSN(OP_BRANCH, TO(index))
#define JUMP(index)               INSN(OP_JUMP, TO(index))
#define RETURN                    { .operation = OP_RETURN }
/* clang-format on */

/* ---- a function and its solution */

/* void f(struct node *node, struct node **place), with one call of a function that returns a struct
 * node *. */
struct made {
	struct made_types types;
	const struct type *node, *pointer;
	struct parameter parameters[2];
	struct prototype prototype, callee;
	struct call_site site;
	struct address_range range;
	struct function function;
	struct cfg *code;
	struct solver solver;
	struct data_flow *flow;
};

static void made_open(struct made *made, const struct insn *insns, uint32_t count, uint32_t call)
{
	uint32_t bytes[16];
	struct cfg_range range = { .address = START,
				   .size = 4 * count,
				   .bytes = (const uint8_t *)bytes };

	*made = (struct made){ 0 };
	made_types_init(&made->types);

	const struct type *number = made_integer(&made->types, "long", 8);

	made->node = MADE_STRUCT(&made->types, "node", 24, { .name = "key", .type = number },
				 { .name = "value", .type = number, .offset = 8 },
				 { .name = "other", .type = number, .offset = 16 });
	made->pointer = made_pointer(&made->types, made->node);
	made->parameters[0] = (struct parameter){ .name = "node", .type = made->pointer };
	made->parameters[1] =
		(struct parameter){ .name = "place",
				    .type = made_pointer(&made->types, made->pointer) };
	made->prototype = (struct prototype){ .return_type = number,
					      .parameters = made->parameters,
					      .parameter_count = 2,
					      .prototyped = true };
	made->callee = (struct prototype){ .return_type = made->pointer, .prototyped = true };
	made->site = (struct call_site){ .return_address = START + 4 * call + 4,
					 .callee = &made->callee };
	made->range = (struct address_range){ START, START + range.size };
	made->function = (struct function){ .name = "f",
					    .ranges = &made->range,
					    .range_count = 1,
					    .prototype = &made->prototype,
					    .arguments_by_abi = true,
					    .call_sites = &made->site,
					    .call_site_count = 1 };
	program = insns;
	for (uint32_t i = 0; i < count; i++)
		bytes[i] = i;
	assert_null(cfg_build(&toy_decoder,
			      &(struct cfg_request){ .ranges = &range, .range_count = 1 },
			      &made->code));
	solver_init(&made->solver, &toy_abi, NULL, NULL, &(struct solver_options){ .check = true });
	made->solver.function = &made->function;
	made->solver.code = made->code;
	facts_build(&made->solver.facts, &toy_abi, &made->function, made->solver.code);
	rules_believe(&made->solver);
	made->flow = flow_create(&made->solver);
	flow_start(made->flow, true);
	for (uint32_t i = 0; i < made->code->block_count; i++)
		flow_want(made->flow, i);
	flow_solve(made->flow);
}

static void made_close(struct made *made)
{
	flow_finish(made->flow);
	flow_destroy(made->flow);
	solver_deinit(&made->solver);
	cfg_destroy(made->code);
	made_types_deinit(&made->types);
}

struct visited {
	uint32_t insn;
	struct access access;
};

static bool visit(struct solver *solver, const struct state *state, uint32_t insn, void *data)
{
	struct visited *visited = data;

	if (insn == visited->insn)
		visited->access = solver_answer(solver, state, insn, false);
	return true;
}

static struct access access_of(struct made *made, uint32_t insn)
{
	struct visited visited = { .insn = insn };

	flow_visit(made->flow, cfg_block_of(made->code, insn), visit, &visited);
	return visited.access;
}

static void assert_node(struct made *made, uint32_t insn, int64_t offset)
{
	struct access access = access_of(made, insn);

	assert_int_equal(access.kind, ACCESS_TYPE);
	assert_ptr_equal(access.type, type_canonical(made->node));
	assert_int_equal(access.offset, offset);
}

static void assert_nothing_known(struct made *made, uint32_t insn)
{
	assert_int_equal(access_of(made, insn).kind, ACCESS_UNKNOWN);
}

#define OPEN(made, call, ...)                                                                      \
	made_open(made, (const struct insn[]){ __VA_ARGS__ },                                      \
		  sizeof((const struct insn[]){ __VA_ARGS__ }) / sizeof(struct insn), call)

/* ---- the tests */

static void arguments_are_where_the_convention_puts_them(void **state)
{
	struct made made;

	(void)state;
	OPEN(&made, 9, LOAD(T0, T3, 8), LOAD(T0, T2, 0), LOAD(T0, T0, 16), LOAD(T0, T1, 8), RETURN);
	assert_node(&made, 0, 8);
	assert_node(&made, 2, 16);
	assert_nothing_known(&made, 3);
	made_close(&made);
}

static void a_call_changes_its_clobbers_alone(void **state)
{
	struct made made;

	(void)state;
	OPEN(&made, 9, MOVE(FP, T3), MOVE(T0, T3), CALL(T1), LOAD(T1, FP, 8), LOAD(T1, T3, 8),
	     LOAD(T1, T0, 8), RETURN);
	assert_node(&made, 3, 8);
	assert_node(&made, 4, 8);
	assert_nothing_known(&made, 5);
	made_close(&made);
}

static void a_result_is_where_the_convention_puts_it(void **state)
{
	struct made made;

	(void)state;
	OPEN(&made, 0, CALL(T0), LOAD(T2, T1, 16), LOAD(T2, T0, 16), RETURN);
	assert_node(&made, 1, 16);
	assert_nothing_known(&made, 2);
	made_close(&made);
}

static void a_system_call_changes_its_own_clobbers(void **state)
{
	struct made made;

	(void)state;
	OPEN(&made, 9, MOVE(T0, T3), SYSTEM_CALL, LOAD(T1, T0, 8), LOAD(T1, T3, 8), RETURN);
	assert_node(&made, 2, 8);
	assert_nothing_known(&made, 3);
	made_close(&made);
}

static bool visit_stack(struct solver *solver, const struct state *state, uint32_t insn, void *data)
{
	(void)solver;
	if (insn == 0)
		*(struct value *)data = state->values[SP];
	return true;
}

static void the_stack_is_that_of_the_architecture(void **state)
{
	struct made made;
	struct value sp = { 0 };

	(void)state;
	OPEN(&made, 9, STORE(SP, -16, T3), MOVE(T3, T0), LOAD(T1, SP, -16), LOAD(T0, T1, 8),
	     RETURN);
	assert_node(&made, 3, 8);
	/* the CFA is the stack pointer at the entry: no call has pushed anything */
	flow_visit(made.flow, 0, visit_stack, &sp);
	assert_int_equal(sp.kind, VALUE_FRAME);
	assert_int_equal(sp.offset, 0);
	made_close(&made);
}

/* A path on which the pointer was lost meets one on which it was not. */
static void paths_meet(void **state)
{
	struct made made;

	(void)state;
	OPEN(&made, 9, MOVE(T0, T3), MOVE(T1, T3), BRANCH(4), LOAD(T1, T2, 0), LOAD(T2, T0, 8),
	     LOAD(T2, T1, 16), RETURN);
	assert_int_equal(made.code->block_count, 3);
	assert_node(&made, 4, 8);
	assert_node(&made, 5, 16);
	made_close(&made);
	OPEN(&made, 9, MOVE(T0, T3), BRANCH(3), LOAD(T0, T0, 0), LOAD(T2, T0, 8), RETURN);
	assert_nothing_known(&made, 3);
	made_close(&made);
}

static bool to_return(void *data, uint64_t target, uint8_t *reg)
{
	(void)data;
	*reg = REG_NONE;
	return target == START + 400;
}

static void a_thunk_returns_by_the_stack_pointer(void **state)
{
	const struct insn insns[] = { JUMP(100) };
	const uint32_t bytes = 0;
	const struct cfg_range range = { .address = START,
					 .size = 4,
					 .bytes = (const uint8_t *)&bytes };
	struct cfg *code;

	(void)state;
	program = insns;
	assert_null(cfg_build(
		&toy_decoder,
		&(struct cfg_request){ .ranges = &range, .range_count = 1, .thunk = to_return },
		&code));
	assert_int_equal(code->insns[0].operation, OP_RETURN);
	assert_int_equal(code->insns[0].operands[0].base, SP);
	assert_int_equal(code->insns[0].written, REG_BIT(SP));
	cfg_destroy(code);
}

/* gcc 16 says of __first of std::__adjust_heap() that it is in a register to which the code has
 * copied the index long before. */
static void a_passed_record_ends_where_a_number_is_copied(void **state)
{
	struct made made;
	struct facts facts;
	struct location at[] = {
		{ .low = START, .high = START + 12, .kind = LOCATION_REGISTER, .reg = T3 },
		{ .low = START, .high = START + 12, .kind = LOCATION_REGISTER, .reg = T2 },
	};
	struct scope scope = { .ranges = &made.range, .range_count = 1 };

	(void)state;
	OPEN(&made, 9, MOVE(T3, T2), LOAD(T0, T3, 8), RETURN);
	struct variable variables[] = {
		{ .type = MADE_STRUCT(&made.types, "iterator", 8, { .type = made.pointer }),
		  .flags = VARIABLE_PARAMETER,
		  .locations = &at[0],
		  .location_count = 1 },
		{ .type = made_integer(&made.types, "long", 8),
		  .flags = VARIABLE_PARAMETER,
		  .locations = &at[1],
		  .location_count = 1 },
	};
	made.function.variables = variables;
	made.function.variable_count = 2;
	made.function.scopes = &scope;
	made.function.scope_count = 1;
	facts_build(&facts, &toy_abi, &made.function, made.code);
	assert_ptr_equal(facts_register(&facts, T3, START)->value.type, type_canonical(made.node));
	assert_null(facts_register(&facts, T3, START + 4));
	facts_deinit(&facts);
	made.function.variable_count = 0;
	made_close(&made);
}

static void architectures_are_found(void **state)
{
	(void)state;
	assert_ptr_equal(arch_of_machine(arch_x86_64.elf_machine), &arch_x86_64);
	assert_ptr_equal(arch_named("x86_64"), &arch_x86_64);
	assert_ptr_equal(abi_of(&arch_x86_64), &abi_x86_64);
	assert_null(arch_of_machine(toy_arch.elf_machine));
	assert_null(arch_named("toy"));
	assert_null(abi_of(&toy_arch));

	struct error *error = decoder_check(&toy_arch);

	assert_non_null(error);
	error_destroy(error);
	assert_null(decoder_create(&toy_arch));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_where_the_convention_puts_them),
		cmocka_unit_test(a_call_changes_its_clobbers_alone),
		cmocka_unit_test(a_result_is_where_the_convention_puts_it),
		cmocka_unit_test(a_system_call_changes_its_own_clobbers),
		cmocka_unit_test(the_stack_is_that_of_the_architecture),
		cmocka_unit_test(paths_meet),
		cmocka_unit_test(a_thunk_returns_by_the_stack_pointer),
		cmocka_unit_test(a_passed_record_ends_where_a_number_is_copied),
		cmocka_unit_test(architectures_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
