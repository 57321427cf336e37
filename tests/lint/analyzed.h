/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Included before each source that clang-tidy reads: its analyzer does not know that functions
 * which make errors return one (returns_nonnull), and goes on as if they had not. */
#include "base/error.h"

#define ANALYZED(call)                                                                             \
	({                                                                                         \
		struct error *made_ = (call);                                                      \
		if (!made_)                                                                        \
			__builtin_unreachable();                                                   \
		made_;                                                                             \
	})

#define error_create(...) ANALYZED((error_create)(__VA_ARGS__))
#define error_errno(...)  ANALYZED((error_errno)(__VA_ARGS__))
#define error_prefix(...) ANALYZED((error_prefix)(__VA_ARGS__))
