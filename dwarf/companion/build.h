/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a companion: strings and types get numbers when they are first named, so what names them
 * decides the order, and the same calls give the same bytes.
 */
#pragma once

#include <stdio.h>

#include "dwarf/companion/companion.h"

struct companion_builder;

/* Finds the declaration of a record, as debug_reader_type_place() does. */
typedef bool (*companion_place_of)(void *data, const struct type *type, struct type_place *place);

/* Begins the companion of an object, which must outlive the builder. */
struct companion_builder *companion_builder_create(const struct elf_image *image,
						   companion_place_of place_of, void *data);
void companion_builder_destroy(struct companion_builder *builder);

/* Returns the number of a string; 0 for NULL. */
uint64_t companion_builder_string(struct companion_builder *builder, const char *string);
/* Returns the number of a type, with which all types come that it leads to; 0 for NULL. */
uint64_t companion_builder_type(struct companion_builder *builder, const struct type *type);
/* Returns the writer of a section other than those of strings and types. */
struct companion_writer *companion_builder_part(struct companion_builder *builder,
						enum companion_part part);
/* Writes the symbols of a file, which the object may be stripped of. */
void companion_builder_symbols(struct companion_builder *builder, const struct elf_image *file);
/* Writes the types named so far. Returns all, in the order of their numbers, from 1 on. */
const struct type *const *companion_builder_types(struct companion_builder *builder, size_t *count);

/* A section that others write, such as .BTF. */
struct companion_extra {
	const char *name;
	const void *bytes;
	size_t size;
};

/* Makes the file, which the caller frees, of what was written. */
void companion_builder_finish(struct companion_builder *builder,
			      const struct companion_extra *extras, size_t extra_count,
			      unsigned int threads, struct strbuf *file);
