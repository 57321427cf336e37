// SPDX-License-Identifier: GPL-2.0-or-later
/* The lattice and the states: see value.h. */
#include "annotate/values/value.h"

#include "annotate/types/field.h"
#include "base/memory.h"

static bool steps_are_sound(const struct value *value)
{
	uint64_t divisor = 0;

	for (size_t i = 0; i < STEPS && value->steps[i]; i++) {
		if (i && value->steps[i] >= value->steps[i - 1])
			return false;
		divisor = common_divisor(divisor, value->steps[i]);
	}
	return divisor <= 1 && (!divisor || value->stride);
}

const struct value value_nothing = { .kind = VALUE_UNKNOWN };

bool value_is_sound(const struct value *value)
{
	bool pointer = value->kind == VALUE_POINTER;

	return value->kind <= VALUE_UNKNOWN && steps_are_sound(value) &&
	       (!pointer || value->type) && (pointer || !value->alternative) &&
	       (value->kind == VALUE_FRAME ? value->frame <= FRAME_THREAD_POINTER
					   : !value->frame) &&
	       (value->kind == VALUE_UNKNOWN || !value->conflict);
}

static uint32_t gcd(uint64_t a, uint64_t b)
{
	if (a == 1 || b == 1)
		return 1;
	a = common_divisor(a, b);
	/* A stride that does not fit into 32 bits is cut to its low power of two, which still
	 * divides it. */
	return a > UINT32_MAX ? (uint32_t)(a & -a) : (uint32_t)a;
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

/* Adds a stride to a list, from the largest to the smallest, if it is not there. Returns the number
 * of strides. */
static size_t add_stride(uint64_t *strides, size_t count, uint64_t stride)
{
	size_t at = 0;

	while (at < count && strides[at] > stride)
		at++;
	if (at < count && strides[at] == stride)
		return count;
	memmove(&strides[at + 1], &strides[at], (count - at) * sizeof(*strides));
	strides[at] = stride;
	return count + 1;
}

/* Leaves strides out that are multiples of others, which stand for them, until STEPS are left or
 * none is a multiple: m[i].rows[j].cells[k], a loop in a loop each, has three of them. Returns the
 * number of strides. The smallest are left out first, so that another join leaves out the same. If
 * all are multiples of the smallest one, that is their divisor, which says as much. */
static size_t drop_multiples(uint64_t *strides, size_t count, uint32_t divisor)
{
	for (size_t i = count; strides[count - 1] > divisor && count > STEPS && i-- > 0;) {
		if (!any_of(j, i + 1, count, strides[i] % strides[j] == 0))
			continue;
		memmove(&strides[i], &strides[i + 1], (count - i - 1) * sizeof(*strides));
		count--;
	}
	return count;
}

/* Makes the strides of *value those of both values, and `apart` if it is not 0. */
static void join_strides(struct value *value, const struct value *a, const struct value *b,
			 uint64_t apart)
{
	uint32_t divisor = gcd(gcd(a->stride, b->stride), apart);
	uint64_t strides[2 * STEPS + 1], more[STEPS];
	bool saturated = (a->steps[0] && !a->steps[1]) || (b->steps[0] && !b->steps[1]);
	size_t count = value_strides(a, strides), more_count = value_strides(b, more);

	value_set_stride(value, divisor);
	for (size_t i = 0; i < more_count; i++)
		count = add_stride(strides, count, more[i]);
	if (apart)
		count = add_stride(strides, count, apart);
	if (count > STEPS)
		count = drop_multiples(strides, count, divisor);
	if (count < 2 && !saturated)
		return;
	if (saturated || count > STEPS || strides[0] / divisor > UINT16_MAX) {
		value->steps[0] = 1;
		return;
	}
	for (size_t i = 0; i < count; i++)
		value->steps[i] = (uint16_t)(strides[i] / divisor);
}

static int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t value_negate(int64_t a)
{
	return (int64_t)(0 - (uint64_t)a);
}

static bool is_integer(const struct value *value)
{
	if (value->kind == VALUE_NUMBER)
		return true;
	if (value->kind != VALUE_UNKNOWN || !value->type)
		return false;
	uint8_t kind = type_strip(value->type)->kind;

	return kind == TYPE_INTEGER || kind == TYPE_ENUM;
}

/* Takes an unknown value as an index: a number that keeps its origin, if that is all. */
static struct value as_number(struct value value)
{
	if (value.kind == VALUE_NUMBER)
		return value;
	if (value.kind != VALUE_UNKNOWN || !value.origin || value.stride == 1)
		return value_any_number();
	struct value number = { .kind = VALUE_NUMBER, .offset = value.offset, .stride = 1 };

	if (value.stride)
		join_strides(&number, &number, &value, 0);
	else
		number.origin = value.origin;
	return number;
}

static struct value add_numbers(struct value a, struct value b, int sign)
{
	struct value sum = { .kind = VALUE_NUMBER };

	sum.offset = wrap_add(a.offset, sign > 0 ? b.offset : value_negate(b.offset));
	if (!a.stride || !b.stride) {
		value_take_strides(&sum, a.stride ? &a : &b);
		sum.origin = a.stride ? a.origin : sign > 0 ? b.origin : 0;
	} else if (a.origin && a.origin == b.origin && value_word(&a, 3) == value_word(&b, 3)) {
		int64_t factor = (int64_t)a.stride + sign * (int64_t)b.stride;

		/* both are multiples of one value, whatever its own steps are */
		if (factor)
			memcpy(sum.steps, a.steps, sizeof(sum.steps));
		sum.stride = (uint32_t)(factor < 0 ? -factor : factor);
		sum.origin = factor > 0 ? a.origin : 0;
	} else if (sign < 0 && b.stride % a.stride == 0) {
		/* x - x / 5 * 5 is an index as x is: a remainder */
		value_take_strides(&sum, &a);
	} else {
		join_strides(&sum, &a, &b, 0);
	}
	return sum;
}

/* An address or pointer plus a number. */
static struct value displace(struct value base, struct value number, int sign)
{
	base.offset = wrap_add(base.offset, sign > 0 ? number.offset : value_negate(number.offset));
	if (number.stride)
		join_strides(&base, &base, &number, 0);
	if (base.kind == VALUE_ADDRESS) {
		int64_t displaced =
			base.displaced + (sign > 0 ? number.offset : value_negate(number.offset));

		base.displaced =
			displaced >= INT32_MIN && displaced <= INT32_MAX ? (int32_t)displaced : 0;
	}
	return base;
}

static bool is_per_cpu_offset(const struct value *value)
{
	return value->kind == VALUE_FRAME && value->frame == FRAME_PER_CPU && !value->stride;
}

/* One processor's copy has the same type as the per-cpu variable that `a` is the address of. The
 * kernel makes that address an integer first (RELOC_HIDE). Nothing but addresses is ever added to
 * the distance, so the integer type is dropped. */
static bool add_per_cpu_offset(struct value a, struct value offset, struct value *sum)
{
	bool address =
		a.kind == VALUE_ADDRESS || a.kind == VALUE_POINTER || a.kind == VALUE_UNKNOWN;

	if (!address || !is_per_cpu_offset(&offset))
		return false;
	*sum = displace(a, value_number(offset.offset), 1);
	if (is_integer(sum))
		sum->type = NULL;
	return true;
}

/* The thread pointer plus what a slot of the GOT holds is the variable that the slot names. */
static bool add_thread_pointer(const struct value *pointer, const struct value *held,
			       struct value *sum)
{
	if (pointer->kind != VALUE_FRAME || pointer->frame != FRAME_THREAD_POINTER ||
	    pointer->stride ||
	    !(held->kind == VALUE_POINTER ||
	      (held->kind == VALUE_FRAME && held->frame == FRAME_TLS)))
		return false;
	*sum = *held;
	sum->offset = wrap_add(held->offset, pointer->offset);
	return true;
}

struct value value_add(struct value a, struct value b)
{
	struct value sum;

	if (a.kind == VALUE_BOTTOM || b.kind == VALUE_BOTTOM)
		return (struct value){ 0 };
	if ((is_per_cpu_offset(&a) || is_per_cpu_offset(&b)) &&
	    (add_per_cpu_offset(a, b, &sum) || add_per_cpu_offset(b, a, &sum)))
		return sum;
	if (add_thread_pointer(&a, &b, &sum) || add_thread_pointer(&b, &a, &sum))
		return sum;
	if (a.kind == VALUE_NUMBER && b.kind == VALUE_NUMBER)
		return add_numbers(a, b, 1);
	if (b.kind != VALUE_NUMBER &&
	    (a.kind == VALUE_NUMBER || (is_integer(&a) && !is_integer(&b))))
		exchange(a, b);
	if (b.kind == VALUE_NUMBER || is_integer(&b)) {
		bool multiple = b.kind == VALUE_NUMBER && b.stride;
		bool same = a.kind == VALUE_UNKNOWN && a.origin && a.origin == b.origin;

		/* i + 2 * i is an index, whatever i was declared as */
		if ((is_integer(&a) && (multiple || b.kind != VALUE_NUMBER)) || (multiple && same))
			return add_numbers(as_number(a), as_number(b), 1);
		return displace(a, as_number(b), 1);
	}
	if (a.kind == VALUE_UNKNOWN && b.kind == VALUE_UNKNOWN) {
		if (a.origin && a.origin == b.origin)
			return add_numbers(as_number(a), as_number(b), 1);
		return value_unknown(0);
	}
	if (a.kind == VALUE_UNKNOWN)
		return displace(b, as_number(a), 1);
	if (b.kind == VALUE_UNKNOWN)
		return displace(a, as_number(b), 1);
	/*
	 * Two addresses have no meaningful sum, so one of them is wrong. The object's address is
	 * certain, while the pointer type may be stale, because a variable's range may outlive its
	 * register.
	 */
	if (a.kind == VALUE_ADDRESS && b.kind == VALUE_POINTER)
		return displace(a, value_any_number(), 1);
	if (b.kind == VALUE_ADDRESS && a.kind == VALUE_POINTER)
		return displace(b, value_any_number(), 1);
	return value_any_number();
}

struct value value_subtract(struct value a, struct value b)
{
	if (a.kind == VALUE_BOTTOM || b.kind == VALUE_BOTTOM)
		return (struct value){ 0 };
	if (a.kind == VALUE_FRAME && b.kind == VALUE_FRAME && a.frame == b.frame && !a.stride &&
	    !b.stride)
		return value_number(wrap_add(a.offset, value_negate(b.offset)));
	if (b.kind == VALUE_NUMBER || is_integer(&b)) {
		bool multiple = a.kind == VALUE_NUMBER || b.kind != VALUE_NUMBER || b.stride;

		if (multiple && (is_integer(&a) ||
				 (a.kind == VALUE_UNKNOWN && a.origin && a.origin == b.origin)))
			return add_numbers(as_number(a), as_number(b), -1);
		return displace(a, as_number(b), -1);
	}
	if (b.kind == VALUE_UNKNOWN && a.kind == VALUE_NUMBER)
		return add_numbers(a, as_number(b), -1);
	if (b.kind == VALUE_UNKNOWN && a.kind != VALUE_UNKNOWN)
		return displace(a, as_number(b), -1);
	/* C11 6.5.6: both point into one array, so whole elements lie between them */
	if (a.kind == VALUE_POINTER && b.kind == VALUE_POINTER && a.type == b.type) {
		uint64_t size = type_size_or(a.type, 0);
		struct value difference = value_number(wrap_add(a.offset, value_negate(b.offset)));

		difference.stride = size && size <= UINT32_MAX
					    ? gcd((uint32_t)size, gcd(a.stride, b.stride))
					    : 1;
		return difference;
	}
	return value_any_number();
}

struct value value_scale(struct value a, uint32_t scale)
{
	if (a.kind == VALUE_BOTTOM || scale == 1)
		return a;
	struct value number = as_number(a);

	number.offset = (int64_t)((uint64_t)number.offset * scale);
	uint64_t stride = (uint64_t)number.stride * scale;

	if (stride > UINT32_MAX) {
		stride &= -stride;
		number.origin = 0;
	}
	if (stride == (uint64_t)number.stride * scale)
		number.stride = (uint32_t)stride;
	else
		value_set_stride(&number, stride > UINT32_MAX ? 1U << 31 : (uint32_t)stride);
	return number;
}

/* Swaps the operands of a commutative operation if the first one is constant. */
static void put_constant_last(struct value *a, struct value *b)
{
	if (value_is_constant(a))
		exchange(*a, *b);
}

struct value value_multiply(struct value a, struct value b)
{
	if (a.kind == VALUE_BOTTOM || b.kind == VALUE_BOTTOM)
		return (struct value){ 0 };
	put_constant_last(&a, &b);
	if (value_is_constant(&a) && value_is_constant(&b))
		return value_number((int64_t)((uint64_t)a.offset * (uint64_t)b.offset));
	if (value_is_constant(&b) && b.offset > 0 && b.offset <= INT32_MAX)
		return value_scale(a, (uint32_t)b.offset);
	if (value_is_constant(&b) && b.offset < 0 && b.offset >= -INT32_MAX)
		return value_subtract(value_number(0), value_scale(a, (uint32_t)-b.offset));
	return value_any_number();
}

/* The smallest mask that is taken to remove tags from a pointer, which may fill up to 8 low bits.
 */
#define TAG_MASK_MIN (-256)

struct value value_and(struct value a, struct value b)
{
	if (a.kind == VALUE_BOTTOM || b.kind == VALUE_BOTTOM)
		return (struct value){ 0 };
	put_constant_last(&a, &b);
	if (!value_is_constant(&b))
		return value_any_number();
	if (value_is_constant(&a))
		return value_number(a.offset & b.offset);
	/* the mask clears low bits: tags come off a pointer that was aligned without them */
	bool aligns =
		b.offset < 0 && b.offset >= TAG_MASK_MIN && (b.offset & -b.offset) == -b.offset;

	if (aligns && (a.kind == VALUE_POINTER || a.kind == VALUE_UNKNOWN)) {
		if (!a.stride)
			a.offset &= b.offset;
		return a;
	}
	struct value masked = value_any_number();

	/* the lowest bit of the mask is the granularity of the result */
	if (b.offset)
		masked.stride = (uint32_t)((uint64_t)b.offset & -(uint64_t)b.offset & 0x7fffffff);
	if (!masked.stride)
		masked.stride = 1;
	return masked;
}

struct value value_or(struct value a, struct value b)
{
	if (a.kind == VALUE_BOTTOM || b.kind == VALUE_BOTTOM)
		return (struct value){ 0 };
	if (value_is_constant(&a) && value_is_constant(&b))
		return value_number(a.offset | b.offset);
	return value_any_number();
}

struct value value_truncate(struct value a, unsigned int size)
{
	if (size >= 8 || a.kind == VALUE_BOTTOM)
		return a;
	if (value_is_constant(&a))
		return value_number(size == 4   ? (int64_t)(uint32_t)a.offset
				    : size == 2 ? (int64_t)(uint16_t)a.offset
						: (int64_t)(uint8_t)a.offset);
	if (size < 4)
		return value_any_number();
	a = as_number(a);
	/* an index that is less by a number has wrapped around */
	if (a.offset > INT32_MAX && a.offset <= UINT32_MAX)
		a.offset = (int32_t)a.offset;
	return a;
}

/* True if the alternative type of `a` says that `a` is the same address as `b`, perhaps in a larger
 * object. */
static bool is_also(const struct value *a, const struct value *b)
{
	if (!a->alternative || a->stride || b->stride)
		return false;
	const int64_t within = wrap_add(a->offset, a->alternative_delta) - b->offset;

	return field_same_type(a->alternative, b->type)
		       ? !within
		       : field_contains(a->alternative, within, b->type);
}

/* Joins two pointers as `kept`: keeps what both paths agree on besides the type. */
static struct value join_as(const struct value *kept, const struct value *second)
{
	struct value joined = *kept;

	if (kept->alternative != second->alternative ||
	    kept->alternative_delta != second->alternative_delta) {
		joined.alternative = NULL;
		joined.alternative_delta = 0;
	}
	if (kept->origin != second->origin)
		joined.origin = 0;
	if (second->how > kept->how)
		joined.how = second->how;
	return joined;
}

/* Joins a pointer to a part with a pointer to it in a larger object, which ends a list or tree:
 * what lies beyond the part is that of the elements. */
static struct value join_as_part(const struct value *part, const struct value *whole)
{
	struct value joined = join_as(part, whole);

	joined.alternative = part->alternative;
	joined.alternative_delta = part->alternative_delta;
	return joined;
}

/* True if `whole` points into an array of scalars in a record, `part` points to such scalars, and
 * at least one of them moves over the elements. */
static bool value_moves_over(const struct value *whole, const struct value *part)
{
	uint64_t size = type_size_or(part->type, 0);

	return size && !type_is_record(type_strip(part->type)) && (whole->stride || part->stride) &&
	       whole->stride % size == 0 && part->stride % size == 0 &&
	       part->offset % (int64_t)size == 0 &&
	       field_contains(whole->type, whole->offset, part->type);
}

/* Joins a pointer into an array of a record with a pointer to such elements: a pointer to any
 * element. */
static struct value join_elements(const struct value *part, const struct value *whole)
{
	struct value joined = join_as(part, whole);

	joined.offset = 0;
	value_set_stride(&joined, (uint32_t)type_size_or(part->type, 0));
	joined.origin = 0;
	return joined;
}

/* The largest record in which both of two addresses are, at the same offset. */
struct common_part {
	const struct value *first, *second;
	bool one_whole;          /* both are in objects of one type */
	const struct type *type; /* NULL: there is none, or several of one size */
	uint64_t size;
	int64_t offset; /* in it */
};

/* True if the address is `within` bytes after the start of a `part`, whatever its index is. */
static bool is_in_part(const struct value *address, const struct type *part, int64_t within)
{
	int64_t size = (int64_t)field_size(part), whole = (int64_t)field_size(address->type);
	int64_t offset = address->offset;

	if (field_same_type(address->type, part))
		return size && (offset - within) % size == 0 && address->stride % size == 0;
	if (address->stride && whole && address->stride % whole == 0)
		offset = positive_remainder(offset, (uint64_t)whole);
	else if (address->stride && (!size || address->stride % size ||
				     (!field_is_element(address->type, offset - within, part) &&
				      !field_only_array(address->type, &offset, address->stride))))
		return false;
	return field_contains(address->type, offset - within, part);
}

static void choose_part(void *data, const struct type *record, int64_t within)
{
	struct common_part *common = data;
	uint64_t size = field_size(record);

	/* the elements of an array are at a stride in the whole */
	if (size < common->size || !is_in_part(common->first, record, within) ||
	    !is_in_part(common->second, record, within) ||
	    (common->one_whole &&
	     (field_same_type(common->first->type, record) ||
	      field_is_element(common->first->type, common->first->offset - within, record))))
		return;
	common->type = size > common->size ? record : NULL;
	common->size = size;
	common->offset = within;
}

/* Returns the address as one in the part. */
static struct value as_part(const struct value *address, const struct common_part *common)
{
	struct value part = *address;

	if (field_same_type(address->type, common->type))
		return part;
	part.type = common->type;
	part.offset = common->offset;
	part.alternative = NULL;
	part.alternative_delta = 0;
	part.origin = 0;
	value_set_stride(&part, 0);
	return part;
}

/* Joins pointers to two records that have a record in common, of which they surely are the address.
 * False if they have none. */
static bool join_parts(const struct value *a, const struct value *b, struct value *joined)
{
	struct common_part common = { .first = a,
				      .second = b,
				      .one_whole = field_same_type(a->type, b->type) };
	int64_t whole = (int64_t)field_size(a->type);
	int64_t offset = a->offset;

	if (a->stride && whole && a->stride % whole == 0)
		offset = positive_remainder(offset, (uint64_t)whole);
	field_each_record(a->type, offset, choose_part, &common);
	if (!common.type)
		return false;
	const struct value first = as_part(a, &common), second = as_part(b, &common);

	*joined = join_as(&first, &second);
	join_strides(joined, &first, &second, distance(first.offset, second.offset));
	return true;
}

/* True if `part` points to a member of a union that the object begins with to which `whole` points:
 * to a certain kind of these objects. */
static bool is_one_of(const struct value *whole, const struct value *part)
{
	return whole->offset == part->offset && field_tells_member(whole->type, part->type);
}

static struct value join_pointers(const struct value *a, const struct value *b, uint32_t phi)
{
	/* If a variable gives the address an alternative type on one path only, the join has the
	 * type that both paths have. */
	bool a_also = is_also(a, b), b_also = is_also(b, a);

	if (field_same_type(a->type, b->type)) {
		struct value joined;

		if (!a->stride && !b->stride && a->offset != b->offset &&
		    !field_are_elements(a->type, a->offset, b->offset) && join_parts(a, b, &joined))
			return joined;
		joined = join_as(a, b);

		join_strides(&joined, a, b, distance(a->offset, b->offset));
		return joined;
	}
	/* A struct on one path and a part of it on the other: both paths surely have the part,
	 * unless the object may have another member of a union in its place. */
	if (!a->stride && !b->stride) {
		if (field_contains(a->type, a->offset - b->offset, b->type))
			return is_one_of(a, b) ? join_as(a, b) : join_as_part(b, a);
		if (field_contains(b->type, b->offset - a->offset, a->type))
			return is_one_of(b, a) ? join_as(b, a) : join_as_part(a, b);
	}
	if (value_moves_over(a, b))
		return join_elements(b, a);
	if (value_moves_over(b, a))
		return join_elements(a, b);
	if (a_also || b_also) {
		struct value joined = a_also ? join_as(b, a) : join_as(a, b);

		joined.alternative = NULL;
		joined.alternative_delta = 0;
		return joined;
	}
	struct value joined;

	if (join_parts(a, b, &joined))
		return joined;
	struct value conflict = value_unknown(phi);

	conflict.conflict = true;
	return conflict;
}

bool value_join_moved(const struct value *a, const struct value *b, struct value *joined)
{
	if (a->kind != VALUE_POINTER || b->kind != VALUE_POINTER || a->stride || b->stride ||
	    a->offset == b->offset || !field_same_type(a->type, b->type))
		return false;
	*joined = join_as(a, b);
	join_strides(joined, a, b, distance(a->offset, b->offset));
	return true;
}

/* Joins two values of one kind and base. A number that differs becomes the join's own, so that
 * multiples of it keep their factor. */
static struct value join_linear(const struct value *a, const struct value *b, uint32_t phi)
{
	struct value joined = *a;

	join_strides(&joined, a, b, distance(a->offset, b->offset));
	/* counted from an integer: nothing is left of that but that it is a number */
	if (a->kind == VALUE_UNKNOWN && is_integer(a) && joined.stride == 1)
		return (struct value){ .kind = VALUE_NUMBER, .stride = 1, .origin = phi };
	/* of numbers, the one next to zero is the start of the others: -1 often says that there is
	 * none */
	if (a->kind == VALUE_NUMBER && joined.stride != a->stride &&
	    distance(b->offset, 0) < distance(a->offset, 0))
		joined.offset = b->offset;
	if (a->kind == VALUE_NUMBER)
		joined.origin =
			a->origin == b->origin && a->stride == b->stride && a->offset == b->offset
				? a->origin
				: phi;
	if (a->displaced != b->displaced)
		joined.displaced = 0;
	if (a->type != b->type)
		joined.type = NULL;
	return joined;
}

/* True for a value that is only known to come out of a union of pointers. NULL may, too. */
static bool is_of_union(const struct value *value)
{
	return value->kind == VALUE_UNKNOWN && value->type &&
	       type_strip(value->type)->kind == TYPE_UNION;
}

struct value value_join(const struct value *a, const struct value *b, uint32_t phi)
{
	if (a->kind == VALUE_BOTTOM)
		return *b;
	if (b->kind == VALUE_BOTTOM || value_equal(a, b))
		return *a;
	if (a->kind == VALUE_POINTER && b->kind == VALUE_POINTER)
		return join_pointers(a, b, phi);
	if (a->kind == b->kind) {
		bool same_base = a->kind == VALUE_NUMBER || a->kind == VALUE_ADDRESS ||
				 (a->kind == VALUE_FRAME && a->frame == b->frame) ||
				 (a->kind == VALUE_UNKNOWN && a->origin && a->origin == b->origin);

		if (same_base) {
			struct value joined = join_linear(a, b, phi);

			joined.conflict = a->conflict || b->conflict;
			return joined;
		}
	}
	/* NULL goes with any pointer */
	if (value_is_null(b) &&
	    (a->kind == VALUE_POINTER || a->kind == VALUE_ADDRESS || a->kind == VALUE_FRAME))
		return *a;
	if (value_is_null(a) &&
	    (b->kind == VALUE_POINTER || b->kind == VALUE_ADDRESS || b->kind == VALUE_FRAME))
		return *b;
	struct value unknown = value_unknown(phi);

	unknown.conflict = (a->kind != VALUE_UNKNOWN && b->kind != VALUE_UNKNOWN) || a->conflict ||
			   b->conflict;
	if (a->kind == VALUE_UNKNOWN && b->kind == VALUE_UNKNOWN && a->type == b->type)
		unknown.type = a->type;
	else if (value_is_null(b) && is_of_union(a))
		unknown.type = a->type;
	else if (value_is_null(a) && is_of_union(b))
		unknown.type = b->type;
	return unknown;
}

struct value value_of_type(const struct type *type, uint8_t how, uint32_t origin)
{
	const struct type *object = field_pointee(type);
	struct value value = value_unknown(origin);

	if (object) {
		value = value_pointer(object, 0, how);
		value.origin = origin;
		return value;
	}
	const struct type *bare = type_strip(type);

	/* an integer narrower than a pointer can only count */
	if ((bare->kind == TYPE_INTEGER || bare->kind == TYPE_ENUM) && type_size_or(bare, 0) < 8)
		value = (struct value){ .kind = VALUE_NUMBER, .stride = 1, .origin = origin };
	value.type = type;
	return value;
}

/* ---- states */

/* A function with more live spills than this forgets the rest, which bounds the work of each join.
 */
#define SLOT_MAX 1024

#define LANES (STATE_VALUES - REG_VECTOR)

static void need_lanes(struct state *state)
{
	if (!state->lanes)
		state->lanes = xcalloc(LANES, sizeof(*state->lanes));
}

void state_set_vector(struct state *state, uint8_t reg, const struct value *low,
		      const struct value *high)
{
	uint32_t bit = UINT32_C(1) << (reg - REG_VECTOR);
	bool known = low->kind != VALUE_UNKNOWN || low->origin || high->kind != VALUE_UNKNOWN ||
		     high->origin;

	if (!known) {
		state->vectors &= ~bit;
		return;
	}
	need_lanes(state);
	state->vectors |= bit;
	*state_cell(state, reg) = *low;
	*state_cell(state, STATE_HIGH(reg)) = *high;
}

void state_copy(struct state *to, const struct state *from)
{
	struct slot *slots = to->slots;
	uint32_t capacity = to->slot_capacity;

	if (from->slot_count > capacity) {
		slots = xrealloc_array(slots, from->slot_count, sizeof(*slots));
		capacity = from->slot_count;
	}
	memcpy(to->values, from->values, from->general_count * sizeof(*to->values));
	to->general_count = from->general_count;
	if (from->vectors) {
		need_lanes(to);
		memcpy(to->lanes, from->lanes, LANES * sizeof(*to->lanes));
	}
	to->reached = from->reached;
	to->vectors = from->vectors;
	to->slot_count = from->slot_count;
	to->slots = slots;
	to->slot_capacity = capacity;
	if (from->slot_count)
		memcpy(slots, from->slots, from->slot_count * sizeof(*slots));
}

void state_deinit(struct state *state)
{
	free_all(state->slots, state->lanes);
	state->lanes = NULL;
	state->vectors = 0;
	state->slots = NULL;
	state->slot_count = state->slot_capacity = 0;
}

static bool ends_before(const struct slot *slot, uint8_t frame, int64_t offset)
{
	return slot->frame < frame ||
	       (slot->frame == frame && slot->offset + (int64_t)slot->size <= offset);
}

/* Returns the index of the first slot that ends after (frame, offset). Most questions are below or
 * above all slots, so these two cases come first. */
static uint32_t first_after(const struct state *state, uint8_t frame, int64_t offset)
{
	if (!state->slot_count || !ends_before(&state->slots[0], frame, offset))
		return 0;
	if (ends_before(&state->slots[state->slot_count - 1], frame, offset))
		return state->slot_count;
	return (uint32_t)partition_point(0, state->slot_count, i,
					 ends_before(&state->slots[i], frame, offset));
}

const struct slot *state_slot(const struct state *state, uint8_t frame, int64_t offset,
			      uint32_t size)
{
	uint32_t i = first_after(state, frame, offset);

	if (i == state->slot_count)
		return NULL;
	const struct slot *slot = &state->slots[i];

	return slot->frame == frame && slot->offset == offset && slot->size == size ? slot : NULL;
}

/* state_kill(), from the first slot that ends after the start of the range. */
static void kill_from(struct state *state, uint32_t first, uint8_t frame, int64_t offset,
		      uint64_t size)
{
	int64_t end = size > INT64_MAX / 2 ? INT64_MAX : offset + (int64_t)size;
	uint32_t last = first;

	while (last < state->slot_count && state->slots[last].frame == frame &&
	       state->slots[last].offset < end)
		last++;
	if (last == first)
		return;
	memmove(&state->slots[first], &state->slots[last],
		(state->slot_count - last) * sizeof(*state->slots));
	state->slot_count -= last - first;
}

void state_kill(struct state *state, uint8_t frame, int64_t offset, uint64_t size)
{
	kill_from(state, first_after(state, frame, offset), frame, offset, size);
}

void state_kill_scalars(struct state *state, uint8_t frame, int64_t offset, uint64_t size)
{
	int64_t end = size > INT64_MAX / 2 ? INT64_MAX : offset + (int64_t)size;
	uint32_t kept = first_after(state, frame, offset);

	for (uint32_t i = kept; i < state->slot_count; i++) {
		const struct slot *slot = &state->slots[i];

		if (slot->frame != frame || slot->offset >= end ||
		    slot->value.kind == VALUE_POINTER)
			state->slots[kept++] = *slot;
	}
	state->slot_count = kept;
}

void state_store(struct state *state, uint8_t frame, int64_t offset, uint32_t size,
		 struct value value)
{
	uint32_t i = first_after(state, frame, offset);

	if (i < state->slot_count && state->slots[i].frame == frame &&
	    state->slots[i].offset == offset && state->slots[i].size == size) {
		state->slots[i].value = value;
		return;
	}
	kill_from(state, i, frame, offset, size);
	if (state->slot_count >= SLOT_MAX)
		return;
	array_reserve(state->slots, state->slot_count, state->slot_capacity);
	memmove(&state->slots[i + 1], &state->slots[i],
		(state->slot_count - i) * sizeof(*state->slots));
	state->slots[i] =
		(struct slot){ .offset = offset, .size = size, .frame = frame, .value = value };
	state->slot_count++;
}

bool state_is_sound(const struct state *state)
{
	for (unsigned int i = 0; i < state->general_count; i++)
		if (!value_is_sound(&state->values[i]))
			return false;
	bits_each (lane, state->vectors) {
		if (!value_is_sound(&state->lanes[lane]) ||
		    !value_is_sound(&state->lanes[REG_COUNT - REG_VECTOR + lane]))
			return false;
	}
	for (uint32_t i = 0; i < state->slot_count; i++) {
		const struct slot *slot = &state->slots[i], *before = i ? slot - 1 : NULL;

		if (!slot->size || !value_is_sound(&slot->value) ||
		    (before && before->frame == slot->frame &&
		     slot->offset - before->offset < (int64_t)before->size) ||
		    (before && before->frame > slot->frame))
			return false;
	}
	return true;
}
