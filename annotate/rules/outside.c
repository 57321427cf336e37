// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules of STAGE_INDEXED and STAGE_OUTSIDE: the pointer's type has no room for the access.
 * Those of single languages are at the end. */

#include "annotate/evidence/tags.h"
#include "annotate/facts/scope_types.h"
#include "annotate/facts/selves.h"
#include "annotate/language/go.h"
#include "annotate/language/rust.h"
#include "annotate/rules/stages.h"
#include "annotate/types/flexible_array.h"
#include "annotate/types/field.h"
#include "annotate/types/member.h"
#include "base/memory.h"
#include "base/text.h"

void rule_unknown_offset(struct pointer_access *access)
{
	const struct value *address = access->address;

	if (address->stride == 1)
		access_add(access, address->type, address->offset);
}

/* Descriptors are called as Fortran writes the array, "particle(:)" (dwarf/dwarf/array.c). */
void rule_described_element(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct origin *origin = &access->solver->origins.items[address->origin];
	const struct type *holder =
		origin->object ? field_innermost_record(origin->object, origin->offset) : NULL;
	const struct type *element = type_strip(address->type);

	while (element->kind == TYPE_ARRAY)
		element = type_strip(type_target(element));
	if (address->stride == 1 && holder && holder->name && ends_with(holder->name, ":)"))
		access_add(access, element, address->offset);
}

/* True if the register is 0 or 1 before the current instruction: its last write in the block,
 * followed back through copies and zero-extension, is a condition. */
static bool is_condition(const struct solver *solver, uint8_t reg)
{
	const struct cfg *code = solver->code;
	const struct insn *insn = &code->insns[solver->pass.current];

	while ((insn = cfg_last_write(code, (size_t)(insn - code->insns), reg))) {
		const struct operand *from = &insn->operands[1];

		if (insn->operation == OP_SET_CONDITION)
			return true;
		if ((insn->operation != OP_MOVE && insn->operation != OP_MOVE_ZERO) ||
		    !operand_is_general(from))
			return false;
		reg = from->reg;
	}
	return false;
}

/* The condition is the operand's index, or was added to the pointer before; or the addresses of the
 * two members, or their distances from the pointer, met in a join. Two pointers in an array would
 * have been found before. */
void rule_either_member(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct operand *operand = access_operand(access);
	const struct type *first, *second;

	if (!operand || address->stride != access->size ||
	    (operand->index != REG_NONE && !reg_is_general(operand->index)))
		return;
	bool joined = operand->index == REG_NONE || operand->scale == 1;

	if (!joined &&
	    (operand->scale != address->stride || !is_condition(access->solver, operand->index)))
		return;
	first = field_scalar(address->type, address->offset, access->size);
	second = field_scalar(address->type, address->offset + address->stride, access->size);
	if (first && second && field_same_type(first, second) && (!joined || field_pointee(first)))
		access_add(access, first, 0);
}

/* True if the access may be to a member of an element before the one that the pointer points to. */
static bool may_be_element_before(const struct pointer_access *access)
{
	const struct value *address = access->address;
	int64_t size = (int64_t)field_size(address->type);

	if (address->stride || !size)
		return true;
	const struct fit fit = fit_at(
		address->type, positive_remainder(address->offset, (uint64_t)size), access->size);

	/* compilers load no more of a number than they need */
	return fit.whole || fit.bits || fit.kind == FIT_SEVERAL ||
	       (fit.kind == FIT_PART && !type_is_record(type_strip(address->type)));
}

/* Counts single bytes only where the function also reads wider members before a text, because s[-1]
 * of a text looks the same as a header of one byte. */
void rule_text_header(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;
	struct field_ref field;

	if (!solver->options.infer || !solver->reader ||
	    (access->size == 1 && !solver->evidence.casts_headers) ||
	    (!(access->traits & ACCESS_BYTE) && may_be_element_before(access)))
		return;
	const struct unit_type_list records = solver_unit_types(solver, UNIT_FLEXIBLE_RECORDS);

	if (field_in_header(records.items, records.count, address->type, address->offset,
			    access->size, &field))
		candidates_put(access->candidates, field, 0);
}

void rule_byte_before(struct pointer_access *access)
{
	if (access->size == 1 && access->address->offset == -1)
		access_add(access, access->address->type, 0);
}

/* Counts a scalar as the alternative of a record only at its own bytes. As p[i] it would fit any
 * offset, which proves nothing against the record. */
void rule_alternative_type(struct pointer_access *access)
{
	const struct value *address = access->address;
	int64_t offset = access->alternative_offset;

	if (!(access->traits & ACCESS_RECORD) || type_is_record(type_strip(address->alternative)) ||
	    (offset >= 0 && (uint64_t)offset < field_size(address->alternative)))
		access_add(access, address->alternative, offset);
}

void rule_tag_value(struct pointer_access *access)
{
	const struct type *type = tags_type_at(access->solver, access->address, access->size);

	if (type)
		access_add(access, type, access->address->offset);
}

void rule_second_use(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct field_ref *used = &access->solver->origins.items[address->origin].inferred;

	if (used->type && used->type != address->type && type_is_record(type_strip(used->type)))
		access_add(access, used->type, used->offset + address->offset);
}

void rule_walked_array(struct pointer_access *access)
{
	const struct value *address = access->address;
	uint64_t size = field_size(address->type);

	if (((access->traits & ACCESS_UNDECLARED) && field_is_link(address->type)) || !size ||
	    size > UINT32_MAX || address->offset < -OBJECT_SIZES_MAX * (int64_t)size ||
	    address->offset >= OBJECT_SIZES_MAX * (int64_t)size ||
	    !solver_is_walked(access->solver, address->type) || access_is_not_followed(access))
		return;
	/* the steps are by whole unions, also if a member of them ends in an array without a size
	 */
	if (type_strip(address->type)->kind == TYPE_UNION)
		candidates_add(access->candidates, address->type,
			       positive_remainder(address->offset, size), 0, 0);
	else
		candidates_add(access->candidates, address->type, address->offset, (uint32_t)size,
			       0);
}

/* True if a path of members ends in one of these names. */
static bool path_ends_in(const struct strbuf *path, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t length = strlen(names[i]);

		if (ends_with(path->data, names[i]) &&
		    (path->length == length || path->data[path->length - length - 1] == '.'))
			return true;
	}
	return false;
}

/* The members of libstdc++ and libc++ that point to the first element and after the last one
 * (bits/stl_vector.h; bits/stl_deque.h: of the iterators _M_start and _M_finish; libc++: vector).
 */
void rule_element_of_vector(struct pointer_access *access)
{
	static const char *const begins[] = { "_M_start", "__begin_" };
	static const char *const ends[] = { "_M_finish", "_M_finish._M_cur", "__end_" };
	const struct value *address = access->address;
	const struct origin *origin = &access->solver->origins.items[address->origin];
	int64_t size = (int64_t)field_size(address->type);
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	if (!size || size > INT32_MAX || address->stride || address->offset < -size ||
	    !origin->object || !member_path(origin->object, origin->offset, sizeof(void *), &path))
		return;
	if (address->offset < 0 ? path_ends_in(&path, ends, COUNT_OF(ends))
				: path_ends_in(&path, begins, COUNT_OF(begins)))
		access_add(access, address->type,
			   positive_remainder(address->offset, (uint64_t)size));
}

/*
 * True if several classes of the unit that are derived from the pointee's class
 * have a field there, so that the pointer may be cast to any of them. False if the code belongs to
 * a member function of the class that was found.
 */
static bool may_be_other_class(struct pointer_access *access, const struct type *class)
{
	struct solver *solver = access->solver;
	const struct outside_access away = access_outside(access);
	const char *name = type_strip(access->address->type)->name;
	const struct stack_fact *method;
	struct candidates others;
	struct field_ref field;

	/* for nodes of the standard library, the container tells the class (rule container-node) */
	if (!language_has(solver->function, FACT_SELVES) || !solver->reader ||
	    !field_contains(class, 0, access->address->type) ||
	    (name && starts_with(name, "std::")))
		return false;
	method = selves_method(&solver->facts.selves, access_code_address(access), 0, UINT32_MAX);
	if (method && field_same_type(method->type, class))
		return false;
	const struct unit_type_list records = solver_unit_types(solver, UNIT_HOLDERS);

	candidates_start(&others, access->size, FITS_WHOLE);
	for (size_t i = 0; i < records.count; i++)
		candidates_around(&others, records.items[i], &away, 0);
	return candidates_choose(&others, &field) == CHOICE_SEVERAL;
}

/* True if a variable got the pointer from a member that is a pointer to void, as those to the
 * elements of generic arrays are, and the access may be to a further element. */
static bool may_be_array(const struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct origin *origin = &access->solver->origins.items[address->origin];
	const struct type *member =
		origin->holder ? field_scalar(origin->holder, origin->holder_offset, WORD) : NULL;

	return member && type_is_pointer(type_strip(member)) && !field_pointee(member) &&
	       address->offset >= (int64_t)field_size(address->type) &&
	       access_may_be_element(access);
}

void rule_enclosing_record(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct outside_access away = access_outside(access);
	struct field_ref field;

	scope_types_build(solver->caches.scope_types, solver->function);
	scope_types_enclosing(solver->caches.scope_types, access_code_address(access), &away,
			      access->candidates);
	enum candidate_choice choice = candidates_choose(access->candidates, &field);

	if (choice == CHOICE_ONE && may_be_other_class(access, field.type)) {
		access->candidates->more = true;
		choice = CHOICE_SEVERAL;
	}
	if (choice == CHOICE_ONE && may_be_array(access)) {
		access->candidates->more = true;
		choice = CHOICE_SEVERAL;
	}
	if (choice == CHOICE_SEVERAL)
		access->traits |= ACCESS_CONTENDED;
}

void rule_unit_cast(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct outside_access away = access_outside(access);
	size_t count;
	const struct inline_cast *casts =
		debug_reader_inline_casts(solver->reader, solver->code->insns[0].address, &count);

	for (size_t i = 0; i < count; i++)
		if (field_same_type(casts[i].from, away.inner))
			candidates_around(access->candidates, casts[i].to, &away, 0);
}

/* Variables that are only in scope count in two situations: in a kernel, whose functions have a
 * variable of the type that they allocate behind a record; and if the function's variables were not
 * followed and the record ends in bytes for another one. */
void rule_after_record(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct type *tail = flexible_element(address->type);
	bool in_scope = (access->traits & ACCESS_KERNEL) ||
			(access->solver->facts.untracked && tail && field_size(tail) == 1);

	if (address->offset < 0)
		unlocated_pointer(access->solver->function, access_code_address(access),
				  UNLOCATED_REGISTER, address->offset, access->candidates);
	else
		unlocated_after(access->solver->function, access_code_address(access),
				address->type, address->offset, in_scope, access->candidates);
}

/* Never applies in a kernel or in C++, where the bytes after a record usually belong to a larger
 * one around it. */
/* True for a slice of Go with such elements: a record `[]T` that begins with a pointer to them. */
static bool is_slice_of(const struct type *type, const struct type *element)
{
	const struct type *bare = type_strip(type), *pointee;
	size_t count;

	if (!type_is_record(bare) || !bare->name || !starts_with(bare->name, "[]"))
		return false;
	const struct member *members = type_members(bare, &count);

	pointee = count && !members[0].offset ? field_pointee(members[0].type) : NULL;
	return pointee && field_same_type(pointee, element);
}

void rule_slice_element(struct pointer_access *access)
{
	const struct function *function = access->solver->function;
	const struct value *address = access->address;
	uint64_t size = field_size(address->type);

	if (!size || size > UINT32_MAX || address->offset < (int64_t)size)
		return;
	for (size_t i = 0; i < function->variable_count; i++)
		if (is_slice_of(function->variables[i].type, address->type))
			access_add(access, address->type, address->offset % (int64_t)size);
}

/*
 * ---- records of the unit ----
 *
 * Declarations of the whole unit: the records that have the pointee as a member, and the arrays of
 * records. If a macro casts the pointer, the function has no variable of the record that is
 * accessed.
 */

bool access_may_be_element(const struct pointer_access *access)
{
	const struct type *type = access->address->type;
	int64_t size = (int64_t)field_size(type), offset;
	struct field_ref field;

	/* an index that does not count whole records is one of an array after the record */
	if (size <= 0 || access->address->stride % (uint64_t)size)
		return false;
	offset = positive_remainder(access->address->offset, (uint64_t)size);
	const struct fit fit = fit_at(type, offset, access->size);
	const struct insn *insn = &access->solver->code->insns[access->solver->pass.current];

	/* a floating-point number is no element's integer or pointer */
	if (insn->flags & FLAG_FLOAT && fit.scalar && !fit.in_union &&
	    type_strip(fit.scalar)->kind != TYPE_FLOAT)
		return false;
	return field_find(type, offset, 0, access->size, &field) == REASON_NONE &&
	       (fit.scalar || (fit.in_union && fit.holds));
}

/* True if a class of C++ has the other one as a base, or as a base of one. */
static bool is_derived(const struct type *class, const struct type *base, unsigned int depth)
{
	members_each (member, type_members, type_strip(class))
		if (member->is_base && depth < TYPE_DEPTH_MAX &&
		    (field_same_type(member->type, base) ||
		     is_derived(member->type, base, depth + 1)))
			return true;
	return false;
}

/* True if a base class is made for this class alone: class Job : Hook<Job>. */
static bool is_base_for(const struct type *base, const struct type *class)
{
	const char *name = type_strip(base)->name, *own = type_strip(class)->name, *at;
	const size_t length = own ? strlen(own) : 0;

	for (at = name && length ? strstr(name, own) : NULL; at; at = strstr(at + 1, own))
		if (at > name && strchr("< ", at[-1]) && strchr(",>", at[length]))
			return true;
	return false;
}

/* Adds the records of the unit that have the pointee; of C++, those that are derived from it. One
 * in which the access is to a part of a member contests the others. */
static void add_holders(struct pointer_access *access, bool element)
{
	struct solver *solver = access->solver;
	const struct outside_access away = access_outside(access);
	const bool classes = language_has(solver->function, FACT_VIRTUAL);
	size_t count = 0;

	/* a virtual base is somewhere in the object, of which the class alone says nothing */
	if (classes)
		type_virtual_bases(type_strip(away.inner), &count);
	if (count)
		return;
	const struct unit_type_list records = solver_unit_types(solver, UNIT_HOLDERS);

	for (size_t i = 0; i < records.count; i++)
		if (classes ? is_derived(records.items[i], away.inner, 0) &&
				      (!element || is_base_for(away.inner, records.items[i]))
			    : !element)
			candidates_around(access->candidates, records.items[i], &away, 2);
}

void rule_unit_record(struct pointer_access *access)
{
	access->candidates->contests = FITS_PARTS;
	add_holders(access, access_may_be_element(access));
}

void rule_one_element(struct pointer_access *access)
{
	const struct type *record = type_strip(access->address->type);
	int64_t offset = access->address->offset;

	/* bytes after a text may be anything */
	if (field_past_one_element(record, &offset, 0, access->size) &&
	    field_size(field_last_member(record)->type) > 1)
		access_add(access, access->address->type, offset);
}

/* True if the pointee is in the list of the unit's types. */
static bool unit_lists_pointee(const struct pointer_access *access, enum unit_list list)
{
	const struct unit_type_list types = solver_unit_types(access->solver, list);

	return any_of(i, 0, types.count, field_same_type(types.items[i], access->address->type));
}

/* True if the unit declares an array of the pointee. */
static bool is_in_arrays(const struct pointer_access *access)
{
	return unit_lists_pointee(access, UNIT_ELEMENTS);
}

/* True if records of the unit begin with the pointee. */
static bool begins_records(const struct pointer_access *access)
{
	const struct unit_type_list records = solver_unit_types(access->solver, UNIT_HOLDERS);

	return any_of(i, 0, records.count,
		      field_contains(records.items[i], 0, access->address->type));
}

/* True if the base register points before the pointee, perhaps to a record around it. */
static bool unit_records_is_based_before(const struct pointer_access *access)
{
	const struct operand *operand =
		insn_memory(&access->solver->code->insns[access->solver->pass.current], false);

	return !operand || access->address->offset < operand->value;
}

/* A record around the pointee that has a member there contests the element of an array. One that is
 * passed by value is whole by itself: only what begins with it may be meant in its place. */
void rule_further_element(struct pointer_access *access)
{
	const struct value *address = access->address;
	int64_t size = (int64_t)field_size(address->type);
	struct candidates *candidates = access->candidates;

	if (size > UINT32_MAX || (address->offset >= 0 && address->offset < size) ||
	    unit_records_is_based_before(access) || !access_may_be_element(access))
		return;
	bool value = unit_lists_pointee(access, UNIT_VALUES);

	if (!value && (address->offset < 0 || !is_in_arrays(access)))
		return;
	candidates->contests = FITS_WHOLE | FITS_PARTS;
	candidates->fits = 0;
	if (!value || begins_records(access))
		add_holders(access, false);
	candidates->fits = FITS_ANY;
	candidates_add(candidates, address->type,
		       positive_remainder(address->offset, (uint64_t)size), 0, UINT8_MAX);
}

/* True if a record may be the head of larger ones that the unit does not show: one of a single
 * member, as a tag, a union, and one that ends in an array, which may be declared too short on
 * purpose. */
static bool is_open_head(const struct type *record)
{
	size_t count;
	const struct member *members = type_members(type_strip(record), &count);

	return count < 2 || type_strip(record)->kind == TYPE_UNION ||
	       type_strip(members[count - 1].type)->kind == TYPE_ARRAY;
}

/* A record that begins others, or that the unit casts to several larger ones, is the head of a
 * family, of which the unit may have more. */
void rule_value_cast(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;
	const struct type *larger = NULL;
	size_t count;

	if (address->offset < (int64_t)field_size(address->type) || is_open_head(address->type) ||
	    begins_records(access) || (access_may_be_element(access) && is_in_arrays(access)))
		return;
	const struct value_cast *casts =
		debug_reader_value_casts(solver->reader, solver->code->insns[0].address, &count);

	for (size_t i = 0; i < count; i++) {
		if (!field_same_type(casts[i].from, address->type))
			continue;
		if (larger)
			return;
		larger = casts[i].to;
	}
	if (larger)
		candidates_add(access->candidates, larger, address->offset, 0, 0);
}

/* The types in scope come first: no other rule looks at them for an access with an index. */
void rule_indexed_record(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct outside_access away = access_outside(access);

	if (access_may_be_element(access))
		return;
	scope_types_build(solver->caches.scope_types, solver->function);
	scope_types_enclosing(solver->caches.scope_types, access_code_address(access), &away,
			      access->candidates);
	access->candidates->contests = FITS_PARTS;
	/* no array that is behind the header is meant where the index begins in it */
	if (!access->candidates->count && away.offset >= (int64_t)field_size(away.inner))
		add_holders(access, false);
}

/* This rule waits until uses were gathered, because they say more. */
void rule_repeated_head(struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	const struct value *address = access->address;

	if (!(solver->pass.gathered || solver->pass.last_resort) || address->offset < 0 ||
	    (access_may_be_element(access) && is_in_arrays(access)))
		return;
	const struct type *named =
		unlocated_after_head(solver->function, access_code_address(access), address->type,
				     address->offset, access->size);

	if (named)
		access_add(access, named, address->offset);
	if (named || !(access->traits & ACCESS_DECLARED) || access_is_not_followed(access))
		return;
	const struct unit_type_list records = solver_unit_types(solver, UNIT_RECORDS);

	/* any record in which the access goes to a field may be meant */
	access->candidates->contests = FITS_ANY;
	for (size_t i = 0; i < records.count; i++)
		if (field_is_head(address->type, records.items[i]))
			access_add(access, records.items[i], address->offset);
}

/* ---- single languages: closures of Go, nodes of Rust ---- */

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
