// SPDX-License-Identifier: GPL-2.0-or-later
/* Types of a kernel that has BTF alone: what prototypes, per-cpu variables and members say, and what use says
 * of the rest. */
#include "tests/support/unit.h"

#include "tests/support/snippet.h"

static const char source[] =
	"#define KEEP __attribute__((noinline, noclone, used))\n"
	"struct inner { long a, b; };\n"
	"struct queue { struct queue *next; long length; struct inner inner; };\n"
	"struct pair { struct queue *first; long count; };\n"
	"struct item { long key; struct queue queue; long value; };\n"
	"struct large { long count; struct queue *queue; long more; };\n"
	"__attribute__((section(\".data..percpu\"))) struct queue *current_queue = (void *)1;\n"
	"struct queue global_queue; long bare_number;\n"
	"KEEP void init_queue(struct queue *q) { q->next = 0; q->length = 1; q->inner.a = q->inner.b = 2; }\n"
	"KEEP void init_inner(struct inner *i) { i->a = i->b = 3; }\n"
	"KEEP void init_both(struct queue *q, struct pair *p) { q->length = 1; p->count = 2; }\n"
	"KEEP struct queue *find(long key) { return (struct queue *)(key << 4); }\n"
	"KEEP long walk(struct queue *q) { long sum = 0; for (; q; q = q->next) sum += q->inner.b; return "
	"sum; }\n"
	"KEEP long by_value(struct pair p, struct queue *q) { return p.first->length + q->inner.a + p.count; "
	"}\n"
	"KEEP long after_large(struct large l, struct queue *q) { return q->length + l.more; }\n"
	"KEEP long seventh(long a, long b, long c, long d, long e, long f, struct queue *q) { return "
	"q->length + a; }\n"
	"KEEP long variadic(struct queue *q, ...) { return q->length; }\n"
	"KEEP long of_result(long key) { return find(key)->inner.a; }\n"
	"KEEP long of_cpu(void) { struct queue *q; asm volatile(\"movq %%gs:%1, %0\" : \"=r\"(q) : "
	"\"m\"(current_queue));\n"
	"	return q->length; }\n"
	"KEEP long on_stack(void) { struct queue q; init_queue(&q); return q.length + q.inner.a; }\n"
	"KEEP long part_on_stack(void) { struct queue q; init_inner(&q.inner); init_queue(&q); return "
	"q.inner.b + q.length; }\n"
	"KEEP long two_on_stack(void) { struct queue q; struct pair p; init_both(&q, &p); return q.length + "
	"p.count; }\n"
	"KEEP long global(void) { init_queue(&global_queue); return global_queue.length; }\n"
	"struct task_struct { long state; struct queue *queue; } init_task = { 1, 0 }; struct task_struct "
	"other_task;\n"
	"KEEP long declared(void) { return init_task.queue->length; }\n"
	"KEEP long undeclared(void) { return other_task.queue->length; }\n"
	"unsigned long page_offset_base = 1, __per_cpu_offset[3] = { 1 }, nobody_knows = 2;\n"
	"KEEP long of_number(void) { return page_offset_base; }\n"
	"KEEP long of_array(long cpu) { return __per_cpu_offset[cpu]; }\n"
	"KEEP long of_nobody(void) { return nobody_knows; }\n"
	"KEEP long bytes(char *p) { return *(long *)(p + 8); }\n"
	"KEEP char text(char *p) { return p[3]; }\n"
	"KEEP void take(struct item *i) { i->value = 0; }\n"
	"KEEP void search(long head, long key) {\n"
	"	for (struct queue *n = *(struct queue **)head; n; n = n->next) {\n"
	"		struct item *i = (struct item *)((char *)n - 8); if (i->key == key && n->length) "
	"take(i); } }\n"
	"KEEP long unknown(struct queue *q) { return q->length; }\n"
	/* arch/x86/include/asm/jump_label.h */
	"#define STATIC_BRANCH(code, label) asm goto(\"1: \" code \"\\n.pushsection __jump_table, "
	"\\\"aw\\\"\\n\" \\\n"
	"	\".balign 8\\n.long 1b - ., %l[\" #label \"] - .\\n.quad 0\\n.popsection\" : : : : label)\n"
	"KEEP long switched_off(struct queue *q) { STATIC_BRANCH(\".byte 0x0f, 0x1f, 0x44, 0, 0\", yes);\n"
	"	return q->length; yes: return q->inner.a; }\n"
	"KEEP long switched_on(struct queue *q) { STATIC_BRANCH(\"jmp %l[yes]\", yes);\n"
	"	return q->length; yes: return q->inner.a; }\n"
	"int main(void) { return 0; }\nvoid _start(void) { }\n";

/* `unknown` has no prototype: nothing says what its argument is. */
static void write_btf(struct btf_writer *writer)
{
	uint32_t number = btf_writer_integer(writer, "long int", 8, BTF_INT_SIGNED);
	btf_writer_integer(writer, "long unsigned int", 8, 0);
	uint32_t character = btf_writer_integer(writer, "char", 1, BTF_INT_SIGNED);
	uint32_t text = btf_writer_pointer(writer, character);
	uint32_t inner = btf_writer_record(writer, BTF_KIND_STRUCT, "inner", 16, 2);

	btf_writer_member(writer, "a", number, 0);
	btf_writer_member(writer, "b", number, 64);
	uint32_t to_inner = btf_writer_pointer(writer, inner);
	uint32_t queue = btf_writer_record(writer, BTF_KIND_STRUCT, "queue", 32, 3);

	btf_writer_member(writer, "next", queue + 1, 0);
	btf_writer_member(writer, "length", number, 64);
	btf_writer_member(writer, "inner", inner, 128);
	uint32_t to_queue = btf_writer_pointer(writer, queue);
	uint32_t pair = btf_writer_record(writer, BTF_KIND_STRUCT, "pair", 16, 2);

	btf_writer_member(writer, "first", to_queue, 0);
	btf_writer_member(writer, "count", number, 64);
	uint32_t to_pair = btf_writer_pointer(writer, pair);
	uint32_t large = btf_writer_record(writer, BTF_KIND_STRUCT, "large", 24, 3);

	btf_writer_member(writer, "count", number, 0);
	btf_writer_member(writer, "queue", to_queue, 64);
	btf_writer_member(writer, "more", number, 128);

	uint32_t item = btf_writer_record(writer, BTF_KIND_STRUCT, "item", 48, 3);

	btf_writer_member(writer, "key", number, 0);
	btf_writer_member(writer, "queue", queue, 64);
	btf_writer_member(writer, "value", number, 320);
	uint32_t to_item = btf_writer_pointer(writer, item);

	btf_writer_record(writer, BTF_KIND_STRUCT, "task_struct", 16, 2);
	btf_writer_member(writer, "state", number, 0);
	btf_writer_member(writer, "queue", to_queue, 64);
	btf_writer_function(writer, "init_queue", 0, (uint32_t[]){ to_queue }, 1);
	btf_writer_function(writer, "init_inner", 0, (uint32_t[]){ to_inner }, 1);
	btf_writer_function(writer, "init_both", 0, (uint32_t[]){ to_queue, to_pair }, 2);
	btf_writer_function(writer, "find", to_queue, (uint32_t[]){ number }, 1);
	btf_writer_function(writer, "walk", number, (uint32_t[]){ to_queue }, 1);
	btf_writer_function(writer, "by_value", number, (uint32_t[]){ pair, to_queue }, 2);
	btf_writer_function(writer, "after_large", number, (uint32_t[]){ large, to_queue }, 2);
	btf_writer_function(writer, "seventh", number,
			    (uint32_t[]){ number, number, number, number, number, number, to_queue }, 7);
	btf_writer_function(writer, "variadic", number, (uint32_t[]){ to_queue, 0 }, 2);
	btf_writer_function(writer, "of_result", number, (uint32_t[]){ number }, 1);
	btf_writer_function(writer, "of_cpu", number, NULL, 0);
	btf_writer_function(writer, "on_stack", number, NULL, 0);
	btf_writer_function(writer, "part_on_stack", number, NULL, 0);
	btf_writer_function(writer, "two_on_stack", number, NULL, 0);
	btf_writer_function(writer, "global", number, NULL, 0);
	btf_writer_function(writer, "of_number", number, NULL, 0);
	btf_writer_function(writer, "of_array", number, (uint32_t[]){ number }, 1);
	btf_writer_function(writer, "of_nobody", number, NULL, 0);
	btf_writer_function(writer, "bytes", number, (uint32_t[]){ text }, 1);
	btf_writer_function(writer, "text", character, (uint32_t[]){ text }, 1);
	btf_writer_function(writer, "take", 0, (uint32_t[]){ to_item }, 1);
	btf_writer_function(writer, "search", 0, (uint32_t[]){ number, number }, 2);
	btf_writer_function(writer, "switched_off", number, (uint32_t[]){ to_queue }, 1);
	btf_writer_function(writer, "switched_on", number, (uint32_t[]){ to_queue }, 1);
	uint32_t variable = btf_writer_type(writer, "current_queue", BTF_KIND_VAR, false, 0, to_queue);

	btf_writer_word(writer, BTF_VAR_GLOBAL_ALLOCATED);
	btf_writer_type(writer, ".data..percpu", BTF_KIND_DATASEC, false, 1, 8);
	btf_writer_word(writer, variable);
	btf_writer_word(writer, 0);
	btf_writer_word(writer, 8);
}

static void expect_of(const char *compiler, const char *function, const char *const *found,
		      const char *const *forbidden)
{
	static const char *const none[] = { NULL };
	struct snippet snippet = {
		.source = source, .compiler = compiler, .function = function, .kernel = true, .btf = write_btf
	};

	snippet_expect(&snippet, found, forbidden ? forbidden : none);
}

/* Lists end with NULL. */
static void expect(const char *function, const char *const *found, const char *const *forbidden)
{
	expect_of("gcc", function, found, forbidden);
}

#define LIST(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void arguments_are_where_the_abi_has_them(void **state)
{
	(void)state;
	expect("walk", LIST("struct queue +0 (next)\tbtf", "struct queue +24 (inner.b)\tbtf"), NULL);
	expect("by_value", LIST("struct queue +8 (length)\tbtf", "struct queue +16 (inner.a)\tbtf"), NULL);
	expect("after_large", LIST("struct queue +8 (length)\tbtf"), NULL);
	expect("seventh", LIST("struct queue +8 (length)\tbtf"), NULL);
	expect("variadic", LIST("struct queue +8 (length)\tbtf"), NULL);
	expect_of("clang", "by_value",
		  LIST("struct queue +8 (length)\tbtf", "struct queue +16 (inner.a)\tbtf"), NULL);
}

static void results_and_per_cpu_variables(void **state)
{
	(void)state;
	expect("of_result", LIST("struct queue +16 (inner.a)\tbtf"), NULL);
	expect("of_cpu", LIST("struct queue* +0\tper-cpu", "struct queue +8 (length)\tbtf"), NULL);
}

static void what_is_on_the_stack_is_what_it_is_used_as(void **state)
{
	(void)state;
	expect("on_stack", LIST("struct queue +8 (length)\tinferred", "struct queue +16 (inner.a)\tinferred"),
	       NULL);
	expect("part_on_stack",
	       LIST("struct queue +24 (inner.b)\tinferred", "struct queue +8 (length)\tinferred"),
	       LIST("struct inner"));
	expect("two_on_stack", LIST("struct queue +8 (length)\tinferred", "struct pair +8 (count)\tinferred"),
	       NULL);
}

static void and_so_is_a_global_variable(void **state)
{
	(void)state;
	expect("global", LIST("struct queue +8 (length)\tinferred"), NULL);
}

/* What the kernel's headers have always said. */
static void some_global_variables_are_declared_by_headers(void **state)
{
	(void)state;
	expect("declared", LIST("struct task_struct +8 (queue)\tglobal", "struct queue +8 (length)\tbtf"),
	       NULL);
	expect("undeclared", LIST("(unknown)"), LIST("struct"));
	expect("of_number", LIST("long unsigned int +0\tglobal"), NULL);
	expect("of_array", LIST("long unsigned int[] +0\tglobal"), NULL);
	expect("of_nobody", LIST("(unknown)"), LIST("long"));
}

/* A pointer to bytes that is read in words points to something else. */
static void bytes_are_bytes_only_by_the_byte(void **state)
{
	(void)state;
	expect("bytes", LIST("(unknown)"), LIST("char"));
	expect("text", LIST("char +0\tbtf"), NULL);
}

static void without_a_prototype_nothing_is_known(void **state)
{
	(void)state;
	expect("unknown", LIST("(unknown): the function's arguments are not known"), LIST("struct"));
}

/* Of the first one nothing is known but that it may be passed on; the next ones are loaded as nodes. */
static void elements_of_a_list(void **state)
{
	(void)state;
	expect("search",
	       LIST("struct item +0 (key)\tinferred", "struct item +8 (queue.next)\tinferred",
		    "struct item +16 (queue.length)\tinferred"),
	       LIST("struct queue"));
}

/* Whichever way they are switched when the file is read. */
static void static_branches_go_both_ways(void **state)
{
	(void)state;
	expect("switched_off", LIST("struct queue +8 (length)\tbtf", "struct queue +16 (inner.a)\tbtf"),
	       NULL);
	expect("switched_on", LIST("struct queue +8 (length)\tbtf", "struct queue +16 (inner.a)\tbtf"), NULL);
}

static void nothing_is_inferred_if_it_must_not_be(void **state)
{
	struct snippet snippet = {
		.source = source, .function = "on_stack", .no_infer = true, .kernel = true, .btf = write_btf
	};

	(void)state;
	snippet_expect(&snippet, LIST("(stack spill)"), LIST("struct"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_are_where_the_abi_has_them),
		cmocka_unit_test(results_and_per_cpu_variables),
		cmocka_unit_test(what_is_on_the_stack_is_what_it_is_used_as),
		cmocka_unit_test(and_so_is_a_global_variable),
		cmocka_unit_test(some_global_variables_are_declared_by_headers),
		cmocka_unit_test(bytes_are_bytes_only_by_the_byte),
		cmocka_unit_test(without_a_prototype_nothing_is_known),
		cmocka_unit_test(elements_of_a_list),
		cmocka_unit_test(static_branches_go_both_ways),
		cmocka_unit_test(nothing_is_inferred_if_it_must_not_be),
	};

	return cmocka_run_group_tests_name("btf_types", tests, NULL, NULL);
}
