// SPDX-License-Identifier: GPL-2.0-or-later
/* Accesses that do not fit what is declared: see cast.h. */
#include "annotate/cast.h"

#include "annotate/rules/stages.h"

/* Nesting of records and arrays that real programs stay far below. */
#define DEPTH_LIMIT 24
/* Bytes that hashes and checksums take at a time (jhash2() and its like). */
#define WORD 4

/* An array of scalars in a record, and the smallest of the records that begin where the outermost does and
 * have it. */
struct array_place {
	const struct type *element; /* NULL: there is none */
	int64_t start, end;
	int64_t record_end;
};

/* The array that has this byte of a record. */
static struct array_place array_at(const struct type *type, int64_t offset)
{
	struct array_place place = { 0 };

	for (unsigned int depth = 0; depth < DEPTH_LIMIT; depth++) {
		const struct type *bare = type_strip(type), *next = NULL;
		size_t count;

		if (bare->kind == TYPE_ARRAY) {
			const struct type *element = type_target(bare);
			int64_t step = element ? (int64_t)place_size(element) : 0;

			if (!step || !type_is_record(type_strip(element))) {
				place.element = step ? type_strip(element) : NULL;
				place.end = place.start + (int64_t)bare->size;
				return place;
			}
			place.start += (offset - place.start) / step * step;
			type = element;
			continue;
		}
		if (!type_is_record(bare))
			return place;
		if (!place.start)
			place.record_end = (int64_t)bare->size;
		const struct member *members = type_members_near(bare, offset - place.start, &count);

		for (size_t i = 0; i < count && !next; i++) {
			int64_t at = place.start + members[i].offset;

			if (members[i].bit_size || offset < at ||
			    offset >= at + (int64_t)place_size(members[i].type))
				continue;
			next = members[i].type;
			place.start = at;
		}
		if (!next)
			return place;
		type = next;
	}
	return place;
}

/* Is there an integer or pointer of its own, in some alternative of a union, that has this byte? */
static bool is_in_scalar(const struct place *place)
{
	for (int64_t width = 2; width <= 8; width *= 2)
		if (place_scalar(place->type, place->offset - place->offset % width, (uint64_t)width))
			return true;
	return false;
}

/*
 * Bytes at the start of a record or at its end, and nothing wider in any alternative of a union: a record
 * that is there to be cast as a whole (struct sockaddr, io_uring's struct io_kiocb). A buffer between other
 * members (skb->cb) is the record's, whatever is in it.
 */
static bool is_in_open_buffer(const struct place *place)
{
	struct array_place array = array_at(place->type, place->offset);

	if (!array.element || array.element->kind != TYPE_INTEGER || array.element->size != 1 ||
	    is_in_scalar(place))
		return false;
	return array.start == 0 || array.end >= array.record_end;
}

/* A part of a pointer but its low half, which is what is left of it in a difference of two. */
static bool cuts_pointer(const struct place *place, uint64_t size)
{
	const struct type *whole = place_scalar(place->type, place->offset & ~INT64_C(7), 8);

	return whole && type_is_pointer(type_strip(whole)) &&
	       place_cuts_pointer(place->type, place->offset, size) && (place->offset % 8 || size < 4);
}

/* The upper half of a long integer: rarely wanted for itself. */
static bool is_upper_half(const struct place *place, uint64_t size)
{
	const struct type *whole =
		size == WORD && place->offset >= WORD && !place_scalar(place->type, place->offset, size)
			? place_scalar(place->type, place->offset - WORD, 2 * WORD)
			: NULL;

	return whole && type_strip(whole)->kind == TYPE_INTEGER;
}

static bool is_read_in_words(const struct solver *solver, const struct place *place)
{
	for (uint32_t i = 0; i < solver->words.count; i++)
		if (place_same_type(solver->words.items[i], place->type))
			return true;
	return false;
}

bool rule_part_of_integer(struct pointer_access *access)
{
	const struct type *bare = type_strip(access->place->type);

	return bare->kind == TYPE_INTEGER && access->size < bare->size;
}

bool rule_read_in_words(struct pointer_access *access)
{
	return type_is_record(type_strip(access->place->type)) && access->size == WORD &&
	       is_read_in_words(access->solver, access->place);
}

/* True if the access is to a record, and to no whole member of it. */
static bool is_no_member(const struct pointer_access *access)
{
	const struct place *place = access->place;

	return type_is_record(type_strip(place->type)) &&
	       !place_scalar(place->type, place->offset, access->size);
}

bool rule_part_of_pointer(struct pointer_access *access)
{
	return is_no_member(access) && cuts_pointer(access->place, access->size);
}

bool rule_open_buffer(struct pointer_access *access)
{
	return is_no_member(access) && is_in_open_buffer(access->place);
}

void cast_gather(struct solver *solver, const struct place *place, uint64_t size)
{
	if (!solver_has_no_variables(solver) || !type_is_record(type_strip(place->type)) ||
	    solver->words.count == WORDS_MAXIMUM || is_read_in_words(solver, place) ||
	    !is_upper_half(place, size))
		return;
	solver->words.items[solver->words.count++] = place->type;
}
