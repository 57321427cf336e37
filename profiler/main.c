// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof [OPTIONS] COMMAND [ARGUMENTS]: parses the options for all commands, then runs the command.
 */
#include <malloc.h>
#include <sys/mman.h>

#include "base/library.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"

static bool show_version;
static unsigned int verbose;

static const struct option_spec main_options[] = {
	FLAG(0, "version", &show_version, "show the version; with -v also those of the libraries"),
	OPTION(COUNT, 'v', "verbose", &verbose, NULL, "print more messages"),
	{ OPTION_CALL, 0, "debug", NULL, "KEYS",
	  "type-profile: print how the type of each access was found", parse_debug_option },
	{ OPTION_CALL, 0, "buildid-dir", NULL, "DIR",
	  "perf's cache of objects by build id (~/.debug)", parse_build_id_folder },
	FLAG(0, "no-sandbox", &global_options.no_sandbox,
	     "let commands that read files write anywhere"),
	FLAG(0, "no-pager", &global_options.no_pager, "use no pager on a terminal"),
	{ OPTION_CALL_OPTIONAL, 0, "color", NULL, "WHEN", "auto (on a terminal), always or never",
	  parse_colour_option },
	OPTIONS_END,
};

static const struct command_usage main_usage = {
	.name = "",
	.synopsis = "[OPTIONS] COMMAND [ARGUMENTS]",
	.summary = "Tells which types and fields the memory accesses of a program go to.",
	.options = main_options,
};

#define HEAP_LARGE ((size_t)64 << 20) /* the part of the heap that has large pages */
#define SMALL_PAGE ((uintptr_t)4096)

/* Makes malloc() keep freed memory and grow in large steps, and asks for large pages. A report
 * allocates and frees much memory, and each page that goes back to the system and is needed again
 * costs a fault. */
static void keep_memory(void)
{
#ifdef __GLIBC__
	void *volatile first; /* so that the compiler does not leave the allocation out */
	uintptr_t start = (uintptr_t)sbrk(0), end;

	/* all but the first page, which malloc() writes before large ones can be asked for */
	(void)sbrk((intptr_t)(round_up(start + SMALL_PAGE, LARGE_PAGE) - SMALL_PAGE - start));
	mallopt(M_MMAP_THRESHOLD, 4 << 20);
	mallopt(M_TRIM_THRESHOLD, 256 << 20);
	/* the first allocation makes the heap this large; none of it is touched yet */
	mallopt(M_TOP_PAD, (int)HEAP_LARGE);
	first = malloc(1);
	start = round_up((uintptr_t)first, LARGE_PAGE);
	end = (uintptr_t)sbrk(0) / LARGE_PAGE * LARGE_PAGE;
	if (start < end && end - start <= HEAP_LARGE)
		(void)madvise((void *)start, end - start, MADV_HUGEPAGE);
	free(first);
	mallopt(M_TOP_PAD, (int)HEAP_STEP);
#endif
}

int main(int argc, char **argv)
{
	enum options_outcome outcome;
	int rest;

	keep_memory();
	libraries_drop_relocations();
	stdout_watch();
	/* as in perf: "dtprof --help report" */
	if (argc == 3 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) &&
	    command_is_known(argv[2]))
		argv[1] = "help";

	struct error *error =
		options_parse(argc, argv, &main_usage, OPTIONS_FIRST, &outcome, &rest);

	if (error)
		return command_fail_usage(error);
	if (outcome == OPTIONS_HELP || (!rest && !show_version)) {
		options_print_help(&main_usage);
		print_commands();
		return stdout_finish(outcome == OPTIONS_HELP ? EXIT_SUCCESS : EXIT_USAGE);
	}
	if (show_version) {
		print_version(verbose);
		return stdout_finish(EXIT_SUCCESS);
	}

	const struct command *command = command_find(argv[0]);

	if (!command)
		return EXIT_USAGE;
	global_options.command = command->name;
	global_options.command_is_known = command_is_known;
	bus_error_watch();
	return stdout_finish(command->run(rest, argv));
}
