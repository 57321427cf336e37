// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes that a sample belongs to, in a recorded program: the data address of a store, the
 * element of an array at a variable index, the record within a record. Skipped where the kernel
 * does not let this user record.
 */
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/access_recorder.h"
#include "tests/support/process.h"
#include "tests/support/recording.h"

#define SAMPLES_MIN 100 /* of a part of the workload */

static int set_up(void **state)
{
	return recorded_workload_set_up(state, "tests/workloads/places.c", "-U -I", "600");
}

/* A timer's sample of a store has the store's address, as c2c report has it: its registers are
 * those of the sample. */
static void test_addresses_of_stores(void **state)
{
	const struct workload *workload = recorded_workload(state);
	static const char *const functions[] = { "only_store", "store_by_name" };
	_cleanup_process_ struct process_result printed = { 0 }, lines = { 0 };
	unsigned long addresses[2];

	shell_must(&lines, "%s script -i %s -F addr,sym --csv -q", dtprof_path(), workload->data);
	/* the addresses of this run differ from those that it prints another time: only their
	 * distance from the start of a page does not */
	shell_must(&printed, "%s 1", workload->program);
	assert_int_equal(sscanf(printed.output.data, "%lx %lx", &addresses[0], &addresses[1]), 2);
	for (int i = 0; i < 2; i++) {
		_cleanup_free_ char *name = xasprintf(",%s", functions[i]);
		unsigned int count = 0, known = 0;

		for (const char *line = lines.output.data; *line; line = strchr(line, '\n') + 1) {
			char *end;
			unsigned long address = strtoul(line, &end, 10);

			if (strncmp(end, name, strlen(name)) != 0)
				continue;
			count++;
			known += i ? address % 4096 == addresses[1] % 4096
				   : address && address % 64 == 0;
		}
		assert_true(count >= SAMPLES_MIN);
		if (known * 10 < count * 9)
			fail_msg("%s: %u of %u samples have the address", functions[i], known,
				 count);
	}
}

/* Asserts that there are samples of a type, and that all of their objects are so aligned. */
static void objects_are_aligned(const struct workload *workload, const char *type,
				unsigned int alignment)
{
	_cleanup_free_ char *format = xasprintf("%s,%%lu", type);
	_cleanup_process_ struct process_result lines = { 0 };
	unsigned int objects = 0;

	shell_must(&lines, "%s script -i %s -F type,object --csv -q", dtprof_path(),
		   workload->data);
	for (const char *line = lines.output.data; *line; line = strchr(line, '\n') + 1) {
		unsigned long address;

		if (sscanf(line, format, &address) != 1)
			continue;
		objects++;
		assert_int_equal(address % alignment, 0);
	}
	assert_true(objects > SAMPLES_MIN);
}

#define PAGE_LINES 8

/*
 * Slots are read evenly. The registers tell which one a sample read in a page of the heap, and the
 * address alone in the static one: no line has much more than an eighth, and the objects are the
 * pages, at multiples of 64.
 */
static void test_elements_are_told(void **state)
{
	const struct workload *workload = recorded_workload(state);
	_cleanup_process_ struct process_result heat = { 0 };
	struct report_rows rows;
	double all = 0;

	recorded_report(workload->data, &rows, "-s typecln");
	for (size_t i = 0; i < rows.count; i++) {
		if (strncmp(rows.items[i].columns[0], "struct page", 11) != 0)
			continue;
		all += rows.items[i].percent;
	}
	assert_true(all > 5);
	for (size_t i = 0; i < rows.count; i++)
		if (!strncmp(rows.items[i].columns[0], "struct page: cache-line", 23))
			assert_true(rows.items[i].percent < all * 2 / PAGE_LINES);
		else if (!strncmp(rows.items[i].columns[0], "struct page: somewhere", 22))
			assert_true(rows.items[i].percent < all / 10);
	report_rows_deinit(&rows);
	objects_are_aligned(workload, "struct page", 32);
	shell_must(&heat, "%s annotate -i %s --data-type=page --layout --elements --stdio",
		   dtprof_path(), workload->data);
	assert_non_null(strstr(heat.output.data, "  slots "));
	assert_null(strstr(heat.output.data, " of them aligned to cachelines (0"));
}

/* A constant in the index register is counted once, and the sheet is where the base register says:
 * the tenths are in line 6 of sheets at multiples of 64. */
static void test_constants_in_an_index(void **state)
{
	const struct workload *workload = recorded_workload(state);
	struct report_rows rows;
	double all = 0, told = 0;

	recorded_report(workload->data, &rows, "-s typecln");
	for (size_t i = 0; i < rows.count; i++) {
		if (strncmp(rows.items[i].columns[0], "struct sheet:", 13) != 0)
			continue;
		all += rows.items[i].percent;
		if (!strcmp(rows.items[i].columns[0], "struct sheet: cache-line 6"))
			told += rows.items[i].percent;
	}
	report_rows_deinit(&rows);
	assert_true(all > 1);
	assert_true(told > all * 0.8);
	objects_are_aligned(workload, "struct sheet", 64);
}

/* An element of a flexible array is no object: all that were read are in one table, if its place is
 * known at all. */
static void test_one_object_has_all_elements(void **state)
{
	_cleanup_process_ struct process_result layout = { 0 };

	shell_must(&layout, "%s layout -q -i %s --type=table", dtprof_path(),
		   recorded_workload(state)->data);
	if (!strstr(layout.output.data, "  about 1 object in use") &&
	    !strstr(layout.output.data, "  objects in use: not known"))
		fail_msg("more than one object:\n%s", layout.output.data);
}

/* Without registers nothing tells the slot: the heat is somewhere in all lines of the array, and a
 * rule on lines is neither kept nor broken. */
static void test_elements_are_not_told(void **state)
{
	static const char *const functions[] = { "read_slot", NULL };
	const struct workload *workload = recorded_workload(state);
	_cleanup_free_ char *data = xasprintf("%s/no_registers.data", workload->folder),
			    *rules = xasprintf("%s/rules", workload->folder);
	_cleanup_process_ struct process_result table = { 0 }, layout = { 0 }, json = { 0 },
						csv = { 0 }, verdict = { 0 };
	size_t samples;

	assert_null(access_recorder_write(&(struct access_request){ .object = workload->program,
								    .output = data,
								    .functions = functions,
								    .repeat = 100 },
					  &samples));
	shell_must(&table, "%s report -i %s -s typecln --stdio", dtprof_path(), data);
	assert_non_null(strstr(table.output.data, "struct page: somewhere in cache-lines 0-7"));
	shell_must(&layout, "%s annotate -i %s --data-type=page --layout --stdio", dtprof_path(),
		   data);
	assert_non_null(strstr(layout.output.data, "        0-7  somewhere in slots 100.00%"));
	shell_must(&json, "%s report -i %s -s typecln --json", dtprof_path(), data);
	assert_non_null(strstr(json.output.data, "\"cacheline\": null"));
	shell_must(&csv, "%s export -i %s --format=csv -o -", dtprof_path(), data);
	assert_non_null(strstr(csv.output.data, ",struct page,,slots,"));
	shell_must(&verdict, "echo 'heat of page in <= 1 lines' > %s; %s check -i %s %s", rules,
		   dtprof_path(), data, rules);
	assert_non_null(strstr(verdict.output.data, "cannot tell"));
	assert_non_null(strstr(verdict.output.data, "0 kept, 0 broken, 1 unknown"));
}

/* Script and report know what c2c knows of an address: the variable, and the object that has it. */
static void test_variables_of_addresses(void **state)
{
	const struct workload *workload = recorded_workload(state);
	_cleanup_process_ struct process_result lines = { 0 }, rows = { 0 };
	_cleanup_free_ char *line = xasprintf(",counts+0x8,%s\n", workload->program);
	unsigned int all = 0, right = 0;

	shell_must(&lines, "%s script -i %s -F sym,symbol_daddr,dso_daddr --csv -q", dtprof_path(),
		   workload->data);
	for (const char *at = lines.output.data; (at = strstr(at, "store_by_name")); at++) {
		all++;
		at += strcspn(at, ",");
		right += !strncmp(at, line, strlen(line));
	}
	assert_true(all >= SAMPLES_MIN);
	if (right < all * 8 / 10)
		fail_msg("%u of %u lines are '%s'", right, all, line);
	shell_must(&rows, "%s report -i %s -s sym,symbol_daddr --csv -q", dtprof_path(),
		   workload->data);
	assert_non_null(strstr(rows.output.data, "] counts+0x8"));
}

/* A person that is read as a part of an item is a person: its id is hotter than its age, which code
 * reads that knows of no items. The heading says where the persons were. */
static void test_records_within_records(void **state)
{
	const struct workload *workload = recorded_workload(state);
	static const char *const options[] = { "", "--layout" };

	for (size_t i = 0; i < COUNT_OF(options); i++) {
		_cleanup_process_ struct process_result result = { 0 };
		const char *id, *age, *whole;
		double share_of_id, share_of_age, share_of_whole;

		shell_must(&result, "%s annotate -i %s --data-type=person --stdio %s",
			   dtprof_path(), workload->data, options[i]);
		whole = strstr(result.output.data, "\n in struct item (person): ");
		assert_non_null(whole);
		share_of_whole = strtod(strchr(whole, ':') + 1, NULL);
		assert_null(strstr(result.output.data, "Annotate type: 'struct item'"));
		id = strstr(result.output.data, "id");
		age = strstr(result.output.data, "age");
		while (id > result.output.data && id[-1] != '\n')
			id--;
		while (age > result.output.data && age[-1] != '\n')
			age--;
		share_of_id = strtod(id, NULL);
		share_of_age = strtod(age, NULL);
		assert_true(share_of_id > share_of_age && share_of_age > 0);
		assert_true(share_of_id + share_of_age > 99);
		assert_true(share_of_whole > share_of_id - 2 && share_of_whole < share_of_id + 2);
	}
}

/* Layouts and rules count the same persons. No rule on their ids has a sample otherwise. */
static void test_layouts_and_rules_count_them(void **state)
{
	const struct workload *workload = recorded_workload(state);
	_cleanup_process_ struct process_result layout = { 0 }, check = { 0 };

	shell_must(&layout, "%s layout -i %s --type=person", dtprof_path(), workload->data);
	assert_non_null(strstr(layout.output.data, " of them: its objects in other records\n"));
	assert_non_null(strstr(layout.output.data, "sum_of_ids"));
	shell_must(&check,
		   "echo 'heat of person {id} in <= 1 lines' > %s/rules; %s check -i %s %s/rules",
		   workload->folder, dtprof_path(), workload->data, workload->folder);
	assert_non_null(strstr(check.output.data, "1 kept, 0 broken, 0 unknown"));
}

/* The samples that wait in a loop are a part of all that belong to it, although a sample that
 * waited there may have been taken after the loop. */
static void test_waits_are_a_part(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };
	const char *row;
	unsigned int rows = 0;

	shell_must(&result, "%s layout -q --top=20 -i %s", dtprof_path(),
		   recorded_workload(state)->data);
	for (row = strstr(result.output.data, "  all    waits "); row;
	     row = strstr(row + 1, "  all    waits ")) {
		double all, waits;

		for (const char *line = strchr(row, '\n') + 1;
		     sscanf(line, " %lf%% %lf%%", &all, &waits) == 2;
		     line = strchr(line, '\n') + 1) {
			assert_true(waits <= all);
			rows++;
		}
	}
	assert_true(rows > 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_addresses_of_stores),
		cmocka_unit_test(test_variables_of_addresses),
		cmocka_unit_test(test_elements_are_told),
		cmocka_unit_test(test_elements_are_not_told),
		cmocka_unit_test(test_constants_in_an_index),
		cmocka_unit_test(test_one_object_has_all_elements),
		cmocka_unit_test(test_records_within_records),
		cmocka_unit_test(test_layouts_and_rules_count_them),
		cmocka_unit_test(test_waits_are_a_part),
	};

	return cmocka_run_group_tests(tests, set_up, recorded_workload_tear_down);
}
