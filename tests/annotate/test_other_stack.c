// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects on the stack that the code has left: a data address there does not contradict the answer.
 * The kernel's code at entry loads the stack pointer, and copies the registers from the stack
 * before. The function that is asked about is in this program.
 */
#include "tests/support/unit.h"

#include "annotate/solve/type_resolver.h"
#include "base/type_name.h"
#include "base/memory.h"

#ifdef __x86_64__

struct registers {
	unsigned long first, second;
};

/* Sanitizers' checks may double the code, and its labels with it. */
#define ALONE __attribute__((noinline, no_sanitize("address"), no_sanitize("undefined")))

extern const char on_stack[], left_stack[];

/* The array makes the frame information count from the frame pointer. */
ALONE static unsigned long read_here(unsigned long seed)
{
	struct registers saved = { seed, seed + 1 };
	char room[seed];
	unsigned long second;

	asm volatile("on_stack: mov 8(%[saved]), %[second]\n"
		     : [second] "=r"(second)
		     : [saved] "r"(&saved), "m"(saved), "r"(room));
	return second;
}

ALONE static unsigned long read_from_there(unsigned long seed, void *other)
{
	struct registers saved = { seed, seed + 1 };
	char room[seed];
	unsigned long second;

	asm volatile("mov %%rsp, %%r8\n"
		     "mov (%[other]), %%rsp\n"
		     "left_stack: push 8(%[saved])\n"
		     "pop %[second]\n"
		     "mov %%r8, %%rsp\n"
		     : [second] "=&r"(second)
		     : [saved] "r"(&saved), [other] "r"(other), "m"(saved), "r"(room)
		     : "r8", "memory");
	return second;
}

static void must(struct error *error)
{
	if (error)
		fail_msg("%s", error->message);
}

static struct access answer_at(const char *name, const void *start, const char *label)
{
	struct type_resolver_options options = { .threads = 1 };
	_cleanup_free_ uint64_t *addresses = xcalloc(1, sizeof(*addresses));
	struct access access = { 0 };
	struct elf_image *image;
	struct debug_object *debug;
	struct type_resolver *resolver;
	const struct symbol *function;

	must(elf_image_open("/proc/self/exe", &image));
	must(debug_object_open(image, image, &debug));
	must(type_resolver_create(image, debug, &options, &resolver));
	function = elf_image_symbol_named(image, name);
	assert_non_null(function);
	addresses[0] = function->address + (uint64_t)(label - (const char *)start);
	type_resolver_resolve(resolver, addresses, NULL, 1, &access);
	assert_int_equal(access.kind, ACCESS_TYPE);
	assert_string_equal(type_name_interned(access.type), "struct registers");
	assert_int_equal(access.offset, 8);
	type_resolver_destroy(resolver);
	debug_object_close(debug);
	elf_image_close(image);
	return access;
}

static void test_only_the_stack_in_use_is_checked(void **state)
{
	unsigned long stack[64];
	void *end = &stack[64];

	(void)state;
	assert_int_equal(read_here(1), 2);
	assert_int_equal(read_from_there(1, &end), 2);
	assert_int_equal(answer_at("read_here", read_here, on_stack).memory, ACCESS_MEMORY_STACK);
	assert_int_equal(answer_at("read_from_there", read_from_there, left_stack).memory,
			 ACCESS_MEMORY_ANY);
}

#else

static void test_only_the_stack_in_use_is_checked(void **state)
{
	(void)state;
	skip_because("this is no x86-64, of which the code is");
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(
		test_only_the_stack_in_use_is_checked) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
