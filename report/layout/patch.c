// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements patch.h.
 *
 * The body of the declaration is cut into statements and directives (cut_body()), each statement is
 * matched with the members that debug information has (match_statements()), statements are joined
 * into units that move as one (make_units()), and the units are written in the new order
 * (write_body()). The diff compares lines, so the file is otherwise untouched.
 */
#include "report/layout/patch.h"

#include <inttypes.h>

#include "base/text.h"
#include "base/type_name.h"

#define STATEMENTS_MAX 3000 /* of one record; larger ones are generated */
#define NAMES_MAX      32   /* declarators of one statement */
#define CONTEXT        3    /* lines */
#define LINES_MAX      6000 /* longer bodies are replaced as a whole */
#define NO_UNIT        UINT32_MAX

/* A part of a statement that declares one member. */
struct declarator {
	size_t first, end, name; /* tokens; name: source->count if it has none */
};

/* A member declaration of the source, or a directive between them. */
struct patch_statement {
	size_t first, end;      /* tokens, with the semicolon */
	size_t start, text_end; /* bytes: with the comments before and after it */
	bool directive;
	bool defines;   /* "#define", which comes first: a member may use it */
	uint32_t group; /* number of the outermost #if around it, from 1 on; 0: none */
	struct declarator declarators[NAMES_MAX];
	size_t declarator_count;
	size_t declared; /* index of its first member in type->declared */
	bool compiled;   /* debug information has its members */
	bool by_macro;   /* "MACRO(16, type, name)[4];": its type is not in the text */
};

/* The outermost #if ... #endif. */
struct patch_group {
	size_t first, last; /* statements: its #if and its #endif */
	bool whole;         /* it has an #else, or an #if within, so its members stay together */
	bool compiled;      /* it has members in the debug information */
};

/* Text that moves as one. */
struct patch_unit {
	uint32_t group;            /* the group whose #if is written around it; 0: none */
	size_t start, end;         /* bytes of the text, or of the source if it is NULL */
	char *text;                /* of one declarator that left its statement */
	size_t insert;             /* byte where an alignment is written */
	size_t suffix, suffix_end; /* bytes of text that is not compiled and stays after it */
};

struct patcher {
	const struct advice_type *type;
	const struct advice_proposal *proposal;
	const struct advice_machine *machine;
	const struct source_text *source;
	size_t open, close; /* braces */
	struct patch_statement *statements;
	size_t count, capacity;
	struct patch_group *groups; /* [0] is not used */
	size_t group_count, group_capacity;
	struct patch_unit *units;
	size_t unit_count, unit_capacity;
	uint32_t *unit_of; /* of each member */
	struct strbuf *why;
};

static bool fail(struct patcher *patcher, size_t token, const char *reason)
{
	strbuf_add_format(patcher->why, "%s (line %u of %s)", reason,
			  source_line_of(patcher->source, token), patcher->source->path);
	return false;
}

/* ---- finding the declaration ---- */

/* Returns the brace that opens the body after "struct tag" and its attributes, or source->count. */
static size_t body_after(const struct source_text *source, size_t number)
{
	for (int i = 0; i < 4 && number < source->count; i++) {
		if (source_is_sign(source, number, '{'))
			return number;
		if (!source_is_word(source, number))
			break;
		number++;
		if (source_is_sign(source, number, '('))
			number = source_closing(source, number) + 1;
	}
	return source->count;
}

/* Returns whether the record that ends with the brace `close` is a typedef of this name. */
static bool has_typedef_name(const struct source_text *source, size_t close, const char *name)
{
	return any_of(i, close + 1, source_find_sign(source, close + 1, ';'),
		      source_token_is(source, i, name));
}

/* Finds the braces of the record's declaration. Exactly one declaration may begin near the line. */
static bool find_declaration(struct patcher *patcher)
{
	const struct source_text *source = patcher->source;
	const struct advice_type *type = patcher->type;
	const char *tag = type_name_last_part(type->tag);
	size_t found = 0, at = 0;

	for (size_t i = 0; i < source->count; i++) {
		unsigned int line;
		size_t open;

		if (!source_is_one_of(source, i, "struct class"))
			continue;
		open = body_after(source, i + 1);
		if (open == source->count)
			continue;
		if (!type->is_typedef && !source_token_is(source, i + 1, tag))
			continue;
		if (type->is_typedef &&
		    !has_typedef_name(source, source_closing(source, open), tag))
			continue;
		/* compilers give the line of the keyword, or of the tag */
		line = source_line_of(source, i);
		if (type->source.line < line || type->source.line > source_line_of(source, open))
			continue;
		found++;
		at = open;
	}
	if (found != 1) {
		strbuf_add_format(patcher->why, "%s does not declare %s in line %u", source->path,
				  type->name, type->source.line);
		return false;
	}
	patcher->open = at;
	patcher->close = source_closing(source, at);
	if (patcher->close == source->count)
		return fail(patcher, at, "the declaration does not end");
	return true;
}

/* ---- statements ---- */

/* Returns the column of a byte, with tabs of eight. */
static size_t column_of(const struct source_text *source, size_t at)
{
	size_t start = at, column = 0;

	while (start && source->text[start - 1] != '\n')
		start--;
	for (; start < at; start++)
		column = source->text[start] == '\t' ? (column + 8) / 8 * 8 : column + 1;
	return column;
}

static size_t patch_skip_blanks(const struct source_text *source, size_t at, size_t limit)
{
	while (at < limit &&
	       (source->text[at] == ' ' || source->text[at] == '\t' || source->text[at] == '\r'))
		at++;
	return at;
}

/* Returns where the text ends that belongs to the line that ends at `at`: comments that begin in
 * the line, its newline, and following lines with nothing but a comment that is indented deeper
 * than `column`. */
static size_t line_end(const struct source_text *source, size_t at, size_t limit, size_t column)
{
	size_t end = at;

	for (;;) {
		size_t next = patch_skip_blanks(source, end, limit),
		       after = source_skip_comment(source->text, limit, next);
		if (after == next)
			break;
		end = after;
	}
	end = patch_skip_blanks(source, end, limit);
	if (end >= limit || source->text[end] != '\n')
		return end;
	end++;
	for (;;) {
		size_t next = patch_skip_blanks(source, end, limit),
		       after = source_skip_comment(source->text, limit, next);

		if (after == next || column_of(source, next) < column + 4)
			return end;
		after = patch_skip_blanks(source, after, limit);
		if (after >= limit || source->text[after] != '\n')
			return end;
		end = after + 1;
	}
}

/* Returns the name of a directive, without "#" and blanks. */
static const char *directive_name(const struct source_text *source, size_t token)
{
	const char *text = source->text + source->tokens[token].start + 1;

	return text + strspn(text, " \t");
}

static bool directive_is(const struct source_text *source, size_t token, const char *prefix)
{
	return !strncmp(directive_name(source, token), prefix, strlen(prefix));
}

static struct patch_statement *new_statement(struct patcher *patcher)
{
	array_reserve(patcher->statements, patcher->count, patcher->capacity);
	patcher->statements[patcher->count] = (struct patch_statement){ 0 };
	return &patcher->statements[patcher->count++];
}

/* Tracks the nesting of #if ... #endif. Returns false for all other directives. */
static bool enter_directive(struct patcher *patcher, size_t token, size_t *depth)
{
	const struct source_text *source = patcher->source;
	size_t number = patcher->count - 1;
	struct patch_group *group;

	if (directive_is(source, token, "if")) {
		if (!*depth) {
			array_add(patcher->groups, patcher->group_count, patcher->group_capacity) =
				(struct patch_group){ .first = number };
		} else {
			patcher->groups[patcher->group_count - 1].whole = true;
		}
		(*depth)++;
	} else if (!*depth ||
		   !(directive_is(source, token, "el") || directive_is(source, token, "endif"))) {
		return false;
	}
	group = &patcher->groups[patcher->group_count - 1];
	patcher->statements[number].group = (uint32_t)patcher->group_count - 1;
	if (directive_is(source, token, "el"))
		group->whole = true;
	if (directive_is(source, token, "endif") && !--*depth)
		group->last = number;
	return true;
}

/* Cuts the text between the braces into statements. */
static bool cut_body(struct patcher *patcher)
{
	const struct source_text *source = patcher->source;
	size_t depth = 0, limit = source->tokens[patcher->close].start,
	       start = line_end(source, source_token_end(source, patcher->open), limit,
				SIZE_MAX - 8);

	array_add(patcher->groups, patcher->group_count, patcher->group_capacity) =
		(struct patch_group){ 0 };
	for (size_t i = patcher->open + 1; i < patcher->close;) {
		struct patch_statement *statement = new_statement(patcher);
		size_t end = i;

		if (patcher->count > STATEMENTS_MAX)
			return fail(patcher, i, "it has too many members");
		statement->first = i;
		statement->start = start;
		statement->directive = source->tokens[i].kind == TOKEN_DIRECTIVE;
		if (statement->directive) {
			statement->defines = !enter_directive(patcher, i, &depth);
			if (statement->defines && (depth || !directive_is(source, i, "define")))
				return fail(patcher, i, "a directive stands between the members");
		} else {
			while (end < patcher->close && !source_is_sign(source, end, ';')) {
				if (source->tokens[end].kind == TOKEN_DIRECTIVE)
					return fail(patcher, end, "an #if divides a member");
				if (source_is_sign_of(source, end, "{(["))
					end = source_closing(source, end);
				end++;
			}
			if (end >= patcher->close)
				return fail(patcher, i, "a member does not end");
			statement->group = depth ? (uint32_t)patcher->group_count - 1 : 0;
		}
		statement->end = end + 1;
		start = line_end(source, source_token_end(source, end), limit,
				 column_of(source, source->tokens[i].start));
		statement->text_end = start;
		i = end + 1;
	}
	return !depth || fail(patcher, patcher->open, "an #if does not end");
}

/* ---- members ---- */

/* Returns whether the token begins an attribute, and sets *end to the token after it. */
static bool is_attribute(const struct source_text *source, size_t at, size_t *end)
{
	if (!source_is_one_of(source, at, "__attribute__ _Alignas alignas"))
		return false;
	*end = source_is_sign(source, at + 1, '(') ? source_closing(source, at + 1) + 1 : at + 1;
	return true;
}

/* Returns whether "::" begins at the token; a single ':' is that of a bit-field. */
static bool is_scope(const struct source_text *source, size_t i)
{
	return source_is_sign(source, i, ':') && source_is_sign(source, i + 1, ':');
}

/* Returns the token with the name that a declarator declares, or source->count. */
static size_t patch_name_of(const struct source_text *source, size_t first, size_t end)
{
	size_t name = source->count, after;

	for (size_t i = first; i < end; i++) {
		if (is_attribute(source, i, &after)) {
			i = after - 1;
		} else if (source_is_sign(source, i, '{')) {
			/* the tag of a record that is defined here is not the name */
			i = source_closing(source, i);
			name = source->count;
		} else if (source_is_sign(source, i, '(') && source_is_sign(source, i + 1, '*')) {
			for (i++; i < end && !source_is_sign_of(source, i, ")["); i++)
				if (source_is_word(source, i))
					name = i;
			return name;
		} else if (is_scope(source, i)) {
			i++;
		} else if (source_is_sign_of(source, i, "[:(")) {
			break;
		} else if (source_is_word(source, i)) {
			name = i;
		}
	}
	return name;
}

static bool find_declarators(struct patcher *patcher, struct patch_statement *statement)
{
	const struct source_text *source = patcher->source;
	size_t first = statement->first;

	for (size_t i = first; i < statement->end; i++) {
		if (source_is_sign_of(source, i, "{([")) {
			i = source_closing(source, i);
			continue;
		}
		if (!source_is_sign(source, i, ',') && i + 1 != statement->end)
			continue;
		if (statement->declarator_count == NAMES_MAX)
			return fail(patcher, first, "a statement declares too many members");
		statement->declarators[statement->declarator_count++] = (struct declarator){
			.first = first, .end = i, .name = patch_name_of(source, first, i)
		};
		first = i + 1;
	}
	return true;
}

/* The words of a type, counted without regard to their order; qualifiers are left out. */
struct type_words {
	unsigned int is_unsigned, is_signed, longs, shorts, chars, ints, stars, dimensions;
	const char *others[16]; /* other words */
	size_t lengths[16], count;
	bool odd; /* it has something else */
};

static void add_type_word(struct type_words *words, const char *text, size_t length)
{
	static const char *const ignored[] = { "const", "volatile", "restrict", "__restrict" };
	static const struct {
		const char *text;
		size_t member;
	} known[] = {
		{ "unsigned", offsetof(struct type_words, is_unsigned) },
		{ "signed", offsetof(struct type_words, is_signed) },
		{ "long", offsetof(struct type_words, longs) },
		{ "short", offsetof(struct type_words, shorts) },
		{ "char", offsetof(struct type_words, chars) },
		{ "int", offsetof(struct type_words, ints) },
	};

	for (size_t i = 0; i < COUNT_OF(ignored); i++)
		if (text_is(text, length, ignored[i]))
			return;
	for (size_t i = 0; i < COUNT_OF(known); i++) {
		if (!text_is(text, length, known[i].text))
			continue;
		(*(unsigned int *)((char *)words + known[i].member))++;
		return;
	}
	if (words->count == COUNT_OF(words->others)) {
		words->odd = true;
		return;
	}
	/* <stdbool.h> */
	if (text_is(text, length, "bool"))
		text = "_Bool", length = 5;
	words->others[words->count] = text;
	words->lengths[words->count++] = length;
}

/* Collects the words of a declaration's type: those of [first, end) but for the name. */
static void read_type(const struct source_text *source, size_t first, size_t end, size_t name,
		      struct type_words *words)
{
	size_t after;

	for (size_t i = first; i < end; i++) {
		if (i == name)
			continue;
		if (is_attribute(source, i, &after)) {
			i = after - 1;
		} else if (source_is_word(source, i)) {
			add_type_word(words, source->text + source->tokens[i].start,
				      source->tokens[i].length);
		} else if (source_is_sign(source, i, '*')) {
			words->stars++;
		} else if (source_is_sign(source, i, '[')) {
			words->dimensions++;
			i = source_closing(source, i);
		} else if (source_is_sign(source, i, '(')) {
			/* "(*name)(...)": parameters have types of their own */
			if (source_is_sign(source, i + 1, '*'))
				continue;
			i = source_closing(source, i);
		} else if (is_scope(source, i)) {
			/* debug information names a type without its namespace */
			words->count -= words->count > 0;
			i++;
		} else if (source_is_sign(source, i, ':')) {
			return;
		} else if (!source_is_sign(source, i, ')')) {
			words->odd = true;
		}
	}
}

static bool same_type(const struct type_words *a, const struct type_words *b)
{
	unsigned int a_int = a->ints && !(a->is_unsigned | a->is_signed | a->longs | a->shorts),
		     b_int = b->ints && !(b->is_unsigned | b->is_signed | b->longs | b->shorts);
	/* "signed" alone is int; "signed char" is a type of its own */
	bool a_sign = a->is_signed && a->chars, b_sign = b->is_signed && b->chars;

	if (a->is_signed && !a->chars && !a->longs && !a->shorts)
		a_int = 1;
	if (b->is_signed && !b->chars && !b->longs && !b->shorts)
		b_int = 1;
	if (a->odd || b->odd || a->is_unsigned != b->is_unsigned || a->longs != b->longs ||
	    a->shorts != b->shorts || a->chars != b->chars || a_int != b_int || a_sign != b_sign ||
	    a->stars != b->stars || a->dimensions != b->dimensions || a->count != b->count)
		return false;
	return !any_of(i, 0, a->count,
		       a->lengths[i] != b->lengths[i] ||
			       memcmp(a->others[i], b->others[i], a->lengths[i]) != 0);
}

/* Returns whether the declarator has the type that debug information gives the member. */
static bool patch_has_type(struct patcher *patcher, const struct patch_statement *statement,
			   const struct declarator *declarator, const char *declared)
{
	const struct source_text *source = patcher->source;
	const struct declarator *first = &statement->declarators[0];
	struct type_words here = { 0 }, there = { 0 };
	struct source_text text;
	size_t specifiers = first->name == source->count ? first->end : first->name;
	bool same;

	/* a record that is spelled out in the declaration has no text to compare */
	if (!declared || statement->by_macro)
		return true;
	while (specifiers > first->first && (source_is_sign_of(source, specifiers - 1, "*(") ||
					     source_token_is(source, specifiers - 1, "const")))
		specifiers--;
	read_type(source, first->first, specifiers, source->count, &here);
	read_type(source, declarator == first ? specifiers : declarator->first, declarator->end,
		  declarator->name, &here);
	source_text_init(&text, "", declared, strlen(declared));
	read_type(&text, 0, text.count, patch_name_of(&text, 0, text.count), &there);
	same = same_type(&here, &there);
	source_text_deinit(&text);
	return same;
}

/* Returns whether a macro declares the member: one of its arguments is the name alone. */
static bool is_macro_of(const struct source_text *source, const struct patch_statement *statement,
			const char *name)
{
	size_t open = statement->first + 1;

	return source_is_word(source, statement->first) && source_is_sign(source, open, '(') &&
	       any_of(i, open + 1, source_closing(source, open),
		      source_token_is(source, i, name) && source_is_sign_of(source, i - 1, "(,") &&
			      source_is_sign_of(source, i + 1, "),"));
}

/* Returns whether the statement declares the members from `declared` on, by their names. */
static bool names_match(const struct patcher *patcher, struct patch_statement *statement,
			size_t declared)
{
	const struct source_text *source = patcher->source;

	if (declared + statement->declarator_count > patcher->type->declared_count)
		return false;
	for (size_t i = 0; i < statement->declarator_count; i++) {
		const char *name = patcher->type->declared[declared + i].name;
		size_t token = statement->declarators[i].name;

		statement->by_macro = name && statement->declarator_count == 1 &&
				      is_macro_of(source, statement, name);
		if (statement->by_macro)
			return true;
		if (name ? !source_token_is(source, token, name) : token != source->count)
			return false;
	}
	return true;
}

static bool match_statement(struct patcher *patcher, struct patch_statement *statement,
			    size_t *next)
{
	const struct advice_type *type = patcher->type;

	if (!find_declarators(patcher, statement))
		return false;
	if (!names_match(patcher, statement, *next)) {
		/* another configuration has it */
		if (statement->group)
			return true;
		return fail(patcher, statement->first,
			    "a member is not the one that debug information has there");
	}
	statement->compiled = true;
	statement->declared = *next;
	for (size_t i = 0; i < statement->declarator_count; i++)
		if (!patch_has_type(patcher, statement, &statement->declarators[i],
				    type->declared[*next + i].text))
			return fail(patcher, statement->first,
				    "a member's type is not the text that debug information has");
	*next += statement->declarator_count;
	patcher->groups[statement->group].compiled = true;
	return true;
}

static bool match_statements(struct patcher *patcher)
{
	size_t next = 0;

	for (size_t i = 0; i < patcher->count; i++)
		if (!patcher->statements[i].directive &&
		    !match_statement(patcher, &patcher->statements[i], &next))
			return false;
	if (next != patcher->type->declared_count)
		return fail(patcher, patcher->close,
			    "debug information has members that the declaration lacks");
	return true;
}

/* ---- units ---- */

static struct patch_unit *new_unit(struct patcher *patcher, size_t start, size_t end)
{
	array_reserve(patcher->units, patcher->unit_count, patcher->unit_capacity);
	patcher->units[patcher->unit_count] =
		(struct patch_unit){ .start = start, .end = end, .insert = start };
	return &patcher->units[patcher->unit_count++];
}

static uint32_t member_of(const struct patcher *patcher, const struct patch_statement *statement,
			  size_t declarator)
{
	return patcher->type->declared[statement->declared + declarator].member;
}

static size_t new_place(const struct patcher *patcher, uint32_t member)
{
	for (size_t i = 0; i < patcher->type->member_count; i++)
		if (patcher->proposal->placed[i].member == member)
			return i;
	return SIZE_MAX;
}

/* Returns whether the members of statements [first, last] follow each other in the new order. */
static bool stay_together(const struct patcher *patcher, size_t first, size_t last)
{
	size_t place = SIZE_MAX;

	for (size_t i = first; i <= last; i++) {
		const struct patch_statement *statement = &patcher->statements[i];

		for (size_t k = 0; statement->compiled && k < statement->declarator_count; k++) {
			size_t here = new_place(patcher, member_of(patcher, statement, k));

			if (place != SIZE_MAX && ((here != place && here != place + 1) ||
						  patcher->proposal->placed[here].part !=
							  patcher->proposal->placed[place].part))
				return false;
			place = here;
		}
	}
	return true;
}

static void set_unit(struct patcher *patcher, const struct patch_statement *statement,
		     uint32_t unit)
{
	for (size_t k = 0; statement->compiled && k < statement->declarator_count; k++)
		patcher->unit_of[member_of(patcher, statement, k)] = unit;
}

/* Makes a unit of each declarator of a statement whose members are separated. */
static bool split_statement(struct patcher *patcher, const struct patch_statement *statement)
{
	const struct source_text *source = patcher->source;
	const struct declarator *first = &statement->declarators[0];
	size_t specifiers = first->name, begin = source->tokens[statement->first].start;

	if (specifiers == source->count)
		return fail(patcher, statement->first,
			    "members of one statement would be separated");
	while (specifiers > statement->first && (source_is_sign_of(source, specifiers - 1, "*(")))
		specifiers--;
	array_indexed (const struct declarator, declarator, k, statement->declarators,
		       statement->declarator_count) {
		size_t from = k ? declarator->first : specifiers;
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
		struct patch_unit *unit;
		size_t insert;

		if (patcher->type->members[member_of(patcher, statement, k)].flags &
		    MEMBER_BITFIELDS)
			return fail(patcher, statement->first, "bitfields would be separated");
		/* the comments before the statement, and its indent, go with the first one */
		strbuf_add(&text, source->text + statement->start, begin - statement->start);
		if (k) {
			const char *newline = strrchr(text.data, '\n');
			size_t cut = newline ? (size_t)(newline + 1 - text.data) : 0;

			memmove(text.data, text.data + cut, text.length - cut + 1);
			text.length -= cut;
		}
		insert = text.length;
		strbuf_add(&text, source->text + begin,
			   source_token_end(source, specifiers - 1) - begin);
		strbuf_add_char(&text, ' ');
		strbuf_add(&text, source->text + source->tokens[from].start,
			   source_token_end(source, declarator->end - 1) -
				   source->tokens[from].start);
		strbuf_add_char(&text, ';');
		if (k)
			strbuf_add_char(&text, '\n');
		else
			strbuf_add(
				&text, source->text + source_token_end(source, statement->end - 1),
				statement->text_end - source_token_end(source, statement->end - 1));
		unit = new_unit(patcher, 0, text.length);
		unit->insert = insert;
		unit->text = strbuf_detach(&text);
		unit->group = statement->group;
		patcher->unit_of[member_of(patcher, statement, k)] =
			(uint32_t)patcher->unit_count - 1;
	}
	return true;
}

/* Makes a unit of the statement, or adds it to the last unit's run of bitfields. */
static bool add_statement(struct patcher *patcher, const struct patch_statement *statement)
{
	uint32_t member = member_of(patcher, statement, 0);
	size_t number = (size_t)(statement - patcher->statements);
	struct patch_unit *last = patcher->unit_count ? &patcher->units[patcher->unit_count - 1]
						      : NULL,
			  *unit;

	if (patcher->unit_of[member] != NO_UNIT) {
		if (last && patcher->unit_of[member] == patcher->unit_count - 1 && !last->text &&
		    last->end == statement->start && last->group == statement->group) {
			last->end = statement->text_end;
			set_unit(patcher, statement, (uint32_t)patcher->unit_count - 1);
			return true;
		}
		return fail(patcher, statement->first, "an #if divides bitfields");
	}
	if (!stay_together(patcher, number, number))
		return split_statement(patcher, statement);
	unit = new_unit(patcher, statement->start, statement->text_end);
	unit->insert = patcher->source->tokens[statement->first].start;
	unit->group = statement->group;
	set_unit(patcher, statement, (uint32_t)patcher->unit_count - 1);
	return true;
}

/* Makes one unit of a whole #if ... #endif. One that is not compiled stays after the last unit. */
static bool patch_add_group(struct patcher *patcher, const struct patch_group *group)
{
	size_t start = patcher->statements[group->first].start,
	       end = patcher->statements[group->last].text_end;

	if (!group->compiled) {
		struct patch_unit *last =
			patcher->unit_count ? &patcher->units[patcher->unit_count - 1] : NULL;

		if (!last)
			return fail(patcher, patcher->statements[group->first].first,
				    "members of another configuration come first");
		if (last->suffix_end != start)
			last->suffix = start;
		last->suffix_end = end;
		return true;
	}
	if (!stay_together(patcher, group->first, group->last))
		return fail(patcher, patcher->statements[group->first].first,
			    "what stands between one #if and its #endif would be separated");
	for (size_t i = group->first; i <= group->last; i++) {
		const struct patch_statement *statement = &patcher->statements[i];

		if (statement->compiled &&
		    patcher->unit_of[member_of(patcher, statement, 0)] == NO_UNIT &&
		    (!patcher->unit_count ||
		     patcher->units[patcher->unit_count - 1].start != start))
			new_unit(patcher, start, end);
		set_unit(patcher, statement, (uint32_t)patcher->unit_count - 1);
	}
	return true;
}

static bool make_units(struct patcher *patcher)
{
	patcher->unit_of = xcalloc(patcher->type->member_count + 1, sizeof(*patcher->unit_of));
	for (size_t i = 0; i < patcher->type->member_count; i++)
		patcher->unit_of[i] = NO_UNIT;
	for (size_t i = 0; i < patcher->count; i++) {
		const struct patch_statement *statement = &patcher->statements[i];
		const struct patch_group *group = &patcher->groups[statement->group];

		if (statement->group && (group->whole || !group->compiled)) {
			if (!patch_add_group(patcher, group))
				return false;
			i = group->last;
		} else if (!statement->directive && !add_statement(patcher, statement)) {
			return false;
		}
	}
	return true;
}

/* ---- the new text ---- */

static void add_bytes(const struct patcher *patcher, size_t start, size_t end, struct strbuf *text)
{
	if (end > start)
		strbuf_add(text, patcher->source->text + start, end - start);
}

/* Writes the text of a unit, with an alignment before its declaration; 0: none. */
static void write_unit(const struct patcher *patcher, const struct patch_unit *unit, uint64_t align,
		       struct strbuf *text)
{
	const char *own = unit->text ?: patcher->source->text;

	strbuf_add(text, own + unit->start, unit->insert - unit->start);
	if (align)
		strbuf_add_format(text, "__attribute__((aligned(%" PRIu64 "))) ", align);
	strbuf_add(text, own + unit->insert, unit->end - unit->insert);
	add_bytes(patcher, unit->suffix, unit->suffix_end, text);
}

/* Returns whether another member comes before the one at a place, in the same part. */
static bool follows(const struct patcher *patcher, size_t place)
{
	const struct advice_placed *placed = patcher->proposal->placed;

	return place && placed[place - 1].part == placed[place].part;
}

/* Returns the alignment that a declaration must ask for; 0: its type's is enough. */
static uint64_t needed_align(const struct patcher *patcher, size_t place)
{
	const struct advice_placed *placed = &patcher->proposal->placed[place],
				   *before = follows(patcher, place) ? placed - 1 : NULL;
	const struct advice_member *members = patcher->type->members;
	uint64_t end = before ? before->offset + members[before->member].size : 0;

	/* an aligned first member aligns the record */
	if (patcher->proposal->kind == PROPOSAL_PAD && !placed->offset &&
	    !(members[placed->member].flags & MEMBER_BITFIELDS) &&
	    patcher->proposal->parts[placed->part].align > patcher->type->align)
		return patcher->proposal->parts[placed->part].align;
	return placed->offset > round_up(end, members[placed->member].align) &&
			       placed->offset % patcher->machine->cacheline == 0
		       ? patcher->machine->cacheline
		       : 0;
}

static void write_directive(const struct patcher *patcher, size_t statement, struct strbuf *text)
{
	const struct source_token *token =
		&patcher->source->tokens[patcher->statements[statement].first];

	strbuf_add(text, patcher->source->text + token->start, token->length);
	strbuf_add_char(text, '\n');
}

/* Ends the unit between two runs of bitfields that were apart: each starts its own. */
static void separate_bitfields(const struct patcher *patcher, size_t place, struct strbuf *text)
{
	const struct advice_member
		*members = patcher->type->members,
		*here = &members[patcher->proposal->placed[place].member],
		*before = follows(patcher, place)
				  ? &members[patcher->proposal->placed[place - 1].member]
				  : NULL;

	if (before && before->flags & here->flags & MEMBER_BITFIELDS)
		strbuf_add_format(text, "\tunsigned %s : 0;\n",
				  advice_integer(here->align) ? advice_integer(here->align)
							      : "int");
}

/* Writes the members of a part in their new order. */
static void write_body(const struct patcher *patcher, uint32_t part, struct strbuf *text)
{
	uint32_t last = NO_UNIT, group = 0;

	for (size_t i = 0; !part && i < patcher->count; i++)
		if (patcher->statements[i].defines)
			add_bytes(patcher, patcher->statements[i].start,
				  patcher->statements[i].text_end, text);
	for (size_t i = 0; i < patcher->type->member_count; i++) {
		uint32_t number = patcher->unit_of[patcher->proposal->placed[i].member];
		const struct patch_unit *unit;

		if (patcher->proposal->placed[i].part != part || number == NO_UNIT ||
		    number == last)
			continue;
		unit = &patcher->units[number];
		last = number;
		if (unit->group != group) {
			if (group)
				write_directive(patcher, patcher->groups[group].last, text);
			group = unit->group;
			if (group)
				write_directive(patcher, patcher->groups[group].first, text);
		}
		separate_bitfields(patcher, i, text);
		write_unit(patcher, unit, needed_align(patcher, i), text);
	}
	if (group)
		write_directive(patcher, patcher->groups[group].last, text);
}

/* ---- the diff ---- */

struct diff_lines {
	const char **starts; /* count + 1 of them */
	size_t count, capacity;
};

static void cut_lines(const char *text, size_t length, struct diff_lines *lines)
{
	const char *end = text + length;

	for (const char *at = text; at < end;) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		array_add(lines->starts, lines->count, lines->capacity) = at;
		at = newline ? newline + 1 : end;
	}
	array_reserve(lines->starts, lines->count, lines->capacity);
	lines->starts[lines->count] = end;
}

static size_t line_length(const struct diff_lines *lines, size_t number)
{
	return (size_t)(lines->starts[number + 1] - lines->starts[number]);
}

static bool same_line(const struct diff_lines *a, size_t i, const struct diff_lines *b, size_t k)
{
	return line_length(a, i) == line_length(b, k) &&
	       !memcmp(a->starts[i], b->starts[k], line_length(a, i));
}

static void patch_add_line(char mark, const struct diff_lines *lines, size_t number,
			   struct strbuf *diff)
{
	size_t length = line_length(lines, number);

	strbuf_add_char(diff, mark);
	strbuf_add(diff, lines->starts[number], length);
	if (!length || lines->starts[number][length - 1] != '\n')
		strbuf_add_string(diff, "\n\\ No newline at end of file\n");
}

/* A step of a diff: a line of both texts (' '), of the old ('-') or the new ('+'). */
struct diff_step {
	char mark;
	size_t old, new;
};

/* Adds the steps of the lines [old, old_end) and [new, new_end), which have nothing in common. */
static void add_steps(struct diff_step *steps, size_t *count, size_t old, size_t old_end,
		      size_t new, size_t new_end)
{
	for (size_t i = old; i < old_end; i++)
		steps[(*count)++] = (struct diff_step){ '-', i, new };
	for (size_t i = new; i < new_end; i++)
		steps[(*count)++] = (struct diff_step){ '+', old_end, i };
}

/* Finds the steps of the middle parts by their longest common sequence of lines. */
static void find_steps(const struct diff_lines *a, size_t a_first, size_t a_end,
		       const struct diff_lines *b, size_t b_first, size_t b_end,
		       struct diff_step *steps, size_t *count)
{
	size_t rows = a_end - a_first, columns = b_end - b_first, i = 0, k = 0;
	uint16_t *longest;

	if (rows > LINES_MAX || columns > LINES_MAX) {
		add_steps(steps, count, a_first, a_end, b_first, b_end);
		return;
	}
	longest = xcalloc((rows + 1) * (columns + 1), sizeof(*longest));
	for (size_t r = rows; r-- > 0;) {
		for (size_t c = columns; c-- > 0;) {
			uint16_t *here = &longest[r * (columns + 1) + c], down = here[columns + 1],
				 right = here[1];

			if (same_line(a, a_first + r, b, b_first + c))
				*here = (uint16_t)(here[columns + 2] + 1);
			else
				*here = down > right ? down : right;
		}
	}
	while (i < rows && k < columns) {
		const uint16_t *here = &longest[i * (columns + 1) + k];

		if (same_line(a, a_first + i, b, b_first + k))
			steps[(*count)++] = (struct diff_step){ ' ', a_first + i++, b_first + k++ };
		else if (here[columns + 1] >= here[1])
			steps[(*count)++] = (struct diff_step){ '-', a_first + i++, b_first + k };
		else
			steps[(*count)++] = (struct diff_step){ '+', a_first + i, b_first + k++ };
	}
	add_steps(steps, count, a_first + i, a_end, b_first + k, b_end);
	free(longest);
}

static void write_hunk(const struct diff_step *steps, size_t first, size_t end,
		       const struct diff_lines *a, const struct diff_lines *b, struct strbuf *diff)
{
	size_t old = 0, new = 0;

	for (size_t i = first; i < end; i++) {
		old += steps[i].mark != '+';
		new += steps[i].mark != '-';
	}
	strbuf_add_format(diff, "@@ -%zu,%zu +%zu,%zu @@\n", steps[first].old + (old != 0), old,
			  steps[first].new + (new != 0), new);
	for (size_t i = first; i < end; i++)
		patch_add_line(steps[i].mark, steps[i].mark == '+' ? b : a,
			       steps[i].mark == '+' ? steps[i].new : steps[i].old, diff);
}

void patch_diff(const char *name, const char *old, size_t old_length, const char *new,
		size_t new_length, struct strbuf *diff)
{
	struct diff_lines a = { 0 }, b = { 0 };
	size_t head = 0, tail = 0, count = 0;
	struct diff_step *steps;

	cut_lines(old, old_length, &a);
	cut_lines(new, new_length, &b);
	while (head < a.count && head < b.count && same_line(&a, head, &b, head))
		head++;
	while (tail < a.count - head && tail < b.count - head &&
	       same_line(&a, a.count - 1 - tail, &b, b.count - 1 - tail))
		tail++;
	steps = xcalloc(a.count + b.count + 1, sizeof(*steps));
	for (size_t i = 0; i < head; i++)
		steps[count++] = (struct diff_step){ ' ', i, i };
	find_steps(&a, head, a.count - tail, &b, head, b.count - tail, steps, &count);
	for (size_t i = tail; i-- > 0;)
		steps[count++] = (struct diff_step){ ' ', a.count - 1 - i, b.count - 1 - i };
	for (size_t i = 0, last = 0; i < count; i++) {
		size_t first, end = i;

		if (steps[i].mark == ' ')
			continue;
		if (!last++)
			strbuf_add_format(diff, "--- a/%s\n+++ b/%s\n", name, name);
		first = i > CONTEXT ? i - CONTEXT : 0;
		/* up to six lines between two changes are context of both */
		for (size_t k = i; k < count && k <= end + 2 * CONTEXT; k++)
			end = steps[k].mark != ' ' ? k : end;
		end = end + CONTEXT + 1 < count ? end + CONTEXT + 1 : count;
		write_hunk(steps, first, end, &a, &b, diff);
		i = end - 1;
	}
	free_all(steps, a.starts, b.starts);
}

/* Matches the declaration, and finds the bytes of its members. */
static bool match_declaration(struct patcher *patcher, size_t *first, size_t *end)
{
	if (!find_declaration(patcher) || !cut_body(patcher) || !match_statements(patcher) ||
	    !make_units(patcher))
		return false;
	*first = patcher->count ? patcher->statements[0].start : 0;
	*end = patcher->count ? patcher->statements[patcher->count - 1].text_end : 0;
	return (patcher->count && *first >= patcher->source->tokens[patcher->open].start) ||
	       fail(patcher, patcher->open, "it has no members");
}

static bool write_diff(struct patcher *patcher, const char *name, struct strbuf *diff)
{
	const struct source_text *source = patcher->source;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t first, end;

	if (!match_declaration(patcher, &first, &end))
		return false;
	add_bytes(patcher, 0, first, &text);
	write_body(patcher, 0, &text);
	add_bytes(patcher, end, source->length, &text);
	if (text.length == source->length && !memcmp(text.data, source->text, text.length)) {
		strbuf_add_string(patcher->why, "the members are in this order already");
		return false;
	}
	patch_diff(name, source->text, source->length, text.data, text.length, diff);
	return true;
}

static void patcher_deinit(struct patcher *patcher)
{
	for (size_t i = 0; i < patcher->unit_count; i++)
		free(patcher->units[i].text);
	free_all(patcher->units, patcher->unit_of, patcher->statements, patcher->groups);
}

bool patch_make(const struct advice_type *type, const struct advice_proposal *proposal,
		const struct advice_machine *machine, const struct source_text *source,
		const char *name, struct strbuf *diff, struct strbuf *why)
{
	struct patcher patcher = {
		.type = type, .proposal = proposal, .machine = machine, .source = source, .why = why
	};
	bool made = write_diff(&patcher, name, diff);

	patcher_deinit(&patcher);
	return made;
}

/* Finds the byte after the declaration, of the type alone and within nothing. */
static bool find_end(struct patcher *patcher, size_t *after)
{
	const struct source_text *source = patcher->source;
	size_t end = patcher->close + 1, first = patcher->open, names = 0;

	while (first && !source_is_sign_of(source, first - 1, ";}") &&
	       source->tokens[first - 1].kind != TOKEN_DIRECTIVE)
		first--;
	while (end < source->count && !source_is_sign(source, end, ';'))
		if (!is_attribute(source, end, &end)) {
			names++;
			end++;
		}
	for (size_t i = 0, blocks = 0; i < first; i++) {
		blocks += source_is_sign(source, i, '{') &&
			  !(i && source->tokens[i - 1].kind == TOKEN_TEXT);
		blocks -= blocks && source_is_sign(source, i, '}');
		if (i + 1 == first && blocks)
			return fail(patcher, first, "it is declared within something else");
	}
	if (end >= source->count || (names && !source_token_is(source, first, "typedef")))
		return fail(patcher, patcher->close, "its declaration declares variables, too");
	*after = source_token_end(source, end);
	return true;
}

bool patch_bodies_init(const struct advice_type *type, const struct advice_proposal *proposal,
		       const struct advice_machine *machine, const struct source_text *source,
		       struct patch_bodies *bodies, struct strbuf *why)
{
	struct patcher patcher = {
		.type = type, .proposal = proposal, .machine = machine, .source = source, .why = why
	};
	bool made = match_declaration(&patcher, &bodies->first, &bodies->end) &&
		    find_end(&patcher, &bodies->after);

	for (uint32_t i = 0; made && i < proposal->part_count; i++) {
		struct strbuf text = STRBUF_INIT;

		write_body(&patcher, i, &text);
		bodies->parts[i] = strbuf_detach(&text);
	}
	patcher_deinit(&patcher);
	return made;
}

void patch_bodies_deinit(struct patch_bodies *bodies)
{
	for (size_t i = 0; i < COUNT_OF(bodies->parts); i++)
		free(bodies->parts[i]);
}
