// SPDX-License-Identifier: GPL-2.0-or-later
/* Events that a PMU refuses: the message names the part, and cycles are recorded less precisely. */
#include "tests/support/unit.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/record/event.h"
#include "profiler/record/open.h"
#include "profiler/record/record.h"
#include "tests/support/fake_machine.h"
#include "tests/support/process.h"

#define IBS_OP 11 /* its type in fake_amd_machine() */
/* Events of the CPU that can be counted at one time, fewer than the machine has. */
#define COUNTERS 3

static bool old_kernel;
static size_t members[1024]; /* of the group whose leader is the descriptor, without the leader */

/* Returns 0, or the errno of Linux 6.12 on Zen 4: amd_pmu_hw_config() and perf_ibs_init(), before
 * IBS could leave out levels. */
static int refuse(const struct perf_event_attr *attr, int group)
{
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
		  "cannot leave out the kernel" },
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_control_groups),
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_group),
		cmocka_unit_test(test_less_precision),
	};

	return cmocka_run_group_tests_name("record/refusals", tests, NULL, NULL);
}
