// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which functions the compiler inlined at an address (DW_TAG_inlined_subroutine; DWARF 5, section 3.3.8): one
 * walk down the DIEs of the function around it, past all those that do not hold the address.
 */
#include "dwarf/dwarf_inline.h"

#include <dwarf.h>

#include "dwarf/dwarf_object.h"

static bool holds(const struct die *die, struct address_ranges *ranges, uint64_t address)
{
	if (!die_ranges(die, ranges))
		return false;
	for (size_t i = 0; i < ranges->count; i++)
		if (address >= ranges->items[i].low && address < ranges->items[i].high)
			return true;
	return false;
}

static const char *name_of(struct dwarf_files *files, const struct die *die)
{
	struct die other;
	const struct die *linked = die_integrate(files, die, SLOT_LINKAGE_NAME, &other);

	if (linked)
		return die_string(linked, SLOT_LINKAGE_NAME);

	const struct die *named = die_integrate(files, die, SLOT_NAME, &other);

	return named ? die_name(named) : NULL;
}

static struct inlined_call read_call(struct dwarf_files *files, const struct die *die)
{
	struct inlined_call call = { .name = name_of(files, die), .call_file = UINT64_MAX };

	/* files of split units are those of another line table */
	if (!die->unit->skeleton && die_unsigned(die, SLOT_CALL_LINE, &call.call_line) &&
	    !die_unsigned(die, SLOT_CALL_FILE, &call.call_file))
		call.call_file = UINT64_MAX;
	return call;
}

size_t dwarf_inlined_calls(struct debug_object *object, struct address_ranges *ranges, uint64_t address,
			   struct inlined_call *calls, size_t capacity)
{
	const struct function_entry *entry = dwarf_function_entry(object, address);
	size_t count = 0, depth = 0;
	struct cursor cursor;
	struct die die;

	ranges->work = 0;
	if (!entry || !die_at(object->files, entry->die, &die) || !die.has_children)
		return 0;
	cursor = die_children(&die);
	/* `depth` is how many lists of children are entered, each of which holds the address */
	while (count < capacity && die_read(die.unit, &cursor, &die)) {
		bool inlined = die.tag == DW_TAG_inlined_subroutine;

		if (!die.tag) {
			if (!depth--)
				break;
		} else if ((inlined || die.tag == DW_TAG_lexical_block || die.tag == DW_TAG_try_block ||
			    die.tag == DW_TAG_catch_block) &&
			   holds(&die, ranges, address)) {
			if (inlined)
				calls[count++] = read_call(object->files, &die);
			if (!die.has_children)
				break;
			depth++;
		} else {
			die_skip_children(&die, &cursor);
		}
	}
	return count;
}
