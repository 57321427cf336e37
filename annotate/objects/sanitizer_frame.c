// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Frames that AddressSanitizer watches. Its compilers move the variables whose addresses are used
 * into one block of memory, with room between them that nothing may access. That block is on the
 * stack, or on the heap if __asan_stack_malloc_N() gives one, so that debug information mostly has
 * no place for the variables. The code itself says which ones are there (compiler-rt,
 * asan_thread.cpp): the block begins with a mark and the address of a text,
 *
 *     2 32 8 5 len:7 64 24 6 node:12
 *
 * the number of variables, and for each of them its offset in the block, its size, and its name
 * and line with their length.
 */

#include "annotate/flow/solver.h"
#include "annotate/objects/objects.h"
#include "annotate/types/field.h"
#include "base/text.h"

/* No frame has as many variables. */
#define DESCRIBED_MAX 1024

/* Reads a number and the space behind it. False: there is none. */
static bool read_number(const char **text, uint64_t *number)
{
	char *end;

	if (**text < '0' || **text > '9')
		return false;
	*number = strtoull(*text, &end, 10);
	*text = end + (*end == ' ');
	return true;
}

/* A variable of the description: `name` is "len:7", or "len" from old compilers. */
struct described {
	const char *name;
	size_t length; /* without the line */
	unsigned long line;
	uint64_t size;
	const struct type *type; /* of the variables that fit; NULL: none so far */
	bool differs;            /* they have several types */
};

/* Takes the type of a variable that has the name, the size and, if it is known, the line. */
static void take_described(struct described *described, const char *name, uint32_t line,
			   const struct type *type)
{
	if (!name || !text_is(described->name, described->length, name) ||
	    (line && described->line && line != described->line) ||
	    field_size(type) != described->size)
		return;
	described->differs |= described->type && !field_same_type(described->type, type);
	described->type = type;
}

/* Takes those of parameters without a location, which are in the prototype alone. */
static void take_parameters(struct described *described, const struct prototype *prototype)
{
	for (size_t i = 0; prototype && i < prototype->parameter_count; i++)
		take_described(described, prototype->parameters[i].name, 0,
			       prototype->parameters[i].type);
}

/* Returns the type of the function's variables that are described so; NULL: there is none, or they
 * have several. */
static const struct type *type_of(const struct function *function, struct described described)
{
	const char *colon = memchr(described.name, ':', described.length);

	if (colon) {
		described.line = strtoul(colon + 1, NULL, 10);
		described.length = (size_t)(colon - described.name);
	}
	array_each (const struct variable, variable, function->variables, function->variable_count)
		take_described(&described, variable->name, variable->line, variable->type);
	if (!described.type) {
		take_parameters(&described, function->prototype);
		array_each (const struct scope, scope, function->scopes, function->scope_count)
			take_parameters(&described, scope->prototype);
	}
	return described.differs ? NULL : described.type;
}

/* Adds the variables of the block at `place` in the frame that the text describes. */
static void add_variables(struct solver *solver, int64_t place, const char *text, const char *end)
{
	uint64_t count, offset, size, length;

	if (!read_number(&text, &count))
		return;
	for (uint64_t i = 0; i < count && i < DESCRIBED_MAX; i++) {
		if (!read_number(&text, &offset) || !read_number(&text, &size) ||
		    !read_number(&text, &length) || length > (size_t)(end - text) ||
		    offset > INT32_MAX)
			break;
		const struct type *type =
			type_of(solver->function,
				(struct described){ .name = text, .length = length, .size = size });

		text += length;
		text += *text == ' ';
		if (type)
			facts_add_stack(&solver->facts,
					&(struct stack_fact){ .high = UINT64_MAX,
							      .offset = place + (int64_t)offset,
							      .size = size,
							      .base_reg = REG_NONE,
							      .variable = NO_VARIABLE,
							      .type = type_canonical(type),
							      .how = HOW_VARIABLE });
	}
	facts_index_stack(&solver->facts);
}

void sanitizer_frame_note_store(struct solver *solver, const struct state *state,
				const struct value *address, const struct value *value)
{
	struct facts *facts = &solver->facts;
	const struct slot *mark, *text;
	int64_t place = facts->sanitizer_frame;
	size_t available = 0;
	const char *description;

	if (address->frame != FRAME_CFA || facts->has_sanitizer_frame || !facts->function)
		return;
	if (value_is_constant(value) && value->offset == SANITIZER_MARK)
		place = facts->sanitizer_frame = address->offset;
	mark = state_slot(state, FRAME_CFA, place, WORD);
	text = state_slot(state, FRAME_CFA, place + WORD, WORD);
	if (!mark || !text || !value_is_constant(&mark->value) ||
	    mark->value.offset != SANITIZER_MARK ||
	    (text->value.kind != VALUE_ADDRESS && !value_is_constant(&text->value)))
		return;
	facts->has_sanitizer_frame = true;
	description = (const char *)elf_image_bytes(solver->image, (uint64_t)text->value.offset,
						    &available);
	const char *end = description ? memchr(description, 0, available) : NULL;

	if (end)
		add_variables(solver, place, description, end);
}
