/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Abbreviation tables (DWARF 5, section 7.5.3), parsed once and read by all threads. */
#ifndef DTPROF_DWARF_DWARF_ABBREV_H
#define DTPROF_DWARF_DWARF_ABBREV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/hash.h"

/* The attributes that are read; each has its slot in struct die. */
enum attribute_slot {
	SLOT_SIBLING,
	SLOT_NAME,
	SLOT_LINKAGE_NAME,
	SLOT_TYPE,
	SLOT_ORIGIN, /* DW_AT_abstract_origin */
	SLOT_SPECIFICATION,
	SLOT_SIGNATURE,
	SLOT_IMPORT,
	SLOT_LOW_PC,
	SLOT_HIGH_PC,
	SLOT_ENTRY_PC,
	SLOT_RANGES,
	SLOT_LOCATION,
	SLOT_CONST_VALUE,
	SLOT_FRAME_BASE,
	SLOT_BYTE_SIZE,
	SLOT_BIT_SIZE,
	SLOT_BIT_OFFSET,
	SLOT_DATA_BIT_OFFSET,
	SLOT_MEMBER_LOCATION,
	SLOT_ENCODING,
	SLOT_COUNT_ATTRIBUTE,
	SLOT_UPPER_BOUND,
	SLOT_LOWER_BOUND,
	SLOT_BYTE_STRIDE,
	SLOT_VECTOR,
	SLOT_EXTERNAL,
	SLOT_DECLARATION,
	SLOT_ARTIFICIAL,
	SLOT_INLINE,
	SLOT_NO_RETURN,
	SLOT_PROTOTYPED,
	SLOT_CALL_RETURN_PC,
	SLOT_CALL_ORIGIN,
	SLOT_CALL_TAIL,
	SLOT_CALL_FILE,
	SLOT_CALL_LINE,
	SLOT_LANGUAGE,
	SLOT_COMP_DIR,
	SLOT_STATEMENT_LIST,
	SLOT_STR_OFFSETS_BASE,
	SLOT_ADDR_BASE,
	SLOT_RNGLISTS_BASE,
	SLOT_LOCLISTS_BASE,
	SLOT_RANGES_BASE,
	SLOT_DWO_NAME,
	SLOT_DWO_ID,
	SLOT_DECLARED_LINE,
	SLOT_ENUM_CLASS,
	SLOT_TEMPLATE_NAME, /* DW_AT_GNU_template_name */
	SLOT_COUNT,
	SLOT_NONE = 0xff,
};

_Static_assert(SLOT_COUNT <= 64, "a bit for each slot");

struct abbrev_attribute {
	uint16_t form;
	uint8_t slot;     /* enum attribute_slot */
	int8_t word_size; /* 0 to 8: the value is an unsigned word of so many bytes, or `constant`; -1: no
			     such */
	uint16_t skip;    /* bytes of attributes that follow, are of one size in every DIE, and not read */
	int64_t constant; /* DW_FORM_implicit_const; 1: DW_FORM_flag_present; else 0 */
};

struct abbrev {
	uint16_t tag;
	bool has_children;
	bool has_sibling;
	uint16_t skip;       /* bytes of attributes before the first of these, as there */
	uint16_t sibling_at; /* bytes before DW_AT_sibling, if all attributes are words */
	uint32_t sibling;    /* its index */
	uint32_t attribute_count;
	/* From the first on, so many are words and have a slot: the bytes that these take, with what is
	 * passed over before and behind them. */
	uint32_t word_count;
	uint32_t word_bytes;
	int32_t fixed_size; /* bytes of all attributes where that is the same for every DIE, else -1 */
	uint64_t present;   /* bit a slot */
	const struct abbrev_attribute *attributes;
};

struct abbrev_table {
	uint64_t offset; /* in .debug_abbrev */
	struct abbrev *abbrevs;
	size_t count;
	struct hash_map codes; /* code -> index; empty where code = index + 1 for all */
	struct abbrev_attribute *attributes;
};

/* The table at `offset` of a .debug_abbrev section; what cannot be read ends it. `offset_size` and
 * `address_size` are the unit's, and give fixed_size. Never NULL. */
struct abbrev_table *abbrev_table_read(const uint8_t *data, size_t size, uint64_t offset, uint8_t version,
				       uint8_t offset_size, uint8_t address_size);
void abbrev_table_destroy(struct abbrev_table *table);

/* Bytes of a value of this form; -1: not the same for all. */
int form_fixed_size(unsigned int form, uint8_t version, uint8_t offset_size, uint8_t address_size);

/* NULL: no such code. */
static inline const struct abbrev *abbrev_table_find(const struct abbrev_table *table, uint64_t code)
{
	if (!table->codes.count)
		return code - 1 < table->count ? &table->abbrevs[code - 1] : NULL;

	const uint32_t *index = hash_map_find(&table->codes, code);

	return index ? &table->abbrevs[*index] : NULL;
}

#endif
