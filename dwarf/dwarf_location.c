// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_location.h"

#include <dwarf.h>

#include "dwarf/dwarf_expression.h"
#include "profiler/base/memory.h"

/* The next location, whose fields are to be filled in; NULL: there are enough. */
static struct location *add(struct location_list *list)
{
	if (list->count >= list->limit)
		return NULL;
	array_reserve(list->items, list->count, list->capacity);
	return &list->items[list->count++];
}

static void append(const struct expression *run, uint64_t low, uint64_t high, uint64_t piece_offset,
		   uint64_t piece_size, struct location_list *list)
{
	struct location *location = add(list);

	if (!location)
		return;
	*location = expression_location(run);
	location->low = low;
	location->high = high;
	location->piece_offset = (uint32_t)piece_offset;
	location->piece_size = (uint32_t)piece_size;
}

/* The most common expression by far: a variable is in a register. False: it is another one. */
static bool append_register(const uint8_t *expression, size_t size, uint64_t low, uint64_t high,
			    struct location_list *list)
{
	if (size != 1 || *expression < DW_OP_reg0 || *expression > DW_OP_reg31)
		return false;

	struct location *location = add(list);

	if (location)
		*location = (struct location){
			.low = low,
			.high = high,
			.kind = LOCATION_REGISTER,
			.reg = (uint8_t)(*expression - DW_OP_reg0),
			.variable = -1,
		};
	return true;
}

/* Pieces that are not whole bytes are passed over. */
static void end_piece(struct expression *run, uint64_t bits, uint64_t inner_bits, uint64_t *position,
		      uint64_t low, uint64_t high, struct location_list *list)
{
	if (run->any && bits && !((bits | inner_bits | *position) & 7) && bits <= UINT32_MAX &&
	    *position <= UINT32_MAX) {
		/* a piece that begins inside of a register is not what is at its begin */
		if (inner_bits)
			run->lost = true;
		append(run, low, high, *position / 8, bits / 8, list);
	}
	*position += bits;
	expression_start_over(run);
}

void location_of_expression(const struct unit *unit, const uint8_t *expression, size_t size, uint64_t low,
			    uint64_t high, struct location_list *list)
{
	struct expression run;
	uint64_t position = 0; /* bits */
	bool pieces = false;

	if (append_register(expression, size, low, high, list))
		return;
	/* the stack is written before it is read */
	run.unit = unit;
	run.cursor = bytes_cursor(expression, size);
	expression_start_over(&run);
	while (cursor_left(&run.cursor)) {
		unsigned int operation = cursor_u8(&run.cursor);

		if (operation == DW_OP_piece || operation == DW_OP_bit_piece) {
			uint64_t bits = cursor_uleb(&run.cursor), inner_bits = 0;

			if (operation == DW_OP_bit_piece)
				inner_bits = cursor_uleb(&run.cursor);
			else
				bits = bits > UINT32_MAX ? 0 : bits * 8;
			if (run.cursor.failed)
				return;
			end_piece(&run, bits, inner_bits, &position, low, high, list);
			pieces = true;
			continue;
		}
		run.any = true;
		if (!expression_run_operation(&run, operation)) {
			run.lost = true;
			break;
		}
	}
	if (run.cursor.failed)
		run.lost = true;
	if (run.any && !pieces)
		append(&run, low, high, 0, 0, list);
}

bool location_is_static(const struct unit *unit, const uint8_t *expression, size_t size,
			struct location *location)
{
	struct location item;
	struct location_list list = { .items = &item, .capacity = 1, .limit = 1 };

	/* Only these begin a static place; the others need not be run. */
	if (!size ||
	    (*expression != DW_OP_addr && *expression != DW_OP_addrx && *expression != DW_OP_GNU_addr_index &&
	     *expression != DW_OP_constx && *expression != DW_OP_GNU_const_index &&
	     *expression != DW_OP_const4u && *expression != DW_OP_const8u && *expression != DW_OP_constu))
		return false;
	location_of_expression(unit, expression, size, 0, UINT64_MAX, &list);
	if (list.count != 1 || item.piece_size ||
	    (item.kind != LOCATION_ADDRESS && item.kind != LOCATION_TLS))
		return false;
	*location = item;
	return true;
}
