// SPDX-License-Identifier: GPL-2.0-or-later
/* The ABIs, conventions of single functions, thunks and static branches by an architecture's
 * tables: see abi.h. */
#include "annotate/facts/abi.h"
#include "annotate/policy.h"

#include <stdio.h>

#include "base/memory.h"
#include "base/text.h"

static const struct abi *const abis[] = {
	&abi_x86_64,
	&abi_arm64,
};

#define ABI_COUNT COUNT_OF(abis)

const struct abi *abi_of(const struct arch *arch)
{
	for (size_t i = 0; i < ABI_COUNT; i++)
		if (abis[i]->arch == arch)
			return abis[i];
	return NULL;
}

const struct abi *abi_of_image(const struct elf_image *image)
{
	const struct arch *arch = elf_image_arch(image);

	return abi_of(arch ? arch : arch_default());
}

const struct abi *abi_of_function(const struct abi *abi, const struct function *function)
{
	if (abi->go && language_has(function, FACT_GO_CONVENTION))
		return abi->go;
	return abi->rust && language_has(function, FACT_RUST_CONVENTION) ? abi->rust : abi;
}

/* ---- functions with conventions of their own */

static bool name_matches(const struct own_convention *convention, const char *name)
{
	size_t length = strlen(convention->name) - 1;
	char last = convention->name[length];

	if (last != '#' && last != '*')
		return strcmp(name, convention->name) == 0;
	if (strncmp(name, convention->name, length) != 0 || !name[length])
		return false;
	return last == '*' || name[length + strspn(name + length, "0123456789")] == '\0';
}

bool convention_of(const struct abi *abi, const char *name, bool kernel, uint64_t *clobbered)
{
	array_each (const struct own_convention, convention, abi->conventions,
		    abi->convention_count) {
		if (convention->kernel && !kernel)
			break;
		if (!name_matches(convention, name))
			continue;
		*clobbered = convention->clobbered;
		return true;
	}
	return false;
}

/* ---- thunks */

/* A symbol that may exist. */
struct wanted_symbol {
	char name[64];
	uint8_t reg;                 /* for thunks */
	const struct symbol *symbol; /* what elf_image_symbol_named() would return */
};

/* Finds symbols whose names begin with `prefix`. Makes one pass over all symbols: an index of all
 * their names would take twice as long. */
static void find_symbols(const struct elf_image *image, const char *prefix,
			 struct wanted_symbol *wanted, size_t wanted_count)
{
	size_t count;
	const struct symbol *symbols = elf_image_symbols(image, &count);

	for (size_t i = 0; i < count; i++) {
		/* data is told by its type alone: names are all over the file */
		if (symbol_is_data(&symbols[i]) || !starts_with(symbols[i].name, prefix))
			continue;
		for (size_t j = 0; j < wanted_count; j++)
			if (!strcmp(symbols[i].name, wanted[j].name) &&
			    (!wanted[j].symbol || (wanted[j].symbol->binding == STB_LOCAL &&
						   symbols[i].binding != STB_LOCAL)))
				wanted[j].symbol = &symbols[i];
	}
}

/* Lists the names of all thunks of the ABI. Returns how many there are. */
static size_t name_thunks(const struct abi *abi, struct wanted_symbol wanted[static THUNKS_MAX])
{
	size_t count = 0;

	if (abi->return_thunk) {
		wanted[count] = (struct wanted_symbol){ .reg = REG_NONE };
		snprintf(wanted[count++].name, sizeof(wanted->name), "%s", abi->return_thunk);
	}
	for (unsigned int reg = 0; reg < REG_GENERAL_COUNT; reg++) {
		const char *const *formats = abi->indirect_thunks;

		for (; reg != abi->arch->stack_pointer && *formats; formats++) {
			wanted[count] = (struct wanted_symbol){ .reg = (uint8_t)reg };
			snprintf(wanted[count++].name, sizeof(wanted->name), *formats,
				 arch_reg_name(abi->arch, reg));
		}
	}
	return count;
}

COMPARISON(compare_thunks, struct thunk, ASCENDING(address) ASCENDING(reg))

void thunks_find(struct thunks *thunks, const struct abi *abi, const struct elf_image *image)
{
	struct wanted_symbol wanted[THUNKS_MAX];
	size_t count = name_thunks(abi, wanted);

	find_symbols(image, abi->thunk_prefix, wanted, count);
	thunks->count = 0;
	for (size_t i = 0; i < count; i++)
		if (wanted[i].symbol)
			thunks->items[thunks->count++] =
				(struct thunk){ wanted[i].symbol->address, wanted[i].reg };
	qsort(thunks->items, thunks->count, sizeof(*thunks->items), compare_thunks);
}

const struct thunk *thunks_at(const struct thunks *thunks, uint64_t address)
{
	size_t index = partition_point(0, thunks->count, i, thunks->items[i].address < address);

	return index < thunks->count && thunks->items[index].address == address
		       ? &thunks->items[index]
		       : NULL;
}

/* ---- static branches */

/* struct jump_entry with CONFIG_HAVE_ARCH_JUMP_LABEL_RELATIVE (include/linux/jump_label.h): the
 * distances from each of its fields to the code and to the target, then the key. */
#define ENTRY_SIZE 16

/* Finds the list of all static branches. False if there is none. */
static bool find_list(const struct elf_image *image, uint64_t *low, uint64_t *high)
{
	struct wanted_symbol bounds[] = { { .name = "__start___jump_table" },
					  { .name = "__stop___jump_table" } };
	struct elf_section section;

	if (elf_image_section_named(image, "__jump_table", &section)) {
		*low = section.address;
		*high = section.address + section.size;
		return true;
	}
	find_symbols(image, "__st", bounds, COUNT_OF(bounds));
	if (!bounds[0].symbol || !bounds[1].symbol)
		return false;
	*low = bounds[0].symbol->address;
	*high = bounds[1].symbol->address;
	return true;
}

/* Returns the address of the instruction after the jump at `address`, which runs next once the jump
 * is patched to a nop; 0 if no jump is there. */
static uint64_t address_after_jump(const struct abi *abi, const struct elf_image *image,
				   uint64_t address)
{
	size_t available;
	const uint8_t *bytes = elf_image_bytes(image, address, &available);

	unsigned int length = bytes && available ? abi->jump_length(bytes, available) : 0;

	return length ? address + length : 0;
}

static void add_edge(struct static_branches *edges, const struct abi *abi,
		     const struct elf_image *image, uint64_t entry, const uint8_t *bytes)
{
	int32_t code, target;
	struct cfg_way edge;

	memcpy(&code, bytes, sizeof(code));
	memcpy(&target, bytes + sizeof(code), sizeof(target));
	edge.from = entry + (uint64_t)(int64_t)code;
	edge.to = address_after_jump(abi, image, edge.from);
	if (!edge.to)
		edge.to = entry + sizeof(code) + (uint64_t)(int64_t)target;
	array_add(edges->items, edges->count, edges->capacity) = edge;
}

COMPARISON(compare_edges, struct cfg_way, ASCENDING(from) ASCENDING(to))

static void add_listed(struct static_branches *edges, const struct abi *abi,
		       const struct elf_image *image)
{
	uint64_t low, high;
	size_t available;

	if (!find_list(image, &low, &high) || low >= high)
		return;
	const uint8_t *bytes = elf_image_bytes(image, low, &available);

	if (!bytes)
		return;
	if (available > high - low)
		available = high - low;
	for (size_t at = 0; available - at >= ENTRY_SIZE; at += ENTRY_SIZE)
		add_edge(edges, abi, image, low + at, bytes + at);
}

void static_branches_find(struct static_branches *edges, const struct abi *abi,
			  const struct elf_image *image)
{
	edges->count = 0;
	add_listed(edges, abi, image);
	if (abi->find_alternatives)
		abi->find_alternatives(image, edges);
	if (edges->count)
		qsort(edges->items, edges->count, sizeof(*edges->items), compare_edges);
}

void static_branches_deinit(struct static_branches *edges)
{
	free(edges->items);
	*edges = (struct static_branches){ 0 };
}

/* Returns how many static branches begin before `address`. */
static size_t count_before(const struct static_branches *edges, uint64_t address)
{
	return partition_point(0, edges->count, i, edges->items[i].from < address);
}

const struct cfg_way *static_branches_from(const struct static_branches *edges, uint64_t low,
					   uint64_t high, size_t *count)
{
	size_t first = count_before(edges, low), end = count_before(edges, high);

	*count = end > first ? end - first : 0;
	return *count ? &edges->items[first] : NULL;
}

/* ---- interrupts */

bool abi_enables_interrupts(const char *function)
{
	for (size_t i = 0; i < ABI_COUNT; i++)
		for (const char *const *name = abis[i]->interrupt_enablers; name && *name; name++)
			if (!strcmp(function, *name))
				return true;
	return false;
}
