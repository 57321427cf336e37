// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements split_patch_make(): a record is divided, and every place in the source that it changes
 * is changed with it, or there is no patch.
 *
 * Members that leave are reached in one of two ways. If all objects are in one array that the
 * source names, the other parts are arrays beside it: "nodes[i].name" becomes
 * "nodes_cold[i].name", and "p->name" becomes "node_cold_of(p)->name". Else each object has a
 * pointer to its second part, which is allocated, copied, cleared and freed with it: "p->name"
 * becomes "p->cold->name".
 *
 * An access that is forgotten does not compile, so the compiler checks them all. What it would not
 * tell are objects that are made, copied or freed without their other part: each place that names
 * the whole record must be one of a few forms.
 */
#include "report/layout/patch.h"

#include "base/hash.h"
#include "base/text.h"

/* A change of a text: `remove` bytes are replaced. */
struct text_edit {
	size_t at, remove;
	size_t end; /* of what the change is about: the outer one of two at one byte comes first */
	size_t number;
	char *text;
};

struct text_edits {
	struct text_edit *items;
	size_t count, capacity;
};

/* A source that changes. */
struct divided_text {
	struct text_edits edits;
	struct source_surroundings *around; /* of each token; NULL: not needed yet */
	uint32_t *places; /* bytes of the places that change, in ascending order */
	size_t place_count, place_capacity;
};

/* Functions or macros that are written with the declaration if a place needs them. */
enum helper { HELPER_JOIN, HELPER_COPY, HELPER_CLEAR, HELPER_FREE, HELPERS };

struct divider {
	const struct advice_type *type;
	const struct advice_proposal *proposal;
	const struct source_text *sources;
	size_t count;
	struct divided_text *texts; /* of each source */
	size_t last;                /* source of the last place */
	/* of functions that are defined, by the hash of their names: whether they take something */
	struct hash_map functions;
	/* the tokens of the last directive */
	struct source_text macro;
	bool by_pointer;
	const char *record; /* "struct node" */
	const char *suffix[PATCH_PARTS_MAX];
	bool helpers[HELPERS], other_allocator;
	/* the array that has all objects, and the places that declare it */
	const char *base;
	bool base_is_static, base_is_pointer;
	const struct source_text *base_source; /* that defines it, at a byte */
	size_t base_at;
	char *apart; /* the place that shows that no array has all objects */
	struct arena arena;
	struct strbuf *why;
};

struct spot {
	const struct advice_place *place;
	const struct source_text *source;
	struct text_edits *edits;
	struct arena *arena; /* of the texts of edits */
	size_t shift; /* of the bytes of `source` in the file: source is the body of a macro */
	size_t token;
};

static bool split_fail(struct divider *divider, const struct advice_place *place,
		       const char *reason)
{
	if (!divider->why->length)
		strbuf_add_format(divider->why, "%s: %s:%u", reason, place->file, place->line);
	return false;
}

/* The same where no place is to blame. */
static bool refuse(struct divider *divider, const char *reason)
{
	strbuf_add_string(divider->why, reason);
	return false;
}

static void add_edit(const struct spot *spot, size_t at, size_t remove, size_t end, char *text)
{
	array_add(spot->edits->items, spot->edits->count, spot->edits->capacity) =
		(struct text_edit){ at + spot->shift, remove, end + spot->shift, spot->edits->count,
				    text };
}

/* Adds a change whose text is formatted, */
#define edit(spot, at, remove, end, ...)                                                           \
	add_edit(spot, at, remove, end, arena_format((spot)->arena, __VA_ARGS__))
/* and one that removes nothing before a token. */
#define insert(spot, token, end, ...)                                                              \
	edit(spot, start_of(spot, token), 0, start_of(spot, end), __VA_ARGS__)

static size_t start_of(const struct spot *spot, size_t token)
{
	return spot->source->tokens[token].start;
}

static char *text_between(struct divider *divider, const struct source_text *source, size_t first,
			  size_t end)
{
	return first >= end
		       ? arena_strdup(&divider->arena, "")
		       : arena_strndup(&divider->arena, source->text + source->tokens[first].start,
				       source_token_end(source, end - 1) -
					       source->tokens[first].start);
}

static size_t token_at(const struct source_text *source, size_t at)
{
	size_t token = partition_point(0, source->count, i, source_token_end(source, i) <= at);

	return token < source->count && source->tokens[token].start <= at ? token : source->count;
}

/* Returns the token that begins the names, indexes, calls and brackets before `end`, or `end` if
 * there are too many. */
static size_t operand_first(const struct source_text *source, size_t end)
{
	size_t last = end;

	for (size_t left = OPERAND_MAX; end; left--) {
		size_t at = end - 1;

		if (!left)
			return last;
		if (source_is_sign_of(source, at, "])")) {
			bool index = source_is_sign(source, at, ']');

			at = source_opening(source, at);
			/* brackets alone, and not the arguments of a call */
			if (!index &&
			    (!at || !source_is_word(source, at - 1) ||
			     source_is_one_of(source, at - 1, "return sizeof typeof else do case")))
				return at;
			end = at;
		} else if (source_is_word(source, at) || source->tokens[at].kind == TOKEN_NUMBER) {
			if (!at || !source_is_selector(source, at - 1))
				return at;
			end = at - 1;
		} else {
			return end;
		}
	}
	return end;
}

/* Returns the surroundings of a token of one of the sources. */
static const struct source_surroundings *around(struct divider *divider,
						const struct source_text *source, size_t at)
{
	struct divided_text *text = &divider->texts[source - divider->sources];

	if (!text->around)
		text->around = source_surroundings(source);
	return &text->around[at];
}

static bool split_begins_statement(struct divider *divider, const struct source_text *source,
				   size_t at)
{
	return around(divider, source, at)->statement == at ||
	       source_token_is(source, at - 1, "else");
}

/* Returns the end of the value from `at` on, or source->count if it is far away. */
static size_t value_semicolon(const struct source_text *source, size_t at)
{
	for (size_t left = OPERAND_MAX; at < source->count && left > 0; at++, left--)
		if (source_is_sign(source, at, ';'))
			return at;
	return source->count;
}

/* Returns whether evaluating [first, end) twice does more than once. */
static bool has_effects(const struct source_text *source, size_t first, size_t end)
{
	for (; first < end; first++) {
		bool twice = source->tokens[first].length == 1 && first + 1 < end &&
			     source->tokens[first].sign == source->tokens[first + 1].sign;

		if ((twice && source_is_sign_of(source, first, "+-")) ||
		    source_is_sign(source, first, '=') ||
		    (source_is_sign(source, first, '(') && first &&
		     source_is_word(source, first - 1) &&
		     !source_token_is(source, first - 1, "sizeof")))
			return true;
	}
	return false;
}

/* Returns whether another place that changes is within the bytes. */
static bool has_places(const struct divider *divider, const struct spot *spot, size_t first,
		       size_t end)
{
	const struct divided_text *text = &divider->texts[spot->source - divider->sources];
	size_t from = partition_point(0, text->place_count, i,
				      text->places[i] < start_of(spot, first)),
	       to = source_token_end(spot->source, end - 1);

	while (from < text->place_count && text->places[from] == spot->place->at)
		from++;
	return from < text->place_count && text->places[from] < to;
}

/* ---- sizes ---- */

/* The argument of a call that is the size of `count` objects. */
struct sized_call {
	size_t callee, close; /* tokens */
	size_t arguments[4];  /* the first token of each; the one after the comma is the next one */
	size_t argument_count;
	size_t size, size_end; /* sizeof and its operand */
	size_t sized;          /* number of the argument that has it */
	char *count;           /* text */
};

/* Returns the text of the factor beside the size, "1", or NULL if it is something else. */
static char *factor(struct divider *divider, const struct source_text *source,
		    const struct sized_call *call)
{
	size_t first = call->arguments[call->sized],
	       end = call->sized + 1 < call->argument_count ? call->arguments[call->sized + 1] - 1
							    : call->close;
	bool before = call->size > first;

	if (!before && call->size_end == end)
		return arena_strdup(&divider->arena, "1");
	/* a tail of bytes follows one object */
	if (!before && source_is_sign(source, call->size_end, '+'))
		return arena_strdup(&divider->arena, "1");
	if (before ? call->size_end != end || !source_is_sign(source, call->size - 1, '*')
		   : !source_is_sign(source, call->size_end, '*'))
		return NULL;
	if (before)
		end = call->size - 1;
	else
		first = call->size_end + 1;
	for (size_t i = first; i < end; i++) {
		if (source_is_sign_of(source, i, "(["))
			i = source_closing(source, i);
		else if (source->tokens[i].kind == TOKEN_SIGN &&
			 !source_is_sign_of(source, i, ".*") && !source_is_arrow(source, i))
			return NULL;
	}
	return has_effects(source, first, end) ? NULL : text_between(divider, source, first, end);
}

static bool find_call(struct divider *divider, const struct spot *spot, struct sized_call *call)
{
	const struct source_text *source = spot->source;
	size_t open = spot->token, depth = 0, left = OPERAND_MAX;

	*call = (struct sized_call){ .size = spot->token,
				     .size_end = source_size_end(source, spot->token) };
	while (open-- > 0) {
		depth += source_is_sign_of(source, open, ")]");
		if (source_is_sign_of(source, open, ";{") || !left--)
			return false;
		if (!source_is_sign_of(source, open, "(["))
			continue;
		if (!depth)
			break;
		depth--;
	}
	if (open == SIZE_MAX || !open || !source_is_word(source, open - 1) ||
	    (open > 1 && source_is_selector(source, open - 2)))
		return false;
	call->callee = open - 1;
	call->close = source_closing(source, open);
	if (call->close == source->count)
		return false;
	call->arguments[call->argument_count++] = open + 1;
	for (size_t i = open + 1; i < call->close; i++) {
		if (i == call->size)
			call->sized = call->argument_count - 1;
		if (source_is_sign_of(source, i, "([")) {
			i = source_closing(source, i);
		} else if (source_is_sign(source, i, ',')) {
			if (call->argument_count == COUNT_OF(call->arguments))
				return false;
			call->arguments[call->argument_count++] = i + 1;
		}
	}
	call->count = factor(divider, source, call);
	return call->count != NULL;
}

/* Returns the text of the call for another part, with this first argument (NULL: its own). */
static char *call_for(struct divider *divider, const struct source_text *source,
		      const struct sized_call *call, const char *part, const char *first_argument)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	strbuf_add_format(&text, "%s(",
			  text_between(divider, source, call->callee, call->callee + 1));
	for (size_t i = 0; i < call->argument_count; i++) {
		size_t first = call->arguments[i], end = i + 1 < call->argument_count
								 ? call->arguments[i + 1] - 1
								 : call->close;
		bool tail = source_is_sign(source, call->size_end, '+');

		strbuf_add_string(&text, i ? ", " : "");
		if (!i && first_argument) {
			strbuf_add_string(&text, first_argument);
		} else if (i != call->sized) {
			strbuf_add_string(&text, text_between(divider, source, first, end));
		} else {
			strbuf_add_string(&text, text_between(divider, source, first, call->size));
			strbuf_add_string(&text, call->size > first ? " " : "");
			strbuf_add_format(&text, "sizeof(struct %s)", part);
			if (!tail && call->size_end < end)
				strbuf_add_format(
					&text, " %s",
					text_between(divider, source, call->size_end, end));
		}
	}
	strbuf_add_char(&text, ')');
	return arena_strdup(&divider->arena, text.data);
}

/* Sets the number of objects of calloc() and its like, which multiply two arguments. */
static bool read_calloc(struct divider *divider, const struct spot *spot, struct sized_call *call)
{
	const struct source_text *source = spot->source;
	char *name = text_between(divider, source, call->callee, call->callee + 1);
	size_t other = !call->sized, first, end;

	if (!ends_with(name, "calloc") && !ends_with(name, "CALLOC"))
		return !strstr(name, "array") && !strstr(name, "ARRAY");
	if (call->argument_count != 2 || strcmp(call->count, "1") != 0)
		return false;
	first = call->arguments[other];
	end = other ? call->close : call->arguments[1] - 1;
	call->count = text_between(divider, source, first, end);
	return !has_effects(source, first, end);
}

/* ---- the array that has all objects ---- */

/* Returns the number of the place's source, or the number of sources. */
static size_t source_of(struct divider *divider, const struct advice_place *place)
{
	/* places are in the order of their files */
	for (size_t i = 0; i < divider->count; i++) {
		size_t number = (divider->last + i) % divider->count;

		if (!strcmp(divider->sources[number].path, place->file))
			return divider->last = number;
	}
	return divider->count;
}

static bool find_spot(struct divider *divider, const struct advice_place *place, struct spot *spot)
{
	size_t number = source_of(divider, place);
	const struct source_text *source = &divider->sources[number];

	if (number == divider->count)
		return false;
	*spot = (struct spot){ .place = place,
			       .source = source,
			       .edits = &divider->texts[number].edits,
			       .arena = &divider->arena,
			       .token = token_at(source, place->at) };
	/* else it is not the text any more in which the place was found */
	return spot->token < source->count && (source->tokens[spot->token].start == place->at ||
					       source->tokens[spot->token].kind == TOKEN_DIRECTIVE);
}

COMPARISON(compare_bytes, uint32_t, BY_VALUE)

/* Lists the places that change, by source. */
static void list_places(struct divider *divider)
{
	array_each (const struct advice_place, place, divider->type->places,
		    divider->type->place_count) {
		struct divided_text *text = &divider->texts[source_of(divider, place)];

		if (place_changes(divider->type, divider->proposal, place))
			array_add(text->places, text->place_count, text->place_capacity) =
				place->at;
	}
	array_each (const struct divided_text, text, divider->texts, divider->count)
		array_sort(text->places, text->place_count, compare_bytes);
}

/* Returns the name of the pointer that an allocation is assigned to, or NULL. */
static char *assigned_name(struct divider *divider, const struct spot *spot,
			   const struct sized_call *call)
{
	const struct source_text *source = spot->source;
	size_t at = call->callee;

	if (at && source_is_sign(source, at - 1, ')'))
		while (at && !source_is_sign(source, --at, '('))
			;
	if (at < 2 || !source_is_sign(source, at - 1, '=') || !source_is_word(source, at - 2) ||
	    (at > 2 && (source_is_selector(source, at - 3) ||
			(!split_begins_statement(divider, source, at - 2) &&
			 !source_is_sign(source, at - 3, '(')))))
		return NULL;
	return text_between(divider, source, at - 2, at - 1);
}

/* Returns whether the pointer at a token is increased, decreased, or set elsewhere. */
static bool is_moved(const struct source_text *source, size_t at)
{
	for (int i = 0; i < 2; i++) {
		char sign = "+-"[i];
		bool after = source_is_sign(source, at + 1, sign);

		if ((after && (source_is_sign(source, at + 2, sign) ||
			       source_is_sign(source, at + 2, '='))) ||
		    (at > 1 && source_is_sign(source, at - 1, sign) &&
		     source_is_sign(source, at - 2, sign)))
			return true;
	}
	return source_is_sign(source, at - 1, '&') && !source_is_sign(source, at + 1, '[');
}

/* Keeps the first place that shows that no array has all objects. Returns false. */
static bool is_apart(struct divider *divider, const char *file, unsigned int line)
{
	divider->apart = arena_format(&divider->arena, "%s:%u", file, line);
	return false;
}

/* Looks at all words of the array's name: one declaration, and nothing moves it. */
static bool base_is_steady(struct divider *divider)
{
	size_t declarations = 0, assignments = 0;

	array_each (const struct source_text, source, divider->sources, divider->count) {
		for (size_t i = 1; i < source->count; i++) {
			bool star = source_is_sign(source, i - 1, '*');
			size_t type = i - 1 - star, first;

			if (!source_token_is(source, i, divider->base) ||
			    source_is_selector(source, i - 1))
				continue;
			if (source_is_word(source, type) &&
			    !source_is_one_of(source, type, "return sizeof else") &&
			    (!star || around(divider, source, i)->at_file_level ||
			     source_is_word(source, type - 1))) {
				first = around(divider, source, i)->statement;
				if (!around(divider, source, i)->at_file_level ||
				    star != divider->base_is_pointer)
					return is_apart(divider, source->path,
							source_line_of(source, i));
				if (source_token_is(source, first, "extern"))
					continue;
				if (declarations++ || (star && !source_is_sign(source, i + 1, ';')))
					return is_apart(divider, source->path,
							source_line_of(source, i));
				divider->base_is_static = source_token_is(source, first, "static");
				divider->base_source = source;
				divider->base_at = source->tokens[i].start;
			} else if ((divider->base_is_pointer && is_moved(source, i)) ||
				   (source_is_sign(source, i + 1, '=') &&
				    !source_is_sign(source, i + 2, '=') &&
				    !source_is_one_of(source, i + 2, "NULL 0") && assignments++)) {
				return is_apart(divider, source->path, source_line_of(source, i));
			}
		}
	}
	return declarations == 1;
}

/* Returns whether the array's name is known at each place that changes. */
static bool base_is_visible(struct divider *divider)
{
	const struct advice_type *type = divider->type;

	if (!divider->base_is_static)
		return true;
	array_each (const struct advice_place, place, type->places, type->place_count)
		if ((place->kind == SOURCE_COPIED || place->kind == SOURCE_SIZE ||
		     (place->kind == SOURCE_ACCESS &&
		      proposal_part_of(type, divider->proposal, place->member) > 0)) &&
		    (strcmp(place->file, divider->base_source->path) != 0 ||
		     place->at < divider->base_at))
			return is_apart(divider, place->file, place->line);
	return true;
}

/* Finds the one array that has all objects. */
static bool find_base(struct divider *divider)
{
	size_t arrays = 0, pointers = 0;

	array_each (const struct advice_place, place, divider->type->places,
		    divider->type->place_count) {
		struct sized_call call;
		struct spot spot;
		const char *name = NULL;

		if (place->kind != SOURCE_OBJECT && place->kind != SOURCE_ALLOCATED)
			continue;
		is_apart(divider, place->file, place->line);
		if (!find_spot(divider, place, &spot))
			return false;
		if (place->kind == SOURCE_OBJECT) {
			size_t end = spot.token + 1;

			/* an array of arrays has no one index */
			if (!source_is_sign(spot.source, end, '[') ||
			    source_is_sign(spot.source, source_closing(spot.source, end) + 1, '['))
				return false;
			name = place->name;
			arrays++;
		} else {
			if (!find_call(divider, &spot, &call) ||
			    !read_calloc(divider, &spot, &call))
				return false;
			name = assigned_name(divider, &spot, &call);
			pointers++;
		}
		if (!name || (divider->base && strcmp(divider->base, name) != 0))
			return false;
		divider->base = name;
	}
	divider->base_is_pointer = pointers > 0;
	return (pointers == 1 || !pointers) && (arrays > 0) != (pointers > 0) &&
	       base_is_steady(divider) && base_is_visible(divider);
}

/* ---- accesses ---- */

/* Returns the name of the array that has a part of all objects. */
static char *array_of(struct divider *divider, size_t part)
{
	return arena_format(&divider->arena, "%s_%s", divider->base, divider->suffix[part]);
}

/* Changes an access to the member whose name is at the spot. */
static bool change_access(struct divider *divider, const struct spot *spot)
{
	const struct source_text *source = spot->source;
	const char *suffix = divider->suffix[proposal_part_of(divider->type, divider->proposal,
							      spot->place->member)],
		   *tag = divider->type->tag;
	size_t name = spot->token, sign = name - 1, first;

	if (!source_token_is(source, name, spot->place->name))
		return split_fail(divider, spot->place, "a source has changed");
	if (divider->by_pointer) {
		insert(spot, name, name, "%s->", suffix);
		return true;
	}
	first = name ? operand_first(source, sign) : name;
	if (!name || first == sign || !source_is_selector(source, sign))
		return split_fail(divider, spot->place, "an access is not understood");
	if (source_is_sign(source, sign, '.') && source_token_is(source, first, divider->base) &&
	    source_is_sign(source, first + 1, '[') &&
	    source_closing(source, first + 1) == sign - 1) {
		insert(spot, first + 1, sign, "_%s", suffix);
		return true;
	}
	insert(spot, first, sign, "%s_%s_of(%s", tag, suffix,
	       source_is_sign(source, sign, '.') ? "&" : "");
	if (source_is_sign(source, sign, '.'))
		edit(spot, start_of(spot, sign), 1, 0, ")->");
	else
		insert(spot, sign, sign, ")");
	return true;
}

/* Changes an access in a directive, whose text is cut into tokens of its own. */
static bool change_macro(struct divider *divider, const struct spot *spot)
{
	const struct source_token *directive = &spot->source->tokens[spot->token];
	struct source_text *body = &divider->macro;
	struct spot inner = *spot;

	inner.shift = directive->start + 1;
	if (body->text != spot->source->text + inner.shift) {
		source_text_deinit(body);
		source_text_init(body, spot->source->path, spot->source->text + inner.shift,
				 directive->length - 1);
	}
	inner.source = body;
	inner.token = token_at(body, spot->place->at - inner.shift);
	return (inner.token < body->count && change_access(divider, &inner)) ||
	       split_fail(divider, spot->place, "a macro is not understood");
}

/* ---- objects ---- */

/* Allocates the other parts with an object or an array. */
static bool change_allocation(struct divider *divider, const struct spot *spot)
{
	const struct source_text *source = spot->source;
	const struct advice_type *type = divider->type;
	struct sized_call call;
	size_t assigned;
	const char *part;

	if (!find_call(divider, spot, &call) || !read_calloc(divider, spot, &call) ||
	    has_places(divider, spot, call.callee, call.close + 1))
		return split_fail(divider, spot->place, "an allocation is not understood");
	if (divider->by_pointer) {
		char *name = text_between(divider, source, call.callee, call.callee + 1);

		if (strstr(name, "realloc") || strstr(name, "REALLOC"))
			return split_fail(divider, spot->place, "an array grows by realloc()");
		part = divider->proposal->parts[1].name;
		insert(spot, call.callee, call.close, "%s_join(", type->tag);
		edit(spot, source_token_end(source, call.close), 0, 0, ", %s, %s)",
		     call_for(divider, source, &call, part, NULL), call.count);
		divider->helpers[HELPER_JOIN] = true;
		divider->other_allocator |=
			strcmp(name, "malloc") != 0 && strcmp(name, "calloc") != 0;
		return true;
	}
	for (assigned = call.callee; !source_is_sign(source, assigned, '=');)
		assigned--;
	assigned--;
	for (size_t i = 1; i < divider->proposal->part_count; i++) {
		bool grows = source_token_is(source, call.arguments[0], divider->base);
		char *base = array_of(divider, i);

		insert(spot, assigned, call.close, "%s = %s, ", base,
		       call_for(divider, source, &call, divider->proposal->parts[i].name,
				grows ? base : NULL));
		insert(spot, assigned + 2, call.close, "%s%s", base,
		       i + 1 < divider->proposal->part_count ? " && " : " ? ");
	}
	edit(spot, source_token_end(source, call.close), 0, 0, " : 0");
	return true;
}

/* Lists the functions that the sources define. The first definition of a name counts. */
static void list_functions(struct divider *divider)
{
	hash_map_reserve(&divider->functions, 1);
	array_each (const struct source_text, source, divider->sources, divider->count) {
		for (size_t i = 0; i + 1 < source->count; i++) {
			size_t close = source_closing(source, i + 1);
			bool created;
			uint32_t *takes;

			if (!source_is_word(source, i) || !source_is_sign(source, i + 1, '(') ||
			    !source_is_sign(source, close + 1, '{'))
				continue;
			takes = hash_map_insert(&divider->functions,
						hash_bytes(source->text + source->tokens[i].start,
							   source->tokens[i].length),
						&created);
			if (created)
				*takes = !any_of(k, i, close, source_token_is(source, k, "void"));
		}
	}
}

/* True if the sources define the function, for the record: what it frees is a place, too. */
static bool frees_by_itself(struct divider *divider, const char *name)
{
	const uint32_t *takes;

	if (!divider->functions.capacity)
		list_functions(divider);
	takes = hash_map_find(&divider->functions, hash_bytes(name, strlen(name)));
	return takes && *takes;
}

/* Frees the other parts with the object. */
static bool change_free(struct divider *divider, const struct spot *spot)
{
	const struct source_text *source = spot->source;
	const char *tag = divider->type->tag;
	size_t callee = spot->token, close = source_closing(source, callee + 1);
	char *name = text_between(divider, source, callee, callee + 1);

	if (!divider->by_pointer) {
		if (close != callee + 3 || !source_token_is(source, callee + 2, divider->base) ||
		    !split_begins_statement(divider, source, callee))
			return split_fail(divider, spot->place, "what is freed is not understood");
		for (size_t i = 1; i < divider->proposal->part_count; i++)
			insert(spot, callee, close, "%s(%s), ", name, array_of(divider, i));
		return true;
	}
	if (frees_by_itself(divider, name))
		return true;
	if (strcmp(name, "free") != 0)
		return split_fail(divider, spot->place, "objects are not freed by free()");
	edit(spot, start_of(spot, callee), strlen(name), 0, "%s_free", tag);
	divider->helpers[HELPER_FREE] = true;
	return true;
}

/* Clears the other parts in "memset(x, 0, sizeof(*x))". */
static bool change_size(struct divider *divider, const struct spot *spot)
{
	const struct source_text *source = spot->source;
	struct sized_call call;

	if (!find_call(divider, spot, &call) ||
	    !source_token_is(spot->source, call.callee, "memset") || call.argument_count != 3 ||
	    !source_token_is(source, call.arguments[1], "0") ||
	    call.arguments[2] != call.arguments[1] + 2 || call.sized != 2 ||
	    has_places(divider, spot, call.arguments[1], call.close + 1) ||
	    !split_begins_statement(divider, source, call.callee))
		return split_fail(divider, spot->place, "the record's size is used");
	if (!divider->by_pointer && source_token_is(source, call.arguments[0], divider->base) &&
	    source_is_sign(source, call.arguments[0] + 1, ',')) {
		bool whole =
			source_token_is(source,
					call.size + 1 + source_is_sign(source, call.size + 1, '('),
					divider->base) &&
			!source_is_sign(source, call.size + 3, '[');

		for (size_t i = 1; i < divider->proposal->part_count; i++) {
			char *base = array_of(divider, i);

			insert(spot, call.callee, call.close,
			       whole ? "memset(%s, 0, sizeof(%s)), " : "%s, ",
			       whole ? base
				     : call_for(divider, source, &call,
						divider->proposal->parts[i].name, base),
			       base);
		}
		return true;
	}
	if (!divider->by_pointer && strcmp(call.count, "1") != 0)
		return split_fail(divider, spot->place, "the record's size is used");
	edit(spot, start_of(spot, call.callee), strlen("memset"), 0, "%s_clear",
	     divider->type->tag);
	edit(spot, start_of(spot, call.arguments[1]),
	     start_of(spot, call.close) - start_of(spot, call.arguments[1]), 0, "%s", call.count);
	divider->helpers[HELPER_CLEAR] = true;
	return true;
}

/* Changes "x = y;" of whole records. `to` and `from` begin them, `end` is the semicolon. */
static void write_copy(const struct spot *spot, size_t from, size_t end, const char *before)
{
	bool star = source_is_sign(spot->source, from, '*');

	edit(spot, start_of(spot, from), star, start_of(spot, end), "%s%s", before,
	     star ? "" : "&");
}

static bool change_copy(struct divider *divider, const struct spot *spot)
{
	const struct source_text *source = spot->source;
	size_t to = spot->token, equal = to, end;

	for (; !source_is_sign(source, equal, '=') && equal < source->count; equal++)
		if (source_is_sign_of(source, equal, "[("))
			equal = source_closing(source, equal);
	end = value_semicolon(source, equal);
	if (end >= source->count)
		return split_fail(divider, spot->place, "a copy is not understood");
	if (source_is_zero_literal(source, equal + 1, end)) {
		write_copy(spot, to, end,
			   arena_format(spot->arena, "%s_clear(", divider->type->tag));
		edit(spot, source_token_end(source, equal - 1),
		     start_of(spot, end) - source_token_end(source, equal - 1), 0, ", 1)");
		divider->helpers[HELPER_CLEAR] = true;
		return true;
	}
	write_copy(spot, to, end, arena_format(spot->arena, "%s_copy(", divider->type->tag));
	/* with the blank before it */
	edit(spot, source_token_end(source, equal - 1),
	     source_token_end(source, equal) - source_token_end(source, equal - 1), 0, ",");
	write_copy(spot, equal + 1, end, "");
	divider->helpers[HELPER_COPY] = true;
	insert(spot, end, end, ")");
	return true;
}

/* Returns the blanks before the first byte of a line that is none. */
static char *blanks_before(struct divider *divider, const struct source_text *source, size_t end)
{
	size_t first = end;

	while (first && (source->text[first - 1] == ' ' || source->text[first - 1] == '\t'))
		first--;
	return arena_strndup(&divider->arena, source->text + first, end - first);
}

/* Declares the second part of a variable, and points to it. */
static bool change_variable(struct divider *divider, const struct spot *spot, size_t first)
{
	const struct source_text *source = spot->source;
	const char *name = spot->place->name, *suffix = divider->suffix[1];
	size_t after = spot->token + 1, end = value_semicolon(source, after);
	bool set = source_is_sign(source, after, '='),
	     copied = set && !source_is_zero_literal(source, after + 1, end);

	if (end == source->count || (!source_is_sign_of(source, after, ";=")) ||
	    any_of(i, after, end, source_is_sign(source, i, ',')) ||
	    (copied && (around(divider, source, after)->at_file_level ||
			any_of(i, after, end, source_is_sign(source, i, '{')))))
		return split_fail(divider, spot->place,
				  "an object is initialized, or declared with others");
	insert(spot, first, end, "%sstruct %s %s_%s%s;\n%s",
	       source_token_is(source, first, "static") ? "static " : "",
	       divider->proposal->parts[1].name, name, suffix, set && !copied ? " = { 0 }" : "",
	       blanks_before(divider, source, start_of(spot, first)));
	edit(spot, source_token_end(source, spot->token),
	     (copied ? start_of(spot, after + 1) : start_of(spot, end)) -
		     source_token_end(source, spot->token),
	     0, " = { .%s = &%s_%s }%s", suffix, name, suffix, copied ? ";" : "");
	if (copied) {
		write_copy(spot, after + 1, end,
			   arena_format(spot->arena, "\n%s%s_copy(&%s, ",
					blanks_before(divider, source, start_of(spot, first)),
					divider->type->tag, name));
		insert(spot, end, end, ")");
		divider->helpers[HELPER_COPY] = true;
	}
	return true;
}

/* Declares the other arrays before the declaration of the first one, which begins at `first`. */
static void declare_arrays(struct divider *divider, const struct spot *spot, size_t first,
			   const char *star, const char *dimensions)
{
	bool stored = source_is_one_of(spot->source, first, "static extern");

	for (size_t i = 1; i < divider->proposal->part_count; i++)
		insert(spot, first, spot->token, "%s%sstruct %s %s%s%s;\n",
		       stored ? text_between(divider, spot->source, first, first + 1) : "",
		       stored ? " " : "", divider->proposal->parts[i].name, star,
		       array_of(divider, i), dimensions);
}

static bool change_object(struct divider *divider, const struct spot *spot)
{
	const struct source_text *source = spot->source;
	size_t first = around(divider, source, spot->token)->statement, end = spot->token + 1,
	       open = around(divider, source, first)->brace;

	/* a parameter, a function, or a part of another record */
	if (source_is_sign(source, end, '(') || end - first > OPERAND_MAX ||
	    any_of(i, first, spot->token, source_is_sign(source, i, '(')) ||
	    (open != NO_BRACE && !source_is_sign_of(source, open - 1, ");{}") &&
	     !source_is_one_of(source, open - 1, "else do") &&
	     !(open && source->tokens[open - 1].kind == TOKEN_TEXT)))
		return split_fail(divider, spot->place,
				  "an object is a part of something else, a parameter or a result");
	if (divider->by_pointer && source_token_is(source, first, "extern"))
		return true;
	if (source_is_sign(source, end, '[') && divider->by_pointer)
		return split_fail(divider, spot->place, "not all objects are in this one array");
	if (divider->by_pointer)
		return change_variable(divider, spot, first);
	while (source_is_sign(source, end, '['))
		end = source_closing(source, end) + 1;
	if (!source_is_sign(source, end, ';'))
		return split_fail(divider, spot->place,
				  "an array is initialized, or declared with others");
	declare_arrays(divider, spot, first, "",
		       text_between(divider, source, spot->token + 1, end));
	return true;
}

/* Declares the other arrays beside each declaration of a pointer to the first one. */
static void declare_pointers(struct divider *divider)
{
	array_indexed (const struct source_text, source, file, divider->sources, divider->count) {
		struct spot spot = { .source = source,
				     .edits = &divider->texts[file].edits,
				     .arena = &divider->arena };

		for (size_t i = 2; i < source->count; i++) {
			if (!source_token_is(source, i, divider->base) ||
			    !source_is_sign(source, i - 1, '*') || !source_is_word(source, i - 2) ||
			    !around(divider, source, i)->at_file_level)
				continue;
			spot.token = i;
			declare_arrays(divider, &spot, around(divider, source, i)->statement, "*",
				       "");
		}
	}
}

static bool change_place(struct divider *divider, const struct advice_place *place)
{
	bool moves = place->member != PLACE_WHOLE &&
		     proposal_part_of(divider->type, divider->proposal, place->member) > 0;
	struct spot spot;

	if (place->member != PLACE_WHOLE && !moves)
		return true;
	if (place->doubtful)
		return split_fail(divider, place, "a place may be of another record");
	if (!find_spot(divider, place, &spot))
		return split_fail(divider, place, "a source has changed");
	switch ((enum source_use_kind)place->kind) {
	case SOURCE_ACCESS: return change_access(divider, &spot);
	case SOURCE_MACRO: return change_macro(divider, &spot);
	case SOURCE_ALLOCATED: return change_allocation(divider, &spot);
	case SOURCE_FREED: return change_free(divider, &spot);
	case SOURCE_SIZE: return change_size(divider, &spot);
	case SOURCE_COPIED: return change_copy(divider, &spot);
	case SOURCE_OBJECT: return change_object(divider, &spot);
	case SOURCE_DESIGNATED:
		return split_fail(divider, place,
				  "a member that leaves is initialized by its name");
	case SOURCE_BY_NAME:
		return split_fail(divider, place, "the record is found by a member that leaves");
	case SOURCE_BYTES:
		return split_fail(divider, place, "its bytes are reached by offsets or a union");
	case SOURCE_SORTED:
		return split_fail(divider, place, "its objects are moved or found as a whole");
	case SOURCE_EXPANDED:
		return split_fail(divider, place, "a macro uses the record by its arguments");
	/* constraints, which the reader has been told */
	case SOURCE_CAST_BASE:
	case SOURCE_CAST: return true;
	default:
		return split_fail(divider, place, "the patch cannot change this use of the record");
	}
}

/* ---- the declaration ---- */

/* Writes what is needed with a pointer from each object to its second part. */
static void write_pointer_helpers(const struct divider *divider, struct strbuf *text)
{
	const char *tag = divider->type->tag, *record = divider->record,
		   *part = divider->proposal->parts[1].name, *suffix = divider->suffix[1];

	if (divider->helpers[HELPER_JOIN]) {
		strbuf_add_format(text,
				  "\nstatic inline %s *%s_join(void *objects, struct %s *parts, "
				  "unsigned long count)\n{\n\t%s *all = (%s *)objects;\n\n"
				  "\tif (!all || !parts)",
				  record, tag, part, record, record);
		strbuf_add_string(text,
				  divider->other_allocator
					  ? "\n\t\treturn 0;\n"
					  : " {\n\t\t__builtin_free(all);\n"
					    "\t\t__builtin_free(parts);\n\t\treturn 0;\n\t}\n");
		strbuf_add_format(text,
				  "\tfor (unsigned long i = 0; i < count; i++)\n"
				  "\t\tall[i].%s = &parts[i];\n\treturn all;\n}\n",
				  suffix);
	}
	if (divider->helpers[HELPER_COPY])
		strbuf_add_format(
			text,
			"\nstatic inline void %s_copy(%s *to, const %s *from)\n{\n"
			"\tstruct %s *part = to->%s;\n\n\t*part = *from->%s;\n\t*to = *from;\n"
			"\tto->%s = part;\n}\n",
			tag, record, record, part, suffix, suffix, suffix);
	if (divider->helpers[HELPER_CLEAR])
		strbuf_add_format(text,
				  "\nstatic inline void %s_clear(%s *all, unsigned long count)\n{\n"
				  "\tfor (unsigned long i = 0; i < count; i++) {\n"
				  "\t\tstruct %s *part = all[i].%s;\n\n"
				  "\t\t__builtin_memset(&all[i], 0, sizeof(all[i]));\n"
				  "\t\t__builtin_memset(part, 0, sizeof(*part));\n"
				  "\t\tall[i].%s = part;\n\t}\n}\n",
				  tag, record, part, suffix, suffix);
	if (divider->helpers[HELPER_FREE])
		strbuf_add_format(text,
				  "\nstatic inline void %s_free(%s *object)\n{\n\tif (object)\n"
				  "\t\t__builtin_free(object->%s);\n\t__builtin_free(object);\n}\n",
				  tag, record, suffix);
}

/* Writes what is needed if all objects are in one array. */
static void write_array_helpers(const struct divider *divider, struct strbuf *text)
{
	const char *tag = divider->type->tag, *record = divider->record;
	size_t parts = divider->proposal->part_count;

	if (!divider->base_is_static)
		strbuf_add_format(text, "extern %s %s%s%s;\n", record,
				  divider->base_is_pointer ? "*" : "", divider->base,
				  divider->base_is_pointer ? "" : "[]");
	for (size_t i = 1; i < parts; i++) {
		const char *suffix = divider->suffix[i];

		if (!divider->base_is_static)
			strbuf_add_format(text, "extern struct %s %s%s_%s%s;\n",
					  divider->proposal->parts[i].name,
					  divider->base_is_pointer ? "*" : "", divider->base,
					  suffix, divider->base_is_pointer ? "" : "[]");
		strbuf_add_format(text, "#define %s_%s_of(object) (&%s_%s[(object) - %s])\n", tag,
				  suffix, divider->base, suffix, divider->base);
	}
	if (divider->helpers[HELPER_COPY]) {
		strbuf_add_format(
			text,
			"#define %s_copy(to, from) \\\n\tdo { \\\n\t\t%s *to_ = (to); \\\n"
			"\t\tconst %s *from_ = (from); \\\n",
			tag, record, record);
		for (size_t i = 1; i < parts; i++)
			strbuf_add_format(text, "\t\t*%s_%s_of(to_) = *%s_%s_of(from_); \\\n", tag,
					  divider->suffix[i], tag, divider->suffix[i]);
		strbuf_add_string(text, "\t\t*to_ = *from_; \\\n\t} while (0)\n");
	}
	if (divider->helpers[HELPER_CLEAR]) {
		strbuf_add_format(text,
				  "#define %s_clear(object, count) \\\n\tdo { \\\n\t\t%s *object_ "
				  "= (object); \\\n",
				  tag, record);
		for (size_t i = 1; i < parts; i++)
			strbuf_add_format(text,
					  "\t\t__builtin_memset(%s_%s_of(object_), 0, count * "
					  "sizeof(struct %s)); \\\n",
					  tag, divider->suffix[i],
					  divider->proposal->parts[i].name);
		strbuf_add_format(
			text,
			"\t\t__builtin_memset(object_, 0, count * sizeof(%s)); \\\n\t} while (0)\n",
			record);
	}
}

static bool change_declaration(struct divider *divider, const struct advice_machine *machine)
{
	const struct advice_type *type = divider->type;
	struct patch_bodies bodies = { 0 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct spot spot = { 0 };
	bool made;

	for (size_t i = 0; i < divider->count; i++)
		if (!strcmp(divider->sources[i].path, type->source.file))
			spot = (struct spot){ .source = &divider->sources[i],
					      .edits = &divider->texts[i].edits,
					      .arena = &divider->arena };
	if (!spot.source)
		return refuse(divider, "its source was not read");
	made = patch_bodies_init(type, divider->proposal, machine, spot.source, &bodies,
				 divider->why);
	if (made) {
		strbuf_add_string(&text, bodies.parts[0]);
		if (divider->by_pointer)
			strbuf_add_format(&text, "%sstruct %s *%s;\n",
					  blanks_before(divider, spot.source,
							bodies.first + strspn(spot.source->text +
										      bodies.first,
									      " \t\n")),
					  divider->proposal->parts[1].name, divider->suffix[1]);
		edit(&spot, bodies.first, bodies.end - bodies.first, bodies.end, "%s", text.data);
		strbuf_truncate(&text, 0);
		for (size_t i = 1; i < divider->proposal->part_count; i++)
			strbuf_add_format(&text, "\n\nstruct %s {\n%s};",
					  divider->proposal->parts[i].name, bodies.parts[i]);
		strbuf_add_char(&text, '\n');
		if (divider->by_pointer)
			write_pointer_helpers(divider, &text);
		else
			write_array_helpers(divider, &text);
		strbuf_truncate(&text, text.length - 1);
		edit(&spot, bodies.after, 0, bodies.after, "%s", text.data);
	}
	patch_bodies_deinit(&bodies);
	return made;
}

/* ---- the whole ---- */

COMPARISON(compare_edits, struct text_edit,
	   ASCENDING(at) ASCENDING(remove) DESCENDING(end) ASCENDING(number))

/* Appends the diff of one file. Returns false if two changes are of the same bytes. */
static bool write_edits(const struct source_text *source, const char *name,
			struct text_edits *edits, struct strbuf *diff)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	size_t at = 0;

	if (!edits->count)
		return true;
	array_sort(edits->items, edits->count, compare_edits);
	array_each (const struct text_edit, item, edits->items, edits->count) {
		if (item->at < at)
			return false;
		strbuf_add(&text, source->text + at, item->at - at);
		strbuf_add_string(&text, item->text);
		at = item->at + item->remove;
	}
	strbuf_add(&text, source->text + at, source->length - at);
	patch_diff(name, source->text, source->length, text.data, text.length, diff);
	return true;
}

/* Returns whether a name that the patch makes is free. */
static bool names_are_free(struct divider *divider)
{
	static const char *const helpers[] = { "join", "copy", "clear", "free" };
	const struct advice_type *type = divider->type;
	size_t parts = divider->proposal->part_count;

	for (size_t i = 0; i < parts - 1 + COUNT_OF(helpers); i++) {
		const char *name = i < parts - 1 ? divider->proposal->parts[i + 1].name
						 : arena_format(&divider->arena, "%s_%s", type->tag,
								helpers[i - (parts - 1)]);

		for (size_t file = 0; file < divider->count; file++)
			for (size_t k = 0; k < divider->sources[file].count; k++)
				if (source_token_is(&divider->sources[file], k, name)) {
					strbuf_add_format(divider->why,
							  "the source has '%s' already", name);
					return false;
				}
	}
	return true;
}

static bool split_init(struct divider *divider)
{
	const struct advice_type *type = divider->type;
	size_t tag = strlen(type->tag);

	divider->record = type->is_typedef ? type->tag : type->name;
	for (size_t i = 0; i < divider->proposal->part_count; i++) {
		const char *name = divider->proposal->parts[i].name;

		divider->suffix[i] = strlen(name) > tag && name[tag] == '_' ? name + tag + 1 : name;
	}
	for (size_t i = 0; i < type->declared_count; i++)
		if (!type->declared[i].name &&
		    proposal_part_of(type, divider->proposal, type->declared[i].member))
			return refuse(divider, "a member without a name would leave");
	for (size_t i = 0; i < type->member_count; i++)
		if (type->members[i].flags & MEMBER_LAST)
			return refuse(divider, "its last member must stay last");
	return names_are_free(divider);
}

static bool change_all(struct divider *divider, const struct advice_machine *machine)
{
	bool made = false;

	array_each (const struct advice_place, place, divider->type->places,
		    divider->type->place_count) {
		made |= place->kind == SOURCE_OBJECT || place->kind == SOURCE_ALLOCATED;
		if (!change_place(divider, place))
			return false;
	}
	if (!made)
		return refuse(divider, "the source does not show where objects are made");
	if (!divider->by_pointer && divider->base_is_pointer)
		declare_pointers(divider);
	return change_declaration(divider, machine);
}

bool split_patch_make(const struct advice_type *type, const struct advice_proposal *proposal,
		      const struct advice_machine *machine, const struct source_text *sources,
		      const char *const *names, size_t count, bool *by_pointer, struct strbuf *diff,
		      struct strbuf *why)
{
	struct divider divider = { .type = type,
				   .proposal = proposal,
				   .sources = sources,
				   .count = count,
				   .texts = xcalloc(count + 1, sizeof(struct divided_text)),
				   .why = why };
	bool made = proposal->part_count <= PATCH_PARTS_MAX && split_init(&divider);

	list_places(&divider);
	divider.by_pointer = proposal->parts[0].pointer || (made && !find_base(&divider));
	*by_pointer = divider.by_pointer;
	if (made && divider.by_pointer && proposal->part_count > 2) {
		strbuf_add_format(why,
				  "no array in the source is known to have all its objects: %s",
				  divider.apart ?: type->source.file);
		made = false;
	}
	made = made && change_all(&divider, machine);
	for (size_t i = 0; i < count; i++) {
		if (made && !write_edits(&sources[i], names[i], &divider.texts[i].edits, diff)) {
			strbuf_add_string(why, "two places are within each other");
			made = false;
		}
	}
	for (size_t i = 0; i <= count; i++) {
		free_all(divider.texts[i].edits.items, divider.texts[i].around,
			 divider.texts[i].places);
	}
	free(divider.texts);
	source_text_deinit(&divider.macro);
	hash_map_deinit(&divider.functions);
	arena_deinit(&divider.arena);
	return made;
}
