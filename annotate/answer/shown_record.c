// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The record of an access that nothing else answers, by the value that it moves: see answer.h.
 *
 *     struct base { HEAD; };  struct text { HEAD; char *data; };  struct list { HEAD; long length;
 * }; print(((struct text *)base)->data);          mov 0x10(%rdi),%rdi; call print
 *
 * The records that the pointer may be cast to are looked at as if they were the members of a union
 * (union_member.h). Nothing is concluded from a shape: of one size, numbers and pointers are alike.
 */
#include "annotate/answer/answer.h"

#include "annotate/access.h"
#include "annotate/code/code.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/fit.h"
#include "annotate/types/union_member.h"

#define RECORDS_MAX 32

/* The records that the pointer may be to. */
struct shown_records {
	const struct value *address;
	/* those that it is said to be to: the others begin with one of them, or with its members */
	const struct type *const *heads;
	size_t head_count;
	struct union_evidence evidence;
	struct union_search members; /* that the access may go to, in all of them */
	const struct type *records[RECORDS_MAX];
	uint64_t sets[RECORDS_MAX]; /* the candidates that are in each */
	size_t count;
	bool more; /* there are more than these */
};

/* True if the record is one of the heads, or begins with one. */
static bool begins_with_head(const struct shown_records *search, const struct type *record)
{
	return any_of(i, 0, search->head_count,
		      field_size(record) >= field_size(search->heads[i]) &&
			      (field_contains(record, 0, search->heads[i]) ||
			       field_is_head(search->heads[i], record) ||
			       field_same_type(search->heads[i], record)));
}

/* Leaves the other accesses that surely go to the same object: those before, and loads after this
 * one in its block. On a way from a test of its kind, it may be another record. */
static void keep_sure_siblings(const struct cfg *code, uint32_t insn,
			       struct union_evidence *evidence)
{
	uint8_t kept = 0;

	array_each (const struct union_sibling, other, evidence->siblings,
		    evidence->sibling_count) {
		if (!other->several &&
		    (!other->after ||
		     (cfg_block_of(code, other->insn) == cfg_block_of(code, insn) &&
		      !code->insns[other->insn].operands[other->operand].write)))
			evidence->siblings[kept++] = *other;
	}
	evidence->sibling_count = kept;
}

/* True if the access goes to a member of the record. */
static bool goes_to_member(const struct shown_records *search, const struct type *record,
			   int64_t offset)
{
	const struct fit fit = fit_at(record, offset, search->evidence.size);

	return fit.whole || fit.bits;
}

/* Adds a record in which the access goes to a member, and all others that surely go to the same
 * object, too. A head has the members of the larger record. */
static void add_record(struct shown_records *search, const struct type *record, int64_t offset)
{
	const unsigned int first = search->members.count;

	if (search->more ||
	    any_of(i, 0, search->count, field_same_type(search->records[i], record)))
		return;
	array_each (const struct union_sibling, other, search->evidence.siblings,
		    search->evidence.sibling_count) {
		const struct fit beside = fit_at(record, offset + other->offset, other->size);

		if (!beside.holds && !beside.bits &&
		    !any_of(i, 0, search->head_count, field_same_type(search->heads[i], record)))
			return;
	}
	union_search_add(&search->members, record, offset);
	search->more =
		search->count == RECORDS_MAX || search->members.count >= UNION_CANDIDATES_MAX;
	if (search->more)
		return;
	search->records[search->count] = record;
	search->sets[search->count++] = low_bits(search->members.count) & ~low_bits(first);
}

/* True if the access is to a union at the start of a record that only has records to which the
 * pointer may be cast: each is looked at by itself. */
static bool is_union_of_records(const struct shown_records *search, const struct type *record)
{
	const struct union_place start = union_outermost(record, 0, 0);

	if (!start.type || search->address->offset >= (int64_t)field_size(start.type))
		return false;
	members_each (member, type_members, start.type)
		if (!begins_with_head(search, member->type))
			return false;
	return true;
}

/* True if a pointer to another record than the cast types may be cast to one: it begins with that.
 */
static bool has_root(const struct unit_type_list *records, const struct unit_type_list *types,
		     const struct type *type)
{
	array_each (const struct type *const, record, records->items, records->count)
		if ((field_is_head(*record, type) ||
		     (!field_same_type(*record, type) && field_contains(type, 0, *record))) &&
		    !any_of(n, 0, types->count, field_same_type(types->items[n], *record)))
			return true;
	return false;
}

/* Adds the records of the unit that begin with a head. Without heads, adds its cast types, to which
 * a pointer to void is cast; with `roots`, not those to which other pointers may be cast. */
static void add_records(struct shown_records *search, const struct solver *solver, bool roots)
{
	const bool cast = !search->head_count;
	const struct unit_type_list types =
		solver_unit_types(solver, cast ? UNIT_CAST_TYPES : UNIT_RECORDS);
	struct unit_type_list records = { 0 };

	if (roots)
		records = solver_unit_types(solver, UNIT_RECORDS);
	for (size_t i = 0; i < types.count; i++)
		if ((cast || begins_with_head(search, types.items[i])) &&
		    goes_to_member(search, types.items[i], search->address->offset) &&
		    (cast ? !has_root(&records, &types, types.items[i])
			  : !is_union_of_records(search, types.items[i])))
			add_record(search, types.items[i], search->address->offset);
}

/* Returns the record with which all that have some of the candidates begin. If they have it by name
 * alone, macros made them, as they made the heads. NULL: none. */
static const struct type *first_of(const struct shown_records *search, uint64_t candidates)
{
	const struct type *head = NULL;
	bool by_name = !search->head_count;

	for (size_t i = 0; i < search->count; i++)
		if (search->sets[i] & candidates &&
		    (!head || field_size(search->records[i]) < field_size(head)))
			head = search->records[i];
	for (size_t i = 0; head && i < search->head_count; i++)
		by_name |= field_same_type(search->heads[i], head) ||
			   field_is_head(search->heads[i], head);
	return head && all_of(i, 0, search->count,
			      !(search->sets[i] & candidates) || search->records[i] == head ||
				      field_contains(search->records[i], 0, head) ||
				      (by_name && field_is_head(head, search->records[i])))
		       ? head
		       : NULL;
}

/* True if another of the records has a word there, in which programs box pointers to such records,
 * and the value may be one of these. */
static bool may_be_boxed(const struct shown_records *search, const struct union_search *members,
			 uint64_t fitting)
{
	if (!members->left)
		return false;
	const struct type *target =
		field_pointee(members->items[__builtin_ctzll(members->left)].type);

	return target && (!search->head_count || begins_with_head(search, target)) &&
	       any_of(i, 0, members->count,
		      fitting >> i & 1 && members->items[i].record &&
			      field_is_word_record(members->items[i].record));
}

/* Returns a bit for each of the records in which another access to the object goes to a member of
 * the type that its value is known to have; 0: the value has no such type. */
static uint64_t records_of_sibling(const struct shown_records *search, struct solver *solver,
				   const struct state *state, const struct union_sibling *sibling)
{
	struct union_evidence evidence = { .size = sibling->size };
	struct union_search members;
	uint64_t sets[RECORDS_MAX], found = 0;

	union_search_start(&members, &evidence);
	for (size_t i = 0; i < search->count; i++) {
		const unsigned int first = members.count;

		union_search_add(&members, search->records[i],
				 search->address->offset + sibling->offset);
		sets[i] = low_bits(members.count) & ~low_bits(first);
	}
	union_search_narrow(&members, UNION_BY_PLACE);
	const uint64_t fitting = members.left;

	union_evidence_value(solver, state, sibling->insn,
			     &solver->code->insns[sibling->insn].operands[sibling->operand],
			     sibling->written, &evidence);
	union_search_narrow(&members, UNION_BY_VALUE);
	if (!union_search_is_typed(&members) || may_be_boxed(search, &members, fitting))
		return 0;
	for (size_t i = 0; i < search->count; i++)
		found |= sets[i] & members.left ? UINT64_C(1) << i : 0;
	return found;
}

/* Leaves the candidates in records that other accesses to the object show. False: they show
 * nothing. */
static bool narrow_by_others(struct shown_records *search, struct solver *solver,
			     const struct state *state, uint64_t fitting)
{
	uint64_t known = union_search_is_typed(&search->members) ? search->members.left : fitting;
	bool narrowed = false;

	array_each (const struct union_sibling, other, search->evidence.siblings,
		    search->evidence.sibling_count) {
		uint64_t left = 0, shown;

		shown = records_of_sibling(search, solver, state, other);
		for (size_t i = 0; i < search->count; i++)
			left |= shown >> i & 1 ? search->sets[i] & known : 0;
		narrowed |= left;
		known = left ? left : known;
	}
	if (narrowed)
		search->members.left = known;
	return narrowed;
}

/* Returns the record that the access goes to. NULL: it is not known. */
static const struct type *choose_record(struct shown_records *search, struct solver *solver,
					const struct state *state, uint32_t insn,
					const struct operand *operand)
{
	struct union_search *members = &search->members;

	if (!search->count || search->more)
		return NULL;
	union_search_narrow(members, UNION_BY_PLACE);
	const uint64_t fitting = members->left;
	/* the start of an object is alike in most records to which a pointer to void may be cast */
	const bool family = search->count > 1 && (search->head_count || search->address->offset) &&
			    union_search_is_same(members);

	union_evidence_value(solver, state, insn, operand, 0, &search->evidence);
	union_search_narrow(members, UNION_BY_VALUE);
	const bool shown = !family &&
			   (narrow_by_others(search, solver, state, fitting) ||
			    union_search_is_typed(members)) &&
			   !may_be_boxed(search, members, fitting);

	if (!union_search_is_same(members) || !(family ? members->left == fitting : shown))
		return NULL;
	return first_of(search, members->left);
}

/* Starts a search without records. */
static void start_search(struct shown_records *search, struct solver *solver, uint32_t insn,
			 const struct operand *operand, const struct value *address)
{
	*search =
		(struct shown_records){ .address = address, .evidence = { .size = operand->size } };
	union_evidence_siblings(solver, insn, operand, &search->evidence);
	keep_sure_siblings(solver->code, insn, &search->evidence);
	union_search_start(&search->members, &search->evidence);
}

/* ---- by pointers that the object has */

/* A pointer to this pointee is at an offset of the object, counted from the access. */
struct shown_pointer {
	int64_t offset;
	const struct type *pointee;
};

/* Returns what the value that an access moves is known to point to; NULL: it is not known. What a
 * parameter says of it may be a cast. */
static const struct type *moved_pointee(struct solver *solver, const struct state *state,
					uint32_t insn, const struct operand *operand,
					uint64_t written)
{
	struct union_evidence evidence = { .size = operand->size };
	const struct type *pointee;

	if (operand->size != WORD)
		return NULL;
	union_evidence_value(solver, state, insn, operand, written, &evidence);
	pointee = evidence.type ? field_pointee(evidence.type) : evidence.pointee;
	return evidence.cast ? NULL : pointee;
}

/* Lists the pointers that the access and others to the object move. Returns their number. */
static size_t find_pointers(const struct shown_records *search, struct solver *solver,
			    const struct state *state, uint32_t insn, const struct operand *operand,
			    struct shown_pointer *pointers)
{
	const struct type *pointee = moved_pointee(solver, state, insn, operand, 0);
	size_t count = 0;

	if (pointee)
		pointers[count++] = (struct shown_pointer){ 0, pointee };
	array_each (const struct union_sibling, other, search->evidence.siblings,
		    search->evidence.sibling_count) {
		pointee = moved_pointee(solver, state, other->insn,
					&solver->code->insns[other->insn].operands[other->operand],
					other->written);
		if (pointee)
			pointers[count++] = (struct shown_pointer){ other->offset, pointee };
	}
	return count;
}

/* True if the record has members for all accesses to the object. */
static bool has_members(const struct shown_records *search, const struct type *record)
{
	const int64_t offset = search->address->offset;

	if (!goes_to_member(search, record, offset))
		return false;
	array_each (const struct union_sibling, other, search->evidence.siblings,
		    search->evidence.sibling_count) {
		const struct fit fit = fit_at(record, offset + other->offset, other->size);

		if (!fit.whole && !fit.bits)
			return false;
	}
	return true;
}

/* How the members of a record agree with pointers that the object has. */
enum pointers_agree { POINTERS_DIFFER, POINTERS_BOXED, POINTERS_SAME };

static enum pointers_agree judge_pointers(const struct shown_records *search,
					  const struct type *record,
					  const struct shown_pointer *pointers, size_t count)
{
	enum pointers_agree agree = POINTERS_SAME;

	array_each (const struct shown_pointer, pointer, pointers, count) {
		const int64_t offset = search->address->offset + pointer->offset;
		const struct type *member = field_scalar(record, offset, WORD),
				  *pointee = member ? field_pointee(member) : NULL,
				  *word = field_innermost_record(record, offset);

		if (pointee && field_same_type(pointee, pointer->pointee))
			continue;
		if (!word || !field_is_word_record(word))
			return POINTERS_DIFFER;
		agree = POINTERS_BOXED;
	}
	return agree;
}

/*
 * Returns the record with which all records of the unit begin that have the pointers which the code
 * moves from and to the object; NULL: there are none, or several, or one may have a pointer in a
 * box. A pointer at its start alone may as well be all that is there, unless it is to a record, and
 * records begin with that one: the head of a program's objects.
 */
static const struct type *record_of_pointers(const struct shown_records *search,
					     struct solver *solver, const struct state *state,
					     uint32_t insn, const struct operand *operand)
{
	struct shown_pointer pointers[UNION_SIBLINGS_MAX + 1];
	const size_t count = find_pointers(search, solver, state, insn, operand, pointers);
	const bool start = all_of(i, 0, count, search->address->offset == -pointers[i].offset);

	if (!count || (start && !type_is_record(type_strip(pointers[0].pointee))))
		return NULL;
	const struct unit_type_list records = solver_unit_types(solver, UNIT_RECORDS);
	const struct type *head = NULL;
	size_t derived = 0;

	for (size_t i = 0; i < records.count; i++) {
		const struct type *record = records.items[i];
		const enum pointers_agree agree =
			has_members(search, record)
				? judge_pointers(search, record, pointers, count)
				: POINTERS_DIFFER;

		if (agree == POINTERS_BOXED)
			return NULL;
		if (agree == POINTERS_DIFFER)
			continue;
		if (head && !field_contains(record, 0, head) && !field_contains(head, 0, record))
			return NULL;
		derived += head != NULL;
		if (!head || field_contains(head, 0, record))
			head = record;
	}
	return !start || derived > 1 ? head : NULL;
}

bool shown_record_contradicts(struct solver *solver, const struct state *state, uint32_t insn,
			      const struct operand *operand, const struct access *access)
{
	const struct type *member = field_scalar(access->type, access->offset, WORD),
			  *target = member ? field_pointee(member) : NULL, *pointee;

	if (!target || !rules_have(solver, RULE_SHOWN_RECORD))
		return false;
	pointee = moved_pointee(solver, state, insn, operand, 0);
	return pointee && type_is_record(type_strip(pointee)) &&
	       (type_strip(target)->kind == TYPE_FUNCTION ||
		(type_is_record(type_strip(target)) && !field_contains(target, 0, pointee) &&
		 !field_contains(pointee, 0, target) && !field_is_head(target, pointee) &&
		 !field_is_head(pointee, target) && !field_same_type(target, pointee)));
}

bool shown_record_find(struct solver *solver, const struct state *state, uint32_t insn, bool store,
		       struct access *access)
{
	const struct operand *operand = insn_memory(&solver->code->insns[insn], store);

	if (access->kind != ACCESS_UNKNOWN || !operand || !operand->size || operand->size > WORD ||
	    !solver->reader || !solver->function || !rules_have(solver, RULE_SHOWN_RECORD))
		return false;
	const struct value address = solver_address(solver, state, operand);
	const bool outside = address.kind == VALUE_POINTER && access->reason == REASON_OUTSIDE &&
			     type_is_record(type_strip(address.type)),
		   unknown = address.kind == VALUE_UNKNOWN && address.origin,
		   cast = unknown && address.type && field_is_void_pointer(address.type);
	const struct alternatives *known =
		unknown ? alternatives_find(&solver->evidence.alternatives, address.origin) : NULL;
	const struct type *record = NULL;
	struct shown_records search; /* large: start_search() clears it */

	if (address.stride || address.offset < 0 || !(outside || known || cast))
		return false;
	search.count = 0;
	if (outside || known) {
		start_search(&search, solver, insn, operand, &address);
		search.heads = outside ? &address.type : known->pointees;
		search.head_count = outside ? 1 : known->count;
		if (search.head_count)
			add_records(&search, solver, false);
		/* it may as well be to a further element of an array */
		if (outside && search.count && field_size(address.type))
			union_search_add(&search.members, address.type,
					 address.offset % (int64_t)field_size(address.type));
		record = choose_record(&search, solver, state, insn, operand);
	}
	for (bool roots = false, again = !search.count; cast && !record && again; roots = true) {
		start_search(&search, solver, insn, operand, &address);
		add_records(&search, solver, roots);
		record = choose_record(&search, solver, state, insn, operand);
		/* of one cast type, no fewer are left */
		again = !roots && (search.count > 1 || search.more);
	}
	if (cast && !record)
		record = record_of_pointers(&search, solver, state, insn, operand);
	if (!record)
		return false;
	access->kind = ACCESS_TYPE;
	access->reason = REASON_NONE;
	access->type = type_canonical(record);
	access->offset = address.offset;
	access->how = HOW_INFERRED;
	access->rule = RULE_SHOWN_RECORD;
	return true;
}
