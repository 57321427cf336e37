// SPDX-License-Identifier: GPL-2.0-or-later
/* Names of code that a process generated, from the map that its just-in-time compiler wrote: which
 * files are such maps, and which of them are read. */
#include "tests/support/unit.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "profiler/objects/dso.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

struct place_of_test {
	char *folder;
	char *path; /* in it */
	char *jit_path;
	struct dso_table table;
};

static int setup(void **state)
{
	struct place_of_test *test = xcalloc(1, sizeof(*test));

	test->folder = scratch_create();
	test->path = xasprintf("%s/file", test->folder);
	test->jit_path = jit_map_path(0);
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct place_of_test *test = *state;

	dso_table_deinit(&test->table);
	scratch_remove(test->folder);
	(void)unlink(test->jit_path);
	free(test->jit_path);
	free(test->path);
	free(test);
	return 0;
}

static struct dso *dso_of(struct place_of_test *test, const char *name)
{
	return dso_table_get(&test->table, &(struct dso_origin){ .name = name });
}

/* The map of a just-in-time compiler has the name that perf looks for. */
static void made_code_has_the_names_of_its_map(void **state)
{
	struct place_of_test *test = *state;
	static const char text[] =
		"2000 100 second one\nnonsense\n1000 10 old\n1000 20 new\n\n3000\n";

	file_write(test->jit_path, text, sizeof(text) - 1);
	struct dso *dso = dso_of(test, test->jit_path);

	assert_memory_equal(dso->short_name, "[JIT] tid ", 10);
	assert_memory_equal(dso->short_name + 10, test->jit_path + strlen("/tmp/perf-"),
			    strlen(dso->short_name + 10));
	assert_int_equal(dso->kind, DSO_ANONYMOUS);
	assert_string_equal(dso_symbol_at(dso, NULL, 0x1018)->name, "new");
	assert_string_equal(dso_symbol_at(dso, NULL, 0x20ff)->name, "second one");
	assert_null(dso_symbol_at(dso, NULL, 0x2100));
	assert_null(dso_symbol_at(dso, NULL, 0xfff));
	assert_null(dso_symbol_at(dso_of(test, "//anon"), NULL, 0x1000));
}

/* "perf-6.1" is a program, and not code that a process generated. */
static void files_of_a_maps_name_are_files(void **state)
{
	static const char *const names[] = { "/usr/bin/perf-6.1",  "/tmp/perf-12",
					     "/tmp/perf-12.mapx",  "/srv/perf-12.map",
					     "/tmp/perf-12.",      "/tmp/perf--12.map",
					     "/tmp/perf- 12.map",  "/tmp/perf-.map",
					     "/tmp/x/perf-12.map", "/tmp/[JIT] tid 12" };
	struct place_of_test *test = *state;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct dso *dso = dso_of(test, names[i]);

		assert_int_equal(dso->kind, DSO_USER);
		assert_string_equal(dso->short_name, strrchr(names[i], '/') + 1);
	}
	assert_int_equal(dso_of(test, "/tmp/perf-12.map")->kind, DSO_ANONYMOUS);
}

/* Any user may write to /tmp. */
static void a_map_of_somebody_else_needs_force(void **state)
{
	struct place_of_test *test = *state;
	const struct dso_options force = { .force = true };
	struct dso_table again = { 0 };

	file_write(test->jit_path, "1000 20 work\n", 13);
	if (chown(test->jit_path, 12345, 12345) < 0)
		skip_because("chown needs root");
	struct dso *dso = dso_of(test, test->jit_path);
	struct dso *forced = dso_table_get(&again, &(struct dso_origin){ .name = test->jit_path });

	assert_null(dso_symbol_at(dso, NULL, 0x1004));
	assert_non_null(strstr(dso_symbol_problem(dso), "use -f to override"));
	assert_string_equal(dso_symbol_at(forced, &force, 0x1004)->name, "work");
	assert_null(dso_symbol_problem(forced));
	dso_table_deinit(&again);
}

/* Numbers of processes are used again: the map of one that began after the recording is not that of
 * the recorded one. Of one that has ended it may be. */
static void a_map_of_a_later_process_needs_force(void **state)
{
	struct place_of_test *test = *state;
	const struct dso_options force = { .force = true };
	struct statx status;

	file_write(test->jit_path, "1000 20 work\n", 13);
	if (statx(AT_FDCWD, test->jit_path, 0, STATX_BTIME, &status) ||
	    !(status.stx_mask & STATX_BTIME))
		skip_because("the file system of /tmp does not know when a file was made");
	for (int i = 0; i < 4; i++) {
		bool runs = i & 1, forced = i & 2;
		struct dso *dso;

		dso_table_deinit(&test->table);
		test->table.recorded_until = 1; /* 1970 */
		dso = dso_of(test, test->jit_path);
		dso->pid = runs ? getpid() : INT32_MAX;
		assert_true(!dso_symbol_at(dso, forced ? &force : NULL, 0x1004) ==
			    (runs && !forced));
		assert_true(dso->unsure == (!runs && !forced));
		if (runs && !forced)
			assert_non_null(
				strstr(dso_symbol_problem(dso), "began after the recording"));
	}
}

/* A file that is not text is not read to its end, which would take minutes; a message says so. */
static void a_map_with_a_hole_is_read_up_to_it(void **state)
{
	struct place_of_test *test = *state;

	file_write(test->jit_path, "1000 20 work\n2000 10 half", 25);
	assert_int_equal(truncate(test->jit_path, 0xffffffff), 0);
	struct dso *dso = dso_of(test, test->jit_path);

	assert_string_equal(dso_symbol_at(dso, NULL, 0x1004)->name, "work");
	assert_null(dso_symbol_at(dso, NULL, 0x2004));
	assert_non_null(
		strstr(dso_symbol_problem(dso), "is not text at line 2: the rest is not read"));
}

/* A missing map gives no message; a file that is not a map gives one. */
static void a_map_that_is_none_is_said(void **state)
{
	struct place_of_test *test = *state;
	struct dso *dso = dso_of(test, test->jit_path);
	struct dso_table again = { 0 };

	assert_null(dso_symbol_at(dso, NULL, 0x1004));
	assert_null(dso_symbol_problem(dso));
	file_write(test->path, "1000 20 work\n", 13);
	assert_int_equal(symlink(test->path, test->jit_path), 0);
	dso = dso_table_get(&again, &(struct dso_origin){ .name = test->jit_path });
	assert_null(dso_symbol_at(dso, NULL, 0x1004));
	assert_non_null(strstr(dso_symbol_problem(dso), "is not an ordinary file"));
	dso_table_deinit(&again);
}

/* Starts the first process of a new namespace, whose own number there is 1, with `root` as its
 * root. Returns 0 if this user may not. */
static pid_t start_inside(const char *root)
{
	pid_t pid = 0, child;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		bool may = unshare(CLONE_NEWPID) == 0;

		child = may ? fork() : 0;
		if (child > 0 || !may)
			_exit(write(ends[1], &child, sizeof(child)) != sizeof(child));
		if (chroot(root) == 0 && chdir("/") == 0)
			sleep(60);
		_exit(0);
	}
	assert_int_equal(read(ends[0], &pid, sizeof(pid)), sizeof(pid));
	close(ends[0]);
	close(ends[1]);
	assert_int_equal(waitpid(child, NULL, 0), child);
	return pid;
}

static bool is_root_of(pid_t pid, const char *folder)
{
	_cleanup_free_ char *path = xasprintf("/proc/%d/root", pid);
	struct stat root, wanted;

	return stat(path, &root) == 0 && stat(folder, &wanted) == 0 && root.st_ino == wanted.st_ino;
}

/*
 * Checks the symbol of address 0x1004 and the message, with a new table of DSOs for that process.
 */
static void assert_inside(const struct place_of_test *test, pid_t pid, bool recorded,
			  const char *name, const char *problem)
{
	struct dso_table table = { 0 };
	struct dso *dso = dso_table_get(&table, &(struct dso_origin){ .name = test->jit_path });
	const struct symbol *symbol;
	struct stat namespace;

	assert_int_equal(stat("/proc/self/ns/mnt", &namespace), 0);
	dso->pid = pid;
	dso->mount_namespace = recorded ? namespace.st_ino : 0;
	symbol = dso_symbol_at(dso, NULL, 0x1004);
	if (name)
		assert_non_null(symbol);
	if (symbol)
		assert_string_equal(symbol->name, name);
	if (problem)
		assert_non_null(strstr(dso_symbol_problem(dso), problem));
	else
		assert_null(dso_symbol_problem(dso));
	dso_table_deinit(&table);
}

/* The map has the number that the process has there. */
static void maps_are_found_where_their_process_lives(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *folder = xasprintf("%s/tmp", test->folder),
			    *map = xasprintf("%s/perf-1.map", folder);
	_cleanup_free_ char *elsewhere = xasprintf("%s/elsewhere", test->folder);
	pid_t pid = start_inside(test->folder);

	if (!pid)
		skip_because("namespaces and chroot need root");
	for (int tries = 0; tries < 500 && !is_root_of(pid, test->folder); tries++)
		usleep(10000);
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_inside(test, pid, true, NULL, NULL);
	file_write(map, "1000 20 inside\n", 15);
	file_write(test->path, "1000 20 secret\n", 15);
	assert_inside(test, pid, true, "inside", NULL);
	file_write(test->jit_path, "1000 20 outside\n", 16);
	assert_inside(test, pid, true, "inside", NULL);
	/* nothing shows that the number is still that process's */
	assert_inside(test, pid, false, "outside", NULL);
	assert_int_equal(unlink(map), 0);
	assert_inside(test, pid, true, "outside", NULL);
	assert_int_equal(unlink(test->jit_path), 0);
	/* a link would be followed outside of the container */
	assert_int_equal(symlink(test->path, map), 0);
	assert_inside(test, pid, true, NULL, "is not an ordinary file");
	assert_int_equal(unlink(map), 0);
	file_write(map, "1000 20 inside\n", 15);
	assert_int_equal(chown(map, 12345, 12345), 0);
	assert_inside(test, pid, true, NULL, "use -f to override");
	assert_int_equal(chown(map, 0, 0), 0);
	assert_int_equal(rename(folder, elsewhere), 0);
	assert_int_equal(symlink(elsewhere, folder), 0);
	assert_inside(test, pid, true, NULL, NULL);
	kill(pid, SIGKILL);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(made_code_has_the_names_of_its_map),
		TEST(files_of_a_maps_name_are_files),
		TEST(a_map_of_somebody_else_needs_force),
		TEST(a_map_of_a_later_process_needs_force),
		TEST(a_map_with_a_hole_is_read_up_to_it),
		TEST(a_map_that_is_none_is_said),
		TEST(maps_are_found_where_their_process_lives),
	};

	return cmocka_run_group_tests_name("jit maps", tests, NULL, NULL);
}
