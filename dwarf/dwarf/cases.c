// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The cases of a record.
 *
 * The compilers of Ada, D (LDC) and Pascal declare the members of an anonymous union, or of the
 * cases of a record, as members of the record itself, and LDC those of a named union as members of
 * a struct:
 *
 *     case Kind of Whole: (I, Extra: Int64); Real: (R, Scale: Double)    I R 24, Extra Scale 32
 *
 * Such members become those of a nameless union, as in C, and where a case has several, of a
 * nameless struct in it. All that tells a union's members apart then tells these apart.
 */
#include "dwarf/dwarf/type.h"

#include <dwarf.h>

#include "dwarf/types/language.h"
#include "base/memory.h"

bool dwarf_has_cases(const struct die *record)
{
	enum language language = record->unit->language;

	return (language == LANGUAGE_ADA || language == LANGUAGE_D ||
		language == LANGUAGE_PASCAL) &&
	       record->tag != DW_TAG_union_type;
}

/* Members of one record are compared at most this often: nobody writes a record that needs more. */
#define OVERLAY_STEPS_MAX ((size_t)1 << 20)

/* A member, and the end of its bytes. */
struct place {
	struct member member;
	int64_t end;
};

/* Sets the ends of all members. One without a constant size ends at the next one, or with the
 * record if it is the last of a case. */
static void set_ends(struct place *places, size_t count, uint64_t size)
{
	for (size_t i = 0; i < count; i++) {
		const struct member *member = &places[i].member;
		uint64_t own;

		if (type_size(member->type, &own))
			places[i].end = member->offset + (int64_t)own;
		else if (i + 1 < count && places[i + 1].member.offset > member->offset)
			places[i].end = places[i + 1].member.offset;
		else
			places[i].end =
				(int64_t)size > member->offset ? (int64_t)size : member->offset;
	}
}

/* Returns the index behind the last one from `first` on, but before `end`, that shares bytes with
 * the one at `other`; else `behind`. */
static size_t behind_overlay(const struct place *places, size_t first, size_t end, size_t other,
			     size_t behind, size_t *steps)
{
	for (size_t i = first; i < end && (*steps)++ < OVERLAY_STEPS_MAX; i++)
		if (places[i].member.offset < places[other].end &&
		    places[other].member.offset < places[i].end)
			behind = i > other ? i + 1 : other + 1;
	return behind;
}

/* Returns the first index behind the members that share bytes with the one at `first` or, if one
 * does, with each other. */
static size_t end_of_overlay(const struct place *places, size_t count, size_t first, size_t *steps)
{
	size_t end = first, behind;

	/* neither bits nor base classes are of a case */
	while (end < count && !places[end].member.bit_size && !places[end].member.is_base &&
	       places[end].member.offset >= places[first].member.offset &&
	       (*steps)++ < OVERLAY_STEPS_MAX)
		end++;
	behind = behind_overlay(places, first + 1, end, first, first + 1, steps);
	for (size_t i = behind; behind > first + 1 && i < end; i++)
		behind = behind_overlay(places, first, i, i, behind, steps);
	return behind;
}

/* Returns a member without a name that is a record of these. */
static struct place make_part(struct dwarf_types *types, const struct die *record,
			      enum type_kind kind, const struct place *places, size_t count)
{
	_cleanup_free_ struct member *members = xcalloc(count, sizeof(*members));
	struct place part = { .member.offset = places[0].member.offset };

	for (size_t i = 0; i < count; i++) {
		members[i] = places[i].member;
		members[i].offset -= part.member.offset;
		part.end = places[i].end > part.end ? places[i].end : part.end;
	}
	struct type_key key = { .kind = kind,
				.size = (uint64_t)(part.end - part.member.offset),
				.source = die_reference(record) };

	part.member.type = type_table_make_record(types->table, &key, members, count);
	return part;
}

/* Makes one member of each case, which ends where the next member is not behind the last one.
 * Returns their number. */
static size_t fold_cases(struct dwarf_types *types, const struct die *record, struct place *places,
			 size_t count)
{
	size_t kept = 0, next;

	for (size_t i = 0; i < count; i = next) {
		for (next = i + 1;
		     next < count && places[next].member.offset >= places[next - 1].end;)
			next++;
		places[kept++] =
			next == i + 1 ? places[i]
				      : make_part(types, record, TYPE_STRUCT, &places[i], next - i);
	}
	return kept;
}

void dwarf_fold_cases(struct dwarf_types *types, const struct die *record, uint64_t size,
		      struct member *members, size_t *count)
{
	_cleanup_free_ struct place *places = xcalloc(*count + 1, sizeof(*places));
	size_t kept = 0, steps = 0, next;

	for (size_t i = 0; i < *count; i++)
		places[i].member = members[i];
	set_ends(places, *count, size);
	for (size_t i = 0; i < *count; i = next) {
		next = end_of_overlay(places, *count, i, &steps);
		if (next > i + 1) {
			size_t cases = fold_cases(types, record, &places[i], next - i);

			places[i] = make_part(types, record, TYPE_UNION, &places[i], cases);
		}
		members[kept++] = places[i].member;
	}
	*count = kept;
}
