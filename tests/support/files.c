// SPDX-License-Identifier: GPL-2.0-or-later
/* See files.h. */
#include "tests/support/files.h"

#include "tests/support/unit.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "tests/support/process.h"

static FILE *open_file(const char *path, const char *mode)
{
	FILE *file = fopen(path, mode);

	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	return file;
}

char *jit_map_path(unsigned int number)
{
	/* above the kernel's limit of process numbers */
	return xasprintf("/tmp/perf-%d.map", (1 << 26) + getpid() * 8 + (int)number);
}

uint8_t *file_read(const char *path, size_t *size)
{
	FILE *file = open_file(path, "rb");

	assert_int_equal(fseek(file, 0, SEEK_END), 0);
	*size = (size_t)ftell(file);
	rewind(file);
	uint8_t *bytes = xmalloc(*size ? *size : 1);

	assert_int_equal(fread(bytes, 1, *size, file), *size);
	fclose(file);
	return bytes;
}

void file_write(const char *path, const void *bytes, size_t size)
{
	FILE *file = open_file(path, "wb");

	assert_int_equal(fwrite(bytes, 1, size, file), size);
	assert_int_equal(fclose(file), 0);
}

void file_copy(const char *from, const char *to)
{
	size_t size;
	uint8_t *bytes = file_read(from, &size);

	file_write(to, bytes, size);
	free(bytes);
}

void assert_golden(const char *path, const char *text)
{
	size_t size;

	if (getenv("UPDATE_GOLDEN")) {
		file_write(path, text, strlen(text));
		return;
	}

	uint8_t *bytes = file_read(path, &size);
	bool same = size == strlen(text) && !memcmp(bytes, text, size);

	free(bytes);
	if (!same)
		fail_msg("not as in %s, but:\n%s", path, text);
}

void each_data_file(const char *folder, void (*visit)(const char *name, void *data), void *data)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, NULL, alphasort);

	if (count < 0)
		skip_because("no %s", folder);
	for (int i = 0; i < count; i++) {
		char *dot = strrchr(entries[i]->d_name, '.');

		if (dot && !strcmp(dot, ".data")) {
			*dot = '\0';
			visit(entries[i]->d_name, data);
		}
		free(entries[i]);
	}
	free(entries);
}

/* ---- the scratch folder ---- */

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
