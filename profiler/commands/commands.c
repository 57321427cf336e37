// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/commands.h"

#include <ctype.h>
#include <link.h>

#include "base/memory.h"
#include "base/text.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"

#ifndef DTPROF_VERSION
#error "the build gives DTPROF_VERSION"
#endif

/* clang-format off */
static const struct command commands[] = {
#define ENTRY(name, summary) { #name, command_##name, summary },
	COMMANDS(ENTRY)
	{ NULL, NULL, NULL },
};
/* clang-format on */

bool command_is_known(const char *name)
{
	for (const struct command *command = commands; command->name; command++)
		if (!strcmp(command->name, name))
			return true;
	return false;
}

const struct command *command_find(const char *name)
{
	struct nearest nearest = { .word = name };

	for (const struct command *command = commands; command->name; command++) {
		if (!strcmp(command->name, name))
			return command;
		nearest_consider(&nearest, command->name);
	}
	if (nearest.best)
		command_fail(error_other("'%s' is not a dtprof command; did you mean '%s'?", name,
					 nearest.best));
	else
		command_fail(error_other("'%s' is not a dtprof command (dtprof --help lists them)",
					 name));
	return NULL;
}

#define COMMAND_COLUMN 17

void print_commands(void)
{
	printf("\nCommands:\n");
	for (const struct command *command = commands; command->name; command++)
		print_term(command->name, COMMAND_COLUMN, command->summary);
	printf("\n'dtprof help COMMAND' shows the options of one.\n");
}

/* Prints a loaded library that dtprof uses, with its file's version. For dl_iterate_phdr(). */
static int print_library(struct dl_phdr_info *info, size_t size _unused_, void *data _unused_)
{
	static const char *const libraries[] = { "libdw",         "libelf",    "libcapstone",
						 "libtraceevent", "libbpf",    "libzstd",
						 "libz",          "liblzma",   "libprotobuf-c",
						 "libncursesw",   "libsqlite3" };
	char path[PATH_MAX];

	if (!info->dlpi_name || !realpath(info->dlpi_name, path))
		return 0;

	const char *base = strrchr(path, '/') + 1;

	for (size_t i = 0; i < COUNT_OF(libraries); i++) {
		size_t length = strlen(libraries[i]);

		if (!strncmp(base, libraries[i], length) && !isalpha((unsigned char)base[length]))
			printf("    %-14s %s\n", libraries[i], path);
	}
	return 0;
}

void print_version(int verbose)
{
	printf("dtprof version %s\n", DTPROF_VERSION);
	if (!verbose)
		return;
	dl_iterate_phdr(print_library, NULL);
	/* Every build has every feature; features look for what they need when they are used. */
	printf("    sample filters  BPF, assembled when a recording starts (needs CAP_BPF, and BTF "
	       "of the kernel)\n");
	printf("    debuginfod      libdebuginfod.so.1, loaded when DEBUGINFOD_URLS is set\n");
}

int command_help(int argc, char **argv)
{
	char *arguments[] = { NULL, "--help", NULL };

	if (argc < 2 || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")) {
		print_commands();
		return EXIT_SUCCESS;
	}

	const struct command *command = command_find(argv[1]);

	if (!command)
		return EXIT_USAGE;
	global_options.command = command->name;
	arguments[0] = argv[1];
	return command->run == command_help ? (print_commands(), EXIT_SUCCESS)
					    : command->run(2, arguments);
}
