/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pointers as .eh_frame and .gcc_except_table write them (LSB Core, section 10.5.1). Private to dwarf/. */
#ifndef DTPROF_DWARF_ENCODED_POINTER_H
#define DTPROF_DWARF_ENCODED_POINTER_H

#include <dwarf.h>

#include "dwarf/leb128.h"

#define PE_OMIT        0xff
#define PE_FORMAT      0x0f
#define PE_APPLICATION 0x70
#define PE_PCREL       0x10
#define PE_INDIRECT    0x80

static inline uint64_t encoded_value(struct cursor *cursor, unsigned int format, unsigned int address_size)
{
	switch (format) {
	case DW_EH_PE_absptr: return cursor_word(cursor, address_size);
	case DW_EH_PE_uleb128: return cursor_uleb(cursor);
	case DW_EH_PE_udata2: return cursor_u16(cursor);
	case DW_EH_PE_udata4: return cursor_u32(cursor);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: return cursor_u64(cursor);
	case DW_EH_PE_sleb128: return (uint64_t)cursor_sleb(cursor);
	case DW_EH_PE_sdata2: return (uint64_t)(int16_t)cursor_u16(cursor);
	case DW_EH_PE_sdata4: return (uint64_t)(int32_t)cursor_u32(cursor);
	}
	cursor->failed = true;
	return 0;
}

/* `start` is the address of the cursor's first byte. */
static inline uint64_t encoded_pointer(struct cursor *cursor, uint8_t encoding, unsigned int address_size,
				       uint64_t start)
{
	uint64_t place = start + cursor->position;
	uint64_t value = encoded_value(cursor, encoding & PE_FORMAT, address_size);

	switch (encoding & (PE_APPLICATION | PE_INDIRECT)) {
	case 0: return value;
	case PE_PCREL: return value + place;
	}
	cursor->failed = true; /* relative to what only the running program has */
	return 0;
}

#endif
