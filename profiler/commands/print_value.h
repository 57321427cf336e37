/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bytes as the values of a type: C initializers, in the form of pahole --prettify, or JSON.
 *
 * A plan is made of the type once; it has a step for each member, so that printing many records
 * looks nothing up.
 */
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "dwarf/types/type.h"
#include "report/json.h"

struct value_step;

struct value_plan {
	struct value_step *steps;
	size_t count, capacity;
	uint64_t size;      /* of the type, in bytes */
	struct arena names; /* what lines begin with */
	size_t name_bytes;
	struct hash_map known; /* address of an enumeration's type -> index in enums */
	const struct value_enum **enums;
	size_t enum_count, enum_capacity;
};

struct value_options {
	bool hexadecimal, big_endian;
	/* The member at `named_offset` of `named_size` bytes is shown as `named`, if that is not
	 * NULL: a number that stands for the name of a record. */
	const char *named;
	uint64_t named_offset, named_size;
	/* Appends what is at the address that a pointer has, if that is known; NULL: nothing is. */
	void (*describe)(void *data, uint64_t address, struct strbuf *text);
	/* Reads memory that a record leads to, whose text is then shown in place of the record
	 * (Go's string, Rust's &str and String, C++'s std::string); returns how many bytes it could
	 * read. NULL: there is no memory. */
	size_t (*read)(void *data, uint64_t address, void *buffer, size_t size);
	void *data;
	/* Appends a remark on the member at a path ("list.next"; arrays have their name alone) at
	 * `offset` of the type to its line; NULL: there are none. */
	void (*remark)(void *data, const char *path, uint64_t offset, uint64_t size,
		       struct strbuf *text);
	/* The only member that is shown of a union that has it; NULL: all are. Of Rust's enums, the
	 * variant is shown that the discriminant tells. */
	const char *union_member;
	/* JSON as `bpftool -j map dump` writes it: bit-fields are "0x2", numbers of an enumeration
	 * have the name of one constant, members of a record without a name are in an object of the
	 * name "", and characters without a final NUL are numbers. */
	bool like_bpftool;
	/* The member "value" is a section of this name, whose variables are listed; else NULL. */
	const char *section;
};

/* Makes the plan of a type. Fails if its size is not known. */
struct error *value_plan_make(struct value_plan *plan, const struct type *type);
void value_plan_deinit(struct value_plan *plan);

/* Appends a record of `size` bytes at `data`; members beyond these are left out. */
void value_text(const struct value_plan *plan, const struct value_options *options,
		const uint8_t *data, uint64_t size, struct strbuf *text);
/* Writes it as an object, or another value, of the name (NULL in arrays). */
void value_json(const struct value_plan *plan, const struct value_options *options,
		const uint8_t *data, uint64_t size, struct json *json, const char *name);

/* Finds the integer member at a path of the type ("header.size"). False: there is none. */
bool value_find(const struct type *type, const char *path, size_t length, uint64_t *offset,
		uint64_t *size);
/* Appends up to `size` characters, those before the first NUL, as a string of C. */
void value_add_characters(struct strbuf *text, const uint8_t *data, uint64_t size);
/* Returns an unsigned number of 1 to 8 bytes. */
uint64_t value_number(const uint8_t *data, uint64_t size, bool big_endian);
