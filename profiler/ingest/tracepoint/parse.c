// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Parses the print format of an event into conversions with expressions, by C's grammar: see
 * print.h.
 *
 * Functions called take_x() take text from the parser and return what they took. Functions called
 * parse_x() return a node, or NULL after fail().
 */
#include "profiler/ingest/tracepoint/print.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* The state of parsing one print format. */
struct trace_parser {
	struct trace_program *program;
	struct arena *arena;
	const char *at, *end;
	unsigned int depth;
	struct strbuf *problem; /* the first reason why it cannot be parsed; empty: none */
};

/* ---- words and strings ---- */

/* Stores the problem, unless there was one before. Returns NULL. */
__attribute__((format(printf, 2, 3))) static const void *fail(struct trace_parser *parser,
							      const char *format, ...)
{
	va_list arguments;

	if (parser->problem->length)
		return NULL;
	va_start(arguments, format);
	strbuf_add_vformat(parser->problem, format, arguments);
	va_end(arguments);
	return NULL;
}

static void skip_blanks(struct trace_parser *parser)
{
	while (parser->at < parser->end && isspace((unsigned char)*parser->at))
		parser->at++;
}

/* Returns whether `text` follows after blanks. */
static bool next_is(struct trace_parser *parser, const char *text)
{
	size_t length = strlen(text);

	skip_blanks(parser);
	return (size_t)(parser->end - parser->at) >= length && !memcmp(parser->at, text, length);
}

/* Takes `text` if it follows after blanks. Returns whether it did. */
static bool take_text(struct trace_parser *parser, const char *text)
{
	if (!next_is(parser, text))
		return false;
	parser->at += strlen(text);
	return true;
}

static bool take_char(struct trace_parser *parser, char character)
{
	return take_text(parser, (const char[]){ character, '\0' });
}

/* Takes a character. If another one follows, that is a problem. */
static bool expect_char(struct trace_parser *parser, char character)
{
	if (take_char(parser, character))
		return true;
	(void)fail(parser, "a '%c' is missing", character);
	return false;
}

static bool is_word_character(char character)
{
	return isalnum((unsigned char)character) || character == '_';
}

/* Skips blanks. Returns the length of the word that follows, or 0; does not take the word. */
static size_t word_length(struct trace_parser *parser)
{
	size_t length = 0;

	skip_blanks(parser);
	while (parser->at + length < parser->end && is_word_character(parser->at[length]))
		length++;
	return length;
}

static bool is_word(const char *text, size_t length, const char *word)
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

/* Takes one string literal, or several that form one. Returns it in the arena, or NULL. */
static const char *take_string(struct trace_parser *parser)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	bool any = false;

	while (take_text(parser, "\"")) {
		any = true;
		while (parser->at < parser->end && *parser->at != '"') {
			char character = *parser->at++;

			if (character == '\\' && parser->at < parser->end)
				character = take_escaped(parser);
			strbuf_add_char(&text, character);
		}
		if (parser->at == parser->end)
			return fail(parser, "a string has no end");
		parser->at++;
	}
	return any ? arena_strdup(parser->arena, text.data) : NULL;
}

/* ---- types in casts and sizeof ---- */

/* Words in names of types. The size of "long" depends on the recorded machine. */
static const struct {
	const char *name;
	struct trace_type type;
} type_names[] = {
	{ "char", { 1, true, false, 0, false } },
	{ "short", { 2, true, false, 0, false } },
	{ "int", { 4, true, false, 0, false } },
	{ "bool", { 1, false, false, 0, false } },
	{ "_Bool", { 1, false, false, 0, false } },
	{ "u8", { 1, false, false, 0, false } },
	{ "u16", { 2, false, false, 0, false } },
	{ "u32", { 4, false, false, 0, false } },
	{ "u64", { 8, false, false, 0, false } },
	{ "s8", { 1, true, false, 0, false } },
	{ "s16", { 2, true, false, 0, false } },
	{ "s32", { 4, true, false, 0, false } },
	{ "s64", { 8, true, false, 0, false } },
	{ "__u8", { 1, false, false, 0, false } },
	{ "__u16", { 2, false, false, 0, false } },
	{ "__u32", { 4, false, false, 0, false } },
	{ "__u64", { 8, false, false, 0, false } },
	{ "__s32", { 4, true, false, 0, false } },
	{ "__s64", { 8, true, false, 0, false } },
	{ "uint8_t", { 1, false, false, 0, false } },
	{ "uint16_t", { 2, false, false, 0, false } },
	{ "uint32_t", { 4, false, false, 0, false } },
	{ "uint64_t", { 8, false, false, 0, false } },
	{ "gfp_t", { 4, false, false, 0, false } },
	{ "dev_t", { 4, false, false, 0, false } },
	{ "pid_t", { 4, true, false, 0, false } },
	{ "sector_t", { 8, false, false, 0, false } },
	{ "loff_t", { 8, true, false, 0, false } },
	{ "umode_t", { 2, false, false, 0, false } },
	{ "__le32", { 4, false, false, 0, false } },
};

static bool name_type(const char *word, size_t length, struct trace_type *type)
{
	for (size_t i = 0; i < COUNT_OF(type_names); i++)
		if (is_word(word, length, type_names[i].name)) {
			*type = type_names[i].type;
			return true;
		}
	return false;
}

/* Takes a word of a type. "unsigned" and "long" are only noted, because other words may follow. */
static void take_type_word(struct trace_parser *parser, size_t length, unsigned int *longs,
			   bool *is_unsigned, struct trace_type *type)
{
	const char *word = parser->at;
	struct trace_type named;

	if (is_word(word, length, "unsigned"))
		*is_unsigned = true;
	else if (is_word(word, length, "long"))
		(*longs)++;
	else if (is_word(word, length, "size_t") || is_word(word, length, "ino_t"))
		*type = (struct trace_type){ .size = (uint8_t)parser->program->long_size };
	else if (is_word(word, length, "enum"))
		*type = (struct trace_type){ .size = 4, .is_signed = true };
	else if (name_type(word, length, &named) && !(*longs && named.size == 4))
		*type = named;
	parser->at += length;
}

/*
 * Takes a type such as "unsigned long *" up to a ')'. Returns false, and takes nothing, if it is
 * not a type.
 */
static bool take_type(struct trace_parser *parser, struct trace_type *type)
{
	const char *begin = parser->at;
	unsigned int longs = 0, stars = 0, words = 0;
	bool is_unsigned = false;
	size_t length;

	*type = (struct trace_type){ 0 };
	while ((length = word_length(parser)) && !isdigit((unsigned char)*parser->at) &&
	       !is_word(parser->at, length, "REC")) {
		take_type_word(parser, length, &longs, &is_unsigned, type);
		words++;
	}
	while (words && take_char(parser, '*'))
		stars++;
	if (!words || !next_is(parser, ")")) {
		parser->at = begin;
		return false;
	}
	if (longs)
		*type = (struct trace_type){ .size = longs > 1
							     ? 8
							     : (uint8_t)parser->program->long_size,
					     .is_signed = true };
	else if (is_unsigned && !type->size)
		*type = (struct trace_type){ .size = 4 };
	if (is_unsigned)
		type->is_signed = false;
	if (stars)
		*type = (struct trace_type){ .size = (uint8_t)parser->program->long_size,
					     .is_pointer = true,
					     .element_size =
						     stars > 1 ? (uint8_t)parser->program->long_size
							       : type->size,
					     .element_signed = stars == 1 && type->is_signed };
	return true;
}

/* ---- expressions ---- */

static const struct trace_node *parse_expression(struct trace_parser *parser);
static const struct trace_node *parse_call(struct trace_parser *parser, const char *name,
					   size_t length);

static unsigned int depth_of(const struct trace_node *node)
{
	return node ? node->depth + 1 : 0;
}

/* Copies a node into the arena. */
static const struct trace_node *add_node(struct trace_parser *parser, struct trace_node node)
{
	const struct trace_node *below[] = { node.a, node.b, node.c };

	for (size_t i = 0; i < 3; i++)
		if (depth_of(below[i]) > node.depth)
			node.depth = depth_of(below[i]);
	if (node.depth > TRACE_DEPTH_MAX)
		return fail(parser, "it is nested too deeply");
	return arena_copy(parser->arena, &node, sizeof(node));
}

/*
 * Parses a number. By C's rules (C11 6.4.4.1), one that does not fit in an int is a long, and a
 * hexadecimal one may be unsigned.
 */
static const struct trace_node *parse_number(struct trace_parser *parser)
{
	size_t length = word_length(parser), digits;
	struct trace_node node = { .kind = TRACE_NUMBER };
	char text[32], *end;
	bool has_unsigned, has_long;

	if (length >= sizeof(text))
		return fail(parser, "a number is too long");
	memcpy(text, parser->at, length);
	text[length] = '\0';
	node.number = strtoull(text, &end, 0);
	digits = (size_t)(end - text);
	if (!digits || strspn(end, "uUlL") != strlen(end))
		return fail(parser, "'%s' is not a number", text);
	has_unsigned = strpbrk(end, "uU");
	has_long = strpbrk(end, "lL") || node.number > UINT32_MAX ||
		   (text[0] != '0' && !has_unsigned && node.number > INT32_MAX);
	node.type.size = has_long ? 8 : 4;
	node.type.is_signed = !has_unsigned && node.number <= (has_long ? INT64_MAX : INT32_MAX);
	parser->at += length;
	return add_node(parser, node);
}

/* Takes the name of a field. Returns NULL after fail() if the event has no such field. */
static const struct tracepoint_field *take_field(struct trace_parser *parser)
{
	size_t length = word_length(parser);

	for (size_t i = 0; i < parser->program->field_count; i++) {
		const struct tracepoint_field *field = &parser->program->fields[i];

		if (!is_word(parser->at, length, field->name))
			continue;
		parser->at += length;
		return field;
	}
	return fail(parser, "it has no field '%.*s'", (int)length, parser->at);
}

static const struct trace_node *parse_unary(struct trace_parser *parser);

static const struct trace_node *parse_name(struct trace_parser *parser)
{
	size_t length = word_length(parser);
	const char *word = parser->at;

	parser->at += length;
	if (is_word(word, length, "REC") && take_text(parser, "->")) {
		struct trace_node node = { .kind = TRACE_FIELD, .field = take_field(parser) };

		return node.field ? add_node(parser, node) : NULL;
	}
	if (take_char(parser, '('))
		return parse_call(parser, word, length);
	return fail(parser, "the value of %.*s is not known", (int)length, word);
}

/* Parses a cast, or an expression in parentheses. */
static const struct trace_node *parse_parentheses(struct trace_parser *parser)
{
	struct trace_node cast = { .kind = TRACE_CAST };
	const struct trace_node *node;

	if (take_type(parser, &cast.type)) {
		if (!expect_char(parser, ')'))
			return NULL;
		cast.a = parse_unary(parser);
		return cast.a ? add_node(parser, cast) : NULL;
	}
	node = parse_expression(parser);
	return node && expect_char(parser, ')') ? node : NULL;
}

static const struct trace_node *parse_primary(struct trace_parser *parser)
{
	skip_blanks(parser);
	if (parser->at == parser->end)
		return fail(parser, "it ends too early");
	if (*parser->at == '"') {
		struct trace_node node = { .kind = TRACE_STRING, .text = take_string(parser) };

		return node.text ? add_node(parser, node) : NULL;
	}
	if (take_char(parser, '('))
		return parse_parentheses(parser);
	if (isdigit((unsigned char)*parser->at))
		return parse_number(parser);
	if (word_length(parser))
		return parse_name(parser);
	return fail(parser, "a '%c' is not known",
		    isprint((unsigned char)*parser->at) ? *parser->at : '?');
}

static const struct trace_node *parse_postfix(struct trace_parser *parser)
{
	const struct trace_node *node = parse_primary(parser);

	while (node && take_char(parser, '[')) {
		struct trace_node index = { .kind = TRACE_INDEX, .a = node };

		index.b = parse_expression(parser);
		if (!index.b || !expect_char(parser, ']'))
			return NULL;
		if (node->kind == TRACE_CAST && node->type.is_pointer)
			index.type = (struct trace_type){ .size = node->type.element_size,
							  .is_signed = node->type.element_signed };
		else if (node->kind == TRACE_FIELD)
			index.type =
				(struct trace_type){ .size = (uint8_t)node->field->element_size,
						     .is_signed = node->field->is_signed };
		if (!index.type.size)
			return fail(parser, "the elements of an array are not known");
		node = add_node(parser, index);
	}
	return node;
}

static const struct trace_node *parse_unary(struct trace_parser *parser)
{
	struct trace_node node = { .kind = TRACE_UNARY };

	if (++parser->depth > TRACE_DEPTH_MAX)
		return fail(parser, "it is nested too deeply");
	skip_blanks(parser);
	if (parser->at < parser->end && strchr("!~-+", *parser->at)) {
		node.operation = (unsigned char)*parser->at++;
		node.a = parse_unary(parser);
		parser->depth--;
		return node.a ? add_node(parser, node) : NULL;
	}

	const struct trace_node *result = parse_postfix(parser);

	parser->depth--;
	return result;
}

/*
 * The level says how tightly an operator binds; 0 binds tightest (C11 6.5.5 to 6.5.14). An operator
 * that is the start of another one stands after it.
 */
static const struct {
	const char *text;
	unsigned int level;
} operators[] = {
	{ "<<", 2 }, { ">>", 2 }, { "<=", 3 }, { ">=", 3 }, { "==", 4 }, { "!=", 4 },
	{ "&&", 8 }, { "||", 9 }, { "*", 0 },  { "/", 0 },  { "%", 0 },  { "+", 1 },
	{ "-", 1 },  { "<", 3 },  { ">", 3 },  { "&", 5 },  { "^", 6 },  { "|", 7 },
};
#define OPERATOR_LEVELS 10

/* Takes the next operator if it is of this level. */
static bool take_operator(struct trace_parser *parser, unsigned int level, unsigned int *operation)
{
	for (size_t i = 0; i < COUNT_OF(operators); i++) {
		const char *text = operators[i].text;

		if (!next_is(parser, text))
			continue;
		if (operators[i].level != level)
			return false;
		parser->at += strlen(text);
		*operation = TRACE_OPERATOR((unsigned char)text[0], (unsigned char)text[1]);
		return true;
	}
	return false;
}

/* Parses operators of the `levels` tightest levels; 0: an operand alone. */
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
		node = add_node(parser, (struct trace_node){ .kind = TRACE_BINARY,
							     .operation = operation,
							     .a = node,
							     .b = right });
	}
	return node;
}

/*
 * Parses one expression, up to a ',' or ')' or the end. Returns NULL if it cannot; parser->problem
 * says why.
 */
static const struct trace_node *parse_expression(struct trace_parser *parser)
{
	struct trace_node node = { .kind = TRACE_CONDITION };
	const struct trace_node *result = NULL;

	if (++parser->depth > TRACE_DEPTH_MAX)
		return fail(parser, "it is nested too deeply");
	node.a = parse_binary(parser, OPERATOR_LEVELS);
	if (node.a && !take_char(parser, '?')) {
		result = node.a;
	} else if (node.a) {
		node.b = parse_expression(parser);
		if (node.b && expect_char(parser, ':'))
			node.c = parse_expression(parser);
		result = node.c ? add_node(parser, node) : NULL;
	}
	parser->depth--;
	return result;
}

/* ---- calls of helpers ---- */

/*
 * Parses ", { 0x1, "NAME" }, ..." up to the ')' of the call. Leaves out the end of a table, "{ -1,
 * NULL }".
 */
static bool parse_entries(struct trace_parser *parser, const struct trace_entry **entries)
{
	const struct trace_entry **last = entries;

	while (take_char(parser, ',')) {
		struct trace_entry entry = { 0 };
		const struct trace_node *value;

		if (!expect_char(parser, '{') || !(value = parse_expression(parser)) ||
		    !expect_char(parser, ','))
			return false;
		if (!trace_evaluate_constant(value, &entry.value)) {
			(void)fail(parser, "a value of a table is not a number");
			return false;
		}
		entry.name = take_string(parser);
		if (!entry.name && !take_text(parser, "NULL") &&
		    !take_text(parser, "((void *)0)")) {
			(void)fail(parser, "a value of a table has no name");
			return false;
		}
		if (!expect_char(parser, '}'))
			return false;
		if (entry.name) {
			struct trace_entry *added =
				arena_copy(parser->arena, &entry, sizeof(entry));

			*last = added;
			last = &added->next;
		}
	}
	return true;
}

static bool parse_named_value(struct trace_parser *parser, struct trace_node *node)
{
	node->a = parse_expression(parser);
	if (!node->a)
		return false;
	if (node->kind == TRACE_FLAGS) {
		if (!expect_char(parser, ',') || !(node->text = take_string(parser))) {
			(void)fail(parser, "flags have no delimiter");
			return false;
		}
	}
	return parse_entries(parser, &node->entries);
}

/* Parses two or three expressions. */
static bool parse_arguments(struct trace_parser *parser, struct trace_node *node)
{
	node->a = parse_expression(parser);
	if (!node->a || !expect_char(parser, ',') || !(node->b = parse_expression(parser)))
		return false;
	if (node->kind != TRACE_ARRAY)
		return true;
	return expect_char(parser, ',') && (node->c = parse_expression(parser));
}

static bool parse_dynamic(struct trace_parser *parser, struct trace_node *node)
{
	node->field = take_field(parser);
	if (node->field && !node->field->is_dynamic)
		(void)fail(parser, "field '%s' is not dynamic", node->field->name);
	return !parser->problem->length;
}

/* Parses the arguments of __builtin_expect(); the second only says what is likely. */
static const struct trace_node *parse_builtin_expect(struct trace_parser *parser)
{
	const struct trace_node *node = parse_expression(parser);

	if (!node || !expect_char(parser, ',') || !parse_expression(parser) ||
	    !expect_char(parser, ')'))
		return NULL;
	return node;
}

static const struct trace_node *parse_sizeof(struct trace_parser *parser)
{
	struct trace_node node = { .kind = TRACE_NUMBER, .type = { .size = 8 } };
	struct trace_type type;

	if (!take_type(parser, &type) || !type.size)
		return fail(parser, "the size of a type is not known");
	node.number = type.size;
	return expect_char(parser, ')') ? add_node(parser, node) : NULL;
}

/* The kernel's helpers (include/trace/stages/stage3_trace_output.h). */
static const struct {
	const char *name;
	enum trace_kind kind;
	bool (*parse)(struct trace_parser *parser, struct trace_node *node);
} functions[] = {
	{ "__print_flags", TRACE_FLAGS, parse_named_value },
	{ "__print_flags_u64", TRACE_FLAGS, parse_named_value },
	{ "__print_symbolic", TRACE_SYMBOLIC, parse_named_value },
	{ "__print_symbolic_u64", TRACE_SYMBOLIC, parse_named_value },
	{ "__print_hex", TRACE_HEX, parse_arguments },
	{ "__print_hex_str", TRACE_HEX_STRING, parse_arguments },
	{ "__print_array", TRACE_ARRAY, parse_arguments },
	{ "__get_str", TRACE_DYNAMIC_STRING, parse_dynamic },
	{ "__get_rel_str", TRACE_DYNAMIC_STRING, parse_dynamic },
	{ "__get_dynamic_array", TRACE_DYNAMIC, parse_dynamic },
	{ "__get_rel_dynamic_array", TRACE_DYNAMIC, parse_dynamic },
	{ "__get_dynamic_array_len", TRACE_DYNAMIC_LENGTH, parse_dynamic },
	{ "__get_rel_dynamic_array_len", TRACE_DYNAMIC_LENGTH, parse_dynamic },
	{ "__get_bitmask", TRACE_BITMASK, parse_dynamic },
	{ "__get_rel_bitmask", TRACE_BITMASK, parse_dynamic },
	{ "__get_cpumask", TRACE_BITMASK, parse_dynamic },
	{ "__get_rel_cpumask", TRACE_BITMASK, parse_dynamic },
};

/* Parses the call of a helper, after its name and the '('. */
static const struct trace_node *parse_call(struct trace_parser *parser, const char *name,
					   size_t length)
{
	if (is_word(name, length, "__builtin_expect"))
		return parse_builtin_expect(parser);
	if (is_word(name, length, "sizeof"))
		return parse_sizeof(parser);
	for (size_t i = 0; i < COUNT_OF(functions); i++) {
		struct trace_node node = { .kind = functions[i].kind };

		if (!is_word(name, length, functions[i].name))
			continue;
		return functions[i].parse(parser, &node) && expect_char(parser, ')')
			       ? add_node(parser, node)
			       : NULL;
	}
	return fail(parser, "the function %.*s() is not known", (int)length, name);
}

/* ---- conversions ---- */

/*
 * Extensions of %p: lib/vsprintf.c, pointer(). Others need the kernel's memory. A longer one
 * precedes its prefix.
 */
static const char *const extensions[] = { "S",  "s",   "F",  "f",  "B",  "M",  "m",  "I4",
					  "i4", "I6c", "I6", "i6", "Ub", "UB", "Ul", "UL",
					  "U",  "hC",  "hD", "hN", "h",  "K",  "x",  "" };

struct piece_parser {
	struct trace_parser *parser;
	const char *at;     /* in the format string */
	struct strbuf text; /* before the next conversion */
};

/* Parses the next argument of the call. */
static const struct trace_node *next_argument(struct piece_parser *pieces)
{
	struct trace_parser *parser = pieces->parser;

	if (!take_char(parser, ','))
		return fail(parser, "there are fewer arguments than conversions");
	return parse_expression(parser);
}

/* Takes a width or precision: digits, or a '*' with an argument. */
static bool take_width(struct piece_parser *pieces, int *number, const struct trace_node **argument)
{
	if (*pieces->at == '*') {
		pieces->at++;
		*argument = next_argument(pieces);
		return *argument;
	}
	*number = 0;
	for (; isdigit((unsigned char)*pieces->at); pieces->at++)
		if (*number <= TRACE_WIDTH_MAX)
			*number = 10 * *number + (*pieces->at - '0');
	if (*number > TRACE_WIDTH_MAX)
		(void)fail(pieces->parser, "a column is too wide");
	return *number <= TRACE_WIDTH_MAX;
}

/* Takes the flags, width, precision, length and letter of a conversion after its '%'. */
static bool take_conversion(struct piece_parser *pieces, struct trace_piece *piece)
{
	size_t flags = strspn(pieces->at, "-+ #0");

	if (flags >= sizeof(piece->flags)) {
		(void)fail(pieces->parser, "a conversion has too many flags");
		return false;
	}
	memcpy(piece->flags, pieces->at, flags);
	pieces->at += flags;
	if ((isdigit((unsigned char)*pieces->at) || *pieces->at == '*') &&
	    !take_width(pieces, &piece->width, &piece->width_argument))
		return false;
	if (*pieces->at == '.') {
		pieces->at++;
		if (!take_width(pieces, &piece->precision, &piece->precision_argument))
			return false;
	}
	for (; *pieces->at && strchr("hlLqjzZt", *pieces->at); pieces->at++)
		piece->length = *pieces->at == 'h' ? (piece->length == 'h' ? 'H' : 'h')
				: *pieces->at == 'l' && piece->length != 'l' ? 'l'
				: strchr("zZt", *pieces->at)                 ? 'l'
									     : 'L';
	if (!*pieces->at || !strchr("diuxXoscp", *pieces->at)) {
		(void)fail(pieces->parser, "the conversion %%%.4s is not known", pieces->at);
		return false;
	}
	piece->conversion = *pieces->at++;
	return true;
}

static bool take_extension(struct piece_parser *pieces, struct trace_piece *piece)
{
	for (size_t i = 0; i < COUNT_OF(extensions); i++) {
		size_t length = strlen(extensions[i]);

		if (strncmp(pieces->at, extensions[i], length) != 0)
			continue;
		if (!length && isalnum((unsigned char)*pieces->at))
			break;
		memcpy(piece->extension, extensions[i], length);
		pieces->at += length;
		return true;
	}
	(void)fail(pieces->parser, "the conversion %%p%.4s is not known", pieces->at);
	return false;
}

static void add_piece(struct piece_parser *pieces, struct trace_piece piece)
{
	struct trace_program *program = pieces->parser->program;
	struct trace_piece *all = program->pieces;

	piece.text = arena_strdup(pieces->parser->arena, pieces->text.data);
	strbuf_reset(&pieces->text);
	array_reserve(all, program->count, program->capacity);
	program->pieces = all;
	all[program->count++] = piece;
}

/* Takes one character of the format string, or one conversion with its argument. */
static bool take_piece(struct piece_parser *pieces)
{
	struct trace_piece piece = { .width = -1, .precision = -1 };

	if (*pieces->at != '%' || pieces->at[1] == '%') {
		pieces->at += *pieces->at == '%';
		strbuf_add_char(&pieces->text, *pieces->at++);
		return true;
	}
	pieces->at++;
	if (!take_conversion(pieces, &piece) ||
	    (piece.conversion == 'p' && !take_extension(pieces, &piece)))
		return false;
	piece.argument = next_argument(pieces);
	if (!piece.argument)
		return false;
	add_piece(pieces, piece);
	return true;
}

static void parse_pieces(struct trace_parser *parser)
{
	struct piece_parser pieces = { .parser = parser,
				       .at = take_string(parser),
				       .text = STRBUF_INIT };

	if (!pieces.at)
		(void)fail(parser, "it begins with no string");
	while (pieces.at && *pieces.at && take_piece(&pieces))
		;
	add_piece(&pieces, (struct trace_piece){ 0 });
	strbuf_deinit(&pieces.text);
}

/* Finds the print format, which is the last part of a description. */
static bool find_print_format(const char *format, size_t size, struct trace_parser *parser)
{
	static const char begin[] = "print fmt:";
	const char *found = memmem(format, size, begin, strlen(begin));

	while (found && found != format && found[-1] != '\n') {
		size_t left = size - (size_t)(found + 1 - format);

		found = memmem(found + 1, left, begin, strlen(begin));
	}
	if (!found)
		return false;
	parser->at = found + strlen(begin);
	parser->end = format + size;
	return true;
}

const struct trace_program *trace_program_parse(const char *format, size_t size,
						const struct tracepoint_field *fields,
						size_t field_count, unsigned int long_size,
						struct arena *arena, struct strbuf *problem)
{
	struct trace_program program = { .fields = fields,
					 .field_count = field_count,
					 .long_size = long_size == 4 ? 4 : 8 };
	struct trace_parser parser = { .program = &program, .arena = arena, .problem = problem };
	struct trace_piece *pieces;

	strbuf_reset(problem);
	if (!find_print_format(format, size, &parser)) {
		(void)fail(&parser, "there is none");
		return NULL;
	}
	parse_pieces(&parser);
	pieces = program.pieces;
	program.pieces = arena_copy(arena, pieces, program.count * sizeof(*pieces));
	free(pieces);
	return problem->length ? NULL : arena_copy(arena, &program, sizeof(program));
}
