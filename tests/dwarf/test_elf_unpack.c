// SPDX-License-Identifier: GPL-2.0-or-later
/* Files that are compressed within others: each known format gives the original bytes, and broken
 * input gives an error. */
#include "tests/support/unit.h"

#include <linux/btf.h>
#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "dwarf/elf/image_private.h"
#include "base/memory.h"
#include "tests/support/elf_writer.h"

#define CONTENT_SIZE ((size_t)60000)
#define PACKED_SIZE  ((size_t)120000) /* more than any of the formats needs for it */

/* Returns bytes that compress, but not to nothing. */
static uint8_t *make_content(void)
{
	uint8_t *content = xmalloc(CONTENT_SIZE);

	for (size_t i = 0; i < CONTENT_SIZE; i++)
		content[i] = (uint8_t)(i * 2654435761u >> 27) & (uint8_t)(i >> 8);
	return content;
}

static size_t pack_gzip(const uint8_t *content, uint8_t *packed)
{
	z_stream stream = { .next_in = (Bytef *)content,
			    .avail_in = CONTENT_SIZE,
			    .next_out = packed,
			    .avail_out = PACKED_SIZE };

	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}

static size_t pack_xz(const uint8_t *content, uint8_t *packed)
{
	size_t size = 0;

	assert_int_equal(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC32, NULL, content, CONTENT_SIZE,
						 packed, &size, PACKED_SIZE),
			 LZMA_OK);
	return size;
}

static size_t pack_lzma(const uint8_t *content, uint8_t *packed)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_options_lzma options;

	assert_false(lzma_lzma_preset(&options, 6));
	assert_int_equal(lzma_alone_encoder(&stream, &options), LZMA_OK);
	stream.next_in = content;
	stream.avail_in = CONTENT_SIZE;
	stream.next_out = packed;
	stream.avail_out = PACKED_SIZE;
	assert_int_equal(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
	lzma_end(&stream);
	return PACKED_SIZE - stream.avail_out;
}

static size_t pack_zstd(const uint8_t *content, uint8_t *packed)
{
	size_t size = ZSTD_compress(packed, PACKED_SIZE, content, CONTENT_SIZE, 19);

	assert_false(ZSTD_isError(size));
	return size;
}

/* Packs as `zstd --ultra -22 --long=31` does in a pipe: the size is not stored, and the window is
 * the largest. */
static size_t pack_zstd_in_pipe(const uint8_t *content, uint8_t *packed)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_outBuffer out = { packed, PACKED_SIZE, 0 };

	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
	for (size_t done = 0; done < CONTENT_SIZE; done += CONTENT_SIZE / 2) {
		ZSTD_inBuffer in = { content + done, CONTENT_SIZE / 2, 0 };

		assert_false(
			ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_continue)));
		assert_int_equal(in.pos, in.size);
	}
	assert_int_equal(ZSTD_compressStream2(context, &out, &(ZSTD_inBuffer){ 0 }, ZSTD_e_end), 0);
	ZSTD_freeCCtx(context);
	assert_true(ZSTD_getFrameContentSize(packed, out.pos) == ZSTD_CONTENTSIZE_UNKNOWN);
	return out.pos;
}

struct format {
	const char *name;
	size_t (*pack)(const uint8_t *content, uint8_t *packed);
};

static const struct format formats[] = {
	{ "gzip", pack_gzip },         { "xz", pack_xz },
	{ "lzma", pack_lzma },         { "zstd", pack_zstd },
	{ "zstd", pack_zstd_in_pipe },
};

#define FORMAT_COUNT (sizeof(formats) / sizeof(*formats))

static void expect_content(const uint8_t *packed, size_t packed_size, const uint8_t *content,
			   size_t size)
{
	_cleanup_free_ uint8_t *unpacked = NULL;
	size_t unpacked_size;

	assert_null(elf_unpack(packed, packed_size, "file", &unpacked, &unpacked_size));
	assert_int_equal(unpacked_size, size);
	assert_memory_equal(unpacked, content, size);
}

static void expect_error(const uint8_t *packed, size_t packed_size, const char *text)
{
	uint8_t *unpacked;
	size_t unpacked_size;
	struct error *error = elf_unpack(packed, packed_size, "file", &unpacked, &unpacked_size);

	assert_non_null(error);
	assert_non_null(strstr(error->message, text));
	assert_null(unpacked);
	error_destroy(error);
}

static void unpacking_gives_the_original_bytes(void **state)
{
	_cleanup_free_ uint8_t *content = make_content(), *packed = xmalloc(PACKED_SIZE);

	(void)state;
	for (size_t i = 0; i < FORMAT_COUNT; i++)
		expect_content(packed, formats[i].pack(content, packed), content, CONTENT_SIZE);
}

/* lz4's legacy format has literals, a match that overlaps itself and has further bytes of length,
 * and two blocks. */
static void lz4_is_unpacked(void **state)
{
	static const uint8_t packed[] = "\x02\x21\x4c\x18"
					"\x0f\0\0\0"
					"\x4f"
					"abcd"
					"\x04\0\x03"
					"\x60"
					"uvwxyz"
					"\x04\0\0\0"
					"\x30"
					"end";
	static const char content[] = "abcdabcdabcdabcdabcdabcdabuvwxyzend";

	(void)state;
	expect_content(packed, sizeof(packed) - 1, (const uint8_t *)content, sizeof(content) - 1);
	expect_error(packed, sizeof(packed) - 2, "bad lz4 data");
}

/* The kernel follows its set-up code, which has one sector here
 * (Documentation/arch/x86/boot.rst). */
static void the_kernel_in_a_boot_image_is_found(void **state)
{
	enum { SETUP = 2 * 512, OFFSET = 0x40 };
	_cleanup_free_ uint8_t *content = make_content(), *packed = xmalloc(PACKED_SIZE);

	(void)state;
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		uint32_t size = (uint32_t)formats[i].pack(content, packed), offset = OFFSET;
		_cleanup_free_ uint8_t *image = xcalloc(SETUP + OFFSET + size + 4, 1);

		image[0x1f1] = 1;
		memcpy(image + 0x202, "HdrS\x0f\x02", 6);
		memcpy(image + 0x248, &offset, sizeof(offset));
		memcpy(image + SETUP + OFFSET, packed, size);
		/* the kernel's build appends the size to formats that do not end with it */
		memcpy(image + SETUP + OFFSET + size, &(uint32_t){ CONTENT_SIZE }, 4);
		size += 4;
		memcpy(image + 0x24c, &size, sizeof(size));
		expect_content(image, SETUP + OFFSET + size, content, CONTENT_SIZE);
		expect_error(image, SETUP + OFFSET + size - 1, "cut off");
	}
}

static void truncated_data_are_errors(void **state)
{
	_cleanup_free_ uint8_t *content = make_content(), *packed = xmalloc(PACKED_SIZE);

	(void)state;
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		size_t size = formats[i].pack(content, packed);

		for (size_t part = 1; part < 8; part++)
			expect_error(packed, size * part / 8, formats[i].name);
	}
	expect_error((const uint8_t *)"\x89LZO\0\r\n\x1a\n", 9, "lzo");
}

/* A frame of a few bytes that asks for a window of gigabytes, and one that claims to hold them. */
static void claimed_sizes_take_no_memory(void **state)
{
	(void)state;
	expect_error((const uint8_t *)"\x28\xb5\x2f\xfd\0\xa0\xa0\xa0\0\0", 10, "bad zstd data");
	expect_error((const uint8_t *)"\x28\xb5\x2f\xfd\xe0\0\0\0\0\x01\0\0\0\x01\0\0", 16,
		     "bad zstd data");
}

/* A section can have only this format, and no boot image. */
static void a_section_is_of_xz_alone(void **state)
{
	_cleanup_free_ uint8_t *content = make_content(), *packed = xmalloc(PACKED_SIZE);

	(void)state;
	for (size_t i = 0; i < FORMAT_COUNT; i++) {
		_cleanup_free_ uint8_t *unpacked = NULL;
		size_t size = formats[i].pack(content, packed), unpacked_size;
		_cleanup_error_ struct error *error =
			elf_unpack_section(packed, size, "section", &unpacked, &unpacked_size);

		if (strcmp(formats[i].name, "xz") != 0) {
			assert_string_equal(error->message, "section: not compressed with xz");
			assert_null(unpacked);
			continue;
		}
		assert_null(error);
		assert_int_equal(unpacked_size, CONTENT_SIZE);
		assert_memory_equal(unpacked, content, CONTENT_SIZE);
	}
}

static void uncompressed_files_are_left_alone(void **state)
{
	uint8_t *unpacked;
	size_t size;

	(void)state;
	assert_null(elf_unpack((const uint8_t *)"\x7f"
						"ELF",
			       4, "file", &unpacked, &size));
	assert_null(unpacked);
	assert_null(elf_unpack(NULL, 0, "file", &unpacked, &size));
	assert_null(unpacked);
}

/* Returns an object file for BPF with `types` as its section of this name. */
static uint8_t *make_bpf_object(const char *section, const void *types, size_t length, size_t *size)
{
	struct elf_writer *writer = elf_writer_create(ET_REL);

	elf_writer_set_machine(writer, EM_BPF);
	elf_writer_section(writer, section, SHT_PROGBITS, 0, 0, types, length);
	return elf_writer_finish(writer, size);
}

static void types_of_an_object_for_bpf_are_found(void **state)
{
	struct btf_header types = { .magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(types) };
	size_t size, unpacked_size;
	_cleanup_free_ uint8_t *object = make_bpf_object(".BTF", &types, sizeof(types), &size);
	_cleanup_free_ uint8_t *without = make_bpf_object(".data", &types, sizeof(types), &size);
	uint8_t *unpacked;
	struct elf_image *image;
	const void *found;
	size_t length;

	(void)state;
	assert_true(elf_is_packed(object, size));
	assert_null(elf_unpack(object, size, "file", &unpacked, &unpacked_size));
	assert_non_null(unpacked);
	assert_null(elf_image_open_memory(unpacked, unpacked_size, "file", &image));
	found = elf_image_contents(image, ".BTF", &length);
	assert_int_equal(length, sizeof(types));
	assert_memory_equal(found, &types, sizeof(types));
	elf_image_close(image);
	free(unpacked);

	_cleanup_error_ struct error *error =
		elf_unpack(without, size, "file", &unpacked, &unpacked_size);

	assert_string_equal(error->message,
			    "file: an object file for BPF without types: build it with -g");
	/* whatever is cut off, nothing beyond the end is read */
	for (size_t left = 0; left < size; left++) {
		_cleanup_free_ uint8_t *part = xmalloc(left + 1);
		_cleanup_error_ struct error *cut = elf_unpack(memcpy(part, object, left), left,
							       "file", &unpacked, &unpacked_size);

		free(unpacked);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unpacking_gives_the_original_bytes),
		cmocka_unit_test(lz4_is_unpacked),
		cmocka_unit_test(the_kernel_in_a_boot_image_is_found),
		cmocka_unit_test(truncated_data_are_errors),
		cmocka_unit_test(claimed_sizes_take_no_memory),
		cmocka_unit_test(a_section_is_of_xz_alone),
		cmocka_unit_test(types_of_an_object_for_bpf_are_found),
		cmocka_unit_test(uncompressed_files_are_left_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
