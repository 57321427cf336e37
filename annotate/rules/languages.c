// SPDX-License-Identifier: GPL-2.0-or-later
/* Rules for accesses through pointers of single languages: closures of Go, nodes of Rust. */

#include "annotate/facts/scope_types.h"
#include "annotate/rules/stages.h"
#include "base/memory.h"
#include "base/text.h"
#include "annotate/language/go.h"
#include "annotate/language/rust.h"
#include "annotate/types/field.h"

void rule_captured_variable(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct type *bare = type_strip(address->type);

	if (bare->name && strcmp(bare->name, GO_CLOSURE) == 0 &&
	    address->offset >= (int64_t)type_size_or(bare, 0))
		candidates_put(access->candidates,
			       (struct field_ref){ type_canonical(address->type), address->offset },
			       0);
}

/* Answers an access to raw memory by a function that moves a T: the memory begins with a T, and
 * more of them may follow. */
void rule_moved_value(struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	const struct value *address = access->address;

	if (!rust_is_raw_memory(solver, address) || address->offset < 0)
		return;
	const struct type *moved =
		rust_moved(solver, solver->code->insns[solver->pass.current].address);
	uint64_t size = moved ? field_size(moved) : 0;

	if (size > 1 && size <= INT32_MAX && address->stride % size == 0)
		access_add(access, moved, address->offset % (int64_t)size);
}

#define LEAF_NODE  "alloc::collections::btree::node::LeafNode<"
#define INNER_NODE "alloc::collections::btree::node::InternalNode<"

void rule_inner_node(struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	const struct value *address = access->address;
	const struct type *leaf = type_strip(address->type);

	if (!leaf->name || !starts_with(leaf->name, LEAF_NODE) || !solver->reader ||
	    address->offset < (int64_t)type_size_or(leaf, 0))
		return;
	_cleanup_free_ char *name = xasprintf(INNER_NODE "%s", leaf->name + strlen(LEAF_NODE));
	const struct type *inner = solver_type_named(solver, name);

	if (inner)
		candidates_add(access->candidates, inner, address->offset, address->stride, 0);
}
