// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/config.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/commands/globals.h"
#include "profiler/commands/help.h"

#define LINE_LIMIT 4096

static struct arena values; /* options point into it until the program ends */

struct config {
	const struct command_usage *usage;
	char section[64];
};

static char *trim(char *text)
{
	size_t length;

	text += strspn(text, " \t");
	length = strlen(text);
	while (length && isspace((unsigned char)text[length - 1]))
		text[--length] = '\0';
	return text;
}

/* A comment begins with # or ; outside of quotes, which are taken away. */
static struct error *take_value(char *text, const char **value)
{
	char *to = text;
	bool quoted = false;

	for (char *from = text; *from; from++) {
		if (*from == '"')
			quoted = !quoted;
		else if (!quoted && (*from == '#' || *from == ';'))
			break;
		else
			*to++ = *from;
	}
	if (quoted)
		return error_create(ERROR_OTHER, "a quote that does not end");
	*to = '\0';
	*value = arena_strdup(&values, trim(text));
	return NULL;
}

static struct error *take_section(struct config *config, char *line)
{
	char *end = strchr(line, ']');

	if (!end || trim(end + 1)[0])
		return error_create(ERROR_OTHER, "[SECTION] alone is a section's line, not '%s'", line);
	*end = '\0';
	line = trim(line + 1);
	if (strcmp(line, "color") != 0 && !command_is_known(line))
		return error_create(ERROR_OTHER, "there is no command '%s', and no other section but [color]",
				    line);
	snprintf(config->section, sizeof(config->section), "%s", line);
	return NULL;
}

static struct error *take_line(struct config *config, char *line)
{
	char *equals;
	const char *name, *value = NULL;

	line = trim(line);
	if (!*line || *line == '#' || *line == ';')
		return NULL;
	if (*line == '[')
		return take_section(config, line);
	if (!config->section[0])
		return error_create(ERROR_OTHER, "'%s' stands before the first [SECTION]", line);
	equals = strchr(line, '=');
	if (equals) {
		*equals = '\0';
		RETURN_ERROR(take_value(equals + 1, &value));
	}
	name = trim(line);
	if (!strcmp(config->section, "color")) {
		if (strcmp(name, "ui") != 0)
			return error_create(ERROR_OTHER, "[color] has ui alone, not '%s'", name);
		/* what was said before the command holds */
		return global_options.colour == COLOUR_AUTO ? parse_colour_option(NULL, value) : NULL;
	}
	if (strcmp(config->section, config->usage->name) != 0)
		return NULL;
	return options_set(config->usage, name, value);
}

static struct error *read_config(FILE *file, const char *path, const struct command_usage *usage)
{
	struct config config = { .usage = usage };
	char line[LINE_LIMIT];

	for (unsigned int number = 1; fgets(line, sizeof(line), file); number++) {
		size_t length = strlen(line);
		struct error *error = length == sizeof(line) - 1 && line[length - 1] != '\n'
					      ? error_create(ERROR_OTHER, "the line is longer than %d bytes",
							     LINE_LIMIT - 2)
					      : take_line(&config, line);

		if (error)
			return error_prefix(error, "%s:%u", path, number);
	}
	return NULL;
}

struct error *config_apply(const struct command_usage *usage)
{
	const char *chosen = getenv("DTPROF_CONFIG"), *home = getenv("HOME");
	_cleanup_free_ char *path = NULL;
	FILE *file;
	struct error *error;

	if (chosen ? !*chosen : !home || !*home)
		return NULL;
	path = chosen ? xstrdup(chosen) : xasprintf("%s/.dtprofconfig", home);
	file = fopen(path, "r");
	if (!file && !chosen && errno == ENOENT)
		return NULL;
	if (!file)
		return error_errno(errno, "cannot read %s", path);
	error = read_config(file, path, usage);
	fclose(file);
	return error;
}
