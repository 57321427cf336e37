// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements branches.h. */
#include "profiler/commands/branches.h"

#include <inttypes.h>
#include <linux/perf_event.h>

#include "profiler/base/memory.h"
#include "report/print/print.h"

/* Returns the first column that shows what branches do not have, or that only they have. */
static const struct key *key_that_needs(const struct layout *layout, uint64_t needs)
{
	for (size_t i = 0; i < layout->columns.count; i++)
		if (layout->columns.keys[i]->needs & needs)
			return layout->columns.keys[i];
	return NULL;
}

/* A branch accesses no data. */
#define NEED_DATA (NEED_TYPE | NEED_DATA_ADDRESS | NEED_DATA_SOURCE)

struct error *branches_check_keys(const struct layout *layout, bool of_branches, bool declined)
{
	const struct key *key = key_that_needs(layout, of_branches ? NEED_DATA : NEED_BRANCH);

	if (!key)
		return NULL;
	if (of_branches)
		return error_create(ERROR_OTHER,
				    "'%s' is of samples, and these are branches: add "
				    "--no-branch-stack",
				    key->name);
	return error_create(ERROR_OTHER, "'%s' is of branches: %s", key->name,
			    declined ? "leave out --no-branch-stack"
				     : "add -b, if the file was recorded with 'dtprof record -b'");
}

/* perf's names of PERF_BR_* and PERF_BR_NEW_*. */
static const char *const types[PERF_BR_MAX] = {
	"N/A",    "COND",      "UNCOND",   "IND",  "CALL", "IND_CALL", "RET",   "SYSCALL",
	"SYSRET", "COND_CALL", "COND_RET", "ERET", "IRQ",  "SERROR",   "NO_TX", "",
};
static const char *const new_types[PERF_BR_NEW_MAX] = {
	"FAULT_ALGN", "FAULT_DATA", "FAULT_INST", "ARCH_1", "ARCH_2", "ARCH_3", "ARCH_4", "ARCH_5",
};

const char *branch_kind_name(unsigned int type, unsigned int new_type)
{
	if (type == PERF_BR_EXTEND_ABI)
		return new_type < COUNT_OF(new_types) ? new_types[new_type] : "";
	return type && type < COUNT_OF(types) ? types[type] : "";
}

const char *branch_speculation_name(unsigned int speculation)
{
	static const char *const names[] = { "", "SPEC_WRONG_PATH", "NON_SPEC_CORRECT_PATH",
					     "SPEC_CORRECT_PATH" };

	return speculation < COUNT_OF(names) ? names[speculation] : "";
}

static void add_branch_kind(const char *name, uint64_t count, uint64_t total, struct strbuf *text)
{
	if (count)
		strbuf_add_format(text, "\n%8s: %5.1f%%", name, percent(count, total));
}

void print_branch_kinds(const struct branch_kinds *kinds, struct strbuf *text)
{
	uint64_t total = 0;

	for (size_t i = 0; i < COUNT_OF(types); i++)
		total += kinds->types[i];
	if (!total)
		return;
	strbuf_add_string(text, "\n#\n# Branch Statistics:\n#");
	add_branch_kind("COND_FWD", kinds->forward, total, text);
	add_branch_kind("COND_BWD", kinds->backward, total, text);
	add_branch_kind("CROSS_4K", kinds->cross_4k, total, text);
	add_branch_kind("CROSS_2M", kinds->cross_2m, total, text);
	for (size_t i = 0; i < COUNT_OF(types); i++)
		add_branch_kind(types[i], kinds->types[i], total, text);
	for (size_t i = 0; i < COUNT_OF(new_types); i++)
		add_branch_kind(new_types[i], kinds->new_types[i], total, text);
	strbuf_add_char(text, '\n');
}
