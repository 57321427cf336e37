// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_memo.h"

#include "dwarf/dwarf_global.h"
#include "profiler/base/hash.h"

/* Powers of two: more than most units have of either. What comes last to a place is what is kept there. */
#define PROTOTYPES 1024
#define GLOBALS    512

/* The answers depend on nothing else: all code of a unit sees the same declarations. */
struct question {
	uint64_t address;
	const struct unit *unit; /* of the code that asks; NULL: none */
	bool asked;
};

struct prototype_memo {
	struct question question;
	const struct prototype *prototype;
};

struct global_memo {
	struct question question;
	bool found;
	struct global global;
};

struct dwarf_memo {
	/* all of a function asks for variables from where it begins */
	uint64_t last_from;
	struct unit *last_unit;
	struct prototype_memo prototypes[PROTOTYPES];
	struct global_memo globals[GLOBALS];
};

struct dwarf_memo *dwarf_memo_create(void)
{
	return xcalloc(1, sizeof(struct dwarf_memo));
}

void dwarf_memo_destroy(struct dwarf_memo *memo)
{
	free(memo);
}

static struct question question_of(struct dwarf_memo *memo, struct debug_object *object, uint64_t address,
				   uint64_t from_address)
{
	if (memo->last_from != from_address) {
		memo->last_from = from_address;
		memo->last_unit = from_address ? dwarf_unit_at(object, from_address) : NULL;
	}
	return (struct question){ .address = address, .unit = memo->last_unit, .asked = true };
}

static size_t place_of(const struct question *question, size_t places)
{
	return hash_combine((uintptr_t)question->unit, question->address) & (places - 1);
}

static bool is_same(const struct question *a, const struct question *b)
{
	return a->asked && a->address == b->address && a->unit == b->unit;
}

const struct prototype *dwarf_memo_prototype_at(struct dwarf_memo *memo, struct debug_object *object,
						uint64_t address, uint64_t from_address)
{
	struct question question = question_of(memo, object, address, from_address);
	struct prototype_memo *known = &memo->prototypes[place_of(&question, PROTOTYPES)];

	if (!is_same(&known->question, &question))
		*known = (struct prototype_memo){
			.question = question,
			.prototype = dwarf_prototype_at(object, address, from_address),
		};
	return known->prototype;
}

bool dwarf_memo_global_at(struct dwarf_memo *memo, struct debug_object *object, uint64_t address,
			  uint64_t from_address, struct global *result)
{
	struct question question = question_of(memo, object, address, from_address);
	struct global_memo *known = &memo->globals[place_of(&question, GLOBALS)];

	if (!is_same(&known->question, &question)) {
		struct global global = { 0 };
		bool found = dwarf_global_at(object, address, from_address, &global);

		*known = (struct global_memo){ .question = question, .found = found, .global = global };
	}
	if (known->found)
		*result = known->global;
	return known->found;
}
