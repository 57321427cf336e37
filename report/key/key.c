// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements key.h: the table of all keys, the callbacks of plain keys, and how keys are found by
 * name. */
#include "report/key/key.h"

#include <strings.h>

#include "base/text.h"
#include "report/key/keys.h"

#define ADDRESS_WIDTH 18 /* "0x" and 16 digits */

/* ---- callbacks of plain keys ---- */

static KEY_CELL(unpadded_text_cell)
{
	const char *text = text_of(key, row->result);

	strbuf_add_format(buffer, "%-.*s", (int)format->width, text ?: "");
}

static KEY_CELL(number_cell)
{
	size_t start = buffer->length;

	strbuf_add_number(buffer, number_of(key, row->result));
	strbuf_pad(buffer, start, format->width);
}

static KEY_CELL(address_cell)
{
	strbuf_add_format(buffer, "%-#*" PRIx64, (int)format->width, number_of(key, row->result));
}

static KEY_CELL(page_size_cell)
{
	char text[PAGE_SIZE_TEXT];

	add_padded(buffer, format->width, page_size_text(number_of(key, row->result), text));
}

/* ---- all keys ---- */

#define PLAIN(...)                                                                                 \
	&(const struct key)                                                                        \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

/* clang-format off */
const struct key *const all_keys[] = {
	&key_overhead,
	&key_children,
	&key_sample,
	&key_period,
	&key_weight1,
	&key_weight2,
	&key_weight3,
	&key_mean_stage,
	&key_pid,
	&key_comm,
	&key_dso,
	&key_symbol,
	&key_cpu,
	&key_tid,
	&key_tgid,
	PLAIN(.name = "srcline", .header = "Source:Line", .summary = "file and line of the source",
	      .needs = NEED_SOURCE_LINE, PLACE_TEXT(source_line), .cell = unpadded_text_cell),
	PLAIN(.name = "srcfile", .header = "Source File", .summary = "file of the source",
	      .needs = NEED_SOURCE_LINE, PLACE_TEXT(source_file), .cell = unpadded_text_cell),
	PLAIN(.name = "lang", .header = "Language", .summary = "language of the source",
	      .needs = NEED_LANGUAGE, PLACE_TEXT(language), .cell = unpadded_text_cell),
	&key_time,
	PLAIN(.name = "addr", .header = "Address", .summary = "address of the instruction, as sampled",
	      .needs = NEED_IP, RESULT_NUMBER(ip, compare_addresses, ADDRESS_WIDTH),
	      .cell = address_cell, .json = number_json),
	PLAIN(.name = "fileaddr", .header = "File Address", .summary = "address of the instruction in the file of its object",
	      .needs = NEED_ADDRESS, PLACE_NUMBER(address, compare_addresses, ADDRESS_WIDTH),
	      .cell = address_cell, .json = number_json),
	PLAIN(.name = "code_page_size", .header = "Code Page Size", .summary = "size of the page the instruction is in",
	      .needs = NEED_CODE_PAGE_SIZE, RESULT_NUMBER(code_page_size, smaller_first, 6),
	      .cell = page_size_cell, .json = number_json),
	&key_transaction,
	&key_cgroup,
	PLAIN(.name = "local_weight", .header = "Local Weight", .summary = "weight (latency, in cycles) of one sample",
	      .needs = NEED_WEIGHT, RESULT_NUMBER(weight, compare_numbers, 12),
	      .cell = number_cell, .json = number_json),
	&key_weight,
	PLAIN(.name = "local_ins_lat", .header = "Local INSTR Latency", .summary = "latency of the instruction, of one sample",
	      .needs = NEED_WEIGHT2, RESULT_NUMBER(weight2, compare_numbers, 13),
	      .cell = number_cell, .json = number_json),
	&key_latency,
	PLAIN(.name = "local_retire_lat", .header = "Local Retire Latency",
	      .summary = "cycles before the instruction retired, of one sample",
	      .needs = NEED_WEIGHT3, RESULT_NUMBER(weight3, compare_numbers, 13),
	      .cell = number_cell, .json = number_json),
	&key_retire,
	PLAIN(.name = "local_p_stage_cyc", .header = "Local Retire Latency", .summary = "the same as local_retire_lat",
	      .needs = NEED_WEIGHT3, RESULT_NUMBER(weight3, compare_numbers, 13),
	      .cell = number_cell, .json = number_json),
	&key_stage,
	&key_type,
	&key_typeoff,
	&key_symoff,
	&key_trace_text,
	&key_symbol_size,
	&key_typecln,
	&key_field,
	&key_waiting,
	&key_waiting_field,
	PLAIN(.name = "acc", .header = "Access", .summary = "load, store or both (rmw), and how many bytes",
	      .needs = NEED_TYPE, PLACE_TEXT(access), .cell = text_cell),
	PLAIN(.name = "how", .header = "Type Found By", .summary = "how the type was found, or why it was not",
	      .needs = NEED_TYPE, PLACE_TEXT(how), .cell = text_cell),
	PLAIN(.name = "rule", .header = "Rule", .summary = "the rule of the type engine that found or refused the type, or -",
	      .needs = NEED_TYPE, PLACE_TEXT(rule), .cell = text_cell),
	PLAIN(.name = "blame", .header = "Charged To",
	      .summary = "which instruction's access: at, before, operand, predecessor or none",
	      .needs = NEED_TYPE, PLACE_TEXT(blame), .cell = text_cell),
	&key_copy,
	&key_level,
	&key_snoop,
	&key_tlb,
	&key_locked,
	&key_blocked,
	&key_data_symbol,
	&key_data_dso,
	&key_data_cacheline,
	&key_code_symbol,
	&key_physical_address,
	PLAIN(.name = "data_page_size", .header = "Data Page Size", .summary = "size of the page that the data is in",
	      .needs = NEED_DATA_PAGE_SIZE, RESULT_NUMBER(data_page_size, compare_addresses, 22),
	      .cell = page_size_cell),
	&key_operation_breakdown,
	&key_cache_breakdown,
	&key_memory_breakdown,
	&key_snoop_breakdown,
	&key_tlb_breakdown,
	NULL,
};
/* clang-format on */

/* ---- keys by name ---- */

/* Returns whether the key has exactly this name, ignoring case. */
static bool is_name_of(const struct key *key, const char *name, size_t length)
{
	return (!strncasecmp(key->name, name, length) && !key->name[length]) ||
	       (key->alias && !strncasecmp(key->alias, name, length) && !key->alias[length]);
}

/* Returns the key of a name or alias, or NULL; of two, the figure with `figures_first`. */
static const struct key *named_key(const char *name, size_t length, bool figures_first)
{
	const struct key *found = NULL;

	for (const struct key *const *key = all_keys; *key; key++)
		if (is_name_of(*key, name, length) &&
		    (!found || !(*key)->identity == figures_first))
			found = *key;
	return found;
}

struct error *key_find(const char *name, size_t length, const char *option, bool figures_first,
		       const struct key **result)
{
	*result = named_key(name, length, figures_first);
	if (*result)
		return NULL;
	for (const struct key *const *key = all_keys; *key && length; key++)
		if (!strncasecmp((*key)->name, name, length)) {
			*result = *key;
			return NULL;
		}

	char word[65];
	struct nearest nearest = { .word = word };

	snprintf(word, sizeof(word), "%.*s", (int)(length < 64 ? length : 64), name);
	for (const struct key *const *key = all_keys; *key; key++) {
		nearest_consider(&nearest, (*key)->name);
		if ((*key)->alias)
			nearest_consider(&nearest, (*key)->alias);
	}
	if (nearest.best)
		return error_other("unknown %s key '%s'; did you mean '%s'?", option, word,
				   nearest.best);
	return error_other("unknown %s key '%s' (dtprof report --help lists them)", option, word);
}
