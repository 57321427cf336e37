// SPDX-License-Identifier: GPL-2.0-or-later
/* Data sources and their counts in c2c report. The expected counts follow from the meaning that
 * perf_event_open(2) gives to the bits. */
#include "tests/support/unit.h"

#include <linux/perf_event.h>
#include <string.h>

#include "report/c2c/c2c_table.h"

#define LOAD(level) PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, level) | PERF_MEM_S(LVL, HIT)
#define PEER        (UINT64_C(2) << PERF_MEM_SNOOPX_SHIFT)

static const struct {
	uint64_t source;
	struct c2c_count count; /* besides `records` and `loads` or `stores` */
} cases[] = {
	{ LOAD(L1), { .loads = 1, .ld_l1 = 1 } },
	{ LOAD(LFB), { .loads = 1, .ld_buffer = 1 } },
	{ LOAD(L2), { .loads = 1, .ld_l2 = 1 } },
	{ LOAD(L3) | PERF_MEM_S(SNOOP, HIT), { .loads = 1, .ld_llc = 1 } },
	{ LOAD(L3) | PERF_MEM_S(SNOOP, HITM), { .loads = 1, .lcl_hitm = 1 } },
	{ LOAD(L2) | PEER, { .loads = 1, .ld_l2 = 1, .lcl_peer = 1 } },
	{ LOAD(REM_CCE1) | PERF_MEM_S(SNOOP, HITM), { .loads = 1, .rmt_hitm = 1 } },
	{ LOAD(REM_CCE2) | PERF_MEM_S(SNOOP, HIT), { .loads = 1, .rmt_hit = 1 } },
	{ LOAD(REM_CCE1) | PEER, { .loads = 1, .rmt_hit = 1, .rmt_peer = 1 } },
	{ LOAD(LOC_RAM) | PERF_MEM_S(SNOOP, HIT), { .loads = 1, .lcl_dram = 1, .ld_shared = 1 } },
	{ LOAD(REM_RAM1), { .loads = 1, .rmt_dram = 1, .ld_exclusive = 1 } },
	/* with hops, "remote" may be a core of the same node */
	{ LOAD(L3) | PERF_MEM_S(REMOTE, REMOTE) | UINT64_C(1) << PERF_MEM_HOPS_SHIFT |
		  PERF_MEM_S(SNOOP, HITM),
	  { .loads = 1, .lcl_hitm = 1 } },
	{ PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, L3) | PERF_MEM_S(LVL, MISS),
	  { .loads = 1, .ld_miss = 1 } },
	{ LOAD(L1) | PERF_MEM_S(LOCK, LOCKED), { .loads = 1, .ld_l1 = 1, .locks = 1 } },
	{ PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, HIT),
	  { .stores = 1, .st_l1_hit = 1 } },
	{ PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, MISS),
	  { .stores = 1, .st_l1_miss = 1 } },
	{ PERF_MEM_S(OP, STORE) | PERF_MEM_S(LVL, NA), { .stores = 1, .st_unknown = 1 } },
	{ PERF_MEM_S(OP, NA) | PERF_MEM_S(LVL, NA), { .no_source = 1 } },
	{ 0, { .no_source = 1 } },
};

static void test_sources(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct c2c_count expected = cases[i].count,
				 count = c2c_count_of(
					 &(struct c2c_access){ .source = cases[i].source,
							       .has_address = true,
							       .mapped = true,
							       .samples = 1 });

		expected.records = 1;
		if (memcmp(&count, &expected, sizeof(count)) != 0)
			fail_msg("source %zu is counted as something else", i);
	}
}

/* Without an address the level does not count; for an address outside of maps it does. */
static void test_places(void **state)
{
	struct c2c_access access = { .source = LOAD(L1), .samples = 3 };
	struct c2c_count nowhere = c2c_count_of(&access);

	(void)state;
	access.has_address = true;
	struct c2c_count unmapped = c2c_count_of(&access);

	assert_int_equal(nowhere.ld_nowhere, 3);
	assert_int_equal(nowhere.ld_l1 + nowhere.unmapped, 0);
	assert_int_equal(unmapped.ld_l1, 3);
	assert_int_equal(unmapped.unmapped, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sources),
		cmocka_unit_test(test_places),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
