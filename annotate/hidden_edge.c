// SPDX-License-Identifier: GPL-2.0-or-later
/* Static branches: see hidden_edge.h. */
#include "annotate/hidden_edge.h"

#include <stdlib.h>
#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/base/search.h"

/* struct jump_entry where CONFIG_HAVE_ARCH_JUMP_LABEL_RELATIVE is set, as on x86 since 4.19
 * (include/linux/jump_label.h): distances from where they stand to the code and its target; then the key. */
#define ENTRY_SIZE 16

#define JUMP_SHORT 0xeb
#define JUMP_NEAR  0xe9

/* Of the list of all static branches; false: there is none. */
static bool find_list(const struct elf_image *image, uint64_t *low, uint64_t *high)
{
	struct elf_section section;

	if (elf_image_section_named(image, "__jump_table", &section)) {
		*low = section.address;
		*high = section.address + section.size;
		return true;
	}
	const struct symbol *start = elf_image_symbol_named(image, "__start___jump_table");
	const struct symbol *stop = elf_image_symbol_named(image, "__stop___jump_table");

	if (!start || !stop)
		return false;
	*low = start->address;
	*high = stop->address;
	return true;
}

/* Where the jump at `address` does not lead once it is a nop; 0: it is no jump. */
static uint64_t behind_jump(const struct elf_image *image, uint64_t address)
{
	size_t available;
	const uint8_t *bytes = elf_image_bytes(image, address, &available);

	if (!bytes || !available)
		return 0;
	return *bytes == JUMP_SHORT ? address + 2 : *bytes == JUMP_NEAR ? address + 5 : 0;
}

static void add(struct hidden_edges *edges, const struct elf_image *image, uint64_t entry,
		const uint8_t *bytes)
{
	int32_t code, target;
	struct hidden_edge edge;

	memcpy(&code, bytes, sizeof(code));
	memcpy(&target, bytes + sizeof(code), sizeof(target));
	edge.from = entry + (uint64_t)(int64_t)code;
	edge.to = behind_jump(image, edge.from);
	if (!edge.to)
		edge.to = entry + sizeof(code) + (uint64_t)(int64_t)target;
	array_reserve(edges->items, edges->count, edges->capacity);
	edges->items[edges->count++] = edge;
}

static int compare(const void *left, const void *right)
{
	const struct hidden_edge *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

void hidden_edges_find(struct hidden_edges *edges, const struct elf_image *image)
{
	uint64_t low, high;
	size_t available;

	edges->count = 0;
	if (!find_list(image, &low, &high) || low >= high)
		return;
	const uint8_t *bytes = elf_image_bytes(image, low, &available);

	if (!bytes)
		return;
	if (available > high - low)
		available = high - low;
	for (size_t at = 0; available - at >= ENTRY_SIZE; at += ENTRY_SIZE)
		add(edges, image, low + at, bytes + at);
	if (edges->count)
		qsort(edges->items, edges->count, sizeof(*edges->items), compare);
}

void hidden_edges_release(struct hidden_edges *edges)
{
	free(edges->items);
	*edges = (struct hidden_edges){ 0 };
}

/* How many are from before `address`. */
static size_t before(const struct hidden_edges *edges, uint64_t address)
{
	return partition_point(0, edges->count, i, edges->items[i].from < address);
}

const struct hidden_edge *hidden_edges_from(const struct hidden_edges *edges, uint64_t low, uint64_t high,
					    size_t *count)
{
	size_t first = before(edges, low), end = before(edges, high);

	*count = end > first ? end - first : 0;
	return *count ? &edges->items[first] : NULL;
}
