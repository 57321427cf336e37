// SPDX-License-Identifier: GPL-2.0-or-later
/* The search for functions that know something of wanted places: see knowing_functions.h. */
#include "annotate/solve/knowing_functions.h"

#include "annotate/evidence/tags.h"
#include "annotate/facts/abi.h"
#include "annotate/solve/solve_function.h"
#include "annotate/types/field.h"
#include "base/memory.h"

COMPARISON(compare_addresses, uint64_t, BY_VALUE)

void knowing_functions_sort(struct knowing_functions *list)
{
	array_unique(list->items, list->count, compare_addresses);
}

void knowing_functions_add(struct knowing_functions *list, uint64_t address)
{
	array_add(list->items, list->count, list->capacity) = address;
}

/* Returns the code of a function, and its size; NULL: it has none. */
static const uint8_t *code_of(const struct elf_image *image, uint64_t entry, size_t *size)
{
	const struct symbol *symbol = elf_image_function_at(image, entry);
	const uint8_t *code = symbol ? elf_image_code(image, entry, size) : NULL;

	if (code && symbol->size < *size)
		*size = symbol->size;
	return code;
}

/* True if the code has an address in four bytes: as a number, or as the distance from their end, as
 * x86-64 has it. */
static bool has_address(const uint8_t *code, size_t size, uint64_t entry, uint64_t address)
{
	uint32_t bytes;

	for (size_t i = 0; i + sizeof(bytes) <= size; i++) {
		memcpy(&bytes, code + i, sizeof(bytes));
		if (bytes == address ||
		    entry + i + sizeof(bytes) + (uint64_t)(int32_t)bytes == address)
			return true;
	}
	return false;
}

/* The bytes of a union whose words are looked for. */
#define UNION_BYTES_MAX 64

/* True if the code may access a word of a union, and the tag beside it. */
static bool may_access_union(const struct abi *abi, const uint8_t *code, size_t size,
			     const struct distant_place *place)
{
	int64_t end = place->offset + UNION_BYTES_MAX,
		last = (int64_t)type_size_or(place->record, 0);

	if (!abi->may_access(code, size, place->target))
		return false;
	for (int64_t at = place->offset; at < end && at < last; at += 8)
		if (abi->may_access(code, size, at))
			return true;
	return false;
}

/* True if the function may load or store the member, or may test the tag and load the pointer that
 * is asked for, as far as its bytes show. */
static bool may_know(const struct elf_image *image, uint64_t entry,
		     const struct distant_place *place)
{
	const struct abi *abi = abi_of_image(image);
	size_t size;
	const uint8_t *code = code_of(image, entry, &size);

	if (code && place->kind == DISTANT_UNION)
		return may_access_union(abi, code, size, place) &&
		       (!place->pointer || has_address(code, size, entry, place->mask));
	if (!code || place->kind != DISTANT_TAG)
		return code && abi->may_move(code, size, place->offset);
	uint64_t number = tags_number(place->tag == UINT64_MAX ? place->mask : place->tag);

	return number &&
	       (abi->may_compare(code, size, number) ||
		(place->mask == UINT64_MAX && has_address(code, size, entry, place->tag))) &&
	       (place->target == TAG_OBJECT || abi->may_move(code, size, place->target));
}

/* A function that is called from more places than this is an allocator, or something else that
 * serves many types. The facts of its callers would disagree, so they are not solved. */
#define DISTANT_FUNCTIONS_MAX 24

/* At most this many functions that may know something of a member are asked: the shortest ones. */
#define MEMBER_FUNCTIONS_MAX 24
/* The same for unions with tags. Each function mostly knows a few of the tag's values. */
#define UNION_FUNCTIONS_MAX 200

uint64_t knowing_functions_code_size(const struct elf_image *image, uint64_t entry)
{
	const struct symbol *symbol = elf_image_function_at(image, entry);

	return symbol ? symbol->size : 0;
}

struct sized_function {
	uint64_t entry;
	uint64_t size;
};

COMPARISON(compare_sizes, struct sized_function, ASCENDING(size) ASCENDING(entry))

bool knowing_functions_are_of_unit(const struct distant_fact *fact)
{
	return !fact->asked && fact->place.kind != DISTANT_ARGUMENT;
}

void knowing_functions_find(const struct elf_image *image, struct debug_reader *reader,
			    struct distant_fact *fact)
{
	_cleanup_arena_ struct arena arena = { 0 };
	size_t count;
	const uint64_t *entries =
		debug_reader_unit_functions(reader, fact->place.address, &arena, &count);
	_cleanup_free_ struct sized_function *functions = xcalloc(count + 1, sizeof(*functions));
	size_t used = 0;

	for (size_t k = 0; entries && k < count; k++) {
		uint64_t size = knowing_functions_code_size(image, entries[k]);

		/* the other threads would wait for a large one */
		if (size < LARGE_FUNCTION && may_know(image, entries[k], &fact->place))
			functions[used++] = (struct sized_function){ entries[k], size };
	}
	qsort(functions, used, sizeof(*functions), compare_sizes);
	size_t most =
		fact->place.kind == DISTANT_UNION ? UNION_FUNCTIONS_MAX : MEMBER_FUNCTIONS_MAX;

	fact->sampled = used > most;
	fact->function_count = fact->sampled ? most : used;
	fact->functions = xcalloc(fact->function_count + 1, sizeof(*fact->functions));
	for (size_t k = 0; k < fact->function_count; k++)
		fact->functions[k] = functions[k].entry;
	qsort(fact->functions, fact->function_count, sizeof(*fact->functions), compare_addresses);
}

/* True if the argument in a register is declared as a pointer to void. */
static bool is_void_argument(const struct prototype *prototype, const struct convention *call,
			     uint8_t reg)
{
	const uint8_t number = convention_argument(call, reg);

	return number && number <= prototype->parameter_count &&
	       field_is_void_pointer(prototype->parameters[number - 1].type);
}

/* Finds the functions of its unit that may pass on the address of the function of an argument, such
 * as a comparator of qsort(). */
static void find_passers(const struct knowing_search *search, struct distant_fact *fact)
{
	const uint64_t code = fact->place.code;
	const struct prototype *prototype = debug_reader_prototype_at(search->reader, code, code);
	_cleanup_arena_ struct arena arena = { 0 };
	struct knowing_functions passers = { 0 };
	size_t count;

	if (!prototype ||
	    !is_void_argument(prototype, abi_of_image(search->image)->call, fact->place.reg))
		return;
	const uint64_t *entries = debug_reader_unit_functions(search->reader, code, &arena, &count);

	for (size_t i = 0; entries && i < count && passers.count <= DISTANT_FUNCTIONS_MAX; i++) {
		size_t size;
		const uint8_t *bytes = code_of(search->image, entries[i], &size);

		if (bytes && size < LARGE_FUNCTION && has_address(bytes, size, entries[i], code))
			knowing_functions_add(&passers, entries[i]);
	}
	if (passers.count <= DISTANT_FUNCTIONS_MAX) {
		fact->functions = passers.items;
		fact->function_count = passers.count;
	} else {
		free(passers.items);
	}
}

/* Adds the functions that call those whose arguments are wanted, unless they are many. */
static void add_callers(const struct knowing_search *search, struct knowing_functions *called,
			struct knowing_functions *knowing)
{
	struct distant_facts *facts = search->facts;
	struct hash_map callers = { 0 }; /* target -> number of its calls */
	size_t count;
	uint64_t entry;
	bool created;

	knowing_functions_sort(called);
	_cleanup_free_ struct distant_call *calls = distant_find_calls(
		search->image, abi_of_image(search->image), called->items, called->count, &count);

	for (size_t i = 0; i < count; i++)
		++*hash_map_insert(&callers, calls[i].target, &created);
	for (size_t i = 0; i < count; i++)
		if (*hash_map_find(&callers, calls[i].target) <= DISTANT_FUNCTIONS_MAX &&
		    debug_reader_function_entry(search->reader, calls[i].address, &entry, NULL))
			knowing_functions_add(knowing, entry);
	array_each (struct distant_fact, fact, facts->items, facts->count) {
		const uint32_t *calls_of = fact->place.kind == DISTANT_ARGUMENT
						   ? hash_map_find(&callers, fact->place.code)
						   : NULL;

		fact->callers = calls_of && *calls_of <= DISTANT_FUNCTIONS_MAX;
	}
	hash_map_deinit(&callers);
}

/* Leaves out functions from where the sum of their code exceeds the object's code: they overlap. */
static void keep_within_code(const struct elf_image *image, struct knowing_functions *knowing)
{
	uint64_t left = elf_image_code_max(image);
	size_t used = 0;

	for (size_t i = 0; i < knowing->count; i++) {
		uint64_t size = knowing_functions_code_size(image, knowing->items[i]);

		if (size > left)
			continue;
		left -= size;
		knowing->items[used++] = knowing->items[i];
	}
	knowing->count = used;
}

struct knowing_functions knowing_functions_list(const struct knowing_search *search)
{
	struct knowing_functions knowing = { 0 }, called = { 0 };

	array_each (struct distant_fact, fact, search->facts->items, search->facts->count) {
		if (fact->asked)
			continue;
		fact->asked = true;
		if (fact->place.kind == DISTANT_ARGUMENT) {
			knowing_functions_add(&called, fact->place.code);
			find_passers(search, fact);
		}
		for (size_t k = 0; k < fact->function_count; k++)
			knowing_functions_add(&knowing, fact->functions[k]);
	}
	add_callers(search, &called, &knowing);
	free(called.items);
	knowing_functions_sort(&knowing);
	keep_within_code(search->image, &knowing);
	return knowing;
}

bool knowing_functions_has(const struct knowing_functions *list, uint64_t address)
{
	return list->count &&
	       bsearch(&address, list->items, list->count, sizeof(*list->items), compare_addresses);
}
