// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/globals.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/printable.h"
#include "profiler/commands/config.h"

struct global_options global_options = { .command = "" };

struct error *parse_colour_option(void *value, const char *argument)
{
	(void)value;
	if (!argument || !strcmp(argument, "always"))
		global_options.colour = COLOUR_ALWAYS;
	else if (!strcmp(argument, "auto"))
		global_options.colour = COLOUR_AUTO;
	else if (!strcmp(argument, "never"))
		global_options.colour = COLOUR_NEVER;
	else
		return error_create(ERROR_OTHER, "'%s' is not auto, always or never", argument);
	return NULL;
}

struct error *parse_debug_option(void *value, const char *argument)
{
	(void)value;
	while (*argument) {
		size_t length = strcspn(argument, ",");

		if (length == strlen("type-profile") && !strncmp(argument, "type-profile", length))
			global_options.debug_type_profile = true;
		else
			return error_create(ERROR_OTHER, "'%.*s' is not known; there is type-profile",
					    (int)length, argument);
		argument += length + (argument[length] == ',');
	}
	return NULL;
}

static void print_prefix(void)
{
	/* what was printed so far comes first, also where both go to one place */
	fflush(stdout);
	fprintf(stderr, "dtprof%s%s: ", global_options.command[0] ? " " : "", global_options.command);
}

int fail(struct error *error)
{
	print_prefix();
	make_printable(error->message, strlen(error->message));
	fprintf(stderr, "%s\n", error->message);
	error_free(error);
	return EXIT_FAILURE;
}

int fail_usage(struct error *error)
{
	fail(error);
	return EXIT_USAGE;
}

void warning(const char *format, ...)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	va_list arguments;

	va_start(arguments, format);
	strbuf_add_vformat(&text, format, arguments);
	va_end(arguments);
	strbuf_end_line(&text, 0);
	print_prefix();
	fprintf(stderr, "warning: %s", text.data);
}

bool command_begin(int argc, char **argv, const struct command_usage *usage, enum options_style style,
		   int *rest, int *status)
{
	enum options_outcome outcome;
	struct error *error = config_apply(usage);

	if (!error)
		error = options_parse(argc, argv, usage, style, &outcome, rest);
	if (error) {
		*status = fail_usage(error);
		return false;
	}
	if (outcome == OPTIONS_HELP) {
		options_print_help(usage);
		*status = EXIT_SUCCESS;
		return false;
	}
	return true;
}
