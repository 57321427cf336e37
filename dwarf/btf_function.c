/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions: symbols say where they are, BTF_KIND_FUNC of the same name what their arguments and results are.
 */
#include <linux/btf.h>
#include <string.h>

#include "dwarf/btf_kind.h"
#include "dwarf/btf_object.h"
#include "dwarf/elf_symbol_drafts.h"
#include "profiler/base/search.h"

#define COLD_PART ".cold"

static uint64_t name_key(const char *name)
{
	return hash_bytes(name, strlen(name));
}

void btf_object_count_names(struct btf_object *object)
{
	size_t count;
	const struct symbol *symbols = elf_image_symbols(object->image, &count);
	bool created;

	for (size_t i = 0; i < count; i++) {
		if (!symbol_is_function(&symbols[i]))
			continue;

		uint32_t *known = hash_map_insert(&object->symbols, name_key(symbols[i].name), &created);

		/* a name that one address has twice is one: there may be two symbol tables */
		if (created)
			*known = (uint32_t)i * 2;
		else if (symbols[*known / 2].address != symbols[i].address)
			*known |= 1;
	}
}

/* Whether functions at several addresses have this name. */
static bool is_ambiguous(const struct btf_object *object, const char *name)
{
	const uint32_t *known = hash_map_find(&object->symbols, name_key(name));

	return known && *known & 1;
}

bool btf_object_has_function(const struct btf_object *object, const char *name)
{
	return hash_map_find(&object->symbols, name_key(name));
}

/* The name as it was written, before the compiler put something behind it; to be freed. */
static char *written_name(const char *symbol_name)
{
	return xstrndup(symbol_name, strcspn(symbol_name, "."));
}

/* A clone has the arguments that the compiler chose. A static function that link-time optimization made
 * visible has its own ones. */
static bool is_clone(const char *symbol_name)
{
	const char *suffix = strchr(symbol_name, '.');

	return suffix && strncmp(suffix, ".llvm.", 6) != 0;
}

/* The function that a cold part was cut off from; NULL: it is no cold part, or not known of which. */
static const struct symbol *whole_of(const struct btf_object *object, const struct symbol *symbol)
{
	const char *suffix = strstr(symbol->name, COLD_PART);
	_cleanup_free_ char *name = NULL;

	if (!suffix || (suffix[strlen(COLD_PART)] && suffix[strlen(COLD_PART)] != '.') ||
	    is_ambiguous(object, symbol->name))
		return NULL;
	name = xstrndup(symbol->name, (size_t)(suffix - symbol->name));

	const struct symbol *whole =
		is_ambiguous(object, name) ? NULL : elf_image_symbol_named(object->image, name);

	return whole && symbol_is_function(whole) ? whole : NULL;
}

static const struct symbol *cold_part_of(const struct btf_object *object, const struct symbol *symbol)
{
	_cleanup_free_ char *name = xasprintf("%s" COLD_PART, symbol->name);
	const struct symbol *part = is_ambiguous(object, symbol->name) || is_ambiguous(object, name)
					    ? NULL
					    : elf_image_symbol_named(object->image, name);

	return part && symbol_is_function(part) && part->address != symbol->address ? part : NULL;
}

/* The symbol of the function that `address` is in; NULL: there is none. */
static const struct symbol *function_symbol(const struct btf_object *object, uint64_t address)
{
	const struct symbol *symbol = elf_image_function_at(object->image, address);

	if (!symbol || address - symbol->address >= symbol->size)
		return NULL;

	const struct symbol *whole = whole_of(object, symbol);

	return whole ? whole : symbol;
}

bool btf_object_function_entry(const struct btf_object *object, uint64_t address, uint64_t *entry)
{
	const struct symbol *symbol = function_symbol(object, address);

	if (symbol)
		*entry = symbol->address;
	return symbol;
}

static const struct prototype *create_prototype(struct btf_object *object, const struct btf_record *function,
						bool clone)
{
	struct prototype *result = arena_alloc(&object->types.table->arena, sizeof(*result));
	const struct type *type = btf_type(&object->types, function->type);

	*result = (struct prototype){ .name = function->name };
	if (type->kind != TYPE_FUNCTION)
		return result; /* damaged */
	result->return_type = type_target(type);
	if (clone)
		return result;
	result->parameters = type_parameters(type, &result->parameter_count);
	result->variadic = type->flags & TYPE_VARIADIC;
	result->prototyped = true;
	return result;
}

static const struct prototype *prototype_of_id(struct btf_object *object, uint32_t id, bool clone)
{
	uint64_t key = (uint64_t)id << 1 | clone;
	const struct prototype *found = concurrent_map_find(&object->prototypes, key);
	struct btf_record record;

	if (found || !btf_record_at(object->btf->file, id, &record))
		return found;
	type_table_lock(object->types.table);
	found = concurrent_map_find(&object->prototypes, key);
	if (!found) {
		found = create_prototype(object, &record, clone);
		concurrent_map_insert(&object->prototypes, key, (void *)found);
	}
	type_table_unlock(object->types.table);
	return found;
}

static const struct type *type_of_id(struct btf_object *object, uint32_t id)
{
	struct btf_record record;

	return btf_record_at(object->btf->file, id, &record) ? btf_type(&object->types, record.type) : NULL;
}

/* What all functions of this name have; NULL: there is none, or they differ. */
static const struct prototype *find_prototype(struct btf_object *object, const char *name, bool clone)
{
	uint32_t ids[BTF_NAMESAKES];
	size_t count = btf_find(object->btf, name, 1u << BTF_KIND_FUNC, ids);

	for (size_t i = 1; i < count; i++) {
		if (type_of_id(object, ids[i]) != type_of_id(object, ids[0]))
			return NULL;
	}
	return count && count < BTF_NAMESAKES ? prototype_of_id(object, ids[0], clone) : NULL;
}

static const struct prototype *prototype_of_symbol(struct btf_object *object, const struct symbol *symbol)
{
	_cleanup_free_ char *name = written_name(symbol->name);

	if (is_ambiguous(object, symbol->name) || is_ambiguous(object, name))
		return NULL;
	return find_prototype(object, name, is_clone(symbol->name));
}

const struct prototype *btf_object_prototype_named(struct btf_object *object, const char *name)
{
	return is_ambiguous(object, name) ? NULL : find_prototype(object, name, false);
}

static bool same_prototype(const struct prototype *left, const struct prototype *right)
{
	if (left->return_type != right->return_type || left->parameter_count != right->parameter_count ||
	    left->prototyped != right->prototyped)
		return false;
	for (size_t i = 0; i < left->parameter_count; i++) {
		if (left->parameters[i].type != right->parameters[i].type)
			return false;
	}
	return true;
}

/* One function may have several names: what BTF says of them must be the same. */
const struct prototype *btf_object_prototype_at(struct btf_object *object, uint64_t address)
{
	size_t count;
	const struct symbol *symbols = elf_image_symbols(object->image, &count);
	const struct prototype *result = NULL;

	for (size_t i = partition_point(0, count, middle, symbols[middle].address < address);
	     i < count && symbols[i].address == address; i++) {
		const struct prototype *found =
			symbol_is_function(&symbols[i]) ? prototype_of_symbol(object, &symbols[i]) : NULL;

		if (found && result && !same_prototype(found, result))
			return NULL;
		result = found ? found : result;
	}
	return result;
}

static struct address_range range_of(const struct symbol *symbol)
{
	return (struct address_range){ symbol->address, symbol->address + symbol->size };
}

struct function *btf_object_function(struct btf_object *object, uint64_t address)
{
	const struct symbol *symbol = function_symbol(object, address);

	if (!symbol)
		return NULL;

	const struct symbol *cold = cold_part_of(object, symbol);
	struct address_range ranges[2] = { range_of(symbol) };
	struct function *function = xcalloc(1, sizeof(*function));
	struct scope scope = { 0 };

	function->range_count = 1;
	if (cold)
		ranges[function->range_count++] = range_of(cold);
	function->name = symbol->name;
	function->language = LANGUAGE_C;
	function->ranges = arena_copy(&function->arena, ranges, function->range_count * sizeof(*ranges));
	function->prototype = btf_object_prototype_at(object, symbol->address);
	function->frame_base.kind = FRAME_BASE_NONE;
	function->arguments_by_abi = true;
	scope.ranges = function->ranges;
	scope.range_count = function->range_count;
	function->scopes = arena_copy(&function->arena, &scope, sizeof(scope));
	function->scope_count = 1;
	return function;
}
