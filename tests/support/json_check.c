// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/support/json_check.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum json_type {
	JSON_OBJECT,
	JSON_ARRAY,
	JSON_STRING,
	JSON_NUMBER,
	JSON_TRUE,
	JSON_FALSE,
	JSON_NOTHING
};

struct json_value {
	enum json_type type;
	char *name; /* in an object */
	char *text; /* of a string, or of a number as it stands */
	struct json_value *items;
	size_t count, capacity;
};

static void release(struct json_value *value)
{
	for (size_t i = 0; i < value->count; i++)
		release(&value->items[i]);
	free(value->items);
	free(value->name);
	free(value->text);
}

/* ---- reading ---- */

static const char *skip_blanks(const char *text)
{
	return text + strspn(text, " \t\r\n");
}

/* Returns the length of the UTF-8 character at the start of `text`, or 0 if it is not well-formed.
 * This is apart from utf8_sequence(), by which the JSON under test was written. */
static size_t character_size(const char *text)
{
	unsigned char first = (unsigned char)*text;
	size_t size = first < 0x80   ? 1
		      : first < 0xc2 ? 0
		      : first < 0xe0 ? 2
		      : first < 0xf0 ? 3
		      : first < 0xf5 ? 4
				     : 0;

	for (size_t i = 1; i < size; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
	return size;
}

/* Returns the end of the string, or NULL if it is malformed. *string becomes its text with the
 * escapes as they stand. */
static const char *read_string(const char *text, char **string)
{
	const char *start = ++text;
	size_t size;

	for (; *text && *text != '"'; text += size) {
		size = character_size(text);
		if ((unsigned char)*text < ' ' || !size)
			return NULL;
		if (*text == '\\' && !strchr("\"\\/bfnrtu", *++text))
			return NULL;
		if (!*text)
			return NULL;
	}
	if (*text != '"')
		return NULL;
	*string = xstrndup(start, (size_t)(text - start));
	return text + 1;
}

static const char *read_number(const char *text, char **number)
{
	const char *start = text;

	text += *text == '-';
	if (!isdigit((unsigned char)*text) || (*text == '0' && isdigit((unsigned char)text[1])))
		return NULL;
	text += strspn(text, "0123456789");
	if (*text == '.') {
		if (!isdigit((unsigned char)*++text))
			return NULL;
		text += strspn(text, "0123456789");
	}
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '-' || *text == '+';
		if (!isdigit((unsigned char)*text))
			return NULL;
		text += strspn(text, "0123456789");
	}
	*number = xstrndup(start, (size_t)(text - start));
	return text;
}

static const char *read_value(const char *text, struct json_value *value, int depth);

static const char *read_items(const char *text, struct json_value *value, char closing, int depth)
{
	text = skip_blanks(text + 1);
	if (*text == closing)
		return text + 1;
	for (;;) {
		array_reserve(value->items, value->count, value->capacity);
		struct json_value *item = &value->items[value->count++];

		*item = (struct json_value){ 0 };
		text = skip_blanks(text);
		if (closing == '}') {
			text = *text == '"' ? read_string(text, &item->name) : NULL;
			text = text ? skip_blanks(text) : NULL;
			if (!text || *text++ != ':')
				return NULL;
		}
		text = read_value(text, item, depth + 1);
		text = text ? skip_blanks(text) : NULL;
		if (!text || (*text != ',' && *text != closing))
			return NULL;
		if (*text++ == closing)
			return text;
	}
}

static const char *read_value(const char *text, struct json_value *value, int depth)
{
	static const struct {
		const char *word;
		enum json_type type;
	} words[] = { { "true", JSON_TRUE }, { "false", JSON_FALSE }, { "null", JSON_NOTHING } };

	text = skip_blanks(text);
	if (depth > 300)
		return NULL;
	switch (*text) {
	case '{': value->type = JSON_OBJECT; return read_items(text, value, '}', depth);
	case '[': value->type = JSON_ARRAY; return read_items(text, value, ']', depth);
	case '"': value->type = JSON_STRING; return read_string(text, &value->text);
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strncmp(text, words[i].word, strlen(words[i].word))) {
			value->type = words[i].type;
			return text + strlen(words[i].word);
		}
	value->type = JSON_NUMBER;
	return read_number(text, &value->text);
}

/* ---- checking ---- */

struct checker {
	const struct json_value *schema; /* the whole */
	struct strbuf *problem;
	struct strbuf path;
};

static const char *const keywords[] = { "$ref",     "type",       "const", "enum",
					"required", "properties", "items", "minimum",
					"title",    "$schema",    "$defs", "additionalProperties" };

static const struct json_value *member(const struct json_value *object, const char *name)
{
	for (size_t i = 0; i < object->count; i++)
		if (object->items[i].name && !strcmp(object->items[i].name, name))
			return &object->items[i];
	return NULL;
}

static bool bad(struct checker *checker, const char *what, const char *which)
{
	if (!checker->problem->length)
		strbuf_add_format(checker->problem, "%s: %s%s", checker->path.data, what,
				  which ? which : "");
	return false;
}

static bool is_type(const struct json_value *value, const char *name)
{
	switch (value->type) {
	case JSON_OBJECT: return !strcmp(name, "object");
	case JSON_ARRAY: return !strcmp(name, "array");
	case JSON_STRING: return !strcmp(name, "string");
	case JSON_TRUE:
	case JSON_FALSE: return !strcmp(name, "boolean");
	case JSON_NOTHING: return !strcmp(name, "null");
	case JSON_NUMBER:
		return !strcmp(name, "number") ||
		       (!strcmp(name, "integer") && !strpbrk(value->text, ".eE"));
	}
	return false;
}

static bool is_equal(const struct json_value *a, const struct json_value *b)
{
	return a->type == b->type && a->text && b->text && !strcmp(a->text, b->text);
}

/* Returns the definition that "#/$defs/NAME" refers to, or NULL. */
static const struct json_value *definition(const struct checker *checker, const char *reference)
{
	const struct json_value *definitions = member(checker->schema, "$defs");

	return definitions && reference && !strncmp(reference, "#/$defs/", 8)
		       ? member(definitions, reference + 8)
		       : NULL;
}

/* ---- the schema itself ---- */

static bool is_keyword(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(keywords); i++)
		if (!strcmp(name, keywords[i]))
			return true;
	return false;
}

static bool know(struct checker *checker, const struct json_value *schema);

static bool know_below(struct checker *checker, const struct json_value *schema)
{
	size_t length = checker->path.length;
	bool good;

	strbuf_add_format(&checker->path, "/%s", schema->name);
	good = know(checker, schema);
	checker->path.length = length;
	checker->path.data[length] = '\0';
	return good;
}

/* Returns whether all members of an object are schemas that are known. */
static bool know_each(struct checker *checker, const struct json_value *schemas)
{
	size_t length = checker->path.length;
	bool good = true;

	strbuf_add_format(&checker->path, "/%s", schemas->name);
	for (size_t i = 0; i < schemas->count && good; i++)
		good = know_below(checker, &schemas->items[i]);
	checker->path.length = length;
	checker->path.data[length] = '\0';
	return good;
}

/* Returns whether what is required of an object that has no other members is one of them. */
static bool know_required(struct checker *checker, const struct json_value *schema,
			  const struct json_value *required)
{
	const struct json_value *properties = member(schema, "properties");
	const struct json_value *more = member(schema, "additionalProperties");

	for (size_t i = 0; more && more->type == JSON_FALSE && i < required->count; i++)
		if (!properties || !member(properties, required->items[i].text))
			return bad(checker,
				   "requires what it does not describe: ", required->items[i].text);
	return true;
}

static bool know(struct checker *checker, const struct json_value *schema)
{
	if (schema->type != JSON_OBJECT)
		return bad(checker, "is no schema", NULL);
	for (size_t i = 0; i < schema->count; i++) {
		const struct json_value *keyword = &schema->items[i];
		const char *name = keyword->name;
		bool good = true;

		if (!is_keyword(name))
			return bad(checker, "this checker does not know ", name);
		if (!strcmp(name, "$ref") && !definition(checker, keyword->text))
			return bad(checker, "no such definition: ", keyword->text);
		if (!strcmp(name, "properties") || !strcmp(name, "$defs"))
			good = know_each(checker, keyword);
		else if (!strcmp(name, "items") ||
			 (!strcmp(name, "additionalProperties") && keyword->type != JSON_FALSE))
			good = know_below(checker, keyword);
		else if (!strcmp(name, "required"))
			good = know_required(checker, schema, keyword);
		if (!good)
			return false;
	}
	return true;
}

/* ---- a value ---- */

static bool check(struct checker *checker, const struct json_value *value,
		  const struct json_value *schema);

static bool check_below(struct checker *checker, const struct json_value *value,
			const struct json_value *schema, const char *step)
{
	size_t length = checker->path.length;
	bool good;

	strbuf_add_format(&checker->path, "/%s", step);
	good = check(checker, value, schema);
	checker->path.length = length;
	checker->path.data[length] = '\0';
	return good;
}

static bool check_reference(struct checker *checker, const struct json_value *value,
			    const char *reference)
{
	return check(checker, value, definition(checker, reference));
}

static bool check_members(struct checker *checker, const struct json_value *value,
			  const struct json_value *schema)
{
	const struct json_value *properties = member(schema, "properties");
	const struct json_value *more = member(schema, "additionalProperties");
	bool good = true;

	for (size_t i = 0; value->type == JSON_OBJECT && i < value->count && good; i++) {
		const struct json_value *item = &value->items[i];
		const struct json_value *known = properties ? member(properties, item->name) : NULL;

		for (size_t j = 0; j < i && good; j++)
			if (!strcmp(value->items[j].name, item->name))
				good = bad(checker, "twice: ", item->name);
		if (known)
			good = good && check_below(checker, item, known, item->name);
		else if (more && more->type == JSON_FALSE)
			good = bad(checker, "not in the schema: ", item->name);
		else if (more)
			good = good && check_below(checker, item, more, item->name);
	}
	return good;
}

static bool check_keyword(struct checker *checker, const struct json_value *value,
			  const struct json_value *keyword)
{
	const char *name = keyword->name;
	bool good = false;

	if (!strcmp(name, "$ref"))
		return check_reference(checker, value, keyword->text);
	if (!strcmp(name, "type")) {
		good = keyword->type == JSON_STRING && is_type(value, keyword->text);
		for (size_t i = 0; i < keyword->count; i++)
			good = good || is_type(value, keyword->items[i].text);
		return good || bad(checker, "is of another type", NULL);
	}
	if (!strcmp(name, "const"))
		return is_equal(value, keyword) || bad(checker, "is not ", keyword->text);
	if (!strcmp(name, "enum")) {
		for (size_t i = 0; i < keyword->count; i++)
			good = good || is_equal(value, &keyword->items[i]);
		return good || bad(checker, "is none of the values", NULL);
	}
	if (!strcmp(name, "minimum"))
		return value->type != JSON_NUMBER || atof(value->text) >= atof(keyword->text) ||
		       bad(checker, "is too small", NULL);
	if (!strcmp(name, "required")) {
		for (size_t i = 0; value->type == JSON_OBJECT && i < keyword->count; i++)
			if (!member(value, keyword->items[i].text))
				return bad(checker, "lacks ", keyword->items[i].text);
		return true;
	}
	if (!strcmp(name, "items")) {
		char step[24];

		for (size_t i = 0; value->type == JSON_ARRAY && i < value->count; i++) {
			snprintf(step, sizeof(step), "%zu", i);
			if (!check_below(checker, &value->items[i], keyword, step))
				return false;
		}
		return true;
	}
	return true;
}

static bool check(struct checker *checker, const struct json_value *value,
		  const struct json_value *schema)
{
	for (size_t i = 0; i < schema->count; i++)
		if (!check_keyword(checker, value, &schema->items[i]))
			return false;
	return check_members(checker, value, schema);
}

static bool read_all(const char *text, struct json_value *value)
{
	const char *end = read_value(text, value, 0);

	return end && !*skip_blanks(end);
}

bool json_schema_check(const char *schema, struct strbuf *problem)
{
	struct json_value wanted = { 0 };
	struct checker checker = { .schema = &wanted, .problem = problem, .path = STRBUF_INIT };
	bool good = false;

	if (!read_all(schema, &wanted))
		strbuf_add_string(problem, "the schema is no JSON");
	else
		good = know(&checker, &wanted);
	release(&wanted);
	strbuf_deinit(&checker.path);
	return good;
}

bool json_check(const char *text, const char *schema, struct strbuf *problem)
{
	struct json_value value = { 0 }, wanted = { 0 };
	struct checker checker = { .schema = &wanted, .problem = problem, .path = STRBUF_INIT };
	bool good = false;

	if (!read_all(schema, &wanted))
		strbuf_add_string(problem, "the schema is no JSON");
	else if (!read_all(text, &value))
		strbuf_add_string(problem, "it is no JSON");
	else
		good = know(&checker, &wanted) && check(&checker, &value, &wanted);
	release(&value);
	release(&wanted);
	strbuf_deinit(&checker.path);
	return good;
}
