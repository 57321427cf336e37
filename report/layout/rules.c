// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements rules.h: a parser that reads a line word by word. Small words (the, of, group, hot,
 * lines ...) may be left out where the meaning does not need them.
 */
#include "report/layout/rules.h"

#include <ctype.h>

#include "base/memory.h"

#define HEAT_SHARE 0.9 /* of the samples, if a rule names none */

/* The state of reading one line. */
struct rule_reader {
	const char *at;
	struct arena *arena;
	struct layout_rule *rule;
	size_t field_capacity;
};

static void skip_blanks(struct rule_reader *reader)
{
	while (*reader->at == ' ' || *reader->at == '\t')
		reader->at++;
}

/* Takes the character if it comes next. */
static bool take_char(struct rule_reader *reader, char character)
{
	skip_blanks(reader);
	if (*reader->at != character)
		return false;
	reader->at++;
	return true;
}

static bool is_name_char(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Returns the length of the brackets at `text`; 0: not closed. "->" and ">=" close none. */
static size_t brackets_length(const char *text)
{
	size_t depth = 0;

	for (size_t i = 0; text[i]; i++) {
		if (strchr("<([{", text[i]))
			depth++;
		else if (strchr(")]}", text[i]) ||
			 (text[i] == '>' && text[i + 1] != '=' && text[i - 1] != '-'))
			depth--;
		if (!depth)
			return i + 1;
	}
	return 0;
}

static const char anonymous[] = "(anonymous namespace)";

/* Returns the length of a name: words, "::", '.', '/', arguments, "(anonymous namespace)". */
static size_t word_length(const char *text)
{
	size_t length = 0;

	for (;;) {
		const char *at = text + length;
		bool inside = length && is_name_char(at[-1]);

		if (is_name_char(*at) || *at == '.') {
			length++;
		} else if (at[0] == ':' && at[1] == ':') {
			length += 2;
		} else if (*at == '/' && inside && is_name_char(at[1])) {
			length++;
		} else if ((*at == '<' || *at == '[') && inside && at[1] != '=' &&
			   brackets_length(at)) {
			length += brackets_length(at);
		} else if (!strncmp(at, anonymous, strlen(anonymous))) {
			length += strlen(anonymous);
		} else {
			return length;
		}
	}
}

/* Takes the word if it comes next. */
static bool take_word(struct rule_reader *reader, const char *word)
{
	size_t length = strlen(word);

	skip_blanks(reader);
	if (strncmp(reader->at, word, length) != 0 || word_length(reader->at) != length)
		return false;
	reader->at += length;
	return true;
}

/* Takes and returns any name. NULL: there is none. */
static const char *take_plain_name(struct rule_reader *reader)
{
	size_t length;
	const char *name;

	skip_blanks(reader);
	length = word_length(reader->at);
	if (!length)
		return NULL;
	name = arena_strndup(reader->arena, reader->at, length);
	reader->at += length;
	return name;
}

/* Returns whether a name follows, and not the rest of the rule: in C, `class` is a name itself. */
static bool has_name(struct rule_reader *reader)
{
	static const char *const words[] = { "in", "within", "group", "written" };

	skip_blanks(reader);
	return !any_of(i, 0, COUNT_OF(words),
		       word_length(reader->at) == strlen(words[i]) &&
			       !strncmp(reader->at, words[i], strlen(words[i]))) &&
	       word_length(reader->at);
}

/* Takes and returns the name of a type, without "struct" and the like. NULL: there is none. */
static const char *take_name(struct rule_reader *reader)
{
	static const char *const keywords[] = { "struct", "union", "class" };

	skip_blanks(reader);
	for (size_t i = 0; i < COUNT_OF(keywords); i++) {
		const char *start = reader->at;

		if (!take_word(reader, keywords[i]))
			continue;
		if (has_name(reader))
			break;
		reader->at = start;
	}
	return take_plain_name(reader);
}

static bool take_number(struct rule_reader *reader, uint64_t *number)
{
	char *end;

	skip_blanks(reader);
	if (!isdigit((unsigned char)*reader->at))
		return false;
	*number = strtoull(reader->at, &end, 10);
	reader->at = end;
	return true;
}

static bool take_comparison(struct rule_reader *reader, enum rule_comparison *comparison)
{
	static const struct {
		const char *text;
		enum rule_comparison comparison;
	} all[] = { { "<=", COMPARE_AT_MOST },
		    { ">=", COMPARE_AT_LEAST },
		    { "==", COMPARE_EQUAL },
		    { "<", COMPARE_LESS },
		    { ">", COMPARE_MORE } };

	skip_blanks(reader);
	for (size_t i = 0; i < COUNT_OF(all); i++) {
		if (strncmp(reader->at, all[i].text, strlen(all[i].text)) != 0)
			continue;
		reader->at += strlen(all[i].text);
		*comparison = all[i].comparison;
		return true;
	}
	return false;
}

static void add_field(struct rule_reader *reader, const char *name)
{
	struct layout_rule *rule = reader->rule;

	if (rule->field_count >= reader->field_capacity) {
		size_t capacity = reader->field_capacity ? 2 * reader->field_capacity : 8;
		const char **fields = arena_alloc(reader->arena, capacity * sizeof(*fields));

		if (rule->field_count)
			memcpy(fields, rule->fields, rule->field_count * sizeof(*fields));
		rule->fields = fields;
		reader->field_capacity = capacity;
	}
	rule->fields[rule->field_count++] = name;
}

const char *layout_rule_after_point(const char *name)
{
	size_t length;

	for (const char *at = name; *at; at += length) {
		length = strchr("<[", *at) ? brackets_length(at) : 1;
		if (*at == '.')
			return at[1] ? at + 1 : NULL;
		if (!length)
			return NULL;
	}
	return NULL;
}

/* Cuts "client.flags" into type and field at the first point. False: it lacks one. */
static bool cut_name(struct rule_reader *reader, const char *name, const char **type,
		     const char **field)
{
	*field = layout_rule_after_point(name);
	if (!*field || *field == name + 1)
		return false;
	*type = arena_strndup(reader->arena, name, (size_t)(*field - 1 - name));
	return true;
}

/* Cuts the name before "group" into type and group, if it is there. Returns the mistake. */
static const char *take_group(struct rule_reader *reader)
{
	struct layout_rule *rule = reader->rule;
	const char *name = rule->type;

	if (take_word(reader, "group") && !cut_name(reader, name, &rule->type, &rule->group))
		return "a group is TYPE.GROUP";
	return NULL;
}

/* Reads "{a b c}" after the type, or "{client.a client.b}". Returns the mistake, or NULL. */
static const char *read_group(struct rule_reader *reader)
{
	if (!take_char(reader, '{'))
		return "'{' is missing";
	while (!take_char(reader, '}')) {
		const char *name, *type, *field;

		take_char(reader, ',');
		name = reader->rule->type ? take_plain_name(reader) : take_name(reader);
		if (!name)
			return "a field's name, or '}', is missing";
		if (reader->rule->type) {
			size_t length = strlen(reader->rule->type);

			/* the type may be repeated */
			if (!strncmp(name, reader->rule->type, length) && name[length] == '.')
				name += length + 1;
			add_field(reader, name);
			continue;
		}
		if (!cut_name(reader, name, &type, &field))
			return "the group needs a type: TYPE {a b}, or {TYPE.a TYPE.b}";
		reader->rule->type = type;
		add_field(reader, field);
	}
	return reader->rule->field_count ? NULL : "the group is empty";
}

/* Reads "N lines", "2 cachelines". Returns what is wrong, or NULL, as all read_...() do. */
static const char *read_lines(struct rule_reader *reader)
{
	if (!take_number(reader, &reader->rule->number))
		return "a number of lines is missing";
	if (!take_word(reader, "lines") && !take_word(reader, "line") &&
	    !take_word(reader, "cachelines"))
		take_word(reader, "cacheline");
	return NULL;
}

static const char *read_limit(struct rule_reader *reader)
{
	if (!take_comparison(reader, &reader->rule->comparison))
		return "<=, <, ==, > or >= is missing";
	return take_number(reader, &reader->rule->number) ? NULL : "a number is missing";
}

static const char *read_size(struct rule_reader *reader)
{
	const char *problem;

	reader->rule->kind = CHECK_SIZE;
	if (!take_char(reader, '(') || !(reader->rule->type = take_name(reader)))
		return "sizeof needs a type in parentheses";
	problem = take_group(reader);
	if (problem)
		return problem;
	if (!take_char(reader, ')'))
		return "sizeof needs a type in parentheses";
	return read_limit(reader);
}

static const char *read_offset(struct rule_reader *reader)
{
	const char *field;

	reader->rule->kind = CHECK_OFFSET;
	if (!take_char(reader, '(') || !(reader->rule->type = take_name(reader)) ||
	    !take_char(reader, ',') || !(field = take_plain_name(reader)) ||
	    !take_char(reader, ')'))
		return "offsetof needs a type and a field in parentheses";
	add_field(reader, field);
	return read_limit(reader);
}

static const char *read_holes(struct rule_reader *reader)
{
	reader->rule->kind = CHECK_HOLES;
	take_word(reader, "of");
	reader->rule->type = take_name(reader);
	return reader->rule->type ? read_limit(reader) : "the type is missing: holes of TYPE";
}

/* "heat of TYPE [{a b}] in <= N lines", "heat of TYPE.GROUP group in <= N lines" */
static const char *read_heat(struct rule_reader *reader)
{
	struct layout_rule *rule = reader->rule;
	const char *problem;

	rule->kind = CHECK_HEAT;
	if (!rule->share)
		rule->share = HEAT_SHARE;
	take_word(reader, "of");
	rule->type = take_name(reader);
	if (!rule->type)
		return "the type is missing: heat of TYPE";
	skip_blanks(reader);
	problem = *reader->at == '{' ? read_group(reader) : take_group(reader);
	if (problem)
		return problem;
	if (!take_word(reader, "in") && !take_word(reader, "within"))
		return "'in <= N lines' is missing";
	if (take_comparison(reader, &rule->comparison) && rule->comparison != COMPARE_AT_MOST)
		return "heat can be in <= N lines only";
	rule->comparison = COMPARE_AT_MOST;
	return read_lines(reader);
}

/* "no field [of TYPE] written by two threads shares a line with a hot read" */
static const char *read_sharing(struct rule_reader *reader)
{
	static const char *const words[] = { "written", "by",   "two", "threads", "shares", "a",
					     "line",    "with", "a",   "hot",     "read" };

	reader->rule->kind = CHECK_SHARING;
	if (!take_word(reader, "field"))
		return "the rule is: no field [of TYPE] written by two threads shares a line with "
		       "a hot read";
	if (take_word(reader, "of") && !(reader->rule->type = take_name(reader)))
		return "the type is missing: no field of TYPE";
	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (!take_word(reader, words[i]))
			return "the rule is: no field [of TYPE] written by two threads shares a "
			       "line with a hot read";
	return NULL;
}

/* "TYPE.FIELD in line N", "TYPE.FIELD in the first line", "TYPE {a b} within N lines" */
static const char *read_place(struct rule_reader *reader)
{
	struct layout_rule *rule = reader->rule;
	const char *name, *field, *problem;

	take_word(reader, "hot");
	take_word(reader, "group");
	skip_blanks(reader);
	if (*reader->at != '{') {
		name = take_name(reader);
		if (!name)
			return "a type's name is missing";
		rule->type = name;
		skip_blanks(reader);
	}
	problem = *reader->at == '{' ? read_group(reader) : take_group(reader);
	if (problem)
		return problem;
	if (rule->field_count || rule->group) {
		rule->kind = CHECK_WITHIN;
		if (!take_word(reader, "within") && !take_word(reader, "in"))
			return "'within N lines' is missing";
		take_comparison(reader, &rule->comparison);
		return read_lines(reader);
	}
	rule->kind = CHECK_LINE;
	if (!cut_name(reader, rule->type, &rule->type, &field))
		return "this is not a rule: see dtprof-check(1)";
	add_field(reader, field);
	if (!take_word(reader, "in"))
		return "'in line N' is missing";
	take_word(reader, "the");
	if (take_word(reader, "first")) {
		rule->number = 0;
		return take_word(reader, "line") || take_word(reader, "cacheline")
			       ? NULL
			       : "'line' is missing";
	}
	if (!take_word(reader, "line") && !take_word(reader, "cacheline"))
		return "'line N' is missing";
	return take_number(reader, &rule->number) ? NULL : "the number of the line is missing";
}

/* Takes "95% of" before "heat", if it is there. */
static void take_share(struct rule_reader *reader)
{
	const char *start = reader->at;
	uint64_t percent;

	if (take_number(reader, &percent) && percent <= 100 && take_char(reader, '%')) {
		take_word(reader, "of");
		reader->rule->share = (double)percent / 100;
		return;
	}
	reader->at = start;
}

/* Takes "OBJECT:" and a blank, if it is there. */
static void take_object(struct rule_reader *reader)
{
	size_t length;

	skip_blanks(reader);
	length = strcspn(reader->at, ": \t{(");
	if (!length || reader->at[length] != ':' || !strchr(" \t", reader->at[length + 1]))
		return;
	reader->rule->object = arena_strndup(reader->arena, reader->at, length);
	reader->at += length + 1;
}

static const char *read_rule(struct rule_reader *reader)
{
	const char *problem;

	take_object(reader);
	take_share(reader);
	if (take_word(reader, "sizeof"))
		problem = read_size(reader);
	else if (take_word(reader, "offsetof"))
		problem = read_offset(reader);
	else if (take_word(reader, "holes"))
		problem = read_holes(reader);
	else if (take_word(reader, "heat"))
		problem = read_heat(reader);
	else if (take_word(reader, "no"))
		problem = read_sharing(reader);
	else
		problem = read_place(reader);
	if (problem)
		return problem;
	skip_blanks(reader);
	return *reader->at ? "there is more after the rule" : NULL;
}

struct error *layout_rules_parse(const char *text, const char *path, struct layout_rules *rules)
{
	unsigned int number = 0;

	*rules = (struct layout_rules){ 0 };
	while (*text) {
		size_t length = strcspn(text, "\n"), used = strcspn(text, "#\n");
		char *line = arena_strndup(&rules->arena, text, used);
		struct layout_rule rule = { .line = ++number, .text = line };
		struct rule_reader reader = { .at = line, .arena = &rules->arena, .rule = &rule };
		const char *problem;

		text += length + (text[length] == '\n');
		while (used && isspace((unsigned char)line[used - 1]))
			line[--used] = '\0';
		skip_blanks(&reader);
		if (!*reader.at)
			continue;
		rule.text = reader.at;
		problem = read_rule(&reader);
		if (problem || rules->count >= RULES_MAX)
			return error_create(ERROR_FORMAT, "%s:%u: %s: '%s'", path, number,
					    problem ?: "too many rules", rule.text);
		array_add(rules->items, rules->count, rules->capacity) = rule;
	}
	return NULL;
}

void layout_rules_deinit(struct layout_rules *rules)
{
	free(rules->items);
	arena_deinit(&rules->arena);
	*rules = (struct layout_rules){ 0 };
}

bool layout_rule_holds(const struct layout_rule *rule, uint64_t value)
{
	switch (rule->comparison) {
	case COMPARE_LESS: return value < rule->number;
	case COMPARE_EQUAL: return value == rule->number;
	case COMPARE_AT_LEAST: return value >= rule->number;
	case COMPARE_MORE: return value > rule->number;
	default: return value <= rule->number;
	}
}

bool layout_rule_needs_recording(const struct layout_rule *rule)
{
	return rule->kind == CHECK_HEAT || rule->kind == CHECK_SHARING;
}
