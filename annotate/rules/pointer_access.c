// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Accesses through pointers: the stages STAGE_BEFORE to STAGE_LAST, and their rules.
 * The table in rules.c says why each rule is likely to be right, and has an example; a function
 * here is the exact condition.
 *
 * A rule's function changes *access only if it returns true. Its `needs` in the table have been
 * checked before it is called.
 */
#include "annotate/rules/stages.h"

#include <assert.h>
#include <string.h>

#include "annotate/field.h"
#include "annotate/go.h"
#include "annotate/infer.h"
#include "annotate/member.h"
#include "annotate/rules/scope_types.h"
#include "annotate/selves.h"
#include "base/text.h"

/* An access that is farther from an object than this many times its size is to another object. */
#define OBJECT_SIZES_MAX 16

static bool solver_is_walked(const struct solver *solver, const struct type *type)
{
	for (uint32_t i = 0; i < solver->walked_count; i++)
		if (field_same_type(solver->walked[i], type))
			return true;
	return false;
}

void solver_note_walk(struct solver *solver, const struct type *type, int64_t apart)
{
	const struct type *bare = type_strip(type);

	/* A pointer to bytes counts only if a variable advances by one, as in *p++: p[-1] is then
	 * the byte just passed. An index proves nothing, because every text is indexed. */
	bool steps = type_is_record(bare) || (type_size_or(bare, 0) == 1 && apart == 1);

	if (!solver->gather || !steps || !type_size_or(bare, 0) || !apart ||
	    apart % (int64_t)type_size_or(bare, 0) || solver_is_walked(solver, type))
		return;
	array_reserve(solver->walked, solver->walked_count, solver->walked_capacity);
	solver->walked[solver->walked_count++] = type;
}

void solver_note_use(struct solver *solver, const struct value *value, const struct type *object)
{
	if (go_is_interface_data(solver, value))
		return;
	/* An inferred type of one place in a record says nothing of another place in it. */
	if (value->kind == VALUE_POINTER && value->how != HOW_INFERRED &&
	    field_same_type(value->type, object))
		solver_note_walk(solver, object, value->offset);
	object_uses_note(solver, value, object);
	if (solver->tags.casting)
		tags_note_cast(solver, value, object);
	origins_use(&solver->origins, value, object, 0);
}

static uint64_t code_address(const struct pointer_access *access)
{
	return access->solver->code->insns[access->solver->current].address;
}

/* Returns the memory operand of the instruction; NULL if it has none. If it has two, `store`
 * chooses. */
static const struct operand *operand_of(const struct pointer_access *access, bool store)
{
	return insn_memory(&access->solver->code->insns[access->solver->current], store);
}

/* Sets the answer to the field at an offset of `type`, or to the reason why there is none. */
static bool set_field(struct pointer_access *access, const struct type *type, int64_t offset)
{
	access->reason = field_find(type, offset, 0, access->size, access->field);
	return true;
}

bool access_set_field_if(struct pointer_access *access, const struct type *type, int64_t offset)
{
	struct field_ref field;

	if (field_find(type, offset, 0, access->size, &field) != REASON_NONE)
		return false;
	*access->field = field;
	access->reason = REASON_NONE;
	return true;
}

/* ---- STAGE_BEFORE */

bool access_is_cast_freely(const struct pointer_access *access)
{
	const struct solver *solver = access->solver;
	const struct operand *operand = operand_of(access, false);

	return solver->function && solver->function->no_strict_aliasing && operand &&
	       operand->base != solver->arch->stack_pointer &&
	       !(type_strip(access->address->type)->flags & TYPE_BOOL);
}

/* True if the instruction accesses bits of a byte at a distance from its registers: a compiler has
 * narrowed an access to a word of flags. */
static bool is_narrowed(const struct pointer_access *access)
{
	const struct operand *operand = operand_of(access, false);

	return access->size == 1 && operand && operand->value > 0 &&
	       insn_accesses_bits(&access->solver->code->insns[access->solver->current]);
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
		return access->size != 1 || access->solver->casts_bytes;
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

bool rule_link_around(struct pointer_access *access)
{
	struct field_ref field;

	if (!link_is_followed(access->solver, access->address) ||
	    link_field(access->solver, access->address, access->size, &field) != REASON_NONE)
		return false;
	*access->field = field;
	access->reason = REASON_NONE;
	return true;
}

/* ---- STAGE_DECLARED */

/* Leaves variables on the stack alone: they are what they are declared as. */
bool rule_buffer_cast(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;

	if (access->size > 8 ||
	    !field_cache_in_buffer(solver->fields, address->type, address->offset, access->size))
		return false;
	const struct operand *operand = operand_of(access, false);

	if (!operand || !reg_is_general(operand->base) ||
	    operand->base == solver->arch->stack_pointer)
		return false;
	const struct register_fact *fact =
		facts_register_cast(&solver->facts, operand->base, code_address(access),
				    address->type, address->offset, access->size);
	const struct type *type =
		fact ? fact->value.type
		     : unlocated_cast(solver->function, code_address(access), address->type,
				      address->offset, access->size);

	return type && access_set_field_if(access, type, address->offset);
}

/* Applies to words alone, because programs read single bytes of a record through such a pointer. */
bool rule_cast_bytes(struct pointer_access *access)
{
	const struct value *address = access->address;

	return access->size > 1 && access->size <= 8 &&
	       type_is_record(type_strip(address->alternative)) &&
	       field_scalar(address->alternative, access->alternative_offset, access->size) &&
	       access_set_field_if(access, address->alternative, access->alternative_offset);
}

/* True if the method makes an object of a class that fits into the `room` bytes of the buffer, and
 * that has a field where the access goes. */
static bool has_room(const struct stack_fact *method, const struct pointer_access *access,
		     int64_t within, uint64_t room)
{
	struct field_ref field;

	return method->is_maker && !method->open &&
	       (uint64_t)within + access->size <= method->size && method->size <= room &&
	       field_find(method->type, within, 0, access->size, &field) == REASON_NONE &&
	       !field_cuts_pointer(method->type, within, access->size);
}

/* Takes the class of the outermost of the constructors that are inlined into each other. */
bool rule_made_in_place(struct pointer_access *access)
{
	const struct selves *selves = &access->solver->facts.selves;
	const struct value *address = access->address;
	const struct type *class = NULL;
	const struct stack_fact *method;
	uint32_t below = UINT32_MAX;
	int64_t within;
	uint64_t room;

	if (!selves->methods.count ||
	    !field_in_storage(address->type, address->offset, access->size, &within, &room) ||
	    within != address->offset || /* what lies before the bytes says how they are used */
	    2 * room <= field_size(address->type))
		return false;
	while ((method = selves_method(selves, code_address(access), 0, below))) {
		below = method->depth;
		if (!has_room(method, access, within, room) ||
		    (class && !field_same_type(class, method->type) &&
		     !field_contains(method->type, 0, class))) {
			if (class)
				break;
			continue;
		}
		class = method->type;
	}
	return class && access_set_field_if(access, class, within);
}

bool rule_head_cast(struct pointer_access *access)
{
	const struct value *address = access->address;

	return field_cuts_pointer(address->type, address->offset, access->size) &&
	       field_scalar(address->alternative, access->alternative_offset, access->size) &&
	       set_field(access, address->alternative, access->alternative_offset);
}

bool rule_disputed_type(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct value *used = &access->solver->origins.items[address->origin].inferred;
	struct field_ref field;
	int64_t offset;

	return used->kind == VALUE_POINTER && type_is_record(type_strip(used->type)) &&
	       !field_same_type(used->type, address->type) &&
	       !field_contains(used->type, used->offset, address->type) &&
	       !field_contains(address->type, -used->offset, used->type) &&
	       !__builtin_add_overflow(used->offset, address->offset, &offset) &&
	       field_find(used->type, offset, 0, access->size, &field) == REASON_NONE;
}

/* True in C if the operand's register points far away from the scalar. It then has the address of a
 * larger object, and the debug information gives the scalar's address as a distance from it. */
static bool is_based_far_away(const struct pointer_access *access)
{
	const struct operand *operand = operand_of(access, false);
	const struct function *function = access->solver->function;
	int64_t away = OBJECT_SIZES_MAX * (int64_t)field_size(access->address->type);
	int64_t base = operand ? access->address->offset - operand->value : 0;

	return function && function->language == LANGUAGE_C && operand &&
	       operand->index == REG_NONE && (base < -away || base > away);
}

/* True in C++ if the access is before the scalar, and the operand's register points before the
 * scalar as well. (p[-1] through p itself is the last element of a container.) */
static bool is_based_before(const struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct function *function = access->solver->function;
	const struct operand *operand = operand_of(access, false);

	return function && function->language == LANGUAGE_CXX && operand &&
	       operand->index == REG_NONE && !address->stride && address->offset < 0 &&
	       address->offset < operand->value && !solver_is_walked(access->solver, address->type);
}

/*
 * In a kernel, applies to integers, and to a part of anything. Elsewhere, applies to a pointer that
 * was inferred from one use as a scalar: an access before it, or to a part of p[3]; in C also if
 * the register points to an object that has the scalar far away, in C++ if it points to one that
 * has the scalar after the accessed place. Everywhere, applies to an enumeration, unless the
 * function walks over an array of it: programs use the enumeration at the start of a record to tell
 * records apart.
 */
bool rule_far_scalar(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct type *bare = type_strip(address->type);
	bool inferred = address->how == HOW_INFERRED && address->origin;
	bool part = access->size < type_size_or(bare, 0);

	if (address->how == HOW_GLOBAL ||
	    (address->offset >= 0 && address->offset < (int64_t)type_size_or(bare, 0)))
		return false;
	if (bare->kind == TYPE_ENUM)
		return !address->stride && !solver_is_walked(access->solver, address->type);
	if (type_size_or(bare, 0) <= 1)
		return false;
	return ((access->traits & ACCESS_KERNEL) && (bare->kind == TYPE_INTEGER || part)) ||
	       (inferred && (part || address->offset < 0)) || is_based_before(access) ||
	       is_based_far_away(access);
}

/* Leaves out instructions that also read: single bits may be set in a part of an integer. */
bool rule_narrow_store(struct pointer_access *access)
{
	if (access->size >= field_size(access->address->type) || access->address->how == HOW_GLOBAL)
		return false;
	const struct operand *operand = operand_of(access, true);
	const struct arch *arch = access->solver->arch;

	return operand && operand->base != arch->stack_pointer &&
	       operand->base != arch->frame_pointer && operand->write && !operand->read;
}

/* Leaves out arrays, because compilers store several of their bytes at once; variables in spill
 * slots, because whole registers are stored there; and functions that are no members, because they
 * read words from bytes, too. */
bool rule_wide_byte(struct pointer_access *access)
{
	const struct type *bytes = type_strip(access->address->type);
	const struct solver *solver = access->solver;
	const struct operand *operand = operand_of(access, false);

	if (access->size < 2 || access->size > WORD || type_size_or(bytes, 0) != 1 ||
	    bytes->kind == TYPE_ARRAY || access->address->how == HOW_GLOBAL || !solver->function ||
	    solver->function->language != LANGUAGE_CXX)
		return false;
	operand = operand ? operand : operand_of(access, true);
	return operand && operand->base != solver->arch->stack_pointer &&
	       operand->base != solver->arch->frame_pointer &&
	       selves_is_in_method(&solver->facts.selves, solver->function, code_address(access));
}

/* True if the type is that of a variable that the compiler did not follow: it may have put another
 * value into the variable's register. */
static bool is_untracked(const struct pointer_access *access)
{
	return access->solver->facts.untracked && access->address->how == HOW_VARIABLE;
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
	bool guessed = (address->how == HOW_INFERRED || is_untracked(access)) && !address->stride &&
		       !field_is_named_only(field->type) &&
		       (address->origin || !solver_has_no_variables(access->solver));
	bool past_end = field->offset < end && field->offset + (int64_t)access->size > end;

	if ((!guessed && !past_end) || access->size > 8 || field->type != address->type)
		return false;
	if (guessed && field_cuts_pointer(field->type, field->offset, access->size))
		return true;
	if (field_holds_access(field->type, field->offset, access->size))
		return false;
	const struct operand *operand = operand_of(access, false);

	return past_end || !(operand && operand->write);
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

/* ---- STAGE_INDEXED */

bool rule_unknown_offset(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct function *function = access->solver->function;

	return ((access->traits & ACCESS_KERNEL) ||
		((access->traits & ACCESS_INFERRED) && function &&
		 function->language == LANGUAGE_C)) &&
	       address->stride == 1 && access->size <= 8 &&
	       field_scalar(address->type, address->offset, access->size) &&
	       set_field(access, address->type, address->offset);
}

/* True if the register is 0 or 1 before the current instruction: its last write in the block,
 * followed back through copies and zero-extension, is a condition. */
static bool is_condition(const struct solver *solver, uint8_t reg)
{
	const struct cfg *code = solver->code;
	uint32_t first = code->blocks[cfg_block_of(code, solver->current)].first;

	for (uint32_t i = solver->current; i-- > first;) {
		const struct insn *insn = &code->insns[i];
		const struct operand *from = &insn->operands[1];

		if (!(insn->written & REG_BIT(reg)))
			continue;
		if (insn->operation == OP_SET_CONDITION)
			return true;
		if ((insn->operation != OP_MOVE && insn->operation != OP_MOVE_ZERO) ||
		    from->kind != OPERAND_REGISTER || !reg_is_general(from->reg))
			return false;
		reg = from->reg;
	}
	return false;
}

/* Returns the outermost record within `type` that has the byte at *offset and that `type` has a
 * second time, `stride` bytes later. *offset becomes the offset in it. NULL: there is none. */
static const struct type *twin_record(const struct type *type, int64_t *offset, uint32_t stride)
{
	const struct type *whole = type;
	int64_t start = 0;

	for (unsigned int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		const struct type *bare = type_strip(type), *inner = NULL;
		size_t count;

		if (bare->kind != TYPE_STRUCT && bare->kind != TYPE_CLASS)
			return NULL;
		const struct member *members = type_members_near(bare, *offset - start, &count);

		for (size_t i = 0; i < count && !inner; i++) {
			int64_t at = start + members[i].offset;

			if (*offset < at || *offset >= at + (int64_t)field_size(members[i].type))
				continue;
			inner = members[i].type;
			start = at;
		}
		if (!inner || !type_is_record(type_strip(inner)))
			return NULL;
		if (field_contains(whole, start + stride, inner)) {
			*offset -= start;
			return inner;
		}
		type = inner;
	}
	return NULL;
}

/* Sets the answer to a field of either of two records of one type in the pointee, at a distance of
 * `stride`: their addresses met in a join, or a condition was multiplied by the distance. */
static bool either_record(struct pointer_access *access)
{
	const struct value *address = access->address;
	int64_t offset = address->offset;
	const struct type *record =
		offset >= 0 ? twin_record(address->type, &offset, address->stride) : NULL;

	return record && field_size(record) <= address->stride &&
	       access_set_field_if(access, record, offset);
}

/* The condition is the operand's index, or was added to the pointer before; or the addresses of the
 * two members, or their distances from the pointer, met in a join. Two pointers in an array would
 * have been found before. */
bool rule_either_member(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct operand *operand = operand_of(access, false);
	const struct type *first, *second;

	if (operand && address->stride != access->size)
		return either_record(access);
	if (!operand || (operand->index != REG_NONE && !reg_is_general(operand->index)))
		return false;
	bool joined = operand->index == REG_NONE || operand->scale == 1;

	if (!joined &&
	    (operand->scale != address->stride || !is_condition(access->solver, operand->index)))
		return false;
	first = field_scalar(address->type, address->offset, access->size);
	second = field_scalar(address->type, address->offset + address->stride, access->size);
	if (!first || !second || !field_same_type(first, second) ||
	    (joined && !field_pointee(first)))
		return false;
	*access->field = (struct field_ref){ type_canonical(first), 0 };
	access->reason = REASON_NONE;
	return true;
}

/* ---- STAGE_OUTSIDE */

/* Counts single bytes only where the function also reads wider members before a text, because s[-1]
 * of a text looks the same as a header of one byte. */
bool rule_text_header(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;
	struct field_ref field;
	size_t count;

	if (address->offset >= 0 || !solver->infer || !solver->reader ||
	    (access->size == 1 && !solver->casts_headers))
		return false;
	const struct type *const *records = debug_reader_flexible_records(
		solver->reader, solver->code->insns[0].address, &count);

	if (!field_in_header(records, count, address->type, address->offset, access->size, &field))
		return false;
	*access->field = field;
	access->reason = REASON_NONE;
	return true;
}

bool rule_byte_before(struct pointer_access *access)
{
	*access->field = (struct field_ref){ type_canonical(access->address->type), 0 };
	if (access->size != 1 || access->address->offset != -1 ||
	    access->address->how == HOW_GLOBAL)
		return false;
	access->reason = REASON_NONE;
	return true;
}

/* Counts a scalar as the alternative of a record only at its own bytes. As p[i] it would fit any
 * offset, which proves nothing against the record. */
bool rule_alternative_type(struct pointer_access *access)
{
	const struct value *address = access->address;
	int64_t offset = access->alternative_offset;

	return (!(access->traits & ACCESS_RECORD) ||
		type_is_record(type_strip(address->alternative)) ||
		(offset >= 0 && (uint64_t)offset < field_size(address->alternative))) &&
	       access_set_field_if(access, address->alternative, offset);
}

bool rule_second_use(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct value *used = &access->solver->origins.items[address->origin].inferred;

	return used->kind == VALUE_POINTER && used->type != address->type &&
	       type_is_record(type_strip(used->type)) &&
	       access_set_field_if(access, used->type, used->offset + address->offset);
}

bool rule_walked_array(struct pointer_access *access)
{
	const struct value *address = access->address;
	uint64_t size = field_size(address->type);

	if (((access->traits & ACCESS_UNDECLARED) && link_is(address->type)) || !size ||
	    size > UINT32_MAX || address->offset < -OBJECT_SIZES_MAX * (int64_t)size ||
	    address->offset >= OBJECT_SIZES_MAX * (int64_t)size ||
	    !solver_is_walked(access->solver, address->type))
		return false;
	access->reason = field_find(address->type, address->offset, (uint32_t)size, access->size,
				    access->field);
	return true;
}

/* The members of libstdc++ and libc++ that point after the last element (bits/stl_vector.h;
 * bits/stl_deque.h: of the iterator _M_finish; libc++: vector). */
static bool is_end(const struct type *container, int64_t offset)
{
	static const char *const ends[] = { "_M_finish", "_M_finish._M_cur", "__end_" };
	_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

	if (!member_path(container, offset, sizeof(void *), &path))
		return false;
	for (size_t i = 0; i < COUNT_OF(ends); i++) {
		size_t length = strlen(ends[i]);

		if (ends_with(path.data, ends[i]) &&
		    (path.length == length || path.data[path.length - length - 1] == '.'))
			return true;
	}
	return false;
}

bool rule_end_of_vector(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct origin *origin = &access->solver->origins.items[address->origin];
	int64_t size = (int64_t)field_size(address->type);

	if (!size || size > INT32_MAX || address->stride || address->offset < -size ||
	    address->offset >= 0 || !origin->object || !is_end(origin->object, origin->offset))
		return false;
	return access_set_field_if(access, address->type, address->offset + size);
}

bool rule_around_part(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;
	const struct value *part = &solver->origins.items[address->origin].inferred;
	struct field_ref field;
	int64_t offset;

	if (part->kind != VALUE_POINTER || part->type != address->type || part->offset >= 0 ||
	    part->offset == INT64_MIN || access->size > 8 ||
	    __builtin_sub_overflow(address->offset, part->offset, &offset))
		return false;
	scope_types_build(solver->scope_types, solver->function);
	if (!scope_types_around(solver->scope_types, address->type, -part->offset, offset,
				access->size, &field))
		return false;
	*access->field = field;
	access->reason = REASON_NONE;
	return true;
}

struct outside_access access_outside(const struct pointer_access *access)
{
	const struct value *address = access->address;

	return (struct outside_access){ .inner = address->type,
					.offset = address->offset,
					.stride = address->stride,
					.size = access->size };
}

enum scope_choice access_look_around(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct outside_access away = access_outside(access);

	if (!access->looked_around) {
		scope_types_build(solver->scope_types, solver->function);
		access->around =
			scope_types_enclosing(solver->scope_types, &away, &access->around_field);
		access->looked_around = true;
	}
	return access->around;
}

bool access_is_word(const struct pointer_access *access)
{
	return access->size && access->size <= 8;
}

/*
 * Rule sibling-class: true if several classes of the unit that are derived from the pointee's class
 * have a field there, so that the pointer may be cast to any of them. False if the code belongs to
 * a member function of the class that was found.
 */
static bool may_be_other_class(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct outside_access away = access_outside(access);
	const struct stack_fact *method;
	struct field_ref field;
	size_t count;

	if (!solver->function || solver->function->language != LANGUAGE_CXX || !solver->reader ||
	    !rule_is_on(RULE_SIBLING_CLASS) ||
	    !field_contains(access->around_field.type, 0, access->address->type))
		return false;
	const char *name = type_strip(access->address->type)->name;

	/* for nodes of the standard library, the container tells the class (rule container-node) */
	if (name && starts_with(name, "std::"))
		return false;
	method = selves_method(&solver->facts.selves, code_address(access), 0, UINT32_MAX);
	if (method && field_same_type(method->type, access->around_field.type))
		return false;
	const struct type *const *records =
		debug_reader_holders(solver->reader, solver->code->insns[0].address, &count);

	if (records_enclosing(records, count, &away, &field) != SCOPE_SEVERAL)
		return false;
	solver->rule = RULE_SIBLING_CLASS;
	return true;
}

bool rule_enclosing_record(struct pointer_access *access)
{
	if (!access_is_word(access) || access_look_around(access) != SCOPE_ONE ||
	    may_be_other_class(access))
		return false;
	*access->field = access->around_field;
	access->reason = REASON_NONE;
	return true;
}

bool rule_enclosing_in_scope(struct pointer_access *access)
{
	const struct outside_access away = access_outside(access);
	struct field_ref field;

	if (!access_is_word(access) || access_look_around(access) != SCOPE_SEVERAL ||
	    !unlocated_enclosing(access->solver->function, code_address(access), &away, &field))
		return false;
	*access->field = field;
	access->reason = REASON_NONE;
	return true;
}

bool rule_unit_cast(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct outside_access away = access_outside(access);
	struct field_ref field;
	size_t count;

	if (!access_is_word(access) || access_look_around(access) != SCOPE_NONE)
		return false;
	const struct inline_cast *casts =
		debug_reader_inline_casts(solver->reader, solver->code->insns[0].address, &count);

	if (!scope_types_cast(casts, count, &away, &field))
		return false;
	*access->field = field;
	access->reason = REASON_NONE;
	return true;
}

/* Variables that are only in scope count in a kernel alone. Its functions have a variable of the
 * type that they allocate together with a record. */
bool rule_after_record(struct pointer_access *access)
{
	const struct value *address = access->address;
	struct field_ref field;

	if (!access_is_word(access) || access_look_around(access) != SCOPE_NONE ||
	    !unlocated_after(access->solver->function, code_address(access), address->type,
			     address->offset, access->size, access->traits & ACCESS_KERNEL, &field))
		return false;
	*access->field = field;
	access->reason = REASON_NONE;
	return true;
}

/* Never applies in a kernel or in C++, where the bytes after a record usually belong to a larger
 * one around it. */
bool rule_old_flexible_array(struct pointer_access *access)
{
	struct solver *solver = access->solver;
	const struct value *address = access->address;
	struct field_ref field;

	if ((access->traits & ACCESS_KERNEL) || !solver->function ||
	    solver->function->language == LANGUAGE_CXX || address->how == HOW_GLOBAL ||
	    field_size(address->type) > UINT32_MAX ||
	    address->offset >= OBJECT_SIZES_MAX * (int64_t)field_size(address->type) ||
	    !field_old_element(address->type, address->offset, access->size, &field))
		return false;
	*access->field = field;
	access->reason = REASON_NONE;
	return true;
}

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

bool rule_slice_element(struct pointer_access *access)
{
	const struct function *function = access->solver->function;
	const struct value *address = access->address;
	uint64_t size = field_size(address->type);
	bool found = false;

	if (!function || function->language != LANGUAGE_GO || !size || size > UINT32_MAX ||
	    address->offset < (int64_t)size || !type_is_record(type_strip(address->type)))
		return false;
	for (size_t i = 0; i < function->variable_count && !found; i++)
		found = is_slice_of(function->variables[i].type, address->type);
	return found && access_set_field_if(access, address->type, address->offset % (int64_t)size);
}

/* True for the name of the runtime's method table: the first up to Go 1.21, the second since. */
static bool is_method_table(const char *name)
{
	return strcmp(name, "runtime.itab") == 0 || strcmp(name, "internal/abi.ITab") == 0;
}

bool rule_method_table(struct pointer_access *access)
{
	const struct function *function = access->solver->function;
	const struct value *address = access->address;
	const struct type *bare = type_strip(address->type), *array;
	size_t count;

	if (!function || function->language != LANGUAGE_GO || !type_is_record(bare) ||
	    !bare->name || !is_method_table(bare->name) || address->stride ||
	    address->offset < (int64_t)type_size_or(bare, 0))
		return false;
	const struct member *members = type_members(bare, &count);

	array = count ? type_strip(members[count - 1].type) : NULL;
	return array && array->kind == TYPE_ARRAY && type_size_or(array, 0) == access->size &&
	       !((address->offset - members[count - 1].offset) % (int64_t)type_size_or(array, 0)) &&
	       access_set_field_if(access, address->type, members[count - 1].offset);
}

/* ---- the stages, one after the other */

static uint32_t traits_of(const struct solver *solver, const struct value *address)
{
	const struct type *bare = type_strip(address->type);
	uint32_t traits = address->how == HOW_INFERRED ? ACCESS_INFERRED : ACCESS_DECLARED;

	if (!address->stride)
		traits |= ACCESS_CONSTANT;
	if (type_is_record(bare))
		traits |= ACCESS_RECORD;
	if (bare->kind == TYPE_INTEGER || bare->kind == TYPE_POINTER || bare->kind == TYPE_ENUM)
		traits |= ACCESS_SCALAR;
	if (type_size_or(bare, 0) == 1)
		traits |= ACCESS_BYTE;
	if (address->alternative)
		traits |= ACCESS_ALTERNATIVE;
	if (address->origin)
		traits |= ACCESS_ORIGIN;
	if (solver_has_no_variables(solver))
		traits |= ACCESS_UNDECLARED;
	if (solver->kernel)
		traits |= ACCESS_KERNEL;
	if (solver->infer && solver->function)
		traits |= ACCESS_MAY_INFER;
	if (solver->last_resort)
		traits |= ACCESS_LAST_RESORT;
	return traits;
}

/* Returns the first rule of a stage that applies; NULL: none does. If the verdict is an answer, the
 * rule's function has set it; a refusal's reason is set here. */
static const struct rule *apply_stage(struct pointer_access *access, enum rule_stage stage)
{
	const struct rule *rule = &rules[rules_first(stage)], *end = &rules[rules_first(stage + 1)];

	for (; rule < end; rule++) {
		if ((access->traits & rule->needs) != rule->needs ||
		    !rule_is_on((enum rule_id)(rule - rules)) || !rule->applies.access(access))
			continue;
		if (rule->verdict == RULE_REFUSES)
			access->reason = rule->refusal;
		else if (rule->verdict == RULE_DOUBTS)
			access->reason = REASON_OUTSIDE;
		return rule;
	}
	return NULL;
}

/* Runs all stages except the last. Returns the rule that decided; NULL: the declared type did. */
static const struct rule *decide_field(struct pointer_access *access)
{
	const struct value *address = access->address;
	const struct rule *rule = apply_stage(access, STAGE_BEFORE), *doubt = NULL;

	if (rule)
		return rule;
	access->reason = field_cache_find(access->solver->fields, address->type, address->offset,
					  address->stride, access->size, access->field);
	if (access->reason == REASON_NONE) {
		rule = apply_stage(access, STAGE_DECLARED);
		if (!rule || rule->verdict != RULE_DOUBTS)
			return rule;
		doubt = rule;
	}
	if (access->reason != REASON_OUTSIDE)
		return NULL;
	rule = apply_stage(access, address->stride ? STAGE_INDEXED : STAGE_OUTSIDE);
	return rule ? rule : doubt;
}

/* Returns the address with one stride in place of several, if the arrays of its type say which one
 * matters. */
static struct value with_one_stride(const struct value *address, uint64_t size)
{
	struct value result = *address;
	uint64_t strides[STEPS];
	size_t count = value_strides(address, strides);
	uint32_t last = address->stride;
	int64_t offset = address->offset;

	if (field_last_stride(address->type, strides, count, size, &offset, &last)) {
		result.alternative_delta += (int32_t)(address->offset - offset);
		result.offset = offset;
	}
	value_set_stride(&result, last);
	return result;
}

/* True if the index of the address, whose place in its record is `offset`, may be that of two
 * arrays. */
static bool has_two_meanings(const struct value *address, int64_t offset, uint64_t size)
{
	uint64_t strides[STEPS];
	size_t count = value_strides(address, strides);

	return address->stride && size <= 8 &&
	       field_index_fits_two(address->type, offset, strides, count, size);
}

enum access_reason solver_field(struct solver *solver, const struct value *address, uint64_t size,
				struct field_ref *field, uint8_t *how)
{
	const struct value *indexed = address;
	struct value settled;

	/* one stride may belong to an array after the one that the offset is in */
	if (address->steps[0] ||
	    (address->stride && size <= 8 && !field_scalar(address->type, address->offset, size))) {
		settled = with_one_stride(address, size);
		address = &settled;
	}
	struct pointer_access access = {
		.solver = solver,
		.address = address,
		.size = size,
		.field = field,
		.traits = traits_of(solver, address),
		.alternative_offset = (int64_t)((uint64_t)address->offset +
						(uint64_t)(int64_t)address->alternative_delta),
	};
	assert(address->kind == VALUE_POINTER && value_is_sound(address));

	const struct rule *rule = decide_field(&access);

	if (rule && rule->verdict == RULE_INFERS)
		*how = HOW_INFERRED;
	if (access.reason == REASON_NONE && (access.traits & ACCESS_UNDECLARED) && size &&
	    size <= 8) {
		const struct rule *last = apply_stage(&access, STAGE_LAST);

		rule = last ? last : rule;
	}
	if (access.reason == REASON_NONE && !rule &&
	    has_two_meanings(indexed, address->offset, size))
		access.reason = REASON_INDEX;
	if (rule)
		solver->rule = (uint8_t)(rule - rules);
	return access.reason;
}

/* ---- STAGE_LAST: accesses that do not fit, where there are no variables */

/* Hashes and checksums (jhash2() and its like) read this many bytes at a time. */
#define HASH_WORD 4

/* An array of scalars in a record, and the end of the smallest of the nested records that begin
 * where the outermost does and have the array. */
struct array_field {
	const struct type *element; /* NULL: there is no such array */
	int64_t start, end;
	int64_t record_end;
};

/* Returns the array that has this byte of a record. */
static struct array_field array_at(const struct type *type, int64_t offset)
{
	struct array_field field = { 0 };

	for (unsigned int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		const struct type *bare = type_strip(type), *next = NULL;
		size_t count;

		if (bare->kind == TYPE_ARRAY) {
			const struct type *element = type_target(bare);
			int64_t step = element ? (int64_t)field_size(element) : 0;

			if (!step || !type_is_record(type_strip(element))) {
				field.element = step ? type_strip(element) : NULL;
				field.end = field.start + (int64_t)type_size_or(bare, 0);
				return field;
			}
			field.start += (offset - field.start) / step * step;
			type = element;
			continue;
		}
		if (!type_is_record(bare))
			return field;
		if (!field.start)
			field.record_end = (int64_t)type_size_or(bare, 0);
		const struct member *members =
			type_members_near(bare, offset - field.start, &count);

		for (size_t i = 0; i < count && !next; i++) {
			int64_t at = field.start + members[i].offset;

			if (members[i].bit_size || offset < at ||
			    offset >= at + (int64_t)field_size(members[i].type))
				continue;
			next = members[i].type;
			field.start = at;
		}
		if (!next)
			return field;
		type = next;
	}
	return field;
}

/* True for bytes at the start or the end of a record, with nothing wider in any alternative of a
 * union: the record is there to be cast as a whole (struct sockaddr, io_uring's struct io_kiocb). A
 * buffer between other members (skb->cb) belongs to the record, whatever is in it. */
static bool is_in_open_buffer(const struct field_ref *field)
{
	struct array_field array = array_at(field->type, field->offset);

	if (!array.element || array.element->kind != TYPE_INTEGER ||
	    type_size_or(array.element, 0) != 1 || field_in_scalar(field->type, field->offset))
		return false;
	return array.start == 0 || array.end >= array.record_end;
}

/* True for a part of a pointer other than its low half, which is what a difference of two pointers
 * leaves. */
static bool cuts_pointer(const struct field_ref *field, uint64_t size)
{
	const struct type *whole = field_scalar(field->type, field->offset & ~INT64_C(7), 8);

	return whole && type_is_pointer(type_strip(whole)) &&
	       field_cuts_pointer(field->type, field->offset, size) &&
	       (field->offset % 8 || size < 4);
}

/* True for the upper half of a long integer, which is rarely read for its own sake. */
static bool is_upper_half(const struct field_ref *field, uint64_t size)
{
	const struct type *whole =
		size == HASH_WORD && field->offset >= HASH_WORD &&
				!field_scalar(field->type, field->offset, size)
			? field_scalar(field->type, field->offset - HASH_WORD, 2 * HASH_WORD)
			: NULL;

	return whole && type_strip(whole)->kind == TYPE_INTEGER;
}

static bool is_read_in_words(const struct solver *solver, const struct field_ref *field)
{
	for (uint32_t i = 0; i < solver->words.count; i++)
		if (field_same_type(solver->words.items[i], field->type))
			return true;
	return false;
}

bool rule_part_of_integer(struct pointer_access *access)
{
	const struct type *bare = type_strip(access->field->type);

	return bare->kind == TYPE_INTEGER && access->size < type_size_or(bare, 0);
}

bool rule_read_in_words(struct pointer_access *access)
{
	const struct insn *insn = &access->solver->code->insns[access->solver->current];
	const struct operand *operand = insn_memory(insn, false);

	/* code that computes a hash neither writes these words nor compares them */
	return operand && !operand->write && !solver_passes_over(insn) &&
	       type_is_record(type_strip(access->field->type)) && access->size == HASH_WORD &&
	       is_read_in_words(access->solver, access->field);
}

/* True if the access is to a record, and to no whole member of it. */
static bool is_no_member(const struct pointer_access *access)
{
	const struct field_ref *field = access->field;

	return type_is_record(type_strip(field->type)) &&
	       !field_scalar(field->type, field->offset, access->size);
}

bool rule_part_of_pointer(struct pointer_access *access)
{
	return is_no_member(access) && cuts_pointer(access->field, access->size);
}

bool rule_open_buffer(struct pointer_access *access)
{
	return is_no_member(access) && is_in_open_buffer(access->field);
}

void cast_gather(struct solver *solver, const struct field_ref *field, uint64_t size)
{
	if (!solver_has_no_variables(solver) || !type_is_record(type_strip(field->type)) ||
	    solver->words.count == WORDS_MAX || is_read_in_words(solver, field) ||
	    !is_upper_half(field, size))
		return;
	solver->words.items[solver->words.count++] = field->type;
}
