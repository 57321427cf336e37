// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The data of Go's interfaces: see go.h.
 *
 * An interface is two words: the type word, or the address of a table (internal/abi, ITab) that has
 * the type word, and the data. A type switch and a type assertion compare the first word with a
 * constant address; if the two are equal, the type of the data is known. The
 * data is the value itself if it is one pointer, and the address of the value otherwise.
 *
 * This knowledge belongs to an edge of the graph. So it is put into the state only while the state
 * is joined into the block that the edge leads to. The value keeps its origin, so that it becomes
 * the data of an interface again where the cases meet.
 *
 * The data is found by where it comes from: the register after that of the first word in arguments
 * and results, the memory after the first word, or the other half of a copy of 16 bytes.
 */

#include "annotate/code/code.h"
#include "annotate/language/go.h"
#include "dwarf/elf/image.h"
#include "base/memory.h"

/* ---- types of interfaces' first words */

/* Returns the type that the runtime describes at the address, or whose table for an interface is
 * there; NULL: neither is. */
static const struct type *go_interface_type_at(const struct solver *solver, int64_t address)
{
	const struct type *type = debug_reader_go_type(solver->reader, (uint64_t)address, GO_WHOLE);
	uint64_t word;

	if (type)
		return type;
	return elf_image_read(solver->image, (uint64_t)address + WORD, &word, WORD, true) && word
		       ? debug_reader_go_type(solver->reader, word, GO_WHOLE)
		       : NULL;
}

/* Returns the data of an interface whose value has this type. */
static struct value data_of_type(const struct type *type)
{
	const struct type *bare = type_strip(type);
	const struct type *word = type_is_record(bare) && field_size(type) == WORD
					  ? field_scalar(type, 0, WORD)
					  : type;
	struct value value = word ? value_of_type(word, HOW_TRACKED, 0) : value_unknown(0);

	/* functions, maps and channels are pointers, too */
	if (value.kind == VALUE_POINTER)
		return value;
	return value_pointer(type_canonical(type), 0, HOW_TRACKED);
}

/* ---- the two words of one interface */

/* True if the register of one argument comes right after another one. Results have the same
 * registers. */
static bool follows(const struct solver *solver, unsigned int first, unsigned int second)
{
	const uint8_t number = convention_argument(solver->abi->call, first);

	return number && convention_argument(solver->abi->call, second) == number + 1;
}

/* Returns the memory operand of eight bytes that the instruction reads; NULL: there is none. */
static const struct operand *memory_operand(const struct insn *insn)
{
	size_t index = insn->operation == OP_MOVE ? 1 : 0;

	if ((insn->operation != OP_MOVE && insn->operation != OP_COMPARE) ||
	    insn->operands[index].kind != OPERAND_MEMORY || insn->operands[index].size != WORD ||
	    insn->operands[index].base == REG_NONE)
		return NULL;
	return &insn->operands[index];
}

/* True if the second operand is the word after the first one, as long as no register changes. */
static bool is_word_after(const struct operand *first, const struct operand *second)
{
	return first->base == second->base && first->index == second->index &&
	       first->scale == second->scale && first->segment == second->segment &&
	       second->value == first->value + WORD;
}

/* The most instructions between two that use the words of one interface. */
#define APART_MAX 200

/* True if every path to the second instruction comes from the first one, without a call or a change
 * of the registers of the operand's address. */
static bool stays_the_same(const struct cfg *code, uint32_t first, uint32_t second,
			   const struct operand *operand)
{
	uint64_t registers = operand_registers(operand);
	struct cfg_cursor at = cfg_before(code, second);

	for (unsigned int i = 0; i < APART_MAX && cfg_step_back(code, &at); i++) {
		const struct insn *insn = &code->insns[at.insn];

		if (insn->written & registers || insn->operation == OP_CALL)
			return false;
		if (at.insn == first)
			return true;
	}
	return false;
}

/* True if the two instructions load two words one after the other. */
static bool load_together(const struct cfg *code, uint32_t first, uint32_t second)
{
	const struct operand *a = memory_operand(&code->insns[first]),
			     *b = memory_operand(&code->insns[second]);

	return a && b && is_word_after(a, b) &&
	       (stays_the_same(code, first, second, a) || stays_the_same(code, second, first, a));
}

/* True if two addresses are surely the same: they have no index, which may differ. */
static bool is_same_place(const struct value *a, const struct value *b)
{
	return value_equal(a, b) && !a->stride && (a->origin || a->kind == VALUE_ADDRESS);
}

/* The same by the addresses that the two had in this round, instead of by their registers. */
static bool load_neighbours(const struct solver *solver, uint32_t first, uint32_t second)
{
	const struct load_cache *a = &solver->tables.loads[first],
				*b = &solver->tables.loads[second];
	struct value next = value_displace(a->address, WORD);

	return a->round == solver->pass.round && b->round == solver->pass.round &&
	       a->size == WORD && b->size == WORD && is_same_place(&next, &b->address);
}

/* True if values of these two origins are the two words of one interface. */
static bool are_of_one(const struct solver *solver, uint32_t first, uint32_t second)
{
	const struct origin *a = &solver->origins.items[first], *b = &solver->origins.items[second];
	uint32_t from_a, from_b;

	if (a->key <= REG_GENERAL_COUNT || b->key <= REG_GENERAL_COUNT)
		return a->key && b->key && a->key <= REG_GENERAL_COUNT &&
		       b->key <= REG_GENERAL_COUNT &&
		       follows(solver, (unsigned int)a->key - 1, (unsigned int)b->key - 1);
	if (!origin_insn(a, &from_a) || !origin_insn(b, &from_b))
		return false;
	unsigned int value_a = a->key & 0xff, value_b = b->key & 0xff;

	if (from_a != from_b)
		return load_together(solver->code, from_a, from_b) ||
		       load_neighbours(solver, from_a, from_b);
	if (solver->code->insns[from_a].operation == OP_CALL)
		return follows(solver, value_a, value_b);
	return value_a >= REG_VECTOR && value_a < REG_COUNT && value_b == STATE_HIGH(value_a);
}

static bool go_interface_is_plain(const struct value *value)
{
	return (value->kind == VALUE_UNKNOWN || value->kind == VALUE_POINTER) && value->origin &&
	       !value->offset && !value->stride;
}

/* The first word of an interface: the origins of what was compared, and of the table that has it;
 * 0: none. */
struct first_word {
	uint32_t origins[2];
};

/* Returns the first word for the compared value, with the table if the type word was loaded from
 * one. */
static struct first_word first_word_of(const struct solver *solver, const struct value *compared)
{
	struct first_word word = { { compared->origin } };
	const struct origin *origin = &solver->origins.items[compared->origin];
	uint32_t from;

	if (!origin_insn(origin, &from) || solver->tables.loads[from].round != solver->pass.round)
		return word;
	const struct value *address = &solver->tables.loads[from].address;
	const struct type *table =
		address->kind == VALUE_POINTER ? type_strip(address->type) : NULL;

	if (table && address->offset == WORD && !address->stride && table->name &&
	    (strcmp(table->name, "internal/abi.ITab") == 0 ||
	     strcmp(table->name, "runtime.itab") == 0))
		word.origins[1] = address->origin;
	return word;
}

static bool is_data_of(const struct solver *solver, const struct first_word *word, uint32_t origin)
{
	return any_of(i, 0, COUNT_OF(word->origins),
		      word->origins[i] && are_of_one(solver, word->origins[i], origin));
}

/* ---- what taking an edge shows */

/* Replaces all values of this origin. False: there is none. */
static bool replace(struct state *state, uint32_t origin, struct value value)
{
	bool found = false;

	for (unsigned int i = 0; i < state->general_count; i++)
		if (go_interface_is_plain(&state->values[i]) && state->values[i].origin == origin) {
			state->values[i] = value;
			found = true;
		}
	for (uint32_t i = 0; i < state->slot_count; i++)
		if (go_interface_is_plain(&state->slots[i].value) &&
		    state->slots[i].value.origin == origin) {
			state->slots[i].value = value;
			found = true;
		}
	return found;
}

/* The same for values that are the data of an interface. */
static bool replace_word(struct solver *solver, struct state *state, uint32_t origin,
			 struct value data)
{
	data.origin = origin;
	/* its use in one case says nothing about the others */
	solver->origins.items[origin].refused = true;
	return replace(state, origin, data);
}

/* Replaces the data of the interface with this first word. */
static bool replace_data(struct solver *solver, struct state *state, const struct first_word *word,
			 struct value data)
{
	bool found = false;

	for (unsigned int i = 0; i < state->general_count; i++) {
		const struct value value = state->values[i];

		if (go_interface_is_plain(&value) && is_data_of(solver, word, value.origin))
			found |= replace_word(solver, state, value.origin, data);
	}
	for (uint32_t i = 0; i < state->slot_count; i++) {
		const struct slot slot = state->slots[i];

		if (!go_interface_is_plain(&slot.value))
			continue;
		const struct slot *next =
			slot.value.origin == word->origins[0] ||
					slot.value.origin == word->origins[1]
				? state_slot(state, slot.frame, slot.offset + WORD, WORD)
				: NULL;
		uint32_t origin =
			next && go_interface_is_plain(&next->value) ? next->value.origin : 0;

		if (origin)
			found |= replace_word(solver, state, origin, data);
		if (is_data_of(solver, word, slot.value.origin))
			found |= replace_word(solver, state, slot.value.origin, data);
	}
	return found;
}

/* Stores the data into the word after the tested one, which was read from `address`. False: it is
 * not on the stack. */
static bool store_data(struct state *state, const struct value *address, struct value data)
{
	if (address->kind != VALUE_FRAME || address->frame > FRAME_LAST_OTHER || address->stride)
		return false;
	state_store(state, address->frame, address->offset + WORD, WORD, data);
	return true;
}

/* Returns the address from which the instruction loads; UNKNOWN: it is not known. The stack pointer
 * stays the same in a function of Go, except at its start. */
static struct value address_of(struct solver *solver, const struct state *state, uint32_t insn)
{
	const struct load_cache *load = &solver->tables.loads[insn];
	const struct operand *operand = memory_operand(&solver->code->insns[insn]);

	if (operand && operand->base == solver->arch->stack_pointer && operand->index == REG_NONE)
		return solver_address(solver, state, operand);
	return load->round == solver->pass.round ? load->address : value_unknown(0);
}

bool go_enter_edge(struct solver *solver, struct state *state, uint32_t compare)
{
	const struct cfg *code = solver->code;

	if (!solver->reader)
		return false;
	const struct insn *insn = &code->insns[compare];
	const struct operand *a = &insn->operands[0], *b = &insn->operands[1];

	if (insn->operation == OP_TEST) {
		/* an interface without a value has no table to take the type word from */
		if (!operand_is_reg(a, b->reg) || !go_interface_is_plain(&state->values[a->reg]))
			return false;
		return replace(state, state->values[a->reg].origin, value_number(0));
	}
	struct value constant = state->values[b->reg];
	const struct operand *tested = a;

	if (constant.kind != VALUE_ADDRESS && a->kind == OPERAND_REGISTER) {
		constant = state->values[a->reg];
		tested = b;
	}
	const struct type *type = constant.kind == VALUE_ADDRESS && !constant.stride
					  ? go_interface_type_at(solver, constant.offset)
					  : NULL;

	if (!type)
		return false;
	struct value data = data_of_type(type);

	if (tested->kind == OPERAND_MEMORY) {
		struct value address = solver_address(solver, state, tested);

		return store_data(state, &address, data);
	}
	const struct value word = state->values[tested->reg];

	if (!go_interface_is_plain(&word))
		return false;
	struct first_word first = first_word_of(solver, &word);
	bool found = replace_data(solver, state, &first, data);

	for (size_t i = 0; i < COUNT_OF(first.origins); i++) {
		uint32_t loaded;

		if (!first.origins[i] ||
		    !origin_insn(&solver->origins.items[first.origins[i]], &loaded) ||
		    code->insns[loaded].operation != OP_MOVE)
			continue;
		struct value address = address_of(solver, state, loaded);

		found |= store_data(state, &address, data);
	}
	return found;
}

struct value go_name_data(struct solver *solver, const struct value *data, struct value declared)
{
	if (go_interface_is_plain(data) && !declared.offset && !declared.stride) {
		declared.origin = data->origin;
		solver->origins.items[data->origin].refused = true;
	}
	return declared;
}

struct value go_join(const struct solver *solver, const struct value *a, const struct value *b)
{
	if (a->origin != b->origin || !go_interface_is_plain(a) || !go_interface_is_plain(b) ||
	    (a->kind == VALUE_POINTER && b->kind == VALUE_POINTER &&
	     (a->type == b->type || !solver->origins.items[a->origin].refused)))
		return (struct value){ .kind = VALUE_BOTTOM };
	struct value joined = value_unknown(a->origin);

	joined.type = a->kind == VALUE_UNKNOWN   ? a->type
		      : b->kind == VALUE_UNKNOWN ? b->type
						 : NULL;
	return joined;
}
