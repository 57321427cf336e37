// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Constraints on the order of members that machine code shows, for objects whose sources are not
 * here. record_sources.h finds more where they are.
 *
 *   node[0]; node[-88 + 4]        a pointer to a node, used as the record around it
 *   base->kind; base[136]         the same for the record that begins with it
 *   memset(&state->b, 0, 24)      b, c and d are set at once
 *   (&point->x)[i]                an index leads from x to y and z
 */

#include "annotate/facts/abi.h"
#include "annotate/facts/arguments.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/resolve/code_loops.h"
#include "profiler/resolve/layout_private.h"

#define FUNCTIONS_SHOWN 3

enum code_use_kind {
	CODE_AROUND,     /* from a pointer to a member to the record */
	CODE_FIRST,      /* the same for the first member */
	CODE_RANGE,      /* several members at once */
	CODE_ARITHMETIC, /* an index leads from one member to others */
	CODE_COMPARED,   /* the whole record, with its holes */
	CODE_KINDS,
};

/* Each kind as a constraint: the text before and after the names of members. */
static const struct order_use_text {
	const char *before, *after;
	enum advice_risk risk;
} code_use_texts[CODE_KINDS] = {
	[CODE_AROUND] = { "code goes from pointers to ",
			  " to the record, as container_of() does, which finds the new offset by "
			  "itself",
			  RISK_NONE },
	[CODE_FIRST] = { "code goes from pointers to ", " to the record, so it stays first",
			 RISK_NONE },
	[CODE_RANGE] = { "several members are copied, set or compared at once: ", "", RISK_BREAK },
	[CODE_ARITHMETIC] = { "an index leads to other members from ", "", RISK_BREAK },
	[CODE_COMPARED] = { "compared as a whole, with its holes", "", RISK_BREAK },
};

/* A place in the code that depends on the layout of a wanted type. */
struct order_use {
	uint32_t type;  /* index of the wanted type */
	uint32_t kind;  /* enum code_use_kind */
	uint32_t first; /* member, */
	uint32_t last;  /* and the last one of a range */
	const char *function;
};

COMPARISON(compare_uses, struct order_use,
	   ASCENDING(type) ASCENDING(kind) ASCENDING(first) ASCENDING(last) BY_TEXT(function))

/* Adds a use. `function` lives until layout_keep_code_uses(). */
static void add_use(struct facts_collector *collector, const struct chosen_type *wanted,
		    enum code_use_kind kind, uint32_t first, uint32_t last, const char *function)
{
	array_add(collector->code_uses, collector->code_use_count, collector->code_use_capacity) =
		(struct order_use){
			.type = (uint32_t)(wanted - collector->wanted),
			.kind = kind,
			.first = first,
			.last = last,
			.function = function,
		};
}

/* Returns the wanted type of a record whose sources are not all here, or NULL. */
static struct chosen_type *without_source(const struct facts_collector *collector,
					  const struct type *type)
{
	struct chosen_type *wanted = layout_wanted_find(collector, type);

	return wanted && (!wanted->facts->source.read || wanted->facts->source.missing) ? wanted
											: NULL;
}

/* ---- pointers to a member that lead to the record ---- */

/* The types that parameters point to, by their registers; NULL: none is there. */
struct passed_pointers {
	const struct cfg *code;
	const struct type *at[REG_COUNT];    /* in the entry block, up to the present instruction */
	const struct type *later[REG_COUNT]; /* in all other blocks */
};

/* Removes from the registers what an instruction overwrites. */
static void forget_written(const struct passed_pointers *parameters, const struct insn *insn,
			   const struct type *at[REG_COUNT])
{
	const struct arch *arch = parameters->code->arch;

	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		if (insn->written & REG_BIT(reg) ||
		    (insn->operation == OP_CALL && !(arch->call.preserved & REG_BIT(reg))))
			at[reg] = NULL;
}

/* Applies an instruction of the entry block to the registers. */
static void apply_instruction(struct passed_pointers *parameters, const struct insn *insn)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	bool copies = insn->operation == OP_MOVE && insn->operand_count == 2 &&
		      to->kind == OPERAND_REGISTER && from->kind == OPERAND_REGISTER &&
		      to->size == sizeof(uint64_t) && from->size == sizeof(uint64_t);
	const struct type *copied = copies ? parameters->at[from->reg] : NULL;

	forget_written(parameters, insn, parameters->at);
	if (copies)
		parameters->at[to->reg] = copied;
}

static void passed_pointers_init(struct passed_pointers *parameters, const struct cfg *code,
				 const struct abi *abi, const struct function *function)
{
	const struct basic_block *entry = &code->blocks[0];
	struct passed_pointer found[REG_COUNT];
	size_t count = function->prototype ? arguments_pointers(abi, function, found)
					   : function->passed_pointer_count;
	const struct passed_pointer *pointers =
		function->prototype ? found : function->passed_pointers;

	*parameters = (struct passed_pointers){ .code = code };
	if (!count || !code->block_count)
		return;
	for (size_t i = 0; i < count; i++)
		parameters->at[pointers[i].reg] = pointers[i].type;

	struct passed_pointers end = *parameters;

	for (uint32_t i = 0; i < entry->count; i++)
		apply_instruction(&end, &code->insns[entry->first + i]);
	for (uint32_t i = 0; i < code->insn_count; i++)
		if (cfg_block_of(code, i) != 0)
			forget_written(parameters, &code->insns[i], end.at);
	memcpy(parameters->later, end.at, sizeof(end.at));
}

/* Returns the index of the member at the offset of this type (NULL: any), or -1. */
static int record_at(const struct chosen_type *wanted, const struct type *member, int64_t offset)
{
	members_each (part, type_members, type_strip(wanted->type)) {
		const struct type *type = type_strip(part->type);

		if (part->offset == offset && !part->is_base && type_is_record(type) &&
		    (!member || type_canonical(type) == type_canonical(type_strip(member))))
			return advice_member_at(wanted->facts, (uint64_t)offset);
	}
	return -1;
}

/* Adds the use of a member if code has its address and accesses another member of the record
 * through it. Such an address is that of a parameter, or of a list that is followed through the
 * member. Others do not count: loops over arrays have pointers into the elements as well. */
static void find_around(struct facts_collector *collector, const struct type *passed,
			enum value_walk walk, const struct type *type, uint64_t offset,
			int64_t start, const char *function)
{
	struct chosen_type *wanted = without_source(collector, type);
	int member = -1;

	if (!wanted || start < 0)
		return;
	if (passed)
		member = record_at(wanted, passed, start);
	else if (start && walk == VALUE_CHASED)
		member = record_at(wanted, NULL, start);
	if (member >= 0 && advice_member_at(wanted->facts, offset) != member)
		add_use(collector, wanted, start ? CODE_AROUND : CODE_FIRST, (uint32_t)member,
			(uint32_t)member, function);
}

/* ---- indexes that lead from a member to others ---- */

/* Returns how one register of an operand changes in a loop. */
static struct address_walk register_walk(const struct loop_forest *forest, uint32_t loop,
					 uint32_t insn, const struct operand *memory, uint8_t reg)
{
	struct operand alone = *memory;

	alone.base = reg;
	alone.index = REG_NONE;
	return loop_address_walk(forest, loop, insn, &alone);
}

/* Adds the use of a member that an index leads away from: code uses the members from this one on as
 * an array. `record` is what the base register points to. */
static void find_arithmetic(struct facts_collector *collector, const struct operand *memory,
			    const struct address_walk *index, const struct type *record,
			    const char *function)
{
	struct chosen_type *wanted =
		memory->value >= 0 ? without_source(collector, type_canonical(record)) : NULL;
	int number = wanted ? advice_member_at(wanted->facts, (uint64_t)memory->value) : -1;
	const struct advice_member *member = number >= 0 ? &wanted->facts->members[number] : NULL;

	if (member && memory->size && member->size == memory->size &&
	    member->offset == (uint64_t)memory->value && memory->scale == memory->size &&
	    !(member->flags & (MEMBER_BITFIELDS | MEMBER_LAST)) && index->kind == VALUE_INDUCTION &&
	    index->step)
		add_use(collector, wanted, CODE_ARITHMETIC, (uint32_t)number, (uint32_t)number,
			function);
}

/* ---- accesses of one function ---- */

/* Looks at a memory operand. `passed` is what its base points to as a parameter. */
static void find_operand(struct facts_collector *collector, const struct loop_forest *forest,
			 uint32_t insn, const struct operand *memory, const struct access *access,
			 const struct type *passed, const char *function)
{
	uint32_t loop = forest->loop_of[cfg_block_of(forest->code, insn)];
	uint64_t offset = 0;
	const struct type *type =
		access->kind == ACCESS_TYPE ? layout_record_of(collector, access, &offset) : NULL;

	if (memory->index != REG_NONE) {
		struct address_walk index = { 0 };

		if (passed && memory->index < REG_COUNT)
			index = register_walk(forest, loop, insn, memory, memory->index);
		if (passed)
			find_arithmetic(collector, memory, &index, passed, function);
	} else if (type && access->memory == ACCESS_MEMORY_ANY) {
		find_around(collector, passed, loop_address_walk(forest, loop, insn, memory).kind,
			    type, offset, (int64_t)offset - memory->value, function);
	}
}

void layout_find_code_uses(struct facts_collector *collector, const struct loop_forest *forest,
			   const struct abi *abi, const struct sampled_function *function,
			   const struct access *accesses)
{
	const struct cfg *code = forest->code;
	const char *name = function_shown_name(&collector->advice->arena, function->function->name);
	struct passed_pointers parameters;

	passed_pointers_init(&parameters, code, abi, function->function);
	array_indexed (const struct insn, insn, i, code->insns, code->insn_count) {
		const struct operand *memory = insn_memory(insn, accesses[i].write);
		uint32_t block = cfg_block_of(code, i);

		if (memory && memory->kind == OPERAND_MEMORY && !memory->absolute &&
		    memory->base < REG_COUNT)
			find_operand(collector, forest, i, memory, &accesses[i],
				     block ? parameters.later[memory->base]
					   : parameters.at[memory->base],
				     name);
		if (!block)
			apply_instruction(&parameters, insn);
	}
}

/* ---- calls of bulk memory functions ---- */

static void find_bulk(struct facts_collector *collector, const struct type_resolver_call *call,
		      const char *function)
{
	const struct access *access = &call->access;
	uint64_t offset = 0, range = access->range;
	const struct type *type = call->callee && access->kind == ACCESS_TYPE
					  ? layout_record_of(collector, access, &offset)
					  : NULL;
	struct chosen_type *wanted = type && range ? without_source(collector, type) : NULL;
	int first, last;

	if (!wanted)
		return;
	if (!offset && range >= wanted->facts->size) {
		if (!strcmp(call->callee, "memcmp") || !strcmp(call->callee, "bcmp") ||
		    !strcmp(call->callee, "memcmpeq"))
			add_use(collector, wanted, CODE_COMPARED, 0, 0, function);
		return;
	}
	first = advice_member_at(wanted->facts, offset);
	last = advice_member_at(wanted->facts, offset + range - 1);
	if (first >= 0 && last > first)
		add_use(collector, wanted, CODE_RANGE, (uint32_t)first, (uint32_t)last, function);
}

void layout_find_code_calls(struct facts_collector *collector, struct type_resolver *resolver,
			    const struct sampled_function *functions, size_t count)
{
	_cleanup_free_ struct type_resolver_call *calls = NULL;
	_cleanup_free_ const char **names = NULL;
	size_t found = 0, call_room = 0, name_room = 0;
	const bool any = any_of(i, 0, collector->wanted_count,
				without_source(collector, collector->wanted[i].type));

	for (size_t i = 0; any && i < count; i++) {
		const struct cfg *code = functions[i].code;

		for (size_t k = 0; code && k < code->insn_count; k++) {
			if (code->insns[k].operation != OP_CALL)
				continue;
			/* its target, then its source */
			for (int write = 0; write < 2; write++) {
				array_reserve(calls, found, call_room);
				array_reserve(names, found, name_room);
				names[found] = functions[i].function->name;
				calls[found++] = (struct type_resolver_call){
					.address = code->insns[k].address,
					.at_call = true,
					.access = { .kind = ACCESS_BULK,
						    .write = write,
						    .read = !write },
				};
			}
		}
	}
	type_resolver_calls(resolver, calls, found);
	for (size_t i = 0; i < found; i++)
		find_bulk(collector, &calls[i], names[i] ?: "(no name)");
}

/* ---- constraints ---- */

/* Appends the members of uses, each once: "'run'", "'b' to 'd'". */
static void add_members(const struct advice_type *facts, const struct order_use *uses, size_t count,
			struct strbuf *text)
{
	array_indexed (const struct order_use, use, i, uses, count) {
		if (i && use[-1].first == use->first && use[-1].last == use->last)
			continue;
		strbuf_add_format(text, "%s'%s'", i ? ", " : "", facts->members[use->first].name);
		if (use->last != use->first)
			strbuf_add_format(text, " to '%s'", facts->members[use->last].name);
	}
}

/* Appends the functions of uses, each once. */
static void add_functions(const struct order_use *uses, size_t count, struct strbuf *text)
{
	struct hash_map seen = { 0 };
	unsigned int shown = 0, left = 0;

	for (size_t i = 0; i < count; i++) {
		const char *name = uses[i].function;
		bool created;

		hash_map_insert(&seen, hash_bytes(name, strlen(name)), &created);
		if (!created)
			continue;
		if (shown < FUNCTIONS_SHOWN)
			strbuf_add_format(text, "%s%s()", shown++ ? ", " : "", uses[i].function);
		else
			left++;
	}
	hash_map_deinit(&seen);
	if (left)
		strbuf_add_format(text, " and %u more", left);
}

void layout_keep_code_uses(struct facts_collector *collector)
{
	struct order_use *uses = collector->code_uses;

	array_sort(uses, collector->code_use_count, compare_uses);
	for (size_t i = 0, end; i < collector->code_use_count; i = end) {
		struct advice_type *facts = collector->wanted[uses[i].type].facts;
		const struct order_use_text *kind = &code_use_texts[uses[i].kind];
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		for (end = i; end < collector->code_use_count && uses[end].type == uses[i].type &&
			      uses[end].kind == uses[i].kind;)
			end++;
		strbuf_add_string(&text, kind->before);
		if (uses[i].kind != CODE_COMPARED)
			add_members(facts, &uses[i], end - i, &text);
		strbuf_add_format(&text, "%s, in ", kind->after);
		add_functions(&uses[i], end - i, &text);
		if (!any_of(i, 0, facts->constraint_count,
			    !strcmp(facts->constraints[i].text, text.data)))
			advice_add_constraint(facts, &collector->advice->arena, kind->risk,
					      text.data);
	}
	free(collector->code_uses);
	collector->code_uses = NULL;
	collector->code_use_count = 0;
}
