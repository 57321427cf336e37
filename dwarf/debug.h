/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queries on the debug information of one object, by address and by name.
 *
 * All threads share a debug_object, which owns the type table, prototypes and globals. Each thread
 * has a debug_reader of its own, with the memory that reading needs. A reader is cheap, and reads
 * only what is asked for.
 */
#pragma once

#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"
#include "dwarf/types/type.h"
#include "base/error.h"

struct btf_losses;
struct debug_object;
struct debug_reader;

/* Opens DWARF; btf_object_open() opens BTF, companion_open() a companion. `image` is the object
 * that runs, `debug_image` the file with its .debug_* sections (the same one, or the separate debug
 * file). Both belong to the caller and must outlive the object. ERROR_NO_DEBUG_INFO: there is none.
 * ERROR_NOT_FOUND: it is in other files (.dwo, an alternate file) that do not exist. */
struct error *debug_object_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct debug_object **result);
void debug_object_close(struct debug_object *object);
/* Reads what all functions share, which otherwise happens when the first one is asked for. Others
 * need not wait if one thread calls it early. Thread-safe. */
void debug_object_prepare(struct debug_object *object);
/* Makes the object answer each question about an address from the unit of that address alone: what
 * a unit only declares stays without its definition. Must be called before the first question.
 * Reading the names of all units takes half of the time of a few questions about a kernel. */
void debug_object_separate_units(struct debug_object *object);
/* Writes the types, functions and variables of the object as the bytes of a .BTF section
 * (dwarf/btf/encode.h); `image` is the file that runs. The caller frees *data. The bytes depend on
 * nothing but the object. ERROR_UNSUPPORTED: its debug information is BTF already. */
struct error *debug_object_write_btf(struct debug_object *object, const struct elf_image *image,
				     void **data, size_t *size, struct btf_losses *losses);

struct debug_reader *debug_reader_open(struct debug_object *object);
/* Returns "dwarf", "btf" or "companion". */
const char *debug_reader_format(const struct debug_reader *reader);
void debug_reader_close(struct debug_reader *reader);

/* Returns the function whose ranges (hot or cold) hold `address`, or NULL. The caller frees it. */
struct function *debug_reader_function(struct debug_reader *reader, uint64_t address);

/* Tells, without symbols, whether the code at an address is a bulk memory function: *symbol is the
 * name of its symbol then, else NULL. False: only symbols can tell; that is so unless the debug
 * information is a companion. */
bool debug_object_bulk_symbol(struct debug_object *object, uint64_t address, const char **symbol);

/* Returns the outline of the function that holds `address`, or NULL. Allocated in `arena`. */
const struct function_outline *debug_reader_outline(struct debug_reader *reader, uint64_t address,
						    struct arena *arena);

/* Finds the function at `address` without reading it, for grouping addresses by function. *entry,
 * the start of its first range, is the same for all addresses of one function, and *size (`size`
 * may be NULL) is the bytes of all its ranges. False: there is none, or the debug information does
 * not say where it is, and debug_reader_function() knows it by its symbol. */
bool debug_reader_function_entry(struct debug_reader *reader, uint64_t address, uint64_t *entry,
				 uint64_t *size);

/* Return the prototype of the function that starts at `address`, or of a function by name (an
 * import), or NULL. The declaration in the unit of the code at `from_address` is preferred (0: no
 * unit), then the definition, then any external declaration. With `from_address` this is cheap;
 * without it all units may have to be read. */
const struct prototype *debug_reader_prototype_at(struct debug_reader *reader, uint64_t address,
						  uint64_t from_address);
const struct prototype *debug_reader_prototype_named(struct debug_reader *reader, const char *name,
						     uint64_t from_address);

/* Returns the next function of the same unit that a linker folded into the function that starts at
 * `address`, or NULL. *position is 0 at first. */
const struct prototype *debug_reader_folded_next(struct debug_reader *reader, uint64_t address,
						 size_t *position);

/* Returns the virtual function that a class of C++ declares for a slot of its virtual table,
 * counted from the first function. NULL: it declares none there (a base class may), or several. */
const struct prototype *debug_reader_virtual_method(struct debug_reader *reader,
						    const struct type *class, uint64_t slot);

/* Returns the virtual table to which the first word of the class's objects points. NULL: the class
 * is not defined, or its objects do not begin with such a pointer. */
const struct virtual_table *debug_reader_virtual_table(struct debug_reader *reader,
						       const struct type *class);
/* Returns the virtual table whose `type` this is. NULL: it is the type of something else. */
const struct virtual_table *debug_reader_virtual_table_of(struct debug_reader *reader,
							  const struct type *type);

/* Finds the variable with static storage (global, static, static local) that covers `address`. One
 * that the unit of `from_address` declares is preferred. False: there is none. */
bool debug_reader_global_at(struct debug_reader *reader, uint64_t address, uint64_t from_address,
			    struct global *result);
/* Finds the thread-local variable that covers this offset in the object's own TLS block. */
bool debug_reader_tls_at(struct debug_reader *reader, uint64_t offset, struct global *result);
/* Finds a variable by name, the unit of `from_address` first. A declaration's address is 0. */
bool debug_reader_global_named(struct debug_reader *reader, const char *name, uint64_t from_address,
			       struct global *result);

/* Finds all types that a user would call `name` ("redisObject", "struct redisObject", "robj",
 * "a::b<int>"), up to `capacity`. Returns how many there are. */
size_t debug_reader_types_named(struct debug_reader *reader, const char *name,
				const struct type **types, size_t capacity);

/* The same, without scopes ("In" of "ns::In"), and blanks ("Two<int, char *>"). */
size_t debug_reader_types_called(struct debug_reader *reader, const char *name,
				 const struct type **types, size_t capacity);

/* Returns a list of the unit of `address`: of types, casts or inner records. */
const struct type *const *debug_reader_unit_list(struct debug_reader *reader, enum unit_list list,
						 uint64_t address, size_t *count);
const struct inline_cast *debug_reader_inline_casts(struct debug_reader *reader, uint64_t address,
						    size_t *count);
const struct value_cast *debug_reader_value_casts(struct debug_reader *reader, uint64_t address,
						  size_t *count);
const struct inner_record *debug_reader_inner_records(struct debug_reader *reader, uint64_t address,
						      size_t *count);

/* Finds the inlined calls at `address`, the outermost first, without the function around them.
 * Returns how many there are, at most `capacity`. */
size_t debug_reader_inlined(struct debug_reader *reader, uint64_t address,
			    struct inlined_call *calls, size_t capacity);
/* Returns the name of file `number` in the line table of the unit of `address`, or NULL. */
const char *debug_reader_call_file(struct debug_reader *reader, uint64_t address, uint64_t number);

enum unit_types debug_reader_unit_types(struct debug_reader *reader, uint64_t address);

/* Returns the entries of all functions in the unit of `address`, sorted, allocated in `arena`. */
const uint64_t *debug_reader_unit_functions(struct debug_reader *reader, uint64_t address,
					    struct arena *arena, size_t *count);

/* Returns the type that Go's runtime describes at `word`, or its elements' or keys'; or NULL. */
const struct type *debug_reader_go_type(struct debug_reader *reader, uint64_t word,
					enum go_part part);

/* Finds the source line of an address: *file (owned by the object) and *line. False: not known. */
bool debug_reader_line(struct debug_reader *reader, uint64_t address, const char **file,
		       unsigned int *line);
/* Returns the source lines of [low, high), code of the unit of `low`, in the order of addresses;
 * the first row may begin before `low`. They are allocated in `arena`. */
const struct source_row *debug_reader_source_rows(struct debug_reader *reader, uint64_t low,
						  uint64_t high, struct arena *arena,
						  size_t *count);

/* Finds the declaration of a record. False: debug information does not say where it is. */
bool debug_reader_type_place(struct debug_reader *reader, const struct type *type,
			     struct type_place *place);

/* Goes over the types of all units, then over the functions with code whose symbol has their name,
 * then over the variables with a place as a whole, by address. A type may come several times; one
 * without a name may come only as a part of others. The order is that of the debug information, so
 * it is the same each time. False: objects of this kind cannot do it. */
bool debug_reader_each(struct debug_reader *reader, const struct debug_visitor *visitor);

/* Returns the whole paths of the source files that were compiled, without headers, each once, in
 * the order of their names. They are allocated in `arena`. */
const char *const *debug_reader_source_files(struct debug_reader *reader, struct arena *arena,
					     size_t *count);

/* Returns the CFI of [low, high), for code without a function DIE, allocated in `arena`. */
const struct frame_row *debug_reader_frame_rows(struct debug_reader *reader, uint64_t low,
						uint64_t high, struct arena *arena, size_t *count);

/* Returns the exception edges of the part that begins at `low`, in call order, in `arena`. */
const struct exception_edge *debug_reader_exception_edges(struct debug_reader *reader, uint64_t low,
							  struct arena *arena, size_t *count);
