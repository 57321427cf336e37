// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of the sampled instruction: its object, its function, its address there, and its caller. */

#include "report/key/keys.h"

#define ADDRESS_DIGITS 16 /* digits of an address that has no symbol */
#define LEVEL_WIDTH    4  /* "[k] " */
#define VERBOSE_WIDTH  (ADDRESS_DIGITS + 3)

enum { OF_CODE, OF_DATA }; /* key->index of the keys of objects */

/* The object that a key shows. */
struct shown_object {
	const char *name, *path;
	bool has_address; /* an address stands in the next column, for lack of a symbol */
};

static struct shown_object object_of(const struct key *key, const struct result *result)
{
	const struct result_place *place = result->place;

	if (key->index == OF_DATA)
		return (struct shown_object){ result->data->dso, result->data->dso_path,
					      !result->data->dso_path };
	return (struct shown_object){ place->dso, place->dso_path, place->no_symbol };
}

/* Identifies an object by its short name: as in perf, objects with the same one are one row. */
static KEY_IDENTITY(dso_identity)
{
	words[0] = pointer_word(object_of(key, result).name);
}

KEY_ORDER(dso_order)
{
	const struct shown_object object = object_of(key, a->result),
				  other = object_of(key, b->result);

	/* Addresses in no object come last. */
	if (!object.path != !other.path)
		return object.path ? 1 : -1;
	return alphabetical(object.name, other.name);
}

static const char *dso_text(struct shown_object object, bool verbose)
{
	return verbose && object.path ? object.path : object.name;
}

static KEY_WIDTH(dso_width)
{
	struct shown_object object = object_of(key, row->result);
	unsigned int width = text_width(dso_text(object, format->verbose));

	/* the cell is at least as wide as the address that stands there without a symbol */
	return !object.has_address || format->separated || width > ADDRESS_DIGITS ? width
										  : ADDRESS_DIGITS;
}

static KEY_CELL(key_code_dso_cell)
{
	add_padded(buffer, format->width, dso_text(object_of(key, row->result), format->verbose));
}

#define OBJECT                                                                                     \
	.identity = dso_identity, .order = dso_order, .width = dso_width, .cell = key_code_dso_cell

const struct key key_dso = {
	KEY("dso", "Shared Object", "program, library or kernel"),
	.needs = NEED_DSO,
	OBJECT,
};

const struct key key_data_dso = {
	KEY("dso_daddr", "Data Object", "program, library or kernel that the data is in"),
	.needs = NEED_DATA_ADDRESS,
	.index = OF_DATA,
	OBJECT,
};

static KEY_IDENTITY(symbol_identity)
{
	const struct result_place *place = result->place;

	words[0] = pointer_word(place->symbol);
	words[1] = place->symbol ? place->symbol_address : place->address;
	words[2] = pointer_word(place->dso);
}

static KEY_ORDER(symbol_order)
{
	const struct result_place *place = a->result->place, *other = b->result->place;
	int order = alphabetical(place->symbol, other->symbol);

	if (order)
		return order;
	return place->symbol ? -compare_numbers(place->symbol_address, other->symbol_address)
			     : -compare_numbers(place->address, other->address);
}

static KEY_WIDTH(key_code_symbol_width)
{
	const struct result_place *place = row->result->place;

	if (!place->symbol)
		return LEVEL_WIDTH + 2 + ADDRESS_DIGITS;
	return LEVEL_WIDTH + text_width(place->symbol) + (format->verbose ? VERBOSE_WIDTH : 0);
}

static KEY_CELL(key_code_symbol_cell)
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
static void add_symbol_json(const struct result *result, struct json *json)
{
	const char level[] = { result->level, '\0' };

	json_string(json, "symbol", result->place->symbol);
	json_string(json, "level", level);
	if (result->place->inlined)
		json_bool(json, "inlined", true);
}

static KEY_JSON(symbol_json)
{
	const struct result_place *place = row->result->place;

	json_object(json, key->name);
	add_symbol_json(row->result, json);
	json_unsigned(json, "address", place->symbol ? place->symbol_address : place->address);
	json_end(json);
}

const struct key key_symbol = {
	KEY("symbol", "Symbol", "function"),
	.alias = "sym",
	.needs = NEED_SYMBOL | NEED_ADDRESS,
	.identity = symbol_identity,
	.order = symbol_order,
	.width = key_code_symbol_width,
	.cell = key_code_symbol_cell,
	.json = symbol_json,
};

static KEY_IDENTITY(symoff_identity)
{
	words[0] = pointer_word(result->place->symbol);
	words[1] = result->place->address;
	words[2] = pointer_word(result->place->dso);
}

static KEY_ORDER(symoff_order)
{
	int order = symbol_order(key, a, b);

	return order ?: compare_numbers(a->result->place->address, b->result->place->address);
}

static KEY_CELL(symoff_cell)
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

static KEY_JSON(symoff_json)
{
	const struct result_place *place = row->result->place;

	json_object(json, key->name);
	add_symbol_json(row->result, json);
	json_unsigned(json, "offset",
		      place->symbol ? place->address - place->symbol_address : place->address);
	json_end(json);
}

const struct key key_symoff = {
	KEY("symoff", "Symbol Offset", "instruction, as function and offset"),
	.needs = NEED_SYMBOL | NEED_ADDRESS,
	.identity = symoff_identity,
	.order = symoff_order,
	.cell = symoff_cell,
	.json = symoff_json,
};

/* Returns the width of a size, which is right-aligned as in perf; 0 is "unknown". */
static KEY_WIDTH(size_width)
{
	char text[24];
	uint64_t size = number_of(key, row->result);

	return (unsigned int)(size ? snprintf(text, sizeof(text), "%" PRIu64, size)
				   : (int)strlen("unknown"));
}

static KEY_CELL(size_cell)
{
	uint64_t size = number_of(key, row->result);

	if (size)
		strbuf_add_format(buffer, "%*" PRIu64, (int)format->width, size);
	else
		strbuf_add_format(buffer, "%*s", (int)format->width, "unknown");
}

const struct key key_symbol_size = {
	KEY("symbol_size", "Symbol size", "bytes of the function"),
	.needs = NEED_SYMBOL | NEED_ADDRESS,
	.value = MEMBER_OF_PLACE(symbol_size),
	.compare = compare_numbers,
	.identity = number_identity,
	.order = number_order,
	.width = size_width,
	.cell = size_cell,
	.json = number_json,
};
