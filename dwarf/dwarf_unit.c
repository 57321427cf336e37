/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a unit's own DIE says, which is read when the unit is first asked for: see dwarf_unit.h. */
#include "dwarf/dwarf_unit.h"

#include <dwarf.h>

#include "dwarf/dwarf_die.h"
#include "dwarf/dwarf_split.h"
#include "dwarf/function.h"

/* Of the unit's table of abbreviations, which units that name the same one share, and which is read for the
 * unit's sizes. Never 0. */
static uint64_t abbrevs_key(const struct unit *unit)
{
	uint64_t key = (uint64_t)unit->file->index << REFERENCE_FILE_SHIFT | unit->abbrev_offset << 3 |
		       (unit->offset_size == 8) << 2 | (unit->address_size == 8) << 1 | (unit->version <= 2);

	return key ^ UINT64_C(1) << 63;
}

/* NULL: it is known already, or there is none. */
static struct abbrev_table *read_abbrevs(const struct unit *unit)
{
	const struct dwarf_section_data *section = &unit->file->sections.section[SECTION_ABBREV];

	if (unit->abbrev_offset >= section->size ||
	    concurrent_map_find(&unit->file->files->abbrev_tables, abbrevs_key(unit)))
		return NULL;
	return abbrev_table_read(section->data, section->size, unit->abbrev_offset, unit->version,
				 unit->offset_size, unit->address_size);
}

/* Takes what read_abbrevs() gave, or drops it. Under the lock. */
static const struct abbrev_table *find_abbrevs(const struct unit *unit, struct abbrev_table *table)
{
	struct dwarf_files *files = unit->file->files;
	struct abbrev_table *known = concurrent_map_find(&files->abbrev_tables, abbrevs_key(unit));

	if (known)
		abbrev_table_destroy(table);
	else if (table)
		concurrent_map_insert(&files->abbrev_tables, abbrevs_key(unit), table);
	return known ? known : table;
}

uint8_t unit_language(uint64_t code)
{
	switch (code) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x002c: /* DW_LANG_C17, from dwarfstd.org's list after DWARF 5 */
	case 0x003e: /* DW_LANG_C23 */
	case DW_LANG_Mips_Assembler: return LANGUAGE_C;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x002b: /* DW_LANG_C_plus_plus_17 */
	case 0x002e: /* DW_LANG_C_plus_plus_20 */
	case 0x003a: /* DW_LANG_C_plus_plus_23 */ return LANGUAGE_CXX;
	case DW_LANG_Rust: return LANGUAGE_RUST;
	}
	return LANGUAGE_OTHER;
}

/* Where a table of .debug_str_offsets or .debug_addr begins if no attribute says so: after the section's
 * first header in DWARF 5 (a split unit has no attribute for it, section 7.26), at its begin in the GNU form
 * before. */
static uint64_t default_base(const struct unit *unit)
{
	if (unit->version < 5)
		return 0;
	return unit->offset_size == 8 ? 16 : 8;
}

static void read_bases(struct unit *unit, const struct die *root)
{
	uint64_t header = default_base(unit);
	/* header of .debug_rnglists and .debug_loclists: that and the count of offsets */
	uint64_t list_header = header ? header + 4 : 0;

	/* in a .dwp file they are counted from the unit's share already */
	unit->str_offsets_base += header;
	unit->rnglists_base += list_header;
	unit->loclists_base += list_header;
	if (!unit->skeleton) /* else it is the skeleton's */
		unit->addr_base = header;
	die_section_offset(root, SLOT_STR_OFFSETS_BASE, &unit->str_offsets_base);
	die_section_offset(root, SLOT_ADDR_BASE, &unit->addr_base);
	die_section_offset(root, SLOT_RNGLISTS_BASE, &unit->rnglists_base);
	die_section_offset(root, SLOT_LOCLISTS_BASE, &unit->loclists_base);
	die_section_offset(root, SLOT_RANGES_BASE, &unit->ranges_base);
}

/* The language of a whole unit's root; LANGUAGE_OTHER: it is no such unit. Does not prepare it. */
static uint8_t root_language(struct unit *unit)
{
	struct unit copy = *unit;
	struct die root;
	uint64_t language = 0;

	copy.abbrevs = copy.broken ? NULL : find_abbrevs(&copy, read_abbrevs(&copy));
	if (!copy.abbrevs)
		return LANGUAGE_OTHER;

	struct cursor cursor = unit_cursor(&copy, copy.first_die);

	if (!die_read(&copy, &cursor, &root) || root.tag != DW_TAG_compile_unit)
		return LANGUAGE_OTHER;
	die_unsigned(&root, SLOT_LANGUAGE, &language);
	return unit_language(language);
}

/*
 * dwz does not say what language its partial units are of: that of the object, which is the first that
 * qualifies names by namespaces, else C. Under the lock.
 */
static uint8_t partial_language(struct dwarf_files *files)
{
	struct dwarf_file *main = dwarf_files_main(files);

	if (files->partial_language_known)
		return files->partial_language;
	files->partial_language = LANGUAGE_C;
	for (size_t i = 0; i < main->info_unit_count; i++) {
		uint8_t language = root_language(&main->units[i]);

		if (language == LANGUAGE_CXX || language == LANGUAGE_RUST) {
			files->partial_language = language;
			break;
		}
	}
	files->partial_language_known = true;
	return files->partial_language;
}

static void read_root(struct unit *unit, struct abbrev_table *table)
{
	struct die root;

	unit->abbrevs = find_abbrevs(unit, table);
	if (!unit->abbrevs) {
		unit->broken = true;
		return;
	}

	struct cursor cursor = unit_cursor(unit, unit->first_die);

	if (!die_read(unit, &cursor, &root) || !root.tag) {
		unit->broken = true;
		return;
	}
	read_bases(unit, &root);

	uint64_t language = 0;

	die_unsigned(&root, SLOT_LANGUAGE, &language);
	unit->language_code = (uint16_t)language;
	unit->language = unit_language(language);
	if (root.tag == DW_TAG_partial_unit && !language)
		unit->language = partial_language(unit->file->files);
	die_unsigned(&root, SLOT_DWO_ID, &unit->signature);
	unit->name = die_name(&root);
	unit->comp_dir = die_string(&root, SLOT_COMP_DIR);
	die_address(&root, SLOT_LOW_PC, &unit->low_pc);
	if (root.tag == DW_TAG_partial_unit && unit->version < 5)
		unit->kind = DW_UT_partial;
	if (!unit->file->split)
		unit->dwo_name = die_string(&root, SLOT_DWO_NAME);
	if (unit->dwo_name)
		dwarf_split_attach(unit, unit->dwo_name);
}

void unit_read(struct unit *unit)
{
	struct dwarf_files *files = unit->file->files;
	/* what takes long is done without the lock, and dropped by who comes second */
	struct abbrev_table *table = read_abbrevs(unit);

	pthread_mutex_lock(&files->lock);
	if (!unit->prepared && !unit->broken)
		read_root(unit, table);
	else
		abbrev_table_destroy(table);
	__atomic_store_n(&unit->prepared, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&files->lock);
}
