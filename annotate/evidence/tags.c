// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tags: see tags.h. In order: what a comparison tests, and for which value (comparisons, tests of
 * bits); what is noted of a function; where a test holds; learning; evidence.
 */
#include "annotate/evidence/tags.h"

#include "annotate/code/code.h"
#include "annotate/flow/solver.h"
#include "annotate/types/field.h"
#include "disasm/cfg.h"
#include "base/memory.h"

/* ---- the comparison at the end of a block */

/* The most instructions between a comparison and its branch. */
#define COMPARE_REACH_MAX 4

bool tags_find_flags(const struct cfg *code, const struct basic_block *block, uint32_t *insn)
{
	uint32_t branch = block->first + block->count - 1;

	for (uint32_t i = branch; i-- > block->first && branch - i <= COMPARE_REACH_MAX;) {
		*insn = i;
		if (code->insns[i].operation == OP_COMPARE || code->insns[i].operation == OP_TEST ||
		    (code->insns[i].flags & FLAG_WRITES_FLAGS))
			return true;
	}
	return false;
}

enum edge_says tags_edge_says(const struct cfg *code, uint32_t from, uint32_t to)
{
	const struct basic_block *block = &code->blocks[from];
	const struct insn *branch = &code->insns[block->first + block->count - 1];

	if (branch->operation != OP_BRANCH || block->successor_count != 2 ||
	    branch->operands[0].kind != OPERAND_IMMEDIATE)
		return EDGE_NOTHING;
	bool taken = code->blocks[to].address == (uint64_t)branch->operands[0].value;

	if (taken == (code->blocks[to].address == branch->address + branch->length))
		return EDGE_NOTHING; /* both edges lead there, or neither does */
	switch (branch->condition) {
	case CONDITION_EQUAL: return taken ? EDGE_EQUAL : EDGE_DIFFERENT;
	case CONDITION_NOT_EQUAL: return taken ? EDGE_DIFFERENT : EDGE_EQUAL;
	case CONDITION_BELOW: return taken ? EDGE_CARRY : EDGE_NOTHING;
	case CONDITION_ABOVE_EQUAL: return taken ? EDGE_NOTHING : EDGE_CARRY;
	default: return EDGE_NOTHING;
	}
}

bool tags_find_equality(const struct cfg *code, uint32_t from, uint32_t to, uint32_t *compare)
{
	if (code->blocks[to].predecessor_count != 1 ||
	    tags_edge_says(code, from, to) != EDGE_EQUAL ||
	    !tags_find_flags(code, &code->blocks[from], compare))
		return false;
	const struct insn *insn = &code->insns[*compare];
	const struct operand *a = &insn->operands[0], *b = &insn->operands[1];

	return (insn->operation == OP_COMPARE || insn->operation == OP_TEST) &&
	       insn->operand_count == 2 && a->size == WORD && operand_is_general(b) &&
	       (a->kind == OPERAND_MEMORY || operand_is_general(a));
}

/* The bits of an operand that have a value. */
struct tested_bits {
	uint64_t mask;
	uint64_t value; /* ~0: any but 0 */
};

/* Finds the bits of an instruction's first operand whose value an edge shows. False: it shows none.
 * An edge that shows that the operand is not equal to a number shows nothing. */
static bool find_bits(const struct insn *insn, enum edge_says says, struct tested_bits *bits)
{
	const struct operand *a = &insn->operands[0], *b = &insn->operands[1];
	uint64_t all = low_bits(8U * a->size), number = (uint64_t)b->value;
	bool immediate = b->kind == OPERAND_IMMEDIATE;

	if (insn->operand_count != 2 || !a->size || a->size > 8)
		return false;
	if (insn->operation == OP_COMPARE) {
		*bits = (struct tested_bits){ all, number & all };
		return says == EDGE_EQUAL && immediate;
	}
	if (insn->operation == OP_TEST && (insn->flags & FLAG_BIT_NUMBER)) {
		*bits = (struct tested_bits){ UINT64_C(1) << (number & 63),
					      UINT64_C(1) << (number & 63) };
		return says == EDGE_CARRY && immediate;
	}
	if (insn->operation != OP_TEST && insn->operation != OP_AND)
		return false;
	if (!immediate) {
		*bits = (struct tested_bits){ all, 0 };
		return says == EDGE_EQUAL && insn->operation == OP_TEST &&
		       a->kind == OPERAND_REGISTER && b->kind == OPERAND_REGISTER &&
		       a->reg == b->reg && a->high_byte == b->high_byte;
	}
	bits->mask = number & all;
	bits->value = has_several_bits(bits->mask) ? UINT64_MAX : bits->mask;
	return says == EDGE_DIFFERENT && bits->mask;
}

/* ---- the memory that a tested register was loaded from */

/* The most instructions between a load of a tag and the comparison. */
#define LOAD_INSNS_MAX 200

static uint64_t tags_changed_by(struct solver *solver, uint32_t index)
{
	const struct insn *insn = &solver->code->insns[index];

	return insn->operation == OP_CALL ? solver_callee(solver, index)->clobbered | insn->written
					  : insn->written;
}

/* Takes the value of bits back through an addition of `added` to the register. False: that is not
 * possible. */
static bool take_back(struct tested_bits *bits, unsigned int size, int64_t added)
{
	if (bits->mask != low_bits(8U * size) || bits->value == UINT64_MAX)
		return false;
	bits->value = (bits->value - (uint64_t)added) & bits->mask;
	return true;
}

/* Takes bits back through a logical shift of the register. False: that is not possible. */
static bool shift_back(struct tested_bits *bits, unsigned int size, bool left, int64_t count)
{
	if (count <= 0 || count >= 8 * (int64_t)size)
		return false;
	uint64_t before = left ? bits->value >> count : bits->value << count & low_bits(8U * size);

	bits->mask = left ? bits->mask >> count : bits->mask << count & low_bits(8U * size);
	if (bits->value == UINT64_MAX)
		return bits->mask;
	/* what is shifted in is 0 */
	if ((left ? before << count : before >> count) != bits->value)
		return false;
	bits->value = before;
	return bits->mask;
}

/* Finds where *bits, which are in register *reg after an instruction that writes it, come from:
 * *reg becomes the register, or *memory the operand, that had them before, and *bits what they were
 * there. False: the instruction does something else. */
static bool trace_insn(const struct insn *insn, uint8_t *reg, struct tested_bits *bits,
		       const struct operand **memory)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	bool same = operand_is_reg(to, *reg) && !to->high_byte;

	if (!same || insn->operand_count < 2)
		return false;
	switch (insn->operation) {
	case OP_MOVE:
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN:
		if (!from->size || from->size > 8 || from->high_byte)
			return false;
		/* the bits above the source are 0 or its sign, and not in the tag */
		bits->mask &= low_bits(8U * from->size);
		if (bits->value != UINT64_MAX)
			bits->value &= bits->mask;
		if (from->kind == OPERAND_MEMORY)
			*memory = from;
		else if (from->kind == OPERAND_REGISTER)
			*reg = from->reg;
		return bits->mask && (*memory || from->kind == OPERAND_REGISTER);
	case OP_AND:
		if (from->kind != OPERAND_IMMEDIATE || insn->operand_count != 2)
			return false;
		bits->mask &= (uint64_t)from->value;
		return bits->mask && (bits->value == UINT64_MAX || !(bits->value & ~bits->mask));
	case OP_SHIFT_LEFT:
	case OP_SHIFT_RIGHT:
		return from->kind == OPERAND_IMMEDIATE && insn->operand_count == 2 &&
		       shift_back(bits, to->size, insn->operation == OP_SHIFT_LEFT, from->value);
	case OP_ADD:
	case OP_SUB:
		return from->kind == OPERAND_IMMEDIATE && insn->operand_count == 2 &&
		       take_back(bits, to->size,
				 insn->operation == OP_ADD ? from->value : -from->value);
	case OP_LEA:
		if (from->base == REG_NONE || from->index != REG_NONE || from->pc_relative)
			return false;
		*reg = from->base;
		return take_back(bits, to->size, from->value);
	default: return false;
	}
}

/* Finds the load of the tag whose bits are in a register before instruction `end`, and takes *bits
 * back to the memory. Returns UINT32_MAX if it is not found. */
static uint32_t find_load(struct solver *solver, uint32_t end, uint8_t reg,
			  struct tested_bits *bits)
{
	struct cfg_cursor at = cfg_before(solver->code, end);

	for (unsigned int i = 0; i < LOAD_INSNS_MAX && cfg_step_back(solver->code, &at); i++) {
		const struct operand *memory = NULL;

		if (!(tags_changed_by(solver, at.insn) & REG_BIT(reg)))
			continue;
		if (!trace_insn(&solver->code->insns[at.insn], &reg, bits, &memory))
			return UINT32_MAX;
		if (memory)
			return at.insn;
	}
	return UINT32_MAX;
}

/* ---- tests */

void tags_restart(struct tags *tags)
{
	tags->test_count = tags->use_count = 0;
}

void tags_clear(struct tags *tags)
{
	tags_restart(tags);
	free_all(tags->dominators, tags->position);
	tags->dominators = tags->position = NULL;
	tags->on = tags->casting = false;
}

void tags_deinit(struct tags *tags)
{
	tags_clear(tags);
	free_all(tags->tests, tags->uses);
	*tags = (struct tags){ 0 };
}

/* Returns the type of the tag in an object of a type: of a whole scalar, or of the bit-field there
 * (`size` is 0). NULL: there is none. */
static const struct type *tag_type(const struct type *type, int64_t offset, uint32_t size)
{
	const struct type *found =
		size ? field_scalar(type, offset, size) : fit_at(type, offset, 1).bits;

	return found ? type_strip(found) : NULL;
}

/* Sets where the tag is in the object's type: a whole scalar around the tested bytes, or else a
 * bit-field at `offset`, the lowest of them. Returns its type; NULL: there is neither. */
static const struct type *find_tag(struct tag_test *test, int64_t offset)
{
	const struct type *found = NULL;

	for (uint32_t size = test->size; size <= 8 && !found; size *= 2) {
		test->size = size;
		found = tag_type(test->type, test->offset & -(int64_t)size, size);
	}
	if (!found) {
		test->size = 0;
		test->offset = offset;
		return tag_type(test->type, offset, 0);
	}
	test->offset &= -(int64_t)test->size;
	return found;
}

/* True if a number may be the address of a variable of the DSO. */
static bool is_address(const struct solver *solver, uint64_t number)
{
	struct elf_section section;

	return number > NULL_DISTANCE_MAX &&
	       elf_image_section_at(solver->image, number, &section) && !section.executable &&
	       !section.thread_local_;
}

/* Makes a test of bits in memory. False: the memory is not a member of a known record. */
static bool make_test(const struct solver *solver, const struct value *address, unsigned int size,
		      struct tested_bits bits, struct tag_test *test)
{
	int64_t within = 0;

	if (address->kind != VALUE_POINTER || !address->origin || address->stride ||
	    address->offset < 0 || !solver->function || solver_has_no_variables(solver) ||
	    !bits.mask || !size || size > 8)
		return false;
	while (!(bits.mask & 0xff)) {
		bits.mask >>= 8;
		bits.value = bits.value == UINT64_MAX ? bits.value : bits.value >> 8;
		within++;
	}
	const struct field_ref field = { address->type, address->offset + within };
	struct distant_place place;

	*test = (struct tag_test){ .insn = UINT32_MAX,
				   .origin = address->origin,
				   .type = address->type,
				   .offset = address->offset,
				   .size = size };
	if (!distant_member_place(&field, &place))
		return false;
	const struct type *scalar = find_tag(test, field.offset);

	/* a pointer is a tag only if it is compared with the address of a variable, such as the
	 * record that describes the object's type */
	if (scalar && (scalar->kind == TYPE_FLOAT ||
		       (scalar->kind == TYPE_POINTER &&
			(bits.mask != UINT64_MAX || !is_address(solver, bits.value)))))
		return false;
	place.kind = DISTANT_TAG;
	place.mask = bits.mask;
	place.tag = bits.value;
	place.code = solver->function->unit_source;
	place.address = solver->code->insns[0].address;
	test->start = field.offset - place.offset;
	test->member = test->object = place;
	test->object.target = TAG_OBJECT;
	if (scalar && scalar->kind == TYPE_ENUM && scalar->name) {
		test->object.record = type_canonical(scalar);
		test->object.offset = field.offset - test->offset;
	}
	return true;
}

static void add_test(struct tags *tags, const struct tag_test *test)
{
	for (size_t i = 0; i < tags->test_count; i++)
		if (tags->tests[i].block == test->block && tags->tests[i].insn == test->insn &&
		    tags->tests[i].origin == test->origin) {
			tags->tests[i] = *test;
			return;
		}
	if (tags->test_count == TAG_NOTES_MAX)
		return;
	array_add(tags->tests, tags->test_count, tags->test_capacity) = *test;
}

/* Forgets the tests of the edge to a block. */
static void remove_tests(struct tags *tags, uint32_t block)
{
	array_keep(i, tags->tests, tags->test_count,
		   tags->tests[i].block != block || tags->tests[i].insn != UINT32_MAX);
}

/* Finds the test of a register before instruction `end`. */
static bool test_of_register(struct solver *solver, uint32_t end, uint8_t reg,
			     struct tested_bits *bits, struct tag_test *test)
{
	uint32_t load = find_load(solver, end, reg, bits);

	return load != UINT32_MAX && solver->tables.loads[load].round == solver->pass.round &&
	       make_test(solver, &solver->tables.loads[load].address,
			 solver->code->insns[load].operands[1].size, *bits, test);
}

/* Finds a test of memory whose address is computed from a register that no later instruction of the
 * block changes. */
static bool test_of_memory(struct solver *solver, const struct state *state, uint32_t from,
			   uint32_t insn, const struct operand *tested, struct tested_bits bits,
			   struct tag_test *test)
{
	const struct cfg *code = solver->code;
	const struct basic_block *block = &code->blocks[from];

	if (tested->kind != OPERAND_MEMORY || tested->segment != SEGMENT_NONE ||
	    tested->index != REG_NONE || !reg_is_general(tested->base) || tested->write)
		return false;
	for (uint32_t i = insn + 1; i < block->first + block->count; i++)
		if (code->insns[i].written & REG_BIT(tested->base))
			return false;
	const struct value address = solver_address(solver, state, tested);

	return make_test(solver, &address, tested->size, bits, test);
}

/* Finds the constant word that is in a register, such as the address of a variable. */
static bool find_constant(const struct state *state, const struct operand *operand,
			  uint64_t *number)
{
	const struct value *value =
		operand_is_general(operand) ? &state->values[operand->reg] : NULL;

	if (!value || operand->size != WORD || value->stride ||
	    (value->kind != VALUE_ADDRESS && value->kind != VALUE_NUMBER))
		return false;
	*number = (uint64_t)value->offset;
	return true;
}

/* Puts such a constant in the place of a comparison's register, behind the other operand. */
static void put_constant(const struct state *state, struct insn *compare)
{
	uint64_t number;

	for (size_t i = 0; i < 2 && compare->operation == OP_COMPARE; i++)
		if (find_constant(state, &compare->operands[i], &number)) {
			compare->operands[0] = compare->operands[1 - i];
			compare->operands[1] = (struct operand){ .kind = OPERAND_IMMEDIATE,
								 .size = WORD,
								 .value = (int64_t)number };
			return;
		}
}

/* Finds what the instruction that a branch depends on tests. `state` is that at the end of the
 * block. */
static bool test_of_branch(struct solver *solver, const struct state *state, uint32_t from,
			   enum edge_says says, struct tag_test *test)
{
	const struct cfg *code = solver->code;
	struct tested_bits bits;
	struct insn compare;
	uint32_t insn;

	if (!tags_find_flags(code, &code->blocks[from], &insn))
		return false;
	compare = code->insns[insn];
	put_constant(state, &compare);
	if (!find_bits(&compare, says, &bits))
		return false;
	const struct operand *tested = &compare.operands[0];

	if (tested->kind != OPERAND_REGISTER)
		return test_of_memory(solver, state, from, insn, tested, bits, test);
	if (!reg_is_general(tested->reg))
		return false;
	if (tested->high_byte) {
		bits.mask <<= 8;
		bits.value = bits.value == UINT64_MAX ? bits.value : bits.value << 8;
	}
	return test_of_register(solver, insn, tested->reg, &bits, test);
}

void tags_note_edge(struct solver *solver, const struct state *state, uint32_t from, uint32_t to)
{
	bool only = cfg_only_predecessor(solver->code, to) == from && to != from;
	enum edge_says says = only ? tags_edge_says(solver->code, from, to) : EDGE_NOTHING;
	const struct cfg_case *number = only ? cfg_case_of(solver->code, from, to) : NULL;
	struct tested_bits bits = { low_bits(32), number ? number->number : 0 };
	struct tag_test test;

	if (says == EDGE_NOTHING && !number)
		return;
	remove_tests(&solver->tags, to);
	if (number ? !test_of_register(solver, number->use, number->index, &bits, &test)
		   : !test_of_branch(solver, state, from, says, &test))
		return;
	test.block = to;
	add_test(&solver->tags, &test);
}

void tags_note_store(struct solver *solver, const struct state *state, uint32_t index)
{
	const struct insn *insn = &solver->code->insns[index];
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	struct tag_test test;

	uint64_t number = (uint64_t)from->value;

	if (insn->operation != OP_MOVE || to->kind != OPERAND_MEMORY || to->size > WORD ||
	    !to->size || to->segment != SEGMENT_NONE ||
	    (from->kind != OPERAND_IMMEDIATE && !find_constant(state, from, &number)) ||
	    (to->size > 4 && !is_address(solver, number)))
		return;
	const struct value address = solver_address(solver, state, to);
	const struct tested_bits bits = { low_bits(8U * to->size),
					  number & low_bits(8U * to->size) };

	if (!make_test(solver, &address, to->size, bits, &test))
		return;
	test.block = cfg_block_of(solver->code, index);
	test.insn = index;
	add_test(&solver->tags, &test);
}

static void tags_add_use(struct tags *tags, uint32_t insn, uint32_t origin, const struct type *type)
{
	for (size_t i = tags->use_count; i-- > 0 && tags->uses[i].insn == insn;)
		if (tags->uses[i].origin == origin && tags->uses[i].type == type)
			return;
	if (tags->use_count == TAG_NOTES_MAX)
		return;
	array_add(tags->uses, tags->use_count, tags->use_capacity) =
		(struct tag_use){ insn, origin, type };
}

void tags_note_call(struct solver *solver, const struct state *state, uint32_t insn)
{
	const struct convention *call = solver->abi->call;

	for (size_t i = 0; i < call->argument_count; i++) {
		const struct value *value = &state->values[call->arguments[i]];

		if (value->kind == VALUE_POINTER && value->origin)
			tags_add_use(&solver->tags, insn, value->origin, NULL);
	}
}

void tags_note_cast(struct solver *solver, const struct value *value, const struct type *record)
{
	if (value->kind == VALUE_POINTER && value->origin && !value->offset && !value->stride &&
	    type_is_record(type_strip(record)))
		tags_add_use(&solver->tags, solver->pass.current, value->origin,
			     type_canonical(record));
}

/* ---- where a test holds */

static bool dominates(const struct tags *tags, uint32_t first, uint32_t block)
{
	while (tags->position[block] > tags->position[first] &&
	       tags->dominators[block] != UINT32_MAX)
		block = tags->dominators[block];
	return block == first;
}

/* True if the test holds at an instruction, as long as nothing changes the tag. */
static bool is_behind(const struct solver *solver, const struct tag_test *test, uint32_t insn)
{
	uint32_t block = cfg_block_of(solver->code, insn);

	if (test->insn != UINT32_MAX && block == test->block)
		return insn > test->insn;
	return dominates(&solver->tags, test->block, block);
}

/* True if a call between the test and an instruction gets the object. */
static bool is_given_away(const struct solver *solver, const struct tag_test *test, uint32_t insn)
{
	const struct tags *tags = &solver->tags;
	uint32_t block = cfg_block_of(solver->code, insn);

	array_each (const struct tag_use, use, tags->uses, tags->use_count) {
		uint32_t at;

		if (use->type || use->origin != test->origin || use->insn == insn)
			continue;
		at = cfg_block_of(solver->code, use->insn);
		if (is_behind(solver, test, use->insn) &&
		    (at == block ? use->insn < insn : tags->position[at] < tags->position[block]))
			return true;
	}
	return false;
}

/* Returns the next test, after *index, of the object of an origin that holds at an instruction;
 * NULL: there is none. */
static const struct tag_test *next_test(struct solver *solver, uint32_t origin, uint32_t insn,
					size_t *index)
{
	struct tags *tags = &solver->tags;

	live_find_dominators(solver);
	while (*index < tags->test_count) {
		const struct tag_test *test = &tags->tests[(*index)++];

		if (test->origin == origin && is_behind(solver, test, insn) &&
		    !is_given_away(solver, test, insn))
			return test;
	}
	return NULL;
}

/* ---- what is wanted */

/* The most blocks above an access whose edges are looked at. */
#define EDGES_MAX 64

void tags_each_edge(struct solver *solver, uint32_t insn,
		    void (*edge)(void *data, uint32_t from, uint32_t to), void *data)
{
	uint32_t block = cfg_block_of(solver->code, insn);

	live_find_dominators(solver);
	for (unsigned int i = 0; i < EDGES_MAX && block; i++) {
		uint32_t before = solver->tags.dominators[block];

		if (before == UINT32_MAX)
			return;
		if (cfg_only_predecessor(solver->code, block) == before)
			edge(data, before, block);
		block = before;
	}
}

void tags_want_object(struct solver *solver, uint32_t origin, uint32_t insn,
		      struct distant_places *places)
{
	const struct tag_test *test;

	for (size_t i = 0; (test = next_test(solver, origin, insn, &i));)
		if (!test->start && test->object.tag)
			distant_places_add(places, &test->object);
}

uint32_t tags_load_of(const struct solver *solver, uint32_t origin)
{
	const struct origin *item = &solver->origins.items[origin];
	uint32_t insn;

	return item->holder && origin_insn(item, &insn) &&
			       solver->tables.loads[insn].round == solver->pass.round &&
			       solver->tables.loads[insn].address.kind == VALUE_POINTER &&
			       solver->tables.loads[insn].address.origin &&
			       !solver->tables.loads[insn].address.stride
		       ? insn
		       : UINT32_MAX;
}

/* Sets *place to that of a pointer at an address, in the object that was tested. False: it is
 * before that object. */
static bool place_of_member(const struct tag_test *test, const struct value *address,
			    struct distant_place *place)
{
	*place = test->member;
	place->target = address->offset - test->start;
	return place->target >= 0;
}

void tags_want_member(struct solver *solver, uint32_t origin, struct distant_places *places)
{
	uint32_t insn = tags_load_of(solver, origin);
	const struct tag_test *test;
	struct distant_place place;

	if (insn == UINT32_MAX)
		return;
	const struct value *address = &solver->tables.loads[insn].address;

	for (size_t i = 0; (test = next_test(solver, address->origin, insn, &i));)
		if (place_of_member(test, address, &place) && place.tag)
			distant_places_add(places, &place);
}

/* ---- learning */

/* True if the type has the tag where it was tested. */
static bool has_tag(const struct tag_test *test, const struct type *type)
{
	const struct type *own = tag_type(test->type, test->offset, test->size);
	const struct type *tag = tag_type(type, test->offset, test->size);

	if (!own)
		return field_contains(type, 0, test->type) ||
		       field_contains(type, 0, test->member.record);
	return tag && field_same_type(own, tag);
}

/* Returns the only type behind a tag that has a whole scalar where an access goes; NULL: there is
 * none, or several have one. */
static const struct type *type_for_access(const struct distant_fact *fact,
					  const struct tag_test *test, int64_t offset,
					  uint64_t size)
{
	const struct type *only = NULL;

	if (fact && distant_fact_is_known(fact))
		return has_tag(test, fact->value.type) &&
				       field_scalar(fact->value.type, offset, size)
			       ? fact->value.type
			       : NULL;
	for (size_t i = 0; fact && distant_fact_has_types(fact) && i < fact->type_count; i++) {
		if (!has_tag(test, fact->types[i]) || !field_scalar(fact->types[i], offset, size))
			continue;
		if (only)
			return NULL;
		only = fact->types[i];
	}
	return only;
}

const struct type *tags_type_at(struct solver *solver, const struct value *address, uint64_t size)
{
	const struct type *found = NULL;
	const struct tag_test *test;

	if (!solver->distant || address->stride || address->offset < 0)
		return NULL;
	for (size_t i = 0; (test = next_test(solver, address->origin, solver->pass.current, &i));) {
		const struct type *type =
			test->start ? NULL
				    : type_for_access(
					      distant_facts_find(solver->distant, &test->object),
					      test, address->offset, size);

		if (type && found && !field_same_type(type, found))
			return NULL;
		found = type ? type : found;
	}
	return found;
}

bool tags_has_test(struct solver *solver, const struct value *address)
{
	const struct tag_test *test;

	if (!solver->distant || address->kind != VALUE_POINTER || !address->origin ||
	    address->stride)
		return false;
	/* a flag may have nothing to do with the union */
	for (size_t i = 0; (test = next_test(solver, address->origin, solver->pass.current, &i));)
		if (test->member.mask == low_bits(test->size ? 8 * test->size : 8))
			return true;
	return false;
}

void tags_learn_member(struct solver *solver, const struct value *address, struct value *value)
{
	const struct tag_test *test;
	const struct value *found = NULL;
	struct distant_place place;

	if (!solver->distant || address->kind != VALUE_POINTER || !address->origin ||
	    address->stride || value->kind != VALUE_UNKNOWN || !value->origin || value->offset ||
	    value->stride)
		return;
	for (size_t i = 0; (test = next_test(solver, address->origin, solver->pass.current, &i));) {
		const struct distant_fact *fact =
			place_of_member(test, address, &place)
				? distant_facts_find(solver->distant, &place)
				: NULL;

		if (!fact || !distant_fact_is_known(fact))
			continue;
		if (found && !field_same_type(found->type, fact->value.type))
			return;
		found = &fact->value;
	}
	if (!found)
		return;
	uint32_t origin = value->origin;

	*value = *found;
	value->origin = origin;
	solver->origins.items[origin].rule = RULE_TAG_VALUE;
}

/* ---- evidence */

/* True if an instruction has the number of a tag as a constant, or may jump by a table. */
static bool may_test(const struct insn *insn, uint64_t number)
{
	if (insn->operation == OP_JUMP)
		return insn->operands[0].kind != OPERAND_IMMEDIATE;
	array_each (const struct operand, operand, insn->operands, insn->operand_count) {
		uint64_t value = (uint64_t)operand->value & low_bits(8U * operand->size);

		if (operand->kind == OPERAND_MEMORY && insn->operation == OP_LEA)
			value = (uint64_t)operand->value;
		else if (operand->kind != OPERAND_IMMEDIATE)
			continue;
		else if (insn->flags & FLAG_BIT_NUMBER)
			value = UINT64_C(1) << (operand->value & 7);
		if (tags_number(value) == number)
			return true;
	}
	return false;
}

bool tags_may_show(const struct solver *solver, const struct distant_facts *facts,
		   uint64_t function)
{
	const struct cfg *code = solver->code;

	for (size_t i = 0; i < facts->count; i++) {
		const struct distant_place *place = &facts->items[i].place;
		uint64_t number = tags_number(place->tag == UINT64_MAX ? place->mask : place->tag);

		if (place->kind != DISTANT_TAG || place->code != solver->function->unit_source ||
		    (function && !distant_fact_asks(&facts->items[i], function)))
			continue;
		for (size_t k = 0; k < code->insn_count; k++)
			if (may_test(&code->insns[k], number))
				return true;
	}
	return false;
}

static void add_evidence(struct distant_evidence_list *list, const struct distant_place *place,
			 const struct type *type)
{
	const struct distant_evidence evidence = { .place = *place,
						   .value = value_pointer(type, 0, HOW_TRACKED) };

	distant_evidence_add(list, &evidence);
}

/* Adds the record as which an object is used after a test, if it says more than the type through
 * which the tag was tested. */
static void collect_cast(const struct solver *solver, const struct tag_test *test,
			 const struct tag_use *use, struct distant_evidence_list *list)
{
	if (test->start || use->origin != test->origin || !use->type ||
	    field_same_type(use->type, test->type) ||
	    field_size(use->type) <= field_size(test->member.record) ||
	    field_contains(test->type, 0, use->type) || !has_tag(test, use->type) ||
	    !is_behind(solver, test, use->insn) || is_given_away(solver, test, use->insn))
		return;
	add_evidence(list, &test->object, use->type);
}

/* Adds evidence on a pointer that is loaded from an object, by the origin `id`, behind tests. */
static void collect_load(struct solver *solver, const struct distant_question *question,
			 uint32_t id, const struct value *said, struct distant_evidence_list *list)
{
	struct distant_places places = { 0 };

	tags_want_member(solver, id, &places);
	for (size_t i = 0; i < places.count; i++) {
		const struct distant_evidence evidence = { .place = places.items[i],
							   .value = *said };

		if (distant_asks(question, &evidence.place))
			distant_evidence_add(list, &evidence);
	}
	distant_places_deinit(&places);
}

/* Adds the records that such pointers are used as, and what is read through them. */
static void collect_loads(struct solver *solver, const struct distant_question *question,
			  struct distant_evidence_list *list)
{
	const struct origins *origins = &solver->origins;

	for (uint32_t id = 1; id < origins->count; id++) {
		struct value used = origins_said(origins, id);

		used.origin = 0;
		if (used.kind == VALUE_POINTER && !used.offset)
			collect_load(solver, question, id, &used, list);
	}
	array_each (const struct origin_read, read, origins->reads, origins->read_count) {
		const struct value what = { .kind = VALUE_NUMBER,
					    .offset = read->offset,
					    .stride = read->size };

		collect_load(solver, question, read->origin, &what, list);
	}
}

void tags_collect(struct solver *solver, const struct distant_question *question,
		  struct distant_evidence_list *list)
{
	const struct tags *tags = &solver->tags;

	live_find_dominators(solver);
	array_each (const struct tag_test, test, tags->tests, tags->test_count) {
		if (!distant_asks(question, &test->object))
			continue;
		for (size_t k = 0; k < tags->use_count; k++)
			collect_cast(solver, test, &tags->uses[k], list);
		/* a store through a pointer to the record itself */
		if (test->insn != UINT32_MAX && !test->start &&
		    field_size(test->type) > field_size(test->member.record))
			add_evidence(list, &test->object, test->type);
	}
	collect_loads(solver, question, list);
}
