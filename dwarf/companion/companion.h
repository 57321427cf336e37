/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The companion of a build: what is known of its code and data, found once and kept in a file
 * beside it (Documentation/companion.md). It is a kind of debug information of its own:
 * debug_reader_*() ask it for types, functions, source lines and variables. What it says of
 * instructions is in sections that annotate/companion/ reads and writes.
 */
#pragma once

#include "dwarf/companion/section.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/operations.h"

/* Changes whenever a file of before cannot be read any more. */
#define COMPANION_VERSION 5

/* The end of a companion's name, after that of the object or its build id. */
#define COMPANION_SUFFIX ".dtp"

#define COMPANION_INFO ".dtprof.info"

/* The sections, and how many lanes their items have. */
/* clang-format off */
#define COMPANION_PARTS(X)                                      \
	X(COMPANION_STRINGS, ".dtprof.strings", 1)              \
	X(COMPANION_TYPES, ".dtprof.types", 1)                  \
	X(COMPANION_FUNCTIONS, ".dtprof.functions", 1)          \
	X(COMPANION_ACCESS, ".dtprof.access", ACCESS_LANES)     \
	X(COMPANION_LINES, ".dtprof.line", LINE_LANES)          \
	X(COMPANION_VARIABLES, ".dtprof.variables", 1)          \
	X(COMPANION_CALLS, ".dtprof.calls", 1)                  \
	X(COMPANION_FILES, ".dtprof.files", 1)                  \
	X(COMPANION_NAMES, ".dtprof.names", 1)                  \
	X(COMPANION_SYMBOLS, ".dtprof.symbols", SYMBOL_LANES)
/* clang-format on */

enum access_lane { ACCESS_ANSWERS, ACCESS_STEPS, ACCESS_TOKENS, ACCESS_LANES };
enum symbol_lane {
	SYMBOL_FILE,
	SYMBOL_NAMES,
	SYMBOL_VALUES,
	SYMBOL_SIZES,
	SYMBOL_KINDS,
	SYMBOL_LANES
};
enum line_lane { LINE_STEPS, LINE_LINES, LINE_CALLS, LINE_LANES };

#define COMPANION_ENUMERATOR(part, name, lanes) part,
enum companion_part { COMPANION_PARTS(COMPANION_ENUMERATOR) COMPANION_PART_COUNT };
#undef COMPANION_ENUMERATOR

/* Returns ".dtprof.types" and so on. */
const char *companion_part_name(enum companion_part part);
size_t companion_part_lanes(enum companion_part part);

struct companion;

/* Opens the companion in `file`, of the object `image`, which must outlive it. The companion owns
 * `file`, and closes it also on failure. `path` is for messages. ERROR_FORMAT: it is damaged, or of
 * another build; ERROR_UNSUPPORTED: it was written by another version. It has the answers for
 * instructions, too: annotate/ finds them by companion_of(). */
struct error *companion_open(const struct elf_image *image, struct elf_image *file,
			     const char *path, struct debug_object **result);
struct companion *companion_of(struct debug_object *object);

/* Makes functions that the reader of a companion gives have no names (NULL), which take memory and
 * time. */
void companion_reader_omit_names(struct debug_reader *reader);

/* Returns the file that the companion was opened from. */
const struct elf_image *companion_file(const struct companion *companion);

/* Returns an image with the symbols that the object had before it was stripped; NULL: the companion
 * has none. Owned by the companion. Not thread-safe. */
const struct elf_image *companion_symbols(struct companion *companion);

struct companion_section *companion_section_of(struct companion *companion,
					       enum companion_part part);
/* Returns the string of a number; NULL for 0, and where there is none. */
const char *companion_string(struct companion *companion, uint64_t number);
/* Returns the type of a number; NULL for 0, and where there is none. Thread-safe. */
const struct type *companion_type(struct companion *companion, uint64_t number);

/* The bits that tell about a run of code. */
enum {
	COMPANION_RUN_HAS_FUNCTION = 1,
	COMPANION_RUN_IS_BULK = 2,
	COMPANION_RUN_IS_SYMBOL = 4,
	COMPANION_RUN_HAS_POINTERS = 8
};
/* The kinds of items of COMPANION_NAMES. */
enum { COMPANION_TYPE_NAME, COMPANION_FUNCTION_NAME, COMPANION_VARIABLE_NAME };

/* Returns the symbol of the bulk memory function that the code at an address is, or NULL. */
const char *companion_bulk_symbol(struct companion *companion, uint64_t address);
