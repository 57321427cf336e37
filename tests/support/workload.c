// SPDX-License-Identifier: GPL-2.0-or-later
/* See workload.h. */
#include "tests/support/workload.h"

#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/access_recorder.h"
#include "tests/support/kept.h"

struct workload *workload_build(const char *compiler, const char *source)
{
	const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
	_cleanup_process_ struct process_result result = { 0 };
	struct workload *workload = xcalloc(1, sizeof(*workload));

	workload->folder = scratch_create();
	workload->program = xasprintf("%s/%.*s", workload->folder, (int)strcspn(name, "."), name);
	workload->data = xasprintf("%s/perf.data", workload->folder);
	_cleanup_free_ char *command =
		xasprintf("%s -o %s %s", compiler, workload->program, source);
	_cleanup_free_ char *name_of_compiler = xstrndup(compiler, strcspn(compiler, " "));

	if (!compiler_works(name_of_compiler) && kept_program(source, compiler, workload->program))
		return workload;
	process_shell(command, &result);
	if (!result.status)
		return workload;
	print_error("%s: %s\n", command, result.errors.data);
	workload_destroy(workload);
	return NULL;
}

bool workload_access(const struct workload *workload, const char *const *functions)
{
	size_t samples;
	struct error *error =
		access_recorder_write(&(struct access_request){ .object = workload->program,
								.output = workload->data,
								.functions = functions },
				      &samples);

	if (error)
		print_error("%s\n", error->message);
	error_destroy(error);
	return !error;
}

struct workload *workload_build_accessed(const char *compiler, const char *source,
					 const char *const *functions)
{
	struct workload *workload = workload_build(compiler, source);

	if (workload && !workload_access(workload, functions)) {
		workload_destroy(workload);
		workload = NULL;
	}
	return workload;
}

void shell_must(struct process_result *result, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	_cleanup_free_ char *command = xvasprintf(format, arguments);

	va_end(arguments);
	process_shell(command, result);
	if (result->status)
		fail_msg("%s: status %d: %s", command, result->status, result->errors.data);
}

void workload_destroy(struct workload *workload)
{
	if (!workload)
		return;
	scratch_remove(workload->folder);
	free(workload->program);
	free(workload->data);
	free(workload);
}
