/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * capstone, which is loaded when the first instruction needs it: its tables have 77,000
 * relocations, which take 3 MB and a millisecond of each start. Most reports from companions need
 * it for nothing.
 */
#pragma once

#include <capstone/capstone.h>

// clang-format off
#define CAPSTONE_FUNCTIONS(use) \
	use(open) use(close) use(malloc) use(free) use(option) use(disasm_iter) use(support) use(version)
// clang-format on

/* Its functions, without "cs_". */
struct capstone {
#define DECLARE_FUNCTION(name) __typeof__(cs_##name) *name;
	CAPSTONE_FUNCTIONS(DECLARE_FUNCTION)
#undef DECLARE_FUNCTION
};

/* Returns capstone. Ends the program with a message if it is not installed. */
const struct capstone *capstone(void);
