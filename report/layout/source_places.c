// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the places that change if members leave a record: accesses to them, and where the record is
 * created, copied or measured.
 *
 * Every ".name" and "->name" of a member is a place, so that none is missed, whatever the
 * expression before it is; in C++ also the name alone. It is left out only if that is a variable
 * which is declared as something else, and doubtful if nothing tells its type.
 */
#include "report/layout/source_scan.h"

#include "base/text.h"

#define LOOK_BACK 3000 /* tokens before a name in which its declaration is searched for */
#define CALL_BACK 60   /* tokens before a size in which the call is searched for */

void places_init_filter(struct finder *finder, size_t record_count)
{
	for (size_t i = 0; i < record_count; i++)
		for (size_t k = 0; k < finder->records[i].accessed_count; k++) {
			const char *name = finder->records[i].accessed[k];
			uint32_t hash = source_hash_word(name, strlen(name));

			finder->accessed[hash % 64] |= UINT64_C(1) << (hash >> 6) % 64;
		}
}

/* Returns the name of the record's member that has these bytes, or NULL. */
static const char *member_named(const struct source_record *record, const char *text, size_t length)
{
	for (size_t i = 0; i < record->accessed_count; i++)
		if (!strncmp(record->accessed[i], text, length) && !record->accessed[i][length])
			return record->accessed[i];
	return NULL;
}

static bool may_be_member(const struct finder *finder, uint32_t hash)
{
	return finder->accessed[hash % 64] >> (hash >> 6) % 64 & 1;
}

static bool is_struct_or_class(const struct source_text *source, size_t number)
{
	return source_token_is(source, number, "struct") ||
	       source_token_is(source, number, "class");
}

static bool is_searched(const struct scan *scan, uint32_t target)
{
	uint32_t record = target == NO_TARGET ? NO_TARGET : scan->finder->targets[target].record;

	return record != NO_TARGET && scan->finder->records[record].accessed_count;
}

/* Returns the token before `at`, skipping an index or the arguments of a call that end there. */
static size_t before_suffix(const struct source_text *source, size_t at)
{
	while (at && source_is_sign(source, at - 1, ']')) {
		size_t depth = 0;

		do {
			at--;
			depth += source_is_sign(source, at, ']');
			depth -= source_is_sign(source, at, '[');
		} while (at && depth);
	}
	return at ? at - 1 : 0;
}

/* Returns whether the brace at `open` begins the body of a record. */
static bool opens_record(const struct source_text *source, size_t open)
{
	while (open-- > 0) {
		if (is_struct_or_class(source, open))
			return true;
		if (source_is_sign(source, open, ';') || source_is_sign(source, open, ')') ||
		    source_is_sign(source, open, '{') || source_is_sign(source, open, '}'))
			return false;
	}
	return false;
}

/* Returns whether the token is in the body of a record, and in no block within. */
static bool is_in_record(const struct source_text *source, size_t at)
{
	int depth = 0;

	for (size_t left = LOOK_BACK; at-- > 0 && left > 0; left--) {
		depth += source_is_sign(source, at, '}');
		if (source_is_sign(source, at, '{') && depth-- == 0)
			return opens_record(source, at);
	}
	return false;
}

/* Returns whether the declaration of the variable at `at` is of another type than a record. */
static bool has_other_type(const struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	size_t end;

	while (at && (source_is_sign(source, at - 1, '*') || source_is_sign(source, at - 1, '&')))
		at--;
	/* templates, and types that are derived, tell nothing */
	if (!at || source_token_is(source, at - 1, "auto") ||
	    source_token_is(source, at - 1, "const") ||
	    source_type_at(scan->finder, source, at - 1, scan->cxx, &end) != NO_TARGET)
		return false;
	return at < 2 || source_type_at(scan->finder, source, at - 2, scan->cxx, &end) == NO_TARGET;
}

/* Returns whether the variable is declared with another type, in a block around it or as a
 * parameter of the function. */
static bool is_declared_other(const struct scan *scan, size_t name)
{
	const struct source_text *source = scan->source;
	uint32_t hash = source->tokens[name].hash;
	int depth = 0;

	for (size_t i = name, left = LOOK_BACK; i-- > 0 && left > 0; left--) {
		const struct source_token *token = &source->tokens[i];

		if (token->sign == '}' && (!token->start || source->text[token->start - 1] == '\n'))
			return false;
		if (token->sign == '}' || token->sign == ')') {
			depth++;
		} else if (token->sign == '{' && depth) {
			depth--;
		} else if (token->sign == '{') {
			if (opens_record(source, i))
				return false;
			/* what is in the brackets before it is seen in the block */
			depth = i && source_is_sign(source, i - 1, ')') ? -1 : 0;
		} else if (token->sign == '(') {
			depth -= depth > 0;
		} else if (depth <= 0 && token->hash == hash && source_declares_other(source, i)) {
			return !is_in_record(source, i) && has_other_type(scan, i);
		}
	}
	return false;
}

/* Adds an access for each record that has a member of the name at `name`, after '.' or "->". */
static void check_access(struct scan *scan, size_t sign, size_t name)
{
	const struct source_text *source = scan->source;
	const struct source_token *token = &source->tokens[name];
	size_t base = before_suffix(source, sign);
	bool word = sign && source_is_word(source, base) && !source_is_sign(source, sign - 1, ')');
	/* an element of a chain has no declaration of its own */
	bool chained = word && base &&
		       (source_is_sign(source, base - 1, '.') || source_is_arrow(source, base - 1));
	const struct source_variable *variable =
		word && !chained ? source_variable_at(scan, base) : NULL;
	bool other = word && !chained && !variable && !source_token_is(source, base, "this") &&
		     is_declared_other(scan, base);

	if (other)
		return;
	for (uint32_t target = 0; target < scan->finder->target_count; target++) {
		uint32_t record = scan->finder->targets[target].record;
		const char *member;
		struct source_use *use;

		if (record == NO_TARGET || (variable && variable->target != target))
			continue;
		member = member_named(&scan->finder->records[record], source->text + token->start,
				      token->length);
		use = member ? source_add_use(scan, SOURCE_ACCESS, target, name, member) : NULL;
		if (!use)
			continue;
		use->doubtful = !variable;
		if (!word && sign && source_is_sign(source, name + 1, '=') &&
		    (source_is_sign(source, sign - 1, '{') ||
		     source_is_sign(source, sign - 1, ',')))
			use->kind = SOURCE_DESIGNATED;
	}
}

static bool is_in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* Adds the accesses in the definition of a macro, which is one token. */
static void check_macro(struct scan *scan, size_t at)
{
	const struct source_token *token = &scan->source->tokens[at];
	const char *text = scan->source->text + token->start, *end = text + token->length;

	for (const char *c = text + 1; c < end; c++) {
		const char *name = c + 1;
		size_t length = 0;

		if (*c != '.' && !(*c == '>' && c[-1] == '-'))
			continue;
		while (name < end && (*name == ' ' || *name == '\t'))
			name++;
		while (name + length < end && is_in_word(name[length]))
			length++;
		if (!length || !may_be_member(scan->finder, source_hash_word(name, length)))
			continue;
		for (uint32_t target = 0; target < scan->finder->target_count; target++) {
			uint32_t record = scan->finder->targets[target].record;
			const char *member = record == NO_TARGET
						     ? NULL
						     : member_named(&scan->finder->records[record],
								    name, length);
			struct source_use *use =
				member ? source_add_use(scan, SOURCE_MACRO, target, at, member)
				       : NULL;

			if (!use)
				continue;
			use->doubtful = true;
			for (const char *k = text; k < name; k++)
				use->line += *k == '\n';
		}
	}
}

/* Returns whether the token is within the arguments of a function that allocates. */
static bool is_allocation(const struct source_text *source, size_t at)
{
	int depth = 0;

	for (size_t left = CALL_BACK; at-- > 0 && left > 0; left--) {
		if (source_is_sign(source, at, ';') || source_is_sign(source, at, '{'))
			return false;
		depth += source_is_sign(source, at, ')');
		if (!source_is_sign(source, at, '('))
			continue;
		if (--depth >= 0)
			continue;
		depth = 0;
		if (!at || !source_is_word(source, at - 1))
			continue;

		const struct source_token *name = &source->tokens[at - 1];

		for (size_t i = 0; i + 5 <= name->length; i++)
			if (!strncasecmp(source->text + name->start + i, "alloc", 5))
				return true;
	}
	return false;
}

static void check_size(struct scan *scan, size_t at)
{
	size_t end;
	uint32_t target = source_size_of_at(scan, at, &end);

	if (is_searched(scan, target))
		source_add_use(scan,
			       is_allocation(scan->source, at) ? SOURCE_ALLOCATED : SOURCE_SIZE,
			       target, at, NULL);
}

void places_add_object(struct scan *scan, uint32_t target, size_t name)
{
	const struct source_token *token = &scan->source->tokens[name];
	size_t before = name;

	while (before && (source_is_word(scan->source, before - 1)))
		before--;
	if (is_searched(scan, target) && !source_token_is(scan->source, before, "typedef"))
		source_add_use(scan, SOURCE_OBJECT, target, name,
			       arena_strndup(&scan->file->arena, scan->source->text + token->start,
					     token->length));
}

/* Adds an assignment to the whole record that the variable at `at` is, or points to. */
static void check_copy(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	const struct source_variable *variable = source_variable_at(scan, at);
	size_t after = at + 1;
	uint32_t taken;

	if (!variable || variable->token == at || !is_searched(scan, variable->target))
		return;
	taken = at && source_is_sign(source, at - 1, '*') &&
		(at < 2 || source->tokens[at - 2].kind == TOKEN_SIGN);
	while (source_is_sign(source, after, '[')) {
		after = source_closing(source, after) + 1;
		taken++;
	}
	/* to it, or "= *x;" from it */
	if (taken == variable->pointers &&
	    ((source_is_sign(source, after, '=') && !source_is_sign(source, after + 1, '=')) ||
	     (taken && at > 1 && source_is_sign(source, at - 2, '=') &&
	      source_is_sign(source, after, ';'))))
		source_add_use(scan, SOURCE_COPIED, variable->target, at, NULL);
}

/* Adds the name of a member without an object, as methods of C++ use it. */
static void check_method(struct scan *scan, size_t at)
{
	static const char *const no_types[] = { "return", "else", "case", "throw", "delete", "do" };
	const struct source_text *source = scan->source;
	const struct source_token *token = &source->tokens[at];

	if (at && source_is_word(source, at - 1) &&
	    !any_of(i, 0, COUNT_OF(no_types), source_token_is(source, at - 1, no_types[i])))
		return;
	if ((at && (source_is_sign(source, at - 1, '.') || source_is_arrow(source, at - 1) ||
		    source_is_sign(source, at - 1, ':'))) ||
	    source_declares_other(source, at) || is_declared_other(scan, at))
		return;
	for (uint32_t target = 0; target < scan->finder->target_count; target++) {
		uint32_t record = scan->finder->targets[target].record;
		const char *member =
			record == NO_TARGET
				? NULL
				: member_named(&scan->finder->records[record],
					       source->text + token->start, token->length);
		struct source_use *use =
			member ? source_add_use(scan, SOURCE_ACCESS, target, at, member) : NULL;

		if (use)
			use->doubtful = true;
	}
}

void places_check(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	const struct source_token *token = &source->tokens[at];
	size_t end;

	if (token->kind == TOKEN_DIRECTIVE) {
		check_macro(scan, at);
	} else if ((source_is_sign(source, at, '.') || source_is_arrow(source, at)) &&
		   source_is_word(source, at + 1) &&
		   may_be_member(scan->finder, source->tokens[at + 1].hash)) {
		check_access(scan, at, at + 1);
	} else if (token->kind == TOKEN_WORD) {
		if (source_token_is(source, at, "sizeof"))
			check_size(scan, at);
		else if (scan->cxx && source_token_is(source, at, "new") &&
			 source_is_word(source, at + 1)) {
			uint32_t target = source_type_at(scan->finder, source, at + 1, true, &end);

			if (is_searched(scan, target))
				source_add_use(scan, SOURCE_ALLOCATED, target, at, NULL);
		} else {
			check_copy(scan, at);
			if (scan->cxx && may_be_member(scan->finder, token->hash))
				check_method(scan, at);
		}
	}
}
