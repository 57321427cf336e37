/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of reading one text, for the files that implement source_uses_init(): source.c
 * (variables, and what depends on the order of members) and source_places.c (all other places that
 * a change of the record changes).
 */
#pragma once

#include "base/hash.h"
#include "report/layout/source.h"

#define NO_TARGET UINT32_MAX

#define TOKENS_OF_CALL 400 /* of a call, an operand or a value that are looked at */

/* A type whose variables are tracked: a record, or the type of a record's first member. */
struct source_target {
	uint32_t record; /* index, or NO_TARGET */
	uint32_t base;   /* target of its first member, or NO_TARGET */
};

/* Sets and tells the bit of a word's hash. */
static inline void source_set_bit(uint64_t bits[64], uint32_t hash)
{
	bits[hash % 64] |= UINT64_C(1) << (hash >> 6) % 64;
}
static inline bool source_has_bit(const uint64_t bits[64], uint32_t hash)
{
	return bits[hash % 64] >> (hash >> 6) % 64 & 1;
}

struct target_name {
	const char *text;
	uint32_t hash, target;
	uint32_t pointers; /* 0: the record itself */
	bool tag;          /* used after "struct" */
	bool array;        /* of records */
};

struct finder {
	const struct source_record *records;
	const struct source_names *known; /* by debug information */
	const struct source_text *sources;
	bool cxx; /* some of the sources are in C++ */
	struct source_target *targets;
	size_t target_count;
	struct target_name *names;
	size_t name_count, name_capacity;
	struct hash_index by_name; /* of names */
	uint64_t accessed[64];     /* bits of the hashes of source_record.accessed */
	uint64_t related[64];      /* the same of all words that lead to a record */
	struct source_macros *macros;
	struct source_walker *walkers; /* of all files */
	size_t walker_count, walker_capacity;
	struct hash_index by_walker;
	struct file_uses *files;
	struct arena arena;
};

/* A function that walks over the bytes that one of its parameters points to. */
struct source_walker {
	uint32_t name; /* hash */
	size_t parameter;
};

/* The uses and the typedefs of one file. Each file has its own, so threads share nothing. */
struct file_uses {
	struct source_use *items;
	size_t count, capacity;
	struct target_name *aliases;
	size_t alias_count, alias_capacity;
	struct source_walker *walkers;
	size_t walker_count, walker_capacity;
	struct arena arena;
};

struct source_variable {
	uint32_t hash, target;
	uint32_t pointers; /* 0: the record itself */
	uint32_t hidden;   /* number of the older variable of the name, plus 1; 0: none */
	size_t token;      /* that declares it */
	bool is_global;
};

/* A variable that was set to the address of a record or of a member. */
struct member_pointer {
	uint32_t hash, target;
	size_t member; /* token of its name; source->count: of the record */
	size_t token;  /* the place */
	enum pointer_reach { REACH_MEMBER, REACH_BYTES, REACH_INTEGER } reach;
};

/* The state of reading one text. */
struct scan {
	const struct finder *finder;
	const struct source_text *source;
	struct file_uses *file;
	struct source_variable *variables;
	size_t variable_count, variable_capacity;
	size_t local;                    /* no variable before this one is local */
	struct hash_map by_hash;         /* number of the newest variable, plus 1 */
	struct member_pointer *pointers; /* of the function */
	size_t pointer_count, pointer_capacity;
	size_t function;  /* a token from the end of the function before to the name of this one */
	size_t semicolon; /* the last one that was searched for */
	/* the line of the last use, and the byte where it was */
	unsigned int line;
	size_t line_at;
	bool cxx;
};

/* Adds a use, which is returned, or NULL if the target is no record. */
struct source_use *source_add_use(struct scan *scan, enum source_use_kind kind, uint32_t target,
				  size_t token, const char *detail);
/* An expression of names, members, indexes, calls and brackets. Its type is `pointers` pointers to
 * the record, if that is known; else target is NO_TARGET, and `other` tells that it is of a type
 * that has nothing to do with a record. */
struct source_expression {
	size_t first; /* token that it begins with; that after it: there is none */
	uint32_t target;
	int pointers;
	bool other, is_void;
};

/* Returns the variable of this name whose declaration is nearest, or NULL. */
const struct source_variable *source_variable_at(const struct scan *scan, size_t number);
/* Returns the target of the type at `number`, and *end after it; or NO_TARGET. */
uint32_t source_type_at(const struct finder *finder, const struct source_text *source,
			size_t number, bool cxx, size_t *end);
/* Returns the target of a typedef of *pointers to a record, or NO_TARGET. */
uint32_t source_pointer_type_at(const struct finder *finder, const struct source_text *source,
				size_t number, uint32_t *pointers);
/* Returns the last word of the type that declares the name `number` ("x y", "x *y", "x z, *y"), or
 * SIZE_MAX if nothing before it does. */
size_t source_declaring_type(const struct source_text *source, size_t number);
/* Returns the target whose size is given by "sizeof(T)", "sizeof(*x)", "sizeof(x[i])" or "sizeof x"
 * at `at`, and sets *end to the token after it. Returns NO_TARGET if none of these is there. */
uint32_t source_size_of_at(const struct scan *scan, size_t at, size_t *end);

/* A kind of functions and macros by their names. */
enum source_callee {
	CALLEE_OTHER,
	CALLEE_MEMORY,
	CALLEE_COMPARE,
	CALLEE_FILE,
	CALLEE_FILE_LIKE,
	CALLEE_MAP,
	CALLEE_SORT,
	CALLEE_NAME,
	CALLEE_NAME_LIKE
};

/* Returns what the function or macro whose name is at the token does with its arguments. */
enum source_callee source_callee(const struct source_text *source, size_t token);
/* Returns whether a function or macro of this name finds a record by the name of a member. */
bool source_finds_by_name(const struct source_text *source, size_t token);

/* The origin of a token of an expanded text. */
enum source_origin_kind {
	ORIGIN_TEXT,     /* the source, outside of macros */
	ORIGIN_ARGUMENT, /* an argument of a macro */
	ORIGIN_BODY,     /* the body of a macro */
	ORIGIN_PASTED,   /* both sides of "##" */
};

struct source_origin {
	uint32_t at; /* byte of the source: of the token, or of the outermost macro's name */
	uint8_t kind;
};

/* A text with its macros expanded. */
struct source_expansion {
	struct source_text text;
	char *bytes;
	struct source_origin *origins; /* of each token */
};

/* Collects the macros that the sources define, which must outlive them. */
struct source_macros *source_macros_create(const struct source_text *sources, size_t count);
/* Adds the names of macros whose bodies have a related word to finder->related. */
void source_macros_relate(struct finder *finder);
/* Returns whether the word is the name of one. */
bool source_macros_have(const struct source_macros *macros, const struct source_text *source,
			size_t word);
void source_macros_destroy(struct source_macros *macros);
/* Returns false if the text has none of the macros. */
bool source_expansion_init(struct source_expansion *expansion, const struct source_macros *macros,
			   const struct source_text *source);
void source_expansion_deinit(struct source_expansion *expansion);

/* Returns the expression that ends before the token `end`. */
struct source_expression source_expression_before(const struct scan *scan, size_t end);
/* Returns whether the variable is declared with another type, or is a parameter of one. Sets
 * *is_void to whether it is a pointer to anything. */
bool source_is_declared_other(const struct scan *scan, size_t name, bool leads, bool *is_void);
/* Returns whether the token is a "=" that assigns. */
bool source_is_assignment(const struct source_text *source, size_t at);
const char *source_keep_word(struct arena *arena, const struct source_text *source, size_t number);
/* Returns whether one of the records, or several of it, have this size. */
bool source_has_size(const struct finder *finder, uint64_t size);
/* Returns the size of a target, or a number larger than any size if it is not known. */
uint64_t source_record_size(const struct finder *finder, uint32_t target);
/* Returns whether any pointer may be cast to the type, which then tells nothing. */
bool source_is_plain_type(const struct source_text *source, size_t number);
/* Skips the brackets "[...]" after a variable. Returns how many there are, at most `most`. */
uint32_t source_skip_indices(const struct source_text *source, size_t *at, uint32_t most);
/* Returns the variable x of "&x->member", "&x.member", "&x[i].member", and *member; or NULL. */
const struct source_variable *source_member_address_at(const struct scan *scan, size_t at,
						       size_t *member);
/* Returns the token after the number, or the names, members, indexes and calls, at `at`. */
size_t source_operand_end(const struct source_text *source, size_t at);
/* Returns whether the name at a token has this word in it, in small letters or large ones. */
bool source_holds(const struct source_text *source, size_t at, const char *word);
/* Collects the functions of a file that walk over bytes. */
void addresses_find_walkers(const struct source_text *source, struct file_uses *file);
/* Adds what is reached by addresses, where an address is made, moved or passed at a token. */
void addresses_check(struct scan *scan, size_t at);

void places_init_filter(struct finder *finder, size_t record_count);
/* Adds a variable, member or parameter that is the record itself, or an array of it. */
void places_add_object(struct scan *scan, uint32_t target, size_t name);
/* Adds a pointer to the record that is in a union with one to bytes or numbers. */
void places_add_pointer(struct scan *scan, uint32_t target, size_t name);
/* Adds what begins at a token: an access to a member, a size, an assignment of a whole record. */
void places_check(struct scan *scan, size_t at);
