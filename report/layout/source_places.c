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

#define LOOK_BACK    3000 /* tokens before a name in which its declaration is searched for */
#define ACCESSES_MAX 64   /* of one macro that are compared with another one */
#define CALL_BACK    60   /* tokens before a size in which the call is searched for */

void places_init_filter(struct finder *finder, size_t record_count)
{
	for (size_t i = 0; i < record_count; i++)
		for (size_t k = 0; k < finder->records[i].accessed_count; k++) {
			const char *name = finder->records[i].accessed[k];
			source_set_bit(finder->accessed, source_hash_word(name, strlen(name)));
		}
}

/* Returns the index of the record's member that has this name, or -1. */
static int member_named(const struct source_record *record, const char *text, size_t length)
{
	for (size_t i = 0; i < record->accessed_count; i++)
		if (!strncmp(record->accessed[i], text, length) && !record->accessed[i][length])
			return (int)i;
	return -1;
}

static bool may_be_member(const struct finder *finder, uint32_t hash)
{
	return source_has_bit(finder->accessed, hash);
}

static bool is_searched(const struct scan *scan, uint32_t target)
{
	uint32_t record = target == NO_TARGET ? NO_TARGET : scan->finder->targets[target].record;

	return record != NO_TARGET && scan->finder->records[record].accessed_count;
}

/* Returns whether the brace at `open` begins the body of a record. */
static bool opens_record(const struct source_text *source, size_t open)
{
	while (open-- > 0) {
		if (source_is_one_of(source, open, "struct class"))
			return true;
		if (source_is_sign_of(source, open, ";){}"))
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

/* Returns whether the declaration of the variable at `at` is of another type than a record. Sets
 * *is_void to whether it is a pointer to anything. */
static bool has_other_type(const struct scan *scan, size_t at, bool *is_void)
{
	const struct source_text *source = scan->source;
	size_t end, type = source_declaring_type(source, at);

	/* templates, macros, and types that are derived, tell nothing */
	if (source_is_one_of(source, type, "auto __auto_type const") ||
	    source_macros_have(scan->finder->macros, source, type) ||
	    source_type_at(scan->finder, source, type, scan->cxx, &end) != NO_TARGET)
		return false;
	*is_void = source_token_is(source, type, "void");
	return !type ||
	       source_type_at(scan->finder, source, type - 1, scan->cxx, &end) == NO_TARGET;
}

/* Returns whether a variable is declared as an object, not as a pointer or an array. */
static bool is_plain(const struct source_text *source, size_t name)
{
	return !(name && source_is_sign(source, name - 1, '*')) &&
	       !source_is_sign(source, name + 1, '[');
}

/* Returns whether the variable is declared with another type, or is a parameter of one. `leads`: it
 * is followed by [] or ->, which in C++ may be operators of the other type that lead to a record.
 */
bool source_is_declared_other(const struct scan *scan, size_t name, bool leads, bool *is_void)
{
	const struct source_text *source = scan->source;
	uint32_t hash = source->tokens[name].hash;
	int depth = 0;

	if (!source_is_word(source, name))
		return false;
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
		} else if (depth <= 0 && token->kind == TOKEN_WORD && token->hash == hash) {
			if (source_declaring_type(source, i) != SIZE_MAX)
				return !is_in_record(source, i) &&
				       !(leads && scan->cxx && is_plain(source, i)) &&
				       has_other_type(scan, i, is_void);
			/* the beginning of a list was searched for */
			if (i && source_is_sign(source, i - 1, ','))
				left = left > TOKENS_OF_CALL ? left - TOKENS_OF_CALL : 1;
		}
	}
	return false;
}

/* ---- types of expressions ---- */

/* Returns whether the word before a bracket calls nothing. */
static bool is_statement_word(const struct source_text *source, size_t at)
{
	return source_is_one_of(source, at,
				"if while for switch return else sizeof typeof case do __typeof__");
}

/* Returns whether the token can be the end of an operand, so that a sign after it is binary. */
static bool ends_operand(const struct source_text *source, size_t at)
{
	return (source_is_word(source, at) && !is_statement_word(source, at)) ||
	       source->tokens[at].kind == TOKEN_NUMBER || source_is_sign_of(source, at, "])");
}

/* Returns whether the sign at `at` is an operator with one operand. */
static bool is_unary(const struct source_text *source, size_t at, char sign)
{
	return source_is_sign(source, at, sign) && (!at || !ends_operand(source, at - 1));
}

/* Compares a known name with a token of this text, then the kinds. */
static int compare_name(const struct source_name *name, const char *text,
			const struct source_token *token, enum source_name_kind kind)
{
	int order = strncmp(name->text, text, token->length);

	order = order ?: name->text[token->length] != '\0';
	return order ?: (int)name->kind - (int)kind;
}

static void set_named_type(const struct scan *scan, enum source_name_kind kind, size_t at,
			   struct source_expression *result)
{
	const struct source_names *names = scan->finder->known;
	const struct source_token *token = &scan->source->tokens[at];
	const char *text = scan->source->text + token->start;
	size_t number = partition_point(0, names->count, i,
					compare_name(&names->items[i], text, token, kind) < 0);
	const struct source_name *name = &names->items[number];

	if (number < names->count && !compare_name(name, text, token, kind)) {
		if (!name->others) {
			result->target = name->record;
			result->pointers = (int)name->pointers;
			result->other = name->record == NO_TARGET && !scan->cxx;
		}
		return;
	}
}

bool source_is_assignment(const struct source_text *source, size_t at)
{
	return source_is_sign(source, at, '=') && !source_is_sign(source, at + 1, '=') &&
	       (!at || !source_is_sign(source, at - 1, '='));
}

static struct source_expression expression_before(const struct scan *scan, size_t end, int depth);

/* Returns the type of what the brackets enclose, or of the call whose arguments they enclose. */
static struct source_expression expression_in_brackets(const struct scan *scan, size_t open,
						       size_t close, int depth)
{
	const struct source_text *source = scan->source;
	struct source_expression result = { .first = open, .target = NO_TARGET }, inner;
	bool call =
		open && source_is_word(source, open - 1) && !is_statement_word(source, open - 1);
	size_t type = open + 2, end;
	int sign = 0;

	if (call) {
		inner = expression_before(scan, open, depth + 1);
		result = inner;
		if (inner.first != open - 1)
			result.target = NO_TARGET, result.other = false;
		else if (inner.target == NO_TARGET)
			set_named_type(scan, NAMED_FUNCTION, open - 1, &result);
		return result;
	}
	/* "((struct T *)x)" */
	if (source_is_sign(source, open + 1, '(')) {
		uint32_t pointers = 0;

		type += source_token_is(source, type, "const");
		result.target = source_type_at(scan->finder, source, type, scan->cxx, &end);
		if (result.target == NO_TARGET) {
			result.target =
				source_pointer_type_at(scan->finder, source, type, &pointers);
			end = type + 1;
		}
		for (; result.target != NO_TARGET && source_is_sign(source, end, '*'); end++)
			pointers++;
		result.pointers = (int)pointers;
		if (result.target != NO_TARGET && pointers && source_is_sign(source, end, ')'))
			return result;
		result.target = NO_TARGET;
		result.pointers = 0;
	}
	/* "(x + i)" */
	end = source_operand_end(source, open + 1);
	if (end < close && source_is_sign_of(source, end, "+-") &&
	    source_operand_end(source, end + 1) > end + 1) {
		/* two operands at each level: fewer levels */
		result = expression_before(scan, end, depth + 4);
		inner = expression_before(scan, close, depth + 4);
		while (end < close && !source_is_sign_of(source, end, "?,=<>&|"))
			end++;
		if (result.first == open + 1 && result.pointers > 0 && end == close &&
		    inner.target == NO_TARGET) {
			result.first = open;
			return result;
		}
		result = (struct source_expression){ .first = open, .target = NO_TARGET };
	}
	sign = source_is_sign(source, open + 1, '*') ? -1 : source_is_sign(source, open + 1, '&');
	inner = expression_before(scan, close, depth + 1);
	/* "(x = y)->z" */
	if (!sign && inner.first < close && inner.first > open + 1 &&
	    source_is_assignment(source, inner.first - 1))
		inner.first = open + 1;
	if (inner.first != open + 1 + (sign != 0))
		return result;
	inner.first = open;
	inner.pointers += sign;
	return inner;
}

/* Returns the expression that ends before the token `end`. */
static struct source_expression expression_before(const struct scan *scan, size_t end, int depth)
{
	const struct source_text *source = scan->source;
	struct source_expression result = { .first = end, .target = NO_TARGET };
	const struct source_variable *variable;

	if (!end-- || depth > 12)
		return result;
	if (source_is_sign(source, end, ']')) {
		size_t open = source_opening(source, end);
		struct source_expression index = { .target = NO_TARGET };

		result = expression_before(scan, open, depth + 1);
		/* "7[x]" */
		if (result.target == NO_TARGET && !result.other && open)
			index = expression_before(scan, end, depth + 4);
		if (index.target != NO_TARGET && index.pointers && index.first == open + 1) {
			index.first = result.first < open ? result.first : open - 1;
			result = index;
		}
		result.pointers--;
	} else if (source_is_sign(source, end, ')')) {
		result = expression_in_brackets(scan, source_opening(source, end), end, depth);
	} else if (source_is_word(source, end) && !is_statement_word(source, end)) {
		result.first = end;
		if (end && source_is_selector(source, end - 1)) {
			struct source_expression base = expression_before(scan, end - 1, depth + 1);

			result.first = base.first;
			set_named_type(scan,
				       is_searched(scan, base.target) ? NAMED_OWN : NAMED_MEMBER,
				       end, &result);
			return result;
		}
		variable = source_variable_at(scan, end);
		if (variable) {
			result.target = variable->target;
			result.pointers = (int)variable->pointers;
		}
	}
	return result;
}

struct source_expression source_expression_before(const struct scan *scan, size_t end)
{
	return expression_before(scan, end, 0);
}

/* Adds to the expression what is known of a variable that is not declared with a record's type. */
static void find_other(const struct scan *scan, size_t end, struct source_expression *expression)
{
	bool leads = source_is_arrow(scan->source, end) ||
		     (end && source_is_sign(scan->source, end - 1, ']'));

	if (expression->target != NO_TARGET || expression->other)
		return;
	while (end && source_is_sign(scan->source, end - 1, ']'))
		end = source_opening(scan->source, end - 1);
	if (!end || expression->first != end - 1 || !source_is_word(scan->source, end - 1) ||
	    source_token_is(scan->source, end - 1, "this"))
		return;
	expression->other = source_is_declared_other(scan, end - 1, leads, &expression->is_void);
	if (!expression->other)
		set_named_type(scan, NAMED_VARIABLE, end - 1, expression);
}

/* ---- accesses ---- */

/* Returns the index of the record's member that has these bytes as its name, or -1. */
static int member_called(const struct scan *scan, uint32_t target, const char *text, size_t length)
{
	uint32_t record = scan->finder->targets[target].record;

	return record == NO_TARGET ? -1
				   : member_named(&scan->finder->records[record], text, length);
}

static int member_at(const struct scan *scan, uint32_t target, size_t name)
{
	const struct source_token *token = &scan->source->tokens[name];

	return member_called(scan, target, scan->source->text + token->start, token->length);
}

/* Adds a use of a member, which is doubtful if other records have one of the name. */
static struct source_use *add_access(struct scan *scan, enum source_use_kind kind, uint32_t target,
				     size_t token, int member)
{
	const struct source_record *record =
		&scan->finder->records[scan->finder->targets[target].record];
	struct source_use *use =
		source_add_use(scan, kind, target, token, record->accessed[member]);

	use->doubtful = !record->unique || !record->unique[member];
	return use;
}

/* Returns the target of the object whose initializer the token is directly in, or NO_TARGET. Sets
 * *other to whether it is one of another type. */
static uint32_t initialized_at(const struct scan *scan, size_t at, bool *other)
{
	const struct source_text *source = scan->source;
	struct source_expression object;
	bool is_void, found = false;
	size_t end;

	for (size_t left = LOOK_BACK; !found && at-- > 0 && left > 0; left--) {
		if (source_is_sign_of(source, at, "})"))
			at = source_opening(source, at);
		else if (!at || source_is_sign(source, at, ';'))
			return NO_TARGET;
		else if (!source_is_sign_of(source, at, "{("))
			continue;
		else if (source_is_sign(source, at - 1, '='))
			found = true;
		else if (source_is_sign(source, at - 1, ')')) {
			size_t type = source_opening(source, at - 1) + 1;
			uint32_t target =
				source_type_at(scan->finder, source, type, scan->cxx, &end);

			*other = target == NO_TARGET;
			return target;
		}
	}
	if (!found)
		return NO_TARGET;
	object = source_expression_before(scan, at - 1);
	if (object.target == NO_TARGET && object.first < at - 1)
		*other = source_is_declared_other(scan, object.first, false, &is_void);
	return object.target;
}

/* Adds an access for each record that has a member of the name at `name`, after '.' or "->". */
static void check_access(struct scan *scan, size_t sign, size_t name)
{
	const struct source_text *source = scan->source;
	struct source_expression base = source_expression_before(scan, sign);
	bool none = base.first == sign,
	     designated = none && source_is_sign(source, name + 1, '=') && sign &&
			  source_is_sign_of(source, sign - 1, "{,");

	if (designated)
		base.target = initialized_at(scan, sign, &base.other);
	else if (!none)
		find_other(scan, sign, &base);
	if (base.other)
		return;
	for (uint32_t target = 0; target < scan->finder->target_count; target++) {
		int member = base.target == NO_TARGET || base.target == target
				     ? member_at(scan, target, name)
				     : -1;
		struct source_use *use;

		if (member < 0)
			continue;
		use = add_access(scan, designated ? SOURCE_DESIGNATED : SOURCE_ACCESS, target, name,
				 member);
		use->doubtful &= base.target != target;
	}
}

static bool is_in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_';
}

/* An access in the definition of a macro: "(p)->name" or "p.name". */
struct macro_access {
	const char *base, *sign,
		*name; /* the name has `length` bytes, and the base ends at `sign` */
	size_t length;
};

static bool next_macro_access(const char *at, const char *end, struct macro_access *access)
{
	for (const char *c = at + 1; c < end; c++) {
		const char *name = c + 1, *sign = *c == '.' ? c : c - 1, *base = sign;
		size_t length = 0;

		if (*c != '.' && !(*c == '>' && c[-1] == '-'))
			continue;
		while (name < end && (*name == ' ' || *name == '\t'))
			name++;
		while (name + length < end && is_in_word(name[length]))
			length++;
		base -= base > at && base[-1] == ')';
		while (base > at && is_in_word(base[-1]))
			base--;
		*access = (struct macro_access){ base, sign, name, length };
		if (length)
			return true;
	}
	return false;
}

/* Returns whether the macro has, with the same base, a member that no other record has. */
static bool has_unique_access(const struct scan *scan, uint32_t target, const char *text,
			      const char *end, const struct macro_access *access)
{
	const struct source_record *record =
		&scan->finder->records[scan->finder->targets[target].record];
	struct macro_access other = { .name = text };
	size_t length = (size_t)(access->sign - access->base);

	for (size_t left = ACCESSES_MAX;
	     record->unique && length && left > 0 && next_macro_access(other.name, end, &other);
	     left--) {
		int member = member_called(scan, target, other.name, other.length);

		if (member >= 0 && record->unique[member] &&
		    (size_t)(other.sign - other.base) == length &&
		    !memcmp(other.base, access->base, length))
			return true;
	}
	return false;
}

/* Adds the accesses in the definition of a macro. The scanner gives a definition as one token. */
static void check_macro(struct scan *scan, size_t at)
{
	const struct source_token *token = &scan->source->tokens[at];
	const char *text = scan->source->text + token->start, *end = text + token->length;
	struct macro_access access = { .name = text };
	unsigned int lines = 0; /* before the access */

	for (const char *line = text; next_macro_access(access.name, end, &access);) {
		for (; line < access.name; line++)
			lines += *line == '\n';
		if (!may_be_member(scan->finder, source_hash_word(access.name, access.length)))
			continue;
		for (uint32_t target = 0; target < scan->finder->target_count; target++) {
			int member = member_called(scan, target, access.name, access.length);
			struct source_use *use;

			if (member < 0)
				continue;
			use = add_access(scan, SOURCE_MACRO, target, at, member);
			use->doubtful &= !has_unique_access(scan, target, text, end, &access);
			use->at = (uint32_t)(access.name - scan->source->text);
			use->line += lines;
		}
	}
}

bool source_holds(const struct source_text *source, size_t at, const char *word)
{
	const struct source_token *name = &source->tokens[at];
	size_t length = strlen(word);

	return any_of(i, length, name->length + 1,
		      !strncasecmp(source->text + name->start + i - length, word, length));
}

/* Returns whether the token is within the arguments of a function that allocates. */
static bool is_allocation(const struct source_text *source, size_t at)
{
	int depth = 0;

	for (size_t left = CALL_BACK; at-- > 0 && left > 0; left--) {
		if (source_is_sign_of(source, at, ";{"))
			return false;
		depth += source_is_sign(source, at, ')');
		if (!source_is_sign(source, at, '('))
			continue;
		if (--depth >= 0)
			continue;
		depth = 0;
		if (at && source_is_word(source, at - 1) && source_holds(source, at - 1, "alloc"))
			return true;
	}
	return false;
}

/* Returns whether the declaration at `at`, of an object or of a pointer to one, is in a union that
 * also has an array of bytes or numbers, or a pointer to some. */
static bool is_beside_bytes(const struct source_text *source, size_t at, bool pointer)
{
	size_t open, close;

	for (size_t left = LOOK_BACK; at > 1 && left > 0 && !source_is_sign(source, at, '{');
	     left--)
		if (source_is_sign_of(source, --at, "})]"))
			at = source_opening(source, at);
	open = at;
	close = source_closing(source, open);
	if (!source_is_sign(source, open, '{') ||
	    !(source_token_is(source, open - 1, "union") ||
	      (open > 1 && source_token_is(source, open - 2, "union"))))
		return false;
	return any_of(i, open + 1, close,
		      source_is_plain_type(source, i) &&
			      (pointer ? !source_token_is(source, i, "void") &&
						 source_is_sign(source, i + 1, '*') &&
						 source_is_word(source, i + 2)
				       : source_is_word(source, i + 1) &&
						 source_is_sign(source, i + 2, '[')));
}

void places_add_pointer(struct scan *scan, uint32_t target, size_t name)
{
	if (is_beside_bytes(scan->source, name, true))
		source_add_use(scan, SOURCE_BYTES, target, name, NULL);
}

void places_add_object(struct scan *scan, uint32_t target, size_t name)
{
	const struct source_token *token = &scan->source->tokens[name];

	if (is_beside_bytes(scan->source, name, false))
		source_add_use(scan, SOURCE_BYTES, target, name, NULL);

	if (is_searched(scan, target))
		source_add_use(scan, SOURCE_OBJECT, target, name,
			       arena_strndup(&scan->file->arena, scan->source->text + token->start,
					     token->length));
}

/* ---- whole records ---- */

/* Returns the first token of the whole record before `end`, with its stars; or SIZE_MAX. */
static size_t whole_before(const struct scan *scan, size_t end, uint32_t *target)
{
	struct source_expression found = source_expression_before(scan, end);

	*target = found.target;
	if (found.target == NO_TARGET || found.first == end || !is_searched(scan, found.target))
		return SIZE_MAX;
	for (; found.pointers > 0 && found.first && is_unary(scan->source, found.first - 1, '*');
	     found.pointers--)
		found.first--;
	return found.pointers ? SIZE_MAX : found.first;
}

/* Returns the next semicolon from `at` on, or the number of tokens. */
static size_t semicolon_after(struct scan *scan, size_t at)
{
	if (scan->semicolon < at)
		scan->semicolon = source_find_sign(scan->source, at, ';');
	return scan->semicolon;
}

static bool begins_statement(const struct source_text *source, size_t at)
{
	return !at || source_is_sign_of(source, at - 1, ";{}):") ||
	       source_token_is(source, at - 1, "else");
}

/* Returns whether the expression that begins at the token is the declaration of a variable. */
static bool declares_at(const struct scan *scan, size_t first)
{
	const struct source_variable *variable;

	while (source_is_sign(scan->source, first, '*'))
		first++;
	variable = source_variable_at(scan, first);
	/* or one that hides it: "T *x, *y = z" */
	return variable &&
	       (variable->token == first || source_declaring_type(scan->source, first) != SIZE_MAX);
}

/* Looks at the expression that ends with the token `at`, in case it is a whole record. */
static void check_whole(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	size_t after = at + 1, first, other, end = after + 1;
	uint32_t target, other_target;

	if (source_is_selector(source, after) || source_is_sign_of(source, after, "[("))
		return;
	first = whole_before(scan, after, &target);
	if (first == SIZE_MAX || declares_at(scan, first))
		return;
	/* its address, its size, or brackets around it that are looked at when they end */
	if (first &&
	    (source_is_sign(source, first - 1, '&') ||
	     (source_is_word(source, first - 1) && is_statement_word(source, first - 1) &&
	      !source_is_one_of(source, first - 1, "return else")) ||
	     (source_is_sign(source, first - 1, '(') && source_is_sign(source, after, ')') &&
	      (first < 2 || !source_is_word(source, first - 2) ||
	       is_statement_word(source, first - 2)))))
		return;
	if (begins_statement(source, first) && source_is_assignment(source, after)) {
		end = semicolon_after(scan, end);
		other = whole_before(scan, end, &other_target);
		if (source_is_zero_literal(source, after + 1, end))
			other = after + 1, other_target = target;
		source_add_use(scan,
			       other == after + 1 && other_target == target ? SOURCE_COPIED
									    : SOURCE_VALUE,
			       target, first, NULL);
		return;
	}
	/* the right side of one, or the value that a variable is declared with */
	if (first > 1 && source_is_assignment(source, first - 1) &&
	    source_is_sign(source, after, ';')) {
		other = whole_before(scan, first - 1, &other_target);
		if (other != SIZE_MAX && other_target == target && begins_statement(source, other))
			return;
		if (other != SIZE_MAX && declares_at(scan, other))
			return;
	}
	source_add_use(scan, SOURCE_VALUE, target, first, NULL);
}

/* Returns whether a sizeof is a part of "sizeof(x) / sizeof(x[0])", which no change of x alters. */
static bool is_quotient(const struct source_text *source, size_t at)
{
	size_t end = source_size_end(source, at);

	return (source_is_sign(source, end, '/') && source_token_is(source, end + 1, "sizeof")) ||
	       (at > 3 && source_is_sign(source, at - 1, '/') &&
		any_of(i, at > 9 ? at - 9 : 0, at, source_token_is(source, i, "sizeof")));
}

/* Looks at "sizeof(*x->items)" and the like. */
static void check_size(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	const struct source_variable *array =
		source_variable_at(scan, at + 1 + source_is_sign(source, at + 1, '('));
	size_t first = at + 1, end;
	uint32_t target = source_size_of_at(scan, at, &end);

	/* a whole array */
	if (target == NO_TARGET && array && array->pointers == 1 &&
	    source_is_sign(source, array->token + 1, '['))
		target = array->target;
	if (target == NO_TARGET) {
		end = source_is_sign(source, first, '(') ? source_closing(source, first)
							 : source_size_end(source, at);
		first += source_is_sign(source, first, '(');
		if (end >= source->count || whole_before(scan, end, &target) != first)
			return;
	}
	if (is_searched(scan, target) && !is_quotient(source, at))
		source_add_use(scan, is_allocation(source, at) ? SOURCE_ALLOCATED : SOURCE_SIZE,
			       target, at, NULL);
}

/* Returns whether the function around the token frees what it is given: its callers count. */
static bool is_in_free(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	size_t first = scan->function;

	while (first < at && !source_is_sign(source, first, '{') &&
	       !(source_is_word(source, first) && source_is_sign(source, first + 1, '(')))
		first++;
	scan->function = first;
	return first < at && source_is_word(source, first) && source_holds(source, first, "free");
}

/* Looks at the call of a function that frees, or at its name alone, which is passed on. */
static void check_free(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	size_t close = source_closing(source, at + 1);
	struct source_expression freed = { .target = NO_TARGET };

	if (source_is_sign(source, at + 1, '(')) {
		if (close == source->count || close == at + 2)
			return;
		freed = source_expression_before(scan, close);
		find_other(scan, close, &freed);
		if ((freed.other && !freed.is_void) || (at && source_is_word(source, at - 1)) ||
		    (freed.target != NO_TARGET && freed.pointers != 1))
			return;
	} else if (!source_token_is(source, at, "free") || !at ||
		   !(source_is_sign_of(source, at - 1, ",(="))) {
		return;
	}
	if (freed.target == NO_TARGET && is_in_free(scan, at))
		return;
	for (uint32_t target = 0; target < scan->finder->target_count; target++) {
		struct source_use *use;

		if (!is_searched(scan, target) ||
		    (freed.target != NO_TARGET && freed.target != target))
			continue;
		use = source_add_use(scan, SOURCE_FREED, target, at, NULL);
		use->doubtful = freed.target == NO_TARGET;
	}
}

/* Looks at a cast of computed addresses to the record, which makes objects of bytes. */
static void check_made(struct scan *scan, size_t open)
{
	const struct source_text *source = scan->source;
	size_t end, close;
	uint32_t target = source_type_at(scan->finder, source, open + 1, scan->cxx, &end);

	if (!is_searched(scan, target) || !source_is_sign(source, end, '*') ||
	    !source_is_sign(source, end + 1, ')'))
		return;
	end += 2;
	close = source_is_sign(source, end, '(') ? source_closing(source, end) : end;
	close = close < end + TOKENS_OF_CALL ? close : end + TOKENS_OF_CALL;
	if (source_is_sign(source, end, '&') ||
	    any_of(i, end, close, source_is_sign_of(source, i, "+-")))
		source_add_use(scan, SOURCE_VALUE, target, open, "an address");
}

/* Adds the name of a member without an object, as methods of C++ use it. */
static void check_method(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	bool is_void;

	if (at && source_is_word(source, at - 1) &&
	    !source_is_one_of(source, at - 1, "return else case throw delete do"))
		return;
	if ((at && (source_is_selector(source, at - 1) || source_is_sign(source, at - 1, ':'))) ||
	    source_declaring_type(source, at) != SIZE_MAX ||
	    source_is_declared_other(scan, at, false, &is_void))
		return;
	for (uint32_t target = 0; target < scan->finder->target_count; target++) {
		int member = member_at(scan, target, at);

		if (member >= 0)
			add_access(scan, SOURCE_ACCESS, target, at, member)->doubtful = true;
	}
}

void places_check(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	const struct source_token *token = &source->tokens[at];
	size_t end;

	if (token->kind == TOKEN_DIRECTIVE) {
		check_macro(scan, at);
	} else if (source_is_selector(source, at) && source_is_word(source, at + 1) &&
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
			check_whole(scan, at);
			if (source_holds(source, at, "free"))
				check_free(scan, at);
			if (scan->cxx && may_be_member(scan->finder, token->hash))
				check_method(scan, at);
		}
	} else if (source_is_sign_of(source, at, "])")) {
		check_whole(scan, at);
	} else if (source_is_sign(source, at, '(')) {
		check_made(scan, at);
	}
}
