// SPDX-License-Identifier: GPL-2.0-or-later
/* Retpolines and return thunks: see thunk.h. */
#include "annotate/thunk.h"

#include <stdio.h>
#include <stdlib.h>

#include "disasm/insn.h"
#include "profiler/base/search.h"

static void add(struct thunks *thunks, const struct elf_image *image, const char *name, uint8_t reg)
{
	const struct symbol *symbol = elf_image_symbol_named(image, name);

	if (symbol)
		thunks->items[thunks->count++] = (struct thunk){ symbol->address, reg };
}

static int compare(const void *left, const void *right)
{
	const struct thunk *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->reg < b->reg ? -1 : a->reg > b->reg;
}

void thunks_find(struct thunks *thunks, const struct elf_image *image)
{
	/* for either; with call depths accounted for (CONFIG_CALL_DEPTH_TRACKING), one for each */
	static const char *const retpolines[] = { "__x86_indirect_thunk_%s", "__x86_indirect_call_thunk_%s",
						  "__x86_indirect_jump_thunk_%s" };

	thunks->count = 0;
	add(thunks, image, "__x86_return_thunk", REG_NONE);
	for (unsigned int reg = 0; reg < REG_GENERAL_COUNT; reg++)
		for (size_t i = 0; reg != REG_RSP && i < sizeof(retpolines) / sizeof(*retpolines); i++) {
			char name[64];

			snprintf(name, sizeof(name), retpolines[i], reg_name((uint8_t)reg));
			add(thunks, image, name, (uint8_t)reg);
		}
	qsort(thunks->items, thunks->count, sizeof(*thunks->items), compare);
}

const struct thunk *thunks_at(const struct thunks *thunks, uint64_t address)
{
	size_t index = partition_point(0, thunks->count, i, thunks->items[i].address < address);

	return index < thunks->count && thunks->items[index].address == address ? &thunks->items[index]
										: NULL;
}
