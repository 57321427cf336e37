// SPDX-License-Identifier: GPL-2.0-or-later
/* STAGE_LAST: accesses that do not fit, where there are no variables. */
#include <string.h>

#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/member.h"

/* Hashes and checksums (jhash2() and its like) read this many bytes at a time. */
#define HASH_WORD 4

/* An array of scalars in a record, and the end of the smallest of the nested records that begin
 * where the outermost does and have the array. */
struct array_field {
	const struct type *element; /* NULL: there is no such array */
	int64_t start, end;
	int64_t record_end;
};

/* Returns the array that has this byte of a record. */
static struct array_field array_at(const struct type *type, int64_t offset)
{
	struct array_field field = { 0 };

	for (unsigned int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		const struct type *bare = type_strip(type), *next = NULL;
		size_t count;

		if (bare->kind == TYPE_ARRAY) {
			const struct type *element = type_target(bare);
			int64_t step = element ? (int64_t)field_size(element) : 0;

			if (!step || !type_is_record(type_strip(element))) {
				field.element = step ? type_strip(element) : NULL;
				field.end = field.start + (int64_t)type_size_or(bare, 0);
				return field;
			}
			field.start += (offset - field.start) / step * step;
			type = element;
			continue;
		}
		if (!type_is_record(bare))
			return field;
		if (!field.start)
			field.record_end = (int64_t)type_size_or(bare, 0);
		const struct member *members =
			type_members_near(bare, offset - field.start, &count);

		for (size_t i = 0; i < count && !next; i++) {
			int64_t at = field.start + members[i].offset;

			if (members[i].bit_size || offset < at ||
			    offset >= at + (int64_t)field_size(members[i].type))
				continue;
			next = members[i].type;
			field.start = at;
		}
		if (!next)
			return field;
		type = next;
	}
	return field;
}

/* True for bytes at the start or the end of a record, with nothing wider in any alternative of a
 * union: the record is there to be cast as a whole (struct sockaddr, io_uring's struct io_kiocb). A
 * buffer between other members (skb->cb) belongs to the record, whatever is in it. */
static bool is_in_open_buffer(const struct field_ref *field)
{
	struct array_field array = array_at(field->type, field->offset);

	if (!array.element || array.element->kind != TYPE_INTEGER ||
	    type_size_or(array.element, 0) != 1 || field_in_scalar(field->type, field->offset))
		return false;
	return array.start == 0 || array.end >= array.record_end;
}

/* True for a part of a pointer other than its low half, which is what a difference of two pointers
 * leaves. */
static bool cuts_pointer(const struct field_ref *field, uint64_t size)
{
	const struct type *whole = field_scalar(field->type, field->offset & ~INT64_C(7), 8);

	return whole && type_is_pointer(type_strip(whole)) &&
	       field_cuts_pointer(field->type, field->offset, size) &&
	       (field->offset % 8 || size < 4);
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
	for (uint32_t i = 0; i < solver->evidence.words.count; i++)
		if (field_same_type(solver->evidence.words.items[i], field->type))
			return true;
	return false;
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
