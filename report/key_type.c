// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys that tell types and fields apart. */
#include "report/keys.h"

#include <inttypes.h>

static void type_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->place->type);
}

static int type_order(const struct row_view *a, const struct row_view *b)
{
	return -alphabetical(a->result->place->type, b->result->place->type);
}

static void type_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	strbuf_add_format(buffer, "%-*s", (int)format->width, row->result->place->type);
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

static void typeoff_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->place->type);
	words[1] = result->place->offset;
	/* two types of one name, from two objects, may have different fields there */
	words[2] = pointer_word(result->place->field);
}

static int typeoff_order(const struct row_view *a, const struct row_view *b)
{
	const struct result_place *place = a->result->place, *other = b->result->place;
	int order = type_order(a, b);

	if (!order)
		order = (place->offset > other->offset) - (place->offset < other->offset);
	return order ? order : -alphabetical(place->field, other->field);
}

static void typeoff_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	const struct result_place *place = row->result->place;
	const char *field = place->field ? place->field : "no field";

	if (!place->typed)
		strbuf_add_string(buffer, place->type);
	else if (format->hexadecimal)
		strbuf_add_format(buffer, "%s +%#" PRIx64 " (%s)", place->type, (uint64_t)place->offset,
				  field);
	else
		strbuf_add_format(buffer, "%s %+" PRId64 " (%s)", place->type, place->offset, field);
}

const struct key key_typeoff = {
	.name = "typeoff",
	.header = "Data Type Offset",
	.summary = "type, offset in it, and the field there",
	.needs = NEED_TYPE,
	.identity = typeoff_identity,
	.order = typeoff_order,
	.cell = typeoff_cell,
};
