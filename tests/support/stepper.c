// SPDX-License-Identifier: GPL-2.0-or-later
/* A program, instruction by instruction: see stepper.h. */
#include "base/arch/x86_64.h"
#include "tests/support/unit.h"

#include <string.h>

#include "disasm/insn.h"
#include "base/hash.h"
#include "base/memory.h"
#include "tests/support/stepper.h"
#include "tests/support/tracee.h"

#define STEP_MAX    5000000
#define ARENA_MAX   64
#define DATA_PER_PC 200 /* different addresses that are kept for one instruction */
#define STACK_REACH (UINT64_C(8) << 20)

struct stepper {
	struct tracee tracee;
	const struct elf_image *image;
	struct decoder *decoder;
	struct step_trace *trace;
	struct hash_map insn_of; /* file address -> index in insns */
	struct insn *insns;
	size_t insn_count, insn_capacity;
	uint32_t *seen; /* number of accesses that are kept, by instruction */
	struct hash_map known;
	uint64_t last;      /* file address of the previous instruction */
	uint64_t low, high; /* the program's code, as file addresses */
};

static void keep(struct stepper *stepper, uint32_t index, uint64_t data, bool store)
{
	struct step_trace *trace = stepper->trace;
	uint64_t address = stepper->insns[index].address;
	bool created;

	if (stepper->seen[index] >= DATA_PER_PC)
		return;
	hash_map_insert(&stepper->known, hash_combine(hash_combine(address, data), store),
			&created);
	if (!created)
		return;
	stepper->seen[index]++;
	array_reserve(trace->accesses, trace->count, trace->capacity);
	trace->accesses[trace->count++] = (struct step_access){ address, data, store };
}

static void note_operand(struct stepper *stepper, uint32_t index,
			 const struct tracee_registers *registers, const struct operand *operand,
			 bool store)
{
	uint64_t data = (uint64_t)operand->value;

	if (!operand->absolute && !reg_is_general(operand->base))
		return;
	if (operand->absolute)
		data += operand->pc_relative ? stepper->trace->bias : 0;
	else
		data += registers->general[operand->base];
	if (operand->index != REG_NONE) {
		if (!reg_is_general(operand->index))
			return;
		data += registers->general[operand->index] * operand->scale;
	}
	if (operand->segment != SEGMENT_NONE)
		return;
	keep(stepper, index, data, store);
}

static void note(struct stepper *stepper, const struct tracee_registers *registers)
{
	uint64_t address = registers->instruction - stepper->trace->bias;
	bool created;
	uint32_t *index;

	if (address < stepper->low || address >= stepper->high)
		return;
	index = hash_map_insert(&stepper->insn_of, address, &created);
	if (created) {
		size_t available, capacity = stepper->insn_capacity;
		const uint8_t *bytes = elf_image_bytes(stepper->image, address, &available);

		assert_non_null(bytes);
		array_reserve(stepper->insns, stepper->insn_count, stepper->insn_capacity);
		if (capacity != stepper->insn_capacity)
			stepper->seen = xrealloc_array(stepper->seen, stepper->insn_capacity,
						       sizeof(*stepper->seen));
		*index = (uint32_t)stepper->insn_count++;
		stepper->seen[*index] = 0;
		decoder_decode(stepper->decoder, bytes, available, address,
			       &stepper->insns[*index]);
	}
	const struct insn *insn = &stepper->insns[*index];
	const struct operand *read = insn_memory(insn, false), *written = insn_memory(insn, true);
	bool again = address == stepper->last;

	/* a string instruction is stepped element by element; the question is where it begins */
	stepper->last = address;
	if (again && (insn->flags & FLAG_REPEAT))
		return;

	if (insn->operation == OP_LEA || insn->operation == OP_NOP)
		return;
	if (read && (read->read || read->write))
		note_operand(stepper, *index, registers, read, false);
	if (written && written != read && written->write)
		note_operand(stepper, *index, registers, written, true);
}

static uint64_t read_word(const struct stepper *stepper, uint64_t address)
{
	uint64_t word = 0;

	assert_true(tracee_read(&stepper->tracee, address, &word, sizeof(word)));
	return word;
}

static uint64_t symbol_address(const struct stepper *stepper, const char *name)
{
	const struct symbol *symbol = elf_image_symbol_named(stepper->image, name);

	if (!symbol)
		fail_msg("the program has no symbol %s", name);
	return symbol->address;
}

/* struct language_arena: four words */
static void read_arenas(struct stepper *stepper)
{
	struct step_trace *trace = stepper->trace;
	uint64_t table = symbol_address(stepper, "language_arenas") + trace->bias;
	uint64_t count =
		read_word(stepper, symbol_address(stepper, "language_arena_count") + trace->bias);

	assert_in_range(count, 1, ARENA_MAX);
	trace->arenas = xcalloc(count, sizeof(*trace->arenas));
	trace->arena_count = count;
	for (size_t i = 0; i < count; i++) {
		struct step_arena *arena = &trace->arenas[i];
		uint64_t cells = read_word(stepper, table + 32 * i);
		uint64_t type = read_word(stepper, table + 32 * i + 8);
		char name[256] = "";

		arena->cells = cells ? cells - trace->bias : 0;
		if (type)
			assert_true(tracee_read(&stepper->tracee, type, name, sizeof(name) - 1));
		arena->type = xstrdup(name);
		arena->start = read_word(stepper, table + 32 * i + 16);
		arena->end = read_word(stepper, table + 32 * i + 24);
	}
}

static void step_all(struct stepper *stepper)
{
	struct tracee_registers registers;
	struct step_trace *trace = stepper->trace;
	uint64_t mark = symbol_address(stepper, "language_mark");

	assert_true(tracee_continue(&stepper->tracee, &registers));
	trace->bias = registers.instruction - 1 - mark;
	trace->stack_low = registers.general[REG_RSP] - STACK_REACH;
	trace->stack_high = registers.general[REG_RSP] + STACK_REACH;
	while (registers.instruction != mark + trace->bias) {
		if (trace->steps++ > STEP_MAX)
			fail_msg("the program did not come to its end in %d steps", STEP_MAX);
		note(stepper, &registers);
		if (!tracee_step(&stepper->tracee, &registers))
			fail_msg("the program did not stop after one instruction");
	}
	read_arenas(stepper);
}

bool step_program(const char *program, const struct elf_image *image, struct step_trace *trace)
{
	struct stepper stepper = { .image = image, .trace = trace };
	struct elf_section text;
	bool started;

	assert_true(elf_image_section_named(image, ".text", &text));
	stepper.low = text.address;
	stepper.high = text.address + text.size;
	*trace = (struct step_trace){ 0 };
	stepper.decoder = decoder_create(&arch_x86_64);
	started = tracee_start(&stepper.tracee, program);
	if (started)
		step_all(&stepper);
	tracee_end(&stepper.tracee);
	decoder_destroy(stepper.decoder);
	hash_map_deinit(&stepper.insn_of);
	hash_map_deinit(&stepper.known);
	free(stepper.insns);
	free(stepper.seen);
	return started;
}

void step_trace_deinit(struct step_trace *trace)
{
	for (size_t i = 0; i < trace->arena_count; i++)
		free(trace->arenas[i].type);
	free(trace->arenas);
	free(trace->accesses);
}
