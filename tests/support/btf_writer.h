/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes BTF, record by record, so that a test states exactly the types that it means, in either
 *byte order, alone or split (going on from a base). Nothing is checked: a test may ask for
 *nonsense.
 *
 *	struct btf_writer *writer = btf_writer_create(NULL, false);
 *	uint32_t number = btf_writer_integer(writer, "int", 4, BTF_INT_SIGNED);
 *	uint32_t node = btf_writer_record(writer, BTF_KIND_STRUCT, "node", 8, 1);
 *
 *	btf_writer_member(writer, "value", number, 0);
 *	bytes = btf_writer_finish(writer, &size);
 */
#ifndef DTPROF_TESTS_BTF_WRITER_H
#define DTPROF_TESTS_BTF_WRITER_H

#include <linux/btf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct btf_writer;

/* `base`, if not NULL, must be there until this one is finished. */
struct btf_writer *btf_writer_create(const struct btf_writer *base, bool other_byte_order);

/* The offset of a name, which is written once. */
uint32_t btf_writer_name(struct btf_writer *writer, const char *name);
/* The common part of any kind; its id. `name` may be NULL. What follows comes by btf_writer_word().
 */
uint32_t btf_writer_type(struct btf_writer *writer, const char *name, unsigned int kind,
			 bool kind_flag, unsigned int count, uint32_t size_or_type);
void btf_writer_word(struct btf_writer *writer, uint32_t word);

uint32_t btf_writer_integer(struct btf_writer *writer, const char *name, uint32_t size,
			    uint8_t encoding);
uint32_t btf_writer_pointer(struct btf_writer *writer, uint32_t target);
uint32_t btf_writer_array(struct btf_writer *writer, uint32_t element, uint32_t count);
/* A struct or union without flag, followed by `count` members. */
uint32_t btf_writer_record(struct btf_writer *writer, unsigned int kind, const char *name,
			   uint32_t size, unsigned int count);
void btf_writer_member(struct btf_writer *writer, const char *name, uint32_t type,
		       uint32_t bit_offset);
/* BTF_KIND_FUNC_PROTO with `count` parameters, types[] of them, without names; then BTF_KIND_FUNC,
 * whose id it is. */
uint32_t btf_writer_function(struct btf_writer *writer, const char *name, uint32_t result,
			     const uint32_t *parameters, unsigned int count);

/* The whole, to be freed by the caller; the writer is gone. */
uint8_t *btf_writer_finish(struct btf_writer *writer, size_t *size);

#endif
