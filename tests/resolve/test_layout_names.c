// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of functions in the texts of dtprof layout. */
#include "tests/support/unit.h"

#include "profiler/resolve/layout_private.h"

static void assert_shown(const char *name, const char *expected)
{
	struct arena arena = { 0 };

	assert_string_equal(function_shown_name(&arena, name), expected);
	arena_deinit(&arena);
}

/* The functions that gcc makes of loops with OpenMP have only a mangled name. */
static void test_names(void **state)
{
	(void)state;
	assert_shown("rasterize", "rasterize");
	assert_shown("_Z9rasterizeRA3_K3vecILi4EERK7IShader._omp_fn.0", "rasterize");
	assert_shown("_start", "_start");
	assert_shown(NULL, "(no name)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
