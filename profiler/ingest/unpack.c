// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Recordings that somebody compressed (perf.data.gz), and the names of files that are no
 * recordings.
 *
 * The contents are unpacked into a spool, as those of a pipe are, and not beyond a budget that
 * grows with the size of the file.
 */
#include <inttypes.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/files.h"
#include "base/memory.h"
#include "profiler/ingest/format.h"
#include "profiler/ingest/session_private.h"

/* Bytes that are unpacked at a time. */
#define UNPACKED_STEP ((size_t)256 << 10)
/* Memory that a decoder may take: what `xz -9` and `zstd --ultra` need. */
#define DECODER_MEMORY_MAX ((uint64_t)256 << 20)
#define WINDOW_LOG_MAX     27

/* The compressed bytes that are left, and a decoder of one of the formats. */
struct unpacking {
	const uint8_t *data;
	size_t left;
	union {
		z_stream gzip;
		lzma_stream xz;
		ZSTD_DCtx *zstd;
	};
	bool ended; /* the last member or frame is complete */
};

/* Open a decoder; unpack up to *room bytes, lowering it, false: bad data; close it. */
static bool gzip_open(struct unpacking *decoder)
{
	return inflateInit2(&decoder->gzip, 15 + 16) == Z_OK;
}

static bool gzip_unpack(struct unpacking *decoder, uint8_t *output, size_t *room)
{
	uInt given = decoder->left < UINT32_MAX ? (uInt)decoder->left : UINT32_MAX;
	int status;

	/* a file may have several members: `cat a.gz b.gz` */
	if (decoder->ended && inflateReset(&decoder->gzip) != Z_OK)
		return false;
	decoder->gzip.next_in = (Bytef *)decoder->data;
	decoder->gzip.avail_in = given;
	decoder->gzip.next_out = output;
	decoder->gzip.avail_out = (uInt)*room;
	status = inflate(&decoder->gzip, Z_NO_FLUSH);
	decoder->data += given - decoder->gzip.avail_in;
	decoder->left -= given - decoder->gzip.avail_in;
	*room = decoder->gzip.avail_out;
	decoder->ended = status == Z_STREAM_END;
	return status == Z_OK || status == Z_STREAM_END;
}

static void gzip_close(struct unpacking *decoder)
{
	inflateEnd(&decoder->gzip);
}

static bool xz_open(struct unpacking *decoder)
{
	decoder->xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&decoder->xz, DECODER_MEMORY_MAX, LZMA_CONCATENATED) == LZMA_OK;
}

static bool xz_unpack(struct unpacking *decoder, uint8_t *output, size_t *room)
{
	lzma_ret status;

	decoder->xz.next_in = decoder->data;
	decoder->xz.avail_in = decoder->left;
	decoder->xz.next_out = output;
	decoder->xz.avail_out = *room;
	status = lzma_code(&decoder->xz, LZMA_FINISH);
	decoder->data = decoder->xz.next_in;
	decoder->left = decoder->xz.avail_in;
	*room = decoder->xz.avail_out;
	decoder->ended = status == LZMA_STREAM_END;
	return status == LZMA_OK || status == LZMA_STREAM_END;
}

static void xz_close(struct unpacking *decoder)
{
	lzma_end(&decoder->xz);
}

static bool zstd_open(struct unpacking *decoder)
{
	decoder->zstd = ZSTD_createDCtx();
	return decoder->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(
					decoder->zstd, ZSTD_d_windowLogMax, WINDOW_LOG_MAX));
}

static bool zstd_unpack(struct unpacking *decoder, uint8_t *output, size_t *room)
{
	ZSTD_inBuffer in = { decoder->data, decoder->left, 0 };
	ZSTD_outBuffer out = { output, *room, 0 };
	size_t status = ZSTD_decompressStream(decoder->zstd, &out, &in);

	decoder->data += in.pos;
	decoder->left -= in.pos;
	*room -= out.pos;
	decoder->ended = status == 0;
	return !ZSTD_isError(status);
}

static void zstd_close(struct unpacking *decoder)
{
	ZSTD_freeDCtx(decoder->zstd);
}

static const struct compression {
	const char *magic;
	size_t size; /* of the magic */
	const char *name;
	bool (*open)(struct unpacking *decoder);
	bool (*unpack)(struct unpacking *decoder, uint8_t *output, size_t *room);
	void (*close)(struct unpacking *decoder);
} compressions[] = {
	{ "\x1f\x8b", 2, "gzip", gzip_open, gzip_unpack, gzip_close },
	{ "\xfd"
	  "7zXZ",
	  6, "xz", xz_open, xz_unpack, xz_close },
	{ "\x28\xb5\x2f\xfd", 4, "zstd", zstd_open, zstd_unpack, zstd_close },
};

static const struct compression *compression_of(const uint8_t *data, size_t size)
{
	return array_find(i, compressions, COUNT_OF(compressions),
			  size >= compressions[i].size &&
				  !memcmp(data, compressions[i].magic, compressions[i].size));
}

static bool is_recording_magic(const uint8_t start[RECORDING_MAGIC_SIZE])
{
	uint64_t magic;

	memcpy(&magic, start, sizeof(magic));
	return magic == PERF_MAGIC_V1 || magic == PERF_MAGIC_V2 ||
	       magic == __builtin_bswap64(PERF_MAGIC_V2);
}

bool perf_file_may_begin(const uint8_t start[RECORDING_MAGIC_SIZE])
{
	return is_recording_magic(start) || compression_of(start, RECORDING_MAGIC_SIZE);
}

/* Returns whether the contents begin as a recording. An archive has zstd, too. */
static bool holds_recording(const struct compression *compression, const struct perf_file *file)
{
	struct unpacking decoder = { .data = file->data, .left = file->size };
	uint8_t start[RECORDING_MAGIC_SIZE];
	size_t room = sizeof(start), before = 0;

	if (!compression->open(&decoder)) {
		compression->close(&decoder);
		return false;
	}
	/* each step must get further */
	while (room && before != decoder.left && !decoder.ended) {
		before = decoder.left;
		if (!compression->unpack(&decoder, start + sizeof(start) - room, &room))
			break;
	}
	compression->close(&decoder);
	return !room && is_recording_magic(start);
}

/* Unpacks everything into the spool. */
static struct error *unpack_all(const struct compression *compression, struct unpacking *decoder,
				const struct perf_file *file, struct spool *spool)
{
	_cleanup_free_ uint8_t *output = xmalloc(UNPACKED_STEP);
	uint64_t budget = unpacked_max(file->size), unpacked = 0;

	do {
		size_t room = UNPACKED_STEP, before = decoder->left;

		if (!compression->unpack(decoder, output, &room))
			return error_create(ERROR_FORMAT, "%s: bad %s data at offset %zu",
					    file->name, compression->name,
					    file->size - decoder->left);
		RETURN_ERROR(spool_add(spool, output, UNPACKED_STEP - room));
		unpacked += UNPACKED_STEP - room;
		if (unpacked > budget)
			return error_create(ERROR_FORMAT,
					    "%s: its %zu bytes of %s data make more than %" PRIu64
					    ": no recording does; unpack it first if it is one",
					    file->name, file->size, compression->name, budget);
		if (!decoder->ended && room == UNPACKED_STEP && before == decoder->left)
			return error_create(ERROR_FORMAT, "%s: truncated: its %s data has no end",
					    file->name, compression->name);
	} while (decoder->left || !decoder->ended);
	return NULL;
}

struct error *perf_file_unpack(struct perf_file *file)
{
	const struct compression *compression = compression_of(file->data, file->size);
	struct unpacking decoder = { .data = file->data, .left = file->size };
	struct spool spool = SPOOL_INIT;
	const uint8_t *data;
	struct error *error;
	size_t size;

	if (!compression || !holds_recording(compression, file))
		return NULL;
	error = compression->open(&decoder) ? unpack_all(compression, &decoder, file, &spool)
					    : error_other("%s cannot be set up", compression->name);
	compression->close(&decoder);
	if (!error)
		error = spool_finish(&spool, &data, &size);
	if (error) {
		spool_deinit(&spool);
		return error;
	}
	perf_file_replace(file, data, size, file->modified);
	file->spool = spool;
	return NULL;
}

/* ---- files that are no recordings ---- */

const char *perf_file_kind(const uint8_t *data, size_t size)
{
	static const struct {
		size_t offset;
		const char *magic, *kind;
	} kinds[] = {
		{ 0, "BZh", "it is compressed with bzip2: bzip2 -dc FILE | dtprof report -i -" },
		{ 0, "\x04\x22\x4d\x18",
		  "it is compressed with lz4: lz4 -dc FILE | dtprof report -i -" },
		{ 0, "\x1f\x8b", "it is compressed with gzip, but has no recording in it" },
		{ 0,
		  "\xfd"
		  "7zXZ",
		  "it is compressed with xz, but has no recording in it" },
		{ 0, "PK\x03\x04", "it is a zip archive: unpack it (unzip)" },
		{ 257, "ustar", "it is a tar archive: unpack it (tar -x)" },
		{ 0, "\177ELF", "it is a program, a library or a core dump" },
		{ 0, "\x17\x08\x44tracing", "it is a recording of trace-cmd" },
		{ 0, "SIMPLEPERF", "it is a recording of simpleperf" },
	};

	for (size_t i = 0; i < COUNT_OF(kinds); i++) {
		size_t length = strlen(kinds[i].magic);

		if (size >= kinds[i].offset + length &&
		    !memcmp(data + kinds[i].offset, kinds[i].magic, length))
			return kinds[i].kind;
	}
	return "it does not begin with PERFILE2";
}
