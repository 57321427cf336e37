/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C and C++ source as far as advice on a record needs it: its tokens, and the places that depend on
 * the order of the record's members.
 *
 * Nothing is parsed: places are found by patterns of tokens, also of those that the macros of the
 * sources make, and a variable has the type of its nearest declaration above. Text comes from the
 * caller.
 */
#pragma once

#include "base/memory.h"

enum source_token_kind {
	TOKEN_WORD,
	TOKEN_NUMBER,
	TOKEN_TEXT,      /* a string or character constant */
	TOKEN_SIGN,      /* one character of punctuation, or "->" */
	TOKEN_DIRECTIVE, /* of the preprocessor: the whole line, with its continuations */
};

/* A token, without the comments and blanks around it. */
struct source_token {
	uint32_t start, length; /* bytes */
	union {
		uint32_t hash;    /* of words: equal for equal text; else 0 */
		uint32_t partner; /* of brackets: see source_closing() and source_opening() */
	};
	uint8_t kind; /* enum source_token_kind */
	char sign;    /* TOKEN_SIGN: its first character; else 0 */
};

struct source_text {
	const char *path;
	const char *text;
	size_t length;
	struct source_token *tokens;
	size_t count;
};

/* Cuts the text into tokens, which source_text_deinit() frees. Longer texts than 4 GB have none. */
void source_text_init(struct source_text *source, const char *path, const char *text,
		      size_t length);
void source_text_deinit(struct source_text *source);
/* Returns whether token `number` exists and has this text. */
bool source_token_is(const struct source_text *source, size_t number, const char *text);
/* Returns whether token `number` exists and is this single character of punctuation. */
static inline bool source_is_sign(const struct source_text *source, size_t number, char sign)
{
	return number < source->count && source->tokens[number].sign == sign &&
	       source->tokens[number].length == 1;
}
/* Returns whether token `number` exists and is one of these characters of punctuation. */
static inline bool source_is_sign_of(const struct source_text *source, size_t number,
				     const char *signs)
{
	return number < source->count && source->tokens[number].sign &&
	       source->tokens[number].length == 1 && strchr(signs, source->tokens[number].sign);
}
/* Returns whether token `number` exists and is one of these words, with a blank between them. */
bool source_is_one_of(const struct source_text *source, size_t number, const char *words);
static inline bool source_is_word(const struct source_text *source, size_t number)
{
	return number < source->count && source->tokens[number].kind == TOKEN_WORD;
}
static inline bool source_is_arrow(const struct source_text *source, size_t number)
{
	return number < source->count && source->tokens[number].sign == '-' &&
	       source->tokens[number].length == 2;
}
/* Returns whether token `number` exists and is "." or "->". */
static inline bool source_is_selector(const struct source_text *source, size_t number)
{
	return source_is_sign(source, number, '.') || source_is_arrow(source, number);
}
/* Returns whether the token before `number` is "." or "->". */
static inline bool source_is_selected(const struct source_text *source, size_t number)
{
	return number && source_is_selector(source, number - 1);
}
/* Returns the FNV-1a hash of the bytes of a word, as in its token. */
uint32_t source_hash_word(const char *text, size_t length);
/* Returns the byte after the token. */
static inline size_t source_token_end(const struct source_text *source, size_t number)
{
	return source->tokens[number].start + source->tokens[number].length;
}
/* Returns the number of the line that the token is in, from 1 on. */
unsigned int source_line_of(const struct source_text *source, size_t number);
/* Returns the first token from `at` on that is this sign, or source->count. */
size_t source_find_sign(const struct source_text *source, size_t at, char sign);
static inline bool source_is_open(const struct source_text *source, size_t number)
{
	return source_is_sign_of(source, number, "([{");
}
/* Returns the token that closes the bracket `open`, or source->count. Brackets of all kinds are
 * counted alike. */
static inline size_t source_closing(const struct source_text *source, size_t open)
{
	return source_is_open(source, open) ? source->tokens[open].partner : source->count;
}
/* Returns the token of the bracket that the one at `close` closes, or 0. */
static inline size_t source_opening(const struct source_text *source, size_t close)
{
	return source_is_sign_of(source, close, ")]}") ? source->tokens[close].partner : close;
}

#define OPERAND_MAX 1000 /* tokens of an operand, without those in brackets */

/* Returns the token after the operand of the sizeof at `at`. */
size_t source_size_end(const struct source_text *source, size_t at);
/* Returns whether the tokens [first, end) are "{ 0 }" or "(T){ 0 }". */
bool source_is_zero_literal(const struct source_text *source, size_t first, size_t end);

/* The statement and the braces around a token. */
struct source_surroundings {
	uint32_t statement; /* the first token of the statement that has it, in a block or file */
	uint32_t brace;     /* the innermost one that is open before it, or NO_BRACE */
	bool at_file_level; /* outside of all functions */
};

#define NO_BRACE UINT32_MAX

/* Returns the surroundings of each token, to be freed. */
struct source_surroundings *source_surroundings(const struct source_text *source);

/* Returns the end of the comment that begins at `at`, or `at` if none does. */
size_t source_skip_comment(const char *text, size_t length, size_t at);

enum source_use_kind {
	SOURCE_BY_POSITION, /* an initializer without the members' names */
	SOURCE_BY_NAME,     /* container_of(), offsetof() and the like, which follow the member */
	SOURCE_CAST_BASE,   /* a pointer to the record, cast to one to its first member */
	SOURCE_CAST,        /* a pointer to the record, cast to one to another record */
	SOURCE_RANGE,       /* memcpy(), memset() or memcmp() of several members */
	SOURCE_ARITHMETIC,  /* from the address of one member to others */
	SOURCE_BYTES,       /* its bytes are reached by offsets, numbers or a union */
	SOURCE_COMPARED,    /* memcmp() of the whole record */
	SOURCE_WRITTEN,     /* the whole record goes to a file or socket, or comes from one */
	SOURCE_SORTED,      /* objects of an array are found or moved as a whole, by qsort() */
	SOURCE_CONSTRAINTS, /* the kinds above are of places that depend on the order of members */

	/* with source_record.accessed: places that change if members leave the record */
	SOURCE_ACCESS = SOURCE_CONSTRAINTS, /* x.member or x->member */
	SOURCE_MACRO,                       /* the same in the definition of a macro */
	SOURCE_DESIGNATED,                  /* .member = in an initializer */
	SOURCE_SIZE,                        /* sizeof */
	SOURCE_ALLOCATED,                   /* sizeof, or new, where objects are allocated */
	SOURCE_OBJECT,                      /* a variable or member that is the record itself */
	SOURCE_COPIED,                      /* "x = y;" of whole records */
	SOURCE_VALUE,                       /* a whole record is used in any other way */
	SOURCE_FREED,                       /* free() or the like of an object */
	SOURCE_EXPANDED, /* one of these in what a macro makes of its arguments */
	SOURCE_USE_KINDS,
};

/* A place in the source that depends on a record. */
struct source_use {
	enum source_use_kind kind;
	uint32_t record; /* index */
	const char *path;
	unsigned int line;
	uint32_t at;        /* byte of the text: of the member's name, of sizeof, of the callee */
	const char *detail; /* the member, the function or the other type; "": none */
	bool doubtful;      /* SOURCE_ACCESS and the like: it may be of another record */
};

/* A record to look for. */
struct source_record {
	const char *tag;   /* "list_node"; of an unnamed record, its typedef */
	bool is_typedef;   /* `tag` is a typedef's name */
	const char *first; /* the first member's type without "struct", if it is a record; NULL */
	uint64_t size;     /* of an object; 0: not known */
	const char **members; /* names, for sizes */
	const uint64_t *sizes;
	size_t member_count;
	const char **accessed; /* names of members whose accesses are searched for, too */
	const bool *unique;    /* no other record has a member of the name; NULL: not known */
	size_t accessed_count; /* 0: none are, nor are sizes and copies */
};

/* NAMED_OWN: a member of one of the searched records. NAMED_VARIABLE is of all functions. */
enum source_name_kind { NAMED_MEMBER, NAMED_FUNCTION, NAMED_VARIABLE, NAMED_TYPE, NAMED_OWN };

/* A name that leads to a record, by debug information: all members, functions, variables or
 * typedefs that have it are, or return, `pointers` pointers to the record, or `others` are not. Of
 * variables and members also a name that leads to none: record NO_TARGET. */
struct source_name {
	const char *text;
	enum source_name_kind kind;
	uint32_t record, pointers;
	bool others;
};

struct source_names {
	const struct source_name *items; /* by text */
	size_t count;
};

struct source_uses {
	struct source_use *items; /* by record, kind, path and line */
	size_t count, capacity;
	struct arena arena;
};

/* Finds the uses of records in all texts, on up to `threads` threads. `names` may be NULL. */
void source_uses_init(struct source_uses *uses, const struct source_record *records,
		      size_t record_count, const struct source_names *names,
		      const struct source_text *sources, size_t source_count, unsigned int threads);
void source_uses_deinit(struct source_uses *uses);
