// SPDX-License-Identifier: GPL-2.0-or-later
/* Types of C++ and Rust: names, classes, references, enums with data. */
#include "tests/support/unit.h"

#include <string.h>

#include "dwarf/dwarf/unit.h"
#include "tests/support/debug_program.h"

static const struct debug_source cxx[] = {
	{ "classes.cc", NULL },
	{ NULL, NULL },
};

static const debug_form cxx_forms[] = {
	{ "g++", "-gdwarf-5 -O1" },
	{ "g++", "-gdwarf-4 -O0" },
	{ "g++", "-gdwarf-2 -O1" },
	{ "g++", "-gdwarf-5 -O1 -fdebug-types-section" },
	{ "g++", "-gdwarf-4 -O1 -fdebug-types-section" },
	{ "g++", "-gdwarf-4 -O1", "cp prog other && timeout 10 dwz -m common.debug -h prog other" },
	{ "clang++", "-gdwarf-5 -O1" },
	{ "clang++", "-gdwarf-4 -O0" },
	{ "clang++", "-gdwarf-5 -O1 -fdebug-types-section -gsplit-dwarf" },
};

static void check_base(const struct type *derived)
{
	size_t count;
	const struct member *members = type_members(derived, &count);

	assert_true(count >= 6);
	assert_true(members[0].is_base);
	assert_null(members[0].name);
	assert_string_equal(name_of(members[0].type), "app::Base");
	assert_int_equal(members[0].offset, 0);
	assert_true(members[1].is_base);
	assert_string_equal(name_of(members[1].type), "app::Mixin");
	assert_int_equal(members[1].offset, 16);
}

static void classes(struct debug_program *program)
{
	const struct type *base = debug_program_type(program, "app::Base");
	const struct type *derived = debug_program_type(program, "app::Derived");
	size_t count;
	const struct member *members = type_members(base, &count);

	assert_int_equal(base->kind, TYPE_CLASS);
	assert_string_equal(name_of(base), "app::Base");
	/* the pointer to the virtual table and one member; static members lie elsewhere */
	assert_int_equal(count, 2);
	assert_true(members[0].is_artificial);
	assert_int_equal(type_member(base, "base_field")->offset, 8);
	check_base(derived);
	assert_string_equal(name_of(type_member(derived, "inner")->type), "app::Derived::Inner");
	assert_string_equal(name_of(type_member(derived, "kind")->type), "app::Derived::Kind");
	assert_int_equal(type_size_or(type_member(derived, "kind")->type, 0), 1);
	assert_string_equal(name_of(type_member(derived, "next")->type), "app::Derived*");
	assert_string_equal(name_of(type_member(derived, "ref")->type), "app::Mixin&");
	assert_int_equal(type_size_or(type_member(derived, "ref")->type, 0), 8);
	assert_ptr_equal(debug_program_type(program, "class app::Derived"), derived);
	assert_ptr_equal(debug_program_type(program, "struct app::Derived"), derived);
}

static void virtual_bases_have_no_place(struct debug_program *program)
{
	const struct type *type = debug_program_type(program, "app::Virtual");
	size_t count;
	const struct member *members = type_members(type, &count);

	for (size_t i = 0; i < count; i++)
		assert_false(members[i].is_base);
	assert_int_equal(type_member(type, "v")->offset, 8);

	const struct type *const *bases = type_virtual_bases(type, &count);

	assert_int_equal(count, 1);
	assert_ptr_equal(bases[0], debug_program_type(program, "app::Base"));
	type_virtual_bases(debug_program_type(program, "app::Derived"), &count);
	assert_int_equal(count, 0);
}

static void classes_that_run_code_are_passed_by_address(struct debug_program *program)
{
	static const struct {
		const char *name;
		bool by_address;
	} classes[] = {
		{ "app::Base", true },       { "app::Derived", true },
		{ "app::Virtual", true },    { "app::HasCopied", true },
		{ "app::Copied", true },     { "app::Destroyed", true },
		{ "app::Mixin", false },     { "app::Triple", false },
		{ "app::Defaulted", false }, { "app::Either", false },
		{ "app::timespec_", false },
	};

	for (size_t i = 0; i < COUNT_OF(classes); i++)
		if (type_is_by_address(debug_program_type(program, classes[i].name)) !=
		    classes[i].by_address)
			fail_msg("%s", classes[i].name);
}

static void names_with_their_namespaces(struct debug_program *program)
{
	struct global global;

	debug_program_type(program, "app::(anonymous namespace)::Hidden");
	assert_string_equal(name_of(debug_program_type(program, "app::Triple")),
			    "app::Array<int, 3>");
	assert_string_equal(name_of(debug_program_type(program, "app::Either")), "app::Either");
	assert_true(debug_reader_global_named(program->reader, "global_derived", 0, &global));
	assert_string_equal(name_of(global.type), "app::Derived*");
	assert_true(debug_reader_global_named(program->reader, "_ZN3app4Base5countE", 0, &global));
	assert_string_equal(name_of(global.type), "int");
	assert_int_not_equal(global.address, 0);
	assert_true(debug_reader_global_at(program->reader, global.address, 0, &global));
	assert_string_equal(global.name, "count");
}

static void member_pointers(struct debug_program *program)
{
	struct global global;

	assert_true(debug_reader_global_named(program->reader, "_ZN3app6memberE", 0, &global));
	assert_int_equal(global.type->kind, TYPE_MEMBER_POINTER);
	assert_int_equal(type_size_or(global.type, 0), 8);
	assert_true(debug_reader_global_named(program->reader, "_ZN3app6methodE", 0, &global));
	assert_int_equal(global.type->kind, TYPE_MEMBER_POINTER);
	assert_int_equal(type_size_or(global.type, 0), 16);
}

static void methods(struct debug_program *program)
{
	const struct prototype *method =
		debug_reader_prototype_named(program->reader, "_ZNK3app7Derived1fEv", 0);
	const struct prototype *take = debug_reader_prototype_named(
		program->reader, "_ZN3app4takeERNS_7DerivedEONS_12_GLOBAL__N_16HiddenE", 0);
	struct function *plain = debug_program_function(program, "plain");

	assert_non_null(method);
	assert_int_equal(method->parameter_count, 1);
	assert_string_equal(name_of(method->parameters[0].type), "app::Derived*");
	assert_int_equal(plain->language, LANGUAGE_CXX);
	assert_int_equal(plain->prototype->parameter_count, 2);
	assert_string_equal(name_of(plain->prototype->parameters[1].type), "app::Virtual*");
	if (take) {
		assert_string_equal(name_of(take->parameters[0].type), "app::Derived&");
		assert_string_equal(name_of(take->parameters[1].type),
				    "app::(anonymous namespace)::Hidden&&");
	}
	function_destroy(plain);

	struct function *function = debug_program_function(program, "_ZNK3app7Derived1fEv");

	for (size_t i = 0; i < function->variable_count; i++) {
		if (strcmp(function->variables[i].name, "this") == 0)
			assert_int_equal(function->variables[i].flags,
					 VARIABLE_PARAMETER | VARIABLE_ARTIFICIAL);
	}
	assert_non_null(function_variable(function, "this"));
	function_destroy(function);
}

/* Checks the names of the entries of a class's table, from its beginning. */
static void check_table(struct debug_program *program, const char *class, int64_t functions,
			const char *const *entries, size_t count)
{
	const struct type *type = debug_program_type(program, class);
	const struct virtual_table *table = debug_reader_virtual_table(program->reader, type);
	size_t member_count;

	assert_non_null(table);
	assert_ptr_equal(debug_reader_virtual_table(program->reader, type), table);
	assert_ptr_equal(debug_reader_virtual_table_of(program->reader, table->type), table);
	assert_ptr_equal(table->class, type);
	assert_int_equal(table->functions, functions);
	const struct member *members = type_members(table->type, &member_count);

	assert_in_range(member_count, count, SIZE_MAX);
	for (size_t i = 0; i < count; i++) {
		assert_string_equal(members[i].name, entries[i]);
		assert_int_equal(members[i].offset, 8 * i);
		assert_int_equal(type_size_or(members[i].type, 0), 8);
	}
}

static void virtual_tables(struct debug_program *program)
{
	static const char *const base[] = { "offset_to_top", "type_info", "app::Base::~Base",
					    "app::Base::~Base [deleting]", "app::Base::f" };
	static const char *const derived[] = { "offset_to_top", "type_info" };
	static const char *const virtual[] = { "vbase_offset(app::Base)", "offset_to_top",
					       "type_info" };
	const struct virtual_table *table;

	check_table(program, "app::Base", 16, base, COUNT_OF(base));
	check_table(program, "app::Derived", 16, derived, COUNT_OF(derived));
	check_table(program, "app::Virtual", 24, virtual, COUNT_OF(virtual));
	table = debug_reader_virtual_table(program->reader,
					   debug_program_type(program, "app::Derived"));
	assert_string_equal(name_of(table->type), "vtable for app::Derived");
	assert_string_equal(type_member(table->type, "app::Derived::f")->name, "app::Derived::f");
	assert_int_equal(type_member(table->type, "app::Derived::f")->offset, 32);
	assert_int_equal(table->base_count, 0);
	table = debug_reader_virtual_table(program->reader,
					   debug_program_type(program, "app::Virtual"));
	assert_int_equal(table->base_count, 1);
	assert_int_equal(table->bases[0].distance, 24);
	assert_string_equal(name_of(table->bases[0].type), "app::Base");
	assert_null(debug_reader_virtual_table(program->reader,
					       debug_program_type(program, "app::Mixin")));
	assert_null(debug_reader_virtual_table_of(program->reader,
						  debug_program_type(program, "app::Base")));
}

static void everything_of_cxx(struct debug_program *program)
{
	virtual_tables(program);
	classes(program);
	virtual_bases_have_no_place(program);
	classes_that_run_code_are_passed_by_address(program);
	names_with_their_namespaces(program);
	member_pointers(program);
	methods(program);
}

static void cxx_types(void **state)
{
	(void)state;
	debug_program_each_form(cxx_forms, sizeof(cxx_forms) / sizeof(*cxx_forms), cxx,
				everything_of_cxx);
}

static const struct debug_source storage[] = {
	{ "storage.cc", NULL },
	{ NULL, NULL },
};

static const char *member_type(struct debug_program *program, const char *record,
			       const char *member)
{
	return name_of(type_member(debug_program_type(program, record), member)->type);
}

static void raw_storage_has_the_type_of_its_object(void **state)
{
	static const char *const forms[][2] = { { "g++", "-gdwarf-5" },
						{ "g++", "-gdwarf-4 -fdebug-types-section" },
						{ "clang++", "-gdwarf-5" } };
	bool any = false;

	(void)state;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		struct debug_program program;

		if (!debug_program_build(&program, forms[i][0], forms[i][1], storage))
			continue;
		any = true;
		assert_string_equal(member_type(&program, "room<Item>", "bytes"), "Item");
		assert_string_equal(member_type(&program, "buffer<Item>", "bytes"), "Item");
		assert_string_equal(member_type(&program, "text<Item>", "bytes"), "char[]");
		assert_string_equal(member_type(&program, "half<Item>", "bytes"), "char[]");
		assert_string_equal(member_type(&program, "both<Item, int>", "bytes"), "char[]");
		assert_string_equal(member_type(&program, "plain", "bytes"), "char[]");
		debug_program_close(&program);
	}
	if (!any)
		skip_because("neither g++ nor clang++ is here");
}

static const struct debug_source templates[] = {
	{ "templates.cc", NULL },
	{ NULL, NULL },
};

static const char *const template_names[][2] = {
	{ "a", "ns::box<int, 3>" },
	{ "b", "ns::box<long, 3>" },
	{ "c", "ns::box<const char *, 4>" },
	{ "d", "ns::box<int, 3>::inner" },
	{ "e", "ns::pack<int, volatile long &, ns::box<char *const *, 1> >" },
	{ "f", "ns::pack<>" },
	{ "g", "ns::outer<ns::box>" },
	{ "h", "ns::values<ns::color::green, true, 'x', 7UL, ns::two, (short)-1>" },
	{ "i", "ns::derived" },
	{ "j", "ns::base<ns::derived>" },
	{ "k", "ns::declared<int>*" },
	{ "m", "ns::pack<int (*)(char, void *), long (int, ...)>" },
};

/* clang's short names become the long ones, except for the argument that is an address. */
static void names_of_templates(void **state)
{
	static const char *const forms[] = {
		"-g -O1 -gsimple-template-names",
		"-gdwarf-4 -O0 -gsimple-template-names",
		"-g -O1 -gsimple-template-names -fdebug-types-section",
	};
	size_t built = 0;

	(void)state;
	for (size_t form = 0; form < sizeof(forms) / sizeof(*forms); form++) {
		struct debug_program program;

		if (!debug_program_build(&program, "clang++", forms[form], templates))
			continue;
		print_message("# clang++ %s\n", forms[form]);
		built++;

		const struct type *all = debug_program_type(&program, "all");

		for (size_t i = 0; i < sizeof(template_names) / sizeof(*template_names); i++)
			assert_string_equal(name_of(type_member(all, template_names[i][0])->type),
					    template_names[i][1]);
		assert_string_equal(name_of(debug_program_type(&program, "ns::box<long, 3>")),
				    "ns::box<long, 3>");
		assert_int_equal(type_size_or(debug_program_type(&program, "ns::box<long, 3>"), 0),
				 32);
		debug_program_close(&program);
	}
	if (!built)
		skip_because("no clang++ is here that knows one of the flags");
}

static const struct debug_source rust[] = {
	{ "shapes.rs", NULL },
	{ NULL, NULL },
};

static void rust_types(void **state)
{
	struct debug_program program;
	size_t count, variants = 0;

	(void)state;
	if (!debug_program_build(&program, "rustc", "-g -O", rust))
		skip_because("there is no rustc here");

	const struct type *node = debug_program_type(&program, "shapes::Node");
	const struct type *shape = debug_program_type(&program, "shapes::Shape");

	assert_string_equal(name_of(node), "shapes::Node");
	assert_int_equal(node->kind, TYPE_STRUCT);
	assert_string_equal(name_of(type_member(node, "val")->type), "u64");
	assert_ptr_equal(type_canonical(type_member(node, "shape")->type), shape);
	assert_true(strncmp(name_of(type_member(node, "next")->type),
			    "core::option::Option<alloc::boxed::Box<shapes::Node", 51) == 0);

	const struct member *members = type_members(shape, &count);

	for (size_t i = 0; i < count; i++) {
		if (!members[i].is_variant)
			continue;
		variants++;
		if (strcmp(members[i].name, "Circle") == 0) {
			assert_string_equal(name_of(members[i].type), "shapes::Shape::Circle");
			assert_non_null(type_member(members[i].type, "r"));
		}
	}
	assert_int_equal(variants, 3);
	debug_program_close(&program);
}

/* ---- arrays and records of other languages */

static const struct debug_source arrays[] = {
	{ "arrays.s", NULL },
	{ NULL, NULL },
};

static const debug_form arrays_forms[] = {
	{ "gcc", "-shared -nostdlib" },
};

static void assert_place(const struct type *record, const char *name, int64_t offset, uint64_t size)
{
	const struct member *member = type_member(record, name);

	assert_non_null(member);
	assert_int_equal(member->offset, offset);
	assert_int_equal(member->size, size);
}

/* DWARF 5, table 7.17: x(3) and (1 .. 65) have no lower bound, and begin at 1; in C [3] is four. */
static void lower_bounds(struct debug_program *program)
{
	assert_place(debug_program_type(program, "particle"), "x", 0, 24);
	assert_place(debug_program_type(program, "plain"), "four", 0, 4);
}

/* The words of a Fortran array's descriptor are its own, and one of them leads to the elements. */
static void descriptors(struct debug_program *program)
{
	const struct type *particle = debug_program_type(program, "particle"), *array;

	assert_place(particle, "hist", 24, 64);
	array = type_strip(type_member(particle, "hist")->type);
	assert_string_equal(name_of(array), "real(kind=8)(:)");
	assert_true(array->flags & TYPE_DESCRIPTOR);
	assert_place(array, "data", 0, 8);
	assert_string_equal(name_of(type_member(array, "data")->type), "real(kind=8)*");
	assert_place(array, "stride", 40, 8);
	assert_place(array, "lower_bound", 48, 8);
	assert_place(array, "upper_bound", 56, 8);
}

/* Types that only other languages have, and write without a name, are named by what they are. */
static void types_without_names(struct debug_program *program)
{
	static const char *const members[][3] = { { "particle", "name", "character(kind=1)[]" },
						  { "TPART", "Used", "set of Char" },
						  { "NODE", "key", "int32" },
						  { "NODE", "cost", "float32" },
						  { "NODE", "weight", "int64" },
						  { "NODE", "live", "bool8" } };

	for (size_t i = 0; i < COUNT_OF(members); i++) {
		const struct type *record = debug_program_type(program, members[i][0]);

		assert_string_equal(name_of(type_member(record, members[i][1])->type),
				    members[i][2]);
	}
	const struct type *particle = debug_program_type(program, "particle");

	assert_place(particle, "name", 96, 12);
	/* a text is an array of characters, which keeps its name where it is declared */
	assert_string_equal(declaration_of(type_member(particle, "name")->type),
			    "character(len=12)");
	assert_place(debug_program_type(program, "TPART"), "Used", 20, 32);
	assert_place(debug_program_type(program, "NODE"), "marks", 17, 2);
}

/* A pointer whose size is given as 0 has that of an address. */
static void empty_pointers(struct debug_program *program)
{
	const struct type *pointing = debug_program_type(program, "pointing");

	assert_place(pointing, "first", 0, 8);
	assert_place(pointing, "second", 8, 8);
	assert_int_equal(type_size_or(type_member(pointing, "first")->type, 0), 8);
}

/* A size that depends on the object is not 0, and the members at constant places are there. */
static void sizes_of_objects(struct debug_program *program)
{
	const struct type *flags = debug_program_type(program, "pkg__flags");
	const struct type *holder = debug_program_type(program, "pkg__holder");
	uint64_t size = 0;

	assert_true(flags->flags & TYPE_DYNAMIC);
	assert_false(type_size(flags, &size));
	assert_int_equal(type_size_or(flags, 77), 77);
	assert_place(flags, "set", 0, 9); /* 65 bits */
	assert_place(flags, "count", 12, 4);
	assert_place(flags, "text", 20, 0);
	assert_null(type_member(flags, "tail"));
	/* elements are as far apart as the array says */
	assert_place(holder, "many", 0, 192);
	assert_int_equal(
		type_size_or(type_target(type_strip(type_member(holder, "many")->type)), 0), 64);
	/* up to the next member */
	assert_place(debug_program_type(program, "TPART"), "Name", 0, 16);
}

/* Members of one place that the compiler declares side by side are those of a nameless union, and
 * several of one case those of a struct in it. */
static void cases_are_unions(struct debug_program *program)
{
	static const struct {
		const char *record;
		size_t count, at, parts;
		int64_t offset;
		uint64_t size;
	} records[] = { { "TCASES", 3, 1, 2, 4, 32 },
			{ "TPAIRS", 2, 1, 2, 4, 20 },
			{ "pkg__flags", 4, 2, 2, 16, 4 },
			{ "value", 1, 0, 2, 0, 8 } };
	size_t count;

	for (size_t i = 0; i < COUNT_OF(records); i++) {
		const struct member *members =
			type_members(debug_program_type(program, records[i].record), &count);

		assert_int_equal(count, records[i].count);
		members += records[i].at;
		assert_null(members->name);
		assert_int_equal(members->offset, records[i].offset);
		assert_int_equal(members->size, records[i].size);
		assert_int_equal(members->type->kind, TYPE_UNION);
		members = type_members(members->type, &count);
		assert_int_equal(count, records[i].parts);
		for (size_t k = 0; k < count; k++)
			assert_int_equal(members[k].offset, 0);
	}
	/* members that lie side by side stay as they are */
	type_members(debug_program_type(program, "TPART"), &count);
	assert_int_equal(count, 3);
}

/* Types are found by the names that the source has for them. */
static void names_in_source(struct debug_program *program)
{
	static const char *const names[][2] = {
		{ "Pkg.Holder", "struct pkg__holder" }, { "TPart", "struct TPART" },
		{ "struct TPart", "struct TPART" },     { "tpart", "struct TPART" },
		{ "PARTICLE", "struct particle" },      { "struct Particle", "struct particle" }
	};
	const struct type *types[2];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		assert_int_equal(debug_reader_types_named(program->reader, names[i][0], types, 2),
				 1);
		assert_string_equal(name_of(types[0]), names[i][1]);
		assert_int_equal(debug_reader_types_called(program->reader, names[i][0], types, 2),
				 1);
		assert_string_equal(name_of(types[0]), names[i][1]);
	}
	assert_int_equal(debug_reader_types_named(program->reader, "Other.Holder", types, 2), 0);
	/* C does not ignore case */
	assert_int_equal(debug_reader_types_named(program->reader, "PLAIN", types, 2), 0);
}

/* Crystal's alignments of records are their sizes, which their places contradict. */
static void sizes_are_no_alignments(struct debug_program *program)
{
	const struct type *dot = debug_program_type(program, "Dot");

	assert_int_equal(type_alignment(debug_program_type(program, "Colour")), 0);
	assert_int_equal(type_alignment(dot), 0);
}

static void check_arrays(struct debug_program *program)
{
	names_in_source(program);
	lower_bounds(program);
	descriptors(program);
	types_without_names(program);
	empty_pointers(program);
	sizes_of_objects(program);
	cases_are_unions(program);
	sizes_are_no_alignments(program);
}

static void arrays_of_other_languages(void **state)
{
	(void)state;
	debug_program_each_form(arrays_forms, COUNT_OF(arrays_forms), arrays, check_arrays);
}

/* gcc adds the module to the names of its types in all units but its own. */
static void check_modules(struct debug_program *program)
{
	struct function *in = debug_program_function(program, "inside"),
			*out = debug_program_function(program, "outside");
	const struct variable *inside = function_variable(in, "list"),
			      *outside = function_variable(out, "list");

	assert_string_equal(name_of(inside->type), "store::list<store::node, store::node::part>*");
	assert_string_equal(name_of(outside->type), "store::list<store::node, store::node::part>*");
	assert_ptr_equal(type_canonical(type_target(inside->type)),
			 type_canonical(type_target(outside->type)));
	function_destroy(in);
	function_destroy(out);
}

static void names_without_modules(void **state)
{
	static const debug_form forms[] = { { "g++", "-std=c++20 -fmodules-ts -gdwarf-5 -O1" },
					    { "g++", "-std=c++20 -fmodules-ts -gdwarf-4 -O0" } };
	static const struct debug_source sources[] = {
		{ "lib.cc",
		  "export module lib.shelf;\n"
		  "export namespace store {\n"
		  "	struct node { struct part { long key; } first; node *next; };\n"
		  "	template <typename T, typename P> struct list { T *first; long count; P "
		  "*part; };\n"
		  "}\n"
		  "extern \"C\" long inside(store::list<store::node, store::node::part> *list)\n"
		  "{ return list->first->next->first.key; }\n" },
		{ "main.cc",
		  "import lib.shelf;\n"
		  "extern \"C\" long outside(store::list<store::node, store::node::part> *list)\n"
		  "{ return list->first->first.key; }\n"
		  "int main() { return 0; }\n" },
		{ NULL, NULL },
	};

	(void)state;
	debug_program_each_form(forms, COUNT_OF(forms), sources, check_modules);
}

/* Each language has a name of its own. */
static void names_of_languages(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < LANGUAGE_COUNT; i++) {
		assert_non_null(language_name(i));
		for (unsigned int k = 0; k < i; k++)
			assert_string_not_equal(language_name(i), language_name(k));
	}
	assert_string_equal(language_name(LANGUAGE_GO), "Go");
	assert_string_equal(language_name(unit_language(0x44)), "Algol 68");
	assert_string_equal(language_name(LANGUAGE_COUNT), language_name(LANGUAGE_OTHER));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arrays_of_other_languages),
		cmocka_unit_test(names_of_languages),
		cmocka_unit_test(cxx_types),
		cmocka_unit_test(names_of_templates),
		cmocka_unit_test(names_without_modules),
		cmocka_unit_test(raw_storage_has_the_type_of_its_object),
		cmocka_unit_test(rust_types),
	};

	return cmocka_run_group_tests_name("languages", tests, NULL, NULL);
}
