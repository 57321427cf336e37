// SPDX-License-Identifier: GPL-2.0-or-later
/* BTF that modules share is read once. */
#include "tests/support/unit.h"

#include "profiler/base/memory.h"
#include "profiler/ingest/btf_bases.h"
#include "tests/support/btf_writer.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

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
	assert_null(btf_bases_open(bases, path, &first));
	assert_null(btf_bases_open(bases, path, &second));
	assert_non_null(first);
	assert_ptr_equal(first, second);

	struct error *error = btf_bases_open(bases, missing, &none);

	assert_non_null(error);
	assert_null(none);
	error_free(error);
	btf_bases_destroy(bases);
	scratch_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_file_is_read_once) };

	return cmocka_run_group_tests_name("btf_bases", tests, NULL, NULL);
}
