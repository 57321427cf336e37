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

	if (length && *name != *convention->name)
		return false;
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

bool thunk_at(const struct elf_image *image, uint64_t address, uint8_t *reg)
{
	const struct abi *abi = abi_of_image(image);
	size_t count;
	const struct symbol *symbols = elf_image_symbols_at(image, address, &count);
	char name[64];

	for (size_t i = 0; i < count; i++) {
		if (symbol_is_data(&symbols[i]) || !starts_with(symbols[i].name, abi->thunk_prefix))
			continue;
		*reg = REG_NONE;
		if (abi->return_thunk && !strcmp(symbols[i].name, abi->return_thunk))
			return true;
		for (*reg = 0; *reg < REG_GENERAL_COUNT; ++*reg)
			for (const char *const *format = abi->indirect_thunks; *format; format++) {
				snprintf(name, sizeof(name), *format,
					 arch_reg_name(abi->arch, *reg));
				if (*reg != abi->arch->stack_pointer &&
				    !strcmp(symbols[i].name, name))
					return true;
			}
	}
	return false;
}

/* ---- static branches */

/* struct jump_entry with CONFIG_HAVE_ARCH_JUMP_LABEL_RELATIVE (include/linux/jump_label.h): the
 * distances from each of its fields to the code and to the target, then the key. */
#define ENTRY_SIZE 16

/* Finds the list of all static branches. False if there is none. */
static bool find_list(const struct elf_image *image, uint64_t *low, uint64_t *high)
{
	struct elf_section section;

	if (!elf_image_section_named(image, "__jump_table", &section))
		return elf_image_symbol_address(image, "__start___jump_table", low) &&
		       elf_image_symbol_address(image, "__stop___jump_table", high);
	*low = section.address;
	*high = section.address + section.size;
	return true;
}

struct cfg_way static_branch_way(const struct static_branch *branch, const struct elf_image *image)
{
	size_t available;
	const uint8_t *bytes =
		branch->listed ? elf_image_bytes(image, branch->from, &available) : NULL;
	/* once a jump is patched to a nop, the instruction after it runs next */
	unsigned int jump =
		bytes && available ? abi_of_image(image)->jump_length(bytes, available) : 0;

	return (struct cfg_way){ branch->from, jump ? branch->from + jump : branch->to };
}

/* Adds an entry of the list. The code there is looked at with the function that has it: looking at
 * that of all entries would read all of a kernel's code. */
static void add_edge(struct static_branches *edges, uint64_t entry, const uint8_t *bytes)
{
	int32_t code, target;

	memcpy(&code, bytes, sizeof(code));
	memcpy(&target, bytes + sizeof(code), sizeof(target));
	array_add(edges->items, edges->count, edges->capacity) = (struct static_branch){
		entry + (uint64_t)(int64_t)code,
		entry + sizeof(code) + (uint64_t)(int64_t)target,
		true,
	};
}

COMPARISON(compare_edges, struct static_branch, ASCENDING(from) ASCENDING(to))

static void add_listed(struct static_branches *edges, const struct elf_image *image)
{
	uint64_t low, high;
	size_t available;

	if (!find_list(image, &low, &high) || low >= high)
		return;
	const uint8_t *bytes = elf_image_bytes(image, low, &available);

	if (!bytes)
		return;
	lower_to(available, high - low);
	for (size_t at = 0; available - at >= ENTRY_SIZE; at += ENTRY_SIZE)
		add_edge(edges, low + at, bytes + at);
}

void static_branches_find(struct static_branches *edges, const struct abi *abi,
			  const struct elf_image *image)
{
	edges->count = 0;
	add_listed(edges, image);
	if (abi->find_alternatives)
		abi->find_alternatives(image, edges);
	/* a kernel has thousands, few of them at one address */
	sort_by_number(edges->items, edges->count, sizeof(*edges->items),
		       offsetof(struct static_branch, from));
	sort_unless_sorted(edges->items, edges->count, sizeof(*edges->items), compare_edges);
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

const struct static_branch *static_branches_from(const struct static_branches *edges, uint64_t low,
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
