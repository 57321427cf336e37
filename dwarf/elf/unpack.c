// SPDX-License-Identifier: GPL-2.0-or-later
/* Unpacks kernels, modules and sections: see image_private.h. */
#include "dwarf/elf/image_private.h"

#include <gelf.h>
#include <libelf.h>
#include <linux/btf.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "base/cursor.h"
#include "base/memory.h"

/* The highest ratio of unpacked to packed size of a kernel or module, not counting SMALL_FILE bytes
 * that any file may have. A file that claims more is damaged. */
#define RATIO_MAX  64
#define SMALL_FILE ((size_t)1 << 20)
#define STEP       ((size_t)1 << 20)
/* The largest unpacked section, in bytes. The symbols of the largest browser take half. */
#define LARGEST_SECTION ((size_t)128 << 20)

#define LZ4_MAGIC 0x184c2102u
#define LZ4_BLOCK ((size_t)8 << 20) /* of the legacy format, unpacked */

/* The bytes that have been unpacked so far. */
struct output {
	uint8_t *data;
	size_t size, capacity, limit;
};

/* Makes room for `wanted` more bytes, as far as the limit allows. Returns for how many. */
static size_t reserve(struct output *output, size_t wanted)
{
	size_t capacity = output->capacity ?: STEP;

	lower_to(wanted, output->limit - output->size);
	while (capacity - output->size < wanted)
		capacity *= 2;
	if (capacity != output->capacity) {
		output->data = xrealloc_array(output->data, capacity, 1);
		output->capacity = capacity;
	}
	return wanted;
}

static bool unpack_gzip(const uint8_t *data, size_t size, struct output *output)
{
	z_stream stream = { .next_in = (Bytef *)data, .avail_in = (uInt)size };
	int status = Z_OK;
	size_t room;

	if (size > UINT32_MAX || inflateInit2(&stream, 15 + 16) != Z_OK)
		return false;
	while (status == Z_OK && (room = reserve(output, STEP))) {
		stream.next_out = output->data + output->size;
		stream.avail_out = (uInt)room;
		status = inflate(&stream, Z_NO_FLUSH);
		output->size += room - stream.avail_out;
	}
	inflateEnd(&stream);
	return status == Z_STREAM_END;
}

static bool unpack_lzma(const uint8_t *data, size_t size, struct output *output)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status = LZMA_OK;
	size_t room;

	if (lzma_auto_decoder(&stream, (uint64_t)1 << 28, 0) != LZMA_OK)
		return false;
	stream.next_in = data;
	stream.avail_in = size;
	while (status == LZMA_OK && (room = reserve(output, STEP))) {
		stream.next_out = output->data + output->size;
		stream.avail_out = room;
		status = lzma_code(&stream, LZMA_RUN);
		output->size += room - stream.avail_out;
	}
	lzma_end(&stream);
	return status == LZMA_STREAM_END;
}

/* Unpacks all data in one piece. Unpacking a stream would need a window, and a few hostile bytes
 * can claim a large one. The size of the result may be unknown: kernels are compressed by `zstd` in
 * a pipe, which does not store it. */
static bool unpack_zstd(const uint8_t *data, size_t size, struct output *output)
{
	size_t frame = ZSTD_findFrameCompressedSize(data, size);
	unsigned long long said = ZSTD_getFrameContentSize(data, size);
	bool known = said != ZSTD_CONTENTSIZE_UNKNOWN && said != ZSTD_CONTENTSIZE_ERROR;
	size_t wanted = known ? said : 4 * size + STEP;

	if (ZSTD_isError(frame) || (known && said > output->limit))
		return false;
	for (;;) {
		size_t room = reserve(output, wanted);
		size_t unpacked = ZSTD_decompress(output->data, room, data, frame);

		if (!ZSTD_isError(unpacked)) {
			output->size = unpacked;
			return true;
		}
		if (known || room == output->limit ||
		    ZSTD_getErrorCode(unpacked) != ZSTD_error_dstSize_tooSmall)
			return false;
		wanted = 2 * room;
	}
}

/* Returns a length of LZ4: 0 to 14 in the token; or 15, and bytes that are added to it. */
static size_t lz4_length(struct cursor *cursor, unsigned int token)
{
	size_t length = token;
	uint8_t byte = 255;

	while (token == 15 && byte == 255 && !cursor->failed) {
		byte = cursor_u8(cursor);
		length += byte;
	}
	return length;
}

/* Unpacks a block, in which literals and matches take turns (lz4_Block_format.md). */
static bool unpack_lz4_block(struct cursor cursor, struct output *output)
{
	size_t start = output->size, end = start + reserve(output, LZ4_BLOCK);

	while (cursor_left(&cursor)) {
		uint8_t token = cursor_u8(&cursor);
		size_t length = lz4_length(&cursor, token >> 4);
		const uint8_t *literals = cursor_bytes(&cursor, length);

		if (!literals || length > end - output->size)
			return false;
		memcpy(output->data + output->size, literals, length);
		output->size += length;
		if (!cursor_left(&cursor))
			return true;

		size_t distance = cursor_u16(&cursor);

		length = lz4_length(&cursor, token & 15) + 4;
		if (cursor.failed || !distance || distance > output->size - start ||
		    length > end - output->size)
			return false;
		/* byte by byte: the match may overlap its own output */
		for (; length; length--, output->size++)
			output->data[output->size] = output->data[output->size - distance];
	}
	return !cursor.failed;
}

/* Unpacks the legacy format. In a boot image the unpacked size follows the blocks. */
static bool unpack_lz4(const uint8_t *data, size_t size, struct output *output)
{
	struct cursor cursor = cursor_of(data, size, false);

	cursor_u32(&cursor);
	while (cursor_left(&cursor) >= 4) {
		uint32_t length = cursor_u32(&cursor);
		const uint8_t *block;

		if (length == LZ4_MAGIC)
			continue;
		if (!cursor_left(&cursor) && length == (uint32_t)output->size)
			break;
		block = cursor_bytes(&cursor, length);
		if (!block || !unpack_lz4_block(cursor_of(block, length, false), output))
			return false;
	}
	return output->size;
}

struct format {
	const char *magic;
	size_t magic_size;
	const char *name;
	bool (*unpack)(const uint8_t *data, size_t size,
		       struct output *output); /* NULL: not supported */
};

static const struct format formats[] = {
	{ "\x1f\x8b", 2, "gzip", unpack_gzip },
	{ "\xfd"
	  "7zXZ",
	  6, "xz", unpack_lzma },
	{ "\x5d\0\0", 3, "lzma", unpack_lzma },
	{ "\x28\xb5\x2f\xfd", 4, "zstd", unpack_zstd },
	{ "\x02\x21\x4c\x18", 4, "lz4", unpack_lz4 },
	{ "\x89LZO", 4, "lzo", NULL },
	{ "BZh", 3, "bzip2", NULL },
};

static const struct format *format_of(const uint8_t *data, size_t size)
{
	return array_find(i, formats, COUNT_OF(formats),
			  size > formats[i].magic_size &&
				  !memcmp(data, formats[i].magic, formats[i].magic_size));
}

struct payload {
	const uint8_t *data; /* NULL: the file ends before its end */
	size_t size;
};

/* Finds the compressed kernel in a boot image. False: not a boot image, or one older than protocol
 * 2.08, which does not say where its kernel is. */
static bool find_payload(const uint8_t *data, size_t size, struct payload *payload)
{
	struct cursor cursor = cursor_of(data, size, false);

	cursor_skip(&cursor, 0x1f1);
	uint8_t sectors = cursor_u8(&cursor);

	cursor_skip(&cursor, 0x202 - 0x1f2);
	const void *magic = cursor_bytes(&cursor, 4);
	uint16_t version = cursor_u16(&cursor);

	cursor_skip(&cursor, 0x248 - 0x208);
	uint32_t offset = cursor_u32(&cursor), length = cursor_u32(&cursor);

	if (cursor.failed || memcmp(magic, "HdrS", 4) != 0 || version < 0x208)
		return false;
	cursor.position = 0;
	cursor_skip(&cursor, ((size_t)(sectors ?: 4) + 1) * 512);
	cursor_skip(&cursor, offset);
	*payload = (struct payload){ cursor_bytes(&cursor, length), length };
	return true;
}

static size_t limit_of(size_t size)
{
	return SMALL_FILE + size * RATIO_MAX;
}

static struct error *unpack(const struct format *format, struct payload payload, size_t limit,
			    const char *name, uint8_t **unpacked, size_t *unpacked_size)
{
	struct output output = { .limit = limit };

	errno = 0;
	if (!format->unpack(payload.data, payload.size, &output)) {
		check_library_memory();
		free(output.data);
		if (output.size == limit)
			return error_create(ERROR_FORMAT,
					    "%s: its %zu bytes of %s data make more than %zu", name,
					    payload.size, format->name, limit);
		return error_create(ERROR_FORMAT, "%s: bad %s data", name, format->name);
	}
	*unpacked = output.data;
	*unpacked_size = output.size;
	return NULL;
}

/* Returns whether the file is BTF alone, as in /sys/kernel/btf, in this machine's byte order. */
static bool is_btf(const uint8_t *data, size_t size)
{
	struct btf_header header = { 0 };

	if (size < BTF_HEADER_SIZE)
		return false;
	memcpy(&header, data, BTF_HEADER_SIZE);
	return header.magic == BTF_MAGIC && header.hdr_len >= BTF_HEADER_SIZE;
}

static bool is_elf(const uint8_t *data, size_t size)
{
	return size >= sizeof(Elf64_Ehdr) && !memcmp(data, ELFMAG, SELFMAG);
}

static bool is_bpf_object(const uint8_t *data, size_t size)
{
	Elf64_Ehdr header = { 0 };

	if (is_elf(data, size))
		memcpy(&header, data, sizeof(header));
	return header.e_machine == EM_BPF;
}

/* Sets *types to the section .BTF of an object file for BPF. Nothing else in it is of use: what
 * runs, and has samples, is code that the kernel makes of the program. */
static struct error *find_bpf_types(const uint8_t *data, size_t size, const char *name,
				    struct payload *types)
{
	Elf *elf;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names = 0;

	elf_version(EV_CURRENT);
	elf = library_memory(elf_memory((char *)data, size));
	if (elf && !elf_getshdrstrndx(elf, &names))
		while ((section = elf_nextscn(elf, section))) {
			const char *found = gelf_getshdr(section, &header)
						    ? elf_strptr(elf, names, header.sh_name)
						    : NULL;

			if (found && !strcmp(found, ".BTF") && header.sh_offset <= size &&
			    header.sh_size <= size - header.sh_offset)
				*types =
					(struct payload){ data + header.sh_offset, header.sh_size };
		}
	elf_end(elf);
	if (is_btf(types->data, types->size))
		return NULL;
	return error_create(ERROR_FORMAT,
			    "%s: an object file for BPF without types: build it with -g", name);
}

/* Makes an ELF file of this machine with the bytes as its section .BTF, and without code. */
static void wrap_btf(const uint8_t *data, size_t size, uint8_t **file, size_t *file_size)
{
	struct elf_composition elf = { 0 };
	Elf64_Shdr section = { .sh_type = SHT_PROGBITS, .sh_size = size };
	size_t at = elf_composition_add(&elf, ".BTF", &section);

	memcpy(elf.data + at, data, size);
	elf_composition_finish(&elf, ET_EXEC, arch_default()->elf_machine);
	*file = elf.data;
	*file_size = elf.size;
}

struct error *elf_unpack(const uint8_t *data, size_t size, const char *name, uint8_t **unpacked,
			 size_t *unpacked_size)
{
	struct payload payload = { data, size };
	bool is_boot_image;

	*unpacked = NULL;
	if (is_bpf_object(data, size) || is_btf(data, size)) {
		if (is_bpf_object(data, size))
			RETURN_ERROR(find_bpf_types(data, size, name, &payload));
		wrap_btf(payload.data, payload.size, unpacked, unpacked_size);
		return NULL;
	}
	is_boot_image = !is_elf(data, size) && find_payload(data, size, &payload);
	if (is_boot_image && !payload.data)
		return error_create(
			ERROR_FORMAT,
			"%s: a boot image that is cut off: the kernel in it goes on beyond "
			"its %zu bytes",
			name, size);

	const struct format *format = format_of(payload.data, payload.size);

	if (!format && is_boot_image)
		return error_create(ERROR_UNSUPPORTED,
				    "%s: a boot image that is compressed in an unknown way: "
				    "unpack it with the kernel's scripts/extract-vmlinux",
				    name);
	if (!format)
		return NULL;
	if (!format->unpack)
		return error_create(ERROR_UNSUPPORTED,
				    "%s is compressed with %s, which is not known here: unpack "
				    "it first (a kernel with its scripts/extract-vmlinux)",
				    name, format->name);
	return unpack(format, payload, limit_of(payload.size), name, unpacked, unpacked_size);
}

struct error *elf_unpack_section(const uint8_t *data, size_t size, const char *name,
				 uint8_t **unpacked, size_t *unpacked_size)
{
	const struct format *format = format_of(data, size);
	size_t limit = limit_of(size) < LARGEST_SECTION ? limit_of(size) : LARGEST_SECTION;

	*unpacked = NULL;
	if (!format || strcmp(format->name, "xz") != 0)
		return error_create(ERROR_FORMAT, "%s: not compressed with xz", name);
	return unpack(format, (struct payload){ data, size }, limit, name, unpacked, unpacked_size);
}

bool elf_is_packed(const uint8_t *data, size_t size)
{
	struct payload payload;

	return is_bpf_object(data, size) || find_payload(data, size, &payload) ||
	       format_of(data, size);
}
