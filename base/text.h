/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text: beginnings and ends of strings, characters of UTF-8, suggestions for misspelt words, sets
 * of numbers, and the units of numbers.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

static inline bool starts_with(const char *string, const char *prefix)
{
	return strncmp(string, prefix, strlen(prefix)) == 0;
}

/* Returns whether the `length` characters of `text`, which need not end there, are this word. */
static inline bool text_is(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && memcmp(text, word, length) == 0;
}

static inline bool ends_with(const char *string, const char *suffix)
{
	size_t length = strlen(string), suffix_length = strlen(suffix);

	return length >= suffix_length && strcmp(string + length - suffix_length, suffix) == 0;
}

/* Returns the folder of a path: "." if it names none, "" for the root. The caller frees it. */
char *folder_of(const char *path);

/* Returns whether C takes the text for a name: letters, digits and "_", and no keyword. */
bool is_c_identifier(const char *text);

/* Returns the last part of a path, or the whole path if it ends in a slash. */
static inline const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* ---- characters of UTF-8 ---- */

/* Returns the length of the UTF-8 sequence at the start of `text`, which has `length` bytes, or 0
 * if it is not well-formed (Unicode 15, table 3-7). */
size_t utf8_sequence(const char *text, size_t length);

/* Returns the code point of a sequence of `size` bytes, which must be well-formed. */
static inline uint32_t utf8_code_point(const char *text, size_t size)
{
	static const unsigned char first_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t code = (unsigned char)text[0] & first_bits[size];

	for (size_t i = 1; i < size; i++)
		code = code << 6 | ((unsigned char)text[i] & 0x3f);
	return code;
}

/* Returns whether a well-formed sequence is a control character of ISO 6429 (C0, DEL or C1), or one
 * that changes the order in which the text around it is shown (UAX #9, directional formatting). */
static inline bool utf8_is_control(const char *text, size_t size)
{
	uint32_t code = utf8_code_point(text, size);

	return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x61c ||
	       (code >= 0x200e && code <= 0x200f) || (code >= 0x202a && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/* ---- lists of words with commas between them ---- */

/* Walks over the words of a list: each is `length` bytes at `word`. NULL has none. */
#define each_word(word, length, list)                                                              \
	for (size_t length, once_##word = 1; once_##word; once_##word = 0)                         \
		for (const char *word = (list);                                                    \
		     word && *word && (length = strcspn(word, ","), true);                         \
		     word += length + (word[length] == ','))

/* ---- suggestions for misspelt words ---- */

/* Finds the known word that is closest to a misspelt `word`. Set `word`, zero the rest and call
 * nearest_consider() for each known word; `best` is then the suggestion, or NULL if no word is
 * close enough. The first of several equally close words wins. */
struct nearest {
	const char *word;
	const char *best;
	unsigned int distance;
};

/* Remembers `candidate` if it is closer than the words before it. It must outlive `nearest`. */
void nearest_consider(struct nearest *nearest, const char *candidate);

/* A list of names, which it owns. A zero-initialized list is empty. */
struct name_list {
	char **names;
	size_t count, capacity;
	int problem; /* errno: not all names could be read; 0: they are all */
};

void name_list_add(struct name_list *list, const char *name);
bool name_list_has(const struct name_list *list, const char *name);
/* Adds a copy of the name, unless the list has it. */
void name_list_add_once(struct name_list *list, const char *name);
void name_list_deinit(struct name_list *list);

#define _cleanup_names_ __attribute__((cleanup(name_list_deinit)))

/* Returns the name that `wanted` probably means, or NULL. */
const char *nearest_name(const char *wanted, const struct name_list *names);

/* ---- sets of small numbers, such as processors: "0-3,8" ---- */

/* All numbers are below this: Linux has at most 8,192 processors (NR_CPUS of all architectures). */
#define NUMBER_SET_SIZE 8192

struct number_set {
	uint64_t words[NUMBER_SET_SIZE / 64]; /* one bit for each number */
};

/* Adds the numbers in `text` to `set`, which must be empty. Returns an error if `text` is malformed
 * or a number is too large; the set then has the numbers before the fault. The message begins with
 * `what`, such as "--cpu takes processors". */
struct error *number_set_parse(struct number_set *set, const char *text, const char *what);

/* Returns whether the set has `number`, which may be any number. */
static inline bool number_set_has(const struct number_set *set, int64_t number)
{
	return number >= 0 && number < NUMBER_SET_SIZE &&
	       set->words[number / 64] >> (number % 64) & 1;
}

/* ---- units ---- */

/* Times are counted in nanoseconds, as in perf.data, and sizes in bytes. */

#define NS_PER_US 1000
#define NS_PER_MS 1000000
#define NS_PER_S  1000000000

#define BYTES_PER_MB 1048576

/* Returns ".ko" or ".ko.xz" of the path of a module of the kernel; NULL: it is none. */
const char *module_extension(const char *path);
/* Returns whether a path of some length is the file of a module of the kernel. Names of files may
 * have '-' where those of modules have '_': the file of "snd_hda" may be snd-hda.ko.xz. */
bool is_module_file(const char *path, size_t length, const char *module);
