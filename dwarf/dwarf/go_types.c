// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Types of Go by the address of the runtime's own description of them (the "type word").
 *
 * Go's linker gives this address with each type of the debug information (DW_AT_go_runtime_type):
 * as an address, or as the distance from the first description, runtime.types. It leaves out types
 * that no variable has, such as the arrays with the arguments of a variadic call and the records of
 * closures. For these, the description itself is read (internal/abi, type.go): it has the size, the
 * kind, the type of the elements, and the fields with their names. The layout is that of Go 1.19
 * and later.
 */

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/object.h"
#include "dwarf/dwarf/type.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/type_table.h"
#include "base/memory.h"
#include "base/strbuf.h"

/* ---- types of the debug information ---- */

struct go_word {
	uint64_t word;               /* DW_AT_go_runtime_type */
	uint64_t type, element, key; /* references of DIEs; 0: there is none */
};

struct go_words {
	struct go_word *items; /* sorted by word */
	size_t count, capacity;
};

COMPARISON(compare_words, struct go_word, ASCENDING(word) ASCENDING(type))

static bool word_of(const struct die *die, uint64_t *word)
{
	return die_has(die, SLOT_GO_WORD) &&
	       (die_unsigned(die, SLOT_GO_WORD, word) || die_address(die, SLOT_GO_WORD, word));
}

static void *find_words(struct dwarf_object *object _unused_, struct unit *unit)
{
	struct go_words *words = xcalloc(1, sizeof(*words));
	struct die root;
	uint64_t word;

	if (!die_root(unit, &root))
		return words;
	children_each (die, &root) {
		if (!word_of(&die, &word))
			continue;
		array_add(words->items, words->count, words->capacity) =
			(struct go_word){ .word = word,
					  .type = die_reference(&die),
					  .element = die_target(&die, SLOT_GO_ELEMENT),
					  .key = die_target(&die, SLOT_GO_KEY) };
	}
	array_sort(words->items, words->count, compare_words);
	return words;
}

static void destroy_words(void *value)
{
	struct go_words *words = value;

	free_all(words->items, words);
}

static const struct go_word *find_word(const struct go_words *words, uint64_t word)
{
	size_t low = partition_point(0, words->count, i, words->items[i].word < word);

	return low < words->count && words->items[low].word == word ? &words->items[low] : NULL;
}

/* Returns a part of the type that the debug information has for this address, or NULL. *declared
 * becomes true if the debug information has the type, even without such a part. */
static const struct type *declared_type(struct debug_reader *reader, uint64_t word,
					enum go_part part, bool *declared)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	struct dwarf_file *file = dwarf_files_main(object->files);
	uint64_t first = 0;

	elf_image_symbol_address(object->debug_image, "runtime.types", &first);
	array_each (struct unit, unit, file->units, file->info_unit_count) {
		if (!unit_prepare(unit) || unit->language != LANGUAGE_GO)
			continue;
		const struct go_words *words =
			dwarf_unit_fact(object, &object->go_words, unit, find_words, destroy_words);
		const struct go_word *found = find_word(words, word);

		if (!found && first && word >= first)
			found = find_word(words, word - first);
		if (!found)
			continue;
		const uint64_t parts[] = { [GO_WHOLE] = found->type,
					   [GO_ELEMENT] = found->element,
					   [GO_KEY] = found->key };

		*declared = true;
		return parts[part] ? dwarf_type(&object->types, parts[part]) : NULL;
	}
	return NULL;
}

/* ---- types that only the runtime describes ---- */

/* Kinds of types (internal/abi, type.go), as far as they are read here. */
enum go_kind {
	GO_FLOAT = 13, /* float32; float64 is 14, and 1 to 12 are bool and the integers */
	GO_ARRAY = 17,
	GO_CHANNEL = 18,
	GO_FUNCTION = 19,
	GO_INTERFACE = 20,
	GO_MAP = 21,
	GO_POINTER = 22,
	GO_SLICE = 23,
	GO_STRING = 24,
	GO_STRUCT = 25,
	GO_KIND_MASK = 31,
};

/* Distances from the start of a description. */
enum {
	GO_FLAGS_AT = 20,
	GO_KIND_AT = 23,
	GO_NAME_AT = 40,     /* the distance of its name from runtime.types */
	GO_METHODS_AT = 64,  /* of an interface: their number */
	GO_TARGET_AT = 48,   /* of arrays, pointers and slices; the keys of maps */
	GO_COUNT_AT = 64,    /* of an array */
	GO_MAP_ELEMENT = 56, /* of a map */
	GO_MAP_BUCKET = 64,  /* of a map: its buckets, or groups */
	GO_FIELDS_AT = 56,   /* of a struct: where its fields are, and their number */
	GO_TYPE_SIZE = 80,   /* the largest of those that are read */
	GO_BASE_SIZE = 56,   /* the smallest */
	GO_FIELD_SIZE = 24,  /* name, type, offset */
};

/* Flags of a description. */
enum {
	GO_STAR_BEFORE = 2, /* its name has a star before it that is not a part of it */
	GO_IS_NAMED = 4,
};

/* Limits of types within types and of the fields of one type: more than programs have. */
#define GO_DEPTH_MAX  16
#define GO_FIELDS_MAX 4096
/* The compiler shortens names before they are as long as this. */
#define GO_NAME_MAX 4096

/* A description that is being read. */
struct description {
	struct debug_reader *reader;
	const struct elf_image *image;
	uint64_t types;   /* the address of the first description (runtime.types) */
	uint64_t address; /* of this one */
	uint64_t size;    /* of the described type */
	uint8_t bytes[GO_TYPE_SIZE];
};

static uint64_t word_at(const struct description *description, size_t offset)
{
	uint64_t word;

	memcpy(&word, description->bytes + offset, sizeof(word));
	return word;
}

static bool description_read(struct debug_reader *reader, uint64_t address,
			     struct description *description)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	uint64_t first, end;

	*description = (struct description){ .reader = reader,
					     .image = object->image,
					     .address = address };
	if (!elf_image_symbol_address(object->debug_image, "runtime.types", &first) ||
	    !elf_image_symbol_address(object->debug_image, "runtime.etypes", &end) ||
	    address < first || address >= end)
		return false;
	description->types = first;
	if (!elf_image_read(object->image, address, description->bytes, GO_TYPE_SIZE, false) &&
	    !elf_image_read(object->image, address, description->bytes, GO_BASE_SIZE, false))
		return false;
	description->size = word_at(description, 0);
	return true;
}

/* Reads a pointer, which the dynamic linker may fill in. */
static bool read_pointer(const struct elf_image *image, uint64_t address, uint64_t *pointer)
{
	return elf_image_read(image, address, pointer, sizeof(*pointer), true) && *pointer;
}

/* Appends a name: flags, length, and text (internal/abi, type.go, Name). False: none. */
static bool read_name(const struct elf_image *image, uint64_t address, struct strbuf *name)
{
	uint64_t length = 0;
	uint8_t byte = 0x80;

	for (unsigned int i = 0; byte & 0x80; i++) {
		if (i > 2 || !elf_image_read(image, address + 1 + i, &byte, 1, false))
			return false;
		length |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (!(byte & 0x80))
			address += 2 + i;
	}
	if (!length || length > GO_NAME_MAX)
		return false;
	for (uint64_t i = 0; i < length; i++) {
		if (!elf_image_read(image, address + i, &byte, 1, false))
			return false;
		strbuf_add_char(name, (char)byte);
	}
	return true;
}

static const struct type *go_type(struct debug_reader *reader, uint64_t word, unsigned int depth);

/* Returns the type that a pointer within the description leads to; NULL: none. */
static const struct type *part_at(const struct description *description, size_t offset,
				  unsigned int depth)
{
	uint64_t word;

	return read_pointer(description->image, description->address + offset, &word)
		       ? go_type(description->reader, word, depth + 1)
		       : NULL;
}

/* Reads the fields of a struct. False: not all can be read. In any case, *result is to be freed,
 * and so are the names of its first *read fields. */
static bool read_fields(const struct description *description, struct member **result, size_t *read,
			unsigned int depth)
{
	const struct elf_image *image = description->image;
	uint64_t at, count = word_at(description, GO_FIELDS_AT + 8);

	if (!count || count > GO_FIELDS_MAX ||
	    !read_pointer(image, description->address + GO_FIELDS_AT, &at))
		return false;
	struct member *fields = *result = xcalloc(count, sizeof(*fields));

	for (uint64_t i = 0; i < count; i++) {
		uint64_t name, word, offset, field = at + i * GO_FIELD_SIZE;
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		if (!read_pointer(image, field, &name) || !read_name(image, name, &text) ||
		    !read_pointer(image, field + 8, &word) ||
		    !elf_image_read(image, field + 16, &offset, sizeof(offset), false) ||
		    offset > description->size)
			return false;
		fields[i].type = go_type(description->reader, word, depth + 1);
		if (!fields[i].type || type_size_or(fields[i].type, 0) > description->size - offset)
			return false;
		fields[i].offset = (int64_t)offset;
		fields[i].name = strbuf_detach(&text);
		*read = i + 1;
	}
	return true;
}

static struct type_table *table_of(const struct description *description)
{
	return dwarf_object_of(description->reader)->types.table;
}

/* Returns the struct with this name, these fields and the description's size. Copies the fields. */
static const struct type *make_struct(const struct description *description, const char *name,
				      const struct member *fields, size_t count)
{
	struct type_key key = { .kind = TYPE_STRUCT, .size = description->size, .name = name };

	return type_table_make_record(table_of(description), &key, fields, count);
}

/* Adds the name of a struct. If it has none, that is its definition: struct { a int; b int }. */
static void add_struct_name(const struct description *description, const struct member *fields,
			    size_t count, struct strbuf *name)
{
	uint32_t distance;

	memcpy(&distance, description->bytes + GO_NAME_AT, sizeof(distance));
	if (description->bytes[GO_FLAGS_AT] & GO_IS_NAMED) {
		size_t star = description->bytes[GO_FLAGS_AT] & GO_STAR_BEFORE ? 1 : 0;
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		if (read_name(description->image, description->types + distance, &text) &&
		    text.length > star) {
			strbuf_add_string(name, text.data + star);
			return;
		}
	}
	for (size_t i = 0; i < count; i++) {
		strbuf_add_format(name, "%s%s ", i ? "; " : "struct { ", fields[i].name);
		type_declaration(fields[i].type, name);
	}
	strbuf_add_string(name, " }");
}

static const struct type *described_struct(const struct description *description,
					   unsigned int depth)
{
	_cleanup_free_ struct member *fields = NULL;
	size_t read = 0;
	const struct type *type = NULL;

	if (read_fields(description, &fields, &read, depth)) {
		_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

		add_struct_name(description, fields, read, &name);
		type = make_struct(description, name.data, fields, read);
	}
	for (size_t i = 0; i < read; i++)
		free((char *)fields[i].name);
	return type;
}

/* Returns the only type of the debug information with this name; NULL: there is none. */
static const struct type *type_named(struct debug_reader *reader, const char *name)
{
	const struct type *found;

	return dwarf_types_named(reader, name, &found, 1) == 1 ? found : NULL;
}

/* Returns the three words of a slice, as the debug information describes those of other slices. */
static const struct type *described_slice(const struct description *description, unsigned int depth)
{
	const struct type *element = part_at(description, GO_TARGET_AT, depth),
			  *length = type_named(description->reader, "int");
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;

	if (!element || !length)
		return NULL;
	struct member words[] = { { .name = "array", .type = type_pointer_to(element) },
				  { .name = "len", .type = length, .offset = 8 },
				  { .name = "cap", .type = length, .offset = 16 } };

	strbuf_add_string(&name, "[]");
	type_declaration(element, &name);
	return make_struct(description, name.data, words, COUNT_OF(words));
}

static const struct type *described_array(const struct description *description, unsigned int depth)
{
	const struct type *element = part_at(description, GO_TARGET_AT, depth);
	uint64_t count = word_at(description, GO_COUNT_AT);

	if (!element || !type_size_or(element, 0) ||
	    description->size / type_size_or(element, 0) != count)
		return NULL;
	return type_table_find(table_of(description), &(struct type_key){ .kind = TYPE_ARRAY,
									  .size = description->size,
									  .target = element,
									  .array_count = count });
}

/* Returns the type of a bool, number or string; NULL: it is of another kind. The debug information
 * lacks those that are only in arrays and maps. */
static const struct type *described_scalar(const struct description *description)
{
	static const char *const names[] = { NULL,     "bool",   "int",     "int8",    "int16",
					     "int32",  "int64",  "uint",    "uint8",   "uint16",
					     "uint32", "uint64", "uintptr", "float32", "float64" };
	unsigned int kind = description->bytes[GO_KIND_AT] & GO_KIND_MASK;

	if (kind == GO_STRING)
		return type_named(description->reader, "string");
	if (kind >= COUNT_OF(names) || !names[kind] || description->size > 8)
		return NULL;
	return type_table_find(
		table_of(description),
		&(struct type_key){ .kind = kind >= GO_FLOAT ? TYPE_FLOAT : TYPE_INTEGER,
				    .size = description->size,
				    .name = names[kind] });
}

/* Returns the type that the runtime describes; NULL: it is of a kind that is not read. */
static const struct type *described_type(const struct description *description, unsigned int depth)
{
	const struct type *target;

	switch (description->bytes[GO_KIND_AT] & GO_KIND_MASK) {
	case GO_ARRAY: return described_array(description, depth);
	case GO_SLICE: return described_slice(description, depth);
	case GO_STRUCT: return described_struct(description, depth);
	case GO_POINTER:
		target = part_at(description, GO_TARGET_AT, depth);
		return target ? type_pointer_to(target) : NULL;
	case GO_INTERFACE:
		return type_named(description->reader, word_at(description, GO_METHODS_AT)
							       ? "runtime.iface"
							       : "runtime.eface");
	case GO_CHANNEL:
	case GO_FUNCTION:
	case GO_MAP: return type_pointer_to(table_of(description)->void_type);
	default: return described_scalar(description);
	}
}

static const struct type *go_type(struct debug_reader *reader, uint64_t word, unsigned int depth)
{
	bool declared = false;
	const struct type *type = declared_type(reader, word, GO_WHOLE, &declared);
	struct description description;

	if (declared)
		return type;
	return depth < GO_DEPTH_MAX && description_read(reader, word, &description)
		       ? described_type(&description, depth)
		       : NULL;
}

const struct type *dwarf_go_type(struct debug_reader *reader, uint64_t word, enum go_part part)
{
	static const unsigned int places[] = {
		[GO_ELEMENT] = GO_MAP_ELEMENT, [GO_KEY] = GO_TARGET_AT, [GO_BUCKET] = GO_MAP_BUCKET
	};
	bool declared = false;
	/* the debug information of a map does not name its buckets */
	const struct type *type =
		part == GO_BUCKET ? NULL : declared_type(reader, word, part, &declared);
	struct description description;

	if (declared || !description_read(reader, word, &description))
		return type;
	if (part == GO_WHOLE)
		return described_type(&description, 0);
	return (description.bytes[GO_KIND_AT] & GO_KIND_MASK) == GO_MAP
		       ? part_at(&description, places[part], 0)
		       : NULL;
}

void dwarf_go_types_deinit(struct dwarf_object *object)
{
	concurrent_map_clear(&object->go_words, destroy_words);
}
