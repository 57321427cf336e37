// SPDX-License-Identifier: GPL-2.0-or-later
/* Sections and segments by address, and the bytes in them. */
#include <string.h>

#include "dwarf/elf/image_private.h"
#include "profiler/base/text.h"

#define PAGE_SIZE ((uint64_t)4096)

struct section_place {
	uint64_t address;
	uint32_t index;
};

static int compare_places(const void *left, const void *right)
{
	const struct section_place *a = left, *b = right;

	COMPARE(a->address, b->address);
	return a->index < b->index ? -1 : a->index > b->index;
}

/* .tbss takes up no addresses: the section after it begins at the same one. */
static bool takes_addresses(const struct elf_part *part)
{
	return part->flags & SHF_ALLOC && part->size && part->size <= UINT64_MAX - part->address &&
	       !(part->flags & SHF_TLS && part->type == SHT_NOBITS);
}

void elf_sections_sort(struct elf_image *image)
{
	_cleanup_free_ struct section_place *places =
		xcalloc(image->part_count + 1, sizeof(*places));
	size_t count = 0;

	for (size_t i = 1; i < image->part_count; i++)
		if (takes_addresses(&image->parts[i]))
			places[count++] = (struct section_place){ image->parts[i].address, i };
	qsort(places, count, sizeof(*places), compare_places);
	image->by_address = xcalloc(count + 1, sizeof(*image->by_address));
	image->by_address_count = count;
	for (size_t i = 0; i < count; i++)
		image->by_address[i] = places[i].index;
}

const struct elf_part *elf_part_at(const struct elf_image *image, uint64_t address)
{
	size_t next = partition_point(0, image->by_address_count, i,
				      image->parts[image->by_address[i]].address <= address);

	if (!next)
		return NULL;
	const struct elf_part *part = &image->parts[image->by_address[next - 1]];

	return address - part->address < part->size ? part : NULL;
}

static void describe(const struct elf_part *part, struct elf_section *result)
{
	*result = (struct elf_section){
		.name = part->name,
		.address = part->address,
		.size = part->size,
		.executable = part->flags & SHF_EXECINSTR,
		.writable = part->flags & SHF_WRITE,
		.thread_local_ = part->flags & SHF_TLS,
		.per_cpu = starts_with(part->name, ".data..percpu"),
	};
}

bool elf_image_section_at(const struct elf_image *image, uint64_t address,
			  struct elf_section *result)
{
	const struct elf_part *part = elf_part_at(image, address);

	if (part)
		describe(part, result);
	return part;
}

bool elf_image_section_named(const struct elf_image *image, const char *name,
			     struct elf_section *result)
{
	const struct elf_part *part = elf_part_named(image, name);

	if (part)
		describe(part, result);
	return part;
}

/* True if `segment` holds `address` and the file has its contents; *available is how many bytes
 * there are from there. For files without section headers. */
static bool segment_holds(const struct elf_image *image, const struct elf_segment *segment,
			  uint64_t address, size_t *available)
{
	uint64_t size = segment->file_size;

	if (segment->type != PT_LOAD || segment->offset > image->size)
		return false;
	if (size > image->size - segment->offset)
		size = image->size - segment->offset;
	if (address < segment->address || address - segment->address >= size)
		return false;
	*available = size - (address - segment->address);
	return true;
}

const uint8_t *elf_image_bytes(const struct elf_image *image, uint64_t address, size_t *available)
{
	const struct elf_part *part = elf_part_at(image, address);

	if (part) {
		if (!part->contents)
			return NULL;
		*available = part->size - (address - part->address);
		return part->contents + (address - part->address);
	}
	if (image->part_count)
		return NULL;
	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (segment_holds(image, segment, address, available))
			return image->data + segment->offset + (address - segment->address);
	}
	return NULL;
}

const uint8_t *elf_image_code(const struct elf_image *image, uint64_t address, size_t *available)
{
	return elf_image_arch(image) ? elf_image_bytes(image, address, available) : NULL;
}

/* True if [address, address + size) is within [start, start + length). */
static bool within(uint64_t address, size_t size, uint64_t start, uint64_t length)
{
	return address >= start && size <= length && address - start <= length - size;
}

static bool is_relro(const struct elf_image *image, const struct elf_part *part, uint64_t address,
		     size_t size)
{
	if (image->type == ET_REL)
		return starts_with(part->name, ".data.rel.ro");
	for (size_t i = 0; i < image->segment_count; i++)
		if (image->segments[i].type == PT_GNU_RELRO &&
		    within(address, size, image->segments[i].address,
			   image->segments[i].memory_size))
			return true;
	return false;
}

/* True if no program changes these bytes, which are all in `part`. The kernel's .rodata is flagged
 * writable because of variables in it that only the kernel's initialization writes
 * (include/asm-generic/vmlinux.lds.h, RO_DATA). */
static bool is_constant(const struct elf_image *image, const struct elf_part *part,
			uint64_t address, size_t size)
{
	uint64_t start, end;

	if (!(part->flags & SHF_WRITE) || is_relro(image, part, address, size))
		return true;
	if (image->type == ET_REL || strcmp(part->name, ".rodata") != 0)
		return false;
	elf_symbols_init_written(image, &start, &end);
	return start < end && (address >= end || address + size <= start);
}

/* Reads a constant that a relocation fills in. It is known if it is an address in this object and
 * the caller asks for all of it. In relocatable files it has been filled in already. */
static bool read_relocated(const struct elf_image *image, uint64_t address, void *buffer,
			   size_t size)
{
	struct elf_relocation relocation;
	const char *name;
	uint64_t target;

	if (image->type == ET_REL) {
		if (!elf_image_relocation_at(image, address, &relocation) || !relocation.defined)
			return false;
		return elf_image_read(image, address, buffer, size, false);
	}
	if (size != sizeof(target) || !elf_image_slot(image, address, &name, &target) || !target)
		return false;
	memcpy(buffer, &target, sizeof(target));
	return true;
}

bool elf_image_read(const struct elf_image *image, uint64_t address, void *buffer, size_t size,
		    bool constant)
{
	const struct elf_part *part;
	size_t available = 0;
	const uint8_t *bytes = elf_image_bytes(image, address, &available);

	if (!bytes || size > available)
		return false;
	if (constant) {
		part = elf_part_at(image, address);
		if (!part || !is_constant(image, part, address, size))
			return false;
		if (elf_relocations_touch(image, address, size))
			return read_relocated(image, address, buffer, size);
	}
	memcpy(buffer, bytes, size);
	return true;
}

static bool offset_in_segments(const struct elf_image *image, uint64_t offset, bool executable,
			       uint64_t *address)
{
	/* first the segments themselves, then the pages that they share with their neighbours */
	for (unsigned int rounded = 0; rounded < 2; rounded++) {
		for (size_t i = 0; i < image->segment_count; i++) {
			const struct elf_segment *segment = &image->segments[i];
			uint64_t before = rounded ? segment->offset % PAGE_SIZE : 0;
			uint64_t size = segment->file_size;

			if (segment->type != PT_LOAD ||
			    ((segment->flags & PF_X) != 0) != executable ||
			    before > segment->address || size > UINT64_MAX - 2 * PAGE_SIZE)
				continue;
			size += before;
			if (rounded)
				size = (size + PAGE_SIZE - 1) / PAGE_SIZE * PAGE_SIZE;
			if (offset < segment->offset - before ||
			    offset - (segment->offset - before) >= size)
				continue;
			*address =
				segment->address - before + (offset - (segment->offset - before));
			return true;
		}
	}
	return false;
}

bool elf_image_offset_to_address(const struct elf_image *image, uint64_t offset, uint64_t *address)
{
	for (size_t i = 1; image->type == ET_REL && i < image->part_count; i++) {
		const struct elf_part *part = &image->parts[i];

		if (!part->contents || !(part->flags & SHF_EXECINSTR) ||
		    offset < (uint64_t)(part->contents - image->data) ||
		    offset - (uint64_t)(part->contents - image->data) >= part->size)
			continue;
		*address = part->address + (offset - (uint64_t)(part->contents - image->data));
		return true;
	}
	return offset_in_segments(image, offset, true, address);
}

bool elf_image_offset_to_data(const struct elf_image *image, uint64_t offset, uint64_t *address)
{
	return offset_in_segments(image, offset, false, address) ||
	       elf_image_offset_to_address(image, offset, address);
}

bool elf_image_span(const struct elf_image *image, uint64_t address, uint64_t *start, uint64_t *end)
{
	const uint64_t near = UINT64_C(1) << 31;
	bool found = false;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = &image->segments[i];
		uint64_t last = segment->address + segment->memory_size;
		uint64_t apart = segment->address > address ? segment->address - address
							    : address - segment->address;

		if (segment->type != PT_LOAD || last < segment->address || apart >= near)
			continue;
		if (!found || segment->address < *start)
			*start = segment->address;
		if (!found || last > *end)
			*end = last;
		found = true;
	}
	return found;
}

bool elf_image_code_segment(const struct elf_image *image, uint64_t *address, uint64_t *size)
{
	const struct elf_segment *found = NULL;

	for (size_t i = 0; i < image->segment_count; i++) {
		const struct elf_segment *segment = &image->segments[i];

		if (segment->type != PT_LOAD || !(segment->flags & PF_X) || !segment->memory_size)
			continue;
		if (found || segment->memory_size > UINT64_MAX - PAGE_SIZE)
			return false;
		found = segment;
	}
	if (!found)
		return false;
	*address = found->address / PAGE_SIZE * PAGE_SIZE;
	*size = found->memory_size + found->address % PAGE_SIZE;
	return true;
}

bool elf_image_tls_segment(const struct elf_image *image, uint64_t *size, uint64_t *alignment)
{
	for (size_t i = 0; i < image->segment_count; i++) {
		if (image->segments[i].type != PT_TLS)
			continue;
		*size = image->segments[i].memory_size;
		*alignment = image->segments[i].alignment ? image->segments[i].alignment : 1;
		return true;
	}
	return false;
}
