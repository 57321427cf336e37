// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions, variables and types by address and by name. */

#include "dwarf/dwarf/object.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/type_table.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/type_name.h"

/*
 * ---- names of templates as compilers write them ----
 *
 * "Two<One<long int>, One<char*> >" is gcc's, and "Two<One<long>, One<char *>>" is clang's.
 */

enum name_spelling { SPELLING_GCC, SPELLING_CLANG, SPELLINGS };

/* Appends the name with blanks and integer types as the compiler writes them. */
static void spelling_add(const char *name, enum name_spelling spelling, struct strbuf *text)
{
	while (*name) {
		size_t word = type_name_word_length(name);
		const char *end =
			word ? type_name_take_integer(name, spelling == SPELLING_GCC, text) : NULL;
		const char *next = name + strspn(name, " ");

		if (end) {
			name = end;
		} else if (word) {
			strbuf_add(text, name, word);
			name += word;
		} else if (*name == ' ') {
			/* blanks stand between words alone */
			if (text->length && type_name_word_length(text->data + text->length - 1) &&
			    type_name_word_length(next))
				strbuf_add_char(text, ' ');
			name = next;
		} else {
			if (spelling == SPELLING_CLANG && strchr("*&", *name) && text->length &&
			    !strchr("*&", text->data[text->length - 1]))
				strbuf_add_char(text, ' ');
			if (spelling == SPELLING_GCC && *name == '>' && text->length &&
			    text->data[text->length - 1] == '>')
				strbuf_add_char(text, ' ');
			strbuf_add_char(text, *name);
			if (*name++ == ',')
				strbuf_add_char(text, ' ');
		}
	}
}

/* ---- by name ---- */

/* Returns the first DIE of the name in one unit, or 0. `unit` may be NULL. */
static uint64_t find_name_in_unit(struct dwarf_object *object, struct unit *unit, const char *name,
				  enum name_kind kind)
{
	const struct unit_index *index = unit ? unit_file_scope_get(unit) : NULL;
	uint32_t hash = name_hash(name), position = 0;
	uint64_t reference;
	struct die die;

	while (index && (reference = unit_index_next(index, hash, kind, &position)))
		if (die_at(object->files, reference, &die) &&
		    dwarf_die_is_named(object->files, &die, name))
			return reference;
	return 0;
}

/* The rank of a DIE among those of its name in other units; the highest is taken. */
enum rank { RANK_NONE, RANK_DECLARATION, RANK_DEFINITION };

static enum rank rank(struct dwarf_object *object, const struct die *die)
{
	struct die other;
	const struct die *declared = die_integrate(object->files, die, SLOT_EXTERNAL, &other);

	/* statics of other units are not visible */
	if (!declared || !die_flag(declared, SLOT_EXTERNAL))
		return RANK_NONE;
	return die_flag(die, SLOT_DECLARATION) ? RANK_DECLARATION : RANK_DEFINITION;
}

/* Returns whether only the unit of `from_address` is asked; 0: no unit. */
static bool is_of_one_unit(const struct dwarf_object *object, uint64_t from_address)
{
	return from_address && dwarf_names_are_separate(object->names);
}

/* Returns the DIE of a function or variable by name: the one in the unit of `from_address`, else an
 * external one, a definition rather than a declaration; 0: none. */
static uint64_t find_named(struct dwarf_object *object, const char *name, enum name_kind kind,
			   uint64_t from_address)
{
	struct unit *from = from_address ? dwarf_source_unit_at(object, from_address) : NULL;
	uint64_t best = find_name_in_unit(object, from, name, kind), reference;
	enum rank best_rank = best ? RANK_DEFINITION : RANK_NONE;
	uint32_t position = 0;
	struct die die;

	while (best_rank < RANK_DEFINITION && !is_of_one_unit(object, from_address) &&
	       (reference = dwarf_names_next(object->names, name, kind, &position))) {
		if (!die_at(object->files, reference, &die))
			continue;

		enum rank found = rank(object, &die);

		if (found > best_rank) {
			best_rank = found;
			best = reference;
		}
	}
	return best;
}

uint64_t dwarf_unplaced_function(struct dwarf_object *object, const struct symbol *symbol)
{
	struct unit *unit = dwarf_unit_at(object, symbol->address);

	unit = unit ? unit_with_dies(unit) : NULL;
	if (!unit || !symbol->size)
		return 0;
	/* link-time optimization makes the symbols of external functions local */
	return symbol->binding != STB_LOCAL || unit->linked
		       ? find_named(object, symbol->name, NAME_FUNCTION, symbol->address)
		       : find_name_in_unit(object, unit, symbol->name, NAME_FUNCTION);
}

const struct prototype *dwarf_prototype_of(struct dwarf_object *object, uint64_t reference)
{
	const struct dwarf_prototype *found = dwarf_prototype(object, reference);

	return found ? &found->prototype : NULL;
}

const struct prototype *dwarf_prototype_named(struct debug_reader *reader, const char *name,
					      uint64_t from_address)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	uint64_t reference = find_named(object, name, NAME_FUNCTION, from_address);

	return reference ? dwarf_prototype_of(object, reference)
			 : dwarf_library_prototype(reader, name, from_address);
}

/* Returns the prototype of an external function as the unit declares it, or NULL. Without this, the
 * unit that defines the function would have to be read for each call. */
static const struct prototype *declared_in_unit(struct dwarf_object *object, uint64_t from_address,
						const struct symbol *symbol)
{
	uint64_t reference;
	const struct die *declared;
	struct die die, other;

	/* a local symbol is that of a static function or a clone (foo.isra.0): an external
	 * declaration of its name is of another function */
	if (!from_address || symbol->binding == STB_LOCAL)
		return NULL;
	reference = find_name_in_unit(object, dwarf_source_unit_at(object, from_address),
				      symbol->name, NAME_FUNCTION);
	if (!reference || !die_at(object->files, reference, &die) ||
	    !(declared = die_integrate(object->files, &die, SLOT_EXTERNAL, &other)) ||
	    !die_flag(declared, SLOT_EXTERNAL))
		return NULL;
	const struct prototype *prototype = dwarf_prototype_of(object, reference);

	return prototype && prototype->prototyped ? prototype : NULL;
}

const struct prototype *dwarf_prototype_at(struct debug_reader *reader, uint64_t address,
					   uint64_t from_address)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	const struct symbol *symbol = elf_image_function_at(object->image, address);
	bool begins = symbol && symbol->address == address;
	const struct prototype *declared =
		begins ? declared_in_unit(object, from_address, symbol) : NULL;

	if (declared)
		return declared;

	const struct function_entry *entry = dwarf_function_entry(object, address);

	if (entry)
		return entry->entry == address ? dwarf_prototype_of(object, entry->die) : NULL;
	/* code without debug information (assembly) may be declared in C */
	return begins && !is_of_one_unit(object, from_address)
		       ? dwarf_prototype_named(reader, symbol->name, 0)
		       : NULL;
}

/* Returns the part after the last "::" that is not between < and >. */
static const char *plain_name(const char *name)
{
	const char *plain = name;
	int depth = 0;

	for (const char *at = name; *at; at++) {
		depth += *at == '<' ? 1 : *at == '>' ? -1 : 0;
		if (depth == 0 && at[0] == ':' && at[1] == ':' && at[2])
			plain = at + 2;
	}
	return plain;
}

typedef uint64_t (*next_name)(struct dwarf_names *names, const char *name, enum name_kind kind,
			      uint32_t *position);

static void offer_named(struct dwarf_object *object, next_name next, const char *name,
			struct type_query *query)
{
	static const enum name_kind kinds[] = { NAME_RECORD, NAME_ENUM, NAME_TYPEDEF };

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		uint64_t reference;
		uint32_t position = 0;

		while ((reference = next(object->names, name, kinds[i], &position)))
			type_query_offer(query, dwarf_type(&object->types, reference));
	}
}

/* Offers the types that the source calls so: type_name_matches(). */
static void offer_meant(struct dwarf_object *object, struct type_query *query)
{
	uint32_t position = 0;
	uint64_t reference;
	const char *wanted = query->name, *meant;
	struct meant_type pattern;

	/* the names that are compared have no scopes */
	meant_type_init(&pattern, plain_name(wanted));
	query->as_written = true;
	while ((reference = dwarf_names_next_meant(object->names, &pattern, &position, &meant))) {
		query->name = meant == pattern.text ? wanted : meant;
		type_query_offer(query, dwarf_type(&object->types, reference));
	}
	query->name = wanted;
	meant_type_deinit(&pattern);
}

size_t dwarf_types_named(struct debug_reader *reader, const char *name, const struct type **types,
			 size_t capacity)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	struct type_query query;

	type_query_init(&query, name, types, capacity);

	const char *plain = plain_name(query.name);
	_cleanup_free_ char *template = xstrndup(plain, strcspn(plain, "<"));

	offer_named(object, dwarf_names_next, plain, &query);
	/* names may lack their template arguments */
	if (!query.count && *template && strcmp(template, plain) != 0)
		offer_named(object, dwarf_names_next, template, &query);
	/* types that functions define */
	if (!query.count)
		offer_named(object, dwarf_names_next_of_all, plain, &query);
	if (!query.count)
		offer_meant(object, &query);
	type_query_deinit(&query);
	return query.count;
}

/* Offers the types of a name as it is spelled. */
static void offer_called(struct dwarf_object *object, const char *name, struct type_query *query)
{
	const char *plain = plain_name(name), *dot = strrchr(plain, '.');
	_cleanup_free_ char *template = xstrndup(plain, strcspn(plain, "<"));

	query->name = name;
	offer_named(object, dwarf_names_next, plain, query);
	/* names may lack their template arguments, and those of Go have their scope */
	if (!query->count && *template && strcmp(template, plain) != 0)
		offer_named(object, dwarf_names_next, template, query);
	if (!query->count && dot)
		offer_named(object, dwarf_names_next, dot + 1, query);
	if (!query->count)
		offer_named(object, dwarf_names_next_of_all, plain, query);
}

size_t dwarf_types_called(struct debug_reader *reader, const char *name, const struct type **types,
			  size_t capacity)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	struct type_query query;

	type_query_init(&query, name, types, capacity);
	query.ends = true;

	const char *bare = query.name;

	offer_called(object, bare, &query);
	for (enum name_spelling i = 0; i < SPELLINGS && !query.count; i++) {
		_cleanup_strbuf_ struct strbuf spelled = STRBUF_INIT;

		spelling_add(bare, i, &spelled);
		if (spelled.length)
			offer_called(object, spelled.data, &query);
		query.name = bare;
	}
	if (!query.count)
		offer_meant(object, &query);
	type_query_deinit(&query);
	return query.count;
}

/* ---- variables ---- */

/* The most variables at one address that are tried: one object may be declared often. */
#define BACK_MAX 16

static const char *lookup_name_of(struct dwarf_object *object, const struct die *die)
{
	struct die other;
	const struct die *named = die_integrate(object->files, die, SLOT_NAME, &other);

	return named ? die_name(named) : NULL;
}

/* Returns the symbol of a variable that covers `address`, or NULL. */
static const struct symbol *symbol_at(const struct dwarf_object *object, uint64_t address)
{
	const struct symbol *symbol = elf_image_object_at(object->image, address);

	if (!symbol && object->debug_image != object->image)
		symbol = elf_image_object_at(object->debug_image, address);
	return symbol;
}

/* Describes a variable. Its type may be in the declaration that it specifies. An array that is
 * declared without its size has the size of the symbol. */
static bool lookup_describe(struct dwarf_object *object, uint64_t reference, uint64_t address,
			    bool thread_local_, struct global *result)
{
	struct die die;

	if (!die_at(object->files, reference, &die))
		return false;
	*result = (struct global){
		.name = lookup_name_of(object, &die),
		.type = dwarf_type_of(&object->types, &die),
		.address = address,
		.thread_local_ = thread_local_,
	};
	result->size = type_size_or(result->type, 0);
	if (!result->size && !thread_local_) {
		const struct symbol *symbol = symbol_at(object, address);

		result->size = symbol && symbol->address == address ? symbol->size : 0;
	}
	return true;
}

/* The result is kept, because it is often asked for again. */
const struct global *dwarf_indexed_global(struct dwarf_object *object,
					  const struct variable_entry *variable)
{
	const struct global *known = concurrent_map_find(&object->globals, variable->die);
	struct global global;

	if (known || !lookup_describe(object, variable->die, variable->address,
				      variable->thread_local_, &global))
		return known;
	type_table_lock(object->types.table);
	known = concurrent_map_find(&object->globals, variable->die);
	if (!known) {
		struct global *copy =
			arena_copy(&object->types.table->arena, &global, sizeof(global));

		concurrent_map_insert(&object->globals, variable->die, copy);
		known = copy;
	}
	type_table_unlock(object->types.table);
	return known;
}

/* Finds the variable that covers the address, or the offset in thread-local memory. */
static bool find_variable(struct dwarf_object *object, const struct variable_list *list,
			  bool thread_local_, uint64_t address, struct global *result)
{
	const struct variable_entry *variables = list->items;
	size_t others = list->count - list->thread_local_count;
	size_t first = thread_local_ ? others : 0, last = thread_local_ ? list->count : others;
	size_t after = partition_point(first, last, i, variables[i].address <= address);

	for (size_t i = after, tries = 0; i-- > first && tries < BACK_MAX; tries++) {
		/* of several DIEs at one address, the first is used */
		while (i > first && variables[i - 1].address == variables[i].address &&
		       tries < BACK_MAX) {
			i--;
			tries++;
		}
		const struct variable_entry *entry = &variables[i];
		const struct global *global = dwarf_indexed_global(object, entry);
		uint64_t size = global && !entry->piece_size ? global->size : entry->piece_size;

		if (global && address - entry->address < size) {
			*result = *global;
			result->address = entry->address;
			result->size = size;
			result->piece = entry->piece_size;
			result->piece_offset = entry->piece_offset;
			return true;
		}
	}
	return false;
}

/* True if other units see the symbol under this name. A local symbol may have the name of another
 * unit's global. A name with a dot is the compiler's, and no declaration has it: link-time
 * optimization in partitions makes table.lto_priv.0 (gcc) or table.llvm.N (LLVM) of a static
 * variable. */
static bool is_visible(const struct symbol *symbol)
{
	return symbol && symbol->binding != STB_LOCAL && symbol->type != STT_TLS &&
	       !strchr(symbol->name, '.');
}

/* Describes the variable at the symbol as the DIE declares it. */
static bool describe_declared(struct dwarf_object *object, uint64_t reference,
			      const struct symbol *symbol, uint64_t address, struct global *result)
{
	struct global global;

	if (!reference || !lookup_describe(object, reference, symbol->address, false, &global))
		return false;
	if (!global.size || (symbol->size && global.size > symbol->size))
		global.size = symbol->size;
	if (address - symbol->address >= global.size)
		return false;
	*result = global;
	return true;
}

/* Returns what the unit declares by another name there, or 0: jiffies is jiffies_64. */
static uint64_t find_alias(struct dwarf_object *object, struct unit *unit,
			   const struct symbol *symbol)
{
	size_t count;
	const struct symbol *symbols = elf_image_symbols_at(object->image, symbol->address, &count);
	uint64_t found = 0;

	for (size_t i = 0; !found && i < count; i++)
		if (symbol_is_data(&symbols[i]) && is_visible(&symbols[i]))
			found = find_name_in_unit(object, unit, symbols[i].name, NAME_VARIABLE);
	return found;
}

/* Finds a variable that the unit defines, or that `source` declares and another unit defines: then
 * no other unit has to be read. Functions are read only for variables that may be in one. */
static bool find_in_unit(struct dwarf_object *object, struct unit *unit, struct unit *source,
			 uint64_t address, const struct symbol *symbol, struct global *result)
{
	if (!unit)
		return false;
	if (find_variable(object, &unit_file_scope_get(unit)->variables, false, address, result))
		return true;
	if (!is_visible(symbol))
		return find_variable(object, &unit_statics_get(unit)->variables, false, address,
				     result);
	uint64_t reference = find_name_in_unit(object, source, symbol->name, NAME_VARIABLE);

	return describe_declared(object, reference ?: find_alias(object, source, symbol), symbol,
				 address, result) &&
	       type_size_or(result->type, 0);
}

/* Returns the part of a variable's name after the last "::". */
static const char *last_name(const char *name)
{
	for (const char *next; (next = strstr(name, "::"));)
		name = next + 2;
	return name;
}

/* Finds a constant array in a namespace. gcc (up to version 14 at least) gives its value instead of
 * its place, and no linkage name. It is known by its symbol, which no other unit has. */
static bool find_local_constant(struct dwarf_object *object, struct unit *unit, uint64_t address,
				const struct symbol *symbol, struct global *result)
{
	if (!unit || unit->language != LANGUAGE_CXX || !symbol || symbol->binding != STB_LOCAL ||
	    symbol->type != STT_OBJECT || !starts_with(symbol->name, "_ZN"))
		return false;
	_cleanup_free_ char *name = symbol_demangle(symbol->name);
	const struct unit_index *index = unit_file_scope_get(unit);
	uint32_t hash = name ? name_hash(last_name(name)) : 0, position = 0;
	uint64_t reference;
	struct die die;

	while (name && (reference = unit_index_next(index, hash, NAME_VARIABLE, &position))) {
		_cleanup_strbuf_ struct strbuf qualified = STRBUF_INIT;

		if (die_at(object->files, reference, &die) && die_flag(&die, SLOT_DECLARATION) &&
		    die_has(&die, SLOT_CONST_VALUE) &&
		    dwarf_qualified_name(&object->types, &die, &qualified) &&
		    strcmp(qualified.data, name) == 0)
			return describe_declared(object, reference, symbol, address, result);
	}
	return false;
}

static bool find_in_units(struct dwarf_object *object, uint64_t address, bool all,
			  struct global *result)
{
	return find_variable(object, dwarf_names_variables(object->names, all), false, address,
			     result);
}

/* True for a table that the compiler made of a switch statement: gcc's switch conversion
 * (gcc/tree-switch-conversion.cc), LLVM's SimplifyCFG. Such a table has a symbol but no DIE, so no
 * unit has to be read for it. */
static bool is_switch_table(const struct symbol *symbol)
{
	static const char *const prefixes[] = { "CSWTCH.", "switch.table." };

	return any_of(i, 0, COUNT_OF(prefixes),
		      symbol->type == STT_OBJECT && symbol->binding == STB_LOCAL &&
			      strncmp(symbol->name, prefixes[i], strlen(prefixes[i])) == 0);
}

/* Finds the fixed place of the whole variable. False: there is none. */
static bool lookup_place_of(const struct die *die, struct location *place)
{
	struct location_list list = { .items = place, .capacity = 1, .limit = 1 };
	const uint8_t *expression;
	size_t size;

	if (!die_block(die, SLOT_LOCATION, &expression, &size))
		return false;
	location_static_places(die->unit, expression, size, &list);
	return list.count && !place->piece_size;
}

bool dwarf_global_named(struct debug_reader *reader, const char *name, uint64_t from_address,
			struct global *result)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	uint64_t reference = find_named(object, name, NAME_VARIABLE, from_address);
	struct location place;
	struct die die;

	if (!reference || !die_at(object->files, reference, &die))
		return dwarf_library_variable(reader, name, from_address, result);
	if (!lookup_place_of(&die, &place))
		place = (struct location){ 0 };
	return lookup_describe(object, reference, (uint64_t)place.offset,
			       place.kind == LOCATION_TLS, result);
}

bool dwarf_global_at(struct debug_reader *reader, uint64_t address, uint64_t from_address,
		     struct global *result)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	const struct symbol *symbol = symbol_at(object, address);
	struct elf_section section;

	uint64_t offset;
	const char *import = elf_image_import_at(object->image, address, &offset);

	if (import) {
		if (!dwarf_global_named(reader, import, from_address, result) ||
		    offset >= result->size)
			return false;
		result->address = address - offset;
		return true;
	}
	struct unit *unit = from_address ? dwarf_unit_at(object, from_address) : NULL;
	struct unit *source =
		unit && unit->linked ? dwarf_source_unit_at(object, from_address) : unit;

	if (find_in_unit(object, unit, source, address, symbol, result) ||
	    find_local_constant(object, source, address, symbol, result))
		return true;
	/* an address outside all sections needs no unit to be read */
	if (is_of_one_unit(object, from_address) ||
	    (!symbol && !elf_image_section_at(object->image, address, &section)))
		return false;
	if (find_in_units(object, address, false, result))
		return true;
	/* The symbol may be that of a variable that units with debug information only declare: the
	 * linker has moved it here from another object (copy relocation: stderr), or its own unit
	 * has no debug information. */
	if (is_visible(symbol) &&
	    describe_declared(object, find_named(object, symbol->name, NAME_VARIABLE, from_address),
			      symbol, address, result))
		return true;
	if (is_visible(symbol) &&
	    dwarf_library_variable(reader, symbol->name, from_address, result)) {
		result->address = symbol->address;
		return address - symbol->address < result->size;
	}
	return (symbol ? !is_visible(symbol) && !is_switch_table(symbol)
		       : !object->has_all_symbols) &&
	       find_in_units(object, address, true, result);
}

bool dwarf_tls_at(struct debug_reader *reader, uint64_t offset, struct global *result)
{
	struct dwarf_object *object = dwarf_object_of(reader);

	return find_variable(object, dwarf_names_variables(object->names, true), true, offset,
			     result);
}
