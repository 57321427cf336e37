// SPDX-License-Identifier: GPL-2.0-or-later
/* Decodes any bytes as code. Each instruction must fit into the input and have sensible operands;
 * all of them together are a function with a sound graph; and they are read as jump tables. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/cfg.h"
#include "disasm/insn.h"
#include "tests/disasm/invariants.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned int seed);
/* libFuzzer has it; the driver of files does not */
__attribute__((weak)) size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t capacity);

#define BASE UINT64_C(0x401000)

/*
 * The longest input that the fuzzer makes: room for some forty instructions, or a switch with
 * its table. Longer input would find nothing new and take the time of many. Given inputs are not
 * cut.
 */
#define INPUT_MAX ((size_t)128)

struct input {
	const uint8_t *data;
	size_t size;
};

static void check(const char *broken)
{
	if (!broken)
		return;
	fprintf(stderr, "broken: %s\n", broken);
	abort();
}

/* The input is the only readable memory. */
static bool read_input(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct input *input = data;

	if (address < BASE || address - BASE > input->size || size > input->size - (address - BASE))
		return false;
	memcpy(buffer, input->data + (address - BASE), size);
	return true;
}

static bool never_returns(void *data, uint64_t address, uint64_t target, uint64_t slot)
{
	(void)data;
	(void)address;
	(void)slot;
	return target % 4 == 1;
}

static void check_instructions(struct decoder *decoder, const uint8_t *data, size_t size)
{
	struct insn insn;
	char text[64];

	for (size_t offset = 0; offset < size; offset += insn.length) {
		decoder_decode(decoder, data + offset, size - offset, BASE + offset, &insn);
		check(broken_insn(&insn, size - offset));
		if (decoder_length(decoder, data + offset, size - offset) != insn.length)
			check("the length alone is another one");
		(void)operation_name(insn.operation);
		decoder_format(decoder, data + offset, size - offset, BASE + offset, text,
			       sizeof(text));
	}
}

/* Decodes the input as one function of two ranges, which overlap or leave a gap, depending on its
 * first bytes. */
static void check_code(struct decoder *decoder, const uint8_t *data, size_t size)
{
	struct input input = { data, size };
	size_t first = size > 1 ? data[0] * size / 256 : size;
	size_t second = size > 1 ? data[1] * size / 256 : size;
	const struct cfg_range ranges[] = {
		{ .address = BASE, .size = first, .bytes = data },
		{ .address = BASE + second, .size = size - second, .bytes = data + second },
	};
	const uint64_t leaders[] = { BASE + size / 2, BASE + size / 3, BASE + size };
	const struct cfg_request request = {
		.ranges = ranges,
		.range_count = 2,
		.leaders = leaders,
		.leader_count = 3,
		.no_return = never_returns,
		.read = read_input,
		.data = &input,
	};
	struct cfg *code;
	struct error *error = cfg_build(decoder, &request, &code);

	if (error) {
		error_destroy(error);
		return;
	}
	check(broken_code(code));
	for (size_t i = 0; i < code->insn_count; i++)
		check(broken_insn(&code->insns[i], 15));
	cfg_destroy(code);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t capacity, unsigned int seed)
{
	(void)seed;
	return LLVMFuzzerMutate(data, size < INPUT_MAX ? size : INPUT_MAX,
				capacity < INPUT_MAX ? capacity : INPUT_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct decoder *decoder;

	if (!decoder)
		decoder = decoder_create(&arch_x86_64);
	check_instructions(decoder, data, size);
	check_code(decoder, data, size);
	return 0;
}
