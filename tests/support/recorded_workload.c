// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/recorded_workload.h"

#include <stdio.h>

#include "profiler/base/memory.h"
#include "tests/support/recording.h"
#include "tests/support/unit.h"

int recorded_workload_set_up(void **state, const char *source, const char *record_options,
			     const char *arguments)
{
	_cleanup_free_ char *compiler = xasprintf("%s -O2 -g", process_compiler());
	_cleanup_process_ struct process_result result = { 0 };
	struct workload *workload;

	*state = NULL;
	if (record_set_up(NULL))
		return -1;
	if (!record_permitted())
		return 0;
	*state = workload = workload_build(compiler, source);
	if (!workload)
		return -1;
	shell_must(&result, "%s record -F 5000 -e cpu-clock %s -o %s -- %s %s", dtprof_path(),
		   record_options, workload->data, workload->program, arguments);
	assert_true(record_samples_said(&result) > 0);
	return 0;
}

int recorded_workload_tear_down(void **state)
{
	workload_destroy(*state);
	return record_tear_down(NULL);
}

void recorded_report(const char *data, struct report_rows *rows, const char *options)
{
	_cleanup_process_ struct process_result result = { 0 };

	shell_must(&result, "%s report --stdio -i %s -t '|' %s", dtprof_path(), data, options);
	report_rows_parse(rows, result.output.data);
}
