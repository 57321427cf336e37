// SPDX-License-Identifier: GPL-2.0-or-later
/* The output of dtprof layout --emit=c is C by itself, for the rarer types and names, too. */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/workload.h"

/* `outer` has `inner` as a member, so that one is a stand-in beside the other. */
static const char nested_source[] =
	"struct outer; struct inner;\n"
	"#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
	"long use_outer(struct outer *p); long use_inner(struct inner *p);\n"
	"#ifdef __cplusplus\n}\n#endif\n"
	"typedef struct inner { char a; long b; char c; } inner_t;\n"
	"struct outer { char a; struct inner in; inner_t *next; char pad[80]; long z; };\n"
	"struct outer outer; struct inner inner;\n"
	"__attribute__((noinline)) long use_outer(struct outer *p)\n"
	"{ return p->a + p->z; }\n"
	"__attribute__((noinline)) long use_inner(struct inner *p)\n"
	"{ return p->a + p->b; }\n"
	"int main(void) { long s = 0; for (int i = 0; i < 100; i++)\n"
	" s += use_outer(&outer) + use_inner(&inner); return s != 0; }\n";

static const char source[] =
	"typedef int (*call_t)(void *, const char *restrict);\n"
	"struct qualified { char a; const char *const names[2]; const int k[3];\n"
	" volatile long *const vp; const int (*const rows)[4]; int b; char pad[80]; long z; };\n"
	"struct numbers { char a; long double ld; __int128 wide; _Bool flag;\n"
	" call_t calls[3]; int (*pa)[4][5]; int b; char pad[80]; long z; };\n"
	/* two types of one name */
	"__attribute__((noinline)) long use_twin(void *q)\n"
	"{ struct twin { char a; long z; } *p = q; return p->a + p->z; }\n"
	"__attribute__((noinline)) long use_other_twin(void *q)\n"
	"{ struct twin { long z; char a; int b; } *p = q; return p->b + p->z; }\n"
	"struct pad { char x[0]; } __attribute__((aligned(64)));\n"
	"struct padded { char a; struct pad pad1; long b; char c; struct pad pad2; long z; };\n"
	"struct padded padded;\n"
	"__attribute__((noinline)) long use_padded(struct padded *p) { return p->c + p->z; }\n"
	"struct qualified qualified; struct numbers numbers;\n"
	"__attribute__((noinline)) long use_qualified(struct qualified *p)\n"
	"{ return p->a + p->b + p->z; }\n"
	"__attribute__((noinline)) long use_numbers(struct numbers *p)\n"
	"{ return p->a + p->b + p->z; }\n"
	/* bitfields that begin in the middle of a unit, or after unnamed ones; vectors; f() */
	"typedef float four __attribute__((vector_size(16)));\n"
	"struct flags { _Bool a : 1, b : 1; _Bool plain; int k : 2, s : 5; long wide : 40, top : "
	"20;\n"
	" int (*old)(); four v; short few[3] __attribute__((vector_size(8))); };\n"
	"struct gaps { int : 6; int a : 8; char c; char d : 7; long : 0; long : 4; long e : 5;\n"
	" short f; int : 0; int g : 8; char h; int i : 3, j : 20; };\n"
	"struct small { unsigned char c : 2; unsigned short m : 6; _Bool on : 1; int rest : 22;\n"
	" signed char tail; };\n"
	/* unnamed ones in nested records, before a plain member, and at the end */
	"struct nested { struct { int : 3, u : 2; short v; int : 7; } in; char c; long : 5; char "
	"d;\n"
	" union { struct { long : 9, x : 4; }; char y; }; struct { int : 20; } only; short e : 3; "
	"int : 9; };\n"
	"struct flags flags; struct gaps gaps; struct small small; struct nested nested;\n"
	"__attribute__((noinline)) long use_nested(struct nested *p)\n"
	"{ return p->in.u + p->in.v + p->d + p->x + p->e; }\n"
	"__attribute__((noinline)) long use_flags(struct flags *p)\n"
	"{ return p->plain + p->s + p->top + (int)p->v[1]; }\n"
	"__attribute__((noinline)) long use_gaps(struct gaps *p)\n"
	"{ return p->c + p->e + p->f + p->g + p->h + p->j; }\n"
	"__attribute__((noinline)) long use_small(struct small *p) { return p->tail + p->rest; }\n"
	"int main(void) { long s = 0; for (int i = 0; i < 100; i++)\n"
	" s += use_flags(&flags) + use_gaps(&gaps) + use_small(&small) + use_nested(&nested) + "
	"use_qualified(&qualified) "
	"+ use_numbers(&numbers) + use_twin(&numbers) +\n"
	" use_other_twin(&numbers) + use_padded(&padded); return s != 0; }\n";

static const char cxx_source[] =
	"struct value { long v; long &operator*() { return v; } };\n"
	"template <auto F> struct holder { char restrict; long register_; char pad[80]; long z; "
	"};\n"
	"holder<&value::operator*> held;\n"
	"extern \"C\" __attribute__((noinline)) long use_held(holder<&value::operator*> *p)\n"
	"{ return p->restrict + p->z; }\n"
	"int main() { long s = 0; for (int i = 0; i < 100; i++) s += use_held(&held); return s != "
	"0; }\n";

static void assert_compiles(const struct workload *workload, const char *type)
{
	static const char *const kinds[] = { "keep", "reorder", "shrink" };
	static const char *const compilers[] = { "gcc", "clang" };

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		_cleanup_process_ struct process_result emitted = { 0 };

		shell_must(&emitted, "%s layout -q -i %s --type=%s --emit=c --proposal=%s > %s/o.c",
			   dtprof_path(), workload->data, type, kinds[i], workload->folder);
		for (size_t k = 0; k < COUNT_OF(compilers); k++) {
			_cleanup_process_ struct process_result compiled = { 0 };

			if (compiler_works(compilers[k]))
				shell_must(&compiled,
					   "%s -std=gnu11 -Wall -Werror -c %s/o.c -o %s/o.o",
					   compilers[k], workload->folder, workload->folder);
		}
	}
}

static void test_types_of_c(void **state)
{
	static const char *const functions[] = {
		"use_qualified", "use_numbers", "use_twin",  "use_other_twin", "use_padded",
		"use_flags",     "use_gaps",    "use_small", "use_nested",     NULL
	};
	_cleanup_free_ char *path = xstrdup(scratch_file("emit.c"));
	_cleanup_free_ char *compiler = xasprintf("%s -O2 -g", process_compiler());
	struct workload *workload;

	(void)state;
	file_write(path, source, strlen(source));
	workload = workload_build_accessed(compiler, path, functions);
	if (!workload)
		skip_because("accesses cannot be recorded here");
	assert_compiles(workload, "qualified");
	assert_compiles(workload, "numbers");
	assert_compiles(workload, "twin");
	assert_compiles(workload, "padded");
	assert_compiles(workload, "flags");
	assert_compiles(workload, "gaps");
	assert_compiles(workload, "small");
	assert_compiles(workload, "nested");

	_cleanup_process_ struct process_result kept = { 0 };

	shell_must(&kept, "%s layout -q -i %s --type=nested --emit=c --proposal=keep",
		   dtprof_path(), workload->data);
	assert_non_null(strstr(kept.output.data, "int : 3;\n\t\tint u : 2;"));
	assert_non_null(strstr(kept.output.data, " : 9;\n\t\t\tlong"));
	workload_destroy(workload);
}

/* Several types compile in one file, in C and in C++. */
static void test_several(void **state)
{
	static const char *const functions[] = { "use_outer", "use_inner", NULL };
	static const char *const languages[] = { "c -std=gnu11", "c++" };
	_cleanup_free_ char *path = xstrdup(scratch_file("nested.c"));

	(void)state;
	need_compiler("g++");
	file_write(path, nested_source, strlen(nested_source));
	for (size_t i = 0; i < COUNT_OF(languages); i++) {
		_cleanup_free_ char *compiler = xasprintf("%s -w -O2 -g", i ? "g++ -x c++" : "gcc");
		_cleanup_process_ struct process_result both = { 0 }, compiled = { 0 };
		struct workload *workload = workload_build_accessed(compiler, path, functions);

		if (!workload)
			skip_because("accesses cannot be recorded here");
		assert_compiles(workload, "'[io]*er'");
		shell_must(&both, "grep -c '^struct \\(outer\\|inner\\) {$' %s/o.c",
			   workload->folder);
		assert_string_equal(both.output.data, "2\n");
		shell_must(&compiled, "gcc -x %s -Wall -Werror -c %s/o.c -o %s/o.o", languages[i],
			   workload->folder, workload->folder);
		workload_destroy(workload);
	}
}

/* A name that ends a comment is no code, and a keyword of C no name. */
static void test_names_of_cxx(void **state)
{
	static const char *const functions[] = { "use_held", NULL };
	_cleanup_free_ char *path = xstrdup(scratch_file("emit.cc"));
	struct workload *workload;

	(void)state;
	need_compiler("g++");
	file_write(path, cxx_source, strlen(cxx_source));
	workload = workload_build_accessed("g++ -std=c++17 -O2 -g", path, functions);
	if (!workload)
		skip_because("accesses cannot be recorded here");
	assert_compiles(workload, "holder");
	workload_destroy(workload);
}

/* An argument of a template as it may be written by a compiler, and a name that is half a comment.
 */
static void test_comments(void **state)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

	(void)state;
	strbuf_add_c_comment(&text, "a*/ b /* c **//");
	assert_null(strstr(text.data, "*/"));
	assert_null(strstr(text.data, "/*"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types_of_c),
		cmocka_unit_test(test_several),
		cmocka_unit_test(test_names_of_cxx),
		cmocka_unit_test(test_comments),
	};

	return cmocka_run_group_tests(tests, NULL, scratch_tear_down);
}
