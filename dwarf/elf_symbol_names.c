/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbols by name: an open hash table that is filled once. */
#include <string.h>

#include "dwarf/elf_image_private.h"
#include "profiler/base/hash.h"

struct symbol_name_slot {
	uint64_t hash;
	const struct symbol *symbol; /* NULL: free */
};

void symbol_names_init(struct symbol_names *names, size_t symbol_count)
{
	names->capacity = 8;
	while (names->capacity <= 2 * symbol_count)
		names->capacity *= 2;
	names->slots = xcalloc(names->capacity, sizeof(*names->slots));
}

/* The slot that has `name`, or the free one where it would be. */
static struct symbol_name_slot *slot_of(const struct symbol_names *names, const char *name, uint64_t hash)
{
	size_t index = hash & (names->capacity - 1);

	for (;; index = (index + 1) & (names->capacity - 1)) {
		struct symbol_name_slot *slot = &names->slots[index];

		if (!slot->symbol || (slot->hash == hash && !strcmp(slot->symbol->name, name)))
			return slot;
	}
}

void symbol_names_add(struct symbol_names *names, const struct symbol *symbol)
{
	uint64_t hash = hash_bytes(symbol->name, strlen(symbol->name));
	struct symbol_name_slot *slot = slot_of(names, symbol->name, hash);

	if (!slot->symbol)
		*slot = (struct symbol_name_slot){ hash, symbol };
}

const struct symbol *symbol_names_find(const struct symbol_names *names, const char *name)
{
	return slot_of(names, name, hash_bytes(name, strlen(name)))->symbol;
}
