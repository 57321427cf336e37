// SPDX-License-Identifier: GPL-2.0-or-later
/* Code of 32-bit programs is not decoded as 64-bit code, in which the same bytes are other
 * instructions. */
#include "tests/support/unit.h"

#include <elf.h>
#include <stdlib.h>

#include "annotate/solve/type_resolver.h"
#include "base/memory.h"
#include "tests/support/elf_writer.h"

/* incl %eax; movl 4(%esp), %eax; retl -- with a REX prefix before it the first one is part of the
 * second */
static const uint8_t code[] = { 0x40, 0x8b, 0x44, 0x24, 0x04, 0xc3 };

static void resolve(bool narrow, struct access *access)
{
	struct elf_writer *writer = elf_writer_create(ET_EXEC);
	static const uint64_t addresses[] = { 0x1000 };
	struct type_resolver_options options = { .threads = 1 };
	struct type_resolver *resolver;
	struct elf_image *image;
	size_t size;

	if (narrow)
		elf_writer_set_narrow(writer);
	unsigned int text =
		elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000,
				   code, sizeof(code));

	elf_writer_symbol(writer, "work", STT_FUNC, STB_GLOBAL, (uint16_t)text, 0x1000,
			  sizeof(code));
	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);

	assert_null(elf_image_open_memory(bytes, size, "test", &image));
	assert_int_equal(elf_image_arch(image) == &arch_x86_64, !narrow);
	assert_null(type_resolver_create(image, NULL, &options, &resolver));
	type_resolver_resolve(resolver, addresses, NULL, 1, access);
	type_resolver_destroy(resolver);
	elf_image_close(image);
}

static void only_code_of_64_bits_is_read(void **state)
{
	struct access access;

	(void)state;
	resolve(true, &access);
	assert_int_equal(access.kind, ACCESS_NO_CODE);
	assert_int_equal(access.reason, REASON_NO_CODE);
	assert_int_equal(access.address, 0x1000);
	resolve(false, &access);
	assert_int_not_equal(access.kind, ACCESS_NO_CODE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_code_of_64_bits_is_read),
	};

	return cmocka_run_group_tests_name("i386", tests, NULL, NULL);
}
