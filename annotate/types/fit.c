// SPDX-License-Identifier: GPL-2.0-or-later
/* How an access fits a type: see fit.h. */
#include "annotate/types/fit.h"

#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"
#include "annotate/types/word.h"

/* The way from the type down to a part of it that has the byte. */
enum fit_way {
	WAY_BETWEEN = 1 << 0,  /* the part has members of its record before and after it */
	WAY_INSIDE = 1 << 1,   /* all arrays on the way have room for the access */
	WAY_IN_ARRAY = 1 << 2, /* there is an array */
	WAY_JUDGED = 1 << 3,   /* an array of scalars has said whether it holds the access */
	WAY_DEPTH = 1 << 4,    /* the steps, times this */
};

struct fit_walk {
	struct fit *fit;
	int64_t offset; /* of the byte in the type */
	uint64_t size;
	int64_t record_end; /* of the smallest record on the way that begins where the type does */
	bool pointer;       /* a pointer has the byte, and more bytes than the access */
	bool begins;        /* a scalar begins there that is smaller than the access */
	bool in_array;      /* each whole scalar is in an array */
	bool disagree;      /* pointers to different types begin there */
};

/* Chooses between two scalars of one place: a pointer is preferred to a number, and of two
 * different pointers neither is chosen. */
static void add_whole(struct fit_walk *walk, const struct type *type, const struct type *bare,
		      unsigned int way)
{
	struct fit *fit = walk->fit;

	walk->in_array = (way & WAY_IN_ARRAY) && (!fit->whole || walk->in_array);
	fit->whole = true;
	fit->number |= bare->kind == TYPE_INTEGER;
	if (!fit->scalar) {
		fit->scalar = type;
	} else if (type_is_pointer(bare) && !field_same_type(fit->scalar, type) &&
		   field_pointee(type)) {
		walk->disagree |= field_pointee(fit->scalar) != NULL;
		fit->scalar = type;
	}
}

/* Takes a scalar that begins `within` bytes before the byte. */
static void visit_scalar(struct fit_walk *walk, const struct type *type, const struct type *bare,
			 int64_t within, unsigned int way)
{
	uint64_t size = type_size_or(bare, 0);
	struct fit *fit = walk->fit;

	fit->covered |= !size || (uint64_t)within < size;
	if (!within && size == walk->size)
		add_whole(walk, type, bare, way);
	walk->begins |= !within && size < walk->size;
	if (!(way & WAY_JUDGED))
		fit->holds |= within + (int64_t)walk->size <= (int64_t)size;
	if ((uint64_t)within >= size)
		return;
	fit->wide |= size == 2 || size == 4 || size == 8;
	walk->pointer |= bare->kind == TYPE_POINTER && walk->size < size;
}

/* Notes the array as the one in which the access stays, unless one was found before. */
static void add_array(struct fit_walk *walk, const struct type *array, int64_t within,
		      uint64_t step)
{
	const struct fit_array here = { within, type_size_or(array, 0) };
	int64_t start = walk->offset - within;
	struct fit *fit = walk->fit;

	if (!fit->integers.room && step <= WORD)
		fit->integers = here;
	if (fit->bytes.room || step != 1)
		return;
	fit->bytes = here;
	fit->open = !start || start + (int64_t)here.room >= walk->record_end;
}

/*
 * Judges an access to an array of scalars. Several elements are copied together; but bytes that are
 * read in words are a record that was laid out in them, unless other members surround them
 * (skb->cb). Compilers access parts of an integer if a program shifts and masks it.
 */
static unsigned int visit_elements(struct fit_walk *walk, const struct type *array,
				   const struct type *element, int64_t offset, unsigned int way)
{
	/* the caller has asked whether elements have a size */
	uint64_t size = type_size_or(array, 0), step = type_size_or(element, 1);
	int64_t within = offset % (int64_t)step;
	struct fit *fit = walk->fit;

	if (element->kind == TYPE_INTEGER && (way & WAY_INSIDE))
		add_array(walk, array, offset, step);
	if (step == 2 && walk->size == 1 && element->kind == TYPE_INTEGER)
		*(within ? &fit->high_byte : &fit->low_byte) = true;
	if (within && !fit->in_union) {
		fit->part_of_element = true;
		fit->cut_element |= element->kind != TYPE_INTEGER || within + walk->size > step;
	}
	if (within)
		return way;
	fit->holds |= (step > 1 || walk->size == 1 || way & WAY_BETWEEN || way / WAY_DEPTH > 1) &&
		      (!size || offset + walk->size <= size);
	return way | WAY_JUDGED;
}

static void visit(struct fit_walk *walk, const struct type *type, int64_t offset, unsigned int way);

static void visit_array(struct fit_walk *walk, const struct type *bare, int64_t offset,
			unsigned int way)
{
	const struct type *element = type_target(bare);
	uint64_t step = field_size(element);

	if (!step) {
		walk->fit->covered = true;
		return;
	}
	way |= WAY_IN_ARRAY;
	if (offset + walk->size > type_size_or(bare, 0))
		way &= ~(unsigned int)WAY_INSIDE;
	if (field_is_scalar(type_strip(element)))
		way = visit_elements(walk, bare, type_strip(element), offset, way);
	visit(walk, element, offset % (int64_t)step, way + WAY_DEPTH);
}

static void visit_bits(struct fit_walk *walk, const struct member *member, int64_t within)
{
	int64_t bit = 8 * within - (int64_t)member->bit_offset;

	if (within < 0)
		return;
	walk->fit->covered |= (uint64_t)within < member->size;
	/* compilers access the bytes of a bitfield in any width */
	walk->fit->holds |= within < (member->bit_offset + member->bit_size + 7) / 8;
	if (bit >= 0 && bit < member->bit_size && !walk->fit->bits)
		walk->fit->bits = member->type;
}

static void visit_record(struct fit_walk *walk, const struct type *bare, int64_t offset,
			 unsigned int way)
{
	int64_t size = (int64_t)type_size_or(bare, 0), end = walk->record_end;
	size_t count;
	const struct member *members = type_members_near(bare, offset, &count);

	if (offset == walk->offset)
		walk->record_end = size;
	walk->fit->in_union |= bare->kind == TYPE_UNION;
	way = (way & ~(unsigned int)(WAY_BETWEEN | WAY_JUDGED)) + WAY_DEPTH;
	for (size_t i = 0; i < count; i++) {
		int64_t start = members[i].offset;
		bool between = start && start + (int64_t)members[i].size < size;

		if (members[i].bit_size)
			visit_bits(walk, &members[i], offset - start);
		else if (field_member_has(bare, &members[i], offset))
			visit(walk, members[i].type, offset - start, way | between);
	}
	walk->record_end = end;
	if (!count) {
		type_members(bare, &count);
		walk->fit->covered |= !count;
	}
}

static void visit(struct fit_walk *walk, const struct type *type, int64_t offset, unsigned int way)
{
	const struct type *bare = type_strip(type);

	if (way / WAY_DEPTH > TYPE_DEPTH_MAX)
		walk->fit->covered = true;
	else if (bare->kind == TYPE_ARRAY)
		visit_array(walk, bare, offset, way);
	else if (type_is_record(bare))
		visit_record(walk, bare, offset, way);
	else
		visit_scalar(walk, type, bare, offset, way);
}

static enum fit_kind fit_kind_of(const struct fit_walk *walk)
{
	const struct fit *fit = walk->fit;

	if (fit->whole)
		return walk->in_array ? FIT_ELEMENT : FIT_MEMBER;
	if (fit->bits)
		return FIT_BITS;
	if (walk->pointer)
		return FIT_PART_OF_POINTER;
	if (fit->buffer)
		return FIT_BYTES;
	if (!fit->covered)
		return FIT_PADDING;
	return fit->holds ? FIT_PART : walk->begins ? FIT_SEVERAL : FIT_CUT;
}

struct fit fit_at(const struct type *type, int64_t offset, uint64_t size)
{
	struct fit fit = { .kind = FIT_OUTSIDE };
	struct fit_walk walk = { .fit = &fit, .offset = offset, .size = size };

	if (offset < 0)
		return fit;
	visit(&walk, type, offset, WAY_INSIDE);
	fit.buffer = fit.bytes.room && !fit.wide;
	fit.kind = (uint8_t)fit_kind_of(&walk);
	if (fit.kind == FIT_PADDING && (uint64_t)offset >= field_size(type))
		fit.kind = FIT_OUTSIDE;
	if (walk.disagree)
		fit.scalar = NULL;
	return fit;
}

const char *fit_name(uint8_t kind)
{
	static const char *const names[FIT_KINDS] = {
		[FIT_MEMBER] = "member",
		[FIT_ELEMENT] = "element",
		[FIT_BITS] = "bits",
		[FIT_BYTES] = "bytes",
		[FIT_PART] = "part",
		[FIT_SEVERAL] = "several members",
		[FIT_PART_OF_POINTER] = "part of a pointer",
		[FIT_CUT] = "cut",
		[FIT_PADDING] = "padding",
		[FIT_OUTSIDE] = "outside",
	};

	return kind < FIT_KINDS ? names[kind] : "";
}
