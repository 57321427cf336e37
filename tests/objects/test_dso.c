// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files of a DSO: which one is opened, and the message if it is missing, is another one, or has
 * no debug information.
 */
#include "tests/support/unit.h"

#include <elf.h>
#include <errno.h>
#include <linux/magic.h>
#include <lzma.h>
#include <signal.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text.h"
#include "profiler/objects/dso_open.h"
#include "profiler/objects/dso.h"
#include "profiler/objects/kernel.h"
#include "tests/support/btf_writer.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

static const char *unreadable; /* this file fails to be opened, as on a damaged disk; NULL: none */

/* In place of the library's. */
int openat(int folder, const char *name, int flags, ...)
{
	va_list list;

	va_start(list, flags);
	mode_t mode = flags & O_CREAT ? va_arg(list, mode_t) : 0;

	va_end(list);
	if (!unreadable || strcmp(name, unreadable) != 0)
		return (int)syscall(SYS_openat, folder, name, flags, mode);
	errno = EIO;
	return -1;
}

static const uint8_t first_id[] = { 0x12, 0x34, 0x56, 0x78, 0x9a };
static const uint8_t other_id[] = { 0xff, 0xee, 0xdd };

static void make_folders(const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(copy, 0700);
		*slash = '/';
	}
}

/* An object with a function "work" at 0x1000, and a build id. Without a function: stripped. */
static void write_object(const char *path, const uint8_t *id, size_t id_size, bool function)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	static const uint8_t code[64] = { 0xc3 };
	unsigned int text =
		elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
				   code, sizeof(code));
	size_t size;

	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, text, 0x1000, sizeof(code), 16);
	if (function)
		elf_writer_symbol(writer, "work", STT_FUNC, STB_GLOBAL, (uint16_t)text, 0x1000,
				  sizeof(code));
	if (id)
		elf_writer_build_id(writer, id, id_size);
	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);

	make_folders(path);
	file_write(path, bytes, size);
}

struct place_of_test {
	char *folder;
	char *path; /* folder/lib/object */
	struct dso_table table;
};

static int setup(void **state)
{
	struct place_of_test *test = xcalloc(1, sizeof(*test));

	test->folder = scratch_create();
	test->path = xasprintf("%s/lib/object", test->folder);
	setenv("HOME", test->folder, 1);
	unsetenv("DEBUGINFOD_URLS");
	*state = test;
	return 0;
}

static int teardown(void **state)
{
	struct place_of_test *test = *state;

	dso_table_deinit(&test->table);
	scratch_remove(test->folder);
	free(test->path);
	free(test);
	return 0;
}

static struct dso *dso_of(struct place_of_test *test, const char *name, const uint8_t *id,
			  size_t id_size)
{
	struct build_id build_id = { .size = (uint8_t)id_size };

	if (id)
		memcpy(build_id.bytes, id, id_size);
	return dso_table_get(
		&test->table,
		&(struct dso_origin){ .name = name, .build_id = id ? &build_id : NULL });
}

static void the_object_is_opened(void **state)
{
	struct place_of_test *test = *state;
	const char *problem;

	write_object(test->path, first_id, sizeof(first_id), true);
	struct dso *dso = dso_of(test, test->path, first_id, sizeof(first_id));

	assert_non_null(dso_image(dso, NULL, &problem));
	assert_null(problem);
	assert_string_equal(dso->short_name, "object");
	assert_string_equal(dso_symbol_at(dso, NULL, 0x1004)->name, "work");
	assert_null(dso_symbol_at(dso, NULL, 0x5000));
	/* One name and build id is one DSO. */
	assert_ptr_equal(dso, dso_of(test, test->path, first_id, sizeof(first_id)));
	assert_ptr_not_equal(dso, dso_of(test, test->path, other_id, sizeof(other_id)));
}

static void another_build_id_is_said_and_not_used(void **state)
{
	struct place_of_test *test = *state;
	const char *problem;

	write_object(test->path, other_id, sizeof(other_id), true);
	struct dso *dso = dso_of(test, test->path, first_id, sizeof(first_id));

	assert_null(dso_image(dso, NULL, &problem));
	assert_non_null(strstr(problem, "ffeedd"));
	assert_non_null(strstr(problem, "123456789a"));
	assert_null(strchr(problem, '\n'));
	assert_null(dso_symbol_at(dso, NULL, 0x1004));
	assert_non_null(dso_symbol_problem(dso));
	assert_non_null(strstr(dso_symbol_problem(dso), "123456789a"));
	assert_null(dso_debug(dso, NULL, &problem));
	assert_non_null(strstr(problem, "ffeedd"));
	/* no message speaks of the symbols of a missing file */
	dso = dso_of(test, "/nowhere/object", first_id, sizeof(first_id));
	assert_null(dso_symbol_at(dso, NULL, 0x1004));
	assert_null(dso_symbol_problem(dso));
}

/* The same if only its debug file has symbols. */
static void another_build_id_is_not_said_where_symbols_are(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *cached =
		xasprintf("%s/.debug/.build-id/12/3456789a/debug", test->folder);

	write_object(test->path, other_id, sizeof(other_id), true);
	write_object(cached, first_id, sizeof(first_id), true);
	struct dso *dso = dso_of(test, test->path, first_id, sizeof(first_id));

	assert_non_null(dso_symbol_at(dso, NULL, 0x1004));
	assert_null(dso_symbol_problem(dso));
}

static void perfs_copy_is_found_by_build_id(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *copy = xasprintf("%s/.debug/.build-id/12/3456789a/elf", test->folder);
	const char *problem;

	write_object(test->path, other_id, sizeof(other_id), true);
	write_object(copy, first_id, sizeof(first_id), true);
	struct dso *dso = dso_of(test, test->path, first_id, sizeof(first_id));

	assert_non_null(dso_image(dso, NULL, &problem));
	assert_string_equal(elf_image_path(dso_image(dso, NULL, &problem)), copy);
}

/* Older versions of perf link the build id to the file itself. */
static void perfs_copy_of_the_older_layout(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *copy = xasprintf("%s/.debug/lib/object/123456789a", test->folder);
	_cleanup_free_ char *link = xasprintf("%s/.debug/.build-id/12/3456789a", test->folder);
	const char *problem;

	write_object(copy, first_id, sizeof(first_id), true);
	make_folders(link);
	assert_int_equal(symlink("../../lib/object/123456789a", link), 0);
	struct dso *dso = dso_of(test, test->path, first_id, sizeof(first_id));

	assert_non_null(dso_image(dso, NULL, &problem));
	assert_string_equal(elf_image_path(dso_image(dso, NULL, &problem)), link);
}

static void perfs_copies_in_another_folder(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *folder = xasprintf("%s/copies", test->folder);
	_cleanup_free_ char *copy = xasprintf("%s/.build-id/12/3456789a/elf", folder);
	const char *problem;

	write_object(copy, first_id, sizeof(first_id), true);
	assert_null(dso_image(dso_of(test, "/nowhere/one", first_id, sizeof(first_id)), NULL,
			      &problem));
	build_id_folder = folder;
	assert_non_null(dso_image(dso_of(test, "/nowhere/two", first_id, sizeof(first_id)), NULL,
				  &problem));
	build_id_folder = NULL;
}

static void no_debug_information_says_what_to_do(void **state)
{
	struct place_of_test *test = *state;
	const char *problem;

	write_object(test->path, first_id, sizeof(first_id), true);
	struct dso *dso = dso_of(test, test->path, NULL, 0);

	assert_null(dso_debug(dso, NULL, &problem));
	assert_non_null(strstr(problem, "no debug information in "));
	assert_non_null(strstr(problem, test->path));
	assert_non_null(strstr(problem, "-dbgsym package, or build with -g"));
}

/* tcc 0.9.27 -g writes stabs, and gcc 12 -gctf writes CTF. */
static void other_formats_are_named(void **state)
{
	static const char *const sections[][2] = { { ".stab", "is stabs, which" },
						   { ".ctf", "is CTF, which" } };
	struct place_of_test *test = *state;
	const char *problem;

	for (size_t i = 0; i < COUNT_OF(sections); i++) {
		_cleanup_free_ char *path = xasprintf("%s%zu", test->path, i);
		struct elf_writer *writer = elf_writer_create(ET_DYN);
		size_t size;

		elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
				   "\xc3", 1);
		elf_writer_section(writer, sections[i][0], SHT_PROGBITS, 0, 0, "12345678", 8);
		_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);

		make_folders(path);
		file_write(path, bytes, size);
		struct dso *dso = dso_of(test, path, NULL, 0);

		assert_null(dso_debug(dso, NULL, &problem));
		assert_non_null(strstr(problem, sections[i][1]));
		assert_null(strstr(problem, "build with -g"));
		assert_int_equal(dso_lack(dso), DSO_LACKS_OTHER);
	}
}

static void files_that_are_none(void **state)
{
	static const char *const names[] = { "/nowhere/at all",     "//anon",    "[vdso]",
					     "/bin/prog (deleted)", "/dev/null", "/tmp" };
	struct place_of_test *test = *state;
	const char *problem;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct dso *dso = dso_of(test, names[i], NULL, 0);

		assert_null(dso_image(dso, NULL, &problem));
		assert_non_null(strstr(problem, names[i]));
		assert_null(dso_symbol_at(dso, NULL, 0x1000));
	}
}

static void symfs_goes_before_paths_once(void **state)
{
	struct place_of_test *test = *state;
	struct dso_options options = { .symfs = test->folder };
	const char *problem;

	write_object(test->path, first_id, sizeof(first_id), true);
	assert_non_null(dso_image(dso_of(test, "/lib/object", NULL, 0), &options, &problem));
	assert_non_null(dso_image(dso_of(test, test->path, NULL, 0), &options, &problem));
	assert_null(dso_image(dso_of(test, "/lib/other", NULL, 0), &options, &problem));
	assert_non_null(strstr(problem, test->folder));
}

static void symfs_may_be_flat(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *flat = xasprintf("%s/lib/,flat", test->folder),
			    *hierarchy = xasprintf("%s,hierarchy", test->folder);
	struct dso_options options = { .symfs = flat };
	const char *problem;

	write_object(test->path, first_id, sizeof(first_id), true);
	assert_non_null(
		dso_image(dso_of(test, "/usr/lib/other/object", NULL, 0), &options, &problem));
	assert_non_null(dso_image(dso_of(test, test->path, NULL, 0), &options, &problem));
	assert_null(dso_image(dso_of(test, "/object/other", NULL, 0), &options, &problem));
	options.symfs = hierarchy;
	assert_non_null(dso_image(dso_of(test, "/lib/object", NULL, 0), &options, &problem));
	assert_null(dso_image(dso_of(test, "/lib/lib/object", NULL, 0), &options, &problem));
}

/* A folder serves as the server: libdebuginfod takes file:// as well as http://. */
static void a_server_has_it(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *url = xasprintf("file://%s/server", test->folder);
	_cleanup_free_ char *served =
		xasprintf("%s/server/buildid/123456789a/executable", test->folder);
	_cleanup_free_ char *cache = xasprintf("%s/cache", test->folder);
	const char *problem;

	write_object(served, first_id, sizeof(first_id), true);
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	struct dso *dso = dso_of(test, "/nowhere/object", first_id, sizeof(first_id));
	const struct elf_image *image = dso_image(dso, NULL, &problem);

	unsetenv("DEBUGINFOD_URLS");
	if (!image && strstr(problem, "not installed"))
		skip_because("%s", problem);
	assert_non_null(image);
	assert_string_equal(dso_symbol_at(dso, NULL, 0x1000)->name, "work");
}

/* A home that others may write is not one's own. */
static void a_server_is_not_asked_for_another_home(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *url = xasprintf("file://%s/server", test->folder);
	_cleanup_free_ char *home = xasprintf("%s/home", test->folder);
	_cleanup_free_ char *cache = xasprintf("%s/home/.cache/debuginfod_client", test->folder);
	_cleanup_free_ char *old_home = getenv("HOME") ? xstrdup(getenv("HOME")) : NULL;
	const char *problem;

	assert_int_equal(mkdir(home, 0777), 0);
	assert_int_equal(chmod(home, 0777), 0);
	unsetenv("DEBUGINFOD_CACHE_PATH");
	unsetenv("XDG_CACHE_HOME");
	setenv("DEBUGINFOD_URLS", url, 1);
	setenv("HOME", home, 1);
	struct dso *dso = dso_of(test, "/nowhere/object", first_id, sizeof(first_id));

	assert_null(dso_image(dso, NULL, &problem));
	if (old_home)
		setenv("HOME", old_home, 1);
	unsetenv("DEBUGINFOD_URLS");
	assert_non_null(strstr(problem, "servers are not asked"));
	assert_non_null(strstr(problem, "writable by others"));
	assert_int_equal(access(cache, F_OK), -1);
}

/* This machine's own vDSO is used if it is the recorded one. */
static void the_vdso_is_in_this_process(void **state)
{
	struct place_of_test *test = *state;
	struct elf_image *own;
	const char *problem;
	struct error *error = vdso_image_open(&own);

	if (error)
		skip_because("%s", error->message);
	const struct build_id *id = elf_image_build_id(own);
	struct dso *same = dso_of(test, "[vdso]", id->bytes, id->size);
	size_t count;
	const struct symbol *symbols = elf_image_symbols(own, &count);

	if (id->size) {
		assert_non_null(dso_image(same, NULL, &problem));
		assert_true(count > 0);
		assert_non_null(dso_symbol_at(same, NULL, symbols[count - 1].address));
	}
	assert_null(dso_image(dso_of(test, "[vdso]", first_id, sizeof(first_id)), NULL, &problem));
	assert_non_null(strstr(problem, "123456789a"));
	elf_image_close(own);
}

static void the_vdso_of_another_kernel_is_in_perfs_cache(void **state)
{
	static const char *const names[] = { "[vdso]", "[vdso32]" };
	struct place_of_test *test = *state;
	_cleanup_free_ char *copy = xasprintf("%s/.debug/.build-id/12/3456789a/vdso", test->folder);
	const char *problem;

	write_object(copy, first_id, sizeof(first_id), true);
	for (size_t i = 0; i < 2; i++) {
		struct dso *dso = dso_of(test, names[i], first_id, sizeof(first_id));

		assert_non_null(dso_image(dso, NULL, &problem));
		assert_null(problem);
		assert_string_equal(dso_symbol_at(dso, NULL, 0x1004)->name, "work");
	}
	write_object(copy, other_id, sizeof(other_id), true);
	dso_table_deinit(&test->table);
	assert_null(dso_image(dso_of(test, "[vdso]", first_id, sizeof(first_id)), NULL, &problem));
	assert_non_null(strstr(problem, "ffeedd"));
	dso_table_deinit(&test->table);
	build_id_folder = "/nowhere";
	assert_null(dso_image(dso_of(test, "[vdso]", first_id, sizeof(first_id)), NULL, &problem));
	build_id_folder = NULL;
	/* a kernel without one says that */
	assert_true(strstr(problem, "this machine's [vdso]") || strstr(problem, "no [vdso]"));
}

/* The program was deleted, but its debug file exists. Segments have no contents there, so the map
 * gives the addresses. */
static void the_debug_file_of_what_is_gone_has_symbols(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *cached =
		xasprintf("%s/.debug/.build-id/12/3456789a/debug", test->folder);
	_cleanup_free_ char *installed =
		xasprintf("%s/usr/lib/debug/.build-id/12/3456789a.debug", test->folder);
	const struct dso_options options = { .symfs = test->folder };
	const char *problem;

	for (int in_symfs = 0; in_symfs < 2; in_symfs++) {
		/* two names, because each dso is asked once */
		struct dso *dso = dso_of(test, in_symfs ? "/nowhere/one" : "/nowhere/two (deleted)",
					 first_id, sizeof(first_id));

		write_object(in_symfs ? installed : cached, first_id, sizeof(first_id), true);
		dso->has_code = true;
		dso->code_offset = 0x400;
		assert_null(dso_image(dso, in_symfs ? &options : NULL, &problem));
		assert_int_equal(dso_file_address(dso, in_symfs ? &options : NULL, 0x404), 0x1004);
		assert_string_equal(dso_symbol_at(dso, in_symfs ? &options : NULL, 0x1004)->name,
				    "work");
		assert_null(dso_symbol_at(dso, in_symfs ? &options : NULL, 0x2000));
		assert_int_equal(remove(in_symfs ? installed : cached), 0);
	}
}

/* The debug file of another object is not used. */
static void a_debug_file_of_another_object_is_not_used(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *cached =
		xasprintf("%s/.debug/.build-id/12/3456789a/debug", test->folder);
	struct dso *dso = dso_of(test, "/nowhere/object", first_id, sizeof(first_id));

	write_object(cached, other_id, sizeof(other_id), true);
	dso->has_code = true;
	assert_null(dso_symbol_at(dso, NULL, 0x1004));
	assert_int_equal(dso_file_address(dso, NULL, 0x4), 0x4);
}

/* perf's copy is the object before it was stripped, with the same build id. A copy with another
 * build id is not used, and a message says so. */
static void a_stripped_object_has_the_symbols_of_perfs_copy(void **state)
{
	struct place_of_test *test = *state;
	const char *problem;

	write_object(test->path, first_id, sizeof(first_id), false);
	for (int debug = 0; debug < 2; debug++)
		for (int same = 0; same < 2; same++) {
			_cleanup_free_ char *copy =
				xasprintf("%s/.debug/.build-id/12/3456789a/%s", test->folder,
					  debug ? "debug" : "elf");
			struct dso *dso = dso_of(test, test->path, first_id, sizeof(first_id));

			write_object(copy, same ? first_id : other_id,
				     same ? sizeof(first_id) : sizeof(other_id), true);
			assert_non_null(dso_image(dso, NULL, &problem));
			assert_int_equal(dso_symbol_at(dso, NULL, 0x1004) != NULL, same);
			assert_null(dso_debug(dso, NULL, &problem));
			assert_non_null(strstr(problem, same ? "no debug information in " : copy));
			dso_table_deinit(&test->table);
			assert_int_equal(remove(copy), 0);
		}
}

static void add_text(struct elf_writer *writer, uint32_t type, const char *function)
{
	static const uint8_t code[64] = { 0xc3 };
	unsigned int text =
		elf_writer_section(writer, ".text", type, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
				   type == SHT_NOBITS ? NULL : code, sizeof(code));

	if (function)
		elf_writer_symbol(writer, function, STT_FUNC, STB_LOCAL, (uint16_t)text, 0x1000,
				  sizeof(code));
	elf_writer_build_id(writer, first_id, sizeof(first_id));
}

static void write_finished(const char *path, struct elf_writer *writer)
{
	size_t size;
	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);

	make_folders(path);
	file_write(path, bytes, size);
}

/* Writes a stripped object that has the name of its function in .gnu_debugdata. */
static void write_stripped(const char *path, bool damaged)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN),
			  *embedded = elf_writer_create(ET_DYN);
	uint8_t packed[4096];
	size_t size, packed_size = 0;

	add_text(embedded, SHT_NOBITS, "carried");
	_cleanup_free_ uint8_t *bytes = elf_writer_finish(embedded, &size);

	assert_int_equal(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, bytes, size, packed,
						 &packed_size, sizeof(packed)),
			 LZMA_OK);
	add_text(writer, SHT_PROGBITS, NULL);
	elf_writer_section(writer, ".gnu_debugdata", SHT_PROGBITS, 0, 0, packed,
			   damaged ? packed_size / 2 : packed_size);
	write_finished(path, writer);
}

static void symbols_that_a_stripped_object_carries_along(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *other = xasprintf("%s/lib/other", test->folder);

	write_stripped(test->path, false);
	struct dso *dso = dso_of(test, test->path, NULL, 0);

	assert_null(dso_symbol_at(dso, NULL, 0));
	assert_string_equal(dso_symbol_at(dso, NULL, 0x1004)->name, "carried");
	assert_null(dso_symbol_at(dso, NULL, 0x1040));
	assert_null(dso_symbol_problem(dso));
	write_stripped(other, true);
	dso = dso_of(test, other, NULL, 0);
	assert_null(dso_symbol_at(dso, NULL, 0x1004));
	assert_non_null(strstr(dso_symbol_problem(dso), "/lib/other: .gnu_debugdata: bad xz data"));
}

/* The debug file has all symbols. */
static void the_debug_file_goes_before_what_is_carried_along(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *installed =
		xasprintf("%s/usr/lib/debug/.build-id/12/3456789a.debug", test->folder);
	const struct dso_options options = { .symfs = test->folder };
	struct elf_writer *writer = elf_writer_create(ET_DYN);

	write_stripped(test->path, false);
	add_text(writer, SHT_NOBITS, "whole");
	write_finished(installed, writer);
	assert_string_equal(
		dso_symbol_at(dso_of(test, "/lib/object", NULL, 0), &options, 0x1004)->name,
		"whole");
}

/* It is told why symbols are not there. */
static void a_file_that_cannot_be_read_is_told(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *installed =
		xasprintf("%s/usr/lib/debug/.build-id/12/3456789a.debug", test->folder);
	const struct dso_options options = { .symfs = test->folder };
	struct dso *dso = dso_of(test, "/lib/object", NULL, 0);

	write_object(test->path, first_id, sizeof(first_id), false);
	write_object(installed, first_id, sizeof(first_id), true);
	unreadable = installed;
	dso_symbol_at(dso, &options, 0x1004);
	unreadable = NULL;
	assert_true(dso_unread_symbols(dso));
	assert_non_null(strstr(dso_symbol_problem(dso), "3456789a.debug: Input/output error"));

	struct dso *other = dso_of(test, test->path, NULL, 0);

	unreadable = test->path;
	assert_null(dso_symbol_at(other, NULL, 0x1004));
	unreadable = NULL;
	assert_true(dso_unread_symbols(other));
	assert_non_null(strstr(dso_symbol_problem(other), "/lib/object: Input/output error"));
}

/* The engine reads a stripped program like a whole one: functions begin where the debug file
 * says. */
static void a_stripped_object_has_the_symbols_of_its_debug_file(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *debug =
		xasprintf("%s/.debug/.build-id/12/3456789a/debug", test->folder);
	const struct elf_image *image;
	const char *problem;

	write_object(test->path, first_id, sizeof(first_id), false);
	write_object(debug, first_id, sizeof(first_id), true);
	image = dso_image(dso_of(test, test->path, first_id, sizeof(first_id)), NULL, &problem);
	assert_non_null(image);
	assert_string_equal(elf_image_path(image), test->path);
	assert_non_null(elf_image_function_at(image, 0x1004));
	assert_string_equal(elf_image_function_at(image, 0x1004)->name, "work");
	assert_string_equal(elf_image_symbol_named(image, "work")->name, "work");
}

/* Starts a process whose root is the test's folder. Returns 0 if this user may not. */
static pid_t start_in(const char *root)
{
	int ends[2];
	char word = 0;

	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid) {
		word = chroot(root) == 0 && chdir("/") == 0;
		if (write(ends[1], &word, 1) == 1)
			pause();
		_exit(0);
	}
	assert_int_equal(read(ends[0], &word, 1), 1);
	close(ends[0]);
	close(ends[1]);
	if (word)
		return pid;
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return 0;
}

static void objects_are_found_where_their_process_lives(void **state)
{
	struct place_of_test *test = *state;
	pid_t pid = start_in(test->folder);
	struct stat namespace;
	const char *problem;

	if (!pid)
		skip_because("chroot needs root");
	write_object(test->path, first_id, sizeof(first_id), true);
	struct dso *known = dso_of(test, "/lib/object", first_id, sizeof(first_id));
	struct dso *other = dso_of(test, "/lib/object", other_id, sizeof(other_id));
	struct dso *unknown = dso_of(test, "/lib/./object", NULL, 0);
	struct dso *recorded = dso_of(test, "/lib/../lib/object", NULL, 0);

	known->pid = other->pid = unknown->pid = recorded->pid = pid;
	assert_int_equal(stat("/proc/self/ns/mnt", &namespace), 0);
	recorded->mount_namespace = namespace.st_ino;
	assert_non_null(dso_image(known, NULL, &problem));
	assert_null(dso_image(other, NULL, &problem));
	assert_non_null(strstr(problem, "123456789a"));
	/* neither a build id nor a namespace shows that the number is still that process's */
	assert_null(dso_image(unknown, NULL, &problem));
	assert_non_null(dso_image(recorded, NULL, &problem));
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* Without a build id the inode and the time tell whether a file is the recorded one. */
static void a_file_without_a_build_id_is_judged(void **state)
{
	static const struct {
		bool same_inode, other_inode, later, elsewhere; /* what was recorded */
		bool rewritten; /* since, by a tool that kept the time: the cases after it, too */
		bool used, unsure;
	} cases[] = {
		{ .used = true },
		{ .same_inode = true, .used = true },
		{ .other_inode = true },
		{ .later = true },
		{ .same_inode = true, .later = true },
		{ .same_inode = true, .elsewhere = true, .used = true },
		{ .other_inode = true, .elsewhere = true, .used = true, .unsure = true },
		{ .elsewhere = true, .used = true, .unsure = true },
		{ .rewritten = true, .same_inode = true, .used = true, .unsure = true },
		{ .other_inode = true },
		{ .later = true },
	};
	struct place_of_test *test = *state;
	struct dso_options symfs = { .symfs = test->folder };
	struct stat status;
	struct statfs system;
	const char *problem;

	write_object(test->path, NULL, 0, true);
	assert_int_equal(stat(test->path, &status), 0);
	assert_int_equal(statfs(test->folder, &system), 0);
	if (system.f_type == OVERLAYFS_SUPER_MAGIC)
		skip_because("%s is an overlay of folders, where inodes tell nothing",
			     test->folder);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		const struct dso_origin origin = { .name = test->path,
						   .inode = cases[i].same_inode ? status.st_ino
							    : cases[i].other_inode
								    ? status.st_ino + 1
								    : 0 };

		if (cases[i].rewritten) {
			status.st_mtim.tv_sec -= 100;
			assert_int_equal(
				utimensat(AT_FDCWD, test->path,
					  (struct timespec[]){ status.st_mtim, status.st_mtim }, 0),
				0);
		}
		dso_table_deinit(&test->table);
		test->table.recorded_until =
			(status.st_mtim.tv_sec + (cases[i].later ? -1 : 1)) * (int64_t)NS_PER_S;
		test->table.recorded_elsewhere = cases[i].elsewhere;

		struct dso *dso = dso_table_get(&test->table, &origin);
		bool used = dso_image(dso, NULL, &problem);

		if (used != cases[i].used || dso->unsure != cases[i].unsure)
			fail_msg("case %zu: used %d, unsure %d: %s", i, used, dso->unsure,
				 problem ? problem : "");
		if (!used) {
			assert_non_null(strstr(problem, test->path));
			assert_non_null(strstr(problem, "--symfs"));
			assert_non_null(dso_symbol_problem(dso));
		}
		/* the user's word counts */
		dso_table_deinit(&test->table);
		dso = dso_table_get(&test->table, &(struct dso_origin){ .name = "/lib/object",
									.inode = origin.inode });
		assert_non_null(dso_image(dso, &symfs, &problem));
	}
}

/* Files of one name are as many objects as there are inodes, and a build id of the name alone is
 * that of neither. */
static void files_of_one_name(void **state)
{
	struct place_of_test *test = *state;
	struct build_id first = { .size = sizeof(first_id) }, other = { .size = sizeof(other_id) };
	const char *problem;
	struct stat status;

	memcpy(first.bytes, first_id, sizeof(first_id));
	memcpy(other.bytes, other_id, sizeof(other_id));
	write_object(test->path, first_id, sizeof(first_id), true);
	assert_int_equal(stat(test->path, &status), 0);
	dso_table_add_build_id(&test->table, test->path, false, &first);
	dso_table_add_build_id(&test->table, test->path, false, &first);
	dso_table_add_build_id(&test->table, test->path, false, &other);

	struct dso *known = dso_table_get(
		&test->table, &(struct dso_origin){ .name = test->path, .inode = status.st_ino });
	struct dso *gone =
		dso_table_get(&test->table, &(struct dso_origin){ .name = test->path,
								  .inode = status.st_ino + 1 });
	struct dso *unknown =
		dso_table_get(&test->table, &(struct dso_origin){ .name = test->path });

	assert_ptr_not_equal(known, gone);
	assert_ptr_not_equal(known, unknown);
	assert_int_equal(known->build_id.size, 0);
	assert_non_null(dso_image(known, NULL, &problem));
	assert_null(dso_image(unknown, NULL, &problem));
	assert_non_null(strstr(problem, "several of this name"));
}

/* A name that ends in "(deleted)" is that of a file which may be back, or below --symfs. */
static void a_deleted_file_may_be_back(void **state)
{
	struct place_of_test *test = *state;
	_cleanup_free_ char *flat = xasprintf("%s/lib,flat", test->folder);
	_cleanup_free_ char *name = xasprintf("%s (deleted)", test->path);
	const struct dso_options tree = { .symfs = test->folder }, folder = { .symfs = flat };
	const char *problem;

	write_object(test->path, first_id, sizeof(first_id), true);
	assert_non_null(dso_image(dso_of(test, name, first_id, sizeof(first_id)), NULL, &problem));
	assert_null(dso_image(dso_of(test, name, other_id, sizeof(other_id)), NULL, &problem));
	assert_non_null(strstr(problem, "ffeedd"));
	/* without a build id it is another one */
	assert_null(dso_image(dso_of(test, name, NULL, 0), NULL, &problem));
	assert_non_null(strstr(problem, "deleted"));
	assert_non_null(dso_image(dso_of(test, "/lib/object (deleted)", first_id, sizeof(first_id)),
				  &tree, &problem));
	assert_non_null(
		dso_image(dso_of(test, "/memfd:x/object (deleted)", first_id, sizeof(first_id)),
			  &folder, &problem));
	assert_non_null(
		dso_image(dso_of(test, "/bin/object (deleted)", NULL, 0), &folder, &problem));
}

/* In a tree without links a file is at the path of before or after /usr was merged. */
static void trees_without_links(void **state)
{
	static const char *const pairs[][2] = {
		{ "/lib/x.so", "/usr/lib/x.so" },
		{ "/usr/bin/x", "/bin/x" },
		{ "/usr/lib/debug/lib/modules/x", "/usr/lib/debug/usr/lib/modules/x" },
		{ "/opt/lib/x", NULL },
		{ "/usr/share/x", NULL },
	};
	struct place_of_test *test = *state;
	struct dso_options options = { .symfs = test->folder };
	const char *problem;

	for (size_t i = 0; i < COUNT_OF(pairs); i++) {
		_cleanup_free_ char *other = dso_path_merged(pairs[i][0]);

		assert_true(pairs[i][1] ? other && !strcmp(other, pairs[i][1]) : !other);
	}
	write_object(test->path, first_id, sizeof(first_id), true);
	assert_non_null(dso_image(dso_of(test, "/usr/lib/object", first_id, sizeof(first_id)),
				  &options, &problem));
}

/* An unpacked package has modules of another compression, below usr/lib or lib, and its kernel
 * beside them or in boot. */
static void modules_of_an_unpacked_package(void **state)
{
	static const char *const trees[] = { "lib/modules/6.1", "usr/lib/modules/6.1" };
	static const char *const kernels[] = { "boot/vmlinuz-6.1", "lib/modules/6.1/vmlinuz",
					       "usr/lib/modules/6.1/vmlinuz" };
	static const char *const files[] = { "toy.ko", "toy.ko.debug" };
	struct place_of_test *test = *state;

	for (size_t i = 0; i < COUNT_OF(trees) * COUNT_OF(kernels) * COUNT_OF(files); i++) {
		const char *tree = trees[i % 2], *kernel = kernels[i / 2 % 3], *file = files[i / 6];
		_cleanup_free_ char *root = xasprintf("%s/%zu", test->folder, i);
		_cleanup_free_ char *module =
			xasprintf("%s/%s/kernel/drivers/%s", root, tree, file);
		_cleanup_free_ char *vmlinux = xasprintf("%s/%s", root, kernel);
		struct dso_options below = { .symfs = root }, beside = { .vmlinux = vmlinux };
		const char *problem;

		write_object(module, first_id, sizeof(first_id), true);
		write_object(vmlinux, other_id, sizeof(other_id), true);
		for (int turn = 0; turn < 2; turn++) {
			struct build_id id = { .size = sizeof(first_id) };
			struct dso *dso;

			dso_table_deinit(&test->table);
			test->table.release = "6.1";
			memcpy(id.bytes, first_id, sizeof(first_id));
			dso = dso_table_get(
				&test->table,
				&(struct dso_origin){
					.name = "/lib/modules/6.1/kernel/drivers/toy.ko.xz",
					.kernel = true,
					.build_id = &id });
			/* a kernel beside modules of another tree does not lead to them */
			if (turn && strncmp(kernel, "boot", 4) && strncmp(kernel, tree, 4))
				continue;
			if (!dso_image(dso, turn ? &beside : &below, &problem))
				fail_msg("%s with %s %s: %s", module, turn ? "-k" : "--symfs",
					 turn ? vmlinux : root, problem);
		}
	}
}

/* Advice says how to install it, so a recorded release is no more than a name to a shell. */
static void packages_of_kernels_are_plain_names(void **state)
{
	static const char *const releases[][2] = {
		{ "6.1.0-18-amd64", "linux-image-6.1.0-18-amd64-dbg" },
		{ "6.1$(id)-amd64", NULL },
		{ "6.1;id;-generic", NULL },
		{ "6.1 -y\n.fc40", NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(releases); i++) {
		_cleanup_free_ char *package = kernel_debug_package(releases[i][0]);

		assert_string_equal(package ? package : "none",
				    releases[i][1] ? releases[i][1] : "none");
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

/* ---- BTF that modules share ---- */

static void each_file_is_read_once(void **state)
{
	char *folder = scratch_create();
	_cleanup_free_ char *path = xasprintf("%s/vmlinux", folder);
	_cleanup_free_ char *missing = xasprintf("%s/missing", folder);
	struct btf_writer *writer = btf_writer_create(NULL, false);
	struct btf_bases *bases = btf_bases_create();
	const struct btf *first = NULL, *second = NULL, *none = NULL;
	size_t size;

	(void)state;
	btf_writer_integer(writer, "int", 4, BTF_INT_SIGNED);
	_cleanup_free_ uint8_t *bytes = btf_writer_finish(writer, &size);

	file_write(path, bytes, size);
	assert_null(btf_bases_open(bases, path, NULL, &first));
	assert_null(btf_bases_open(bases, path, NULL, &second));
	assert_non_null(first);
	assert_ptr_equal(first, second);

	struct error *error = btf_bases_open(bases, missing, NULL, &none);

	assert_non_null(error);
	assert_null(none);
	error_destroy(error);
	btf_bases_destroy(bases);
	scratch_remove(folder);
}

#define MEMORY UINT64_C(0xffffffff81000000)

/* In a kernel's memory the symbols tell where the BTF is. */
static void of_a_kernel_in_its_memory(void **state)
{
	char *folder = scratch_create();
	_cleanup_free_ char *path = xasprintf("%s/kcore", folder);
	_cleanup_free_ char *symbols = xasprintf("%s/kallsyms", folder);
	_cleanup_free_ char *others = xasprintf("%s/without", folder);
	struct btf_writer *types = btf_writer_create(NULL, false);
	struct elf_writer *writer = elf_writer_create(ET_CORE);
	struct btf_bases *bases = btf_bases_create();
	const struct btf *first = NULL, *second = NULL;
	size_t size, core_size;
	uint8_t memory[4096] = { 0 };

	(void)state;
	btf_writer_integer(types, "int", 4, BTF_INT_SIGNED);
	_cleanup_free_ uint8_t *bytes = btf_writer_finish(types, &size);

	assert_true(size < 2048);
	memcpy(memory + 2048, bytes, size);
	unsigned int section = elf_writer_section(writer, "memory", SHT_PROGBITS, SHF_ALLOC, MEMORY,
						  memory, sizeof(memory));

	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, section, MEMORY, sizeof(memory), 4096);
	_cleanup_free_ uint8_t *core = elf_writer_finish(writer, &core_size);
	_cleanup_free_ char *text =
		xasprintf("%llx T _text\n%llx T _etext\n", MEMORY + 0ULL, MEMORY + 64ULL);
	_cleanup_free_ char *all = xasprintf("%s%llx R __start_BTF\n%llx R __stop_BTF\n", text,
					     MEMORY + 2048ULL, MEMORY + 2048ULL + size);

	file_write(path, core, core_size);
	file_write(symbols, all, strlen(all));
	file_write(others, text, strlen(text));
	struct error *error = btf_bases_open(bases, path, others, &first);

	assert_non_null(error);
	assert_int_equal(error->code, ERROR_NO_DEBUG_INFO);
	error_destroy(error);
	assert_null(btf_bases_open(bases, path, symbols, &first));
	assert_null(btf_bases_open(bases, path, symbols, &second));
	assert_non_null(first);
	assert_ptr_equal(first, second);
	btf_bases_destroy(bases);
	scratch_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_object_is_opened),
		TEST(another_build_id_is_said_and_not_used),
		TEST(another_build_id_is_not_said_where_symbols_are),
		TEST(perfs_copy_is_found_by_build_id),
		TEST(perfs_copy_of_the_older_layout),
		TEST(perfs_copies_in_another_folder),
		TEST(no_debug_information_says_what_to_do),
		TEST(other_formats_are_named),
		TEST(files_that_are_none),
		TEST(symfs_goes_before_paths_once),
		TEST(symfs_may_be_flat),
		TEST(a_server_has_it),
		TEST(a_server_is_not_asked_for_another_home),
		TEST(the_vdso_is_in_this_process),
		TEST(the_vdso_of_another_kernel_is_in_perfs_cache),
		TEST(the_debug_file_of_what_is_gone_has_symbols),
		TEST(a_debug_file_of_another_object_is_not_used),
		TEST(a_stripped_object_has_the_symbols_of_perfs_copy),
		TEST(symbols_that_a_stripped_object_carries_along),
		TEST(the_debug_file_goes_before_what_is_carried_along),
		TEST(a_file_that_cannot_be_read_is_told),
		TEST(a_stripped_object_has_the_symbols_of_its_debug_file),
		TEST(objects_are_found_where_their_process_lives),
		TEST(a_file_without_a_build_id_is_judged),
		TEST(files_of_one_name),
		TEST(a_deleted_file_may_be_back),
		TEST(trees_without_links),
		TEST(modules_of_an_unpacked_package),
		cmocka_unit_test(each_file_is_read_once),
		cmocka_unit_test(of_a_kernel_in_its_memory),
		cmocka_unit_test(packages_of_kernels_are_plain_names),
	};

	return cmocka_run_group_tests_name("dso", tests, NULL, NULL);
}
