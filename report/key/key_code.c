// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of the sampled instruction: its object, its function, its address in it, and its caller. */
#include <inttypes.h>

#include "report/key/keys.h"

#define ADDRESS_DIGITS 16 /* digits of an address that has no symbol */
#define LEVEL_WIDTH    4  /* "[k] " */
#define VERBOSE_WIDTH  (ADDRESS_DIGITS + 3)

static const char *dso_text(const struct result_place *place, bool verbose)
{
	return verbose && place->dso_path ? place->dso_path : place->dso;
}

/* As in perf, objects with the same short name are one row. */
static void dso_identity(const struct key *key _unused_, const struct result *result,
			 uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->place->dso);
}

static int dso_order(const struct key *key _unused_, const struct row_view *a,
		     const struct row_view *b)
{
	const struct result_place *place = a->result->place, *other = b->result->place;

	/* Addresses in no object come last. */
	if (!place->dso_path != !other->dso_path)
		return place->dso_path ? 1 : -1;
	return alphabetical(place->dso, other->dso);
}

static unsigned int dso_width(const struct key *key _unused_, const struct row_view *row,
			      const struct cell_format *format)
{
	const struct result_place *place = row->result->place;
	unsigned int width = text_width(dso_text(place, format->verbose));

	/* At least as wide as the address that is shown beside it if there is no symbol. */
	return !place->no_symbol || format->separated || width > ADDRESS_DIGITS ? width
										: ADDRESS_DIGITS;
}

static void dso_cell(const struct key *key _unused_, const struct row_view *row,
		     const struct cell_format *format, struct strbuf *buffer)
{
	add_padded(buffer, format->width, dso_text(row->result->place, format->verbose));
}

const struct key key_dso = {
	.name = "dso",
	.header = "Shared Object",
	.summary = "program, library or kernel",
	.needs = NEED_DSO,
	.identity = dso_identity,
	.order = dso_order,
	.width = dso_width,
	.cell = dso_cell,
};

static void symbol_identity(const struct key *key _unused_, const struct result *result,
			    uint64_t words[KEY_WORDS])
{
	const struct result_place *place = result->place;

	words[0] = pointer_word(place->symbol);
	words[1] = place->symbol ? place->symbol_address : place->address;
	words[2] = pointer_word(place->dso);
}

static int symbol_order(const struct key *key _unused_, const struct row_view *a,
			const struct row_view *b)
{
	const struct result_place *place = a->result->place, *other = b->result->place;
	int order = alphabetical(place->symbol, other->symbol);

	if (order)
		return order;
	return place->symbol ? -compare_numbers(place->symbol_address, other->symbol_address)
			     : -compare_numbers(place->address, other->address);
}

static unsigned int symbol_width(const struct key *key _unused_, const struct row_view *row,
				 const struct cell_format *format)
{
	const struct result_place *place = row->result->place;

	if (!place->symbol)
		return LEVEL_WIDTH + 2 + ADDRESS_DIGITS;
	return LEVEL_WIDTH + text_width(place->symbol) + (format->verbose ? VERBOSE_WIDTH : 0);
}

static void symbol_cell(const struct key *key _unused_, const struct row_view *row,
			const struct cell_format *format, struct strbuf *buffer)
{
	const struct result_place *place = row->result->place;
	size_t start = buffer->length;

	if (format->verbose)
		strbuf_add_format(buffer, "%-#*" PRIx64 " ", ADDRESS_DIGITS + 2, place->address);
	strbuf_add_format(buffer, "[%c] ", row->result->level);
	if (!place->symbol) {
		strbuf_add_format(buffer, "%-#.*" PRIx64, ADDRESS_DIGITS, place->address);
		return;
	}

	size_t used = buffer->length - start;

	strbuf_add_format(buffer, "%.*s%s", (int)(format->width > used ? format->width - used : 0),
			  place->symbol, place->inlined ? " (inlined)" : "");
}

/* Adds what JSON says about the symbol; it is null if there is none. */
static void add_symbol_json(const struct row_view *row, struct json *json)
{
	const char level[] = { row->result->level, '\0' };

	json_string(json, "symbol", row->result->place->symbol);
	json_string(json, "level", level);
	if (row->result->place->inlined)
		json_bool(json, "inlined", true);
}

static void symbol_json(const struct key *key, const struct row_view *row, struct json *json)
{
	json_object(json, key->name);
	add_symbol_json(row, json);
	json_unsigned(json, "address",
		      row->result->place->symbol ? row->result->place->symbol_address
						 : row->result->place->address);
	json_end(json);
}

const struct key key_symbol = {
	.name = "symbol",
	.alias = "sym",
	.header = "Symbol",
	.summary = "function",
	.needs = NEED_SYMBOL | NEED_ADDRESS,
	.identity = symbol_identity,
	.order = symbol_order,
	.width = symbol_width,
	.cell = symbol_cell,
	.json = symbol_json,
};

static void symoff_identity(const struct key *key _unused_, const struct result *result,
			    uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->place->symbol);
	words[1] = result->place->address;
	words[2] = pointer_word(result->place->dso);
}

static int symoff_order(const struct key *key, const struct row_view *a, const struct row_view *b)
{
	int order = symbol_order(key, a, b);

	return order ? order
		     : compare_numbers(a->result->place->address, b->result->place->address);
}

static void symoff_cell(const struct key *key _unused_, const struct row_view *row,
			const struct cell_format *format, struct strbuf *buffer)
{
	const struct result_place *place = row->result->place;

	strbuf_add_format(buffer, "[%c] ", row->result->level);
	if (place->symbol)
		strbuf_add_format(buffer, "%s+0x%" PRIx64, place->symbol,
				  place->address - place->symbol_address);
	else
		strbuf_add_format(buffer, "%-#.*" PRIx64, (int)format->width - LEVEL_WIDTH,
				  place->address);
}

static void symoff_json(const struct key *key, const struct row_view *row, struct json *json)
{
	const struct result_place *place = row->result->place;

	json_object(json, key->name);
	add_symbol_json(row, json);
	json_unsigned(json, "offset",
		      place->symbol ? place->address - place->symbol_address : place->address);
	json_end(json);
}

const struct key key_symoff = {
	.name = "symoff",
	.header = "Symbol Offset",
	.summary = "instruction, as function and offset",
	.needs = NEED_SYMBOL | NEED_ADDRESS,
	.identity = symoff_identity,
	.order = symoff_order,
	.cell = symoff_cell,
	.json = symoff_json,
};

/* Sizes are right-aligned, as in perf; "unknown" for 0. */
static unsigned int size_width(const struct key *key, const struct row_view *row,
			       const struct cell_format *format _unused_)
{
	char text[24];
	uint64_t size = number_of(key, row->result);

	return (unsigned int)(size ? snprintf(text, sizeof(text), "%" PRIu64, size)
				   : (int)strlen("unknown"));
}

static void size_cell(const struct key *key, const struct row_view *row,
		      const struct cell_format *format, struct strbuf *buffer)
{
	uint64_t size = number_of(key, row->result);

	if (size)
		strbuf_add_format(buffer, "%*" PRIu64, (int)format->width, size);
	else
		strbuf_add_format(buffer, "%*s", (int)format->width, "unknown");
}

const struct key key_symbol_size = {
	.name = "symbol_size",
	.header = "Symbol size",
	.summary = "bytes of the function",
	.needs = NEED_SYMBOL | NEED_ADDRESS,
	.value = MEMBER_OF_PLACE(symbol_size),
	.compare = compare_numbers,
	.identity = number_identity,
	.order = number_order,
	.width = size_width,
	.cell = size_cell,
	.json = number_json,
};

const struct key key_dso_size = {
	.name = "dso_size",
	.header = "DSO size",
	.summary = "bytes of the object's map",
	.needs = NEED_MAP_SIZE,
	.value = MEMBER_OF_RESULT(map_size),
	.compare = compare_numbers,
	.identity = number_identity,
	.order = number_order,
	.width = size_width,
	.cell = size_cell,
	.json = number_json,
};

static const char *parent_text(const struct result *result)
{
	return result->parent ? result->parent : "[other]";
}

static void parent_identity(const struct key *key _unused_, const struct result *result,
			    uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->parent);
}

static int parent_order(const struct key *key _unused_, const struct row_view *a,
			const struct row_view *b)
{
	return alphabetical(a->result->parent, b->result->parent);
}

static unsigned int parent_width(const struct key *key _unused_, const struct row_view *row,
				 const struct cell_format *format _unused_)
{
	return text_width(row->result->parent);
}

static void parent_cell(const struct key *key _unused_, const struct row_view *row,
			const struct cell_format *format, struct strbuf *buffer)
{
	add_padded(buffer, format->width, parent_text(row->result));
}

static void parent_json(const struct key *key, const struct row_view *row, struct json *json)
{
	json_string(json, key->name, row->result->parent);
}

const struct key key_parent = {
	.name = "parent",
	.header = "Parent symbol",
	.summary = "nearest function of the call chain that -p REGEX matches",
	.needs = NEED_PARENT | NEED_CHAIN,
	.identity = parent_identity,
	.order = parent_order,
	.width = parent_width,
	.cell = parent_cell,
	.json = parent_json,
};
