// SPDX-License-Identifier: GPL-2.0-or-later
/* Types and members in the rules of dtprof check have the names that their languages give them, and
 * a recording keeps the rules that dtprof layout writes from it. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

struct rule_case {
	const char *rule;
	bool kept;
};

static void check(const struct workload *workload, const struct rule_case *rule)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *path = xasprintf("%s/rules", workload->folder);
	_cleanup_free_ char *command =
		xasprintf("%s check %s %s", dtprof_path(), path, workload->program);

	file_write(path, rule->rule, strlen(rule->rule));
	process_shell(command, &result);
	if (result.status != !rule->kept ||
	    !strstr(result.output.data, rule->kept ? ": ok: " : ": FAILED: "))
		fail_msg("%s: status %d, %s%s", rule->rule, result.status, result.output.data,
			 result.errors.data ? result.errors.data : "");
}

static void test_names_of_cxx(void **state)
{
	static const struct rule_case cases[] = {
		/* a class's own member hides its base's */
		{ "offsetof(Circle, order) == 8", true },
		{ "offsetof(Circle, order) == 4", false },
		{ "offsetof(Circle, Shape.order) == 4", true },
		{ "offsetof(Circle, kind) == 0", true },
		{ "Circle.Shape in line 0", true },
		{ "Drawn._vptr.Drawn in line 0", true },
		/* templates, with the blanks that people write */
		{ "sizeof(Slot<long>) == 16", true },
		{ "sizeof(struct Slot<long>) <= 15", false },
		{ "offsetof(Slot<long>, value) == 8", true },
		{ "holes of Slot<long> <= 7", true },
		{ "holes of Slot<long><7", false },
		{ "Slot<long>.value in the first line", true },
		{ "Slot<long> {state value} within 1 lines", true },
		{ "sizeof(Both<Slot<int>, char *>) == 16", true },
		{ "sizeof(Both<Slot<int>,char*>) == 16", true },
		{ "sizeof(Both<int,Slot<Slot<int>>>) <= 64", true },
		/* a template alone is all of its instances; each must keep the rule */
		{ "sizeof(Slot) <= 64", true },
		{ "sizeof(Slot) <= 15", false },
		{ "sizeof(store::Cell) <= 16", true },
		{ "sizeof(store::Cell) <= 8", false },
		{ "sizeof(Cell) <= 8", false },
		{ "sizeof(Cell<const char *>) == 8", true },
		{ "sizeof(store::Cell<char const*>) == 8", true },
		{ "sizeof(store::Cell<const char, const long>) == 8", false },
		/* namespaces, in full or not at all */
		{ "sizeof(store::Item) == 104", true },
		{ "sizeof(Item) == 104", true },
		{ "sizeof(tore::Item) == 104", false },
		{ "Item.last in line 1", true },
		{ "store::Item {id price} within 1 lines", true },
		{ "sizeof((anonymous namespace)::Hidden) == 80", true },
		{ "sizeof(Hidden) == 80", true },
	};
	struct workload *workload;

	(void)state;
	need_compiler("g++");
	workload = workload_build("g++ -g -O2", "tests/workloads/rule_names.cc");
	assert_non_null(workload);
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		check(workload, &cases[i]);
	workload_destroy(workload);
}

/* Words of C++ and of the rules are names in C; records may have no bytes; the kernel's groups. */
static void test_names_of_c(void **state)
{
	static const char source[] =
		"struct call { long list; int class; int new; int namespace; };\n"
		"struct class { long name; int in; };\n"
		"struct lock_key { }; struct holder { int a; struct lock_key key; int b; };\n"
		"struct sock { char __cacheline_group_begin__rx[0]; long a, b;\n"
		" char __cacheline_group_end__rx[0]; long c; char pad[64];\n"
		" char __cacheline_group_begin__tx[0]; long d; char __cacheline_group_end__tx[0]; "
		"};\n"
		"struct call call; struct class class; struct holder holder; struct sock sock;\n"
		"int main(void) { return call.class + class.in + holder.b + (int)sock.d; }\n";
	static const struct rule_case cases[] = {
		{ "sizeof(class) == 16", true },
		{ "sizeof(struct class) == 16", true },
		{ "offsetof(class, in) == 8", true },
		{ "class.in in line 0", true },
		{ "holes of class == 4", true },
		{ "class {name in} within 1 lines", true },
		{ "offsetof(call, class) == 8", true },
		{ "call {list new class} within 1 lines", true },
		{ "sizeof(lock_key) == 0", true },
		{ "sizeof(lock_key) > 0", false },
		{ "offsetof(holder, key) == 4", true },
		{ "sizeof(sock.rx group) <= 16", true },
		{ "sizeof(sock.rx group) < 16", false },
		{ "sock.rx group within 1 lines", true },
		{ "sock.tx group within 0 lines", false },
		{ "sizeof(sock.none group) <= 16", false },
	};
	_cleanup_free_ char *path = xstrdup(scratch_file("names.c"));
	_cleanup_free_ char *compiler = xasprintf("%s -g", process_compiler());
	struct workload *workload;

	(void)state;
	file_write(path, source, strlen(source));
	workload = workload_build(compiler, path);
	assert_non_null(workload);
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		check(workload, &cases[i]);
	workload_destroy(workload);
}

/* A type of Go may have the name of its package, and fields that are not those of another type. */
static void test_names_with_points(void **state)
{
	static const char source[] = "struct point { int x; };\n"
				     "struct point_holder { long a; struct point x; };\n"
				     "struct point one; struct point_holder two;\n"
				     "int main(void) { return one.x + two.x.x; }\n";
	static const struct rule_case cases[] = {
		{ "point.holder.x in line 0", true },
		{ "offsetof(point, x) == 0", true },
		{ "point.holder {a x.x} within 1 lines", true },
		{ "point.other in line 0", false },
	};
	_cleanup_process_ struct process_result made = { 0 };
	_cleanup_free_ char *path = xstrdup(scratch_file("points.c")), *assembly = NULL;
	struct workload *workload;

	(void)state;
	file_write(path, source, strlen(source));
	shell_must(&made, "%s -g -S -o - %s | sed 's/\"point_holder\"/\"point.holder\"/' >%s.s",
		   process_compiler(), path, path);
	assembly = xasprintf("%s.s", path);
	workload = workload_build(process_compiler(), assembly);
	assert_non_null(workload);
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		check(workload, &cases[i]);
	workload_destroy(workload);
}

/* Each type has rules, and the recording keeps them all. */
static void test_rules_of_layout(void **state)
{
	static const char *const functions[] = { "use_circle", "use_slot",    "use_item",
						 "use_hidden", "use_options", NULL };
	static const char *const rules[] = {
		"\nCircle.Shape in line 0\n",
		"\nCircle.order in line 0\n",
		"\nOptions.bold in line 0 # the bit-fields bold..wide\n",
		"\nstore::Item.last in line 1\n",
		"\nsizeof(Slot<long",
		"\nsizeof((anonymous namespace)::Hidden) <= 80\n"
	};
	_cleanup_process_ struct process_result emitted = { 0 }, checked = { 0 };
	struct workload *workload;

	(void)state;
	need_compiler("g++");
	workload =
		workload_build_accessed("g++ -g -O2", "tests/workloads/rule_names.cc", functions);
	if (!workload)
		skip_because("accesses cannot be recorded here");
	shell_must(&emitted,
		   "%s layout -q -i %s --emit=rules --top 20 -o %s/emitted && cat %s/emitted",
		   dtprof_path(), workload->data, workload->folder, workload->folder);
	for (size_t i = 0; i < COUNT_OF(rules); i++)
		if (!strstr(emitted.output.data, rules[i]))
			fail_msg("no %s in %s", rules[i], emitted.output.data);
	shell_must(&checked, "%s check -i %s %s/emitted", dtprof_path(), workload->data,
		   workload->folder);
	assert_non_null(strstr(checked.output.data, " 0 broken, 0 unknown"));
	workload_destroy(workload);
}

/* A library and the program have other records of one name. Each rule says which one it means, and
 * a rule about an object that is not checked is unknown. */
static void test_objects(void **state)
{
	static const char library[] = "struct entry { long serial; char name[72]; };\n"
				      "long use_other(struct entry *e) { return e->serial; }\n";
	static const char program[] =
		"struct entry { long key, value; }; struct entry entry;\n"
		"long use_other(void *e); static char other[80];\n"
		"__attribute__((noinline)) long use_own(struct entry *e) { return e->value; }\n"
		"int main(void) { return use_own(&entry) + use_other(other); }\n";
	static const char rules[] = "liba.so: sizeof(entry) == 80\na: sizeof(entry) == 16\n"
				    "a: entry.value in line 0\nliba.so: entry.serial in line 0\n";
	_cleanup_process_ struct process_result both = { 0 }, one = { 0 }, neither = { 0 };
	char *folder = scratch_create();
	char *paths[3] = { xasprintf("%s/liba.c", folder), xasprintf("%s/a.c", folder),
			   xasprintf("%s/rules", folder) };

	(void)state;
	file_write(paths[0], library, strlen(library));
	file_write(paths[1], program, strlen(program));
	file_write(paths[2], rules, strlen(rules));
	shell_must(&neither,
		   "cd %s && %s -g -shared -fPIC -o liba.so liba.c && %s -g -w -o a a.c -L. -la",
		   folder, process_compiler(), process_compiler());
	shell_must(&both, "%s check %s/rules %s/a %s/liba.so", dtprof_path(), folder, folder,
		   folder);
	assert_non_null(strstr(both.output.data, "4 kept, 0 broken, 0 unknown"));
	shell_must(&one, "%s check %s/rules %s/a", dtprof_path(), folder, folder);
	assert_non_null(strstr(one.output.data, "2 kept, 0 broken, 2 unknown"));
	assert_non_null(strstr(one.output.data, "'liba.so' is not among the objects"));
	for (size_t i = 0; i < COUNT_OF(paths); i++)
		free(paths[i]);
	scratch_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_cxx),      cmocka_unit_test(test_names_of_c),
		cmocka_unit_test(test_names_with_points), cmocka_unit_test(test_rules_of_layout),
		cmocka_unit_test(test_objects),
	};

	return cmocka_run_group_tests(tests, NULL, scratch_tear_down);
}
