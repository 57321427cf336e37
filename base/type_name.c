// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Names of types as users write them: see type_name.h.
 *
 * A name is compared in a normal form, part by part from its end, so that users may leave out what
 * they do not care about. Names that compilers change are compared with how the source writes them.
 */
#include "base/type_name.h"

#include <ctype.h>
#include <fnmatch.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"

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

/* characters of the words of any name, and of keywords before it */
#define WORD_CHARACTERS "abcdefghijklmnopqrstuvwxyz0123456789_ "

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

size_t type_name_word_length(const char *text)
{
	size_t length = 0;

	while (is_word(text[length]))
		length++;
	return length;
}

enum { WORD_UNSIGNED, WORD_SIGNED, WORD_LONG, WORD_SHORT, WORD_CHAR, WORD_INT, INTEGER_WORDS };

static unsigned int word_of_integer(const char *text, size_t length)
{
	static const char *const words[] = { "unsigned", "signed", "long", "short", "char", "int" };
	unsigned int word = 0;

	while (word < INTEGER_WORDS && !text_is(text, length, words[word]))
		word++;
	return word;
}

static void add_integer(const unsigned int counts[INTEGER_WORDS], bool as_gcc,
			struct strbuf *buffer)
{
	bool is_sized = counts[WORD_LONG] || counts[WORD_SHORT],
	     is_late = as_gcc && is_sized; /* "unsigned" */

	if (counts[WORD_UNSIGNED] && !is_late)
		strbuf_add_string(buffer, "unsigned ");
	if (counts[WORD_SIGNED] && counts[WORD_CHAR])
		strbuf_add_string(buffer, "signed ");
	for (unsigned int i = 0; i < counts[WORD_LONG]; i++)
		strbuf_add_string(buffer, "long ");
	if (counts[WORD_SHORT])
		strbuf_add_string(buffer, "short ");
	if (counts[WORD_UNSIGNED] && is_late)
		strbuf_add_string(buffer, "unsigned ");
	if (counts[WORD_CHAR])
		strbuf_add_string(buffer, "char ");
	else if (as_gcc || !is_sized)
		strbuf_add_string(buffer, "int ");
	buffer->data[--buffer->length] = '\0';
}

const char *type_name_take_integer(const char *text, bool as_gcc, struct strbuf *buffer)
{
	unsigned int counts[INTEGER_WORDS] = { 0 };
	const char *end = NULL;

	for (;;) {
		size_t length = type_name_word_length(text);
		unsigned int word = length ? word_of_integer(text, length) : INTEGER_WORDS;

		if (word == INTEGER_WORDS)
			break;
		counts[word]++;
		end = text + length;
		text = end + strspn(end, " ");
	}
	if (end)
		add_integer(counts, as_gcc, buffer);
	return end;
}

/* The deepest template arguments in which the words "const" and "volatile" are moved. */
#define QUALIFIED_MAX 32

/* The qualifiers that are written before a type, by the depth of its template arguments. */
struct qualifiers {
	unsigned int depth;
	uint8_t before[QUALIFIED_MAX]; /* QUALIFIER_* */
	bool begun[QUALIFIED_MAX];     /* something of the type has been written */
};

enum { QUALIFIER_CONST = 1, QUALIFIER_VOLATILE = 2 };

/* Appends a word, and a space before it if a word is before it. */
static void add_word(struct strbuf *buffer, const char *word, size_t length)
{
	if (buffer->length && is_word(buffer->data[buffer->length - 1]))
		strbuf_add_char(buffer, ' ');
	strbuf_add(buffer, word, length);
}

static uint8_t *qualifiers_here(struct qualifiers *qualifiers)
{
	return qualifiers->depth < QUALIFIED_MAX ? &qualifiers->before[qualifiers->depth] : NULL;
}

/* Appends the qualifiers that were written before the type that ends here. */
static void end_qualified(struct qualifiers *qualifiers, struct strbuf *buffer)
{
	uint8_t *before = qualifiers_here(qualifiers);

	if (!before || !*before || !qualifiers->begun[qualifiers->depth])
		return;
	if (*before & QUALIFIER_CONST)
		add_word(buffer, "const", strlen("const"));
	if (*before & QUALIFIER_VOLATILE)
		add_word(buffer, "volatile", strlen("volatile"));
	*before = 0;
}

/* Takes a qualifier before a type: "const char *" is "char const *". */
static bool take_qualifier(struct qualifiers *qualifiers, const char *text, size_t length)
{
	uint8_t *before = qualifiers_here(qualifiers), qualifier = 0;

	if (text_is(text, length, "const"))
		qualifier = QUALIFIER_CONST;
	else if (text_is(text, length, "volatile"))
		qualifier = QUALIFIER_VOLATILE;
	/* a type of this name, or the start of Rust's "*const T" */
	if (!qualifier || !before || qualifiers->begun[qualifiers->depth] ||
	    !is_word(text[length + strspn(text + length, " ")]))
		return false;
	*before |= qualifier;
	return true;
}

/* Follows a character that is in no word. */
static void pass_character(struct qualifiers *qualifiers, const char *text, struct strbuf *buffer)
{
	bool opens = strchr("<([{", *text), closes = strchr(">)]}", *text);

	if (*text != ':' && !opens)
		end_qualified(qualifiers, buffer);
	qualifiers->depth -= closes && qualifiers->depth;
	qualifiers->depth += opens;
	if (qualifiers->depth < QUALIFIED_MAX && !closes)
		qualifiers->begun[qualifiers->depth] = !opens && *text != ',';
	strbuf_add_char(buffer, *text);
}

/* Appends `text` in a normal form of blanks, integer types, and qualifiers behind the type. */
static void normalize(const char *text, struct strbuf *buffer)
{
	struct qualifiers qualifiers = { 0 };

	while (*(text += strspn(text, " "))) {
		const char *end;
		size_t length = type_name_word_length(text);

		if (!length) {
			pass_character(&qualifiers, text++, buffer);
			continue;
		}
		if (take_qualifier(&qualifiers, text, length)) {
			text += length;
			continue;
		}
		add_word(buffer, "", 0);
		end = type_name_take_integer(text, false, buffer);
		if (!end) {
			strbuf_add(buffer, text, length);
			end = text + length;
		}
		if (qualifiers.depth < QUALIFIED_MAX)
			qualifiers.begun[qualifiers.depth] = true;
		text = end;
	}
	end_qualified(&qualifiers, buffer);
}

/* Returns whether `dot` ends a scope of Go: "main.Node", "container/list.Element". */
static bool is_go_scope(const char *dot)
{
	return (*dot == '.' || *dot == '/') && is_word(dot[1]);
}

/* Returns the rest of a name after its next "::" outside of brackets, or NULL if there is none. */
static const char *next_part(const char *name)
{
	unsigned int depth = 0;

	for (; *name; name++) {
		if (starts_with(name, "->"))
			name++;
		else if (strchr("<([{", *name))
			depth++;
		else if (strchr(">)]}", *name) && depth)
			depth--;
		else if (!depth && starts_with(name, "::"))
			return name + 2;
		else if (!depth && is_go_scope(name))
			return name + 1;
	}
	return NULL;
}

static bool is_template_of(const char *name, const char *wanted)
{
	size_t length = strlen(wanted);

	/* Go's arguments are in [] */
	return strncmp(name, wanted, length) == 0 && (name[length] == '<' || name[length] == '[') &&
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

static bool matches(const struct meant_type *pattern, const char *name)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *wanted = pattern->text;

	if (strcmp(wanted, name) == 0 || (pattern->wild && fnmatch(wanted, name, 0) == 0))
		return true;
	/* a keyword alone asks for the records without a name */
	if (starts_with(name, wanted) && starts_with(name + strlen(wanted), " {"))
		return true;
	if (!pattern->normal.length)
		return false;
	normalize(type_name_without_keyword(name), &text);
	for (const char *part = text.data; part; part = next_part(part))
		if (part_matches(pattern->normal.data, part))
			return true;
	return false;
}

/* ---- names that compilers change ---- */

/* Returns how many characters of one kind the text has. */
static size_t count_of(const char *text, int (*is)(int))
{
	size_t count = 0;

	for (; *text; text++)
		count += is((unsigned char)*text) != 0;
	return count;
}

/* Returns the name that Nim's source has for "tyObject_Node__eNHdsEXvOMZUH9arAFrW9bg", or for
 * "tyObject_NodecolonObjectType___XaeTJJHJaZ5CrV8N2aOGxA", the object of `Node = ref object`; NULL:
 * it is no name of Nim's compiler. The caller frees it. */
static char *name_in_nim(const char *name)
{
	static const char *const kinds[] = { "tyObject_", "tyTuple_", "tyEnum_" };
	static const char behind[] = "colonObjectType";

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		const char *plain = name + strlen(kinds[i]), *hash;

		if (!starts_with(name, kinds[i]) || !(hash = strstr(plain, "__")) || hash == plain)
			continue;
		if (hash > plain + strlen(behind) && starts_with(hash - strlen(behind), behind))
			hash -= strlen(behind);
		return xstrndup(plain, (size_t)(hash - plain));
	}
	return NULL;
}

/* Returns Ada's name of GNAT's "pkg__node", in lower case, to be freed; NULL: it is none. */
static char *name_in_ada(const char *name)
{
	char *dotted, *to;

	if (*name == '_' || !strstr(name, "__") || strstr(name, "___") || count_of(name, isupper) ||
	    strpbrk(name, "<:(["))
		return NULL;
	to = dotted = xstrdup(name);
	for (const char *at = name; *at; at++) {
		bool point = at[0] == '_' && at[1] == '_' && at[2];

		*to++ = point ? '.' : *at;
		at += point;
	}
	*to = '\0';
	return dotted;
}

/* Returns whether `wanted` is how the source writes a name that the compiler changed: Ada's
 * Pkg.Node is "pkg__node", Pascal's TNode "TNODE", Nim's Node "tyObject_Node__HASH". These
 * languages ignore case. A name of C may look like one of these, so `wanted` must be written as C
 * never does, or with capitals where the name has none, or the other way round. */
static bool matches_in_source(const char *wanted, const char *name)
{
	_cleanup_free_ char *nim = name_in_nim(name);
	_cleanup_free_ char *ada = nim ? NULL : name_in_ada(name);
	const char *part = nim ?: ada;

	if (ada && !count_of(wanted, isupper) && !strchr(wanted, '.'))
		return false;
	if (!part && count_of(name, isupper) && !count_of(name, islower) &&
	    count_of(wanted, isupper) && count_of(wanted, islower))
		part = name;
	for (; part; part = next_part(part))
		if (fnmatch(wanted, part, FNM_CASEFOLD) == 0)
			return true;
	return false;
}

/* Returns how many characters of a name are a word of C in small letters, which no language spells
 * otherwise. Ada and Nim have "__" between the parts of a name. */
static size_t plain_length(const char *name)
{
	const char *at = name;

	while ((*at >= 'a' && *at <= 'z') || (*at >= '0' && *at <= '9') ||
	       (*at == '_' && at[1] != '_'))
		at++;
	return (size_t)(at - name);
}

/* Returns the class of a variable of Crystal that may also be nil, "(Node | Nil)", for which its
 * compiler has a record of its own; NULL: it is no such name. The caller frees it. */
static char *name_in_crystal(const char *name)
{
	static const char nil[] = " | Nil)";
	size_t length = strlen(name);

	if (*name != '(' || length <= strlen(nil) + 1 ||
	    strcmp(name + length - strlen(nil), nil) != 0 ||
	    strstr(name, " | ") != name + length - strlen(nil))
		return NULL;
	return xstrndup(name + 1, length - strlen(nil) - 1);
}

void meant_type_init(struct meant_type *pattern, const char *wanted)
{
	const char *bare = type_name_without_keyword(wanted);
	size_t plain = plain_length(wanted);

	*pattern = (struct meant_type){ .text = wanted,
					.wild = wanted[strcspn(wanted, "*?[\\")],
					.plain = plain && !wanted[plain],
					.normal = STRBUF_INIT };
	pattern->strange = !pattern->wild && bare[strspn(bare, WORD_CHARACTERS)];
	/* The keyword of a pattern stays: "struct a*" must not match a union. */
	if (bare == wanted || !bare[strcspn(bare, "*?[")])
		normalize(bare, &pattern->normal);
}

void meant_type_deinit(struct meant_type *pattern)
{
	strbuf_deinit(&pattern->normal);
}

bool meant_type_matches(const struct meant_type *pattern, const char *name)
{
	const char *wanted = pattern->text;
	size_t plain = plain_length(name);

	/* most names, against all of which a misspelt one is compared */
	if (plain && !name[plain] && (pattern->plain || pattern->strange))
		return pattern->plain && strcmp(wanted, name) == 0;
	if (matches(pattern, name) ||
	    matches_in_source(type_name_without_keyword(wanted), type_name_without_keyword(name)))
		return true;
	_cleanup_free_ char *crystal = name_in_crystal(type_name_without_keyword(name));

	if (crystal)
		return matches(pattern, crystal);
	if (ends_in_brackets(wanted) || !ends_in_brackets(name))
		return false;
	_cleanup_free_ char *element = xstrdup(name);

	while (ends_in_brackets(element))
		element[strlen(element) - 2] = '\0';
	return matches(pattern, element);
}

bool type_name_matches(const char *wanted, const char *name)
{
	struct meant_type pattern;

	meant_type_init(&pattern, wanted);

	bool result = meant_type_matches(&pattern, name);

	meant_type_deinit(&pattern);
	return result;
}

const char *type_name_last_part(const char *name)
{
	for (const char *next; (next = next_part(name));)
		name = next;
	return name;
}

/* True if two parts of names are the same but for case, underscores and template arguments. */
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
	const char *bare = type_name_without_keyword(name), *last = type_name_last_part(bare);
	size_t length = strcspn(last, "<");

	if (!length || !*wanted ||
	    !is_nearly(type_name_last_part(type_name_without_keyword(wanted)), last))
		return NULL;
	return xstrndup(bare, (size_t)(last - bare) + length);
}
