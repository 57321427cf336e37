// SPDX-License-Identifier: GPL-2.0-or-later
/* Files are believed by owner and mode; results get their names only when they are complete. */
#include "tests/support/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <signal.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/files.h"
#include "base/memory.h"
#include "tests/support/files.h"

static unsigned int interruptions; /* counts calls while it is not 0 */

/* In place of the library's: one byte at a time, and interrupted each second time, if a test asks
 * for it. Network and user-space file systems may do so at any time. */
ssize_t pread(int fd, void *buffer, size_t size, off_t offset)
{
	if (interruptions && interruptions++ % 2) {
		errno = EINTR;
		return -1;
	}
	return syscall(SYS_pread64, fd, buffer, interruptions && size ? 1 : size, offset);
}

/* Bytes at an offset are all there are, however many the system gives at a time. */
static void test_reads_all_at_an_offset(void **state)
{
	char bytes[8] = "";
	int fd = memfd_create("digits", MFD_CLOEXEC);

	(void)state;
	assert_true(fd >= 0 && !file_write_all(fd, "0123456789", 10, -1));
	interruptions = 1;
	assert_int_equal(file_read_at(fd, bytes, 4, 3), 4);
	assert_string_equal(bytes, "3456");
	assert_true(file_has_at(fd, bytes, 7, 3));
	assert_string_equal(bytes, "3456789");
	assert_false(file_has_at(fd, bytes, 8, 3));
	assert_int_equal(file_read_at(fd, bytes, 8, 3), 7);
	assert_int_equal(file_read_at(fd, bytes, 8, 10), 0);
	assert_int_equal(file_read_at(fd, bytes, 8, UINT64_MAX - 4), 0);
	interruptions = 0;
	close(fd);
}

static void test_belief(void **state)
{
	const uid_t self = geteuid(), other = self + 1000;
	const struct {
		struct stat status;
		bool believed;
	} cases[] = {
		{ { .st_uid = self, .st_gid = self, .st_mode = 0600 }, true },
		{ { .st_uid = self, .st_gid = self, .st_mode = 0664 }, true },
		{ { .st_uid = 0, .st_gid = 0, .st_mode = 0644 }, true },
		{ { .st_uid = other, .st_gid = other, .st_mode = 0644 }, false },
		{ { .st_uid = self, .st_gid = self, .st_mode = 0666 }, false },
		{ { .st_uid = self, .st_gid = self + 1, .st_mode = 0664 }, false },
		{ { .st_uid = self, .st_gid = self + 1, .st_mode = 0644 }, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		if (!file_distrust(&cases[i].status) != cases[i].believed)
			fail_msg("case %zu: %s", i, file_distrust(&cases[i].status));
}

static void test_opens_what_is_believed(void **state)
{
	const char *path = scratch_file("believed");
	int fd;

	(void)state;
	file_write(path, "x", 1);
	assert_int_equal(chmod(path, 0644), 0);
	assert_null(believed_file_open(path, &fd));
	close(fd);
	assert_int_equal(chmod(path, 0646), 0);

	_cleanup_error_ struct error *error = believed_file_open(path, &fd);

	assert_non_null(error);
	assert_int_equal(error->code, ERROR_PERMISSION);
	assert_int_equal(fd, -1);
}

static void assert_contents(const char *path, const char *text)
{
	char bytes[64] = "";
	int fd = open(path, O_RDONLY);

	assert_true(fd >= 0);
	assert_true(read(fd, bytes, sizeof(bytes) - 1) >= 0);
	close(fd);
	assert_string_equal(bytes, text);
}

static void test_replaces_when_complete(void **state)
{
	const char *path = scratch_file("result");
	struct output_file output;
	struct stat status;

	(void)state;
	file_write(path, "old", 3);
	assert_null(output_file_open(path, NULL, OUTPUT_PRIVATE, &output));
	fputs("new text", output.stream);
	fflush(output.stream);
	assert_contents(path, "old");
	assert_null(output_file_close(&output, true));
	assert_contents(path, "new text");
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	/* what is not wanted leaves nothing */
	assert_null(output_file_open(path, NULL, OUTPUT_PRIVATE, &output));
	fputs("unwanted", output.stream);
	assert_null(output_file_close(&output, false));
	assert_contents(path, "new text");
}

/* The file is limited as a full disk would limit it. */
static void test_full_disk(void **state)
{
	const char *path = scratch_file("full");
	struct output_file output;
	struct rlimit limit, small;

	(void)state;
	file_write(path, "old", 3);
	signal(SIGXFSZ, SIG_IGN);
	getrlimit(RLIMIT_FSIZE, &limit);
	small = limit;
	small.rlim_cur = 1000;
	assert_null(output_file_open(path, NULL, OUTPUT_PRIVATE, &output));
	setrlimit(RLIMIT_FSIZE, &small);
	for (int i = 0; i < 10000; i++)
		fputs("many lines\n", output.stream);

	_cleanup_error_ struct error *error = output_file_close(&output, true);

	setrlimit(RLIMIT_FSIZE, &limit);
	assert_non_null(error);
	assert_non_null(strstr(error->message, "cannot write"));
	assert_contents(path, "old");
}

/* However the program ends, it leaves the old file and nothing beside it. */
static void test_killed(void **state)
{
	static const int signals[] = { SIGKILL, SIGTERM, SIGINT };
	const char *path = scratch_file("killed/result");
	int status;

	(void)state;
	mkdir(scratch_file("killed"), 0755);
	file_write(path, "old", 3);
	for (size_t i = 0; i < COUNT_OF(signals); i++) {
		pid_t child = fork();

		if (!child) {
			struct output_file output;

			signal(signals[i], SIG_DFL); /* shells ignore SIGINT in the background */
			if (output_file_open(path, NULL, OUTPUT_PRIVATE, &output))
				_exit(1);
			if (output.temporary)
				_exit(77); /* this file system has no files without names */
			fputs("part", output.stream);
			fflush(output.stream);
			raise(signals[i]);
			_exit(1);
		}
		assert_int_equal(waitpid(child, &status, 0), child);
		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			skip_because("the file system of %s has no O_TMPFILE", path);
		assert_true(WIFSIGNALED(status));
		assert_contents(path, "old");
		assert_int_equal(rmdir(scratch_file("killed")), -1);
	}
	assert_int_equal(unlink(path), 0);
	/* it is empty, so no file was left */
	assert_int_equal(rmdir(scratch_file("killed")), 0);
}

static void test_never_onto_the_input(void **state)
{
	const char *input = scratch_file("recording"), *link = scratch_file("link");
	struct output_file output;

	(void)state;
	file_write(input, "samples", 7);
	unlink(link);
	assert_int_equal(symlink("recording", link), 0);

	struct error *error = output_file_open(link, input, OUTPUT_PRIVATE, &output);

	assert_non_null(error);
	assert_non_null(strstr(error->message, "is the file that is read"));
	error_destroy(error);
	assert_contents(input, "samples");
	/* a link to another file is replaced, and the file stays */
	assert_null(output_file_open(link, NULL, OUTPUT_PRIVATE, &output));
	fputs("page", output.stream);
	assert_null(output_file_close(&output, true));
	assert_contents(link, "page");
	assert_contents(input, "samples");
}

/* No file of the name "-" is made by who expects standard output. */
static void test_no_file_is_a_dash(void **state)
{
	struct output_file output;
	struct error *error = output_file_open("-", NULL, OUTPUT_PRIVATE, &output);

	(void)state;
	assert_non_null(error);
	error_destroy(error);
	assert_int_not_equal(access("-", F_OK), 0);
}

static void test_devices_stay(void **state)
{
	struct output_file output;
	struct stat status;

	(void)state;
	assert_null(output_file_open("/dev/null", NULL, OUTPUT_PRIVATE, &output));
	fputs("text", output.stream);
	assert_null(output_file_close(&output, true));
	assert_int_equal(stat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
}

/* A regular file that takes the place of a device before it is opened is not written. */
static void test_only_devices_are_written_in_place(void **state)
{
	const char *path = scratch_file("file");
	int fd;

	(void)state;
	file_write(path, "kept", 4);
	errno = 0;
	assert_int_equal(in_place_open(path, O_WRONLY), -1);
	assert_int_equal(errno, ESTALE);
	assert_contents(path, "kept");
	fd = in_place_open("/dev/null", O_WRONLY);
	assert_true(fd >= 0);
	close(fd);
}

/* /dev/shm has files of everybody. */
static void test_shared_memory_has_files(void **state)
{
	_cleanup_free_ char *path = xasprintf("/dev/shm/dtprof-test-%ld", (long)getpid());
	struct output_file output;
	struct stat status;

	(void)state;
	if (access("/dev/shm", W_OK))
		skip_because("/dev/shm cannot be written");
	assert_null(output_file_open(path, NULL, OUTPUT_PRIVATE, &output));
	fputs("text", output.stream);
	assert_null(output_file_close(&output, true));
	assert_contents(path, "text");
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 0777, 0600);
	unlink(path);
}

/* The sources of a program from elsewhere are what everybody may read. */
static void test_sources_of_a_foreign_program(void **state)
{
	const char *path = scratch_file("secret.c");
	_cleanup_free_ char *folder = xstrndup(path, strlen(path) - strlen("/secret.c"));
	struct source_rights rights = { .user = NOBODY, .group = NOBODY };
	_cleanup_close_ int fd = -1, found = -1;
	struct stat status;

	(void)state;
	file_write(path, "int secret;", 11);
	assert_int_equal(chmod(path, 0600), 0);
	unsetenv("SUDO_UID");
	_cleanup_error_ struct error *error = source_file_open(path, &rights, &fd, &status);

	assert_non_null(error);
	assert_int_equal(error->code, ERROR_PERMISSION);
	assert_int_equal(fd, -1);
	rights.root = folder;
	assert_null(source_file_open(path, &rights, &found, &status));
	assert_int_equal(status.st_size, 11);
}

/* A path that only begins with the folder of sources, or leaves it by a link, is not below it. */
static void test_sources_beside_the_root(void **state)
{
	const char *path = scratch_file("private.c"), *root = scratch_file("tree");
	_cleanup_free_ char *link = xasprintf("%s/link.c", root);
	_cleanup_free_ char *dots = xasprintf("%s/../private.c", root);
	const char *const paths[] = { link, dots };
	const struct source_rights rights = { .root = root, .user = NOBODY, .group = NOBODY };

	(void)state;
	file_write(path, "int secret;", 11);
	assert_int_equal(chmod(path, 0600), 0);
	assert_int_equal(mkdir(root, 0755), 0);
	assert_int_equal(symlink(path, link), 0);
	unsetenv("SUDO_UID");
	for (size_t i = 0; i < COUNT_OF(paths); i++) {
		_cleanup_close_ int fd = -1;
		struct stat status;
		_cleanup_error_ struct error *error =
			source_file_open(paths[i], &rights, &fd, &status);

		assert_non_null(error);
		assert_int_equal(fd, -1);
	}
}

/* A folder that was believed is meant, and not another one that took its place. */
static void test_believed_folder(void **state)
{
	const char *folder = scratch_file("cache"), *moved = scratch_file("moved");
	_cleanup_free_ char *inside = xasprintf("%s/file", folder);
	_cleanup_close_ int fd = -1;
	struct stat status;

	(void)state;
	assert_int_equal(mkdir(folder, 0755), 0);
	file_write(inside, "mine", 4);
	assert_true(folder_believe(folder));
	assert_int_equal(rename(folder, moved), 0);
	assert_int_equal(mkdir(folder, 0777), 0);
	file_write(inside, "theirs", 6);
	assert_null(ordinary_file_open(inside, &fd, &status));
	assert_int_equal(status.st_size, 4);
	assert_int_equal(chmod(moved, 0777), 0);
	assert_false(folder_believe(moved));
}

/* No result replaces a file that was read for it. */
static void test_never_onto_what_was_read(void **state)
{
	const char *path = scratch_file("rules");
	_cleanup_close_ int fd = -1;
	struct output_file output;
	struct stat status;

	(void)state;
	file_write(path, "read", 4);
	assert_null(output_file_open(path, NULL, OUTPUT_PRIVATE, &output));
	assert_null(ordinary_file_open(path, &fd, &status));
	fputs("text", output.stream);
	_cleanup_error_ struct error *error = output_file_close(&output, true);

	assert_non_null(error);
	assert_non_null(strstr(error->message, "is a file that was read"));
	assert_contents(path, "read");
}

static void test_opens_in_a_folder(void **state)
{
	const char *path = scratch_file("inside");
	_cleanup_free_ char *folder_path = xstrndup(path, strlen(path) - strlen("/inside"));
	_cleanup_close_ int folder = open(folder_path, O_PATH | O_DIRECTORY);
	_cleanup_close_ int fd = -1;
	struct stat status;

	(void)state;
	file_write(path, "text", 4);
	assert_null(ordinary_file_open_in(folder, "inside", path, &fd, &status));
	assert_int_equal(status.st_size, 4);
	_cleanup_close_ int missing = -1;
	_cleanup_error_ struct error *error =
		ordinary_file_open_in(folder, "passwd", "/etc/passwd", &missing, &status);

	assert_non_null(error);
	assert_int_equal(missing, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_all_at_an_offset),
		cmocka_unit_test(test_belief),
		cmocka_unit_test(test_opens_what_is_believed),
		cmocka_unit_test(test_replaces_when_complete),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_killed),
		cmocka_unit_test(test_never_onto_the_input),
		cmocka_unit_test(test_no_file_is_a_dash),
		cmocka_unit_test(test_devices_stay),
		cmocka_unit_test(test_only_devices_are_written_in_place),
		cmocka_unit_test(test_shared_memory_has_files),
		cmocka_unit_test(test_opens_in_a_folder),
		cmocka_unit_test(test_sources_of_a_foreign_program),
		cmocka_unit_test(test_sources_beside_the_root),
		cmocka_unit_test(test_believed_folder),
		cmocka_unit_test(test_never_onto_what_was_read),
	};

	return cmocka_run_group_tests(tests, NULL, scratch_tear_down);
}
