// SPDX-License-Identifier: GPL-2.0-or-later
/* The tokens of C and C++: see source.h. */
#include "report/layout/source_scan.h"

#include "base/text.h"

static bool starts_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

static bool in_word(char c)
{
	return starts_word(c) || (c >= '0' && c <= '9');
}

uint32_t source_hash_word(const char *text, size_t length)
{
	uint32_t hash = 2166136261U;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 16777619U;
	return hash ?: 1;
}

size_t source_skip_comment(const char *text, size_t length, size_t at)
{
	if (at + 1 >= length || text[at] != '/')
		return at;
	if (text[at + 1] == '/') {
		while (at < length && text[at] != '\n')
			at++;
		return at;
	}
	if (text[at + 1] != '*')
		return at;
	for (at += 2; at + 1 < length; at++)
		if (text[at] == '*' && text[at + 1] == '/')
			return at + 2;
	return length;
}

/* Returns the end of the directive that begins at `at`: of its last line, before the newline. */
static size_t skip_directive(const char *text, size_t length, size_t at)
{
	while (at < length && text[at] != '\n') {
		size_t after = source_skip_comment(text, length, at);

		if (after != at)
			at = after;
		else if (text[at] == '\\' && at + 1 < length && text[at + 1] == '\n')
			at += 2;
		else
			at++;
	}
	return at < length ? at : length;
}

/* Returns the end of the string or character constant that begins at `at`. */
static size_t skip_constant(const char *text, size_t length, size_t at)
{
	char quote = text[at++];

	while (at < length && text[at] != quote && text[at] != '\n')
		at += text[at] == '\\' ? 2 : 1;
	return at < length ? at + 1 : length;
}

static void match_brackets(struct source_text *source)
{
	_cleanup_free_ uint32_t *stack = NULL;
	size_t depth = 0, capacity = 0;

	for (size_t i = 0; i < source->count; i++) {
		if (source_is_open(source, i)) {
			source->tokens[i].partner = (uint32_t)source->count;
			array_add(stack, depth, capacity) = (uint32_t)i;
		} else if (depth && source_is_sign_of(source, i, ")]}")) {
			source->tokens[i].partner = stack[--depth];
			source->tokens[stack[depth]].partner = (uint32_t)i;
		}
	}
}

void source_text_init(struct source_text *source, const char *path, const char *text, size_t length)
{
	size_t capacity = 0;
	bool line_start = true;

	*source = (struct source_text){ .path = path, .text = text, .length = length };
	if (length > UINT32_MAX)
		return;
	for (size_t at = 0; at < length;) {
		struct source_token token = { .start = (uint32_t)at };
		size_t end;
		char c = text[at];

		if (c == '\n' || c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
			line_start |= c == '\n';
			at++;
			continue;
		}
		end = source_skip_comment(text, length, at);
		if (end != at) {
			at = end;
			continue;
		}
		if (c == '#' && line_start) {
			token.kind = TOKEN_DIRECTIVE;
			end = skip_directive(text, length, at);
		} else if (starts_word(c)) {
			while (end < length && in_word(text[end]))
				end++;
			token.hash = source_hash_word(text + at, end - at);
		} else if (c >= '0' && c <= '9') {
			token.kind = TOKEN_NUMBER;
			while (end < length && (in_word(text[end]) || text[end] == '.'))
				end++;
		} else if (c == '"' || c == '\'') {
			token.kind = TOKEN_TEXT;
			end = skip_constant(text, length, at);
		} else {
			token.kind = TOKEN_SIGN;
			token.sign = c;
			end += c == '-' && at + 1 < length && text[at + 1] == '>' ? 2 : 1;
		}
		line_start = false;
		token.length = (uint32_t)(end - at);
		array_add(source->tokens, source->count, capacity) = token;
		at = end;
	}
	match_brackets(source);
}

void source_text_deinit(struct source_text *source)
{
	free(source->tokens);
	source->tokens = NULL;
	source->count = 0;
}

bool source_token_is(const struct source_text *source, size_t number, const char *text)
{
	size_t length = strlen(text);

	return number < source->count && source->tokens[number].length == length &&
	       memcmp(source->text + source->tokens[number].start, text, length) == 0;
}

bool source_is_one_of(const struct source_text *source, size_t number, const char *words)
{
	const struct source_token *token;
	const char *text;

	if (number >= source->count || source->tokens[number].sign)
		return false;
	token = &source->tokens[number];
	text = source->text + token->start;
	while (*words) {
		size_t same = 0;

		while (same < token->length && words[same] == text[same])
			same++;
		if (same == token->length && (!words[same] || words[same] == ' '))
			return true;
		for (words += same; *words && *words != ' ';)
			words++;
		words += *words == ' ';
	}
	return false;
}

size_t source_find_sign(const struct source_text *source, size_t at, char sign)
{
	while (at < source->count && !source_is_sign(source, at, sign))
		at++;
	return at;
}

unsigned int source_line_of(const struct source_text *source, size_t number)
{
	size_t end = number < source->count ? source->tokens[number].start : source->length;
	unsigned int line = 1;

	for (const char *at = source->text;
	     (at = memchr(at, '\n', end - (size_t)(at - source->text))) != NULL; at++)
		line++;
	return line;
}

size_t source_size_end(const struct source_text *source, size_t at)
{
	if (source_is_sign(source, at + 1, '('))
		return source_closing(source, at + 1) + 1;
	for (size_t end = at++ + OPERAND_MAX;
	     at < end && (source_is_sign(source, at, '*') || source_is_word(source, at) ||
			  source_is_sign(source, at, '[') || source_is_selector(source, at));
	     at++)
		if (source_is_sign(source, at, '['))
			at = source_closing(source, at);
	return at;
}

size_t source_operand_end(const struct source_text *source, size_t at)
{
	size_t end = source_is_sign(source, at, '(') ? source_closing(source, at) + 1
		     : source_is_word(source, at) ||
				     (at < source->count && source->tokens[at].kind == TOKEN_NUMBER)
			     ? at + 1
			     : at;

	while (end > at && end < source->count) {
		if (source_is_sign_of(source, end, "[("))
			end = source_closing(source, end) + 1;
		else if (source_is_selector(source, end) && source_is_word(source, end + 1))
			end += 2;
		else
			break;
	}
	return end;
}

bool source_is_plain_type(const struct source_text *source, size_t number)
{
	return source_is_one_of(source, number,
				"void char unsigned int long short signed byte Byte Bytef float "
				"double size_t int8_t int16_t int32_t int64_t uint8_t uint16_t "
				"uint32_t uint64_t u8 u16 u32 u64 s8 s16 s32 s64");
}

enum source_callee source_callee(const struct source_text *source, size_t token)
{
	static const struct {
		const char *names;
		enum source_callee kind;
	} known[] = {
		{ "memcpy memmove memset bzero bcopy", CALLEE_MEMORY },
		{ "memcmp bcmp", CALLEE_COMPARE },
		{ "write pwrite fwrite send sendto read pread fread recv recvfrom", CALLEE_FILE },
		{ "mmap mmap64", CALLEE_MAP },
		{ "qsort qsort_r bsearch lfind lsearch mergesort heapsort", CALLEE_SORT },
		{ "container_of CONTAINER_OF containerof offsetof OFFSETOF __builtin_offsetof",
		  CALLEE_NAME },
	};
	static const char *const transfers[] = { "write",  "Write",    "send",   "Send", "recv",
						 "Recv",   "read",     "Read",   "hash", "Hash",
						 "crc",    "checksum", "digest", "md5",  "sha1",
						 "sha256", "sha512" };
	static const char *const others[] = { "thread", "Thread", "spread", "ready", "Ready" };
	const struct source_token *word = &source->tokens[token];
	_cleanup_free_ char *name = xstrndup(source->text + word->start, word->length);

	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (source_is_one_of(source, token, known[i].names))
			return known[i].kind;
	if (ends_with(name, "_entry") || strstr(name, "for_each_entry"))
		return CALLEE_NAME_LIKE;
	return !any_of(i, 0, COUNT_OF(others), strstr(name, others[i])) &&
			       any_of(i, 0, COUNT_OF(transfers), strstr(name, transfers[i]))
		       ? CALLEE_FILE_LIKE
		       : CALLEE_OTHER;
}

bool source_finds_by_name(const struct source_text *source, size_t token)
{
	enum source_callee kind = source_callee(source, token);

	return kind == CALLEE_NAME || kind == CALLEE_NAME_LIKE;
}

bool source_is_zero_literal(const struct source_text *source, size_t first, size_t end)
{
	if (source_is_sign(source, first, '('))
		first = source_closing(source, first) + 1;
	if (first >= end || !source_is_sign(source, first, '{'))
		return false;
	for (; first < end; first++)
		if (!source_is_sign_of(source, first, "{}") &&
		    !source_is_one_of(source, first, "0 NULL"))
			return false;
	return true;
}

struct source_surroundings *source_surroundings(const struct source_text *source)
{
	struct source_surroundings *around = xcalloc(source->count + 1, sizeof(*around)),
				   *here = around;
	uint32_t brace = NO_BRACE, statement = 0;
	size_t depth = 0;

	for (uint32_t i = 0; i < source->count; i++) {
		bool text_before = i && source->tokens[i - 1].kind == TOKEN_TEXT; /* extern "C" { */

		*here++ = (struct source_surroundings){ statement, brace, !depth };
		if (source_is_sign_of(source, i, ";{})") ||
		    source->tokens[i].kind == TOKEN_DIRECTIVE)
			statement = i + 1;
		if (source_is_sign(source, i, '{')) {
			brace = i;
			depth += !text_before;
		} else if (source_is_sign(source, i, '}')) {
			brace = brace == NO_BRACE ? NO_BRACE : around[brace].brace;
			depth -= depth > 0;
		}
	}
	return around;
}
