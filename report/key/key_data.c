// SPDX-License-Identifier: GPL-2.0-or-later
/* Keys by addresses: of the data that a sample accessed, recorded or computed, and of the instruction itself.
 */
#include <inttypes.h>
#include <linux/perf_event.h>

#include "report/key/keys.h"

/* ---- addresses ---- */

#define ADDRESS_DIGITS 16
#define LEVEL_WIDTH    4 /* "[k] " */
#define OFFSET_WIDTH   (ADDRESS_DIGITS + 2)
#define CACHELINE      64
#define PAGE_WIDTH     22

static unsigned int symbol_width(const char *symbol)
{
	return LEVEL_WIDTH + OFFSET_WIDTH + text_width(symbol);
}

static void pad_from(struct strbuf *buffer, size_t start, unsigned int width)
{
	while (buffer->length - start < width)
		strbuf_add_char(buffer, ' ');
}

/* "[k] name+0x10", "[.] 0x00007fc3ada9f408": functions without an offset, and what begins before its variable
 * with one of 64 bits (+0xffffffffffffffe8), as in perf */
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

static void data_symbol_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = result->data_address;
}

static int data_symbol_order(const struct row_view *a, const struct row_view *b)
{
	return compare_addresses(a->result->data_address, b->result->data_address);
}

static unsigned int data_symbol_width(const struct row_view *row, const struct cell_format *format)
{
	(void)format;
	return symbol_width(row->result->data->symbol);
}

static void data_symbol_cell(const struct row_view *row, const struct cell_format *format,
			     struct strbuf *buffer)
{
	const struct result *result = row->result;
	size_t start = buffer->length;

	if (format->verbose)
		strbuf_add_format(buffer, "%-#*" PRIx64 " ", ADDRESS_DIGITS + 2, result->data_address);
	add_data_symbol(buffer, result->level, result->data, result->data->address, result->data_address);
	pad_from(buffer, start, format->width);
}

const struct key key_data_symbol = {
	.name = "symbol_daddr",
	.header = "Data Symbol",
	.summary = "data address, as variable and offset where it is in one",
	.needs = NEED_DATA_ADDRESS,
	.identity = data_symbol_identity,
	.order = data_symbol_order,
	.width = data_symbol_width,
	.cell = data_symbol_cell,
};

/* ---- dso_daddr ---- */

static void data_dso_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->data->dso);
}

static int data_dso_order(const struct row_view *a, const struct row_view *b)
{
	const struct result_data *data = a->result->data, *other = b->result->data;

	if (!data->dso_path != !other->dso_path)
		return data->dso_path ? 1 : -1;
	return alphabetical(data->dso, other->dso);
}

static const char *data_dso_text(const struct result_data *data, bool verbose)
{
	return verbose && data->dso_path ? data->dso_path : data->dso;
}

static unsigned int data_dso_width(const struct row_view *row, const struct cell_format *format)
{
	const struct result_data *data = row->result->data;
	unsigned int width = text_width(data_dso_text(data, format->verbose));

	return data->dso_path || format->separated || width > ADDRESS_DIGITS ? width : ADDRESS_DIGITS;
}

static void data_dso_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	add_padded(buffer, format->width, data_dso_text(row->result->data, format->verbose));
}

const struct key key_data_dso = {
	.name = "dso_daddr",
	.header = "Data Object",
	.summary = "program, library or kernel that the data is in",
	.needs = NEED_DATA_ADDRESS,
	.identity = data_dso_identity,
	.order = data_dso_order,
	.width = data_dso_width,
	.cell = data_dso_cell,
};

/* ---- dcacheline ---- */

static uint64_t cacheline_of(const struct result *result)
{
	return result->data->address & -(uint64_t)CACHELINE;
}

/* Memory of no file is another in each process, unless it is shared. */
static bool is_private(const struct result *result)
{
	return result->data->is_private && !result->data_shared && result->data_address >> 63 == 0;
}

/* The kernel's accesses are told apart, as in perf. */
static void cacheline_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = pointer_word(result->data->dso_path);
	words[1] = cacheline_of(result);
	words[2] = is_private(result) ? (uint32_t)result->pid : 0;
	words[2] |= (uint64_t)(uint8_t)result->level << 32;
}

static int cacheline_order(const struct row_view *a, const struct row_view *b)
{
	int order = (a->result->level != 'k') < (b->result->level != 'k')   ? 1
		    : (a->result->level != 'k') > (b->result->level != 'k') ? -1
									    : data_dso_order(a, b);
	uint64_t line = cacheline_of(a->result), other = cacheline_of(b->result);

	if (!order && line != other)
		order = line < other ? 1 : -1;
	if (order || !is_private(a->result))
		return order;
	return -compare_numbers((uint32_t)a->result->pid, (uint32_t)b->result->pid);
}

static unsigned int cacheline_width(const struct row_view *row, const struct cell_format *format)
{
	const char *symbol = row->result->data->symbol;

	(void)format;
	return symbol_width(symbol) + (symbol != NULL);
}

static void cacheline_cell(const struct row_view *row, const struct cell_format *format,
			   struct strbuf *buffer)
{
	const struct result *result = row->result;
	char level = !result->data->dso_path                       ? 'X'
		     : result->data_shared && result->level != 'k' ? 's'
								   : result->level;
	size_t start = buffer->length;

	add_data_symbol(buffer, level, result->data, cacheline_of(result), cacheline_of(result));
	pad_from(buffer, start, format->width);
}

const struct key key_data_cacheline = {
	.name = "dcacheline",
	.header = "Data Cacheline",
	.summary = "cacheline of the data address",
	.needs = NEED_DATA_ADDRESS | NEED_PID,
	.identity = cacheline_identity,
	.order = cacheline_order,
	.width = cacheline_width,
	.cell = cacheline_cell,
};

/* ---- symbol_iaddr ---- */

static void ip_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = result->ip;
}

static int ip_order(const struct row_view *a, const struct row_view *b)
{
	return compare_addresses(a->result->ip, b->result->ip);
}

static unsigned int code_symbol_width(const struct row_view *row, const struct cell_format *format)
{
	(void)format;
	return symbol_width(row->result->place->symbol);
}

static void code_symbol_cell(const struct row_view *row, const struct cell_format *format,
			     struct strbuf *buffer)
{
	const struct result *result = row->result;
	size_t start = buffer->length;

	strbuf_add_format(buffer, "[%c] ", result->level);
	if (result->place->symbol)
		strbuf_add_string(buffer, result->place->symbol);
	else
		strbuf_add_format(buffer, "%-#.*" PRIx64, ADDRESS_DIGITS, result->ip);
	pad_from(buffer, start, format->width);
}

const struct key key_code_symbol = {
	.name = "symbol_iaddr",
	.header = "Code Symbol",
	.summary = "sampled address, as function",
	.needs = NEED_IP | NEED_SYMBOL | NEED_ADDRESS,
	.identity = ip_identity,
	.order = ip_order,
	.width = code_symbol_width,
	.cell = code_symbol_cell,
};

/* ---- phys_daddr ---- */

static void physical_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = result->physical_address;
}

static int physical_order(const struct row_view *a, const struct row_view *b)
{
	return compare_addresses(a->result->physical_address, b->result->physical_address);
}

static unsigned int physical_width(const struct row_view *row, const struct cell_format *format)
{
	(void)row;
	(void)format;
	return LEVEL_WIDTH + OFFSET_WIDTH;
}

static void physical_cell(const struct row_view *row, const struct cell_format *format, struct strbuf *buffer)
{
	size_t start = buffer->length;

	strbuf_add_format(buffer, "[%c] %-#.*" PRIx64, row->result->level, ADDRESS_DIGITS,
			  row->result->physical_address);
	pad_from(buffer, start, format->width);
}

const struct key key_physical_address = {
	.name = "phys_daddr",
	.header = "Data Physical Address",
	.summary = "physical address of the data",
	.needs = NEED_PHYSICAL_ADDRESS,
	.identity = physical_identity,
	.order = physical_order,
	.width = physical_width,
	.cell = physical_cell,
};

/* ---- data_page_size ---- */

static void data_page_identity(const struct result *result, uint64_t words[KEY_WORDS])
{
	words[0] = result->data_page_size;
}

static int data_page_order(const struct row_view *a, const struct row_view *b)
{
	return compare_addresses(a->result->data_page_size, b->result->data_page_size);
}

static unsigned int data_page_width(const struct row_view *row, const struct cell_format *format)
{
	(void)row;
	(void)format;
	return PAGE_WIDTH;
}

static void data_page_cell(const struct row_view *row, const struct cell_format *format,
			   struct strbuf *buffer)
{
	char text[PAGE_SIZE_TEXT];

	add_padded(buffer, format->width, page_size_text(row->result->data_page_size, text));
}

const struct key key_data_page_size = {
	.name = "data_page_size",
	.header = "Data Page Size",
	.summary = "size of the page that the data is in",
	.needs = NEED_DATA_PAGE_SIZE,
	.identity = data_page_identity,
	.order = data_page_order,
	.width = data_page_width,
	.cell = data_page_cell,
};

/* ---- data sources ---- */

/* Bits and levels that headers of older systems do not name. */
#define LEVEL_NONE 0 /* lvl_num was not set */
#define LEVEL_NA   15

static union perf_mem_data_src source_of(const struct row_view *row)
{
	return (union perf_mem_data_src){ .val = row->result->data_source };
}

/* The names of all bits that are set, with "or" between. */
static void add_names(struct strbuf *buffer, const char *const *names, unsigned int count, uint64_t bits)
{
	size_t start = buffer->length;

	for (unsigned int i = 0; i < count; i++)
		if (names[i] && bits >> i & 1)
			strbuf_add_format(buffer, "%s%s", buffer->length > start ? " or " : "", names[i]);
}

/* A key by some bits of the source: equal in them, the smaller first, and never wider than its column. */
#define DATA_SOURCE_KEY(id, key_name, key_header, key_summary, key_width, bits)                              \
	static void id##_identity(const struct result *result, uint64_t words[KEY_WORDS])                    \
	{                                                                                                    \
		union perf_mem_data_src source = { .val = result->data_source };                             \
                                                                                                             \
		words[0] = (bits);                                                                           \
	}                                                                                                    \
	static int id##_order(const struct row_view *a, const struct row_view *b)                            \
	{                                                                                                    \
		uint64_t words[KEY_WORDS] = { 0 }, others[KEY_WORDS] = { 0 };                                \
                                                                                                             \
		id##_identity(a->result, words);                                                             \
		id##_identity(b->result, others);                                                            \
		return -compare_numbers(words[0], others[0]);                                                \
	}                                                                                                    \
	static unsigned int id##_width(const struct row_view *row, const struct cell_format *format)         \
	{                                                                                                    \
		(void)row;                                                                                   \
		(void)format;                                                                                \
		return key_width;                                                                            \
	}                                                                                                    \
	static void id##_cell(const struct row_view *row, const struct cell_format *format,                  \
			      struct strbuf *buffer)                                                         \
	{                                                                                                    \
		size_t start = buffer->length;                                                               \
                                                                                                             \
		id##_text(source_of(row), buffer);                                                           \
		pad_from(buffer, start, format->width);                                                      \
	}                                                                                                    \
	const struct key key_##id = {                                                                        \
		.name = key_name,                                                                            \
		.header = key_header,                                                                        \
		.summary = key_summary,                                                                      \
		.needs = NEED_DATA_SOURCE,                                                                   \
		.identity = id##_identity,                                                                   \
		.order = id##_order,                                                                         \
		.width = id##_width,                                                                         \
		.cell = id##_cell,                                                                           \
	}

/* mem_lvl_num where the processor's driver sets it (since Linux 4.14), with how far away it was; else the
 * bits of mem_lvl. */
static void level_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	static const char *const levels[] = { NULL,
					      NULL,
					      NULL,
					      "L1",
					      "LFB/MAB",
					      "L2",
					      "L3",
					      "Local RAM",
					      "Remote RAM (1 hop)",
					      "Remote RAM (2 hops)",
					      "Remote Cache (1 hop)",
					      "Remote Cache (2 hops)",
					      "I/O",
					      "Uncached" };
	static const char *const numbers[] = {
		[1] = "L1",         [2] = "L2",       [3] = "L3",
		[4] = "L4",         [5] = "L2 MHB",   [6] = "Memory-side Cache",
		[8] = "Uncached",   [9] = "CXL",      [10] = "I/O",
		[11] = "Any cache", [12] = "LFB/MAB", [13] = "RAM",
		[14] = "PMEM",      [15] = NULL
	};
	static const char *const hops[] = {
		NULL, "core, same node", "node, same socket", "socket, same board", "board", NULL, NULL, NULL
	};
	unsigned int number = source.mem_lvl_num;
	size_t start = buffer->length;

	if (number != LEVEL_NONE && number != LEVEL_NA) {
		if (source.mem_remote)
			strbuf_add_string(buffer, "Remote ");
		if (hops[source.mem_hops])
			strbuf_add_format(buffer, "%s ", hops[source.mem_hops]);
		if (numbers[number])
			strbuf_add_string(buffer, numbers[number]);
		else
			strbuf_add_format(buffer, "Unknown level %u", number);
	} else {
		add_names(buffer, levels, sizeof(levels) / sizeof(*levels), source.mem_lvl);
	}
	if (buffer->length == start)
		strbuf_add_string(buffer, "N/A");
	else if (source.mem_lvl & PERF_MEM_LVL_HIT)
		strbuf_add_string(buffer, " hit");
	else if (source.mem_lvl & PERF_MEM_LVL_MISS)
		strbuf_add_string(buffer, " miss");
}

DATA_SOURCE_KEY(level, "mem", "Memory access", "where the data came from: L1, L2, RAM, remote ...", 39,
		(uint64_t)source.mem_lvl << 32 | (uint64_t)source.mem_remote << 24 |
			(uint64_t)source.mem_hops << 16 | source.mem_lvl_num);

static void snoop_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	static const char *const names[] = { "N/A", "None", "Hit", "Miss", "HitM", "Fwd", "Peer" };
	size_t start = buffer->length;

	add_names(buffer, names, sizeof(names) / sizeof(*names),
		  source.mem_snoop | (uint64_t)source.mem_snoopx << 5);
	if (buffer->length == start)
		strbuf_add_string(buffer, "N/A");
}

DATA_SOURCE_KEY(snoop, "snoop", "Snoop", "what other caches had of it", 12,
		source.mem_snoop | (uint64_t)source.mem_snoopx << 5);

static void tlb_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	static const char *const names[] = { "N/A", NULL, NULL, "L1", "L2", "Walker", "Fault" };
	size_t start = buffer->length;

	add_names(buffer, names, sizeof(names) / sizeof(*names), source.mem_dtlb);
	if (buffer->length == start)
		strbuf_add_string(buffer, "N/A");
	if (source.mem_dtlb & PERF_MEM_TLB_HIT)
		strbuf_add_string(buffer, " hit");
	if (source.mem_dtlb & PERF_MEM_TLB_MISS)
		strbuf_add_string(buffer, " miss");
}

DATA_SOURCE_KEY(tlb, "tlb", "TLB access", "how the address was translated", 22, source.mem_dtlb);

static void locked_text(union perf_mem_data_src source, struct strbuf *buffer)
{
	if (source.mem_lock & PERF_MEM_LOCK_NA)
		strbuf_add_string(buffer, "N/A");
	else
		strbuf_add_string(buffer, source.mem_lock & PERF_MEM_LOCK_LOCKED ? "Yes" : "No");
}

DATA_SOURCE_KEY(locked, "locked", "Locked", "whether the access was a locked one", 6, source.mem_lock);

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

DATA_SOURCE_KEY(blocked, "blocked", "Blocked", "whether the load waited for data or for an address", 10,
		source.mem_blk);
