// SPDX-License-Identifier: GPL-2.0-or-later
/* The samples of dtprof record, and their fields. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/support/breakpoints.h"
#include "tests/support/files.h"
#include "tests/support/recording.h"
#include "tests/support/unit.h"

/* Options that change the fields of samples: dtprof and perf agree on the number of samples. */
static void test_fields(void **state)
{
	static const struct {
		const char *options;
		uint64_t fields;
	} cases[] = {
		{ "-d -W", PERF_SAMPLE_ADDR | PERF_SAMPLE_DATA_SRC },
		{ "-g", PERF_SAMPLE_CALLCHAIN },
		{ "--call-graph dwarf,4096",
		  PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_USER },
		{ "--intr-regs", PERF_SAMPLE_REGS_INTR },
		{ "--user-regs=ip,sp", PERF_SAMPLE_REGS_USER },
		{ "--sample-cpu", PERF_SAMPLE_CPU },
		{ "--phys-data --data-page-size --code-page-size",
		  PERF_SAMPLE_PHYS_ADDR | PERF_SAMPLE_DATA_PAGE_SIZE | PERF_SAMPLE_CODE_PAGE_SIZE },
		{ "-e cpu-clock,page-faults", PERF_SAMPLE_ID },
		{ "-e '{cpu-clock,page-faults}:S'", PERF_SAMPLE_READ },
		{ "-D 20", 0 },
		{ "-P -R -c 250000", PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW },
		{ "-i", 0 },
		{ "--per-thread", 0 },
		{ "-U", 0 },
		{ "-B", 0 },
		{ "-m 2M", 0 },
	};
	bool perf = process_exists("perf");

	(void)state;
	record_need_permission();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 }, script = { 0 };
		struct perf_event_attr attr;
		size_t ids;

		record_run_shell(&result, "$D record %s %s -o keep.data -- " BUSY,
				 strstr(cases[i].options, "-e ") ? "" : "-e cpu-clock",
				 cases[i].options);
		if (result.status && strstr(result.errors.data, "the kernel refuses"))
			continue;
		if (result.status && (cases[i].fields & PERF_SAMPLE_PHYS_ADDR) &&
		    strstr(result.errors.data, "sysctl kernel.perf_event_paranoid=1")) {
			print_message("# left out: %s", result.errors.data);
			continue;
		}
		if (result.status)
			fail_msg("%s: %s", cases[i].options, result.errors.data);

		struct perf_data_file file = record_open_result("keep.data");

		assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE),
				 record_samples_said(&result));
		assert_true(record_samples_said(&result) > 20);
		assert_true(perf_data_attr(&file, 0, &attr, &ids));
		if ((attr.sample_type & cases[i].fields) != cases[i].fields)
			fail_msg("%s: sample_type is 0x%lx", cases[i].options,
				 (unsigned long)attr.sample_type);
		perf_data_close(&file);
		if (!perf)
			continue;
		record_run_shell(&script, "perf script -i keep.data -F comm,event,period 2>&1 | "
					  "grep -c ' page-faults\\| "
					  "cpu-clock'");
		/* perf shows samples that read a group once for each event that counted */
		if (strtoul(script.output.data, NULL, 10) < record_samples_said(&result))
			fail_msg("%s: perf script has %s of %zu samples", cases[i].options,
				 script.output.data, record_samples_said(&result));
	}
}

/*
 * Records the watched program, built with `flags`, until `event` has exactly `samples`. Some
 * hypervisors lose the debug registers when they take the processor away, or trap without a hit,
 * which kills the program. Then it tries again. More samples than stores are a failure at once.
 */
static void watch_until(const char *flags, const char *event, size_t samples)
{
	for (int tries = 0;; tries++) {
		_cleanup_process_ struct process_result result = { 0 };
		bool last = tries == 9;

		record_run_shell(
			&result,
			"${CC:-gcc} -g %s -o watch watch.c && $D record -e '%s' -- ./watch", flags,
			event);
		if (result.status == 128 + SIGTRAP && !last)
			continue;
		if (result.status)
			fail_msg("%s, %s: %s", flags, event, result.errors.data);

		size_t said = record_samples_said(&result);

		if (said == samples)
			return;
		if (said > samples || last)
			fail_msg("%s, %s: %zu samples, not %zu", flags, event, said, samples);
	}
}

/* A breakpoint on a variable's field gives one sample for each store, in the function that
 * stores. */
static void test_breakpoints(void **state)
{
	static const struct {
		const char *event;
		size_t samples;
	} cases[] = {
		{ "mem:table[1].hits:w", 500 },
		{ "mem:table[2].small[3]:w", 500 },
		{ "mem:table[2].grid[1][2]:w", 500 },
		{ "mem:table[2].grid[1][1]:w", 0 },
		{ "mem:hit:x", 500 },
		{ "mem:table[0].hits:rw", 0 },
	};
	static const char *const flags[] = { "-O0", "-O2", "-O2 -no-pie", "-O2 -static" };
	_cleanup_process_ struct process_result misspelt = { 0 }, split = { 0 };
	_cleanup_free_ char *path = xasprintf("%s/watch.c", record_folder());

	(void)state;
	record_need_permission();
	breakpoints_or_skip();
	file_copy("tests/workloads/watched_table.c", path);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		for (size_t j = 0; j < sizeof(cases) / sizeof(*cases); j++) {
			watch_until(flags[i], cases[j].event, cases[j].samples);
		}
	}
	record_run_shell(&misspelt, "$D record -e mem:table[1].hist:w -- ./watch");
	process_check_status(&misspelt, 1);
	record_check_said(&misspelt, "'hits'");
	/* the object that has the variable tells why its field is not known, and no other object is
	 * asked */
	record_run_shell(&split,
			 "${CC:-gcc} -g -gsplit-dwarf -o watch watch.c && ls *.dwo && rm *.dwo && "
			 "$D record -e mem:table[1].hits:w -- ./watch");
	process_check_status(&split, 1);
	record_check_said(&split, "the field cannot be found");
	record_check_said(&split, "debug information is split");
}

/* If breakpoints are accepted but never hit, a recording of them is refused: it would be empty. */
static void test_dropped_breakpoints(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	record_need_permission();
	record_run_shell(
		&result,
		"echo 'volatile long here; int main(void) { here = 1; return 0; }' >one.c && "
		"${CC:-gcc} -g -o one one.c && $D record -e mem:here:w -- ./one; "
		"status=$?; [ ! -e perf.data ] || echo written; exit $status");
	switch (breakpoints_try()) {
	case BREAKPOINTS_HIT:
		process_check_status(&result, 0);
		assert_int_equal(record_samples_said(&result), 1);
		return;
	case BREAKPOINTS_DROPPED:
		record_check_said(&result,
				  "this machine's virtual processor delivers no breakpoints");
		break;
	case BREAKPOINTS_REFUSED: record_check_said(&result, "event 'mem:here:w'"); break;
	}
	process_check_status(&result, 1);
	assert_int_equal(result.output.length, 0);
}

static void test_tracepoints(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, script = { 0 };
	size_t size;

	(void)state;
	record_need_permission();
	record_run_shell(&result, "$D record -e sched:sched_process_exec -o keep.data -- sh -c "
				  "'/bin/true; /bin/true; "
				  "exec /bin/true'");
	if (result.status) {
		char reason[512];

		snprintf(reason, sizeof(reason), "%s", result.errors.data);
		/* a skipped test does not return */
		process_result_deinit(&result);
		skip_because("%s", reason);
	}
	assert_int_equal(record_samples_said(&result), 4);

	struct perf_data_file file = record_open_result("keep.data");

	assert_non_null(perf_data_feature(&file, 1, &size));
	perf_data_close(&file);
	if (!process_exists("perf"))
		return;
	record_run_shell(&script,
			 "perf script -i keep.data 2>&1 | grep -c 'sched_process_exec: filename='");
	assert_int_equal(strtoul(script.output.data, NULL, 10), 4);
}

#define PAGES "addr >= 0x10000000000, addr < 0x10000190000"

/*
 * The filter must keep a known number of the page faults of these 400 pages on any machine; kept
 * and dropped ones together are all.
 */
static void test_filters(void **state)
{
	static const struct {
		const char *filter;
		int kept; /* -1: depends */
		/* the kernel's BTF, which not all kernels have, tells where the value is in the
		 * sample */
		bool by_btf;
	} cases[] = {
		{ PAGES, 400, false },
		{ "addr >= 0x10000000000, addr < 0x10000064000", 100, false },
		{ PAGES ", tid != 0", 400, false },
		{ PAGES ", pid == 1 || pid == 2", 0, false },
		{ PAGES ", cpu < 100000", 400, false },
		{ PAGES ", cpu == 0", -1, false },
		{ PAGES ", cpu == 0 || cpu != 0, period == 1", 400, false },
		{ PAGES ", period > 1", 0, false },
		{ PAGES ", time > 0, ip > 0", 400, true },
		{ "ip > 0xffffffff80000000", 0, false },
		{ "uid != 0 || uid == 0, gid < 0", 0, false },
	};
	_cleanup_process_ struct process_result built = { 0 }, missing = { 0 };
	_cleanup_free_ char *path = xasprintf("%s/pages.c", record_folder());

	(void)state;
	record_need_permission();
	file_copy("tests/workloads/touched_pages.c", path);
	record_run_shell(&built, "${CC:-gcc} -O1 -o pages pages.c");
	process_check_status(&built, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		const char *dropped;
		size_t kept, gone = 0;

		record_run_shell(&result,
				 "$D record -e page-faults:u -c 1 -d --filter '%s' -- ./pages",
				 cases[i].filter);
		if (result.status && cases[i].by_btf &&
		    strstr(result.errors.data, "can be used here")) {
			print_message("# left out: %s", result.errors.data);
			continue;
		}
		if (result.status && (strstr(result.errors.data, "CAP_BPF") ||
				      strstr(result.errors.data, "not supported") ||
				      strstr(result.errors.data, "refuses")))
			skip_because("%s", result.errors.data);
		if (result.status)
			fail_msg("'%s': %s", cases[i].filter, result.errors.data);
		kept = record_samples_said(&result);
		dropped = strstr(result.errors.data, "the filter dropped ");
		if (dropped)
			gone = strtoul(dropped + strlen("the filter dropped "), NULL, 10);
		if (kept + gone < 400 || (cases[i].kept >= 0 && kept != (size_t)cases[i].kept))
			fail_msg("'%s': %zu were kept, %zu dropped", cases[i].filter, kept, gone);
	}
	record_run_shell(&missing, "$D record -e cpu-clock --filter 'weight > 1' -- ./pages");
	process_check_status(&missing, 1);
	record_check_said(&missing, "add -W");
}

/* A single warning names each event that a timer replaces, and each name once. */
static void test_cycles_without_counters(void **state)
{
	static const struct {
		const char *events, *said;
	} cases[] = {
		{ "{cycles,cycles}:Su", "cpu-clock is recorded for 'cycles:u'\n" },
		{ "cycles:u,cpu-cycles:u",
		  "cpu-clock is recorded for 'cycles:u', 'cpu-cycles:u'\n" },
	};

	(void)state;
	record_need_permission();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		const char *said;

		record_run_shell(&result, "$D record -e '%s' -o keep.data -- true",
				 cases[i].events);
		process_check_status(&result, 0);
		said = strstr(result.errors.data, "this machine does not count cycles");
		if (!said)
			skip_because("this machine counts cycles");
		assert_null(strstr(said + 1, "this machine does not count cycles"));
		if (!strstr(said, cases[i].said))
			fail_msg("%s", said);
	}
}

/* Each of perf's spellings and options that scripts use gives a recording that can be read. */
static void test_words_of_perf(void **state)
{
	static const char *const words[] = {
		"-e cycles:P",
		"-e cpu-cycles:pp",
		"-e cycles,instructions",
		"-e '{cycles,cycles}:Su'",
		"-e cpu/cycles/",
		"-e cpu-clock/period=100000,call-graph=dwarf/",
		"-e cycles/name=x/",
		"-e software/cpu-clock/",
		"-z9",
		"--call-graph fp,user",
		"-k monotonic --namespaces",
	};

	(void)state;
	record_need_permission();
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		_cleanup_process_ struct process_result recorded = { 0 }, read = { 0 };

		record_run_shell(&recorded, "$D record %s -o keep.data -- " BUSY, words[i]);
		if (recorded.status && strstr(recorded.errors.data, "permi"))
			continue; /* --namespaces wants a right that few have */
		if (recorded.status)
			fail_msg("%s: %s", words[i], recorded.errors.data);
		record_run_shell(&read, "$D report --stats -i keep.data");
		if (read.status || !strstr(read.output.data, "SAMPLE events:"))
			fail_msg("%s: %s", words[i], read.errors.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_words_of_perf),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_breakpoints),
		cmocka_unit_test(test_dropped_breakpoints),
		cmocka_unit_test(test_tracepoints),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_cycles_without_counters),
	};

	return cmocka_run_group_tests_name("record/events", tests, record_set_up, record_tear_down);
}
