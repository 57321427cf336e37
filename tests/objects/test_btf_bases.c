// SPDX-License-Identifier: GPL-2.0-or-later
/* BTF that modules share is read once. */
#include "tests/support/unit.h"

#include <elf.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/objects/dso_btf.h"
#include "tests/support/btf_writer.h"
#include "tests/support/elf_writer.h"
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

/* A kernel's memory: which of it is the BTF, its symbols tell. */
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
	unsigned int section =
		elf_writer_section(writer, "memory", SHT_PROGBITS, SHF_ALLOC, MEMORY, memory, sizeof(memory));

	elf_writer_segment(writer, PT_LOAD, PF_R | PF_X, section, MEMORY, sizeof(memory), 4096);
	_cleanup_free_ uint8_t *core = elf_writer_finish(writer, &core_size);
	_cleanup_free_ char *text = xasprintf("%llx T _text\n%llx T _etext\n", MEMORY + 0ULL, MEMORY + 64ULL);
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
	const struct CMUnitTest tests[] = { cmocka_unit_test(each_file_is_read_once),
					    cmocka_unit_test(of_a_kernel_in_its_memory) };

	return cmocka_run_group_tests_name("btf_bases", tests, NULL, NULL);
}
