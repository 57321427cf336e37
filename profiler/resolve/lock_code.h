/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions for locks of kernels, which are no callers of a lock. */
#pragma once

#include "annotate/solve/type_resolver.h"
#include "profiler/objects/dso.h"

#define LOCK_CODE_RANGES 2

/* The functions for locks in one kernel: those of LOCK_TEXT first. Another object has none. */
struct lock_code {
	struct dso *dso;
	struct type_resolver_callee ranges[LOCK_CODE_RANGES];
	size_t count;
};

/* Those of several objects. A zero-initialized list is empty; the caller frees the items. */
struct lock_codes {
	struct lock_code *items;
	size_t count, capacity;
};

/* Returns the functions of an object. The result is valid until the next call. */
const struct lock_code *lock_codes_of(struct lock_codes *codes, struct dso *dso,
				      const struct dso_options *options);
/* Returns whether an address of an object, in a function of this name (NULL: not known), is in a
 * function for locks. Those for locks that threads sleep for have spinlocks of their own (wait_lock
 * of a struct rw_semaphore): with `spins`, only functions for these count. */
bool lock_codes_have(struct lock_codes *codes, struct dso *dso, const struct dso_options *options,
		     uint64_t address, const char *symbol, bool spins);
