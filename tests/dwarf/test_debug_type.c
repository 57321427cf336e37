// SPDX-License-Identifier: GPL-2.0-or-later
/* Types of C programs, in every form that compilers and tools give their debug information. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/debug_program.h"

static const struct debug_source sources[] = {
	{ "types_a.c", NULL },
	{ "types_b.c", NULL },
	{ "types_c.c", NULL },
	{ NULL, NULL },
};

/* COMPILER|FLAGS|COMMAND. A form that the compiler or tool here does not support is skipped. */
static const debug_form forms[] = {
	{ "gcc", "-gdwarf-5" },
	{ "gcc", "-gdwarf-4 -O2" },
	{ "gcc", "-gdwarf-3" },
	{ "gcc", "-gdwarf-2" },
	{ "gcc", "-gdwarf-2 -gstrict-dwarf" },
	{ "gcc", "-gdwarf-5 -gdwarf64" },
	{ "gcc", "-gdwarf-5 -fdebug-types-section" },
	{ "gcc", "-gdwarf-4 -fdebug-types-section" },
	{ "gcc", "-gdwarf-5 -gsplit-dwarf" },
	{ "gcc", "-gdwarf-4 -gsplit-dwarf" },
	{ "gcc", "-gdwarf-4 -gsplit-dwarf -fdebug-types-section" },
	{ "gcc", "-gdwarf-4 -gsplit-dwarf", "timeout 10 dwp -e prog -o prog.dwp && rm -f *.dwo" },
	{ "gcc", "-g -gz" },
	{ "gcc", "-g -gz=zlib-gnu" },
	{ "gcc", "-g", "timeout 10 objcopy --compress-debug-sections=zstd prog" },
	{ "gcc", "-gdwarf-5", "timeout 10 dwz prog" },
	{ "gcc", "-gdwarf-4", "cp prog other && timeout 10 dwz -m common.debug -h prog other" },
	{ "gcc", "-g -flto -O1" },
	{ "clang", "-gdwarf-5 -fstandalone-debug" },
	{ "clang", "-gdwarf-4 -fstandalone-debug" },
	{ "clang", "-gdwarf-2 -fstandalone-debug" },
	{ "clang", "-gdwarf-5 -fdebug-types-section" },
	{ "clang", "-gdwarf-5 -gsplit-dwarf" },
	{ "clang", "-gdwarf-4 -gsplit-dwarf" },
	{ "clang", "-gdwarf-5 -gsplit-dwarf",
	  "timeout 10 llvm-dwp -e prog -o prog.dwp && rm -f *.dwo" },
	{ "clang", "-g -gz" },
};

static void for_each_form(void (*check)(struct debug_program *program))
{
	debug_program_each_form(forms, sizeof(forms) / sizeof(*forms), sources, check);
}

static void check_member(const struct type *type, const char *name, int64_t offset, uint64_t size,
			 const char *declaration)
{
	const struct member *member = type_member(type, name);

	if (!member)
		fail_msg("no member %s", name);
	assert_string_equal(declaration_of(member->type), declaration);
	assert_int_equal(member->offset, offset);
	assert_int_equal(type_size_or(member->type, 0), size);
}

static void check_bits(const struct type *type, const char *name, int64_t offset, uint32_t first,
		       uint32_t size)
{
	const struct member *member = type_member(type, name);

	assert_non_null(member);
	assert_int_equal(member->offset, offset);
	assert_int_equal(member->bit_offset, first);
	assert_int_equal(member->bit_size, size);
}

static void check_node(const struct type *node)
{
	size_t count, inner_count;
	const struct member *members = type_members(node, &count);
	const uint64_t *dimensions;

	assert_int_equal(node->kind, TYPE_STRUCT);
	assert_int_equal(type_size_or(node, 0), 88);
	assert_int_equal(count, 8);
	assert_string_equal(name_of(node), "struct node");
	check_member(node, "next", 0, 8, "struct node*");
	check_member(node, "key", 8, 8, "long");
	check_member(node, "u", 16, 8, "union value");
	check_bits(node, "f1", 24, 0, 3);
	check_bits(node, "f2", 24, 3, 7);
	check_member(node, "name", 30, 8, "char[]");
	check_member(node, "m", 40, 48, "int[]");
	assert_int_equal(type_array_count(type_member(node, "m")->type), 12);
	dimensions = type_array_dimensions(type_member(node, "m")->type, &inner_count);
	assert_int_equal(inner_count, 2);
	assert_int_equal(dimensions[0], 3);
	assert_int_equal(dimensions[1], 4);
	assert_null(members[5].name);
	assert_int_equal(members[5].offset, 26);
	assert_string_equal(name_of(members[5].type), "struct");
	assert_string_equal(type_members(members[5].type, &inner_count)[1].name, "y");
	assert_ptr_equal(type_target(type_member(node, "next")->type), node);
}

/* "long" and "long int" are the same type of C, and each compiler writes one of them. */
static void normalize(const struct type *node)
{
	const struct member *key = type_member(node, "key");

	if (strcmp(key->type->name, "long int") == 0)
		*(const char **)&key->type->name = "long";
}

static void layouts(struct debug_program *program)
{
	const struct type *node = debug_program_type(program, "struct node");
	const struct type *holder = debug_program_type(program, "holder");
	const struct type *flex = debug_program_type(program, "flex");

	normalize(node);
	check_node(node);
	check_member(flex, "items", 8, 0, "struct node*[]");
	assert_int_equal(type_array_count(type_member(flex, "items")->type), 0);
	check_member(holder, "none", 97, 0, "struct empty");
	check_member(holder, "many", 97, 0, "struct empty[]");
	assert_int_equal(type_member(holder, "flag")->type->flags & TYPE_BOOL, TYPE_BOOL);
	assert_int_equal(type_strip(type_member(holder, "f")->type)->kind, TYPE_FLOAT);
	assert_int_equal(type_size_or(type_member(holder, "ld")->type, 0), 16);
	assert_ptr_equal(type_target(type_target(type_member(holder, "self")->type)), holder);
}

static const char *member_name(const struct type *type, const char *member)
{
	assert_non_null(type_member(type, member));
	return name_of(type_member(type, member)->type);
}

static void names(struct debug_program *program)
{
	const struct type *holder = debug_program_type(program, "struct holder");

	assert_string_equal(member_name(holder, "cv"), "struct node*");
	assert_string_equal(member_name(holder, "ref"), "struct node*");
	assert_string_equal(member_name(holder, "pair"), "pair");
	assert_string_equal(member_name(holder, "twin"), "twin");
	assert_string_equal(member_name(holder, "color"), "enum color");
	assert_string_equal(member_name(holder, "id"), "id_t_");
	assert_string_equal(member_name(holder, "call"), "(function_type)*");
	assert_string_equal(member_name(holder, "names"), "char*[]");
	assert_string_equal(member_name(holder, "opaque"), "struct opaque*");
	assert_string_equal(member_name(holder, "anything"), "void*");
	assert_string_equal(member_name(holder, "self"), "struct holder**");
	assert_string_equal(declaration_of(type_member(holder, "cv")->type), "node_t*");
	assert_string_equal(declaration_of(type_member(holder, "ref")->type), "node_ref");
	assert_ptr_equal(type_name_interned(type_member(holder, "cv")->type),
			 type_name_interned(type_canonical(type_member(holder, "cv")->type)));
}

static void canonical_types(struct debug_program *program)
{
	const struct type *node = debug_program_type(program, "struct node");
	const struct type *holder = debug_program_type(program, "struct holder");
	const struct type *cv = type_canonical(type_member(holder, "cv")->type);

	assert_ptr_equal(debug_program_type(program, "node_t"), node);
	assert_ptr_equal(type_canonical(node), node);
	assert_int_equal(cv->kind, TYPE_POINTER);
	assert_ptr_equal(type_target(cv), node);
	assert_ptr_equal(cv, debug_program_type(program, "struct node *"));
	assert_ptr_equal(type_canonical(type_member(holder, "pair")->type),
			 type_member(holder, "pair")->type);
	assert_ptr_equal(type_strip(type_member(holder, "twin")->type),
			 type_strip(type_member(holder, "pair")->type));
	assert_int_equal(type_canonical(type_member(holder, "id")->type)->kind, TYPE_TYPEDEF);
}

static void one_node_for_all_units(struct debug_program *program)
{
	const struct type *types[8];
	struct global first, other;

	/* struct node is defined in two units and declared in a third */
	assert_int_equal(debug_reader_types_named(program->reader, "struct node", types, 8), 1);
	assert_true(debug_reader_global_named(program->reader, "first", 0, &first));
	assert_true(debug_reader_global_named(program->reader, "other", 0, &other));
	assert_ptr_equal(type_strip(first.type), type_strip(other.type));
	assert_ptr_equal(type_strip(first.type), types[0]);

	struct function *pass = debug_program_function(program, "pass");

	assert_ptr_equal(type_target(pass->prototype->return_type), types[0]);
	function_destroy(pass);
}

static void declarations_stand_for_definitions(struct debug_program *program)
{
	const struct type *holder = debug_program_type(program, "struct holder");
	const struct type *opaque = type_target(type_member(holder, "opaque")->type);
	size_t count;

	assert_int_equal(opaque->flags & TYPE_DECLARATION, 0);
	assert_int_equal(type_size_or(opaque, 0), 16);
	type_members(opaque, &count);
	assert_int_equal(count, 2);
	assert_ptr_equal(opaque, debug_program_type(program, "struct opaque"));
}

static void declarations_of_one_of_two_stay_declarations(struct debug_program *program)
{
	struct global either;

	assert_true(debug_reader_global_named(program->reader, "either", 0, &either));
	assert_string_equal(name_of(either.type), "struct twofold*");
	assert_int_equal(type_target(either.type)->flags & TYPE_DECLARATION, TYPE_DECLARATION);
}

static void structs_of_one_name_that_differ(struct debug_program *program)
{
	const struct type *types[8];

	assert_int_equal(debug_reader_types_named(program->reader, "pair_of", types, 8), 2);
	assert_ptr_not_equal(types[0], types[1]);
	assert_int_equal(type_size_or(types[0], 0) + type_size_or(types[1], 0), 12);
	/* without room for all, the number of all is still returned */
	assert_int_equal(debug_reader_types_named(program->reader, "pair_of", types, 1), 2);
	assert_int_equal(debug_reader_types_named(program->reader, "union pair_of", types, 8), 0);
	assert_int_equal(debug_reader_types_named(program->reader, "no_such_type", types, 8), 0);
}

static void function_types(struct debug_program *program)
{
	const struct type *holder = debug_program_type(program, "struct holder");
	const struct type *function = type_target(type_member(holder, "call")->type);
	const struct parameter *parameters;
	size_t count;

	assert_int_equal(function->kind, TYPE_FUNCTION);
	assert_string_equal(name_of(type_target(function)), "int");
	assert_true(function->flags & TYPE_VARIADIC);
	parameters = type_parameters(function, &count);
	assert_int_equal(count, 2);
	assert_string_equal(name_of(parameters[0].type), "struct node*");
	assert_string_equal(name_of(parameters[1].type), "u32");
}

static void all(struct debug_program *program)
{
	names(program);
	canonical_types(program);
	one_node_for_all_units(program);
	declarations_stand_for_definitions(program);
	structs_of_one_name_that_differ(program);
	declarations_of_one_of_two_stay_declarations(program);
	function_types(program);
	layouts(program);
}

static void c_types_in_every_form(void **state)
{
	(void)state;
	for_each_form(all);
}

/* ---- types of one name that mean different things in different units ---- */

static const struct debug_source homonym_sources[] = {
	{ "a.c",
	  "enum kind { KIND_INT, KIND_REAL };\n"
	  "struct part { long key; struct part *next; };\n"
	  "typedef struct { int x, y; } point;\n"
	  "struct value { enum kind kind; int line; long number; } value_a;\n"
	  "struct whole { struct part parts[2]; } whole_a;\n"
	  "struct place { point at; } place_a;\n"
	  "struct list { struct part *first; } list_a;\n"
	  "struct spots { point *first; } spots_a;\n"
	  "typedef struct { long from, to; } span; typedef\n"
	  "struct { long from, to; } edge; span span_a; edge edge_a;\n"
	  "struct calls { long (*call)(struct part *); } calls_a;\n"
	  "struct chain { struct same *first; struct opaque *other; } chain_a;\n"
	  "struct same { int left, right; };\n"
	  "struct outer { struct same pair; } outer_a;\n"
	  "long use_a(void) { return value_a.number + whole_a.parts[1].key + place_a.at.x +\n"
	  "	(long)list_a.first + (long)spots_a.first + (long)chain_a.first +\n"
	  "	(long)calls_a.call; }\n" },
	/* the index takes types of one name and size from one line to be of one header */
	{ "b.c",
	  "\n"
	  "enum kind { KIND_REAL, KIND_INT };\n"
	  "struct part { struct part *next; long key; };\n"
	  "typedef struct { int width, height; } point;\n"
	  "struct value { enum kind kind; int line; long number; } value_b;\n"
	  "struct whole { struct part parts[2]; } whole_b;\n"
	  "struct place { point at; } place_b;\n"
	  "struct list { struct part *first; } list_b;\n"
	  "struct spots { point *first; } spots_b;\n"
	  "struct calls { long (*call)(struct part *); } calls_b;\n"
	  "struct opaque { int hidden; };\n"
	  "struct chain { struct same *first; struct opaque *other; } chain_b;\n"
	  "struct same { int left, right; };\n"
	  "struct outer { struct same pair; } outer_b;\n"
	  "long use_b(void) { return value_b.number + whole_b.parts[1].key + place_b.at.width +\n"
	  "	(long)list_b.first + (long)spots_b.first + (long)chain_b.first +\n"
	  "	(long)calls_b.call; }\n" },
	{ "c.c", "long use_a(void);\n"
		 "long use_b(void);\n"
		 "int main(void) { return use_a() + use_b(); }\n" },
	{ NULL, NULL },
};

static const debug_form homonym_forms[] = {
	{ "gcc", "-gdwarf-5" },
	{ "gcc", "-gdwarf-4 -O2" },
	{ "gcc", "-gdwarf-5 -gsplit-dwarf" },
	{ "clang", "-gdwarf-5" },
	{ "gcc", "-gdwarf-5 -fdebug-types-section" }, /* the last one */
};

static void check_homonyms(struct debug_program *program)
{
	static const char *const two[] = { "enum kind", "struct part", "struct value",
					   "struct whole", "struct place" };
	const struct type *types[8];
	struct global a, b;
	size_t count;

	for (size_t i = 0; i < COUNT_OF(two); i++)
		if (debug_reader_types_named(program->reader, two[i], types, 8) != 2)
			fail_msg("one %s", two[i]);
	assert_true(debug_reader_global_named(program->reader, "value_a", 0, &a));
	assert_true(debug_reader_global_named(program->reader, "value_b", 0, &b));
	assert_string_equal(type_enumerators(type_member(a.type, "kind")->type, &count)->name,
			    "KIND_INT");
	assert_string_equal(type_enumerators(type_member(b.type, "kind")->type, &count)->name,
			    "KIND_REAL");
	/* and so are equal members, wherever they are declared */
	assert_int_equal(debug_reader_types_named(program->reader, "struct outer", types, 8), 1);
}

/* Types that name others behind a pointer. */
static void check_pointers(struct debug_program *program)
{
	static const char *const two[] = { "struct list", "struct spots", "struct calls" };
	const struct type *types[8];

	for (size_t i = 0; i < COUNT_OF(two); i++)
		if (debug_reader_types_named(program->reader, two[i], types, 8) != 2)
			fail_msg("one %s", two[i]);
	/* records without a name are not one for having equal members: each has a place */
	struct global span, edge;
	struct type_place from, to;

	assert_true(debug_reader_global_named(program->reader, "span_a", 0, &span));
	assert_true(debug_reader_global_named(program->reader, "edge_a", 0, &edge));
	assert_ptr_not_equal(type_strip(span.type), type_strip(edge.type));
	if (debug_reader_type_place(program->reader, type_strip(span.type), &from) &&
	    debug_reader_type_place(program->reader, type_strip(edge.type), &to))
		assert_int_equal(to.line, from.line + 1);
	/* behind a pointer, a name that means one thing is enough, also if one unit declares it */
	assert_int_equal(debug_reader_types_named(program->reader, "struct chain", types, 8), 1);
}

static const struct debug_source anonymous_sources[] = {
	{ "a.cc", "namespace {\n"
		  "struct node { long key; node *next; };\n"
		  "struct list { node *first; long count; };\n"
		  "}\n"
		  "list list_a;\n"
		  "extern \"C\" long use_a() { list *own = &list_a; return own->first->key; }\n" },
	{ "b.cc",
	  "namespace {\n"
	  "struct node { node *link; long weight; };\n"
	  "struct list { node *first; long count; };\n"
	  "}\n"
	  "list list_b;\n"
	  "extern \"C\" long use_a();\n"
	  "int main() { list *own = &list_b; return (int)(own->first->weight + use_a()); }\n" },
	{ NULL, NULL },
};

static const debug_form anonymous_forms[] = {
	{ "g++", "-gdwarf-5" },
	{ "clang++", "-gdwarf-5" },
};

static void check_anonymous(struct debug_program *program)
{
	static const char *const functions[] = { "use_a", "main" }, *const members[] = { "key",
											 "link" };

	for (size_t i = 0; i < COUNT_OF(functions); i++) {
		struct function *function = debug_program_function(program, functions[i]);
		const struct type *list = type_target(function_variable(function, "own")->type),
				  *node = type_target(type_member(list, "first")->type);

		assert_non_null(type_member(node, members[i]));
		function_destroy(function);
	}
}

static void types_of_anonymous_namespaces(void **state)
{
	(void)state;
	debug_program_each_form(anonymous_forms, COUNT_OF(anonymous_forms), anonymous_sources,
				check_anonymous);
}

/* gcc keeps one of two type units that differ in this. */
static void types_behind_pointers(void **state)
{
	(void)state;
	debug_program_each_form(homonym_forms, COUNT_OF(homonym_forms) - 1, homonym_sources,
				check_pointers);
}

static void types_of_one_name(void **state)
{
	(void)state;
	debug_program_each_form(homonym_forms, COUNT_OF(homonym_forms), homonym_sources,
				check_homonyms);
}

/* ---- types that several units have ---- */

/* A module's own definition of a type that a header only declares differs from another module's. */
static const struct debug_source shared_sources[] = {
	{ "a.c", "typedef struct impl *list_t;\n"
		 "struct table { list_t (*make)(void); };\n"
		 "struct base { const struct table *table; long count; };\n"
		 "struct impl { struct base base; long first, last; } impl_a;\n"
		 "struct base base_a;\n"
		 "long use_a(void) { return base_a.count + impl_a.first; }\n" },
	{ "b.c", "typedef struct impl *list_t;\n"
		 "struct table { list_t (*make)(void); };\n"
		 "struct base { const struct table *table; long count; };\n"
		 "\n"
		 "struct impl { struct base base; char text[64]; } impl_b;\n"
		 "struct base base_b;\n"
		 "long use_a(void);\n"
		 "int main(void) { return (int)(use_a() + base_b.count + impl_b.text[0]); }\n" },
	{ NULL, NULL },
};

static uint64_t base_source, table_source;

static void load_base(struct debug_program *program, const char *name)
{
	struct global global;

	assert_true(debug_reader_global_named(program->reader, name, 0, &global));
	base_source = global.type->source;
	table_source = type_strip(type_target(type_member(global.type, "table")->type))->source;
}

static void load_base_of_a(struct debug_program *program)
{
	load_base(program, "base_a");
}

/* Whichever thread asks first, a type is read from the same unit. */
static void check_base_of_b(struct debug_program *program)
{
	const uint64_t base = base_source, table = table_source;

	load_base(program, "base_b");
	assert_int_equal(base_source, base);
	assert_int_equal(table_source, table);
}

static void types_of_several_units(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(homonym_forms); i++) {
		debug_program_each_form(&homonym_forms[i], 1, shared_sources, load_base_of_a);
		debug_program_each_form(&homonym_forms[i], 1, shared_sources, check_base_of_b);
	}
}

/* ---- units that stand for themselves ---- */

static void check_separate_units(struct debug_program *program)
{
	const struct symbol *pass = elf_image_symbol_named(program->image, "pass");
	struct global global;

	debug_object_separate_units(program->object);

	struct function *function = debug_program_function(program, "pass");
	const struct type *node = type_target(function->prototype->return_type);

	/* its unit only declares struct node, and nothing of these two */
	assert_int_equal(node->flags & TYPE_DECLARATION, TYPE_DECLARATION);
	function_destroy(function);
	assert_false(debug_reader_global_named(program->reader, "first", pass->address, &global));
	assert_null(debug_reader_prototype_named(program->reader, "use", pass->address));
	assert_true(
		debug_reader_global_named(program->reader, "twofold_c", pass->address, &global));
	/* a question of no unit is one to all of them */
	assert_true(debug_reader_global_named(program->reader, "first", 0, &global));
	assert_int_equal(type_strip(global.type)->flags & TYPE_DECLARATION, 0);
	assert_non_null(debug_reader_prototype_named(program->reader, "use", 0));
}

static void separate_units(void **state)
{
	static const debug_form separate_forms[] = { { "gcc", "-gdwarf-5" },
						     { "gcc", "-gdwarf-4" },
						     { "clang", "-gdwarf-5" } };

	(void)state;
	debug_program_each_form(separate_forms, COUNT_OF(separate_forms), sources,
				check_separate_units);
}

/* ---- alignments that declarations ask for ---- */

static const struct debug_source aligned_sources[] = {
	{ "a.c", "struct plain { long x; };\n"
		 "struct lined { _Alignas(64) int x; };\n"
		 "struct whole { int x; } __attribute__((aligned(128)));\n"
		 "struct outer { char c[64]; struct lined in; };\n"
		 "typedef struct plain thing __attribute__((aligned(32)));\n"
		 "struct holder { struct plain plain; struct lined lined; struct whole whole;\n"
		 "	struct outer outer; thing thing; } holder;\n"
		 "int main(void) { return (int)holder.plain.x; }\n" },
	{ NULL, NULL },
};

static const debug_form aligned_forms[] = {
	{ "gcc", "-gdwarf-5" },
	{ "gcc", "-gdwarf-5 -fdebug-types-section" },
	{ "clang", "-gdwarf-5 -fstandalone-debug" },
};

static void check_alignments(struct debug_program *program)
{
	static const struct {
		const char *member;
		uint64_t alignment;
	} rows[] = {
		{ "plain", 0 }, { "lined", 64 }, { "whole", 128 }, { "outer", 64 }, { "thing", 32 }
	};
	const struct type *holder = debug_program_type(program, "struct holder");

	assert_non_null(holder);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct member *member = type_member(holder, rows[i].member);

		assert_non_null(member);
		if (type_alignment(member->type) != rows[i].alignment)
			fail_msg("%s: %llu", rows[i].member,
				 (unsigned long long)type_alignment(member->type));
	}
	assert_int_equal(type_alignment(holder), 128);
}

static void alignments(void **state)
{
	(void)state;
	debug_program_each_form(aligned_forms, sizeof(aligned_forms) / sizeof(*aligned_forms),
				aligned_sources, check_alignments);
}

/* Two units, both of which have their types from one module of clang: a file beside the program.
 * Its name is no part of theirs. */
static const struct debug_source module_sources[] = {
	{ "a.c", "#ifdef MODULE\n"
		 "#include \"shop.h\"\n"
		 "long sum(struct item *item, struct box *box)\n"
		 "{ return item->qty + box->slots[1].id; }\n"
		 "#endif\n" },
	{ "b.c", "#ifdef MODULE\n"
		 "#include \"shop.h\"\n"
		 "struct box box_b;\n"
		 "long sum(struct item *item, struct box *box);\n"
		 "int main(void) { return sum(box_b.slots, &box_b); }\n"
		 "#else\n"
		 "int main(void) { return 0; }\n"
		 "#endif\n" },
	{ NULL, NULL },
};

static void modules_of_clang(void **state)
{
	static const char *const item[] = { "struct item", "item" };
	static const char *const languages[] = { "c", "c++" };

	(void)state;
	for (size_t i = 0; i < COUNT_OF(languages); i++) {
		_cleanup_free_ char *command = xasprintf(
			"echo 'struct item { long id; int qty; }; "
			"struct box { struct item slots[4]; long used; };' >shop.h && "
			"echo 'module shop { header \"shop.h\" }' >module.modulemap && "
			"clang -x %s -DMODULE -g -fmodules -gmodules -fmodules-cache-path=cache "
			"a.c b.c -o prog",
			languages[i]);
		struct debug_program program;
		const struct type *types[8];
		struct global box;

		if (!debug_program_build_with(&program, "clang", "-g", module_sources, command))
			skip_because("there is no clang here that writes modules");
		assert_true(debug_reader_global_named(program.reader, "box_b", 0, &box));
		assert_string_equal(name_of(type_target(type_member(box.type, "slots")->type)),
				    item[i]);
		assert_int_equal(type_member(box.type, "used")->offset, 64);
		assert_int_equal(debug_reader_types_named(program.reader, item[i], types, 8), 1);
		assert_int_equal(type_member(types[0], "qty")->offset, 8);
		debug_program_close(&program);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c_types_in_every_form),
		cmocka_unit_test(types_of_one_name),
		cmocka_unit_test(types_of_several_units),
		cmocka_unit_test(types_behind_pointers),
		cmocka_unit_test(types_of_anonymous_namespaces),
		cmocka_unit_test(separate_units),
		cmocka_unit_test(alignments),
		cmocka_unit_test(modules_of_clang),
	};

	return cmocka_run_group_tests_name("C types", tests, NULL, NULL);
}
