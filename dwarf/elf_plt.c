/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PLT stubs. Their forms differ by linker and flags (lazy, -z now, IBT, retpoline), but all that call
 * something jump through a GOT slot, and the slot's relocation names what is called. The lazy half of an IBT
 * pair instead pushes the number of its relocation. Forms: x86-64 psABI, "Procedure Linkage Table"; binutils
 * bfd/elf64-x86-64.c; lld ELF/Arch/X86_64.cpp.
 */
#include <string.h>

#include "dwarf/elf_image_private.h"
#include "profiler/base/cursor.h"

#define STUB_SIZE ((uint64_t)16)

/* Take `length` bytes if they are these. */
static bool take(struct cursor *code, const char *bytes, size_t length)
{
	if (cursor_left(code) < length || memcmp(code->data + code->position, bytes, length) != 0)
		return false;
	cursor_skip(code, length);
	return true;
}

#define TAKE(code, bytes) take((code), (bytes), sizeof(bytes) - 1)

/* Whether the code of a stub, at `address`, goes through a GOT slot, or by a relocation's number. */
static bool decode(const struct elf_image *image, struct cursor code, uint64_t address,
		   struct elf_relocation *relocation)
{
	uint32_t operand;

	TAKE(&code, "\xf3\x0f\x1e\xfa"); /* endbr64 */
	if (TAKE(&code, "\x68")) {       /* push $number; then a jump to the first stub */
		operand = cursor_u32(&code);
		return !code.failed && (TAKE(&code, "\xe9") || TAKE(&code, "\xf2\xe9")) &&
		       elf_relocations_plt_entry(image, operand, relocation);
	}
	if (TAKE(&code, "\x41\xbb")) /* mov $number, %r11d: mold */
		cursor_skip(&code, 4);
	/* [bnd] jmp *slot(%rip), or mov slot(%rip), %r11 before a retpoline */
	if (!TAKE(&code, "\xff\x25") && !TAKE(&code, "\xf2\xff\x25") && !TAKE(&code, "\x4c\x8b\x1d"))
		return false;
	operand = cursor_u32(&code);
	return !code.failed &&
	       elf_image_relocation_at(image, address + code.position + (int64_t)(int32_t)operand,
				       relocation);
}

/* The first entry of a lazy PLT: push GOT[1], then jump to the dynamic linker by GOT[2]. */
static bool is_entry(struct cursor code)
{
	if (!TAKE(&code, "\xff\x35"))
		return false;
	cursor_skip(&code, 4);
	return TAKE(&code, "\xff\x25") || TAKE(&code, "\xf2\xff\x25");
}

struct stub_list {
	struct elf_stub *stubs;
	size_t count;
	size_t capacity;
};

static void add(struct stub_list *list, uint64_t address, uint32_t size, struct elf_relocation relocation)
{
	array_reserve(list->stubs, list->count, list->capacity);
	list->stubs[list->count++] =
		(struct elf_stub){ .address = address, .size = size, .relocation = relocation };
}

/* Stubs are of 8 bytes where nothing but the jump is needed (.plt.got without IBT), else of 16 or 32. */
static void scan(const struct elf_image *image, const struct elf_part *part, struct stub_list *list)
{
	struct elf_relocation relocation = { 0 };
	uint64_t position = 0;

	if (part->size >= STUB_SIZE && is_entry(cursor_of(part->contents, part->size, false))) {
		add(list, part->address, STUB_SIZE, relocation);
		position = STUB_SIZE;
	}
	while (position < part->size) {
		uint64_t left = part->size - position;
		const uint8_t *bytes = part->contents + position;
		uint64_t size = left < STUB_SIZE ? left : STUB_SIZE;

		if (left >= 8 && bytes[0] == 0xff && bytes[1] == 0x25 && bytes[6] == 0x66 && bytes[7] == 0x90)
			size = 8; /* xchg %ax,%ax: padding */
		else if (left >= 2 * STUB_SIZE && !memcmp(bytes, "\x4c\x8b\x1d", 3) && bytes[7] == 0xe8)
			size = 2 * STUB_SIZE; /* a lazy retpoline: mov, call */
		if (decode(image, cursor_of(bytes, size, false), part->address + position, &relocation))
			add(list, part->address + position, size, relocation);
		position += size;
	}
}

void elf_plt_stubs(const struct elf_image *image, struct elf_stub **stubs, size_t *count)
{
	struct stub_list list = { 0 };

	for (size_t i = 1; i < image->part_count && image->is_64 && image->type != ET_REL; i++) {
		const struct elf_part *part = &image->parts[i];

		if (part->contents && part->flags & SHF_EXECINSTR &&
		    (!strcmp(part->name, ".plt") || !strncmp(part->name, ".plt.", 5) ||
		     !strcmp(part->name, ".iplt")))
			scan(image, part, &list);
	}
	*stubs = list.stubs;
	*count = list.count;
}
