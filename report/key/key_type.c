// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of the type that an instruction accesses: the type, the offset in it, its cacheline and its
 * field. */
#include <inttypes.h>

#include "report/key/keys.h"

#define CACHELINE 64 /* bytes, on x86-64 */

static void type_identity(const struct key *key _unused_, const struct result *result,
			  uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->place->type);
}

static int type_order(const struct key *key _unused_, const struct row_view *a,
		      const struct row_view *b)
{
	return -alphabetical(a->result->place->type, b->result->place->type);
}

static void type_cell(const struct key *key _unused_, const struct row_view *row,
		      const struct cell_format *format, struct strbuf *buffer)
{
	size_t start = buffer->length;

	strbuf_add_string(buffer, row->result->place->type);
	strbuf_pad(buffer, start, format->width);
}

const struct key key_type = {
	.name = "type",
	.header = "Data Type",
	.summary = "type of the memory that was accessed",
	.needs = NEED_TYPE,
	.identity = type_identity,
	.order = type_order,
	.cell = type_cell,
};

static void typeoff_identity(const struct key *key _unused_, const struct result *result,
			     uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->place->type);
	words[1] = result->place->offset;
	/* Types with the same name in two objects may have different fields at this offset. */
	words[2] = pointer_word(result->place->field);
}

static int typeoff_order(const struct key *key, const struct row_view *a, const struct row_view *b)
{
	const struct result_place *place = a->result->place, *other = b->result->place;
	int order = type_order(key, a, b);

	if (!order)
		order = (place->offset > other->offset) - (place->offset < other->offset);
	return order ? order : -alphabetical(place->field, other->field);
}

static void typeoff_cell(const struct key *key _unused_, const struct row_view *row,
			 const struct cell_format *format, struct strbuf *buffer)
{
	const struct result_place *place = row->result->place;
	const char *field = place->field ? place->field : "no field";

	if (!format->type_shown)
		strbuf_add_string(buffer, place->type);
	if (!place->typed)
		return;
	if (!format->type_shown)
		strbuf_add_char(buffer, ' ');
	if (format->hexadecimal) {
		strbuf_add_format(buffer, "+%#" PRIx64, (uint64_t)place->offset);
	} else {
		strbuf_add_char(buffer, place->offset < 0 ? '-' : '+');
		strbuf_add_number(buffer, place->offset < 0 ? 0 - (uint64_t)place->offset
							    : (uint64_t)place->offset);
	}
	if (!place->field && format->type_shown)
		return;
	strbuf_add_string(buffer, " (");
	strbuf_add_string(buffer, field);
	strbuf_add_char(buffer, ')');
}

static void typeoff_json(const struct key *key, const struct row_view *row, struct json *json)
{
	const struct result_place *place = row->result->place;

	json_object(json, key->name);
	json_string(json, "type", place->type);
	if (place->typed)
		json_signed(json, "offset", place->offset);
	else
		json_null(json, "offset");
	json_string(json, "field", place->field);
	json_end(json);
}

const struct key key_typeoff = {
	.name = "typeoff",
	.header = "Data Type Offset",
	.summary = "type, offset in it, and the field there",
	.needs = NEED_TYPE,
	.identity = typeoff_identity,
	.order = typeoff_order,
	.cell = typeoff_cell,
	.json = typeoff_json,
};

static uint64_t cacheline_of(const struct result_place *place)
{
	return place->offset / CACHELINE;
}

static void cacheline_identity(const struct key *key _unused_, const struct result *result,
			       uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->place->type);
	words[1] = cacheline_of(result->place);
}

static int cacheline_order(const struct key *key, const struct row_view *a,
			   const struct row_view *b)
{
	int order = type_order(key, a, b);

	return order ? order
		     : compare_numbers(cacheline_of(a->result->place),
				       cacheline_of(b->result->place));
}

static void cacheline_cell(const struct key *key _unused_, const struct row_view *row,
			   const struct cell_format *format, struct strbuf *buffer)
{
	const struct result_place *place = row->result->place;

	if (!format->type_shown)
		strbuf_add_string(buffer, place->type);
	if (place->typed)
		strbuf_add_format(buffer, "%scache-line %" PRIu64, format->type_shown ? "" : ": ",
				  cacheline_of(place));
}

static void cacheline_json(const struct key *key, const struct row_view *row, struct json *json)
{
	json_object(json, key->name);
	json_string(json, "type", row->result->place->type);
	json_unsigned(json, "cacheline", cacheline_of(row->result->place));
	json_end(json);
}

const struct key key_typecln = {
	.name = "typecln",
	.header = "Data Type Cacheline",
	.summary = "type, and which cacheline of it",
	.needs = NEED_TYPE,
	.identity = cacheline_identity,
	.order = cacheline_order,
	.cell = cacheline_cell,
	.json = cacheline_json,
};

static const char *field_text(const struct result_place *place)
{
	if (place->field)
		return place->field;
	return place->typed ? "(no field)" : place->type;
}

static void field_identity(const struct key *key _unused_, const struct result *result,
			   uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->place->field);
	/* Without a type, "(unknown)" and the like are different rows. */
	words[1] = result->place->typed ? 0 : pointer_word(result->place->type);
}

static int field_order(const struct key *key _unused_, const struct row_view *a,
		       const struct row_view *b)
{
	return alphabetical(field_text(a->result->place), field_text(b->result->place));
}

static unsigned int field_width(const struct key *key _unused_, const struct row_view *row,
				const struct cell_format *format)
{
	return format->type_shown && !row->result->place->typed
		       ? 0
		       : text_width(field_text(row->result->place));
}

static void field_cell(const struct key *key _unused_, const struct row_view *row,
		       const struct cell_format *format, struct strbuf *buffer)
{
	add_padded(buffer, format->width, field_text(row->result->place));
}

const struct key key_field = {
	.name = "field",
	.header = "Field",
	.summary = "path of the field alone, whatever the type",
	.needs = NEED_TYPE,
	.identity = field_identity,
	.order = field_order,
	.width = field_width,
	.cell = field_cell,
};
