// SPDX-License-Identifier: GPL-2.0-or-later
/* Seeds for fuzz_trace_print: descriptions of tracepoints, each with a record. Run by
 * build_trace.sh. */
#include <stdio.h>

#include "base/memory.h"
#include "tests/ingest/trace_cases.h"

int main(int argc, char **argv)
{
	for (size_t i = 0; argc == 2 && i < TRACE_CASES; i++) {
		const struct trace_case *made = &trace_cases[i];
		_cleanup_free_ char *path = xasprintf("%s/%s", argv[1], made->name);
		FILE *file = fopen(path, "w");

		if (!file)
			return 1;
		fprintf(file, "name: made\nID: 12\nformat:\n%s%s\nprint fmt: %s\n", TRACE_COMMON,
			made->fields, made->print);
		fputc(0, file);
		fwrite("\14\0\0\0\12\0\0\0", 1, 8, file);
		fwrite(made->data, 1, made->size, file);
		fclose(file);
	}
	return 0;
}
