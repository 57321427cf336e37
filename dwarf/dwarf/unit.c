// SPDX-License-Identifier: GPL-2.0-or-later
/* Units by their references, and the root DIE of each. files.c has the files that they are in. */
#include "dwarf/dwarf/unit.h"

#include <dwarf.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/types/language.h"
#include "base/memory.h"

/* Finds the split unit of a skeleton whose DW_AT_dwo_name is `name`. skeleton->split stays NULL if
 * there is none. Call it under the files' lock. */
static void attach_split(struct unit *skeleton, const char *name)
{
	struct unit *unit = dwarf_files_find_split(skeleton->file->files, skeleton, name);

	if (!unit)
		return;
	unit->skeleton = skeleton;
	unit->addr_sections = &skeleton->file->sections;
	unit->addr_base = skeleton->addr_base;
	unit->low_pc = skeleton->low_pc;
	/* the base is for the ranges of split DIEs, not for the skeleton's own */
	unit->ranges_base = skeleton->ranges_base;
	skeleton->ranges_base = 0;
	if (!unit->comp_dir)
		unit->comp_dir = skeleton->comp_dir;
	skeleton->split = unit;
}

struct unit *dwarf_files_unit(struct dwarf_files *files, uint64_t reference)
{
	uint64_t file_index = reference >> REFERENCE_FILE_SHIFT;
	uint64_t offset = reference & REFERENCE_OFFSET_MASK;

	if (file_index >= __atomic_load_n(&files->count, __ATOMIC_ACQUIRE))
		return NULL;

	const struct dwarf_file *file = files->files[file_index];
	bool in_types = reference & REFERENCE_TYPES;
	size_t low = in_types ? file->info_unit_count : 0;
	size_t high = in_types ? file->unit_count : file->info_unit_count;
	uint64_t block = offset >> UNIT_BLOCK_SHIFT;

	if (low >= high)
		return NULL;
	if (!in_types && offset < file->sections.section[SECTION_INFO].size) {
		low = block ? file->unit_at[block - 1] : 0;
		high = (size_t)file->unit_at[block] + 1;
	}

	/* the last unit that begins at or before the offset */
	size_t after = partition_point(low + 1, high, i, file->units[i].offset <= offset);
	struct unit *unit = &file->units[after - 1];

	if (offset < unit->first_die || offset >= unit->end || !unit_prepare(unit))
		return NULL;
	return unit;
}

struct unit *dwarf_files_type_unit(struct dwarf_files *files, struct dwarf_file *file,
				   uint64_t signature)
{
	struct unit *unit = NULL;

	if (file->split)
		unit = dwarf_file_split_type_unit(file, signature);
	if (!unit) {
		struct dwarf_file *main = dwarf_files_main(files);
		const uint32_t *index = hash_map_find(&files->type_units, signature);

		unit = index ? &main->units[*index] : NULL;
	}
	return unit && unit_prepare(unit) ? unit : NULL;
}

/* ---- root DIEs ---- */

/* Returns the base of .debug_str_offsets or .debug_addr for units that do not give it: in DWARF 5
 * the end of the section's first header (split units have no attribute for it, section 7.26); in
 * the older GNU form 0. */
static uint64_t default_base(const struct unit *unit)
{
	if (unit->version < 5)
		return 0;
	return unit->offset_size == 8 ? 16 : 8;
}

static void read_bases(struct unit *unit, const struct die *root)
{
	uint64_t header = default_base(unit);
	/* .debug_rnglists and .debug_loclists have the count of offsets as well */
	uint64_t list_header = header ? header + 4 : 0;

	/* in a .dwp file they begin at the unit's share */
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

/* Finds the DW_LANG_* of a compilation unit. False for other units. Does not prepare the unit. */
static bool root_language(struct unit *unit, uint64_t *code)
{
	struct die root;

	return !unit->broken && die_root(unit, &root) && root.tag == DW_TAG_compile_unit &&
	       die_unsigned(&root, SLOT_LANGUAGE, code);
}

/* Finds the language of dwz's partial units, which do not give it: the first of the object's
 * languages that qualifies names by namespaces, else the first one. If the object's languages have
 * several defaults of DW_AT_lower_bound, that of a partial unit is not known. Call it under the
 * lock. */
static void set_partial_language(struct unit *unit)
{
	struct dwarf_files *files = unit->file->files;
	struct dwarf_file *main = dwarf_files_main(files);
	bool any = false, qualifies = false;

	if (!files->partial_language_known)
		files->partial_language = LANGUAGE_C;

	for (size_t i = 0; i < main->info_unit_count && !files->partial_language_known; i++) {
		uint64_t code;

		if (!root_language(&main->units[i], &code))
			continue;

		uint8_t language = unit_language(code), bound = unit_default_lower_bound(code);

		if (language == LANGUAGE_ASSEMBLER)
			continue;
		if (!any) {
			files->partial_language = language;
			files->partial_lower_bound = bound;
		} else if (bound != files->partial_lower_bound) {
			files->partial_lower_bound = LOWER_BOUND_UNKNOWN;
		}
		any = true;
		if (!qualifies && (language == LANGUAGE_CXX || language == LANGUAGE_RUST)) {
			files->partial_language = language;
			qualifies = true;
		}
	}
	files->partial_language_known = true;
	unit->language = files->partial_language;
	unit->lower_bound = files->partial_lower_bound;
}

/* True if DW_AT_producer says that gcc had this option, given with a blank before it. */
static bool has_option(const char *producer, const char *option)
{
	const char *found = producer ? strstr(producer, option) : NULL;
	size_t length = strlen(option);

	while (found && found[length] && found[length] != ' ')
		found = strstr(found + length, option);
	return found;
}

static void read_root(struct unit *unit)
{
	struct die root;

	if (!die_root(unit, &root) || !root.tag) {
		unit->broken = true;
		return;
	}
	read_bases(unit, &root);

	uint64_t language = 0;

	die_unsigned(&root, SLOT_LANGUAGE, &language);
	unit->lower_bound = unit_default_lower_bound(language);
	unit->language = unit_language(language);
	if (root.tag == DW_TAG_partial_unit && !language)
		set_partial_language(unit);
	const char *producer = die_string(&root, SLOT_PRODUCER);

	/* it says that its language is C++, because debuggers know that */
	if (producer && strcmp(producer, "Crystal") == 0)
		unit->language = LANGUAGE_CRYSTAL;

	unit->no_strict_aliasing = has_option(producer, " -fno-strict-aliasing");
	/* up to gcc 15 it is -fmodules-ts */
	unit->has_modules = producer && strstr(producer, " -fmodules");
	unit->untracked = has_option(producer, " -fno-var-tracking");
	unit->name = die_name(&root);
	unit->linked = unit->name && strcmp(unit->name, "<artificial>") == 0;
	unit->comp_dir = die_string(&root, SLOT_COMP_DIR);
	die_address(&root, SLOT_LOW_PC, &unit->low_pc);
	if (unit->file == dwarf_files_main(unit->file->files))
		unit->dwo_name = die_string(&root, SLOT_DWO_NAME);
	if (unit->dwo_name)
		attach_split(unit, unit->dwo_name);
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
