/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes BTF record by record, in either byte order, by itself or split (its ids continue those of
 * a base). Nothing is checked, so that a test may write invalid BTF.
 *
 * 	struct btf_writer *writer = btf_writer_create(NULL, false);
 * 	uint32_t number = btf_writer_integer(writer, "int", 4, BTF_INT_SIGNED);
 * 	uint32_t node = btf_writer_record(writer, BTF_KIND_STRUCT, "node", 8, 1);
 *
 * 	btf_writer_member(writer, "value", number, 0);
 * 	bytes = btf_writer_finish(writer, &size);
 */
#pragma once

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/elf/image.h"

struct btf_writer;

/* Returns a new writer. `base` may be NULL, and must outlive the writer. */
struct btf_writer *btf_writer_create(const struct btf_writer *base, bool other_byte_order);

/* Returns the offset of a name in the strings; each name is written once. */
uint32_t btf_writer_name(struct btf_writer *writer, const char *name);
/* Adds the common part of a record and returns its id. `name` may be NULL. btf_writer_word() adds
 * the rest. */
uint32_t btf_writer_type(struct btf_writer *writer, const char *name, unsigned int kind,
			 bool kind_flag, unsigned int count, uint32_t size_or_type);
void btf_writer_word(struct btf_writer *writer, uint32_t word);

uint32_t btf_writer_integer(struct btf_writer *writer, const char *name, uint32_t size,
			    uint8_t encoding);
uint32_t btf_writer_pointer(struct btf_writer *writer, uint32_t target);
uint32_t btf_writer_array(struct btf_writer *writer, uint32_t element, uint32_t count);
/* Adds a struct or union without the kind flag, which `count` members must follow. */
uint32_t btf_writer_record(struct btf_writer *writer, unsigned int kind, const char *name,
			   uint32_t size, unsigned int count);
void btf_writer_member(struct btf_writer *writer, const char *name, uint32_t type,
		       uint32_t bit_offset);
/* Adds a BTF_KIND_FUNC_PROTO with `count` unnamed parameters of the types[], and a BTF_KIND_FUNC of
 * it, whose id it returns. */
uint32_t btf_writer_function(struct btf_writer *writer, const char *name, uint32_t result,
			     const uint32_t *parameters, unsigned int count);

/* Returns the BTF, which the caller frees, and frees the writer. */
uint8_t *btf_writer_finish(struct btf_writer *writer, size_t *size);
