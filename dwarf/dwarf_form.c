// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_form.h"

#include <dwarf.h>
#include <string.h>

int form_fixed_size(unsigned int form, uint8_t version, uint8_t offset_size, uint8_t address_size)
{
	switch (form) {
	case DW_FORM_flag_present:
	case DW_FORM_implicit_const: return 0;
	case DW_FORM_data1:
	case DW_FORM_ref1:
	case DW_FORM_flag:
	case DW_FORM_strx1:
	case DW_FORM_addrx1: return 1;
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2:
	case DW_FORM_addrx2: return 2;
	case DW_FORM_strx3:
	case DW_FORM_addrx3: return 3;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_ref_sup4:
	case DW_FORM_strx4:
	case DW_FORM_addrx4: return 4;
	case DW_FORM_data8:
	case DW_FORM_ref8:
	case DW_FORM_ref_sup8:
	case DW_FORM_ref_sig8: return 8;
	case DW_FORM_data16: return 16;
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_sec_offset:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_GNU_ref_alt: return offset_size;
	case DW_FORM_ref_addr: return version <= 2 ? address_size : offset_size;
	case DW_FORM_addr: return address_size;
	}
	return -1;
}

struct uleb uleb_read_long(const uint8_t *at, const uint8_t *end)
{
	uint64_t value = 0;

	for (unsigned int shift = 0; at < end;) {
		uint8_t byte = *at++;

		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
		if (!(byte & 0x80))
			return (struct uleb){ value, at };
	}
	return (struct uleb){ 0, end };
}

static uint64_t read_size(const uint8_t *at, int size)
{
	uint64_t value = 0;

	memcpy(&value, at, (size_t)size);
	return value;
}

struct form_extent form_extent(unsigned int form, const uint8_t *at, const uint8_t *end)
{
	size_t left = (size_t)(end - at);
	struct uleb number;

	switch (form) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
		number = uleb_read(at, end);
		return (struct form_extent){ number.value, number.next };
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4: {
		int size = form == DW_FORM_block1 ? 1 : form == DW_FORM_block2 ? 2 : 4;

		if (left < (size_t)size)
			break;
		return (struct form_extent){ read_size(at, size), at + size };
	}
	case DW_FORM_string: return (struct form_extent){ strnlen((const char *)at, left) + 1, at };
	case DW_FORM_sdata:
	case DW_FORM_udata:
	case DW_FORM_ref_udata:
	case DW_FORM_strx:
	case DW_FORM_addrx:
	case DW_FORM_loclistx:
	case DW_FORM_rnglistx:
	case DW_FORM_GNU_addr_index:
	case DW_FORM_GNU_str_index: return (struct form_extent){ 0, uleb_read(at, end).next };
	}
	return (struct form_extent){ 0 };
}
