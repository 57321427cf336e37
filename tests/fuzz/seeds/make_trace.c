// SPDX-License-Identifier: GPL-2.0-or-later
/* Seeds for fuzz_trace_print: descriptions of tracepoints, each with a record. Run by build_trace.sh. */
#include <stdio.h>
#include "profiler/base/memory.h"
#include "tests/ingest/trace_cases.h"
int main(int c, char **v)
{
	for (size_t i = 0; i < TRACE_CASES; i++) {
		char *p = xasprintf("%s/%s", v[1], trace_cases[i].name);
		FILE *f = fopen(p, "w");
		fprintf(f, "name: made\nID: 12\nformat:\n%s%s\nprint fmt: %s\n", TRACE_COMMON,
			trace_cases[i].fields, trace_cases[i].print);
		fputc(0, f);
		fwrite("\14\0\0\0\12\0\0\0", 1, 8, f);
		fwrite(trace_cases[i].data, 1, trace_cases[i].size, f);
		fclose(f);
	}
	return 0;
}
