// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements source.h.
 *
 * Two passes over the tokens of each text: find_aliases() collects the typedefs of the records, and
 * find_uses() keeps the variables of their types and matches the patterns of enum source_use_kind.
 */
#include "report/layout/source_scan.h"

#include "base/parallel.h"
#include "base/text.h"

/* ---- names of types ---- */

static void add_name(struct finder *finder, struct target_name name)
{
	name.hash = source_hash_word(name.text, strlen(name.text));
	hash_index_each (i, &finder->by_name, name.hash)
		if (finder->names[i].tag == name.tag && !strcmp(finder->names[i].text, name.text))
			return;
	hash_index_add(&finder->by_name, name.hash, (uint32_t)finder->name_count);
	array_add(finder->names, finder->name_count, finder->name_capacity) = name;
}

static const struct target_name *name_at(const struct finder *finder,
					 const struct source_text *source, size_t number, bool tag)
{
	hash_index_each (i, &finder->by_name, source->tokens[number].hash)
		if (finder->names[i].tag == tag &&
		    source_token_is(source, number, finder->names[i].text))
			return &finder->names[i];
	return NULL;
}

static uint32_t target_named(const struct finder *finder, const struct source_text *source,
			     size_t number, bool tag)
{
	const struct target_name *name = name_at(finder, source, number, tag);

	return name && !name->pointers ? name->target : NO_TARGET;
}

uint32_t source_pointer_type_at(const struct finder *finder, const struct source_text *source,
				size_t number, uint32_t *pointers)
{
	const struct target_name *name =
		source_is_word(source, number) ? name_at(finder, source, number, false) : NULL;

	*pointers = name ? name->pointers : 0;
	return *pointers ? name->target : NO_TARGET;
}

static bool is_record_keyword(const struct source_text *source, size_t number)
{
	return source_is_one_of(source, number, "struct class union");
}

static bool has_cxx_name(const struct source_text *source)
{
	static const char *const suffixes[] = {
		".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".C"
	};

	return any_of(i, 0, COUNT_OF(suffixes), ends_with(source->path, suffixes[i]));
}

/* Returns whether a source is in C++, or is a header of a program that is. */
static bool is_cxx(const struct finder *finder, const struct source_text *source)
{
	return has_cxx_name(source) || (finder->cxx && ends_with(source->path, ".h"));
}

uint32_t source_type_at(const struct finder *finder, const struct source_text *source,
			size_t number, bool cxx, size_t *end)
{
	uint32_t target;

	if (!source_is_word(source, number))
		return NO_TARGET;
	if (is_record_keyword(source, number)) {
		*end = number + 2;
		return source_is_word(source, number + 1)
			       ? target_named(finder, source, number + 1, true)
			       : NO_TARGET;
	}
	if (source_is_selected(source, number) || (number && is_record_keyword(source, number - 1)))
		return NO_TARGET;
	*end = number + 1;
	target = target_named(finder, source, number, false);
	return target == NO_TARGET && cxx ? target_named(finder, source, number, true) : target;
}

const char *source_keep_word(struct arena *arena, const struct source_text *source, size_t number)
{
	return arena_strndup(arena, source->text + source->tokens[number].start,
			     source->tokens[number].length);
}

/* Collects NAME of "struct NAME : TAG {": it has the record's members. */
static void find_derived(const struct finder *finder, const struct source_text *source, size_t name,
			 struct file_uses *file)
{
	uint32_t target = NO_TARGET;

	for (size_t i = name + 2; i < name + TOKENS_OF_CALL && target == NO_TARGET; i++) {
		if (source_is_sign_of(source, i, "{;)"))
			return;
		if (source_is_word(source, i))
			target = target_named(finder, source, i, true);
	}
	if (target != NO_TARGET)
		array_add(file->aliases, file->alias_count, file->alias_capacity) =
			(struct target_name){ .text = source_keep_word(&file->arena, source, name),
					      .target = target };
}

/* Collects "typedef struct TAG ... NAME;" of the records' tags, and what C++ derives of them. */
static void find_aliases(const struct finder *finder, const struct source_text *source,
			 struct file_uses *file)
{
	for (size_t i = 0; i + 3 < source->count; i++) {
		uint32_t target;
		size_t end = i + 3;

		if (is_record_keyword(source, i) && source_is_word(source, i + 1) &&
		    source_is_sign(source, i + 2, ':'))
			find_derived(finder, source, i + 1, file);
		if (source->tokens[i].kind != TOKEN_WORD || source->tokens[i].length != 7 ||
		    !source_token_is(source, i, "typedef") || !is_record_keyword(source, i + 1) ||
		    !source_is_word(source, i + 2))
			continue;
		target = target_named(finder, source, i + 2, true);
		if (target == NO_TARGET)
			continue;
		if (source_is_sign(source, end, '{'))
			end = source_closing(source, end) + 1;
		while (end < source->count && !source_is_sign(source, end, ';')) {
			uint32_t pointers = 0;

			for (; source_is_sign(source, end, '*'); end++)
				pointers++;
			if (!source_is_word(source, end) ||
			    !source_is_sign_of(source, end + 1, ";,["))
				break;
			bool array = source_is_sign(source, end + 1, '[');

			array_add(file->aliases, file->alias_count, file->alias_capacity) =
				(struct target_name){ .text = source_keep_word(&file->arena, source,
									       end),
						      .target = target,
						      .pointers = pointers + array,
						      .array = array && !pointers };
			while (source_is_sign(source, end + 1, '['))
				end = source_closing(source, end + 1);
			end += 1 + source_is_sign(source, end + 1, ',');
		}
	}
}

/* ---- uses ---- */

/* Returns the line of a byte. Uses are mostly in the order of the text, so each line is counted
 * from that of the use before. */
static unsigned int scan_line(struct scan *scan, size_t to)
{
	const struct source_text *source = scan->source;

	for (; scan->line_at < to; scan->line_at++)
		scan->line += source->text[scan->line_at] == '\n';
	for (; scan->line_at > to; scan->line_at--)
		scan->line -= source->text[scan->line_at - 1] == '\n';
	return scan->line;
}

struct source_use *source_add_use(struct scan *scan, enum source_use_kind kind, uint32_t target,
				  size_t token, const char *detail)
{
	uint32_t record = target == NO_TARGET ? NO_TARGET : scan->finder->targets[target].record,
		 at = token < scan->source->count ? scan->source->tokens[token].start : 0;

	if (record == NO_TARGET)
		return NULL;
	array_add(scan->file->items, scan->file->count, scan->file->capacity) = (struct source_use){
		.kind = kind,
		.record = record,
		.path = scan->source->path,
		.line = scan_line(scan, at),
		.at = at,
		.detail = detail ?: "",
	};
	return &scan->file->items[scan->file->count - 1];
}

const struct source_variable *source_variable_at(const struct scan *scan, size_t number)
{
	const struct source_text *source = scan->source;
	const struct source_variable *variable;
	const uint32_t *found;

	if (!source_is_word(source, number) || source_is_selected(source, number))
		return NULL;
	found = hash_map_find(&scan->by_hash, source->tokens[number].hash);
	variable = found && *found ? &scan->variables[*found - 1] : NULL;
	return variable && variable->target != NO_TARGET ? variable : NULL;
}

static void add_variable(struct scan *scan, struct source_variable variable)
{
	uint32_t *newest = hash_map_insert(&scan->by_hash, variable.hash, NULL);

	variable.hidden = *newest;
	array_add(scan->variables, scan->variable_count, scan->variable_capacity) = variable;
	*newest = (uint32_t)scan->variable_count;
}

static void declare(struct scan *scan, size_t number, uint32_t target, uint32_t pointers,
		    bool global)
{
	add_variable(scan, (struct source_variable){ .hash = scan->source->tokens[number].hash,
						     .target = target,
						     .pointers = pointers,
						     .token = number,
						     .is_global = global });
}

/* Forgets what is local to the function that ends before the token `next`. */
static void end_function(struct scan *scan, size_t next)
{
	size_t end = scan->variable_count;

	for (size_t i = end; i-- > scan->local;)
		*hash_map_find(&scan->by_hash, scan->variables[i].hash) = scan->variables[i].hidden;
	scan->variable_count = scan->local;
	for (size_t i = scan->local; i < end; i++)
		if (scan->variables[i].is_global)
			add_variable(scan, scan->variables[i]);
	scan->local = scan->variable_count;
	scan->pointer_count = 0;
	scan->function = next;
}

/* Returns whether the initializer { ... } of one record gives its members without their names. */
static bool is_by_position(const struct source_text *source, size_t open)
{
	size_t first = open + 1, close = source_closing(source, open);
	bool begins = true, several = false;

	while (source_is_sign(source, first, '{') && first < close)
		first++;
	/* a single value initializes the first member, mostly with 0, or is a macro */
	for (size_t i = first; i < close; i++) {
		if (source->tokens[i].kind == TOKEN_DIRECTIVE)
			continue;
		/* one member with its name is enough: others may be macros that have names, too */
		if (begins &&
		    (source_is_sign_of(source, i, ".[") || source_is_sign(source, i + 1, ':')))
			return false;
		begins = false;
		if (source_is_sign_of(source, i, "({[")) {
			i = source_closing(source, i);
		} else if (source_is_sign(source, i, ',')) {
			begins = true;
			several |= !source_is_sign(source, i + 1, '}');
		} else if (source_is_sign(source, i, '}')) {
			break; /* of a first member that is a record */
		}
	}
	return several;
}

/* Looks at the initializer that begins with the brace `open`. */
static void check_initializer(struct scan *scan, uint32_t target, size_t open, bool array)
{
	const struct source_text *source = scan->source;
	size_t close = source_closing(source, open);

	if (!array) {
		if (is_by_position(source, open))
			source_add_use(scan, SOURCE_BY_POSITION, target, open, NULL);
		return;
	}
	for (size_t i = open + 1; i < close; i++) {
		if (source_is_sign(source, i, '{')) {
			if (is_by_position(source, i)) {
				source_add_use(scan, SOURCE_BY_POSITION, target, i, NULL);
				return;
			}
			i = source_closing(source, i);
		} else if (source_is_sign_of(source, i, "([")) {
			i = source_closing(source, i);
		}
	}
}

/* Returns the token after "[...]" and attributes of a declared name. *array: a bracket. */
static size_t skip_suffixes(const struct source_text *source, size_t at, bool *array)
{
	*array = false;
	for (int i = 0; i < 8; i++) {
		if (source_is_sign(source, at, '[')) {
			*array = true;
			at = source_closing(source, at) + 1;
		} else if (source_is_word(source, at)) {
			at++;
			if (source_is_sign(source, at, '('))
				at = source_closing(source, at) + 1;
		} else {
			break;
		}
	}
	return at;
}

/* Returns the comma, semicolon or closing bracket after the value that begins at `at`. */
static size_t value_end(const struct source_text *source, size_t at)
{
	for (size_t left = TOKENS_OF_CALL; at < source->count && left > 0; at++, left--) {
		switch (source->tokens[at].sign) {
		case '(':
		case '[':
		case '{': at = source_closing(source, at); break;
		case ',':
		case ';':
		case ')':
		case '}': return at;
		}
	}
	return at;
}

/* Declares what follows a type's name, with `outer` pointers; looks at initializers. */
static void read_declarators(struct scan *scan, uint32_t target, uint32_t outer, size_t at,
			     bool in_list, bool global)
{
	const struct source_text *source = scan->source;

	for (int count = 0; count < 32; count++) {
		uint32_t pointers = outer;
		size_t name, after;
		bool array;

		for (;; at++) {
			if (source_is_sign(source, at, '*'))
				pointers++;
			else if (!source_is_one_of(source, at,
						   "const volatile restrict __restrict"))
				break;
		}
		if (!source_is_word(source, at))
			return;
		name = at;
		if (source_is_sign(source, name + 1, '(')) {
			/* a function is known by what it returns */
			declare(scan, name, target, pointers, global);
			if (!pointers)
				places_add_object(scan, target, name);
			return;
		}
		after = skip_suffixes(source, name + 1, &array);
		if (!source_is_sign_of(source, after, ";=,){:"))
			return;
		declare(scan, name, target, pointers + array, global);
		if (!pointers)
			places_add_object(scan, target, name);
		else if (!in_list)
			places_add_pointer(scan, target, name);
		if (source_is_sign(source, after, '=') && source_is_sign(source, after + 1, '{') &&
		    !pointers)
			check_initializer(scan, target, after + 1, array);
		else if (source_is_sign(source, after, '{') && !pointers)
			check_initializer(scan, target, after, array);
		if (in_list)
			return;
		if (source_is_sign(source, after, '='))
			after = value_end(source, after);
		if (!source_is_sign(source, after, ','))
			return;
		at = after + 1;
	}
}

/* Returns the token after the arguments of a template that begin with the `<` at `at`, or `at`. */
static size_t template_end(const struct source_text *source, size_t at)
{
	int depth = 0;

	for (size_t end = at; end < at + TOKENS_OF_CALL; end++) {
		depth += source_is_sign(source, end, '<');
		depth -= source_is_sign(source, end, '>');
		if (!depth)
			return end + 1;
		if (!source_is_word(source, end) && !source_is_sign_of(source, end, "<>:,*&"))
			break;
	}
	return at;
}

/* Returns the first declarator of the declaration with this comma between two others, or SIZE_MAX:
 * "T *x, y" has the type before its first one. */
static size_t first_declarator(const struct source_text *source, size_t comma)
{
	size_t at = comma, left = TOKENS_OF_CALL;

	for (; at > 0 && !source_is_sign_of(source, at - 1, ";{(") &&
	       source->tokens[at - 1].kind != TOKEN_DIRECTIVE;
	     at--) {
		if (!left--)
			return SIZE_MAX;
		if (source_is_sign_of(source, at - 1, ")]}"))
			at = source_opening(source, at - 1) + 1;
	}
	while (source_is_word(source, at)) {
		size_t next = at + 1;

		if (source_is_sign(source, next, '<'))
			next = template_end(source, next);
		if (source_is_sign(source, next, ':') && source_is_sign(source, next + 1, ':'))
			next += 2;
		else if (!source_is_word(source, next) && !source_is_sign(source, next, '*'))
			break;
		for (at = next; source_is_sign(source, at, '*');)
			at++;
	}
	return at < comma && source_is_word(source, at) ? at : SIZE_MAX;
}

size_t source_declaring_type(const struct source_text *source, size_t number)
{
	size_t before = number;

	if (!source_is_sign_of(source, number + 1, ";=,)["))
		return SIZE_MAX;
	while (before && source_is_sign(source, before - 1, '*'))
		before--;
	if (before && source_is_sign(source, before - 1, ',')) {
		number = before = first_declarator(source, before - 1);
		while (before != SIZE_MAX && before && source_is_sign(source, before - 1, '*'))
			before--;
	}
	if (before == SIZE_MAX || !before || !source_is_word(source, before - 1) ||
	    source_is_one_of(source, before - 1, "return else goto case sizeof do"))
		return SIZE_MAX;
	/* "a * b" may be a product */
	return before == number || before < 2 || source_is_sign_of(source, before - 2, ";{}(,") ||
			       source_is_word(source, before - 2)
		       ? before - 1
		       : SIZE_MAX;
}

/* The facts about one record from the arguments of a call. */
struct arguments {
	uint32_t whole;         /* target whose size is an argument, or NO_TARGET */
	uint32_t member_target; /* of "&x->member" or offsetof(), or NO_TARGET */
	uint32_t passed;        /* target that an argument is a pointer to, or NO_TARGET */
	uint32_t named;         /* target that is named as a type, or NO_TARGET */
	bool part;              /* the call covers a part of the record */
	const char *member;
	uint64_t number; /* the last argument, if it is a number */
};

uint32_t source_size_of_at(const struct scan *scan, size_t at, size_t *end)
{
	const struct source_text *source = scan->source;
	bool bracket = source_is_sign(source, at + 1, '(');
	size_t inner = at + 1 + bracket, after;
	bool star = source_is_sign(source, inner, '*');
	const struct source_variable *variable = source_variable_at(scan, inner + star);
	uint32_t target;

	after = inner + star + 1;
	if (variable &&
	    variable->pointers == star + source_skip_indices(source, &after, variable->pointers) &&
	    (bracket ? source_is_sign(source, after, ')') : !source_is_selector(source, after))) {
		*end = after + bracket;
		return variable->target;
	}
	target = bracket ? source_type_at(scan->finder, source, inner, scan->cxx, &after)
			 : NO_TARGET;
	if (target == NO_TARGET || !source_is_sign(source, after, ')'))
		return NO_TARGET;
	*end = after + 1;
	return target;
}

/* Returns the size of a basic type of C on 64-bit Linux, or 0. */
static uint64_t basic_size(const struct source_text *source, size_t number)
{
	static const char *const names[] = { "double long uint64_t int64_t size_t",
					     "float int unsigned uint32_t int32_t",
					     "short uint16_t int16_t", "char uint8_t int8_t" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (source_is_one_of(source, number, names[i]))
			return 8 >> i;
	return 0;
}

/* Returns the bytes of the last argument of a call, if it is a number, or a number times the size
 * of a basic type in either order; 0: it is something else. */
static uint64_t bytes_argument(const struct source_text *source, size_t close)
{
	size_t first = close, count;
	uint64_t bytes = 1;

	while (first && !source_is_sign(source, first - 1, ',') && close - first < 8)
		first--;
	count = close - first;
	if (count != 1 && count != 4 && count != 6)
		return 0;
	for (size_t i = first; i < close; i++) {
		if (source->tokens[i].kind == TOKEN_NUMBER) {
			bytes *= strtoull(source->text + source->tokens[i].start, NULL, 0);
		} else if (source_token_is(source, i, "sizeof") &&
			   source_is_sign(source, i + 1, '(') &&
			   source_is_sign(source, i + 3, ')') && basic_size(source, i + 2)) {
			bytes *= basic_size(source, i + 2);
			i += 3;
		} else if (!source_is_sign(source, i, '*')) {
			return 0;
		}
	}
	return bytes;
}

/* Looks at "sizeof(x->member)" or "sizeof x[i].member" at `at`: in a sum, it is the size of several
 * members. */
static void add_member_size(struct scan *scan, size_t at, struct arguments *result)
{
	const struct source_text *source = scan->source;
	bool bracket = source_is_sign(source, at + 1, '(');
	size_t dot = at + bracket + 2, end;
	const struct source_variable *variable = source_variable_at(scan, dot - 1);

	if (!variable)
		return;
	source_skip_indices(source, &dot, variable->pointers);
	end = dot + 2 + bracket;
	if (!source_is_selector(source, dot) || !source_is_word(source, dot + 1) ||
	    (bracket && !source_is_sign(source, end - 1, ')')) ||
	    !(source_is_sign(source, at - 1, '+') || source_is_sign(source, end, '+')))
		return;
	result->member_target = variable->target;
	result->member = source_keep_word(&scan->file->arena, source, dot + 1);
	result->part = true;
}

static struct arguments read_arguments(struct scan *scan, size_t open, size_t close)
{
	const struct source_text *source = scan->source;
	struct arguments result = { .whole = NO_TARGET,
				    .member_target = NO_TARGET,
				    .passed = NO_TARGET,
				    .named = NO_TARGET };

	for (size_t i = open + 1; i < close; i++) {
		const struct source_variable *variable;
		size_t end, member;
		uint32_t target;

		if (source_token_is(source, i, "sizeof")) {
			target = source_size_of_at(scan, i, &end);
			if (target == NO_TARGET) {
				add_member_size(scan, i, &result);
				continue;
			}
			result.whole = target;
			result.part |= source_is_sign(source, i - 1, '-') ||
				       source_is_sign(source, end, '-');
			i = end - 1;
			continue;
		}
		if (source_is_one_of(source, i, "offsetof __builtin_offsetof") &&
		    source_is_sign(source, i + 1, '(')) {
			target = source_type_at(scan->finder, source, i + 2, scan->cxx, &end);
			if (target != NO_TARGET && source_is_word(source, end + 1)) {
				result.member_target = target;
				result.member =
					source_keep_word(&scan->file->arena, source, end + 1);
				result.part = true;
			}
			continue;
		}
		variable = source_member_address_at(scan, i, &member);
		if (variable) {
			/* "(char *) &x->last - (char *) &x->first" */
			result.part |= result.member_target == variable->target &&
				       any_of(k, open, i, source_is_sign(source, k, '-'));
			result.member_target = variable->target;
			if (!result.member)
				result.member =
					source_keep_word(&scan->file->arena, source, member);
			continue;
		}
		target = source_type_at(scan->finder, source, i, scan->cxx, &end);
		if (target != NO_TARGET) {
			result.named = target;
			i = end - 1;
			continue;
		}
		variable = source_variable_at(scan, i);
		if (!variable)
			continue;
		end = i + 1;
		uint32_t pointers =
			variable->pointers - source_skip_indices(source, &end, variable->pointers);

		if (pointers <= 1 && (source_is_sign(source, end, ',') || end == close) &&
		    (pointers || source_is_sign(source, i - 1, '&')))
			result.passed = variable->target;
	}
	result.number = bytes_argument(source, close);
	return result;
}

/* Returns whether the target is a record with a member of this name. Sets *size to its size. */
static bool find_member(const struct scan *scan, uint32_t target, const char *name, uint64_t *size)
{
	uint32_t record = scan->finder->targets[target].record;
	const struct source_record *r = record == NO_TARGET ? NULL : &scan->finder->records[record];

	for (size_t i = 0; r && i < r->member_count; i++) {
		*size = r->sizes[i];
		if (!strcmp(r->members[i], name))
			return true;
	}
	return false;
}

static void check_memory(struct scan *scan, enum source_callee kind,
			 const struct arguments *arguments, size_t token)
{
	if (arguments->part && arguments->member_target != NO_TARGET)
		source_add_use(scan, SOURCE_RANGE, arguments->member_target, token,
			       arguments->member);
	else if (arguments->part && arguments->whole != NO_TARGET)
		source_add_use(scan, SOURCE_RANGE, arguments->whole, token, NULL);
	else if (arguments->member_target != NO_TARGET && arguments->number) {
		uint64_t size;

		if (find_member(scan, arguments->member_target, arguments->member, &size) && size &&
		    arguments->number > size)
			source_add_use(scan, SOURCE_RANGE, arguments->member_target, token,
				       arguments->member);
	} else if (kind == CALLEE_COMPARE && arguments->whole != NO_TARGET) {
		source_add_use(scan, SOURCE_COMPARED, arguments->whole, token, NULL);
	}
}

/* A call whose last argument may be a member: of verify_entry() it is a variable. */
static void check_named(struct scan *scan, enum source_callee kind,
			const struct arguments *arguments, size_t last, size_t token)
{
	uint32_t target = arguments->named != NO_TARGET ? arguments->named : arguments->passed;
	const char *member;
	uint64_t size;

	if (target == NO_TARGET || !source_is_word(scan->source, last))
		return;
	member = source_keep_word(&scan->file->arena, scan->source, last);
	if (kind == CALLEE_NAME || find_member(scan, target, member, &size))
		source_add_use(scan, SOURCE_BY_NAME, target, token, member);
}

/* Looks at "x = mmap(" or "x = (T *)mmap(": a file's records, but no anonymous memory. */
static void check_map(struct scan *scan, size_t token, size_t close)
{
	const struct source_text *source = scan->source;
	const struct source_variable *variable;
	size_t at = token;

	if (any_of(i, token, close, source_is_one_of(source, i, "MAP_ANONYMOUS MAP_ANON")))
		return;
	if (at && source_is_sign(source, at - 1, ')'))
		while (at && !source_is_sign(source, at--, '('))
			;
	else
		at -= at > 0;
	variable = at && source_is_sign(source, at, '=') ? source_variable_at(scan, at - 1) : NULL;
	if (variable && variable->pointers == 1)
		source_add_use(scan, SOURCE_WRITTEN, variable->target, token, "mmap");
}

static void check_call(struct scan *scan, size_t token)
{
	const struct source_text *source = scan->source;
	size_t close = source_closing(source, token + 1);
	struct arguments arguments;
	enum source_callee kind = source_callee(source, token);

	/* a method: only its name is known */
	if (kind == CALLEE_FILE && token && source_is_selector(source, token - 1))
		kind = CALLEE_FILE_LIKE;
	if (kind == CALLEE_OTHER || close == source->count || close - token > TOKENS_OF_CALL)
		return;
	arguments = read_arguments(scan, token + 1, close);
	switch (kind) {
	case CALLEE_MEMORY:
	case CALLEE_COMPARE: check_memory(scan, kind, &arguments, token); break;
	case CALLEE_SORT:
	case CALLEE_FILE:
		if (arguments.passed != NO_TARGET && arguments.whole == NO_TARGET)
			arguments.whole = arguments.passed;
		/* fall through */
	case CALLEE_FILE_LIKE:
		if (arguments.whole != NO_TARGET && !arguments.part)
			source_add_use(scan, kind == CALLEE_SORT ? SOURCE_SORTED : SOURCE_WRITTEN,
				       arguments.whole, token,
				       source_keep_word(&scan->file->arena, source, token));
		break;
	case CALLEE_MAP: check_map(scan, token, close); break;
	case CALLEE_NAME:
	case CALLEE_NAME_LIKE: check_named(scan, kind, &arguments, close - 1, token); break;
	case CALLEE_OTHER: break;
	}
}

uint64_t source_record_size(const struct finder *finder, uint32_t target)
{
	uint32_t record = finder->targets[target].record;

	return (record == NO_TARGET ? 0 : finder->records[record].size) ?: UINT64_MAX;
}

bool source_has_size(const struct finder *finder, uint64_t size)
{
	return size && any_of(i, 0, finder->target_count,
			      size % source_record_size(finder, (uint32_t)i) == 0);
}

/* Looks at the cast "(struct U *) x" that begins at the bracket `open`. */
static void check_cast(struct scan *scan, size_t open)
{
	const struct source_text *source = scan->source;
	const struct finder *finder = scan->finder;
	size_t at = open + 1, type, end;
	const struct source_variable *variable;
	uint32_t to;
	bool keyword, number;

	if (source_token_is(source, at, "const"))
		at++;
	keyword = is_record_keyword(source, at);
	type = at + keyword;
	/* a number of several bytes is hardly anything but the first member */
	number = basic_size(source, type) > 1;
	if (!source_is_word(source, type) || (source_is_plain_type(source, type) && !number) ||
	    !source_is_sign(source, type + 1, '*') || !source_is_sign(source, type + 2, ')'))
		return;
	variable = source_variable_at(scan, type + 3);
	if (!variable || variable->pointers != 1 || source_is_arrow(source, type + 4) ||
	    source_is_sign_of(source, type + 4, "[("))
		return;
	to = source_type_at(finder, source, at, scan->cxx, &end);
	if (to == variable->target)
		return;
	if (number || (to != NO_TARGET && finder->targets[variable->target].base == to))
		source_add_use(scan, SOURCE_CAST_BASE, variable->target, open, NULL);
	else if (to != NO_TARGET && finder->targets[to].base == variable->target)
		source_add_use(scan, SOURCE_CAST_BASE, to, open, NULL);
	else if (keyword || to != NO_TARGET)
		source_add_use(scan, SOURCE_CAST, variable->target, open,
			       source_keep_word(&scan->file->arena, source, type));
}

/* Returns whether the token is in the arguments of sizeof or the like, or of a macro that finds a
 * record by its member. Any other call may make objects of the type that it gets. */
static bool follows_type_word(const struct scan *scan, size_t at)
{
	const struct source_text *source = scan->source;
	size_t left = TOKENS_OF_CALL;

	for (; at && !source_is_sign(source, at, '('); at--) {
		if (source_is_sign(source, at, ';') || !left--)
			return false;
		if (source_is_sign(source, at, ')'))
			at = source_opening(source, at);
		if (!at)
			break;
	}
	if (!at || !source_is_word(source, at - 1))
		return false;
	return source_is_one_of(source, at - 1,
				"sizeof typeof __typeof__ _Alignof alignof _Generic __alignof__") ||
	       source_finds_by_name(source, at - 1);
}

/* Adds the variable that has objects of the target, if its type is a template with that of the
 * target as an argument, which ends at `end`: "std::vector<T> name". */
static void check_container(struct scan *scan, size_t end, uint32_t target, int depth)
{
	const struct source_text *source = scan->source;

	while (source_is_sign(source, end, '>'))
		end++;
	if (source_is_word(source, end) && (source_is_sign_of(source, end + 1, ";=,{") ||
					    (depth && source_is_sign(source, end + 1, '('))))
		places_add_object(scan, target, end);
}

/* Looks at the name of a target's type, the tokens [at, end). */
static void check_type(struct scan *scan, size_t at, size_t end, uint32_t target, int depth)
{
	const struct source_text *source = scan->source;
	size_t before = at;
	bool in_list;

	while (before && source_is_one_of(source, before - 1, "const volatile"))
		before--;
	if (before && source_token_is(source, before - 1, "typedef"))
		return;
	if (scan->cxx && before && source_is_sign(source, before - 1, '<') &&
	    source_is_sign(source, end, '>'))
		check_container(scan, end, target, depth);
	in_list = before && source_is_sign_of(source, before - 1, "(,");
	/* "(T) { ... }" and "(T[]) { ... }" */
	if (before && source_is_sign(source, before - 1, '(')) {
		size_t after = end;
		bool array = source_is_sign(source, end, '[');

		while (source_is_sign(source, after, '['))
			after = source_closing(source, after) + 1;
		if (source_is_sign(source, after, ')') && source_is_sign(source, after + 1, '{')) {
			check_initializer(scan, target, after + 1, array);
			return;
		}
	}
	if (in_list && (source_is_sign_of(source, end, "),")) &&
	    !follows_type_word(scan, before - 1))
		source_add_use(scan, SOURCE_VALUE, target, at, NULL);
	read_declarators(scan, target, 0, end, in_list, depth == 0 && !in_list);
}

/* Looks at the name of a typedef for pointers to a target. */
static void check_pointer_type(struct scan *scan, size_t at, uint32_t target, uint32_t pointers,
			       int depth)
{
	const struct source_text *source = scan->source;
	size_t before = at - (at && source_token_is(source, at - 1, "const"));
	bool in_list = before && source_is_sign_of(source, before - 1, "(,");

	/* a name of an array makes objects */
	if (name_at(scan->finder, source, at, false)->array && source_is_word(source, at + 1))
		source_add_use(scan, SOURCE_VALUE, target, at, NULL);
	if (!before || !source_token_is(source, before - 1, "typedef"))
		read_declarators(scan, target, pointers, at + 1, in_list, depth == 0 && !in_list);
}

/* Returns whether a text has a word that leads to a record. */
static bool is_related(const struct finder *finder, const struct source_text *source)
{
	return any_of(i, 0, source->count,
		      source_is_word(source, i) &&
			      source_has_bit(finder->related, source->tokens[i].hash));
}

static void find_uses(const struct finder *finder, const struct source_text *source,
		      struct file_uses *file)
{
	struct scan scan = { .finder = finder,
			     .source = source,
			     .file = file,
			     .line = 1,
			     .cxx = is_cxx(finder, source) };
	bool related = is_related(finder, source);
	int depth = 0;

	for (size_t i = 0; i < source->count; i++) {
		const struct source_token *token = &source->tokens[i];
		const struct source_variable *variable;
		size_t end = i;
		uint32_t target, pointers;

		places_check(&scan, i);
		if (related)
			addresses_check(&scan, i);
		if (token->kind == TOKEN_SIGN) {
			depth += token->sign == '{';
			depth -= token->sign == '}' && depth;
			/* a brace in the first column ends a function, whatever the #ifs did */
			if (token->sign == '}' &&
			    (!token->start || source->text[token->start - 1] == '\n')) {
				depth = 0;
				end_function(&scan, i + 1);
			}
			if (token->sign == '(')
				check_cast(&scan, i);
			continue;
		}
		if (token->kind != TOKEN_WORD)
			continue;
		target = source_type_at(finder, source, i, scan.cxx, &end);
		if (target != NO_TARGET) {
			check_type(&scan, i, end, target, depth);
			i = end - 1;
			continue;
		}
		target = source_pointer_type_at(finder, source, i, &pointers);
		if (target != NO_TARGET && !source_is_sign(source, i + 1, ')')) {
			check_pointer_type(&scan, i, target, pointers, depth);
			continue;
		}
		if (source_is_sign(source, i + 1, '(')) {
			check_call(&scan, i);
			continue;
		}
		variable = source_variable_at(&scan, i);
		if (variable && variable->token != i &&
		    source_declaring_type(source, i) != SIZE_MAX)
			declare(&scan, i, NO_TARGET, 0, depth == 0);
	}
	hash_map_deinit(&scan.by_hash);
	free_all(scan.variables, scan.pointers);
}

/* ---- macros ---- */

/* Returns the kind of place that a use in an expanded text is, or SOURCE_USE_KINDS if the text
 * itself or the definition of the macro has it. */
static enum source_use_kind kind_in_macro(const struct source_use *use,
					  const struct source_origin *origin,
					  const struct hash_map *known)
{
	if (hash_map_find(known, hash_combine(use->record, origin->at)) &&
	    origin->kind != ORIGIN_BODY)
		return SOURCE_USE_KINDS;
	if (use->kind == SOURCE_ACCESS && origin->kind == ORIGIN_BODY)
		return SOURCE_USE_KINDS;
	return use->kind < SOURCE_CONSTRAINTS ? use->kind : SOURCE_EXPANDED;
}

/* Adds what the macros that a text uses make of their arguments. */
static void find_expanded_uses(const struct finder *finder, const struct source_text *source,
			       struct file_uses *file)
{
	struct scan scan = { .source = source, .line = 1 };
	struct source_expansion expansion;
	struct file_uses found = { 0 };
	_cleanup_map_ struct hash_map known = { 0 };

	if (!is_related(finder, source))
		return;
	array_each (const struct source_use, use, file->items, file->count)
		hash_map_insert(&known, hash_combine(use->record, use->at), NULL);
	if (source_expansion_init(&expansion, finder->macros, source))
		find_uses(finder, &expansion.text, &found);
	array_each (struct source_use, use, found.items, found.count) {
		size_t token = partition_point(0, expansion.text.count, i,
					       expansion.text.tokens[i].start < use->at);
		const struct source_origin *origin = &expansion.origins[token];

		enum source_use_kind kind = kind_in_macro(use, origin, &known);
		bool named = use->kind != SOURCE_OBJECT; /* a member, if anything */

		if (kind == SOURCE_USE_KINDS)
			continue;
		use->kind = kind;
		use->at = origin->at;
		use->line = scan_line(&scan, use->at);
		use->detail = arena_strdup(&file->arena, named ? use->detail : "");
		array_add(file->items, file->count, file->capacity) = *use;
	}
	free(found.items);
	arena_deinit(&found.arena);
	source_expansion_deinit(&expansion);
}

/* ---- all files ---- */

static void read_aliases(size_t item, unsigned int thread _unused_, void *data)
{
	struct finder *finder = data;

	find_aliases(finder, &finder->sources[item], &finder->files[item]);
	addresses_find_walkers(&finder->sources[item], &finder->files[item]);
}

static void read_uses(size_t item, unsigned int thread _unused_, void *data)
{
	struct finder *finder = data;

	find_uses(finder, &finder->sources[item], &finder->files[item]);
	find_expanded_uses(finder, &finder->sources[item], &finder->files[item]);
}

COMPARISON(compare_uses, struct source_use,
	   ASCENDING(record) ASCENDING(kind) BY_TEXT(path) ASCENDING(line) ASCENDING(at)
		   ASCENDING(doubtful) BY_TEXT(detail))

static uint32_t base_target(struct finder *finder, const char *first)
{
	for (size_t i = 0; i < finder->name_count; i++)
		if (finder->names[i].tag && !strcmp(finder->names[i].text, first))
			return finder->names[i].target;
	finder->targets[finder->target_count] = (struct source_target){ NO_TARGET, NO_TARGET };
	add_name(finder, (struct target_name){ .text = first,
					       .target = (uint32_t)finder->target_count,
					       .tag = true });
	return (uint32_t)finder->target_count++;
}

/* Makes a target of each record, and of the type of its first member. */
static void make_targets(struct finder *finder, size_t record_count)
{
	finder->targets = xcalloc(2 * record_count + 1, sizeof(*finder->targets));
	for (uint32_t i = 0; i < record_count; i++) {
		finder->targets[i] = (struct source_target){ i, NO_TARGET };
		add_name(finder, (struct target_name){ .text = finder->records[i].tag,
						       .target = i,
						       .tag = !finder->records[i].is_typedef });
	}
	finder->target_count = record_count;
	for (size_t i = 0; i < record_count; i++)
		if (finder->records[i].first)
			finder->targets[i].base = base_target(finder, finder->records[i].first);
}

/* Moves the uses of all files into one list, each use once. */
static void gather(struct finder *finder, size_t source_count, struct source_uses *uses)
{
	array_each (struct file_uses, file, finder->files, source_count) {
		for (size_t k = 0; k < file->count; k++) {
			array_reserve(uses->items, uses->count, uses->capacity);
			uses->items[uses->count] = file->items[k];
			uses->items[uses->count++].detail =
				arena_strdup(&uses->arena, file->items[k].detail);
		}
		free_all(file->items, file->aliases, file->walkers);
		arena_deinit(&file->arena);
	}
	array_unique(uses->items, uses->count, compare_uses);
}

static void add_walker(struct finder *finder, struct source_walker walker)
{
	hash_index_each (i, &finder->by_walker, walker.name)
		if (finder->walkers[i].name == walker.name &&
		    finder->walkers[i].parameter == walker.parameter)
			return;
	hash_index_add(&finder->by_walker, walker.name, (uint32_t)finder->walker_count);
	array_add(finder->walkers, finder->walker_count, finder->walker_capacity) = walker;
}

/* Sets the words that lead to a record: names of types, variables, functions and members. */
static void find_related(struct finder *finder)
{
	array_each (const struct target_name, name, finder->names, finder->name_count)
		if (finder->targets[name->target].record != NO_TARGET)
			source_set_bit(finder->related, name->hash);
	array_each (const struct source_name, known, finder->known->items, finder->known->count)
		if (known->record != NO_TARGET && known->kind != NAMED_OWN)
			source_set_bit(finder->related,
				       source_hash_word(known->text, strlen(known->text)));
	source_macros_relate(finder);
}

void source_uses_init(struct source_uses *uses, const struct source_record *records,
		      size_t record_count, const struct source_names *names,
		      const struct source_text *sources, size_t source_count, unsigned int threads)
{
	static const struct source_names no_names = { 0 };
	struct finder finder = { .records = records,
				 .known = names ?: &no_names,
				 .sources = sources,
				 .cxx = any_of(i, 0, source_count, has_cxx_name(&sources[i])),
				 .macros = source_macros_create(sources, source_count),
				 .files = xcalloc(source_count + 1, sizeof(struct file_uses)) };

	*uses = (struct source_uses){ 0 };
	make_targets(&finder, record_count);
	places_init_filter(&finder, record_count);
	parallel_for(source_count, threads, read_aliases, &finder);
	for (size_t i = 0; i < source_count; i++)
		for (size_t k = 0; k < finder.files[i].alias_count; k++)
			add_name(&finder, finder.files[i].aliases[k]);
	for (size_t i = 0; i < source_count; i++)
		for (size_t k = 0; k < finder.files[i].walker_count; k++)
			add_walker(&finder, finder.files[i].walkers[k]);
	for (size_t i = 0; i < finder.known->count; i++)
		if (finder.known->items[i].kind == NAMED_TYPE && !finder.known->items[i].others)
			add_name(&finder, (struct target_name){
						  .text = finder.known->items[i].text,
						  .target = finder.known->items[i].record,
						  .pointers = finder.known->items[i].pointers });
	find_related(&finder);
	parallel_for(source_count, threads, read_uses, &finder);
	gather(&finder, source_count, uses);
	source_macros_destroy(finder.macros);
	free_all(finder.files, finder.targets);
	hash_index_deinit(&finder.by_name);
	hash_index_deinit(&finder.by_walker);
	free_all(finder.names, finder.walkers);
}

void source_uses_deinit(struct source_uses *uses)
{
	free(uses->items);
	arena_deinit(&uses->arena);
	*uses = (struct source_uses){ 0 };
}
