/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Shared by the files that read a companion. */
#pragma once

#include "dwarf/companion/companion.h"
#include "dwarf/companion/lines.h"
#include "dwarf/types/type_table.h"

/* The parts of a type's item, as bits; in this order. */
enum companion_type_has {
	TYPE_HAS_NAME = 1,
	TYPE_HAS_SIZE = 2,
	TYPE_HAS_ALIGNMENT = 4,
	TYPE_HAS_TARGET = 8,
	TYPE_HAS_QUALIFIER = 16,
	TYPE_HAS_COUNT = 32,
	TYPE_HAS_DIMENSIONS = 64,
	TYPE_HAS_PARAMETERS = 128,
	TYPE_HAS_PLACE = 256,
	TYPE_HAS_DETAIL = 512, /* members and virtual bases, or enumerators */
};

/* The same of a member; its offset, name and type come first. */
enum companion_member_has {
	MEMBER_HAS_BITS = 1,
	MEMBER_HAS_SIZE = 2,
	MEMBER_HAS_ALIGNMENT = 4,
	MEMBER_HAS_DISCRIMINANT = 8,
	MEMBER_IS_BASE = 16,
	MEMBER_IS_ARTIFICIAL = 32,
	MEMBER_IS_VARIANT = 64,
};

struct companion {
	struct debug_object base;
	const struct elf_image *image;
	struct elf_image *file;
	struct companion_section sections[COMPANION_PART_COUNT];
	struct companion_unpacker unpacker; /* theirs */
	struct elf_image *symbols;          /* NULL: none */
	uint8_t *symbol_file;               /* its bytes */
	struct type_table *table;
	const struct type **types;          /* by number; atomic; NULL: not loaded */
	uint64_t type_count;                /* numbers are below it */
	uint64_t loading[TYPE_NESTING_MAX]; /* numbers of the types that are being loaded */
	size_t loading_count;
};

/* From an address on, code is of this line in this inlined call. */
struct companion_line {
	uint64_t address;
	uint64_t file; /* string */
	uint32_t line;
	uint32_t site;
};

/* The source lines and the inlined calls of the run that was asked for last. */
struct companion_lines {
	struct companion_span span;
	struct companion_line *rows;
	size_t count, capacity;
	struct line_site *sites;
	size_t site_count, site_capacity;
};

struct companion_reader {
	struct debug_reader base;
	struct companion_lines lines;
	bool nameless; /* its functions get no names */
};

struct companion *companion_of_reader(const struct debug_reader *reader);

void companion_types_init(struct companion *companion);
void companion_types_deinit(struct companion *companion);

void companion_lines_deinit(struct companion_lines *lines);

/* Operations of struct debug_operations. */
bool companion_line_at(struct debug_reader *reader, uint64_t address, const char **file,
		       unsigned int *line);
size_t companion_inlined_at(struct debug_reader *reader, uint64_t address,
			    struct inlined_call *calls, size_t capacity);
size_t companion_types_named(struct debug_reader *reader, const char *name,
			     const struct type **types, size_t capacity);
size_t companion_types_called(struct debug_reader *reader, const char *name,
			      const struct type **types, size_t capacity);
bool companion_type_place(struct debug_reader *reader, const struct type *type,
			  struct type_place *place);
