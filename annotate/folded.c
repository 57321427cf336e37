// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Functions that share their code: see folded.h. gold and lld fold functions of different classes,
 * and leave the symbols of all of them. gold gives the debug information of all the address; lld
 * gives it to one of them, and the others have only their declarations.
 */
#include "annotate/folded.h"

#include "annotate/field.h"
#include "profiler/base/memory.h"
#include "profiler/base/text.h"

/* Mangled names of C++ begin like this. */
#define MANGLED "_Z"

/* More functions at one address than this are taken to differ. */
#define ALIASES_MAX 64

static const struct type *class_of(const struct prototype *prototype, size_t index)
{
	const struct type *object = field_pointee(prototype->parameters[index].type);

	return object && type_is_record(type_strip(object)) ? object : NULL;
}

/* True if an object of `other` is one of `own`, too: a base class at its beginning is. */
static bool is_all_of(const struct type *own, const struct type *other)
{
	return field_same_type(own, other) || field_contains(other, 0, own);
}

/* True if code of `own` may be about other classes if it is also that of `other`. */
static bool differ(const struct prototype *own, const struct prototype *other)
{
	for (size_t i = 0; i < own->parameter_count && i < other->parameter_count; i++) {
		const struct type *a = class_of(own, i), *b = class_of(other, i);

		if ((a || b) && !(a && b && is_all_of(a, b)))
			return true;
	}
	return false;
}

bool folded_is_ambiguous(const struct solver *solver)
{
	const struct function *function = solver->function;
	uint64_t address = function ? function->ranges[0].low : 0;
	size_t count, aliases = 0;

	if (!function || !solver->reader || function->language != LANGUAGE_CXX ||
	    !function->prototype || !function->prototype->prototyped ||
	    !rule_is_on(RULE_FOLDED_FUNCTION))
		return false;
	const struct symbol *symbols = elf_image_symbols(solver->image, &count);

	for (size_t i = partition_point(0, count, k, symbols[k].address < address);
	     i < count && symbols[i].address == address; i++) {
		if (!symbol_is_function(&symbols[i]) || !symbols[i].size ||
		    !starts_with(symbols[i].name, MANGLED))
			continue;
		if (++aliases == ALIASES_MAX)
			return true;
		/* mostly it is the only symbol there */
		if (aliases == 1 && (i + 1 == count || symbols[i + 1].address != address))
			break;
		const struct prototype *other = debug_reader_prototype_named(
			solver->reader, symbols[i].name, address);

		if (other && other != function->prototype && differ(function->prototype, other))
			return true;
	}
	return false;
}

void folded_refuse(struct access *access)
{
	if (access->kind != ACCESS_TYPE || access->how == HOW_GLOBAL || access->how == HOW_TLS ||
	    access->how == HOW_PER_CPU)
		return;
	access_fail(access, REASON_FOLDED);
	access->rule = RULE_FOLDED_FUNCTION;
}
