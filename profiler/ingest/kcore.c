// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/ingest/kcore.h"

#include <elf.h>
#include <string.h>

#include "dwarf/elf/core.h"
#include "profiler/base/memory.h"
#include "profiler/ingest/kallsyms.h"

/* What the linker script of the kernel marks (include/asm-generic/vmlinux.lds.h,
 * arch/x86/kernel/vmlinux.lds.S). */
static const struct {
	const char *name;
	const char *low;
	const char *high;
	uint32_t type;
	uint64_t flags;
} parts[] = {
	{ ".text", "_text", "_etext", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR },
	{ ".rodata", "__start_rodata", "__end_rodata", SHT_PROGBITS, SHF_ALLOC },
	{ ".notes", "__start_notes", "__stop_notes", SHT_NOTE, SHF_ALLOC },
	{ ".orc_unwind_ip", "__start_orc_unwind_ip", "__stop_orc_unwind_ip", SHT_PROGBITS, SHF_ALLOC },
	{ ".orc_unwind", "__start_orc_unwind", "__stop_orc_unwind", SHT_PROGBITS, SHF_ALLOC },
	{ ".BTF", "__start_BTF", "__stop_BTF", SHT_PROGBITS, SHF_ALLOC },
	{ ".data..percpu", "__per_cpu_start", "__per_cpu_end", SHT_NOBITS, SHF_ALLOC | SHF_WRITE },
};

#define PARTS (sizeof(parts) / sizeof(*parts))

static struct error *find_ranges(const char *path, const char *symbols, struct core_range ranges[PARTS])
{
	struct kallsyms_mark marks[2 * PARTS];

	for (size_t i = 0; i < PARTS; i++) {
		marks[2 * i] = (struct kallsyms_mark){ .name = parts[i].low };
		marks[2 * i + 1] = (struct kallsyms_mark){ .name = parts[i].high };
	}
	RETURN_ERROR(kallsyms_find(symbols, marks, 2 * PARTS));
	if (!marks[0].address || !marks[1].address)
		return error_create(
			ERROR_PERMISSION,
			"%s does not tell where in %s the kernel's text is: kernel.kptr_restrict may hide "
			"the addresses",
			symbols, path);
	for (size_t i = 0; i < PARTS; i++)
		ranges[i] = (struct core_range){ .name = parts[i].name,
						 .low = marks[2 * i].address,
						 .high = marks[2 * i + 1].address,
						 .type = parts[i].type,
						 .flags = parts[i].flags };
	return NULL;
}

struct error *kcore_open_btf(const char *path, const char *symbols, struct elf_image **result)
{
	struct core_range ranges[PARTS];

	RETURN_ERROR(find_ranges(path, symbols, ranges));
	for (size_t i = 0; i < PARTS; i++)
		if (!strcmp(ranges[i].name, ".BTF") && ranges[i].low)
			return elf_core_open(path, &ranges[i], 1, result);
	return error_create(ERROR_NO_DEBUG_INFO, "%s: no BTF of the kernel (__start_BTF in %s)", path,
			    symbols);
}

struct error *kcore_open(const char *path, const char *symbols, struct elf_image **result)
{
	struct core_range ranges[PARTS];
	struct elf_image *image;

	RETURN_ERROR(find_ranges(path, symbols, ranges));
	RETURN_ERROR(elf_core_open(path, ranges, PARTS, &image));

	struct error *error = kallsyms_give(symbols, image);

	if (error)
		elf_image_close(image);
	else
		*result = image;
	return error;
}
