// SPDX-License-Identifier: GPL-2.0-or-later
/* The settings that the events of a recording share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/arch/arch.h"
#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/record/attr.h"
#include "profiler/record/open.h"
#include "tests/support/fake_machine.h"
#include "tests/support/process.h"

static const struct rights root_rights = { .paranoid = 2, .privileged = true };

static struct event_list configured(const char *root, const char *text,
				    const struct attr_options *options, const struct rights *rights,
				    bool *restricted)
{
	struct event_list list = { 0 };
	struct error *error = event_parse(&list, root, text);

	if (error)
		fail_msg("'%s': %s", text, error->message);
	attr_configure(&list, options, rights, restricted);
	return list;
}

/* SPE samples by itself, once in as many instructions as its PMU allows at least. Readers make the
 * samples, which tell their event and, by the switches, their thread. Physical addresses need the
 * right to see the kernel. */
static void test_spe(void **state)
{
	char *root = fake_arm_machine();
	struct attr_options options = { .frequency = 4000 },
			    fixed = { .period = 5000, .overwrite = true };
	const struct rights none = { .paranoid = 2 };
	const char *text = "arm_spe_1/pa_enable=1,load_filter=1/";
	bool restricted;
	struct event_list list = configured(root, text, &options, &root_rights, &restricted),
			  other = configured(root, text, &fixed, &none, &restricted);
	const struct perf_event_attr *attr = &list.items[0].attr, *dummy = &list.items[1].attr;

	(void)state;
	assert_int_equal(list.count, 2);
	assert_false(attr->freq);
	assert_int_equal(attr->sample_period, 1024);
	assert_int_equal(attr->sample_type,
			 PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ADDR |
				 PERF_SAMPLE_CPU | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_PHYS_ADDR |
				 PERF_SAMPLE_WEIGHT_STRUCT | PERF_SAMPLE_IDENTIFIER);
	assert_int_equal(attr->config, UINT64_C(0x200000002));
	assert_false(attr->mmap || attr->context_switch);
	assert_true(list.items[1].follower && dummy->mmap && dummy->context_switch);
	assert_true(dummy->sample_type & PERF_SAMPLE_CPU);
	assert_true(restricted);
	assert_int_equal(other.items[0].attr.sample_period, 5000);
	assert_int_equal(other.items[0].attr.config, UINT64_C(0x200000000));
	assert_false(other.items[0].attr.sample_type & PERF_SAMPLE_PHYS_ADDR);
	assert_false(other.items[0].attr.write_backward);
	event_list_deinit(&list);
	event_list_deinit(&other);
	scratch_remove(root);
}

/* A probe counts on whole processors, where no exec enables it and no thread inherits it, and has
 * its own registers and call chain. The file has no address of this process. */
static void test_probe(void **state)
{
	char *root = fake_virtual_machine();
	struct attr_options options = { .period = 1,
					.enable_on_exec = true,
					.callchain = true,
					.no_user_callchain = true,
					.user_stack = 2048,
					.user_registers = registers_general() };
	struct event_probe probe = { .path = (char[]){ "/bin/true" },
				     .offset = 0x430,
				     .name = "go:begin",
				     .registers = 1,
				     .callchain = true };
	struct event_list list = { 0 };
	struct error *error = event_add_probe(&list, root, &probe);
	bool restricted;

	(void)state;
	assert_non_null(error);
	assert_int_equal(error->code, ERROR_UNSUPPORTED);
	error_destroy(error);
	fake_file(root, "/sys/bus/event_source/devices/uprobe/type", "8\n");
	assert_null(event_parse(&list, root, "context-switches"));
	assert_null(event_add_probe(&list, root, &probe));
	probe.callchain = false;
	probe.name = "go:end";
	assert_null(event_add_probe(&list, root, &probe));
	attr_configure(&list, &options, &root_rights, &restricted);

	const struct perf_event_attr *switches = &list.items[0].attr, *begin = &list.items[1].attr,
				     *end = &list.items[2].attr;
	const struct perf_event_attr written = event_file_attr(&list.items[1]);

	assert_true(switches->enable_on_exec && switches->inherit && switches->disabled);
	assert_true(switches->exclude_callchain_user && switches->sample_stack_user == 2048);
	assert_int_equal(begin->type, 8);
	assert_int_equal(begin->probe_offset, 0x430);
	assert_string_equal((const char *)(uintptr_t)begin->uprobe_path, "/bin/true");
	assert_int_equal(written.uprobe_path, 0);
	assert_int_equal(written.probe_offset, 0x430);
	assert_false(begin->enable_on_exec || begin->inherit || begin->disabled);
	assert_int_equal(begin->sample_regs_user, 1);
	assert_true(begin->sample_type & PERF_SAMPLE_CALLCHAIN);
	assert_false(begin->sample_type & PERF_SAMPLE_STACK_USER);
	assert_false(begin->exclude_callchain_user);
	assert_false(end->sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER));
	assert_string_equal(list.items[2].name, "go:end");
	event_list_deinit(&list);
	scratch_remove(root);
}

static void test_clock(void **state)
{
	char *root = fake_virtual_machine();
	struct attr_options options = { .frequency = 4000,
					.interrupt_registers = registers_general() };
	bool restricted;
	struct event_list list = configured(root, "cpu-clock", &options, &root_rights, &restricted);
	const struct perf_event_attr *attr = &list.items[0].attr;

	(void)state;
	assert_false(restricted);
	assert_int_equal(
		attr->sample_type,
		PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD |
			PERF_SAMPLE_REGS_INTR |
			(arch_host()->perf_link ? PERF_SAMPLE_REGS_USER : PERF_SAMPLE_STACK_USER));
	assert_true(attr->sample_regs_intr != 0);
	assert_true(attr->freq && attr->sample_freq == 4000);
	assert_true(attr->inherit && attr->disabled && attr->sample_id_all &&
		    !attr->enable_on_exec);
	assert_true(attr->mmap && attr->mmap2 && attr->comm && attr->comm_exec && attr->task);
	assert_int_equal(attr_sample_time_offset(attr), 24);
	assert_int_equal(sample_id_size(attr), 16);
	event_list_deinit(&list);
	scratch_remove(root);
}

/*
 * The return address of leaf functions is not recorded if it is not needed, or if a copy of the
 * stack has it. Call chains by frame pointers do not have it.
 */
static void test_callers(void **state)
{
	char *root = fake_virtual_machine();
	struct attr_options unwanted = { .frequency = 4000, .no_callers = true },
			    chains = { .frequency = 4000, .callchain = true },
			    copies = { .frequency = 4000, .callchain = true, .user_stack = 8192 },
			    kernel = { .frequency = 4000, .exclude_user = true };
	const struct attr_options *const all[] = { &unwanted, &kernel, &chains, &copies };
	const uint32_t link = arch_host()->perf_link, sizes[] = { 0, 0, link ? 0 : 8, 8192 };
	bool restricted;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		struct event_list list =
			configured(root, "cpu-clock", all[i], &root_rights, &restricted);

		assert_int_equal(!(list.items[0].attr.sample_type & PERF_SAMPLE_STACK_USER),
				 !sizes[i]);
		assert_int_equal(list.items[0].attr.sample_stack_user, sizes[i]);
		assert_int_equal(list.items[0].attr.sample_regs_user,
				 link && all[i] == &chains ? UINT64_C(1) << link : 0);
		event_list_deinit(&list);
	}
	scratch_remove(root);
}

/* The event that follows processes is the only one that reports context switches. */
static void test_switches(void **state)
{
	char *root = fake_virtual_machine();
	struct attr_options options = { .frequency = 4000 };
	bool restricted;
	struct event_list list =
		configured(root, "cpu-clock,task-clock", &options, &root_rights, &restricted);

	(void)state;
	assert_false(list.items[0].attr.context_switch);
	event_list_deinit(&list);
	options.switches = true;
	list = configured(root, "cpu-clock,task-clock", &options, &root_rights, &restricted);
	assert_true(list.items[0].attr.context_switch);
	assert_false(list.items[1].attr.context_switch);
	event_list_deinit(&list);
	scratch_remove(root);
}

/* Events with different fields are told apart by the word that is first in every sample. */
static void test_memory_events(void **state)
{
	char *root = fake_intel_server();
	struct attr_options options = { .period = 1000, .enable_on_exec = true };
	bool restricted;
	_cleanup_free_ char *events =
		memory_source_events(root, MEMORY_SOURCE_INTEL, MEMORY_LOADS | MEMORY_STORES, 0);
	struct event_list list = configured(root, events, &options, &root_rights, &restricted);
	const uint64_t memory = PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_WEIGHT_STRUCT;

	(void)state;
	assert_int_equal(list.count, 3);
	assert_int_equal(list.items[0].attr.sample_type & memory, 0);
	assert_int_equal(list.items[1].attr.sample_type & memory, memory);
	assert_int_equal(list.items[2].attr.sample_type & memory, memory);
	for (size_t i = 0; i < 3; i++) {
		assert_true(list.items[i].attr.sample_type & PERF_SAMPLE_IDENTIFIER);
		/* the first must be active for the second, and has no samples of its own */
		assert_int_equal(list.items[i].attr.sample_period, i ? 1000 : 0);
		assert_int_equal(attr_sample_time_offset(&list.items[i].attr), 32);
	}
	/* only leaders wait for the exec, and only one event follows processes, with maps of
	 * data */
	assert_true(list.items[0].attr.enable_on_exec && list.items[0].attr.disabled);
	assert_false(list.items[1].attr.enable_on_exec || list.items[1].attr.disabled);
	assert_true(list.items[2].attr.enable_on_exec);
	assert_true(list.items[0].attr.mmap && list.items[0].attr.mmap_data);
	assert_false(list.items[1].attr.mmap || list.items[2].attr.mmap);
	event_list_deinit(&list);
	scratch_remove(root);
}

/* Each kind of core reports what processes do on it. */
static void test_hybrid_followers(void **state)
{
	char *root = fake_hybrid_machine();
	struct attr_options options = { .frequency = 4000 };
	bool restricted;
	struct event_list list =
		configured(root, "cycles,instructions", &options, &root_rights, &restricted);

	(void)state;
	assert_int_equal(list.count, 4);
	assert_true(list.items[0].attr.mmap && list.items[1].attr.mmap);
	assert_false(list.items[2].attr.mmap || list.items[3].attr.mmap);
	event_list_deinit(&list);

	list = configured(root, "cycles,cpu-clock", &options, &root_rights, &restricted);
	assert_false(list.items[0].attr.mmap || list.items[1].attr.mmap);
	assert_true(list.items[2].attr.mmap);
	event_list_deinit(&list);
	scratch_remove(root);
}

/* A memory controller sees no process: a dummy event does. */
static void test_uncore_follower(void **state)
{
	char *root = fake_intel_server();
	struct attr_options options = { .frequency = 4000, .system_wide = true };
	bool restricted;
	struct event_list list =
		configured(root, "uncore_imc_0/event=4/", &options, &root_rights, &restricted);

	(void)state;
	assert_int_equal(list.count, 2);
	assert_string_equal(list.items[1].name, "dummy");
	assert_true(list.items[1].attr.mmap && !list.items[0].attr.mmap);
	event_list_deinit(&list);
	scratch_remove(root);
}

static void test_without_rights(void **state)
{
	char *root = fake_intel_machine();
	struct rights rights = { .paranoid = 2 };
	struct attr_options options = { .frequency = 4000 };
	bool restricted;
	struct event_list list =
		configured(root, "cpu-clock,cpu/mem-loads/P,cycles:pp,page-faults:u", &options,
			   &rights, &restricted);
	static const char *const names[] = { "cpu-clock:u", "cpu/mem-loads/Pu", "cycles:ppu",
					     "page-faults:u" };

	(void)state;
	assert_true(restricted);
	for (size_t i = 0; i < 4; i++) {
		assert_true(list.items[i].attr.exclude_kernel && list.items[i].attr.exclude_hv);
		assert_string_equal(list.items[i].name, names[i]);
	}
	event_list_deinit(&list);

	rights.paranoid = 1;
	list = configured(root, "cpu-clock", &options, &rights, &restricted);
	assert_false(restricted || list.items[0].attr.exclude_kernel);
	event_list_deinit(&list);
	scratch_remove(root);
}

/* IBS samples of user space alone are filtered by the kernel. */
static void test_ibs_filter(void **state)
{
	char *root = fake_amd_machine();
	struct rights rights = { .paranoid = 2 };
	struct attr_options options = { .frequency = 4000 };
	bool restricted;
	struct event_list list = configured(root, "ibs_op//", &options, &rights, &restricted);

	(void)state;
	assert_true(list.items[0].attr.exclude_kernel);
	assert_int_equal(list.items[0].attr.config2, 1);
	assert_string_equal(list.items[0].name, "ibs_op//u");
	event_list_deinit(&list);
	list = configured(root, "ibs_op//", &options, &root_rights, &restricted);
	assert_int_equal(list.items[0].attr.config2, 0);
	event_list_deinit(&list);
	scratch_remove(root);
}

static void test_group_read(void **state)
{
	char *root = fake_intel_machine();
	struct attr_options options = { .frequency = 4000 };
	bool restricted;
	struct event_list list =
		configured(root, "{cycles,instructions}:S", &options, &root_rights, &restricted);

	(void)state;
	assert_true(list.items[0].attr.sample_type & PERF_SAMPLE_READ);
	assert_true(list.items[0].attr.read_format & PERF_FORMAT_GROUP);
	assert_int_equal(list.items[0].attr.sample_freq, 4000);
	assert_int_equal(list.items[1].attr.sample_period, 0);
	assert_false(list.items[0].attr.inherit);
	event_list_deinit(&list);
	scratch_remove(root);
}

static void test_registers(void **state)
{
	uint64_t mask = 0;

	(void)state;
	assert_null(registers_parse(NULL, &mask));
	assert_int_equal(mask, registers_general());
#ifdef __x86_64__
	assert_null(registers_parse("ax,R15,ip", &mask));
	assert_int_equal(mask, 1ULL << 0 | 1ULL << 23 | 1ULL << 8);
#endif
	_cleanup_error_ struct error *error = registers_parse("zz", &mask);

	assert_non_null(error);
	assert_non_null(strstr(error->message, "zz"));
}

static void test_rights(void **state)
{
	char *root = fake_virtual_machine();
	struct rights rights;

	(void)state;
	fake_file(root, "/proc/self/status", "Name:\tx\nCapEff:\t0000000000000000\n");
	assert_null(rights_read(root, &rights));
	assert_int_equal(rights.paranoid, 2);
	assert_int_equal(rights.max_sample_rate, 100000);
	assert_false(rights.privileged || rights_allow_kernel(&rights) ||
		     rights_allow_system_wide(&rights));
	fake_file(root, "/proc/self/status", "Name:\tx\nCapEff:\t0000004000000000\n");
	assert_null(rights_read(root, &rights));
	assert_true(rights.privileged && rights_allow_kernel(&rights) &&
		    rights_allow_system_wide(&rights));
	/* root of a user namespace has no rights here, whatever it is shown */
	fake_file(root, "/proc/self/status", "Name:\tx\nCapEff:\t000001ffffffffff\nSeccomp:\t2\n");
	assert_null(rights_read(root, &rights));
	assert_true(rights.privileged && rights.may_lock && rights.filtered &&
		    !rights.user_namespace);
	fake_file(root, "/proc/self/ns/user", "");
	assert_null(rights_read(root, &rights));
	assert_true(rights.user_namespace && !rights.privileged && !rights.may_lock &&
		    !rights_allow_kernel(&rights));
	/* below level 0 ring buffers are not counted */
	fake_file(root, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
	assert_null(rights_read(root, &rights));
	assert_true(rights.may_lock && rights_allow_system_wide(&rights));
	scratch_remove(root);
}

static void test_branches(void **state)
{
	struct attr_options options = { .frequency = 4000 };
	char *root = fake_intel_server();
	bool restricted;
	uint64_t filter;

	(void)state;
	assert_null(branch_filter_parse(NULL, &filter));
	assert_int_equal(filter, PERF_SAMPLE_BRANCH_ANY);
	assert_null(branch_filter_parse("u", &filter));
	assert_int_equal(filter, PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	assert_null(branch_filter_parse("any_call,k,save_type", &options.branches));
	assert_int_equal(options.branches, PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_KERNEL |
						   PERF_SAMPLE_BRANCH_TYPE_SAVE);
	struct event_list list = configured(root, "cycles", &options, &root_rights, &restricted);

	assert_true(list.items[0].attr.sample_type & PERF_SAMPLE_BRANCH_STACK);
	assert_int_equal(list.items[0].attr.branch_sample_type, options.branches);
	struct error *error = branch_filter_parse("any_cal", &filter);

	assert_non_null(strstr(error->message, "'any_call'"));
	error_destroy(error);
	event_list_deinit(&list);
	scratch_remove(root);
}

static void check_groups(const char *groups, const char *first, const char *second)
{
	struct attr_options options = { .frequency = 4000 };
	char *root = fake_intel_server();
	bool restricted;
	struct event_list list =
		configured(root, "cpu-clock,task-clock", &options, &root_rights, &restricted);
	const char *expected[] = { first, second };

	assert_null(cgroup_assign(&list, groups));
	for (size_t i = 0; i < 2; i++) {
		if (expected[i])
			assert_string_equal(list.items[i].cgroup, expected[i]);
		else
			assert_null(list.items[i].cgroup);
	}
	event_list_deinit(&list);
	scratch_remove(root);
}

/* One group is for all events; a list has one for each. */
static void test_control_groups(void **state)
{
	struct attr_options options = { .frequency = 4000 };
	char *root = fake_intel_server();
	bool restricted;

	(void)state;
	check_groups("/web", "/web", "/web");
	check_groups("/web,/db", "/web", "/db");
	check_groups(",/db", NULL, "/db");
	check_groups("/web,", "/web", NULL);

	struct event_list list =
		configured(root, "{cpu-clock,task-clock}", &options, &root_rights, &restricted);
	struct error *error = cgroup_assign(&list, "/web,/db");

	assert_non_null(error);
	error_destroy(error);
	event_list_deinit(&list);
	list = configured(root, "cpu-clock", &options, &root_rights, &restricted);
	error = cgroup_assign(&list, "/web,/db");
	assert_non_null(error);
	error_destroy(error);
	event_list_deinit(&list);
	scratch_remove(root);
}

static void check_cpus(const char *list, const char *others, const char *wanted,
		       const char *expected)
{
	_cleanup_free_ char *result = cpu_list_without(list, others, wanted);

	assert_string_equal(result, expected);
}

/* CPUs that went offline or came online. */
static void test_cpu_lists(void **state)
{
	(void)state;
	check_cpus("0-3", "0-3", NULL, "");
	check_cpus("0-3", "0,2-3", NULL, "1");
	check_cpus("0-3,8", "0-1", NULL, "2,3,8");
	check_cpus("0-3,8", "0-1", "0-2", "2");
	check_cpus("0", "0-3", NULL, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_clock),          cmocka_unit_test(test_spe),
		cmocka_unit_test(test_callers),        cmocka_unit_test(test_switches),
		cmocka_unit_test(test_memory_events),  cmocka_unit_test(test_hybrid_followers),
		cmocka_unit_test(test_probe),          cmocka_unit_test(test_uncore_follower),
		cmocka_unit_test(test_without_rights), cmocka_unit_test(test_group_read),
		cmocka_unit_test(test_ibs_filter),     cmocka_unit_test(test_registers),
		cmocka_unit_test(test_rights),         cmocka_unit_test(test_branches),
		cmocka_unit_test(test_control_groups), cmocka_unit_test(test_cpu_lists),
	};

	return cmocka_run_group_tests_name("record/attr", tests, NULL, NULL);
}
