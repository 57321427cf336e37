// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Data addresses of a recorded program: computed for a timer's samples, and compared with the
 * types; a breakpoint on a struct's field, and its writers. Skipped where the kernel does not let
 * this user record.
 */
#include "tests/support/unit.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/breakpoints.h"
#include "tests/support/process.h"
#include "tests/support/recording.h"

#define SOURCE "tests/workloads/counters.c"

static int set_up(void **state)
{
	return recorded_workload_set_up(state, SOURCE, "-U -I -d", "60000");
}

/* If a row's data symbol is in a variable of the program, its type is that of the variable. Each
 * access has an address, unless samples are charged and it overwrote the registers of its address.
 */
static void assert_types_of_addresses(const char *data, const char *options, bool all)
{
	struct report_rows rows;
	unsigned int slots = 0, nodes = 0;

	recorded_report(data, &rows, options);
	assert_true(rows.count > 10);
	for (size_t i = 0; i < rows.count; i++) {
		const char *symbol = rows.items[i].columns[0], *object = rows.items[i].columns[1],
			   *type = rows.items[i].columns[2];

		if (!strncmp(symbol, "[.] slots+0x", 12)) {
			assert_string_equal(object, "counters");
			assert_string_equal(type, "struct slot");
			slots++;
		}
		if (!strncmp(symbol, "[.] g_stats+0x", 14))
			assert_string_equal(type, "struct stats");
		if (!strcmp(type, "struct node") && (all || strcmp(object, "[unknown]") != 0)) {
			/* the kernel calls it [heap] only once it has grown */
			assert_true(!strcmp(object, "[heap]") || !strcmp(object, "anon"));
			nodes++;
		}
		assert_string_not_equal(type, "(no memory access)");
	}
	assert_true(slots > 0 && (nodes > 0 || !all));
	report_rows_deinit(&rows);
}

static void test_types_of_addresses(void **state)
{
	const char *data = recorded_workload(state)->data;

	assert_types_of_addresses(
		data, "--mem-mode --mem-only --blame=sampled -s symbol_daddr,dso_daddr,type", true);
	assert_types_of_addresses(data, "--mem-mode --mem-only -s symbol_daddr,dso_daddr,type",
				  false);
}

/* Returns whether any access to the array on the stack has an address, which then must be on the
 * stack. */
static bool stack_is_found(const char *data, const char *options)
{
	struct report_rows rows;
	bool found = false;

	recorded_report(data, &rows, options);
	for (size_t i = 0; i < rows.count; i++) {
		if (strcmp(rows.items[i].columns[1], "uint32_t[]") != 0 ||
		    strcmp(rows.items[i].columns[0], "[unknown]") == 0)
			continue;
		assert_string_equal(rows.items[i].columns[0], "[stack]");
		found = true;
	}
	report_rows_deinit(&rows);
	return found;
}

/* Variables on the stack have addresses on the stack. The processor decides whether a timer's
 * samples are at the accesses themselves or after them, so both ways to charge them are tried. */
static void test_stack(void **state)
{
	const char *data = recorded_workload(state)->data;
	bool sampled = stack_is_found(data, "--mem-mode --blame=sampled -s dso_daddr,type");
	bool charged = stack_is_found(data, "--mem-mode -s dso_daddr,type");

	assert_true(sampled || charged);
}

/* --type-stat has addresses of at least this percentage of the accesses, and they agree with the
 * types. */
static void assert_agreement(const char *data, const char *options, uint64_t percent)
{
	_cleanup_process_ struct process_result result = { 0 };
	uint64_t samples, accesses, known, recorded_ones, computed, held, there, elsewhere;
	double share;
	const char *first, *lines;

	shell_must(&result, "%s annotate --stdio --type-stat %s -i %s", dtprof_path(), options,
		   data);
	first = strstr(result.output.data, "samples ");
	lines = strstr(result.output.data, "Data addresses:\n");
	assert_non_null(first);
	assert_non_null(lines);
	assert_int_equal(sscanf(first,
				"samples %" SCNu64
				", with code %*u (%*f%%), memory accesses %" SCNu64,
				&samples, &accesses),
			 2);
	assert_int_equal(sscanf(lines,
				"Data addresses: known %" SCNu64 " (%lf%%), recorded %" SCNu64
				", computed from registers %" SCNu64
				" of static and stack variables %" SCNu64 ", there %" SCNu64
				" (%lf%%), elsewhere %" SCNu64,
				&known, &share, &recorded_ones, &computed, &held, &there, &share,
				&elsewhere),
			 8);
	assert_int_equal(recorded_ones, 0);
	assert_int_equal(known, computed);
	assert_true(known * 100 >= accesses * percent);
	assert_true(held > 0);
	assert_int_equal(there + elsewhere, held);
	/* a sample at the head of a loop may be of its entry, where the registers of the access
	 * that it is charged to are not set yet */
	assert_true(there * 100 >= held * 98);
}

/* Some accesses that were waited for overwrite the registers of their address: p = p->next. */
static void test_agreement(void **state)
{
	const char *data = recorded_workload(state)->data;

	assert_agreement(data, "--blame=sampled", 90);
	assert_agreement(data, "", 40);
}

/* The heading has the number of charged samples, or says what samples mean if none are charged, and
 * the number of samples that --mem-only leaves out. */
static void test_heading(void **state)
{
	_cleanup_process_ struct process_result result = { 0 }, sampled = { 0 };

	shell_must(&sampled, "%s report --stdio --mem-only --blame=sampled -i %s -s typecln",
		   dtprof_path(), recorded_workload(state)->data);
	assert_non_null(
		strstr(sampled.output.data, "# A timer's samples are of time, not of misses"));
	assert_null(strstr(sampled.output.data, "were charged to the access"));
	shell_must(&result, "%s report --stdio --mem-only -i %s -s typecln", dtprof_path(),
		   recorded_workload(state)->data);
	assert_null(strstr(result.output.data, "# A timer's samples are of time, not of misses"));
	assert_non_null(strstr(result.output.data,
			       "% of the samples were charged to the access that the "
			       "sampled instruction waited for"));
	assert_non_null(strstr(result.output.data, ", of which memory accesses: "));
	assert_non_null(strstr(result.output.data, "# Data addresses: 0 recorded, "));
	assert_null(strstr(result.output.data, "(no memory access)"));
}

/* A trace of one type, and tables by program, say where the addresses come from. */
static void test_said_elsewhere(void **state)
{
	_cleanup_process_ struct process_result trace = { 0 }, json = { 0 };

	/* a trace counts the samples taken at its instruction, so none must be moved elsewhere */
	shell_must(&trace, "%s --debug type-profile report --blame=sampled -i %s -s type",
		   dtprof_path(), recorded_workload(state)->data);
	assert_non_null(strstr(trace.errors.data, "\ndata addresses: 0 recorded, "));
	assert_non_null(strstr(trace.errors.data, " computed from registers, "));
	shell_must(&json, "%s report -i %s -s typecln --json", dtprof_path(),
		   recorded_workload(state)->data);
	assert_non_null(strstr(json.output.data,
			       "\"data_addresses\": {\n    \"recorded\": 0,\n    \"computed\": "));
}

/* Report, script, the statistics and c2c count the same data addresses, but for samples that are
 * divided among accesses, whose parts are rounded. */
static void test_one_number(void **state)
{
	static const char *const commands[] = {
		"report --stdio -s symbol_daddr 2>/dev/null | sed -n 's/.* recorded, \\([0-9]*\\) "
		"computed.*/\\1/p'",
		"annotate --stdio --type-stat 2>/dev/null | sed -n 's/.*computed from registers "
		"\\([0-9]*\\)$/\\1/p'",
		"script -F addr --csv 2>/dev/null | grep -c '^[0-9]'",
	};
	const char *data = recorded_workload(state)->data;
	_cleanup_process_ struct process_result types = { 0 }, none = { 0 };
	long numbers[COUNT_OF(commands)];

	for (size_t i = 0; i < COUNT_OF(commands); i++) {
		_cleanup_process_ struct process_result result = { 0 };

		shell_must(&result, "export PERF=%s; dtprof() { %s \"$@\" -i $PERF; }; dtprof %s",
			   data, dtprof_path(), commands[i]);
		numbers[i] = strtol(result.output.data, NULL, 10);
		print_message("%s: %ld\n", commands[i], numbers[i]);
		assert_true(numbers[i] > 100);
		assert_true(labs(numbers[i] - numbers[0]) <= 5);
	}
	/* types alone do not compute them all, so no number of them is shown */
	shell_must(&types, "%s report --stdio -s type -i %s", dtprof_path(), data);
	assert_null(strstr(types.output.data, "Data addresses"));
	/* a sample without access has no address */
	shell_must(&none,
		   "%s script -F addr,type --csv -i %s | grep -c '^[0-9].*no memory' || true",
		   dtprof_path(), data);
	assert_string_equal(none.output.data, "0\n");
}

static unsigned int line_of(const char *mark)
{
	char line[256];
	unsigned int number = 0;
	FILE *file = fopen(SOURCE, "re");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		number++;
		if (strstr(line, mark)) {
			fclose(file);
			return number;
		}
	}
	fail_msg("%s has no line with %s", SOURCE, mark);
	return 0;
}

/* The writers of a field of a running program, by function, source line and type. */
static void test_who_writes(void **state)
{
	struct workload *workload = recorded_workload(state);
	_cleanup_process_ struct process_result result = { 0 };
	_cleanup_free_ char *data = xasprintf("%s/watched.data", workload->folder);
	struct report_rows rows;
	char place[64];

	breakpoints_or_skip();
	/* some hypervisors trap without a hit, which kills the program; it is then started again */
	shell_must(&result,
		   "for try in 1 2 3 4 5; do "
		   "%s >/dev/null & pid=$!; sleep 0.2; "
		   "%s record -q -e mem:g_stats.hits:w -o %s -p $pid -- sleep 0.3; "
		   "status=$?; kill $pid && break; done; exit $status",
		   workload->program, dtprof_path(), data);
	recorded_report(data, &rows, "-s sym,srcline,type,typeoff,symbol_daddr");
	snprintf(place, sizeof(place), "counters.c:%u", line_of("/* hits */"));
	assert_int_equal(rows.count, 1);
	assert_true(strstr(rows.items[0].columns[0], "count_hit") != NULL);
	assert_string_equal(rows.items[0].columns[1], place);
	assert_string_equal(rows.items[0].columns[2], "struct stats");
	assert_string_equal(rows.items[0].columns[3], "struct stats +0 (hits)");
	assert_string_equal(rows.items[0].columns[4], "[.] g_stats+0x0");
	report_rows_deinit(&rows);
}

/* perf's two commands, with the memory events that this machine has. */
static void test_mem(void **state)
{
	struct workload *workload = recorded_workload(state);
	_cleanup_process_ struct process_result result = { 0 }, table = { 0 }, types = { 0 };
	_cleanup_free_ char *data = xasprintf("%s/mem.data", workload->folder);

	shell_must(&result, "%s mem -t load,store record -q -F 2000 -o %s -- %s 5000",
		   dtprof_path(), data, workload->program);
	shell_must(&table, "%s mem report -i %s", dtprof_path(), data);
	assert_non_null(strstr(
		table.output.data,
		"# Sort order   : local_weight,mem,sym,dso,symbol_daddr,dso_daddr,snoop,tlb,locked,"
		"blocked,local_ins_lat,local_p_stage_cyc\n"));
	shell_must(&types, "%s mem report -T -p -i %s", dtprof_path(), data);
	assert_non_null(
		strstr(types.output.data, "# Sort order   : mem,snoop,tlb,type,phys_daddr\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types_of_addresses), cmocka_unit_test(test_stack),
		cmocka_unit_test(test_agreement),          cmocka_unit_test(test_heading),
		cmocka_unit_test(test_said_elsewhere),     cmocka_unit_test(test_one_number),
		cmocka_unit_test(test_who_writes),         cmocka_unit_test(test_mem),
	};

	return cmocka_run_group_tests(tests, set_up, recorded_workload_tear_down);
}
