// SPDX-License-Identifier: GPL-2.0-or-later
/* The code of a kernel as it runs: which instructions are replaced at boot on every machine, and
 * which stay. */
#include "tests/support/unit.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "dwarf/elf/image.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "tests/support/elf_writer.h"
#include "tests/support/files.h"
#include "tests/support/process.h"

#define TEXT         UINT64_C(0xffffffff81000000)
#define PAGE         4096
#define CODE         (TEXT + 2 * PAGE) /* a page of its own in the file, too */
#define DATA         UINT64_C(0xffffffff82000000)
#define ALTERNATIVES UINT64_C(0xffffffff83000000)
#define CALLS        UINT64_C(0xffffffff83001000)
#define REPLACEMENT  UINT64_C(0xffffffff83002000)
#define XENPV        (8 * 32 + 16)
#define ALWAYS       (3 * 32 + 21)
#define SOMETHING    (1 * 32 + 5)

static void add_u32(struct strbuf *buffer, uint64_t value)
{
	strbuf_add(buffer, &(uint32_t){ (uint32_t)value }, 4);
}

/* Adds an alternative. Since 6.3 `flags` are in a word of their own; before, the only flag is in
 * the feature. */
static void add_alternative(struct strbuf *buffer, bool wide, uint64_t site, uint64_t replacement,
			    uint16_t feature, uint16_t flags, uint8_t size,
			    uint8_t replacement_size)
{
	uint64_t at = ALTERNATIVES + buffer->length;
	uint16_t word = wide ? feature : (uint16_t)(feature | flags << 15);

	add_u32(buffer, site - at);
	add_u32(buffer, replacement - (at + 4));
	strbuf_add(buffer, &word, 2);
	if (wide)
		strbuf_add(buffer, &flags, 2);
	strbuf_add_char(buffer, (char)size);
	strbuf_add_char(buffer, (char)replacement_size);
}

/* At TEXT + 0, 16, 32 and 48 there is call *pv(%rip). TEXT + 64 is the pointer's target. */
static struct elf_image *open_kernel(bool wide, char **folder)
{
	struct elf_writer *writer = elf_writer_create(ET_EXEC);
	_cleanup_strbuf_ struct strbuf alternatives = STRBUF_INIT, calls = STRBUF_INIT;
	uint8_t code[80];
	uint64_t target = TEXT + 64;
	struct elf_image *image;
	size_t size;

	memset(code, 0xcc, sizeof(code));
	for (size_t i = 0; i < 4; i++) {
		uint32_t displacement = (uint32_t)(DATA - (TEXT + 16 * i + 6));

		memcpy(code + 16 * i, "\xff\x15", 2);
		memcpy(code + 16 * i + 2, &displacement, 4);
		code[16 * i + 6] = 0xc3;
	}
	for (size_t i = 0; i < 3; i++) {
		add_u32(&calls, TEXT + 16 * i);
		add_u32(&calls, (TEXT + 16 * i) >> 32);
		strbuf_add(&calls, "\x00\x06\x00\x00\x00\x00\x00\x00", 8);
	}
	/* pushf; pop %rax except in a Xen guest; something else if the processor has the feature; a
	 * jump in all cases */
	add_alternative(&alternatives, wide, TEXT + 16, REPLACEMENT, XENPV, 1, 6, 2);
	add_alternative(&alternatives, wide, TEXT + 32, REPLACEMENT, SOMETHING, 0, 6, 2);
	add_alternative(&alternatives, wide, TEXT + 48, REPLACEMENT + 2, ALWAYS, 0, 6, 5);

	unsigned int text = elf_writer_section(writer, ".text", SHT_PROGBITS,
					       SHF_ALLOC | SHF_EXECINSTR, TEXT, code, sizeof(code));

	elf_writer_section(writer, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, DATA, &target, 8);
	elf_writer_section(writer, ".altinstructions", SHT_PROGBITS, SHF_ALLOC, ALTERNATIVES,
			   alternatives.data, alternatives.length);
	elf_writer_section(writer, ".parainstructions", SHT_PROGBITS, SHF_ALLOC, CALLS, calls.data,
			   calls.length);
	elf_writer_section(writer, ".altinstr_replacement", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR,
			   REPLACEMENT, "\x9c\x58\xe9\x10\x00\x00\x00", 7);
	for (size_t i = 0; i < 4; i++)
		elf_writer_symbol(writer,
				  i ? i == 1       ? "one"
					  : i == 2 ? "two"
						   : "three"
				    : "zero",
				  STT_FUNC, STB_GLOBAL, (uint16_t)text, TEXT + 16 * i, 16);
	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &size);

	*folder = scratch_create();
	_cleanup_free_ char *path = xasprintf("%s/vmlinux", *folder);
	file_write(path, bytes, size);
	assert_null(elf_image_open(path, &image));
	return image;
}

static void assert_code(const struct elf_image *image, uint64_t address, const char *expected,
			size_t size)
{
	size_t available;

	assert_memory_equal(elf_image_bytes(image, address, &available), expected, size);
}

static void check(bool wide)
{
	const uint64_t addresses[] = { TEXT + 6, TEXT + 16, TEXT + 17, TEXT + 33, TEXT + 48 };
	char *folder;
	struct elf_image *image = open_kernel(wide, &folder);

	elf_image_apply_alternatives(image, addresses, 5);
	/* the call is direct, to the pointer's target: 64 - 5 */
	assert_code(image, TEXT, "\xe8\x3b\x00\x00\x00\x90\xc3\xcc", 8);
	/* the callee's code replaces the call */
	assert_code(image, TEXT + 16, "\x9c\x58\x90\x90\x90\x90\xc3\xcc", 8);
	/* which code replaces it is not known, but the call is direct in any case */
	assert_code(image, TEXT + 32, "\xe8\x1b\x00\x00\x00\x90\xc3\xcc", 8);
	/* a jump keeps its target: REPLACEMENT + 7 + 16 */
	uint32_t displacement = (uint32_t)(REPLACEMENT + 7 + 16 - (TEXT + 48 + 5));
	size_t available;

	assert_code(image, TEXT + 48, "\xe9", 1);
	assert_memory_equal(elf_image_bytes(image, TEXT + 49, &available), &displacement, 4);
	assert_code(image, TEXT + 53, "\x90\xc3", 2);
	elf_image_close(image);
	scratch_remove(folder);
}

static void entries_of_old_kernels(void **state)
{
	(void)state;
	check(false);
}

static void entries_with_flags(void **state)
{
	(void)state;
	check(true);
}

#define NO_LIMITS 77 /* exit status */

/* Without memory for the replaced code, the code in the file would give other types. */
static void a_lack_of_memory_is_no_answer(void **state)
{
	char *folder;
	struct elf_image *image = open_kernel(false, &folder);
	pid_t child = fork();
	int status;

	(void)state;
	if (!child) {
		setrlimit(RLIMIT_DATA, &(struct rlimit){ 0, 0 });
		if (mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			 0) != MAP_FAILED)
			_exit(NO_LIMITS);
		(void)!freopen("/dev/null", "w", stderr);
		elf_image_apply_alternatives(image, &(uint64_t){ TEXT + 16 }, 1);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	elf_image_close(image);
	scratch_remove(folder);
	if (WEXITSTATUS(status) == NO_LIMITS)
		skip_because("RLIMIT_DATA limits nothing here, as in an emulator");
	assert_int_equal(WEXITSTATUS(status), 2);
}

static void functions_that_nobody_asks_for_stay(void **state)
{
	char *folder;
	struct elf_image *image = open_kernel(false, &folder);

	(void)state;
	elf_image_apply_alternatives(image, &(uint64_t){ TEXT + 16 }, 1);
	assert_code(image, TEXT, "\xff\x15", 2);
	assert_code(image, TEXT + 16, "\x9c\x58", 2);
	elf_image_close(image);
	scratch_remove(folder);
}

/* Calls __fentry__, whose code is a return and `size` bytes long, at the entries of two functions
 * (the second one begins with endbr64), and once elsewhere. */
static void check_entries(uint64_t size, bool replaced)
{
	static const uint8_t code[] = {
		0xe8, 0x2b, 0,    0,    0,    0xe8, 0x26, 0,
		0,    0,    0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, /* one */
		0xf3, 0x0f, 0x1e, 0xfa, 0xe8, 0x17, 0,    0,
		0,    0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, /* two */
		0xe8, 0x0c, 0,    0,    0,    0xc3, 0xcc, 0xcc,
		0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc, /* three */
		0xc3, 0xc3,                                     /* __fentry__, other */
	};
	static uint8_t text_bytes[4 * PAGE];
	const uint64_t addresses[] = { CODE, CODE + 16, CODE + 32 };
	struct elf_writer *writer = elf_writer_create(ET_EXEC);
	struct elf_image *image;
	size_t length;

	memcpy(text_bytes + (CODE - TEXT), code, sizeof(code));
	unsigned int text =
		elf_writer_section(writer, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT,
				   text_bytes, sizeof(text_bytes));

	for (size_t i = 0; i < 3; i++)
		elf_writer_symbol(writer, (const char *[]){ "one", "two", "three" }[i], STT_FUNC,
				  STB_GLOBAL, (uint16_t)text, CODE + 16 * i, 16);
	elf_writer_symbol(writer, "__fentry__", STT_FUNC, STB_GLOBAL, (uint16_t)text, CODE + 48,
			  size);
	elf_writer_symbol(writer, "other", STT_FUNC, STB_GLOBAL, (uint16_t)text, CODE + 49, 1);
	_cleanup_free_ uint8_t *bytes = elf_writer_finish(writer, &length);
	char *folder = scratch_create();
	_cleanup_free_ char *path = xasprintf("%s/vmlinux", folder);

	file_write(path, bytes, length);
	assert_null(elf_image_open(path, &image));
	elf_image_apply_alternatives(image, addresses, 3);
	elf_image_done_with_code(image, 0, UINT64_MAX); /* the pages that were changed are kept */
	/* the second call of the first function is the source's */
	assert_code(image, CODE,
		    replaced ? "\x0f\x1f\x44\0\0\xe8\x26\0\0\0" : "\xe8\x2b\0\0\0\xe8\x26\0\0\0",
		    10);
	assert_code(image, CODE + 16, "\xf3\x0f\x1e\xfa", 4);
	assert_code(image, CODE + 20, replaced ? "\x0f\x1f\x44\0\0\xc3" : "\xe8\x17\0\0\0\xc3", 6);
	assert_code(image, CODE + 32, "\xe8\x0c\0\0\0", 5);
	elf_image_close(image);
	scratch_remove(folder);
}

static void the_tracer_is_not_called(void **state)
{
	(void)state;
	check_entries(1, true);
}

/* __fentry__ does more than return, so the calls stay. */
static void a_tracer_that_is_always_called(void **state)
{
	(void)state;
	check_entries(200, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_of_old_kernels),
		cmocka_unit_test(entries_with_flags),
		cmocka_unit_test(a_lack_of_memory_is_no_answer),
		cmocka_unit_test(functions_that_nobody_asks_for_stay),
		cmocka_unit_test(the_tracer_is_not_called),
		cmocka_unit_test(a_tracer_that_is_always_called),
	};

	return cmocka_run_group_tests_name("elf_alternatives", tests, NULL, NULL);
}
