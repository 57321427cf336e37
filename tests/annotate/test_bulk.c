// SPDX-License-Identifier: GPL-2.0-or-later
/* Bulk memory functions: the symbols that name one, the argument that an access goes to, and the
 * value that the caller passed there. */
#include "tests/support/unit.h"

#include <string.h>

#include "annotate/facts/bulk.h"
#include "annotate/solve/type_resolver.h"
#include "base/memory.h"
#include "tests/support/debug_program.h"

static const struct debug_source source[] = {
	{ "bulk.c",
	  "typedef unsigned long size_t;\n"
	  "void *memset(void *, int, size_t);\n"
	  "void *memcpy(void *, const void *, size_t);\n"
	  "void *memmove(void *, const void *, size_t);\n"
	  "struct client { long id; char name[56]; long tail[92]; };\n"
	  "#define OWN __attribute__((noinline))\n"
	  "OWN void whole(struct client *c) { memset(c, 0, sizeof(*c)); c->id = 1; }\n"
	  "OWN void part(struct client *c, const struct client *from, size_t n)\n"
	  "{ memcpy(c->tail, from->tail, n); c->id = n; }\n"
	  "OWN void field(struct client *c, const char *from)\n"
	  "{ memcpy(c->name, from, 24); c->id = 1; }\n"
	  "int pthread_spin_lock(volatile int *);\n"
	  "struct queue { long id; volatile int lock; };\n"
	  "OWN void locks(struct queue *q) { pthread_spin_lock(&q->lock); q->id++; }\n"
	  "struct head { struct head *peer; long id; };\n"
	  "struct whole { struct head head; long words[90]; volatile int lock; };\n"
	  "static inline void take(volatile int *lock) { pthread_spin_lock(lock); }\n"
	  "OWN void uses(long by) { __asm__ volatile(\"\" : : \"r\"(by) : \"memory\"); }\n"
	  "OWN void behind(struct head *h)\n"
	  "{ struct whole *own = (struct whole *)h; struct head *peer = h->peer;\n"
	  "uses(own->words[1]); take(&((struct whole *)peer)->lock); peer->id++; }\n"
	  "OWN int __aarch64_ldadd4_acq_rel(int by, int *at) { return *at += by; }\n"
	  "OWN void adds(struct queue *q)\n"
	  "{ __aarch64_ldadd4_acq_rel(1, (int *)&q->lock); q->id++; }\n"
	  "OWN void raw(void *to, long *n) { memset(to, 0, *n); *n = 0; }\n"
	  "OWN void jumps(struct client *to, const struct client *from)\n"
	  "{ memmove(to, from, sizeof(*to)); }\n"
	  "OWN void other(struct client *c) { c->id++; }\n"
	  "OWN void calls(struct client *a, struct client *b) { jumps(a, b); a->id++; }\n"
	  "OWN void innocent(struct client *a) { other(a); a->id++; }\n"
	  /* Go's compiler enters this function in its middle */
	  "#ifdef __x86_64__\n"
	  "__asm__(\".type runtime.duffcopy, @function\\n\"\n"
	  "\"runtime.duffcopy: .skip 16, 0x90; ret; .size runtime.duffcopy, 17\");\n"
	  "OWN void device(struct client *to, struct client *from)\n"
	  "{ register struct client *source __asm__(\"r8\") = from;\n"
	  "__asm__ volatile(\"call runtime.duffcopy+8\" : : \"c\"(to), \"r\"(source)\n"
	  " : \"memory\"); to->id++; }\n"
	  "#else\n"
	  "OWN void device(struct client *to, struct client *from) { *to = *from; }\n"
	  "#endif\n"
	  "int main(int argc, char **argv)\n"
	  "{\n"
	  "	static struct client all[2]; long n = argc;\n"
	  "	whole(all); part(all, all + 1, argc); field(all, *argv); raw(all, &n);\n"
	  "	static struct queue queue; locks(&queue); adds(&queue);\n"
	  "	static struct whole both; both.head.peer = &both.head; behind(&both.head);\n"
	  "	calls(all, all + 1); innocent(all); device(all, all + 1);\n"
	  "	return all[1].id;\n"
	  "}\n" },
	{ 0 }
};

/* Finds the only call of a function, by asking about each address as a return address. */
static struct type_resolver_call call_in(struct debug_program *program,
					 struct type_resolver *resolver, const char *name,
					 bool write, bool through)
{
	struct function *function = debug_program_function(program, name);
	uint64_t low = function->ranges[0].low, size = function->ranges[0].high - low;
	_cleanup_free_ struct type_resolver_call *calls = xcalloc(size, sizeof(*calls));
	struct type_resolver_call found = { 0 };
	size_t count = 0;

	for (uint64_t i = 0; i < size; i++)
		calls[i] = (struct type_resolver_call){
			.address = low + i + 1,
			.through = through,
			.access = { .kind = ACCESS_BULK, .read = !write, .write = write },
		};
	type_resolver_calls(resolver, calls, size);
	for (uint64_t i = 0; i < size; i++)
		if (calls[i].callee) {
			found = calls[i];
			count++;
		}
	assert_true(count <= 1);
	function_destroy(function);
	return found;
}

struct expectation {
	const char *function;
	bool write, through;
	const char *callee; /* NULL: no call of a bulk memory function */
	const char *type;   /* NULL: not known */
	int64_t offset;
	uint32_t range;
};

static const struct expectation expectations[] = {
	{ "whole", true, false, "memset", "struct client", 0, 800 },
	{ "part", true, false, "memcpy", "struct client", 64, 0 },
	{ "part", false, false, "memcpy", "struct client", 64, 0 },
	{ "field", true, false, "memcpy", "struct client", 8, 24 },
	{ "raw", true, false, "memset", NULL, 0, 0 },
	{ "locks", true, false, "pthread_spin_lock", "struct queue", 8, 0 },
	{ "adds", true, false, "aarch64_ldadd4", "struct queue", 8, 0 },
	/* a variable is the register plus a constant, which itself points to the record's head */
	{ "behind", true, false, "pthread_spin_lock", "struct whole", 736, 0 },
	/* a function that jumps to memmove() leaves its caller's return address on the stack */
	{ "calls", true, true, "memmove", "struct client", 0, 800 },
	{ "calls", false, true, "memmove", "struct client", 0, 800 },
	{ "calls", true, false, NULL, NULL, 0, 0 },
#ifdef __x86_64__
	{ "device", true, false, "runtime.duffcopy", "struct client", 0, 800 },
	{ "device", false, false, "runtime.duffcopy", "struct client", 0, 800 },
#endif
	{ "innocent", true, true, NULL, NULL, 0, 0 },
};

static void check(struct debug_program *program)
{
	struct type_resolver_options options = { .threads = 1, .check = true };
	struct type_resolver *resolver;

	assert_null(type_resolver_create(program->image, program->object, &options, &resolver));
	for (size_t i = 0; i < COUNT_OF(expectations); i++) {
		const struct expectation *wanted = &expectations[i];
		struct type_resolver_call call = call_in(program, resolver, wanted->function,
							 wanted->write, wanted->through);

		if (!wanted->callee) {
			assert_null(call.callee);
			continue;
		}
		assert_string_equal(call.callee, wanted->callee);
		assert_int_equal(call.access.kind, wanted->type ? ACCESS_TYPE : ACCESS_BULK);
		if (!wanted->type)
			continue;
		assert_string_equal(name_of(call.access.type), wanted->type);
		assert_int_equal(call.access.how, HOW_BULK);
		assert_int_equal(call.access.offset, wanted->offset);
		assert_int_equal(call.access.range, wanted->range);
	}
	type_resolver_destroy(resolver);
}

static void callers_tell_the_type(void **state)
{
	static const debug_form forms[] = {
		{ "gcc", "-O2 -g -fno-builtin -fcf-protection=none", NULL },
		{ "gcc", "-O2 -g -fno-builtin -fno-plt", NULL },
		{ "clang", "-O2 -g -fno-builtin", NULL },
	};

	(void)state;
	debug_program_each_form(forms, COUNT_OF(forms), source, check);
}

static void symbols_of_variants(void **state)
{
	(void)state;
	assert_string_equal(bulk_function_named("__memmove_avx512_unaligned_erms", false)->name,
			    "memmove");
	assert_string_equal(bulk_function_named("__memcpy_chk", false)->name, "memcpy");
	assert_string_equal(bulk_function_named("clear_page_erms", true)->name, "clear_page");
	assert_string_equal(bulk_function_named("copy_user_enhanced_fast_string", true)->name,
			    "copy_user");
	assert_string_equal(bulk_function_named("__pi_memset", true)->name, "memset");
	/* a name of each letter */
	static const char *const names[] = { "bcopy",  "clear_user",        "explicit_bzero",
					     "memchr", "pthread_spin_lock", "rawmemchr",
					     "strstr" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		assert_string_equal(bulk_function_named(names[i], true)->name, names[i]);
	assert_int_equal(bulk_function_named("__arch_copy_from_user", true)->length, 2);
	assert_string_equal(bulk_function_named("__arch_clear_user", true)->name,
			    "arch_clear_user");
	assert_int_equal(bulk_function_named("__aarch64_cas16_acq_rel", false)->writes, 4);
	assert_int_equal(bulk_function_named("__aarch64_swp1_relax", false)->reads, 1);
	assert_null(bulk_function_named("__aarch64_have_lse_atomics", false));
	assert_null(bulk_function_named("__pi_memset", false));
	assert_null(bulk_function_named("_copy_from_user", true));
	assert_null(bulk_function_named("clear_page_erms", false));
	assert_null(bulk_function_named("memset_pattern", false));
	assert_null(bulk_function_named("memcpy_to_page", true));
	assert_null(bulk_function_named("strlen_cached", false));
	assert_null(bulk_function_named("", false));
	/* Go's compiler and its linker */
	assert_int_equal(bulk_function_named("runtime.memmove", false)->length, 2);
	assert_int_equal(bulk_function_named("cmpbody", false)->other, 2);
	assert_int_equal(bulk_function_named("runtime.memclrNoHeapPointers.abi0", false)->length,
			 1);
	assert_null(bulk_function_named("runtime.memmoveBits", false));
	assert_null(bulk_function_named("runtime.memclrNoHeapPointersChunked", false));
}

/* For a comparison, the base register says which argument was read; for others, whether the access
 * reads or writes. */
static void arguments_of_accesses(void **state)
{
	const struct bulk_function *compare = bulk_function_named("memcmp", false),
				   *copy = bulk_function_named("memcpy", false);

	(void)state;
	assert_int_equal(bulk_argument(compare, &(struct access){ .read = true }), 0);
	assert_int_equal(
		bulk_argument(compare, &(struct access){ .read = true, .base_argument = 2 }), 1);
	assert_int_equal(bulk_argument(compare, &(struct access){ .write = true }),
			 BULK_NO_ARGUMENT);
	assert_int_equal(bulk_argument(copy, &(struct access){ .read = true }), 1);
	assert_int_equal(bulk_argument(copy, &(struct access){ .write = true, .base_argument = 2 }),
			 0);
}

/* Go's devices have registers of their own on each machine. */
static void registers_of_devices(void **state)
{
	const struct bulk_function *zero = bulk_function_named("runtime.duffzero", false),
				   *copy = bulk_function_named("runtime.duffcopy", false);
	const struct convention *call = &arch_arm64.go_call;

	(void)state;
	assert_int_equal(bulk_register(zero, call, zero->writes), 20);
	assert_int_equal(bulk_register(copy, call, copy->writes), 21);
	assert_int_equal(bulk_register(copy, call, copy->reads), 20);
	assert_int_equal(bulk_register(bulk_function_named("cmpbody", false), call, 2), 2);
	assert_int_equal(bulk_register(copy, call, 99), REG_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(symbols_of_variants),
		cmocka_unit_test(arguments_of_accesses),
		cmocka_unit_test(registers_of_devices),
		cmocka_unit_test(callers_tell_the_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
