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

KEY_IDENTITY(text_identity)
{
	words[0] = pointer_word(text_of(key, result));
}

KEY_ORDER(text_order)
{
	return alphabetical(text_of(key, a->result), text_of(key, b->result));
}

KEY_WIDTH(text_cell_width)
{
	return text_width(text_of(key, row->result));
}

KEY_CELL(text_cell)
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

KEY_IDENTITY(number_identity)
{
	words[0] = number_of(key, result);
}

KEY_ORDER(number_order)
{
	return key->compare(number_of(key, a->result), number_of(key, b->result));
}

KEY_WIDTH(number_width)
{
	return key->column_width;
}

KEY_JSON(number_json)
{
	json_unsigned(json, key->name, number_of(key, row->result));
}

KEY_JSON(signed_json)
{
	json_signed(json, key->name, (int32_t)number_of(key, row->result));
}

KEY_JSON(text_json)
{
	json_string(json, key->name, text_of(key, row->result));
}
