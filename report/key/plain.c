// SPDX-License-Identifier: GPL-2.0-or-later
/* Callbacks of keys whose value is a text or a number of a result, printed as it is: see keys.h. */

#include "report/key/keys.h"

static const void *plain_member_of(const struct key *key, const struct result *result)
{
	if (!key->value.in_place)
		return (const char *)result + key->value.offset;
	return (const char *)result->place + key->value.offset;
}

const char *text_of(const struct key *key, const struct result *result)
{
	if (key->text)
		return key->text(result);
	return *(const char *const *)plain_member_of(key, result);
}

void text_identity(const struct key *key, const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(text_of(key, result));
}

int text_order(const struct key *key, const struct row_view *a, const struct row_view *b)
{
	return alphabetical(text_of(key, a->result), text_of(key, b->result));
}

unsigned int text_cell_width(const struct key *key, const struct row_view *row,
			     const struct cell_format *format _unused_)
{
	return text_width(text_of(key, row->result));
}

void text_cell(const struct key *key, const struct row_view *row, const struct cell_format *format,
	       struct strbuf *buffer)
{
	add_padded(buffer, format->width, text_of(key, row->result) ?: key->none);
}

uint64_t number_of(const struct key *key, const struct result *result)
{
	const void *member = plain_member_of(key, result);
	uint32_t word;
	uint64_t number;

	if (key->value.size == sizeof(word)) {
		memcpy(&word, member, sizeof(word));
		return word;
	}
	memcpy(&number, member, sizeof(number));
	return number;
}

void number_identity(const struct key *key, const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = number_of(key, result);
}

int number_order(const struct key *key, const struct row_view *a, const struct row_view *b)
{
	return key->compare(number_of(key, a->result), number_of(key, b->result));
}

unsigned int number_width(const struct key *key, const struct row_view *row _unused_,
			  const struct cell_format *format _unused_)
{
	return key->column_width;
}

void number_json(const struct key *key, const struct row_view *row, struct json *json)
{
	json_unsigned(json, key->name, number_of(key, row->result));
}

void signed_json(const struct key *key, const struct row_view *row, struct json *json)
{
	json_signed(json, key->name, (int32_t)number_of(key, row->result));
}

void text_json(const struct key *key, const struct row_view *row, struct json *json)
{
	json_string(json, key->name, text_of(key, row->result));
}
