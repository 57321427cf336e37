// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bulk memory functions: the table of bulk.h, and the arguments of their calls
 * (solve_function_calls() of solve_function.h).
 */
#include "annotate/facts/bulk.h"

#include "base/memory.h"
#include "base/text.h"

/* ---- the table */

#define NONE BULK_NO_ARGUMENT

/* clang-format off */

#define ATOMICS "aarch64_"
#define ATOMIC(name, place)                                      \
	{ ATOMICS name "1", place, place, NONE, NONE, false }, \
	{ ATOMICS name "2", place, place, NONE, NONE, false }, \
	{ ATOMICS name "4", place, place, NONE, NONE, false }, \
	{ ATOMICS name "8", place, place, NONE, NONE, false }

/* arm64's atomic operations, for processors with and without instructions for them (libgcc
 * config/aarch64/lse.S), by their bytes. */
static const struct bulk_function atomics[] = {
	ATOMIC("cas", 2), { ATOMICS "cas16", 4, 4, NONE, NONE, false }, ATOMIC("swp", 1),
	ATOMIC("ldadd", 1), ATOMIC("ldclr", 1), ATOMIC("ldeor", 1), ATOMIC("ldset", 1),
};

/* C11 7.24, POSIX strings.h, string.h and pthread.h, the kernel's arch/x86/lib and
 * arch/arm64/lib. Sorted by the first letter. */
static const struct bulk_function functions[] = {
	/* name             writes reads other length kernel */
	{ "arch_copy_from_user", 0, 1,   NONE, 2,     true },
	{ "arch_copy_to_user",   0, 1,   NONE, 2,     true },
	{ "arch_clear_user", 0,    NONE, NONE, 1,     true },
	{ "bcopy",          1,     0,    NONE, 2,     false },
	{ "bzero",          0,     NONE, NONE, 1,     false },
	{ "bcmp",           NONE,  0,    1,    2,     false },
	{ "clear_page",     0,     NONE, NONE, NONE,  true },
	{ "copy_page",      0,     1,    NONE, NONE,  true },
	{ "clear_user",     0,     NONE, NONE, 1,     true },
	{ "copy_user",      0,     1,    NONE, 2,     true },
	{ "copy_mc",        0,     1,    NONE, 2,     true },
	{ "explicit_bzero", 0,     NONE, NONE, 1,     false },
	{ "memcpy",         0,     1,    NONE, 2,     false },
	{ "memmove",        0,     1,    NONE, 2,     false },
	{ "mempcpy",        0,     1,    NONE, 2,     false },
	{ "memccpy",        0,     1,    NONE, 3,     false },
	{ "memset",         0,     NONE, NONE, 2,     false },
	{ "memcmp",         NONE,  0,    1,    2,     false },
	{ "memcmpeq",       NONE,  0,    1,    2,     false },
	{ "memchr",         NONE,  0,    NONE, NONE,  false },
	{ "memrchr",        NONE,  0,    NONE, NONE,  false },
	{ "pthread_spin_init",    0, NONE, NONE, NONE, false },
	{ "pthread_spin_lock",    0, 0,    NONE, NONE, false },
	{ "pthread_spin_trylock", 0, 0,    NONE, NONE, false },
	{ "pthread_spin_unlock",  0, NONE, NONE, NONE, false },
	{ "rawmemchr",      NONE,  0,    NONE, NONE,  false },
	{ "rep_movs",       0,     1,    NONE, NONE,  true },
	{ "rep_stos",       0,     NONE, NONE, NONE,  true },
	{ "strlen",         NONE,  0,    NONE, NONE,  false },
	{ "strnlen",        NONE,  0,    NONE, NONE,  false },
	{ "strcpy",         0,     1,    NONE, NONE,  false },
	{ "stpcpy",         0,     1,    NONE, NONE,  false },
	{ "strncpy",        0,     1,    NONE, NONE,  false },
	{ "stpncpy",        0,     1,    NONE, NONE,  false },
	{ "strcat",         0,     1,    NONE, NONE,  false },
	{ "strncat",        0,     1,    NONE, NONE,  false },
	{ "strcmp",         NONE,  0,    1,    NONE,  false },
	{ "strncmp",        NONE,  0,    1,    NONE,  false },
	{ "strcasecmp",     NONE,  0,    1,    NONE,  false },
	{ "strncasecmp",    NONE,  0,    1,    NONE,  false },
	{ "strchr",         NONE,  0,    NONE, NONE,  false },
	{ "strrchr",        NONE,  0,    NONE, NONE,  false },
	{ "strchrnul",      NONE,  0,    NONE, NONE,  false },
	{ "strspn",         NONE,  0,    1,    NONE,  false },
	{ "strcspn",        NONE,  0,    1,    NONE,  false },
	{ "strpbrk",        NONE,  0,    1,    NONE,  false },
	{ "strstr",         NONE,  0,    1,    NONE,  false },
};

/* Functions of Go's runtime (runtime/memmove_amd64.s, memclr_amd64.s, duff_amd64.s;
 * internal/bytealg). Arguments are counted in registers: a string has two, a slice three. */
static const struct bulk_function go_functions[] = {
	{ "runtime.memmove",                   0,    1,    NONE, 2,    false },
	{ "runtime.memclrNoHeapPointers",      0,    NONE, NONE, 1,    false },
	{ "runtime.memequal",                  NONE, 0,    1,    2,    false },
	{ "memeqbody",                         NONE, 0,    1,    2,    false },
	{ "runtime.cmpstring",                 NONE, 0,    2,    1,    false },
	{ "internal/bytealg.Compare",          NONE, 0,    3,    1,    false },
	{ "cmpbody",                           NONE, 0,    2,    NONE, false },
	{ "internal/bytealg.IndexByteString",  NONE, 0,    NONE, 1,    false },
	{ "internal/bytealg.IndexByte",        NONE, 0,    NONE, 1,    false },
	{ "indexbytebody",                     NONE, 0,    NONE, 1,    false },
	{ "runtime.duffzero",                  3,    NONE, NONE, NONE, false },
	{ "runtime.duffcopy",                  3,    4,    NONE, NONE, false },
};

/* The words that name a variant. */
static const char *const variants[] = {
	"acq", "alternative", "avx", "avx2", "avx512", "back", "bsf", "chk", "enhanced", "erms", "evex",
	"evex512", "fast", "fragile", "generic", "good", "movbe", "no", "nocache", "orig", "original",
	"pminub", "regs", "rel", "relax", "rep", "rtm", "short", "sse2", "sse4", "sse42", "ssse3",
	"string", "sync", "unaligned", "unrolled", "vzeroupper", "1", "2",
};
/* clang-format on */

static bool is_variant(const char *word, size_t length)
{
	return any_of(i, 0, COUNT_OF(variants), text_is(word, length, variants[i]));
}

/* True if the text is "" or "_WORD_WORD...", all of them words of variants. */
static bool names_variant(const char *text)
{
	while (*text == '_') {
		const char *word = text + 1;
		size_t length = strcspn(word, "_");

		if (!is_variant(word, length))
			return false;
		text = word + length;
	}
	return !*text;
}

/* Returns what follows the name in a symbol that begins with it; NULL: the symbol does not. All
 * callees of all functions are looked up, so nothing is called to compare. */
static const char *after_name(const char *symbol, const char *name)
{
	while (*name && *name == *symbol)
		name++, symbol++;
	return *name ? NULL : symbol;
}

static const struct bulk_function *find_bulk(const struct bulk_function *table, size_t count,
					     const char *symbol, bool kernel)
{
	size_t first = partition_point(0, count, i, table[i].name[0] < symbol[0]);

	for (size_t i = first; i < count && table[i].name[0] == symbol[0]; i++) {
		const char *rest = after_name(symbol, table[i].name);

		if (rest && (kernel || !table[i].kernel) && names_variant(rest))
			return &table[i];
	}
	return NULL;
}

const struct bulk_function *bulk_function_named(const char *symbol, bool kernel)
{
	for (size_t i = 0; i < COUNT_OF(go_functions); i++) {
		if (go_functions[i].name[0] != symbol[0])
			continue;
		const char *rest = after_name(symbol, go_functions[i].name);

		/* Go's linker adds .abi0 to the names of functions with arguments in memory, and
		 * <> to those of functions that are local to a file */
		if (rest && (!*rest || starts_with(rest, ".abi0") || starts_with(rest, "<>")))
			return &go_functions[i];
	}
	symbol += strspn(symbol, "_");
	/* arm64's kernel: code that runs wherever it is (arch/arm64/include/asm/assembler.h) */
	if (kernel && starts_with(symbol, "pi_"))
		symbol += strlen("pi_");
	return after_name(symbol, ATOMICS)
		       ? find_bulk(atomics, COUNT_OF(atomics), symbol, kernel)
		       : find_bulk(functions, COUNT_OF(functions), symbol, kernel);
}

uint8_t bulk_argument(const struct bulk_function *function, const struct access *access)
{
	uint8_t base = access->base_argument ? access->base_argument - 1 : BULK_NO_ARGUMENT;

	if (base != BULK_NO_ARGUMENT &&
	    ((base == function->writes && access->write) ||
	     ((base == function->reads || base == function->other) && access->read)))
		return base;
	if (access->write && function->writes != BULK_NO_ARGUMENT)
		return function->writes;
	return access->read ? function->reads : BULK_NO_ARGUMENT;
}

uint8_t bulk_register(const struct bulk_function *function, const struct convention *call,
		      uint8_t argument)
{
	bool device = call->zeroed && function->name && starts_with(function->name, GO_DEVICE);

	if (device && argument == function->writes)
		return function->reads == NONE ? call->zeroed : call->copied_to;
	if (device && argument == function->reads)
		return call->copied_from;
	return argument < call->argument_count ? call->arguments[argument] : REG_NONE;
}
