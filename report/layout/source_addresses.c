// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds code that reaches members by the address of a record or of another member: an address that
 * is moved or indexed by something else than names and sizes of the source, and calls that get an
 * address with the number of its bytes.
 *
 * A local variable that is set to such an address stands for it until the function ends. The
 * distance between two addresses reaches nothing, and steps by sizeof and offsetof follow a change.
 */
#include "report/layout/source_scan.h"

#define POINTERS_MAX 1000 /* of one function */
#define SUM_MAX      100  /* tokens of one */
#define WALKED_MAX   (64U << 20) /* tokens of the bodies of functions of one file */
#define NEAR         1000        /* tokens on both sides of one, in which a loop is searched for */

/* ---- operands ---- */

uint32_t source_skip_indices(const struct source_text *source, size_t *at, uint32_t most)
{
	uint32_t count = 0;

	for (; count < most && source_is_sign(source, *at, '['); count++)
		*at = source_closing(source, *at) + 1;
	return count;
}

const struct source_variable *source_member_address_at(const struct scan *scan, size_t at,
						       size_t *member)
{
	const struct source_text *source = scan->source;
	const struct source_token *before = at ? &source->tokens[at - 1] : NULL;
	const struct source_variable *variable;

	/* not the operator of "a & b" */
	if (!source_is_sign(source, at, '&') || source_is_sign(source, at + 1, '&') ||
	    (before && (before->kind == TOKEN_WORD || before->kind == TOKEN_NUMBER ||
			before->sign == ']' || before->sign == '&')))
		return NULL;
	variable = source_variable_at(scan, at + 1);
	if (!variable)
		return NULL;
	size_t after = at + 2;
	uint32_t pointers =
		variable->pointers - source_skip_indices(source, &after, variable->pointers);

	*member = after + 1;
	return source_is_word(source, *member) &&
			       ((pointers == 1 && source_is_arrow(source, after)) ||
				(!pointers && source_is_sign(source, after, '.')))
		       ? variable
		       : NULL;
}

/* Returns the token after the cast of an address to bytes or an integer at `open`, or 0. */
static size_t after_cast(const struct source_text *source, size_t open, bool *is_integer)
{
	size_t close = source_closing(source, open), at = open + 1;

	if (!source_is_sign(source, open, '(') || close > open + 8)
		return 0;
	*is_integer = !source_is_sign(source, close - 1, '*');
	while (source_is_one_of(source, at, "const volatile"))
		at++;
	if (*is_integer ? !source_is_one_of(source, at, "uintptr_t intptr_t size_t unsigned long")
			: !source_is_plain_type(source, at))
		return 0;
	for (at++; at < close; at++)
		if (!source_is_word(source, at) && !source_is_sign(source, at, '*'))
			return 0;
	return close + 1;
}

/* An address of a record or of a member of one. */
struct address {
	uint32_t target; /* NO_TARGET: it is something else */
	size_t end;      /* the token after it */
	size_t member;   /* token; source->count: of the record itself */
};

/* Reads "x", "&x[i]", "&x->member" or "x + i" at a token; the last one only if `sums`. */
static struct address read_address(const struct scan *scan, size_t at, bool sums)
{
	const struct source_text *source = scan->source;
	struct address result = { .target = NO_TARGET, .member = source->count };
	bool of = source_is_sign(source, at, '&');
	struct source_expression found;

	result.end = source_operand_end(source, at + of);
	if (result.end == at + of || result.end >= source->count)
		return result;
	found = source_expression_before(scan, result.end);
	if (found.target != NO_TARGET && found.first == at + of && found.pointers + of == 1) {
		result.target = found.target;
		while (sums && !of && source_is_sign_of(source, result.end, "+-") &&
		       source_operand_end(source, result.end + 1) > result.end + 1)
			result.end = source_operand_end(source, result.end + 1);
		return result;
	}
	if (of) {
		const struct source_variable *variable =
			source_member_address_at(scan, at, &result.member);

		if (variable && result.member + 1 == result.end)
			result.target = variable->target;
	}
	return result;
}

/* ---- what is done with them ---- */

/* Returns whether the sum that goes on at `at` leads elsewhere by a number, or by a variable. */
static bool moves(const struct source_text *source, size_t at)
{
	bool number = false, named = false, is_integer;
	size_t first = at + 1;

	if (!source_is_sign_of(source, at, "+-"))
		return false;
	first += source_is_sign(source, first, '=');
	if (after_cast(source, first, &is_integer))
		return false;
	for (at = first; at < first + SUM_MAX && !source_is_sign_of(source, at, ",;)]:?<>"); at++) {
		if (source_token_is(source, at, "sizeof") || source_finds_by_name(source, at)) {
			named = true;
			at = source_size_end(source, at) - 1;
		} else if (at < source->count && source->tokens[at].kind == TOKEN_NUMBER) {
			number |= !source_is_sign(source, at - 1, '*') &&
				  !source_is_sign(source, at + 1, '*');
		} else if (source_is_sign_of(source, at, "(["))
			at = source_closing(source, at);
	}
	return number || !named;
}

/* Returns whether the bracket is that of "(T *)(": what it has is used as an address. */
static bool is_address(const struct source_text *source, size_t open)
{
	return open > 2 && source_is_sign(source, open, '(') &&
	       source_is_sign(source, open - 1, ')') && source_is_sign(source, open - 2, '*');
}

/* Returns whether an index other than 0 begins at the token. */
static bool is_indexed(const struct source_text *source, size_t at)
{
	return source_is_sign(source, at, '[') &&
	       !(source_token_is(source, at + 1, "0") && source_is_sign(source, at + 2, ']'));
}

static void add_reached(struct scan *scan, uint32_t target, size_t token, size_t member)
{
	const struct source_text *source = scan->source;

	if (member < source->count)
		source_add_use(scan, SOURCE_ARITHMETIC, target, token,
			       source_keep_word(&scan->file->arena, source, member));
	else
		source_add_use(scan, SOURCE_BYTES, target, token, NULL);
}

/* Keeps what the variable before the "=" at `equal` leads to, until the end of the function. */
static void keep_pointer(struct scan *scan, size_t equal, const struct address *address,
			 enum pointer_reach reach)
{
	const struct source_text *source = scan->source;

	if (!source_is_assignment(source, equal) || !equal || !source_is_word(source, equal - 1) ||
	    source_is_selected(source, equal - 1) || source_variable_at(scan, equal - 1) ||
	    !source_is_sign_of(source, address->end, ";,)") || scan->pointer_count == POINTERS_MAX)
		return;
	array_add(scan->pointers, scan->pointer_count, scan->pointer_capacity) =
		(struct member_pointer){ .hash = source->tokens[equal - 1].hash,
					 .target = address->target,
					 .member = address->member,
					 .token = equal + 1,
					 .reach = reach };
}

/* Looks at a variable that leads to a record, for others: "p[2]", "p[i]", "p++", "p + 1". */
static void check_pointer(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	struct member_pointer *pointer = NULL;
	bool moved;

	for (size_t i = scan->pointer_count; i-- > 0 && !pointer;)
		if (scan->pointers[i].hash == source->tokens[at].hash)
			pointer = &scan->pointers[i];
	if (!pointer || source_is_selected(source, at) ||
	    (at && source_is_word(source, at - 1) && !source_token_is(source, at - 1, "return")))
		return;
	if (source_is_assignment(source, at + 1)) {
		pointer->hash = 0;
		return;
	}
	moved = (at > 1 && source_is_sign(source, at - 1, '+') &&
		 source_is_sign(source, at - 2, '+')) ||
		(source_is_sign(source, at + 1, '+') && source_is_sign(source, at + 2, '+')) ||
		is_indexed(source, at + 1);
	switch (pointer->reach) {
	case REACH_MEMBER: moved |= source_is_sign(source, at + 1, '+'); break;
	case REACH_BYTES: moved |= moves(source, at + 1); break;
	case REACH_INTEGER: moved = at && is_address(source, at - 1) && moves(source, at + 1);
	}
	if (moved)
		add_reached(scan, pointer->target, pointer->token, pointer->member);
}

/* Returns whether the token's word is increased near it, as that of a loop is. */
static bool is_increased(const struct source_text *source, size_t at)
{
	size_t first = at > NEAR ? at - NEAR : 0,
	       end = at + NEAR < source->count ? at + NEAR : source->count;
	uint32_t hash = source->tokens[at].hash;

	return any_of(i, first, end,
		      source_is_word(source, i) && source->tokens[i].hash == hash &&
			      ((source_is_sign(source, i + 1, '+') &&
				source_is_sign_of(source, i + 2, "+=")) ||
			       (i > 1 && source_is_sign(source, i - 1, '+') &&
				source_is_sign(source, i - 2, '+'))));
}

/* Returns whether the sum in the bracket is the address behind a record or an array: "(x + 1)", or
 * "(x + count)" with what no loop increases. */
static bool is_behind(const struct source_text *source, size_t open)
{
	size_t close = source_closing(source, open), at = source_operand_end(source, open + 1);

	return source_is_sign(source, open, '(') && close < source->count &&
	       close - open < SUM_MAX && source_is_sign(source, at, '+') &&
	       !any_of(i, at + 1, close,
		       source_is_word(source, i) ? is_increased(source, i)
						 : source->tokens[i].kind == TOKEN_NUMBER &&
							   !source_token_is(source, i, "1"));
}

/* Looks at the cast of an address to bytes or an integer. */
static void check_bytes(struct scan *scan, size_t open)
{
	const struct source_text *source = scan->source;
	bool is_integer, inner;
	size_t first = open, after = after_cast(source, open, &is_integer), next;
	struct address address;

	if (!after)
		return;
	/* "(char *)(void *)x" */
	while ((next = after_cast(source, after, &inner)) != 0)
		after = next;
	address = read_address(scan, after, false);
	if (address.target == NO_TARGET || is_behind(source, after))
		return;
	if (first && source_is_assignment(source, first - 1)) {
		keep_pointer(scan, first - 1, &address, is_integer ? REACH_INTEGER : REACH_BYTES);
		return;
	}
	/* the first byte, or the first member, which casts to numbers are about */
	if (first && source_is_sign(source, first - 1, '*'))
		return;
	while (first && source_is_sign(source, first - 1, '(') &&
	       source_is_sign(source, address.end, ')') &&
	       (first < 2 || !source_is_word(source, first - 2))) {
		first--;
		address.end++;
	}
	if (is_integer ? first && is_address(source, first - 1) && moves(source, address.end)
		       : moves(source, address.end) ||
				 (first < open && is_indexed(source, address.end)))
		add_reached(scan, address.target, open, address.member);
}

/* Looks at "x = y" where y is an address of a record and x a pointer to anything. */
static void check_assigned(struct scan *scan, size_t equal)
{
	const struct source_text *source = scan->source;
	struct address address;
	bool is_void = false;

	if (!source_is_assignment(source, equal) || !equal ||
	    source_is_sign(source, equal + 1, '('))
		return;
	address = read_address(scan, equal + 1, true);
	if (address.target == NO_TARGET)
		return;
	if (address.member < source->count)
		keep_pointer(scan, equal, &address, REACH_MEMBER);
	else if ((source_declaring_type(source, equal - 1) != SIZE_MAX &&
		  source_token_is(source, source_declaring_type(source, equal - 1), "void")) ||
		 (source_is_declared_other(scan, equal - 1, false, &is_void) && is_void))
		keep_pointer(scan, equal, &address, REACH_BYTES);
}

/* Looks at "&x->member", which may be used to reach other members. */
static void check_address(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	size_t member = at;
	const struct source_variable *variable = source_member_address_at(scan, at, &member);
	size_t after = member + 1;
	bool plus, bracket;

	if (!variable)
		return;
	plus = source_is_sign(source, after, '+') && !source_is_sign(source, after + 1, '+');
	bracket = at && source_is_sign(source, at - 1, '(') && source_is_sign(source, after, ')') &&
		  source_is_sign(source, after + 1, '[');
	/* `*(T *)&x->member += 1` adds to the member */
	if (((plus || source_is_sign(source, after, '-')) &&
	     !source_is_sign(source, after + 1, '=')) ||
	    bracket)
		add_reached(scan, variable->target, at, member);
}

/* Returns the comma after the argument that begins after the bracket or comma `at`, or SIZE_MAX. */
static size_t next_argument(const struct source_text *source, size_t at)
{
	for (at++; at < source->count && !source_is_sign_of(source, at, ",)};"); at++)
		if (source_is_open(source, at))
			at = source_closing(source, at);
	return source_is_sign(source, at, ',') ? at : SIZE_MAX;
}

/* Returns the address that is the argument after the bracket or comma `at`, without casts. */
static struct address read_argument(const struct scan *scan, size_t at)
{
	bool is_integer;
	size_t next;

	for (at++; (next = after_cast(scan->source, at, &is_integer)) != 0;)
		at = next;
	return read_address(scan, at, true);
}

/* Looks at a number among the arguments of a call, in case it is the size of a record whose address
 * is another argument. */
static void check_number(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	uint64_t number = strtoull(source->text + source->tokens[at].start, NULL, 0);
	size_t open = at, left = TOKENS_OF_CALL;

	if (!source_has_size(scan->finder, number) || !source_is_sign_of(source, at - 1, "(,*"))
		return;
	while (open && !source_is_sign(source, open, '(') && left-- > 0)
		if (source_is_sign_of(source, --open, ")]"))
			open = source_opening(source, open) - (source_opening(source, open) > 0);
		else if (source_is_sign_of(source, open, ";{}"))
			return;
	if (!open || !source_is_sign(source, open, '(') || !source_is_word(source, open - 1) ||
	    source_closing(source, open) - open > TOKENS_OF_CALL)
		return;
	for (size_t i = open; i != SIZE_MAX; i = next_argument(source, i)) {
		struct address address = read_argument(scan, i);

		if (address.target != NO_TARGET && address.member == source->count &&
		    number % source_record_size(scan->finder, address.target) == 0)
			source_add_use(scan, SOURCE_BYTES, address.target, open - 1, NULL);
	}
}

/* ---- functions that walk over bytes ---- */

/* Returns whether code in [first, end) moves or indexes the variable, or one that is set to it. */
static bool is_walked(const struct source_text *source, size_t first, size_t end, uint32_t hash,
		      int depth, size_t *left)
{
	for (size_t at = first; at < end && *left; at++, --*left) {
		size_t before = at, after = at + 1;
		bool is_integer;

		if (source->tokens[at].hash != hash || !source_is_word(source, at) ||
		    source_is_selected(source, at))
			continue;
		while (source_is_sign(source, before - 1, ')') &&
		       after_cast(source, source_opening(source, before - 1), &is_integer) ==
			       before)
			before = source_opening(source, before - 1);
		if (source_is_assignment(source, before - 1) &&
		    source_is_word(source, before - 2) && depth < 2 &&
		    is_walked(source, at, end, source->tokens[before - 2].hash, depth + 1, left))
			return true;
		for (; source_is_sign(source, before - 1, '(') &&
		       source_is_sign(source, after, ')') && !source_is_word(source, before - 2);
		     after++)
			before--;
		if (moves(source, after) || source_is_sign(source, after, '[') ||
		    (source_is_sign(source, before - 1, '+') &&
		     source_is_sign(source, before - 2, '+')))
			return true;
	}
	return false;
}

void addresses_find_walkers(const struct source_text *source, struct file_uses *file)
{
	size_t left = WALKED_MAX;

	for (size_t i = 1; i + 2 < source->count; i++) {
		size_t close = source_closing(source, i + 1), number = 0;

		if (!source_is_word(source, i) || !source_is_sign(source, close + 1, '{') ||
		    source_holds(source, i, "alloc") || source_holds(source, i, "free"))
			continue;
		for (size_t at = i + 1; at != SIZE_MAX; at = next_argument(source, at), number++) {
			size_t type = at + 1, name;

			while (source_is_one_of(source, type, "const volatile"))
				type++;
			if (!source_is_plain_type(source, type))
				continue;
			for (name = type; source_is_word(source, name); name++)
				;
			if (!source_is_sign(source, name, '*'))
				continue;
			for (name++; source_is_one_of(source, name, "const restrict __restrict");)
				name++;
			if (source_is_word(source, name) &&
			    is_walked(source, close, source_closing(source, close + 1),
				      source->tokens[name].hash, 0, &left))
				array_add(file->walkers, file->walker_count,
					  file->walker_capacity) =
					(struct source_walker){ source->tokens[i].hash, number };
		}
	}
}

/* Looks at the arguments of a function that walks over the bytes of what it is given. */
static void check_walker(struct scan *scan, size_t at)
{
	const struct finder *finder = scan->finder;
	size_t number = 0;

	hash_index_each (k, &finder->by_walker, scan->source->tokens[at].hash) {
		size_t argument = at + 1;

		for (number = 0; argument != SIZE_MAX && number < finder->walkers[k].parameter;
		     number++)
			argument = next_argument(scan->source, argument);
		if (finder->walkers[k].name != scan->source->tokens[at].hash ||
		    argument == SIZE_MAX)
			continue;
		struct address address = read_argument(scan, argument);

		if (address.target != NO_TARGET)
			add_reached(scan, address.target, at, address.member);
	}
}

/* Looks at the operands of assembler: one that is the address of a record may be used with an
 * offset. */
static void check_assembler(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	size_t open = at + 1;

	while (source_is_word(source, open))
		open++;
	for (size_t i = open + 1; i < source_closing(source, open) && i < open + TOKENS_OF_CALL;
	     i++) {
		struct address address;

		if (source->tokens[i].kind != TOKEN_TEXT || !source_is_sign(source, i + 1, '('))
			continue;
		address = read_address(scan, i + 2, true);
		if (address.target != NO_TARGET && address.member == source->count)
			source_add_use(scan, SOURCE_BYTES, address.target, i + 2, NULL);
	}
}

/* Looks at "char (*rows)[sizeof(T)]", through which objects are read as bytes. */
static void check_row(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	size_t end, open = at > 2 ? source_opening(source, at - 2) : 0;
	uint32_t target = NO_TARGET;

	if (at > 2 && source_is_sign(source, at - 1, '[') && source_is_sign(source, at - 2, ')') &&
	    source_is_sign(source, open + 1, '*'))
		target = source_size_of_at(scan, at, &end);
	if (target != NO_TARGET && source_is_sign(source, end, ']'))
		source_add_use(scan, SOURCE_BYTES, target, at, NULL);
}

void addresses_check(struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;

	if (source_is_sign(source, at, '(')) {
		check_bytes(scan, at);
	} else if (source_is_sign(source, at, '&')) {
		check_address(scan, at);
	} else if (source_is_sign(source, at, '=')) {
		check_assigned(scan, at);
	} else if (source->tokens[at].kind == TOKEN_NUMBER) {
		check_number(scan, at);
	} else if (source_is_word(source, at)) {
		if (source_is_one_of(source, at, "asm __asm__ __asm"))
			check_assembler(scan, at);
		else if (source_token_is(source, at, "sizeof"))
			check_row(scan, at);
		else if (source_is_sign(source, at + 1, '('))
			check_walker(scan, at);
		else if (scan->pointer_count)
			check_pointer(scan, at);
	}
}
