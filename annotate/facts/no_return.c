// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls that do not return: see no_return.h. What follows such a call is not a path. */
#include "annotate/facts/no_return.h"

#include "base/memory.h"
#include "base/text.h"

/* Functions that do not return by contract of the C library, the C++ ABI, the compilers' support
 * libraries or Go's runtime, for calls without a declaration. Sorted. */
static const char *const no_return_names[] = {
	"_Exit",
	"_Unwind_Resume",
	"_ZNSt3__122__libcpp_verbose_abortEPKcz",
	"_ZSt10unexpectedv",
	"_ZSt17rethrow_exceptionNSt15__exception_ptr13exception_ptrE",
	"_ZSt21__glibcxx_assert_failPKciS0_S0_",
	"_ZSt9terminatev",
	"__assert_fail",
	"__assert_perror_fail",
	"__chk_fail",
	"__cxa_bad_cast",
	"__cxa_bad_typeid",
	"__cxa_call_unexpected",
	"__cxa_deleted_virtual",
	"__cxa_pure_virtual",
	"__cxa_rethrow",
	"__cxa_throw",
	"__cxa_throw_bad_array_length",
	"__cxa_throw_bad_array_new_length",
	"__fortify_fail",
	"__libc_start_main",
	"__longjmp_chk",
	"__stack_chk_fail",
	"__ubsan_handle_builtin_unreachable",
	"__ubsan_handle_missing_return",
	"_exit",
	"_longjmp",
	"abort",
	"err",
	"errx",
	"exit",
	"longjmp",
	"os.Exit",
	"pthread_exit",
	"quick_exit",
	"runtime.Goexit",
	"runtime.block",
	"runtime.fatalpanic",
	"runtime.fatalthrow",
	"runtime.gopanic",
	"runtime.throw",
	"siglongjmp",
	"thrd_exit",
	"verr",
	"verrx",
};

static int compare_names(const void *key, const void *element)
{
	return strcmp(key, *(const char *const *)element);
}

/* How the names of Go's functions for an index out of bounds, a division by 0 and so on begin
 * (runtime/panic.go). The checks return if nothing is wrong. */
#define GO_PANIC       "runtime.panic"
#define GO_PANIC_CHECK "runtime.panicCheck"

static bool is_go_panic(const char *name)
{
	return starts_with(name, GO_PANIC) && !starts_with(name, GO_PANIC_CHECK);
}

/* How the names of AddressSanitizer's functions begin that report an error. Those whose names end
 * in the second return (-fsanitize-recover). */
#define SANITIZER_REPORT  "__asan_report_"
#define SANITIZER_GOES_ON "_noabort"

/* How the names of UndefinedBehaviorSanitizer's functions begin, and those of functions that do not
 * return end (-fno-sanitize-recover). */
#define UNDEFINED       "__ubsan_handle_"
#define UNDEFINED_ABORT "_abort"

/* The C++ libraries' functions that throw: std::__throw_system_error(int) in libstdc++, in libc++
 * also members such as std::vector<T>::__throw_length_error(). Names with two underscores belong to
 * the implementation. */
static bool is_library_throw(const char *name)
{
	return (starts_with(name, "_ZSt") || starts_with(name, "_ZNSt") ||
		starts_with(name, "_ZNKSt")) &&
	       strstr(name, "__throw_");
}

static bool is_no_return_name(const char *name)
{
	if (starts_with(name, SANITIZER_REPORT))
		return !ends_with(name, SANITIZER_GOES_ON);
	if (starts_with(name, UNDEFINED) && ends_with(name, UNDEFINED_ABORT))
		return true;
	return is_go_panic(name) || is_library_throw(name) ||
	       bsearch(name, no_return_names, COUNT_OF(no_return_names), sizeof(*no_return_names),
		       compare_names);
}

/* Longer functions are not examined, in bytes of code. One that only ends the program or raises an
 * exception may make a message first, but is short. */
#define NO_WAY_OUT_MAX 512

/* True if no instruction of the function returns or leaves it, and control does not run past its
 * end: nothing follows the last call, because the compiler knew that it does not return, or it
 * jumps back. This finds the panics of Rust's library, whose debug information has only lines. */
static bool has_no_way_out(const struct caller *caller, const struct symbol *symbol)
{
	size_t available, size = symbol->size;
	const uint8_t *code = elf_image_code(caller->image, symbol->address, &available);
	enum operation last = OP_OTHER;

	if (symbol->type != STT_FUNC || !code || !size || size > NO_WAY_OUT_MAX ||
	    size > available || !decoder_may_be_endless(caller->decoder, code, size))
		return false;
	for (size_t at = 0; at < size;) {
		struct insn insn;
		uint64_t target;

		decoder_decode(caller->decoder, code + at, size - at, symbol->address + at, &insn);
		if (insn.flags & FLAG_UNKNOWN || insn.operation == OP_RETURN)
			return false;
		if ((insn.operation == OP_JUMP || insn.operation == OP_BRANCH) &&
		    (!insn_direct_target(&insn, &target) || target < symbol->address ||
		     target >= symbol->address + size))
			return false;
		last = insn.operation;
		at += insn.length;
	}
	return last == OP_CALL || last == OP_TRAP || last == OP_JUMP;
}

static enum named_return find_by_name(const struct caller *caller, uint64_t target)
{
	const char *import = elf_image_plt_import(caller->image, target);
	const struct symbol *symbol = import ? NULL : elf_image_function_at(caller->image, target);

	if (import)
		return is_no_return_name(import) ? NAMED_NEVER_RETURNS : NAMED_IMPORT;
	if (symbol && symbol->address == target &&
	    (is_no_return_name(symbol->name) || has_no_way_out(caller, symbol)))
		return NAMED_NEVER_RETURNS;
	return NAMED_OTHER;
}

static enum named_return by_name(const struct caller *caller, uint64_t target)
{
	bool created;
	uint32_t *known = hash_map_insert(caller->named, target, &created);

	if (created)
		*known = find_by_name(caller, target);
	return *known;
}

/* Returns what is known of the call that returns to an address, or NULL. */
static const struct call_site *site_of(const struct caller *caller, uint64_t return_address)
{
	return caller->function ? function_call_site(caller->function, return_address) : NULL;
}

/* Returns the declaration at the call site, which the compiler saw; else that of the address,
 * unless it is a PLT stub, which nothing declares. */
static const struct prototype *declaration_of(const struct caller *caller, uint64_t return_address,
					      uint64_t target, bool import)
{
	const struct call_site *site = site_of(caller, return_address);

	if (site && site->callee)
		return site->callee;
	return caller->reader && !import
		       ? debug_reader_prototype_at(caller->reader, target, caller->address)
		       : NULL;
}

bool call_never_returns(const struct caller *caller, uint64_t return_address, uint64_t target)
{
	if (!target)
		return false;
	/* without reading the code of what is called */
	if (caller->function && caller->function->all_no_returns)
		return site_of(caller, return_address);

	enum named_return named = by_name(caller, target);

	if (named == NAMED_NEVER_RETURNS)
		return true;

	const struct prototype *prototype =
		declaration_of(caller, return_address, target, named == NAMED_IMPORT);

	return prototype && prototype->no_return;
}

/* True for a section that only the dynamic linker writes to. */
static bool is_linked_once(const struct elf_image *image, uint64_t address)
{
	struct elf_section section;

	return elf_image_section_at(image, address, &section) && section.name &&
	       (starts_with(section.name, ".got") || starts_with(section.name, ".data.rel.ro"));
}

bool call_through_never_returns(const struct caller *caller, uint64_t return_address, uint64_t slot)
{
	const char *name;
	uint64_t target;

	if (!is_linked_once(caller->image, slot) ||
	    !elf_image_slot(caller->image, slot, &name, &target))
		return false;
	if (target)
		return call_never_returns(caller, return_address, target);
	return name && is_no_return_name(name);
}
