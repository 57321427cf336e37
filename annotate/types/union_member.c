// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The member of a union that an access goes to: see union_member.h.
 *
 *     union value { struct object *object; long number; double real; };
 *
 *     mov   (%rdi),%rax        8 bytes: all three
 *     imul  %rax,%rax          an integer: number
 *     movsd (%rdi),%xmm0       real
 *
 * Judgements are made in the order of enum union_stage, and each only chooses among what the ones
 * before have left.
 */
#include "annotate/types/union_member.h"

#include <ctype.h>

#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"
#include "annotate/types/member.h"
#include "base/memory.h"

/* Looking at a union's members ends after this many steps (damaged debug information). */
#define STEPS_MAX 4000

/* How well an access covers a candidate, best first. */
enum cover {
	COVER_WHOLE,   /* all of a scalar, or the bits that the code uses */
	COVER_PART,    /* the start of an integer; bits */
	COVER_INNER,   /* a part of an integer that is not its start */
	COVER_SEVERAL, /* several members or elements */
	COVER_BYTES,   /* bytes of an array of bytes */
	COVER_CUT,     /* a part of a pointer; beyond the member's end */
	COVER_NOTHING, /* padding */
};

/* How well a candidate agrees with an index, or with being after the declared end, best first. */
enum index_fit {
	INDEX_FIRST, /* in an array that begins where the address is without the index */
	INDEX_LATER, /* in another array of such elements */
	INDEX_NONE,  /* in no such array */
};

/* The agreement of a union's member with other accesses to the object, best first. */
enum hold {
	HOLDS_ALL,    /* each is to a whole scalar of it */
	HOLDS_MERGED, /* one is to several */
	HOLDS_NOT,    /* one is to parts of scalars, or to what only takes up room */
};

/* The way from the union to a candidate. */
struct way {
	int64_t room; /* bytes from the access to the end of the union's member */
	/* of the innermost member that has one, and of the next one around it */
	const char *name, *outer;
	const struct member *named; /* the member that has the name */
	const struct type *record;  /* the innermost one around it */
	unsigned int depth;
	uint8_t hold; /* enum hold */
	bool wrapped; /* the candidate is the only member of a record */
	/* in a nameless struct of the outermost union; how many members have names */
	bool nameless;
	uint8_t names;
	uint8_t viewed, index;
};

static uint64_t bytes_of(const struct member *member)
{
	if (member->bit_size)
		return (member->bit_offset + (uint64_t)member->bit_size + 7) / 8;
	return field_size(member->type);
}

/* The bytes from an access on that its bits may be in; the largest scale of an index. */
#define BITS_REACH sizeof(uint64_t)

/* True if the member has the bits, or else the byte, that are accessed at `offset`. */
static bool member_has(const struct type *record, const struct member *member, int64_t offset,
		       uint64_t bits)
{
	if (member->bit_size && bits)
		return field_bits_overlap(member->offset, member->bit_offset, member->bit_size,
					  offset, bits);
	offset = member_first_byte(offset, bits);
	return member->bit_size ? offset >= member->offset &&
					  (uint64_t)(offset - member->offset) < bytes_of(member)
				: field_member_has(record, member, offset);
}

/* True for records that have at most base classes without data: those of functions only. */
static bool is_hollow(const struct type *type, unsigned int depth)
{
	const struct type *bare = type_strip(type);
	size_t count = 0;
	const struct member *members =
		type_is_record(bare) && depth < TYPE_DEPTH_MAX ? type_members(bare, &count) : NULL;

	for (size_t i = 0; i < count; i++)
		if (!members[i].is_base || !is_hollow(members[i].type, depth + 1))
			return false;
	return type_is_record(bare) && (members || !count);
}

/* Returns the member of a struct that is accessed at `offset`; of several (bit-fields, bases
 * without data) the first that has something there. NULL: there is none. */
static const struct member *member_at(const struct type *record, int64_t offset, uint64_t bits)
{
	members_each (member, type_members_within, record, offset, BITS_REACH)
		if (member_has(record, member, offset, bits) && !is_hollow(member->type, 0))
			return member;
	return NULL;
}

/* The elements of an array, at any depth. */
struct steps {
	uint64_t size;  /* of the innermost ones; 0: the type is no array */
	int64_t offset; /* in the array */
	bool open;      /* the array has no size */
};

/* Returns the element of an array, at any depth, and the offset in it; `type` if it is no array. */
static const struct type *element_of(const struct type *type, int64_t *offset, struct steps *steps)
{
	const struct type *bare = type_strip(type);

	*steps = (struct steps){ .offset = *offset };
	for (unsigned int depth = 0; bare->kind == TYPE_ARRAY && depth < TYPE_DEPTH_MAX; depth++) {
		const struct type *element = type_target(bare);

		steps->size = field_size(element);
		steps->open |= !field_size(bare);
		if (steps->size)
			*offset %= (int64_t)steps->size;
		type = element;
		bare = type_strip(element);
	}
	return type;
}

/* Returns how well an array agrees with the index of the access. */
static uint8_t index_of(const struct steps *steps, const struct union_evidence *evidence)
{
	if (evidence->beyond)
		return steps->open ? INDEX_FIRST : INDEX_NONE;
	if (!steps->size || !evidence->stride || evidence->stride % steps->size)
		return INDEX_NONE;
	/* an index of words is not multiplied by half of a word: vectors have several elements */
	if (evidence->scale > 1 && steps->size > evidence->scale && steps->size <= BITS_REACH &&
	    evidence->stride > steps->size)
		return INDEX_NONE;
	int64_t start = steps->offset - evidence->counted;

	return !evidence->from_start || (start >= 0 && start < (int64_t)steps->size) ? INDEX_FIRST
										     : INDEX_LATER;
}

/* ---- how well an access covers a candidate */

static uint8_t cover_of_bits(const struct member *member, int64_t within, uint64_t size,
			     uint64_t bits)
{
	int64_t first = (int64_t)member->bit_offset - 8 * within;

	/* some bits of a word are of bit-fields, one or several, as well as of a number */
	if (bits && ~bits & low_bits(size && size < 8 ? 8 * (unsigned int)size : 64))
		return COVER_WHOLE;
	return first == 0 && member->bit_size == 8 * size ? COVER_WHOLE : COVER_PART;
}

/* Returns how the access covers a scalar of this type; `count` is the number of them in a row. */
static uint8_t cover_of_scalar(const struct type *type, int64_t within, const struct way *way,
			       const struct union_evidence *evidence)
{
	uint64_t size = evidence->size, least = evidence->least;
	const struct type *bare = type_strip(type);
	uint64_t left = field_size(bare) - (uint64_t)within;

	if (!size && least)
		return way->room < (int64_t)least ? COVER_CUT
		       : field_size(bare) == 1    ? COVER_BYTES
						  : COVER_WHOLE;
	/* a byte of which bits are tested may be that of an integer, and a character has no bits */
	if (size == 1 && evidence->tested && bare->name && strcmp(bare->name, "char") == 0)
		return COVER_PART;
	if (!size || (!within && field_is_whole(bare, size)))
		return COVER_WHOLE;
	/* the low bits of a pointer to a record may be flags */
	if (size <= left && type_is_pointer(bare))
		return !within && evidence->tested && evidence->tested < 8 ? COVER_PART : COVER_CUT;
	/* functions access what is in such a record (atomic_t) as a whole */
	if (size <= left && way->wrapped)
		return COVER_CUT;
	if (size <= left)
		return within ? COVER_INNER : COVER_PART;
	if (way->room < (int64_t)size || within)
		return COVER_CUT;
	return evidence->lanes ? COVER_WHOLE : field_size(bare) == 1 ? COVER_BYTES : COVER_SEVERAL;
}

static void union_member_add(struct union_search *search, const struct type *type, int64_t within,
			     uint8_t cover, const struct way *way)
{
	if (search->count < UNION_CANDIDATES_MAX)
		search->items[search->count] = (struct union_candidate){ .type = type,
									 .name = way->name,
									 .outer = way->outer,
									 .record = way->record,
									 .within = within,
									 .cover = cover,
									 .viewed = way->viewed,
									 .index = way->index,
									 .named = way->named,
									 .hold = way->hold,
									 .nameless = way->nameless,
									 .names = way->names };
	if (search->count <= UNION_CANDIDATES_MAX)
		search->count++;
}

static void collect(struct union_search *search, const struct type *type, int64_t offset,
		    const struct way *way);

/* ---- other accesses to the object */

/* True for members that only take up room: by their names, no code is meant to access them. A
 * number without a number of its own may count what is reserved. */
static bool is_filler(const struct member *member)
{
	static const char *const words[] = { "pad",   "padding", "filler",  "unused",
					     "dummy", "rsvd",    "reserved" };
	const bool array = type_strip(member->type)->kind == TYPE_ARRAY;
	size_t length;

	for (const char *name = member->name; name && *name; name += length + !!name[length]) {
		length = strcspn(name, "_");
		for (size_t i = 0; i < COUNT_OF(words); i++) {
			const size_t all = strlen(words[i]);
			const bool numbered = length > all && isdigit((unsigned char)name[all]);

			/* most names begin with another letter */
			if (*name == *words[i] && strncmp(name, words[i], all) == 0 &&
			    (numbered ||
			     (length == all && (array || strcmp(words[i], "reserved") != 0))))
				return true;
		}
	}
	return false;
}

/* True if the type has such a member at an offset. */
static bool union_member_has_filler(const struct type *type, int64_t offset)
{
	for (unsigned int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		struct steps steps;
		const struct type *bare = type_strip(element_of(type, &offset, &steps));
		const struct member *member =
			bare->kind == TYPE_STRUCT ? member_at(bare, offset, 0) : NULL;

		if (!member || is_filler(member))
			return member;
		type = member->type;
		offset -= member->offset;
	}
	return false;
}

/* True if an access is to a whole scalar, or to bits, somewhere in the type. */
static bool has_whole(const struct type *type, int64_t offset, uint64_t size)
{
	const struct fit fit = fit_at(type, offset, size);

	return fit.whole || fit.bits;
}

/* True if an access is to several members, or two elements, from the start of the first to one at
 * its end. */
static bool takes_several(const struct type *type, int64_t offset, uint64_t size)
{
	const uint8_t kind = fit_at(type, offset, size).kind;

	return (kind == FIT_SEVERAL || (kind == FIT_PART && has_whole(type, offset, size / 2))) &&
	       fit_at(type, offset + (int64_t)size - 1, 1).covered;
}

/* Says how well another access agrees with a type: HOLDS_ALL also for the low half of a number at
 * another place than the first one, and for several members that may be moved at once. gcc merges
 * stores of other values, too. */
static uint8_t hold_of(const struct type *type, int64_t offset, const struct union_sibling *sibling)
{
	bool several = takes_several(type, offset, sibling->size);

	if (union_member_has_filler(type, offset))
		return HOLDS_NOT;
	if (has_whole(type, offset, sibling->size) || (sibling->several && several) ||
	    (sibling->offset && sibling->size == 4 && fit_at(type, offset, 8).number))
		return HOLDS_ALL;
	return several ? HOLDS_MERGED : HOLDS_NOT;
}

/* Says how well this member of a union, `place` bytes into which the access goes, agrees with the
 * other accesses that go to this union. */
static uint8_t hold_of_siblings(const struct type *record, const struct member *member,
				int64_t place, const struct union_evidence *evidence)
{
	uint8_t worst = HOLDS_ALL;

	for (size_t i = 0; i < evidence->sibling_count; i++) {
		int64_t offset = place + evidence->siblings[i].offset;

		if (offset < 0 || offset >= (int64_t)field_size(record))
			continue;
		uint8_t hold = hold_of(member->type, offset, &evidence->siblings[i]);

		worst = hold > worst ? hold : worst;
	}
	return worst;
}

/* ---- the candidates */

static void collect_member(struct union_search *search, const struct member *member, int64_t offset,
			   const struct way *way)
{
	struct way inner = *way;

	inner.depth++;
	if (member->name) {
		inner.outer = way->name;
		inner.name = member->name;
		inner.named = member;
		inner.names++;
	}
	if (member->bit_size)
		union_member_add(search, member->type, 0,
				 cover_of_bits(member, offset - member->offset,
					       search->evidence->size, search->place->bits),
				 &inner);
	else
		collect(search, member->type, offset - member->offset, &inner);
}

/* The candidates of one member of a union: [first, end). */
struct candidate_range {
	unsigned int first, end;
	bool nameless;
};

static bool is_same_name(const char *a, const char *b)
{
	return a && b && strcmp(a, b) == 0;
}

static bool is_same_candidate(const struct union_candidate *a, const struct union_candidate *b)
{
	return is_same_name(a->name, b->name) && a->within == b->within &&
	       field_same_type(a->type, b->type);
}

/* True if a range has one of the candidates of another. */
static bool repeats(const struct union_search *search, const struct candidate_range *range,
		    const struct candidate_range *other)
{
	for (unsigned int i = range->first; i < range->end; i++)
		for (unsigned int k = other->first; k < other->end; k++)
			if (is_same_candidate(&search->items[i], &search->items[k]))
				return true;
	return false;
}

/* Marks the candidates of records that describe the bytes of a nameless struct of the union a
 * second time (struct page in struct folio): the nameless one's are meant. */
static void mark_second(struct union_search *search, const struct candidate_range *ranges,
			unsigned int count)
{
	for (unsigned int i = 0; i < count; i++)
		for (unsigned int k = 0; k < count && !ranges[i].nameless; k++)
			if (ranges[k].nameless && repeats(search, &ranges[i], &ranges[k]))
				for (unsigned int c = ranges[i].first; c < ranges[i].end; c++)
					search->items[c].second = true;
}

static void collect_union(struct union_search *search, const struct type *record, int64_t offset,
			  const struct way *way)
{
	size_t count;
	const struct member *members = type_members(record, &count);
	struct candidate_range ranges[UNION_CANDIDATES_MAX + 1];
	unsigned int range_count = 0;

	for (size_t i = 0; i < count && search->count <= UNION_CANDIDATES_MAX; i++) {
		struct way inner = *way;
		int64_t room = (int64_t)bytes_of(&members[i]) - offset;

		if (!member_has(record, &members[i], offset, search->place->bits))
			continue;
		ranges[range_count].first = search->count;
		ranges[range_count].nameless = !members[i].name;
		inner.room = field_goes_on(record, &members[i]) ? INT64_MAX : room;
		uint8_t hold = hold_of_siblings(record, &members[i], offset, search->evidence);

		inner.hold = hold > inner.hold ? hold : inner.hold;
		inner.nameless = way->depth ? way->nameless : !members[i].name;
		collect_member(search, &members[i], offset, &inner);
		ranges[range_count++].end = search->count;
	}
	if (search->count <= UNION_CANDIDATES_MAX)
		mark_second(search, ranges, range_count);
	if (!range_count)
		union_member_add(search, record, 0, COVER_NOTHING, way);
}

/* True if a view says that the access goes to this offset of a record. */
static bool is_viewed(const struct union_evidence *evidence, const struct type *record,
		      int64_t offset)
{
	return any_of(i, 0, evidence->view_count,
		      evidence->views[i].offset == offset &&
			      field_same_type(evidence->views[i].type, record));
}

/* Adds the candidates at `offset` of a type. There is at least one. */
static void collect(struct union_search *search, const struct type *type, int64_t offset,
		    const struct way *outer)
{
	struct steps steps;
	const struct type *inner = element_of(type, &offset, &steps), *bare = type_strip(inner);
	const struct way *way = outer;
	struct way here = *outer;
	uint8_t index = index_of(&steps, search->evidence);

	if (index < here.index) {
		here.index = index;
		way = &here;
	}
	if (way->depth && type_is_record(bare)) {
		if (is_viewed(search->evidence, inner, offset))
			here.viewed = (uint8_t)way->depth;
		way = &here;
	}
	if (way->depth > TYPE_DEPTH_MAX || ++search->steps > STEPS_MAX)
		search->count = UNION_CANDIDATES_MAX + 1;
	else if (!type_is_record(bare))
		union_member_add(search, inner, offset,
				 field_size(bare)
					 ? cover_of_scalar(inner, offset, way, search->evidence)
					 : COVER_NOTHING,
				 way);
	else if (type_has_variants(bare))
		union_member_add(search, inner, offset, COVER_SEVERAL, way);
	else if (bare->kind == TYPE_UNION) {
		here.record = bare;
		collect_union(search, bare, offset, &here);
	} else {
		const struct member *member = member_at(bare, offset, search->place->bits);
		size_t count;

		type_members(bare, &count);
		here.wrapped = count == 1;
		here.record = bare;
		if (member)
			collect_member(search, member, offset, &here);
		else
			union_member_add(search, inner, offset, COVER_NOTHING, way);
	}
}

/* ---- the value */

/* How well a value agrees with the type of a candidate, best first. */
enum value_fit {
	AGREES_SAME,   /* the same type, but for typedefs and qualifiers */
	AGREES_WHOLE,  /* the same as that of a pointer to the object around what another points to
			*/
	AGREES_HEAD,   /* a pointer to what the other's record begins with; to a head of a list */
	AGREES_CLASS,  /* nothing more is known, and nothing contradicts */
	AGREES_PART,   /* a part of a member of what it points to is accessed */
	AGREES_BEYOND, /* a pointer that is accessed beyond what it points to: it is cast down */
	AGREES_VOID,   /* a pointer to void that is accessed */
	AGREES_ODD,    /* a pointer that is computed with; an integer that is used as a pointer */
	AGREES_CAST,   /* a pointer to another type */
	AGREES_NOT,
};

static bool is_void(const struct type *type)
{
	return type_strip(type)->kind == TYPE_VOID;
}

/* Returns how well a class of values agrees with a type, of which `target` is the pointee. */
static unsigned int class_agrees(const struct type *bare, const struct type *target,
				 uint8_t value_class)
{
	bool code = target && type_strip(target)->kind == TYPE_FUNCTION;
	bool number = bare->kind == TYPE_INTEGER || bare->kind == TYPE_ENUM;

	switch ((enum value_class)value_class) {
	case VALUE_CLASS_ANY: break;
	case VALUE_CLASS_DATA: return code ? AGREES_NOT : AGREES_CLASS;
	case VALUE_CLASS_FLOAT: return bare->kind == TYPE_FLOAT ? AGREES_CLASS : AGREES_NOT;
	case VALUE_CLASS_NUMBER:
		return number ? AGREES_CLASS : target && !code ? AGREES_ODD : AGREES_NOT;
	case VALUE_CLASS_POINTER: return target ? AGREES_CLASS : number ? AGREES_CAST : AGREES_NOT;
	case VALUE_CLASS_CODE:
		return code ? AGREES_HEAD : target && is_void(target) ? AGREES_VOID : AGREES_NOT;
	}
	return AGREES_CLASS;
}

/* True if a record begins with a pointer to another one. */
static bool begins_with_link(const struct type *record, const struct type *target)
{
	const struct type *first = field_scalar(record, 0, 8);

	return first && type_is_pointer(type_strip(first)) &&
	       field_same_type(type_target(type_strip(first)), target);
}

static bool is_bytes_element(const struct type *type)
{
	return type_strip(type)->kind == TYPE_INTEGER && field_size(type) == 1;
}

/* Returns how well pointers to two types agree; a pointer to void agrees with any, and one to bytes
 * is as often cast to one to a record. */
static unsigned int pointees_agree(const struct type *said, const struct type *target)
{
	if (field_same_type(said, target))
		return AGREES_SAME;
	if (field_contains(said, 0, target) ||
	    (type_is_record(type_strip(said)) && field_contains(target, 0, said)) ||
	    field_is_head(target, said) || field_is_head(said, target) ||
	    /* a list's head may be cast to an element, which begins with the same link */
	    (begins_with_link(said, target) && begins_with_link(target, target)))
		return AGREES_HEAD;
	return is_void(said) || is_void(target) ||
			       (type_is_record(type_strip(said)) && is_bytes_element(target))
		       ? AGREES_CLASS
		       : AGREES_CAST;
}

/* Returns how well what an access loads or stores agrees with the scalar that it goes to. */
static unsigned int moved_agrees(const struct type *scalar, const struct union_dereference *access)
{
	const struct type *bare = type_strip(scalar), *said = access->pointee;
	const struct type *target = type_is_pointer(bare) ? type_target(bare) : NULL;

	if (access->type && type_is_pointer(type_strip(access->type)))
		said = type_target(type_strip(access->type));
	if (said && target && !is_void(said) && !is_void(target))
		return pointees_agree(said, target) == AGREES_SAME   ? AGREES_SAME
		       : pointees_agree(said, target) == AGREES_HEAD ? AGREES_CLASS
								     : AGREES_PART;
	return class_agrees(bare, target, access->value_class);
}

/* Returns whether what an access moves is one value: the address of code or of other memory, or a
 * number with a point. Else it may be several members that are copied at once. */
static bool moves_one_value(const struct union_dereference *access)
{
	return access->value_class == VALUE_CLASS_CODE ||
	       access->value_class == VALUE_CLASS_POINTER ||
	       access->value_class == VALUE_CLASS_FLOAT;
}

/* The same for a place that several members may share: what agrees best of them counts, but less
 * than if nothing else could be there. */
static unsigned int place_agrees(const struct type *target, const struct union_dereference *access)
{
	struct union_place place = union_outermost(target, access->offset, 0);
	const struct type *scalar = field_scalar(target, access->offset, access->size);
	const struct union_evidence evidence = { .size = access->size };
	const uint8_t worst = moves_one_value(access) ? COVER_SEVERAL : COVER_CUT;
	unsigned int best = AGREES_NOT;
	struct union_search search;

	if (!place.type)
		return scalar ? moved_agrees(scalar, access) : AGREES_CLASS;
	union_search_begin(&search, &place, &evidence);
	for (unsigned int i = 0; i < search.count && i < UNION_CANDIDATES_MAX; i++) {
		unsigned int agrees = search.items[i].cover == COVER_WHOLE
					      ? moved_agrees(search.items[i].type, access)
				      : search.items[i].cover < worst ? AGREES_CLASS
								      : AGREES_NOT;

		best = agrees < best ? agrees : best;
	}
	return best == AGREES_SAME ? AGREES_HEAD : best == AGREES_HEAD ? AGREES_CLASS : best;
}

/* Returns how well a pointer to this type, the start of an array, agrees with an indexed access. */
static unsigned int indexed_agrees(const struct type *target,
				   const struct union_dereference *access)
{
	uint64_t size = field_size(target);
	struct field_ref field;

	if (field_is_scalar(type_strip(target)))
		return size == access->size && (size == access->scale || access->scale == 1)
			       ? moved_agrees(target, access)
			       : AGREES_NOT;
	/* the index may count bytes, or elements of an array in the record */
	return access->scale == 1 || size % access->scale == 0 ||
			       field_find(target, access->offset, access->scale, access->size,
					  &field) == REASON_NONE
		       ? AGREES_PART
		       : AGREES_NOT;
}

/* Returns how well a pointer to this type agrees with an access to what it points to. */
static unsigned int dereference_agrees(const struct type *target,
				       const struct union_dereference *access)
{
	const struct type *bare = type_strip(target);
	struct field_ref field;

	/* a pointer to an array is the address of its first element */
	while (bare->kind == TYPE_ARRAY && field_size(bare)) {
		target = type_target(bare);
		bare = type_strip(target);
	}
	if (bare->kind == TYPE_FUNCTION)
		return AGREES_NOT;
	if (is_void(bare) || !field_size(bare))
		return AGREES_VOID;
	if (access->scale)
		return indexed_agrees(target, access);
	/* a pointer to a scalar points to an array of them */
	if (field_is_scalar(bare))
		return field_size(bare) == access->size &&
				       access->offset % (int64_t)field_size(bare) == 0
			       ? moved_agrees(target, access)
			       : AGREES_NOT;
	/* what lies before an object was put there by those who allocated it, whatever it is */
	if (access->offset < 0)
		return AGREES_VOID;
	if (field_find(target, access->offset, 0, access->size, &field) != REASON_NONE)
		return AGREES_BEYOND;
	if (has_whole(target, access->offset, access->size))
		return place_agrees(target, access);
	const struct fit fit = fit_at(target, access->offset, access->size);

	/* compilers compare and copy members that lie side by side at once */
	const bool fits = takes_several(target, access->offset, access->size)
				  ? !moves_one_value(access)
				  : fit.holds && fit.kind != FIT_PART_OF_POINTER;

	return fits ? AGREES_PART : AGREES_NOT;
}

/* The same for all that is known of such accesses. */
static unsigned int accesses_agree(const struct type *target, const struct union_evidence *evidence)
{
	unsigned int best = AGREES_CLASS, worst = AGREES_SAME;

	for (size_t i = 0; i < evidence->access_count; i++) {
		unsigned int agrees = dereference_agrees(target, &evidence->accesses[i]);

		best = agrees < best ? agrees : best;
		worst = agrees > worst ? agrees : worst;
	}
	return worst > AGREES_CLASS ? worst : best;
}

/* True if a constant may be added to such a value. */
static bool step_agrees(const struct type *bare, const struct type *target, int64_t step)
{
	if (!target)
		return bare->kind == TYPE_INTEGER;
	return field_size(target) && step % (int64_t)field_size(target) == 0 &&
	       type_strip(target)->kind != TYPE_FUNCTION;
}

static unsigned int judge_value(const struct union_candidate *candidate,
				const struct union_evidence *evidence)
{
	const struct type *bare = type_strip(candidate->type), *said = NULL;
	const struct type *target = type_is_pointer(bare) ? type_target(bare) : NULL;
	unsigned int agrees;

	if (candidate->cover != COVER_WHOLE)
		return AGREES_CLASS;
	/* integers are converted to each other without a cast */
	if (evidence->type && bare->kind != TYPE_INTEGER &&
	    field_same_type(evidence->type, candidate->type))
		return AGREES_SAME;
	if (evidence->whole && field_same_type(evidence->whole, candidate->type))
		return AGREES_WHOLE;
	said = evidence->pointee;
	if (evidence->type && type_is_pointer(type_strip(evidence->type)))
		said = type_target(type_strip(evidence->type));
	if (said && target && pointees_agree(said, target) != AGREES_CLASS)
		return pointees_agree(said, target);
	if (evidence->step && !step_agrees(bare, target, evidence->step))
		return AGREES_NOT;
	if (evidence->is_memory && target && type_strip(target)->kind == TYPE_FUNCTION)
		return AGREES_NOT;
	/* what is added to a pointer is a multiple of its pointee's size (C11 6.5.6p8) */
	if (evidence->unscaled && target && field_size(target) > 1)
		return AGREES_NOT;
	agrees = class_agrees(bare, target, evidence->value_class);
	if (agrees == AGREES_CLASS && target)
		return accesses_agree(target, evidence);
	/* it is an address, or else an index that the code adds to one */
	return agrees == AGREES_CLASS && evidence->access_count ? AGREES_PART : agrees;
}

/* C programs keep numbers of either sign in an int: an int variable does not tell an int member
 * from an unsigned one. */
static bool is_int(const struct type *type, bool with_sign)
{
	return type->kind == TYPE_INTEGER && !(type->flags & TYPE_SIGNED) != with_sign &&
	       field_size(type) == 4;
}

/* Returns how far a type is from the one that the value is said to have, or from its sign. */
static unsigned int judge_integer(const struct union_candidate *candidate,
				  const struct union_evidence *evidence)
{
	const struct type *bare = type_strip(candidate->type);

	if (!evidence->has_sign && evidence->type && is_int(evidence->type, true) &&
	    is_int(candidate->type, false) && candidate->cover == COVER_WHOLE)
		return 0;
	/* a word that may be a pointer's tells neither pointers from words nor words apart */
	if (evidence->cast && candidate->cover == COVER_WHOLE &&
	    (type_is_pointer(bare) || bare->kind == TYPE_INTEGER))
		return 0;
	if (bare->kind != TYPE_INTEGER || candidate->cover != COVER_WHOLE)
		return 3;
	if (evidence->type && field_same_type(evidence->type, candidate->type))
		return type_canonical(evidence->type) == type_canonical(candidate->type) ? 0 : 1;
	return evidence->has_sign && bare->flags & TYPE_SIGNED ? 2 : 3;
}

/* ---- names */

/* Judges by the functions around the access. */
static unsigned int judge_accessors(const struct union_candidate *candidate,
				    const struct union_evidence *evidence)
{
	for (size_t i = 0; i < UNION_NAMES_MAX && candidate->name; i++)
		if (evidence->functions[i] &&
		    member_is_accessor(evidence->functions[i], candidate->outer, candidate->name))
			return 0;
	return 1;
}

/* ---- the choice */

/* Returns what a judgement, one of the functions below, says of a candidate: less is better. */
typedef unsigned int (*judgement)(const struct union_candidate *candidate,
				  const struct union_evidence *evidence);

/* Defines a judgement that only looks at the candidate. */
#define JUDGE(judgement, rank)                                                                     \
	static unsigned int judgement(const struct union_candidate *candidate,                     \
				      const struct union_evidence *evidence)                       \
	{                                                                                          \
		(void)evidence;                                                                    \
		return rank;                                                                       \
	}

JUDGE(judge_cover, candidate->cover)
JUDGE(judge_filler, candidate->named ? is_filler(candidate->named) : false)
JUDGE(judge_second, candidate->second)
JUDGE(judge_siblings, candidate->hold)
JUDGE(judge_index, candidate->index == INDEX_NONE)
/* The last resort: an index that begins at 1 has a start that is another one's, too. */
JUDGE(judge_start, candidate->index)
/* The same for accesses to several members, if nothing has a single one there. */
JUDGE(judge_wide_views, !candidate->viewed)

/* A record that describes bytes again is not meant by its own views. No view says that an access to
 * several members, to padding, or to the middle of a number, is meant to be to its record, unless
 * the record is copied. A view of a record says more than one of a record around it. */
static unsigned int judge_views(const struct union_candidate *candidate,
				const struct union_evidence *evidence)
{
	const bool said = candidate->viewed > candidate->second &&
			  (candidate->cover < COVER_INNER || evidence->is_copy);

	return UINT8_MAX - (!said ? 0U : candidate->second ? 1U : candidate->viewed);
}

/* Returns those of the candidates in a set that a judgement likes best. */
static uint64_t choose_by(judgement judge, const struct union_search *search, uint64_t set)
{
	unsigned int best = UINT32_MAX;
	uint64_t chosen = 0;

	for (unsigned int i = 0; i < search->count; i++) {
		unsigned int rank = UINT32_MAX;

		if (set >> i & 1)
			rank = judge(&search->items[i], search->evidence);
		if (rank < best) {
			best = rank;
			chosen = 0;
		}
		if (set >> i & 1 && rank == best)
			chosen |= UINT64_C(1) << i;
	}
	return chosen;
}

/* The judgements in their order. */
static const struct {
	enum union_stage stage;
	judgement judge;
} judgements[] = {
	{ UNION_BY_PLACE, judge_views },     { UNION_BY_PLACE, judge_second },
	{ UNION_BY_PLACE, judge_index },     { UNION_BY_PLACE, judge_filler },
	{ UNION_BY_PLACE, judge_cover },     { UNION_BY_PLACE, judge_wide_views },
	{ UNION_BY_VALUE, judge_value },     { UNION_BY_CODE, judge_accessors },
	{ UNION_BY_OTHERS, judge_siblings }, { UNION_BY_HINTS, judge_integer },
	{ UNION_BY_HINTS, judge_start },
};

/* True if something that has the value has the candidate's name. An array's name is not that of an
 * element. */
static bool has_name(const struct union_candidate *candidate, const char *const *names)
{
	return candidate->named && type_strip(candidate->named->type)->kind != TYPE_ARRAY &&
	       any_of(i, 0, UNION_NAMES_MAX,
		      names[i] &&
			      member_is_named(names[i] + strspn(names[i], "_"), candidate->name));
}

/* If all candidates are numbers, only names tell them apart: leaves the candidate that has the name
 * of the variable or member that the value comes from or goes to: `count = p->u.count`. */
static uint64_t choose_named(const struct union_search *search, uint64_t set)
{
	uint64_t named = 0;

	for (unsigned int i = 0; set && i < search->count && i < UNION_CANDIDATES_MAX; i++) {
		const struct union_candidate *candidate = &search->items[i];

		if (!(set >> i & 1))
			continue;
		if (candidate->cover != COVER_WHOLE ||
		    type_strip(candidate->type)->kind != TYPE_INTEGER)
			return set;
		if (has_name(candidate, search->evidence->names))
			named |= UINT64_C(1) << i;
	}
	return named ? named : set;
}

/* True if all that is known of accesses to what the value points to is to whole scalars of this
 * record, and something is known. */
static bool has_all_accesses(const struct type *record, const struct union_evidence *evidence)
{
	return evidence->access_count &&
	       all_of(i, 0, evidence->access_count,
		      !evidence->accesses[i].scale &&
			      has_whole(record, evidence->accesses[i].offset,
					evidence->accesses[i].size));
}

/* Returns the record to which the candidate is a pointer; NULL: it is none. */
static const struct type *record_of_pointer(const struct union_candidate *candidate)
{
	const struct type *target = field_pointee(candidate->type);

	return target && candidate->cover == COVER_WHOLE && type_is_record(type_strip(target))
		       ? target
		       : NULL;
}

/* Leaves the pointer to what most of the other pointers' records begin with, if only that is
 * accessed. */
static uint64_t choose_head(const struct union_search *search, uint64_t set)
{
	const struct type *records[UNION_CANDIDATES_MAX] = { 0 };
	uint64_t heads = 0;

	for (unsigned int i = 0; i < search->count; i++) {
		if (set >> i & 1)
			records[i] = record_of_pointer(&search->items[i]);
		if (records[i] && has_all_accesses(records[i], search->evidence))
			heads |= UINT64_C(1) << i;
	}
	heads = field_head_of(records, search->count, heads);
	return heads ? heads : set;
}

/* Nameless structs of a union are views of the same bytes. If all that is left in them is of one
 * type, leaves what has a name of its own there: a record in another one is there to be pointed to.
 */
static uint64_t choose_direct(const struct union_search *search, uint64_t set)
{
	const struct union_candidate *first = &search->items[__builtin_ctzll(set)];
	uint64_t direct = 0;

	for (unsigned int i = 0; i < search->count && i < UNION_CANDIDATES_MAX; i++) {
		const struct union_candidate *candidate = &search->items[i];

		if (!(set >> i & 1))
			continue;
		if (!candidate->nameless || candidate->cover != COVER_WHOLE ||
		    !field_same_type(candidate->type, first->type))
			return set;
		if (candidate->names == 1)
			direct |= UINT64_C(1) << i;
	}
	return direct ? direct : set;
}

void union_search_start(struct union_search *search, const struct union_evidence *evidence)
{
	static const struct union_place nowhere;

	search->place = &nowhere;
	search->evidence = evidence;
	search->count = search->steps = 0;
	search->left = 0;
}

void union_search_add(struct union_search *search, const struct type *type, int64_t offset)
{
	const struct way way = { .room = (int64_t)field_size(type) - offset, .index = INDEX_NONE };

	collect(search, type, offset, &way);
	search->left = search->count > UNION_CANDIDATES_MAX ? 0 : low_bits(search->count);
}

void union_search_begin(struct union_search *search, const struct union_place *place,
			const struct union_evidence *evidence)
{
	union_search_start(search, evidence);
	search->place = place;
	union_search_add(search, place->type, place->offset);
}

bool union_search_is_same(const struct union_search *search)
{
	const struct union_candidate *first =
		search->left ? &search->items[__builtin_ctzll(search->left)] : NULL;

	return first &&
	       all_of(i, 0, search->count,
		      !(search->left >> i & 1) || is_same_candidate(first, &search->items[i]));
}

bool union_search_is_typed(const struct union_search *search)
{
	return all_of(i, 0, search->count,
		      !(search->left >> i & 1) ||
			      judge_value(&search->items[i], search->evidence) < AGREES_CLASS ||
			      (search->evidence->value_class == VALUE_CLASS_FLOAT &&
			       type_strip(search->items[i].type)->kind == TYPE_FLOAT));
}

uint64_t union_search_also(const struct union_search *search, bool loads, bool several)
{
	const uint8_t class = search->evidence->value_class;
	const bool any = class == VALUE_CLASS_ANY;
	uint64_t also = 0;

	/* accesses through a pointer fit many types */
	if (class == VALUE_CLASS_FLOAT || ((search->evidence->type || search->evidence->pointee) &&
					   union_search_is_typed(search)))
		return 0;
	for (unsigned int i = 0; i < search->count && i < UNION_CANDIDATES_MAX; i++) {
		const struct union_candidate *item = &search->items[i];
		const struct type *target = field_pointee(item->type);

		if ((loads && (any || class == VALUE_CLASS_NUMBER) && item->cover == COVER_PART) ||
		    ((several || any) && item->cover == COVER_SEVERAL) ||
		    (class == VALUE_CLASS_POINTER && item->cover == COVER_WHOLE && target &&
		     is_void(target)))
			also |= UINT64_C(1) << i;
	}
	return also;
}

uint64_t union_search_possible(const struct union_search *search)
{
	if (!search->left || union_search_is_typed(search))
		return search->left;
	/* none are left where there are more candidates than are kept */
	return sum_over(uint64_t, i, 0, search->count % (UNION_CANDIDATES_MAX + 1),
			(uint64_t)(search->items[i].cover <= COVER_SEVERAL) << i);
}

bool union_has_several(const struct union_place *place, uint64_t size)
{
	size_t count;
	const struct member *members = type_members(place->type, &count);

	return any_of(i, 0, count,
		      takes_several(members[i].type, place->offset - members[i].offset, size));
}

bool union_has_only_pointers(const struct field_ref *field)
{
	const struct union_evidence evidence = { .size = sizeof(uint64_t) };
	const struct union_place place = union_outermost(field->type, field->offset, 0);
	const struct type *scalar = field_scalar(field->type, field->offset, evidence.size);
	struct union_search search;

	if (!place.type)
		return scalar && type_is_pointer(type_strip(scalar));
	union_search_begin(&search, &place, &evidence);
	return search.left &&
	       all_of(i, 0, search.count, type_is_pointer(type_strip(search.items[i].type)));
}

void union_search_narrow(struct union_search *search, enum union_stage stage)
{
	uint64_t left = search->left;

	/* they are judged where the candidates are collected */
	if (stage == UNION_BY_OTHERS && search->evidence->sibling_count)
		union_search_begin(search, search->place, search->evidence);
	search->left = stage == UNION_BY_HINTS ? choose_named(search, left) : left;
	for (size_t i = 0; i < COUNT_OF(judgements) && has_several_bits(search->left); i++)
		if (judgements[i].stage == stage)
			search->left = choose_by(judgements[i].judge, search, search->left);
	if (stage == UNION_BY_HINTS && has_several_bits(search->left))
		search->left = choose_head(search, search->left);
	if (stage == UNION_BY_HINTS && search->left & (search->left - 1))
		search->left = choose_direct(search, search->left);
}

uint64_t union_fit(const struct union_place *place, const struct union_evidence *evidence)
{
	struct union_search search;

	union_search_begin(&search, place, evidence);
	for (int stage = 0; stage < UNION_STAGES; stage++)
		union_search_narrow(&search, stage);
	return search.left;
}

static const struct union_evidence no_evidence;

void union_ranges_find(const struct union_place *place, struct union_ranges *ranges)
{
	size_t count;
	unsigned int first = 0;
	const struct member *members = type_members(place->type, &count);
	const struct way way = { 0 };
	struct union_search search; /* large: its items need not be cleared */

	search.evidence = &no_evidence;
	search.place = place;
	ranges->members = members;
	ranges->count = 0;
	for (size_t i = 0; i < count && first < UNION_CANDIDATES_MAX; i++) {
		search.count = search.steps = 0;
		search.left = 0;
		if (!member_has(place->type, &members[i], place->offset, place->bits))
			continue;
		collect_member(&search, &members[i], place->offset, &way);
		ranges->items[ranges->count].member = i;
		ranges->items[ranges->count++].candidates = low_bits(search.count) << first;
		first += search.count;
	}
}

const struct member *union_choose(const struct union_ranges *ranges, uint64_t candidates,
				  unsigned int *first)
{
	size_t chosen = ranges->count;

	candidates = *first < UNION_CANDIDATES_MAX ? candidates >> *first : 0;
	for (size_t i = 0; i < ranges->count; i++) {
		if (!(candidates & ranges->items[i].candidates))
			continue;
		if (chosen < ranges->count)
			return NULL;
		chosen = i;
	}
	if (chosen == ranges->count)
		return NULL;
	*first += (unsigned int)__builtin_ctzll(ranges->items[chosen].candidates);
	return &ranges->members[ranges->items[chosen].member];
}

/* True if the first name is the second one with underscores before it. */
static bool is_stand_in(const char *name, const char *plain)
{
	size_t underscores = strspn(name, "_");

	return underscores && strcmp(name + underscores, plain) == 0;
}

uint64_t union_plain(const struct union_place *place, uint64_t all, uint64_t chosen)
{
	struct union_search search;
	uint64_t plain = 0;

	if (!has_one_bit(chosen))
		return chosen;
	union_search_begin(&search, place, &no_evidence);
	const struct union_candidate *one = &search.items[__builtin_ctzll(chosen)];

	for (unsigned int i = 0; i < search.count && i < UNION_CANDIDATES_MAX; i++)
		if (all >> i & 1 && one->name && search.items[i].name &&
		    is_stand_in(one->name, search.items[i].name) &&
		    search.items[i].within == one->within &&
		    field_same_type(search.items[i].type, one->type))
			plain |= UINT64_C(1) << i;
	return plain ? plain : chosen;
}

uint64_t union_members(const struct union_ranges *ranges, uint64_t candidates)
{
	uint64_t members = 0;

	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->items[i].member < UNION_MEMBERS_MAX &&
		    candidates & ranges->items[i].candidates)
			members |= UINT64_C(1) << ranges->items[i].member;
	return members;
}

uint64_t union_keep(const struct union_ranges *ranges, uint64_t candidates, uint64_t members)
{
	uint64_t kept = 0;

	for (size_t i = 0; i < ranges->count; i++)
		if (ranges->items[i].member < UNION_MEMBERS_MAX &&
		    members >> ranges->items[i].member & 1)
			kept |= candidates & ranges->items[i].candidates;
	return kept;
}

const char *union_common_name(const struct union_place *place, uint64_t candidates,
			      const char **outer)
{
	struct union_search search;
	const struct union_candidate *common = NULL;

	union_search_begin(&search, place, &no_evidence);
	for (unsigned int i = 0; i < search.count && i < UNION_CANDIDATES_MAX; i++) {
		const struct union_candidate *item = &search.items[i];

		if (!(candidates >> i & 1))
			continue;
		if (!common) {
			common = item;
			*outer = item->outer;
		}
		if (!is_same_name(item->name, common->name) || item->within != common->within ||
		    !field_same_type(item->type, common->type))
			return NULL;
		if (!is_same_name(item->outer, *outer))
			*outer = NULL;
	}
	return common ? common->name : NULL;
}

struct union_place union_outermost(const struct type *type, int64_t offset, uint64_t bits)
{
	return union_outermost_in(type, offset, bits, NULL);
}

struct union_place union_outermost_in(const struct type *type, int64_t offset, uint64_t bits,
				      struct union_around *around)
{
	uint64_t element = 0;

	for (unsigned int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		struct steps steps;
		const struct type *bare = type_strip(element_of(type, &offset, &steps));
		const struct member *member = NULL;

		element = steps.size ? steps.size : element;
		if (around && steps.size)
			around->count = 0;
		if (!type_is_record(bare) || offset < 0 || type_has_variants(bare))
			break;
		if (bare->kind == TYPE_UNION) {
			size_t found = 0;

			members_each (part, type_members_within, bare, offset, BITS_REACH)
				if (member_has(bare, part, offset, bits)) {
					found++;
					member = part;
				}
			if (found > 1)
				return (struct union_place){ bare, offset, bits, element };
		} else {
			member = member_at(bare, offset, bits);
			if (around && around->count == UNION_AROUND_MAX)
				break;
			if (around)
				around->structs[around->count++] = (struct field_ref){ bare, 0 };
		}
		if (!member || member->bit_size)
			break;
		for (unsigned int i = 0; around && i < around->count; i++)
			around->structs[i].offset += member->offset;
		type = member->type;
		offset -= member->offset;
	}
	return (struct union_place){ 0 };
}
