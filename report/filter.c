// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements filter.h.
 */
#include "report/filter.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"
#include "report/key/keys.h"

void word_list_deinit(struct word_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->words[i]);
	free(list->words);
	*list = (struct word_list){ 0 };
}

void word_list_parse(struct word_list *list, const char *text)
{
	size_t capacity = 0;

	word_list_deinit(list);
	while (*text) {
		size_t length = strcspn(text, ",");

		if (length) {
			array_reserve(list->words, list->count, capacity);
			list->words[list->count++] = xstrndup(text, length);
		}
		text += length + (text[length] == ',');
	}
}

void word_list_add(struct word_list *list, const char *word)
{
	list->words = xrealloc_array(list->words, list->count + 1, sizeof(*list->words));
	list->words[list->count++] = xstrdup(word);
}

struct error *word_list_parse_numbers(struct word_list *list, const char *text, const char *option)
{
	word_list_parse(list, text);
	for (size_t i = 0; i < list->count; i++) {
		const char *word = list->words[i];
		size_t digits = strspn(word, "0123456789");

		if (word[digits] || digits > 10)
			return error_create(ERROR_OTHER,
					    "%s takes numbers separated by commas, not '%s'",
					    option, word);
	}
	return NULL;
}

void filter_deinit(struct filter *filter)
{
	word_list_deinit(&filter->comms);
	word_list_deinit(&filter->dsos);
	word_list_deinit(&filter->symbols);
	word_list_deinit(&filter->pids);
	word_list_deinit(&filter->tids);
	word_list_deinit(&filter->types);
}

uint64_t filter_needs(const struct filter *filter)
{
	return (filter->comms.count ? NEED_COMM : 0) |
	       /* The level, which tells guests, comes with the object. */
	       (filter->dsos.count || !filter->guests ? NEED_DSO : 0) |
	       (filter->symbols.count ? NEED_SYMBOL : 0) | (filter->pids.count ? NEED_PID : 0) |
	       (filter->tids.count ? NEED_TID : 0) | (filter->types.count ? NEED_TYPE : 0) |
	       (filter->symbol_part || filter->resolved ? NEED_SYMBOL | NEED_ADDRESS : 0) |
	       (filter->has_parallelism ? NEED_PARALLELISM : 0) |
	       (filter->has_socket ? NEED_SOCKET | NEED_CPU : 0) |
	       (filter->has_parent ? NEED_PARENT | NEED_CHAIN : 0);
}

static bool has_word(const struct word_list *list, const char *word)
{
	for (size_t i = 0; word && i < list->count; i++)
		if (!strcmp(list->words[i], word))
			return true;
	return false;
}

static bool has_number(const struct word_list *list, int32_t number)
{
	for (size_t i = 0; i < list->count; i++)
		if (strtoll(list->words[i], NULL, 10) == number)
			return true;
	return false;
}

static bool has_type(const struct word_list *list, const struct result_place *place)
{
	for (size_t i = 0; i < list->count; i++)
		if (place->type && type_name_matches(list->words[i], place->type))
			return true;
	return false;
}

bool filter_accepts(const struct filter *filter, const struct result *result)
{
	const struct result_place *place = result->place;

	if ((result->level == 'g' || result->level == 'u') && !filter->guests)
		return false;
	return (!filter->comms.count || has_word(&filter->comms, result->comm)) &&
	       (!filter->dsos.count || has_word(&filter->dsos, place->dso) ||
		has_word(&filter->dsos, place->dso_path)) &&
	       (!filter->symbols.count || has_word(&filter->symbols, place->symbol)) &&
	       (!filter->pids.count || has_number(&filter->pids, result->pid)) &&
	       (!filter->tids.count || has_number(&filter->tids, result->tid)) &&
	       (!filter->has_parallelism ||
		number_set_has(&filter->parallelism, result->parallelism)) &&
	       (!filter->has_socket || result->socket == (int64_t)filter->socket) &&
	       (!filter->types.count || has_type(&filter->types, place)) &&
	       (!filter->symbol_part ||
		(place->symbol && strstr(place->symbol, filter->symbol_part))) &&
	       (!filter->resolved || place->symbol) && (!filter->has_parent || result->parent);
}

static const struct word_list *list_for(const struct filter *filter, const struct key *key)
{
	if (key == &key_comm)
		return &filter->comms;
	if (key == &key_dso)
		return &filter->dsos;
	return key == &key_symbol ? &filter->symbols : NULL;
}

void filter_elide(const struct filter *filter, struct layout *layout, bool screen,
		  struct strbuf *text)
{
	const struct key *elided[LAYOUT_KEYS_MAX];
	size_t elided_count = 0, attributes = 0;

	for (size_t i = 0; i < layout->columns.count; i++) {
		const struct key *key = layout->columns.keys[i];
		const struct word_list *list = list_for(filter, key);

		attributes += key->identity != NULL;
		if (!list || list->count != 1)
			continue;
		strbuf_add_format(text, screen ? ", %s %s" : "# %s: %s\n", key->name,
				  list->words[0]);
		elided[elided_count++] = key;
	}
	for (size_t i = 0; i < elided_count && elided_count < attributes; i++)
		layout_remove(layout, elided[i]);
}

/* ---- names of types ---- */

const char *type_name_without_keyword(const char *name)
{
	static const char *const keywords[] = { "struct ", "union ", "enum ", "class " };

	for (size_t i = 0; i < COUNT_OF(keywords); i++) {
		size_t length = strlen(keywords[i]);

		if (strncmp(name, keywords[i], length) == 0)
			return name + length;
	}
	return name;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

static size_t word_length(const char *text)
{
	size_t length = 0;

	while (is_word(text[length]))
		length++;
	return length;
}

/* How often each word occurs in the name of an integer type. */
struct integer_words {
	unsigned int counts[6]; /* indexed by WORD_* */
};

enum { WORD_UNSIGNED, WORD_SIGNED, WORD_LONG, WORD_SHORT, WORD_CHAR, WORD_INT, INTEGER_WORDS };

static unsigned int word_of_integer(const char *text, size_t length)
{
	static const char *const words[] = { "unsigned", "signed", "long", "short", "char", "int" };
	unsigned int word = 0;

	while (word < INTEGER_WORDS &&
	       (strlen(words[word]) != length || strncmp(words[word], text, length) != 0))
		word++;
	return word;
}

/* Appends the words in one fixed order, without "int" after a size, and without "signed" except
 * before "char". */
static void add_integer(struct strbuf *buffer, const struct integer_words *words)
{
	const unsigned int *counts = words->counts;
	bool is_char = counts[WORD_CHAR],
	     is_sized = counts[WORD_LONG] || counts[WORD_SHORT] || is_char;

	if (counts[WORD_UNSIGNED])
		strbuf_add_string(buffer, "unsigned ");
	if (counts[WORD_SIGNED] && is_char)
		strbuf_add_string(buffer, "signed ");
	for (unsigned int i = 0; i < counts[WORD_LONG]; i++)
		strbuf_add_string(buffer, "long ");
	if (counts[WORD_SHORT])
		strbuf_add_string(buffer, "short ");
	if (is_char)
		strbuf_add_string(buffer, "char ");
	if (!is_sized)
		strbuf_add_string(buffer, "int ");
	buffer->data[--buffer->length] = '\0';
}

/* Appends the integer type that begins at `text` in its fixed spelling. Returns the text after it,
 * or NULL if no integer type begins there. */
static const char *take_integer(const char *text, struct strbuf *buffer)
{
	struct integer_words words = { { 0 } };
	const char *end = NULL;

	for (;;) {
		size_t length = word_length(text);
		unsigned int word = length ? word_of_integer(text, length) : INTEGER_WORDS;

		if (word == INTEGER_WORDS)
			break;
		words.counts[word]++;
		end = text + length;
		text = end + strspn(end, " ");
	}
	if (end)
		add_integer(buffer, &words);
	return end;
}

/* Appends `text` in a normal form: one space between words, no other spaces, integer types in one
 * spelling. */
static void normalize(const char *text, struct strbuf *buffer)
{
	while (*(text += strspn(text, " "))) {
		const char *end;
		size_t length = word_length(text);

		if (!length) {
			strbuf_add_char(buffer, *text++);
			continue;
		}
		if (buffer->length && is_word(buffer->data[buffer->length - 1]))
			strbuf_add_char(buffer, ' ');
		end = take_integer(text, buffer);
		if (!end) {
			strbuf_add(buffer, text, length);
			end = text + length;
		}
		text = end;
	}
}

/* Returns whether `dot` ends a scope of Go: "main.Node", "container/list.Element". */
static bool is_go_scope(const char *dot)
{
	return (*dot == '.' || *dot == '/') && is_word(dot[1]);
}

/* Returns the part of a qualified name after its next "::" that is not inside brackets, or NULL if
 * there is none. */
static const char *next_part(const char *name)
{
	unsigned int depth = 0;

	for (; *name; name++) {
		if (strncmp(name, "->", 2) == 0)
			name++;
		else if (strchr("<([{", *name))
			depth++;
		else if (strchr(">)]}", *name) && depth)
			depth--;
		else if (!depth && strncmp(name, "::", 2) == 0)
			return name + 2;
		else if (!depth && is_go_scope(name))
			return name + 1;
	}
	return NULL;
}

static bool is_template_of(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);

	return strncmp(name, wanted, length) == 0 && name[length] == '<' &&
	       !next_part(name + length);
}

static bool part_matches(const char *wanted, const char *part)
{
	return strcmp(wanted, part) == 0 || is_template_of(part, wanted) ||
	       fnmatch(wanted, part, 0) == 0;
}

static bool ends_in_brackets(const char *name)
{
	size_t length = strlen(name);

	return length > 2 && strcmp(name + length - 2, "[]") == 0;
}

static bool matches(const char *wanted, const char *name)
{
	_cleanup_strbuf_ struct strbuf wanted_text = STRBUF_INIT;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *bare = type_name_without_keyword(wanted);

	if (strcmp(wanted, name) == 0 || fnmatch(wanted, name, 0) == 0)
		return true;
	/* a keyword alone asks for the records without a name */
	if (strncmp(name, wanted, strlen(wanted)) == 0 && starts_with(name + strlen(wanted), " {"))
		return true;
	/* The keyword of a pattern stays: "struct a*" must not match a union. */
	if (bare != wanted && bare[strcspn(bare, "*?[")])
		return false;
	normalize(bare, &wanted_text);
	if (!wanted_text.length)
		return false;
	normalize(type_name_without_keyword(name), &text);
	for (const char *part = text.data; part; part = next_part(part))
		if (part_matches(wanted_text.data, part))
			return true;
	return false;
}

bool type_name_matches(const char *wanted, const char *name)
{
	if (matches(wanted, name))
		return true;
	if (ends_in_brackets(wanted) || !ends_in_brackets(name))
		return false;
	_cleanup_free_ char *element = xstrdup(name);

	while (ends_in_brackets(element))
		element[strlen(element) - 2] = '\0';
	return matches(wanted, element);
}

/* Returns the last part of a qualified name. */
static const char *last_part(const char *name)
{
	for (const char *next; (next = next_part(name));)
		name = next;
	return name;
}

/* Returns whether two parts of names are the same but for case, underscores and template
 * arguments. */
static bool is_nearly(const char *a, const char *b)
{
	for (;;) {
		a += strspn(a, "_");
		b += strspn(b, "_");
		if (!*a || *a == '<' || !*b || *b == '<')
			return (!*a || *a == '<') && (!*b || *b == '<');
		if (tolower((unsigned char)*a++) != tolower((unsigned char)*b++))
			return false;
	}
}

char *type_name_resembling(const char *wanted, const char *name)
{
	const char *bare = type_name_without_keyword(name), *last = last_part(bare);
	size_t length = strcspn(last, "<");

	if (!length || !*wanted || !is_nearly(last_part(type_name_without_keyword(wanted)), last))
		return NULL;
	return xstrndup(bare, (size_t)(last - bare) + length);
}
