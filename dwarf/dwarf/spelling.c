// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements spelling.h. */
#include "dwarf/dwarf/spelling.h"

#include <ctype.h>

enum { WORD_UNSIGNED, WORD_SIGNED, WORD_LONG, WORD_SHORT, WORD_CHAR, WORD_INT, INTEGER_WORDS };

static size_t word_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_')
		length++;
	return length;
}

/* Counts the words of the integer type that begins at `text`. Returns the text after it, or NULL if
 * there is none. */
static const char *take_integer(const char *text, unsigned int counts[INTEGER_WORDS])
{
	static const char *const words[] = { "unsigned", "signed", "long", "short", "char", "int" };
	const char *end = NULL;

	memset(counts, 0, INTEGER_WORDS * sizeof(*counts));
	for (;;) {
		size_t length = word_length(text), word = 0;

		while (word < INTEGER_WORDS &&
		       (strlen(words[word]) != length || strncmp(words[word], text, length) != 0))
			word++;
		if (word == INTEGER_WORDS)
			return end;
		counts[word]++;
		end = text + length;
		text = end + strspn(end, " ");
	}
}

static void add_integer(const unsigned int counts[INTEGER_WORDS], enum name_spelling spelling,
			struct strbuf *text)
{
	bool sized = counts[WORD_LONG] || counts[WORD_SHORT],
	     first = spelling == SPELLING_CLANG || !sized;

	if (counts[WORD_UNSIGNED] && first)
		strbuf_add_string(text, "unsigned ");
	if (counts[WORD_SIGNED] && counts[WORD_CHAR])
		strbuf_add_string(text, "signed ");
	for (unsigned int i = 0; i < counts[WORD_LONG]; i++)
		strbuf_add_string(text, "long ");
	if (counts[WORD_SHORT])
		strbuf_add_string(text, "short ");
	if (counts[WORD_UNSIGNED] && !first)
		strbuf_add_string(text, "unsigned ");
	if (counts[WORD_CHAR])
		strbuf_add_string(text, "char ");
	else if (spelling == SPELLING_GCC || !sized)
		strbuf_add_string(text, "int ");
	text->data[--text->length] = '\0';
}

void spelling_add(const char *name, enum name_spelling spelling, struct strbuf *text)
{
	unsigned int counts[INTEGER_WORDS];

	while (*name) {
		bool word = word_length(name);
		const char *end = word ? take_integer(name, counts) : NULL;
		const char *next = name + strspn(name, " ");

		if (end) {
			add_integer(counts, spelling, text);
			name = end;
		} else if (word) {
			strbuf_add(text, name, word_length(name));
			name += word_length(name);
		} else if (*name == ' ') {
			/* blanks stand between words alone */
			if (text->length && word_length(text->data + text->length - 1) &&
			    word_length(next))
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
