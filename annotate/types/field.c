// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Field references: see field.h.
 *
 * In order: where an access goes (the rules of STAGE_LAYOUT are here); buffers of bytes that other
 * records are laid out in; the cache. type_parts.c has the rest.
 */
#include "annotate/types/field.h"

#include "annotate/types/flexible_array.h"
#include "annotate/types/word.h"
#include "base/hash.h"
#include "base/memory.h"

/* ---- where an access goes */

/* Strings are read in words only near their start. A word at a larger constant offset is a member
 * of some record. */
#define TEXT_WORD_OFFSET_MAX 8

/* An address with several strides on its way down into the arrays of a type. */
struct stride_walk {
	uint64_t strides[STEPS]; /* those that no array has taken yet */
	size_t count;
	uint64_t last;  /* the divisor of those that the innermost array has taken */
	int64_t offset; /* in the type; then in its first element, or in those of its members */
	uint64_t size;  /* of the access, at most a word */
	/* a stride is smaller than the array that takes it, as that of any index is; only unrolled
	 * loops have larger ones */
	bool strict;
	bool fits; /* a whole scalar is accessed */
};

/* Removes the strides that are multiples of an element's size, in an array of `whole` bytes (0: not
 * known). False if there are none. */
static bool take_strides(struct stride_walk *walk, uint64_t size, uint64_t whole)
{
	size_t left = 0;
	uint64_t taken = 0;

	for (size_t i = 0; i < walk->count; i++) {
		if (size && walk->strides[i] % size == 0 &&
		    (!walk->strict || !whole || walk->strides[i] < whole))
			taken = common_divisor(taken, walk->strides[i]);
		else
			walk->strides[left++] = walk->strides[i];
	}
	walk->count = left;
	if (taken)
		walk->last = taken;
	return taken;
}

/* Finds an array of a record that takes all strides, and that ends less than a stride before the
 * offset: an unrolled loop may run over the end of an inner array. */
static bool after_array(const struct type *record, struct stride_walk *walk)
{
	size_t count;
	const struct member *members = type_members(record, &count);

	for (size_t i = count; i-- > 0;) {
		const struct type *array = type_strip(members[i].type);
		const struct type *element = array->kind == TYPE_ARRAY ? type_target(array) : NULL;
		uint64_t each = element ? field_size(element) : 0, whole = field_size(array);
		int64_t within = walk->offset - members[i].offset;
		struct stride_walk inner = *walk;

		if (!each || !whole || within < (int64_t)whole ||
		    !take_strides(&inner, each, whole) || inner.count ||
		    within >= (int64_t)(whole + inner.last) ||
		    !field_scalar(element, within % (int64_t)each, walk->size))
			continue;
		inner.offset = members[i].offset + within % (int64_t)each;
		*walk = inner;
		return true;
	}
	return false;
}

static bool arrays_take(const struct type *type, struct stride_walk *walk, unsigned int depth);

/* arrays_take() for an element of an array that has taken strides: the index of an inner array may
 * reach into the element before, or over the end of this one. */
static bool element_takes(const struct type *element, struct stride_walk *walk, unsigned int depth)
{
	struct stride_walk here = *walk, after = *walk, before = *walk;
	after.offset += (int64_t)field_size(element);
	before.offset -= (int64_t)field_size(element);
	if (arrays_take(element, &here, depth))
		*walk = here;
	else if (type_is_record(type_strip(element)) && after_array(type_strip(element), &after))
		*walk = after;
	else if (arrays_take(element, &before, depth))
		*walk = before;
	else
		return false;
	return true;
}

/* arrays_take() for an array; the index may be one less, before its first element. */
static bool array_takes(const struct type *array, struct stride_walk *walk, unsigned int depth)
{
	const struct type *element = type_target(array);
	int64_t size = (int64_t)field_size(element), start = walk->offset;
	bool taken = size && take_strides(walk, (uint64_t)size, field_size(array));

	/* the indexes of arrays in the elements may be one less, too */
	if (!size || start < -2 * size || (start < 0 && !taken))
		return false;
	walk->offset = positive_remainder(start, (uint64_t)size);
	if (taken ? !element_takes(element, walk, depth + 1)
		  : !arrays_take(element, walk, depth + 1))
		return false;
	if (start >= size)
		walk->offset += start - start % size;
	return true;
}

/* True if an access of `size` bytes is to a scalar, or to a byte of a number, in which code tests
 * bits. */
static bool has_scalar(const struct type *type, int64_t offset, uint64_t size)
{
	if (size != 1 || field_scalar(type, offset, size))
		return field_scalar(type, offset, size);
	const struct fit fit = fit_at(type, offset, size);

	return fit.holds && (fit.kind == FIT_PART || fit.kind == FIT_BITS);
}

/* True if the arrays on the way to the offset of an object have elements whose sizes divide all
 * strides. */
static bool arrays_take(const struct type *type, struct stride_walk *walk, unsigned int depth)
{
	const struct type *bare = type_strip(type);

	if (!walk->count)
		return !walk->fits || has_scalar(type, walk->offset, walk->size);
	if (depth > TYPE_DEPTH_MAX || type_is_vast(bare))
		return false;
	if (bare->kind == TYPE_ARRAY)
		return array_takes(bare, walk, depth);
	if (!type_is_record(bare))
		return false;
	size_t count;
	const struct member *members = type_members(bare, &count);
	const struct member *open =
		walk->count == 1 && walk->strides[0] <= UINT32_MAX
			? flexible_in_middle(bare, walk->offset, (uint32_t)walk->strides[0])
			: NULL;

	/* an array that holds the offset comes before one that begins after it */
	for (int before = 0; before < 2; before++)
		for (size_t i = 0; i < count; i++) {
			struct stride_walk inner = *walk;

			inner.offset -= members[i].offset;
			bool holds = inner.offset >= 0 &&
				     (inner.offset < (int64_t)members[i].size ||
				      field_goes_on(bare, &members[i]) || &members[i] == open);

			if (members[i].bit_size || !(before ? inner.offset < 0 : holds) ||
			    !arrays_take(members[i].type, &inner, depth + 1))
				continue;
			inner.offset += members[i].offset;
			*walk = inner;
			return true;
		}
	return false;
}

/* Goes down from the type that an address points to, which may be an element of an array. */
static bool walk_down(const struct type *type, struct stride_walk *walk)
{
	const struct type *bare = type_strip(type);
	uint64_t size = type_is_record(bare) ? field_size(bare) : 0;

	/* C11 6.7.2.1: a type with a flexible array is no element of an array */
	if (!size || flexible_element(bare) || !take_strides(walk, size, 0))
		return arrays_take(type, walk, 0);
	walk->offset = positive_remainder(walk->offset, size);
	return element_takes(type, walk, 0);
}

/* field_last_stride() for these strides. With `fits`, a whole scalar must be there. */
static bool last_stride(const struct type *type, const uint64_t *strides, size_t count, bool fits,
			struct stride_walk *walk)
{
	const struct stride_walk start = *walk;

	for (unsigned int i = 0; i < 2; i++) {
		*walk = start;
		walk->strict = i == 0;
		walk->fits = fits;
		walk->count = count;
		memcpy(walk->strides, strides, count * sizeof(*strides));
		if (walk_down(type, walk) && walk->last && walk->last <= UINT32_MAX)
			return true;
	}
	*walk = start;
	return false;
}

/* last_stride() with one stride more or less by another one. A loop that moves over outer elements
 * while an inner index is counted with it has their sum; one that is entered in two places, the
 * distance of these. */
static bool combined_strides(const struct type *type, const uint64_t *strides, size_t count,
			     struct stride_walk *walk)
{
	uint64_t combined[STEPS];

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < count; j++) {
			if (i == j)
				continue;
			memcpy(combined, strides, count * sizeof(*strides));
			combined[i] = strides[i] + strides[j];
			if (last_stride(type, combined, count, true, walk))
				return true;
			combined[i] = strides[i] - strides[j];
			if (strides[i] > strides[j] &&
			    last_stride(type, combined, count, true, walk))
				return true;
		}
	return false;
}

bool field_last_stride(const struct type *type, const uint64_t *strides, size_t count,
		       uint64_t access_size, int64_t *offset, uint32_t *stride)
{
	struct stride_walk walk = { .offset = *offset, .size = access_size > 8 ? 8 : access_size };

	if (count == 1) {
		/* field_find() knows what one stride may be; only the array may be another one */
		walk.strict = walk.fits = true;
		walk.strides[walk.count++] = *strides;
		if (!arrays_take(type, &walk, 0) || walk.last != *strides)
			return false;
	} else if (!last_stride(type, strides, count, true, &walk) &&
		   !combined_strides(type, strides, count, &walk) &&
		   !last_stride(type, strides, count, false, &walk))
		return false;
	*offset = walk.offset;
	*stride = (uint32_t)walk.last;
	return true;
}

/* Returns the size of the elements of an array that divides the stride; 0: it is none. */
static int64_t element_of_stride(const struct type *type, uint32_t stride)
{
	const struct type *array = type_strip(type);
	const uint64_t each = array->kind == TYPE_ARRAY ? field_size(type_target(array)) : 0;

	return each && stride % each == 0 ? (int64_t)each : 0;
}

/* field_array_pair() in a record that is `base` bytes into the type. */
static bool has_next_array(const struct type *record, int64_t offset, int64_t base, uint32_t stride,
			   struct array_pair *pair)
{
	members_each (member, type_members, record) {
		const struct type *bare = type_strip(member->type);
		const int64_t start = member->offset, end = start + (int64_t)field_size(bare);
		const int64_t each = element_of_stride(bare, stride);

		if (offset >= start && offset < end && type_is_record(bare))
			return bare->kind == TYPE_STRUCT &&
			       has_next_array(bare, offset - start, base + start, stride, pair);
		if (offset >= start + each && offset < end && each)
			*pair = (struct array_pair){ base + start, base + end, each, false };
		else if (offset < start && pair->size)
			return each == pair->size && base + start == pair->second;
		else if (offset < start && each > 1)
			*pair = (struct array_pair){ base + start - FIELD_PAIR_MAX * each,
						     base + start, each, true };
		else if (offset >= start && offset < end && each)
			return false; /* the first element */
		if (pair->alone)
			return base + offset >= pair->first;
	}
	return false;
}

bool field_array_pair(const struct type *type, int64_t offset, uint32_t stride,
		      struct array_pair *pair)
{
	const struct type *bare = type_strip(type);

	*pair = (struct array_pair){ 0 };
	return stride && bare->kind == TYPE_STRUCT && has_next_array(bare, offset, 0, stride, pair);
}

/* True if offset + stride * x, at or past the end of a record, is in a flexible array that it ends
 * in. *element_offset becomes the offset of the same field in the first element. Of several arrays,
 * it is the first that has a whole scalar there, best in its first element, or else the first. */
static bool in_flexible_array(const struct type *type, int64_t offset, uint32_t stride,
			      uint64_t access_size, int64_t *element_offset)
{
	struct flexible_array tails[FLEXIBLE_ARRAYS_MAX];
	size_t count = flexible_arrays_of(type, tails);
	unsigned int best = 0;

	for (size_t i = 0; i < count; i++) {
		int64_t size = (int64_t)tails[i].size, within = offset - tails[i].offset;

		if (within < 0 || stride % size)
			continue;
		bool first = stride && within < size;

		within %= size;
		/* cuts an element: something is laid out by hand after the array */
		if (access_size <= 8 && within + (int64_t)access_size > size)
			continue;
		bool whole = field_scalar(tails[i].element, within, access_size);
		unsigned int fit = whole ? 2 + first : 1;

		if (fit <= best)
			continue;
		/* the instruction itself names a byte: something is laid out by hand there */
		*element_offset = size == 1 && !stride ? offset : tails[i].offset + within;
		best = fit;
	}
	return best;
}

/* Returns the end of a record. One of no constant size goes on as far as its memory does. */
static int64_t end_of_record(const struct type *record)
{
	return record->flags & TYPE_DYNAMIC ? INT64_MAX : (int64_t)type_size_or(record, 0);
}

/* Finds the field of an access to an array. In an array of records the element is the object; in
 * one of scalars, the array itself. An access at a constant offset that is wider than any member is
 * to the array as a whole (clearing, copying). */
static enum access_reason find_in_array(const struct type *type, const struct type *array,
					int64_t offset, uint32_t stride, uint64_t size,
					struct field_ref *field)
{
	const struct type *element = type_target(array);

	for (unsigned int depth = 0;
	     type_strip(element)->kind == TYPE_ARRAY && depth < TYPE_DEPTH_MAX; depth++)
		element = type_target(type_strip(element));
	uint64_t element_size = field_size(element);

	if (!element_size)
		return REASON_VOID_POINTER;
	if (type_size_or(array, 0) && !stride &&
	    (offset < 0 || (uint64_t)offset >= type_size_or(array, 0)))
		return REASON_OUTSIDE;
	element = type_canonical(element);
	bool whole = !stride && size > 8 && type_size_or(array, 0);

	if (type_is_record(type_strip(element)) && !whole)
		return field_find(element, positive_remainder(offset, element_size),
				  stride % element_size ? stride : 0, size, field);
	/* An access that cuts an element, or is wider than one and no vector's, is to something
	 * else that is laid out there. */
	int64_t within = stride % element_size ? 0 : positive_remainder(offset, element_size);

	if (element_size > 1 && size <= 8 &&
	    (within || (size > element_size && size % element_size)) &&
	    !type_is_record(type_strip(element)))
		return REASON_OUTSIDE;
	*field = (struct field_ref){ type,
				     stride ? positive_remainder(offset, element_size) : offset };
	if (stride && type_size_or(array, 0) && offset >= 0 &&
	    (uint64_t)offset < type_size_or(array, 0))
		field->offset = offset;
	return REASON_NONE;
}

/* True if a record ends in an array of one element of `stride` bytes that begins at `offset`, as
 * flexible arrays were written before C99. */
static bool ends_in_one(const struct type *record, int64_t offset, uint32_t stride)
{
	const struct member *last = field_last_member(record);

	return last && last->offset == offset && field_size(last->type) == stride &&
	       field_is_array_of(last->type, stride);
}

bool field_past_one_element(const struct type *record, int64_t *offset, uint32_t stride,
			    uint64_t access_size)
{
	const struct member *last = field_last_member(record);
	int64_t size = last ? (int64_t)field_size(last->type) : 0;

	if (!size || !field_is_array_of(last->type, (uint64_t)size) || stride % size ||
	    *offset < last->offset + size)
		return false;
	int64_t within = positive_remainder(*offset - last->offset, (uint64_t)size);

	/* bytes may be read in words */
	if (size > 1 && access_size <= 8 && within + (int64_t)access_size > size)
		return false;
	*offset = last->offset + within;
	return true;
}

/* True for s->slots[i - 1] of a flexible array, whose index begins at 1: the address starts a few
 * elements before the array. *offset becomes that of the same field in the first element. False for
 * an access that cuts an element: in_flexible_array() refuses these past the record's end, too. */
static bool before_flexible_array(const struct type *record, int64_t *offset, uint32_t stride,
				  uint64_t access_size)
{
	struct flexible_array tails[FLEXIBLE_ARRAYS_MAX];
	int64_t size = flexible_arrays_of(record, tails) ? (int64_t)tails[0].size : 0;

	/* an address a few bytes before a text is in the record's other members */
	int64_t before = size > 1 ? FIELD_ELEMENTS_BEFORE_MAX * (int64_t)stride : (int64_t)stride;

	if (!size || stride % size || *offset < tails[0].offset - before)
		return false;
	int64_t within = positive_remainder(*offset - tails[0].offset, (uint64_t)size);

	if (access_size <= 8 && within + (int64_t)access_size > size)
		return false;
	*offset = tails[0].offset + within;
	return true;
}

/* Returns the type of the member if it is an array of elements of `stride` bytes that may be
 * accessed `within` bytes after their start; NULL otherwise. */
static const struct type *array_of(const struct member *member, uint32_t stride, int64_t within,
				   uint64_t access_size)
{
	const struct type *array = type_strip(member->type);

	if (!type_size_or(array, 0) || !field_is_array_of(array, stride))
		return NULL;
	return !within || (type_is_record(type_strip(type_target(array))) &&
			   fit_at(type_target(array), within, access_size).holds)
		       ? array
		       : NULL;
}

/* True for n->keys[i - 1] of any array of a record: *offset is less than one element before the
 * array. *offset becomes that of the same field in the first element. The caller has found no array
 * of such elements at *offset itself. */
static bool before_array(const struct type *record, int64_t *offset, uint32_t stride,
			 uint64_t access_size)
{
	members_each (member, type_members, record) {
		int64_t within = *offset + (int64_t)stride - member->offset;

		if (within < 0 || within >= (int64_t)stride ||
		    !array_of(member, stride, within, access_size))
			continue;
		*offset += (int64_t)stride;
		return true;
	}
	return false;
}

/* True for g->cells[y - 1][x - 1]: *offset is one row, or a few elements more or less, before an
 * array of several dimensions, whose elements have the size of the stride. *offset becomes that of
 * the same field in the first element. */
static bool before_row(const struct type *record, int64_t *offset, uint32_t stride,
		       uint64_t access_size)
{
	members_each (member, type_members, record) {
		const struct type *array = type_strip(member->type);
		const int64_t within = positive_remainder(*offset - member->offset, stride);
		size_t count;
		const uint64_t *dimensions = type_array_dimensions(array, &count);
		int64_t row = stride;

		if (count < 2 || !array_of(member, stride, within, access_size))
			continue;
		while (--count > 0) {
			if (__builtin_mul_overflow(row, (int64_t)dimensions[count], &row))
				break;
			const int64_t before = member->offset - row - *offset;

			if (before > FIELD_ELEMENTS_BEFORE_MAX * (int64_t)stride || before <= -row)
				continue;
			*offset = member->offset + within;
			return true;
		}
	}
	return false;
}

bool field_is_first_index(int64_t number)
{
	return (number >= 1 && number <= FIELD_ELEMENTS_BEFORE_MAX) ||
	       (number >= ' ' && number <= '~');
}

/* No constant distance in an object has as many elements: the index is counted from such a number,
 * as the indexes of pseudo elements are that lie outside of those of all elements. */
#define ELEMENTS_APART_MIN (1 << 16)

static bool is_counted_from(int64_t number)
{
	return field_is_first_index(number) || number >= ELEMENTS_APART_MIN ||
	       number <= -ELEMENTS_APART_MIN;
}

/*
 * True for n->child[c - 'a'] and s->stack[top - 2]: if an index is counted from a number, the
 * address without the index is that many elements before the array, perhaps before the record. The
 * record must have exactly one array of such elements. *offset becomes that of the same field in
 * the first element. Where members lie side by side as elements do, p->left and p->right may be
 * chosen by a number as well.
 */
static bool before_only_array(const struct type *record, int64_t *offset, uint32_t stride,
			      uint64_t access_size)
{
	size_t found = 0;
	int64_t start = 0, within = 0;

	members_each (member, type_members, record) {
		if (!array_of(member, stride, 0, access_size))
			continue;
		start = member->offset;
		within = positive_remainder(*offset - start, stride);
		found += array_of(member, stride, within, access_size) ? 1 : 2;
	}
	int64_t number = (start + within - *offset) / (int64_t)stride;

	if (found != 1 || !is_counted_from(number) ||
	    (number > 1 && field_scalar(record, *offset, access_size) &&
	     field_scalar(record, *offset + stride, access_size)))
		return false;
	*offset = start + within;
	return true;
}

/* Finds the outermost array of elements of `stride` bytes that has the byte at `offset`. Returns
 * the index of its element there, and sets *start to the offset of the array; -1: there is none. */
static int64_t element_index(const struct type *type, int64_t offset, uint64_t stride, bool exact,
			     int64_t *start)
{
	int64_t base = 0;

	for (unsigned int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		const struct type *bare = type_strip(type), *inner = NULL;

		if (bare->kind == TYPE_ARRAY) {
			int64_t size = (int64_t)field_size(type_target(bare));

			if (exact ? size == (int64_t)stride : size && (int64_t)stride % size == 0) {
				*start = base;
				return (offset - base) / size;
			}
			if (!size)
				return -1;
			type = type_target(bare);
			base += (offset - base) / size * size;
			continue;
		}
		if (!type_is_record(bare))
			return -1;
		members_each (member, type_members_near, bare, offset - base) {
			if (member->bit_size ||
			    (uint64_t)(offset - base - member->offset) >= member->size)
				continue;
			inner = member->type;
			base += member->offset;
			break;
		}
		if (!inner)
			return -1;
		type = inner;
	}
	return -1;
}

bool field_is_first_element(const struct type *type, int64_t offset, uint32_t stride, uint64_t size)
{
	int64_t start;

	return type_is_record(type_strip(type)) &&
	       element_index(type, offset, stride, true, &start) == 0 &&
	       offset - start + (int64_t)size <= (int64_t)stride;
}

bool field_index_fits_two(const struct type *type, int64_t offset, const uint64_t *strides,
			  size_t count, uint64_t size)
{
	int64_t whole = (int64_t)field_size(type), first = 0, second = 0;
	bool repeats = false;

	if (!type_is_record(type_strip(type)) || whole <= 0)
		return false;
	for (size_t i = 0; i < count; i++)
		repeats |= strides[i] % (uint64_t)whole == 0;
	/* the next record, or an element of a flexible array that is as large as the record */
	if (count == 1 && strides[0] == (uint64_t)whole && offset >= whole &&
	    flexible_in_middle(type_strip(type), offset, (uint32_t)whole))
		return true;
	if (repeats)
		offset = positive_remainder(offset, (uint64_t)whole);
	for (size_t i = 0; i < count; i++) {
		int64_t next = offset + (int64_t)strides[i], index;

		if (strides[i] >= (uint64_t)whole)
			continue;
		index = element_index(type, offset, strides[i], false, &first);
		if (next >= whole && repeats)
			next -= whole;
		if (index >= 1 && next < whole &&
		    element_index(type, next, strides[i], true, &second) == 0 &&
		    (first != second || offset - index * (int64_t)strides[i] != next) &&
		    field_scalar(type, next, size))
			return true;
	}
	return false;
}

bool field_only_array(const struct type *type, int64_t *offset, uint32_t stride)
{
	const struct type *bare = type_strip(type);

	return type_is_record(bare) && before_only_array(bare, offset, stride, stride);
}

/* Finds the field of an access through a pointer to a scalar. p[i] is the scalar at any index, and
 * a part of it keeps its offset. Bytes may be read in words. An access that is wider than any other
 * scalar (and no vector's), or that cuts one, goes through a cast; so does one to a header, before
 * a byte. */
static enum access_reason find_scalar(const struct type *type, const struct type *bare,
				      int64_t offset, uint32_t stride, uint64_t size,
				      struct field_ref *field)
{
	uint64_t own = type_size_or(bare, 0);
	int64_t within = own && stride % own == 0 ? positive_remainder(offset, own) : 0;
	bool vector = size > 8;

	if (own == 1 && !stride &&
	    (offset < 0 || (offset > TEXT_WORD_OFFSET_MAX && size > 1 && !vector)))
		return REASON_OUTSIDE;
	/* a loop may read an array of small enumerations in words, like an array of bytes */
	bool words = own == 1 && (bare->kind != TYPE_ENUM || stride == size);

	if (!words && !vector && within + (int64_t)size > (int64_t)own)
		return REASON_OUTSIDE;
	*field = (struct field_ref){ type_canonical(type), within };
	return REASON_NONE;
}

/* True for a vector access that begins in the padding of a record and ends in a member: compilers
 * copy and clear members together with the padding between them. */
static bool is_copy_from_padding(const struct type *record, int64_t offset, uint64_t size)
{
	return size > 8 && offset + (int64_t)size <= (int64_t)type_size_or(record, 0) &&
	       fit_at(record, offset + (int64_t)size - 1, 1).covered;
}

enum access_reason field_find(const struct type *type, int64_t offset, uint32_t stride,
			      uint64_t size, struct field_ref *field)
{
	const struct type *bare = type_strip(type);

	if (bare->kind == TYPE_ARRAY)
		return find_in_array(type_canonical(type), bare, offset, stride, size, field);
	if (field_is_named_only(bare) && offset >= 0 && !stride) {
		*field = (struct field_ref){ type_canonical(type), offset };
		return REASON_NONE;
	}
	if (bare->kind == TYPE_VOID || (bare->kind == TYPE_FUNCTION && !type_size_or(bare, 0)) ||
	    (bare->flags & TYPE_DECLARATION))
		return REASON_VOID_POINTER;
	int64_t flexible;

	if (offset >= (int64_t)type_size_or(bare, 0) &&
	    in_flexible_array(bare, offset, stride, size, &flexible)) {
		*field = (struct field_ref){ type_canonical(type), flexible };
		return REASON_NONE;
	}
	int64_t end = end_of_record(bare);

	if (!end)
		return REASON_OUTSIDE;
	if (field_is_scalar(bare))
		return find_scalar(type, bare, offset, stride, size, field);
	/* C11 6.7.2.1: a type with a flexible array is no element of an array, so the index goes
	 * into the flexible array. */
	if (stride && stride % end == 0 && !flexible_element(bare)) {
		offset = positive_remainder(offset, (uint64_t)end);
		stride = 0;
	}
	if (stride && !field_in_array(bare, offset, stride, ARRAY_OF_ELEMENTS) &&
	    ends_in_one(bare, offset + stride, stride))
		offset += stride; /* s->slots[i - 1] */
	if (stride && field_past_one_element(bare, &offset, stride, size)) {
		*field = (struct field_ref){ type_canonical(type), offset };
		return REASON_NONE;
	}
	bool within = offset >= 0 && offset < end;

	if (stride ? !(within && field_in_array(bare, offset, stride, ARRAY_OF_ELEMENTS)) &&
			     !before_array(bare, &offset, stride, size) &&
			     !(within && field_in_array(bare, offset, stride, ARRAY_ANY_STEP)) &&
			     !before_flexible_array(bare, &offset, stride, size) &&
			     !before_only_array(bare, &offset, stride, size) &&
			     !before_row(bare, &offset, stride, size)
		   : !within)
		return REASON_OUTSIDE;
	const struct fit fit = fit_at(bare, offset, size);

	if (!stride && !fit.covered && !is_copy_from_padding(bare, offset, size))
		return REASON_OUTSIDE;
	if (size <= 8 && (fit.cut_element || (stride && fit.part_of_element)))
		return REASON_OUTSIDE;
	*field = (struct field_ref){ type_canonical(type), offset };
	return REASON_NONE;
}

/* Returns whether an array in the type, at any depth, has elements of at least `size` bytes. */
static bool has_array_of(const struct type *type, uint64_t size, unsigned int depth)
{
	type = type_strip(type);
	if (depth > TYPE_DEPTH_MAX || type_is_vast(type))
		return true;
	if (type->kind == TYPE_ARRAY) {
		const struct type *element = type_target(type);

		return field_size(element) >= size || has_array_of(element, size, depth + 1);
	}
	if (!type_is_record(type))
		return false;
	size_t count;
	const struct member *members = type_members(type, &count);

	return any_of(i, 0, count, has_array_of(members[i].type, size, depth + 1));
}

/* Smaller strides may also come from a walk through the words of one record. */
#define STRIDE_OF_RECORDS 16

bool field_is_shift_of_size(const struct type *record, uint32_t stride)
{
	record = type_strip(record);
	return stride >= STRIDE_OF_RECORDS && type_is_record(record) &&
	       stride == (type_size_or(record, 0) & -type_size_or(record, 0)) &&
	       !flexible_element(record) && !has_array_of(record, STRIDE_OF_RECORDS, 0);
}

/* ---- buffers of bytes */

/* The most scalars of two records that are compared. */
#define SCALARS_MAX 64

struct fitting {
	const struct type *whole;
	unsigned int left; /* scalars that may still be compared */
	bool buffered;     /* one of them lies in a buffer of the whole */
	bool shared;       /* another is a member of both */
};

/* True if, at `at`, the whole has the same scalars as `part`, or bytes in their place. */
static bool has_scalars_of(struct fitting *fitting, int64_t at, const struct type *part,
			   unsigned int depth)
{
	const struct type *bare = type_strip(part), *scalar;
	size_t count;

	if (depth > TYPE_DEPTH_MAX || !fitting->left)
		return false;
	fitting->left--;
	if (fit_at(fitting->whole, at, type_size_or(bare, 0)).buffer) {
		fitting->buffered = true;
		return true;
	}
	if (field_is_scalar(bare)) {
		scalar = field_scalar(fitting->whole, at, type_size_or(bare, 0));
		fitting->shared |= scalar != NULL;
		return scalar && field_same_type(scalar, bare);
	}
	if (bare->kind == TYPE_ARRAY)
		return false;
	const struct member *members = type_members(bare, &count);

	return !any_of(i, 0, count,
		       !members[i].bit_size && !has_scalars_of(fitting, at + members[i].offset,
							       members[i].type, depth + 1));
}

/* True if a `part` could be laid out in a buffer of bytes of `whole`, `offset` bytes in. The two
 * must share the members before the buffer. */
static bool field_lays_out(const struct type *whole, int64_t offset, const struct type *part)
{
	struct fitting fitting = { .whole = type_strip(whole), .left = SCALARS_MAX };
	uint64_t size = field_size(part);

	return type_is_record(fitting.whole) && type_is_record(type_strip(part)) && offset >= 0 &&
	       size && (uint64_t)offset + size <= type_size_or(fitting.whole, 0) &&
	       has_scalars_of(&fitting, offset, part, 0) && fitting.buffered && fitting.shared;
}

bool field_keeps(const struct type *whole, int64_t offset, const struct type *part)
{
	uint64_t size = field_size(whole);

	/* A buffer that takes up the whole rest of the record exists to be cast as a whole, so
	 * no other record is looked for in it. */
	return size > field_size(part) && field_lays_out(whole, offset, part) &&
	       !fit_at(whole, (int64_t)size - 1, 1).buffer;
}

bool field_unpacks(const struct type *type, const struct type *whole, int64_t offset, uint64_t size)
{
	if (!type_is_record(type_strip(type)))
		return false;
	const struct fit fit = fit_at(type, offset, size);

	/* a byte of a number is rather one of the bytes */
	return !fit.buffer && fit.holds && fit.kind < FIT_PART && field_lays_out(whole, 0, type);
}

/* ---- answers that are kept */

/* Two queries with the same hash evict each other. With this many entries, four of five queries are
 * answered from the cache. */
#define ENTRY_BITS 9

/* The answers of an entry that are known. */
enum { KNOWN_FIELD = 1, KNOWN_FIT = 2 };

struct cache_entry {
	const struct type *type; /* NULL: an empty entry */
	int64_t offset;
	uint64_t size;
	uint32_t stride;
	uint8_t known; /* KNOWN_ bits of the members below */
	uint8_t reason;
	struct field_ref field;
	struct fit fit;
};

/* Two records may be compared at many offsets. */
#define PART_BITS 11

struct part_entry {
	const struct type *outer; /* NULL: an empty entry */
	const struct type *inner;
	int64_t offset;
	bool contains;
};

struct field_cache {
	struct cache_entry entries[1 << ENTRY_BITS];
	struct part_entry parts[1 << PART_BITS];
};

struct field_cache *field_cache_create(void)
{
	return xcalloc(1, sizeof(struct field_cache));
}

void field_cache_destroy(struct field_cache *cache)
{
	free(cache);
}

static struct cache_entry *cache_entry_of(struct field_cache *cache, const struct type *type,
					  int64_t offset, uint32_t stride, uint64_t size)
{
	uint64_t number = (uint64_t)(uintptr_t)type ^ (uint64_t)offset << 40 ^ size << 32 ^ stride;
	struct cache_entry *entry = &cache->entries[hash_mix(number) >> (64 - ENTRY_BITS)];

	if (entry->type != type || entry->offset != offset || entry->size != size ||
	    entry->stride != stride)
		*entry = (struct cache_entry){
			.type = type, .offset = offset, .size = size, .stride = stride
		};
	return entry;
}

enum access_reason field_cache_find(struct field_cache *cache, const struct type *type,
				    int64_t offset, uint32_t stride, uint64_t size,
				    struct field_ref *field)
{
	if (!cache)
		return field_find(type, offset, stride, size, field);

	struct cache_entry *entry = cache_entry_of(cache, type, offset, stride, size);

	if (!(entry->known & KNOWN_FIELD)) {
		entry->reason = (uint8_t)field_find(type, offset, stride, size, &entry->field);
		entry->known |= KNOWN_FIELD;
	}
	*field = entry->field;
	return entry->reason;
}

const struct fit *field_cache_fit(struct field_cache *cache, const struct type *type,
				  int64_t offset, uint64_t size)
{
	struct cache_entry *entry = cache_entry_of(cache, type, offset, 0, size);

	if (!(entry->known & KNOWN_FIT)) {
		entry->fit = fit_at(type, offset, size);
		entry->known |= KNOWN_FIT;
	}
	return &entry->fit;
}

bool field_cache_contains(struct field_cache *cache, const struct type *outer, int64_t offset,
			  const struct type *inner)
{
	uint64_t number = (uint64_t)(uintptr_t)outer ^
			  hash_mix((uint64_t)(uintptr_t)inner ^ (uint64_t)offset << 40);
	struct part_entry *entry = &cache->parts[hash_mix(number) >> (64 - PART_BITS)];

	if (entry->outer != outer || entry->inner != inner || entry->offset != offset)
		*entry = (struct part_entry){ outer, inner, offset,
					      field_contains(outer, offset, inner) };
	return entry->contains;
}
