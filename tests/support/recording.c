// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof record in a scratch folder: see recording.h. */
#include "tests/support/unit.h"

#include "tests/support/recording.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory.h"

static char *folder;
static int refusal; /* errno of perf_event_open(2); 0: this user may record */

void record_run_shell(struct process_result *result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *command = xvasprintf(format, arguments);
	va_end(arguments);
	_cleanup_free_ char *absolute = realpath(dtprof_path(), NULL);
	_cleanup_free_ char *whole = xasprintf("D='%s'; cd '%s' && rm -f perf.data* pid && { %s\n}",
					       absolute ? absolute : "dtprof", folder, command);

	process_shell(whole, result);
}

struct perf_data_file record_open_result(const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);
	struct perf_data_file file;

	assert_true(perf_data_open(path, &file));
	return file;
}

void record_check_said(const struct process_result *result, const char *words)
{
	if (!strstr(result->errors.data, words))
		fail_msg("it does not say '%s' but (status %d):\n%s%s", words, result->status,
			 result->errors.data, result->output.data);
}

size_t record_samples_said(const struct process_result *result)
{
	const char *end = strstr(result->errors.data, " samples) ]"), *start = end;

	record_check_said(result, " samples) ]");
	while (start > result->errors.data && start[-1] != '(')
		start--;
	return strtoul(start, NULL, 10);
}

void record_need_permission(void)
{
	if (refusal)
		skip_because("no performance events here (perf_event_open: %s)", strerror(refusal));
}

/* Returns why this process may not count its own time, as an errno; 0: it may. */
static int find_refusal(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	long event = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);

	if (event < 0)
		return errno;
	close((int)event);
	return 0;
}

int record_set_up(void **state)
{
	_cleanup_process_ struct process_result result = { 0 };

	(void)state;
	folder = scratch_create();
	/* a broken recorder must not look like a missing permission */
	refusal = find_refusal();
	if (refusal)
		return 0;
	record_run_shell(&result, "$D record -e cpu-clock -- true");
	if (result.status)
		print_message("dtprof record does not work: %s\n", result.errors.data);
	return result.status ? -1 : 0;
}

int record_tear_down(void **state)
{
	(void)state;
	scratch_remove(folder);
	return 0;
}

bool record_permitted(void)
{
	return !refusal;
}

const char *record_folder(void)
{
	return folder;
}

/* ---- a workload that is recorded once for a group of tests ---- */

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

struct workload *recorded_workload(void **state)
{
	record_need_permission();
	return *state;
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
