// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The answer for an instruction does not depend on which others are asked about, nor on whether a
 * trace is wanted: the solver leaves out parts of a function, and registers, only if they cannot
 * matter. The functions are those of this program. Its PLT stubs, which no debug information
 * describes, have an answer, too.
 */
#include "tests/support/unit.h"

#include <elf.h>

#include "annotate/solve/type_resolver.h"
#include "base/memory.h"

/* The number of functions that are tested, and the limits of their sizes. */
#define FUNCTIONS  60
#define SIZE_LEAST 200
#define SIZE_MOST  1200

struct program {
	struct elf_image *image;
	struct debug_object *debug;
	struct type_resolver *resolver;
	struct type_resolver *telling; /* solves the whole function */
};

static void must(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

static void hear(void *data, uint64_t address, const char *text)
{
	(void)data, (void)address, (void)text;
}

static int set_up(void **state)
{
	struct program *program = xcalloc(1, sizeof(*program));
	struct type_resolver_options options = { .threads = 1 },
				     telling = { .threads = 1, .trace = hear };

	must(elf_image_open("/proc/self/exe", &program->image));
	must(debug_object_open(program->image, program->image, &program->debug));
	must(type_resolver_create(program->image, program->debug, &options, &program->resolver));
	must(type_resolver_create(program->image, program->debug, &telling, &program->telling));
	*state = program;
	return 0;
}

static int tear_down(void **state)
{
	struct program *program = *state;

	type_resolver_destroy(program->telling);
	type_resolver_destroy(program->resolver);
	debug_object_close(program->debug);
	elf_image_close(program->image);
	free(program);
	return 0;
}

static void assert_same(const struct symbol *function, const char *way, const struct access *alone,
			const struct access *among)
{
	if (alone->kind != among->kind || alone->reason != among->reason ||
	    alone->how != among->how || alone->type != among->type ||
	    alone->offset != among->offset || alone->bits != among->bits ||
	    alone->memory != among->memory)
		fail_msg("%s+%#llx: %s kind %u, reason %u, how %u, offset %lld, "
			 "among others kind %u, reason %u, how %u, offset %lld",
			 function->name, (unsigned long long)(alone->address - function->address),
			 way, alone->kind, alone->reason, alone->how, (long long)alone->offset,
			 among->kind, among->reason, among->how, (long long)among->offset);
}

/* Returns the number of accesses in the function. */
static size_t check_function(struct program *program, const struct symbol *function)
{
	size_t count = function->size, accesses = 0;
	_cleanup_free_ uint64_t *addresses = xcalloc(count, sizeof(*addresses));
	_cleanup_free_ struct access *all = xcalloc(count, sizeof(*all));
	_cleanup_free_ struct access *told = xcalloc(count, sizeof(*told));

	for (size_t i = 0; i < count; i++)
		addresses[i] = function->address + i;
	type_resolver_resolve(program->resolver, addresses, NULL, count, all);
	type_resolver_resolve(program->telling, addresses, NULL, count, told);
	for (size_t i = 0; i < count; i++) {
		struct access alone;

		assert_same(function, "told", &told[i], &all[i]);
		if (all[i].kind == ACCESS_NO_CODE || all[i].kind == ACCESS_NO_MEMORY ||
		    all[i].kind == ACCESS_STACK)
			continue;
		type_resolver_resolve(program->resolver, &addresses[i], NULL, 1, &alone);
		assert_same(function, "alone", &alone, &all[i]);
		accesses++;
	}
	return accesses;
}

static void answers_do_not_depend_on_other_questions(void **state)
{
	struct program *program = *state;
	size_t count, functions = 0, accesses = 0;
	const struct symbol *symbols = elf_image_symbols(program->image, &count);

	for (size_t i = 0; i < count && functions < FUNCTIONS; i++) {
		if (symbols[i].type != STT_FUNC || symbols[i].size < SIZE_LEAST ||
		    symbols[i].size > SIZE_MOST)
			continue;
		functions++;
		accesses += check_function(program, &symbols[i]);
	}
	assert_int_equal(functions, FUNCTIONS);
	assert_true(accesses > FUNCTIONS);
}

/* count_second() gets a record from two functions. One of them passes on what it got itself, and
 * only its own caller knows that this is another type. */
struct first {
	long a, b;
};
struct second {
	long a, b, c;
};

static __attribute__((noinline)) void count_second(void *data)
{
	((struct second *)data)->c++;
}

static __attribute__((noinline)) void count_first(void *data)
{
	((struct first *)data)->b++;
	count_second(data);
}

static __attribute__((noinline)) void count_both(struct first *first, struct second *second)
{
	count_first(first);
	count_second(second);
}

/* Asks a new resolver, which no other question has taught anything. */
static void ask_anew(struct program *program, const uint64_t *addresses, size_t count,
		     struct access *answers)
{
	struct type_resolver_options options = { .threads = 1 };
	struct type_resolver *resolver;

	must(type_resolver_create(program->image, program->debug, &options, &resolver));
	type_resolver_resolve(resolver, addresses, NULL, count, answers);
	type_resolver_destroy(resolver);
}

static void facts_of_other_functions_do_not_depend_on_other_questions(void **state)
{
	struct program *program = *state;
	const struct symbol *symbol = elf_image_symbol_named(program->image, "count_second");
	const struct symbol *other = elf_image_symbol_named(program->image, "count_first");
	static struct second record;
	void *volatile hidden = &record; /* the compiler makes no copies for a known record */
	uint64_t addresses[256];
	struct access all[256], alone;
	size_t count = 0;

	count_both(hidden, hidden);
	assert_int_equal(record.c, 2);
	assert_true(symbol && other && symbol->size + other->size <= 256);
	for (size_t i = 0; i < symbol->size; i++)
		addresses[count++] = symbol->address + i;
	for (size_t i = 0; i < other->size; i++)
		addresses[count++] = other->address + i;
	ask_anew(program, addresses, count, all);
	for (size_t i = 0; i < symbol->size; i++) {
		ask_anew(program, &addresses[i], 1, &alone);
		assert_same(symbol, "alone", &alone, &all[i]);
	}
}

#ifdef __x86_64__
static __attribute__((used)) long some_numbers[100] = { 1 }, more_numbers[100] = { 2 };

/* Reaches an array from the address of another one, as gcc does for arrays of a COMMON block of
 * Fortran, and for static variables of arm64. */
#define SUM_FROM(function, array, other)                                                           \
	static __attribute__((noinline)) long function(void)                                       \
	{                                                                                          \
		long sum = 0, index = 0;                                                           \
                                                                                                   \
		__asm__ volatile("lea " other "(%%rip), %%rsi\n\t"                                 \
				 "lea " array " - " other "(%%rsi), %%rsi\n"                       \
				 "1:\tadd (%%rsi, %1, 8), %0\n\t"                                  \
				 "inc %1\n\t"                                                      \
				 "cmp $100, %1\n\t"                                                \
				 "jne 1b"                                                          \
				 : "+r"(sum), "+r"(index)                                          \
				 :                                                                 \
				 : "rsi", "cc", "memory");                                         \
		return sum;                                                                        \
	}
SUM_FROM(sum_some_numbers, "some_numbers", "more_numbers")
SUM_FROM(sum_more_numbers, "more_numbers", "some_numbers")

static void a_static_object_is_the_one_of_the_type(void **state)
{
	struct program *program = *state;
	bool up = (uintptr_t)some_numbers < (uintptr_t)more_numbers;
	const struct symbol *function = elf_image_symbol_named(
				    program->image, up ? "sum_more_numbers" : "sum_some_numbers"),
			    *array = elf_image_symbol_named(program->image,
							    up ? "more_numbers" : "some_numbers");
	unsigned int loads = 0;

	assert_int_equal(sum_some_numbers() + sum_more_numbers(), 3);
	assert_true(function && array);
	for (uint64_t at = 0; at < function->size; at++) {
		uint64_t address = function->address + at;
		struct access answer;

		type_resolver_resolve(program->resolver, &address, NULL, 1, &answer);
		if (answer.kind != ACCESS_TYPE || answer.memory != ACCESS_MEMORY_STATIC)
			continue;
		assert_int_equal(answer.object_address, array->address);
		assert_int_equal(answer.object_size, sizeof(some_numbers));
		loads++;
	}
	assert_int_equal(loads, 1);
}
#endif

static void stubs_load_their_slots(void **state)
{
	struct program *program = *state;
	size_t count, stubs = 0, loads = 0;
	const struct symbol *symbols = elf_image_symbols(program->image, &count);

	for (size_t i = 0; i < count; i++) {
		struct access answer;

		if (!elf_image_plt_import(program->image, symbols[i].address))
			continue;
		stubs++;
		for (uint64_t at = 0; at < symbols[i].size; at++) {
			uint64_t address = symbols[i].address + at;

			type_resolver_resolve(program->resolver, &address, NULL, 1, &answer);
			assert_int_not_equal(answer.kind, ACCESS_UNKNOWN);
			loads += answer.kind == ACCESS_JUMP_TABLE;
		}
	}
	assert_int_equal(loads, stubs);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_do_not_depend_on_other_questions),
		cmocka_unit_test(facts_of_other_functions_do_not_depend_on_other_questions),
		cmocka_unit_test(stubs_load_their_slots),
#ifdef __x86_64__
		cmocka_unit_test(a_static_object_is_the_one_of_the_type),
#endif
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
