// SPDX-License-Identifier: GPL-2.0-or-later
/* Expressions of print formats, by C's grammar: see trace_program.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/ingest/trace_program.h"

/* ---- nodes ---- */

static unsigned int depth_of(const struct trace_node *node)
{
	return node ? node->depth + 1 : 0;
}

const struct trace_node *trace_parse_add(struct trace_parser *parser, struct trace_node node)
{
	const struct trace_node *below[] = { node.a, node.b, node.c };

	for (size_t i = 0; i < 3; i++)
		if (depth_of(below[i]) > node.depth)
			node.depth = depth_of(below[i]);
	if (node.depth > TRACE_DEPTH)
		return trace_parse_fail(parser, "it is nested too deeply");
	return arena_copy(parser->arena, &node, sizeof(node));
}

/* As C: what does not fit an int is longer, and hexadecimal numbers may be unsigned. */
static const struct trace_node *parse_number(struct trace_parser *parser)
{
	size_t length = trace_parse_word(parser), digits;
	struct trace_node node = { .kind = TRACE_NUMBER };
	char text[32], *end;
	bool has_unsigned, has_long;

	if (length >= sizeof(text))
		return trace_parse_fail(parser, "a number is too long");
	memcpy(text, parser->at, length);
	text[length] = '\0';
	node.number = strtoull(text, &end, 0);
	digits = (size_t)(end - text);
	if (!digits || strspn(end, "uUlL") != strlen(end))
		return trace_parse_fail(parser, "'%s' is no number", text);
	has_unsigned = strpbrk(end, "uU");
	has_long = strpbrk(end, "lL") || node.number > UINT32_MAX ||
		   (text[0] != '0' && !has_unsigned && node.number > INT32_MAX);
	node.type.size = has_long ? 8 : 4;
	node.type.is_signed = !has_unsigned && node.number <= (has_long ? INT64_MAX : INT32_MAX);
	parser->at += length;
	return trace_parse_add(parser, node);
}

const struct tracepoint_field *trace_parse_field(struct trace_parser *parser)
{
	size_t length = trace_parse_word(parser);

	for (size_t i = 0; i < parser->program->field_count; i++) {
		const struct tracepoint_field *field = &parser->program->fields[i];

		if (!trace_is_word(parser->at, length, field->name))
			continue;
		parser->at += length;
		return field;
	}
	return trace_parse_fail(parser, "it has no field '%.*s'", (int)length, parser->at);
}

/* ---- the grammar ---- */

static const struct trace_node *parse_unary(struct trace_parser *parser);

static const struct trace_node *parse_word(struct trace_parser *parser)
{
	size_t length = trace_parse_word(parser);
	const char *word = parser->at;

	parser->at += length;
	if (trace_is_word(word, length, "REC") && trace_parse_text(parser, "->")) {
		struct trace_node node = { .kind = TRACE_FIELD, .field = trace_parse_field(parser) };

		return node.field ? trace_parse_add(parser, node) : NULL;
	}
	if (trace_parse_take(parser, '('))
		return trace_parse_call(parser, word, length);
	return trace_parse_fail(parser, "the value of %.*s is not known", (int)length, word);
}

/* A cast, or an expression in parentheses. */
static const struct trace_node *parse_parentheses(struct trace_parser *parser)
{
	struct trace_node cast = { .kind = TRACE_CAST };
	const struct trace_node *node;

	if (trace_parse_type(parser, &cast.type)) {
		if (!trace_parse_expect(parser, ')'))
			return NULL;
		cast.a = parse_unary(parser);
		return cast.a ? trace_parse_add(parser, cast) : NULL;
	}
	node = trace_parse_expression(parser);
	return node && trace_parse_expect(parser, ')') ? node : NULL;
}

static const struct trace_node *parse_primary(struct trace_parser *parser)
{
	trace_parse_blanks(parser);
	if (parser->at == parser->end)
		return trace_parse_fail(parser, "it ends too early");
	if (*parser->at == '"') {
		struct trace_node node = { .kind = TRACE_STRING, .text = trace_parse_string(parser) };

		return node.text ? trace_parse_add(parser, node) : NULL;
	}
	if (trace_parse_take(parser, '('))
		return parse_parentheses(parser);
	if (isdigit((unsigned char)*parser->at))
		return parse_number(parser);
	if (trace_parse_word(parser))
		return parse_word(parser);
	return trace_parse_fail(parser, "a '%c' is not known",
				isprint((unsigned char)*parser->at) ? *parser->at : '?');
}

static const struct trace_node *parse_postfix(struct trace_parser *parser)
{
	const struct trace_node *node = parse_primary(parser);

	while (node && trace_parse_take(parser, '[')) {
		struct trace_node index = { .kind = TRACE_INDEX, .a = node };

		index.b = trace_parse_expression(parser);
		if (!index.b || !trace_parse_expect(parser, ']'))
			return NULL;
		if (node->kind == TRACE_CAST && node->type.is_pointer)
			index.type = (struct trace_type){ .size = node->type.element_size,
							  .is_signed = node->type.element_signed };
		else if (node->kind == TRACE_FIELD)
			index.type = (struct trace_type){ .size = (uint8_t)node->field->element_size,
							  .is_signed = node->field->is_signed };
		if (!index.type.size)
			return trace_parse_fail(parser, "the elements of an array are not known");
		node = trace_parse_add(parser, index);
	}
	return node;
}

static const struct trace_node *parse_unary(struct trace_parser *parser)
{
	struct trace_node node = { .kind = TRACE_UNARY };

	if (++parser->depth > TRACE_DEPTH)
		return trace_parse_fail(parser, "it is nested too deeply");
	trace_parse_blanks(parser);
	if (parser->at < parser->end && strchr("!~-+", *parser->at)) {
		node.operation = (unsigned char)*parser->at++;
		node.a = parse_unary(parser);
		parser->depth--;
		return node.a ? trace_parse_add(parser, node) : NULL;
	}

	const struct trace_node *result = parse_postfix(parser);

	parser->depth--;
	return result;
}

/* Those that bind closest first; one that begins another stands behind it. */
static const struct {
	const char *text;
	unsigned int level;
} operators[] = {
	{ "<<", 2 }, { ">>", 2 }, { "<=", 3 }, { ">=", 3 }, { "==", 4 }, { "!=", 4 },
	{ "&&", 8 }, { "||", 9 }, { "*", 0 },  { "/", 0 },  { "%", 0 },  { "+", 1 },
	{ "-", 1 },  { "<", 3 },  { ">", 3 },  { "&", 5 },  { "^", 6 },  { "|", 7 },
};
#define OPERATOR_LEVELS 10

static bool take_operator(struct trace_parser *parser, unsigned int level, unsigned int *operation)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		const char *text = operators[i].text;

		if (!trace_parse_next_is(parser, text))
			continue;
		if (operators[i].level != level)
			return false;
		parser->at += strlen(text);
		*operation = TRACE_OPERATOR((unsigned char)text[0], (unsigned char)text[1]);
		return true;
	}
	return false;
}

static const struct trace_node *parse_binary(struct trace_parser *parser, unsigned int levels)
{
	const struct trace_node *node;
	unsigned int operation;

	if (!levels)
		return parse_unary(parser);
	node = parse_binary(parser, levels - 1);
	while (node && take_operator(parser, levels - 1, &operation)) {
		const struct trace_node *right = parse_binary(parser, levels - 1);

		if (!right)
			return NULL;
		node = trace_parse_add(parser, (struct trace_node){ .kind = TRACE_BINARY,
								    .operation = operation,
								    .a = node,
								    .b = right });
	}
	return node;
}

const struct trace_node *trace_parse_expression(struct trace_parser *parser)
{
	struct trace_node node = { .kind = TRACE_CONDITION };
	const struct trace_node *result = NULL;

	if (++parser->depth > TRACE_DEPTH)
		return trace_parse_fail(parser, "it is nested too deeply");
	node.a = parse_binary(parser, OPERATOR_LEVELS);
	if (node.a && !trace_parse_take(parser, '?')) {
		result = node.a;
	} else if (node.a) {
		node.b = trace_parse_expression(parser);
		if (node.b && trace_parse_expect(parser, ':'))
			node.c = trace_parse_expression(parser);
		result = node.c ? trace_parse_add(parser, node) : NULL;
	}
	parser->depth--;
	return result;
}
