// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The last guess (rule only-record): an integer, or a pointer to void, that a macro casts to a
 * record, which leaves nothing else behind. The accesses through the register are held against the
 * records of the unit, of which the cast makes the record one.
 */
#include "annotate/answer/answer.h"
#include "annotate/code/code.h"
#include "annotate/flow/solver.h"
#include "annotate/rules/stages.h"
#include "annotate/types/candidates.h"
#include "annotate/types/field.h"
#include "annotate/types/member.h"
#include "annotate/types/union_member.h"

static bool record_fits_whole(const struct type *type, int64_t offset, uint64_t size)
{
	const struct fit fit = fit_at(type, offset, size);

	return fit.kind <= FIT_ELEMENT || (size <= 4 && fit.bits) ||
	       (size > WORD && fit.kind == FIT_SEVERAL);
}

/* True if all accesses through the register go to whole members. */
static bool record_fits_all(const struct type *type, int64_t offset, uint64_t size,
			    const struct union_evidence *evidence)
{
	return record_fits_whole(type, offset, size) &&
	       all_of(i, 0, evidence->sibling_count,
		      record_fits_whole(type, offset + evidence->siblings[i].offset,
					evidence->siblings[i].size));
}

/* True if the record begins with the members of `head`, or with a `head` that no union shares. */
static bool has_head(const struct type *type, const struct type *head)
{
	size_t count;

	if (field_is_head(head, type))
		return true;
	for (int depth = 0; depth < TYPE_DEPTH_MAX && !field_same_type(type, head); depth++) {
		const struct member *members = type_members(type_strip(type), &count);

		if (type_strip(type)->kind != TYPE_STRUCT || !count || members->offset)
			return false;
		type = members->type;
	}
	return field_same_type(type, head);
}

/* True if a variable of the function, or its result, points to such a record. */
static bool record_is_named(const struct function *function, const struct type *record)
{
	const struct type *target = function->prototype && function->prototype->return_type
					    ? field_pointee(function->prototype->return_type)
					    : NULL;

	for (size_t i = 0; !target || !field_same_type(target, record); i++) {
		if (i == function->variable_count)
			return false;
		target = field_pointee(function->variables[i].type);
	}
	return true;
}

/* The records that a pointer may be to. */
struct record_choice {
	const struct type *const *types;
	size_t count;
	const struct type *bodies[UNION_CANDIDATES_MAX];
	size_t body_count;
};

/* Lists the bodies of objects to which a pointer to void may point: where other records repeat the
 * members of its record, and declare its type (`struct text_body *body;`), those that are cast
 * types, and those of records that the function has variables of. */
static void find_bodies(const struct answer_query *query, struct record_choice *choice)
{
	const struct solver *solver = query->solver;
	const struct origin *origin = &solver->origins.items[query->address->origin];
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;
	bool twin = false;
	size_t count;

	if (query->reason != REASON_VOID_POINTER || !query->address->origin || !origin->holder ||
	    !member_path(origin->holder, origin->holder_offset, WORD, &path))
		return;
	for (size_t i = 0; i < choice->count && choice->body_count < UNION_CANDIDATES_MAX; i++) {
		_cleanup_strbuf_ struct strbuf other = STRBUF_INIT;
		const struct type *record = choice->types[i],
				  *scalar = field_scalar(record, origin->holder_offset, WORD),
				  *body = scalar ? field_pointee(scalar) : NULL;

		if (!body || !type_is_record(type_strip(body)) ||
		    !member_path(record, origin->holder_offset, WORD, &other) ||
		    strcmp(path.data, other.data) != 0)
			continue;
		twin = true;
		if (record_is_named(solver->function, record))
			choice->bodies[choice->body_count++] = body;
	}
	const struct type *const *types = debug_reader_unit_list(
		solver->reader, UNIT_CAST_TYPES, solver->code->insns[0].address, &count);

	for (size_t i = 0; twin && i < count && choice->body_count < UNION_CANDIDATES_MAX; i++)
		choice->bodies[choice->body_count++] = types[i];
}

/* Returns how many bytes before the register's value the object begins: words are aligned, and a
 * tag in the lowest bits of a pointer is subtracted in the accesses. */
static int64_t record_tag(const struct operand *operand, const struct union_evidence *evidence)
{
	int64_t tag = operand->size == WORD ? -operand->value : 0;

	for (size_t i = 0; i < evidence->sibling_count; i++)
		if (evidence->siblings[i].size == WORD)
			tag |= -(operand->value + evidence->siblings[i].offset);
	return tag & (WORD - 1);
}

/* True if an array of words would do as well: values of OCaml, whose fields are no members. */
static bool may_be_words(const struct answer_query *query, const struct union_evidence *evidence)
{
	return query->operand->size == WORD && !(query->operand->value & (WORD - 1)) &&
	       !any_of(i, 0, query->insn->operand_count,
		       operand_is_vector(&query->insn->operands[i])) &&
	       all_of(i, 0, evidence->sibling_count, evidence->siblings[i].size == WORD);
}

/* True for an instruction that tests or changes bits of memory: the compiler chooses its size. */
static bool is_of_bits(const struct insn *insn)
{
	return (insn->operation == OP_TEST ||
		(insn->operation >= OP_BIT_SET && insn->operation <= OP_BIT_INVERT)) &&
	       insn->operands[0].kind == OPERAND_MEMORY;
}

/* Chooses a record. One with which those that fit best begin is chosen, if it has the member,
 * because code reads it before it knows more. False: there is none, or there are several. */
static bool choose_record(struct answer_query *query, const struct record_choice *choice,
			  const struct union_evidence *evidence, int64_t offset,
			  struct field_ref *field)
{
	struct candidates candidates;
	const struct type *fitting[UNION_CANDIDATES_MAX];
	uint64_t size = query->operand->size, left;
	size_t found = 0;

	for (size_t i = 0; i < choice->count; i++) {
		if (!record_fits_all(choice->types[i], offset, size, evidence))
			continue;
		if (found == UNION_CANDIDATES_MAX)
			return false;
		fitting[found++] = choice->types[i];
	}
	if (!found)
		return false;
	left = union_evidence_records(query, fitting, found, offset);
	candidates_start(&candidates, size, FITS_ANY);
	candidates.heads = true;
	for (size_t i = 0; i < choice->count; i++) {
		const struct type *type = choice->types[i];

		if (record_fits_whole(type, offset, size) &&
		    offset + (int64_t)size <= (int64_t)field_size(type) &&
		    all_of(k, 0, found, !(left >> k & 1) || has_head(fitting[k], type)))
			candidates_add(&candidates, type, offset, 0, 0);
	}
	for (size_t i = 0; i < found; i++)
		if (left >> i & 1)
			candidates_add(&candidates, fitting[i], offset, 0, 0);
	return candidates_choose(&candidates, field) == CHOICE_ONE;
}

bool only_record_find(struct answer_query *query, struct field_ref *field)
{
	struct solver *solver = query->solver;
	const struct operand *operand = query->operand;
	struct union_evidence evidence = { 0 };
	struct record_choice choice = { 0 };

	if (!solver->pass.guessing || !solver->reader || solver->options.kernel ||
	    !language_has(solver->function, FACT_FEW_RECORDS) || !reg_is_general(operand->base) ||
	    operand->index != REG_NONE)
		return false;
	union_evidence_siblings(solver, (uint32_t)(query->insn - solver->code->insns), operand,
				&evidence);
	if (is_of_bits(query->insn) ||
	    any_of(i, 0, evidence.sibling_count,
		   is_of_bits(&solver->code->insns[evidence.siblings[i].insn])))
		return false;
	int64_t offset = operand->value + record_tag(operand, &evidence);

	choice.types = debug_reader_unit_list(solver->reader, UNIT_RECORDS,
					      solver->code->insns[0].address, &choice.count);
	find_bodies(query, &choice);
	if (any_of(i, 0, choice.body_count,
		   record_fits_all(choice.bodies[i], offset, operand->size, &evidence))) {
		choice.types = choice.bodies;
		choice.count = choice.body_count;
	} else if (query->reason != REASON_SCALAR_BASE || may_be_words(query, &evidence)) {
		return false;
	}
	return choose_record(query, &choice, &evidence, offset, field);
}
