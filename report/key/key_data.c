// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Keys of the data that a sample accessed: its address, recorded or computed, and the data source
 * that the processor gives: where the data came from and what the access met on the way. Fields and
 * bits of the data source: union perf_mem_data_src, perf_event_open(2). The words are those of perf
 * 7.2.
 */
#include <linux/perf_event.h>

#include "base/memory.h"
#include "report/key/keys.h"

/* ---- addresses ---- */

#define ADDRESS_DIGITS 16
#define LEVEL_WIDTH    4 /* "[k] " */
#define OFFSET_WIDTH   (ADDRESS_DIGITS + 2)
#define CACHELINE      64

static unsigned int symbol_width(const char *symbol)
{
	return LEVEL_WIDTH + OFFSET_WIDTH + text_width(symbol);
}

/* Appends "[k] name+0x10" or "[.] 0x00007fc3ada9f408". As in perf, a function has no offset, and an
 * address below its variable has one of 64 bits: +0xffffffffffffffe8. */
static void add_data_symbol(struct strbuf *buffer, char level, const struct result_data *data,
			    uint64_t address, uint64_t shown)
{
	strbuf_add_format(buffer, "[%c] ", level);
	if (!data->symbol) {
		strbuf_add_format(buffer, "%-#.*" PRIx64, ADDRESS_DIGITS, shown);
		return;
	}
	strbuf_add_string(buffer, data->symbol);
	if (data->is_variable)
		strbuf_add_format(buffer, "+0x%" PRIx64, address - data->symbol_address);
}

/* ---- symbol_daddr ---- */

static KEY_WIDTH(data_symbol_width)
{
	return symbol_width(row->result->data->symbol);
}

static KEY_CELL(data_symbol_cell)
{
	const struct result *result = row->result;
	size_t start = buffer->length;

	if (format->verbose)
		strbuf_add_format(buffer, "%-#*" PRIx64 " ", ADDRESS_DIGITS + 2,
				  result->data_address);
	add_data_symbol(buffer, result->level, result->data, result->data->address,
			result->data_address);
	strbuf_pad(buffer, start, format->width);
}

const struct key key_data_symbol = {
	KEY("symbol_daddr", "Data Symbol", "data address, as variable and offset if it is in one"),
	.needs = NEED_DATA_ADDRESS,
	.value = MEMBER_OF_RESULT(data_address),
	.compare = compare_addresses,
	.identity = number_identity,
	.order = number_order,
	.width = data_symbol_width,
	.cell = data_symbol_cell,
};

/* ---- dcacheline ---- */

static uint64_t cacheline_of(const struct result *result)
{
	return result->data->address & -(uint64_t)CACHELINE;
}

/* True if the data is in anonymous memory that is not shared: then it differs between processes. */
static bool is_private(const struct result *result)
{
	return result->data->is_private && !result->data_shared && result->data_address >> 63 == 0;
}

/* Identifies a cacheline. Accesses by the kernel have rows of their own, as in perf. */
static KEY_IDENTITY(cacheline_identity)
{
	words[0] = pointer_word(result->data->dso_path);
	words[1] = cacheline_of(result);
	words[2] = is_private(result) ? (uint32_t)result->pid : 0;
	words[2] |= (uint64_t)(uint8_t)result->level << 32;
}

static KEY_ORDER(cacheline_order)
{
	int order = smaller_first(a->result->level != 'k', b->result->level != 'k')
			    ?: dso_order(&key_data_dso, a, b)
			    ?: smaller_first(cacheline_of(a->result), cacheline_of(b->result));

	if (order || !is_private(a->result))
		return order;
	return smaller_first((uint32_t)a->result->pid, (uint32_t)b->result->pid);
}

static KEY_WIDTH(cacheline_width)
{
	const char *symbol = row->result->data->symbol;

	return symbol_width(symbol) + (symbol != NULL);
}

static KEY_CELL(cacheline_cell)
{
	const struct result *result = row->result;
	char level = !result->data->dso_path                       ? 'X'
		     : result->data_shared && result->level != 'k' ? 's'
								   : result->level;
	size_t start = buffer->length;

	add_data_symbol(buffer, level, result->data, cacheline_of(result), cacheline_of(result));
	strbuf_pad(buffer, start, format->width);
}

const struct key key_data_cacheline = {
	KEY("dcacheline", "Data Cacheline", "cacheline of the data address"),
	.needs = NEED_DATA_ADDRESS | NEED_PID,
	.identity = cacheline_identity,
	.order = cacheline_order,
	.width = cacheline_width,
	.cell = cacheline_cell,
};

/* ---- symbol_iaddr ---- */

static KEY_WIDTH(code_symbol_width)
{
	return symbol_width(row->result->place->symbol);
}

static KEY_CELL(code_symbol_cell)
{
	const struct result *result = row->result;
	size_t start = buffer->length;

	strbuf_add_format(buffer, "[%c] ", result->level);
	if (result->place->symbol)
		strbuf_add_string(buffer, result->place->symbol);
	else
		strbuf_add_format(buffer, "%-#.*" PRIx64, ADDRESS_DIGITS, result->ip);
	strbuf_pad(buffer, start, format->width);
}

const struct key key_code_symbol = {
	KEY("symbol_iaddr", "Code Symbol", "sampled address, as function"),
	.needs = NEED_IP | NEED_SYMBOL | NEED_ADDRESS,
	.value = MEMBER_OF_RESULT(ip),
	.compare = compare_addresses,
	.identity = number_identity,
	.order = number_order,
	.width = code_symbol_width,
	.cell = code_symbol_cell,
};

/* ---- phys_daddr ---- */

static KEY_CELL(physical_cell)
{
	size_t start = buffer->length;

	strbuf_add_format(buffer, "[%c] %-#.*" PRIx64, row->result->level, ADDRESS_DIGITS,
			  row->result->physical_address);
	strbuf_pad(buffer, start, format->width);
}

const struct key key_physical_address = {
	KEY("phys_daddr", "Data Physical Address", "physical address of the data"),
	.needs = NEED_PHYSICAL_ADDRESS,
	RESULT_NUMBER(physical_address, compare_addresses, LEVEL_WIDTH + OFFSET_WIDTH),
	.cell = physical_cell,
};

/* ---- data sources ---- */

/* Appends the names of all set bits with " or " between them; "N/A" if there are none. */
static void add_names(struct strbuf *buffer, const char *const *names, unsigned int count,
		      uint64_t bits)
{
	size_t start = buffer->length;

	for (unsigned int i = 0; i < count; i++)
		if (names[i] && bits >> i & 1)
			strbuf_add_format(buffer, "%s%s", buffer->length > start ? " or " : "",
					  names[i]);
	if (buffer->length == start)
		strbuf_add_string(buffer, "N/A");
}

/* A key of some bits of the data source: results agree in `bits`, and smaller ones come first. */
struct source_part {
	uint64_t (*bits)(union perf_mem_data_src source);
	void (*text)(union perf_mem_data_src source, struct strbuf *buffer);
};

static uint64_t source_bits(const struct key *key, const struct result *result)
{
	return key->source->bits((union perf_mem_data_src){ .val = result->data_source });
}

static KEY_IDENTITY(source_identity)
{
	words[0] = source_bits(key, result);
}

static KEY_ORDER(source_order)
{
	return smaller_first(source_bits(key, a->result), source_bits(key, b->result));
}

static KEY_CELL(key_data_source_cell)
{
	size_t start = buffer->length;

	key->source->text((union perf_mem_data_src){ .val = row->result->data_source }, buffer);
	strbuf_pad(buffer, start, format->width);
}

#define SOURCE_PART(id, width_)                                                                    \
	.needs = NEED_DATA_SOURCE, .identity = source_identity, .order = source_order,             \
	.width = number_width, .cell = key_data_source_cell, .column_width = width_,               \
	.source = &(const struct source_part)                                                      \
	{                                                                                          \
		id##_bits, id##_text                                                               \
	}

#define LEVEL_RESULTS (PERF_MEM_LVL_NA | PERF_MEM_LVL_HIT | PERF_MEM_LVL_MISS)

/* Appends mem_lvl_num with the distance (since Linux 4.14), else mem_lvl's bits. */
static void level_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	static const char *const levels[] = {
		[3] = "L1",
		[4] = "LFB/MAB",
		[5] = "L2",
		[6] = "L3",
		[7] = "Local RAM",
		[8] = "Remote RAM (1 hop)",
		[9] = "Remote RAM (2 hops)",
		[10] = "Remote Cache (1 hop)",
		[11] = "Remote Cache (2 hops)",
		[12] = "I/O",
		[13] = "Uncached",
	};
	static const char *const numbers[] = {
		[1] = "L1",         [2] = "L2",       [3] = "L3",
		[4] = "L4",         [5] = "L2 MHB",   [6] = "Memory-side Cache",
		[8] = "Uncached",   [9] = "CXL",      [10] = "I/O",
		[11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM",
		[14] = "PMEM",      [15] = NULL
	};
	static const char *const hops[8] = {
		[1] = "core, same node",
		[2] = "node, same socket",
		[3] = "socket, same board",
		[4] = "board",
	};
	unsigned int number = source.mem_lvl_num;

	if (number != SOURCE_UNSET && number != SOURCE_NA) {
		if (source.mem_remote)
			strbuf_add_string(buffer, "Remote ");
		if (hops[source.mem_hops])
			strbuf_add_format(buffer, "%s ", hops[source.mem_hops]);
		if (numbers[number])
			strbuf_add_string(buffer, numbers[number]);
		else
			strbuf_add_format(buffer, "Unknown level %u", number);
	} else {
		add_names(buffer, levels, COUNT_OF(levels), source.mem_lvl);
		if (!(source.mem_lvl & ~LEVEL_RESULTS))
			return;
	}
	if (source.mem_lvl & PERF_MEM_LVL_HIT)
		strbuf_add_string(buffer, " hit");
	else if (source.mem_lvl & PERF_MEM_LVL_MISS)
		strbuf_add_string(buffer, " miss");
}

static uint64_t level_bits(union perf_mem_data_src source)
{
	return (uint64_t)source.mem_lvl << 32 | (uint64_t)source.mem_remote << 24 |
	       (uint64_t)source.mem_hops << 16 | source.mem_lvl_num;
}

const struct key key_level = {
	KEY("mem", "Memory access", "where the data came from: L1, L2, RAM, remote ..."),
	SOURCE_PART(level, 39),
};

static void snoop_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };

	add_names(buffer, names, COUNT_OF(names),
		  source.mem_snoop | (uint64_t)source.mem_snoopx << 5);
}

static uint64_t snoop_bits(union perf_mem_data_src source)
{
	return source.mem_snoop | (uint64_t)source.mem_snoopx << 5;
}

const struct key key_snoop = {
	KEY("snoop", "Snoop", "state of the data in other caches"),
	SOURCE_PART(snoop, 12),
};

static void tlb_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	static const char *const names[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };

	add_names(buffer, names, COUNT_OF(names), source.mem_dtlb);
	if (source.mem_dtlb & PERF_MEM_TLB_HIT)
		strbuf_add_string(buffer, " hit");
	if (source.mem_dtlb & PERF_MEM_TLB_MISS)
		strbuf_add_string(buffer, " miss");
}

static uint64_t tlb_bits(union perf_mem_data_src source)
{
	return source.mem_dtlb;
}

const struct key key_tlb = {
	KEY("tlb", "TLB access", "how the address was translated"),
	SOURCE_PART(tlb, 22),
};

/* Returns the bits of the lock. An access about which nothing is known, such as one that a timer
 * sampled, has no bit set at all. The processors that report data sources leave the lock's bits
 * empty for accesses without a lock. */
static uint64_t locked_bits(union perf_mem_data_src source)
{
	return source.val ? source.mem_lock : PERF_MEM_LOCK_NA;
}

static void locked_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	uint64_t bits = locked_bits(source);

	if (bits & PERF_MEM_LOCK_NA)
		strbuf_add_string(buffer, "N/A");
	else
		strbuf_add_string(buffer, bits & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

const struct key key_locked = {
	KEY("locked", "Locked", "whether the access was a locked one"),
	SOURCE_PART(locked, 6),
};

static void blocked_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	if (!source.mem_blk || source.mem_blk & PERF_MEM_BLK_NA) {
		strbuf_add_string(buffer, " N/A");
		return;
	}
	if (source.mem_blk & PERF_MEM_BLK_DATA)
		strbuf_add_string(buffer, " Data");
	if (source.mem_blk & PERF_MEM_BLK_ADDR)
		strbuf_add_string(buffer, " Addr");
}

static uint64_t blocked_bits(union perf_mem_data_src source)
{
	return source.mem_blk;
}

const struct key key_blocked = {
	KEY("blocked", "Blocked", "whether the load waited for data or for an address"),
	SOURCE_PART(blocked, 10),
};

static void operation_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	static const char *const names[] = { "N/A", "LOAD", "STORE", "PFETCH", "EXEC" };

	add_names(buffer, names, COUNT_OF(names), source.mem_op);
}

void data_source_add_text(uint64_t value, struct strbuf *buffer)
{
	static const struct {
		const char *name;
		void (*text)(union perf_mem_data_src source, struct strbuf *buffer);
	} parts[] = {
		{ "OP ", operation_text }, { "LVL ", level_text },  { "SNP ", snoop_text },
		{ "TLB ", tlb_text },      { "LCK ", locked_text }, { "BLK ", blocked_text }
	};

	for (size_t i = 0; i < COUNT_OF(parts); i++) {
		strbuf_add_format(buffer, "|%s", parts[i].name);
		parts[i].text((union perf_mem_data_src){ .val = value }, buffer);
	}
}

/* ---- types ---- */

/* Keys of the accessed type: the type, the offset in it, its cacheline and field. */

static KEY_IDENTITY(type_identity)
{
	words[0] = pointer_word(result->place->type);
}

static KEY_ORDER(type_order)
{
	return -alphabetical(a->result->place->type, b->result->place->type);
}

/* Returns the type's name. With -t it is perf's, for programs that read the table. */
static const char *type_text(const struct result_place *place, const struct cell_format *format)
{
	return format->separated && place->bare_type ? place->bare_type : place->type;
}

static KEY_CELL(type_cell)
{
	size_t start = buffer->length;

	strbuf_add_string(buffer, type_text(row->result->place, format));
	strbuf_pad(buffer, start, format->width);
}

const struct key key_type = {
	KEY("type", "Data Type", "type of the memory that was accessed"),
	.needs = NEED_TYPE,
	.identity = type_identity,
	.order = type_order,
	.cell = type_cell,
};

/* Samples of blocked time have what the thread waits for in place of a type. */
const struct key key_waiting = {
	KEY("waiting", "Waits For", "type or lock that a sleeping thread waits for, else the type"),
	.needs = NEED_TYPE,
	.identity = type_identity,
	.order = type_order,
	.cell = type_cell,
};

static KEY_IDENTITY(typeoff_identity)
{
	words[0] = pointer_word(result->place->type);
	words[1] = result->place->offset;
	/* Types with the same name in two objects may have different fields at this offset. */
	words[2] = pointer_word(result->place->bulk ?: result->place->field);
	words[1] ^= (uint64_t)result->place->range << 32;
}

static KEY_ORDER(typeoff_order)
{
	const struct result_place *place = a->result->place, *other = b->result->place;
	int order = type_order(key, a, b);

	COMPARE(order, 0);
	COMPARE(place->offset, other->offset);
	COMPARE(place->range, other->range);
	return -alphabetical(place->bulk, other->bulk) ?: -alphabetical(place->field, other->field);
}

static KEY_CELL(typeoff_cell)
{
	const struct result_place *place = row->result->place;
	const char *field = place->field ?: "no field";

	if (!format->type_shown)
		strbuf_add_string(buffer, type_text(place, format));
	if (!place->typed && !place->bulk)
		return;
	if (!format->type_shown)
		strbuf_add_char(buffer, ' ');
	if (!place->typed) {
		strbuf_add_string(buffer, place->bulk);
		return;
	}
	if (format->hexadecimal) {
		strbuf_add_format(buffer, "+%#" PRIx64, (uint64_t)place->offset);
	} else {
		strbuf_add_char(buffer, place->offset < 0 ? '-' : '+');
		strbuf_add_number(buffer, place->offset < 0 ? 0 - (uint64_t)place->offset
							    : (uint64_t)place->offset);
	}
	if (place->range)
		strbuf_add_format(buffer, format->hexadecimal ? "..%#" PRIx64 : "..%" PRIu64,
				  (uint64_t)place->offset + place->range - 1);
	if (!place->field && (format->type_shown || place->range || place->no_names))
		return;
	strbuf_add_string(buffer, " (");
	strbuf_add_string(buffer, field);
	strbuf_add_char(buffer, ')');
}

static KEY_JSON(typeoff_json)
{
	const struct result_place *place = row->result->place;

	json_object(json, key->name);
	json_string(json, "type", place->type);
	if (place->typed)
		json_signed(json, "offset", place->offset);
	else
		json_null(json, "offset");
	json_string(json, "field", place->field);
	if (place->range)
		json_signed(json, "bytes", place->range);
	if (place->bulk)
		json_string(json, "function", place->bulk);
	json_end(json);
}

const struct key key_typeoff = {
	KEY("typeoff", "Data Type Offset", "type, offset in it, and the field there"),
	.needs = NEED_TYPE | NEED_FIELD_NAME,
	.identity = typeoff_identity,
	.order = typeoff_order,
	.cell = typeoff_cell,
	.json = typeoff_json,
};

const struct key key_waiting_field = {
	KEY("waiting_field", "Waits For Field", "the same, with the offset and the field"),
	.needs = NEED_TYPE | NEED_FIELD_NAME,
	.identity = typeoff_identity,
	.order = typeoff_order,
	.cell = typeoff_cell,
	.json = typeoff_json,
};

/* The cachelines of a type that a sample may be of: one, unless in an array. */
struct type_lines {
	uint64_t first, last;
};

static struct type_lines type_lines_of(const struct result *result)
{
	return (struct type_lines){ access_span_first(&result->span, CACHELINE),
				    access_span_last(&result->span, CACHELINE) };
}

static KEY_IDENTITY(type_cacheline_identity)
{
	struct type_lines lines = type_lines_of(result);

	words[0] = pointer_word(result->place->type);
	words[1] = lines.first;
	words[2] = lines.last;
}

static KEY_ORDER(type_cacheline_order)
{
	struct type_lines lines = type_lines_of(a->result), other = type_lines_of(b->result);
	int order = type_order(key, a, b);

	if (!order)
		order = compare_numbers(lines.first, other.first);
	return order ?: compare_numbers(lines.last, other.last);
}

static KEY_CELL(type_cacheline_cell)
{
	const struct result_place *place = row->result->place;
	struct type_lines lines = type_lines_of(row->result);

	if (!format->type_shown)
		strbuf_add_string(buffer, type_text(place, format));
	if (!place->typed)
		return;
	strbuf_add_string(buffer, format->type_shown ? "" : ": ");
	if (lines.first == lines.last) {
		strbuf_add_format(buffer, "cache-line %" PRIu64, lines.first);
		return;
	}
	strbuf_add_string(buffer, "somewhere in cache-lines ");
	text_add_lines(buffer, lines.first, lines.last);
}

static KEY_JSON(cacheline_json)
{
	struct type_lines lines = type_lines_of(row->result);

	json_object(json, key->name);
	json_string(json, "type", row->result->place->type);
	if (lines.first == lines.last) {
		json_unsigned(json, "cacheline", lines.first);
	} else {
		json_null(json, "cacheline");
		json_lines(json, "cachelines", lines.first, lines.last);
	}
	json_end(json);
}

const struct key key_typecln = {
	KEY("typecln", "Data Type Cacheline", "type, and which cacheline of it"),
	.needs = NEED_TYPE | NEED_ELEMENT,
	.identity = type_cacheline_identity,
	.order = type_cacheline_order,
	.cell = type_cacheline_cell,
	.json = cacheline_json,
};

static const char *field_text(const struct result *result)
{
	const struct result_place *place = result->place;

	if (place->field)
		return place->field;
	return place->typed ? "(no field)" : place->type;
}

static KEY_IDENTITY(field_identity)
{
	words[0] = pointer_word(result->place->field);
	/* Without a type, "(unknown)" and the like are different rows. */
	words[1] = result->place->typed ? 0 : pointer_word(result->place->type);
}

static KEY_WIDTH(field_width)
{
	return format->type_shown && !row->result->place->typed ? 0
								: text_cell_width(key, row, format);
}

const struct key key_field = {
	KEY("field", "Field", "path of the field alone, whatever the type"),
	.needs = NEED_TYPE | NEED_FIELD_NAME,
	.identity = field_identity,
	.order = text_order,
	.width = field_width,
	.text = field_text,
	.cell = text_cell,
};

/* Texts of copies are interned, so that rows of one text are one copy. */
static const struct result_copy *copy_of(const struct result *result)
{
	static const struct result_copy unknown = { .text = "(unknown)" };

	return result->place->copy ?: &unknown;
}

static const char *copy_text(const struct result *result)
{
	return copy_of(result)->text;
}
static KEY_JSON(copy_json)
{
	json_object(json, key->name);
	json_copy(json, copy_of(row->result));
	json_end(json);
}

const struct key key_copy = {
	KEY("copy", "Copy", "the copy of an object that the access is part of"),
	.needs = NEED_TYPE | NEED_COPY,
	PLAIN_TEXT,
	.text = copy_text,
	.cell = text_cell,
	.json = copy_json,
};
