// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Types of arrays. DWARF describes three kinds of memory as an array (DWARF 5, sections 5.5, 5.18):
 *
 * - elements side by side, DW_AT_byte_stride or the element's size apart;
 * - packed elements, DW_AT_bit_stride apart, which share bytes;
 * - a descriptor, which has the address and the bounds of elements that are elsewhere
 *   (DW_AT_data_location). A variable of such a type has the descriptor's bytes, so its type here
 *   is a record of the words that the expressions of the attributes read.
 */
#include <dwarf.h>

#include "dwarf/dwarf/expression.h"
#include "dwarf/dwarf/type.h"
#include "dwarf/types/language.h"

/* The subranges of an array. */
struct array_shape {
	uint64_t dimensions[TYPE_DIMENSIONS_MAX]; /* elements of each, the outermost first */
	uint32_t count;                           /* of dimensions, also beyond that limit */
	uint64_t elements;                        /* over all; 0: not known, or none */
	uint64_t stride;                          /* bits from element to element; 0: not given */
	bool dynamic;                             /* a bound is given, but is not a constant */
};

/* Finds the elements of one dimension; 0: none, or not known. False: that depends on the object. */
static bool dimension(const struct die *die, uint64_t *count)
{
	bool counted = die_has(die, SLOT_COUNT_ATTRIBUTE);
	int64_t lower = die->unit->lower_bound;
	uint64_t upper;

	*count = 0;
	if (die->tag != DW_TAG_subrange_type || counted || !die_has(die, SLOT_UPPER_BOUND))
		return die->tag == DW_TAG_subrange_type &&
		       (!counted || die_unsigned(die, SLOT_COUNT_ATTRIBUTE, count));
	if (!die_unsigned(die, SLOT_UPPER_BOUND, &upper))
		return false;
	if (die_has(die, SLOT_LOWER_BOUND) ? !die_signed(die, SLOT_LOWER_BOUND, &lower)
					   : lower == LOWER_BOUND_UNKNOWN)
		return false;
	*count = upper - (uint64_t)lower + 1; /* an upper bound of -1 gives 0 */
	if (*count > INT64_MAX)
		*count = 0;
	return true;
}

/* Returns the distance of elements that a DIE gives, in bits, or 0. */
static uint64_t stride_of(const struct die *die)
{
	uint64_t stride = 0;

	if (die_unsigned(die, SLOT_BYTE_STRIDE, &stride))
		return stride <= UINT32_MAX ? 8 * stride : 0;
	die_unsigned(die, SLOT_BIT_STRIDE, &stride);
	return stride;
}

static bool is_dimension(const struct die *die)
{
	return die->tag == DW_TAG_subrange_type || die->tag == DW_TAG_generic_subrange;
}

static void read_shape(const struct die *array, struct array_shape *shape)
{
	uint64_t inner = 0;

	*shape = (struct array_shape){ .elements = 1, .stride = stride_of(array) };
	children_each (die, array) {
		uint64_t elements;

		if (!is_dimension(&die))
			continue;
		shape->dynamic |= !dimension(&die, &elements);
		if (shape->count < TYPE_DIMENSIONS_MAX)
			shape->dimensions[shape->count] = elements;
		shape->count++;
		if (__builtin_mul_overflow(shape->elements, elements, &shape->elements))
			shape->elements = 0;
		inner = stride_of(&die);
	}
	if (!shape->count)
		shape->elements = 0;
	/* of several dimensions, each has the distance of its own parts */
	if (!shape->stride && shape->count == 1)
		shape->stride = inner;
}

/* ---- descriptors ---- */

/* Descriptors are small: gfortran's has 64 bytes for one dimension, 24 for each further one. */
#define DESCRIPTOR_MAX 1024
#define WORD           8

struct descriptor {
	const char *names[DESCRIPTOR_MAX / WORD];
	uint64_t size, data;
};

/* The words of gfortran's descriptors that debug information omits (libgfortran.h, GCC 9 on). */
static const char *const gfortran_words[] = { NULL, "offset", "elem_len", "dtype", "span" };

static void add_words(struct descriptor *descriptor, const struct die *die,
		      enum attribute_slot slot, const char *name)
{
	struct object_word words[4];
	const uint8_t *expression;
	size_t size, count;

	if (!die_block(die, slot, &expression, &size))
		return;
	count = expression_object_words(expression, size, words, COUNT_OF(words));
	for (size_t i = 0; i < count && i < COUNT_OF(words); i++) {
		uint64_t offset = words[i].offset / WORD * WORD;

		if (offset >= DESCRIPTOR_MAX)
			continue;
		raise_to(descriptor->size, offset + WORD);
		if (!descriptor->names[offset / WORD])
			descriptor->names[offset / WORD] = name;
	}
}

/* Reads the words of a descriptor. False: the array has none that can be read. */
static bool read_descriptor(const struct die *array, struct descriptor *descriptor)
{
	const uint8_t *expression;
	struct object_word word;
	size_t size;

	*descriptor = (struct descriptor){ .size = 0 };
	if (array->unit->address_size != WORD ||
	    !die_block(array, SLOT_DATA_LOCATION, &expression, &size) ||
	    expression_object_words(expression, size, &word, 1) != 1 || word.offset % WORD ||
	    word.offset >= DESCRIPTOR_MAX)
		return false;
	descriptor->data = word.offset;
	add_words(descriptor, array, SLOT_DATA_LOCATION, "data");
	children_each (die, array) {
		if (!is_dimension(&die))
			continue;
		add_words(descriptor, &die, SLOT_LOWER_BOUND, "lower_bound");
		/* may be computed from the lower bound */
		add_words(descriptor, &die, SLOT_UPPER_BOUND,
			  die_has(&die, SLOT_LOWER_BOUND) ? "upper_bound" : "bound");
		add_words(descriptor, &die, SLOT_COUNT_ATTRIBUTE, "count");
		add_words(descriptor, &die, SLOT_BYTE_STRIDE, "stride");
	}
	for (size_t i = 0; array->unit->language == LANGUAGE_FORTRAN &&
			   i < COUNT_OF(gfortran_words) && i * WORD < descriptor->size;
	     i++)
		if (gfortran_words[i])
			descriptor->names[i] = gfortran_words[i];
	return true;
}

/* Returns the type of a descriptor: a record that is called as Fortran writes the array, "real(8)
 * (:,:)"; a pointer to the elements if it has nothing but their address. */
static const struct type *descriptor_type(struct dwarf_types *types, const struct die *array,
					  const struct type *element,
					  const struct array_shape *shape,
					  const struct descriptor *descriptor)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct member members[DESCRIPTOR_MAX / WORD];
	struct type_key word = {
		.kind = TYPE_INTEGER, .flags = TYPE_SIGNED, .size = WORD, .name = "long"
	};
	struct type_key pointer = { .kind = TYPE_POINTER,
				    .size = WORD,
				    .target = element,
				    .source = die_reference(array) };
	const struct type *data = type_table_intern(types->table, &pointer);

	if (descriptor->size == WORD)
		return data;
	for (size_t i = 0; i < descriptor->size / WORD; i++)
		members[i] = (struct member){
			.name = descriptor->names[i] ?: "word",
			.type = i == descriptor->data / WORD
					? data
					: type_table_intern(types->table, &word),
			.offset = (int64_t)(i * WORD),
		};
	type_name(element, &name);
	for (uint32_t i = 0; i < shape->count && i < TYPE_DIMENSIONS_MAX; i++)
		strbuf_add_string(&name, i ? ",:" : "(:");
	strbuf_add_string(&name, shape->count ? ")" : "(..)");

	struct type_key key = { .kind = TYPE_STRUCT,
				.flags = TYPE_SCOPED | TYPE_DESCRIPTOR,
				.size = descriptor->size,
				.name = name.data,
				.source = die_reference(array) };

	return type_table_make_record(types->table, &key, members, descriptor->size / WORD);
}

/* ---- arrays ---- */

/* Gives the elements of an array the distance that its DIE says: records of no constant size become
 * as large as their distance, and other elements that do not fill it, or share bytes, become packed
 * bytes. */
static void apply_stride(struct dwarf_types *types, struct type_key *key, struct array_shape *shape)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	const struct type *bare = type_strip(key->target);
	uint64_t size = type_size_or(key->target, 0), bits;

	if (!shape->stride || shape->stride == 8 * size)
		return;
	if (shape->stride % 8 == 0 && shape->stride / 8 >= size && type_is_record(bare)) {
		key->target = type_table_resize(types->table, bare, shape->stride / 8);
		return;
	}
	strbuf_add_string(&name, "packed ");
	type_name(key->target, &name);

	struct type_key byte = { .kind = TYPE_INTEGER, .size = 1, .name = name.data };

	key->target = type_table_intern(types->table, &byte);
	if (__builtin_mul_overflow(shape->elements, shape->stride, &bits))
		bits = 0;
	shape->elements = shape->dimensions[0] = bits / 8 + (bits % 8 != 0);
	shape->count = 1;
}

const struct type *dwarf_array_type(struct dwarf_types *types, const struct die *array,
				    const struct type *element)
{
	struct descriptor descriptor;
	struct array_shape shape;
	uint64_t size;

	read_shape(array, &shape);
	if (read_descriptor(array, &descriptor))
		return descriptor_type(types, array, element, &shape, &descriptor);

	struct type_key key = { .kind = TYPE_ARRAY,
				.flags = die_flag(array, SLOT_VECTOR) ? TYPE_VECTOR : 0,
				.target = element,
				.source = die_reference(array) };

	apply_stride(types, &key, &shape);
	key.array_count = shape.elements;
	key.dimensions = shape.dimensions;
	key.dimension_count = shape.count <= TYPE_DIMENSIONS_MAX ? shape.count : 0;
	if (__builtin_mul_overflow(key.array_count, type_size_or(key.target, 0), &size))
		size = key.array_count = 0;
	key.size = die_byte_size(array, size);
	if (!key.size && (shape.dynamic || type_strip(key.target)->flags & TYPE_DYNAMIC ||
			  die_has(array, SLOT_DATA_LOCATION)))
		key.flags |= TYPE_DYNAMIC;
	return type_table_intern(types->table, &key);
}
