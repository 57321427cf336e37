// SPDX-License-Identifier: GPL-2.0-or-later
/* Tags beside unions: see tag_union.h. */
#include "annotate/answer/tag_union.h"

#include "annotate/answer/answer.h"
#include "annotate/code/code.h"
#include "annotate/flow/solver.h"
#include "annotate/language/variants.h"
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/union_member.h"

/* ---- the tags of a union */

/* A union that an access is in. */
struct tagged_union {
	struct union_place place;
	unsigned int first; /* the number of its first candidate */
	unsigned int level; /* how many unions are around it */
	struct union_around around;
	struct field_ref own;       /* the union itself */
	struct union_ranges ranges; /* of the place, if they are listed */
	bool listed;
};

static const struct union_ranges *ranges_of(struct tagged_union *found)
{
	if (!found->listed)
		union_ranges_find(&found->place, &found->ranges);
	found->listed = true;
	return &found->ranges;
}

/* Goes from a part of the access's type, at `offset` in which the access is, to the outermost union
 * in it that has the access in several members. False: there is none. */
static bool enter(struct tagged_union *found, const struct type *type, int64_t offset,
		  uint64_t bits)
{
	uint64_t element = found->place.element;

	found->place = union_outermost_in(type, offset, bits, &found->around);
	if (!found->place.element)
		found->place.element = element;
	found->own = (struct field_ref){ found->place.type, 0 };
	found->listed = false;
	return found->place.type;
}

/* Finds the outermost union around an access, as union_outermost() does. */
static bool find_union(const struct type *type, int64_t offset, uint64_t bits,
		       struct tagged_union *found)
{
	*found = (struct tagged_union){ 0 };
	return enter(found, type, offset, bits);
}

/* Goes on from the union to the next one in the member that union_choose() has returned. */
static bool enter_member(struct tagged_union *found, const struct member *member)
{
	for (unsigned int i = 0; i < found->around.count; i++)
		found->around.structs[i].offset += member->offset;
	found->level++;
	return enter(found, member->type, found->place.offset - member->offset, found->place.bits);
}

/* If the candidates are in one member of the union, goes on to the next union in it. */
static bool go_inside(struct tagged_union *found, uint64_t candidates)
{
	const struct member *member = union_choose(ranges_of(found), candidates, &found->first);

	return member && enter_member(found, member);
}

/* Returns the members of the union that have candidates of the access. */
static uint64_t members_of(struct tagged_union *found, uint64_t candidates)
{
	return union_members(ranges_of(found), candidates >> found->first);
}

/* A bit-field of more bits is no tag. */
#define TAG_BITS_MAX 7

struct tag {
	const struct field_ref *around; /* the struct that has it and the union, or the union */
	int64_t offset;                 /* in that struct */
	const struct type *type;
	uint8_t size;
	uint64_t mask; /* its bits */
};

/* Sets *tag if the member, of a record that begins `base` bytes into the struct, is an integer or
 * enum, or else a pointer to a record (`pointers`). */
static bool tag_of(const struct member *member, int64_t base, bool pointers, struct tag *tag)
{
	const struct type *bare = type_strip(member->type), *record = field_pointee(bare);
	uint64_t size = field_size(bare), first = member->bit_offset;
	int64_t start = base + member->offset;

	if (pointers) {
		tag->offset = start;
		tag->type = bare;
		tag->size = WORD;
		tag->mask = UINT64_MAX;
		return record && size == WORD && type_is_record(type_strip(record));
	}
	if (bare->kind != TYPE_INTEGER && bare->kind != TYPE_ENUM)
		return false;
	if (member->bit_size) {
		/* the aligned bytes that have all of its bits */
		start += (int64_t)(first / 8);
		first %= 8;
		size = first + member->bit_size <= 8 ? 1 : 2;
		if (member->bit_size > TAG_BITS_MAX)
			return false;
	}
	tag->offset = start;
	tag->type = bare;
	tag->size = (uint8_t)size;
	tag->mask = member->bit_size ? low_bits(member->bit_size) << first
				     : low_bits((unsigned int)(8 * size));
	return size == 1 || size == 2 || size == 4;
}

/* The most records of a struct in which tags are looked for. */
#define TAG_RECORDS_MAX 8

static bool is_pointer(const struct tag *tag)
{
	return type_is_pointer(tag->type);
}

/* True if the tags have bits in common. */
static bool overlap(const struct tag *a, const struct tag *b)
{
	int64_t apart = b->offset - a->offset;

	if (apart <= -WORD || apart >= WORD)
		return false;
	return apart >= 0 ? a->mask >> 8 * apart & b->mask : b->mask >> -8 * apart & a->mask;
}

/* Adds a tag. Of those that overlap in a union, only the smallest one is kept: it is the tag. */
static size_t add_tag(struct tag tags[TAGS_MAX], size_t count, struct tag tag)
{
	if (any_of(i, 0, count, overlap(&tags[i], &tag) && tags[i].mask <= tag.mask))
		return count;
	array_keep(i, tags, count, !overlap(&tags[i], &tag));
	if (count < TAGS_MAX)
		tags[count++] = tag;
	return count;
}

/* Adds the tags of a struct that are beside the union, also those in records. */
static size_t list_tags_in(const struct tagged_union *found, const struct field_ref *around,
			   bool pointers, struct tag tags[TAGS_MAX], size_t used)
{
	struct field_ref records[TAG_RECORDS_MAX] = { { around->type, 0 } };
	size_t record_count = 1, count;
	int64_t end = around->offset + (int64_t)field_size(found->place.type);

	for (size_t k = 0; k < record_count; k++) {
		const struct member *members = type_members(type_strip(records[k].type), &count);

		for (size_t i = 0; members && i < count; i++) {
			const struct type *bare = type_strip(members[i].type);
			struct tag tag = { .around = around };
			int64_t offset = records[k].offset + members[i].offset;

			if (offset < end && offset + (int64_t)field_size(bare) > around->offset)
				continue;
			if (tag_of(&members[i], records[k].offset, pointers, &tag))
				used = add_tag(tags, used, tag);
			else if (type_is_record(bare) && record_count < TAG_RECORDS_MAX)
				records[record_count++] = (struct field_ref){ bare, offset };
		}
	}
	return used;
}

/* True if a type has the same member at an offset as another one: of the same name, size and bits.
 */
static bool has_like(const struct type *type, int64_t offset, const struct member *model)
{
	for (unsigned int depth = 0; depth < TYPE_DEPTH_MAX; depth++) {
		const struct type *inner = NULL;
		int64_t start = 0;

		if (type_strip(type)->kind != TYPE_STRUCT)
			return false;
		members_each (member, type_members_near, type_strip(type), offset) {
			if (member->offset == offset && member->name && model->name &&
			    strcmp(member->name, model->name) == 0 &&
			    member->bit_offset == model->bit_offset &&
			    member->bit_size == model->bit_size &&
			    field_size(member->type) == field_size(model->type))
				return true;
			if (member->offset <= offset &&
			    offset - member->offset < (int64_t)field_size(member->type)) {
				inner = member->type;
				start = member->offset;
			}
		}
		if (!inner)
			return false;
		type = inner;
		offset -= start;
	}
	return false;
}

/* True if all structs in the union that are large enough, at least two, have the member of its
 * first one at this offset: C11 6.5.2.3p6 allows each to be used to read it. */
static bool is_common_tag(const struct type *whole, int64_t offset, const struct member *model)
{
	unsigned int with = 0;

	members_each (member, type_members, whole) {
		if (type_strip(member->type)->kind != TYPE_STRUCT ||
		    (int64_t)field_size(member->type) <= offset)
			continue;
		if (!has_like(member->type, offset, model))
			return false;
		with++;
	}
	return with >= 2;
}

/* Adds the tag in the union itself, in what all of its structs begin with: the first number there,
 * as others are marks and counts. */
static size_t list_tags_inside(const struct tagged_union *found, struct tag tags[TAGS_MAX])
{
	struct field_ref records[TAG_RECORDS_MAX];
	size_t record_count = 0, used = 0, first = 0;
	int64_t end = INT64_MAX; /* of what they begin with */

	members_each (member, type_members, found->own.type)
		if (!record_count && type_strip(member->type)->kind == TYPE_STRUCT)
			records[record_count++] = (struct field_ref){ member->type, 0 };
	for (size_t k = 0; k < record_count; k++)
		members_each (member, type_members, type_strip(records[k].type)) {
			const int64_t offset = records[k].offset + member->offset;
			struct tag tag = { .around = &found->own };

			if (type_strip(member->type)->kind == TYPE_STRUCT &&
			    record_count < TAG_RECORDS_MAX)
				records[record_count++] =
					(struct field_ref){ member->type, offset };
			else if (!is_common_tag(found->own.type, offset, member))
				end = offset < end ? offset : end;
			else if (tag_of(member, records[k].offset, false, &tag))
				used = add_tag(tags, used, tag);
		}
	for (size_t i = 1; i < used; i++)
		first = tags[i].offset < tags[first].offset ? i : first;
	if (!used || tags[first].offset >= end)
		return 0;
	tags[0] = tags[first];
	return 1;
}

/* Lists those of the union itself, or else of the innermost struct around it that has some, and
 * pointers in all structs around it. */
static size_t list_tags(const struct tagged_union *found, struct tag tags[TAGS_MAX])
{
	size_t used = list_tags_inside(found, tags);

	for (unsigned int i = found->around.count; i-- > 0 && !used;)
		used = list_tags_in(found, &found->around.structs[i], false, tags, used);
	for (unsigned int i = found->around.count; i-- > 0;)
		used = list_tags_in(found, &found->around.structs[i], true, tags, used);
	return used;
}

/* The numbers that are told apart in a tag of several bytes that is no enum. Each costs a run of
 * the code. */
#define NUMBERS_MAX 32

/* Returns the values that a tag can have: the constants of an enum, the addresses of the question,
 * or else small numbers. */
static struct tag_values values_of(const struct tag *tag, size_t addresses)
{
	size_t count;
	const struct enumerator *enumerators = type_enumerators(tag->type, &count);
	struct tag_values all = { 0 };

	for (unsigned int i = 0; is_pointer(tag) && i <= addresses; i++)
		tag_values_add(&all, i);
	if (is_pointer(tag))
		return all;
	for (unsigned int i = 0; i < count && i < TAG_VALUES_MAX; i++)
		if (count <= NUMBERS_MAX ||
		    (enumerators[i].value >= 0 && enumerators[i].value < TAG_VALUES_MAX))
			tag_values_add(&all, i);
	for (uint64_t i = 0, end = low_bits((unsigned int)__builtin_popcountll(tag->mask));
	     !count && i < (tag->size == 1 ? TAG_VALUES_MAX : NUMBERS_MAX) && i <= end; i++)
		tag_values_add(&all, (unsigned int)i);
	return all;
}

static struct distant_place tag_union_place_of(const struct solver *solver,
					       const struct tagged_union *found,
					       const struct tag *tag)
{
	return (struct distant_place){ .kind = DISTANT_UNION,
				       .code = solver->function->unit_source,
				       .address = solver->code->insns[0].address,
				       .record = type_canonical(tag->around->type),
				       .offset = tag->around->offset,
				       .mask = tag->mask,
				       .tag = found->level,
				       .target = tag->offset };
}

/* True if an access of this size is to a tag that the union itself has, in whichever member. */
static bool is_to_tag(const struct tagged_union *found, const struct tag *tag, uint64_t size)
{
	const int64_t offset = found->place.offset;

	return tag->around == &found->own && offset < tag->offset + tag->size &&
	       tag->offset < offset + (int64_t)size;
}

/* True if the values are all those of a set with the same bits at some places: code has tested
 * these bits. */
static bool have_bits(const struct tag_values *all, const struct tag_values *values)
{
	unsigned int ones = UINT32_MAX, zeros = UINT32_MAX;

	for (unsigned int i = 0; i < TAG_VALUES_MAX; i++) {
		ones &= tag_values_has(values, i) ? i : UINT32_MAX;
		zeros &= tag_values_has(values, i) ? ~i : UINT32_MAX;
	}
	return tag_values_count(values) ==
	       sum_over(unsigned int, i, 0, TAG_VALUES_MAX,
			tag_values_has(all, (unsigned int)i) && (i & ones) == ones && !(i & zeros));
}

/* True if these are values of an integer for which there is no code of their own: they have the
 * largest one, which stands for all numbers beyond. Most of them may never be there. */
static bool is_default(const struct tag *tag, const struct tag_values *all,
		       const struct tag_values *values)
{
	const uint64_t numbers = low_bits((unsigned int)__builtin_popcountll(tag->mask));
	unsigned int last = TAG_VALUES_MAX - 1;

	while (last && !tag_values_has(all, last))
		last--;
	return tag->type->kind == TYPE_INTEGER && numbers > last && tag_values_has(values, last) &&
	       !have_bits(all, values);
}

/* Finds the values that a tag may have at an access to the union. A pointer must have one address,
 * which becomes part of the place. */
static bool find_values(struct solver *solver, uint32_t insn, bool store,
			const struct tagged_union *found, const struct tag *tag,
			struct tag_values *values, struct distant_place *place)
{
	const struct operand *operand = insn_memory(&solver->code->insns[insn], store);
	struct tag_question question = {
		.type = tag->type,
		.apart = tag->around->offset + found->place.offset - tag->offset,
		.size = tag->size,
		.mask = tag->mask,
		.store = operand && !operand->read,
	};
	size_t addresses = 0;

	*place = tag_union_place_of(solver, found, tag);
	if (is_pointer(tag))
		addresses = solver_static_records(solver, field_pointee(tag->type),
						  TAG_ADDRESSES_MAX, question.addresses);
	question.all = values_of(tag, addresses);
	if (!operand || operand->segment != SEGMENT_NONE || (is_pointer(tag) && !addresses) ||
	    !variants_tag_values(solver, insn, operand, &question, values))
		return false;
	if (!is_pointer(tag))
		return !is_default(tag, &question.all, values);
	size_t only = 0;

	while (!tag_values_has(values, (unsigned int)only))
		only++;
	if (only == addresses || tag_values_count(values) > 1)
		return false;
	place->mask = question.addresses[only];
	place->pointer = true;
	*values = (struct tag_values){ { 1 } };
	return true;
}

bool tag_union_may_show(const struct solver *solver)
{
	return solver->function && !solver_has_no_variables(solver) &&
	       !language_has(solver->function, FACT_VARIANTS);
}

/* ---- what is wanted, and learned */

size_t tag_union_want(struct solver *solver, uint32_t insn, bool store, const struct access *answer,
		      struct wanted_union wanted[TAGS_MAX])
{
	const struct member *member;
	struct tagged_union found;
	struct tag tags[TAGS_MAX];
	size_t count, used = 0;

	if (answer->kind != ACCESS_TYPE || !answer->union_candidates || answer->overlay.type ||
	    !tag_union_may_show(solver) ||
	    !find_union(answer->type, answer->offset, answer->bits, &found))
		return 0;
	while ((member = union_choose(ranges_of(&found), answer->union_unhinted, &found.first)))
		if (!enter_member(&found, member))
			return 0;
	count = list_tags(&found, tags);
	for (size_t i = 0; i < count; i++) {
		if (is_to_tag(&found, &tags[i], answer->size))
			continue;
		wanted[used] = (struct wanted_union){ .address = answer->address, .store = store };
		if (!find_values(solver, insn, store, &found, &tags[i], &wanted[used].values,
				 &wanted[used].place))
			continue;
		wanted[used].named = tag_names_members(solver, found.place.type, tags[i].type,
						       &wanted[used].values);
		used++;
	}
	return used;
}

/* Leaves the answer's candidates in these members, if it has any there. Others that the access may
 * be to come back if a constant's name says which member it is (`named`). */
static void keep_members(struct tagged_union *found, uint64_t members, bool named,
			 struct access *answer)
{
	uint64_t all = answer->union_unhinted >> found->first;

	if (named && !union_keep(ranges_of(found), all, members))
		all = answer->union_possible >> found->first;
	uint64_t kept = union_plain(&found->place, all, union_keep(ranges_of(found), all, members))
			<< found->first;

	if (!kept)
		return;
	answer->union_unhinted = kept;
	answer->union_candidates &= kept;
	if (!answer->union_candidates)
		answer->union_candidates = kept;
}

/* True if two places are tags of one union in one unit. */
static bool is_same_union(const struct distant_place *a, const struct distant_place *b)
{
	return a->kind == b->kind && a->code == b->code && a->offset == b->offset &&
	       a->tag == b->tag && field_same_type(a->record, b->record);
}

/* Returns how many different members there are for the values of a tag. */
static unsigned int count_members(const struct distant_fact *fact)
{
	uint64_t different[TAG_VALUES_MAX];
	unsigned int count = 0, k;

	for (unsigned int value = 0; value < TAG_VALUES_MAX; value++) {
		uint64_t members = fact->members[value];

		for (k = 0; k < count && different[k] != members;)
			k++;
		if (k == count && members && members != UINT64_MAX)
			different[count++] = members;
	}
	return count;
}

/* A test that leaves more constants of an enum, by a bit or a range, may be one of several. */
#define TESTED_CONSTANTS_MAX 6

/* Returns the members that belong to all values of the wanted tag. Of several tags of a union, only
 * the one counts that tells the most members apart; a number that tells none apart may be no tag.
 */
static uint64_t members_by_tag(const struct distant_facts *facts, const struct wanted_union *wanted,
			       bool is_enum, uint64_t *hinted)
{
	const struct distant_place *place = &wanted->place;
	const struct distant_fact *fact = distant_facts_find(facts, place);
	unsigned int count = fact && fact->members ? count_members(fact) : 0, pointers = 0;

	if (!is_enum && count < 2)
		return UINT64_MAX;
	uint64_t members = UINT64_MAX;

	for (size_t i = 0; i < facts->count && !place->pointer; i++) {
		const struct distant_fact *other = &facts->items[i];
		const unsigned int others = other->members && is_same_union(&other->place, place)
						    ? count_members(other)
						    : 0;

		pointers += other->place.pointer ? others : 0;
		if (others > count || pointers > count)
			return UINT64_MAX;
	}
	if (wanted->named && wanted->named != UINT64_MAX)
		return wanted->named;
	if (!count || !wanted->named ||
	    (is_enum && tag_values_count(&wanted->values) > TESTED_CONSTANTS_MAX))
		return UINT64_MAX;
	for (unsigned int i = 0; i < TAG_VALUES_MAX; i++)
		if (tag_values_has(&wanted->values, i)) {
			members &= fact->members[i];
			*hinted &= fact->hint_by[i] == UINT64_MAX ? fact->hinted[i] : 0;
		}
	return members;
}

void tag_union_learn(const struct wanted_union *wanted, const struct distant_facts *facts,
		     struct access *answer)
{
	struct tagged_union found;
	struct tag tags[TAGS_MAX];
	size_t count;

	/* the answer may have been taken back meanwhile (folded_decide()) */
	if (answer->kind != ACCESS_TYPE ||
	    !find_union(answer->type, answer->offset, answer->bits, &found))
		return;
	while (found.level < wanted->place.tag)
		if (!go_inside(&found, answer->union_unhinted))
			return;
	count = list_tags(&found, tags);
	for (size_t i = 0; i < count; i++) {
		if (tags[i].offset != wanted->place.target ||
		    is_pointer(&tags[i]) != wanted->place.pointer ||
		    (!wanted->place.pointer && tags[i].mask != wanted->place.mask) ||
		    !field_same_type(tags[i].around->type, wanted->place.record))
			continue;
		uint64_t hinted = UINT64_MAX;
		const uint64_t members =
			members_by_tag(facts, wanted, tags[i].type->kind != TYPE_INTEGER, &hinted);

		keep_members(&found, members, members == wanted->named, answer);
		keep_members(&found, members & hinted, false, answer);
	}
}

/* ---- evidence */

/* Returns the operand of an access that may be evidence on a union: find_values() follows its
 * registers, and nothing else than the stack is accessed through the stack pointer. NULL: none. */
static const struct operand *tag_union_operand(const struct solver *solver, const struct insn *insn,
					       bool store)
{
	const struct operand *operand = insn_memory(insn, store);

	/* an instruction with one operand in memory has one access */
	return operand && operand->size && operand->size <= 8 && operand->segment == SEGMENT_NONE &&
			       reg_is_general(operand->base) &&
			       operand->base != solver->arch->stack_pointer &&
			       (!store || operand != insn_memory(insn, false))
		       ? operand
		       : NULL;
}

bool tag_union_may_collect(const struct solver *solver, const struct insn *insn)
{
	return tag_union_operand(solver, insn, false) || tag_union_operand(solver, insn, true);
}

/* Judges the access of an instruction without its tag. False: it is not to a union. */
static bool judge(struct solver *solver, const struct state *state, uint32_t insn,
		  const struct operand *operand, struct access *access, struct tagged_union *found)
{
	struct value address, object;
	struct field_ref field;
	uint8_t how = HOW_NONE;

	address = solver_address(solver, state, operand);
	if (address.kind == VALUE_ADDRESS && solver_fixed_object(solver, &address, &object))
		address = object;
	if (address.kind != VALUE_POINTER ||
	    solver_field(solver, &address, operand->size, &field, &how) != REASON_NONE ||
	    !find_union(field.type, field.offset, 0, found))
		return false;
	*access = (struct access){ .address = solver->code->insns[insn].address,
				   .kind = ACCESS_TYPE,
				   .type = field.type,
				   .offset = field.offset,
				   .size = (uint16_t)operand->size,
				   .read = operand->read,
				   .write = operand->write };
	return true;
}

/* Adds the evidence of an access on one of its unions. */
static void collect_of_union(struct solver *solver, uint32_t insn, bool store,
			     const struct access *access, uint64_t also, struct tagged_union *found,
			     const struct distant_question *question,
			     struct distant_evidence_list *list)
{
	struct distant_evidence evidence = {
		.members = members_of(found, access->union_unhinted | also),
		.hinted = members_of(found, access->union_candidates | also),
	};
	struct tag tags[TAGS_MAX];
	size_t count = list_tags(found, tags);

	if (evidence.members == members_of(found, UINT64_MAX))
		return;
	for (size_t i = 0; i < count; i++) {
		if (is_to_tag(found, &tags[i], access->size))
			continue;
		evidence.place = tag_union_place_of(solver, found, &tags[i]);
		if ((is_pointer(&tags[i]) || distant_asks(question, &evidence.place)) &&
		    find_values(solver, insn, store, found, &tags[i], &evidence.values,
				&evidence.place) &&
		    (!is_pointer(&tags[i]) || distant_asks(question, &evidence.place)) &&
		    (tags[i].type->kind != TYPE_ENUM ||
		     tag_values_count(&evidence.values) <= TESTED_CONSTANTS_MAX))
			distant_evidence_add(list, &evidence);
	}
}

/* True if the function may be asked about a tag of the union, or of one in it. */
static bool may_be_asked(const struct solver *solver, const struct tagged_union *found,
			 const struct distant_question *question)
{
	struct tag tags[TAGS_MAX];
	bool asked = question->inner_unions;
	size_t count = asked ? 0 : list_tags(found, tags);

	for (size_t i = 0; i < count && !asked; i++) {
		const struct distant_place place = tag_union_place_of(solver, found, &tags[i]);

		asked = is_pointer(&tags[i]) ? question->pointer_tags
					     : distant_asks(question, &place);
	}
	return asked;
}

void tag_union_collect(struct solver *solver, const struct state *state, uint32_t insn,
		       const struct distant_question *question, struct distant_evidence_list *list)
{
	for (int store = 0; store < 2; store++) {
		const struct operand *operand =
			tag_union_operand(solver, &solver->code->insns[insn], (bool)store);
		struct tagged_union found;
		struct access access;
		uint64_t also = 0;

		if (!operand || !judge(solver, state, insn, operand, &access, &found) ||
		    !may_be_asked(solver, &found, question))
			continue;
		union_evidence_judge(solver, state, insn, (bool)store, &access, &also);
		if (access.union_candidates)
			do
				collect_of_union(solver, insn, (bool)store, &access, also, &found,
						 question, list);
			while (go_inside(&found, access.union_unhinted));
	}
}
