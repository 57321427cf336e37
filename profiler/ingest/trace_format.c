// SPDX-License-Identifier: GPL-2.0-or-later
/* The print format of an event as conversions with their arguments: see trace_program.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/ingest/trace_program.h"

/* What may stand behind %p, and how much of it is one: lib/vsprintf.c, pointer(). The others need the
 * kernel's memory. */
static const char *const extensions[] = { "S",  "s",   "F",  "f",  "B",  "M",  "m",  "I4",
					  "i4", "I6c", "I6", "i6", "Ub", "UB", "Ul", "UL",
					  "U",  "hC",  "hD", "hN", "h",  "K",  "x",  "" };

struct piece_parser {
	struct trace_parser *parser;
	const char *at;     /* in the format string */
	struct strbuf text; /* before the next conversion */
};

/* The next argument of the call. */
static const struct trace_node *next_argument(struct piece_parser *pieces)
{
	struct trace_parser *parser = pieces->parser;

	if (!trace_parse_take(parser, ','))
		return trace_parse_fail(parser, "there are fewer arguments than conversions");
	return trace_parse_expression(parser);
}

/* Digits, or a '*' with an argument. */
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
	for (size_t i = 0; i < sizeof(extensions) / sizeof(*extensions); i++) {
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
	strbuf_release(&pieces.text);
}

/* The print format is the last thing of a description. */
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
