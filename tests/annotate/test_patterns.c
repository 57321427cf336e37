// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What compilers do with calls, control and stack memory: the type engine on a few lines of source each. The
 * rest of such patterns is in test_snippets.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/snippet.h"

#define NODE                                                                                                 \
	"struct node { struct node *next; long key; int value; int flags; };\n"                              \
	"struct pair { struct node *first, *second; };\n"

/* The unlikely part of a function lies elsewhere, and what is known flows there. */
static void cold_parts_belong_to_the_function(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = NODE "void complain(long, int) __attribute__((cold));\n"
					    "long use(struct node *n, int c)"
					    "{ struct node *m = n->next; if (c) { complain(m->key, "
					    "m->flags); return m->value; }"
					    " return n->key; }",
			     .flags = "-O2 -freorder-blocks-and-partition",
			     .function = "use" },
		.found = { "struct node +0 (next)", "struct node +8 (key)", "struct node +16 (value)",
			   "struct node +20 (flags)" },
		.forbidden = { "(unknown)" } });
}

static void results_of_functions_that_are_called_through_members(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source =
				     NODE "struct table { struct node *(*make)(void), *(*find[4])(long); };\n"
					  "long use(struct table *t, int i)"
					  "{ return t->find[i](7)->key + t->make()->value; }",
			     .function = "use" },
		.code = { "callq *" },
		.found = { "struct table +0 (make)", "struct table +8 (find)", "struct node +8 (key)",
			   "struct node +16 (value)" },
		.forbidden = { "(unknown)" } });
}

/* What follows such a call is not reached from it, wherever the function is. */
static void imports_that_are_declared_not_to_return(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = NODE "void give_up(int) __attribute__((noreturn));\n"
					    "long use(struct pair *p)"
					    "{ if (p->first->next->value < 0) give_up(1); return "
					    "p->first->next->key; }",
			     .flags = "-O1 -fno-reorder-blocks",
			     .function = "use" },
		.code = { "callq" },
		.found = { "struct pair +0 (first)", "struct node +0 (next)", "struct node +16 (value)",
			   "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

/* Two pointers in two registers (psABI 3.2.3), and back so. */
static void small_records_are_passed_in_registers(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "long sum(struct pair p) { return p.first->key + p.second->value; }",
			     .function = "sum" },
		.code = { "(%rdi)", "(%rsi)" },
		.found = { "struct node +8 (key)", "struct node +16 (value)" },
		.forbidden = { "(unknown)" } });
	snippet_check(&(struct expectation){ .snippet = { .source = NODE
							  "struct pair make(void);\n"
							  "long use(void) { struct pair p = make();"
							  " return p.first->key + p.second->value; }",
							  .function = "use" },
					     .code = { "(%rdx)" },
					     .found = { "struct node +8 (key)", "struct node +16 (value)" },
					     .forbidden = { "(unknown)" } });
}

static void large_records_are_passed_in_memory(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE "struct big { long numbers[4]; struct node *node; };\n"
					    "long sum(struct big b) { return b.numbers[1] + b.node->key; }",
			     .function = "sum" },
		.code = { "(%rsp)" },
		.found = { "struct big +8 (numbers)", "struct big +32 (node)", "struct node +8 (key)" },
		.forbidden = { "(unknown)", "(stack" } });
}

static void variadic_functions(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE "#include <stdarg.h>\n"
					    "long sum(struct node *n, ...) { va_list l; va_start(l, n);"
					    " struct node *m = va_arg(l, struct node *); va_end(l);"
					    " return n->key + m->value; }",
			     .function = "sum" },
		.found = { "struct __va_list_tag", "struct node +8 (key)" },
		.forbidden = { "struct node +0" } });
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE "int printf(const char *, ...);\n"
					    "long say(struct node *n)"
					    "{ printf(\"%ld %d\", n->key, n->value); return n->flags; }",
			     .function = "say" },
		.found = { "struct node +8 (key)", "struct node +16 (value)", "struct node +20 (flags)" },
		.forbidden = { "(unknown)" } });
}

/* The stack pointer is not where the frame information of a fixed frame would have it. */
static void memory_of_alloca_and_variable_length_arrays(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true, /* clang reaches the memory from both its ends */
		.snippet = { .source = NODE
			     "void fill(struct node *, long);\n"
			     "long use(long n) { struct node *a = __builtin_alloca(n * sizeof(*a));"
			     " fill(a, n); return a->key + a->value; }",
			     .function = "use" },
		.code = { "subq" },
		.found = { "struct node +8 (key)", "struct node +16 (value)" },
		.forbidden = { "(unknown)" } });
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE "void fill(long *, long);\n"
					    "long use(long n, struct node *m) { long a[n]; fill(a, n);"
					    " return a[2] + m->key; }",
			     .function = "use" },
		.code = { "subq" },
		.found = { "struct node +8 (key)" },
		.forbidden = { "struct node +16" } });
}

static void tail_calls_type_their_arguments(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE "long walk(struct node *); void *any(void);\n"
					    "long use(void) { void *p = any(); *(long *)((char *)p + 8) = 1;"
					    " return walk(p); }",
			     .function = "use" },
		.code = { "jmp" },
		.found = { "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

/* &p->inner is given away: what comes back through a pointer to it is the member still. */
static void addresses_of_members(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source =
				     NODE "struct outer { long count; struct node inner; };\n"
					  "void touch(struct node *);\n"
					  "long use(struct outer *o) { struct node *n = &o->inner; touch(n);"
					  " return n->key + o->count; }",
			     .function = "use" },
		.found = { "struct outer +16 (inner.key)", "struct outer +0 (count)" },
		.forbidden = { "(unknown)" } });
}

static void conditional_moves_and_set_bytes(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "long use(struct node *a, struct node *b, long k)"
			     "{ struct node *n = k > 3 ? a : b; n->flags = k == 5; return n->key; }",
			     .function = "use" },
		.code = { "cmov", "set" },
		.found = { "struct node +8 (key)", "struct node +20 (flags)" },
		.forbidden = { "(unknown)" } });
}

/* Elements without a size: there is nothing to divide by (struct lsm_prop[] of a kernel without such). */
static void arrays_of_empty_records(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct nothing { };\n"
				       "struct holder { long before; struct nothing all[3]; long after; };\n"
				       "long use(struct holder *h, int i) { struct nothing *n = &h->all[i];"
				       " __asm__ volatile(\"\" :: \"r\"(n)); return h->before + h->after; }",
			     .function = "use" },
		.found = { "struct holder +0 (before)", "struct holder +8 (after)" },
		.forbidden = { "(unknown)" } });
}

/* An instruction that no table has costs what it writes, and no more. */
static void unknown_instructions_cost_their_outputs(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source =
				     NODE "long use(struct node *n) { long k = n->key;"
					  /* vp2intersectd %zmm1, %zmm0, %k0; a REX2 prefix: mov %r16, %r17 */
					  " __asm__ volatile(\".byte 0x62,0xf2,0x7f,0x48,0x68,0xc1; .byte "
					  "0xd5,0x58,0x89,0xc1\");"
					  " return k + n->next->value; }",
			     .function = "use" },
		.found = { "struct node +8 (key)", "struct node +0 (next)", "struct node +16 (value)" },
		.forbidden = { "(unknown)" } });
}

static void gathers_read_arrays(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = "#include <immintrin.h>\n"
				       "struct table { long count; int cells[64]; };\n"
				       "__m256i use(struct table *t, __m256i i)"
				       "{ return _mm256_i32gather_epi32(t->cells, i, 4); }",
			     .flags = "-O2 -mavx2",
			     .function = "use" },
		.code = { "gather" },
		.found = { "struct table +" },
		.forbidden = { "(unknown)" } });
}

/* The value that is kept is one of a type, though the place is nobody's. */
static void what_was_spilled_is_typed_again(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){ .gcc_only = true,
					     .snippet = { .source = NODE
							  "void *any(void); long walk(struct node *);\n"
							  "long use(void) { void *a = any(), *b = any(), *c "
							  "= any(), *d = any(), *e = any(),"
							  " *f = any(), *g = any(), *h = any();"
							  " long k = *(long *)((char *)a + 8); return k + "
							  "walk(a) + walk(b) + walk(c) + walk(d)"
							  " + walk(e) + walk(f) + walk(g) + walk(h); }",
							  .function = "use" },
					     .code = { "(%rsp)" },
					     .found = { "struct node +8 (key)" },
					     .forbidden = { "(unknown)" } });
}

/* Parameters and variables of inlined functions, from abstract instances, in nested scopes. */
static void inlined_functions_have_their_variables(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source = NODE
			     "static inline __attribute__((always_inline)) long key_of(const void *v)"
			     "{ const struct node *n = v; { const struct node *m = n->next; return m->key; } "
			     "}\n"
			     "long use(void **all, int i) { return key_of(all[i]); }",
			     .function = "use" },
		.found = { "struct node +0 (next)", "struct node +8 (key)" },
		.forbidden = { "(unknown)" } });
}

/* A record that is in no memory, of which a pointer was passed: DW_OP_implicit_pointer and pieces. */
static void records_in_pieces(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = NODE
			     "static inline __attribute__((always_inline)) long sum(const struct pair *p)"
			     "{ return p->first->key + p->second->value; }\n"
			     "long use(struct node *a, struct node *b)"
			     "{ struct pair p = { a->next, b->next }; return sum(&p); }",
			     .function = "use" },
		.found = { "struct node +0 (next)", "struct node +8 (key)", "struct node +16 (value)" },
		.forbidden = { "(unknown)" } });
}

static void members_before_a_member(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.snippet = { .source = "struct link { struct link *next; };\n"
				       "struct item { long key; int value; struct link link; };\n"
				       "#define item_of(l) ((struct item *)((char *)(l) - 16))\n"
				       "long use(struct link *head) { long sum = 0;"
				       " for (struct link *l = head->next; l != head; l = l->next)"
				       " { struct item *i = item_of(l); sum += i->key + i->value; } return "
				       "sum; }",
			     .function = "use" },
		.code = { "-0x10(", "-8(" },
		.found = { "struct item +0 (key)", "struct item +8 (value)" },
		.forbidden = { "(unknown)" } });
}

/* A text is no variable; the one that points to it is not kept anywhere, but the debug information has its
 * value. */
static void texts_that_variables_point_to(void **state)
{
	(void)state;
	snippet_check(&(struct expectation){
		.gcc_only = true,
		.snippet = { .source =
				     "void use(int i, int *out) { const char *digits = \"0123456789abcdef\";"
				     " out[0] = digits[i & 15]; out[1] = digits[i >> 4 & 15]; }",
			     .function = "use" },
		.found = { "char +0", "int +0" },
		.forbidden = { "(unknown)" } });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cold_parts_belong_to_the_function),
		cmocka_unit_test(results_of_functions_that_are_called_through_members),
		cmocka_unit_test(imports_that_are_declared_not_to_return),
		cmocka_unit_test(small_records_are_passed_in_registers),
		cmocka_unit_test(large_records_are_passed_in_memory),
		cmocka_unit_test(variadic_functions),
		cmocka_unit_test(memory_of_alloca_and_variable_length_arrays),
		cmocka_unit_test(tail_calls_type_their_arguments),
		cmocka_unit_test(addresses_of_members),
		cmocka_unit_test(conditional_moves_and_set_bytes),
		cmocka_unit_test(arrays_of_empty_records),
		cmocka_unit_test(unknown_instructions_cost_their_outputs),
		cmocka_unit_test(gathers_read_arrays),
		cmocka_unit_test(what_was_spilled_is_typed_again),
		cmocka_unit_test(inlined_functions_have_their_variables),
		cmocka_unit_test(records_in_pieces),
		cmocka_unit_test(members_before_a_member),
		cmocka_unit_test(texts_that_variables_point_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
