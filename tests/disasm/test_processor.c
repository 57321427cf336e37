// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares the decoder with the processor. Each instruction of decoder_cases.h that this processor
 * has is run. What changes must be what the decoder said, and memory operands must have the stated
 * size to the byte.
 */
#include "base/arch/x86_64.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/insn.h"
#include "tests/disasm/decoder_cases.h"
#include "tests/support/machine.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* The signals for an instruction that the processor does not have, or that a program may not run.
 */
#define SIGNAL_ILLEGAL 4
#define SIGNAL_ACCESS  11
#define SIGNAL_BUS     7
#define TRIALS         6
#define PADDED         16
/* Every x86-64 processor has at least this many of the rows. */
#define EXECUTED_AT_LEAST 200

/* The instruction after the tested one, whose length tells where a step ended. */
static const uint8_t short_nop[] = { 0x90 };
static const uint8_t long_nop[] = { 0x0f, 0x1f, 0x00 };

static struct decoder *decoder;
static struct machine *machine;

static int set_up(void **state)
{
	(void)state;
	decoder = decoder_create(&arch_x86_64);
	assert_non_null(decoder);
	machine = machine_create();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	decoder_destroy(decoder);
	machine_destroy(machine);
	return 0;
}

/* The numbers are the same in each run, so that a failure can be repeated. */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Returns true for instructions that can be run: they do not leave the code, call the system, or
 * change registers that the test needs. */
static bool can_run(const struct insn *insn)
{
	switch (insn->operation) {
	case OP_CALL:
	case OP_RETURN:
	case OP_JUMP:
	case OP_BRANCH:
	case OP_TRAP:
	case OP_SYSTEM_CALL: return false;
	default: break;
	}
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		/* not with memory at fixed addresses or in segments, nor gathers */
		if (operand->kind == OPERAND_MEMORY && operand->read + operand->write &&
		    (operand->base == REG_NONE || operand->segment != SEGMENT_NONE ||
		     (operand->index != REG_NONE && !reg_is_general(operand->index))))
			return false;
	}
	/* all registers: int, which is a system call */
	return insn->written != (X86_GENERAL & ~REG_BIT(REG_RSP));
}

/* Returns a separate memory area for each register, aligned for every kind of access. */
static uint64_t place_of(unsigned int reg)
{
	return (uint64_t)machine_data(machine) + 0x1000 + reg * 0x1000;
}

static void prepare(const struct insn *insn, struct machine_registers *registers, uint64_t *seed,
		    bool wild)
{
	uint64_t bases = REG_BIT(REG_RSP);
	uint64_t indexes = 0;

	for (unsigned int i = 0; i < insn->operand_count; i++) {
		if (insn->operands[i].kind != OPERAND_MEMORY)
			continue;
		if (insn->operands[i].base != REG_NONE)
			bases |= REG_BIT(insn->operands[i].base);
		if (insn->operands[i].index != REG_NONE)
			indexes |= REG_BIT(insn->operands[i].index);
	}
	for (unsigned int reg = 0; reg <= REG_R15; reg++) {
		registers->general[reg] = wild ? next_random(seed) : next_random(seed) % 8;
		if (indexes & REG_BIT(reg))
			registers->general[reg] = 64;
		if (bases & REG_BIT(reg))
			registers->general[reg] = place_of(reg);
	}
	for (unsigned int i = 0; i < sizeof(registers->vectors); i += 8) {
		uint64_t value = next_random(seed);

		memcpy((uint8_t *)registers->vectors + i, &value, sizeof(value));
	}
	for (unsigned int i = 0; i < MACHINE_DATA_SIZE; i += 8) {
		uint64_t value = next_random(seed);

		memcpy(machine_data(machine) + i, &value, sizeof(value));
	}
}

static uint64_t changed_registers(const struct machine_registers *before,
				  const struct machine_registers *after)
{
	uint64_t changed = 0;

	for (unsigned int reg = 0; reg <= REG_R15; reg++)
		if (before->general[reg] != after->general[reg])
			changed |= REG_BIT(reg);
	for (unsigned int i = 0; i < 32; i++)
		if (memcmp(before->vectors[i], after->vectors[i], VECTOR_BYTES) != 0)
			changed |= REG_BIT(REG_XMM0 + i);
	return changed;
}

static uint64_t address_of(const struct operand *operand, const struct machine_registers *registers)
{
	uint64_t address = registers->general[operand->base] + (uint64_t)operand->value;

	return operand->index == REG_NONE
		       ? address
		       : address + registers->general[operand->index] * operand->scale;
}

/* Returns true if the byte at `address` is in a memory operand that is written. */
static bool may_write(const struct insn *insn, const struct machine_registers *before,
		      uint64_t address)
{
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind == OPERAND_MEMORY && operand->write &&
		    (!operand->size || address - address_of(operand, before) < operand->size))
			return true;
	}
	return false;
}

static void check_effects(const struct decoder_case *row, const struct insn *insn,
			  const struct machine_registers *before,
			  const struct machine_registers *after, const uint8_t *memory)
{
	uint64_t unexpected = changed_registers(before, after) & ~insn->written;

	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		if (unexpected & REG_BIT(reg))
			fail_msg("%s: changed %s", row->assembly, arch_reg_name(&arch_x86_64, reg));
	for (unsigned int i = 0; i < MACHINE_DATA_SIZE; i++)
		if (memory[i] != machine_data(machine)[i] &&
		    !may_write(insn, before, (uint64_t)machine_data(machine) + i))
			fail_msg("%s: changed memory that it does not write", row->assembly);
}

/*
 * Returns the length of the instruction, from a step that ended `length` bytes further on. A
 * hypervisor that carries out an instruction itself (cpuid, at times rdtsc or xgetbv) may forget
 * the trap after it, which then comes after the instruction that follows. So the step is repeated
 * with another instruction there: if that has another length, the step has run it, too.
 */
static uint64_t measured_length(const uint8_t *bytes, size_t size,
				const struct machine_registers *registers, uint64_t length)
{
	const uint64_t longer = sizeof(long_nop) - sizeof(short_nop);
	struct machine_registers again = *registers;
	uint8_t followed[PADDED];
	uint64_t other;

	memcpy(followed, bytes, sizeof(followed));
	if (size + sizeof(long_nop) > sizeof(followed))
		return length;
	memcpy(followed + size, long_nop, sizeof(long_nop));
	if (machine_step(machine, followed, &again, &other) != 0 || other != length + longer)
		return length;
	return length - sizeof(short_nop);
}

static void check_length(const struct decoder_case *row, const struct insn *insn,
			 const uint8_t *bytes, size_t size, const struct machine_registers *before,
			 uint64_t length, bool *overrun)
{
	uint64_t measured;

	if ((insn->flags & FLAG_REPEAT) || length == insn->length)
		return;
	measured = measured_length(bytes, size, before, length);
	if (measured != insn->length)
		fail_msg("%s: %u bytes long, but the processor went on after %llu", row->assembly,
			 insn->length, (unsigned long long)measured);
	*overrun = true;
}

/* Runs the instruction several times with different values. Returns false if the processor does not
 * have it. *overrun: the machine does not stop right after it. */
static bool run_trials(const struct decoder_case *row, const struct insn *insn,
		       const uint8_t *bytes, size_t size, bool *overrun)
{
	static uint8_t memory[MACHINE_DATA_SIZE];
	uint64_t seed = 88172645463325252;
	bool executed = false;

	for (unsigned int trial = 0; trial < TRIALS; trial++) {
		struct machine_registers before, after;
		uint64_t length = 0;

		/* wild values would lead out of the operand as bit numbers and counts */
		prepare(insn, &before, &seed, trial % 2 && !insn_memory(insn, true));
		memcpy(memory, machine_data(machine), sizeof(memory));
		after = before;
		int signal_number = machine_step(machine, bytes, &after, &length);

		assert_true(signal_number >= 0);
		if (signal_number == SIGNAL_ILLEGAL)
			return false;
		if (signal_number == SIGNAL_ACCESS && insn_memory(insn, true) &&
		    !(insn->flags & FLAG_UNKNOWN))
			return false; /* privileged; that memory operands are right is checked by
				       * their sizes
				       */
		if (signal_number)
			continue;
		executed = true;
		check_length(row, insn, bytes, size, &before, length, overrun);
		check_effects(row, insn, &before, &after, memory);
	}
	return executed;
}

/* Returns the memory operand whose size can be measured, because its end can be put against an
 * unmapped page. */
static const struct operand *measurable(const struct insn *insn)
{
	const struct operand *found = NULL;

	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind != OPERAND_MEMORY || !(operand->read || operand->write))
			continue;
		if (found || !operand->size || operand->index != REG_NONE ||
		    operand->base == REG_RSP)
			return NULL;
		found = operand;
	}
	return insn->flags & FLAG_REPEAT ? NULL : found;
}

/* Runs the instruction with the end of its operand at `end`. Returns the signal, or 0. A virtual
 * processor may trap without having run the instruction; then it is run again, a few times. */
static int step_at(const struct insn *insn, const struct operand *operand, const uint8_t *bytes,
		   uint64_t end)
{
	int signal_number = 0;
	uint64_t length = 0;

	for (unsigned int tries = 0; tries < TRIALS && !signal_number && !length; tries++) {
		struct machine_registers registers;
		uint64_t seed = 1;

		prepare(insn, &registers, &seed, false);
		/* masks that let all elements through */
		memset(registers.vectors, 0xff, sizeof(registers.vectors));
		registers.general[operand->base] = end - operand->size - (uint64_t)operand->value;
		signal_number = machine_step(machine, bytes, &registers, &length);
	}
	return signal_number;
}

static void check_size(const struct decoder_case *row, const struct insn *insn,
		       const uint8_t *bytes)
{
	const struct operand *operand = measurable(insn);
	uint64_t end = (uint64_t)machine_data(machine) + MACHINE_DATA_SIZE;

	/* clzero rounds its address down to a line; bt with a register goes where the bit is; of
	 * movsxd with a 16-bit result AMD's processors read four bytes, Intel's two */
	if (!operand || !strcmp(row->assembly, "clzero") || !strncmp(row->assembly, "bt", 2) ||
	    !strcmp(row->assembly, "movsxd 16 bits"))
		return;
	int inside = step_at(insn, operand, bytes, end);
	int outside = step_at(insn, operand, bytes, end + 1);

	if (inside == SIGNAL_ACCESS || inside == SIGNAL_BUS)
		fail_msg("%s: accesses more than %u bytes", row->assembly, operand->size);
	if (outside != SIGNAL_ACCESS && outside != SIGNAL_BUS)
		fail_msg("%s: accesses less than %u bytes", row->assembly, operand->size);
}

static size_t parse_bytes(const char *text, uint8_t *bytes, size_t capacity)
{
	size_t count = 0;
	char *end;

	for (;; text = end) {
		unsigned long byte = strtoul(text, &end, 16);

		if (end == text || count == capacity)
			return count;
		bytes[count++] = byte;
	}
}

static void test_against_processor(void **state)
{
	unsigned int executed = 0;

	(void)state;
	if (!machine)
		skip_because("processes cannot be traced here");
	for (size_t i = 0; i < COUNT(decoder_cases); i++) {
		const struct decoder_case *row = &decoder_cases[i];
		uint8_t bytes[PADDED];
		bool overrun = false;
		struct insn insn;

		memset(bytes, *short_nop, sizeof(bytes));
		size_t size = parse_bytes(row->bytes, bytes, sizeof(bytes));

		decoder_decode(decoder, bytes, size, machine_code(machine), &insn);
		if (!can_run(&insn) || !run_trials(row, &insn, bytes, size, &overrun))
			continue;
		if (overrun)
			print_message("# this machine does not stop right after %s: its length is "
				      "that of two "
				      "steps compared\n",
				      row->assembly);
		check_size(row, &insn, bytes);
		executed++;
	}
	print_message("%u of %zu instructions were run\n", executed, COUNT(decoder_cases));
	assert_true(executed >= EXECUTED_AT_LEAST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_processor),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
