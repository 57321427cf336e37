// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The names of a tag's values: which member of a union is in use, by the constant's name.
 *
 *     enum kind { KIND_NUMBER, KIND_TEXT, KIND_PAIR };
 *     struct value { unsigned int kind; union { ... number; ... text; ... pair; } u; };
 *
 * An enum was written for a union if most members of the union have the names of its constants,
 * with the same prefix. The tag itself may be an integer.
 */
#include <strings.h>

#include "annotate/answer/tag_union.h"
#include "annotate/flow/solver.h"
#include "annotate/types/union_member.h"

/* The fewest members with names of constants that make a convention. */
#define NAMESAKES_MIN 3
/* Shorter names agree by chance. */
#define LETTERS_MIN 3
/* An enum with more constants is no list of the kinds of an object. */
#define CONSTANTS_MAX 512

/* The names that are compared: those of members after `outer` characters, and those of constants
 * after `inner` ones. */
struct naming {
	const struct member *members;
	const struct enumerator *constants;
	size_t member_count, constant_count;
	size_t outer, inner;
};

/* True if so many members may be named by a convention. */
static bool is_most(const struct naming *naming, size_t found)
{
	return found >= NAMESAKES_MIN && 2 * found >= naming->member_count;
}

/* True if most of the members have such a name of a constant. */
static bool is_convention(const struct naming *naming, const struct member *model,
			  const struct enumerator *constant)
{
	size_t found = 0;

	for (size_t i = 0; i < naming->member_count; i++) {
		const char *name = naming->members[i].name;

		found += name && strncasecmp(name, model->name, naming->outer) == 0 &&
			 any_of(k, 0, naming->constant_count,
				strncasecmp(naming->constants[k].name, constant->name,
					    naming->inner) == 0 &&
					strcasecmp(naming->constants[k].name + naming->inner,
						   name + naming->outer) == 0);
	}
	return is_most(naming, found);
}

/* True if the constant's name ends in that of the member, from a word of it on, and other members
 * have names of constants in the same way. */
static bool is_namesake(struct naming *naming, const struct member *member,
			const struct enumerator *constant)
{
	const size_t length = strlen(constant->name);

	for (const char *word = member->name; word; word = strchr(word, '_')) {
		word += *word == '_';
		const size_t size = strlen(word);

		if (size < LETTERS_MIN || size > length ||
		    (size < length && constant->name[length - size - 1] != '_') ||
		    strcasecmp(constant->name + length - size, word) != 0)
			continue;
		naming->outer = (size_t)(word - member->name);
		naming->inner = length - size;
		return is_convention(naming, member, constant);
	}
	return false;
}

/* Returns the members that have the name of this constant. */
static uint64_t namesakes_of(struct naming *naming, const struct enumerator *constant)
{
	uint64_t found = 0;

	for (size_t i = 0; i < naming->member_count; i++)
		if (naming->members[i].name && is_namesake(naming, &naming->members[i], constant))
			found |= UINT64_C(1) << i;
	return found;
}

/* Returns the members that have the name of a value in an enum, of which it is the number, or the
 * place of the constant (`by_place`). */
static uint64_t members_of_value(struct naming *naming, unsigned int value, bool by_place)
{
	uint64_t found = 0;

	for (size_t i = 0; i < naming->constant_count && !has_several_bits(found); i++)
		if (by_place ? i == value : naming->constants[i].value == value)
			found |= namesakes_of(naming, &naming->constants[i]);
	return found;
}

/* tag_names_members() for one enum. */
static uint64_t members_in(struct naming *naming, const struct type *type,
			   const struct tag_values *values, bool by_place)
{
	uint64_t members = UINT64_MAX;

	naming->constants = type_enumerators(type, &naming->constant_count);
	if (naming->constant_count > CONSTANTS_MAX)
		return UINT64_MAX;
	for (unsigned int i = 0; i < TAG_VALUES_MAX; i++) {
		if (!tag_values_has(values, i))
			continue;
		const uint64_t named = members_of_value(naming, i, by_place);

		if (!named || has_several_bits(named))
			return UINT64_MAX;
		members &= named;
	}
	return members;
}

uint64_t tag_names_members(const struct solver *solver, const struct type *record,
			   const struct type *tag, const struct tag_values *values)
{
	struct naming naming = { 0 };
	uint64_t members = UINT64_MAX;

	naming.members = type_members(record, &naming.member_count);
	if (naming.member_count > UNION_MEMBERS_MAX || type_is_pointer(tag) ||
	    !is_most(&naming, sum_over(size_t, i, 0, naming.member_count,
				       naming.members[i].name &&
					       strlen(naming.members[i].name) >= LETTERS_MIN)))
		return UINT64_MAX;
	if (tag->kind == TYPE_ENUM)
		return members_in(&naming, tag, values, true);

	const struct unit_type_list enums = solver_unit_types(solver, UNIT_ENUMS);

	for (size_t i = 0; i < enums.count; i++)
		members &= members_in(&naming, enums.items[i], values, false);
	return members;
}
