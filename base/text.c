// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements text.h.
 *
 * The distance between two words is the restricted Damerau-Levenshtein distance ("optimal string
 * alignment"): the number of letters inserted, deleted, replaced or swapped with their neighbour. A
 * candidate that begins with the typed word has distance 1, however long it is.
 */
#include "base/text.h"

#include <ctype.h>

#include "base/memory.h"

/* ---- characters of UTF-8 ---- */

size_t utf8_sequence(const char *text, size_t length)
{
	unsigned char first = (unsigned char)text[0],
		      second = length > 1 ? (unsigned char)text[1] : 0;
	size_t size = first < 0x80   ? 1
		      : first < 0xc2 ? 0
		      : first < 0xe0 ? 2
		      : first < 0xf0 ? 3
		      : first < 0xf5 ? 4
				     : 0;

	if (!length || size > length)
		return 0;
	/* Reject overlong forms, surrogates and code points above U+10FFFF. */
	if ((first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
	    (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f))
		return 0;
	for (size_t i = 1; i < size; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
	return size;
}

bool is_c_identifier(const char *text)
{
	/* C11, 6.4.1 */
	static const char *const keywords[] = {
		"auto",       "break",     "case",           "char",
		"const",      "continue",  "default",        "do",
		"double",     "else",      "enum",           "extern",
		"float",      "for",       "goto",           "if",
		"inline",     "int",       "long",           "register",
		"restrict",   "return",    "short",          "signed",
		"sizeof",     "static",    "struct",         "switch",
		"typedef",    "union",     "unsigned",       "void",
		"volatile",   "while",     "_Alignas",       "_Alignof",
		"_Atomic",    "_Bool",     "_Complex",       "_Generic",
		"_Imaginary", "_Noreturn", "_Static_assert", "_Thread_local",
		"asm",        "typeof"
	};

	return !any_of(i, 0, COUNT_OF(keywords), !strcmp(text, keywords[i])) && *text &&
	       !isdigit((unsigned char)*text) &&
	       !text[strspn(text,
			    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

/* ---- suggestions for misspelt words ---- */

#define WORD_MAX 64 /* longer words get no suggestion */

static unsigned int min_of(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

/* Returns the distance of two words of at most WORD_MAX letters. Case does not matter. */
static unsigned int edit_distance(const char *from, size_t from_length, const char *to,
				  size_t to_length)
{
	unsigned int rows[3][WORD_MAX + 1];
	unsigned int *before = rows[0], *previous = rows[1], *current = rows[2];

	for (size_t j = 0; j <= to_length; j++)
		previous[j] = j;
	for (size_t i = 1; i <= from_length; i++) {
		int letter = tolower((unsigned char)from[i - 1]);

		current[0] = i;
		for (size_t j = 1; j <= to_length; j++) {
			int other = tolower((unsigned char)to[j - 1]);

			current[j] = previous[j - 1] + (letter != other);
			current[j] = min_of(current[j], min_of(previous[j], current[j - 1]) + 1);
			if (i > 1 && j > 1 && letter == tolower((unsigned char)to[j - 2]) &&
			    other == tolower((unsigned char)from[i - 2]))
				current[j] = min_of(current[j], before[j - 2] + 1);
		}

		unsigned int *free_row = before;

		before = previous;
		previous = current;
		current = free_row;
	}
	return previous[to_length];
}

void nearest_consider(struct nearest *nearest, const char *candidate)
{
	size_t word_length = strlen(nearest->word), candidate_length = strlen(candidate);

	if (!word_length || word_length > WORD_MAX || candidate_length > WORD_MAX)
		return;

	unsigned int distance =
		edit_distance(nearest->word, word_length, candidate, candidate_length);
	/* Up to a third of the letters may be wrong, and always at least one. */
	unsigned int limit = word_length < 6 ? 1 + (word_length > 3) : word_length / 3;

	if (word_length >= 3 && !strncasecmp(nearest->word, candidate, word_length))
		distance = min_of(distance, 1);
	if (distance <= limit && (!nearest->best || distance < nearest->distance)) {
		nearest->best = candidate;
		nearest->distance = distance;
	}
}

void name_list_add(struct name_list *list, const char *name)
{
	array_add(list->names, list->count, list->capacity) = xstrdup(name);
}

bool name_list_has(const struct name_list *list, const char *name)
{
	return any_of(i, 0, list->count, strcmp(list->names[i], name) == 0);
}

void name_list_add_once(struct name_list *list, const char *name)
{
	if (!name_list_has(list, name))
		name_list_add(list, name);
}

void name_list_deinit(struct name_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i]);
	free(list->names);
	*list = (struct name_list){ 0 };
}

const char *nearest_name(const char *wanted, const struct name_list *names)
{
	struct nearest nearest = { .word = wanted };

	for (size_t i = 0; i < names->count; i++)
		nearest_consider(&nearest, names->names[i]);
	return nearest.best;
}

/* ---- sets of numbers ---- */

struct error *number_set_parse(struct number_set *set, const char *text, const char *what)
{
	const char *all = text;

	while (isdigit((unsigned char)*text)) {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-' && isdigit((unsigned char)end[1]))
			last = strtoul(end + 1, &end, 10);
		if (last < first || last >= NUMBER_SET_SIZE || (*end && *end != ','))
			break;
		for (; first <= last; first++)
			set->words[first / 64] |= 1ULL << (first % 64);
		if (!*end)
			return NULL;
		text = end + 1;
	}
	return error_other("%s from 0 to %d, as 0-3,8, not '%s'", what, NUMBER_SET_SIZE - 1, all);
}

char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
}

const char *module_extension(const char *path)
{
	const char *extension = strstr(base_name(path), ".ko");

	return extension && (!extension[3] || extension[3] == '.') ? extension : NULL;
}

bool is_module_file(const char *path, size_t length, const char *module)
{
	const char *slash = memrchr(path, '/', length), *file = slash ? slash + 1 : path;
	const char *end = path + length;

	for (; *module; module++, file++)
		if (file == end || (*file == '-' ? '_' : *file) != (*module == '-' ? '_' : *module))
			return false;
	return end - file >= 3 && starts_with(file, ".ko") && (end - file == 3 || file[3] == '.');
}
