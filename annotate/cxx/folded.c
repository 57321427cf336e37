// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions that share their code: see folded.h. gold and lld fold functions of different classes,
 * or of different records of C, and keep the symbols of all of them. After gold, the debug
 * information of each function has the address of the code. After lld, only that of one function
 * has it; the others are left as declarations, and their lines tell if their symbols are stripped.
 */
#include "annotate/cxx/folded.h"

#include "annotate/types/field.h"
#include "base/memory.h"
#include "base/text.h"

/* Mangled names of C++ begin like this. */
#define MANGLED "_Z"

/* Returns the record to which parameter number `index` points, or NULL. */
static const struct type *class_of(const struct prototype *prototype, size_t index)
{
	const struct type *object = field_pointee(prototype->parameters[index].type);

	return object && type_is_record(type_strip(object)) ? object : NULL;
}

/* True if each object of class `other` begins with an object of class `own`, or is one. */
static bool is_all_of(const struct type *own, const struct type *other)
{
	return field_same_type(own, other) || field_contains(other, 0, own);
}

/* True if an answer for `own` may be wrong for `other`, which has the same code: an argument of
 * `other` points neither to the same class nor to one that is derived from it. */
static bool differ(const struct prototype *own, const struct prototype *other)
{
	for (size_t i = 0; i < own->parameter_count && i < other->parameter_count; i++) {
		const struct type *a = class_of(own, i), *b = class_of(other, i);

		if ((a || b) && !(a && b && is_all_of(a, b)))
			return true;
	}
	return false;
}

/* Adds a function that shares the code. False: there are too many. */
static bool add_function(struct folded_functions *folded, const struct prototype *prototype)
{
	if (folded->count == FOLDED_MAX)
		return false;
	folded->others[folded->count++] = prototype;
	return true;
}

bool folded_find(const struct solver *solver, struct folded_functions *folded)
{
	const struct function *function = solver->function;
	uint64_t address = function ? function->ranges[0].low : 0;
	size_t count, aliases = 0;

	*folded = (struct folded_functions){ .own = function ? function->prototype : NULL };
	if (!solver->reader || !folded->own || !folded->own->prototyped ||
	    !language_has(solver->function, FACT_MERGED_FUNCTIONS))
		return false;
	const struct symbol *symbols = elf_image_symbols_at(solver->image, address, &count);

	for (size_t i = 0; i < count; i++) {
		if (!symbol_is_function(&symbols[i]) || !symbols[i].size ||
		    (language_has(function, FACT_MANGLED) &&
		     !starts_with(symbols[i].name, MANGLED)))
			continue;
		/* most addresses have only one symbol, so that there is nothing to look up */
		if (!aliases++ && i + 1 == count)
			break;
		const struct prototype *other =
			debug_reader_prototype_named(solver->reader, symbols[i].name, address);

		if (other && other != folded->own && differ(folded->own, other) &&
		    !add_function(folded, other)) {
			folded->too_many = true;
			break;
		}
	}
	const struct prototype *other;
	size_t position = 0;

	while (!folded->too_many &&
	       (other = debug_reader_folded_next(solver->reader, address, &position)))
		folded->too_many = other != folded->own && differ(folded->own, other) &&
				   !add_function(folded, other);
	return folded->count;
}

/* ---- answers */

/* Classes that are nested more deeply than this are not looked at. */
#define PARTS_MAX 16

/* A record within a class, and the offset in the class at which it begins. */
struct part {
	const struct type *type;
	int64_t start;
};

/* Lists the records that have the byte at `offset` of a class, the outermost first. Returns their
 * number. */
static size_t find_parts(const struct type *class, int64_t offset, struct part *parts)
{
	size_t count = 0;
	int64_t start = 0;

	while (class && count < PARTS_MAX) {
		const struct type *bare = type_strip(class), *next = NULL;
		size_t member_count;
		const struct member *members = type_members(bare, &member_count);

		parts[count++] = (struct part){ class, start };
		for (size_t i = 0; i < member_count && !next; i++) {
			int64_t within = offset - start - members[i].offset;

			if (type_is_record(type_strip(members[i].type)) && within >= 0 &&
			    (uint64_t)within < field_size(members[i].type)) {
				next = members[i].type;
				start += members[i].offset;
			}
		}
		class = next;
	}
	return count;
}

/* True if the class has the same record at the same offset, or is that record. */
static bool folded_has_part(const struct type *class, const struct part *part)
{
	return (!part->start && field_same_type(class, part->type)) ||
	       field_contains(class, part->start, part->type);
}

/* Advances *first to the outermost of the parts that the arguments of the other function have as
 * well. False: they have none of them, or no argument of `own` points to the `class`. */
static bool agree(const struct prototype *own, const struct prototype *other,
		  const struct type *class, const struct part *parts, size_t count, size_t *first)
{
	bool found = false;

	for (size_t i = 0; i < own->parameter_count && i < other->parameter_count; i++) {
		const struct type *a = class_of(own, i), *b = class_of(other, i);

		if (!a || !field_same_type(a, class))
			continue;
		while (b && *first < count && !folded_has_part(b, &parts[*first]))
			++*first;
		if (!b || *first == count)
			return false;
		found = true;
	}
	return found;
}

void folded_decide(const struct folded_functions *folded, struct access *access)
{
	struct part parts[PARTS_MAX];
	size_t first = 0;

	if (access->kind != ACCESS_TYPE || access->how == HOW_GLOBAL || access->how == HOW_TLS ||
	    access->how == HOW_PER_CPU)
		return;
	size_t count = find_parts(access->type, access->offset, parts);
	bool known = !folded->too_many;

	for (size_t i = 0; i < folded->count && known; i++)
		known = agree(folded->own, folded->others[i], access->type, parts, count, &first);
	if (known && !first)
		return;
	if (known) {
		access->type = type_canonical(parts[first].type);
		access->offset -= parts[first].start;
		access->how = HOW_INFERRED;
	} else {
		access_fail(access, REASON_FOLDED);
	}
	access->rule = RULE_NONE;
}
