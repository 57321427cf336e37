// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Runs a fuzz target without a fuzzer: its entry point over files and folders of files, one test
 * case for each file, in the form that tests/run.sh reads. The name is printed before the file is
 * run, so that a crash tells which one it was.
 */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The time limit of one input; it is generous, for sanitizers on a busy machine. */
#define SECONDS_AN_INPUT 30

struct inputs {
	char **paths;
	size_t count;
	size_t capacity;
};

static int compare_paths(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static void inputs_add(struct inputs *inputs, const char *path)
{
	array_reserve(inputs->paths, inputs->count, inputs->capacity);
	inputs->paths[inputs->count++] = xstrdup(path);
}

static void inputs_add_folder(struct inputs *inputs, const char *folder)
{
	DIR *directory = opendir(folder);
	struct dirent *entry;

	if (!directory) {
		perror(folder);
		exit(1);
	}
	while ((entry = readdir(directory))) {
		char path[4096];
		struct stat status;

		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (stat(path, &status) == 0 && S_ISREG(status.st_mode))
			inputs_add(inputs, path);
	}
	closedir(directory);
}

static void run_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	struct stat status;

	if (!file || fstat(fileno(file), &status) < 0) {
		perror(path);
		exit(1);
	}
	/* exactly as large as the input, so that a sanitizer sees a read past its end */
	uint8_t *data = xmalloc(status.st_size ? (size_t)status.st_size : 1);
	size_t size = fread(data, 1, (size_t)status.st_size, file);

	fclose(file);
	alarm(SECONDS_AN_INPUT);
	LLVMFuzzerTestOneInput(data, size);
	alarm(0);
	free(data);
}

int main(int argc, char **argv)
{
	struct inputs inputs = { 0 };

	for (int i = 1; i < argc; i++) {
		struct stat status;

		if (stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode))
			inputs_add_folder(&inputs, argv[i]);
		else
			inputs_add(&inputs, argv[i]);
	}
	if (inputs.count)
		qsort(inputs.paths, inputs.count, sizeof(*inputs.paths), compare_paths);

	setvbuf(stdout, NULL, _IONBF, 0);
	printf("1..%zu\n", inputs.count + 1);
	LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
	printf("ok 1 - no bytes\n");
	for (size_t i = 0; i < inputs.count; i++) {
		printf("# %s\n", inputs.paths[i]);
		run_file(inputs.paths[i]);
		printf("ok %zu - %s\n", i + 2, inputs.paths[i]);
		free(inputs.paths[i]);
	}
	free(inputs.paths);
	return 0;
}
