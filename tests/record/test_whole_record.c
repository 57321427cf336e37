// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof record as people run it: its file, what it says, its status; and perf on the same file, where there
 * is perf. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "profiler/base/memory.h"
#include "tests/support/perf_data_file.h"
#include "tests/support/process.h"

/* Half a second of work for a shell; $1 is its exit status. */
#define BUSY "sh -c 'i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; exit '${STATUS:-0}"

static char *folder;
static bool permitted;

/* Run in the scratch folder, where $D is dtprof. */
static void run(struct process_result *result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *command = xvasprintf(format, arguments);
	va_end(arguments);
	_cleanup_free_ char *absolute = realpath(dtprof_path(), NULL);
	_cleanup_free_ char *whole = xasprintf("D='%s'; cd '%s' && rm -f perf.data* pid && %s",
					       absolute ? absolute : "dtprof", folder, command);

	process_shell(whole, result);
}

static struct perf_data_file open_result(const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);
	struct perf_data_file file;

	assert_true(perf_data_open(path, &file));
	return file;
}

static void check_said(const struct process_result *result, const char *words)
{
	if (!strstr(result->errors.data, words))
		fail_msg("it does not say '%s' but (status %d):\n%s%s", words, result->status,
			 result->errors.data, result->output.data);
}

/* The number in "(N samples) ]". */
static size_t samples_said(const struct process_result *result)
{
	const char *end = strstr(result->errors.data, " samples) ]"), *start = end;

	check_said(result, " samples) ]");
	while (start > result->errors.data && start[-1] != '(')
		start--;
	return strtoul(start, NULL, 10);
}

static void need_permission(void)
{
	if (!permitted) {
		print_message("skipped: performance events are not permitted here\n");
		skip();
	}
}

static void test_workload(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct perf_event_attr attr;
	size_t size, ids;

	(void)state;
	need_permission();
	run(&result, "STATUS=3; $D record -e cpu-clock -- " BUSY);
	assert_int_equal(result.status, 3);
	check_said(&result, "[ dtprof record: Woken up ");
	check_said(&result, " MB perf.data (");

	struct perf_data_file file = open_result("perf.data");
	size_t samples = perf_data_count(&file, PERF_RECORD_SAMPLE);

	assert_int_equal(samples, samples_said(&result));
	/* 4000 a second: at least a few dozen, on the slowest machine */
	assert_true(samples > 40);
	assert_true(perf_data_attr(&file, 0, &attr, &ids));
	assert_int_equal(attr.sample_freq, 4000);
	assert_true(ids >= 1);
	assert_true(perf_data_count(&file, PERF_RECORD_MMAP2) > 2);
	assert_true(perf_data_count(&file, PERF_RECORD_COMM) >= 2);
	assert_true(perf_data_count(&file, PERF_RECORD_EXIT) >= 1);
	assert_true(perf_data_count(&file, 68 /* FINISHED_ROUND */) >= 1);
	for (unsigned int feature = 2; feature <= 12; feature++)
		assert_true(feature == 8 || feature == 9 || perf_data_feature(&file, feature, &size));
	perf_data_close(&file);
}

/* Without -e something is chosen, and said if it is no memory event of the hardware. */
static void test_default_event(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct perf_event_attr attr;
	size_t ids;

	(void)state;
	need_permission();
	run(&result, "$D record -- " BUSY);
	assert_int_equal(result.status, 0);

	struct perf_data_file file = open_result("perf.data");

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), samples_said(&result));
	assert_true(perf_data_attr(&file, 0, &attr, &ids));
	if (attr.type == PERF_TYPE_SOFTWARE) {
		assert_true(attr.sample_type & PERF_SAMPLE_REGS_INTR);
		check_said(&result, "no hardware memory event");
	}
	perf_data_close(&file);
}

static void test_quiet(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	need_permission();
	run(&result, "$D record -q -o out.data -- sh -c 'echo from the workload'");
	assert_int_equal(result.status, 0);
	assert_string_equal(result.output.data, "from the workload\n");
	assert_string_equal(result.errors.data, "");
}

/* Any end leaves a whole file. */
static void check_signal(const char *signal, int status)
{
	_cleanup_process_ struct process_result result = { 0 };

	run(&result,
	    "timeout --foreground -s %s 2 $D record -e cpu-clock -- "
	    "sh -c 'echo $$ > pid; while :; do :; done' \"$PWD\"; status=$?; "
	    /* a process of this number and with this argument: it is still there */
	    "tr '\\0' ' ' < /proc/$(cat pid)/cmdline 2>/dev/null | grep \"$PWD\"; exit $status",
	    signal);
	/* timeout itself says 124; what matters is that the file is whole, and that the workload is gone */
	assert_int_equal(result.status, status);
	assert_string_equal(result.output.data, "");

	struct perf_data_file file = open_result("perf.data");
	size_t size;

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), samples_said(&result));
	assert_true(perf_data_count(&file, PERF_RECORD_SAMPLE) > 40);
	assert_non_null(perf_data_feature(&file, 12, &size));
	perf_data_close(&file);
}

static void test_signals(void **state)
{
	(void)state;
	need_permission();
	check_signal("INT", 124);
	check_signal("TERM", 124);
}

static void test_running_process(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	uint64_t offset = 0;
	const struct perf_event_header *map;
	bool named = false;

	(void)state;
	need_permission();
	/* it ends by itself, and so does the recording */
	run(&result,
	    "{ sh -c 'i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done' & }; $D record -e cpu-clock -p $!");
	assert_int_equal(result.status, 0);

	struct perf_data_file file = open_result("perf.data");

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), samples_said(&result));
	assert_true(perf_data_count(&file, PERF_RECORD_SAMPLE) > 40);
	/* its maps come from /proc: header, pid and tid, start, length, offset, build id, protection, flags,
	 * name */
	while ((map = perf_data_next(&file, PERF_RECORD_MMAP2, &offset)))
		named = named || strstr((const char *)map + 72, "libc");
	assert_true(named);
	perf_data_close(&file);
}

static void test_system_wide(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct perf_event_attr attr;
	size_t ids;

	(void)state;
	need_permission();
	run(&result, "$D record -e cpu-clock -a -- sleep 0.3");
	if (result.status && strstr(result.errors.data, "system-wide"))
		skip();
	assert_int_equal(result.status, 0);

	struct perf_data_file file = open_result("perf.data");

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), samples_said(&result));
	assert_true(perf_data_attr(&file, 0, &attr, &ids));
	assert_true(attr.sample_type & PERF_SAMPLE_CPU);
	assert_int_equal(ids, sysconf(_SC_NPROCESSORS_ONLN));
	perf_data_close(&file);
}

/* kill -9: what was flushed by then can be read. */
static void test_killed(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	need_permission();
	run(&result,
	    "timeout -s KILL 3 $D record -F 20000 -m 16 -- sh -c 'echo $$ > pid; while :; do :; done'; "
	    "kill -KILL $(cat pid)");

	struct perf_data_file file = open_result("perf.data");

	assert_true(perf_data_count(&file, PERF_RECORD_SAMPLE) > 40);
	perf_data_close(&file);
}

static void test_failed_workload(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *path = xasprintf("%s/perf.data", folder);
	struct stat status;

	(void)state;
	need_permission();
	run(&result,
	    "echo old > perf.data && $D record -- ./no-such-command; status=$?; cat perf.data; exit $status");
	assert_int_equal(result.status, 1);
	check_said(&result, "Workload failed: No such file or directory");
	/* the last recording is still there */
	assert_string_equal(result.output.data, "old\n");
	assert_int_equal(stat(path, &status), 0);
}

static void test_old_file(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	need_permission();
	run(&result,
	    "$D record -- true && cp perf.data first && $D record -- true && cmp first perf.data.old");
	assert_int_equal(result.status, 0);
}

/* A limit on the file's size, as a full disk: an error, and the file can be read. */
static void test_full_disk(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	size_t size;

	(void)state;
	need_permission();
	run(&result, "ulimit -f 2048; timeout 60 $D record -F 20000 -- sh -c 'while :; do :; done'");
	assert_int_equal(result.status, 1);
	check_said(&result, "cannot write perf.data: File too large");
	check_said(&result, "readable");

	struct perf_data_file file = open_result("perf.data");

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), samples_said(&result));
	assert_true(perf_data_count(&file, PERF_RECORD_SAMPLE) > 40);
	assert_non_null(perf_data_feature(&file, 12, &size));
	perf_data_close(&file);
}

static void test_open_files(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	need_permission();
	run(&result, "ulimit -n 12; $D record -e cpu-clock,page-faults,task-clock -- true");
	assert_int_equal(result.status, 1);
	check_said(&result, "ulimit -n");
	process_result_release(&result);
	run(&result, "ulimit -S -n 12; $D record -e cpu-clock,page-faults,task-clock -- true");
	assert_int_equal(result.status, 0);
}

static void test_usage(void **state)
{
	static const struct {
		const char *arguments;
		const char *said;
	} cases[] = {
		{ "-e cylces -- true", "'cycles'" },
		{ "--frequency 3 -- true", "--freq" },
		{ "-F many -- true", "-F" },
		{ "-F 100 -c 100 -- true", "exclude each other" },
		{ "-a -p 1 -- true", "exclude each other" },
		{ "-m 0 -- true", "-m" },
		{ "-m 12Q -- true", "-m" },
		{ "-p x", "'x'" },
		{ "-C 4000 true", "CPU 4000 is not online" },
		{ "-C 1,x true", "'1,x'" },
		{ "-C 0 -e cpu-clock --filter cpu=1 true", "--filter" },
		{ "-p 4194305", "4194305" },
		{ "-o /nonexistent/perf.data -- true", "/nonexistent/perf.data" },
	};

	(void)state;
	need_permission();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		run(&result, "$D record %s", cases[i].arguments);
		assert_int_not_equal(result.status, 0);
		check_said(&result, cases[i].said);
	}
}

/* perf reads the file as its own: the same number of samples, of the same program. */
static void test_perf_reads(void **state)
{
	_cleanup_process_ struct process_result recorded = { 0 }, script = { 0 }, report = { 0 },
						header = { 0 };

	(void)state;
	need_permission();
	if (!process_exists("perf")) {
		print_message("skipped: perf is not installed\n");
		skip();
	}
	run(&recorded, "$D record -o keep.data -- " BUSY);
	run(&script, "perf script -i keep.data -F comm,tid,time,event,ip,sym | wc -l");
	assert_int_equal(strtoul(script.output.data, NULL, 10), samples_said(&recorded));
	run(&report, "perf report -i keep.data --stdio -s comm -F overhead,sample,comm 2>&1 | grep -v '^#'");
	if (!strstr(report.output.data, " sh"))
		fail_msg("perf report has no row of the workload:\n%s", report.output.data);
	run(&header, "perf report -i keep.data --header-only");
	assert_int_equal(header.status, 0);
	assert_non_null(strstr(header.output.data, "# cmdline : dtprof record"));
	assert_non_null(strstr(header.output.data, "perf version : dtprof"));
}

/* Options that change what a sample holds: dtprof and perf agree on how many there are. */
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
		{ "-D 50", 0 },
		{ "-P -R -c 250000", PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW },
		{ "-i", 0 },
		{ "--per-thread", 0 },
		{ "-U", 0 },
		{ "-B", 0 },
		{ "-m 2M", 0 },
	};
	bool perf = process_exists("perf");

	(void)state;
	need_permission();
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 }, script = { 0 };
		struct perf_event_attr attr;
		size_t ids;

		run(&result, "$D record %s %s -o keep.data -- " BUSY,
		    strstr(cases[i].options, "-e ") ? "" : "-e cpu-clock", cases[i].options);
		if (result.status && strstr(result.errors.data, "the kernel refuses"))
			continue;
		if (result.status)
			fail_msg("%s: %s", cases[i].options, result.errors.data);

		struct perf_data_file file = open_result("keep.data");

		assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), samples_said(&result));
		assert_true(samples_said(&result) > 20);
		assert_true(perf_data_attr(&file, 0, &attr, &ids));
		if ((attr.sample_type & cases[i].fields) != cases[i].fields)
			fail_msg("%s: sample_type is 0x%lx", cases[i].options,
				 (unsigned long)attr.sample_type);
		perf_data_close(&file);
		if (!perf)
			continue;
		run(&script, "perf script -i keep.data -F comm,event,period 2>&1 | grep -c ' page-faults\\| "
			     "cpu-clock'");
		/* samples that read a group are shown once for each event that counted */
		if (strtoul(script.output.data, NULL, 10) < samples_said(&result))
			fail_msg("%s: perf script has %s of %zu samples", cases[i].options,
				 script.output.data, samples_said(&result));
	}
}

/* A variable's field is watched: as many samples as there are stores, in the function that stores. */
static void test_breakpoints(void **state)
{
	static const char source[] =
		"struct stats { long misses; union { long hits; char c; }; int small[4]; };\n"
		"static volatile struct stats table[3];\n"
		"__attribute__((noinline)) void hit(void) { table[1].hits = 7; }\n"
		"int main(void) { for (int i = 0; i < 500; i++) { hit(); table[1].misses = i; "
		"table[2].small[3] = i; } return 0; }\n";
	static const struct {
		const char *event;
		size_t samples;
	} cases[] = {
		{ "mem:table[1].hits:w", 500 },
		{ "mem:table[2].small[3]:w", 500 },
		{ "mem:hit:x", 500 },
		{ "mem:table[0].hits:rw", 0 },
	};
	static const char *const flags[] = { "-O0", "-O2", "-O2 -no-pie", "-O2 -static" };
	_cleanup_process_ struct process_result misspelt = { 0 };
	_cleanup_free_ char *path = xasprintf("%s/watch.c", folder);
	FILE *file = fopen(path, "w");

	(void)state;
	need_permission();
	assert_non_null(file);
	fputs(source, file);
	fclose(file);
	for (size_t i = 0; i < sizeof(flags) / sizeof(*flags); i++) {
		for (size_t j = 0; j < sizeof(cases) / sizeof(*cases); j++) {
			_cleanup_process_ struct process_result result = { 0 };

			run(&result, "${CC:-gcc} -g %s -o watch watch.c && $D record -e '%s' -- ./watch",
			    flags[i], cases[j].event);
			if (result.status && strstr(result.errors.data, "not supported"))
				skip(); /* no breakpoint registers here */
			if (result.status)
				fail_msg("%s, %s: %s", flags[i], cases[j].event, result.errors.data);
			if (samples_said(&result) != cases[j].samples)
				fail_msg("%s, %s: %zu samples, not %zu", flags[i], cases[j].event,
					 samples_said(&result), cases[j].samples);
		}
	}
	run(&misspelt, "$D record -e mem:table[1].hist:w -- ./watch");
	assert_int_equal(misspelt.status, 1);
	check_said(&misspelt, "'hits'");
}

static void test_tracepoints(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, script = { 0 };
	size_t size;

	(void)state;
	need_permission();
	run(&result, "$D record -e sched:sched_process_exec -o keep.data -- sh -c '/bin/true; /bin/true; "
		     "exec /bin/true'");
	if (result.status) {
		print_message("skipped: %s", result.errors.data);
		skip();
	}
	assert_int_equal(samples_said(&result), 4);

	struct perf_data_file file = open_result("keep.data");

	assert_non_null(perf_data_feature(&file, 1, &size));
	perf_data_close(&file);
	if (!process_exists("perf"))
		return;
	run(&script, "perf script -i keep.data 2>&1 | grep -c 'sched_process_exec: filename='");
	assert_int_equal(strtoul(script.output.data, NULL, 10), 4);
}

/* Packed or through a pipe: perf counts the same samples. */
static void test_packed_and_piped(void **state)
{
	static const char *const events[] = { "-e cpu-clock",
					      "-e cpu-clock,page-faults --intr-regs -m 16 -F 10000",
					      "-e sched:sched_process_exec" };
	_cleanup_process_ struct process_result level = { 0 };

	(void)state;
	need_permission();
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		_cleanup_process_ struct process_result packed = { 0 }, piped = { 0 }, script = { 0 };
		size_t size;

		run(&packed, "$D record %s -z -o keep.data -- " BUSY, events[i]);
		if (packed.status && strstr(packed.errors.data, "sched_process_exec"))
			continue; /* no tracefs here */
		assert_int_equal(packed.status, 0);
		check_said(&packed, "compressed (original ");

		struct perf_data_file file = open_result("keep.data");
		const struct perf_event_header *record;
		uint64_t offset = 0;

		assert_non_null(perf_data_feature(&file, 27, &size));
		assert_int_equal(size, 20);
		assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), 0);
		while ((record = perf_data_next(&file, 81, &offset)))
			assert_int_equal(record->size % 8, 0);
		perf_data_close(&file);
		run(&piped,
		    "$D record %s -o - -- sh -c 'echo from the workload; /bin/true; i=0; "
		    "while [ $i -lt 50000 ]; do i=$((i+1)); done' >keep.pipe",
		    events[i]);
		assert_int_equal(piped.status, 0);
		check_said(&piped, "from the workload");
		if (!process_exists("perf"))
			continue;
		run(&script, "perf script -i keep.data -F comm,tid,time,event 2>/dev/null | wc -l");
		assert_int_equal(strtoul(script.output.data, NULL, 10), samples_said(&packed));
		process_result_release(&script);
		run(&script, "perf script -i - -F comm,tid,time,event <keep.pipe | wc -l");
		assert_int_equal(strtoul(script.output.data, NULL, 10), samples_said(&piped));
		assert_string_equal(script.errors.data, "");
	}
	run(&level, "$D record -e cpu-clock --compression-level=99 -- true");
	assert_int_not_equal(level.status, 0);
	check_said(&level, "from 1 to 22");
}

/* Limits, several files, and a memory of the newest records. */
static void test_several_files(void **state)
{
	_cleanup_process_ struct process_result limited = { 0 }, switched = { 0 }, bad = { 0 };
	size_t total = 0, files = 0;

	(void)state;
	need_permission();
	run(&limited, "timeout 60 $D record -F 20000 -m 8 --max-size 100K -- sh -c 'while :; do :; done'");
	check_said(&limited, "size limit");

	struct perf_data_file file = open_result("perf.data");

	assert_true(file.size >= 100 * 1024 && file.size < 400 * 1024);
	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), samples_said(&limited));
	perf_data_close(&file);

	run(&switched,
	    "mkdir -p many && rm -f many/* && $D record -e cpu-clock -F 10000 -m 2 --switch-output=8K "
	    "-o many/data -- " BUSY " && ls many");
	assert_int_equal(switched.status, 0);
	check_said(&switched, "many/data.<timestamp>");
	for (char *line = strtok(switched.output.data, "\n"); line; line = strtok(NULL, "\n"), files++) {
		_cleanup_free_ char *name = xasprintf("many/%s", line);
		struct perf_data_file part = open_result(name);

		total += perf_data_count(&part, PERF_RECORD_SAMPLE);
		/* each can be read by itself */
		assert_true(perf_data_count(&part, PERF_RECORD_COMM) >= 1);
		perf_data_close(&part);
	}
	assert_true(files > 1);
	assert_int_equal(total, samples_said(&switched));
	run(&bad, "$D record --switch-output=soon -- true");
	assert_int_not_equal(bad.status, 0);
	check_said(&bad, "soon");
}

static void test_overwrite(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, all = { 0 };

	(void)state;
	need_permission();
	run(&all, "$D record -e cpu-clock -F 10000 -- " BUSY);
	run(&result, "$D record -e cpu-clock -F 10000 -m 2 --overwrite -- " BUSY);
	assert_int_equal(result.status, 0);

	struct perf_data_file file = open_result("perf.data");

	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), samples_said(&result));
	assert_true(samples_said(&result) > 20 && samples_said(&result) < samples_said(&all));
	/* what processes do is all there */
	assert_true(perf_data_count(&file, PERF_RECORD_MMAP2) > 2);
	perf_data_close(&file);
}

/* What a filter keeps and what it drops is all that there is; a breakpoint's samples can be counted
 * beforehand. */
static void test_filters(void **state)
{
	static const struct {
		const char *filter;
		int kept; /* of 400; -1: depends */
	} cases[] = {
		{ "tid != 0", 400 },
		{ "pid == 1 || pid == 2", 0 },
		{ "cpu < 100000", 400 },
		{ "cpu == 0", -1 },
		{ "cpu == 0 || cpu != 0, period == 1", 400 },
		{ "period > 1", 0 },
		{ "time > 0, addr != 0", 400 },
		{ "ip > 0xffffffff80000000", 0 },
		{ "uid != 0 || uid == 0, gid < 0", 0 },
	};
	_cleanup_process_ struct process_result built = { 0 }, missing = { 0 };

	(void)state;
	need_permission();
	run(&built, "echo 'volatile long here; int main(void) { for (int i = 0; i < 400; i++) here = i; "
		    "return 0; }' >hit.c && "
		    "${CC:-gcc} -g -O1 -o hit hit.c");
	assert_int_equal(built.status, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		const char *dropped;
		size_t kept, gone = 0;

		run(&result, "$D record -e mem:here:w --filter '%s' -- ./hit", cases[i].filter);
		if (result.status &&
		    (strstr(result.errors.data, "CAP_BPF") || strstr(result.errors.data, "not supported") ||
		     strstr(result.errors.data, "refuses") || strstr(result.errors.data, "BTF"))) {
			print_message("skipped: %s", result.errors.data);
			skip();
		}
		if (result.status)
			fail_msg("'%s': %s", cases[i].filter, result.errors.data);
		kept = samples_said(&result);
		dropped = strstr(result.errors.data, "the filter dropped ");
		if (dropped)
			gone = strtoul(dropped + strlen("the filter dropped "), NULL, 10);
		if (kept + gone != 400 || (cases[i].kept >= 0 && kept != (size_t)cases[i].kept))
			fail_msg("'%s': %zu were kept, %zu dropped", cases[i].filter, kept, gone);
	}
	run(&missing, "$D record -e cpu-clock --filter 'weight > 1' -- ./hit");
	assert_int_equal(missing.status, 1);
	check_said(&missing, "add -W");
}

/* Without rights: user space is recorded, and what is missing is said once. */
static void test_without_rights(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	struct perf_event_attr attr;
	size_t ids;

	(void)state;
	need_permission();
	if (geteuid() || !process_exists("setpriv") || access("/proc/sys/kernel/perf_event_paranoid", R_OK))
		skip();
	run(&result, "mkdir -p open && cp $D open/dtprof && chmod 777 . open && cd open && "
		     "setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all "
		     "./dtprof record -e cpu-clock -o user.data -- " BUSY);
	if (result.status && strstr(result.errors.data, "perf_event_paranoid is"))
		skip(); /* a level that allows nothing */
	assert_int_equal(result.status, 0);

	struct perf_data_file file = open_result("open/user.data");

	assert_true(perf_data_attr(&file, 0, &attr, &ids));
	assert_int_equal(perf_data_count(&file, PERF_RECORD_SAMPLE), samples_said(&result));
	if (attr.exclude_kernel) {
		check_said(&result, "kernel.perf_event_paranoid");
		check_said(&result, "CAP_PERFMON");
	}
	perf_data_close(&file);
}

static int set_up(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	folder = scratch_create();
	run(&result, "$D record -e cpu-clock -- true");
	permitted = result.status == 0;
	if (!permitted)
		print_message("dtprof record does not work here: %s\n", result.errors.data);
	/* a broken recorder must not pass as a missing right */
	return permitted || strstr(result.errors.data, "permission") ||
			       strstr(result.errors.data, "performance events")
		       ? 0
		       : -1;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_remove(folder);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_workload),
		cmocka_unit_test(test_default_event),
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_signals),
		cmocka_unit_test(test_running_process),
		cmocka_unit_test(test_system_wide),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_failed_workload),
		cmocka_unit_test(test_old_file),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_open_files),
		cmocka_unit_test(test_usage),
		cmocka_unit_test(test_perf_reads),
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_breakpoints),
		cmocka_unit_test(test_tracepoints),
		cmocka_unit_test(test_packed_and_piped),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_overwrite),
		cmocka_unit_test(test_filters),
		cmocka_unit_test(test_without_rights),
	};

	return cmocka_run_group_tests_name("record/whole", tests, set_up, tear_down);
}
