// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zlib is left to libelf, which changes the section header in place where a file is mapped; as ours is mapped
 * read-only, it gets a copy of the one section in an ELF file of its own. zstd libelf only knows from 0.189
 * on and where it was built so, therefore that is done here.
 */
#include "dwarf/dwarf_decompress.h"

#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "profiler/base/memory.h"

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* Neither zlib (1032:1 at most) nor zstd on debug information comes near this; a header that claims more
 * lies. */
#define RATIO_MAX     2048
#define SMALL_SECTION ((size_t)1 << 20)
#define GNU_HEADER    12 /* "ZLIB" and the size as a big-endian word */

static struct error *bad(const char *file, const char *section, const char *problem)
{
	return error_create(ERROR_FORMAT, "%s: section %s does not decompress: %s", file, section, problem);
}

static bool ratio_is_possible(uint64_t whole, uint64_t compressed)
{
	return whole <= SMALL_SECTION || whole / RATIO_MAX <= compressed;
}

static struct error *decompress_zstd(const uint8_t *data, size_t size, uint64_t whole, const char *file,
				     const char *section, uint8_t **result)
{
	uint8_t *bytes = xmalloc(whole ? whole : 1);
	size_t length = ZSTD_decompress(bytes, whole, data, size);

	if (ZSTD_isError(length) || length != whole) {
		free(bytes);
		return bad(file, section, "bad zstd data");
	}
	*result = bytes;
	return NULL;
}

/* An ELF file of just this section, to be freed. */
static char *wrap(const uint8_t *data, size_t size, bool gnu, size_t *file_size)
{
	struct {
		Elf64_Ehdr header;
		Elf64_Shdr sections[2];
	} start = {
		.header = {
			.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_REL,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_shoff = sizeof(Elf64_Ehdr),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = 2,
		},
		.sections[1] = {
			.sh_type = SHT_PROGBITS,
			.sh_flags = gnu ? 0 : SHF_COMPRESSED,
			.sh_offset = sizeof(start),
			.sh_size = size,
			.sh_addralign = 8,
		},
	};
	char *file = xmalloc(sizeof(start) + size);

	memcpy(file, &start, sizeof(start));
	memcpy(file + sizeof(start), data, size);
	*file_size = sizeof(start) + size;
	return file;
}

static void elf_endp(Elf **elf)
{
	elf_end(*elf);
}

static struct error *decompress_zlib(const uint8_t *data, size_t size, bool gnu, uint64_t whole,
				     const char *file, const char *section, uint8_t **result)
{
	size_t wrapped_size;
	_cleanup_free_ char *wrapped = wrap(data, size, gnu, &wrapped_size);
	__attribute__((cleanup(elf_endp))) Elf *elf = elf_memory(wrapped, wrapped_size);
	Elf_Scn *scn = elf ? elf_getscn(elf, 1) : NULL;

	if (!scn || (gnu ? elf_compress_gnu(scn, 0, 0) : elf_compress(scn, 0, 0)) < 0)
		return bad(file, section, elf_errmsg(-1));

	Elf_Data *contents = elf_getdata(scn, NULL);

	if (!contents || contents->d_size != whole || (whole && !contents->d_buf))
		return bad(file, section, "it is not as large as it says");
	*result = xmalloc(whole ? whole : 1);
	if (whole)
		memcpy(*result, contents->d_buf, whole);
	return NULL;
}

struct error *dwarf_decompress(const uint8_t *data, size_t size, bool gnu, const char *file,
			       const char *section, uint8_t **result, size_t *result_size)
{
	Elf64_Chdr header = { .ch_type = ELFCOMPRESS_ZLIB };

	elf_version(EV_CURRENT);
	if (size < (gnu ? GNU_HEADER : sizeof(header)))
		return bad(file, section, "its header is cut off");
	if (gnu) {
		if (memcmp(data, "ZLIB", 4) != 0)
			return bad(file, section, "it does not begin with ZLIB");
		for (int i = 4; i < GNU_HEADER; i++)
			header.ch_size = header.ch_size << 8 | data[i];
	} else {
		memcpy(&header, data, sizeof(header));
	}
	if (!ratio_is_possible(header.ch_size, size))
		return error_create(ERROR_FORMAT, "%s: section %s claims %llu bytes from %zu compressed ones",
				    file, section, (unsigned long long)header.ch_size, size);
	*result_size = header.ch_size;
	switch (header.ch_type) {
	case ELFCOMPRESS_ZLIB: return decompress_zlib(data, size, gnu, header.ch_size, file, section, result);
	case ELFCOMPRESS_ZSTD:
		return decompress_zstd(data + sizeof(header), size - sizeof(header), header.ch_size, file,
				       section, result);
	}
	return error_create(ERROR_UNSUPPORTED,
			    "%s: section %s is compressed by method %u, which is not known", file, section,
			    (unsigned int)header.ch_type);
}
