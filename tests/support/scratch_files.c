// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/scratch_files.h"

#include <stdio.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "tests/support/process.h"

static char *folder;
static struct arena paths;

const char *scratch_folder(void)
{
	if (!folder)
		folder = scratch_create();
	return folder;
}

const char *scratch_file(const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", scratch_folder(), name);

	return arena_strdup(&paths, path);
}

int scratch_tear_down(void **state)
{
	(void)state;
	if (folder)
		scratch_remove(folder);
	folder = NULL;
	arena_deinit(&paths);
	return 0;
}
