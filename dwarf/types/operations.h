/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The operations that a kind of debug information implements: DWARF in dwarf/dwarf/object.c, BTF in
 * dwarf/btf/object.c. A third kind is one more table.
 *
 * dwarf/debug.h has the functions that call them, with their contracts. An operation may be NULL:
 * then the answer is "not known". Operations that set a count find it set to 0.
 */
#pragma once

#include "dwarf/types/function.h"

/* The beginnings of all that implementations allocate for an object, and for a reader of it. */
struct debug_object {
	const struct debug_operations *operations;
};

struct debug_reader {
	struct debug_object *object;
};

#define ALL_OF(...) __VA_ARGS__

/* The queries that one operation answers, and by which dwarf/debug.h has a function of the same
 * name: the result, the name, the answer of a kind without the operation, the parameters after the
 * reader, the arguments. A LIST sets *count, and its answer is NULL without the operation. */
/* clang-format off */
#define DEBUG_QUERIES(QUERY, LIST) \
	QUERY(const struct prototype *, prototype_at, NULL, (uint64_t address, uint64_t from_address), address, from_address) \
	QUERY(const struct prototype *, prototype_named, NULL, (const char *name, uint64_t from_address), name, from_address) \
	QUERY(const struct prototype *, folded_next, NULL, (uint64_t address, size_t *position), address, position) \
	QUERY(const struct prototype *, virtual_method, NULL, (const struct type *class, uint64_t slot), class, slot) \
	QUERY(const struct virtual_table *, virtual_table, NULL, (const struct type *class), class) \
	QUERY(const struct virtual_table *, virtual_table_of, NULL, (const struct type *type), type) \
	QUERY(bool, global_at, false, (uint64_t address, uint64_t from_address, struct global *result), address, from_address, result) \
	QUERY(bool, global_named, false, (const char *name, uint64_t from_address, struct global *result), name, from_address, result) \
	QUERY(bool, tls_at, false, (uint64_t offset, struct global *result), offset, result) \
	QUERY(size_t, types_named, 0, (const char *name, const struct type **types, size_t capacity), name, types, capacity) \
	QUERY(size_t, types_called, 0, (const char *name, const struct type **types, size_t capacity), name, types, capacity) \
	LIST(const uint64_t *, unit_functions, (uint64_t address, struct arena *arena, size_t *count), address, arena, count) \
	QUERY(enum unit_types, unit_types, UNIT_HAS_TYPES, (uint64_t address), address) \
	QUERY(const struct type *, go_type, NULL, (uint64_t word, enum go_part part), word, part) \
	QUERY(size_t, inlined, 0, (uint64_t address, struct inlined_call *calls, size_t capacity), address, calls, capacity) \
	QUERY(const char *, call_file, NULL, (uint64_t address, uint64_t number), address, number) \
	QUERY(bool, line, false, (uint64_t address, const char **file, unsigned int *line), address, file, line) \
	LIST(const struct source_row *, source_rows, (uint64_t low, uint64_t high, struct arena *arena, size_t *count), low, high, arena, count) \
	QUERY(bool, type_place, false, (const struct type *type, struct type_place *place), type, place) \
	LIST(const char *const *, source_files, (struct arena *arena, size_t *count), arena, count) \
	LIST(const struct frame_row *, frame_rows, (uint64_t low, uint64_t high, struct arena *arena, size_t *count), low, high, arena, count) \
	LIST(const struct exception_edge *, exception_edges, (uint64_t low, struct arena *arena, size_t *count), low, arena, count)
/* clang-format on */

struct debug_operations {
	const char *format;
	void (*close)(struct debug_object *object);
	void (*prepare)(struct debug_object *object);
	void (*separate_units)(struct debug_object *object);
	/* the reader's `object` is set by the caller; never NULL */
	struct debug_reader *(*open_reader)(void);
	void (*close_reader)(struct debug_reader *reader);
	struct function *(*function)(struct debug_reader *reader, uint64_t address);
	bool (*function_entry)(struct debug_reader *reader, uint64_t address, uint64_t *entry,
			       uint64_t *size);
	const void *(*unit_list)(struct debug_reader *reader, enum unit_list list, uint64_t address,
				 size_t *count);
	const struct function_outline *(*outline)(struct debug_reader *reader, uint64_t address,
						  struct arena *arena);
	void (*each)(struct debug_reader *reader, const struct debug_visitor *visitor);
#define QUERY_MEMBER(result, name, otherwise, parameters, ...)                                     \
	result (*name)(struct debug_reader * reader, ALL_OF parameters);
#define LIST_MEMBER(result, name, parameters, ...)                                                 \
	result (*name)(struct debug_reader * reader, ALL_OF parameters);
	DEBUG_QUERIES(QUERY_MEMBER, LIST_MEMBER)
#undef QUERY_MEMBER
#undef LIST_MEMBER
};

/* Declares a function that implements an operation: OPERATION(tls_at) dwarf_tls_at; */
#define OPERATION(name) typeof(*((struct debug_operations *)NULL)->name)
