// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that do not come back: see no_return.h. */
#include "annotate/no_return.h"

#include <stdlib.h>
#include <string.h>

/* By contract of the C library, the C++ ABI and the compilers' support libraries; sorted. For where no
 * declaration says so. */
static const char *const names[] = {
	"_Exit",
	"_Unwind_Resume",
	"_ZSt10unexpectedv",
	"_ZSt16__throw_bad_castv",
	"_ZSt17__throw_bad_allocv",
	"_ZSt19__throw_logic_errorPKc",
	"_ZSt20__throw_length_errorPKc",
	"_ZSt20__throw_out_of_rangePKc",
	"_ZSt24__throw_out_of_range_fmtPKcz",
	"_ZSt25__throw_bad_function_callv",
	"_ZSt28__throw_bad_array_new_lengthv",
	"_ZSt9terminatev",
	"__assert_fail",
	"__assert_perror_fail",
	"__chk_fail",
	"__cxa_bad_cast",
	"__cxa_call_unexpected",
	"__cxa_pure_virtual",
	"__cxa_rethrow",
	"__cxa_throw",
	"__cxa_throw_bad_array_new_length",
	"__fortify_fail",
	"__libc_start_main",
	"__longjmp_chk",
	"__stack_chk_fail",
	"_exit",
	"_longjmp",
	"abort",
	"err",
	"errx",
	"exit",
	"longjmp",
	"pthread_exit",
	"quick_exit",
	"siglongjmp",
	"verr",
	"verrx",
};

static int compare(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

static enum named_return find_by_name(const struct elf_image *image, uint64_t target)
{
	const char *import = elf_image_plt_import(image, target), *name = import;

	if (!name) {
		const struct symbol *symbol = elf_image_function_at(image, target);

		if (symbol && symbol->address == target)
			name = symbol->name;
	}
	if (name && bsearch(name, names, sizeof(names) / sizeof(*names), sizeof(*names), compare))
		return NAMED_NEVER_RETURNS;
	return import ? NAMED_IMPORT : NAMED_OTHER;
}

static enum named_return by_name(const struct caller *caller, uint64_t target)
{
	bool created;
	uint32_t *known = hash_map_insert(caller->named, target, &created);

	if (created)
		*known = find_by_name(caller->image, target);
	return *known;
}

/* By the call's own entry, which has the declaration that the compiler saw; else by the address, but for an
 * import: a stub of the PLT is code that nobody declares. */
static const struct prototype *declaration_of(const struct caller *caller, uint64_t return_address,
					      uint64_t target, bool import)
{
	const struct call_site *site =
		caller->function ? function_call_site(caller->function, return_address) : NULL;

	if (site && site->callee)
		return site->callee;
	return caller->reader && !import ? debug_reader_prototype_at(caller->reader, target, caller->address)
					 : NULL;
}

bool call_never_returns(const struct caller *caller, uint64_t return_address, uint64_t target)
{
	if (!target)
		return false;

	enum named_return named = by_name(caller, target);

	if (named == NAMED_NEVER_RETURNS)
		return true;

	const struct prototype *prototype =
		declaration_of(caller, return_address, target, named == NAMED_IMPORT);

	return prototype && prototype->no_return;
}
