// SPDX-License-Identifier: GPL-2.0-or-later
/* Build ids, and finding the separate debug file and the file that dwz shares, in a folder of the
 * test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/memory.h"
#include "tests/support/files.h"
#include "tests/support/process.h"
#include "tests/support/unit.h"
#include "tests/support/elf_writer.h"

static const uint8_t id[20] = { 0xab, 0xcd, 0xef, 1,  2,  3,  4,  5,  6,  7,
				8,    9,    10,   11, 12, 13, 14, 15, 16, 17 };
static const uint8_t other_id[20] = { 0xab, 0xcd, 0xef };
#define ID_PATH ".build-id/ab/cdef0102030405060708090a0b0c0d0e0f1011.debug"

/* ---- notes */

static void build_ids_are_found_among_notes(void **state)
{
	static const uint32_t notes[] = {
		4,          5,          7,
		0x00554e47, 1,          2, /* GNU, another type, 5 bytes and padding */
		5,          4,          NT_GNU_BUILD_ID,
		0x6c6c6f48, 0,          3, /* the owner "Holl", which is not GNU's */
		4,          8,          NT_GNU_BUILD_ID,
		0x00554e47, 0x03020100, 0x07060504,
	};
	struct build_id build_id;

	(void)state;
	assert_true(build_id_from_notes(notes, sizeof(notes), &build_id));
	assert_string_equal(build_id_text(&build_id).hex, "0001020304050607");
	for (size_t size = 0; size < sizeof(notes); size++) {
		void *cut = xmalloc(size + 1);

		memcpy(cut, notes, size);
		assert_false(build_id_from_notes(cut, size, &build_id));
		assert_int_equal(build_id.size, 0);
		free(cut);
	}
}

static void sizes_in_notes_are_not_believed(void **state)
{
	static const uint32_t huge[][3] = {
		{ UINT32_MAX, 20, NT_GNU_BUILD_ID },
		{ 4, UINT32_MAX, NT_GNU_BUILD_ID },
		{ UINT32_MAX - 2, UINT32_MAX - 2, NT_GNU_BUILD_ID },
	};
	struct build_id build_id;

	(void)state;
	for (size_t i = 0; i < sizeof(huge) / sizeof(huge[0]); i++) {
		uint32_t note[8] = { huge[i][0], huge[i][1], huge[i][2], 0x00554e47 };

		assert_false(build_id_from_notes(note, sizeof(note), &build_id));
	}
}

static void long_build_ids_are_cut_as_in_perf_data(void **state)
{
	uint32_t note[4 + 16] = { 4, 64, NT_GNU_BUILD_ID, 0x00554e47, 0x11111111 };
	struct build_id build_id;

	(void)state;
	assert_true(build_id_from_notes(note, sizeof(note), &build_id));
	assert_int_equal(build_id.size, BUILD_ID_SIZE);
	assert_int_equal(build_id.bytes[0], 0x11);
}

/* ---- files */

/* a real path, because a file that is found beside another one has a real folder */
static char *folder;

static char *in_folder(const char *path)
{
	return xasprintf("%s/%s", folder, path);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
	_cleanup_free_ char *full = in_folder(path);

	for (char *slash = full + strlen(folder) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(full, 0700);
		*slash = '/';
	}
	file_write(full, bytes, size);
}

/* Writes a file with this build id (NULL: none) and an optional section. */
static void write_image(const char *path, const uint8_t *build_id, const char *link,
			const void *link_bytes, size_t link_size)
{
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	_cleanup_free_ uint8_t *bytes = NULL;
	size_t size;

	if (build_id)
		elf_writer_build_id(writer, build_id, sizeof(id));
	if (link)
		elf_writer_section(writer, link, SHT_PROGBITS, 0, 0, link_bytes, link_size);
	bytes = elf_writer_finish(writer, &size);
	write_file(path, bytes, size);
}

/* Returns the debug file found for `path`, relative to the folder; "" for none. */
static char *found_for(const char *path,
		       struct error *(*find)(const struct elf_image *image,
					     const char *const *directories, char **path))
{
	_cleanup_free_ char *full = in_folder(path);
	_cleanup_free_ char *first = in_folder("first");
	_cleanup_free_ char *second = in_folder("second");
	_cleanup_free_ char *tree = in_folder("tree/usr/lib/debug");
	const char *directories[] = { first, second, tree, NULL };
	struct elf_image *image;
	char *found, *result;

	assert_null(elf_image_open(full, &image));
	assert_null(find(image, directories, &found));
	elf_image_close(image);
	if (!found)
		return xstrdup("");
	assert_int_equal(strncmp(found, folder, strlen(folder)), 0);
	result = xstrdup(found + strlen(folder) + 1);
	free(found);
	return result;
}

static void expect(const char *path, const char *expected)
{
	_cleanup_free_ char *found = found_for(path, elf_image_find_debug_file);

	assert_string_equal(found, expected);
}

/* .gnu_debuglink: name, padding to 4, CRC-32 of the whole file */
static size_t debug_link(const char *name, uint32_t crc, char *buffer)
{
	size_t length = (strlen(name) + 4) / 4 * 4;

	memset(buffer, 0, length);
	memcpy(buffer, name, strlen(name));
	memcpy(buffer + length, &crc, sizeof(crc));
	return length + sizeof(crc);
}

static void the_build_id_leads_to_the_debug_file(void **state)
{
	(void)state;
	write_image("bin/program", id, NULL, NULL, 0);
	expect("bin/program", "");
	write_image("first/" ID_PATH, other_id, NULL, NULL, 0); /* a wrong file */
	expect("bin/program", "");
	write_image("second/" ID_PATH, id, ".extra", "x", 1);
	expect("bin/program", "second/" ID_PATH);
	write_image("first/" ID_PATH, id, ".extra", "x", 1);
	expect("bin/program", "first/" ID_PATH);
}

static void a_file_is_not_its_own_debug_file(void **state)
{
	_cleanup_free_ char *from = in_folder("own/program"), *to = in_folder("first/" ID_PATH);

	(void)state;
	write_image("own/program", id, NULL, NULL, 0);
	write_file("first/.build-id/ab/place", "", 0);
	assert_int_equal(symlink(from, to), 0);
	expect("own/program", "");
}

/* The search order is: beside the file, in .debug, under each directory with the file's folder. */
static void the_link_leads_to_the_debug_file(void **state)
{
	_cleanup_free_ char *far = xasprintf("second%s/linked", folder);
	_cleanup_free_ char *far_debug = xasprintf("%s/program.debug", far);
	char link[64];
	size_t size = debug_link("program.debug", 0, link);

	(void)state;
	write_image("linked/program", id, ".gnu_debuglink", link, size);
	expect("linked/program", "");
	write_image(far_debug, id, ".extra", "x", 1);
	expect("linked/program", far_debug);
	write_image("linked/.debug/program.debug", id, ".extra", "x", 1);
	expect("linked/program", "linked/.debug/program.debug");
	write_image("linked/program.debug", other_id, ".extra", "x", 1);
	expect("linked/program", "linked/.debug/program.debug");
	write_image("linked/program.debug", id, ".extra", "x", 1);
	expect("linked/program", "linked/program.debug");
}

/* Distributions put the debug file under the program's own path, without a link. */
static void the_own_path_leads_to_the_debug_file(void **state)
{
	_cleanup_free_ char *bare = xasprintf("first%s/plain/program", folder);
	_cleanup_free_ char *suffixed = xasprintf("%s.debug", bare);

	(void)state;
	write_image("plain/program", id, NULL, NULL, 0);
	expect("plain/program", "");
	write_image(bare, id, ".extra", "x", 1);
	expect("plain/program", bare);
	write_image(suffixed, id, ".extra", "x", 1);
	expect("plain/program", suffixed);
	write_image("plain/.debug/program", id, ".extra", "x", 1);
	expect("plain/program", "plain/.debug/program");
	write_image("plain/.debug/program", NULL, ".extra", "x", 1);
	expect("plain/program", suffixed);
	write_image("plain/program", NULL, NULL, NULL, 0);
	expect("plain/program", "");
}

/* The debug files of a tree are called as its files are in the tree. */
static void a_tree_has_debug_files_of_its_own(void **state)
{
	static const char link[] = "other.debug\0crc";

	(void)state;
	write_image("tree/bin/program", id, NULL, NULL, 0);
	write_image("tree/usr/lib/debug/bin/program.debug", id, NULL, NULL, 0);
	expect("tree/bin/program", "tree/usr/lib/debug/bin/program.debug");
	write_image("tree/bin/linked", other_id, ".gnu_debuglink", link, sizeof(link));
	write_image("tree/usr/lib/debug/bin/other.debug", other_id, NULL, NULL, 0);
	expect("tree/bin/linked", "tree/usr/lib/debug/bin/other.debug");
}

static void without_build_ids_the_checksum_counts(void **state)
{
	static const char debug_section[] =
		"the checksum of this file is fixed by what it is made of";
	char link[64];
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	_cleanup_free_ uint8_t *bytes = NULL;
	uint32_t crc = UINT32_MAX;
	size_t size;

	(void)state;
	elf_writer_section(writer, ".extra", SHT_PROGBITS, 0, 0, debug_section,
			   sizeof(debug_section));
	bytes = elf_writer_finish(writer, &size);
	for (size_t i = 0; i < 8 * size; i++) { /* bit by bit, as ISO 3309 defines it */
		uint32_t bit = (crc ^ bytes[i / 8] >> i % 8) & 1;

		crc = crc >> 1 ^ (bit ? 0xedb88320 : 0);
	}
	write_file("checked/program.debug", bytes, size);
	write_image("checked/program", NULL, ".gnu_debuglink", link,
		    debug_link("program.debug", ~crc, link));
	expect("checked/program", "checked/program.debug");
	write_image("checked/program", NULL, ".gnu_debuglink", link,
		    debug_link("program.debug", ~crc + 1, link));
	expect("checked/program", "");
	/* a link must not lead out of the folder */
	write_image("checked/sub/program", NULL, ".gnu_debuglink", link,
		    debug_link("../program.debug", ~crc, link));
	expect("checked/sub/program", "");
}

/* A sparse file has any size at once, but its sum takes long. */
static void files_too_large_to_sum_are_errors(void **state)
{
	_cleanup_free_ char *path = in_folder("huge/program");
	_cleanup_free_ char *huge = in_folder("huge/program.debug");
	_cleanup_free_ char *far = xasprintf("second%s/huge/program.debug", folder);
	struct elf_writer *writer = elf_writer_create(ET_DYN);
	_cleanup_free_ uint8_t *bytes = NULL;
	struct elf_image *image;
	struct error *error;
	char *found, link[64];
	size_t size;

	(void)state;
	bytes = elf_writer_finish(writer, &size);
	write_image("huge/program", NULL, ".gnu_debuglink", link,
		    debug_link("program.debug", (uint32_t)crc32(0, bytes, (uInt)size), link));
	write_file("huge/program.debug", bytes, size);
	expect("huge/program", "huge/program.debug");
	if (truncate(huge, (off_t)1 << 40))
		skip_because("this file system takes no file of a terabyte");
	assert_null(elf_image_open(path, &image));
	error = elf_image_find_debug_file(image, (const char *const[]){ NULL }, &found);
	assert_non_null(error);
	assert_null(found);
	assert_non_null(strstr(error->message, huge));
	assert_non_null(strstr(error->message, "1099511627776 bytes"));
	error_destroy(error);
	elf_image_close(image);
	/* it does not hide the right file */
	write_file(far, bytes, size);
	expect("huge/program", far);
	/* and a build id needs no sum */
	write_image("huge/program", id, ".gnu_debuglink", link,
		    debug_link("program.debug", 0, link));
	write_image("huge/program.debug", id, ".extra", "x", 1);
	assert_int_equal(truncate(huge, (off_t)1 << 40), 0);
	expect("huge/program", "huge/program.debug");
}

static void broken_links_are_no_links(void **state)
{
	(void)state;
	write_image("broken/program", NULL, ".gnu_debuglink", "no end", 6);
	expect("broken/program", "");
	write_image("broken/program", NULL, ".gnu_debuglink", "short\0\0\0crc", 10);
	expect("broken/program", "");
	write_image("broken/program", NULL, ".gnu_debuglink", "", 1);
	expect("broken/program", "");
}

static void a_debug_file_that_cannot_be_read_is_an_error(void **state)
{
	_cleanup_free_ char *path = in_folder("bad/program");
	_cleanup_free_ char *first = in_folder("first");
	const char *directories[] = { first, NULL };
	struct elf_image *image;
	struct error *error;
	char *found;

	(void)state;
	write_image("bad/program", id, NULL, NULL, 0);
	write_file("first/" ID_PATH, "\177ELF", 4);
	assert_null(elf_image_open(path, &image));
	error = elf_image_find_debug_file(image, directories, &found);
	assert_non_null(error);
	assert_null(found);
	assert_non_null(strstr(error->message, ID_PATH));
	error_destroy(error);
	elf_image_close(image);
}

static void expect_shared(const char *path, const char *expected)
{
	_cleanup_free_ char *found = found_for(path, elf_image_find_alt_file);

	assert_string_equal(found, expected);
}

static void the_shared_file_of_dwz(void **state)
{
	char link[] = "../../.dwz/shared.debug\0BUILD-ID-OF-20-BYTES";
	_cleanup_free_ char *path = in_folder("dwz/deep/program.debug");
	struct elf_image *image;
	struct error *error;
	char *found;

	(void)state;
	memcpy(strchr(link, '\0') + 1, id, sizeof(id));
	write_image("dwz/deep/unlinked", id, NULL, NULL, 0);
	expect_shared("dwz/deep/unlinked", "");
	write_image("dwz/deep/unnamed", id, ".gnu_debugaltlink", "no-build-id", 12);
	free(path);
	path = in_folder("dwz/deep/unnamed");
	assert_null(elf_image_open(path, &image));
	error = elf_image_find_alt_file(image, NULL, &found);
	assert_non_null(error);
	assert_int_equal(error->code, ERROR_FORMAT);
	error_destroy(error);
	elf_image_close(image);
	free(path);
	path = in_folder("dwz/deep/program.debug");
	write_image("dwz/deep/program.debug", other_id, ".gnu_debugaltlink", link,
		    sizeof(link) - 1);

	assert_null(elf_image_open(path, &image));
	error = elf_image_find_alt_file(image, (const char *const[]){ NULL }, &found);
	assert_non_null(error);
	assert_int_equal(error->code, ERROR_NO_DEBUG_INFO);
	assert_non_null(strstr(error->message, "shared.debug"));
	assert_non_null(strstr(error->message, "abcdef0102030405060708090a0b0c0d0e0f1011"));
	error_destroy(error);
	elf_image_close(image);

	write_image("second/.dwz/shared.debug", id, NULL, NULL, 0);
	expect_shared("dwz/deep/program.debug", "second/.dwz/shared.debug");
	write_image("first/" ID_PATH, id, NULL, NULL, 0);
	expect_shared("dwz/deep/program.debug", "first/" ID_PATH);
	/* a debug file of another system belongs to that system's folder of debug files */
	write_image("tree/usr/lib/debug/deep/program.debug", other_id, ".gnu_debugaltlink", link,
		    sizeof(link) - 1);
	write_image("tree/usr/lib/debug/.dwz/shared.debug", id, NULL, NULL, 0);
	expect_shared("tree/usr/lib/debug/deep/program.debug",
		      "tree/usr/lib/debug/.dwz/shared.debug");
	write_image("other/bin/program", other_id, ".gnu_debugaltlink", link, sizeof(link) - 1);
	write_image("other/usr/lib/debug/" ID_PATH, id, NULL, NULL, 0);
	expect_shared("other/bin/program", "other/usr/lib/debug/" ID_PATH);
	write_image(".dwz/shared.debug", other_id, NULL, NULL, 0);
	expect_shared("dwz/deep/program.debug", "first/" ID_PATH);
	write_image(".dwz/shared.debug", id, NULL, NULL, 0);
	expect_shared("dwz/deep/program.debug", "dwz/deep/../../.dwz/shared.debug");
}

static int make_folder(void **state)
{
	(void)state;
	folder = scratch_create();
	return 0;
}

static int remove_folder(void **state)
{
	(void)state;
	scratch_remove(folder);
	return 0;
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(build_ids_are_found_among_notes),
		cmocka_unit_test(sizes_in_notes_are_not_believed),
		cmocka_unit_test(long_build_ids_are_cut_as_in_perf_data),
		WITH_FOLDER(the_build_id_leads_to_the_debug_file),
		WITH_FOLDER(a_file_is_not_its_own_debug_file),
		WITH_FOLDER(the_link_leads_to_the_debug_file),
		WITH_FOLDER(the_own_path_leads_to_the_debug_file),
		WITH_FOLDER(a_tree_has_debug_files_of_its_own),
		WITH_FOLDER(without_build_ids_the_checksum_counts),
		WITH_FOLDER(files_too_large_to_sum_are_errors),
		WITH_FOLDER(broken_links_are_no_links),
		WITH_FOLDER(a_debug_file_that_cannot_be_read_is_an_error),
		WITH_FOLDER(the_shared_file_of_dwz),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
