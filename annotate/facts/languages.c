// SPDX-License-Identifier: GPL-2.0-or-later
/* The facts of Go's and Rust's ABIs that are the same on all architectures: see abi.h. */

#include "annotate/facts/abi.h"
#include "annotate/types/field.h"
#include "base/text.h"

/* ---- Rust */

/* The scalars that a value consists of. */
struct scalars {
	size_t count; /* SCALARS_MANY: it is not passed as scalars */
	struct {
		int64_t offset;
		uint64_t size;
		bool is_float;
	} items[2];
};

#define SCALARS_MANY 3

/* Values whose parts are nested more deeply than this do not count as scalars. */
#define SCALAR_DEPTH_MAX 16

/* Adds a scalar, unless it is there already. If it overlaps another one, the value is not passed as
 * scalars. */
static void add_scalar(struct scalars *scalars, const struct type *bare, int64_t offset)
{
	for (size_t i = 0; i < scalars->count && i < 2; i++) {
		bool overlaps =
			offset < scalars->items[i].offset + (int64_t)scalars->items[i].size &&
			scalars->items[i].offset < offset + (int64_t)type_size_or(bare, 0);

		if (!overlaps)
			continue;
		/* variants of an enum may have the same scalar in one place */
		if (scalars->items[i].offset != offset ||
		    scalars->items[i].size != type_size_or(bare, 0) ||
		    scalars->items[i].is_float != (bare->kind == TYPE_FLOAT))
			scalars->count = SCALARS_MANY;
		return;
	}
	if (scalars->count < 2) {
		scalars->items[scalars->count].offset = offset;
		scalars->items[scalars->count].size = type_size_or(bare, 0);
		scalars->items[scalars->count].is_float = bare->kind == TYPE_FLOAT;
	}
	scalars->count += scalars->count < SCALARS_MANY;
}

/* Adds the scalars of a part of the value that is at `offset`. */
static void find_scalars(struct scalars *scalars, const struct type *type, int64_t offset,
			 unsigned int depth)
{
	const struct type *bare = type_strip(type);
	size_t count;

	if (!field_size(bare) || scalars->count == SCALARS_MANY)
		return;
	if (depth > SCALAR_DEPTH_MAX || bare->kind == TYPE_ARRAY || bare->kind == TYPE_UNION) {
		scalars->count = SCALARS_MANY;
		return;
	}
	if (!type_is_record(bare)) {
		add_scalar(scalars, bare, offset);
		return;
	}
	const struct member *members = type_members(bare, &count);

	for (size_t i = 0; i < count; i++)
		find_scalars(scalars, members[i].type, offset + members[i].offset, depth + 1);
}

enum passing abi_pass_rust(const struct type *type, enum argument_class classes[2])
{
	uint64_t size = field_size(type);
	struct scalars scalars = { 0 };

	classes[0] = classes[1] = ARGUMENT_NONE;
	if (!size)
		return PASSED_NOWHERE;
	if (size > 16)
		return PASSED_BY_ADDRESS;
	find_scalars(&scalars, type, 0, 0);
	if (scalars.count == SCALARS_MANY || (scalars.count == 1 && size > 8)) {
		classes[0] = ARGUMENT_INTEGER;
		return size > 8 ? PASSED_UNKNOWN : PASSED_IN_REGISTERS;
	}
	for (size_t i = 0; i < scalars.count; i++)
		classes[i] = scalars.items[i].is_float ? ARGUMENT_VECTOR : ARGUMENT_INTEGER;
	return PASSED_IN_REGISTERS;
}

/* ---- Go */

/* Adds the scalars of a value at `offset` to the `count` parts that are there already. Returns the
 * number of all parts, FLAT_IN_MEMORY or FLAT_UNKNOWN. */
static size_t add_flat_parts(const struct type *type, uint64_t offset, struct flat_part *parts,
			     size_t count, unsigned int depth)
{
	const struct type *bare = type_strip(type);
	uint64_t size = field_size(type);
	size_t members_count;

	if (depth > FLAT_DEPTH_MAX)
		return FLAT_UNKNOWN;
	if (bare->kind == TYPE_ARRAY) {
		if (!field_size(type_target(bare)))
			return size ? FLAT_UNKNOWN : count;
		if (!size)
			return count;
		return size == field_size(type_target(bare))
			       ? add_flat_parts(type_target(bare), offset, parts, count, depth + 1)
			       : FLAT_IN_MEMORY;
	}
	if (type_is_record(bare)) {
		const struct member *members = type_members(bare, &members_count);

		if (size && !members_count)
			return FLAT_UNKNOWN;
		for (size_t i = 0; i < members_count && count <= FLAT_PARTS_MAX; i++)
			count = add_flat_parts(members[i].type,
					       offset + (uint64_t)members[i].offset, parts, count,
					       depth + 1);
		return count;
	}
	if (!size || size > 16 || offset > UINT32_MAX)
		return FLAT_UNKNOWN;
	bool pair = bare->kind == TYPE_FLOAT &&
		    (size == 16 || (bare->name && starts_with(bare->name, "complex")));

	if (size > 8 && !pair)
		return FLAT_UNKNOWN;
	for (unsigned int i = 0; i < (pair ? 2U : 1U); i++) {
		if (count == FLAT_PARTS_MAX)
			return FLAT_IN_MEMORY;
		parts[count++] = (struct flat_part){ .offset = (uint32_t)(offset + i * (size / 2)),
						     .size = (uint8_t)(pair ? size / 2 : size),
						     .vector = bare->kind == TYPE_FLOAT };
	}
	return count;
}

size_t abi_flatten_go(const struct type *type, struct flat_part parts[FLAT_PARTS_MAX])
{
	return add_flat_parts(type, 0, parts, 0, 0);
}

/* The runtime's functions whose result points to memory of the type that an argument names: the
 * first one, or another one in some versions (runtime/malloc.go, slice.go, map.go, iface.go;
 * cmd/compile/internal/typecheck/_builtin). */
const struct typed_result go_typed_results[GO_TYPED_RESULTS] = {
	{ "runtime.newobject", { 0 }, 1, GO_WHOLE },
	{ "runtime.newarray", { 0 }, 1, GO_WHOLE },
	{ "runtime.mallocgc*", { 1 }, 1, GO_WHOLE }, /* Go 1.26: one for each size class */
	{ "runtime.makeslice*", { 0 }, 1, GO_WHOLE },
	{ "runtime.growslice", { 0, 4 }, 2, GO_WHOLE },
	{ "runtime.convT", { 0 }, 1, GO_WHOLE },
	{ "runtime.convTnoptr", { 0 }, 1, GO_WHOLE },
	{ "runtime.mapaccess1*", { 0 }, 1, GO_ELEMENT },
	{ "runtime.mapaccess2*", { 0 }, 1, GO_ELEMENT },
	{ "runtime.mapassign*", { 0 }, 1, GO_ELEMENT },
};

/* The runtime's functions that copy, clear or box an object, or look it up as a key
 * (runtime/mbarrier.go, iface.go, map.go). wbZero and wbMove have the same registers. */
const struct typed_argument go_typed_arguments[GO_TYPED_ARGUMENTS] = {
	{ "runtime.wbZero", 0, 1, GO_WHOLE },       { "runtime.wbMove", 0, 1, GO_WHOLE },
	{ "runtime.wbMove", 0, 2, GO_WHOLE },       { "runtime.typedmemclr", 0, 1, GO_WHOLE },
	{ "runtime.typedmemmove", 0, 1, GO_WHOLE }, { "runtime.typedmemmove", 0, 2, GO_WHOLE },
	{ "runtime.convT", 0, 1, GO_WHOLE },        { "runtime.convTnoptr", 0, 1, GO_WHOLE },
	{ "runtime.mapaccess1", 0, 2, GO_KEY },     { "runtime.mapaccess2", 0, 2, GO_KEY },
	{ "runtime.mapassign", 0, 2, GO_KEY },      { "runtime.mapdelete", 0, 2, GO_KEY },
};

/* The runtime's functions that start the iteration of a map (runtime/map.go; from Go 1.25 on, the
 * second one). */
const struct map_iteration go_map_iterations[GO_MAP_ITERATIONS] = {
	{ "runtime.mapiterinit", 0, 2 },
	{ "runtime.mapIterStart", 0, 2 },
};
