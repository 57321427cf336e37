/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queries on the debug information of one object, by address and by name.
 *
 * A debug_object is shared by all threads and owns the type table, prototypes and globals. A debug_reader is
 * one thread's way into it and has the memory that reading needs; it is cheap, and reads only what is asked
 * for.
 */
#ifndef DTPROF_DWARF_DEBUG_H
#define DTPROF_DWARF_DEBUG_H

#include "dwarf/btf/btf.h"
#include "dwarf/elf/image.h"
#include "dwarf/function.h"
#include "dwarf/type.h"
#include "profiler/base/error.h"

struct debug_object;
struct debug_reader;

/*
 * `image` is the object that runs, `debug_image` the file with its .debug_* sections (the same one, or the
 * separate debug file); both stay the caller's and must outlive the object. ERROR_NO_DEBUG_INFO where there
 * is none; ERROR_NOT_FOUND where it is in other files (.dwo, what dwz made) that are not there.
 */
struct error *debug_object_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct debug_object **result);
/*
 * The same from BTF; both must outlive the object. Functions are found by the image's symbols, and have no
 * variables; there are no lines, frame rows or landing pads. ERROR_FORMAT where the BTF cannot be of this
 * object.
 */
struct error *debug_object_open_btf(const struct elf_image *image, const struct btf *btf,
				    struct debug_object **result);
void debug_object_close(struct debug_object *object);
/* "dwarf" or "btf" */
const char *debug_object_format(const struct debug_object *object);

struct error *debug_reader_open(struct debug_object *object, struct debug_reader **result);
/* Of the object that it reads: see debug_object_format(). */
const char *debug_reader_format(const struct debug_reader *reader);
void debug_reader_close(struct debug_reader *reader);

/* The function whose ranges (hot or cold) hold `address`. *result is NULL, without an error, where there is
 * none. */
struct error *debug_reader_function(struct debug_reader *reader, uint64_t address, struct function **result);

/* The range of addresses of the function at `address`: ranges[0] only, for grouping addresses by function,
 * without reading the function. False: none. *entry identifies the function: equal entries, one function. */
bool debug_reader_function_entry(struct debug_reader *reader, uint64_t address, uint64_t *entry);

/*
 * What is declared of the function that starts at `address`, or by name (an import): as the unit of the code
 * at `from_address` sees it first (0: of no unit), then as it is defined, then any external declaration.
 * Asking with `from_address` is cheap; without it all units may have to be read. NULL: nothing.
 */
const struct prototype *debug_reader_prototype_at(struct debug_reader *reader, uint64_t address,
						  uint64_t from_address);
const struct prototype *debug_reader_prototype_named(struct debug_reader *reader, const char *name,
						     uint64_t from_address);

struct global {
	const char *name;
	const struct type *type;
	uint64_t address; /* file address; of a thread-local one: offset in the TLS block */
	uint64_t size;    /* bytes, from the type, else from the symbol */
	bool thread_local_;
};

/* The static variable (global, static, static local) that covers `address`, as the unit of `from_address`
 * sees it first; false: none. */
bool debug_reader_global_at(struct debug_reader *reader, uint64_t address, uint64_t from_address,
			    struct global *result);
/* The thread-local variable that covers this offset of the object's own TLS block. */
bool debug_reader_tls_at(struct debug_reader *reader, uint64_t offset, struct global *result);
/* By name, declarations included (address 0 then), as the unit of `from_address` sees it first. */
bool debug_reader_global_named(struct debug_reader *reader, const char *name, uint64_t from_address,
			       struct global *result);

/* All types that a reader of reports would call `name` ("redisObject", "struct redisObject", "robj",
 * "a::b<int>"), up to `capacity`; returns how many there are. */
size_t debug_reader_types_named(struct debug_reader *reader, const char *name, const struct type **types,
				size_t capacity);

/* Records that the unit of `address` defines and that end in a flexible array ([], [0]): what a pointer to
 * such an array may have in front of it. Owned by the object. */
const struct type *const *debug_reader_flexible_records(struct debug_reader *reader, uint64_t address,
							size_t *count);

/* A function that was inlined. */
struct inlined_call {
	const char *name;   /* its linkage name, else its plain one; NULL: it has none. Owned by the object */
	uint64_t call_file; /* where it was called: number in the unit's line table; UINT64_MAX: not known */
	uint64_t call_line;
};

/*
 * The calls that were inlined at `address`, the outermost first; returns how many, `capacity` at most. The
 * function around them is not among them.
 */
size_t debug_reader_inlined(struct debug_reader *reader, uint64_t address, struct inlined_call *calls,
			    size_t capacity);
/* The name of a file that a call at `address` has; NULL: not known. Owned by the object. */
const char *debug_reader_call_file(struct debug_reader *reader, uint64_t address, uint64_t number);

/* An inline function with one parameter, a pointer to a record, that returns a pointer to another. */
struct inline_cast {
	const struct prototype *prototype;
	const struct type *from, *to; /* the records, canonical */
	bool declared;                /* written as an inline function; clang does not tell (false) */
};

/* Those that the unit of `address` inlines anywhere: what it casts to what (container_of, private data), even
 * where nothing else is left of the call. Owned by the object. */
const struct inline_cast *debug_reader_inline_casts(struct debug_reader *reader, uint64_t address,
						    size_t *count);

/* Source line of an address: *file (owned by the object) and *line; false: not known. */
bool debug_reader_line(struct debug_reader *reader, uint64_t address, const char **file, unsigned int *line);

/* Frame information of [low, high) alone, for code without a function DIE. Rows are written to `arena`. */
const struct frame_row *debug_reader_frame_rows(struct debug_reader *reader, uint64_t low, uint64_t high,
						struct arena *arena, size_t *count);

/* Landing pads of the part of a function that begins at `low`, in the order of its calls. Written to `arena`.
 */
const struct landing_pad *debug_reader_landing_pads(struct debug_reader *reader, uint64_t low,
						    struct arena *arena, size_t *count);

#endif
