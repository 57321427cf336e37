// SPDX-License-Identifier: GPL-2.0-or-later
/* The lattice: see value.h. */
#include "annotate/value.h"

#include "annotate/place.h"

static uint32_t gcd(uint64_t a, uint64_t b)
{
	if (a == 1 || b == 1)
		return 1;
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	/* a stride that does not fit says nothing that its low power of two does not */
	return a > UINT32_MAX ? (uint32_t)(a & -a) : (uint32_t)a;
}

static uint64_t distance(int64_t a, int64_t b)
{
	return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static int64_t wrap_add(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t negate(int64_t a)
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

/* An unknown value used as an index: a number that keeps its origin. */
static struct value as_number(struct value value)
{
	if (value.kind == VALUE_NUMBER)
		return value;
	if (value.kind != VALUE_UNKNOWN || value.stride || !value.origin)
		return value_any_number();
	return (struct value){
		.kind = VALUE_NUMBER, .offset = value.offset, .stride = 1, .origin = value.origin
	};
}

static struct value add_numbers(struct value a, struct value b, int sign)
{
	struct value sum = { .kind = VALUE_NUMBER };

	sum.offset = wrap_add(a.offset, sign > 0 ? b.offset : negate(b.offset));
	if (!a.stride || !b.stride) {
		sum.stride = a.stride + b.stride;
		sum.origin = a.stride ? a.origin : sign > 0 ? b.origin : 0;
	} else if (a.origin && a.origin == b.origin) {
		int64_t factor = (int64_t)a.stride + sign * (int64_t)b.stride;

		sum.stride = (uint32_t)(factor < 0 ? -factor : factor);
		sum.origin = factor > 0 ? a.origin : 0;
	} else {
		sum.stride = gcd(a.stride, b.stride);
	}
	return sum;
}

/* address-like + number */
static struct value displace(struct value base, struct value number, int sign)
{
	base.offset = wrap_add(base.offset, sign > 0 ? number.offset : negate(number.offset));
	base.stride = number.stride ? gcd(base.stride, number.stride) : base.stride;
	if (base.kind == VALUE_ADDRESS) {
		int64_t moved = base.moved + (sign > 0 ? number.offset : negate(number.offset));

		base.moved = moved >= INT32_MIN && moved <= INT32_MAX ? (int32_t)moved : 0;
	}
	return base;
}

static bool is_per_cpu_offset(const struct value *value)
{
	return value->kind == VALUE_FRAME && value->frame == FRAME_PER_CPU && !value->stride;
}

/* One processor's copy of what `a` is the address of has the same type. It is an address even if it was made
 * an integer for that (the kernel's RELOC_HIDE), for nothing else is added to the distance. */
static bool add_per_cpu_offset(struct value a, struct value offset, struct value *sum)
{
	bool address = a.kind == VALUE_ADDRESS || a.kind == VALUE_POINTER || a.kind == VALUE_UNKNOWN;

	if (!address || !is_per_cpu_offset(&offset))
		return false;
	*sum = displace(a, value_number(offset.offset), 1);
	if (is_integer(sum))
		sum->type = NULL;
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
	if (a.kind == VALUE_NUMBER && b.kind == VALUE_NUMBER)
		return add_numbers(a, b, 1);
	if (b.kind != VALUE_NUMBER && (a.kind == VALUE_NUMBER || (is_integer(&a) && !is_integer(&b)))) {
		struct value swap = a;

		a = b;
		b = swap;
	}
	if (b.kind == VALUE_NUMBER || is_integer(&b)) {
		bool multiple = b.kind == VALUE_NUMBER && b.stride;
		bool same = a.kind == VALUE_UNKNOWN && a.origin && a.origin == b.origin;

		/* i + 2 * i: an index, whatever i was declared */
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
	/* two addresses have no meaningful sum; but that of an object here is sure, and what a variable is
	 * said to have left in the other register is not */
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
	if (a.kind == VALUE_FRAME && b.kind == VALUE_FRAME && a.frame == b.frame && !a.stride && !b.stride)
		return value_number(wrap_add(a.offset, negate(b.offset)));
	if (b.kind == VALUE_NUMBER || is_integer(&b)) {
		bool multiple = a.kind == VALUE_NUMBER || b.kind != VALUE_NUMBER || b.stride;

		if (multiple &&
		    (is_integer(&a) || (a.kind == VALUE_UNKNOWN && a.origin && a.origin == b.origin)))
			return add_numbers(as_number(a), as_number(b), -1);
		return displace(a, as_number(b), -1);
	}
	if (b.kind == VALUE_UNKNOWN && a.kind == VALUE_NUMBER)
		return add_numbers(a, as_number(b), -1);
	if (b.kind == VALUE_UNKNOWN && a.kind != VALUE_UNKNOWN)
		return displace(a, as_number(b), -1);
	/* C 6.5.6: both point into one array, so whole elements lie between like places of them */
	if (a.kind == VALUE_POINTER && b.kind == VALUE_POINTER && a.type == b.type) {
		uint64_t size = type_strip(a.type)->size;
		struct value difference = value_number(wrap_add(a.offset, negate(b.offset)));

		difference.stride =
			size && size <= UINT32_MAX ? gcd((uint32_t)size, gcd(a.stride, b.stride)) : 1;
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
	number.stride = stride > UINT32_MAX ? 1U << 31 : (uint32_t)stride;
	return number;
}

struct value value_multiply(struct value a, struct value b)
{
	if (a.kind == VALUE_BOTTOM || b.kind == VALUE_BOTTOM)
		return (struct value){ 0 };
	if (value_is_constant(&a)) {
		struct value swap = a;

		a = b;
		b = swap;
	}
	if (value_is_constant(&b) && b.offset > 0 && b.offset <= INT32_MAX)
		return value_scale(a, (uint32_t)b.offset);
	return value_any_number();
}

struct value value_and(struct value a, struct value b)
{
	if (a.kind == VALUE_BOTTOM || b.kind == VALUE_BOTTOM)
		return (struct value){ 0 };
	if (value_is_constant(&a)) {
		struct value swap = a;

		a = b;
		b = swap;
	}
	if (!value_is_constant(&b))
		return value_any_number();
	if (value_is_constant(&a))
		return value_number(a.offset & b.offset);
	/* -2 .. -256: the low bits are cleared: tags come off a pointer, which was aligned without them */
	bool aligns = b.offset < 0 && b.offset >= -256 && (b.offset & -b.offset) == -b.offset;

	if (aligns && (a.kind == VALUE_POINTER || a.kind == VALUE_UNKNOWN)) {
		if (!a.stride)
			a.offset &= b.offset;
		return a;
	}
	struct value masked = value_any_number();

	/* the lowest bit of the mask is the granularity of what is left */
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
	return as_number(a);
}

/* Is `a`, whatever else, the address that `b` is? */
static bool is_also(const struct value *a, const struct value *b)
{
	return a->other && !a->stride && !b->stride && place_same_type(a->other, b->type) &&
	       wrap_add(a->offset, a->moved) == b->offset;
}

/* `kept`, of two pointers; what else was said of the address is said on both paths. */
static struct value join_as(const struct value *kept, const struct value *second)
{
	struct value joined = *kept;

	if (kept->other != second->other || kept->moved != second->moved) {
		joined.other = NULL;
		joined.moved = 0;
	}
	if (kept->origin != second->origin)
		joined.origin = 0;
	if (second->how > kept->how)
		joined.how = second->how;
	return joined;
}

static struct value join_pointers(const struct value *a, const struct value *b, uint32_t phi)
{
	/* what a variable calls by another name on one path only: by that of both */
	bool a_also = is_also(a, b), b_also = is_also(b, a);

	if (place_same_type(a->type, b->type)) {
		struct value joined = join_as(a, b);

		joined.stride = gcd(gcd(a->stride, b->stride), distance(a->offset, b->offset));
		return joined;
	}
	/* a struct on one path, a part of it on the other: what both surely have is the part */
	if (!a->stride && !b->stride) {
		if (place_contains(a->type, a->offset - b->offset, b->type))
			return join_as(b, a);
		if (place_contains(b->type, b->offset - a->offset, a->type))
			return join_as(a, b);
	}
	if (a_also || b_also) {
		struct value joined = a_also ? join_as(b, a) : join_as(a, b);

		joined.other = NULL;
		joined.moved = 0;
		return joined;
	}
	struct value conflict = value_unknown(phi);

	conflict.conflict = true;
	return conflict;
}

/* What is left unknown of a number is the join's: a multiple of it further on has its factor. */
static struct value join_linear(const struct value *a, const struct value *b, uint32_t phi)
{
	struct value joined = *a;

	joined.stride = gcd(gcd(a->stride, b->stride), distance(a->offset, b->offset));
	if (a->kind == VALUE_NUMBER)
		joined.origin = a->origin == b->origin && a->stride == b->stride && a->offset == b->offset
					? a->origin
					: phi;
	if (a->moved != b->moved)
		joined.moved = 0;
	if (a->type != b->type)
		joined.type = NULL;
	return joined;
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

	unknown.conflict =
		(a->kind != VALUE_UNKNOWN && b->kind != VALUE_UNKNOWN) || a->conflict || b->conflict;
	if (a->kind == VALUE_UNKNOWN && b->kind == VALUE_UNKNOWN && a->type == b->type)
		unknown.type = a->type;
	return unknown;
}

struct value value_of_type(const struct type *type, uint8_t how, uint32_t origin)
{
	const struct type *object = place_pointee(type);
	struct value value = value_unknown(origin);

	if (object) {
		value = value_pointer(object, 0, how);
		value.origin = origin;
		return value;
	}
	const struct type *bare = type_strip(type);

	/* what is narrower than a pointer can only count */
	if ((bare->kind == TYPE_INTEGER || bare->kind == TYPE_ENUM) && bare->size < 8)
		value = (struct value){ .kind = VALUE_NUMBER, .stride = 1, .origin = origin };
	value.type = type;
	return value;
}
