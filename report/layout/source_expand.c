// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Expands the macros that the sources define, so that the patterns of source.h also see what a
 * macro makes of its arguments.
 *
 * The expanded text has the tokens of the source without directives, and each invocation replaced
 * by the macro's body. Each of its tokens has an origin: the token of the source itself, one that
 * was an argument, or the macro's name where the body put it there. Of several definitions of a
 * name, the last one above in the same file counts, else the first one of another file; conditions
 * are not evaluated, and #undef has no effect. Macros of the system are not expanded, nor are
 * those that find a record by a member's name, which are places of their own.
 */
#include "report/layout/source_scan.h"

#include "base/strbuf.h"

#define EXPANSION_DEPTH_MAX 24                  /* of macros within macros */
#define EXPANSION_MAX       (UINT32_C(1) << 22) /* tokens; larger files are not expanded */
#define PARAMETERS_MAX      64
#define DEFINITIONS_MAX     64 /* of one name */

struct source_macro {
	const struct source_text *source; /* that has the definition */
	size_t directive;
	struct source_text text; /* "NAME(a, b) body" */
	size_t body;             /* token of `text` */
	size_t parameters;       /* the first is token 2, the next one two further */
	bool is_function, is_variadic;
};

struct source_macros {
	struct source_macro *items;
	size_t count, capacity;
	struct hash_index by_name;
};

/* A token that is being expanded. */
struct macro_token {
	const char *text;
	uint32_t length, hash;
	struct source_origin origin;
	uint8_t kind; /* enum source_token_kind */
	bool begins_line;
};

struct macro_tokens {
	struct macro_token *items;
	size_t count, capacity;
};

struct expander {
	const struct source_macros *macros;
	const struct source_text *source;
	const struct source_macro *active[EXPANSION_DEPTH_MAX];
	size_t depth;
	uint32_t left; /* tokens, of EXPANSION_MAX */
	bool expanded;
	struct arena arena;
};

/* ---- definitions ---- */

/* Reads "NAME(a, b" from `text`. Returns false if it is no definition of a macro. */
static bool read_parameters(struct source_macro *macro)
{
	const struct source_text *text = &macro->text;
	size_t close;
	bool rest;

	if (!source_is_word(text, 0))
		return false;
	macro->body = 1;
	macro->is_function =
		source_is_sign(text, 1, '(') && text->tokens[1].start == source_token_end(text, 0);
	if (!macro->is_function)
		return true;
	close = source_closing(text, 1);
	if (close == text->count)
		return false;
	/* the last one of "(a, b...)" has a name, and takes the rest */
	rest = source_is_sign(text, close - 1, '.');
	macro->is_variadic = rest && !source_is_word(text, close - 4);
	macro->parameters = rest ? (close - 4) / 2 : (close - 1) / 2;
	macro->body = close + 1;
	return macro->parameters < PARAMETERS_MAX;
}

struct source_macros *source_macros_create(const struct source_text *sources, size_t count)
{
	struct source_macros *macros = xcalloc(1, sizeof(*macros));

	array_each (const struct source_text, source, sources, count) {
		for (size_t i = 0; i < source->count; i++) {
			struct source_macro macro = { .source = source, .directive = i };
			size_t count_same;
			const char *text = source->text + source->tokens[i].start + 1,
				   *end = source->text + source_token_end(source, i);

			if (source->tokens[i].kind != TOKEN_DIRECTIVE)
				continue;
			text += strspn(text, " \t");
			if (end - text < 7 || memcmp(text, "define", 6) != 0)
				continue;
			source_text_init(&macro.text, source->path, text + 6,
					 (size_t)(end - text) - 6);
			if (!read_parameters(&macro) || source_finds_by_name(&macro.text, 0)) {
				source_text_deinit(&macro.text);
				continue;
			}
			count_same = 0;
			hash_index_each (k, &macros->by_name, macro.text.tokens[0].hash)
				count_same++;
			if (count_same >= DEFINITIONS_MAX) {
				source_text_deinit(&macro.text);
				continue;
			}
			hash_index_add(&macros->by_name, macro.text.tokens[0].hash,
				       (uint32_t)macros->count);
			array_add(macros->items, macros->count, macros->capacity) = macro;
		}
	}
	return macros;
}

void source_macros_destroy(struct source_macros *macros)
{
	if (!macros)
		return;
	for (size_t i = 0; i < macros->count; i++)
		source_text_deinit(&macros->items[i].text);
	hash_index_deinit(&macros->by_name);
	free_all(macros->items, macros);
}

static struct macro_token piece_of(const struct source_text *text, size_t number,
				   struct source_origin origin)
{
	const struct source_token *token = &text->tokens[number];

	return (struct macro_token){ .text = text->text + token->start,
				     .length = token->length,
				     .hash = token->kind == TOKEN_WORD ? token->hash : 0,
				     .origin = origin,
				     .kind = token->kind };
}

void source_macros_relate(struct finder *finder)
{
	/* a macro that uses another one may come before it */
	for (int i = 0; i < 2; i++) {
		array_each (const struct source_macro, macro, finder->macros->items,
			    finder->macros->count) {
			const struct source_text *text = &macro->text;

			if (any_of(k, macro->body, text->count,
				   source_is_word(text, k) &&
					   source_has_bit(finder->related, text->tokens[k].hash)))
				source_set_bit(finder->related, text->tokens[0].hash);
		}
	}
}

static bool piece_is(const struct macro_token *piece, const struct source_text *text, size_t number)
{
	return piece->length == text->tokens[number].length &&
	       !memcmp(piece->text, text->text + text->tokens[number].start, piece->length);
}

bool source_macros_have(const struct source_macros *macros, const struct source_text *source,
			size_t word)
{
	const struct macro_token name =
		source_is_word(source, word) ? piece_of(source, word, (struct source_origin){ 0 })
					     : (struct macro_token){ 0 };

	hash_index_each (i, &macros->by_name, name.hash)
		if (piece_is(&name, &macros->items[i].text, 0))
			return true;
	return false;
}

/* Returns the definition that counts for a name, or NULL. */
static const struct source_macro *macro_named(const struct expander *expander,
					      const struct macro_token *name)
{
	const struct source_macro *best = NULL;

	if (name->kind != TOKEN_WORD || expander->depth == EXPANSION_DEPTH_MAX)
		return NULL;
	hash_index_each (i, &expander->macros->by_name, name->hash) {
		const struct source_macro *macro = &expander->macros->items[i];
		bool above = macro->source == expander->source &&
			     macro->source->tokens[macro->directive].start < name->origin.at,
		     better = best && best->source == expander->source;

		if (!piece_is(name, &macro->text, 0))
			continue;
		if (any_of(k, 0, expander->depth,
			   expander->active[k]->text.text == macro->text.text))
			return NULL;
		if (!best || (above && (!better || best->directive < macro->directive)) ||
		    (!above && !better && macro < best))
			best = macro;
	}
	return best;
}

/* ---- expansion ---- */

static void add_piece(struct expander *expander, struct macro_tokens *pieces,
		      struct macro_token piece)
{
	if (!expander->left)
		return;
	expander->left--;
	array_add(pieces->items, pieces->count, pieces->capacity) = piece;
}

static bool piece_is_sign(const struct macro_token *piece, char sign)
{
	return piece->kind == TOKEN_SIGN && piece->length == 1 && *piece->text == sign;
}

static void expand(struct expander *expander, const struct macro_token *pieces, size_t count,
		   struct macro_tokens *result);

/* The arguments of an invocation: pieces [firsts[i], firsts[i + 1] - 1). */
struct macro_call {
	const struct macro_token *pieces;
	size_t firsts[PARAMETERS_MAX + 2], count;
	size_t close; /* the bracket */
};

/* Reads the arguments from the bracket `open` on. Returns false if it is not closed. */
static bool read_call(const struct source_macro *macro, const struct macro_token *pieces,
		      size_t open, size_t count, struct macro_call *call)
{
	size_t depth = 0, most = macro->parameters + macro->is_variadic;

	*call = (struct macro_call){ .pieces = pieces, .firsts = { open + 1 }, .count = 1 };
	for (size_t i = open; i < count; i++) {
		depth += piece_is_sign(&pieces[i], '(');
		depth -= piece_is_sign(&pieces[i], ')');
		if (!depth) {
			call->close = i;
			call->firsts[call->count] = i + 1;
			return true;
		}
		if (depth == 1 && piece_is_sign(&pieces[i], ',') && call->count < most)
			call->firsts[call->count++] = i + 1;
	}
	return false;
}

/* Returns the number of the parameter that a token of the body is, or SIZE_MAX. */
static size_t parameter_at(const struct source_macro *macro, size_t number)
{
	const struct source_text *text = &macro->text;
	struct macro_token piece = piece_of(text, number, (struct source_origin){ 0 });

	if (piece.kind != TOKEN_WORD)
		return SIZE_MAX;
	if (macro->is_variadic && source_token_is(text, number, "__VA_ARGS__"))
		return macro->parameters;
	for (size_t i = 0; i < macro->parameters; i++)
		if (piece_is(&piece, text, 2 + 2 * i))
			return i;
	return SIZE_MAX;
}

/* Appends an argument, with its macros expanded unless it is pasted. */
static void add_argument(struct expander *expander, const struct macro_call *call, size_t number,
			 bool pasted, struct macro_tokens *result)
{
	size_t first, end, from = result->count;

	if (number >= call->count)
		return;
	first = call->firsts[number];
	end = call->firsts[number + 1] - 1;
	if (!pasted) {
		expand(expander, call->pieces + first, end - first, result);
	} else {
		for (size_t i = first; i < end; i++)
			add_piece(expander, result, call->pieces[i]);
	}
	for (size_t i = from; i < result->count; i++)
		if (result->items[i].origin.kind == ORIGIN_TEXT)
			result->items[i].origin.kind = ORIGIN_ARGUMENT;
}

/* Joins the pieces on both sides of "##", the second of which is number `second`. */
static void paste(struct expander *expander, struct macro_tokens *pieces, size_t second)
{
	struct macro_token *to = &pieces->items[second - 1], *from = &pieces->items[second];

	to->text = arena_format(&expander->arena, "%.*s%.*s", (int)to->length, to->text,
				(int)from->length, from->text);
	to->length += from->length;
	to->hash = source_hash_word(to->text, to->length);
	to->origin.kind = ORIGIN_PASTED;
	memmove(from, from + 1, (--pieces->count - second) * sizeof(*from));
}

/* Returns whether "##" begins at a token. */
static bool is_paste(const struct source_text *text, size_t number)
{
	return source_is_sign(text, number, '#') && source_is_sign(text, number + 1, '#');
}

/* Appends the body with the arguments in place of the parameters. */
static void substitute(struct expander *expander, const struct source_macro *macro,
		       const struct macro_call *call, uint32_t at, struct macro_tokens *result)
{
	const struct source_text *text = &macro->text;
	bool pastes = false;

	for (size_t i = macro->body; i < text->count; i++) {
		size_t parameter = macro->is_function ? parameter_at(macro, i) : SIZE_MAX,
		       from = result->count;
		struct macro_token piece =
			piece_of(text, i, (struct source_origin){ at, ORIGIN_BODY });

		if (source_is_sign(text, i, '\\'))
			continue;
		if (is_paste(text, i)) {
			pastes = result->count > 0;
			i++;
			continue;
		}
		if (parameter != SIZE_MAX) {
			add_argument(expander, call, parameter, pastes || is_paste(text, i + 1),
				     result);
		} else if (macro->is_function && source_is_sign(text, i, '#')) {
			piece.text = "\"\"";
			piece.length = 2;
			piece.kind = TOKEN_TEXT;
			add_piece(expander, result, piece);
			i++;
		} else {
			add_piece(expander, result, piece);
		}
		if (pastes && from && result->count > from)
			paste(expander, result, from);
		pastes = false;
	}
}

/* Appends the pieces, with each invocation of a macro replaced. */
static void expand(struct expander *expander, const struct macro_token *pieces, size_t count,
		   struct macro_tokens *result)
{
	for (size_t i = 0; i < count && expander->left; i++) {
		const struct source_macro *macro = macro_named(expander, &pieces[i]);
		struct macro_call call = { .close = i };
		struct macro_tokens body = { 0 };

		if (!macro ||
		    (macro->is_function && (i + 1 == count || !piece_is_sign(&pieces[i + 1], '(') ||
					    !read_call(macro, pieces, i + 1, count, &call)))) {
			add_piece(expander, result, pieces[i]);
			continue;
		}
		expander->expanded = true;
		substitute(expander, macro, &call, pieces[i].origin.at, &body);
		expander->active[expander->depth++] = macro;
		expand(expander, body.items, body.count, result);
		expander->depth--;
		free(body.items);
		i = call.close;
	}
}

/* Writes the pieces with blanks between them, so that they are the same tokens. */
static void write_pieces(const struct macro_tokens *pieces, struct strbuf *text)
{
	array_each (const struct macro_token, piece, pieces->items, pieces->count) {
		/* a brace in the first column ends a function, and a line an open constant */
		bool open = piece > pieces->items && piece[-1].kind == TOKEN_TEXT;

		if (open || piece->begins_line)
			strbuf_add_char(text, '\n');
		if (!piece->begins_line)
			strbuf_add_char(text, ' ');
		strbuf_add(text, piece->text, piece->length);
	}
}

bool source_expansion_init(struct source_expansion *expansion, const struct source_macros *macros,
			   const struct source_text *source)
{
	struct expander expander = { .macros = macros, .source = source, .left = EXPANSION_MAX };
	struct macro_tokens pieces = { 0 }, result = { 0 };
	struct strbuf text = STRBUF_INIT;

	*expansion = (struct source_expansion){ 0 };
	for (size_t i = 0; i < source->count; i++) {
		uint32_t start = source->tokens[i].start;
		struct macro_token piece =
			piece_of(source, i, (struct source_origin){ start, ORIGIN_TEXT });

		piece.begins_line = start && source->text[start - 1] == '\n';
		if (piece.kind != TOKEN_DIRECTIVE)
			array_add(pieces.items, pieces.count, pieces.capacity) = piece;
	}
	expand(&expander, pieces.items, pieces.count, &result);
	if (expander.expanded && expander.left) {
		write_pieces(&result, &text);
		expansion->origins = xcalloc(result.count + 1, sizeof(*expansion->origins));
		for (size_t i = 0; i < result.count; i++)
			expansion->origins[i] = result.items[i].origin;
		expansion->bytes = strbuf_detach(&text);
		source_text_init(&expansion->text, source->path, expansion->bytes,
				 strlen(expansion->bytes));
	}
	free_all(pieces.items, result.items);
	arena_deinit(&expander.arena);
	return expansion->text.count == result.count && expansion->origins;
}

void source_expansion_deinit(struct source_expansion *expansion)
{
	source_text_deinit(&expansion->text);
	free_all(expansion->bytes, expansion->origins);
}
