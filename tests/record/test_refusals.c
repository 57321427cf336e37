// SPDX-License-Identifier: GPL-2.0-or-later
/* Events that a PMU refuses: the message names the part, and cycles are recorded less precisely. */
#include "tests/support/unit.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/record/attr.h"
#include "profiler/record/event.h"
#include "profiler/record/open.h"
#include "profiler/record/record.h"
#include "profiler/record/rights.h"
#include "tests/support/fake_machine.h"
#include "tests/support/process.h"

#define IBS_OP 11 /* its type in fake_amd_machine() */
/* Events of the CPU that can be counted at one time, fewer than the machine has. */
#define COUNTERS 3

static bool old_kernel;

/* The part of an attr that the kernel refuses, or NULL, and its errno. */
static bool (*refused_part_of)(const struct perf_event_attr *attr);
static int refused_number;

static size_t members[1024]; /* of the group whose leader is the descriptor, without the leader */

/* Returns 0, or the errno of Linux 6.12 on Zen 4: amd_pmu_hw_config() and perf_ibs_init(), before
 * IBS could leave out levels. */
static int refuse(const struct perf_event_attr *attr, int group)
{
	if (refused_part_of)
		return refused_part_of(attr) ? refused_number : 0;
	/* Linux 5.6 */
	if (old_kernel && (attr->cgroup || attr->sample_type & PERF_SAMPLE_CGROUP))
		return EINVAL;
	if (attr->type == PERF_TYPE_HARDWARE && attr->precise_ip > 2)
		return EOPNOTSUPP;
	if (attr->type == PERF_TYPE_HARDWARE && group >= 0 && ++members[group] >= COUNTERS)
		return EINVAL;
	if (attr->type != IBS_OP)
		return 0;
	if (attr->exclude_guest || attr->exclude_kernel || attr->exclude_user || attr->exclude_hv)
		return EINVAL;
	if (group >= 0)
		return EINVAL;
	if (attr->config & ~UINT64_C(0x7f9ffff))
		return EINVAL;
	return !attr->freq && attr->sample_period < 0x90 ? EINVAL : 0;
}

/* Stands before the C library's: events of the fake machine are files that cannot be read. */
long syscall(long number, ...)
{
	long (*real)(long, ...) = dlsym(RTLD_NEXT, "syscall");
	long arguments[6];
	va_list list;

	va_start(list, number);
	for (size_t i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number != SYS_perf_event_open)
		return real(number, arguments[0], arguments[1], arguments[2], arguments[3],
			    arguments[4], arguments[5]);
	errno = refuse((const struct perf_event_attr *)arguments[0], (int)arguments[3]);
	if (errno)
		return -1;

	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	members[fd] = 0;
	return fd;
}

struct says {
	const char *text;
	size_t count;
};

static void count_says(void *data, enum record_notice notice, const char *message)
{
	struct says *says = data;

	says->count += notice == RECORD_WARNING && strstr(message, says->text);
}

/* Records `events` on the machine; returns the error, and counts warnings with the text. */
static struct error *run(const char *root, struct record_options options, struct says *says)
{
	_cleanup_free_ char *output = xasprintf("%s/none.data", root);
	struct record_result result;

	options.root = root;
	options.workload = (char *const[]){ "true", NULL };
	options.output = output;
	options.say = count_says;
	options.say_data = says;
	return record_run(&options, &result);
}

static void test_reasons(void **state)
{
	static const struct {
		struct record_options options;
		const char *message;
	} cases[] = {
		{ { .events = "ibs_op//", .attr = { .period = 5 } }, "refuses this period" },
		{ { .events = "ibs_op/l3missonly=1/u", .attr = { .period = 1000 } },
		  "it cannot leave out the kernel" },
		{ { .events = "ibs_op/config=0x100000000/", .attr = { .frequency = 100 } },
		  "refuses the values of its terms" },
	};
	char *root = fake_amd_machine();

	(void)state;
	fake_file(root, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct says says = { .text = "left out" };
		_cleanup_error_ struct error *error = run(root, cases[i].options, &says);

		assert_non_null(error);
		if (!strstr(error->message, cases[i].message))
			fail_msg("%s: %s", cases[i].options.events, error->message);
	}
	scratch_remove(root);
}

#define PART(name, condition)                                                                      \
	static bool name(const struct perf_event_attr *attr)                                       \
	{                                                                                          \
		return condition;                                                                  \
	}
#define BRANCH(name) PERF_SAMPLE_BRANCH_##name

PART(all_of_it, attr->size > 0)
PART(its_branches, attr->sample_type &PERF_SAMPLE_BRANCH_STACK)
PART(kept_calls, attr->branch_sample_type &BRANCH(CALL_STACK))
PART(calls_alone, attr->branch_sample_type &BRANCH(ANY_CALL))
PART(kernel_branches, attr->branch_sample_type &BRANCH(KERNEL))
PART(registers, attr->sample_type &(PERF_SAMPLE_REGS_INTR | PERF_SAMPLE_REGS_USER))
PART(physical_address, attr->sample_type &PERF_SAMPLE_PHYS_ADDR)
PART(page_size, attr->sample_type &(PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE))
PART(weights, attr->sample_type &PERF_SAMPLE_WEIGHT_STRUCT)
PART(wall_clock, attr->use_clockid && attr->clockid == CLOCK_REALTIME)
PART(precision, attr->precise_ip)
PART(frequency, attr->freq)
PART(short_period, !attr->freq && attr->sample_period && attr->sample_period < 100)
PART(samples, attr->sample_period)
PART(left_out_levels, attr->exclude_user || attr->exclude_kernel)
PART(kernel_samples, !attr->exclude_kernel)
PART(namespaces, attr->namespaces)
PART(long_chains, attr->sample_max_stack > 8)
PART(breakpoints, attr->type == PERF_TYPE_BREAKPOINT)
PART(build_ids, attr->build_id)

/* Each errno that perf_event_open(2) has for a part of an event (kernel/events/core.c and the PMUs
 * of x86 and arm64) is told with the option that asked for it, and with what helps. */
static void test_errno_of_each_option(void **state)
{
	static const struct {
		const char *events;
		struct attr_options attr;
		bool (*part)(const struct perf_event_attr *attr);
		int number, paranoid;
		const char *message; /* NULL: it is recorded without the part */
	} cases[] = {
		{ "instructions",
		  { .branches = BRANCH(ANY) },
		  its_branches,
		  EOPNOTSUPP,
		  -1,
		  "the processor records no branches for it (-b, -j)" },
		{ "instructions",
		  { .branches = BRANCH_CALL_STACK },
		  kept_calls,
		  EOPNOTSUPP,
		  -1,
		  "record with --call-graph dwarf" },
		{ "instructions",
		  { .branches = BRANCH_CALL_STACK },
		  kept_calls,
		  EINVAL,
		  -1,
		  "record with --call-graph dwarf" },
		{ "instructions",
		  { .branches = BRANCH(ANY_CALL) },
		  calls_alone,
		  EOPNOTSUPP,
		  -1,
		  "does not have this filter of branches (-j)" },
		{ "instructions:u",
		  { .branches = BRANCH(ANY) | BRANCH(KERNEL) },
		  kernel_branches,
		  EACCES,
		  2,
		  "as root: sysctl kernel.perf_event_paranoid=1" },
		{ "instructions",
		  { .interrupt_registers = 1 },
		  registers,
		  EINVAL,
		  -1,
		  "does not give these registers (-I, --user-regs)" },
		{ "instructions",
		  { .user_registers = 1 },
		  registers,
		  EOPNOTSUPP,
		  -1,
		  "does not give these registers (-I, --user-regs)" },
		{ "instructions:u",
		  { .physical_address = true },
		  physical_address,
		  EACCES,
		  2,
		  "as root: sysctl kernel.perf_event_paranoid=1" },
		{ "instructions", { .data_page_size = true }, page_size, EINVAL, -1, "Linux 5.11" },
		{ "instructions", { .code_page_size = true }, page_size, EINVAL, -1, "Linux 5.11" },
		{ "instructions", { .weight = true }, weights, EINVAL, -1, NULL },
		{ "instructions",
		  { .has_clock = true, .clock = CLOCK_REALTIME },
		  wall_clock,
		  EINVAL,
		  -1,
		  "monotonic and monotonic_raw go" },
		{ "instructions:ppp", { 0 }, precision, EOPNOTSUPP, -1, "(:P takes what it has)" },
		{ "instructions:P", { 0 }, precision, EOPNOTSUPP, -1, NULL },
		{ "instructions", { .frequency = 100 }, frequency, EINVAL, -1, "record with -c N" },
		{ "instructions",
		  { .period = 5 },
		  short_period,
		  EINVAL,
		  -1,
		  "refuses this period (-c)" },
		{ "instructions",
		  { .frequency = 100 },
		  samples,
		  EOPNOTSUPP,
		  -1,
		  "takes no samples of it" },
		{ "instructions:u", { 0 }, left_out_levels, EINVAL, -1, "(-U, -K, :u, :k)" },
		{ "instructions:k",
		  { 0 },
		  kernel_samples,
		  EACCES,
		  2,
		  "as root: sysctl kernel.perf_event_paranoid=1" },
		{ "instructions:u",
		  { .namespaces = true },
		  namespaces,
		  EACCES,
		  2,
		  "--namespaces needs root" },
		{ "instructions:u",
		  { .namespaces = true },
		  namespaces,
		  EACCES,
		  -1,
		  "--namespaces needs root" },
		{ "instructions",
		  { .callchain = true, .max_stack = 24 },
		  long_chains,
		  EOVERFLOW,
		  -1,
		  NULL },
		{ "instructions", { 0 }, build_ids, EINVAL, -1, NULL },
		{ "mem:0xffffffff81000000:rw",
		  { 0 },
		  breakpoints,
		  EPERM,
		  -1,
		  "a kernel breakpoint needs root" },
		{ "mem:0xffffffff81000000:rw:u",
		  { 0 },
		  all_of_it,
		  EINVAL,
		  2,
		  "a kernel breakpoint needs root" },
		{ "mem:0x1000:rw", { 0 }, all_of_it, ENOSPC, -1, "no breakpoint register is left" },
		{ "instructions:u",
		  { 0 },
		  all_of_it,
		  EACCES,
		  3,
		  "as root: sysctl kernel.perf_event_paranoid=2" },
		{ "instructions", { 0 }, all_of_it, EPERM, -1, "a security module" },
		{ "instructions",
		  { 0 },
		  all_of_it,
		  ENOENT,
		  -1,
		  "is not supported by this machine" },
		{ "instructions", { 0 }, all_of_it, ENODEV, -1, "a CPU that has gone offline" },
		{ "instructions", { 0 }, all_of_it, EBUSY, -1, "another event that excludes it" },
		{ "instructions",
		  { 0 },
		  all_of_it,
		  EMFILE,
		  -1,
		  "too many open files: 65 are needed" },
		{ "instructions", { 0 }, all_of_it, E2BIG, -1, "this kernel is too old" },
		{ "instructions", { 0 }, all_of_it, ENOSYS, -1, "has no perf_event_open(2)" },
		{ "instructions", { 0 }, all_of_it, ESRCH, -1, "the thread has ended" },
	};
	char *root = fake_amd_machine();

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct record_options options = { .events = cases[i].events,
						  .attr = cases[i].attr };
		struct says says = { .text = "left out" };
		char level[16];

		if (!options.attr.period && !options.attr.frequency)
			options.attr.period = 100000;
		snprintf(level, sizeof(level), "%d\n", cases[i].paranoid);
		fake_file(root, "/proc/sys/kernel/perf_event_paranoid", level);
		refused_part_of = cases[i].part;
		refused_number = cases[i].number;

		_cleanup_error_ struct error *error = run(root, options, &says);
		const char *message = error ? error->message : "";

		refused_part_of = NULL;
		/* an event that opens is a file without an id here */
		if (!strstr(message, cases[i].message ?: "cannot read its id"))
			fail_msg("case %zu, %s, %s: %s", i, cases[i].events,
				 strerror(cases[i].number), message);
	}
	scratch_remove(root);
}

/* IBS has one event at a time, and a group needs as many counters as it has events. */
static void test_group(void **state)
{
	static const struct {
		const char *events, *text;
		size_t count;
	} cases[] = {
		{ "{ibs_op//,ibs_op//}", "then): it is left out", 1 },
		{ "{ibs_op//,ibs_op//}:W", "left out", 0 },
		{ "{cycles,instructions,branches,branch-misses}",
		  "'branch-misses': the kernel refuses it in this group", 1 },
		{ "{cycles,instructions,branches,branch-misses}:W", "in this group", 0 },
		{ "{cycles,instructions,branches}", "in this group", 0 },
	};
	char *root = fake_amd_machine();

	(void)state;
	fake_file(root, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct record_options options = { .events = cases[i].events,
							.attr = { .frequency = 100 } };
		struct says says = { .text = cases[i].text };

		error_destroy(run(root, options, &says));
		if (says.count != cases[i].count)
			fail_msg("%s: %zu times '%s'", cases[i].events, says.count, cases[i].text);
	}
	scratch_remove(root);
}

/* The timer in place of cycles would be less precise than any of them. */
static void test_less_precision(void **state)
{
	char *root = fake_amd_machine();
	struct says lower = { .text = "less precision (P takes the highest) than 'cycles:ppp'" },
		    timer = { .text = "cpu-clock" }, none = { .text = "precision" };
	const struct record_options precise = { .events = "cycles:ppp",
						.attr = { .frequency = 9 } },
				    possible = { .events = "cycles:pp",
						 .attr = { .frequency = 9 } };

	(void)state;
	fake_file(root, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
	error_destroy(run(root, precise, &lower));
	error_destroy(run(root, precise, &timer));
	error_destroy(run(root, possible, &none));
	assert_int_equal(lower.count, 1);
	assert_int_equal(timer.count, 0);
	assert_int_equal(none.count, 0);
	scratch_remove(root);
}

static void test_control_groups(void **state)
{
	char *root = fake_amd_machine();
	const struct record_options options = { .events = "cycles",
						.attr = { .frequency = 9, .cgroup = true } };
	struct says refused = { .text = "no control groups" }, taken = refused;

	(void)state;
	fake_file(root, "/proc/sys/kernel/perf_event_paranoid", "-1\n");
	old_kernel = true;
	error_destroy(run(root, options, &refused));
	old_kernel = false;
	error_destroy(run(root, options, &taken));
	assert_int_equal(refused.count, 1);
	assert_int_equal(taken.count, 0);
	scratch_remove(root);
}

/* Pages of AUX areas are named beside those of the rings, and count in the memory. */
static void test_locked_memory(void **state)
{
	const struct rights rights = { 0 };
	struct error *rings = lock_error(2, 16, 0, 4, &rights);
	struct error *both = lock_error(2, 16, 7, 0, &rights);
	size_t page = (size_t)sysconf(_SC_PAGESIZE) / 1024;
	_cleanup_free_ char *first =
		xasprintf("2 ring buffers of 16 pages take %zu KB, ", 2 * 17 * page);
	_cleanup_free_ char *second = xasprintf(
		"2 ring buffers of 16 pages, with AUX areas of 7, take %zu KB, ", 2 * 24 * page);

	(void)state;
	assert_int_equal(strncmp(rings->message, first, strlen(first)), 0);
	assert_int_equal(strncmp(both->message, second, strlen(second)), 0);
	error_destroy(rings);
	error_destroy(both);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control_groups),       cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_errno_of_each_option), cmocka_unit_test(test_group),
		cmocka_unit_test(test_less_precision),       cmocka_unit_test(test_locked_memory),
	};

	return cmocka_run_group_tests_name("record/refusals", tests, NULL, NULL);
}
