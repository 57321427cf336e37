// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of C++, D and Rust. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dwarf/elf/image.h"
#include "base/strbuf.h"

static void names_as_their_authors_wrote_them(void **state)
{
	static const struct {
		const char *mangled;
		const char *name; /* NULL: not mangled */
	} cases[] = {
		{ "_ZN3foo3barIiEEvT_", "foo::bar<int>" },
		{ "_ZNSt6vectorIiSaIiEE9push_backEOi",
		  "std::vector<int, std::allocator<int> >::push_back" },
		{ "_ZNK5Point3absEv", "Point::abs" },
		{ "_ZN5PointC1Edd", "Point::Point" },
		{ "_ZTV5Point", "vtable for Point" },
		{ "_Z4freePv@plt", "free@plt" },
		{ "_ZN4core3fmt9Formatter3pad17h1234567890abcdefE", "core::fmt::Formatter::pad" },
		{ "_ZN4core3fmt9Formatter3pad17h1234567890abcdefE.llvm.99",
		  "core::fmt::Formatter::pad" },
		{ "_RNvC7mycrate4main", "mycrate::main" },
		{ "_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar" },
		{ "_D1d__T4PoolTCQm4NodeZQp5totalMFNaNbNiNfZl", "d.Pool!(d.Node).Pool.total" },
		{ "_D1d3Vec11__xopEqualsMxFKxSQzQzZb", "d.Vec.__xopEquals" },
		{ "_D1d__T4PoolTCQm4NodeZQp6__initZ", "initializer for d.Pool!(d.Node).Pool" },
		{ "_D3std3utf12UTFException6__ctorMFNaNbNiNfAyaQdmC6object9ThrowableZCQCnQCmQCl",
		  "std.utf.UTFException.this" },
		{ "_Dmain", NULL },
		{ "_DYNAMIC", NULL },
		{ "main", NULL },
		{ "", NULL },
		{ "memcpy@plt", NULL },
		{ "_start", NULL },
		{ "_Z", NULL },
		{ "_R", NULL },
		{ "__libc_start_main", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *name = symbol_demangle(cases[i].mangled);

		if (cases[i].name && (!name || strcmp(name, cases[i].name) != 0))
			fail_msg("%s: \"%s\" instead of \"%s\"", cases[i].mangled,
				 name ? name : "(none)", cases[i].name);
		if (!cases[i].name && name)
			fail_msg("%s: \"%s\", which is not mangled", cases[i].mangled, name);
		free(name);
	}
}

/* f<A<int, int>, A<S1, S1>, A<S2, S2>, ...>(): the text of each argument is twice that of the one
 * before. */
static char *doubling(const char *name_of_a, size_t times)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	strbuf_add_format(&name, "_Z1fI%zu%sIiiE", strlen(name_of_a), name_of_a);
	for (size_t i = 1; i <= times; i++)
		strbuf_add_format(&name, "S0_IS%c_S%c_E", digits[i], digits[i]);
	strbuf_add_string(&name, "Evv");
	return symbol_demangle(name.data);
}

static void names_that_explode_are_given_up(void **state)
{
	char *name = doubling("A", 1);

	(void)state;
	assert_string_equal(name, "f<A<int, int>, A<A<int, int>, A<int, int> > >");
	free(name);
	name = doubling("A", 8);
	assert_non_null(name);
	assert_true(strlen(name) > 3000);
	free(name);
	assert_null(doubling("A", 34));
	assert_null(doubling("\xc3\x84", 34));
	/* the same for D: an associative array of two equal types, of two of those, ... */
	{
		_cleanup_strbuf_ struct strbuf d = STRBUF_INIT;

		strbuf_add_string(&d, "_D1fFHii");
		for (int i = 0; i < 40; i++)
			strbuf_add_string(&d, i ? "HQfQh" : "HQdQf");
		strbuf_add_string(&d, "Zv");
		assert_null(symbol_demangle(d.data));
		strbuf_reset(&d);
		strbuf_add_string(&d, "_D1fF");
		for (int i = 0; i < 500000; i++)
			strbuf_add_char(&d, 'P');
		assert_null(symbol_demangle(d.data));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_as_their_authors_wrote_them),
		cmocka_unit_test(names_that_explode_are_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
