// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The variant of a Rust enum that an access goes to: see variants.h.
 *
 *     match shape {                          mov (%rdi),%eax       the discriminant
 *         Shape::Circle { radius } => ...    cmp $1,%eax
 *         Shape::Square(side) => ...         jne 1f
 *     }                                      movsd 8(%rdi),%xmm0   Circle.radius, not Square.0
 *
 * The bytes of an enum mean something else in each variant. An instruction that every path to the
 * access passes, and that reads the discriminant of the same object, is a *test*. The code from the
 * test to the access is run once for each variant, with the value of its discriminant: branches,
 * conditional moves and jump tables that depend on it are decided, all others go both ways. The
 * variants for which the access is reached are possible. An instruction that stores a constant to
 * the discriminant is a test with one value; so is one after the access, where an object is made.
 *
 * An access is to the tested object if its address is computed from the same register values. While
 * the code is run, a value is a constant, or the test's address plus a constant, or the
 * discriminant after xor and additions (niches: a variant may be marked by a number that a part of
 * another variant cannot have).
 *
 * A call, or a store through another pointer, may change the object; then the program reads the
 * discriminant again, and that is another test.
 */
#include "annotate/language/variants.h"

#include "annotate/code/code.h"
#include "annotate/language/variant_run.h"
#include "annotate/types/member.h"
#include "base/hash.h"
#include "base/memory.h"

/* At most this many tests are looked at for one access, the nearest first. */
#define TESTS_MAX 12
/* The same for a tag of C. The nearest one that excludes a value decides. */
#define TAG_TESTS_MAX 4
/* At most this many instructions are run for one function: for the variants of enums, which takes
 * about a second, and for the tags of unions. */
#define RUN_INSNS_MAX 20000000
#define TAG_INSNS_MAX 400000
/* At most this many instructions after an access are searched for a store of the discriminant. */
#define REACH_MAX 48

/* Facts of a function that are kept from one of its accesses to the next. */
struct variant_search {
	uint64_t *changed; /* by block: REG_BITs of what its instructions change */
	/* the blocks on paths from one block to another (mark_region()) */
	uint32_t region_from, region_to;
	uint8_t *region;  /* by block: not 0 if it is one of them */
	uint32_t *blocks; /* these blocks, in the code's order */
	uint32_t region_count;
	uint32_t *pending;
	struct run_state *entries;
	struct run_state before; /* as in struct run */
	uint64_t budget;        /* instructions that may still be run */
	struct kept_runs *kept; /* KEPT_COUNT of them */
	struct variant_load *loads;
	size_t load_count, load_capacity;
	struct hash_map load_numbers; /* by instruction and field: index in loads */
	/* kept from one function to the next, because making numbers and looking into types takes
	 * long */
	struct tag_numbers *numbers;
	struct enum_word *words;
	size_t word_count, word_capacity;
	struct hash_map word_numbers; /* by field: index in words */
};

/* The values of a tag of C, as variants of an enum. */
struct tag_numbers {
	const struct type *type; /* the enum; NULL: it is an integer */
	struct tag_values all;
	uint64_t addresses[TAG_ADDRESSES_MAX];  /* of a pointer */
	struct member variants[TAG_VALUES_MAX]; /* by value */
	struct enum_values values;
	struct enum_cases cases;
};

/* A word of a type that may be in an enum. */
struct enum_word {
	struct member_enum open;
	bool is_open;        /* it is in an enum whose variant the type does not name */
	bool may_be_pointer; /* it is a pointer in one of the variants */
};

/* Runs from a test to a block. Accesses to one object are mostly next to each other, so many of
 * them need the same runs. Kept until the function is solved again. */
struct kept_runs {
	uint32_t test, block;
	const struct type
		*type; /* the enum; NULL: the run without a value, the same for all enums */
	uint8_t size;  /* of the discriminant */
	uint64_t mask;
	int64_t skew;
	struct kept_run *items;
	size_t count, capacity;
};

struct kept_run {
	size_t number;      /* as in start() */
	struct run_tag tag; /* at the end */
	bool reaches;
	struct run_state state; /* at the start of the block, if it is reached */
};

#define KEPT_BITS  6
#define KEPT_COUNT ((size_t)1 << KEPT_BITS)

static const struct cell unknown;

static struct variant_search *search_of(struct solver *solver)
{
	if (!solver->caches.variant_search)
		solver->caches.variant_search = xcalloc(1, sizeof(*solver->caches.variant_search));
	return solver->caches.variant_search;
}

/* Returns the registers that an instruction changes, as REG_BITs. */
static uint64_t variants_changed_by(const struct solver *solver, const struct insn *insn)
{
	return insn->operation == OP_CALL ? solver->abi->call->clobbered : insn->written;
}

static void find_changed(struct variant_search *search, const struct solver *solver)
{
	const struct cfg *code = solver->code;

	for (size_t i = 0; i < code->block_count; i++)
		for (uint32_t k = 0; k < code->blocks[i].count; k++)
			search->changed[i] |= variants_changed_by(
				solver, &code->insns[code->blocks[i].first + k]);
}

static bool variants_is_asked(const struct solver *solver)
{
	return language_has(solver->function, FACT_VARIANTS);
}

/* Allocates what runs need, when a variant is first asked for in the function. */
static void prepare_runs(struct variant_search *search, struct solver *solver)
{
	const struct cfg *code = solver->code;
	size_t count = code->block_count;

	if (search->changed)
		return;
	live_find_dominators(solver);
	search->changed = xcalloc(count, sizeof(*search->changed));
	search->region = xcalloc(count, sizeof(*search->region));
	search->blocks = xcalloc(count, sizeof(*search->blocks));
	search->pending = xcalloc(count, sizeof(*search->pending));
	search->kept = xcalloc(KEPT_COUNT, sizeof(*search->kept));
	/* most functions need few of them: each run clears those of its region */
	search->entries = xrealloc_array(NULL, count, sizeof(*search->entries));
	search->budget = variants_is_asked(solver) ? RUN_INSNS_MAX : TAG_INSNS_MAX;
	find_changed(search, solver);
}

/* Returns a run of the function's code for one of the values, which has not started. */
static struct run new_run(struct variant_search *search, struct solver *solver,
			  const struct enum_values *values)
{
	prepare_runs(search, solver);
	return (struct run){ .solver = solver,
			     .code = solver->code,
			     .values = values,
			     .region = search->region,
			     .blocks = search->blocks,
			     .entries = search->entries,
			     .before = &search->before };
}

static void forget_runs(struct variant_search *search)
{
	for (size_t i = 0; search->kept && i < KEPT_COUNT; i++) {
		free(search->kept[i].items);
		search->kept[i] = (struct kept_runs){ 0 };
	}
}

void variants_clear(struct variant_search *search)
{
	if (!search)
		return;
	free_all(search->changed, search->region, search->blocks, search->pending, search->entries);
	forget_runs(search);
	free_all(search->kept, search->loads);
	hash_map_deinit(&search->load_numbers);
	*search = (struct variant_search){ .numbers = search->numbers,
					   .words = search->words,
					   .word_count = search->word_count,
					   .word_capacity = search->word_capacity,
					   .word_numbers = search->word_numbers };
}

void variants_destroy(struct variant_search *search)
{
	if (!search)
		return;
	variants_clear(search);
	free_all(search->numbers, search->words);
	hash_map_deinit(&search->word_numbers);
	free(search);
}

/* Finds the blocks on paths from block `from` to block `to`. */
static void mark_region(const struct solver *solver, uint32_t from, uint32_t to)
{
	struct variant_search *search = solver->caches.variant_search;
	const struct cfg *code = solver->code;
	const uint32_t *position = solver->tags.position;
	uint32_t count = 0, marked = 1, first = position[to];

	if (search->region_count && search->region_from == from && search->region_to == to)
		return;
	for (uint32_t i = 0; i < search->region_count; i++)
		search->region[search->blocks[i]] = 0;
	search->region_from = from;
	search->region_to = to;
	search->region[to] = 1;
	search->pending[count++] = to;
	while (count) {
		uint32_t index = search->pending[--count];
		const struct basic_block *block = &code->blocks[index];

		if (index == from)
			continue;
		each_predecessor (before, code, block) {
			if (search->region[before] || (code->blocks[before].flags & BLOCK_PADDING))
				continue;
			search->region[before] = 1;
			search->pending[count++] = before;
			first = position[before] < first ? position[before] : first;
			marked++;
		}
	}
	search->region_count = 0;
	for (const uint32_t *next = &code->order[first]; search->region_count < marked; next++)
		if (search->region[*next])
			search->blocks[search->region_count++] = *next;
}

/* ---- tests */

/* Returns the operand of `insn` that may be a discriminant: it is read, or a constant is stored to
 * it. A tag may be only a part of it, or it a part of the tag, and a register may be stored. NULL:
 * none is. */
static const struct operand *test_operand(const struct insn *insn, uint8_t size, bool is_tag)
{
	array_indexed (const struct operand, operand, i, insn->operands, insn->operand_count) {
		if (operand->kind != OPERAND_MEMORY ||
		    (is_tag ? !operand->size || operand->size > 8 : operand->size != size) ||
		    operand->segment != SEGMENT_NONE || !reg_is_general(operand->base) ||
		    (operand->index != REG_NONE && !reg_is_general(operand->index)))
			continue;
		if (operand->read && (is_tag || !operand->write))
			return insn->operation == OP_CALL || insn->operation == OP_RETURN ||
					       insn->operation == OP_POP
				       ? NULL
				       : operand;
		if (insn->operation == OP_MOVE && i == 0 &&
		    (insn->operands[1].kind == OPERAND_IMMEDIATE ||
		     (is_tag && operand_is_general(&insn->operands[1]) &&
		      !insn->operands[1].high_byte)))
			return operand;
	}
	return NULL;
}

/* The enum of an access. */
struct question {
	const struct type *type;
	const struct enum_values *values;
	const struct enum_cases *cases;
	const struct operand *operand; /* of the access */
	uint32_t insn;                 /* the question is about the state before it */
	uint32_t block;                /* the one that has `insn` */
	uint32_t next;                 /* with `goes_on`: the block that comes next */
	bool goes_on;                  /* `insn` ends its block, and control goes on to `next` */
	bool is_tag;                   /* it is about a tag of C, not about an enum of Rust */
	bool stored_only;              /* only stores to the discriminant are tests */
	int64_t apart;                 /* bytes from the discriminant to what is accessed */
};

/* Returns what is kept of the runs from the test to a block, with the values of the question's
 * cases or without one. */
static struct kept_runs *kept_runs_of(struct variant_search *search, const struct run *run,
				      const struct question *question, uint32_t block,
				      bool has_value)
{
	const struct type *type = has_value ? question->type : NULL;
	uint64_t number =
		(uint64_t)(uintptr_t)type ^ (uint64_t)run->test << 40 ^ (uint64_t)block << 20;
	struct kept_runs *kept = &search->kept[hash_mix(number) >> (64 - KEPT_BITS)];

	if (kept->type == type && kept->test == run->test && kept->block == block &&
	    kept->size == run->values->size && kept->mask == run->values->mask &&
	    kept->skew == run->skew)
		return kept;
	free(kept->items);
	*kept = (struct kept_runs){ .test = run->test,
				    .block = block,
				    .type = type,
				    .size = run->values->size,
				    .mask = run->values->mask,
				    .skew = run->skew };
	return kept;
}

/* Sets run->state after the test: with no value for the discriminant (number 0), or with that of
 * case `number` - 1. */
static void start(struct run *run, const struct question *question, size_t number)
{
	run_start(run, number ? question->cases->items[number - 1] : unknown);
}

static uint8_t value_of_case(const struct question *question, size_t index)
{
	return (uint8_t)question->cases->items[index].number;
}

/* True if a run with the discriminant of a case shows the same for another case. */
static bool is_alike(const struct run_tag *tag, const struct question *question, size_t index,
		     size_t other)
{
	return index == other || (question->cases->items[index].tag &&
				  run_is_alike(tag, value_of_case(question, other)));
}

/* Returns the kept run that shows what a run with the value for `number` would; NULL: there is
 * none. */
static const struct kept_run *find_kept_run(const struct kept_runs *kept,
					    const struct question *question, size_t number)
{
	return array_find(i, kept->items, kept->count,
			  !number || is_alike(&kept->items[i].tag, question,
					      kept->items[i].number - 1, number - 1));
}

/* Runs from after the test to the start of a block, with the value for `number` as in start().
 * False: the block is not reached. */
static bool run_to_kept_block(struct run *run, const struct question *question, size_t number,
			      uint32_t block)
{
	struct variant_search *search = run->solver->caches.variant_search;
	struct kept_runs *kept = kept_runs_of(search, run, question, block, number);
	const struct kept_run *known = find_kept_run(kept, question, number);
	bool reached;

	if (known) {
		run->tag = known->tag;
		if (known->reaches)
			run->state = known->state;
		if (number)
			run_with(run, value_of_case(question, number - 1));
		return known->reaches;
	}
	mark_region(run->solver, run->test_block, block);
	run->block_count = search->region_count;
	start(run, question, number);
	reached = run_to_block(run, block, &search->budget);
	if (!search->budget)
		return reached;
	array_add(kept->items, kept->count, kept->capacity) = (struct kept_run){
		.number = number, .tag = run->tag, .reaches = reached, .state = run->state
	};
	return reached;
}

/* Runs from after the test to the question, with the value for `number` as in start(). False: the
 * question is not reached. */
static bool run_to_question(struct run *run, const struct question *question, size_t number)
{
	uint64_t *budget = &run->solver->caches.variant_search->budget;
	const struct insn *last = &run->code->insns[question->insn];
	uint32_t block = question->block;

	if (block == run->test_block) {
		start(run, question, number);
		run_stretch(run, run->test + 1, question->insn, budget);
	} else {
		if (!run_to_kept_block(run, question, number, block))
			return false;
		run_stretch(run, run->code->blocks[block].first, question->insn, budget);
	}
	if (!question->goes_on)
		return true;
	run_insn(run, last);
	return run_may_go(run, last, question->next);
}

/* True if the access is to the object that was tested, by run->state before it. */
static bool is_same_object(struct run *run, const struct question *question)
{
	struct cell address = run_address(run, question->operand);
	int64_t bytes;

	return run_distance(run, &address, &bytes) && bytes == question->apart;
}

/* True if `selected` excludes none of the variants that are possible. */
static bool excludes_none(const struct variant_set *possible, const struct variant_set *selected)
{
	return all_of(i, 0, COUNT_OF(possible->bits), !(possible->bits[i] & ~selected->bits[i]));
}

/* Returns `reg` if no block on a way from one block to another, except `from` itself, may change
 * it; otherwise REG_NONE. */
static uint8_t trace_between(const struct run *run, uint32_t from, uint32_t to, uint8_t reg)
{
	struct variant_search *search = run->solver->caches.variant_search;
	const struct basic_block *block = &run->code->blocks[to];
	const uint32_t *position = run->solver->tags.position;
	bool returns = false;

	if (reg == REG_NONE ||
	    (block->predecessor_count == 1 && run->code->edges[block->predecessor_first] == from))
		return reg;
	each_predecessor (before, run->code, block)
		returns |= position[before] >= position[to];
	mark_region(run->solver, from, to);
	for (uint32_t i = 0; i < search->region_count; i++) {
		uint32_t between = search->blocks[i];

		if (between != from && (between != to || returns) &&
		    search->changed[between] & REG_BIT(reg))
			return REG_NONE;
	}
	return reg;
}

/* Returns the argument's register from which the register that the test stores was copied;
 * REG_NONE: it has something else. */
static uint8_t stored_argument(const struct run *run)
{
	const uint32_t *dominators = run->solver->tags.dominators;
	const struct cfg *code = run->code;
	const struct convention *call = run->solver->abi->call;
	uint32_t block = run->test_block, next = run->test;
	uint8_t reg = code->insns[next].operands[1].reg;

	for (;;) {
		while (next-- > code->blocks[block].first) {
			const struct insn *insn = &code->insns[next];
			const struct operand *from = &insn->operands[1];

			if (!(variants_changed_by(run->solver, insn) & REG_BIT(reg)))
				continue;
			if (insn->operation != OP_MOVE || !operand_is_general(from) ||
			    from->size < run->values->size)
				return REG_NONE;
			reg = from->reg;
		}
		if (!block)
			break;
		if (dominators[block] == UINT32_MAX)
			return REG_NONE;
		reg = trace_between(run, dominators[block], block, reg);
		if (reg == REG_NONE)
			return REG_NONE;
		block = dominators[block];
		next = code->blocks[block].first + code->blocks[block].count;
	}
	return convention_argument(call, reg) ? reg : REG_NONE;
}

/* Adds the values of an argument that the test stores to the discriminant: those with which the
 * test is reached from the function's entry. False: it stores no argument. */
static bool select_stored(const struct run *test, const struct question *question,
			  struct variant_set *selected)
{
	struct variant_search *search = test->solver->caches.variant_search;
	struct run run = *test;
	uint8_t reg = stored_argument(test), source = test->code->insns[test->test].operands[1].reg;
	struct variant_set left = variant_set_below(question->cases->count);

	if (reg == REG_NONE)
		return false;
	mark_region(run.solver, 0, test->test_block);
	run.block_count = search->region_count;
	run.test = UINT32_MAX; /* the instruction before the first one */
	run.test_block = 0;
	for (size_t i = 0; i < question->cases->count && search->budget; i++) {
		uint32_t first = run.code->blocks[test->test_block].first;

		if (!variant_set_has(&left, i))
			continue;
		memset(&run.state, 0, sizeof(run.state));
		run.state.registers[run.solver->arch->stack_pointer] =
			(struct cell){ .kind = CELL_STACK, .width = 8 };
		run.state.registers[reg] = question->cases->items[i];
		run.tag = (struct run_tag){ .value = value_of_case(question, i) };
		bool reached =
			!test->test_block || run_to_block(&run, test->test_block, &search->budget);

		if (reached)
			run_stretch(&run, first, test->test, &search->budget);
		for (size_t k = i; k < question->cases->count; k++) {
			if (!variant_set_has(&left, k) || !is_alike(&run.tag, question, i, k))
				continue;
			variant_set_remove(&left, k);
			struct cell stored = run_cell_with(&run, &run.state.registers[source],
							   value_of_case(question, k));

			if (reached && variant_is_known(question->values, &stored))
				enum_select(question->values, &stored, selected);
		}
	}
	return true;
}

/* True if the discriminant still is that of a case. */
static bool is_case(const struct cell *discriminant, const struct cell *value)
{
	return discriminant->kind == value->kind && discriminant->number == value->number &&
	       discriminant->known == value->known;
}

/*
 * Runs with the discriminants of all cases, and adds the variants that the object has where the
 * question is reached. False: the test excludes none.
 *
 * Code gives an object with another tag to a function that makes it one of the kind that the code
 * is for: `if (value->tag == NUMBER || to_number(value)) use(value->number)`. The access is to one
 * member, that of the values with which no such call is on the way, if there are some.
 */
static bool select_cases(struct run *run, const struct question *question,
			 const struct variant_set *possible, struct variant_set *selected)
{
	const struct enum_values *values = question->values;
	const struct enum_cases *cases = question->cases;
	struct variant_set left = variant_set_below(cases->count), handed = { 0 };

	/* each value of a tag has one case */
	if (question->is_tag)
		variant_set_keep(&left, possible);
	for (size_t i = 0; i < cases->count; i++) {
		if (!variant_set_has(&left, i))
			continue;
		bool reached = run_to_question(run, question, i + 1);

		for (size_t k = i; k < cases->count; k++) {
			if (!variant_set_has(&left, k) || !is_alike(&run->tag, question, i, k))
				continue;
			variant_set_remove(&left, k);
			if (!reached)
				continue;
			struct cell now = run_cell_with(run, &run->state.discriminant,
							value_of_case(question, k));

			/* the object may have got another variant on the way */
			if (!question->is_tag || !is_case(&now, &cases->items[k])) {
				enum_select(values, &now, selected);
				continue;
			}
			/* one way here is open to all values */
			if (!run->state.decided)
				return false;
			variant_set_add(run->state.handed ? &handed : selected, k);
		}
		if (!question->is_tag && excludes_none(possible, selected))
			return false;
	}
	if (question->is_tag && !variant_set_count(selected))
		*selected = handed;
	return true;
}

/* Asks one test, whose instruction and operand *run has. Variants that it excludes are taken from
 * `possible`. */
static void ask_test(struct run *run, const struct question *question, struct variant_set *possible)
{
	const struct enum_values *values = question->values;
	uint8_t sp = run->solver->arch->stack_pointer;
	struct variant_set selected = { 0 };

	/* what is accessed through the stack pointer must be tested through it */
	if (question->operand->base == sp && run->place->base != sp)
		return;
	run->has_before = false;
	if (!run_to_question(run, question, 0) || !is_same_object(run, question))
		return;
	if (run->place->write && !run->place->read && question->is_tag &&
	    run->place->size == values->size &&
	    !variant_is_known(values, &run->state.discriminant)) {
		if (!select_stored(run, question, &selected))
			return;
	} else if (run->place->write && !run->place->read) {
		enum_select(values, &run->state.discriminant, &selected);
	} else if (!select_cases(run, question, possible, &selected)) {
		return;
	}
	if (run->solver->caches.variant_search->budget)
		variant_set_keep(possible, &selected);
}

/* Returns the only variant that is possible, or NULL. */
static const struct member *only_possible(const struct enum_values *values,
					  const struct variant_set *possible)
{
	size_t first = 0;

	if (variant_set_count(possible) != 1)
		return NULL;
	while (!variant_set_has(possible, first))
		first++;
	return values->variants[first];
}

/*
 * The register that has the address of the accessed object is followed back from the question. A
 * test through another register, or at another distance, tests another object. So does each test
 * that comes before the load of the address from memory, or before the call that returns it. Thus
 * most tests need no run.
 */
enum trace_end { TRACE_GOES_ON, TRACE_BEGINS, TRACE_LOST };

/* Goes back over an instruction of a block: *reg, which has the address after it, becomes the
 * register that has it before. */
static enum trace_end trace_back(const struct run *run, uint32_t block, uint32_t index,
				 uint8_t *reg)
{
	const struct insn *insn = &run->code->insns[index];
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	uint8_t sp = run->solver->arch->stack_pointer;

	if (!(variants_changed_by(run->solver, insn) & REG_BIT(*reg)))
		return TRACE_GOES_ON;
	if (insn->operation == OP_CALL)
		return TRACE_BEGINS;
	if (insn->operation != OP_MOVE || *reg == sp || !operand_is_reg(to, *reg) || to->size != 8)
		return TRACE_LOST;
	if (operand_is_general(from) && from->reg != sp) {
		*reg = from->reg;
		return TRACE_GOES_ON;
	}
	/* a slot of the stack may have got the address earlier */
	return from->kind == OPERAND_MEMORY && reg_is_general(from->base) &&
			       !run_has_stack(run, block, index, from->base)
		       ? TRACE_BEGINS
		       : TRACE_LOST;
}

/* True if the test may test the object whose address is in `reg` (REG_NONE: not known) before
 * it. */
static bool may_be_of(const struct run *run, const struct question *question, uint8_t reg)
{
	const struct operand *place = run->place, *operand = question->operand;
	uint32_t test = run->test, first = run->code->blocks[run->test_block].first;

	if (reg == REG_NONE)
		return true;
	if (reg == place->base)
		return place->index != REG_NONE || operand->index != REG_NONE ||
		       operand->value - place->value == question->apart;
	/* a register other than the test's own has the address only if it was copied before */
	for (; test > first; test--) {
		const struct insn *insn = &run->code->insns[test - 1];

		if (run_writes_place(run, insn))
			return insn->operation == OP_MOVE;
		if (insn->written & REG_BIT(reg))
			return true;
	}
	return false;
}

/* Sets run->skew; it is 0 unless the register shows which bytes of a tag are tested. False: no byte
 * of the tag is tested. */
static bool find_skew(struct run *run, const struct question *question, uint8_t reg)
{
	const struct operand *place = run->place, *operand = question->operand;

	run->skew = 0;
	if (!question->is_tag || reg == REG_NONE || reg != place->base ||
	    place->index != REG_NONE || operand->index != REG_NONE)
		return question->is_tag && reg != REG_NONE ? place->size >= question->values->size
							   : place->size == question->values->size;
	run->skew = place->value - (operand->value - question->apart);
	return run->skew < question->values->size && run->skew + (int64_t)place->size > 0;
}

/* Takes from `possible` what the tests on every path to the question exclude, the nearest first. */
static void narrow_by_tests(struct run *run, const struct question *question,
			    struct variant_set *possible)
{
	const struct variant_search *search = run->solver->caches.variant_search;
	const uint32_t *dominators = run->solver->tags.dominators;
	const struct cfg *code = run->code;
	uint32_t block = question->block, next = question->insn, tests = 0;
	uint8_t reg = question->operand->base;
	const bool is_heap =
		question->is_tag && !run_has_stack(run, question->block, question->insn, reg);

	if (!reg_is_general(reg) || question->goes_on)
		reg = REG_NONE;
	for (;;) {
		while (next-- > code->blocks[block].first) {
			const struct insn *insn = &code->insns[next];
			enum trace_end end =
				reg == REG_NONE ? TRACE_LOST : trace_back(run, block, next, &reg);

			if (end == TRACE_BEGINS)
				return;
			reg = end == TRACE_LOST ? REG_NONE : reg;
			run->place = test_operand(insn, question->values->size, question->is_tag);
			run->test = next;
			run->test_block = block;
			if (!run->place || !find_skew(run, question, reg) ||
			    (question->stored_only && !run->place->write) ||
			    (is_heap && run_has_stack(run, block, next, run->place->base)) ||
			    !may_be_of(run, question, reg))
				continue;
			ask_test(run, question, possible);
			if (only_possible(question->values, possible) ||
			    ++tests == (question->is_tag ? TAG_TESTS_MAX : TESTS_MAX) ||
			    (question->is_tag &&
			     variant_set_count(possible) < question->values->count) ||
			    !search->budget)
				return;
		}
		if (!block || dominators[block] == UINT32_MAX)
			return;
		reg = trace_between(run, dominators[block], block, reg);
		block = dominators[block];
		next = code->blocks[block].first + code->blocks[block].count;
	}
}

/* True if the instructions from `first` up to the question leave the registers of its operand as
 * they are. */
static bool keeps_operand(const struct run *run, const struct question *question, uint32_t first)
{
	struct run probe = *run;

	probe.place = question->operand;
	return !any_of(i, first, question->insn, run_writes_place(&probe, &run->code->insns[i]));
}

/* A block with more ways into it than WAYS_MAX is not asked way by way. The ways are followed back
 * through at most WAYS_DEPTH_MAX such blocks. */
#define WAYS_MAX       8
#define WAYS_DEPTH_MAX 2

/* Takes from `possible` what the tests before the question exclude, and what they exclude on all
 * ways into its block. */
static void narrow_before(struct run *run, const struct question *question, int depth,
			  struct variant_set *possible)
{
	const struct cfg *code = run->code;
	uint32_t index = question->block;
	const struct basic_block *block = &code->blocks[index];
	struct variant_set together = { 0 };
	bool any = false;

	narrow_by_tests(run, question, possible);
	if (only_possible(question->values, possible) || !depth || block->predecessor_count < 2 ||
	    block->predecessor_count > WAYS_MAX || (block->flags & BLOCK_LEADER) ||
	    !keeps_operand(run, question, block->first))
		return;
	each_predecessor (from, code, block) {
		struct question way = *question;
		struct variant_set selected = variant_set_below(question->values->count);

		if (code->blocks[from].flags & BLOCK_PADDING)
			continue;
		way.insn = code->blocks[from].first + code->blocks[from].count - 1;
		way.block = from;
		way.next = index;
		way.goes_on = any = true;
		narrow_before(run, &way, depth - 1, &selected);
		variant_set_add_all(&together, &selected);
		if (excludes_none(possible, &together))
			return;
	}
	if (any)
		variant_set_keep(possible, &together);
}

/* Looks for a constant that is stored to the discriminant after the access, on the only way, and
 * adds the variants that it selects. `place` becomes the discriminant's operand, to which
 * run->place points from then on. False: there is none. */
static bool stored_after(struct run *run, const struct question *question, struct operand *place,
			 struct variant_set *selected)
{
	const struct cfg *code = run->code;
	uint32_t block = question->block, next = question->insn;

	*place = *question->operand;
	place->value -= question->apart;
	place->size = run->values->size;
	run->skew = 0;
	run->place = place;
	run->test = question->insn;
	run->test_block = question->block;
	run->has_before = false;
	run_start(run, unknown);
	for (uint32_t i = 0; i < REACH_MAX; i++) {
		const struct basic_block *at = &code->blocks[block];

		if (++next == at->first + at->count) {
			if (at->successor_count != 1 || code->edges[at->successor_first] == block)
				return false;
			block = code->edges[at->successor_first];
			next = code->blocks[block].first;
		}
		run_insn(run, &code->insns[next]);
		if (!variant_is_known(run->values, &run->state.discriminant))
			continue;
		enum_select(question->values, &run->state.discriminant, selected);
		return true;
	}
	return false;
}

/* Returns the variant of an enum that the access goes to; NULL: not known. */
static const struct member *find_variant(struct solver *solver, const struct member_enum *open,
					 const struct operand *operand, uint32_t insn,
					 const struct access *access)
{
	struct enum_values values;
	struct enum_cases cases;
	struct variant_search *search = search_of(solver);

	if (!enum_values_read(open->type, &values))
		return NULL;
	enum_cases_list(&values, &cases);
	/* too many to be sure of all */
	if (cases.count == VARIANTS_MAX)
		return NULL;
	struct question question = { .type = open->type,
				     .values = &values,
				     .cases = &cases,
				     .operand = operand,
				     .insn = insn,
				     .block = cfg_block_of(solver->code, insn),
				     .apart = open->offset - values.offset };
	struct run run = new_run(search, solver, &values);
	struct variant_set possible = variant_set_below(values.count), selected = { 0 };
	struct operand place;

	narrow_before(&run, &question, WAYS_DEPTH_MAX, &possible);

	const struct member *before = only_possible(&values, &possible);
	const struct member *after =
		access->write && !access->read && stored_after(&run, &question, &place, &selected)
			? only_possible(&values, &selected)
			: NULL;

	return before && after && before != after ? NULL : before ? before : after;
}

/* Finds the variants of all enums on the path of the access; `open` is the first of them. */
static void find_all(struct solver *solver, uint32_t insn, const struct operand *operand,
		     struct member_enum open, struct access *access)
{
	for (size_t i = 0; i < ACCESS_VARIANTS; i++) {
		const struct member *variant;

		if (i && !member_open_enum(access, &open))
			return;
		variant = find_variant(solver, &open, operand, insn, access);
		if (!variant)
			return;
		access->variants[i] = type_canonical(variant->type);
	}
}

void variants_find(struct solver *solver, uint32_t insn, bool store, struct access *access)
{
	const struct operand *operand = insn_memory(&solver->code->insns[insn], store);
	struct member_enum open;

	if (access->kind != ACCESS_TYPE || !operand || !variants_is_asked(solver) ||
	    !member_open_enum(access, &open))
		return;
	find_all(solver, insn, operand, open, access);
}

/* ---- tags of unions in C */

/* Returns the number with its lowest bits moved to those of the mask. */
static uint64_t deposit_bits(uint64_t number, uint64_t mask)
{
	uint64_t bits = 0;

	for (; mask; mask &= mask - 1, number >>= 1)
		bits |= number & 1 ? mask & -mask : 0;
	return bits;
}

/* A number that is the address of no object. */
#define OTHER_ADDRESS (UINT64_C(1) << 46)

/* Returns the number that a tag has with its value `i`. */
static uint64_t tag_number_of(const struct tag_question *tag, const struct enumerator *constants,
			      unsigned int i)
{
	if (constants)
		return (uint64_t)constants[i].value;
	if (!type_is_pointer(tag->type))
		return i;
	return tag_values_has(&tag->all, i + 1) ? tag->addresses[i] : OTHER_ADDRESS;
}

/* Returns the values of a tag as variants of an enum; those of the last one are kept. */
static const struct tag_numbers *tag_numbers_of(struct variant_search *search,
						const struct tag_question *tag)
{
	struct tag_numbers *numbers = search->numbers ?: xcalloc(1, sizeof(*numbers));
	struct enum_values *values = &numbers->values;
	size_t count;
	const struct enumerator *constants = type_enumerators(tag->type, &count);
	const struct type *type = count || type_is_pointer(tag->type) ? tag->type : NULL;

	search->numbers = numbers;
	if (numbers->type == type && values->size == tag->size && values->mask == tag->mask &&
	    memcmp(&numbers->all, &tag->all, sizeof(tag->all)) == 0 &&
	    memcmp(numbers->addresses, tag->addresses, sizeof(tag->addresses)) == 0)
		return numbers;
	numbers->type = type;
	numbers->all = tag->all;
	memcpy(numbers->addresses, tag->addresses, sizeof(tag->addresses));
	*values = (struct enum_values){ .size = tag->size, .mask = tag->mask };
	for (unsigned int i = 0; i < TAG_VALUES_MAX; i++) {
		if (!tag_values_has(&tag->all, i))
			continue;
		numbers->variants[i].has_discriminant = true;
		numbers->variants[i].discriminant =
			deposit_bits(tag_number_of(tag, count ? constants : NULL, i), tag->mask);
		values->variants[values->count++] = &numbers->variants[i];
	}
	enum_cases_list(values, &numbers->cases);
	/* a run is only alike for numbers of a byte */
	const bool small =
		all_of(i, 0, numbers->cases.count, numbers->cases.items[i].number <= UINT8_MAX);

	for (size_t i = 0; small && i < numbers->cases.count; i++)
		if (numbers->cases.items[i].kind == CELL_CONSTANT)
			numbers->cases.items[i].tag = UINT8_MAX;
	return numbers;
}

bool variants_tag_values(struct solver *solver, uint32_t insn, const struct operand *operand,
			 const struct tag_question *tag, struct tag_values *result)
{
	struct variant_search *search = search_of(solver);
	struct variant_set selected = { 0 };
	struct operand place;

	/* runs follow the registers of the address: there is none if it is fixed */
	if (!reg_is_general(operand->base) ||
	    (operand->index != REG_NONE && !reg_is_general(operand->index)))
		return false;
	const struct tag_numbers *numbers = tag_numbers_of(search, tag);
	const struct enum_values *values = &numbers->values;
	struct question question = { .type = tag->type,
				     .values = values,
				     .cases = &numbers->cases,
				     .operand = operand,
				     .insn = insn,
				     .block = cfg_block_of(solver->code, insn),
				     .apart = tag->apart,
				     .is_tag = true,
				     .stored_only = tag->store };
	struct run run = new_run(search, solver, values);
	struct variant_set possible = variant_set_below(values->count);

	if (tag->store && stored_after(&run, &question, &place, &selected))
		possible = selected;
	else
		narrow_before(&run, &question, WAYS_DEPTH_MAX, &possible);
	const size_t left = search->budget ? variant_set_count(&possible) : 0;

	/* what a few tests leave says only what the tag is not */
	if (!left || (tag->store ? left >= values->count : left > values->count * 3 / 4))
		return false;
	*result = (struct tag_values){ 0 };
	for (size_t i = 0; i < values->count; i++)
		if (variant_set_has(&possible, i))
			tag_values_add(result,
				       (unsigned int)(values->variants[i] - numbers->variants));
	return true;
}

/* ---- loads */

/* A load of a word from an enum. The word's type depends on the variant. */
struct variant_load {
	uint32_t insn;
	struct field_ref field;
	bool asked;
	const struct type *declared;
	const struct type *type; /* of the word; NULL: not known */
};

/* Returns the load of the field by an instruction. Sets *created if it is new. */
static struct variant_load *load_of(struct variant_search *search, uint32_t insn,
				    const struct field_ref *field, bool *created)
{
	uint64_t key = hash_combine(hash_combine((uint64_t)(uintptr_t)field->type, insn),
				    (uint64_t)field->offset);
	uint32_t *number = hash_map_insert(&search->load_numbers, key, created);

	if (*created) {
		*number = (uint32_t)search->load_count;
		array_add(search->loads, search->load_count, search->load_capacity) =
			(struct variant_load){ .insn = insn, .field = *field };
	}
	return &search->loads[*number];
}

/* Returns the type of the word at an offset of an enum, in the variant of this member; NULL: it has
 * none. */
static const struct type *variants_word_in(const struct member_enum *open,
					   const struct member *variant)
{
	return field_scalar(variant->type, open->offset - variant->offset, WORD);
}

/* Returns the type of the word in the variant that has this type; NULL: it has none. */
static const struct type *variants_word_of(const struct member_enum *open,
					   const struct type *variant)
{
	members_each (member, type_members, open->type)
		if (member->is_variant && type_canonical(member->type) == variant)
			return variants_word_in(open, member);
	return NULL;
}

/* True if the word is a pointer in one of the variants. A number says nothing about the variant. */
static bool may_be_pointer(const struct member_enum *open)
{
	members_each (member, type_members, open->type) {
		const struct type *word =
			member->is_variant ? variants_word_in(open, member) : NULL;

		if (word && type_is_pointer(type_strip(word)))
			return true;
	}
	return false;
}

static struct enum_word *word_at(struct variant_search *search, const struct field_ref *field)
{
	uint64_t key = hash_combine((uint64_t)(uintptr_t)field->type, (uint64_t)field->offset);
	struct access access = { .type = field->type, .offset = field->offset, .size = WORD };
	bool created;
	uint32_t *number = hash_map_insert(&search->word_numbers, key, &created);
	struct enum_word *word;

	if (!created)
		return &search->words[*number];
	*number = (uint32_t)search->word_count;
	word = &array_add(search->words, search->word_count, search->word_capacity);
	*word = (struct enum_word){ 0 };
	word->is_open = member_open_enum(&access, &word->open);
	word->may_be_pointer = word->is_open && may_be_pointer(&word->open);
	return word;
}

const struct type *variants_loaded(struct solver *solver, const struct field_ref *field,
				   uint64_t size, const struct type *declared)
{
	bool created;

	if (size != WORD || !variants_is_asked(solver))
		return declared;

	struct variant_load *load =
		load_of(search_of(solver), solver->pass.current, field, &created);

	/* fields about which there is nothing to ask are kept, too */
	if (created) {
		load->declared = declared;
		load->asked = !word_at(search_of(solver), field)->may_be_pointer;
	}
	return load->type ? load->type : declared;
}

bool variants_ask_loads(struct solver *solver)
{
	struct variant_search *search = solver->caches.variant_search;
	bool found = false;

	if (search)
		forget_runs(search);
	for (size_t i = 0; search && i < search->load_count; i++) {
		struct variant_load *load = &search->loads[i];
		const struct operand *operand =
			insn_memory(&solver->code->insns[load->insn], false);
		struct access access = { .type = load->field.type,
					 .offset = load->field.offset,
					 .size = WORD,
					 .read = true };
		struct member_enum open;

		if (load->asked || !operand || operand->size != WORD)
			continue;
		load->asked = true;
		open = word_at(search, &load->field)->open;
		find_all(solver, load->insn, operand, open, &access);
		load->type =
			access.variants[0] ? variants_word_of(&open, access.variants[0]) : NULL;
		found |= load->type && load->type != load->declared;
	}
	if (found)
		forget_runs(search);
	return found;
}
