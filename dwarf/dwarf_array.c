// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_array.h"

#include <dwarf.h>

#include "dwarf/type_table.h"

/* Elements of one dimension; 0: not known. */
static uint64_t dimension(const struct die *die)
{
	uint64_t count, upper;
	int64_t lower = 0;

	if (die_unsigned(die, SLOT_COUNT_ATTRIBUTE, &count))
		return count;
	if (!die_unsigned(die, SLOT_UPPER_BOUND, &upper))
		return 0;
	die_signed(die, SLOT_LOWER_BOUND, &lower);
	count = upper - (uint64_t)lower + 1; /* an upper bound of -1 gives 0 */
	return count > INT64_MAX ? 0 : count;
}

uint64_t dwarf_array_elements(const struct die *array, uint64_t *dimensions, uint32_t *dimension_count)
{
	struct cursor cursor = die_children(array);
	uint64_t total = 1;
	uint32_t count = 0;
	struct die die;

	while (array->has_children && die_read(array->unit, &cursor, &die) && die.tag) {
		die_skip_children(&die, &cursor);
		if (die.tag != DW_TAG_subrange_type)
			continue;

		uint64_t elements = dimension(&die);

		if (count < TYPE_MAXIMUM_DIMENSIONS)
			dimensions[count] = elements;
		count++;
		if (__builtin_mul_overflow(total, elements, &total))
			total = 0;
	}
	*dimension_count = count <= TYPE_MAXIMUM_DIMENSIONS ? count : 0;
	return count ? total : 0;
}
