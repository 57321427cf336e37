// SPDX-License-Identifier: GPL-2.0-or-later
/* The rules of STAGE_BEFORE, STAGE_DECLARED and STAGE_LAST: the pointer's type has room for the
 * access, or there are no variables. */

#include "annotate/code/code.h"
#include "annotate/facts/scope_types.h"
#include "annotate/facts/selves.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/member.h"
#include "base/text.h"

/* True if the instruction accesses bits of a byte at a distance from its registers: a compiler has
 * narrowed an access to a word of flags. */
static bool is_narrowed(const struct pointer_access *access)
{
	const struct operand *operand = access_operand(access);

	return access->size == 1 && operand && operand->value > 0 &&
	       insn_accesses_bits(&access->solver->code->insns[access->solver->pass.current]);
}

/*
 * Refuses words through a byte pointer in a kernel, and in other code without strict aliasing,
 * where they are members of some record. (Programs with strict aliasing read words of text with
 * memcpy(), so their words are not refused.) If no variable says what the bytes were cast to,
 * single bytes next to such a word may be members as well.
 */
bool rule_cast_of_bytes(struct pointer_access *access)
{
	const struct value *address = access->address;

	if (access->traits & ACCESS_UNDECLARED)
		return access->size != 1 || access->solver->evidence.casts_bytes;
	return ((access->traits & ACCESS_KERNEL) || access_is_cast_freely(access)) &&
	       type_strip(address->type)->kind == TYPE_INTEGER && address->how != HOW_GLOBAL &&
	       ((access->size > 1 && access->size <= 8) || is_narrowed(access));
}

/* Leaves out elements that are meant if the index is not counted from 0: p[c - 'a'].count. */
bool rule_before_array(struct pointer_access *access)
{
	const struct value *address = access->address;
	int64_t size = (int64_t)field_size(address->type);

	return size && address->stride && address->offset < 0 &&
	       !field_is_first_index((size - 1 - address->offset) / size);
}

/* Leaves variables on the stack alone: they are what they are declared as. */
void rule_buffer_cast(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;

	if (access->size > 8 || !access_fit(access)->buffer)
		return;
	const struct operand *operand = access_operand(access);

	if (!operand || !reg_is_general(operand->base) ||
	    operand->base == solver->arch->stack_pointer)
		return;
	const struct register_fact *fact =
		facts_register_cast(&solver->facts, operand->base, access_code_address(access),
				    address->type, address->offset, access->size);
	const struct type *type =
		fact ? fact->value.type
		     : unlocated_cast(solver->function, access_code_address(access), address->type,
				      address->offset, access->size);

	if (type)
		access_add(access, type, address->offset);
}

/* Leaves out accesses of the scalar's own size, because programs read a record through such a
 * pointer, and those before a number. The record is the address's second type, or that of another
 * variable in the register. */
void rule_cast_bytes(struct pointer_access *access)
{
	const struct facts *facts = &access->solver->facts;
	const struct value *address = access->address;
	const struct type *bare = type_strip(address->type), *records[FACTS_RECORDS_MAX];
	const struct operand *operand = access_operand(access);
	size_t count = 0;

	if (access->size == type_size_or(bare, 0) || bare->kind == TYPE_POINTER ||
	    (type_size_or(bare, 0) > 1 && address->offset < 0))
		return;
	if (address->alternative && type_is_record(type_strip(address->alternative)))
		access_add(access, address->alternative, access->alternative_offset);
	else if (address->how == HOW_VARIABLE && operand && operand->index == REG_NONE &&
		 reg_is_general(operand->base) && type_size_or(bare, 0) > 1 && !facts->untracked)
		count = facts_pointees(facts, operand->base, access_code_address(access), records,
				       COUNT_OF(records));
	for (size_t i = 0; i < count; i++)
		if (type_is_record(type_strip(records[i])))
			access_add(access, records[i], operand->value);
}

/* True if the method makes an object of a class that fits into the `room` bytes of the buffer, and
 * that has a field where the access goes. */
static bool declared_has_room(const struct stack_fact *method, const struct pointer_access *access,
			      int64_t within, uint64_t room)
{
	struct field_ref field;

	return method->is_maker && !method->open &&
	       (uint64_t)within + access->size <= method->size && method->size <= room &&
	       field_find(method->type, within, 0, access->size, &field) == REASON_NONE &&
	       fit_at(method->type, within, access->size).kind != FIT_PART_OF_POINTER;
}

/* True if the class is the other one, or has a base or member of it, or of one that has. */
static bool declared_has_member(const struct type *outer, const struct type *inner)
{
	return field_same_type(outer, inner) ||
	       any_of(offset, 0, field_size(outer), field_contains(outer, (int64_t)offset, inner));
}

/* Takes the class of the outermost of the constructors that are inlined into each other: that of a
 * member is not where the object begins. A method of the declared class, or of one in it or around
 * it, that a constructor calls has an object that is there, as it is declared: that of
 * std::lock_guard calls std::mutex::lock(), and pthread_mutex_t has an array of bytes. */
void rule_made_in_place(struct pointer_access *access)
{
	const struct selves *selves = &access->solver->facts.selves;
	const struct value *address = access->address;
	const struct type *class = NULL;
	const struct stack_fact *method;
	uint32_t below = UINT32_MAX;
	struct fit_array bytes;

	if (!selves->methods.count)
		return;
	/* what lies before the bytes says how they are used */
	bytes = access_fit(access)->bytes;
	if (!bytes.room || bytes.within != address->offset ||
	    2 * bytes.room <= field_size(address->type))
		return;
	while ((method = selves_method(selves, access_code_address(access), 0, below))) {
		below = method->depth;
		if (!class && !method->is_maker &&
		    (declared_has_member(address->type, method->type) ||
		     declared_has_member(method->type, address->type)))
			return;
		if (!declared_has_room(method, access, bytes.within, bytes.room) ||
		    (class && !declared_has_member(method->type, class))) {
			if (class)
				break;
			continue;
		}
		class = method->type;
	}
	if (class)
		access_add(access, class, bytes.within);
}

void rule_head_cast(struct pointer_access *access)
{
	if (access_fit(access)->kind == FIT_PART_OF_POINTER)
		access_add(access, access->address->alternative, access->alternative_offset);
}

/* True in C if the operand's register points far away from the scalar. It then has the address of a
 * larger object, and the debug information gives the scalar's address as a distance from it. */
static bool is_based_far_away(const struct pointer_access *access)
{
	const struct operand *operand = access_operand(access);
	const struct function *function = access->solver->function;
	int64_t away = OBJECT_SIZES_MAX * (int64_t)field_size(access->address->type);
	int64_t base = operand ? access->address->offset - operand->value : 0;

	return language_has(function, FACT_FIRST_MEMBERS) && operand &&
	       operand->index == REG_NONE && (base < -away || base > away);
}

/* True in C++ if the access is before the scalar, and the operand's register points before the
 * scalar as well. (p[-1] through p itself is the last element of a container.) */
static bool declared_is_based_before(const struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct function *function = access->solver->function;
	const struct operand *operand = access_operand(access);

	return language_has(function, FACT_RECORDS_AROUND) && operand &&
	       operand->index == REG_NONE && !address->stride && address->offset < 0 &&
	       address->offset < operand->value && !solver_is_walked(access->solver, address->type);
}

/*
 * In a kernel, applies to integers, and to a part of anything. Elsewhere, applies to a pointer that
 * was inferred from one use as a scalar, for an access before it, or to a part of p[3]. In C it
 * applies also if the register points to an object that has the scalar far away, and in C++ if it
 * points to one that has the scalar after the accessed place. Everywhere, it applies to an
 * enumeration, unless the function walks over an array of it: programs use the enumeration at the
 * start of a record to tell records apart.
 */
bool rule_far_scalar(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct type *bare = type_strip(address->type);
	bool inferred = address->how == HOW_INFERRED && address->origin;
	bool part = access->size < type_size_or(bare, 0);

	if ((address->offset >= 0 && address->offset < (int64_t)type_size_or(bare, 0)))
		return false;
	if (bare->kind == TYPE_ENUM)
		return !address->stride && !solver_is_walked(access->solver, address->type);
	if (type_size_or(bare, 0) <= 1)
		return false;
	return ((access->traits & ACCESS_KERNEL) && (bare->kind == TYPE_INTEGER || part)) ||
	       (inferred && (part || address->offset < 0)) || declared_is_based_before(access) ||
	       is_based_far_away(access);
}

/* Leaves variables on the stack alone: they are what they are declared as. */
bool rule_unfollowed_part(struct pointer_access *access)
{
	const struct operand *operand = access_operand(access);

	return operand && operand->base != access->solver->arch->stack_pointer &&
	       access->size < type_size_or(access->address->type, 0);
}

void rule_unfollowed_cast(struct pointer_access *access)
{
	if (rule_unfollowed_part(access))
		unlocated_pointer(access->solver->function, access_code_address(access),
				  UNLOCATED_CAST, access_operand(access)->value,
				  access->candidates);
}

/* Arrays are left out, because compilers store several of their bytes at once, and variables in
 * spill slots, because whole registers are stored there. As texts are read in words, too, functions
 * of C++ that are no members are left out, and pointers of C that a variable declares as those of
 * bytes. */
bool rule_wide_byte(struct pointer_access *access)
{
	const struct type *bytes = type_strip(access->address->type);
	const struct solver *solver = access->solver;
	const struct operand *operand = access_operand(access);

	if (access->size < 2 || access->size > WORD || type_size_or(bytes, 0) != 1 ||
	    bytes->kind == TYPE_ARRAY || access->address->how == HOW_GLOBAL)
		return false;
	if (!operand || operand->base == solver->arch->stack_pointer ||
	    operand->base == solver->arch->frame_pointer)
		return false;
	return language_has(solver->function, FACT_SELVES)
		       ? selves_is_in_method(&solver->facts.selves, solver->function,
					     access_code_address(access))
		       : access->address->how == HOW_TRACKED;
}

/* True if the type is that of a variable that the compiler did not follow: it may have put another
 * value into the variable's register. */
static bool declared_is_untracked(const struct pointer_access *access)
{
	return access->solver->facts.untracked && access->address->how == HOW_VARIABLE;
}

/* True if the code tests, or changes, some bits of the byte that it accesses: at once, or after a
 * load (gcc 16: movzbl, shr, and). */
static bool uses_some_bits(const struct pointer_access *access, const struct operand *operand)
{
	struct solver *solver = access->solver;
	uint32_t index = solver->pass.current;

	if (insn_accesses_bits(&solver->code->insns[index]))
		return true;
	uint64_t bits =
		operand && !operand->write ? used_bits(solver, solver->code, index, operand) : 0;

	return bits && bits != UINT8_MAX;
}

/*
 * True for a byte of a number of two bytes, at a fixed place in an array of these, that the code
 * stores, extends with its sign, or takes from the upper half. Bits of such numbers are tested by
 * bytes, and text is converted to bytes; all else is more often the member of a record to which the
 * array was cast, such as file systems have on disk.
 */
static bool is_byte_of_array(const struct pointer_access *access)
{
	const struct insn *insn = &access->solver->code->insns[access->solver->pass.current];
	const struct operand *operand = access_operand(access);
	const struct fit *fit = access_fit(access);

	return fit->kind == FIT_PART &&
	       (!access->address->stride || access->address->stride > fit->integers.room) &&
	       (fit->high_byte ? !uses_some_bits(access, operand)
			       : fit->low_byte && (insn->operation == OP_MOVE_SIGN ||
						   (operand && operand->write)));
}

/* Members of a declared record are copied together, and members of any record are cleared together;
 * but nothing is copied together with what follows the record. */
bool rule_misfit(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct field_ref *field = access->field;
	int64_t end = (int64_t)field_size(field->type);
	/* an object on the stack without a variable has no origin, but was guessed as well; the
	 * members of a class that is only declared are not known */
	bool guessed = (address->how == HOW_INFERRED || declared_is_untracked(access)) &&
		       !address->stride && !field_is_named_only(field->type) &&
		       (address->origin || !solver_has_no_variables(access->solver));
	bool past_end = field->offset < end && field->offset + (int64_t)access->size > end;

	if (field->type != address->type)
		return false;
	if (is_byte_of_array(access))
		return true;
	if ((!guessed && !past_end) || access->size > 8)
		return false;
	const struct fit fit = fit_at(field->type, field->offset, access->size);

	if (guessed && fit.kind == FIT_PART_OF_POINTER)
		return true;
	if (fit.holds)
		return false;
	const struct operand *operand = access_operand(access);

	return past_end || !(operand && operand->write);
}

/* Leaves out arrays of bytes within a record, of which words are read, too; and registers that
 * point past the record, as those of loops do. */
void rule_folded_address(struct pointer_access *access)
{
	const struct operand *operand = access_operand(access);

	if (access->size < 2 || !operand || operand->value < 0 || !reg_is_general(operand->base) ||
	    operand->base == access->solver->arch->stack_pointer ||
	    operand->base == access->solver->arch->frame_pointer)
		return;
	if (access->traits & ACCESS_RECORD) {
		const struct fit *fit = access_fit(access);

		if (fit->bytes.room && fit->bytes.within < access->address->offset)
			return;
	} else if (!(access->traits & ACCESS_BYTE)) {
		return;
	}
	unlocated_pointer(access->solver->function, access_code_address(access), UNLOCATED_SUM,
			  operand->value, access->candidates);
}

/* True if the record has a member of <sys/queue.h> at the offset that points to the pointer to an
 * element: of a head, or if `links` is set of a link, too. */
static bool declared_is_tail(const struct type *record, int64_t offset, bool links)
{
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	return member_path(record, offset, WORD, &path) &&
	       (ends_with(path.data, "tqh_last") || (links && ends_with(path.data, "tqe_prev")));
}

/* The macros cast a pointer to a link to one to a head, which begins as a link does. */
void rule_tail_queue(struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	const struct value *address = access->address;
	const struct origin *origin = &solver->origins.items[address->origin];

	if (type_strip(address->type)->kind != TYPE_POINTER || address->offset != WORD ||
	    access->size != WORD || !origin->object ||
	    !declared_is_tail(origin->object, origin->offset, true))
		return;
	const struct unit_type_list records = solver_unit_types(solver, UNIT_RECORDS);

	array_each (const struct type *const, record, records.items, records.count) {
		const struct type *tail =
			field_size(*record) == 2 * WORD ? field_scalar(*record, WORD, WORD) : NULL;
		const struct type *target = tail ? field_pointee(tail) : NULL;

		if (target && field_same_type(target, address->type) &&
		    declared_is_tail(*record, WORD, false))
			access_add(access, *record, WORD);
	}
}

bool rule_far_pointer(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct type *bare = type_strip(address->type);

	return bare->kind == TYPE_POINTER &&
	       (address->offset < 0 || address->offset >= (int64_t)type_size_or(bare, 0)) &&
	       type_is_record(type_strip(address->alternative)) &&
	       field_scalar(address->alternative, access->alternative_offset, access->size);
}

/* ---- STAGE_LAST: accesses that do not fit, where there are no variables ---- */

/* True for bytes at the start or the end of a record, with nothing wider in any alternative of a
 * union: the record is there to be cast as a whole (struct sockaddr, io_uring's struct io_kiocb). A
 * buffer between other members (skb->cb) belongs to the record, whatever is in it. */
static bool is_in_open_buffer(const struct field_ref *field)
{
	const struct fit fit = fit_at(field->type, field->offset, 1);

	return fit.buffer && fit.open;
}

bool rule_part_of_integer(struct pointer_access *access)
{
	const struct type *bare = type_strip(access->field->type);

	return bare->kind == TYPE_INTEGER && access->size < type_size_or(bare, 0);
}

/* True if the access is to a record, and to no whole member of it. */
static bool is_no_member(const struct pointer_access *access)
{
	const struct field_ref *field = access->field;

	return type_is_record(type_strip(field->type)) &&
	       !field_scalar(field->type, field->offset, access->size);
}

bool rule_open_buffer(struct pointer_access *access)
{
	return is_no_member(access) && is_in_open_buffer(access->field);
}
