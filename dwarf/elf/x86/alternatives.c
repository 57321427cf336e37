// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Applies the alternatives of x86-64 Linux kernels: makes code look as it does in a running kernel.
 * Sections of the kernel's file list the instructions that Linux replaces when it boots:
 * .altinstructions (struct alt_instr, arch/x86/include/asm/alternative.h) and .parainstructions
 * (struct paravirt_patch_site, arch/x86/include/asm/paravirt_types.h). Only replacements that do
 * not depend on the processor are made here: alternatives that are always taken; those that all but
 * Xen PV guests take; calls through pv_ops, which become direct calls; and calls of the tracer at
 * function entries, which become nops while tracing is off (Documentation/trace/ftrace.rst). Where
 * the processor decides, the code stays as it is in the file.
 */
#include <sys/mman.h>

#include "dwarf/elf/image_private.h"
#include "base/cursor.h"
#include "base/memory.h"

/* arch/x86/include/asm/cpufeatures.h; these numbers have not changed since 2017 */
#define FEATURE_ALWAYS (3 * 32 + 21)
#define FEATURE_XENPV  (8 * 32 + 16)

#define INVERTED 1 /* a flag of an entry: it is taken if the processor lacks the feature */
#define DIRECT   2 /* the call through a pointer becomes a direct call */

#define PARAVIRT_ENTRY 16
#define INDIRECT_CALL  6 /* bytes: ff 15, displacement */
#define DIRECT_CALL    5 /* e8, displacement */
#define NOP            0x90
#define PAGE           ((uintptr_t)4096)

/* The function that is called at function entries, and its largest size if these calls are replaced
 * at boot: then it only returns. If they are not (no CONFIG_DYNAMIC_FTRACE), it calls tracers
 * itself and is longer. */
#define TRACER      "__fentry__"
#define TRACER_SIZE 32

struct alternative {
	uint64_t site, replacement;
	uint16_t feature, flags;
	uint8_t length, replacement_length;
};

struct range {
	uint64_t start, end;
};

/* The functions that are asked for, sorted by address. */
struct ranges {
	struct range *items;
	size_t count;
};

static uint8_t *code_at(const struct elf_image *image, uint64_t address, size_t size)
{
	const struct elf_part *part = elf_part_at(image, address);

	if (!part || !part->contents || !(part->flags & SHF_EXECINSTR) ||
	    size > part->size - (address - part->address))
		return NULL;
	return (uint8_t *)part->contents + (address - part->address);
}

/* Makes all code writable. The mapping is private, so pages are copied when they are written. One
 * call covers all code, because a call for each site costs more than everything else here and
 * leaves one mapping for each page that was written. Pages that were read already are unmapped
 * first, all at once: copying a mapped page interrupts all processors that run the program, and
 * copying an unmapped one interrupts none. */
static bool make_writable(struct elf_image *image)
{
	uintptr_t start = UINTPTR_MAX, end = 0;

	if (image->code_writable || image->unpacked || image->relocated ||
	    (image->mapped && image->type == ET_REL))
		return true;
	array_each (const struct elf_part, part, image->parts, image->part_count) {
		uintptr_t contents = (uintptr_t)part->contents;

		if (!contents || !(part->flags & SHF_EXECINSTR))
			continue;
		start = contents < start ? contents : start;
		end = contents + part->size > end ? contents + part->size : end;
	}
	start = start / PAGE * PAGE;
	if (!image->mapped || start >= end)
		return false;
	/* nothing has been written yet, so all of it can be read from the file again */
	(void)madvise((void *)start, end - start, MADV_DONTNEED);
	image->code_writable = !mprotect((void *)start, end - start, PROT_READ | PROT_WRITE);
	image->changed_pages = image->changed_pages ?: xcalloc(image->size / PAGE / 8 + 1, 1);
	if (!image->code_writable && image->size <= FILE_SIZE_USUAL)
		check_library_memory();
	return image->code_writable;
}

static void replace(const struct elf_image *image, uint64_t site, const uint8_t *bytes, size_t size,
		    size_t length)
{
	uint8_t *code = code_at(image, site, length);

	if (!code)
		return;
	for (size_t page = (size_t)(code - image->data) / PAGE;
	     image->changed_pages && page <= (size_t)(code + length - 1 - image->data) / PAGE;
	     page++)
		image->changed_pages[page / 8] |= (uint8_t)(1u << page % 8);
	memcpy(code, bytes, size);
	memset(code + size, NOP, length - size);
}

/* Writes the page of a byte before it is read: see make_writable(). */
static void touch(uint8_t *code)
{
	__atomic_fetch_or(code, 0, __ATOMIC_RELAXED);
}

/* Replaces call *pv_ops+x(%rip) by a call of the native function, which the pointer holds. */
static void replace_call(const struct elf_image *image, uint64_t site, uint8_t length)
{
	uint8_t *code = code_at(image, site, length);
	uint8_t call[DIRECT_CALL] = { 0xe8 };
	int32_t displacement;
	uint64_t target;

	if (!code || length < INDIRECT_CALL)
		return;
	touch(code);
	if (code[0] != 0xff || code[1] != 0x15)
		return;
	memcpy(&displacement, code + 2, sizeof(displacement));
	if (!elf_image_read(image, site + INDIRECT_CALL + (uint64_t)(int64_t)displacement, &target,
			    sizeof(target), false) ||
	    !code_at(image, target, 1))
		return;
	displacement = (int32_t)(target - (site + DIRECT_CALL));
	memcpy(call + 1, &displacement, sizeof(displacement));
	replace(image, site, call, sizeof(call), length);
}

static void replace_alternative(const struct elf_image *image,
				const struct alternative *alternative)
{
	const uint8_t *bytes =
		code_at(image, alternative->replacement, alternative->replacement_length);
	uint8_t copy[UINT8_MAX];
	int32_t displacement;

	if (alternative->flags & DIRECT) {
		replace_call(image, alternative->site, alternative->length);
		return;
	}
	if (!bytes || alternative->replacement_length > alternative->length)
		return;
	memcpy(copy, bytes, alternative->replacement_length);
	/* the displacement of a call or jump is relative to its new place */
	if (alternative->replacement_length >= DIRECT_CALL &&
	    (copy[0] == 0xe8 || copy[0] == 0xe9)) {
		memcpy(&displacement, copy + 1, sizeof(displacement));
		displacement += (int32_t)(alternative->replacement - alternative->site);
		memcpy(copy + 1, &displacement, sizeof(displacement));
	}
	replace(image, alternative->site, copy, alternative->replacement_length,
		alternative->length);
}

static bool is_in_ranges(const struct ranges *ranges, uint64_t address)
{
	size_t next = partition_point(0, ranges->count, i, ranges->items[i].start <= address);

	return next && address < ranges->items[next - 1].end;
}

/* Reads an entry: 13 bytes before Linux 5.13 (with padding), then 12, 14 since 6.3 (flags). */
static void read_alternative(const uint8_t *bytes, uint64_t address, size_t size,
			     struct alternative *result)
{
	struct cursor cursor = cursor_of(bytes, size, false);

	result->site = address + (uint64_t)(int64_t)(int32_t)cursor_u32(&cursor);
	result->replacement = address + 4 + (uint64_t)(int64_t)(int32_t)cursor_u32(&cursor);
	result->feature = cursor_u16(&cursor);
	result->flags = size == 14 ? cursor_u16(&cursor) : 0;
	if (size == 12) {
		result->flags = result->feature & 0x8000 ? INVERTED : 0;
		result->feature &= 0x7fff;
	}
	result->length = cursor_u8(&cursor);
	result->replacement_length = cursor_u8(&cursor);
}

/* Returns the entry size with which all entries make sense, or 0. */
static size_t entry_size(const struct elf_image *image, const struct elf_part *part)
{
	static const size_t sizes[] = { 12, 13, 14 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		size_t good = 0, count = part->size / sizes[i];
		struct alternative entry;

		for (; good < count; good++) {
			size_t offset = good * sizes[i];

			read_alternative(part->contents + offset, part->address + offset, sizes[i],
					 &entry);
			if (!entry.length || entry.replacement_length > entry.length ||
			    !code_at(image, entry.site, entry.length) ||
			    (entry.replacement_length &&
			     !code_at(image, entry.replacement, entry.replacement_length)))
				break;
		}
		if (good == count && part->size % sizes[i] == 0)
			return sizes[i];
	}
	return 0;
}

static bool is_taken(const struct alternative *alternative)
{
	bool inverted = alternative->flags & INVERTED;

	return (alternative->feature == FEATURE_ALWAYS && !inverted) ||
	       (alternative->feature == FEATURE_XENPV && inverted);
}

static void apply_alternatives(const struct elf_image *image, const struct ranges *ranges)
{
	const struct elf_part *part = elf_part_named(image, ".altinstructions");
	size_t size = part && part->contents ? entry_size(image, part) : 0;
	struct alternative entry;

	for (size_t offset = 0; size && offset < part->size; offset += size) {
		read_alternative(part->contents + offset, part->address + offset, size, &entry);
		if (is_taken(&entry) && is_in_ranges(ranges, entry.site))
			replace_alternative(image, &entry);
	}
}

static void replace_calls(const struct elf_image *image, const struct ranges *ranges)
{
	const struct elf_part *part = elf_part_named(image, ".parainstructions");

	for (size_t offset = 0; part && part->contents && part->size - offset >= PARAVIRT_ENTRY;
	     offset += PARAVIRT_ENTRY) {
		struct cursor cursor = cursor_of(part->contents + offset, PARAVIRT_ENTRY, false);
		uint64_t site = cursor_u64(&cursor);

		cursor_skip(&cursor, 1); /* which function */
		if (is_in_ranges(ranges, site))
			replace_call(image, site, cursor_u8(&cursor));
	}
}

static bool is_tracer(const struct elf_image *image, uint64_t address)
{
	const struct symbol *symbol = elf_image_function_at(image, address);
	uint64_t offset;
	const char *import = symbol ? NULL : elf_image_import_at(image, address, &offset);

	if (import)
		return !offset && !strcmp(import, TRACER);
	return symbol && symbol->address == address && symbol->size <= TRACER_SIZE &&
	       !strcmp(symbol->name, TRACER);
}

static void replace_entries(const struct elf_image *image, const struct ranges *ranges)
{
	static const uint8_t landing[] = { 0xf3, 0x0f, 0x1e, 0xfa };       /* endbr64 */
	static const uint8_t nothing[] = { 0x0f, 0x1f, 0x44, 0x00, 0x00 }; /* nopl 0(%rax,%rax,1) */

	for (size_t i = 0; i < ranges->count; i++) {
		uint64_t entry = ranges->items[i].start;
		uint8_t *code = code_at(image, entry, sizeof(landing));
		int32_t displacement;

		if (code && !memcmp(code, landing, sizeof(landing)))
			entry += sizeof(landing);
		code = code_at(image, entry, DIRECT_CALL);
		if (!code || code[0] != 0xe8)
			continue;
		memcpy(&displacement, code + 1, sizeof(displacement));
		if (is_tracer(image, entry + DIRECT_CALL + (uint64_t)(int64_t)displacement))
			replace(image, entry, nothing, sizeof(nothing), sizeof(nothing));
	}
}

COMPARISON(by_start, struct range, ASCENDING(start))

void elf_image_apply_alternatives(struct elf_image *image, const uint64_t *addresses, size_t count)
{
	struct ranges ranges = { 0 };
	bool writable;

	if (image->machine != EM_X86_64)
		return;
	ranges.items = xcalloc(count + 1, sizeof(*ranges.items));
	writable = make_writable(image);
	for (size_t i = 0; i < count; i++) {
		const struct symbol *symbol = elf_image_function_at(image, addresses[i]);

		if (!symbol ||
		    (ranges.count && ranges.items[ranges.count - 1].start == symbol->address))
			continue;
		ranges.items[ranges.count++] =
			(struct range){ .start = symbol->address,
					.end = symbol->address + symbol->size };
	}
	array_sort(ranges.items, ranges.count, by_start);
	/* in the kernel's order: if calls and alternatives replace one, the alternative wins */
	/* reading maps the pages around, too: first all that hold entries are written */
	for (size_t i = 0; writable && i < ranges.count; i++) {
		uint8_t *code = code_at(image, ranges.items[i].start, 1);

		if (code)
			touch(code);
	}
	if (writable) {
		replace_calls(image, &ranges);
		apply_alternatives(image, &ranges);
		replace_entries(image, &ranges);
	}
	free(ranges.items);
}
