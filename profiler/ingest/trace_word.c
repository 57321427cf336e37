// SPDX-License-Identifier: GPL-2.0-or-later
/* Words and strings of print formats: see trace_program.h. */
#include <ctype.h>
#include <stdarg.h>
#include <string.h>

#include "profiler/ingest/trace_program.h"

const void *trace_parse_fail(struct trace_parser *parser, const char *format, ...)
{
	va_list arguments;

	if (parser->problem->length)
		return NULL;
	va_start(arguments, format);
	strbuf_add_vformat(parser->problem, format, arguments);
	va_end(arguments);
	return NULL;
}

void trace_parse_blanks(struct trace_parser *parser)
{
	while (parser->at < parser->end && isspace((unsigned char)*parser->at))
		parser->at++;
}

bool trace_parse_next_is(struct trace_parser *parser, const char *text)
{
	size_t length = strlen(text);

	trace_parse_blanks(parser);
	return (size_t)(parser->end - parser->at) >= length && !memcmp(parser->at, text, length);
}

bool trace_parse_text(struct trace_parser *parser, const char *text)
{
	if (!trace_parse_next_is(parser, text))
		return false;
	parser->at += strlen(text);
	return true;
}

bool trace_parse_take(struct trace_parser *parser, char character)
{
	return trace_parse_text(parser, (const char[]){ character, '\0' });
}

bool trace_parse_expect(struct trace_parser *parser, char character)
{
	if (trace_parse_take(parser, character))
		return true;
	(void)trace_parse_fail(parser, "a '%c' is missing", character);
	return false;
}

static bool is_word_character(char character)
{
	return isalnum((unsigned char)character) || character == '_';
}

/* Letters and digits up to the word's end; 0: none follow. */
size_t trace_parse_word(struct trace_parser *parser)
{
	size_t length = 0;

	trace_parse_blanks(parser);
	while (parser->at + length < parser->end && is_word_character(parser->at[length]))
		length++;
	return length;
}

bool trace_is_word(const char *text, size_t length, const char *word)
{
	return strlen(word) == length && !memcmp(text, word, length);
}

static char take_escaped(struct trace_parser *parser)
{
	char character = *parser->at++;

	switch (character) {
	case 'n': return '\n';
	case 't': return '\t';
	default: return character;
	}
}

const char *trace_parse_string(struct trace_parser *parser)
{
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	bool any = false;

	while (trace_parse_text(parser, "\"")) {
		any = true;
		while (parser->at < parser->end && *parser->at != '"') {
			char character = *parser->at++;

			if (character == '\\' && parser->at < parser->end)
				character = take_escaped(parser);
			strbuf_add_char(&text, character);
		}
		if (parser->at == parser->end)
			return trace_parse_fail(parser, "a string has no end");
		parser->at++;
	}
	return any ? arena_strdup(parser->arena, text.length ? text.data : "") : NULL;
}
