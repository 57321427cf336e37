// SPDX-License-Identifier: GPL-2.0-or-later
/* See kept.h. */
#include "tests/support/kept.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "tests/support/process.h"

/* Returns the name of the program that the list has for this source and command, or NULL. */
static char *find(const char *source, const char *command)
{
	char line[512], name[64], from[128], by[256];
	FILE *list = fopen("tests/kept/programs.txt", "r");
	char *found = NULL;

	while (list && !found && fgets(line, sizeof(line), list))
		if (sscanf(line, "%63s | %127s | %255[^|]", name, from, by) == 3) {
			by[strcspn(by, "|") - 1] = '\0'; /* the space before the next bar */
			if (strcmp(from, source) == 0 && strcmp(by, command) == 0)
				found = xstrdup(name);
		}
	if (list)
		fclose(list);
	return found;
}

bool kept_program(const char *source, const char *command, const char *path)
{
	_cleanup_free_ char *name = find(source, command);
	_cleanup_process_ struct process_result result = { 0 };

	if (!name)
		return false;
	_cleanup_free_ char *unpack =
		xasprintf("gzip -dc tests/kept/%s.gz >'%s' && chmod +x '%s'", name, path, path);

	process_shell(unpack, &result);
	return result.status == 0;
}
