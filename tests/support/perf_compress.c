// SPDX-License-Identifier: GPL-2.0-or-later
/* See perf_compress.h. */
#include "tests/support/perf_compress.h"

#include <zstd.h>

#include "tests/support/unit.h"

void perf_image_compress(struct perf_image *image, size_t piece, uint32_t type)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	struct strbuf records = STRBUF_INIT;
	char buffer[32768];

	strbuf_add(&records, image->records.data, image->records.length);
	strbuf_reset(&image->records);
	for (size_t done = 0; done < records.length; done += piece) {
		size_t left = records.length - done;
		ZSTD_inBuffer input = { records.data + done, left < piece ? left : piece, 0 };
		ZSTD_outBuffer output = { buffer, sizeof(buffer), 0 };

		assert_int_equal(ZSTD_compressStream2(context, &output, &input, ZSTD_e_flush), 0);
		if (type == RECORD_COMPRESSED2)
			put64(&image->body, output.pos);
		strbuf_add(&image->body, buffer, output.pos);
		if (type == RECORD_COMPRESSED2) {
			perf_image_record(image, type, 0);
		} else { /* which is not padded: its size is its contents' */
			put32(&image->records, type), put16(&image->records, 0);
			put16(&image->records, (uint16_t)(8 + output.pos));
			strbuf_add(&image->records, image->body.data, image->body.length);
			strbuf_reset(&image->body);
		}
	}
	strbuf_deinit(&records);
	ZSTD_freeCCtx(context);
}
