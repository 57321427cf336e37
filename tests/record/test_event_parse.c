// SPDX-License-Identifier: GPL-2.0-or-later
/* Events as people write them, on machines of several kinds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "profiler/record/event.h"
#include "profiler/record/record.h"
#include "tests/support/fake_machine.h"
#include "tests/support/process.h"

static char *virtual_machine, *intel, *server, *hybrid, *amd, *arm;

static struct event_list parse(const char *root, const char *text)
{
	struct event_list list = { 0 };
	struct error *error = event_parse(&list, root, text);

	if (error)
		fail_msg("'%s': %s", text, error->message);
	return list;
}

/* Asserts that parsing fails with a message that has all of `words` (up to NULL), and that the list
 * is unchanged. */
static void refuse(const char *root, const char *text, const char *word, const char *other)
{
	struct event_list list = { 0 };

	assert_null(event_parse(&list, root, "cpu-clock"));
	_cleanup_error_ struct error *error = event_parse(&list, root, text);

	if (!error)
		fail_msg("'%s' was taken", text);
	if (!strstr(error->message, word) || (other && !strstr(error->message, other)))
		fail_msg("'%s': the message does not say '%s' and '%s': %s", text, word,
			 other ? other : "", error->message);
	assert_int_equal(list.count, 1);
	event_list_deinit(&list);
}

static void test_generic_names(void **state)
{
	static const struct {
		const char *text;
		uint32_t type;
		uint64_t config;
	} cases[] = {
		{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
		{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
		{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
		{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
		{ "L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000 },
		{ "LLC-stores", PERF_TYPE_HW_CACHE, 0x00102 },
		{ "dTLB-load-misses", PERF_TYPE_HW_CACHE, 0x10003 },
		{ "iTLB-loads", PERF_TYPE_HW_CACHE, 0x00004 },
		{ "r1a8", PERF_TYPE_RAW, 0x1a8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event_list list = parse(virtual_machine, cases[i].text);

		assert_int_equal(list.count, 1);
		assert_int_equal(list.items[0].attr.type, cases[i].type);
		assert_int_equal(list.items[0].attr.config, cases[i].config);
		assert_string_equal(list.items[0].name, cases[i].text);
		event_list_deinit(&list);
	}
}

static void test_modifiers(void **state)
{
	struct event_list list =
		parse(intel, "cycles:upp,cpu/mem-stores/P,instructions:kHS,cpu-clock:D");

	(void)state;
	assert_int_equal(list.count, 4);
	assert_string_equal(list.items[0].name, "cycles:upp");
	assert_int_equal(list.items[0].attr.precise_ip, 2);
	assert_int_equal(list.items[0].attr.exclude_kernel, 1);
	assert_int_equal(list.items[0].attr.exclude_hv, 1);
	assert_int_equal(list.items[0].attr.exclude_user, 0);
	assert_string_equal(list.items[1].name, "cpu/mem-stores/P");
	assert_true(list.items[1].highest_precision);
	assert_string_equal(list.items[2].name, "instructions:kH");
	assert_int_equal(list.items[2].attr.exclude_user, 1);
	assert_int_equal(list.items[2].attr.exclude_host, 0);
	assert_int_equal(list.items[2].attr.exclude_guest, 1);
	assert_true(list.items[2].group_read);
	assert_string_equal(list.items[3].name, "cpu-clock");
	assert_int_equal(list.items[3].attr.pinned, 1);
	event_list_deinit(&list);
}

static void test_pmu_terms(void **state)
{
	struct event_list list = parse(
		intel, "cpu/mem-loads,ldlat=50/P,cpu/event=0xd1,umask=0x20,period=1000,name=l3/u");

	(void)state;
	assert_int_equal(list.count, 2);
	assert_int_equal(list.items[0].attr.type, 4);
	assert_int_equal(list.items[0].attr.config, 0x1cd);
	assert_int_equal(list.items[0].attr.config1, 50);
	assert_true(list.items[0].memory);
	assert_string_equal(list.items[0].name, "cpu/mem-loads,ldlat=50/P");
	assert_int_equal(list.items[1].attr.config, 0x20d1);
	assert_int_equal(list.items[1].attr.sample_period, 1000);
	assert_true(list.items[1].rate_given);
	assert_false(list.items[1].memory);
	assert_string_equal(list.items[1].name, "l3:u");
	event_list_deinit(&list);
}

/* A value is spread over the ranges of a format, from its lowest bit on. */
static void test_split_format(void **state)
{
	struct event_list list = parse(server, "uncore_imc_0/wide=0xabc/");

	(void)state;
	assert_int_equal(list.items[0].attr.config, 0xa000000bcULL);
	assert_true(list.items[0].pmu->uncore);
	assert_string_equal(list.items[0].pmu->cpus, "0,56");
	event_list_deinit(&list);
}

static void test_pmu_pattern(void **state)
{
	struct event_list list = parse(server, "uncore_imc_*/event=0x4/");

	(void)state;
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0].name, "uncore_imc_0/event=0x4/");
	assert_int_equal(list.items[1].attr.type, 25);
	event_list_deinit(&list);
}

static void test_groups(void **state)
{
	struct event_list list = parse(
		server,
		"cpu-clock,{cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/P},{cycles,instructions}:Su");

	(void)state;
	assert_int_equal(list.count, 5);
	assert_int_equal(list.items[0].leader, 0);
	assert_int_equal(list.items[1].leader, 1);
	assert_int_equal(list.items[2].leader, 1);
	assert_int_equal(list.items[3].leader, 3);
	assert_int_equal(list.items[4].leader, 3);
	assert_false(list.items[1].memory);
	assert_true(list.items[2].memory);
	assert_true(list.items[3].group_read && list.items[4].group_read);
	assert_string_equal(list.items[4].name, "instructions:u");
	event_list_deinit(&list);
}

/* Generic hardware events count on each kind of core, software events once. */
static void test_hybrid_events(void **state)
{
	struct event_list list = parse(hybrid, "cycles:u,page-faults,{cycles,instructions}");

	(void)state;
	assert_int_equal(list.count, 7);
	assert_string_equal(list.items[0].name, "cpu_atom/cycles/u");
	assert_int_equal(list.items[0].attr.config, 10ULL << 32);
	assert_string_equal(list.items[1].name, "cpu_core/cycles/u");
	assert_int_equal(list.items[1].attr.config, 4ULL << 32);
	assert_string_equal(list.items[2].name, "page-faults");
	/* a group for each kind of core */
	assert_int_equal(list.items[3].leader, 3);
	assert_int_equal(list.items[4].leader, 4);
	assert_int_equal(list.items[5].leader, 3);
	assert_int_equal(list.items[6].leader, 4);
	event_list_deinit(&list);
}

static void test_tracepoints(void **state)
{
	struct event_list list = parse(virtual_machine, "sched:sched_switch:u,sched:*");

	(void)state;
	assert_int_equal(list.count, 3);
	assert_int_equal(list.items[0].attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(list.items[0].attr.config, 316);
	assert_int_equal(list.items[0].attr.exclude_kernel, 1);
	assert_string_equal(list.items[0].tracepoint, "sched/sched_switch");
	assert_string_equal(list.items[2].name, "sched:sched_wakeup");
	event_list_deinit(&list);
}

static void test_breakpoints(void **state)
{
	struct event_list list = parse(
		virtual_machine, "mem:0x1000/8:w:u,mem:0x2000,mem:0x3000:x,mem:table.hits:rw");

	(void)state;
	assert_int_equal(list.count, 4);
	assert_int_equal(list.items[0].attr.type, PERF_TYPE_BREAKPOINT);
	assert_int_equal(list.items[0].attr.bp_addr, 0x1000);
	assert_int_equal(list.items[0].attr.bp_len, 8);
	assert_int_equal(list.items[0].attr.bp_type, 2);
	assert_int_equal(list.items[0].attr.exclude_kernel, 1);
	assert_int_equal(list.items[1].attr.bp_len, 4);
	assert_int_equal(list.items[1].attr.bp_type, 3);
	assert_int_equal(list.items[2].attr.bp_type, 4);
	assert_int_equal(list.items[2].attr.bp_len, sizeof(long));
	assert_string_equal(list.items[3].symbol, "table.hits");
	event_list_deinit(&list);
}

static void test_errors(void **state)
{
	(void)state;
	refuse(virtual_machine, "cylces", "cylces", "'cycles'");
	refuse(virtual_machine, "cpu-clock,", "missing", NULL);
	refuse(virtual_machine, "", "missing", NULL);
	refuse(virtual_machine, "cpu-clock:z", "modifier 'z'", "cpu-clock");
	refuse(virtual_machine, "cycles:pppp", "three", NULL);
	refuse(virtual_machine, "{cycles,instructions", "'}'", NULL);
	refuse(virtual_machine, "cpu/cyles/", "no PMU 'cpu'", NULL);
	refuse(virtual_machine, "cycles/zip=1/", "no term 'zip'", "cycles/zip=1/");
	refuse(virtual_machine, "cpu-clock/call-graph=lbr/", "fp, dwarf or no", NULL);
	refuse(virtual_machine, "ldlat-loads", "no such memory event", NULL);
	refuse(intel, "cpu/mem-lodas/", "mem-lodas", "'mem-loads'");
	refuse(intel, "cpu/mem-loads,ldlat=70000/", "too large", "ldlat");
	refuse(intel, "cpu/event=xyz/", "'xyz'", "event");
	refuse(intel, "cpu/mem-loads", "second '/'", NULL);
	refuse(hybrid, "cpu_cor/cycles/", "cpu_cor", "'cpu_core'");
	refuse(virtual_machine, "sched:sched_swich", "sched_swich", "'sched:sched_switch'");
	refuse(virtual_machine, "shced:sched_switch", "shced", "'sched'");
	refuse(virtual_machine, "mem:0x10/3", "length", "3");
	refuse(virtual_machine, "mem:0x10:q", "access 'q'", NULL);
	refuse(virtual_machine, "mem:", "no address", NULL);
}

/* Checks the events that are recorded without -e, as text for -e. */
static void check_default(const char *root, enum memory_source source, const char *text)
{
	_cleanup_free_ char *events =
		memory_source_events(root, source, MEMORY_LOADS | MEMORY_STORES, 30);

	assert_int_equal(memory_source_find(root), source);
	assert_string_equal(events, text);

	struct event_list list = parse(root, events);

	for (size_t i = 0; i < list.count && source != MEMORY_SOURCE_CLOCK; i++)
		assert_true(list.items[i].memory || strstr(list.items[i].name, "-aux"));
	event_list_deinit(&list);
}

static void test_defaults(void **state)
{
	(void)state;
	check_default(virtual_machine, MEMORY_SOURCE_CLOCK, "cpu-clock");
	check_default(intel, MEMORY_SOURCE_INTEL, "cpu/mem-loads,ldlat=30/P,cpu/mem-stores/P");
	check_default(server, MEMORY_SOURCE_INTEL,
		      "{cpu/mem-loads-aux,period=0/,cpu/mem-loads,ldlat=30/P},cpu/mem-stores/P");
	check_default(hybrid, MEMORY_SOURCE_INTEL,
		      "cpu_atom/mem-loads,ldlat=30/P,cpu_atom/mem-stores/P,"
		      "{cpu_core/mem-loads-aux,period=0/,cpu_core/mem-loads,ldlat=30/P},"
		      "cpu_core/mem-stores/P");
	check_default(amd, MEMORY_SOURCE_AMD, "ibs_op//");
	check_default(
		arm, MEMORY_SOURCE_ARM,
		"arm_spe_0/ts_enable=1,pa_enable=1,load_filter=1,store_filter=1,min_latency=30/,"
		"arm_spe_1/ts_enable=1,pa_enable=1,load_filter=1,store_filter=1,min_latency=30/");
}

/* The terms are those of perf mem; a PMU of SPE counts tasks on its CPUs, though it has a cpumask.
 */
static void test_spe(void **state)
{
	_cleanup_free_ char *loads = memory_source_events(arm, MEMORY_SOURCE_ARM, MEMORY_LOADS, 7);
	_cleanup_free_ char *stores =
		memory_source_events(arm, MEMORY_SOURCE_ARM, MEMORY_STORES, 7);
	struct event_list list = parse(arm, loads);

	(void)state;
	assert_non_null(strstr(stores, "arm_spe_1/ts_enable=1,pa_enable=1,store_filter=1/"));
	assert_int_equal(list.count, 2);
	assert_int_equal(list.items[0].attr.type, 11);
	assert_int_equal(list.items[0].attr.config, UINT64_C(0x200000003));
	assert_int_equal(list.items[0].attr.config2, 7);
	assert_false(list.items[0].pmu->uncore);
	assert_string_equal(list.items[1].pmu->cpus, "4-7");
	event_list_deinit(&list);
}

static void ignore_notice(void *data, enum record_notice notice, const char *message)
{
	(void)data, (void)notice, (void)message;
}

/* AUX data that is no record of accesses is not recorded. */
static void test_traces_are_refused(void **state)
{
	const struct record_options options = {
		.root = arm, .events = "cs_etm//", .output = "none.data", .say = ignore_notice
	};
	struct record_result result;
	struct error *error = record_run(&options, &result);

	(void)state;
	assert_non_null(error);
	assert_int_equal(error->code, ERROR_UNSUPPORTED);
	assert_non_null(strstr(error->message, "'cs_etm//'"));
	assert_non_null(strstr(error->message, "says nothing of data"));
	error_destroy(error);
}

static void count_ignored_latency(void *data, enum record_notice notice, const char *message)
{
	size_t *count = data;

	*count += notice == RECORD_WARNING && strstr(message, "--ldlat is ignored") != NULL;
}

/* Zen 5's IBS has a minimum of latency in steps of its own, and those before have none. */
static void test_latency_of_ibs(void **state)
{
	char *zen5 = fake_amd_machine();
	_cleanup_free_ char *output = xasprintf("%s/none.data", zen5);
	size_t ignored = 0;
	struct record_options options = {
		.root = amd,
		.latency = 200,
		.workload = (char *const[]){ "true", NULL },
		.output = output,
		.say = count_ignored_latency,
		.say_data = &ignored,
	};
	struct record_result result;

	(void)state;
	error_destroy(record_run(&options, &result));
	free(result.no_samples);
	assert_int_equal(ignored, 1);

	fake_file(zen5, "/sys/bus/event_source/devices/ibs_op/format/ldlat", "config1:0-11\n");
	_cleanup_free_ char *events =
		memory_source_events(zen5, MEMORY_SOURCE_AMD, MEMORY_LOADS, 200);
	struct event_list list = parse(zen5, events);

	assert_int_equal(list.items[0].attr.config1, 200);
	assert_true(list.items[0].memory);
	event_list_deinit(&list);

	options.root = zen5;
	options.latency = 30;
	struct error *error = record_run(&options, &result);

	assert_non_null(error);
	assert_non_null(strstr(error->message, "128 to 2048"));
	error_destroy(error);
	assert_int_equal(ignored, 1);
	scratch_remove(zen5);
}

static void test_drop(void **state)
{
	struct event_list list = parse(
		server, "cpu-clock,{cpu/mem-loads-aux/,cpu/mem-loads/P},{cycles,instructions}");

	(void)state;
	event_list_drop(&list, 1);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[1].name, "cycles");
	assert_int_equal(list.items[1].leader, 1);
	assert_int_equal(list.items[2].leader, 1);
	event_list_drop(&list, 0);
	assert_int_equal(list.count, 2);
	assert_int_equal(list.items[1].leader, 0);
	event_list_deinit(&list);
}

static int set_up(void **state)
{
	(void)state;
	virtual_machine = fake_virtual_machine();
	intel = fake_intel_machine();
	server = fake_intel_server();
	hybrid = fake_hybrid_machine();
	amd = fake_amd_machine();
	arm = fake_arm_machine();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_remove(virtual_machine);
	scratch_remove(intel);
	scratch_remove(server);
	scratch_remove(hybrid);
	scratch_remove(amd);
	scratch_remove(arm);
	return 0;
}

/* Generic events take terms, and are also written as events of the PMUs that count them. */
static void test_generic_terms(void **state)
{
	static const struct {
		const char *text, *name;
		uint32_t type;
		uint64_t config, period;
		enum event_call_graph call_graph;
	} cases[] = {
		{ "cycles/name=x/", "x", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0, 0 },
		{ "cpu/cycles/", "cpu/cycles/", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0,
		  0 },
		{ "cpu/period=7,instructions/u", "cpu/period=7,instructions/u", PERF_TYPE_HARDWARE,
		  PERF_COUNT_HW_INSTRUCTIONS, 7, 0 },
		{ "software/cpu-clock/", "software/cpu-clock/", PERF_TYPE_SOFTWARE,
		  PERF_COUNT_SW_CPU_CLOCK, 0, 0 },
		{ "cpu-clock/period=100000,call-graph=dwarf/",
		  "cpu-clock/period=100000,call-graph=dwarf/", PERF_TYPE_SOFTWARE,
		  PERF_COUNT_SW_CPU_CLOCK, 100000, EVENT_CALL_GRAPH_DWARF },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event_list list = parse(virtual_machine, cases[i].text);

		assert_int_equal(list.count, 1);
		assert_string_equal(list.items[0].name, cases[i].name);
		assert_int_equal(list.items[0].attr.type, cases[i].type);
		assert_int_equal(list.items[0].attr.config, cases[i].config);
		assert_int_equal(list.items[0].attr.sample_period, cases[i].period);
		assert_int_equal(list.items[0].call_graph, cases[i].call_graph);
		event_list_deinit(&list);
	}

	/* Linux names cpu-cycles in sysfs, and not cycles; on a hybrid machine the PMU chooses. */
	struct event_list list = parse(intel, "cpu/cycles,period=7/u");

	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(list.items[0].attr.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_int_equal(list.items[0].attr.sample_period, 7);
	event_list_deinit(&list);
	list = parse(hybrid, "cpu_core/cycles/,cpu_atom/instructions/");
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[0].name, "cpu_core/cycles/");
	assert_int_equal(list.items[0].attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(list.items[0].attr.config, UINT64_C(4) << 32);
	assert_string_equal(list.items[0].pmu->cpus, "0-7");
	assert_string_equal(list.items[1].pmu->name, "cpu_atom");
	event_list_deinit(&list);

	list = parse(intel, "ldlat-loads");

	assert_true(list.count && list.items[0].memory);
	event_list_deinit(&list);
}

/* A machine that cannot count cycles records a timer instead, at the same position and with the
 * same modifiers. */
static void test_fall_back(void **state)
{
	struct event_list list = parse(virtual_machine, "{cycles:ppu,cycles/name=x/},cpu-clock");

	(void)state;
	assert_true(event_is_cycles(&list.items[0]) && event_is_cycles(&list.items[1]));
	assert_false(event_is_cycles(&list.items[2]));
	event_fall_back(&list.items[0]);
	event_fall_back(&list.items[1]);
	assert_string_equal(list.items[0].name, "cpu-clock:u");
	assert_string_equal(list.items[1].name, "x");
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(list.items[i].attr.type, PERF_TYPE_SOFTWARE);
		assert_int_equal(list.items[i].attr.config, PERF_COUNT_SW_CPU_CLOCK);
		assert_int_equal(list.items[i].attr.precise_ip, 0);
		assert_int_equal(list.items[i].leader, 0);
	}
	event_list_deinit(&list);
}

/* The rest of a group gets a leader, and some event still reports what processes do. */
static void test_remove(void **state)
{
	struct event_list list = parse(virtual_machine, "{instructions,cpu-clock,branches},faults");

	(void)state;
	list.items[0].attr.mmap = list.items[0].attr.comm_exec = list.items[0].attr.disabled = 1;
	list.items[0].attr.freq = 1;
	list.items[0].attr.sample_freq = 4000;
	event_list_remove(&list, 0);
	assert_int_equal(list.count, 3);
	assert_string_equal(list.items[0].name, "cpu-clock");
	assert_int_equal(list.items[0].leader, 0);
	assert_int_equal(list.items[1].leader, 0);
	assert_int_equal(list.items[2].leader, 2);
	assert_true(list.items[0].attr.mmap && list.items[0].attr.comm_exec &&
		    list.items[0].attr.disabled);
	assert_int_equal(list.items[0].attr.sample_freq, 4000);
	event_list_remove(&list, 1);
	event_list_remove(&list, 1);
	assert_int_equal(list.count, 1);
	event_list_deinit(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generic_names),  cmocka_unit_test(test_modifiers),
		cmocka_unit_test(test_pmu_terms),      cmocka_unit_test(test_split_format),
		cmocka_unit_test(test_pmu_pattern),    cmocka_unit_test(test_groups),
		cmocka_unit_test(test_hybrid_events),  cmocka_unit_test(test_tracepoints),
		cmocka_unit_test(test_breakpoints),    cmocka_unit_test(test_errors),
		cmocka_unit_test(test_defaults),       cmocka_unit_test(test_spe),
		cmocka_unit_test(test_latency_of_ibs), cmocka_unit_test(test_traces_are_refused),
		cmocka_unit_test(test_drop),           cmocka_unit_test(test_generic_terms),
		cmocka_unit_test(test_fall_back),      cmocka_unit_test(test_remove),
	};

	return cmocka_run_group_tests_name("record/event_parse", tests, set_up, tear_down);
}
