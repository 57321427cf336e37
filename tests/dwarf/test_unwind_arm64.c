// SPDX-License-Identifier: GPL-2.0-or-later
/* From a frame of arm64 to its caller: the return address is in a register or on the stack, and may
 * be signed. The program is tests/kept/arm64.c. */
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/arch/arm64.h"
#include "dwarf/elf/image.h"
#include "dwarf/unwind/unwind.h"
#include "tests/support/kept.h"

#define FRAME_POINTER 29
#define LINK_REGISTER 30
#define STACK_POINTER 31
#define COUNTER       32

#define STACK      UINT64_C(0x7ff0000)
#define RETURNS_TO UINT64_C(0x400b04)
/* bits above the address, but for bit 55, which says that it is of user space */
#define SIGNED (UINT64_C(0xff2a) << 48 & ~(UINT64_C(1) << 55))

static struct elf_image *image;
static struct unwind_table *table;
static char path[] = "/tmp/dtprof-unwind-XXXXXX";
static uint64_t stack[64];

static int open_program(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_true(kept_program("tests/kept/arm64.c",
				 "aarch64-linux-gnu-gcc -O2 -g -fno-pie -no-pie -nostdlib "
				 "-mno-outline-atomics -Wl,-e,of_thread "
				 "-Wl,--unresolved-symbols=ignore-all",
				 path));
	assert_null(elf_image_open(path, &image));
	assert_null(unwind_table_open(image, NULL, &table));
	return 0;
}

static int close_program(void **state)
{
	(void)state;
	unwind_table_close(table);
	elf_image_close(image);
	unlink(path);
	return 0;
}

static bool read_stack(void *data, uint64_t address, void *buffer, size_t size)
{
	(void)data;
	if (address < STACK || address - STACK + size > sizeof(stack))
		return false;
	memcpy(buffer, (const char *)stack + (address - STACK), size);
	return true;
}

/* Returns a frame at an offset in a function, whose registers have numbers of their own. */
static struct unwind_frame frame_in(const char *function, uint64_t offset)
{
	struct unwind_frame frame = { .numbers = &arch_arm64.frame, .exact = true };
	const struct symbol *symbol = elf_image_symbol_named(image, function);

	assert_non_null(symbol);
	for (unsigned int i = 0; i < LINK_REGISTER; i++)
		unwind_set_register(&frame, i, 1000 + i);
	unwind_set_register(&frame, STACK_POINTER, STACK + 64);
	unwind_set_register(&frame, COUNTER, symbol->address + offset);
	return frame;
}

static void step(struct unwind_frame *frame)
{
	const struct unwind_memory memory = { .read = read_stack };
	uint64_t counter;

	assert_true(unwind_register(frame, COUNTER, &counter));
	assert_int_equal(unwind_step(table, counter, 0, &memory, frame), UNWIND_CALLER);
}

static void expect(const struct unwind_frame *frame, unsigned int number, uint64_t expected)
{
	uint64_t value;

	assert_true(unwind_register(frame, number, &value));
	assert_int_equal(value, expected);
}

/* A function that calls nothing leaves the return address in x30. */
static void test_leaf(void **state)
{
	static const uint64_t signatures[] = { 0, SIGNED };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct unwind_frame frame = frame_in("pair_of", 4);

		unwind_set_register(&frame, LINK_REGISTER, RETURNS_TO | signatures[i]);
		step(&frame);
		expect(&frame, COUNTER, RETURNS_TO);
		expect(&frame, STACK_POINTER, STACK + 64);
		expect(&frame, FRAME_POINTER, 1000 + FRAME_POINTER);
		assert_false(frame.exact);
	}
}

/* Another one saves it beside the frame pointer. */
static void test_saved(void **state)
{
	static const uint64_t signatures[] = { 0, SIGNED };
	uint64_t value;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct unwind_frame frame = frame_in("result_in_memory", 16);

		stack[8] = STACK + 200; /* x29 */
		stack[9] = RETURNS_TO | signatures[i];
		step(&frame);
		expect(&frame, COUNTER, RETURNS_TO);
		expect(&frame, STACK_POINTER, STACK + 64 + 48);
		expect(&frame, FRAME_POINTER, STACK + 200);
		expect(&frame, 19, 1019);
		/* registers that a call may change are not known in the caller */
		assert_false(unwind_register(&frame, 3, &value));
	}
}

static void test_by_frame_pointer(void **state)
{
	const struct unwind_memory memory = { .read = read_stack };
	struct unwind_frame frame = frame_in("by_kind", 8);

	(void)state;
	unwind_set_register(&frame, FRAME_POINTER, STACK + 80);
	stack[10] = STACK + 300;
	stack[11] = RETURNS_TO | SIGNED;
	assert_int_equal(unwind_step_by_frame_pointer(&memory, &frame), UNWIND_CALLER);
	expect(&frame, COUNTER, RETURNS_TO);
	expect(&frame, FRAME_POINTER, STACK + 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_leaf),
		cmocka_unit_test(test_saved),
		cmocka_unit_test(test_by_frame_pointer),
	};

	return cmocka_run_group_tests(tests, open_program, close_program);
}
