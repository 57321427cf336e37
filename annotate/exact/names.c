// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The types that paths name. A record is known by its name, its size and the line of its
 * declaration, so that one without a name is found, too, and equal names are told apart.
 */
#include "annotate/exact/names.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

/* No object is larger, and no access farther away from its beginning. */
#define OFFSET_MAX (INT64_C(1) << 40)
/* Text of a path. One of each operand is read for each sampled instruction. */
#define TEXT_MAX 4096
/* Types that have one name. */
#define NAMED_MAX 64
/* Pointers and arrays of one another. */
#define SUFFIX_MAX 16
#define POINTER    UINT64_MAX

struct exact_names {
	struct debug_reader *debug;
	struct hash_map known; /* hash of the unit and the text of a type -> index in types */
	const struct type **types;
	size_t count, capacity;
};

struct exact_names *exact_names_create(struct debug_reader *debug)
{
	struct exact_names *names = xcalloc(1, sizeof(*names));

	names->debug = debug;
	return names;
}

void exact_names_destroy(struct exact_names *names)
{
	hash_map_deinit(&names->known);
	free_all(names->types, names);
}

/* ---- the text */

/* Ends the field at *text, and moves on to the next one. False: it is the last one. */
static bool next_field(const char **text, size_t *length)
{
	*length = strcspn(*text, "\t");
	if (!(*text)[*length])
		return false;
	*text += *length + 1;
	return true;
}

static bool number(const char **text, int64_t low, int64_t high, char end, int64_t *value)
{
	char *rest;

	*value = strtoll(*text, &rest, 10);
	if (rest == *text || *rest != end || *value < low || *value > high)
		return false;
	*text = rest + 1;
	return true;
}

bool exact_path_parse(const char *text, struct exact_path *path)
{
	size_t length;
	int64_t stride, bits;

	*path = (struct exact_path){ .kind = *text };
	if (!*text || !strchr("pvl", *text) || text[1] != '\t' ||
	    strnlen(text, TEXT_MAX) == TEXT_MAX)
		return false;
	text += 2;
	if (!next_field(&text, &length))
		return false;
	path->type = text;
	for (int i = 0; i < 3; i++)
		if (!next_field(&text, &length))
			return false;
	path->type_length = (size_t)(text - path->type) - 1;
	if (!number(&text, -OFFSET_MAX, OFFSET_MAX, '\t', &path->offset) ||
	    !number(&text, 0, UINT32_MAX, '\t', &stride) ||
	    !number(&text, -OFFSET_MAX, OFFSET_MAX, ':', &path->bit) ||
	    !number(&text, 0, 64, '\t', &bits))
		return false;
	path->stride = (uint32_t)stride;
	path->bits = (uint32_t)bits;
	path->members = text;
	return true;
}

/* ---- the type */

/* The type of a path, taken apart. */
struct wanted_type {
	char *name;  /* without the keyword; "": none */
	bool tagged; /* the keyword was there */
	uint64_t size;
	const char *members; /* of the path */
	const char *file;    /* "": not known */
	unsigned long line;
	uint64_t suffixes[SUFFIX_MAX]; /* from the name on: POINTER, or the count of an array */
	size_t suffix_count;
};

/* Takes the pointers and arrays off the end of the name. */
static bool take_suffixes(struct wanted_type *wanted)
{
	size_t length = strlen(wanted->name), count = 0;
	uint64_t reversed[SUFFIX_MAX];

	while (length && count < SUFFIX_MAX) {
		char *open;

		if (wanted->name[length - 1] == '*') {
			reversed[count++] = POINTER;
			wanted->name[--length] = '\0';
		} else if (wanted->name[length - 1] == ']' && (open = strrchr(wanted->name, '['))) {
			reversed[count++] = strtoul(open + 1, NULL, 10);
			*open = '\0';
			length = (size_t)(open - wanted->name);
		} else {
			break;
		}
	}
	wanted->suffix_count = count;
	for (size_t i = 0; i < count; i++)
		wanted->suffixes[i] = reversed[count - 1 - i];
	return count < SUFFIX_MAX;
}

/* Takes the text of a type apart, which is a copy: "struct dict\t88\tdict.h:90". */
static bool parse_type(char *text, struct wanted_type *wanted)
{
	static const char *const keywords[] = { "struct ", "union ", "enum " };
	char *size = strchr(text, '\t'), *place = size ? strchr(size + 1, '\t') : NULL, *colon;

	*wanted = (struct wanted_type){ .name = text, .file = "" };
	if (!place)
		return false;
	*size = *place = '\0';
	wanted->size = strtoull(size + 1, NULL, 10);
	colon = strrchr(place + 1, ':');
	if (colon) {
		*colon = '\0';
		wanted->file = place + 1;
		wanted->line = strtoul(colon + 1, NULL, 10);
	}
	for (size_t i = 0; i < COUNT_OF(keywords) && !wanted->tagged; i++)
		if (starts_with(wanted->name, keywords[i])) {
			wanted->name += strlen(keywords[i]);
			wanted->tagged = true;
		}
	return take_suffixes(wanted);
}

/* The types that may be the one that is wanted, as far as they were seen. */
struct matches {
	const struct type *first, *placed; /* placed: declared at the same place, too */
	size_t count, placed_count;        /* different ones */
};

static bool is_placed(const struct exact_names *names, const struct wanted_type *wanted,
		      const struct type *bare)
{
	struct type_place place;

	return *wanted->file && debug_reader_type_place(names->debug, bare, &place) && place.file &&
	       place.line == wanted->line && strcmp(base_name(place.file), wanted->file) == 0;
}

/* True if the record has the first member of the path, as a nameless one must: its declaration may
 * be the second one of an equal record, whose place is not known. */
static bool has_member(const struct type *record, const char *members)
{
	size_t count, length;
	const struct member *each = type_members(record, &count);

	members += strcspn(members, ".");
	length = *members ? strcspn(++members, ".[") : 0;
	return any_of(i, 0, count,
		      each[i].name && strlen(each[i].name) == length &&
			      strncmp(each[i].name, members, length) == 0);
}

static void match(const struct exact_names *names, const struct wanted_type *wanted,
		  const struct type *type, struct matches *matches)
{
	const struct type *bare = type_strip(type);

	if (type_size_or(bare, 0) != wanted->size ||
	    (wanted->tagged && bare->kind != TYPE_ENUM && !type_is_record(bare)) ||
	    (wanted->tagged && strcmp(bare->name ? bare->name : "", wanted->name) != 0) ||
	    (!bare->name && type_is_record(bare) && !has_member(bare, wanted->members)))
		return;
	if (!matches->first || type_canonical(matches->first) != type_canonical(type))
		matches->count++;
	matches->first = matches->first ? matches->first : type;
	if (!is_placed(names, wanted, bare) ||
	    (matches->placed && type_canonical(matches->placed) == type_canonical(type)))
		return;
	matches->placed_count++;
	matches->placed = type;
}

/* Returns the type that was found; NULL: none, or several. Equal types that are declared at several
 * places are one type here, so the place only chooses. */
static const struct type *chosen(const struct matches *matches)
{
	if (matches->placed_count)
		return matches->placed_count == 1 ? matches->placed : NULL;
	return matches->count == 1 ? matches->first : NULL;
}

/* Finds a type among the records of a unit, or, without these, by its name among those of all. */
static const struct type *look_for(const struct exact_names *names, const struct exact_path *path,
				   const struct type *const *records, size_t count)
{
	_cleanup_free_ char *text = xstrndup(path->type, path->type_length);
	const struct type *types[NAMED_MAX], *type;
	struct matches matches = { 0 };
	struct wanted_type wanted;

	if (!parse_type(text, &wanted))
		return NULL;
	wanted.members = path->members;
	if (!records) {
		count = *wanted.name ? debug_reader_types_named(names->debug, wanted.name, types,
								NAMED_MAX)
				     : 0;
		count = count < NAMED_MAX ? count : NAMED_MAX;
		records = types;
	} else if (!wanted.tagged) {
		return NULL;
	}
	for (size_t i = 0; i < count; i++)
		match(names, &wanted, records[i], &matches);
	type = chosen(&matches);
	for (size_t i = 0; type && i < wanted.suffix_count; i++) {
		uint64_t elements = wanted.suffixes[i];

		if (elements == POINTER)
			type = type_pointer_to(type);
		else if (elements <= OFFSET_MAX / (type_size_or(type, 0) | 1))
			type = type_array_of(type, elements);
		else
			return NULL;
	}
	return type;
}

/* The same, each once. */
static const struct type *find_once(struct exact_names *names, const struct exact_path *path,
				    const struct type *const *records, size_t count)
{
	uint64_t key = hash_combine(hash_bytes(path->type, path->type_length), (uintptr_t)records);
	bool created;
	uint32_t *known = hash_map_insert(&names->known, key, &created);

	if (!created)
		return names->types[*known];
	*known = (uint32_t)names->count;
	const struct type *type = look_for(names, path, records, count);

	array_add(names->types, names->count, names->capacity) = type;
	return type;
}

const struct type *exact_names_find(struct exact_names *names, uint64_t address,
				    const struct exact_path *path)
{
	const struct type *type = NULL;
	size_t count;

	if (!names->debug)
		return NULL;
	const struct type *const *records =
		debug_reader_unit_list(names->debug, UNIT_RECORDS, address, &count);

	if (records && count)
		type = find_once(names, path, records, count);
	return type ? type : find_once(names, path, NULL, 0);
}
