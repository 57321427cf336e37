// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements source_order.h. */
#include "report/layout/source_order.h"

#include <ctype.h>
#include <regex.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "base/text.h"

#define PREFIX_MIN    2    /* declarations that two records have in common by no chance */
#define PREFIX_MAX    32   /* declarations that are compared */
#define TOKENS_MAX    1000 /* of the declarations that are compared */
#define ASSERTION_MAX 1000 /* bytes of an assertion */
#define SEARCH_MAX    (UINT64_C(4) << 30) /* bytes in which the names of records are searched for */
#define LINES_ABOVE   12 /* a comment above a record is about it if it ends this close before */

/* ---- comments ---- */

/* Phrases in small letters; blanks, stars and newlines are single blanks. */
static const struct phrase {
	const char *pattern;
	enum source_order_kind kind;
} phrases[] = {
	{ "must ((always )?be|be the|come|go|stay|remain) first|"
	  "must be at (the (beginning|start)|offset (0|zero))|"
	  "(has|have|needs) to be (the )?first|should be (the )?first|keep (this |it )?first",
	  ORDER_FIRST },
	{ "must ((always )?be|be the|come|go|stay|remain) last|must be at (the )?end|"
	  "((has|have|needs) to|should) be (last|the last|at the end)|"
	  "keep (this )?last|keep at the end",
	  ORDER_LAST },
	{ "(do not|don't) (move|re-?order|rearrange|change (the )?order)|"
	  "order (matters|(is )?important|is significant)|in the same order|same layout|"
	  "must (immediately |directly )follow|must precede|must come (before|after)|"
	  "must be (adjacent|contiguous|consecutive|together|right after|right before|next to)|"
	  "must not be moved|layout (must|is fixed)|(known|fixed|hard-?coded) offset",
	  ORDER_KEPT },
	{ "order must|in this order|must (follow|match|agree with)|(keep|kept) in sync|"
	  "in sync with|assembly|asm-offsets|on-disk|on disk format|wire format",
	  ORDER_DOUBT },
};

/* ---- declarations of records ---- */

/* A record whose members a text declares: tokens (open, close). */
struct body {
	const struct source_text *source;
	size_t keyword, open, close;
	uint32_t record;             /* index, or UINT32_MAX: another one */
	const char *tag;             /* of the arena */
	uint64_t hashes[PREFIX_MAX]; /* of the first declarations */
	size_t count;
};

struct order_search {
	struct source_orders *orders;
	const struct source_record *records;
	size_t record_count;
	const struct source_text *sources;
	size_t source_count;
	struct body *bodies;
	size_t count, capacity;
	uint64_t left; /* bytes, of SEARCH_MAX */
	regex_t patterns[COUNT_OF(phrases)];
};

/* Appends the comments between two places of the text as the phrases have them. */
static void add_comments(const struct source_text *source, size_t from, size_t to,
			 struct strbuf *text)
{
	bool blank = true;

	for (size_t at = from; at < to; at++) {
		char c = source->text[at];

		bool stresses = c == '_' && (blank || at + 1 == to ||
					     isspace((unsigned char)source->text[at + 1]));

		/* "word\n * next", "*MUST*" and "_must_" are words alone */
		if (isspace((unsigned char)c) || c == '*' || c == '/' || c == '!' || stresses) {
			if (!blank)
				strbuf_add_char(text, ' ');
			blank = true;
			continue;
		}
		strbuf_add_char(text, (char)tolower((unsigned char)c));
		blank = false;
	}
}

static const struct phrase *phrase_in(const struct order_search *search,
				      const struct source_text *source, size_t from, size_t to)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (from >= to)
		return NULL;
	add_comments(source, from, to, &text);
	return array_find(i, phrases, text.length ? COUNT_OF(phrases) : 0,
			  !regexec(&search->patterns[i], text.data, 0, NULL, 0));
}

static void add_order(struct order_search *search, const struct source_text *source, size_t at,
		      struct source_order order)
{
	struct source_orders *orders = search->orders;

	order.path = arena_strdup(&orders->arena, source->path);
	order.line = source_line_of(source, at < source->count ? at : source->count - 1);
	array_add(orders->items, orders->count, orders->capacity) = order;
}

static char *keep_token(struct order_search *search, const struct source_text *source,
			size_t number)
{
	return arena_strndup(&search->orders->arena, source->text + source->tokens[number].start,
			     source->tokens[number].length);
}

/* Returns the token after a declaration's end: the one after its ';'. Blocks are stepped over. */
static size_t after_declaration(const struct source_text *source, size_t at, size_t end)
{
	for (; at < end && !source_is_sign(source, at, ';'); at++)
		if (source_is_sign_of(source, at, "{(["))
			at = source_closing(source, at);
	return at < end ? at + 1 : end;
}

/* Returns a declaration's first name: the word before ';', ',', '[', ':' or '='; or `end`. */
static size_t declared_name(const struct source_text *source, size_t at, size_t end)
{
	size_t name = end;

	for (; at < end; at++) {
		if (source_is_sign(source, at, '{')) {
			at = source_closing(source, at);
			name = end;
		} else if (source_is_sign(source, at, '(') && source_is_sign(source, at + 1, '*')) {
			return at + 2; /* a pointer to a function or an array */
		} else if (source_is_sign(source, at, '(')) {
			at = source_closing(source, at); /* an attribute or a macro */
		} else if (source_is_sign_of(source, at, ";,[:")) {
			return name;
		} else if (source->tokens[at].kind == TOKEN_WORD) {
			name = at;
		}
	}
	return name;
}

/* Sets the hashes of the first declarations of a body: all of their words and signs. */
static void hash_declarations(struct body *body)
{
	const struct source_text *source = body->source;

	for (size_t at = body->open + 1; at < body->close && body->count < PREFIX_MAX;) {
		size_t end = after_declaration(source, at, body->close);
		uint64_t hash = 1;

		if (end - body->open > TOKENS_MAX)
			break;

		for (; at < end; at++)
			if (source->tokens[at].kind != TOKEN_DIRECTIVE)
				hash = hash_combine(
					hash, hash_bytes(source->text + source->tokens[at].start,
							 source->tokens[at].length));
		body->hashes[body->count++] = hash;
	}
}

static void note_body(struct order_search *search, const struct source_text *source, size_t keyword,
		      size_t open, size_t name)
{
	struct body body = { .source = source,
			     .keyword = keyword,
			     .open = open,
			     .close = source_closing(source, open),
			     .record = UINT32_MAX };

	if (name >= source->count || source->tokens[name].kind != TOKEN_WORD ||
	    body.close >= source->count)
		return;
	body.tag = keep_token(search, source, name);
	for (uint32_t i = 0; i < search->record_count; i++)
		if (search->records[i].tag && !strcmp(search->records[i].tag, body.tag))
			body.record = i;
	hash_declarations(&body);
	array_add(search->bodies, search->count, search->capacity) = body;
}

/* Lists the records that a text declares with their members. */
static void list_bodies(struct order_search *search, const struct source_text *source)
{
	for (size_t at = 0; at + 2 < source->count; at++) {
		size_t open = at + 1, name = source->count;

		if (!source_is_one_of(source, at, "struct class union"))
			continue;
		/* attributes and macros may stand before the name, and bases after it */
		for (; open < source->count && open < at + 40 &&
		       !source_is_sign_of(source, open, "{;)=*");
		     open++) {
			if (source_is_sign(source, open, '('))
				open = source_closing(source, open);
			else if (source->tokens[open].kind == TOKEN_WORD && name == source->count)
				name = open;
		}
		if (!source_is_sign(source, open, '{'))
			continue;
		if (at && source_token_is(source, at - 1, "typedef")) {
			size_t close = source_closing(source, open);

			if (close + 1 < source->count &&
			    source->tokens[close + 1].kind == TOKEN_WORD)
				note_body(search, source, at, open, close + 1);
		}
		if (name < source->count)
			note_body(search, source, at, open, name);
	}
}

/* ---- what they say ---- */

/* Returns the end of the token's line with a comment, at most the next token's start. */
static size_t comment_end(const struct source_text *source, size_t token)
{
	size_t limit = token + 1 < source->count ? source->tokens[token + 1].start : source->length,
	       at = source_token_end(source, token);

	while (at < limit && source->text[at] != '\n') {
		size_t after = source_skip_comment(source->text, limit, at);

		at = after > at ? after : at + 1;
	}
	return at;
}

/* Looks at the comments of the declarations in (at, end), also of nested records. A comment in the
 * line where a declaration ends is its own; the others are of the next one. `outer` is the name of
 * the declaration of the record itself. */
static void read_comments(struct order_search *search, const struct body *body, size_t at,
			  size_t end)
{
	const struct source_text *source = body->source;

	while (at < end) {
		size_t next = after_declaration(source, at, end), name, line_end, begin;
		size_t last = next > at ? next - 1 : at;
		const struct phrase *phrase;

		if (source->tokens[at].kind == TOKEN_DIRECTIVE) {
			at++;
			continue;
		}
		begin = source_token_end(source, at - 1);
		/* the rest of the line before is of the declaration before */
		if (at - 1 > body->open || source_is_sign(source, at - 1, ';'))
			while (begin < source->tokens[at].start && source->text[begin] != '\n')
				begin++;
		line_end = comment_end(source, last);
		phrase = phrase_in(search, source, begin, source->tokens[at].start);
		if (!phrase)
			phrase =
				phrase_in(search, source, source_token_end(source, last), line_end);
		for (size_t i = at; i < last && !phrase; i++)
			phrase = phrase_in(search, source, source_token_end(source, i),
					   source->tokens[i + 1].start);
		name = declared_name(source, at, next);
		if (phrase)
			add_order(search, source, at,
				  (struct source_order){
					  .kind = phrase->kind,
					  .record = body->record,
					  .member = name < next ? keep_token(search, source, name)
								: NULL });
		at = next > at ? next : at + 1;
	}
}

/* Looks at the comment between the last declaration of a record and its end: it is about that
 * declaration ("do not put anything below here"). */
static void read_last_comment(struct order_search *search, const struct body *body)
{
	const struct source_text *source = body->source;
	const struct phrase *phrase =
		phrase_in(search, source, comment_end(source, body->close - 1),
			  source->tokens[body->close].start);

	if (phrase)
		add_order(search, source, body->close,
			  (struct source_order){ .kind = phrase->kind, .record = body->record });
}

/* Looks at the comment above the record. */
static void read_comment_above(struct order_search *search, const struct body *body)
{
	const struct source_text *source = body->source;
	size_t first = body->keyword, end, begin, lines = 0;
	const struct phrase *phrase;

	if (first && source_token_is(source, first - 1, "typedef"))
		first--;
	end = source->tokens[first].start;
	begin = first ? source_token_end(source, first - 1) : 0;
	for (size_t at = end; at > begin; at--)
		if (source->text[at - 1] == '\n' && ++lines > LINES_ABOVE) {
			begin = at;
			break;
		}
	phrase = phrase_in(search, source, begin, end);
	if (phrase)
		add_order(search, source, first,
			  (struct source_order){ .kind = phrase->kind, .record = body->record });
}

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns whether a text has the word, in code or in a comment. */
static bool source_order_has_word(const struct source_text *source, const char *word)
{
	size_t length = strlen(word);
	const char *end = source->text + source->length;

	for (const char *at = source->text;
	     (at = memmem(at, (size_t)(end - at), word, length)) != NULL; at++)
		if ((at == source->text || !is_letter(at[-1])) &&
		    (at + length == end || !is_letter(at[length])))
			return true;
	return false;
}

/* Lists the texts that name a record; to be freed. */
static const struct source_text **texts_with(const struct order_search *search, const char *tag,
					     size_t *count)
{
	const struct source_text **texts = xcalloc(search->source_count + 1, sizeof(*texts));

	*count = 0;
	for (size_t i = 0; i < search->source_count; i++)
		if (source_order_has_word(&search->sources[i], tag))
			texts[(*count)++] = &search->sources[i];
	return texts;
}

static size_t same_declarations(const struct body *a, const struct body *b)
{
	size_t same = 0;

	while (same < a->count && same < b->count && a->hashes[same] == b->hashes[same])
		same++;
	return same;
}

/* Returns whether the body is that of the record, or of another declaration of it: `typedef struct
 * a { } b`, which copies of a header have, too. */
static bool is_same_record(const struct order_search *search, const struct body *body,
			   const struct body *other)
{
	size_t number = (size_t)(other - search->bodies);

	/* the two names of a declaration are beside each other */
	return any_of(i, number ? number - 1 : 0,
		      number + 2 < search->count ? number + 2 : search->count,
		      search->bodies[i].source == other->source &&
			      search->bodies[i].open == other->open &&
			      !strcmp(search->bodies[i].tag, body->tag));
}

/* Returns whether one of the texts has the word, or there was too much to search. */
static bool is_named_beside(struct order_search *search, const struct source_text *const *texts,
			    size_t count, const char *word)
{
	for (size_t i = 0; i < count; i++) {
		if (search->left < texts[i]->length)
			return true;
		search->left -= texts[i]->length;
		if (source_order_has_word(texts[i], word))
			return true;
	}
	return false;
}

/* Finds the other record with which this one has the most first declarations in common. One that
 * some text names beside this one is preferred: code that takes one for the other names both. */
static void find_prefix(struct order_search *search, const struct body *body)
{
	const struct body *best = NULL;
	size_t most = PREFIX_MIN - 1, count = 0;
	_cleanup_free_ const struct source_text **texts = NULL;
	bool apart = true;

	if (search->left < search->count * sizeof(*body))
		return;
	search->left -= search->count * sizeof(*body);
	array_each (const struct body, other, search->bodies, search->count) {
		size_t same = same_declarations(body, other);
		bool is_apart;

		if (same < PREFIX_MIN)
			continue;
		if (is_same_record(search, body, other))
			continue;
		if (!texts)
			texts = texts_with(search, body->tag, &count);
		is_apart = !is_named_beside(search, texts, count, other->tag);
		if (is_apart > apart || (is_apart == apart && same <= most))
			continue;
		most = same;
		best = other;
		apart = is_apart;
	}
	if (best)
		add_order(search, best->source, best->keyword,
			  (struct source_order){ .kind = ORDER_PREFIX,
						 .record = body->record,
						 .other = best->tag,
						 .count = most,
						 .apart = apart });
}

/* ---- assertions ---- */

/* Returns whether a text names a record inside offsetof(). */
static bool asserts_offset(const char *text, size_t length, const char *tag)
{
	static const char *const words[] = { "offsetof(", "offsetof (" };
	_cleanup_free_ char *copy = xstrndup(text, length);

	for (size_t i = 0; i < COUNT_OF(words); i++)
		for (const char *at = copy; (at = strstr(at, words[i]));) {
			at += strlen(words[i]);
			at += strspn(at, " \t");
			at += starts_with(at, "struct ") ? 7 : 0;
			if (!strncmp(at, tag, strlen(tag)) && strchr(" ,\t", at[strlen(tag)]))
				return true;
		}
	return false;
}

static void read_assertions(struct order_search *search, const struct source_text *source)
{
	static const char names[] =
		"_Static_assert static_assert BUILD_BUG_ON BUILD_BUG_ON_MSG QEMU_BUILD_BUG_ON "
		"StaticAssertStmt StaticAssertDecl COMPILE_TIME_ASSERT BUILD_ASSERT STATIC_ASSERT "
		"G_STATIC_ASSERT assert_cc CASSERT";

	array_indexed (const struct source_token, token, at, source->tokens, source->count) {
		const char *text = source->text + token->start;
		size_t length = 0;

		if (token->kind == TOKEN_DIRECTIVE) {
			_cleanup_free_ char *line = xstrndup(text, token->length);

			/* a macro that asserts for its users, such as FOLIO_MATCH() */
			if (strstr(line, "define") &&
			    (strstr(line, "ssert") || strstr(line, "BUILD_BUG_ON")))
				length = token->length;
		} else if (source_is_one_of(source, at, names) &&
			   source_is_sign(source, at + 1, '(')) {
			size_t close = source_closing(source, at + 1);

			length = close < source->count
					 ? source_token_end(source, close) - token->start
					 : 0;
			length = length < ASSERTION_MAX ? length : ASSERTION_MAX;
		}
		for (uint32_t i = 0; length && i < search->record_count; i++)
			if (search->records[i].tag &&
			    asserts_offset(text, length, search->records[i].tag))
				add_order(search, source, at,
					  (struct source_order){ .kind = ORDER_ASSERTED,
								 .record = i });
	}
}

COMPARISON(compare_orders, struct source_order,
	   ASCENDING(record) ASCENDING(kind) BY_TEXT(path) ASCENDING(line))

void source_orders_init(struct source_orders *orders, const struct source_record *records,
			size_t record_count, const struct source_text *sources, size_t source_count)
{
	struct order_search search = { .orders = orders,
				       .records = records,
				       .record_count = record_count,
				       .sources = sources,
				       .source_count = source_count,
				       .left = SEARCH_MAX };
	const struct body **last = xcalloc(record_count + 1, sizeof(*last)); /* of each record */

	*orders = (struct source_orders){ 0 };
	for (size_t i = 0; i < COUNT_OF(phrases); i++)
		if (regcomp(&search.patterns[i], phrases[i].pattern, REG_EXTENDED | REG_NOSUB))
			check_library_memory();
	for (size_t i = 0; i < source_count; i++) {
		list_bodies(&search, &sources[i]);
		read_assertions(&search, &sources[i]);
	}
	array_each (const struct body, body, search.bodies, search.count) {
		const struct body *outer = body->record == UINT32_MAX ? NULL : last[body->record];

		/* a record in itself has been read with the outer one */
		if (body->record == UINT32_MAX ||
		    (outer && outer->source == body->source && outer->open < body->open &&
		     body->open < outer->close))
			continue;
		last[body->record] = body;
		read_comment_above(&search, body);
		read_comments(&search, body, body->open + 1, body->close);
		read_last_comment(&search, body);
		find_prefix(&search, body);
	}
	free_all(last, search.bodies);
	for (size_t i = 0; i < COUNT_OF(phrases); i++)
		regfree(&search.patterns[i]);
	array_sort(orders->items, orders->count, compare_orders);
}

void source_orders_deinit(struct source_orders *orders)
{
	free(orders->items);
	arena_deinit(&orders->arena);
	*orders = (struct source_orders){ 0 };
}
