// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * C++ and Rust: types and members with the names that their authors gave them, whatever the compiler. What
 * compilers make of whole programs is held against the real data addresses in
 * tests/whole/test_whole_languages.c.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "tests/support/process.h"
#include "tests/support/snippet.h"

struct language_expectation {
	const char *source;
	const char *function;            /* as the symbol table has it */
	const char *found[EXPECTED];     /* each must start a line of the answers */
	const char *forbidden[EXPECTED]; /* none of these may */
};

/* False: there is no such compiler. */
static bool check_with(const struct language_expectation *expectation, const char *language,
		       const char *compiler)
{
	struct snippet snippet = { .source = expectation->source,
				   .language = language,
				   .compiler = compiler,
				   .flags = strcmp(language, "c++") == 0 ? "-O2 -std=c++17" : NULL,
				   .function = expectation->function };

	return snippet_holds(&snippet, expectation->found, expectation->forbidden, EXPECTED);
}

static void check_cxx(const struct language_expectation *expectation)
{
	bool any = check_with(expectation, "c++", "g++");

	any |= check_with(expectation, "c++", "clang++");
	if (!any) {
		print_message("skipped: neither g++ nor clang++ is here\n");
		skip();
	}
}

static void check_rust(const struct language_expectation *expectation)
{
	if (!check_with(expectation, "rust", "rustc")) {
		print_message("skipped: no rustc here\n");
		skip();
	}
}

static void classes_have_their_qualified_names(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "namespace shop { struct item { long price; int count;"
			  " __attribute__((noinline)) long worth() const { return price * count; } }; }\n"
			  "extern \"C\" long worth(shop::item *what) { return what->price * what->count; }",
		.function = "worth",
		.found = { "shop::item +0 (price)", "shop::item +8 (count)" },
		.forbidden = { "(unknown)", "struct ", "item" } });
}

static void members_of_a_base_class_belong_to_the_derived_one(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "struct shape { virtual double area() = 0; long uses; };\n"
			  "struct circle : shape { double radius; double area() override; };\n"
			  "double circle::area() { uses++; return radius; }\n",
		.function = "_ZN6circle4areaEv",
		/* clang only declares the base class where its virtual table is not */
		.found = { "circle +8", "circle +16 (radius)" },
		.forbidden = { "(unknown)", "shape" } });
}

static void a_virtual_call_reads_the_object(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "struct shape { virtual double area(); virtual int sides(); long uses; };\n"
			  "double shape::area() { return 0; } int shape::sides() { return 0; }\n"
			  "extern \"C\" int sides(shape *s) { s->uses++; return s->sides() + 1; }",
		.function = "sides",
		.found = { "shape +0 (_vptr", "shape +8 (uses)" },
		.forbidden = { "(unknown)" } });
}

static void second_bases_count_from_the_whole(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "struct a { virtual ~a(); long x; }; struct b { virtual int get(); int y; };\n"
			  "a::~a() {} int b::get() { return y; }\n"
			  "struct c : a, b { int z; ~c(); int sum() { return x + y + z; } }; c::~c() {}\n"
			  "extern \"C\" int sum(c *p) { return p->sum(); }",
		.function = "sum",
		.found = { "c +8 (x)", "c +24 (y)", "c +28 (z)" },
		.forbidden = { "(unknown)", "a +", "b +" } });
}

static void references_are_pointers(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "struct point { double x, y; };\n"
			  "extern \"C\" double dot(const point &a, point &&b) { "
			  "return a.x * b.x + a.y * b.y; }",
		.function = "dot",
		.found = { "point +0 (x)", "point +8 (y)" },
		.forbidden = { "(unknown)" } });
}

static void lambdas_reach_what_they_capture(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "struct item { long price; item *next; };\n"
			  "template <typename F> static void each(item *i, F f) { "
			  "for (; i; i = i->next) f(*i); }\n"
			  "extern \"C\" long total(item *first, long *most)"
			  "{ long sum = 0; each(first, [&sum, most](item &i) { sum "
			  "+= i.price; *most = sum; }); return sum; }",
		.function = "total",
		.found = { "item +0 (price)", "item +8 (next)", "long" },
		.forbidden = { "(unknown)" } });
}

static void templates_have_their_arguments(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "template <typename T> struct stack { T *data; unsigned long count; };\n"
			  "struct item { int a, b; };\n"
			  "extern \"C\" int top(stack<item> *s) { return s->data[s->count - 1].b; }",
		.function = "top",
		.found = { "stack<item> +0 (data)", "stack<item> +8 (count)", "item +4 (b)" },
		.forbidden = { "(unknown)", "struct " } });
}

static void standard_containers(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "#include <vector>\n#include <memory>\n"
			  "struct item { int price; std::unique_ptr<item> next; std::vector<int> sizes; };\n"
			  "extern \"C\" long total(const std::vector<item> &items)"
			  "{ long sum = 0; for (const item &i : items) { sum += i.price + i.sizes.size();"
			  " if (i.next) sum += i.next->price; } return sum; }",
		.function = "total",
		.found = { "item +0 (price)", "item +8 (next", "item +16", "item +24" },
		.forbidden = { "(unknown)" } });
}

/* A loop's variable is said to be so many bytes behind the node that the register points to: what is in front
 * of it is the node's. */
static void nodes_of_containers_have_what_is_in_front_of_their_elements(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "#include <unordered_map>\nstruct item { long price; int count; };\n"
			  "extern \"C\" long total(const std::unordered_map<long, item> &items)"
			  "{ long sum = 0; for (const auto &i : items) sum += i.second.price; return sum; }",
		.function = "total",
		.found = { "std::__detail::_Hash_node" },
		.forbidden = { "(unknown)", "item +", "long +" } });
	check_cxx(&(struct language_expectation){
		.source =
			"#include <list>\nstruct item { long price; int count; };\n"
			"extern \"C\" long total(const std::list<item> &items)"
			"{ long sum = 0; for (const item &i : items) sum += i.price * i.count; return sum; }",
		.function = "total",
		.found = { "std::__detail::_List_node_base +0 (_M_next)" },
		.forbidden = { "(unknown)", "item +-" } });
}

/* Compilers describe a class where its virtual table is. */
static void classes_that_are_only_declared_have_a_name(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "struct shape { virtual int sides(); virtual ~shape(); long uses; };\n"
			  "struct opaque; struct pair { shape *first; long second; };\n"
			  "extern \"C\" long used(pair *p) { return p->first->uses + p->second; }",
		.function = "used",
		.found = { "shape +8", "pair +0 (first)", "pair +8 (second)" },
		.forbidden = { "(unknown)" } });
}

static void a_base_class_leads_to_the_derived_one(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "#include <list>\nstruct item { int price; int count; };\n"
			  "extern \"C\" long trim(std::list<item> &items)"
			  "{ items.remove_if([](const item &i) { return i.count % 7 == 0; }); return 0; }",
		.function = "trim",
		.found = { "std::_List_node<item> +20 (_M_storage._M_storage.count)" },
		.forbidden = { "(unknown)" } });
}

/* `this` of what is inlined says what is on the stack, and where. */
static void temporaries_have_no_name_but_a_type(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "struct text { char *start; unsigned long length; char few[16];"
			  " text(char *from, unsigned long n) : start(few), length(n) {"
			  " if (n > 15) start = new char[n]; for (unsigned long i = 0; i < n; i++)"
			  " start[i] = from[i]; }"
			  " ~text() { if (start != few) delete[] start; } };\n"
			  "void take(const text &);\n"
			  "extern \"C\" void give(char *from, unsigned long n) { take(text(from, n)); }",
		.function = "give",
		.found = { "text +0 (start)", "text +8 (length)" },
		.forbidden = { "(stack spill)" } });
}

/* gcc says what they hold, and not where they are. */
static void constants_of_namespaces(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "namespace text { namespace { const unsigned char kinds[256] = { 1, 2, 3, 4, 5 };"
			  " const short widths[64] = { 1, 2, 3 }; } }\n"
			  "extern \"C\" int kind(unsigned char of) "
			  "{ return text::kinds[of] + text::widths[of & 63]; }",
		.function = "kind",
		.found = { "unsigned char[] +0", "short" },
		.forbidden = { "(unknown)" } });
}

static void differences_of_pointers_are_whole_elements(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source = "struct order { long number, weight; };\n"
			  "extern \"C\" void move(order *to, const order *from, const order *at)"
			  "{ to[at - from].weight = 1; }",
		.function = "move",
		.found = { "order +8 (weight)" },
		.forbidden = { "(unknown)" } });
}

/* The loop is entered again from the handler: what it keeps in registers is known there. */
static void handlers_know_what_the_call_preserves(void **state)
{
	(void)state;
	check_cxx(&(struct language_expectation){
		.source =
			"#include <vector>\n#include <stdexcept>\n"
			"struct tag { int hidden; }; struct item { int price; tag *first; }; int check(item "
			"*, int);\n"
			"struct store { std::vector<item *> shelf; int served, failures; };\n"
			"extern \"C\" int all(store &in, int limit) { int sum = 0; for (item *i : in.shelf) {"
			" try { sum += check(i, limit); in.served++; } catch (const std::out_of_range &)"
			" { in.failures++; sum -= i->price; if (i->first) i->first->hidden = 1; } }"
			" return sum; }",
		.function = "all",
		.found = { "store +24 (served)", "store +28 (failures)", "item* +0", "item +0 (price)",
			   "item +8 (first)", "tag +0 (hidden)" },
		.forbidden = { "(unknown)" } });
}

static void rust_structs_and_slices(void **state)
{
	(void)state;
	check_rust(&(struct language_expectation){
		.source =
			"pub struct Point { pub x: f64, pub y: f64, pub id: u32 }\n"
			"#[no_mangle] pub fn furthest(points: &[Point]) -> u32 {"
			" let mut best = 0; let mut most = 0.0;"
			" for p in points { if p.x * p.y > most { most = p.x * p.y; best = p.id; } } best }",
		.function = "furthest",
		.found = { "snippet::Point +0 (x)", "snippet::Point +8 (y)", "snippet::Point +16 (id)" },
		.forbidden = { "(unknown)", "struct " } });
}

static void rust_vectors_have_elements(void **state)
{
	(void)state;
	check_rust(&(struct language_expectation){
		.source = "use std::collections::VecDeque;\n"
			  "pub struct Job { pub cost: u64, pub queue: VecDeque<u32> }\n"
			  "#[no_mangle] pub fn last(job: &Job) -> u64 {"
			  " job.cost + job.queue.back().copied().unwrap_or(0) as u64 }",
		.function = "last",
		.found = { "snippet::Job +", "u32 +0" },
		.forbidden = { "(unknown)", "u8 " } });
}

static void rust_enums_have_variants(void **state)
{
	(void)state;
	check_rust(&(struct language_expectation){
		.source =
			"pub enum Shape { Empty, Circle { radius: f64 }, Square(f64, u32) }\n"
			"#[no_mangle] pub fn size(shape: &Shape) -> f64 { match shape { Shape::Empty => 0.0,"
			" Shape::Circle { radius } => radius * radius, Shape::Square(side, n) => side * *n "
			"as f64 } }",
		.function = "size",
		.found = { "snippet::Shape +0", "snippet::Shape +8", "snippet::Shape +4" },
		.forbidden = { "(unknown)" } });
}

static void rust_boxes_and_counted_references(void **state)
{
	(void)state;
	check_rust(&(struct language_expectation){
		.source = "use std::rc::Rc;\n"
			  "pub struct Node { pub key: u64, pub next: Option<Box<Node>>, pub owner: Rc<Owner> "
			  "}\n"
			  "pub struct Owner { pub number: u32 }\n"
			  "#[no_mangle] pub fn total(first: &Node) -> u64 {"
			  " let mut sum = 0; let mut at = Some(first);"
			  " while let Some(node) = at { sum += node.key + node.owner.number as u64;"
			  " at = node.next.as_deref(); } sum }",
		.function = "total",
		.found = { "snippet::Node +", "alloc::rc::Rc" },
		.forbidden = { "(unknown)" } });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_have_their_qualified_names),
		cmocka_unit_test(members_of_a_base_class_belong_to_the_derived_one),
		cmocka_unit_test(a_virtual_call_reads_the_object),
		cmocka_unit_test(second_bases_count_from_the_whole),
		cmocka_unit_test(references_are_pointers),
		cmocka_unit_test(lambdas_reach_what_they_capture),
		cmocka_unit_test(templates_have_their_arguments),
		cmocka_unit_test(standard_containers),
		cmocka_unit_test(nodes_of_containers_have_what_is_in_front_of_their_elements),
		cmocka_unit_test(classes_that_are_only_declared_have_a_name),
		cmocka_unit_test(a_base_class_leads_to_the_derived_one),
		cmocka_unit_test(temporaries_have_no_name_but_a_type),
		cmocka_unit_test(constants_of_namespaces),
		cmocka_unit_test(differences_of_pointers_are_whole_elements),
		cmocka_unit_test(handlers_know_what_the_call_preserves),
		cmocka_unit_test(rust_structs_and_slices),
		cmocka_unit_test(rust_vectors_have_elements),
		cmocka_unit_test(rust_enums_have_variants),
		cmocka_unit_test(rust_boxes_and_counted_references),
	};

	return cmocka_run_group_tests_name("languages", tests, NULL, NULL);
}
