// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/ingest/running_kernel.h"

#include <stdio.h>
#include <string.h>

#include "profiler/base/memory.h"

/* Notes of a kernel are few. */
#define NOTES_MAX 16384

static bool notes_have(const char *path, const struct build_id *build_id)
{
	char notes[NOTES_MAX];
	struct build_id found;
	FILE *file = fopen(path, "re");

	if (!file)
		return false;

	size_t size = fread(notes, 1, sizeof(notes), file);

	fclose(file);
	return build_id_from_notes(notes, size, &found) && found.size == build_id->size &&
	       memcmp(found.bytes, build_id->bytes, found.size) == 0;
}

bool running_kernel_is(const struct build_id *build_id)
{
	return build_id->size && notes_have("/sys/kernel/notes", build_id);
}

bool running_kernel_has_module(const char *name, const struct build_id *build_id)
{
	_cleanup_free_ char *path = xasprintf("/sys/module/%s/notes/.note.gnu.build-id", name);

	return build_id->size && !strchr(name, '/') && notes_have(path, build_id);
}
