// SPDX-License-Identifier: GPL-2.0-or-later
/* Late samples of arm64, whose instructions may be decoded in parts: Documentation/blame.md. */
#include "tests/support/unit.h"

#include <stdlib.h>

#include "annotate/solve/blame.h"
#include "base/memory.h"
#include "disasm/cfg.h"

#define START 0x1000

/* Decodes the words, and returns the part of an instruction that is charged with the samples at an
 * address. */
static uint64_t charged(const uint32_t *words, size_t count, uint64_t sampled, uint64_t came_from)
{
	struct cfg_range range = { .address = START,
				   .size = count * sizeof(*words),
				   .bytes = (const uint8_t *)words };
	struct cfg_request request = { .ranges = &range, .range_count = 1 };
	struct blame_charges charges = { 0 };
	struct decoder *decoder;
	struct blame blame;
	struct cfg *code;

	decoder = decoder_create(arch_named("aarch64"));
	assert_null(cfg_build(decoder, &request, &code));
	int64_t index = cfg_find(code, sampled);

	assert_true(index >= 0);
	_cleanup_free_ uint64_t *samples = xcalloc(code->insn_count, sizeof(*samples));

	samples[index] = 500;
	blame_init(&blame, code, samples, false);
	blame_sampled(&blame, (uint32_t)index, came_from, &charges);
	assert_int_equal(charges.count, 1);
	const struct insn *insn = &code->insns[charges.items[0].insn];
	uint64_t address = insn->address;

	assert_int_equal(charges.items[0].what == BLAME_ACCESS, insn_memory(insn, false) != NULL);

	blame_charges_deinit(&charges);
	blame_deinit(&blame);
	cfg_destroy(code);
	decoder_destroy(decoder);
	return address;
}

/* The part that moves the base register retires with the load. */
static void test_writeback(void **state)
{
	static const uint32_t words[] = {
		0xf8408420, /* ldr x0, [x1], #8 */
		0x91000442, /* add x2, x2, #1 */
		0xeb03003f, /* cmp x1, x3 */
		0x54ffffa1, /* b.ne START */
		0xd65f03c0, /* ret */
	};

	(void)state;
	assert_int_equal(charged(words, 5, START + 4, TYPE_RESOLVER_CAME_UNKNOWN), START);
}

/* Branch records have the address of the instruction, not that of its part that branches. */
static void test_branch_record(void **state)
{
	static const uint32_t words[] = {
		0xf9400020, /* ldr x0, [x1] */
		0xb4000060, /* cbz x0, START + 16 */
		0xf9400043, /* ldr x3, [x2] */
		0xb4000023, /* cbz x3, START + 16 */
		0x91000442, /* add x2, x2, #1 */
		0xd65f03c0, /* ret */
	};

	(void)state;
	/* too few samples to tell the loads from the branches: the path is what is tested */
	assert_int_equal(charged(words, 6, START + 16, START + 4), START + 4 + 1);
	assert_int_equal(charged(words, 6, START + 16, START + 12), START + 12 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_writeback),
		cmocka_unit_test(test_branch_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
