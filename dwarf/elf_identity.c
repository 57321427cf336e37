/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether a file is an ELF file that elf_image.h can read, and what it is if not. */
#include <stdio.h>
#include <string.h>

#include "dwarf/elf_image_private.h"

static struct error *what_it_is(const uint8_t *data, size_t size, const char *name)
{
	static const struct {
		const char *magic;
		size_t length;
		const char *what;
	} kinds[] = {
		{ "MZ", 2, "a PE or kernel boot image; the ELF file it was made of (vmlinux) is needed" },
		{ "\x1f\x8b", 2, "gzip-compressed" },
		{ "\xfd"
		  "7zXZ",
		  5, "xz-compressed" },
		{ "\x28\xb5\x2f\xfd", 4, "zstd-compressed" },
		{ "!<arch>\n", 8, "an archive of object files" },
		{ "#!", 2, "a script" },
		{ "PERFILE2", 8, "a perf.data file" },
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (size >= kinds[i].length && !memcmp(data, kinds[i].magic, kinds[i].length))
			return error_create(ERROR_FORMAT, "%s: not an ELF file but %s", name, kinds[i].what);
	return error_create(ERROR_FORMAT, "%s: not an ELF file", name);
}

static const char *machine_name(uint16_t machine, char *buffer, size_t size)
{
	static const struct {
		uint16_t machine;
		const char *name;
	} names[] = {
		{ EM_AARCH64, "AArch64" }, { EM_ARM, "ARM" },         { EM_RISCV, "RISC-V" },
		{ EM_PPC64, "PowerPC64" }, { EM_S390, "S/390" },      { EM_MIPS, "MIPS" },
		{ EM_BPF, "BPF" },         { EM_SPARCV9, "SPARC64" }, { EM_LOONGARCH, "LoongArch" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].machine == machine)
			return names[i].name;
	snprintf(buffer, size, "ELF machine %u", machine);
	return buffer;
}

struct error *elf_identity_check(const uint8_t *data, size_t size, const char *name)
{
	uint16_t type, machine;
	char buffer[32];

	if (size < SELFMAG || memcmp(data, ELFMAG, SELFMAG) != 0)
		return what_it_is(data, size, name);
	if (size < sizeof(Elf32_Ehdr) || (data[EI_CLASS] == ELFCLASS64 && size < sizeof(Elf64_Ehdr)))
		return error_create(ERROR_FORMAT, "%s: ends within the ELF header, at %zu bytes", name, size);
	if (data[EI_CLASS] != ELFCLASS64 && data[EI_CLASS] != ELFCLASS32)
		return error_create(ERROR_FORMAT, "%s: unknown ELF class %u", name, data[EI_CLASS]);
	if (data[EI_DATA] != ELFDATA2LSB)
		return error_create(ERROR_UNSUPPORTED, "%s: a big-endian ELF file; only x86 is supported",
				    name);
	memcpy(&type, data + offsetof(Elf64_Ehdr, e_type), sizeof(type));
	memcpy(&machine, data + offsetof(Elf64_Ehdr, e_machine), sizeof(machine));
	if (machine != EM_X86_64 && (machine != EM_386 || data[EI_CLASS] != ELFCLASS32))
		return error_create(ERROR_UNSUPPORTED, "%s: an ELF file for %s; only x86 is supported", name,
				    machine_name(machine, buffer, sizeof(buffer)));
	if (type == ET_CORE)
		return error_create(ERROR_UNSUPPORTED, "%s: a core file, not a program or library", name);
	if (type != ET_EXEC && type != ET_DYN && type != ET_REL)
		return error_create(ERROR_UNSUPPORTED, "%s: unknown ELF file type %u", name, type);
	return NULL;
}
