// SPDX-License-Identifier: GPL-2.0-or-later
/* STAGE_LAST: accesses that do not fit, where there are no variables. */

#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/member.h"

/* Hashes and checksums (jhash2() and its like) read this many bytes at a time. */
#define HASH_WORD 4

/* True for bytes at the start or the end of a record, with nothing wider in any alternative of a
 * union: the record is there to be cast as a whole (struct sockaddr, io_uring's struct io_kiocb). A
 * buffer between other members (skb->cb) belongs to the record, whatever is in it. */
static bool is_in_open_buffer(const struct field_ref *field)
{
	const struct fit fit = fit_at(field->type, field->offset, 1);

	return fit.buffer && fit.open;
}

/* True for a part of a pointer other than its low half, which is what a difference of two pointers
 * leaves. */
static bool cuts_pointer(const struct field_ref *field, uint64_t size)
{
	return fit_at(field->type, field->offset, size).kind == FIT_PART_OF_POINTER &&
	       (field->offset % WORD || size < 4);
}

/* True for the upper half of a long integer, which is rarely read for its own sake. */
static bool is_upper_half(const struct field_ref *field, uint64_t size)
{
	const struct type *whole =
		size == HASH_WORD && field->offset >= HASH_WORD &&
				!field_scalar(field->type, field->offset, size)
			? field_scalar(field->type, field->offset - HASH_WORD, 2 * HASH_WORD)
			: NULL;

	return whole && type_strip(whole)->kind == TYPE_INTEGER;
}

static bool is_read_in_words(const struct solver *solver, const struct field_ref *field)
{
	return any_of(i, 0, solver->evidence.words.count,
		      field_same_type(solver->evidence.words.items[i], field->type));
}

bool rule_part_of_integer(struct pointer_access *access)
{
	const struct type *bare = type_strip(access->field->type);

	return bare->kind == TYPE_INTEGER && access->size < type_size_or(bare, 0);
}

bool rule_read_in_words(struct pointer_access *access)
{
	const struct insn *insn = &access->solver->code->insns[access->solver->pass.current];
	const struct operand *operand = insn_memory(insn, false);

	/* code that computes a hash neither writes these words nor compares them */
	return operand && !operand->write && !solver_passes_over(insn) &&
	       type_is_record(type_strip(access->field->type)) && access->size == HASH_WORD &&
	       is_read_in_words(access->solver, access->field);
}

/* True if the access is to a record, and to no whole member of it. */
static bool is_no_member(const struct pointer_access *access)
{
	const struct field_ref *field = access->field;

	return type_is_record(type_strip(field->type)) &&
	       !field_scalar(field->type, field->offset, access->size);
}

bool rule_part_of_pointer(struct pointer_access *access)
{
	return is_no_member(access) && cuts_pointer(access->field, access->size);
}

bool rule_open_buffer(struct pointer_access *access)
{
	return is_no_member(access) && is_in_open_buffer(access->field);
}

void cast_gather(struct solver *solver, const struct field_ref *field, uint64_t size)
{
	if (!solver_has_no_variables(solver) || !type_is_record(type_strip(field->type)) ||
	    solver->evidence.words.count == WORDS_MAX || is_read_in_words(solver, field) ||
	    !is_upper_half(field, size))
		return;
	solver->evidence.words.items[solver->evidence.words.count++] = field->type;
}
