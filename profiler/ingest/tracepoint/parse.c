// SPDX-License-Identifier: GPL-2.0-or-later
/* The print format of an event, as conversions with expressions by C's grammar: see program.h. */
#include "profiler/ingest/tracepoint/program.h"

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

/* Keeps the first problem. Returns NULL. */
__attribute__((format(printf, 2, 3))) static const void *trace_parse_fail(struct trace_parser *parser,
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

static void trace_parse_blanks(struct trace_parser *parser)
{
	while (parser->at < parser->end && isspace((unsigned char)*parser->at))
		parser->at++;
}

/* Returns whether `text` follows after blanks. */
static bool trace_parse_next_is(struct trace_parser *parser, const char *text)
{
	size_t length = strlen(text);

	trace_parse_blanks(parser);
	return (size_t)(parser->end - parser->at) >= length && !memcmp(parser->at, text, length);
}

/* Takes `text` if it follows; false if not. */
static bool trace_parse_text(struct trace_parser *parser, const char *text)
{
	if (!trace_parse_next_is(parser, text))
		return false;
	parser->at += strlen(text);
	return true;
}

static bool trace_parse_take(struct trace_parser *parser, char character)
{
	return trace_parse_text(parser, (const char[]){ character, '\0' });
}

/* Takes a character; a missing one is a problem. */
static bool trace_parse_expect(struct trace_parser *parser, char character)
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

/* Returns the length of the word that follows, after blanks, or 0. Does not take it. */
static size_t trace_parse_word(struct trace_parser *parser)
{
	size_t length = 0;

	trace_parse_blanks(parser);
	while (parser->at + length < parser->end && is_word_character(parser->at[length]))
		length++;
	return length;
}

static bool trace_is_word(const char *text, size_t length, const char *word)
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

/* Takes one string literal, or several, into the arena; NULL if there is none. */
static const char *trace_parse_string(struct trace_parser *parser)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
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

/* ---- types, of casts and sizes ---- */

/* Words in names of types. The size of "long" depends on the recorded machine. */
static const struct {
	const char *name;
	struct trace_type type;
} type_names[] = {
	{ "char", { 1, true, false, 0, false } },      { "short", { 2, true, false, 0, false } },
	{ "int", { 4, true, false, 0, false } },       { "bool", { 1, false, false, 0, false } },
	{ "_Bool", { 1, false, false, 0, false } },    { "u8", { 1, false, false, 0, false } },
	{ "u16", { 2, false, false, 0, false } },      { "u32", { 4, false, false, 0, false } },
	{ "u64", { 8, false, false, 0, false } },      { "s8", { 1, true, false, 0, false } },
	{ "s16", { 2, true, false, 0, false } },       { "s32", { 4, true, false, 0, false } },
	{ "s64", { 8, true, false, 0, false } },       { "__u8", { 1, false, false, 0, false } },
	{ "__u16", { 2, false, false, 0, false } },    { "__u32", { 4, false, false, 0, false } },
	{ "__u64", { 8, false, false, 0, false } },    { "__s32", { 4, true, false, 0, false } },
	{ "__s64", { 8, true, false, 0, false } },     { "uint8_t", { 1, false, false, 0, false } },
	{ "uint16_t", { 2, false, false, 0, false } }, { "uint32_t", { 4, false, false, 0, false } },
	{ "uint64_t", { 8, false, false, 0, false } }, { "gfp_t", { 4, false, false, 0, false } },
	{ "dev_t", { 4, false, false, 0, false } },    { "pid_t", { 4, true, false, 0, false } },
	{ "sector_t", { 8, false, false, 0, false } }, { "loff_t", { 8, true, false, 0, false } },
	{ "umode_t", { 2, false, false, 0, false } },  { "__le32", { 4, false, false, 0, false } },
};

static bool name_type(const char *word, size_t length, struct trace_type *type)
{
	for (size_t i = 0; i < COUNT_OF(type_names); i++)
		if (trace_is_word(word, length, type_names[i].name)) {
			*type = type_names[i].type;
			return true;
		}
	return false;
}

static void take_type_word(struct trace_parser *parser, size_t length, unsigned int *longs, bool *is_unsigned,
			   struct trace_type *type)
{
	const char *word = parser->at;
	struct trace_type named;

	if (trace_is_word(word, length, "unsigned"))
		*is_unsigned = true;
	else if (trace_is_word(word, length, "long"))
		(*longs)++;
	else if (trace_is_word(word, length, "size_t") || trace_is_word(word, length, "ino_t"))
		*type = (struct trace_type){ .size = (uint8_t)parser->program->long_size };
	else if (trace_is_word(word, length, "enum"))
		*type = (struct trace_type){ .size = 4, .is_signed = true };
	else if (name_type(word, length, &named) && !(*longs && named.size == 4))
		*type = named;
	parser->at += length;
}

/*
 * Takes a type such as "unsigned long *" up to a ')'. Returns false, and takes nothing, if it is
 * not a type.
 */
static bool trace_parse_type(struct trace_parser *parser, struct trace_type *type)
{
	const char *begin = parser->at;
	unsigned int longs = 0, stars = 0, words = 0;
	bool is_unsigned = false;
	size_t length;

	*type = (struct trace_type){ 0 };
	while ((length = trace_parse_word(parser)) && !isdigit((unsigned char)*parser->at) &&
	       !trace_is_word(parser->at, length, "REC")) {
		take_type_word(parser, length, &longs, &is_unsigned, type);
		words++;
	}
	while (words && trace_parse_take(parser, '*'))
		stars++;
	if (!words || !trace_parse_next_is(parser, ")")) {
		parser->at = begin;
		return false;
	}
	if (longs)
		*type = (struct trace_type){ .size = longs > 1 ? 8 : (uint8_t)parser->program->long_size,
					     .is_signed = true };
	else if (is_unsigned && !type->size)
		*type = (struct trace_type){ .size = 4 };
	if (is_unsigned)
		type->is_signed = false;
	if (stars)
		*type = (struct trace_type){ .size = (uint8_t)parser->program->long_size,
					     .is_pointer = true,
					     .element_size = stars > 1 ? (uint8_t)parser->program->long_size
								       : type->size,
					     .element_signed = stars == 1 && type->is_signed };
	return true;
}

/* ---- expressions ---- */

static const struct trace_node *trace_parse_expression(struct trace_parser *parser);
static const struct trace_node *trace_parse_call(struct trace_parser *parser, const char *name,
						 size_t length);

static unsigned int depth_of(const struct trace_node *node)
{
	return node ? node->depth + 1 : 0;
}

/* Copies a node into the arena. */
static const struct trace_node *trace_parse_add(struct trace_parser *parser, struct trace_node node)
{
	const struct trace_node *below[] = { node.a, node.b, node.c };

	for (size_t i = 0; i < 3; i++)
		if (depth_of(below[i]) > node.depth)
			node.depth = depth_of(below[i]);
	if (node.depth > TRACE_DEPTH)
		return trace_parse_fail(parser, "it is nested too deeply");
	return arena_copy(parser->arena, &node, sizeof(node));
}

/*
 * By C's rules: a number that does not fit an int is longer, and hexadecimal ones may be unsigned.
 */
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

/* Takes the name of a field. */
static const struct tracepoint_field *trace_parse_field(struct trace_parser *parser)
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

/* Parses a cast, or an expression in parentheses. */
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

/*
 * The level says how tightly an operator binds; 0 binds tightest. An operator that is the start of
 * another follows it.
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

static bool take_operator(struct trace_parser *parser, unsigned int level, unsigned int *operation)
{
	for (size_t i = 0; i < COUNT_OF(operators); i++) {
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

/*
 * Parses one expression, up to a ',' or ')' or the end. Returns NULL if it cannot; parser->problem
 * says why.
 */
static const struct trace_node *trace_parse_expression(struct trace_parser *parser)
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

/* ---- calls of helpers ---- */

/*
 * Parses ", { 0x1, "NAME" }, ..." up to the ')' of the call. Leaves out the end of a table, "{ -1,
 * NULL }".
 */
static bool parse_entries(struct trace_parser *parser, const struct trace_entry **entries)
{
	const struct trace_entry **last = entries;

	while (trace_parse_take(parser, ',')) {
		struct trace_entry entry = { 0 };
		const struct trace_node *value;

		if (!trace_parse_expect(parser, '{') || !(value = trace_parse_expression(parser)) ||
		    !trace_parse_expect(parser, ','))
			return false;
		if (!trace_evaluate_constant(value, &entry.value)) {
			(void)trace_parse_fail(parser, "a value of a table is no number");
			return false;
		}
		entry.name = trace_parse_string(parser);
		if (!entry.name && !trace_parse_text(parser, "NULL") &&
		    !trace_parse_text(parser, "((void *)0)")) {
			(void)trace_parse_fail(parser, "a value of a table has no name");
			return false;
		}
		if (!trace_parse_expect(parser, '}'))
			return false;
		if (entry.name) {
			struct trace_entry *added = arena_copy(parser->arena, &entry, sizeof(entry));

			*last = added;
			last = &added->next;
		}
	}
	return true;
}

static bool parse_named_value(struct trace_parser *parser, struct trace_node *node)
{
	node->a = trace_parse_expression(parser);
	if (!node->a)
		return false;
	if (node->kind == TRACE_FLAGS) {
		if (!trace_parse_expect(parser, ',') || !(node->text = trace_parse_string(parser))) {
			(void)trace_parse_fail(parser, "flags have no delimiter");
			return false;
		}
	}
	return parse_entries(parser, &node->entries);
}

/* Parses two or three expressions. */
static bool parse_arguments(struct trace_parser *parser, struct trace_node *node)
{
	node->a = trace_parse_expression(parser);
	if (!node->a || !trace_parse_expect(parser, ',') || !(node->b = trace_parse_expression(parser)))
		return false;
	if (node->kind != TRACE_ARRAY)
		return true;
	return trace_parse_expect(parser, ',') && (node->c = trace_parse_expression(parser));
}

static bool parse_dynamic(struct trace_parser *parser, struct trace_node *node)
{
	node->field = trace_parse_field(parser);
	if (node->field && !node->field->is_dynamic)
		(void)trace_parse_fail(parser, "field '%s' is no dynamic one", node->field->name);
	return !parser->problem->length;
}

/* Parses the arguments of __builtin_expect(); the second only says what is likely. */
static const struct trace_node *parse_expectation(struct trace_parser *parser)
{
	const struct trace_node *node = trace_parse_expression(parser);

	if (!node || !trace_parse_expect(parser, ',') || !trace_parse_expression(parser) ||
	    !trace_parse_expect(parser, ')'))
		return NULL;
	return node;
}

static const struct trace_node *parse_size(struct trace_parser *parser)
{
	struct trace_node node = { .kind = TRACE_NUMBER, .type = { .size = 8 } };
	struct trace_type type;

	if (!trace_parse_type(parser, &type) || !type.size)
		return trace_parse_fail(parser, "the size of a type is not known");
	node.number = type.size;
	return trace_parse_expect(parser, ')') ? trace_parse_add(parser, node) : NULL;
}

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
static const struct trace_node *trace_parse_call(struct trace_parser *parser, const char *name, size_t length)
{
	if (trace_is_word(name, length, "__builtin_expect"))
		return parse_expectation(parser);
	if (trace_is_word(name, length, "sizeof"))
		return parse_size(parser);
	for (size_t i = 0; i < COUNT_OF(functions); i++) {
		struct trace_node node = { .kind = functions[i].kind };

		if (!trace_is_word(name, length, functions[i].name))
			continue;
		return functions[i].parse(parser, &node) && trace_parse_expect(parser, ')')
			       ? trace_parse_add(parser, node)
			       : NULL;
	}
	return trace_parse_fail(parser, "the function %.*s() is not known", (int)length, name);
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

	if (!trace_parse_take(parser, ','))
		return trace_parse_fail(parser, "there are fewer arguments than conversions");
	return trace_parse_expression(parser);
}

/* Takes a width or precision: digits, or a '*' with an argument. */
static bool take_measure(struct piece_parser *pieces, int *number, const struct trace_node **argument)
{
	if (*pieces->at == '*') {
		pieces->at++;
		*argument = next_argument(pieces);
		return *argument;
	}
	*number = 0;
	for (; isdigit((unsigned char)*pieces->at); pieces->at++)
		if (*number <= 1000)
			*number = 10 * *number + (*pieces->at - '0');
	if (*number > 1000)
		(void)trace_parse_fail(pieces->parser, "a column is too wide");
	return *number <= 1000;
}

static bool take_conversion(struct piece_parser *pieces, struct trace_piece *piece)
{
	size_t flags = strspn(pieces->at, "-+ #0");

	if (flags >= sizeof(piece->flags)) {
		(void)trace_parse_fail(pieces->parser, "a conversion has too many flags");
		return false;
	}
	memcpy(piece->flags, pieces->at, flags);
	pieces->at += flags;
	if ((isdigit((unsigned char)*pieces->at) || *pieces->at == '*') &&
	    !take_measure(pieces, &piece->width, &piece->width_argument))
		return false;
	if (*pieces->at == '.') {
		pieces->at++;
		if (!take_measure(pieces, &piece->precision, &piece->precision_argument))
			return false;
	}
	for (; *pieces->at && strchr("hlLqjzZt", *pieces->at); pieces->at++)
		piece->length = *pieces->at == 'h' ? (piece->length == 'h' ? 'H' : 'h')
				: *pieces->at == 'l' && piece->length != 'l' ? 'l'
				: strchr("zZt", *pieces->at)                 ? 'l'
									     : 'L';
	if (!*pieces->at || !strchr("diuxXoscp", *pieces->at)) {
		(void)trace_parse_fail(pieces->parser, "the conversion %%%.4s is not known", pieces->at);
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
	(void)trace_parse_fail(pieces->parser, "the conversion %%p%.4s is not known", pieces->at);
	return false;
}

static void add_piece(struct piece_parser *pieces, struct trace_piece piece)
{
	struct trace_program *program = pieces->parser->program;
	struct trace_piece *all = program->pieces;

	piece.text = arena_strdup(pieces->parser->arena, pieces->text.length ? pieces->text.data : "");
	strbuf_reset(&pieces->text);
	array_reserve(all, program->count, program->capacity);
	program->pieces = all;
	all[program->count++] = piece;
}

static bool take_piece(struct piece_parser *pieces)
{
	struct trace_piece piece = { .width = -1, .precision = -1 };

	if (*pieces->at != '%' || pieces->at[1] == '%') {
		pieces->at += *pieces->at == '%';
		strbuf_add_char(&pieces->text, *pieces->at++);
		return true;
	}
	pieces->at++;
	if (!take_conversion(pieces, &piece) || (piece.conversion == 'p' && !take_extension(pieces, &piece)))
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
				       .at = trace_parse_string(parser),
				       .text = STRBUF_INIT };

	if (!pieces.at)
		(void)trace_parse_fail(parser, "it begins with no string");
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
						const struct tracepoint_field *fields, size_t field_count,
						unsigned int long_size, struct arena *arena,
						struct strbuf *problem)
{
	struct trace_program program = { .fields = fields,
					 .field_count = field_count,
					 .long_size = long_size == 4 ? 4 : 8 };
	struct trace_parser parser = { .program = &program, .arena = arena, .problem = problem };
	struct trace_piece *pieces;

	strbuf_reset(problem);
	if (!find_print_format(format, size, &parser)) {
		(void)trace_parse_fail(&parser, "there is none");
		return NULL;
	}
	parse_pieces(&parser);
	pieces = program.pieces;
	program.pieces = arena_copy(arena, pieces, program.count * sizeof(*pieces));
	free(pieces);
	return problem->length ? NULL : arena_copy(arena, &program, sizeof(program));
}
