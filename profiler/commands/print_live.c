// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements print_live.h. */
#include "profiler/commands/print_live.h"

#include <ctype.h>
#include <inttypes.h>

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "dwarf/debug.h"
#include "profiler/cli/output.h"
#include "report/json.h"

/* The most bytes of all objects, the most objects, and members of all. */
#define LIVE_SIZE_MAX    ((uint64_t)64 << 20)
#define LIVE_OBJECTS_MAX 1000
#define LIVE_STEPS_MAX   1000000
/* The most elements of one array whose pointers are followed. */
#define LIVE_ELEMENTS_MAX 256
/* The most nested records in which pointers are looked for. */
#define LIVE_NESTING_MAX 32
/* Members and elements of objects with pointers, and so many characters of paths. */
#define LIVE_PARTS_MAX     1000000
#define LIVE_PATH_PER_PART 16
/* Characters of a symbol's name. */
#define LIVE_SYMBOL_MAX 1000
/* Characters that a pointer to them shows. */
#define LIVE_TEXT_MAX 200

/* A part of memory with a type. */
struct live_place {
	const struct type *type;
	uint64_t address;
};

/* A file that is mapped, as it was found. */
struct live_file {
	struct dso *dso; /* NULL: it cannot be used */
	uint64_t bias;
	const char *why;
};

/* An object that is to be printed. */
struct live_object {
	struct live_place place;
	uint32_t from; /* the object with the pointer to it; itself for one that was asked for */
	unsigned int depth; /* pointers before it */
	char *member;       /* the path of the pointer; else the expression */
	uint8_t *bytes;     /* as they were read; NULL: not yet */
	size_t size;
};

struct live_printing {
	const struct print_live *live;
	struct dso_table table;
	struct debug_reader *reader;
	struct live_object *objects;
	size_t count, capacity;
	struct hash_map known;  /* hash of an object's type and address -> index + 1 */
	bool is_full;           /* there are more objects */
	size_t parts;           /* in which pointers were looked for */
	uint64_t left;          /* bytes that may be read */
	size_t shown, steps;    /* objects that were printed, and members of them */
	struct hash_map mapped; /* hash of a path -> index + 1 in files */
	struct live_file *files;
	size_t file_count, file_capacity;
	const struct hot_object *hot; /* samples of the object that is printed, or NULL, */
	uint64_t remarked;            /* and how many of them are beside members */
	struct strbuf text;
	struct json json;
};

/* ---- the file of a variable ---- */

static struct error *open_reader(struct live_printing *printing, struct dso *dso)
{
	const char *problem = NULL;
	struct debug_object *debug = dso_debug(dso, printing->live->dso, &problem);

	debug_reader_close(printing->reader);
	printing->reader = debug ? debug_reader_open(debug) : NULL;
	return debug ? NULL
		     : error_create(ERROR_NO_DEBUG_INFO, "%s has no types: %s", dso->long_name,
				    problem ?: "it has no debug information");
}

/* Finds how far the file is loaded from its own addresses. False: it is not mapped. */
static bool find_bias(const struct process_memory *memory, const char *path,
		      const struct elf_image *image, uint64_t *bias)
{
	uint64_t address;

	array_each (const struct memory_range, range, memory->ranges, memory->count) {
		if (!range->path || strcmp(range->path, path) != 0 ||
		    !elf_image_offset_to_data(image, range->offset, &address))
			continue;
		*bias = range->start - address;
		return true;
	}
	return false;
}

/* Returns why the file at a path is not the one that the process has mapped, or NULL. */
static const char *is_other_file(const struct process_memory *memory, const char *path,
				 const struct elf_image *image)
{
	for (size_t i = 0; i < memory->count; i++)
		if (memory->ranges[i].path && strcmp(memory->ranges[i].path, path) == 0 &&
		    memory->ranges[i].inode &&
		    memory->ranges[i].inode != elf_image_file(image)->st_ino)
			return "it was replaced since it was mapped";
	return NULL;
}

static struct live_file find_mapped(struct live_printing *printing, const char *path)
{
	const struct process_memory *memory = printing->live->memory;
	struct live_file file = { 0 };
	struct dso *dso =
		dso_table_get(&printing->table, &(struct dso_origin){ .name = (char *)path });
	const struct elf_image *image = dso_image(dso, printing->live->dso, &file.why);

	if (!image)
		return file;
	file.bias = memory->moved;
	if (memory->is_kernel && memory->build_id.size &&
	    !elf_image_is_build(image, &memory->build_id))
		file.why = "it is another kernel's";
	else
		file.why = is_other_file(memory, path, image);
	if (!file.why && !memory->is_kernel && !find_bias(memory, path, image, &file.bias))
		file.why = "it is not mapped";
	file.dso = file.why ? NULL : dso;
	return file;
}

/* Opens a mapped file, once. Returns its DSO, or NULL if it cannot be used; *why says why. */
static struct dso *open_mapped(struct live_printing *printing, const char *path, uint64_t *bias,
			       const char **why)
{
	bool created;
	struct live_file *file =
		hash_map_item(&printing->mapped, hash_bytes(path, strlen(path)), printing->files,
			      printing->file_count, printing->file_capacity, &created);

	if (created)
		*file = find_mapped(printing, path);
	*bias = file->bias;
	*why = file->why;
	return file->dso;
}

/* Returns a symbol's name as the source has it, with its scopes: "app::item" for _ZN3app4itemE,
 * "m.count" for Fortran's __m_MOD_count, "P.FIRST" for Pascal's U_$P$P_$$_FIRST, and "pkg.first"
 * for Ada's pkg__first. *folded: the language does not tell small letters from capitals. */
static char *source_name(const char *symbol, bool *folded)
{
	static const struct {
		const char *before, *between;
	} forms[] = { { "__", "_MOD_" }, { "U_$P$", "_$$_" }, { "U_$", "_$$_" }, { "", "__" } };
	char *shown = symbol_demangle(symbol);

	*folded = !shown;
	for (size_t i = 0; i < COUNT_OF(forms) && !shown; i++) {
		const char *scope = symbol + strlen(forms[i].before);
		const char *end = starts_with(symbol, forms[i].before)
					  ? strstr(scope, forms[i].between)
					  : NULL;

		if (end && end > scope)
			shown = xasprintf("%.*s.%s", (int)(end - scope), scope,
					  end + strlen(forms[i].between));
	}
	/* packages in packages */
	for (char *at = *folded && shown ? strstr(shown, "__") : NULL; at; at = strstr(at, "__")) {
		*at = '.';
		memmove(at + 1, at + 2, strlen(at + 1));
	}
	return shown;
}

/* Returns the length of the separator of scopes that a name goes on with; 0: there is none. */
static size_t separator(const char *name)
{
	return *name == '.' ? 1 : name[0] == ':' && name[1] == ':' ? 2 : 0;
}

/* Returns whether two names are the same; "m::count" is also "m.count". The first one may end in a
 * tag: title[abi:cxx11]. */
static bool is_same_variable(const char *shown, const char *name, bool folded)
{
	while (*name) {
		size_t skipped = separator(shown), typed = separator(name);

		if (!skipped != !typed || (!typed && (folded ? tolower((unsigned char)*shown) !=
								       tolower((unsigned char)*name)
							     : *shown != *name)))
			return false;
		shown += skipped ?: 1;
		name += typed ?: 1;
	}
	return !*shown || starts_with(shown, "[abi:");
}

/* How much of a symbol's name in the source another name gives: nothing, all that follows one of
 * its scopes, or all of it. */
enum named_part { NAMED_NOT, NAMED_END, NAMED_WHOLE };

static enum named_part part_of(const char *symbol, const char *name)
{
	bool folded;
	_cleanup_free_ char *shown = source_name(symbol, &folded);

	if (!shown || is_same_variable(shown, name, folded))
		return shown ? NAMED_WHOLE : NAMED_NOT;
	for (const char *at = shown; *at; at++)
		if (separator(at) && is_same_variable(at + separator(at), name, folded))
			return NAMED_END;
	return NAMED_NOT;
}

/* Returns the symbol of a variable, or NULL. *several: the name lacks a scope that tells them
 * apart. Only names with scopes and tags differ from those in the source, and have the last word of
 * the name in them. */
static const struct symbol *find_live_symbol(const struct elf_image *image, const char *name,
					     bool *several)
{
	const struct symbol *symbol = elf_image_symbol_named(image, name);
	const char *word = name;
	size_t count;
	const struct symbol *symbols = elf_image_symbols(image, &count);

	*several = false;
	if (symbol)
		return symbol_is_data(symbol) ? symbol : NULL;
	for (const char *at = name; *at; at++)
		if (separator(at))
			word = at + separator(at);
	for (size_t i = 0; i < count; i++) {
		if (!symbol_is_data(&symbols[i]) || !strcasestr(symbols[i].name, word))
			continue;
		enum named_part part = part_of(symbols[i].name, name);

		if (part == NAMED_WHOLE) {
			*several = false;
			return &symbols[i];
		}
		*several |= part == NAMED_END && symbol;
		if (part == NAMED_END)
			symbol = &symbols[i];
	}
	return *several ? NULL : symbol;
}

/* Finds a variable of a COMMON block of Fortran. The block has the symbol; its name ends in "_". */
static bool find_in_common(struct live_printing *printing, const struct elf_image *image,
			   const char *name, struct global *found, bool *several)
{
	size_t count;
	const struct symbol *symbols = elf_image_symbols(image, &count);
	struct global global;

	array_each (const struct symbol, block, symbols, count) {
		uint64_t at = block->address;

		while (block->type == STT_OBJECT && ends_with(block->name, "_") &&
		       at - block->address < block->size &&
		       debug_reader_global_at(printing->reader, at, 0, &global) && global.size) {
			at = global.address + global.size;
			if (!global.name || strcmp(global.name, name) != 0)
				continue;
			*several |= found->type && found->address != global.address;
			*found = global;
		}
	}
	return found->type && !*several;
}

/* Finds a variable in one file. Debug information is read only if there is a symbol, or the file is
 * the program, where COMMON blocks are. */
static bool find_variable_in(struct live_printing *printing, const char *path, const char *name,
			     struct live_place *place, const char **why)
{
	uint64_t bias;
	struct dso *dso = open_mapped(printing, path, &bias, why);
	const struct elf_image *image = dso ? dso_image(dso, printing->live->dso, why) : NULL;
	bool several = false;
	const struct symbol *symbol = image ? find_live_symbol(image, name, &several) : NULL;
	struct global global = { 0 };
	struct elf_section section;
	struct error *error;

	if (several)
		*why = "several have this name: put the module, package or namespace before it";
	if (!image || several || (!symbol && path != printing->live->memory->program))
		return false;
	if (symbol && elf_image_section_at(image, symbol->address, &section) && section.per_cpu) {
		*why = "the variable is per-cpu, so each processor has one";
		return false;
	}
	error = open_reader(printing, dso);
	if (error) {
		*why = "it has no debug information";
		error_destroy(error);
		return false;
	}
	if (!symbol && !find_in_common(printing, image, name, &global, &several)) {
		if (several)
			*why = "several COMMON blocks have a variable of this name";
		return false;
	}
	/* a static variable is described at its address, an imported one by its name */
	if (symbol &&
	    !(debug_reader_global_at(printing->reader, symbol->address, 0, &global) &&
	      global.address == symbol->address) &&
	    !(debug_reader_global_named(printing->reader, name, 0, &global) &&
	      (global.address || global.thread_local_)))
		return false;
	if (global.thread_local_) {
		*why = "the variable is thread-local, so each thread has one";
		return false;
	}
	*place = (struct live_place){ global.type, global.address + bias };
	return true;
}

/* Finds a variable in the program, else in the other files that are mapped, in their order. */
static struct error *find_live_variable(struct live_printing *printing, const char *name,
					struct live_place *place)
{
	const struct process_memory *memory = printing->live->memory;
	const char *only = printing->live->object, *first = only ?: memory->program;
	const char *why = NULL, *other = NULL;

	if (first && find_variable_in(printing, first, name, place, &why))
		return NULL;
	for (size_t i = 0; i < memory->count && !only; i++) {
		const char *path = memory->ranges[i].path;

		if (!path ||
		    (i && memory->ranges[i - 1].path && !strcmp(path, memory->ranges[i - 1].path)))
			continue;
		if ((!first || strcmp(path, first) != 0) &&
		    find_variable_in(printing, path, name, place, &other))
			return NULL;
	}
	return error_create(ERROR_NOT_FOUND, "%s has no variable '%s'%s%s%s%s%s", memory->name,
			    name, why ? " (" : "", why ? first : "", why ? ": " : "", why ?: "",
			    why ? ")" : "");
}

/* ---- expressions ---- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Follows the pointer at a place. `so_far` is the expression up to it, for messages. */
static struct error *follow(const struct live_printing *printing, const char *expression,
			    size_t so_far, struct live_place *place)
{
	const struct type *type = type_strip(place->type);
	uint64_t address = 0;

	if (!type_is_pointer(type))
		return error_other("%.*s is no pointer, but %s", (int)so_far, expression,
				   type_name_interned(place->type));
	if (process_memory_read(printing->live->memory, place->address, &address,
				sizeof(address)) != sizeof(address))
		return error_other("%.*s: the memory at %#" PRIx64 " cannot be read", (int)so_far,
				   expression, place->address);
	if (!address)
		return error_other("%.*s is NULL", (int)so_far, expression);
	*place = (struct live_place){ type_target(type), address };
	return NULL;
}

/* Returns a member by its name; compilers of Ada, Fortran and Pascal may have changed the letters'
 * case. */
static const struct member *member_called(const struct type *record, const char *name,
					  size_t length, uint64_t *offset)
{
	static int (*const forms[])(int) = { tolower, toupper };
	const struct member *member = type_member_named(record, name, length, offset);

	for (size_t i = 0; i < COUNT_OF(forms) && !member; i++) {
		_cleanup_free_ char *word = xstrndup(name, length);

		for (char *at = word; *at; at++)
			*at = (char)forms[i]((unsigned char)*at);
		member = type_member_named(record, word, length, offset);
	}
	return member;
}

static struct error *take_member(const struct live_printing *printing, const char *expression,
				 const char **at, struct live_place *place)
{
	bool arrow = (*at)[0] == '-';
	const char *name = *at + (arrow ? 2 : 1);
	size_t length = 0;
	uint64_t offset = 0;

	while (is_word(name[length]))
		length++;
	if (arrow)
		RETURN_ERROR(follow(printing, expression, (size_t)(*at - expression), place));
	const struct member *member = member_called(place->type, name, length, &offset);

	if (!member)
		return error_create(
			ERROR_NOT_FOUND, "%s has no member '%.*s'%s",
			type_name_interned(place->type), (int)length, name,
			type_is_pointer(type_strip(place->type)) ? "; a pointer takes ->" : "");
	if (member->bit_size)
		return error_create(ERROR_UNSUPPORTED,
				    "'%.*s' is a bit-field: print the record around it",
				    (int)length, name);
	*place = (struct live_place){ member->type, place->address + offset };
	*at = name + length;
	return NULL;
}

static struct error *take_index(const struct live_printing *printing, const char *expression,
				const char **at, struct live_place *place)
{
	char *end;
	unsigned long long index = strtoull(*at + 1, &end, 0);
	uint64_t size = 0;

	if (end == *at + 1 || *end != ']')
		return error_other("'%s' is no index, such as [3]", *at);
	if (type_strip(place->type)->kind == TYPE_ARRAY) {
		const struct type *array = type_strip(place->type);
		size_t count;
		uint64_t elements = type_array_count(array);

		type_array_dimensions(array, &count);
		if (count > 1)
			return error_create(ERROR_UNSUPPORTED,
					    "%.*s has %zu dimensions: print it as a whole",
					    (int)(*at - expression), expression, count);
		if (elements && index >= elements)
			return error_other("%.*s has only %" PRIu64 " elements",
					   (int)(*at - expression), expression, elements);
		place->type = type_target(array);
	} else {
		RETURN_ERROR(follow(printing, expression, (size_t)(*at - expression), place));
	}
	if (!type_size(place->type, &size) || index > INT64_MAX / (size ?: 1))
		return error_other("%.*s: its elements have no known size", (int)(*at - expression),
				   expression);
	place->address += index * size;
	*at = end + 1;
	return NULL;
}

/* Returns the end of the name that `at` begins with, scopes included. */
static const char *variable_end(const char *at)
{
	const char *name = at;

	while (is_word(*at) || (at[0] == ':' && at[1] == ':') ||
	       (at > name && at[-1] == ':' && *at == ':'))
		at++;
	return at;
}

/* Finds the variable whose name ends at *at or, as names with packages, at the end of a later
 * word. */
static struct error *find_live_prefix(struct live_printing *printing, const char *name,
				      const char **at, struct live_place *place)
{
	_cleanup_free_ char *variable = xstrndup(name, (size_t)(*at - name));
	struct error *error = find_live_variable(printing, variable, place);

	for (const char *longer = *at; error && *longer == '.';) {
		longer = variable_end(longer + 1);
		if (longer[-1] == '.')
			break;
		_cleanup_free_ char *package = xstrndup(name, (size_t)(longer - name));
		struct error *other = find_live_variable(printing, package, place);

		if (!other) {
			error_destroy(error);
			*at = longer;
			return NULL;
		}
		error_destroy(other);
	}
	return error;
}

static struct error *evaluate(struct live_printing *printing, const char *expression,
			      struct live_place *place)
{
	size_t stars = strspn(expression, "*");
	const char *name = expression + stars, *at = name;

	at = variable_end(name);
	if (at == name)
		return error_other("'%s' does not begin with a variable", expression);
	RETURN_ERROR(find_live_prefix(printing, name, &at, place));
	while (*at) {
		if (*at == '.' || (at[0] == '-' && at[1] == '>'))
			RETURN_ERROR(take_member(printing, name, &at, place));
		else if (*at == '[')
			RETURN_ERROR(take_index(printing, name, &at, place));
		else
			return error_other("'%s' is none of .MEMBER, ->MEMBER and [INDEX]", at);
	}
	for (; stars; stars--)
		RETURN_ERROR(follow(printing, name, strlen(name), place));
	return NULL;
}

/* Finds the type that an address is to be printed as, in the named file or the program. */
static struct error *type_at_address(struct live_printing *printing, struct live_place *place)
{
	const struct print_live *live = printing->live;
	const char *path = live->object ?: live->memory->program, *problem = NULL;
	const struct type *types[8];
	size_t count, found = 0;

	if (!path)
		return error_other("--object names the file with the type");
	struct dso *dso =
		dso_table_get(&printing->table, &(struct dso_origin){ .name = (char *)path });

	if (!dso_image(dso, live->dso, &problem))
		return error_create(ERROR_NOT_FOUND, "%s", problem);
	RETURN_ERROR(open_reader(printing, dso));
	count = debug_reader_types_called(printing->reader, live->expression, types,
					  COUNT_OF(types));
	if (!count)
		return error_create(ERROR_NOT_FOUND, "%s has no type '%s'", path, live->expression);
	/* a tag of C before a typedef of something else */
	while (found + 1 < count && found + 1 < COUNT_OF(types) &&
	       !type_is_record(type_strip(types[found])))
		found++;
	*place = (struct live_place){ type_is_record(type_strip(types[found])) ? types[found]
									       : types[0],
				      live->address };
	return NULL;
}

/* ---- symbols ---- */

/* Appends the symbol at an address of a file that is mapped, as a comment. The end of a program's
 * .bss is in memory of its own, after what is mapped of the file. */
static void describe_address(void *data, uint64_t address, struct strbuf *text)
{
	struct live_printing *printing = data;
	const struct process_memory *memory = printing->live->memory;
	const struct memory_range *range = process_memory_file_at(memory, address);
	const char *path = memory->is_kernel ? printing->live->object
			   : range           ? range->path
					     : NULL,
		   *problem;
	uint64_t bias;
	struct dso *dso = path ? open_mapped(printing, path, &bias, &problem) : NULL;
	const struct elf_image *image = dso ? dso_image(dso, printing->live->dso, &problem) : NULL;
	const struct symbol *symbol = image ? elf_image_function_at(image, address - bias)
						      ?: elf_image_object_at(image, address - bias)
					    : NULL;

	if (!symbol)
		return;
	_cleanup_free_ char *name = symbol_demangle(symbol->name);

	strbuf_add_format(text, " /* %.*s", LIVE_SYMBOL_MAX, name ?: symbol->name);
	if (symbol->address != address - bias)
		strbuf_add_format(text, "+%#" PRIx64, address - bias - symbol->address);
	strbuf_add_string(text, " */");
}

static size_t read_live(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct live_printing *printing = data;

	return process_memory_read(printing->live->memory, address, buffer, size);
}

/* ---- the objects ---- */

/* Adds an object that a pointer leads to, unless it is there. One that no pointer leads to is from
 * itself: `from` is the next number. */
static void add_object(struct live_printing *printing, const struct live_place *place,
		       uint32_t from, const char *member)
{
	unsigned int depth = from < printing->count ? printing->objects[from].depth + 1 : 0;
	bool created;
	uint32_t *known = hash_map_insert(&printing->known,
					  hash_combine(place->address, type_strip(place->type)->id),
					  &created);

	if (!created)
		return;
	if (printing->count >= LIVE_OBJECTS_MAX || !printing->left) {
		printing->is_full = true;
		return;
	}
	array_add(printing->objects, printing->count, printing->capacity) = (struct live_object){
		.place = *place, .from = from, .depth = depth, .member = xstrdup(member)
	};
	*known = (uint32_t)printing->count;
}

static bool is_text(const struct type *pointee)
{
	pointee = type_strip(pointee);
	return pointee->kind == TYPE_INTEGER && pointee->flags & TYPE_CHAR &&
	       type_size_or(pointee, 0) == 1;
}

/* True for an object that was asked for, and is not one that a pointer leads to. */
static bool is_root(const struct live_printing *printing, const struct live_object *object)
{
	return object == &printing->objects[object->from];
}

/* True for characters that a pointer leads to. */
static bool is_shown_as_text(const struct live_printing *printing, const struct live_object *object)
{
	return !is_root(printing, object) && is_text(object->place.type);
}

/* Reads an object's bytes. Text ends with its NUL. */
static void read_object(struct live_printing *printing, struct live_object *object)
{
	uint64_t size = is_shown_as_text(printing, object) ? LIVE_TEXT_MAX
							   : type_size_or(object->place.type, 0);

	lower_to(size, printing->left);
	object->bytes = xcalloc(size + 1, 1);
	object->size = process_memory_read(printing->live->memory, object->place.address,
					   object->bytes, size);
	printing->left -= object->size;
}

static void find_pointers(struct live_printing *printing, uint32_t index, const struct type *type,
			  uint64_t offset, const char *path, unsigned int nesting);

static void find_pointers_in_array(struct live_printing *printing, uint32_t index,
				   const struct type *array, uint64_t offset, const char *path,
				   unsigned int nesting)
{
	uint64_t count = type_array_count(array), size = type_size_or(type_target(array), 0);

	for (uint64_t i = 0; i < count && i < LIVE_ELEMENTS_MAX && !printing->is_full; i++) {
		_cleanup_free_ char *element = xasprintf("%s[%" PRIu64 "]", path, i);

		find_pointers(printing, index, type_target(array), offset + i * size, element,
			      nesting + 1);
	}
}

/* Adds the objects that pointers in a part of an object lead to. */
static void find_pointers(struct live_printing *printing, uint32_t index, const struct type *type,
			  uint64_t offset, const char *path, unsigned int nesting)
{
	uint64_t address = 0;
	size_t count;

	type = type_strip(type);
	/* nested arrays have more elements than memory has room for */
	if (nesting > LIVE_NESTING_MAX || printing->is_full)
		return;
	printing->parts += 1 + strlen(path) / LIVE_PATH_PER_PART;
	printing->is_full = printing->parts > LIVE_PARTS_MAX;
	if (type->kind == TYPE_ARRAY) {
		find_pointers_in_array(printing, index, type, offset, path, nesting);
	} else if (type_is_record(type) && !type_is_vast(type)) {
		const struct member *members = type_members(type, &count);

		for (size_t i = 0; i < count && !printing->is_full; i++) {
			_cleanup_free_ char *inner = xasprintf(
				"%s%s%s", path, members[i].name ? "." : "", members[i].name ?: "");

			find_pointers(printing, index, members[i].type,
				      offset + (uint64_t)members[i].offset, inner, nesting + 1);
		}
	} else if (type_is_pointer(type) &&
		   offset + sizeof(address) <= printing->objects[index].size) {
		const struct type *target = type_target(type);
		bool has_value =
			type_size_or(target, 0) && type_strip(target)->kind != TYPE_FUNCTION;

		memcpy(&address, printing->objects[index].bytes + offset, sizeof(address));
		if (address && has_value)
			add_object(printing, &(struct live_place){ target, address }, index, path);
	}
}

/* Reads the first object and, level by level, those that pointers lead to. */
static void read_objects(struct live_printing *printing)
{
	for (uint32_t i = 0; i < printing->count; i++) {
		read_object(printing, &printing->objects[i]);
		if (printing->objects[i].depth < printing->live->depth)
			find_pointers(printing, i, printing->objects[i].place.type, 0, "", 0);
	}
}

/* Returns how many objects have other contents than when they were read. */
static size_t count_changed(const struct live_printing *printing)
{
	size_t changed = 0;

	array_each (const struct live_object, object, printing->objects, printing->count) {
		_cleanup_free_ uint8_t *again = xmalloc(object->size + 1);

		changed += process_memory_read(printing->live->memory, object->place.address, again,
					       object->size) != object->size ||
			   memcmp(again, object->bytes, object->size) != 0;
	}
	return changed;
}

/* ---- printing ---- */

/* Appends what says which object follows, as a comment of C. */
static void add_heading(struct live_printing *printing, const struct live_object *object)
{
	const struct live_object *from = &printing->objects[object->from];
	struct strbuf *text = &printing->text;

	if (is_root(printing, object))
		strbuf_add_format(text, "/* %s: %s at %#" PRIx64 " */\n", object->member,
				  type_name_interned(object->place.type), object->place.address);
	else
		strbuf_add_format(text, "/* %#" PRIx64 "%s: %s at %#" PRIx64 " */\n",
				  from->place.address, object->member,
				  type_name_interned(object->place.type), object->place.address);
}

/* Returns the samples of an object that was asked for by them, or NULL. */
static const struct hot_object *hot_of(const struct live_printing *printing,
				       const struct live_object *object)
{
	size_t number = (size_t)(object - printing->objects);

	return number < printing->live->root_count ? printing->live->roots[number].hot : NULL;
}

/* Returns a share of the samples of the object that is printed, in percent. */
static double live_share(const struct live_printing *printing, uint64_t samples)
{
	return 100.0 * (double)samples / (double)printing->hot->samples;
}

/* Appends the share of a member, as a comment. */
static void remark_heat(void *data, const char *path, uint64_t offset, uint64_t size,
			struct strbuf *text)
{
	struct live_printing *printing = data;
	uint64_t samples = 0;

	array_each (const struct hot_spot, spot, printing->hot->spots, printing->hot->spot_count)
		if (spot->offset >= offset && spot->offset - offset < size &&
		    !strcmp(spot->field, path))
			samples += spot->samples;
	if (samples)
		strbuf_add_format(text, " /* %.1f %% */", live_share(printing, samples));
	printing->remarked += samples;
}

static struct error *print_object(struct live_printing *printing, const struct live_object *object)
{
	struct value_options options = printing->live->value;
	struct value_plan plan = { 0 };
	struct error *error = NULL;
	uint64_t size = type_size_or(object->place.type, 0);

	options.describe = describe_address;
	options.read = read_live;
	options.data = printing;
	printing->hot = hot_of(printing, object);
	options.remark = printing->hot ? remark_heat : NULL;
	printing->remarked = 0;
	add_heading(printing, object);
	if (is_shown_as_text(printing, object)) {
		value_add_characters(&printing->text, object->bytes, object->size);
		strbuf_add_string(&printing->text, ",\n");
	} else if (!object->size) {
		strbuf_add_string(&printing->text, "?, /* it cannot be read */\n");
	} else {
		error = value_plan_make(&plan, object->place.type);
		if (!error)
			value_text(&plan, &options, object->bytes, object->size, &printing->text);
		if (!error && object->size < size)
			strbuf_add_format(&printing->text,
					  "/* from byte %zu on it cannot be read */\n",
					  object->size);
	}
	if (printing->hot && printing->remarked < printing->hot->samples)
		strbuf_add_format(
			&printing->text, "/* %.1f %% at no single member above */\n",
			live_share(printing, printing->hot->samples - printing->remarked));
	printing->steps += plan.count;
	value_plan_deinit(&plan);
	print_text(&printing->text);
	strbuf_truncate(&printing->text, 0);
	return error;
}

static void add_heat_json(struct json *json, const struct hot_object *hot)
{
	json_unsigned(json, "samples", hot->samples);
	json_each (json, "heat", const struct hot_spot, spot, hot->spots, hot->spot_count) {
		json_unsigned(json, "offset", spot->offset);
		json_string(json, "field", spot->field);
		json_unsigned(json, "samples", spot->samples);
	}
}

static struct error *print_object_json(struct live_printing *printing,
				       const struct live_object *object)
{
	struct json *json = &printing->json;
	_cleanup_free_ char *address = xasprintf("%#" PRIx64, object->place.address);
	_cleanup_free_ char *from =
		xasprintf("%#" PRIx64, printing->objects[object->from].place.address);
	struct value_options options = printing->live->value;
	struct value_plan plan = { 0 };
	struct error *error = NULL;

	options.read = read_live;
	options.data = printing;
	json_object(json, NULL);
	if (hot_of(printing, object)) {
		add_heat_json(json, hot_of(printing, object));
	} else if (is_root(printing, object)) {
		json_string(json, "expression", object->member);
	} else {
		json_string(json, "from", from);
		json_string(json, "pointer", object->member + (object->member[0] == '.'));
	}
	json_string(json, "type", type_name_interned(object->place.type));
	json_string(json, "address", address);
	if (is_shown_as_text(printing, object)) {
		json_string(json, "value", (const char *)object->bytes);
	} else if (!object->size) {
		json_null(json, "value");
	} else {
		error = value_plan_make(&plan, object->place.type);
		if (!error)
			value_json(&plan, &options, object->bytes, object->size, json, "value");
	}
	printing->steps += plan.count;
	value_plan_deinit(&plan);
	json_end(json);
	return error;
}

static struct error *print_objects(struct live_printing *printing)
{
	struct error *error = NULL;

	if (printing->live->json)
		json_array(&printing->json, NULL);
	for (size_t i = 0; i < printing->count && !error; i++) {
		if (printing->steps > LIVE_STEPS_MAX) {
			printing->is_full = true;
			break;
		}
		printing->shown++;
		error = printing->live->json ? print_object_json(printing, &printing->objects[i])
					     : print_object(printing, &printing->objects[i]);
	}
	if (printing->live->json)
		json_finish(&printing->json);
	return error;
}

static void warn_of_limits(const struct live_printing *printing)
{
	const struct process_memory *memory = printing->live->memory;
	size_t changed = memory->is_core && !memory->is_kernel ? 0 : count_changed(printing);

	if (printing->is_full)
		warning("only the first %zu objects are shown", printing->shown);
	if (changed)
		warning("%zu of %zu objects changed while they were read: %s%s", changed,
			printing->count, memory->is_kernel ? "the kernel" : memory->name,
			memory->is_kernel ? " runs" : " runs (kill -STOP stops it)");
}

/* Prints the objects of live->roots, and what pointers of them lead to. */
static struct error *print_roots(struct live_printing *printing)
{
	const struct print_live *live = printing->live;

	array_indexed (const struct live_root, root, i, live->roots, live->root_count) {
		add_object(printing, &(struct live_place){ root->type, root->address }, i,
			   root->name);
	}
	read_objects(printing);
	RETURN_ERROR(print_objects(printing));
	warn_of_limits(printing);
	return NULL;
}

static struct error *find_and_print(struct live_printing *printing)
{
	const struct print_live *live = printing->live;
	struct live_place place;

	if (live->root_count)
		return print_roots(printing);
	RETURN_ERROR(live->has_address ? type_at_address(printing, &place)
				       : evaluate(printing, live->expression, &place));
	if (!type_size_or(place.type, 0))
		return error_create(ERROR_NOT_FOUND, "the size of %s is not known",
				    type_name_interned(place.type));
	add_object(printing, &place, 0, live->expression);
	read_objects(printing);
	if (!printing->objects[0].size)
		return error_other("the memory of %s at %#" PRIx64 " cannot be read",
				   live->memory->name, place.address);
	RETURN_ERROR(print_objects(printing));
	warn_of_limits(printing);
	return NULL;
}

struct error *print_live(const struct print_live *live)
{
	struct live_printing printing = { .live = live,
					  .text = STRBUF_TEXT,
					  .left = LIVE_SIZE_MAX,
					  .json = JSON_INIT(write_stdout, NULL) };

	/* a core has all bytes of its objects, but may have them at many addresses */
	if (live->memory->is_core && live->memory->size < printing.left)
		printing.left = live->memory->size;

	struct error *error = find_and_print(&printing);

	for (size_t i = 0; i < printing.count; i++) {
		free_all(printing.objects[i].member, printing.objects[i].bytes);
	}
	free_all(printing.objects, printing.files);
	hash_map_deinit(&printing.known);
	hash_map_deinit(&printing.mapped);
	strbuf_deinit(&printing.text);
	debug_reader_close(printing.reader);
	dso_table_deinit(&printing.table);
	return error;
}
