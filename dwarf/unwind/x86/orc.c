// SPDX-License-Identifier: GPL-2.0-or-later
/* ORC, the unwind tables of x86-64 Linux kernels: see unwind.h. */

#include "dwarf/elf/image.h"
#include "dwarf/unwind/unwind.h"
#include "base/memory.h"

/* An entry has two offsets and 16 bits: the CFA's offset from a register, that of the saved %rbp
 * from another, and the numbers of the two registers (4 bits each) and the kind of frame
 * (arch/x86/include/asm/orc_types.h). */
#define ENTRY_SIZE 6
/* DWARF numbers (psABI, figure 3.36) */
#define DWARF_RBP 6
#define DWARF_RSP 7

enum orc_register { ORC_REG_BP = 4, ORC_REG_SP = 5 };

struct tables {
	const uint8_t *places; /* 32 bits each: an address, relative to the number itself; sorted */
	const uint8_t *entries; /* as many as there are places */
	uint64_t address;       /* of `places` */
	size_t count;
	bool versioned; /* Linux 6.5 and later: the kind has three bits, and other numbers */
};

static const uint8_t *section_bytes(const struct elf_image *image, const char *name,
				    struct elf_section *section)
{
	size_t available = 0;
	const uint8_t *bytes;

	if (!elf_image_section_named(image, name, section))
		return NULL;
	bytes = elf_image_bytes(image, section->address, &available);
	return available >= section->size ? bytes : NULL;
}

static bool find_tables(const struct elf_image *image, struct tables *tables)
{
	struct elf_section places, entries, header;

	tables->places = section_bytes(image, ".orc_unwind_ip", &places);
	tables->entries = section_bytes(image, ".orc_unwind", &entries);
	if (!tables->places || !tables->entries)
		return false;
	tables->address = places.address;
	tables->count = places.size / sizeof(int32_t);
	tables->versioned = elf_image_section_named(image, ".orc_header", &header);
	return tables->count <= entries.size / ENTRY_SIZE;
}

static uint64_t place_of(const struct tables *tables, size_t index)
{
	int32_t distance;

	memcpy(&distance, tables->places + index * sizeof(distance), sizeof(distance));
	return tables->address + index * sizeof(distance) + (uint64_t)(int64_t)distance;
}

/* Returns the index of the first entry that begins above `address`. */
static size_t upper_bound(const struct tables *tables, uint64_t address)
{
	return partition_point(0, tables->count, i, place_of(tables, i) <= address);
}

static bool frame_of(const struct tables *tables, unsigned int bits, enum orc_frame *frame)
{
	unsigned int first = tables->versioned ? 2 : 0; /* the first two kinds cannot be unwound */
	unsigned int kind = (bits >> 8 & (tables->versioned ? 7 : 3)) - first;

	*frame = (enum orc_frame)kind;
	return kind <= ORC_REGS_PARTIAL;
}

static bool orc_read_entry(const struct tables *tables, size_t index, struct orc_row *row)
{
	const uint8_t *entry = tables->entries + index * ENTRY_SIZE;
	int16_t offset;
	uint16_t bits;

	memcpy(&offset, entry, sizeof(offset));
	memcpy(&bits, entry + 4, sizeof(bits));
	unsigned int reg = bits & 15;

	if ((reg != ORC_REG_SP && reg != ORC_REG_BP) || !frame_of(tables, bits, &row->frame))
		return false;
	row->row.kind = CFA_REGISTER;
	row->row.reg = reg == ORC_REG_SP ? DWARF_RSP : DWARF_RBP;
	row->row.offset = row->frame == ORC_REGS_PARTIAL ? offset - PT_REGS_IP_OFFSET : offset;
	return true;
}

struct orc_row *orc_rows(const struct elf_image *image, uint64_t low, uint64_t high,
			 struct arena *arena, size_t *count)
{
	struct tables tables;

	*count = 0;
	if (low >= high || !find_tables(image, &tables))
		return NULL;
	size_t first = upper_bound(&tables, low), end = upper_bound(&tables, high - 1);

	first -= first > 0; /* the entry that covers `low` */
	if (end <= first)
		return NULL;
	struct orc_row *rows = arena_alloc(arena, (end - first) * sizeof(*rows));

	for (size_t i = first; i < end; i++) {
		struct orc_row row = { 0 };

		row.row.low = place_of(&tables, i) > low ? place_of(&tables, i) : low;
		row.row.high = i + 1 < end ? place_of(&tables, i + 1) : high;
		if (row.row.low < row.row.high && orc_read_entry(&tables, i, &row))
			rows[(*count)++] = row;
	}
	return rows;
}
