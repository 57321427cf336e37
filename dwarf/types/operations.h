/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The operations that a kind of debug information implements: DWARF in dwarf/dwarf/object.c, BTF in
 * dwarf/btf/object.c. A third kind is one more table.
 *
 * dwarf/debug.h has the functions that call them, with their contracts. An operation may be NULL:
 * then the answer is "not known". Operations that set a count find it set to 0.
 */
#ifndef DTPROF_DWARF_TYPES_OPERATIONS_H
#define DTPROF_DWARF_TYPES_OPERATIONS_H

#include "dwarf/types/function.h"

/* The beginnings of all that implementations allocate for an object, and for a reader of it. */
struct debug_object {
	const struct debug_operations *operations;
};

struct debug_reader {
	struct debug_object *object;
};

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
	const struct prototype *(*prototype_at)(struct debug_reader *reader, uint64_t address,
						uint64_t from_address);
	const struct prototype *(*folded_next)(struct debug_reader *reader, uint64_t address,
					       size_t *position);
	const struct prototype *(*prototype_named)(struct debug_reader *reader, const char *name,
						   uint64_t from_address);
	const struct prototype *(*virtual_method)(struct debug_reader *reader,
						  const struct type *class, uint64_t slot);
	const struct virtual_table *(*virtual_table)(struct debug_reader *reader,
						     const struct type *class);
	const struct virtual_table *(*virtual_table_of)(struct debug_reader *reader,
							const struct type *type);
	bool (*global_at)(struct debug_reader *reader, uint64_t address, uint64_t from_address,
			  struct global *result);
	bool (*global_named)(struct debug_reader *reader, const char *name, uint64_t from_address,
			     struct global *result);
	bool (*tls_at)(struct debug_reader *reader, uint64_t offset, struct global *result);
	size_t (*types_named)(struct debug_reader *reader, const char *name,
			      const struct type **types, size_t capacity);
	size_t (*types_called)(struct debug_reader *reader, const char *name,
			       const struct type **types, size_t capacity);
	const void *(*unit_list)(struct debug_reader *reader, enum unit_list list, uint64_t address,
				 size_t *count);
	enum unit_types (*unit_types)(struct debug_reader *reader, uint64_t address);
	const uint64_t *(*unit_functions)(struct debug_reader *reader, uint64_t address,
					  struct arena *arena, size_t *count);
	const struct type *(*go_type)(struct debug_reader *reader, uint64_t word,
				      enum go_part part);
	size_t (*inlined)(struct debug_reader *reader, uint64_t address, struct inlined_call *calls,
			  size_t capacity);
	const char *(*call_file)(struct debug_reader *reader, uint64_t address, uint64_t number);
	bool (*line)(struct debug_reader *reader, uint64_t address, const char **file,
		     unsigned int *line);
	const struct source_row *(*source_rows)(struct debug_reader *reader, uint64_t low,
						uint64_t high, struct arena *arena, size_t *count);
	const struct function_outline *(*outline)(struct debug_reader *reader, uint64_t address,
						  struct arena *arena);
	bool (*type_place)(struct debug_reader *reader, const struct type *type,
			   struct type_place *place);
	void (*each)(struct debug_reader *reader, const struct debug_visitor *visitor);
	const char *const *(*source_files)(struct debug_reader *reader, struct arena *arena,
					   size_t *count);
	const struct frame_row *(*frame_rows)(struct debug_reader *reader, uint64_t low,
					      uint64_t high, struct arena *arena, size_t *count);
	const struct exception_edge *(*exception_edges)(struct debug_reader *reader, uint64_t low,
							struct arena *arena, size_t *count);
};

/* Declares a function that implements an operation: OPERATION(tls_at) dwarf_tls_at; */
#define OPERATION(name) typeof(*((struct debug_operations *)NULL)->name)

#endif
