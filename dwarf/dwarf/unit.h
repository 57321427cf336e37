/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units of .debug_info and .debug_types, and the files they are in.
 *
 * The headers of all units are read when a file is opened (dwarf/dwarf/libdw.c). The root DIE with
 * its bases is read when a unit is first used (unit_prepare). After that only the unit's indices
 * and the layouts of its DIEs (dwarf/dwarf/die.c) are added, so that threads read all units without
 * a lock.
 *
 * A DIE is named by a 64-bit reference that is unique in the object: the file's index in bits 48 to
 * 61, bit 47 for .debug_types, and the section offset below that. In .debug_info of the main file
 * the reference is the offset itself.
 */
#pragma once

#include <pthread.h>

#include "dwarf/dwarf/sections.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/parallel.h"

struct dwarf_files;
struct dwarf_handle;
struct unit_index;
struct abbreviations;

#define LOWER_BOUND_UNKNOWN UINT8_MAX

struct unit {
	struct dwarf_file *file;
	uint32_t number;    /* index in file->units */
	uint64_t offset;    /* section offset of the header */
	uint64_t end;       /* first byte after the unit */
	uint64_t first_die; /* offset of the root DIE */
	uint64_t abbrev_offset;
	uint64_t signature; /* of a type unit; dwo id of a skeleton or split unit in DWARF 5 */
	uint64_t type_die;  /* type unit: section offset of its type */
	bool in_types;      /* in .debug_types */
	uint8_t version;
	uint8_t kind; /* DW_UT_*; before DWARF 5 only whether it is of types */
	uint8_t address_size;
	uint8_t offset_size;

	/* set by unit_prepare(): */
	int prepared;            /* atomic */
	bool broken;             /* the root DIE cannot be read: the unit has no DIEs */
	uint8_t language;        /* enum language */
	bool no_strict_aliasing; /* -fno-strict-aliasing is in its DW_AT_producer */
	bool has_modules;        /* so is -fmodules */
	bool untracked;          /* so is -fno-var-tracking */
	/* gcc's link-time optimization made it: it has code, and others the declarations */
	bool linked;
	/* of an array's dimension that does not give it, or LOWER_BOUND_UNKNOWN */
	uint8_t lower_bound;
	const char *name;
	const char *comp_dir;
	uint64_t low_pc; /* base address of ranges and location lists */
	uint64_t str_offsets_base;
	uint64_t addr_base, rnglists_base, loclists_base;
	uint64_t ranges_base; /* DW_AT_GNU_ranges_base: base of a split unit's DW_AT_ranges */
	/* the sections that addr_base and ranges_base point into: the skeleton's file */
	const struct dwarf_sections *addr_sections;
	const char *dwo_name;  /* skeleton: the file with its DIEs */
	struct unit *split;    /* skeleton: its unit in a .dwo or .dwp file, or NULL */
	struct unit *skeleton; /* split unit: its skeleton, or NULL */

	struct abbreviations *abbreviations; /* atomic; see dwarf/dwarf/die.c */

	/* atomic; see dwarf/dwarf/index.h */
	struct unit_index *index;
	struct unit_index *file_scope;
	struct unit_index *statics;

	struct hash_map fingerprints; /* see dwarf/dwarf/type.c */
};

struct dwarf_file {
	struct dwarf_files *files;
	uint16_t index;
	bool split;
	char *path;
	struct dwarf_sections sections;
	struct unit *units; /* .debug_info by offset, then .debug_types by offset */
	size_t unit_count;
	size_t info_unit_count;
	size_t broken_units;   /* their headers make no sense, and they are not kept */
	size_t unit_max;       /* more are not read */
	bool has_more_units;   /* there are */
	uint8_t first_version; /* of the first unit, also of one that is not kept; 0: none */
	/* by block of .debug_info: the last unit that begins before the block's end */
	uint32_t *unit_at;
	size_t abbreviation_count;       /* atomic; see dwarf/dwarf/die.c */
	size_t root_abbreviations;       /* the same */
	uint64_t bytes_read;             /* atomic; see dwarf_file_was_read() */
	uint64_t long_names;             /* atomic: bytes of long names; see dwarf/dwarf/type.c */
	struct arena layouts;            /* see dwarf/dwarf/die.c; under layout_lock */
	struct concurrent_map layout_of; /* the same, by a hash of the abbreviation */
	pthread_mutex_t layout_lock;
	struct dwarf_handle *handle; /* see dwarf/dwarf/libdw.h */
	struct dwarf_file *alt;      /* the alternate file, or NULL; only the main file has one */
	const struct elf_image *main_image; /* the image of the main file, which the caller owns */
	struct elf_image *image; /* alternate file: the image that its sections point into */
	const void *data;        /* split file: the mapping that its sections point into */
	size_t data_size;
};

/* All files of one object: the main one first, then others in the order of opening. */
struct dwarf_files {
	pthread_mutex_t lock;      /* guards everything that is added below */
	struct dwarf_file **files; /* [DWARF_FILES_MAX] */
	size_t count;              /* atomic */
	const char *program;       /* path of the object that the debug information is of */
	/* where the initial contents of the TLS block are; the size is 0 if there is none */
	uint64_t tls_address;
	uint64_t tls_size;
	bool partial_language_known;
	uint8_t partial_language; /* language of partial units that do not give one */
	uint8_t partial_lower_bound;
	struct hash_map type_units; /* signature -> unit index of the main file */
};

#define DWARF_FILES_MAX 16384 /* references have 14 bits for the file */

/* Also opens the alternate file that the file names, because without it names and types are missing
 * everywhere. ERROR_NO_DEBUG_INFO if that file does not exist. `program`, which must outlive
 * *result, is the path of the object whose debug information the image has. */
struct error *dwarf_files_open(const struct elf_image *image, const char *program,
			       struct dwarf_files **result);
void dwarf_files_close(struct dwarf_files *files);

static inline struct dwarf_file *dwarf_files_main(const struct dwarf_files *files)
{
	return files->files[0];
}

/* Lets the kernel drop the pages of .debug_info from `start` to `end`: not needed now. */
void dwarf_file_done_with(const struct dwarf_file *file, uint64_t start, uint64_t end);
/* The same for a pass that has come to `end`: drops the pages once there are enough of them, and
 * moves *start to `end`. */
void dwarf_file_passed(const struct dwarf_file *file, uint64_t *start, uint64_t end);
/* Drops the pages of .debug_info of a large file, of which a little was read everywhere. */
void dwarf_file_done_with_roots(const struct dwarf_file *file);
/* Drops the pages of all abbreviations. */
void dwarf_file_done_with_abbrevs(const struct dwarf_file *file);
/* Drops the pages of .debug_frame. */
void dwarf_file_done_with_frames(const struct dwarf_file *file);
/* Notes that this many bytes were read, from all over the file and not to be read again soon. Once
 * they are many, drops the pages of all sections that functions and types are read from. */
void dwarf_file_was_read(struct dwarf_file *file, uint64_t bytes);

/* Bytes of a block in `unit_at`, as a shift. A kernel's units have more on average. */
#define UNIT_BLOCK_SHIFT 16

/* Finds the split unit of this DW_AT_dwo_name, or NULL. Call it under the files' lock. */
struct unit *dwarf_files_find_split(struct dwarf_files *files, struct unit *skeleton,
				    const char *name);
/* Returns the unit whose header is at an offset of its section, or NULL. */
struct unit *dwarf_file_unit_at(struct dwarf_file *file, bool in_types, uint64_t offset);
/* Returns the type unit with a signature in a split file, or NULL. */
struct unit *dwarf_file_split_type_unit(struct dwarf_file *file, uint64_t signature);
/* Returns the unit that holds the DIE of a reference, prepared, or NULL. */
struct unit *dwarf_files_unit(struct dwarf_files *files, uint64_t reference);
/* Returns the type unit with this signature, as `file` sees it, or NULL. */
struct unit *dwarf_files_type_unit(struct dwarf_files *files, struct dwarf_file *file,
				   uint64_t signature);

/* Returns the enum language of DW_LANG_*. */
uint8_t unit_language(uint64_t code);
/* Returns the lower bound of a dimension that leaves it out (DWARF 5, table 7.17). */
uint8_t unit_default_lower_bound(uint64_t code);

void unit_read(struct unit *unit);
/* Reads the unit's root DIE if that has not been done. False: it cannot be read. Thread-safe. */
static inline bool unit_prepare(struct unit *unit)
{
	if (!__atomic_load_n(&unit->prepared, __ATOMIC_ACQUIRE))
		unit_read(unit);
	return !unit->broken;
}

/* Returns the prepared unit with the DIEs: a skeleton's split unit, or itself. NULL: none. */
static inline struct unit *unit_with_dies(struct unit *unit)
{
	if (!unit_prepare(unit))
		return NULL;
	if (!unit->split)
		return unit;
	return unit_prepare(unit->split) ? unit->split : NULL;
}

static inline const struct dwarf_section_data *unit_section(const struct unit *unit)
{
	return &unit->file->sections.section[unit->in_types ? SECTION_TYPES : SECTION_INFO];
}

#define REFERENCE_FILE_SHIFT  48
#define REFERENCE_TYPES       (UINT64_C(1) << 47)
#define REFERENCE_OFFSET_MASK (REFERENCE_TYPES - 1)

static inline uint64_t unit_reference(const struct unit *unit, uint64_t offset)
{
	return (uint64_t)unit->file->index << REFERENCE_FILE_SHIFT |
	       (unit->in_types ? REFERENCE_TYPES : 0) | offset;
}
