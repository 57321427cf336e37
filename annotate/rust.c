// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What Rust's library declares too little of: see rust.h.
 *
 * RawVec<T, A> is { RawVecInner<A>, PhantomData<T> } since Rust 1.83, and RawVecInner<A> keeps a Unique<u8>
 * (library/alloc/src/raw_vec/mod.rs). T is the first argument in the name, as rustc writes it into the debug
 * information.
 */
#include "annotate/rust.h"

#include <string.h>

#include "annotate/place.h"
#include "profiler/base/memory.h"

#define RAW_VEC     "alloc::raw_vec::RawVec<"
#define RAW_INNER   "alloc::raw_vec::RawVecInner<"
#define DEPTH_LIMIT 30

/* The first argument of "name<T, A>"; NULL: there is none. To be freed. */
static char *first_argument(const char *arguments)
{
	int depth = 0;

	for (const char *at = arguments; *at; at++) {
		if (strchr("<([{", *at))
			depth++;
		else if (*at == '-' && at[1] == '>')
			at++; /* fn(A) -> B */
		else if (!depth && (*at == ',' || *at == '>'))
			return xstrndup(arguments, (size_t)(at - arguments));
		else if (strchr(">)]}", *at))
			depth--;
	}
	return NULL;
}

static const struct type *type_of_name(const struct solver *solver, const char *name)
{
	const struct type *found[2];

	return name && debug_reader_types_named(solver->reader, name, found, 2) == 1
		       ? type_canonical(found[0])
		       : NULL;
}

bool rust_vector_buffer(const struct solver *solver, const struct type *record, int64_t offset,
			const struct type **element)
{
	bool inner = false;

	*element = NULL;
	for (int depth = 0; record && depth < DEPTH_LIMIT; depth++) {
		const struct type *bare = type_strip(record), *next = NULL;
		size_t count;

		if (bare->kind == TYPE_ARRAY) {
			next = type_target(bare);
			if (!next || !place_size(next) || offset < 0)
				break;
			offset %= (int64_t)place_size(next);
			record = next;
			continue;
		}
		const struct member *members = type_members(bare, &count);

		if (bare->name && strncmp(bare->name, RAW_INNER, strlen(RAW_INNER)) == 0)
			inner = true;
		if (bare->name && strncmp(bare->name, RAW_VEC, strlen(RAW_VEC)) == 0) {
			_cleanup_free_ char *name = first_argument(bare->name + strlen(RAW_VEC));

			*element = type_of_name(solver, name);
		}
		for (size_t i = 0; i < count && !next; i++) {
			if (offset < members[i].offset ||
			    (uint64_t)(offset - members[i].offset) >= place_size(members[i].type))
				continue;
			next = members[i].type;
			offset -= members[i].offset;
		}
		record = next;
	}
	return inner;
}

bool rust_is_raw_memory(const struct solver *solver, const struct value *value)
{
	const struct type *type = value->kind == VALUE_POINTER ? type_strip(value->type) : NULL;

	return type && solver->function && solver->function->language == LANGUAGE_RUST &&
	       type->kind == TYPE_INTEGER && type->size == 1 && !(type->flags & (TYPE_SIGNED | TYPE_BOOL));
}
