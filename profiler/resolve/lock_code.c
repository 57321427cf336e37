// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions for locks of kernels: see lock_code.h. */
#include "profiler/resolve/lock_code.h"

#include "base/memory.h"
#include "base/text.h"

/* The kernel's sections of functions for locks: LOCK_TEXT, SCHED_TEXT, as perf knows. */
static const char *const lock_text[] = { "__lock_text_start", "__lock_text_end",
					 "__sched_text_start", "__sched_text_end" };

/* How the names of the kernel's functions begin that take locks, wait for them or report it: some
 * are elsewhere, and a kernel without its file has names alone (kernel/locking/ of Linux). */
static const char *const spin_functions[] = {
	"_raw_spin_lock",   "_raw_read_lock",   "_raw_write_lock",   "queued_spin_lock",
	"queued_read_",     "queued_write_",    "native_queued_",    "__pv_queued_",
	"do_raw_spin_lock", "do_raw_read_lock", "do_raw_write_lock", "trace_content",
	"__traceiter_cont", "perf_trace_conte",
};
/* the last five are of real-time kernels, where threads sleep for spinlocks */
static const char *const sleep_functions[] = {
	"down_",        "rwsem_",        "osq_lock",     "mutex_spin_",      "rtmutex_spin_",
	"__down",       "mutex_lock",    "__mutex_lock", "ww_mutex_lock",    "__ww_mutex_lock",
	"rt_mutex_",    "__rt_mutex_",   "percpu_down_", "__percpu_down_",   "rtlock_",
	"schedule",     "__schedule",    "io_schedule",  "preempt_schedule", "rt_spin_lock",
	"rt_read_lock", "rt_write_lock", "rwbase_",      "__rwbase_"
};

_Static_assert(COUNT_OF(lock_text) == 2 * LOCK_CODE_RANGES, "each section has two ends");

const struct lock_code *lock_codes_of(struct lock_codes *codes, struct dso *dso,
				      const struct dso_options *options)
{
	struct lock_code *code =
		array_find(i, codes->items, codes->count, codes->items[i].dso == dso);

	if (code)
		return code;
	code = &array_add(codes->items, codes->count, codes->capacity);
	const struct elf_image *image = dso_image(dso, options, NULL);

	*code = (struct lock_code){ .dso = dso };
	for (size_t i = 0; image && dso_is_kernel(dso) && i < COUNT_OF(lock_text); i += 2) {
		struct type_resolver_callee *range = &code->ranges[code->count];

		code->count += elf_image_symbol_address(image, lock_text[i], &range->low) &&
			       elf_image_symbol_address(image, lock_text[i + 1], &range->high);
	}
	return code;
}

static bool begins_with_any(const char *symbol, const char *const *beginnings, size_t count)
{
	return any_of(i, 0, count, starts_with(symbol, beginnings[i]));
}

bool lock_codes_have(struct lock_codes *codes, struct dso *dso, const struct dso_options *options,
		     uint64_t address, const char *symbol, bool spins)
{
	if (symbol && dso_is_kernel(dso) &&
	    (begins_with_any(symbol, spin_functions, COUNT_OF(spin_functions)) ||
	     (!spins && (!strcmp(symbol, "down") ||
			 begins_with_any(symbol, sleep_functions, COUNT_OF(sleep_functions))))))
		return true;
	const struct lock_code *code = lock_codes_of(codes, dso, options);

	return any_of(i, 0, spins && code->count ? 1 : code->count,
		      address >= code->ranges[i].low && address < code->ranges[i].high);
}
