// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads any bytes as what Arm's SPE writes, and what its records say of data for each kind of
 * processor. */
#include <stdint.h>
#include <stdlib.h>

#include "profiler/ingest/spe_records.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* So that reads are not optimized away. */
static volatile uint64_t sink;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t midrs[] = { 0x410fd0c0, 0xc00fac40, 0x480fd060, 0 };
	/* the first byte is where the data began in the processor's buffer */
	struct spe_reader reader = { .data = data, .size = size, .start = size ? *data : 0 };
	struct spe_record record;
	uint64_t records = 0;

	while (spe_record_next(&reader, &record)) {
		records++;
		for (size_t i = 0; i < sizeof(midrs) / sizeof(*midrs); i++)
			sink += spe_data_source(&record,
						&(struct spe_processor){ .midr = midrs[i] });
	}
	if (records + reader.broken > size || reader.position != size)
		abort();
	return 0;
}
