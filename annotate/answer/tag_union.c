// SPDX-License-Identifier: GPL-2.0-or-later
/* Tags beside unions: see tag_union.h. */
#include "annotate/answer/tag_union.h"

#include <string.h>
#include <strings.h>

#include "annotate/answer/answer.h"
#include "annotate/code/code.h"
#include "annotate/flow/solver.h"
#include "annotate/language/variants.h"
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "annotate/types/union_member.h"
#include "disasm/cfg.h"

/* ---- the tags of a union */

/* A union that an access is in, and the record around it. */
struct tagged_union {
	struct union_place place;
	const struct type *record; /* NULL: the union is in none */
	int64_t offset;            /* of the union in the record */
};

/* Finds the outermost union around an access, as union_outermost() does, and the innermost record
 * that has it. */
static bool find_union(const struct type *type, int64_t offset, uint64_t bits,
		       struct tagged_union *found)
{
	*found = (struct tagged_union){ .place = union_outermost(type, offset, bits) };
	for (unsigned int depth = 0; found->place.type && depth < TYPE_DEPTH_MAX; depth++) {
		const struct type *bare = type_strip(type);
		const struct member *members, *next = NULL;
		size_t count;

		if (bare->kind == TYPE_ARRAY) {
			type = field_element_at(bare, &offset);
			if (!type)
				return false;
			continue;
		}
		if (bare == found->place.type && offset == found->place.offset)
			return true;
		if (!type_is_record(bare))
			return false;
		found->record = type;
		members = type_members_near(bare, offset, &count);
		for (size_t i = 0; i < count && !next; i++)
			if (offset >= members[i].offset &&
			    (uint64_t)(offset - members[i].offset) < field_size(members[i].type))
				next = &members[i];
		if (!next)
			return false;
		found->offset = next->offset;
		offset -= next->offset;
		type = next->type;
	}
	return false;
}

/* A bit-field of more bits is no tag. */
#define TAG_BITS_MAX 7

struct tag {
	int64_t offset; /* in the record */
	const struct type *type;
	uint8_t size;
	uint64_t mask; /* its bits */
};

/* Sets *tag if the member, of a record that begins `base` bytes into the union's one, is an integer
 * or enum. */
static bool tag_of(const struct member *member, int64_t base, struct tag *tag)
{
	const struct type *bare = type_strip(member->type);
	uint64_t size = field_size(bare), first = member->bit_offset;
	int64_t start = base + member->offset;

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
	*tag = (struct tag){ start, bare, (uint8_t)size,
			     member->bit_size ? low_bits(member->bit_size) << first
					      : low_bits((unsigned int)(8 * size)) };
	return size == 1 || size == 2 || size == 4;
}

/* The most structs in which tags are looked for. */
#define TAG_STRUCTS_MAX 8

/* Lists the integers and enums beside the union, also those in structs, the outer ones first. */
static size_t list_tags(const struct tagged_union *found, struct tag tags[TAGS_MAX])
{
	struct field_ref structs[TAG_STRUCTS_MAX] = { { found->record, 0 } };
	size_t struct_count = found->record ? 1 : 0, used = 0, count;

	for (size_t k = 0; k < struct_count; k++) {
		const struct member *members = type_members(type_strip(structs[k].type), &count);

		for (size_t i = 0; members && i < count && used < TAGS_MAX; i++) {
			const struct type *bare = type_strip(members[i].type);
			int64_t offset = structs[k].offset + members[i].offset;

			if (offset >= found->offset &&
			    offset < found->offset + (int64_t)field_size(found->place.type))
				continue;
			if (tag_of(&members[i], structs[k].offset, &tags[used]))
				used++;
			else if (bare->kind == TYPE_STRUCT && struct_count < TAG_STRUCTS_MAX)
				structs[struct_count++] = (struct field_ref){ bare, offset };
		}
	}
	return used;
}

/* The numbers that are told apart in a tag that is no enum. Each costs a run of the code. */
#define NUMBERS_MAX 32

/* Returns the values that a tag can have: the constants of an enum, or else small numbers. */
static struct tag_values values_of(const struct tag *tag)
{
	size_t count;
	const struct enumerator *enumerators = type_enumerators(tag->type, &count);
	struct tag_values all = { 0 };

	for (size_t i = 0; i < count; i++)
		if (enumerators[i].value >= 0 && enumerators[i].value < TAG_VALUES_MAX)
			tag_values_add(&all, (unsigned int)enumerators[i].value);
	for (unsigned int i = 0;
	     !count && i < NUMBERS_MAX && i >> __builtin_popcountll(tag->mask) == 0; i++)
		tag_values_add(&all, i);
	return all;
}

static struct distant_place tag_union_place_of(const struct solver *solver,
					       const struct tagged_union *found,
					       const struct tag *tag)
{
	return (struct distant_place){ .kind = DISTANT_UNION,
				       .code = solver->function->unit_source,
				       .address = solver->code->insns[0].address,
				       .record = type_canonical(found->record),
				       .offset = found->offset,
				       .mask = tag->mask,
				       .target = tag->offset };
}

/* Finds the values that a tag may have at an access to the union. */
static bool find_values(struct solver *solver, uint32_t insn, bool store,
			const struct tagged_union *found, const struct tag *tag,
			struct tag_values *values)
{
	const struct operand *operand = insn_memory(&solver->code->insns[insn], store);
	const struct tag_question question = {
		.record = found->record,
		.apart = found->offset + found->place.offset - tag->offset,
		.size = tag->size,
		.mask = tag->mask,
		.store = operand && !operand->read,
		.all = values_of(tag),
	};

	return operand && operand->segment == SEGMENT_NONE &&
	       variants_tag_values(solver, insn, operand, &question, values);
}

static bool has_tags(const struct solver *solver)
{
	return solver->function && !solver_has_no_variables(solver) &&
	       !language_has(solver->function, FACT_VARIANTS);
}

/* ---- names */

/* How many characters all constants of an enum begin with, up to and with a '_', and end with, from
 * a
 * '_' on. */
struct affixes {
	size_t prefix, suffix;
};

/* Returns how many characters two names have in common at their starts, or at their ends. */
static size_t common_part(const char *a, const char *b, bool at_end)
{
	size_t a_length = strlen(a), b_length = strlen(b), same = 0;

	while (same < a_length && same < b_length &&
	       (at_end ? a[a_length - 1 - same] == b[b_length - 1 - same] : a[same] == b[same]))
		same++;
	return same;
}

static struct affixes find_affixes(const struct enumerator *enumerators, size_t count)
{
	const char *first = count > 1 ? enumerators[0].name : "";
	size_t length = strlen(first);
	struct affixes affixes = { length, length };

	for (size_t i = 1; i < count; i++) {
		size_t prefix = common_part(first, enumerators[i].name, false);
		size_t suffix = common_part(first, enumerators[i].name, true);

		affixes.prefix = prefix < affixes.prefix ? prefix : affixes.prefix;
		affixes.suffix = suffix < affixes.suffix ? suffix : affixes.suffix;
	}
	while (affixes.prefix && first[affixes.prefix - 1] != '_')
		affixes.prefix--;
	while (affixes.suffix && first[length - affixes.suffix] != '_')
		affixes.suffix--;
	return affixes;
}

/* True if a member is named as a constant is without its affixes, whatever the case of the letters;
 * the member may have a prefix of one letter: `s_name` for NODE_NAME, `name` for Name_kind. */
static bool is_named_after(const char *member, const char *constant, struct affixes affixes)
{
	size_t length = strlen(constant);

	if (length <= affixes.prefix + affixes.suffix + 1)
		return false;
	if (member && member[0] && member[1] == '_' && member[2])
		member += 2;
	length -= affixes.prefix + affixes.suffix;
	return member && strncasecmp(member, constant + affixes.prefix, length) == 0 &&
	       !member[length];
}

/* Returns the members of a union that are named after the constants of the tag in all of these
 * values. */
static uint64_t named_members(const struct tag *tag, const struct tag_values *values,
			      const struct type *type)
{
	size_t count, member_count;
	const struct enumerator *enumerators = type_enumerators(tag->type, &count);
	const struct member *members = type_members(type, &member_count);
	struct affixes affixes = find_affixes(enumerators, count);
	uint64_t named = count ? UINT64_MAX : 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t same = 0;

		if (enumerators[i].value < 0 || enumerators[i].value >= TAG_VALUES_MAX ||
		    !tag_values_has(values, (unsigned int)enumerators[i].value))
			continue;
		for (size_t k = 0; k < member_count && k < UNION_MEMBERS_MAX; k++)
			if (is_named_after(members[k].name, enumerators[i].name, affixes))
				same |= UINT64_C(1) << k;
		named &= same;
	}
	return named;
}

/* ---- what is wanted, and learned */

size_t tag_union_want(struct solver *solver, uint32_t insn, bool store, const struct access *answer,
		      struct wanted_union wanted[TAGS_MAX])
{
	struct tagged_union found;
	struct tag tags[TAGS_MAX];
	unsigned int first = 0;
	size_t count, used = 0;

	if (answer->kind != ACCESS_TYPE || !answer->union_candidates || answer->overlay.type ||
	    !has_tags(solver) || !find_union(answer->type, answer->offset, answer->bits, &found) ||
	    union_choose(&found.place, answer->union_unhinted, &first))
		return 0;
	count = list_tags(&found, tags);
	for (size_t i = 0; i < count; i++) {
		wanted[used] = (struct wanted_union){ .address = answer->address,
						      .store = store,
						      .place = tag_union_place_of(solver, &found,
										  &tags[i]) };
		used += find_values(solver, insn, store, &found, &tags[i], &wanted[used].values);
	}
	return used;
}

/* Leaves the answer's candidates in these members, if it has any there. */
static void keep_members(const struct union_place *place, uint64_t members, struct access *answer)
{
	uint64_t kept = union_keep(place, answer->union_unhinted, members);

	if (!kept)
		return;
	answer->union_unhinted = kept;
	answer->union_candidates &= kept;
	if (!answer->union_candidates)
		answer->union_candidates = kept;
}

void tag_union_learn(const struct wanted_union *wanted, const struct distant_facts *facts,
		     struct access *answer)
{
	const struct distant_fact *fact = distant_facts_find(facts, &wanted->place);
	struct tagged_union found;
	struct tag tags[TAGS_MAX];
	uint64_t members = UINT64_MAX;
	size_t count;

	/* the answer may have been taken back meanwhile (folded_decide()) */
	if (answer->kind != ACCESS_TYPE ||
	    !find_union(answer->type, answer->offset, answer->bits, &found))
		return;
	for (unsigned int i = 0; fact && fact->members && i < TAG_VALUES_MAX; i++)
		if (tag_values_has(&wanted->values, i))
			members &= fact->members[i];
	keep_members(&found.place, members, answer);
	count = list_tags(&found, tags);
	for (size_t i = 0; i < count; i++)
		if (tags[i].offset == wanted->place.target && tags[i].mask == wanted->place.mask)
			keep_members(&found.place,
				     named_members(&tags[i], &wanted->values, found.place.type),
				     answer);
}

/* ---- evidence */

bool tag_union_may_show(const struct solver *solver, const struct distant_facts *facts)
{
	for (size_t i = 0; i < facts->count && has_tags(solver); i++)
		if (facts->items[i].place.kind == DISTANT_UNION &&
		    facts->items[i].place.code == solver->function->unit_source)
			return true;
	return false;
}

/* Judges the access of an instruction without its tag. False: it is not to a union. */
static bool judge(struct solver *solver, const struct state *state, uint32_t insn, bool store,
		  struct access *access, struct tagged_union *found)
{
	const struct operand *operand = insn_memory(&solver->code->insns[insn], store);
	struct value address, object;
	struct field_ref field;
	uint8_t how = HOW_NONE;

	if (!operand || !operand->size || operand->size > 8)
		return false;
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

void tag_union_collect(struct solver *solver, const struct state *state, uint32_t insn,
		       const struct distant_facts *facts, struct distant_evidence_list *list)
{
	for (int store = 0; store < 2; store++) {
		const struct operand *operand =
			insn_memory(&solver->code->insns[insn], (bool)store);
		struct distant_evidence evidence = { 0 };
		struct tagged_union found;
		struct tag tags[TAGS_MAX];
		struct access access;
		size_t count;

		/* an instruction with one operand in memory has one access */
		if (!operand ||
		    (store && operand == insn_memory(&solver->code->insns[insn], false)) ||
		    !judge(solver, state, insn, (bool)store, &access, &found))
			continue;
		count = list_tags(&found, tags);
		for (size_t i = 0; i < count; i++) {
			evidence.place = tag_union_place_of(solver, &found, &tags[i]);
			if (!distant_facts_find(facts, &evidence.place))
				continue;
			if (!access.union_candidates)
				union_evidence_judge(solver, state, insn, (bool)store, &access);
			evidence.members = union_members(&found.place, access.union_unhinted);
			if (access.union_candidates &&
			    evidence.members != union_members(&found.place, UINT64_MAX) &&
			    find_values(solver, insn, (bool)store, &found, &tags[i],
					&evidence.values))
				distant_evidence_add(list, &evidence);
		}
	}
}
