// SPDX-License-Identifier: GPL-2.0-or-later
/* Choices of samples by texts: conditions as users write them, and as both kinds of store ask. */
#include <strings.h>

#include "base/memory.h"
#include "profiler/store/store_private.h"

#define ROW_KEYS (1U << STORE_TYPE | 1U << STORE_FIELD | 1U << STORE_FUNCTION)

/* ---- reading ---- */

/* A condition on its way from text to terms. */
struct where_reader {
	const char *at, *word; /* what is left; the word that was taken last, */
	size_t length;         /* and its length; 0: there is none */
	struct store_where *where;
};

/* Takes a text between quotation marks, a sign, or what stands before the next one of these. */
static void take_word(struct where_reader *reader)
{
	const char *at = reader->at + strspn(reader->at, " \t\n");

	reader->word = at;
	if (*at == '\'' || *at == '"') {
		/* a mark that is written twice is part of the text */
		for (char mark = *at++; *at && (*at != mark || at[1] == mark);)
			at += 1 + (*at == mark);
		at += *at != '\0';
	} else if (*at && strchr("(),", *at)) {
		at++;
	} else if (*at && strchr("=!<>", *at)) {
		at += strspn(at, "=!<>");
	} else {
		at += strcspn(at, " \t\n(),=!<>'\"");
	}
	reader->at = at;
	reader->length = (size_t)(at - reader->word);
}

static bool word_is(const struct where_reader *reader, const char *word)
{
	return reader->length == strlen(word) && !strncasecmp(reader->word, word, reader->length);
}

/* Takes the next word if it is this one. */
static bool take_if(struct where_reader *reader, const char *word)
{
	struct where_reader next = *reader;

	take_word(&next);
	if (!word_is(&next, word))
		return false;
	*reader = next;
	return true;
}

__attribute__((format(printf, 2, 3))) static struct error *where_error(
	const struct where_reader *reader, const char *format, ...)
{
	VARIADIC_TEXT(problem, format);
	return reader->length ? error_other("--where: %s, not '%.*s'", problem, (int)reader->length,
					    reader->word)
			      : error_other("--where: %s, and nothing follows", problem);
}

static struct error *add_term(struct where_reader *reader, enum store_sign sign, enum store_key key,
			      const char *wanted)
{
	struct store_where *where = reader->where;

	if (where->count == COUNT_OF(where->terms))
		return error_other("--where takes %zu tests and words at most",
				   COUNT_OF(where->terms));
	where->terms[where->count++] = (struct store_term){ sign, key, wanted };
	return NULL;
}

/* Takes a text, and adds the test for it: its shell pattern, but for types, which --type knows. */
static struct error *take_value(struct where_reader *reader, enum store_key key, bool like)
{
	_cleanup_strbuf_ struct strbuf pattern = STRBUF_INIT;
	bool quoted, plain = key == STORE_TYPE && !like;

	take_word(reader);
	quoted = reader->length && strchr("'\"", *reader->word);
	if (!reader->length || strchr("(),=!<>", *reader->word) ||
	    (quoted && (reader->length < 2 || reader->word[reader->length - 1] != *reader->word)))
		return where_error(reader, "%s is compared with a text", store_choice_name(key));
	for (size_t i = quoted; i < reader->length - quoted; i++) {
		char letter = reader->word[i];
		bool itself = like && letter == '\\' && i + 1 < reader->length - quoted;

		if (itself)
			letter = reader->word[++i];
		if (like && !itself && (letter == '%' || letter == '_'))
			strbuf_add_char(&pattern, letter == '%' ? '*' : '?');
		else if (!plain && strchr("*?[", letter))
			strbuf_add_format(&pattern, "[%c]", letter);
		else
			strbuf_add_char(&pattern, letter);
		i += quoted && letter == *reader->word;
	}
	return add_term(reader, STORE_TEST, key,
			arena_strndup(&reader->where->arena, pattern.data ?: "", pattern.length));
}

static struct error *take_list(struct where_reader *reader, enum store_key key)
{
	if (!take_if(reader, "(")) {
		take_word(reader);
		return where_error(reader, "%s in needs a list (A, B)", store_choice_name(key));
	}
	RETURN_ERROR(add_term(reader, STORE_OPEN, key, NULL));
	RETURN_ERROR(take_value(reader, key, false));
	while (take_if(reader, ",")) {
		RETURN_ERROR(add_term(reader, STORE_OR, key, NULL));
		RETURN_ERROR(take_value(reader, key, false));
	}
	take_word(reader);
	return word_is(reader, ")")
		       ? add_term(reader, STORE_CLOSE, key, NULL)
		       : where_error(reader, "a list of %s ends with )", store_choice_name(key));
}

/* Takes a test, whose column was taken. */
static struct error *take_test(struct where_reader *reader)
{
	enum store_key key = 0;

	while (key < STORE_DAY && !word_is(reader, store_choice_name(key)))
		key++;
	if (key == STORE_DAY)
		return where_error(reader, "the columns are type, field, sym, dso, build, host, "
					   "event, kernel, cpu, cgroup and image (days: --since)");
	take_word(reader);

	bool word = word_is(reader, "not"),
	     not = word || word_is(reader, "!=") || word_is(reader, "<>");

	if (not )
		RETURN_ERROR(add_term(reader, STORE_NOT, key, NULL));
	if (word)
		take_word(reader);
	if (word_is(reader, "like"))
		return take_value(reader, key, true);
	if (word_is(reader, "in"))
		return take_list(reader, key);
	return (not &&!word) || (!word && word_is(reader, "="))
		       ? take_value(reader, key, false)
		       : where_error(reader, "%s takes =, !=, like, in, not like and not in",
				     store_choice_name(key));
}

struct error *store_where_parse(const char *text, struct store_where *where)
{
	struct where_reader reader = { .at = text, .where = where };
	unsigned int depth = 0;

	for (bool tested = false;;) {
		take_word(&reader);
		if (tested && !reader.length && !depth)
			return NULL;
		if (!tested && word_is(&reader, "not")) {
			RETURN_ERROR(add_term(&reader, STORE_NOT, 0, NULL));
		} else if (!tested && word_is(&reader, "(")) {
			depth++;
			RETURN_ERROR(add_term(&reader, STORE_OPEN, 0, NULL));
		} else if (!tested) {
			RETURN_ERROR(take_test(&reader));
			tested = true;
		} else if (depth && word_is(&reader, ")")) {
			depth--;
			RETURN_ERROR(add_term(&reader, STORE_CLOSE, 0, NULL));
		} else if (word_is(&reader, "and") || word_is(&reader, "or")) {
			tested = false;
			RETURN_ERROR(add_term(
				&reader, word_is(&reader, "and") ? STORE_AND : STORE_OR, 0, NULL));
		} else {
			return where_error(&reader, "a test is followed by %s",
					   depth ? "'and', 'or' or ')'" : "'and' or 'or'");
		}
	}
}

void store_where_deinit(struct store_where *where)
{
	arena_deinit(&where->arena);
}

/* ---- asking ---- */

/* Returns a bit for each key that these terms test. */
static unsigned int tested_keys(const struct store_term *terms, size_t count)
{
	unsigned int keys = 0;

	array_each (const struct store_term, term, terms, count)
		keys |= (unsigned int)(term->sign == STORE_TEST) << term->key;
	return keys;
}

unsigned int store_chosen_keys(const struct store_choice *choice)
{
	unsigned int keys =
		choice->where ? tested_keys(choice->where->terms, choice->where->count) : 0;

	for (enum store_key key = 0; key < STORE_DAY; key++)
		keys |= (unsigned int)(choice->texts[key] != NULL) << key;
	return keys;
}

bool store_chooses_rows(const struct store_choice *choice)
{
	return store_chosen_keys(choice) & ROW_KEYS;
}

/* Returns how many terms there are before the next "and" that stands outside of brackets; all, if
 * an "or" stands there. */
static size_t part_length(const struct store_where *where, size_t first)
{
	size_t length = 0;
	int depth = 0;

	for (size_t i = first; i < where->count; i++) {
		enum store_sign sign = where->terms[i].sign;

		depth += (sign == STORE_OPEN) - (sign == STORE_CLOSE);
		if (!depth && sign == STORE_OR)
			return where->count - first;
		if (!depth && sign == STORE_AND && !length)
			length = i - first;
	}
	return length ?: where->count - first;
}

struct error *store_add_conditions(const struct store_choice *choice, bool rows, struct strbuf *sql,
				   struct error *(*add_test)(const struct store_term *test,
							     void *data),
				   void *data)
{
	static const char *const signs[] = {
		[STORE_AND] = " AND ", [STORE_OR] = " OR ", [STORE_NOT] = "NOT ",
		[STORE_OPEN] = "(",    [STORE_CLOSE] = ")",
	};
	const struct store_where *where = choice->where;

	for (enum store_key key = 0; key < STORE_DAY; key++)
		if (choice->texts[key] && rows == !!(ROW_KEYS & 1U << key)) {
			strbuf_add_string(sql, " AND ");
			RETURN_ERROR(add_test(
				&(struct store_term){ STORE_TEST, key, choice->texts[key] }, data));
		}
	for (size_t first = 0, count; where && first < where->count; first += count + 1) {
		count = part_length(where, first);
		if (rows != !!(tested_keys(&where->terms[first], count) & ROW_KEYS))
			continue;
		strbuf_add_string(sql, " AND (");
		array_each (const struct store_term, term, &where->terms[first], count)
			if (term->sign != STORE_TEST)
				strbuf_add(sql, signs[term->sign], strlen(signs[term->sign]));
			else
				RETURN_ERROR(add_test(term, data));
		strbuf_add_char(sql, ')');
	}
	return NULL;
}
