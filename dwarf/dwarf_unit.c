// SPDX-License-Identifier: GPL-2.0-or-later
/* What a unit's own DIE says, which is read when the unit is first asked for: see dwarf_unit.h. */
#include "dwarf/dwarf_unit.h"

#include <dwarf.h>

#include "dwarf/dwarf_die.h"
#include "dwarf/dwarf_split.h"
#include "dwarf/function.h"

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
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	struct die root;
	uint64_t language = 0;

	if (unit->broken || !die_read(unit, &cursor, &root) || root.tag != DW_TAG_compile_unit)
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

static void read_root(struct unit *unit)
{
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	struct die root;

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

	pthread_mutex_lock(&files->lock);
	if (!unit->prepared && !unit->broken)
		read_root(unit);
	__atomic_store_n(&unit->prepared, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&files->lock);
}
