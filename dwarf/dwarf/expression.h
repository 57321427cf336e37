/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DWARF expressions (DWARF 5, section 2.5; the GNU operations: gcc's include/dwarf2.def).
 *
 * One machine runs all of them. Its values are symbols such as "register + constant" or "what is
 * stored at frame base + constant". The location of a variable is read off the symbol that remains.
 * Expressions of call frame information run with the registers and memory of a frame, so that all
 * symbols are constants.
 */
#pragma once

#include "dwarf/dwarf/die.h"
#include "dwarf/types/function.h"

struct arrival_list {
	struct arrival *items;
	size_t count, capacity;
};

struct passed_list {
	struct passed_word *items; /* `type` and `scope` are left to the caller */
	size_t count, capacity;
};

struct location_list {
	struct location *items;
	size_t count, capacity;
	struct arrival_list arrivals; /* if they are asked for */
	struct passed_list passed;    /* the same */
	bool with_arrivals;
	size_t limit; /* the most locations that are taken */
	size_t work;  /* entries of lists read so far, which is bounded as well */
};

/* Appends the location that the expression describes, valid in [low, high), or one for each piece
 * that has one. Nothing is appended for an empty expression (optimized out). */
void location_of_expression(const struct unit *unit, const uint8_t *expression, size_t size,
			    uint64_t low, uint64_t high, struct location_list *list);

/* Appends the fixed places (LOCATION_ADDRESS, LOCATION_TLS) that the expression describes: one for
 * the variable, or one for each of its pieces that has one. */
void location_static_places(const struct unit *unit, const uint8_t *expression, size_t size,
			    struct location_list *list);

/* Finds the offset of a member in its record from an expression that adds it to the record's
 * address (DWARF 2). False: it is not constant (a virtual base class). */
bool expression_member_offset(const struct unit *unit, const uint8_t *expression, size_t size,
			      int64_t *offset);

struct object_word {
	uint64_t offset; /* from DW_OP_push_object_address */
};

/* Lists the words of the object that an expression reads, and returns how many there are, also
 * beyond `capacity`. Those at places that are computed are left out. */
size_t expression_object_words(const uint8_t *expression, size_t size, struct object_word *words,
			       size_t capacity);

/* The registers and memory of a frame. Both functions return false for what is not known. */
struct expression_frame {
	bool (*read_register)(void *data, uint64_t number, uint64_t *value);
	bool (*read_memory)(void *data, uint64_t address, void *buffer, size_t size);
	void *data;
	uint64_t bias; /* added to addresses (DW_OP_addr) */
};

/* Computes the value of an expression of call frame information. `cfa`, if not NULL, is on the
 * stack at first. False: unknown, no such expression, or too many steps. */
bool expression_value(const uint8_t *expression, size_t size, const uint64_t *cfa,
		      const struct expression_frame *frame, uint64_t *value);
