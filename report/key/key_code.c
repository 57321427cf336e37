// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys of the sampled instruction: its object, its function, its address there, and its caller; and
 * keys of branches (report -b): the same for both ends, and the flags. */
#include <inttypes.h>

#include <linux/perf_event.h>

#include "report/key/keys.h"

#define ADDRESS_DIGITS 16 /* digits of an address that has no symbol */
#define LEVEL_WIDTH    4  /* "[k] " */
#define VERBOSE_WIDTH  (ADDRESS_DIGITS + 3)

/* The end of a branch that the key shows, or the sampled instruction, which is like a target. */
struct code {
	const struct result_place *place;
	uint64_t ip; /* as recorded */
	char level;
};

static struct code code_of(const struct key *key, const struct result *result)
{
	if (key->index == END_SOURCE)
		return (struct code){ result->source, result->source_ip, result->source_level };
	return (struct code){ result->place, result->ip, result->level };
}

static const struct result_place *place_of(const struct key *key, const struct result *result)
{
	return code_of(key, result).place;
}

/* The object that a key shows: of code, or of data. */
struct shown_object {
	const char *name, *path;
	bool has_address; /* an address stands in the next column, for lack of a symbol */
};

static struct shown_object object_of(const struct key *key, const struct result *result)
{
	const struct result_place *place = place_of(key, result);

	if (key->index == END_DATA)
		return (struct shown_object){ result->data->dso, result->data->dso_path,
					      !result->data->dso_path };
	return (struct shown_object){ place->dso, place->dso_path, place->no_symbol };
}

/* Identifies an object by its short name: as in perf, objects with the same one are one row. */
static void dso_identity(const struct key *key, const struct result *result,
			 uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(object_of(key, result).name);
}

int dso_order(const struct key *key, const struct row_view *a, const struct row_view *b)
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

static unsigned int dso_width(const struct key *key, const struct row_view *row,
			      const struct cell_format *format)
{
	struct shown_object object = object_of(key, row->result);
	unsigned int width = text_width(dso_text(object, format->verbose));

	/* the cell is at least as wide as the address that stands there without a symbol */
	return !object.has_address || format->separated || width > ADDRESS_DIGITS ? width
										  : ADDRESS_DIGITS;
}

static void dso_cell(const struct key *key, const struct row_view *row,
		     const struct cell_format *format, struct strbuf *buffer)
{
	add_padded(buffer, format->width, dso_text(object_of(key, row->result), format->verbose));
}

#define OBJECT(order_)                                                                             \
	.identity = dso_identity, .order = order_, .width = dso_width, .cell = dso_cell

const struct key key_dso = {
	KEY("dso", "Shared Object", "program, library or kernel"),
	.needs = NEED_DSO,
	OBJECT(dso_order),
};

const struct key key_data_dso = {
	KEY("dso_daddr", "Data Object", "program, library or kernel that the data is in"),
	.needs = NEED_DATA_ADDRESS,
	.index = END_DATA,
	OBJECT(dso_order),
};

static void symbol_identity(const struct key *key, const struct result *result,
			    uint64_t words[KEY_WORDS])
{
	const struct result_place *place = place_of(key, result);

	words[0] = pointer_word(place->symbol);
	words[1] = place->symbol ? place->symbol_address : place->address;
	words[2] = pointer_word(place->dso);
}

static int symbol_order(const struct key *key, const struct row_view *a, const struct row_view *b)
{
	const struct result_place *place = place_of(key, a->result),
				  *other = place_of(key, b->result);
	int order = alphabetical(place->symbol, other->symbol);

	if (order)
		return order;
	return place->symbol ? -compare_numbers(place->symbol_address, other->symbol_address)
			     : -compare_numbers(place->address, other->address);
}

static unsigned int symbol_width(const struct key *key, const struct row_view *row,
				 const struct cell_format *format)
{
	const struct result_place *place = place_of(key, row->result);

	if (!place->symbol)
		return LEVEL_WIDTH + 2 + ADDRESS_DIGITS;
	return LEVEL_WIDTH + text_width(place->symbol) + (format->verbose ? VERBOSE_WIDTH : 0);
}

static void symbol_cell(const struct key *key, const struct row_view *row,
			const struct cell_format *format, struct strbuf *buffer)
{
	const struct result_place *place = place_of(key, row->result);
	size_t start = buffer->length;

	if (format->verbose)
		strbuf_add_format(buffer, "%-#*" PRIx64 " ", ADDRESS_DIGITS + 2, place->address);
	strbuf_add_format(buffer, "[%c] ", code_of(key, row->result).level);
	if (!place->symbol) {
		strbuf_add_format(buffer, "%-#.*" PRIx64, ADDRESS_DIGITS, place->address);
		return;
	}

	size_t used = buffer->length - start;

	strbuf_add_format(buffer, "%.*s%s", (int)(format->width > used ? format->width - used : 0),
			  place->symbol, place->inlined ? " (inlined)" : "");
}

/* Adds what JSON says about the symbol; it is null if there is none. */
static void add_symbol_json(const struct code *code, struct json *json)
{
	const char level[] = { code->level, '\0' };

	json_string(json, "symbol", code->place->symbol);
	json_string(json, "level", level);
	if (code->place->inlined)
		json_bool(json, "inlined", true);
}

static void symbol_json(const struct key *key, const struct row_view *row, struct json *json)
{
	const struct code code = code_of(key, row->result);

	json_object(json, key->name);
	add_symbol_json(&code, json);
	json_unsigned(json, "address",
		      code.place->symbol ? code.place->symbol_address : code.place->address);
	json_end(json);
}

const struct key key_symbol = {
	KEY("symbol", "Symbol", "function"),
	.alias = "sym",
	.needs = NEED_SYMBOL | NEED_ADDRESS,
	.identity = symbol_identity,
	.order = symbol_order,
	.width = symbol_width,
	.cell = symbol_cell,
	.json = symbol_json,
};

static void symoff_identity(const struct key *key, const struct result *result,
			    uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(place_of(key, result)->symbol);
	words[1] = place_of(key, result)->address;
	words[2] = pointer_word(place_of(key, result)->dso);
}

static int symoff_order(const struct key *key, const struct row_view *a, const struct row_view *b)
{
	int order = symbol_order(key, a, b);

	return order ? order
		     : compare_numbers(place_of(key, a->result)->address,
				       place_of(key, b->result)->address);
}

static void symoff_cell(const struct key *key, const struct row_view *row,
			const struct cell_format *format, struct strbuf *buffer)
{
	const struct result_place *place = place_of(key, row->result);

	strbuf_add_format(buffer, "[%c] ", code_of(key, row->result).level);
	if (place->symbol)
		strbuf_add_format(buffer, "%s+0x%" PRIx64, place->symbol,
				  place->address - place->symbol_address);
	else
		strbuf_add_format(buffer, "%-#.*" PRIx64, (int)format->width - LEVEL_WIDTH,
				  place->address);
}

static void symoff_json(const struct key *key, const struct row_view *row, struct json *json)
{
	const struct code code = code_of(key, row->result);
	const struct result_place *place = code.place;

	json_object(json, key->name);
	add_symbol_json(&code, json);
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

const struct key key_dso_size = {
	KEY("dso_size", "DSO size", "bytes of the object's map"),
	.needs = NEED_MAP_SIZE,
	.value = MEMBER_OF_RESULT(map_size),
	.compare = compare_numbers,
	.identity = number_identity,
	.order = number_order,
	.width = size_width,
	.cell = size_cell,
	.json = number_json,
};

static void parent_cell(const struct key *key _unused_, const struct row_view *row,
			const struct cell_format *format, struct strbuf *buffer)
{
	add_padded(buffer, format->width, row->result->parent ? row->result->parent : "[other]");
}

const struct key key_parent = {
	KEY("parent", "Parent symbol", "nearest function of the call chain that -p REGEX matches"),
	.needs = NEED_PARENT | NEED_CHAIN,
	RESULT_TEXT(parent),
	.cell = parent_cell,
	.json = text_json,
};

/* ---- branches ---- */

/* Orders objects as perf does: the last in the alphabet comes first, and addresses in no object
 * before all others.
 */
static int end_dso_order(const struct key *key, const struct row_view *a, const struct row_view *b)
{
	return -dso_order(key, a, b);
}

/* Identifies a symbol. As in perf, addresses without one are told apart by process. */
static void end_symbol_identity(const struct key *key, const struct result *result,
				uint64_t words[KEY_WORDS])
{
	const struct code code = code_of(key, result);

	symbol_identity(key, result, words);
	if (!code.place->symbol)
		words[1] = code.ip;
}

static int end_symbol_order(const struct key *key, const struct row_view *a,
			    const struct row_view *b)
{
	const struct code code = code_of(key, a->result), other = code_of(key, b->result);

	if (!code.place->symbol != !other.place->symbol)
		return code.place->symbol ? 1 : -1;
	return code.place->symbol
		       ? compare_addresses(code.place->symbol_address, other.place->symbol_address)
		       : compare_addresses(code.ip, other.ip);
}

static void end_address_identity(const struct key *key, const struct result *result,
				 uint64_t words[KEY_WORDS])
{
	const struct code code = code_of(key, result);

	words[0] = pointer_word(code.place->dso);
	words[1] = code.ip;
}

static int end_address_order(const struct key *key, const struct row_view *a,
			     const struct row_view *b)
{
	int order = end_dso_order(key, a, b);

	return order ? order
		     : compare_addresses(code_of(key, a->result).ip, code_of(key, b->result).ip);
}

static void end_address_cell(const struct key *key, const struct row_view *row,
			     const struct cell_format *format, struct strbuf *buffer)
{
	struct cell_format digits = *format;

	digits.width = LEVEL_WIDTH + ADDRESS_DIGITS;
	symoff_cell(key, row, &digits, buffer);
}

static unsigned int end_address_width(const struct key *key, const struct row_view *row,
				      const struct cell_format *format)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	end_address_cell(key, row, format, &text);
	return (unsigned int)text_columns(text.data, text.length);
}

#define NEED_TARGET (NEED_BRANCH | NEED_IP)
#define NEED_SOURCE (NEED_BRANCH | NEED_BRANCH_SOURCE)

#define SYMBOL_END                                                                                 \
	.identity = end_symbol_identity, .order = end_symbol_order, .width = symbol_width,         \
	.cell = symbol_cell, .json = symbol_json
#define ADDRESS_END                                                                                \
	.identity = end_address_identity, .order = end_address_order, .width = end_address_width,  \
	.cell = end_address_cell, .json = symoff_json

const struct key key_dso_from = {
	KEY("dso_from", "Source Shared Object", "object that a branch left (report -b)"),
	.needs = NEED_SOURCE | NEED_DSO,
	.index = END_SOURCE,
	OBJECT(end_dso_order),
};

const struct key key_dso_to = {
	KEY("dso_to", "Target Shared Object", "object that it went to"),
	.needs = NEED_TARGET | NEED_DSO,
	OBJECT(end_dso_order),
};

const struct key key_symbol_from = {
	KEY("symbol_from", "Source Symbol", "function that a branch left"),
	.needs = NEED_SOURCE | NEED_SYMBOL | NEED_ADDRESS,
	.index = END_SOURCE,
	SYMBOL_END,
};

const struct key key_symbol_to = {
	KEY("symbol_to", "Target Symbol", "function that it went to"),
	.needs = NEED_TARGET | NEED_SYMBOL | NEED_ADDRESS,
	SYMBOL_END,
};

const struct key key_address_from = {
	KEY("addr_from", "Source Address", "branch instruction, as function and offset"),
	.needs = NEED_SOURCE | NEED_SYMBOL | NEED_ADDRESS,
	.index = END_SOURCE,
	ADDRESS_END,
};

const struct key key_address_to = {
	KEY("addr_to", "Target Address", "instruction that it went to, as function and offset"),
	.needs = NEED_TARGET | NEED_SYMBOL | NEED_ADDRESS,
	ADDRESS_END,
};

/* Returns the flags of a branch, from the last word of struct perf_branch_entry. */
static struct perf_branch_entry flags_of(const struct result *result)
{
	struct perf_branch_entry branch = { 0 };

	memcpy(&branch.to + 1, &result->branch_flags, sizeof(result->branch_flags));
	return branch;
}

/* Returns the number that rows differ by. Among equal shares the smallest comes first. */
static uint64_t mispredict_value(const struct result *result)
{
	struct perf_branch_entry branch = flags_of(result);

	return branch.predicted ? 0 : branch.mispred ? 1 : 2;
}

static uint64_t transaction_value(const struct result *result)
{
	return flags_of(result).in_tx;
}

static uint64_t abort_value(const struct result *result)
{
	return flags_of(result).abort;
}

/* perf puts the branches with the most cycles first. */
static uint64_t cycles_value(const struct result *result)
{
	return UINT16_MAX - flags_of(result).cycles;
}

static const struct {
	uint64_t (*value)(const struct result *result);
	const char *texts[3]; /* by value */
} flags[] = {
	{ mispredict_value, { "N", "Y", "N/A" } },
	{ transaction_value, { ".", "T", NULL } },
	{ abort_value, { ".", "A", NULL } },
	{ cycles_value, { NULL, NULL, NULL } },
};

enum { FLAG_MISPREDICT, FLAG_TRANSACTION, FLAG_ABORT, FLAG_CYCLES };

static void flag_identity(const struct key *key, const struct result *result,
			  uint64_t words[KEY_WORDS])
{
	words[0] = flags[key->index].value(result);
}

static int flag_order(const struct key *key, const struct row_view *a, const struct row_view *b)
{
	return smaller_first(flags[key->index].value(a->result),
			     flags[key->index].value(b->result));
}

static void flag_cell(const struct key *key, const struct row_view *row,
		      const struct cell_format *format, struct strbuf *buffer)
{
	add_padded(buffer, format->width,
		   flags[key->index].texts[flags[key->index].value(row->result)]);
}

static void cycles_cell(const struct key *key _unused_, const struct row_view *row,
			const struct cell_format *format, struct strbuf *buffer)
{
	unsigned int cycles = flags_of(row->result).cycles;

	if (cycles)
		strbuf_add_format(buffer, "%-*u", (int)format->width, cycles);
	else
		add_padded(buffer, format->width, "-");
}

static void cycles_json(const struct key *key, const struct row_view *row, struct json *json)
{
	json_unsigned(json, key->name, flags_of(row->result).cycles);
}

#define FLAG(number, columns)                                                                      \
	.needs = NEED_BRANCH | NEED_BRANCH_FLAGS, .index = number, .identity = flag_identity,      \
	.order = flag_order, .width = number_width, .column_width = columns

const struct key key_mispredict = {
	KEY("mispredict", "Branch Mispredicted",
	    "whether the processor predicted a branch wrongly (Y, N)"),
	FLAG(FLAG_MISPREDICT, 3),
	.cell = flag_cell,
};

const struct key key_in_transaction = {
	KEY("in_tx", "Branch in transaction", "whether a branch was in a transaction (T)"),
	FLAG(FLAG_TRANSACTION, 1),
	.cell = flag_cell,
};

const struct key key_abort = {
	KEY("abort", "Transaction abort", "whether a branch is the abort of a transaction (A)"),
	FLAG(FLAG_ABORT, 1),
	.cell = flag_cell,
};

const struct key key_cycles = {
	KEY("cycles", "Basic Block Cycles", "cycles since the branch before"),
	FLAG(FLAG_CYCLES, 5),
	.cell = cycles_cell,
	.json = cycles_json,
};
