// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects in stack memory: which variable a byte belongs to, and which
 * memory the function gives away.
 */

#include "annotate/code/code.h"
#include "annotate/cxx/table_places.h"
#include "annotate/facts/selves.h"
#include "annotate/flow/solver.h"
#include "annotate/objects/objects.h"
#include "annotate/types/field.h"
#include "annotate/types/member.h"
#include "base/strbuf.h"
#include "base/text.h"

/* ---- variables */

/* Several objects may use one position, one after the other. The one whose code is nearest is taken
 * if the code of all others is at least this many times farther away. */
#define NEARER 4
/* Bytes of code. Where no variable is and several objects are, at different times, one that is used
 * only farther away than this does not tell which of them an access is to: most have no name. */
#define NEAR 64

static bool holds(const struct stack_fact *fact, int64_t within)
{
	return (uint64_t)within < fact->size;
}

/* Finds the offset of the byte `at` bytes from the base of `frame` in the fact's object, which may
 * not reach that far. False if it is not known. */
static bool offset_in(const struct stack_fact *fact, const struct state *state, uint8_t frame,
		      int64_t at, int64_t *within)
{
	const struct value base = fact->base_reg == REG_NONE ? value_frame(FRAME_CFA, 0)
							     : state->values[fact->base_reg];

	*within = at - base.offset - fact->offset;
	return base.kind == VALUE_FRAME && !base.stride && base.frame == frame &&
	       frame <= FRAME_LAST_OTHER;
}

/* Finds the facts that may have the byte `at` bytes from the base of `frame`. */
static void find_here(struct stack_candidates *candidates, const struct stack_index *index,
		      const struct state *state, uint8_t frame, int64_t at)
{
	stack_candidates_start(candidates, index);
	array_each (const struct stack_base, base, index->bases, index->base_count) {
		const struct value *value =
			base->reg == REG_NONE ? NULL : &state->values[base->reg];

		if (!value && frame == FRAME_CFA)
			stack_candidates_add(candidates, index, base, at);
		else if (value && value->kind == VALUE_FRAME && value->frame == frame)
			stack_candidates_add(candidates, index, base, at - value->offset);
	}
}

/* True if `whole` is, or has at `offset`, an integer whose low bytes are `part`: the parameter of
 * an inlined function is narrower than the argument. */
static bool has_narrowed(struct field_cache *fields, const struct stack_fact *whole, int64_t offset,
			 const struct stack_fact *part)
{
	if (type_strip(part->type)->kind != TYPE_INTEGER)
		return false;
	for (uint64_t size = 2 * part->size; size <= WORD; size *= 2) {
		const struct type *wider =
			field_cache_fit(fields, whole->type, offset, size)->scalar;

		if (wider && type_strip(wider)->kind == TYPE_INTEGER)
			return true;
	}
	return false;
}

static bool is_number(const struct type *type)
{
	return type->kind == TYPE_INTEGER || type->kind == TYPE_ENUM;
}

/* True if a value of one of these types becomes one of the other without a change: the parameter of
 * an inlined function may be declared otherwise than what it gets. */
static bool converts(const struct type *a, const struct type *b)
{
	const struct type *one = type_strip(a), *other = type_strip(b);

	return (type_is_pointer(one) && type_is_pointer(other)) ||
	       (is_number(one) && is_number(other));
}

/* True if `whole` has a member like `part`, `offset` bytes in, which may be a wider integer or
 * another pointer. */
static bool has_similar(struct field_cache *fields, const struct stack_fact *whole, int64_t offset,
			const struct stack_fact *part)
{
	const struct type *member;

	if (whole->size <= part->size)
		return false;
	if (has_narrowed(fields, whole, offset, part))
		return true;
	member = field_cache_fit(fields, whole->type, offset, part->size)->scalar;
	return member && (field_same_type(member, part->type) || converts(member, part->type));
}

/* True if `whole` has a part like `part`, `offset` bytes in. For pointees, this may be all of it,
 * because a base class may be all that a class has. */
static bool stack_has_part(struct field_cache *fields, const struct stack_fact *whole,
			   int64_t offset, const struct stack_fact *part)
{
	return field_cache_contains(fields, whole->type, offset, part->type) ||
	       has_similar(fields, whole, offset, part);
}

/* The same for variables, one of which is kept in a part of another. */
static bool holds_variable(struct field_cache *fields, const struct stack_fact *whole,
			   int64_t offset, const struct stack_fact *part)
{
	return whole->size > part->size && stack_has_part(fields, whole, offset, part);
}

/* True if `fact` is the better of two variables that have the same byte: the whole rather than its
 * part, then the inner scope's, then the larger one. */
static bool is_preferred(struct field_cache *fields, const struct stack_fact *fact, int64_t offset,
			 const struct stack_fact *best, int64_t best_offset)
{
	if (holds_variable(fields, fact, offset - best_offset, best))
		return true;
	if (holds_variable(fields, best, best_offset - offset, fact))
		return false;
	return fact->depth > best->depth || (fact->depth == best->depth && fact->size > best->size);
}

/* True if one of the two is all of the other, or a part of it. */
static bool goes_with(struct field_cache *fields, const struct stack_fact *a, int64_t a_offset,
		      const struct stack_fact *b, int64_t b_offset)
{
	return (a_offset == b_offset && field_same_type(a->type, b->type)) ||
	       stack_has_part(fields, a, a_offset - b_offset, b) ||
	       stack_has_part(fields, b, b_offset - a_offset, a);
}

/* The facts of a list that have a byte of the stack. */
struct stack_found {
	/* the best of those whose range holds the address; NULL: none */
	const struct stack_fact *valid;
	int64_t valid_offset;
	/* otherwise one whose range does not; NULL: none, or several that differ */
	const struct stack_fact *outside;
	int64_t outside_offset;
};

/* True if the code at `address` belongs to a member function of the variable's class, perhaps
 * within one of a class with which that begins. If the variable is not made yet, the code then
 * accesses a temporary of the same class in its place. */
static bool is_of_own_class(const struct solver *solver, const struct stack_fact *fact,
			    uint64_t address)
{
	const struct selves *selves = &solver->facts.selves;
	const struct stack_fact *method = selves_method(selves, address, fact->depth, UINT32_MAX);

	while (method && !field_same_type(method->type, fact->type) &&
	       field_contains(fact->type, 0, method->type))
		method = selves_method(selves, address, fact->depth, method->depth);
	return method && field_same_type(method->type, fact->type);
}

/* Returns whether the register that gives the fact's place is the same at `address` as in the
 * fact's range, as far as the code between them tells. */
static bool base_stays(const struct solver *solver, const struct stack_fact *fact, uint64_t address)
{
	const struct cfg *code = solver->code;
	uint64_t low = address < fact->low ? address : fact->high,
		 high = address < fact->low ? fact->low : address;
	size_t i;

	if (fact->base_reg == REG_NONE)
		return true;
	i = partition_point(0, code->insn_count, at, code->insns[at].address < low);
	for (; i < code->insn_count && code->insns[i].address < high; i++)
		if (code->insns[i].operation != OP_CALL &&
		    code->insns[i].written & REG_BIT(fact->base_reg))
			return false;
	return true;
}

/*
 * Finds the number, of a whole word, of a scope deeper than `depth` which has this place elsewhere
 * in the scope, unless it is a part of `object`. If its address is passed on, LLVM gives it the
 * place of objects that are made later, and tells the place as long as it knows the value, not as
 * long as the number lives: the size that the constructor of a std::string asks for. NULL: there
 * is none.
 */
static const struct stack_fact *inner_variable(const struct solver *solver,
					       const struct state *state, uint64_t address,
					       uint8_t frame, int64_t at, uint32_t depth,
					       const struct stack_fact *object, int64_t *offset)
{
	const int64_t object_offset = *offset;
	const struct stack_fact *best = NULL;
	struct stack_candidates candidates;
	uint32_t number;

	find_here(&candidates, &solver->facts.stack_index, state, frame, at);
	while (stack_candidates_next(&candidates, &number)) {
		const struct stack_fact *fact = &solver->facts.stack[number];
		int64_t within;

		if (fact->depth <= depth || fact->size != WORD ||
		    !is_number(type_strip(fact->type)) ||
		    !facts_in_scope(&solver->facts, fact->variable, address) ||
		    !base_stays(solver, fact, address) ||
		    !offset_in(fact, state, frame, at, &within) || !holds(fact, within) ||
		    holds_variable(solver->caches.fields, object,
				   object_offset - within - fact->piece_offset, fact))
			continue;
		depth = fact->depth;
		best = fact;
		*offset = within + fact->piece_offset;
	}
	return best;
}

/* True if the instruction is a store that ends the range. */
static bool ends_with_store(const struct stack_fact *fact, const struct insn *insn,
			    uint64_t next_address)
{
	const struct operand *to = &insn->operands[0];

	return fact->high == next_address && to->kind == OPERAND_MEMORY && to->write && !to->read;
}

/* True if the instruction moves another value than the scalar that the object has at `offset`: a
 * floating-point number, or a pointer that is known to lead to another record. */
static bool is_other_value(const struct stack_fact *fact, int64_t offset, const struct insn *insn,
			   const struct state *state, uint8_t frame, int64_t at)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	bool stores = to->kind == OPERAND_MEMORY, number = insn->flags & FLAG_FLOAT;

	if (fact->open || (!number && insn->operation != OP_MOVE))
		return false;
	const struct slot *slot = number || stores ? NULL : state_slot(state, frame, at, WORD);
	const struct value *value = slot                                 ? &slot->value
				    : stores && operand_is_general(from) ? &state->values[from->reg]
									 : NULL;

	/* a pointer behind an object, or to its first member, may have been cast */
	if (!number && (!value || value->kind != VALUE_POINTER || value->offset ||
			value->how == HOW_INFERRED || !type_is_record(type_strip(value->type))))
		return false;
	const struct type *scalar =
		field_scalar(fact->type, offset, stores ? to->size : from->size);
	const struct type *target = !number && scalar ? field_pointee(scalar) : NULL;

	if (number)
		return scalar && type_strip(scalar)->kind != TYPE_FLOAT;
	return target && type_is_record(type_strip(target)) &&
	       !field_same_type(target, value->type) && !field_contains(value->type, 0, target) &&
	       !field_contains(target, 0, value->type);
}

static struct stack_found stack_find_variable(struct solver *solver, const struct state *state,
					      uint64_t address, uint64_t next_address,
					      uint8_t frame, int64_t at)
{
	struct stack_found found = { 0 };
	struct stack_candidates candidates;
	bool ambiguous = language_has(solver->function, FACT_REUSED_PLACES),
	     has_makers = solver->facts.selves.methods.count, early = false;
	const struct insn *insn = &solver->code->insns[solver->pass.current];
	uint32_t number;

	if (insn->address != address || next_address == address)
		insn = NULL;
	find_here(&candidates, &solver->facts.stack_index, state, frame, at);
	while (stack_candidates_next(&candidates, &number)) {
		const struct stack_fact *fact = &solver->facts.stack[number];
		int64_t within;
		bool valid = (address >= fact->low && address < fact->high) ||
			     (next_address >= fact->low && next_address < fact->high);

		if ((!valid && (found.valid || ambiguous || !base_stays(solver, fact, address))) ||
		    !offset_in(fact, state, frame, at, &within) || !holds(fact, within))
			continue;
		within += fact->piece_offset;
		/* A place where a register was spilled gets the value of something else outside of
		 * the range, or from the store that ends it. The variable itself may be stored
		 * there, too, unless the place is only that of a part of it. */
		if (insn && (!valid || ends_with_store(fact, insn, next_address)) &&
		    ((valid && fact->size < field_size(fact->type)) ||
		     is_other_value(fact, within, insn, state, frame, at))) {
			ambiguous = true;
			continue;
		}
		valid = valid && facts_in_scope(&solver->facts, fact->variable, address);
		bool later = (has_makers && lives_begin_later(solver, fact, address)) ||
			     (valid && lives_declared_later(solver, fact, address));

		if (later && !is_of_own_class(solver, fact, address))
			continue;
		if (valid) {
			if (!found.valid || is_preferred(solver->caches.fields, fact, within,
							 found.valid, found.valid_offset)) {
				found.valid = fact;
				found.valid_offset = within;
				early = later;
			}
		} else if (!found.valid) {
			/* If only one variable ever has this position, it has it a little before
			 * and after its range, too. */
			if (found.outside && (!field_same_type(found.outside->type, fact->type) ||
					      found.outside_offset != within))
				ambiguous = true;
			found.outside = fact;
			found.outside_offset = within;
		}
	}
	/* a number may have had the place of an object that is made later, or has no name */
	if (early || (found.valid && found.valid->how == HOW_INFERRED))
		found.valid = inner_variable(solver, state, address, frame, at,
					     early ? found.valid->depth : 1, found.valid,
					     &found.valid_offset)
				      ?: found.valid;
	if (ambiguous)
		found.outside = NULL;
	return found;
}

/* The pointee that is nearest in code, for one position on the stack. */
struct nearest_object {
	const struct stack_fact *object; /* NULL: none */
	int64_t offset;
	uint64_t distance;
	uint64_t second; /* distance of the nearest pointee that is something else */
};

/* Updates the nearest pointee, and the distance of the second one, with one more pointee. */
static void stack_add_pointee(struct field_cache *fields, struct nearest_object *nearest,
			      const struct stack_fact *fact, int64_t offset, uint64_t distance)
{
	if (nearest->object && goes_with(fields, nearest->object, nearest->offset, fact, offset)) {
		lower_to(nearest->distance, distance);
		if (!stack_has_part(fields, fact, offset - nearest->offset, nearest->object))
			return;
	} else if (distance >= nearest->distance) {
		nearest->second = distance < nearest->second ? distance : nearest->second;
		return;
	} else {
		nearest->second = nearest->distance;
		nearest->distance = distance;
	}
	nearest->object = fact;
	nearest->offset = offset;
}

/*
 * Finds the object that pointers say has this position on the stack. If several do, it is the one
 * whose pointer is used at the smallest distance in code; a whole object comes before its parts.
 * Its `second` is the distance of the next one that is something else.
 *
 * Pointees that may be `variable` itself or a part of it (goes_with(); NULL: no variable), in which
 * the position is at `variable_offset`, are left out, and *agreeing becomes the distance of the
 * nearest of them. With `self`, only pointees with is_self count.
 */
static struct nearest_object find_nearest(const struct solver *solver, const struct state *state,
					  uint64_t address, uint8_t frame, int64_t at,
					  const struct stack_fact *variable,
					  int64_t variable_offset, bool self, uint64_t *agreeing)
{
	const struct facts *facts = &solver->facts;
	struct stack_candidates candidates;
	struct nearest_object nearest = { .distance = UINT64_MAX, .second = UINT64_MAX };
	uint32_t number;

	*agreeing = UINT64_MAX;
	find_here(&candidates, &facts->pointed_index, state, frame, at);
	while (stack_candidates_next(&candidates, &number)) {
		const struct stack_fact *fact = &facts->pointed[number];
		int64_t within;

		if ((self && !fact->is_self) || !offset_in(fact, state, frame, at, &within) ||
		    !holds(fact, within))
			continue;
		uint64_t distance = facts_distance(facts, fact, address);

		if (!variable ||
		    !goes_with(solver->caches.fields, variable, variable_offset, fact, within))
			stack_add_pointee(solver->caches.fields, &nearest, fact, within, distance);
		else if (distance < *agreeing)
			*agreeing = distance;
	}
	if (nearest.distance > nearest.second / NEARER)
		nearest.object = NULL;
	return nearest;
}

const struct stack_fact *solver_stack_variable(struct solver *solver, const struct state *state,
					       uint64_t address, uint64_t next_address,
					       uint8_t frame, int64_t at, int64_t *offset)
{
	struct stack_found found =
		stack_find_variable(solver, state, address, next_address, frame, at);

	*offset = found.valid ? found.valid_offset : found.outside_offset;
	return found.valid ? found.valid : found.outside;
}

/*
 * True if `object` is there and not the variable, whose location is the same in all of its scope:
 * before and after the variable's life, the compiler keeps unnamed objects there. If the variable
 * is one of the whole function, the pointee that is nearest in code decides.
 */
static bool is_instead_of_variable(const struct stack_fact *variable,
				   const struct nearest_object *object, uint64_t agreeing)
{
	if (variable->low || variable->high != UINT64_MAX ||
	    object->object->depth <= variable->depth)
		return false;
	return !object->distance ||
	       (variable->depth <= 1 && agreeing != UINT64_MAX && object->distance < agreeing);
}

/* Classes that matter here begin at multiples of this. */
#define ALIGNMENT 8

/* An object that `this` or a reference points to, and the offset of a byte in it. */
struct self {
	const struct stack_fact *object; /* NULL: none */
	int64_t offset;
};

static bool reaches_byte(const struct stack_fact *object, int64_t within)
{
	return within >= 0 && (object->open || holds(object, within));
}

/*
 * Finds the object that `this` or a reference of the innermost scope points to at `address` and
 * that has this byte; the whole before its parts. A class that is known only by name may reach any
 * distance: the byte is taken to be in it, because the instruction's innermost scope is about it.
 */
static struct self self_at(const struct solver *solver, const struct state *state, uint64_t address,
			   uint8_t frame, int64_t at)
{
	const struct facts *facts = &solver->facts;
	const struct stack_fact_list *objects = &facts->selves.objects;
	size_t index = selves_begin(objects, address);
	const struct stack_fact *fact;
	struct self best = { 0 };

	while ((fact = selves_next(objects, address, &index))) {
		int64_t within;

		if (!facts_in_scope(facts, fact->variable, address) ||
		    !offset_in(fact, state, frame, at, &within) || !reaches_byte(fact, within))
			continue;
		if (!best.object || (fact->depth > best.object->depth
					     ? !stack_has_part(solver->caches.fields, best.object,
							       best.offset - within, fact)
					     : stack_has_part(solver->caches.fields, fact,
							      within - best.offset, best.object)))
			best = (struct self){ fact, within };
	}
	return best;
}

/* Finds the object of the method's class that has this position elsewhere in the function, for code
 * in which `this` has no location. There must be only one. */
static struct self self_of_method(const struct solver *solver, const struct stack_fact *method,
				  uint8_t frame, int64_t at)
{
	const struct stack_fact_list *places = &solver->facts.selves.places;
	struct self found = { 0 };

	for (size_t i = 0; i < places->count && frame == FRAME_CFA; i++) {
		const struct stack_fact *place = &places->items[i];
		int64_t within = at - place->offset;

		if (!field_same_type(place->type, method->type) || !reaches_byte(place, within))
			continue;
		/* of two that are open, the nearer one */
		if (found.object && !place->open)
			return (struct self){ 0 };
		if (!found.object || within < found.offset)
			found = (struct self){ place, within };
	}
	return found;
}

/* Finds the method's object by a register that has `this` elsewhere in the method. Compilers move
 * accesses to before the range of the variable's location, where the register has its value
 * already. */
static struct self self_in_register(const struct solver *solver, const struct state *state,
				    const struct stack_fact *method, uint8_t frame, int64_t at)
{
	const struct variable *self = method->variable == NO_VARIABLE
					      ? NULL
					      : &solver->function->variables[method->variable];

	for (size_t i = 0; self && i < self->location_count; i++) {
		const struct location *location = &self->locations[i];
		uint8_t reg = location->kind == LOCATION_REGISTER
				      ? arch_reg_from_dwarf(solver->arch, location->reg)
				      : REG_NONE;
		const struct value *value = reg_is_general(reg) ? &state->values[reg] : NULL;

		if (value && value->kind == VALUE_FRAME && !value->stride &&
		    value->frame == frame && reaches_byte(method, at - value->offset))
			return (struct self){ method, at - value->offset };
	}
	return (struct self){ 0 };
}

/*
 * Returns the object of a known size, anywhere in the function, that has this byte and begins after
 * `start`. A class that is known only by name ends before it, or has it as a member.
 */
static struct self self_after(const struct solver *solver, uint8_t frame, int64_t start, int64_t at)
{
	const struct stack_fact_list *places = &solver->facts.selves.places;
	struct self found = { 0 };

	for (size_t i = 0; i < places->count && frame == FRAME_CFA; i++) {
		const struct stack_fact *place = &places->items[i];
		int64_t within = at - place->offset;

		if (place->open || place->offset <= start || !reaches_byte(place, within))
			continue;
		if (found.object &&
		    goes_with(solver->caches.fields, found.object, found.offset, place, within) &&
		    !stack_has_part(solver->caches.fields, place, within - found.offset,
				    found.object))
			continue;
		found = (struct self){ place, within };
	}
	return found;
}

static bool stack_is_located(const struct solver *solver, uint32_t variable, uint64_t address)
{
	const struct variable *at =
		variable == NO_VARIABLE ? NULL : &solver->function->variables[variable];

	return at && any_of(i, 0, at->location_count,
			    address >= at->locations[i].low && address < at->locations[i].high);
}

/* Finds the object that the code at `address` is about, by its inlined member functions; an open
 * class may reach beyond its end. */
static struct self self_of_code(const struct solver *solver, const struct state *state,
				uint64_t address, uint8_t frame, int64_t at)
{
	struct self self = self_at(solver, state, address, frame, at);
	const struct stack_fact *method = selves_method(
		&solver->facts.selves, address, self.object ? self.object->depth : 0, UINT32_MAX);

	if (!method || stack_is_located(solver, method->variable, address))
		return self;
	struct self other = self_in_register(solver, state, method, frame, at);

	if (!other.object)
		other = self_of_method(solver, method, frame, at);
	if (other.object)
		return other;
	/* the method is called for the same object */
	if (self.object && self.object->open && method->open &&
	    selves_share_address(&solver->facts.selves, self.object->type, method->type))
		return (struct self){ method, self.offset };
	return self;
}

static struct self self_here(const struct solver *solver, const struct state *state,
			     uint64_t address, uint8_t frame, int64_t at)
{
	struct self self = self_of_code(solver, state, address, frame, at);
	struct self after = { 0 };

	if (self.object && self.object->open)
		after = self_after(solver, frame, at - self.offset, at);
	return after.object ? after : self;
}

/* True if the variable has an object of that class around the byte, which is then the one
 * accessed. */
static bool has_around(struct field_cache *fields, const struct stack_fact *variable,
		       int64_t offset, const struct stack_fact *object)
{
	for (uint64_t within = 0; within < object->size; within += ALIGNMENT)
		if (stack_has_part(fields, variable, offset - offset % ALIGNMENT - (int64_t)within,
				   object))
			return true;
	return false;
}

/*
 * True if the code at `address` constructs the variable, whose class is only declared, and the
 * access may be to the variable rather than to `object`, a part that is constructed with it. That
 * is so in an inlined function that is no member of a class, and where two small members of an open
 * class are stored at once.
 */
static bool is_made_with(const struct solver *solver, uint64_t address,
			 const struct stack_fact *variable, const struct stack_fact *object,
			 uint64_t size)
{
	const struct selves *selves = &solver->facts.selves;
	const struct stack_fact *method = selves_method(selves, address, 0, UINT32_MAX);
	bool plain = method && selves_inlined_depth(solver->function, address) > method->depth;

	if (object->open ? size != 2 : !plain)
		return false;
	for (; method; method = selves_method(selves, address, 0, method->depth))
		if (method->is_maker && field_same_type(method->type, variable->type))
			return true;
	return false;
}

/* Finds the object that pointers say is at this place, or the variable there. *offset is that of
 * the byte in the variable, and becomes that in the object. */
static const struct stack_fact *pointed_object(struct solver *solver, const struct state *state,
					       uint64_t address, uint8_t frame, int64_t at,
					       const struct stack_found *declared, int64_t *offset)
{
	const struct stack_fact *variable = declared->valid ? declared->valid : declared->outside;
	bool sure = declared->valid && declared->valid->how != HOW_INFERRED;
	uint64_t agreeing;

	if (!solver->facts.pointed_count)
		return variable;
	struct nearest_object nearest =
		find_nearest(solver, state, address, frame, at, variable, *offset, sure, &agreeing);

	if (!nearest.object ||
	    (!variable && nearest.second != UINT64_MAX && nearest.distance > NEAR) ||
	    (sure && !is_instead_of_variable(variable, &nearest, agreeing)) ||
	    (variable && !sure && agreeing <= nearest.distance) ||
	    (variable && !declared->valid &&
	     facts_distance(&solver->facts, variable, address) <= nearest.distance))
		return variable;
	*offset = nearest.offset;
	if (variable || !nearest.distance)
		return nearest.object;

	const struct stack_fact *inner =
		inner_variable(solver, state, address, frame, at, 1, nearest.object, offset);

	return inner ?: nearest.object;
}

static const struct stack_fact *object_at(struct solver *solver, const struct state *state,
					  uint64_t address, uint64_t next_address, uint8_t frame,
					  int64_t at, uint64_t size, int64_t *offset,
					  bool *made_together)
{
	struct stack_found declared =
		stack_find_variable(solver, state, address, next_address, frame, at);
	*offset = declared.valid ? declared.valid_offset : declared.outside_offset;
	/* a store of several members at once may be to members of several parts */
	bool whole = declared.valid &&
		     (declared.valid->open ? size > WORD : declared.valid->how != HOW_INFERRED);

	if (solver->facts.selves.methods.count) {
		struct self self = self_here(solver, state, address, frame, at);

		if (self.object && self.object->open && size > WORD)
			self.object = NULL; /* it may be to members of several parts */
		if (self.object && declared.valid && declared.valid->open &&
		    declared.valid->how != HOW_INFERRED &&
		    is_made_with(solver, address, declared.valid, self.object, size)) {
			*made_together = true;
			return declared.valid;
		}
		if (self.object &&
		    (!whole ||
		     (!declared.valid->open && self.object->depth > declared.valid->depth &&
		      !field_same_type(self.object->type, declared.valid->type) &&
		      !has_around(solver->caches.fields, declared.valid, declared.valid_offset,
				  self.object) &&
		      !goes_with(solver->caches.fields, declared.valid, declared.valid_offset,
				 self.object, self.offset)))) {
			*offset = self.offset;
			return self.object;
		}
	}
	bool sure = declared.valid && declared.valid->how != HOW_INFERRED;
	int64_t within;
	const struct stack_fact *given =
		sure ? NULL : call_objects_find(solver, solver->pass.current, frame, at, &within);
	const struct stack_fact *other =
		pointed_object(solver, state, address, frame, at, &declared, offset);

	if (!given ||
	    (other && stack_has_part(solver->caches.fields, other, *offset - within, given)))
		return other;
	*offset = within;
	return given;
}

/* ---- buffers of strings */

/* libstdc++ keeps the characters of a short std::string in the string itself
 * (bits/basic_string.h, _M_local_buf), which the first word then points to. */
#define STRING_BUFFER  16
#define STRING_NAME    "basic_string<"
#define STRING_POINTER "_M_dataplus._M_p" /* its first word */

/* A loaded pointer is compared with the address of the buffer within this many instructions. */
#define BUFFER_REACH_MAX 6

static bool is_buffer(const struct value *value, uint8_t frame, int64_t at)
{
	return value->kind == VALUE_FRAME && !value->stride && value->frame == frame &&
	       value->offset == at + STRING_BUFFER;
}

/* Returns the value that the memory operand has on the stack, if it is known. */
static struct value spilled(struct solver *solver, const struct state *state,
			    const struct operand *operand)
{
	struct value address = solver_address(solver, state, operand);
	const struct slot *slot = address.kind == VALUE_FRAME && !address.stride
					  ? state_slot(state, address.frame, address.offset, WORD)
					  : NULL;

	return slot ? slot->value : value_unknown(0);
}

/* True if the value that instruction `index` loads into `reg` is compared with the address of the
 * bytes STRING_BUFFER after the word. */
static bool is_compared(struct solver *solver, const struct state *state, uint32_t index,
			uint8_t reg, uint8_t frame, int64_t at)
{
	const struct cfg *code = solver->code;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, index)];
	struct value values[REG_GENERAL_COUNT];

	memcpy(values, state->values, sizeof(values));
	for (uint32_t i = index + 1;
	     i < block->first + block->count && i - index <= BUFFER_REACH_MAX; i++) {
		const struct insn *insn = &code->insns[i];
		const struct operand *a = &insn->operands[0], *b = &insn->operands[1];

		if (insn->operation == OP_COMPARE && a->kind == OPERAND_REGISTER &&
		    b->kind == OPERAND_REGISTER && a->size == WORD && reg_is_general(a->reg) &&
		    reg_is_general(b->reg)) {
			uint8_t other = a->reg == reg ? b->reg : a->reg;

			return (a->reg == reg || b->reg == reg) && other != reg &&
			       is_buffer(&values[other], frame, at);
		}
		if (insn->operation == OP_CALL || (insn->written & REG_BIT(reg)))
			return false;
		struct value known = value_unknown(0);

		if (insn->operation == OP_LEA)
			known = solver_address(solver, state, b);
		else if (insn->operation == OP_MOVE && b->kind == OPERAND_MEMORY && b->size == WORD)
			known = spilled(solver, state, b);

		bits_each (bit, insn->written & GENERAL_MASK)
			values[bit] = known;
	}
	return false;
}

/* True if the instruction treats the word on the stack as a string's pointer to its own buffer. */
static bool points_to_own_buffer(struct solver *solver, const struct state *state, uint8_t frame,
				 int64_t at, uint64_t size)
{
	const struct insn *insn = &solver->code->insns[solver->pass.current];
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

	if (insn->operation != OP_MOVE || size != WORD || from->size != WORD)
		return false;
	if (to->kind == OPERAND_MEMORY)
		return operand_is_general(from) && is_buffer(&state->values[from->reg], frame, at);
	return from->kind == OPERAND_MEMORY && operand_is_general(to) &&
	       is_compared(solver, state, solver->pass.current, to->reg, frame, at);
}

/* True if the object is not just a part of a string: it is a whole variable, or is too large. */
static bool may_be_whole(const struct solver *solver, const struct stack_fact *object)
{
	const struct function *function = solver->function;

	return object->type &&
	       (object->size >= STRING_BUFFER ||
		(object->variable < function->variable_count &&
		 field_same_type(object->type, function->variables[object->variable].type)));
}

/* True if the variable may have a pointer at `offset` to its own bytes STRING_BUFFER further on: it
 * is a string's, or another pointer, and the variable has no word in the place of these bytes. */
static bool may_have_buffer(const struct stack_fact *variable, int64_t offset)
{
	_cleanup_strbuf_ struct strbuf path = { 0 };

	if (variable->open)
		return true;
	if (offset < 0 || (uint64_t)offset + STRING_BUFFER >= field_size(variable->type))
		return false;
	const struct type *word = field_scalar(variable->type, offset, WORD);

	return (word && type_is_pointer(type_strip(word)) &&
		!field_scalar(variable->type, offset + STRING_BUFFER, WORD)) ||
	       (member_path(variable->type, offset, WORD, &path) &&
		ends_with(path.data, STRING_POINTER));
}

/* Returns the string that `this` or a reference has at this place, anywhere in the
 * function. NULL: none has. */
static const struct stack_fact *string_at(const struct solver *solver, int64_t at)
{
	const struct stack_fact_list *places = &solver->facts.selves.places;

	for (size_t i = 0; i < places->count; i++) {
		const struct type *type = type_strip(places->items[i].type);

		if (places->items[i].offset == at && type->name && strstr(type->name, STRING_NAME))
			return &places->items[i];
	}
	return NULL;
}

/* True if it is not known what the object has at `offset`: its class is only declared, or the class
 * is defined and has no scalar of this size there. */
static bool is_opaque(const struct stack_fact *object, int64_t offset, uint64_t size)
{
	if (object->open)
		return true;
	return offset >= 0 && (uint64_t)offset < object->size &&
	       field_size(object->type) == object->size &&
	       type_is_record(type_strip(object->type)) &&
	       !field_scalar(object->type, offset, size);
}

/* ---- objects that an access fits */

/* True if the access goes to a part of a member that no code accesses by itself: a part of a
 * pointer, or in a store a part of any other word. */
static bool is_misfit(const struct stack_fact *object, int64_t offset, uint64_t size, bool stores)
{
	if (object->open || offset < 0 || !size || size >= WORD ||
	    !type_is_record(type_strip(object->type)) || fit_at(object->type, offset, size).whole)
		return false;
	return fit_at(object->type, offset, size).kind == FIT_PART_OF_POINTER ||
	       (stores && fit_at(object->type, offset - offset % WORD, WORD).whole);
}

/* The objects that fit an access. */
struct fitting_fact {
	const struct stack_fact *object; /* NULL: none */
	int64_t offset;                  /* of the access in the object */
	bool several;                    /* there are others that are no part of the object */
};

/* Adds an object if it has a scalar where the access goes. */
static void add_fitting(struct field_cache *fields, struct fitting_fact *fitting,
			const struct stack_fact *object, int64_t offset, uint64_t size)
{
	if (object->open || offset < 0 || !fit_at(object->type, offset, size).whole)
		return;
	if (!fitting->object ||
	    stack_has_part(fields, object, offset - fitting->offset, fitting->object))
		*fitting = (struct fitting_fact){ object, offset, fitting->several };
	else if (!goes_with(fields, fitting->object, fitting->offset, object, offset))
		fitting->several = true;
}

/* Finds the objects that have this byte at some time and that the access fits. If just one variable
 * in scope does, the others do not count. */
static struct fitting_fact find_fitting(struct solver *solver, const struct state *state,
					uint64_t address, uint8_t frame, int64_t at, uint64_t size)
{
	const struct facts *facts = &solver->facts;
	const struct stack_fact_list *places = &facts->selves.places;
	struct stack_candidates candidates;
	struct fitting_fact inside = { 0 }, any = { 0 };
	uint32_t number;

	find_here(&candidates, &facts->stack_index, state, frame, at);
	while (stack_candidates_next(&candidates, &number)) {
		const struct stack_fact *fact = &facts->stack[number];
		int64_t within;

		if (!offset_in(fact, state, frame, at, &within) || !holds(fact, within))
			continue;
		if (facts_in_scope(facts, fact->variable, address))
			add_fitting(solver->caches.fields, &inside, fact, within, size);
		add_fitting(solver->caches.fields, &any, fact, within, size);
	}
	for (size_t i = 0; i < places->count && frame == FRAME_CFA; i++)
		if (reaches_byte(&places->items[i], at - places->items[i].offset))
			add_fitting(solver->caches.fields, &any, &places->items[i],
				    at - places->items[i].offset, size);
	int64_t within;
	const struct stack_fact *given =
		call_objects_find(solver, solver->pass.current, frame, at, &within);

	if (given)
		add_fitting(solver->caches.fields, &any, given, within, size);
	return inside.object && !inside.several ? inside : any;
}

/* Returns `object` if the access fits it, otherwise the only other object at
 * this place that it fits. If there is not exactly one, asks for the arguments of calls, which also
 * show objects, and returns NULL; once they have been gathered, returns `object`. */
static const struct stack_fact *fitting_object(struct solver *solver, const struct state *state,
					       uint64_t address, uint8_t frame, int64_t at,
					       uint64_t size, const struct stack_fact *object,
					       int64_t *offset)
{
	const struct operand *to = &solver->code->insns[solver->pass.current].operands[0];

	if (!is_misfit(object, *offset, size, to->kind == OPERAND_MEMORY && to->write && !to->read))
		return object;
	const struct fitting_fact fitting = find_fitting(solver, state, address, frame, at, size);

	if (!fitting.object || fitting.several) {
		if (solver->pass.gathered || !solver->options.infer)
			return object;
		solver->pass.wants_calls = solver->result.wants_calls = true;
		return NULL;
	}
	*offset = fitting.offset;
	return fitting.object;
}

const struct stack_fact *solver_stack_object(struct solver *solver, const struct state *state,
					     uint64_t address, uint64_t next_address, uint8_t frame,
					     int64_t at, uint64_t size, int64_t *offset)
{
	bool made_together = false;
	const struct stack_fact *object = object_at(solver, state, address, next_address, frame, at,
						    size, offset, &made_together);
	const struct stack_fact *part =
		object && frame == FRAME_CFA && size <= WORD && !made_together &&
				is_opaque(object, *offset, size)
			? table_places_part(solver, state, object, at, offset)
			: NULL;

	if (part)
		return part;
	if (object)
		object = fitting_object(solver, state, address, frame, at, size, object, offset);
	if (!object || frame != FRAME_CFA || !language_has(solver->function, FACT_TEMPORARIES) ||
	    !may_be_whole(solver, object) || may_have_buffer(object, *offset) ||
	    !points_to_own_buffer(solver, state, frame, at, size))
		return object;
	*offset = 0;
	return string_at(solver, at);
}

void solver_escape_stack(struct solver *solver, const struct state *state,
			 const struct value *value, uint64_t address, uint64_t size)
{
	int64_t offset = 0;
	struct escape escape = { .frame = value->frame, .low = value->offset, .high = INT64_MAX };
	const struct stack_fact *variable = solver_stack_variable(
		solver, state, address, address, value->frame, value->offset, &offset);

	escape.unnamed = !variable;
	if (variable) {
		escape.low = value->offset - offset;
		escape.high = escape.low + (int64_t)variable->size;
	} else if (size < UINT32_MAX) {
		escape.high = escape.low + (int64_t)size;
	} else if (solver->abi->flatten && value->frame == FRAME_CFA && value->offset < 0) {
		/* Go keeps arguments in the caller's frame. Those that have an address are
		 * variables. */
		escape.high = 0;
	}
	array_each (struct escape, old, solver->frame.escapes, solver->frame.escape_count) {
		if (old->frame == escape.frame && old->low <= escape.low &&
		    old->high >= escape.high)
			return;
	}
	array_add(solver->frame.escapes, solver->frame.escape_count,
		  solver->frame.escape_capacity) = escape;
}
