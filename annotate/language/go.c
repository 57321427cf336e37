// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Code and memory that Go's compiler made: see go.h. The main ones are iterators and closures.
 *
 * `for key, value := range m` has an iterator on the stack, which begins with a pointer to the key
 * and one to the element (runtime/map.go, hiter; internal/runtime/maps, Iter). They are declared as
 * unsafe.Pointer, but the call that starts the iteration has the map's type word.
 *
 * A function value points to a closure: the address of the code, and after it the variables that
 * the function has captured. The runtime declares only the first word (runtime/runtime2.go,
 * funcval).
 */
#include "annotate/language/go.h"

#include "annotate/facts/arguments.h"
#include "annotate/facts/scope_types.h"
#include "base/memory.h"
#include "base/text.h"

/* Returns the row of the runtime's function of this name that starts an iteration; NULL: none. */
static const struct map_iteration *iteration_named(const struct abi *abi, const char *name)
{
	return name ? array_find(i, abi->map_iterations, abi->map_iteration_count,
				 strcmp(abi->map_iterations[i].name, name) == 0)
		    : NULL;
}

const char *go_variable_in(const struct solver *solver, uint8_t reg, int64_t place,
			   uint64_t address)
{
	const struct function *function = solver->function;

	for (size_t i = 0; function && i < function->variable_count; i++) {
		const struct variable *variable = &function->variables[i];

		if (!variable->name || *variable->name != '&')
			continue;
		array_each (const struct location, location, variable->locations,
			    variable->location_count)
			if (location->low <= address && address < location->high &&
			    (reg == REG_NONE
				     ? location->kind == LOCATION_FRAME && location->offset == place
				     : location->kind == LOCATION_REGISTER &&
					       arch_reg_from_dwarf(solver->arch, location->reg) ==
						       reg))
				return variable->name + 1;
	}
	return NULL;
}

const char *go_moved_variable(const struct solver *solver, const struct insn *insn)
{
	int64_t place;
	const char *name = solver_frame_place(solver, insn, &insn->operands[1], &place)
				   ? go_variable_in(solver, REG_NONE, place, insn->address)
				   : NULL;

	if (name || !operand_is_general(&insn->operands[0]))
		return name;
	return go_variable_in(solver, insn->operands[0].reg, 0, insn->address + insn->length);
}

struct go_iteration go_iteration_of(struct solver *solver, const struct state *state,
				    const char *callee)
{
	const uint8_t *arguments = solver->abi->call->arguments;
	const struct map_iteration *call = iteration_named(solver->abi, callee);
	struct go_iteration iteration = { 0 };

	if (!call || !solver->reader)
		return iteration;
	const struct value *word = &state->values[arguments[call->type]];
	const struct value *place = &state->values[arguments[call->iterator]];

	if (word->kind != VALUE_ADDRESS || word->stride || place->kind != VALUE_FRAME ||
	    place->stride || place->frame > FRAME_LAST_OTHER)
		return iteration;
	iteration.frame = place->frame;
	iteration.offset = place->offset;
	iteration.key = debug_reader_go_type(solver->reader, (uint64_t)word->offset, GO_KEY);
	iteration.element =
		debug_reader_go_type(solver->reader, (uint64_t)word->offset, GO_ELEMENT);
	return iteration;
}

/* Remembers where an iterator is, so that its pointers outlive calls. */
static void note_iterator(struct solver *solver, const struct go_iteration *iteration)
{
	for (size_t i = 0; i < solver->go.iterator_count; i++)
		if (solver->go.iterators[i].frame == iteration->frame &&
		    solver->go.iterators[i].offset == iteration->offset)
			return;
	if (solver->go.iterator_count < GO_ITERATORS_MAX)
		solver->go.iterators[solver->go.iterator_count++] =
			(struct go_iterator){ .frame = iteration->frame,
					      .offset = iteration->offset };
}

/* Stores a pointer to `type` at `within` bytes from the start of the iterator. Does nothing for a
 * type of no size, such as the elements of a map of struct{}, which are not accessed. */
static void store_pointer(struct state *state, const struct go_iteration *iteration, int64_t within,
			  const struct type *type)
{
	if (type && field_size(type))
		state_store(state, iteration->frame, iteration->offset + within, 8,
			    value_pointer(type_canonical(type), 0, HOW_TRACKED));
}

void go_iteration_begin(struct solver *solver, struct state *state,
			const struct go_iteration *iteration)
{
	if (!iteration->key && !iteration->element)
		return;
	note_iterator(solver, iteration);
	store_pointer(state, iteration, 0, iteration->key);
	store_pointer(state, iteration, 8, iteration->element);
}

void go_iterators_keep(const struct solver *solver, const struct state *state, struct go_kept *kept)
{
	kept->count = 0;
	array_each (const struct go_iterator, iterator, solver->go.iterators,
		    solver->go.iterator_count) {
		for (int64_t within = 0; within <= 8; within += 8) {
			const struct slot *slot =
				state_slot(state, iterator->frame, iterator->offset + within, 8);

			if (slot)
				kept->slots[kept->count++] = *slot;
		}
	}
}

void go_iterators_restore(struct state *state, const struct go_kept *kept)
{
	for (size_t i = 0; i < kept->count; i++)
		state_store(state, kept->slots[i].frame, kept->slots[i].offset, 8,
			    kept->slots[i].value);
}

/* ---- objects whose type word is an argument of the same call */

/* Prefixes of the names of functions of the runtime whose first two arguments are the type word of
 * a map and the map. */
static const char *const map_functions[] = { "runtime.mapaccess", "runtime.mapassign",
					     "runtime.mapdelete" };

/* The offset of the pointer to its buckets in a map (runtime/map.go, hmap;
 * internal/runtime/maps/map.go, Map). */
#define MAP_BUCKETS 16

/* Notes the bucket to which a map on the stack points, if the bucket is on the stack as well. */
static void note_bucket(struct solver *solver, const struct state *state, const char *callee)
{
	const uint8_t *arguments = solver->abi->call->arguments;
	const struct value *word = &state->values[arguments[0]],
			   *map = &state->values[arguments[1]];

	if (!any_of(i, 0, COUNT_OF(map_functions), starts_with(callee, map_functions[i])) ||
	    word->kind != VALUE_ADDRESS || word->stride || map->kind != VALUE_FRAME || map->stride)
		return;
	for (size_t i = 0; i < solver->go.link_count; i++) {
		struct value bucket = *map;
		const struct type *type =
			solver->go.links[i].place == map->offset + MAP_BUCKETS
				? debug_reader_go_type(solver->reader, (uint64_t)word->offset,
						       GO_BUCKET)
				: NULL;

		bucket.offset = solver->go.links[i].target;
		if (type)
			object_uses_note(solver, &bucket, type_canonical(type));
	}
}

void go_note_stored(struct solver *solver, const struct value *place, const struct value *stored)
{
	if (!solver->abi->goroutine_type || place->kind != VALUE_FRAME || place->stride ||
	    place->frame != FRAME_CFA || stored->frame != FRAME_CFA || stored->stride)
		return;
	for (size_t i = 0; i < solver->go.link_count; i++)
		if (solver->go.links[i].place == place->offset &&
		    solver->go.links[i].target == stored->offset)
			return;
	if (solver->go.link_count < GO_LINKS_MAX)
		solver->go.links[solver->go.link_count++] =
			(struct go_link){ .place = place->offset, .target = stored->offset };
}

void go_note_joined(struct solver *solver, const struct value *joined, const struct value *input)
{
	if (joined->kind != VALUE_POINTER || joined->stride || input->kind != VALUE_FRAME ||
	    input->stride)
		return;
	struct value object = value_displace(*input, -joined->offset);

	object_uses_note(solver, &object, joined->type);
}

void go_note_arguments(struct solver *solver, const struct state *state, const char *callee)
{
	const struct abi *abi = solver->abi;
	const uint8_t *arguments = abi->call->arguments;

	if (callee && solver->reader)
		note_bucket(solver, state, callee);

	for (size_t i = 0; callee && solver->reader && i < abi->typed_argument_count; i++) {
		const struct typed_argument *row = &abi->typed_arguments[i];
		const struct value *word = &state->values[arguments[row->word]];

		if (strcmp(row->name, callee) != 0 || word->kind != VALUE_ADDRESS || word->stride)
			continue;
		const struct type *type =
			debug_reader_go_type(solver->reader, (uint64_t)word->offset, row->part);

		if (type)
			solver_note_use(solver, &state->values[arguments[row->object]],
					type_canonical(type));
	}
}

/* The most elements of an array that the compiler makes on the stack for a slice. Larger ones are
 * allocated (cmd/compile/internal/ir, MaxImplicitStackVarSize). */
#define SLICE_ELEMENTS_MAX 8192

/* The array is as long as the second word of the slice says. It has no variable if the compiler
 * made it for a call with a variable number of arguments. */
void go_note_slice(struct solver *solver, const struct state *state,
		   const struct argument *argument)
{
	const struct type *bare = type_strip(argument->type), *word, *element;

	if (!type_is_record(bare) || !bare->name || !starts_with(bare->name, "[]"))
		return;
	word = field_scalar(argument->type, 0, 8);
	element = word ? field_pointee(word) : NULL;
	if (!element || !type_size_or(element, 0))
		return;
	const struct value *array = &state->values[argument->registers[0]],
			   *length = argument->registers[1] == REG_NONE
					     ? NULL
					     : &state->values[argument->registers[1]];

	if (array->kind == VALUE_FRAME && length && value_is_constant(length) &&
	    length->offset > 0 && length->offset <= SLICE_ELEMENTS_MAX)
		object_uses_note(solver, array, type_array_of(element, (uint64_t)length->offset));
	else
		solver_note_use(solver, array, element);
}

/* ---- memory that the compiler made */

/* Returns the name of the type of what the compiler put into memory under this symbol; NULL: it is
 * something else. A constant's symbol has its type and its bits (cmd/internal/obj/sym.go). That of
 * an assertion of an interface type, or of a switch with interface types, has the function's
 * package and a number (cmd/compile/internal/ssagen/ssa.go, walk/switch.go). */
static const char *type_of_symbol(const char *name)
{
	static const struct {
		const char *prefix, *within, *type;
	} kinds[] = {
		{ "$f32.", NULL, "float32" },
		{ "$f64.", NULL, "float64" },
		{ "", "..typeAssert.", "internal/abi.TypeAssert" },
		{ "", "..interfaceSwitch.", "internal/abi.InterfaceSwitch" },
	};

	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (starts_with(name, kinds[i].prefix) &&
		    (!kinds[i].within || strstr(name, kinds[i].within)))
			return kinds[i].type;
	return NULL;
}

bool go_symbol(struct solver *solver, int64_t address, struct value *pointer)
{
	const struct symbol *symbol =
		solver->abi->goroutine_type && solver->reader
			? elf_image_object_at(solver->image, (uint64_t)address)
			: NULL;
	const char *name = symbol ? type_of_symbol(symbol->name) : NULL;
	const struct type *type = name ? solver_type_named(solver, name) : NULL;

	if (!type)
		return false;
	*pointer = value_pointer(type, address - (int64_t)symbol->address, HOW_GLOBAL);
	return true;
}

/* ---- interfaces */

/* ---- write barriers */

#define BARRIER "runtime.gcWriteBarrier"
#define BUFFER  "runtime.wbBuf" /* runtime/mwbbuf.go: a processor's buffer */
#define ENTRIES "buf"           /* its array of pointers */

void go_write_barrier(struct solver *solver, struct state *state, const char *callee,
		      uint64_t changed)
{
	const struct type *buffer;

	/* runtime.gcWriteBarrier1 to 8, by how many pointers there is room for */
	if (!starts_with(callee, BARRIER) || !callee[strlen(BARRIER)] || !changed)
		return;
	buffer = solver_type_named(solver, BUFFER);
	if (!buffer)
		return;

	members_each (member, type_members, type_strip(buffer)) {
		if (!member->name || strcmp(member->name, ENTRIES) != 0)
			continue;
		struct value room = value_pointer(buffer, member->offset, HOW_TRACKED);

		room.stride = solver->arch->pointer_size;
		state->values[__builtin_ctzll(changed)] = room;
	}
}

/* ---- closures */

void go_context(struct solver *solver, struct state *state)
{
	uint8_t context = solver->abi->call->static_chain;

	if (!solver->abi->goroutine_type || context == REG_NONE || !solver->options.infer)
		return;
	const struct type *closure = solver_type_named(solver, GO_CLOSURE);

	if (closure)
		state->values[context] = value_pointer(closure, 0, HOW_INFERRED);
}

/* ---- receivers of methods that the compiler made */

/* Returns the type whose method has the name PACKAGE.(*TYPE).METHOD; NULL: the name is another one,
 * or the type has type parameters. */
static const struct type *receiver_named(const struct solver *solver, const char *name)
{
	const char *open = strstr(name, ".(*"), *close = open ? strchr(open, ')') : NULL;

	if (!close || close[1] != '.' || strpbrk(close + 2, ".[-") || strchr(name, '['))
		return NULL;
	_cleanup_free_ char *type =
		xasprintf("%.*s.%.*s", (int)(open - name), name, (int)(close - open - 3), open + 3);

	return solver_type_named(solver, type);
}

/* Go's compiler makes methods that call a method of an embedded type, or the method of the value
 * through a pointer. The receiver is in the first register, but the debug information leaves it
 * out, or says that it is in memory. */
void go_receiver(struct solver *solver, struct state *state)
{
	const struct function *function = solver->function;
	uint8_t first = solver->abi->call->arguments[0];

	if (!solver->abi->goroutine_type || !solver->options.infer || !function || !function->name)
		return;
	const struct type *receiver = receiver_named(solver, function->name);

	if (receiver && state->values[first].kind == VALUE_UNKNOWN)
		state->values[first] = value_pointer(receiver, 0, HOW_INFERRED);
}
