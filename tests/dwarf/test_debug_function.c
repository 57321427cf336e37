// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions of compiled programs: scopes, variables, call sites, prototypes, frame information. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/strbuf.h"
#include "tests/support/debug_program.h"

static const struct debug_source sources[] = {
	{ "functions_a.c", NULL },
	{ "functions_b.c", NULL },
	{ NULL, NULL },
};

static const debug_form forms[] = {
	{ "gcc", "-gdwarf-5 -O2" },
	{ "gcc", "-gdwarf-4 -O2" },
	{ "gcc", "-gdwarf-2 -O2" },
	{ "gcc", "-gdwarf-5 -O0" },
	{ "gcc", "-gdwarf-3 -O0" },
	{ "gcc", "-gdwarf-5 -O3 -fno-omit-frame-pointer" },
	{ "gcc", "-gdwarf-5 -O2 -gsplit-dwarf" },
	{ "gcc", "-gdwarf-4 -Os" },
	{ "gcc", "-g -O2 -fno-asynchronous-unwind-tables" },
	{ "clang", "-gdwarf-5 -O2" },
	{ "clang", "-gdwarf-4 -O2" },
	{ "clang", "-gdwarf-5 -O0" },
	{ "clang", "-gdwarf-4 -O2 -gsplit-dwarf" },
	{ "clang", "-gdwarf-5 -O2 -gsplit-dwarf=single",
	  "clang -gdwarf-5 -O2 -gsplit-dwarf=single -c functions_[ab].c && clang functions_[ab].o "
	  "-o prog" },
};

static void for_each_form(void (*check)(struct debug_program *program))
{
	debug_program_each_form(forms, sizeof(forms) / sizeof(*forms), sources, check);
}

/* Outside of its scope a location means nothing. */
static bool lies_in(const struct location *location, const struct scope *scope)
{
	if (!location->low && location->high == UINT64_MAX)
		return true;
	for (size_t i = 0; i < scope->range_count; i++) {
		if (location->low < scope->ranges[i].high && location->high > scope->ranges[i].low)
			return true;
	}
	return false;
}

static void check_shape(const struct function *function)
{
	assert_true(function->range_count > 0);
	assert_true(function->scope_count > 0);
	assert_int_equal(function->scopes[0].parent, 0);
	assert_int_equal(function->scopes[0].depth, 0);
	assert_ptr_equal(function->scopes[0].ranges, function->ranges);
	for (size_t i = 1; i < function->scope_count; i++) {
		const struct scope *scope = &function->scopes[i];

		assert_true(scope->parent < i);
		assert_int_equal(scope->depth, function->scopes[scope->parent].depth + 1);
	}
	for (size_t i = 0; i < function->variable_count; i++) {
		const struct variable *variable = &function->variables[i];

		assert_true(variable->scope < function->scope_count);
		assert_true(variable->location_count || !(variable->flags & VARIABLE_PARAMETER));
		if (i)
			assert_true(function->scopes[variable->scope].depth >=
				    function->scopes[variable[-1].scope].depth);
		for (size_t j = 0; j < variable->location_count; j++)
			assert_true(lies_in(&variable->locations[j], &function->scopes[0]));
	}
}

static const struct frame_row *row_at(const struct function *function, uint64_t address)
{
	const struct frame_row *found = NULL;

	for (size_t i = 0; i < function->frame_row_count; i++) {
		const struct frame_row *row = &function->frame_rows[i];

		if (i)
			assert_true(row[-1].high <= row->low);
		if (address >= row->low && address < row->high)
			found = row;
	}
	return found;
}

static void check_frame(const struct function *function)
{
	for (size_t i = 0; i < function->range_count; i++) {
		for (uint64_t at = function->ranges[i].low; at < function->ranges[i].high; at++) {
			if (!row_at(function, at))
				fail_msg("%s: no frame row", function->name);
		}
	}
	/* by the ABI, the return address is on top of the stack at the entry (rsp is register 7) */
	const struct frame_row *entry = row_at(function, function->ranges[0].low);

	assert_int_equal(entry->kind, CFA_REGISTER);
	assert_int_equal(entry->reg, 7);
	assert_int_equal(entry->offset, 8);
}

static void every_function_is_whole(struct debug_program *program)
{
	static const char *const names[] = { "sum",   "split",        "aligned", "tail",
					     "calls", "scopes",       "main",    "variadic",
					     "leave", "unprototyped", "use" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct function *function = debug_program_function(program, names[i]);
		const struct symbol *symbol = elf_image_symbol_named(program->image, names[i]);
		struct function *again;
		uint64_t entry;

		assert_string_equal(function->name, names[i]);
		assert_string_equal(function->prototype->name, names[i]);
		assert_int_equal(function->language, LANGUAGE_C);
		assert_int_equal(function->ranges[0].low, symbol->address);
		check_shape(function);
		check_frame(function);
		assert_true(debug_reader_function_entry(program->reader, symbol->address + 1,
							&entry, NULL));
		assert_int_equal(entry, symbol->address);
		again = debug_reader_function(program->reader, function->ranges[0].high - 1);
		assert_int_equal(again->ranges[0].low, function->ranges[0].low);
		function_destroy(again);
		function_destroy(function);
	}
}

static const struct variable *must_have(const struct function *function, const char *name)
{
	const struct variable *variable = function_variable(function, name);

	if (!variable)
		fail_msg("%s has no variable %s", function->name, name);
	return variable;
}

static void parameters(struct debug_program *program)
{
	struct function *sum = debug_program_function(program, "sum");
	const struct variable *list = must_have(sum, "list"), *by = must_have(sum, "by");

	assert_string_equal(name_of(list->type), "struct node*");
	assert_int_equal(list->flags, VARIABLE_PARAMETER);
	assert_int_equal(list->scope, 0);
	assert_int_equal(list->parameter_index, 0);
	assert_int_equal(by->parameter_index, 1);
	assert_int_equal(sum->prototype->parameter_count, 2);
	assert_string_equal(sum->prototype->parameters[1].name, "by");
	assert_string_equal(name_of(sum->prototype->parameters[1].type), "int");
	assert_true(sum->prototype->prototyped);
	assert_false(sum->prototype->variadic);
	function_destroy(sum);
}

static void inlined_calls(struct debug_program *program)
{
	struct function *sum = debug_program_function(program, "sum");
	size_t inlined = 0, parameters_seen = 0;

	for (size_t i = 0; i < sum->scope_count; i++)
		inlined += sum->scopes[i].inlined && strcmp(sum->scopes[i].name, "walk") == 0;
	for (size_t i = 0; i < sum->variable_count; i++) {
		const struct variable *variable = &sum->variables[i];

		if (!sum->scopes[variable->scope].inlined)
			continue;
		if (strcmp(variable->name, "factor") == 0) {
			assert_true(variable->flags & VARIABLE_PARAMETER);
			assert_int_equal(variable->parameter_index, 1);
			parameters_seen++;
		}
	}
	assert_true(inlined > 0);
	assert_true(parameters_seen > 0);
	function_destroy(sum);
}

static void lexical_blocks(struct debug_program *program)
{
	struct function *scopes = debug_program_function(program, "scopes");
	const struct variable *inner = must_have(scopes, "inner"),
			      *second = must_have(scopes, "second");

	assert_true(inner->scope > 0);
	assert_true(second->scope > 0);
	assert_int_not_equal(inner->scope, second->scope);
	assert_false(scopes->scopes[second->scope].inlined);
	assert_true(scopes->scopes[second->scope].range_count > 0);
	function_destroy(scopes);
}

static const struct call_site *call_of(const struct function *function, const char *callee)
{
	for (size_t i = 0; i < function->call_site_count; i++) {
		const struct prototype *prototype = function->call_sites[i].callee;

		if (callee ? prototype && prototype->name && strcmp(prototype->name, callee) == 0
			   : !prototype)
			return &function->call_sites[i];
	}
	return NULL;
}

static void call_sites(struct debug_program *program)
{
	struct function *calls = debug_program_function(program, "calls");

	for (size_t i = 1; i < calls->call_site_count; i++)
		assert_true(calls->call_sites[i - 1].return_address <=
			    calls->call_sites[i].return_address);
	/* compilers write them only in optimized code */
	if (calls->call_site_count) {
		const struct call_site *leave = call_of(calls, "leave");

		assert_non_null(leave);
		assert_int_equal(leave->callee->return_type->kind, TYPE_VOID);
		assert_int_equal(leave->callee->parameter_count, 0);
		assert_non_null(call_of(calls, NULL));
	}
	function_destroy(calls);
}

static void prototypes(struct debug_program *program)
{
	const struct prototype *variadic =
		debug_reader_prototype_named(program->reader, "variadic", 0);
	const struct symbol *use = elf_image_symbol_named(program->image, "use");
	const struct prototype *at = debug_reader_prototype_at(program->reader, use->address, 0);

	assert_non_null(variadic);
	assert_true(variadic->variadic);
	assert_int_equal(variadic->parameter_count, 1);
	assert_string_equal(name_of(variadic->parameters[0].type), "char*");
	assert_non_null(at);
	assert_string_equal(at->name, "use");
	assert_null(debug_reader_prototype_at(program->reader, use->address + 1, 0));
	assert_null(debug_reader_prototype_named(program->reader, "no_such_function", 0));
	assert_string_equal(
		name_of(debug_reader_prototype_named(program->reader, "sum", 0)->return_type),
		name_of(type_member(debug_program_type(program, "struct node"), "key")->type));
}

static void realigned_stacks(struct debug_program *program)
{
	struct function *aligned = debug_program_function(program, "aligned");
	const struct variable *wide = must_have(aligned, "wide"),
			      *vla = function_variable(aligned, "vla");
	bool by_frame_pointer = false;

	assert_string_equal(name_of(wide->type), "char[]");
	assert_int_equal(type_size_or(wide->type, 0), 64);
	/* the size of a VLA is not known */
	if (vla)
		assert_int_equal(type_array_count(type_strip(vla->type)), 0);
	for (size_t i = 0; i < aligned->frame_row_count; i++)
		by_frame_pointer |= aligned->frame_rows[i].reg == 6 ||
				    aligned->frame_rows[i].kind == CFA_INDIRECT;
	assert_true(by_frame_pointer);
	function_destroy(aligned);
}

static void everything(struct debug_program *program)
{
	every_function_is_whole(program);
	parameters(program);
	lexical_blocks(program);
	call_sites(program);
	prototypes(program);
	realigned_stacks(program);
	inlined_calls(program);
}

static void functions_of_both_compilers(void **state)
{
	(void)state;
	for_each_form(everything);
}

/* The text of all that a thread finds. */
struct shared {
	struct debug_program *program;
	const struct symbol *symbols;
	struct strbuf texts[8];
};

static void describe(const struct function *function, struct strbuf *text)
{
	for (size_t i = 0; i < function->variable_count; i++) {
		const struct variable *variable = &function->variables[i];
		size_t count;

		strbuf_add_format(text, "%s %s %p", variable->name ? variable->name : "-",
				  type_name_interned(variable->type),
				  (const void *)type_canonical(variable->type));
		type_members(type_strip(variable->type), &count);
		strbuf_add_format(text, " %zu %zu\n", variable->location_count, count);
	}
	for (size_t i = 0; i < function->call_site_count; i++)
		strbuf_add_format(text, "%p\n", (const void *)function->call_sites[i].callee);
}

static void read_all(size_t item, unsigned int thread, void *data)
{
	struct shared *shared = data;
	struct debug_reader *reader;
	size_t count;
	const struct symbol *symbols = elf_image_symbols(shared->program->image, &count);

	(void)thread;
	reader = debug_reader_open(shared->program->object);
	for (size_t i = 0; i < count; i++) {
		/* each thread begins at its own end, so that they meet */
		struct function *function = NULL;
		size_t at = item % 2 ? count - 1 - i : i;

		function = debug_reader_function(reader, symbols[at].address);
		if (function && item % 2 == 0)
			describe(function, &shared->texts[item]);
		function_destroy(function);
	}
	debug_reader_close(reader);
}

static void threads_find_the_same(void **state)
{
	static const struct strbuf empty = STRBUF_INIT;
	struct debug_program program;
	struct shared shared = { .program = &program };

	(void)state;
	if (!debug_program_build(&program, "cc", "-g -O2", sources))
		skip_because("there is no cc here");
	for (size_t i = 0; i < 8; i++)
		shared.texts[i] = empty;
	parallel_for(8, 8, read_all, &shared);
	assert_true(shared.texts[0].length > 100);
	for (size_t i = 2; i < 8; i += 2)
		assert_string_equal(shared.texts[0].data, shared.texts[i].data);
	for (size_t i = 0; i < 8; i++)
		strbuf_deinit(&shared.texts[i]);
	debug_program_close(&program);
}

static void realigned_by_expression(void **state)
{
	static const struct debug_source source[] = {
		{ "deep_a.c", NULL },
		{ "deep_b.c", NULL },
		{ NULL, NULL },
	};
	struct debug_program program;
	bool indirect = false;

	(void)state;
	/* gcc keeps the CFA of a function whose own arguments lie above a realigned stack in the
	 * frame */
	if (!debug_program_build(&program, "gcc", "-g -O2", source))
		skip_because("there is no gcc here");

	struct function *deep = debug_program_function(&program, "deep");

	check_frame(deep);
	for (size_t i = 0; i < deep->frame_row_count; i++)
		indirect |= deep->frame_rows[i].kind == CFA_INDIRECT;
	assert_true(indirect);
	function_destroy(deep);
	debug_program_close(&program);
}

/* Returns the location of a variable at an address; NULL: there is none. */
static const struct location *location_at(const struct variable *variable, uint64_t address)
{
	for (size_t i = 0; i < variable->location_count; i++)
		if (address >= variable->locations[i].low && address < variable->locations[i].high)
			return &variable->locations[i];
	return NULL;
}

/* DWARF 2 cannot name the CFA. Under -gstrict-dwarf gcc therefore writes the frame base as a list:
 * %rsp + 8 at the entry, and %rbp + 16 once %rbp is set up. */
static void frame_bases_that_are_lists(void **state)
{
	static const struct debug_source source[] = {
		{ "taken.c", NULL },
		{ NULL, NULL },
	};
	struct debug_program program;

	(void)state;
	if (!debug_program_build(&program, "gcc",
				 "-gdwarf-2 -gstrict-dwarf -O0 -fno-omit-frame-pointer", source))
		skip_because("there is no gcc here that writes DWARF 2");

	struct function *take = debug_program_function(&program, "take");
	const struct variable *local = function_variable(take, "local");
	uint64_t entry = take->ranges[0].low, last = take->ranges[0].high - 1;

	assert_int_equal(take->frame_base.kind, FRAME_BASE_NONE);
	assert_non_null(local);

	const struct location *first = location_at(local, entry);
	const struct location *middle = location_at(local, entry + (last - entry) / 2);

	assert_non_null(first);
	assert_non_null(middle);
	assert_int_equal(first->kind, LOCATION_MEMORY);
	assert_int_equal(first->reg, 7);
	assert_int_equal(middle->kind, LOCATION_MEMORY);
	assert_int_equal(middle->reg, 6);
	/* one place, from two bases that are a pushed register apart */
	assert_int_equal(middle->offset - first->offset, 8);
	for (size_t i = 1; i < local->location_count; i++)
		assert_true(local->locations[i].low >= local->locations[i - 1].high);
	function_destroy(take);
	debug_program_close(&program);
}

/* The DIE of patched() begins at body, behind two no-ops of the symbol `patched`, and ends with it.
 * That of other() has code elsewhere than the symbol `other`. */
static const char patched_source[] =
	"struct s { int a, b; };\n"
	"__asm__(\".type patched,@function\\npatched: nop\\nnop\");\n"
	"__attribute__((noinline)) int patched(struct s *s) __asm__(\"body\");\n"
	"int patched(struct s *s) { return s->a + s->b; }\n"
	"__asm__(\".size patched, .-patched\\n.type other,@function\\nother: nop\\nnop\\n"
	".size other, .-other\");\n"
	"__attribute__((noinline)) int other(struct s *s) __asm__(\"another\");\n"
	"int other(struct s *s) { return s->b; }\n"
	"int main(int c, char **v) { struct s s = { c, 2 }; return patched(&s) + other(&s); }\n";

static struct function *function_of_symbol(struct debug_program *program, const char *symbol,
					   uint64_t offset)
{
	uint64_t address = elf_image_symbol_named(program->image, symbol)->address + offset;
	struct function *function;

	function = debug_reader_function(program->reader, address);
	return function;
}

/* As gcc describes functions with patchable entries for arm64. */
static void entries_before_the_code_that_is_described(void **state)
{
	static const struct debug_source source[] = { { "patched.c", patched_source },
						      { NULL, NULL } };
	struct debug_program program;

	(void)state;
	assert_true(debug_program_build(
		&program, "gcc", "-g -O2 -fno-toplevel-reorder -falign-functions=1", source));
	for (uint64_t offset = 0; offset < 2; offset++) {
		struct function *function = function_of_symbol(&program, "patched", offset);

		assert_non_null(function);
		assert_string_equal(function->name, "patched");
		assert_false(function->arguments_by_abi);
		assert_int_equal(function->range_count, 1);
		assert_int_equal(function->ranges[0].low,
				 elf_image_symbol_named(program.image, "patched")->address);
		assert_int_equal(function->variable_count, 1);
		function_destroy(function);
	}
	assert_null(function_of_symbol(&program, "other", 0));
	debug_program_close(&program);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_of_both_compilers),
		cmocka_unit_test(threads_find_the_same),
		cmocka_unit_test(realigned_by_expression),
		cmocka_unit_test(frame_bases_that_are_lists),
		cmocka_unit_test(entries_before_the_code_that_is_described),
	};

	return cmocka_run_group_tests_name("functions", tests, NULL, NULL);
}
